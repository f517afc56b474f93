/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that folded tasks share: that of the process. */
#include "internal.h"

#include <string.h>
#include <sys/mman.h>

/* Maps large memory anew, so that a program which touches it first is charged for its pages. The
 * word before the memory holds the size to unmap; 0: it comes from malloc(). */
void *clue_share(size_t bytes)
{
    enum { ALIGN = 64, LARGE = 64 << 10 };
    size_t whole = (bytes / ALIGN + 2) * ALIGN;
    bool is_large = bytes >= LARGE;
    char *memory =
        is_large ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                 : aligned_alloc(ALIGN, whole);

    if (!memory || memory == MAP_FAILED)
        clue_fail("out of memory");
    if (!is_large)
        memset(memory, 0, whole);
    *(size_t *)memory = is_large ? whole : 0;
    return memory + ALIGN;
}

void clue_unshare(void *memory)
{
    enum { ALIGN = 64 };
    char *whole = memory ? (char *)memory - ALIGN : NULL;
    size_t mapped = whole ? *(size_t *)whole : 0;

    if (mapped)
        munmap(whole, mapped);
    else
        free(whole);
}

void **clue_shared(enum clue_owner owner)
{
    return &clue_carrier.shared[owner];
}

void clue_call_in(int task, void (*run)(void *arg), void *arg)
{
    (void)task;
    run(arg);
}
