/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread of an OpenMP team has its own tree, and its rows are told from the others'. */
#include "fixture.h"

#include <omp.h>

enum { THREADS = 4, CALLS = 1000 };

static struct portolan_probe_port port;
static struct portolan_probe_binding binding;
static uint64_t per_thread[64], n_rows;

static void advance(struct worker *w, int64_t n)
{
    (void)w, (void)n;
}

static int count(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    (void)arg;
    for (size_t i = 0; i < n; i++) {
        assert_true(rows[i].thread < 64);
        assert_int_equal(rows[i].ordinal, per_thread[rows[i].thread]++);
    }
    n_rows += n;
    return 0;
}

static void each_thread_of_a_team_has_its_own_records(void **state)
{
    struct worker worker = {.work = advance};
    uint64_t calls = 0, lost;
    unsigned trees = 0;

    bind_worker(&binding, &worker, "user", "provider", "class");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
#pragma omp parallel num_threads(THREADS)
    {
        for (int i = 0; i < CALLS; i++)
            proxy_work(&port, 1);
#pragma omp barrier
    }
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == binding.first_method_handle + METHOD_WORK) {
            assert_int_equal(snap.records[i].calls, CALLS);
            calls += snap.records[i].calls;
            trees++;
        }
    assert_int_equal(trees, THREADS);
    assert_int_equal(calls, THREADS * CALLS);
    assert_int_equal(portolan_probe_rows_take(count, NULL, &lost, NULL), PORTOLAN_OK);
    assert_int_equal(n_rows + lost, THREADS * CALLS);
    assert_int_equal(lost, 0);
}

UNIT_TESTS(cmocka_unit_test(each_thread_of_a_team_has_its_own_records))
