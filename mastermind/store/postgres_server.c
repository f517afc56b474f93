/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PostgreSQL server: its errors and what would help, the connection, its session, and whether the
 * data base is a store.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { SCHEMA_VERSION = 5 };

static const char schema[] = {
#include "schema_postgres.inc"
    0};
static const char schema_3[] = {
#include "schema_3_postgres.inc"
    0};
static const char schema_4[] = {
#include "schema_4_postgres.inc"
    0};
static const char schema_5[] = {
#include "schema_5_postgres.inc"
    0};

/* ------------------------------------------------- libpq */

struct libpq libpq;

static bool resolve_libpq(void *library)
{
    void *symbol;

#define LIBPQ_RESOLVE(name)                                                                        \
    if (!(symbol = dlsym(library, "PQ" #name)))                                                    \
        return false;                                                                              \
    memcpy(&libpq.name, &symbol, sizeof symbol);
    LIBPQ_FUNCTIONS(LIBPQ_RESOLVE)
#undef LIBPQ_RESOLVE
    return true;
}

static enum portolan_status load_libpq(struct portolan_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_ready;
    enum portolan_status status = PORTOLAN_OK;
    void *library;

    pthread_mutex_lock(&lock);
    if (!is_ready) {
        library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
        is_ready = library && resolve_libpq(library);
        if (!is_ready)
            status = portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                        "names a PostgreSQL server, which needs libpq, and that "
                                        "cannot be loaded (%s); on Debian install libpq5",
                                        dlerror());
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* ------------------------------------------------- waiting for the server */

/* The connection that was given up last. */
static _Thread_local const PGconn *silent;

int64_t postgres_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the server has sent something, or takes something if that is wanted. */
static bool wait_until(PGconn *c, short what, int64_t end_ms)
{
    struct pollfd p = {.fd = libpq.socket(c), .events = what};
    int64_t left_ms = end_ms - postgres_now_ms();
    int n;

    while (p.fd >= 0 && left_ms > 0 && (n = poll(&p, 1, (int)left_ms)) <= 0) {
        if (n == 0)
            return false;
        left_ms = end_ms - postgres_now_ms(); /* a signal came */
    }
    return p.fd >= 0 && left_ms > 0;
}

/* A server that is stopped, or gone with its network, answers never: as if it had hung up. */
static void give_up(PGconn *c)
{
    silent = c;
    shutdown(libpq.socket(c), SHUT_RDWR);
    libpq.consumeInput(c);
}

/* Returns whether the answer came; logs once that it is late. */
static bool wait_patiently(PGconn *c, short what, int64_t begin_ms, int limit_ms)
{
    if (wait_until(c, what,
                   begin_ms + (limit_ms < POSTGRES_SHORT_MS ? limit_ms : POSTGRES_SHORT_MS)))
        return true;
    if (limit_ms <= POSTGRES_SHORT_MS)
        return false;
    if (silent != c && postgres_now_ms() - begin_ms < POSTGRES_SHORT_MS + 1000)
        portolan_log(PORTOLAN_LOG_WARNING, "store",
                     "the server has not answered for %d s; waiting up to %d s",
                     POSTGRES_SHORT_MS / 1000, limit_ms / 1000);
    return wait_until(c, what, begin_ms + limit_ms);
}

bool postgres_flush(PGconn *c, int limit_ms)
{
    int64_t begin_ms = postgres_now_ms();
    int left;

    while ((left = libpq.flush(c)) == 1)
        if (!wait_patiently(c, POLLIN | POLLOUT, begin_ms, limit_ms)) {
            give_up(c);
            return false;
        } else if (!libpq.consumeInput(c)) {
            return false;
        }
    return left == 0;
}

PGresult *postgres_answer(PGconn *c, int sent, int limit_ms)
{
    int64_t begin_ms = postgres_now_ms();
    PGresult *last = NULL, *r;

    if (!sent || !postgres_flush(c, limit_ms))
        limit_ms = 0;
    for (;;) {
        while (limit_ms && libpq.isBusy(c))
            if (!wait_patiently(c, POLLIN, begin_ms, limit_ms)) {
                give_up(c);
                break;
            } else if (!libpq.consumeInput(c)) {
                break;
            }
        if (!(r = libpq.getResult(c)))
            return last;
        libpq.clear(last);
        last = r;
        if (libpq.resultStatus(r) == PGRES_COPY_IN)
            return last;
    }
}

/* ------------------------------------------------- what the server says */

enum portolan_status postgres_lost(PGconn *c, struct portolan_error *err)
{
    char line[400];
    const char *text = libpq.errorMessage(c);

    if (c == silent)
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the server does not answer; try again when it does");
    snprintf(line, sizeof line, "%s", text + strspn(text, " \n"));
    line[strcspn(line, "\n")] = '\0';
    return portolan_error_set(err, PORTOLAN_EIO,
                              "the connection to the server was lost (%s); what was stored is "
                              "intact",
                              line);
}

/* By the class of the code, https://www.postgresql.org/docs/15/errcodes-appendix.html */
static enum portolan_status explain(const char *code, const char *text, struct portolan_error *err)
{
    if (!strcmp(code, "55P03") || !strncmp(code, "40", 2))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "another program keeps it locked; try again when that has ended");
    if (!strcmp(code, "57014"))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the server took longer than its time limit allows (%s)", text);
    if (!strcmp(code, "53100"))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "no space is left on the server (%s); free some, what was stored "
                                  "is intact",
                                  text);
    if (!strncmp(code, "58", 2) || !strncmp(code, "XX", 2))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "%s (SQLSTATE %s); see to the server's disk and its quota, what "
                                  "was stored is intact",
                                  text, code);
    if (!strcmp(code, "53200"))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "the server is out of memory");
    if (!strncmp(code, "23", 2))
        return portolan_error_set(err, PORTOLAN_EINVAL, "contradicts what is stored (%s)", text);
    if (!strcmp(code, "22021"))
        return portolan_error_set(err, PORTOLAN_EINVAL, "texts must be UTF-8 (%s)", text);
    if (!strcmp(code, "42501"))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "may not be written by this user (%s); its owner can GRANT that, "
                                  "or make a data base with this user as owner",
                                  text);
    if (!strcmp(code, "25006"))
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written (%s)", text);
    if (!strncmp(code, "57P", 3))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "the server is going down (%s); what was stored is intact", text);
    return portolan_error_set(err, PORTOLAN_EIO, "%s (SQLSTATE %s)", text, code);
}

enum portolan_status postgres_failed(PGconn *c, PGresult *r, struct portolan_error *err)
{
    const char *code = libpq.resultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = libpq.resultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    enum portolan_status status;

    if (code && text)
        status = explain(code, text, err);
    else if (libpq.status(c) != CONNECTION_OK)
        status = postgres_lost(c, err);
    else if (!r)
        status = portolan_no_memory(err);
    else
        status = portolan_error_set(err, PORTOLAN_EIO, "the server gave an unexpected answer");
    libpq.clear(r);
    return status;
}

bool postgres_is_good(const PGresult *r)
{
    return libpq.resultStatus(r) == PGRES_COMMAND_OK || libpq.resultStatus(r) == PGRES_TUPLES_OK;
}

enum portolan_status postgres_execute(PGconn *c, const char *text, int limit_ms,
                                      struct portolan_error *err)
{
    PGresult *r = postgres_answer(c, libpq.sendQuery(c, text), limit_ms);

    if (!postgres_is_good(r))
        return postgres_failed(c, r, err);
    libpq.clear(r);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- connecting */

/* Returns what to do about a connection that could not be made; libpq gives only a text. */
static const char *remedy(PGconn *c, const char *text)
{
    if (libpq.connectionNeedsPassword(c))
        return "give the password in PGPASSWORD or in ~/.pgpass";
    if (libpq.connectionUsedPassword(c))
        return "check the password in PGPASSWORD or ~/.pgpass";
    if (strstr(text, "does not exist") && strstr(text, "database"))
        return "create the database (createdb NAME) or name another one";
    if (strstr(text, "does not exist") && strstr(text, "role"))
        return "name a user that the server knows (postgresql://USER@…)";
    return "is the server running, and is this its address?";
}

static enum portolan_status refused(PGconn *c, struct portolan_error *err)
{
    const char *text = libpq.errorMessage(c), *fatal = strstr(text, "FATAL: ");
    char line[500];

    if (fatal)
        text = fatal + strlen("FATAL: ");
    snprintf(line, sizeof line, "%s", text + strspn(text, " \n"));
    line[strcspn(line, "\n")] = '\0';
    return portolan_error_set(err, PORTOLAN_EIO, "cannot be reached: %s; %s", line,
                              remedy(c, line));
}

/* Drops the server's notices. */
static void be_quiet(void *arg, const char *message)
{
    (void)arg, (void)message;
}

enum portolan_status postgres_connect(const char *path, bool write, int busy_ms, PGconn **c,
                                      struct portolan_error *err)
{
    /* The later ones win, so what PATH says does. */
    static const char *const names[] = {"fallback_application_name",
                                        "connect_timeout",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "dbname",
                                        "client_encoding",
                                        NULL};
    const char *const values[] = {"portolan", "10", "30", "10", "3", "60000", path, "UTF8", NULL};
    enum portolan_status status = load_libpq(err);

    *c = NULL;
    if (status)
        return status;
    *c = libpq.connectdbParams(names, values, 1);
    if (!*c)
        return portolan_no_memory(err);
    if (libpq.status(*c) != CONNECTION_OK)
        return refused(*c, err);
    return postgres_begin_session(*c, write, busy_ms, err);
}

enum portolan_status postgres_begin_session(PGconn *c, bool write, int busy_ms,
                                            struct portolan_error *err)
{
    char text[300];

    libpq.setNoticeProcessor(c, be_quiet, NULL);
    if (libpq.setnonblocking(c, 1))
        return postgres_failed(c, NULL, err);
    snprintf(text, sizeof text,
             "SET lock_timeout = %d; SET synchronous_commit = on; SET statement_timeout = %d;"
             " SET idle_in_transaction_session_timeout = 0; SET extra_float_digits = 1;"
             " SET default_transaction_isolation = 'read committed';"
             " SET default_transaction_read_only = %s",
             busy_ms > 0 ? busy_ms : 1, POSTGRES_LONGEST_MS, write ? "off" : "on");
    return postgres_execute(c, text, POSTGRES_SHORT_MS, err);
}

enum portolan_status postgres_reconnect(PGconn *c, bool write, int busy_ms, int limit_ms,
                                        struct portolan_error *err)
{
    int64_t end_ms = postgres_now_ms() + limit_ms;
    PostgresPollingStatusType at = PGRES_POLLING_WRITING;

    if (!libpq.resetStart(c))
        return postgres_lost(c, err);
    while (at == PGRES_POLLING_WRITING || at == PGRES_POLLING_READING) {
        if (!wait_until(c, at == PGRES_POLLING_READING ? POLLIN : POLLOUT, end_ms)) {
            give_up(c);
            return postgres_lost(c, err);
        }
        at = libpq.resetPoll(c);
    }
    if (at != PGRES_POLLING_OK)
        return postgres_lost(c, err);
    silent = NULL;
    return postgres_begin_session(c, write, busy_ms, err);
}

/* ------------------------------------------------- whose it is */

/* The number that a query gives; 0 without a row. */
static enum portolan_status ask(PGconn *c, const char *query, int64_t *value,
                                struct portolan_error *err)
{
    PGresult *r = postgres_answer(c, libpq.sendQuery(c, query), POSTGRES_LONGEST_MS);

    if (libpq.resultStatus(r) != PGRES_TUPLES_OK)
        return postgres_failed(c, r, err);
    *value = 0;
    if (libpq.ntuples(r) > 0)
        portolan_read_int64(libpq.getvalue(r, 0, 0), value);
    libpq.clear(r);
    return PORTOLAN_OK;
}

static enum portolan_status foreign(struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EFOREIGN,
                              "has tables, but is not an experiment store of Portolan; name an "
                              "empty database, or another schema: …?options=-csearch_path%%3DNAME");
}

/* *VERSION 0: there is nothing yet. */
static enum portolan_status check_identity(PGconn *c, int64_t *version, struct portolan_error *err)
{
    int64_t tables = 0, ours = 0;
    enum portolan_status status;

    if ((status = ask(c,
                      "SELECT count(*) FROM pg_class WHERE relnamespace = "
                      "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
                      " AND relkind IN ('r', 'p', 'v', 'm', 'f')",
                      &tables, err)) ||
        (status = ask(c,
                      "SELECT count(*) FROM pg_attribute WHERE attrelid ="
                      " to_regclass('schema_version') AND attname IN ('version', 'description')",
                      &ours, err)))
        return status;
    *version = 0;
    if (!tables)
        return PORTOLAN_OK;
    if (ours != 2)
        return foreign(err);
    status = ask(c,
                 "SELECT version FROM schema_version"
                 " WHERE description = 'Portolan experiment store'",
                 version, err);
    if (status)
        return status;
    if (*version < 2) /* version 1 was in files only */
        return foreign(err);
    if (*version > SCHEMA_VERSION)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "has schema version %lld, this Portolan knows %d: use a newer "
                                  "Portolan or another store",
                                  (long long)*version, SCHEMA_VERSION);
    return PORTOLAN_OK;
}

/*
 * Makes the schema, or brings one of version 2 or later to today's. One process at a time; a second
 * one finds it made. The number of the lock is arbitrary, but all versions must use the same.
 */
static enum portolan_status make_schema(PGconn *c, struct portolan_error *err)
{
    int64_t version = 0;
    enum portolan_status status = postgres_execute(
        c, "BEGIN; SELECT pg_advisory_xact_lock(5795705473264410990)", POSTGRES_LONGEST_MS, err);

    if (!status)
        status = check_identity(c, &version, err);
    if (!status && !version)
        status = postgres_execute(c, schema, POSTGRES_LONGEST_MS, err);
    if (!status && version < 3)
        status = postgres_execute(c, schema_3, POSTGRES_LONGEST_MS, err);
    if (!status && version < 4)
        status = postgres_execute(c, schema_4, POSTGRES_LONGEST_MS, err);
    if (!status && version < SCHEMA_VERSION)
        status = postgres_execute(c, schema_5, POSTGRES_LONGEST_MS, err);
    if (!status)
        return postgres_execute(c, "COMMIT", POSTGRES_LONGEST_MS, err);
    postgres_execute(c, "ROLLBACK", POSTGRES_SHORT_MS, NULL);
    return status;
}

enum portolan_status postgres_prepare_schema(PGconn *c, bool write, struct portolan_error *err)
{
    int64_t version = 0, has_schema = 0;
    enum portolan_status status =
        ask(c, "SELECT CASE WHEN current_schema() IS NULL THEN 0 ELSE 1 END", &has_schema, err);

    if (!status && !has_schema)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "has no schema to work in: the search path names none that "
                                  "exists (CREATE SCHEMA makes one)");
    if (status || (status = check_identity(c, &version, err)) || version == SCHEMA_VERSION)
        return status;
    if (!write && version)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "has schema version %lld, which must be converted to %d first: "
                                  "run 'portolan trials --migrate'",
                                  (long long)version, SCHEMA_VERSION);
    if (!write)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is empty, not an experiment store; measure something first");
    return make_schema(c, err);
}
