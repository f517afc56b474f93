/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as XML: an envelope of our own around a function in content MathML. */
#include "xml_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\t':
        case '\n':
        case '\r':
            fprintf(out, "&#%d;", *text);
            break;
        default:
            fputc(*text, out);
        }
}

static void write_text_attribute(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf(out, " %s=\"", name);
    write_escaped(out, value);
    fputc('"', out);
}

/* Numbers that are not known or not bounded are not written. */
static void write_attribute(FILE *out, const char *name, double value)
{
    char number[NUMBER_TEXT];

    if (!isfinite(value))
        return;
    number_write(value, number);
    fprintf(out, " %s=\"%s\"", name, number);
}

/* MathML writes 3e-7 as 3 <sep/> -7, and whole numbers under their own type. */
static void write_cn(FILE *out, double value)
{
    char number[NUMBER_TEXT], *e;

    number_write(value, number);
    e = strchr(number, 'e');
    if (e) {
        *e = '\0';
        fprintf(out, "<cn type=\"e-notation\">%s<sep/>%s</cn>", number, e + 1);
    } else {
        fprintf(out, "<cn%s>%s</cn>", strchr(number, '.') ? "" : " type=\"integer\"", number);
    }
}

static void write_ci(FILE *out, const char *name)
{
    fputs("<ci>", out);
    write_escaped(out, name);
    fputs("</ci>", out);
}

static void write_power(FILE *out, const char *name, double exponent)
{
    if (exponent == 0)
        return;
    if (exponent == 1) {
        write_ci(out, name);
        return;
    }
    fputs("<apply><power/>", out);
    write_ci(out, name);
    write_cn(out, exponent);
    fputs("</apply>", out);
}

/* The base must be said: without one MathML's logarithm is decimal. */
static void write_log(FILE *out, const char *name, int power)
{
    if (power == 0)
        return;
    if (power > 1)
        fputs("<apply><power/>", out);
    fputs("<apply><log/><logbase><cn type=\"integer\">2</cn></logbase>", out);
    write_ci(out, name);
    fputs("</apply>", out);
    if (power > 1)
        fprintf(out, "<cn type=\"integer\">%d</cn></apply>", power);
}

static void write_term(FILE *out, const struct portolan_model *m, double constant,
                       const struct portolan_model_shape *shape)
{
    if (shape_is_constant(shape, m->n_params)) {
        write_cn(out, constant);
        return;
    }
    fputs("<apply><times/>", out);
    write_cn(out, constant);
    for (size_t p = 0; p < m->n_params; p++) {
        write_power(out, m->params[p], shape->exponents[p]);
        write_log(out, m->params[p], shape->logs[p]);
    }
    fputs("</apply>", out);
}

static void write_function(FILE *out, const struct portolan_model *m)
{
    bool several = m->n_terms != 1;

    fputs("  <function>\n    <math xmlns=\"" MATHML_NAMESPACE "\">\n", out);
    fputs(m->n_params ? "      <lambda>\n" : "", out);
    for (size_t p = 0; p < m->n_params; p++) {
        fputs("        <bvar>", out);
        write_ci(out, m->params[p]);
        fputs("</bvar>\n", out);
    }
    fputs(several ? "        <apply><plus/>\n" : "", out);
    for (size_t j = 0; j < m->n_terms; j++) {
        fputs(several ? "          " : "        ", out);
        write_term(out, m, m->terms[j].constant, &m->terms[j].shape);
        fputc('\n', out);
    }
    fputs(several ? "        </apply>\n" : "", out);
    fputs(m->n_params ? "      </lambda>\n" : "", out);
    fputs("    </math>\n  </function>\n", out);
}

static void write_head(FILE *out, const struct portolan_model *m)
{
    const struct portolan_model_envelope *e = &m->envelope;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model xmlns=\"" MODEL_NAMESPACE "\"", out);
    write_text_attribute(out, "name", e->name);
    write_text_attribute(out, "unit", e->unit);
    fputs(">\n", out);
    if (e->machine || e->program || e->source || e->created) {
        fputs("  <provenance", out);
        write_text_attribute(out, "machine", e->machine);
        write_text_attribute(out, "program", e->program);
        write_text_attribute(out, "source", e->source);
        write_text_attribute(out, "created", e->created);
        fputs("/>\n", out);
    }
    for (size_t p = 0; p < m->n_params; p++) {
        fputs("  <parameter", out);
        write_text_attribute(out, "name", m->params[p]);
        write_text_attribute(out, "unit", e->param_units[p]);
        write_attribute(out, "min", m->range[p].min);
        write_attribute(out, "max", m->range[p].max);
        write_attribute(out, "drift-below", m->range[p].drift_below);
        write_attribute(out, "drift-above", m->range[p].drift_above);
        fputs("/>\n", out);
    }
}

static void write_fit(FILE *out, const struct portolan_model *m)
{
    const struct portolan_model_summary *s = &m->summary;

    fprintf(out, "  <fit family=\"%s\" weighting=\"%s\" constants=\"%s\"",
            portolan_model_family_name(s->family),
            s->weighting == PORTOLAN_MODEL_RELATIVE ? "relative" : "absolute",
            s->nonnegative ? "non-negative" : "any");
    fprintf(out, " rows=\"%zu\" points=\"%zu\" outliers=\"%zu\"", s->n_rows, s->n_points,
            s->n_outliers);
    write_attribute(out, "condition", s->condition);
    write_attribute(out, "floor", s->floor);
    fputs("/>\n  <error", out);
    write_attribute(out, "sigma", s->sigma);
    fprintf(out, " assumed=\"%s\"", s->sigma_is_assumed ? "true" : "false");
    write_attribute(out, "dof", s->dof);
    write_attribute(out, "confidence", s->confidence);
    write_attribute(out, "repeat", s->sigma_repeat);
    write_attribute(out, "rms", s->rms);
    write_attribute(out, "max", s->max);
    write_attribute(out, "leave-one-out", s->leave_one_out);
    fputs("/>\n", out);
}

static void write_estimates(FILE *out, const struct portolan_model *m)
{
    char number[NUMBER_TEXT];
    size_t n = m->n_estimates;

    if (!n || !m->covariance)
        return;
    fputs("  <estimates>\n", out);
    for (size_t e = 0; e < n; e++) {
        fprintf(out, "    <%s term=\"%zu\"",
                m->estimates[e].param == CONSTANT_ESTIMATE ? "constant" : "exponent",
                m->estimates[e].term + 1);
        if (m->estimates[e].param != CONSTANT_ESTIMATE)
            write_text_attribute(out, "parameter", m->params[m->estimates[e].param]);
        fputs("/>\n", out);
    }
    fputs("    <covariance>\n", out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            number_write(m->covariance[i * n + j], number);
            fprintf(out, "%s%s%s", j ? " " : "      ", number, j == i ? "\n" : "");
        }
    fputs("    </covariance>\n  </estimates>\n", out);
}

static void write_dropped(FILE *out, const struct portolan_model *m)
{
    for (size_t j = 0; j < m->n_dropped; j++) {
        fprintf(out, "  <dropped reason=\"%s\">\n    <math xmlns=\"" MATHML_NAMESPACE "\">",
                m->dropped[j].reason == PORTOLAN_MODEL_DROP_NEGATIVE ? "negative" : "dependent");
        write_term(out, m, 1, &m->dropped[j].shape);
        fputs("</math>\n  </dropped>\n", out);
    }
}

enum portolan_status portolan_model_write_xml(const struct portolan_model *m, char **text,
                                              struct portolan_error *err)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    bool failed;

    if (!out)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to write a model");
    write_head(out, m);
    write_function(out, m);
    write_fit(out, m);
    write_estimates(out, m);
    write_dropped(out, m);
    fputs("</model>\n", out);
    failed = ferror(out);
    if (fclose(out) || failed) {
        free(written);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to write a model");
    }
    *text = written;
    return PORTOLAN_OK;
}
