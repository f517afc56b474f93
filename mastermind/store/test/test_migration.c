/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores of schema versions 1, made with its own schema, 2, 3 and 4 become those of today. */
#include "fixture.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema_1[] = {
#include "schema_1.inc"
    0};

/*
 * Trial 3 has two steps of two ranks, interleaved as nobody writes them; trials 1 and 2 are gone,
 * and trial 5, the latest, too. Contexts, counters and MPI time on some rows.
 */
static const char content_1[] =
    "PRAGMA application_id = 1349481076; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;"
    "INSERT INTO trial VALUES (5, 'gone', 'run', 1, 'x', 'finished', 1); DELETE FROM trial;"
    "INSERT INTO trial VALUES (3, 'plate', 'run', 2, '2006-09-28T12:00:00Z', 'finished', 123.5);"
    "INSERT INTO trial_parameter VALUES (3, 'driver.n', '32');"
    "INSERT INTO trial_implementation VALUES (3, 'solver', 'heat.Cholmod');"
    "INSERT INTO primary_metadata VALUES (3, 'host', 'brig');"
    "INSERT INTO thread (id, trial, node_rank, thread_rank, thread_index)"
    " VALUES (7, 3, 0, 0, 0), (8, 3, 1, 0, 1);"
    "INSERT INTO metric (id, trial, name, unit) VALUES (1, 3, 'TIME', 'ns'),"
    " (2, 3, 'MPI TIME', 'ns'), (3, 3, 'PAPI_FP_OPS', 'events'), (4, 3, 'PAPI_TOT_INS', 'events');"
    "INSERT INTO component VALUES (1, 3, 'driver', 'heat.Driver'), (2, 3, 'solver', "
    "'heat.Cholmod');"
    "INSERT INTO port VALUES (1, 1, 'go', 'GoPort'), (2, 2, 'solver', 'heat.LinearSolver');"
    "INSERT INTO timer VALUES (1, 3, 'driver.go.go', 'go', 1), (2, 3, 'solver.solve', 'solve', 2);"
    "INSERT INTO timer_callpath VALUES (1, 1, NULL, '', ''), (2, 2, 1, 'driver', 'solver');"
    "INSERT INTO step VALUES (11, 3, 0), (12, 3, 1);"
    "INSERT INTO timer_call_data VALUES"
    " (20, 11, 7, 1, NULL, 1, 1, 0, NULL), (21, 11, 8, 1, NULL, 1, 1, 0, NULL),"
    " (22, 11, 7, 2, 20, 10, 0, 1, 1e-9), (23, 11, 8, 2, 21, 20, 0, 0, NULL),"
    " (30, 12, 7, 1, NULL, 1, 1, 0, NULL), (31, 12, 7, 2, 30, 30, 0, 0, NULL);"
    "INSERT INTO call_context VALUES (22, 0, 'n', 32), (22, 1, 'bandwidth', 2.5), (23, 0, 'n', 64),"
    " (31, 0, 'n', 96), (31, 1, 'bandwidth', 4);"
    "INSERT INTO timer_value SELECT id, 1, 1000 + id, 500 + id, id, 2 * id, 3 * id"
    " FROM timer_call_data;"
    "INSERT INTO timer_value (call_data, metric, exclusive) VALUES (23, 2, 77);"
    "INSERT INTO timer_value (call_data, metric, inclusive) VALUES (22, 3, 1e15), (22, 4, 12),"
    " (31, 4, 13);"
    "INSERT INTO model VALUES (1, 'plate', 'solver', 'heat.Cholmod', 'solve', '', 'calls', '<m/>', "
    "'x');"
    "INSERT INTO decision VALUES (9, 3, 'plate', 'driver.n=32', 'brig', 2, 'solver=heat.Cholmod',"
    " 1, 2, 3, 'measured', 'x');"
    "INSERT INTO swap VALUES (1, 3, 1, 'solver', 'a', 'b', 'faster', 'done');"
    "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine');";

static void execute(const char *path, const char *statements)
{
    char *message = NULL;
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, statements, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(db);
}

static void make_old(const char *path)
{
    execute(path, schema_1);
    execute(path, content_1);
}

static void expect_content(struct portolan_store *store)
{
    struct portolan_sample_set *set = read_or_fail(store, NULL);
    const struct portolan_sample *s = set->samples;
    /* By step and rank; a parent before its child. */
    static const int64_t ids[] = {20, 22, 21, 23, 30, 31}, parents[] = {-1, 0, -1, 2, -1, 4};

    assert_int_equal(set->n_trials, 1);
    assert_int_equal(set->trials[0].id, 3);
    assert_string_equal(set->trials[0].parameters[0].value, "32");
    assert_string_equal(set->trials[0].implementations[0].value, "heat.Cholmod");
    assert_string_equal(set->trials[0].metadata[0].value, "brig");
    assert_true(set->trials[0].elapsed_ns == 123.5);
    assert_int_equal(set->n_samples, 6);
    for (int i = 0; i < 6; ++i) {
        double id = (double)ids[i];

        assert_int_equal(s[i].step, i / 4);
        assert_int_equal(s[i].rank, i == 2 || i == 3);
        assert_int_equal(s[i].parent, parents[i]);
        assert_true(s[i].inclusive_ns == 1000 + id && s[i].exclusive_ns == 500 + id);
        assert_true(s[i].min_ns == id && s[i].max_ns == 2 * id && s[i].sum_squares_ns2 == 3 * id);
        assert_true(s[i].mpi_ns == (ids[i] == 23 ? 77 : 0));
        assert_int_equal(s[i].timed_calls, s[i].calls);
        assert_string_equal(s[i].method, i % 2 ? "solve" : "go");
    }
    assert_true(s[1].binned && s[1].quality == 1e-9 && isnan(s[3].quality));
    assert_int_equal(s[1].n_context, 2);
    assert_string_equal(s[1].context_name[1], "bandwidth");
    assert_true(s[1].context[0] == 32 && s[1].context[1] == 2.5 && s[3].context[0] == 64);
    assert_int_equal(s[3].n_context, 1);
    assert_int_equal(s[1].n_counters, 2);
    assert_string_equal(s[1].counter_name[0], "PAPI_FP_OPS");
    assert_true(s[1].counter[0] == 1e15 && s[1].counter[1] == 12);
    assert_int_equal(s[5].n_counters, 1);
    assert_string_equal(s[5].counter_name[0], "PAPI_TOT_INS");
    assert_true(s[5].counter[0] == 13 && s[5].context[1] == 4);
    portolan_sample_set_destroy(set);
}

static void an_old_store_opened_for_writing_becomes_a_new_one(void **state)
{
    struct portolan_store *store;
    struct portolan_decision *d = NULL;
    struct portolan_sample samples[STEP_SAMPLES];

    make_old(*state);
    store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    expect_content(store);
    assert_int_equal(portolan_store_find_trial_decision(store, 3, &d, NULL), PORTOLAN_OK);
    assert_int_equal(d->id, 9);
    portolan_decision_destroy(d);
    /* It is one to write, too, in which numbers go on and identities are known. */
    make_step(2, samples);
    assert_int_equal(begin_plate(store), 6);
    assert_int_equal(portolan_store_put_step(store, 3, 2, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_OK);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 5);
    assert_int_equal(count_in(*state, "SELECT version FROM schema_version"), 5);
    assert_int_equal(count_in(*state, "SELECT min(first) FROM call_piece WHERE first > 23"), 30);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'old%'"),
                     0);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM thread WHERE trial = 3"), 2);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM notes"), 1);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    execute(*state, "PRAGMA integrity_check");
}

static void an_old_store_is_read_as_it_is(void **state)
{
    struct portolan_store *store;

    make_old(*state);
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    expect_content(store);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 1);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_value"), 10);
}

static void a_migration_that_fails_leaves_the_store_as_it_was(void **state)
{
    struct portolan_store *store = (void *)1;
    struct portolan_error err = {0};
    int64_t rows;

    make_old(*state);
    rows = count_in(*state, "SELECT count(*) FROM timer_value");
    execute(*state, "CREATE TABLE old_trial (mine)"); /* in the way */
    assert_int_equal(portolan_store_open(*state, PORTOLAN_STORE_WRITE, &store, &err), PORTOLAN_EIO);
    assert_null(store);
    assert_non_null(strstr(err.text, "from schema version 1 to 5, and is unchanged"));
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 1);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_value"), rows);
    assert_int_equal(portolan_store_open(*state, PORTOLAN_STORE_READ, &store, NULL), PORTOLAN_EIO);
    execute(*state, "DROP TABLE old_trial");
    store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    expect_content(store);
    portolan_store_close(store);
}

/* Its rows come along, and what version 3 added is there. */
static void a_store_of_version_2_gets_what_version_3_has_more(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample_set *set;

    put_steps(store, trial, 0, 1);
    portolan_store_close(store);
    execute(*state, FIXTURE_TO_VERSION_2 " PRAGMA user_version = 2;");
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_samples, 2 * STEP_SAMPLES);
    assert_int_equal(set->samples[0].failed_calls, 0);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 2);
    portolan_store_close(open_or_fail(*state, PORTOLAN_STORE_WRITE));
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 5);
    assert_int_equal(count_in(*state, "SELECT version FROM schema_version"), 5);
    assert_int_equal(count_in(*state, "SELECT sum(failed_calls) FROM sample"), 0);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM lifted_veto"), 0);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM reason"), 0);
}

/* What version 3 has already stays: also its column of failed calls. */
static void a_store_of_version_3_gets_tables_of_reasons(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_reason_set *set = NULL;

    put_steps(store, begin_plate(store), 0, 1);
    portolan_store_close(store);
    execute(*state, FIXTURE_TO_VERSION_3
            " UPDATE call_data SET failed_calls = 2; PRAGMA user_version = 3;");
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    assert_int_equal(portolan_store_read_reasons(store, 1, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_reasons, 0);
    portolan_reason_set_destroy(set);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 3);
    portolan_store_close(open_or_fail(*state, PORTOLAN_STORE_WRITE));
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 5);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM expectation"), 0);
    assert_int_equal(count_in(*state, "SELECT sum(failed_calls) FROM sample"),
                     2 * 2 * STEP_SAMPLES);
}

/* Decisions and their reasons stay. */
static void a_store_of_version_4_gets_tables_of_diagnoses(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_diagnosis_set *set = NULL;
    const struct portolan_reason reason = {.trial = begin_plate(store),
                                           .number = 1,
                                           .asked_by = "user",
                                           .change = "",
                                           .choice = "",
                                           .binding = "",
                                           .text = "",
                                           .outcome = "stays"};

    assert_int_equal(portolan_store_put_reason(store, &reason, NULL, 0, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    execute(*state, FIXTURE_TO_VERSION_4 " PRAGMA user_version = 4;");
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    assert_int_equal(portolan_store_read_diagnoses(store, 1, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_diagnoses + set->n_findings, 0);
    portolan_diagnosis_set_destroy(set);
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 4);
    portolan_store_close(open_or_fail(*state, PORTOLAN_STORE_WRITE));
    assert_int_equal(count_in(*state, "PRAGMA user_version"), 5);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM finding"), 0);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM reason"), 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(an_old_store_opened_for_writing_becomes_a_new_one),
           IN_FOLDER(an_old_store_is_read_as_it_is),
           IN_FOLDER(a_migration_that_fails_leaves_the_store_as_it_was),
           IN_FOLDER(a_store_of_version_2_gets_what_version_3_has_more),
           IN_FOLDER(a_store_of_version_3_gets_tables_of_reasons),
           IN_FOLDER(a_store_of_version_4_gets_tables_of_diagnoses))
