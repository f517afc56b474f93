/* SPDX-License-Identifier: BSD-3-Clause */
/* A model for each trend. */
#include "trend.h"

#include <portolan/formula.h>

#include <stdlib.h>
#include <string.h>

/* The rows up to FIT's limit; *ROOM, the caller's to free, may hold them. False without memory. */
static bool choose_rows(const struct portolan_trend *t, const struct portolan_trend_fit *fit,
                        struct portolan_model_data *data, double **room)
{
    size_t p = fit->up_to ? trend_param(t, fit->up_to) : SIZE_MAX, n = t->n_params;
    double *x, *y;

    *data = (struct portolan_model_data){
        .n_params = n, .params = t->params, .n_rows = t->n_rows, .x = t->x, .y = t->y};
    if (p == SIZE_MAX)
        return true;
    if (!(*room = x = portolan_calloc(t->n_rows, (n + 1) * sizeof *x)))
        return false;
    y = x + t->n_rows * n;
    data->n_rows = 0;
    data->x = x;
    data->y = y;
    for (size_t i = 0; i < t->n_rows; i++) {
        if (t->x[i * n + p] > fit->limit)
            continue;
        memcpy(x + data->n_rows * n, t->x + i * n, n * sizeof *x);
        y[data->n_rows++] = t->y[i];
    }
    return true;
}

/* What a store's metric is to who chooses by it; files have names of their own. */
static const char *quality_of(const char *metric)
{
    static const char *const times[] = {"exclusive", "inclusive", "mpi"};

    for (size_t i = 0; metric && i < sizeof times / sizeof *times; i++)
        if (strcmp(metric, times[i]) == 0)
            return "time";
    return metric;
}

/* Numbers of calls are whole, unless they are means. */
static bool is_count(const struct portolan_trend *t, const struct portolan_model_data *data)
{
    if (!t->metric || strcmp(t->metric, "calls") != 0)
        return false;
    for (size_t i = 0; i < data->n_rows; i++)
        if (data->y[i] < 0 || floor(data->y[i]) < data->y[i])
            return false;
    return true;
}

static enum portolan_status fit_one(const struct portolan_trends *all, struct portolan_trend *t,
                                    const struct portolan_trend_fit *fit,
                                    struct portolan_error *err)
{
    const struct portolan_model_envelope envelope = {.name = t->path,
                                                     .unit = *all->unit ? all->unit : NULL,
                                                     .quality = quality_of(t->metric),
                                                     .source = all->what};
    struct portolan_model_options options = fit->options;
    struct portolan_model_data data;
    double *room = NULL;
    enum portolan_status status;

    if (!choose_rows(t, fit, &data, &room))
        return portolan_no_memory(err);
    if (is_count(t, &data))
        options.kind = PORTOLAN_MODEL_COUNT;
    if (!data.n_rows)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "no row has %s up to %g", fit->up_to,
                                    fit->limit);
    else
        status = portolan_model_fit_as(&data, fit->formula, fit->pieces, &options, &t->model, err);
    free(room);
    return status ? status : portolan_model_describe(t->model, &envelope, err);
}

/* Whether the trends know the parameter that bounds the rows. */
static enum portolan_status check(const struct portolan_trends *t,
                                  const struct portolan_trend_fit *fit, struct portolan_error *err)
{
    for (size_t i = 0; fit->up_to && i < t->n; i++)
        if (trend_param(&t->items[i], fit->up_to) != SIZE_MAX)
            return PORTOLAN_OK;
    return fit->up_to
               ? portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is no parameter here", fit->up_to)
               : PORTOLAN_OK;
}

enum portolan_status portolan_trends_fit(struct portolan_trends *trends,
                                         const struct portolan_trend_fit *fit,
                                         struct portolan_error *err)
{
    size_t fitted = 0;
    enum portolan_status status = check(trends, fit, err);
    struct portolan_error first = {0};

    for (size_t i = 0; !status && i < trends->n; i++) {
        struct portolan_trend *t = &trends->items[i];
        struct portolan_error why = {0};

        portolan_model_destroy(t->model);
        t->model = NULL;
        t->statistic = fit->options.statistic;
        status = fit_one(trends, t, fit, &why);
        if (!status) {
            t->why = NULL;
            fitted++;
        } else if (status != PORTOLAN_ENOMEM) {
            first = first.status ? first : why;
            t->why = portolan_arena_strdup(&trends->arena, why.text);
            status = t->why ? PORTOLAN_OK : PORTOLAN_ENOMEM;
        }
    }
    if (status == PORTOLAN_ENOMEM)
        return portolan_error_set(err, status, "out of memory");
    if (!status && !fitted && trends->n)
        return portolan_error_set(err, first.status, "%s", first.text);
    return status;
}
