/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What to measure next. The answer is computed anew from the trials there are: sweep points from
 * small to large, as written at all of them first, then the selections that the core's scopes need.
 */
#include "plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Left out of larger sizes: this many times the best at two sizes, and no better at the second. */
static const double hopeless = 5, no_better = 0.8;

enum { MAX_POINTS = 10000 };

struct attempt {
    bool made, good;
    size_t trial; /* of the survey; NONE: without samples */
    double elapsed_s;
};

struct exploration {
    struct portolan_plan p; /* survey, scopes and call graph; no fits */
    struct portolan_arena pool;
    size_t n_points;
    size_t **points; /* value numbers, per dim; small ones first */
    double *sizes;
    size_t n_selections;
    size_t **selections; /* [0]: as written */
    size_t n_notes;
    char **notes;
    double budget_s;
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

static double size_of(const struct survey *s, const size_t *point)
{
    double size = 0;

    for (size_t d = 0; d < s->n_dims; d++) {
        const struct portolan_assembly_sweep *sweep = s->dims[d].sweep;
        double value = (double)point[d] + 1, most = (double)sweep->n_values;

        if (s->dims[d].numeric) {
            portolan_read_double(sweep->values[point[d]], &value);
            most = 0;
            for (size_t k = 0; k < sweep->n_values; k++) {
                double other = 0;

                portolan_read_double(sweep->values[k], &other);
                most = fmax(most, fabs(other));
            }
        }
        size += most > 0 ? value / most : 0;
    }
    return size;
}

static enum portolan_status list_points(struct exploration *e, struct portolan_error *err)
{
    const struct survey *s = &e->p.s;
    size_t total = 1;

    for (size_t d = 0; d < s->n_dims; d++) {
        total *= s->dims[d].sweep->n_values;
        if (total > MAX_POINTS)
            return portolan_error_set(err, PORTOLAN_EINVAL, "the sweep has more than %d points",
                                      MAX_POINTS);
    }
    e->points = portolan_arena_alloc(&e->pool, total, sizeof *e->points);
    e->sizes = portolan_arena_alloc(&e->pool, total, sizeof *e->sizes);
    if (!e->points || !e->sizes)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < total; i++) {
        size_t *point = portolan_arena_alloc(&e->pool, s->n_dims, sizeof *point), rest = i, k = i;
        double size;

        if (!point)
            return PORTOLAN_ENOMEM;
        for (size_t d = s->n_dims; d-- > 0;) {
            point[d] = rest % s->dims[d].sweep->n_values;
            rest /= s->dims[d].sweep->n_values;
        }
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

static bool trial_at(const struct exploration *e, const struct survey_trial *t, const size_t *point)
{
    const struct survey *s = &e->p.s;

    for (size_t d = 0; d < s->n_dims; d++)
        if (!survey_same_value(t->texts[d], s->dims[d].sweep->values[point[d]]))
            return false;
    for (size_t i = 0; i < s->a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *set = &s->a->sweeps[i];

        if (!set->varies &&
            !survey_same_value(survey_trial_parameter(t->trial, set->instance, set->parameter),
                               set->values[0]))
            return false;
    }
    return true;
}

/* A trial starts with the classes stored for it; instances it does not name are as written. */
static bool trial_selects(const struct exploration *e, const struct survey_trial *t,
                          const size_t *selection)
{
    const struct survey *s = &e->p.s;

    for (size_t v = 0; v < s->n_variables; v++) {
        size_t k = 0;

        for (size_t i = 0; i < t->trial->n_implementations; i++)
            if (strcmp(t->trial->implementations[i].name, s->variables[v].instance->name) == 0)
                k = survey_alternative_of(s, v, t->trial->implementations[i].value);
        if (k != selection[v])
            return false;
    }
    return true;
}

/* The trial of SELECTION at a point: the last good one, else a failed one. A killed one is none. */
static struct attempt attempt_of(const struct exploration *e, const size_t *selection,
                                 const size_t *point)
{
    struct attempt best = {.trial = NONE};

    for (size_t i = 0; i < e->p.s.n_trials; i++) {
        const struct survey_trial *t = &e->p.s.trials[i];
        bool good = strcmp(t->trial->outcome, "finished") == 0;

        if (!good && strcmp(t->trial->outcome, "failed") != 0)
            continue;
        if (!trial_at(e, t, point) || !trial_selects(e, t, selection) || (best.good && !good))
            continue;
        best = (struct attempt){true, good, t->n_rows ? i : NONE, t->trial->elapsed_ns * 1e-9};
    }
    return best;
}

static char *point_text(struct exploration *e, const size_t *point)
{
    const struct survey *s = &e->p.s;
    char *text = portolan_arena_printf(&e->pool, "%s", "");

    for (size_t d = 0; text && d < s->n_dims; d++)
        text = portolan_arena_printf(&e->pool, "%s%s%s=%s", text, d ? " " : "", s->dims[d].name,
                                     s->dims[d].sweep->values[point[d]]);
    return text;
}

/* --- which selections are needed --- */

static bool same_selection(const struct exploration *e, const size_t *a, const size_t *b)
{
    return memcmp(a, b, e->p.s.n_variables * sizeof *a) == 0;
}

static enum portolan_status add_selection(struct exploration *e, const size_t *selection)
{
    size_t **more, *copy;

    for (size_t i = 0; i < e->n_selections; i++)
        if (same_selection(e, e->selections[i], selection))
            return PORTOLAN_OK;
    more = portolan_arena_grow(&e->pool, e->selections, e->n_selections, sizeof *more);
    copy = portolan_arena_alloc(&e->pool, e->p.s.n_variables, sizeof *copy);
    if (!more || !copy)
        return PORTOLAN_ENOMEM;
    memcpy(copy, selection, e->p.s.n_variables * sizeof *copy);
    e->selections = more;
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

        if (t->n_rows && trial_selects(e, t, selection))
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

            if (t->n_rows && trial_selects(e, t, e->selections[k]) &&
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

static enum portolan_status list_selections(struct exploration *e)
{
    const struct survey *s = &e->p.s;
    size_t *selection = portolan_arena_alloc(&e->pool, s->n_variables, sizeof *selection);
    enum portolan_status status = selection ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t v = 0; !status && v < s->n_variables; v++) {
        bool active = false;

        for (size_t n = 0; n < s->n_nodes; n++)
            for (size_t i = 0; i < s->n_trials; i++)
                active = active ||
                         (e->p.paths[n].core && s->nodes[n].variable == v && s->trials[i].n_rows &&
                          trial_selects(e, &s->trials[i], e->selections[0]) &&
                          present_in(e, n, &s->trials[i]));
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

/* How many times the best at that point SELECTION costs; 0: not measured there. */
static double times_best(const struct exploration *e, const size_t *selection, const size_t *point)
{
    struct attempt own = attempt_of(e, selection, point);
    double best = INFINITY, cost;

    if (!own.good || own.trial == NONE)
        return 0;
    cost = changed_cost(e, own.trial, selection);
    for (size_t k = 0; k < e->n_selections; k++) {
        struct attempt other = attempt_of(e, e->selections[k], point);

        if (other.good && other.trial != NONE)
            best = fmin(best, changed_cost(e, other.trial, selection));
    }
    return best > 0 ? cost / best : 0;
}

/* Looks at the points before POINT; adds a note (once, FRESH) when SELECTION is given up there. */
static enum portolan_status given_up(struct exploration *e, size_t selection, size_t point,
                                     bool *gone, bool fresh)
{
    const size_t *chosen = e->selections[selection];
    double last = 0, before = 0;
    size_t last_at = 0;
    char *what, *where;

    *gone = false;
    for (size_t i = 0; i < point || (fresh && i == point); i++) {
        struct attempt a = attempt_of(e, chosen, e->points[i]);
        double times;

        if (a.made && !a.good) {
            *gone = true;
            what = plan_selection_text(&e->p.s, &e->pool, chosen, NULL);
            where = point_text(e, e->points[i]);
            return !fresh ? PORTOLAN_OK
                          : note(e, what && where
                                        ? portolan_arena_printf(
                                              &e->pool, "%s failed at %s and is not tried again",
                                              what, where)
                                        : NULL);
        }
        if (e->sizes[i] >= e->sizes[point] || !((times = times_best(e, chosen, e->points[i])) > 0))
            continue;
        before = last;
        last = times;
        last_at = i;
    }
    if (!(before > hopeless && last > hopeless && last >= no_better * before))
        return PORTOLAN_OK;
    *gone = true;
    what = plan_selection_text(&e->p.s, &e->pool, chosen, NULL);
    where = point_text(e, e->points[last_at]);
    return !fresh ? PORTOLAN_OK
                  : note(e, what && where ? portolan_arena_printf(
                                                &e->pool,
                                                "%s is left out beyond %s: %.3g, then %.3g times "
                                                "the best there",
                                                what, where, before, last)
                                          : NULL);
}

/* --- the next one --- */

/* How long a trial will take, from the same selection or as written at other points. */
static double expected(const struct exploration *e, size_t selection, size_t point)
{
    struct attempt here = attempt_of(e, e->selections[0], e->points[point]);
    double ratio = 1, last = 0, growth = 1;

    for (size_t i = 0; i < point; i++) {
        struct attempt base = attempt_of(e, e->selections[0], e->points[i]);
        struct attempt own = attempt_of(e, e->selections[selection], e->points[i]);

        if (!base.good || !(base.elapsed_s > 0))
            continue;
        growth = last > 0 ? fmax(1, base.elapsed_s / last) : 1;
        last = base.elapsed_s;
        if (own.good && own.elapsed_s > 0)
            ratio = own.elapsed_s / base.elapsed_s;
    }
    return here.good && selection ? here.elapsed_s * ratio : last * growth;
}

static enum portolan_status take_next(struct exploration *e, size_t selection, size_t point)
{
    const struct survey *s = &e->p.s;
    struct portolan_next_trial *out = e->out;
    char *where = point_text(e, e->points[point]);
    char *what = plan_selection_text(s, &e->pool, e->selections[selection], NULL);

    out->selection = portolan_calloc(s->n_variables + 1, sizeof *out->selection);
    out->parameters = portolan_calloc(s->a->n_sweeps + 1, sizeof *out->parameters);
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
    out->expected_s = expected(e, selection, point);
    snprintf(out->purpose, sizeof out->purpose, "%s%s%s", what[0] ? what : "as written",
             where[0] ? " at " : "", where);
    return PORTOLAN_OK;
}

/* Goes through the candidates in order; takes the first that may be measured, counts all. */
static enum portolan_status consider(struct exploration *e, size_t selection, size_t point,
                                     size_t *unaffordable)
{
    struct attempt a = attempt_of(e, e->selections[selection], e->points[point]);
    bool gone = false;
    enum portolan_status status = PORTOLAN_OK;

    if (a.made) {
        e->out->done += a.good;
        return PORTOLAN_OK;
    }
    status = given_up(e, selection, point, &gone, false);
    if (status || gone)
        return status;
    if (e->budget_s <= 0 || expected(e, selection, point) > e->budget_s) {
        ++*unaffordable;
        return PORTOLAN_OK;
    }
    e->out->left++;
    return e->out->finished ? take_next(e, selection, point) : PORTOLAN_OK;
}

static enum portolan_status tell(struct exploration *e, size_t unaffordable)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; !status && k < e->n_selections; k++) {
        bool gone;

        status = given_up(e, k, e->n_points - 1, &gone, true);
    }
    if (!status && unaffordable)
        status =
            note(e, portolan_arena_printf(&e->pool, "the budget does not allow %zu more trial%s",
                                          unaffordable, unaffordable == 1 ? "" : "s"));
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

static enum portolan_status next(struct exploration *e, struct portolan_error *err)
{
    size_t *written, unaffordable = 0;
    enum portolan_status status = list_points(e, err);

    if (status)
        return status;
    if (!(written = portolan_arena_alloc(&e->pool, e->p.s.n_variables, sizeof *written)))
        return PORTOLAN_ENOMEM;
    status = add_selection(e, written);
    if (!status)
        status = plan_make_scopes(&e->p, err);
    if (!status)
        status = plan_make_graph(&e->p);
    for (size_t i = 0; !status && i < e->n_points; i++)
        status = consider(e, 0, i, &unaffordable);
    if (!status && e->out->finished)
        status = list_selections(e);
    for (size_t i = 0; !status && i < e->n_points; i++)
        for (size_t k = 1; !status && k < e->n_selections; k++)
            status = consider(e, k, i, &unaffordable);
    return status ? status : tell(e, unaffordable);
}

enum portolan_status
portolan_plan_next_trial(const struct portolan_assembly *a, const struct portolan_sample_set *data,
                         const struct portolan_plan_options *options, double budget_left_s,
                         struct portolan_next_trial **out, struct portolan_error *err)
{
    static const struct survey_filter explored = {.purpose = "explore", .exploring = true};
    struct exploration e = {.budget_s = budget_left_s};
    enum portolan_status status = PORTOLAN_ENOMEM;

    e.out = portolan_calloc(1, sizeof *e.out);
    if (e.out) {
        e.out->finished = true;
        status = survey_init(&e.p.s, a, data, options, &explored, err);
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
