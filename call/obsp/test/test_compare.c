/* SPDX-License-Identifier: BSD-3-Clause */
/* A run next to both models, as text: Figure 1 of the paper, with what a caller gives. */
#include <portolan/obsp.h>

#include "unit_test.h"

#include <math.h>

static struct portolan_obsp_comparison all(void)
{
    return (struct portolan_obsp_comparison){.name = "figure",
                                             .given = {.g = NAN, .latency = NAN, .speed = NAN},
                                             .models = {true, true}};
}

/* The text of the comparison, or of the error. The caller frees it. */
static char *compare(const struct portolan_obsp_comparison *o, enum portolan_status expected)
{
    struct portolan_obsp_trace *t = NULL;
    struct portolan_text file = {0};
    struct portolan_error err = {0};
    char *text;

    assert_true(portolan_text_add_file(&file, FIGURE_1, SIZE_MAX));
    assert_int_equal(portolan_obsp_read(file.bytes, file.length, FIGURE_1, NULL, &t, &err), 0);
    portolan_text_clear(&file);
    assert_int_equal(portolan_obsp_compare(o, t, &text, &err), expected);
    portolan_obsp_destroy(t);
    return text ? text : strdup(err.text);
}

/* Whether the line of TEXT that begins with WORD has PART. */
static bool line_has(const char *text, const char *word, const char *part)
{
    const char *at = strstr(text, word), *found = at ? strstr(at, part) : NULL;

    return found && found < at + strcspn(at + 1, "\n") + 1;
}

static void both_models_stand_next_to_the_run(void **state)
{
    struct portolan_obsp_comparison o = all();
    char *text;

    o.given.g = o.given.latency = 0;
    text = compare(&o, PORTOLAN_OK);
    assert_true(strstr(text, "figure: ") == text);
    assert_true(line_has(text, "\nprocessor depth", "OBSP*"));
    assert_true(line_has(text, "\n      all", " 6 ")); /* without costs of messages */
    assert_true(line_has(text, "\n      all", " 8 "));
    assert_true(line_has(text, "\n      all", " 10 ")); /* measured */
    free(text);
    o.totals = true; /* processors, and no superstep */
    text = compare(&o, PORTOLAN_OK);
    assert_null(strstr(text, "superstep"));
    free(text);
    o.models[PORTOLAN_BSP] = false;
    text = compare(&o, PORTOLAN_OK);
    assert_false(line_has(text, "\n      all", " 8 "));
    free(text);
}

static void half_of_a_machine_is_zero(void **state)
{
    struct portolan_obsp_comparison o = all();
    char *text;

    o.given.latency = 2;
    text = compare(&o, PORTOLAN_OK);
    assert_true(line_has(text, "figure:", "g 0 s/byte, L 2 s"));
    free(text);
}

static void constants_are_numbers_of_experiments(void **state)
{
    static const char *const bad[] = {"work=1,x"}, *const unknown[] = {"nothing=1"};
    struct portolan_obsp_comparison o = all();
    char *text;

    o.constants = bad;
    o.n_constants = 1;
    text = compare(&o, PORTOLAN_EINVAL);
    assert_string_equal(text, "--constants work=1,x: 'x' is no number");
    free(text);
    o.constants = unknown;
    free(compare(&o, PORTOLAN_ENOTFOUND));
}

UNIT_TESTS(cmocka_unit_test(both_models_stand_next_to_the_run),
           cmocka_unit_test(half_of_a_machine_is_zero),
           cmocka_unit_test(constants_are_numbers_of_experiments))
