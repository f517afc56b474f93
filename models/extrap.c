/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's measurements: what is collected, by whichever reader. */
#include "extrap_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void portolan_measurements_destroy(struct portolan_measurements *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++) {
        free(m->items[i].callpath);
        free(m->items[i].metric);
        free(m->items[i].x);
        free(m->items[i].y);
    }
    free(m->items);
    for (size_t p = 0; p < m->n_params; p++)
        free(m->params[p]);
    free(m->params);
    free(m);
}

/* ---- complaints ---- */

void collector_no_memory(struct collector *c)
{
    if (!c->status)
        c->status =
            portolan_error_set(c->place.err, PORTOLAN_ENOMEM, "no memory to read measurements");
}

bool collector_complain(struct collector *c, size_t line, size_t column, const char *format, ...)
{
    char text[500];
    va_list args;

    if (c->status)
        return false;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->status =
        formula_complain(&c->place, (unsigned)(line - 1), (unsigned)(column - 1), "%s", text);
    return false;
}

bool text_is_utf8(const char *text, size_t length)
{
    size_t n;

    for (size_t at = 0; at < length; at += n) {
        char c[5] = {0};

        memcpy(c, text + at, length - at < 4 ? length - at : 4);
        if (!(n = portolan_utf8_length(c)))
            return false;
    }
    return true;
}

/* ---- parameters, items, rows ---- */

const char *collector_add_param(struct collector *c, const char *name, size_t length)
{
    struct portolan_measurements *m = c->m;

    if (m->n_params == EXTRAP_PARAMS)
        return "at most 8 parameters are read";
    if (!length || !text_is_utf8(name, length) || memchr(name, '\0', length))
        return "a parameter's name is UTF-8 text, and not empty";
    for (size_t i = 0; i < length; i++)
        if (isspace((unsigned char)name[i]))
            return "a parameter's name has no blanks";
    for (size_t p = 0; p < m->n_params; p++)
        if (strncmp(m->params[p], name, length) == 0 && !m->params[p][length])
            return "this parameter is there twice";
    if (!(m->params[m->n_params] = portolan_calloc(length + 1, 1)))
        collector_no_memory(c);
    else
        memcpy(m->params[m->n_params++], name, length);
    return NULL;
}

struct wanted {
    const struct portolan_measurements *in;
    const char *callpath, *metric;
};

static bool same_item(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return !strcmp(w->in->items[i].callpath, w->callpath) &&
           !strcmp(w->in->items[i].metric, w->metric);
}

static bool grow_items(struct collector *c)
{
    size_t room = c->room ? 2 * c->room : 16, *rooms;
    struct portolan_measurement *items = portolan_reallocarray(c->m->items, room, sizeof *items);

    if (items)
        c->m->items = items;
    rooms = items ? portolan_reallocarray(c->rooms, room, sizeof *rooms) : NULL;
    if (rooms) {
        c->rooms = rooms;
        c->room = room;
    }
    return rooms != NULL;
}

static bool add_item(struct collector *c, const struct wanted *w, uint64_t hash)
{
    struct portolan_measurement item = {.callpath = portolan_strdup(w->callpath),
                                        .metric = portolan_strdup(w->metric)};

    if (!item.callpath || !item.metric || (c->m->n == c->room && !grow_items(c)) ||
        !portolan_index_add(&c->index, hash, c->m->n)) {
        free(item.callpath);
        free(item.metric);
        return false;
    }
    c->m->items[c->m->n] = item;
    c->rooms[c->m->n++] = 0;
    return true;
}

size_t collector_find(struct collector *c, const char *callpath, const char *metric)
{
    const struct wanted wanted = {c->m, callpath, metric};
    uint64_t hash =
        portolan_hash(metric, strlen(metric), portolan_hash(callpath, strlen(callpath), 0));
    size_t at = portolan_index_find(&c->index, hash, same_item, &wanted);

    if (at != SIZE_MAX)
        return at;
    if (!c->status && add_item(c, &wanted, hash))
        return c->m->n - 1;
    collector_no_memory(c);
    return c->m->n;
}

bool collector_add_row(struct collector *c, size_t i, const double *x, double y)
{
    struct portolan_measurement *item = &c->m->items[i];
    size_t n = c->m->n_params;

    if (c->status)
        return false;
    if (item->n_rows == c->rooms[i]) {
        size_t room = c->rooms[i] ? 2 * c->rooms[i] : 8;
        double *more = portolan_reallocarray(item->x, room, n * sizeof *more);

        if (more)
            item->x = more;
        more = more ? portolan_reallocarray(item->y, room, sizeof *more) : NULL;
        if (!more) {
            collector_no_memory(c);
            return false;
        }
        item->y = more;
        c->rooms[i] = room;
    }
    memcpy(item->x + item->n_rows * n, x, n * sizeof *x);
    item->y[item->n_rows++] = y;
    return true;
}

/* ---- reading ---- */

static void dispatch(struct collector *c, const char *text, size_t size)
{
    size_t first = 0;

    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        size -= 3;
    }
    while (first < size && isspace((unsigned char)text[first]))
        first++;
    if (first == size)
        collector_complain(c, 1, 1, "there are no measurements");
    else if (text[first] != '{' && text[first] != '[')
        extrap_read_text(c, text, size);
    else if (extrap_is_lines(text, size))
        extrap_read_lines(c, text, size);
    else
        extrap_read_json(c, text, size);
    for (size_t i = 0; i < c->m->n; i++)
        if (!c->m->items[i].n_rows)
            collector_complain(c, 1, 1, "call path \"%s\" has no value of metric \"%s\"",
                               c->m->items[i].callpath, c->m->items[i].metric);
    if (!c->m->n)
        collector_complain(c, 1, 1, "there are parameters, but no measurements");
}

enum portolan_status portolan_measurements_read(const char *text, size_t size, const char *file,
                                                struct portolan_diagnostics *diagnostics,
                                                struct portolan_measurements **measurements,
                                                struct portolan_error *err)
{
    struct collector c = {.place = {file ? file : "measurements", 1, 1, diagnostics, err}};

    if (size > PORTOLAN_MEASUREMENTS_MAX_BYTES)
        return formula_complain(&c.place, 0, 0, "measurements take at most %d bytes",
                                (int)PORTOLAN_MEASUREMENTS_MAX_BYTES);
    c.m = portolan_calloc(1, sizeof *c.m);
    if (c.m)
        c.m->params = portolan_calloc(EXTRAP_PARAMS, sizeof *c.m->params);
    if (!c.m || !c.m->params)
        collector_no_memory(&c);
    else
        dispatch(&c, text, size);
    free(c.rooms);
    portolan_index_clear(&c.index);
    if (c.status)
        portolan_measurements_destroy(c.m);
    else
        *measurements = c.m;
    return c.status;
}
