/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what happened on a call path to rows for fits. Within a segment (steps in a row with one
 * selection) the median over its steps stands for a context; what the first step of a trial costs
 * more than later ones is set-up. Where the called instance was exchanged within a step, each
 * implementation has its own calls, and all would have been made to any of them.
 */
#include "plan_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * The first step's excess counts as set-up when it is more than this share of the path's usual
 * step, and of the whole program's: less may be noise.
 */
static const double excess_of_path = 0.25, excess_of_program = 0.02;

struct moment { /* one step's calls with one context */
    size_t segment, own;
    double context[PORTOLAN_CONTEXT_MAX];
    bool first;
    double calls, exclusive, each; /* each: exclusive per call */
};

struct context_row { /* the segment's median */
    size_t segment, own;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, each;
};

struct segment_row {
    bool present; /* called in a step */
    bool caller;  /* the caller was */
    double caller_calls, calls, exclusive_later, calls_later;
    double setup;
    bool has_setup;
    size_t first_context, n_contexts;
};

struct observation {
    const struct portolan_plan *p;
    size_t path;
    size_t n_moments, n_contexts;
    struct moment *moments;
    struct context_row *contexts;
    size_t variable, n_own;       /* the called instance; NONE and 1 when it is fixed */
    struct segment_row *segments; /* [segment * n_own + own alternative] */
    size_t *selection;            /* scratch for tuples */
    double *x, *y, *each;         /* scratch for fits */
};

static int moment_order(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;

    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    if (a->own != b->own)
        return a->own < b->own ? -1 : 1;
    for (int k = 0; k < PORTOLAN_CONTEXT_MAX; k++)
        if (a->context[k] != b->context[k])
            return a->context[k] < b->context[k] ? -1 : 1;
    if (a->first != b->first)
        return a->first ? 1 : -1;
    return a->each < b->each ? -1 : a->each > b->each;
}

static bool same_context(const struct moment *a, const struct moment *b)
{
    return a->segment == b->segment && a->own == b->own &&
           memcmp(a->context, b->context, sizeof a->context) == 0;
}

static struct segment_row *row_of(const struct observation *o, size_t segment, size_t own)
{
    return &o->segments[segment * o->n_own + own];
}

/* Calls that count: a call that spans several steps counts once in each. */
static double calls_in(const struct survey *s, size_t node, size_t row, double calls)
{
    return s->nodes[node].parent < 0 || calls <= 0 ? s->rows[row].steps : calls;
}

static size_t opening_segment(const struct survey *s, size_t trial)
{
    for (size_t g = 0; g < s->n_segments; g++)
        if (s->segments[g].trial == trial)
            return g;
    return NONE;
}

static void list_moments(struct observation *o)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *n = &s->nodes[o->path];

    for (size_t i = n->first_piece; i < n->first_piece + n->n_pieces; i++) {
        const struct survey_piece *piece = &s->pieces[i];
        const struct survey_row *row = &s->rows[piece->row];
        struct moment *m = &o->moments[o->n_moments];

        if (row->once) {
            size_t g = opening_segment(s, row->trial);

            for (size_t k = 0; g != NONE && k < o->n_own; k++)
                row_of(o, g, k)->setup += piece->exclusive;
            continue;
        }
        if (o->variable != NONE && piece->own == NONE)
            continue;
        m->segment = row->segment;
        m->own = o->variable == NONE ? 0 : piece->own;
        memcpy(m->context, piece->context, sizeof m->context);
        m->first = row->first;
        m->calls = calls_in(s, o->path, piece->row, piece->calls);
        m->exclusive = piece->exclusive;
        m->each = piece->exclusive / m->calls;
        o->n_moments++;
    }
    if (o->n_moments)
        qsort(o->moments, o->n_moments, sizeof *o->moments, moment_order);
}

/* One row of the moments [BEGIN, END), which share segment and context. */
static void add_context(struct observation *o, size_t begin, size_t end)
{
    struct segment_row *g = row_of(o, o->moments[begin].segment, o->moments[begin].own);
    struct context_row *c = &o->contexts[o->n_contexts];
    size_t later = begin, n;
    double median;

    while (later < end && !o->moments[later].first)
        later++;
    n = later > begin ? later - begin : end - begin;
    median = n % 2 ? o->moments[begin + n / 2].each
                   : (o->moments[begin + n / 2 - 1].each + o->moments[begin + n / 2].each) / 2;
    *c = (struct context_row){
        .segment = o->moments[begin].segment, .own = o->moments[begin].own, .each = median};
    memcpy(c->context, o->moments[begin].context, sizeof c->context);
    for (size_t i = begin; i < end; i++) {
        const struct moment *m = &o->moments[i];
        double excess = m->exclusive - m->calls * median;

        c->calls += m->calls;
        if (later > begin && m->first && o->p->s.segments[m->segment].opening &&
            excess > excess_of_path * m->calls * median &&
            excess > excess_of_program * o->p->s.segments[m->segment].step_ns)
            g->setup += excess;
    }
    if (g->n_contexts++ == 0)
        g->first_context = o->n_contexts;
    g->present = true;
    g->calls_later += c->calls;
    g->exclusive_later += c->calls * median;
    o->n_contexts++;
}

static void count_row(struct observation *o, size_t r, struct segment_row *g)
{
    const struct survey *s = &o->p->s;
    const struct survey_sum *own = survey_sum_of(s, o->path, r), *caller;
    long parent = s->nodes[o->path].parent;

    if (own->present)
        g->calls += calls_in(s, o->path, r, own->calls);
    if (parent < 0) {
        g->caller = true;
        g->caller_calls += s->rows[r].steps;
        return;
    }
    caller = survey_sum_of(s, (size_t)parent, r);
    g->caller = g->caller || caller->present;
    if (caller->present)
        g->caller_calls += calls_in(s, (size_t)parent, r, caller->calls);
}

static void count_calls(struct observation *o)
{
    const struct survey *s = &o->p->s;

    for (size_t r = 0; r < s->n_rows; r++)
        for (size_t k = 0; !s->rows[r].once && k < o->n_own; k++)
            count_row(o, r, row_of(o, s->rows[r].segment, k));
}

static enum portolan_status observation_init(struct observation *o, const struct portolan_plan *p,
                                             size_t path)
{
    size_t pieces = p->s.nodes[path].n_pieces;
    size_t qualities = p->s.nodes[path].n_qualities;
    size_t rows = (pieces > p->s.n_segments ? pieces : p->s.n_segments) + 1;

    rows = rows > qualities ? rows : qualities + 1;
    o->p = p;
    o->path = path;
    o->variable = p->s.nodes[path].variable;
    o->n_own = o->variable == NONE ? 1 : p->s.variables[o->variable].n;
    o->moments = portolan_calloc(pieces + 1, sizeof *o->moments);
    o->contexts = portolan_calloc(pieces + 1, sizeof *o->contexts);
    o->segments = portolan_calloc(p->s.n_segments + 1, o->n_own * sizeof *o->segments);
    o->selection = portolan_calloc(p->s.n_variables + 1, sizeof *o->selection);
    o->x = portolan_calloc(rows, MAX_INPUTS * sizeof *o->x);
    o->y = portolan_calloc(rows, sizeof *o->y);
    o->each = portolan_calloc(rows, sizeof *o->each);
    if (!o->moments || !o->contexts || !o->segments || !o->selection || !o->x || !o->y || !o->each)
        return PORTOLAN_ENOMEM;
    list_moments(o);
    for (size_t begin = 0, end; begin < o->n_moments; begin = end) {
        for (end = begin + 1;
             end < o->n_moments && same_context(&o->moments[begin], &o->moments[end]);)
            end++;
        add_context(o, begin, end);
    }
    count_calls(o);
    return PORTOLAN_OK;
}

static void observation_clear(struct observation *o)
{
    free(o->moments);
    free(o->contexts);
    free(o->segments);
    free(o->selection);
    free(o->x);
    free(o->y);
    free(o->each);
}

/* The own alternative in TUPLE: its first digit. */
static size_t own_in(const struct observation *o, size_t tuple)
{
    return o->variable == NONE ? 0 : tuple / (o->p->paths[o->path].scope.n_tuples / o->n_own);
}

/* What the segment says of the own alternative in TUPLE. */
static struct segment_row *row_in(const struct observation *o, size_t segment, size_t tuple)
{
    return row_of(o, segment, own_in(o, tuple));
}

/* The segment's tuple; of one in which the own instance was exchanged, that with TUPLE's own. */
static size_t tuple_in(const struct observation *o, size_t segment, size_t tuple)
{
    const struct survey *s = &o->p->s;
    const size_t *selection = s->segments[segment].selection;

    if (o->variable != NONE && selection[o->variable] == NONE &&
        row_in(o, segment, tuple)->present) {
        memcpy(o->selection, selection, s->n_variables * sizeof *selection);
        o->selection[o->variable] = own_in(o, tuple);
        selection = o->selection;
    }
    return plan_tuple_of(o->p, &o->p->paths[o->path].scope, selection);
}

static bool in_tuple(const struct observation *o, size_t segment, size_t tuple)
{
    return tuple_in(o, segment, tuple) == tuple;
}

/* The segment belongs to a tuple that differs from TUPLE in the caller's class at most. */
static bool in_own_tuple(const struct observation *o, size_t segment, size_t tuple)
{
    const struct plan_path *path = &o->p->paths[o->path];
    size_t other = tuple_in(o, segment, tuple);

    if (other == NONE)
        return false;
    for (size_t i = path->scope.n; i-- > 0;) {
        size_t n = o->p->s.variables[path->scope.variables[i]].n;

        if (i != path->caller_at && other % n != tuple % n)
            return false;
        other /= n;
        tuple /= n;
    }
    return true;
}

/* The swept values of a trial as a row of inputs. */
static void point_of_trial(const struct survey *s, size_t trial, double *x)
{
    size_t n = 0;

    for (size_t d = 0; d < s->n_dims && n < MAX_INPUTS; d++)
        if (s->dims[d].numeric)
            x[n++] = s->trials[trial].x[d];
}

static void point_of(const struct observation *o, size_t segment, double *x)
{
    point_of_trial(&o->p->s, o->p->s.segments[segment].trial, x);
}

static size_t dim_names(const struct survey *s, const char **names)
{
    size_t n = 0;

    for (size_t d = 0; d < s->n_dims && n < MAX_INPUTS; d++)
        if (s->dims[d].numeric)
            names[n++] = s->dims[d].name;
    return n;
}

static enum portolan_status fit_calls(struct portolan_plan *p, struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const char *names[MAX_INPUTS];
    size_t n_names = dim_names(&p->s, names), n = 0;

    for (size_t g = 0; g < p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (!in_tuple(o, g, tuple) || !row->caller || row->caller_calls <= 0)
            continue;
        point_of(o, g, &o->x[n * n_names]);
        o->y[n++] = row->calls / row->caller_calls;
    }
    t->seen = n > 0;
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, QUANTITY_COUNT, &t->calls)
             : PORTOLAN_OK;
}

static enum portolan_status fit_exclusive(struct portolan_plan *p, struct observation *o,
                                          size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const struct survey_node *node = &p->s.nodes[o->path];
    const char *names[MAX_INPUTS];
    size_t n_names = (size_t)node->n_context, n = 0;
    enum portolan_status status = PORTOLAN_OK;
    bool varies = false;

    for (size_t i = 0; i < o->n_contexts; i++) {
        if (o->contexts[i].own != own_in(o, tuple) ||
            !in_own_tuple(o, o->contexts[i].segment, tuple))
            continue;
        memcpy(&o->x[n * n_names], o->contexts[i].context, n_names * sizeof *o->x);
        varies = varies || (n && memcmp(o->x, &o->x[n * n_names], n_names * sizeof *o->x) != 0);
        o->y[n++] = o->contexts[i].each;
    }
    if (varies)
        status = plan_fit_quantity(p, true, node->context_name, n_names, n, o->x, o->y,
                                   QUANTITY_TIME, &t->exclusive);
    n = 0;
    n_names = dim_names(&p->s, names);
    for (size_t g = 0; g < p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (!in_own_tuple(o, g, tuple) || !row->present)
            continue;
        point_of(o, g, &o->x[n * n_names]);
        o->y[n++] = row->exclusive_later / row->calls_later;
    }
    if (!status && n)
        status = plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, QUANTITY_TIME,
                                   varies ? &t->overall : &t->exclusive);
    return status;
}

static enum portolan_status fit_setup(struct portolan_plan *p, struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const char *names[MAX_INPUTS];
    size_t n_names = dim_names(&p->s, names), n = 0, some = 0;

    for (size_t g = 0; g < p->s.n_segments; g++) {
        if (!in_tuple(o, g, tuple) || !p->s.segments[g].opening)
            continue;
        point_of(o, g, &o->x[n * n_names]);
        some += row_in(o, g, tuple)->setup > 0;
        o->y[n++] = row_in(o, g, tuple)->setup;
    }
    for (size_t i = 0; 2 * some <= n && i < n; i++)
        o->y[i] = 0; /* in fewer than half of the trials: chance */
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, QUANTITY_TIME, &t->setup)
             : PORTOLAN_OK;
}

static bool trial_at_target(const struct portolan_plan *p, size_t trial)
{
    const struct survey_trial *t = &p->s.trials[trial];

    for (size_t d = 0; d < p->s.n_dims; d++)
        if (p->s.dims[d].numeric && t->x[d] != p->target[d])
            return false;
    return true;
}

static bool at_target(const struct portolan_plan *p, size_t segment)
{
    return trial_at_target(p, p->s.segments[segment].trial);
}

/* The tuple in which an accuracy was reported. */
static size_t accuracy_tuple(struct observation *o, const struct survey_quality *q)
{
    const struct survey *s = &o->p->s;

    memcpy(o->selection, s->rows[q->row].selection, s->n_variables * sizeof *o->selection);
    if (o->variable != NONE && q->own != NONE)
        o->selection[o->variable] = q->own;
    return plan_tuple_of(o->p, &o->p->paths[o->path].scope, o->selection);
}

/* The reported accuracies of a tuple as rows over contexts, or over the swept parameters. */
static size_t accuracy_rows(struct observation *o, size_t tuple, bool by_context, size_t n_names)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];
    size_t n = 0;

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (accuracy_tuple(o, q) != tuple)
            continue;
        if (by_context)
            memcpy(&o->x[n * n_names], q->context, n_names * sizeof *o->x);
        else
            point_of_trial(s, s->rows[q->row].trial, &o->x[n * n_names]);
        o->y[n++] = q->value;
    }
    return n;
}

static void note_accuracy_here(struct observation *o, size_t tuple, struct plan_tuple *t)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (trial_at_target(o->p, s->rows[q->row].trial) && accuracy_tuple(o, q) == tuple &&
            !(q->value <= t->accuracy_here.value))
            t->accuracy_here = (struct estimate){q->value, q->value, q->value};
    }
}

static enum portolan_status fit_accuracy(struct portolan_plan *p, struct observation *o,
                                         size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const struct survey_node *node = &p->s.nodes[o->path];
    const char *names[MAX_INPUTS];
    size_t n_names = (size_t)node->n_context, n;
    bool varies = false;

    if (!node->n_qualities)
        return PORTOLAN_OK;
    note_accuracy_here(o, tuple, t);
    n = accuracy_rows(o, tuple, true, n_names);
    for (size_t i = 1; i < n && n_names; i++)
        varies = varies || memcmp(o->x, &o->x[i * n_names], n_names * sizeof *o->x) != 0;
    if (n && varies)
        return plan_fit_quantity(p, true, node->context_name, n_names, n, o->x, o->y,
                                 QUANTITY_ACCURACY, &t->accuracy);
    n_names = dim_names(&p->s, names);
    n = accuracy_rows(o, tuple, false, n_names);
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, QUANTITY_ACCURACY,
                                 &t->accuracy)
             : PORTOLAN_OK;
}

/* Contexts as they were at the present parameters: of the longest such segment, the latest. */
static enum portolan_status note_exact(struct portolan_plan *p, struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const struct segment_row *row;
    size_t best = NONE;
    double *share;

    for (size_t g = 0; g < p->s.n_segments; g++)
        if (in_tuple(o, g, tuple) && row_in(o, g, tuple)->present && at_target(p, g) &&
            (best == NONE || p->s.segments[g].n_rows >= p->s.segments[best].n_rows))
            best = g;
    if (best == NONE)
        return PORTOLAN_OK;
    row = row_in(o, best, tuple);
    t->exact.n = row->n_contexts;
    t->exact.context = portolan_arena_alloc(&p->s.pool, t->exact.n, sizeof *t->exact.context);
    share = portolan_arena_alloc(&p->s.pool, t->exact.n, sizeof *share);
    t->exact.share = share;
    if (!t->exact.context || !share)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < t->exact.n; i++) {
        const struct context_row *c = &o->contexts[row->first_context + i];

        memcpy(t->exact.context[i], c->context, sizeof c->context);
        share[i] = c->calls / row->calls_later;
    }
    return PORTOLAN_OK;
}

/* Fits the values of the SLOT-th context over the segments of a tuple. */
static enum portolan_status fit_slot(struct portolan_plan *p, struct observation *o, size_t tuple,
                                     size_t slot)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const char *names[MAX_INPUTS];
    size_t n_names = dim_names(&p->s, names);
    enum portolan_status status = PORTOLAN_OK;

    for (int k = 0; !status && k < p->s.nodes[o->path].n_context; k++) {
        double share = 0;
        size_t n = 0;

        for (size_t g = 0; g < p->s.n_segments; g++) {
            const struct segment_row *row = row_in(o, g, tuple);
            const struct context_row *c = &o->contexts[row->first_context + slot];

            if (!in_tuple(o, g, tuple) || !row->present)
                continue;
            point_of(o, g, &o->x[n * n_names]);
            o->y[n++] = c->context[k];
            share += c->calls / row->calls_later;
        }
        t->slot_share[slot] = share / (double)n;
        status = plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, QUANTITY_CONTEXT,
                                   &t->slot_context[slot][k]);
    }
    return status;
}

static enum portolan_status fit_slots(struct portolan_plan *p, struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (!t->exclusive.known || !t->exclusive.by_context)
        return PORTOLAN_OK;
    for (size_t g = 0; g < p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (!in_tuple(o, g, tuple) || !row->present)
            continue;
        if (n && n != row->n_contexts)
            return PORTOLAN_OK; /* their number varies: no slots */
        n = row->n_contexts;
    }
    if (n == 0 || n > MAX_SLOTS)
        return PORTOLAN_OK;
    t->slot_context = portolan_arena_alloc(&p->s.pool, n, sizeof *t->slot_context);
    t->slot_share = portolan_arena_alloc(&p->s.pool, n, sizeof *t->slot_share);
    if (!t->slot_context || !t->slot_share)
        return PORTOLAN_ENOMEM;
    for (size_t slot = 0; !status && slot < n; slot++)
        status = fit_slot(p, o, tuple, slot);
    t->n_slots = n;
    return status;
}

/* An earlier tuple that differs in the caller's class only; NONE. */
static size_t twin_of(const struct plan_path *path, const struct survey *s, size_t tuple)
{
    size_t stride = 1, value;

    if (path->caller_at == NONE)
        return NONE;
    for (size_t i = path->scope.n; --i > path->caller_at;)
        stride *= s->variables[path->scope.variables[i]].n;
    value = tuple / stride % s->variables[path->scope.variables[path->caller_at]].n;
    return value > 0 ? tuple - value * stride : NONE;
}

enum portolan_status plan_observe(struct portolan_plan *p, size_t path)
{
    struct observation o = {0};
    enum portolan_status status = observation_init(&o, p, path);

    for (size_t i = 0; !status && i < p->paths[path].scope.n_tuples; i++) {
        size_t twin = twin_of(&p->paths[path], &p->s, i);

        status = fit_calls(p, &o, i);
        if (twin != NONE) {
            p->paths[path].tuples[i].exclusive = p->paths[path].tuples[twin].exclusive;
            p->paths[path].tuples[i].overall = p->paths[path].tuples[twin].overall;
        } else if (!status) {
            status = fit_exclusive(p, &o, i);
        }
        if (!status)
            status = fit_setup(p, &o, i);
        if (!status)
            status = fit_accuracy(p, &o, i);
        if (!status)
            status = note_exact(p, &o, i);
        if (!status)
            status = fit_slots(p, &o, i);
    }
    observation_clear(&o);
    return status;
}
