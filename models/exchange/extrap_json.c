/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extra-P's JSON: the present form and JSON Lines; extrap_ids.c has the older one. The parser keeps
 * no positions, so complaints carry the way to the value, and the text is walked along it again.
 */
#include "extrap_json.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where a value stands: the text is known to be JSON ---- */

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

static void enter(struct cursor *c, const struct step *step)
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

bool walk_complain(struct json_walk *r, const char *format, ...)
{
    struct cursor cursor = {r->text, r->end};
    size_t line = r->first_line;
    const char *start = r->text;
    char text[400];
    va_list args;

    skip_blanks(&cursor);
    for (size_t i = 0; i < r->depth; i++)
        enter(&cursor, &r->way[i]);
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

bool walk_key(struct json_walk *r, const char *key)
{
    r->way[r->depth++] = (struct step){.key = key};
    return true;
}

bool walk_index(struct json_walk *r, size_t index)
{
    r->way[r->depth++] = (struct step){.index = index};
    return true;
}

/* ---- values ---- */

static bool is_number(json_t *value, double *number)
{
    if (json_is_string(value))
        return portolan_read_double(json_string_value(value), number) && isfinite(*number);
    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number);
}

bool walk_number(struct json_walk *r, json_t *value, double *number)
{
    return is_number(value, number) || walk_complain(r, "a finite number is expected here");
}

/* The member KEY of OBJECT; NULL after a complaint. On success the way leads to it. */
json_t *walk_member(struct json_walk *r, json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (!json_is_object(object))
        walk_complain(r, "an object with \"%s\" is expected here", key);
    else if (!value)
        walk_complain(r, "\"%s\" is missing in this object", key);
    else
        walk_key(r, key);
    return value;
}

json_t *walk_array(struct json_walk *r, json_t *object, const char *key)
{
    json_t *value = walk_member(r, object, key);

    if (value && !json_is_array(value)) {
        walk_complain(r, "\"%s\" is an array", key);
        return NULL;
    }
    return value;
}

const char *walk_text(struct json_walk *r, json_t *object, const char *key)
{
    json_t *value = walk_member(r, object, key);

    if (value && !json_is_string(value))
        walk_complain(r, "\"%s\" is a text", key);
    r->depth -= value != NULL;
    return json_string_value(value);
}

bool walk_param(struct json_walk *r, json_t *value)
{
    const char *name = json_string_value(value), *wrong;

    if (!name)
        return walk_complain(r, "a parameter is a text: its name");
    wrong = collector_add_param(r->c, name, strlen(name));
    return wrong ? walk_complain(r, "%s", wrong) : !r->c->status;
}

/* A number, or an array of some. */
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
        walk_index(r, i);
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
        return walk_complain(r, "a point has %zu coordinate%s, one for each parameter, not %zu", n,
                             n == 1 ? "" : "s", json_array_size(point));
    json_array_foreach(point, i, value)
    {
        walk_index(r, i);
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
        return walk_complain(r, "a metric has an array of measurements");
    if (!json_array_size(list))
        return true;
    item = collector_find(r->c, callpath, metric);
    json_array_foreach(list, i, measurement)
    {
        walk_index(r, i);
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
        walk_index(r, i);
        if (!walk_param(r, value))
            return false;
        r->depth--;
    }
    r->depth = 0;
    paths = walk_member(r, root, "measurements");
    if (!json_is_object(paths))
        return walk_complain(r, "\"measurements\" is an object of call paths");
    json_object_foreach(paths, callpath, metrics)
    {
        walk_key(r, callpath);
        if (!json_is_object(metrics))
            return walk_complain(r, "a call path is an object of metrics");
        json_object_foreach(metrics, metric, list)
        {
            walk_key(r, metric);
            if (!read_metric(r, callpath, metric, list))
                return false;
            r->depth--;
        }
        r->depth--;
    }
    return true;
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
        return walk_complain(r, "\"params\" is an object of names and values");
    if (!r->c->m->n_params && !first_params(r, params))
        return false;
    for (size_t p = 0; p < r->c->m->n_params; p++) {
        if (!(value = walk_member(r, params, r->c->m->params[p])) || !walk_number(r, value, &x[p]))
            return false;
        r->depth--;
    }
    if (json_object_size(params) != r->c->m->n_params)
        return walk_complain(r, "the parameters are those of the first line: %zu of them",
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

static json_t *load(struct json_walk *r)
{
    json_error_t error;
    json_t *root = json_loadb(r->text, (size_t)(r->end - r->text), JSON_REJECT_DUPLICATES, &error);

    if (root)
        return root;
    if (json_error_code(&error) == json_error_out_of_memory)
        collector_no_memory(r->c);
    else
        collector_complain(r->c, r->first_line + (size_t)(error.line > 1 ? error.line - 1 : 0),
                           error.column > 0 ? (size_t)error.column : 1, "this is no JSON: %s",
                           error.text);
    return NULL;
}

bool extrap_read_json(struct collector *c, const char *text, size_t size)
{
    struct json_walk r = {.c = c, .text = text, .end = text + size, .first_line = 1};
    json_t *root = load(&r);
    bool good = root != NULL;

    if (good && !json_is_object(root))
        good = walk_complain(
            &r, "measurements are an object: {\"parameters\": …, \"measurements\": …}");
    else if (good)
        good =
            json_object_get(root, "callpaths") ? extrap_read_ids(&r, root) : read_present(&r, root);
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
    const char *end = text + size, *stop = line_end(text, end);
    json_t *root;
    bool is;

    while (stop < end && is_blank(text, stop)) {
        text = stop + 1;
        stop = line_end(text, end);
    }
    root = json_loadb(text, (size_t)(stop - text), 0, NULL);
    is = root && (json_object_get(root, "params") || json_object_get(root, "value"));
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
        root = load(&r);
        good = root && read_measurement(&r, root);
        json_decref(root);
    }
    return good;
}
