/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_STORE_INTERNAL_H
#define PORTOLAN_STORE_INTERNAL_H

#include "backend.h"

struct portolan_store {
    char *path;
    struct backend *backend;
};

/** portolan_store_open() with another patience than 5 s, for tests. */
enum portolan_status store_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                struct portolan_store **store, struct portolan_error *err);

/** Ends a write transaction: commits when STATUS is good, else rolls back and returns STATUS. */
enum portolan_status store_finish(struct portolan_store *store, enum portolan_status status,
                                  struct portolan_error *err);

/** Each different text once, all freed together. */
struct texts;

struct texts *texts_create(void);
void texts_destroy(struct texts *texts); /* NULL is legal */

/** The set's own copy of TEXT (NULL counts as ""); NULL when memory is out. */
const char *texts_intern(struct texts *texts, const char *text);

#endif
