/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening an SQLite file: whose it is, its journal, its schema, and how an old one becomes new. */
#include "sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x506f7274, /* "Port" */
    SCHEMA_VERSION = 3
};

/* As bytes, so that no compiler's limit on the length of literals matters. */
static const char schema[] = {
#include "schema.inc"
    0};
static const char schema_3[] = {
#include "schema_3.inc"
    0};
static const char migrate_1[] = {
#include "migrate_1.inc"
    0};

/*
 * Tables of version 1 out of the way, so that schema.sql can make today's. What a user has added
 * stays, hence the list.
 */
static const char set_aside[] =
    "WITH ours (name) AS (VALUES ('schema_version'), ('trial'), ('trial_parameter'),"
    " ('trial_implementation'), ('primary_metadata'), ('thread'), ('metric'), ('component'),"
    " ('port'), ('timer'), ('timer_callpath'), ('step'), ('timer_call_data'), ('call_context'),"
    " ('timer_value'), ('model'), ('decision'), ('swap'), ('timer_group'), ('sample'),"
    " ('callpath_summary'))"
    "SELECT group_concat(words, '; ') FROM (SELECT CASE type WHEN 'table' THEN 'ALTER TABLE ' ||"
    " name || ' RENAME TO old_' || name ELSE 'DROP ' || type || ' ' || name END AS words"
    " FROM sqlite_schema WHERE tbl_name IN ours AND sql IS NOT NULL ORDER BY type DESC)";

static enum portolan_status execute(sqlite3 *db, const char *text, struct portolan_error *err)
{
    int rc = sqlite3_exec(db, text, NULL, NULL, NULL);

    return rc == SQLITE_OK ? PORTOLAN_OK : sqlite_failed(db, rc, err);
}

/* The number that a query gives, for queries that are needed once. */
static enum portolan_status ask(sqlite3 *db, const char *query, int64_t *value,
                                struct portolan_error *err)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &s, NULL);

    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        *value = sqlite3_column_int64(s, 0);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(s);
    return rc == SQLITE_OK ? PORTOLAN_OK : sqlite_failed(db, rc, err);
}

/* *VERSION 0: the file holds nothing at all yet. */
static enum portolan_status check_identity(sqlite3 *db, int64_t *version,
                                           struct portolan_error *err)
{
    int64_t application = 0, tables = 0;
    enum portolan_status status;

    if ((status = ask(db, "PRAGMA application_id", &application, err)) ||
        (status = ask(db, "PRAGMA user_version", version, err)) ||
        (status = ask(db, "SELECT count(*) FROM sqlite_schema", &tables, err)))
        return status;
    if (application == 0 && *version == 0 && tables == 0)
        return PORTOLAN_OK;
    if (application != APPLICATION_ID || *version < 1)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is an SQLite data base, but no experiment store of Portolan; "
                                  "move it away or name another file");
    if (*version > SCHEMA_VERSION)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "has schema version %lld, this Portolan knows %d: use a newer "
                                  "Portolan or another store",
                                  (long long)*version, SCHEMA_VERSION);
    return PORTOLAN_OK;
}

/* Runs the statements that a query makes. */
static enum portolan_status execute_made(sqlite3 *db, const char *query, struct portolan_error *err)
{
    enum portolan_status status;
    sqlite3_stmt *s = NULL;
    char *made = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &s, NULL);

    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        made = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
        rc = made ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(s);
    status = rc == SQLITE_OK ? execute(db, made, err) : sqlite_failed(db, rc, err);
    sqlite3_free(made);
    return status;
}

/* In a transaction: nothing, or an old version, becomes today's schema. */
static enum portolan_status bring_up(sqlite3 *db, int64_t version, struct portolan_error *err)
{
    char identity[100];
    enum portolan_status status = PORTOLAN_OK;

    sqlite3_snprintf(sizeof identity, identity,
                     "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                     SCHEMA_VERSION);
    if (version == 1)
        status = execute_made(db, set_aside, err);
    if (!status && version < 2)
        status = execute(db, schema, err);
    if (!status && version == 1)
        status = execute(db, migrate_1, err);
    if (!status)
        status = execute(db, schema_3, err);
    if (!status)
        status = execute(db, identity, err);
    return status;
}

static enum portolan_status update_schema(sqlite3 *db, struct portolan_error *err)
{
    int64_t version = 0;
    /* Old tables are renamed as such, not in what refers to them. */
    enum portolan_status status =
        execute(db, "PRAGMA legacy_alter_table = ON; BEGIN IMMEDIATE", err);

    if (status)
        return status;
    /* Another process may have been here first. */
    if (!(status = check_identity(db, &version, err)) && version < SCHEMA_VERSION)
        status = bring_up(db, version, err);
    if (!status)
        status = execute(db, "COMMIT", err);
    if (status)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    if (status && version)
        portolan_error_prefix(err,
                              "could not be brought from schema version %lld to %d, and is as "
                              "it was",
                              (long long)version, SCHEMA_VERSION);
    sqlite3_exec(db, "PRAGMA legacy_alter_table = OFF", NULL, NULL, NULL);
    return status;
}

/* For reading: a temporary copy in the place of *DB, with today's schema. */
static enum portolan_status copy_old(sqlite3 **db, struct portolan_error *err)
{
    sqlite3_backup *backup = NULL;
    enum portolan_status status;
    sqlite3 *copy = NULL;
    int rc = sqlite3_open("", &copy); /* in memory, and from there into a file without a name */

    if (rc == SQLITE_OK) {
        sqlite3_extended_result_codes(copy, 1);
        if (!(backup = sqlite3_backup_init(copy, "main", *db, "main")))
            rc = sqlite3_errcode(copy);
    }
    if (rc == SQLITE_OK) {
        sqlite3_backup_step(backup, -1);
        rc = sqlite3_backup_finish(backup);
    }
    status = rc == SQLITE_OK ? update_schema(copy, err) : sqlite_failed(copy, rc, err);
    if (status) {
        portolan_error_prefix(err, "has an old schema, and a temporary copy with a new one cannot "
                                   "be made; 'portolan trials --migrate' changes the store itself");
        sqlite3_close(copy);
        return status;
    }
    sqlite3_close(*db);
    *db = copy;
    return PORTOLAN_OK;
}

/* Write-ahead logs need memory shared between processes, which these file systems have not. */
static bool on_network(const char *path)
{
    static const unsigned long network[] = {
        0x6969 /* NFS */,        0xff534d42 /* CIFS */,   0xfe534d42 /* SMB2 */,
        0x517b /* SMB */,        0x0bd00bd0 /* Lustre */, 0x47504653 /* GPFS */,
        0x19830326 /* BeeGFS */, 0x5346414f /* AFS */,    0x01021997 /* 9P */,
        0xaad7aaea /* PanFS */,  0x00c36400 /* Ceph */,
    };
    struct statfs fs;

    if (statfs(path, &fs))
        return false;
    for (size_t i = 0; i < sizeof network / sizeof *network; ++i) {
        if (((unsigned long)fs.f_type & 0xffffffffUL) == network[i])
            return true;
    }
    return false;
}

/* WAL with NORMAL survives the death of the process; the rollback journal syncs at each commit. */
static enum portolan_status set_journal(sqlite3 *db, const char *path, struct portolan_error *err)
{
    sqlite3_stmt *s = NULL;
    bool wal = false;

    if (!on_network(path) &&
        sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &s, NULL) == SQLITE_OK)
        wal = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0) &&
              !strcmp((const char *)sqlite3_column_text(s, 0), "wal");
    sqlite3_finalize(s);
    return execute(db,
                   wal ? "PRAGMA synchronous = NORMAL"
                       : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
                   err);
}

/* A store in a folder that may not be written: nobody else writes it either. */
static int open_archived(const char *path, sqlite3 **db)
{
    char *wal = portolan_asprintf("%s-wal", path);
    char *uri = sqlite3_mprintf("file:%s?immutable=1", path);
    int rc = SQLITE_CANTOPEN;

    if (!wal || !uri)
        rc = SQLITE_NOMEM;
    else if (!strpbrk(path, "?#%") && access(wal, F_OK) && errno == ENOENT)
        rc = sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(wal);
    sqlite3_free(uri);
    return rc;
}

enum portolan_status sqlite_open_file(const char *path, bool write, int busy_ms, sqlite3 **db,
                                      struct portolan_error *err)
{
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int64_t tables;
    int rc;

    if (!write && strcmp(path, ":memory:") && access(path, R_OK))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot be read: %s", strerror(errno));
    rc = sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK && !write &&
        ask(*db, "SELECT count(*) FROM sqlite_schema", &tables, NULL) &&
        (sqlite3_errcode(*db) == SQLITE_CANTOPEN || sqlite3_errcode(*db) == SQLITE_READONLY)) {
        sqlite3_close(*db);
        *db = NULL;
        rc = open_archived(path, db);
    }
    if (rc == SQLITE_CANTOPEN && sqlite3_system_errno(*db))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "cannot be opened: %s; make its folder, or name another file",
                                  strerror(sqlite3_system_errno(*db)));
    if (rc != SQLITE_OK)
        return sqlite_failed(*db, rc, err);
    sqlite3_extended_result_codes(*db, 1);
    sqlite3_busy_timeout(*db, busy_ms);
    if (write && sqlite3_db_readonly(*db, "main") == 1)
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written");
    return PORTOLAN_OK;
}

enum portolan_status sqlite_prepare_schema(sqlite3 **db, const char *path, bool write,
                                           struct portolan_error *err)
{
    int64_t version = 0;
    enum portolan_status status = check_identity(*db, &version, err);

    if (status)
        return status;
    if (!version && !write)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is empty, no experiment store; measure something first");
    if (write && (status = set_journal(*db, path, err)))
        return status;
    if (version < SCHEMA_VERSION && (status = write ? update_schema(*db, err) : copy_old(db, err)))
        return status;
    /* Not earlier: a table of an old schema must not take others along. */
    return execute(*db, "PRAGMA foreign_keys = ON", err);
}
