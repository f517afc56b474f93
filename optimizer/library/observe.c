/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fits the quantities of a call path, one after the other for each tuple, that is for each
 * combination of implementations in its scope.
 *
 * usual_times.c has reduced the samples to means by segment (a stretch of steps with one selection,
 * within a minute) and context. From these each fit takes its rows: the calls per call of the
 * caller, by parameters; the exclusive time per call, by contexts where they vary and by
 * parameters; set-up, per run and per return; the accuracy; and the contexts themselves as
 * functions of the parameters. A row weighs more the more steps it is the mean of. First calls are
 * rows only at places without later ones.
 *
 * Tuples that differ only in the calling instance share the exclusive time: the caller decides how
 * often, not how long. At the end hold_together() gives tuples with too few measurements the spread
 * of the others.
 */
#include "observe.h"

#include <string.h>

static bool is_wrong(const struct observation *o, size_t segment)
{
    return o->is_wrong[o->p->s.segments[segment].trial * o->n_own + o->own];
}

/* The row of a segment for the called alternative. */
static struct segment_row *row_in(const struct observation *o, size_t segment)
{
    return observation_row(o, segment, o->own);
}

/* Returns whether a segment shows the tuple or, with ANY_CALLER, one that differs in the calling
 * instance; if the called instance was swapped in it, it counts for each of its alternatives. */
static bool shows_tuple(const struct observation *o, size_t segment, bool any_caller)
{
    const struct survey *s = &o->p->s;
    const size_t *selection = s->segments[segment].selection;
    size_t tuple;

    if (o->variable != NONE && selection[o->variable] == NONE && row_in(o, segment)->present) {
        memcpy(o->selection, selection, s->n_variables * sizeof *selection);
        o->selection[o->variable] = o->own;
        selection = o->selection;
    }
    tuple = plan_tuple_of(o->p, &o->p->paths[o->path].scope, selection);
    return any_caller
               ? plan_as_written(o->p, o->path, tuple) == plan_as_written(o->p, o->path, o->tuple)
               : tuple == o->tuple;
}

/* Begins the rows of a fit over the contexts, with the ranks where they vary. */
static void begin_contexts(struct observation *o)
{
    const struct survey_node *node = &o->p->s.nodes[o->path];

    o->rows.by_context = true;
    o->rows.n = 0;
    o->rows.n_names = (size_t)node->n_context;
    memcpy(o->rows.names, node->context_name, o->rows.n_names * sizeof *o->rows.names);
    if (survey_ranks_vary(&o->p->s))
        o->rows.names[o->rows.n_names++] = "ranks";
}

/* Begins the rows of a fit over the swept parameters. */
static void begin_dims(struct observation *o)
{
    const struct survey *s = &o->p->s;

    o->rows.by_context = false;
    o->rows.n = o->rows.n_names = 0;
    for (size_t d = 0; d < s->n_dims && o->rows.n_names < MAX_INPUTS; d++)
        if (s->dims[d].numeric)
            o->rows.names[o->rows.n_names++] = s->dims[d].name;
}

/* Adds a row of a trial, for one step; CONTEXT: used by fits over contexts. */
static void add_row(struct observation *o, size_t trial, const double *context, double y)
{
    const struct survey *s = &o->p->s;
    struct plan_rows *r = &o->rows;
    double *x = &r->x[r->n * r->n_names];
    size_t n_context = (size_t)s->nodes[o->path].n_context;

    if (r->by_context) {
        memcpy(x, context, n_context * sizeof *x);
        if (r->n_names > n_context)
            x[n_context] = (double)s->trials[trial].trial->ranks;
    } else {
        survey_inputs(s, s->trials[trial].x, x);
    }
    r->point[r->n] = s->trials[trial].point;
    r->steps[r->n] = 1;
    r->error[r->n] = 0;
    r->is_first[r->n] = false;
    r->y[r->n++] = y;
}

/* Adds a row of a segment over the swept parameters; false (no row) if one of them is not known. */
static bool add_segment(struct observation *o, size_t segment, double y)
{
    struct plan_rows *r = &o->rows;

    add_row(o, o->p->s.segments[segment].trial, NULL, y);
    for (size_t k = 0; k < r->n_names; k++)
        if (isnan(r->x[(r->n - 1) * r->n_names + k])) {
            r->n--;
            return false;
        }
    return true;
}

/* Completes the last row, which is the mean of STEPS steps, with a relative ERROR. */
static void describe_row(struct plan_rows *r, double steps, double error, bool is_first)
{
    r->steps[r->n - 1] = steps;
    r->error[r->n - 1] = error;
    r->is_first[r->n - 1] = is_first;
}

static bool inputs_vary(const struct plan_rows *r)
{
    for (size_t i = 1; i < r->n; i++)
        if (memcmp(r->x, &r->x[i * r->n_names], r->n_names * sizeof *r->x) != 0)
            return true;
    return false;
}

enum { ENOUGH = 30 };

static bool same_place(const struct plan_rows *r, size_t i, size_t k)
{
    return r->point[i] == r->point[k] &&
           memcmp(&r->x[i * r->n_names], &r->x[k * r->n_names], r->n_names * sizeof *r->x) == 0;
}

/* Drops rows of first calls where later ones were measured at the same place. */
static void drop_first(struct plan_rows *r)
{
    size_t kept = 0;

    r->only_first = true;
    for (size_t i = 0; i < r->n; i++) {
        bool drops = false;

        for (size_t k = 0; r->is_first[i] && k < r->n && !drops; k++)
            drops = !r->is_first[k] && same_place(r, i, k);
        r->is_dropped[i] = drops;
        r->only_first = r->only_first && r->is_first[i];
    }
    for (size_t i = 0; i < r->n; i++) {
        if (r->is_dropped[i])
            continue;
        memmove(&r->x[kept * r->n_names], &r->x[i * r->n_names], r->n_names * sizeof *r->x);
        r->y[kept] = r->y[i];
        r->steps[kept] = r->steps[i];
        r->error[kept] = r->error[i];
        r->is_first[kept] = r->is_first[i];
        r->point[kept++] = r->point[i];
    }
    r->n = kept;
}

/*
 * A block of ENOUGH steps counts fully, since blocks differ by more than steps do; one of fewer
 * steps by their number, if there is a longer one at the same place.
 */
static void weigh_rows(const struct portolan_plan *p, struct plan_rows *r)
{
    double squares = 0, weight = 0, places = 0;

    drop_first(r);
    r->n_steps = 0;
    r->is_exact = p->is_exact;
    for (size_t i = 0; i < r->n; i++) {
        double most = r->steps[i];
        bool is_new = true;

        for (size_t k = 0; k < r->n; k++)
            if (k != i && same_place(r, i, k)) {
                most = fmax(most, r->steps[k]);
                is_new = is_new && k > i;
            }
        r->weight[i] = fmin(1, r->steps[i] / fmin(ENOUGH, most));
        r->n_steps += r->steps[i];
        weight += r->weight[i];
        squares += r->weight[i] * r->error[i] * r->error[i];
        places += is_new;
    }
    r->within = weight > 0 ? sqrt(squares / weight / fmax(1, weight / places)) : 0;
    r->is_exact = r->is_exact || (r->n_steps >= ENOUGH && !(r->within > 0));
}

static enum portolan_status fit_rows(struct observation *o, enum quantity_kind kind,
                                     struct quantity *q)
{
    if (o->rows.n == 0)
        return PORTOLAN_OK;
    for (size_t i = 0; i < o->rows.n; i++)
        o->rows.weight[i] = 1;
    o->rows.n_steps = o->rows.within = 0;
    if (kind == QUANTITY_TIME)
        weigh_rows(o->p, &o->rows);
    return plan_fit_quantity(o->p, &o->rows, kind, q);
}

static enum portolan_status fit_calls(struct observation *o)
{
    begin_dims(o);
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g);

        if (shows_tuple(o, g, false) && row->caller && row->caller_calls > 0)
            add_segment(o, g, row->calls / row->caller_calls);
    }
    o->t->seen = o->rows.n > 0;
    return fit_rows(o, QUANTITY_COUNT, &o->t->calls);
}

static void add_contexts(struct observation *o)
{
    begin_contexts(o);
    for (size_t i = 0; i < o->n_contexts; i++) {
        const struct context_row *c = &o->contexts[i];

        if (c->own != o->own || c->is_dropped || !shows_tuple(o, c->segment, true) ||
            is_wrong(o, c->segment))
            continue;
        add_row(o, o->p->s.segments[c->segment].trial, c->context, c->each);
        describe_row(&o->rows, c->steps, c->error, c->is_only_first);
    }
}

static void add_segments(struct observation *o)
{
    begin_dims(o);
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g);

        if (shows_tuple(o, g, true) && row->present && !is_wrong(o, g) &&
            add_segment(o, g, row->exclusive_later / row->calls_counted))
            describe_row(&o->rows, row->steps, row->error, !row->has_later);
    }
}

/* Fits the time by contexts if these vary, or if nothing varies, since a context may still change
 * in a run; and by parameters in any case. */
static enum portolan_status fit_exclusive(struct observation *o)
{
    enum portolan_status status = PORTOLAN_OK;
    bool by_context;

    add_contexts(o);
    by_context = inputs_vary(&o->rows);
    if (!by_context && o->rows.n_names && o->rows.n) {
        add_segments(o);
        by_context = !inputs_vary(&o->rows);
        add_contexts(o);
    }
    if (by_context)
        status = fit_rows(o, QUANTITY_TIME, &o->t->exclusive);
    add_segments(o);
    return status ? status
                  : fit_rows(o, QUANTITY_TIME, by_context ? &o->t->overall : &o->t->exclusive);
}

/* Fits a cost that is paid once. If it was seen in at most half of the cases, it was chance. */
static enum portolan_status fit_once(struct observation *o, size_t some, struct quantity *q)
{
    for (size_t i = 0; 2 * some <= o->rows.n && i < o->rows.n; i++)
        o->rows.y[i] = 0;
    return fit_rows(o, QUANTITY_TIME, q);
}

/* Fits the set-up per run, from the segments with which trials began. */
static enum portolan_status fit_setup(struct observation *o)
{
    const struct survey *s = &o->p->s;
    size_t some = 0;

    begin_dims(o);
    for (size_t g = 0; g < s->n_segments; g++)
        if (shows_tuple(o, g, false) &&
            (g == 0 || s->segments[g - 1].trial != s->segments[g].trial) &&
            add_segment(o, g, row_in(o, g)->setup))
            some += o->rows.y[o->rows.n - 1] > 0;
    return fit_once(o, some, &o->t->setup);
}

/* Fits the set-up per return to the implementation within a run. */
static enum portolan_status fit_again(struct observation *o)
{
    size_t some = 0;

    begin_dims(o);
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g);

        if (shows_tuple(o, g, true) && row->n_again &&
            add_segment(o, g, row->again / (double)row->n_again))
            some += row->again > 0;
    }
    return fit_once(o, some, &o->t->again);
}

static bool trial_at_target(const struct portolan_plan *p, size_t trial)
{
    return p->s.trials[trial].point == p->s.target_point;
}

/* Adds the reported accuracies of a tuple as rows; notes the worst at the present parameters. */
static void add_accuracies(struct observation *o)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];
        size_t trial = s->rows[q->row].trial;

        if (isnan(q->value) || plan_quality_tuple(o->p, o->path, q, o->selection) != o->tuple)
            continue;
        if (trial_at_target(o->p, trial) && !(q->value <= o->t->accuracy_here.value))
            o->t->accuracy_here = (struct estimate){q->value, q->value, q->value, 0};
        add_row(o, trial, q->context, q->value);
    }
}

static enum portolan_status fit_accuracy(struct observation *o)
{
    begin_contexts(o);
    o->rows.n_names = (size_t)o->p->s.nodes[o->path].n_context;
    add_accuracies(o);
    if (!inputs_vary(&o->rows)) {
        begin_dims(o);
        add_accuracies(o);
    }
    return fit_rows(o, QUANTITY_ACCURACY, &o->t->accuracy);
}

/* Returns whether the calling instance had the same alternative in the segment as in the tuple. */
static bool same_caller(const struct observation *o, size_t segment)
{
    const struct plan_path *path = &o->p->paths[o->path];
    const struct survey *s = &o->p->s;

    return path->caller_at == NONE ||
           s->segments[segment].selection[path->scope.variables[path->caller_at]] ==
               plan_caller_of(o->p, o->path, o->tuple);
}

/* Returns the trial at the present parameters that has most steps with the tuple's caller; of equal
 * ones the latest. */
static size_t longest_at_target(const struct observation *o)
{
    const struct survey *s = &o->p->s;
    size_t best = NONE, most = 0;

    for (size_t g = 0, steps = 0; g < s->n_segments; g++) {
        size_t trial = s->segments[g].trial;

        steps = g && s->segments[g - 1].trial == trial ? steps : 0;
        if (trial_at_target(o->p, trial) && same_caller(o, g))
            steps += s->segments[g].n_rows;
        if (steps && steps >= most) {
            most = steps;
            best = trial;
        }
    }
    return best;
}

/*
 * Notes the contexts at the present parameters, from all steps of the longest such trial, whichever
 * implementation was called: the callers determine the contexts.
 */
static enum portolan_status note_exact(struct observation *o)
{
    struct portolan_plan *p = o->p;
    struct profile *exact = &o->t->exact;
    size_t best = longest_at_target(o);
    double calls = 0, *share;

    if (best == NONE)
        return PORTOLAN_OK;
    exact->context = portolan_arena_alloc(&p->s.pool, o->n_contexts, sizeof *exact->context);
    exact->share = share = portolan_arena_alloc(&p->s.pool, o->n_contexts, sizeof *share);
    if (!exact->context || !share)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < o->n_contexts; i++) {
        const struct context_row *c = &o->contexts[i];

        if (p->s.segments[c->segment].trial != best || !same_caller(o, c->segment))
            continue;
        memcpy(exact->context[exact->n], c->context, sizeof c->context);
        share[exact->n++] = c->calls;
        calls += c->calls;
    }
    for (size_t i = 0; i < exact->n; i++)
        share[i] /= calls;
    return PORTOLAN_OK;
}

/* Fits the values of the SLOT-th context over the segments of a tuple. */
static enum portolan_status fit_slot(struct observation *o, size_t slot)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int k = 0; !status && k < o->p->s.nodes[o->path].n_context; k++) {
        double share = 0;

        begin_dims(o);
        for (size_t g = 0; g < o->p->s.n_segments; g++) {
            const struct segment_row *row = row_in(o, g);
            const struct context_row *c = &o->contexts[row->first_context + slot];

            if (shows_tuple(o, g, false) && row->present && add_segment(o, g, c->context[k]))
                share += c->calls / row->calls_later;
        }
        if (o->rows.n)
            o->t->slot_share[slot] = share / (double)o->rows.n;
        status = fit_rows(o, QUANTITY_CONTEXT, &o->t->slot_context[slot][k]);
    }
    return status;
}

static enum portolan_status fit_slots(struct observation *o)
{
    struct portolan_arena *pool = &o->p->s.pool;
    struct plan_tuple *t = o->t;
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (!t->exclusive.known || !t->exclusive.by_context)
        return PORTOLAN_OK;
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        size_t its = row_in(o, g)->n_contexts;

        if (!shows_tuple(o, g, false) || !row_in(o, g)->present)
            continue;
        if (n && n != its)
            return PORTOLAN_OK; /* the number of contexts varies: no slots */
        n = its;
    }
    if (n == 0 || n > MAX_SLOTS)
        return PORTOLAN_OK;
    t->slot_context = portolan_arena_alloc(pool, n, sizeof *t->slot_context);
    t->slot_share = portolan_arena_alloc(pool, n, sizeof *t->slot_share);
    if (!t->slot_context || !t->slot_share)
        return PORTOLAN_ENOMEM;
    for (size_t slot = 0; !status && slot < n; slot++)
        status = fit_slot(o, slot);
    t->n_slots = n;
    return status;
}

/* An earlier tuple that differs only in the caller's class; NULL: there is none. */
static const struct plan_tuple *twin_of(const struct portolan_plan *p, size_t path, size_t tuple)
{
    size_t first = plan_as_written(p, path, tuple);

    return first != tuple ? &p->paths[path].tuples[first] : NULL;
}

static enum portolan_status observe_tuple(struct observation *o, size_t tuple)
{
    static enum portolan_status (*const fits[])(struct observation *) = {
        fit_calls, fit_exclusive, fit_setup, fit_again, fit_accuracy, note_exact, fit_slots};
    const struct plan_tuple *twin = twin_of(o->p, o->path, tuple);
    enum portolan_status status = PORTOLAN_OK;

    o->tuple = tuple;
    o->own = plan_own_of(o->p, o->path, tuple);
    o->t = &o->p->paths[o->path].tuples[tuple];
    if (twin) {
        o->t->exclusive = twin->exclusive;
        o->t->overall = twin->overall;
    }
    for (size_t i = 0; !status && i < sizeof fits / sizeof *fits; i++)
        if (!twin || fits[i] != fit_exclusive)
            status = fits[i](o);
    return status;
}

/* The relative standard deviation of times at one place, from all tuples of a path; 0: not known.
 */
static double common_spread(const struct portolan_plan *p, size_t path)
{
    double sum = 0, dof = 0;

    for (size_t k = 0; k < p->paths[path].scope.n_tuples; k++) {
        const struct plan_rows *r = p->paths[path].tuples[k].exclusive.rows;
        const struct portolan_local_summary *s =
            r && r->local ? portolan_local_peek_summary(r->local) : NULL;

        if (s && s->repeat > 0) {
            sum += s->repeat * s->repeat * s->repeat_dof;
            dof += s->repeat_dof;
        }
    }
    return dof > 0 ? sqrt(sum / dof) : 0;
}

/*
 * Gives tuples that were measured in one block of time, or with equal times by chance, the spread
 * between blocks that the path's other tuples have. Marks those with only first calls as doubtful
 * if others have later ones, since the two do not compare.
 */
static void hold_together(struct portolan_plan *p, size_t path)
{
    static const double usual = 0.1;
    double spread = common_spread(p, path);
    bool has_later = false;

    for (size_t k = 0; k < p->paths[path].scope.n_tuples; k++) {
        const struct plan_rows *r = p->paths[path].tuples[k].exclusive.rows;

        has_later = has_later || (r && !r->only_first);
    }
    for (size_t k = 0; k < p->paths[path].scope.n_tuples; k++) {
        struct plan_rows *of_both[] = {p->paths[path].tuples[k].exclusive.rows,
                                       p->paths[path].tuples[k].overall.rows};

        for (size_t i = 0; i < 2; i++) {
            struct plan_rows *r = of_both[i];

            if (!r)
                continue;
            r->is_doubtful = r->only_first && has_later;
            if (r->local && !r->is_exact && !(portolan_local_peek_summary(r->local)->repeat > 0))
                portolan_local_assume(r->local, spread > 0 ? spread : usual);
        }
    }
}

enum portolan_status plan_observe(struct portolan_plan *p, size_t path)
{
    struct observation o = {.p = p, .path = path};
    enum portolan_status status = observation_init(&o);

    for (size_t i = 0; !status && i < p->paths[path].scope.n_tuples; i++)
        status = observe_tuple(&o, i);
    if (!status)
        hold_together(p, path);
    portolan_arena_clear(&o.pool);
    return status;
}
