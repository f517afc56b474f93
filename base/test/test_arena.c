/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/list.h>
#include <unit_test.h>

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    static const size_t sizes[] = {1, 0, 17, 4096, 5, 100000, 3, 4000, 64};
    enum { N = sizeof sizes / sizeof *sizes };
    struct portolan_arena a = {0};
    unsigned char *got[N];

    for (size_t i = 0; i < N; i++) {
        got[i] = portolan_arena_alloc(&a, sizes[i], 1);
        assert_non_null(got[i]);
        assert_int_equal((uintptr_t)got[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(got[i][k], 0);
        memset(got[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(got[i][k], i + 1);
    assert_ptr_not_equal(got[1], got[2]);
    portolan_arena_clear(&a);
    assert_non_null(portolan_arena_alloc(&a, 8, 1));
    portolan_arena_clear(&a);
}

static void texts_are_copied_and_printed(void **state)
{
    struct portolan_arena a = {0};

    assert_string_equal(portolan_arena_strdup(&a, "solver"), "solver");
    assert_string_equal(portolan_arena_strndup(&a, "solver", 3), "sol");
    assert_string_equal(portolan_arena_printf(&a, "%s.%d", "x", 12), "x.12");
    portolan_arena_clear(&a);
}

static void a_growing_array_keeps_its_items(void **state)
{
    struct portolan_arena a = {0};
    int *items = NULL, *moved;
    size_t moves = 0;

    for (size_t n = 0; n < 1000; n++) {
        moved = portolan_arena_grow(&a, items, n, sizeof *items);
        moves += moved != items;
        items = moved;
        items[n] = (int)n;
    }
    for (size_t n = 0; n < 1000; n++)
        assert_int_equal(items[n], n);
    assert_int_equal(moves, 9); /* rooms of 4, 8, … 1024 */
    portolan_arena_clear(&a);
}

static void items_are_appended(void **state)
{
    struct portolan_arena a = {0};
    int *kept = NULL, *heap = NULL;
    size_t n_kept = 0, n_heap = 0;

    for (int i = 0; i < 100; i++) {
        assert_int_equal(*(int *)portolan_arena_append(&a, &kept, &n_kept, &i, sizeof i), i);
        assert_int_equal(*(int *)portolan_append(&heap, &n_heap, &i, sizeof i), i);
    }
    for (int i = 0; i < 100; i++)
        assert_true(kept[i] == i && heap[i] == i);
    portolan_alloc_fail_at(1);
    assert_null(portolan_append(&heap, &n_heap, &n_heap, sizeof *heap));
    assert_int_equal(n_heap, 100);
    free(heap);
    portolan_arena_clear(&a);
}

static void an_arena_remembers_that_it_failed(void **state)
{
    struct portolan_arena a = {0};
    char *kept;

    kept = portolan_arena_strdup(&a, "kept");
    assert_null(portolan_arena_alloc(&a, SIZE_MAX, 2));
    assert_true(a.failed);
    portolan_arena_clear(&a);
    assert_false(a.failed);
    kept = portolan_arena_strdup(&a, "kept");
    portolan_alloc_fail_at(2); /* counts each allocation, not the blocks behind them */
    assert_non_null(portolan_arena_alloc(&a, 1, 1));
    assert_null(portolan_arena_alloc(&a, 1, 1));
    assert_true(a.failed);
    assert_string_equal(kept, "kept");
    assert_string_equal(portolan_arena_strdup(&a, "more"), "more");
    assert_true(a.failed);
    portolan_arena_clear(&a);
}

static void leave(void *arg)
{
    longjmp(*(jmp_buf *)arg, 1);
}

static void an_arena_may_leave_when_memory_is_out(void **state)
{
    static jmp_buf here;
    static struct portolan_arena a = {.no_memory = leave, .no_memory_arg = &here};
    static struct portolan_text t = {.arena = &a};

    if (!setjmp(here)) {
        portolan_alloc_fail_at(1);
        portolan_text_add(&t, "x");
        fail_msg("came back without memory");
    }
    assert_true(a.failed);
    portolan_arena_clear(&a);
}

static void check_growing(struct portolan_text *t)
{
    char *text;

    for (int i = 0; i < 500; i++) {
        portolan_text_add(t, "%03d", i);
        portolan_text_add_bytes(t, "\n;", 1);
    }
    portolan_text_add(t, "%600s|", "wide");
    assert_false(t->failed);
    assert_int_equal(t->length, 2601);
    assert_int_equal(strlen(t->bytes), 2601);
    assert_memory_equal(t->bytes, "000\n001\n", 8);
    assert_memory_equal(t->bytes + 1996, "499\n ", 5);
    assert_string_equal(t->bytes + 2596, "wide|");
    assert_int_equal(portolan_text_take(t, &text, NULL), PORTOLAN_OK);
    assert_int_equal(t->length, 0);
    assert_null(t->bytes);
    assert_string_equal(text + 2596, "wide|");
    if (!t->arena)
        free(text);
}

static void a_text_grows_in_the_heap_and_in_an_arena(void **state)
{
    struct portolan_arena a = {0};
    struct portolan_text heap = {0}, held = {.arena = &a};

    check_growing(&heap);
    check_growing(&held);
    portolan_text_add(&held, "again");
    assert_string_equal(held.bytes, "again");
    portolan_text_clear(&held);
    portolan_arena_clear(&a);
}

static void a_text_that_failed_stays_as_it_was(void **state)
{
    struct portolan_text t = {0};
    struct portolan_error err = {0};
    char *text;

    portolan_text_add(&t, "begun");
    portolan_alloc_fail_at(1);
    portolan_text_add(&t, "%1000s", "");
    portolan_alloc_fail_at(0);
    assert_true(t.failed);
    portolan_text_add(&t, ", never ended");
    assert_string_equal(t.bytes, "begun");
    assert_int_equal(portolan_text_take(&t, &text, &err), PORTOLAN_ENOMEM);
    assert_null(text);
    assert_string_equal(err.text, "out of memory");
    assert_false(t.failed);
    assert_int_equal(portolan_text_take(&t, &text, &err), PORTOLAN_OK);
    assert_string_equal(text, "");
    free(text);
}

UNIT_TESTS(cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
           cmocka_unit_test(texts_are_copied_and_printed),
           cmocka_unit_test(a_growing_array_keeps_its_items), cmocka_unit_test(items_are_appended),
           cmocka_unit_test(an_arena_remembers_that_it_failed),
           cmocka_unit_test(an_arena_may_leave_when_memory_is_out),
           cmocka_unit_test(a_text_grows_in_the_heap_and_in_an_arena),
           cmocka_unit_test(a_text_that_failed_stays_as_it_was))
