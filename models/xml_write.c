/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as XML: an envelope of our own around a function in content MathML. */
#include "formula_internal.h"
#include "xml_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_text_attribute(struct portolan_text *out, const char *name, const char *value)
{
    if (!value)
        return;
    portolan_text_add(out, " %s=\"", name);
    portolan_text_add_xml(out, value);
    portolan_text_add(out, "\"");
}

const char *const xml_kinds[] = {"amount", "count", "share"};
const char *const xml_statistics[] = {"typical", "median",  "mean",
                                      "minimum", "maximum", "deviation"};

/* Numbers that are not known or not bounded are not written. */
static void write_attribute(struct portolan_text *out, const char *name, double value)
{
    char number[NUMBER_TEXT];

    if (!isfinite(value))
        return;
    number_write(value, number);
    portolan_text_add(out, " %s=\"%s\"", name, number);
}

static void write_power(struct portolan_text *out, const char *name, double exponent)
{
    if (exponent == 0)
        return;
    if (exponent == 1) {
        mathml_write_name(out, name);
        return;
    }
    portolan_text_add(out, "<apply><power/>");
    mathml_write_name(out, name);
    mathml_write_number(out, exponent);
    portolan_text_add(out, "</apply>");
}

/* The base must be said: without one MathML's logarithm is decimal. */
static void write_log(struct portolan_text *out, const char *name, int power)
{
    if (power == 0)
        return;
    if (power > 1)
        portolan_text_add(out, "<apply><power/>");
    portolan_text_add(out, "<apply><log/><logbase><cn type=\"integer\">2</cn></logbase>");
    mathml_write_name(out, name);
    portolan_text_add(out, "</apply>");
    if (power > 1)
        portolan_text_add(out, "<cn type=\"integer\">%d</cn></apply>", power);
}

/* An expression is marked as one, and said in the formula language too. */
static void write_expression(struct portolan_text *out, const struct portolan_formula *f)
{
    struct portolan_text words = {0};

    portolan_text_add(out, "<semantics>");
    formula_write_mathml(f, f->n_nodes - 1, out);
    portolan_text_add(out, "<annotation encoding=\"portolan-formula\">");
    formula_write_factor(f, &words);
    out->failed = out->failed || words.failed;
    portolan_text_add_xml(out, words.bytes ? words.bytes : "");
    portolan_text_clear(&words);
    portolan_text_add(out, "</annotation></semantics>");
}

static void write_term(struct portolan_text *out, const struct portolan_model *m, double constant,
                       const struct portolan_model_shape *shape)
{
    if (shape_is_constant(shape, m->n_params)) {
        mathml_write_number(out, constant);
        return;
    }
    portolan_text_add(out, "<apply><times/>");
    mathml_write_number(out, constant);
    if (shape->expression)
        write_expression(out, shape->expression);
    for (size_t p = 0; p < m->n_params; p++) {
        write_power(out, m->params[p], shape->exponents[p]);
        write_log(out, m->params[p], shape->logs[p]);
    }
    portolan_text_add(out, "</apply>");
}

/* The terms on lines of their own, behind INDENT. */
static void write_sum(struct portolan_text *out, const struct portolan_model *m, const char *indent)
{
    bool several = m->n_terms != 1;

    if (several)
        portolan_text_add(out, "%s<apply><plus/>\n", indent);
    for (size_t j = 0; j < m->n_terms; j++) {
        portolan_text_add(out, "%s%s", indent, several ? "  " : "");
        write_term(out, m, m->terms[j].constant, &m->terms[j].shape);
        portolan_text_add(out, "\n");
    }
    if (several)
        portolan_text_add(out, "%s</apply>\n", indent);
}

static void write_comparison(struct portolan_text *out, const struct portolan_model *m,
                             const struct portolan_model_condition *c, const char *operator,
                             double bound)
{
    bool ratio = c->divisor != SIZE_MAX;

    portolan_text_add(out, "<apply><%s/>%s", operator, ratio ? "<apply><divide/>" : "");
    mathml_write_name(out, m->params[c->param]);
    if (ratio)
        mathml_write_name(out, m->params[c->divisor]);
    portolan_text_add(out, "%s", ratio ? "</apply>" : "");
    mathml_write_number(out, bound);
    portolan_text_add(out, "</apply>");
}

static void write_conditions(struct portolan_text *out, const struct portolan_model *m,
                             const struct piece *piece)
{
    size_t n = 0;

    for (size_t i = 0; i < piece->n_conditions; i++)
        n += (size_t)isfinite(piece->conditions[i].low) +
             (size_t)isfinite(piece->conditions[i].high);
    portolan_text_add(out, "%s", n == 0 ? "<true/>" : n > 1 ? "<apply><and/>" : "");
    for (size_t i = 0; i < piece->n_conditions; i++) {
        const struct portolan_model_condition *c = &piece->conditions[i];

        if (isfinite(c->low))
            write_comparison(out, m, c, "geq", c->low);
        if (isfinite(c->high))
            write_comparison(out, m, c, "lt", c->high);
    }
    portolan_text_add(out, "%s", n > 1 ? "</apply>" : "");
}

static void write_body(struct portolan_text *out, const struct portolan_model *m)
{
    if (!m->n_pieces) {
        write_sum(out, m, "        ");
        return;
    }
    portolan_text_add(out, "        <piecewise>\n");
    for (size_t i = 0; i < m->n_pieces; i++) {
        portolan_text_add(out, "          <piece>\n");
        write_sum(out, m->pieces[i].model, "            ");
        portolan_text_add(out, "            ");
        write_conditions(out, m, &m->pieces[i]);
        portolan_text_add(out, "\n          </piece>\n");
    }
    portolan_text_add(out, "        </piecewise>\n");
}

static void write_function(struct portolan_text *out, const struct portolan_model *m)
{
    portolan_text_add(out, "  <function>\n    <math xmlns=\"" MATHML_NAMESPACE "\">\n");
    portolan_text_add(out, "%s", m->n_params ? "      <lambda>\n" : "");
    for (size_t p = 0; p < m->n_params; p++) {
        portolan_text_add(out, "        <bvar>");
        mathml_write_name(out, m->params[p]);
        portolan_text_add(out, "</bvar>\n");
    }
    write_body(out, m);
    portolan_text_add(out, "%s", m->n_params ? "      </lambda>\n" : "");
    portolan_text_add(out, "    </math>\n  </function>\n");
}

/* UNIT may be NULL. */
static void write_parameter(struct portolan_text *out, const struct portolan_model *m, size_t p,
                            const char *unit, const char *indent)
{
    portolan_text_add(out, "%s<parameter", indent);
    write_text_attribute(out, "name", m->params[p]);
    write_text_attribute(out, "unit", unit);
    write_attribute(out, "min", m->range[p].min);
    write_attribute(out, "max", m->range[p].max);
    write_attribute(out, "drift-below", m->range[p].drift_below);
    write_attribute(out, "drift-above", m->range[p].drift_above);
    portolan_text_add(out, "/>\n");
}

static void write_head(struct portolan_text *out, const struct portolan_model *m)
{
    const struct portolan_model_envelope *e = &m->envelope;

    portolan_text_add(out, "%s",
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model xmlns=\"" MODEL_NAMESPACE
                      "\"");
    write_text_attribute(out, "name", e->name);
    write_text_attribute(out, "unit", e->unit);
    write_text_attribute(out, "quality", e->quality);
    portolan_text_add(out, ">\n");
    if (e->machine || e->program || e->source || e->created) {
        portolan_text_add(out, "  <provenance");
        write_text_attribute(out, "machine", e->machine);
        write_text_attribute(out, "program", e->program);
        write_text_attribute(out, "source", e->source);
        write_text_attribute(out, "created", e->created);
        portolan_text_add(out, "/>\n");
    }
    for (size_t p = 0; p < m->n_params; p++)
        write_parameter(out, m, p, e->param_units[p], "  ");
}

static void write_fit(struct portolan_text *out, const struct portolan_model *m, const char *indent)
{
    const struct portolan_model_summary *s = &m->summary;

    portolan_text_add(out, "%s<fit family=\"%s\" weighting=\"%s\" constants=\"%s\"", indent,
                      portolan_model_family_name(s->family),
                      s->weighting == PORTOLAN_MODEL_RELATIVE ? "relative" : "absolute",
                      s->nonnegative ? "non-negative"
                      : s->bounded   ? "bounded"
                                     : "any");
    if (s->statistic != PORTOLAN_MODEL_TYPICAL)
        portolan_text_add(out, " statistic=\"%s\"", xml_statistics[s->statistic]);
    if (s->kind != PORTOLAN_MODEL_AMOUNT)
        portolan_text_add(out, " kind=\"%s\"", xml_kinds[s->kind]);
    portolan_text_add(out, " rows=\"%zu\" points=\"%zu\" outliers=\"%zu\"", s->n_rows, s->n_points,
                      s->n_outliers);
    write_attribute(out, "condition", s->condition);
    write_attribute(out, "floor", s->floor);
    portolan_text_add(out, "/>\n%s<error", indent);
    write_attribute(out, "sigma", s->sigma);
    portolan_text_add(out, " assumed=\"%s\"", s->sigma_is_assumed ? "true" : "false");
    write_attribute(out, "dof", s->dof);
    write_attribute(out, "confidence", s->confidence);
    write_attribute(out, "repeat", s->sigma_repeat);
    write_attribute(out, "rms", s->rms);
    write_attribute(out, "max", s->max);
    write_attribute(out, "leave-one-out", s->leave_one_out);
    portolan_text_add(out, "/>\n");
}

static void write_estimates(struct portolan_text *out, const struct portolan_model *m,
                            const char *indent)
{
    char number[NUMBER_TEXT];
    size_t n = m->n_estimates;

    if (!n || !m->covariance)
        return;
    portolan_text_add(out, "%s<estimates>\n", indent);
    for (size_t e = 0; e < n; e++) {
        portolan_text_add(out, "%s  <%s term=\"%zu\"", indent,
                          m->estimates[e].param == CONSTANT_ESTIMATE ? "constant" : "exponent",
                          m->estimates[e].term + 1);
        if (m->estimates[e].param != CONSTANT_ESTIMATE)
            write_text_attribute(out, "parameter", m->params[m->estimates[e].param]);
        portolan_text_add(out, "/>\n");
    }
    portolan_text_add(out, "%s  <covariance>\n", indent);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            number_write(m->covariance[i * n + j], number);
            portolan_text_add(out, "%s%s%s%s", j ? "" : indent, j ? " " : "    ", number,
                              j == i ? "\n" : "");
        }
    portolan_text_add(out, "%s  </covariance>\n%s</estimates>\n", indent, indent);
}

static void write_dropped(struct portolan_text *out, const struct portolan_model *m,
                          const char *indent)
{
    for (size_t j = 0; j < m->n_dropped; j++) {
        portolan_text_add(
            out, "%s<dropped reason=\"%s\">\n%s  <math xmlns=\"" MATHML_NAMESPACE "\">", indent,
            m->dropped[j].reason == PORTOLAN_MODEL_DROP_NEGATIVE ? "negative" : "dependent",
            indent);
        write_term(out, m, 1, &m->dropped[j].shape);
        portolan_text_add(out, "</math>\n%s</dropped>\n", indent);
    }
}

static void write_judgement(struct portolan_text *out, const struct portolan_model *m,
                            const char *indent)
{
    write_fit(out, m, indent);
    write_estimates(out, m, indent);
    write_dropped(out, m, indent);
}

static void write_piece(struct portolan_text *out, const struct portolan_model *m)
{
    portolan_text_add(out, "  <piece>\n");
    for (size_t p = 0; p < m->n_params; p++)
        write_parameter(out, m, p, NULL, "    ");
    write_judgement(out, m, "    ");
    portolan_text_add(out, "  </piece>\n");
}

static void write_break(struct portolan_text *out, const struct portolan_model *m,
                        const struct portolan_model_break *b)
{
    portolan_text_add(out, "  <break");
    write_text_attribute(out, "parameter", m->params[b->param]);
    if (b->divisor != SIZE_MAX)
        write_text_attribute(out, "divisor", m->params[b->divisor]);
    write_attribute(out, "below", b->below);
    write_attribute(out, "above", b->above);
    write_attribute(out, "at", b->at);
    write_attribute(out, "low", b->low);
    write_attribute(out, "high", b->high);
    portolan_text_add(out, "/>\n");
}

enum portolan_status portolan_model_write_xml(const struct portolan_model *m, char **text,
                                              struct portolan_error *err)
{
    struct portolan_text out = {0};

    write_head(&out, m);
    write_function(&out, m);
    write_judgement(&out, m, "  ");
    for (size_t i = 0; i < m->n_pieces; i++)
        write_piece(&out, m->pieces[i].model);
    for (size_t i = 0; i < m->n_breaks; i++)
        write_break(&out, m, &m->breaks[i]);
    portolan_text_add(&out, "</model>\n");
    return portolan_text_take(&out, text, err);
}
