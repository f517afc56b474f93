/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What C lets an interface have, case by case: values and qualifiers arrive as they were sent, for
 * tables of functions. docs/portolan-proxygen.1 has the list of cases.
 */
#include "cases.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "headers/cases/attributes.h"
#include "headers/cases/by_value.h"
#include "headers/cases/conditional.h"
#include "headers/cases/handle.h"
#include "headers/cases/inline.h"
#include "headers/cases/out.h"
#include "headers/cases/qualifiers.h"
#include "headers/cases/sizes.h"
#include "headers/cases/variadic.h"
#pragma GCC diagnostic ignored "-Wpedantic"

#define COMPONENT(type)    extern const struct portolan_component portolan_component_##type##Proxy
#define FACE(type, object) cases_face(&portolan_component_##type##Proxy, #type, object)
COMPONENT(attributes);
COMPONENT(by_value);
COMPONENT(conditional);
COMPONENT(counter);
COMPONENT(handle);
COMPONENT(journal);
COMPONENT(out);
COMPONENT(qualifiers);
COMPONENT(sizes);

/* ------------------------------------------------------------------ variadic functions */

static int vlog(struct journal *self, char *line, size_t room, const char *format, va_list list)
{
    self->lines++;
    return vsnprintf(line, room, format, list);
}

static int own_log(struct journal *self, char *line, size_t room, const char *format, ...)
{
    (void)self, (void)line, (void)room, (void)format;
    return -1;
}

static int count_up(struct journal *self, int count, ...)
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

static void a_variadic_function_is_forwarded_to_its_twin(void **state)
{
    static const struct journal_ops ops = {own_log, vlog, count_up};
    struct journal object = {&ops, 0}, *f = FACE(journal, &object);
    char line[100];

    assert_int_equal(f->ops->log(f, line, sizeof line, "%d %s %.2f %c", 7, "seven", 7.25, '!'), 14);
    assert_string_equal(line, "7 seven 7.25 !");
    assert_int_equal(f->lines, 1);
    assert_int_equal(records_of("log", NULL).calls, 1);
    assert_int_equal(records_of("vlog", NULL).calls, 0); /* called by us and by no user */
}

static void a_variadic_function_without_twin_stays_what_it_is(void **state)
{
    static const struct journal_ops ops = {own_log, vlog, count_up}, no_twin = {.log = own_log};
    struct journal object = {&ops, 0}, *f = FACE(journal, &object);
    struct journal other = {&no_twin, 0}, *g = FACE(journal, &other);
    char line[1];

    assert_true(f->ops->trace == count_up);
    assert_int_equal(f->ops->trace(f, 3, 1, 2, 3), 6);
    assert_int_equal(records_of("trace", NULL).calls, 0);
    assert_true(g->ops->log == own_log); /* named, and NULL in this object */
    assert_null(g->ops->vlog);
    assert_int_equal(g->ops->log(g, line, 1, ""), -1);
}

/* ------------------------------------------------------------------ by value */

static struct small small(struct by_value *self, struct small a, char b)
{
    (void)self;
    return (struct small){(char)(a.c + b)};
}

static struct two two(struct by_value *self, double a, struct two b, int c)
{
    (void)self;
    return (struct two){a + b.d, b.i - c};
}

static struct large large(struct by_value *self, struct large a, struct large b)
{
    (void)self;
    a.d[0] += b.d[6];
    return a;
}

static struct packed packed(struct by_value *self, struct packed a)
{
    (void)self;
    a.c++;
    a.d *= 2;
    return a;
}

static union either either(struct by_value *self, union either a, float b)
{
    (void)self;
    a.f[1] += b;
    return a;
}

static four vector(struct by_value *self, four a, double b, four c)
{
    (void)self;
    return a * (float)b + c;
}

static double complex complexes(struct by_value *self, double complex a, float complex b)
{
    (void)self;
    return a * b;
}

static long double extended(struct by_value *self, long double a, int b)
{
    (void)self;
    return a / b;
}

static long double complex both(struct by_value *self, long double complex a)
{
    (void)self;
    return a * I;
}

static __int128 wide(struct by_value *self, __int128 a, bool negative)
{
    (void)self;
    return negative ? -a : a;
}

static double many(struct by_value *self, double a, float b, int c, char d, short e, long f,
                   double g, double h, double i, double j, double k, double l, double m, int n,
                   int o, int p)
{
    (void)self;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * (double)f + 7 * g + 8 * h + 9 * i + 10 * j +
           11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}

static void values_travel_as_they_are(void **state)
{
    static const struct by_value_ops ops = {.small = small,
                                            .two = two,
                                            .large = large,
                                            .packed = packed,
                                            .either = either,
                                            .vector = vector,
                                            .complexes = complexes,
                                            .extended = extended,
                                            .both = both,
                                            .wide = wide,
                                            .many = many};
    struct by_value object = {&ops}, *f = FACE(by_value, &object);
    struct large l = {{1, 2, 3, 4, 5, 6, 7}};
    const __int128 big = (__int128)1 << 100;
    four v;

    assert_int_equal(f->ops->small(f, (struct small){'a'}, 1).c, 'b');
    assert_true(f->ops->two(f, 1.5, (struct two){2, 1LL << 40}, 1).d == 3.5);
    assert_true(f->ops->two(f, 1.5, (struct two){2, 1LL << 40}, 1).i == (1LL << 40) - 1);
    assert_true(f->ops->large(f, l, l).d[0] == 8 && f->ops->large(f, l, l).d[6] == 7);
    assert_true(f->ops->packed(f, (struct packed){1, 2.5}).d == 5);
    assert_int_equal(f->ops->packed(f, (struct packed){1, 2.5}).c, 2);
    assert_true(f->ops->either(f, (union either){.f = {1, 2}}, 3).f[1] == 5);
    v = f->ops->vector(f, (four){1, 2, 3, 4}, 10, (four){5, 6, 7, 8});
    assert_true(v[0] == 15 && v[3] == 48);
    assert_true(f->ops->complexes(f, 1 + 2 * I, 3 - I) == 5 + 5 * I);
    assert_true(f->ops->extended(f, 1.0L, 3) == 1.0L / 3);
    assert_true(f->ops->both(f, 2.0L + 3.0L * I) == -3.0L + 2.0L * I);
    assert_true(f->ops->wide(f, big, true) == -big);
    assert_true(f->ops->many(f, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 136);
    assert_true(f->ops->many(f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2) == 45);
    assert_int_equal(records_of("many", NULL).calls, 2);
}

/* ------------------------------------------------------------------ qualifiers and arrays */

static double sum(const struct qualifiers *self, int n, const double x[restrict static 2],
                  constant *restrict y)
{
    double s = 0;

    (void)self;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static volatile int *port(struct qualifiers *const self, volatile int *const register_)
{
    (void)self;
    *register_ += 1;
    return register_;
}

static const char *const *names(const struct qualifiers *self, const char *const *const list)
{
    (void)self;
    return list + 1;
}

static double trace(const struct qualifiers *self, const int n, const double a[n][n])
{
    double s = 0;

    (void)self;
    for (int i = 0; i < n; i++)
        s += a[i][i];
    return s;
}

static int column(const struct qualifiers *self, int (*const restrict a)[3], _Bool last)
{
    (void)self;
    return a[1][last ? 2 : 0];
}

static _Atomic(int) *atomic(struct qualifiers *self, _Atomic(int) *p)
{
    (void)self;
    ++*p;
    return p;
}

static void qualifiers_and_bounds_are_kept(void **state)
{
    static const struct qualifiers_ops ops = {sum, port, names, trace, column, atomic};
    struct qualifiers object = {&ops}, *f = FACE(qualifiers, &object);
    const double x[2] = {1, 2}, y[2] = {3, 4}, a[3][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    const char *list[] = {"zero", "one"};
    int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
    volatile int reg = 6;
    _Atomic(int) number = 3;

    assert_true(f->ops->sum(f, 2, x, y) == 11);
    assert_ptr_equal(f->ops->port(f, &reg), &reg);
    assert_int_equal(reg, 7);
    assert_string_equal(*f->ops->names(f, list), "one");
    assert_true(f->ops->trace(f, 3, a) == 6);
    assert_int_equal(records_node("trace", 0).context[0].value, 3);
    assert_int_equal(f->ops->column(f, table, 1), 6);
    assert_int_equal(*f->ops->atomic(f, &number), 4);
}

/* ------------------------------------------------------------------ arrays and sizes */

static void size_n(struct sizes *self, int n, const double *x)
{
    (void)self, (void)n, (void)x;
}

static void size_mixed(struct sizes *self, void *dest, long *destLen, const void *source,
                       long sourceLen)
{
    (void)self, (void)dest, (void)destLen, (void)source, (void)sourceLen;
}

static void size_words(struct sizes *self, const int *values, unsigned value_count, int n_rows)
{
    (void)self, (void)values, (void)value_count, (void)n_rows;
}

static void size_said(struct sizes *self, const double *x, int k, int n, const double *y)
{
    (void)self, (void)x, (void)k, (void)n, (void)y;
}

static void size_silent(struct sizes *self, const double *x, int n)
{
    (void)self, (void)x, (void)n;
}

static void extents_are_contexts_by_name_or_by_the_side_file(void **state)
{
    static const struct sizes_ops ops = {.n = size_n,
                                         .mixed = size_mixed,
                                         .words = size_words,
                                         .said = size_said,
                                         .silent = size_silent};
    struct sizes object = {&ops}, *f = FACE(sizes, &object);

    f->ops->n(f, 17, NULL);
    f->ops->mixed(f, NULL, NULL, NULL, 1000);
    f->ops->words(f, NULL, 3000000000U, 5);
    f->ops->said(f, NULL, 3, 4, NULL);
    f->ops->silent(f, NULL, 4);
    assert_int_equal(records_node("n", 0).n_context, 1);
    assert_int_equal(records_node("n", 0).context[0].value, 17);
    assert_int_equal(records_node("mixed", 0).n_context, 1);
    assert_int_equal(records_node("mixed", 0).context[0].value, 1000);
    assert_int_equal(records_node("words", 0).n_context, 1);
    assert_true(records_node("words", 0).context[0].value == 3000000000);
    assert_int_equal(records_node("said", 0).n_context, 1);
    assert_int_equal(records_node("said", 0).context[0].value, 3);
    assert_int_equal(records_node("silent", 0).n_context, 0);
}

/* ------------------------------------------------------------------ out parameters */

static int ask(struct out *self, double *residual, int n, double *values)
{
    (void)self, (void)values;
    if (n == 0) /* now that it is called, the page may be written */
        mprotect(residual, 1, PROT_READ | PROT_WRITE);
    if (residual)
        *residual = 0.25;
    return n;
}

static int pass_by(struct out *self, double *residual, int n, double *values)
{
    (void)self, (void)residual, (void)values;
    return n;
}

static void out_parameters_are_not_touched_before_the_call(void **state)
{
    static const struct out_ops ops = {ask, pass_by};
    struct out object = {&ops}, *f = FACE(out, &object);
    double *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(nowhere != MAP_FAILED);
    assert_int_equal(f->ops->pass_by(f, nowhere, 1, nowhere), 1); /* no hint: never touched */
    assert_int_equal(f->ops->ask(f, NULL, 2, nowhere), 2);
    assert_false(records_of("ask", NULL).has_quality);
    assert_int_equal(f->ops->ask(f, nowhere, 0, nowhere + 1), 0);
    assert_true(records_of("ask", NULL).quality == 0.25);
    munmap(nowhere, 4096);
}

/* ------------------------------------------------------------------ handles */

static struct handle *ended;

static int handle_get(const struct handle *self)
{
    return self->value;
}

static int handle_destroy(struct handle **self)
{
    ended = *self;
    *self = NULL;
    return 1;
}

static int handle_make(struct handle **made)
{
    *made = NULL;
    return 2;
}

static void an_object_may_be_ended_by_the_address_of_its_pointer(void **state)
{
    static const struct handle_ops ops = {handle_get, handle_destroy, handle_make};
    struct handle object = {&ops, 7}, *f = FACE(handle, &object), *face = f;

    assert_int_equal(f->ops->get(f), 7);
    assert_true(f->ops->make == handle_make); /* nothing to be looked at before the call */
    assert_int_equal(f->ops->destroy(&f), 1);
    assert_ptr_equal(ended, &object);
    assert_ptr_not_equal(ended, face);
    assert_null(f);
    assert_int_equal(records_of("destroy", NULL).calls, 1);
}

/* ------------------------------------------------------------------ attributes */

static OTHER double by_typedef(struct attributes *self, double a, int b, float c, long d, double e)
{
    (void)self;
    return a + 10 * b + 100 * (double)c + 1000 * (double)d + 10000 * e;
}

static OTHER int direct(struct attributes *self, int a, double b)
{
    (void)self;
    return a + (int)b;
}

static OTHER int add(int a, double b)
{
    return a + (int)b;
}

static OTHER int cut(double b)
{
    return (int)b;
}

static int calls(struct attributes *self, attributes_callback f, int(OTHER *g)(double))
{
    (void)self;
    return f(1, 2) * g(10.5);
}

static int chosen(struct attributes *self, int x)
{
    (void)self;
    return 2 * x;
}

static void calling_conventions_are_kept(void **state)
{
    static const struct attributes_ops ops = {
        .by_typedef = by_typedef, .direct = direct, .calls = calls, .chosen = chosen};
    struct attributes object = {&ops}, *f = FACE(attributes, &object);

    assert_true(f->ops->by_typedef(f, 1, 2, 3, 4, 5) == 54321);
    assert_int_equal(f->ops->direct(f, 3, 4.5), 7);
    assert_int_equal(f->ops->calls(f, add, cut), 30);
    assert_int_equal(records_of("by_typedef", NULL).calls, 1);
}

static void generic_macros_reach_the_table(void **state)
{
    static const struct attributes_ops ops = {.chosen = chosen};
    struct attributes object = {&ops}, *f = FACE(attributes, &object);

    assert_int_equal(attributes_choose(f, 21), 42);
    assert_int_equal(records_of("chosen", NULL).calls, 1);
}

/* ------------------------------------------------------------------ inline functions, macros */

static int counter_add(struct counter *self, int x)
{
    return self->value += x;
}

static int counter_get(const struct counter *self)
{
    return self->value;
}

static void what_inline_functions_and_macros_call_is_measured(void **state)
{
    static const struct counter_ops ops = {counter_add, counter_get};
    struct counter object = {&ops, 1}, *f = FACE(counter, &object);

    assert_int_equal(counter_increment(f), 2);
    assert_int_equal(COUNTER_GET(f), 2);
    assert_int_equal(records_of("add", NULL).calls, 1);
    assert_int_equal(records_of("get", NULL).calls, 1);
    assert_int_equal(records_of("counter_increment", NULL).calls, 0);
}

/* ------------------------------------------------------------------ conditional compilation */

static conditional_scalar scale(struct conditional *self, conditional_scalar x)
{
    (void)self;
    return 10 * x;
}

static void a_header_means_what_its_flags_say(void **state)
{
    static const struct conditional_ops ops = {.scale = scale};
    struct conditional object = {&ops}, *f = FACE(conditional, &object);

    assert_int_equal(sizeof(conditional_scalar), sizeof(float));
    assert_true(f->ops->scale(f, 1.5F) == 15);
    assert_null(f->ops->twice);
    assert_int_equal(records_of("scale", NULL).calls, 1);
}

UNIT_TESTS(CASE(a_variadic_function_is_forwarded_to_its_twin),
           CASE(a_variadic_function_without_twin_stays_what_it_is), CASE(values_travel_as_they_are),
           CASE(qualifiers_and_bounds_are_kept),
           CASE(extents_are_contexts_by_name_or_by_the_side_file),
           CASE(out_parameters_are_not_touched_before_the_call),
           CASE(an_object_may_be_ended_by_the_address_of_its_pointer),
           CASE(calling_conventions_are_kept), CASE(generic_macros_reach_the_table),
           CASE(what_inline_functions_and_macros_call_is_measured),
           CASE(a_header_means_what_its_flags_say))
