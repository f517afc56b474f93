/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements in the forms that Extra-P reads. */
#include "extrap_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_PARAMS = 4 }; /* Extra-P's own limit */

/* The different points, in order of first appearance, and which of them each row is at. */
struct layout {
    size_t n;
    size_t *first; /* a row at each point */
    size_t *point; /* of each row */
};

/* Of an item: its place, and the numbers of its names from 1. */
struct ids {
    size_t index, path, metric;
};

struct writer {
    const struct portolan_measurements *m;
    struct ids *ids;   /* as the items are */
    struct ids *order; /* call path by call path */
    struct portolan_text out;
    struct portolan_error *err;
    enum portolan_status status;
};

#define ADD(w, ...) portolan_text_add(&(w)->out, __VA_ARGS__)

/* ---- words ---- */

static void write_number(struct writer *w, double value)
{
    char text[NUMBER_TEXT];

    number_write(value, text);
    /* Readers of JSON take -0 as a whole number, which has no sign. */
    ADD(w, "%s%s", text, value == 0 && signbit(value) ? ".0" : "");
}

/* ---- points ---- */

static const double *row(const struct writer *w, const struct portolan_measurement *item, size_t i)
{
    return item->x + i * w->m->n_params;
}

static int compare_points(const double *a, const double *b, size_t n)
{
    for (size_t p = 0; p < n; p++)
        if (a[p] != b[p])
            return a[p] < b[p] ? -1 : 1;
    return 0;
}

/* For sorting rows by their points, and in those by their order. */
struct place {
    const double *x;
    size_t n_params, row;
};

static int by_point(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int order = compare_points(p->x, q->x, p->n_params);

    return order ? order : (p->row > q->row) - (p->row < q->row);
}

static int by_number(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;

    return (i > j) - (i < j);
}

static void layout_clear(struct layout *l)
{
    free(l->first);
    free(l->point);
    *l = (struct layout){0};
}

/* A point is known by its first row until all first rows are in order. */
static void number_points(struct layout *l, const struct place *places, size_t n_rows)
{
    for (size_t i = 0; i < n_rows; i++)
        if (i && compare_points(places[i - 1].x, places[i].x, places[i].n_params) == 0)
            l->point[places[i].row] = l->point[places[i - 1].row];
        else
            l->point[places[i].row] = l->first[l->n++] = places[i].row;
    qsort(l->first, l->n, sizeof *l->first, by_number);
    for (size_t i = 0; i < n_rows; i++)
        l->point[i] =
            (size_t)((size_t *)bsearch(&l->point[i], l->first, l->n, sizeof *l->first, by_number) -
                     l->first);
}

static bool layout_create(struct writer *w, const struct portolan_measurement *item,
                          struct layout *l)
{
    struct place *places = portolan_calloc(item->n_rows, sizeof *places);
    bool good;

    *l = (struct layout){.first = portolan_calloc(item->n_rows, sizeof *l->first),
                         .point = portolan_calloc(item->n_rows, sizeof *l->point)};
    good = places && l->first && l->point;
    if (good) {
        for (size_t i = 0; i < item->n_rows; i++)
            places[i] = (struct place){row(w, item, i), w->m->n_params, i};
        qsort(places, item->n_rows, sizeof *places, by_point);
        number_points(l, places, item->n_rows);
    } else {
        layout_clear(l);
        w->status = portolan_error_set(w->err, PORTOLAN_ENOMEM, "no memory to write measurements");
    }
    free(places);
    return good;
}

/* The values at point P of ITEM, with SEPARATOR between them. */
static void write_values(struct writer *w, const struct portolan_measurement *item,
                         const size_t *rows, size_t n, const char *separator)
{
    for (size_t i = 0; i < n; i++) {
        ADD(w, "%s", i ? separator : "");
        write_number(w, item->y[rows[i]]);
    }
}

static void write_point(struct writer *w, const double *x, const char *separator)
{
    for (size_t p = 0; p < w->m->n_params; p++) {
        ADD(w, "%s", p ? separator : "");
        write_number(w, x[p]);
    }
}

/* Calls USE for every point with the rows that are there. */
static void each_point(struct writer *w, const struct portolan_measurement *item,
                       void (*use)(struct writer *w, const struct portolan_measurement *item,
                                   size_t point, const size_t *rows, size_t n))
{
    struct layout l;
    size_t *rows, *begin;

    if (!layout_create(w, item, &l))
        return;
    rows = portolan_calloc(item->n_rows, sizeof *rows);
    begin = portolan_calloc(l.n + 1, sizeof *begin);
    if (rows && begin) {
        for (size_t i = 0; i < item->n_rows; i++)
            begin[l.point[i] + 1]++;
        for (size_t p = 0; p < l.n; p++)
            begin[p + 1] += begin[p];
        for (size_t i = item->n_rows; i-- > 0;)
            rows[--begin[l.point[i] + 1]] = i;
        for (size_t p = 0; p < l.n; p++)
            use(w, item, p, rows + begin[p + 1],
                (p + 1 < l.n ? begin[p + 2] : item->n_rows) - begin[p + 1]);
    } else {
        w->status = portolan_error_set(w->err, PORTOLAN_ENOMEM, "no memory to write measurements");
    }
    free(rows);
    free(begin);
    layout_clear(&l);
}

/* ---- text ---- */

static bool text_carries(const char *name)
{
    size_t length = strlen(name);

    for (const char *s = name; *s; s++)
        if ((isspace((unsigned char)*s) && *s != ' ') || (*s == ' ' && s[1] == ' '))
            return false;
    return !length || (*name != ' ' && name[length - 1] != ' ');
}

static void add_text_point(struct writer *w, const struct portolan_measurement *item, size_t point,
                           const size_t *rows, size_t n)
{
    (void)point;
    (void)n;
    ADD(w, w->m->n_params > 1 ? " (" : " ");
    write_point(w, row(w, item, *rows), " ");
    ADD(w, w->m->n_params > 1 ? ")" : "");
}

static void add_text_data(struct writer *w, const struct portolan_measurement *item, size_t point,
                          const size_t *rows, size_t n)
{
    (void)point;
    ADD(w, "DATA ");
    write_values(w, item, rows, n, " ");
    ADD(w, "\n");
}

static bool same_points(struct writer *w, const struct portolan_measurement *a,
                        const struct portolan_measurement *b)
{
    struct layout l, k;
    bool same;

    if (!layout_create(w, a, &l))
        return false;
    if (!layout_create(w, b, &k)) {
        layout_clear(&l);
        return false;
    }
    same = l.n == k.n;
    for (size_t i = 0; same && i < l.n; i++)
        same = compare_points(row(w, a, l.first[i]), row(w, b, k.first[i]), w->m->n_params) == 0;
    layout_clear(&l);
    layout_clear(&k);
    return same;
}

static void refuse(struct writer *w, const char *what)
{
    if (!w->status)
        w->status = portolan_error_set(w->err, PORTOLAN_EINVAL,
                                       "Extra-P's text form cannot carry %s; write JSON", what);
}

static void write_text(struct writer *w)
{
    const struct portolan_measurements *m = w->m;

    if (m->n_params > TEXT_PARAMS)
        refuse(w, "more than four parameters");
    for (size_t i = 0; i < m->n && !w->status; i++)
        if (!text_carries(m->items[i].callpath) || !text_carries(m->items[i].metric))
            refuse(w, "names with line ends or blanks around them");
        else if (!same_points(w, &m->items[0], &m->items[i]))
            refuse(w, "call paths that were measured at different points, or in another order");
    if (w->status)
        return;
    for (size_t p = 0; p < m->n_params; p++)
        ADD(w, "PARAMETER %s\n", m->params[p]);
    ADD(w, "\nPOINTS");
    each_point(w, &m->items[0], add_text_point);
    ADD(w, "\n");
    for (size_t i = 0; i < m->n && !w->status; i++) {
        ADD(w, "\nREGION %s\nMETRIC %s\n", m->items[i].callpath, m->items[i].metric);
        each_point(w, &m->items[i], add_text_data);
    }
}

/* ---- the present JSON ---- */

static void add_json_point(struct writer *w, const struct portolan_measurement *item, size_t point,
                           const size_t *rows, size_t n)
{
    ADD(w, "%s\n{\"point\":[", point ? "," : "");
    write_point(w, row(w, item, *rows), ",");
    ADD(w, "],\"values\":[");
    write_values(w, item, rows, n, ",");
    ADD(w, "]}");
}

static void write_json(struct writer *w)
{
    const struct portolan_measurements *m = w->m;

    ADD(w, "{\"parameters\":[");
    for (size_t p = 0; p < m->n_params; p++) {
        ADD(w, p ? "," : "");
        portolan_text_add_json(&w->out, m->params[p]);
    }
    ADD(w, "],\n\"measurements\":{");
    for (size_t i = 0; i < m->n && !w->status; i++) {
        const struct portolan_measurement *item = &m->items[w->order[i].index];
        bool first = !i || w->order[i].path != w->order[i - 1].path;

        if (first) {
            ADD(w, i ? "},\n" : "\n");
            portolan_text_add_json(&w->out, item->callpath);
            ADD(w, ":{");
        }
        ADD(w, first ? "" : ",\n");
        portolan_text_add_json(&w->out, item->metric);
        ADD(w, ":[");
        each_point(w, item, add_json_point);
        ADD(w, "]");
    }
    ADD(w, "}\n}}\n");
}

/* ---- the older JSON ---- */

/* {"id": 1, "name": …}, … for the first of each id. */
static void write_table(struct writer *w, const char *table, bool metrics)
{
    size_t last = 0;

    ADD(w, "  \"%s\": [", table);
    for (size_t i = 0; i < w->m->n; i++) {
        size_t id = metrics ? w->ids[i].metric : w->ids[i].path;

        if (id <= last)
            continue;
        last = id;
        ADD(w, "%s\n    {\"id\": %zu, \"name\": ", id > 1 ? "," : "", id);
        portolan_text_add_json(&w->out, metrics ? w->m->items[i].metric : w->m->items[i].callpath);
        ADD(w, "}");
    }
    ADD(w, "\n  ],\n");
}

static void write_coordinates(struct writer *w, const struct portolan_measurement *all,
                              const struct layout *l)
{
    ADD(w, "  \"coordinates\": [");
    for (size_t i = 0; i < l->n; i++) {
        ADD(w, "%s\n    {\"id\": %zu, \"parameter_value_pairs\": [", i ? "," : "", i + 1);
        for (size_t p = 0; p < w->m->n_params; p++) {
            ADD(w, "%s{\"parameter_id\": %zu, \"parameter_value\": ", p ? ", " : "", p + 1);
            write_number(w, row(w, all, l->first[i])[p]);
            ADD(w, "}");
        }
        ADD(w, "]}");
    }
    ADD(w, "\n  ],\n");
}

/* All rows of all items, one behind the other: their points are what is numbered. */
static bool join(struct writer *w, struct portolan_measurement *all)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < w->m->n; i++)
        n += w->m->items[i].n_rows;
    all->n_rows = n;
    all->x = portolan_calloc(n, w->m->n_params * sizeof *all->x);
    if (!all->x) {
        w->status = portolan_error_set(w->err, PORTOLAN_ENOMEM, "no memory to write measurements");
        return false;
    }
    for (size_t i = 0; i < w->m->n; i++) {
        size_t size = w->m->items[i].n_rows * w->m->n_params;

        memcpy(all->x + at, w->m->items[i].x, size * sizeof *all->x);
        at += size;
    }
    return true;
}

static void write_measurements(struct writer *w, const struct layout *l)
{
    size_t id = 0;

    ADD(w, "  \"measurements\": [");
    for (size_t i = 0; i < w->m->n; i++)
        for (size_t k = 0; k < w->m->items[i].n_rows; k++, id++) {
            ADD(w, "%s\n    {\"id\": %zu, \"callpath_id\": %zu, \"metric_id\": %zu, ",
                id ? "," : "", id + 1, w->ids[i].path, w->ids[i].metric);
            ADD(w, "\"coordinate_id\": %zu, \"value\": ", l->point[id] + 1);
            write_number(w, w->m->items[i].y[k]);
            ADD(w, "}");
        }
    ADD(w, "\n  ]\n}\n");
}

static void write_json_ids(struct writer *w)
{
    struct portolan_measurement all = {0};
    struct layout l = {0};

    if (join(w, &all) && layout_create(w, &all, &l)) {
        ADD(w, "{\n  \"parameters\": [");
        for (size_t p = 0; p < w->m->n_params; p++) {
            ADD(w, "%s\n    {\"id\": %zu, \"name\": ", p ? "," : "", p + 1);
            portolan_text_add_json(&w->out, w->m->params[p]);
            ADD(w, "}");
        }
        ADD(w, "\n  ],\n");
        write_table(w, "callpaths", false);
        write_table(w, "metrics", true);
        write_coordinates(w, &all, &l);
        write_measurements(w, &l);
    }
    layout_clear(&l);
    free(all.x);
}

/* ---- JSON Lines ---- */

static void write_lines(struct writer *w)
{
    for (size_t i = 0; i < w->m->n; i++)
        for (size_t k = 0; k < w->m->items[i].n_rows; k++) {
            const struct portolan_measurement *item = &w->m->items[i];

            ADD(w, "{\"params\": {");
            for (size_t p = 0; p < w->m->n_params; p++) {
                ADD(w, p ? ", " : "");
                portolan_text_add_json(&w->out, w->m->params[p]);
                ADD(w, ": ");
                write_number(w, row(w, item, k)[p]);
            }
            ADD(w, "}, \"callpath\": ");
            portolan_text_add_json(&w->out, item->callpath);
            ADD(w, ", \"metric\": ");
            portolan_text_add_json(&w->out, item->metric);
            ADD(w, ", \"value\": ");
            write_number(w, item->y[k]);
            ADD(w, "}\n");
        }
}

/* ---- all ---- */

static const char *wrong_names(const struct portolan_measurements *m)
{
    if (!m->n_params || !m->n || m->n_params > EXTRAP_PARAMS)
        return "there are 1 to 8 parameters, and at least one call path";
    for (size_t p = 0; p < m->n_params; p++) {
        if (!*m->params[p] || !text_is_utf8(m->params[p], strlen(m->params[p])) ||
            strpbrk(m->params[p], " \t\r\n\v\f"))
            return "a parameter's name is UTF-8 text without blanks";
        for (size_t q = 0; q < p; q++)
            if (strcmp(m->params[p], m->params[q]) == 0)
                return "two parameters have the same name";
    }
    return NULL;
}

static const char *wrong_items(const struct portolan_measurements *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct portolan_measurement *item = &m->items[i];

        if (!text_is_utf8(item->callpath, strlen(item->callpath)) ||
            !text_is_utf8(item->metric, strlen(item->metric)))
            return "names are UTF-8 text";
        if (!item->n_rows)
            return "every call path has at least one value";
        for (size_t k = 0; k < item->n_rows; k++)
            if (!isfinite(item->y[k]))
                return "values are finite";
        for (size_t k = 0; k < item->n_rows * m->n_params; k++)
            if (!isfinite(item->x[k]))
                return "coordinates are finite";
    }
    return NULL;
}

static int by_path(const void *a, const void *b)
{
    const struct ids *p = a, *q = b;
    int order = (p->path > q->path) - (p->path < q->path);

    return order ? order : (p->index > q->index) - (p->index < q->index);
}

static int by_both(const void *a, const void *b)
{
    const struct ids *p = a, *q = b;
    int order = (p->path > q->path) - (p->path < q->path);

    return order ? order : (p->metric > q->metric) - (p->metric < q->metric);
}

/* Numbers call paths, or metrics, from 1 by first appearance: as a reader finds items. */
static bool number_names(struct writer *w, bool metrics)
{
    struct portolan_measurements *names = portolan_measurements_create(0, NULL);
    bool good = names;

    for (size_t i = 0; good && i < w->m->n; i++) {
        const struct portolan_measurement *item = &w->m->items[i];
        const struct portolan_measurement *name =
            portolan_measurements_item(names, metrics ? item->metric : item->callpath, "");

        if ((good = name))
            *(metrics ? &w->ids[i].metric : &w->ids[i].path) = 1 + (size_t)(name - names->items);
        w->ids[i].index = i;
    }
    portolan_measurements_destroy(names);
    return good;
}

static void number_items(struct writer *w)
{
    size_t n = w->m->n;

    w->ids = portolan_calloc(n, sizeof *w->ids);
    w->order = portolan_calloc(n, sizeof *w->order);
    if (!w->ids || !w->order || !number_names(w, false) || !number_names(w, true)) {
        w->status = portolan_error_set(w->err, PORTOLAN_ENOMEM, "no memory to write measurements");
        return;
    }
    memcpy(w->order, w->ids, n * sizeof *w->ids);
    qsort(w->order, n, sizeof *w->order, by_both);
    for (size_t i = 1; i < n && !w->status; i++)
        if (by_both(&w->order[i - 1], &w->order[i]) == 0)
            w->status = portolan_error_set(
                w->err, PORTOLAN_EINVAL, "call path \"%s\" has metric \"%s\" twice",
                w->m->items[w->order[i].index].callpath, w->m->items[w->order[i].index].metric);
    qsort(w->order, n, sizeof *w->order, by_path);
}

enum portolan_status portolan_measurements_write(const struct portolan_measurements *m,
                                                 enum portolan_measurements_format format,
                                                 char **text, struct portolan_error *err)
{
    static void (*const forms[])(struct writer *) = {
        [PORTOLAN_MEASUREMENTS_TEXT] = write_text,
        [PORTOLAN_MEASUREMENTS_JSON] = write_json,
        [PORTOLAN_MEASUREMENTS_JSON_IDS] = write_json_ids,
        [PORTOLAN_MEASUREMENTS_JSONL] = write_lines,
    };
    struct writer w = {.m = m, .err = err};
    const char *wrong = wrong_names(m);

    wrong = wrong ? wrong : wrong_items(m);
    if (wrong || (size_t)format >= sizeof forms / sizeof *forms)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s", wrong ? wrong : "no such form");
    number_items(&w);
    if (!w.status)
        forms[format](&w);
    if (!w.status)
        w.status = portolan_text_take(&w.out, text, err);
    portolan_text_clear(&w.out);
    free(w.ids);
    free(w.order);
    return w.status;
}
