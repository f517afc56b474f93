/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of what runs: who is blamed when a process is gone, and who is not. */
#include "../internal.h"
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct portolan_running both[] = {
    {"f", "test.New", "/bin/sh", PORTOLAN_UNTRIED},
    {"g", "test.Old", NULL, PORTOLAN_RAN_WELL},
};

/* Where the note is that LAST is called with. */
static const char *path_now;
static int64_t trial_now;

/* What a process does with its note before it is gone. */
typedef void last_fn(struct portolan_note *note);

static int64_t begin(const char *path)
{
    const struct portolan_trial trial = {.assembly = "plate", .purpose = "run", .ranks = 1};
    struct portolan_store *store = NULL;
    int64_t id = 0;

    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_begin_trial(store, &trial, &id, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    return id;
}

static void leave_note(const char *path, int64_t trial, last_fn *last)
{
    struct portolan_note *note;
    pid_t child = fork();

    path_now = path;
    trial_now = trial;
    if (child == 0) {
        if (portolan_note_open(path, trial, 0, &note, NULL) == PORTOLAN_OK)
            last(note);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static const char *value_of(const struct portolan_trial *t, const char *name)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (!strcmp(t->metadata[i].name, name))
            return t->metadata[i].value;
    return "";
}

static char kept[40]; /* the instance that gave no state in the last trial */

/* Settles, and expects of the trial: its outcome, the reason (NULL: its memory), and the class
 * blamed as F. */
static void expect(const char *path, int64_t trial, const char *reason, const char *outcome,
                   const char *failure, const char *blamed)
{
    struct portolan_store_query query = {.trial = trial};
    struct portolan_sample_set *set = NULL;
    struct portolan_store *store = NULL;

    if (reason) { /* opening it settles without one */
        assert_int_equal(store_open(path, PORTOLAN_STORE_WRITE, BUSY_MS, &store, NULL), 0);
        assert_int_equal(portolan_store_settle(store, reason, NULL), PORTOLAN_OK);
        portolan_store_close(store);
    }
    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_READ, &store, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read(store, &query, false, &set, NULL), PORTOLAN_OK);
    assert_string_equal(set->trials[0].outcome, outcome);
    if (failure)
        assert_string_equal(value_of(&set->trials[0], "failure"), failure);
    else
        assert_non_null(strstr(value_of(&set->trials[0], "failure"), "had grown from"));
    assert_string_equal(value_of(&set->trials[0], PORTOLAN_STORE_BLAMED "f"), blamed);
    assert_false(notes_exist(path));
    snprintf(kept, sizeof kept, "%s", value_of(&set->trials[0], PORTOLAN_STORE_KEPT));
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
}

static void try_new(struct portolan_note *note)
{
    portolan_note_put(note, 3, both, 2);
}

static void run_old(struct portolan_note *note)
{
    portolan_note_put(note, 3, both + 1, 1);
}

static void crash_outside(struct portolan_note *note)
{
    run_old(note);
    portolan_note_end(note, "signal", 11, 5, (const char *[]){"driver", "test.Driver"}, 1);
}

static void crash_in_old(struct portolan_note *note)
{
    portolan_note_put(note, 3, both, 2);
    portolan_note_end(note, "signal", 11, 5, (const char *[]){"g", "test.Old", "f", "test.New"}, 2);
}

static void exit_well(struct portolan_note *note)
{
    portolan_note_put(note, 3, both, 2);
    portolan_note_end(note, "exit", 0, 5, NULL, 0);
}

static void survive(struct portolan_note *note)
{
    crash_outside(note);
    portolan_note_step(note);
}

static void leak(struct portolan_note *note)
{
    const struct portolan_running here = {"f", "test.New", "/bin/sh", PORTOLAN_RAN_HERE};
    const size_t much = 200 << 20;

    portolan_note_put(note, 3, both, 2);
    portolan_note_put(note, 4, &here, 1);
    memset(portolan_calloc(much, 1), 1, much);
    portolan_note_step(note);
}

/* Rank 1 grows, with TEST.NEW, and is then given back what ran before if COMES_BACK. */
static void leak_on_rank_1(struct portolan_note *note, bool comes_back)
{
    const struct portolan_running here = {"f", "test.New", "/bin/sh", PORTOLAN_RAN_HERE};
    const struct portolan_running other = {"f", "test.Other", "/bin/sh", PORTOLAN_RAN_HERE};
    const size_t much = 200 << 20;
    struct portolan_note *second;

    if (portolan_note_open(path_now, trial_now, 1, &second, NULL))
        return;
    portolan_note_put(note, 3, both, 2);
    portolan_note_put(second, 3, NULL, 0);
    portolan_note_put(note, 4, &here, 1);
    memset(portolan_calloc(much, 1), 1, much);
    portolan_note_step(second);
    if (comes_back) {
        portolan_note_put(second, 5, NULL, 0);
        portolan_note_put(note, 5, &other, 1);
    }
}

static void leak_elsewhere(struct portolan_note *note)
{
    leak_on_rank_1(note, false);
}

static void leak_before(struct portolan_note *note)
{
    leak_on_rank_1(note, true);
}

static void a_leak_that_ends_the_process_is_blamed(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, leak);
    expect(*state, id, NULL, "failed", NULL, "test.New");
    id = begin(*state);
    leave_note(*state, id, leak_elsewhere);
    expect(*state, id, NULL, "failed", NULL, "test.New");
    id = begin(*state);
    leave_note(*state, id, leak_before); /* by what runs no more */
    expect(*state, id, NULL, "running", "", "");
}

static void hang(struct portolan_note *note)
{
    portolan_note_put(note, 3, both + 1, 1);
    portolan_note_end(note, "slow", 3, 3, (const char *[]){"g", "test.Old"}, 1);
}

/* A class of a sweep counts as one that runs well: nothing else can be at fault in its process. */
static void what_hung_until_it_was_ended_is_blamed(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, hang);
    expect(*state, id, NULL, "running", "", "");
    id = begin(*state);
    leave_note(*state, id, hang);
    expect(*state, id, "still running at its limit of 10 s", "failed",
           "still running at its limit of 10 s on rank 0 in step 3, by g [test.Old]", "");
}

static void crash_as_it_leaves(struct portolan_note *note)
{
    const struct portolan_running swap[] = {{"f", "test.Old", NULL, PORTOLAN_RAN_WELL},
                                            {"f", "test.New", "/bin/sh", PORTOLAN_RAN_WELL}};

    portolan_note_put(note, 3, swap, 2);
    portolan_note_end(note, "signal", 11, 3, (const char *[]){"f", "test.New"}, 1);
}

static void who_gave_no_state_is_known(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, crash_as_it_leaves);
    expect(*state, id, NULL, "failed",
           "killed by signal 11 (Segmentation fault) on rank 0 in step 3, by f [test.New]",
           "test.New");
    assert_string_equal(kept, "f");
}

static void what_was_untried_is_blamed(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, try_new);
    expect(*state, id, NULL, "failed", "killed, or ended without a word in step 3, by f [test.New]",
           "test.New");
    id = begin(*state);
    leave_note(*state, id, try_new);
    expect(*state, id, "time limit of 10 s", "failed",
           "time limit of 10 s in step 3, by f [test.New]", "test.New");
}

static void who_is_inside_is_blamed(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, crash_in_old);
    expect(*state, id, NULL, "failed",
           "killed by signal 11 (Segmentation fault) on rank 0 in step 5, by g [test.Old]", "");
    id = begin(*state);
    leave_note(*state, id, crash_outside);
    expect(*state, id, NULL, "failed",
           "killed by signal 11 (Segmentation fault) on rank 0 in step 5", "");
}

static void nobody_is_blamed_without_a_cause(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, run_old); /* somebody stopped it */
    expect(*state, id, NULL, "running", "", "");
    leave_note(*state, id, exit_well);
    expect(*state, id, NULL, "running", "", "");
    leave_note(*state, id, survive);
    expect(*state, id, NULL, "running", "", "");
}

/* Changes the line of the note that begins with NAME. */
static void change_note(const char *path, int64_t trial, const char *name)
{
    char command[600];

    snprintf(command, sizeof command, "sed -i 's/^%s .*/%s elsewhere/' '%s.running/%lld'", name,
             name, path, (long long)trial);
    assert_int_equal(system(command), 0);
}

static void a_machine_that_went_down_blames_nobody(void **state)
{
    int64_t id = begin(*state);

    leave_note(*state, id, try_new);
    change_note(*state, id, "boot");
    expect(*state, id, NULL, "running", "", "");
}

static void another_machine_and_a_running_process_are_left_alone(void **state)
{
    struct portolan_store *store = NULL;
    struct portolan_note *note;
    int64_t id = begin(*state);

    leave_note(*state, id, try_new);
    change_note(*state, id, "place");
    assert_int_equal(portolan_note_open(*state, id + 1, 0, &note, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_open(*state, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    assert_true(notes_exist(*state)); /* both */
    portolan_note_close(note);
    assert_true(notes_exist(*state)); /* that of the other machine */
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown_folder)

UNIT_TESTS(IN_FOLDER(what_was_untried_is_blamed), IN_FOLDER(a_leak_that_ends_the_process_is_blamed),
           IN_FOLDER(who_is_inside_is_blamed), IN_FOLDER(what_hung_until_it_was_ended_is_blamed),
           IN_FOLDER(who_gave_no_state_is_known), IN_FOLDER(nobody_is_blamed_without_a_cause),
           IN_FOLDER(a_machine_that_went_down_blames_nobody),
           IN_FOLDER(another_machine_and_a_running_process_are_left_alone))
