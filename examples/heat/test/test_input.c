/* SPDX-License-Identifier: BSD-3-Clause */
/* Good input files are read; every mistake is reported on its line with what would be right. */
#include "heat_input.h"

#include <unistd.h>

#include "check.h"

#define GOOD "dimension = 2\ngrid = 40\nsteps = 10\ndt = 0.001\n"

static enum portolan_status read_text(const char *text, struct heat_input *in, int *problems,
                                      struct portolan_error *err)
{
    char file[] = "/tmp/heat-input-XXXXXX";
    struct portolan_diagnostics d = {0};
    int fd = mkstemp(file);
    enum portolan_status status;
    const char *behind;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    status = heat_input_read(file, in, &d, err);
    unlink(file);
    *problems = d.count;
    if (status == PORTOLAN_ESYNTAX) { /* the texts wanted below start behind the file's name */
        assert_memory_equal(err->text, file, strlen(file));
        behind = err->text + strlen(file) + 1;
        memmove(err->text, behind, strlen(behind) + 1);
    }
    return status;
}

static void a_full_file_is_read(void **state)
{
    struct heat_input in;
    struct portolan_error err = {0};
    int problems;

    assert_int_equal(read_text("# a block\n\ndimension = 3 # cube\n grid=12\nsteps = 7\ndt = 1e-3\n"
                               "k0 = 2\nk1 = 0.5\nk2 = -0.25\ntolerance = 1e-9\noverlap = 3\n"
                               "solution = torch\n",
                               &in, &problems, &err),
                     PORTOLAN_OK);
    assert_int_equal(problems, 0);
    assert_int_equal(in.dimension, 3);
    assert_int_equal(in.grid, 12);
    assert_int_equal(in.steps, 7);
    assert_true(in.time_step == 1e-3 && in.k0 == 2.0 && in.k1 == 0.5 && in.k2 == -0.25);
    assert_true(in.tolerance == 1e-9);
    assert_int_equal(in.overlap, 3);
    assert_int_equal(in.solution, HEAT_TORCH);
}

static void what_is_left_out_has_its_default(void **state)
{
    struct heat_input in;
    struct portolan_error err = {0};
    int problems;

    assert_int_equal(read_text(GOOD, &in, &problems, &err), PORTOLAN_OK);
    assert_true(in.k0 == 1.0 && in.k1 == 0.0 && in.k2 == 0.0 && in.tolerance == 1e-8);
    assert_int_equal(in.overlap, 2);
    assert_int_equal(in.solution, HEAT_MANUFACTURED);
}

static void every_mistake_is_told_on_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {GOOD "gird = 3\n", "5: unknown key \"gird\", did you mean \"grid\"?"},
        {GOOD "temperature = 3\n", "5: unknown key \"temperature\", known are dimension, grid"},
        {GOOD "overlap 3\n", "5: \"overlap 3\" has no \"=\", a line is \"key = value\""},
        {"grid = 40x\n" GOOD, "1: grid = \"40x\", wanted a whole number of interior points"},
        {GOOD "grid = 50\n", "5: \"grid\" was given on line 2 already"},
        {"\ndimension = 4\n", "2: dimension = \"4\", wanted 2 (plate) or 3 (block)"},
        {"dimension = 2.5\n", "1: dimension = \"2.5\", wanted 2 (plate) or 3 (block)"},
        {GOOD "k0 = 0\n", "5: k0 = \"0\", wanted a conductivity greater than 0"},
        {GOOD "k1 = nan\n", "5: k1 = \"nan\", wanted a number"},
        {GOOD "k2 =\n", "5: k2 = \"\", wanted a number"},
        {GOOD "tolerance = 1\n", "5: tolerance = \"1\", wanted a number between 0 and 1"},
        {GOOD "overlap = 0\n", "5: overlap = \"0\", wanted a whole number of layers"},
        {GOOD "solution = exact\n", "5: solution = \"exact\", wanted manufactured, pulse or torch"},
        {"dimension = 2\ngrid = 40\nsteps = 10\n", "3: \"dt\" is missing, add a line \"dt = …\""},
        {"", "1: \"dimension\" is missing"},
        {"dimension = 2\ngrid = 40\nsteps = 0\ndt = 1\n",
         "3: steps = \"0\", wanted a whole number"},
        {"dimension = 2\ngrid = 40\nsteps = 1\ndt = -1\n", "4: dt = \"-1\", wanted a time step"},
        {"dimension = 3\ngrid = 700\nsteps = 1\ndt = 1\n", "2: grid = \"700\" in a block"},
        {"dimension = 2\ngrid = 99999999999999999999\n", "2: grid = \"99999999999999999999\""},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct heat_input in;
        struct portolan_error err = {0};
        int problems;

        assert_int_equal(read_text(bad[i].text, &in, &problems, &err), PORTOLAN_ESYNTAX);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)))
            fail_msg("says \"%s\", wanted \"%s\"", err.text, bad[i].says);
        assert_true(problems >= 1);
    }
}

static void all_mistakes_of_a_file_are_reported(void **state)
{
    struct heat_input in;
    struct portolan_error err = {0};
    int problems;

    assert_int_equal(
        read_text("dimension = 5\ngird = 40\nsteps = x\ndt = 1\n", &in, &problems, &err),
        PORTOLAN_ESYNTAX);
    assert_int_equal(problems, 4); /* and "grid" is missing */
}

static void a_file_that_can_not_be_read_is_named(void **state)
{
    struct heat_input in;
    struct portolan_error err = {0};

    assert_int_equal(heat_input_read("/nowhere/plate.inp", &in, NULL, &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "/nowhere/plate.inp: No such file"));
    assert_int_equal(heat_input_read("/", &in, NULL, NULL), PORTOLAN_EIO);
}

UNIT_TESTS(cmocka_unit_test(a_full_file_is_read),
           cmocka_unit_test(what_is_left_out_has_its_default),
           cmocka_unit_test(every_mistake_is_told_on_its_line),
           cmocka_unit_test(all_mistakes_of_a_file_are_reported),
           cmocka_unit_test(a_file_that_can_not_be_read_is_named))
