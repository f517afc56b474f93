/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_PROFILE_TEST_FIXTURE_H
#define PORTOLAN_PROFILE_TEST_FIXTURE_H

#include <portolan/profile.h>
#include <unit_test.h>

/** A call path's sample in few words: "a.f" is method f of instance a. */
struct row {
    int64_t parent;
    const char *name;
    int rank, thread;
    int64_t calls;
    double inclusive_ns, exclusive_ns;
    double n; /**< context, 0: none */
    double mpi_ns;
    double min_ns, max_ns, sum_squares_ns2;
    int64_t timed_calls;        /**< 0: all */
    const char *implementation; /**< NULL: test.Class */
};

/** A fresh store in memory per test. */
int setup_store(void **state);
int teardown_store(void **state);

/** A trial of "plate" on RANKS ranks with these facts; its id. */
int64_t begin_trial(struct portolan_store *store, int ranks,
                    const struct portolan_name_value *facts, size_t n_facts);

/** Stores ROWS (at most 32) as step STEP. */
void put_rows(struct portolan_store *store, int64_t trial, int step, const struct row *rows,
              size_t n);

void end_trial(struct portolan_store *store, int64_t trial, const char *outcome);

struct portolan_profile *read_profile(struct portolan_store *store,
                                      const struct portolan_profile_query *query);

/** The first node of this label; fails the test if there is none. */
const struct portolan_profile_node *find_node(const struct portolan_profile *p, const char *label);

#define N_OF(array) (sizeof(array) / sizeof *(array))

#endif
