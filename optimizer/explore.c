/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What to measure next. The answer is computed anew from the trials there are: sweep points from
 * small to large, as written at all of them first, then the selections that the core's scopes need;
 * then all of these again, in turn, until their times are known well enough.
 */
#include "plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Left out of larger sizes: this many times the best at two sizes, and no better at the second. */
static const double hopeless = 5, no_better = 0.8;
/* Cases differ in more than their size: as many must have shown it. */
enum { HOPELESS_CASES = 5 };

/* Repeated until the interval of the mean is so narrow, unless twice the best is out of sight. */
static const double narrow = 0.05, confidence = 0.95, matters = 2;
/* What one trial alone may be wrong by. */
static const double single = 1.5;

enum { MAX_POINTS = 10000, MOST_TRIALS = 10, FAILED_ENOUGH = 3 };

/* What became of a trial. */
enum result { RESULT_GOOD, RESULT_FAILED, RESULT_INACCURATE, RESULT_KILLED };

struct tally {
    size_t n;
    double mean, squares; /* of the differences from the mean */
};

/* The trials of one selection at one point. */
struct cell {
    struct tally clean, all; /* seconds of good trials: of the undisturbed ones, and of all */
    size_t n_failed, n_inaccurate, n_killed;
    size_t trial; /* the last good one, of the survey; NONE: none with samples */
    double times; /* the best at that point; 0: not known; NAN: not looked for yet */
};

/* A trial as exploration sees it. */
struct outcome {
    size_t point;      /* NONE: none of the sweep's */
    size_t *selection; /* with NONE for a class that is no alternative */
    enum result result;
    const char *disturbed; /* by what; NULL: not */
    double elapsed_s;
};

struct exploration {
    struct portolan_plan p; /* survey, scopes and call graph; no fits */
    struct portolan_arena pool;
    size_t n_points;
    size_t **points; /* value numbers, per dim, then that of the case; small ones first */
    double *sizes;
    struct outcome *outcomes; /* of the survey's trials */
    size_t n_selections;
    size_t **selections; /* [0]: as written */
    struct cell **cells; /* [selection][point] */
    size_t n_notes;
    char **notes;
    double budget_s;
    size_t most_trials;
    struct portolan_next_trial *out;
};

static enum portolan_status note(struct exploration *e, char *text)
{
    char **more = text ? portolan_arena_grow(&e->pool, e->notes, e->n_notes, sizeof *more) : NULL;

    if (!more)
        return PORTOLAN_ENOMEM;
    e->notes = more;
    more[e->n_notes++] = text;
    return PORTOLAN_OK;
}

/* --- the points of the sweep: each case with each combination of varied values --- */

/* Values that stand in for each other: those of a <vary>, or a column of the cases. */
struct axis {
    const struct portolan_assembly *a;
    const struct portolan_assembly_sweep *sweep; /* NULL: the column */
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

/* The value's part of the largest; texts count nothing. */
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

static size_t n_cases(const struct survey *s)
{
    return s->a->n_cases ? s->a->n_cases : 1;
}

static enum portolan_status list_points(struct exploration *e, struct portolan_error *err)
{
    const struct survey *s = &e->p.s;
    size_t total = n_cases(s);

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

static bool has_parameters_of_case(const struct survey *s, const struct portolan_trial *t,
                                   size_t index)
{
    for (size_t c = 0; s->a->n_cases && c < s->a->n_case_columns; c++) {
        const struct portolan_assembly_case_column *x = &s->a->case_columns[c];

        if (x->instance && !survey_same_value(survey_trial_parameter(t, x->instance, x->parameter),
                                              s->a->cases[index].values[c]))
            return false;
    }
    return true;
}

static bool is_at(const struct exploration *e, const struct survey_trial *t, const size_t *point)
{
    const struct survey *s = &e->p.s;

    for (size_t d = 0; d < s->n_dims; d++)
        if (!survey_same_value(t->texts[d], s->dims[d].sweep->values[point[d]]))
            return false;
    return has_parameters_of_case(s, t->trial, point[s->n_dims]);
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

/* --- what became of the trials --- */

/* A trial starts with the classes stored for it; instances it does not name are as written. */
static size_t *selection_of(struct exploration *e, const struct portolan_trial *t)
{
    const struct survey *s = &e->p.s;
    size_t *selection = portolan_arena_alloc(&e->pool, s->n_variables, sizeof *selection);

    for (size_t v = 0; selection && v < s->n_variables; v++)
        for (size_t i = 0; i < t->n_implementations; i++)
            if (strcmp(t->implementations[i].name, s->variables[v].instance->name) == 0)
                selection[v] = survey_alternative_of(s, v, t->implementations[i].value);
    return selection;
}

/* What failed in TRIAL counts no longer: somebody mended the implementation. */
static bool is_lifted(const struct survey *s, int64_t trial, const char *instance,
                      const char *implementation)
{
    for (size_t i = 0; i < s->data->n_lifted; i++) {
        const struct portolan_lifted_veto *x = &s->data->lifted[i];

        if (trial <= x->trial && strcmp(x->assembly, s->a->name) == 0 &&
            strcmp(x->instance, instance) == 0 && strcmp(x->implementation, implementation) == 0)
            return true;
    }
    return false;
}

/* A trial that failed as a whole does not say through whom. */
static bool is_lifted_for_any(const struct survey *s, const struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_implementations; i++)
        if (is_lifted(s, t->id, t->implementations[i].name, t->implementations[i].value))
            return true;
    return false;
}

static enum result result_of(const struct survey *s, const struct portolan_trial *t)
{
    if (strcmp(t->outcome, "finished") == 0)
        return RESULT_GOOD;
    if (strcmp(t->outcome, "running") == 0 || is_lifted_for_any(s, t))
        return RESULT_KILLED;
    return RESULT_FAILED;
}

/* Calls that failed, or were not accurate enough, spoil a trial that finished. */
static void judge_samples(struct exploration *e)
{
    const struct survey *s = &e->p.s;
    size_t at = 0;

    for (size_t i = 0; i < s->data->n_samples; i++) {
        const struct portolan_sample *x = &s->data->samples[i];
        bool failed = x->failed_calls > 0;
        bool missed = s->a->accuracy > 0 && x->quality > s->a->accuracy;

        if (!failed && !missed)
            continue;
        while (at < s->n_trials && s->trials[at].trial->id < x->trial)
            at++;
        if (at == s->n_trials)
            break;
        if (s->trials[at].trial->id != x->trial || e->outcomes[at].result == RESULT_FAILED ||
            e->outcomes[at].result == RESULT_KILLED)
            continue;
        if (is_lifted(s, x->trial, x->instance, x->implementation))
            e->outcomes[at].result = RESULT_KILLED;
        else
            e->outcomes[at].result = failed ? RESULT_FAILED : RESULT_INACCURATE;
    }
}

static const char *disturbance_of(const struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (strcmp(t->metadata[i].name, PORTOLAN_STORE_DISTURBED) == 0)
            return t->metadata[i].value;
    return NULL;
}

static enum portolan_status list_outcomes(struct exploration *e)
{
    const struct survey *s = &e->p.s;

    e->outcomes = portolan_arena_alloc(&e->pool, s->n_trials, sizeof *e->outcomes);
    if (!e->outcomes)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->n_trials; i++) {
        const struct portolan_trial *t = s->trials[i].trial;
        struct outcome *o = &e->outcomes[i];

        *o = (struct outcome){NONE, selection_of(e, t), result_of(s, t), disturbance_of(t),
                              t->elapsed_ns * 1e-9};
        if (!o->selection)
            return PORTOLAN_ENOMEM;
        for (size_t k = 0; o->point == NONE && k < e->n_points && has_what_is_set(e, t); k++)
            if (is_at(e, &s->trials[i], e->points[k]))
                o->point = k;
    }
    judge_samples(e);
    return PORTOLAN_OK;
}

static bool same_selection(const struct exploration *e, const size_t *a, const size_t *b)
{
    return memcmp(a, b, e->p.s.n_variables * sizeof *a) == 0;
}

static void tally_add(struct tally *t, double x)
{
    double before = x - t->mean;

    t->mean += before / (double)++t->n;
    t->squares += before * (x - t->mean);
}

/* Half the width of the mean's interval, as a share of the mean. */
static double tally_width(const struct tally *t)
{
    double n = (double)t->n;

    if (t->n < 2 || !(t->mean > 0))
        return INFINITY;
    return portolan_student_quantile(confidence, n - 1) * sqrt(t->squares / (n - 1) / n) / t->mean;
}

/* Disturbed trials count only where there are no others. */
static const struct tally *tally_of(const struct cell *c)
{
    return c->clean.n ? &c->clean : &c->all;
}

static void add_outcome(struct cell *c, const struct exploration *e, size_t trial)
{
    const struct outcome *o = &e->outcomes[trial];

    c->n_failed += o->result == RESULT_FAILED;
    c->n_inaccurate += o->result == RESULT_INACCURATE;
    c->n_killed += o->result == RESULT_KILLED;
    if (o->result != RESULT_GOOD)
        return;
    tally_add(&c->all, o->elapsed_s);
    if (!o->disturbed)
        tally_add(&c->clean, o->elapsed_s);
    if (e->p.s.trials[trial].n_rows)
        c->trial = trial;
}

static size_t n_trials(const struct cell *c)
{
    return c->all.n + c->n_failed + c->n_inaccurate;
}

/* A trial of it made its process die, twice. */
static bool is_deadly(const struct cell *c)
{
    return c->n_killed > 1 && n_trials(c) == 0;
}

static bool is_bad(const struct cell *c)
{
    return c->n_failed || c->n_inaccurate || is_deadly(c);
}

static char *point_text(struct exploration *e, const size_t *point)
{
    const struct survey *s = &e->p.s;
    char *text = portolan_arena_printf(&e->pool, "%s", "");

    for (size_t d = 0; text && d < s->n_dims; d++)
        text = portolan_arena_printf(&e->pool, "%s%s%s=%s", text, d ? " " : "", s->dims[d].name,
                                     s->dims[d].sweep->values[point[d]]);
    for (size_t c = 0; text && s->a->n_cases && c < s->a->n_case_columns; c++)
        if (s->a->case_columns[c].instance) { /* the first parameter is the case's name */
            text = portolan_arena_printf(&e->pool, "%s%s%s.%s=%s", text, s->n_dims ? " " : "",
                                         s->a->case_columns[c].instance,
                                         s->a->case_columns[c].parameter,
                                         s->a->cases[point[s->n_dims]].values[c]);
            break;
        }
    return text;
}

/* --- which selections are needed --- */

static struct cell *fill_cells(struct exploration *e, const size_t *selection)
{
    struct cell *cells = portolan_arena_alloc(&e->pool, e->n_points, sizeof *cells);

    for (size_t i = 0; cells && i < e->n_points; i++) {
        cells[i].trial = NONE;
        cells[i].times = NAN;
    }
    for (size_t i = 0; cells && i < e->p.s.n_trials; i++) {
        const struct outcome *o = &e->outcomes[i];

        if (o->point != NONE && same_selection(e, o->selection, selection))
            add_outcome(&cells[o->point], e, i);
    }
    return cells;
}

static enum portolan_status add_selection(struct exploration *e, const size_t *selection)
{
    size_t **more, *copy;
    struct cell **more_cells;

    for (size_t i = 0; i < e->n_selections; i++)
        if (same_selection(e, e->selections[i], selection))
            return PORTOLAN_OK;
    more = portolan_arena_grow(&e->pool, e->selections, e->n_selections, sizeof *more);
    more_cells = portolan_arena_grow(&e->pool, e->cells, e->n_selections, sizeof *more_cells);
    copy = portolan_arena_alloc(&e->pool, e->p.s.n_variables, sizeof *copy);
    if (!more || !more_cells || !copy)
        return PORTOLAN_ENOMEM;
    memcpy(copy, selection, e->p.s.n_variables * sizeof *copy);
    e->selections = more;
    e->cells = more_cells;
    if (!(more_cells[e->n_selections] = fill_cells(e, copy)))
        return PORTOLAN_ENOMEM;
    more[e->n_selections++] = copy;
    return PORTOLAN_OK;
}

static bool present_in(const struct exploration *e, size_t path, const struct survey_trial *t)
{
    for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++)
        if (survey_sum_of(&e->p.s, path, r)->present)
            return true;
    return false;
}

static bool caller_present_in(const struct exploration *e, size_t path,
                              const struct survey_trial *t)
{
    long parent = e->p.s.nodes[path].parent;

    return t->n_rows > 0 && (parent < 0 || present_in(e, (size_t)parent, t));
}

/* Whether a caller's class was seen calling elsewhere but never this path. */
static bool unneeded(const struct exploration *e, size_t path, const size_t *selection)
{
    size_t caller = e->p.s.nodes[path].caller;
    bool seen = false;

    if (caller == NONE)
        return false;
    for (size_t i = 0; i < e->p.s.n_trials; i++) {
        const struct survey_trial *t = &e->p.s.trials[i];

        if (t->n_rows == 0 || e->p.s.rows[t->first_row].selection[caller] != selection[caller])
            continue;
        if (present_in(e, path, t))
            return false;
        seen = seen || caller_present_in(e, path, t);
    }
    return seen;
}

/* What a trial of SELECTION would show, or has shown, of the path: false = its caller did not run.
 */
static bool may_show(const struct exploration *e, size_t path, const size_t *selection)
{
    for (size_t i = 0; i < e->p.s.n_trials; i++) {
        const struct survey_trial *t = &e->p.s.trials[i];

        if (t->n_rows && same_selection(e, e->outcomes[i].selection, selection))
            return caller_present_in(e, path, t);
    }
    return true;
}

static bool covered(const struct exploration *e, size_t path, size_t tuple)
{
    for (size_t i = 0; i < e->n_selections; i++)
        if (plan_tuple_of(&e->p, &e->p.paths[path].scope, e->selections[i]) == tuple &&
            may_show(e, path, e->selections[i]))
            return true;
    return false;
}

/* A selection in which the path's caller is known to run, to start from. */
static void start_from(const struct exploration *e, size_t path, size_t *selection)
{
    for (size_t k = 0; k < e->n_selections; k++)
        for (size_t i = 0; i < e->p.s.n_trials; i++) {
            const struct survey_trial *t = &e->p.s.trials[i];

            if (t->n_rows && same_selection(e, e->outcomes[i].selection, e->selections[k]) &&
                caller_present_in(e, path, t)) {
                memcpy(selection, e->selections[k], e->p.s.n_variables * sizeof *selection);
                return;
            }
        }
}

static enum portolan_status add_tuples(struct exploration *e, size_t path, size_t *selection)
{
    const struct portolan_plan *p = &e->p;
    const struct plan_scope *scope = &p->paths[path].scope;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t tuple = 0; !status && tuple < scope->n_tuples; tuple++) {
        bool outside = false;

        memset(selection, 0, p->s.n_variables * sizeof *selection);
        start_from(e, path, selection);
        plan_tuple_apply(p, scope, tuple, selection);
        for (size_t i = 0; i < scope->n; i++) /* pruned instances keep what is written */
            outside = outside || (!p->core[scope->variables[i]] && selection[scope->variables[i]]);
        outside = outside || plan_tuple_of(p, scope, selection) != tuple;
        if (!outside && !unneeded(e, path, selection) && !covered(e, path, tuple))
            status = add_selection(e, selection);
    }
    return status;
}

/* Whether anything is known of what runs as written. */
static bool works_as_written(const struct exploration *e)
{
    for (size_t i = 0; i < e->n_points; i++)
        if (e->cells[0][i].all.n)
            return true;
    return false;
}

static bool is_core_as_written(const struct exploration *e, size_t variable)
{
    const struct survey *s = &e->p.s;

    for (size_t n = 0; n < s->n_nodes; n++)
        for (size_t i = 0; i < s->n_trials; i++)
            if (e->p.paths[n].core && s->nodes[n].variable == variable && s->trials[i].n_rows &&
                same_selection(e, e->outcomes[i].selection, e->selections[0]) &&
                present_in(e, n, &s->trials[i]))
                return true;
    return false;
}

static enum portolan_status list_selections(struct exploration *e)
{
    const struct survey *s = &e->p.s;
    size_t *selection = portolan_arena_alloc(&e->pool, s->n_variables, sizeof *selection);
    enum portolan_status status = selection ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    bool all = !works_as_written(e); /* then nothing tells what matters */

    for (size_t v = 0; !status && v < s->n_variables; v++) {
        bool active = all || is_core_as_written(e, v);

        for (size_t k = 1; !status && active && k < s->variables[v].n; k++) {
            selection[v] = k;
            status = add_selection(e, selection);
        }
        selection[v] = 0;
    }
    for (size_t n = 0; !status && n < s->n_nodes; n++)
        if (e->p.paths[n].core)
            status = add_tuples(e, n, selection);
    return status;
}

/* --- which of them are hopeless --- */

/* Time per step on the paths that depend on what SELECTION changes. */
static double changed_cost(const struct exploration *e, size_t trial, const size_t *selection)
{
    const struct survey *s = &e->p.s;
    const struct survey_trial *t = &s->trials[trial];
    double sum = 0, steps = 0;

    for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++)
        steps += s->rows[r].steps;
    for (size_t n = 0; n < s->n_nodes; n++) {
        const struct plan_scope *scope = &e->p.paths[n].scope;
        bool depends = false;

        for (size_t i = 0; i < scope->n; i++)
            depends = depends || selection[scope->variables[i]] != 0;
        for (size_t r = t->first_row; depends && r < t->first_row + t->n_rows; r++)
            if (!s->rows[r].once)
                sum += survey_sum_of(s, n, r)->exclusive;
    }
    return steps > 0 ? sum / steps : 0;
}

/*
 * How many times the best at that point SELECTION costs; 0: not measured there. What fails or is
 * not accurate enough is quick, but no competitor.
 */
static double times_best(struct exploration *e, size_t selection, size_t point)
{
    struct cell *own = &e->cells[selection][point];
    const size_t *chosen = e->selections[selection];
    double best = INFINITY;

    if (!isnan(own->times))
        return own->times;
    own->times = 0;
    if (own->trial == NONE || is_bad(own))
        return 0;
    for (size_t k = 0; k < e->n_selections; k++) {
        const struct cell *other = &e->cells[k][point];

        if (other->trial != NONE && !is_bad(other))
            best = fmin(best, changed_cost(e, other->trial, chosen));
    }
    if (best > 0)
        own->times = changed_cost(e, own->trial, chosen) / best;
    return own->times;
}

/* How SELECTION did at the points smaller than POINT. */
struct record {
    size_t n, n_hopeless;
    size_t last_at;
    double before, last; /* times the best */
};

static struct record record_before(struct exploration *e, size_t selection, size_t point)
{
    struct record r = {0};

    for (size_t i = 0; i < point; i++) {
        double times;

        if (e->sizes[i] >= e->sizes[point] || !((times = times_best(e, selection, i)) > 0))
            continue;
        r.n++;
        r.n_hopeless += times > hopeless;
        r.before = r.last;
        r.last = times;
        r.last_at = i;
    }
    return r;
}

static bool is_hopeless(const struct exploration *e, const struct record *r)
{
    if (e->p.s.a->n_cases)
        return r->n >= HOPELESS_CASES && r->n_hopeless == r->n;
    return r->before > hopeless && r->last > hopeless && r->last >= no_better * r->before;
}

/* Where a selection failed, and whether it ever worked. */
static size_t count_failures(const struct exploration *e, size_t selection, bool *ever_worked,
                             size_t *first)
{
    size_t n = 0;

    *ever_worked = false;
    for (size_t i = e->n_points; i-- > 0;) {
        const struct cell *c = &e->cells[selection][i];

        *ever_worked = *ever_worked || c->all.n || c->n_inaccurate;
        if (c->n_failed || is_deadly(c)) {
            n++;
            *first = i;
        }
    }
    return n;
}

static bool is_given_up(struct exploration *e, size_t selection, size_t point)
{
    struct record r;
    bool ever_worked;
    size_t first;

    if (count_failures(e, selection, &ever_worked, &first) >= FAILED_ENOUGH && !ever_worked)
        return true;
    r = record_before(e, selection, point);
    return is_hopeless(e, &r);
}

static enum portolan_status tell_failures(struct exploration *e, size_t selection)
{
    bool ever_worked;
    size_t first = 0, n = count_failures(e, selection, &ever_worked, &first);
    char *what = plan_selection_text(&e->p.s, &e->pool, e->selections[selection], NULL);
    char *where = point_text(e, e->points[first]);

    if (!n)
        return PORTOLAN_OK;
    if (!what || !where)
        return PORTOLAN_ENOMEM;
    what = what[0] ? what : "as written";
    if (n >= FAILED_ENOUGH && !ever_worked)
        return note(e, portolan_arena_printf(&e->pool,
                                             "%s failed at all %zu points where it was tried and "
                                             "is not tried at others",
                                             what, n));
    if (n > 1)
        return note(e, portolan_arena_printf(&e->pool,
                                             "%s failed at %s and at %zu more and is not repeated "
                                             "there",
                                             what, where, n - 1));
    return note(e, portolan_arena_printf(&e->pool, "%s failed at %s and is not repeated there",
                                         what, where));
}

static enum portolan_status tell_hopeless(struct exploration *e, size_t selection)
{
    struct record r;
    char *what, *where;
    size_t point = 0;

    while (point < e->n_points &&
           (n_trials(&e->cells[selection][point]) || !is_given_up(e, selection, point)))
        point++;
    if (point == e->n_points)
        return PORTOLAN_OK;
    r = record_before(e, selection, point);
    if (!is_hopeless(e, &r))
        return PORTOLAN_OK;
    what = plan_selection_text(&e->p.s, &e->pool, e->selections[selection], NULL);
    where = point_text(e, e->points[r.last_at]);
    return note(e, what && where
                       ? portolan_arena_printf(&e->pool,
                                               "%s is left out beyond %s: %.3g, then %.3g times "
                                               "the best there",
                                               what, where, r.before, r.last)
                       : NULL);
}

/* --- how long a trial will take --- */

/* A power of the size through the nearest two sizes that were measured, each with its mean. */
static double expected_by_size(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *cells = e->cells[selection];
    size_t near = NONE, next = NONE;
    double sum = 0, n = 0, power = 1, ratio;

    for (size_t i = 0; i < e->n_points; i++) {
        double away = fabs(e->sizes[i] - e->sizes[point]);

        if (!cells[i].all.n)
            continue;
        sum += cells[i].all.mean;
        n++;
        if (near == NONE || away < fabs(e->sizes[near] - e->sizes[point])) {
            next = near;
            near = i;
        } else if (next == NONE || away < fabs(e->sizes[next] - e->sizes[point])) {
            next = i;
        }
    }
    if (near == NONE || !(e->sizes[near] > 0) || !(e->sizes[point] > 0))
        return n > 0 ? sum / n : 0; /* sizes say nothing */
    ratio = e->sizes[point] / e->sizes[near];
    if (next != NONE && e->sizes[next] > 0 && e->sizes[next] != e->sizes[near] &&
        cells[near].all.mean > 0 && cells[next].all.mean > 0)
        power =
            log(cells[near].all.mean / cells[next].all.mean) / log(e->sizes[near] / e->sizes[next]);
    /* Never less than linear upwards, nor quicker than that downwards: better late than over. */
    power = ratio > 1 ? fmin(fmax(power, 1), 8) : fmin(fmax(power, 0), 1);
    return cells[near].all.mean * pow(ratio, power);
}

/* As written here, times what the selection took of it at the nearest point where both ran. */
static double expected_beside(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *written = e->cells[0], *own = e->cells[selection];
    double base = written[point].all.n ? written[point].all.mean : expected_by_size(e, 0, point);
    double ratio = 1, least = INFINITY;

    for (size_t i = 0; i < e->n_points; i++) {
        double away = fabs(e->sizes[i] - e->sizes[point]);

        if (written[i].all.n && own[i].all.n && written[i].all.mean > 0 && away < least) {
            least = away;
            ratio = own[i].all.mean / written[i].all.mean;
        }
    }
    return base * ratio;
}

/* Seconds; 0: nothing is known. */
static double expected(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *c = &e->cells[selection][point];

    if (c->all.n)
        return c->all.mean;
    return fmax(expected_by_size(e, selection, point), expected_beside(e, selection, point));
}

/* --- the next one --- */

static enum portolan_status take_next(struct exploration *e, size_t selection, size_t point)
{
    const struct survey *s = &e->p.s;
    struct portolan_next_trial *out = e->out;
    char *where = point_text(e, e->points[point]);
    char *what = plan_selection_text(s, &e->pool, e->selections[selection], NULL);
    size_t used, trials = n_trials(&e->cells[selection][point]);

    out->selection = portolan_calloc(s->n_variables + 1, sizeof *out->selection);
    out->parameters =
        portolan_calloc(s->a->n_sweeps + s->a->n_case_columns + 1, sizeof *out->parameters);
    if (!where || !what || !out->selection || !out->parameters)
        return PORTOLAN_ENOMEM;
    out->finished = false;
    for (size_t v = 0; v < s->n_variables; v++) {
        const struct portolan_assembly_instance *x = s->variables[v].instance;

        out->selection[out->n_selection++] = (struct portolan_name_value){
            x->name, x->alternatives[e->selections[selection][v]].class_name};
    }
    for (size_t i = 0, d = 0; i < s->a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *sweep = &s->a->sweeps[i];

        out->parameters[out->n_parameters++] = (struct portolan_next_parameter){
            sweep->instance, sweep->parameter,
            sweep->values[sweep->varies ? e->points[point][d++] : 0]};
    }
    for (size_t c = 0; s->a->n_cases && c < s->a->n_case_columns; c++)
        if (s->a->case_columns[c].instance)
            out->parameters[out->n_parameters++] = (struct portolan_next_parameter){
                s->a->case_columns[c].instance, s->a->case_columns[c].parameter,
                s->a->cases[e->points[point][s->n_dims]].values[c]};
    out->expected_s = expected(e, selection, point);
    snprintf(out->purpose, sizeof out->purpose, "%s%s%s", what[0] ? what : "as written",
             where[0] ? " at " : "", where);
    used = strlen(out->purpose);
    if (trials)
        snprintf(out->purpose + used, sizeof out->purpose - used, ", trial %zu", trials + 1);
    return PORTOLAN_OK;
}

/* The shortest time that anything has taken there for sure, with all that one trial may hide. */
static void bounds(const struct cell *c, double *low, double *high)
{
    const struct tally *t = tally_of(c);
    double width = tally_width(t);

    *low = t->n > 1 ? t->mean * (1 - width) : t->mean / single;
    *high = t->n > 1 ? t->mean * (1 + width) : t->mean * single;
}

/* Whether the best at a point may be as slow as half of this. */
static bool can_matter(const struct exploration *e, size_t selection, size_t point)
{
    double low, high, best = INFINITY;

    for (size_t k = 0; k < e->n_selections; k++) {
        const struct cell *c = &e->cells[k][point];

        if (!c->all.n || is_bad(c))
            continue;
        bounds(c, &low, &high);
        best = fmin(best, high);
    }
    bounds(&e->cells[selection][point], &low, &high);
    return low <= matters * best;
}

/* Disturbed trials do not count, and are made up for, but with no more than twice the trials. */
static bool is_known_well(const struct exploration *e, const struct cell *c)
{
    size_t most = e->most_trials;

    if (c->clean.n >= most || c->all.n >= (most > 1 ? 2 * most : 1))
        return true;
    return tally_width(&c->clean) <= narrow || (c->all.n >= 4 && tally_width(&c->all) <= narrow);
}

static bool wants_first(struct exploration *e, size_t selection, size_t point)
{
    const struct cell *c = &e->cells[selection][point];

    return !n_trials(c) && !is_deadly(c) && !is_given_up(e, selection, point);
}

static bool wants_again(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *c = &e->cells[selection][point];

    return c->all.n && !is_bad(c) && !is_known_well(e, c) && can_matter(e, selection, point);
}

/* Takes the candidate if it is the first that may be measured; counts all. */
static enum portolan_status consider(struct exploration *e, size_t selection, size_t point,
                                     size_t *unaffordable)
{
    if (e->budget_s <= 0 || expected(e, selection, point) > e->budget_s) {
        ++*unaffordable;
        return PORTOLAN_OK;
    }
    e->out->left++;
    return e->out->finished ? take_next(e, selection, point) : PORTOLAN_OK;
}

static enum portolan_status consider_firsts(struct exploration *e, size_t from, size_t to,
                                            size_t *unaffordable)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < e->n_points; i++)
        for (size_t k = from; !status && k < to; k++)
            if (wants_first(e, k, i))
                status = consider(e, k, i, unaffordable);
    return status;
}

/* In turn, so that a change of the machine meets all alike: those with fewest trials first. */
static enum portolan_status consider_repetitions(struct exploration *e, size_t *unaffordable)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t n = 1; !status && n < 2 * e->most_trials; n++)
        for (size_t i = 0; !status && i < e->n_points; i++)
            for (size_t k = 0; !status && k < e->n_selections; k++)
                if (n_trials(&e->cells[k][i]) == n && wants_again(e, k, i))
                    status = consider(e, k, i, unaffordable);
    return status;
}

/* --- what there is to tell at the end --- */

static enum portolan_status tell_budget(struct exploration *e, size_t firsts, size_t repetitions)
{
    if (!firsts && !repetitions)
        return PORTOLAN_OK;
    if (firsts)
        return note(e, portolan_arena_printf(&e->pool, "the budget does not allow %zu more trial%s",
                                             firsts, firsts == 1 ? "" : "s"));
    return note(e,
                portolan_arena_printf(&e->pool, "the budget does not allow to repeat %zu trial%s",
                                      repetitions, repetitions == 1 ? "" : "s"));
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* How often, and how narrow. */
static enum portolan_status summarise(struct exploration *e)
{
    double *widths = portolan_arena_alloc(&e->pool, e->n_selections * e->n_points, sizeof *widths);
    size_t n = 0, fewest = SIZE_MAX, most = 0, used, n_single = 0;
    char *text = e->out->summary;
    const size_t size = sizeof e->out->summary;

    if (!widths)
        return PORTOLAN_ENOMEM;
    for (size_t k = 0; k < e->n_selections; k++)
        for (size_t i = 0; i < e->n_points; i++) {
            const struct cell *c = &e->cells[k][i];

            if (!c->all.n || is_bad(c))
                continue;
            fewest = c->all.n < fewest ? c->all.n : fewest;
            most = c->all.n > most ? c->all.n : most;
            if (tally_of(c)->n > 1)
                widths[n++] = tally_width(tally_of(c));
            else
                n_single++;
        }
    if (!n && !n_single)
        return PORTOLAN_OK;
    used = (size_t)snprintf(text, size, "%zu settings measured %zu", n + n_single, fewest);
    if (most > fewest)
        used += (size_t)snprintf(text + used, size - used, " to %zu", most);
    used += (size_t)snprintf(text + used, size - used, " time%s each", most == 1 ? "" : "s");
    qsort(widths, n, sizeof *widths, compare);
    if (n)
        snprintf(text + used, size - used,
                 ": 95 %% intervals of %.2g %% in the middle, of %.2g %% at worst",
                 100 * widths[n / 2], 100 * widths[n - 1]);
    return PORTOLAN_OK;
}

static enum portolan_status tell_disturbed(struct exploration *e)
{
    const char *why = NULL;
    size_t n = 0, n_disturbed = 0;

    for (size_t i = 0; i < e->p.s.n_trials; i++) {
        const struct outcome *o = &e->outcomes[i];

        if (o->result != RESULT_GOOD || o->point == NONE)
            continue;
        n++;
        if (o->disturbed) {
            n_disturbed++;
            why = o->disturbed;
        }
    }
    if (!n_disturbed)
        return PORTOLAN_OK;
    if (n_disturbed == n)
        return note(e, portolan_arena_printf(&e->pool,
                                             "all %zu trials were disturbed, so that their times "
                                             "are those of this load (the last: %s)",
                                             n, why));
    return note(e, portolan_arena_printf(&e->pool, "%zu trial%s disturbed (the last: %s)",
                                         n_disturbed, n_disturbed == 1 ? " was" : "s were", why));
}

static enum portolan_status tell(struct exploration *e, size_t firsts, size_t repetitions)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; !status && k < e->n_selections; k++) {
        status = tell_failures(e, k);
        if (!status)
            status = tell_hopeless(e, k);
    }
    if (!status)
        status = tell_disturbed(e);
    if (!status)
        status = tell_budget(e, firsts, repetitions);
    if (!status)
        status = summarise(e);
    if (status)
        return status;
    e->out->notes = portolan_calloc(e->n_notes + 1, sizeof *e->out->notes);
    if (!e->out->notes)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < e->n_notes; i++) {
        if (!(e->out->notes[i] = portolan_strdup(e->notes[i])))
            return PORTOLAN_ENOMEM;
        e->out->n_notes++;
    }
    return PORTOLAN_OK;
}

static enum portolan_status begin(struct exploration *e, struct portolan_error *err)
{
    enum portolan_status status = list_points(e, err);
    size_t *written;

    if (!status)
        status = list_outcomes(e);
    if (status)
        return status;
    if (!(written = portolan_arena_alloc(&e->pool, e->p.s.n_variables, sizeof *written)))
        return PORTOLAN_ENOMEM;
    status = add_selection(e, written);
    if (!status)
        status = plan_make_scopes(&e->p, err);
    return status ? status : plan_make_graph(&e->p);
}

static size_t count_good(const struct exploration *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->n_selections; k++)
        for (size_t i = 0; i < e->n_points; i++)
            n += e->cells[k][i].all.n;
    return n;
}

static enum portolan_status next(struct exploration *e, struct portolan_error *err)
{
    size_t firsts = 0, repetitions = 0;
    enum portolan_status status = begin(e, err);

    if (!status)
        status = consider_firsts(e, 0, 1, &firsts);
    if (!status && e->out->finished)
        status = list_selections(e);
    for (size_t i = 0; !status && i < e->n_points; i++)
        e->cells[0][i].times = NAN; /* now there are others to compare with */
    if (!status)
        status = consider_firsts(e, 1, e->n_selections, &firsts);
    if (!status)
        status = consider_repetitions(e, &repetitions);
    if (status)
        return status;
    e->out->done = count_good(e);
    e->out->unaffordable = firsts ? firsts : repetitions;
    return tell(e, firsts, repetitions);
}

enum portolan_status
portolan_plan_next_trial(const struct portolan_assembly *a, const struct portolan_sample_set *data,
                         const struct portolan_plan_options *options, double budget_left_s,
                         struct portolan_next_trial **out, struct portolan_error *err)
{
    static const struct survey_filter explored = {.purpose = "explore", .any_point = true};
    struct exploration e = {.budget_s = budget_left_s,
                            .most_trials = options->most_trials > 0 ? (size_t)options->most_trials
                                                                    : MOST_TRIALS};
    enum portolan_status status = PORTOLAN_ENOMEM;

    e.out = portolan_calloc(1, sizeof *e.out);
    if (e.out) {
        e.out->finished = true;
        status = survey_init(&e.p.s, a, data, options->ranks, &explored, err);
        if (!status)
            status = next(&e, err);
        survey_clear(&e.p.s);
        portolan_arena_clear(&e.pool);
    }
    if (status) {
        portolan_next_trial_destroy(e.out);
        return portolan_error_set(err, status, "looking for the next trial");
    }
    *out = e.out;
    return PORTOLAN_OK;
}

void portolan_next_trial_destroy(struct portolan_next_trial *next)
{
    if (!next)
        return;
    for (size_t i = 0; i < next->n_notes; i++)
        free(next->notes[i]);
    free(next->notes);
    free(next->selection);
    free(next->parameters);
    free(next);
}
