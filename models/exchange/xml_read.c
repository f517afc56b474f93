/* SPDX-License-Identifier: BSD-3-Clause */
/* Models in XML: the attributes and the envelope, part by part. */
#include "xml_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */

static void check_attributes(struct reader *r, const struct xml_element *e,
                             const char *const *known, size_t n)
{
    for (size_t k = 0; k < e->n_attributes; k++) {
        const char *name = e->attributes[k].name;
        bool found = false;

        for (size_t i = 0; i < n; i++)
            found = found || strcmp(name, known[i]) == 0;
        if (!found)
            reader_complain(r, e, "<%s> has no attribute \"%s\"%s", e->name, name,
                            reader_hint(name, known, n).text);
    }
}

#define CHECK_ATTRIBUTES(r, node, ...)                                                             \
    do {                                                                                           \
        static const char *const known_[] = {__VA_ARGS__};                                         \
        check_attributes((r), (node), known_, sizeof known_ / sizeof *known_);                     \
    } while (0)

/* The attribute's value; NULL after a complaint that there is none. */
static const char *needed_attribute(struct reader *r, const struct xml_element *e, const char *name)
{
    const char *text = xml_value(e, name);

    if (!text)
        reader_complain(r, e, "<%s> lacks the attribute \"%s\"", e->name, name);
    return text;
}

/* The number in attribute NAME, at least LEAST; ABSENT if the attribute is missing. */
static double read_number(struct reader *r, const struct xml_element *e, const char *name,
                          double absent, double least)
{
    const char *text = xml_value(e, name);
    double value = absent;

    if (text && (!reader_number(text, &value) || value < least)) {
        value = 0;
        reader_complain(r, e, "%s=\"%s\" is not a number%s", name, text,
                        isfinite(least) ? ", or negative" : "");
    }
    return value;
}

static double needed_number(struct reader *r, const struct xml_element *e, const char *name)
{
    needed_attribute(r, e, name);
    return read_number(r, e, name, 0, 0);
}

static size_t read_count(struct reader *r, const struct xml_element *e, const char *name)
{
    const char *text = needed_attribute(r, e, name);
    int64_t value = 0;

    if (text && (!portolan_read_int64(text, &value) || value < 0)) {
        value = 0;
        reader_complain(r, e, "%s=\"%s\" is not a count", name, text);
    }
    return (size_t)value;
}

/* The index of attribute NAME's value among N words. */
static size_t read_word(struct reader *r, const struct xml_element *e, const char *name,
                        const char *const *words, size_t n)
{
    const char *text = needed_attribute(r, e, name);

    for (size_t i = 0; text && i < n; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    if (text)
        reader_complain(r, e, "%s=\"%s\" is not a word that is known here%s", name, text,
                        reader_hint(text, words, n).text);
    return 0;
}

static void take_text(struct reader *r, const struct xml_element *e, const char *name,
                      const char **to)
{
    const char *text = xml_value(e, name);

    free((char *)*to);
    *to = portolan_strdup(text);
    if (text && !*to)
        reader_no_memory(r);
}

/* ---- the parts of a model ---- */

static void read_provenance(struct reader *r, const struct xml_element *node,
                            struct portolan_model *m)
{
    CHECK_ATTRIBUTES(r, node, "machine", "program", "source", "created");
    take_text(r, node, "machine", &m->envelope.machine);
    take_text(r, node, "program", &m->envelope.program);
    take_text(r, node, "source", &m->envelope.source);
    take_text(r, node, "created", &m->envelope.created);
}

static void read_range(struct reader *r, const struct xml_element *node,
                       struct portolan_model_range *range)
{
    range->min = read_number(r, node, "min", -INFINITY, -INFINITY);
    range->max = read_number(r, node, "max", INFINITY, -INFINITY);
    range->drift_below = read_number(r, node, "drift-below", 0, 0);
    range->drift_above = read_number(r, node, "drift-above", 0, 0);
    if (range->min > range->max)
        reader_complain(r, node, "min is greater than max");
}

static void read_parameter(struct reader *r, const struct xml_element *node,
                           struct portolan_model *m)
{
    const char *name = NULL, *wrong;

    CHECK_ATTRIBUTES(r, node, "name", "unit", "min", "max", "drift-below", "drift-above");
    if (m->n_params == MODEL_PARAMS) {
        reader_complain(r, node, "a model can have at most %d parameters", (int)MODEL_PARAMS);
        return;
    }
    if (!needed_attribute(r, node, "name"))
        return;
    take_text(r, node, "name", &name);
    if (!name)
        return;
    m->params[m->n_params] = (char *)name;
    take_text(r, node, "unit", &m->envelope.param_units[m->n_params]);
    m->n_params++;
    if ((wrong = model_check_params(m->n_params, (const char *const *)m->params)))
        reader_complain(r, node, "%s", wrong);
    read_range(r, node, &m->range[m->n_params - 1]);
}

static void read_combination(struct reader *r, const struct xml_element *node,
                             struct portolan_model *m)
{
    const char *const *names = (const char *const *)m->params;
    size_t a, b;

    CHECK_ATTRIBUTES(r, node, "of", "with", "ratio-min", "ratio-max", "product-min", "product-max");
    a = read_word(r, node, "of", names, m->n_params);
    b = read_word(r, node, "with", names, m->n_params);
    if (m->n_params < 2 || a >= b) {
        reader_complain(r, node, "of and with must be two parameters, in the order of the model");
        return;
    }
    *hull_pair(&m->hull, a, b) = (struct hull_pair){
        read_number(r, node, "ratio-min", -INFINITY, -INFINITY),
        read_number(r, node, "ratio-max", INFINITY, -INFINITY),
        read_number(r, node, "product-min", -INFINITY, -INFINITY),
        read_number(r, node, "product-max", INFINITY, -INFINITY),
    };
}

/* The expression in the <math> inside NODE; NULL after a complaint. */
static const struct xml_element *expression_inside(struct reader *r, const struct xml_element *node)
{
    const struct xml_element *math = reader_first(r, node), *body;

    if (!reader_is(math, "math") || math->next || !reader_is_in(math, MATHML_NAMESPACE)) {
        reader_complain(r, node, "<%s> must contain one <math xmlns=\"" MATHML_NAMESPACE "\">",
                        node->name);
        return NULL;
    }
    body = reader_first(r, math);
    if (body && !body->next)
        return body;
    reader_complain(r, math, "<math> must contain one expression");
    return NULL;
}

/* Checks that the <bvar>s are the parameters; returns the expression after them, NULL after a
 * complaint. */
static const struct xml_element *
behind_variables(struct reader *r, const struct xml_element *lambda, const struct portolan_model *m)
{
    const struct xml_element *node = reader_first(r, lambda);
    size_t p = 0;

    for (; node && reader_is(node, "bvar"); node = node->next, p++) {
        const struct xml_element *ci = reader_first(r, node);
        const char *name = reader_is(ci, "ci") ? mathml_text(r, ci) : NULL;
        bool same = name && p < m->n_params && strcmp(name, m->params[p]) == 0;

        if (!same) {
            reader_complain(r, node, "variable %zu is not parameter %zu%s%s%s", p + 1, p + 1,
                            p < m->n_params ? ", \"" : "", p < m->n_params ? m->params[p] : "",
                            p < m->n_params ? "\"" : "");
            return NULL;
        }
    }
    if (p == m->n_params && node && !node->next)
        return node;
    reader_complain(r, lambda, "<lambda> must contain one <bvar> per parameter and one expression");
    return NULL;
}

static void read_one_piece(struct reader *r, const struct xml_element *node,
                           struct portolan_model *m)
{
    struct piece *piece = &m->pieces[m->n_pieces];
    const struct xml_element *condition, *value = mathml_piece(r, node, &condition);
    struct sum sum = {0};

    if (!value)
        return;
    if (model_create(m->n_params, (const char *const *)m->params, &piece->model, NULL)) {
        reader_no_memory(r);
        return;
    }
    m->n_pieces++;
    if (!xml_read_conditions(r, condition, m, piece) ||
        !xml_read_terms(r, value, piece->model, &sum))
        return;
    piece->model->n_terms = sum.n;
    memcpy(piece->model->terms, sum.term, sum.n * sizeof *sum.term);
}

/* The function of a model whose envelope has pieces. */
static void read_pieces(struct reader *r, const struct xml_element *body, struct portolan_model *m)
{
    const struct xml_element *piece = reader_is(body, "piecewise") ? reader_first(r, body) : NULL;
    size_t n = 0;

    if (m->pieces)
        return;
    if (model_make_pieces(m, NULL)) {
        reader_no_memory(r);
        return;
    }
    for (; piece && reader_is(piece, "piece") && n < r->n_pieces && n < MODEL_PIECES;
         piece = piece->next, n++)
        read_one_piece(r, piece, m);
    if (piece || n != r->n_pieces || n < 2)
        reader_complain(r, body,
                        "a model of pieces must have as many <piece>s in one <piecewise> as after "
                        "<function>, 2 to %d, and no <otherwise>",
                        (int)MODEL_PIECES);
}

static void read_function(struct reader *r, const struct xml_element *node,
                          struct portolan_model *m)
{
    const struct xml_element *body = expression_inside(r, node);
    struct sum sum = {0};

    if (reader_is(body, "lambda"))
        body = behind_variables(r, body, m);
    if (body && r->n_pieces)
        read_pieces(r, body, m);
    else if (body && xml_read_terms(r, body, m, &sum)) {
        m->n_terms = sum.n;
        memcpy(m->terms, sum.term, sum.n * sizeof *sum.term);
    }
}

static void read_fit(struct reader *r, const struct xml_element *node, struct portolan_model *m)
{
    static const char *const weightings[] = {"relative", "absolute"};
    static const char *const signs[] = {"any", "non-negative", "bounded"};
    struct portolan_model_summary *s = &m->summary;
    size_t sign;

    CHECK_ATTRIBUTES(r, node, "family", "weighting", "constants", "statistic", "kind", "rows",
                     "points", "outliers", "condition", "floor");
    s->family = (enum portolan_model_family)(
        1u << read_word(r, node, "family", model_families, MODEL_FAMILIES));
    s->weighting = (enum portolan_model_weighting)read_word(r, node, "weighting", weightings, 2);
    sign = read_word(r, node, "constants", signs, 3);
    s->nonnegative = sign == 1;
    s->bounded = sign == 2;
    if (xml_value(node, "statistic"))
        s->statistic = (enum portolan_model_statistic)read_word(r, node, "statistic",
                                                                xml_statistics, N_STATISTICS);
    if (xml_value(node, "kind"))
        s->kind = (enum portolan_model_kind)read_word(r, node, "kind", xml_kinds, 3);
    s->n_rows = read_count(r, node, "rows");
    s->n_points = read_count(r, node, "points");
    s->n_outliers = read_count(r, node, "outliers");
    s->condition = read_number(r, node, "condition", INFINITY, 0);
    s->floor = read_number(r, node, "floor", 0, 0);
    if ((s->family == PORTOLAN_MODEL_PIECEWISE) != (m->n_pieces > 0))
        reader_complain(r, node, "family=\"piecewise\" is only for models with <piece>s");
    if (s->n_points > s->n_rows || s->n_outliers > s->n_points)
        reader_complain(r, node,
                        "a fit cannot have more points than rows, or more outliers than points");
}

static void read_error(struct reader *r, const struct xml_element *node, struct portolan_model *m)
{
    static const char *const answers[] = {"false", "true"};
    struct portolan_model_summary *s = &m->summary;

    CHECK_ATTRIBUTES(r, node, "sigma", "assumed", "dof", "confidence", "repeat", "rms", "max",
                     "leave-one-out");
    s->sigma = needed_number(r, node, "sigma");
    s->sigma_is_assumed = read_word(r, node, "assumed", answers, 2) == 1;
    s->dof = needed_number(r, node, "dof");
    s->confidence = read_number(r, node, "confidence", 0.95, 0);
    s->rms = read_number(r, node, "rms", 0, 0);
    s->max = read_number(r, node, "max", 0, 0);
    s->sigma_repeat = read_number(r, node, "repeat", NAN, 0);
    s->leave_one_out = read_number(r, node, "leave-one-out", NAN, 0);
    if (!(s->confidence > 0 && s->confidence < 1))
        reader_complain(r, node, "confidence is not between 0 and 1");
}

/* ---- estimates ---- */

static void read_estimate(struct reader *r, const struct xml_element *node,
                          struct portolan_model *m)
{
    bool exponent = reader_is(node, "exponent");
    struct estimate *e = &m->estimates[m->n_estimates];
    size_t term = read_count(r, node, "term");

    if (exponent)
        CHECK_ATTRIBUTES(r, node, "term", "parameter");
    else
        CHECK_ATTRIBUTES(r, node, "term");
    if (m->n_estimates == MODEL_ESTIMATES || !term || term > m->n_terms) {
        reader_complain(r, node, "the model has no term %zu, or there are too many estimates",
                        term);
        return;
    }
    *e = (struct estimate){term - 1, CONSTANT_ESTIMATE};
    if (exponent) {
        size_t p = read_word(r, node, "parameter", (const char *const *)m->params, m->n_params);

        e->param = (int)p;
        m->terms[e->term].fitted_exponents |= 1u << p;
    }
    m->n_estimates++;
}

/* The lower triangle, row by row. */
static void read_covariance(struct reader *r, const struct xml_element *node,
                            struct portolan_model *m)
{
    char *rest = portolan_arena_strdup(&r->arena, node->text), *token;
    size_t n = m->n_estimates;
    bool good = !node->children && !m->covariance;

    check_attributes(r, node, NULL, 0);
    free(m->covariance);
    m->covariance = portolan_calloc(n * n + 1, sizeof *m->covariance);
    if (!m->covariance || !rest) {
        reader_no_memory(r);
        return;
    }
    for (size_t i = 0; i < n && good; i++)
        for (size_t j = 0; j <= i && good; j++) {
            double value = 0;

            token = strtok_r(rest, " \t\r\n", &rest);
            good = token && reader_number(token, &value) && (i != j || value >= 0);
            m->covariance[i * n + j] = m->covariance[j * n + i] = value;
        }
    if (!good || strtok_r(rest, " \t\r\n", &rest))
        reader_complain(r, node,
                        "<covariance> must contain the lower triangle of %zu rows, %zu numbers, "
                        "without negative ones on the diagonal",
                        n, n * (n + 1) / 2);
}

static void read_estimates(struct reader *r, const struct xml_element *node,
                           struct portolan_model *m)
{
    check_attributes(r, node, NULL, 0);
    for (const struct xml_element *child = reader_first(r, node); child; child = child->next)
        if (m->covariance)
            reader_complain(r, child, "<covariance> must be the last element of <estimates>");
        else if (reader_is(child, "constant") || reader_is(child, "exponent"))
            read_estimate(r, child, m);
        else if (reader_is(child, "covariance"))
            read_covariance(r, child, m);
        else
            reader_complain(r, child, "<estimates> cannot contain <%s>", child->name);
    if (!m->covariance && !r->status)
        reader_complain(r, node, "<estimates> lacks <covariance>");
}

static void read_dropped(struct reader *r, const struct xml_element *node, struct portolan_model *m)
{
    static const char *const reasons[] = {"negative", "dependent"};
    const struct xml_element *body = expression_inside(r, node);
    struct sum sum;

    CHECK_ATTRIBUTES(r, node, "reason");
    if (!body || !xml_read_terms(r, body, m, &sum))
        return;
    if (sum.n != 1 || m->n_dropped == MODEL_TERMS) {
        reader_complain(r, node,
                        "<dropped> must contain one term, and a model can have at most %d of them",
                        (int)MODEL_TERMS);
        return;
    }
    m->dropped[m->n_dropped].shape = sum.term[0].shape;
    m->dropped[m->n_dropped++].reason =
        (enum portolan_model_drop)read_word(r, node, "reason", reasons, 2);
}

/* ---- pieces and breaks ---- */

struct part {
    const char *name;
    void (*read)(struct reader *r, const struct xml_element *node, struct portolan_model *m);
    bool required, repeats;
};

static void read_parts(struct reader *r, const struct xml_element *parent, const struct part *parts,
                       size_t n, struct portolan_model *m);

/* A piece has the parameters of the model, in their order, with its own ranges. */
static void read_piece_range(struct reader *r, const struct xml_element *node,
                             struct portolan_model *m)
{
    const char *name = xml_value(node, "name");

    CHECK_ATTRIBUTES(r, node, "name", "min", "max", "drift-below", "drift-above");
    if (r->n_ranges < m->n_params && name && strcmp(name, m->params[r->n_ranges]) == 0)
        read_range(r, node, &m->range[r->n_ranges++]);
    else
        reader_complain(r, node,
                        "a <piece> must have the parameters of the model, in the same order");
}

static const struct part piece_parts[] = {
    {"parameter", read_piece_range, false, true},
    {"combination", read_combination, false, true},
    {"fit", read_fit, true, false},
    {"error", read_error, true, false},
    {"estimates", read_estimates, false, false},
    {"dropped", read_dropped, false, true},
};

static void read_piece(struct reader *r, const struct xml_element *node, struct portolan_model *m)
{
    check_attributes(r, node, NULL, 0);
    /* read_pieces() has already complained of a <piece> that the function lacks. */
    if (r->piece >= m->n_pieces)
        return;
    r->n_ranges = 0;
    read_parts(r, node, piece_parts, sizeof piece_parts / sizeof *piece_parts,
               m->pieces[r->piece].model);
    if (r->n_ranges != m->n_params)
        reader_complain(r, node, "a <piece> must have all parameters of the model");
    r->piece++;
}

static void read_break(struct reader *r, const struct xml_element *node, struct portolan_model *m)
{
    struct portolan_model_break *b;

    CHECK_ATTRIBUTES(r, node, "parameter", "divisor", "below", "above", "at", "low", "high");
    if (!m->breaks || m->n_breaks == MODEL_PIECES || !m->n_params) {
        reader_complain(r, node, "only a model with <piece>s can have breaks, at most %d",
                        (int)MODEL_PIECES);
        return;
    }
    b = &m->breaks[m->n_breaks++];
    b->param = read_word(r, node, "parameter", (const char *const *)m->params, m->n_params);
    b->divisor = SIZE_MAX;
    if (xml_value(node, "divisor"))
        b->divisor = read_word(r, node, "divisor", (const char *const *)m->params, m->n_params);
    b->below = read_number(r, node, "below", -INFINITY, -INFINITY);
    b->above = read_number(r, node, "above", INFINITY, -INFINITY);
    b->low = read_number(r, node, "low", -INFINITY, -INFINITY);
    b->high = read_number(r, node, "high", INFINITY, -INFINITY);
    b->at = read_number(r, node, "at", NAN, -INFINITY);
    if (!(b->below <= b->at && b->at <= b->above && b->low <= b->high))
        reader_complain(r, node, "at must be between below and above, and low cannot exceed high");
}

/* ---- the whole ---- */

/* In the order of the grammar: later parts refer to earlier ones. */
static const struct part model_parts[] = {
    {"provenance", read_provenance, false, false},
    {"parameter", read_parameter, false, true},
    {"combination", read_combination, false, true},
    {"function", read_function, true, false},
    {"fit", read_fit, true, false},
    {"error", read_error, true, false},
    {"estimates", read_estimates, false, false},
    {"dropped", read_dropped, false, true},
    {"piece", read_piece, false, true},
    {"break", read_break, false, true},
};
enum { N_MODEL_PARTS = sizeof model_parts / sizeof *model_parts };

static size_t which_part(const struct xml_element *node, const struct part *parts, size_t n)
{
    size_t i = 0;

    while (i < n && !reader_is(node, parts[i].name))
        i++;
    return i;
}

static void read_parts(struct reader *r, const struct xml_element *parent, const struct part *parts,
                       size_t n, struct portolan_model *m)
{
    const char *names[N_MODEL_PARTS], *of = parent->name;
    size_t reached = 0, part;

    for (size_t i = 0; i < n; i++)
        names[i] = parts[i].name;
    for (const struct xml_element *node = reader_first(r, parent); node; node = node->next) {
        part = which_part(node, parts, n);
        if (part == n || !reader_is_in(node, MODEL_NAMESPACE)) {
            reader_complain(r, node, "<%s> cannot contain <%s>%s", of, node->name,
                            reader_hint(node->name, names, n).text);
            continue;
        }
        if (part < reached) {
            reader_complain(r, node, "<%s> is out of place", parts[part].name);
            continue;
        }
        for (; reached < part; reached++)
            if (parts[reached].required)
                reader_complain(r, node, "<%s> is missing before <%s>", parts[reached].name,
                                parts[part].name);
        reached = part + !parts[part].repeats;
        parts[part].read(r, node, m);
    }
    for (; reached < n; reached++)
        if (parts[reached].required)
            reader_complain(r, parent, "<%s> lacks <%s>", of, parts[reached].name);
}

static void read_root(struct reader *r, const struct xml_element *root, struct portolan_model *m)
{
    CHECK_ATTRIBUTES(r, root, "name", "unit", "quality");
    take_text(r, root, "name", &m->envelope.name);
    take_text(r, root, "unit", &m->envelope.unit);
    take_text(r, root, "quality", &m->envelope.quality);
    r->n_pieces = xml_count(root, "piece");
    read_parts(r, root, model_parts, N_MODEL_PARTS, m);
}

static enum portolan_status finish_model(struct portolan_model *m, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < m->n_pieces && !status; i++)
        status = model_finish(m->pieces[i].model, err);
    return status ? status : model_finish(m, err);
}

enum portolan_status portolan_model_read_xml(const char *text, size_t size, const char *file,
                                             struct portolan_diagnostics *diagnostics,
                                             struct portolan_model **model,
                                             struct portolan_error *err)
{
    struct reader r = {.diagnostics = diagnostics, .err = err};
    struct portolan_diagnostics d = {reader_report, &r, 0};
    struct portolan_model *m = NULL;
    struct xml_element *root;

    file = file ? file : "model";
    if (size > PORTOLAN_MODEL_MAX_XML_BYTES || !size) {
        portolan_diagnose(&d, file, 1, 0, "a model must have 1 to %d bytes, not %zu",
                          (int)PORTOLAN_MODEL_MAX_XML_BYTES, size);
        return PORTOLAN_ESYNTAX;
    }
    r.status = xml_read_text(&r.arena, text, size, file, XML_NAMESPACES, &d, &root, err);
    if (!r.status && (!reader_is(root, "model") || !reader_is_in(root, MODEL_NAMESPACE)))
        reader_complain(&r, root, "a model must start with <model xmlns=\"" MODEL_NAMESPACE "\">");
    if (!r.status)
        r.status = model_create(0, NULL, &m, err);
    if (!r.status)
        read_root(&r, root, m);
    if (!r.status)
        r.status = finish_model(m, err);
    portolan_arena_clear(&r.arena);
    if (r.status) {
        portolan_model_destroy(m);
        return portolan_error_set(err, r.status, "%s: no memory to read a model", file);
    }
    *model = m;
    return PORTOLAN_OK;
}
