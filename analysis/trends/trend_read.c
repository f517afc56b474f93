/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from the trials of a store: from profiles or, if contexts are wanted, from samples. */
#include "trend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS };

struct reading {
    struct trend_builder b;
    const struct portolan_trend_query *q;
    const char *metric;
    const struct portolan_trial **trials;
    size_t n_trials;
    const char *params[MAX_PARAMS]; /* of the trials, if their values differ */
    size_t n_params;
    bool counter_seen;
};

/* ------------------------------------------------- parameters of the trials */

static enum portolan_status find_params(struct reading *r, struct portolan_error *err)
{
    size_t n = portolan_trials_differ_in(r->trials, r->n_trials, r->params, MAX_PARAMS);

    if (n > MAX_PARAMS)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "more than %d parameters differ between the trials; name "
                                  "trials that have some of them in common",
                                  (int)MAX_PARAMS);
    r->n_params = n;
    return PORTOLAN_OK;
}

/* Unfinished trials count only if no trial finished. */
static void choose_trials(struct reading *r, const struct portolan_trial_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->trials[i]->outcome, "finished"))
            r->trials[n++] = list->trials[i];
    for (size_t i = 0; n == 0 && i < list->n; i++)
        r->trials[i] = list->trials[i];
    r->n_trials = n ? n : list->n;
}

/* ------------------------------------------------- one row per trial: profiles */

static size_t counter_at(const struct portolan_profile *p, const char *metric)
{
    size_t k = 0;

    while (k < p->n_counters && strcmp(p->counter_names[k], metric) != 0)
        k++;
    return k;
}

static double pick(const struct reading *r, const struct portolan_profile *p,
                   const struct portolan_statistics *s, double sum)
{
    switch (r->q->over) {
    case PORTOLAN_TREND_MAX:
        return s->max;
    case PORTOLAN_TREND_SUM:
        return sum;
    default:
        return sum / fmax(p->ranks, 1);
    }
}

/* NaN: the metric was not measured there. */
static double value_of(const struct reading *r, const struct portolan_profile *p,
                       const struct portolan_profile_node *n)
{
    const struct portolan_statistics *times[] = {&n->exclusive_ns, &n->inclusive_ns, &n->mpi_ns};
    const double sums[] = {n->exclusive.value, n->inclusive.value, n->mpi.value};
    int time = trend_time(r->metric);
    size_t k = counter_at(p, r->metric);

    if (time >= 0)
        return pick(r, p, times[time], sums[time]);
    if (!strcmp(r->metric, "calls"))
        return pick(r, p, &n->calls, n->calls.sum);
    return k < p->n_counters && n->counted & UINT32_C(1) << k
               ? pick(r, p, &n->counters[k], n->counters[k].sum)
               : NAN;
}

static bool take_profile(struct reading *r, const struct portolan_profile *p, const double *point)
{
    struct trend_place *places = portolan_calloc(p->n_nodes + 1, sizeof *places);
    bool good = places != NULL;

    r->counter_seen = r->counter_seen || counter_at(p, r->metric) < p->n_counters;
    for (size_t i = 0; good && i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];
        double value = value_of(r, p, n);
        struct trend_series series = {.implementation = n->implementation,
                                      .metric = r->metric,
                                      .n_params = r->n_params,
                                      .params = r->params};

        places[i] = trend_place(&r->b, n->parent < 0 ? NULL : &places[n->parent], n->instance,
                                n->port, n->method);
        series.place = places[i];
        good = series.place.path && (!isfinite(value) || trend_add(&r->b, &series, point, value));
    }
    free(places);
    return good;
}

static enum portolan_status read_profile(struct reading *r, struct portolan_store *store,
                                         int64_t trial, const double *point,
                                         struct portolan_error *err)
{
    struct portolan_profile_query q = {.trial = trial};
    struct portolan_profile *p = NULL;
    enum portolan_status status = portolan_profile_read(store, &q, &p, err);

    if (!status && !take_profile(r, p, point))
        status = portolan_no_memory(err);
    portolan_profile_destroy(p);
    return status;
}

/* ------------------------------------------------- one row per sample */

static double sample_value(const struct reading *r, const struct portolan_sample *s)
{
    const double times[] = {s->exclusive_ns, s->inclusive_ns, s->mpi_ns};
    double each = s->timed_calls > 0 ? 1 / (double)s->timed_calls : NAN;
    int time = trend_time(r->metric);

    if (time >= 0)
        return times[time] * each;
    if (!strcmp(r->metric, "calls"))
        return (double)s->calls;
    if (!strcmp(r->metric, "accuracy"))
        return s->quality;
    for (int k = 0; k < s->n_counters; k++)
        if (!strcmp(s->counter_name[k], r->metric))
            return s->counter[k] * each;
    return NAN;
}

/* Parameters are the sample's contexts, or else those of its trial; or both, the trial's first. */
static bool take_sample(struct reading *r, const struct portolan_sample *s,
                        struct trend_place place, const double *point)
{
    const char *names[MAX_PARAMS];
    double x[MAX_PARAMS], value = sample_value(r, s);
    size_t n = s->n_context && r->q->by != PORTOLAN_TREND_BOTH ? 0 : r->n_params;

    if (!isfinite(value))
        return true;
    r->counter_seen = true;
    memcpy(names, r->params, n * sizeof *names);
    memcpy(x, point, n * sizeof *x);
    for (int k = 0; k < s->n_context && n < MAX_PARAMS; k++) {
        names[n] = s->context_name[k];
        x[n++] = s->context[k];
    }
    return trend_add(&r->b,
                     &(struct trend_series){.place = place,
                                            .implementation = s->implementation,
                                            .metric = r->metric,
                                            .n_params = n,
                                            .params = names},
                     x, value);
}

static bool take_samples(struct reading *r, const struct portolan_sample_set *set,
                         const double *point)
{
    struct trend_place *places = portolan_calloc(set->n_samples + 1, sizeof *places);
    bool good = places != NULL;

    for (size_t i = 0; good && i < set->n_samples; i++) {
        const struct portolan_sample *s = &set->samples[i];

        places[i] = trend_place(&r->b, s->parent < 0 ? NULL : &places[s->parent], s->instance,
                                s->port, s->method);
        good = places[i].path && take_sample(r, s, places[i], point);
    }
    free(places);
    return good;
}

static enum portolan_status read_samples(struct reading *r, struct portolan_store *store,
                                         int64_t trial, const double *point,
                                         struct portolan_error *err)
{
    struct portolan_store_query q = {.trial = trial};
    struct portolan_sample_set *set = NULL;
    enum portolan_status status = portolan_store_read(store, &q, true, &set, err);

    if (!status && !take_samples(r, set, point))
        status = portolan_no_memory(err);
    portolan_sample_set_destroy(set);
    return status;
}

/* ------------------------------------------------- both */

static const char *over_text(enum portolan_trend_over over)
{
    return over == PORTOLAN_TREND_MAX   ? "largest of the ranks"
           : over == PORTOLAN_TREND_SUM ? "sum over ranks"
                                        : "mean over ranks";
}

static enum portolan_status name_and_finish(struct reading *r, bool by_context,
                                            struct portolan_trends **trends,
                                            struct portolan_error *err)
{
    bool time = trend_time(r->metric) >= 0;
    char what[200];

    if (!time && strcmp(r->metric, "calls") != 0 && !r->counter_seen)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "no trial has '%s'; there are exclusive, inclusive, mpi, calls, "
                                  "accuracy (where components report it) and the counters",
                                  r->metric);
    if (r->b.n_series == 0)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "no call path is like '%s'",
                                  r->q->method ? r->q->method : "*");
    snprintf(what, sizeof what, "%.60s%s %s", !strcmp(r->metric, "mpi") ? "MPI" : r->metric,
             time ? " time" : "",
             by_context && !strcmp(r->metric, "calls") ? "per step and rank"
             : by_context                              ? "per call"
                                                       : "per run");
    if (!by_context)
        snprintf(what + strlen(what), sizeof what - strlen(what), ", %s", over_text(r->q->over));
    return trend_finish(&r->b, time ? "ns" : "", what, r->n_trials, trends, err);
}

static enum portolan_status read_rows(struct reading *r, struct portolan_store *store,
                                      struct portolan_trends **trends, struct portolan_error *err)
{
    enum portolan_status status = find_params(r, err);
    bool by_context = r->q->by >= PORTOLAN_TREND_CONTEXTS ||
                      (r->q->by == PORTOLAN_TREND_AUTO && !r->n_params) ||
                      !strcmp(r->metric, "accuracy");

    if (status)
        return status;
    if (!by_context && !r->n_params)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "no number among the parameters differs between the trials; "
                                  "name trials of several sizes, or of several numbers of ranks");
    for (size_t i = 0; !status && i < r->n_trials; i++) {
        const struct portolan_trial *t = r->trials[i];
        double point[MAX_PARAMS];

        for (size_t k = 0; k < r->n_params; k++)
            portolan_trial_number(t, r->params[k], &point[k]);
        status = by_context ? read_samples(r, store, t->id, point, err)
                            : read_profile(r, store, t->id, point, err);
    }
    return status ? status : name_and_finish(r, by_context, trends, err);
}

enum portolan_status portolan_trends_read(struct portolan_store *store,
                                          const struct portolan_trial_list *trials,
                                          const struct portolan_trend_query *query,
                                          struct portolan_trends **trends,
                                          struct portolan_error *err)
{
    struct reading r = {.q = query, .metric = query->metric ? query->metric : "exclusive"};
    enum portolan_status status;

    if (!trials->n)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial");
    if (!(r.trials = portolan_calloc(trials->n, sizeof(void *))))
        return portolan_no_memory(err);
    r.b.method = query->method;
    choose_trials(&r, trials);
    status = read_rows(&r, store, trends, err);
    free(r.trials);
    trend_clear(&r.b);
    return status;
}
