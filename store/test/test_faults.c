/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store does with wrong files, a full disk, a killed process, no memory. */
#include "fixture.h"

#include "internal.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_refusal(const char *path, enum portolan_store_mode mode,
                           enum portolan_status status, const char *words)
{
    struct portolan_store *store = (void *)1;
    struct portolan_error err = {0};

    assert_int_equal(portolan_store_open(path, mode, &store, &err), status);
    assert_null(store);
    if (!strstr(err.text, words) || !strstr(err.text, path))
        fail_msg("\"%s\" lacks \"%s\" or the path", err.text, words);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void execute(const char *path, const char *statements)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, statements, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void foreign_files_are_refused_and_left_alone(void **state)
{
    const char *path = *state;
    char text[100] = "";
    FILE *f;

    write_file(path, "this is somebody's letter, and long enough to be read as a page header");
    expect_refusal(path, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "no SQLite data base");
    expect_refusal(path, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "no SQLite data base");
    f = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_true(!strncmp(text, "this is somebody's letter", 25));

    unlink(path);
    execute(path, "CREATE TABLE recipe (name)");
    expect_refusal(path, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "no experiment store");
    unlink(path);
    write_file(path, "");
    expect_refusal(path, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "is empty");
}

static void a_newer_schema_is_refused_by_its_number(void **state)
{
    portolan_store_close(open_or_fail(*state, PORTOLAN_STORE_WRITE));
    execute(*state, "PRAGMA user_version = 7");
    expect_refusal(*state, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "schema version 7");
    expect_refusal(*state, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "newer Portolan");
}

static void what_cannot_be_read_is_an_input_error(void **state)
{
    expect_refusal(*state, PORTOLAN_STORE_READ, PORTOLAN_EIO, "No such file");
    expect_refusal("/nonexistent/portolan.db", PORTOLAN_STORE_WRITE, PORTOLAN_EIO, "open");
    expect_refusal("/", PORTOLAN_STORE_WRITE, PORTOLAN_EIO, "open");
}

static void a_damaged_store_is_an_input_error(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    struct portolan_sample_set *set = NULL;
    struct portolan_error err = {0};
    char garbage[4096];
    struct stat s;
    int fd;

    begin_plate(store);
    portolan_store_close(store);
    memset(garbage, 0xa5, sizeof garbage);
    fd = open(*state, O_WRONLY);
    assert_int_equal(fstat(fd, &s), 0);
    for (off_t at = 4096; at < s.st_size; at += 4096)
        assert_int_equal(pwrite(fd, garbage, sizeof garbage, at), sizeof garbage);
    close(fd);
    if (!portolan_store_open(*state, PORTOLAN_STORE_READ, &store, &err))
        assert_int_equal(portolan_store_read(store, NULL, true, &set, &err), PORTOLAN_EIO);
    assert_int_equal(err.status, PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "damaged"));
    assert_null(set);
    portolan_store_close(store);
}

static void a_locked_store_is_busy(void **state)
{
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE), *other = NULL;
    struct portolan_error err = {0};
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(*state, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    portolan_store_close(store);
    assert_int_equal(store_open(*state, PORTOLAN_STORE_WRITE, 1, &other, &err), PORTOLAN_OK);
    assert_int_equal(portolan_store_begin_trial(
                         other, &(struct portolan_trial){.assembly = "a", .purpose = "run"},
                         &(int64_t){0}, &err),
                     PORTOLAN_EBUSY);
    assert_non_null(strstr(err.text, "another process"));
    sqlite3_close(db);
    begin_plate(other);
    portolan_store_close(other);
}

/* In the child: stores steps and acknowledges each, until it is killed or may not write more. */
static void store_steps(const char *path, int acknowledge)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_error err = {0};
    char byte = '+';

    for (int step = 0;; ++step) {
        make_step(step, samples);
        if (portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, &err))
            break;
        if (write(acknowledge, &byte, 1) != 1)
            _exit(3);
    }
    /* The store stays usable, and says what is missing. */
    if (err.status != PORTOLAN_EIO || !strstr(err.text, "was not stored"))
        _exit(2);
    portolan_store_close(store);
    _exit(0);
}

/* Every step acknowledged is there, and every step that is there is whole. */
static void check_steps(const char *path, int acknowledged)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_WRITE);
    struct portolan_sample_set *set = read_or_fail(store, NULL);

    assert_int_equal(set->n_trials, 1);
    assert_string_equal(set->trials[0].outcome, "running");
    assert_int_equal(set->n_samples % STEP_SAMPLES, 0);
    assert_true(set->n_samples >= (size_t)acknowledged * STEP_SAMPLES);
    for (size_t i = 0; i < set->n_samples; ++i)
        assert_int_equal(set->samples[i].step, i / STEP_SAMPLES);
    portolan_sample_set_destroy(set);
    begin_plate(store);
    portolan_store_close(store);
}

static void a_killed_process_loses_no_acknowledged_step(void **state)
{
    int ends[2], status, acknowledged;
    char byte;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        close(ends[0]);
        store_steps(*state, ends[1]);
    }
    close(ends[1]);
    for (acknowledged = 0; acknowledged < 50; ++acknowledged)
        assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    while (read(ends[0], &byte, 1) == 1)
        ++acknowledged;
    close(ends[0]);
    check_steps(*state, acknowledged);
}

static void a_full_disk_fails_the_step_and_keeps_the_earlier_ones(void **state)
{
    int ends[2], status, acknowledged = 0;
    char byte;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        const struct rlimit limit = {400000, 400000};

        close(ends[0]);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        store_steps(*state, ends[1]);
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1)
        ++acknowledged;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(acknowledged > 0);
    check_steps(*state, acknowledged);
}

static enum portolan_status whole_life(const char *path, struct portolan_error *err)
{
    const struct portolan_trial trial = {.assembly = "plate", .purpose = "run", .ranks = 2};
    struct portolan_decision d = {.assembly = "plate", .parameters = "", .host = "", .choice = ""};
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_store_query query = {.newest_only = true}; /* earlier attempts left theirs */
    struct portolan_sample_set *set = NULL;
    struct portolan_decision *found = NULL;
    struct portolan_store *store = NULL;
    enum portolan_status status;
    int64_t id;

    make_step(0, samples);
    if (!(status = portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, err)) &&
        !(status = portolan_store_begin_trial(store, &trial, &id, err)) &&
        !(status = portolan_store_put_step(store, id, 0, samples, STEP_SAMPLES, err)) &&
        !(status = portolan_store_read(store, &query, true, &set, err)) &&
        !(status = portolan_store_put_decision(store, &d, &id, err)))
        status = portolan_store_find_decision(store, "plate", "", "", 0, &found, err);
    portolan_sample_set_destroy(set);
    portolan_decision_destroy(found);
    portolan_store_close(store);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    enum portolan_status status;
    unsigned long n = 0;

    do {
        struct portolan_error err = {0};

        portolan_alloc_fail_at(++n);
        status = whole_life(*state, &err);
        portolan_alloc_fail_at(0);
        assert_int_equal(status, err.status);
        if (status)
            assert_int_equal(status, PORTOLAN_ENOMEM);
    } while (status);
    assert_true(n > 20);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(foreign_files_are_refused_and_left_alone),
        IN_FOLDER(a_newer_schema_is_refused_by_its_number),
        IN_FOLDER(what_cannot_be_read_is_an_input_error),
        IN_FOLDER(a_damaged_store_is_an_input_error),
        IN_FOLDER(a_locked_store_is_busy),
        IN_FOLDER(a_killed_process_loses_no_acknowledged_step),
        IN_FOLDER(a_full_disk_fails_the_step_and_keeps_the_earlier_ones),
        IN_FOLDER(every_failing_allocation_is_reported),
    };

    return cmocka_run_group_tests_name("store faults", tests, NULL, NULL);
}
