/* SPDX-License-Identifier: BSD-3-Clause */
/* One C file per package: the tables of its types. */
#include "emit.h"

/* The names of all slots. */
static void put_methods(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_symbol *s)
{
    struct portolan_text names = {.arena = e->arena};

    for (size_t i = 0; i < s->n_slots; i++)
        portolan_text_add(&names, "{\"%s\"}, ", s->slots[i]->slot_name);
    emit_wrapped(e, t, 4,
                 "static const struct sidl_method %s__methods[] = {%sSIDL_END(%s__details)};",
                 s->c_name, names.bytes, s->c_name);
}

/* For a class, the class that it extends comes first; by default sidl.BaseClass. */
static void put_parents(struct portolan_text *t, const struct portolan_sidl_symbol *s, bool is_root)
{
    portolan_text_add(t, "static const struct sidl_type *const %s__parents[] = {%s", s->c_name,
                      is_root ? "&sidl_BaseClass__type" : "");
    for (size_t i = 0; i < symbol_n_parents(s); i++)
        portolan_text_add(t, "%s&%s__type", i || is_root ? ", " : "",
                          symbol_parent(s, i)->symbol->c_name);
    portolan_text_add(t, "};\n");
}

/* Returns whether callers access the class's code, which may be linked in or loaded at run time. */
static bool has_code(const struct portolan_sidl_symbol *s)
{
    return s->kind == PORTOLAN_SIDL_CLASS &&
           (symbol_has_statics(s) || !(s->flags & PORTOLAN_SIDL_ABSTRACT));
}

/* Functions that access it. */
static void put_access(struct portolan_text *t, const struct portolan_sidl_symbol *s)
{
    const bool has_statics = symbol_has_statics(s),
               has_objects = !(s->flags & PORTOLAN_SIDL_ABSTRACT);

    if (has_objects)
        emit_named(t, s->c_name,
                   "\n@ @__create(sidl_BaseInterface *_ex)\n{\n"
                   "    return (@)sidl_class_create(&@__type, @__externals, NULL, _ex);\n}\n"
                   "\n@ @__wrapObj(void *data, sidl_BaseInterface *_ex)\n{\n"
                   "    return (@)sidl_class_create(&@__type, @__externals, data, _ex);\n}\n");
    if (has_statics)
        emit_named(t, s->c_name,
                   "\nconst struct @__sepv *@__statics(sidl_BaseInterface *_ex)\n{\n"
                   "    static const void *known;\n\n"
                   "    return (const struct @__sepv *)sidl_class_statics_once(&@__type, "
                   "@__externals,\n        &known, _ex);\n}\n");
}

/* Returns whether it has a contract. */
static bool put_type(struct emitter *e, struct portolan_text *t,
                     const struct signatures *signatures, const struct portolan_sidl_symbol *s)
{
    static const char *const kinds[] = {
        [PORTOLAN_SIDL_INTERFACE] = "INTERFACE",
        [PORTOLAN_SIDL_CLASS] = "CLASS",
        [PORTOLAN_SIDL_ENUMERATION] = "ENUM",
        [PORTOLAN_SIDL_STRUCTURE] = "STRUCT",
    };
    const bool is_root = s->kind == PORTOLAN_SIDL_CLASS && s->n_extends == 0;
    const size_t n_parents = symbol_n_parents(s) + is_root;
    const char *contract = "";

    portolan_text_add(t, "\n");
    if (has_code(s))
        emit_named(t, s->c_name,
                   "__attribute__((weak)) const struct sidl_class *@__externals(void);\n");
    emit_details(e, t, signatures, s, has_code(s));
    if (s->n_slots)
        put_methods(e, t, s);
    if (n_parents)
        put_parents(t, s, is_root);
    if (symbol_is_object(s))
        contract = emit_contract(e, t, s);
    portolan_text_add(t,
                      "const struct sidl_type %s__type = {\n    .name = \"%s\",\n"
                      "    .version = \"%s\",\n    .kind = SIDL_%s,\n",
                      s->c_name, s->full_name, s->version, kinds[s->kind]);
    if (s->n_slots)
        portolan_text_add(t, "    .level = 1, .methods = %s__methods, .n_methods = %zu,\n",
                          s->c_name, s->n_slots);
    else
        portolan_text_add(t, "    .level = 1, SIDL_NO_METHODS(%s__details),\n", s->c_name);
    if (n_parents)
        portolan_text_add(t, "    .parents = %s__parents,\n    .n_parents = %zu,\n", s->c_name,
                          n_parents);
    portolan_text_add(t, "%s};\n", contract);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        put_access(t, s);
    return *contract;
}

void emit_package_tables(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t =
        emit_open(e, portolan_arena_printf(e->arena, "%s.c", package->c_name), package);
    struct portolan_text types = {.arena = e->arena};
    struct portolan_text before = {.arena = e->arena};
    const struct signatures signatures = emit_signatures(e, &before, package);
    bool has_contracts = false;

    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *s = package->children[i];

        if (s->kind != PORTOLAN_SIDL_PACKAGE && !emit_is_handwritten(s))
            has_contracts |= put_type(e, &types, &signatures, s);
    }
    emit_package_data(e, &types, &signatures);
    portolan_text_add(t, "#include \"%s\"\n#include \"sidl_call.h\"\n%s\n",
                      emit_package_header(e->arena, package),
                      has_contracts ? "#include \"sidl_contract.h\"\n" : "");
    portolan_text_add_bytes(t, before.bytes, before.length);
    portolan_text_add_bytes(t, types.bytes, types.length);
}
