/* SPDX-License-Identifier: BSD-3-Clause */
/* `run`, and Ccaffeine's scripts on all ranks. */
#include "cli.h"

#include <portolan/ccaffeine.h>
#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------ running */

struct script_options {
    const char *path; /* --path */
    bool quiet, keeps_going, allows_shell;
};

static void print_text(void *arg, const char *text)
{
    (void)arg;
    fputs(text, stdout);
    fflush(stdout);
}

static void print_warning(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "portolan: warning: %s\n", text);
}

static void set_debug(void *arg, bool on)
{
    (void)arg;
    print_debug(on);
}

static int run_in_shell(void *arg, const char *line)
{
    int result = system(line);

    (void)arg;
    return WIFEXITED(result) ? WEXITSTATUS(result) : result;
}

static enum portolan_status settle(void *arg, enum portolan_status status,
                                   struct portolan_error *err)
{
    return job_settle(arg, status, err);
}

/* Collective: an interpreter that prints on rank 0; JOB and O must outlive it. */
static enum portolan_status script_open(struct job *job, const struct script_options *o,
                                        struct portolan_interpreter **in,
                                        struct portolan_error *err)
{
    struct portolan_interpreter_options options = {
        .path = o->path,
        .cohort = job->cohort,
        .print = print_text,
        .warn = print_warning,
        .debug = set_debug,
        .shell = o->allows_shell ? run_in_shell : NULL,
        .settle = settle,
        .arg = job,
        .quiet = o->quiet,
        .keeps_going = o->keeps_going,
    };
    enum portolan_status status = portolan_interpreter_create(&options, in, err);

    if (status == PORTOLAN_OK)
        status = portolan_mpi_serve(portolan_interpreter_peek_framework(*in), err);
    return portolan_cohort_agree(job->cohort, status, err);
}

/* Collective: runs a whole script in an interpreter of its own; returns the exit status. */
static int script_run(struct job *job, const struct script_options *o,
                      const struct portolan_script *s)
{
    struct portolan_diagnostics d = {.report = job->cohort->rank == 0 ? print_diagnostic : NULL};
    struct portolan_error err = {0};
    struct portolan_interpreter *in;
    enum portolan_status status = script_open(job, o, &in, &err);
    int code = EXIT_BAD_INPUT;

    if (status != PORTOLAN_OK) {
        if (job->cohort->rank == 0)
            print_error(&err);
    } else if (portolan_interpreter_run(in, s, &d, NULL) == PORTOLAN_OK) {
        portolan_interpreter_has_ended(in, &code);
    }
    portolan_interpreter_destroy(in);
    return code;
}

struct options {
    struct run_options run;
    struct script_options script;
    bool is_watched;
};

static const struct cli_option options[] = {
    {"keep-going", 'k', NULL, "scripts: continue after a command that failed",
     INTO(struct options, script.keeps_going)},
    {"allow-shell", 0, NULL, "scripts: allow `shell` commands",
     INTO(struct options, script.allows_shell)},
    {"as", 0, "FILE", "assemblies: let components look for their input files beside FILE",
     INTO(struct options, run.assembly.as)},
    {"watch", 0, NULL, "assemblies: serve a page that follows the run, portolan-watch(1)",
     INTO(struct options, is_watched)},
    TABLE_OF(run_table, struct options, run),
    TABLE_OF(assembly_table, struct options, run.assembly),
    {0},
};

/* ------------------------------------------------------------------------------------ watching */

static bool add_each(struct portolan_arena *a, struct portolan_words *w, const char *option,
                     const char **values, size_t n)
{
    bool good = true;

    for (size_t i = 0; i < n; i++)
        good = good &&
               portolan_words_add(a, w, portolan_arena_printf(a, "--%s=%s", option, values[i]));
    return good;
}

/* `portolan watch` of the run's store, as an array that ends with NULL. */
static const char **watch_command(struct portolan_arena *a, const struct assembly_options *o)
{
    struct portolan_words w = {0};
    bool good = portolan_words_add(a, &w, "portolan") && portolan_words_add(a, &w, "watch") &&
                add_each(a, &w, "path", (const char **)&o->path, o->path != NULL) &&
                add_each(a, &w, "store", (const char **)&o->store, o->store != NULL) &&
                add_each(a, &w, "set", o->sets, o->n_sets) &&
                add_each(a, &w, "select", o->selects, o->n_selects) &&
                add_each(a, &w, "pin", o->pins, o->n_pins) &&
                add_each(a, &w, "forbid", o->forbids, o->n_forbids) &&
                add_each(a, &w, "case", o->cases, o->n_cases) && portolan_words_add(a, &w, "--") &&
                portolan_words_add(a, &w, o->file);

    return good && portolan_arena_append(a, &w.word, &w.n, &(const char *){NULL}, sizeof(char *))
               ? w.word
               : NULL;
}

/*
 * Serves the page in a process of its own, which ends with this one, whatever ends it, and which
 * this one does not depend on; 0: there is none. It keeps only output and errors of this process's
 * files, since those of MPI are not its own.
 */
static pid_t begin_watch(const struct assembly_options *o)
{
    struct portolan_arena arena = {0};
    const char **command = watch_command(&arena, o);
    pid_t parent = getpid(), child = command ? fork() : -1;
    sigset_t ends; /* are for later, when it can report the end */

    if (child == 0) {
        sigemptyset(&ends);
        sigaddset(&ends, SIGTERM);
        sigprocmask(SIG_BLOCK, &ends, NULL);
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
            _exit(EXIT_BAD_INPUT);
        close_range(STDERR_FILENO + 1, ~0U, 0);
        execv("/proc/self/exe", (char **)command);
        _exit(EXIT_BAD_INPUT);
    }
    portolan_arena_clear(&arena);
    if (child < 0)
        print_warning(NULL, "the run is not watched: no process could be made for it");
    return child < 0 ? 0 : child;
}

static void end_watch(pid_t child)
{
    if (child && kill(child, SIGTERM) == 0)
        waitpid(child, NULL, 0);
}

/* An option for assemblies that scripts do not support, or NULL. */
static const char *misplaced(const struct options *options)
{
    const struct run_options *o = &options->run;

    return o->assembly.n_sets      ? "--set"
           : o->assembly.n_selects ? "--select"
           : o->assembly.n_pins    ? "--pin"
           : o->assembly.n_forbids ? "--forbid"
           : o->assembly.n_cases   ? "--case"
           : o->assembly.store     ? "--store"
           : o->assembly.as        ? "--as"
           : o->fixed              ? "--fixed"
           : o->explore            ? "--explore"
           : o->step_timeout_s     ? "--step-timeout"
           : options->is_watched   ? "--watch"
                                   : NULL;
}

static int run_script(struct job *job, struct options *o, struct portolan_script *s)
{
    struct portolan_error err = {0};
    const char *option = misplaced(o);
    int code;

    print_log(o->run.quiet, job->cohort->rank);
    job_drop_recorder(job);
    o->script.path = o->run.assembly.path;
    o->script.quiet = o->run.quiet;
    if (option) {
        portolan_error_set(
            &err, PORTOLAN_EINVAL,
            "'%s' is a script, and %s is for assemblies; convert it with `portolan convert`",
            s->file, option);
        portolan_script_destroy(s);
        return job_fail(job, &err);
    }
    if (run_listen(job, &o->run, &err) != PORTOLAN_OK) {
        portolan_script_destroy(s);
        return job_fail(job, &err);
    }
    code = script_run(job, &o->script, s);
    portolan_script_destroy(s);
    job_end(job);
    return code;
}

int command_run(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml|SCRIPT.rc|SCRIPT.bld",
        .doc = "Run an assembly, or a Ccaffeine script: mpiexec." PORTOLAN_MPI
               " -n RANKS portolan run "
               "ASSEMBLY.xml",
        .options = options,
    };
    struct options o = {0};
    struct portolan_error err = {0};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_script *script;
    struct job job;
    pid_t watcher = 0;
    int result;

    if (job_begin(&job, "run"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    if (job.cohort->rank)
        d.report = NULL;
    if (portolan_script_share(job.cohort, o.run.assembly.file, &d, &script, &err) != PORTOLAN_OK)
        return job_fail(&job, &err);
    if (script)
        return run_script(&job, &o, script);
    if (o.is_watched && job.cohort->rank == 0)
        watcher = begin_watch(&o.run.assembly);
    result = run_assembly(&job, &o.run);
    end_watch(watcher);
    return result;
}
