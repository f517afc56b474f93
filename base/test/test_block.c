/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of values: there and back, and what comes of bytes that are none. */
#include <portolan/block.h>
#include <unit_test.h>

struct item {
    double x;
    const char *name, *other;
};

static void carry_items(struct portolan_block *b, struct item *items, size_t *n)
{
    portolan_block_carry_count(b, n, sizeof items->x);
    for (size_t i = 0; i < *n && i < 3; ++i) {
        portolan_block_carry(b, &items[i].x, sizeof items[i].x);
        portolan_block_carry_text(b, &items[i].name);
        portolan_block_carry_text(b, &items[i].other);
    }
}

static void write_items(void **bytes, size_t *size)
{
    static const char solve[] = "solve", go[] = "go";
    struct item items[] = {{1.5, solve, ""}, {2.5, go, solve}, {3.5, solve, NULL}};
    struct portolan_block b = {0};
    size_t n = 3;

    carry_items(&b, items, &n);
    assert_int_equal(portolan_block_take(&b, bytes, size, NULL), PORTOLAN_OK);
}

static enum portolan_status read_items(const void *bytes, size_t size, struct item *items,
                                       size_t *n)
{
    struct portolan_block b;

    portolan_block_open(&b, bytes, size);
    carry_items(&b, items, n);
    return portolan_block_finish(&b, NULL);
}

static void what_was_written_is_read(void **state)
{
    struct item items[3];
    void *bytes;
    size_t size, n;

    write_items(&bytes, &size);
    assert_int_equal(read_items(bytes, size, items, &n), PORTOLAN_OK);
    assert_int_equal(n, 3);
    assert_true(items[0].x == 1.5 && items[1].x == 2.5 && items[2].x == 3.5);
    assert_string_equal(items[0].name, "solve");
    assert_string_equal(items[1].name, "go");
    assert_ptr_equal(items[2].name, items[0].name); /* it travelled once */
    assert_ptr_equal(items[1].other, items[0].name);
    assert_string_equal(items[2].other, "");
    free(bytes);
}

static void bytes_that_are_cut_off_changed_or_too_many_are_refused(void **state)
{
    struct item items[3];
    char *bytes, *longer;
    size_t size, n;

    write_items((void **)&bytes, &size);
    for (size_t i = 0; i < size; ++i)
        assert_int_equal(read_items(bytes, i, items, &n), PORTOLAN_EINTERNAL);
    longer = calloc(size + 1, 1);
    memcpy(longer, bytes, size);
    assert_int_equal(read_items(longer, size + 1, items, &n), PORTOLAN_EINTERNAL);
    memset(bytes, 0xff, 8); /* more items than there are bytes */
    assert_int_equal(read_items(bytes, size, items, &n), PORTOLAN_EINTERNAL);
    assert_int_equal(n, 0);
    memcpy(bytes, longer, size);
    memset(bytes + 16, 0x7f, 4); /* a text that nobody knows */
    assert_int_equal(read_items(bytes, size, items, &n), PORTOLAN_EINTERNAL);
    free(longer);
    free(bytes);
}

static void items_arrive_in_an_array_of_their_own(void **state)
{
    double written[] = {1, 2, 3}, *in = written, *out;
    struct portolan_block b = {0};
    size_t n = 3, size;
    void *bytes;

    portolan_block_carry_items(&b, &in, &n, sizeof *in);
    assert_int_equal(portolan_block_take(&b, &bytes, &size, NULL), PORTOLAN_OK);
    portolan_block_open(&b, bytes, size);
    portolan_block_carry_items(&b, &out, &n, sizeof *out);
    assert_int_equal(portolan_block_finish(&b, NULL), PORTOLAN_OK);
    assert_int_equal(n, 3);
    assert_memory_equal(out, written, sizeof written);
    free(out);
    portolan_block_open(&b, bytes, size - 1);
    portolan_block_carry_items(&b, &out, &n, sizeof *out);
    assert_int_equal(portolan_block_finish(&b, NULL), PORTOLAN_EINTERNAL);
    assert_int_equal(n, 0);
    free(out);
    free(bytes);
}

static void without_memory_there_is_no_block(void **state)
{
    struct item items[3] = {{1, "a", "b"}, {2, "c", "d"}, {3, "e", "f"}};
    unsigned long at = 0;
    enum portolan_status status = PORTOLAN_ENOMEM;

    while (next_allocation_fails(&at, status)) {
        struct portolan_block b = {0};
        size_t n = 3, size;
        void *bytes;

        carry_items(&b, items, &n);
        status = portolan_block_take(&b, &bytes, &size, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || (status == PORTOLAN_ENOMEM && !bytes));
        free(bytes);
    }
    assert_true(at > 3);
}

static void what_is_refused_stays_refused(void **state)
{
    struct portolan_block b;
    struct portolan_error err = {0};
    double x = 1;

    portolan_block_open(&b, &(double){2}, sizeof(double));
    portolan_block_fail(&b, PORTOLAN_EINTERNAL);
    portolan_block_carry(&b, &x, sizeof x);
    assert_true(x == 0);
    assert_int_equal(portolan_block_finish(&b, &err), PORTOLAN_EINTERNAL);
    assert_non_null(strstr(err.text, "broken"));
    portolan_block_open(&b, NULL, 0);
    assert_int_equal(portolan_block_finish(&b, NULL), PORTOLAN_OK);
}

UNIT_TESTS(cmocka_unit_test(what_was_written_is_read),
           cmocka_unit_test(bytes_that_are_cut_off_changed_or_too_many_are_refused),
           cmocka_unit_test(items_arrive_in_an_array_of_their_own),
           cmocka_unit_test(without_memory_there_is_no_block),
           cmocka_unit_test(what_is_refused_stays_refused))
