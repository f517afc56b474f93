/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large messages within a host that the receiver's processor copies. MPI libraries over shared
 * memory do so, without a thread that works in parallel to the program. A message waits until both
 * sides are known and its receiver is in a call that waits or polls, and messages to one receiver
 * are copied one after the other. Accesses to windows within a host are performed by their target,
 * in such a call, too.
 */
#include "internal.h"

bool copies_are_of(const struct clue_engine *e, const struct message *m)
{
    uint32_t host = task_of(e, m->to)->host;

    return e->machine->hosts[host].receiver_copies && task_of(e, m->from)->host == host;
}

void copies_expect(struct clue_engine *e, uint32_t message, int64_t ns)
{
    struct message *m = message_of(e, message);

    m->at = ns;
    task_of(e, m->to)->n_copies++;
    events_push(e, later(ns, e->now), EVENT_COPY, m->from, message, true);
}

void copies_come(struct clue_engine *e, uint32_t message)
{
    struct task *t = task_of(e, message_of(e, message)->to);

    t->n_copies--;
    message_of(e, message)->next = 0;
    *(t->first_copy ? &message_of(e, t->last_copy)->next : &t->first_copy) = message;
    t->last_copy = message;
    if (task_is_in_call(t) || t->operation == CLUE_EXITED)
        copies_begin(e, t);
}

/* Lets the accesses arrive now, or when the call began if that is later. */
static void serve_accesses(struct clue_engine *e, struct task *t)
{
    uint32_t i;

    while ((i = t->first_access)) {
        struct message *m = message_of(e, i);

        t->first_access = m->next_held;
        m->arrival = later(e->now, t->clock);
        m->has_event = events_push(e, m->arrival, EVENT_ARRIVE, m->from, i, true);
    }
}

bool copies_may_wait(const struct clue_engine *e, const struct message *m)
{
    uint32_t host = task_of(e, m->to)->host;

    return !(m->flags & MESSAGE_HELD) && e->machine->hosts[host].receiver_copies &&
           task_of(e, m->from)->host == host;
}

void copies_access(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct task *t = task_of(e, m->to);

    m->flags |= MESSAGE_HELD;
    m->next_held = 0;
    *(t->first_access ? &message_of(e, t->last_access)->next_held : &t->first_access) = message;
    t->last_access = message;
    if (task_is_in_call(t) || t->operation == CLUE_EXITED)
        serve_accesses(e, t);
}

void copies_begin(struct clue_engine *e, struct task *t)
{
    uint32_t i;

    serve_accesses(e, t);
    while ((i = t->first_copy)) {
        struct message *m = message_of(e, i);
        int64_t start = later(later(m->at, t->clock), t->copying_until);

        t->first_copy = m->next;
        m->next = 0;
        m->at = -1;
        m->service = start;
        t->copying_until = start + transmission_ns(e, m);
        network_landed(e, i, t->copying_until);
    }
}

void copies_end(struct task *t)
{
    if (t->copying_until <= t->clock)
        return;
    t->sums.times.waiting_ns += t->copying_until - t->clock;
    t->clock = t->copying_until;
}
