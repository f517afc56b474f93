/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of validity: where they are found, where they must not be, and predicting by them. */
#include "pieces_check.h"

static const struct portolan_model_shape line[] = {{.exponents = {0}}, {.exponents = {1}}};
static const struct portolan_model_shape sorting[] = {{.exponents = {0}},
                                                      {.exponents = {1}, .logs = {1}}};

static void add(struct rows *r, double n, double y)
{
    r->n_params = 1;
    r->x[r->n] = n;
    r->y[r->n++] = y;
}

/* 24 sizes from 1 Ki to 4 Mi; from number BREAK on, everything takes FACTOR times as long. */
static double stepped(size_t i, size_t at, double factor, double *n)
{
    *n = 1024 * pow(2, (double)i * 12 / 23);
    return (2e-5 + 1e-9 * *n * log2(*n)) * (i < at ? 1 : factor);
}

static void a_step_parts_the_rows_where_it_is(void **state)
{
    struct rows r = {0};
    struct portolan_model *model;
    const struct portolan_model_break *b;
    const struct portolan_model_condition *c;
    const struct portolan_model *piece;
    size_t n;

    for (size_t i = 1; i <= 20; i++)
        add(&r, 10 * (double)i, i <= 12 ? 1 + 0.5 * (double)i : 3 + 2 * (double)i);
    model = fit_pieces(&r, line, 2, NULL);
    assert_int_equal(portolan_model_n_pieces(model), 2);
    b = portolan_model_peek_breaks(model, &n);
    assert_int_equal(n, 1);
    assert_true(b->param == 0 && b->divisor == SIZE_MAX);
    assert_true(b->below == 120 && b->above == 130 && b->low == 120 && b->high == 130);
    assert_near(b->at, sqrt(120.0 * 130.0), 1e-12);
    piece = portolan_model_peek_piece(model, 0, &c, &n);
    assert_int_equal(n, 1);
    assert_true(c->low == -INFINITY && c->high == b->at && c->param == 0);
    assert_string_equal(portolan_model_peek_formula(piece), "1 + 0.05 N");
    assert_string_equal(portolan_model_peek_formula(portolan_model_peek_piece(model, 1, &c, &n)),
                        "3 + 0.2 N");
    assert_true(c->low == b->at && c->high == INFINITY);
    assert_null(portolan_model_peek_piece(model, 2, NULL, NULL));
    assert_string_equal(portolan_model_peek_formula(model),
                        "1 + 0.05 N (N < 124.9); 3 + 0.2 N (N >= 124.9)");
    portolan_model_peek_terms(model, &n);
    assert_int_equal(n, 0);
    assert_string_equal(portolan_model_family_name(portolan_model_peek_summary(model)->family),
                        "piecewise");
    portolan_model_destroy(model);
}

static void predictions_know_their_piece_the_gap_and_the_range(void **state)
{
    static const struct {
        double n;
        size_t piece;
        bool in_gap, extrapolates;
    } asked[] = {{10, 0, false, false}, {120, 0, false, false}, {122, 0, true, false},
                 {128, 1, true, false}, {130, 1, false, false}, {200, 1, false, false},
                 {400, 1, false, true}, {5, 0, false, true}};
    uint64_t seed = 3;
    struct rows r = {0};
    struct portolan_model *model;
    const struct portolan_model_range *range;

    for (size_t i = 1; i <= 20; i++)
        add(&r, 10 * (double)i,
            (i <= 12 ? 1 + 0.5 * (double)i : 3 + 2 * (double)i) * (1 + 0.01 * normal(&seed)));
    model = fit_pieces(&r, line, 2, NULL);
    range = portolan_model_peek_range(model, 0);
    assert_true(range->min == 10 && range->max == 200);
    for (size_t i = 0; i < COUNT(asked); i++) {
        struct portolan_prediction p;

        assert_int_equal(portolan_model_predict(model, &asked[i].n, &p), PORTOLAN_OK);
        assert_int_equal(p.piece, asked[i].piece);
        assert_int_equal(p.in_gap, asked[i].in_gap);
        assert_int_equal(p.extrapolates, asked[i].extrapolates);
        assert_true(p.value == portolan_model_value(model, &asked[i].n));
        assert_true(p.low < p.value && p.value < p.high);
        /* In the gap either law may hold: 7.1 or 27.4 at 122, 7.4 or 28.6 at 128. */
        if (p.in_gap)
            assert_true(p.low < 7.4 && p.high > 27);
        else if (!p.extrapolates)
            assert_true(p.high - p.low < 0.08 * p.value);
    }
    assert_near(portolan_model_value(model, &asked[6].n), 83, 0.03);
    portolan_model_destroy(model);
}

static void the_summary_is_of_all_rows(void **state)
{
    uint64_t seed = 8;
    struct rows r = {0};
    struct portolan_model *model;
    const struct portolan_model_summary *s;

    for (size_t i = 0; i < 24; i++)
        for (size_t j = 0; j < 3; j++) {
            double n, y = stepped(i, 9, 2, &n);

            add(&r, n, y * (1 + 0.02 * normal(&seed)));
        }
    model = fit_pieces(&r, sorting, 2, NULL);
    s = portolan_model_peek_summary(model);
    assert_int_equal(portolan_model_n_pieces(model), 2);
    assert_int_equal(s->n_rows, 72);
    assert_int_equal(s->n_points, 24);
    assert_near(s->sigma, 0.02, 0.4);
    assert_near(s->sigma_repeat, 0.02, 0.4);
    assert_true(s->dof > 40 && s->rms < s->leave_one_out && s->max >= s->rms);
    portolan_model_destroy(model);
}

/* 2e-5 s to start with, whatever the size; the rest takes twice as long from the ninth size on. */
static void a_constant_that_does_not_change_is_one(void **state)
{
    uint64_t seed = 81;
    int shared = 0, inside = 0;

    for (int trial = 0; trial < 50; trial++) {
        struct rows r = {0};
        struct portolan_model *model;
        const struct portolan_model_term *small, *large;
        const struct portolan_model *upper;
        size_t n_small, n_large;

        for (size_t i = 0; i < 24; i++) {
            double n = 1024 * pow(2, (double)i * 8 / 23);

            add(&r, n, (2e-5 + (i < 9 ? 1e-9 : 2e-9) * n * log2(n)) * (1 + 0.02 * normal(&seed)));
        }
        model = fit_pieces(&r, sorting, 2, NULL);
        assert_int_equal(portolan_model_n_pieces(model), 2);
        upper = portolan_model_peek_piece(model, 1, NULL, NULL);
        small =
            portolan_model_peek_terms(portolan_model_peek_piece(model, 0, NULL, NULL), &n_small);
        large = portolan_model_peek_terms(upper, &n_large);
        assert_true(n_small == 2 && n_large >= 1);
        shared += n_large == 2 && small[0].constant == large[0].constant &&
                  small[0].std_error == large[0].std_error;
        inside += fabs(small[0].constant - 2e-5) < 2 * small[0].std_error;
        assert_true(small[1].constant != large[n_large - 1].constant);
        assert_true(portolan_model_peek_summary(upper)->rms < 0.04);
        portolan_model_destroy(model);
    }
    /* It is asked with a risk of one in twenty. */
    assert_true(shared >= 42);
    assert_true(inside >= 43);
}

/* ---- how often ---- */

/* In how many of 100 series there is one break, at its place within one point. */
static int found_of_100(size_t repetitions, double factor, double noise, bool search, uint64_t seed)
{
    int found = 0;

    for (int trial = 0; trial < 100; trial++) {
        size_t at = 5 + (size_t)(uniform(&seed) * 15), n;
        struct rows r = {0};
        struct portolan_model *model;
        const struct portolan_model_break *b;
        double left, right;

        for (size_t i = 0; i < 24 * repetitions; i++) {
            double size, y = stepped(i / repetitions, at, factor, &size);

            add(&r, size, y * (1 + noise * normal(&seed)));
        }
        model = fit_pieces(&r, search ? NULL : sorting, search ? 0 : 2, NULL);
        b = portolan_model_peek_breaks(model, &n);
        stepped(at - 1, at, factor, &left);
        stepped(at, at, factor, &right);
        found += n == 1 && b->above >= left && b->below <= right;
        portolan_model_destroy(model);
    }
    return found;
}

static void steps_are_found_through_noise(void **state)
{
    assert_true(found_of_100(1, 1.5, 0.02, false, 1) >= 98);
    assert_true(found_of_100(1, 2, 0.10, false, 2) >= 90);
    assert_true(found_of_100(5, 1.5, 0.10, false, 3) >= 97);
    assert_true(found_of_100(3, 1.5, 0.05, true, 4) >= 95);
}

/* Two breaks whose outer pieces follow one law: what splitting in two at a time does not see. */
static void a_bump_is_found(void **state)
{
    uint64_t seed = 12;
    int found = 0;

    for (int trial = 0; trial < 50; trial++) {
        struct rows r = {0};
        struct portolan_model *model;
        const struct portolan_model_break *b;
        size_t n;

        for (size_t i = 0; i < 24; i++) {
            double size, y = stepped(i, 9, 1.6, &size) / (i < 16 ? 1 : 1.6);

            add(&r, size, y * (1 + 0.03 * normal(&seed)));
        }
        model = fit_pieces(&r, sorting, 2, NULL);
        b = portolan_model_peek_breaks(model, &n);
        found += n == 2 && b[0].below == r.x[8] && b[1].below == r.x[15];
        portolan_model_destroy(model);
    }
    assert_true(found >= 48);
}

static double power_law(double n)
{
    return 3e-7 * pow(n, 1.37);
}

static double two_powers(double n)
{
    return 2e-4 + 1e-8 * n + 3e-13 * n * n;
}

static double loglike(double n)
{
    return 1e-3 + 2e-9 * n * log2(n);
}

static double constant(double n)
{
    (void)n;
    return 0.7;
}

/* No form of the search's list: it bends without a break. */
static double bent(double n)
{
    return 1e-9 * n * (1 + 0.5 * log2(n) / (1 + 1e5 / n));
}

#ifdef __SANITIZE_ADDRESS__
enum { DRAWS = 3 }; /* that looks at memory, not at how often a model is right */
#else
enum { DRAWS = 25 };
#endif

static int false_alarms(double (*law)(double), size_t points, double noise,
                        const struct portolan_model_shape *shapes, size_t n_shapes, uint64_t seed)
{
    int alarms = 0;

    for (int trial = 0; trial < DRAWS; trial++) {
        struct rows r = {0};
        struct portolan_model *model;

        for (size_t i = 0; i < points; i++) {
            double n = 512 * pow(16384, (double)i / (double)(points - 1));

            add(&r, n, law(n) * (1 + noise * normal(&seed)));
        }
        model = fit_pieces(&r, shapes, n_shapes, NULL);
        alarms += portolan_model_n_pieces(model) > 1;
        portolan_model_destroy(model);
    }
    return alarms;
}

static void a_smooth_law_stays_in_one_piece(void **state)
{
    static double (*const laws[])(double) = {power_law, two_powers, loglike, constant, bent};
    static const struct portolan_model_shape polynomial[] = {
        {.exponents = {0}}, {.exponents = {1}}, {.exponents = {2}}};
    static const double noises[] = {0, 0.001, 0.02, 0.2};
    int alarms = 0;

    for (size_t i = 0; i < COUNT(laws); i++)
        for (size_t j = 0; j < COUNT(noises); j++) {
            alarms += false_alarms(laws[i], 10, noises[j], NULL, 0, 100 * i + j + 1);
            alarms += false_alarms(laws[i], 40, noises[j], NULL, 0, 100 * i + j + 51);
        }
    /* Of 1000: one in a hundred, as the risk is set. */
    assert_true(alarms <= 10);
    alarms = 0;
    for (size_t j = 0; j < COUNT(noises); j++) {
        alarms += false_alarms(two_powers, 12, noises[j], polynomial, 3, 7 + j);
        alarms += false_alarms(two_powers, 40, noises[j], polynomial, 3, 17 + j);
        alarms += false_alarms(loglike, 12, noises[j], sorting, 2, 27 + j);
        alarms += false_alarms(constant, 30, noises[j], sorting, 1, 37 + j);
    }
    /* Of 400; the same. */
    assert_true(alarms <= 4);
}

static void spikes_make_no_pieces(void **state)
{
    uint64_t seed = 77;
    int alarms = 0;

    for (int trial = 0; trial < 100; trial++) {
        struct rows r = {0};
        struct portolan_model *model;

        for (size_t i = 0; i < 30; i++) {
            double n, y = stepped(i, 99, 1, &n) * (1 + 0.03 * normal(&seed));

            add(&r, n, y * (uniform(&seed) < 0.03 ? 10 + 90 * uniform(&seed) : 1));
        }
        model = fit_pieces(&r, trial % 2 ? sorting : NULL, trial % 2 ? 2 : 0, NULL);
        alarms += portolan_model_n_pieces(model) > 1;
        portolan_model_destroy(model);
    }
    assert_true(alarms <= 4);
}

/* How often the likelihood set holds the true gap; 95 % are wished for. */
static void likelihood_sets_hold_the_break(void **state)
{
    uint64_t seed = 2718;
    int inside = 0, found = 0;

    for (int trial = 0; trial < 200; trial++) {
        struct rows r = {0};
        struct portolan_model *model;
        const struct portolan_model_break *b;
        size_t n;

        for (size_t i = 0; i < 40; i++)
            add(&r, 100 + 10 * (double)i, (i < 18 ? 1 : 1.15) * (1 + 0.1 * normal(&seed)));
        model = fit_pieces(&r, line, 1, NULL);
        b = portolan_model_peek_breaks(model, &n);
        found += n == 1;
        inside += n == 1 && b->low <= r.x[17] && b->high >= r.x[18];
        assert_true(n != 1 || (b->low <= b->below && b->high >= b->above));
        portolan_model_destroy(model);
    }
    assert_true(found >= 100);
    assert_true(inside >= 0.90 * found);
}

/* ---- limits ---- */

static void the_number_of_pieces_is_bounded(void **state)
{
    struct portolan_model_options options = {0};
    struct rows r = {0};

    for (size_t i = 0; i < 100; i++)
        add(&r, (double)i + 1, (double)(i / 25 + 1));
    for (options.max_pieces = 0; options.max_pieces <= 5; options.max_pieces++) {
        struct portolan_model *model = fit_pieces(&r, line, 1, &options);
        size_t most = options.max_pieces ? options.max_pieces : 4;

        assert_int_equal(portolan_model_n_pieces(model), most < 4 ? most : 4);
        portolan_model_destroy(model);
    }
}

static void an_ordinary_model_is_its_only_piece(void **state)
{
    static const double x[] = {1, 2, 3, 4}, y[] = {2, 4, 6, 8};
    struct portolan_model *model = fit_rows(1, 4, x, y, NULL);
    const struct portolan_model_condition *c = (const void *)x;
    struct portolan_prediction p;
    size_t n = 9;

    assert_int_equal(portolan_model_n_pieces(model), 1);
    assert_ptr_equal(portolan_model_peek_piece(model, 0, &c, &n), model);
    assert_true(!c && n == 0);
    portolan_model_peek_breaks(model, &n);
    assert_int_equal(n, 0);
    assert_int_equal(portolan_model_predict(model, x, &p), PORTOLAN_OK);
    assert_true(p.piece == 0 && !p.in_gap);
    portolan_model_destroy(model);
}

static void bad_rows_and_terms_are_refused(void **state)
{
    static const char *const name = "N";
    static const double x[] = {0, 1, 2}, y[] = {1, 2, NAN}, good[] = {1, 2, 3};
    struct portolan_model_shape logarithm = {.logs = {1}};
    struct portolan_model_data data = {1, &name, 3, x, y, NULL};
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    assert_int_equal(portolan_model_fit_pieces(&data, line, 2, NULL, &model, &err),
                     PORTOLAN_EINVAL);
    data.y = good;
    assert_int_equal(portolan_model_fit_pieces(&data, &logarithm, 1, NULL, &model, &err),
                     PORTOLAN_EINVAL);
    assert_int_equal(portolan_model_fit_pieces(&data, line, 17, NULL, &model, &err),
                     PORTOLAN_EINVAL);
    assert_null(model);
}

/* More sizes than are taken one by one. */
static void thousands_of_points_are_parted_at_the_right_one(void **state)
{
    enum { POINTS = 5000 };
    static double x[POINTS], y[POINTS];
    static const char *const name = "N";
    struct portolan_model_data data = {1, &name, POINTS, x, y, NULL};
    uint64_t seed = 4;
    struct portolan_model *model;
    const struct portolan_model_break *b;
    size_t n;

    for (size_t i = 0; i < POINTS; i++) {
        x[i] = 100 + (double)i;
        y[i] = (1e-3 + 1e-5 * x[i] *
                           (i < 1701   ? 1
                            : i < 3333 ? 1.4
                                       : 1)) *
               (1 + 0.02 * normal(&seed));
    }
    assert_int_equal(portolan_model_fit_pieces(&data, line, 2, NULL, &model, NULL), PORTOLAN_OK);
    b = portolan_model_peek_breaks(model, &n);
    assert_int_equal(n, 2);
    assert_true(b[0].below == x[1700] && b[1].below == x[3332]);
    portolan_model_destroy(model);
}

/* A value now and then that is zero, negative, huge or tiny; equal rows; rows without weight. */
static double any_value(uint64_t *seed)
{
    double u = uniform(seed);

    return u < 0.02   ? 0
           : u < 0.04 ? -5
           : u < 0.06 ? 1e55
           : u < 0.08 ? 1e-55
                      : exp(8 * uniform(seed)) * (uniform(seed) < 0.3 ? 10 : 1);
}

static void whatever_the_rows_pieces_are_sound(void **state)
{
    static const char *const names[] = {"N", "P", "Q"};
    static const struct portolan_model_shape terms[] = {
        {.exponents = {0}}, {.exponents = {1, 1}}, {.exponents = {2}}};
    uint64_t seed = 4711;
    size_t several = 0;

    for (int trial = 0; trial < 200; trial++) {
        size_t n_params = 1 + (size_t)(3 * uniform(&seed)), n = 1 + (size_t)(40 * uniform(&seed));
        double x[3 * 40], y[40], w[40];
        struct portolan_model_data data = {n_params, names, n, x, y, trial % 3 ? NULL : w};
        struct portolan_model_options options = {.allow_negative = trial % 5 == 0,
                                                 .weighting = trial % 7 == 0};
        struct portolan_model *model = NULL;
        struct portolan_error err = {0};
        enum portolan_status status;

        for (size_t i = 0; i < n; i++) {
            for (size_t p = 0; p < n_params; p++)
                x[i * n_params + p] = floor((p ? 4 : 30) * uniform(&seed)) - (trial % 11 == 0);
            y[i] = any_value(&seed);
            w[i] = floor(3 * uniform(&seed)) + (i == 0);
        }
        status = portolan_model_fit_pieces(&data, trial % 2 ? terms : NULL, trial % 2 ? 3 : 0,
                                           &options, &model, &err);
        /* Terms that doubles cannot carry are refused. */
        if (status) {
            assert_int_equal(status, PORTOLAN_EINVAL);
            continue;
        }
        several += portolan_model_n_pieces(model) > 1;
        for (size_t i = 0; i < n; i++) {
            struct portolan_prediction p;

            if (portolan_model_predict(model, x + i * n_params, &p))
                continue;
            assert_true(isfinite(p.value) && p.low <= p.value && p.value <= p.high);
            assert_true(p.piece < portolan_model_n_pieces(model));
        }
        portolan_model_destroy(model);
    }
    assert_true(several > 2);
}

static void fits_survive_failing_allocations(void **state)
{
    static const char *const name = "N";
    struct rows r = {0};
    struct portolan_model_data data = {1, &name, 24, r.x, r.y, NULL};

    for (size_t i = 0; i < 24; i++) {
        double n, y = stepped(i, 9, 2, &n);

        add(&r, n, y);
    }
    for (size_t shapes = 0; shapes <= 2; shapes += 2) {
        enum portolan_status status = PORTOLAN_ENOMEM;

        for (unsigned long n = 0; next_allocation_fails(&n, status);) {
            struct portolan_model *model = NULL;

            status = portolan_model_fit_pieces(&data, sorting, shapes, NULL, &model, NULL);
            portolan_alloc_fail_at(0);
            assert_true((status == PORTOLAN_OK) == (model != NULL));
            assert_true(status || portolan_model_n_pieces(model) == 2);
            portolan_model_destroy(model);
        }
        assert_int_equal(status, PORTOLAN_OK);
    }
}

UNIT_TESTS(cmocka_unit_test(a_step_parts_the_rows_where_it_is),
           cmocka_unit_test(predictions_know_their_piece_the_gap_and_the_range),
           cmocka_unit_test(the_summary_is_of_all_rows),
           cmocka_unit_test(a_constant_that_does_not_change_is_one),
           cmocka_unit_test(steps_are_found_through_noise), cmocka_unit_test(a_bump_is_found),
           cmocka_unit_test(a_smooth_law_stays_in_one_piece),
           cmocka_unit_test(spikes_make_no_pieces),
           cmocka_unit_test(likelihood_sets_hold_the_break),
           cmocka_unit_test(the_number_of_pieces_is_bounded),
           cmocka_unit_test(an_ordinary_model_is_its_only_piece),
           cmocka_unit_test(bad_rows_and_terms_are_refused),
           cmocka_unit_test(thousands_of_points_are_parted_at_the_right_one),
           cmocka_unit_test(whatever_the_rows_pieces_are_sound),
           cmocka_unit_test(fits_survive_failing_allocations))
