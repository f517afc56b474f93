/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Splicer blocks: what the author of an Impl file wrote between a pair of comments
 *
 *   DO-NOT-DELETE splicer.begin(NAME) … DO-NOT-DELETE splicer.end(NAME)
 *
 * goes into the next version of the file byte for byte, the blanks before the closing comment
 * included.
 */
#ifndef SIDL_SPLICER_H
#define SIDL_SPLICER_H

#include "emit.h"

struct splice {
    const char *name;
    const char *text;
    size_t length;
    int line;
    bool is_used;
};

struct splicer {
    struct emitter *e;
    struct output *o;
    const char *path; /* for messages */
    struct splice *list;
    size_t count;
    bool is_broken; /* a mistake was told: what follows from it is not */
};

/* Opens the output NAME and reads the blocks of the file that it replaces, if there is one. */
struct splicer splicer_open(struct emitter *e, const char *name);

/* Puts block NAME with the author's text or, if there is none, PRESET (whole lines). */
void splicer_put(struct splicer *s, const char *name, int indent, const char *preset);

/* A block OLD is taken for the block NAME, unless there is one of that name. */
void splicer_rename(struct splicer *s, const char *old, const char *name);

/* At the end: what the author wrote for names that nobody asked for. */
void splicer_put_rest(struct splicer *s);

#endif
