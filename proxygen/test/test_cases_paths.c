/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that come back in other ways than one after the other: callbacks, recursion, threads,
 * signals, jumps.
 */
#include "cases.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "headers/cases/callback.h"
#include "headers/cases/returns.h"

#define COMPONENT(type)    extern const struct portolan_component portolan_component_##type##Proxy
#define FACE(type, object) cases_face(&portolan_component_##type##Proxy, #type, object)
COMPONENT(walker);
COMPONENT(returns);

/* ------------------------------------------------------------------ callbacks */

static double each(struct walker *self, double visit(int, double), int times)
{
    double s = 0;

    (void)self;
    for (int i = 0; i < times; i++) {
        portolan_probe_clock_advance(10);
        s = visit(i, s);
    }
    return s;
}

static double deep(struct walker *self, walker_visit visit, void *user, int depth)
{
    (void)self;
    portolan_probe_clock_advance(3);
    return depth ? visit(user, depth - 1) : 0;
}

static void (*kept)(int), (*last)(int);

static void keep(struct walker *self, void (*hook)(int))
{
    (void)self;
    kept = hook;
}

static void plain(struct walker *self, void (*hook)(int))
{
    (void)self;
    last = hook;
}

static const struct walker_ops walker_ops = {each, deep, keep, plain};

static double visit(int i, double s)
{
    portolan_probe_clock_advance(100);
    return s + i;
}

static void time_in_a_callback_is_the_callers(void **state)
{
    struct walker object = {&walker_ops}, *f = FACE(walker, &object);
    const struct portolan_probe_method_info *info;
    struct portolan_probe_record r;

    assert_true(f->ops->each(f, visit, 4) == 6);
    r = records_of("each", NULL);
    assert_true(r.inclusive_ns == 440 && r.exclusive_ns == 40);
    r = records_node("each.visit", 0);
    assert_int_equal(r.calls, 4);
    assert_true(r.exclusive_ns == 400);
    info = portolan_probe_method_peek(r.handle);
    assert_string_equal(info->connection.provider, "driver");
    assert_string_equal(info->connection.user, "provider");
    assert_string_equal(cases_parent("each.visit"), "each");
}

/* Down again through the same port, as an ordinary user would. */
static double descend(void *data, int depth)
{
    struct walker *user = data;

    portolan_probe_clock_advance(1);
    return 1 + user->ops->deep(user, descend, user, depth);
}

static void a_callback_may_come_back_through_the_port(void **state)
{
    struct walker object = {&walker_ops}, *f = FACE(walker, &object);
    struct portolan_probe_record r;

    assert_true(f->ops->deep(f, descend, f, 5) == 5);
    r = records_of("deep", NULL);
    assert_int_equal(r.calls, 6);
    assert_true(r.exclusive_ns == 18); /* six times three, whatever the depth */
    r = records_of("deep.visit", NULL);
    assert_int_equal(r.calls, 5);
    assert_true(r.exclusive_ns == 5);
}

static int called;

static void hook(int x)
{
    called += x;
}

static void *call_kept(void *arg)
{
    kept(*(int *)arg);
    return NULL;
}

static void a_callback_that_is_kept_works_later_and_elsewhere(void **state)
{
    struct walker object = {&walker_ops}, *f = FACE(walker, &object);
    void (*first)(int);
    pthread_t thread;
    int one = 1;

    called = 0;
    f->ops->keep(f, hook);
    assert_true(kept != hook);
    first = kept;
    kept(10);
    assert_int_equal(pthread_create(&thread, NULL, call_kept, &one), 0);
    pthread_join(thread, NULL);
    assert_int_equal(called, 11);
    f->ops->keep(f, hook); /* the same function has the same stand-in */
    assert_true(kept == first);
}

static void what_is_no_function_is_passed_as_it_is(void **state)
{
    struct walker object = {&walker_ops}, *f = FACE(walker, &object);

    f->ops->keep(f, NULL);
    assert_true(kept == NULL);
    f->ops->keep(f, SIG_IGN);
    assert_true(kept == SIG_IGN);
    f->ops->keep(f, SIG_ERR);
    assert_true(kept == SIG_ERR);
    f->ops->plain(f, hook); /* nothing was said of this one */
    assert_true(last == hook);
}

#define HOOK(n)                                                                                    \
    static void hook_##n(int x)                                                                    \
    {                                                                                              \
        called = 100 * n + x;                                                                      \
    }
HOOK(0)
HOOK(1)
HOOK(2)
HOOK(3)
HOOK(4)
HOOK(5)
HOOK(6)
HOOK(7)
HOOK(8)
HOOK(9)

static void more_callbacks_than_stand_ins_are_passed_as_they_are(void **state)
{
    void (*const hooks[])(int) = {hook_0, hook_1, hook_2, hook_3, hook_4,
                                  hook_5, hook_6, hook_7, hook_8, hook_9};
    struct walker object = {&walker_ops}, *f = FACE(walker, &object);

    for (int i = 0; i < 10; i++) {
        f->ops->keep(f, hooks[i]);
        kept(7);
        assert_int_equal(called, 100 * i + 7);
    }
    assert_true(kept == hook_9);
}

/* ------------------------------------------------------------------ returns */

static void nothing(struct returns *self)
{
    (void)self;
    portolan_probe_clock_advance(2);
}

static __attribute__((noreturn)) void never(struct returns *self, void *where)
{
    (void)self;
    longjmp(*(jmp_buf *)where, 1);
}

static int elsewhere(struct returns *self, void *where)
{
    (void)self;
    longjmp(*(jmp_buf *)where, 1);
    return 0;
}

static struct returns *user;

static int again(struct returns *self, int depth)
{
    (void)self;
    portolan_probe_clock_advance(1);
    return depth ? 1 + user->ops->again(user, depth - 1) : 0;
}

static const struct returns_ops returns_ops = {nothing, never, elsewhere, again};

static void a_function_that_never_returns_is_counted(void **state)
{
    struct returns object = {&returns_ops}, *f = FACE(returns, &object);
    jmp_buf where;

    if (setjmp(where) == 0)
        f->ops->never(f, &where);
    f->ops->nothing(f);
    assert_int_equal(records_of("never", NULL).calls, 1);
    assert_string_equal(cases_parent("nothing"), cases_parent("never"));
}

static void a_call_left_by_a_jump_is_dropped_and_the_next_is_right(void **state)
{
    struct returns object = {&returns_ops}, *f = FACE(returns, &object);
    volatile int jumps = 0;
    jmp_buf where;

    if (setjmp(where) == 0 || jumps++ < 2)
        f->ops->elsewhere(f, &where);
    f->ops->nothing(f);
    f->ops->nothing(f);
    assert_true(records_of("nothing", NULL).exclusive_ns == 4);
    assert_int_equal(records_of("nothing", NULL).calls, 2);
    assert_string_equal(cases_parent("nothing"),
                        "(root)"); /* below the thread, not below the jump */
}

/* ------------------------------------------------------------------ recursion, threads, signals */

static void recursion_counts_each_level_once(void **state)
{
    struct returns object = {&returns_ops};

    user = FACE(returns, &object);
    assert_int_equal(user->ops->again(user, 20), 20);
    assert_int_equal(records_of("again", NULL).calls, 21);
    assert_true(records_of("again", NULL).exclusive_ns == 21);
}

enum { THREADS = 4, CALLS = 1000 };

static void *call_often(void *arg)
{
    struct returns *f = arg;

    for (int i = 0; i < CALLS; i++)
        f->ops->again(f, i % 3);
    return NULL;
}

static void threads_count_for_themselves(void **state)
{
    struct returns object = {&returns_ops};
    pthread_t threads[THREADS];
    long calls = 0;

    user = FACE(returns, &object);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, user), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CALLS; i++)
        calls += 1 + i % 3;
    assert_int_equal(records_of("again", NULL).calls, THREADS * calls);
}

static sigjmp_buf out_of_signal;
static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    handled++;
    if (handled == 2)
        siglongjmp(out_of_signal, 1);
}

static void raise_within(struct returns *self)
{
    (void)self;
    portolan_probe_clock_advance(2);
    raise(SIGUSR2);
}

static void signals_within_calls_do_no_harm(void **state)
{
    static const struct returns_ops raising = {.nothing = raise_within, .again = again};
    struct returns object = {&raising};
    struct sigaction action = {.sa_handler = on_signal}, old;

    user = FACE(returns, &object);
    handled = 0;
    sigaction(SIGUSR2, &action, &old);
    user->ops->nothing(user); /* the handler returns */
    if (sigsetjmp(out_of_signal, 1) == 0)
        user->ops->nothing(user); /* the handler jumps out of the call */
    assert_int_equal(handled, 2);
    assert_int_equal(user->ops->again(user, 2), 2);
    sigaction(SIGUSR2, &old, NULL);
    assert_int_equal(records_of("nothing", NULL).calls, 1);
    assert_true(records_of("again", NULL).exclusive_ns == 3);
}

UNIT_TESTS(CASE(time_in_a_callback_is_the_callers), CASE(a_callback_may_come_back_through_the_port),
           CASE(a_callback_that_is_kept_works_later_and_elsewhere),
           CASE(what_is_no_function_is_passed_as_it_is),
           CASE(more_callbacks_than_stand_ins_are_passed_as_they_are),
           CASE(a_function_that_never_returns_is_counted),
           CASE(a_call_left_by_a_jump_is_dropped_and_the_next_is_right),
           CASE(recursion_counts_each_level_once), CASE(threads_count_for_themselves),
           CASE(signals_within_calls_do_no_harm))
