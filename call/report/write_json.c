/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON form: one object, the headers as its members and the experiments as "cll_experiment". */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* JSON has no words for what is no number. */
static void add_number(struct report_sink *sink, double value)
{
    char number[REPORT_NUMBER];

    if (isnan(value))
        portolan_text_add(&sink->text, "null");
    else
        portolan_text_add(&sink->text, isinf(value) ? "\"%s\"" : "%s",
                          report_number(value, number));
}

static void add_member(struct report_sink *sink, const char *name)
{
    portolan_text_add(&sink->text, ",\n  \"%s\": ", name);
}

static void add_strings(struct report_sink *sink, const char *name, char *const *words, size_t n)
{
    add_member(sink, name);
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(&sink->text, i ? ", " : "[");
        portolan_text_add_json(&sink->text, words[i]);
    }
    portolan_text_add(&sink->text, n ? "]" : "[]");
}

static void add_lines(struct report_sink *sink, const char *name, const unsigned *lines, size_t n)
{
    add_member(sink, name);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&sink->text, "%s%u", i ? ", " : "[", lines[i]);
    portolan_text_add(&sink->text, n ? "]" : "[]");
}

static void add_optional(struct report_sink *sink, const char *name, const char *text)
{
    if (!text)
        return;
    add_member(sink, name);
    portolan_text_add_json(&sink->text, text);
}

static void add_formula(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    struct report_formula f = {0};

    if (!report_formula_derive(s, &f))
        sink->text.failed = true;
    add_optional(sink, "FORMULA", f.postfix);
    add_optional(sink, "INFORMULA", s->formula);
    add_member(sink, "MAXTESTS");
    portolan_text_add(&sink->text, "%zu", s->n_rows);
    add_member(sink, "DIMENSION");
    portolan_text_add(&sink->text, "%u", s->n_constants);
    if (f.n_components > 0) {
        add_strings(sink, "COMPONENTS", f.components, f.n_components);
        add_strings(sink, "POSTFIX_COMPONENTS", f.postfix_components, f.n_components);
    }
    report_formula_clear(&f);
}

static void add_table(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s);

    portolan_text_add(&sink->text, ",\n  \"headers\": [\"CPU\", \"NCPUS\"");
    for (size_t i = 0; i < s->n_identifiers + s->n_observables; i++) {
        portolan_text_add(&sink->text, ", ");
        portolan_text_add_json(&sink->text, i < s->n_identifiers
                                                ? s->identifiers[i]
                                                : s->observables[i - s->n_identifiers]);
    }
    portolan_text_add(&sink->text, "],\n  \"sample\": [");
    for (size_t i = 0; i < s->n_rows; i++) {
        for (size_t k = 0; k < columns; k++) {
            portolan_text_add(&sink->text, k ? ", " : i ? ",\n    [" : "\n    [");
            add_number(sink, s->rows[i * columns + k]);
        }
        portolan_text_add(&sink->text, "]");
        report_sink_drain(sink, false);
    }
    portolan_text_add(&sink->text, s->n_rows ? "\n  ]" : "]");
}

static void add_experiment(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    size_t n, *tests = report_count_tests(s, &n);

    portolan_text_add(&sink->text, "{\n  \"EXPERIMENT\": ");
    portolan_text_add_json(&sink->text, s->name);
    add_optional(sink, "FILE", s->file);
    add_lines(sink, "BEGIN_LINE", s->begin_lines, s->n_begin);
    add_lines(sink, "END_LINE", s->end_lines, s->n_end);
    add_formula(sink, s);
    add_member(sink, "NUMIDENTS");
    portolan_text_add(&sink->text, "%zu", s->n_identifiers);
    add_strings(sink, "IDENTS", s->identifiers, s->n_identifiers);
    add_strings(sink, "OBSERVABLES", s->observables, s->n_observables);
    add_member(sink, "NUMTESTS");
    portolan_text_add(&sink->text, "[");
    for (size_t i = 0; tests && i < n; i++)
        portolan_text_add(&sink->text, i ? ", %zu" : "%zu", tests[i]);
    portolan_text_add(&sink->text, "]");
    if (!tests)
        sink->text.failed = true;
    free(tests);
    add_table(sink, s);
    portolan_text_add(&sink->text, "}");
}

static bool occurs(const struct portolan_cll_report *report, const char *name, size_t from,
                   size_t to)
{
    while (from < to && strcmp(report->headers[from].name, name) != 0)
        from++;
    return from < to;
}

/* A header that occurs several times is an array. */
static void add_headers(struct report_sink *sink, const struct portolan_cll_report *report)
{
    size_t n = report->n_headers;

    for (size_t i = 0; i < n; i++) {
        const char *name = report->headers[i].name;
        bool several = occurs(report, name, i + 1, n);

        if (occurs(report, name, 0, i))
            continue;
        portolan_text_add_json(&sink->text, name);
        portolan_text_add(&sink->text, several ? ": [" : ": ");
        portolan_text_add_json(&sink->text, report->headers[i].value);
        for (size_t k = i + 1; k < n; k++)
            if (!strcmp(report->headers[k].name, name)) {
                portolan_text_add(&sink->text, ", ");
                portolan_text_add_json(&sink->text, report->headers[k].value);
            }
        portolan_text_add(&sink->text, several ? "],\n" : ",\n");
    }
}

void report_write_json(const struct portolan_cll_report *report, struct report_sink *sink)
{
    bool one = report->n_experiments == 1;

    portolan_text_add(&sink->text, "{\n");
    add_headers(sink, report);
    portolan_text_add(&sink->text, one ? "\"cll_experiment\": " : "\"cll_experiment\": [");
    for (size_t i = 0; i < report->n_experiments; i++) {
        if (i > 0)
            portolan_text_add(&sink->text, ", ");
        add_experiment(sink, &report->experiments[i]);
    }
    portolan_text_add(&sink->text, one ? "\n}\n" : "]\n}\n");
}
