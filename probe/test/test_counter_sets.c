/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of counters on a machine that is made up: what is refused and what is said then, sets that
 * span components, multiplexing, and counts on several threads at once.
 */
#include "../counters/counters.h"
#include "../internal.h"
#include "fixture.h"

#include <pthread.h>

/*
 * A processor with two counters ("cpu::A" … "cpu::F", of which F is only known by name) and a
 * network ("net::sent", "net::received") that counts anything. An event's code is what it gains by
 * each unit of `moved`.
 */
enum { CPU, NET };
enum { NO_SUCH_EVENT = -7, TOO_MANY = -8, NOT_HERE = -9, STOPPED = -10, BUSY = -11 };
#define HANDLES 64

static struct {
    const char *name;
    struct counter_event event;
} const known[] = {
    {"cpu::A", {1, CPU}},    {"cpu::B", {10, CPU}},       {"cpu::C", {100, CPU}},
    {"cpu::D", {1000, CPU}}, {"cpu::E", {10000, CPU}},    {"cpu::F", {-1, CPU}},
    {"net::sent", {3, NET}}, {"net::received", {7, NET}},
};
#define KNOWN (sizeof known / sizeof *known)

static struct handle {
    bool is_open, runs;
    size_t n;
    struct counter_event events[PORTOLAN_PROBE_COUNTERS_MAX];
    pthread_t owner;
    uint64_t start;
} handles[HANDLES];
static bool can_multiplex;
static __thread uint64_t moved;

static int fake_start(void)
{
    return 0;
}

static int fake_find(const char *name, struct counter_event *event)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].name, name)) {
            *event = known[i].event;
            return 0;
        }
    return NO_SUCH_EVENT;
}

static int fake_open(const struct counter_event *events, size_t n, bool multiplexed, int *set)
{
    for (size_t i = 0; i < n; i++)
        if (events[i].code < 0)
            return NOT_HERE;
    if (events[0].component == CPU && n > 2 && !(multiplexed && can_multiplex))
        return TOO_MANY;
    for (*set = 0; *set < HANDLES; ++*set)
        if (!handles[*set].is_open) {
            handles[*set] = (struct handle){.is_open = true, .n = n, .owner = pthread_self()};
            memcpy(handles[*set].events, events, n * sizeof *events);
            return 0;
        }
    return TOO_MANY;
}

static int fake_run(int set)
{
    struct handle *h = &handles[set];

    for (int i = 0; i < HANDLES; i++)
        if (handles[i].runs && pthread_equal(handles[i].owner, h->owner) &&
            handles[i].events[0].component == h->events[0].component)
            return BUSY;
    h->runs = true;
    h->start = moved;
    return 0;
}

static void fake_halt(int set)
{
    assert_true(handles[set].runs && pthread_equal(handles[set].owner, pthread_self()));
    handles[set].runs = false;
}

static void fake_close(int set)
{
    assert_true(handles[set].is_open && !handles[set].runs);
    handles[set].is_open = false;
}

static int fake_read(int set, uint64_t *values)
{
    const struct handle *h = &handles[set];

    if (!h->runs || !pthread_equal(h->owner, pthread_self()))
        return STOPPED;
    for (size_t i = 0; i < h->n; i++)
        values[i] = (uint64_t)h->events[i].code * (moved - h->start);
    return 0;
}

static void fake_end_thread(void)
{
}

static const char *fake_text(int error)
{
    return error == TOO_MANY ? "too few counters" : error == NOT_HERE ? "not on this chip" : "?";
}

static const char *fake_blind(const char *name)
{
    return strcmp(name, "cpu::E") ? NULL : "it is asleep";
}

static bool fake_counts_kernel(void)
{
    return true;
}

static const char *fake_describe(int failure)
{
    (void)failure;
    return "two counters";
}

static const char *const *fake_names(size_t *n)
{
    static const char *names[KNOWN];

    for (*n = 0; *n < KNOWN; ++*n)
        names[*n] = known[*n].name;
    return names;
}

static const struct counter_driver fake = {
    .start = fake_start,
    .find = fake_find,
    .open = fake_open,
    .run = fake_run,
    .halt = fake_halt,
    .close = fake_close,
    .read = fake_read,
    .end_thread = fake_end_thread,
    .text = fake_text,
    .blind = fake_blind,
    .counts_kernel = fake_counts_kernel,
    .describe = fake_describe,
    .names = fake_names,
};

static struct portolan_probe_port port;
static struct portolan_probe_binding binding;

/* Moves 1, and N more in a nested call. */
static void moving_work(struct worker *self, int64_t n)
{
    (void)self;
    moved++;
    if (n)
        proxy_work(&port, n - 1);
}

static struct worker moving = {moving_work, NULL, NULL};

static int fresh(void **state)
{
    can_multiplex = false;
    probe_counters_use_driver(&fake);
    bind_worker(&binding, &moving, "driver", "mover", "test.Moving");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_COUNTERS);
    return portolan_probe_reset(NULL);
}

static void defines(const char *text)
{
    struct portolan_error err = {0};

    portolan_probe_counter_sets_define(text, &err);
    assert_string_equal(err.text, "");
}

static void refuses(const char *text, const char *why)
{
    struct portolan_error err = {0};

    assert_true(portolan_probe_counter_sets_define(text, &err) < 0);
    assert_string_equal(err.text, why);
}

static void events_that_do_not_fit_are_named_with_sets_that_would(void **state)
{
    refuses("cpu=cpu::A,cpu::B,cpu::C,net::sent,cpu::D",
            "set 'cpu': counter cpu::C does not fit beside cpu::A,cpu::B (too few counters); count "
            "them in turn: \"cpu1=cpu::A,cpu::B,net::sent; cpu2=cpu::C,cpu::D\", or multiplexed, "
            "as estimates: \"cpu*=…\"");
    defines("cpu1=cpu::A,cpu::B,net::sent; cpu2=cpu::C,cpu::D");
}

static void a_machine_that_does_not_multiplex_says_so(void **state)
{
    refuses("cpu*=cpu::A,cpu::B,cpu::C",
            "set 'cpu': counter cpu::C does not fit beside cpu::A,cpu::B, and this machine does "
            "not multiplex them (too few counters); count them in turn: \"cpu1=cpu::A,cpu::B; "
            "cpu2=cpu::C\"");
}

static void single_events_are_refused_with_their_reason(void **state)
{
    refuses(
        "a=cpu::A,cpu::F",
        "set 'a': counter cpu::F is known but not counted here: not on this chip; two counters");
    refuses("cpu::E", "counter cpu::E would always read 0: it is asleep");
    refuses("net::send",
            "counter net::send is unknown to PAPI on this machine; did you mean "
            "'net::sent'?; two counters (the commands papi_avail and papi_native_avail "
            "list all)");
}

static void mistakes_in_the_text_are_told(void **state)
{
    refuses("a=cpu::A; a=cpu::B", "there are two sets 'a' of counters");
    refuses("a=", "set 'a': set 'a' has no counters");
    refuses("none=cpu::A", "a set of counters cannot be called 'none', which means no set");
    refuses("a=cpu::A,cpu::A", "set 'a': counter cpu::A occurs twice in a set");
}

static bool note_multiplexed(void *arg, const struct portolan_probe_counter_set *set)
{
    *(bool *)arg = set->multiplexed;
    return true;
}

static void multiplexed_counts_are_marked_and_only_where_they_are_estimates(void **state)
{
    bool multiplexed = true;

    can_multiplex = true;
    defines("few*=cpu::A,cpu::B");
    portolan_probe_counter_sets_visit(note_multiplexed, &multiplexed);
    assert_false(multiplexed);
    assert_string_equal(portolan_probe_counter_peek_name(0), "cpu::A");
    defines("many*=cpu::A,cpu::B,cpu::C");
    portolan_probe_counter_sets_visit(note_multiplexed, &multiplexed);
    assert_true(multiplexed);
    assert_string_equal(portolan_probe_counter_peek_name(2), "cpu::C:multiplexed");
}

/* A name of an event may have '='. */
static void lists_without_a_name_are_the_set_without_a_name(void **state)
{
    struct portolan_error err = {0};

    defines(" cpu::B cpu::A ; net = net::sent ");
    assert_string_equal(portolan_probe_counter_set_peek_name(), "");
    assert_string_equal(portolan_probe_counter_peek_name(0), "cpu::B");
    assert_int_equal(portolan_probe_counter_set_use("nte", &err), PORTOLAN_EINVAL);
    assert_string_equal(err.text, "there is no set 'nte' of counters; did you mean 'net'?");
    assert_int_equal(portolan_probe_counter_set_use("net", NULL), PORTOLAN_OK);
    assert_string_equal(portolan_probe_counter_peek_name(0), "net::sent");
    assert_null(portolan_probe_counter_peek_name(1));
    assert_int_equal(portolan_probe_counter_set_use("", NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_counters_count(), 2);
    refuses("cpu::A:u=1", "counter cpu::A:u=1 is unknown to PAPI on this machine; did you mean "
                          "'cpu::A'?; two counters (the commands papi_avail and papi_native_avail "
                          "list all)");
}

/* Of the one record for N that has calls since the test began. */
static const uint64_t *counts_of(int64_t n)
{
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        if (r->handle == binding.first_method_handle && r->context[0].value == n && r->calls)
            return r->counters;
    }
    fail_msg("no calls for %d", (int)n);
    return NULL;
}

static void a_set_spans_components_in_the_order_of_its_text(void **state)
{
    defines("net::received,cpu::B,net::sent,cpu::A");
    proxy_work(&port, 2);
    proxy_work(&port, 2);
    /* the inclusive count of n is n + 1 */
    assert_int_equal(counts_of(2)[0], 2 * 3 * 7);
    assert_int_equal(counts_of(2)[1], 2 * 3 * 10);
    assert_int_equal(counts_of(2)[2], 2 * 3 * 3);
    assert_int_equal(counts_of(2)[3], 2 * 3 * 1);
    assert_int_equal(counts_of(0)[3], 2 * 1);
}

static void a_thread_reads_what_its_counters_stand_at(void **state)
{
    uint64_t before[PORTOLAN_PROBE_COUNTERS_MAX], after[PORTOLAN_PROBE_COUNTERS_MAX];
    unsigned set = 0, same = 0, other = 0;

    assert_false(portolan_probe_counters_read(before, &set));
    defines("a=net::received,cpu::B; b=cpu::C");
    assert_true(portolan_probe_counters_read(before, &set));
    moved += 3;
    assert_true(portolan_probe_counters_read(after, &same));
    assert_int_equal(after[0] - before[0], 3 * 7);
    assert_int_equal(after[1] - before[1], 3 * 10);
    assert_int_equal(set, same);
    assert_int_not_equal(set, 0);
    portolan_probe_counter_sets_step(true);
    assert_true(portolan_probe_counters_read(before, &other));
    assert_int_not_equal(other, set);
}

static void an_event_of_several_sets_has_one_slot(void **state)
{
    defines("a=cpu::A,cpu::B; b=cpu::C,cpu::A");
    assert_int_equal(portolan_probe_counter_slots(), 3);
    proxy_work(&port, 0);
    portolan_probe_counter_sets_step(true);
    assert_int_equal(portolan_probe_counter_slot(1), 0);
    proxy_work(&port, 0);
    assert_int_equal(counts_of(0)[0], 2);
    assert_int_equal(counts_of(0)[1], 10);
    assert_int_equal(counts_of(0)[2], 100);
}

/* ------------------------------------------------- threads */

#define ROUNDS 2000

static void *keep_calling(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++)
        proxy_work(&port, 2);
    return NULL;
}

/*
 * Two threads call while a third switches all the time: each outermost call is counted by one set
 * with the calls it makes, so the counts of all sets together are those of all calls.
 */
static void nothing_is_lost_while_others_switch(void **state)
{
    uint64_t calls = 0, first = 0, second = 0, missed = portolan_probe_counters_missed();
    pthread_t threads[2];

    defines("a=cpu::A; b=cpu::B");
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_calling, NULL), 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(portolan_probe_counter_set_use(i % 2 ? "a" : "b", NULL), PORTOLAN_OK);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == binding.first_method_handle &&
            snap.records[i].context[0].value == 2) {
            calls += snap.records[i].calls;
            first += snap.records[i].counters[0];
            second += snap.records[i].counters[1];
        }
    assert_int_equal(calls, 2 * ROUNDS);
    assert_int_equal(second % 10, 0);
    assert_int_equal(first + second / 10, 2 * ROUNDS * 3);
    assert_int_equal(portolan_probe_counters_missed(), missed);
}

static void *call_once(void *arg)
{
    (void)arg;
    proxy_work(&port, 0);
    return NULL;
}

static void threads_that_end_close_their_event_sets(void **state)
{
    int open = 0;

    defines("a=cpu::A,net::sent; b=cpu::B");
    for (int i = 0; i < HANDLES; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, call_once, NULL), 0);
        pthread_join(thread, NULL);
        portolan_probe_counter_sets_step(true);
    }
    for (int i = 0; i < HANDLES; i++)
        open += handles[i].is_open;
    assert_int_equal(open, 0);
}

/* ------------------------------------------------- longjmp */

static jmp_buf out;

static void jumping_work(struct worker *self, int64_t n)
{
    (void)self;
    moved++;
    if (n == 1)
        longjmp(out, 1);
    proxy_work(&port, 1);
}

/* A call that was left counts nothing, and keeps no thread from another set. */
static void a_call_left_by_longjmp_holds_up_no_switch(void **state)
{
    struct worker jumping = {jumping_work, NULL, NULL};

    defines("a=cpu::A; b=cpu::B");
    bind_worker(&binding, &jumping, "driver", "jumper", "test.Jumping");
    if (!setjmp(out))
        proxy_work(&port, 5);
    bind_worker(&binding, &moving, "driver", "mover", "test.Moving");
    assert_int_equal(portolan_probe_counter_set_use("b", NULL), PORTOLAN_OK);
    proxy_work(&port, 1);
    assert_int_equal(counts_of(1)[0], 0);
    assert_int_equal(counts_of(1)[1], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(events_that_do_not_fit_are_named_with_sets_that_would, fresh),
        cmocka_unit_test_setup(a_machine_that_does_not_multiplex_says_so, fresh),
        cmocka_unit_test_setup(single_events_are_refused_with_their_reason, fresh),
        cmocka_unit_test_setup(mistakes_in_the_text_are_told, fresh),
        cmocka_unit_test_setup(multiplexed_counts_are_marked_and_only_where_they_are_estimates,
                               fresh),
        cmocka_unit_test_setup(lists_without_a_name_are_the_set_without_a_name, fresh),
        cmocka_unit_test_setup(a_set_spans_components_in_the_order_of_its_text, fresh),
        cmocka_unit_test_setup(a_thread_reads_what_its_counters_stand_at, fresh),
        cmocka_unit_test_setup(an_event_of_several_sets_has_one_slot, fresh),
        cmocka_unit_test_setup(nothing_is_lost_while_others_switch, fresh),
        cmocka_unit_test_setup(threads_that_end_close_their_event_sets, fresh),
        cmocka_unit_test_setup(a_call_left_by_longjmp_holds_up_no_switch, fresh),
    };
    int failed = cmocka_run_group_tests_name("counter sets", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
