/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of programs and assemblies that are made to be diagnosed. */
#include "internal.h"

#include <portolan/command.h>

#include <fts.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs the program, and reads what it recorded. */
static enum portolan_status run_program(struct portolan_subject *s,
                                        const struct portolan_experiment_options *o,
                                        const char *folder, struct portolan_error *err)
{
    const struct portolan_recording r = {.program = o->program,
                                         .launcher = o->launcher,
                                         .mpiexec = o->mpiexec,
                                         .n_ranks = o->ranks,
                                         .library = o->library,
                                         .folder = folder};
    int result = 0;
    enum portolan_status status = portolan_record_program(&r, &result, err);

    if (!status && result) {
        s->is_cut = true;
        s->how_it_ended = portolan_arena_printf(
            &s->arena, result > 128 ? "was killed by signal %d" : "ended with exit status %d",
            result > 128 ? result - 128 : result);
        if (!s->how_it_ended)
            return portolan_no_memory(err);
        subject_report(s, "error", "the program %s", s->how_it_ended);
    }
    if (!status && portolan_trace_read(folder, &s->d, &s->trace, NULL))
        status = portolan_error_set(err, PORTOLAN_EFOREIGN,
                                    "nothing was recorded: '%s' " PORTOLAN_RECORDS_NOTHING,
                                    o->program[0]);
    return status;
}

/* Returns the processor time that we used ourselves: in the ranks, which are children, and in
 * reading traces. */
static double own_ns(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double ns = 0;

    for (size_t i = 0; i < 2; i++) {
        struct rusage used;

        getrusage(whose[i], &used);
        ns += 1e9 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
              1e3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return ns;
}

/* Runs it, and looks whether others used the cores; elsewhere than on this host that is not known.
 */
static enum portolan_status run_watched(struct portolan_subject *s,
                                        const struct portolan_experiment_options *o,
                                        const struct experiment_run *r, const char *folder,
                                        const char *token, struct portolan_error *err)
{
    struct portolan_machine_reading before, after,
        *ranks = portolan_arena_alloc(&s->arena, (size_t)o->ranks, sizeof *ranks);
    double before_ns = own_ns();
    enum portolan_status status;

    if (!ranks)
        return portolan_no_memory(err);
    portolan_machine_read(&before);
    status = o->program ? run_program(s, o, folder, err)
                        : experiment_run_assembly(s, o, r, folder, token, err);
    portolan_machine_read(&after);
    if (status || o->launcher)
        return status;
    portolan_machine_subtract(&before, &after);
    before.own_ns = (own_ns() - before_ns) / o->ranks;
    before.delayed_ns = 0;
    for (int i = 0; i < o->ranks; i++)
        ranks[i] = before;
    s->shares_cores = o->ranks > before.cores;
    s->knows_processors = true;
    portolan_machine_judge(ranks, (size_t)o->ranks, &s->machine);
    return PORTOLAN_OK;
}

static double bytes_in(const char *folder)
{
    char *paths[] = {(char *)folder, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    double bytes = 0;
    FTSENT *e;

    while (walk && (e = fts_read(walk)))
        bytes += e->fts_info == FTS_F ? (double)e->fts_statp->st_size : 0;
    if (walk)
        fts_close(walk);
    return bytes;
}

/* The trial, then its trace: a program's was read when it ended. */
static enum portolan_status keep_run(struct portolan_subject *s,
                                     const struct portolan_experiment_options *o,
                                     const char *folder, const char *token,
                                     struct portolan_error *err)
{
    enum portolan_status status = o->program ? subject_analyse(s, err) : PORTOLAN_OK;

    if (!status)
        status = o->program ? trial_store_program(s, o, err) : trial_find_run(s, token, err);
    if (status || !folder)
        return status;
    if (!o->program)
        status = trial_read_trace(s, folder, err);
    if (!status && !o->program)
        status = subject_analyse(s, err);
    if (!status)
        status = subject_settle_trace(s, err);
    s->bytes = bytes_in(folder);
    return status ? status : trial_keep_trace(s, folder, o->keep, err);
}

enum portolan_status experiment_run(struct portolan_subject *s,
                                    const struct portolan_experiment_options *o,
                                    const struct experiment_run *r, struct portolan_error *err)
{
    static int n_runs;
    bool is_traced = r->experiment == 3;
    const char *folder = NULL,
               *token = portolan_arena_printf(&s->arena, "%d of process %d at %.0f", ++n_runs,
                                              (int)getpid(), 1e3 * portolan_now_s());
    enum portolan_status status;

    subject_forget_trace(s);
    if (is_traced)
        folder = o->keep ? o->keep : trial_new_folder(s, err);
    if (!token || (is_traced && !folder))
        return err->status ? err->status : portolan_no_memory(err);
    status = run_watched(s, o, r, folder, token, err);
    if (!status)
        status = keep_run(s, o, folder, token, err);
    if (status && folder && !o->keep)
        portolan_folder_remove(folder);
    return status;
}

enum portolan_status portolan_subject_record(struct portolan_subject *s,
                                             const struct portolan_experiment_options *o,
                                             struct portolan_error *err)
{
    return experiment_run(s, o, &(struct experiment_run){.experiment = 3}, err);
}
