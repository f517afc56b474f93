/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

enum { OPTION_ALLOW_SHELL = 256 };

struct options {
    struct run_options run;
    struct script_options script;
};

static const struct argp_option script_argp_options[] = {
    {"keep-going", 'k', NULL, 0, "scripts: go on behind a command that failed", 0},
    {"allow-shell", OPTION_ALLOW_SHELL, NULL, 0, "scripts: allow `shell` commands", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->run;
        state->child_inputs[1] = &o->run.assembly;
        return 0;
    case 'k':
        o->script.keeps_going = true;
        return 0;
    case OPTION_ALLOW_SHELL:
        o->script.allows_shell = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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
    static const struct argp_child children[] = {
        {&run_argp, 0, NULL, 0}, {&assembly_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = script_argp_options,
        .parser = parse_option,
        .args_doc = "ASSEMBLY.xml|SCRIPT.rc|SCRIPT.bld",
        .doc = "Run an assembly, or a script of Ccaffeine: mpiexec." PORTOLAN_MPI
               " -n RANKS portolan run "
               "ASSEMBLY.xml",
        .children = children,
    };
    struct options o = {0};
    struct portolan_error err = {0};
    struct portolan_script *script;
    struct job job;

    if (job_begin(&job, "run"))
        return EXIT_BAD_INPUT;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (script_share(&job, o.run.assembly.file, &script, &err) != PORTOLAN_OK)
        return job_fail(&job, &err);
    return script ? run_script(&job, &o, script) : run_assembly(&job, &o.run);
}
