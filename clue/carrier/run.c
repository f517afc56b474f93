/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a program: loads it, makes ranks and runs them, and returns the outcome. */
#include "apart.h"
#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const char *const clue_compute_names[] = {"measured", "table", "model", "none"};

static enum portolan_status make_engine(struct carrier *c, struct portolan_error *err)
{
    struct clue_engine_settings settings = c->run->settings;

    settings.may_change |= c->may_change;
    settings.has_own_requests = c->run->record;
    settings.deliver = clue_burst_deliver;
    c->engine = clue_engine_new(c->run->machine, &settings);
    if (!c->engine)
        return portolan_no_memory(err);
    for (int i = 0; i < c->run->n; i++)
        if (clue_engine_add(c->engine, c->run->hosts[i], 0) < 0)
            return portolan_no_memory(err);
    return PORTOLAN_OK;
}

static enum portolan_status load_folded(struct carrier *c, struct portolan_error *err)
{
    const struct program *program;
    enum portolan_status status;

    program_invocation_name = c->run->program[0];
    program_invocation_short_name = basename(c->run->program[0]);
    for (size_t i = 0; i < c->run->n_libraries; i++)
        if (!dlopen(c->run->libraries[i], RTLD_NOW | RTLD_GLOBAL))
            return portolan_error_set(err, PORTOLAN_EINVAL, "%s", dlerror());
    status = clue_load(c, c->run->program[0], &program, err);
    return status ? status : clue_laws_check(err);
}

static enum portolan_status look_at_program(struct carrier *c, struct portolan_error *err)
{
    char *path = clue_check_program(c->run->program[0], &c->may_change, err);

    free(path);
    return path && !apart_make_memory(c, err) ? clue_laws_check(err) : err->status;
}

static enum portolan_status prepare(struct carrier *c, struct portolan_error *err)
{
    enum portolan_status status = c->run->is_apart ? look_at_program(c, err) : load_folded(c, err);

    if (!status)
        status = make_engine(c, err);
    if (!status)
        status =
            clue_ranks_begin(c, c->run->program[0], c->run->program, c->run->hosts, c->run->n, err);
    return status;
}

/* Finds how the run ended, if no rank has reported it. */
static void judge(struct carrier *c)
{
    if (c->has_failed)
        return;
    if (c->verdict == CLUE_DEADLOCK)
        clue_report_deadlock(c);
    else if (c->verdict != CLUE_FINISHED)
        c->error = *clue_engine_error(c->engine);
    else if (!c->run->replay)
        clue_report_left(c);
}

static void run_ranks(struct carrier *c)
{
    int next = clue_engine_next(c->engine);

    c->main.thread = __builtin_thread_pointer();
    if (next >= 0) {
        c->current = c->ranks[next];
        clue_switch(&c->main, &c->current->context);
    } else {
        c->verdict = next;
    }
    clue_process_of(NULL);
    judge(c);
}

/* Returns the memory that this process has, or the most that it had. */
static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double most_resident_bytes(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

static enum portolan_status run_program(struct carrier *c, struct clue_outcome *outcome,
                                        struct portolan_error *err)
{
    enum portolan_status status = c->run->table ? clue_table_begin(c, err) : PORTOLAN_OK;
    double before = resident_bytes();

    if (!status)
        status = prepare(c, err);
    if (!status)
        status = clue_bursts_start(c, err);
    if (status)
        return status;
    if (!c->run->is_apart)
        clue_faults_begin();
    run_ranks(c);
    if (!c->run->is_apart)
        clue_faults_end();
    if (!c->run->is_apart && before > 0)
        outcome->rank_bytes = fmax(0, most_resident_bytes() - before) / (double)c->n_ranks;
    apart_end_all(c);
    clue_bursts_end(c, &outcome->bursts);
    outcome->bursts.n_missing = clue_table_end(c);
    clue_laws_end(&outcome->bursts, c->has_failed);
    if (c->run->record && !c->error.status)
        status = record_write(c, err);
    record_end(c);
    return status;
}

static enum portolan_status run_record(struct carrier *c, struct portolan_error *err)
{
    const struct record *record = c->run->replay;
    struct record_bursts *medians = NULL;
    enum portolan_status status = make_engine(c, err);

    if (status)
        return status;
    if (c->run->is_median && !(medians = record_medians_of(record)))
        return portolan_no_memory(err);
    if (!clue_replay(c->engine, record, medians, &c->verdict))
        status = portolan_error_set(err, PORTOLAN_ESYNTAX,
                                    "the record is damaged; record the run again");
    record_bursts_free(medians, record->n);
    if (status)
        return status;
    if (c->verdict == CLUE_DEADLOCK)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "deadlock: on this machine the recorded operations wait for each "
                                  "other; run the program itself to see where");
    judge(c);
    return PORTOLAN_OK;
}

enum portolan_status clue_run(const struct clue_run *run, struct clue_outcome *outcome,
                              struct portolan_error *err)
{
    struct carrier *c = &clue_carrier;
    int64_t began = clue_real_ns(CLOCK_MONOTONIC);
    enum portolan_status status;

    *c = (struct carrier){.run = run, .observer = run->observer, .process = getpid()};
    if (run->record && !run->replay) {
        if (!record_begin(c))
            return portolan_no_memory(err);
        c->observer = record_observer();
    }
    *outcome = (struct clue_outcome){0};
    status = run->replay ? run_record(c, err) : run_program(c, outcome, err);
    if (!status && c->error.status)
        status = portolan_error_set(err, c->error.status, "%s", c->error.text);
    outcome->engine = c->engine;
    outcome->n_tasks = run->replay ? run->n : (int)c->n_ranks;
    outcome->exit_status = c->exit_status ? c->exit_status : status ? 1 : 0;
    outcome->remarks = c->remarks;
    outcome->n_remarks = c->n_remarks;
    outcome->wall_s = 1e-9 * (double)(clue_real_ns(CLOCK_MONOTONIC) - began);
    return status;
}

void clue_run_end(struct clue_outcome *outcome)
{
    struct carrier *c = &clue_carrier;

    for (size_t i = 0; i < c->n_remarks; i++) {
        free(c->remarks[i].text);
        free(c->remarks[i].where);
    }
    free(c->remarks);
    clue_ranks_free(c);
    clue_programs_free(c);
    clue_engine_free(c->engine);
    *c = (struct carrier){0};
    *outcome = (struct clue_outcome){0};
}
