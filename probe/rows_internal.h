/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to rows: shared by its files. Each thread writes rows into a block and links a new one
 * after it when that is full. Readers (portolan_probe_rows_take, and the thread that writes blocks
 * to disk) hold one lock; the thread shares two words with them, stored with release and loaded
 * with acquire: how much of a block is in use, and which block comes next.
 */
#ifndef PORTOLAN_PROBE_ROWS_INTERNAL_H
#define PORTOLAN_PROBE_ROWS_INTERNAL_H

#include "internal.h"

#include <pthread.h>

#define ROWS_BLOCK 65536

/* A row in a block: contexts and counters follow, as many as KEY says. */
struct rows_row {
    uint64_t key; /* node's id, number of contexts and of counters, one_in; see rows.c */
    uint64_t ordinal, start, elapsed, child, mpi;
    double quality;
    union {
        double x;
        uint64_t counter;
    } more[];
};

#define ROWS_ROW_MAX                                                                               \
    (sizeof(struct rows_row) + (PORTOLAN_PROBE_CONTEXTS + PORTOLAN_PROBE_COUNTERS_MAX) * 8)

struct rows_block {
    struct rows_block *next;
    uint64_t filled; /* bytes of DATA in use, and above ROWS_COUNT how many rows that is */
    uint32_t read __attribute__((aligned(64))); /* bytes of DATA that were taken, by the reader */
    uint32_t read_rows;
    unsigned char data[] __attribute__((aligned(64)));
};

#define ROWS_COUNT 32

static inline uint32_t rows_bytes(uint64_t filled)
{
    return (uint32_t)filled;
}

static inline uint32_t rows_number(uint64_t filled)
{
    return (uint32_t)(filled >> ROWS_COUNT);
}

#define ROWS_DATA (ROWS_BLOCK - sizeof(struct rows_block))

/* ------------------------------------------------- rows.c, all under probe_rows_lock */

/* T's oldest block from which there is something to read, or that is full; NULL: there is none. */
struct rows_block *rows_oldest(struct probe_thread *t);
/* Returns whether T has gone on to another block, so that this one changes no more. */
bool rows_is_complete(struct rows_block *b);
/* Gives T's oldest block back, which is complete. */
void rows_release_oldest(struct probe_thread *t);

/* ------------------------------------------------- rows_spill.c, all under the lock */

/* The header of a block of rows in the file. */
struct rows_chunk {
    uint32_t thread, bytes, rows, unused;
};

/* Writes up to LIMIT bytes, 0: none; FOLDER is copied, NULL: TMPDIR or /tmp. */
enum portolan_status rows_spill_configure(uint64_t limit, const char *folder,
                                          struct portolan_error *err);
/* Starts the thread that writes, if there is to be one and there is none. */
void rows_spill_start(void);
/* For threads that notice that memory runs short; takes no lock. */
void rows_spill_ask(void);
/* Next chunk that was written and not read: its head, and its rows in DATA, of ROWS_DATA bytes.
 * False: none, or *UNREADABLE more rows are lost. */
bool rows_spill_read(struct rows_chunk *head, void *data, uint64_t *unreadable);
/* Forgets all that was written. */
void rows_spill_forget(void);
/* In a forked child: neither thread nor file are its own. */
void rows_spill_abandon(void);
void rows_spill_trouble(char *text, size_t size);

#endif
