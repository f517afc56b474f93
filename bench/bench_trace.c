/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a trace of 10^7 events costs, or of as many as the argument says: matching, wait states with
 * root causes, and one replay; for patterns whose waits go far (a stencil, a farm, a wavefront), on
 * 16 to 1,024 ranks. Linear means: ns per event stay about the same. With a folder as second
 * argument each trace is also written there as an OTF2 archive, and otf2-print's processor time
 * told.
 */
#include <portolan/replay.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static const struct pattern {
    const char *name, *text;
    double events_per_rank; /* of each repetition */
} patterns[] = {
    {"stencil",
     "repeat n\n irecv (rank+1) % size as a\n irecv (rank-1) % size as b\n"
     " isend (rank+1) % size 4k as c\n isend (rank-1) % size 4k as d\n"
     " region relax\n  compute 900us + random * 200us\n end\n waitall\n allreduce 8\nend\n",
     23},
    {"farm",
     "on 0\n repeat (size-1) * n\n  recv any tag 1\n  compute 2us\n  send sender tag 2 1k\n end\n"
     "else\n repeat n\n  send 0 tag 1\n  recv 0 tag 2\n  region task\n"
     "   compute (50 + random * 100) * size * 20ns\n  end\n end\nend\n",
     14},
    {"wavefront",
     "repeat n\n on rank > 0\n  recv rank-1\n end\n region block\n  compute 90us + random * 20us\n"
     " end\n on rank < size-1\n  send rank+1 8k\n end\nend\n",
     8},
};

static double seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double lap(double *since)
{
    double now = seconds(), took = now - *since;

    *since = now;
    return took;
}

/* Processor time of otf2-print for the events of T; NAN: it cannot be told. */
static double print_seconds(const struct portolan_trace *t, const char *folder, const char *name)
{
    struct rusage before, after;
    struct portolan_error err = {0};
    char path[600], command[1000];

    snprintf(path, sizeof path, "%s/%s-%d/t.otf2", folder, name, t->n_ranks);
    snprintf(command, sizeof command, "mkdir -p '%s/%s-%d'", folder, name, t->n_ranks);
    if (system(command) || portolan_trace_write_otf2(t, path, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return NAN;
    }
    snprintf(command, sizeof command, "otf2-print '%s' >/dev/null; rm -r '%s/%s-%d'", path, folder,
             name, t->n_ranks);
    getrusage(RUSAGE_CHILDREN, &before);
    if (system(command))
        return NAN;
    getrusage(RUSAGE_CHILDREN, &after);
    return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
           (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
           (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6 +
           (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) * 1e-6;
}

static int measure(const struct pattern *p, int ranks, double events, const char *folder)
{
    struct portolan_removal removal = {.kind = PORTOLAN_REMOVE_IMBALANCE};
    struct portolan_replay replay;
    struct portolan_replay_options options = {0};
    struct portolan_trace *t;
    struct portolan_matching *m = NULL;
    struct portolan_waits *w = NULL;
    struct rusage usage;
    double since = seconds(), made, matched, found, replayed, n;
    int64_t waiting = 0;
    char text[1000];
    bool ok;

    snprintf(text, sizeof text, "ranks %d\nlatency 2us\nlet n = %d\n%s", ranks,
             (int)(events / p->events_per_rank / ranks), p->text);
    if (portolan_scenario_read(p->name, text, NULL, &t, NULL, NULL))
        return 1;
    made = lap(&since);
    ok = !portolan_matching_create(t, &m, NULL);
    matched = lap(&since);
    ok = ok && !portolan_waits_create(m, &w, NULL);
    found = lap(&since);
    options.as_is_ns = ok ? w->run_ns : 0;
    ok = ok && !portolan_replay(w, &removal, 1, &options, &replay, NULL);
    replayed = lap(&since);
    if (ok) {
        n = (double)t->n_events * 1e-9;
        for (int s = 0; s < PORTOLAN_WAIT_STATES; s++)
            waiting += w->state_ns[s];
        getrusage(RUSAGE_SELF, &usage);
        printf("%-9s %4d ranks %5.2f M events: scenario %4.0f, matching %4.0f, waits and causes "
               "%4.0f, replay %4.0f, together %4.0f ns an event: %.2f s, at most %.2f GB so far; "
               "waiting %.0f %%, %zu delays\n",
               p->name, ranks, n * 1e3, made / n, matched / n, found / n, replayed / n,
               (matched + found + replayed) / n, matched + found + replayed,
               (double)usage.ru_maxrss / (1 << 20),
               100 * (double)waiting / (double)w->run_ns / ranks, w->n_delays);
        if (folder) {
            double printed = print_seconds(t, folder, p->name);

            printf("          otf2-print of the same trace %.2f s: ratio %.2f\n", printed,
                   (matched + found + replayed) / printed);
        }
        fflush(stdout);
    }
    portolan_waits_destroy(w);
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
    return !ok;
}

int main(int argc, char **argv)
{
    static const int ranks[] = {16, 128, 1024};
    double events = argc > 1 ? atof(argv[1]) : 1e7;
    int status = 0;

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (size_t k = 0; k < 3; k++)
            status |= measure(&patterns[i], ranks[k], events, argc > 2 ? argv[2] : NULL);
    return status;
}
