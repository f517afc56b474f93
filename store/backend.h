/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the store needs of a data base: named statements, run with bound values. One file per back
 * end implements this and holds all its SQL; sqlite.c is the only one so far.
 */
#ifndef PORTOLAN_STORE_BACKEND_H
#define PORTOLAN_STORE_BACKEND_H

#include <portolan/store.h>

struct backend;

enum statement {
    /* Transactions. */
    BEGIN_READ,
    BEGIN_WRITE,
    COMMIT,
    ROLLBACK,
    /* Rows of a trial: values in the order of the schema. */
    ADD_TRIAL,
    END_TRIAL,
    HAS_TRIAL,
    ADD_PARAMETER,
    ADD_IMPLEMENTATION,
    PUT_METADATA,
    /* Identities: FIND gives the row's id, ADD makes the row. */
    FIND_STEP,
    ADD_STEP,
    FIND_METRIC,
    ADD_METRIC,
    FIND_THREAD,
    ADD_THREAD,
    FIND_COMPONENT,
    ADD_COMPONENT,
    FIND_PORT,
    ADD_PORT,
    FIND_TIMER,
    ADD_TIMER,
    FIND_CALLPATH,
    ADD_CALLPATH,
    /* Measurements. */
    ADD_CALL_DATA,
    ADD_CONTEXT,
    ADD_VALUE,
    /* Conclusions. */
    PUT_MODEL,
    ADD_DECISION,
    FIND_DECISION,
    FIND_TRIAL_DECISION,
    ADD_SWAP,
    /* Reading. */
    READ_TRIALS,
    READ_PARAMETERS,
    READ_IMPLEMENTATIONS,
    READ_METADATA,
    READ_SAMPLES,
    READ_CONTEXTS,
    READ_COUNTERS,
    STATEMENT_COUNT
};

/** BUSY_MS: how long to wait for other processes. */
enum portolan_status backend_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                  struct backend **backend, struct portolan_error *err);

/** NULL is legal. An open transaction is rolled back. */
void backend_close(struct backend *backend);

/*
 * Runs a statement that gives no rows, or of which the first row's first column is all that
 * matters. TYPES has one letter per value: i int64_t, d double (NaN becomes NULL), t const char *
 * (borrowed for the call; NULL becomes NULL). *RESULT (may be NULL): for a query the first row's
 * first column or 0 when there is no row, else the id of the new row.
 */
enum portolan_status backend_run(struct backend *backend, enum statement which, int64_t *result,
                                 struct portolan_error *err, const char *types, ...);

/** How many rows the last statement changed. */
int64_t backend_changes(struct backend *backend);

/*
 * Starts a query; backend_next() then steps through its rows and tells with *ROW whether there is
 * one. Texts of a row live until the next step. backend_reset() ends it early.
 */
enum portolan_status backend_query(struct backend *backend, enum statement which,
                                   struct portolan_error *err, const char *types, ...);
enum portolan_status backend_next(struct backend *backend, enum statement which, bool *row,
                                  struct portolan_error *err);
void backend_reset(struct backend *backend, enum statement which);
int64_t backend_int(struct backend *backend, enum statement which, int column);
double backend_double(struct backend *backend, enum statement which, int column);
const char *backend_text(struct backend *backend, enum statement which, int column);

#endif
