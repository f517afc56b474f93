/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the record of each kind of MPI call, event by event. Without a launcher the program starts
 * itself under one, `test_record SCENARIO FOLDER`, and reads what the ranks recorded.
 */
#include <unit_test.h>

#include "ranks.h"

#include <portolan/trace.h>

/* MPICH keeps memory of threads that have ended. */
PORTOLAN_API const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libmpich\n";
}

/* ------------------------------------------------- reading what was recorded */

static const char *self;
static char folder[64];
static struct portolan_trace *trace;
static char problems[2048];

static void note_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg, (void)file, (void)line, (void)column;
    snprintf(problems + strlen(problems), sizeof problems - strlen(problems), "%s\n", text);
}

static void read_from(const char *path)
{
    struct portolan_diagnostics diagnostics = {.report = note_problem};
    struct portolan_error err = {0};

    if (portolan_trace_read(path, &diagnostics, &trace, &err))
        fail_msg("%s", err.text);
}

static void read_trace(void)
{
    problems[0] = '\0';
    read_from(folder);
}

/* Returns the exit status of both ranks. */
static int run(const char *name)
{
    char command[4096];

    snprintf(command, sizeof command, "rm -rf '%s'; %s -n 2 '%s' %s '%s' 2>/dev/null", folder,
             MPIEXEC, self, name, folder);
    return system(command);
}

static int run_and_read(const char *name)
{
    int status = run(name);

    read_trace();
    return status;
}

static int forget_trace(void **state)
{
    char command[128];

    portolan_trace_destroy(trace);
    trace = NULL;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const struct portolan_trace_location *location_of(int of)
{
    for (size_t i = 0; i < trace->n_locations; i++)
        if (trace->locations[i].rank == of)
            return &trace->locations[i];
    return NULL;
}

/* Returns the events of a rank between the marks, a line each, without place and time. */
static char *events_of(int of, const char *first, const char *last)
{
    const struct portolan_trace_location *l = location_of(of);
    struct portolan_text lines = {0}, line = {0};
    bool is_between = !first;

    for (size_t i = l->first; i < l->first + l->n; i++) {
        const char *what;

        portolan_text_clear(&line);
        line = (struct portolan_text){0};
        portolan_trace_print_event(trace, l, &trace->events[i], &line);
        what = strchr(strchr(line.bytes, ' ') + 1, ' ') + 1;
        if (last && !strcmp(what, last))
            break;
        if (is_between)
            portolan_text_add(&lines, "%s", what);
        is_between |= first && !strcmp(what, first);
    }
    portolan_text_clear(&line);
    return lines.bytes ? lines.bytes : strdup("");
}

static void assert_events(int of, const char *expected)
{
    char *got = events_of(of, "MARK level=2\n", "MARK level=1\n");

    assert_string_equal(got, expected);
    free(got);
}

/* -- the tests -- */

#define CALL(routine, events) "BEGIN MPI_" routine "\n" events "END MPI_" routine "\n"

static void blocking_calls(void **state)
{
    assert_int_equal(run_and_read("blocking"), 0);
    assert_string_equal(problems, "");
    assert_events(0,
                  CALL("Send", "SEND to=1 tag=7 bytes=4 comm=0\n")
                      CALL("Ssend", "SEND to=1 tag=8 bytes=8 comm=0\n")
                          CALL("Sendrecv", "SEND to=1 tag=1 bytes=4 comm=0\n"
                                           "RECV from=1 tag=1 bytes=4 comm=0\n") CALL("Send", ""));
    assert_events(1,
                  CALL("Recv", "RECV from=0 tag=7 bytes=4 comm=0\n")
                      CALL("Recv", "RECV from=0 tag=8 bytes=8 comm=0\n")
                          CALL("Sendrecv", "SEND to=0 tag=1 bytes=4 comm=0\n"
                                           "RECV from=0 tag=1 bytes=4 comm=0\n") CALL("Send", ""));
}

static void init_and_finalize(void **state)
{
    char *before, *after;

    run_and_read("blocking");
    before = events_of(0, NULL, "MARK level=2\n");
    after = events_of(0, "MARK level=1\n", NULL);
    assert_string_equal(before, CALL("Init_thread", ""));
    assert_string_equal(after, CALL("Finalize", ""));
    free(before);
    free(after);
    assert_int_equal(trace->n_ranks, 2);
    assert_int_equal(trace->n_locations, 2);
    for (int i = 0; i < 2; i++) {
        assert_false(trace->locations[i].is_cut);
        assert_int_equal(trace->locations[i].lost, 0);
    }
}

static void nonblocking_calls(void **state)
{
    run_and_read("nonblocking");
    assert_events(0, CALL("Irecv", "RECV_POST from=any tag=3 comm=0 request=1\n")
                         CALL("Isend", "SEND to=1 tag=3 bytes=4 comm=0 request=2\n")
                             CALL("Waitall", "RECV from=1 tag=3 bytes=4 comm=0 request=1\n"
                                             "SEND_DONE request=2\n")
                                 CALL("Irecv", "RECV_POST from=1 tag=99 comm=0 request=1\n")
                                     CALL("Cancel", "") CALL("Wait", "CANCELLED request=1\n")
                                         CALL("Test", ""));
}

static void probed_messages(void **state)
{
    run_and_read("probed");
    assert_events(1,
                  CALL("Probe", "") CALL("Recv", "RECV from=0 tag=1 bytes=4 comm=0\n")
                      CALL("Mprobe", "RECV_POST from=0 tag=2 comm=0 request=1\n")
                          CALL("Mrecv", "RECV from=0 tag=2 bytes=4 comm=0 request=1\n")
                              CALL("Mprobe", "RECV_POST from=0 tag=3 comm=0 request=1\n")
                                  CALL("Imrecv", "")
                                      CALL("Wait", "RECV from=0 tag=3 bytes=4 comm=0 request=1\n"));
}

static void persistent_requests(void **state)
{
    static const char *const both = "SEND to=1 tag=5 bytes=4 comm=0 request=1\n"
                                    "RECV_POST from=1 tag=5 comm=0 request=2\n";
    char *got;

    run_and_read("persistent");
    got = events_of(0, "MARK level=2\n", "MARK level=1\n");
    assert_non_null(strstr(got, both));
    free(got);
    assert_events(0, CALL("Send_init", "") CALL("Recv_init", "")
                         CALL("Startall", "SEND to=1 tag=5 bytes=4 comm=0 request=1\n"
                                          "RECV_POST from=1 tag=5 comm=0 request=2\n")
                             CALL("Waitall", "SEND_DONE request=1\n"
                                             "RECV from=1 tag=5 bytes=4 comm=0 request=2\n")
                                 CALL("Start", "SEND to=1 tag=5 bytes=4 comm=0 request=1\n") CALL(
                                     "Start", "RECV_POST from=1 tag=5 comm=0 request=2\n")
                                     CALL("Waitall", "SEND_DONE request=1\n"
                                                     "RECV from=1 tag=5 bytes=4 comm=0 request=2\n")
                                         CALL("Request_free", "") CALL("Request_free", ""));
}

static void collective_calls(void **state)
{
    static const char *const expected = CALL("Barrier", "COLLECTIVE bytes=0 comm=0\n")
        CALL("Bcast", "COLLECTIVE root=1 bytes=8 comm=0\n")
            CALL("Reduce", "COLLECTIVE root=0 bytes=8 comm=0\n")
                CALL("Allgather", "COLLECTIVE bytes=8 comm=0\n")
                    CALL("Ibarrier", "COLLECTIVE bytes=0 comm=0 request=1\n")
                        CALL("Wait", "COLLECTIVE_DONE request=1\n")
                            CALL("Iallreduce", "COLLECTIVE bytes=8 comm=0 request=1\n")
                                CALL("Wait", "COLLECTIVE_DONE request=1\n");

    run_and_read("collective");
    assert_events(0, expected);
    assert_events(1, expected);
}

/* The ordinals of communicators are the trace's, in the order of their use. */
static void communicators_have_one_number(void **state)
{
    char *events[2];
    struct portolan_text tables = {0};

    run_and_read("communicators");
    assert_string_equal(problems, "");
    for (int i = 0; i < 2; i++)
        events[i] = events_of(i, "MARK level=2\n", "MARK level=1\n");
    /* World, and what do_communicators() makes: 11, of which `single` is one on each rank. */
    assert_int_equal(trace->n_comms, 13);
    portolan_trace_print_tables(trace, &tables);
    assert_non_null(strstr(tables.bytes, " ranks 1,0\n"));
    assert_non_null(strstr(tables.bytes, " ranks 0 with 1\n"));
    assert_non_null(strstr(tables.bytes, "; 0 has neighbours 1; 1 has neighbours 0\n"));
    assert_non_null(strstr(events[0], "SEND to=1 tag=6 bytes=1"));
    assert_non_null(strstr(events[1], "RECV from=0 tag=6 bytes=1"));
    portolan_text_clear(&tables);
    for (int i = 0; i < 2; i++)
        free(events[i]);
}

/* On each communicator both ranks do the same collectives in the same order. */
static void collectives_agree_by_communicator(void **state)
{
    run_and_read("communicators");
    for (size_t c = 0; c < trace->n_comms; c++) {
        int count[2] = {0, 0};

        for (int of = 0; of < 2; of++)
            for (size_t i = location_of(of)->first, end = i + location_of(of)->n; i < end; i++)
                count[of] += trace->events[i].kind == PORTOLAN_TRACE_COLLECTIVE &&
                             trace->events[i].what == c;
        if (trace->comms[c].n_members == 2 || trace->comms[c].n_remote) {
            assert_int_equal(count[0], count[1]);
            assert_true(count[0] > 0);
        } else {
            assert_int_equal(count[0] + count[1], 2); /* a barrier and its end, or Intercomm_… */
        }
    }
}

static void one_sided_calls(void **state)
{
    static const char *const fences =
        CALL("Win_create", "EPOCH window=0\n") CALL("Win_fence", "EPOCH window=0\n");

    run_and_read("windows");
    for (int i = 0; i < 2; i++) {
        char *got = events_of(i, "MARK level=2\n", "MARK level=1\n");

        assert_memory_equal(got, fences, strlen(fences));
        assert_non_null(strstr(got, CALL("Win_free", "EPOCH window=0\n")));
        assert_non_null(
            strstr(got, i == 0 ? CALL("Win_start", "ACCESS rank=1 window=0\nEPOCH window=0\n")
                                     CALL("Put", "TRANSFER to=1 bytes=4 window=0\n")
                                         CALL("Win_complete", "EPOCH window=0\n")
                               : CALL("Win_post", "ACCESS rank=0 window=0\nEPOCH window=0\n")
                                     CALL("Win_wait", "EPOCH window=0\n")));
        free(got);
    }
    assert_int_equal(trace->n_windows, 1);
    assert_int_equal(trace->windows[0].n_members, 2);
}

static void window_of_steps(void **state)
{
    char *got;

    run_and_read("steps");
    assert_string_equal(problems, "nothing is known of 1 of 2 ranks, among them rank 0\n");
    got = events_of(1, NULL, NULL);
    assert_string_equal(got, "ENTER outer\nENTER step\nENTER inner\nVALUE size=0.5\nLEAVE inner\n"
                             "LEAVE step\nLEAVE outer\nGAP lost=0\nENTER outer\nENTER step\n"
                             "ENTER inner\nVALUE size=1.5\nLEAVE inner\nLEAVE step\nLEAVE outer\n");
    free(got);
}

static void processor_times_of_all_calls(void **state)
{
    size_t n_cpu = 0, n_calls = 0;
    const struct portolan_trace_location *l;

    run_and_read("processors");
    l = location_of(0);
    for (size_t i = l->first; i < l->first + l->n; i++) {
        n_cpu += trace->events[i].kind == PORTOLAN_TRACE_CPU;
        n_calls += trace->events[i].kind == PORTOLAN_TRACE_BEGIN;
    }
    assert_int_equal(n_calls, 6);
    assert_int_equal(n_cpu, 2 * n_calls);
}

static size_t count_kind(int of, unsigned kind)
{
    const struct portolan_trace_location *l = location_of(of);
    size_t n = 0;

    for (size_t i = l->first; i < l->first + l->n; i++)
        n += trace->events[i].kind == kind;
    return n;
}

static void long_streams(void **state)
{
    struct stat info;
    char path[128];

    assert_int_equal(run_and_read("many"), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(count_kind(i, PORTOLAN_TRACE_SEND), 10000);
        assert_int_equal(count_kind(i, PORTOLAN_TRACE_RECV), 10000);
        assert_int_equal(count_kind(i, PORTOLAN_TRACE_GAP), 0);
        assert_false(location_of(i)->is_cut);
        /* A call of one message takes at most 20 bytes, so one of two less than 30. */
        snprintf(path, sizeof path, "%s/%d.0.trace", folder, i);
        assert_int_equal(stat(path, &info), 0);
        assert_true(info.st_size > 65536 && info.st_size < 10000 * 30 + 65536);
    }
}

/* The limit leaves room for one block. */
static void full_disk(void **state)
{
    assert_int_equal(run_and_read("full"), 0); /* the program itself is not disturbed */
    for (int i = 0; i < 2; i++) {
        const struct portolan_trace_location *l = location_of(i);
        size_t known = count_kind(i, PORTOLAN_TRACE_BEGIN) + count_kind(i, PORTOLAN_TRACE_END);

        assert_true(l->lost > 10000);
        assert_true(known > 1000);
    }
}

static void threads_have_files_of_their_own(void **state)
{
    size_t count[PORTOLAN_TRACE_KINDS] = {0};

    assert_int_equal(run_and_read("threads"), 0);
    assert_true(trace->has_threads);
    assert_int_equal(trace->n_locations, 2 * 5);
    for (size_t i = 0; i < trace->n_events; i++)
        count[trace->events[i].kind]++;
    assert_int_equal(count[PORTOLAN_TRACE_SEND], 2 * 4 * 200);
    assert_int_equal(count[PORTOLAN_TRACE_SEND_DONE], 2 * 4 * 200);
    assert_int_equal(count[PORTOLAN_TRACE_RECV], 2 * 4 * 200);
}

static void children_leave_files_alone(void **state)
{
    size_t sends = 0;

    assert_int_equal(run_and_read("fork"), 0);
    assert_string_equal(problems, "");
    assert_int_equal(trace->n_locations, 2 * 2);
    for (size_t i = 0; i < trace->n_events; i++)
        sends += trace->events[i].kind == PORTOLAN_TRACE_SEND;
    assert_int_equal(sends, 2 * 10000);
}

static void killed_ranks(void **state)
{
    assert_int_not_equal(run_and_read("kill"), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(count_kind(i, PORTOLAN_TRACE_SEND), 10000);
        assert_int_equal(count_kind(i, PORTOLAN_TRACE_COLLECTIVE), 1);
        assert_true(location_of(i)->is_cut);
    }
}

/* Writes what was read, and reads it again. */
static void streams_written_and_read_again(void **state)
{
    char copy[80];
    struct portolan_trace *again = NULL;
    struct portolan_error err = {0};

    run_and_read("communicators");
    snprintf(copy, sizeof copy, "%s/copy", folder);
    assert_int_equal(portolan_trace_write(trace, copy, &err), PORTOLAN_OK);
    assert_int_equal(portolan_trace_write(trace, copy, &err), PORTOLAN_EIO);
    assert_int_equal(portolan_trace_read(copy, NULL, &again, &err), PORTOLAN_OK);
    assert_int_equal(again->n_events, trace->n_events);
    assert_memory_equal(again->events, trace->events, trace->n_events * sizeof *trace->events);
    assert_int_equal(again->n_comms, trace->n_comms);
    for (size_t i = 0; i < trace->n_comms; i++) {
        assert_int_equal(again->comms[i].id, trace->comms[i].id);
        assert_int_equal(again->comms[i].n_remote, trace->comms[i].n_remote);
        assert_int_equal(!again->comms[i].neighbours, !trace->comms[i].neighbours);
    }
    portolan_trace_destroy(again);
}

/* Nests more regions than any fixed number; then recording is switched off and on inside. */
static void deep_regions_go_on_after_a_gap(void **state)
{
    size_t n = 0;
    char *got;

    assert_int_equal(run_and_read("deep"), 0);
    assert_string_equal(problems, "");
    assert_false(location_of(0)->is_cut);
    assert_int_equal(count_kind(0, PORTOLAN_TRACE_ENTER), 2 * DEEP_REGIONS);
    assert_int_equal(count_kind(0, PORTOLAN_TRACE_LEAVE), 2 * DEEP_REGIONS);
    got = events_of(0, "GAP lost=0\n", NULL);
    for (const char *at = got; (at = strstr(at, "ENTER deep\n")); at++)
        n++;
    assert_int_equal(n, DEEP_REGIONS);
    free(got);
}

static void windows_begin_anew(void **state)
{
    char path[128];

    assert_int_equal(run("anew"), 0);
    for (int i = 0; i < 2; i++) {
        char expected[128], *got;

        snprintf(path, sizeof path, "%s/%s", folder, i ? "second" : "first");
        problems[0] = '\0';
        read_from(path);
        assert_string_equal(problems, "");
        snprintf(expected, sizeof expected, CALL("Allreduce", "COLLECTIVE bytes=%d comm=0\n"),
                 4 + 4 * i);
        for (int of = 0; of < 2; of++) {
            assert_false(location_of(of)->is_cut);
            got = events_of(of, NULL, NULL);
            assert_string_equal(got, expected);
            free(got);
        }
        portolan_trace_destroy(trace);
        trace = NULL;
    }
}

static void wrong_windows(void **state)
{
    static const char *const wrong[] = {"rank=1",    "ranks=", "ranks=3-1",       "steps=a",
                                        "cpu=often", "steps",  "@/nowhere/at/all"};
    struct portolan_error err = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_not_equal(portolan_record_window(wrong[i], &err), PORTOLAN_OK);
    assert_int_equal(portolan_record_window("rank=1", &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "did you mean 'ranks'?"));
    assert_int_equal(portolan_record_window("ranks=0-3,7  steps=1\tregions=a,b", &err),
                     PORTOLAN_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(blocking_calls, forget_trace),
        cmocka_unit_test_teardown(init_and_finalize, forget_trace),
        cmocka_unit_test_teardown(nonblocking_calls, forget_trace),
        cmocka_unit_test_teardown(probed_messages, forget_trace),
        cmocka_unit_test_teardown(persistent_requests, forget_trace),
        cmocka_unit_test_teardown(collective_calls, forget_trace),
        cmocka_unit_test_teardown(communicators_have_one_number, forget_trace),
        cmocka_unit_test_teardown(collectives_agree_by_communicator, forget_trace),
        cmocka_unit_test_teardown(one_sided_calls, forget_trace),
        cmocka_unit_test_teardown(window_of_steps, forget_trace),
        cmocka_unit_test_teardown(processor_times_of_all_calls, forget_trace),
        cmocka_unit_test_teardown(long_streams, forget_trace),
        cmocka_unit_test_teardown(full_disk, forget_trace),
        cmocka_unit_test_teardown(threads_have_files_of_their_own, forget_trace),
        cmocka_unit_test_teardown(children_leave_files_alone, forget_trace),
        cmocka_unit_test_teardown(killed_ranks, forget_trace),
        cmocka_unit_test_teardown(streams_written_and_read_again, forget_trace),
        cmocka_unit_test_teardown(deep_regions_go_on_after_a_gap, forget_trace),
        cmocka_unit_test_teardown(windows_begin_anew, forget_trace),
        cmocka_unit_test(wrong_windows),
    };

    if (argc == 3)
        return be_a_rank(argv[1], argv[2]);
    self = argv[0];
    snprintf(folder, sizeof folder, "/tmp/portolan-record-%d", (int)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
