/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers: one per type, and two per package. */
#include "emit.h"

#include <string.h>

void emit_begin_guard(struct portolan_text *t, const char *name)
{
    portolan_text_add(t, "#ifndef included_%s_h\n#define included_%s_h\n\n", name, name);
}

void emit_end_guard(struct portolan_text *t)
{
    portolan_text_add(t, "\n#endif\n");
}

void emit_begin_c(struct portolan_text *t)
{
    portolan_text_add(t, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
}

void emit_end_c(struct portolan_text *t)
{
    portolan_text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n");
}

bool see(struct seen *s, const struct portolan_sidl_symbol *symbol)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i] == symbol)
            return false;
    ARENA_PUSH(s->arena, s->list, s->count, symbol);
    return true;
}

/* A struct brings the types of its fields along. */
void see_type(struct seen *s, const struct portolan_sidl_type *type)
{
    if (type->element)
        see_type(s, type->element);
    if (!type->symbol || emit_is_handwritten(type->symbol) || !see(s, type->symbol))
        return;
    for (size_t i = 0; i < type->symbol->n_fields; i++)
        see_type(s, type->symbol->fields[i].type);
}

static void see_method(struct seen *s, const struct portolan_sidl_method *m)
{
    see_type(s, m->result);
    for (size_t i = 0; i < m->n_arguments; i++)
        see_type(s, m->arguments[i].type);
    for (size_t i = 0; i < m->n_throws; i++)
        see_type(s, m->throws[i]);
}

/* The types in the signatures of SYMBOL, and its parents. */
static struct seen types_used(struct emitter *e, const struct portolan_sidl_symbol *symbol)
{
    struct seen s = {.arena = e->arena};

    for (size_t i = 0; i < symbol_n_parents(symbol); i++)
        see_type(&s, symbol_parent(symbol, i));
    for (size_t i = 0; i < symbol->n_slots; i++)
        see_method(&s, symbol->slots[i]);
    for (size_t i = 0; i < symbol->n_methods; i++)
        if (symbol->methods[i]->flags & PORTOLAN_SIDL_STATIC)
            see_method(&s, symbol->methods[i]);
    return s;
}

static void emit_epv(struct emitter *e, struct portolan_text *t,
                     const struct portolan_sidl_symbol *symbol)
{
    portolan_text_add(t, "\nstruct %s__epv {\n", symbol->c_name);
    for (size_t i = 0; i < symbol->n_slots; i++) {
        const struct portolan_sidl_method *m = symbol->slots[i];
        const char *name = portolan_arena_printf(e->arena, "(*f_%s)", m->slot_name);

        emit_wrapped(t,
                     portolan_arena_printf(e->arena, "    %s;",
                                           c_function(e->arena, m, C_SLOT, name, "void *self")),
                     8);
    }
    if (symbol->n_slots == 0)
        portolan_text_add(t, "    sidl_slot_fn f__none; /* no methods; C wants a member */\n");
    portolan_text_add(t, "};\n");
}

static void emit_creators(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t,
                      "\n/** A new one, the caller's; NULL with *_ex set when that fails. */\n"
                      "SIDL_API %s %s__create(sidl_BaseInterface *_ex);\n",
                      s->c_name, s->c_name);
    portolan_text_add(t,
                      "/** The same around DATA, the class's private data, which stays the "
                      "caller's. */\n"
                      "SIDL_API %s %s__wrapObj(void *data, sidl_BaseInterface *_ex);\n",
                      s->c_name, s->c_name);
}

/* Structs are passed by value: they must be whole before the stubs. */
static void include_before(struct emitter *e, struct portolan_text *t,
                           const struct portolan_sidl_symbol *s, const struct seen *used)
{
    struct seen packages = {.arena = e->arena};

    portolan_text_add(t, "#include \"sidl.h\"\n#include \"%s__types.h\"\n", s->package->c_name);
    see(&packages, s->package);
    for (size_t i = 0; i < used->count; i++)
        if (see(&packages, used->list[i]->package))
            portolan_text_add(t, "#include \"%s__types.h\"\n", used->list[i]->package->c_name);
    for (size_t i = 0; i < used->count; i++)
        if (used->list[i]->kind == PORTOLAN_SIDL_STRUCTURE)
            portolan_text_add(t, "#include \"%s.h\"\n", used->list[i]->c_name);
}

static void emit_object(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_symbol *s)
{
    struct seen used = types_used(e, s);

    include_before(e, t, s, &used);
    emit_begin_c(t);
    emit_epv(e, t, s);
    portolan_text_add(
        t, "\nstruct %s__object {\n    const struct %s__epv *d_epv;\n    void *d_object;\n};\n",
        s->c_name, s->c_name);
    portolan_text_add(t, "\nSIDL_REFERENCE_API(%s, \"%s\")\nSIDL_OBJECT_ARRAY_API(%s)\n", s->c_name,
                      s->full_name, s->c_name);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        portolan_text_add(t, "SIDL_CLASS_API(%s, \"%s\")\n", s->c_name, s->full_name);
    if (s->kind == PORTOLAN_SIDL_CLASS && !(s->flags & PORTOLAN_SIDL_ABSTRACT))
        emit_creators(t, s);
    for (size_t i = 0; i < s->n_slots; i++)
        emit_stub(e, t, s, s->slots[i]);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        emit_statics(e, t, s);
    emit_end_c(t);
    if (used.count)
        portolan_text_add(t, "\n/* the types met above */\n");
    for (size_t i = 0; i < used.count; i++)
        if (used.list[i] != s && used.list[i]->kind != PORTOLAN_SIDL_STRUCTURE)
            portolan_text_add(t, "#include \"%s.h\"\n", used.list[i]->c_name);
}

/* In arrays, enums are long. */
static void emit_enum_header(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "#include \"%s__types.h\"\n", s->package->c_name);
    emit_begin_c(t);
    portolan_text_add(t, "\nSIDL_PLAIN_ARRAY_API(%s, int64_t, sidl_long_array)\n", s->c_name);
    emit_end_c(t);
}

void emit_type_header(struct emitter *e, const struct portolan_sidl_symbol *type)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.h", type->c_name), false, type);

    emit_comment(t, type->comment, 0);
    emit_begin_guard(t, type->c_name);
    if (type->kind == PORTOLAN_SIDL_ENUMERATION)
        emit_enum_header(t, type);
    else if (type->kind == PORTOLAN_SIDL_STRUCTURE)
        emit_struct_header(e, t, type);
    else
        emit_object(e, t, type);
    emit_end_guard(t);
}

static void emit_enum(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "\n");
    emit_comment(t, s->comment, 0);
    portolan_text_add(t, "enum %s__enum {\n", s->c_name);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        emit_comment(t, s->enumerators[i].comment, 4);
        portolan_text_add(t, "    %s_%s = %lld,\n", s->c_name, s->enumerators[i].name,
                          (long long)s->enumerators[i].value);
    }
    portolan_text_add(t,
                      "};\nstruct %s__array;\nSIDL_API extern const struct sidl_type %s__type;\n",
                      s->c_name, s->c_name);
}

/* sidl.h needs these two before their package's header: C99 knows no second typedef. */
static bool is_named_by_runtime(const struct portolan_sidl_symbol *s)
{
    return strcmp(s->c_name, "sidl_ClassInfo") == 0 || strcmp(s->c_name, "sidl_BaseException") == 0;
}

static void emit_types_header(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    const char *name = portolan_arena_printf(e->arena, "%s__types", package->c_name);
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.h", name), true, package);

    emit_begin_guard(t, name);
    portolan_text_add(t, "#include \"sidl.h\"\n");
    emit_begin_c(t);
    portolan_text_add(t, "\n");
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (symbol_is_object(s) && !emit_is_handwritten(s) && !is_named_by_runtime(s))
            portolan_text_add(t, "typedef struct %s__object *%s;\n", s->c_name, s->c_name);
        if (symbol_is_object(s) && !emit_is_handwritten(s))
            portolan_text_add(
                t, "struct %s__array;\nSIDL_API extern const struct sidl_type %s__type;\n",
                s->c_name, s->c_name);
        else if (s->kind == PORTOLAN_SIDL_STRUCTURE)
            portolan_text_add(t,
                              "struct %s__data;\n"
                              "SIDL_API extern const struct sidl_type %s__type;\n",
                              s->c_name, s->c_name);
    }
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_ENUMERATION)
            emit_enum(t, package->children[i]);
    emit_end_c(t);
    emit_end_guard(t);
}

static bool holds_types(const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            return true;
    return false;
}

/* A package's nested packages that have headers; those without types pass theirs on. */
static void include_nested(struct portolan_text *t, const struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *child = package->children[i];

        if (child->kind != PORTOLAN_SIDL_PACKAGE)
            continue;
        if (holds_types(child))
            portolan_text_add(t, "#include \"%s.h\"\n", child->c_name);
        else
            include_nested(t, child);
    }
}

void emit_package_headers(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t;

    emit_types_header(e, package);
    t = emit_open(e, emit_package_header(e->arena, package), true, package);
    emit_comment(t, package->comment, 0);
    emit_begin_guard(t, package->c_name);
    portolan_text_add(t, "#include \"%s__types.h\"\n", package->c_name);
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            portolan_text_add(t, "#include \"%s.h\"\n", package->children[i]->c_name);
    include_nested(t, package);
    emit_end_guard(t);
}
