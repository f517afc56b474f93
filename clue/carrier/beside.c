/* SPDX-License-Identifier: BSD-3-Clause */
/* Real runs of the program beside a virtual one. */
#include "output.h"

#include <portolan/command.h>
#include <portolan/stats.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REAL_RUNS = 5 };

/* mpiexec -n N env … PROGRAM …, as far as ARENA has memory. */
static struct portolan_words command_of(const struct clue_run *run, const char *library,
                                        const char *times, struct portolan_arena *arena)
{
    const char *before = getenv("LD_PRELOAD");
    const char *words[] = {MPIEXEC,
                           "-n",
                           portolan_arena_printf(arena, "%d", run->n),
                           "env",
                           portolan_arena_printf(arena, "LD_PRELOAD=%s%s%s", library,
                                                 before ? ":" : "", before ? before : ""),
                           portolan_arena_printf(arena, "PORTOLAN_RUN_TIME=%s", times)};
    struct portolan_words list = {0};

    portolan_words_append(arena, &list,
                          &(struct portolan_words){sizeof words / sizeof *words, words});
    for (char **word = run->program; *word; word++)
        portolan_words_add(arena, &list, *word);
    return list;
}

/* The times that the library has noted, in order; their number. */
static size_t read_times(struct portolan_arena *arena, const char *path, double *times)
{
    const char *text;
    size_t size, n = 0;

    if (portolan_file_read(arena, path, &text, &size, NULL))
        return 0;
    for (; *text && n < REAL_RUNS; text += strcspn(text, "\n"), text += *text != 0)
        times[n++] = strtod(text + strcspn(text, "0") + 1, NULL);
    portolan_sort_numbers(n, times);
    return n;
}

static void describe(double virtual_ns, size_t n, const double *times, struct portolan_text *text)
{
    double real = portolan_median_of_sorted(n, times);
    char a[32], b[32], c[32], d[32];

    portolan_text_add(text, "beside        virtual %s   real %s (%zu runs, %s ... %s)   %+.1f %%\n",
                      portolan_format_time(virtual_ns, 4, a, sizeof a),
                      portolan_format_time(real, 4, b, sizeof b), n,
                      portolan_format_time(times[0], 4, c, sizeof c),
                      portolan_format_time(times[n - 1], 4, d, sizeof d),
                      100 * (virtual_ns / real - 1));
}

enum portolan_status output_beside(const struct clue_run *run, double virtual_ns,
                                   struct portolan_text *text, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *folder = portolan_temporary_folder(&arena, err);
    char *library = clue_find_library("portolan", "../calibrate", "libportolan-run-time.so");
    const char *times = portolan_arena_printf(&arena, "%s/times", folder ? folder : "");
    enum portolan_status status = folder ? PORTOLAN_OK : err->status;
    double ns[REAL_RUNS];
    size_t n;

    if (!status && !library)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "libportolan-run-time.so, which --beside needs, is not there");
    for (int i = 0; i < REAL_RUNS && !status; i++) {
        struct portolan_words words = command_of(run, library, times, &arena);

        status = portolan_command_run(&arena, &words,
                                      portolan_arena_printf(&arena, "%s/out", folder), err);
    }
    if (!status && !(n = read_times(&arena, times, ns)))
        status = portolan_error_set(
            err, PORTOLAN_EINVAL, "real runs did not reach MPI_Finalize; nothing to compare with");
    if (!status)
        describe(virtual_ns, n, ns, text);
    if (folder)
        portolan_folder_remove(folder);
    free(library);
    portolan_arena_clear(&arena);
    return status;
}
