/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs from event to event until a task can go on. */
#include "internal.h"

struct clue_engine *clue_engine_new(const struct clue_machine *machine,
                                    const struct clue_engine_settings *settings)
{
    struct clue_engine *e = portolan_calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->machine = machine;
    e->settings = *settings;
    e->sums.last = e->soon = -1;
    e->events.day_bits = FIRST_DAY;
    e->by_events =
        settings->may_change || machine->n_changes || machine->network.model == CLUE_NETWORK_FACTOR;
    if (requests_new(e) && network_new(e) && fair_new(e) && hosts_new(e) && background_new(e) &&
        changes_new(e))
        return e;
    clue_engine_free(e);
    return NULL;
}

void clue_engine_free(struct clue_engine *e)
{
    if (!e)
        return;
    for (uint32_t i = 1; i <= e->messages.n; i++)
        if (message_of(e, i)->data_size)
            data_give(e, message_of(e, i)->data, message_of(e, i)->data_size);
    events_free(&e->events);
    free(e->of_tasks.block);
    free(e->messages.block);
    free(e->requests.block);
    free(e->channels.block);
    free(e->slots);
    free(e->scratch);
    fair_free(e);
    free(e->changes);
    free(e->changed);
    portolan_arena_clear(&e->arena);
    free(e);
}

const struct portolan_error *clue_engine_error(const struct clue_engine *e)
{
    return &e->error;
}

int clue_engine_soon(struct clue_engine *e)
{
    int soon = e->soon;

    e->soon = -1;
    return soon;
}

/* Returns whether the task goes on now. */
static bool resume(struct clue_engine *e, event next)
{
    struct task *t = task_of(e, event_about(next));

    if (t->wake != e->now || t->wake_kind != event_kind(next) || t->operation == CLUE_EXITED)
        return false; /* its wake-up has moved to another time */
    t->wake = NOT_KNOWN;
    return true;
}

int clue_engine_next(struct clue_engine *e)
{
    while (!e->error.status && e->events.n_live) {
        event next = events_pop(e);

        if (e->error.status)
            break;
        e->now = event_ns(next);
        e->sums.n_events++;
        switch (event_kind(next)) {
        case EVENT_RESUME:
        case EVENT_SYNC:
            if (resume(e, next))
                return (int)event_about(next);
            break;
        case EVENT_ARRIVE:
            matching_arrive(e, event_about(next));
            break;
        case EVENT_COPY:
            copies_come(e, event_about(next));
            break;
        case EVENT_FLOWS:
            fair_solve(e);
            break;
        case EVENT_HOST:
            hosts_event(e, event_about(next));
            break;
        case EVENT_LOAD:
            background_event(e, event_about(next));
            break;
        case EVENT_CHANGE:
            changes_event(e, event_about(next));
            break;
        case EVENT_HOP:
            network_hop(e, event_about(next));
            break;
        default:
            break;
        }
    }
    return e->error.status ? CLUE_FAILED : e->n_alive ? CLUE_DEADLOCK : CLUE_FINISHED;
}

void clue_engine_state(const struct clue_engine *e, int task, struct clue_state *state)
{
    const struct task *t = task_of(e, (uint32_t)task);

    *state = (struct clue_state){
        .operation = (enum clue_operation)t->operation, .partner = CLUE_ANY, .tag = CLUE_ANY};
    if (t->operation == CLUE_PROBES && t->is_probing) {
        state->partner = t->probe_from;
        state->tag = t->probe_tag;
        state->context = t->probe_context;
        state->n = 1;
    } else if (t->operation == CLUE_WAITS_FOR && t->requests)
        for (size_t i = t->n_requests; i-- > 0;) {
            const struct request *r = request_of(e, t->requests[i]);

            if (!t->requests[i] || r->complete_at != NOT_KNOWN)
                continue;
            state->is_send = r->is_send;
            state->partner = r->from;
            state->tag = r->tag;
            state->context = r->context;
            state->bytes = r->is_send ? r->bytes : 0;
            state->n++;
        }
    else if (t->operation == CLUE_MEETS && t->meeting) {
        state->context = t->meeting->context;
        state->n = 1;
    }
}

size_t clue_engine_under_way(const struct clue_engine *e)
{
    size_t n = e->events.n_live;

    for (size_t i = 0; i < e->n_tasks; i++)
        n -= e->tasks[i].wake != NOT_KNOWN;
    return n;
}

bool clue_engine_left(const struct clue_engine *e, int task, struct clue_state *message)
{
    uint32_t i = task_of(e, (uint32_t)task)->first_unbound;
    const struct message *m = message_of(e, i);

    if (!i)
        return false;
    *message = (struct clue_state){.partner = (int)m->from,
                                   .tag = m->tag,
                                   .context = channel_of(e, m->channel)->context,
                                   .bytes = m->bytes,
                                   .n = 1};
    return true;
}

void clue_engine_sums(const struct clue_engine *e, int task, struct clue_task_sums *sums)
{
    *sums = task_of(e, (uint32_t)task)->sums;
}

void clue_engine_run_sums(const struct clue_engine *e, struct clue_run_sums *sums)
{
    *sums = e->sums;
    for (uint32_t task = 0; task < e->n_tasks; task++)
        for (uint32_t i = task_of(e, task)->first_unbound; i; i = message_of(e, i)->next_unbound)
            sums->n_left++;
}
