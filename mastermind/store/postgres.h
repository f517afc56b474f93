/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the PostgreSQL back end: shared by its files. */
#ifndef PORTOLAN_STORE_POSTGRES_H
#define PORTOLAN_STORE_POSTGRES_H

#include "backend.h"

#include <libpq-fe.h>

#define LIBPQ_FUNCTIONS(X)                                                                         \
    X(clear)                                                                                       \
    X(cmdStatus)                                                                                   \
    X(connectdbParams)                                                                             \
    X(connectionNeedsPassword)                                                                     \
    X(connectionUsedPassword)                                                                      \
    X(errorMessage)                                                                                \
    X(consumeInput)                                                                                \
    X(finish)                                                                                      \
    X(flush)                                                                                       \
    X(ftype)                                                                                       \
    X(getResult)                                                                                   \
    X(getisnull)                                                                                   \
    X(getvalue)                                                                                    \
    X(isBusy)                                                                                      \
    X(ntuples)                                                                                     \
    X(putCopyData)                                                                                 \
    X(putCopyEnd)                                                                                  \
    X(resetPoll)                                                                                   \
    X(resetStart)                                                                                  \
    X(resultErrorField)                                                                            \
    X(resultStatus)                                                                                \
    X(sendPrepare)                                                                                 \
    X(sendQuery)                                                                                   \
    X(sendQueryParams)                                                                             \
    X(sendQueryPrepared)                                                                           \
    X(setNoticeProcessor)                                                                          \
    X(setnonblocking)                                                                              \
    X(socket)                                                                                      \
    X(status)                                                                                      \
    X(transactionStatus)

/**
 * libpq and the 20 libraries that it needs, which take longer to load than most commands take to
 * run: loaded by the first connection, and never unloaded.
 */
extern struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(PQ##name) *name;
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
} libpq;

/** The statements of backend.h. */
extern const char *const postgres_sql[STATEMENT_COUNT];

/** Notes what the server says of RESULT (NULL: of the connection), which is freed. */
enum portolan_status postgres_failed(PGconn *connection, PGresult *result,
                                     struct portolan_error *err);

/** How long to wait for an answer: to what is short, to what is stored, to a question. */
enum { POSTGRES_SHORT_MS = 5000, POSTGRES_LONG_MS = 20000, POSTGRES_LONGEST_MS = 600000 };

/** Milliseconds, since some time. */
int64_t postgres_now_ms(void);

/** Sends what libpq keeps; false: the connection is lost, or was given up after LIMIT_MS. */
bool postgres_flush(PGconn *connection, int limit_ms);

/**
 * The last result of what was SENT (what a PQsend… returned), or that COPY has begun. A connection
 * without an answer for LIMIT_MS is given up, and counts as lost.
 */
PGresult *postgres_answer(PGconn *connection, int sent, int limit_ms);

/** PQreset(), for LIMIT_MS at most, and the session. */
enum portolan_status postgres_reconnect(PGconn *connection, bool write, int busy_ms, int limit_ms,
                                        struct portolan_error *err);

/** Notes that the connection was lost: EIO, or EBUSY where the server does not answer. */
enum portolan_status postgres_lost(PGconn *connection, struct portolan_error *err);

/** Returns whether a statement was run, with rows or without. */
bool postgres_is_good(const PGresult *result);

/** Runs TEXT, one or several statements, and forgets what they give. */
enum portolan_status postgres_execute(PGconn *connection, const char *text, int limit_ms,
                                      struct portolan_error *err);

/** Connects to the server that the libpq URI PATH names. *CONNECTION is the caller's to finish. */
enum portolan_status postgres_connect(const char *path, bool write, int busy_ms,
                                      PGconn **connection, struct portolan_error *err);

/** Sets up a session, new or reopened. */
enum portolan_status postgres_begin_session(PGconn *connection, bool write, int busy_ms,
                                            struct portolan_error *err);

/** Makes an empty data base a store; refuses one that is not a store. */
enum portolan_status postgres_prepare_schema(PGconn *connection, bool write,
                                             struct portolan_error *err);

/** The length of VALUE in the binary format; -1: NULL. *BYTES is the text itself, or NUMBER. */
int postgres_encode(char type, const union backend_value *value, char number[8],
                    const char **bytes);

/** Adds a column of N rows of WIDTH values as an array of ELEMENT. */
void postgres_put_array(struct portolan_text *t, char type, Oid element, size_t n, int width,
                        const union backend_value *values);

/** Stores the N rows that FILL makes in TABLE, by way of ROWS, which is empty before and after. */
enum portolan_status postgres_put_rows(PGconn *connection, struct portolan_text *rows,
                                       const char *table, const char *types, size_t n,
                                       backend_fill_fn fill, void *arg, struct portolan_error *err);

#endif
