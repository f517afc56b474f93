/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares a running assembly's choice with its alternatives, and the times of a step with the
 * models. */
#include "advise.h"
#include "confidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more variables than this, no costs are drawn: chances would take too long. */
enum { MOST_TO_DRAW = 24 };
/* A call path is reported if its model is wrong by this share of the step. */
static const double matters = 0.02;

struct weighing {
    struct advising a;
    struct portolan_choice_solution *best; /* NULL: nothing is allowed */
    struct plan_confidence sure;
    size_t *selection; /* scratch */
    struct portolan_arena *texts;
};

/* ---- chances ---- */

/* Finds the chances of all alternatives, and *CHANCE of the choice; NaN where nothing is allowed.
 */
static enum portolan_status draw(struct weighing *w, double *chance)
{
    const struct portolan_plan *p = w->a.p;
    size_t *values = portolan_arena_alloc(&w->a.pool, p->n_core + 1, sizeof *values);
    enum portolan_status status = values ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    *chance = NAN;
    if (status || !w->best || p->n_core > MOST_TO_DRAW)
        return status;
    plan_put_values(&w->a.view, w->a.chosen, values);
    status = plan_be_confident(&w->a.view, values, &w->a.pool, &w->sure);
    if (status) {
        w->sure.shares = NULL;
        return status == PORTOLAN_EINFEASIBLE ? PORTOLAN_OK : status;
    }
    *chance = w->sure.base_chance;
    return PORTOLAN_OK;
}

/* ---- alternatives ---- */

static const char *binding_of(const struct plan_view *v, const struct plan_forbidden *f)
{
    static const char *const bounds[] = {[PLAN_BY_CONVERSION] = "conversion",
                                         [PLAN_BY_MEMORY] = "memory",
                                         [PLAN_BY_ACCURACY] = "accuracy"};
    static const char *const verdicts[] = {
        [PLAN_ADMITTED] = "unmeasured", [PLAN_FAILED] = "failure",
        [PLAN_STOPPED] = "failure",     [PLAN_INACCURATE] = "accuracy",
        [PLAN_UNPROVEN] = "unproven",   [PLAN_INAPPLICABLE] = "condition"};

    if (f->by != PLAN_BY_PATH)
        return bounds[f->by];
    return verdicts[f->tuple == NONE ? PLAN_ADMITTED : v->costs[f->path][f->tuple].verdict.kind];
}

/* The rows of all call paths that an instance provides. */
static size_t count_rows(const struct portolan_plan *p, size_t variable, const size_t *selection)
{
    size_t n = 0;

    for (size_t i = 0; i < p->s.n_nodes; i++) {
        size_t tuple = p->s.nodes[i].variable == variable
                           ? plan_tuple_of(p, &p->paths[i].scope, selection)
                           : NONE;

        if (tuple != NONE && p->paths[i].tuples[tuple].seen)
            n += p->paths[i].tuples[tuple].exclusive.n_rows;
    }
    return n;
}

size_t portolan_plan_count_steps(const struct portolan_plan *p, const int32_t *current,
                                 size_t instance, size_t alternative)
{
    size_t *selection = portolan_calloc(p->s.n_variables + 1, sizeof *selection), n = 0;

    if (!selection)
        return 0;
    plan_read_selection(&p->s, current, selection);
    for (size_t v = 0; v < p->s.n_variables; v++)
        if (p->s.variables[v].instance == &p->s.a->instances[instance]) {
            selection[v] = alternative;
            n = count_rows(p, v, selection);
        }
    free(selection);
    return n;
}

int portolan_plan_first_steps(const struct portolan_plan *p, const int32_t *current)
{
    double most = 0;

    for (size_t v = 0; v < p->s.n_variables; v++) {
        const struct survey_variable *x = &p->s.variables[v];

        most = fmax(most, x->first[current[x->instance - p->s.a->instances]]);
    }
    return (int)most;
}

/* The time of one step with its interval, without what is spent once. */
static void step_of(const struct portolan_plan_prediction *t, double *step, double *low,
                    double *high)
{
    int steps = t->steps > 0 ? t->steps : 1;

    *step = t->step_ns;
    *low = fmax(0, t->step_ns - (t->total_ns - t->low_ns) / steps);
    *high = t->step_ns + (t->high_ns - t->total_ns) / steps;
}

static enum portolan_status weigh_one(struct weighing *w, struct portolan_alternative *out)
{
    const struct portolan_plan *p = w->a.p;
    size_t v = survey_variable_of(&p->s, out->instance);
    size_t k = v == NONE ? NONE : survey_alternative_of(&p->s, v, out->implementation);
    size_t at = v == NONE ? NONE : p->number[v];
    struct portolan_plan_prediction t;
    struct plan_forbidden why;
    char text[300] = "";

    if (k == NONE)
        return PORTOLAN_ENOTFOUND;
    memcpy(w->selection, w->a.chosen, p->s.n_variables * sizeof *w->selection);
    w->selection[v] = k;
    out->rows = (int)count_rows(p, v, w->selection);
    out->binding = "";
    out->step_ns = out->low_ns = out->high_ns = out->forced_ns = out->chance = NAN;
    if (plan_total(&w->a.view, w->selection, &t, &why)) {
        step_of(&t, &out->step_ns, &out->low_ns, &out->high_ns);
        if (t.n_extrapolating)
            snprintf(text, sizeof text, "outside the measured range");
    } else {
        out->binding = binding_of(&w->a.view, &why);
        plan_explain_forbidden(&w->a.view, &why, text, sizeof text);
    }
    if (at == NONE)
        snprintf(text, sizeof text, "insignificant: not compared");
    if (at != NONE && w->best && isfinite(w->best->margins[at][k]))
        out->forced_ns = w->best->margins[at][k];
    if (at != NONE && w->sure.shares)
        out->chance = w->sure.shares[at][k];
    out->text = portolan_arena_strdup(w->texts, text);
    return out->text ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

static void weigh_choice(struct weighing *w, struct portolan_reason *r)
{
    const struct portolan_plan *p = w->a.p;
    struct portolan_plan_prediction t;
    size_t changes = 0;

    r->now_ns = r->step_ns = r->low_ns = r->high_ns = r->cost_ns = NAN;
    if (plan_total(&w->a.view, w->a.current, &t, NULL))
        r->now_ns = t.step_ns;
    for (size_t v = 0; v < p->s.n_variables; v++)
        changes += w->a.chosen[v] != w->a.current[v];
    if (plan_total(&w->a.view, w->a.chosen, &t, NULL)) {
        step_of(&t, &r->step_ns, &r->low_ns, &r->high_ns);
        r->cost_ns = t.setup_ns + (double)changes * w->a.now->swap_ns;
    }
    r->steps = w->a.now->remaining_steps;
    r->trials = 0;
    for (size_t i = 0; i < p->s.n_trials; i++)
        r->trials += p->s.trials[i].n_rows > 0 && !p->s.trials[i].failed;
}

/* The least costs of the remaining steps with each alternative forced. */
static enum portolan_status find_margins(struct weighing *w, struct portolan_error *err)
{
    struct portolan_choice *problem = NULL;
    enum portolan_status status;

    plan_advising_ask(&w->a, true);
    status = plan_make_problem(&w->a.view, &problem, err);
    if (!status)
        status = portolan_choice_solve(problem, true, &w->best, NULL);
    portolan_choice_destroy(problem);
    return status == PORTOLAN_EINFEASIBLE ? PORTOLAN_OK : status;
}

static enum portolan_status prepare(struct weighing *w, const int32_t *choice,
                                    struct portolan_error *err)
{
    const struct survey *s = &w->a.p->s;
    enum portolan_status status = plan_advising_open(&w->a);

    w->selection = portolan_arena_alloc(&w->a.pool, s->n_variables + 1, sizeof *w->selection);
    if (status || !w->selection)
        return status ? status : PORTOLAN_ENOMEM;
    plan_read_selection(s, choice, w->a.chosen);
    return find_margins(w, err);
}

enum portolan_status portolan_plan_weigh(const struct portolan_plan *p,
                                         const struct portolan_plan_now *now, const int32_t *choice,
                                         struct portolan_reason *r,
                                         struct portolan_alternative *alternatives, size_t n,
                                         struct portolan_arena *pool, struct portolan_error *err)
{
    struct weighing w = {.a = {.p = p, .now = now}, .texts = pool};
    enum portolan_status status = prepare(&w, choice, err);

    if (!status)
        status = draw(&w, &r->chance);
    if (!status)
        weigh_choice(&w, r);
    for (size_t i = 0; !status && i < n; i++)
        status = weigh_one(&w, &alternatives[i]);
    portolan_choice_solution_destroy(w.best);
    portolan_arena_clear(&w.a.pool);
    return status ? portolan_error_set(err, status, "weighing a choice") : PORTOLAN_OK;
}

/* ---- a step that ended ---- */

/* The measured time of one call path in a step. */
struct path_seen {
    double calls, exclusive_ns;
    const struct portolan_sample *sample; /* one of its samples, for the names */
};

static enum portolan_status sum_samples(struct advising *a, struct path_seen *seen, double *step_ns)
{
    const struct portolan_plan_now *now = a->now;
    struct portolan_sample_estimate *e = portolan_arena_alloc(&a->pool, now->n_samples, sizeof *e);

    if (!e)
        return PORTOLAN_ENOMEM;
    portolan_samples_estimate(now->samples, now->n_samples, e);
    for (size_t i = 0; i < now->n_samples; i++) {
        struct path_seen *at = a->paths[i] == NONE ? NULL : &seen[a->paths[i]];

        if (now->samples[i].rank != a->rank || !at || !e[i].known)
            continue;
        at->calls += (double)now->samples[i].calls;
        at->exclusive_ns += e[i].exclusive_ns;
        at->sample = &now->samples[i];
        *step_ns += e[i].exclusive_ns;
    }
    return PORTOLAN_OK;
}

/* Fills *MISS if the call path was not as its model says. */
static bool is_missed(const struct advising *a, size_t path, const struct path_seen *seen,
                      double step_ns, struct portolan_plan_miss *miss)
{
    size_t tuple = plan_tuple_of(a->p, &a->p->paths[path].scope, a->current);
    const struct plan_cost *c = tuple == NONE ? NULL : &a->view.costs[path][tuple];
    const struct portolan_sample *x = seen->sample;
    double off;

    if (!c || !c->allowed || c->guessed || !(seen->calls > 0))
        return false;
    *miss = (struct portolan_plan_miss){.expected_ns = seen->calls * c->exclusive.value,
                                        .low_ns = seen->calls * c->exclusive.low,
                                        .high_ns = seen->calls * c->exclusive.high,
                                        .measured_ns = seen->exclusive_ns,
                                        .outside = c->extrapolating > 0};
    off = fabs(miss->measured_ns - miss->expected_ns);
    if (!(off > matters * step_ns) ||
        (miss->measured_ns >= miss->low_ns && miss->measured_ns <= miss->high_ns))
        return false;
    snprintf(miss->path, sizeof miss->path, "%.30s%s%.30s%s%.30s.%.30s [%.30s]", x->user,
             *x->user ? "." : "", x->uses, *x->user ? " -> " : "", x->instance, x->method,
             x->implementation);
    return true;
}

static double size_of(const struct portolan_plan_miss *m)
{
    return fabs(m->measured_ns - m->expected_ns);
}

/* Inserts a miss in order, and drops the least of more than MOST. */
static void keep_miss(const struct portolan_plan_miss *miss, struct portolan_plan_miss *misses,
                      size_t most, size_t *n)
{
    size_t at = *n;

    while (at > 0 && size_of(&misses[at - 1]) < size_of(miss))
        at--;
    if (at == most)
        return;
    *n += *n < most;
    memmove(&misses[at + 1], &misses[at], (*n - at - 1) * sizeof *misses);
    misses[at] = *miss;
}

enum portolan_status portolan_plan_compare(const struct portolan_plan *p,
                                           const struct portolan_plan_now *now,
                                           struct portolan_plan_miss *misses, size_t most,
                                           size_t *n, struct portolan_error *err)
{
    struct advising a = {.p = p, .now = now};
    enum portolan_status status = plan_advising_open(&a);
    struct path_seen *seen = portolan_arena_alloc(&a.pool, p->s.n_nodes + 1, sizeof *seen);
    struct portolan_plan_miss miss;
    double step_ns = 0;

    *n = 0;
    if (!status)
        status = seen ? sum_samples(&a, seen, &step_ns) : PORTOLAN_ENOMEM;
    for (size_t i = 0; !status && i < p->s.n_nodes; i++)
        if (is_missed(&a, i, &seen[i], step_ns, &miss))
            keep_miss(&miss, misses, most, n);
    portolan_arena_clear(&a.pool);
    return status ? portolan_error_set(err, status, "comparing a step") : PORTOLAN_OK;
}
