/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from the trials of a store: from profiles or, if contexts are wanted, from samples. */
#include "trend.h"

#include <portolan/series.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct portolan_store *store;
    const struct portolan_trial_list *list;
    const struct portolan_trend_query *q;
    struct portolan_trends **trends;
    struct statement *s;
    struct trend_builder *b;
    const char *metric;
    const struct portolan_trial **trials;
    size_t n_trials;
    const struct portolan_sample *samples; /* of the trial that is read, and what they estimate */
    const struct portolan_sample_estimate *estimates;
    const char *params[MAX_PARAMS]; /* of the trials, if their values differ */
    size_t n_params;
    bool counter_seen;
};

/* ------------------------------------------------- parameters of the trials */

static void find_params(struct reading *r)
{
    r->n_params = portolan_trials_differ_in(r->trials, r->n_trials, r->params, MAX_PARAMS);
    if (r->n_params > MAX_PARAMS)
        statement_fail(r->s, NULL,
                       "more than %d parameters differ between the trials; name trials that have "
                       "some of them in common",
                       (int)MAX_PARAMS);
}

/* ------------------------------------------------- one row per trial: profiles */

/* NaN: the metric was not measured there. */
static double value_of(const struct reading *r, const struct portolan_profile *p,
                       const struct portolan_profile_node *n)
{
    double max, sum = portolan_profile_sum(p, n, r->metric, &max);

    return r->q->over == PORTOLAN_TREND_MAX   ? max
           : r->q->over == PORTOLAN_TREND_SUM ? sum
                                              : sum / fmax(p->ranks, 1);
}

static void take_profile(struct reading *r, const struct portolan_profile *p, const double *point)
{
    struct trend_key *keys = statement_alloc(r->s, p->n_nodes, sizeof *keys);

    r->counter_seen |= portolan_profile_find_counter(p, r->metric) < p->n_counters;
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];
        double value = value_of(r, p, n);

        keys[i] = (struct trend_key){.implementation = n->implementation,
                                     .metric = r->metric,
                                     .n_params = r->n_params,
                                     .params = r->params};
        trend_place(r->b, &keys[i], n->parent < 0 ? NULL : &keys[n->parent], n->instance, n->port,
                    n->method);
        if (isfinite(value))
            trend_add(r->b, &keys[i], point, value, false);
    }
}

static void free_profile(void *profile)
{
    portolan_profile_destroy(profile);
}

static void read_profile(struct reading *r, int64_t trial, const double *point)
{
    struct portolan_profile_query q = {.trial = trial};
    struct portolan_profile *p = NULL;

    statement_check(r->s, NULL, portolan_profile_read(r->store, &q, &p, &r->s->err));
    statement_own(r->s, free_profile, p);
    take_profile(r, p, point);
    statement_release(r->s, p);
}

/* ------------------------------------------------- one row per sample */

static double sample_value(const struct reading *r, const struct portolan_sample *s)
{
    const struct portolan_sample_estimate *e = &r->estimates[s - r->samples];
    const double times[] = {fmax(e->exclusive_ns, 0), e->inclusive_ns, e->mpi_ns};
    int time = trend_time(r->metric);

    if (time >= 0)
        return e->known ? times[time] / (double)s->calls : NAN;
    if (!strcmp(r->metric, "calls"))
        return (double)s->calls;
    if (!strcmp(r->metric, "accuracy"))
        return s->quality;
    for (int k = 0; k < s->n_counters; k++)
        if (!strcmp(s->counter_name[k], r->metric))
            return portolan_sample_each(s, s->counter[k]);
    return NAN;
}

/* A sample whose time counts, or not, among those of its call path. */
struct timed {
    const struct portolan_sample *sample;
    const char *path;
    size_t start; /* the same until another implementation runs on the path */
    enum { TIMED_USUAL, TIMED_APART, TIMED_ONLY_FIRST } kind;
};

static int by_path(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    int order = a->sample->rank - b->sample->rank;

    order = order ? order : strcmp(a->path, b->path);
    return order ? order
                 : (a->sample->step > b->sample->step) - (a->sample->step < b->sample->step);
}

static int by_context(const struct timed *a, const struct timed *b)
{
    int order = (a->start > b->start) - (a->start < b->start);

    for (int k = 0; !order && k < a->sample->n_context && k < b->sample->n_context; k++)
        order = (a->sample->context[k] > b->sample->context[k]) -
                (a->sample->context[k] < b->sample->context[k]);
    return order;
}

static int by_start(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    int order = by_context(a, b);

    return order ? order
                 : (a->sample->step > b->sample->step) - (a->sample->step < b->sample->step);
}

/* Numbers the starts of implementations, of samples in the order of time on each path. */
static void number_starts(struct timed *all, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct portolan_sample *a = all[i - 1].sample, *b = all[i].sample;
        bool goes_on = a->rank == b->rank && !strcmp(all[i - 1].path, all[i].path) &&
                       !strcmp(a->implementation, b->implementation);

        all[i].start = goes_on ? all[i - 1].start : i;
    }
}

/* Marks the first calls and the disturbed ones among N samples of one start and context. A call
 * that IS_ALL that ran is a first one. Y has room for 2 N. */
static void mark_apart(const struct reading *r, struct timed *of, size_t n, bool is_all, double *y)
{
    size_t first, alone;

    for (size_t i = 0; i < n; i++)
        y[i] = sample_value(r, of[i].sample);
    first = portolan_series_first(n, y, NULL, y + n, &alone);
    for (size_t i = 0; i < n; i++)
        of[i].kind = n == 1 && is_all && of[i].sample->calls <= 1 ? TIMED_ONLY_FIRST
                     : i < first || i == alone                    ? TIMED_APART
                                                                  : TIMED_USUAL;
}

/*
 * Says of each sample of a trial whether its time counts, as for the Optimizer's models: not the
 * first calls of an implementation, which are paid once. KIND[i]: of sample i.
 */
static void judge_times(struct reading *r, const struct portolan_sample_set *set,
                        const struct trend_key *keys, char *kind)
{
    struct timed *all = statement_alloc(r->s, set->n_samples, sizeof *all);
    double *y = statement_alloc(r->s, set->n_samples, 2 * sizeof *y);
    size_t n = 0;

    for (size_t i = 0; i < set->n_samples; i++)
        if (isfinite(sample_value(r, &set->samples[i])) && set->samples[i].step >= 0)
            all[n++] = (struct timed){.sample = &set->samples[i], .path = keys[i].path};
    if (n)
        qsort(all, n, sizeof *all, by_path);
    number_starts(all, n);
    if (n)
        qsort(all, n, sizeof *all, by_start);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && !by_context(&all[begin], &all[end]);)
            end++;
        mark_apart(r, &all[begin], end - begin,
                   (begin == 0 || all[begin - 1].start != all[begin].start) &&
                       (end == n || all[end].start != all[begin].start),
                   y);
    }
    for (size_t i = 0; i < n; i++)
        kind[all[i].sample - set->samples] = (char)all[i].kind;
}

/* Parameters are the sample's contexts, or else those of its trial; or both, the trial's first. */
static void take_sample(struct reading *r, const struct portolan_sample *s, struct trend_key key,
                        const double *point, int kind)
{
    const char *names[MAX_PARAMS];
    double x[MAX_PARAMS], value = sample_value(r, s);
    size_t n = s->n_context && r->q->by != PORTOLAN_TREND_BOTH ? 0 : r->n_params;

    if (!isfinite(value) || kind == TIMED_APART)
        return;
    r->counter_seen = true;
    memcpy(names, r->params, n * sizeof *names);
    memcpy(x, point, n * sizeof *x);
    for (int k = 0; k < s->n_context && n < MAX_PARAMS; k++) {
        names[n] = s->context_name[k];
        x[n++] = s->context[k];
    }
    key.n_params = n;
    key.params = names;
    trend_add(r->b, &key, x, value, kind == TIMED_ONLY_FIRST);
}

static void read_samples(struct reading *r, int64_t trial, const double *point)
{
    struct portolan_store_query q = {.trial = trial};
    struct portolan_sample_set *set = NULL;
    struct portolan_sample_estimate *estimates;
    struct trend_key *keys;
    char *kind;

    statement_check(r->s, NULL, portolan_store_read(r->store, &q, true, &set, &r->s->err));
    statement_own(r->s, free_samples, set);
    estimates = statement_alloc(r->s, set->n_samples, sizeof *estimates);
    portolan_samples_estimate(set->samples, set->n_samples, estimates);
    r->samples = set->samples;
    r->estimates = estimates;
    keys = statement_alloc(r->s, set->n_samples, sizeof *keys);
    kind = statement_alloc(r->s, set->n_samples, sizeof *kind);
    for (size_t i = 0; i < set->n_samples; i++) {
        const struct portolan_sample *s = &set->samples[i];

        keys[i] = (struct trend_key){.implementation = s->implementation, .metric = r->metric};
        trend_place(r->b, &keys[i], s->parent < 0 ? NULL : &keys[s->parent], s->instance, s->port,
                    s->method);
    }
    if (trend_time(r->metric) >= 0)
        judge_times(r, set, keys, kind);
    for (size_t i = 0; i < set->n_samples; i++)
        take_sample(r, &set->samples[i], keys[i], point, kind[i]);
    statement_release(r->s, set);
}

/* ------------------------------------------------- both */

static const char *over_text(enum portolan_trend_over over)
{
    return over == PORTOLAN_TREND_MAX   ? "largest of the ranks"
           : over == PORTOLAN_TREND_SUM ? "sum over ranks"
                                        : "mean over ranks";
}

static void name_and_finish(struct reading *r, bool by_context)
{
    bool time = trend_time(r->metric) >= 0, calls = !strcmp(r->metric, "calls");
    const char *per = !by_context ? "per run" : calls ? "per step and rank" : "per call";

    if (!time && !calls && !r->counter_seen)
        statement_fail(r->s, NULL,
                       "no trial has '%s'; the metrics are exclusive, inclusive, mpi, calls, "
                       "accuracy (where components report it) and the counters",
                       r->metric);
    if (r->b->n_wanted == 0)
        statement_check(r->s, NULL,
                        portolan_error_set(&r->s->err, PORTOLAN_ENOTFOUND,
                                           "no call path matches '%s'",
                                           r->q->method ? r->q->method : "*"));
    r->b->t->n_trials = r->n_trials;
    r->b->t->has_means = time && by_context;
    *r->trends =
        trend_finish(r->b, time ? "ns" : "",
                     portolan_arena_printf(&r->s->arena, "%s%s %s%s%s",
                                           !strcmp(r->metric, "mpi") ? "MPI" : r->metric,
                                           time ? " time" : "", per, by_context ? "" : ", ",
                                           by_context ? "" : over_text(r->q->over)));
}

/* WHOLE: only those that make a law of whole runs. */
static void take_trials(struct reading *r, bool whole)
{
    struct portolan_trial_list l = {.n = r->list->n};

    l.trials = statement_alloc(r->s, l.n, sizeof(void *));
    memcpy(l.trials, r->list->trials, l.n * sizeof(void *));
    if (whole)
        portolan_trials_keep_whole(&l);
    r->trials = l.trials;
    r->n_trials = l.n;
    find_params(r);
}

static void read_trends(struct statement *s)
{
    struct reading *r = s->arg;
    bool by_context;

    r->s = s;
    r->b = trend_begin(s, r->q->method);
    take_trials(r, true);
    by_context = r->q->by >= PORTOLAN_TREND_CONTEXTS ||
                 (r->q->by == PORTOLAN_TREND_AUTO && !r->n_params) ||
                 !strcmp(r->metric, "accuracy");
    if (by_context)
        take_trials(r, false);
    if (!by_context && !r->n_params)
        statement_fail(s, NULL,
                       "no numeric parameter differs between the trials; name trials of several "
                       "sizes, or with several numbers of ranks");
    for (size_t i = 0; i < r->n_trials; i++) {
        double point[MAX_PARAMS];

        for (size_t k = 0; k < r->n_params; k++)
            portolan_trial_number(r->trials[i], r->params[k], &point[k]);
        (by_context ? read_samples : read_profile)(r, r->trials[i]->id, point);
    }
    name_and_finish(r, by_context);
}

enum portolan_status portolan_trends_read(struct portolan_store *store,
                                          const struct portolan_trial_list *trials,
                                          const struct portolan_trend_query *query,
                                          struct portolan_trends **trends,
                                          struct portolan_error *err)
{
    struct reading r = {.store = store,
                        .list = trials,
                        .q = query,
                        .trends = trends,
                        .metric = query->metric ? query->metric : "exclusive"};

    return trials->n
               ? trend_call(read_trends, &r, NULL, err)
               : portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "there is no trial; `portolan measure` and `run` store them");
}
