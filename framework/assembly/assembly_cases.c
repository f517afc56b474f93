/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of an assembly: values that belong together, such as a file and what is in it. */
#include "assembly.h"

#include <string.h>

#include "value.h"

enum { CASES_MAX = 4096 };

struct reader {
    struct portolan_assembly *a;
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const struct xml_element *e;
};

static const char *file_of(const struct portolan_assembly *a)
{
    return a->cases_file ? a->cases_file : a->file;
}

#define CASES_FAULT(A, D, LINE, ...) portolan_diagnose(D, file_of(A), LINE, 0, __VA_ARGS__)

static void read_column(struct reader *r, const char *text,
                        struct portolan_assembly_case_column *column)
{
    const char *dot = strchr(text, '.');

    if (dot == text || (dot && !dot[1]) || !*text)
        CASES_FAULT(r->a, r->d, r->a->cases_line,
                    "column '%s' must have the form INSTANCE.PARAMETER, or be the name of a "
                    "context",
                    text);
    column->parameter = dot ? dot + 1 : text;
    column->instance = dot ? portolan_arena_strndup(r->arena, text, (size_t)(dot - text)) : NULL;
}

static void read_columns(struct reader *r, const struct portolan_csv *c)
{
    struct portolan_assembly *a = r->a;

    a->cases_line = c->line;
    a->case_columns = portolan_arena_alloc(r->arena, c->n_fields, sizeof *a->case_columns);
    for (size_t i = 0; a->case_columns && i < c->n_fields; i++)
        read_column(r, c->fields[i], &a->case_columns[a->n_case_columns++]);
}

static void read_case(struct reader *r, const struct portolan_csv *c)
{
    struct portolan_assembly *a = r->a;
    struct portolan_assembly_case *cases, *x;

    if (r->arena->failed)
        return; /* columns may be missing */
    if (c->n_fields != a->n_case_columns || a->n_cases == CASES_MAX) {
        if (a->n_cases == CASES_MAX)
            CASES_FAULT(r->a, r->d, c->line, "more than %d cases", (int)CASES_MAX);
        else
            CASES_FAULT(r->a, r->d, c->line, "%zu values, but there are %zu columns", c->n_fields,
                        a->n_case_columns);
        return;
    }
    if (!(cases = portolan_arena_grow(r->arena, a->cases, a->n_cases, sizeof *cases)))
        return;
    a->cases = cases;
    x = &cases[a->n_cases++];
    x->line = c->line;
    x->values = portolan_arena_alloc(r->arena, c->n_fields, sizeof *x->values);
    for (size_t i = 0; x->values && i < c->n_fields; i++)
        x->values[i] = c->fields[i];
}

/* The blank-separated words of an attribute. */
static void split_attribute(struct reader *r, const struct xml_element *e, const char *attribute,
                            struct portolan_csv *c)
{
    const char *text = xml_value(e, attribute);
    int before = r->d->count;

    *c = (struct portolan_csv){.arena = r->arena,
                               .d = r->d,
                               .file = r->a->file,
                               .separator = ' ',
                               .line = xml_attribute(e, attribute)->line - 1};
    portolan_csv_begin(c, text, strlen(text));
    portolan_csv_next(c);
    if (r->arena->failed)
        return;
    if ((!c->n_fields && r->d->count == before) || c->at < c->end)
        portolan_diagnose(r->d, r->a->file, e->line, 0,
                          "'%s' of <%s> must be one line of words with blanks between", attribute,
                          e->name);
}

static void read_inline(struct reader *r)
{
    struct portolan_csv c;

    split_attribute(r, r->e, "columns", &c);
    if (c.n_fields)
        read_columns(r, &c);
    for (const struct xml_element *e = NULL;
         r->a->case_columns && (e = xml_next(r->e, e, "case"));) {
        split_attribute(r, e, "values", &c);
        if (c.n_fields)
            read_case(r, &c);
    }
}

static void read_lines(struct reader *r, const struct portolan_text *bytes)
{
    struct portolan_csv c = {
        .arena = r->arena, .d = r->d, .file = r->a->cases_file, .separator = ',', .comment = '#'};
    int before = r->d->count;

    portolan_csv_begin(&c, bytes->bytes ? bytes->bytes : "", bytes->length);
    if (portolan_csv_next(&c))
        read_columns(r, &c);
    else if (r->d->count == before && !r->arena->failed)
        portolan_diagnose(r->d, c.file, 1, 0, "there is no line with the names of columns");
    while (portolan_csv_next(&c))
        read_case(r, &c);
}

/* The path is relative to the assembly's folder, like all files that the assembly names. */
static void read_file(struct reader *r, const char *name)
{
    struct portolan_text bytes = {.arena = r->arena};
    struct portolan_error err = {0};
    enum portolan_status status;

    if (!(r->a->cases_file = assembly_beside(r->a, r->arena, name)))
        return;
    status = xml_read_bytes(r->a->cases_file, &bytes, &err);
    if (status == PORTOLAN_OK)
        read_lines(r, &bytes);
    else if (status != PORTOLAN_ENOMEM)
        xml_complain(r->d, r->e, NULL, "%s", err.text);
    r->arena->failed |= status == PORTOLAN_ENOMEM;
}

void assembly_read_cases(struct portolan_assembly *a, struct portolan_arena *arena,
                         const struct xml_element *e, struct portolan_diagnostics *d)
{
    struct reader r = {a, arena, d, e};
    const char *file = xml_value(e, "file");

    if (!file == !xml_value(e, "columns") || (file && (!*file || e->children)))
        xml_complain(d, e, NULL,
                     "<cases> takes either 'columns', and a <case> for each, or the 'file' "
                     "that holds both");
    else if (file)
        read_file(&r, file);
    else
        read_inline(&r);
}

static bool is_same_column(const struct portolan_assembly_case_column *x, const char *instance,
                           const char *parameter)
{
    return !x->instance == !instance && !strcmp(x->parameter, parameter) &&
           (!instance || !strcmp(x->instance, instance));
}

static void check_column(const struct portolan_assembly *a, size_t k,
                         struct portolan_diagnostics *d)
{
    const struct portolan_assembly_case_column *x = &a->case_columns[k];
    const struct portolan_assembly_instance *i =
        x->instance ? portolan_assembly_peek_instance(a, x->instance) : NULL;
    const char *near = x->instance && !i ? assembly_nearest_instance(a, x->instance) : NULL;
    struct portolan_error err = {0};

    for (size_t j = 0; j < k; j++)
        if (is_same_column(&a->case_columns[j], x->instance, x->parameter))
            CASES_FAULT(a, d, a->cases_line, "there are two columns '%s%s%s'",
                        x->instance ? x->instance : "", x->instance ? "." : "", x->parameter);
    if (!x->instance)
        return;
    if (!i)
        CASES_FAULT(a, d, a->cases_line, "unknown instance '%s' in column '%s.%s'%s", x->instance,
                    x->instance, x->parameter, portolan_did_you_mean(near).text);
    else if (!assembly_any_parameter(i, x->parameter)) {
        assembly_unknown_parameter(i, x->parameter, &err);
        CASES_FAULT(a, d, a->cases_line,
                    "%s; a parameter that cases set needs a <parameter> with a start value",
                    err.text);
    }
    for (size_t j = 0; j < a->n_sweeps; j++)
        if (is_same_column(x, a->sweeps[j].instance, a->sweeps[j].parameter))
            portolan_diagnose(d, a->file, a->sweeps[j].line, 0,
                              "parameter '%s' of '%s' is set by the cases; remove it here or there",
                              x->parameter, x->instance);
}

static void check_value(const struct portolan_assembly *a, const struct portolan_assembly_case *c,
                        size_t k, struct portolan_diagnostics *d)
{
    const struct portolan_assembly_case_column *x = &a->case_columns[k];
    const struct portolan_assembly_instance *i =
        x->instance ? portolan_assembly_peek_instance(a, x->instance) : NULL;
    const struct portolan_assembly_parameter *p =
        i ? assembly_any_parameter(i, x->parameter) : NULL;
    double number;

    if (!x->instance && !portolan_read_double(c->values[k], &number))
        CASES_FAULT(a, d, c->line,
                    "value '%s' of context '%s' is not a finite number; a parameter is "
                    "written INSTANCE.%s",
                    c->values[k], x->parameter, x->parameter);
    else if (p && !value_fits(p->type, p->is_array, c->values[k]))
        CASES_FAULT(a, d, c->line, "value '%s' for parameter '%s' of '%s' is not %s", c->values[k],
                    x->parameter, x->instance, value_expected(p->type));
}

/* Returns whether both are the same text, or the same number. */
static bool is_same_value(const char *a, const char *b)
{
    double x, y;

    return !strcmp(a, b) ||
           (portolan_read_double(a, &x) && portolan_read_double(b, &y) && !(x < y || x > y));
}

static bool is_same_case(const struct portolan_assembly *a, const struct portolan_assembly_case *x,
                         const struct portolan_assembly_case *y)
{
    for (size_t k = 0; k < a->n_case_columns; k++)
        if (a->case_columns[k].instance && !is_same_value(x->values[k], y->values[k]))
            return false;
    return true;
}

void assembly_check_cases(const struct portolan_assembly *a, struct portolan_diagnostics *d)
{
    bool sets = false;

    if (!a->case_columns)
        return;
    for (size_t k = 0; k < a->n_case_columns; k++) {
        sets |= a->case_columns[k].instance != NULL;
        check_column(a, k, d);
    }
    if (!sets)
        CASES_FAULT(a, d, a->cases_line,
                    "no column is an INSTANCE.PARAMETER, so that cases set nothing");
    else if (!a->n_cases)
        CASES_FAULT(a, d, a->cases_line, "there is no case");
    for (size_t i = 0; i < a->n_cases; i++) {
        for (size_t k = 0; k < a->n_case_columns; k++)
            check_value(a, &a->cases[i], k, d);
        for (size_t j = 0; sets && j < i; j++)
            if (is_same_case(a, &a->cases[i], &a->cases[j])) {
                CASES_FAULT(a, d, a->cases[i].line,
                            "case '%s' has the parameters of the one on line %d",
                            portolan_assembly_case_name(a, i), a->cases[j].line);
                break;
            }
    }
}

const char *portolan_assembly_case_name(const struct portolan_assembly *a, size_t index)
{
    size_t k = 0;

    while (!a->case_columns[k].instance)
        k++;
    return a->cases[index].values[k];
}

static enum portolan_status unknown_case(const struct portolan_assembly *a, const char *name,
                                         struct portolan_error *err)
{
    const char *near = NULL;

    for (size_t i = 0; i < a->n_cases; i++)
        near = nearer_word(portolan_file_name(name), near,
                           portolan_file_name(portolan_assembly_case_name(a, i)));
    if (!a->n_cases)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "assembly '%s' lists no cases", a->name);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "assembly '%s' has no case '%s'%s", a->name,
                              name, portolan_did_you_mean(near).text);
}

enum portolan_status portolan_assembly_peek_case(const struct portolan_assembly *a,
                                                 const char *name, size_t *index,
                                                 struct portolan_error *err)
{
    size_t whole = 0, base = 0, at = SIZE_MAX;

    for (size_t i = 0; i < a->n_cases; i++) {
        const char *known = portolan_assembly_case_name(a, i);
        bool is_whole = !strcmp(known, name);

        base += !strcmp(portolan_file_name(known), name);
        if (is_whole || (!whole && !strcmp(portolan_file_name(known), name)))
            at = i;
        whole += is_whole;
    }
    if (at == SIZE_MAX)
        return unknown_case(a, name, err);
    if (whole > 1 || (!whole && base > 1))
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "'%s' matches %zu cases of assembly '%s'; set the parameters of one", name,
            whole > 1 ? whole : base, a->name);
    *index = at;
    return PORTOLAN_OK;
}

enum portolan_status portolan_assembly_set_case(struct portolan_assembly *a, size_t index,
                                                struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; status == PORTOLAN_OK && k < a->n_case_columns; k++)
        if (a->case_columns[k].instance)
            status =
                portolan_assembly_set(a, a->case_columns[k].instance, a->case_columns[k].parameter,
                                      a->cases[index].values[k], err);
    return status;
}

enum portolan_status portolan_assembly_keep_cases(struct portolan_assembly *a,
                                                  const size_t *indices, size_t n,
                                                  struct portolan_error *err)
{
    struct assembly_impl *impl = a->impl;
    struct portolan_assembly_case *kept = portolan_arena_alloc(&impl->arena, n, sizeof *kept);

    if (!kept)
        return portolan_no_memory(err);
    for (size_t i = 0; i < n; i++)
        kept[i] = a->cases[indices[i]];
    a->cases = kept;
    a->n_cases = n;
    return PORTOLAN_OK;
}
