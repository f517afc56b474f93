/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases for a struct that holds its functions itself. */
#include "cases.h"

#include <stdio.h>

#include "headers/cases/own.h"

extern const struct portolan_component portolan_component_ownProxy;

/* ------------------------------------------------------------------ an implementation */

static int vlog(struct own *self, char *line, size_t room, const char *format, va_list list)
{
    self->lines++;
    return vsnprintf(line, room, format, list);
}

static int own_log(struct own *self, char *line, size_t room, const char *format, ...)
{
    (void)self, (void)line, (void)room, (void)format;
    return -1;
}

static int own_trace(struct own *self, int count, ...)
{
    int total = 0;
    va_list list;

    (void)self;
    va_start(list, count);
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static double each(struct own *self, double visit(void *user, int), void *user, int times)
{
    double s = 0;

    (void)self;
    portolan_probe_clock_advance(10);
    for (int i = 0; i < times; i++)
        s += visit(user, i);
    return s;
}

static struct own_pair pair(struct own *self, struct own_pair a, double complex b, long double c)
{
    (void)self;
    return (struct own_pair){a.d + creal(b) + (double)c, a.i + (long)cimag(b)};
}

static own_four four(struct own *self, own_four a, own_four b)
{
    (void)self;
    return a * b;
}

static double sum(struct own *self, int n, const double x[static 1])
{
    double s = 0;

    (void)self;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

static int ask(struct own *self, double *residual)
{
    (void)self;
    if (residual)
        *residual = 0.5;
    return 1;
}

static OWN_CALL int other(struct own *self, int a, double b)
{
    (void)self;
    return a + (int)b;
}

static int unnamed(struct own *self, int a, int b)
{
    (void)self;
    portolan_probe_clock_advance(1);
    return a - b;
}

static int selfless(void *handle, int x)
{
    return *(int *)handle + x;
}

static __attribute__((noreturn)) void never(struct own *self, void *where)
{
    (void)self;
    longjmp(*(jmp_buf *)where, 1);
}

static int number = 40;

static struct own make(void)
{
    return (struct own){.version = 3,
                        .log = own_log,
                        .vlog = vlog,
                        .trace = own_trace,
                        .each = each,
                        .pair = pair,
                        .four = four,
                        .sum = sum,
                        .ask = ask,
                        .other = other,
                        .unnamed = unnamed,
                        .selfless = selfless,
                        .never = never,
                        .handle = &number};
}

static struct own *face(struct own *object)
{
    return cases_face(&portolan_component_ownProxy, "own", object);
}

/* ------------------------------------------------------------------ the cases */

static void values_travel_as_they_are(void **state)
{
    struct own object = make(), *f = face(&object);
    const double x[2] = {1, 2};
    own_four v;
    struct own_pair p;

    p = f->pair(f, (struct own_pair){1, 2}, 3 + 4 * I, 5.5L);
    assert_true(p.d == 9.5 && p.i == 6);
    v = f->four(f, (own_four){1, 2, 3, 4}, (own_four){5, 6, 7, 8});
    assert_true(v[0] == 5 && v[3] == 32);
    assert_true(f->sum(f, 2, x) == 3);
    assert_int_equal(records_node("sum", 0).context[0].value, 2);
    assert_int_equal(f->other(f, 1, 2.5), 3);
    assert_int_equal(f->unnamed(f, 5, 3), 2);
    assert_int_equal(records_of("other", NULL).calls, 1);
}

/* Such a member may be the user's own hook, so it is data. */
static void a_function_without_the_object_stays_what_it_is(void **state)
{
    struct own object = make(), *f = face(&object);

    assert_ptr_equal(f->handle, &number);
    assert_true(f->selfless == selfless);
    assert_int_equal(f->selfless(f->handle, 2), 42);
    assert_int_equal(records_of("selfless", NULL).calls, 0);
}

static void members_that_are_no_functions_follow_and_null_stays_null(void **state)
{
    struct own object = make(), *f = face(&object);
    char line[10];

    assert_int_equal(f->version, 3);
    assert_null(f->optional);
    f->log(f, line, sizeof line, "x");
    assert_int_equal(f->lines, 1);
}

static void variadic_functions_are_forwarded_to_twins_or_left_alone(void **state)
{
    struct own object = make(), *f = face(&object);
    char line[50];

    assert_int_equal(f->log(f, line, sizeof line, "%s %.1f %d", "a", 2.5, 3), 7);
    assert_string_equal(line, "a 2.5 3");
    assert_int_equal(records_of("log", NULL).calls, 1);
    assert_true(f->trace == own_trace);
    assert_int_equal(f->trace(f, 3, 1, 2, 3), 6);
}

static double visit(void *user, int i)
{
    portolan_probe_clock_advance(100);
    return i * *(double *)user;
}

static double come_back(void *user, int i)
{
    struct own *f = user;

    return f->unnamed(f, i, 0);
}

static void time_in_a_callback_is_the_callers(void **state)
{
    struct own object = make(), *f = face(&object);
    double two = 2;

    assert_true(f->each(f, visit, &two, 3) == 6);
    assert_true(records_of("each", NULL).exclusive_ns == 10);
    assert_true(records_of("each.visit", NULL).exclusive_ns == 300);
    assert_true(f->each(f, come_back, f, 3) == 3);
    assert_true(records_of("unnamed", NULL).exclusive_ns == 3);
    assert_true(records_of("each", NULL).exclusive_ns == 20);
}

static void accuracies_are_read_after_the_call(void **state)
{
    struct own object = make(), *f = face(&object);
    double residual;

    f->ask(f, NULL);
    assert_false(records_of("ask", NULL).has_quality);
    f->ask(f, &residual);
    assert_true(records_of("ask", NULL).quality == 0.5);
}

static void a_function_that_never_returns_is_counted(void **state)
{
    struct own object = make(), *f = face(&object);
    jmp_buf where;

    if (setjmp(where) == 0)
        f->never(f, &where);
    assert_int_equal(records_of("never", NULL).calls, 1);
    assert_int_equal(f->unnamed(f, 1, 1), 0);
    assert_string_equal(cases_parent("unnamed"), "(root)");
}

UNIT_TESTS(CASE(values_travel_as_they_are), CASE(a_function_without_the_object_stays_what_it_is),
           CASE(members_that_are_no_functions_follow_and_null_stays_null),
           CASE(variadic_functions_are_forwarded_to_twins_or_left_alone),
           CASE(time_in_a_callback_is_the_callers), CASE(accuracies_are_read_after_the_call),
           CASE(a_function_that_never_returns_is_counted))
