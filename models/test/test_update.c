/* SPDX-License-Identifier: BSD-3-Clause */
/* The online update against full refits: by LAPACKE, and by the room's own fit of given terms. */
#include "check.h"

#include <lapacke.h>
#include <portolan/update.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, TERMS = 3 };

static const char *const names[] = {"n", "p"};

/* 1, n/p, log2(n) */
static const struct portolan_model_shape shapes[TERMS] = {
    {.exponents = {0}}, {.exponents = {1, -1}}, {.logs = {1}}};

struct rows {
    double x[2 * ROWS], y[ROWS], w[ROWS];
};

static struct rows make_rows(uint64_t seed, double noise)
{
    struct rows r;

    for (size_t i = 0; i < ROWS; i++) {
        double *x = &r.x[2 * i];

        x[0] = 100 + floor(9900 * uniform(&seed));
        x[1] = 1 + floor(16 * uniform(&seed));
        r.y[i] = (3 + 0.02 * x[0] / x[1] + 0.5 * log2(x[0])) * (1 + noise * normal(&seed));
        r.w[i] = 0.5 + uniform(&seed);
    }
    return r;
}

/* An update of the model that the first N rows give. */
static struct portolan_update *start(const struct rows *r, size_t n, bool weigh, double gate,
                                     const struct portolan_model_options *options)
{
    struct portolan_model_data data = {2, names, n, r->x, r->y, weigh ? r->w : NULL};
    struct portolan_update *u = NULL;
    struct portolan_model *m = NULL;
    struct portolan_error err = {0};

    if (portolan_model_fit_terms(&data, shapes, TERMS, options, &m, &err) ||
        portolan_update_create(m, &data, gate, &u, &err))
        fail_msg("%s", err.text);
    portolan_model_destroy(m);
    return u;
}

static void add(struct portolan_update *u, const struct rows *r, size_t from, size_t to, bool weigh)
{
    for (size_t i = from; i < to; i++)
        assert_int_equal(portolan_update_add(u, &r->x[2 * i], r->y[i], weigh ? r->w[i] : 1),
                         PORTOLAN_OK);
}

static struct portolan_model *model_of(const struct portolan_update *u)
{
    struct portolan_model *m = NULL;
    struct portolan_error err = {0};

    if (portolan_update_model(u, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

/* Constants, (A'A)^-1 and residual squares of rows weighted by PRECISION, straight from LAPACK. */
static void refit(const struct rows *r, const double *precision, double *c, double *inverse,
                  double *rss)
{
    double a[ROWS * TERMS], b[ROWS];

    for (size_t i = 0; i < ROWS; i++) {
        double root = sqrt(precision[i]), n = r->x[2 * i], p = r->x[2 * i + 1];

        a[i * TERMS] = root;
        a[i * TERMS + 1] = root * n / p;
        a[i * TERMS + 2] = root * log2(n);
        b[i] = root * r->y[i];
    }
    assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', ROWS, TERMS, 1, a, TERMS, b, 1), 0);
    memcpy(c, b, TERMS * sizeof *c);
    *rss = 0;
    for (size_t i = TERMS; i < ROWS; i++)
        *rss += b[i] * b[i];
    for (size_t i = 0; i < TERMS; i++)
        for (size_t j = 0; j < TERMS; j++)
            inverse[i * TERMS + j] = i <= j ? a[i * TERMS + j] : 0;
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', TERMS, inverse, TERMS), 0);
}

static void check_against(const struct portolan_model *m, const struct rows *r,
                          const double *precision, double dof)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m);
    double c[TERMS], inverse[TERMS * TERMS], rss;
    const struct portolan_model_term *terms;
    size_t n;

    refit(r, precision, c, inverse, &rss);
    terms = portolan_model_peek_terms(m, &n);
    assert_int_equal(n, TERMS);
    for (size_t j = 0; j < TERMS; j++) {
        assert_near(terms[j].constant, c[j], 1e-10);
        assert_near(terms[j].std_error, sqrt(rss / dof * inverse[j * TERMS + j]), 1e-10);
    }
    assert_near(s->sigma, sqrt(rss / dof), 1e-10);
    assert_near(s->dof, dof, 1e-10);
}

static const struct portolan_model_options absolute = {.allow_negative = true,
                                                       .weighting = PORTOLAN_MODEL_ABSOLUTE};

static void test_update_equals_a_full_refit(void **state)
{
    struct rows r = make_rows(1, 0.1);
    struct portolan_update *u = start(&r, ROWS / 4, true, 0, &absolute);
    struct portolan_model *m;

    add(u, &r, ROWS / 4, ROWS, true);
    m = model_of(u);
    check_against(m, &r, r.w, ROWS - TERMS);
    assert_near(portolan_model_peek_range(m, 1)->max, 16, 0.2);
    portolan_model_destroy(m);
    portolan_update_destroy(u);
}

static struct portolan_model *fit_first(const struct rows *r, size_t n,
                                        const struct portolan_model_options *options)
{
    struct portolan_model_data data = {2, names, n, r->x, r->y, NULL};
    struct portolan_model *m = NULL;
    struct portolan_error err = {0};

    if (portolan_model_fit_terms(&data, shapes, TERMS, options, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void check_same(const struct portolan_model *a, const struct portolan_model *b)
{
    const struct portolan_model_term *ta, *tb;
    size_t na, nb;

    ta = portolan_model_peek_terms(a, &na);
    tb = portolan_model_peek_terms(b, &nb);
    assert_int_equal(na, nb);
    for (size_t j = 0; j < na; j++) {
        assert_near(ta[j].constant, tb[j].constant, 1e-10);
        assert_near(ta[j].std_error, tb[j].std_error, 1e-10);
    }
}

static void test_model_and_new_rows_equal_a_fit_of_all(void **state)
{
    struct rows r = make_rows(3, 0.1);
    struct portolan_update *u = start(&r, ROWS / 2, false, 0, &absolute);
    struct portolan_model *all = fit_first(&r, ROWS, &absolute), *m;

    add(u, &r, ROWS / 2, ROWS, false);
    m = model_of(u);
    check_same(m, all);
    assert_near(portolan_model_peek_summary(m)->condition,
                portolan_model_peek_summary(all)->condition, 1e-9);
    assert_int_equal(portolan_model_peek_summary(m)->n_rows, ROWS);
    assert_memory_equal(hull_pair(&m->hull, 0, 1), hull_pair(&all->hull, 0, 1),
                        sizeof(struct hull_pair));
    assert_int_equal(portolan_update_peek_state(u)->n_rows, ROWS / 2);
    portolan_model_destroy(m);
    portolan_update_destroy(u);
    portolan_model_destroy(all);
}

/* A term that was dropped as negative comes back when later rows want it. */
static void test_dropped_terms_may_come_back(void **state)
{
    static const struct portolan_model_options absolute_costs = {.weighting =
                                                                     PORTOLAN_MODEL_ABSOLUTE};
    struct rows r = make_rows(4, 0);
    struct portolan_model *half, *all, *m;
    struct portolan_model_data data = {2, names, ROWS / 2, r.x, r.y, NULL};
    struct portolan_update *u = NULL;
    size_t n_dropped;

    for (size_t i = 0; i < ROWS / 2; i++)
        r.y[i] -= 2 * log2(r.x[2 * i]);
    half = fit_first(&r, ROWS / 2, &absolute_costs);
    all = fit_first(&r, ROWS, &absolute_costs);
    portolan_model_peek_dropped(half, &n_dropped);
    assert_true(n_dropped > 0);
    assert_int_equal(portolan_update_create(half, &data, 0, &u, NULL), PORTOLAN_OK);
    add(u, &r, ROWS / 2, ROWS, false);
    m = model_of(u);
    for (size_t i = 0; i < ROWS; i++)
        assert_near(portolan_model_value(m, &r.x[2 * i]), portolan_model_value(all, &r.x[2 * i]),
                    1e-9);
    portolan_model_destroy(m);
    portolan_model_destroy(half);
    portolan_model_destroy(all);
    portolan_update_destroy(u);
}

static void test_relative_rows_count_by_the_value_they_began_with(void **state)
{
    static const struct portolan_model_options relative = {.allow_negative = true};
    struct rows r = make_rows(5, 0.02);
    struct portolan_model *half = fit_first(&r, ROWS / 2, &relative), *m;
    struct portolan_model_data data = {2, names, ROWS / 2, r.x, r.y, NULL};
    struct portolan_update *u = NULL;
    double precision[ROWS];

    assert_int_equal(portolan_update_create(half, &data, 0, &u, NULL), PORTOLAN_OK);
    add(u, &r, ROWS / 2, ROWS, false);
    for (size_t i = 0; i < ROWS; i++)
        precision[i] = pow(portolan_model_value(half, &r.x[2 * i]), -2);
    m = model_of(u);
    check_against(m, &r, precision, ROWS - TERMS);
    portolan_model_destroy(m);
    portolan_model_destroy(half);
    portolan_update_destroy(u);
}

/* How many rows of a program that is FACTOR as slow and NOISE as noisy until the sign; at most 900.
 */
static size_t rows_until_sign(struct portolan_update *u, double factor, double noise,
                              enum portolan_update_sign *sign)
{
    size_t n = 0;

    for (uint64_t round = 0; round < 15; round++) {
        struct rows r = make_rows(100 + round, noise);

        for (size_t i = 0; i < ROWS; i++, n++) {
            assert_int_equal(portolan_update_add(u, &r.x[2 * i], factor * r.y[i], 1), PORTOLAN_OK);
            *sign = portolan_update_peek_state(u)->sign;
            if (*sign)
                return n + 1;
        }
    }
    return n;
}

static void test_sign_comes_when_the_form_no_longer_holds(void **state)
{
    struct rows r = make_rows(6, 0.05);
    enum portolan_update_sign sign;
    struct portolan_update *u = start(&r, ROWS, false, 0, NULL);

    assert_int_equal(rows_until_sign(u, 1, 0.05, &sign), 900);
    assert_int_equal(sign, PORTOLAN_UPDATE_HOLDS);
    portolan_update_destroy(u);

    u = start(&r, ROWS, false, 0, NULL);
    assert_in_range(rows_until_sign(u, 1.2, 0.05, &sign), 2, 12);
    assert_int_equal(sign, PORTOLAN_UPDATE_SHIFTED);
    assert_in_range(portolan_update_peek_state(u)->since, 2, 12);
    assert_string_equal(portolan_update_sign_text(sign), "shifted");
    portolan_update_destroy(u);

    u = start(&r, ROWS, false, 0, NULL);
    assert_in_range(rows_until_sign(u, 1, 0.2, &sign), 2, 30);
    assert_int_equal(sign, PORTOLAN_UPDATE_SCATTERED);
    portolan_update_destroy(u);
}

/* One row in fifty is ten times too long: with the gate the model stays within its noise. */
static void test_gate_keeps_spikes_from_the_constants(void **state)
{
    struct rows r = make_rows(7, 0.02), more = make_rows(8, 0.02);
    struct portolan_update *open = start(&r, ROWS, false, 0, NULL),
                           *kept = start(&r, ROWS, false, 3, NULL);
    const double at[] = {5000, 4}, truth = 3 + 0.02 * 1250 + 0.5 * log2(5000);
    struct portolan_model *m;

    more.y[17] *= 10;
    add(open, &more, 0, ROWS, false);
    add(kept, &more, 0, ROWS, false);
    m = model_of(kept);
    assert_near(portolan_model_value(m, at), truth, 0.01);
    assert_int_equal(portolan_update_peek_state(kept)->sign, PORTOLAN_UPDATE_HOLDS);
    portolan_model_destroy(m);
    m = model_of(open);
    assert_true(fabs(portolan_model_value(m, at) / truth - 1) > 0.01);
    portolan_model_destroy(m);
    portolan_update_destroy(open);
    portolan_update_destroy(kept);
}

static void test_terms_that_rows_cannot_tell_apart_are_dropped(void **state)
{
    static const struct rows same = {.x = {1024, 4, 1024, 4}, .y = {7, 7}};
    struct portolan_update *u = start(&same, 1, false, 0, NULL);
    const struct portolan_model_dropped *dropped;
    struct portolan_model *m = NULL;
    size_t n;

    add(u, &same, 1, 2, false);
    m = model_of(u);
    assert_near(portolan_model_value(m, same.x), 7, 1e-12);
    dropped = portolan_model_peek_dropped(m, &n);
    for (size_t j = 0; j < n; j++)
        assert_int_equal(dropped[j].reason, PORTOLAN_MODEL_DROP_DEPENDENT);
    portolan_model_destroy(m);
    portolan_update_destroy(u);
}

/* t = 5 n below 196 and 50 n from there on: each piece has the rows that belong to it. */
static void test_pieces_are_updated_one_by_one(void **state)
{
    static const char *const n_only[] = {"n"};
    double x[2 * ROWS], y[2 * ROWS];
    struct portolan_model_data data = {1, n_only, ROWS, x, y, NULL};
    struct portolan_model *begun = NULL, *model = NULL;
    struct portolan_update *u = NULL;
    uint64_t seed = 11;

    for (size_t i = 0; i < 2 * ROWS; i++) {
        x[i] = 10 + 380 * ((double)(i % ROWS) + (i < ROWS ? 0 : 0.3)) / ROWS;
        y[i] = (x[i] < 196 ? 5 : 50) * x[i] * (1 + 0.01 * normal(&seed)) * (i < ROWS ? 1 : 1.02);
    }
    assert_int_equal(portolan_model_fit_pieces(&data, NULL, 0, NULL, &begun, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_n_pieces(begun), 2);
    assert_int_equal(portolan_update_create(begun, &data, 0, &u, NULL), PORTOLAN_OK);
    for (size_t i = ROWS; i < 2 * ROWS; i++)
        assert_int_equal(portolan_update_add(u, &x[i], y[i], 1), PORTOLAN_OK);
    assert_int_equal(portolan_update_model(u, &model, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_n_pieces(model), 2);
    assert_near(portolan_model_value(model, (double[]){100}), 505, 0.005);
    assert_near(portolan_model_value(model, (double[]){300}), 15150, 0.005);
    assert_int_equal(portolan_model_peek_summary(model)->n_rows, 2 * ROWS);
    assert_near(portolan_model_peek_summary(model)->sigma, 0.014, 0.3);
    assert_int_equal(portolan_update_peek_state(u)->n_rows, ROWS);
    assert_non_null(strstr(portolan_model_peek_formula(model), "n < "));
    assert_string_not_equal(portolan_model_peek_formula(begun), portolan_model_peek_formula(model));
    assert_int_equal(portolan_update_renew(u, begun, NULL), PORTOLAN_OK);
    assert_string_equal(portolan_model_peek_formula(begun), portolan_model_peek_formula(model));
    portolan_model_destroy(model);
    portolan_update_destroy(u);
    portolan_model_destroy(begun);
}

static void test_bad_rows_change_nothing(void **state)
{
    struct rows r = make_rows(9, 0.1);
    struct portolan_update *u = start(&r, ROWS, true, 0, &absolute);
    const double zero[] = {0, 1}, nan[] = {NAN, 1};
    struct portolan_model *before, *after;

    before = model_of(u);
    assert_int_equal(portolan_update_add(u, zero, 1, 1), PORTOLAN_EINVAL); /* log2(0) */
    assert_int_equal(portolan_update_add(u, nan, 1, 1), PORTOLAN_EINVAL);
    assert_int_equal(portolan_update_add(u, r.x, INFINITY, 1), PORTOLAN_EINVAL);
    assert_int_equal(portolan_update_add(u, r.x, 1, -1), PORTOLAN_EINVAL);
    assert_int_equal(portolan_update_add(u, r.x, 1, 0), PORTOLAN_OK);
    after = model_of(u);
    check_same(before, after);
    assert_int_equal(portolan_update_peek_state(u)->n_rows, 0);
    portolan_model_destroy(before);
    portolan_model_destroy(after);
    portolan_update_destroy(u);
}

static void test_wrong_arguments_are_refused(void **state)
{
    static const char *const others[] = {"n", "q"};
    struct rows r = make_rows(10, 0.1);
    struct portolan_model_data other = {2, others, ROWS, r.x, r.y, NULL};
    struct portolan_model_data data = {2, names, ROWS, r.x, r.y, NULL};
    struct portolan_model *m = fit_first(&r, ROWS, NULL);
    struct portolan_update *u = NULL;

    assert_int_equal(portolan_update_create(m, &other, 0, &u, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_update_create(m, &data, -1, &u, NULL), PORTOLAN_EINVAL);
    assert_null(u);
    portolan_model_destroy(m);
}

UNIT_TESTS(cmocka_unit_test(test_update_equals_a_full_refit),
           cmocka_unit_test(test_model_and_new_rows_equal_a_fit_of_all),
           cmocka_unit_test(test_dropped_terms_may_come_back),
           cmocka_unit_test(test_relative_rows_count_by_the_value_they_began_with),
           cmocka_unit_test(test_sign_comes_when_the_form_no_longer_holds),
           cmocka_unit_test(test_gate_keeps_spikes_from_the_constants),
           cmocka_unit_test(test_terms_that_rows_cannot_tell_apart_are_dropped),
           cmocka_unit_test(test_pieces_are_updated_one_by_one),
           cmocka_unit_test(test_bad_rows_change_nothing),
           cmocka_unit_test(test_wrong_arguments_are_refused))
