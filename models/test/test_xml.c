/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as XML: the round trip, the grammar, and foreign MathML. */
#include "xml_check.h"

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
        for (unsigned long n = 0; next_allocation_fails(&n, status);) {
            struct portolan_model *model = NULL;
            struct portolan_error err = {0};

            status = portolan_model_read_xml(text, strlen(text), "it.xml", NULL, &model, &err);
            if (!status)
                status = portolan_model_write_xml(model, &again, &err);
            portolan_alloc_fail_at(0);
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
                   cmocka_unit_test(equivalent_forms_are_understood))
