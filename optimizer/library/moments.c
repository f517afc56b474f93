/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened on a call path. Within a segment (steps in a row with one selection) a context has
 * the usual time of its steps. The extra time of a trial's first step is set-up; far longer calls
 * that recur are kept apart. If the called instance was swapped within a step, each implementation
 * has its own times, but the number of calls is that of all together.
 */
#include "observe.h"

#include <stdlib.h>
#include <string.h>

/*
 * The first step's excess counts as set-up when it is more than these shares of the path's usual
 * step and of the whole program's step: less may be noise.
 */
static const double excess_of_path = 0.25, excess_of_program = 0.02;
/*
 * A call is unusual when it is this far above the median, both in median distances and as a share
 * of the median. Usual calls are averaged, since totals are sums.
 */
static const double far_in_distances = 8, far_of_median = 0.5;
/* In fewer steps, two long ones are chance, not a period. */
enum { STEPS_OF_A_PERIOD = 8 };

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

/*
 * The number of calls; a call that spans several steps, as a driver's does, counts once in each. A
 * program without a driver may call a port itself, many times in a step.
 */
static double calls_in(const struct survey *s, size_t node, size_t row, double calls)
{
    return s->nodes[node].parent < 0 ? fmax(calls, s->rows[row].steps)
           : calls <= 0              ? s->rows[row].steps
                                     : calls;
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
                observation_row(o, g, k)->setup += piece->exclusive;
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

/* The median distance from the (lower) median of N moments, ascending. */
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

/* The time above which a call is unusual; N moments, ascending. */
static double usual_limit(const struct moment *m, size_t n)
{
    double median = m[(n - 1) / 2].each;

    return median + fmax(far_in_distances * median_distance(m, n), far_of_median * median);
}

/* The mean of the usual calls; N moments, ascending. */
static double usual_of(const struct moment *m, size_t n)
{
    double limit = usual_limit(m, n), exclusive = 0, calls = 0;

    for (size_t i = 0; i < n && m[i].each <= limit; i++) {
        exclusive += m[i].exclusive;
        calls += m[i].calls;
    }
    return exclusive / calls;
}

/* Counts the extra time of the trial's first step as set-up, if it is large enough. */
static void note_first(const struct observation *o, struct segment_row *g, const struct moment *m,
                       double usual)
{
    const struct survey_segment *segment = &o->p->s.segments[m->segment];
    double excess = m->exclusive - m->calls * usual;

    if (m->first && segment->opening && excess > excess_of_path * m->calls * usual &&
        excess > excess_of_program * segment->step_ns)
        g->setup += excess;
}

/* Makes one row of the moments [BEGIN, END), which share segment and context. */
static void add_context(struct observation *o, size_t begin, size_t end)
{
    struct segment_row *g = observation_row(o, o->moments[begin].segment, o->moments[begin].own);
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

/* The calls far above the usual time, in their order. */
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

/* Lists the spikes, WITH_FIRST: also those of a trial's first step, which may be set-up. */
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

/* The period of regular spikes; of at least three irregular ones the mean distance; or 0. */
static double period_of(const struct spikes *s)
{
    double period = s->n > 1 ? (s->last - s->first) / (double)(s->n - 1) : 0;

    if (s->n > 1 && s->most_gap - s->least_gap <= s->most_calls &&
        s->first <= period + s->most_calls && s->calls - s->last <= period + s->most_calls)
        return period;
    return s->n > 2 ? s->calls / (double)s->n : 0;
}

/* M: the steps of a segment with one implementation of the called instance; sorts them. */
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
    struct moment **some = portolan_arena_alloc(&o->pool, o->n_moments, sizeof *some);

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
            find_recurring(some, n, observation_row(o, m->segment, m->own));
    }
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
            count_row(o, r, observation_row(o, s->rows[r].segment, k));
}

/* Marks trials that missed the accuracy: the time of a wrong result tells nothing. */
static void find_wrong(struct observation *o)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *node = &s->nodes[o->path];
    double wanted = plan_wanted(o->p, o->path);

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (wanted > 0 && q->value > wanted && q->own != NONE)
            o->is_wrong[s->rows[q->row].trial * o->n_own + q->own] = true;
    }
}

enum portolan_status observation_init(struct observation *o)
{
    const struct survey *s = &o->p->s;
    size_t pieces = s->nodes[o->path].n_pieces, rows = s->nodes[o->path].n_qualities;

    rows = pieces > rows ? pieces : rows;
    rows = (s->n_segments > rows ? s->n_segments : rows) + 1;
    o->variable = s->nodes[o->path].variable;
    o->n_own = o->variable == NONE ? 1 : s->variables[o->variable].n;
    o->moments = portolan_arena_alloc(&o->pool, pieces, sizeof *o->moments);
    o->contexts = portolan_arena_alloc(&o->pool, pieces + 1, sizeof *o->contexts);
    o->segments = portolan_arena_alloc(&o->pool, s->n_segments, o->n_own * sizeof *o->segments);
    o->is_wrong = portolan_arena_alloc(&o->pool, s->n_trials, o->n_own * sizeof *o->is_wrong);
    o->selection = portolan_arena_alloc(&o->pool, s->n_variables, sizeof *o->selection);
    o->rows.x = portolan_arena_alloc(&o->pool, rows, MAX_INPUTS * sizeof *o->rows.x);
    o->rows.y = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.y);
    o->rows.point = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.point);
    if (o->pool.failed)
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
