/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends from and to measurements in Extra-P's forms. */
#include "trend.h"

#include <portolan/extrap.h>

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- from */

static bool take(struct trend_builder *b, const struct portolan_measurements *m,
                 const struct portolan_measurement *item)
{
    const struct trend_series series = {.place.path = *item->callpath ? item->callpath : "<root>",
                                        .implementation = "",
                                        .metric = item->metric,
                                        .n_params = m->n_params,
                                        .params = (const char *const *)m->params};
    bool good = true;

    for (size_t i = 0; i < item->n_rows && good; i++)
        good = trend_add(b, &series, item->x + i * m->n_params, item->y[i]);
    return good;
}

enum portolan_status portolan_trends_of_measurements(const struct portolan_measurements *m,
                                                     const struct portolan_trend_query *query,
                                                     const char *source,
                                                     struct portolan_trends **trends,
                                                     struct portolan_error *err)
{
    struct trend_builder b = {.method = query->method};
    bool several = false, good = true;
    const char *what, *metric = query->metric ? query->metric : m->n ? m->items[0].metric : "";

    for (size_t i = 1; i < m->n; i++)
        several = several || strcmp(m->items[i].metric, m->items[0].metric) != 0;
    b.names_metrics = several && !query->metric;
    for (size_t i = 0; i < m->n && good; i++)
        if (!query->metric || !strcmp(m->items[i].metric, query->metric))
            good = take(&b, m, &m->items[i]);
    what = b.names_metrics
               ? portolan_arena_strdup(&b.arena, source)
               : portolan_arena_printf(&b.arena, "%s of %s", *metric ? metric : "values", source);
    if (good && what && b.n_series)
        return trend_finish(&b, "", what, 0, trends, err);
    good = good && what;
    trend_clear(&b);
    return good ? portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                     "'%s' has no such call path or metric", source)
                : portolan_no_memory(err);
}

/* ------------------------------------------------- to */

static bool same_params(const struct portolan_trend *a, const struct portolan_trend *b)
{
    bool same = a->n_params == b->n_params;

    for (size_t p = 0; same && p < a->n_params; p++)
        same = !strcmp(a->params[p], b->params[p]);
    return same;
}

static bool add_trend(struct portolan_measurements *m, const struct portolan_trend *t)
{
    struct portolan_measurement *item = portolan_measurements_item(m, t->callpath, t->metric);
    bool good = item;

    for (size_t i = 0; good && i < t->n_rows; i++)
        good = portolan_measurements_add(m, item, t->x + i * t->n_params, t->y[i]);
    return good;
}

static enum portolan_status check_params(const struct portolan_trends *trends,
                                         struct portolan_error *err)
{
    const struct portolan_trend *first = &trends->items[0];

    if (!first->n_params)
        return portolan_error_set(err, PORTOLAN_EINVAL, "Extra-P wants at least one parameter");
    for (size_t i = 1; i < trends->n; i++)
        if (!same_params(first, &trends->items[i]))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "Extra-P wants the same parameters everywhere; '%s' has "
                                      "others than '%s' (choose with --method)",
                                      trends->items[i].path, first->path);
    return PORTOLAN_OK;
}

enum portolan_status portolan_trends_write_extrap(const struct portolan_trends *trends,
                                                  enum portolan_measurements_format format,
                                                  char **text, struct portolan_error *err)
{
    const struct portolan_trend *first = &trends->items[0];
    enum portolan_status status = check_params(trends, err);
    struct portolan_measurements *m =
        status ? NULL : portolan_measurements_create(first->n_params, first->params);
    bool good = m;

    for (size_t i = 0; good && i < trends->n; i++)
        good = add_trend(m, &trends->items[i]);
    if (good)
        status = portolan_measurements_write(m, format, text, err);
    else if (!status)
        status = portolan_no_memory(err);
    portolan_measurements_destroy(m);
    return status;
}
