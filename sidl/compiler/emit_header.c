/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers: one per type, and two per package. */
#include "emit.h"

#include <string.h>

void emit_begin_guard(struct portolan_text *t, const char *name)
{
    emit_named(t, name, "#ifndef included_@_h\n#define included_@_h\n\n");
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

/* A struct also needs the types of its fields. */
static void see_type(struct seen *s, const struct portolan_sidl_type *type)
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

struct seen emit_types_used(struct emitter *e, const struct portolan_sidl_symbol *symbol)
{
    struct seen s = {.arena = e->arena};

    for (size_t i = 0; i < symbol_n_parents(symbol); i++)
        see_type(&s, symbol_parent(symbol, i));
    for (size_t i = 0; i < symbol->n_slots; i++)
        see_method(&s, symbol->slots[i]);
    for (size_t i = 0; i < symbol->n_methods; i++)
        if (method_is_static(symbol->methods[i]))
            see_method(&s, symbol->methods[i]);
    for (size_t i = 0; i < symbol->n_fields; i++)
        see_type(&s, symbol->fields[i].type);
    return s;
}

/* Includes the headers that declare the types used. */
static void include_types(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s, const struct seen *used)
{
    struct seen packages = {.arena = e->arena};

    portolan_text_add(t, "#include \"sidl.h\"\n#include \"%s__types.h\"\n", s->package->c_name);
    see(&packages, s->package);
    for (size_t i = 0; i < used->count; i++)
        if (see(&packages, used->list[i]->package))
            portolan_text_add(t, "#include \"%s__types.h\"\n", used->list[i]->package->c_name);
}

/* Structs */

/* Returns whether the raw array lies in the struct: all extents are constant. Others are pointers.
 */
static bool is_inside(const struct portolan_sidl_type *type)
{
    for (size_t i = 0; i < type->n_extents; i++)
        if (type->extents[i]->op != PORTOLAN_SIDL_OP_INTEGER)
            return false;
    return type->kind == PORTOLAN_SIDL_RARRAY;
}

static void put_field(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_field *f)
{
    const bool is_rarray = f->type->kind == PORTOLAN_SIDL_RARRAY, is_array = is_inside(f->type);

    emit_comment(t, f->comment, 4);
    portolan_text_add(t, "    %s%s%s", c_value(e->arena, is_rarray ? f->type->element : f->type),
                      is_rarray && !is_array ? "*" : "", f->name);
    for (size_t i = 0; is_array && i < f->type->n_extents; i++)
        portolan_text_add(t, "%s%lld", i ? " * " : "[", (long long)f->type->extents[i]->integer);
    portolan_text_add(t, "%s;\n", is_array ? "]" : "");
}

static bool is_owned(const struct portolan_sidl_field *f)
{
    return f->type->kind == PORTOLAN_SIDL_STRING || f->type->kind == PORTOLAN_SIDL_ARRAY ||
           f->type->kind == PORTOLAN_SIDL_OBJECT || f->type->kind == PORTOLAN_SIDL_STRUCT;
}

/* Releases what the field owns; raw arrays, for example, belong to others. */
static void put_destroyed_field(struct portolan_text *t, const struct portolan_sidl_field *f)
{
    if (f->type->kind == PORTOLAN_SIDL_STRING)
        emit_named(t, f->name, "    sidl_String_free(strct->@);\n    strct->@ = NULL;\n");
    else if (f->type->kind == PORTOLAN_SIDL_ARRAY)
        emit_named(t, f->name,
                   "    sidl__array_deleteRef((struct sidl__array *)strct->@);\n"
                   "    strct->@ = NULL;\n");
    else if (f->type->kind == PORTOLAN_SIDL_OBJECT)
        emit_named(t, f->name, "    sidl_reference_delete(strct->@, _ex);\n    strct->@ = NULL;\n");
    else if (f->type->kind == PORTOLAN_SIDL_STRUCT)
        portolan_text_add(t, "    %s__destroy(&strct->%s, _ex);\n", f->type->symbol->c_name,
                          f->name);
}

static void put_destroy(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    bool owns = false;

    emit_named(t, s->c_name,
               "\n/** Frees what the fields own, and makes these NULL; not the struct. */\n"
               "static inline void @__destroy(struct @__data *strct, sidl_BaseInterface *_ex)\n"
               "{\n");
    for (size_t i = 0; i < s->n_fields; i++) {
        put_destroyed_field(t, &s->fields[i]);
        owns |= is_owned(&s->fields[i]);
    }
    portolan_text_add(t, "%s    *_ex = NULL;\n}\n", owns ? "" : "    (void)strct;\n");
}

/* Copies a field; sets `failed` if memory is out. */
static void put_copied_field(struct emitter *e, struct portolan_text *t,
                             const struct portolan_sidl_field *f)
{
    static const char check[] = "    failed |= src->@ && !dest->@;\n";

    if (f->type->kind == PORTOLAN_SIDL_STRING) {
        emit_named(t, f->name, "    dest->@ = sidl_String_strdup(src->@);\n");
        emit_named(t, f->name, check);
    } else if (f->type->kind == PORTOLAN_SIDL_ARRAY) {
        portolan_text_add(
            t, "    dest->%s = (%s)sidl__array_smartCopy((struct sidl__array *)src->%s);\n",
            f->name, c_value(e->arena, f->type), f->name);
        emit_named(t, f->name, check);
    } else if (f->type->kind == PORTOLAN_SIDL_OBJECT) {
        emit_named(t, f->name, "    sidl_reference_add(src->@, NULL);\n");
    } else if (f->type->kind == PORTOLAN_SIDL_STRUCT) {
        portolan_text_add(t,
                          "    %s__copy(&src->%s, &dest->%s, _ex);\n    failed |= *_ex != NULL;\n",
                          f->type->symbol->c_name, f->name, f->name);
    }
}

static void put_copy(struct emitter *e, struct portolan_text *t,
                     const struct portolan_sidl_symbol *s)
{
    bool may_fail = false;

    for (size_t i = 0; i < s->n_fields; i++)
        may_fail |= is_owned(&s->fields[i]) && s->fields[i].type->kind != PORTOLAN_SIDL_OBJECT;
    portolan_text_add(t,
                      "\n/**\n * DEST, whose former content is not looked at, becomes a copy that "
                      "owns its fields%s.\n */\n",
                      may_fail ? ";\n * none is left when *_ex says that memory is out" : "");
    emit_named(t, s->c_name,
               "static inline void @__copy(const struct @__data *src, struct @__data *dest,\n"
               "    sidl_BaseInterface *_ex)\n{\n");
    portolan_text_add(t, "%s    *_ex = NULL;\n    *dest = *src;\n",
                      may_fail ? "    sidl_bool failed = FALSE;\n\n" : "");
    for (size_t i = 0; i < s->n_fields; i++)
        put_copied_field(e, t, &s->fields[i]);
    if (may_fail)
        emit_named(t, s->c_name,
                   "    if (!failed)\n        return;\n    @__destroy(dest, _ex);\n"
                   "    sidl_exception_throw_no_memory(_ex);\n");
    portolan_text_add(t, "}\n");
}

/* The data, and Babel's helpers __init, __copy and __destroy. */
static void put_struct(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s)
{
    const struct seen used = emit_types_used(e, s);
    struct seen nested = {.arena = e->arena};

    include_types(e, t, s, &used);
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_STRUCT &&
            see(&nested, s->fields[i].type->symbol))
            portolan_text_add(t, "#include \"%s.h\"\n", s->fields[i].type->symbol->c_name);
    emit_begin_c(t);
    portolan_text_add(t, "\nstruct %s__data {\n", s->c_name);
    for (size_t i = 0; i < s->n_fields; i++)
        put_field(e, t, &s->fields[i]);
    if (s->n_fields == 0)
        portolan_text_add(t, "    char d__none; /* no fields; C wants a member */\n");
    emit_named(t, s->c_name,
               "};\n\n/** All zero and NULL. */\n"
               "static inline void @__init(struct @__data *strct)\n{\n"
               "    memset(strct, 0, sizeof *strct);\n}\n");
    put_destroy(t, s);
    put_copy(e, t, s);
    emit_end_c(t);
}

/* Interfaces and classes */

void emit_slot(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m,
               const char *self)
{
    const char *name = portolan_arena_printf(e->arena, "(*f_%s)", m->slot_name);

    emit_wrapped(e, t, 8, "    %s;", c_function(e->arena, m, C_SLOT, name, self));
}

static void put_epv(struct emitter *e, struct portolan_text *t,
                    const struct portolan_sidl_symbol *symbol)
{
    portolan_text_add(t, "\nstruct %s__epv {\n", symbol->c_name);
    for (size_t i = 0; i < symbol->n_slots; i++)
        emit_slot(e, t, symbol->slots[i], "void *self");
    if (symbol->n_slots == 0)
        portolan_text_add(t, "    sidl_slot_fn f__none; /* no methods; C wants a member */\n");
    portolan_text_add(t, "};\n");
}

static void put_object(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_symbol *s)
{
    const struct seen used = emit_types_used(e, s);

    include_types(e, t, s, &used);
    for (size_t i = 0; i < used.count; i++) /* passed by value: must be complete before the stubs */
        if (used.list[i]->kind == PORTOLAN_SIDL_STRUCTURE)
            portolan_text_add(t, "#include \"%s.h\"\n", used.list[i]->c_name);
    emit_begin_c(t);
    put_epv(e, t, s);
    emit_named(t, s->c_name,
               "\nstruct @__object {\n    const struct @__epv *d_epv;\n    void *d_object;\n};\n");
    portolan_text_add(t, "\nSIDL_REFERENCE_API(%s, \"%s\")\nSIDL_OBJECT_ARRAY_API(%s)\n", s->c_name,
                      s->full_name, s->c_name);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        portolan_text_add(t, "SIDL_CLASS_API(%s, \"%s\")\n", s->c_name, s->full_name);
    if (s->kind == PORTOLAN_SIDL_CLASS && !(s->flags & PORTOLAN_SIDL_ABSTRACT))
        emit_named(t, s->c_name,
                   "\n/** A new one, the caller's; NULL with *_ex set when that fails. */\n"
                   "SIDL_API @ @__create(sidl_BaseInterface *_ex);\n"
                   "/** The same around DATA, the class's private data, which stays the "
                   "caller's. */\n"
                   "SIDL_API @ @__wrapObj(void *data, sidl_BaseInterface *_ex);\n");
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
/* Elements of enum arrays are long. */
static void put_enum_array(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "#include \"%s__types.h\"\n", s->package->c_name);
    emit_begin_c(t);
    portolan_text_add(t, "\nSIDL_PLAIN_ARRAY_API(%s, int64_t, sidl_long_array)\n", s->c_name);
    emit_end_c(t);
}

void emit_type_header(struct emitter *e, const struct portolan_sidl_symbol *type)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.h", type->c_name), type);

    emit_comment(t, type->comment, 0);
    emit_begin_guard(t, type->c_name);
    if (type->kind == PORTOLAN_SIDL_ENUMERATION)
        put_enum_array(t, type);
    else if (type->kind == PORTOLAN_SIDL_STRUCTURE)
        put_struct(e, t, type);
    else
        put_object(e, t, type);
    emit_end_guard(t);
}

static void put_enum(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "\n");
    emit_comment(t, s->comment, 0);
    portolan_text_add(t, "enum %s__enum {\n", s->c_name);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        emit_comment(t, s->enumerators[i].comment, 4);
        portolan_text_add(t, "    %s_%s = %lld,\n", s->c_name, s->enumerators[i].name,
                          (long long)s->enumerators[i].value);
    }
    emit_named(t, s->c_name,
               "};\nstruct @__array;\nSIDL_API extern const struct sidl_type @__type;\n");
}

/* sidl.h already declares these two for their package's header: C99 forbids a second typedef. */
static bool is_named_by_runtime(const struct portolan_sidl_symbol *s)
{
    return strcmp(s->c_name, "sidl_ClassInfo") == 0 || strcmp(s->c_name, "sidl_BaseException") == 0;
}

static void emit_types_header(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    const char *name = portolan_arena_printf(e->arena, "%s__types", package->c_name);
    struct portolan_text *t = emit_open(e, portolan_arena_printf(e->arena, "%s.h", name), package);

    emit_begin_guard(t, name);
    portolan_text_add(t, "#include \"sidl.h\"\n");
    emit_begin_c(t);
    portolan_text_add(t, "\n");
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (emit_is_handwritten(s))
            continue;
        if (symbol_is_object(s) && !is_named_by_runtime(s))
            emit_named(t, s->c_name, "typedef struct @__object *@;\n");
        if (symbol_is_object(s) || s->kind == PORTOLAN_SIDL_STRUCTURE)
            portolan_text_add(t,
                              "struct %s__%s;\nSIDL_API extern const struct sidl_type %s__type;\n",
                              s->c_name, symbol_is_object(s) ? "array" : "data", s->c_name);
    }
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_ENUMERATION)
            put_enum(t, package->children[i]);
    emit_named(t, package->c_name, "\nSIDL_API extern const struct sidl_package @__package;\n");
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

/* Includes the headers of nested packages; packages without types have none, but theirs may. */
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
    t = emit_open(e, emit_package_header(e->arena, package), package);
    emit_comment(t, package->comment, 0);
    emit_begin_guard(t, package->c_name);
    portolan_text_add(t, "#include \"%s__types.h\"\n", package->c_name);
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind != PORTOLAN_SIDL_PACKAGE)
            portolan_text_add(t, "#include \"%s.h\"\n", package->children[i]->c_name);
    include_nested(t, package);
    emit_end_guard(t);
}
