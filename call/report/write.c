/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writers of the two forms share, and the text form. */
#include "internal.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *report_number(double value, char *text)
{
    if (isnan(value))
        return "nan";
    if (isinf(value))
        return value < 0 ? "-inf" : "inf";
    if (fabs(value) < 1e15 && value == (double)(long long)value &&
        (value != 0 || !signbit(value))) {
        snprintf(text, REPORT_NUMBER, "%lld", (long long)value);
        return text;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, REPORT_NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

/* More processes than that are no processes. */
#define MAX_PROCESSES (1 << 22)

size_t *report_count_tests(const struct portolan_cll_sample *s, size_t *n)
{
    size_t columns = portolan_cll_sample_columns(s), *tests;

    *n = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        double cpu = s->rows[i * columns];

        if (cpu >= 0 && cpu < MAX_PROCESSES && (size_t)cpu >= *n)
            *n = (size_t)cpu + 1;
    }
    tests = portolan_calloc(*n + 1, sizeof *tests);
    for (size_t i = 0; tests && i < s->n_rows; i++) {
        double cpu = s->rows[i * columns];

        if (cpu >= 0 && cpu < MAX_PROCESSES)
            tests[(size_t)cpu]++;
    }
    return tests;
}

/* ------------------------------------------------------------------ text */

/* A line's worth: what breaks lines is a space. */
static void add_line(struct report_sink *sink, const char *name, const char *value)
{
    portolan_text_add(&sink->text, "%s: ", name);
    for (; *value; value++) {
        char c = *value == '\n' || *value == '\r' ? ' ' : *value;

        portolan_text_add_bytes(&sink->text, &c, 1);
    }
    portolan_text_add_bytes(&sink->text, "\n", 1);
}

static void add_words(struct report_sink *sink, const char *name, char *const *words, size_t n)
{
    portolan_text_add(&sink->text, "%s:", name);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&sink->text, " %s", words[i]);
    portolan_text_add_bytes(&sink->text, "\n", 1);
}

static void add_numbers(struct report_sink *sink, const char *name, const unsigned *lines, size_t n)
{
    portolan_text_add(&sink->text, "%s:", name);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&sink->text, " %u", lines[i]);
    portolan_text_add_bytes(&sink->text, "\n", 1);
}

static void add_formula(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    struct report_formula f = {0};

    if (!report_formula_derive(s, &f))
        sink->text.failed = true;
    if (f.postfix)
        add_line(sink, "FORMULA", f.postfix);
    if (s->formula)
        add_line(sink, "INFORMULA", s->formula);
    portolan_text_add(&sink->text, "MAXTESTS: %zu\nDIMENSION: %u\n", s->n_rows, s->n_constants);
    if (f.n_components > 0)
        portolan_text_add(&sink->text, "COMPONENTS:");
    for (size_t i = 0; i < f.n_components; i++)
        portolan_text_add(&sink->text, "%s %s", i ? ";" : "", f.components[i]);
    if (f.n_components > 0)
        portolan_text_add(&sink->text, "\n");
    for (size_t i = 0; i < f.n_components; i++)
        portolan_text_add(&sink->text, "POSTFIX_COMPONENT_%zu: %s\n", i, f.postfix_components[i]);
    report_formula_clear(&f);
}

static void add_rows(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s);
    char number[REPORT_NUMBER];

    portolan_text_add(&sink->text, "SAMPLE:\nCPU NCPUS");
    for (size_t i = 0; i < s->n_identifiers; i++)
        portolan_text_add(&sink->text, " %s", s->identifiers[i]);
    for (size_t i = 0; i < s->n_observables; i++)
        portolan_text_add(&sink->text, " %s", s->observables[i]);
    portolan_text_add(&sink->text, "\n");
    for (size_t i = 0; i < s->n_rows; i++) {
        for (size_t k = 0; k < columns; k++)
            portolan_text_add(&sink->text, k ? " %s" : "%s",
                              report_number(s->rows[i * columns + k], number));
        portolan_text_add_bytes(&sink->text, "\n", 1);
        report_sink_drain(sink, false);
    }
}

static void add_experiment(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    size_t n, *tests = report_count_tests(s, &n);

    portolan_text_add(&sink->text, "\n");
    add_line(sink, "EXPERIMENT", s->name);
    if (s->file)
        add_line(sink, "FILE", s->file);
    add_numbers(sink, "BEGIN_LINE", s->begin_lines, s->n_begin);
    add_numbers(sink, "END_LINE", s->end_lines, s->n_end);
    add_formula(sink, s);
    portolan_text_add(&sink->text, "NUMIDENTS: %zu\n", s->n_identifiers);
    add_words(sink, "IDENTS", s->identifiers, s->n_identifiers);
    add_words(sink, "OBSERVABLES", s->observables, s->n_observables);
    portolan_text_add(&sink->text, "NUMTESTS:");
    for (size_t i = 0; tests && i < n; i++)
        portolan_text_add(&sink->text, " %zu", tests[i]);
    portolan_text_add(&sink->text, "\n");
    if (!tests)
        sink->text.failed = true;
    free(tests);
    add_rows(sink, s);
}

void report_write_text(const struct portolan_cll_report *report, struct report_sink *sink)
{
    for (size_t i = 0; i < report->n_headers; i++)
        add_line(sink, report->headers[i].name, report->headers[i].value);
    for (size_t i = 0; i < report->n_experiments; i++)
        add_experiment(sink, &report->experiments[i]);
}
