/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store does with wrong files, a full disk, a killed process. */
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
    if (!strstr(refusal_of(path, mode, status).text, path))
        fail_msg("the refusal of '%s' does not name it", path);
    if (!strstr(refusal_of(path, mode, status).text, words))
        fail_msg("\"%s\" lacks \"%s\"", refusal_of(path, mode, status).text, words);
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
    expect_refusal(path, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "not an SQLite database");
    expect_refusal(path, PORTOLAN_STORE_READ, PORTOLAN_EFOREIGN, "not an SQLite database");
    f = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_true(!strncmp(text, "this is somebody's letter", 25));

    unlink(path);
    execute(path, "CREATE TABLE recipe (name)");
    expect_refusal(path, PORTOLAN_STORE_WRITE, PORTOLAN_EFOREIGN, "not an experiment store");
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

/* TENTHS of FROM's bytes into TO. */
static void copy_part(const char *from, const char *to, int tenths)
{
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct stat s;
    char *bytes;

    assert_true(in >= 0 && out >= 0);
    assert_int_equal(fstat(in, &s), 0);
    assert_non_null(bytes = malloc((size_t)s.st_size + 1));
    assert_int_equal(read(in, bytes, (size_t)s.st_size), s.st_size);
    assert_int_equal(write(out, bytes, (size_t)(s.st_size * tenths / 10)), s.st_size * tenths / 10);
    free(bytes);
    close(in);
    close(out);
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
    /* The store stays usable, and says what is missing and what to do. */
    if (err.status != PORTOLAN_EIO || !strstr(err.text, "was not stored") ||
        !strstr(err.text, "what was stored is intact"))
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

enum { BLOCK = 300 };

/* In the child: blocks of single calls, until there is no room. */
static void store_calls(const char *path, int acknowledge)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_invocation rows[BLOCK];
    struct portolan_error err = {0};

    make_step(0, samples);
    for (int block = 0;; ++block) {
        for (int i = 0; i < BLOCK; ++i)
            rows[i] = (struct portolan_invocation){.path = 1, .start_ns = block * BLOCK + i};
        if (portolan_store_put_invocations(store, trial, samples, STEP_SAMPLES, rows, BLOCK, &err))
            break;
        if (write(acknowledge, "+", 1) != 1)
            _exit(3);
    }
    if (err.status != PORTOLAN_EIO || !strstr(err.text, "block of single calls was not stored") ||
        !strstr(err.text, "what was stored is intact"))
        _exit(2);
    portolan_store_close(store);
    _exit(0);
}

/* How many blocks the child has acknowledged when its files may have LIMIT bytes. */
static int store_on_a_full_disk(const char *path, rlim_t limit,
                                void (*store)(const char *path, int acknowledge))
{
    int ends[2], status, acknowledged = 0;
    char byte;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        const struct rlimit bytes = {limit, limit};

        close(ends[0]);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &bytes);
        store(path, ends[1]);
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1)
        ++acknowledged;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(acknowledged > 0);
    return acknowledged;
}

static int next_call(void *arg, const struct portolan_sample *path,
                     const struct portolan_invocation *row)
{
    int *n = arg;

    (void)path;
    assert_true(row->start_ns == *n);
    ++*n;
    return 0;
}

static void a_full_disk_fails_a_block_of_calls_and_keeps_the_earlier_ones(void **state)
{
    int blocks = store_on_a_full_disk(*state, 600000, store_calls), n = 0;
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_READ);

    assert_int_equal(portolan_store_visit_invocations(store, 1, NULL, next_call, &n, NULL),
                     PORTOLAN_OK);
    assert_int_equal(n, blocks * BLOCK);
    portolan_store_close(store);
}

static void a_full_disk_fails_the_step_and_keeps_the_earlier_ones(void **state)
{
    check_steps(*state, store_on_a_full_disk(*state, 600000, store_steps));
}

static void a_step_that_meets_a_lock_is_refused_and_can_be_repeated(void **state)
{
    meet_a_lock(*state);
    check_steps(*state, 2);
}

/* In the child: one step, then others in a transaction that does not end. */
static void stop_in_the_middle(const char *path, int acknowledge)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];

    make_step(0, samples);
    if (portolan_store_put_step(store, trial, 0, samples, STEP_SAMPLES, NULL) ||
        portolan_store_begin(store, NULL))
        _exit(1);
    /* Enough for pages to leave the cache. */
    for (int step = 1; step < 20000; ++step)
        if (portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, NULL))
            _exit(1);
    if (write(acknowledge, "+", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void a_process_killed_in_a_transaction_leaves_nothing_of_it(void **state)
{
    struct portolan_store *store;
    struct portolan_sample_set *set;
    int ends[2], status;
    char byte;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child)
        stop_in_the_middle(*state, ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
    store = open_or_fail(*state, PORTOLAN_STORE_READ);
    set = read_or_fail(store, NULL);
    assert_int_equal(set->n_samples, STEP_SAMPLES);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
    check_steps(*state, 1);
}

/* What a store that lost bytes gives: -1 when it is refused with words, else its steps, all whole.
 */
static int steps_left(const char *path)
{
    struct portolan_sample_set *set = NULL;
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};
    int steps = -1;

    if (portolan_store_open(path, PORTOLAN_STORE_READ, &store, &err) ||
        portolan_store_read(store, NULL, true, &set, &err)) {
        if (!strstr(err.text, path) || !strchr(err.text, ';'))
            fail_msg("\"%s\" names no file or no remedy", err.text);
    } else {
        assert_int_equal(set->n_samples % STEP_SAMPLES, 0);
        for (size_t i = 0; i < set->n_samples; ++i)
            assert_int_equal(set->samples[i].step, i / STEP_SAMPLES);
        steps = (int)set->n_samples / STEP_SAMPLES;
    }
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
    return steps;
}

static void a_file_that_was_cut_off_is_never_read_wrong(void **state)
{
    enum { STEPS = 60 };
    char *log = portolan_asprintf("%s-wal", (char *)*state);
    char *copy = portolan_asprintf("%s.copy", (char *)*state);
    char *copied_log = portolan_asprintf("%s.copy-wal", (char *)*state);
    struct portolan_store *store = open_or_fail(*state, PORTOLAN_STORE_WRITE);
    int64_t trial = begin_plate(store);
    struct portolan_sample samples[STEP_SAMPLES];
    int before = -1;

    for (int step = 0; step < STEPS; ++step) {
        make_step(step, samples);
        assert_int_equal(portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, NULL),
                         PORTOLAN_OK);
    }
    /* The log of a machine that lost power: what was stored first is there, and whole. */
    for (int tenths = 0; tenths <= 10; ++tenths) {
        int steps;

        copy_part(*state, copy, 10);
        copy_part(log, copied_log, tenths);
        steps = steps_left(copy);
        assert_true(steps >= before && steps <= STEPS);
        before = steps;
        unlink(copy);
        unlink(copied_log);
    }
    assert_int_equal(before, STEPS);
    portolan_store_close(store); /* the log goes into the file */
    for (int tenths = 0; tenths < 10; ++tenths) {
        copy_part(*state, copy, tenths);
        assert_int_equal(steps_left(copy), -1);
        unlink(copy);
    }
    free(log);
    free(copy);
    free(copied_log);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(foreign_files_are_refused_and_left_alone),
           IN_FOLDER(a_newer_schema_is_refused_by_its_number),
           IN_FOLDER(what_cannot_be_read_is_an_input_error),
           IN_FOLDER(a_damaged_store_is_an_input_error), IN_FOLDER(a_locked_store_is_busy),
           IN_FOLDER(a_killed_process_loses_no_acknowledged_step),
           IN_FOLDER(a_full_disk_fails_the_step_and_keeps_the_earlier_ones),
           IN_FOLDER(a_full_disk_fails_a_block_of_calls_and_keeps_the_earlier_ones),
           IN_FOLDER(a_step_that_meets_a_lock_is_refused_and_can_be_repeated),
           IN_FOLDER(a_process_killed_in_a_transaction_leaves_nothing_of_it),
           IN_FOLDER(a_file_that_was_cut_off_is_never_read_wrong))
