/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as this machine has them: with PAPI its events are read, without it the text says so. */
#include "fixture.h"

#include <portolan/control.h>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_SDE
#include <sde_lib.h>
#endif

#define PAGES 300
/* Pages that are touched beside those of the work: a sanitizer's shadow is large. */
#ifdef __SANITIZE_THREAD__
#define BESIDE (100 * PAGES)
#else
#define BESIDE (PAGES - 1)
#endif
#define SWITCHES 40

static struct portolan_probe_port port;
static struct portolan_probe_binding binding;
static const char *const page_faults[] = {"perf::PAGE-FAULTS"};

/* Touches N * PAGES fresh pages. */
static void faulting_work(struct worker *self, int64_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * PAGES * page;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)self;
    assert_true(memory != MAP_FAILED);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < (size_t)n * PAGES; i++)
        __atomic_store_n(&memory[i * page], 1, __ATOMIC_RELAXED);
    munmap(memory, size);
}

static struct worker faulting = {faulting_work, NULL, NULL};

static int fresh(void **state)
{
    bind_worker(&binding, &faulting, "driver", "pages", "test.Faulting");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_COUNTERS);
    portolan_probe_counter_sets_define("", NULL);
    return portolan_probe_reset(NULL);
}

/* Built without PAPI, or the kernel refuses: then with words. */
static void define_or_skip(const char *text)
{
    struct portolan_error err = {0};

    if (portolan_probe_counter_sets_define(text, &err) == PORTOLAN_OK)
        return;
    assert_int_not_equal(strlen(err.text), 0);
    skip();
}

static uint64_t count_of(const struct portolan_probe_record *r, const char *name)
{
    for (size_t slot = 0; slot < portolan_probe_counter_slots(); slot++)
        if (!strcmp(portolan_probe_counter_slot_peek_name(slot), name))
            return r->counters[slot];
    fail_msg("no counter %s", name);
    return 0;
}

static const struct portolan_probe_record *work_record(int64_t n)
{
    const struct portolan_probe_record *r;

    take_snapshot();
    r = find_record(NULL, binding.first_method_handle, n);
    assert_non_null(r);
    return r;
}

static void no_counters_are_read_unless_chosen(void **state)
{
    const struct portolan_probe_record *r;

    proxy_work(&port, 1);
    r = work_record(1);
    assert_int_equal(r->calls, 1);
    assert_int_equal(r->counters[0], 0);
    assert_int_equal(portolan_probe_counters_count(), 0);
    assert_null(portolan_probe_counter_peek_name(0));
    assert_null(portolan_probe_counter_set_peek_name());
}

static void an_unknown_counter_is_refused_with_the_reason(void **state)
{
    struct portolan_error err = {0};

    assert_int_equal(portolan_probe_counter_sets_define("NO_SUCH_EVENT", &err),
                     PORTOLAN_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "NO_SUCH_EVENT"));
    assert_int_equal(portolan_probe_counters_count(), 0);
    assert_non_null(strstr(portolan_probe_counters_describe(), "counters"));
}

static void a_mistyped_counter_is_answered_with_the_nearest_name(void **state)
{
    struct portolan_error err = {0};

    define_or_skip("perf::PAGE-FAULTS");
    assert_int_equal(portolan_probe_counter_sets_define("perf::PAGE-FAULT", &err),
                     PORTOLAN_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "did you mean 'perf::PAGE-FAULTS'?"));
}

static void software_events_are_counted_per_record(void **state)
{
    const struct portolan_probe_record *one, *two;
    uint64_t counted;

    define_or_skip(page_faults[0]);
    assert_string_equal(portolan_probe_counter_peek_name(0), page_faults[0]);
    proxy_work(&port, 1);
    proxy_work(&port, 2);
    proxy_work(&port, 2);
    take_snapshot();
    one = find_record(NULL, binding.first_method_handle, 1);
    two = find_record(NULL, binding.first_method_handle, 2);
    assert_true(one->counters[0] >= PAGES);
    assert_true(two->counters[0] >= 4 * PAGES); /* sanitizers touch pages of their own */
    counted = two->counters[0];

    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED);
    proxy_work(&port, 2);
    two = work_record(2);
    assert_int_equal(two->calls, 3);
    assert_int_equal(two->counters[0], counted);
}

static long faults_of_thread(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void page_faults_are_those_that_the_kernel_accounts(void **state)
{
    uint64_t counted, before;
    long around;

    define_or_skip("perf::PAGE-FAULTS, perf::MINOR-FAULTS");
    proxy_work(&port, 3); /* the stack, the event sets, the record */
    before = count_of(work_record(3), "perf::PAGE-FAULTS");
    around = faults_of_thread();
    proxy_work(&port, 3);
    around = faults_of_thread() - around;
    counted = count_of(work_record(3), "perf::PAGE-FAULTS") - before;
    assert_true(counted >= 3 * PAGES);
    assert_in_range(counted, around - 2, around); /* what AROUND has beside the call */
}

static void sleeping_work(struct worker *self, int64_t n)
{
    (void)self;
    for (int64_t i = 0; i < n; i++) {
        struct timespec moment = {0, 100000};

        nanosleep(&moment, NULL); /* gives the processor up, however short it is */
    }
}

static long switches_of_thread(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static bool is_user_mode_only(void *arg, const struct portolan_probe_counter_set *set)
{
    *(bool *)arg = set->user_mode_only;
    return false;
}

static void context_switches_are_counted_or_refused_but_never_zero(void **state)
{
    struct worker sleeper = {sleeping_work, NULL, NULL};
    struct portolan_error err = {0};
    bool user_mode_only = false;
    uint64_t counted, before;
    long around;

    define_or_skip(page_faults[0]);
    portolan_probe_counter_sets_visit(is_user_mode_only, &user_mode_only);
    if (user_mode_only) {
        assert_int_equal(portolan_probe_counter_sets_define("perf::CONTEXT-SWITCHES", &err),
                         PORTOLAN_EUNSUPPORTED);
        assert_non_null(strstr(err.text, "would always read 0"));
        return;
    }
    define_or_skip("perf::CONTEXT-SWITCHES");
    bind_worker(&binding, &sleeper, "driver", "sleeper", "test.Sleeping");
    proxy_work(&port, SWITCHES);
    before = count_of(work_record(SWITCHES), "perf::CONTEXT-SWITCHES");
    around = switches_of_thread();
    proxy_work(&port, SWITCHES);
    around = switches_of_thread() - around;
    counted = count_of(work_record(SWITCHES), "perf::CONTEXT-SWITCHES") - before;
    /* A processor that is itself taken away may find a moment over before it has switched. */
    assert_in_range(counted, SWITCHES / 2, UINT64_MAX);
    assert_in_range(counted, around - 4, around); /* it may be preempted beside the call */
}

static void a_refused_choice_leaves_the_earlier_one(void **state)
{
    define_or_skip("soft=perf::PAGE-FAULTS");
    proxy_work(&port, 1);
    assert_int_equal(portolan_probe_counter_sets_define("a b c d e f g h i", NULL),
                     PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_counter_sets_define("a", NULL), PORTOLAN_EUNSUPPORTED);
    assert_int_equal(portolan_probe_counters_count(), 1);
    assert_string_equal(portolan_probe_counter_peek_name(0), page_faults[0]);
    assert_string_equal(portolan_probe_counter_set_peek_name(), "soft");
    proxy_work(&port, 1);
    assert_true(work_record(1)->counters[0] >= 2 * PAGES);
}

#ifdef HAVE_SDE
static long long moved;

static void moving_work(struct worker *self, int64_t n)
{
    moved += n;
    faulting_work(self, 1);
}

/* Events that this program defines: a second component of PAPI. */
static void a_set_spans_components(void **state)
{
    struct worker moving = {moving_work, NULL, NULL};
    const struct portolan_probe_record *r;

    papi_sde_register_counter(papi_sde_init("test"), "moved", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &moved);
    define_or_skip("both=sde:::test::moved,perf::PAGE-FAULTS");
    bind_worker(&binding, &moving, "driver", "moving", "test.Moving");
    proxy_work(&port, 41);
    proxy_work(&port, 41);
    r = work_record(41);
    assert_int_equal(count_of(r, "sde:::test::moved"), 2 * 41);
    assert_in_range(count_of(r, "perf::PAGE-FAULTS"), 2 * PAGES, 2 * PAGES + BESIDE);
}
#endif

/* ------------------------------------------------- several sets */

static void each_set_has_what_was_counted_while_it_was_in_force(void **state)
{
    const struct portolan_probe_record *r;

    define_or_skip("all=perf::PAGE-FAULTS; minor=perf::MINOR-FAULTS");
    assert_string_equal(portolan_probe_counter_set_peek_name(), "all");
    proxy_work(&port, 1);
    assert_int_equal(portolan_probe_counter_set_use("minor", NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_counter_slot(0), 1);
    for (int i = 0; i < 3; i++)
        proxy_work(&port, 1);
    portolan_probe_counter_set_use("none", NULL);
    proxy_work(&port, 1);
    r = work_record(1);
    assert_int_equal(r->calls, 5);
    assert_in_range(count_of(r, "perf::PAGE-FAULTS"), PAGES, PAGES + BESIDE);
    assert_in_range(count_of(r, "perf::MINOR-FAULTS"), 3 * PAGES, 3 * PAGES + BESIDE);
}

static void steps_rotate_through_the_sets(void **state)
{
    static const char *const order[] = {"a", "b", "c", "a"};

    define_or_skip("a=perf::PAGE-FAULTS; b=perf::MINOR-FAULTS; c=perf::MAJOR-FAULTS");
    for (int i = 0; i < 4; i++) {
        assert_string_equal(portolan_probe_counter_set_peek_name(), order[i]);
        assert_true(portolan_probe_counter_sets_step(true));
    }
    assert_false(portolan_probe_counter_sets_step(false));
    assert_int_equal(portolan_probe_counter_set_request("c", NULL), PORTOLAN_OK);
    assert_string_equal(portolan_probe_counter_set_peek_name(), "b");
    assert_true(portolan_probe_counter_sets_step(false));
    assert_string_equal(portolan_probe_counter_set_peek_name(), "c");
}

/* Switches in the middle of a call, between n faulting pieces and 2n. */
static void switching_work(struct worker *self, int64_t n)
{
    (void)self;
    faulting_work(NULL, n);
    assert_int_equal(portolan_probe_counter_set_use("minor", NULL), PORTOLAN_OK);
    faulting_work(NULL, 2 * n);
}

static void calls_that_run_are_split_when_their_thread_switches(void **state)
{
    struct worker switching = {switching_work, NULL, NULL};
    const struct portolan_probe_record *r;

    define_or_skip("all=perf::PAGE-FAULTS; minor=perf::MINOR-FAULTS");
    bind_worker(&binding, &switching, "driver", "switching", "test.Switching");
    proxy_work(&port, 2);
    r = work_record(2);
    assert_in_range(count_of(r, "perf::PAGE-FAULTS"), 2 * PAGES, 2 * PAGES + BESIDE);
    assert_in_range(count_of(r, "perf::MINOR-FAULTS"), 4 * PAGES, 4 * PAGES + BESIDE);
}

struct rendezvous {
    pthread_barrier_t inside, switched;
};

/* The outer call (n 1) waits for the switch, then makes an inner one (n 2) through the same port.
 */
static void waiting_work(struct worker *self, int64_t n)
{
    struct rendezvous *r = self->arg;

    faulting_work(NULL, 1);
    if (n == 1) {
        pthread_barrier_wait(&r->inside);
        pthread_barrier_wait(&r->switched);
        proxy_work(&port, 2);
    }
}

static void *call_outer(void *arg)
{
    (void)arg;
    proxy_work(&port, 1);
    proxy_work(&port, 3);
    return NULL;
}

static void another_thread_follows_at_its_next_outermost_call(void **state)
{
    struct rendezvous meet;
    struct worker waiting = {waiting_work, NULL, &meet};
    uint64_t missed = portolan_probe_counters_missed();
    pthread_t thread;

    define_or_skip("all=perf::PAGE-FAULTS; minor=perf::MINOR-FAULTS");
    bind_worker(&binding, &waiting, "driver", "waiting", "test.Waiting");
    pthread_barrier_init(&meet.inside, NULL, 2);
    pthread_barrier_init(&meet.switched, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, call_outer, NULL), 0);
    pthread_barrier_wait(&meet.inside);
    assert_int_equal(portolan_probe_counter_set_use("minor", NULL), PORTOLAN_OK);
    pthread_barrier_wait(&meet.switched);
    pthread_join(thread, NULL);
    assert_true(count_of(work_record(1), "perf::PAGE-FAULTS") >= 2 * PAGES);
    assert_int_equal(count_of(work_record(1), "perf::MINOR-FAULTS"), 0);
    assert_true(count_of(work_record(2), "perf::PAGE-FAULTS") >= PAGES);
    assert_int_equal(count_of(work_record(2), "perf::MINOR-FAULTS"), 0);
    assert_int_equal(count_of(work_record(3), "perf::PAGE-FAULTS"), 0);
    assert_true(count_of(work_record(3), "perf::MINOR-FAULTS") >= PAGES);
    assert_int_equal(portolan_probe_counters_missed(), missed);
    pthread_barrier_destroy(&meet.inside);
    pthread_barrier_destroy(&meet.switched);
}

/* ------------------------------------------------- fork, cost, commands */

/* In the child of a counted call: its own counts, not the parent's. */
static int count_in_child(void)
{
    uint64_t before, counted;
    long around;

    proxy_work(&port, 1);
    take_snapshot();
    before = count_of(find_record(NULL, binding.first_method_handle, 1), page_faults[0]);
    around = faults_of_thread();
    proxy_work(&port, 1);
    around = faults_of_thread() - around;
    take_snapshot();
    counted = count_of(find_record(NULL, binding.first_method_handle, 1), page_faults[0]) - before;
    return counted >= PAGES && counted <= (uint64_t)around ? 0 : 1;
}

static void a_forked_child_counts_itself(void **state)
{
    int status;
    pid_t child;

    define_or_skip(page_faults[0]);
    proxy_work(&port, 1);
    child = fork();
    if (child == 0)
        _exit(count_in_child());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A read is a system call, and a monitored call is none. */
static void what_reading_costs_is_measured(void **state)
{
    assert_true(portolan_probe_cost().counters_ns == 0);
    define_or_skip("one=perf::PAGE-FAULTS; two=perf::PAGE-FAULTS,perf::MINOR-FAULTS");
    assert_true(portolan_probe_cost().counters_ns > portolan_probe_cost().mean_ns);
    portolan_probe_counter_set_use("none", NULL);
    assert_true(portolan_probe_cost().counters_ns == 0);
}

static int add_counts(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    uint64_t *sums = arg;

    for (size_t i = 0; i < n; i++) {
        sums[0] += rows[i].counters[0];
        sums[1] += rows[i].counters[1];
    }
    return 0;
}

static void rows_have_the_counts_of_their_call(void **state)
{
    const struct portolan_probe_record *r;
    uint64_t sums[2] = {0, 0}, lost;

    define_or_skip("perf::MAJOR-FAULTS,perf::PAGE-FAULTS");
    portolan_probe_port_init(
        &port, &binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_COUNTERS | PORTOLAN_PROBE_ROWS);
    proxy_work(&port, 1);
    proxy_work(&port, 1);
    assert_int_equal(portolan_probe_rows_take(add_counts, sums, &lost, NULL), PORTOLAN_OK);
    r = work_record(1);
    assert_true(sums[1] >= 2 * PAGES);
    assert_int_equal(sums[0], count_of(r, "perf::MAJOR-FAULTS"));
    assert_int_equal(sums[1], count_of(r, "perf::PAGE-FAULTS"));
}

static void control_tells_and_switches_sets(void **state)
{
    struct portolan_text reply = {0};
    struct portolan_error err = {0};

    define_or_skip("all=perf::PAGE-FAULTS,perf::MAJOR-FAULTS; minor=perf::MINOR-FAULTS");
    assert_int_equal(portolan_control_execute("counters minor", "test", &reply, NULL), PORTOLAN_OK);
    assert_string_equal(portolan_probe_counter_set_peek_name(), "minor");
    assert_int_equal(portolan_control_execute("counters", "test", &reply, NULL), PORTOLAN_OK);
    assert_string_equal(reply.bytes, "counters minor: in force\n"
                                     "counters\tall\t\tperf::PAGE-FAULTS,perf::MAJOR-FAULTS\n"
                                     "counters\tminor\tin force\tperf::MINOR-FAULTS\n");
    portolan_text_clear(&reply);
    assert_int_equal(portolan_control_apply("counters miner", "test", &err), PORTOLAN_ESYNTAX);
    assert_string_equal(err.text, "test:1: error: there is no set 'miner' of counters; did you "
                                  "mean 'minor'?");
}

static void control_waits_for_the_next_step_of_a_mastermind(void **state)
{
    struct portolan_control_port controlled = {.name = "driver.work",
                                               .port = &port,
                                               .variant = PORTOLAN_VARIANT_MASTERMIND,
                                               .has_mastermind = true};

    define_or_skip("all=perf::PAGE-FAULTS; minor=perf::MINOR-FAULTS");
    portolan_control_add(&controlled);
    assert_int_equal(portolan_control_apply("counters minor", "test", NULL), PORTOLAN_OK);
    assert_string_equal(portolan_probe_counter_set_peek_name(), "all");
    portolan_probe_counter_sets_step(false);
    assert_string_equal(portolan_probe_counter_set_peek_name(), "minor");
    portolan_control_remove(&controlled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_counters_are_read_unless_chosen, fresh),
        cmocka_unit_test_setup(an_unknown_counter_is_refused_with_the_reason, fresh),
        cmocka_unit_test_setup(a_mistyped_counter_is_answered_with_the_nearest_name, fresh),
        cmocka_unit_test_setup(software_events_are_counted_per_record, fresh),
        cmocka_unit_test_setup(page_faults_are_those_that_the_kernel_accounts, fresh),
        cmocka_unit_test_setup(context_switches_are_counted_or_refused_but_never_zero, fresh),
        cmocka_unit_test_setup(a_refused_choice_leaves_the_earlier_one, fresh),
#ifdef HAVE_SDE
        cmocka_unit_test_setup(a_set_spans_components, fresh),
#endif
        cmocka_unit_test_setup(each_set_has_what_was_counted_while_it_was_in_force, fresh),
        cmocka_unit_test_setup(steps_rotate_through_the_sets, fresh),
        cmocka_unit_test_setup(calls_that_run_are_split_when_their_thread_switches, fresh),
        cmocka_unit_test_setup(another_thread_follows_at_its_next_outermost_call, fresh),
        cmocka_unit_test_setup(a_forked_child_counts_itself, fresh),
        cmocka_unit_test_setup(what_reading_costs_is_measured, fresh),
        cmocka_unit_test_setup(rows_have_the_counts_of_their_call, fresh),
        cmocka_unit_test_setup(control_tells_and_switches_sets, fresh),
        cmocka_unit_test_setup(control_waits_for_the_next_step_of_a_mastermind, fresh),
    };
    int failed = cmocka_run_group_tests_name("counters", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
