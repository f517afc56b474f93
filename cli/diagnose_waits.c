/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace without a paradigm: where ranks waited, and who made them. */
#include "diagnose.h"

#include <portolan/replay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

/* What is less is not shown, in percent. */
static const double least_shown = 0.05;

static double share(const struct portolan_waits *w, int64_t ns)
{
    double all = (double)w->run_ns * (double)w->trace->n_ranks;

    return all > 0 ? 100 * (double)ns / all : 0;
}

/* "solve/MPI_Recv": regions from outside to inside, and the call. */
static void print_path(const struct portolan_waits *w, uint32_t path)
{
    const struct portolan_trace *t = w->trace;
    const struct portolan_path *p = &w->paths[path];

    if (path == UINT32_MAX) {
        printf("unknown");
        return;
    }
    if (p->kind == PORTOLAN_PATH_PROGRAM || p->kind == PORTOLAN_PATH_GAP) {
        printf("%s", p->kind == PORTOLAN_PATH_GAP ? "a time that was not recorded" : "the program");
        return;
    }
    if (w->paths[p->parent].kind != PORTOLAN_PATH_PROGRAM) {
        print_path(w, p->parent);
        printf("/");
    }
    printf("%s", p->kind == PORTOLAN_PATH_CALL ? t->routines[p->what] : t->regions[p->what].name);
}

static void print_totals(const struct portolan_waits *w)
{
    int64_t calls = 0, start_and_end = 0, waiting = 0, unknown = w->paths[1].ns;

    for (size_t i = 0; i < w->n_paths; i++) {
        if (w->paths[i].kind == PORTOLAN_PATH_CALL)
            calls += w->paths[i].ns;
        if (portolan_path_starts_or_ends(w, i))
            start_and_end += w->paths[i].ns;
    }
    for (int s = 0; s < PORTOLAN_WAIT_STATES; s++)
        waiting += w->state_ns[s];
    printf("of run time: in MPI %.1f %%", share(w, calls));
    if (share(w, start_and_end) >= least_shown)
        printf(" (%.1f %% in MPI_Init and MPI_Finalize)", share(w, start_and_end));
    printf(", waiting there %.1f %%", share(w, waiting));
    if (unknown > 0)
        printf("; not recorded %.1f %%", share(w, unknown));
    printf("\n");
}

static void print_states(const struct portolan_waits *w)
{
    bool shown[PORTOLAN_WAIT_STATES] = {false};

    for (int n = 0; n < PORTOLAN_WAIT_STATES; n++) {
        int most = -1;

        for (int s = 0; s < PORTOLAN_WAIT_STATES; s++)
            if (!shown[s] && w->state_ns[s] > 0 && (most < 0 || w->state_ns[s] > w->state_ns[most]))
                most = s;
        if (most < 0 || share(w, w->state_ns[most]) < least_shown)
            break;
        if (!n)
            printf("waiting%39s of run time\n", "");
        shown[most] = true;
        printf("  %-44s %8.1f %%\n", portolan_wait_state_name((enum portolan_wait_state)most),
               share(w, w->state_ns[most]));
    }
}

/* Who held a lock is in no event, so no wait state has what was waited for it. */
void diagnose_print_passive(const struct portolan_waits *w)
{
    static const char *const begins[] = {"MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush"};
    int64_t ns = 0;

    for (size_t i = 0; i < w->n_paths; i++)
        for (size_t k = 0;
             w->paths[i].kind == PORTOLAN_PATH_CALL && k < sizeof begins / sizeof *begins; k++)
            if (!strncmp(w->trace->routines[w->paths[i].what], begins[k], strlen(begins[k])))
                ns += w->paths[i].ns;
    if (share(w, ns) >= least_shown)
        printf(
            "in calls that lock, unlock and flush windows %.1f %% of run time; how much of it is "
            "waiting is not known\n",
            share(w, ns));
}

/* What a location caused in a path, over all wait states and waiting paths. */
struct cause {
    uint32_t location, path;
    int64_t direct_ns, indirect_ns;
};

static int by_place(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

static int by_cost(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    int64_t cx = x->direct_ns + x->indirect_ns, cy = y->direct_ns + y->indirect_ns;

    return cx != cy ? (cx < cy ? 1 : -1) : by_place(a, b);
}

/* Adds up the causes of one place; returns how many places there are. */
static size_t join(struct cause *causes, size_t n)
{
    size_t last = 0;

    qsort(causes, n, sizeof *causes, by_place);
    for (size_t i = 1; i < n; i++) {
        if (by_place(&causes[last], &causes[i]) != 0) {
            causes[++last] = causes[i];
            continue;
        }
        causes[last].direct_ns += causes[i].direct_ns;
        causes[last].indirect_ns += causes[i].indirect_ns;
    }
    return n ? last + 1 : 0;
}

/* "rank 1", and which of its threads, if it has several: they follow each other. */
static void print_location(const struct portolan_trace *t, size_t i)
{
    const struct portolan_trace_location *l = &t->locations[i];

    printf("rank %d", l->rank);
    if (l->thread || (i + 1 < t->n_locations && l[1].rank == l->rank))
        printf(", thread %d", l->thread);
    printf(" in ");
}

static void print_causes(const struct portolan_waits *w)
{
    struct cause *causes = portolan_calloc(w->n_delays + 1, sizeof *causes);
    size_t n = 0;

    for (size_t i = 0; causes && i < w->n_delays; i++)
        if (w->delays[i].location != UINT32_MAX)
            causes[n++] = (struct cause){w->delays[i].location, w->delays[i].path,
                                         w->delays[i].direct_ns, w->delays[i].indirect_ns};
    n = causes ? join(causes, n) : 0;
    if (n)
        qsort(causes, n, sizeof *causes, by_cost);
    if (n && share(w, causes[0].direct_ns + causes[0].indirect_ns) >= least_shown)
        printf("ranks that made others wait              of run time     direct   indirect\n");
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        const struct cause *c = &causes[i];

        if (share(w, c->direct_ns + c->indirect_ns) < least_shown)
            break;
        printf("  %9.1f %% %9.1f %% %8.1f %%   ", share(w, c->direct_ns + c->indirect_ns),
               share(w, c->direct_ns), share(w, c->indirect_ns));
        print_location(w->trace, c->location);
        print_path(w, c->path);
        printf("\n");
    }
    free(causes);
}

/* Shortening what has no imbalance on the critical path helps only if all ranks do less of it. */
static void print_critical_path(const struct portolan_waits *w)
{
    bool *shown = w->trace->n_ranks > 1 ? portolan_calloc(w->n_paths, sizeof *shown) : NULL;
    double run = (double)w->run_ns / 100;

    for (int n = 0; shown && n < SHOWN; n++) {
        const struct portolan_path *most = NULL;

        for (size_t i = 0; i < w->n_paths; i++)
            if (!shown[i] && (!most || w->paths[i].critical_ns > most->critical_ns))
                most = &w->paths[i];
        if (!most || (double)most->critical_ns < least_shown * run)
            break;
        if (!n)
            printf("critical path                            of run time  imbalance\n");
        shown[most - w->paths] = true;
        printf("  %9.1f %% %9.1f %%   in ", (double)most->critical_ns / run,
               most->critical_imbalance_ns / run);
        print_path(w, (uint32_t)(most - w->paths));
        printf("\n");
    }
    free(shown);
}

static void print_efficiencies(const struct portolan_waits *w)
{
    struct portolan_efficiencies e;

    if (portolan_efficiencies(w, &e, NULL))
        return;
    printf("efficiency: %.2f = load balance %.2f x serialisation %.2f x transfer %.2f "
           "(0.80 is acceptable)%s\n",
           e.parallel, e.load_balance, e.serialisation, e.transfer,
           e.start_and_end_ns > 0 ? ", without MPI_Init and MPI_Finalize" : "");
}

void diagnose_print_waits(const struct portolan_waits *w)
{
    print_totals(w);
    print_states(w);
    diagnose_print_passive(w);
    print_causes(w);
    print_critical_path(w);
    print_efficiencies(w);
}
