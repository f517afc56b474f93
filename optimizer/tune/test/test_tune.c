/* SPDX-License-Identifier: BSD-3-Clause */
/* A command line becomes an assembly; trials of its program are stored by how they ended. */
#include <unit_test.h>

#include <portolan/options.h>
#include <portolan/trials.h>
#include <portolan/tune.h>

#include <math.h>

static const char *const residual = "residual ([0-9.eE+-]+)";

/* The assembly's text for one word of command, with blanks; NULL with *ERR. */
static char *text_of(struct portolan_arena *arena, const char *command, struct portolan_error *err)
{
    char *words[] = {(char *)command};
    const char *varied[] = {"n=8,16"};
    struct tune_line line = {.command = words,
                             .n_command = 1,
                             .accuracy = 1e-3,
                             .accuracy_from = residual,
                             .store = test_file("tune.db"),
                             .n_varied = 1,
                             .varied = varied};

    return tune_make_assembly(arena, &line, err);
}

static struct portolan_assembly *assembly_of(struct portolan_arena *arena, const char *command)
{
    struct heard heard = {0};
    struct portolan_diagnostics d = {.report = hear, .arg = &heard};
    struct portolan_assembly *a = NULL;
    struct portolan_error err = {0};
    char *text = text_of(arena, command, &err);

    if (!text || portolan_assembly_read_text(text, strlen(text), "tune", &d, &a, &err))
        fail_msg("%s %s", err.text, heard.text);
    return a;
}

static void a_line_becomes_options(void **state)
{
    struct portolan_arena arena = {0};
    struct portolan_assembly *a =
        assembly_of(&arena, "./solve -n {n} {pc:-pc none|-pc ilu -fill {fill:1..3}} {t:1..8*2}");

    assert_string_equal(a->name, "solve");
    assert_int_equal(a->program->n_options, 3);
    assert_int_equal(portolan_options_count(a, 100), 4 + 3 * 4);
    assert_string_equal(tune_command_line(a, 0, &arena), "./solve -n 16 -pc none 1");
    assert_int_equal(a->n_sweeps, 1);
    assert_int_equal(portolan_options_offer(a, "pc=ilu fill=2 t=8", NULL), PORTOLAN_OK);
    assert_string_equal(tune_command_line(a, 1, &arena), "./solve -n 16 -pc ilu -fill 2 8");
    assert_int_equal(tune_select(a, "pc=ilu fill=3 t=2", NULL), PORTOLAN_OK);
    assert_string_equal(tune_command_line(a, 0, &arena), "./solve -n 16 -pc ilu -fill 3 2");
    assert_int_equal(tune_select(a, "pc=lu", NULL), PORTOLAN_ENOTFOUND);
    portolan_assembly_destroy(a);
    portolan_arena_clear(&arena);
}

static void values_are_named_by_what_tells_them_apart(void **state)
{
    static const char *const expected[] = {"gzip_-1", "gzip_-6", "xz_-0", "zstd"};
    struct portolan_arena arena = {0};
    struct portolan_assembly *a = assembly_of(
        &arena, "./solve {n} {c:gzip -1|gzip -6|xz -0|zstd} {k:-a x|-b x} {t:-pc lu|r s}");
    const struct portolan_assembly_instance *o = a->program->options;

    for (size_t k = 0; k < 4; k++)
        assert_string_equal(o[0].alternatives[k].class_name, expected[k]);
    assert_string_equal(o[1].alternatives[0].class_name, "-a_x");
    assert_string_equal(o[1].alternatives[1].class_name, "-b_x");
    assert_string_equal(o[2].alternatives[0].class_name, "lu");
    assert_string_equal(o[2].alternatives[1].class_name, "r_s");
    portolan_assembly_destroy(a);
    portolan_arena_clear(&arena);
}

static void mistakes_in_a_line(void **state)
{
    struct portolan_arena arena = {0};
    struct portolan_error one = {0}, open = {0};

    assert_null(text_of(&arena, "./solve {pc:-pc none}", &one));
    assert_int_equal(one.status, PORTOLAN_EINVAL);
    assert_non_null(strstr(one.text, "option 'pc' has one value"));
    assert_null(text_of(&arena, "./solve {pc:-pc none|-pc ilu", &open));
    assert_non_null(strstr(open.text, "has no closing brace"));
    portolan_arena_clear(&arena);
}

/* Runs a trial of the combination; *TRIALS has all stored ones. */
static enum portolan_status run(struct portolan_assembly *a, const char *combination,
                                double limit_s, struct portolan_sample_set **trials,
                                struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = a->name};
    struct portolan_store *store = NULL;
    struct tune_session s;
    enum portolan_status status;
    int number = 1;

    assert_int_equal(tune_select(a, combination, NULL), PORTOLAN_OK);
    a->purpose = "explore";
    assert_int_equal(tune_open(&s, a, NULL, "mpiexec", NULL), PORTOLAN_OK);
    status = tune_run_trial(&s, limit_s, &number, err);
    assert_int_equal(number, 0);
    assert_int_equal(portolan_store_open(s.store, PORTOLAN_STORE_READ, &store, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read(store, &query, true, trials, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    tune_close(&s);
    return status;
}

static const struct portolan_trial *last_of(const struct portolan_sample_set *set)
{
    return &set->trials[set->n_trials - 1];
}

static void trials_are_stored_by_how_they_ended(void **state)
{
    static const struct {
        const char *name, *outcome, *why;
    } cases[] = {
        {"good", "finished", ""},
        {"silent", "failed", "its output has no number for the accuracy"},
        {"nan", "failed", "its output has no number for the accuracy; its last line is 'residual"},
        {"broken", "failed", "status 3"},
        {"hang", "stopped", "limit"},
    };
    struct portolan_arena arena = {0};
    struct portolan_assembly *a =
        assembly_of(&arena, "sh -c \"echo {n}; case {x:good|silent|nan|broken|hang} in good) echo "
                            "residual 1e-6;; nan) echo residual -;; broken) exit 3;; hang) "
                            "exec sleep 100;; esac\"");
    struct portolan_sample_set *set = NULL;
    struct portolan_text table = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_error err = {0};
        char combination[32];
        enum portolan_status status;

        snprintf(combination, sizeof combination, "x=%s", cases[i].name);
        portolan_sample_set_destroy(set);
        status = run(a, combination, i == 4 ? 0.2 : 0, &set, &err);
        assert_int_equal(status, i ? PORTOLAN_ECOMPONENT : PORTOLAN_OK);
        assert_string_equal(last_of(set)->outcome, cases[i].outcome);
        if (!strstr(err.text, cases[i].why))
            fail_msg("'%s' has no '%s'", err.text, cases[i].why);
        assert_true(tune_has_parameters(a, last_of(set)));
    }
    assert_int_equal(set->n_samples, 1);
    assert_true(set->samples[0].quality == 1e-6);
    assert_true(set->samples[0].inclusive_ns > 0);
    assert_string_equal(portolan_trial_peek_fact(last_of(set), "last lines"), "16");
    tune_list_failures(a, set, &table);
    assert_non_null(strstr(table.bytes, "2 of 5: its output has no number for the accuracy"));
    portolan_text_clear(&table);
    portolan_sample_set_destroy(set);
    portolan_assembly_destroy(a);
    portolan_arena_clear(&arena);
}

static void stored_trials_offer_their_combinations(void **state)
{
    struct portolan_arena arena = {0};
    struct portolan_assembly *a = assembly_of(&arena, "echo residual 0 {x:a|b|c} {y:d|e}");
    struct portolan_sample_set *set = NULL;
    struct portolan_text document = {0};
    struct portolan_error err = {0};
    bool is_race = true, grew = false;

    assert_int_equal(run(a, "x=b y=e", 0, &set, &err), PORTOLAN_OK);
    assert_int_equal(tune_select(a, "x=a y=d", NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 1);
    assert_int_equal(tune_offer_measured(a, set, &err), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 2);
    assert_string_equal(a->instances[0].alternatives[1].class_name, "x=b y=e");
    assert_int_equal(tune_write_hyperfine(a, test_file("tune.db"), &document, &err), PORTOLAN_OK);
    assert_non_null(strstr(document.bytes, "echo residual 0 b e"));
    portolan_text_clear(&document);
    assert_int_equal(tune_offer(a, NULL, &is_race, &grew, &err), PORTOLAN_OK);
    assert_true(grew && !is_race);
    assert_int_equal(a->instances[0].n_alternatives, 6);
    portolan_sample_set_destroy(set);
    portolan_assembly_destroy(a);
    portolan_arena_clear(&arena);
}

static void a_program_that_is_not_there(void **state)
{
    struct portolan_arena arena = {0};
    struct portolan_assembly *a = assembly_of(&arena, "./no-such-program {x:a|b}");
    struct portolan_error err = {0};
    struct tune_session s;

    assert_int_equal(tune_open(&s, a, NULL, "mpiexec", &err), PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "cannot run './no-such-program': No such file or directory");
    tune_close(&s);
    portolan_assembly_destroy(a);
    portolan_arena_clear(&arena);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove, cmocka_unit_test(a_line_becomes_options),
                   cmocka_unit_test(values_are_named_by_what_tells_them_apart),
                   cmocka_unit_test(mistakes_in_a_line),
                   cmocka_unit_test(trials_are_stored_by_how_they_ended),
                   cmocka_unit_test(stored_trials_offer_their_combinations),
                   cmocka_unit_test(a_program_that_is_not_there))
