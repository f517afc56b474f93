/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines: their life, their processors, and the messages for wrong use. */
#include "internal.h"

#include <portolan/mpi.h>
#include <portolan/stats.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    int *argc;
    char ***argv;
    MPI_Comm comm;
    bool is_running, began_mpi;
    struct bsp_machine *all;
    struct bsp_machine *newest; /* head of the list of live machines, linked by `older` */
} library;

void bsp_die(const struct bsp_machine *m, const char *function, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (m)
        fprintf(stderr, "%s: error: processor %d of %d, superstep %llu: %s\n", function, m->pid,
                m->n, (unsigned long long)m->step, text);
    else
        fprintf(stderr, "%s: error: %s\n", function, text);
    fflush(NULL); /* what the program has printed so far may help to find the cause */
    if (library.is_running)
        MPI_Abort(library.comm, 1);
    exit(1);
}

void *bsp_need(size_t count, size_t size, const char *function)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        bsp_die(NULL, function, "out of memory for %zu items of %zu bytes", count, size);
    return memory;
}

void *bsp_grow(void *items, size_t n, size_t size, const char *function)
{
    if (n & (n - 1))
        return items;
    items = reallocarray(items, n ? 2 * n : 1, size);
    if (!items)
        bsp_die(NULL, function, "out of memory for %zu items of %zu bytes", 2 * n, size);
    return items;
}

struct bsp_machine *bsp_find(const t_bsp *bsp, const char *function)
{
    struct bsp_machine *m;

    if (!library.is_running)
        bsp_die(NULL, function, "bsplib_init() has not been called, or bsplib_done() has");
    if (!bsp)
        bsp_die(library.all, function, "the BSP object is NULL");
    for (m = library.newest; m && m != bsp->machine; m = m->older)
        ;
    if (!m)
        bsp_die(library.all, function,
                "this t_bsp is no BSP object: it was never made by bsp_partition() or bsp_dup(), "
                "or bsp_done() has ended it");
    return m;
}

struct bsp_machine *bsp_find_active(const t_bsp *bsp, const char *function)
{
    struct bsp_machine *m = bsp_find(bsp, function);

    if (m->n_open_partitions)
        bsp_die(m, function,
                "this object is divided: until bsp_done() of the part, use the part that "
                "bsp_partition() made");
    return m;
}

struct bsp_machine *bsp_find_for(const t_bsp *bsp, int whom, const char *function)
{
    struct bsp_machine *m = bsp_find_active(bsp, function);

    if (whom < 0 || whom >= m->n)
        bsp_die(m, function, "there is no processor %d: the object has 0 … %d", whom, m->n - 1);
    return m;
}

struct bsp_machine *bsp_find_id(uint64_t id)
{
    struct bsp_machine *m = library.newest;

    while (m && m->id != id)
        m = m->older;
    return m;
}

/* -- life -- */

/*
 * All processors of a machine count the machines made from it in the same way. So they compute the
 * same number for a part without communication, and a different one for every other part. The 64
 * bits depend on the whole path from the root; two paths collide with a probability of 1 in 10^19.
 */
static uint64_t id_of(uint64_t parent, uint64_t made, uint64_t part)
{
    return portolan_mix(portolan_mix(portolan_mix(parent) + made) + part);
}

static struct bsp_machine *make(struct bsp_machine *parent, int first, int n, int rank,
                                uint64_t part, const char *function)
{
    struct bsp_machine *m = bsp_need(1, sizeof *m, function);

    m->parent = parent;
    m->first = first;
    m->n = n;
    m->pid = rank - first;
    m->step = 1;
    m->sent_to = bsp_need((size_t)n, sizeof *m->sent_to, function);
    if (parent) {
        parent->n_made++;
        parent->n_open++;
        m->id = id_of(parent->id, parent->n_made, part);
    }
    transport_lock();
    m->older = library.newest;
    library.newest = m;
    transport_unlock();
    return m;
}

static void destroy(struct bsp_machine *m)
{
    struct bsp_machine **link = &library.newest;

    transport_lock();
    while (*link != m)
        link = &(*link)->older;
    *link = m->older;
    transport_unlock();
    message_deliver(m, NULL);
    memory_clear(m);
    free(m->sent_to);
    free(m);
}

void bsplib_saveargs(int *argc, char ***argv)
{
    library.argc = argc;
    library.argv = argv;
}

void bsplib_init(const t_bsplib_params *parameters, t_bsp *bsp)
{
    int is_there, rank, size;

    if (library.is_running)
        bsp_die(library.all, "bsplib_init", "called a second time");
    if (parameters)
        bsp_die(NULL, "bsplib_init", "the only parameters there are is BSPLIB_STDPARAMS");
    MPI_Finalized(&is_there);
    if (is_there)
        bsp_die(NULL, "bsplib_init", "MPI has been ended already; call it before MPI_Finalize");
    MPI_Initialized(&is_there);
    if (!is_there) {
        struct portolan_error err = {0};
        int got;

        if (portolan_mpi_check_launcher(&err) != PORTOLAN_OK)
            bsp_die(NULL, "bsplib_init", "%s", err.text);
        MPI_Init_thread(library.argc, library.argv, MPI_THREAD_MULTIPLE, &got);
        library.began_mpi = true;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &library.comm);
    MPI_Comm_set_errhandler(library.comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(library.comm, &rank);
    MPI_Comm_size(library.comm, &size);
    library.is_running = true;
    transport_begin(library.comm);
    library.all = make(NULL, 0, size, rank, 0, "bsplib_init");
    bsp->machine = library.all;
    trace_begin(library.all, library.comm);
}

void bsplib_done(void)
{
    int is_over;

    if (!library.is_running)
        bsp_die(NULL, "bsplib_done", "bsplib_init() has not been called");
    MPI_Finalized(&is_over);
    if (is_over) {
        library.is_running = false; /* MPI is over, so it cannot abort the others */
        bsp_die(NULL, "bsplib_done", "MPI has been ended already; call it before MPI_Finalize");
    }
    if (library.newest != library.all)
        bsp_die(library.newest, "bsplib_done",
                "an object of %d processors is not done: call bsp_done() for each that "
                "bsp_partition() or bsp_dup() made",
                library.newest->n);
    trace_end(library.all);
    transport_end();
    destroy(library.all);
    library.all = NULL;
    library.is_running = false;
    MPI_Comm_free(&library.comm);
    if (library.began_mpi)
        MPI_Finalize();
    library.began_mpi = false;
}

int bsp_nprocs(const t_bsp *bsp)
{
    return bsp_find(bsp, "bsp_nprocs")->n;
}

int bsp_pid(const t_bsp *bsp)
{
    return bsp_find(bsp, "bsp_pid")->pid;
}

void bsp_partition(t_bsp *bsp, t_bsp *sub, int n, const int *bounds)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_partition"), *made;
    int part = 0, first;

    if (n < 1)
        bsp_die(m, "bsp_partition", "%d parts were asked for; there is at least 1", n);
    for (int i = 0; i < n; i++)
        if (bounds[i] <= (i ? bounds[i - 1] : 0))
            bsp_die(m, "bsp_partition",
                    "bound %d is %d; bounds increase from one part to the next, so it would be "
                    "more than %d",
                    i, bounds[i], i ? bounds[i - 1] : 0);
    if (bounds[n - 1] != m->n)
        bsp_die(m, "bsp_partition",
                "the last bound is %d; it would be %d, the number of processors divided",
                bounds[n - 1], m->n);
    while (bounds[part] <= m->pid)
        part++;
    first = part ? bounds[part - 1] : 0;
    trace_partition(n, bounds);
    made = make(m, m->first + first, bounds[part] - first, m->first + m->pid, (uint64_t)part + 1,
                "bsp_partition");
    made->is_partition = true;
    m->n_open_partitions++;
    sub->machine = made;
}

void bsp_dup(t_bsp *bsp, t_bsp *dup)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_dup");

    trace_event(TRACE_DUP, 0, 0);
    dup->machine = make(m, m->first, m->n, m->first + m->pid, 0, "bsp_dup");
}

void bsp_done(t_bsp *bsp)
{
    struct bsp_machine *m = bsp_find(bsp, "bsp_done");

    if (!m->parent)
        bsp_die(m, "bsp_done", "this is the object of all processes, which bsplib_done() ends");
    if (m->n_open)
        bsp_die(m, "bsp_done", "out of order: %u object%s made of this one must be done before it",
                m->n_open, m->n_open == 1 ? "" : "s");
    transport_settle(m);
    m->parent->n_open--;
    m->parent->n_open_partitions -= m->is_partition;
    trace_event(TRACE_DONE, 0, 0);
    destroy(m);
    bsp->machine = NULL;
}
