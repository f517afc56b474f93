/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's measurements: the collection that all readers fill, and the reader of the text form. */
#include "extrap_internal.h"
#include "models_internal.h"

#include <portolan/index.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- measurements ---- */

/* The public measurements with the memory they point to and the index of their items. */
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

/* ---- additions by readers ---- */

const char *collector_add_param(struct collector *c, const char *name, size_t length)
{
    struct portolan_measurements *m = c->m;

    if (m->n_params == EXTRAP_PARAMS)
        return "measurements can have at most 8 parameters";
    if (!length || !text_is_utf8(name, length) || memchr(name, '\0', length))
        return "the name of a parameter must be UTF-8 text and not empty";
    for (size_t i = 0; i < length; i++)
        if (isspace((unsigned char)name[i]))
            return "the name of a parameter cannot contain blanks";
    for (size_t p = 0; p < m->n_params; p++)
        if (strncmp(m->params[p], name, length) == 0 && !m->params[p][length])
            return "this parameter is named twice";
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

/* ---- the text form: lines that begin with PARAMETER, POINTS, METRIC, REGION or DATA ---- */

struct reader {
    struct collector *c;
    const char *at, *end; /* of the line */
    const char *start;
    size_t line;
    double *points; /* × parameters */
    size_t n_points;
    char *callpath, *metric; /* of the last REGION and METRIC */
    size_t next;             /* point of the next DATA */
    size_t data_line;        /* line of the last DATA; 0 = none yet */
};

static bool complain_at(struct reader *r, const char *at, const char *what)
{
    return collector_complain(r->c, r->line, (size_t)(at - r->start) + 1, "%s", what);
}

/* The next word of the line; each SPECIAL character is a word. NULL at the end of the line. */
static const char *next_word(struct reader *r, const char *special, size_t *length)
{
    const char *from;

    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
    if (r->at == r->end)
        return NULL;
    from = r->at++;
    while (!strchr(special, *from) && r->at < r->end && !isspace((unsigned char)*r->at) &&
           !strchr(special, *r->at))
        r->at++;
    *length = (size_t)(r->at - from);
    return from;
}

static bool take_number(struct reader *r, const char *from, size_t length, double *number)
{
    char text[64];

    if (length < sizeof text) {
        memcpy(text, from, length);
        text[length] = '\0';
        if (portolan_read_double(text, number) && isfinite(*number))
            return true;
    }
    return collector_complain(r->c, r->line, (size_t)(from - r->start) + 1,
                              "\"%.*s\" is not a finite number", length < 40 ? (int)length : 40,
                              from);
}

/* ---- sections ---- */

static bool read_parameters(struct reader *r)
{
    size_t length, n = 0;
    const char *name, *wrong;

    if (r->n_points)
        return complain_at(r, r->start, "PARAMETER must come before the first POINTS");
    for (; (name = next_word(r, "", &length)); n++)
        if ((wrong = collector_add_param(r->c, name, length)))
            return complain_at(r, name, wrong);
    return n ? !r->c->status : complain_at(r, r->at, "a name is missing after PARAMETER");
}

static bool add_point(struct reader *r, const double *x)
{
    size_t n = r->c->m->n_params;

    double *points = portolan_arena_grow(&r->c->arena, r->points, r->n_points, n * sizeof *points);

    if (!points)
        return false;
    r->points = points;
    memcpy(points + r->n_points++ * n, x, n * sizeof *x);
    return true;
}

static bool end_point(struct reader *r, const char *at, const double *x, size_t n)
{
    if (n == r->c->m->n_params)
        return add_point(r, x);
    return collector_complain(r->c, r->line, (size_t)(at - r->start) + 1,
                              "a point must have %zu coordinate%s, one for each parameter, not %zu",
                              r->c->m->n_params, r->c->m->n_params > 1 ? "s" : "", n);
}

/* "(4 8) (4 16)", "((4)(8)) ((4)(16))", or for one parameter "4 8 16". */
static bool read_points(struct reader *r)
{
    size_t length, n = 0, before = r->n_points, depth = 0;
    const char *token, *begin = r->at;
    double x[EXTRAP_PARAMS + 1], number = 0;

    if (!r->c->m->n_params)
        return complain_at(r, r->start, "PARAMETER must come before POINTS");
    if (r->data_line)
        return complain_at(r, r->start, "all POINTS must come before the first DATA");
    while ((token = next_word(r, "()", &length))) {
        if (*token == '(') {
            if (depth++ == 0) {
                begin = token;
                n = 0;
            }
            if (depth > 2)
                return complain_at(r, token, "too many parentheses; write (4 8) (4 16)");
        } else if (*token == ')') {
            if (depth == 0)
                return complain_at(r, token, "this ) has no matching (");
            if (--depth == 0 && !end_point(r, begin, x, n))
                return false;
        } else {
            if (!take_number(r, token, length, &number))
                return false;
            x[n < EXTRAP_PARAMS ? n : EXTRAP_PARAMS] = number;
            n = depth ? n + 1 : 1;
            if (!depth && !end_point(r, token, &number, 1))
                return false;
        }
    }
    if (depth)
        return complain_at(r, r->at, "a ) is missing");
    return r->n_points > before || complain_at(r, r->at, "a point is missing after POINTS");
}

/* Checks that the region and metric have one DATA line per point. */
static bool end_data(struct reader *r)
{
    size_t next = r->next;

    r->next = 0;
    if (!next || next == r->n_points)
        return true;
    return collector_complain(r->c, r->data_line, 1,
                              "expected %zu DATA lines, one for each point, but found %zu",
                              r->n_points, next);
}

/* The rest of the line; several blanks become one. */
static bool read_name(struct reader *r, char **name)
{
    struct portolan_text text = {.arena = &r->c->arena};
    const char *from;
    size_t length;

    if (!end_data(r))
        return false;
    while ((from = next_word(r, "", &length))) {
        portolan_text_add(&text, text.length ? " " : "");
        portolan_text_add_bytes(&text, from, length);
    }
    portolan_text_take(&text, name, NULL);
    return !r->c->status;
}

static bool read_data(struct reader *r)
{
    const char *from;
    size_t item, length, n = 0;
    double y = 0;

    if (r->next == r->n_points)
        return complain_at(r, r->start,
                           r->n_points
                               ? "more DATA lines than points; write one line for each point"
                               : "POINTS must come before DATA");
    item = collector_find(r->c, r->callpath ? r->callpath : "", r->metric ? r->metric : "");
    for (; !r->c->status && (from = next_word(r, "", &length)); n++)
        if (!take_number(r, from, length, &y) ||
            !collector_add_row(r->c, item, r->points + r->next * r->c->m->n_params, y))
            return false;
    r->next++;
    r->data_line = r->line;
    return n ? !r->c->status : complain_at(r, r->at, "a value is missing after DATA");
}

static bool read_line(struct reader *r)
{
    static const char *const names[] = {"PARAMETER", "POINTS", "METRIC", "REGION", "DATA"};
    const char *from, *nearest;
    char name[16] = "";
    size_t length;

    if (*r->start == '#' || !(from = next_word(r, "", &length)))
        return true;
    memcpy(name, from, length < sizeof name ? length : sizeof name - 1);
    if (strcmp(name, "PARAMETER") == 0)
        return read_parameters(r);
    if (strcmp(name, "POINTS") == 0)
        return read_points(r);
    if (strcmp(name, "METRIC") == 0)
        return read_name(r, &r->metric);
    if (strcmp(name, "REGION") == 0)
        return read_name(r, &r->callpath);
    if (strcmp(name, "DATA") == 0)
        return read_data(r);
    nearest = portolan_nearest_word(name, names, 5);
    return collector_complain(
        r->c, r->line, (size_t)(from - r->start) + 1,
        "a line must begin with PARAMETER, POINTS, METRIC, REGION or DATA, not \"%.*s\"%s",
        length < 40 ? (int)length : 40, from, portolan_did_you_mean(nearest).text);
}

static bool read_text(struct collector *c, const char *text, size_t size)
{
    struct reader r = {.c = c};
    bool good = true;

    for (const char *end = text + size; good && text < end; text = r.end + (r.end < end)) {
        r.line++;
        r.start = r.at = text;
        r.end = memchr(text, '\n', (size_t)(end - text));
        if (!r.end)
            r.end = end;
        good = text_is_utf8(text, (size_t)(r.end - text)) &&
                       !memchr(text, '\0', (size_t)(r.end - text))
                   ? read_line(&r)
                   : complain_at(&r, text, "this line is not UTF-8 text");
    }
    return good && end_data(&r);
}

/* ---- reading ---- */

/* The text form begins with one of its keywords, JSON with a bracket. */
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

/* Talpas is one object per line, like JSON but with semicolons between its members. */
static bool is_talpas(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    bool quoted = false;

    if (!size || *text != '{')
        return false;
    for (const char *at = text; at < (end ? end : text + size); at++) {
        quoted ^= *at == '"' && at[-1] != '\\';
        if (*at == ';' && !quoted)
            return true;
    }
    return false;
}

const char *portolan_measurements_foreign_form(const char *text, size_t size)
{
    static const struct {
        size_t at;
        const char *sign, *form;
    } forms[] = {
        {0, "PK\3\4", "a zip archive, as experiments of Extra-P (.extra-p) are"},
        {257, "ustar", "a tar archive, as profiles of Cube (.cubex) are"},
        {0, "\037\213", "compressed by gzip"},
        {0, "\x89HDF", "HDF5"},
        {0, "SQLite format 3", "an SQLite database"},
        {0, "PAR1", "Parquet"},
        {0, "\177ELF", "a program"},
        {0, "<", "XML"},
        {0, "EXPERIMENT ", "an experiment of Extra-P 3"},
        {0, "{\"callpaths\"", "Extra-P's older JSON"},
        {0, "{\"params\"", "Extra-P's JSON Lines"},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(forms[i].sign);

        if (size >= forms[i].at + length && !memcmp(text + forms[i].at, forms[i].sign, length))
            return forms[i].form;
    }
    return is_talpas(text, size) ? "Talpas" : NULL;
}

static void read_form(struct collector *c, const char *text, size_t size)
{
    const char *foreign;
    size_t first = 0;

    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        size -= 3;
    }
    while (first < size && isspace((unsigned char)text[first]))
        first++;
    foreign = portolan_measurements_foreign_form(text, size);
    if (foreign)
        collector_complain(c, 1, 1,
                           "this is %s, which is not read; write a table of comma-separated "
                           "values, or Extra-P's text or JSON",
                           foreign);
    else if (first == size)
        collector_complain(c, 1, 1, "the file has no measurements");
    else if (text[first] != '{' && text[first] != '[')
        read_text(c, text, size);
    else
        extrap_read_json(c, text, size);
    for (size_t i = 0; i < c->m->n; i++)
        if (!c->m->items[i].n_rows)
            collector_complain(c, 1, 1, "call path \"%s\" has no value of metric \"%s\"",
                               c->m->items[i].callpath, c->m->items[i].metric);
    if (!c->m->n && !foreign)
        collector_complain(c, 1, 1, "the file has parameters, but no measurements");
}

enum portolan_status portolan_measurements_read(const char *text, size_t size, const char *file,
                                                struct portolan_diagnostics *diagnostics,
                                                struct portolan_measurements **measurements,
                                                struct portolan_error *err)
{
    struct collector c = {.place = {file ? file : "measurements", 1, 1, diagnostics, err}};

    c.arena = (struct portolan_arena){.no_memory = collector_no_memory, .no_memory_arg = &c};
    if (size > PORTOLAN_MEASUREMENTS_MAX_BYTES)
        return formula_complain(&c.place, 0, 0, "measurements can have at most %d bytes",
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
