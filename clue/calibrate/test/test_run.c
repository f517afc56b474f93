/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration as a whole, without measuring: factors, hosts, and what the check says. */
#include <portolan/clue_calibrate.h>

#include "unit_test.h"

#include <math.h>

static void a_factor_is_of_medians(void **state)
{
    struct portolan_error err = {0};
    double factor, error;

    assert_int_equal(clue_factor_read("12:10", &factor, &error, &err), PORTOLAN_OK);
    assert_true(fabs(factor - 1.2) < 1e-12);
    assert_true(error == 0);
    assert_int_equal(clue_factor_read("30,20,10:5,1,5", &factor, &error, &err), PORTOLAN_OK);
    assert_true(fabs(factor - 4) < 1e-12);
    assert_true(error > 0);
    assert_int_equal(clue_factor_read("12", &factor, &error, NULL), PORTOLAN_EINVAL);
    assert_int_equal(clue_factor_read("12:", &factor, &error, NULL), PORTOLAN_EINVAL);
    assert_int_equal(clue_factor_read("12:0", &factor, &error, NULL), PORTOLAN_EINVAL);
    assert_int_equal(clue_factor_read("12:x", &factor, &error, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "--factor 12:x: expected times"));
}

static void two_hosts_are_needed(void **state)
{
    struct clue_calibrate_options o = {
        .output = "machine.xml", .name = "machine", .seconds = 1, .cpus = 1, .has_no_check = true};
    struct portolan_error err = {0};
    char *report;

    o.hostfile = test_file_write("hosts", "# the cluster\n\none:4\n");
    assert_int_equal(clue_calibrate(&o, &report, &err), PORTOLAN_EINVAL);
    assert_null(report);
    assert_non_null(strstr(err.text, "does not name two hosts"));
}

static struct clue_sample at(const char *kind, double value)
{
    return (struct clue_sample){.kind = kind, .bytes = 8, .n = 1, .value = value};
}

static void the_check_compares_with_medians(void **state)
{
    struct clue_sample virtual[] = {at("ring", 110), at("slow", 100)}, one[] = {at("ring", 90)},
                       two[] = {at("ring", 100), at("slow", 0)}, three[] = {at("ring", 300)};
    const struct clue_samples v = {.n = 2, .sample = virtual}, real[] = {{.n = 1, .sample = one},
                                                                         {.n = 2, .sample = two},
                                                                         {.n = 1, .sample = three}};
    const struct clue_samples *const all[] = {&real[0], &real[1], &real[2]};
    const struct clue_check check = {.real = all, .n_real = 3, .virtual = &v};
    struct portolan_text out = {0};

    clue_check_add(&check, &(struct clue_errors){.computing = 0.01, .communication = 0.02}, &out);
    assert_non_null(strstr(out.bytes, "110 ns"));
    assert_non_null(strstr(out.bytes, "100 ns"));
    assert_non_null(strstr(out.bytes, "+10.0 %"));
    assert_non_null(strstr(out.bytes, "8 left out: three steps take longer"));
    assert_non_null(strstr(out.bytes, "median error 10.0 %; for intervals: communication 2.0 %"));
    portolan_text_clear(&out);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove, cmocka_unit_test(a_factor_is_of_medians),
                   cmocka_unit_test(two_hosts_are_needed),
                   cmocka_unit_test(the_check_compares_with_medians))
