/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the program for real and compares the times with the virtual one. */
#include "output.h"

#include <portolan/command.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REAL_RUNS = 5, MOST_RUNS = 8 };

/* Returns the words mpiexec -n N env … PROGRAM …, as far as ARENA has memory. */
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

/* Reads the nanoseconds of the runs that the library has noted; returns how many. */
static size_t read_runs(const char *path, struct portolan_arena *arena, double *times)
{
    const char *text;
    size_t size, n = 0;

    if (portolan_file_read(arena, path, &text, &size, NULL))
        return 0;
    for (int read = 0; n < MOST_RUNS && sscanf(text, "%lf%n", &times[n], &read) == 1; text += read)
        n++;
    return n;
}

/* Describes the error, unless the real runs differ among themselves by more than it. With more than
 * three runs, one outlier does not count, since it does not move the median. */
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

/* Sorts the N times of real runs and describes them. */
static void describe(const struct clue_report *report, double virtual_ns, double *times, size_t n,
                     struct portolan_text *text)
{
    double real = portolan_sort_to_median(n, times), unit;
    struct clue_run_sums sums;
    char a[32], b[32], c[32], d[32];

    clue_engine_run_sums(report->outcome->engine, &sums);
    unit = virtual_ns / (double)sums.end_ns;
    if (report->n_repeats > 1)
        virtual_ns = report->median_ns * unit;
    portolan_text_add(text, "compare real  virtual %s",
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

enum portolan_status output_compare_real(const struct clue_report *report, double virtual_ns,
                                         struct portolan_text *text, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *folder = portolan_temporary_folder(&arena, err);
    char *library = clue_find_library("portolan", "../calibrate", "libportolan-run-time.so");
    const char *path = portolan_arena_printf(&arena, "%s/times", folder ? folder : "");
    enum portolan_status status = folder ? PORTOLAN_OK : err->status;
    double times[MOST_RUNS];
    size_t n = 0;

    if (!status && !library)
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND,
                               "libportolan-run-time.so, which --compare-real needs, is not there");
    for (int i = 0; i < REAL_RUNS && !status; i++) {
        struct portolan_words words = command_of(report->run, library, path, &arena);

        status = portolan_command_run(&arena, &words,
                                      portolan_arena_printf(&arena, "%s/out", folder), err);
    }
    n = read_runs(path, &arena, times);
    if (!status && !n)
        status = portolan_error_set(
            err, PORTOLAN_EINVAL, "real runs did not reach MPI_Finalize; nothing to compare with");
    if (!status)
        describe(report, virtual_ns, times, n, text);
    if (folder)
        portolan_folder_remove(folder);
    free(library);
    portolan_arena_clear(&arena);
    return status;
}
