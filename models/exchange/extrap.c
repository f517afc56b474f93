/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's measurements: what is collected, by whichever reader. */
#include "extrap_internal.h"
#include "models_internal.h"

#include <portolan/index.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- measurements ---- */

/* What is handed out, with all that it points to and how items are found. */
struct collection {
    struct portolan_measurements measurements;
    struct portolan_arena arena;
    struct portolan_index index; /* of items */
};

struct portolan_measurements *portolan_measurements_create(size_t n_params,
                                                           const char *const *params)
{
    struct collection *c = portolan_calloc(1, sizeof *c);
    struct portolan_measurements *m = c ? &c->measurements : NULL;

    if (!m)
        return NULL;
    m->impl = c;
    m->params = portolan_arena_alloc(&c->arena, n_params + EXTRAP_PARAMS, sizeof *m->params);
    for (size_t p = 0; m->params && p < n_params; p++)
        m->params[m->n_params++] = portolan_arena_strdup(&c->arena, params[p]);
    if (!c->arena.failed)
        return m;
    portolan_measurements_destroy(m);
    return NULL;
}

void portolan_measurements_destroy(struct portolan_measurements *m)
{
    struct collection *c = m ? m->impl : NULL;

    if (!c)
        return;
    portolan_arena_clear(&c->arena);
    portolan_index_clear(&c->index);
    free(c);
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

static struct portolan_measurement *add_item(struct portolan_measurements *m,
                                             const struct wanted *w, uint64_t hash)
{
    struct collection *c = m->impl;
    struct portolan_measurement item = {.callpath = portolan_arena_strdup(&c->arena, w->callpath),
                                        .metric = portolan_arena_strdup(&c->arena, w->metric)};
    struct portolan_measurement *items =
        portolan_arena_grow(&c->arena, m->items, m->n, sizeof *items);

    if (!item.callpath || !item.metric || !items || !portolan_index_add(&c->index, hash, m->n))
        return NULL;
    m->items = items;
    items[m->n] = item;
    return &items[m->n++];
}

struct portolan_measurement *portolan_measurements_item(struct portolan_measurements *m,
                                                        const char *callpath, const char *metric)
{
    const struct wanted wanted = {m, callpath, metric};
    const struct collection *c = m->impl;
    uint64_t hash =
        portolan_hash(metric, strlen(metric), portolan_hash(callpath, strlen(callpath), 0));
    size_t at = portolan_index_find(&c->index, hash, same_item, &wanted);

    return at != SIZE_MAX ? &m->items[at] : add_item(m, &wanted, hash);
}

bool portolan_measurements_add(struct portolan_measurements *m, struct portolan_measurement *item,
                               const double *x, double y)
{
    struct portolan_arena *arena = &((struct collection *)m->impl)->arena;
    size_t n = m->n_params;
    double *wider = portolan_arena_grow(arena, item->x, item->n_rows, n * sizeof *wider);
    double *longer = portolan_arena_grow(arena, item->y, item->n_rows, sizeof *longer);

    if (!wider || !longer)
        return false;
    item->x = wider;
    item->y = longer;
    memcpy(item->x + item->n_rows * n, x, n * sizeof *x);
    item->y[item->n_rows++] = y;
    return true;
}

/* ---- complaints ---- */

void collector_no_memory(void *arg)
{
    struct collector *c = arg;

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

/* ---- what readers add ---- */

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
    m->params[m->n_params] =
        portolan_arena_strndup(&((struct collection *)m->impl)->arena, name, length);
    if (!m->params[m->n_params])
        collector_no_memory(c);
    else
        m->n_params++;
    return NULL;
}

size_t collector_find(struct collector *c, const char *callpath, const char *metric)
{
    struct portolan_measurement *item =
        c->status ? NULL : portolan_measurements_item(c->m, callpath, metric);

    if (item)
        return (size_t)(item - c->m->items);
    collector_no_memory(c);
    return c->m->n;
}

bool collector_add_row(struct collector *c, size_t item, const double *x, double y)
{
    if (c->status)
        return false;
    if (portolan_measurements_add(c->m, &c->m->items[item], x, y))
        return true;
    collector_no_memory(c);
    return false;
}

/* ---- reading ---- */

/* The text form begins with one of its words, JSON with a bracket. */
bool portolan_measurements_are_in(const char *text)
{
    static const char *const words[] = {"PARAMETER", "POINTS", "METRIC",
                                        "REGION",    "DATA",   "EXPERIMENT"};

    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    while (*text == '#' || isspace((unsigned char)*text))
        text += *text == '#' ? strcspn(text, "\n") : 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(text, words[i], strlen(words[i])) &&
            isspace((unsigned char)text[strlen(words[i])]))
            return true;
    return *text == '{' || *text == '[';
}

static void read_form(struct collector *c, const char *text, size_t size)
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

    c.arena = (struct portolan_arena){.no_memory = collector_no_memory, .no_memory_arg = &c};
    if (size > PORTOLAN_MEASUREMENTS_MAX_BYTES)
        return formula_complain(&c.place, 0, 0, "measurements take at most %d bytes",
                                (int)PORTOLAN_MEASUREMENTS_MAX_BYTES);
    c.m = portolan_measurements_create(0, NULL);
    if (!c.m)
        collector_no_memory(&c);
    else
        read_form(&c, text, size);
    portolan_arena_clear(&c.arena);
    if (c.status)
        portolan_measurements_destroy(c.m);
    else
        *measurements = c.m;
    return c.status;
}
