/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: when they go on; computing, sleeping, meetings; the operation that each is in. */
#include "internal.h"

void task_wake(struct clue_engine *e, uint32_t task, int64_t ns, enum event_kind kind)
{
    struct task *t = task_of(e, task);

    if (t->wake <= ns)
        return;
    t->wake = ns;
    t->wake_kind = (uint8_t)kind;
    events_push(e, ns, kind, task, task, true);
}

unsigned task_operation(struct clue_engine *e, uint32_t task, enum clue_operation operation)
{
    struct task *t = task_of(e, task);

    if (t->phase == 0) {
        t->operation = (uint8_t)operation;
        t->since = t->clock;
    }
    return t->phase;
}

bool task_synchronize(struct clue_engine *e, uint32_t task, enum clue_operation operation,
                      bool depends)
{
    struct task *t = task_of(e, task);

    if (task_operation(e, task, operation) != 0)
        return true;
    t->phase = SYNCHRONIZED;
    if (!depends || events_next(e) > t->clock)
        return true;
    task_wake(e, task, t->clock, EVENT_SYNC);
    return false;
}

void task_done(struct task *t)
{
    t->operation = CLUE_RUNS;
    t->phase = 0;
}

int clue_engine_add(struct clue_engine *e, int host, int64_t ns)
{
    struct task *t;

    if (!pool_take(&e->of_tasks, sizeof *t)) {
        engine_no_memory(e);
        return -1;
    }
    e->tasks = (struct task *)e->of_tasks.items + 1; /* the pool numbers them from 1 */
    t = &e->tasks[e->n_tasks];
    *t = (struct task){.clock = ns, .since = ns, .wake = NOT_KNOWN, .host = (uint32_t)host};
    task_wake(e, (uint32_t)e->n_tasks, ns, EVENT_RESUME);
    if (t->wake == NOT_KNOWN)
        return -1;
    e->n_alive++;
    e->hosts[host].n_tasks++;
    return (int)e->n_tasks++;
}

void clue_engine_exit(struct clue_engine *e, int task)
{
    struct task *t = task_of(e, (uint32_t)task);

    copies_begin(e, t);
    t->operation = CLUE_EXITED;
    t->since = t->clock;
    e->n_alive--;
    e->hosts[t->host].n_tasks--;
    if (t->clock >= e->sums.end_ns) {
        e->sums.end_ns = t->clock;
        e->sums.last = task;
    }
}

void clue_engine_kill(struct clue_engine *e, int task, int victim)
{
    struct task *t = task_of(e, (uint32_t)victim);

    t->clock = later(t->clock, task_of(e, (uint32_t)task)->clock);
    clue_engine_exit(e, victim);
}

int64_t clue_engine_now(const struct clue_engine *e, int task)
{
    return task_of(e, (uint32_t)task)->clock;
}

int clue_engine_host(const struct clue_engine *e, int task)
{
    return (int)task_of(e, (uint32_t)task)->host;
}

enum clue_progress clue_engine_spend(struct clue_engine *e, int task, int64_t ns)
{
    struct task *t = task_of(e, (uint32_t)task);

    if (task_operation(e, (uint32_t)task, CLUE_SPENDS) != SETTLING) {
        task_add(t, offsetof(struct clue_times, spending_ns), ns);
        t->phase = SETTLING;
        if (!changes_settle(e, (uint32_t)task, CLUE_PARAMETERS, 0, 0))
            return CLUE_WAITS;
    }
    task_done(t);
    return CLUE_DONE;
}

/* ------------------------------------------------- meetings */

static struct meeting **meeting_slot(struct clue_engine *e, uint64_t context, uint64_t sequence)
{
    uint64_t hash = (context * 0x9e3779b97f4a7c15 + sequence) * 0x9e3779b97f4a7c15;

    return &e->meetings[(hash >> 32) % MEETING_SLOTS];
}

static struct meeting *meeting_find(struct clue_engine *e, const struct clue_meeting *what)
{
    struct meeting **slot = meeting_slot(e, what->context, what->sequence), *m;

    for (m = *slot; m; m = m->next)
        if (m->context == what->context && m->sequence == what->sequence)
            return m;
    m = e->free_meetings;
    if (m)
        e->free_meetings = m->next;
    else if (!(m = portolan_arena_alloc(&e->arena, 1, sizeof *m))) {
        engine_no_memory(e);
        return NULL;
    }
    *m = (struct meeting){.next = *slot, .context = what->context, .sequence = what->sequence};
    return *slot = m;
}

static void meeting_end(struct clue_engine *e, struct meeting *end)
{
    struct meeting **m = meeting_slot(e, end->context, end->sequence);

    while (*m != end)
        m = &(*m)->next;
    *m = end->next;
    end->next = e->free_meetings;
    e->free_meetings = end;
}

/* Returns when what a member waits for has happened; NOT_KNOWN: not yet. */
static int64_t meeting_ready(const struct meeting *m, const struct clue_meeting *what, int64_t now)
{
    bool is_root = what->index == what->root;

    if (what->kind == CLUE_MEET_OF_ROOT)
        return is_root ? now : m->root_is_here ? m->root_at : NOT_KNOWN;
    if (what->kind == CLUE_MEET_AT_ROOT && !is_root)
        return now;
    return m->n_here == (uint32_t)what->n ? m->last : NOT_KNOWN;
}

static void meeting_come(struct clue_engine *e, uint32_t task, struct meeting *m,
                         const struct clue_meeting *what)
{
    struct task *t = task_of(e, task);
    bool is_root = what->index == what->root;

    m->n_here++;
    if (t->clock >= m->last && what->kind != CLUE_MEET_OF_ROOT)
        m->path = t->sums.path;
    m->last = later(m->last, t->clock);
    if (is_root) {
        m->root_is_here = true;
        m->root_at = t->clock;
        if (what->kind == CLUE_MEET_OF_ROOT)
            m->path = t->sums.path;
    }
    if (!(what->kind == CLUE_MEET_OF_ROOT ? is_root : m->n_here == (uint32_t)what->n))
        return;
    for (uint32_t w = m->first_waiting; w; w = task_of(e, w - 1)->next_in_meeting)
        task_wake(
            e, w - 1,
            later(task_of(e, w - 1)->clock, what->kind == CLUE_MEET_OF_ROOT ? m->root_at : m->last),
            EVENT_RESUME);
    m->first_waiting = 0;
}

enum clue_progress clue_engine_meet(struct clue_engine *e, int task,
                                    const struct clue_meeting *what)
{
    struct task *t = task_of(e, (uint32_t)task);
    struct meeting *m = t->meeting;
    int64_t ready;

    if (task_operation(e, (uint32_t)task, CLUE_MEETS) == 0) {
        if (!(m = t->meeting = meeting_find(e, what)))
            return CLUE_WAITS;
        t->phase = 1;
        copies_begin(e, t);
        meeting_come(e, (uint32_t)task, m, what);
    }
    ready = meeting_ready(m, what, t->clock);
    if (ready == NOT_KNOWN) {
        t->next_in_meeting = m->first_waiting;
        m->first_waiting = (uint32_t)task + 1;
        return CLUE_WAITS;
    }
    if (ready > t->clock) {
        t->sums.times.waiting_ns += ready - t->clock;
        t->sums.path = m->path;
        t->clock = ready;
    }
    task_add(t, offsetof(struct clue_times, spending_ns),
             what->ns + llround((double)what->ns * e->machine->shared_more));
    copies_end(t);
    t->meeting = NULL;
    if (++m->n_done == (uint32_t)what->n)
        meeting_end(e, m);
    task_done(t);
    return CLUE_DONE;
}
