/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic.h"

#include <portolan/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank, size, next, before, next_reversed, before_reversed;
MPI_Comm reversed;
struct portolan_probe_traffic *old;
size_t n_old;

struct portolan_probe_traffic find(const struct portolan_probe_traffic *rows, size_t n,
                                   const char *routine, int partner, bool received)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].partner == partner && rows[i].received == received &&
            strcmp(rows[i].routine, routine) == 0)
            return rows[i];
    return (struct portolan_probe_traffic){0};
}

int watch(void **state)
{
    free(old);
    return portolan_probe_traffic_take(&old, &n_old) != PORTOLAN_OK;
}

void expect(const char *routine, int partner, bool received, uint64_t calls, uint64_t bytes)
{
    struct portolan_probe_traffic *now, was, is;
    size_t n;

    assert_int_equal(portolan_probe_traffic_take(&now, &n), PORTOLAN_OK);
    was = find(old, n_old, routine, partner, received);
    is = find(now, n, routine, partner, received);
    free(now);
    if (is.calls - was.calls != calls || is.bytes - was.bytes != bytes)
        fail_msg("rank %d: %s %s %d: %ld calls, %ld bytes and not %ld, %ld", rank, routine,
                 received ? "from" : "to", partner, (long)(is.calls - was.calls),
                 (long)(is.bytes - was.bytes), (long)calls, (long)bytes);
}

int run_in_ring(const char *group, const struct CMUnitTest *tests, size_t n)
{
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    next_reversed = size - 1 - next;
    before_reversed = size - 1 - before;
    failed = _cmocka_run_group_tests(group, tests, n, NULL, NULL);
    MPI_Comm_free(&reversed);
    free(old);
    portolan_mpi_finalize();
    return failed;
}
