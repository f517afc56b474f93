/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What BSP_TRACE asks for: when each processor did what, in memory while the program runs, gathered
 * by processor 0 at its end and written in the form that <portolan/obsp.h> reads.
 */
#include "internal.h"

#include <portolan/base.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { SEND, GET, BARRIER, OBLIVIOUS, PARTITION, DUP, DONE };

struct event {
    enum kind kind;
    double at, until;
    long number;  /* the other processor; the messages waited for */
    size_t bytes; /* of a send or get; how many bounds there are … */
    size_t first; /* … and where they begin */
};

static const char *file; /* NULL: nothing is asked for */
static FILE *out;        /* of processor 0 */
static double start;
static bool is_shared; /* all processors read one clock */
static struct event *events;
static size_t n_events;
static int *bounds_of_all;
static size_t n_bounds;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9 - start;
}

static struct event *add(enum kind kind, long number, size_t bytes)
{
    events = bsp_grow(events, n_events, sizeof *events, "BSP_TRACE");
    events[n_events] = (struct event){.kind = kind, .at = now(), .number = number, .bytes = bytes};
    return &events[n_events++];
}

void trace_send(int to, size_t size)
{
    if (file)
        add(SEND, to, size);
}

void trace_get(int from, size_t size)
{
    if (file)
        add(GET, from, size);
}

void trace_partition(int n, const int *bounds)
{
    if (!file)
        return;
    add(PARTITION, 0, (size_t)n)->first = n_bounds;
    for (int i = 0; i < n; i++) {
        bounds_of_all = bsp_grow(bounds_of_all, n_bounds, sizeof *bounds_of_all, "BSP_TRACE");
        bounds_of_all[n_bounds++] = bounds[i];
    }
}

void trace_dup(void)
{
    if (file)
        add(DUP, 0, 0);
}

void trace_done(void)
{
    if (file)
        add(DONE, 0, 0);
}

void trace_sync_begin(long n)
{
    if (file)
        add(n < 0 ? BARRIER : OBLIVIOUS, n, 0);
}

void trace_sync_end(void)
{
    if (file)
        events[n_events - 1].until = now();
}

/* -- begin and end -- */

void trace_begin(struct bsp_machine *all, MPI_Comm comm)
{
    MPI_Comm host;
    int n_here;

    file = getenv("BSP_TRACE");
    if (file && !*file)
        file = NULL;
    if (!file)
        return;
    if (all->pid == 0 && !(out = fopen(file, "w")))
        bsp_die(NULL, "bsplib_init", "BSP_TRACE: cannot write %s: %s", file, strerror(errno));
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &n_here);
    MPI_Comm_free(&host);
    is_shared = n_here == all->n;
    start = 0;
    collective_meet(all);
    start = now();
    if (is_shared) /* processors of one host read one clock, so one start is right for all */
        bsp_bcast(&(t_bsp){all}, 0, &start, sizeof start);
}

static void write_event(struct portolan_text *t, const struct event *e)
{
    static const char *const words[] = {"send",      "get", "sync", "oblsync",
                                        "partition", "dup", "done"};

    portolan_text_add(t, "{\"at\":%.9f,", e->at);
    if (e->kind == BARRIER || e->kind == OBLIVIOUS)
        portolan_text_add(t, "\"until\":%.9f,", e->until);
    portolan_text_add(t, "\"%s\":", words[e->kind]);
    switch (e->kind) {
    case SEND:
    case GET:
        portolan_text_add(t, "%ld,\"bytes\":%zu", e->number, e->bytes);
        break;
    case OBLIVIOUS:
        portolan_text_add(t, "%ld", e->number);
        break;
    case PARTITION:
        for (size_t i = 0; i < e->bytes; i++)
            portolan_text_add(t, "%s%d", i ? "," : "[", bounds_of_all[e->first + i]);
        portolan_text_add(t, "]");
        break;
    default:
        portolan_text_add(t, "true");
    }
    portolan_text_add(t, "}");
}

static int append(void *arg, int source, const void *bytes, size_t n)
{
    (void)arg;
    fprintf(out, "%s\n", source ? "," : "");
    return fwrite(bytes, 1, n, out) == n ? 0 : -1;
}

void trace_end(struct bsp_machine *all)
{
    struct portolan_text t = {0};
    int result;

    if (!file)
        return;
    portolan_text_add(&t, "{\"end\":%.9f,\"events\":[", now());
    for (size_t i = 0; i < n_events; i++) {
        portolan_text_add(&t, i ? ",\n" : "\n");
        write_event(&t, &events[i]);
    }
    portolan_text_add(&t, "]}");
    if (t.failed)
        bsp_die(all, "bsplib_done", "BSP_TRACE: out of memory");
    if (out)
        fprintf(out,
                "{\"portolan obsp trace\":1,\"program\":\"%s\",\"clock\":\"%s\",\n"
                "\"processors\":[",
                program_invocation_short_name, is_shared ? "shared" : "own");
    result = collective_gather(all, t.bytes, t.length, append, NULL);
    if (out) {
        fprintf(out, "]}\n");
        if (ferror(out) || result)
            bsp_die(NULL, "bsplib_done", "BSP_TRACE: cannot write %s: %s", file, strerror(errno));
        if (fclose(out))
            bsp_die(NULL, "bsplib_done", "BSP_TRACE: cannot write %s: %s", file, strerror(errno));
    }
    portolan_text_clear(&t);
    free(events);
    free(bounds_of_all);
    events = NULL;
    bounds_of_all = NULL;
    n_events = n_bounds = 0;
    out = NULL;
    file = NULL;
}
