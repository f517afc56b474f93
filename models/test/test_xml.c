/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as XML: the round trip, the grammar, foreign MathML, and everything that is wrong. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/relaxng.h>

static xmlRelaxNG *grammar;

static void silent(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

static int load_grammar(void **state)
{
    xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewParserCtxt(GRAMMAR_FILE);

    grammar = parser ? xmlRelaxNGParse(parser) : NULL;
    xmlRelaxNGFreeParserCtxt(parser);
    return grammar ? 0 : -1;
}

static int free_grammar(void **state)
{
    xmlRelaxNGFree(grammar);
    xmlRelaxNGCleanupTypes();
    xmlCleanupParser();
    return 0;
}

static bool is_valid(const char *text)
{
    xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlRelaxNGValidCtxt *valid = xmlRelaxNGNewValidCtxt(grammar);
    bool good;

    xmlRelaxNGSetValidErrors(valid, silent, silent, NULL);
    good = doc && xmlRelaxNGValidateDoc(valid, doc) == 0;
    xmlRelaxNGFreeValidCtxt(valid);
    xmlFreeDoc(doc);
    return good;
}

static struct portolan_model *read_text(const char *text)
{
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    if (portolan_model_read_xml(text, strlen(text), "it.xml", NULL, &model, &err))
        fail_msg("read: %s in\n%s", err.text, text);
    return model;
}

static void assert_same_double(double a, double b)
{
    if (isnan(a) && isnan(b))
        return;
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%a is not %a", a, b);
}

static void assert_same(const struct portolan_model *a, const struct portolan_model *b)
{
    static const double at[][3] = {{1, 1, 1}, {20, 3, 7}, {64.5, 2, 1000}, {1e5, 400, 2}};

    assert_int_equal(a->n_terms, b->n_terms);
    for (size_t j = 0; j < a->n_terms; j++) {
        assert_same_double(a->terms[j].constant, b->terms[j].constant);
        assert_same_double(a->terms[j].std_error, b->terms[j].std_error);
        assert_int_equal(a->terms[j].fitted_exponents, b->terms[j].fitted_exponents);
        assert_true(shape_equal(&a->terms[j].shape, &b->terms[j].shape, a->n_params));
    }
    for (size_t p = 0; p < a->n_params; p++) {
        assert_string_equal(a->params[p], b->params[p]);
        assert_memory_equal(&a->range[p], &b->range[p], sizeof a->range[p]);
    }
    assert_same_double(a->summary.condition, b->summary.condition);
    assert_same_double(a->summary.leave_one_out, b->summary.leave_one_out);
    assert_same_double(a->summary.sigma_repeat, b->summary.sigma_repeat);
    for (size_t i = 0; i < COUNT(at); i++) {
        struct portolan_prediction p = {0}, q = {0};

        assert_int_equal(portolan_model_predict(a, at[i], &p),
                         portolan_model_predict(b, at[i], &q));
        assert_same_double(p.value, q.value);
        assert_same_double(p.low, q.low);
        assert_same_double(p.high, q.high);
        assert_int_equal(p.extrapolates, q.extrapolates);
        assert_int_equal(p.is_assumed, q.is_assumed);
    }
}

/* Writes, checks by the grammar, reads, compares, writes again: the same text. */
static void assert_round_trip(const struct portolan_model *model)
{
    char *text, *again;
    struct portolan_model *back;

    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    if (!is_valid(text))
        fail_msg("not valid:\n%s", text);
    back = read_text(text);
    assert_same(model, back);
    assert_int_equal(portolan_model_write_xml(back, &again, NULL), PORTOLAN_OK);
    assert_string_equal(text, again);
    free(text);
    free(again);
    portolan_model_destroy(back);
}

static struct portolan_model *random_model(uint64_t *seed)
{
    size_t n_params = (size_t)(uniform(seed) * 4), n = 1 + (size_t)(uniform(seed) * 20);
    double x[3 * 20], y[20], power = 4 * uniform(seed) - 1, scale = pow(10, 12 * uniform(seed) - 9);
    struct portolan_model_options options = {
        .allow_negative = uniform(seed) < 0.3,
        .weighting = uniform(seed) < 0.3 ? PORTOLAN_MODEL_ABSOLUTE : PORTOLAN_MODEL_RELATIVE};

    for (size_t i = 0; i < n; i++) {
        y[i] = scale * (1 + 0.1 * normal(seed));
        for (size_t p = 0; p < n_params; p++) {
            x[i * n_params + p] = floor(1 + 30 * uniform(seed)) * (p == 1 ? 0.37 : 1);
            y[i] *= pow(x[i * n_params + p], p ? 1 : power);
        }
    }
    return fit_rows(n_params, n, x, y, &options);
}

static void random_models_survive_the_round_trip_bit_by_bit(void **state)
{
    uint64_t seed = 19991231;

    for (int i = 0; i < 300; i++) {
        struct portolan_model *model = random_model(&seed);

        assert_round_trip(model);
        portolan_model_destroy(model);
    }
}

static void envelope_and_dropped_terms_survive_too(void **state)
{
    static const char *const names[] = {"größe<&>"};
    static const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {5, 7, 9.2, 11, 13, 15.1};
    struct portolan_model_shape shapes[] = {
        {.logs = {0}}, {.exponents = {1}}, {.exponents = {3}}, {.exponents = {1}}};
    struct portolan_model_data data = {1, names, 6, x, y, NULL};
    struct portolan_model_envelope about = {.name = "a \"b\" <c> & 'd'\n\te",
                                            .unit = "µs",
                                            .machine = "here",
                                            .source = "store.db",
                                            .created = "2026-11-21",
                                            .param_units = {"cells"}};
    struct portolan_model *model, *back;
    char *text;

    assert_int_equal(portolan_model_fit_terms(&data, shapes, 4, NULL, &model, NULL), PORTOLAN_OK);
    assert_true(model->n_dropped >= 1);
    assert_int_equal(portolan_model_describe(model, &about, NULL), PORTOLAN_OK);
    assert_round_trip(model);
    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    back = read_text(text);
    assert_string_equal(back->envelope.name, about.name);
    assert_string_equal(back->envelope.unit, about.unit);
    assert_string_equal(back->envelope.param_units[0], "cells");
    assert_null(back->envelope.program);
    assert_int_equal(back->n_dropped, model->n_dropped);
    free(text);
    portolan_model_destroy(back);
    portolan_model_destroy(model);
}

/* ---- expressions and pieces ---- */

static struct portolan_model *fitted_by(const char *text, size_t n_params, size_t n,
                                        const double *x, const double *y)
{
    static const char *const names[] = {"n", "p"};
    struct portolan_model_data data = {n_params, names, n, x, y, NULL};
    struct portolan_formula *f = NULL;
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    if (portolan_formula_parse(text, strlen(text), "it", 1, 1, NULL, &f, &err) ||
        portolan_model_fit_formula(&data, f, NULL, &model, &err))
        fail_msg("%s: %s", text, err.text);
    portolan_formula_destroy(f);
    return model;
}

static const double two_x[] = {16, 1, 16, 2, 32, 1, 32, 2, 48, 1, 48, 2, 64, 1, 64, 2};
static const double two_y[] = {1.1, 1.9, 4.2, 8.1, 9.3, 18.2, 15.8, 33};

static void users_formulas_survive_as_they_are(void **state)
{
    static const char *const texts[] = {
        "c[0] + c[1]*log(n) + c[2]*n*n*p",
        "c[0]*log10(p) + c[1]*(n/p)*log(n/p) + c[2]*n*(p-1)/p",
        "c[0]*exp(-1/n) + c[1]*sqrt(n + p) - c[2]*min(n, p, 3)",
        "c[0]*(n < 40 ? n : n^2) + c[1]*(n > 3 && !(p == 2) || p != 1)",
        "c[0]*(2*n + 3) + c[1]*n*exp(p)",
        "c[0]*log(n, p + 3) + c[1]*abs(floor(n/3) - ceil(p)) + c[2]*cbrt(n)*max(p, 1.5)",
        "c[0]*-log(n/3) + c[1]*3*p*-(n + 1)",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct portolan_model *model = fitted_by(texts[i], 2, 8, two_x, two_y);

        assert_true(model->n_terms + model->n_dropped >= 2);
        assert_round_trip(model);
        portolan_model_destroy(model);
    }
}

/* What the formula language lets pass, XML must carry. */
static void the_highest_formulas_survive_too(void **state)
{
    static const char *const units[] = {"-n", "/(n+9)", "*2/p"}, *const opening[] = {"log(n+3,",
                                                                                     "p<3?"};
    struct portolan_text text = {0};
    struct portolan_model *model;

    for (size_t i = 0; i < COUNT(units); i++) {
        portolan_text_add(&text, "c[0] + c[1]*(1e9*p");
        for (int k = 0; k < 95; k++)
            portolan_text_add(&text, "%s", units[i]);
        portolan_text_add(&text, ")");
        model = fitted_by(text.bytes, 2, 8, two_x, two_y);
        assert_round_trip(model);
        portolan_model_destroy(model);
        portolan_text_clear(&text);
    }
    for (size_t i = 0; i < COUNT(opening); i++) {
        portolan_text_add(&text, "c[0] + c[1]*(");
        for (int k = 0; k < 60; k++)
            portolan_text_add(&text, "%s", opening[i]);
        portolan_text_add(&text, "n");
        for (int k = 0; k < 60; k++)
            portolan_text_add(&text, i ? ":n+%d" : "+9)", k);
        portolan_text_add(&text, ")");
        model = fitted_by(text.bytes, 2, 8, two_x, two_y);
        assert_round_trip(model);
        portolan_model_destroy(model);
        portolan_text_clear(&text);
    }
}

static struct portolan_model *in_pieces(void)
{
    static const char *const names[] = {"n", "p"};
    struct portolan_model *m = NULL;

    assert_int_equal(model_create(2, names, &m, NULL), PORTOLAN_OK);
    assert_int_equal(model_make_pieces(m, NULL), PORTOLAN_OK);
    m->pieces[0].model = fitted_by("c[0] + c[1]*n*p", 2, 8, two_x, two_y);
    m->pieces[1].model = fitted_by("c[0]*exp(n/64) + c[1]*n", 2, 8, two_x, two_y);
    m->pieces[2].model = fitted_by("c[0]", 2, 8, two_x, two_y);
    m->n_pieces = 3;
    m->pieces[0].n_conditions = m->pieces[2].n_conditions = 1;
    m->pieces[1].n_conditions = 2;
    m->pieces[0].conditions[0] = (struct portolan_model_condition){0, SIZE_MAX, -INFINITY, 20.5};
    m->pieces[1].conditions[0] = (struct portolan_model_condition){0, SIZE_MAX, 20.5, INFINITY};
    m->pieces[1].conditions[1] = (struct portolan_model_condition){0, 1, 0.25, 1.0 / 3};
    m->pieces[2].conditions[0] = (struct portolan_model_condition){0, SIZE_MAX, 20.5, INFINITY};
    m->breaks[0] = (struct portolan_model_break){0, SIZE_MAX, 16, 32, 20.5, 16, 32};
    m->breaks[1] = (struct portolan_model_break){0, 1, 0.2, 0.5, 1.0 / 3, 0.1, 0.5};
    m->n_breaks = 2;
    m->summary = m->pieces[1].model->summary;
    m->summary.family = PORTOLAN_MODEL_PIECEWISE;
    m->summary.statistic = PORTOLAN_MODEL_DEVIATION;
    memcpy(m->range, m->pieces[0].model->range, sizeof m->range);
    m->range[0].max = 256;
    assert_int_equal(model_finish(m, NULL), PORTOLAN_OK);
    return m;
}

static void models_of_pieces_survive_with_their_breaks(void **state)
{
    struct portolan_model *model = in_pieces(), *back;
    struct portolan_model_envelope about = {.name = "f", .unit = "1", .quality = "accuracy"};
    char *text = NULL;

    assert_int_equal(portolan_model_describe(model, &about, NULL), PORTOLAN_OK);
    assert_round_trip(model);
    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    back = read_text(text);
    assert_string_equal(portolan_model_peek_envelope(back)->quality, "accuracy");
    assert_string_equal(portolan_model_peek_formula(back), portolan_model_peek_formula(model));
    assert_int_equal(back->summary.statistic, PORTOLAN_MODEL_DEVIATION);
    assert_int_equal(back->n_pieces, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_same(model->pieces[i].model, back->pieces[i].model);
        assert_int_equal(back->pieces[i].n_conditions, model->pieces[i].n_conditions);
        for (size_t j = 0; j < model->pieces[i].n_conditions; j++)
            assert_memory_equal(&back->pieces[i].conditions[j], &model->pieces[i].conditions[j],
                                sizeof model->pieces[i].conditions[j]);
    }
    assert_int_equal(back->n_breaks, 2);
    assert_memory_equal(back->breaks, model->breaks, 2 * sizeof *model->breaks);
    free(text);
    portolan_model_destroy(back);
    portolan_model_destroy(model);
}

/* A file of the first version, written before there were expressions and pieces. */
static void old_files_are_read_and_written_the_same(void **state)
{
    static const char old[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<model xmlns=\"urn:portolan:model:1\" name=\"f\" unit=\"s\">\n"
        "  <provenance machine=\"here\"/>\n"
        "  <parameter name=\"n\" min=\"16\" max=\"64\" drift-below=\"0.02\" "
        "drift-above=\"0.02\"/>\n"
        "  <function>\n    <math xmlns=\"http://www.w3.org/1998/Math/MathML\">\n"
        "      <lambda>\n        <bvar><ci>n</ci></bvar>\n        <apply><plus/>\n"
        "          <cn>0.12</cn>\n"
        "          <apply><times/><cn "
        "type=\"e-notation\">3.4<sep/>-07</cn><apply><power/><ci>n</ci>"
        "<cn>1.5</cn></apply><apply><power/><apply><log/><logbase><cn type=\"integer\">2</cn>"
        "</logbase><ci>n</ci></apply><cn type=\"integer\">2</cn></apply></apply>\n"
        "        </apply>\n      </lambda>\n    </math>\n  </function>\n"
        "  <fit family=\"given\" weighting=\"relative\" constants=\"non-negative\" rows=\"4\" "
        "points=\"4\" outliers=\"0\" condition=\"3\" floor=\"0\"/>\n"
        "  <error sigma=\"0.01\" assumed=\"false\" dof=\"2\" confidence=\"0.95\" rms=\"0.01\" "
        "max=\"0.02\" leave-one-out=\"0.02\"/>\n"
        "  <estimates>\n    <constant term=\"1\"/>\n    <exponent term=\"2\" parameter=\"n\"/>\n"
        "    <covariance>\n      1\n      0.5 2\n    </covariance>\n  </estimates>\n"
        "  <dropped reason=\"negative\">\n    <math xmlns=\"http://www.w3.org/1998/Math/MathML\">"
        "<apply><times/><cn type=\"integer\">1</cn><ci>n</ci></apply></math>\n  </dropped>\n"
        "</model>\n";
    struct portolan_model *model = read_text(old);
    char *text = NULL;

    assert_true(is_valid(old));
    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    assert_string_equal(text, old);
    free(text);
    portolan_model_destroy(model);
}

static void reading_and_writing_survive_failing_allocations(void **state)
{
    struct portolan_model *models[] = {in_pieces(),
                                       fitted_by("c[0]*log(n) + c[1]*exp(-p)", 2, 8, two_x, two_y)};

    for (size_t i = 0; i < 2; i++) {
        enum portolan_status status = PORTOLAN_ENOMEM;
        char *text = NULL, *again = NULL;

        assert_int_equal(portolan_model_write_xml(models[i], &text, NULL), PORTOLAN_OK);
        for (unsigned long n = 1; status && n < 1000; n++) {
            struct portolan_model *model = NULL;
            struct portolan_error err = {0};

            portolan_alloc_fail_at(n);
            status = portolan_model_read_xml(text, strlen(text), "it.xml", NULL, &model, &err);
            if (!status)
                status = portolan_model_write_xml(model, &again, &err);
            portolan_alloc_fail_at(0);
            assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
            assert_int_equal(err.status, status);
            portolan_model_destroy(model);
        }
        assert_int_equal(status, PORTOLAN_OK);
        assert_string_equal(text, again);
        free(text);
        free(again);
        portolan_model_destroy(models[i]);
    }
}

static void text_that_xml_cannot_carry_is_refused(void **state)
{
    static const char *const bad[] = {"bell \a", "broken \xc3(", "\xef\xbf\xbf"};
    static const double y[] = {1};
    struct portolan_model *model = fit_rows(0, 1, NULL, y, NULL);

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct portolan_model_envelope about = {.name = bad[i]};
        struct portolan_error err = {0};

        assert_int_equal(portolan_model_describe(model, &about, &err), PORTOLAN_EINVAL);
        assert_non_null(strstr(err.text, "UTF-8"));
    }
    portolan_model_destroy(model);
}

static void known_models_survive_without_an_error(void **state)
{
    static const char *const names[] = {"n", "p"};
    struct portolan_model_term terms[] = {
        {.constant = -1.5}, {.constant = 0.1, .shape = {.exponents = {1, -1}, .logs = {2, 0}}}};
    static const double at[] = {8, 4};
    struct portolan_model *model;
    struct portolan_prediction p;

    for (size_t n = 0; n <= 2; n++) {
        assert_int_equal(portolan_model_create(2, names, terms, n, &model, NULL), PORTOLAN_OK);
        assert_round_trip(model);
        assert_int_equal(portolan_model_predict(model, at, &p), PORTOLAN_OK);
        assert_near(p.value, n == 0 ? 0 : n == 1 ? -1.5 : -1.5 + 0.1 * 8 / 4 * 9, 1e-14);
        assert_true(p.low == p.value && p.high == p.value && !p.extrapolates);
        portolan_model_destroy(model);
    }
}

/* ---- MathML as others write it ---- */

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<model xmlns=\"urn:portolan:model:1\" name=\"f\">\n"                 \
    "<parameter name=\"n\" min=\"1\" max=\"8\"/>\n<parameter name=\"p\"/>\n"
#define BEFORE                                                                                     \
    "<function><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><lambda>"                        \
    "<bvar><ci>n</ci></bvar><bvar><ci> p </ci></bvar>\n"
#define AFTER "\n</lambda></math></function>\n"
#define FIT                                                                                        \
    "<fit family=\"given\" weighting=\"relative\" constants=\"any\" rows=\"3\" points=\"3\" "      \
    "outliers=\"0\"/>\n"
#define ERROR "<error sigma=\"0.1\" assumed=\"false\" dof=\"2\"/>\n"
#define END   "</model>\n"
#define FIT_PIECEWISE                                                                              \
    "<fit family=\"piecewise\" weighting=\"relative\" constants=\"any\" rows=\"6\" points=\"6\" "  \
    "outliers=\"0\"/>\n"
#define PIECEWISE                                                                                  \
    "<piecewise><piece><cn>1</cn><apply><lt/><ci>n</ci><cn>4</cn></apply></piece>"                 \
    "<piece><ci>n</ci><apply><geq/><ci>n</ci><cn>4</cn></apply></piece></piecewise>"
#define PIECE                                                                                      \
    "<piece><parameter name=\"n\" min=\"1\" max=\"3\"/><parameter name=\"p\"/>\n" FIT ERROR        \
    "</piece>"
#define MODEL(math) HEAD BEFORE math AFTER FIT ERROR END

static void equivalent_forms_are_understood(void **state)
{
    static const struct {
        const char *text;
        double value; /* at n = 8, p = 4 */
    } cases[] = {
        {MODEL("<cn>2.5</cn>"), 2.5},
        {MODEL("<cn type='integer'> -3 </cn>"), -3},
        {MODEL("<cn type='e-notation'>1.5<sep/>-2</cn>"), 0.015},
        {MODEL("<cn type='rational'>3<sep/>8</cn>"), 0.375},
        {MODEL("<apply><power/><ci>n</ci><cn type='rational'>2<sep/>3</cn></apply>"), 4},
        {MODEL("<apply><plus/></apply>"), 0},
        {MODEL("<apply><times/></apply>"), 1},
        {MODEL("<apply><minus/><ci>n</ci></apply>"), -8},
        {MODEL("<apply><minus/><ci>n</ci><ci>p</ci></apply>"), 4},
        {MODEL("<apply><divide/><ci>n</ci><ci>p</ci></apply>"), 2},
        {MODEL("<apply><root/><ci>p</ci></apply>"), 2},
        {MODEL("<apply><root/><degree><cn>3</cn></degree><ci>n</ci></apply>"), 2},
        {MODEL("<apply><ln/><ci>n</ci></apply>"), 2.0794415416798357},
        {MODEL("<apply><log/><ci>n</ci></apply>"), 0.9030899869919435},
        {MODEL("<apply><log/><logbase><cn>2</cn></logbase><ci>n</ci></apply>"), 3},
        {MODEL("<apply><power/><apply><log/><logbase><cn>2</cn></logbase><ci>n</ci></apply>"
               "<cn>2</cn></apply>"),
         9},
        {MODEL("<apply><times/><apply><plus/><ci>n</ci><cn>1</cn></apply>"
               "<apply><minus/><ci>p</ci><cn>1</cn></apply></apply>"),
         27},
        {MODEL("<apply><power/><ci>n</ci><ci>p</ci></apply>"), 4096},
        {MODEL("<apply><power/><apply><plus/><ci>n</ci><cn>1</cn></apply><cn>2</cn></apply>"), 81},
        {MODEL("<apply><divide/><cn>1</cn><apply><ln/><ci>n</ci></apply></apply>"),
         0.48089834696298783},
        {MODEL("<apply><ln/><apply><times/><cn>2</cn><ci>n</ci></apply></apply>"),
         2.772588722239781},
        {MODEL("<apply><times/><cn>3</cn><apply><exp/><apply><minus/><ci>p</ci></apply></apply>"
               "<ci>n</ci></apply>"),
         24 * 0.01831563888873418},
        {MODEL("<apply><minus/><apply><abs/><apply><minus/><ci>n</ci></apply></apply>"
               "<apply><floor/><apply><divide/><ci>n</ci><cn>3</cn></apply></apply></apply>"),
         6},
        {MODEL("<apply><plus/><apply><ceiling/><apply><divide/><ci>n</ci><cn>3</cn></apply></apply>"
               "<apply><root/><degree><cn>5</cn></degree><cn>32</cn></apply></apply>"),
         5},
        {MODEL("<apply><plus/><apply><min/><ci>n</ci><ci>p</ci><cn>5</cn></apply>"
               "<apply><max/><ci>n</ci><ci>p</ci></apply></apply>"),
         12},
        {MODEL("<apply><log/><logbase><ci>p</ci></logbase><ci>n</ci></apply>"), 1.5},
        {MODEL("<piecewise><piece><cn>1</cn><apply><lt/><ci>n</ci><cn>8</cn></apply></piece>"
               "<piece><cn>2</cn><apply><and/><apply><leq/><ci>n</ci><cn>8</cn></apply>"
               "<apply><not/><apply><gt/><ci>p</ci><cn>4</cn></apply></apply></apply></piece>"
               "<otherwise><cn>3</cn></otherwise></piecewise>"),
         2},
        {MODEL("<piecewise><piece><ci>n</ci><apply><or/><apply><eq/><ci>n</ci><ci>p</ci></apply>"
               "<apply><neq/><ci>n</ci><cn>7</cn></apply><false/></apply></piece></piecewise>"),
         8},
        {MODEL("<apply><times/><cn>2</cn><semantics><apply><ln/><ci>n</ci></apply>"
               "<annotation encoding='text'>ln n</annotation><annotation-xml encoding='x'>"
               "<any xmlns='urn:other' a='b'>thing</any></annotation-xml></semantics></apply>"),
         4.158883083359671},
        {MODEL("<apply><times/><exponentiale/><pi/><true/></apply>"), 8.53973422267357},
        {MODEL("<apply><plus/><apply><exp/><cn>0</cn></apply><apply><times/><cn>2</cn>"
               "<apply><geq/><ci>n</ci><ci>p</ci></apply></apply><apply><minus/><apply><abs/>"
               "<ci>p</ci></apply></apply></apply>"),
         -1},
        {MODEL("<!-- a note --><apply><!-- more --><times/><cn>2</cn>\n<ci>n</ci></apply>"), 16},
    };
    static const double at[] = {8, 4};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct portolan_model *model = read_text(cases[i].text);

        assert_near(portolan_model_value(model, at), cases[i].value, 1e-14);
        assert_true(is_valid(cases[i].text));
        assert_round_trip(model);
        portolan_model_destroy(model);
    }
}

/* ---- what is wrong ---- */

struct complaint {
    int line, column;
    char text[600];
};

static void note(void *arg, const char *file, int line, int column, const char *text)
{
    struct complaint *c = arg;

    assert_string_equal(file, "bad.xml");
    if (c->line)
        return;
    c->line = line;
    c->column = column;
    snprintf(c->text, sizeof c->text, "%s", text);
}

static const struct {
    const char *text;
    int line;
    const char *word;
    bool grammar_accepts; /* a matter of meaning, not of grammar */
} wrong[] = {
    {"", 1, "bytes", false},
    {"hello", 1, "expected", false},
    {"<model/>", 1, "urn:portolan:model:1", false},
    {"<modell xmlns=\"urn:portolan:model:1\"/>", 1, "must start with", false},
    {HEAD FIT ERROR END, 5, "<function> is missing", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER END, 2, "lacks <fit>", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER ERROR FIT END, 8, "<fit> is missing", false},
    {HEAD "<functoin/>" FIT ERROR END, 5, "did you mean 'function'", false},
    {HEAD "<combination of=\"p\" with=\"n\"/>" END, 5, "in the order of the model", false},
    {HEAD "<combination of=\"n\" with=\"q\"/>" END, 5, "not a word that is known", false},
    {HEAD "<parameter nme=\"q\"/>" END, 5, "did you mean 'name'", false},
    {HEAD "<parameter name=\"n\"/>" BEFORE END, 6, "mismatch", false},
    {HEAD "<parameter name=\"n\"/>" FIT END, 5, "same name", false},
    {HEAD "<parameter name=\"q\" min=\"zwei\"/>" FIT END, 5, "min=\"zwei\"", false},
    {HEAD "<parameter name=\"q\" min=\"0x10\"/>" FIT END, 5, "min=\"0x10\"", false},
    {MODEL("<cn>1e999</cn>"), 6, "not a number", true},
    {MODEL("<cn>nan</cn>"), 6, "not a number", false},
    {MODEL("<cn type='integer'>1.5</cn>"), 6, "type integer", false},
    {MODEL("<cn type='hexdouble'>1</cn>"), 6, "e-notation", false},
    {MODEL("<cn type='rational'>1<sep/>0</cn>"), 6, "type rational", true},
    {MODEL("<cn/>"), 6, "not a number", false},
    {MODEL("<ci>m</ci>"), 6, "not a parameter of this model", true},
    {MODEL("<ci/>"), 6, "missing", false},
    {MODEL("<apply><sin/><ci>n</ci></apply>"), 6, "<sin/>", false},
    {MODEL("<apply><exp/><ci>n</ci><ci>p</ci></apply>"), 6, "one argument", false},
    {MODEL("<apply><min/></apply>"), 6, "one argument or more", false},
    {MODEL("<apply><lt/><ci>n</ci><ci>p</ci><cn>3</cn></apply>"), 6, "two arguments", false},
    {MODEL("<apply><and/><true/></apply>"), 6, "two arguments or more", false},
    {MODEL("<apply><root/><degree><ci>p</ci></degree><ci>n</ci></apply>"), 6, "positive", true},
    {MODEL("<piecewise><piece><cn>1</cn></piece></piecewise>"), 6, "the condition", false},
    {MODEL("<piecewise><otherwise><cn>1</cn></otherwise></piecewise>"), 6, "at least one <piece>",
     false},
    {MODEL("<piecewise><piece><cn>1</cn><true/></piece><otherwise><cn>1</cn><cn>2</cn></otherwise>"
           "</piecewise>"),
     6, "<otherwise> must contain one", false},
    {MODEL("<semantics/>"), 6, "<semantics> must contain", false},
    {MODEL("<semantics><cn>1</cn><cn>2</cn></semantics>"), 6, "annotations", false},
    {MODEL("<apply><tims/><ci>n</ci></apply>"), 6, "did you mean 'times'", false},
    {MODEL("<apply/>"), 6, "<apply>", false},
    {MODEL("<apply><divide/><ci>n</ci></apply>"), 6, "two arguments", false},
    {MODEL("<apply><log/><logbase><cn>0</cn></logbase><ci>n</ci></apply>"), 6, "positive", true},
    {MODEL("stray <cn>1</cn>"), 6, "text is not allowed between", false},
    {MODEL("<cn>1</cn><cn>1</cn>"), 5, "one expression", false},
    {MODEL("<piecewise/>"), 6, "<piecewise>", false},
    {MODEL("<cn xmlns='urn:other'>1</cn>"), 6, "namespace", false},
    {HEAD "<function><cn>1</cn></function>" FIT ERROR END, 5, "one <math", false},
    {HEAD BEFORE
     "<cn>1</cn>" AFTER
     "<fit family=\"powr\" weighting=\"relative\" constants=\"any\" rows=\"3\" points=\"3\" "
     "outliers=\"0\"/>" ERROR END,
     8, "did you mean 'power'", false},
    {HEAD BEFORE
     "<cn>1</cn>" AFTER
     "<fit family=\"power\" weighting=\"relative\" constants=\"any\" rows=\"3\" points=\"4\" "
     "outliers=\"0\"/>" ERROR END,
     8, "more points than rows", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT "<error sigma=\"-1\" assumed=\"false\" dof=\"2\"/>" END, 9,
     "negative", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT "<error assumed=\"false\" dof=\"2\"/>" END, 9, "sigma",
     false},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<estimates><constant term=\"2\"/>"
                 "<covariance>1</covariance></estimates>" END,
     10, "no term 2", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<estimates><constant term=\"1\"/>"
                 "<covariance>1 2</covariance></estimates>" END,
     10, "lower triangle", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<estimates><constant term=\"1\"/></estimates>" END,
     10, "lacks <covariance>", false},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<covariance/>" END, 10,
     "cannot contain <covariance>", false},
    {HEAD BEFORE PIECEWISE AFTER FIT ERROR PIECE PIECE END, 8, "family=\"piecewise\"", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT_PIECEWISE ERROR END, 8, "family=\"piecewise\"", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE END, 6, "as many <piece>s", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT_PIECEWISE ERROR PIECE PIECE END, 6, "as many <piece>s",
     true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR "<piece>" FIT ERROR "</piece>" PIECE END, 10,
     "all parameters", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR "<piece><parameter name=\"p\"/>\n"
                                                     "<parameter name=\"n\"/>" FIT ERROR
                                                     "</piece>" PIECE END,
     10, "in the same order", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE "<piece/>" END, 13, "lacks <fit>",
     false},
    {HEAD BEFORE
     "<piecewise><piece><cn>1</cn><apply><leq/><ci>n</ci><cn>4</cn></apply></piece>"
     "<piece><cn>1</cn><true/></piece></piecewise>" AFTER FIT_PIECEWISE ERROR PIECE PIECE END,
     6, "below a number (<lt/>)", true},
    {HEAD BEFORE "<cn>1</cn>" AFTER FIT ERROR "<break parameter=\"n\" at=\"4\"/>" END, 10,
     "with <piece>s can have breaks", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE PIECE
     "<break parameter=\"m\" at=\"4\"/>" END,
     16, "not a word that is known", true},
    {HEAD BEFORE PIECEWISE AFTER FIT_PIECEWISE ERROR PIECE PIECE
     "<break parameter=\"n\" at=\"4\" above=\"3\"/>" END,
     16, "between below and above", true},
    {"<!DOCTYPE model [<!ENTITY a \"b\">]>\n" MODEL("<cn>&a;</cn>"), 1, "document type", false},
    {"<!DOCTYPE model SYSTEM \"http://example.org/x.dtd\">\n<model/>", 1, "document type", false},
};

static void each_mistake_is_named_with_its_line(void **state)
{
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct complaint first = {0};
        struct portolan_diagnostics d = {note, &first, 0};
        struct portolan_model *model = NULL;
        struct portolan_error err = {0};
        enum portolan_status status = portolan_model_read_xml(wrong[i].text, strlen(wrong[i].text),
                                                              "bad.xml", &d, &model, &err);

        if (status != PORTOLAN_ESYNTAX || model || d.count < 1 || first.line != wrong[i].line ||
            !strstr(first.text, wrong[i].word) || strncmp(err.text, "bad.xml:", 8) != 0)
            fail_msg("case %zu: status %d, line %d not %d: %s\n%s", i, status, first.line,
                     wrong[i].line, first.text, wrong[i].text);
        if (is_valid(wrong[i].text) != wrong[i].grammar_accepts)
            fail_msg("the grammar thinks otherwise of case %zu\n%s", i, wrong[i].text);
    }
}

static void elements_are_found_by_column_too(void **state)
{
    static const struct {
        const char *text;
        int line, column;
    } cases[] = {
        {MODEL("<apply><plus/> <cn>1</cn><cn x='\xc3\xa4\xc3\xb6'>1</cn> <ci>q</ci></apply>"), 6,
         44},
        {MODEL("<ci>q</ci>"), 6, 1},
        {MODEL("<apply><sin/><ci>n</ci></apply>"), 6, 8},
        {HEAD "  <parameter name=\"n\"/>" END, 5, 3},
        {HEAD "  <parameter\n name=\"n\"/>" END, 5, 3},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct complaint first = {0};
        struct portolan_diagnostics d = {note, &first, 0};
        struct portolan_model *model = NULL;

        assert_int_equal(portolan_model_read_xml(cases[i].text, strlen(cases[i].text), "bad.xml",
                                                 &d, &model, NULL),
                         PORTOLAN_ESYNTAX);
        assert_int_equal(first.line, cases[i].line);
        assert_int_equal(first.column, cases[i].column);
    }
}

static void texts_too_long_are_refused_unread(void **state)
{
    size_t size = PORTOLAN_MODEL_MAX_XML_BYTES + 1;
    char *text = malloc(size);
    struct portolan_model *model = NULL;

    memset(text, ' ', size);
    assert_int_equal(portolan_model_read_xml(text, size, NULL, NULL, &model, NULL),
                     PORTOLAN_ESYNTAX);
    free(text);
}

static void deep_nesting_ends_with_a_message(void **state)
{
    enum { DEPTH = 20000 };
    static const char open[] = "<apply><plus/>";
    size_t head = strlen(HEAD BEFORE), size = head + DEPTH * strlen(open);
    char *text = malloc(size + 1), *at = text + head;
    struct portolan_model *model = NULL;

    strcpy(text, HEAD BEFORE);
    for (int i = 0; i < DEPTH; i++)
        at = stpcpy(at, open);
    assert_int_equal(portolan_model_read_xml(text, size, NULL, NULL, &model, NULL),
                     PORTOLAN_ESYNTAX);
    free(text);
}

/* ---- broken at random ---- */

static char *sample_text(void)
{
    static const double x[] = {16, 2, 16, 4, 32, 2, 32, 4, 48, 2, 48, 4, 64, 2, 64, 8};
    static const double y[] = {1.1, 1.9, 4.2, 8.1, 9.3, 18.2, 15.8, 65};
    struct portolan_model *model = fit_rows(2, 8, x, y, NULL);
    char *text;

    assert_int_equal(portolan_model_write_xml(model, &text, NULL), PORTOLAN_OK);
    portolan_model_destroy(model);
    return text;
}

/* What can be read at all must be a whole model: it predicts, writes and reads again. */
static void assert_sound(const char *text, size_t size)
{
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};
    struct portolan_prediction p;
    double x[MODEL_PARAMS] = {20, 3, 1, 1, 1, 1, 1, 1};

    if (portolan_model_read_xml(text, size, "bad.xml", NULL, &model, &err)) {
        assert_null(model);
        assert_true(err.text[0] != '\0');
        return;
    }
    portolan_model_predict(model, x, &p);
    assert_round_trip(model);
    portolan_model_destroy(model);
}

static void texts_cut_short_anywhere_are_refused(void **state)
{
    char *text = sample_text();
    size_t size = strlen(text);
    struct portolan_model *model = NULL;

    for (size_t n = 0; n < size - 1; n++)
        assert_int_equal(portolan_model_read_xml(text, n, "bad.xml", NULL, &model, NULL),
                         PORTOLAN_ESYNTAX);
    free(text);
}

static void texts_with_random_damage_break_nothing(void **state)
{
    static const char soup[] = "<>/\"'&;=.-+eE019 \n\t!?[]abnpx\xc3\xff";
    char *text = sample_text();
    size_t size = strlen(text);
    char *damaged = malloc(size);
    uint64_t seed = 4711;

    for (int round = 0; round < 4000; round++) {
        memcpy(damaged, text, size);
        for (int hits = 1 + (int)(uniform(&seed) * 4); hits; hits--) {
            size_t at = (size_t)(uniform(&seed) * (double)size);
            size_t from = (size_t)(uniform(&seed) * (double)size), length = size - at;

            if (uniform(&seed) < 0.7) {
                damaged[at] = soup[(size_t)(uniform(&seed) * (sizeof soup - 1))];
                continue;
            }
            length = length < size - from ? length : size - from;
            memmove(damaged + at, text + from, length < 40 ? length : 40);
        }
        assert_sound(damaged, size);
    }
    free(damaged);
    free(text);
}

UNIT_TESTS_BETWEEN(load_grammar, free_grammar,
                   cmocka_unit_test(random_models_survive_the_round_trip_bit_by_bit),
                   cmocka_unit_test(envelope_and_dropped_terms_survive_too),
                   cmocka_unit_test(users_formulas_survive_as_they_are),
                   cmocka_unit_test(the_highest_formulas_survive_too),
                   cmocka_unit_test(models_of_pieces_survive_with_their_breaks),
                   cmocka_unit_test(old_files_are_read_and_written_the_same),
                   cmocka_unit_test(reading_and_writing_survive_failing_allocations),
                   cmocka_unit_test(text_that_xml_cannot_carry_is_refused),
                   cmocka_unit_test(known_models_survive_without_an_error),
                   cmocka_unit_test(equivalent_forms_are_understood),
                   cmocka_unit_test(each_mistake_is_named_with_its_line),
                   cmocka_unit_test(elements_are_found_by_column_too),
                   cmocka_unit_test(texts_too_long_are_refused_unread),
                   cmocka_unit_test(deep_nesting_ends_with_a_message),
                   cmocka_unit_test(texts_cut_short_anywhere_are_refused),
                   cmocka_unit_test(texts_with_random_damage_break_nothing))
