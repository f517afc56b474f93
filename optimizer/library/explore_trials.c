/* SPDX-License-Identifier: BSD-3-Clause */
/* The points of a sweep, small ones first, and the results of the trials at them. */
#include "explore.h"

#include <string.h>

/* The confidence of the intervals of means. */
static const double confidence = 0.95;

enum { MAX_POINTS = 10000 };

/* --- the points of the sweep: each case with each combination of varied values --- */

/* One dimension of the points: the values of a <vary>, or a column of the cases. */
struct axis {
    const struct portolan_assembly *a;
    const struct portolan_assembly_sweep *sweep; /* NULL: the values of COLUMN */
    size_t column;
};

static size_t axis_length(const struct axis *x)
{
    return x->sweep ? x->sweep->n_values : x->a->n_cases;
}

static const char *axis_text(const struct axis *x, size_t k)
{
    return x->sweep ? x->sweep->values[k] : x->a->cases[k].values[x->column];
}

/* The value divided by the largest one; 0 for texts. */
static double part_of_largest(const struct axis *x, size_t k)
{
    double value, other, most = 0;

    for (size_t i = 0; i < axis_length(x); i++) {
        if (!portolan_read_double(axis_text(x, i), &other))
            return 0;
        most = fmax(most, fabs(other));
    }
    return most > 0 && portolan_read_double(axis_text(x, k), &value) ? value / most : 0;
}

static double size_of(const struct survey *s, const size_t *point)
{
    double size = 0;

    for (size_t d = 0; d < s->n_dims; d++)
        size += part_of_largest(&(struct axis){s->a, s->dims[d].sweep, 0}, point[d]);
    for (size_t c = 0; s->a->n_cases && c < s->a->n_case_columns; c++)
        size += part_of_largest(&(struct axis){s->a, NULL, c}, point[s->n_dims]);
    return size;
}

enum portolan_status explore_list_points(struct exploration *e, struct portolan_error *err)
{
    const struct survey *s = &e->p.s;
    size_t total = s->a->n_cases ? s->a->n_cases : 1;

    for (size_t d = 0; d < s->n_dims; d++)
        if ((total *= s->dims[d].sweep->n_values) > MAX_POINTS)
            break;
    if (total > MAX_POINTS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the sweep has more than %d points",
                                  MAX_POINTS);
    e->points = portolan_arena_alloc(&e->pool, total, sizeof *e->points);
    e->sizes = portolan_arena_alloc(&e->pool, total, sizeof *e->sizes);
    if (!e->points || !e->sizes)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < total; i++) {
        size_t *point = portolan_arena_alloc(&e->pool, s->n_dims + 1, sizeof *point);
        size_t rest = i, k = i;
        double size;

        if (!point)
            return PORTOLAN_ENOMEM;
        for (size_t d = s->n_dims; d-- > 0;) {
            point[d] = rest % s->dims[d].sweep->n_values;
            rest /= s->dims[d].sweep->n_values;
        }
        point[s->n_dims] = rest;
        size = size_of(s, point);
        for (; k > 0 && e->sizes[k - 1] > size; k--) {
            e->points[k] = e->points[k - 1];
            e->sizes[k] = e->sizes[k - 1];
        }
        e->points[k] = point;
        e->sizes[k] = size;
    }
    e->n_points = total;
    return PORTOLAN_OK;
}

static bool is_at(const struct exploration *e, const struct survey_trial *t, const size_t *point)
{
    const struct survey *s = &e->p.s;

    for (size_t d = 0; d < s->n_dims; d++)
        if (!survey_same_value(t->texts[d], s->dims[d].sweep->values[point[d]]))
            return false;
    return survey_is_case(s, t->trial, point[s->n_dims]);
}

static bool has_what_is_set(const struct exploration *e, const struct portolan_trial *t)
{
    const struct portolan_assembly *a = e->p.s.a;

    for (size_t i = 0; i < a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *set = &a->sweeps[i];

        if (!set->varies &&
            !survey_same_value(survey_trial_parameter(t, set->instance, set->parameter),
                               set->values[0]))
            return false;
    }
    return true;
}

/* --- the results of the trials --- */

/* Returns whether the veto of any implementation in T was lifted: a trial that failed as a whole
 * does not say which one failed. */
static bool is_lifted_for_any(const struct survey *s, const struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_implementations; i++)
        if (survey_is_lifted(s, t->id, t->implementations[i].name, t->implementations[i].value))
            return true;
    return false;
}

static enum result result_of(const struct survey *s, const struct portolan_trial *t)
{
    if (strcmp(t->outcome, "finished") == 0)
        return RESULT_GOOD;
    if (strcmp(t->outcome, "stopped") == 0)
        return RESULT_STOPPED;
    if (strcmp(t->outcome, "running") == 0 || is_lifted_for_any(s, t))
        return RESULT_KILLED;
    return RESULT_FAILED;
}

/* Changes the result of finished trials with calls that failed or were not accurate enough. */
static void judge_samples(struct exploration *e)
{
    const struct survey *s = &e->p.s;
    size_t at = 0;

    for (size_t i = 0; i < s->data->n_samples; i++) {
        const struct portolan_sample *x = &s->data->samples[i];
        bool failed = x->failed_calls > 0;
        double wanted = portolan_plan_wanted_accuracy(s->a, x->instance);
        bool missed = wanted > 0 && x->quality > wanted;

        if (!failed && !missed)
            continue;
        while (at < s->n_trials && s->trials[at].trial->id < x->trial)
            at++;
        if (at == s->n_trials)
            break;
        if (s->trials[at].trial->id != x->trial || e->outcomes[at].result == RESULT_FAILED ||
            e->outcomes[at].result == RESULT_KILLED)
            continue;
        if (survey_is_lifted(s, x->trial, x->instance, x->implementation))
            e->outcomes[at].result = RESULT_KILLED;
        else
            e->outcomes[at].result = failed ? RESULT_FAILED : RESULT_INACCURATE;
    }
}

enum portolan_status explore_list_outcomes(struct exploration *e)
{
    const struct survey *s = &e->p.s;

    e->outcomes = portolan_arena_alloc(&e->pool, s->n_trials, sizeof *e->outcomes);
    if (!e->outcomes)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->n_trials; i++) {
        const struct portolan_trial *t = s->trials[i].trial;
        struct outcome *o = &e->outcomes[i];

        *o = (struct outcome){NONE, s->trials[i].selection, result_of(s, t),
                              portolan_trial_peek_fact(t, PORTOLAN_STORE_DISTURBED),
                              t->elapsed_ns * 1e-9};
        for (size_t k = 0; o->point == NONE && k < e->n_points && has_what_is_set(e, t); k++)
            if (is_at(e, &s->trials[i], e->points[k]))
                o->point = k;
    }
    judge_samples(e);
    return PORTOLAN_OK;
}

bool explore_same_selection(const struct exploration *e, const size_t *a, const size_t *b)
{
    return memcmp(a, b, e->p.s.n_variables * sizeof *a) == 0;
}

static void tally_add(struct tally *t, double x)
{
    double before = x - t->mean;

    t->mean += before / (double)++t->n;
    t->squares += before * (x - t->mean);
}

double explore_tally_width(const struct tally *t)
{
    double n = (double)t->n;

    if (t->n < 2 || !(t->mean > 0))
        return INFINITY;
    return portolan_student_quantile(confidence, n - 1) * sqrt(t->squares / (n - 1) / n) / t->mean;
}

const struct tally *explore_tally_of(const struct cell *c)
{
    return c->clean.n ? &c->clean : &c->all;
}

static void add_outcome(struct cell *c, const struct exploration *e, size_t trial)
{
    const struct outcome *o = &e->outcomes[trial];

    c->n_failed += o->result == RESULT_FAILED;
    c->n_inaccurate += o->result == RESULT_INACCURATE;
    c->n_killed += o->result == RESULT_KILLED;
    c->n_stopped += o->result == RESULT_STOPPED;
    if (o->result == RESULT_STOPPED)
        c->bound_s = fmax(c->bound_s, o->elapsed_s);
    if (o->result != RESULT_GOOD)
        return;
    tally_add(&c->all, o->elapsed_s);
    if (!o->disturbed)
        tally_add(&c->clean, o->elapsed_s);
    if (e->p.s.trials[trial].n_rows)
        c->trial = trial;
}

size_t explore_n_trials(const struct cell *c)
{
    return c->all.n + c->n_failed + c->n_inaccurate + c->n_stopped;
}

bool explore_is_deadly(const struct cell *c)
{
    return c->n_killed > 1 && explore_n_trials(c) == 0;
}

bool explore_was_stopped(const struct cell *c)
{
    return c->n_stopped && !c->all.n;
}

bool explore_is_bad(const struct cell *c)
{
    return c->n_failed || explore_was_stopped(c) || c->n_inaccurate || explore_is_deadly(c);
}

char *explore_point_text(struct exploration *e, const size_t *point)
{
    const struct survey *s = &e->p.s;
    struct portolan_text text = {.arena = &e->pool};

    for (size_t d = 0; d < s->n_dims; d++)
        portolan_text_add(&text, "%s%s=%s", d ? " " : "", s->dims[d].name,
                          s->dims[d].sweep->values[point[d]]);
    for (size_t c = 0; s->a->n_cases && c < s->a->n_case_columns; c++)
        if (s->a->case_columns[c].instance) { /* the first parameter is the case's name */
            portolan_text_add(&text, "%s%s.%s=%s", s->n_dims ? " " : "",
                              s->a->case_columns[c].instance, s->a->case_columns[c].parameter,
                              s->a->cases[point[s->n_dims]].values[c]);
            break;
        }
    return plan_text(&text);
}

struct cell *explore_fill_cells(struct exploration *e, const size_t *selection)
{
    struct cell *cells = portolan_arena_alloc(&e->pool, e->n_points, sizeof *cells);

    for (size_t i = 0; cells && i < e->n_points; i++) {
        cells[i].trial = NONE;
        cells[i].times = NAN;
    }
    for (size_t i = 0; cells && i < e->p.s.n_trials; i++) {
        const struct outcome *o = &e->outcomes[i];

        if (o->point != NONE && explore_same_selection(e, o->selection, selection))
            add_outcome(&cells[o->point], e, i);
    }
    return cells;
}
