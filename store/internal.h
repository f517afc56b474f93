/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_STORE_INTERNAL_H
#define PORTOLAN_STORE_INTERNAL_H

#include "backend.h"

/** What portolan_store_begin() opened. */
enum bracket { BRACKET_NONE, BRACKET_OPEN, BRACKET_BROKEN /* something in it failed */ };

struct portolan_store {
    char *path;
    struct backend *backend;
    enum bracket bracket;
};

/** portolan_store_open() with another patience than 5 s, for tests. */
enum portolan_status store_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                struct portolan_store **store, struct portolan_error *err);

/** Begins a write transaction, unless a bracket is one already. */
enum portolan_status store_start(struct portolan_store *store, struct portolan_error *err);

/** Ends it: commits when STATUS is good, else rolls back and returns STATUS.
 * Within a bracket only the latter. */
enum portolan_status store_finish(struct portolan_store *store, enum portolan_status status,
                                  struct portolan_error *err);

/** Each different text once, all freed together. */
struct texts;

struct texts *texts_create(void);
void texts_destroy(struct texts *texts); /* NULL is legal */

/** The set's own copy of TEXT (NULL counts as ""); NULL when memory is out. */
const char *texts_intern(struct texts *texts, const char *text);

#endif
