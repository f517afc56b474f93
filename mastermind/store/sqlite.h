/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two files of the SQLite back end share. */
#ifndef PORTOLAN_STORE_SQLITE_H
#define PORTOLAN_STORE_SQLITE_H

#include "backend.h"

#include <sqlite3.h>

/** Notes what SQLite says; RC is its result code. */
enum portolan_status sqlite_failed(sqlite3 *db, int rc, struct portolan_error *err);

/** Opens the data base at PATH, whatever is in it. */
enum portolan_status sqlite_open_file(const char *path, bool write, int busy_ms, sqlite3 **db,
                                      struct portolan_error *err);

/**
 * Makes an empty data base a store and an old one today's; for reading, *DB may become a temporary
 * copy that is. *DB stays the caller's to close in any case.
 */
enum portolan_status sqlite_prepare_schema(sqlite3 **db, const char *path, bool write,
                                           struct portolan_error *err);

#endif
