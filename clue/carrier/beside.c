/* SPDX-License-Identifier: BSD-3-Clause */
/* Real runs of the program beside a virtual one. */
#include "output.h"

#include <portolan/command.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* More are made if the machine was in another state than that of the machine file. */
enum { REAL_RUNS = 5, MOST_RUNS = 8, FEWEST = 3 };

/* What tells the state of the machine: half round trips of nothing, and of data sent back; and a
 * piece of computing; and how many times as long a rank took because others had its processor. */
enum state { SMALL, DATA, TRIPS, COMPUTING = TRIPS, OTHERS, STATES };
static const uint64_t trip_bytes[TRIPS] = {0, 65536};
/* Other values by more than this factor tell of another state. */
static const double most_factor[STATES] = {1.6, 1.6, 1.25, 1.1};

/* A real run: how long it took, and what tells the state, before and after it; 0: not known. */
struct real_run {
    double ns, took[STATES][2];
};

/* mpiexec -n N env … PROGRAM …, as far as ARENA has memory. */
static struct portolan_words command_of(const struct clue_run *run, const char *library,
                                        const char *times, struct portolan_arena *arena)
{
    const char *before = getenv("LD_PRELOAD");
    struct portolan_words list = {0};

    portolan_words_append(
        arena, &list,
        PORTOLAN_WORDS(MPIEXEC, "-n", portolan_arena_printf(arena, "%d", run->n), "env",
                       portolan_arena_printf(arena, "LD_PRELOAD=%s%s%s", library, before ? ":" : "",
                                             before ? before : ""),
                       portolan_arena_printf(arena, "PORTOLAN_RUN_TIME=%s", times),
                       run->is_apart ? "PORTOLAN_RUN_FOLDED=" : "PORTOLAN_RUN_FOLDED=yes"));
    for (char **word = run->program; *word; word++)
        portolan_words_add(arena, &list, *word);
    return list;
}

/* The runs that the library has noted; their number. */
static size_t read_runs(const char *path, struct portolan_arena *arena, struct real_run *runs)
{
    const char *text;
    size_t size, n = 0;

    if (portolan_file_read(arena, path, &text, &size, NULL))
        return 0;
    for (int read = 0; n < MOST_RUNS; text += read) {
        struct real_run *r = &runs[n];

        if (sscanf(text, "%lf %lf %lf %lf %lf %lf %lf%n", &r->ns, &r->took[SMALL][0],
                   &r->took[SMALL][1], &r->took[DATA][0], &r->took[DATA][1], &r->took[COMPUTING][0],
                   &r->took[OTHERS][0], &read) != 7)
            break;
        r->took[COMPUTING][1] = r->took[COMPUTING][0];
        r->took[OTHERS][1] = r->took[OTHERS][0];
        n++;
    }
    return n;
}

/* Half round trips between ranks 0 and 1 by the machine file; 0: there are no such. */
static void expect_halves(const struct clue_run *run, double *half)
{
    const struct clue_machine *m = run->machine;
    int to = run->n > 1 ? run->hosts[1] : 0;
    size_t number = run->n > 1 ? m->pair_of(m, run->hosts[0], to) : m->n_pairs;
    const struct clue_pair *pair = number < m->n_pairs ? &m->pairs[number] : NULL;

    for (int i = 0; i < TRIPS; i++) {
        uint64_t bytes = trip_bytes[i];

        half[i] = !pair ? 0
                        : clue_law_value(&pair->send, bytes) +
                              clue_law_value(&pair->transmission, bytes) +
                              clue_law_value(&m->hosts[to].receive, bytes);
    }
}

/* What deviates most from what it should be, relative to what it may; its value. At most 1: the
 * machine was in the same state. Processors of virtual machines are moved, and then messages take
 * several times as long, or a fraction; or they share a core with others. */
static double farthest(const struct real_run *r, const double *expected, enum state *state,
                       double *took)
{
    double most = 0;

    *state = SMALL;
    *took = r->took[SMALL][0];
    for (int i = 0; i < STATES; i++)
        for (int k = 0; k < 2 && expected[i] > 0; k++) {
            double far = r->took[i][k] > 0
                             ? fabs(log(r->took[i][k] / expected[i])) / log(most_factor[i])
                             : 0;

            if (far >= most) {
                most = far;
                *took = r->took[i][k];
                *state = (enum state)i;
            }
        }
    return most;
}

static bool is_as_expected(const struct real_run *r, const double *expected)
{
    enum state state;
    double took;

    return farthest(r, expected, &state, &took) < 1;
}

/* Puts those runs first that were as expected; their number. */
static size_t sort_expected(struct real_run *runs, size_t n, const double *expected)
{
    size_t first = 0;

    for (size_t i = 0; i < n; i++)
        if (is_as_expected(&runs[i], expected)) {
            struct real_run r = runs[i];

            runs[i] = runs[first];
            runs[first++] = r;
        }
    return first;
}

/* The error, unless the real runs differ by more, which tells nothing of it. One of more than three
 * may be far off, as the median does not feel it. */
static void describe_error(const double *times, size_t n, double error, struct portolan_text *text)
{
    static const double no_comparison = 1.5, notable = 1.1;
    size_t agree = n > 3 ? n - 1 : n;
    double spread = times[agree - 1] / times[0];

    spread = fmin(spread, times[n - 1] / times[n - agree]);
    if (spread < no_comparison)
        portolan_text_add(text, "   %+.1f %%", 100 * error);
    portolan_text_add(text, "\n");
    if (spread >= no_comparison)
        portolan_text_add(text,
                          "              %zu of these %zu real runs differ by %.1f times: no "
                          "comparison\n",
                          agree, n, spread);
    else if (spread >= notable && spread - 1 > fabs(error))
        portolan_text_add(text,
                          "              %zu of these %zu real runs differ by %.0f %%, more than "
                          "the error\n",
                          agree, n, 100 * (spread - 1));
}

static void describe(const struct clue_report *report, double virtual_ns,
                     const struct real_run *runs, size_t n, struct portolan_text *text)
{
    double times[MOST_RUNS], real, unit;
    struct clue_run_sums sums;
    char a[32], b[32], c[32], d[32];

    for (size_t i = 0; i < n; i++)
        times[i] = runs[i].ns;
    real = portolan_sort_to_median(n, times);
    clue_engine_run_sums(report->outcome->engine, &sums);
    unit = virtual_ns / (double)sums.end_ns;
    if (report->n_repeats > 1)
        virtual_ns = report->median_ns * unit;
    portolan_text_add(text, "beside        virtual %s",
                      portolan_format_time(virtual_ns, 4, a, sizeof a));
    if (report->n_repeats > 1)
        portolan_text_add(text, " (%s ... %s)",
                          portolan_format_time(report->low_ns * unit, 4, c, sizeof c),
                          portolan_format_time(report->high_ns * unit, 4, d, sizeof d));
    portolan_text_add(text, "   real %s (%zu runs, %s ... %s)",
                      portolan_format_time(real, 4, b, sizeof b), n,
                      portolan_format_time(times[0], 4, c, sizeof c),
                      portolan_format_time(times[n - 1], 4, d, sizeof d));
    describe_error(times, n, virtual_ns / real - 1, text);
}

/* Of N runs that were not as expected, RUN is the first. */
static void describe_others(const struct real_run *run, size_t n, const double *expected,
                            bool are_left_out, struct portolan_text *text)
{
    static const char *const what[] = {[SMALL] = "half a small round trip",
                                       [DATA] = "half a 64 KB round trip",
                                       [COMPUTING] = "a piece of computing"};
    enum state state;
    double took;
    char a[32], b[32];

    farthest(run, expected, &state, &took);
    portolan_text_add(text, "              %zu %s: ", n,
                      are_left_out ? "more left out" : "of these in another state of the machine");
    if (state == OTHERS)
        portolan_text_add(text, "other processes took %.0f %% of a processor's time\n",
                          100 * (1 - 1 / took));
    else
        portolan_text_add(text, "%s took %s then, %s %s\n", what[state],
                          portolan_format_time(took, 3, a, sizeof a),
                          state == COMPUTING ? "beside the virtual run" : "by the file",
                          portolan_format_time(expected[state], 3, b, sizeof b));
}

/* How many of N runs to show, the expected ones first: those alone, if they are enough. */
static size_t runs_shown(size_t n, size_t n_expected)
{
    return n_expected >= FEWEST ? n_expected : n < REAL_RUNS ? n : REAL_RUNS;
}

enum portolan_status output_beside(const struct clue_report *report, double virtual_ns,
                                   struct portolan_text *text, struct portolan_error *err)
{
    const struct clue_run *run = report->run;
    struct portolan_arena arena = {0};
    const char *folder = portolan_temporary_folder(&arena, err);
    char *library = clue_find_library("portolan", "../calibrate", "libportolan-run-time.so");
    const char *times = portolan_arena_printf(&arena, "%s/times", folder ? folder : "");
    enum portolan_status status = folder ? PORTOLAN_OK : err->status;
    struct real_run runs[MOST_RUNS];
    double expected[STATES] = {[COMPUTING] = report->outcome->bursts.pace_ns,
                               [OTHERS] = run->n <= sysconf(_SC_NPROCESSORS_ONLN)};
    size_t n = 0, n_expected = 0, n_shown;

    expect_halves(run, expected);
    if (!status && !library)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "libportolan-run-time.so, which --beside needs, is not there");
    for (int i = 0; i < MOST_RUNS && n_expected < REAL_RUNS && !status; i++) {
        struct portolan_words words = command_of(run, library, times, &arena);

        status = portolan_command_run(&arena, &words,
                                      portolan_arena_printf(&arena, "%s/out", folder), err);
        n = read_runs(times, &arena, runs);
        n_expected = sort_expected(runs, n, expected);
        if (i + 1 >= REAL_RUNS && !n_expected)
            break;
    }
    if (!status && !n)
        status = portolan_error_set(
            err, PORTOLAN_EINVAL, "real runs did not reach MPI_Finalize; nothing to compare with");
    if (!status) {
        n_shown = runs_shown(n, n_expected);
        describe(report, virtual_ns, runs, n_shown, text);
        if (n_expected < n)
            describe_others(&runs[n_expected],
                            n_shown > n_expected ? n_shown - n_expected : n - n_shown, expected,
                            n_shown == n_expected, text);
    }
    if (folder)
        portolan_folder_remove(folder);
    free(library);
    portolan_arena_clear(&arena);
    return status;
}
