/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports as text and as JSON. Both have the same members in the same order; what differs is how a
 * member, a list and a row of the table are written.
 */
#include "internal.h"

#include <portolan/formula.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    struct report_sink *sink;
    struct portolan_text *out; /* the sink's */
    bool is_json;
};

/* ------------------------------------------------------------------ pieces */

#define PIECE 65536

void report_sink_drain(struct report_sink *sink, bool all)
{
    struct portolan_text *t = &sink->text;

    if (sink->fd < 0 || !t->bytes || (!all && t->length < PIECE))
        return;
    errno = 0;
    if (!sink->error && !portolan_write_all(sink->fd, t->bytes, t->length))
        sink->error = errno ? errno : EIO;
    t->length = 0;
    t->bytes[0] = '\0';
}

/* 17 digits at most, as few as read back the same. JSON has no words for what is no number. */
static void add_number(struct writer *w, double value)
{
    char text[32];
    int digits = 15;

    if (isnan(value)) {
        portolan_text_add(w->out, w->is_json ? "null" : "nan");
    } else if (isinf(value)) {
        portolan_text_add(w->out, w->is_json ? "\"%s\"" : "%s", value < 0 ? "-inf" : "inf");
    } else if (fabs(value) < 1e15 && value == (double)(long long)value &&
               (value != 0 || !signbit(value))) {
        portolan_text_add(w->out, "%lld", (long long)value);
    } else {
        do
            snprintf(text, sizeof text, "%.*g", digits, value);
        while (strtod(text, NULL) != value && digits++ < 17);
        portolan_text_add(w->out, "%s", text);
    }
}

/* In text a value is a line's worth: what breaks lines is a space. */
static void add_text(struct writer *w, const char *value)
{
    if (w->is_json) {
        portolan_text_add_json(w->out, value);
        return;
    }
    for (; *value; value++) {
        char c = *value == '\n' || *value == '\r' ? ' ' : *value;

        portolan_text_add_bytes(w->out, &c, 1);
    }
}

/* ------------------------------------------------------------------ members */

/* EXPERIMENT is the first. */
static void begin_member(struct writer *w, const char *name)
{
    if (!w->is_json)
        portolan_text_add(w->out, "%s:", name);
    else
        portolan_text_add(w->out, "%s\n  \"%s\": ", strcmp(name, "EXPERIMENT") ? "," : "{", name);
}

static void end_member(struct writer *w)
{
    portolan_text_add(w->out, w->is_json ? "" : "\n");
}

/* VALUE NULL: there is no such member. */
static void write_text(struct writer *w, const char *name, const char *value)
{
    if (!value)
        return;
    begin_member(w, name);
    portolan_text_add(w->out, w->is_json ? "" : " ");
    add_text(w, value);
    end_member(w);
}

static void write_count(struct writer *w, const char *name, size_t count)
{
    begin_member(w, name);
    portolan_text_add(w->out, w->is_json ? "%zu" : " %zu", count);
    end_member(w);
}

/* What stands before item I of a list; SEPARATOR: in text. */
static void begin_item(struct writer *w, size_t i, const char *separator)
{
    if (w->is_json)
        portolan_text_add(w->out, i ? ", " : "[");
    else
        portolan_text_add(w->out, "%s ", i ? separator : "");
}

static void end_list(struct writer *w, size_t n)
{
    portolan_text_add(w->out, !w->is_json ? "" : n ? "]" : "[]");
    end_member(w);
}

static void write_words(struct writer *w, const char *name, char *const *words, size_t n,
                        const char *separator)
{
    begin_member(w, name);
    for (size_t i = 0; i < n; i++) {
        begin_item(w, i, separator);
        add_text(w, words[i]);
    }
    end_list(w, n);
}

static void write_numbers(struct writer *w, const char *name, const unsigned *numbers, size_t n)
{
    begin_member(w, name);
    for (size_t i = 0; i < n; i++) {
        begin_item(w, i, "");
        portolan_text_add(w->out, "%u", numbers[i]);
    }
    end_list(w, n);
}

/* ------------------------------------------------------------------ formulas */

/* What is derived from a formula; all NULL when it is none that can be read. */
struct derived {
    char *postfix;
    size_t n_components;
    char **components, **postfix_components;
};

/* In the order of the constants; terms may be written in another. */
static enum portolan_status derive_components(const struct portolan_formula_sum *sum,
                                              struct derived *d)
{
    enum portolan_status status = PORTOLAN_OK;

    d->components = portolan_calloc(sum->n_terms + 1, sizeof *d->components);
    d->postfix_components = portolan_calloc(sum->n_terms + 1, sizeof *d->postfix_components);
    if (!d->components || !d->postfix_components)
        return PORTOLAN_ENOMEM;
    d->n_components = sum->n_terms;
    for (size_t i = 0; i < sum->n_terms && status == PORTOLAN_OK; i++) {
        const struct portolan_formula_term *term = &sum->terms[i];

        status = portolan_formula_write(term->expression, PORTOLAN_NOTATION_INFIX,
                                        &d->components[term->index], NULL);
        if (status == PORTOLAN_OK)
            status = portolan_formula_write(term->expression, PORTOLAN_NOTATION_POSTFIX,
                                            &d->postfix_components[term->index], NULL);
    }
    return status;
}

static void clear_derived(struct derived *d)
{
    report_free_words(d->components, d->n_components);
    report_free_words(d->postfix_components, d->n_components);
    free(d->postfix);
    *d = (struct derived){0};
}

/* False: out of memory. */
static bool derive(const struct portolan_cll_sample *s, struct derived *d)
{
    struct portolan_formula *formula = NULL;
    struct portolan_formula_sum sum = {0};
    enum portolan_status status;

    if (!s->formula)
        return true;
    status =
        portolan_formula_parse(s->formula, strlen(s->formula), s->name, 1, 1, NULL, &formula, NULL);
    if (status == PORTOLAN_OK)
        status = portolan_formula_write(formula, PORTOLAN_NOTATION_POSTFIX, &d->postfix, NULL);
    if (status == PORTOLAN_OK)
        status = portolan_formula_split(formula, s->name, 1, 1, NULL, &sum, NULL);
    if (status == PORTOLAN_OK)
        status = derive_components(&sum, d);
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(formula);
    if (status == PORTOLAN_ENOMEM)
        clear_derived(d);
    return status != PORTOLAN_ENOMEM; /* one that cannot be read has none of this */
}

static void write_formula(struct writer *w, const struct portolan_cll_sample *s)
{
    struct derived d = {0};
    char name[40];

    if (!derive(s, &d))
        w->out->failed = true;
    write_text(w, "FORMULA", d.postfix);
    write_text(w, "INFORMULA", s->formula);
    write_count(w, "MAXTESTS", s->n_rows);
    write_count(w, "DIMENSION", s->n_constants);
    if (d.n_components > 0)
        write_words(w, "COMPONENTS", d.components, d.n_components, ";");
    if (d.n_components > 0 && w->is_json)
        write_words(w, "POSTFIX_COMPONENTS", d.postfix_components, d.n_components, "");
    for (size_t i = 0; i < d.n_components && !w->is_json; i++) {
        snprintf(name, sizeof name, "POSTFIX_COMPONENT_%zu", i);
        write_text(w, name, d.postfix_components[i]);
    }
    clear_derived(&d);
}

/* ------------------------------------------------------------------ experiments */

/* More processes than that are no processes. */
#define MAX_PROCESSES (1 << 22)

/* How many rows each process gave. */
static void write_tests(struct writer *w, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s), n = 0;
    unsigned *tests;

    for (size_t i = 0; i < s->n_rows; i++) {
        double cpu = s->rows[i * columns];

        if (cpu >= 0 && cpu < MAX_PROCESSES && (size_t)cpu >= n)
            n = (size_t)cpu + 1;
    }
    tests = portolan_calloc(n + 1, sizeof *tests);
    if (!tests) {
        w->out->failed = true;
        return;
    }
    for (size_t i = 0; i < s->n_rows; i++) {
        double cpu = s->rows[i * columns];

        if (cpu >= 0 && cpu < MAX_PROCESSES)
            tests[(size_t)cpu]++;
    }
    write_numbers(w, "NUMTESTS", tests, n);
    free(tests);
}

static void write_table(struct writer *w, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s), n = s->n_identifiers;

    portolan_text_add(w->out,
                      w->is_json ? ",\n  \"headers\": [\"CPU\", \"NCPUS\"" : "SAMPLE:\nCPU NCPUS");
    for (size_t i = 0; i < n + s->n_observables; i++) {
        portolan_text_add(w->out, w->is_json ? ", " : " ");
        add_text(w, i < n ? s->identifiers[i] : s->observables[i - n]);
    }
    portolan_text_add(w->out, w->is_json ? "],\n  \"sample\": [" : "\n");
    for (size_t i = 0; i < s->n_rows; i++) {
        if (w->is_json)
            portolan_text_add(w->out, i ? ",\n    [" : "\n    [");
        for (size_t k = 0; k < columns; k++) {
            portolan_text_add(w->out, !k ? "" : w->is_json ? ", " : " ");
            add_number(w, s->rows[i * columns + k]);
        }
        portolan_text_add(w->out, w->is_json ? "]" : "\n");
        report_sink_drain(w->sink, false);
    }
    if (w->is_json)
        portolan_text_add(w->out, s->n_rows ? "\n  ]}" : "]}");
}

static void write_experiment(struct writer *w, const struct portolan_cll_sample *s)
{
    write_text(w, "EXPERIMENT", s->name);
    write_text(w, "FILE", s->file);
    write_numbers(w, "BEGIN_LINE", s->begin_lines, s->n_begin);
    write_numbers(w, "END_LINE", s->end_lines, s->n_end);
    write_formula(w, s);
    write_count(w, "NUMIDENTS", s->n_identifiers);
    write_words(w, "IDENTS", s->identifiers, s->n_identifiers, "");
    write_words(w, "OBSERVABLES", s->observables, s->n_observables, "");
    write_tests(w, s);
    write_table(w, s);
}

/* ------------------------------------------------------------------ the whole */

static bool occurs(const struct portolan_cll_report *report, const char *name, size_t from,
                   size_t to)
{
    while (from < to && strcmp(report->headers[from].name, name) != 0)
        from++;
    return from < to;
}

/* In JSON a header that occurs several times is an array. */
static void write_json_headers(struct writer *w, const struct portolan_cll_report *report)
{
    size_t n = report->n_headers;

    for (size_t i = 0; i < n; i++) {
        const char *name = report->headers[i].name;
        bool several = occurs(report, name, i + 1, n);

        if (occurs(report, name, 0, i))
            continue;
        add_text(w, name);
        portolan_text_add(w->out, several ? ": [" : ": ");
        add_text(w, report->headers[i].value);
        for (size_t k = i + 1; k < n; k++)
            if (!strcmp(report->headers[k].name, name)) {
                portolan_text_add(w->out, ", ");
                add_text(w, report->headers[k].value);
            }
        portolan_text_add(w->out, several ? "],\n" : ",\n");
    }
}

void report_write(const struct portolan_cll_report *report, bool is_json, struct report_sink *sink)
{
    struct writer w = {sink, &sink->text, is_json};
    bool one = report->n_experiments == 1;

    if (is_json) {
        portolan_text_add(w.out, "{\n");
        write_json_headers(&w, report);
        portolan_text_add(w.out, one ? "\"cll_experiment\": " : "\"cll_experiment\": [");
    }
    for (size_t i = 0; i < report->n_headers && !is_json; i++)
        write_text(&w, report->headers[i].name, report->headers[i].value);
    for (size_t i = 0; i < report->n_experiments; i++) {
        portolan_text_add(w.out, !is_json ? "\n" : i ? ", " : "");
        write_experiment(&w, &report->experiments[i]);
    }
    if (is_json)
        portolan_text_add(w.out, one ? "\n}\n" : "]\n}\n");
}
