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
/*
 * A call is no usual one when it is this far above the median: in median distances from it, and as
 * a share of it. Usual ones are averaged, since totals are sums.
 */
static const double far_in_distances = 8, far_of_median = 0.5;
/* Among fewer steps two that take longer are chance, not a period. */
enum { STEPS_OF_A_PERIOD = 8 };

struct moment { /* one step's calls with one context */
    size_t segment, own;
    int step;
    double context[PORTOLAN_CONTEXT_MAX];
    bool first;
    double calls, exclusive, each; /* each: exclusive per call */
    double excess;                 /* above the usual time, where it is far above it; else 0 */
};

struct context_row { /* the segment's usual time */
    size_t segment, own;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, each;
};

struct segment_row {
    bool present; /* called in a step */
    bool caller;  /* the caller was */
    double caller_calls, calls, exclusive_later, calls_later;
    double setup;
    double seen;   /* calls that were looked at */
    double period; /* in calls, of those that take far longer; 0: none do again and again */
    double extra;  /* what that adds to each call */
    size_t first_context, n_contexts;
};

struct observation {
    const struct portolan_plan *p;
    size_t path;
    size_t n_moments, n_contexts;
    struct moment *moments;
    struct context_row *contexts;
    size_t variable, n_own;       /* the called instance; NONE and 1 when it is fixed */
    bool *is_wrong;               /* [trial * n_own + own alternative]: not accurate enough */
    struct segment_row *segments; /* [segment * n_own + own alternative] */
    size_t *selection;            /* scratch for tuples */
    double *x, *y, *each;         /* scratch for fits */
    size_t *point;                /* likewise, of trials */
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
        m->step = row->step;
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

/* The median distance from the (lower) median: N moments, ascending. */
static double median_distance(const struct moment *m, size_t n)
{
    size_t below = (n - 1) / 2, above = below + 1;
    double median = m[below].each, distance = 0;

    for (size_t k = 1; k < (n + 1) / 2; k++) { /* from the nearest outwards */
        double under = below > 0 ? median - m[below - 1].each : INFINITY;
        double over = above < n ? m[above].each - median : INFINITY;

        distance = fmin(under, over);
        if (under <= over)
            below--;
        else
            above++;
    }
    return distance;
}

/* Beyond what a call is no usual one: N moments, ascending. */
static double usual_limit(const struct moment *m, size_t n)
{
    double median = m[(n - 1) / 2].each;

    return median + fmax(far_in_distances * median_distance(m, n), far_of_median * median);
}

/* The mean without those far above: N moments, ascending. */
static double usual_of(const struct moment *m, size_t n)
{
    double limit = usual_limit(m, n), exclusive = 0, calls = 0;

    for (size_t i = 0; i < n && m[i].each <= limit; i++) {
        exclusive += m[i].exclusive;
        calls += m[i].calls;
    }
    return exclusive / calls;
}

/* What the trial's first step took more than others is set-up, as far as it is known. */
static void note_first(const struct observation *o, struct segment_row *g, const struct moment *m,
                       double usual)
{
    const struct survey_segment *segment = &o->p->s.segments[m->segment];
    double excess = m->exclusive - m->calls * usual;

    if (m->first && segment->opening && excess > excess_of_path * m->calls * usual &&
        excess > excess_of_program * segment->step_ns)
        g->setup += excess;
}

/* One row of the moments [BEGIN, END), which share segment and context. */
static void add_context(struct observation *o, size_t begin, size_t end)
{
    struct segment_row *g = row_of(o, o->moments[begin].segment, o->moments[begin].own);
    struct context_row *c = &o->contexts[o->n_contexts];
    size_t later = begin, n;
    double usual, limit;

    while (later < end && !o->moments[later].first)
        later++;
    n = later > begin ? later - begin : end - begin;
    usual = usual_of(&o->moments[begin], n);
    limit = usual_limit(&o->moments[begin], n);
    *c = (struct context_row){
        .segment = o->moments[begin].segment, .own = o->moments[begin].own, .each = usual};
    memcpy(c->context, o->moments[begin].context, sizeof c->context);
    for (size_t i = begin; i < end; i++) {
        struct moment *m = &o->moments[i];

        c->calls += m->calls;
        if (m->each > limit)
            m->excess = m->exclusive - m->calls * usual;
        if (later > begin)
            note_first(o, g, m, usual);
    }
    if (g->n_contexts++ == 0)
        g->first_context = o->n_contexts;
    g->present = true;
    g->calls_later += c->calls;
    g->exclusive_later += c->calls * usual;
    o->n_contexts++;
}

static int step_order(const void *left, const void *right)
{
    const struct moment *const *a = left, *const *b = right;

    return ((*a)->step > (*b)->step) - ((*a)->step < (*b)->step);
}

/* Calls far above the usual, in their order. */
struct spikes {
    size_t n;
    double first, last, least_gap, most_gap, sum; /* positions and gaps in calls */
    double calls, most_calls;                     /* of all, and of one step */
};

static void add_spike(struct spikes *s, double at, double excess)
{
    if (s->n++ == 0) {
        s->first = at;
    } else {
        s->least_gap = fmin(s->least_gap, at - s->last);
        s->most_gap = fmax(s->most_gap, at - s->last);
    }
    s->last = at;
    s->sum += excess;
}

/* The first step of a trial may be one of them, or set-up: the others tell. */
static struct spikes list_spikes(struct moment *const *m, size_t n, bool with_first)
{
    struct spikes s = {.least_gap = INFINITY};

    for (size_t i = 0; i < n; i++) {
        if (m[i]->excess > 0 && (!m[i]->first || with_first))
            add_spike(&s, s.calls, m[i]->excess);
        s.calls += m[i]->calls;
        s.most_calls = fmax(s.most_calls, m[i]->calls);
    }
    return s;
}

/* Regular ones come at their period; of several without a period the rate is known. */
static double period_of(const struct spikes *s)
{
    double period = s->n > 1 ? (s->last - s->first) / (double)(s->n - 1) : 0;

    if (s->n > 1 && s->most_gap - s->least_gap <= s->most_calls &&
        s->first <= period + s->most_calls && s->calls - s->last <= period + s->most_calls)
        return period;
    return s->n > 2 ? s->calls / (double)s->n : 0;
}

/* M: the steps of a segment with one own implementation, which are put in order. */
static void find_recurring(struct moment **m, size_t n, struct segment_row *g)
{
    struct spikes s;
    double first = 0;

    qsort(m, n, sizeof *m, step_order);
    s = list_spikes(m, n, false);
    for (size_t i = 0; i < n; i++)
        if (m[i]->first)
            first += m[i]->excess;
    g->seen = s.calls;
    if (s.n && first > 0.5 * s.sum / (double)s.n && first < 2 * s.sum / (double)s.n) {
        struct spikes all = list_spikes(m, n, true);

        if (period_of(&all) > 0) {
            s = all;
            g->setup = fmax(0, g->setup - first);
        }
    }
    g->period = period_of(&s);
    if (g->period > 0)
        g->extra = s.sum / (double)s.n / g->period;
}

static enum portolan_status find_all_recurring(struct observation *o)
{
    struct moment **some = portolan_calloc(o->n_moments + 1, sizeof *some);

    if (!some)
        return PORTOLAN_ENOMEM;
    for (size_t begin = 0, end; begin < o->n_moments; begin = end) {
        const struct moment *m = &o->moments[begin];
        size_t n = 0;

        for (end = begin; end < o->n_moments && o->moments[end].segment == m->segment &&
                          o->moments[end].own == m->own;
             end++)
            some[n++] = &o->moments[end];
        if (n >= STEPS_OF_A_PERIOD)
            find_recurring(some, n, row_of(o, m->segment, m->own));
    }
    free(some);
    return PORTOLAN_OK;
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

/* The own alternative in TUPLE: its first digit. */
static size_t own_in(const struct observation *o, size_t tuple)
{
    return o->variable == NONE ? 0 : tuple / (o->p->paths[o->path].scope.n_tuples / o->n_own);
}

/* How long it takes to get nowhere says nothing of getting there. */
static void find_wrong(struct observation *o)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (s->a->accuracy > 0 && q->value > s->a->accuracy && q->own != NONE)
            o->is_wrong[s->rows[q->row].trial * o->n_own + q->own] = true;
    }
}

static bool is_wrong(const struct observation *o, size_t segment, size_t tuple)
{
    return o->is_wrong[o->p->s.segments[segment].trial * o->n_own + own_in(o, tuple)];
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
    o->is_wrong = portolan_calloc(p->s.n_trials + 1, o->n_own * sizeof *o->is_wrong);
    o->selection = portolan_calloc(p->s.n_variables + 1, sizeof *o->selection);
    o->x = portolan_calloc(rows, MAX_INPUTS * sizeof *o->x);
    o->y = portolan_calloc(rows, sizeof *o->y);
    o->each = portolan_calloc(rows, sizeof *o->each);
    o->point = portolan_calloc(rows, sizeof *o->point);
    if (!o->moments || !o->contexts || !o->segments || !o->is_wrong || !o->selection || !o->x ||
        !o->y || !o->each || !o->point)
        return PORTOLAN_ENOMEM;
    find_wrong(o);
    list_moments(o);
    for (size_t begin = 0, end; begin < o->n_moments; begin = end) {
        for (end = begin + 1;
             end < o->n_moments && same_context(&o->moments[begin], &o->moments[end]);)
            end++;
        add_context(o, begin, end);
    }
    count_calls(o);
    return find_all_recurring(o);
}

static void observation_clear(struct observation *o)
{
    free(o->moments);
    free(o->contexts);
    free(o->segments);
    free(o->is_wrong);
    free(o->selection);
    free(o->x);
    free(o->y);
    free(o->each);
    free(o->point);
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

static size_t point_number(const struct observation *o, size_t segment)
{
    const struct survey *s = &o->p->s;

    return s->trials[s->segments[segment].trial].point;
}

/* The N-th row over the swept parameters; false (no row) where one of them is not known. */
static bool add_row(struct observation *o, size_t segment, size_t n_names, double y, size_t *n)
{
    double *x = &o->x[*n * n_names];

    point_of_trial(&o->p->s, o->p->s.segments[segment].trial, x);
    for (size_t k = 0; k < n_names; k++)
        if (isnan(x[k]))
            return false;
    o->point[*n] = point_number(o, segment);
    o->y[(*n)++] = y;
    return true;
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
        add_row(o, g, n_names, row->calls / row->caller_calls, &n);
    }
    t->seen = n > 0;
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, o->point, QUANTITY_COUNT,
                                 &t->calls)
             : PORTOLAN_OK;
}

static enum portolan_status fit_exclusive(struct portolan_plan *p, struct observation *o,
                                          size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const struct survey_node *node = &p->s.nodes[o->path];
    bool with_ranks = survey_ranks_vary(&p->s), varies = false;
    const char *names[MAX_INPUTS];
    size_t n_context = (size_t)node->n_context, n_names = n_context + with_ranks, n = 0;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; k < n_context; k++)
        names[k] = node->context_name[k];
    names[n_context] = "ranks";
    for (size_t i = 0; i < o->n_contexts; i++) {
        if (o->contexts[i].own != own_in(o, tuple) ||
            !in_own_tuple(o, o->contexts[i].segment, tuple) ||
            is_wrong(o, o->contexts[i].segment, tuple))
            continue;
        memcpy(&o->x[n * n_names], o->contexts[i].context, n_context * sizeof *o->x);
        if (with_ranks)
            o->x[n * n_names + n_context] =
                (double)p->s.trials[p->s.segments[o->contexts[i].segment].trial].trial->ranks;
        varies = varies || (n && memcmp(o->x, &o->x[n * n_names], n_names * sizeof *o->x) != 0);
        o->point[n] = point_number(o, o->contexts[i].segment);
        o->y[n++] = o->contexts[i].each;
    }
    if (varies)
        status = plan_fit_quantity(p, true, names, n_names, n, o->x, o->y, o->point, QUANTITY_TIME,
                                   &t->exclusive);
    n = 0;
    n_names = dim_names(&p->s, names);
    for (size_t g = 0; g < p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (!in_own_tuple(o, g, tuple) || !row->present || is_wrong(o, g, tuple))
            continue;
        add_row(o, g, n_names, row->exclusive_later / row->calls_later, &n);
    }
    if (!status && n)
        status = plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, o->point, QUANTITY_TIME,
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
        if (add_row(o, g, n_names, row_in(o, g, tuple)->setup, &n))
            some += o->y[n - 1] > 0;
    }
    for (size_t i = 0; 2 * some <= n && i < n; i++)
        o->y[i] = 0; /* in fewer than half of the trials: chance */
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, o->point, QUANTITY_TIME,
                                 &t->setup)
             : PORTOLAN_OK;
}

/*
 * What calls that take far longer, again and again, add to each, as a share of the usual time:
 * where their period was seen, and nothing where enough calls were without.
 */
static enum portolan_status fit_extra(struct portolan_plan *p, struct observation *o, size_t tuple)
{
    struct plan_tuple *t = &p->paths[o->path].tuples[tuple];
    const char *names[MAX_INPUTS];
    size_t n_names = dim_names(&p->s, names), n = 0;
    double period = 0;

    for (size_t g = 0; g < p->s.n_segments; g++)
        if (in_own_tuple(o, g, tuple))
            period = fmax(period, row_in(o, g, tuple)->period);
    for (size_t g = 0; period > 0 && g < p->s.n_segments; g++) {
        const struct segment_row *row = row_in(o, g, tuple);

        if (in_own_tuple(o, g, tuple) && (row->period > 0 || row->seen > 2 * period) &&
            row->exclusive_later > 0)
            add_row(o, g, n_names, row->extra * row->calls_later / row->exclusive_later, &n);
    }
    t->period = period;
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, o->point, QUANTITY_TIME,
                                 &t->extra)
             : PORTOLAN_OK;
}

static bool trial_at_target(const struct portolan_plan *p, size_t trial)
{
    return p->s.trials[trial].point == p->s.target_point;
}

/* The reported accuracies of a tuple as rows over contexts, or over the swept parameters. */
static size_t accuracy_rows(struct observation *o, size_t tuple, bool by_context, size_t n_names)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];
    size_t n = 0;

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (isnan(q->value) || plan_quality_tuple(o->p, o->path, q, o->selection) != tuple)
            continue;
        if (by_context)
            memcpy(&o->x[n * n_names], q->context, n_names * sizeof *o->x);
        else
            point_of_trial(s, s->rows[q->row].trial, &o->x[n * n_names]);
        o->point[n] = s->trials[s->rows[q->row].trial].point;
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

        if (trial_at_target(o->p, s->rows[q->row].trial) &&
            plan_quality_tuple(o->p, o->path, q, o->selection) == tuple &&
            !(q->value <= t->accuracy_here.value))
            t->accuracy_here = (struct estimate){q->value, q->value, q->value, 0};
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
        return plan_fit_quantity(p, true, node->context_name, n_names, n, o->x, o->y, o->point,
                                 QUANTITY_ACCURACY, &t->accuracy);
    n_names = dim_names(&p->s, names);
    n = accuracy_rows(o, tuple, false, n_names);
    return n ? plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, o->point,
                                 QUANTITY_ACCURACY, &t->accuracy)
             : PORTOLAN_OK;
}

/* Whether the calling instance was in a segment what it is in TUPLE. */
static bool same_caller(const struct observation *o, size_t segment, size_t tuple)
{
    const struct plan_path *path = &o->p->paths[o->path];
    const struct survey *s = &o->p->s;
    size_t stride;

    return path->caller_at == NONE ||
           s->segments[segment].selection[path->scope.variables[path->caller_at]] ==
               plan_caller_of(o->p, o->path, tuple, &stride);
}

/* The trial at the present parameters with the most steps with that caller, of these the latest. */
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
 * Contexts as they were at the present parameters, in all steps of the longest such trial, whatever
 * was called: what comes to a component is its callers' doing.
 */
static enum portolan_status note_exact(struct portolan_plan *p, struct observation *o, size_t tuple)
{
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
            if (add_row(o, g, n_names, c->context[k], &n))
                share += c->calls / row->calls_later;
        }
        if (!n)
            continue;
        t->slot_share[slot] = share / (double)n;
        status = plan_fit_quantity(p, false, names, n_names, n, o->x, o->y, o->point,
                                   QUANTITY_CONTEXT, &t->slot_context[slot][k]);
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
static size_t twin_of(const struct portolan_plan *p, size_t path, size_t tuple)
{
    size_t stride, value;

    if (p->paths[path].caller_at == NONE)
        return NONE;
    value = plan_caller_of(p, path, tuple, &stride);
    return value > 0 ? tuple - value * stride : NONE;
}

enum portolan_status plan_observe(struct portolan_plan *p, size_t path)
{
    struct observation o = {0};
    enum portolan_status status = observation_init(&o, p, path);

    for (size_t i = 0; !status && i < p->paths[path].scope.n_tuples; i++) {
        size_t twin = twin_of(p, path, i);

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
            status = fit_extra(p, &o, i);
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
