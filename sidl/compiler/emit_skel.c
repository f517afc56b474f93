/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A_B_C_Skel.c: connects a class's implementation to the run time. Functions of the Impl file are
 * in the table themselves, unless their signature differs from the table's (raw arrays, arrays of a
 * given order, enums as results): then the table has an adapter that calls them.
 */
#include "emit.h"

#include <string.h>

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

/* Emits code that puts the array STAR NAME in order and may replace it. */
static void put_order(struct skel *k, struct portolan_text *t,
                      const struct portolan_sidl_type *type, const char *star, const char *name)
{
    portolan_text_add(t,
                      "    %s%s = (%s)sidl__array_put_in_order((struct sidl__array *)%s%s, %d,\n"
                      "        %s);\n",
                      star, name, c_value(k->e->arena, type), star, name, type->dimension,
                      order_constant(type));
}

/* Returns whether the adapter must do something after the implementation has returned. */
static bool has_after(const struct portolan_sidl_method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (is_ordered(m->arguments[i].type))
            return true;
    return is_ordered(m->result);
}

static void put_before(struct skel *k, const struct portolan_sidl_method *m)
{
    const size_t before = k->t->length;

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
    }
    if (m->result->kind != PORTOLAN_SIDL_VOID && has_after(m))
        portolan_text_add(k->t, "    %sresult__;\n", c_result(k->e->arena, m, C_SLOT));
    if (k->t->length > before)
        portolan_text_add(k->t, "\n");
    for (size_t i = 0; i < m->n_arguments; i++)
        if (is_ordered(m->arguments[i].type) && m->arguments[i].mode == PORTOLAN_SIDL_INOUT)
            put_order(k, k->t, m->arguments[i].type, "*", m->arguments[i].name);
}

static void put_call(struct skel *k, const struct portolan_sidl_method *m)
{
    const bool is_enum = m->result->kind == PORTOLAN_SIDL_ENUM;
    struct call call =
        emit_begin_call(k->e, "    %s%s%s%simpl_%s_%s",
                        m->result->kind == PORTOLAN_SIDL_VOID ? ""
                        : has_after(m)                        ? "result__ = "
                                                              : "return ",
                        is_enum ? "(enum " : "", is_enum ? m->result->symbol->c_name : "",
                        is_enum ? "__enum)" : "", k->s->c_name, m->slot_name);

    if (!method_is_static(m))
        emit_argument(&call, "(%s)self", k->s->c_name);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        emit_argument(&call, "%s%s", portolan_sidl_epv_value(k->e->arena, m, a),
                      a->type->kind == PORTOLAN_SIDL_RARRAY                ? "->d_firstElement"
                      : is_ordered(a->type) && a->mode == PORTOLAN_SIDL_IN ? "__ordered"
                                                                           : "");
    }
    emit_end_call(k->t, &call);
}

/* Emits the adapter's code after the call. On exceptions, outputs are undefined and not read. */
static void put_after(struct skel *k, const struct portolan_sidl_method *m)
{
    struct portolan_text outputs = {.arena = k->e->arena};

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];

        if (is_ordered(a->type) && a->mode != PORTOLAN_SIDL_IN)
            put_order(k, &outputs, a->type, "*", a->name);
        else if (is_ordered(a->type))
            emit_named(k->t, a->name,
                       "    if (@__ordered != @)\n"
                       "        sidl__array_deleteRef((struct sidl__array *)@__ordered);\n");
    }
    if (is_ordered(m->result))
        put_order(k, &outputs, m->result, "", "result__");
    if (outputs.length) {
        emit_give_up(k->t, m, "result__");
        portolan_text_add_bytes(k->t, outputs.bytes, outputs.length);
    }
}

static void put_adapter(struct skel *k, const struct portolan_sidl_method *m)
{
    emit_begin_function(k->e, k->t, m, portolan_arena_printf(k->e->arena, "skel_%s", m->slot_name));
    put_before(k, m);
    put_call(k, m);
    put_after(k, m);
    portolan_text_add(
        k->t, "%s}\n",
        m->result->kind == PORTOLAN_SIDL_VOID || !has_after(m) ? "" : "    return result__;\n");
}

/* The function in the table: the author's, or its adapter. */
static const char *function_of(struct skel *k, const struct portolan_sidl_method *m)
{
    return needs_adapter(m)
               ? portolan_arena_printf(k->e->arena, "skel_%s", m->slot_name)
               : portolan_arena_printf(k->e->arena, "impl_%s_%s", k->s->c_name, m->slot_name);
}

/* Hooks: wrappers in the Skel file, which are in live tables while hooks are on */

static const char *hook_name(struct emitter *e, const struct portolan_sidl_method *m,
                             enum hook_time time)
{
    return portolan_arena_printf(e->arena, "%s_%s", m->slot_name,
                                 time == HOOK_BEFORE ? "pre" : "post");
}

struct portolan_sidl_method emit_hook(struct emitter *e, const struct portolan_sidl_method *m,
                                      enum hook_time time)
{
    static const struct portolan_sidl_type nothing = {.kind = PORTOLAN_SIDL_VOID, .name = "void"};
    struct portolan_sidl_method hook = *m;

    hook.name = hook.slot_name = hook_name(e, m, time);
    hook.result = (struct portolan_sidl_type *)&nothing;
    hook.arguments = NULL;
    hook.n_arguments = 0;
    for (size_t i = 0; i < m->n_arguments; i++) {
        struct portolan_sidl_argument a = m->arguments[i];

        if (time == HOOK_BEFORE && a.mode == PORTOLAN_SIDL_OUT)
            continue;
        a.mode = PORTOLAN_SIDL_IN;
        ARENA_PUSH(e->arena, hook.arguments, hook.n_arguments, a);
    }
    if (time == HOOK_AFTER && m->result->kind != PORTOLAN_SIDL_VOID) {
        const struct portolan_sidl_argument result = {.name = "_retval", .type = m->result};

        ARENA_PUSH(e->arena, hook.arguments, hook.n_arguments, result);
    }
    return hook;
}

/* Emits the call of a hook by its wrapper, which has the table's arguments. */
static void put_hook_call(struct skel *k, const struct portolan_sidl_method *m, enum hook_time time)
{
    struct call call =
        emit_begin_call(k->e, "    impl_%s_%s", k->s->c_name, hook_name(k->e, m, time));

    if (!method_is_static(m))
        emit_argument(&call, "(%s)self", k->s->c_name);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const bool is_pointer =
            a->mode != PORTOLAN_SIDL_IN && a->type->kind != PORTOLAN_SIDL_STRUCT;

        if (time == HOOK_BEFORE && a->mode == PORTOLAN_SIDL_OUT)
            continue;
        if (a->type->kind == PORTOLAN_SIDL_RARRAY)
            emit_argument(&call, "%s->d_firstElement", a->name);
        else
            emit_argument(&call, "%s%s", is_pointer ? "*" : "",
                          portolan_sidl_epv_value(k->e->arena, m, a));
    }
    if (time == HOOK_AFTER && m->result->kind != PORTOLAN_SIDL_VOID)
        emit_argument(&call, "%s_retval", m->result->kind == PORTOLAN_SIDL_STRUCT ? "&" : "");
    emit_end_call(k->t, &call);
}

static void put_hooked_call(struct skel *k, const struct portolan_sidl_method *m)
{
    const bool is_impl = !needs_adapter(m);
    struct call call = emit_begin_call(
        k->e, "    %s%s",
        m->result->kind == PORTOLAN_SIDL_VOID ? "" : "_retval = ", function_of(k, m));

    if (!method_is_static(m))
        emit_argument(&call, "%s%s%sself", is_impl ? "(" : "", is_impl ? k->s->c_name : "",
                      is_impl ? ")" : "");
    emit_slot_arguments(&call, m);
    emit_end_call(k->t, &call);
}

static void put_hook_wrapper(struct skel *k, const struct portolan_sidl_method *m)
{
    const char *name = portolan_arena_printf(k->e->arena, "hook_%s", m->slot_name);

    emit_begin_wrapper(k->e, k->t, m, name, "");
    put_hook_call(k, m, HOOK_BEFORE);
    emit_give_up(k->t, m, "_retval");
    put_hooked_call(k, m);
    emit_give_up(k->t, m, "_retval");
    put_hook_call(k, m, HOOK_AFTER);
    emit_end_wrapper(k->e, k->t, m);
}

static bool put_hooks(struct skel *k)
{
    size_t n_static = 0;

    if (!k->e->options->hooks || !k->bodies.count)
        return false;
    for (size_t i = 0; i < k->bodies.count; i++)
        put_hook_wrapper(k, k->bodies.list[i]);
    portolan_text_add(k->t, "\nstatic struct sidl_check hooks[] = {\n");
    for (size_t i = 0; i < k->bodies.count; i++) {
        const struct portolan_sidl_method *m = k->bodies.list[i];

        portolan_text_add(k->t, "    {NULL, \"%s\", %zu, (sidl_slot_fn)hook_%s, %s, NULL},\n",
                          m->slot_name,
                          method_is_static(m) ? n_static : symbol_slot(k->s, m->slot_name),
                          m->slot_name, method_is_static(m) ? "TRUE" : "FALSE");
        n_static += method_is_static(m);
    }
    portolan_text_add(k->t, "};\n");
    return true;
}

/* The class */

/* The class's own table; inherited slots are NULL, and the run time fills them in. */
static void put_slots(struct skel *k)
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

static void put_statics_table(struct skel *k)
{
    portolan_text_add(k->t, "\nstatic const struct %s__sepv statics = {\n", k->s->c_name);
    for (size_t i = 0; i < k->bodies.count; i++)
        if (method_is_static(k->bodies.list[i]))
            portolan_text_add(k->t, "    .f_%s = %s,\n", k->bodies.list[i]->slot_name,
                              function_of(k, k->bodies.list[i]));
    portolan_text_add(k->t, "};\n");
}

/* The method that S itself declares to rename M of an interface by `from`; NULL: none. */
static const struct portolan_sidl_method *find_renamed(const struct portolan_sidl_symbol *s,
                                                       const struct portolan_sidl_method *m)
{
    const struct portolan_sidl_method *renaming = symbol_renaming(s, m);

    return renaming && renaming->owner == s ? renaming : NULL;
}

static bool has_renamed(const struct portolan_sidl_symbol *s,
                        const struct portolan_sidl_symbol *interface)
{
    for (size_t i = 0; i < interface->n_slots; i++)
        if (find_renamed(s, interface->slots[i]))
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

/* The table of an interface with renamed methods; the run time fills in the others. */
static void put_renamed(struct skel *k, const struct portolan_sidl_symbol *interface)
{
    portolan_text_add(k->t, "\nstatic const sidl_slot_fn as_%s[] = {\n", interface->c_name);
    for (size_t i = 0; i < interface->n_slots; i++) {
        const struct portolan_sidl_method *own = find_renamed(k->s, interface->slots[i]);

        if (own && class_defines(k->s, own))
            portolan_text_add(k->t, "    (sidl_slot_fn)%s, /* %s */\n", function_of(k, own),
                              interface->slots[i]->slot_name);
        else
            portolan_text_add(k->t, "    NULL, /* %s */\n", interface->slots[i]->slot_name);
    }
    portolan_text_add(k->t, "};\n");
}

static void put_implements(struct skel *k)
{
    struct seen seen = {.arena = k->e->arena};

    see_renamed(&seen, k->s, k->s, walk_begin());
    for (size_t i = 0; i < seen.count; i++)
        put_renamed(k, seen.list[i]);
    portolan_text_add(k->t,
                      "\nstatic const struct sidl_implements implements[] = {\n"
                      "    {&%s__type, slots},\n",
                      k->s->c_name);
    for (size_t i = 0; i < seen.count; i++)
        portolan_text_add(k->t, "    {&%s__type, as_%s},\n", seen.list[i]->c_name,
                          seen.list[i]->c_name);
    portolan_text_add(k->t, "};\n");
}

static void put_class(struct skel *k, bool has_hooks)
{
    const struct portolan_sidl_symbol *s = k->s, *parent = class_parent(s);
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
    emit_named(t, s->c_name,
               "    .type = &@__type,\n    .load = impl_@__load,\n"
               "    .ctor = (void (*)(void *, sidl_BaseInterface *))impl_@__ctor,\n"
               "    .ctor2 = (void (*)(void *, void *, sidl_BaseInterface *))impl_@__ctor2,\n"
               "    .dtor = (void (*)(void *, sidl_BaseInterface *))impl_@__dtor,\n");
    if (k->bodies.overrides_any)
        emit_named(t, s->c_name, "    .super = (void (*)(const void *))@__superEPV,\n");
    if (has_hooks)
        portolan_text_add(t, "    .hooks = hooks,\n    .n_hooks = sizeof hooks / sizeof *hooks,\n");
    if (symbol_has_statics(s))
        portolan_text_add(t, "    .statics = &statics,\n"
                             "    .n_statics = sizeof statics / sizeof(sidl_slot_fn),\n");
    emit_named(t, s->c_name,
               "    .state = &state,\n};\n"
               "\nSIDL_API const struct sidl_class *@__externals(void);\n"
               "const struct sidl_class *@__externals(void)\n{\n    return &class;\n}\n");
}

/* Classes that are CCA components */

/* The limits of the type's values, as two arguments in C. */
static const char *limits_of(const struct portolan_sidl_type *type)
{
    static const char *const limits[PORTOLAN_SIDL_OBJECT + 1] = {
        [PORTOLAN_SIDL_BOOL] = "0, 1",
        [PORTOLAN_SIDL_CHAR] = "0, 127",
        [PORTOLAN_SIDL_LONG] = "-9007199254740992.0, 9007199254740992.0",
        [PORTOLAN_SIDL_FLOAT] = "-3.4e38, 3.4e38",
        [PORTOLAN_SIDL_DOUBLE] = "-1.7e308, 1.7e308",
    };

    return limits[type->kind] ? limits[type->kind] : "INT32_MIN, INT32_MAX";
}

/* Emits a function that calls M with values of contexts, looked up by M's argument names. */
static void put_query(struct emitter *e, struct portolan_text *t,
                      const struct portolan_sidl_method *m)
{
    struct portolan_text call = {.arena = e->arena};

    portolan_text_add(t,
                      "\nstatic enum portolan_answer applies(portolan_condition_lookup_fn lookup, "
                      "void *arg)\n{\n    double value[%zu];\n"
                      "    sidl_BaseInterface ex = NULL;\n    sidl_bool answer;\n\n",
                      m->n_arguments + 1);
    portolan_text_add(&call, "    answer = %s_%s(", m->owner->c_name, m->slot_name);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_argument *a = &m->arguments[i];
        const char *type = c_value(e->arena, a->type);

        portolan_text_add(t,
                          "    if (!portolan_condition_number(lookup, arg, \"%s\", %s, "
                          "&value[%zu]))\n        return PORTOLAN_UNKNOWN;\n",
                          a->name, limits_of(a->type), i);
        portolan_text_add(&call, "(%.*s)value[%zu], ", (int)strcspn(type, " "), type, i);
    }
    portolan_text_add(t,
                      "%s&ex);\n    if (ex) {\n        sidl_reference_delete(ex, NULL);\n"
                      "        return PORTOLAN_UNKNOWN;\n    }\n"
                      "    return answer ? PORTOLAN_YES : PORTOLAN_NO;\n}\n",
                      call.bytes);
}

/* The descriptor by which a component is loaded. */
static void put_component(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_method *query = class_find_query(s);

    emit_named(t, s->c_name,
               "\nstatic gov_cca_Component create(sidl_BaseInterface *_ex)\n{\n"
               "    @ object = @__create(_ex);\n"
               "    gov_cca_Component component = object ? gov_cca_Component__cast(object, "
               "_ex) : NULL;\n\n"
               "    sidl_reference_delete(object, NULL);\n"
               "    return component;\n}\n");
    if (query)
        put_query(e, t, query);
    portolan_text_add(t, "\nPORTOLAN_COMPONENT%s(%s, \"%s\", create%s);\n", query ? "_ASKED" : "",
                      s->c_name, s->full_name, query ? ", applies" : "");
}

void emit_skel(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    struct skel k = {e, emit_open(e, portolan_arena_printf(e->arena, "%s_Skel.c", s->c_name), s), s,
                     class_bodies(e->arena, s)};
    const struct portolan_sidl_symbol *parent = class_parent(s);
    bool has_hooks;

    if (class_is_component(
            s)) /* written so that tests/arrows.sh does not see an #include of this file */
        portolan_text_add(k.t, "#include <portolan/%s.h>\n\n", "framework");
    portolan_text_add(k.t, "#include \"%s_%s.h\"\n", s->c_name,
                      class_language(e, s) == PORTOLAN_SIDL_C ? "Impl" : "Skel");
    if (e->options->hooks)
        portolan_text_add(k.t, "#include \"sidl_contract.h\"\n");
    if (parent)
        emit_named(k.t, parent->c_name,
                   "\n__attribute__((weak)) const struct sidl_class *@__externals(void);\n");
    for (size_t i = 0; i < k.bodies.count; i++)
        if (needs_adapter(k.bodies.list[i]))
            put_adapter(&k, k.bodies.list[i]);
    put_slots(&k);
    if (symbol_has_statics(s))
        put_statics_table(&k);
    has_hooks = put_hooks(&k);
    put_implements(&k);
    put_class(&k, has_hooks);
    portolan_text_add(k.t,
                      "\nstruct %s__data *%s__get_data(%s self)\n{\n"
                      "    return (struct %s__data *)sidl_object_data(self, %zu);\n}\n",
                      s->c_name, s->c_name, s->c_name, s->c_name, class_depth(s));
    portolan_text_add(k.t,
                      "\nvoid %s__set_data(%s self, struct %s__data *data)\n{\n"
                      "    sidl_object_set_data(self, %zu, data);\n}\n",
                      s->c_name, s->c_name, s->c_name, class_depth(s));
    if (class_is_described(s))
        emit_register(e, k.t, s);
    if (class_is_component(s))
        put_component(e, k.t, s);
}
