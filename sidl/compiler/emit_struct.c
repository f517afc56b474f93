/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs: the data, and Babel's helpers __init, __copy and __destroy. */
#include "emit.h"

/* Fixed extents make the raw array part of the struct; others leave it to the caller. */
static bool is_inside(const struct portolan_sidl_type *type)
{
    for (size_t i = 0; i < type->n_extents; i++)
        if (type->extents[i]->op != PORTOLAN_SIDL_OP_INTEGER)
            return false;
    return type->kind == PORTOLAN_SIDL_RARRAY;
}

static void emit_field(struct emitter *e, struct portolan_text *t,
                       const struct portolan_sidl_field *f)
{
    if (f->type->kind != PORTOLAN_SIDL_RARRAY) {
        portolan_text_add(t, "    %s%s;\n", c_value(e->arena, f->type), f->name);
        return;
    }
    portolan_text_add(t, "    %s%s%s", c_value(e->arena, f->type->element),
                      is_inside(f->type) ? "" : "*", f->name);
    for (size_t i = 0; i < f->type->n_extents && is_inside(f->type); i++)
        portolan_text_add(t, "%s%lld", i ? " * " : "[", (long long)f->type->extents[i]->integer);
    portolan_text_add(t, "%s;\n", is_inside(f->type) ? "]" : "");
}

static bool is_owned(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_STRING || type->kind == PORTOLAN_SIDL_ARRAY ||
           type->kind == PORTOLAN_SIDL_OBJECT || type->kind == PORTOLAN_SIDL_STRUCT;
}

/* What a field does not own, a raw array above all, stays its owner's: it is not touched. */
static void emit_destroy_field(struct portolan_text *t, const struct portolan_sidl_field *f)
{
    switch (f->type->kind) {
    case PORTOLAN_SIDL_STRING:
        portolan_text_add(t, "    sidl_String_free(strct->%s);\n", f->name);
        break;
    case PORTOLAN_SIDL_ARRAY:
        portolan_text_add(t, "    sidl__array_deleteRef((struct sidl__array *)strct->%s);\n",
                          f->name);
        break;
    case PORTOLAN_SIDL_OBJECT:
        portolan_text_add(t, "    sidl_reference_delete(strct->%s, _ex);\n", f->name);
        break;
    case PORTOLAN_SIDL_STRUCT:
        portolan_text_add(t, "    %s__destroy(&strct->%s, _ex);\n", f->type->symbol->c_name,
                          f->name);
        return;
    default:
        return;
    }
    portolan_text_add(t, "    strct->%s = NULL;\n", f->name);
}

/* Fields that may lack memory make `failed` true. */
static void emit_copy_field(struct emitter *e, struct portolan_text *t,
                            const struct portolan_sidl_field *f)
{
    switch (f->type->kind) {
    case PORTOLAN_SIDL_STRING:
        portolan_text_add(t, "    dest->%s = sidl_String_strdup(src->%s);\n", f->name, f->name);
        portolan_text_add(t, "    failed |= src->%s && !dest->%s;\n", f->name, f->name);
        break;
    case PORTOLAN_SIDL_ARRAY:
        portolan_text_add(t,
                          "    dest->%s = (%s)sidl__array_smartCopy((struct sidl__array *)"
                          "src->%s);\n",
                          f->name, c_value(e->arena, f->type), f->name);
        portolan_text_add(t, "    failed |= src->%s && !dest->%s;\n", f->name, f->name);
        break;
    case PORTOLAN_SIDL_OBJECT:
        portolan_text_add(t, "    sidl_reference_add(src->%s, NULL);\n", f->name);
        break;
    case PORTOLAN_SIDL_STRUCT:
        portolan_text_add(t,
                          "    %s__copy(&src->%s, &dest->%s, _ex);\n    failed |= *_ex != NULL;\n",
                          f->type->symbol->c_name, f->name, f->name);
        break;
    default:
        break;
    }
}

static void emit_init(struct portolan_text *t, const char *name)
{
    portolan_text_add(t,
                      "\n/** All zero and NULL. */\n"
                      "static inline void %s__init(struct %s__data *strct)\n{\n"
                      "    memset(strct, 0, sizeof *strct);\n}\n",
                      name, name);
}

static void emit_destroy(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    bool owns = false;

    portolan_text_add(t,
                      "\n/** Frees what the fields own, and makes these NULL; not the struct. */\n"
                      "static inline void %s__destroy(struct %s__data *strct, "
                      "sidl_BaseInterface *_ex)\n{\n",
                      s->c_name, s->c_name);
    for (size_t i = 0; i < s->n_fields; i++) {
        emit_destroy_field(t, &s->fields[i]);
        owns |= is_owned(s->fields[i].type);
    }
    portolan_text_add(t,
                      owns ? "    *_ex = NULL;\n}\n" : "    (void)strct;\n    *_ex = NULL;\n}\n");
}

static void emit_copy(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_symbol *s)
{
    bool may_fail = false;

    for (size_t i = 0; i < s->n_fields; i++)
        may_fail |= is_owned(s->fields[i].type) && s->fields[i].type->kind != PORTOLAN_SIDL_OBJECT;
    portolan_text_add(t,
                      "\n/**\n * DEST, whose former content is not looked at, becomes a copy that "
                      "owns its fields%s.\n */\n"
                      "static inline void %s__copy(const struct %s__data *src, struct %s__data "
                      "*dest,\n    sidl_BaseInterface *_ex)\n{\n",
                      may_fail ? ";\n * none is left when *_ex says that memory is out" : "",
                      s->c_name, s->c_name, s->c_name);
    if (may_fail)
        portolan_text_add(t, "    sidl_bool failed = FALSE;\n\n");
    portolan_text_add(t, "    *_ex = NULL;\n    *dest = *src;\n");
    for (size_t i = 0; i < s->n_fields; i++)
        emit_copy_field(e, t, &s->fields[i]);
    if (may_fail)
        portolan_text_add(t,
                          "    if (!failed)\n        return;\n    %s__destroy(dest, _ex);\n"
                          "    sidl_exception_throw_no_memory(_ex);\n",
                          s->c_name);
    portolan_text_add(t, "}\n");
}

void emit_struct_header(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_symbol *s)
{
    struct seen used = {.arena = e->arena}, packages = {.arena = e->arena};
    struct seen nested = {.arena = e->arena};

    for (size_t i = 0; i < s->n_fields; i++)
        see_type(&used, s->fields[i].type);
    portolan_text_add(t, "#include \"sidl.h\"\n#include \"%s__types.h\"\n", s->package->c_name);
    see(&packages, s->package);
    for (size_t i = 0; i < used.count; i++)
        if (see(&packages, used.list[i]->package))
            portolan_text_add(t, "#include \"%s__types.h\"\n", used.list[i]->package->c_name);
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_STRUCT &&
            see(&nested, s->fields[i].type->symbol))
            portolan_text_add(t, "#include \"%s.h\"\n", s->fields[i].type->symbol->c_name);
    emit_begin_c(t);
    portolan_text_add(t, "\nstruct %s__data {\n", s->c_name);
    for (size_t i = 0; i < s->n_fields; i++) {
        emit_comment(t, s->fields[i].comment, 4);
        emit_field(e, t, &s->fields[i]);
    }
    if (s->n_fields == 0)
        portolan_text_add(t, "    char d__none; /* no fields; C wants a member */\n");
    portolan_text_add(t, "};\n");
    emit_init(t, s->c_name);
    emit_destroy(t, s);
    emit_copy(e, t, s);
    emit_end_c(t);
}
