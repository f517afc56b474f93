/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <math.h>

/* As begin_plate() made it. */
static void expect_plate(const struct portolan_trial *t)
{
    assert_string_equal(t->assembly, "plate");
    assert_string_equal(t->purpose, "run");
    assert_string_equal(t->outcome, "finished");
    assert_string_equal(t->started, "2006-09-28T12:00:00Z");
    assert_int_equal(t->ranks, 2);
    assert_true(t->elapsed_ns == 12345.5);
    assert_int_equal(t->n_parameters, 2);
    assert_string_equal(t->parameters[0].name, "driver.n");
    assert_string_equal(t->parameters[0].value, "32");
    assert_string_equal(t->implementations[0].value, "heat.Cholmod");
    assert_string_equal(t->metadata[0].value, "brig");
}

static void what_is_stored_is_read_back_by_another_process_handle(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample_set *set;
    const struct portolan_sample *s;

    put_steps(store, trial, -1, 1);
    assert_int_equal(portolan_store_end_trial(store, trial, "finished", 12345.5, NULL), 0);
    portolan_store_close(store);

    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_trials, 1);
    expect_plate(&set->trials[0]);
    assert_int_equal(set->n_samples, 3 * STEP_SAMPLES);
    s = &set->samples[STEP_SAMPLES]; /* step 0 */
    assert_int_equal(s[0].step, 0);
    assert_true(s[0].inclusive_ns == 1000 && s[0].mpi_ns == 0 && isnan(s[0].quality));
    assert_int_equal(s[0].parent, -1);
    assert_int_equal(s[1].parent, STEP_SAMPLES);
    assert_int_equal(s[2].parent, STEP_SAMPLES);
    assert_int_equal(s[4].parent, STEP_SAMPLES + 3);
    assert_int_equal(s[4].rank, 1);
    assert_int_equal(s[1].calls, INT64_C(5000000000));
    assert_int_equal(s[1].n_context, 2);
    assert_string_equal(s[1].context_name[1], "bandwidth");
    assert_true(s[2].context[0] == 2048.5 && s[2].context[1] == 32 && s[2].binned);
    assert_true(s[1].mpi_ns == 25.5 && s[2].mpi_ns == 0 && s[1].quality == 1e-9);
    assert_true(s[1].min_ns == 100 && s[1].max_ns == 300 && s[1].sum_squares_ns2 == 9e4);
    assert_string_equal(s[1].user, "driver");
    assert_string_equal(s[1].port_type, "heat.LinearSolver");
    assert_ptr_equal(s[1].method, s[2].method); /* interned */
    assert_int_equal(s[0].n_counters, 0);
    assert_int_equal(s[1].n_counters, 2);
    assert_string_equal(s[1].counter_name[1], "PAPI_FP_OPS");
    assert_true(s[1].counter[0] == 12 && s[4].counter[1] == 3e15);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void expect_numbers(struct portolan_store *store, const struct portolan_store_query *query,
                           size_t n_trials, size_t n_samples)
{
    struct portolan_sample_set *set = read_or_fail(store, query);

    assert_int_equal(set->n_trials, n_trials);
    assert_int_equal(set->n_samples, n_samples);
    portolan_sample_set_destroy(set);
}

static void queries_restrict_trials(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_store_query query = {.assembly = "plate", .purpose = "run"};
    int64_t first = begin_plate(store), second = begin_plate(store);
    struct portolan_sample_set *set;

    put_steps(store, first, 0, 0);
    put_steps(store, second, 0, 1);
    expect_numbers(store, &query, 2, 3 * STEP_SAMPLES);

    query.newest_only = true;
    set = read_or_fail(store, &query);
    assert_int_equal(set->n_trials, 1);
    assert_int_equal(set->trials[0].id, second);
    portolan_sample_set_destroy(set);

    query = (struct portolan_store_query){.trial = first};
    expect_numbers(store, &query, 1, STEP_SAMPLES);

    query = (struct portolan_store_query){.outcome = "finished", .ranks = 2};
    expect_numbers(store, &query, 0, 0);

    assert_int_equal(portolan_store_read(store, NULL, false, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_trials, 2);
    assert_int_equal(set->n_samples, 0);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void a_repeated_step_holds_both_pieces(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample_set *set;

    put_steps(store, trial, 3, 3);
    put_steps(store, trial, 3, 3);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_samples, 2 * STEP_SAMPLES);
    /* Ranks are sorted, so rank 0's six rows of both pieces come first. */
    assert_int_equal(set->samples[3].rank, 0);
    assert_int_equal(set->samples[4].parent, 3);
    assert_int_equal(set->samples[9].parent, 8);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

/* Nothing of it is remembered, and some names are new: below known ones, and above others. */
static void names_of_another_handle_are_found(void **state)
{
    static const char *const methods[] = {"go", "solve", "dot", "norm"};
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample samples[4];
    int64_t trial = begin_plate(store);

    for (int n = 2; n <= 4; n += 2) {
        for (int i = 0; i < n; ++i)
            samples[i] = (struct portolan_sample){.parent = i - 1,
                                                  .thread = i,
                                                  .instance = "one",
                                                  .port = "in",
                                                  .method = methods[i],
                                                  .calls = 1,
                                                  .quality = NAN};
        assert_int_equal(portolan_store_put_step(store, trial, n, samples, (size_t)n, NULL),
                         PORTOLAN_OK);
        portolan_store_close(store);
        store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    }
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_callpath"), 4);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM thread"), 4);
    assert_int_equal(count_in(*state, "SELECT max(thread_index) FROM thread"), 3);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_callpath p JOIN timer_callpath q"
                                      " ON p.parent = q.id AND q.id < p.id"),
                     3);
    assert_int_equal(count_samples(*state), 2 + 4);
}

static void what_belongs_together_is_stored_together_or_not_at_all(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];

    assert_int_equal(portolan_store_begin(store, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_begin(store, NULL), PORTOLAN_EINVAL);
    put_steps(store, trial, 0, 1);
    assert_int_equal(count_samples(*state), 0); /* for others */
    assert_int_equal(portolan_store_commit(store, NULL), PORTOLAN_OK);
    assert_int_equal(count_samples(*state), 2 * STEP_SAMPLES);

    assert_int_equal(portolan_store_begin(store, NULL), PORTOLAN_OK);
    put_steps(store, trial, 2, 2);
    make_step(3, samples);
    samples[1].parent = 3;
    assert_int_equal(portolan_store_put_step(store, trial, 3, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_EINVAL);
    make_step(3, samples);
    assert_int_equal(portolan_store_put_step(store, trial, 3, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_EIO);
    assert_int_equal(portolan_store_commit(store, NULL), PORTOLAN_EINVAL);
    put_steps(store, trial, 4, 4); /* one of its own again */

    assert_int_equal(portolan_store_begin(store, NULL), PORTOLAN_OK);
    put_steps(store, trial, 5, 5);
    portolan_store_rollback(store);
    portolan_store_rollback(store);
    assert_int_equal(portolan_store_commit(store, NULL), PORTOLAN_EINVAL);
    assert_int_equal(count_samples(*state), 3 * STEP_SAMPLES);
    portolan_store_close(store);
}

static void metadata_of_the_same_name_gets_the_new_value(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    const struct portolan_name_value facts[] = {{"blas", "openblas"}, {"host", "caravel"}};
    int64_t trial = begin_plate(store);
    struct portolan_sample_set *set;

    assert_int_equal(portolan_store_put_metadata(store, trial, facts, 2, NULL), PORTOLAN_OK);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->trials[0].n_metadata, 2);
    assert_string_equal(set->trials[0].metadata[1].value, "caravel");
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void nothing_is_stored_for_a_trial_that_is_not_there(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    const struct portolan_name_value fact = {"a", "b"};
    const struct portolan_swap swap = {7, 0, "solver", "a", "b", "", "done"};
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_error err = {0};

    make_step(0, samples);
    assert_int_equal(portolan_store_put_step(store, 7, 0, samples, STEP_SAMPLES, &err),
                     PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "step 0 of trial 7 was not stored"));
    assert_int_equal(portolan_store_put_metadata(store, 7, &fact, 1, NULL), PORTOLAN_ENOTFOUND);
    assert_int_equal(portolan_store_end_trial(store, 7, "failed", 0, NULL), PORTOLAN_ENOTFOUND);
    assert_int_equal(portolan_store_put_swap(store, &swap, NULL), PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
}

static void a_step_with_a_bad_parent_is_refused_whole(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];

    make_step(0, samples);
    samples[4].parent = 4;
    assert_int_equal(portolan_store_put_step(store, trial, 0, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_EINVAL);
    samples[4].parent = 0; /* of another rank */
    assert_int_equal(portolan_store_put_step(store, trial, 0, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_EINVAL);
    expect_numbers(store, NULL, 1, 0);
    portolan_store_close(store);
}

static void the_newest_decision_for_a_case_is_found(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_decision d = {.assembly = "plate",
                                  .parameters = "driver.n=96 driver.steps=20",
                                  .host = "brig",
                                  .ranks = 2,
                                  .choice = "solver=heat.Cholmod",
                                  .predicted_ns = 3e9,
                                  .low_ns = 2.5e9,
                                  .high_ns = 3.5e9,
                                  .reason = "measured"};
    struct portolan_decision *found = NULL;
    int64_t id;

    assert_int_equal(portolan_store_put_decision(store, &d, &id, NULL), PORTOLAN_OK);
    d.choice = "solver=heat.BandedCholesky";
    d.decided = "2026-01-01T00:00:00Z";
    assert_int_equal(portolan_store_put_decision(store, &d, &id, NULL), PORTOLAN_OK);
    assert_int_equal(
        portolan_store_find_decision(store, "plate", d.parameters, "brig", 2, &found, NULL),
        PORTOLAN_OK);
    assert_non_null(found);
    assert_int_equal(found->id, id);
    assert_int_equal(found->trial, 0);
    assert_string_equal(found->choice, "solver=heat.BandedCholesky");
    assert_string_equal(found->decided, "2026-01-01T00:00:00Z");
    assert_true(found->low_ns == 2.5e9 && found->high_ns == 3.5e9);
    portolan_decision_destroy(found);
    assert_int_equal(
        portolan_store_find_decision(store, "plate", d.parameters, "brig", 4, &found, NULL),
        PORTOLAN_OK);
    assert_null(found);
    assert_int_equal(portolan_store_find_trial_decision(store, 77, &found, NULL), PORTOLAN_OK);
    assert_null(found);
    portolan_decision_destroy(NULL);
    portolan_store_close(store);
}

static void a_decision_of_a_run_keeps_its_alternatives_and_gets_an_outcome(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_reason r = {.trial = begin_plate(store),
                                .number = 1,
                                .step = 40,
                                .asked_by = "models",
                                .change = "solver heat.Band -> heat.Cholmod",
                                .choice = "solver=heat.Cholmod",
                                .binding = "accuracy",
                                .steps = 360,
                                .trials = 12,
                                .now_ns = NAN,
                                .step_ns = 2e6,
                                .chance = 0.75,
                                .text = "faster",
                                .outcome = "asked"};
    const struct portolan_alternative both[] = {{.instance = "solver",
                                                 .implementation = "heat.Umfpack",
                                                 .step_ns = NAN,
                                                 .forced_ns = NAN,
                                                 .binding = "accuracy",
                                                 .text = "1e-3 is worse"},
                                                {.instance = "solver",
                                                 .implementation = "heat.Cholmod",
                                                 .chosen = true,
                                                 .rows = 24,
                                                 .step_ns = 2e6,
                                                 .forced_ns = 7.2e8,
                                                 .binding = "",
                                                 .text = ""}};
    struct portolan_reason_set *set;

    assert_int_equal(portolan_store_put_reason(store, &r, both, 2, NULL), PORTOLAN_OK);
    r.outcome = "done";
    assert_int_equal(portolan_store_put_reason(store, &r, NULL, 0, NULL), PORTOLAN_OK);
    r.number = 2;
    r.outcome = "stays";
    assert_int_equal(portolan_store_put_reason(store, &r, NULL, 0, NULL), PORTOLAN_OK);
    r.outcome = "done";
    assert_int_equal(portolan_store_put_reason(store, &r, NULL, 0, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read_reasons(store, r.trial, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_reasons, 2);
    assert_string_equal(set->reasons[0].outcome, "done");
    assert_string_equal(set->reasons[1].outcome, "stays");
    assert_string_equal(set->reasons[0].change, "solver heat.Band -> heat.Cholmod");
    assert_int_equal(set->reasons[0].steps, 360);
    assert_true(isnan(set->reasons[0].now_ns) && set->reasons[0].chance == 0.75);
    assert_int_equal(set->n_alternatives, 2);
    assert_string_equal(set->alternatives[0].implementation, "heat.Cholmod");
    assert_true(set->alternatives[0].chosen && set->alternatives[0].forced_ns == 7.2e8);
    assert_string_equal(set->alternatives[1].binding, "accuracy");
    assert_true(isnan(set->alternatives[1].step_ns) && !set->alternatives[1].chosen);
    portolan_reason_set_destroy(set);
    r.trial = 77;
    assert_int_equal(portolan_store_put_reason(store, &r, NULL, 0, NULL), PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
}

static void a_diagnosis_replaces_the_one_of_its_number_and_goes_with_its_trial(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_stored_diagnosis d = {.trial = begin_plate(store),
                                          .number = 1,
                                          .first_step = -1,
                                          .last_step = -1,
                                          .paradigm = "amr{prt}",
                                          .verdict = "problem",
                                          .why = "",
                                          .run_ns = 6.1e9,
                                          .unexplained = 0.112};
    const struct portolan_stored_finding both[] = {{.cause = "inter-level",
                                                    .title = "inter-level contiguity",
                                                    .verdict = "problem",
                                                    .instance = "driver",
                                                    .port = "mesh",
                                                    .factor = "block order",
                                                    .remedy = "keep children with their parents",
                                                    .place = "ranks 1 and 3",
                                                    .share = 0.173,
                                                    .spread = 0.01,
                                                    .without_ns = 5.29e9,
                                                    .gain = 0.133,
                                                    .low = 0.126,
                                                    .high = 0.139},
                                                   {.cause = "intra-level",
                                                    .title = "intra-level contiguity",
                                                    .verdict = "no problem found",
                                                    .instance = "",
                                                    .port = "",
                                                    .factor = "block order",
                                                    .remedy = "",
                                                    .place = "",
                                                    .share = 0.01,
                                                    .spread = NAN,
                                                    .without_ns = NAN,
                                                    .gain = NAN}};
    struct portolan_diagnosis_set *set;

    assert_int_equal(portolan_store_put_diagnosis(store, &d, both, 2, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_diagnosis(store, &d, both, 2, NULL), PORTOLAN_OK);
    d.number = 2;
    d.verdict = "cannot tell";
    d.why = "messages are unmatched";
    d.first_step = 20;
    d.last_step = 39;
    assert_int_equal(portolan_store_put_diagnosis(store, &d, NULL, 0, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read_diagnoses(store, d.trial, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_diagnoses, 2);
    assert_string_equal(set->diagnoses[0].paradigm, "amr{prt}");
    assert_true(set->diagnoses[0].unexplained == 0.112 && set->diagnoses[0].first_step == -1);
    assert_string_equal(set->diagnoses[1].why, "messages are unmatched");
    assert_true(set->diagnoses[1].first_step == 20 && set->diagnoses[1].last_step == 39);
    assert_int_equal(set->n_findings, 2);
    assert_int_equal(set->findings[1].diagnosis, 1);
    assert_int_equal(set->findings[1].number, 2);
    assert_string_equal(set->findings[0].place, "ranks 1 and 3");
    assert_true(set->findings[0].high == 0.139 && isnan(set->findings[1].without_ns));
    portolan_diagnosis_set_destroy(set);
    assert_int_equal(portolan_store_delete_trial(store, d.trial, NULL), PORTOLAN_OK);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM finding"), 0);
    assert_int_equal(portolan_store_put_diagnosis(store, &d, both, 2, NULL), PORTOLAN_ENOTFOUND);
    portolan_store_close(store);
}

/* What the last step took is in its samples only: nobody was there to measure it. */
static void the_last_steps_time_is_that_of_its_samples(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_expectation e[] = {
        {.step = 0, .path = "", .cause = "", .expected_ns = 5, .measured_ns = NAN},
        {.step = 1, .path = "", .cause = "", .expected_ns = 6, .measured_ns = NAN}};
    struct portolan_reason_set *set;
    struct portolan_sample_set *samples;
    double of_rank[2] = {0};

    put_steps(store, trial, 0, 1);
    assert_int_equal(portolan_store_put_expectations(store, trial, e, 2, NULL), PORTOLAN_OK);
    e[0].cause = "drift";
    e[0].measured_ns = 7;
    assert_int_equal(portolan_store_put_expectations(store, trial, e, 1, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read_reasons(store, trial, &set, NULL), PORTOLAN_OK);
    samples = read_or_fail(store, NULL);
    for (size_t i = 0; i < samples->n_samples; i++)
        if (samples->samples[i].step == 1 && samples->samples[i].parent < 0)
            of_rank[samples->samples[i].rank] += samples->samples[i].inclusive_ns;
    assert_int_equal(set->n_expectations, 2);
    assert_string_equal(set->expectations[0].cause, "drift");
    assert_true(set->expectations[0].measured_ns == 7);
    assert_true(set->expectations[1].measured_ns == fmax(of_rank[0], of_rank[1]));
    assert_true(set->expectations[1].measured_ns > 0);
    portolan_sample_set_destroy(samples);
    portolan_reason_set_destroy(set);
    portolan_store_close(store);
}

static void a_model_replaces_the_one_of_the_same_names(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_stored_model m = {"plate", "solver",       "heat.Cholmod", "setup",
                                      "",      "exclusive_ns", "<model/>"};

    assert_int_equal(portolan_store_put_model(store, &m, NULL), PORTOLAN_OK);
    m.xml = "<model n='2'/>";
    assert_int_equal(portolan_store_put_model(store, &m, NULL), PORTOLAN_OK);
    m.scope = "assembler=heat.Band";
    assert_int_equal(portolan_store_put_model(store, &m, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM model"), 2);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM model WHERE xml LIKE '%2%'"), 2);
}

static void failed_calls_are_read_back(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_sample_set *set;
    int64_t trial = begin_plate(store);

    make_step(0, samples);
    samples[1].failed_calls = 3;
    samples[2].calls = samples[2].timed_calls = 0;
    samples[2].failed_calls = 1;
    assert_int_equal(portolan_store_put_step(store, trial, 0, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_OK);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_samples, STEP_SAMPLES);
    assert_int_equal(set->samples[0].failed_calls, 0);
    assert_int_equal(set->samples[1].failed_calls, 3);
    assert_int_equal(set->samples[2].failed_calls, 1);
    assert_int_equal(set->samples[2].calls, 0);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT sum(failed_calls) FROM callpath_summary"), 4);
}

static void a_lifted_veto_notes_the_newest_trial_and_moves_on(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample_set *set;

    begin_plate(store);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(portolan_store_lift_veto(store, "plate", "solver", "heat.Cholmod", NULL),
                         PORTOLAN_OK);
        begin_plate(store);
        begin_plate(store);
    }
    assert_int_equal(portolan_store_lift_veto(store, "plate", "solver", "heat.Band", NULL),
                     PORTOLAN_OK);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_lifted, 2);
    assert_string_equal(set->lifted[0].implementation, "heat.Band");
    assert_int_equal(set->lifted[0].trial, 5);
    assert_string_equal(set->lifted[1].assembly, "plate");
    assert_string_equal(set->lifted[1].instance, "solver");
    assert_string_equal(set->lifted[1].implementation, "heat.Cholmod");
    assert_int_equal(set->lifted[1].trial, 3);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void deleting_a_trial_takes_all_its_rows_along(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    const struct portolan_swap swap = {trial, 0, "solver", "a", "b", "faster", "done"};

    put_steps(store, trial, 0, 3);
    assert_int_equal(portolan_store_put_swap(store, &swap, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_call_data"), 4 * STEP_SAMPLES);
    execute_in(*state, "DELETE FROM trial");
    assert_int_equal(count_in(*state, "SELECT (SELECT count(*) FROM timer_call_data)"
                                      " + (SELECT count(*) FROM timer_value)"
                                      " + (SELECT count(*) FROM call_context)"
                                      " + (SELECT count(*) FROM timer_callpath)"
                                      " + (SELECT count(*) FROM component)"
                                      " + (SELECT count(*) FROM swap) + (SELECT count(*) FROM step)"
                                      " + (SELECT count(*) FROM thread)"),
                     0);
}

static void the_views_sum_over_ranks_what_the_samples_hold(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);

    put_steps(store, begin_plate(store), 0, 1);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM callpath_summary"), 2);
    /* Two steps; rank 0 has two contexts of 500 ns, rank 1 one. */
    assert_int_equal(
        count_in(*state, "SELECT max_inclusive FROM callpath_summary WHERE method = 'solve'"),
        2000);
    assert_int_equal(
        count_in(*state, "SELECT mean_inclusive FROM callpath_summary WHERE method = 'solve'"),
        1500);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_group"), 2);
}

static void a_store_in_memory_needs_no_file(void **state)
{
    struct portolan_store *store = open_or_fail(":memory:", PORTOLAN_STORE_WRITE);

    put_steps(store, begin_plate(store), 0, 0);
    expect_numbers(store, NULL, 1, STEP_SAMPLES);
    portolan_store_close(store);
}

static int64_t join(struct portolan_store *store, const char *job, int rank)
{
    const struct portolan_trial trial = {.assembly = "plate", .purpose = "run", .ranks = 2};
    int64_t id = 0;

    assert_int_equal(portolan_store_join_trial(store, &trial, job, rank, &id, NULL), PORTOLAN_OK);
    return id;
}

static void ranks_of_a_job_make_one_trial(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t first = join(store, "a", 1), other = join(store, "b", 0), next;
    struct portolan_sample_set *set;

    assert_int_equal(join(store, "a", 0), first);
    assert_int_not_equal(other, first);
    assert_int_equal(portolan_store_leave_trial(store, first, 0, "finished", 70, NULL), 0);
    next = join(store, "a", 0); /* which has left the first one */
    assert_int_not_equal(next, first);
    assert_int_equal(portolan_store_leave_trial(store, first, 1, "finished", 50, NULL), 0);
    assert_int_equal(portolan_store_leave_trial(store, other, 0, "failed", 1, NULL), 0);
    assert_int_equal(portolan_store_leave_trial(store, other, 1, "finished", 2, NULL), 0);
    assert_int_equal(portolan_store_leave_trial(store, 77, 1, "finished", 2, NULL),
                     PORTOLAN_ENOTFOUND);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_trials, 3);
    assert_string_equal(set->trials[0].outcome, "finished");
    assert_true(set->trials[0].elapsed_ns == 70 && set->trials[0].ranks == 2);
    assert_string_equal(set->trials[1].outcome, "failed");
    assert_string_equal(set->trials[2].outcome, "running");
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(what_is_stored_is_read_back_by_another_process_handle),
           IN_FOLDER(queries_restrict_trials), IN_FOLDER(a_repeated_step_holds_both_pieces),
           IN_FOLDER(names_of_another_handle_are_found),
           IN_FOLDER(what_belongs_together_is_stored_together_or_not_at_all),
           IN_FOLDER(metadata_of_the_same_name_gets_the_new_value),
           IN_FOLDER(nothing_is_stored_for_a_trial_that_is_not_there),
           IN_FOLDER(a_step_with_a_bad_parent_is_refused_whole),
           IN_FOLDER(the_newest_decision_for_a_case_is_found),
           IN_FOLDER(a_model_replaces_the_one_of_the_same_names),
           IN_FOLDER(failed_calls_are_read_back),
           IN_FOLDER(a_decision_of_a_run_keeps_its_alternatives_and_gets_an_outcome),
           IN_FOLDER(a_diagnosis_replaces_the_one_of_its_number_and_goes_with_its_trial),
           IN_FOLDER(the_last_steps_time_is_that_of_its_samples),
           IN_FOLDER(ranks_of_a_job_make_one_trial),
           IN_FOLDER(a_lifted_veto_notes_the_newest_trial_and_moves_on),
           IN_FOLDER(deleting_a_trial_takes_all_its_rows_along),
           IN_FOLDER(the_views_sum_over_ranks_what_the_samples_hold),
           cmocka_unit_test(a_store_in_memory_needs_no_file))
