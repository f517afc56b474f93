/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user changes of an assembly, and what a study says when there is nothing to read. */
#include <portolan/cores.h>
#include <portolan/study.h>
#include <portolan/trial_command.h>
#include <portolan/trial_store.h>

#include "unit_test.h"

#include <sys/stat.h>
#include <unistd.h>

static const char heat[] =
    "<assembly name=\"heat\">\n"
    "  <instance name=\"driver\" class=\"heat.Driver\"/>\n"
    "  <instance name=\"solver\" class=\"heat.ConjugateGradients\">\n"
    "    <alternative class=\"heat.Cholmod\"/>\n"
    "  </instance>\n"
    "  <instance name=\"rest\" class=\"heat.Cholmod\"/>\n"
    "  <instance name=\"jacobi\" class=\"heat.Jacobi\"/>\n"
    "  <connect user=\"driver\" uses=\"solver\" provider=\"solver\" provides=\"solver\"/>\n"
    "  <connect user=\"solver\" uses=\"preconditioner\" provider=\"jacobi\" "
    "provides=\"preconditioner\"/>\n"
    "  <go instance=\"driver\" port=\"go\"/>\n"
    "</assembly>\n";

/* Opens the assembly with a setting; it is freed with the options' lists. */
static enum portolan_status open_with(struct workbench *w, const char *set, const char *select,
                                      const char *store, struct portolan_error *err)
{
    struct assembly_options o = {
        .file = test_file_write("heat.xml", heat), .path = PALETTE, .store = store};

    if (set) {
        o.sets = portolan_calloc(1, sizeof *o.sets);
        o.sets[o.n_sets++] = set;
    }
    if (select) {
        o.selects = portolan_calloc(1, sizeof *o.selects);
        o.selects[o.n_selects++] = select;
    }
    return workbench_open(w, &o, NULL, err);
}

static void settings_change_the_assembly(void **state)
{
    struct portolan_error err = {0};
    struct workbench w;

    if (open_with(&w, "n=32", "solver=heat.Cholmod", NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(portolan_assembly_peek_parameter(w.assembly, "driver", "n"), "32");
    assert_int_equal(portolan_assembly_peek_instance(w.assembly, "solver")->selected, 1);
    assert_null(workbench_peek_store(&w)); /* nothing measures */
    assert_false(workbench_is_diagnosed(&w));
    workbench_close(&w);
    if (open_with(&w, "solver.tolerance=1e-3", NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(portolan_assembly_peek_parameter(w.assembly, "solver", "tolerance"),
                        "1e-3");
    workbench_close(&w);
}

/* The words of a trial's command, with blanks between them, after the name of this program. */
static void a_trial_is_a_run_of_its_own(void **state)
{
    struct portolan_assembly assembly = {.purpose = "explore"};
    struct workbench w = {.assembly = &assembly};
    struct measure_session s = {.w = &w, .store = "p.db"};
    struct assembly_options o = {.file = "a.xml",
                                 .path = "plug-ins",
                                 .n_sets = 1,
                                 .sets = (const char *[]){"driver.n=8"},
                                 .n_cases = 1,
                                 .cases = (const char *[]){"small"}};
    static const struct {
        const char *launcher;
        int ranks;
        const char *before;
    } starts[] = {{NULL, 1, ""}, {NULL, 2, "mpiexec -n 2 "}, {"srun -n  4", 4, "srun -n 4 "}};
    struct portolan_error err = {0};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct trial_command c = {0};
        struct portolan_words words = {0};
        struct portolan_text line = {0};

        assert_int_equal(
            trial_command_here(&c, &o, starts[i].launcher, "mpiexec", starts[i].ranks, &err), 0);
        assert_true(trial_command_words(
            &c, &s, "select solver heat.Cholmod\nset driver steps 1 2\n", &c.arena, &words));
        for (size_t k = 0; k < words.n; k++)
            if (*words.word[k] != '/')
                portolan_text_add(&line, "%s%s", k ? " " : "", words.word[k]);
        assert_memory_equal(line.bytes, starts[i].before, strlen(starts[i].before));
        assert_non_null(strstr(line.bytes, "run --quiet --case=small --set=driver.n=8 --fixed "
                                           "--purpose=explore --store=p.db "
                                           "--select=solver=heat.Cholmod --set=driver.steps=1 2 "
                                           "--path=plug-ins a.xml"));
        portolan_text_clear(&line);
        trial_command_clear(&c);
    }
}

static void who_uses_the_cores_is_said_in_a_line(void **state)
{
    struct portolan_machine_reading before;
    struct portolan_machine_verdict v = {.cores = 2, .others_percent = 60, .steal_percent = 1.5};
    struct portolan_text quiet = {0}, busy = {0};
    struct portolan_error err = {0};
    int n_hosts = 0;

    cores_describe(&v, &quiet);
    assert_non_null(strstr(quiet.bytes, "idle 38 %, steal 1.5 %"));
    assert_non_null(strstr(quiet.bytes, ": quiet"));
    v.is_disturbed = true;
    snprintf(v.reason, sizeof v.reason, "others");
    cores_describe(&v, &busy);
    assert_non_null(strstr(busy.bytes, ": others; expect disturbed times"));
    portolan_machine_read(&before);
    assert_int_equal(cores_look(portolan_cohort_alone(), &before, true, &v, &n_hosts, &err), 0);
    assert_int_equal(n_hosts, 1);
    assert_true(v.cores >= 1);
    portolan_text_clear(&quiet);
    portolan_text_clear(&busy);
}

static void a_parameter_without_instance_has_one_owner(void **state)
{
    struct portolan_error two = {0}, none = {0}, keeper = {0};
    struct workbench w;

    assert_int_equal(open_with(&w, "tolerance=1e-3", NULL, NULL, &two), PORTOLAN_EINVAL);
    assert_non_null(strstr(two.text, "both 'solver' and 'rest' have this parameter; write "
                                     "solver.tolerance=VALUE"));
    assert_int_equal(open_with(&w, "size=1", NULL, NULL, &none), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(none.text, "no instance of"));
    assert_int_equal(open_with(&w, NULL, NULL, "x.db", &keeper), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(keeper.text, "has no instance with an experiment store"));
}

static void what_cannot_be_loaded_is_named_where_it_stands(void **state)
{
    struct heard h = {0};
    struct portolan_diagnostics d = {hear, &h, 0};
    struct portolan_error err = {0};
    struct workbench w;

    if (open_with(&w, NULL, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(workbench_check_loads(&w, &d), PORTOLAN_EFOREIGN);
    assert_int_equal(h.count, 5); /* each class once, and the proxy of a choice */
    assert_int_equal(h.line, 2);
    assert_non_null(strstr(h.first, "heat_driver.so"));
    workbench_close(&w);
}

static void an_optimizer_needs_a_choice_and_steps(void **state)
{
    static const char component[] =
        "<component class=\"t.Chooser\" library=\"t.so\">"
        "<provides port=\"optimizer\" type=\"portolan.ports.Optimizer\"/></component>";
    static const char one[] = "<assembly name=\"a\"><instance name=\"o\" class=\"t.Chooser\"/>"
                              "<instance name=\"p\" class=\"t.Other\">%s</instance></assembly>";
    char text[300];
    struct workbench w;

    for (int has_choice = 0; has_choice < 2; has_choice++) {
        struct portolan_error err = {0};

        snprintf(text, sizeof text, one, has_choice ? "<alternative class=\"t.Chooser\"/>" : "");
        w = (struct workbench){0};
        assert_int_equal(
            portolan_assembly_read_text(text, strlen(text), "a.xml", NULL, &w.assembly, &err),
            PORTOLAN_OK);
        assert_int_equal(portolan_palette_create(&w.palette, &err), PORTOLAN_OK);
        test_file_write("t.xml", component);
        assert_int_equal(portolan_palette_add_path(w.palette, test_folder, NULL, &err),
                         PORTOLAN_OK);
        assert_non_null(strstr(workbench_why_idle(&w, &w.assembly->instances[0]),
                               has_choice ? "nothing calls its port 'steps'"
                                          : "no instance has an <alternative>"));
        assert_null(workbench_why_idle(&w, &w.assembly->instances[1])); /* no Optimizer */
        workbench_close(&w);
    }
}

static enum portolan_status no_machine(const char *file, char **name, struct portolan_error *err)
{
    *name = NULL;
    return portolan_error_set(err, PORTOLAN_EIO, "no %s", file);
}

static void a_store_without_an_assembly_is_no_study(void **state)
{
    const struct study_means means = {.name_machine = no_machine};
    struct study_options o = {.assembly.file = test_file("empty.db")};
    const struct portolan_trial t = {.assembly = "plate", .purpose = "explore", .ranks = 1};
    struct portolan_error err = {0};
    struct portolan_store *store;
    struct study s;
    int64_t id;

    assert_int_equal(portolan_store_open(o.assembly.file, PORTOLAN_STORE_WRITE, &store, NULL), 0);
    assert_int_equal(portolan_store_begin_trial(store, &t, &id, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    /* A wrong name, which no measurement would help with. */
    assert_int_equal(study_open(&s, &o, &means, true, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "has no trial of a wrapped program"));
    assert_false(s.was_read);
}

static void an_assembly_without_measurements_says_what_to_do(void **state)
{
    const struct study_means means = {.name_machine = no_machine};
    struct study_options o = {.assembly.path = PALETTE};
    struct portolan_error err = {0}, machine = {0};
    struct study s;

    o.assembly.file = test_file_write("heat.xml", heat);
    assert_int_equal(study_open(&s, &o, &means, true, &err), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "has no Mastermind"));
    o.machine = "machine.xml";
    assert_int_equal(study_open(&s, &o, &means, true, &machine), PORTOLAN_EIO);
    assert_string_equal(machine.text, "no machine.xml");
}

static void the_store_meant_is_that_of_the_file(void **state)
{
    struct trial_store_options o = {.file = test_file_write("heat.xml", heat), .path = PALETTE};
    struct portolan_error none = {0}, err = {0};
    struct trial_store t;

    assert_int_equal(trial_store_find(&t, &o, NULL, &none), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(none.text, "has no Mastermind, so it has no stored trials"));
    o.store = test_file("other.db"); /* then no component need be there */
    o.path = NULL;
    if (trial_store_find(&t, &o, NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(t.path, o.store);
    assert_string_equal(t.assembly, "heat"); /* of which trials are meant */
    trial_store_close(&t);
    o = (struct trial_store_options){0};
    assert_int_equal(trial_store_find(&t, &o, NULL, &err), PORTOLAN_OK);
    assert_string_equal(t.path, TRIAL_STORE_DEFAULT);
    assert_null(t.assembly);
    trial_store_close(&t);
}

static void only_traces_of_the_store_are_removed(void **state)
{
    struct portolan_arena arena = {0};
    const struct trial_store t = {.path = test_file("traced.db")};
    const char *own = portolan_store_traces(&arena, t.path),
               *trace = portolan_arena_printf(&arena, "%s/1", own),
               *other = portolan_arena_strdup(&arena, test_file("other"));

    assert_int_equal(mkdir(own, 0777), 0);
    assert_int_equal(mkdir(trace, 0777), 0);
    assert_int_equal(mkdir(other, 0777), 0);
    trial_store_remove_trace(&t, other);
    assert_int_equal(access(other, F_OK), 0);
    trial_store_remove_trace(&t, trace);
    assert_int_not_equal(access(own, F_OK), 0); /* it was the last */
    portolan_arena_clear(&arena);
}

static void a_veto_is_lifted_where_trials_are_stored(void **state)
{
    struct portolan_error err = {0}, none = {0};
    struct workbench w;

    if (open_with(&w, NULL, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(study_lift_veto(&w, "solver=heat.Cholmod", &err), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "has no stored trials, so there is no veto to lift"));
    assert_int_equal(study_lift_veto(&w, "solver=heat.Colmod", &none), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(none.text, "did you mean 'heat.Cholmod'?"));
    workbench_close(&w);
}

static void every_other_setting_is_answered_in_a_line(void **state)
{
    const struct study_means means = {.name_machine = no_machine};
    const struct assembly_options o = {.file = test_file_write("heat.xml", heat), .path = PALETTE};
    static const char *const varied[] = {"n=8,16", "tolerance=1,2,3"};
    struct portolan_text out = {0};
    size_t k = 0;

    while (study_choose_at_other(&o, varied, 2, k, &means, &out)) {
        assert_int_equal(out.bytes[out.length - 1], '\n');
        k++;
    }
    assert_int_equal(k, 5); /* all but the last of each */
    assert_memory_equal(out.bytes, "at n=8 tolerance=1: ", 20);
    assert_non_null(strstr(out.bytes, "\nat n=8 tolerance=3: "));
    assert_null(strstr(out.bytes, "at n=16 tolerance=3"));
    portolan_text_clear(&out);
}

/* Trials of plate: 1 finished, 2 failed, 3 finished. */
static void sets_to_be_compared_have_what_finished(void **state)
{
    static const char *const outcomes[] = {"finished", "failed", "finished"};
    const struct portolan_trial t = {.assembly = "plate", .purpose = "fixed", .ranks = 1};
    char *file = strdup(test_file("set.db")), *named = portolan_asprintf("%s@name:plate", file);
    struct {
        const char *set;
        size_t n;
        const char *notes;
    } sets[] = {{"name:plate", 2, "trial 2 did not finish and is left out\n"},
                {"1-2", 2, NULL},
                {named, 2, "trial 2 did not finish and is left out\n"}};
    struct portolan_store *store;
    int64_t id;

    assert_int_equal(portolan_store_open(file, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < 3; i++)
        if (portolan_store_begin_trial(store, &t, &id, NULL) ||
            portolan_store_end_trial(store, id, outcomes[i], 1e9, NULL))
            fail();
    portolan_store_close(store);
    for (size_t i = 0; i < 3; i++) {
        const struct trial_store_options o = {.file = sets[i].set == named ? "other.db" : file};
        struct portolan_trial_list list = {0};
        struct portolan_text notes = {0};
        struct portolan_error err = {0};
        struct trial_store opened;

        if (trial_store_open_set(&opened, &o, sets[i].set, NULL, &list, &notes, &err))
            fail_msg("%s", err.text);
        assert_int_equal(list.n, sets[i].n);
        assert_true(sets[i].notes ? !strcmp(notes.bytes, sets[i].notes) : !notes.length);
        portolan_text_clear(&notes);
        portolan_trials_clear(&list);
        trial_store_close(&opened);
    }
    free(named);
    free(file);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove,
                   cmocka_unit_test(settings_change_the_assembly),
                   cmocka_unit_test(a_trial_is_a_run_of_its_own),
                   cmocka_unit_test(who_uses_the_cores_is_said_in_a_line),
                   cmocka_unit_test(a_parameter_without_instance_has_one_owner),
                   cmocka_unit_test(what_cannot_be_loaded_is_named_where_it_stands),
                   cmocka_unit_test(an_optimizer_needs_a_choice_and_steps),
                   cmocka_unit_test(a_store_without_an_assembly_is_no_study),
                   cmocka_unit_test(an_assembly_without_measurements_says_what_to_do),
                   cmocka_unit_test(the_store_meant_is_that_of_the_file),
                   cmocka_unit_test(only_traces_of_the_store_are_removed),
                   cmocka_unit_test(a_veto_is_lifted_where_trials_are_stored),
                   cmocka_unit_test(every_other_setting_is_answered_in_a_line),
                   cmocka_unit_test(sets_to_be_compared_have_what_finished))
