/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of implementations: laws, and curves with measured points. */
#include "internal.h"

#include <portolan/chart.h>
#include <portolan/list.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So much is drawn at most. */
enum { CURVE_POINTS = 49, MOST_CHARTS = 24, MOST_CURVES = 24, MOST_PLACES = 60 };

/* ------------------------------------------------------------------ curves */

/* A model along one of its parameters, the others as large as they were measured. */
struct curve {
    const struct portolan_plan_model *of;
    size_t position; /* among all models */
    size_t parameter;
    double x[PORTOLAN_MODEL_MAX_PARAMS];
};

static size_t find_parameter(const struct portolan_model *m, const char *name)
{
    size_t k = 0;

    while (k < portolan_model_n_params(m) && strcmp(portolan_model_peek_param(m, k), name) != 0)
        k++;
    return k;
}

static bool make_curve(const struct portolan_plan_model *m, size_t position, const char *parameter,
                       struct curve *c)
{
    *c = (struct curve){.of = m, .position = position};
    c->parameter = find_parameter(m->model, parameter);
    for (size_t k = 0; k < portolan_model_n_params(m->model); k++)
        c->x[k] = portolan_model_peek_range(m->model, k)->max;
    return c->parameter < portolan_model_n_params(m->model);
}

static double value_at(struct curve *c, double x)
{
    c->x[c->parameter] = x;
    return portolan_model_value(c->of->model, c->x);
}

/* From half the least to twice the largest measured value. */
static double place(const struct curve *c, size_t i)
{
    const struct portolan_model_range *r = portolan_model_peek_range(c->of->model, c->parameter);
    double part = (double)i / (CURVE_POINTS - 1);

    if (r->min > 0)
        return r->min / 2 * pow(4 * r->max / r->min, part);
    return r->min + part * (2 * r->max - r->min);
}

static void write_line(struct curve *c, struct portolan_json *j)
{
    double x[CURVE_POINTS], y[CURVE_POINTS], low[CURVE_POINTS], high[CURVE_POINTS];
    size_t n = 0;

    for (size_t i = 0; i < CURVE_POINTS; i++) {
        struct portolan_prediction p;

        x[n] = c->x[c->parameter] = place(c, i);
        if (portolan_model_predict(c->of->model, c->x, &p))
            continue;
        y[n] = p.value;
        low[n] = p.low;
        high[n++] = p.high;
    }
    report_write_values(j, "x", x, n);
    report_write_values(j, "y", y, n);
    report_write_values(j, "low", low, n);
    report_write_values(j, "high", high, n);
}

/* Measured rows at one value of the parameter. */
struct spread {
    double x, sum, least, most;
    size_t n;
};

static size_t gather_places(const struct curve *c, struct spread *places)
{
    const struct portolan_plan_model *m = c->of;
    const char *name = portolan_model_peek_param(m->model, c->parameter);
    size_t column = 0, n = 0;

    while (column < m->n_columns && strcmp(m->columns[column], name) != 0)
        column++;
    for (size_t i = 0; column < m->n_columns && i < m->n_points; i++) {
        double x = m->x[i * m->n_columns + column], y = m->y[i];
        size_t k = 0;

        while (k < n && places[k].x != x)
            k++;
        if (k == MOST_PLACES)
            continue;
        if (k == n)
            places[n++] = (struct spread){.x = x, .least = y, .most = y};
        places[k].sum += y;
        places[k].least = fmin(places[k].least, y);
        places[k].most = fmax(places[k].most, y);
        places[k].n++;
    }
    return n;
}

static void write_points(const struct curve *c, struct portolan_json *j)
{
    static const char *const names[] = {"x", "y", "low", "high", "rows"};
    struct spread places[MOST_PLACES];
    size_t n = gather_places(c, places);

    portolan_json_open(j, "points", '[');
    for (size_t i = 0; i < n; i++)
        portolan_json_numbers(j, NULL, names,
                              (const double[]){places[i].x, places[i].sum / (double)places[i].n,
                                               places[i].least, places[i].most,
                                               (double)places[i].n},
                              5);
    portolan_json_close(j, ']');
}

static void write_name(const struct portolan_plan_model *m, struct portolan_json *j)
{
    struct portolan_text t = {0};

    portolan_text_add(&t, "%s%s%s%s", *m->implementation ? m->implementation : m->instance,
                      *m->scope ? " (" : "", m->scope, *m->scope ? ")" : "");
    portolan_json_text(j, "name", t.bytes);
    portolan_json_text(j, "implementation", m->implementation);
    portolan_json_text(j, "scope", m->scope);
    j->out->failed |= t.failed;
    portolan_text_clear(&t);
}

static void write_curve(struct curve *c, struct portolan_json *j)
{
    const struct portolan_model_range *r = portolan_model_peek_range(c->of->model, c->parameter);

    portolan_json_open(j, NULL, '{');
    write_name(c->of, j);
    portolan_json_number(j, "model", (double)c->position);
    portolan_json_number(j, "valid_from", r->min);
    portolan_json_number(j, "valid_to", r->max);
    write_line(c, j);
    write_points(c, j);
    portolan_json_close(j, '}');
}

/* ------------------------------------------------------------------ crossings */

/* Finds where A and B are equal; their difference has different signs at LOW and HIGH. */
static double bisect(struct curve *a, struct curve *b, double low, double high)
{
    bool below = value_at(a, low) < value_at(b, low);

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if ((value_at(a, middle) < value_at(b, middle)) == below)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void write_crossings_of(struct curve *a, struct curve *b, struct portolan_json *j)
{
    /* With other partners they are never a choice between the two. */
    if (strcmp(a->of->scope, b->of->scope) != 0)
        return;
    for (size_t i = 0; i + 1 < CURVE_POINTS; i++) {
        double low = place(a, i), high = place(a, i + 1), at;
        double before = value_at(a, low) - value_at(b, low);
        double after = value_at(a, high) - value_at(b, high);

        if (!isfinite(before) || !isfinite(after) || before * after >= 0)
            continue;
        at = bisect(a, b, low, high);
        portolan_json_open(j, NULL, '{');
        portolan_json_number(j, "x", at);
        portolan_json_number(j, "y", value_at(a, at));
        portolan_json_text(j, "scope", a->of->scope);
        portolan_json_text(j, "cheaper_below",
                           before < 0 ? a->of->implementation : b->of->implementation);
        portolan_json_text(j, "cheaper_above",
                           before < 0 ? b->of->implementation : a->of->implementation);
        portolan_json_close(j, '}');
    }
}

/* ------------------------------------------------------------------ charts */

static bool same_chart(const struct portolan_plan_model *a, const struct portolan_plan_model *b)
{
    return !strcmp(a->path, b->path) && !strcmp(a->quantity, b->quantity);
}

/* All implementations of a call path, along PARAMETER. */
static void write_chart(const struct portolan_plan_model *models, size_t n, size_t first,
                        const char *parameter, struct portolan_json *j)
{
    struct curve curves[MOST_CURVES];
    size_t k = 0;

    for (size_t i = first; i < n && k < MOST_CURVES; i++)
        if (same_chart(&models[first], &models[i]) &&
            make_curve(&models[i], i, parameter, &curves[k]))
            k++;
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "path", models[first].path);
    portolan_json_text(j, "quantity", models[first].quantity);
    portolan_json_text(j, "parameter", parameter);
    portolan_json_open(j, "curves", '[');
    for (size_t i = 0; i < k; i++)
        write_curve(&curves[i], j);
    portolan_json_close(j, ']');
    portolan_json_open(j, "crossings", '[');
    for (size_t i = 0; i < k; i++)
        for (size_t m = 0; m < i; m++)
            write_crossings_of(&curves[m], &curves[i], j);
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

static bool is_first(const struct portolan_plan_model *models, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_chart(&models[i], &models[at]))
            return false;
    return models[at].core && !strncmp(models[at].quantity, "exclusive", 9);
}

/* Returns whether a model of the chart of FIRST, before AT, has the parameter. */
static bool is_drawn(const struct portolan_plan_model *models, size_t first, size_t at,
                     const char *parameter)
{
    for (size_t i = first; i < at; i++)
        if (same_chart(&models[first], &models[i]) &&
            find_parameter(models[i].model, parameter) < portolan_model_n_params(models[i].model))
            return true;
    return false;
}

static void write_charts(const struct portolan_plan_model *models, size_t n,
                         struct portolan_json *j)
{
    size_t drawn = 0;

    portolan_json_open(j, "charts", '[');
    for (size_t first = 0; first < n; first++)
        for (size_t i = first; is_first(models, first) && i < n; i++)
            for (size_t k = 0; same_chart(&models[first], &models[i]) &&
                               k < portolan_model_n_params(models[i].model);
                 k++) {
                const char *parameter = portolan_model_peek_param(models[i].model, k);

                if (drawn < MOST_CHARTS && !is_drawn(models, first, i, parameter)) {
                    write_chart(models, n, first, parameter, j);
                    drawn++;
                }
            }
    portolan_json_close(j, ']');
}

/* ------------------------------------------------------------------ data */

static bool same_link(const struct portolan_plan_model *a, const struct portolan_plan_model *b)
{
    return !strcmp(a->instance, b->instance) && !strcmp(a->method, b->method) &&
           !strcmp(a->implementation, b->implementation) && !strcmp(a->scope, b->scope) &&
           !strcmp(a->quantity, b->quantity);
}

/* The anchor of each model, as its row in the table; with its number if another has the same. */
static void write_links(const struct portolan_plan_model *models, size_t n, struct portolan_json *j)
{
    portolan_json_open(j, "links", '[');
    for (size_t i = 0; i < n; i++) {
        const struct portolan_plan_model *m = &models[i];
        const char *quantity = !strcmp(m->quantity, "exclusive_ns") ? "" : m->quantity;
        char called[200], number[24] = "";

        snprintf(called, sizeof called, "%s.%s", m->instance, m->method);
        for (size_t k = 0; k < i && !*number; k++)
            if (same_link(&models[k], m))
                snprintf(number, sizeof number, "%zu", i);
        portolan_json_open(j, NULL, '{');
        report_write_link(
            j, "model",
            (const char *const[]){called, m->implementation, m->scope, quantity, number}, 5);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static enum portolan_status write_models(struct report *r, struct portolan_json *j,
                                         struct portolan_error *err)
{
    const struct portolan_plan_model *models = NULL;
    size_t n = r->from->plan ? portolan_plan_peek_models(r->from->plan, &models) : 0;

    portolan_json_text(j, "no_models",
                       r->from->plan      ? ""
                       : r->from->no_plan ? r->from->no_plan
                                          : "no assembly was named");
    if (r->from->plan)
        portolan_plan_write_models(r->from->plan, j, "models");
    write_links(models, n, j);
    write_charts(models, n, j);
    return report_write_choices(r, j, err);
}

/* ------------------------------------------------------------------ pictures */

/* The numbers of MEMBER of ALL, an array of objects, or of itself where MEMBER is NULL. */
static double *take_numbers(const json_t *all, const char *member, struct portolan_arena *pool)
{
    double *x = portolan_arena_alloc(pool, json_array_size(all) + 1, sizeof *x);

    for (size_t i = 0; x && i < json_array_size(all); i++)
        x[i] = member ? report_number(json_array_get(all, i), member)
                      : json_number_value(json_array_get(all, i));
    return x;
}

static void draw_chart(const json_t *data, size_t number, struct portolan_text *out)
{
    struct portolan_arena pool = {0};
    const json_t *curves = json_object_get(data, "curves");
    size_t n = json_array_size(curves);
    struct portolan_chart_series *series = portolan_arena_alloc(&pool, 2 * n, sizeof *series);
    struct portolan_chart chart = {.title = report_text(data, "path"),
                                   .x_label = report_text(data, "parameter"),
                                   .y_label = "ns per call",
                                   .x_log = true,
                                   .y_log = true,
                                   .id = portolan_arena_printf(&pool, "chart%zu", number),
                                   .n_series = 2 * n,
                                   .series = series};
    char *svg = NULL;

    for (size_t i = 0; series && i < n; i++) {
        const json_t *c = json_array_get(curves, i), *points = json_object_get(c, "points");
        const json_t *x = json_object_get(c, "x"), *y = json_object_get(c, "y");

        series[2 * i] = (struct portolan_chart_series){.kind = PORTOLAN_CHART_POINTS,
                                                       .n = json_array_size(points),
                                                       .x = take_numbers(points, "x", &pool),
                                                       .y = take_numbers(points, "y", &pool)};
        series[2 * i + 1] = (struct portolan_chart_series){.kind = PORTOLAN_CHART_LINE,
                                                           .name = report_text(c, "name"),
                                                           .n = json_array_size(x),
                                                           .x = take_numbers(x, NULL, &pool),
                                                           .y = take_numbers(y, NULL, &pool)};
    }
    if (!pool.failed)
        portolan_chart_write(&chart, "model.svg", &svg, NULL);
    portolan_text_add(out, "<figure class=\"model\">%s</figure>\n", svg ? svg : "");
    free(svg);
    portolan_arena_clear(&pool);
}

static void draw_models(const json_t *part, struct portolan_text *out)
{
    const json_t *charts = json_object_get(part, "charts");

    if (*report_text(part, "no_models")) {
        portolan_text_add(out, "<p class=\"note\">There are no models: ");
        portolan_text_add_xml(out, report_text(part, "no_models"));
        portolan_text_add(out, "</p>\n");
    }
    for (size_t i = 0; i < json_array_size(charts); i++)
        draw_chart(json_array_get(charts, i), i, out);
}

static const struct report_table tables[] = {
    {"models",
     "Models: the cost of a call, and the number of calls",
     {{"path", "call path", REPORT_TEXT},
      {"implementation", "implementation", REPORT_TEXT},
      {"scope", "with", REPORT_TEXT},
      {"quantity", "of", REPORT_TEXT},
      {"formula", "law", REPORT_TEXT},
      {"rms", "error", REPORT_NUMBER},
      {"rows", "measurements", REPORT_NUMBER},
      {"parameters", "valid for", REPORT_TEXT},
      {"breaks", "breaks", REPORT_TEXT}}},
    {"ranges",
     "What would be chosen",
     {{"parameter", "parameter", REPORT_TEXT},
      {"from", "from", REPORT_NUMBER},
      {"to", "to", REPORT_NUMBER},
      {"choice", "choice", REPORT_TEXT},
      {"total_from_ns", "run takes", REPORT_TIME},
      {"total_to_ns", "to", REPORT_TIME},
      {"verdict", "how sure", REPORT_TEXT},
      {"cannot_tell", "why not", REPORT_TEXT}}},
    {0},
};

const struct report_part report_model = {
    .name = "model",
    .title = "Models",
    .about = "What calls cost as a function of parameters, and which implementation is best where.",
    .write = write_models,
    .draw = draw_models,
    .tables = tables,
};
