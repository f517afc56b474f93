/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes rows of what happened on a call path, and fits the quantities of its tuples to them. */
#include "observe.h"

#include <string.h>

static bool is_wrong(const struct observation *o, size_t segment, size_t tuple)
{
    return o
        ->is_wrong[o->p->s.segments[segment].trial * o->n_own + plan_own_of(o->p, o->path, tuple)];
}

/* The row of a segment for the called alternative in TUPLE. */
static struct segment_row *row_in(const struct observation *o, size_t segment, size_t tuple)
{
    return observation_row(o, segment, plan_own_of(o->p, o->path, tuple));
}

/* The segment's tuple; if the called instance was swapped in it, the one with TUPLE's alternative.
 */
static size_t tuple_in(const struct observation *o, size_t segment, size_t tuple)
{
    const struct survey *s = &o->p->s;
    const size_t *selection = s->segments[segment].selection;

    if (o->variable != NONE && selection[o->variable] == NONE &&
        row_in(o, segment, tuple)->present) {
        memcpy(o->selection, selection, s->n_variables * sizeof *selection);
        o->selection[o->variable] = plan_own_of(o->p, o->path, tuple);
        selection = o->selection;
    }
    return plan_tuple_of(o->p, &o->p->paths[o->path].scope, selection);
}

static bool in_tuple(const struct observation *o, size_t segment, size_t tuple)
{
    return tuple_in(o, segment, tuple) == tuple;
}

/* Whether the segment's tuple differs from TUPLE at most in the caller's class. */
static bool in_own_tuple(const struct observation *o, size_t segment, size_t tuple)
{
    return plan_as_written(o->p, o->path, tuple_in(o, segment, tuple)) ==
           plan_as_written(o->p, o->path, tuple);
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

/* Adds a row of a trial; CONTEXT: used by fits over contexts. */
static void add_row(struct observation *o, size_t trial, const double *context, double y)
{
    const struct survey *s = &o->p->s;
    double *x = &o->rows.x[o->rows.n * o->rows.n_names];
    size_t n_context = (size_t)s->nodes[o->path].n_context;

    if (o->rows.by_context) {
        memcpy(x, context, n_context * sizeof *x);
        if (o->rows.n_names > n_context)
            x[n_context] = (double)s->trials[trial].trial->ranks;
    } else {
        survey_inputs(s, s->trials[trial].x, x);
    }
    o->rows.point[o->rows.n] = s->trials[trial].point;
    o->rows.y[o->rows.n++] = y;
}

/* Adds a row of a segment over the swept parameters; false (no row) if one of them is not known. */
static bool add_segment(struct observation *o, size_t segment, double y)
{
    size_t trial = o->p->s.segments[segment].trial;

    add_row(o, trial, NULL, y);
    for (size_t k = 0; k < o->rows.n_names; k++)
        if (isnan(o->rows.x[(o->rows.n - 1) * o->rows.n_names + k])) {
            o->rows.n--;
            return false;
        }
    return true;
}

static bool inputs_vary(const struct observation *o)
{
    for (size_t i = 1; i < o->rows.n; i++)
        if (memcmp(o->rows.x, &o->rows.x[i * o->rows.n_names],
                   o->rows.n_names * sizeof *o->rows.x) != 0)
            return true;
    return false;
}

static enum portolan_status fit_rows(struct observation *o, enum quantity_kind kind,
                                     struct quantity *q)
{
    return o->rows.n ? plan_fit_quantity(o->p, &o->rows, kind, q) : PORTOLAN_OK;
}

static enum portolan_status fit_calls(struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];

    begin_dims(o);
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (in_tuple(o, g, tuple) && row->caller && row->caller_calls > 0)
            add_segment(o, g, row->calls / row->caller_calls);
    }
    t->seen = o->rows.n > 0;
    return fit_rows(o, QUANTITY_COUNT, &t->calls);
}

static void add_contexts(struct observation *o, size_t tuple)
{
    begin_contexts(o);
    for (size_t i = 0; i < o->n_contexts; i++) {
        const struct context_row *c = &o->contexts[i];

        if (c->own == plan_own_of(o->p, o->path, tuple) && in_own_tuple(o, c->segment, tuple) &&
            !is_wrong(o, c->segment, tuple))
            add_row(o, o->p->s.segments[c->segment].trial, c->context, c->each);
    }
}

static void add_segments(struct observation *o, size_t tuple)
{
    begin_dims(o);
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (in_own_tuple(o, g, tuple) && row->present && !is_wrong(o, g, tuple))
            add_segment(o, g, row->exclusive_later / row->calls_later);
    }
}

/* By the contexts where these vary, or where nothing does: then a context may change in a run. */
static enum portolan_status fit_exclusive(struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];
    enum portolan_status status = PORTOLAN_OK;
    bool by_context;

    add_contexts(o, tuple);
    by_context = inputs_vary(o);
    if (!by_context && o->rows.n_names && o->rows.n) {
        add_segments(o, tuple);
        by_context = !inputs_vary(o);
        add_contexts(o, tuple);
    }
    if (by_context)
        status = fit_rows(o, QUANTITY_TIME, &t->exclusive);
    add_segments(o, tuple);
    return status ? status : fit_rows(o, QUANTITY_TIME, by_context ? &t->overall : &t->exclusive);
}

static enum portolan_status fit_setup(struct observation *o, size_t tuple)
{
    size_t some = 0;

    begin_dims(o);
    for (size_t g = 0; g < o->p->s.n_segments; g++)
        if (in_tuple(o, g, tuple) && o->p->s.segments[g].opening &&
            add_segment(o, g, row_in(o, g, tuple)->setup))
            some += o->rows.y[o->rows.n - 1] > 0;
    for (size_t i = 0; 2 * some <= o->rows.n && i < o->rows.n; i++)
        o->rows.y[i] = 0; /* seen in at most half of the trials: chance */
    return fit_rows(o, QUANTITY_TIME, &o->p->paths[o->path].tuples[tuple].setup);
}

/*
 * Fits the extra time per call, as a share of the usual time, that recurring far longer calls add.
 * The rows are segments where their period was seen, and segments with enough calls but without
 * such calls.
 */
static enum portolan_status fit_extra(struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];

    begin_dims(o);
    t->period = 0;
    for (size_t g = 0; g < o->p->s.n_segments; g++)
        if (in_own_tuple(o, g, tuple))
            t->period = fmax(t->period, row_in(o, g, tuple)->period);
    for (size_t g = 0; t->period > 0 && g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (in_own_tuple(o, g, tuple) && (row->period > 0 || row->seen > 2 * t->period) &&
            row->exclusive_later > 0)
            add_segment(o, g, row->extra * row->calls_later / row->exclusive_later);
    }
    return fit_rows(o, QUANTITY_TIME, &t->extra);
}

static bool trial_at_target(const struct portolan_plan *p, size_t trial)
{
    return p->s.trials[trial].point == p->s.target_point;
}

/* Adds the reported accuracies of a tuple as rows; notes the worst at the present parameters. */
static void add_accuracies(struct observation *o, size_t tuple, struct plan_tuple *t)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];
        size_t trial = s->rows[q->row].trial;

        if (isnan(q->value) || plan_quality_tuple(o->p, o->path, q, o->selection) != tuple)
            continue;
        if (trial_at_target(o->p, trial) && !(q->value <= t->accuracy_here.value))
            t->accuracy_here = (struct estimate){q->value, q->value, q->value, 0};
        add_row(o, trial, q->context, q->value);
    }
}

static enum portolan_status fit_accuracy(struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];

    begin_contexts(o);
    o->rows.n_names = (size_t)o->p->s.nodes[o->path].n_context;
    add_accuracies(o, tuple, t);
    if (!inputs_vary(o)) {
        begin_dims(o);
        add_accuracies(o, tuple, t);
    }
    return fit_rows(o, QUANTITY_ACCURACY, &t->accuracy);
}

/* Whether the calling instance had the same alternative in the segment as in TUPLE. */
static bool same_caller(const struct observation *o, size_t segment, size_t tuple)
{
    const struct plan_path *path = &o->p->paths[o->path];
    const struct survey *s = &o->p->s;

    return path->caller_at == NONE ||
           s->segments[segment].selection[path->scope.variables[path->caller_at]] ==
               plan_caller_of(o->p, o->path, tuple);
}

/* Of the trials at the present parameters, the one with most steps with TUPLE's caller; of equal
 * ones the latest. */
static size_t longest_at_target(const struct observation *o, size_t tuple)
{
    const struct survey *s = &o->p->s;
    size_t best = NONE, most = 0;

    for (size_t g = 0, steps = 0; g < s->n_segments; g++) {
        size_t trial = s->segments[g].trial;

        steps = g && s->segments[g - 1].trial == trial ? steps : 0;
        if (trial_at_target(o->p, trial) && same_caller(o, g, tuple))
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
static enum portolan_status note_exact(struct observation *o, size_t tuple)
{
    struct portolan_plan *p = o->p;
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    size_t best = longest_at_target(o, tuple);
    double calls = 0, *share;

    if (best == NONE)
        return PORTOLAN_OK;
    t->exact.context = portolan_arena_alloc(&p->s.pool, o->n_contexts, sizeof *t->exact.context);
    share = portolan_arena_alloc(&p->s.pool, o->n_contexts, sizeof *share);
    t->exact.share = share;
    if (!t->exact.context || !share)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < o->n_contexts; i++) {
        const struct context_row *c = &o->contexts[i];

        if (p->s.segments[c->segment].trial != best || !same_caller(o, c->segment, tuple))
            continue;
        memcpy(t->exact.context[t->exact.n], c->context, sizeof c->context);
        share[t->exact.n++] = c->calls;
        calls += c->calls;
    }
    for (size_t i = 0; i < t->exact.n; i++)
        share[i] /= calls;
    return PORTOLAN_OK;
}

/* Fits the values of the SLOT-th context over the segments of a tuple. */
static enum portolan_status fit_slot(struct observation *o, size_t tuple, size_t slot)
{
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];
    enum portolan_status status = PORTOLAN_OK;

    for (int k = 0; !status && k < o->p->s.nodes[o->path].n_context; k++) {
        double share = 0;

        begin_dims(o);
        for (size_t g = 0; g < o->p->s.n_segments; g++) {
            const struct segment_row *row = row_in(o, g, tuple);
            const struct context_row *c = &o->contexts[row->first_context + slot];

            if (in_tuple(o, g, tuple) && row->present && add_segment(o, g, c->context[k]))
                share += c->calls / row->calls_later;
        }
        if (o->rows.n)
            t->slot_share[slot] = share / (double)o->rows.n;
        status = fit_rows(o, QUANTITY_CONTEXT, &t->slot_context[slot][k]);
    }
    return status;
}

static enum portolan_status fit_slots(struct observation *o, size_t tuple)
{
    struct portolan_arena *pool = &o->p->s.pool;
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (!t->exclusive.known || !t->exclusive.by_context)
        return PORTOLAN_OK;
    for (size_t g = 0; g < o->p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (!in_tuple(o, g, tuple) || !row->present)
            continue;
        if (n && n != row->n_contexts)
            return PORTOLAN_OK; /* the number of contexts varies: no slots */
        n = row->n_contexts;
    }
    if (n == 0 || n > MAX_SLOTS)
        return PORTOLAN_OK;
    t->slot_context = portolan_arena_alloc(pool, n, sizeof *t->slot_context);
    t->slot_share = portolan_arena_alloc(pool, n, sizeof *t->slot_share);
    if (!t->slot_context || !t->slot_share)
        return PORTOLAN_ENOMEM;
    for (size_t slot = 0; !status && slot < n; slot++)
        status = fit_slot(o, tuple, slot);
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
    static enum portolan_status (*const fits[])(struct observation *, size_t) = {
        fit_calls, fit_exclusive, fit_setup, fit_extra, fit_accuracy, note_exact, fit_slots};
    struct plan_tuple *t = &o->p->paths[o->path].tuples[tuple];
    const struct plan_tuple *twin = twin_of(o->p, o->path, tuple);
    enum portolan_status status = PORTOLAN_OK;

    if (twin) {
        t->exclusive = twin->exclusive;
        t->overall = twin->overall;
    }
    for (size_t i = 0; !status && i < sizeof fits / sizeof *fits; i++)
        if (!twin || fits[i] != fit_exclusive)
            status = fits[i](o, tuple);
    return status;
}

enum portolan_status plan_observe(struct portolan_plan *p, size_t path)
{
    struct observation o = {.p = p, .path = path};
    enum portolan_status status = observation_init(&o);

    for (size_t i = 0; !status && i < p->paths[path].scope.n_tuples; i++)
        status = observe_tuple(&o, i);
    portolan_arena_clear(&o.pool);
    return status;
}
