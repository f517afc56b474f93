/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks: per method of a class, a function before and one after it in the Impl file, and in the
 * Skel file what calls them; the run time puts that into live tables while hooks are on.
 */
#include "emit.h"

#include <string.h>

static bool is_static(const struct portolan_sidl_method *m)
{
    return m->flags & PORTOLAN_SIDL_STATIC;
}

/* M as its hook sees it: arguments by value, without those that only come back; then the result. */
static struct portolan_sidl_method hook_of(struct emitter *e, const struct portolan_sidl_method *m,
                                           enum hook_time time)
{
    static const struct portolan_sidl_type nothing = {.kind = PORTOLAN_SIDL_VOID, .name = "void"};
    struct portolan_sidl_method hook = *m;

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

const char *hook_name(struct emitter *e, const struct portolan_sidl_method *m, enum hook_time time)
{
    return portolan_arena_printf(e->arena, "%s_%s", m->slot_name,
                                 time == HOOK_BEFORE ? "pre" : "post");
}

const char *hook_signature(struct emitter *e, const struct portolan_sidl_symbol *s,
                           const struct portolan_sidl_method *m, enum hook_time time)
{
    const struct portolan_sidl_method hook = hook_of(e, m, time);
    const char *self = is_static(m) ? NULL : portolan_arena_printf(e->arena, "%s self", s->c_name);

    return c_function(
        e->arena, &hook, C_IMPL,
        portolan_arena_printf(e->arena, "impl_%s_%s", s->c_name, hook_name(e, m, time)), self);
}

const char *hook_preset(struct emitter *e, const struct portolan_sidl_method *m,
                        enum hook_time time)
{
    const struct portolan_sidl_method hook = hook_of(e, m, time);
    struct portolan_text unused = {.arena = e->arena}, t = {.arena = e->arena};
    const char *comma = "        ";

    if (!is_static(m)) {
        portolan_text_add(&unused, "        (void)self");
        comma = ", ";
    }
    for (size_t i = 0; i < hook.n_arguments; i++, comma = ", ")
        portolan_text_add(&unused, "%s(void)%s", comma, hook.arguments[i].name);
    if (!unused.length)
        return "";
    portolan_text_add(&unused, ";");
    emit_wrapped(&t, unused.bytes, 8);
    return t.bytes;
}

/* How a wrapper, which has the table's arguments, hands one of them to a hook. */
static void put_value(struct emitter *e, struct portolan_text *line,
                      const struct portolan_sidl_method *m, const struct portolan_sidl_argument *a)
{
    const size_t length = portolan_sidl_epv_value(m, a, NULL, 0) + 1;
    char *value = portolan_arena_alloc(e->arena, length, 1);

    portolan_sidl_epv_value(m, a, value, length);
    if (a->type->kind == PORTOLAN_SIDL_RARRAY)
        portolan_text_add(line, "%s->d_firstElement", a->name);
    else
        portolan_text_add(
            line, "%s%s",
            a->mode != PORTOLAN_SIDL_IN && a->type->kind != PORTOLAN_SIDL_STRUCT ? "*" : "", value);
}

static void put_hook_call(struct emitter *e, struct portolan_text *t,
                          const struct portolan_sidl_symbol *s,
                          const struct portolan_sidl_method *m, enum hook_time time)
{
    struct portolan_text line = {.arena = e->arena};
    const char *comma = is_static(m) ? "" : ", ";

    portolan_text_add(&line, "    impl_%s_%s(", s->c_name, hook_name(e, m, time));
    if (!is_static(m))
        portolan_text_add(&line, "(%s)self", s->c_name);
    for (size_t i = 0; i < m->n_arguments; i++) {
        if (time == HOOK_BEFORE && m->arguments[i].mode == PORTOLAN_SIDL_OUT)
            continue;
        portolan_text_add(&line, "%s", comma);
        comma = ", ";
        put_value(e, &line, m, &m->arguments[i]);
    }
    if (time == HOOK_AFTER && m->result->kind != PORTOLAN_SIDL_VOID) {
        portolan_text_add(&line, "%s%s_retval", comma,
                          m->result->kind == PORTOLAN_SIDL_STRUCT ? "&" : "");
        comma = ", ";
    }
    portolan_text_add(&line, "%s_ex);", comma);
    emit_wrapped(t, line.bytes, 8);
}

static void put_call(struct emitter *e, struct portolan_text *t,
                     const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const char *function = skel_function(e, s, m);
    struct portolan_text line = {.arena = e->arena};
    const char *comma = is_static(m) ? "" : ", ";

    portolan_text_add(&line, "    %s%s(",
                      m->result->kind == PORTOLAN_SIDL_VOID ? "" : "_retval = ", function);
    if (!is_static(m))
        portolan_text_add(&line, "%sself",
                          strncmp(function, "impl_", 5) == 0
                              ? portolan_arena_printf(e->arena, "(%s)", s->c_name)
                              : "");
    for (size_t i = 0; i < m->n_arguments; i++) {
        if (m->arguments[i].is_extent)
            continue;
        portolan_text_add(&line, "%s%s", comma, m->arguments[i].name);
        comma = ", ";
    }
    portolan_text_add(&line, "%s_ex);", comma);
    emit_wrapped(t, line.bytes, 8);
}

static void put_wrapper(struct emitter *e, struct portolan_text *t,
                        const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const bool is_void = m->result->kind == PORTOLAN_SIDL_VOID;
    const char *give_up = is_void ? "        return;\n" : "        return _retval;\n";
    const char *name = portolan_arena_printf(e->arena, "hook_%s", m->slot_name);

    portolan_text_add(t, "\n");
    emit_wrapped(t,
                 portolan_arena_printf(
                     e->arena, "static %s",
                     c_function(e->arena, m, C_SLOT, name, is_static(m) ? NULL : "void *self")),
                 4);
    portolan_text_add(t, "{\n");
    if (!is_void)
        portolan_text_add(t, "    %s_retval = %s;\n\n", c_result(e->arena, m, C_SLOT),
                          emit_zero(m->result));
    put_hook_call(e, t, s, m, HOOK_BEFORE);
    portolan_text_add(t, "    if (*_ex)\n%s", give_up);
    put_call(e, t, s, m);
    portolan_text_add(t, "    if (*_ex)\n%s", give_up);
    put_hook_call(e, t, s, m, HOOK_AFTER);
    emit_drops(e, t, m);
    portolan_text_add(t, "%s}\n", is_void ? "" : "    return _retval;\n");
}

static size_t slot_of(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    size_t slot = 0;

    while (s->slots[slot] != m)
        slot++;
    return slot;
}

bool emit_hooks(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_symbol *s,
                const struct bodies *bodies)
{
    size_t n_static = 0;

    if (!e->options->hooks || !bodies->count)
        return false;
    for (size_t i = 0; i < bodies->count; i++)
        put_wrapper(e, t, s, bodies->list[i]);
    portolan_text_add(t, "\nstatic const struct sidl_hook hooks[] = {\n");
    for (size_t i = 0; i < bodies->count; i++) {
        const struct portolan_sidl_method *m = bodies->list[i];

        portolan_text_add(t, "    {%zu, (sidl_slot_fn)hook_%s, %s},\n",
                          is_static(m) ? n_static : slot_of(s, m), m->slot_name,
                          is_static(m) ? "TRUE" : "FALSE");
        n_static += is_static(m);
    }
    portolan_text_add(t, "};\n");
    return true;
}
