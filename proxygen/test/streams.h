/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream, with the files and filters that it hands out. */
#ifndef STREAMS_H
#define STREAMS_H

#include <stddef.h>

#include "headers/stream.h"

/* Larger than the interface shows. */
struct file {
    struct stream_file base;
    int reads;
};

struct source {
    struct stream base;
    const struct stream *compared; /* what distance got */
    int clones;
};

/* Times by the manual clock: an advance takes 3 ns. */
struct source source_make(long position);

/* Functions of files: of an object in the caller's storage, and of one that close() frees; those
 * that end where their version says, in front of a hole, once a source was made. */
extern const struct stream_file_ops newer, on_heap;
extern struct stream_file_ops *older;

/* What find(…, "kept", …) hands out. */
extern struct stream_file *kept;

/* The function of a filter. */
int multiply(struct stream_filter *self, int value);

/* A copy of SIZE BYTES with nothing readable after them. */
void *before_a_hole(const void *bytes, size_t size);

#endif
