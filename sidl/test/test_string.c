/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>
#include <unit_test.h>

#include "sidlOps.h"
#include "sidl_String.h"

/* MADE is EXPECTED (both may be NULL), and is freed. */
static void assert_made(char *made, const char *expected)
{
    if (expected)
        assert_string_equal(made, expected);
    else
        assert_null(made);
    sidl_String_free(made);
}

static void strings_are_copied_whole_or_in_part(void **state)
{
    char room[8] = "zzzzzzz";

    assert_made(sidl_String_strdup("text"), "text");
    assert_made(sidl_String_strdup(NULL), NULL);
    assert_made(sidl_String_strndup("text", 2), "te");
    assert_made(sidl_String_strndup("text", 9), "text");
    assert_made(sidl_String_strndup("text", 0), NULL);
    assert_made(sidl_String_substring("text", 2), "xt");
    assert_made(sidl_String_substring("text", 4), NULL);
    assert_made(sidl_String_substring(NULL, 0), NULL);
    sidl_String_strcpy(room, "ab");
    assert_string_equal(room, "ab");
    sidl_String_strcpy(room, NULL);
    assert_string_equal(room, "");
    sidl_String_strcpy(NULL, "ab");
    assert_made(sidl_String_alloc(3), "");
    assert_int_equal(sidl_String_strlen("abc"), 3);
    assert_int_equal(sidl_String_strlen(NULL), 0);
}

static void strings_are_compared_null_included(void **state)
{
    assert_true(sidl_String_equals("a", "a") && sidl_String_equals(NULL, NULL));
    assert_false(sidl_String_equals("a", NULL) || sidl_String_equals("a", "b"));
    assert_true(sidl_String_startsWith("heat.Solver", "heat."));
    assert_false(sidl_String_startsWith("heat", "heat.") || sidl_String_startsWith(NULL, ""));
    assert_true(sidl_String_endsWith("libheat.so", ".so"));
    assert_false(sidl_String_endsWith("so", ".so") || sidl_String_endsWith("a", NULL));
}

static void strings_are_joined_and_changed(void **state)
{
    char name[] = "a.b.c";

    assert_made(sidl_String_concat2("a", "b"), "ab");
    assert_made(sidl_String_concat3("a", NULL, "c"), "ac");
    assert_made(sidl_String_concat4("a", "b", "c", "d"), "abcd");
    sidl_String_replace(name, '.', '_');
    assert_string_equal(name, "a_b_c");
    sidl_String_replace(NULL, '.', '_');
}

/* Runs CALL with and without memory; without, it throws. */
#define WITH_AND_WITHOUT(CALL, EXPECTED)                                                           \
    do {                                                                                           \
        sidl_BaseInterface ex = NULL;                                                              \
                                                                                                   \
        assert_made(CALL, EXPECTED);                                                               \
        assert_null(ex);                                                                           \
        portolan_alloc_fail_at(1);                                                                 \
        assert_null(CALL);                                                                         \
        portolan_alloc_fail_at(0);                                                                 \
        assert_true(SIDL_CATCH(ex, "sidl.MemAllocException"));                                     \
        SIDL_CLEAR(ex);                                                                            \
    } while (0)

static void some_functions_throw_without_memory(void **state)
{
    WITH_AND_WITHOUT(sidl_String_alloc_ex(2, &ex), "");
    WITH_AND_WITHOUT(sidl_String_strdup_ex("a", &ex), "a");
    WITH_AND_WITHOUT(sidl_String_strndup_ex("ab", 1, &ex), "a");
    WITH_AND_WITHOUT(sidl_String_concat2_ex("a", "b", &ex), "ab");
    WITH_AND_WITHOUT(sidl_String_concat3_ex("a", "b", "c", &ex), "abc");
    WITH_AND_WITHOUT(sidl_String_concat4_ex("a", "b", "c", "d", &ex), "abcd");
    WITH_AND_WITHOUT(sidl_malloc(1, "note", __FILE__, __LINE__, __func__, &ex), "");
}

static void references_can_be_left_to_the_end_of_the_program(void **state)
{
    static sidl_BaseClass kept;
    sidl_BaseInterface ex;

    kept = sidl_BaseClass__create(&ex);
    assert_non_null(kept);
    sidl_atexit(sidl_deleteRef_atexit, &kept); /* the leak checker looks */
}

UNIT_TESTS(cmocka_unit_test(strings_are_copied_whole_or_in_part),
           cmocka_unit_test(strings_are_compared_null_included),
           cmocka_unit_test(strings_are_joined_and_changed),
           cmocka_unit_test(some_functions_throw_without_memory),
           cmocka_unit_test(references_can_be_left_to_the_end_of_the_program))
