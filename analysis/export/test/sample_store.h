/* SPDX-License-Identifier: BSD-3-Clause */
/* A store whose numbers are known by heart, for the tests of exports. */
#ifndef PORTOLAN_EXPORT_TEST_SAMPLE_STORE_H
#define PORTOLAN_EXPORT_TEST_SAMPLE_STORE_H

#include <portolan/store.h>

/*
 * Trial 1, "plate" on 2 ranks; times are k = rank + 1 times these, in microseconds:
 *
 *     driver.go [heat.Driver]               calls 2   inclusive 1300  exclusive 500
 *       solver.solve [heat.Cholmod]         calls 4   inclusive  800  exclusive 700  mpi 50
 *         (n = 32: 3 calls, 700/600; n = 64: 1 call, 100/100)
 *         pre.apply [heat.Jacobi]           calls 1   inclusive  100  exclusive 100
 *
 * with PAPI_TOT_INS 13000 k, 9500 k (8000 k, 1500 k), 1000 k, inclusive; in two steps. Rank 0 has
 * a second thread with one call of a strange name, 77.0005 us. There are user events, and with
 * ROWS the single calls of the first thread:
 *
 *     go 0-1000, solve 100-400, apply 100-200, solve 500-700, solve(64) 800-900;
 *     go 1100-1400, solve 1150-1350
 *
 * Trials 2 to 5, "plate" on 1 rank, are of sizes 16, 16, 32, 64: go takes 1000 n ns, of which
 * solve 900 n, and 10 ns more in trial 3.
 *
 * Trial 6, "sampled": go 1 call, 1000 us inclusive, 950 exclusive as measured; in it tick 100
 * calls, of which 10 were timed, 50 us: an estimated 500, which leaves 500 for go.
 */
enum portolan_status sample_store_fill(struct portolan_store *store, bool rows,
                                       struct portolan_error *err);

/* One more trial, "large", with so many call paths and rows of single calls on every rank. */
enum portolan_status sample_store_add_large(struct portolan_store *store, int ranks, size_t paths,
                                            size_t rows, struct portolan_error *err);

#define STRANGE_METHOD "run;\"it\",\n\\ \xc3\xa9 \xff => x"

#endif
