/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters that change while the run lasts. If a delay is under way, a part of it is over; the
 * rest is stretched by the same factor as the delay as a whole. With changes, nothing runs ahead of
 * the engine's time.
 */
#include "internal.h"

bool changes_new(struct clue_engine *e)
{
    const struct clue_machine *m = e->machine;

    if (!portolan_reserve(&e->changes, &e->change_room, m->n_changes + 1, sizeof *e->changes))
        return false;
    if (m->n_changes)
        memcpy(e->changes, m->changes, m->n_changes * sizeof *e->changes);
    e->n_changes = m->n_changes;
    for (uint32_t i = 0; i < e->n_changes; i++)
        if (!events_push(e, e->changes[i].at_ns, EVENT_CHANGE, i, i, false))
            return false;
    return true;
}

bool clue_engine_change(struct clue_engine *e, int task, const struct clue_change *change)
{
    uint32_t i = (uint32_t)e->n_changes;

    if (!portolan_reserve(&e->changes, &e->change_room, e->n_changes + 1, sizeof *e->changes)) {
        engine_no_memory(e);
        return false;
    }
    e->changes[e->n_changes++] = *change;
    return events_push(e, task_of(e, (uint32_t)task)->clock, EVENT_CHANGE, i, i, false);
}

static bool concerns(int wanted, uint32_t i)
{
    return wanted < 0 || wanted == (int)i;
}

/* Returns the latest change that holds, since that one wins. */
static const struct clue_change *
find_change(const struct clue_engine *e, enum clue_parameter parameter, uint32_t from, uint32_t to)
{
    for (size_t i = e->n_changed; i-- > 0;) {
        const struct clue_change *c = &e->changes[e->changed[i]];

        if (c->parameter == parameter && concerns(c->host, from) && concerns(c->to, to))
            return c;
    }
    return NULL;
}

int64_t delay_ns(const struct clue_engine *e, enum clue_parameter parameter, uint32_t from,
                 uint32_t to, const struct clue_law *law, uint64_t bytes)
{
    const struct clue_change *c = e->n_changed ? find_change(e, parameter, from, to) : NULL;

    return !c       ? clue_law_ns(law, bytes)
           : c->law ? clue_law_ns(c->law, bytes)
                    : llround((double)clue_law_ns(law, bytes) * c->times);
}

/* Returns the present delay of PARAMETER for a task. */
static int64_t taken_ns(struct clue_engine *e, const struct task *t)
{
    const struct clue_host *h = &e->machine->hosts[t->host];
    const struct clue_pair *pair;

    if (t->taken == CLUE_RECEIVE)
        return delay_ns(e, CLUE_RECEIVE, t->host, 0, &h->receive, t->taken_bytes);
    pair = pair_of_hosts(e, t->host, (uint32_t)t->taken_to);
    return pair
               ? delay_ns(e, CLUE_SEND, t->host, (uint32_t)t->taken_to, &pair->send, t->taken_bytes)
               : 0;
}

bool changes_settle(struct clue_engine *e, uint32_t task, enum clue_parameter parameter, int to,
                    uint64_t bytes)
{
    struct task *t = task_of(e, task);

    if (!e->by_events || t->clock <= e->now)
        return true;
    t->taken = (uint8_t)parameter;
    t->taken_to = to;
    t->taken_bytes = bytes;
    task_wake(e, task, t->clock, EVENT_RESUME);
    return false;
}

/* Stretches the rest of a task's delay. BEFORE: the whole delay as it was. */
static void stretch(struct clue_engine *e, uint32_t task, int64_t before)
{
    struct task *t = task_of(e, task);
    int64_t now = taken_ns(e, t);
    int64_t end = e->now + llround((double)(t->clock - e->now) * (double)now / (double)before);
    size_t part = t->taken == CLUE_RECEIVE ? offsetof(struct clue_times, receiving_ns)
                                           : offsetof(struct clue_times, sending_ns);

    task_add(t, part, end - t->clock);
    t->wake = NOT_KNOWN;
    task_wake(e, task, end, EVENT_RESUME);
}

static void change_delay(struct clue_engine *e, uint32_t change)
{
    const struct clue_change *c = &e->changes[change];
    int64_t *before = portolan_calloc(e->n_tasks + 1, sizeof *before);

    if (!before ||
        !portolan_reserve(&e->changed, &e->changed_room, e->n_changed + 1, sizeof *e->changed)) {
        free(before);
        engine_no_memory(e);
        return;
    }
    for (uint32_t i = 0; i < e->n_tasks; i++)
        if (task_of(e, i)->phase == SETTLING && task_of(e, i)->taken == c->parameter)
            before[i] = taken_ns(e, task_of(e, i));
    e->changed[e->n_changed++] = change;
    for (uint32_t i = 0; i < e->n_tasks; i++)
        if (before[i] > 0 && concerns(c->host, task_of(e, i)->host))
            stretch(e, i, before[i]);
    if (c->parameter == CLUE_TRANSMISSION)
        network_transmission_changed(e, c->host, c->to);
    free(before);
}

void changes_event(struct clue_engine *e, uint32_t change)
{
    const struct clue_change *c = &e->changes[change];

    switch (c->parameter) {
    case CLUE_FACTOR:
        for (uint32_t i = 0; i < e->machine->n_hosts; i++)
            if (concerns(c->host, i))
                hosts_change(e, i, 0, c->times * e->hosts[i].spread);
        break;
    case CLUE_BANDWIDTH:
    case CLUE_LATENCY:
        for (uint32_t i = 0; i < e->machine->network.n_links; i++)
            if (concerns(c->host, i))
                network_change(e, i, c->parameter == CLUE_LATENCY, c->times);
        break;
    default:
        change_delay(e, change);
    }
}
