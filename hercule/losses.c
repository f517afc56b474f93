/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a run loses whatever its paradigm is: the least that a diagnosis must explain. */
#include <portolan/hercule.h>
#include <portolan/replay.h>

#include <math.h>
#include <stdlib.h>

static bool selects_work(const struct portolan_waits *w, uint32_t e)
{
    return w->paths[w->path[e]].kind == PORTOLAN_PATH_PROGRAM ||
           w->paths[w->path[e]].kind == PORTOLAN_PATH_REGION;
}

static bool selects_late_senders(const struct portolan_waits *w, uint32_t e)
{
    size_t n = 0;
    const struct portolan_wait *wait =
        w->trace->events[e].kind == PORTOLAN_TRACE_BEGIN ? portolan_waits_of(w, e, &n) : NULL;

    while (n && wait->state != PORTOLAN_WAIT_LATE_SENDER) {
        wait++;
        n--;
    }
    return n > 0;
}

static bool selects_messages(const struct portolan_waits *w, uint32_t e)
{
    const struct portolan_trace_event *event = &w->trace->events[e];
    enum portolan_trace_routine_class class;

    if (event->kind != PORTOLAN_TRACE_BEGIN)
        return event->kind == PORTOLAN_TRACE_SEND;
    class = w->matching->classes[event->what];
    return class != PORTOLAN_ROUTINE_INIT && class != PORTOLAN_ROUTINE_FINALIZE;
}

static const struct {
    enum portolan_removal_kind kind;
    bool (*selects)(const struct portolan_waits *w, uint32_t event);
    const char *text;
} losses[PORTOLAN_LOSSES] = {
    {PORTOLAN_REMOVE_IMBALANCE, selects_work, "some ranks have more work than others"},
    {PORTOLAN_REMOVE_DEPENDENCE, selects_late_senders, "some receivers wait for late senders"},
    {PORTOLAN_REMOVE_NETWORK, selects_messages, "calls and messages take time"},
};

/* Returns the share of the run that loss I costs; 0 also if the replay is refused. */
static double gain_of(const struct portolan_waits *w, size_t i)
{
    uint8_t *selected = portolan_calloc(w->trace->n_events + 1, 1);
    const struct portolan_removal removal = {.kind = losses[i].kind, .selected = selected};
    struct portolan_replay replay = {0};
    bool has_any = false;

    for (uint32_t e = 0; selected && e < w->trace->n_events; e++)
        has_any |= selected[e] = losses[i].selects(w, e);
    if (has_any && portolan_replay(w, &removal, 1, NULL, &replay, NULL))
        replay.gain = 0;
    free(selected);
    return replay.gain;
}

/* Returns what the run would gain if all ranks had the mean of the work. A replay cannot compute
 * this if a rank that works less polls meanwhile, or has other threads. */
static double gain_of_balance(const struct portolan_waits *w)
{
    struct portolan_efficiencies e;

    if (w->run_ns <= 0 || portolan_efficiencies(w, &e, NULL))
        return 0;
    return (1 - e.load_balance) * e.communication *
           (1 - (double)e.start_and_end_ns / (double)w->run_ns);
}

size_t portolan_losses(const struct portolan_waits *w, struct portolan_loss found[PORTOLAN_LOSSES])
{
    size_t n = 0;

    for (size_t i = 0; w->trace->n_ranks > 1 && i < PORTOLAN_LOSSES; i++) {
        double gain = gain_of(w, i);

        if (losses[i].kind == PORTOLAN_REMOVE_IMBALANCE)
            gain = fmax(gain, gain_of_balance(w));
        if (gain >= PORTOLAN_LEAST_LOSS)
            found[n++] = (struct portolan_loss){losses[i].text, gain};
    }
    return n;
}

void portolan_waits_lose(const struct portolan_waits *w, enum portolan_verdict of_paradigm,
                         struct portolan_run_losses *lost)
{
    *lost = (struct portolan_run_losses){0};
    if (of_paradigm != PORTOLAN_NO_PROBLEM)
        lost->n = portolan_losses(w, lost->found);
    lost->knows_efficiencies = !portolan_efficiencies(w, &lost->efficiencies, NULL);
}

/* Efficiencies are of the time without start and end. */
static bool is_inefficient(const struct portolan_waits *w, const struct portolan_run_losses *lost)
{
    const struct portolan_efficiencies *e = &lost->efficiencies;

    return lost->knows_efficiencies && e->parallel < 0.8 &&
           (1 - e->parallel) * (double)(w->run_ns - e->start_and_end_ns) >=
               PORTOLAN_LEAST_LOSS * (double)w->run_ns;
}

enum portolan_verdict portolan_waits_judge(const struct portolan_waits *w,
                                           const struct portolan_run_losses *lost,
                                           const enum portolan_verdict *of_paradigm,
                                           bool is_disturbed)
{
    enum portolan_verdict verdict = of_paradigm ? *of_paradigm : PORTOLAN_NO_PROBLEM;

    if (is_disturbed || (of_paradigm && verdict == PORTOLAN_NO_PROBLEM))
        return verdict;
    if (lost->n)
        return PORTOLAN_PROBLEM;
    return !of_paradigm && is_inefficient(w, lost) ? PORTOLAN_CANNOT_TELL : verdict;
}
