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

static size_t n_parents(const struct portolan_sidl_symbol *s)
{
    return symbol_n_parents(s) + (s->kind == PORTOLAN_SIDL_CLASS && s->n_extends == 0);
}

/* Of a class, the one that it extends comes first. */
static void emit_parents(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    const bool is_root = s->kind == PORTOLAN_SIDL_CLASS && s->n_extends == 0;

    portolan_text_add(t, "static const struct sidl_type *const %s__parents[] = {%s", s->c_name,
                      is_root ? "&sidl_BaseClass__type" : "");
    for (size_t i = 0; i < symbol_n_parents(s); i++)
        portolan_text_add(t, "%s&%s__type", i || is_root ? ", " : "",
                          symbol_parent(s, i)->symbol->c_name);
    portolan_text_add(t, "};\n");
}

static void emit_statics_access(struct portolan_text *t, const char *name)
{
    portolan_text_add(t,
                      "\nconst struct %s__sepv *%s__statics(sidl_BaseInterface *_ex)\n{\n"
                      "    static const void *known;\n\n"
                      "    return (const struct %s__sepv *)sidl_class_statics_once(&%s__type, "
                      "%s__externals,\n        &known, _ex);\n}\n",
                      name, name, name, name, name);
}

/* What belongs to a class whose code is somewhere: linked to this file, or to be loaded. */
static void emit_access(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    const char *name = s->c_name;
    bool has_statics = false;

    for (size_t i = 0; i < s->n_methods; i++)
        has_statics |= (s->methods[i]->flags & PORTOLAN_SIDL_STATIC) != 0;
    if (has_statics || !(s->flags & PORTOLAN_SIDL_ABSTRACT))
        portolan_text_add(
            t, "\n__attribute__((weak)) const struct sidl_class *%s__externals(void);\n", name);
    if (!(s->flags & PORTOLAN_SIDL_ABSTRACT)) {
        portolan_text_add(t,
                          "\n%s %s__create(sidl_BaseInterface *_ex)\n{\n"
                          "    return (%s)sidl_class_create(&%s__type, %s__externals, NULL, _ex);\n"
                          "}\n",
                          name, name, name, name, name);
        portolan_text_add(t,
                          "\n%s %s__wrapObj(void *data, sidl_BaseInterface *_ex)\n{\n"
                          "    return (%s)sidl_class_create(&%s__type, %s__externals, data, _ex);\n"
                          "}\n",
                          name, name, name, name, name);
    }
    if (has_statics)
        emit_statics_access(t, name);
}

static void emit_type(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_symbol *s)
{
    const char *contract = "";

    portolan_text_add(t, "\n");
    if (s->n_slots)
        emit_methods(t, s);
    if (n_parents(s))
        emit_parents(t, s);
    if (symbol_is_object(s))
        contract = emit_contract(e, t, s);
    portolan_text_add(
        t, "const struct sidl_type %s__type = {\n    .name = \"%s\",\n    .version = \"%s\",\n",
        s->c_name, s->full_name, s->version);
    portolan_text_add(t, "    .kind = %s,\n", kind_constant(s));
    if (n_parents(s))
        portolan_text_add(t, "    .parents = %s__parents,\n    .n_parents = %zu,\n", s->c_name,
                          n_parents(s));
    if (s->n_slots)
        portolan_text_add(t, "    .methods = %s__methods,\n    .n_methods = %zu,\n", s->c_name,
                          s->n_slots);
    portolan_text_add(t, "%s};\n", contract);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        emit_access(t, s);
}

void emit_package_tables(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.c", package->c_name), true, package);

    portolan_text_add(t, "#include \"%s\"\n", emit_package_header(e->arena, package));
    if (emit_has_contracts(e, package))
        portolan_text_add(t, "#include \"sidl_contract.h\"\n");
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (s->kind != PORTOLAN_SIDL_PACKAGE && !emit_is_handwritten(s))
            emit_type(e, t, s);
    }
}
