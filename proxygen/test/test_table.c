/* SPDX-License-Identifier: BSD-3-Clause */
/* A generated proxy for a C table of operations: results, NULL entries, data, times, swaps. */
#include "records.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "headers/solver.h"
#undef result

extern const struct portolan_component portolan_component_test_SolverProxy;

/* ------------------------------------------------------------------ an implementation */

struct direct {
    struct solver base;
    double scale;
    double last;
    bool destroyed;
    bool gave_up;
};

static enum solver_kind kind(const struct solver *self)
{
    (void)self;
    return SOLVER_ITERATIVE;
}

static int setup(struct solver *self, int n, double tolerance)
{
    portolan_probe_clock_advance(20);
    self->tolerance = tolerance;
    return n;
}

static int solve(struct solver *self, int n, const double *b, double *x)
{
    struct direct *d = (struct direct *)self;

    portolan_probe_clock_advance(5);
    for (int i = 0; i < n; i++)
        x[i] = d->scale * b[i] + self->tolerance;
    d->last = x[n - 1];
    self->iterations += n;
    return 0;
}

static double residual(struct solver *self)
{
    return ((struct direct *)self)->last;
}

static struct solver_size shape(struct solver *self)
{
    return (struct solver_size){self->iterations, 7};
}

static int norms(struct solver *self, int n, double rows[], double table[static 3],
                 const double matrix[n][n])
{
    (void)self;
    for (int i = 0; i < n; i++)
        rows[i] = matrix[i][n - 1];
    table[2] = matrix[n - 1][0];
    return n;
}

static int watch(struct solver *self, solver_progress progress, void *call)
{
    return progress(call, self->iterations);
}

static int count(void *data, int iteration)
{
    *(int *)data += iteration;
    return iteration;
}

static solver_progress watcher(struct solver *self)
{
    (void)self;
    return count;
}

static int (*raw_watcher(struct solver *self, int to))(void *, int)
{
    (void)self;
    return to ? count : NULL;
}

/* Both must be our own objects, never a proxy's. */
static double compare(const struct solver *a, const struct solver *other)
{
    return ((const struct direct *)a)->scale - ((const struct direct *)other)->scale;
}

static int version(void)
{
    return 42;
}

static __attribute__((noreturn)) void give_up(struct solver *self, void *where)
{
    ((struct direct *)self)->gave_up = true;
    longjmp(*(jmp_buf *)where, 1);
}

static void destroy(struct solver *self)
{
    ((struct direct *)self)->destroyed = true;
}

#define OPERATIONS                                                                                 \
    .size = sizeof(struct solver_ops), .flags = 9, .kind = kind, .setup = setup, .solve = solve,   \
    .residual = residual, .shape = shape, .norms = norms, .watch = watch, .watcher = watcher,      \
    .raw_watcher = raw_watcher, .compare = compare, .version = version, .give_up = give_up,        \
    .free = destroy
static const struct solver_ops operations = {OPERATIONS};
static const struct solver_ops fewer = {.size = sizeof(struct solver_ops), .solve = solve};
/* An older plug-in's table ends before the operations that came later. */
static const struct solver_ops shorter = {
    .size = offsetof(struct solver_ops, shape), .solve = solve, .residual = residual};

/* ------------------------------------------------------------------ set-up */

struct fixture {
    struct direct one, two;
    struct test_monitor *monitor;
    gov_cca_Component component;
};

static int content;

static struct direct make(double scale, const struct solver_ops *ops)
{
    return (struct direct){.base = {.tolerance = 0.5, .ops = ops, .content = &content},
                           .scale = scale};
}

static void bind_solver(struct fixture *f, struct direct *d, const char *class_name,
                        sidl_BaseInterface *_ex)
{
    gov_cca_Port port = portolan_foreign_create(d, "test.Solver", _ex);
    sidl_BaseInterface ignored = NULL;

    bind_use(f->component, port, "solver", class_name, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
}

static struct solver *face(struct fixture *f)
{
    sidl_BaseInterface _ex = NULL;
    portolan_ForeignPort port = portolan_ForeignPort__cast(f->component, &_ex);
    char *name = portolan_ForeignPort_getTypeName(port, &_ex);
    struct solver *s = portolan_ForeignPort_getPointer(port, &_ex);

    assert_no_exception(&_ex);
    assert_string_equal(name, "test.Solver");
    sidl_String_free(name);
    portolan_ForeignPort_deleteRef(port, &_ex);
    return s;
}

static int set_up(void **state)
{
    static struct fixture f;
    sidl_BaseInterface _ex = NULL;

    records_begin();
    f = (struct fixture){
        .one = make(2, &operations), .two = make(3, &operations), .monitor = test_monitor_create()};
    f.component = portolan_component_test_SolverProxy.create(&_ex);
    bind_monitor(f.component, f.monitor, &_ex);
    bind_solver(&f, &f.one, "test.One", &_ex);
    assert_no_exception(&_ex);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    gov_cca_Component_deleteRef(f->component, &_ex);
    sidl_object_release(f->monitor);
    return 0;
}

/* ------------------------------------------------------------------ forwarding */

static void results_are_those_of_the_object_behind(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);
    const double b[3] = {1, 2, 3}, matrix[2][2] = {{1, 2}, {3, 4}};
    double x[3], rows[2], table[3];
    int sum = 0;

    assert_ptr_not_equal(s, &f->one.base);
    assert_int_equal(s->ops->kind(s), SOLVER_ITERATIVE);
    assert_int_equal(s->ops->setup(s, 17, 0.25), 17);
    assert_int_equal(s->ops->solve(s, 3, b, x), 0);
    assert_true(x[0] == 2.25 && x[2] == 6.25);
    assert_true(s->ops->residual(s) == 6.25);
    assert_int_equal(s->ops->shape(s).rows, 3);
    assert_int_equal(s->ops->norms(s, 2, rows, table, matrix), 2);
    assert_true(rows[0] == 2 && rows[1] == 4 && table[2] == 3);
    assert_int_equal(s->ops->watch(s, count, &sum), 3);
    assert_int_equal(sum, 3);
    assert_ptr_equal(s->ops->watcher(s), count);
    assert_ptr_equal(s->ops->raw_watcher(s, 1), count);
    assert_int_equal(s->ops->version(), 42);
}

static void entries_that_are_null_stay_null_and_data_is_copied(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);

    assert_null(s->ops->restart);
    assert_null(s->ops->log);
    assert_non_null(s->ops->setup);
    assert_int_equal(s->ops->flags, 9);
    assert_ptr_equal(s->content, f->one.base.content);
}

static void a_short_table_is_not_read_beyond_its_end(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    /* On the heap, so that the address sanitizer guards its end. */
    struct solver_ops *table = malloc(shorter.size);
    struct direct d = make(1, table);

    memcpy(table, &shorter, shorter.size);
    bind_solver(f, &d, "test.Short", &_ex);
    assert_no_exception(&_ex);
    assert_non_null(face(f)->ops->residual);
    assert_null(face(f)->ops->shape);
    assert_null(face(f)->ops->free);
    bind_solver(f, &f->one, "test.One", &_ex);
    SIDL_CLEAR(_ex);
    free(table);
}

static void data_members_follow_both_sides(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);
    const double b[2] = {1, 1};
    double x[2];

    s->tolerance = 100; /* the user's wish reaches the implementation */
    s->ops->solve(s, 2, b, x);
    assert_true(x[0] == 102 && f->one.base.tolerance == 100);
    assert_int_equal(s->iterations, 2); /* the implementation's news reach the user */
    s->ops->setup(s, 1, 7);
    assert_true(s->tolerance == 7);
    f->one.base.iterations = 50; /* changed behind the proxy's back, and not undone by it */
    s->ops->solve(s, 2, b, x);
    assert_int_equal(s->iterations, 52);
}

static void other_objects_of_the_type_are_unwrapped(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);

    assert_true(s->ops->compare(s, s) == 0);
    assert_true(s->ops->compare(s, &f->two.base) == -1);
    assert_true(f->two.base.ops->compare(&f->two.base, &f->one.base) == 1);
}

/* ------------------------------------------------------------------ measuring */

static void times_and_contexts_are_exact(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);
    const double b[2] = {1, 1};
    double x[2];
    struct portolan_probe_record r;

    s->ops->setup(s, 64, 1e-3);
    s->ops->solve(s, 2, b, x);
    s->ops->solve(s, 2, b, x);
    s->ops->solve(s, 1, b, x);
    r = records_of("solve", "test.One");
    assert_int_equal(r.calls, 3);
    assert_true(r.inclusive_ns == 15);
    r = records_node("solve", 0);
    assert_int_equal(r.calls, 2);
    assert_int_equal(r.context[0].value, 2);
    r = records_node("setup", 0);
    assert_true(r.inclusive_ns == 20);
    assert_int_equal(r.n_context, 2);
    assert_int_equal(r.context[0].value, 64);
    assert_true(r.context[1].sum == 1e-3);
    s->ops->residual(s);
    assert_true(records_of("residual", NULL).quality == f->one.last);
}

static int say_status(void *data, int iteration)
{
    (void)iteration;
    return *(int *)data;
}

static void a_status_other_than_0_says_that_the_call_failed(void **state)
{
    struct solver *s = face(*state);
    int status[] = {0, 3, 0, -1, 0};

    for (int i = 0; i < 5; i++)
        assert_int_equal(s->ops->watch(s, say_status, &status[i]), status[i]);
    assert_int_equal(records_of("watch", NULL).calls, 3);
    assert_int_equal(records_of("watch", NULL).failed_calls, 2);
}

static void a_call_that_never_returns_is_counted(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);
    const double b[1] = {1};
    double x[1];
    jmp_buf where;

    if (setjmp(where) == 0)
        s->ops->give_up(s, &where);
    assert_true(f->one.gave_up);
    assert_int_equal(records_of("give_up", NULL).calls, 1);
    s->ops->solve(s, 1, b, x);
    assert_int_equal(records_node("solve", 0).parent, records_node("give_up", 0).parent);
}

static void the_end_of_an_object_is_its_own(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);

    s->ops->free(s);
    assert_true(f->one.destroyed);
    assert_int_equal(records_of("free", NULL).calls, 1);
}

/* ------------------------------------------------------------------ swapping */

static void a_swap_keeps_the_face(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);
    const double b[1] = {10};
    double x[1];
    sidl_BaseInterface _ex = NULL;

    s->ops->solve(s, 1, b, x);
    assert_true(x[0] == 20.5);
    bind_solver(f, &f->two, "test.Two", &_ex);
    assert_no_exception(&_ex);
    assert_ptr_equal(face(f), s);
    s->ops->solve(s, 1, b, x);
    assert_true(x[0] == 30.5);
    assert_int_equal(records_of("solve", "test.One").calls, 1);
    assert_int_equal(records_of("solve", "test.Two").calls, 1);
}

static void a_swap_to_other_operations_is_refused_once_the_face_is_out(void **state)
{
    struct fixture *f = *state;
    struct direct d = make(4, &fewer);
    sidl_BaseInterface _ex = NULL;
    struct solver *s;
    const double b[1] = {10};
    double x[1];

    bind_solver(f, &d, "test.Fewer", &_ex); /* nobody has looked yet */
    assert_no_exception(&_ex);
    s = face(f);
    assert_null(s->ops->setup);
    bind_solver(f, &f->two, "test.Two", &_ex);
    assert_exception(&_ex, PORTOLAN_EUNSUPPORTED, "operation 'kind'");
    s->ops->solve(s, 1, b, x);
    assert_true(x[0] == 40.5);
}

static size_t heap_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__ /* has a heap of its own */
    return 0;
#else
    return mallinfo2().uordblks;
#endif
}

/* A table of some 120 bytes for each swap would be thirty times what the heap's own rests allow. */
static void many_swaps_leave_no_tables(void **state)
{
    struct fixture *f = *state;
    struct solver *s = face(f);
    sidl_BaseInterface _ex = NULL;
    size_t before = 0;

    for (int i = 0; i < 2100; i++) {
        if (i == 100)
            before = heap_bytes();
        bind_solver(f, i % 2 ? &f->one : &f->two, i % 2 ? "test.One" : "test.Two", &_ex);
        assert_no_exception(&_ex);
    }
    assert_true(heap_bytes() <= before + 8192);
    assert_ptr_equal(face(f), s);
}

static void an_object_of_another_type_is_refused(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    gov_cca_Port port = portolan_foreign_create(&f->two, "test.Other", &_ex);

    bind_use(f->component, port, "other", "test.Other", &_ex);
    assert_exception(&_ex, PORTOLAN_EBADPORTTYPE, "a test.Other and no test.Solver");
    gov_cca_Port_deleteRef(port, &_ex);
    bind_use(f->component, test_monitor_port(f->monitor), "other", "test.Monitor", &_ex);
    assert_exception(&_ex, PORTOLAN_EBADPORTTYPE, "no portolan.ForeignPort");
    assert_non_null(face(f)->ops->solve);
}

static void an_unconnected_proxy_gives_no_face(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    portolan_ForeignPort port = portolan_ForeignPort__cast(f->component, &_ex);

    bind_use(f->component, NULL, "", "", &_ex);
    assert_no_exception(&_ex);
    assert_null(portolan_ForeignPort_getPointer(port, &_ex));
    assert_exception(&_ex, PORTOLAN_EPORTNOTCONNECTED, "test.Solver");
    portolan_ForeignPort_deleteRef(port, &_ex);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
UNIT_TESTS(TEST(results_are_those_of_the_object_behind),
           TEST(entries_that_are_null_stay_null_and_data_is_copied),
           TEST(a_short_table_is_not_read_beyond_its_end), TEST(data_members_follow_both_sides),
           TEST(other_objects_of_the_type_are_unwrapped), TEST(times_and_contexts_are_exact),
           TEST(a_status_other_than_0_says_that_the_call_failed),
           TEST(a_call_that_never_returns_is_counted), TEST(the_end_of_an_object_is_its_own),
           TEST(a_swap_keeps_the_face),
           TEST(a_swap_to_other_operations_is_refused_once_the_face_is_out),
           TEST(many_swaps_leave_no_tables), TEST(an_object_of_another_type_is_refused),
           TEST(an_unconnected_proxy_gives_no_face))
