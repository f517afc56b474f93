/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a run first, for medians, or repeats it, from its record or by its own command. */
#include "options.h"

#include <portolan/stats.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The folder for files that repetitions keep until the end. */
static const char *repeat_folder;

/* Removes the folder when the run is interrupted. A repetition that still runs may write into it
 * meanwhile; then a second attempt removes it, after which nothing can be written. */
static void end_early(int signal)
{
    static const char *const files[] = {"measured", "record", "json", "out"};
    enum { ATTEMPTS = 100 };
    int folder = open(repeat_folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (int k = 0; k < ATTEMPTS; k++) {
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            unlinkat(folder, files[i], 0);
        if (rmdir(repeat_folder) == 0)
            break;
    }
    raise(signal); /* SA_RESETHAND has restored the default, which ends the process */
}

static enum portolan_status make_folder(struct portolan_arena *arena, struct portolan_error *err)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    const struct sigaction action = {.sa_handler = end_early,
                                     .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

    if (repeat_folder)
        return PORTOLAN_OK;
    if (!(repeat_folder = portolan_temporary_folder(arena, err)))
        return err->status;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    return PORTOLAN_OK;
}

/* If the run has no record of its own, it is recorded into the folder. */
enum portolan_status repetitions_begin(struct options *o, struct portolan_arena *arena,
                                       struct portolan_error *err)
{
    if (o->n_repeats < 2)
        return PORTOLAN_OK;
    if (make_folder(arena, err))
        return err->status;
    if (!o->run.record && !o->run.replay)
        o->run.record = portolan_arena_printf(arena, "%s/record", repeat_folder);
    return PORTOLAN_OK;
}

/* Runs the program again, with its options and the times of a record: TABLE is the option that
 * names it. NULL: with times measured anew, or those of the options. */
static enum portolan_status repeat_program(const struct options *o, const char *table, size_t n,
                                           double *ends, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const struct portolan_words options = {o->program_at - 1, o->argv + 1},
                                program = {o->n_words - o->program_at, o->argv + o->program_at};
    struct portolan_words words = {0};
    enum portolan_status status;

    portolan_words_add(&arena, &words, "/proc/self/exe");
    portolan_words_append(&arena, &words, &options);
    if (table)
        portolan_words_add(&arena, &words, table);
    status = clue_repeat_program(&words, &program, repeat_folder, n, ends, err);
    portolan_arena_clear(&arena);
    return status;
}

/* Runs the program once, for the medians of bursts that repeat; what it prints is lost. */
enum portolan_status repetitions_measure_first(struct options *o, struct portolan_arena *arena,
                                               struct portolan_error *err)
{
    const struct portolan_words options = {o->program_at - 1, o->argv + 1},
                                program = {o->n_words - o->program_at, o->argv + o->program_at};
    struct portolan_words words = {0};
    const char *file;

    if (make_folder(arena, err))
        return err->status;
    file = portolan_arena_printf(arena, "%s/measured", repeat_folder);
    portolan_words_add(arena, &words, "/proc/self/exe");
    portolan_words_append(arena, &words, &options);
    portolan_words_append(arena, &words,
                          PORTOLAN_WORDS("--compute=measured",
                                         portolan_arena_printf(arena, "--measure-into=%s", file)));
    portolan_words_append(arena, &words, &program);
    portolan_command_run(arena, &words, portolan_arena_printf(arena, "%s/out", repeat_folder),
                         NULL); /* its exit status is that of the program */
    if (record_read(file, &o->record, NULL))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' cannot be measured for medians; without --compute=median "
                                  "it says why",
                                  o->run.program[0]);
    o->run.table = &o->record;
    o->run.compute = CLUE_COMPUTE_TABLE;
    return PORTOLAN_OK;
}

/* Measures the program several more times, as often as fits into a few seconds. The times are in
 * RUNS afterwards, their number in *N. */
static enum portolan_status measure_again(const struct options *o, double wall_s, double *runs,
                                          size_t *n, struct portolan_error *err)
{
    static const double most_s = 10;
    bool is_measured = o->run.compute == CLUE_COMPUTE_MEASURED || (o->run.is_median && !o->table);
    size_t more = CLUE_MEASURED_RUNS - 1;

    *n = 1;
    if (!is_measured || o->run.replay)
        return PORTOLAN_OK;
    while (more && (double)more * wall_s > most_s)
        more--;
    *n += more;
    return more ? repeat_program(o, NULL, more, runs + 1, err) : PORTOLAN_OK;
}

/* Returns the I-th of N measured times, moved outwards: by the t distribution of their logarithms,
 * 90 % of further runs lie between the outermost then. A few times do not reach so far. */
static double widened(const double *times, size_t n, size_t i)
{
    double middle = 0, squares = 0, own, most = 0, half;

    for (size_t k = 0; k < n; k++)
        middle += log(times[k]) / (double)n;
    own = log(times[i]) - middle;
    for (size_t k = 0; k < n; k++) {
        double far = log(times[k]) - middle;

        squares += far * far;
        if (far * own > 0)
            most = fmax(most, fabs(far));
    }
    if (!(most > 0))
        return times[i];
    half = portolan_student_quantile(0.9, (double)n - 1) *
           sqrt(squares / (double)(n - 1) * (1 + 1 / (double)n));
    return exp(middle + own / most * half);
}

enum portolan_status repetitions_run(struct options *o, struct clue_report *report,
                                     struct portolan_error *err)
{
    size_t n = o->n_repeats, n_runs = 1, low = (n + 1) / 20 ? (n + 1) / 20 - 1 : 0;
    double *ends = portolan_calloc(n + 1, sizeof *ends);
    struct portolan_arena arena = {0};
    const char *table = portolan_arena_printf(&arena, "--compute=table=%s", o->run.record);
    struct record own = {0};
    const struct record *record = o->run.replay ? o->run.replay : &own;
    enum portolan_status status = ends ? PORTOLAN_OK : portolan_no_memory(err);
    struct clue_run_sums sums;

    clue_engine_run_sums(report->outcome->engine, &sums);
    report->measured_ns[0] = (double)sums.end_ns;
    if (!status)
        status = measure_again(o, report->outcome->wall_s, report->measured_ns, &n_runs, err);
    if (!status && !o->run.replay)
        status = record_read(o->run.record, &own, err);
    if (!status)
        status = record->n_depends ? repeat_program(o, o->table ? NULL : table, n, ends, err)
                                   : clue_repeat(&o->run, o->machine, record, n, ends, err);
    if (!status) {
        double middle = portolan_median_of_sorted(n, ends);

        /* RUNS are in order, so each is paired with low and high repetitions. */
        for (size_t i = 0; i < n && middle > 0; i++)
            ends[i] *= widened(report->measured_ns, n_runs, i % n_runs) / middle;
        portolan_sort_numbers(n, ends);
        portolan_sort_numbers(n_runs, report->measured_ns);
        report->n_repeats = (int)n;
        report->n_measured = (int)n_runs;
        report->is_rerun = record->n_depends;
        report->low_ns = ends[low];
        report->median_ns = portolan_median_of_sorted(n, ends);
        report->high_ns = ends[n - 1 - low];
    }
    record_clear(&own);
    portolan_arena_clear(&arena);
    free(ends);
    return status;
}

/* Needs a run with a record of what was measured. */
void repetitions_share(const struct options *o, struct clue_report *report)
{
    bool is_own = o->run.compute == CLUE_COMPUTE_MEASURED && o->run.record && !o->run.replay;
    struct record own = {0};

    if (is_own && !record_read(o->run.record, &own, NULL))
        report->repeated_share = clue_repeated_share(&o->run, &own);
    else if (o->run.is_median || o->run.replay)
        report->repeated_share = clue_repeated_share(&o->run, &o->record);
    record_clear(&own);
}

void repetitions_end(void)
{
    if (repeat_folder)
        portolan_folder_remove(repeat_folder);
}
