/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums by routine, partner and direction. Each thread has a block that only it writes: cells in
 * chunks that never move, so that others may read meanwhile, and a hash table of its own to find
 * them.
 */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/probe.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    int routine, partner;
    bool received;
    uint64_t calls, ticks, bytes;
};

#define CHUNK 64

struct chunk {
    struct chunk *next; /* atomic: set when the chunk is ready */
    unsigned used;      /* atomic: raised when the next cell is filled in */
    struct cell cells[CHUNK];
};

/* A thread that ends leaves its block to the next new one. */
struct block {
    struct block *next;
    bool in_use;                     /* under the lock */
    struct cell alone[MPI_ROUTINES]; /* without a partner, and not received */
    struct chunk *first, *last;
    struct cell **table; /* open addressing, at most half full; the owner's only */
    unsigned slots, used;
};

const char *const mpi_routine_names[MPI_ROUTINES] = {
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Finalize",
#define ROUTINE(name) "MPI_" #name,
#include "mpi_names.h"
#undef ROUTINE
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *all;
static pthread_key_t key;
static bool have_key;
static __thread struct block *mine __attribute__((tls_model("initial-exec")));

static void detach(void *block)
{
    mine = NULL;
    pthread_mutex_lock(&lock);
    ((struct block *)block)->in_use = false;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
    have_key = pthread_key_create(&key, detach) == 0;
    portolan_probe_traffic_set_source(mpi_traffic);
}

static struct block *new_block(void)
{
    struct block *b = portolan_calloc(1, sizeof *b);

    if (!b)
        return NULL;
    for (int r = 0; r < MPI_ROUTINES; r++) {
        b->alone[r].routine = r;
        b->alone[r].partner = -1;
    }
    b->next = all;
    return all = b;
}

static struct block *attach(void)
{
    struct block *b;

    if (!have_key)
        return NULL;
    pthread_mutex_lock(&lock);
    for (b = all; b && b->in_use; b = b->next)
        ;
    if (!b)
        b = new_block();
    if (b && pthread_setspecific(key, b) == 0)
        b->in_use = true;
    else
        b = NULL;
    pthread_mutex_unlock(&lock);
    return mine = b;
}

static unsigned hash(int routine, int partner, bool received)
{
    uint64_t h = ((uint64_t)(unsigned)partner << 10 ^ (unsigned)routine << 1 ^ received) *
                 UINT64_C(0x9E3779B97F4A7C15);

    return (unsigned)(h >> 32);
}

/* The slot where that cell is or would be. */
static struct cell **slot(const struct block *b, int routine, int partner, bool received)
{
    unsigned i = hash(routine, partner, received) & (b->slots - 1);
    struct cell *c;

    while ((c = b->table[i]) &&
           (c->routine != routine || c->partner != partner || c->received != received))
        i = (i + 1) & (b->slots - 1);
    return &b->table[i];
}

static bool grow_table(struct block *b)
{
    struct block grown = {.slots = b->slots ? 2 * b->slots : 64};

    grown.table = portolan_calloc(grown.slots, sizeof *grown.table);
    if (!grown.table)
        return false;
    for (unsigned i = 0; i < b->slots; i++) {
        struct cell *c = b->table[i];

        if (c)
            *slot(&grown, c->routine, c->partner, c->received) = c;
    }
    free(b->table);
    b->table = grown.table;
    b->slots = grown.slots;
    return true;
}

static struct cell *append_cell(struct block *b, int routine, int partner, bool received)
{
    struct chunk *last = b->last;
    struct cell *c;

    if (!last || last->used == CHUNK) {
        struct chunk *chunk = portolan_calloc(1, sizeof *chunk);

        if (!chunk)
            return NULL;
        __atomic_store_n(last ? &last->next : &b->first, chunk, __ATOMIC_RELEASE);
        b->last = last = chunk;
    }
    c = &last->cells[last->used];
    c->routine = routine;
    c->partner = partner;
    c->received = received;
    __atomic_store_n(&last->used, last->used + 1, __ATOMIC_RELEASE);
    return c;
}

/* The cell; without memory for a new one, that without a partner. */
static struct cell *find_cell(struct block *b, int routine, int partner, bool received)
{
    struct cell **at;

    if (partner < 0 && !received)
        return &b->alone[routine];
    if (b->slots && *(at = slot(b, routine, partner, received)))
        return *at;
    if ((2 * (b->used + 1) > b->slots && !grow_table(b)) ||
        !(*(at = slot(b, routine, partner, received)) = append_cell(b, routine, partner, received)))
        return &b->alone[routine];
    b->used++;
    return *at;
}

void mpi_add(enum mpi_routine routine, int partner, bool received, uint64_t calls, uint64_t ticks,
             uint64_t bytes)
{
    struct block *b = mine ? mine : attach();
    struct cell *c;

    if (!b)
        return;
    c = find_cell(b, (int)routine, partner, received);
    portolan_probe_add(&c->calls, calls);
    portolan_probe_add(&c->ticks, ticks);
    portolan_probe_add(&c->bytes, bytes);
}

/* -- reading -- */

struct reading {
    struct cell *cells;
    size_t n, capacity;
    bool is_short; /* of memory */
};

static void take_cell(struct reading *r, const struct cell *c)
{
    uint64_t calls = __atomic_load_n(&c->calls, __ATOMIC_RELAXED);
    uint64_t ticks = __atomic_load_n(&c->ticks, __ATOMIC_RELAXED);
    uint64_t bytes = __atomic_load_n(&c->bytes, __ATOMIC_RELAXED);

    if (!calls && !ticks && !bytes)
        return;
    if (!portolan_reserve(&r->cells, &r->capacity, r->n + 1, sizeof *r->cells)) {
        r->is_short = true;
        return;
    }
    r->cells[r->n++] = (struct cell){.routine = c->routine,
                                     .partner = c->partner,
                                     .received = c->received,
                                     .calls = calls,
                                     .ticks = ticks,
                                     .bytes = bytes};
}

static void take_block(struct reading *r, struct block *b)
{
    for (int i = 0; i < MPI_ROUTINES; i++)
        take_cell(r, &b->alone[i]);
    for (struct chunk *c = __atomic_load_n(&b->first, __ATOMIC_ACQUIRE); c;
         c = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE)) {
        unsigned used = __atomic_load_n(&c->used, __ATOMIC_ACQUIRE);

        for (unsigned i = 0; i < used; i++)
            take_cell(r, &c->cells[i]);
    }
}

static int by_key(const void *pa, const void *pb)
{
    const struct cell *a = pa, *b = pb;

    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    if (a->partner != b->partner)
        return a->partner < b->partner ? -1 : 1;
    return (int)a->received - (int)b->received;
}

/* Sorted; cells of one key follow each other, one per thread. */
static enum portolan_status read_cells(struct reading *r)
{
    pthread_mutex_lock(&lock);
    for (struct block *b = all; b; b = b->next)
        take_block(r, b);
    pthread_mutex_unlock(&lock);
    if (r->is_short) {
        free(r->cells);
        return PORTOLAN_ENOMEM;
    }
    if (r->n)
        qsort(r->cells, r->n, sizeof *r->cells, by_key);
    return PORTOLAN_OK;
}

enum portolan_status mpi_traffic(struct portolan_probe_traffic **rows, size_t *n)
{
    struct reading r = {0};
    enum portolan_status status = read_cells(&r);
    struct portolan_probe_traffic *out = NULL;
    uint64_t ticks = 0;

    *rows = NULL;
    *n = 0;
    if (status != PORTOLAN_OK || !r.n)
        return status;
    if (!(out = portolan_calloc(r.n, sizeof *out))) {
        free(r.cells);
        return PORTOLAN_ENOMEM;
    }
    for (size_t i = 0; i < r.n; i++) {
        const struct cell *c = &r.cells[i];

        if (i == 0 || by_key(c, c - 1) != 0) {
            out[(*n)++] = (struct portolan_probe_traffic){.routine = mpi_routine_names[c->routine],
                                                          .partner = c->partner,
                                                          .received = c->received};
            ticks = 0;
        }
        ticks += c->ticks;
        out[*n - 1].calls += c->calls;
        out[*n - 1].bytes += c->bytes;
        out[*n - 1].time_ns = portolan_probe_ticks_to_ns(ticks);
    }
    free(r.cells);
    *rows = out;
    return PORTOLAN_OK;
}
