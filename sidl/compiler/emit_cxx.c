/* SPDX-License-Identifier: BSD-3-Clause */
/* PACKAGE.hxx: the types of a package for C++, over the tables of C (sidl_cxx.hxx). */
#include "emit_cxx.h"

#include <string.h>

const char *cxx_name(struct portolan_arena *a, const char *name)
{
    return portolan_is_c_word(name) ? portolan_arena_printf(a, "%s_", name) : name;
}

const char *cxx_qualified(struct portolan_arena *a, const struct portolan_sidl_symbol *s)
{
    return s->package && s->package->name && *s->package->name
               ? portolan_arena_printf(a, "%s::%s", cxx_qualified(a, s->package),
                                       cxx_name(a, s->name))
               : portolan_arena_printf(a, "::%s", cxx_name(a, s->name));
}

const char *cxx_type(struct portolan_arena *a, const struct portolan_sidl_type *type)
{
    static const char *const names[] = {
        [PORTOLAN_SIDL_VOID] = "void",          [PORTOLAN_SIDL_BOOL] = "bool",
        [PORTOLAN_SIDL_CHAR] = "char",          [PORTOLAN_SIDL_DCOMPLEX] = "std::complex<double>",
        [PORTOLAN_SIDL_DOUBLE] = "double",      [PORTOLAN_SIDL_FCOMPLEX] = "std::complex<float>",
        [PORTOLAN_SIDL_FLOAT] = "float",        [PORTOLAN_SIDL_INT] = "int32_t",
        [PORTOLAN_SIDL_LONG] = "int64_t",       [PORTOLAN_SIDL_OPAQUE] = "void *",
        [PORTOLAN_SIDL_STRING] = "std::string",
    };

    if (type->symbol)
        return cxx_qualified(a, type->symbol);
    if (type->kind == PORTOLAN_SIDL_ARRAY)
        return type->element
                   ? portolan_arena_printf(a, "::sidl::array<%s>", cxx_type(a, type->element))
                   : "::sidl::basearray";
    if (type->kind == PORTOLAN_SIDL_RARRAY)
        return portolan_arena_printf(a, "%s *", cxx_type(a, type->element));
    return names[type->kind];
}

static bool is_array(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_ARRAY;
}

/* ARRAY and the struct of C, without the star: "::sidl::array<double>, struct sidl_double__array"
 */
static const char *array_arguments(struct portolan_arena *a, const struct portolan_sidl_type *array)
{
    const char *c = c_value(a, array);

    return portolan_arena_printf(a, "%s, %.*s", cxx_type(a, array), (int)(strrchr(c, ' ') - c), c);
}

const char *cxx_binding(struct portolan_arena *a, const struct portolan_sidl_type *type,
                        const char *function)
{
    return is_array(type)
               ? portolan_arena_printf(a, "::sidl::array_binding<%s>::%s", array_arguments(a, type),
                                       function)
               : portolan_arena_printf(a, "::sidl::binding<%s>::%s", cxx_type(a, type), function);
}

static const char *parameter(struct portolan_arena *a, const struct portolan_sidl_argument *arg)
{
    static const char by_reference[PORTOLAN_SIDL_OBJECT + 1] = {
        [PORTOLAN_SIDL_STRING] = 1, [PORTOLAN_SIDL_ARRAY] = 1,    [PORTOLAN_SIDL_STRUCT] = 1,
        [PORTOLAN_SIDL_OBJECT] = 1, [PORTOLAN_SIDL_DCOMPLEX] = 1, [PORTOLAN_SIDL_FCOMPLEX] = 1,
    };
    const bool is_in = arg->mode == PORTOLAN_SIDL_IN,
               is_raw = arg->type->kind == PORTOLAN_SIDL_RARRAY;
    const char *type = cxx_type(a, arg->type);

    return portolan_arena_printf(
        a, "%s%s%s%s", is_in && (is_raw || by_reference[arg->type->kind]) ? "const " : "", type,
        is_raw                                    ? ""
        : !is_in || by_reference[arg->type->kind] ? " &"
        : type[strlen(type) - 1] == '*'           ? ""
                                                  : " ",
        arg->name);
}

/* "(PARAMETERS)" */
static const char *parameters(struct portolan_arena *a, const struct portolan_sidl_method *m)
{
    struct portolan_text t = {.arena = a};

    portolan_text_add(&t, "(");
    for (size_t i = 0; i < m->n_arguments; i++)
        portolan_text_add(&t, "%s%s", i ? ", " : "", parameter(a, &m->arguments[i]));
    portolan_text_add(&t, ")");
    return t.bytes;
}

/* Returns whether two methods would be one function in C++, which does not see an array's rank. */
static bool is_same_function(struct portolan_arena *a, const struct portolan_sidl_method *m,
                             const struct portolan_sidl_method *other)
{
    struct portolan_sidl_argument x, y;
    bool same = strcmp(m->slot_name, other->slot_name) && !strcmp(m->name, other->name) &&
                m->n_arguments == other->n_arguments;

    for (size_t i = 0; same && i < m->n_arguments; i++) {
        x = m->arguments[i];
        y = other->arguments[i];
        x.name = y.name = "";
        same = !strcmp(parameter(a, &x), parameter(a, &y));
    }
    return same;
}

const char *cxx_method(struct portolan_arena *a, const struct portolan_sidl_symbol *s,
                       const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (is_same_function(a, m, s->slots[i]))
            return m->slot_name;
    for (size_t i = 0; i < s->n_methods; i++)
        if (is_same_function(a, m, s->methods[i]))
            return m->slot_name;
    return m->name;
}

const char *cxx_head(struct portolan_arena *a, const struct portolan_sidl_method *m,
                     const char *name)
{
    return portolan_arena_printf(a, "%s %s%s", cxx_type(a, m->result), name, parameters(a, m));
}

/* The same for callers. */
static const char *head(struct portolan_arena *a, const struct portolan_sidl_method *m,
                        const char *name)
{
    return portolan_arena_printf(a, "%s%s", cxx_head(a, m, name),
                                 method_is_static(m) ? "" : " const");
}

/* Methods */

void cxx_holders(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m,
                 const char *suffix, int indent)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        if (a->mode == PORTOLAN_SIDL_IN || a->type->kind == PORTOLAN_SIDL_RARRAY)
            continue;
        emit_wrapped(e, t, indent + 4, "%*s::sidl::%s%s<%s%s%s> %s__(%s);", indent, "",
                     a->mode == PORTOLAN_SIDL_OUT ? "out" : "inout", suffix,
                     cxx_type(e->arena, a->type),
                     is_array(a->type) ? ", ::sidl::array_binding<" : "",
                     is_array(a->type) ? portolan_arena_printf(e->arena, "%s>",
                                                               array_arguments(e->arena, a->type))
                                       : "",
                     a->name, a->name);
    }
}

static void put_call(struct emitter *e, struct portolan_text *t,
                     const struct portolan_sidl_method *m)
{
    const bool is_static = method_is_static(m), is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    struct portolan_text line = {.arena = e->arena};

    portolan_text_add(
        &line, "    %s%s(%s, f_%s)(%s",
        is_void ? "" : "const auto result__ = ", is_static ? "SIDL_STATIC_SLOT" : "SIDL_SLOT",
        is_static ? "table__" : "self__", m->slot_name, is_static ? "" : "self__->d_object, ");
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        if (a->is_extent)
            continue;
        if (a->type->kind == PORTOLAN_SIDL_RARRAY)
            portolan_text_add(&line, "&%s__array, ", a->name);
        else if (a->mode == PORTOLAN_SIDL_IN)
            portolan_text_add(&line, "%s(%s), ", cxx_binding(e->arena, a->type, "in"), a->name);
        else
            portolan_text_add(&line, "%s__, ", a->name);
    }
    emit_wrapped(e, t, 8, "%sex__);", line.bytes);
}

static void put_method(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const char *name = portolan_arena_printf(e->arena, "%s::%s", cxx_name(e->arena, s->name),
                                             cxx_name(e->arena, cxx_method(e->arena, s, m)));

    portolan_text_add(t, "\n");
    emit_wrapped(e, t, 4, "inline %s", head(e->arena, m, name));
    portolan_text_add(t, "{\n    ::sidl::raised ex__;\n");
    if (method_is_static(m))
        emit_named(t, s->c_name,
                   "    const struct @__sepv *table__ = @__statics(ex__);\n    ex__.check();\n");
    else
        portolan_text_add(t, "    const auto self__ = _ior();\n");
    emit_rarrays(e, t, m);
    cxx_holders(e, t, m, "", 4);
    put_call(e, t, m);
    portolan_text_add(t, "    ex__.check();\n");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN &&
            m->arguments[i].type->kind != PORTOLAN_SIDL_RARRAY)
            portolan_text_add(t, "    %s__.take();\n", m->arguments[i].name);
    if (m->result->kind != PORTOLAN_SIDL_VOID)
        portolan_text_add(t, "    return %s(result__);\n",
                          cxx_binding(e->arena, m->result, "take"));
    portolan_text_add(t, "}\n");
}

/* Calls FN for the methods of S: those of its table, and its own static ones. */
static void
each_method(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s,
            void (*fn)(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m))
{
    for (size_t i = 0; i < s->n_slots; i++)
        fn(e, t, s, s->slots[i]);
    for (size_t i = 0; i < s->n_methods; i++)
        if (method_is_static(s->methods[i]))
            fn(e, t, s, s->methods[i]);
}

static void declare_method(struct emitter *e, struct portolan_text *t,
                           const struct portolan_sidl_symbol *s,
                           const struct portolan_sidl_method *m)
{
    if (m->owner == s)
        emit_comment(t, emit_method_comment(e->arena, m), 4);
    emit_wrapped(e, t, 8, "    %s%s;", method_is_static(m) ? "static " : "",
                 head(e->arena, m, cxx_name(e->arena, cxx_method(e->arena, s, m))));
}

/* Classes */

struct cxx {
    struct emitter *e;
    struct portolan_text *t;
    struct seen done;
};

/* The types directly above S, each after PREFIX, as a list. */
static const char *parents_of(struct emitter *e, const struct portolan_sidl_symbol *s,
                              const char *prefix)
{
    struct portolan_text t = {.arena = e->arena};

    for (size_t i = 0; i < symbol_n_parents(s); i++)
        portolan_text_add(&t, ", %s%s", prefix,
                          cxx_qualified(e->arena, symbol_parent(s, i)->symbol));
    if (!t.length)
        portolan_text_add(&t, ", %s::sidl::%s", prefix,
                          s->kind == PORTOLAN_SIDL_CLASS ? "BaseClass" : "BaseInterface");
    return t.bytes;
}

/* The classes of C++ that an exception's class derives from: those of exceptions. */
static const char *thrown_bases(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct portolan_text t = {.arena = e->arena};

    for (size_t i = 0; i < symbol_n_parents(s); i++)
        if (symbol_parent(s, i)->symbol->is_exception)
            portolan_text_add(&t, "%spublic virtual %s", t.length ? ", " : "",
                              cxx_qualified(e->arena, symbol_parent(s, i)->symbol));
    return t.length ? t.bytes : "public virtual ::sidl::thrown";
}

static void put_class(struct cxx *x, const struct portolan_sidl_symbol *s)
{
    struct emitter *e = x->e;
    const char *name = cxx_name(e->arena, s->name);

    if (!see(&x->done, s))
        return;
    for (size_t i = 0; s->is_exception && i < symbol_n_parents(s); i++)
        if (symbol_parent(s, i)->symbol->package == s->package)
            put_class(x, symbol_parent(s, i)->symbol); /* it must be complete */
    if (emit_is_handwritten(s))
        return;
    portolan_text_add(x->t, "\n");
    emit_comment(x->t, s->comment, 0);
    emit_wrapped(e, x->t, 4, "class %s : %s", name,
                 s->is_exception ? thrown_bases(e, s) : "public ::sidl::reference");
    portolan_text_add(x->t, "{\n  public:\n");
    emit_wrapped(e, x->t, 8, "    %s(%s, %s, \"%s\"%s)",
                 s->is_exception ? "SIDL_CXX_EXCEPTION" : "SIDL_CXX_HANDLE", name, s->c_name,
                 s->full_name, parents_of(e, s, ""));
    if (s->kind == PORTOLAN_SIDL_CLASS && !(s->flags & PORTOLAN_SIDL_ABSTRACT))
        portolan_text_add(x->t,
                          "    /** A new object; throws if that fails. */\n"
                          "    static %s _create()\n    {\n        ::sidl::raised ex__;\n"
                          "        %s made__(%s__create(ex__));\n\n        ex__.check();\n"
                          "        return made__;\n    }\n",
                          name, name, s->c_name);
    each_method(e, x->t, s, declare_method);
    portolan_text_add(x->t, "};\n");
    if (s->is_exception)
        portolan_text_add(x->t, "SIDL_CXX_THROWER(%s, \"%s\")\n", name, s->full_name);
}

/* Structs */

/* A field's conversion; FUNCTION is in, give or take. */
static void put_field(struct cxx *x, const struct portolan_sidl_field *f, const char *function)
{
    const bool takes = !strcmp(function, "take"), lends = !strcmp(function, "in");
    const char *from = takes ? "c__" : "", *dot = takes ? "." : "";
    const char *to = takes ? "x__" : "c__";

    if (f->type->kind == PORTOLAN_SIDL_RARRAY)
        emit_wrapped(x->e, x->t, 12, "        std::memcpy(&%s.%s, &%s%s%s, sizeof c__.%s);", to,
                     f->name, from, dot, f->name, f->name);
    else if (lends && f->type->kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(x->t, "        c__.%s = %s._lend();\n", f->name, f->name);
    else if (lends && f->type->kind == PORTOLAN_SIDL_STRING)
        portolan_text_add(x->t, "        c__.%s = const_cast<char *>(%s.c_str());\n", f->name,
                          f->name);
    else
        emit_wrapped(x->e, x->t, 12, "        %s.%s = %s(%s%s%s);", to, f->name,
                     cxx_binding(x->e->arena, f->type, function), from, dot, f->name);
}

static void put_conversion(struct cxx *x, const struct portolan_sidl_symbol *s, const char *head,
                           const char *function, const char *variable)
{
    portolan_text_add(x->t, "    %s\n    {\n        %s;\n\n", head, variable);
    for (size_t i = 0; i < s->n_fields; i++)
        put_field(x, &s->fields[i], function);
    portolan_text_add(x->t, "        return %s;\n    }\n", *function == 't' ? "x__" : "c__");
}

static void put_struct(struct cxx *x, const struct portolan_sidl_symbol *s)
{
    struct portolan_arena *a = x->e->arena;
    const char *name = cxx_name(a, s->name);

    if (!see(&x->done, s))
        return;
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_STRUCT &&
            s->fields[i].type->symbol->package == s->package)
            put_struct(x, s->fields[i].type->symbol);
    portolan_text_add(x->t, "\n");
    emit_comment(x->t, s->comment, 0);
    portolan_text_add(x->t, "struct %s {\n", name);
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_field *f = &s->fields[i];

        emit_comment(x->t, f->comment, 4);
        if (f->type->kind == PORTOLAN_SIDL_RARRAY)
            portolan_text_add(x->t, "    decltype(%s__data::%s) %s{};\n", s->c_name, f->name,
                              f->name);
        else
            portolan_text_add(x->t, "    %s %s{};\n", cxx_type(a, f->type), f->name);
    }
    portolan_text_add(x->t, "    using _c_t = struct %s__data;\n", s->c_name);
    put_conversion(x, s, "_c_t _lend() const", "in", "_c_t c__ = {}");
    put_conversion(x, s, "_c_t _give() const", "give", "_c_t c__ = {}");
    put_conversion(x, s, portolan_arena_printf(a, "static %s _take(const _c_t &c__)", name), "take",
                   portolan_arena_printf(a, "%s x__", name));
    portolan_text_add(x->t, "};\n");
}

static void put_enum(struct cxx *x, const struct portolan_sidl_symbol *s)
{
    struct portolan_arena *a = x->e->arena;
    const char *name = cxx_name(a, s->name);
    struct portolan_text list = {.arena = a};

    portolan_text_add(x->t, "\n");
    emit_comment(x->t, s->comment, 0);
    for (size_t i = 0; i < s->n_enumerators; i++)
        portolan_text_add(&list, "%s%s = %lld", i ? ", " : "", cxx_name(a, s->enumerators[i].name),
                          (long long)s->enumerators[i].value);
    emit_wrapped(x->e, x->t, 4, "enum class %s : int32_t { %s };", name, list.bytes);
    for (size_t i = 0; i < s->n_enumerators; i++)
        portolan_text_add(x->t, "inline constexpr %s %s_%s = %s::%s;\n", name, name,
                          s->enumerators[i].name, name, cxx_name(a, s->enumerators[i].name));
}

/* The file */

static void open_namespace(struct emitter *e, struct portolan_text *t,
                           const struct portolan_sidl_symbol *package)
{
    portolan_text_add(t, "\nnamespace %s\n{\n", cxx_qualified(e->arena, package) + 2);
}

/* Adds the packages of the types that S uses to SEEN. */
static void see_packages(struct seen *seen, struct emitter *e, const struct portolan_sidl_symbol *s)
{
    const struct seen used = emit_types_used(e, s);

    for (size_t i = 0; i < used.count; i++)
        see(seen, used.list[i]->package);
}

static void put_includes(struct emitter *e, struct portolan_text *t,
                         const struct portolan_sidl_symbol *package)
{
    struct seen packages = {.arena = e->arena};

    see(&packages, package);
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            see_packages(&packages, e, package->children[i]);
    portolan_text_add(t, "#include \"sidl_cxx.hxx\"\n");
    if (strcmp(package->full_name, "sidl") != 0)
        portolan_text_add(t, "#include \"sidl.hxx\"\n");
    for (size_t i = 1; i < packages.count; i++)
        if (strcmp(packages.list[i]->full_name, "sidl") != 0)
            portolan_text_add(t, "#include \"%s.hxx\"\n", packages.list[i]->c_name);
    portolan_text_add(t, "\n#include \"%s\"\n", emit_package_header(e->arena, package));
}

void emit_cxx_client(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.hxx", package->c_name), package);
    struct cxx x = {e, t, {.arena = e->arena}};
    struct portolan_text bindings = {.arena = e->arena};

    emit_named(t, package->c_name, "#ifndef included_@_hxx\n#define included_@_hxx\n\n");
    put_includes(e, t, package);
    open_namespace(e, t, package);
    for (size_t i = 0; i < package->n_children; i++)
        if (symbol_is_object(package->children[i]) && !emit_is_handwritten(package->children[i]))
            portolan_text_add(t, "class %s;\n", cxx_name(e->arena, package->children[i]->name));
        else if (package->children[i]->kind == PORTOLAN_SIDL_STRUCTURE)
            portolan_text_add(t, "struct %s;\n", cxx_name(e->arena, package->children[i]->name));
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_ENUMERATION) {
            put_enum(&x, package->children[i]);
            portolan_text_add(
                &bindings,
                "template <> struct sidl::binding<%s>\n    : sidl::enum_binding<%s, enum "
                "%s__enum> {\n};\n",
                cxx_qualified(e->arena, package->children[i]),
                cxx_qualified(e->arena, package->children[i]), package->children[i]->c_name);
        }
    if (bindings.length) {
        portolan_text_add(t, "\n}\n%s", bindings.bytes);
        open_namespace(e, t, package);
    }
    for (size_t i = 0; i < package->n_children; i++)
        if (symbol_is_object(package->children[i]))
            put_class(&x, package->children[i]);
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_STRUCTURE)
            put_struct(&x, package->children[i]);
    for (size_t i = 0; i < package->n_children; i++)
        if (symbol_is_object(package->children[i]) && !emit_is_handwritten(package->children[i]))
            each_method(e, t, package->children[i], put_method);
    portolan_text_add(t, "\n}\n\n#endif\n");
}
