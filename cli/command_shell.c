/* SPDX-License-Identifier: BSD-3-Clause */
/* The interactive form of scripts: rank 0 reads lines, all ranks run them. */
#include "cli.h"
#include "terminal.h"

#include <portolan/ccaffeine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct script_options script;
    const char *file, *rc;
    bool no_rc;
};

static const struct cli_option options[] = {
    {"ccafe-rc", 0, "FILE", "run this start-up script instead of the usual ones",
     INTO(struct options, rc)},
    {"no-rc", 0, NULL, "run no start-up script", INTO(struct options, no_rc)},
    {"path", 'p', "DIR:...", "search these folders for components first",
     INTO(struct options, script.path)},
    {"quiet", 'q', NULL, "print only errors, warnings and the output of commands",
     INTO(struct options, script.quiet)},
    {"allow-shell", 0, NULL, "allow `shell` commands", INTO(struct options, script.allows_shell)},
    {.key = CLI_WORD, .doc = "one script at a time", INTO(struct options, file)},
    {0},
};

/* ------------------------------------------------------------------------------------- lines */

/* Input that rank 0 reads for all. */
struct input {
    struct job *job;
    struct lines lines;
    bool at_end;
    bool has_failed; /* a command failed, also in the first scripts; equal on all ranks */
};

/* Collective: all ranks get rank 0's next line, which the caller frees; NULL at the end. */
static enum portolan_status share_line(struct input *in, char **text, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t size = 0;

    *text = NULL;
    if (in->job->cohort->rank == 0 && !in->at_end && lines_read(&in->lines)) {
        size = in->lines.text.length;
        status = portolan_text_take(&in->lines.text, text, err);
    }
    return portolan_cohort_share(in->job->cohort, text, &size, status, err);
}

static char **complete(void *arg, const char *line, size_t *n)
{
    char **words;

    return portolan_interpreter_complete(arg, line, &words, n, NULL) == PORTOLAN_OK ? words : NULL;
}

/* Goes on after a failure; the exit status remembers a failure of input from a pipe. */
static int converse(struct job *job, struct portolan_interpreter *in, struct input *input)
{
    struct portolan_error err = {0};
    char *line = NULL;
    int code = 0;

    while (!portolan_interpreter_has_ended(in, &code) &&
           share_line(input, &line, &err) == PORTOLAN_OK && line) {
        struct portolan_error cause = {0};

        if (portolan_interpreter_do(in, line, &cause) != PORTOLAN_OK) {
            input->has_failed = true;
            if (job->cohort->rank == 0 && input->lines.terminal)
                print_error(&cause);
            else if (job->cohort->rank == 0)
                fprintf(stderr, "standard input:%d: error: %s\n", input->lines.number, cause.text);
        }
        free(line);
        line = NULL;
    }
    free(line);
    if (err.status != PORTOLAN_OK) {
        if (job->cohort->rank == 0)
            print_error(&err);
        return EXIT_BAD_INPUT;
    }
    portolan_text_clear(&input->lines.text);
    return code || input->lines.terminal || !input->has_failed ? code : EXIT_BAD_INPUT;
}

/* ----------------------------------------------------------------------------- first scripts */

/* Collective: runs FILE as far as it goes. False when it cannot be read. */
static bool run_first(struct job *job, struct portolan_interpreter *in, const char *file,
                      bool *has_failed)
{
    struct portolan_diagnostics d = {.report = job->cohort->rank == 0 ? print_diagnostic : NULL};
    struct portolan_error err = {0};
    struct portolan_script *s;
    enum portolan_status status = script_share(job, file, &s, &err);

    if (status == PORTOLAN_OK && !s)
        status = script_refuse(file, &err);
    if (status != PORTOLAN_OK) {
        if (job->cohort->rank == 0)
            print_error(&err);
        return false;
    }
    if (portolan_interpreter_run(in, s, &d, NULL) != PORTOLAN_OK)
        *has_failed = true;
    portolan_script_destroy(s);
    return true;
}

/* Which default script rank 0 finds: 0 none, 1 that of CCAFE_RC_FILE, 2 that in HOME. */
static int find_usual(struct job *job, const char *env, const char *home)
{
    int which = 0;

    if (job->cohort->rank == 0) {
        if (env && *env && access(env, R_OK) != 0)
            fprintf(stderr, "portolan: warning: CCAFE_RC_FILE: '%s' cannot be read\n", env);
        else if (env && *env)
            which = 1;
        if (!which && home && access(home, R_OK) == 0)
            which = 2;
    }
    return job->cohort->bcast(job->cohort, &which, sizeof which, 0) == PORTOLAN_OK ? which : 0;
}

/* Ccaffeine's order: the option, CCAFE_RC_FILE, ~/.ccaferc; runs only the first that exists. */
static bool run_usual(struct job *job, struct portolan_interpreter *in, const struct options *o,
                      bool *has_failed)
{
    const char *env = getenv("CCAFE_RC_FILE"), *folder = getenv("HOME");
    char *home = folder ? portolan_asprintf("%s/.ccaferc", folder) : NULL;
    bool good = true;
    int which;

    if (o->rc) {
        good = run_first(job, in, o->rc, has_failed);
    } else if (!o->no_rc && (which = find_usual(job, env, home))) {
        const char *file = which == 1 ? env : home;

        /* Only rank 0 reads FILE; another rank's environment may not have it. */
        run_first(job, in, file ? file : "script", has_failed);
    }
    free(home);
    return good;
}

static int run_shell(struct job *job, const struct options *o)
{
    struct input input = {
        .job = job,
        .lines = {.prompt = "cca> ", .more = "   > ", .joint = ""},
    };
    struct portolan_error err = {0};
    struct portolan_interpreter *in = NULL;
    enum portolan_status status = script_open(job, &o->script, &in, &err);
    int code = EXIT_BAD_INPUT;

    if (status == PORTOLAN_OK && job->cohort->rank == 0 && terminal_is_there())
        status = terminal_open("portolan", "history", complete, in, &input.lines.terminal, &err);
    status = portolan_cohort_agree(job->cohort, status, &err);
    if (status != PORTOLAN_OK && job->cohort->rank == 0)
        print_error(&err);
    if (status == PORTOLAN_OK && run_usual(job, in, o, &input.has_failed) &&
        (!o->file || portolan_interpreter_has_ended(in, NULL) ||
         run_first(job, in, o->file, &input.has_failed)))
        code = converse(job, in, &input);
    terminal_close(input.lines.terminal);
    portolan_interpreter_destroy(in);
    return code;
}

int command_shell(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "[SCRIPT]",
        .doc = "Run Ccaffeine commands interactively, after those in SCRIPT.",
        .options = options,
    };
    struct portolan_error err = {0};
    struct options o = {0};
    struct job job;
    int code;

    if (job_begin(&job, "shell"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    job_drop_recorder(&job);
    print_log(o.script.quiet, job.cohort->rank);
    if (run_listen(&job, &(struct run_options){0}, &err) != PORTOLAN_OK)
        return job_fail(&job, &err);
    code = run_shell(&job, &o);
    job_end(&job);
    return code;
}
