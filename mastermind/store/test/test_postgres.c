/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is a server's own: refusals with their remedy, several programs at once, connections that
 * are lost, a lock, a full disk. Runs beside a server (tests/postgres_server.sh); with the argument
 * "full", beside one whose files may not grow.
 */
#include "fixture.h"

#include "internal.h"
#include "postgres.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *server;

static void expect_refusal(const char *path, enum portolan_store_mode mode,
                           enum portolan_status status, const char *words)
{
    struct portolan_error err = refusal_of(path, mode, status);

    if (!strstr(err.text, words))
        fail_msg("\"%s\" lacks \"%s\"", err.text, words);
    assert_null(strstr(err.text, "pass-word"));
}

/* Statements that were run one by one: libpq's function, counted on the way. */
static size_t n_statements;
static __typeof__(PQsendQueryPrepared) *exec_prepared;

static int count_exec_prepared(PGconn *c, const char *name, int n, const char *const *values,
                               const int *lengths, const int *formats, int format)
{
    ++n_statements;
    return exec_prepared(c, name, n, values, lengths, formats, format);
}

/* The server's URI with other words for USER and the data base. */
static char *other_uri(const char *user, const char *data_base)
{
    return portolan_asprintf("postgresql://%s@/%s%s", user, data_base, strchr(server, '?'));
}

static void a_server_that_is_not_there_is_told(void **state)
{
    expect_refusal("postgresql:///store?host=/nonexistent", PORTOLAN_STORE_WRITE, PORTOLAN_EIO,
                   "is the server running");
    expect_refusal("host=/nonexistent dbname=store", PORTOLAN_STORE_READ, PORTOLAN_EIO,
                   "cannot be reached");
}

static void a_missing_data_base_and_an_unknown_user_are_told(void **state)
{
    char *no_base = other_uri("portolan", "missing"), *no_user = other_uri("nobody-here", "x");

    expect_refusal(no_base, PORTOLAN_STORE_WRITE, PORTOLAN_EIO, "createdb");
    expect_refusal(no_user, PORTOLAN_STORE_WRITE, PORTOLAN_EIO, "name a user");
    free(no_base);
    free(no_user);
}

static void a_wrong_password_is_told_and_none_is_shown(void **state)
{
    char *wrong = other_uri("secret:pass-word", "postgres"),
         *none = other_uri("secret", "postgres");

    expect_refusal(wrong, PORTOLAN_STORE_WRITE, PORTOLAN_EIO, "check the password");
    expect_refusal(none, PORTOLAN_STORE_WRITE, PORTOLAN_EIO, "PGPASSWORD");
    free(wrong);
    free(none);
}

/* The owner of the schema is another user. */
static void a_user_who_may_not_write_is_told(void **state)
{
    char *path = portolan_asprintf("postgresql://secret:sesame@/postgres%s",
                                   strchr((const char *)*state, '?'));
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_error err = {0};

    expect_refusal(path, PORTOLAN_STORE_READ, PORTOLAN_EINVAL, "search path");
    execute_in(*state, "DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() ||"
                       " ' TO secret'; EXECUTE 'GRANT SELECT ON ALL TABLES IN SCHEMA ' ||"
                       " current_schema() || ' TO secret'; END $$");
    begin_plate(store);
    portolan_store_close(store);
    store = open_or_fail(path, PORTOLAN_STORE_WRITE);
    assert_int_equal(portolan_store_begin_trial(
                         store, &(struct portolan_trial){.assembly = "a", .purpose = "run"},
                         &(int64_t){0}, &err),
                     PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "a new trial was not stored"));
    assert_non_null(strstr(err.text, "GRANT"));
    assert_null(strstr(err.text, "sesame"));
    portolan_store_close(store);
    free(path);
}

static void foreign_data_bases_are_refused_and_left_alone(void **state)
{
    expect_refusal(*state, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "is empty");
    execute_in(*state, "CREATE TABLE recipe (name TEXT)");
    expect_refusal(*state, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "not an experiment store");
    execute_in(*state, "CREATE TABLE schema_version (version INT, description TEXT);"
                       " INSERT INTO schema_version VALUES (2, 'TAUdb redesign')");
    expect_refusal(*state, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "not an experiment store");
    assert_int_equal(count_in(*state, "SELECT count(*) FROM pg_class WHERE relnamespace ="
                                      " current_schema()::regnamespace AND relkind = 'r'"),
                     2);
}

static void a_newer_schema_is_refused_by_its_number(void **state)
{
    portolan_store_close(open_or_fail(*state, PORTOLAN_STORE_WRITE));
    execute_in(*state, "UPDATE schema_version SET version = 7");
    expect_refusal(*state, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "schema version 7");
    expect_refusal(*state, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "newer Portolan");
}

static void a_store_of_version_2_becomes_one_of_today_when_it_is_written(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);

    put_steps(store, begin_plate(store), 0, 0);
    portolan_store_close(store);
    execute_in(*state, FIXTURE_TO_VERSION_2);
    expect_refusal(*state, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "portolan trials --migrate");
    store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    put_steps(store, 1, 1, 1);
    portolan_store_close(store);
    assert_int_equal(count_samples(*state), 2 * STEP_SAMPLES);
    assert_int_equal(count_in(*state, "SELECT sum(failed_calls) FROM sample"), 0);
}

static void text_that_is_no_utf8_is_refused_and_the_store_goes_on(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    const struct portolan_name_value latin = {"ort", "M\xfcnchen"}, utf8 = {"ort", "München"};
    struct portolan_error err = {0};
    int64_t trial = begin_plate(store);

    assert_int_equal(portolan_store_put_metadata(store, trial, &latin, 1, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "UTF-8"));
    assert_int_equal(portolan_store_put_metadata(store, trial, &utf8, 1, NULL), PORTOLAN_OK);
    portolan_store_close(store);
}

/* ------------------------------------------------- several programs */

enum { WRITERS = 3, STEPS = 20 };

/* In a child: makes the store if need be, and a trial of its own. */
static void write_trial(const char *path)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_WRITE);
    struct portolan_sample samples[STEP_SAMPLES];
    int64_t trial = begin_plate(store);

    for (int step = 0; step < STEPS; ++step) {
        make_step(step, samples);
        if (portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, NULL))
            _exit(2);
    }
    if (portolan_store_end_trial(store, trial, "finished", 1e9, NULL))
        _exit(3);
    portolan_store_close(store);
    _exit(0);
}

static void programs_store_their_trials_at_the_same_time(void **state)
{
    struct portolan_sample_set *set;
    struct portolan_store *store;
    pid_t children[WRITERS];

    for (int i = 0; i < WRITERS; ++i)
        if (!(children[i] = fork()))
            write_trial(*state);
    for (int i = 0; i < WRITERS; ++i) {
        int status;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_trials, WRITERS);
    assert_int_equal(set->n_samples, WRITERS * STEPS * STEP_SAMPLES);
    for (size_t i = 0; i < set->n_trials; ++i)
        assert_string_equal(set->trials[i].outcome, "finished");
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void a_step_that_meets_a_lock_is_refused_and_can_be_repeated(void **state)
{
    meet_a_lock(*state);
}

/* ------------------------------------------------- losses */

/* As an administrator, or a server that goes down, would. */
static void cut_connections(void)
{
    count_in(server, "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity"
                     " WHERE application_name = 'portolan'");
}

static void a_connection_lost_between_steps_is_made_anew(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);

    for (int step = 0; step < 3; ++step) {
        put_steps(store, trial, step, step);
        cut_connections();
    }
    portolan_store_close(store);
    assert_int_equal(count_samples(*state), 3 * STEP_SAMPLES);
}

static void a_connection_lost_within_a_transaction_loses_that_and_no_more(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_error err = {0};
    int64_t trial = begin_plate(store);

    put_steps(store, trial, 0, 0);
    assert_int_equal(portolan_store_begin(store, NULL), PORTOLAN_OK);
    put_steps(store, trial, 1, 1);
    cut_connections();
    assert_int_equal(portolan_store_put_step(store, trial, 2, samples, STEP_SAMPLES, &err),
                     PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "step 2 of trial 1 was not stored"));
    assert_non_null(strstr(err.text, "what was stored is intact"));
    assert_int_not_equal(portolan_store_commit(store, NULL), PORTOLAN_OK);
    put_steps(store, trial, 3, 3);
    portolan_store_close(store);
    assert_int_equal(count_samples(*state), 2 * STEP_SAMPLES);
}

static void a_commit_that_is_cut_off_is_not_called_stored(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_error err = {0};
    int64_t trial = begin_plate(store);

    assert_int_equal(portolan_store_begin(store, NULL), PORTOLAN_OK);
    put_steps(store, trial, 0, 0);
    cut_connections();
    assert_int_equal(portolan_store_commit(store, &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "it is not known whether it was stored"));
    portolan_store_close(store);
    assert_int_equal(count_samples(*state), 0);
}

static void a_killed_program_leaves_whole_steps(void **state)
{
    int ends[2], status, acknowledged;
    char byte = '+';
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    if (!(child = fork())) {
        struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
        struct portolan_sample samples[STEP_SAMPLES];
        int64_t trial = begin_plate(store);

        for (int step = 0;; ++step) {
            make_step(step, samples);
            if (portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, NULL) ||
                write(ends[1], &byte, 1) != 1)
                _exit(2);
        }
    }
    close(ends[1]);
    for (acknowledged = 0; acknowledged < 20; ++acknowledged)
        assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    while (read(ends[0], &byte, 1) == 1)
        ++acknowledged;
    close(ends[0]);
    assert_true(count_samples(*state) >= (size_t)acknowledged * STEP_SAMPLES);
    assert_int_equal(count_samples(*state) % STEP_SAMPLES, 0);
}

/* ------------------------------------------------- a full disk */

enum { MANY = 20000, NAMES = 2000 };

/* However many there are and however deep they lie. */
static void names_are_made_and_found_by_few_statements(void **state)
{
    static struct portolan_sample samples[NAMES];
    static char methods[NAMES][16];
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_error err = {0};
    int64_t trial = begin_plate(store);

    for (int i = 0; i < NAMES; ++i) {
        snprintf(methods[i], sizeof methods[i], "method %d", i % 700);
        samples[i] = (struct portolan_sample){.parent = (i - 1) / 2 - (i == 0),
                                              .instance = methods[i % 20],
                                              .port = "in",
                                              .port_type = "t.Port",
                                              .implementation = "t.Class",
                                              .method = methods[i],
                                              .calls = 1,
                                              .quality = NAN};
    }
    exec_prepared = libpq.sendQueryPrepared;
    libpq.sendQueryPrepared = count_exec_prepared;
    for (int again = 0; again < 2; ++again) {
        n_statements = 0;
        if (portolan_store_put_step(store, trial, again, samples, NAMES, &err))
            fail_msg("%s", err.text);
        assert_in_range(n_statements, 1, 20);
        portolan_store_close(store); /* and what it remembers */
        store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    }
    libpq.sendQueryPrepared = exec_prepared;
    portolan_store_close(store);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM timer_callpath"), NAMES);
    assert_int_equal(count_in(*state, "SELECT count(*) FROM component"), 20);
    assert_int_equal(count_samples(*state), 2 * NAMES);
}

static void a_full_disk_fails_the_step_and_keeps_the_earlier_ones(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample *samples = portolan_calloc(MANY, sizeof *samples), first[STEP_SAMPLES];
    enum portolan_status status = PORTOLAN_OK;
    struct portolan_error err = {0};
    int64_t trial = begin_plate(store);
    size_t steps = 0;

    assert_non_null(samples);
    make_step(0, first);
    for (int i = 0; i < MANY; ++i) {
        samples[i] = first[1];
        samples[i].parent = i ? 0 : -1;
    }
    while (steps < 100 &&
           !(status = portolan_store_put_step(store, trial, (int)steps, samples, MANY, &err)))
        ++steps;
    free(samples);
    assert_int_equal(status, PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "was not stored"));
    if (!strstr(err.text, "what was stored is intact"))
        fail_msg("%s", err.text);
    portolan_store_close(store);
    assert_int_equal(count_samples(*state), steps * MANY);
}

#define ON_SERVER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        ON_SERVER(a_server_that_is_not_there_is_told),
        ON_SERVER(a_missing_data_base_and_an_unknown_user_are_told),
        ON_SERVER(a_wrong_password_is_told_and_none_is_shown),
        ON_SERVER(a_user_who_may_not_write_is_told),
        ON_SERVER(foreign_data_bases_are_refused_and_left_alone),
        ON_SERVER(a_newer_schema_is_refused_by_its_number),
        ON_SERVER(a_store_of_version_2_becomes_one_of_today_when_it_is_written),
        ON_SERVER(text_that_is_no_utf8_is_refused_and_the_store_goes_on),
        ON_SERVER(programs_store_their_trials_at_the_same_time),
        ON_SERVER(a_step_that_meets_a_lock_is_refused_and_can_be_repeated),
        ON_SERVER(a_connection_lost_between_steps_is_made_anew),
        ON_SERVER(a_connection_lost_within_a_transaction_loses_that_and_no_more),
        ON_SERVER(a_commit_that_is_cut_off_is_not_called_stored),
        ON_SERVER(a_killed_program_leaves_whole_steps),
        ON_SERVER(names_are_made_and_found_by_few_statements),
    };
    const struct CMUnitTest full[] = {
        ON_SERVER(a_full_disk_fails_the_step_and_keeps_the_earlier_ones),
    };

    server = getenv("PORTOLAN_TEST_POSTGRES");
    if (!server)
        return 77;
    if (argc > 1 && !strcmp(argv[1], "full"))
        return cmocka_run_group_tests_name("full disk", full, NULL, NULL);
    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
