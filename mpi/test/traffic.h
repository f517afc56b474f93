/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of noted communication share: ranks in a ring, and what was noted in one test. */
#ifndef PORTOLAN_MPI_TEST_TRAFFIC_H
#define PORTOLAN_MPI_TEST_TRAFFIC_H

#include <mpi.h>
#include <portolan/probe.h>
#include <unit_test.h>

extern int rank, size, next, before; /* neighbours in the ring */
extern MPI_Comm reversed;            /* all ranks in reverse order */
extern int next_reversed, before_reversed;

/* What had been noted when the test began. */
extern struct portolan_probe_traffic *old;
extern size_t n_old;

/* The row of ROWS; zeros when there is none. */
struct portolan_probe_traffic find(const struct portolan_probe_traffic *rows, size_t n,
                                   const char *routine, int partner, bool received);

/* Set-up of each test: OLD is what is noted now. */
int watch(void **state);

/* What was noted since the test began. */
void expect(const char *routine, int partner, bool received, uint64_t calls, uint64_t bytes);

/* main(): the ranks meet, run the tests and part. */
int run_in_ring(const char *group, const struct CMUnitTest *tests, size_t n);

#define OK(call)         assert_int_equal(call, MPI_SUCCESS)
#define TEST(name)       cmocka_unit_test_setup(name, watch)
#define RUN(group, list) run_in_ring(group, list, sizeof(list) / sizeof *(list))

#endif
