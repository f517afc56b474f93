/* SPDX-License-Identifier: BSD-3-Clause */
/* The program portolan-clue: turns options into a run, and has the outcome written. */
#include "options.h"

#include <portolan/clue_machine.h>
#include <portolan/clue_run.h>
#include <portolan/progress.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *clue_find_library(const char *installed, const char *built, const char *name)
{
    const char *const places[] = {installed, built};
    Dl_info own;
    char *found = NULL;

    if (!dladdr((const void *)(uintptr_t)clue_find_library, &own))
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        const char *slash = strrchr(own.dli_fname, '/');
        char *path = portolan_asprintf("%.*s/%s/%s", slash ? (int)(slash - own.dli_fname) : 1,
                                       slash ? own.dli_fname : ".", places[i], name);

        found = path ? realpath(path, NULL) : NULL;
        free(path);
    }
    return found;
}

static enum portolan_status find_libraries(struct options *o, struct portolan_error *err)
{
    const char *const files[] = {
        !o->run.is_apart ? NULL
                         : clue_find_library("portolan/clue/apart", "apart", "libportolan-clue.so"),
        clue_find_library("portolan/clue", "../mpi", "libmpich.so.12"),
        clue_find_library("portolan/clue", "../pvm", "libpvm3.so.3"),
        clue_find_library("portolan/clue", "../pvm", "libgpvm3.so.3")};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i])
            o->libraries[o->run.n_libraries++] = files[i];
    o->run.libraries = o->libraries;
    return files[0] || !o->run.is_apart
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "portolan/clue/apart/libportolan-clue.so is not where "
                                    "libportolan-clue.so is; install Portolan again");
}

/* Makes the machine without a machine file: a host for each rank, and messages that take no
 * time. */
static size_t only_pair(const struct clue_machine *machine, int from, int to)
{
    (void)machine, (void)from, (void)to;
    return 0;
}

static struct clue_machine *make_ideal(int n, int **numbers)
{
    struct clue_machine *machine = portolan_calloc(1, sizeof *machine);
    static struct clue_pair pair;

    *machine = (struct clue_machine){.name = "ideal",
                                     .n_hosts = (size_t)n,
                                     .pairs = &pair,
                                     .n_pairs = 1,
                                     .pair_of = only_pair,
                                     .eager_bytes = UINT64_MAX};
    machine->hosts = portolan_calloc((size_t)n, sizeof *machine->hosts);
    *numbers = portolan_calloc((size_t)n, sizeof **numbers);
    for (int i = 0; i < n; i++) {
        machine->hosts[i] = (struct clue_host){
            .name = portolan_asprintf("node[%d]", i), .type = "node", .cpus = 1, .factor = 1};
        (*numbers)[i] = i;
    }
    return machine;
}

static int run(struct options *o, const struct clue_machine_file *file, struct portolan_error *err)
{
    struct clue_outcome outcome;
    struct clue_report report = {
        .file = file, .run = &o->run, .outcome = &outcome, .machine_path = o->machine};
    struct portolan_name_value facts[MOST_LAW_FACTS];
    struct portolan_arena arena = {0};
    int status;

    report.settings = facts;
    report.n_settings = clue_laws_facts(&o->laws, facts);
    setenv("PORTOLAN_MPI_YIELD", "never", 1); /* Portolan's own programs then do not yield, since a
                                               * waiting rank takes no core */
    setenv("PORTOLAN_VIRTUAL_MACHINE", o->run.machine->name ? o->run.machine->name : "virtual", 1);
    if (output_begin(&o->output, &o->run, err) || repetitions_begin(o, &arena, err))
        return print_error(err);
    status = clue_run(&o->run, &outcome, err);
    if (!status && (o->output.json || !o->output.is_quiet))
        repetitions_share(o, &report);
    if (status) {
        print_error(err);
    } else if ((o->n_repeats > 1 && repetitions_run(o, &report, err)) ||
               output_write(&o->output, &report, err)) {
        print_error(err);
        outcome.exit_status = EXIT_BAD_INPUT;
    }
    status = outcome.exit_status;
    clue_run_end(&outcome);
    clue_laws_clear(&o->laws);
    output_end(&o->output);
    repetitions_end();
    portolan_arena_clear(&arena);
    return status;
}

/* Reads the record that is given as a table, or instead of a program. */
static enum portolan_status take_record(struct options *o, struct portolan_error *err)
{
    struct clue_run *run = &o->run;
    bool is_program = !o->table && record_is_at(run->program[0]);
    const char *record;
    enum portolan_status status = PORTOLAN_OK;

    if (o->table || is_program)
        status = record_read(o->table ? o->table : run->program[0], &o->record, err);
    if (!status && is_program && run->compute == CLUE_COMPUTE_MODEL)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is a record, whose times are known; laws need the program",
                                  run->program[0]);
    if (!status && is_program && run->record && !o->record.n_depends)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is a record already; only programs can be recorded",
                                  run->program[0]);
    if (!status && is_program) {
        if (run->n && run->n != o->record.n)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "'%s' is the record of %d ranks, not %d", run->program[0],
                                      o->record.n, run->n);
        run->n = o->record.n;
        record = run->program[0];
        run->program = o->record.words;
        if (!o->record.n_depends) {
            run->replay = &o->record;
        } else {
            fprintf(stderr,
                    "portolan: the course of the recorded run depended on time (%llu wildcards, "
                    "tests and similar calls); '%s' runs again, with the recorded times\n",
                    (unsigned long long)o->record.n_depends, run->program[0]);
            o->table = record;
            run->compute = CLUE_COMPUTE_TABLE;
        }
    }
    if (o->table)
        run->table = &o->record;
    run->n = run->n ? run->n : 1;
    return status;
}

/* Checks that ranks on hosts of factor 0 can be started there. */
static enum portolan_status check_real_hosts(const struct options *o, struct portolan_error *err)
{
    const struct clue_run *run = &o->run;

    for (int i = 0; i < run->n && !run->is_apart && !run->replay; i++)
        if (run->machine->hosts[run->hosts[i]].real)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "rank %d is on '%s', a real host (factor 0), where it must "
                                      "be started as a process; add --apart",
                                      i, run->machine->hosts[run->hosts[i]].name);
    return PORTOLAN_OK;
}

int clue_main(int argc, char **argv, size_t thread_local_bytes)
{
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct options o = {.run = {.thread_local_bytes = thread_local_bytes}};
    struct clue_machine_file *file = NULL;
    struct portolan_error err = {0};
    struct portolan_arena arena = {0}; /* lives until the process ends */
    int *hosts = NULL;

    portolan_progress_show();
    options_parse(&o, argc, argv);
    if (take_record(&o, &err) || (o.run.is_median && !o.run.replay && !o.table &&
                                  repetitions_measure_first(&o, &arena, &err)))
        return print_error(&err);
    if (clue_laws_read(&o.laws, &d, &err))
        return d.count ? EXIT_BAD_INPUT : print_error(&err);
    if (!o.machine)
        o.run.machine = make_ideal(o.run.n, &hosts);
    else if (clue_machine_read(o.machine, &d, &file, &err))
        return d.count ? EXIT_BAD_INPUT : print_error(&err);
    else if (clue_machine_place(file, o.run.n, o.placement, o.is_sharing, &hosts, &err))
        return print_error(&err);
    else
        o.run.machine = &file->machine;
    if (o.repetition && file && o.table) /* a program is measured again instead */
        clue_machine_vary(file, o.run.settings.seed);
    o.run.hosts = hosts;
    if (file && file->ignored && !o.repetition)
        fprintf(stderr, "portolan: warning: %s\n", file->ignored);
    if (check_real_hosts(&o, &err) || find_libraries(&o, &err))
        return print_error(&err);
    if (!o.run.replay && !o.repetition)
        output_warn_of_unserved(&o.run);
    return run(&o, file, &err);
}
