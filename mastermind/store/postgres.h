/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the PostgreSQL back end share. */
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
    X(exec)                                                                                        \
    X(execParams)                                                                                  \
    X(execPrepared)                                                                                \
    X(finish)                                                                                      \
    X(ftype)                                                                                       \
    X(getResult)                                                                                   \
    X(getisnull)                                                                                   \
    X(getvalue)                                                                                    \
    X(ntuples)                                                                                     \
    X(prepare)                                                                                     \
    X(putCopyData)                                                                                 \
    X(putCopyEnd)                                                                                  \
    X(reset)                                                                                       \
    X(resultErrorField)                                                                            \
    X(resultStatus)                                                                                \
    X(setClientEncoding)                                                                           \
    X(setNoticeProcessor)                                                                          \
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

/** Notes that the connection was lost. */
enum portolan_status postgres_lost(PGconn *connection, struct portolan_error *err);

/** Whether a statement was run, with rows or without. */
bool postgres_is_good(const PGresult *result);

/** Runs TEXT, one or several statements, and forgets what they give. */
enum portolan_status postgres_execute(PGconn *connection, const char *text,
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

#endif
