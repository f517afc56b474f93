/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact laws, drawn from a grammar that is not the search's list: 1 to 3 parameters, 1 to 3 terms,
 * constants of either sign, exponents in steps of a quarter or a third, powers of logarithms.
 * PORTOLAN_TEST_LAWS: how many (60), and PORTOLAN_TEST_SEED.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 9, ROWS = VALUES * VALUES * VALUES };

struct law {
    size_t n_params, n_terms, n_rows;
    struct portolan_model_shape shape[3];
    double constant[3];
    double x[3 * ROWS], y[ROWS], far[3];
};

static size_t pick(size_t n, uint64_t *state)
{
    return (size_t)(uniform(state) * (double)n);
}

static double draw_exponent(uint64_t *state)
{
    double part = pick(4, state) == 0 ? 3 : pick(2, state) ? 1 : 4;

    return ((double)pick((size_t)(5 * part) + 1, state) - 2 * part) / part;
}

static bool draw_term(struct law *law, size_t j, uint64_t *state)
{
    struct portolan_model_shape *s = &law->shape[j];

    memset(s, 0, sizeof *s);
    for (size_t p = 0; p < law->n_params; p++) {
        if (pick(2, state) && law->n_params > 1)
            continue;
        s->exponents[p] = draw_exponent(state);
        s->logs[p] = pick(3, state) ? 0 : (unsigned char)(1 + pick(2, state));
    }
    law->constant[j] = (pick(2, state) ? -1 : 1) *
                       (pick(2, state) ? (double)(1 + pick(20, state)) : 10 * uniform(state));
    for (size_t i = 0; i < j; i++)
        if (shape_equal(&law->shape[i], s, law->n_params))
            return false;
    return true;
}

static double law_value(const struct law *law, const double *x)
{
    double sum = 0;

    for (size_t j = 0; j < law->n_terms; j++)
        sum += law->constant[j] * shape_value(&law->shape[j], law->n_params, x);
    return sum;
}

/* Every term is at least a hundredth of the value somewhere, else the rows do not show it. */
static bool terms_are_seen(const struct law *law)
{
    for (size_t j = 0; j < law->n_terms; j++) {
        double most = 0;

        for (size_t i = 0; i < law->n_rows; i++)
            most = fmax(
                most, fabs(law->constant[j] *
                           shape_value(&law->shape[j], law->n_params, law->x + i * law->n_params) /
                           law->y[i]));
        if (most < 0.01)
            return false;
    }
    return true;
}

static bool draw_law(struct law *law, uint64_t *state)
{
    double values[3][VALUES];
    size_t n = 5;

    law->n_params = 1 + pick(3, state);
    law->n_terms = 1 + pick(3, state);
    if (law->n_params == 1)
        n += pick(VALUES - 4, state);
    for (size_t j = 0; j < law->n_terms; j++)
        if (!draw_term(law, j, state))
            return false;
    law->n_rows = 1;
    for (size_t p = 0; p < law->n_params; p++) {
        double start = exp2((double)(1 + pick(4, state)));
        bool doubling = pick(3, state) > 0;

        for (size_t i = 0; i < n; i++)
            values[p][i] = doubling ? ldexp(start, (int)i) : start * (double)(1 + i);
        law->far[p] = 2 * values[p][n - 1];
        law->n_rows *= n;
    }
    for (size_t i = 0; i < law->n_rows; i++) {
        size_t at = i;

        for (size_t p = law->n_params; p-- > 0; at /= n)
            law->x[i * law->n_params + p] = values[p][at % n];
        law->y[i] = law_value(law, law->x + i * law->n_params);
    }
    return terms_are_seen(law);
}

static void print_law(const struct law *law, const struct portolan_model *model)
{
    for (size_t j = 0; j < law->n_terms; j++) {
        fprintf(stderr, " %+.4g", law->constant[j]);
        for (size_t p = 0; p < law->n_params; p++)
            if (law->shape[j].exponents[p] != 0 || law->shape[j].logs[p])
                fprintf(stderr, " %c^%.3g log^%d", "nmk"[p], law -> shape[j].exponents[p],
                        law->shape[j].logs[p]);
    }
    fprintf(stderr, " (%zu rows): %s, off by %.2g\n", law->n_rows,
            portolan_model_peek_formula(model), portolan_model_peek_summary(model)->max);
}

static void test_laws_are_found(void **unused)
{
    const char *count = getenv("PORTOLAN_TEST_LAWS"), *seed = getenv("PORTOLAN_TEST_SEED");
    size_t n = count ? strtoul(count, NULL, 10) : 60, found = 0, bad = 0;
    uint64_t state = 44 + (seed ? strtoul(seed, NULL, 10) * 2654435761 : 0);
    static struct law law;

    (void)unused;
    for (size_t i = 0; i < n; i++) {
        struct portolan_model *model;
        double far, most = 0;

        while (!draw_law(&law, &state))
            continue;
        model = fit_rows(law.n_params, law.n_rows, law.x, law.y, NULL);
        far = portolan_model_value(model, law.far) / law_value(&law, law.far) - 1;
        for (size_t r = 0; r < law.n_rows; r++)
            most = fmax(most,
                        fabs(portolan_model_value(model, law.x + r * law.n_params) / law.y[r] - 1));
        found += fabs(far) < 1e-4;
        bad += !(most < 0.01);
        if (count && !(fabs(far) < 1e-4))
            print_law(&law, model);
        portolan_model_destroy(model);
    }
    print_message("%zu of %zu laws were found, %zu miss their own points by 1 %%\n", found, n, bad);
    assert_true(100 * found >= 95 * n);
    assert_true(50 * bad <= n);
}

/* Counts and the like: the law, its formula and a prediction outside. */
static const struct {
    const char *formula;
    size_t n;
    double x[6], y[6], far, value;
    bool bounded;
} counts[] = {
    {"-1 + 1 n", 6, {2, 4, 8, 16, 32, 64}, {1, 3, 7, 15, 31, 63}, 1024, 1023, true},
    {"-1 + 1 n", 5, {1, 2, 4, 8, 16}, {0, 1, 3, 7, 15}, 1024, 1023, true},
    {"4 + 1 n^2 - 4 n", 5, {8, 16, 32, 64, 128}, {36, 196, 900, 3844, 15876}, 1024, 1044484, true},
    {"-1 + 1 n^2", 5, {2, 4, 8, 16, 32}, {3, 15, 63, 255, 1023}, 1024, 1048575, true},
    {"9 - 1 log2(n)", 6, {1, 2, 4, 8, 16, 32}, {9, 8, 7, 6, 5, 4}, 128, 2, true},
    {"-2 + 1 log2(n)", 6, {1, 2, 4, 8, 16, 32}, {-2, -1, 0, 1, 2, 3}, 1024, 8, false},
};

static void test_counts_have_signed_constants(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct portolan_model *model = fit_rows(1, counts[i].n, counts[i].x, counts[i].y, NULL);

        assert_string_equal(portolan_model_peek_formula(model), counts[i].formula);
        assert_near(portolan_model_value(model, &counts[i].far), counts[i].value, 1e-9);
        assert_int_equal(portolan_model_peek_summary(model)->bounded, counts[i].bounded);
        portolan_model_destroy(model);
    }
}

static void test_law_says_where_it_turns_negative(void **unused)
{
    static const double x[] = {1, 2, 4, 8, 16, 32}, y[] = {9, 8, 7, 6, 5, 4}, far[] = {1024};
    struct portolan_model *model = fit_rows(1, 6, x, y, NULL);
    struct portolan_prediction p;
    double from = 0;

    (void)unused;
    assert_true(portolan_model_turns_negative(model, 0, true, &from));
    assert_near(from, 512, 1e-6);
    assert_false(portolan_model_turns_negative(model, 0, false, &from));
    assert_false(portolan_model_turns_negative(model, 1, true, &from));
    assert_int_equal(portolan_model_predict(model, far, &p), PORTOLAN_OK);
    assert_true(p.value > 0 && p.low <= p.value && p.high >= p.value && p.extrapolates);
    portolan_model_destroy(model);
}

/* Values that noise has touched do not have an exact law. */
static void test_noise_has_no_exact_law(void **unused)
{
    static const double x[] = {2, 4, 8, 16, 32, 64}, y[] = {1.01, 3, 7.05, 15, 31.2, 62.8};
    struct portolan_model *model = fit_rows(1, 6, x, y, NULL);

    (void)unused;
    assert_true(portolan_model_peek_summary(model)->rms > 1e-4);
    portolan_model_destroy(model);
}

/* Where one parameter never changes, the law is the one without it. */
static void test_idle_parameter_changes_nothing(void **unused)
{
    static const double sizes[] = {16, 24, 32, 48, 64, 100};
    uint64_t state = 7;

    (void)unused;
    for (int law = 0; law < 40; law++) {
        double x[18], both[36], y[18];
        struct portolan_model *one, *two;

        for (size_t i = 0; i < 18; i++) {
            double noise = law % 2 ? 0.05 * normal(&state) : 0;

            x[i] = both[2 * i] = sizes[i / 3];
            both[2 * i + 1] = 4;
            y[i] = (law % 3 + pow(x[i], 0.5 + law / 10.0) + 5 * x[i]) * (1 + noise);
        }
        one = fit_rows(1, 18, x, y, NULL);
        two = fit_rows(2, 18, both, y, NULL);
        assert_string_equal(portolan_model_peek_formula(one), portolan_model_peek_formula(two));
        portolan_model_destroy(one);
        portolan_model_destroy(two);
    }
}

UNIT_TESTS(cmocka_unit_test(test_laws_are_found),
           cmocka_unit_test(test_counts_have_signed_constants),
           cmocka_unit_test(test_law_says_where_it_turns_negative),
           cmocka_unit_test(test_noise_has_no_exact_law),
           cmocka_unit_test(test_idle_parameter_changes_nothing))
