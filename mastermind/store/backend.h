/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface to a data base: named statements, run with values. One file per back end
 * implements `struct backend_ops`; its SQL is in sql.c, which all share, and in a table of its own;
 * a path chooses the back end (backend.c). Code without SQL is above this interface and shared.
 *
 * What a back end must do:
 * - Each statement below takes the values and gives the columns that the SQL of that name in sql.c
 *   or sqlite.c takes and gives, in that order.
 * - BEGIN_WRITE admits one writer at a time (the others wait, at most `busy_ms`, then EBUSY), so
 *   that FIND followed by ADD, and ids counted on from NEXT_…, cannot collide. BEGIN_READ freezes
 *   what is seen until COMMIT. ROLLBACK is legal at any time, also when nothing is open, and leaves
 *   the connection usable; nothing of the transaction is stored then.
 * - PUT_… statements store rows in bulk through put_rows() and give their ids themselves: bound
 *   statements in a loop, COPY, or a pipeline, as the data base likes best. They come within
 *   BEGIN_WRITE … COMMIT; a failure may show as late as COMMIT.
 * - Several queries may be open at once, each statement once; rows stream (a query may have
 *   millions of rows, so a client that keeps whole results needs a cursor).
 * - COMMIT returns PORTOLAN_OK only when the rows survive the death of this process.
 * - Errors: EBUSY (locked), ENOMEM, EFOREIGN (no store of ours, or of a newer schema), EINVAL (a
 *   constraint), EIO (everything else), each with words that say what to do; the caller puts what
 *   was not stored before them.
 */
#ifndef PORTOLAN_STORE_BACKEND_H
#define PORTOLAN_STORE_BACKEND_H

#include <portolan/store.h>
#include <stdarg.h>

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
    /* The trial of a job that is still running and has no such metadata; 0: none. */
    FIND_JOB,
    /* Keeps the longer time; sets the outcome once all ranks have ended. */
    LEAVE_TRIAL,
    DELETE_TRIAL,
    ADD_PARAMETER,
    ADD_IMPLEMENTATION,
    PUT_METADATA,
    DELETE_METADATA,
    PUT_RANK_FACT,
    /* Identities: FIND gives the row's id, ADD makes the row and gives its id; where a back end has
     * identify(), FIND does both for many. */
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
    FIND_LAYOUT,
    ADD_LAYOUT,
    FIND_COUNTER,
    ADD_COUNTER,
    /* The first id that is free. */
    NEXT_CALL_DATA,
    NEXT_INVOCATION,
    /* When the latest regular invocation of a thread started, NULL when there is none. */
    FIND_LAST_START,
    /* Measurements, in bulk. */
    PUT_CALL_PIECE,
    PUT_CALL_DATA,
    PUT_INVOCATION_PIECE,
    PUT_INVOCATION,
    PUT_COUNTER_VALUE,
    PUT_TRAFFIC,
    PUT_SUMMARY,
    PUT_COUNTER_SUMMARY,
    DELETE_COUNTER_VALUES,
    DELETE_TRAFFIC,
    DELETE_SUMMARY,
    DELETE_COUNTER_SUMMARY,
    /* Conclusions. */
    PUT_MODEL,
    ADD_DECISION,
    FIND_DECISION,
    FIND_TRIAL_DECISION,
    ADD_SWAP,
    LIFT_VETO,
    /* If the number exists already, only the outcome changes. */
    PUT_REASON,
    PUT_ALTERNATIVE,
    PUT_EXPECTATION,
    DELETE_DIAGNOSIS,
    PUT_DIAGNOSIS,
    PUT_FINDING,
    /* Reading. */
    READ_TRIALS,
    READ_PARAMETERS,
    READ_IMPLEMENTATIONS,
    READ_METADATA,
    READ_RANK_FACTS,
    READ_LIFTED_VETOES,
    READ_REASONS,
    READ_ALTERNATIVES,
    READ_EXPECTATIONS,
    READ_DIAGNOSES,
    READ_FINDINGS,
    READ_THREADS,
    READ_CALLPATHS,
    READ_LAYOUTS,
    READ_CALL_PIECES,
    READ_CALL_DATA,
    READ_INVOCATIONS,
    READ_LATE_INVOCATIONS,
    READ_COUNTER_VALUES,
    READ_TRAFFIC,
    READ_SUMMARY,
    READ_COUNTER_SUMMARY,
    STATEMENT_COUNT
};

/** The SQL that back ends share; NULL where each has its own. */
extern const char *const backend_sql[STATEMENT_COUNT];

/*
 * Values of a statement; a text has one letter for each: i int64_t, k int64_t whose 0 becomes NULL
 * (keys), d double (NaN becomes NULL), t const char * (borrowed for the call; NULL becomes NULL).
 */
union backend_value {
    int64_t i;
    double d;
    const char *t;
};

enum { BACKEND_VALUES_MAX = 40 };

/** Gives the values of row ROW, of a statement that stores many. */
typedef void (*backend_fill_fn)(void *arg, size_t row, union backend_value *values);

struct backend_ops {
    /**
     * Makes the schema when the data base is empty, brings an older one to today's. BUSY_MS: how
     * long to wait for other processes.
     */
    enum portolan_status (*open)(const char *path, enum portolan_store_mode mode, int busy_ms,
                                 struct backend **backend, struct portolan_error *err);
    /** BUSY_MS from now on. */
    void (*set_patience)(struct backend *b, int busy_ms);
    /**
     * OPTIONAL. Checks whether the data base is still there as it was opened. EIO: its file was
     * deleted, replaced or cut short meanwhile, so that what is written now is lost. EIO, EBUSY:
     * the connection is lost.
     */
    enum portolan_status (*check)(struct backend *b, struct portolan_error *err);
    /** An open transaction is rolled back. */
    void (*close)(struct backend *b);
    /** Starts a statement; rows come with next(), which ends it after the last. */
    enum portolan_status (*start)(struct backend *b, enum statement which, const char *types,
                                  const union backend_value *values, struct portolan_error *err);
    enum portolan_status (*next)(struct backend *b, enum statement which, bool *row,
                                 struct portolan_error *err);
    /** Ends a statement early; legal when it has not been started. */
    void (*reset)(struct backend *b, enum statement which);
    /** The row at hand. Texts live until the next step; NULL is 0, NaN, "". */
    int64_t (*integer)(struct backend *b, enum statement which, int column);
    double (*real)(struct backend *b, enum statement which, int column);
    const char *(*text)(struct backend *b, enum statement which, int column);
    /** Stores N rows whose values FILL gives. */
    enum portolan_status (*put_rows)(struct backend *b, enum statement which, const char *types,
                                     size_t n, backend_fill_fn fill, void *arg,
                                     struct portolan_error *err);
    /**
     * OPTIONAL, for back ends where a round trip takes long: does what backend_identify() does in
     * one of them. FIND stands for both, its TYPES are those of ADD; no name occurs twice.
     */
    enum portolan_status (*identify)(struct backend *b, enum statement find, const char *types,
                                     size_t n, const union backend_value *values, int64_t *ids,
                                     struct portolan_error *err);
};

/** The first member of every back end's struct; open() sets it. */
struct backend {
    const struct backend_ops *ops;
};

extern const struct backend_ops backend_sqlite, backend_postgres;

/** Opens with the back end that PATH is for. */
enum portolan_status backend_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                  struct backend **backend, struct portolan_error *err);

/** PATH as messages may show it, without a password; malloc'ed. */
char *backend_display(const char *path);

/** NULL is legal. An open transaction is rolled back. */
void backend_close(struct backend *backend);

/*
 * Runs a statement that gives no rows, or of which the first row's first column is all that
 * matters. The arguments are as TYPES says. *RESULT (may be NULL): the first row's first column, or
 * 0 when there is no row.
 */
enum portolan_status backend_run(struct backend *backend, enum statement which, int64_t *result,
                                 struct portolan_error *err, const char *types, ...);

/** The same with an array of values. */
enum portolan_status backend_run_values(struct backend *backend, enum statement which,
                                        int64_t *result, struct portolan_error *err,
                                        const char *types, const union backend_value *values);

/**
 * Finds the ids of N names of a kind, or adds the names. VALUES are those of ADD, row by row; FIND
 * takes the first of them. The type p is an i that may refer to an earlier row, by minus the number
 * of that row, from 1 on; the row's id replaces it.
 */
enum portolan_status backend_identify(struct backend *backend, enum statement find,
                                      const char *find_types, enum statement add,
                                      const char *add_types, size_t n,
                                      const union backend_value *values, int64_t *ids,
                                      struct portolan_error *err);

/** Stores N rows; nothing happens when N is 0. */
enum portolan_status backend_put_rows(struct backend *backend, enum statement which,
                                      const char *types, size_t n, backend_fill_fn fill, void *arg,
                                      struct portolan_error *err);

/*
 * Starts a query; backend_next() then steps through its rows, and *ROW says whether there is
 * one. Texts of a row live until the next step. backend_reset() ends it early.
 */
enum portolan_status backend_query(struct backend *backend, enum statement which,
                                   struct portolan_error *err, const char *types, ...);
enum portolan_status backend_query_list(struct backend *backend, enum statement which,
                                        struct portolan_error *err, const char *types,
                                        va_list args);
enum portolan_status backend_next(struct backend *backend, enum statement which, bool *row,
                                  struct portolan_error *err);
void backend_reset(struct backend *backend, enum statement which);
int64_t backend_int(struct backend *backend, enum statement which, int column);
double backend_double(struct backend *backend, enum statement which, int column);
const char *backend_text(struct backend *backend, enum statement which, int column);

#endif
