/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <portolan/local.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

/* Rows of one or two parameters; each is a group of its own unless it repeats one. */
struct rows {
    size_t n, n_params;
    double x[2 * MOST], y[MOST];
    size_t group[MOST];
};

static void add(struct rows *r, double n, double m, double y, size_t group)
{
    r->x[r->n * r->n_params] = n;
    if (r->n_params > 1)
        r->x[r->n * r->n_params + 1] = m;
    r->y[r->n] = y;
    r->group[r->n++] = group;
}

static struct portolan_local *local_of(const struct rows *r, const double *weight)
{
    const struct portolan_local_data data = {r->n_params, r->n, r->x, r->y, weight, r->group};
    struct portolan_error err = {0};
    struct portolan_local *l = NULL;

    if (portolan_local_create(&data, &l, &err))
        fail_msg("%s", err.text);
    return l;
}

static struct portolan_prediction ask(const struct portolan_local *l, double x, size_t group,
                                      enum portolan_local_source expected)
{
    enum portolan_local_source source;
    struct portolan_prediction out;

    portolan_local_predict(l, &x, group, &out, &source);
    assert_int_equal(source, expected);
    assert_true(out.low <= out.value && out.value <= out.high);
    return out;
}

/* 8 places, 5 repetitions of each with 5 % noise: a run anew lies in the interval 19 in 20 times.
 */
static void what_was_measured_is_its_mean_and_the_interval_covers_a_run_anew(void **state)
{
    uint64_t seed = 20261122;
    int inside = 0;

    for (int draw = 0; draw < 1000; draw++) {
        struct rows r = {.n_params = 1};
        struct portolan_prediction t;
        struct portolan_local *l;
        double mean = 0, anew;

        for (size_t k = 0; k < 8; k++)
            for (int i = 0; i < 5; i++)
                add(&r, (double)(16 << k), 0, (double)(1 << k) * (1 + 0.05 * normal(&seed)), k);
        for (size_t i = 10; i < 15; i++)
            mean += r.y[i] / 5;
        l = local_of(&r, NULL);
        assert_int_equal(portolan_local_peek_summary(l)->n_places, 8);
        t = ask(l, 64, 2, PORTOLAN_LOCAL_MEASURED);
        assert_near(t.value, mean, 1e-12);
        assert_false(t.is_assumed || t.extrapolates);
        anew = 4 * (1 + 0.05 * normal(&seed));
        inside += anew >= t.low && anew <= t.high;
        portolan_local_destroy(l);
    }
    assert_in_range(inside, 930, 970); /* 950 +- 3 standard deviations of 1,000 draws */
}

static void a_place_measured_once_has_an_assumed_interval(void **state)
{
    struct rows r = {.n_params = 1};
    struct portolan_local *l;

    add(&r, 10, 0, 7, 0);
    l = local_of(&r, NULL);
    assert_true(isnan(portolan_local_peek_summary(l)->repeat));
    assert_true(ask(l, 10, 0, PORTOLAN_LOCAL_MEASURED).is_assumed);
    assert_near(ask(l, 20, 1, PORTOLAN_LOCAL_NEIGHBOURS).value, 7, 1e-9);
    assert_true(ask(l, 20, 1, PORTOLAN_LOCAL_NEIGHBOURS).is_assumed);
    portolan_local_destroy(l);
}

/* Groups at the same x differ although nothing says why: between them lies the next one. */
static void the_same_x_in_other_groups_is_known_as_far_as_these_agree(void **state)
{
    struct rows r = {.n_params = 1};
    struct portolan_prediction t;
    struct portolan_local *l;

    for (int i = 0; i < 3; i++) {
        add(&r, 100, 0, 2 + 0.01 * i, 0);
        add(&r, 100, 0, 8 + 0.01 * i, 1);
        add(&r, 400, 0, 50, 2);
    }
    l = local_of(&r, NULL);
    assert_near(ask(l, 100, 1, PORTOLAN_LOCAL_MEASURED).value, 8.01, 1e-9);
    t = ask(l, 100, 9, PORTOLAN_LOCAL_SAME);
    assert_near(t.value, sqrt(2.01 * 8.01), 1e-9);
    assert_true(t.low < 2 && t.high > 8);
    assert_near(ask(l, 400, SIZE_MAX, PORTOLAN_LOCAL_SAME).value, 50, 1e-9);
    portolan_local_destroy(l);
}

/* Also where all groups have the number that means none to who asks. */
static void rows_of_no_group_are_neighbours_too(void **state)
{
    struct rows r = {.n_params = 1};
    struct portolan_local *l;

    add(&r, 10, 0, 7, SIZE_MAX);
    l = local_of(&r, NULL);
    assert_near(ask(l, 20, SIZE_MAX, PORTOLAN_LOCAL_NEIGHBOURS).value, 7, 1e-9);
    portolan_local_destroy(l);
}

static double power(double n)
{
    return 3e-3 * pow(n, 1.7);
}

/* No law. */
static double steps(double n)
{
    return n < 100 ? 1 : n < 1000 ? 50 : 2;
}

static struct portolan_local *local_of_law(double (*law)(double), double noise, uint64_t *seed)
{
    struct rows r = {.n_params = 1};

    for (size_t k = 0; k < 24; k++) {
        double n = 10 * pow(1.3, (double)k);

        for (int i = 0; i < 2; i++)
            add(&r, n, 0, law(n) * (1 + noise * normal(seed)), k);
    }
    return local_of(&r, NULL);
}

static void power_laws_and_steps_are_followed(void **state)
{
    uint64_t seed = 7;
    struct portolan_local *l = local_of_law(power, 0.01, &seed);

    assert_near(ask(l, 500, 99, PORTOLAN_LOCAL_NEIGHBOURS).value, power(500), 0.03);
    portolan_local_destroy(l);
    l = local_of_law(steps, 0.01, &seed);
    assert_near(ask(l, 40, 99, PORTOLAN_LOCAL_NEIGHBOURS).value, 1, 0.1);
    assert_near(ask(l, 400, 99, PORTOLAN_LOCAL_NEIGHBOURS).value, 50, 0.1);
    portolan_local_destroy(l);
}

static void neighbours_intervals_cover_and_widen_outside(void **state)
{
    uint64_t seed = 99;
    int inside = 0;

    for (int draw = 0; draw < 300; draw++) {
        struct portolan_local *l = local_of_law(draw % 2 ? power : steps, 0.1, &seed);
        double n = 20 * pow(100, uniform(&seed)), anew;
        struct portolan_prediction t = ask(l, n, 99, PORTOLAN_LOCAL_NEIGHBOURS), far;

        far = ask(l, 1e6, 99, PORTOLAN_LOCAL_NEIGHBOURS);
        assert_true(far.extrapolates && !t.extrapolates && far.octaves > 7);
        anew = (draw % 2 ? power(n) : steps(n)) * (1 + 0.1 * normal(&seed));
        inside += anew >= t.low && anew <= t.high;
        portolan_local_destroy(l);
    }
    assert_true(inside > 270);
}

/* Of two parameters one does not matter: places far apart in it alone tell of each other. */
static void a_parameter_that_does_not_matter_parts_nothing(void **state)
{
    double error = 0;
    uint64_t seed = 12;

    for (int draw = 0; draw < 20; draw++) {
        struct rows r = {.n_params = 2};
        struct portolan_prediction t;
        struct portolan_local *l;
        double x[] = {10 * pow(100, uniform(&seed)), 10 * pow(100, uniform(&seed))};

        for (size_t k = 0; k < 40; k++) {
            double n = 10 * pow(100, uniform(&seed));

            add(&r, n, 10 * pow(100, uniform(&seed)), n * (2 + sin(3 * log(n))), k);
        }
        l = local_of(&r, NULL);
        portolan_local_predict(l, x, 99, &t, NULL);
        error += fabs(log(t.value / (x[0] * (2 + sin(3 * log(x[0])))))) / 20;
        portolan_local_destroy(l);
    }
    assert_true(error < 0.1);
}

/* ---- conflicts ---- */

static const struct portolan_local_summary *summary_of(const struct rows *r)
{
    static struct portolan_local_summary copy;
    struct portolan_local *l = local_of(r, NULL);

    copy = *portolan_local_peek_summary(l);
    portolan_local_destroy(l);
    return &copy;
}

/* 1021 is prime, 1024 a power of two: n alone does not tell an FFT's times apart. */
static void places_that_nothing_tells_apart_are_found(void **state)
{
    struct rows r = {.n_params = 1};
    const struct portolan_local_summary *s;

    for (size_t k = 0; k < 10; k++)
        add(&r, (double)(2 << k), 0, 1e-3 * (double)(2 << k), k);
    add(&r, 1021, 0, 1021, 10);
    s = summary_of(&r);
    assert_int_equal(s->n_conflicts, 4); /* 1021; by it 1024, 512 and 256 */
    assert_int_equal(s->conflict.row, 10);
    assert_int_equal(s->conflict.other, 9);
    assert_near(s->conflict.ratio, 1e3 * 1021 / 1024, 1e-9);
    r.group[10] = 9; /* what varies at one place is noise */
    r.x[10] = 1024;
    assert_int_equal(summary_of(&r)->n_conflicts, 0);
}

static void smooth_costs_are_no_conflict(void **state)
{
    uint64_t seed = 5;

    for (int draw = 0; draw < 100; draw++) {
        struct rows r = {.n_params = 2};
        double exponent = 3 * uniform(&seed);

        for (size_t k = 0; k < 60; k++) {
            double n = 10 * pow(100, uniform(&seed)), flag = (double)(k % 2);

            if (draw % 2)
                flag = 1 + 9 * uniform(&seed);
            add(&r, n, flag,
                pow(n, exponent) * (draw % 2 ? flag : 1 + 999 * flag) * (1 + 0.05 * normal(&seed)),
                k);
        }
        assert_int_equal(summary_of(&r)->n_conflicts, 0);
    }
}

/* ---- what was left out ---- */

/* log(predicted/measured) of row I by what is made of the rows of other groups. */
static double error_without(const struct rows *r, size_t i, bool *inside)
{
    struct rows others = {.n_params = 1};
    struct portolan_prediction t;
    struct portolan_local *l;

    for (size_t k = 0; k < r->n; k++)
        if (r->group[k] != r->group[i])
            add(&others, r->x[k], 0, r->y[k], r->group[k]);
    l = local_of(&others, NULL);
    t = ask(l, r->x[i], r->group[i], PORTOLAN_LOCAL_NEIGHBOURS);
    portolan_local_destroy(l);
    *inside = r->y[i] >= t.low && r->y[i] <= t.high;
    return log(t.value / r->y[i]);
}

static void errors_of_places_left_out_are_what_leaving_them_out_gives(void **state)
{
    double stated = 0, found = 0, square = 0;
    uint64_t seed = 31;
    int inside = 0;

    for (int draw = 0; draw < 50; draw++) {
        struct rows r = {.n_params = 1};
        struct portolan_local *l;

        for (size_t k = 0; k < 20; k++) {
            double n = 10 * pow(300, uniform(&seed));

            add(&r, n, 0, (draw % 2 ? power(n) : steps(n)) * exp(0.3 * normal(&seed)), k / 2);
        }
        l = local_of(&r, NULL);
        assert_int_equal(portolan_local_peek_summary(l)->left_out.n, 20);
        stated += portolan_local_peek_summary(l)->left_out.mean / 50;
        for (size_t i = 0; i < 20; i++) {
            bool is_inside;

            found += fabs(error_without(&r, i, &is_inside)) / 1000;
            inside += is_inside;
        }
        for (size_t i = 0; i < 10; i++)
            square += pow(portolan_local_error(l, i), 2) / 500;
        portolan_local_destroy(l);
    }
    assert_true(stated > 0.85 * found && stated < 1.15 * found);
    assert_in_range(inside, 890, 990);       /* steps are none of what kriging assumes */
    assert_true(square > 0.4 && square < 1); /* of the mean of two */
}

/* Of cases that lie alike the errors are alike, too: of two costs the same is known. */
static void the_error_of_a_group_is_that_of_its_places(void **state)
{
    struct rows r = {.n_params = 1};
    struct portolan_local *l;
    uint64_t seed = 8;

    for (size_t k = 0; k < 16; k++) {
        double n = 10 * pow(1.4, (double)k);

        add(&r, n, 0, power(n) * exp(0.02 * normal(&seed)) * (k == 7 ? 3 : 1), k);
    }
    l = local_of(&r, NULL);
    assert_true(portolan_local_error(l, 7) < -2); /* foretold too low */
    assert_true(portolan_local_error(l, 6) > 0 && portolan_local_error(l, 8) > 0);
    assert_true(isnan(portolan_local_error(l, 99)));
    portolan_local_destroy(l);
}

static void errors_of_laws_are_those_of_models_without_the_group(void **state)
{
    static const char *const names[] = {"n"};
    const struct portolan_model_options options = {.max_pieces = 1};
    struct portolan_left_out found;
    struct rows r = {.n_params = 1};
    struct portolan_model_data data = {1, names, 0, r.x, r.y, NULL};
    uint64_t seed = 3;
    double mean = 0, squares = 0;

    for (size_t k = 0; k < 12; k++)
        add(&r, (double)(k / 2 + 1) * 10, 0, power((double)(k / 2 + 1) * 10) + uniform(&seed),
            k / 2);
    for (size_t i = 0; i < 12; i++) {
        double x[12], y[12], e;
        struct portolan_model *m;
        size_t n = 0;

        for (size_t k = 0; k < 12; k++)
            if (r.group[k] != r.group[i]) {
                x[n] = r.x[k];
                y[n++] = r.y[k];
            }
        m = fit_rows(1, n, x, y, &options);
        e = fmin(3, fabs(log(portolan_model_value(m, &r.x[i]) / r.y[i])));
        mean += e / 12;
        squares += e * e / 12;
        portolan_model_destroy(m);
    }
    data.n_rows = 12;
    assert_int_equal(portolan_model_left_out(&data, r.group, NULL, 0, &options, 99, &found, NULL),
                     0);
    assert_int_equal(found.n, 12);
    assert_near(found.mean, mean, 1e-9);
    assert_near(found.sigma, sqrt(squares), 1e-9);
    data.n_rows = 6; /* three groups */
    assert_int_equal(portolan_model_left_out(&data, r.group, NULL, 0, &options, 99, &found, NULL),
                     0);
    assert_int_equal(found.n, 0);
}

/* ---- life ---- */

/* 1, 8, 27 at 1, 2, 3; where it fell once, nothing is lifted, nor within what was measured. */
static void what_rose_everywhere_bounds_predictions_beyond(void **state)
{
    const struct portolan_prediction wild = {
        .value = 5, .low = 0, .high = 1e9, .extrapolates = true};
    struct rows r = {.n_params = 1}, fell = {.n_params = 1};
    struct portolan_prediction p = wild;
    struct portolan_local *l, *f;

    for (int n = 1; n <= 3; n++) {
        add(&r, n, 0, n * n * n, (size_t)n);
        add(&fell, n, 0, n == 3 ? 6 : n * n * n, (size_t)n);
    }
    l = local_of(&r, NULL);
    f = local_of(&fell, NULL);
    portolan_local_bound(l, &(double){4}, &p);
    assert_true(p.low > 20 && p.low < 27 && p.value == p.low && p.high == wild.high);
    p = wild;
    portolan_local_bound(l, &(double){0.5}, &p);
    assert_true(p.low == wild.low && p.value == wild.value);
    portolan_local_bound(f, &(double){4}, &p);
    assert_true(p.low == wild.low && p.value == wild.value);
    p.extrapolates = false;
    portolan_local_bound(l, &(double){2.5}, &p);
    assert_true(p.low == wild.low && p.value == wild.value);
    portolan_local_destroy(l);
    portolan_local_destroy(f);
}

/* Nine calls weigh nine times as much as one; rows without weight nothing. */
static void rows_count_by_their_weight(void **state)
{
    double weight[] = {1, 0.9, 0.1};
    struct rows r = {.n_params = 1};
    struct portolan_local *l;

    add(&r, 10, 0, 100, 0);
    add(&r, 10, 0, 4, 0);
    add(&r, 10, 0, 14, 0);
    l = local_of(&r, weight);
    assert_near(ask(l, 10, 0, PORTOLAN_LOCAL_MEASURED).value, 52.5, 1e-12);
    portolan_local_destroy(l);
    weight[0] = 0;
    l = local_of(&r, weight);
    assert_near(ask(l, 10, 0, PORTOLAN_LOCAL_MEASURED).value, 5, 1e-12);
    assert_true(isnan(portolan_local_peek_summary(l)->repeat)); /* it is one repetition */
    portolan_local_assume(l, 0.3);
    assert_near(ask(l, 10, 0, PORTOLAN_LOCAL_MEASURED).std_error, 0.3 * 5, 1e-12);
    portolan_local_destroy(l);
}

static void bad_input_is_refused(void **state)
{
    double x[] = {1, 2}, y[] = {1, 1}, weight[] = {1, 1};
    static const size_t group[] = {0, 1};
    struct portolan_local_data data = {1, 0, x, y, weight, group};
    double *const fields[] = {&x[1], &y[1], &weight[1]};
    struct portolan_local *l = NULL;

    assert_int_equal(portolan_local_create(&data, &l, NULL), PORTOLAN_EINVAL);
    data.n_rows = 2;
    data.n_params = PORTOLAN_MODEL_MAX_PARAMS + 1;
    assert_int_equal(portolan_local_create(&data, &l, NULL), PORTOLAN_EINVAL);
    data.n_params = 1;
    for (size_t i = 0; i < COUNT(fields); i++)
        for (int k = 0; k < 3; k++) {
            *fields[i] = k == 0 ? NAN : k == 1 ? INFINITY : -1;
            if (i == 0 && k == 2)
                continue; /* a parameter may be negative */
            assert_int_equal(portolan_local_create(&data, &l, NULL), PORTOLAN_EINVAL);
            *fields[i] = 1;
        }
    assert_null(l);
    *fields[0] = -1;
    assert_int_equal(portolan_local_create(&data, &l, NULL), 0);
    portolan_local_destroy(l);
}

static void every_failing_allocation_is_reported(void **state)
{
    static const char *const names[] = {"n"};
    struct rows r = {.n_params = 1};
    struct portolan_model_data data = {1, names, 10, r.x, r.y, NULL};
    const struct portolan_local_data local = {1, 10, r.x, r.y, NULL, r.group};
    unsigned long failures = 0;

    for (size_t k = 0; k < 10; k++)
        add(&r, (double)(k + 1), 0, power((double)(k + 1)), k);
    for (unsigned long at = 1, good = 0; good<30; at += at> 100 ? 37 : 1) {
        enum portolan_status statuses[2];
        struct portolan_left_out found;
        struct portolan_local *l = NULL;

        portolan_alloc_fail_at(at);
        statuses[0] = portolan_local_create(&local, &l, NULL);
        portolan_alloc_fail_at(at);
        statuses[1] = portolan_model_left_out(&data, r.group, NULL, 0, NULL, 3, &found, NULL);
        portolan_alloc_fail_at(0);
        for (int i = 0; i < 2; i++) {
            assert_true(statuses[i] == PORTOLAN_OK || statuses[i] == PORTOLAN_ENOMEM);
            failures += statuses[i] != PORTOLAN_OK;
        }
        good = statuses[0] || statuses[1] ? 0 : good + 1;
        portolan_local_destroy(l);
    }
    print_message("%lu failures reported\n", failures);
    assert_true(failures > 50);
}

UNIT_TESTS(cmocka_unit_test(what_was_measured_is_its_mean_and_the_interval_covers_a_run_anew),
           cmocka_unit_test(a_place_measured_once_has_an_assumed_interval),
           cmocka_unit_test(the_same_x_in_other_groups_is_known_as_far_as_these_agree),
           cmocka_unit_test(rows_of_no_group_are_neighbours_too),
           cmocka_unit_test(power_laws_and_steps_are_followed),
           cmocka_unit_test(neighbours_intervals_cover_and_widen_outside),
           cmocka_unit_test(a_parameter_that_does_not_matter_parts_nothing),
           cmocka_unit_test(places_that_nothing_tells_apart_are_found),
           cmocka_unit_test(smooth_costs_are_no_conflict),
           cmocka_unit_test(errors_of_places_left_out_are_what_leaving_them_out_gives),
           cmocka_unit_test(the_error_of_a_group_is_that_of_its_places),
           cmocka_unit_test(errors_of_laws_are_those_of_models_without_the_group),
           cmocka_unit_test(what_rose_everywhere_bounds_predictions_beyond),
           cmocka_unit_test(rows_count_by_their_weight), cmocka_unit_test(bad_input_is_refused),
           cmocka_unit_test(every_failing_allocation_is_reported))
