/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

struct options {
    struct run_options run;
    struct script_options script;
};

static const struct cli_option options[] = {
    {"keep-going", 'k', NULL, "scripts: go on behind a command that failed",
     INTO(struct options, script.keeps_going)},
    {"allow-shell", 0, NULL, "scripts: allow `shell` commands",
     INTO(struct options, script.allows_shell)},
    TABLE_OF(run_table, struct options, run),
    TABLE_OF(assembly_table, struct options, run.assembly),
    {0},
};

/* What an assembly takes and a script has no place for. */
static const char *misplaced(const struct run_options *o)
{
    return o->assembly.n_sets      ? "--set"
           : o->assembly.n_selects ? "--select"
           : o->assembly.n_cases   ? "--case"
           : o->assembly.store     ? "--store"
           : o->fixed              ? "--fixed"
                                   : NULL;
}

static int run_script(struct job *job, struct options *o, struct portolan_script *s)
{
    struct portolan_error err = {0};
    const char *option = misplaced(&o->run);
    int code;

    print_log(o->run.quiet, job->cohort->rank);
    o->script.path = o->run.assembly.path;
    o->script.quiet = o->run.quiet;
    if (option) {
        portolan_error_set(&err, PORTOLAN_EINVAL,
                           "'%s' is a script, and %s is for assemblies; `portolan convert` makes "
                           "one of it",
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
        .doc = "Run an assembly, or a script of Ccaffeine: mpiexec." PORTOLAN_MPI
               " -n RANKS portolan run "
               "ASSEMBLY.xml",
        .options = options,
    };
    struct options o = {0};
    struct portolan_error err = {0};
    struct portolan_script *script;
    struct job job;

    if (job_begin(&job, "run"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    if (script_share(&job, o.run.assembly.file, &script, &err) != PORTOLAN_OK)
        return job_fail(&job, &err);
    return script ? run_script(&job, &o, script) : run_assembly(&job, &o.run);
}
