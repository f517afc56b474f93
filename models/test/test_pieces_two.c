/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of validity in two parameters: of one of them, or of their ratio. */
#include "pieces_check.h"

static void add(struct rows *r, double n, double p, double y)
{
    r->x[2 * r->n] = n;
    r->x[2 * r->n + 1] = p;
    r->y[r->n++] = y;
}

/* Twice as slow when a process's share no longer fits: N/P over 1000. */
static void the_working_set_is_a_ratio(void **state)
{
    static const struct portolan_model_shape work[] = {{.exponents = {1, -1}},
                                                       {.exponents = {0, 1}}};
    uint64_t seed = 5;
    struct rows r = {.n_params = 2};
    struct portolan_model *model;
    const struct portolan_model_break *b;
    const struct portolan_model_condition *c;
    double small[] = {4000, 8}, large[] = {20000, 8};
    struct portolan_prediction p;
    size_t n;

    for (double size = 500; size < 70000; size *= 2)
        for (double procs = 1; procs <= 16; procs *= 2) {
            double y = 1e-4 * size / procs * (size / procs > 1100 ? 2 : 1) + 1e-3 * procs;

            add(&r, size, procs, y * (1 + 0.02 * normal(&seed)));
        }
    model = fit_pieces(&r, work, 2, NULL);
    b = portolan_model_peek_breaks(model, &n);
    assert_int_equal(n, 1);
    assert_true(b->param == 0 && b->divisor == 1);
    assert_true(b->below == 1000 && b->above == 2000);
    portolan_model_peek_piece(model, 1, &c, &n);
    assert_true(n == 1 && c->divisor == 1 && c->low == b->at);
    assert_non_null(strstr(portolan_model_peek_formula(model), "(N/P < 1414)"));
    assert_int_equal(portolan_model_predict(model, small, &p), PORTOLAN_OK);
    assert_int_equal(p.piece, 0);
    assert_near(p.value, 1e-4 * 500 + 8e-3, 0.05);
    assert_int_equal(portolan_model_predict(model, large, &p), PORTOLAN_OK);
    assert_int_equal(p.piece, 1);
    assert_near(p.value, 2e-4 * 2500 + 8e-3, 0.05);
    assert_true(!p.extrapolates && !p.in_gap);
    /* No ratio, no piece. */
    small[0] = small[1] = 0;
    assert_int_equal(portolan_model_predict(model, small, &p), PORTOLAN_EINVAL);
    assert_true(isnan(portolan_model_value(model, small)));
    portolan_model_destroy(model);
}

static void the_search_finds_the_working_set_too(void **state)
{
    uint64_t seed = 33;
    int found = 0;

    for (int trial = 0; trial < 8; trial++) {
        struct rows r = {.n_params = 2};
        struct portolan_model *model;
        const struct portolan_model_break *b;
        size_t n;

        for (double size = 1024; size <= 262144; size *= 4)
            for (double procs = 1; procs <= 16; procs *= 2) {
                double y = 1e-3 + 1e-6 * size * log2(size) / procs * (size / procs > 2e4 ? 1.6 : 1);

                add(&r, size, procs, y * (1 + 0.02 * normal(&seed)));
            }
        model = fit_pieces(&r, NULL, 0, NULL);
        b = portolan_model_peek_breaks(model, &n);
        found += n == 1 && b->param == 0 && b->divisor == 1 && b->below == 16384;
        portolan_model_destroy(model);
    }
    assert_true(found >= 6);
}

/* Another algorithm for N over 100; and there, another network for P over 8. */
static void parts_are_parted_again(void **state)
{
    static const struct portolan_model_shape work[] = {{.exponents = {0}}, {.exponents = {1}}};
    uint64_t seed = 6;
    struct rows r = {.n_params = 2};
    struct portolan_model *model;
    const struct portolan_model_condition *c;
    double x[] = {150, 12}, y[] = {150, 4}, z[] = {50, 12};
    size_t n;

    for (double size = 10; size <= 200; size += 10)
        for (double procs = 1; procs <= 15; procs += 2) {
            double t = size <= 100 ? 0.1 + 0.01 * size : 1 + 0.05 * size;

            if (size > 100 && procs > 8)
                t *= 1.7;
            add(&r, size, procs, t * (1 + 0.02 * normal(&seed)));
        }
    model = fit_pieces(&r, work, 2, NULL);
    assert_int_equal(portolan_model_n_pieces(model), 3);
    assert_near(portolan_model_value(model, x), 1.7 * 8.5, 0.03);
    assert_near(portolan_model_value(model, y), 8.5, 0.03);
    assert_near(portolan_model_value(model, z), 0.6, 0.03);
    for (size_t i = 0; i < 3; i++) {
        portolan_model_peek_piece(model, i, &c, &n);
        assert_int_equal(n, i == 0 ? 1 : 2);
    }
    portolan_model_destroy(model);
}

static void a_product_of_two_parameters_stays_in_one_piece(void **state)
{
    uint64_t seed = 61;
    int alarms = 0;

    for (int trial = 0; trial < 20; trial++) {
        struct rows r = {.n_params = 2};
        struct portolan_model *model;

        for (double size = 1000; size <= 16000; size *= 2)
            for (double procs = 2; procs <= 32; procs *= 2) {
                add(&r, size, procs,
                    (1e-3 + 1e-6 * size * size / procs) * (1 + 0.03 * normal(&seed)));
            }
        model = fit_pieces(&r, NULL, 0, NULL);
        alarms += portolan_model_n_pieces(model) > 1;
        portolan_model_destroy(model);
    }
    assert_true(alarms <= 2);
}

UNIT_TESTS(cmocka_unit_test(the_working_set_is_a_ratio),
           cmocka_unit_test(the_search_finds_the_working_set_too),
           cmocka_unit_test(parts_are_parted_again),
           cmocka_unit_test(a_product_of_two_parameters_stays_in_one_piece))
