/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PACKAGE.pyi: what portolan.sidl("PACKAGE") gives, for type checkers and editors. Python itself
 * needs no generated code.
 */
#include "emit.h"

#include <string.h>

/* Python's types of the run time: all objects, and all exceptions. */
static bool is_of_runtime(const struct portolan_sidl_symbol *s)
{
    return !strncmp(s->full_name, "sidl.", 5);
}

bool portolan_sidl_is_python_word(const char *name)
{
    static const char *const words[] = {
        "False",  "None", "True", "and",    "as",       "assert",  "async", "await",
        "class",  "def",  "del",  "elif",   "except",   "finally", "from",  "global",
        "import", "in",   "is",   "lambda", "nonlocal", "not",     "or",    "pass",
        "raise",  "try",  "with", "yield",  NULL};

    return portolan_is_c_word(name) || word_is_one_of(name, words);
}

/* The module of a package: package portolan must not hide the module of that name. */
static const char *module_of(const struct portolan_sidl_symbol *package)
{
    return strcmp(package->c_name, "portolan") ? package->c_name : "portolan_sidl";
}

/* A name of a type, seen from the package OF. */
static const char *type_name(struct portolan_arena *a, const struct portolan_sidl_symbol *s,
                             const struct portolan_sidl_symbol *of)
{
    if (is_of_runtime(s))
        return s->is_exception       ? "portolan.Error"
               : symbol_is_object(s) ? "portolan.Object"
                                     : "typing.Any";
    return s->package == of ? s->name
                            : portolan_arena_printf(a, "%s.%s", module_of(s->package), s->name);
}

/* An interface without methods, such as gov.cca.Port: each object of Python can serve it. */
static bool is_empty(const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (!is_of_runtime(s->slots[i]->owner))
            return false;
    return s->kind == PORTOLAN_SIDL_INTERFACE;
}

/* The type of an array; IN: what a method takes. */
static const char *array_type(struct portolan_arena *a, const struct portolan_sidl_type *element,
                              const struct portolan_sidl_symbol *of, bool in)
{
    static const char *const numbers[] = {
        [PORTOLAN_SIDL_BOOL] = "int32",     [PORTOLAN_SIDL_CHAR] = "bytes_",
        [PORTOLAN_SIDL_DOUBLE] = "float64", [PORTOLAN_SIDL_DCOMPLEX] = "complex128",
        [PORTOLAN_SIDL_FLOAT] = "float32",  [PORTOLAN_SIDL_FCOMPLEX] = "complex64",
        [PORTOLAN_SIDL_INT] = "int32",      [PORTOLAN_SIDL_LONG] = "int64",
        [PORTOLAN_SIDL_ENUM] = "int32",     [PORTOLAN_SIDL_OBJECT] = NULL,
    };

    if (!element)
        return "typing.Any";
    if (numbers[element->kind])
        return in ? "numpy.typing.ArrayLike"
                  : portolan_arena_printf(a, "numpy.typing.NDArray[numpy.%s]",
                                          numbers[element->kind]);
    if (element->kind == PORTOLAN_SIDL_OPAQUE)
        return in ? "typing.Sequence[int]" : "typing.List[int]";
    return portolan_arena_printf(a, "%s[%s]", in ? "typing.Sequence" : "typing.List",
                                 element->symbol ? type_name(a, element->symbol, of) : "str");
}

static const char *python_type(struct portolan_arena *a, const struct portolan_sidl_type *type,
                               const struct portolan_sidl_symbol *of, bool in)
{
    static const char *const names[] = {
        [PORTOLAN_SIDL_VOID] = "None",    [PORTOLAN_SIDL_BOOL] = "bool",
        [PORTOLAN_SIDL_CHAR] = "str",     [PORTOLAN_SIDL_DCOMPLEX] = "complex",
        [PORTOLAN_SIDL_DOUBLE] = "float", [PORTOLAN_SIDL_FCOMPLEX] = "complex",
        [PORTOLAN_SIDL_FLOAT] = "float",  [PORTOLAN_SIDL_INT] = "int",
        [PORTOLAN_SIDL_LONG] = "int",     [PORTOLAN_SIDL_OPAQUE] = "int",
        [PORTOLAN_SIDL_STRING] = "str",
    };

    if (type->kind == PORTOLAN_SIDL_ARRAY || type->kind == PORTOLAN_SIDL_RARRAY)
        return array_type(a, type->element, of, in);
    if (in && type->kind == PORTOLAN_SIDL_ENUM)
        return "int";
    if (in && type->symbol && is_empty(type->symbol))
        return "object";
    return type->symbol ? type_name(a, type->symbol, of) : names[type->kind];
}

/* The same for an argument, which may be None where C may have NULL. */
static const char *taken_type(struct portolan_arena *a, const struct portolan_sidl_type *type,
                              const struct portolan_sidl_symbol *of)
{
    const char *name = python_type(a, type, of, true);
    bool can_be_none = type->kind == PORTOLAN_SIDL_STRING || type->kind == PORTOLAN_SIDL_OBJECT ||
                       type->kind == PORTOLAN_SIDL_ARRAY;

    return can_be_none && strcmp(name, "object") != 0 && strcmp(name, "typing.Any") != 0
               ? portolan_arena_printf(a, "typing.Optional[%s]", name)
               : name;
}

/* What a call returns: the result, then out and inout arguments; a tuple unless it is one value. */
static const char *returned_type(struct portolan_arena *a, const struct portolan_sidl_method *m,
                                 const struct portolan_sidl_symbol *of)
{
    struct portolan_text t = {.arena = a};
    size_t n = 0;

    if (m->result->kind != PORTOLAN_SIDL_VOID) {
        portolan_text_add(&t, "%s", python_type(a, m->result, of, false));
        n++;
    }
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN)
            portolan_text_add(&t, "%s%s", n++ ? ", " : "",
                              python_type(a, m->arguments[i].type, of, false));
    return n > 1 ? portolan_arena_printf(a, "typing.Tuple[%s]", t.bytes) : n ? t.bytes : "None";
}

/* A text of the author's as a documentation string. */
static void put_text(struct portolan_text *t, const char *text, const char *indent)
{
    portolan_text_add(t, "%s\"\"\"", indent);
    for (const char *at = text; *at; at++) {
        if (*at == '\\' || *at == '"')
            portolan_text_add(t, "\\");
        portolan_text_add_bytes(t, at, 1);
        if (*at == '\n' && at[1] && at[1] != '\n')
            portolan_text_add(t, "%s", indent);
    }
    portolan_text_add(t, "\"\"\"\n");
}

static void put_method(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const char *separator = "", *text = emit_method_comment(e->arena, m);

    if (portolan_sidl_is_python_word(m->slot_name)) {
        portolan_text_add(t, "    # getattr(…, \"%s\"): a word of Python\n", m->slot_name);
        return;
    }
    if (method_is_static(m))
        portolan_text_add(t, "    @staticmethod\n");
    portolan_text_add(t, "    def %s(", m->slot_name);
    if (!method_is_static(m)) {
        portolan_text_add(t, "self");
        separator = ", ";
    }
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *arg = &m->arguments[i];

        if (arg->mode == PORTOLAN_SIDL_OUT || arg->is_extent)
            continue;
        /* Two underscores: arguments are not given by name. */
        portolan_text_add(t, "%s__%s: %s", separator, arg->name,
                          taken_type(e->arena, arg->type, s->package));
        separator = ", ";
    }
    portolan_text_add(t, ") -> %s:%s\n", returned_type(e->arena, m, s->package),
                      text ? "" : " ...");
    if (text) {
        put_text(t, text, "        ");
        portolan_text_add(t, "        ...\n");
    }
}

/* The parents without those that another one has above it, as portolan.sidl() has them. */
static const char *list_parents(struct portolan_arena *a, const struct portolan_sidl_symbol *s)
{
    struct portolan_text t = {.arena = a};

    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *p = symbol_parent(s, i)->symbol;
        bool is_needed = !is_of_runtime(p) && p->is_exception == s->is_exception;

        for (size_t k = 0; is_needed && k < symbol_n_parents(s); k++)
            is_needed = k == i || symbol_parent(s, k)->symbol == p ||
                        !symbol_inherits(symbol_parent(s, k)->symbol, p->full_name);
        if (is_needed)
            portolan_text_add(&t, "%s%s", t.length ? ", " : "", type_name(a, p, s->package));
    }
    return t.length ? t.bytes : s->is_exception ? "portolan.Error" : "portolan.Object";
}

static void put_object(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s)
{
    size_t n = 0;

    portolan_text_add(t, "\nclass %s(%s):\n", s->name, list_parents(e->arena, s));
    if (s->comment)
        put_text(t, s->comment, "    ");
    if (s->is_exception) {
        portolan_text_add(t, "    note: str\n    trace: str\n    sidl: portolan.Object\n");
        return;
    }
    for (size_t i = 0; i < s->n_methods; i++, n++)
        put_method(e, t, s, s->methods[i]);
    if (!n && !s->comment)
        portolan_text_add(t, "    ...\n");
}

static void put_struct(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "\nclass %s(portolan.Struct):\n", s->name);
    if (s->comment)
        put_text(t, s->comment, "    ");
    for (size_t i = 0; i < s->n_fields; i++)
        portolan_text_add(t, "    %s: %s\n", s->fields[i].name,
                          s->fields[i].type->kind == PORTOLAN_SIDL_ARRAY
                              ? "typing.Any"
                              : taken_type(e->arena, s->fields[i].type, s->package));
    portolan_text_add(t, "    def __init__(self");
    for (size_t i = 0; i < s->n_fields; i++)
        portolan_text_add(t, ", %s: %s = ...", s->fields[i].name,
                          taken_type(e->arena, s->fields[i].type, s->package));
    portolan_text_add(t, ") -> None: ...\n");
}

static void put_enum(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "\nclass %s(enum.IntEnum):\n", s->name);
    if (s->comment)
        put_text(t, s->comment, "    ");
    for (size_t i = 0; i < s->n_enumerators; i++)
        portolan_text_add(t, "    %s%s = %lld\n",
                          portolan_sidl_is_python_word(s->enumerators[i].name) ? "# " : "",
                          s->enumerators[i].name, (long long)s->enumerators[i].value);
}

/* The packages of the types that those of PACKAGE use. */
static void put_imports(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_symbol *package)
{
    struct seen packages = {.arena = e->arena};

    see(&packages, package);
    for (size_t i = 0; i < package->n_children; i++) {
        struct seen types = {.arena = e->arena};

        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            types = emit_types_used(e, package->children[i]);
        for (size_t k = 0; k < types.count; k++)
            if (!is_of_runtime(types.list[k]) && see(&packages, types.list[k]->package))
                portolan_text_add(t, "import %s\n", module_of(types.list[k]->package));
    }
}

static void put_package(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text types = {.arena = e->arena}, *t;

    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (s->kind == PORTOLAN_SIDL_ENUMERATION)
            put_enum(&types, s);
        else if (s->kind == PORTOLAN_SIDL_STRUCTURE)
            put_struct(e, &types, s);
        else if (symbol_is_object(s))
            put_object(e, &types, s);
    }
    if (!types.length)
        return;
    t = &emit_open_raw(e, portolan_arena_printf(e->arena, "%s.pyi", module_of(package)))->text;
    portolan_text_add(t,
                      "# " EMIT_BANNER " from %s %s; changes will be lost.\n"
                      "import enum\nimport typing\n\n%simport portolan\n",
                      package->full_name, package->version ? package->version : "",
                      strstr(types.bytes, "numpy.") ? "import numpy\nimport numpy.typing\n" : "");
    put_imports(e, t, package);
    portolan_text_add(t, "%s", types.bytes);
}

void emit_python_stubs(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *child = package->children[i];

        if (child->kind != PORTOLAN_SIDL_PACKAGE || !strcmp(child->full_name, "sidl"))
            continue;
        put_package(e, child);
        emit_python_stubs(e, child);
    }
}
