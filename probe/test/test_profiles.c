/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles: exact rows on the clock that moves only when told, names, threads, counters. */
#include "fixture.h"

#include <portolan/control.h>
#include <portolan/tau.h>

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/portolan-profiles-XXXXXX";
static struct portolan_probe_port outer, inner;
static struct portolan_probe_binding outer_binding, inner_binding;
static struct portolan_control_port outer_control, inner_control;
static struct portolan_error err;

static void leaf_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(100 * (uint64_t)n);
}

static void leaf_scale(struct worker *self, double x, int64_t m)
{
    (void)self, (void)x;
    portolan_probe_clock_advance(1000 * (uint64_t)m);
}

static void nesting_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(1000);
    proxy_work(&inner, n);
    proxy_work(&inner, n + 1);
}

/* Through its own port, n times; each level takes 1 us. */
static void recursive_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(1000);
    if (n > 0)
        proxy_work(&outer, n - 1);
}

static struct worker leaf = {leaf_work, leaf_scale, NULL}, nesting = {nesting_work, NULL, NULL},
                     recursive = {recursive_work, NULL, NULL};

static void use(struct worker *worker, const char *provider, const char *class_name)
{
    bind_worker(&outer_binding, worker, "driver", provider, class_name);
    bind_worker(&inner_binding, &leaf, "outer", "inner", "test.Leaf");
    portolan_probe_port_init(&outer, &outer_binding, 0);
    portolan_probe_port_init(&inner, &inner_binding, 0);
    outer_control = (struct portolan_control_port){.name = "driver.worker",
                                                   .type = "test.Worker",
                                                   .port = &outer,
                                                   .variant = PORTOLAN_VARIANT_PROFILE};
    inner_control = outer_control;
    inner_control.name = "outer.worker";
    inner_control.port = &inner;
    portolan_control_add(&outer_control);
    portolan_control_add(&inner_control);
}

static int fresh(void **state)
{
    err = (struct portolan_error){0};
    portolan_probe_counter_sets_define("", NULL);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static int leave(void **state)
{
    char line[100];

    portolan_control_remove(&outer_control);
    portolan_control_remove(&inner_control);
    snprintf(line, sizeof line, "rm -rf %s/*", folder);
    return system(line);
}

static void dump(size_t expected_files)
{
    size_t files = 99;

    assert_int_equal(portolan_probe_write_tau(folder, 0, &files, &err), PORTOLAN_OK);
    assert_int_equal(files, expected_files);
}

/* What stands behind the rows that were read last. */
static const char *behind;

/* The rows of a file, without the lines before and behind them. */
static const char *rows_of(const char *name)
{
    static char text[20000], path[200];
    char *line = text, *end;
    FILE *f;
    size_t n;
    int count = -1;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "r");
    if (!f)
        fail_msg("there is no %s", path);
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    assert_int_equal(sscanf(text, "%d templated_functions_MULTI_", &count), 1);
    for (int i = 0; i < 2; i++)
        line = strchr(line, '\n') + 1;
    end = strstr(line, "\n0 aggregates\n");
    assert_non_null(end);
    behind = end + strlen("\n0 aggregates\n");
    end[1] = '\0';
    for (const char *c = line; *c; c++)
        count -= *c == '\n';
    assert_int_equal(count, 0);
    return line;
}

static bool exists(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* ------------------------------------------------------------------ rows */

static void rows_are_exact(void **state)
{
    use(&nesting, "outer", "test.Outer");
    portolan_probe_clock_advance(4000);
    proxy_work(&outer, 2);
    proxy_work(&inner, 3);
    dump(1);
    assert_string_equal(
        rows_of("profile.0.0.0"),
        "\".TAU application\" 1 2 4 6 0 GROUP=\"TAU_USER\" \n"
        "\"inner (test.Leaf)::work()\" 3 0 0.8 0.8 0 GROUP=\"test.Worker\" \n"
        "\"outer (test.Outer)::work()\" 1 2 1 1.5 0 GROUP=\"test.Worker\" \n"
        "\"inner (test.Leaf)::work() [ <n> = <2> ]\" 1 0 0.2 0.2 0 "
        "GROUP=\"TAU_PARAM | test.Worker\" \n"
        "\"inner (test.Leaf)::work() [ <n> = <3> ]\" 2 0 0.6 0.6 0 "
        "GROUP=\"TAU_PARAM | test.Worker\" \n"
        "\"outer (test.Outer)::work() [ <n> = <2> ]\" 1 2 1 1.5 0 "
        "GROUP=\"TAU_PARAM | test.Worker\" \n"
        "\".TAU application => inner (test.Leaf)::work()\" 1 0 0.3 0.3 0 "
        "GROUP=\"TAU_CALLPATH | test.Worker\" \n"
        "\".TAU application => outer (test.Outer)::work()\" 1 2 1 1.5 0 "
        "GROUP=\"TAU_CALLPATH | test.Worker\" \n"
        "\".TAU application => outer (test.Outer)::work() => inner (test.Leaf)::work()\" 2 0 0.5 "
        "0.5 0 GROUP=\"TAU_CALLPATH | test.Worker\" \n");
}

static void recursion_counts_inclusive_once(void **state)
{
    use(&recursive, "outer", "test.Recursive");
    proxy_work(&outer, 2);
    dump(1);
    assert_non_null(
        strstr(rows_of("profile.0.0.0"), "\"outer (test.Recursive)::work()\" 3 2 3 3 0 GROUP"));
}

static void names_mean_nothing_else_to_readers(void **state)
{
    use(&nesting, "a \"b\"  => c\td", "");
    proxy_work(&outer, 1);
    dump(1);
    assert_non_null(strstr(rows_of("profile.0.0.0"), "\"a 'b' -> c d::work()\" 1 2 1 1.3 0 GROUP"));
}

static void several_parameters_and_bins_have_names(void **state)
{
    use(&nesting, "outer", "test.Outer");
    proxy_scale(&inner, 1.1, 7, 0);
    dump(1);
    assert_non_null(
        strstr(rows_of("profile.0.0.0"),
               "\"inner (test.Leaf)::scale() [ <x> = <1..1.25>, <m> = <7> ]\" 1 0 7 7"));
}

static void a_call_that_is_running_counts(void **state)
{
    struct portolan_probe_call call;
    struct portolan_probe_context context[1] = {portolan_probe_context_int(1)};

    use(&nesting, "outer", "test.Outer");
    portolan_probe_enter(&call, &outer, METHOD_WORK, context, 1);
    portolan_probe_clock_advance(3000);
    proxy_work(&inner, 10);
    dump(1);
    portolan_probe_leave(&call);
    assert_non_null(
        strstr(rows_of("profile.0.0.0"), "\"outer (test.Outer)::work()\" 1 1 3 4 0 GROUP"));
}

static void what_the_mastermind_has_is_its_callers(void **state)
{
    use(&nesting, "outer", "test.Outer");
    portolan_control_set_mastermind(&inner_control, true);
    inner_control.variant = PORTOLAN_VARIANT_MASTERMIND;
    portolan_control_set_mastermind(&inner_control, true);
    proxy_work(&outer, 2);
    portolan_probe_reset_unprofiled(NULL);
    dump(1);
    assert_non_null(
        strstr(rows_of("profile.0.0.0"), "\"outer (test.Outer)::work()\" 1 0 1.5 1.5 0 GROUP"));
    assert_null(strstr(rows_of("profile.0.0.0"), "inner"));
}

/* ------------------------------------------------------------------ timers and events */

static void run_timer(uint32_t handle, uint64_t ns)
{
    portolan_probe_timer_start(handle);
    portolan_probe_clock_advance(ns);
    portolan_probe_timer_stop(handle);
}

/* A phase with a port call that the Mastermind has and a timer that is given a parameter late. */
static void run_phase(void)
{
    uint32_t phase = register_timer("IO \"phase\"", "", PORTOLAN_PROBE_PHASE);
    uint32_t solve = register_timer("solve void (int)", "NUM|ERIC", PORTOLAN_PROBE_TIMER);

    portolan_probe_timer_start(phase);
    portolan_probe_clock_advance(1000);
    portolan_probe_timer_start(solve);
    portolan_probe_clock_advance(200);
    run_timer(register_timer("inner", "", PORTOLAN_PROBE_TIMER), 400);
    portolan_probe_timer_set_parameter(solve, "n", 7);
    portolan_probe_clock_advance(100);
    portolan_probe_timer_stop(solve);
    portolan_probe_timer_stop(phase);
}

static void timers_phases_and_parameters_have_rows(void **state)
{
    use(&nesting, "outer", "test.Outer");
    run_phase();
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK); /* a step was stored */
    run_phase();
    dump(1);
    assert_string_equal(
        rows_of("profile.0.0.0"),
        "\".TAU application\" 1 2 0 4 0 GROUP=\"TAU_USER\" \n"
        "\"IO 'phase'\" 2 2 2 3.4 0 GROUP=\"TAU_USER | TAU_PHASE\" \n"
        "\"inner\" 2 0 0.8 0.8 0 GROUP=\"TAU_USER\" \n"
        "\"solve void (int)\" 2 2 0.6 1.4 0 GROUP=\"NUM_ERIC\" \n"
        "\"solve void (int) [ <n> = <7> ]\" 2 0 0.6 0.6 0 GROUP=\"TAU_PARAM | NUM_ERIC\" \n"
        "\".TAU application => IO 'phase'\" 2 2 2 3.4 0 GROUP=\"TAU_CALLPATH | TAU_USER | "
        "TAU_PHASE\" \n"
        "\".TAU application => IO 'phase' => solve void (int)\" 2 2 0.6 1.4 0 "
        "GROUP=\"TAU_CALLPATH | NUM_ERIC\" \n"
        "\".TAU application => IO 'phase' => solve void (int) => inner\" 2 0 0.8 0.8 0 "
        "GROUP=\"TAU_CALLPATH | TAU_USER\" \n");
    assert_string_equal(behind, "");
}

static void trigger_events(void)
{
    uint32_t size, phase = register_timer("phase", "", PORTOLAN_PROBE_PHASE);

    portolan_probe_event_register("size of a \"message\"", true, &size, NULL);
    portolan_probe_timer_start(phase);
    portolan_probe_event_trigger(size, 3);
    portolan_probe_timer_stop(phase);
    portolan_probe_event_trigger(size, 4.5);
}

static void events_stand_behind_the_rows(void **state)
{
    use(&nesting, "outer", "test.Outer");
    trigger_events();
    dump(1);
    rows_of("profile.0.0.0");
    assert_string_equal(behind, "1 userevents\n# eventname numevents max min mean sumsqr\n"
                                "\"size of a 'message'\" 2 4.5 3 3.75 29.25\n");
    setenv("PORTOLAN_PROFILE_EVENT_PATHS", "1", 1);
    dump(1);
    unsetenv("PORTOLAN_PROFILE_EVENT_PATHS");
    rows_of("profile.0.0.0");
    assert_string_equal(behind, "3 userevents\n# eventname numevents max min mean sumsqr\n"
                                "\"size of a 'message'\" 2 4.5 3 3.75 29.25\n"
                                "\"size of a 'message' : .TAU application\" 1 4.5 4.5 4.5 20.25\n"
                                "\"size of a 'message' : .TAU application => phase\" 1 3 3 3 9\n");
}

static void a_dump_has_its_name_and_the_rows_asked_for(void **state)
{
    const char *chosen[] = {"inner", "no such timer"};
    struct portolan_probe_dump how = {
        .folder = folder, .prefix = "dump", .timers = chosen, .n_timers = 2};
    size_t files;

    use(&nesting, "outer", "test.Outer");
    run_phase();
    trigger_events();
    assert_int_equal(portolan_probe_dump_tau(&how, 3, &files, &err), PORTOLAN_OK);
    assert_int_equal(files, 1);
    assert_string_equal(rows_of("dump.3.0.0"), "\".TAU application\" 1 2 0 2 0 "
                                               "GROUP=\"TAU_USER\" \n"
                                               "\"inner\" 1 0 0.4 0.4 0 GROUP=\"TAU_USER\" \n");
    assert_string_equal(behind, "");
    how.prefix = "../dump";
    assert_int_equal(portolan_probe_dump_tau(&how, 3, &files, &err), PORTOLAN_EINVAL);
    assert_int_equal(files, 0);
}

/* DAY-Mon-D-TIME-YEAR, as strptime(3) takes it. */
static void a_stamped_dump_says_when(void **state)
{
    struct portolan_probe_dump how = {.folder = folder, .prefix = "dump", .is_stamped = true};
    struct dirent *entry;
    DIR *directory;
    struct tm when;
    const char *end;
    int found = 0;

    use(&nesting, "outer", "test.Outer");
    run_phase();
    assert_int_equal(portolan_probe_dump_tau(&how, 0, NULL, &err), PORTOLAN_OK);
    directory = opendir(folder);
    while ((entry = readdir(directory)))
        if (!strncmp(entry->d_name, "dump__", 6)) {
            end = strptime(entry->d_name + 6, "%a-%b-%d-%H:%M:%S-%Y", &when);
            assert_non_null(end);
            assert_string_equal(end, "__.0.0.0");
            found++;
        }
    closedir(directory);
    assert_int_equal(found, 1);
}

static void *run_elsewhere(void *arg)
{
    run_timer(*(uint32_t *)arg, 1000);
    return NULL;
}

static void totals_are_sums_over_threads(void **state)
{
    uint32_t handle = register_timer("on two threads", "", PORTOLAN_PROBE_TIMER);
    struct portolan_tau_rows rows = {0};
    pthread_t thread;

    use(&nesting, "outer", "test.Outer");
    run_timer(handle, 3000);
    assert_int_equal(pthread_create(&thread, NULL, run_elsewhere, &handle), 0);
    pthread_join(thread, NULL);
    assert_int_equal(portolan_probe_total_tau(&rows, &err), PORTOLAN_OK);
    assert_int_equal(rows.n, 2);
    assert_string_equal(rows.rows[1].name, "on two threads");
    assert_int_equal(rows.rows[1].calls, 2);
    assert_true(rows.rows[1].inclusive[0] == 4 && rows.rows[0].subroutines == 2);
    portolan_arena_clear(&rows.arena);
}

/* ------------------------------------------------------------------ files */

static void *call_once(void *arg)
{
    proxy_work(arg, 5);
    return NULL;
}

static void each_thread_has_a_file(void **state)
{
    pthread_t thread;
    FILE *f;
    char path[200];

    use(&nesting, "outer", "test.Outer");
    proxy_work(&inner, 1);
    assert_int_equal(pthread_create(&thread, NULL, call_once, &inner), 0);
    pthread_join(thread, NULL);
    /* of an earlier run */
    snprintf(path, sizeof path, "%s/profile.0.0.2", folder);
    f = fopen(path, "w");
    fclose(f);
    dump(2);
    assert_non_null(
        strstr(rows_of("profile.0.0.1"), "\"inner (test.Leaf)::work()\" 1 0 0.5 0.5 0 "));
    assert_non_null(strstr(rows_of("profile.0.0.1"), "\".TAU application\" 1 1 0 1 0 "));
    assert_non_null(
        strstr(rows_of("profile.0.0.0"), "\"inner (test.Leaf)::work()\" 1 0 0.1 0.1 0 "));
    assert_false(exists("profile.0.0.2"));
}

static void nothing_measured_writes_nothing(void **state)
{
    use(&nesting, "outer", "test.Outer");
    dump(0);
    assert_false(exists("profile.0.0.0"));
}

static void counters_have_folders_of_their_own(void **state)
{
    char time_rows[20000], *tail;
    size_t same = 0;

    use(&nesting, "outer", "test.Outer");
    if (portolan_probe_counter_sets_define("perf::PAGE-FAULTS perf::CONTEXT-SWITCHES", NULL) !=
        PORTOLAN_OK)
        skip(); /* built without PAPI, or the kernel refuses */
    portolan_control_refresh();
    assert_int_not_equal(portolan_probe_port_flags(&inner) & PORTOLAN_PROBE_COUNTERS, 0);
    proxy_work(&outer, 2);
    dump(6); /* of two threads */
    assert_false(exists("profile.0.0.0"));
    strcpy(time_rows, rows_of("MULTI__TIME/profile.0.0.0"));
    tail = time_rows;
    for (const char *line = rows_of("MULTI__perf__PAGE-FAULTS/profile.0.0.0"); *line; same++) {
        size_t name = strcspn(line + 1, "\"") + 2;

        assert_memory_equal(line, tail, name);
        line = strchr(line, '\n') + 1;
        tail = strchr(tail, '\n') + 1;
    }
    assert_true(same > 4 && !*tail);
    rows_of("MULTI__perf__CONTEXT-SWITCHES/profile.0.0.1");
    portolan_probe_counter_sets_define("", NULL);
    portolan_control_refresh();
    assert_int_equal(portolan_probe_port_flags(&inner) & PORTOLAN_PROBE_COUNTERS, 0);
}

static void a_folder_that_cannot_be_made_is_told(void **state)
{
    char path[200];

    use(&nesting, "outer", "test.Outer");
    proxy_work(&inner, 1);
    snprintf(path, sizeof path, "%s/none/here", folder);
    assert_int_equal(portolan_probe_write_tau(path, 0, NULL, &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "none/here"));
}

static void missing_memory_is_told_and_leaves_no_half_file(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    char before[20000];
    struct dirent *e;
    DIR *d;

    use(&nesting, "outer", "test.Outer");
    proxy_work(&outer, 1);
    dump(2);
    strcpy(before, rows_of("profile.0.0.0"));
    for (unsigned long n = 1; status == PORTOLAN_ENOMEM; n++) {
        portolan_alloc_fail_at(n);
        status = portolan_probe_write_tau(folder, 0, NULL, NULL);
        portolan_alloc_fail_at(0);
        assert_string_equal(rows_of("profile.0.0.0"), before);
    }
    assert_int_equal(status, PORTOLAN_OK);
    d = opendir(folder);
    while ((e = readdir(d)))
        assert_null(strstr(e->d_name, ".new"));
    closedir(d);
}

static void the_end_writes_what_was_not_written(void **state)
{
    use(&nesting, "outer", "test.Outer");
    proxy_work(&inner, 1);
    assert_int_equal(portolan_control_finish(&err), PORTOLAN_OK);
    assert_true(exists("profile.0.0.0"));
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_control_finish(&err), PORTOLAN_OK); /* empty, and so not written */
    assert_non_null(strstr(rows_of("profile.0.0.0"), "inner"));
}

static void the_node_is_the_rank(void **state)
{
    unsetenv("PMI_RANK");
    unsetenv("PMIX_RANK");
    setenv("PMI_RANK", "3", 1);
    setenv("PMI_SIZE", "5", 1);
    assert_int_equal(portolan_control_node(), 3);
    assert_int_equal(portolan_control_node_count(), 5);
    portolan_control_set_node(1, 2);
    assert_int_equal(portolan_control_node(), 1);
    assert_int_equal(portolan_control_node_count(), 2);
    portolan_control_set_node(0, 1);
    use(&nesting, "outer", "test.Outer");
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, leave)
        TEST(rows_are_exact),
        TEST(recursion_counts_inclusive_once),
        TEST(names_mean_nothing_else_to_readers),
        TEST(several_parameters_and_bins_have_names),
        TEST(a_call_that_is_running_counts),
        TEST(what_the_mastermind_has_is_its_callers),
        TEST(nothing_measured_writes_nothing),
        TEST(timers_phases_and_parameters_have_rows),
        TEST(events_stand_behind_the_rows),
        TEST(a_dump_has_its_name_and_the_rows_asked_for),
        TEST(a_stamped_dump_says_when),
        TEST(totals_are_sums_over_threads),
        TEST(each_thread_has_a_file),
        TEST(counters_have_folders_of_their_own),
        TEST(a_folder_that_cannot_be_made_is_told),
        TEST(missing_memory_is_told_and_leaves_no_half_file),
        TEST(the_end_writes_what_was_not_written),
        TEST(the_node_is_the_rank),
    };

    if (!mkdtemp(folder))
        return 99;
    setenv("PORTOLAN_PROFILE_DIR", folder, 1);
    return cmocka_run_group_tests_name("profiles", tests, NULL, remove_folder);
}
