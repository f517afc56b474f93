/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SQLite workload on files: sqlite FILE delete|wal|mmap. Thousands of inserts, updates, an index,
 * a rollback, vacuum, integrity_check and a sum over all rows; what SQLite answers goes to stdout,
 * the bytes that the kernel saw being written meanwhile to stderr. Everything goes through the VFS
 * "watched": the default one's copy, or with -DPROXY=HEADER its generated proxy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#ifdef PROXY
#include PROXY
#endif

/* The objects that SQLite's list of VFS links are the caller's: this one is a copy. */
static sqlite3_vfs *register_watched(void)
{
    static sqlite3_vfs copy;
    sqlite3_vfs *watched = &copy;

    copy = *sqlite3_vfs_find(NULL);
    copy.zName = "watched";
    copy.pNext = NULL;
#ifdef PROXY
    watched = sqlite3_vfsProxy_wrap(&copy, "sqlite");
    if (!watched) {
        fprintf(stderr, "sqlite: %s\n", portolan_proxy_wrap_error());
        return NULL;
    }
#endif
    return sqlite3_vfs_register(watched, 0) == SQLITE_OK ? watched : NULL;
}

static long long bytes_written(void)
{
    long long bytes = -1;
    char line[128];
    FILE *io = fopen("/proc/self/io", "r");

    while (io && fgets(line, sizeof line, io))
        if (sscanf(line, "wchar: %lld", &bytes) == 1)
            break;
    if (io)
        fclose(io);
    return bytes;
}

static int print_row(void *data, int n, char **values, char **names)
{
    (void)data;
    for (int i = 0; i < n; i++)
        printf("%s%s=%s", i ? " " : "", names[i], values[i] ? values[i] : "NULL");
    printf("\n");
    return 0;
}

static int run(sqlite3 *db, const char *sql)
{
    char *text = NULL;
    int status = sqlite3_exec(db, sql, print_row, NULL, &text);

    if (status != SQLITE_OK)
        printf("%s: %s\n", sql, text ? text : "no reason");
    sqlite3_free(text);
    return status;
}

static int insert(sqlite3 *db, int from, int to)
{
    sqlite3_stmt *statement;
    char text[96];

    if (sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?, ?, ?)", -1, &statement, NULL) != SQLITE_OK)
        return 1;
    for (int i = from; i < to; i++) {
        snprintf(text, sizeof text, "row %d %0*d", i, 10 + i % 60, i);
        sqlite3_bind_int(statement, 1, i);
        sqlite3_bind_text(statement, 2, text, -1, SQLITE_TRANSIENT);
        sqlite3_bind_double(statement, 3, i / 7.0);
        if (sqlite3_step(statement) != SQLITE_DONE || sqlite3_reset(statement) != SQLITE_OK)
            return 1;
    }
    return sqlite3_finalize(statement);
}

static int work(sqlite3 *db)
{
    int bad = run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL); BEGIN");

    for (int i = 0; i < 8; i++)
        bad |= insert(db, 1000 * i, 1000 * (i + 1)) | run(db, "COMMIT; BEGIN");
    bad |= run(db, "CREATE INDEX by_name ON t(name)") | run(db, "COMMIT");
    bad |= run(db, "BEGIN; DELETE FROM t; SELECT count(*) FROM t; ROLLBACK");
    for (int i = 0; i < 20; i++) { /* a transaction each */
        char sql[96];

        snprintf(sql, sizeof sql, "UPDATE t SET name = name || '!' WHERE id %% 97 = %d", i);
        bad |= run(db, sql);
    }
    bad |= run(db, "DELETE FROM t WHERE id % 3 = 0") | run(db, "VACUUM");
    bad |= run(db, "PRAGMA integrity_check");
    return bad | run(db, "SELECT count(*), sum(id), total(value), sum(length(name)), max(name), "
                         "sum(unicode(substr(name, id % 20, 1))) FROM t");
}

int main(int argc, char **argv)
{
    static const char *const sort[] = {"PRAGMA journal_mode=DELETE",
                                       "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=50",
                                       "PRAGMA journal_mode=DELETE; PRAGMA mmap_size=33554432"};
    sqlite3_vfs *watched;
    sqlite3 *db;
    long long before;
    int mode, bad, hits, high;

    if (argc != 3)
        return 2;
    mode = strcmp(argv[2], "wal") == 0 ? 1 : strcmp(argv[2], "mmap") == 0 ? 2 : 0;
    setvbuf(stdout, NULL, _IOFBF, 65536); /* it is no write of SQLite's */
    sqlite3_initialize();
    watched = register_watched();
    if (!watched)
        return 1;
    before = bytes_written();
    bad = sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "watched");
    bad |= run(db, sort[mode]) | run(db, "PRAGMA page_size; PRAGMA cache_size=40");
    bad |= work(db);
    bad |= sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_WRITE, &hits, &high, 0);
    printf("pages written %d\n", hits);
    bad |= sqlite3_close(db) | sqlite3_vfs_unregister(watched);
    fprintf(stderr, "written %lld\n", bytes_written() - before);
    return bad ? 1 : 0;
}
