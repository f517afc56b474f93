/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs tasks that are lists of operations, and notes their clocks. */
#ifndef CLUE_ENGINE_SCRIPT_H
#define CLUE_ENGINE_SCRIPT_H

#include <unit_test.h>

#include <portolan/clue_engine.h>

enum step_kind {
    END,
    COMPUTE, /* a: ns */
    SLEEP,
    SPEND,
    SEND,  /* a: to, b: tag, bytes, flags; does not wait */
    RECV,  /* a: from, b: tag; waits */
    IRECV, /* a: from, b: tag */
    WAIT,  /* waits for all requests so far */
    WAIT_ANY,
    TEST,   /* tests the requests so far; value: index */
    PROBE,  /* a: from, b: tag, bytes: whether it waits */
    TAKE,   /* the same, and receives it */
    KEEP,   /* the same, but never receives it */
    CANCEL, /* cancels the latest request; value: whether that succeeded */
    MEET,   /* a: kind, b: sequence, bytes: own ns */
    CHANGE  /* holds from now on */
};
struct step {
    enum step_kind kind;
    int64_t a, b;
    uint64_t bytes;
    unsigned flags;
    const struct clue_change *change;
};

enum { MOST_TASKS = 64, MOST_STEPS = 40 };
struct script {
    struct clue_engine *engine;
    int n;
    struct actor {
        const struct step *steps;
        int at, host;
        size_t n_requests;
        clue_request requests[MOST_STEPS];
        int64_t clocks[MOST_STEPS]; /* clock after each step */
        int values[MOST_STEPS];     /* sources of receives, indices */
        char got[64];
        int n_got, from; /* FROM: source of the last RECV's message */
    } actors[MOST_TASKS];
    struct clue_run_sums sums;
};

static void script_got(void *arg, const struct clue_message *message)
{
    struct actor *a = arg;

    a->got[a->n_got++ % 64] = message->bytes ? *(const char *)message->data : '-';
}

static void script_received(void *arg, const struct clue_message *message)
{
    ((struct actor *)arg)->from = message->from;
    script_got(arg, message);
}

static enum clue_progress script_receive(struct script *s, int task, const struct step *p)
{
    struct actor *a = &s->actors[task];
    struct clue_receive r = {(int)p->a, 7, (int)p->b, p->flags, script_received, a};
    size_t index;

    if (!a->requests[MOST_STEPS - 1])
        a->requests[MOST_STEPS - 1] = clue_engine_receive(s->engine, task, &r);
    if (clue_engine_wait(s->engine, task, &a->requests[MOST_STEPS - 1], 1, true, &index))
        return CLUE_WAITS;
    a->values[a->at] = a->from;
    clue_engine_release(s->engine, a->requests[MOST_STEPS - 1]);
    a->requests[MOST_STEPS - 1] = 0;
    return CLUE_DONE;
}

static enum clue_progress script_probe(struct script *s, int task, const struct step *p)
{
    struct actor *a = &s->actors[task];
    struct clue_receive r = {(int)p->a, 7, (int)p->b, p->flags, script_got, a};
    struct clue_message m = {.from = -9};
    clue_request taken = 0;
    bool is_found = false;

    if (clue_engine_probe(s->engine, task, &r, p->bytes, &is_found, &m,
                          p->kind == PROBE ? NULL : &taken))
        return CLUE_WAITS;
    a->values[a->at] = is_found ? m.from : -9;
    if (p->kind == TAKE && taken) {
        clue_engine_receive_taken(s->engine, task, taken, &r);
        a->requests[a->n_requests++] = taken;
    }
    return CLUE_DONE;
}

static enum clue_progress script_step(struct script *s, int task, const struct step *p)
{
    struct actor *a = &s->actors[task];
    static char buffers[4][1 << 17];
    char *data = buffers[task % 4];
    size_t index = 0;
    bool is_cancelled = false;
    enum clue_progress progress = CLUE_DONE;

    switch (p->kind) {
    case COMPUTE:
        return clue_engine_compute(s->engine, task, p->a);
    case SLEEP:
        return clue_engine_spend(s->engine, task, p->a);
    case SPEND:
        return clue_engine_spend(s->engine, task, p->a);
    case SEND:
        data[0] = (char)('A' + task);
        progress = clue_engine_send(s->engine, task,
                                    &(struct clue_send){.to = (int)p->a,
                                                        .context = 7,
                                                        .tag = (int)p->b,
                                                        .data = data,
                                                        .bytes = p->bytes,
                                                        .flags = p->flags},
                                    &a->requests[a->n_requests]);
        a->n_requests += progress == CLUE_DONE;
        return progress;
    case RECV:
        return script_receive(s, task, p);
    case IRECV:
        a->requests[a->n_requests++] = clue_engine_receive(
            s->engine, task,
            &(struct clue_receive){(int)p->a, 7, (int)p->b, p->flags, script_got, a});
        return CLUE_DONE;
    case WAIT:
    case WAIT_ANY:
        progress =
            clue_engine_wait(s->engine, task, a->requests, a->n_requests, p->kind == WAIT, &index);
        break;
    case TEST:
        progress = clue_engine_test(s->engine, task, a->requests, a->n_requests, &index);
        break;
    case PROBE:
    case TAKE:
    case KEEP:
        return script_probe(s, task, p);
    case CANCEL:
        progress =
            clue_engine_cancel(s->engine, task, a->requests[a->n_requests - 1], &is_cancelled);
        index = is_cancelled;
        break;
    case MEET:
        return clue_engine_meet(s->engine, task,
                                &(struct clue_meeting){(enum clue_meeting_kind)p->a, 7,
                                                       (uint64_t)p->b, s->n, task, 0,
                                                       (int64_t)p->bytes});
    case CHANGE:
        assert_true(clue_engine_change(s->engine, task, p->change));
        break;
        break;
    case END:
        break;
    }
    a->values[a->at] = (int)index;
    return progress;
}

/* Runs until the end; returns the last result of clue_engine_next(). */
static int script_run(struct script *s, const struct clue_machine *machine,
                      const struct clue_engine_settings *settings)
{
    int task;

    s->engine = clue_engine_new(machine, settings);
    for (int i = 0; i < s->n; i++)
        if (!s->engine || clue_engine_add(s->engine, s->actors[i].host, 0) != i)
            return CLUE_FAILED;
    while ((task = clue_engine_next(s->engine)) >= 0) {
        struct actor *a = &s->actors[task];

        while (a->steps[a->at].kind != END && !script_step(s, task, &a->steps[a->at])) {
            a->clocks[a->at] = clue_engine_now(s->engine, task);
            a->at++;
        }
        if (a->steps[a->at].kind == END)
            clue_engine_exit(s->engine, task);
    }
    clue_engine_run_sums(s->engine, &s->sums);
    return task;
}

/* Checks that the parts of a task's critical path add up to all of its time. */
static int64_t script_path_ns(const struct script *s, int task)
{
    struct clue_task_sums sums;

    clue_engine_sums(s->engine, task, &sums);
    return sums.path.computing_ns + sums.path.sending_ns + sums.path.receiving_ns +
           sums.path.spending_ns + sums.path.network_ns;
}

static void script_clear(struct script *s)
{
    clue_engine_free(s->engine);
    s->engine = NULL;
}

/* N equal hosts with the delays 100 + m, 1000 + 2 m, and 10 for a receive. */
struct small_machine {
    struct clue_machine machine;
    struct clue_host hosts[MOST_TASKS];
    struct clue_pair pair;
};

static void small_machine(struct small_machine *m, size_t n)
{
    *m = (struct small_machine){.pair = {{100, 1, NULL, 0}, {1000, 2, NULL, 0}}};
    m->machine = (struct clue_machine){.name = "small",
                                       .hosts = m->hosts,
                                       .n_hosts = n,
                                       .pairs = &m->pair,
                                       .n_pairs = 1,
                                       .eager_bytes = UINT64_MAX};
    for (size_t i = 0; i < n; i++)
        m->hosts[i] = (struct clue_host){
            .name = "host", .type = "host", .cpus = 1, .factor = 1, .receive = {10, 0, NULL, 0}};
}

#endif
