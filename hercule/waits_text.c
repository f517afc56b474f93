/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace without a paradigm: where ranks waited, and who made them. */
#include <portolan/hercule.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

/* The least share that is shown, in percent. */
static const double least_shown = 0.05;

static double share(const struct portolan_waits *w, int64_t ns)
{
    return w->all_ns > 0 ? 100 * (double)ns / (double)w->all_ns : 0;
}

static void add_path(struct portolan_text *out, const struct portolan_waits *w, uint32_t path)
{
    if (path != UINT32_MAX)
        portolan_path_add(w, path, out);
    else
        portolan_text_add(out, "unknown");
    portolan_text_add(out, "\n");
}

static void add_totals(struct portolan_text *out, const struct portolan_waits *w, int digits)
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
    if (w->n_threads)
        portolan_text_add(
            out,
            "%zu threads of %d ranks call MPI: shares of run time are of the time of all these "
            "threads\n",
            w->n_threads + (size_t)w->trace->n_ranks, w->trace->n_ranks);
    portolan_text_add(out, "of run time: in MPI %.*f %%", digits, share(w, calls));
    if (share(w, start_and_end) >= least_shown)
        portolan_text_add(out, " (%.*f %% in MPI_Init and MPI_Finalize)", digits,
                          share(w, start_and_end));
    portolan_text_add(out, ", waiting there %.*f %%", digits, share(w, waiting));
    if (unknown > 0)
        portolan_text_add(out, "; not recorded %.*f %%", digits, share(w, unknown));
    portolan_text_add(out, "\n");
}

static void add_states(struct portolan_text *out, const struct portolan_waits *w, int digits)
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
            portolan_text_add(out, "waiting%39s of run time\n", "");
        shown[most] = true;
        portolan_text_add(out, "  %-44s %8.*f %%\n",
                          portolan_wait_state_name((enum portolan_wait_state)most), digits,
                          share(w, w->state_ns[most]));
    }
}

/* Prints the time in calls that lock windows: no event says which rank held a lock, so no wait
 * state has the waiting in them. */
static void add_passive(struct portolan_text *out, const struct portolan_waits *w, int digits)
{
    static const char *const begins[] = {"MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush"};
    int64_t ns = 0;

    for (size_t i = 0; i < w->n_paths; i++)
        for (size_t k = 0;
             w->paths[i].kind == PORTOLAN_PATH_CALL && k < sizeof begins / sizeof *begins; k++)
            if (!strncmp(w->trace->routines[w->paths[i].what], begins[k], strlen(begins[k])))
                ns += w->paths[i].ns;
    if (share(w, ns) >= least_shown)
        portolan_text_add(
            out,
            "in calls that lock, unlock and flush windows %.*f %% of run time; how much of it is "
            "waiting is not known\n",
            digits, share(w, ns));
}

/* The waiting that a location caused in a path, over all wait states and waiting paths. */
struct cause {
    uint32_t location, path;
    int64_t direct_ns, indirect_ns;
    bool *equal; /* of each location: whether it is as late; join_equals() */
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

/* Own time of location I, which causes nothing while it waits itself. */
static double own_ns(const struct portolan_waits *w, uint32_t path, size_t i)
{
    size_t at = path * w->trace->n_locations + i;

    return (double)(w->path_ns[at] - w->path_waiting_ns[at]);
}

/*
 * Finds locations that are as late as the first one of CAUSES[N] in its path, and are not among
 * those before. Of several, the waiting is charged to the last one, which is chance, or due to its
 * number. Threads are not compared.
 */
static void find_equals(const struct portolan_waits *w, const struct cause *causes, size_t n)
{
    const struct cause *c = &causes[n];
    size_t n_locations = w->trace->n_locations;
    double mine = own_ns(w, c->path, c->location), surplus = mine;

    for (size_t i = 0; i < n_locations; i++)
        surplus -= own_ns(w, c->path, i) / (double)n_locations;
    for (size_t i = 0; i < n_locations; i++) {
        c->equal[i] = !w->n_threads && fabs(own_ns(w, c->path, i) - mine) <= 0.1 * fmax(surplus, 0);
        for (size_t k = 0; k < n; k++)
            c->equal[i] &= causes[k].path != c->path || !causes[k].equal[i];
    }
    c->equal[c->location] = true;
}

/* Adds to the first of CAUSES those who are as late; returns how many are to be shown. SETS: room
   for the locations of each. */
static size_t join_equals(const struct portolan_waits *w, struct cause *causes, size_t n,
                          bool *sets)
{
    size_t shown = 0;

    for (size_t kept; shown < n && shown < SHOWN; shown++, n = kept) {
        struct cause *c = &causes[shown];

        c->equal = sets + shown * w->trace->n_locations;
        find_equals(w, causes, shown);
        kept = shown + 1;
        for (size_t i = kept; i < n; i++)
            if (causes[i].path == c->path && c->equal[causes[i].location]) {
                c->direct_ns += causes[i].direct_ns;
                c->indirect_ns += causes[i].indirect_ns;
            } else {
                causes[kept++] = causes[i];
            }
    }
    return shown;
}

/* "ranks 4-7", or "rank 1", and which of its threads, if it has several: they follow each other. */
static void add_location(struct portolan_text *out, const struct portolan_trace *t,
                         const struct cause *c)
{
    const struct portolan_trace_location *l = &t->locations[c->location];
    int *ranks = portolan_calloc(t->n_locations, sizeof *ranks);
    size_t n = 0;

    for (size_t i = 0; ranks && i < t->n_locations; i++)
        if (c->equal[i])
            ranks[n++] = t->locations[i].rank;
    portolan_text_add(out, n > 1 ? "ranks " : "rank ");
    portolan_trace_add_ranks(ranks, n, out);
    if (l->thread || (c->location + 1 < t->n_locations && l[1].rank == l->rank))
        portolan_text_add(out, ", thread %d", l->thread);
    portolan_text_add(out, " in ");
    free(ranks);
}

static void add_causes(struct portolan_text *out, const struct portolan_waits *w, int digits)
{
    struct cause *causes = portolan_calloc(w->n_delays + 1, sizeof *causes);
    bool *sets = portolan_calloc(SHOWN * w->trace->n_locations + 1, sizeof *sets);
    size_t n = 0;

    for (size_t i = 0; causes && i < w->n_delays; i++)
        if (w->delays[i].location != UINT32_MAX)
            causes[n++] = (struct cause){w->delays[i].location, w->delays[i].path,
                                         w->delays[i].direct_ns, w->delays[i].indirect_ns, NULL};
    n = causes && sets ? join(causes, n) : 0;
    if (n) {
        qsort(causes, n, sizeof *causes, by_cost);
        n = join_equals(w, causes, n, sets);
        qsort(causes, n, sizeof *causes, by_cost);
    }
    if (n && share(w, causes[0].direct_ns + causes[0].indirect_ns) >= least_shown)
        portolan_text_add(
            out, "ranks that made others wait              of run time     direct   indirect\n");
    for (size_t i = 0; i < n; i++) {
        const struct cause *c = &causes[i];

        if (share(w, c->direct_ns + c->indirect_ns) < least_shown)
            break;
        portolan_text_add(out, "  %9.*f %% %9.*f %% %8.*f %%   ", digits,
                          share(w, c->direct_ns + c->indirect_ns), digits, share(w, c->direct_ns),
                          digits, share(w, c->indirect_ns));
        add_location(out, w->trace, c);
        add_path(out, w, c->path);
    }
    free(causes);
    free(sets);
}

/* Shortening what has no imbalance on the critical path helps only if all ranks do less of it. */
static void add_critical_path(struct portolan_text *out, const struct portolan_waits *w, int digits)
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
            portolan_text_add(out,
                              "critical path                            of run time  imbalance\n");
        shown[most - w->paths] = true;
        portolan_text_add(out, "  %9.*f %% %9.*f %%   in ", digits, (double)most->critical_ns / run,
                          digits, most->critical_imbalance_ns / run);
        add_path(out, w, (uint32_t)(most - w->paths));
    }
    free(shown);
}

static void add_efficiencies(struct portolan_text *out, const struct portolan_efficiencies *e)
{
    portolan_text_add(out,
                      "efficiency: %.2f = load balance %.2f x serialisation %.2f x transfer %.2f "
                      "(0.80 is acceptable)%s\n",
                      e->parallel, e->load_balance, e->serialisation, e->transfer,
                      e->start_and_end_ns > 0 ? ", without MPI_Init and MPI_Finalize" : "");
}

enum portolan_status portolan_waits_text(const struct portolan_waits *w,
                                         const struct portolan_run_losses *lost, int digits,
                                         char **text, struct portolan_error *err)
{
    struct portolan_text made = {0}, *out = &made;

    add_totals(out, w, digits);
    add_states(out, w, digits);
    add_passive(out, w, digits);
    add_causes(out, w, digits);
    add_critical_path(out, w, digits);
    if (lost->knows_efficiencies)
        add_efficiencies(out, &lost->efficiencies);
    for (size_t i = 0; i < lost->n; i++)
        portolan_text_add(out, "%s  %zu %-44s %6.*f %%\n",
                          i ? "" : "findings                              gain of the run\n", i + 1,
                          lost->found[i].text, digits, 100 * lost->found[i].gain);
    return portolan_text_take(out, text, err);
}
