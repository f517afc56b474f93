/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates how certain a virtual time is: replays its record with parameters of the machine drawn
 * from their errors, and with other seeds. That does not show how measured runs differ from each
 * other, so clue_main() measures some more.
 */
#include "record.h"

#include <portolan/clue_machine.h>
#include <portolan/list.h>
#include <portolan/progress.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns how long ranks wait if RECORD runs with bursts of MEDIANS (or NULL); NAN: no memory. */
static double waiting_of(const struct clue_run *run, const struct record *record,
                         const struct record_bursts *medians)
{
    struct clue_engine *engine = clue_engine_new(run->machine, &run->settings);
    double waiting_ns = NAN;
    struct clue_run_sums sums;
    int n = 0, verdict = 0;

    while (engine && n < record->n && clue_engine_add(engine, run->hosts[n], 0) >= 0)
        n++;
    if (n == record->n && clue_replay(engine, record, medians, &verdict) &&
        verdict == CLUE_FINISHED) {
        clue_engine_run_sums(engine, &sums);
        waiting_ns = (double)sums.end_ns * n;
        for (int i = 0; i < n; i++) {
            struct clue_task_sums task;

            clue_engine_sums(engine, i, &task);
            waiting_ns -= (double)(task.times.computing_ns + task.times.sending_ns +
                                   task.times.receiving_ns + task.times.spending_ns);
        }
    }
    clue_engine_free(engine);
    return waiting_ns;
}

double clue_repeated_share(const struct clue_run *run, const struct record *record)
{
    const struct portolan_mpi_observer *observer = clue_carrier.observer;
    struct record_bursts *medians = record->n_depends ? NULL : record_medians_of(record);
    double measured, median;

    if (!medians)
        return NAN;
    clue_carrier.observer = NULL;
    measured = waiting_of(run, record, NULL);
    median = waiting_of(run, record, medians);
    clue_carrier.observer = observer;
    record_bursts_free(medians, record->n);
    return measured > 0 ? fmax(0, 1 - median / measured) : NAN;
}

static enum portolan_status repeat_once(const struct clue_run *run, const char *machine,
                                        const struct record *record,
                                        const struct record_bursts *medians, uint64_t draw,
                                        double *ns, struct portolan_error *err)
{
    struct clue_engine_settings settings = run->settings;
    struct clue_machine_file *file = NULL;
    struct clue_run_sums sums;
    struct clue_engine *engine;
    enum portolan_status status =
        machine ? clue_machine_read(machine, NULL, &file, err) : PORTOLAN_OK;
    int verdict = 0;

    if (status)
        return status;
    if (file)
        clue_machine_vary(file, draw + settings.seed);
    settings.seed += draw;
    engine = clue_engine_new(file ? &file->machine : run->machine, &settings);
    for (int i = 0; engine && i < record->n && !status; i++)
        if (clue_engine_add(engine, run->hosts[i], 0) < 0)
            status = portolan_no_memory(err);
    if (!engine)
        status = portolan_no_memory(err);
    if (!status && (!clue_replay(engine, record, medians, &verdict) || verdict != CLUE_FINISHED))
        status = portolan_error_set(err, PORTOLAN_EINVAL, "the run cannot be repeated");
    if (!status) {
        clue_engine_run_sums(engine, &sums);
        *ns = (double)sums.end_ns;
    }
    clue_engine_free(engine);
    clue_machine_destroy(file);
    return status;
}

enum portolan_status clue_repeat(const struct clue_run *run, const char *machine,
                                 const struct record *record, size_t n, double *ends,
                                 struct portolan_error *err)
{
    struct record_bursts *medians = run->is_median ? record_medians_of(record) : NULL;
    enum portolan_status status =
        run->is_median && !medians ? portolan_no_memory(err) : PORTOLAN_OK;

    clue_carrier.observer = NULL;
    for (size_t i = 0; i < n && !status; i++) {
        portolan_progress("repetitions", i, n, false);
        status = repeat_once(run, machine, record, medians, i + 1, &ends[i], err);
    }
    portolan_progress_done("repetitions");
    portolan_sort_numbers(n, ends);
    record_bursts_free(medians, record->n);
    return status;
}

enum portolan_status clue_repeat_program(const struct portolan_words *words,
                                         const struct portolan_words *more, const char *folder,
                                         size_t n, double *ends, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const char *json = portolan_arena_printf(&arena, "--json=%s/json", folder);
    const char *out = portolan_arena_printf(&arena, "%s/out", folder);
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n && !status; i++) {
        struct portolan_words all = {0};
        struct portolan_text text = {0};
        const char *found;

        portolan_progress("repetitions", i, n, true);
        portolan_words_append(&arena, &all, words);
        portolan_words_add(&arena, &all, portolan_arena_printf(&arena, "--repetition=%zu", i + 1));
        portolan_words_add(&arena, &all, json);
        portolan_words_append(&arena, &all, more);
        portolan_command_run(&arena, &all, out, NULL); /* its exit status is that of the program */
        found = portolan_text_add_file(&text, strchr(json, '=') + 1, SIZE_MAX)
                    ? strstr(text.bytes, "\"virtual_ns\":")
                    : NULL;
        ends[i] = found ? strtod(strchr(found, ':') + 1, NULL) : 0;
        unlink(strchr(json, '=') + 1);
        portolan_text_clear(&text);
        if (!found)
            status = portolan_error_set(err, PORTOLAN_EINVAL,
                                        "repetition %zu of the program has no result", i + 1);
    }
    portolan_progress_done("repetitions");
    portolan_sort_numbers(n, ends);
    portolan_arena_clear(&arena);
    return status;
}
