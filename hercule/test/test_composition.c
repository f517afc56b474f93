/* SPDX-License-Identifier: BSD-3-Clause */
/* Compositions on scenarios with exact times: a nested and a woven delay is charged to where it was
 * caused. */
#include "traced_runs.h"

#include "../diagnosis.h"
#include "../vocabulary.h"
#include "woven_flow.h"

/*
 * Blocks of a tree on four ranks; a message takes 5 ms. In each step the even ranks fetch from
 * children on the odd ones to restrict, then the odd ones from siblings on the even ones to fill
 * guard cells. By hand: a step takes 10 + 5 + 5 = 20 ms, and on half of the ranks 10 ms of it are
 * spent waiting for children, on the other half for siblings. Were either at home, one half would
 * never wait, and the other only for its first message: 40 * 10 + 5 ms.
 */
static const char nested[] = "ranks 4\nlatency 5ms\nrepeat 40\n"
                             "phase guard_cells\n"
                             "phase restriction\nphase child\n"
                             "on rank % 2 == 1\nsend rank-1 tag 1 8\nelse\nrecv rank+1 tag 1\nend\n"
                             "end\nend\n"
                             "phase guard_data\nphase sibling\n"
                             "on rank % 2 == 1\nrecv rank-1 tag 2\nelse\nsend rank+1 tag 2 8\nend\n"
                             "end\nend\nend\n"
                             "phase solve\ncompute 10ms\nend\n"
                             "end\n";

static bool is_near(double a, double b)
{
    return fabs(a - b) < 0.015; /* the first step has no wait before it */
}

static void check_nested(const char *scenario, const struct portolan_part *parts, size_t n)
{
    struct run run;
    struct portolan_error err = {0};
    char *text;

    diagnose(&run, scenario, "amr{prt}", parts, n);
    assert_int_equal(portolan_diagnosis_text(run.diagnosis, NULL, 1, &text, &err), PORTOLAN_OK);
    if (run.diagnosis->n_findings != 2)
        fail_msg("%s", text);
    for (size_t i = 0; i < 2; i++) {
        const struct portolan_finding *f = &run.diagnosis->findings[i];

        assert_string_equal(f->cause, strstr(f->cause, "inter") ? "restriction.inter_level"
                                                                : "guard_data.intra_level");
        assert_true(is_near(f->share, 0.25) && is_near(f->without_ns / 1e9, 0.405));
    }
    assert_string_not_equal(run.diagnosis->findings[0].cause, run.diagnosis->findings[1].cause);
    assert_non_null(strstr(text, "  1 and 2 together"));
    assert_non_null(strstr(text, "of data between blocks in restriction"));
    assert_non_null(strstr(text, ": parent 0.0 %, sibling 0.0 %, child 100.0 %\n"));
    free(text);
    end(&run);
}

static void charges_a_nested_paradigm(void **state)
{
    check_nested(nested, NULL, 0);
}

/* The same program, whose phases are MPI_Pcontrol's: parts of operations in them, a call whose
   function returns before the phase ends, and the end of the last at MPI_Finalize. */
static void a_mark_binds_until_the_next(void **state)
{
    static const char marked[] = "ranks 4\nlatency 5ms\ninit\nrepeat 40\n"
                                 "mark 1\nmark 2\nphase begin\nmark 3\nend\n"
                                 "on rank % 2 == 1\nsend rank-1 tag 1 8\nelse\n"
                                 "recv rank+1 tag 1\nend\nmark 2\nmark 4\nmark 5\n"
                                 "on rank % 2 == 1\nrecv rank-1 tag 2\nelse\n"
                                 "send rank+1 tag 2 8\nend\nmark 6\ncompute 10ms\nend\n"
                                 "finalize\n";
    static const char *const components[] = {"guard_cells",           "restriction",
                                             "restriction.to_child",  "guard_data",
                                             "guard_data.to_sibling", "solve"};
    static const char *const marks[] = {"1", "2", "3", "4", "5", "6"};
    struct portolan_part parts[6];

    for (size_t i = 0; i < 6; i++)
        parts[i] = (struct portolan_part){
            .component = components[i], .phase = marks[i], .tag = -1, .to = -1, .file = "f"};
    check_nested(marked, parts, 6);
}

static void run_woven(struct run *run, int flow_ms, int grid_ms)
{
    char *scenario = woven_scenario(flow_ms * 1e6, 2, grid_ms * 1e6, 1);

    add_woven_paradigms(knowledge);
    diagnose(run, scenario, "both", NULL, 0);
    free(scenario);
}

static double metric_of(const struct run *run, const char *name)
{
    const struct diagnosis *d = (const struct diagnosis *)run->diagnosis;
    size_t at = paradigm_item(d->paradigm, "metric", name);

    assert_true(at != HERCULE_NONE);
    return d->metrics[at].of_run;
}

/*
 * By hand: the others wait 5 ms of 25 in the grid's reduction for the flow's work, 15 of 100 ms;
 * with 11.25 ms for all a step takes 21.25.
 */
static void charges_a_woven_delay_to_its_origin(void **state)
{
    struct portolan_error err = {0};
    struct run run;
    char *text;

    run_woven(&run, 5, 0);
    assert_true(fabs(metric_of(&run, "lost") - 0.15) < 0.001);
    assert_true(fabs(metric_of(&run, "grid.delegated") - 0.15) < 0.001);
    assert_true(metric_of(&run, "delegated") < 0.001);
    assert_true(metric_of(&run, "unequal") >= 0.95 * 0.15);
    assert_true(metric_of(&run, "grid.uneven") < 0.001);
    assert_int_equal(portolan_diagnosis_text(run.diagnosis, NULL, 1, &text, &err), PORTOLAN_OK);
    assert_non_null(strstr(
        text, "delay of another paradigm that shows in grid is 15.0 % of run time: a symptom"));
    free(text);
    assert_int_equal(run.diagnosis->n_findings, 1);
    assert_string_equal(run.diagnosis->findings[0].cause, "unequal");
    assert_true(fabs(run.diagnosis->findings[0].gain - 3.75 / 25) < 0.005);
    end(&run);
}

/*
 * Both at once: rank 2 comes after 25 ms, rank 1 after 23. Ranks 0 and 3 wait 5 ms and rank 1 waits
 * 2 ms, all for rank 2, which is late by its flow alone: against rank 1 by 5 ms, of which it makes
 * up for 3.
 */
static void composes_what_two_paradigms_lose(void **state)
{
    struct run run;

    run_woven(&run, 5, 3);
    assert_true(fabs(metric_of(&run, "lost") - 0.12) < 0.02);
    assert_true(fabs(metric_of(&run, "grid.delegated") - 0.12) < 0.02);
    assert_true(fabs(metric_of(&run, "unequal") - 0.12) < 0.02);
    end(&run);
}

/* Writes a pipeline, or a grid, with a tree of four ranks in each step: SLOW on one rank of
 * each. */
static char *with_a_tree(bool is_grid, int slow, int latency)
{
    static const char flow[] = "on rank > 0\nrecv rank-1 tag 1\nend\nphase own\n"
                               "compute 6ms * (1 + %d * (rank == 2))\nend\n"
                               "on rank < size-1\nsend rank+1 tag 1 8\nend\n",
                      grid[] = "phase own\ncompute 6ms * (1 + %d * (rank == 1))\nend\n"
                               "sendrecv (rank+1) %% size from (rank-1) %% size tag 2 8\n"
                               "sendrecv (rank-1) %% size from (rank+1) %% size tag 3 8\n";
    struct portolan_text t = {0};

    portolan_text_add(&t, "ranks 4\nlatency %dus\neager 1M\nrepeat 30\n", latency);
    portolan_text_add(&t, is_grid ? grid : flow, slow);
    portolan_text_add(&t,
                      "on 2, 1\nrecv 0 tag 4\nend\non 3\nrecv 2 tag 4\nend\n"
                      "on 0\nsend 2 tag 4 1000\nsend 1 tag 4 1000\nend\n"
                      "on 2\nsend 3 tag 4 1000\nend\n"
                      "phase solve\ncompute 5ms * (1 + %d * (rank == 2))\nend\n"
                      "on 2\nrecv 3 tag 5\nend\non 0\nrecv 1 tag 5\nrecv 2 tag 5\nend\n"
                      "on 1, 2\nsend 0 tag 5 1000\nend\non 3\nsend 2 tag 5 1000\nend\nend\n",
                      slow);
    return t.bytes;
}

/* The losses of both add up to no more than the run, and so do those of any part of it. */
static void woven_paradigms_lose_no_more_than_the_run(void **state)
{
    static const char *const woven[] = {
        "(deffacts p (paradigm (name pt) (is-a pipeline))\n"
        " (weave (paradigm divide-and-conquer) (as o) (expression \"(sweep | o.part)+\"))\n"
        " (event (name sweep) (expression \"(block, o.part)+\")))",
        "(deffacts g (paradigm (name gt) (is-a geometric))\n"
        " (weave (paradigm divide-and-conquer) (as o) (expression \"(iteration | o.part)+\")))"};
    const struct portolan_part parts[] = {
        {.component = "compute", .phase = "own", .tag = -1, .to = -1, .file = "f"},
        {.component = "o.solve", .phase = "solve", .tag = -1, .to = -1, .file = "f"}};
    struct portolan_diagnostics problems = {fail_problem, NULL, 0};

    for (int i = 0; i < 20; i++) {
        char *scenario = with_a_tree(i % 2, i / 4, i % 4 < 2 ? 0 : 500 * (i / 4));
        const struct diagnosis *d;
        struct run run;

        if (i < 2)
            assert_int_equal(
                portolan_knowledge_add(knowledge, woven[i], "w.clp", 1, &problems, NULL),
                PORTOLAN_OK);
        diagnose(&run, scenario, i % 2 ? "gt" : "pt", parts, 2);
        d = (const struct diagnosis *)run.diagnosis;
        for (size_t m = 0; m < d->paradigm->n_metrics; m++)
            if (d->paradigm->metrics[m].unit == UNIT_TIME && d->metrics[m].of_run > 1.0001)
                fail_msg("scenario %d: %s is %.0f %% of the run", i,
                         d->paradigm->metrics[m].item.name, 100 * d->metrics[m].of_run);
        end(&run);
        free(scenario);
    }
}

/* In each step one message stays on the rank and one goes to the other; by hand 2 of 4 are remote.
 */
static void counts_the_share_of_remote_messages(void **state)
{
    struct portolan_diagnostics d = {fail_problem, NULL, 0};
    struct portolan_error err = {0};
    struct run run;

    assert_int_equal(
        portolan_knowledge_add(
            knowledge,
            "(deffacts s (paradigm (name steps)) (component (name work) (kind computation))\n"
            " (component (name talk) (mpi send receive post wait))\n"
            " (event (name step) (expression \"work, talk+\"))\n"
            " (metric (name far) (unit ratio) (formula \"step.remote.mean\"))\n"
            " (node (name far) (kind cause) (metric far) (factor f)) (factor (name f) (remedy "
            "\"r\")))",
            "s.clp", 1, &d, &err),
        PORTOLAN_OK);
    diagnose(&run,
             "ranks 2\nrepeat 10\ncompute 1ms\nirecv rank as r\nirecv 1-rank as r\n"
             "isend rank 8 as r\nisend 1-rank 8 as r\nwaitall\nend\n",
             "steps", NULL, 0);
    assert_true(fabs(metric_of(&run, "far") - 0.5) < 1e-9);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_a_nested_paradigm),
        cmocka_unit_test(a_mark_binds_until_the_next),
        cmocka_unit_test(charges_a_woven_delay_to_its_origin),
        cmocka_unit_test(composes_what_two_paradigms_lose),
        cmocka_unit_test(woven_paradigms_lose_no_more_than_the_run),
        cmocka_unit_test(counts_the_share_of_remote_messages),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_knowledge_read(NULL, 0, NULL, &knowledge, &err))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    portolan_knowledge_destroy(knowledge);
    return failed;
}
