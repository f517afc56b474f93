/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples as columns: the same numbers as portolan_store_read() gives, of what is asked for alone.
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct portolan_column_set *columns_or_fail(struct portolan_store *store,
                                                   const struct portolan_store_query *query,
                                                   const char *const *names, size_t n)
{
    struct portolan_column_set *set = NULL;
    struct portolan_error err = {0};

    if (portolan_store_read_columns(store, query, names, n, &set, &err))
        fail_msg("%s", err.text);
    assert_true(!names || set->n_columns == n);
    return set;
}

static const struct portolan_column *column_of(const struct portolan_column_set *set,
                                               const char *name)
{
    for (size_t i = 0; i < set->n_columns; i++)
        if (!strcmp(set->columns[i].name, name))
            return &set->columns[i];
    fail_msg("there is no column %s", name);
    return NULL;
}

static int64_t integer_at(const struct portolan_column_set *set, const char *name, size_t row)
{
    const struct portolan_column *c = column_of(set, name);

    assert_int_equal(c->kind, PORTOLAN_COLUMN_INTEGER);
    return ((const int64_t *)c->values)[row];
}

static double real_at(const struct portolan_column_set *set, const char *name, size_t row)
{
    const struct portolan_column *c = column_of(set, name);

    assert_int_equal(c->kind, PORTOLAN_COLUMN_REAL);
    return ((const double *)c->values)[row];
}

static const char *name_at(const struct portolan_column_set *set, const char *name, size_t row)
{
    const struct portolan_column *c = column_of(set, name);
    int32_t code = ((const int32_t *)c->values)[row];

    assert_int_equal(c->kind, PORTOLAN_COLUMN_NAME);
    assert_true(code >= 0 && (size_t)code < c->n_names);
    return c->names[code];
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Two trials, of two steps and of one. */
static struct portolan_store *make_store(const char *path, int64_t trials[2])
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_WRITE);

    put_steps(store, trials[0] = begin_plate(store), 0, 1);
    put_steps(store, trials[1] = begin_plate(store), 5, 5);
    return store;
}

static void all_columns_are_those_of_samples(void **state)
{
    int64_t trials[2];
    struct portolan_store *store = make_store(*state, trials);
    struct portolan_sample_set *samples = read_or_fail(store, NULL);
    struct portolan_column_set *set = columns_or_fail(store, NULL, NULL, 0);

    assert_int_equal(set->n_rows, 3 * STEP_SAMPLES);
    assert_int_equal(set->n_rows, samples->n_samples);
    for (size_t i = 0; i < set->n_rows; i++) {
        const struct portolan_sample *s = &samples->samples[i];

        assert_int_equal(integer_at(set, "trial", i), s->trial);
        assert_int_equal(integer_at(set, "step", i), s->step);
        assert_int_equal(integer_at(set, "rank", i), s->rank);
        assert_int_equal(integer_at(set, "thread", i), s->thread);
        assert_int_equal(integer_at(set, "calls", i), s->calls);
        assert_true(is_same(real_at(set, "inclusive_ns", i), s->inclusive_ns));
        assert_true(is_same(real_at(set, "exclusive_ns", i), s->exclusive_ns));
        assert_true(is_same(real_at(set, "mpi_ns", i), s->mpi_ns));
        assert_true(is_same(real_at(set, "quality", i), s->quality));
        assert_string_equal(name_at(set, "instance", i), s->instance);
        assert_string_equal(name_at(set, "implementation", i), s->implementation);
        assert_string_equal(name_at(set, "method", i), s->method);
        assert_string_equal(name_at(set, "path", i), strcmp(s->method, "go")
                                                         ? "driver.go.go solver.solver.solve"
                                                         : "driver.go.go");
        for (int k = 0; k < s->n_context; k++) {
            char name[100];

            snprintf(name, sizeof name, PORTOLAN_COLUMN_CONTEXT "%s", s->context_name[k]);
            assert_true(is_same(real_at(set, name, i), s->context[k]));
        }
    }
    portolan_column_set_destroy(set);
    portolan_sample_set_destroy(samples);
    portolan_store_close(store);
}

static void only_what_is_asked_for_is_read(void **state)
{
    static const char *const names[] = {"exclusive_ns", PORTOLAN_COLUMN_CONTEXT "nosuch", "step"};
    const int rank = 1, step = 1;
    int64_t trials[2], none = 99;
    struct portolan_store *store = make_store(*state, trials);
    struct portolan_store_query query = {.n_only = 1, .only = &trials[1]};
    struct portolan_column_set *set = columns_or_fail(store, &query, names, 3);

    assert_int_equal(set->n_rows, STEP_SAMPLES);
    for (size_t i = 0; i < set->n_rows; i++) {
        assert_int_equal(integer_at(set, "step", i), 5);
        assert_true(isnan(real_at(set, PORTOLAN_COLUMN_CONTEXT "nosuch", i)));
    }
    assert_string_equal(set->columns[0].name, "exclusive_ns"); /* in the order of the names */
    portolan_column_set_destroy(set);
    query = (struct portolan_store_query){.rank = &rank, .first_step = &step, .last_step = &step};
    set = columns_or_fail(store, &query, names, 3);
    assert_true(set->n_rows > 0 && set->n_rows < STEP_SAMPLES);
    portolan_column_set_destroy(set);
    query = (struct portolan_store_query){.n_only = 1, .only = &none};
    set = columns_or_fail(store, &query, NULL, 0);
    assert_int_equal(set->n_rows, 0);
    portolan_column_set_destroy(set);
    portolan_column_set_destroy(NULL);
    portolan_store_close(store);
}

static void an_unknown_column_is_refused_with_the_nearest(void **state)
{
    static const char *const names[] = {"calls", "exclusiv_ns"};
    int64_t trials[2];
    struct portolan_store *store = make_store(*state, trials);
    struct portolan_column_set *set = (void *)trials;
    struct portolan_error err = {0};

    assert_int_equal(portolan_store_read_columns(store, NULL, names, 2, &set, &err),
                     PORTOLAN_ENOTFOUND);
    assert_null(set);
    assert_string_equal(err.text,
                        "samples have no column 'exclusiv_ns'; did you mean 'exclusive_ns'?");
    portolan_store_close(store);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(all_columns_are_those_of_samples), IN_FOLDER(only_what_is_asked_for_is_read),
           IN_FOLDER(an_unknown_column_is_refused_with_the_nearest))
