/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extra-P's JSON. The parser keeps no positions, so the reader records the path to each value; a
 * complaint follows it through the text again to find line and column.
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
    size_t line = 1;
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

/* ---- measurements ---- */

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

static bool read_measurements(struct json_walk *r, json_t *root)
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
        collector_complain(r->c, error.line > 0 ? (size_t)error.line : 1,
                           error.column > 0 ? (size_t)error.column : 1, "this is not JSON: %s",
                           error.text);
    return NULL;
}

bool extrap_read_json(struct collector *c, const char *text, size_t size)
{
    struct json_walk r = {.c = c, .text = text, .end = text + size};
    json_t *root = load_text(&r);
    bool good = root != NULL;

    if (good && !json_is_object(root))
        good = walk_complain(
            &r, "measurements must be an object: {\"parameters\": …, \"measurements\": …}");
    else if (good)
        good = read_measurements(&r, root);
    json_decref(root);
    return good;
}
