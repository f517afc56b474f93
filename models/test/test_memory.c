/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation fails once: a status comes back, nothing leaks, nothing has changed. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const double x[] = {16, 1, 16, 2, 32, 1, 32, 2, 48, 1, 48, 2, 64, 1, 64, 2};
static const double y[] = {1.1, 1.9, 4.2, 8.1, 9.3, 18.2, 15.8, 33};
static const char *const names[] = {"n", "m"};
static const struct portolan_model_data data = {2, names, 8, x, y, NULL};

enum { MOST = 1000 };

static enum portolan_status fit_once(struct portolan_model **model)
{
    struct portolan_error err = {0};
    enum portolan_status status = portolan_model_fit(&data, NULL, model, &err);

    assert_int_equal(err.status, status);
    return status;
}

static enum portolan_status fit_terms_once(struct portolan_model **model)
{
    struct portolan_model_shape shapes[] = {{.logs = {0}}, {.exponents = {2, 1}}};
    struct portolan_model_options options = {.allow_negative = true};
    enum portolan_status status = portolan_model_fit_terms(&data, shapes, 2, &options, model, NULL);

    return status;
}

static enum portolan_status create_once(struct portolan_model **model)
{
    struct portolan_model_term term = {.constant = 2};

    return portolan_model_create(2, names, &term, 1, model, NULL);
}

/* So many points that the search is that of a sample. */
static enum portolan_status fit_many_once(struct portolan_model **model)
{
    enum { MANY = CACHED_POINTS + 1 };
    static double many[2 * MANY];
    struct portolan_model_data rows = {1, names, MANY, many, many + MANY, NULL};

    for (size_t i = 0; i < MANY; i++) {
        many[i] = (double)(i + 1);
        many[MANY + i] = 3 * many[i];
    }
    return portolan_model_fit(&rows, NULL, model, NULL);
}

static char *sample;

static enum portolan_status read_once(struct portolan_model **model)
{
    struct portolan_error err = {0};
    enum portolan_status status =
        portolan_model_read_xml(sample, strlen(sample), "it.xml", NULL, model, &err);

    assert_int_equal(err.status, status);
    return status;
}

static void fail_each_allocation_of(enum portolan_status (*act)(struct portolan_model **))
{
    unsigned long n = 0;
    enum portolan_status status;

    do {
        struct portolan_model *model = NULL;

        portolan_alloc_fail_at(++n);
        status = act(&model);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        assert_true((status == PORTOLAN_OK) == (model != NULL));
        portolan_model_destroy(model);
    } while (status && n < MOST);
    assert_int_equal(status, PORTOLAN_OK);
    assert_true(n > 1);
}

static void fits_survive_failing_allocations(void **state)
{
    fail_each_allocation_of(fit_once);
    fail_each_allocation_of(fit_terms_once);
    fail_each_allocation_of(fit_many_once);
    fail_each_allocation_of(create_once);
}

static void reading_survives_failing_allocations(void **state)
{
    struct portolan_model_envelope about = {.name = "f", .unit = "s", .machine = "here"};
    struct portolan_model *model;

    assert_int_equal(fit_once(&model), PORTOLAN_OK);
    assert_int_equal(portolan_model_describe(model, &about, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_write_xml(model, &sample, NULL), PORTOLAN_OK);
    portolan_model_destroy(model);
    fail_each_allocation_of(read_once);
    free(sample);
}

static void a_description_that_fails_leaves_the_old_one(void **state)
{
    struct portolan_model_envelope old = {.name = "old"}, new = {.name = "new", .unit = "s"};
    struct portolan_model *model;

    assert_int_equal(create_once(&model), PORTOLAN_OK);
    assert_int_equal(portolan_model_describe(model, &old, NULL), PORTOLAN_OK);
    for (unsigned long n = 1; n <= 2; n++) {
        portolan_alloc_fail_at(n);
        assert_int_equal(portolan_model_describe(model, &new, NULL), PORTOLAN_ENOMEM);
        portolan_alloc_fail_at(0);
        assert_string_equal(portolan_model_peek_envelope(model)->name, "old");
        assert_null(portolan_model_peek_envelope(model)->unit);
    }
    assert_int_equal(portolan_model_describe(model, NULL, NULL), PORTOLAN_OK);
    assert_null(portolan_model_peek_envelope(model)->name);
    portolan_model_destroy(model);
}

static void destroying_nothing_is_legal(void **state)
{
    portolan_model_destroy(NULL);
}

UNIT_TESTS(cmocka_unit_test(fits_survive_failing_allocations),
           cmocka_unit_test(reading_survives_failing_allocations),
           cmocka_unit_test(a_description_that_fails_leaves_the_old_one),
           cmocka_unit_test(destroying_nothing_is_legal))
