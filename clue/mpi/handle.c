/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, tasks, and memory. */
#include "internal.h"

void *mpi_alloc(size_t n, size_t size)
{
    void *memory = portolan_calloc(n ? n : 1, size ? size : 1);

    if (!memory)
        clue_fail("out of memory");
    return memory;
}

void *mpi_copy_of(const void *bytes, size_t n, size_t size)
{
    void *copy = mpi_alloc(n, size);

    if (n)
        memcpy(copy, bytes, n * size);
    return copy;
}

struct mpi_task *mpi_task(void)
{
    void **own = clue_own(CLUE_MPI);

    if (!*own)
        *own = mpi_alloc(1, sizeof(struct mpi_task));
    return *own;
}

int mpi_handle(struct mpi_task *t, enum mpi_kind kind, void *item)
{
    struct mpi_table *table = &t->tables[kind];
    uint32_t i;

    if (table->free) {
        i = table->free - 1;
        table->free = (uint32_t)((uintptr_t)table->items[i] >> 1);
    } else {
        i = table->n++;
        if (!portolan_reserve(&table->items, &table->room, table->n, sizeof *table->items))
            clue_fail("out of memory");
    }
    table->items[i] = item;
    return (int)(2U << 30 | (uint32_t)kind << 26 | i);
}

void mpi_handle_free(struct mpi_task *t, int handle)
{
    struct mpi_table *table = &t->tables[mpi_kind_of(handle)];
    uint32_t i = (uint32_t)handle & 0x03ffffff;

    table->items[i] = (void *)((uintptr_t)table->free << 1 | 1);
    table->free = i + 1;
}

struct mpi_shared *mpi_shared(void)
{
    void **root = clue_shared(CLUE_MPI);

    if (!*root)
        *root = clue_share(sizeof(struct mpi_shared));
    return *root;
}
