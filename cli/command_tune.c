/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan tune`: chooses the options of a program by trials of its command line. */
#include "measure.h"

#include <portolan/options.h>
#include <portolan/program.h>
#include <portolan/tune.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct tune_options {
    struct measure_options measure;
    struct tune_line line;
    const char *output, *hyperfine, *json;
    bool dry_run, runs;
};

static error_t take_command(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    struct tune_options *o = to;

    (void)arg, (void)option;
    o->line.command = &state->argv[state->next - 1];
    o->line.n_command = (size_t)(state->argc - state->next + 1);
    state->next = state->argc;
    return 0;
}

static error_t check_command(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    const struct tune_options *o = to;

    (void)arg, (void)option;
    if (!o->line.n_command)
        argp_error(state, "which command? name it after --, as in: portolan tune -- ./solve "
                          "'{pc:-pc jacobi|-pc lu}'");
    if (o->line.accuracy > 0 && !o->line.accuracy_from)
        argp_error(state, "--accuracy needs --accuracy-from REGEX, which finds it in the output");
    return 0;
}

static const struct cli_option tune_table[] = {
    {"vary", 'v', "NAME=VALUE,...", "run with each value in place of {NAME}, such as a size",
     INTO_LIST(struct tune_options, line.varied, line.n_varied), .take = need_equals},
    {"accuracy", 'a', "NUMBER", "accept only results that are at least as accurate",
     INTO(struct tune_options, line.accuracy), .most = HUGE_VAL, .wanted = "a number"},
    {"accuracy-from", 0, "REGEX",
     "the output has the accuracy where the regular expression's group is",
     INTO(struct tune_options, line.accuracy_from)},
    {"time-from", 0, "REGEX", "likewise the seconds that count instead of the wall time",
     INTO(struct tune_options, line.time_from)},
    {"context", 'c', "NAME=REGEX", "likewise a number on which the time depends",
     INTO_LIST(struct tune_options, line.contexts, line.n_contexts), .take = need_equals},
    {"failed", 0, "REGEX", "a line of output that matches tells of a failure",
     INTO_LIST(struct tune_options, line.failed, line.n_failed)},
    {"env", 'e', "NAME=TEXT", "set a variable of the environment; {OPTION} in it is replaced",
     INTO_LIST(struct tune_options, line.variables, line.n_variables), .take = need_equals},
    {"file", 0, "NAME=TEMPLATE",
     "run each trial in a new folder with the file NAME, made of TEMPLATE likewise",
     INTO_LIST(struct tune_options, line.files, line.n_files), .take = need_equals},
    {"timeout", 't', "SECONDS", "stop a trial after this time",
     INTO(struct tune_options, line.timeout_s), .most = HUGE_VAL, .wanted = "a number of seconds"},
    {"memory", 'm', "BYTES", "most memory of a process, as in 4G",
     INTO(struct tune_options, line.memory)},
    {"ranks", 'n', "N", "start it by mpiexec on so many ranks",
     INTO(struct tune_options, line.ranks), .least = 1, .wanted = "a whole number, at least 1"},
    {"budget", 'b', "SECONDS", "stop after this time", INTO(struct tune_options, measure.budget_s),
     .most = HUGE_VAL, .wanted = "a number of seconds"},
    {"parallel", 0, "N", "run so many trials side by side (default: 1)",
     INTO(struct tune_options, measure.parallel), .least = 1, .most = MOST_PARALLEL,
     .wanted = "a number from 1 to 64"},
    {"repeat", 0, "NUMBER", "run each setting at most this many times (default: 10)",
     INTO(struct tune_options, measure.repeat), .least = 1, .most = 1000,
     .wanted = "a number from 1 to 1000"},
    {"factor", 0, "NUMBER",
     "stop a trial that takes this many times as long as the best (default: 3)",
     INTO(struct tune_options, measure.factor), .least = 1.01, .wanted = "a number above 1"},
    {"store", 'd', "FILE", "the experiment store (default: portolan.db)",
     INTO(struct tune_options, line.store)},
    {"set", 's', "NAME=VALUE", "choose for this value (default: the last of --vary)",
     INTO_LIST(struct tune_options, measure.assembly.sets, measure.assembly.n_sets),
     .take = need_equals},
    {"output", 'o', "FILE", "write the assembly, for measure, optimize, explain and report",
     INTO(struct tune_options, output)},
    {"irace", 0, "FILE", "take options also from a file of parameters of irace",
     INTO(struct tune_options, line.irace)},
    {"hyperfine", 0, "FILE", "take the results of hyperfine --export-json as trials",
     INTO(struct tune_options, hyperfine)},
    {"json", 0, "FILE", "write all trials as hyperfine does", INTO(struct tune_options, json)},
    {"dry-run", 0, NULL, "only print the command lines", INTO(struct tune_options, dry_run)},
    {"run", 0, NULL, "run what was chosen", INTO(struct tune_options, runs)},
    {"quiet", 'q', NULL, "print only the choice", INTO(struct tune_options, measure.quiet)},
    {.key = CLI_WORD, .take = take_command},
    {.key = CLI_END, .take = check_command},
    {0},
};

/* Prints the command lines of all combinations, or the first of a race, with the present
 * parameters. */
static int print_commands(struct assembly_options *o)
{
    struct portolan_error err = {0};
    struct portolan_arena arena = {0};
    struct workbench w = {0};
    bool is_race = false, grew;
    char *line;

    if (workbench_open(&w, o, print_diagnostic, &err) == PORTOLAN_OK) {
        tune_offer(w.assembly, NULL, &is_race, &grew, &err);
        for (size_t k = 0; !err.status && k < w.assembly->instances[0].n_alternatives; k++)
            if ((line = tune_command_line(w.assembly, k, &arena)))
                printf("%s\n", line);
        if (!err.status && is_race)
            printf("# more than %d combinations: these are the first of a race\n",
                   (int)TUNE_MOST_OF_ALL);
    }
    portolan_arena_clear(&arena);
    workbench_close(&w);
    return err.status ? print_error(&err) : 0;
}

static void copy_sets(const struct assembly_options *from, struct assembly_options *to)
{
    *to = *from;
    to->sets = NULL;
    to->n_sets = 0;
    for (size_t i = 0; i < from->n_sets; i++)
        append_text(&to->sets, &to->n_sets, from->sets[i]);
}

/* Takes trials from hyperfine's file, or (WRITES) writes all in its form. */
static int exchange(struct tune_options *o, bool writes)
{
    struct portolan_error err = {0};
    struct workbench w = {0};
    struct tune_session s = {0};
    struct portolan_text out = {0};
    struct assembly_options assembly;
    size_t n;
    int result;

    copy_sets(&o->measure.assembly, &assembly);
    if (!workbench_open(&w, &assembly, print_diagnostic, &err) &&
        !tune_open(&s, w.assembly, NULL, MPIEXEC, &err)) {
        w.assembly->purpose = "explore";
        if (writes)
            tune_write_hyperfine(w.assembly, workbench_peek_store(&w), &out, &err);
        else if (!tune_read_hyperfine(&s, w.assembly, o->hyperfine, &n, &err))
            printf("%s: %zu trials\n", o->hyperfine, n);
    }
    result = err.status ? print_error(&err) : writes ? write_text(o->json, out.bytes) : 0;
    portolan_text_clear(&out);
    tune_close(&s);
    workbench_close(&w);
    return result;
}

static int measure_and_choose(struct job *job, struct tune_options *o)
{
    struct study_options study = {0};
    struct portolan_text other = {0};
    struct portolan_error err = {0};
    bool all;
    int result;

    if (o->hyperfine && (result = exchange(o, false)))
        return job_end(job), result;
    copy_sets(&o->measure.assembly, &study.assembly);
    if (measure_all(job, &o->measure, &err) != PORTOLAN_OK)
        return job_fail(job, &err);
    job_end(job);
    if (o->json && (result = exchange(o, true)))
        return result;
    all = !study.assembly.n_sets && !o->runs;
    result = optimize_assembly(&study, o->runs);
    for (size_t k = 0;
         all && study_choose_at_other(&o->measure.assembly, (const char *const *)o->line.varied,
                                      o->line.n_varied, k, &study_means, &other);
         k++) {
        fputs(other.bytes ? other.bytes : "", stdout);
        portolan_text_clear(&other);
    }
    return result;
}

int command_tune(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "-- COMMAND [ARGUMENT]...",
        .doc = "Choose the options of a program by trials: portolan tune --vary n=64,128 -- "
               "./solve -n '{n}' '{pc:-pc jacobi|-pc lu}'",
        .options = tune_table,
    };
    struct tune_options o = {.measure.budget_s = -1};
    struct portolan_error err = {0};
    struct portolan_arena arena = {0};
    struct portolan_program program = {0};
    struct job job;
    int result = 0;

    if (job_begin(&job, "tune"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    if (!(program.assembly = tune_make_assembly(&arena, &o.line, &err)))
        return portolan_arena_clear(&arena), job_fail(&job, &err);
    o.measure.assembly.file = o.output ? o.output : "command line";
    o.measure.assembly.program = &program;
    if (o.output)
        result = write_text(o.output, program.assembly);
    if (!result && !o.dry_run) {
        result = measure_and_choose(&job, &o);
    } else {
        job_end(&job);
        result = result ? result : print_commands(&o.measure.assembly);
    }
    free(o.line.varied), free(o.line.failed), free(o.line.contexts), free(o.line.variables),
        free(o.line.files);
    portolan_arena_clear(&arena);
    return result;
}
