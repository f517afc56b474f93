/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recording that BSP_TRACE requests: what each processor did and when. It is kept in memory
 * while the program runs; at the end processor 0 gathers it and writes the form that
 * <portolan/obsp.h> reads.
 */
#include "internal.h"

#include <portolan/base.h>
#include <portolan/cll.h>
#include <portolan/machine.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event {
    enum trace_kind kind;
    double at, until;
    long number;  /* the other processor; the messages waited for; the experiment */
    size_t bytes; /* of a send or get; number of bounds or values … */
    size_t first; /* … and the index of the first in NUMBERS */
};

static const char *file; /* NULL: no recording is requested */
static FILE *out;        /* of processor 0 */
static double start;
static bool is_shared; /* all processors read one clock */
static struct event *events;
static size_t n_events;
static double *numbers; /* bounds and values of all events */
static size_t n_numbers;
static const struct portolan_cll_experiment **experiments;
static size_t n_experiments;
static pthread_t thread; /* the thread that calls the library */

static double now(void)
{
    return portolan_now_s() - start;
}

static struct event *add_event(enum trace_kind kind, long number, size_t bytes)
{
    events = bsp_grow(events, n_events, sizeof *events, "BSP_TRACE");
    events[n_events] = (struct event){.kind = kind, .at = now(), .number = number, .bytes = bytes};
    return &events[n_events++];
}

void trace_event(enum trace_kind kind, long number, size_t size)
{
    if (file)
        add_event(kind, number, size);
}

static void add_number(double number)
{
    numbers = bsp_grow(numbers, n_numbers, sizeof *numbers, "BSP_TRACE");
    numbers[n_numbers++] = number;
}

void trace_partition(int n, const int *bounds)
{
    if (!file)
        return;
    add_event(TRACE_PARTITION, 0, (size_t)n)->first = n_numbers;
    for (int i = 0; i < n; i++)
        add_number(bounds[i]);
}

static long number_of(const struct portolan_cll_experiment *experiment)
{
    size_t i = n_experiments;

    while (i-- > 0)
        if (experiments[i] == experiment)
            return (long)i;
    experiments = bsp_grow(experiments, n_experiments, sizeof *experiments, "BSP_TRACE");
    experiments[n_experiments] = experiment;
    return (long)n_experiments++;
}

/* An annotated stretch of code has ended. Only innermost stretches are recorded. */
static void see_run(void *arg, const struct portolan_cll_experiment *experiment,
                    const double *values, double seconds, unsigned depth, _Bool leaf)
{
    struct event *e;

    (void)arg, (void)depth;
    if (!file || !leaf || !pthread_equal(thread, pthread_self()))
        return;
    e = add_event(TRACE_RUN, number_of(experiment), experiment->n_identifiers);
    e->first = n_numbers;
    e->until = e->at;
    e->at -= seconds;
    /* The two clocks may differ by some ns, but the run must not begin after what it contains. */
    for (const struct event *x = e; x-- > events && x->until > e->at;)
        if (x->at < e->at && (x->kind == TRACE_BARRIER || x->kind == TRACE_OBLIVIOUS))
            e->at = x->at;
    for (unsigned i = 0; i < experiment->n_identifiers; i++)
        add_number(values[i]);
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
    thread = pthread_self();
    portolan_cll_observe(see_run, NULL);
    collective_meet(all);
    start = now();
    if (is_shared) /* processors of one host read one clock, so they share one start */
        bsp_bcast(&(t_bsp){all}, 0, &start, sizeof start);
}

static void write_numbers(struct portolan_text *t, const struct event *e)
{
    for (size_t i = 0; i < e->bytes; i++)
        portolan_text_add(t, "%s%.17g", i ? "," : "", numbers[e->first + i]);
}

static void write_event(struct portolan_text *t, const struct event *e)
{
    static const char *const words[] = {"send",      "get", "sync", "oblsync",
                                        "partition", "dup", "done", "run"};

    portolan_text_add(t, "{\"at\":%.9f,", e->at);
    if (e->kind == TRACE_BARRIER || e->kind == TRACE_OBLIVIOUS || e->kind == TRACE_RUN)
        portolan_text_add(t, "\"until\":%.9f,", e->until);
    portolan_text_add(t, "\"%s\":", words[e->kind]);
    switch (e->kind) {
    case TRACE_SEND:
    case TRACE_GET:
        portolan_text_add(t, "%ld,\"bytes\":%zu", e->number, e->bytes);
        break;
    case TRACE_OBLIVIOUS:
        portolan_text_add(t, "%ld", e->number);
        break;
    case TRACE_PARTITION:
        portolan_text_add(t, "[");
        write_numbers(t, e);
        portolan_text_add(t, "]");
        break;
    case TRACE_RUN:
        portolan_text_add(t, "%ld,\"values\":[", e->number);
        write_numbers(t, e);
        portolan_text_add(t, "]");
        break;
    default:
        portolan_text_add(t, "true");
    }
    portolan_text_add(t, "}");
}

static void write_experiment(struct portolan_text *t, const struct portolan_cll_experiment *e)
{
    portolan_text_add(t, "{\"name\":");
    portolan_text_add_json(t, e->name);
    portolan_text_add(t, ",\"file\":");
    portolan_text_add_json(t, e->file ? e->file : "");
    if (e->formula) {
        portolan_text_add(t, ",\"formula\":");
        portolan_text_add_json(t, e->formula);
    }
    portolan_text_add(t, ",\"identifiers\":[");
    for (unsigned i = 0; i < e->n_identifiers; i++) {
        portolan_text_add(t, i ? "," : "");
        portolan_text_add_json(t, e->identifiers[i]);
    }
    portolan_text_add(t, "]}");
}

/* Writes the events of this processor. */
static void write_own(struct portolan_text *t)
{
    portolan_text_add(t, "{\"end\":%.9f,\"experiments\":[", now());
    for (size_t i = 0; i < n_experiments; i++) {
        portolan_text_add(t, i ? ",\n" : "\n");
        write_experiment(t, experiments[i]);
    }
    portolan_text_add(t, "],\n\"events\":[");
    for (size_t i = 0; i < n_events; i++) {
        portolan_text_add(t, i ? ",\n" : "\n");
        write_event(t, &events[i]);
    }
    portolan_text_add(t, "]}");
}

static int append(void *arg, int source, const void *bytes, size_t n)
{
    (void)arg;
    fprintf(out, "%s\n", source ? "," : "");
    return fwrite(bytes, 1, n, out) == n ? 0 : -1;
}

static void forget(void)
{
    free(events);
    free(numbers);
    free(experiments);
    events = NULL;
    numbers = NULL;
    experiments = NULL;
    n_events = n_numbers = n_experiments = 0;
    out = NULL;
    file = NULL;
}

void trace_end(struct bsp_machine *all)
{
    struct portolan_text t = {0}, name = {0};
    int result;

    if (!file)
        return;
    portolan_cll_observe(NULL, NULL);
    write_own(&t);
    portolan_text_add_json(&name, program_invocation_short_name);
    if (t.failed || name.failed)
        bsp_die(all, "bsplib_done", "BSP_TRACE: out of memory");
    if (out)
        fprintf(out,
                "{\"portolan obsp trace\":1,\"program\":%s,\"clock\":\"%s\",\n\"processors\":[",
                name.bytes, is_shared ? "shared" : "own");
    result = collective_gather(all, t.bytes, t.length, append, NULL);
    if (out) {
        fprintf(out, "]}\n");
        result |= ferror(out);
        if (fclose(out) || result)
            bsp_die(NULL, "bsplib_done", "BSP_TRACE: cannot write %s: %s", file, strerror(errno));
    }
    portolan_text_clear(&t);
    portolan_text_clear(&name);
    forget();
}
