/* SPDX-License-Identifier: BSD-3-Clause */
/* One row for each call: noting it, the memory for that, and taking it away. */
#include "rows_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A row's key, from the low end: node 24, contexts 4, counters 4, sampling 32 bits. */
#define KEY_CONTEXTS 24
#define KEY_COUNTERS 28
#define KEY_ONE_IN   32
#define KEY_NODE     0xFFFFFFU

#define BATCH 512

struct pool {
    size_t blocks, claimed;
    unsigned char *memory;
    uint64_t free_blocks[]; /* a bit each */
};

pthread_mutex_t probe_rows_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *pool; /* NULL: rows were never wanted */
static size_t memory_bytes = PORTOLAN_PROBE_ROWS_MEMORY;

/* A chunk that is being read, and rows that VISIT did not want yet. */
static struct {
    pthread_mutex_t lock; /* one reader at a time; before the other */
    unsigned char *chunk; /* ROWS_DATA */
    struct rows_chunk head;
    uint32_t at;
    struct portolan_probe_row *rows; /* BATCH */
    size_t n_rows;
    uint64_t unreadable;
} reader = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------- blocks */

static struct pool *pool_create(size_t bytes)
{
    size_t blocks = bytes / ROWS_BLOCK < 2 ? 2 : bytes / ROWS_BLOCK, words = (blocks + 63) / 64;
    struct pool *p = portolan_calloc(1, sizeof *p + words * sizeof p->free_blocks[0]);
    void *memory;

    if (!p)
        return NULL;
    /* all at once, so that no call pays for it */
    memory = mmap(NULL, blocks * ROWS_BLOCK, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
        free(p);
        return NULL;
    }
    p->memory = memory;
    p->blocks = blocks;
    for (size_t i = 0; i < blocks; i++)
        p->free_blocks[i / 64] |= UINT64_C(1) << i % 64;
    return p;
}

static void pool_destroy(struct pool *p)
{
    if (!p)
        return;
    munmap(p->memory, p->blocks * ROWS_BLOCK);
    free(p);
}

/* The lowest that is free, as it may still be in a cache. Never waits. */
static struct rows_block *claim(struct pool *p)
{
    for (size_t w = 0; w < (p->blocks + 63) / 64; w++) {
        uint64_t bits = __atomic_load_n(&p->free_blocks[w], __ATOMIC_RELAXED);

        while (bits) {
            uint64_t lowest = bits & -bits;
            size_t i = w * 64 + (size_t)__builtin_ctzll(lowest);

            bits = __atomic_fetch_and(&p->free_blocks[w], ~lowest, __ATOMIC_ACQUIRE);
            if (bits & lowest)
                return (struct rows_block *)(void *)(p->memory + i * ROWS_BLOCK);
        }
    }
    return NULL;
}

static void give_back(struct pool *p, struct rows_block *b)
{
    size_t i = (size_t)((unsigned char *)b - p->memory) / ROWS_BLOCK;

    __atomic_fetch_or(&p->free_blocks[i / 64], UINT64_C(1) << i % 64, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&p->claimed, 1, __ATOMIC_RELAXED);
}

static struct rows_block *add_block(struct probe_thread *t)
{
    struct pool *p = __atomic_load_n(&pool, __ATOMIC_ACQUIRE);
    struct rows_block *b = p ? claim(p) : NULL;

    if (!b) {
        portolan_probe_add(&t->rows_lost, 1);
        return NULL;
    }
    memset(b, 0, sizeof *b);
    __atomic_store_n(t->rows ? &t->rows->next : &t->rows_oldest, b, __ATOMIC_RELEASE);
    t->rows = b;
    if (2 * __atomic_add_fetch(&p->claimed, 1, __ATOMIC_RELAXED) > p->blocks)
        rows_spill_ask();
    return b;
}

struct rows_block *rows_oldest(struct probe_thread *t)
{
    return __atomic_load_n(&t->rows_oldest, __ATOMIC_ACQUIRE);
}

bool rows_is_complete(struct rows_block *b)
{
    return __atomic_load_n(&b->next, __ATOMIC_ACQUIRE) != NULL;
}

void rows_release_oldest(struct probe_thread *t)
{
    struct rows_block *b = t->rows_oldest;

    __atomic_store_n(&t->rows_oldest, b->next, __ATOMIC_RELAXED);
    give_back(pool, b);
}

/* ------------------------------------------------- noting */

/* Room for one more row of any size; NULL: it is lost. */
static struct rows_row *next_row(struct probe_thread *t)
{
    struct rows_block *b = t->rows;

    if (PORTOLAN_PROBE_UNLIKELY(!b || rows_bytes(b->filled) > ROWS_DATA - ROWS_ROW_MAX) &&
        !(b = add_block(t)))
        return NULL;
    return (struct rows_row *)(void *)(b->data + rows_bytes(b->filled));
}

/* ROW, with N values after it, is complete. */
static void close_row(struct rows_block *b, const struct rows_row *row, unsigned n)
{
    __atomic_store_n(&b->filled, b->filled + (UINT64_C(1) << ROWS_COUNT) + sizeof *row + n * 8,
                     __ATOMIC_RELEASE);
}

static void fill_row(struct rows_row *row, const struct probe_thread *t,
                     const struct portolan_probe_frame *f, uint64_t elapsed, unsigned n)
{
    const struct portolan_probe_node *node = f->node;

    row->key = UINT64_C(1) << KEY_ONE_IN | (uint64_t)n << KEY_CONTEXTS | node->id;
    row->ordinal = node->calls + node->untimed;
    row->start = PORTOLAN_PROBE_UNLIKELY(t->spans) ? probe_span_began(t, f) : f->start;
    row->elapsed = elapsed;
    row->child = f->child;
    row->mpi = f->mpi;
    row->quality = node->row_quality;
    for (unsigned i = 0; i < n; i++)
        row->more[i].x = node->x[i];
}

/* Adds to a row what a sampled or counted call has; returns how many values that is. */
static unsigned add_more(struct rows_row *row, struct probe_thread *t,
                         const struct portolan_probe_frame *f, unsigned n)
{
    unsigned n_counters = 0;
    const uint64_t *counters =
        f->node->flags & PORTOLAN_PROBE_COUNTERS ? probe_counters_last(&t->hot, &n_counters) : NULL;

    if (f->node->flags & PORTOLAN_PROBE_SAMPLED)
        row->key += (uint64_t)(f->node->one_in - 1) << KEY_ONE_IN;
    row->key |= (uint64_t)n_counters << KEY_COUNTERS;
    for (unsigned i = 0; i < n_counters; i++)
        row->more[n + i].counter = counters[i];
    return n_counters;
}

void probe_row_note(struct probe_thread *t, struct portolan_probe_frame *f, uint64_t elapsed,
                    unsigned n)
{
    struct rows_row *row = next_row(t);

    if (!row)
        return;
    fill_row(row, t, f, elapsed, n);
    if (PORTOLAN_PROBE_UNLIKELY(f->node->flags &
                                (PORTOLAN_PROBE_COUNTERS | PORTOLAN_PROBE_SAMPLED)))
        n += add_more(row, t, f, n);
    close_row(t->rows, row, n);
}

/* ------------------------------------------------- taking */

/* Unpacks the row at DATA; returns its size. */
static uint32_t unpack(struct portolan_probe_row *out, const void *data, uint32_t thread)
{
    const struct rows_row *row = data;
    unsigned n = row->key >> KEY_CONTEXTS & 15U, n_counters = row->key >> KEY_COUNTERS & 15U;

    memset(out, 0, sizeof *out);
    out->record = (uint64_t)thread << 32 | (row->key & KEY_NODE);
    out->thread = thread;
    out->one_in = (uint32_t)(row->key >> KEY_ONE_IN);
    out->ordinal = row->ordinal;
    out->start_ns = portolan_probe_ticks_to_ns(row->start);
    out->inclusive_ns = portolan_probe_ticks_to_ns(row->elapsed);
    out->exclusive_ns = portolan_probe_ticks_to_ns(row->elapsed - row->child);
    out->mpi_ns = portolan_probe_ticks_to_ns(row->mpi);
    out->quality = row->quality;
    for (unsigned i = 0; i < n; i++)
        out->x[i] = row->more[i].x;
    for (unsigned i = 0; i < n_counters; i++)
        out->counters[i] = row->more[n + i].counter;
    return (uint32_t)(sizeof *row + (n + n_counters) * 8);
}

static struct probe_thread *thread_number(uint32_t index)
{
    struct probe_thread *t = probe_thread_first();

    while (t && t->index != index)
        t = probe_thread_next(t);
    return t;
}

static void count_off(struct probe_thread *t)
{
    if (t && t->rows_wanted)
        t->rows_wanted--;
}

/* Takes rows from disk, which are older than those that the same threads have in memory. */
static void fill_from_disk(void)
{
    while (reader.n_rows < BATCH) {
        struct probe_thread *t;

        if (reader.at == reader.head.bytes) {
            reader.at = reader.head.bytes = 0;
            if (!rows_spill_read(&reader.head, reader.chunk, &reader.unreadable)) {
                reader.head.bytes = 0;
                return;
            }
        }
        t = thread_number(reader.head.thread);
        while (reader.n_rows < BATCH && reader.at < reader.head.bytes) {
            reader.at +=
                unpack(&reader.rows[reader.n_rows++], reader.chunk + reader.at, reader.head.thread);
            if (t) {
                t->rows_spilled--;
                count_off(t);
            }
        }
    }
}

static void fill_from_thread(struct probe_thread *t)
{
    while (reader.n_rows < BATCH && t->rows_wanted) {
        struct rows_block *b = rows_oldest(t);
        bool complete = rows_is_complete(b);
        uint32_t used = rows_bytes(__atomic_load_n(&b->filled, __ATOMIC_ACQUIRE));

        while (reader.n_rows < BATCH && t->rows_wanted && b->read < used) {
            b->read += unpack(&reader.rows[reader.n_rows++], b->data + b->read, t->index);
            b->read_rows++;
            count_off(t);
        }
        if (b->read == used && complete)
            rows_release_oldest(t);
    }
}

/* Up to BATCH rows that were there when the reader came. */
static void fill_batch(void)
{
    struct probe_thread *t = probe_thread_first();

    while (t && !t->rows_wanted)
        t = probe_thread_next(t);
    if (!t)
        return;
    fill_from_disk();
    for (; t && reader.n_rows < BATCH; t = probe_thread_next(t))
        if (t->rows_wanted)
            fill_from_thread(t);
}

/* Notes which rows there are now, for this reader to take; returns how many were lost. */
static uint64_t begin_taking(void)
{
    uint64_t lost = 0;

    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t)) {
        uint64_t lost_now = __atomic_load_n(&t->rows_lost, __ATOMIC_RELAXED);

        lost += lost_now - t->rows_lost_reported;
        t->rows_lost_reported = lost_now;
        t->rows_wanted = t->rows_spilled;
        for (struct rows_block *b = rows_oldest(t); b;
             b = __atomic_load_n(&b->next, __ATOMIC_ACQUIRE))
            t->rows_wanted +=
                rows_number(__atomic_load_n(&b->filled, __ATOMIC_ACQUIRE)) - b->read_rows;
    }
    return lost;
}

static bool reader_has_memory(void)
{
    if (!reader.chunk)
        reader.chunk = portolan_calloc(1, ROWS_DATA);
    if (!reader.rows)
        reader.rows = portolan_calloc(BATCH, sizeof *reader.rows);
    return reader.chunk && reader.rows;
}

enum portolan_status
portolan_probe_rows_take(int (*visit)(void *arg, const struct portolan_probe_row *rows, size_t n),
                         void *arg, uint64_t *lost, struct portolan_error *err)
{
    uint64_t n_lost;
    bool goes_on = true;

    pthread_mutex_lock(&reader.lock);
    if (!reader_has_memory()) {
        pthread_mutex_unlock(&reader.lock);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to read rows");
    }
    pthread_mutex_lock(&probe_rows_lock);
    n_lost = begin_taking();
    while (goes_on) {
        if (!reader.n_rows)
            fill_batch();
        if (!reader.n_rows)
            break;
        pthread_mutex_unlock(&probe_rows_lock);
        goes_on = visit(arg, reader.rows, reader.n_rows) == 0;
        pthread_mutex_lock(&probe_rows_lock);
        if (goes_on)
            reader.n_rows = 0;
    }
    n_lost += reader.unreadable;
    reader.unreadable = 0;
    pthread_mutex_unlock(&probe_rows_lock);
    pthread_mutex_unlock(&reader.lock);
    if (lost)
        *lost = n_lost;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- life */

static void forget(void)
{
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t)) {
        struct rows_block *next, *b = t->rows_oldest;

        for (; b; b = next) {
            next = b->next;
            give_back(pool, b);
        }
        t->rows = NULL;
        __atomic_store_n(&t->rows_oldest, NULL, __ATOMIC_RELAXED);
        t->rows_spilled = t->rows_wanted = 0;
        t->rows_lost_reported = __atomic_load_n(&t->rows_lost, __ATOMIC_RELAXED);
    }
    reader.n_rows = 0;
    reader.at = reader.head.bytes = 0;
    reader.unreadable = 0;
    rows_spill_forget();
}

void probe_rows_forget(void)
{
    pthread_mutex_lock(&probe_rows_lock);
    forget();
    pthread_mutex_unlock(&probe_rows_lock);
}

/* Called with the lock held. If there was a reader at work, it was another thread. */
void probe_rows_abandon(void)
{
    pthread_mutex_init(&reader.lock, NULL);
    rows_spill_abandon();
    forget();
}

static void start(void)
{
    if (!pool)
        __atomic_store_n(&pool, pool_create(memory_bytes), __ATOMIC_RELEASE);
    if (pool)
        rows_spill_start();
}

void probe_rows_start(void)
{
    pthread_mutex_lock(&probe_rows_lock);
    start();
    pthread_mutex_unlock(&probe_rows_lock);
}

static bool is_waiting(void)
{
    if (reader.n_rows || reader.at < reader.head.bytes)
        return true;
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t)) {
        const struct rows_block *b = rows_oldest(t);

        if (t->rows_spilled ||
            (b && (b->next ||
                   b->read_rows < rows_number(__atomic_load_n(&b->filled, __ATOMIC_RELAXED)))))
            return true;
    }
    return false;
}

static bool others_are_idle(void)
{
    struct probe_thread *self = probe_thread_known();

    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        if (t != self && !probe_thread_is_idle(t))
            return false;
    return true;
}

/* Called under the lock, while no thread is inside a call. */
static enum portolan_status configure(size_t bytes, uint64_t spill, const char *folder,
                                      struct portolan_error *err)
{
    struct pool *fresh = pool_create(bytes);
    enum portolan_status status;

    if (!fresh)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %zu bytes of rows", bytes);
    status = rows_spill_configure(spill, folder, err);
    if (status != PORTOLAN_OK) {
        pool_destroy(fresh);
        return status;
    }
    forget();
    pool_destroy(pool);
    memory_bytes = bytes;
    __atomic_store_n(&pool, fresh, __ATOMIC_RELEASE);
    start();
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_rows_configure(const struct portolan_probe_rows_limits *limits,
                                                   struct portolan_error *err)
{
    size_t bytes = limits->memory_bytes ? limits->memory_bytes : PORTOLAN_PROBE_ROWS_MEMORY;
    enum portolan_status status;

    pthread_mutex_lock(&reader.lock);
    pthread_mutex_lock(&probe_rows_lock);
    if (is_waiting())
        status = portolan_error_set(err, PORTOLAN_EBUSY, "rows wait to be taken");
    else if (!others_are_idle())
        status = portolan_error_set(err, PORTOLAN_EBUSY, "a thread is inside a call");
    else
        status = configure(bytes, limits->spill_bytes, limits->folder, err);
    pthread_mutex_unlock(&probe_rows_lock);
    pthread_mutex_unlock(&reader.lock);
    return status;
}

void portolan_probe_rows_trouble(char *text, size_t size)
{
    pthread_mutex_lock(&probe_rows_lock);
    rows_spill_trouble(text, size);
    pthread_mutex_unlock(&probe_rows_lock);
}
