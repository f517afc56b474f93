/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the next trial to measure. It keeps no state between calls: each time it reads the stored
 * trials into a table of cells, one for each selection and sweep point, and returns the first cell
 * that lacks a trial.
 *
 * The order is: the assembly as written at all points, from small to large. Then its call graph is
 * known and pruned, and further selections follow from the core: each alternative of an instance
 * alone, and the combinations on which a call path of the core depends (its scope). When every cell
 * has one trial, all are repeated in turn, those with the fewest trials first, until the interval
 * of the mean is narrow enough. explore_judge.c leaves out cells that failed before, or are far too
 * slow at smaller points.
 */
#include "explore.h"

#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

/* Trials are repeated until the interval of the mean is NARROW, unless they surely take longer than
 * MATTERS times the best. */
static const double narrow = 0.05, matters = 2;
/* The factor by which the time of a single trial may be wrong. */
static const double single = 1.5;
/* The same for combinations of options, of which only those are repeated that may be the best. */
static const double matters_of_combinations = 1, single_of_combinations = 1.25;

enum { MOST_TRIALS = 10, ENOUGH_TRIALS = 5 };

/* --- which selections are needed --- */

static enum portolan_status add_selection(struct exploration *e, const size_t *selection)
{
    size_t n = e->n_selections, *copy;
    struct cell *cells;

    for (size_t i = 0; i < e->n_selections; i++)
        if (explore_same_selection(e, e->selections[i], selection))
            return PORTOLAN_OK;
    if (!(copy = portolan_arena_alloc(&e->pool, e->p.s.n_variables, sizeof *copy)))
        return PORTOLAN_ENOMEM;
    memcpy(copy, selection, e->p.s.n_variables * sizeof *copy);
    return (cells = explore_fill_cells(e, copy)) &&
                   portolan_arena_append(&e->pool, &e->selections, &n, &copy, sizeof copy) &&
                   portolan_arena_append(&e->pool, &e->cells, &e->n_selections, &cells,
                                         sizeof cells)
               ? PORTOLAN_OK
               : PORTOLAN_ENOMEM;
}

static bool caller_present_in(const struct exploration *e, size_t path,
                              const struct survey_trial *t)
{
    long parent = e->p.s.nodes[path].parent;

    return t->n_rows > 0 && (parent < 0 || survey_is_called(&e->p.s, t, (size_t)parent));
}

/* Returns whether the caller ran with this class in some trial, but never called this path with it.
 */
static bool is_unneeded(const struct exploration *e, size_t path, const size_t *selection)
{
    size_t caller = e->p.s.nodes[path].caller;
    bool seen = false;

    if (caller == NONE)
        return false;
    for (size_t i = 0; i < e->p.s.n_trials; i++) {
        const struct survey_trial *t = &e->p.s.trials[i];

        if (t->n_rows == 0 || e->p.s.rows[t->first_row].selection[caller] != selection[caller])
            continue;
        if (survey_is_called(&e->p.s, t, path))
            return false;
        seen = seen || caller_present_in(e, path, t);
    }
    return seen;
}

/* Returns whether a trial of SELECTION shows the path: false if there was one and the caller did
 * not run.
 */
static bool may_show(const struct exploration *e, size_t path, const size_t *selection)
{
    for (size_t i = 0; i < e->p.s.n_trials; i++) {
        const struct survey_trial *t = &e->p.s.trials[i];

        if (t->n_rows && explore_same_selection(e, e->outcomes[i].selection, selection))
            return caller_present_in(e, path, t);
    }
    return true;
}

static bool is_covered(const struct exploration *e, size_t path, size_t tuple)
{
    for (size_t i = 0; i < e->n_selections; i++)
        if (plan_tuple_of(&e->p, &e->p.paths[path].scope, e->selections[i]) == tuple &&
            may_show(e, path, e->selections[i]))
            return true;
    return false;
}

/* Sets SELECTION to one in which the path's caller is known to run. */
static void start_from(const struct exploration *e, size_t path, size_t *selection)
{
    for (size_t k = 0; k < e->n_selections; k++)
        for (size_t i = 0; i < e->p.s.n_trials; i++) {
            const struct survey_trial *t = &e->p.s.trials[i];

            if (t->n_rows &&
                explore_same_selection(e, e->outcomes[i].selection, e->selections[k]) &&
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
        for (size_t i = 0; i < scope->n; i++) /* pruned instances stay as written */
            outside = outside ||
                      (p->number[scope->variables[i]] == NONE && selection[scope->variables[i]]);
        outside = outside || plan_tuple_of(p, scope, selection) != tuple;
        if (!outside && !is_unneeded(e, path, selection) && !is_covered(e, path, tuple))
            status = add_selection(e, selection);
    }
    return status;
}

static bool wants_first(struct exploration *e, size_t selection, size_t point)
{
    const struct cell *c = &e->cells[selection][point];

    /* What was tried at the largest point alone needs no smaller ones to qualify. */
    if (e->is_race && !e->p.s.a->n_cases && explore_n_trials(&e->cells[selection][e->n_points - 1]))
        return false;
    return !explore_n_trials(c) && !explore_is_deadly(c) &&
           !explore_is_given_up(e, selection, point);
}

/* Returns whether the assembly as written was tried at all points, and worked at none. */
static bool is_useless_as_written(struct exploration *e)
{
    for (size_t i = 0; i < e->n_points; i++)
        if (e->cells[0][i].all.n || wants_first(e, 0, i))
            return false;
    return true;
}

static bool is_core_as_written(const struct exploration *e, size_t variable)
{
    const struct survey *s = &e->p.s;

    for (size_t n = 0; n < s->n_nodes; n++)
        for (size_t i = 0; i < s->n_trials; i++)
            if (e->p.paths[n].core && s->nodes[n].variable == variable && s->trials[i].n_rows &&
                explore_same_selection(e, e->outcomes[i].selection, e->selections[0]) &&
                survey_is_called(s, &s->trials[i], n))
                return true;
    return false;
}

static enum portolan_status list_selections(struct exploration *e)
{
    const struct survey *s = &e->p.s;
    size_t *selection = portolan_arena_alloc(&e->pool, s->n_variables, sizeof *selection);
    enum portolan_status status = selection ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    /* Else the core is not known; an option of a program always matters. */
    bool all = e->are_combinations || is_useless_as_written(e);

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

/* --- the next one --- */

static enum portolan_status take_next(struct exploration *e, size_t selection, size_t point)
{
    const struct survey *s = &e->p.s;
    struct portolan_next_trial *out = e->out;
    char *where = explore_point_text(e, e->points[point]);
    char *what = plan_selection_text(s, &e->pool, e->selections[selection]);
    struct portolan_text purpose = {.arena = &e->pool};
    size_t trials = explore_n_trials(&e->cells[selection][point]);

    out->selection = portolan_arena_alloc(&e->pool, s->n_variables, sizeof *out->selection);
    out->parameters = portolan_arena_alloc(&e->pool, s->a->n_sweeps + s->a->n_case_columns,
                                           sizeof *out->parameters);
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
    out->expected_s = explore_expected_s(e, selection, point);
    portolan_text_add(&purpose, "%s%s%s", what[0] ? what : "as written", where[0] ? " at " : "",
                      where);
    if (trials)
        portolan_text_add(&purpose, ", trial %zu", trials + 1);
    out->purpose = plan_text(&purpose);
    return out->purpose ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/* Bounds of the mean time in a cell; of a single trial they are wide. */
static void time_bounds(const struct exploration *e, const struct cell *c, double *low,
                        double *high)
{
    const struct tally *t = explore_tally_of(c);
    double width = explore_tally_width(t),
           one = e->are_combinations ? single_of_combinations : single;

    *low = t->n > 1 ? t->mean * (1 - width) : t->mean / one;
    *high = t->n > 1 ? t->mean * (1 + width) : t->mean * one;
}

/* Returns whether SELECTION may take at most MATTERS times as long as the best at the point. */
static bool can_matter(const struct exploration *e, size_t selection, size_t point)
{
    double low, high, best = INFINITY;

    for (size_t k = 0; k < e->n_selections; k++) {
        const struct cell *c = &e->cells[k][point];

        if (!c->all.n || explore_is_bad(c))
            continue;
        time_bounds(e, c, &low, &high);
        best = fmin(best, high);
    }
    time_bounds(e, &e->cells[selection][point], &low, &high);
    return low <= (e->are_combinations ? matters_of_combinations : matters) * best;
}

/* Disturbed trials do not count and are repeated, but there are at most twice as many trials. */
static bool is_known_well(const struct exploration *e, const struct cell *c)
{
    size_t most = e->most_trials;

    if (c->clean.n >= most || c->all.n >= (most > 1 ? 2 * most : 1))
        return true;
    return explore_tally_width(&c->clean) <= narrow ||
           (c->all.n >= 4 && explore_tally_width(&c->all) <= narrow);
}

/* Returns whether a combination is the best at the point for sure: then its time need not be known
 * better than to tell so. */
static bool is_best_for_sure(const struct exploration *e, size_t selection, size_t point)
{
    if (!e->are_combinations || e->cells[selection][point].all.n < ENOUGH_TRIALS)
        return false;
    for (size_t k = 0; k < e->n_selections; k++) {
        const struct cell *c = &e->cells[k][point];

        if (k != selection && c->all.n && !explore_is_bad(c) && can_matter(e, k, point))
            return false;
    }
    return true;
}

static bool wants_again(const struct exploration *e, size_t selection, size_t point)
{
    const struct cell *c = &e->cells[selection][point];

    return c->all.n && !explore_is_bad(c) && !is_known_well(e, c) &&
           can_matter(e, selection, point) && !is_best_for_sure(e, selection, point);
}

/* Takes the trial if it is affordable and none was taken yet; counts it in E->out->left or, if it
 * is not affordable, in *UNAFFORDABLE. */
static enum portolan_status consider_trial(struct exploration *e, size_t selection, size_t point,
                                           size_t *unaffordable)
{
    if (e->budget_s <= 0 || explore_expected_s(e, selection, point) > e->budget_s) {
        ++*unaffordable;
        return PORTOLAN_OK;
    }
    e->out->left++;
    return e->out->finished ? take_next(e, selection, point) : PORTOLAN_OK;
}

/* Position K of N in an order that differs between points and never changes: neighbours in the file
 * are not measured one after the other, so that a slow change of the machine does not look like an
 * effect of an option. */
static size_t shuffled(size_t k, size_t n, size_t point)
{
    static const size_t steps[] = {7919, 104729}; /* primes: one of them does not divide N */

    return (k * steps[n % steps[0] == 0] + point * 31) % n;
}

static enum portolan_status consider_firsts(struct exploration *e, size_t from, size_t to,
                                            size_t *unaffordable)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = e->at_largest ? e->n_points - 1 : 0; !status && i < e->n_points; i++)
        for (size_t n = from; !status && n < to; n++) {
            size_t k = e->are_combinations ? from + shuffled(n - from, to - from, i) : n;

            if (wants_first(e, k, i))
                status = consider_trial(e, k, i, unaffordable);
        }
    return status;
}

/* Repeats the trials in turn, those with the fewest first, so that a change of the machine affects
 * all of them equally. */
static enum portolan_status consider_repetitions(struct exploration *e, size_t *unaffordable)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t n = 1; !status && n < 2 * e->most_trials; n++)
        for (size_t i = 0; !status && i < e->n_points; i++)
            for (size_t j = 0; !status && j < e->n_selections; j++) {
                size_t k = e->are_combinations ? shuffled(j, e->n_selections, n + i) : j;

                if (explore_n_trials(&e->cells[k][i]) == n && wants_again(e, k, i))
                    status = consider_trial(e, k, i, unaffordable);
            }
    return status;
}

/* --- notes at the end --- */

static void note_budget(struct exploration *e, size_t firsts, size_t repetitions)
{
    size_t n = firsts ? firsts : repetitions;

    if (n)
        plan_note(&e->notes, "the budget does not allow %s%zu %strial%s",
                  firsts ? "" : "to repeat ", n, firsts ? "more " : "", n == 1 ? "" : "s");
}

/* Sums up how often all was measured, and how wide the intervals are at worst. */
static void summarise(struct exploration *e)
{
    size_t n = 0, fewest = SIZE_MAX, most = 0;
    struct portolan_text text = {.arena = &e->pool};
    double widest = 0;

    for (size_t k = 0; k < e->n_selections; k++)
        for (size_t i = 0; i < e->n_points; i++) {
            const struct cell *c = &e->cells[k][i];

            if (!c->all.n || explore_is_bad(c))
                continue;
            n++;
            fewest = c->all.n < fewest ? c->all.n : fewest;
            most = c->all.n > most ? c->all.n : most;
            if (explore_tally_of(c)->n > 1)
                widest = fmax(widest, explore_tally_width(explore_tally_of(c)));
        }
    if (!n)
        return;
    portolan_text_add(&text, "%zu settings measured %zu", n, fewest);
    if (most > fewest)
        portolan_text_add(&text, " to %zu", most);
    portolan_text_add(&text, " time%s each", most == 1 ? "" : "s");
    if (widest > 0)
        portolan_text_add(&text, ", within %.3g %% (95 %%) at worst", 100 * widest);
    e->out->summary = plan_text(&text);
}

static void note_disturbed(struct exploration *e)
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
    if (n_disturbed)
        plan_note(&e->notes, "%zu of %zu trials %s disturbed (the last: %s)", n_disturbed, n,
                  n_disturbed == 1 ? "was" : "were", why);
}

static enum portolan_status note_all(struct exploration *e, size_t firsts, size_t repetitions)
{
    for (size_t k = 0; k < e->n_selections; k++)
        explore_note_left_out(e, k);
    note_disturbed(e);
    note_budget(e, firsts, repetitions);
    summarise(e);
    e->out->n_notes = e->notes.n;
    e->out->notes = e->notes.texts;
    return e->pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

static enum portolan_status begin_exploration(struct exploration *e, struct portolan_error *err)
{
    enum portolan_status status = explore_list_points(e, err);
    size_t *written;

    if (!status)
        status = explore_list_outcomes(e);
    if (status)
        return status;
    if (!(written = portolan_arena_alloc(&e->pool, e->p.s.n_variables, sizeof *written)))
        return PORTOLAN_ENOMEM;
    status = add_selection(e, written);
    if (!status)
        status = plan_read_conditions(&e->p, err);
    if (!status)
        status = plan_make_scopes(&e->p, err);
    return status ? status : plan_make_graph(&e->p, err);
}

static size_t count_good(const struct exploration *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->n_selections; k++)
        for (size_t i = 0; i < e->n_points; i++)
            n += e->cells[k][i].all.n;
    return n;
}

static void name_best(struct exploration *e)
{
    size_t best = e->are_combinations ? explore_best(e) : NONE;
    const struct survey *s = &e->p.s;

    if (best != NONE && s->n_variables)
        e->out->best = portolan_arena_strdup(
            &e->pool, s->variables[0].instance->alternatives[e->selections[best][0]].class_name);
}

static enum portolan_status find_next(struct exploration *e, struct portolan_error *err)
{
    size_t firsts = 0, repetitions = 0;
    enum portolan_status status = begin_exploration(e, err);

    if (!status)
        status = consider_firsts(e, 0, 1, &firsts);
    if (!status && e->out->finished)
        status = list_selections(e);
    for (size_t i = 0; !status && i < e->n_points; i++)
        e->cells[0][i].times =
            NAN; /* to be computed again, since there are more selections to compare */
    if (!status)
        status = consider_firsts(e, 1, e->n_selections, &firsts);
    if (!status)
        status = consider_repetitions(e, &repetitions);
    if (status)
        return status;
    e->out->done = count_good(e);
    name_best(e);
    e->out->unaffordable = firsts ? firsts : repetitions;
    return note_all(e, firsts, repetitions);
}

/* The answer in one block with the arena of its arrays. */
struct answer {
    struct portolan_next_trial next;
    struct portolan_arena pool;
};

enum portolan_status
portolan_plan_next_trial(const struct portolan_assembly *a, const struct portolan_sample_set *data,
                         const struct portolan_plan_options *options, double budget_left_s,
                         struct portolan_next_trial **out, struct portolan_error *err)
{
    struct exploration e = {.budget_s = budget_left_s,
                            .are_combinations = options->are_combinations,
                            .is_race = options->is_race && !options->at_largest,
                            .at_largest = options->at_largest,
                            .most_trials = options->most_trials > 0 ? (size_t)options->most_trials
                                                                    : MOST_TRIALS};
    struct answer *answer = portolan_calloc(1, sizeof *answer);
    enum portolan_status status = PORTOLAN_ENOMEM;

    e.notes.pool = &e.pool;
    if (answer) {
        e.out = &answer->next;
        *e.out = (struct portolan_next_trial){
            .finished = true, .purpose = "", .summary = "", .best = ""};
        status = survey_init(&e.p.s, a, data, options, true, err);
        if (!status)
            status = find_next(&e, err);
        plan_clear_conditions(&e.p);
        survey_clear(&e.p.s);
        answer->pool = e.pool;
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
    struct answer *answer = (struct answer *)next;

    if (answer)
        portolan_arena_clear(&answer->pool);
    free(answer);
}
