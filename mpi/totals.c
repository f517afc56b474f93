/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <portolan/probe.h>

#include <pthread.h>
#include <stdlib.h>

/* One writer each; a thread that ends leaves its block to the next new one. */
struct totals {
    struct totals *next;
    bool in_use; /* under the lock */
    uint64_t calls[MPI_ROUTINES], ticks[MPI_ROUTINES], bytes[MPI_ROUTINES];
};

static const char *const routine_names[MPI_ROUTINES] = {
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Finalize",
#define ROUTINE(name) "MPI_" #name,
#include "mpi_names.h"
#undef ROUTINE
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct totals *all;
static pthread_key_t key;
static bool have_key;
static __thread struct totals *mine __attribute__((tls_model("initial-exec")));

static void detach(void *block)
{
    mine = NULL;
    pthread_mutex_lock(&lock);
    ((struct totals *)block)->in_use = false;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void make_key(void)
{
    have_key = pthread_key_create(&key, detach) == 0;
}

static struct totals *attach(void)
{
    struct totals *t;

    if (!have_key)
        return NULL;
    pthread_mutex_lock(&lock);
    for (t = all; t && t->in_use; t = t->next)
        ;
    if (!t && (t = portolan_calloc(1, sizeof *t))) {
        t->next = all;
        all = t;
    }
    if (t && pthread_setspecific(key, t) == 0)
        t->in_use = true;
    else
        t = NULL;
    pthread_mutex_unlock(&lock);
    mine = t;
    return t;
}

void mpi_count(enum mpi_routine routine, uint64_t ticks, uint64_t bytes)
{
    struct totals *t = mine ? mine : attach();

    if (!t)
        return;
    portolan_probe_add(&t->calls[routine], 1);
    portolan_probe_add(&t->ticks[routine], ticks);
    portolan_probe_add(&t->bytes[routine], bytes);
}

uint64_t mpi_bytes(const void *buffer, MPI_Count count, MPI_Datatype type)
{
    int size;

    if (buffer == MPI_IN_PLACE || count <= 0 || type == MPI_DATATYPE_NULL ||
        PMPI_Type_size(type, &size) != MPI_SUCCESS)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

static void add_up(int routine, struct portolan_mpi_total *row)
{
    uint64_t ticks = 0;

    *row = (struct portolan_mpi_total){.routine = routine_names[routine]};
    for (const struct totals *t = all; t; t = t->next) {
        row->calls += __atomic_load_n(&t->calls[routine], __ATOMIC_RELAXED);
        row->bytes += __atomic_load_n(&t->bytes[routine], __ATOMIC_RELAXED);
        ticks += __atomic_load_n(&t->ticks[routine], __ATOMIC_RELAXED);
    }
    row->time_ns = portolan_probe_ticks_to_ns(ticks);
}

enum portolan_status portolan_mpi_totals(struct portolan_mpi_total **rows, size_t *count)
{
    struct portolan_mpi_total *out = portolan_calloc(MPI_ROUTINES, sizeof *out);
    size_t n = 0;

    if (!out)
        return PORTOLAN_ENOMEM;
    pthread_mutex_lock(&lock);
    for (int r = 0; r < MPI_ROUTINES; r++) {
        add_up(r, &out[n]);
        if (out[n].calls)
            n++;
    }
    pthread_mutex_unlock(&lock);
    if (!n) {
        free(out);
        out = NULL;
    }
    *rows = out;
    *count = n;
    return PORTOLAN_OK;
}
