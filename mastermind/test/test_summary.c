/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics merged over ranks against those computed from all values at once. */
#include <unit_test.h>

#include "recorder_internal.h"

#include <math.h>

enum { RANKS = 13 };

static struct portolan_sample sample(int64_t parent, const char *instance, int thread)
{
    return (struct portolan_sample){.parent = parent,
                                    .user = "",
                                    .uses = "",
                                    .instance = instance,
                                    .port = "p",
                                    .implementation = "t.Class",
                                    .port_type = "t.Port",
                                    .method = "solve",
                                    .thread = thread,
                                    .calls = 1,
                                    .exclusive_ns = 1,
                                    .min_ns = 2,
                                    .max_ns = 2};
}

/* What rank R spends in solve: near to each other beside their size. */
static double time_of(int r)
{
    return 1e12 + (r * 7919 % 13) * 1e-2;
}

static bool is_absent(int r)
{
    return r == 0 || r % 5 == 3;
}

static void pack_rank(int r, void **bytes, size_t *size)
{
    struct portolan_sample samples[4];
    struct portolan_slice p = {
        .samples = samples,
        .n_counters = 2,
        .counters = {r % 2 ? "PAPI_B" : "PAPI_A", r % 2 ? "PAPI_C" : "PAPI_B"}};
    struct totals t = {0};
    int64_t top;

    if (r % 2) /* the order of siblings differs from rank to rank */
        samples[p.n++] = sample(-1, "other", 0);
    top = (int64_t)p.n;
    samples[p.n++] = sample(-1, "driver", 0);
    for (int thread = 0; thread < 2 && !is_absent(r); ++thread) {
        struct portolan_sample *s = &samples[p.n++];

        *s = sample(top, "solver", thread);
        s->n_counters = 2;
        s->counter[0] = 10 + r;
        s->counter[1] = 100 + r;
        s->min_ns = 5 - r;
        s->max_ns = 5 + r;
    }
    for (size_t i = 0; i < p.n; ++i) {
        samples[i].inclusive_ns = time_of(r);
        samples[i].exclusive_ns += r;
        samples[i].mpi_ns = 1;
    }
    assert_int_equal(totals_add(&t, &p, NULL), PORTOLAN_OK);
    assert_int_equal(totals_pack(&t, r, bytes, size, NULL), PORTOLAN_OK);
    totals_clear(&t);
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

static void read_table(struct summary *s, const void *bytes, size_t size)
{
    struct portolan_block b;

    portolan_block_open(&b, bytes, size);
    summary_carry(&b, s);
    assert_int_equal(portolan_block_finish(&b, NULL), PORTOLAN_OK);
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
    const struct portolan_path_summary *rows, *row;
    struct summary s = {0};
    double all[RANKS], some[RANKS], a[RANKS] = {0}, b[RANKS] = {0};
    size_t size, n;
    void *bytes;
    int present = 0;

    reduce(0, RANKS - 1, &bytes, &size);
    read_table(&s, bytes, size);
    rows = s.rows;
    n = s.n;
    assert_int_equal(n, 3);
    assert_true(s.first == 0 && s.ranks == RANKS);
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
    assert_int_equal(row->n_threads, 2 * present);
    assert_string_equal(rows[row->parent].instance, "driver");
    assert_true(row->calls_sum == 2 * present && row->timed_calls == 2 * present);
    assert_true(row->one_min_ns == 5 - 12 && row->one_max_ns == 5 + 12);
    assert_int_equal(find(rows, n, "other")->n_ranks, RANKS / 2);
    summary_clear(&s);
    free(bytes);
}

static void an_empty_block_adds_nothing(void **state)
{
    void *bytes, *both;
    size_t size, both_size;
    struct summary s = {0};

    pack_rank(1, &bytes, &size);
    assert_int_equal(summary_merge(NULL, NULL, 0, bytes, size, &both, &both_size), PORTOLAN_OK);
    read_table(&s, both, both_size);
    assert_true(s.n == 3 && s.ranks == 1);
    summary_clear(&s);
    free(both);
    free(bytes);
}

static void broken_blocks_are_refused(void **state)
{
    void *bytes, *good, *both = NULL;
    size_t size, both_size = 0;

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
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    pack_rank(1, &one, &one_size);
    pack_rank(2, &two, &two_size);
    while (next_allocation_fails(&n, status)) {
        status = summary_merge(NULL, one, one_size, two, two_size, &both, &both_size);
        portolan_alloc_fail_at(0);
    }
    assert_true(n > 8);
    free(both);
    free(one);
    free(two);
}

UNIT_TESTS(cmocka_unit_test(ranks_merged_up_a_tree_give_the_statistics_of_all),
           cmocka_unit_test(an_empty_block_adds_nothing),
           cmocka_unit_test(broken_blocks_are_refused),
           cmocka_unit_test(every_failing_allocation_leaves_nothing_behind))
