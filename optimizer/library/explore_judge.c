/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges which selections are not worth a trial, because they failed or are far too slow, and
 * predicts how long a trial takes. */
#include "explore.h"

#include <string.h>

/* A selection is left out of larger sizes if it took more than HOPELESS times the best at two
 * sizes, and the second ratio is not below NO_BETTER of the first. */
static const double hopeless = 5, no_better = 0.8;

/* In a race, as many go on at least; and all that take at most CLEARLY times the best. Of the
 * smallest size alone it is not known what changes with size: there it is CLEARLY_SMALL. */
enum { LEAST_SURVIVORS = 4 };
static const double clearly = 1.1, clearly_small = 2;

/* Cases differ not only in size: a selection must be hopeless in at least this many. */
enum { HOPELESS_CASES = 5, FAILED_ENOUGH = 3 };

/* --- where an alternative applies --- */

/* The alternative of an instance, and the point, for which a condition is evaluated. */
struct condition_place {
    const struct exploration *e;
    size_t variable, own, point;
};

/* The value at the point of a varied parameter "instance.parameter" or of a case's column. */
static const char *text_at(const struct condition_place *at, const char *name)
{
    const struct survey *s = &at->e->p.s;
    const size_t *point = at->e->points[at->point];

    for (size_t c = 0; s->a->n_cases && c < s->a->n_case_columns; c++) {
        const struct portolan_assembly_case_column *x = &s->a->case_columns[c];

        if (x->instance ? survey_is_parameter(name, x->instance, x->parameter)
                        : strcmp(name, x->parameter) == 0)
            return s->a->cases[point[s->n_dims]].values[c];
    }
    for (size_t d = 0; d < s->n_dims; d++)
        if (strcmp(name, s->dims[d].name) == 0)
            return s->dims[d].sweep->values[point[d]];
    return NULL;
}

/* The value of a context in the trials at the point, if all calls of the instance had the same. */
static bool context_at(const struct condition_place *at, const char *name, double *value)
{
    const struct survey *s = &at->e->p.s;
    bool found = false;

    for (size_t i = 0; i < s->n_entries; i++) {
        const struct survey_entry *x = &s->entries[i];
        const struct survey_node *n = &s->nodes[x->node];

        if (n->variable != at->variable ||
            at->e->outcomes[s->rows[x->row].trial].point != at->point)
            continue;
        for (int k = 0; k < n->n_context; k++) {
            if (strcmp(n->context_name[k], name) != 0)
                continue;
            if (found && *value != x->context[k])
                return false;
            *value = x->context[k];
            found = true;
        }
    }
    return found;
}

static bool look_up(void *arg, const char *name, struct portolan_condition_value *value)
{
    const struct condition_place *at = arg;
    struct plan_place now = {
        .p = &at->e->p, .own = at->e->p.s.variables[at->variable].instance, .alternative = at->own};

    *value = (struct portolan_condition_value){.text = text_at(at, name)};
    return value->text || context_at(at, name, &value->number) || plan_look_up(&now, name, value);
}

/* Returns the condition because of which SELECTION does not apply, and the variable; NULL: it
 * applies, or may. */
static const char *inapplicable(const struct exploration *e, size_t selection, size_t point,
                                size_t *variable)
{
    const char *why = NULL;

    for (size_t v = 0; !why && v < e->p.s.n_variables; v++) {
        struct condition_place at = {e, v, e->selections[selection][v], point};

        /* The alternative as written is measured in any case, for comparison. */
        if (at.own && !portolan_assembly_may_run(e->p.s.variables[v].instance, at.own))
            why = "no pin or forbid that excludes it";
        else
            why = plan_ask(e->p.s.variables[v].instance, at.own, e->p.applies[v][at.own], look_up,
                           &at);
        *variable = v;
    }
    return why;
}

static void note_applies(struct exploration *e, size_t selection)
{
    const struct portolan_assembly_instance *x;
    const char *why = NULL, *one;
    size_t n = 0, variable = 0, v;

    for (size_t i = 0; i < e->n_points; i++)
        if ((one = inapplicable(e, selection, i, &v))) {
            why = one;
            variable = v;
            n++;
        }
    if (!n)
        return;
    x = e->p.s.variables[variable].instance;
    plan_note(&e->notes, "%s=%s does not apply at %zu of %zu points: its condition is %s", x->name,
              x->alternatives[e->selections[selection][variable]].class_name, n, e->n_points, why);
}

/* --- which selections are hopeless --- */

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
 * The cost of SELECTION over that of the best at the point; 0: not measured there. Selections that
 * fail or are not accurate enough may be fast, but do not count as the best.
 */
static double times_best(struct exploration *e, size_t selection, size_t point)
{
    struct cell *own = &e->cells[selection][point];
    const size_t *chosen = e->selections[selection];
    double best = INFINITY;

    if (!isnan(own->times))
        return own->times;
    if (explore_was_stopped(own)) /* how much longer it takes is not known */
        return own->times = INFINITY;
    own->times = 0;
    if (own->trial == NONE || explore_is_bad(own))
        return 0;
    for (size_t k = 0; k < e->n_selections; k++) {
        const struct cell *other = &e->cells[k][point];

        if (other->trial != NONE && !explore_is_bad(other))
            best = fmin(best, changed_cost(e, other->trial, chosen));
    }
    if (best > 0)
        own->times = changed_cost(e, own->trial, chosen) / best;
    return own->times;
}

/* The results of a selection at all points smaller than a given one. */
struct smaller_points {
    size_t n, n_hopeless;
    size_t last_at;
    double before, last; /* the last two of times_best() */
};

static struct smaller_points at_smaller(struct exploration *e, size_t selection, size_t point)
{
    struct smaller_points r = {0};

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

static bool is_hopeless(const struct exploration *e, const struct smaller_points *r)
{
    if (e->p.s.a->n_cases)
        return r->n >= HOPELESS_CASES && r->n_hopeless == r->n;
    return r->before > hopeless && r->last > hopeless && r->last >= no_better * r->before;
}

/* Counts the points where a selection failed; *FIRST: the first of them; *EVER_WORKED: whether it
 * worked anywhere. */
static size_t count_failures(const struct exploration *e, size_t selection, bool *ever_worked,
                             size_t *first)
{
    size_t n = 0;

    *ever_worked = false;
    for (size_t i = e->n_points; i-- > 0;) {
        const struct cell *c = &e->cells[selection][i];

        *ever_worked = *ever_worked || c->all.n || c->n_inaccurate;
        if (c->n_failed || explore_is_deadly(c)) {
            n++;
            *first = i;
        }
    }
    return n;
}

/* Returns whether a selection fails everywhere. With cases it never does: they differ in kind, and
 * a selection that fails in some may be best in others. */
static bool fails_everywhere(const struct exploration *e, size_t n_failures, bool ever_worked)
{
    return n_failures >= FAILED_ENOUGH && !ever_worked && !e->p.s.a->n_cases;
}

/* Returns whether a parameter with few values has one at this point with which the selection never
 * failed. */
static bool is_new_ground(const struct exploration *e, size_t selection, size_t point)
{
    const struct survey *s = &e->p.s;

    for (size_t d = 0; d < s->n_dims; d++) {
        bool failed = s->dims[d].sweep->n_values > FAILED_ENOUGH;

        for (size_t i = 0; i < e->n_points && !failed; i++) {
            const struct cell *c = &e->cells[selection][i];

            failed =
                e->points[i][d] == e->points[point][d] && (c->n_failed || explore_is_deadly(c));
        }
        if (!failed)
            return true;
    }
    return false;
}

size_t explore_best(const struct exploration *e)
{
    size_t best = NONE;

    for (size_t i = e->n_points; best == NONE && i-- > 0;)
        for (size_t k = 0; k < e->n_selections; k++) {
            const struct cell *c = &e->cells[k][i];

            if (c->all.n && !explore_is_bad(c) &&
                (best == NONE ||
                 explore_tally_of(c)->mean < explore_tally_of(&e->cells[best][i])->mean))
                best = k;
        }
    return best;
}

/* The mean logarithm of SELECTION's times over those of OTHER, in pairs: over all cases before
 * POINT, which differ in kind; but only at the size before, since a smaller one says less. */
static double paired_loss(const struct exploration *e, size_t selection, size_t other, size_t point)
{
    double sum = 0, n = 0;

    for (size_t i = e->p.s.a->n_cases ? 0 : point - 1; i < point; i++) {
        const struct cell *a = &e->cells[selection][i], *b = &e->cells[other][i];

        if (!a->all.n || !b->all.n)
            continue;
        sum += log(explore_tally_of(a)->mean / explore_tally_of(b)->mean);
        n++;
    }
    return n > 0 ? sum / n : 0;
}

/* The loss that SELECTION will have at the largest size if it goes on as between the last two
 * before POINT; that at the last if there is no such trend. */
static double expected_loss(const struct exploration *e, size_t selection, size_t other,
                            size_t point)
{
    double loss = paired_loss(e, selection, other, point), before, step, rest;

    if (e->p.s.a->n_cases || point < 2 || !(e->sizes[point - 2] > 0))
        return loss;
    before = paired_loss(e, selection, other, point - 1);
    step = log(e->sizes[point - 1] / e->sizes[point - 2]);
    rest = log(e->sizes[e->n_points - 1] / e->sizes[point - 1]);
    return step > 0 && before > 0 ? loss + (loss - before) * rest / step : loss;
}

/*
 * In a race, returns whether SELECTION lost before POINT: it was worse than the better half and
 * clearly worse than the best, or did not run there.
 */
static bool has_lost(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *own = point ? &e->cells[selection][point - 1] : NULL;
    size_t n = 0, better = 0, best = selection;
    double most = 0, limit = e->p.s.a->n_cases || point > 1 ? clearly : clearly_small;

    if (!e->is_race || !selection || !own)
        return false;
    if (!own->all.n || explore_is_bad(own))
        return true;
    for (size_t k = 0; k < e->n_selections; k++) {
        const struct cell *c = &e->cells[k][point - 1];
        double loss;

        if (!c->all.n || explore_is_bad(c))
            continue;
        n++;
        loss = paired_loss(e, selection, k, point);
        better += loss > 0;
        if (loss > most) {
            most = loss;
            best = k;
        }
    }
    return 2 * better >= n && better >= LEAST_SURVIVORS && most > log(limit) &&
           expected_loss(e, selection, best, point) > log(limit);
}

bool explore_is_given_up(struct exploration *e, size_t selection, size_t point)
{
    struct smaller_points r;
    bool ever_worked;
    size_t first, n;

    if (inapplicable(e, selection, point, &first) || has_lost(e, selection, point))
        return true;
    n = count_failures(e, selection, &ever_worked, &first);
    if (fails_everywhere(e, n, ever_worked) && !is_new_ground(e, selection, point))
        return true;
    r = at_smaller(e, selection, point);
    return is_hopeless(e, &r);
}

static void note_failures(struct exploration *e, size_t selection)
{
    bool ever_worked;
    size_t first = 0, n = count_failures(e, selection, &ever_worked, &first);
    const char *what = plan_selection_text(&e->p.s, &e->pool, e->selections[selection]);
    const char *where = explore_point_text(e, e->points[first]);

    what = what && !what[0] ? "as written" : what;
    if (n && fails_everywhere(e, n, ever_worked))
        plan_note(&e->notes,
                  "%s failed at all %zu points where it was tried and is not tried at others", what,
                  n);
    else if (n)
        plan_note(&e->notes, "%s failed%s%s%s and is not repeated there", what,
                  where && *where ? " at " : "", where, n > 1 ? " and others" : "");
}

static void note_stopped(struct exploration *e, size_t selection)
{
    const char *what = plan_selection_text(&e->p.s, &e->pool, e->selections[selection]), *where;
    size_t n = 0, last = 0;

    for (size_t i = 0; i < e->n_points; i++)
        if (explore_was_stopped(&e->cells[selection][i])) {
            last = i;
            n++;
        }
    where = explore_point_text(e, e->points[last]);
    if (n)
        plan_note(&e->notes, "%s was stopped%s%s%s: it takes at least %.3g s",
                  what && what[0] ? what : "as written", where && *where ? " at " : "", where,
                  n > 1 ? " and others" : "", e->cells[selection][last].bound_s);
}

static void note_hopeless(struct exploration *e, size_t selection)
{
    struct smaller_points r = {0};
    bool found = false;

    for (size_t i = 0; !found && i < e->n_points; i++) {
        r = at_smaller(e, selection, i);
        found = !explore_n_trials(&e->cells[selection][i]) && is_hopeless(e, &r);
    }
    if (found && isfinite(r.before) && isfinite(r.last))
        plan_note(&e->notes,
                  "%s is not measured beyond %s: it took %.3g, then %.3g times the best time there",
                  plan_selection_text(&e->p.s, &e->pool, e->selections[selection]),
                  explore_point_text(e, e->points[r.last_at]), r.before, r.last);
}

void explore_note_left_out(struct exploration *e, size_t selection)
{
    note_applies(e, selection);
    note_failures(e, selection);
    note_stopped(e, selection);
    note_hopeless(e, selection);
}

/* --- how long a trial will take --- */

/* The time by a power of the size, through the means at the two nearest measured sizes. */
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
        return n > 0 ? sum / n : 0; /* without sizes, the mean of all */
    ratio = e->sizes[point] / e->sizes[near];
    if (next != NONE && e->sizes[next] > 0 && e->sizes[next] != e->sizes[near] &&
        cells[near].all.mean > 0 && cells[next].all.mean > 0)
        power =
            log(cells[near].all.mean / cells[next].all.mean) / log(e->sizes[near] / e->sizes[next]);
    /* At least linear to larger sizes, at most linear to smaller ones: rather too long than too
     * short. */
    power = ratio > 1 ? fmin(fmax(power, 1), 8) : fmin(fmax(power, 0), 1);
    return cells[near].all.mean * pow(ratio, power);
}

/* The time as written at the point, times the ratio of the selection's time to it at the nearest
 * point where both ran. */
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

double explore_expected_s(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *c = &e->cells[selection][point];

    if (c->all.n)
        return c->all.mean;
    return fmax(expected_by_size(e, selection, point), expected_beside(e, selection, point));
}
