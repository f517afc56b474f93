/* SPDX-License-Identifier: BSD-3-Clause */
/* One C file per package: the tables of its types. */
#include "emit.h"

static const char *kind_constant(const struct portolan_sidl_symbol *s)
{
    switch (s->kind) {
    case PORTOLAN_SIDL_CLASS:
        return "SIDL_CLASS";
    case PORTOLAN_SIDL_ENUMERATION:
        return "SIDL_ENUM";
    case PORTOLAN_SIDL_STRUCTURE:
        return "SIDL_STRUCT";
    default:
        return "SIDL_INTERFACE";
    }
}

/* Names several on a line. */
static void emit_methods(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    size_t column = 4;

    portolan_text_add(t, "static const struct sidl_method %s__methods[] = {\n    ", s->c_name);
    for (size_t i = 0; i < s->n_slots; i++) {
        const size_t before = t->length;

        portolan_text_add(t, "{\"%s\"},%s", s->slots[i]->slot_name, i + 1 < s->n_slots ? " " : "");
        column += t->length - before;
        if (column > 76 && i + 1 < s->n_slots) {
            t->length--; /* the blank */
            portolan_text_add(t, "\n    ");
            column = 4;
        }
    }
    portolan_text_add(t, "\n};\n");
}

static void emit_parents(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    portolan_text_add(t, "static const struct sidl_type *const %s__parents[] = {", s->c_name);
    for (size_t i = 0; i < symbol_n_parents(s); i++)
        portolan_text_add(t, "%s&%s__type", i ? ", " : "", symbol_parent(s, i)->symbol->c_name);
    if (s->kind == PORTOLAN_SIDL_CLASS && s->n_extends == 0)
        portolan_text_add(t, "%s&sidl_BaseClass__type", s->n_implements ? ", " : "");
    portolan_text_add(t, "};\n");
}

static void emit_type(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    const bool is_root = s->kind == PORTOLAN_SIDL_CLASS && s->n_extends == 0;
    const size_t n_parents = symbol_n_parents(s) + is_root;

    portolan_text_add(t, "\n");
    if (s->n_slots)
        emit_methods(t, s);
    if (n_parents)
        emit_parents(t, s);
    portolan_text_add(
        t, "const struct sidl_type %s__type = {\n    .name = \"%s\",\n    .version = \"%s\",\n",
        s->c_name, s->full_name, s->version);
    portolan_text_add(t, "    .kind = %s,\n", kind_constant(s));
    if (n_parents)
        portolan_text_add(t, "    .parents = %s__parents,\n    .n_parents = %zu,\n", s->c_name,
                          n_parents);
    if (s->n_slots)
        portolan_text_add(t, "    .methods = %s__methods,\n    .n_methods = %zu,\n", s->c_name,
                          s->n_slots);
    portolan_text_add(t, "};\n");
    if (s->kind == PORTOLAN_SIDL_CLASS)
        portolan_text_add(t,
                          "\n%s %s__create(sidl_BaseInterface *_ex)\n{\n"
                          "    return (%s)sidl_exception_create(&%s__type, _ex);\n}\n",
                          s->c_name, s->c_name, s->c_name, s->c_name);
}

void emit_package_tables(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.c", package->c_name), true, package);

    portolan_text_add(t, "#include \"%s\"\n", emit_package_header(e->arena, package));
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (s->kind != PORTOLAN_SIDL_PACKAGE && !emit_is_handwritten(s))
            emit_type(t, s);
    }
}
