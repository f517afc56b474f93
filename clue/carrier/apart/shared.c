/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that ranks share, in blocks of powers of two; with real hosts each rank has a copy. */
#include "client.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CLASSES = 64, ALIGN = 64 };

struct block {
    uint64_t size_class;
    struct block *next; /* the next free block */
    char bytes[] __attribute__((aligned(ALIGN)));
};
struct shared_heap {
    void *roots[CLUE_OWNERS];
    uint64_t used; /* bytes in use; 0: nothing has been allocated yet */
    struct block *free[CLASSES];
};

/* ------------------------------------------------- a copy */

/* The contents that portolan-clue knows of this rank's copy; NULL: all ranks map one memory. A page
 * of the copy becomes private when it is written to, which the kernel's file PAGES shows. */
static char *known;
static int pages;

static void *map(void *at, int flags, int fd)
{
    return mmap(at, LINK_MEMORY_BYTES, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
}

bool asker_share(int fd)
{
    bool is_copied = fd < 0;

    if (is_copied) {
        fd = memfd_create("portolan-clue", MFD_CLOEXEC);
        pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        if (fd < 0 || ftruncate(fd, (off_t)LINK_MEMORY_BYTES) != 0 ||
            (known = map(NULL, MAP_SHARED, fd)) == MAP_FAILED)
            return false;
    }
    clue_asker.heap =
        map(LINK_MEMORY, (is_copied ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED_NOREPLACE, fd);
    close(fd);
    return clue_asker.heap != MAP_FAILED;
}

/* Returns whether page I may have been written to since it was compared last. */
static bool is_private(size_t i, size_t page)
{
    enum { ENTRIES = 512 };
    static uint64_t entries[ENTRIES];
    const uint64_t of_file = UINT64_C(1) << 61;
    off_t at = (off_t)(((uintptr_t)LINK_MEMORY / page + i) * sizeof *entries);

    if (i % ENTRIES == 0 && pread(pages, entries, sizeof entries, at) != sizeof entries)
        memset(entries, 1, sizeof entries); /* unknown: all pages count as written to */
    return entries[i % ENTRIES] && !(entries[i % ENTRIES] & of_file);
}

bool asker_write(struct link_frame *f, const struct iovec *parts, int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), lines = page / LINK_LINE, first = 0, end = 0;
    size_t n_pages = known && clue_asker.heap->used ? (clue_asker.heap->used + page - 1) / page : 0;
    bool is_good = true;

    for (size_t i = 0; i < n_pages && is_good; i++) {
        if (!is_private(i, page))
            continue;
        for (size_t line = i * lines; line < (i + 1) * lines && is_good; line++) {
            const char *own = (char *)clue_asker.heap + line * LINK_LINE;

            if (memcmp(known + line * LINK_LINE, own, LINK_LINE) == 0)
                continue;
            memcpy(known + line * LINK_LINE, own, LINK_LINE);
            if (line > end && end > first)
                is_good = link_write_lines(clue_asker.fd, known, first, end);
            first = line > end ? line : first;
            end = line + 1;
        }
        madvise((char *)clue_asker.heap + i * page, page, MADV_DONTNEED);
    }
    if (is_good && end > first)
        is_good = link_write_lines(clue_asker.fd, known, first, end);
    return is_good && link_write(clue_asker.fd, f, parts, n);
}

void asker_take_lines(const struct link_frame *f, const char *bytes)
{
    memcpy(known + f->words[0], bytes, f->bytes);
}

/* ------------------------------------------------- blocks */

void **clue_shared(enum clue_owner owner)
{
    return &clue_asker.heap->roots[owner];
}

void *clue_share(size_t bytes)
{
    unsigned size_class = 64 - (unsigned)__builtin_clzll(bytes + sizeof(struct block) - 1);
    struct block *b = clue_asker.heap->free[size_class];

    if (b) {
        clue_asker.heap->free[size_class] = b->next;
        return memset(b->bytes, 0, bytes);
    }
    if (!clue_asker.heap->used)
        clue_asker.heap->used = (sizeof *clue_asker.heap / ALIGN + 1) * ALIGN;
    if (LINK_MEMORY_BYTES - clue_asker.heap->used < (size_t)1 << size_class)
        clue_fail("out of shared memory");
    b = (struct block *)((char *)clue_asker.heap + clue_asker.heap->used);
    clue_asker.heap->used += (size_t)1 << size_class;
    b->size_class = size_class;
    return b->bytes;
}

void clue_unshare(void *memory)
{
    struct block *b = memory ? (struct block *)((char *)memory - sizeof *b) : NULL;

    if (!b)
        return;
    b->next = clue_asker.heap->free[b->size_class];
    clue_asker.heap->free[b->size_class] = b;
}
