/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fetches the memory of a rank into the cache before it runs: its data, its heap, and blocks that
 * malloc() mapped. Pages that the rank has not touched stay untouched.
 */
#include "internal.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE = 128 << 10,      /* malloc() may map blocks of so many bytes and more */
    IS_MAPPED = 2,          /* bit of the word before a mapped block */
    MOST_PAGES = 4096,      /* ranks with more pages are not fetched */
    SKIPPED = 64,           /* fetches that are skipped if there was more than the cache holds */
    USUAL_CACHE = 512 << 10 /* a core's own, if the system does not know */
};

/* ------------------------------------------------- blocks */

#ifndef __SANITIZE_ADDRESS__

/* Notes a large block that the program asked for. Blocks of a heap, and those of libraries for
 * messages, do not count. Whether it still exists is checked when it is fetched. */
static void *note(void *block, size_t bytes)
{
    struct rank *rank = clue_carrier.current;
    struct block *b;

    if (bytes < LARGE || !block || !rank || rank->depth || !(((size_t *)block)[-1] & IS_MAPPED))
        return block;
    b = &rank->blocks[rank->n_blocks++ % RANK_BLOCKS];
    for (size_t i = 0; i < RANK_BLOCKS; i++)
        if (rank->blocks[i].at == block) {
            b = &rank->blocks[i];
            rank->n_blocks--;
        }
    *b = (struct block){block, bytes};
    return block;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

PORTOLAN_API void *malloc(size_t bytes)
{
    return bytes < LARGE ? __libc_malloc(bytes) : note(__libc_malloc(bytes), bytes);
}

PORTOLAN_API void *calloc(size_t n, size_t bytes)
{
    return note(__libc_calloc(n, bytes), n * bytes);
}

PORTOLAN_API void *realloc(void *block, size_t bytes)
{
    return note(__libc_realloc(block, bytes), bytes);
}

PORTOLAN_API void *aligned_alloc(size_t alignment, size_t bytes)
{
    return note(__libc_memalign(alignment, bytes), bytes);
}

PORTOLAN_API int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    void *new;

    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || !alignment)
        return EINVAL;
    if (!(new = __libc_memalign(alignment, bytes)))
        return ENOMEM;
    *block = note(new, bytes);
    return 0;
}

#endif

/* ------------------------------------------------- fetching */

/* Loads the bytes; hints to fetch would be dropped if the page's translation is not cached. */
void clue_fetch(const volatile uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        from[i];
}

/* Returns the size of a core's own cache. */
static size_t cache_bytes(void)
{
    static long bytes;

    if (!bytes)
        bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : USUAL_CACHE;
}

struct pages {
    struct block areas[RANK_BLOCKS + 2];
    size_t n_areas, n, n_resident;
    uint8_t is_resident[MOST_PAGES];
};

/* Adds an area; returns false if there is too much. */
static bool add_area(struct pages *p, const void *at, size_t bytes)
{
    uint8_t *first = (uint8_t *)((uintptr_t)at / PAGE * PAGE);
    size_t n = ((uintptr_t)at + bytes - (uintptr_t)first + PAGE - 1) / PAGE;

    if (n > MOST_PAGES - p->n)
        return mincore(first, PAGE, (uint8_t[1]){0}) != 0;
    if (mincore(first, n * PAGE, p->is_resident + p->n) != 0)
        return true; /* the block has been freed */
    for (size_t i = 0; i < n; i++)
        p->n_resident += p->is_resident[p->n + i] & 1;
    p->areas[p->n_areas++] = (struct block){first, n * PAGE};
    p->n += n;
    return true;
}

static bool add_all(struct pages *p, const struct rank *rank)
{
    const struct image *program = &rank->program->set.images[0];
    bool fits =
        add_area(p, rank->base + program->offset + program->data, program->stored - program->data);

    if (fits && rank->heap)
        fits = add_area(p, rank->heap, rank->heap->bytes);
    for (size_t i = 0; i < RANK_BLOCKS && fits; i++)
        if (rank->blocks[i].at)
            fits = add_area(p, rank->blocks[i].at, rank->blocks[i].bytes);
    return fits;
}

bool clue_memory_fetch(struct rank *rank)
{
    static struct pages p;
    const uint8_t *is_resident = p.is_resident;

    if (rank->fetches_skipped && rank->fetches_skipped--)
        return false;
    p.n_areas = p.n = p.n_resident = 0;
    /* If the memory is up to half as large again as the cache, a part of it stays there. */
    if (!add_all(&p, rank) || p.n_resident * PAGE > cache_bytes() / 2 * 3) {
        rank->fetches_skipped = SKIPPED;
        return false;
    }
    for (size_t a = 0; a < p.n_areas; a++)
        for (size_t at = 0; at < p.areas[a].bytes; at += PAGE)
            if (*is_resident++ & 1)
                clue_fetch((const uint8_t *)p.areas[a].at + at, PAGE);
    return true;
}
