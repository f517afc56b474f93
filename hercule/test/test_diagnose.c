/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests recognition, inference and replay together, on scenarios with exact times. */
#include "traced_runs.h"

/* Four stages, 40 blocks; stage 2 takes SLOW, the others 10 ms. */
static char *stages(const char *slow)
{
    return portolan_asprintf("ranks 4\nrepeat 40\n"
                             "on rank > 0\nrecv rank-1 tag 1\nend\n"
                             "on 2\ncompute %s\nelse\ncompute 10ms\nend\n"
                             "on rank < size - 1\nsend rank+1 tag 1 1000\nend\n"
                             "end\n",
                             slow);
}

/*
 * By hand: the slow stage sets the pace, so the run takes 3 * 10 + 40 * 14 = 590 ms; each of the
 * other three stages loses 4 ms per block, 480 ms of 4 * 590. With 11 ms for all it would take (40
 * + 3) * 11 = 473 ms.
 */
static void names_a_slow_stage_and_what_it_costs(void **state)
{
    char *slow = stages("14ms"), *text;
    struct portolan_error err = {0};
    struct run run;
    const struct portolan_finding *first;

    diagnose(&run, slow, "pipeline", NULL, 0);
    assert_int_equal(run.diagnosis->verdict, PORTOLAN_PROBLEM);
    assert_true(fabs(run.diagnosis->run_ns - 590e6) < 1);
    first = &run.diagnosis->findings[0];
    assert_string_equal(first->cause, "slow-stage");
    assert_string_equal(first->where, "most on rank 2");
    assert_true(fabs(first->share - 480.0 / (4 * 590)) < 0.001);
    /* The first stretch of a rank lies before all of its events: the replay leaves it as it is, 1
     * ms. */
    assert_true(fabs(first->without_ns - 473e6) <= 1e6);
    assert_true(fabs(first->gain - (590.0 - 473) / 590) < 0.003);
    assert_int_equal(portolan_diagnosis_text(run.diagnosis, NULL, 1, &text, &err), PORTOLAN_OK);
    assert_non_null(
        strstr(text, "stages are idle is 25.4 % of run time: a symptom (threshold 2 %)\n"));
    assert_non_null(strstr(
        text, "  1 one stage is slower than the others                    20.3 %       473 ms"));
    assert_non_null(strstr(text, "remedy: give the slow stage less work"));
    free(text);
    end(&run);
    free(slow);
}

/* Fill and drain of (p - 1) blocks is all that 200 equal ones lose: under 2 %. */
static void finds_no_problem_in_a_healthy_run(void **state)
{
    static const char healthy[] =
        "ranks 4\nrepeat 200\non rank > 0\nrecv rank-1 tag 1\nend\ncompute 10ms\n"
        "on rank < size - 1\nsend rank+1 tag 1 1000\nend\nend\n";
    struct run run;

    diagnose(&run, healthy, "pipeline", NULL, 0);
    assert_int_equal(run.diagnosis->verdict, PORTOLAN_NO_PROBLEM);
    assert_int_equal(run.diagnosis->n_findings, 0);
    end(&run);
}

static void says_that_messages_are_unmatched(void **state)
{
    char *slow = stages("14ms");
    char *lost = portolan_asprintf("%son 0\nsend 1 tag 9 8\nend\n", slow), *text;
    struct portolan_error err = {0};
    struct run run;

    diagnose(&run, lost, "pipeline", NULL, 0);
    assert_int_equal(run.diagnosis->verdict, PORTOLAN_CANNOT_TELL);
    assert_string_equal(run.diagnosis->why, "messages are unmatched");
    assert_int_equal(portolan_diagnosis_text(run.diagnosis, NULL, 1, &text, &err), PORTOLAN_OK);
    assert_non_null(strstr(text, "cannot tell: stages are idle (messages are unmatched)"));
    free(text);
    end(&run);
    free(lost);
    free(slow);
}

/* Rank 0 has more work than the others in steps 5 to 14 of 20 only. */
static void names_ranks_and_steps(void **state)
{
    static const char round[] = "sendrecv (rank+1)%size from (rank-1)%size tag 1 8\n"
                                "sendrecv (rank-1)%size from (rank+1)%size tag 2 8\nend\nend\n";
    static const char step[] = "phase step\nrepeat 10\n";
    char *text =
        portolan_asprintf("ranks 4\nrepeat 5\n%scompute 10ms\n%send\n"
                          "repeat 10\n%son 0\ncompute 20ms\nelse\ncompute 10ms\nend\n%send\n"
                          "repeat 5\n%scompute 10ms\n%send\n",
                          step, round, step, round, step, round);
    struct run run;

    diagnose(&run, text, "geometric", NULL, 0);
    assert_true(run.diagnosis->n_findings > 0);
    assert_string_equal(run.diagnosis->findings[0].where, "most on rank 0, steps 5 to 14");
    end(&run);
    free(text);
}

static const struct portolan_finding *finding(const struct run *run, const char *cause)
{
    for (size_t i = 0; i < run->diagnosis->n_findings; i++)
        if (!strcmp(run->diagnosis->findings[i].cause, cause))
            return &run->diagnosis->findings[i];
    fail_msg("'%s' is not found", cause);
    return NULL;
}

/* Some of 16 ranks have 8 % more work: all of these are named, however little that is. */
static void names_all_ranks_that_explain_a_finding(void **state)
{
    static const char *const of[][2] = {{"rank == 3", "most on rank 3"},
                                        {"rank < 3 or rank == 9", "most on ranks 0-2,9"}};
    struct run run;

    for (size_t i = 0; i < 2; i++) {
        char *text = portolan_asprintf("ranks 16\nrepeat 40\ncompute 10ms + 800us * (%s)\n"
                                       "sendrecv (rank+1)%%size from (rank-1)%%size tag 1 8\n"
                                       "sendrecv (rank-1)%%size from (rank+1)%%size tag 2 8\n"
                                       "allreduce 8\nend\n",
                                       of[i][0]);

        diagnose(&run, text, "geometric", NULL, 0);
        assert_string_equal(finding(&run, "static-imbalance")->where, of[i][1]);
        end(&run);
        free(text);
    }
}

/* Ranks 4 and 5 have ten more messages for each other; all others wait for them in MPI_Allreduce.
 * Messages that are sent in no iteration, at the end, are not in the remedy's number: 8 * 2 + 2 *
 * 10 messages by 8 ranks. */
static void names_who_causes_and_not_who_waits(void **state)
{
    static const char text[] = "ranks 8\nlatency 100us\neager 1k\nrepeat 40\ncompute 5ms\n"
                               "irecv (rank-1)%size tag 1 as r\nirecv (rank+1)%size tag 2 as r\n"
                               "isend (rank+1)%size tag 1 2k as r\n"
                               "isend (rank-1)%size tag 2 2k as r\n"
                               "on 4, 5\nrepeat 10\nsendrecv 9-rank from 9-rank tag 3 2k\nend\n"
                               "end\nwaitall\nallreduce 8\nend\n"
                               "on 0\nrepeat 2000\nsend 1 tag 9 8\nend\nend\n"
                               "on 1\nrepeat 2000\nrecv 0 tag 9\nend\nend\n";
    struct run run;

    diagnose(&run, text, "geometric", NULL, 0);
    assert_string_equal(finding(&run, "global-operations")->where, "");
    assert_string_equal(finding(&run, "many-messages")->where, "most on ranks 4-5");
    assert_non_null(strstr(finding(&run, "many-messages")->remedy, "4.5 are sent"));
    end(&run);
}

/* The same run, of which it is known that others took the processors. */
static void blames_no_program_that_was_disturbed(void **state)
{
    const struct portolan_diagnosis_options options = {
        .disturbance = "other processes kept 1.0 of 2 cores busy"};
    struct portolan_diagnosis *diagnosis = NULL;
    struct portolan_error err = {0};
    char *slow = stages("14ms"), *text;
    struct run run;

    diagnose(&run, slow, "pipeline", NULL, 0);
    assert_int_equal(portolan_diagnosis_create(knowledge, "pipeline", run.waits, &options, NULL,
                                               &diagnosis, &err),
                     PORTOLAN_OK);
    assert_int_equal(diagnosis->verdict, PORTOLAN_NOT_THE_PROGRAM);
    assert_int_equal(diagnosis->n_findings, 0);
    assert_int_equal(portolan_diagnosis_text(diagnosis, NULL, 1, &text, &err), PORTOLAN_OK);
    assert_non_null(strstr(text, "\nnot the program: other processes kept 1.0 of 2 cores busy\n"));
    free(text);
    portolan_diagnosis_destroy(diagnosis);
    end(&run);
    free(slow);
}

static void reports_what_is_wrong_with_parts(void **state)
{
    static const struct {
        struct portolan_part part;
        const char *expected;
    } cases[] = {
        {{.component = "recieve", .mpi = "MPI_Recv", .tag = -1, .to = -1},
         "f.xml:7:3: paradigm 'pipeline' has no component 'recieve'; did you mean 'receive'?\n"},
        {{.component = "receive", .mpi = "MPI_Recv", .region = "nowhere", .tag = -1, .to = -1},
         "f.xml:7:3: nothing in the run matches this part, 'receive'\n"},
        {{.component = "receive", .mpi = "MPI_Mrecv", .tag = -1, .to = -1},
         "f.xml:7:3: nothing in the run matches this part, 'receive'\n"},
    };
    char *slow = stages("14ms");
    struct run run;

    diagnose(&run, slow, "pipeline", NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_part part = cases[i].part;
        const struct portolan_diagnosis_options options = {.parts = &part, .n_parts = 1};
        struct portolan_text problems = {0};
        struct portolan_diagnostics d = {collect_problem, &problems, 0};
        struct portolan_diagnosis *diagnosis;
        struct portolan_error err = {0};

        part.file = "f.xml";
        part.line = 7;
        part.column = 3;
        assert_int_equal(portolan_diagnosis_create(knowledge, "pipeline", run.waits, &options, &d,
                                                   &diagnosis, &err),
                         PORTOLAN_ESYNTAX);
        assert_string_equal(problems.bytes, cases[i].expected);
        portolan_text_clear(&problems);
    }
    end(&run);
    free(slow);
}

/* Work on blocks is a call of a port: the finding says whose. */
static void names_the_port_of_a_finding(void **state)
{
    static const char ports[] =
        "ranks 4\nrepeat 40\non rank > 0\nrecv rank-1 tag 1\nend\n"
        "port apply driver solver jacobi\non 2\ncompute 14ms\nelse\ncompute 10ms\nend\nend\n"
        "on rank < size - 1\nsend rank+1 tag 1 1000\nend\nend\n";
    const struct portolan_part parts[] = {
        {.component = "compute",
         .user = "driver",
         .uses = "solver",
         .tag = -1,
         .to = -1,
         .file = "f"},
        {.component = "receive", .mpi = "MPI_Recv", .tag = -1, .to = -1, .file = "f"},
        {.component = "send", .mpi = "MPI_Send", .tag = -1, .to = -1, .file = "f"},
    };
    struct run run;

    diagnose(&run, ports, "pipeline", parts, 3);
    assert_true(run.diagnosis->n_findings > 0);
    assert_string_equal(run.diagnosis->findings[0].cause, "slow-stage");
    assert_string_equal(run.diagnosis->findings[0].instance, "driver");
    assert_string_equal(run.diagnosis->findings[0].port, "solver");
    end(&run);
}

/* A rank without events, or no events at all, give no wrong number, and no praise. */
static void says_what_is_missing_in_the_trace(void **state)
{
    static const char *const whys[] = {"ranks are missing in the trace",
                                       "a part of the trace is missing"};

    for (int i = 0; i < 2; i++) {
        char *slow = stages("10ms");
        struct portolan_error err = {0};
        struct portolan_diagnostics d = {fail_problem, NULL, 0};
        struct run run;

        diagnose(&run, slow, "pipeline", NULL, 0);
        portolan_diagnosis_destroy(run.diagnosis);
        if (i)
            run.trace->locations[1].lost = 3;
        else
            run.trace->n_ranks = 5;
        assert_int_equal(portolan_diagnosis_create(knowledge, "pipeline", run.waits, NULL, &d,
                                                   &run.diagnosis, &err),
                         PORTOLAN_OK);
        assert_int_equal(run.diagnosis->verdict, PORTOLAN_CANNOT_TELL);
        assert_string_equal(run.diagnosis->why, whys[i]);
        end(&run);
        free(slow);
    }
}

/* Whichever allocation fails, there is no diagnosis that lacks something. With
   PORTOLAN_LONG_TESTS, each of them fails. */
static void reports_that_memory_is_out(void **state)
{
    static const struct portolan_part parts[] = {
        {.component = "receive", .mpi = "MPI_Recv", .tag = -1, .to = -1, .file = "f"}};
    const struct portolan_diagnosis_options options = {.parts = parts, .n_parts = 1};
    char *slow = stages("14ms"), *wanted, *text;
    enum portolan_status status = PORTOLAN_ENOMEM;
    bool is_long = getenv("PORTOLAN_LONG_TESTS") != NULL;
    unsigned long at = 1;
    struct run run;

    diagnose(&run, slow, "pipeline", parts, 1);
    assert_int_equal(portolan_diagnosis_text(run.diagnosis, NULL, 1, &wanted, NULL), PORTOLAN_OK);
    for (; status; at += is_long ? 1 : 1 + at / 50) {
        struct portolan_diagnosis *d;
        struct portolan_error err = {0};

        portolan_alloc_fail_at(at);
        status =
            portolan_diagnosis_create(knowledge, "pipeline", run.waits, &options, NULL, &d, &err);
        portolan_alloc_fail_at(0);
        /* The process of the rules knows only its own limit. */
        if (status && ((status != PORTOLAN_ENOMEM && !strstr(err.text, "--rule-memory")) || d))
            fail_msg("allocation %lu: %s", at, err.text);
        if (status)
            continue;
        assert_int_equal(portolan_diagnosis_text(d, NULL, 1, &text, &err), PORTOLAN_OK);
        if (strcmp(text, wanted))
            fail_msg("allocation %lu: %s", at, text);
        portolan_diagnosis_destroy(d);
        free(text);
    }
    assert_true(at > 200);
    free(wanted);
    end(&run);
    free(slow);
}

/* MPI_Init takes 50 ms, a message 10 ms: of 170 ms each of two ranks loses 20 ms to messages. */
static void counts_the_start_of_mpi_once(void **state)
{
    struct run run;

    read_run(&run, "ranks 2\nlatency 10ms\neager 1M\ninit\non 0\nsend 1 tag 3 8\ncompute 100ms\n"
                   "recv 1 tag 4\nelse\nrecv 0 tag 3\ncompute 100ms\nsend 0 tag 4 8\nend\n");
    for (size_t l = 0; l < run.trace->n_locations; l++) {
        struct portolan_trace_event *e = &run.trace->events[run.trace->locations[l].first];
        bool has_started = false;

        for (size_t i = 0; i < run.trace->locations[l].n; i++) {
            has_started |= e[i].kind == PORTOLAN_TRACE_END;
            e[i].ns += has_started ? 50000000 : 0;
        }
    }
    diagnose_run(&run, "divide-and-conquer", NULL, 0);
    assert_true(fabs(run.diagnosis->run_ns - 170e6) < 1);
    assert_int_equal(run.diagnosis->n_findings, 1);
    assert_string_equal(run.diagnosis->findings[0].cause, "too-deep");
    assert_true(fabs(run.diagnosis->findings[0].share - 20.0 / 170) < 0.001);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_a_slow_stage_and_what_it_costs),
        cmocka_unit_test(finds_no_problem_in_a_healthy_run),
        cmocka_unit_test(says_that_messages_are_unmatched),
        cmocka_unit_test(blames_no_program_that_was_disturbed),
        cmocka_unit_test(names_ranks_and_steps),
        cmocka_unit_test(names_all_ranks_that_explain_a_finding),
        cmocka_unit_test(names_who_causes_and_not_who_waits),
        cmocka_unit_test(reports_what_is_wrong_with_parts),
        cmocka_unit_test(names_the_port_of_a_finding),
        cmocka_unit_test(says_what_is_missing_in_the_trace),
        cmocka_unit_test(reports_that_memory_is_out),
        cmocka_unit_test(counts_the_start_of_mpi_once),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_knowledge_read(NULL, 0, NULL, &knowledge, &err))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    portolan_knowledge_destroy(knowledge);
    return failed;
}
