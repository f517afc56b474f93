/* SPDX-License-Identifier: BSD-3-Clause */
/* A model for each trend. */
#include "trend.h"

#include <portolan/formula.h>

#include <stdlib.h>
#include <string.h>

/* Work space that serves one trend after the other. */
struct room {
    double *x, *y;
    size_t rows;
};

static bool make_room(struct room *room, const struct portolan_trend *t)
{
    size_t rows = t->n_rows * (t->n_params + 1);
    double *x;

    if (rows <= room->rows)
        return true;
    if (!(x = portolan_reallocarray(room->x, 2 * rows, sizeof *x)))
        return false;
    room->x = x;
    room->rows = 2 * rows;
    return true;
}

static size_t param_of(const struct portolan_trend *t, const char *name)
{
    size_t p = 0;

    while (p < t->n_params && strcmp(t->params[p], name) != 0)
        p++;
    return p;
}

/* The rows that FIT wants. */
static size_t choose_rows(const struct portolan_trend *t, const struct portolan_trend_fit *fit,
                          struct room *room)
{
    size_t p = fit->up_to ? param_of(t, fit->up_to) : t->n_params, n = 0;

    room->y = room->x + t->n_rows * t->n_params;
    for (size_t i = 0; i < t->n_rows; i++) {
        const double *x = t->x ? t->x + i * t->n_params : NULL;

        if (p < t->n_params && x[p] > fit->limit)
            continue;
        if (x)
            memcpy(room->x + n * t->n_params, x, t->n_params * sizeof *x);
        room->y[n++] = t->y[i];
    }
    return n;
}

/* The formula's terms in each interval. */
static enum portolan_status fit_formula_pieces(const struct portolan_model_data *data,
                                               const struct portolan_trend_fit *fit,
                                               struct portolan_model **model,
                                               struct portolan_error *err)
{
    struct portolan_model_shape *shapes = NULL;
    size_t n = 0;
    enum portolan_status status =
        portolan_model_formula_shapes(fit->formula, data->n_params, data->params, &shapes, &n, err);

    if (!status)
        status = portolan_model_fit_pieces(data, shapes, n, &fit->options, model, err);
    portolan_model_shapes_destroy(shapes, n);
    return status;
}

static enum portolan_status fit_rows(const struct portolan_model_data *data,
                                     const struct portolan_trend_fit *fit,
                                     struct portolan_model **model, struct portolan_error *err)
{
    if (fit->pieces && fit->formula)
        return fit_formula_pieces(data, fit, model, err);
    if (fit->formula)
        return portolan_model_fit_formula(data, fit->formula, &fit->options, model, err);
    if (fit->pieces)
        return portolan_model_fit_pieces(data, NULL, 0, &fit->options, model, err);
    return portolan_model_fit(data, &fit->options, model, err);
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
                                    const struct portolan_trend_fit *fit, struct room *room,
                                    struct portolan_error *err)
{
    const struct portolan_model_envelope envelope = {.name = t->path,
                                                     .unit = *all->unit ? all->unit : NULL,
                                                     .quality = quality_of(t->metric),
                                                     .source = all->what};
    struct portolan_model_data data = {.n_params = t->n_params, .params = t->params};
    struct portolan_trend_fit how = *fit;

    if (!make_room(room, t))
        return portolan_no_memory(err);
    data.n_rows = choose_rows(t, fit, room);
    data.x = t->n_params ? room->x : NULL;
    data.y = room->y;
    if (!data.n_rows)
        return portolan_error_set(err, PORTOLAN_EINVAL, "no row has %s up to %g", fit->up_to,
                                  fit->limit);
    if (is_count(t, &data))
        how.options.kind = PORTOLAN_MODEL_COUNT;
    return fit_rows(&data, &how, &t->model, err)
               ? err->status
               : portolan_model_describe(t->model, &envelope, err);
}

/* Whether the trends know the parameter that bounds the rows. */
static enum portolan_status check(const struct portolan_trends *t,
                                  const struct portolan_trend_fit *fit, struct portolan_error *err)
{
    for (size_t i = 0; fit->up_to && i < t->n; i++)
        if (param_of(&t->items[i], fit->up_to) < t->items[i].n_params)
            return PORTOLAN_OK;
    return fit->up_to
               ? portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is no parameter here", fit->up_to)
               : PORTOLAN_OK;
}

enum portolan_status portolan_trends_fit(struct portolan_trends *trends,
                                         const struct portolan_trend_fit *fit,
                                         struct portolan_error *err)
{
    struct room room = {0};
    size_t fitted = 0;
    enum portolan_status status = check(trends, fit, err);
    struct portolan_error first = {0};

    for (size_t i = 0; !status && i < trends->n; i++) {
        struct portolan_trend *t = &trends->items[i];
        struct portolan_error why = {0};

        portolan_model_destroy(t->model);
        t->model = NULL;
        t->statistic = fit->options.statistic;
        status = fit_one(trends, t, fit, &room, &why);
        if (!status) {
            t->why = NULL;
            fitted++;
        } else if (status != PORTOLAN_ENOMEM) {
            first = first.status ? first : why;
            t->why = trend_keep_text(trends, why.text);
            status = t->why ? PORTOLAN_OK : PORTOLAN_ENOMEM;
        }
    }
    free(room.x);
    if (status == PORTOLAN_ENOMEM)
        return portolan_error_set(err, status, "out of memory");
    if (!status && !fitted && trends->n)
        return portolan_error_set(err, first.status, "%s", first.text);
    return status;
}
