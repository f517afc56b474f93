/* SPDX-License-Identifier: BSD-3-Clause */
/* The XML form: CALL's document type, with FILE and headers that occur several times added. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_escaped(struct report_sink *sink, const char *text)
{
    while (*text) {
        size_t length = portolan_utf8_length(text);
        unsigned char c = (unsigned char)*text;

        if (length == 0 || (length == 1 && c < 0x20 && c != '\t' && c != '\n' && c != '\r'))
            portolan_text_add(&sink->text, "&#xFFFD;");
        else if (length == 1 && (strchr("<>&\"", c) || c < 0x20))
            portolan_text_add(&sink->text, "&#%u;", (unsigned)c);
        else
            portolan_text_add_bytes(&sink->text, text, length);
        text += length ? length : 1;
    }
}

static void add_attribute(struct report_sink *sink, const char *name, const char *value)
{
    if (!value)
        return;
    portolan_text_add(&sink->text, "\n    %s=\"", name);
    add_escaped(sink, value);
    portolan_text_add(&sink->text, "\"");
}

static void add_words(struct report_sink *sink, const char *name, char *const *words, size_t n,
                      const char *between)
{
    portolan_text_add(&sink->text, "\n    %s=\"", name);
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(&sink->text, "%s", i ? between : "");
        add_escaped(sink, words[i]);
    }
    portolan_text_add(&sink->text, "\"");
}

static void add_lines(struct report_sink *sink, const char *name, const unsigned *lines, size_t n)
{
    portolan_text_add(&sink->text, "\n    %s=\"", name);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&sink->text, i ? " %u" : "%u", lines[i]);
    portolan_text_add(&sink->text, "\"");
}

static void add_formula(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    struct report_formula f = {0};

    if (!report_formula_derive(s, &f))
        sink->text.failed = true;
    add_attribute(sink, "FORMULA", f.postfix);
    add_attribute(sink, "INFORMULA", s->formula);
    portolan_text_add(&sink->text, "\n    MAXTESTS=\"%zu\"\n    DIMENSION=\"%u\"", s->n_rows,
                      s->n_constants);
    if (f.n_components > 0)
        add_words(sink, "COMPONENTS", f.components, f.n_components, "; ");
    for (size_t i = 0; i < f.n_components; i++) {
        portolan_text_add(&sink->text, "\n    POSTFIX_COMPONENT_%zu=\"", i);
        add_escaped(sink, f.postfix_components[i]);
        portolan_text_add(&sink->text, "\"");
    }
    report_formula_clear(&f);
}

static void add_table(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    size_t columns = portolan_cll_sample_columns(s);
    char number[REPORT_NUMBER];

    portolan_text_add(&sink->text, "    <headers><h>CPU</h><h>NCPUS</h>");
    for (size_t i = 0; i < s->n_identifiers + s->n_observables; i++) {
        portolan_text_add(&sink->text, "<h>");
        add_escaped(sink, i < s->n_identifiers ? s->identifiers[i]
                                               : s->observables[i - s->n_identifiers]);
        portolan_text_add(&sink->text, "</h>");
    }
    portolan_text_add(&sink->text, "</headers>\n    <sample>\n");
    for (size_t i = 0; i < s->n_rows; i++) {
        portolan_text_add(&sink->text, "      <row>");
        for (size_t k = 0; k < columns; k++) {
            double value = s->rows[i * columns + k];

            portolan_text_add(&sink->text, "<c>%s</c>",
                              isnan(value) ? "NaN" : report_number(value, number));
        }
        portolan_text_add(&sink->text, "</row>\n");
        report_sink_drain(sink, false);
    }
    portolan_text_add(&sink->text, "    </sample>\n");
}

static void add_experiment(struct report_sink *sink, const struct portolan_cll_sample *s)
{
    size_t n, *tests = report_count_tests(s, &n);

    portolan_text_add(&sink->text, "  <cll_experiment");
    add_attribute(sink, "EXPERIMENT", s->name);
    add_attribute(sink, "FILE", s->file);
    add_lines(sink, "BEGIN_LINE", s->begin_lines, s->n_begin);
    add_lines(sink, "END_LINE", s->end_lines, s->n_end);
    add_formula(sink, s);
    portolan_text_add(&sink->text, "\n    NUMIDENTS=\"%zu\"", s->n_identifiers);
    add_words(sink, "IDENTS", s->identifiers, s->n_identifiers, " ");
    add_words(sink, "OBSERVABLES", s->observables, s->n_observables, " ");
    portolan_text_add(&sink->text, "\n    NUMTESTS=\"");
    for (size_t i = 0; tests && i < n; i++)
        portolan_text_add(&sink->text, i ? " %zu" : "%zu", tests[i]);
    portolan_text_add(&sink->text, "\">\n");
    if (!tests)
        sink->text.failed = true;
    free(tests);
    add_table(sink, s);
    portolan_text_add(&sink->text, "  </cll_experiment>\n");
}

/* ------------------------------------------------------------------ the document */

/* Whether header I can be an attribute: a name, and the first of its name. */
static bool is_attribute(const struct portolan_cll_report *report, size_t i)
{
    const char *name = report->headers[i].name;
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

    for (size_t k = 0; k < i; k++)
        if (!strcmp(report->headers[k].name, name))
            return false;
    return strspn(name, letters) > 0 &&
           !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")] &&
           strncasecmp(name, "xml", 3) != 0;
}

static void add_type(struct report_sink *sink, const struct portolan_cll_report *report)
{
    static const char *const attributes[] = {"FILE",      "BEGIN_LINE", "END_LINE",    "FORMULA",
                                             "INFORMULA", "MAXTESTS",   "DIMENSION",   "PARAMETERS",
                                             "NUMIDENTS", "IDENTS",     "OBSERVABLES", "COMPONENTS",
                                             "NUMTESTS"};
    unsigned constants = 0;

    portolan_text_add(&sink->text, "<!DOCTYPE cll_data [\n"
                                   "  <!ELEMENT cll_data (header*,cll_experiment*)>\n");
    for (size_t i = 0; i < report->n_headers; i++)
        if (is_attribute(report, i))
            portolan_text_add(&sink->text, "    <!ATTLIST cll_data %s CDATA #IMPLIED>\n",
                              report->headers[i].name);
    portolan_text_add(&sink->text, "  <!ELEMENT header (#PCDATA)>\n"
                                   "    <!ATTLIST header name CDATA #REQUIRED>\n"
                                   "  <!ELEMENT cll_experiment (machines*,headers,sample)>\n"
                                   "    <!ATTLIST cll_experiment EXPERIMENT CDATA #REQUIRED>\n");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        portolan_text_add(&sink->text, "    <!ATTLIST cll_experiment %s CDATA #IMPLIED>\n",
                          attributes[i]);
    for (size_t i = 0; i < report->n_experiments; i++)
        if (report->experiments[i].n_constants > constants)
            constants = report->experiments[i].n_constants;
    for (unsigned i = 0; i < constants; i++)
        portolan_text_add(&sink->text,
                          "    <!ATTLIST cll_experiment POSTFIX_COMPONENT_%u CDATA #IMPLIED>\n", i);
    portolan_text_add(&sink->text, "  <!ELEMENT machines (node)+>\n"
                                   "  <!ELEMENT node (#PCDATA)>\n"
                                   "  <!ELEMENT headers (h)+>\n"
                                   "  <!ELEMENT h (#PCDATA)>\n"
                                   "  <!ELEMENT sample (row)*>\n"
                                   "  <!ELEMENT row (c)+>\n"
                                   "  <!ELEMENT c (#PCDATA)>\n"
                                   "]>\n");
}

void report_write_xml(const struct portolan_cll_report *report, struct report_sink *sink)
{
    portolan_text_add(&sink->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    add_type(sink, report);
    portolan_text_add(&sink->text, "<cll_data");
    for (size_t i = 0; i < report->n_headers; i++)
        if (is_attribute(report, i))
            add_attribute(sink, report->headers[i].name, report->headers[i].value);
    portolan_text_add(&sink->text, ">\n");
    for (size_t i = 0; i < report->n_headers; i++)
        if (!is_attribute(report, i)) {
            portolan_text_add(&sink->text, "  <header name=\"");
            add_escaped(sink, report->headers[i].name);
            portolan_text_add(&sink->text, "\">");
            add_escaped(sink, report->headers[i].value);
            portolan_text_add(&sink->text, "</header>\n");
        }
    for (size_t i = 0; i < report->n_experiments; i++)
        add_experiment(sink, &report->experiments[i]);
    portolan_text_add(&sink->text, "</cll_data>\n");
}
