/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables whose functions never get them: only the function that is called says whose it is. */
#include "records.h"

#include <stdlib.h>
#include <string.h>

#include "test_Generator_proxy.h"

static void set(void *state, unsigned long seed)
{
    portolan_probe_clock_advance(1);
    *(unsigned long *)state = seed;
}

static unsigned long next_even(void *state)
{
    portolan_probe_clock_advance(2);
    return *(unsigned long *)state += 2;
}

static unsigned long next_odd(void *state)
{
    portolan_probe_clock_advance(5);
    return (*(unsigned long *)state += 2) | 1;
}

static const generator_type even = {
    .name = "even", .size = sizeof(unsigned long), .set = set, .get = next_even, .free = free};
static const generator_type odd = {
    .name = "odd", .size = sizeof(unsigned long), .set = set, .get = next_odd};

static int set_up(void **state)
{
    records_begin();
    return 0;
}

static void two_tables_keep_apart(void **state)
{
    generator_type *a = test_GeneratorProxy_wrap(&even, "a");
    generator_type *b = test_GeneratorProxy_wrap(&odd, "b");
    unsigned long x, y;

    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a->name, "even");
    assert_int_equal(b->size, sizeof(unsigned long));
    assert_null(a->get_double);
    assert_null(b->free);
    a->set(&x, 10);
    b->set(&y, 20);
    assert_int_equal(a->get(&x), 12);
    assert_int_equal(b->get(&y), 23);
    assert_int_equal(b->get(&y), 25);
    assert_int_equal(records_of("set", NULL).calls, 2);
    assert_int_equal(records_of("get", NULL).calls, 3);
    assert_int_equal(records_of("get", NULL).inclusive_ns, 12);
    assert_int_equal(records_node("get", 0).calls + records_node("get", 1).calls, 3);
    assert_ptr_equal(test_GeneratorProxy_unwrap(a), &even);
    assert_ptr_equal(test_GeneratorProxy_unwrap(b), &odd);
}

static void a_function_called_free_does_not_end_the_table(void **state)
{
    generator_type *face = test_GeneratorProxy_wrap(&even, "a");
    unsigned long *one = malloc(sizeof *one), x;

    face->set(one, 1);
    face->free(one);
    face->set(&x, 4);
    assert_int_equal(face->get(&x), 6);
    assert_ptr_equal(test_GeneratorProxy_unwrap(face), &even);
}

static void a_copy_of_the_table_is_measured_too(void **state)
{
    generator_type *face = test_GeneratorProxy_wrap(&even, "a"), copy = *face;
    unsigned long x;

    copy.set(&x, 4);
    assert_int_equal(copy.get(&x), 6);
    assert_int_equal(records_of("get", NULL).calls, 1);
    test_GeneratorProxy_unwrap(face);
}

UNIT_TESTS(cmocka_unit_test_setup(two_tables_keep_apart, set_up),
           cmocka_unit_test_setup(a_function_called_free_does_not_end_the_table, set_up),
           cmocka_unit_test_setup(a_copy_of_the_table_is_measured_too, set_up))
