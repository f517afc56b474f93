/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a study by a program that stands in for `portolan`. */
#include <portolan/clue_study.h>

#include "unit_test.h"

#include <math.h>
#include <sys/stat.h>

/* What a run says if the command is this script, which gets the words of a run in "$@". */
static enum portolan_status run(const char *script, bool is_record, struct clue_study_value *value,
                                struct portolan_error *err)
{
    static const char *const options[] = {"compute=none", "--quiet"}, *const words[] = {"a.out"};
    const char *file = test_file_write("stand_in", script);
    const struct clue_study_run it = {
        .machine = "m.xml", .ranks = 3, .n_words = 1, .words = words, .is_record = is_record};
    struct clue_study_runner runner = {.command = file, .options = options, .n_options = 2};

    assert_int_equal(chmod(file, 0700), 0);
    *value = (struct clue_study_value){0};
    return clue_study_run_virtually(&runner, &it, value, err);
}

static void the_report_becomes_a_value(void **state)
{
    static const char script[] =
        "#!/bin/sh\ncase \"$*\" in 'clue run -m m.xml -n 3 --no-trial --quiet --json '*"
        "' --compute=none --quiet -- a.out') ;; *) exit 1 ;; esac\n"
        "echo '{\"virtual_ns\":2e9,\"low_ns\":1e9,\"critical_path\":{\"network_ns\":5e8}}' "
        ">\"${10}\"\n";
    struct clue_study_value value;
    struct portolan_error err = {0};

    if (run(script, false, &value, &err))
        fail_msg("%s", err.text);
    assert_true(fabs(value.value - 2) < 1e-12);
    assert_true(fabs(value.low - 1) < 1e-12);
    assert_true(fabs(value.high - 2) < 1e-12); /* not in the report */
    assert_true(fabs(value.communication - 0.25) < 1e-12);
    assert_int_not_equal(run(script, true, &value, NULL), PORTOLAN_OK); /* no "--" for a record */
}

static void a_failed_run_says_its_last_line(void **state)
{
    struct clue_study_value value;
    struct portolan_error failed = {0}, silent = {0};

    assert_int_equal(
        run("#!/bin/sh\necho first\necho no such rank >&2\nexit 1\n", false, &value, &failed),
        PORTOLAN_EFOREIGN);
    assert_true(strstr(failed.text, "no such rank") == failed.text);
    assert_int_equal(run("#!/bin/sh\necho '{}' >\"${10}\"\n", false, &value, &silent),
                     PORTOLAN_EFOREIGN);
    assert_string_equal(silent.text, "the run reported no virtual time");
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove,
                   cmocka_unit_test(the_report_becomes_a_value),
                   cmocka_unit_test(a_failed_run_says_its_last_line))
