/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics merged over ranks against those computed from all values at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 13 };

static const char *const root[] = {"", "", "driver", "go", "t.Driver", "t.Go", "go"};
static const char *const solve[] = {"driver",   "s",       "solver", "solve",
                                    "t.Solver", "t.Solve", "solve"};
static const char *const other[] = {"driver", "s", "other", "solve", "t.Other", "t.Solve", "solve"};

/* What rank R spends in solve: near to each other beside their size. */
static double time_of(int r)
{
    return 1e12 + (r * 7919 % 13) * 1e-2;
}

static bool is_absent(int r)
{
    return r == 0 || r % 5 == 3;
}

static void add(struct summary *s, int64_t parent, const char *const names[], int rank,
                const struct summary_values *v, size_t *row)
{
    assert_int_equal(summary_find(s, parent, names, row), PORTOLAN_OK);
    summary_add(s, *row, rank, v);
    s->rows[*row].n_threads = 1;
}

static void pack_rank(int r, void **bytes, size_t *size)
{
    static const char *const even[] = {"PAPI_A", "PAPI_B"}, *const odd[] = {"PAPI_B", "PAPI_C"};
    struct summary_values v = {
        .timed_calls = 1, .one_min_ns = 2, .one_max_ns = 2, .values = {1, time_of(r), 1, 0, r}};
    struct summary s;
    size_t top, row;

    assert_int_equal(summary_init(&s, r % 2 ? odd : even, 2), PORTOLAN_OK);
    if (r % 2) /* the order of siblings differs from rank to rank */
        add(&s, -1, other, r, &v, &row);
    add(&s, -1, root, r, &v, &top);
    v.values[SUMMARY_COUNTERS] = 10 + r;
    v.values[SUMMARY_COUNTERS + 1] = 100 + r;
    v.one_min_ns = 5 - r;
    v.one_max_ns = 5 + r;
    if (!is_absent(r)) {
        add(&s, (int64_t)top, solve, r, &v, &row);
        summary_add(&s, row, r, &v); /* another thread */
    }
    assert_int_equal(summary_pack(&s, bytes, size), PORTOLAN_OK);
    summary_clear(&s);
}

/* Merges the blocks of ranks FIRST … LAST pairwise, as a tree does. */
static void reduce(int first, int last, void **bytes, size_t *size)
{
    int half = (first + last) / 2;
    void *one, *two;
    size_t one_size, two_size;

    if (first == last) {
        pack_rank(first, bytes, size);
        return;
    }
    reduce(first, half, &one, &one_size);
    reduce(half + 1, last, &two, &two_size);
    assert_int_equal(summary_merge(NULL, one, one_size, two, two_size, bytes, size), PORTOLAN_OK);
    free(one);
    free(two);
}

static const struct portolan_path_summary *find(const struct portolan_path_summary *rows, size_t n,
                                                const char *instance)
{
    for (size_t i = 0; i < n; ++i)
        if (!strcmp(rows[i].instance, instance))
            return &rows[i];
    fail_msg("no path of %s", instance);
    return NULL;
}

static const struct portolan_statistics *counter(const struct portolan_path_summary *row,
                                                 const char *name)
{
    for (int i = 0; i < row->n_counters; ++i)
        if (!strcmp(row->counter_name[i], name))
            return &row->counter[i];
    fail_msg("no counter %s", name);
    return NULL;
}

/* Two passes in extended precision. */
static void check(const struct portolan_statistics *s, const double *x)
{
    long double sum = 0, squares = 0;
    int max_rank = 0;

    for (int r = 0; r < RANKS; ++r) {
        sum += x[r];
        max_rank = x[r] > x[max_rank] ? r : max_rank;
    }
    for (int r = 0; r < RANKS; ++r)
        squares += (x[r] - sum / RANKS) * (x[r] - sum / RANKS);
    assert_true(fabs(s->sum - (double)sum) <= 1e-15 * RANKS * (double)sum);
    assert_true(fabs(s->mean - (double)(sum / RANKS)) <= 1e-15 * RANKS * (double)sum / RANKS);
    assert_true(fabs(s->stddev - (double)sqrtl(squares / RANKS)) <=
                1e-2 * (double)sqrtl(squares / RANKS));
    assert_true(s->max == x[max_rank]);
    assert_int_equal(s->max_rank, max_rank);
}

static void ranks_merged_up_a_tree_give_the_statistics_of_all(void **state)
{
    struct portolan_path_summary *rows;
    const struct portolan_path_summary *row;
    double all[RANKS], some[RANKS], a[RANKS] = {0}, b[RANKS] = {0};
    size_t size, n;
    void *bytes;
    int present = 0;

    (void)state;
    reduce(0, RANKS - 1, &bytes, &size);
    assert_int_equal(summary_finish(bytes, size, RANKS, &rows, &n), PORTOLAN_OK);
    assert_int_equal(n, 3);
    for (int r = 0; r < RANKS; ++r) {
        all[r] = time_of(r);
        some[r] = is_absent(r) ? 0 : 2 * time_of(r);
        present += !is_absent(r);
        a[r] = is_absent(r) || r % 2 ? 0 : 2 * (10 + r);
        b[r] = is_absent(r) ? 0 : 2 * (r % 2 ? 10 + r : 100 + r);
    }
    row = find(rows, n, "driver");
    check(&row->inclusive, all); /* whose spread is 1e-14 of their size */
    for (int r = 0; r < RANKS; ++r)
        all[r] = r;
    check(&row->compute, all);
    assert_int_equal(row->n_ranks, RANKS);
    assert_int_equal(row->parent, -1);
    row = find(rows, n, "solver");
    check(&row->inclusive, some);
    check(counter(row, "PAPI_A"), a);
    check(counter(row, "PAPI_B"), b);
    assert_true(row->inclusive.min == 0);
    assert_int_equal(row->n_ranks, present);
    assert_int_equal(row->n_threads, present);
    assert_string_equal(rows[row->parent].instance, "driver");
    assert_true(row->calls_sum == 2 * present && row->timed_calls == 2 * present);
    assert_true(row->one_min_ns == 5 - 12 && row->one_max_ns == 5 + 12);
    assert_int_equal(find(rows, n, "other")->n_ranks, RANKS / 2);
    free(rows);
    free(bytes);
}

static void nobody_was_there_gives_zeros_of_rank_0(void **state)
{
    const struct summary_spread nobody = {0};
    struct portolan_statistics s = summary_statistics(&nobody, 4);

    (void)state;
    assert_true(s.sum == 0 && s.mean == 0 && s.min == 0 && s.max == 0 && s.stddev == 0);
    assert_int_equal(s.max_rank, 0);
}

static void an_empty_block_adds_nothing(void **state)
{
    void *bytes, *both;
    size_t size, both_size, n;
    struct portolan_path_summary *rows;

    (void)state;
    pack_rank(1, &bytes, &size);
    assert_int_equal(summary_merge(NULL, NULL, 0, bytes, size, &both, &both_size), PORTOLAN_OK);
    assert_int_equal(summary_finish(both, both_size, 2, &rows, &n), PORTOLAN_OK);
    assert_int_equal(n, 3);
    free(rows);
    free(both);
    free(bytes);
}

static void broken_blocks_are_refused(void **state)
{
    void *bytes, *good, *both = NULL;
    size_t size, both_size = 0;

    (void)state;
    pack_rank(1, &bytes, &size);
    pack_rank(2, &good, &(size_t){0});
    assert_int_equal(summary_merge(NULL, bytes, size - 8, bytes, size, &both, &both_size),
                     PORTOLAN_EINTERNAL);
    assert_int_equal(summary_merge(NULL, bytes, 3, bytes, size, &both, &both_size),
                     PORTOLAN_EINTERNAL);
    memset((char *)bytes + size / 2, 0x7f, size / 2);
    assert_int_equal(summary_merge(NULL, good, size, bytes, size, &both, &both_size),
                     PORTOLAN_EINTERNAL);
    assert_null(both);
    free(good);
    free(bytes);
}

static void every_failing_allocation_leaves_nothing_behind(void **state)
{
    void *one, *two, *both = NULL;
    size_t one_size, two_size, both_size;
    enum portolan_status status;
    unsigned long n = 0;

    (void)state;
    pack_rank(1, &one, &one_size);
    pack_rank(2, &two, &two_size);
    do {
        portolan_alloc_fail_at(++n);
        status = summary_merge(NULL, one, one_size, two, two_size, &both, &both_size);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
    } while (status);
    assert_true(n > 8);
    free(both);
    free(one);
    free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_merged_up_a_tree_give_the_statistics_of_all),
        cmocka_unit_test(nobody_was_there_gives_zeros_of_rank_0),
        cmocka_unit_test(an_empty_block_adds_nothing),
        cmocka_unit_test(broken_blocks_are_refused),
        cmocka_unit_test(every_failing_allocation_leaves_nothing_behind),
    };

    return cmocka_run_group_tests_name("mastermind summary", tests, NULL, NULL);
}
