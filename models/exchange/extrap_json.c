/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extra-P's JSON: the present form, the older one, and JSON Lines. The parser keeps no positions,
 * so the readers record the path to each value; a complaint follows it through the text again to
 * find line and column.
 */
#include "extrap_internal.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8 };

/* One step from a value to one inside it: a member's name, or a place in an array. */
struct step {
    const char *key;
    size_t index;
};

struct json_walk {
    struct collector *c;
    const char *text, *end;
    size_t first_line; /* of the text, from 1 */
    struct step way[DEEPEST];
    size_t depth;
};

/* ---- finding the position of a value in text that is known to be JSON ---- */

struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (isspace((unsigned char)*c->at) || *c->at == ',' || *c->at == ':'))
        c->at++;
}

static void skip_string(struct cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\')
            c->at++;
    c->at++;
}

static void skip_value(struct cursor *c)
{
    size_t depth = 0;

    do {
        skip_blanks(c);
        if (c->at >= c->end)
            return;
        if (*c->at == '"') {
            skip_string(c);
            continue;
        }
        if (*c->at == '{' || *c->at == '[')
            depth++;
        else if (*c->at == '}' || *c->at == ']')
            depth--;
        else
            while (c->at + 1 < c->end && !strchr(",:]} \t\r\n", c->at[1]))
                c->at++;
        c->at++;
    } while (depth);
}

static bool key_is(struct cursor *c, const char *key)
{
    const char *from = c->at;
    json_t *name;
    bool same;

    skip_string(c);
    name = json_loadb(from, (size_t)(c->at - from), JSON_DECODE_ANY, NULL);
    same = name && json_is_string(name) && strcmp(json_string_value(name), key) == 0;
    json_decref(name);
    return same;
}

static void enter_step(struct cursor *c, const struct step *step)
{
    skip_blanks(c);
    if (c->at >= c->end || (*c->at != '{' && *c->at != '['))
        return;
    c->at++;
    for (size_t i = 0; c->at < c->end; i++) {
        skip_blanks(c);
        if (c->at >= c->end || *c->at == '}' || *c->at == ']')
            return;
        if (step->key ? key_is(c, step->key) : i == step->index) {
            skip_blanks(c);
            return;
        }
        skip_value(c);
    }
}

/* Reports a problem of the value at the end of the path; returns false. */
PORTOLAN_PRINTF(2, 3)
static bool walk_complain(struct json_walk *r, const char *format, ...)
{
    struct cursor cursor = {r->text, r->end};
    size_t line = r->first_line;
    const char *start = r->text;
    char text[400];
    va_list args;

    skip_blanks(&cursor);
    for (size_t i = 0; i < r->depth; i++)
        enter_step(&cursor, &r->way[i]);
    for (const char *s = r->text; s < cursor.at && s < r->end; s++)
        if (*s == '\n') {
            line++;
            start = s + 1;
        }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return collector_complain(r->c, line, (size_t)(cursor.at - start) + 1, "%s", text);
}

/* Extends the path to member KEY or, if that is NULL, to INDEX; the caller resets R->depth. */
static void walk_in(struct json_walk *r, const char *key, size_t index)
{
    r->way[r->depth++] = (struct step){key, index};
}

/* ---- values ---- */

/* The finite number that VALUE is, or false after a complaint. */
static bool walk_number(struct json_walk *r, json_t *value, double *number)
{
    const char *text = json_string_value(value);
    bool good = text ? portolan_read_double(text, number) : json_is_number(value);

    if (!text)
        *number = json_number_value(value);
    return (good && isfinite(*number)) || walk_complain(r, "expected a finite number");
}

/* The member KEY of OBJECT, to which the path is extended; NULL after a complaint. */
static json_t *walk_member(struct json_walk *r, json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (!json_is_object(object))
        walk_complain(r, "expected an object with \"%s\"", key);
    else if (!value)
        walk_complain(r, "\"%s\" is missing in this object", key);
    else
        walk_in(r, key, 0);
    return value;
}

static json_t *walk_array(struct json_walk *r, json_t *object, const char *key)
{
    json_t *value = walk_member(r, object, key);

    if (value && !json_is_array(value)) {
        walk_complain(r, "\"%s\" must be an array", key);
        return NULL;
    }
    return value;
}

/* The text of member KEY; the path stays as it is. */
static const char *walk_text(struct json_walk *r, json_t *object, const char *key)
{
    json_t *value = walk_member(r, object, key);

    if (value && !json_is_string(value))
        walk_complain(r, "\"%s\" must be a string", key);
    r->depth -= value != NULL;
    return json_string_value(value);
}

/* Adds a parameter whose name is VALUE. */
static bool walk_param(struct json_walk *r, json_t *value)
{
    const char *name = json_string_value(value), *wrong;

    if (!name)
        return walk_complain(r, "a parameter must be a string, its name");
    wrong = collector_add_param(r->c, name, strlen(name));
    return wrong ? walk_complain(r, "%s", wrong) : !r->c->status;
}

/* VALUES is a number or an array of numbers. */
static bool add_values(struct json_walk *r, size_t item, const double *x, json_t *values)
{
    size_t i;
    json_t *value;
    double y = 0;

    if (!json_is_array(values))
        return walk_number(r, values, &y) && collector_add_row(r->c, item, x, y);
    if (!json_array_size(values))
        return walk_complain(r, "a value is missing");
    json_array_foreach(values, i, value)
    {
        walk_in(r, NULL, i);
        if (!walk_number(r, value, &y) || !collector_add_row(r->c, item, x, y))
            return false;
        r->depth--;
    }
    return true;
}

/* ---- the present form ---- */

static bool read_point(struct json_walk *r, size_t item, json_t *measurement)
{
    size_t depth = r->depth, i, n = r->c->m->n_params;
    json_t *point = walk_array(r, measurement, "point"), *value, *values;
    double x[EXTRAP_PARAMS];

    if (!point)
        return false;
    if (json_array_size(point) != n)
        return walk_complain(r,
                             "a point must have %zu coordinate%s, one for each parameter, not %zu",
                             n, n == 1 ? "" : "s", json_array_size(point));
    json_array_foreach(point, i, value)
    {
        walk_in(r, NULL, i);
        if (!walk_number(r, value, &x[i]))
            return false;
        r->depth--;
    }
    r->depth = depth;
    values = walk_member(r, measurement, "values");
    if (!values || !add_values(r, item, x, values))
        return false;
    r->depth = depth;
    return true;
}

static bool read_metric(struct json_walk *r, const char *callpath, const char *metric, json_t *list)
{
    size_t i, item;
    json_t *measurement;

    if (!json_is_array(list))
        return walk_complain(r, "a metric must have an array of measurements");
    if (!json_array_size(list))
        return true;
    item = collector_find(r->c, callpath, metric);
    json_array_foreach(list, i, measurement)
    {
        walk_in(r, NULL, i);
        if (r->c->status || !read_point(r, item, measurement))
            return false;
        r->depth--;
    }
    return true;
}

static bool read_present(struct json_walk *r, json_t *root)
{
    json_t *params = walk_array(r, root, "parameters"), *value, *paths, *metrics, *list;
    const char *callpath, *metric;
    size_t i;

    if (!params)
        return false;
    if (!json_array_size(params))
        return walk_complain(r, "a parameter is missing");
    json_array_foreach(params, i, value)
    {
        walk_in(r, NULL, i);
        if (!walk_param(r, value))
            return false;
        r->depth--;
    }
    r->depth = 0;
    paths = walk_member(r, root, "measurements");
    if (!json_is_object(paths))
        return walk_complain(r, "\"measurements\" must be an object of call paths");
    json_object_foreach(paths, callpath, metrics)
    {
        walk_in(r, callpath, 0);
        if (!json_is_object(metrics))
            return walk_complain(r, "a call path must be an object of metrics");
        json_object_foreach(metrics, metric, list)
        {
            walk_in(r, metric, 0);
            if (!read_metric(r, callpath, metric, list))
                return false;
            r->depth--;
        }
        r->depth--;
    }
    return true;
}

/* ---- the older form: tables of entries with ids, to which measurements refer ---- */

struct entry {
    double id;
    size_t index; /* in its array */
    json_t *value;
};

struct table {
    size_t n;
    struct entry *entries; /* ascending by id */
};

static int by_id(const void *a, const void *b)
{
    double i = ((const struct entry *)a)->id, j = ((const struct entry *)b)->id;

    return (i > j) - (i < j);
}

/* Checks that every entry has a name; adds the parameters. */
static bool read_names(struct json_walk *r, const char *key, const struct table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct entry *entry = &table->entries[i];

        r->depth = 0;
        walk_in(r, key, 0);
        walk_in(r, NULL, entry->index);
        if (!walk_text(r, entry->value, "name"))
            return false;
        walk_in(r, "name", 0);
        if (!strcmp(key, "parameters") && !walk_param(r, json_object_get(entry->value, "name")))
            return false;
    }
    return true;
}

static bool read_table(struct json_walk *r, json_t *root, const char *key, bool named,
                       struct table *table)
{
    json_t *array, *value;
    size_t i;

    r->depth = 0;
    if (!(array = walk_array(r, root, key)) ||
        !(table->entries =
              portolan_arena_alloc(&r->c->arena, json_array_size(array), sizeof *table->entries)))
        return false;
    json_array_foreach(array, i, value)
    {
        struct entry *entry = &table->entries[table->n++];
        json_t *id;

        walk_in(r, NULL, i);
        if (!(id = walk_member(r, value, "id")) || !walk_number(r, id, &entry->id))
            return false;
        entry->index = i;
        entry->value = value;
        r->depth -= 2;
    }
    qsort(table->entries, table->n, sizeof *table->entries, by_id);
    for (i = 1; i < table->n; i++)
        if (table->entries[i].id == table->entries[i - 1].id) {
            walk_in(r, NULL, table->entries[i].index);
            return walk_complain(r, "two entries of \"%s\" have the id %g", key,
                                 table->entries[i].id);
        }
    return !named || read_names(r, key, table);
}

/* The entry that the member KEY of OBJECT refers to. */
static const struct entry *find_referred(struct json_walk *r, json_t *object, const char *key,
                                         const struct table *table)
{
    struct entry wanted = {0};
    const struct entry *found;
    json_t *id = walk_member(r, object, key);

    if (!id || !walk_number(r, id, &wanted.id))
        return NULL;
    found = bsearch(&wanted, table->entries, table->n, sizeof wanted, by_id);
    if (!found)
        walk_complain(r, "no entry has this id");
    r->depth--;
    return found;
}

struct legacy {
    struct table params, paths, metrics, coordinates;
    double *x; /* parameter values of the coordinates, in the order of their table */
};

static bool read_coordinate(struct json_walk *r, const struct legacy *l, const struct entry *entry,
                            double *x)
{
    size_t i, n = r->c->m->n_params;
    json_t *pairs, *pair, *value;
    unsigned seen = 0;

    r->depth = 0;
    walk_in(r, "coordinates", 0);
    walk_in(r, NULL, entry->index);
    if (!(pairs = walk_array(r, entry->value, "parameter_value_pairs")))
        return false;
    json_array_foreach(pairs, i, pair)
    {
        const struct entry *param;

        walk_in(r, NULL, i);
        if (!(param = find_referred(r, pair, "parameter_id", &l->params)) ||
            !(value = walk_member(r, pair, "parameter_value")) ||
            !walk_number(r, value, &x[param - l->params.entries]))
            return false;
        seen |= 1u << (param - l->params.entries);
        r->depth -= 2;
    }
    if (json_array_size(pairs) == n && seen == (1u << n) - 1)
        return true;
    return walk_complain(r, "a coordinate must have one value for each of the %zu parameters", n);
}

static bool read_values(struct json_walk *r, json_t *root, const struct legacy *l)
{
    json_t *array, *value, *number;
    size_t i, n = r->c->m->n_params;
    double y = 0;

    r->depth = 0;
    if (!(array = walk_array(r, root, "measurements")))
        return false;
    json_array_foreach(array, i, value)
    {
        const struct entry *path, *metric, *coordinate;

        walk_in(r, NULL, i);
        if (!(path = find_referred(r, value, "callpath_id", &l->paths)) ||
            !(metric = find_referred(r, value, "metric_id", &l->metrics)) ||
            !(coordinate = find_referred(r, value, "coordinate_id", &l->coordinates)) ||
            !(number = walk_member(r, value, "value")) || !walk_number(r, number, &y) ||
            !collector_add_row(
                r->c,
                collector_find(r->c, json_string_value(json_object_get(path->value, "name")),
                               json_string_value(json_object_get(metric->value, "name"))),
                l->x + (size_t)(coordinate - l->coordinates.entries) * n, y))
            return false;
        r->depth -= 2;
    }
    return true;
}

static bool read_older(struct json_walk *r, json_t *root)
{
    struct legacy l = {.x = NULL};
    size_t n;

    if (!read_table(r, root, "parameters", true, &l.params) ||
        !read_table(r, root, "callpaths", true, &l.paths) ||
        !read_table(r, root, "metrics", true, &l.metrics) ||
        !read_table(r, root, "coordinates", false, &l.coordinates))
        return false;
    if (!(n = r->c->m->n_params)) {
        r->depth = 0;
        return walk_complain(r, "a parameter is missing");
    }
    if (!(l.x = portolan_arena_alloc(&r->c->arena, l.coordinates.n, n * sizeof *l.x)))
        return false;
    for (size_t i = 0; i < l.coordinates.n; i++)
        if (!read_coordinate(r, &l, &l.coordinates.entries[i], l.x + i * n))
            return false;
    return read_values(r, root, &l);
}

/* ---- JSON Lines ---- */

static bool first_params(struct json_walk *r, json_t *params)
{
    const char *name, *wrong;
    json_t *value;

    json_object_foreach(params, name, value)
    {
        if ((wrong = collector_add_param(r->c, name, strlen(name))))
            return walk_complain(r, "%s", wrong);
    }
    if (r->c->m->n_params)
        return !r->c->status;
    return walk_complain(r, "a parameter is missing");
}

static bool read_measurement(struct json_walk *r, json_t *root)
{
    json_t *params = walk_member(r, root, "params"), *value;
    const char *callpath = "<root>", *metric = "<default>";
    double x[EXTRAP_PARAMS];
    size_t item;

    if (!params)
        return false;
    if (!json_is_object(params))
        return walk_complain(r, "\"params\" must be an object of names and values");
    if (!r->c->m->n_params && !first_params(r, params))
        return false;
    for (size_t p = 0; p < r->c->m->n_params; p++) {
        if (!(value = walk_member(r, params, r->c->m->params[p])) || !walk_number(r, value, &x[p]))
            return false;
        r->depth--;
    }
    if (json_object_size(params) != r->c->m->n_params)
        return walk_complain(r, "the parameters must be the %zu parameters of the first line",
                             r->c->m->n_params);
    r->depth = 0;
    if (json_object_get(root, "callpath") && !(callpath = walk_text(r, root, "callpath")))
        return false;
    if (json_object_get(root, "metric") && !(metric = walk_text(r, root, "metric")))
        return false;
    if (!(value = walk_member(r, root, "value")))
        return false;
    item = collector_find(r->c, callpath, metric);
    return !r->c->status && add_values(r, item, x, value);
}

/* ---- the text ---- */

static json_t *load_text(struct json_walk *r)
{
    json_error_t error;
    json_t *root = json_loadb(r->text, (size_t)(r->end - r->text), JSON_REJECT_DUPLICATES, &error);

    if (root)
        return root;
    if (json_error_code(&error) == json_error_out_of_memory)
        collector_no_memory(r->c);
    else
        collector_complain(r->c, r->first_line + (size_t)(error.line > 1 ? error.line - 1 : 0),
                           error.column > 0 ? (size_t)error.column : 1, "this is not JSON: %s",
                           error.text);
    return NULL;
}

bool extrap_read_json(struct collector *c, const char *text, size_t size)
{
    struct json_walk r = {.c = c, .text = text, .end = text + size, .first_line = 1};
    json_t *root = load_text(&r);
    bool good = root != NULL;

    if (good && !json_is_object(root))
        good = walk_complain(
            &r, "measurements must be an object: {\"parameters\": …, \"measurements\": …}");
    else if (good)
        good = json_object_get(root, "callpaths") ? read_older(&r, root) : read_present(&r, root);
    json_decref(root);
    return good;
}

static const char *line_end(const char *text, const char *end)
{
    const char *at = memchr(text, '\n', (size_t)(end - text));

    return at ? at : end;
}

static bool is_blank(const char *text, const char *end)
{
    while (text < end && isspace((unsigned char)*text))
        text++;
    return text == end;
}

bool extrap_is_lines(const char *text, size_t size)
{
    size_t length = (size_t)(line_end(text, text + size) - text);
    json_t *root = json_loadb(text, length, 0, NULL);
    bool is = root && (json_object_get(root, "params") || json_object_get(root, "value"));

    json_decref(root);
    return is;
}

bool extrap_read_lines(struct collector *c, const char *text, size_t size)
{
    struct json_walk r = {.c = c, .text = text};
    const char *end = text + size;
    bool good = true;

    for (; good && r.text < end; r.text = r.end + (r.end < end)) {
        json_t *root;

        r.first_line++;
        r.end = line_end(r.text, end);
        r.depth = 0;
        if (is_blank(r.text, r.end))
            continue;
        root = load_text(&r);
        good = root && read_measurement(&r, root);
        json_decref(root);
    }
    return good;
}
