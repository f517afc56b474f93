/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separates usual times from others, on one call path. The calls of each step are sorted twice.
 *
 * First by time after each start of an implementation, to find its first calls: these are the steps
 * before a change point in the series (portolan_series_first()). Their excess is set-up, paid once
 * per run, or per return to the implementation. A single step in many that was far longer than all
 * others is set aside, unless that happens after several starts: what comes again is cost. Steps of
 * an implementation that ran no longer than first calls do elsewhere are first calls, too.
 *
 * Then by segment and context, to take means of all steps that are left. The error of a mean is
 * that of the means of batches, so that periods and drift count. If several implementations ran in
 * a trial and the main one drifted, the means of the others are corrected by half of that drift,
 * and their errors widened by it.
 *
 * If the called instance was swapped within a step, each implementation has its own times, but the
 * number of calls is that of all together.
 */
#include "observe.h"

#include <limits.h>
#include <portolan/series.h>
#include <stdlib.h>
#include <string.h>

/* First calls count as set-up if their excess is more than this share of a step of the whole
 * program; less may be noise. */
static const double excess_of_program = 0.02;
/* The most batches of successive steps whose means give the error of the mean. */
enum { BATCHES = 10 };

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* Sorts by start, implementation, context, and time. */
static int time_order(const void *left, const void *right)
{
    const struct step_calls *a = left, *b = right;
    int order = compare_sizes(a->start, b->start);

    order = order ? order : compare_sizes(a->own, b->own);
    for (int k = 0; !order && k < PORTOLAN_CONTEXT_MAX; k++)
        order = (a->context[k] > b->context[k]) - (a->context[k] < b->context[k]);
    return order ? order : (a->step > b->step) - (a->step < b->step);
}

/* Sorts by segment, implementation, context, and time, with steps that are apart last. */
static int segment_order(const void *left, const void *right)
{
    const struct step_calls *a = left, *b = right;
    int order = compare_sizes(a->segment, b->segment);

    order = order ? order : compare_sizes(a->own, b->own);
    for (int k = 0; !order && k < PORTOLAN_CONTEXT_MAX; k++)
        order = (a->context[k] > b->context[k]) - (a->context[k] < b->context[k]);
    order = order ? order : a->is_apart - b->is_apart;
    return order ? order : (a->step > b->step) - (a->step < b->step);
}

/* Returns whether both are of one context of an implementation, in one START or segment. */
static bool is_with(const struct step_calls *a, const struct step_calls *b, bool by_start)
{
    return (by_start ? a->start == b->start : a->segment == b->segment) && a->own == b->own &&
           memcmp(a->context, b->context, sizeof a->context) == 0;
}

/*
 * Returns the number of calls in a row. A call that spans several steps, as a driver's does, counts
 * once in each; but a program without a driver may call a port itself, many times in a step.
 */
static double calls_in(const struct survey *s, size_t node, size_t row, double calls)
{
    return s->nodes[node].parent < 0 ? fmax(calls, s->rows[row].steps)
           : calls <= 0              ? s->rows[row].steps
                                     : calls;
}

/* Sets START[row] to the row in which the implementations of the path's scope began to run. Time
 * that is spent once belongs to the trial's first row. */
static void find_starts(const struct observation *o, size_t *start)
{
    const struct survey *s = &o->p->s;
    const struct plan_scope *scope = &o->p->paths[o->path].scope;

    for (size_t t = 0; t < s->n_trials; t++) {
        size_t end = s->trials[t].first_row + s->trials[t].n_rows, last = NONE, before = NONE;

        for (size_t r = s->trials[t].first_row; r < end; r++) {
            size_t now = s->rows[r].once ? NONE : plan_tuple_of(o->p, scope, s->rows[r].selection);

            start[r] = last == NONE || now == NONE || now != before ? r : last;
            if (s->rows[r].once)
                continue;
            last = start[r];
            o->lasts[last] += s->rows[r].steps;
            before = now;
        }
    }
}

/* Returns whether the implementations that began in ROW were there from the beginning of the trial.
 */
static bool is_opening(const struct survey *s, size_t row)
{
    size_t r = s->trials[s->rows[row].trial].first_row;

    while (s->rows[r].once)
        r++;
    return r == row;
}

static size_t opening_segment(const struct survey *s, size_t trial)
{
    const struct survey_trial *t = &s->trials[trial];
    size_t r = t->first_row;

    while (r < t->first_row + t->n_rows && s->rows[r].once)
        r++;
    return r < t->first_row + t->n_rows ? s->rows[r].segment : NONE;
}

static void list_step_calls(struct observation *o, const size_t *start)
{
    const struct survey *s = &o->p->s;
    const struct survey_node *n = &s->nodes[o->path];

    for (size_t i = n->first_entry; i < n->first_entry + n->n_entries; i++) {
        const struct survey_entry *entry = &s->entries[i];
        const struct survey_row *row = &s->rows[entry->row];
        struct step_calls *m = &o->step_calls[o->n_step_calls];

        if (row->once) {
            size_t g = opening_segment(s, row->trial);

            for (size_t k = 0; g != NONE && k < o->n_own; k++)
                observation_row(o, g, k)->setup += entry->exclusive;
            continue;
        }
        if (o->variable != NONE && entry->own == NONE)
            continue;
        m->start = start[entry->row];
        m->segment = row->segment;
        m->step = row->step;
        m->steps = row->steps;
        m->own = o->variable == NONE ? 0 : entry->own;
        memcpy(m->context, entry->context, sizeof m->context);
        m->calls = calls_in(s, o->path, entry->row, entry->calls);
        m->exclusive = entry->exclusive;
        m->each = entry->exclusive / m->calls;
        o->n_step_calls++;
    }
}

/* ---- first calls ---- */

/*
 * The number of steps that are alone after a start, in the trial of M and with its implementation.
 */
static size_t *alone_like(const struct observation *o, const struct step_calls *m)
{
    return &o->n_alone[o->p->s.segments[m->segment].trial * o->n_own + m->own];
}

/* Finds the first calls in N steps with the same start and context. */
static void find_first(struct observation *o, struct step_calls *m, size_t n)
{
    struct segment_row *g = observation_row(o, m->segment, m->own);
    double calls = 0, exclusive = 0, excess = 0, steps = 0;
    size_t first, alone;

    for (size_t i = 0; i < n; i++) {
        o->scratch[i] = m[i].each;
        o->scratch[n + i] = m[i].steps;
    }
    first = portolan_series_first(n, o->scratch, o->scratch + n, o->scratch + 2 * n, &alone);
    if (alone < n) {
        m[alone].is_apart = m[alone].is_alone = true;
        ++*alone_like(o, &m[alone]);
    }
    for (size_t i = first; i < n; i++)
        if (!m[i].is_apart) {
            calls += m[i].calls;
            exclusive += m[i].exclusive;
        }
    for (size_t i = 0; i < first; i++) {
        m[i].is_apart = true;
        steps += m[i].steps;
        excess += m[i].exclusive - m[i].calls * exclusive / calls;
    }
    o->warm_up[m->own] = fmax(o->warm_up[m->own], steps);
    if (excess > excess_of_program * o->p->s.segments[m->segment].step_ns)
        *(is_opening(&o->p->s, m->start) ? &g->setup : &g->again) += excess;
}

/* Marks steps of an implementation that ran no longer than first calls last elsewhere, since they
 * look the same. */
static void find_short(struct observation *o, struct step_calls *m, size_t n)
{
    for (size_t i = 0; i < n && o->lasts[m->start] <= fmax(1, o->warm_up[m->own]); i++)
        m[i].is_apart = true;
}

/* Counts long steps that came after several starts of an implementation in a trial as usual: they
 * come again. */
static void take_back(struct observation *o)
{
    for (struct step_calls *m = o->step_calls; m < o->step_calls + o->n_step_calls; m++)
        if (m->is_alone && *alone_like(o, m) > 1)
            m->is_apart = false;
}

static void find_all_first(struct observation *o)
{
    for (size_t begin = 0, end; begin < o->n_step_calls; begin = end) {
        for (end = begin;
             end < o->n_step_calls && is_with(&o->step_calls[begin], &o->step_calls[end], true);)
            end++;
        find_first(o, &o->step_calls[begin], end - begin);
    }
    for (size_t begin = 0, end; begin < o->n_step_calls; begin = end) {
        const struct step_calls *m = &o->step_calls[begin];

        for (end = begin; end < o->n_step_calls && o->step_calls[end].start == m->start &&
                          o->step_calls[end].own == m->own;)
            end++;
        if (!is_opening(&o->p->s, m->start))
            observation_row(o, m->segment, m->own)->n_again++;
        find_short(o, &o->step_calls[begin], end - begin);
    }
    take_back(o);
}

/* ---- means ---- */

/* The relative error of the mean over N steps in order of time, from the means of batches, in which
 * periods and drift show, too. */
static double error_of_mean(const struct step_calls *m, size_t n, double mean)
{
    size_t batches = n < BATCHES ? n : BATCHES;
    double squares = 0;

    if (n < 2 || !(mean > 0))
        return 0;
    for (size_t b = 0; b < batches; b++) {
        double calls = 0, exclusive = 0;

        for (size_t i = b * n / batches; i < (b + 1) * n / batches; i++) {
            calls += m[i].calls;
            exclusive += m[i].exclusive;
        }
        squares += pow(exclusive / calls / mean - 1, 2);
    }
    return sqrt(squares / (double)(batches - 1) / (double)batches);
}

/* The calls of one trial by step, in segment_order. */
struct stretch {
    const struct step_calls *first;
    size_t n;
    bool is_mixed; /* several implementations ran */
};

static bool is_usual(const struct step_calls *m, size_t own, const struct step_calls *like)
{
    return m->own == own && !m->is_apart && !memcmp(m->context, like->context, sizeof m->context);
}

/*
 * Finds the implementation that ran most of the trial with the context of M; NONE: it is that of M.
 */
static size_t find_major(const struct observation *o, const struct stretch *t,
                         const struct step_calls *m)
{
    size_t major = NONE;
    double most = 0;

    for (size_t own = 0; own < o->n_own; own++) {
        double steps = 0;

        for (size_t i = 0; i < t->n; i++)
            steps += is_usual(&t->first[i], own, m) ? t->first[i].steps : 0;
        if (steps > most) {
            most = steps;
            major = own;
        }
    }
    return major == m->own ? NONE : major;
}

/* The calls of one implementation with one context, in BATCHES of the steps from FIRST to LAST. */
struct course {
    int first, last;
    double calls[BATCHES], exclusive[BATCHES];
};

static size_t batch_of(const struct course *c, int step)
{
    int at = step < c->first ? c->first : step > c->last ? c->last : step;

    return (size_t)(((double)at - c->first) * BATCHES / ((double)c->last - c->first + 1));
}

static void find_course(const struct stretch *t, size_t own, const struct step_calls *m,
                        struct course *c)
{
    *c = (struct course){.first = INT_MAX, .last = INT_MIN};
    for (size_t i = 0; i < t->n; i++)
        if (is_usual(&t->first[i], own, m)) {
            c->first = t->first[i].step < c->first ? t->first[i].step : c->first;
            c->last = t->first[i].step > c->last ? t->first[i].step : c->last;
        }
    for (size_t i = 0; i < t->n; i++)
        if (is_usual(&t->first[i], own, m)) {
            c->calls[batch_of(c, t->first[i].step)] += t->first[i].calls;
            c->exclusive[batch_of(c, t->first[i].step)] += t->first[i].exclusive;
        }
}

/* Returns by which factor the calls of the implementation that ran most of the trial took longer on
 * the average than around the N steps of another one; 1 if they do not drift. */
static double find_drift(const struct observation *o, const struct stretch *t,
                         const struct step_calls *m, size_t n)
{
    double each[BATCHES], at[BATCHES], calls = 0, exclusive = 0, sum = 0, steps = 0;
    size_t own = t->is_mixed ? find_major(o, t, m) : NONE, filled = 0;
    struct portolan_series_report report;
    struct course course;

    if (own == NONE)
        return 1;
    find_course(t, own, m, &course);
    for (size_t b = 0; b < BATCHES; b++) {
        at[b] = filled > 0 ? (double)filled - 1
                           : 0; /* an empty batch has the place of the one before it */
        if (!(course.exclusive[b] > 0))
            continue;
        at[b] = (double)filled;
        each[filled++] = course.exclusive[b] / course.calls[b];
        calls += course.calls[b];
        exclusive += course.exclusive[b];
    }
    if (!filled || portolan_series_inspect(filled, each, NULL, &report, NULL) ||
        !report.drift.is_there)
        return 1;
    for (size_t i = 0; i < n; i++) {
        double from_middle = at[batch_of(&course, m[i].step)] - (double)(filled - 1) / 2;

        sum += m[i].steps * report.place * fmax(0.1, 1 + report.drift.slope * from_middle);
        steps += m[i].steps;
    }
    return exclusive / calls / (sum / steps);
}

/* Makes one row of the calls in N steps that share segment and context, with steps that are apart
 * last. */
static void add_context(struct observation *o, const struct stretch *t, const struct step_calls *m,
                        size_t n)
{
    struct segment_row *g = observation_row(o, m->segment, m->own);
    struct context_row *c = &o->contexts[o->n_contexts];
    size_t counting = 0;
    double calls = 0, exclusive = 0, drift = find_drift(o, t, m, n);

    *c = (struct context_row){.segment = m->segment, .own = m->own};
    memcpy(c->context, m->context, sizeof c->context);
    while (counting < n && !m[counting].is_apart)
        counting++;
    c->is_only_first = counting == 0;
    for (size_t i = 0; i < n; i++) {
        c->calls += m[i].calls;
        if (i >= counting && counting)
            continue;
        c->steps += m[i].steps;
        calls += m[i].calls;
        exclusive += m[i].exclusive;
    }
    c->each = exclusive / calls;
    c->error = error_of_mean(m, counting, c->each);
    /* This implementation may drift as the main one does, or not at all: half of the correction. */
    c->each *= (1 + drift) / 2;
    c->error = hypot(c->error, fabs(drift - 1) / (drift + 1));
    if (g->n_contexts++ == 0)
        g->first_context = o->n_contexts;
    g->present = true;
    g->has_later = g->has_later || counting;
    o->n_contexts++;
}

/* Adds up a segment over all its contexts; first calls count only if there are no others. */
static void sum_segment(struct observation *o, struct segment_row *g)
{
    for (size_t i = g->first_context; i < g->first_context + g->n_contexts; i++) {
        struct context_row *c = &o->contexts[i];

        g->calls_later += c->calls;
        c->is_dropped = c->is_only_first && g->has_later;
        if (c->is_dropped)
            continue;
        g->steps += c->steps;
        g->calls_counted += c->calls;
        g->exclusive_later += c->calls * c->each;
        g->error += c->calls * c->each * c->error;
    }
    if (g->exclusive_later > 0)
        g->error /= g->exclusive_later;
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

/* Marks trials that missed the accuracy, since the time of a wrong result means nothing. */
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

/* Finds the calls of the trial whose first ones are at BEGIN. */
static struct stretch find_stretch(const struct observation *o, size_t begin)
{
    const struct survey_segment *segments = o->p->s.segments;
    struct stretch t = {.first = &o->step_calls[begin]};

    for (size_t i = begin; i < o->n_step_calls && segments[o->step_calls[i].segment].trial ==
                                                      segments[t.first->segment].trial;
         i++) {
        t.n++;
        t.is_mixed = t.is_mixed || o->step_calls[i].own != t.first->own;
    }
    return t;
}

static void sum_step_calls(struct observation *o)
{
    struct stretch t = {.first = o->step_calls};

    if (o->n_step_calls)
        qsort(o->step_calls, o->n_step_calls, sizeof *o->step_calls, time_order);
    find_all_first(o);
    if (o->n_step_calls)
        qsort(o->step_calls, o->n_step_calls, sizeof *o->step_calls, segment_order);
    for (size_t begin = 0, end; begin < o->n_step_calls; begin = end) {
        if (begin == (size_t)(t.first - o->step_calls) + t.n)
            t = find_stretch(o, begin);
        for (end = begin;
             end < o->n_step_calls && is_with(&o->step_calls[begin], &o->step_calls[end], false);)
            end++;
        add_context(o, &t, &o->step_calls[begin], end - begin);
    }
    for (size_t i = 0; i < o->p->s.n_segments * o->n_own; i++)
        if (o->segments[i].present)
            sum_segment(o, &o->segments[i]);
}

enum portolan_status observation_init(struct observation *o)
{
    const struct survey *s = &o->p->s;
    size_t entries = s->nodes[o->path].n_entries, rows = s->nodes[o->path].n_qualities;
    size_t *start = portolan_arena_alloc(&o->pool, s->n_rows, sizeof *start);

    rows = entries > rows ? entries : rows;
    rows = (s->n_segments > rows ? s->n_segments : rows) + 1;
    o->variable = s->nodes[o->path].variable;
    o->n_own = o->variable == NONE ? 1 : s->variables[o->variable].n;
    o->step_calls = portolan_arena_alloc(&o->pool, entries, sizeof *o->step_calls);
    o->scratch = portolan_arena_alloc(&o->pool, entries + 1, 3 * sizeof *o->scratch);
    o->lasts = portolan_arena_alloc(&o->pool, s->n_rows, sizeof *o->lasts);
    o->warm_up = portolan_arena_alloc(&o->pool, o->n_own, sizeof *o->warm_up);
    o->contexts = portolan_arena_alloc(&o->pool, entries + 1, sizeof *o->contexts);
    o->segments = portolan_arena_alloc(&o->pool, s->n_segments, o->n_own * sizeof *o->segments);
    o->is_wrong = portolan_arena_alloc(&o->pool, s->n_trials, o->n_own * sizeof *o->is_wrong);
    o->n_alone = portolan_arena_alloc(&o->pool, s->n_trials, o->n_own * sizeof *o->n_alone);
    o->selection = portolan_arena_alloc(&o->pool, s->n_variables, sizeof *o->selection);
    o->rows.x = portolan_arena_alloc(&o->pool, rows, MAX_INPUTS * sizeof *o->rows.x);
    o->rows.y = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.y);
    o->rows.steps = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.steps);
    o->rows.error = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.error);
    o->rows.is_first = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.is_first);
    o->rows.is_dropped = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.is_dropped);
    o->rows.weight = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.weight);
    o->rows.point = portolan_arena_alloc(&o->pool, rows, sizeof *o->rows.point);
    if (o->pool.failed)
        return PORTOLAN_ENOMEM;
    find_wrong(o);
    find_starts(o, start);
    list_step_calls(o, start);
    sum_step_calls(o);
    count_calls(o);
    for (size_t k = 0; o->variable != NONE && k < o->n_own; k++)
        s->variables[o->variable].first[k] =
            fmax(s->variables[o->variable].first[k], o->warm_up[k]);
    return PORTOLAN_OK;
}
