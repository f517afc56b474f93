/* SPDX-License-Identifier: BSD-3-Clause */
/* The formula language: what is read, what it is worth, what is refused and where. */
#include "check.h"
#include "formula_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct portolan_formula *parse(const char *text)
{
    struct portolan_formula *f = NULL;
    struct portolan_error err = {0};

    if (portolan_formula_parse(text, strlen(text), "it.c", 7, 20, NULL, &f, &err))
        fail_msg("%s: %s", text, err.text);
    return f;
}

static char *written(const struct portolan_formula *f, enum portolan_notation notation)
{
    char *text = NULL;

    assert_int_equal(portolan_formula_write(f, notation, &text, NULL), PORTOLAN_OK);
    return text;
}

/* By hand, with the names in order of first use. */
static void values_are_those_of_the_mathematics(void **state)
{
    static const struct {
        const char *text;
        double x[3], value;
    } cases[] = {
        {"1 + 2 * 3", {0}, 7},
        {"(1 + 2) * 3", {0}, 9},
        {"10 - 4 - 3", {0}, 3},
        {"64 / 4 / 2", {0}, 8},
        {"-2^2", {0}, -4},
        {"(-2)^2", {0}, 4},
        {"2^3^2", {0}, 512},
        {"2^-1", {0}, 0.5},
        {"7/2", {0}, 3.5},
        {"N/P", {1024, 32}, 32},
        {"(N/P)*log2(N/P)", {1024, 32}, 160},
        {"log(P)", {M_E}, 1},
        {"ln(P)", {M_E}, 1},
        {"log10(n) + log(n, 10) + log(n, 2)", {1000}, 6 + 9.965784284662087},
        {"log(n, 5)", {125}, 3},
        {"exp(0) + sqrt(16) + cbrt(27) + pow(2, 10)", {0}, 1 + 4 + 3 + 1024},
        {"abs(-3) + fabs(3) + floor(2.7) + ceil(2.2)", {0}, 3 + 3 + 2 + 3},
        {"min(a, b) + max(3, a, b)", {5, 2}, 7},
        {"fmin(a, b) * fmax(a, b)", {5, 2}, 10},
        {"a < b ? a : b", {5, 2}, 2},
        {"a >= b && !(b == 2) || a != 5", {5, 2}, 0},
        {"a <= b ? 1 : a > 4 ? 2 : 3", {5, 2}, 2},
        {"p -> n * box . m", {3, 4}, 12},
        {"`bytes/row` * 2", {8}, 16},
        {"1e3 + 2.5E-1 + .5 + 3.f + 2UL", {0}, 1005.75},
        {"n*\\\n  n", {3}, 9},
        {"+n - -n", {3}, 6},
        {"!0 + !2", {0}, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct portolan_formula *f = parse(cases[i].text);

        if (fabs(portolan_formula_value(f, cases[i].x) - cases[i].value) >
            1e-14 * fabs(cases[i].value))
            fail_msg("%s is %g", cases[i].text, portolan_formula_value(f, cases[i].x));
        portolan_formula_destroy(f);
    }
}

static void names_come_in_order_of_first_use_and_without_constants(void **state)
{
    struct portolan_formula *f =
        parse("fft[0]+fft[1]*log(P)+fft[2]*(N/P)*log(N/P)+fft[3]*N*(P-1)/P");

    assert_int_equal(portolan_formula_n_names(f), 2);
    assert_string_equal(portolan_formula_peek_name(f, 0), "P");
    assert_string_equal(portolan_formula_peek_name(f, 1), "N");
    assert_null(portolan_formula_peek_name(f, 2));
    assert_true(portolan_formula_has_constants(f));
    assert_true(isnan(portolan_formula_value(f, (double[]){2, 3})));
    portolan_formula_destroy(f);
}

static void a_bound_formula_takes_its_values_in_the_given_order(void **state)
{
    static const char *const order[] = {"x", "N", "P"}, *const lacking[] = {"M", "P"};
    struct portolan_formula *f = parse("P - N"), *bound = NULL;
    struct portolan_error err = {0};

    assert_int_equal(portolan_formula_bind(f, 3, order, &bound, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_formula_n_names(bound), 3);
    assert_true(portolan_formula_value(bound, (double[]){100, 3, 5}) == 2);
    portolan_formula_destroy(bound);
    bound = NULL;
    assert_int_equal(portolan_formula_bind(f, 2, lacking, &bound, &err), PORTOLAN_ENOTFOUND);
    assert_null(bound);
    assert_non_null(strstr(err.text, "unknown name \"N\""));
    assert_int_equal(portolan_formula_bind(f, 2, (const char *const[]){"P", "P"}, &bound, NULL),
                     PORTOLAN_EINVAL);
    portolan_formula_destroy(f);
}

struct report {
    int line, column;
    char text[400];
};

static void note(void *arg, const char *file, int line, int column, const char *text)
{
    struct report *r = arg;

    assert_string_equal(file, "it.c");
    r->line = line;
    r->column = column;
    snprintf(r->text, sizeof r->text, "%s", text);
}

struct refusal {
    const char *text;
    int line, column; /* of text that starts at 7:20 */
    const char *remedy;
};

static void check_refusal(const struct refusal *c, bool split)
{
    struct report report = {0};
    struct portolan_diagnostics diagnostics = {note, &report, 0};
    struct portolan_formula *f = NULL;
    struct portolan_formula_sum sum = {0};
    struct portolan_error err = {0};
    char place[40];
    enum portolan_status status =
        portolan_formula_parse(c->text, strlen(c->text), "it.c", 7, 20, &diagnostics, &f, &err);

    if (split) {
        assert_int_equal(status, PORTOLAN_OK);
        status = portolan_formula_split(f, "it.c", 7, 20, &diagnostics, &sum, &err);
        portolan_formula_destroy(f);
        assert_null(sum.terms);
    }
    if (status != PORTOLAN_ESYNTAX || diagnostics.count != 1 || report.line != c->line ||
        report.column != c->column || !strstr(report.text, c->remedy))
        fail_msg("%s: status %d, %d:%d: %s", c->text, status, report.line, report.column,
                 report.text);
    snprintf(place, sizeof place, "it.c:%d:%d: ", c->line, c->column);
    assert_memory_equal(err.text, place, strlen(place));
}

static void what_is_no_formula_is_refused_where_it_is_wrong(void **state)
{
    static const struct refusal cases[] = {
        {"", 7, 20, "the formula is empty"},
        {"  ", 7, 22, "the formula is empty"},
        {"a + ", 7, 24, "at the end of the formula"},
        {"a + * b", 7, 24, "not \"*\""},
        {"a b", 7, 22, "operator is missing"},
        {"2N", 7, 20, "*"},
        {"2 N", 7, 22, "a product needs a *"},
        {"(a + b", 7, 26, "a ) or an operator"},
        {"a + b)", 7, 25, "has no matching ("},
        {"a ** b", 7, 22, "a ^ b"},
        {"a % b", 7, 22, "floor(a / b)"},
        {"a & b", 7, 22, "&&"},
        {"a = b", 7, 22, "=="},
        {"a < b < c", 7, 26, "a < b && b < c"},
        {"lgo(n)", 7, 20, "did you mean 'log'?"},
        {"size(n)", 7, 20, "unknown function"},
        {"(double)n", 7, 21, "leave the conversion out"},
        {"0x1F", 7, 20, "in decimal"},
        {"010 + n", 7, 20, "octal"},
        {"1.5.2", 7, 20, "not a number"},
        {"1e", 7, 20, "not a number"},
        {"pow(n)", 7, 20, "takes 2 arguments, not 1"},
        {"log(1, 2, 3)", 7, 20, "takes 1 argument or 2, not 3"},
        {"min(3)", 7, 20, "takes 2 arguments or more, not 1"},
        {"n[i]", 7, 22, "must be an integer"},
        {"n[1.5]", 7, 22, "must be an integer"},
        {"n[-1]", 7, 22, "must be an integer"},
        {"n[1", 7, 23, "a ] is missing"},
        {"p->n[1]", 7, 24, "one word"},
        {"(n)[1]", 7, 23, "only a constant can have an index"},
        {"p->", 7, 20, "the name of a member is missing"},
        {"a ? b", 7, 25, "the : after a ?"},
        {"a + \\\n  b $", 8, 5, "not allowed in a formula"},
        {"a +\n\n c d", 9, 4, "operator is missing"},
        {"`a b`", 7, 20, "without blanks"},
        {"`", 7, 20, "without blanks"},
        {"n; m", 7, 21, "without a semicolon"},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         7, 22, "backquotes"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_refusal(&cases[i], false);
}

static void depth_and_size_are_bounded(void **state)
{
    enum { LENGTH = PORTOLAN_FORMULA_MAX_BYTES };
    static char text[LENGTH + 1];
    static const char *const units[] = {"(", "-", "!", "log(", "n^", "n?n:", "n+", "1?", "min(1,"};
    struct portolan_formula *f = NULL;
    struct portolan_error err = {0};

    for (size_t i = 0; i < COUNT(units); i++) {
        size_t size = strlen(units[i]), n = LENGTH / size - 1;

        for (size_t k = 0; k < n; k++)
            memcpy(text + k * size, units[i], size);
        text[n * size] = 'n';
        assert_int_equal(portolan_formula_parse(text, n * size + 1, "it.c", 1, 1, NULL, &f, &err),
                         PORTOLAN_ESYNTAX);
    }
    assert_int_equal(portolan_formula_parse(text, LENGTH + 1, "it.c", 1, 1, NULL, &f, &err),
                     PORTOLAN_ESYNTAX);
    f = parse("((((((((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))))))))))))))");
    portolan_formula_destroy(f);
}

/* ---- the canonical form ---- */

static void the_paper_s_formula_splits_into_its_terms(void **state)
{
    static const char *const terms[] = {"1", "log(P)", "N / P * log(N / P)", "N * (P - 1) / P"};
    struct portolan_formula *f = parse("fft[0]+fft[1]*log(P)+fft[2]*(N/P)*log(N/P)+\\\n"
                                       "    fft[3]*N*(P-1)/P");
    struct portolan_formula_sum sum = {0};

    assert_int_equal(portolan_formula_split(f, "it.c", 7, 20, NULL, &sum, NULL), PORTOLAN_OK);
    assert_string_equal(sum.constants, "fft");
    assert_int_equal(sum.n_terms, 4);
    for (size_t i = 0; i < 4; i++) {
        char *text = written(sum.terms[i].expression, PORTOLAN_NOTATION_INFIX);

        assert_int_equal(sum.terms[i].index, i);
        assert_string_equal(text, terms[i]);
        assert_int_equal(portolan_formula_n_names(sum.terms[i].expression), 2);
        free(text);
    }
    /* P = 4, N = 1024: x are in the order of the whole formula's names. */
    assert_near(portolan_formula_value(sum.terms[3].expression, (double[]){4, 1024}), 768, 0);
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(f);
}

static void signs_quotients_and_other_orders_are_canonical_too(void **state)
{
    static const struct {
        const char *text, *terms[3];
    } cases[] = {
        {"N*c[1] - c[0]", {"N", "-1"}},
        {"c[0]/P + N/(P*2)*c[1]", {"1 / P", "N / (P * 2)"}},
        {"-(c[0] - c[1]*N) - -c[2]", {"-1", "N", "1"}},
        {"c[1] + 2*(-c[0])*n", {"1", "2 * -1 * n"}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct portolan_formula *f = parse(cases[i].text);
        struct portolan_formula_sum sum = {0};

        assert_int_equal(portolan_formula_split(f, "it.c", 1, 1, NULL, &sum, NULL), PORTOLAN_OK);
        for (size_t k = 0; k < sum.n_terms; k++) {
            char *text = written(sum.terms[k].expression, PORTOLAN_NOTATION_INFIX);
            if (strcmp(text, cases[i].terms[k]) != 0)
                fail_msg("%s: %s", cases[i].text, text);
            free(text);
        }
        portolan_formula_sum_clear(&sum);
        portolan_formula_destroy(f);
    }
}

static void what_is_not_canonical_is_refused_where_it_is_not(void **state)
{
    static const struct refusal cases[] = {
        {"c[0] + N", 7, 27, "has no constant"},
        {"c[0] + 2*log(N)", 7, 27, "has no constant"},
        {"N + 1", 7, 20, "has no constant"},
        {"c[0] + c[1]*c[2]*N", 7, 32, "2 constants"},
        {"c[0] + N/c[1]", 7, 29, "c[1] / (…)"},
        {"c[0] + log(c[1]*N)", 7, 31, "inside an expression"},
        {"c[0] + N^c[1]", 7, 29, "inside an expression"},
        {"N*(c[0] + P)", 7, 23, "multiply it out"},
        {"c[0] + d[1]*N", 7, 27, "different names"},
        {"c[0] + c[1]*N + c[1]*P", 7, 36, "two terms"},
        {"c[0] + c[2]*N", 7, 20, "c[1] is missing"},
        {"c[0] + \\\n  N", 8, 3, "has no constant"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        check_refusal(&cases[i], true);
}

/* ---- notations ---- */

static void each_notation_says_the_same(void **state)
{
    static const struct {
        enum portolan_notation notation;
        const char *text;
    } cases[] = {
        {PORTOLAN_NOTATION_INFIX, "fft[0] + fft[1] * (N / P) * log2(N / P)^2 - 3e-07 * n_max"},
        {PORTOLAN_NOTATION_POSTFIX, "fft[0] fft[1] N P / * N P / log2 2 ^ * + 3e-07 n_max * -"},
        {PORTOLAN_NOTATION_C, "fft[0] + fft[1] * (N / P) * pow(log2(N / P), 2.0) - 3e-07 * n_max"},
        {PORTOLAN_NOTATION_MATHML,
         "<apply><minus/><apply><plus/><apply><selector/><ci>fft</ci><cn type=\"integer\">0</cn>"
         "</apply><apply><times/><apply><selector/><ci>fft</ci><cn type=\"integer\">1</cn></apply>"
         "<apply><divide/><ci>N</ci><ci>P</ci></apply><apply><power/><apply><log/><logbase>"
         "<cn type=\"integer\">2</cn></logbase><apply><divide/><ci>N</ci><ci>P</ci></apply>"
         "</apply><cn type=\"integer\">2</cn></apply></apply></apply><apply><times/>"
         "<cn type=\"e-notation\">3<sep/>-07</cn><ci>n_max</ci></apply></apply>"},
    };
    struct portolan_formula *f = parse("fft[0]+fft[1]*(N/P)*log(N/P,2)^2-3e-7*n_max");

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = written(f, cases[i].notation);

        assert_string_equal(text, cases[i].text);
        free(text);
    }
    portolan_formula_destroy(f);
}

static void odd_names_become_identifiers_that_differ(void **state)
{
    struct portolan_formula *f = parse("`bytes/row` + bytes_row + `2n` + p->n");
    char *text = written(f, PORTOLAN_NOTATION_C);

    assert_string_equal(text, "bytes_row + bytes_row_2 + _2n + p->n");
    free(text);
    text = written(f, PORTOLAN_NOTATION_INFIX);
    assert_string_equal(text, "`bytes/row` + bytes_row + `2n` + p->n");
    free(text);
    portolan_formula_destroy(f);
}

/* ---- fits ---- */

static const char *const fft_names[] = {"N", "P"};
/* The paper's Table 1: 2 Mi complex numbers on a Cray T3E. */
static const double fft_x[] = {2097152, 1, 2097152, 2,  2097152, 4,
                               2097152, 8, 2097152, 16, 2097152, 32};
static const double fft_y[] = {11.7748, 6.0036, 3.2120, 1.8939, 1.2750, 0.9664};
static const struct portolan_model_data fft_data = {2, fft_names, 6, fft_x, fft_y, NULL};

static void the_paper_s_table_is_met_within_one_percent(void **state)
{
    struct portolan_formula *f =
        parse("fft[0]+fft[1]*log(P)+fft[2]*(N/P)*log(N/P)+fft[3]*N*(P-1)/P");
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};
    double constants[4];

    if (portolan_model_fit_formula(&fft_data, f, NULL, &model, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < 6; i++)
        assert_near(portolan_model_value(model, fft_x + 2 * i), fft_y[i], 0.01);
    assert_int_equal(portolan_model_formula_constants(model, f, 4, constants, NULL, NULL),
                     PORTOLAN_OK);
    /* Known from an independent fit: what survives is the constant and (N/P) log(N/P). */
    assert_near(constants[0], 0.706, 0.02);
    assert_near(constants[1], 0, 1e-12);
    assert_near(constants[2], 2.52e-7 / M_LN2, 0.02);
    assert_near(constants[3], 0, 1e-12);
    assert_true(portolan_model_peek_summary(model)->condition > 500);
    assert_non_null(strstr(portolan_model_peek_formula(model), "e-07 * N / P * log(N / P)"));
    portolan_model_destroy(model);
    portolan_formula_destroy(f);
}

static void three_of_its_rows_predict_the_others_within_one_percent(void **state)
{
    struct portolan_formula *f =
        parse("fft[0]+fft[1]*log(P)+fft[2]*(N/P)*log(N/P)+fft[3]*N*(P-1)/P");
    struct portolan_model_data data = fft_data;
    struct portolan_model *model = NULL;

    data.n_rows = 3;
    assert_int_equal(portolan_model_fit_formula(&data, f, NULL, &model, NULL), PORTOLAN_OK);
    for (size_t i = 3; i < 6; i++)
        assert_near(portolan_model_value(model, fft_x + 2 * i), fft_y[i], 0.01);
    portolan_model_destroy(model);
    portolan_formula_destroy(f);
}

static void plain_terms_of_a_formula_become_plain_terms(void **state)
{
    static const char *const texts[] = {"c[0] + c[1] * N^2 / P", "c[0] + c[1]*N*N*P^-1",
                                        "c[1]*N/P*sqrt(N)^2 + c[0]"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct portolan_formula *f = parse(texts[i]);
        struct portolan_model_shape *shapes = NULL;
        size_t n = 0;

        assert_int_equal(portolan_model_formula_shapes(f, 2, fft_names, &shapes, &n, NULL),
                         PORTOLAN_OK);
        assert_int_equal(n, 2);
        assert_true(shape_is_constant(&shapes[0], 2));
        assert_null(shapes[1].expression);
        assert_true(shapes[1].exponents[0] == 2 && shapes[1].exponents[1] == -1);
        portolan_model_shapes_destroy(shapes, n);
        portolan_formula_destroy(f);
    }
}

static void shapes_with_plain_expressions_become_plain_too(void **state)
{
    struct portolan_formula *one = parse("1"), *square = parse("N * N");
    struct portolan_model_shape shapes[] = {{.expression = one}, {.expression = square}};
    struct portolan_model *model = NULL;

    assert_int_equal(portolan_model_fit_terms(&fft_data, shapes, 1, NULL, &model, NULL),
                     PORTOLAN_OK);
    assert_true(shape_is_constant(&model->terms[0].shape, 2));
    portolan_model_destroy(model);
    assert_int_equal(portolan_model_fit_terms(&fft_data, shapes + 1, 1, NULL, &model, NULL),
                     PORTOLAN_OK);
    assert_null(model->terms[0].shape.expression);
    assert_true(model->terms[0].shape.exponents[0] == 2);
    portolan_model_destroy(model);
    portolan_formula_destroy(one);
    portolan_formula_destroy(square);
}

static void formulas_that_do_not_fit_the_data_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"c[0] + c[1]*M", "unknown name \"M\""},
        {"c[0] + N", "1:8: this term has no constant"},
        {"c[0] + c[1]*log(P - 1)", "not finite"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct portolan_formula *f = parse(cases[i].text);
        struct portolan_model *model = NULL;
        struct portolan_error err = {0};

        assert_int_equal(portolan_model_fit_formula(&fft_data, f, NULL, &model, &err),
                         PORTOLAN_EINVAL);
        assert_null(model);
        if (!strstr(err.text, cases[i].why))
            fail_msg("%s: %s", cases[i].text, err.text);
        portolan_formula_destroy(f);
    }
}

/* ---- memory ---- */

static enum portolan_status everything_once(void)
{
    static const char text[] = "c[0] + c[1]*log(`a/b`) - c[2]*min(p->n, 3, n)/(n < 4 ? n : 5)";
    static const char *const names[] = {"n", "p->n", "a/b"};
    struct portolan_formula *f = NULL, *bound = NULL;
    struct portolan_formula_sum sum = {0};
    struct portolan_error err = {0};
    enum portolan_status status =
        portolan_formula_parse(text, sizeof text - 1, "it", 1, 1, NULL, &f, &err);

    if (!status)
        status = portolan_formula_bind(f, 3, names, &bound, &err);
    if (!status)
        status = portolan_formula_split(bound, "it", 1, 1, NULL, &sum, &err);
    for (int n = PORTOLAN_NOTATION_C; n <= PORTOLAN_NOTATION_MATHML && !status; n++) {
        char *written_text = NULL;

        status = portolan_formula_write(f, (enum portolan_notation)n, &written_text, &err);
        assert_true((status == PORTOLAN_OK) == (written_text != NULL));
        free(written_text);
    }
    assert_int_equal(err.status, status);
    portolan_formula_sum_clear(&sum);
    portolan_formula_destroy(bound);
    portolan_formula_destroy(f);
    return status;
}

static enum portolan_status fit_once(const struct portolan_formula *f)
{
    struct portolan_model *model = NULL;
    double constants[3];
    enum portolan_status status = portolan_model_fit_formula(&fft_data, f, NULL, &model, NULL);
    if (!status)
        status = portolan_model_formula_constants(model, f, 3, constants, NULL, NULL);
    portolan_model_destroy(model);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    struct portolan_formula *f = parse("fft[0] + fft[1]*log(P) + fft[2]*N/P");
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n;

    for (n = 1; status && n < 1000; n++) {
        portolan_alloc_fail_at(n);
        status = everything_once();
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
    }
    assert_int_equal(status, PORTOLAN_OK);
    assert_true(n > 50);
    for (status = PORTOLAN_ENOMEM, n = 1; status && n < 1000; n++) {
        portolan_alloc_fail_at(n);
        status = fit_once(f);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
    }
    assert_int_equal(status, PORTOLAN_OK);
    portolan_formula_destroy(f);
}

UNIT_TESTS(cmocka_unit_test(values_are_those_of_the_mathematics),
           cmocka_unit_test(names_come_in_order_of_first_use_and_without_constants),
           cmocka_unit_test(a_bound_formula_takes_its_values_in_the_given_order),
           cmocka_unit_test(what_is_no_formula_is_refused_where_it_is_wrong),
           cmocka_unit_test(depth_and_size_are_bounded),
           cmocka_unit_test(the_paper_s_formula_splits_into_its_terms),
           cmocka_unit_test(signs_quotients_and_other_orders_are_canonical_too),
           cmocka_unit_test(what_is_not_canonical_is_refused_where_it_is_not),
           cmocka_unit_test(each_notation_says_the_same),
           cmocka_unit_test(odd_names_become_identifiers_that_differ),
           cmocka_unit_test(the_paper_s_table_is_met_within_one_percent),
           cmocka_unit_test(three_of_its_rows_predict_the_others_within_one_percent),
           cmocka_unit_test(plain_terms_of_a_formula_become_plain_terms),
           cmocka_unit_test(shapes_with_plain_expressions_become_plain_too),
           cmocka_unit_test(formulas_that_do_not_fit_the_data_are_refused),
           cmocka_unit_test(memory_may_run_out_anywhere))
