/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_STORE_TEST_FIXTURE_H
#define PORTOLAN_STORE_TEST_FIXTURE_H

#include <portolan/store.h>
#include <unit_test.h>

/**
 * A fresh folder per test; *STATE is the path of a store in it that does not exist yet. Where
 * PORTOLAN_TEST_POSTGRES has a server's URI, a fresh schema there.
 */
int setup_folder(void **state);
int teardown_folder(void **state);

/** A trial of assembly "plate" on 2 ranks. */
int64_t begin_plate(struct portolan_store *store);

enum { STEP_SAMPLES = 5 };

/** go → solver.solve (two contexts) on rank 0, the same with one context on rank 1; exact times. */
void make_step(int step, struct portolan_sample samples[STEP_SAMPLES]);

/** make_step() for the steps FIRST to LAST, stored. */
void put_steps(struct portolan_store *store, int64_t trial, int first, int last);

struct portolan_store *open_or_fail(const char *path, enum portolan_store_mode mode);
struct portolan_sample_set *read_or_fail(struct portolan_store *store,
                                         const struct portolan_store_query *query);

/** Samples of all trials. */
size_t count_samples(const char *path);

/** What is said when the store at PATH is refused with STATUS. */
struct portolan_error refusal_of(const char *path, enum portolan_store_mode mode,
                                 enum portolan_status status);

/**
 * One program holds the store in the middle of a transaction, another wants to write: it is told,
 * and later stores the same. Leaves one trial with two steps.
 */
void meet_a_lock(const char *path);

/** Statements that make a store of schema version 3 of one of today. */
#define FIXTURE_TO_VERSION_4                                                                       \
    "DROP TABLE finding; DROP TABLE diagnosis; UPDATE schema_version SET version = 4;"
/** The same for version 3. */
#define FIXTURE_TO_VERSION_3                                                                       \
    FIXTURE_TO_VERSION_4                                                                           \
    "DROP TABLE expectation; DROP TABLE alternative; DROP TABLE reason;"                           \
    " UPDATE schema_version SET version = 3;"
/** The same for version 2. */
#define FIXTURE_TO_VERSION_2                                                                       \
    FIXTURE_TO_VERSION_3                                                                           \
    "DROP VIEW callpath_summary; DROP VIEW sample; DROP TABLE lifted_veto;"                        \
    " ALTER TABLE call_data DROP COLUMN failed_calls; UPDATE schema_version SET version = 2;"      \
    " CREATE VIEW sample AS SELECT calls FROM call_data;"

/** The number that an SQL query gives. */
int64_t count_in(const char *path, const char *query);
/** Runs statements behind the store's back. */
void execute_in(const char *path, const char *statements);

#endif
