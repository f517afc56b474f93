/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as XML: an envelope of our own around a function in content MathML. */
#include "formula_internal.h"
#include "models_internal.h"
#include "xml_internal.h"

const char *const xml_kinds[] = {"amount", "count", "share"};
const char *const xml_statistics[] = {"typical", "median",  "mean",
                                      "minimum", "maximum", "deviation"};

/* Writes the formula in B as MathML and empties B. */
static void write_built(struct portolan_text *out, struct formula_builder *b)
{
    struct portolan_formula *f = NULL;

    if (formula_end(b, &f)) {
        out->failed = true;
        return;
    }
    formula_write_mathml(f, f->n_nodes - 1, out);
    portolan_formula_destroy(f);
}

static void write_term(struct portolan_text *out, const struct portolan_model *m, double constant,
                       const struct portolan_model_shape *shape)
{
    struct formula_builder b;

    if (!emit_begin(&b, m))
        emit_push_term(&b, m, shape, constant, false);
    write_built(out, &b);
}

/* Writes each term on its own line, after INDENT. */
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

static void write_conditions(struct portolan_text *out, const struct portolan_model *m,
                             const struct piece *piece)
{
    struct formula_builder b;

    if (!emit_begin(&b, m))
        emit_push_conditions(&b, m, piece);
    write_built(out, &b);
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
        formula_write_mathml_name(out, m->params[p]);
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
    xml_add_start(out, indent, "parameter", "name", m->params[p], "unit", unit, NULL);
    xml_add_number(out, "min", m->range[p].min);
    xml_add_number(out, "max", m->range[p].max);
    xml_add_number(out, "drift-below", m->range[p].drift_below);
    xml_add_number(out, "drift-above", m->range[p].drift_above);
    portolan_text_add(out, "/>\n");
}

/* Corners of the parameters' ranges that no row came near. */
static void write_combinations(struct portolan_text *out, const struct portolan_model *m,
                               const char *indent)
{
    for (size_t b = 1; b < m->n_params; b++)
        for (size_t a = 0; a < b; a++) {
            const struct hull_pair *pair = hull_peek_corners(m, a, b);

            if (!pair)
                continue;
            xml_add_start(out, indent, "combination", "of", m->params[a], "with", m->params[b],
                          NULL);
            xml_add_number(out, "ratio-min", pair->ratio_min);
            xml_add_number(out, "ratio-max", pair->ratio_max);
            xml_add_number(out, "product-min", pair->product_min);
            xml_add_number(out, "product-max", pair->product_max);
            portolan_text_add(out, "/>\n");
        }
}

static void write_head(struct portolan_text *out, const struct portolan_model *m)
{
    const struct portolan_model_envelope *e = &m->envelope;

    xml_add_start(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "model", "xmlns",
                  MODEL_NAMESPACE, "name", e->name, "unit", e->unit, "quality", e->quality, NULL);
    portolan_text_add(out, ">\n");
    if (e->machine || e->program || e->source || e->created) {
        xml_add_start(out, "  ", "provenance", "machine", e->machine, "program", e->program,
                      "source", e->source, "created", e->created, NULL);
        portolan_text_add(out, "/>\n");
    }
    for (size_t p = 0; p < m->n_params; p++)
        write_parameter(out, m, p, e->param_units[p], "  ");
    write_combinations(out, m, "  ");
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
    xml_add_number(out, "condition", s->condition);
    xml_add_number(out, "floor", s->floor);
    portolan_text_add(out, "/>\n%s<error", indent);
    xml_add_number(out, "sigma", s->sigma);
    portolan_text_add(out, " assumed=\"%s\"", s->sigma_is_assumed ? "true" : "false");
    xml_add_number(out, "dof", s->dof);
    xml_add_number(out, "confidence", s->confidence);
    xml_add_number(out, "repeat", s->sigma_repeat);
    xml_add_number(out, "rms", s->rms);
    xml_add_number(out, "max", s->max);
    xml_add_number(out, "leave-one-out", s->leave_one_out);
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
            xml_add_attribute(out, "parameter", m->params[m->estimates[e].param]);
        portolan_text_add(out, "/>\n");
    }
    portolan_text_add(out, "%s  <covariance>\n", indent);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            portolan_number_write(m->covariance[i * n + j], false, number);
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
    write_combinations(out, m, "    ");
    write_judgement(out, m, "    ");
    portolan_text_add(out, "  </piece>\n");
}

static void write_break(struct portolan_text *out, const struct portolan_model *m,
                        const struct portolan_model_break *b)
{
    portolan_text_add(out, "  <break");
    xml_add_attribute(out, "parameter", m->params[b->param]);
    if (b->divisor != SIZE_MAX)
        xml_add_attribute(out, "divisor", m->params[b->divisor]);
    xml_add_number(out, "below", b->below);
    xml_add_number(out, "above", b->above);
    xml_add_number(out, "at", b->at);
    xml_add_number(out, "low", b->low);
    xml_add_number(out, "high", b->high);
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
