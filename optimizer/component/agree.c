/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes all ranks swap the same implementations at the same step, without a message of its own in
 * most steps (docs/decisions/0049).
 *
 * When a step ends, the Mastermind exchanges a block of numbers between all ranks anyway; each rank
 * gets the maximum of each number. The Optimizer appends its own (a piggyback). On the way up,
 * fill() puts in what this rank has seen: which instances failed, and the worst accuracy. On the
 * way down, add() puts in what rank 0 wants: it has the samples of the slowest rank by then, and
 * either decides at once or sends a decision that it made earlier (`delay`). optimizer_hear() reads
 * the result, which is the same on all ranks, and says what all do next.
 *
 * If something failed, all ranks ban it, and rank 0 decides again and broadcasts
 * (optimizer_decide_together()); so it does before the first step. With `check` each rank adds a
 * hash of what really runs, and its negative, so that the maxima show whether the ranks differ.
 */
#include "component.h"

#include <portolan/probe.h>
#include <string.h>

/*
 * Positions in the exchanged values. The first ones are the Mastermind's. After HEAD follow a
 * struct optimizer_seen for each instance, and then the alternatives that rank 0 wants.
 */
enum { TODO = PORTOLAN_PIGGYBACK_HEAD, HASH, MINUS_HASH, ASKS, HEAD };
enum { ENTRIES = sizeof(struct optimizer_seen) / sizeof(double) };

static size_t bytes_of(const struct optimizer *o)
{
    return o->assembly->n_instances * sizeof *o->current;
}

void optimizer_want_current(struct optimizer *o)
{
    memcpy(o->wanted, o->current, bytes_of(o));
}

bool optimizer_has_to_swap(const struct optimizer *o)
{
    return memcmp(o->wanted, o->current, bytes_of(o)) != 0;
}

void optimizer_count_deciding(struct optimizer *o, uint64_t entered)
{
    o->mind.deciding_ns += portolan_probe_ticks_to_ns(portolan_probe_now() - entered);
}

/* ------------------------------------------------- up: what this rank has seen */

/* The alternative that really runs; -1: another class, which something else than the Optimizer has
 * put there. */
static int32_t find_running(const struct optimizer *o, size_t instance)
{
    const struct portolan_assembly_instance *i = &o->assembly->instances[instance];
    sidl_BaseInterface ex = NULL;
    char *name = portolan_ports_Builder_getClassName(o->builder, i->name, &ex);
    int32_t k = (int32_t)i->n_alternatives;

    while (--k >= 0 && (ex || !name || strcmp(i->alternatives[k].class_name, name) != 0))
        ;
    sidl_String_free(name);
    SIDL_CLEAR(ex);
    return k;
}

/* The hash of all alternatives that run, exact as a double; 0 if ranks are not compared. */
static double hash_choices(struct optimizer *o, int step)
{
    if (!o->check)
        return 0;
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        o->running[i] = optimizer_has_choice(o, i) ? find_running(o, i) : o->current[i];
    return (double)(portolan_hash(o->running, bytes_of(o), (uint64_t)step) >> 12);
}

/* The function `fill` of a piggyback: puts in what this rank has seen. */
static bool fill(struct portolan_piggyback *p, const struct portolan_sample *samples, size_t n)
{
    struct optimizer *o = p->arg;
    double hash = hash_choices(o, p->step);

    p->values[TODO] = o->cohort->rank == 0 ? OPTIMIZER_DECIDE : OPTIMIZER_STAY;
    p->values[HASH] = hash;
    p->values[MINUS_HASH] = -hash;
    p->values[ASKS] = o->cohort->rank == 0 && o->mind.asks;
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        o->choice[i] = -1;
    return optimizer_see(o, samples, n);
}

/* ------------------------------------------------- down: what rank 0 wants */

/*
 * The function `add` of a piggyback, on rank 0. Without a delay it decides now; otherwise it sends
 * what it decided before. If something failed, all ranks must ban that first.
 */
static void add(struct portolan_piggyback *p, const struct portolan_sample *slowest, size_t n,
                int n_failed)
{
    struct optimizer *o = p->arg;
    uint64_t entered = portolan_probe_now();

    if (n_failed > 0)
        return;
    optimizer_take_steps(o, p->step, slowest, n);
    optimizer_want_current(o);
    if (o->delay == 0) {
        optimizer_decide(o, p->step);
        optimizer_count_deciding(o, entered);
    } else if (o->due_step >= 0 && p->step >= o->due_step) {
        memcpy(o->wanted, o->pending, bytes_of(o));
        o->due_step = -1;
    }
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        o->choice[i] = o->wanted[i];
    p->values[TODO] = optimizer_has_to_swap(o) ? OPTIMIZER_SWAP : OPTIMIZER_STAY;
    p->values[ASKS] = o->mind.asks && !optimizer_has_to_swap(o);
}

void optimizer_decide_ahead(struct optimizer *o, int step)
{
    if (o->delay == 0 || o->cohort->rank != 0 || o->due_step >= 0)
        return;
    optimizer_decide(o, step);
    if (!optimizer_has_to_swap(o))
        return;
    memcpy(o->pending, o->wanted, bytes_of(o));
    o->due_step = step + o->delay;
}

bool optimizer_decide_together(struct optimizer *o, int step, sidl_BaseInterface *_ex)
{
    enum portolan_status status;
    const struct portolan_sample *samples;
    size_t n;

    o->due_step = -1;
    if (step > 0) {
        o->records->ops->slowest(o->records, &samples, &n);
        optimizer_take_steps(o, step, samples, n);
    }
    if (o->cohort->rank == 0)
        optimizer_decide(o, step);
    status = o->cohort->bcast(o->cohort, o->wanted, bytes_of(o), 0);
    if (status)
        portolan_throw(_ex, status, "the ranks did not learn what to swap");
    return !status;
}

/* ------------------------------------------------- both */

bool optimizer_agree_ready(struct optimizer *o)
{
    size_t n = o->assembly->n_instances, n_values = HEAD + (ENTRIES + 1) * n;
    double *values = portolan_arena_alloc(&o->arena, n_values, sizeof *values);

    o->running = portolan_arena_alloc(&o->arena, n, sizeof *o->running);
    o->pending = portolan_arena_alloc(&o->arena, n, sizeof *o->pending);
    if (!values || !o->running || !o->pending)
        return false;
    o->due_step = -1;
    o->seen = (struct optimizer_seen *)(values + HEAD);
    o->choice = values + HEAD + ENTRIES * n;
    o->piggyback = (struct portolan_piggyback){
        .n = n_values, .values = values, .arg = o, .fill = fill, .add = add};
    return true;
}

void optimizer_travel(struct optimizer *o, bool on)
{
    const struct portolan_records_ops *ops = o->records ? o->records->ops : NULL;

    if (ops && ops->size > offsetof(struct portolan_records_ops, carry) && ops->carry)
        ops->carry(o->records, on ? &o->piggyback : NULL);
}

/* Makes sure that the values are those of all ranks: they came with the step, or it exchanges them
 * now; false if that failed. */
static bool exchange(struct optimizer *o, int step)
{
    struct portolan_piggyback *p = &o->piggyback;
    const struct portolan_sample *samples = NULL;
    size_t n = 0;

    if (p->has_arrived && p->step == step)
        return true;
    p->step = step;
    if (o->records->ops->latest(o->records, &samples, &n, NULL))
        n = 0;
    fill(p, samples, n);
    return !o->cohort->max(o->cohort, p->values, p->n);
}

/* The name of the class that an entry of o->running means. */
static const char *class_of(const struct optimizer *o, size_t instance, int32_t k)
{
    return k < 0 ? "a class that is not an alternative" : optimizer_class(o, instance, (size_t)k);
}

static enum portolan_status compare(const struct optimizer *o, int step, const int32_t *of_rank_0,
                                    int32_t step_of_rank_0, struct portolan_error *err)
{
    if (step != step_of_rank_0)
        return portolan_error_set(err, PORTOLAN_EMISMATCH, "it is at step %d, rank 0 at step %d",
                                  step, (int)step_of_rank_0);
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        if (o->running[i] != of_rank_0[i])
            return portolan_error_set(err, PORTOLAN_EMISMATCH,
                                      "instance '%s' is %s, on rank 0 it is %s",
                                      o->assembly->instances[i].name, class_of(o, i, o->running[i]),
                                      class_of(o, i, of_rank_0[i]));
    return PORTOLAN_OK;
}

/* Collective: throws an exception with the rank and the instance where the alternatives differ. */
static void report_difference(struct optimizer *o, int step, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    int32_t first = step;

    memcpy(o->wanted, o->running, bytes_of(o));
    if (!o->cohort->bcast(o->cohort, o->wanted, bytes_of(o), 0) &&
        !o->cohort->bcast(o->cohort, &first, sizeof first, 0))
        portolan_cohort_agree(o->cohort, compare(o, step, o->wanted, first, &err), &err);
    portolan_throw(_ex, PORTOLAN_EMISMATCH, "at step %d the choices of the ranks differ: %s", step,
                   err.text[0] ? err.text : "they could not be compared");
}

enum optimizer_todo optimizer_hear(struct optimizer *o, int step, sidl_BaseInterface *_ex)
{
    const double *values = o->piggyback.values;

    if (!exchange(o, step)) {
        portolan_throw(_ex, PORTOLAN_EIO, "the ranks did not learn what to swap");
        return OPTIMIZER_STAY;
    }
    o->piggyback.has_arrived = false;
    o->asks = values[ASKS] > 0;
    if (values[HASH] != -values[MINUS_HASH]) {
        report_difference(o, step, _ex);
        return OPTIMIZER_STAY;
    }
    if (optimizer_ban_seen(o, step, ""))
        return OPTIMIZER_DECIDE;
    if (values[TODO] == OPTIMIZER_SWAP)
        for (size_t i = 0; i < o->assembly->n_instances; i++)
            o->wanted[i] = (int32_t)o->choice[i];
    return (enum optimizer_todo)values[TODO];
}
