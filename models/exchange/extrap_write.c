/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements in the forms that Extra-P reads. */
#include "extrap_internal.h"
#include "models_internal.h"

#include <portolan/index.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_PARAMS = 4 }; /* Extra-P's own limit */

/* The different points of an item, in order of first appearance. */
struct layout {
    size_t n;
    size_t *first, *last; /* row of each point */
    size_t *next;         /* for each row the next row of its point; SIZE_MAX: none */
};

/* For JSON: an item, and the number of its call path in order of first appearance. */
struct place {
    size_t path, item;
};

struct writer {
    const struct portolan_measurements *m;
    struct portolan_text out;
    struct portolan_arena arena;
    struct portolan_error *err;
    enum portolan_status status;
};

#define ADD(w, ...) portolan_text_add(&(w)->out, __VA_ARGS__)

/* ---- words ---- */

static void write_number(struct writer *w, double value)
{
    char text[NUMBER_TEXT];

    portolan_number_write(value, false, text);
    /* Readers of JSON take -0 as an integer, which loses the sign. */
    ADD(w, "%s%s", text, value == 0 && signbit(value) ? ".0" : "");
}

/* ---- points ---- */

static const double *row_of(const struct writer *w, const struct portolan_measurement *item,
                            size_t i)
{
    return item->x + i * w->m->n_params;
}

static bool is_point(const double *a, const double *b, size_t n)
{
    for (size_t p = 0; p < n; p++)
        if (a[p] != b[p])
            return false;
    return true;
}

struct wanted {
    const struct writer *w;
    const struct portolan_measurement *item;
    const struct layout *l;
    const double *x;
};

static bool same_point(const void *wanted, size_t point)
{
    const struct wanted *k = wanted;

    return is_point(k->x, row_of(k->w, k->item, k->l->first[point]), k->w->m->n_params);
}

static uint64_t hash_point(const double *x, size_t n)
{
    double plain[EXTRAP_PARAMS];

    for (size_t p = 0; p < n; p++)
        plain[p] = x[p] + 0.0; /* -0 is 0 */
    return portolan_hash(plain, n * sizeof *plain, 0);
}

static void no_memory(void *arg)
{
    struct writer *w = arg;

    w->status = portolan_error_set(w->err, PORTOLAN_ENOMEM, "no memory to write measurements");
}

static bool lay_out(struct writer *w, const struct portolan_measurement *item, struct layout *l)
{
    size_t n = item->n_rows, at;
    struct portolan_index index = {0};
    struct wanted wanted = {w, item, l, NULL};

    *l = (struct layout){.first = portolan_arena_alloc(&w->arena, n, 3 * sizeof *l->first)};
    l->last = l->first + n;
    l->next = l->last + n;
    for (size_t i = 0; l->first && i < n; i++) {
        wanted.x = row_of(w, item, i);
        l->first[l->n] = l->next[i] = SIZE_MAX;
        if (!portolan_index_put(&index, hash_point(wanted.x, w->m->n_params), l->n, same_point,
                                &wanted, &at)) {
            no_memory(w);
            break;
        }
        if (at == l->n)
            l->first[l->n++] = i;
        else
            l->next[l->last[at]] = i;
        l->last[at] = i;
    }
    portolan_index_clear(&index);
    return !w->status;
}

/* The values of one point, from its FIRST row on, with SEPARATOR between them. */
static void write_values(struct writer *w, const struct portolan_measurement *item,
                         const struct layout *l, size_t first, const char *separator)
{
    for (size_t i = first; i != SIZE_MAX; i = l->next[i]) {
        ADD(w, "%s", i == first ? "" : separator);
        write_number(w, item->y[i]);
    }
}

static void write_point(struct writer *w, const double *x, const char *separator)
{
    for (size_t p = 0; p < w->m->n_params; p++) {
        ADD(w, "%s", p ? separator : "");
        write_number(w, x[p]);
    }
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

static bool same_points(const struct writer *w, const struct layout *first,
                        const struct portolan_measurement *item, const struct layout *l)
{
    bool same = first->n == l->n;

    for (size_t i = 0; same && i < l->n; i++)
        same = is_point(row_of(w, &w->m->items[0], first->first[i]), row_of(w, item, l->first[i]),
                        w->m->n_params);
    return same;
}

static void refuse_text(struct writer *w, const char *what)
{
    if (!w->status)
        w->status = portolan_error_set(w->err, PORTOLAN_EINVAL,
                                       "Extra-P's text form cannot carry %s; write JSON", what);
}

static void write_points(struct writer *w, const struct layout *l)
{
    bool several = w->m->n_params > 1;

    ADD(w, "\nPOINTS");
    for (size_t i = 0; i < l->n; i++) {
        ADD(w, several ? " (" : " ");
        write_point(w, row_of(w, &w->m->items[0], l->first[i]), " ");
        ADD(w, several ? ")" : "");
    }
    ADD(w, "\n");
}

static void write_region(struct writer *w, const struct portolan_measurement *item,
                         const struct layout *first)
{
    struct layout l;

    if (!text_carries(item->callpath) || !text_carries(item->metric)) {
        refuse_text(w, "names with line ends, or with blanks around them");
        return;
    }
    if (!lay_out(w, item, &l))
        return;
    if (!same_points(w, first, item, &l))
        refuse_text(w, "call paths that were measured at different points or in a different order");
    ADD(w, "\nREGION %s\nMETRIC %s\n", item->callpath, item->metric);
    for (size_t i = 0; i < l.n; i++) {
        ADD(w, "DATA ");
        write_values(w, item, &l, l.first[i], " ");
        ADD(w, "\n");
    }
}

static void write_text(struct writer *w)
{
    const struct portolan_measurements *m = w->m;
    struct layout first;

    if (m->n_params > TEXT_PARAMS)
        refuse_text(w, "more than four parameters");
    if (w->status || !lay_out(w, &m->items[0], &first))
        return;
    for (size_t p = 0; p < m->n_params; p++)
        ADD(w, "PARAMETER %s\n", m->params[p]);
    write_points(w, &first);
    for (size_t i = 0; i < m->n && !w->status; i++)
        write_region(w, &m->items[i], &first);
}

/* ---- JSON ---- */

static int by_path(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int order = (p->path > q->path) - (p->path < q->path);

    return order ? order : (p->item > q->item) - (p->item < q->item);
}

/* The items sorted by call path. */
static const struct place *sort_items(struct writer *w)
{
    const struct portolan_measurements *m = w->m;
    struct portolan_measurements *paths = portolan_measurements_create(0, NULL);
    struct place *places = portolan_arena_alloc(&w->arena, m->n, sizeof *places);

    for (size_t i = 0; !w->status && i < m->n; i++) {
        const struct portolan_measurement *path =
            paths ? portolan_measurements_item(paths, m->items[i].callpath, "") : NULL;

        if (path)
            places[i] = (struct place){(size_t)(path - paths->items), i};
        else
            no_memory(w);
    }
    portolan_measurements_destroy(paths);
    if (!w->status)
        qsort(places, m->n, sizeof *places, by_path);
    return places;
}

static void write_metric(struct writer *w, const struct portolan_measurement *item)
{
    struct layout l;

    if (!lay_out(w, item, &l))
        return;
    portolan_text_add_json(&w->out, item->metric);
    ADD(w, ":[");
    for (size_t i = 0; i < l.n; i++) {
        ADD(w, "%s\n{\"point\":[", i ? "," : "");
        write_point(w, row_of(w, item, l.first[i]), ",");
        ADD(w, "],\"values\":[");
        write_values(w, item, &l, l.first[i], ",");
        ADD(w, "]}");
    }
    ADD(w, "]");
}

static void write_json(struct writer *w)
{
    const struct portolan_measurements *m = w->m;
    const struct place *places = sort_items(w);

    if (w->status)
        return;
    ADD(w, "{\"parameters\":[");
    for (size_t p = 0; p < m->n_params; p++) {
        ADD(w, p ? "," : "");
        portolan_text_add_json(&w->out, m->params[p]);
    }
    ADD(w, "],\n\"measurements\":{");
    for (size_t i = 0; i < m->n && !w->status; i++) {
        const struct portolan_measurement *item = &m->items[places[i].item];
        bool first = !i || places[i].path != places[i - 1].path;

        if (first) {
            ADD(w, i ? "},\n" : "\n");
            portolan_text_add_json(&w->out, item->callpath);
            ADD(w, ":{");
        }
        ADD(w, first ? "" : ",\n");
        write_metric(w, item);
    }
    ADD(w, "}\n}}\n");
}

/* ---- all ---- */

static const char *wrong_names(const struct portolan_measurements *m)
{
    if (!m->n_params || !m->n || m->n_params > EXTRAP_PARAMS)
        return "measurements need 1 to 8 parameters and at least one call path";
    for (size_t p = 0; p < m->n_params; p++) {
        if (!*m->params[p] || !text_is_utf8(m->params[p], strlen(m->params[p])) ||
            strpbrk(m->params[p], " \t\r\n\v\f"))
            return "the name of a parameter must be UTF-8 text without blanks";
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
            return "names must be UTF-8 text";
        if (!item->n_rows)
            return "every call path must have at least one value";
        for (size_t k = 0; k < item->n_rows; k++)
            if (!isfinite(item->y[k]))
                return "values must be finite";
        for (size_t k = 0; k < item->n_rows * m->n_params; k++)
            if (!isfinite(item->x[k]))
                return "coordinates must be finite";
    }
    return NULL;
}

enum portolan_status portolan_measurements_write(const struct portolan_measurements *m,
                                                 enum portolan_measurements_format format,
                                                 char **text, struct portolan_error *err)
{
    static void (*const forms[])(struct writer *) = {
        [PORTOLAN_MEASUREMENTS_TEXT] = write_text,
        [PORTOLAN_MEASUREMENTS_JSON] = write_json,
    };
    struct writer w = {.m = m, .err = err};
    const char *wrong = wrong_names(m);

    w.arena = (struct portolan_arena){.no_memory = no_memory, .no_memory_arg = &w};
    wrong = wrong ? wrong : wrong_items(m);
    if (wrong || (size_t)format >= sizeof forms / sizeof *forms)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s",
                                  wrong ? wrong : "unknown form of measurements");
    forms[format](&w);
    if (!w.status)
        w.status = portolan_text_take(&w.out, text, err);
    portolan_text_clear(&w.out);
    portolan_arena_clear(&w.arena);
    return w.status;
}
