/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests which paradigm a trace resembles, and which bindings are suggested. */
#include "programs.h"

static const double none[4];

static size_t suggest(const struct run *run, struct portolan_suggestion **s)
{
    struct portolan_error err = {0};
    size_t n;

    if (portolan_suggest_paradigms(knowledge, run->waits, s, &n, &err))
        fail_msg("%s", err.text);
    return n;
}

static void each_program_is_known_for_what_it_is(void **state)
{
    static const int ranks[] = {4, 8, 16};

    for (size_t i = 0; i < PROGRAMS; i++)
        for (size_t r = 0; r < 3; r++)
            for (size_t knob = 0; knob <= programs[i].n; knob++) {
                double amounts[4] = {0};
                struct portolan_suggestion *s;
                struct run run;
                size_t n;

                if (knob < programs[i].n)
                    amounts[knob] = 0.2;
                run_scenario(&run, programs[i].write, ranks[r], amounts, "1", 1);
                n = suggest(&run, &s);
                if (!n || strcmp(s->paradigm, programs[i].name))
                    fail_msg("%s on %d ranks with %s: %s of %zu", programs[i].name, ranks[r],
                             knob < programs[i].n ? programs[i].causes[knob] : "nothing",
                             n ? s->paradigm : "none", n);
                portolan_suggestions_free(s, n);
                run_end(&run);
            }
}

/* SCENARIO looks most like PARADIGM, of which it has N instances that cover LEAST of the time. */
static void expect_suggestion(const char *scenario, const char *paradigm, size_t n, double least)
{
    struct portolan_suggestion *s;
    struct run run;
    size_t n_found;

    run_trace(&run, scenario);
    n_found = suggest(&run, &s);
    assert_true(n_found > 0);
    assert_string_equal(s->paradigm, paradigm);
    assert_int_equal(s->n_instances, n);
    assert_true(s->time >= least);
    portolan_suggestions_free(s, n_found);
    run_end(&run);
}

/* The root's next send belongs to the next round, not to the one before. */
static void rounds_of_a_tree_are_told_apart(void **state)
{
    expect_suggestion(
        "ranks 4\nrepeat 5\n"
        "on 0\nsend 2\nsend 1\ncompute 10ms\nrecv 1\ncompute 1ms\nrecv 2\ncompute 2ms\n"
        "else\non 1\nrecv 0\ncompute 10ms\nsend 0\nend\n"
        "on 2\nrecv 0\nsend 3\ncompute 10ms\nrecv 3\ncompute 1ms\nsend 0\nend\n"
        "on 3\nrecv 2\ncompute 10ms\nsend 2\nend\nend\nend\n",
        "divide-and-conquer", 20, 0.9);
}

/* Messages sent for output before an iteration cost their own time, not the iteration. */
static void an_output_step_costs_no_iteration(void **state)
{
    expect_suggestion("ranks 4\nbcast 0 1000\nrepeat 5\nrepeat 10\n"
                      "irecv (rank - 1) % size as r\nirecv (rank + 1) % size as r\n"
                      "isend (rank + 1) % size 1000 as r\nisend (rank - 1) % size 1000 as r\n"
                      "waitall\ncompute 1ms + 300us * (rank == 1)\nend\n"
                      "on 0\nrecv 1 tag 7\nrecv 2 tag 7\nrecv 3 tag 7\ncompute 100us\n"
                      "else\nsend 0 tag 7 10000\nend\nend\n",
                      "geometric", 200, 0.95);
}

/* A long set-up in which values go around costs its own time, too. */
static void a_set_up_costs_no_iteration(void **state)
{
    expect_suggestion("ranks 4\ncompute 8ms\nallreduce\ncompute 1ms\nsend (rank + 1) % size 10\n"
                      "recv (rank - 1) % size\ncompute 3ms\nrepeat 30\n"
                      "irecv (rank - 1) % size as r\nirecv (rank + 1) % size as r\n"
                      "isend (rank + 1) % size 1000 as r\nisend (rank - 1) % size 1000 as r\n"
                      "waitall\ncompute 1ms\nallreduce\nend\ncompute 4ms\n",
                      "geometric", 120, 0.6);
}

/* Packing parts the shifts of a halo; work between two of them is none while messages travel. */
static void shifts_of_a_halo_are_exchanges(void **state)
{
    expect_suggestion("ranks 6\nrepeat 20\n"
                      "sendrecv (rank + 1) % size from (rank - 1) % size tag 1 1000\ncompute 20us\n"
                      "sendrecv (rank - 1) % size from (rank + 1) % size tag 2 1000\n"
                      "compute 1ms\nend\n",
                      "geometric", 240, 0.99);
}

/* Computing between a send and the next receive ends no sweep; nor does a rank of three columns
 * that receives from two sides as far apart as the one to which it sends. */
static void gaps_and_edges_end_no_sweep(void **state)
{
    expect_suggestion("ranks 4\nrepeat 4\nrepeat 20\non 1..3\nrecv rank - 1\nend\ncompute 1ms\n"
                      "on 0..2\nsend rank + 1 100\nend\ncompute 20us\nend\nallreduce\nend\n",
                      "pipeline", 16, 0.9);
    expect_suggestion("ranks 6\nrepeat 4\nrepeat 20\non 1, 2, 4, 5\nrecv rank - 1\nend\n"
                      "on 0..2\nrecv rank + 3\nend\ncompute 1ms\n"
                      "on 0, 1, 3, 4\nsend rank + 1 100\nend\non 3..5\nsend rank - 3 100\nend\n"
                      "end\nallreduce\nend\n",
                      "pipeline", 24, 0.9);
}

/* Ranks of a grid of 2 by 3 work between their two receives, before they wait for the sends of the
   block before, and between their two sends. */
static void a_block_has_parts_of_several_ranks(void **state)
{
    expect_suggestion("ranks 6\nrepeat 4\nrepeat 20\non 1, 2, 4, 5\nrecv rank - 1\nend\n"
                      "compute 60us\non 3..5\nrecv rank - 3\nend\nwaitall\ncompute 1ms\n"
                      "on 0, 1, 3, 4\nisend rank + 1 100 as r\nend\ncompute 40us\n"
                      "on 0..2\nisend rank + 3 100 as r\nend\nend\nwaitall\nallreduce\nend\n",
                      "pipeline", 24, 0.9);
}

/* Calls that take most of the time are a loss, whatever the paradigm. */
static void calls_that_take_time_are_reported(void **state)
{
    struct portolan_loss losses[PORTOLAN_LOSSES];
    struct run run;

    run_trace(&run, "ranks 4\nlatency 1us\nrepeat 500\non 1..3\nrecv rank - 1\nend\ncompute 200ns\n"
                    "on 0..2\nssend rank + 1 8\nend\nend\n");
    assert_int_equal(portolan_losses(run.waits, losses), 1);
    assert_string_equal(losses[0].text, "calls and messages take time");
    assert_true(losses[0].gain > 0.5);
    run_end(&run);
}

/* Who sends to whom is drawn anew each time. */
static void nothing_fits_random_communication(void **state)
{
    for (int seed = 1; seed <= 20; seed++) {
        struct portolan_text t = {0};
        struct portolan_suggestion *s;
        struct run run;
        size_t n;

        portolan_text_add(&t, "ranks 8\nseed %d\n", seed);
        srand((unsigned)seed);
        for (int i = 0; i < 200; i++) {
            int from = rand() % 8, to = (from + 1 + rand() % 7) % 8;

            portolan_text_add(
                &t,
                "on %d\ncompute 1ms\nsend %d tag %d 100\nelse\non %d\nrecv %d tag %d\nend\nend\n",
                from, to, i, to, from, i);
        }
        run_trace(&run, t.bytes);
        n = suggest(&run, &s);
        if (n)
            fail_msg("seed %d: %s covers %.2f of time, %.2f of calls", seed, s->paradigm, s->time,
                     s->calls);
        portolan_suggestions_free(s, n);
        run_end(&run);
        portolan_text_clear(&t);
    }
}

/* The value of ATTRIBUTE in TEXT, up to END; NULL: it is not there. */
static char *attribute_in(const char *text, const char *end, const char *attribute)
{
    char *wanted = portolan_asprintf(" %s=\"", attribute);
    const char *at = strstr(text, wanted);
    char *value = NULL;

    if (at && at < end) {
        at += strlen(wanted);
        value = strndup(at, strcspn(at, "\""));
    }
    free(wanted);
    return value;
}

/* The rows <part> of TEXT as bindings, whose texts the caller frees. */
static size_t read_parts(const struct paradigm *p, const char *text, struct portolan_part *parts,
                         struct binding *bindings)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, "<part")); n++) {
        const char *end = strchr(at, '>');
        char *name = attribute_in(at, end, "component"), *tag = attribute_in(at, end, "tag");
        char *to = attribute_in(at, end, "to");
        size_t component = 0;

        while (strcmp(p->components[component].item.name, name))
            component++;
        parts[n] = (struct portolan_part){.mpi = attribute_in(at, end, "mpi"),
                                          .tag = tag ? atoi(tag) : -1,
                                          .to = to ? atoi(to) : -1};
        bindings[n] = (struct binding){component, &parts[n]};
        free(name);
        free(tag);
        free(to);
        at = end;
    }
    return n;
}

static void bindings_found_lead_to_the_same_metrics(void **state)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        double amounts[4] = {0.2};
        struct portolan_suggestion *s;
        struct run run;
        struct measured *own;
        struct binding bindings[64];
        struct portolan_part parts[64];
        size_t n, n_bindings;

        run_scenario(&run, programs[i].write, 8, amounts, "1", 1);
        n = suggest(&run, &s);
        assert_true(n > 0);
        n_bindings =
            read_parts(knowledge_find(&knowledge->inner, s->paradigm), s->text, parts, bindings);
        assert_true(n_bindings > 0);
        run_as(&run, knowledge, programs[i].name, NULL, 0);
        own = run.metrics;
        run.metrics = NULL;
        run_as(&run, knowledge, programs[i].name, bindings, n_bindings);
        for (size_t m = 0; m < run.paradigm->n_metrics; m++)
            if (own[m].value != run.metrics[m].value && !isnan(own[m].value))
                fail_msg("%s of %s: %g by its own bindings, %g by\n%s",
                         run.paradigm->metrics[m].item.name, programs[i].name, own[m].value,
                         run.metrics[m].value, s->text);
        free(own);
        for (size_t b = 0; b < n_bindings; b++)
            free((char *)parts[b].mpi);
        portolan_suggestions_free(s, n);
        run_end(&run);
    }
}

static void a_suggestion_is_an_element_to_copy(void **state)
{
    struct portolan_suggestion *s;
    struct run run;
    size_t n;

    run_scenario(&run, programs[0].write, 4, none, "1", 1);
    n = suggest(&run, &s);
    assert_true(n > 0);
    assert_non_null(strstr(s->text, "<paradigm name=\"program\" is=\"master-worker\">\n"));
    assert_non_null(
        strstr(s->text, "<part component=\"fetch\" mpi=\"MPI_Recv\" tag=\"2\" to=\"0\"/>\n"));
    assert_non_null(strstr(s->text, "<part component=\"take\" mpi=\"MPI_Recv\" tag=\"1\"/>\n"));
    portolan_suggestions_free(s, n);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_program_is_known_for_what_it_is),
        cmocka_unit_test(rounds_of_a_tree_are_told_apart),
        cmocka_unit_test(an_output_step_costs_no_iteration),
        cmocka_unit_test(a_set_up_costs_no_iteration),
        cmocka_unit_test(shifts_of_a_halo_are_exchanges),
        cmocka_unit_test(gaps_and_edges_end_no_sweep),
        cmocka_unit_test(a_block_has_parts_of_several_ranks),
        cmocka_unit_test(calls_that_take_time_are_reported),
        cmocka_unit_test(nothing_fits_random_communication),
        cmocka_unit_test(bindings_found_lead_to_the_same_metrics),
        cmocka_unit_test(a_suggestion_is_an_element_to_copy),
    };

    return run_tests_with_knowledge(tests, sizeof tests / sizeof *tests);
}
