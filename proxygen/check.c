/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a port, whichever reader made it; and makes the texts that need the complete model. */
#include "model.h"

#include <string.h>

#include <portolan/probe.h>

/* Returns what the proxy passes for argument A: the target's object, never the proxy's own. */
static const char *pass_item(struct run *run, const struct method *m, const struct argument *a)
{
    if (a->callback && a->callee)
        return proxygen_print(&run->arena, "%s_wrap(&%s->port, %s)",
                              proxygen_callback_name(run, m, a), proxygen_locals(run, m).proxy,
                              a->name);
    switch (a->role) {
    case ROLE_OBJECT:
        return proxygen_print(&run->arena, "%s.object", proxygen_locals(run, m).to);
    case ROLE_HANDLE:
        return proxygen_print(&run->arena, "&%s_held", a->name);
    case ROLE_PEER:
        return proxygen_print(&run->arena, "%s_behind(%s)", run->port->prefix, a->name);
    default:
        if (a->gift && a->depth == 2)
            return proxygen_print(&run->arena, "%s ? &%s_given : NULL", a->name, a->name);
        return a->name;
    }
}

/* C: makes M's head and the arguments it passes, now that every parameter has a name. */
static void compose(struct run *run, struct method *m)
{
    struct portolan_arena *arena = &run->arena;
    const char *result = m->returning ? m->returning : m->head;

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        if (a->role == ROLE_OBJECT)
            m->own = a->name;
        else if (a->role == ROLE_HANDLE)
            m->own = proxygen_print(arena, "(*%s)", a->name);
        else if (a->role == ROLE_HOLDER)
            m->own = proxygen_print(arena, "%s_own", a->name);
    }
    m->returning = result;
    m->parameters = proxygen_parameters(run, m);
    m->pass = proxygen_list(run, m, pass_item);
    m->head =
        proxygen_replace(arena, result,
                         proxygen_print(arena, "@(%s%s)", *m->parameters ? m->parameters : "void",
                                        m->variadic ? ", ..." : ""));
}

/* ------------------------------------------------------------------ lengths of Fortran's texts */

static bool is_integer(const struct argument *a)
{
    return a->form == FORM_PLAIN && a->kind == VALUE_INTEGER;
}

/* Returns whether Fortran may pass a length with A: it does for texts, also within arrays and for
 * functions that return one. Headers may call any of them void. */
static bool may_have_length(const struct argument *a)
{
    return a->form == FORM_FUNCTION ||
           (a->form == FORM_POINTER && a->type &&
            (strstr(a->type, "char") || strstr(a->type, "void") || strstr(a->type, "struct")));
}

/* How many lengths callers in Fortran may pass that the header does not declare. A text that is
 * returned is the first argument, and its length the second. */
static size_t count_hidden_lengths(const struct method *m)
{
    size_t length = strlen(m->name), n = m->n_arguments, lengths = 0;
    bool is_fortran = length && (m->name[length - 1] == '_' || strstr(m->name, "_MOD_"));
    size_t first = n > 1 && !m->returns && is_integer(&m->arguments[1]) ? 2 : 0;

    if (!is_fortran || m->variadic || m->convention)
        return 0;
    while (n > first && is_integer(&m->arguments[n - 1]))
        n--;
    for (size_t i = first; i < n; i++)
        lengths += may_have_length(&m->arguments[i]);
    return lengths > m->n_arguments - n ? lengths - (m->n_arguments - n) : 0;
}

/*
 * Gives M parameters for hidden lengths, whose callers and implementations come from Fortran while
 * the header is C's. An argument that a caller does not pass is garbage, which an implementation in
 * C never reads: with the calling conventions of Unix, additional arguments do no harm.
 */
static void add_hidden_lengths(struct run *run, struct method *m)
{
    size_t lengths = count_hidden_lengths(m);
    struct argument *all =
        portolan_arena_alloc(&run->arena, m->n_arguments + lengths + 1, sizeof *all);

    if (!lengths || !all)
        return;
    memcpy(all, m->arguments, m->n_arguments * sizeof *all);
    m->arguments = all;
    for (size_t i = 0; i < lengths; i++, m->n_arguments++)
        all[m->n_arguments] = (struct argument){.name = "", .declaration = "__SIZE_TYPE__ @"};
    proxygen_name_arguments(run, m);
    m->declared = m->head;
    compose(run, m);
}

static enum portolan_status check_context(struct run *run, const struct method *m,
                                          const struct argument *a)
{
    if (!a->input)
        return proxygen_fail(run, PORTOLAN_ESYNTAX, &a->place,
                             "argument '%s' of '%s' has no value before the call, so it cannot be "
                             "a context: its mode must be in",
                             a->name, m->name);
    if (a->kind != VALUE_INTEGER && a->kind != VALUE_REAL)
        return proxygen_fail(run, PORTOLAN_ESYNTAX, &a->place,
                             "argument '%s' of '%s' is no number, so it cannot be a context%s%s%s",
                             a->name, m->name,
                             a->reads_integer ? "; for the number it points to write '*" : "",
                             a->reads_integer ? a->name : "", a->reads_integer ? "'" : "");
    return PORTOLAN_OK;
}

/* NAME is context number *N of M. */
static enum portolan_status count_context(struct run *run, const struct method *m, const char *name,
                                          const struct place *place, int *n)
{
    return ++*n == PORTOLAN_PROBE_CONTEXTS + 1
               ? proxygen_fail(run, PORTOLAN_ESYNTAX, place,
                               "'%s' is number %d in the context of '%s'; a call's context has at "
                               "most %d",
                               name, *n, m->name, PORTOLAN_PROBE_CONTEXTS)
               : PORTOLAN_OK;
}

static enum portolan_status check_arguments(struct run *run, struct method *m)
{
    enum portolan_status first = PORTOLAN_OK, status;
    int contexts = 0, accuracies = m->accuracy;

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        status = a->context ? check_context(run, m, a) : PORTOLAN_OK;
        if (a->context && status == PORTOLAN_OK)
            status = count_context(run, m, a->name, &a->place, &contexts);
        if (a->accuracy && a->kind != VALUE_REAL_POINTER)
            status = proxygen_fail(run, PORTOLAN_ESYNTAX, &a->place,
                                   "argument '%s' of '%s' cannot bring back an accuracy: it must "
                                   "be a double that goes out",
                                   a->name, m->name);
        else if (a->accuracy && ++accuracies > 1)
            status = proxygen_fail(run, PORTOLAN_ESYNTAX, &a->place,
                                   "'%s' has more than one accuracy", m->name);
        if (first == PORTOLAN_OK)
            first = status;
    }
    for (size_t i = 0; i < m->n_expressions; i++) {
        const struct expression *e = &m->expressions[i];

        status = count_context(run, m, e->name, &e->place, &contexts);
        if (first == PORTOLAN_OK)
            first = status;
    }
    if (m->accuracy && m->result_kind != VALUE_REAL)
        return proxygen_fail(run, PORTOLAN_ESYNTAX, &m->place,
                             "'%s' does not return a double, so its result is no accuracy",
                             m->name);
    if (m->status && m->result_kind != VALUE_INTEGER)
        return proxygen_fail(run, PORTOLAN_ESYNTAX, &m->place,
                             "'%s' does not return a whole number, so its result is no status",
                             m->name);
    return first;
}

/* ------------------------------------------------------------------ objects that calls hand out */

static enum portolan_status find_gift(struct run *run, const char *type, const char *record,
                                      const struct place *place, const struct port **gift)
{
    const struct port *p = proxygen_find_port(run, type);

    if (!p)
        return proxygen_fail(run, PORTOLAN_ESYNTAX, place, "'%s' is no port of this header", type);
    if (!record || !p->record || strcmp(record, p->record) != 0)
        return proxygen_fail(run, PORTOLAN_ESYNTAX, place,
                             "what comes back there is no %s; its type must be '%s *', or for an "
                             "argument also '%s **'",
                             type, p->object, p->object);
    *gift = p;
    return PORTOLAN_OK;
}

/* Finds the ports of the objects that methods of the run's port hand out. */
static enum portolan_status find_gifts(struct run *run)
{
    struct port *port = run->port;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < port->n_methods && status == PORTOLAN_OK; i++) {
        struct method *m = &port->methods[i];

        if (m->gives)
            status = find_gift(run, m->gives, m->result_record, &m->place, &m->gift);
        for (size_t k = 0; k < m->n_arguments && status == PORTOLAN_OK; k++) {
            struct argument *a = &m->arguments[k];

            if (!a->gives)
                continue;
            status = find_gift(run, a->gives, a->record, &a->place, &a->gift);
            if (a->role == ROLE_PEER)
                a->role = ROLE_PLAIN; /* the call sets the object, so the proxy must not look at it
                                         before */
        }
    }
    return status;
}

/* ------------------------------------------------------------------ the port */

static bool is_method(const struct port *port, const char *member)
{
    for (size_t i = 0; i < port->n_methods; i++)
        if (!port->methods[i].skip && strcmp(port->methods[i].member, member) == 0)
            return true;
    return false;
}

/* Function pointers that are not intercepted are copied between face and target, like data. */
static void find_data(struct port *port)
{
    for (size_t i = 0; i < port->n_members; i++) {
        struct member *m = &port->members[i];

        if (port->shape == SHAPE_STRUCT && m->kind == MEMBER_DATA && is_method(port, m->name))
            m->kind = MEMBER_FUNCTION;
        port->has_data |= m->kind == MEMBER_DATA && !port->selfless;
    }
}

/* The first method that was skipped, and the reason. */
static const char *why_none(struct run *run)
{
    const struct port *port = run->port;
    const char *text = NULL;

    for (size_t i = 0; i < port->n_methods && !text; i++)
        if (port->methods[i].skip)
            text = proxygen_print(&run->arena, ": '%s' is not intercepted: %s%s",
                                  port->methods[i].name, port->methods[i].skip,
                                  port->n_methods > 1 ? "; and so on" : "");
    return text ? text : "";
}

static enum portolan_status check_one(struct run *run)
{
    struct port *port = run->port;
    enum portolan_status first = PORTOLAN_OK;
    size_t intercepted = 0;

    if (port != &run->main_port)
        port->prefix = proxygen_print(&run->arena, "%s_%s", run->main_port.prefix, port->type);
    find_data(port);
    for (size_t i = 0; i < port->n_methods; i++) {
        struct method *m = &port->methods[i];
        enum portolan_status status;

        if (port->shape == SHAPE_TABLE || port->shape == SHAPE_STRUCT ||
            port->shape == SHAPE_FUNCTIONS)
            compose(run, m);
        if (port->shape == SHAPE_FUNCTIONS)
            add_hidden_lengths(run, m);
        status = check_arguments(run, m);
        if (status == PORTOLAN_OK && m->variadic && m->is_pure && m->skip)
            status = proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &m->place,
                                   "'%s' is variadic and pure: a proxy must have it and cannot "
                                   "forward it; name a method that takes a va_list instead: "
                                   "'%s.variadic: METHOD'",
                                   m->name, m->name);
        if (first == PORTOLAN_OK)
            first = status;
        intercepted += !m->skip;
    }
    if (first == PORTOLAN_OK && intercepted == 0)
        first = proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &port->place,
                              "port %s has no method that could be measured%s", port->type,
                              why_none(run));
    return first;
}

enum portolan_status proxygen_check_port(struct run *run)
{
    enum portolan_status status = proxygen_name_port(run);

    for (size_t i = 0; status == PORTOLAN_OK && proxygen_use_port(run, i); i++)
        status = find_gifts(run);
    for (size_t i = 0; status == PORTOLAN_OK && proxygen_use_port(run, i); i++)
        status = check_one(run);
    return status;
}
