/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows nothing of Portolan but in its main: it calls list.h's functions by name and
 * was linked with a generated front and with list_one.
 */
#include "headers/list.h"
#include "records.h"
#include "test_List_functions.h"

#include <errno.h>
#include <pthread.h>
#include <unit_test.h>

#undef list_short

struct portolan_functions_front *test_List_front(void);

static int before_main; /* what a constructor got */

__attribute__((constructor)) static void call_early(void)
{
    before_main = list_which();
}

/* The program's own function of a library's name: nobody's implementation may take it. */
PORTOLAN_API int list_helper(void);
int list_helper(void)
{
    return 99;
}

static struct portolan_functions_library *open_list(const char *name)
{
    struct portolan_functions_library *library;
    struct portolan_error err = {0};
    char *file = portolan_asprintf("%s/libtest_list_%s.so", LIBRARIES, name);

    if (portolan_functions_library_open(test_List_front()->description, file, &library, &err) !=
        PORTOLAN_OK)
        fail_msg("%s", err.text);
    free(file);
    return library;
}

static void bind(const struct portolan_functions_library *library)
{
    struct portolan_error err = {0};

    if (portolan_functions_front_bind(test_List_front(), library, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
}

static void monitor(bool on)
{
    portolan_probe_port_set_flags(&test_List_front()->port, on ? PORTOLAN_PROBE_MONITORED : 0);
}

/* ------------------------------------------------------------------ forwarding */

static void calls_before_a_bind_reach_the_program_s_library(void **state)
{
    assert_int_equal(before_main, 1);
    assert_int_equal(list_which(), 1);
    assert_int_equal(list_renamed(3), 31);
    assert_null(portolan_functions_front_peek_library(portolan_front()));
}

static int visit(int value, void *data)
{
    return value * *(int *)data;
}

static void expect_answers(int which)
{
    const double x[3] = {1, 2, 3};
    const int values[3] = {4, 5, 6};
    const char *const names[] = {"A"};
    double matrix[2][3] = {{1, 0, 0}, {0, 2, 0}};
    int shape[2] = {10, 20}, factor = 2;
    list_quad v = {1, 2, 3, 4};
    double _Complex z = 2.0;
    char text[40];

    assert_int_equal(list_which(), which);
    assert_true(list_sum(x, 3) == 6.0 * which);
    assert_int_equal(list_turn((struct list_pair){7, 8}).second, 7 + which);
    assert_true(list_fill(100).values[8] == 108 + which);
    __imag__ z = 3.0;
    z = list_conjugate(z);
    assert_true(__real__ z == 2.0 * which && __imag__ z == -3.0);
    assert_true(list_half(9.0L) == 4.5L + which);
    v = list_scale(v, 2);
    assert_true(v[0] == 2.0F * (float)which && v[3] == 8.0F * (float)which);
    assert_int_equal(list_constant(), 40 + which);
    assert_int_equal(list_getter(1)(5), 5 + which);
    assert_int_equal(list_getter(0)(5), 5 - which);
    assert_int_equal(list_each(values, 3, visit, &factor), 30 * which);
    assert_true(list_trace(matrix, names, shape) == 1 + 2 + 30 + 'A' + which);
    assert_int_equal(list_print(text, sizeof text, "%d %s %.1f", 7, "seven", 7.5),
                     11 + 1000 * which);
    assert_string_equal(text, "7 seven 7.5");
    assert_int_equal(list_renamed(3), 30 + which);
    assert_int_equal(list_weak(3), 60 + which);
    assert_int_equal(list_pure(values, 3), 6 * which);
    assert_int_equal(list_call(1, 2, 3, 4), 4321 + 10000 * which);
    assert_int_equal(list_unnamed(1, 2), 3 + which);
    assert_int_equal(list_short(2), 100 + which);
}

static void every_kind_of_argument_and_result_gets_through(void **state)
{
    static const char *const names[] = {"one", "two"};

    for (int i = 0; i < 2; i++) {
        struct portolan_functions_library *library = open_list(names[i]);

        bind(library);
        assert_ptr_equal(portolan_functions_front_peek_library(test_List_front()), library);
        expect_answers(i + 1);
        monitor(true);
        expect_answers(i + 1);
        monitor(false);
        bind(NULL);
        portolan_functions_library_close(library);
    }
    expect_answers(1);
}

static void functions_that_cannot_be_forwarded_stay_the_program_s(void **state)
{
    struct portolan_functions_library *two = open_list("two");

    bind(two);
    assert_int_equal(list_variadic(2, 20, 30), 51);
    assert_int_equal(list_mark(NULL), 0);
    assert_int_equal(list_excluded(), 1);
    bind(NULL);
    portolan_functions_library_close(two);
}

static void errno_is_the_library_s(void **state)
{
    struct portolan_functions_library *two;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the library is in a linker namespace of its own, and that has an errno of its own */
#endif
    two = open_list("two");
    bind(two);
    monitor(true);
    errno = 12;
    assert_int_equal(list_errno(34), 12);
    assert_int_equal(errno, 34);
    monitor(false);
    bind(NULL);
    portolan_functions_library_close(two);
}

static jmp_buf back;

static void leave(int status)
{
    longjmp(back, status);
}

static void functions_that_never_return_are_counted(void **state)
{
    struct portolan_functions_library *two = open_list("two");
    int status;

    bind(two);
    monitor(true);
    status = setjmp(back);
    if (!status)
        list_end(leave, 5);
    assert_int_equal(status, 7);
    monitor(false);
    assert_int_equal(records_of("list_end", "libtest_list_two").calls, 1);
    bind(NULL);
    portolan_functions_library_close(two);
}

/* ------------------------------------------------------------------ records */

/* What the calls of METHOD had as contexts NAMES, of which there are two. */
static void expect_contexts(const char *method, const char *first, int64_t value,
                            const char *second, int64_t other)
{
    struct portolan_probe_record r = records_node(method, 0);
    const struct portolan_probe_method *m = &portolan_probe_method_peek(r.handle)->method;

    assert_int_equal(r.n_context, 2);
    assert_string_equal(m->context[0], first);
    assert_int_equal(r.context[0].value, value);
    assert_string_equal(m->context[1], second);
    assert_int_equal(r.context[1].value, other);
}

static void contexts_are_what_expressions_come_to(void **state)
{
    const int values[3] = {4, 5, 6};
    const char *const names[] = {"rows"};
    const double x[2] = {3, 4};
    double matrix[1][3] = {{0}};
    int shape[2] = {10, 20}, factor = 1, n = 2;

    records_begin();
    bind(NULL);
    monitor(true);
    list_each(values, 3, visit, &factor);
    list_trace(matrix, names, shape);
    assert_true(list_dot_(&n, x, x) == 25);
    monitor(false);
    expect_contexts("list_each", "first", 4, "bytes", 3 * sizeof *values);
    expect_contexts("list_trace", "rows", 10, "name", 4);
    assert_int_equal(records_node("list_dot_", 0).context[0].value, 2);
}

static void whole_numbers_keep_their_sign(void **state)
{
    const unsigned long long large[] = {1ULL << 53, INT64_MAX, 1ULL << 63, UINT64_MAX};
    struct portolan_probe_record r;

    records_begin();
    bind(NULL);
    monitor(true);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        list_big(large[i]);
    monitor(false);
    assert_int_equal(records_node("list_big", 0).context[0].value, 1LL << 53);
    r = records_node("list_big", 1);
    assert_true(r.context[0].value == INT64_MAX && r.calls == 3);
}

/* list_text_ as Fortran calls it. */
static test_List_list_text__with_lengths text_of_fortran =
    (test_List_list_text__with_lengths)(portolan_functions_fn)list_text_;

static void fortran_s_hidden_lengths_reach_the_implementation(void **state)
{
    int n = 7;
    double sum;

    records_begin();
    bind(NULL);
    for (int measured = 0; measured < 2; measured++) {
        monitor(measured);
        assert_int_equal(text_of_fortran("\1", &n, "\2", "\3", &sum, 12, 34, 56), 563412);
        assert_true(sum == 13);
    }
    monitor(false);
    assert_int_equal(records_node("list_text_", 0).context[0].value, 7);
}

static void results_are_contexts_by_their_means(void **state)
{
    const int values[4] = {1, 2, 3, 6};
    struct portolan_probe_record r;

    records_begin();
    bind(NULL);
    monitor(true);
    assert_int_equal(list_pure(values, 3), 3);
    assert_int_equal(list_pure(values + 1, 3), 6);
    monitor(false);
    r = records_node("list_pure", 0);
    assert_int_equal(r.calls, 2);
    assert_int_equal(r.n_context, 3);
    assert_int_equal(r.context[0].value, 3);
    assert_true(r.context[1].sum == 3 + 6);
    assert_true(r.context[2].sum == 2 * (3 + 6));
}

static void what_is_behind_no_pointer_is_0(void **state)
{
    int factor = 1;

    records_begin();
    bind(NULL);
    monitor(true);
    list_each(NULL, 0, visit, &factor);
    monitor(false);
    expect_contexts("list_each", "first", 0, "bytes", 0);
}

/* How often METHOD of LIBRARY was called with this context. */
static uint64_t calls_with(const char *library, const char *method, int64_t context)
{
    uint64_t calls = 0;
    struct portolan_probe_record r;

    for (size_t i = 0; (r = records_node(method, i)).calls; i++)
        if (r.n_context == 1 && r.context[0].value == context &&
            strcmp(portolan_probe_method_peek(r.handle)->connection.provider_class, library) == 0)
            calls += r.calls;
    return calls;
}

static void records_belong_to_the_library_that_ran(void **state)
{
    struct portolan_functions_library *one = open_list("one"), *two = open_list("two");
    const double x[4] = {1, 1, 1, 1};

    bind(one);
    monitor(true);
    for (int i = 0; i < 5; i++)
        list_sum(x, 4);
    bind(two);
    for (int i = 0; i < 3; i++)
        list_sum(x, 2);
    monitor(false);
    list_sum(x, 2);
    assert_int_equal(calls_with("libtest_list_one", "list_sum", 4), 5);
    assert_int_equal(calls_with("libtest_list_two", "list_sum", 2), 3);
    bind(NULL);
    monitor(true);
    list_sum(x, 1);
    monitor(false);
    assert_int_equal(calls_with("own", "list_sum", 1), 1);
    portolan_functions_library_close(one);
    portolan_functions_library_close(two);
}

/* ------------------------------------------------------------------ libraries */

static void a_library_s_own_calls_stay_in_it(void **state)
{
    struct portolan_functions_library *two = open_list("two");

    bind(two);
    assert_int_equal(list_calls_own(), 2); /* not the program's 99 */
    bind(NULL);
    portolan_functions_library_close(two);
}

static void what_a_library_lacks_is_listed_and_comes_from_the_program_s(void **state)
{
    struct portolan_functions_library *part = open_list("part");
    const char *const *missing;
    size_t n;

    missing = portolan_functions_library_missing(part, &n);
    assert_true(n > 10);
    for (size_t i = 0; i < n; i++)
        assert_string_not_equal(missing[i], "list_sum");
    bind(part);
    assert_int_equal(list_which(), 3);
    assert_int_equal(list_weak(3), 61); /* list_one's */
    bind(NULL);
    portolan_functions_library_close(part);
}

static void expect_refusal(const char *name, enum portolan_status expected, const char *text)
{
    struct portolan_functions_library *library = (void *)1;
    struct portolan_error err = {0};

    assert_int_equal(
        portolan_functions_library_open(test_List_front()->description, name, &library, &err),
        expected);
    assert_null(library);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
}

static void libraries_that_call_mpi_are_refused(void **state)
{
    expect_refusal(LIBRARIES "/libtest_list_mpi.so", PORTOLAN_EUNSUPPORTED,
                   "calls MPI itself (it calls MPI_Comm_rank)");
    expect_refusal(LIBRARIES "/libtest_list_over_mpi.so", PORTOLAN_EUNSUPPORTED,
                   "libtest_list_mpi.so calls MPI_Comm_rank)");
}

static void what_is_no_implementation_is_refused(void **state)
{
    expect_refusal("libc.so.6", PORTOLAN_ENOTFOUND, "has none of the");
    expect_refusal("libtest_list_nowhere.so", PORTOLAN_ENOTFOUND, "where the dynamic linker looks");
    expect_refusal("./nowhere.so", PORTOLAN_ENOTFOUND, "./nowhere.so");
    expect_refusal("/etc/passwd", PORTOLAN_EUNSUPPORTED, "not a shared object for this machine");
    expect_refusal("", PORTOLAN_EINVAL, "needs a name");
}

static void libraries_of_one_name_are_told_apart(void **state)
{
    struct portolan_functions_library *a, *b;
    struct portolan_error err = {0};

    /* Both have the same SONAME; so has the one that the program is linked with. */
    if (portolan_functions_library_open(test_List_front()->description,
                                        LIBRARIES "/libtest_list_two.so", &a, &err) ||
        portolan_functions_library_open(test_List_front()->description,
                                        LIBRARIES "/libtest_list_part.so", &b, &err))
        fail_msg("%s", err.text);
    bind(a);
    assert_int_equal(list_which(), 2);
    bind(b);
    assert_int_equal(list_which(), 3);
    bind(NULL);
    assert_int_equal(list_which(), 1);
    portolan_functions_library_close(a);
    portolan_functions_library_close(b);
}

static void names_are_found_where_the_dynamic_linker_looks(void **state)
{
    char *file, *variable = getenv("LD_LIBRARY_PATH");
    char *saved = portolan_strdup(variable);

    assert_int_equal(portolan_functions_library_find("libc.so.6", &file, NULL), PORTOLAN_OK);
    assert_true(*file == '/' && strstr(file, "libc.so.6"));
    free(file);
    setenv("LD_LIBRARY_PATH", "/nowhere:" LIBRARIES, 1);
    assert_int_equal(portolan_functions_library_find("libtest_list_two.so", &file, NULL),
                     PORTOLAN_OK);
    assert_string_equal(file, LIBRARIES "/libtest_list_two.so");
    free(file);
    if (saved)
        setenv("LD_LIBRARY_PATH", saved, 1);
    else
        unsetenv("LD_LIBRARY_PATH");
    free(saved);
}

/* ------------------------------------------------------------------ swapping */

static bool stop, called;
static long wrong;

/* list_call's answer has all arguments in it and who gave it. */
static void *call_on(void *arg)
{
    long calls = 0;

    (void)arg;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) || calls < 1000) {
        int answer = list_call(1, 2, 3, 4);

        if (answer != 14321 && answer != 24321)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        calls++;
        __atomic_store_n(&called, true, __ATOMIC_RELAXED);
    }
    return (void *)calls;
}

static void threads_keep_calling_while_libraries_are_swapped(void **state)
{
    struct portolan_functions_library *lists[2] = {open_list("one"), open_list("two")};
    pthread_t threads[3];
    uint64_t calls = 0, before;
    void *result;

    bind(lists[0]);
    before = records_of("list_call", "libtest_list_one").calls +
             records_of("list_call", "libtest_list_two").calls;
    monitor(true);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_on, NULL), 0);
    for (int i = 1; i <= 200; i++) {
        struct portolan_functions_library *fresh = open_list(i % 2 ? "two" : "one");

        bind(fresh);
        portolan_functions_library_close(lists[0]); /* nobody is in it: its table may go */
        lists[0] = fresh;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &result);
        calls += (uint64_t)(uintptr_t)result;
    }
    monitor(false);
    assert_int_equal(wrong, 0);
    assert_int_equal(records_of("list_call", "libtest_list_one").calls +
                         records_of("list_call", "libtest_list_two").calls - before,
                     calls);
    bind(NULL);
    portolan_functions_library_close(lists[0]);
    portolan_functions_library_close(lists[1]);
}

/* Must be the first test that binds. */
static void the_first_bind_may_come_while_threads_call(void **state)
{
    struct portolan_functions_library *two = open_list("two");
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_on, NULL), 0);
    while (!__atomic_load_n(&called, __ATOMIC_RELAXED))
        ;
    bind(two);
    assert_int_equal(list_which(), 2);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    __atomic_store_n(&stop, false, __ATOMIC_RELAXED);
    bind(NULL);
    portolan_functions_library_close(two);
}

static int bind_inside(int value, void *data)
{
    struct portolan_error err = {0};

    (void)value;
    *(enum portolan_status *)data = portolan_functions_front_bind(test_List_front(), NULL, &err);
    return 0;
}

static void a_swap_from_inside_a_call_is_refused(void **state)
{
    struct portolan_functions_library *two = open_list("two");
    enum portolan_status status = PORTOLAN_OK;
    const int value = 1;

    bind(two);
    list_each(&value, 1, bind_inside, &status);
    assert_int_equal(status, PORTOLAN_EBUSY);
    assert_int_equal(list_which(), 2);
    bind(NULL);
    portolan_functions_library_close(two);
}

UNIT_TESTS(cmocka_unit_test(calls_before_a_bind_reach_the_program_s_library),
           cmocka_unit_test(the_first_bind_may_come_while_threads_call),
           cmocka_unit_test(every_kind_of_argument_and_result_gets_through),
           cmocka_unit_test(functions_that_cannot_be_forwarded_stay_the_program_s),
           cmocka_unit_test(errno_is_the_library_s),
           cmocka_unit_test(functions_that_never_return_are_counted),
           cmocka_unit_test(records_belong_to_the_library_that_ran),
           cmocka_unit_test(a_library_s_own_calls_stay_in_it),
           cmocka_unit_test(what_a_library_lacks_is_listed_and_comes_from_the_program_s),
           cmocka_unit_test(libraries_that_call_mpi_are_refused),
           cmocka_unit_test(contexts_are_what_expressions_come_to),
           cmocka_unit_test(whole_numbers_keep_their_sign),
           cmocka_unit_test(fortran_s_hidden_lengths_reach_the_implementation),
           cmocka_unit_test(results_are_contexts_by_their_means),
           cmocka_unit_test(what_is_behind_no_pointer_is_0),
           cmocka_unit_test(what_is_no_implementation_is_refused),
           cmocka_unit_test(libraries_of_one_name_are_told_apart),
           cmocka_unit_test(names_are_found_where_the_dynamic_linker_looks),
           cmocka_unit_test(threads_keep_calling_while_libraries_are_swapped),
           cmocka_unit_test(a_swap_from_inside_a_call_is_refused))
