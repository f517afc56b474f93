/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A_B_C_Skel.c: what joins a class's implementation to the run time. Functions of the Impl file
 * stand in the table themselves; only what they see otherwise than the table does (raw arrays,
 * arrays of a wanted order, enums as results) needs a function between.
 */
#include "emit.h"

struct skel {
    struct emitter *e;
    struct portolan_text *t;
    const struct portolan_sidl_symbol *s;
    struct bodies bodies;
};

static bool is_ordered(const struct portolan_sidl_type *type)
{
    return type->kind == PORTOLAN_SIDL_ARRAY && type->order != PORTOLAN_SIDL_ANY_ORDER;
}

static bool needs_adapter(const struct portolan_sidl_method *m)
{
    if (m->result->kind == PORTOLAN_SIDL_ENUM || is_ordered(m->result))
        return true;
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].type->kind == PORTOLAN_SIDL_RARRAY || is_ordered(m->arguments[i].type))
            return true;
    return false;
}

static const char *order_constant(const struct portolan_sidl_type *type)
{
    return type->order == PORTOLAN_SIDL_ROW_MAJOR ? "sidl_row_major_order"
                                                  : "sidl_column_major_order";
}

/* Puts the array PLACE in order; it is the callee's to replace. */
static void emit_order(struct skel *k, const struct portolan_sidl_type *type, const char *place)
{
    portolan_text_add(k->t,
                      "    %s = (%s)sidl__array_put_in_order((struct sidl__array *)%s, %d,\n"
                      "        %s);\n",
                      place, c_value(k->e->arena, type), place, type->dimension,
                      order_constant(type));
}

/* What an out or inout argument points to. */
static const char *target_of(struct skel *k, const struct portolan_sidl_argument *a)
{
    return portolan_arena_printf(k->e->arena, "*%s", a->name);
}

/* Something is to be done when the implementation has returned. */
static bool has_after(const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (is_ordered(m->arguments[i].type))
            return true;
    return is_ordered(m->result);
}

static void emit_before(struct skel *k, const struct portolan_sidl_method *m)
{
    bool has_lines = false;

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const char *type = is_ordered(a->type) ? c_value(k->e->arena, a->type) : NULL;

        if (type && a->mode == PORTOLAN_SIDL_IN)
            portolan_text_add(k->t,
                              "    %s%s__ordered =\n"
                              "        (%s)sidl__array_in_order((struct sidl__array *)%s, %d,\n"
                              "            %s);\n",
                              type, a->name, type, a->name, a->type->dimension,
                              order_constant(a->type));
        has_lines |= type && a->mode == PORTOLAN_SIDL_IN;
    }
    if (m->result->kind != PORTOLAN_SIDL_VOID && has_after(m)) {
        portolan_text_add(k->t, "    %sresult__;\n", c_result(k->e->arena, m, C_SLOT));
        has_lines = true;
    }
    if (has_lines)
        portolan_text_add(k->t, "\n");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (is_ordered(m->arguments[i].type) && m->arguments[i].mode == PORTOLAN_SIDL_INOUT)
            emit_order(k, m->arguments[i].type, target_of(k, &m->arguments[i]));
}

static void emit_call(struct skel *k, const struct portolan_sidl_method *m)
{
    const bool is_static = m->flags & PORTOLAN_SIDL_STATIC;
    struct portolan_text line = {.arena = k->e->arena};
    bool is_first = is_static;

    portolan_text_add(&line, "    %s",
                      m->result->kind == PORTOLAN_SIDL_VOID ? ""
                      : has_after(m)                        ? "result__ = "
                                                            : "return ");
    if (m->result->kind == PORTOLAN_SIDL_ENUM)
        portolan_text_add(&line, "(enum %s__enum)", m->result->symbol->c_name);
    portolan_text_add(&line, "impl_%s_%s(", k->s->c_name, m->slot_name);
    if (!is_static)
        portolan_text_add(&line, "(%s)self", k->s->c_name);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const size_t length = portolan_sidl_epv_value(m, a, NULL, 0) + 1;
        char *value = portolan_arena_alloc(k->e->arena, length, 1);

        portolan_sidl_epv_value(m, a, value, length);
        portolan_text_add(&line, "%s%s%s", is_first ? "" : ", ", value,
                          a->type->kind == PORTOLAN_SIDL_RARRAY                ? "->d_firstElement"
                          : is_ordered(a->type) && a->mode == PORTOLAN_SIDL_IN ? "__ordered"
                                                                               : "");
        is_first = false;
    }
    portolan_text_add(&line, "%s_ex);", is_first ? "" : ", ");
    emit_wrapped(k->t, line.bytes, 8);
}

/* On exceptions, outputs are undefined and not looked at. */
static void emit_after(struct skel *k, const struct portolan_sidl_method *m)
{
    bool has_outputs = is_ordered(m->result);

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        if (!is_ordered(a->type))
            continue;
        has_outputs |= a->mode != PORTOLAN_SIDL_IN;
        if (a->mode == PORTOLAN_SIDL_IN)
            portolan_text_add(k->t,
                              "    if (%s__ordered != %s)\n"
                              "        sidl__array_deleteRef((struct sidl__array *)%s__ordered);\n",
                              a->name, a->name, a->name);
    }
    if (has_outputs)
        portolan_text_add(k->t, "    if (*_ex)\n        return%s;\n",
                          m->result->kind == PORTOLAN_SIDL_VOID ? "" : " result__");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (is_ordered(m->arguments[i].type) && m->arguments[i].mode != PORTOLAN_SIDL_IN)
            emit_order(k, m->arguments[i].type, target_of(k, &m->arguments[i]));
    if (is_ordered(m->result))
        emit_order(k, m->result, "result__");
}

static void emit_adapter(struct skel *k, const struct portolan_sidl_method *m)
{
    const bool is_static = m->flags & PORTOLAN_SIDL_STATIC;
    const char *name = portolan_arena_printf(k->e->arena, "skel_%s", m->slot_name);

    portolan_text_add(k->t, "\n");
    emit_wrapped(k->t,
                 portolan_arena_printf(
                     k->e->arena, "static %s",
                     c_function(k->e->arena, m, C_SLOT, name, is_static ? NULL : "void *self")),
                 4);
    portolan_text_add(k->t, "{\n");
    emit_before(k, m);
    emit_call(k, m);
    emit_after(k, m);
    portolan_text_add(
        k->t, "%s}\n",
        m->result->kind == PORTOLAN_SIDL_VOID || !has_after(m) ? "" : "    return result__;\n");
}

const char *skel_function(struct emitter *e, const struct portolan_sidl_symbol *s,
                          const struct portolan_sidl_method *m)
{
    return needs_adapter(m)
               ? portolan_arena_printf(e->arena, "skel_%s", m->slot_name)
               : portolan_arena_printf(e->arena, "impl_%s_%s", s->c_name, m->slot_name);
}

static const char *function_of(struct skel *k, const struct portolan_sidl_method *m)
{
    return skel_function(k->e, k->s, m);
}

/* The class's own table; what it inherits stays NULL for the run time. */
static void emit_slots(struct skel *k)
{
    const struct portolan_sidl_symbol *s = k->s;

    portolan_text_add(k->t, "\nstatic const sidl_slot_fn slots[] = {\n");
    for (size_t i = 0; i < s->n_slots; i++)
        if (class_defines(s, s->slots[i]))
            portolan_text_add(k->t, "    (sidl_slot_fn)%s,\n", function_of(k, s->slots[i]));
        else
            portolan_text_add(k->t, "    NULL, /* %s */\n", s->slots[i]->slot_name);
    if (s->n_slots == 0)
        portolan_text_add(k->t, "    NULL, /* no methods; C wants an entry */\n");
    portolan_text_add(k->t, "};\n");
}

static bool emit_statics_table(struct skel *k)
{
    bool has_any = false;

    for (size_t i = 0; i < k->bodies.count; i++) {
        const struct portolan_sidl_method *m = k->bodies.list[i];

        if (!(m->flags & PORTOLAN_SIDL_STATIC))
            continue;
        if (!has_any)
            portolan_text_add(k->t, "\nstatic const struct %s__sepv statics = {\n", k->s->c_name);
        has_any = true;
        portolan_text_add(k->t, "    .f_%s = %s,\n", m->slot_name, function_of(k, m));
    }
    if (has_any)
        portolan_text_add(k->t, "};\n");
    return has_any;
}

/* The method of S that is M `from` an interface, under another name; NULL when there is none. */
static const struct portolan_sidl_method *renamed(const struct portolan_sidl_symbol *s,
                                                  const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < s->n_methods; i++)
        if (s->methods[i]->from && method_origin(s->methods[i]) == m)
            return s->methods[i];
    return NULL;
}

static bool has_renamed(const struct portolan_sidl_symbol *s,
                        const struct portolan_sidl_symbol *interface)
{
    for (size_t i = 0; i < interface->n_slots; i++)
        if (renamed(s, interface->slots[i]))
            return true;
    return false;
}

/* The interfaces of S, and their parents, that need tables of their own. */
static void see_renamed(struct seen *seen, const struct portolan_sidl_symbol *class,
                        const struct portolan_sidl_symbol *s, size_t walk)
{
    for (size_t i = 0; i < symbol_n_parents(s); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(s, i)->symbol;

        if (parent->kind != PORTOLAN_SIDL_INTERFACE || parent->own.visit == walk)
            continue;
        ((struct portolan_sidl_symbol *)parent)->own.visit = walk;
        if (has_renamed(class, parent))
            see(seen, parent);
        see_renamed(seen, class, parent, walk);
    }
}

/* The table of an interface with renamed methods; the others are the run time's to fill in. */
static void emit_renamed(struct skel *k, const struct portolan_sidl_symbol *interface)
{
    portolan_text_add(k->t, "\nstatic const sidl_slot_fn as_%s[] = {\n", interface->c_name);
    for (size_t i = 0; i < interface->n_slots; i++) {
        const struct portolan_sidl_method *own = renamed(k->s, interface->slots[i]);

        if (own && class_defines(k->s, own))
            portolan_text_add(k->t, "    (sidl_slot_fn)%s, /* %s */\n", function_of(k, own),
                              interface->slots[i]->slot_name);
        else
            portolan_text_add(k->t, "    NULL, /* %s */\n", interface->slots[i]->slot_name);
    }
    portolan_text_add(k->t, "};\n");
}

static void emit_implements(struct skel *k)
{
    struct seen seen = {.arena = k->e->arena};

    see_renamed(&seen, k->s, k->s, walk_begin());
    for (size_t i = 0; i < seen.count; i++)
        emit_renamed(k, seen.list[i]);
    portolan_text_add(k->t,
                      "\nstatic const struct sidl_implements implements[] = {\n"
                      "    {&%s__type, slots},\n",
                      k->s->c_name);
    for (size_t i = 0; i < seen.count; i++)
        portolan_text_add(k->t, "    {&%s__type, as_%s},\n", seen.list[i]->c_name,
                          seen.list[i]->c_name);
    portolan_text_add(k->t, "};\n");
}

static bool overrides_any(const struct skel *k)
{
    bool any = false;

    for (size_t i = 0; i < k->bodies.count; i++)
        any |= class_overrides(k->s, k->bodies.list[i]);
    return any;
}

static void emit_class(struct skel *k, bool has_statics, bool has_hooks)
{
    const struct portolan_sidl_symbol *s = k->s, *parent = class_parent(s);
    const char *name = s->c_name;
    struct portolan_text *t = k->t;

    portolan_text_add(t,
                      "\nstatic struct sidl_class_state state;\n"
                      "static const struct sidl_class class = {\n    .name = \"%s\",\n"
                      "    .version = \"%s\",\n    .size = sizeof(struct sidl_object),\n"
                      "    .implements = implements,\n"
                      "    .n_implements = sizeof implements / sizeof *implements,\n",
                      s->full_name, s->version);
    if (parent)
        portolan_text_add(t, "    .extends = %s__externals,\n    .extends_name = \"%s\",\n",
                          parent->c_name, parent->full_name);
    portolan_text_add(
        t,
        "    .type = &%s__type,\n    .load = impl_%s__load,\n"
        "    .ctor = (void (*)(void *, sidl_BaseInterface *))impl_%s__ctor,\n"
        "    .ctor2 = (void (*)(void *, void *, sidl_BaseInterface *))impl_%s__ctor2,\n"
        "    .dtor = (void (*)(void *, sidl_BaseInterface *))impl_%s__dtor,\n",
        name, name, name, name, name);
    if (overrides_any(k))
        portolan_text_add(t, "    .super = (void (*)(const void *))%s__superEPV,\n", name);
    if (has_hooks)
        portolan_text_add(t, "    .hooks = hooks,\n    .n_hooks = sizeof hooks / sizeof *hooks,\n");
    portolan_text_add(t, "%s    .state = &state,\n};\n",
                      has_statics ? "    .statics = &statics,\n"
                                    "    .n_statics = sizeof statics / sizeof(sidl_slot_fn),\n"
                                  : "");
    portolan_text_add(t,
                      "\nSIDL_API const struct sidl_class *%s__externals(void);\n"
                      "const struct sidl_class *%s__externals(void)\n{\n    return &class;\n}\n",
                      name, name);
}

/* The place of a class's private data in its objects. */
static size_t depth_of(const struct portolan_sidl_symbol *s)
{
    size_t depth = 0;

    while ((s = class_parent(s)))
        depth++;
    return depth;
}

void emit_skel(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct skel k = {e,
                     emit_open(e, portolan_arena_printf(e->arena, "%s_Skel.c", s->c_name), true, s),
                     s, class_bodies(e->arena, s)};
    const struct portolan_sidl_symbol *parent = class_parent(s);
    bool has_statics, has_hooks;

    if (emit_is_component(s)) /* whose header the generated code includes, not this room */
        portolan_text_add(k.t, "#include <portolan/%s.h>\n\n", "framework");
    portolan_text_add(k.t, "#include \"%s_Impl.h\"\n", s->c_name);
    if (e->options->hooks)
        portolan_text_add(k.t, "#include \"sidl_contract.h\"\n");
    if (parent)
        portolan_text_add(k.t,
                          "\n__attribute__((weak)) const struct sidl_class *%s__externals(void);\n",
                          parent->c_name);
    for (size_t i = 0; i < k.bodies.count; i++)
        if (needs_adapter(k.bodies.list[i]))
            emit_adapter(&k, k.bodies.list[i]);
    emit_slots(&k);
    has_statics = emit_statics_table(&k);
    has_hooks = emit_hooks(e, k.t, s, &k.bodies);
    emit_implements(&k);
    emit_class(&k, has_statics, has_hooks);
    portolan_text_add(k.t,
                      "\nstruct %s__data *%s__get_data(%s self)\n{\n"
                      "    return (struct %s__data *)sidl_object_data(self, %zu);\n}\n",
                      s->c_name, s->c_name, s->c_name, s->c_name, depth_of(s));
    portolan_text_add(k.t,
                      "\nvoid %s__set_data(%s self, struct %s__data *data)\n{\n"
                      "    sidl_object_set_data(self, %zu, data);\n}\n",
                      s->c_name, s->c_name, s->c_name, depth_of(s));
    if (emit_is_component(s))
        emit_component(e, k.t, s);
}
