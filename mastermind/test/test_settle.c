/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials that were left by their processes in every way, in a store of their own. */
#include <unit_test.h>

#include <portolan/settle.h>

#include <unistd.h>

static struct portolan_assembly_alternative solvers[] = {{.class_name = "heat.Band"},
                                                         {.class_name = "heat.Cg"}};
static struct portolan_assembly_alternative outputs[] = {{.class_name = "heat.Text"},
                                                         {.class_name = "heat.Binary"}};
static struct portolan_assembly_instance instances[] = {
    {.name = "solver", .n_alternatives = 2, .alternatives = solvers},
    {.name = "output", .n_alternatives = 2, .alternatives = outputs},
};
static struct portolan_assembly plate = {
    .name = "plate", .purpose = "explore", .n_instances = 2, .instances = instances};

struct fixture {
    char file[60];
    struct portolan_palette *palette;
    struct portolan_store *store;
    struct portolan_error err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    int fd;

    *state = f;
    instances[0].selected = instances[1].selected = 0;
    strcpy(f->file, "/tmp/portolan-settle-XXXXXX");
    fd = mkstemp(f->file);
    close(fd);
    unlink(f->file);
    return portolan_palette_create(&f->palette, NULL) ||
           portolan_trial_expect(f->file, &f->store, NULL);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    portolan_store_close(f->store);
    portolan_palette_destroy(f->palette);
    unlink(f->file);
    free(f);
    return 0;
}

/* What the processes of a trial do, as far as OUTCOME; NULL: they leave it running. */
static int64_t run(struct fixture *f, const char *outcome)
{
    struct portolan_name_value mark = {"environment PORTOLAN_EXPERIMENT",
                                       getenv("PORTOLAN_EXPERIMENT")};
    struct portolan_name_value ran[2];
    int64_t id;

    for (size_t i = 0; i < 2; i++)
        ran[i] = (struct portolan_name_value){
            instances[i].name, instances[i].alternatives[instances[i].selected].class_name};
    assert_int_equal(portolan_store_begin_trial(f->store,
                                                &(struct portolan_trial){.assembly = "plate",
                                                                         .purpose = "explore",
                                                                         .ranks = 1,
                                                                         .n_implementations = 2,
                                                                         .implementations = ran,
                                                                         .n_metadata = 1,
                                                                         .metadata = &mark},
                                                &id, NULL),
                     PORTOLAN_OK);
    if (outcome)
        assert_int_equal(portolan_store_end_trial(f->store, id, outcome, 1e9, NULL), PORTOLAN_OK);
    return id;
}

static enum portolan_status settle(struct fixture *f, const char *why)
{
    f->err = (struct portolan_error){0};
    return portolan_trial_settle(
        f->store, &(struct portolan_expected_trial){&plate, f->palette, 1, NULL}, why, &f->err);
}

/* The last trial has this outcome, and the instance (or NULL: none) is blamed for it. */
static void stores(struct fixture *f, size_t n, const char *outcome, const char *blamed)
{
    const struct portolan_store_query query = {.assembly = "plate"};
    struct portolan_sample_set *set;
    const struct portolan_trial *t;
    const char *found = NULL;

    assert_int_equal(portolan_store_read(f->store, &query, false, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_trials, n);
    t = n ? &set->trials[n - 1] : NULL;
    if (t)
        assert_string_equal(t->outcome, outcome);
    for (size_t i = 0; t && i < t->n_metadata; i++)
        if (!strncmp(t->metadata[i].name, PORTOLAN_STORE_BLAMED, strlen(PORTOLAN_STORE_BLAMED)))
            found = t->metadata[i].name + strlen(PORTOLAN_STORE_BLAMED);
    if (!found != !blamed || (found && strcmp(found, blamed) != 0))
        fail_msg("blamed: %s", found ? found : "nobody");
    portolan_sample_set_destroy(set);
}

static void one_that_ended_well_stays_as_it_is(void **state)
{
    run(*state, "finished");
    assert_int_equal(settle(*state, NULL), PORTOLAN_OK);
    stores(*state, 1, "finished", NULL);
}

static void one_that_was_cut_short_failed_by_what_was_changed(void **state)
{
    struct fixture *f = *state;

    instances[0].selected = 1;
    run(f, NULL);
    assert_int_equal(settle(f, NULL), PORTOLAN_ECOMPONENT);
    assert_string_equal(f->err.text, "its processes ended, with status 0, before the run was over");
    stores(f, 1, "failed", "solver");
}

static void of_two_changes_that_which_has_worked_is_not_blamed(void **state)
{
    struct fixture *f = *state;

    instances[0].selected = 1;
    run(f, "finished");
    assert_int_equal(settle(f, NULL), PORTOLAN_OK);
    portolan_store_close(f->store);
    assert_int_equal(portolan_trial_expect(f->file, &f->store, NULL), PORTOLAN_OK);
    instances[1].selected = 1;
    run(f, NULL);
    assert_int_equal(settle(f, "a process ended by Aborted"), PORTOLAN_ECOMPONENT);
    assert_string_equal(f->err.text, "a process ended by Aborted");
    stores(f, 2, "failed", "output");
}

static void of_two_changes_that_never_worked_none_is_blamed(void **state)
{
    instances[0].selected = instances[1].selected = 1;
    run(*state, NULL);
    assert_int_equal(settle(*state, "it hangs"), PORTOLAN_ECOMPONENT);
    stores(*state, 1, "failed", NULL);
}

static void one_that_failed_by_itself_blames_nobody(void **state)
{
    instances[0].selected = 1;
    run(*state, "failed");
    assert_int_equal(settle(*state, "go returned 1"), PORTOLAN_ECOMPONENT);
    stores(*state, 1, "failed", NULL);
}

static void one_that_stored_nothing_is_stored_as_failed(void **state)
{
    instances[1].selected = 1;
    assert_int_equal(settle(*state, "it ended early"), PORTOLAN_ECOMPONENT);
    stores(*state, 1, "failed", "output");
}

static void an_assembly_as_written_that_does_not_begin_is_an_error(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(settle(f, "no such file"), PORTOLAN_EFOREIGN);
    assert_string_equal(f->err.text, "the assembly as written does not begin: no such file");
    stores(f, 0, NULL, NULL);
}

static void one_that_was_ended_from_outside_is_removed(void **state)
{
    struct fixture *f = *state;

    run(f, NULL);
    assert_int_equal(portolan_trial_discard(f->store, &plate, NULL), PORTOLAN_OK);
    stores(f, 0, NULL, NULL);
    assert_int_equal(portolan_trial_discard(f->store, &plate, NULL), PORTOLAN_OK);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)

UNIT_TESTS(TEST(one_that_ended_well_stays_as_it_is),
           TEST(one_that_was_cut_short_failed_by_what_was_changed),
           TEST(of_two_changes_that_which_has_worked_is_not_blamed),
           TEST(of_two_changes_that_never_worked_none_is_blamed),
           TEST(one_that_failed_by_itself_blames_nobody),
           TEST(one_that_stored_nothing_is_stored_as_failed),
           TEST(an_assembly_as_written_that_does_not_begin_is_an_error),
           TEST(one_that_was_ended_from_outside_is_removed))
