/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that ranks of one machine have together: blocks of powers of two. */
#include "ask.h"

#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 64, ALIGN = 64 };

struct block {
    uint64_t size_class;
    struct block *next; /* that is free */
    char bytes[] __attribute__((aligned(ALIGN)));
};
struct shared_heap {
    void *roots[CLUE_OWNERS];
    uint64_t used; /* bytes; 0: nobody has asked yet */
    struct block *free[CLASSES];
};
#define HEAP clue_asker.heap

bool asker_share(int fd)
{
    void *memory = fd < 0 ? NULL
                          : mmap(LINK_MEMORY, LINK_MEMORY_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);

    HEAP = memory == MAP_FAILED ? NULL : memory;
    return memory != MAP_FAILED;
}

bool clue_shares_memory(void)
{
    return HEAP != NULL;
}

void **clue_shared(enum clue_owner owner)
{
    if (!HEAP)
        clue_fail("one-sided communication and PVM need memory that all ranks share, which is not "
                  "available on a machine with real hosts (factor 0)");
    return &HEAP->roots[owner];
}

void *clue_share(size_t bytes)
{
    unsigned size_class = 64 - (unsigned)__builtin_clzll(bytes + sizeof(struct block) - 1);
    struct block *b = HEAP->free[size_class];

    if (b) {
        HEAP->free[size_class] = b->next;
        return memset(b->bytes, 0, bytes);
    }
    if (!HEAP->used)
        HEAP->used = (sizeof *HEAP / ALIGN + 1) * ALIGN;
    if (LINK_MEMORY_BYTES - HEAP->used < (size_t)1 << size_class)
        clue_fail("out of shared memory");
    b = (struct block *)((char *)HEAP + HEAP->used);
    HEAP->used += (size_t)1 << size_class;
    b->size_class = size_class;
    return b->bytes;
}

void clue_unshare(void *memory)
{
    struct block *b = memory ? (struct block *)((char *)memory - sizeof *b) : NULL;

    if (!b)
        return;
    b->next = HEAP->free[b->size_class];
    HEAP->free[b->size_class] = b;
}
