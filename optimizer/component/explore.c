/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explores while the program runs: alternatives without a model, or with one that is too uncertain,
 * are tried between steps, as the race says (<portolan/race.h>). It runs on rank 0, and takes the
 * times of the slowest rank.
 */
#include "component.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A model is certain enough of an alternative that costs this many times as much as the incumbent …
 */
static const double much_more = 1.25;
/* … if it was measured in this many steps without first calls. */
enum { CONFIRMED_STEPS = 20 };

/* ------------------------------------------------- what is known beforehand */

/* Returns whether memory, condition or query of an alternative excludes it whatever it is called
 * with. */
static bool is_excluded(const struct optimizer *o, size_t instance, size_t k)
{
    const struct portolan_assembly *a = o->assembly;

    return (a->memory > 0 &&
            !(portolan_plan_memory(a, o->cohort->size, o->current, instance, k) <= a->memory)) ||
           portolan_plan_excludes(a, instance, k);
}

static const struct portolan_answer_variable *
find_variable(const struct portolan_plan_answer *choice, const char *instance)
{
    for (size_t v = 0; choice && v < choice->n_variables; v++)
        if (strcmp(choice->variables[v].instance, instance) == 0)
            return &choice->variables[v];
    return NULL;
}

/* Gives the race what the models predict of alternative K, relative to the current one. */
static void expect(struct optimizer *o, const struct portolan_plan_answer *choice, size_t instance,
                   size_t k)
{
    const struct portolan_answer_variable *v =
        find_variable(choice, o->assembly->instances[instance].name);
    const struct portolan_answer_option *x = v && v->core ? &v->options[k] : NULL;
    size_t now = (size_t)o->current[instance];
    bool is_sure = choice && choice->verdict != PORTOLAN_ANSWER_CANNOT_TELL;
    double ratio = 1; /* remains 1 for the current one */
    size_t seen;

    if (k != now && (is_excluded(o, instance, k) || (x && isinf(x->total_ns) && !x->is_unknown))) {
        ratio = INFINITY;
        is_sure = true;
    } else if (k != now && (!v || (x && x->is_unknown))) {
        return;
    } else if (k != now && !x) { /* insignificant */
        is_sure = true;
    } else if (k != now) {
        ratio = x->total_ns / (isinf(v->options[now].total_ns) ? v->options[v->chosen].total_ns
                                                               : v->options[now].total_ns);
        seen = portolan_plan_count_steps(o->mind.plan, o->current, instance, k);
        if (!seen) {
            portolan_race_expect_first(o->mind.race, instance, k, ratio);
            return;
        }
        is_sure = is_sure || (ratio > much_more && seen >= CONFIRMED_STEPS);
    }
    portolan_race_expect(o->mind.race, instance, k, ratio, is_sure);
}

static void expect_all(struct optimizer *o)
{
    const struct portolan_plan_answer *choice = NULL;

    if (o->mind.plan && portolan_plan_choose(o->mind.plan, &choice, NULL))
        choice = NULL;
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        for (size_t k = 0; k < o->assembly->instances[i].n_alternatives; k++)
            expect(o, choice, i, k);
}

/* ------------------------------------------------- beginning */

static size_t position_of(const struct portolan_assembly *a, const char *instance)
{
    return (size_t)(portolan_assembly_peek_instance(a, instance) - a->instances);
}

static bool begin(struct optimizer *o)
{
    const struct portolan_assembly *a = o->assembly;
    struct portolan_arena pool = {0};
    size_t *counts = portolan_arena_alloc(&pool, a->n_instances, sizeof *counts);
    size_t(*pairs)[2] = portolan_arena_alloc(&pool, a->n_pairs, sizeof *pairs);
    struct portolan_race_options options = {.n_instances = a->n_instances,
                                            .n_alternatives = counts,
                                            .n_pairs = a->n_pairs,
                                            .pairs = (const size_t(*)[2])pairs,
                                            .hysteresis = o->hysteresis,
                                            .may_run = optimizer_may_run,
                                            .arg = o};

    for (size_t i = 0; !pool.failed && i < a->n_instances; i++)
        counts[i] = a->instances[i].n_alternatives;
    for (size_t p = 0; !pool.failed && p < a->n_pairs; p++) {
        pairs[p][0] = position_of(a, a->pairs[p].of);
        pairs[p][1] = position_of(a, a->pairs[p].with);
    }
    if (pool.failed || portolan_race_create(&options, o->current, &o->mind.race, NULL)) {
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "explores nothing: out of memory");
        o->explores = false; /* and logs that once */
    } else {
        expect_all(o);
    }
    portolan_arena_clear(&pool);
    return o->mind.race;
}

/* ------------------------------------------------- a step that ended */

/* A number that changes when the contexts of the calls do. Calls of instances that may change do
 * not count. */
static double stand_for_data(const struct optimizer *o)
{
    double most = 0;

    for (size_t i = 0; i < o->n_step_samples; i++) {
        const struct portolan_sample *x = &o->step_samples[i];
        const struct portolan_assembly_instance *caller =
            portolan_assembly_peek_instance(o->assembly, x->user);
        double sum = 0;

        for (int k = 0; k < x->n_context; k++)
            sum += log1p(fabs(x->context[k]));
        if (sum > most && !(caller && caller->n_alternatives > 1))
            most = sum;
    }
    return most;
}

/* The first calls with other data are first ones, too, unless the data change with each step. */
static void notice_data(struct optimizer *o)
{
    double data = stand_for_data(o);
    bool differs = !(fabs(data - o->data) < PORTOLAN_RACE_OTHER_DATA);

    o->is_new_data = differs && !o->other_data;
    o->other_data = differs;
    o->data = data;
}

/* Returns whether the calls of sample I were made within another call of the same instance. */
static bool is_nested(const struct portolan_sample *samples, size_t i)
{
    const char *instance = samples[i].instance;

    while (samples[i].parent >= 0 && (size_t)samples[i].parent < i) {
        i = (size_t)samples[i].parent;
        if (!strcmp(samples[i].instance, instance))
            return true;
    }
    return false;
}

static double time_steps(struct optimizer *o)
{
    double whole = 0;

    memset(o->spent_ns, 0, o->assembly->n_instances * sizeof *o->spent_ns);
    for (size_t i = 0; i < o->n_step_samples; i++) {
        const struct portolan_sample *x = &o->step_samples[i];

        whole += x->parent < 0 ? x->inclusive_ns : 0;
        if (portolan_assembly_peek_instance(o->assembly, x->instance) &&
            !is_nested(o->step_samples, i))
            o->spent_ns[position_of(o->assembly, x->instance)] += x->inclusive_ns;
    }
    return whole;
}

/*
 * Divides the calls and times of N_STEPS steps to those of one; the time of a call stays as it is.
 */
static void take_one_of(struct portolan_sample *x, int n_steps)
{
    int64_t calls = x->calls >= n_steps || !x->calls ? x->calls / n_steps : 1;
    double share = x->calls ? (double)calls / (double)x->calls : 1.0 / n_steps;

    if (x->timed_calls > 0)
        x->timed_calls = (int64_t)fmax(1, (double)x->timed_calls * share);
    x->calls = calls;
    x->inclusive_ns *= share;
    x->exclusive_ns *= share;
    x->mpi_ns *= share;
}

/* Replaces the samples of a group of steps by those of its mean step, because the plan knows single
 * steps. */
static void take_one_step(struct optimizer *o)
{
    size_t n = o->n_step_samples;
    struct portolan_sample *copies;

    portolan_arena_clear(&o->mind.one_step);
    if (o->n_ended == 1 || !n)
        return;
    copies = portolan_arena_alloc(&o->mind.one_step, n, sizeof *copies);
    o->n_step_samples = copies ? n : 0; /* without memory nothing is learned */
    for (size_t i = 0; i < o->n_step_samples; i++) {
        copies[i] = o->step_samples[i];
        take_one_of(&copies[i], o->n_ended);
    }
    o->step_samples = copies;
}

void optimizer_take_steps(struct optimizer *o, int step, const struct portolan_sample *samples,
                          size_t n)
{
    o->ended = o->step < step ? o->step : o->step_before;
    if (o->ended < 0 || o->ended >= step)
        o->ended = step - 1;
    o->n_ended = step - o->ended;
    o->step_samples = samples;
    o->n_step_samples = n;
    o->ended_ns = time_steps(o);
    take_one_step(o);
    notice_data(o);
}

static void see(struct optimizer *o)
{
    portolan_race_see(o->mind.race, &(struct portolan_race_step){
                                        .ns = o->ended_ns,
                                        .steps = o->n_ended,
                                        .selection = o->current,
                                        .is_first = o->ended == 0 || o->swap_step == o->ended,
                                        .inclusive_ns = o->spent_ns,
                                        .data = o->data});
}

/* ------------------------------------------------- what follows */

/* The reason of a change that the race wants. */
static void give_reason(struct optimizer *o, const struct portolan_race_summary *s)
{
    size_t bytes = o->assembly->n_instances * sizeof *o->wanted;
    bool goes_back = memcmp(o->wanted, s->incumbent, bytes) == 0;
    const char *finding = goes_back ? NULL : optimizer_peek_finding(o);
    char *changes = optimizer_change_text(o), cost[32], budget[32];

    portolan_format_time(s->cost_ns, 3, cost, sizeof cost);
    portolan_format_time(s->budget_ns, 3, budget, sizeof budget);
    snprintf(o->mind.reason, sizeof o->mind.reason,
             "%s %.200s: %s%.150s%s%s (exploring has cost %s of %s)",
             goes_back ? "goes back:" : "tries", changes ? changes : "", finding ? "remedies " : "",
             finding ? finding : "", finding ? "; " : "", s->reason, cost, budget);
    free(changes);
}

/* The models learn from what this run has tried, and its decision is kept for the next. */
static void hand_over(struct optimizer *o)
{
    struct portolan_race_summary s = portolan_race_peek(o->mind.race);

    if (o->mind.kept_visits == s.visits)
        return;
    o->mind.kept_visits = s.visits;
    o->mind.from_store = false;
    if (!o->mind.plan || o->mind.kept_tried != s.n_tried)
        optimizer_make_plan(o); /* the plan learned all other steps one by one */
    o->mind.kept_tried = s.n_tried;
    snprintf(o->mind.reason, sizeof o->mind.reason, "best of %zu that were tried in this run",
             s.n_tried + 1);
    optimizer_store_decision(o);
}

/* The cost of shorter groups: after a swap they begin again with one step, and double. */
static double price_of_groups(const struct optimizer *o)
{
    return o->n_ended > 1 ? log2(o->n_ended) * o->piggyback.visit_ns : 0;
}

bool optimizer_explore(struct optimizer *o, int step)
{
    struct optimizer_mind *m = &o->mind;
    struct portolan_race_limits limits = {.remaining_steps = optimizer_remaining(o, step),
                                          .is_open = !portolan_assembly_steps(o->assembly),
                                          .swap_ns = m->swap_ns + price_of_groups(o),
                                          .share = o->explores ? o->explore_share : 0,
                                          .most_ns = o->explore_s * 1e9,
                                          .rests = o->diagnosis};
    struct portolan_race_summary s;

    if (!m->race && (!o->explores || !begin(o)))
        return step > 0 && optimizer_is_diagnosing(o);
    if (step > 0 && step != m->explored_step)
        see(o);
    m->explored_step = step;
    m->asks = false;
    if (step > 0 && optimizer_is_diagnosing(o))
        return true;
    optimizer_take_findings(o);
    if (step > 0 && (m->asks = optimizer_wants_diagnosis(o, step)))
        return true;
    if (!portolan_race_next(m->race, &limits, o->wanted)) {
        if (portolan_race_peek(m->race).is_over)
            hand_over(o);
        return false;
    }
    s = portolan_race_peek(m->race);
    optimizer_put_number(o, PORTOLAN_FACT_EXPLORING, s.cost_ns);
    optimizer_put_number(o, PORTOLAN_FACT_EXPLORED, s.steps);
    if (optimizer_has_to_swap(o)) {
        give_reason(o, &s);
        optimizer_record(o, step, OPTIMIZER_EXPLORATION, NULL, NULL);
    }
    return true;
}

bool optimizer_knows_better(const struct optimizer *o)
{
    return o->mind.race && portolan_race_objects(o->mind.race, o->wanted);
}

void optimizer_report_exploring(const struct optimizer *o)
{
    struct portolan_race_summary s;
    char cost[32], usual[32];

    if (!o->mind.race || (s = portolan_race_peek(o->mind.race)).visits == 0)
        return;
    portolan_format_time(s.cost_ns, 3, cost, sizeof cost);
    portolan_format_time(s.usual_ns, 3, usual, sizeof usual);
    portolan_log(
        PORTOLAN_LOG_NOTICE, "optimizer",
        "explored %zu alternative%s in %d step%s, which cost %s (%.2g %% of the run; %g %% "
        "allowed): %s, %s per step",
        s.n_tried, s.n_tried == 1 ? "" : "s", s.steps, s.steps == 1 ? "" : "s", cost,
        100 * s.cost_ns / s.elapsed_ns, 100 * o->explore_share,
        s.changes ? "found a better assembly" : "found nothing better", usual);
}
