/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a running assembly should change now: whether the remaining steps gain more than
 * the change costs, with enough chance. */
#include "advise.h"
#include "confidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A change needs this chance to gain, within the measured range and outside it. */
static const double chance_to_change = 0.7, chance_to_hope = 0.9;

void plan_read_selection(const struct survey *s, const int32_t *current, size_t *selection)
{
    for (size_t v = 0; v < s->n_variables; v++)
        selection[v] = (size_t)current[s->variables[v].instance - s->a->instances];
}

/* The call path of a sample, below its caller's path (-1: none); NONE: not in the plan. */
static size_t path_of(const struct survey *s, const struct portolan_sample *x, long caller)
{
    for (size_t n = 0; n < s->n_nodes; n++)
        if (s->nodes[n].parent == caller && survey_same_call(&s->nodes[n], x))
            return n;
    return NONE;
}

void plan_find_paths(const struct survey *s, const struct portolan_sample *samples, size_t n,
                     size_t *paths)
{
    for (size_t i = 0; i < n; i++) {
        const struct portolan_sample *x = &samples[i];

        paths[i] = NONE;
        if (x->parent < 0)
            paths[i] = path_of(s, x, -1);
        else if ((size_t)x->parent < i && paths[x->parent] != NONE)
            paths[i] = path_of(s, x, (long)paths[x->parent]);
    }
}

static enum portolan_status add_context(struct advising *a, size_t path,
                                        const struct portolan_sample *x, double **share)
{
    struct profile *profile = &a->profiles[path];
    size_t most = a->now->n_samples;

    if (!profile->n) {
        profile->context = portolan_arena_alloc(&a->pool, most, sizeof *profile->context);
        profile->share = *share = portolan_arena_alloc(&a->pool, most, sizeof **share);
    }
    if (!profile->context || !*share)
        return PORTOLAN_ENOMEM;
    for (int k = 0; k < x->n_context && k < PORTOLAN_CONTEXT_MAX; k++)
        profile->context[profile->n][k] = x->context[k];
    (*share)[profile->n++] = x->calls > 0 ? (double)x->calls : 1;
    return PORTOLAN_OK;
}

/* Reads the contexts of the last step on the slowest rank, per call path. */
static enum portolan_status read_samples(struct advising *a)
{
    const struct survey *s = &a->p->s;
    const struct portolan_plan_now *now = a->now;
    double **shares = portolan_arena_alloc(&a->pool, s->n_nodes, sizeof *shares);
    double *work = portolan_arena_alloc(&a->pool, (size_t)s->ranks, sizeof *work);
    enum portolan_status status = PORTOLAN_OK;

    a->paths = portolan_arena_alloc(&a->pool, now->n_samples, sizeof *a->paths);
    if (a->pool.failed)
        return PORTOLAN_ENOMEM;
    a->rank = portolan_samples_slowest_rank(now->samples, now->n_samples, s->ranks, work);
    plan_find_paths(s, now->samples, now->n_samples, a->paths);
    for (size_t i = 0; !status && i < now->n_samples; i++)
        if (a->paths[i] != NONE && now->samples[i].rank == a->rank)
            status = add_context(a, a->paths[i], &now->samples[i], &shares[a->paths[i]]);
    for (size_t n = 0; !status && n < s->n_nodes; n++) {
        double sum = 0;

        for (size_t i = 0; i < a->profiles[n].n; i++)
            sum += shares[n][i];
        for (size_t i = 0; i < a->profiles[n].n; i++)
            shares[n][i] /= sum;
    }
    return status;
}

static bool is_banned(const struct advising *a, size_t variable, size_t alternative)
{
    const struct survey *s = &a->p->s;

    return a->now->may_run &&
           !a->now->may_run(a->now->arg,
                            (size_t)(s->variables[variable].instance - s->a->instances),
                            alternative);
}

void plan_advising_ask(struct advising *a, bool asks)
{
    for (size_t v = 0; v < a->p->s.n_variables; v++)
        for (size_t k = 0; a->p->number[v] != NONE && k < a->p->s.variables[v].n; k++) {
            bool runs = k == a->current[v];

            a->view.once[v][k] = (asks || runs) && is_banned(a, v, k) ? INFINITY
                                 : runs                               ? 0
                                                                      : a->now->swap_ns;
        }
}

static enum portolan_status solve_problem(struct advising *a, bool asks, double *cost_now,
                                          double *cost_then, struct portolan_error *err)
{
    const struct survey *s = &a->p->s;
    struct portolan_choice_solution *solution = NULL;
    struct portolan_choice *problem = NULL;
    size_t *values = portolan_arena_alloc(&a->pool, a->p->n_core, sizeof *values);
    enum portolan_status status;

    if (!values)
        return PORTOLAN_ENOMEM;
    plan_put_values(&a->view, a->current, values);
    plan_advising_ask(a, asks);
    status = plan_make_problem(&a->view, &problem, err);
    if (!status)
        status = portolan_choice_solve(problem, false, &solution, NULL);
    memcpy(a->chosen, a->current, s->n_variables * sizeof *a->chosen);
    *cost_now = *cost_then = INFINITY;
    if (!status) {
        *cost_now = portolan_choice_cost(problem, values);
        *cost_then = solution->cost;
        for (size_t v = 0; v < s->n_variables; v++)
            if (a->p->number[v] != NONE)
                a->chosen[v] = solution->values[a->p->number[v]];
    }
    portolan_choice_solution_destroy(solution);
    portolan_choice_destroy(problem);
    return status == PORTOLAN_EINFEASIBLE ? PORTOLAN_OK : status;
}

/* Returns whether the change leads to a banned alternative. Only what would change is asked, since
 * most steps change nothing, and the answer may take long. */
static bool changes_to_banned(const struct advising *a)
{
    for (size_t v = 0; v < a->p->s.n_variables; v++)
        if (a->chosen[v] != a->current[v] && is_banned(a, v, a->chosen[v]))
            return true;
    return false;
}

static void list_changes(const struct advising *a, struct portolan_plan_advice *out)
{
    const struct survey *s = &a->p->s;

    for (size_t v = 0; v < s->n_variables; v++) {
        const struct portolan_assembly_instance *x = s->variables[v].instance;

        if (a->chosen[v] != a->current[v])
            out->changes[out->n_changes++] =
                (struct portolan_plan_change){(size_t)(x - s->a->instances), a->chosen[v], x->name,
                                              x->alternatives[a->current[v]].class_name,
                                              x->alternatives[a->chosen[v]].class_name};
    }
}

static const char *extrapolation_mark(const struct portolan_plan_prediction *x)
{
    return x->n_extrapolating ? " (outside the measured range)" : "";
}

static void say_change(const struct advising *a, struct portolan_plan_advice *out)
{
    char then[32], now[32], gain[32], cost[32];
    size_t used = 0;

    for (size_t i = 0; i < out->n_changes && used < sizeof out->reason; i++)
        used += (size_t)snprintf(out->reason + used, sizeof out->reason - used, "%s%s %s -> %s",
                                 i ? ", " : "", out->changes[i].instance, out->changes[i].from,
                                 out->changes[i].to);
    portolan_format_time(out->then_step_ns, 3, then, sizeof then);
    portolan_format_time(out->now_step_ns, 3, now, sizeof now);
    portolan_format_time(out->gain_ns, 3, gain, sizeof gain);
    portolan_format_time(out->cost_ns, 3, cost, sizeof cost);
    if (used >= sizeof out->reason)
        return;
    if (isinf(out->now_step_ns))
        snprintf(out->reason + used, sizeof out->reason - used,
                 ": predicted %s per step; the running implementation is not allowed", then);
    else
        snprintf(out->reason + used, sizeof out->reason - used,
                 ": predicted %s instead of %s per step (gain %s over %d step%s, swap %s)%s", then,
                 now, gain, a->now->remaining_steps, a->now->remaining_steps == 1 ? "" : "s", cost,
                 extrapolation_mark(&out->remaining));
}

/* Returns whether any implementation other than the current one may be used. */
static bool knows_others(struct advising *a)
{
    const struct survey *s = &a->p->s;
    struct portolan_plan_prediction ignored;
    bool known = false;

    memcpy(a->chosen, a->current, s->n_variables * sizeof *a->chosen);
    for (size_t v = 0; v < s->n_variables && !known; v++) {
        for (size_t k = 0; k < s->variables[v].n && !known; k++) {
            a->chosen[v] = k;
            known = k != a->current[v] && a->p->number[v] != NONE &&
                    plan_total(&a->view, a->chosen, &ignored, NULL);
        }
        a->chosen[v] = a->current[v];
    }
    return known;
}

/* Returns whether a call path that would change is predicted without its contexts, which the next
 * step will show. */
static bool changes_blindly(const struct advising *a)
{
    const struct portolan_plan *p = a->p;

    for (size_t i = 0; i < p->s.n_nodes; i++) {
        size_t then = plan_tuple_of(p, &p->paths[i].scope, a->chosen);

        if (then != NONE && then != plan_tuple_of(p, &p->paths[i].scope, a->current) &&
            isinf(a->view.costs[i][then].octaves))
            return true;
    }
    return false;
}

/* Returns whether a change is likely enough to gain; *CHANCE: how likely. */
static bool is_likely(const struct advising *a, double exchange_ns,
                      const struct portolan_plan_prediction *now,
                      const struct portolan_plan_prediction *then, double *chance)
{
    bool hoped = then->n_extrapolating > now->n_extrapolating;

    *chance = changes_blindly(a) ? 0 : plan_chance(&a->view, a->chosen, a->current, exchange_ns);
    return !plan_is_doubted(then, *chance) &&
           *chance >= (hoped ? chance_to_hope : chance_to_change);
}

/* Chooses what runs now, and gives the reason. */
static void stay(struct advising *a, bool now_allowed, const struct portolan_plan_prediction *now,
                 struct portolan_plan_advice *out)
{
    bool knows = now_allowed && !now->is_unusable && knows_others(a);

    if (!now_allowed)
        snprintf(out->reason, sizeof out->reason,
                 "stays: neither what runs nor any alternative is known to work here");
    else if (now->is_unusable)
        snprintf(out->reason, sizeof out->reason,
                 "stays: a step may take over 5 times as long as predicted%s",
                 extrapolation_mark(now));
    else if (knows)
        snprintf(out->reason, sizeof out->reason, "stays: no alternative is better%s",
                 extrapolation_mark(now));
    else
        snprintf(out->reason, sizeof out->reason,
                 "stays: no alternative was measured here on %d rank%s: a longer run tries them",
                 a->p->s.ranks, a->p->s.ranks == 1 ? "" : "s");
    out->is_ignorant = !knows;
    memcpy(a->chosen, a->current, a->p->s.n_variables * sizeof *a->chosen);
}

/*
 * Returns whether a change gains enough, with enough chance. If not, OUT gets the reason to stay.
 */
static bool is_worth_it(struct advising *a, double cost_now, double cost_then,
                        const struct portolan_plan_prediction *now,
                        const struct portolan_plan_prediction *then,
                        struct portolan_plan_advice *out)
{
    double exchange_ns = (double)out->n_changes * a->now->swap_ns, chance;
    char gain[32], all[32];

    portolan_format_time(fmax(0, cost_now - cost_then), 3, gain, sizeof gain);
    portolan_format_time(cost_now, 3, all, sizeof all);
    if (!(cost_now - cost_then > a->now->hysteresis * cost_now))
        snprintf(out->reason, sizeof out->reason,
                 "stays: the best change would gain %s of %s, less than %g %%", gain, all,
                 100 * a->now->hysteresis);
    else if ((out->is_ignorant = !is_likely(a, exchange_ns, now, then, &chance)))
        snprintf(
            out->reason, sizeof out->reason,
            "stays: cannot tell whether a change would gain %s of %s, with a chance of %.0f %%%s%s",
            gain, all, 100 * chance,
            plan_is_doubted(then, chance)
                ? "; a step may then take over 5 times as long as predicted"
                : "",
            extrapolation_mark(then));
    else
        return true;
    return false;
}

static void describe_change(struct advising *a, double gain_ns,
                            struct portolan_plan_prediction *then, struct portolan_plan_advice *out)
{
    out->then_step_ns = then->step_ns;
    out->cost_ns = then->setup_ns + (double)out->n_changes * a->now->swap_ns;
    out->gain_ns = gain_ns;
    then->total_ns -= then->setup_ns;
    then->low_ns = fmax(0, then->low_ns - then->setup_ns);
    then->high_ns -= then->setup_ns;
    then->setup_ns = 0;
    out->remaining = *then;
    say_change(a, out);
}

static enum portolan_status decide_change(struct advising *a, struct portolan_plan_advice *out,
                                          struct portolan_error *err)
{
    const struct portolan_plan *p = a->p;
    struct portolan_plan_prediction now, then;
    double cost_now, cost_then;
    enum portolan_status status = solve_problem(a, false, &cost_now, &cost_then, err);
    bool now_allowed;

    if (!status && changes_to_banned(a))
        status = solve_problem(a, true, &cost_now, &cost_then, err);
    if (status)
        return status;
    now_allowed = plan_total(&a->view, a->current, &now, NULL);
    for (size_t v = 0; v < p->s.n_variables; v++)
        now_allowed = now_allowed && !is_banned(a, v, a->current[v]);
    if (!now_allowed)
        now = (struct portolan_plan_prediction){.step_ns = INFINITY, .total_ns = INFINITY};
    out->now_step_ns = out->then_step_ns = now.step_ns;
    out->remaining = now;
    list_changes(a, out);
    if (!out->n_changes || !plan_total(&a->view, a->chosen, &then, NULL)) {
        out->n_changes = 0;
        stay(a, now_allowed, &now, out);
    } else if (now_allowed && !is_worth_it(a, cost_now, cost_then, &now, &then, out)) {
        out->n_changes = 0;
    } else {
        describe_change(a, cost_now - cost_then, &then, out);
    }
    return PORTOLAN_OK;
}

enum portolan_status plan_advising_open(struct advising *a)
{
    const struct portolan_plan_now *now = a->now;
    const struct survey *s = &a->p->s;
    enum portolan_status status;

    a->current = portolan_arena_alloc(&a->pool, s->n_variables, sizeof *a->current);
    a->chosen = portolan_arena_alloc(&a->pool, s->n_variables, sizeof *a->chosen);
    a->profiles = portolan_arena_alloc(&a->pool, s->n_nodes, sizeof *a->profiles);
    if (!a->current || !a->chosen || !a->profiles)
        return PORTOLAN_ENOMEM;
    a->view = a->p->recent;
    a->view.steps = now->remaining_steps;
    a->view.current = a->current;
    plan_read_selection(s, now->current, a->current);
    status = read_samples(a);
    if (!status)
        plan_view_fill(
            &a->view, a->profiles,
            &(struct plan_known){now->n_announced, now->announced_names, now->announced_values});
    return status;
}

enum portolan_status portolan_plan_advise(const struct portolan_plan *p,
                                          const struct portolan_plan_now *now,
                                          struct portolan_plan_advice **advice,
                                          struct portolan_error *err)
{
    struct advising a = {.p = p, .now = now};
    struct portolan_plan_advice *out = portolan_calloc(1, sizeof *out);
    enum portolan_status status = PORTOLAN_ENOMEM;

    if (!out)
        goto out;
    out->changes = portolan_calloc(p->s.n_variables + 1, sizeof *out->changes);
    status = out->changes ? plan_advising_open(&a) : PORTOLAN_ENOMEM;
    if (!status)
        status = decide_change(&a, out, err);
out:
    portolan_arena_clear(&a.pool);
    if (status) {
        portolan_plan_advice_destroy(out);
        return portolan_error_set(err, status, "advising a running assembly");
    }
    *advice = out;
    return PORTOLAN_OK;
}

void portolan_plan_advice_destroy(struct portolan_plan_advice *advice)
{
    if (!advice)
        return;
    free(advice->changes);
    free(advice);
}
