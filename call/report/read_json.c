/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON form, read by jansson. */
#include "internal.h"

#include <jansson.h>
#include <string.h>

struct json_reader {
    struct report_reader *r;
    const char *at, *end; /* the rest of the text, from the current experiment on */
    int line;             /* of AT */
};

/* ------------------------------------------------------------------ lines */

/* The functions below work on valid JSON. P is at a value, or at the space before it. */
static const char *skip_space(const struct json_reader *j, const char *p)
{
    while (p < j->end && strchr(" \t\r\n,:", *p))
        p++;
    return p;
}

static const char *skip_string(const struct json_reader *j, const char *p)
{
    for (p++; p < j->end && *p != '"'; p++)
        p += *p == '\\';
    return p < j->end ? p + 1 : j->end;
}

static const char *skip_value(const struct json_reader *j, const char *p)
{
    int depth = 0;

    do {
        p = skip_space(j, p);
        if (p >= j->end)
            return j->end;
        depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
        if (*p == '"')
            p = skip_string(j, p);
        else if (strchr("[]{}", *p))
            p++;
        else
            while (p < j->end && !strchr(" \t\r\n,:[]{}", *p))
                p++;
    } while (depth > 0);
    return p;
}

/* The value of member NAME of the object at P, or P when there is none. */
static const char *find_member(const struct json_reader *j, const char *p, const char *name)
{
    const char *object = p = skip_space(j, p);
    size_t length = strlen(name);

    for (p++; (p = skip_space(j, p)) < j->end && *p == '"'; p = skip_value(j, p)) {
        const char *key = p + 1;

        p = skip_space(j, skip_string(j, p));
        if ((size_t)(j->end - key) > length && !memcmp(key, name, length) && key[length] == '"')
            return p;
    }
    return object;
}

static const char *find_item(const struct json_reader *j, const char *p, size_t index)
{
    p = skip_space(j, p);
    if (p >= j->end || *p != '[')
        return p;
    for (p = skip_space(j, p + 1); index > 0 && p < j->end && *p != ']'; index--)
        p = skip_space(j, skip_value(j, p));
    return p;
}

static int line_of(const struct json_reader *j, const char *p)
{
    int line = j->line;

    for (const char *c = j->at; c < p && c < j->end; c++)
        line += *c == '\n';
    return line;
}

static void move_to(struct json_reader *j, const char *p)
{
    j->line = line_of(j, p);
    j->at = p;
}

/* The line of the current experiment or, if given, of its MEMBER and of item INDEX in that. */
static int json_line(const struct json_reader *j, const char *member, size_t index)
{
    const char *p = j->at;

    if (member)
        p = find_member(j, p, member);
    if (index != SIZE_MAX)
        p = find_item(j, p, index);
    return line_of(j, p);
}

/* ------------------------------------------------------------------ experiments */

/* Joins the items of VALUE, which may be a single one, with blanks; the caller clears OUT. */
static bool join_items(struct report_reader *r, int line, const char *name, const json_t *value,
                       bool numbers, struct portolan_text *out)
{
    bool is_list = json_is_array(value);
    size_t n = is_list ? json_array_size(value) : 1;

    for (size_t i = 0; i < n; i++) {
        const json_t *item = is_list ? json_array_get(value, i) : value;
        const char *text = json_string_value(item);

        if (numbers && json_is_number(item))
            portolan_text_add(out, i ? " %.17g" : "%.17g", json_number_value(item));
        else if (!text)
            return report_complain(r, line, "%s is no array of %s", name,
                                   numbers ? "numbers" : "strings");
        else if (is_list && strpbrk(text, " \t,"))
            return report_complain(r, line, "'%.80s' has a blank or comma, which no name has",
                                   text);
        else
            portolan_text_add(out, i ? " %s" : "%s", text);
    }
    return !out->failed || report_no_memory(r);
}

static bool read_member(const struct json_reader *j, struct portolan_cll_sample *s,
                        const char *name, const json_t *value)
{
    struct report_reader *r = j->r;
    int line = json_line(j, name, SIZE_MAX);
    enum report_kind kind = report_kind_of(name);
    struct portolan_text list = {0};
    bool good;

    if (kind == REPORT_DERIVED)
        return true;
    if (kind == REPORT_TEXT)
        return json_is_string(value) ? report_set(r, line, s, name, json_string_value(value))
                                     : report_complain(r, line, "%s is no string", name);
    good = join_items(r, line, name, value, kind == REPORT_NUMBERS, &list) &&
           report_set(r, line, s, name, list.bytes ? list.bytes : "");
    portolan_text_clear(&list);
    return good;
}

static bool read_cell(const json_t *cell, double *value)
{
    if (json_is_number(cell))
        *value = json_number_value(cell);
    else if (json_is_null(cell))
        *value = __builtin_nan("");
    else
        return json_is_string(cell) && report_read_number(json_string_value(cell), value);
    return true;
}

/* Searches for the line of row INDEX only when there is a complaint. */
static bool complain_of_row(const struct json_reader *j, const struct portolan_cll_sample *s,
                            size_t index, const char *what)
{
    return report_complain(j->r, json_line(j, "sample", index), "row %zu of '%s' %s", index + 1,
                           s->name, what);
}

static bool read_row(const struct json_reader *j, struct portolan_cll_sample *s, size_t index,
                     const json_t *cells)
{
    size_t columns = portolan_cll_sample_columns(s);
    double *row;

    if (!json_is_array(cells) || json_array_size(cells) != columns)
        return complain_of_row(j, s, index, "has not as many numbers as there are headers");
    row = portolan_cll_sample_add_rows(s, 1);
    if (!row)
        return report_no_memory(j->r);
    for (size_t i = 0; i < columns; i++)
        if (!read_cell(json_array_get(cells, i), &row[i]))
            return complain_of_row(j, s, index, "has an item that is no number");
    return report_row_is_process(row) ||
           complain_of_row(j, s, index,
                           "is of no process, which are numbered from 0 and fewer "
                           "than NCPUS");
}

static bool read_table(const struct json_reader *j, const json_t *experiment,
                       struct portolan_cll_sample *s)
{
    const json_t *sample = json_object_get(experiment, "sample"), *row;
    struct portolan_text columns = {0};
    int line = json_line(j, "headers", SIZE_MAX);
    bool good = join_items(j->r, line, "headers", json_object_get(experiment, "headers"), false,
                           &columns) &&
                report_set_columns(j->r, line, s, columns.bytes ? columns.bytes : "");
    size_t i;

    portolan_text_clear(&columns);
    if (!good)
        return false;
    if (!json_is_array(sample))
        return report_complain(j->r, json_line(j, NULL, SIZE_MAX),
                               "experiment '%s' has no array \"sample\"", s->name);
    json_array_foreach(sample, i, row) if (!read_row(j, s, i, row)) return false;
    return true;
}

static bool read_experiment(const struct json_reader *j, json_t *experiment)
{
    struct portolan_cll_sample s = {0};
    const char *name;
    json_t *value;
    bool good = true;

    if (!json_is_object(experiment))
        return report_complain(j->r, json_line(j, NULL, SIZE_MAX), "cll_experiment is no object");
    json_object_foreach(experiment, name, value) good = good && read_member(j, &s, name, value);
    good = good && read_table(j, experiment, &s) && report_take_sample(j->r, &s);
    report_sample_clear(&s);
    return good;
}

/* ------------------------------------------------------------------ the object */

static bool read_header(struct report_reader *r, const char *name, const json_t *value)
{
    const json_t *item;
    size_t i;

    if (json_is_string(value))
        return report_take_header(r, 0, name, json_string_value(value));
    if (json_is_array(value)) {
        json_array_foreach(value, i,
                           item) if (!json_is_string(item) || !read_header(r, name, item)) break;
        if (i == json_array_size(value))
            return true;
    }
    return r->failed ? false
                     : report_complain(r, 0, "%s is neither a string nor an array of them", name);
}

static bool read_root(struct json_reader *j, json_t *root)
{
    json_t *experiments = json_object_get(root, "cll_experiment"), *value;
    const char *name;
    size_t i;

    if (!json_is_object(experiments) && !json_is_array(experiments))
        return report_complain(j->r, 1,
                               "there is no \"cll_experiment\", as in reports of CALL's "
                               "run time");
    json_object_foreach(root, name, value) if (value != experiments &&
                                               !read_header(j->r, name, value)) return false;
    move_to(j, find_member(j, j->at, "cll_experiment"));
    if (json_is_object(experiments))
        return read_experiment(j, experiments);
    move_to(j, find_item(j, j->at, 0));
    json_array_foreach(experiments, i, value)
    {
        if (!read_experiment(j, value))
            return false;
        move_to(j, skip_space(j, skip_value(j, j->at)));
    }
    return true;
}

bool report_read_json(struct report_reader *r, const char *text, size_t size)
{
    struct json_reader j = {.r = r, .at = text, .end = text + size, .line = 1};
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_DECODE_INT_AS_REAL, &error);
    bool good;

    if (!root)
        return json_error_code(&error) == json_error_out_of_memory
                   ? report_no_memory(r)
                   : report_complain(r, error.line, "%s", error.text);
    good = json_is_object(root) ? read_root(&j, root)
                                : report_complain(r, 1, "a report is one object");
    json_decref(root);
    return good;
}
