/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An instance is replaced while threads call it through generated proxies: with state and without,
 * with faults at every step, with calls that nest and calls that do not end. The letters G1 to G9
 * are those of docs/decisions/0044. PORTOLAN_TEST_SWAPS says how many swaps memory must bear.
 */
#include "ledgers.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <portolan/control.h>

#ifdef __SANITIZE_THREAD__
enum { SWAPS = 60, SOAK = 100, WARM_UP = 0 };
#else
enum { SWAPS = 150, SOAK = 3000, WARM_UP = 200 };
#endif

/* ------------------------------------------------------------------ under load */

static bool stop;

struct caller {
    pthread_t thread;
    int number;
    int64_t made;
    long wrong; /* calls that did not find the entry before: lost, doubled, or out of order */
};

static void *call_until_stopped(void *arg)
{
    struct caller *c = arg;
    ledger_Ledger port = ledgers.ports[c->number % LEDGER_USERS];
    sidl_BaseInterface ex = NULL;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        int64_t before = ledger_Ledger_note(port, c->number, c->made + 1, &ex);

        c->wrong += before != c->made || ex;
        __atomic_store_n(&c->made, c->made + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void start_callers(struct caller *callers)
{
    __atomic_store_n(&stop, false, __ATOMIC_RELAXED);
    for (int i = 0; i < LEDGER_THREADS; i++) {
        callers[i] = (struct caller){.number = i};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_until_stopped, &callers[i]),
                         0);
    }
}

/* Until CALLER has made another call, so that there is a load. */
static void wait_for_call(const struct caller *caller)
{
    int64_t made = __atomic_load_n(&caller->made, __ATOMIC_ACQUIRE);

    while (__atomic_load_n(&caller->made, __ATOMIC_ACQUIRE) == made)
        sched_yield();
}

/* G2, G4: what runs now knows each thread's last call, also of those that calls made. */
static void stop_callers(struct caller *callers)
{
    sidl_BaseInterface ex = NULL;

    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < LEDGER_THREADS; i++) {
        pthread_join(callers[i].thread, NULL);
        assert_true(callers[i].made > 0);
        assert_int_equal(callers[i].wrong, 0);
    }
    for (int i = 0; i < LEDGER_THREADS; i++) {
        assert_int_equal(ledger_Ledger_note(ledgers.ports[0], i, 0, &ex), callers[i].made);
        assert_int_equal(ledger_Ledger_note(ledgers.ports[1], i + LEDGER_THREADS, 0, &ex),
                         callers[i].made / LEDGER_NESTED);
    }
    assert_int_equal(ledgers.faults_inside, 0); /* G1, G3 */
}

static const char *const faults[] = {NULL,     NULL,     "load",    "create",
                                     "export", "import", "publish", "retire"};
enum { FAULTS = sizeof faults / sizeof *faults };

/* One swap, perhaps with a fault; returns whether it was made. */
static bool swap_once(const char *const *classes, int now, const char *fault)
{
    bool has_state = !strstr(classes[0], "Open");
    bool is_moot = fault && !has_state && (!strcmp(fault, "export") || !strcmp(fault, "import"));
    bool fails = fault && !is_moot && strcmp(fault, "retire") != 0;
    struct portolan_error err = {0};
    enum portolan_status status;

    ledgers.fault = is_moot ? NULL : fault;
    status = ledgers_replace(fault && !strcmp(fault, "load") ? "ledger.None" : classes[!now], &err);
    ledgers.fault = NULL;
    if ((status != PORTOLAN_OK) != fails)
        fail_msg("%s: %s", fault ? fault : "no fault", err.text);
    return !fails;
}

static void ignore(void *arg, enum portolan_log_level level, const char *area, const char *text)
{
    (void)arg, (void)level, (void)area, (void)text;
}

static void swaps_under_load_lose_no_call(void **state)
{
    const char *const *classes = *state;
    struct caller callers[LEDGER_THREADS];
    unsigned random = 20261125;
    int now = 0;

    portolan_log_set_handler(ignore, NULL); /* warnings of "retire" */
    portolan_framework_set_swap_wait(ledgers_open(classes[0], true), 60);
    portolan_control_apply(classes[2], "test", NULL);
    start_callers(callers);
    for (int i = 0; i < SWAPS; i++) {
        wait_for_call(&callers[i % LEDGER_THREADS]);
        random = random * 1664525 + 1013904223;
        now ^= swap_once(classes, now, faults[(random >> 16) % FAULTS]);
    }
    stop_callers(callers);
    ledgers_close();
    portolan_log_set_handler(NULL, NULL);
}

/* ------------------------------------------------------------------ calls that do not end */

static void *wait_inside(void *unused)
{
    sidl_BaseInterface ex = NULL;

    (void)unused;
    ledger_Ledger_note(ledgers.ports[0], 0, LEDGER_WAIT, &ex);
    return NULL;
}

/* G6 */
static void a_call_that_stays_is_named_and_the_old_one_stays(void **state)
{
    const char *const *classes = *state;
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    pthread_t thread;

    portolan_framework_set_swap_wait(ledgers_open(classes[1], false), 0.01);
    portolan_control_apply(classes[2], "test", NULL);
    assert_int_equal(pthread_create(&thread, NULL, wait_inside, NULL), 0);
    sem_wait(&ledgers.inside);
    assert_int_equal(ledgers_replace(classes[0], &err), PORTOLAN_ETIMEOUT);
    assert_non_null(strstr(err.text, "instance 'ledger' cannot be replaced: "));
    assert_non_null(strstr(err.text, strstr(classes[2], "profile") ? "is still inside note of port"
                                                                   : "inside a call of port"));
    assert_non_null(strstr(err.text, "u0.ledger (ledger.Ledger by ledger."));
    ledger_Ledger_note(ledgers.ports[1], 1, 7, &ex);
    assert_int_equal(ledger_Ledger_note(ledgers.ports[1], 1, 0, &ex), 7);
    sem_post(&ledgers.go_on);
    pthread_join(thread, NULL);
    assert_int_equal(ledgers_replace(classes[0], NULL), PORTOLAN_OK);
    assert_int_equal(ledger_Ledger_note(ledgers.ports[0], 1, 0, &ex), 7);
    assert_int_equal(ledgers.faults_inside, 0);
    ledgers_close();
}

static void *wait_in_the_new_one(void *unused)
{
    sidl_BaseInterface ex = NULL;

    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        ledger_Ledger_note(ledgers.ports[0], 0, LEDGER_WAIT, &ex);
    return NULL;
}

/* G3, G6: a call entered the new one before the swap was undone. */
static void the_new_one_is_not_released_over_a_call(void **state)
{
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    pthread_t thread;

    ledgers_open("ledger.OpenOne", true);
    __atomic_store_n(&stop, false, __ATOMIC_RELAXED);
    assert_int_equal(pthread_create(&thread, NULL, wait_in_the_new_one, NULL), 0);
    ledgers.gatekeeper_fails = 2;
    assert_int_equal(ledgers_replace("ledger.OpenTwo", &err), PORTOLAN_ETIMEOUT);
    assert_non_null(strstr(err.text, "the gatekeeper has waited enough"));
    /* Had the thread entered early, its user told, and the gatekeeper was not asked again. */
    ledgers.gatekeeper_fails = 0;
    assert_int_equal(ledgers.released, 0);
    assert_int_equal(ledgers_replace("ledger.None", NULL), PORTOLAN_ENOTFOUND);
    assert_int_equal(ledgers.released, 0);
    ledger_Ledger_note(ledgers.ports[1], 1, LEDGER_WAIT,
                       &ex); /* does not wait: it is the old one */
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    sem_post(&ledgers.go_on);
    pthread_join(thread, NULL);
    assert_int_equal(ledgers_replace("ledger.None", NULL), PORTOLAN_ENOTFOUND);
    assert_int_equal(ledgers.released, 1);
    assert_int_equal(ledgers.faults_inside, 0);
    ledgers_close();
}

static void a_swap_from_inside_is_refused(void **state)
{
    sidl_BaseInterface ex = NULL;

    ledgers_open("ledger.OpenOne", false);
    ledger_Ledger_note(ledgers.ports[0], 0, LEDGER_SWAP, &ex);
    assert_int_equal(ledgers.swapped_inside, PORTOLAN_EBUSY);
    assert_int_equal(ledgers.released, 1); /* the new one */
    assert_int_equal(ledgers_replace("ledger.OpenTwo", NULL), PORTOLAN_OK);
    ledgers_close();
}

/* ------------------------------------------------------------------ what many swaps leave */

struct usage {
    size_t heap_bytes, resident_pages, mappings, descriptors;
};

static size_t count_lines(const char *file)
{
    FILE *f = fopen(file, "re");
    size_t n = 0;

    for (int c; f && (c = getc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static size_t count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t n = 0;

    while (dir && readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static struct usage look(void)
{
    struct usage u = {.heap_bytes = mallinfo2().uordblks,
                      .mappings = count_lines("/proc/self/maps"),
                      .descriptors = count_entries("/proc/self/fd")};
    FILE *f = fopen("/proc/self/statm", "re");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*u %zu", &u.resident_pages), 1);
    fclose(f);
    return u;
}

static void swap_often(const char *const *classes, long n)
{
    for (long i = 0; i < n; i++)
        swap_once(classes, (int)(i % 2), i % 100 == 98 ? "load" : NULL);
    if (n % 2) /* back to the first */
        swap_once(classes, 1, NULL);
}

static void many_swaps_leave_nothing(void **state)
{
    const char *wanted = getenv("PORTOLAN_TEST_SWAPS");
    long swaps = wanted ? atol(wanted) : SOAK;
    struct usage before, after;

    ledgers_open(((const char *const *)*state)[0], false);
    swap_often(*state, WARM_UP);
    before = look();
    swap_often(*state, swaps);
    after = look();
    if (wanted)
        print_message("%ld swaps: heap %+ld bytes, resident %+ld pages, mappings %+ld, "
                      "descriptors %+ld\n",
                      swaps, (long)(after.heap_bytes - before.heap_bytes),
                      (long)(after.resident_pages - before.resident_pages),
                      (long)(after.mappings - before.mappings),
                      (long)(after.descriptors - before.descriptors));
    assert_int_equal(after.descriptors, before.descriptors);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* have their own */
    /* A leak of 16 bytes per swap would be ten times as much; the heap's own rests vary. */
    assert_true(after.heap_bytes <= before.heap_bytes + 4096);
    assert_int_equal(after.mappings, before.mappings);
    assert_true(after.resident_pages <= before.resident_pages + 64);
#endif
    ledgers_close();
}

static const char *const stateful[] = {"ledger.One", "ledger.Two", "forward u*"};
static const char *const stateless[] = {"ledger.OpenOne", "ledger.OpenTwo", "forward u*"};
static const char *const measured[] = {"ledger.One", "ledger.Two", "profile u*"};
static const char *const measured_stateless[] = {"ledger.OpenOne", "ledger.OpenTwo", "profile u*"};

#define TEST(NAME, HOW)                                                                            \
    {                                                                                              \
#NAME ", " #HOW, NAME, NULL, NULL, (void *)(HOW)                                           \
    }

UNIT_TESTS(TEST(swaps_under_load_lose_no_call, stateful),
           TEST(swaps_under_load_lose_no_call, measured),
           TEST(swaps_under_load_lose_no_call, stateless),
           TEST(swaps_under_load_lose_no_call, measured_stateless),
           TEST(a_call_that_stays_is_named_and_the_old_one_stays, stateful),
           TEST(a_call_that_stays_is_named_and_the_old_one_stays, measured),
           TEST(a_call_that_stays_is_named_and_the_old_one_stays, stateless),
           cmocka_unit_test(the_new_one_is_not_released_over_a_call),
           cmocka_unit_test(a_swap_from_inside_is_refused),
           TEST(many_swaps_leave_nothing, stateful), TEST(many_swaps_leave_nothing, stateless))
