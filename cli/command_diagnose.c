/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan diagnose: experiments and traces, seen with what hercule/ knows. */
#include "cli.h"

#include <portolan/command.h>
#include <portolan/hercule_experiments.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 2 is for wrong usage. */
enum { EXIT_PROBLEM = 3, EXIT_NOT_KNOWN = 4, NO_TREE = 2 };

struct diagnose_options {
    struct portolan_experiment_options how;
    const char *file;
    const char *paradigm;
    unsigned tree; /* enum portolan_tree_format, or NO_TREE */
    const char **folders;
    size_t n_folders;
    int rule_seconds, rule_mib; /* 0: the default */
    const char **thresholds;
    size_t n_thresholds;
    int why, digits;
    bool as_json;
    int trial, against; /* of the store; 0: none */
    struct assembly_options assembly;
};

static error_t take_program(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    struct diagnose_options *o = to;

    (void)option;
    if (!state->quoted || state->next <= state->quoted) { /* not after -- */
        int64_t number;

        if (!o->trial && portolan_read_int64(arg, &number) && number > 0 && number < INT_MAX &&
            access(arg, F_OK)) {
            o->trial = (int)number;
            return 0;
        }
        if (o->file)
            argp_error(state, "one file at a time, but '%s' was also given", arg);
        o->file = arg;
        return 0;
    }
    o->how.program = &state->argv[state->next - 1];
    state->next = state->argc;
    return 0;
}

static error_t check_given(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    const struct diagnose_options *o = to;

    (void)arg, (void)option;
    if (o->file && o->how.program)
        argp_error(state, "a file or a program, not both");
    if (o->tree != NO_TREE && !o->paradigm && !o->file)
        argp_error(state, "the tree of which paradigm? name it with --paradigm");
    if (!o->file && !o->how.program && !o->trial && o->tree == NO_TREE)
        argp_error(state, "what shall be diagnosed? name an assembly, a trace, a scenario, a "
                          "stored trial (--trial N), or a program after --");
    if (o->how.launcher && !o->how.launcher[strspn(o->how.launcher, " ")])
        argp_error(state, "--launcher is empty; name a command, as in --launcher 'mpiexec -n 4'");
    if (o->how.keep && o->how.repeat > 1)
        argp_error(state, "--keep is for one run, and --repeat makes several");
    if (o->trial && o->how.program)
        argp_error(state, "a trial or a program, not both");
    return 0;
}

static const struct cli_option options[] = {
    {"ranks", 'n', "N", "start the program on N ranks (default: 2)",
     INTO(struct diagnose_options, how.ranks), .least = 1,
     .wanted = "a number of ranks, at least 1"},
    {"paradigm", 'p', "NAME|FILE",
     "the paradigm that the program follows, or the file with its <paradigm>",
     INTO(struct diagnose_options, paradigm)},
    {"why", 'w', "NUMBER",
     "show base, formula, samples and rule of each number on the way to this cause",
     INTO(struct diagnose_options, why), .least = 1, .wanted = "the number of a cause, at least 1"},
    {"tree", 't', "text|dot", "print the tree of the paradigm, and run nothing",
     INTO_CHOICE(struct diagnose_options, tree, "text", "dot")},
    {"json", 'j', NULL, "print JSON", INTO(struct diagnose_options, as_json)},
    {"digits", 0, "N", "digits after the point in percentages (default: 1)",
     INTO(struct diagnose_options, digits), .most = 6, .wanted = "a number from 0 to 6"},
    {"knowledge", 'k', "DIR", "also read the files *.clp in DIR; may be repeated",
     INTO_LIST(struct diagnose_options, folders, n_folders)},
    {"rule-seconds", 0, "N", "let the rules compute for N seconds (default: 10)",
     INTO(struct diagnose_options, rule_seconds), .least = 1,
     .wanted = "a number of seconds, at least 1"},
    {"rule-memory", 0, "MIB", "let the rules use MIB MiB of memory (default: 256)",
     INTO(struct diagnose_options, rule_mib), .least = 1, .wanted = "a number of MiB, at least 1"},
    {"threshold", 0, "NAME=VALUE", "change a threshold; may be repeated",
     INTO_LIST(struct diagnose_options, thresholds, n_thresholds), .take = need_equals},
    {"launcher", 'l', "COMMAND", "start the program with COMMAND instead of mpiexec.mpich -n N",
     INTO(struct diagnose_options, how.launcher)},
    {"keep", 0, "DIR", "keep the trace in DIR, which must be new or empty",
     INTO(struct diagnose_options, how.keep)},
    {"trial", 0, "N",
     "diagnose this stored trial: its trace, or its profile in place of the first two experiments",
     INTO(struct diagnose_options, trial), .least = 1, .wanted = "the number of a trial"},
    {"against", 'a', "N", "compare with this trial, which was diagnosed before, by cause",
     INTO(struct diagnose_options, against), .least = 1, .wanted = "the number of a trial"},
    {"budget", 0, "SECONDS", "start no experiment that would bring the total above this time",
     INTO(struct diagnose_options, how.budget_s), .most = 1e9, .wanted = "seconds"},
    {"repeat", 0, "N",
     "record N runs, and report how far they differ (default: one; a second in its place if runs "
     "disagree or others used the cores)",
     INTO(struct diagnose_options, how.repeat), .least = 1, .most = 1000,
     .wanted = "a number of runs"},
    {"once", 0, NULL, "record everything in one run instead of up to three",
     INTO(struct diagnose_options, how.once)},
    {.doc = "For an assembly (--store also for a program):"},
    TABLE_OF(settings_table, struct diagnose_options, assembly),
    {.key = CLI_WORD, .take = take_program},
    {.key = CLI_END, .take = check_given},
    {0},
};

/* ------------------------------------------------- what is diagnosed */

/* Finds the store to read trials from and to store runs in. */
static enum portolan_status find_store(struct portolan_subject *s, const struct workbench *bench,
                                       const struct diagnose_options *o, struct portolan_error *err)
{
    struct portolan_store *store = NULL;
    enum portolan_status status = PORTOLAN_OK;

    s->store = bench->assembly     ? workbench_peek_store(bench)
               : o->assembly.store ? o->assembly.store
                                   : "portolan.db";
    if (!s->store)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no Mastermind, so it cannot be measured; add an "
                                  "instance of portolan.Mastermind",
                                  o->file);
    if (o->trial)
        return PORTOLAN_OK;
    status = portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &store, err);
    portolan_store_close(store);
    return status;
}

/* ------------------------------------------------- the report */

static int exit_status(enum portolan_verdict verdict)
{
    if (verdict == PORTOLAN_PROBLEM)
        return EXIT_PROBLEM;
    return verdict == PORTOLAN_CANNOT_TELL ? EXIT_NOT_KNOWN : 0;
}

static void report_run(void *arg, const char *kind, const char *text)
{
    (void)arg;
    fprintf(stderr, "portolan: %s: %s\n", kind, text);
}

/* Prints TEXT and frees it. */
static void print_taken(char *text)
{
    if (text)
        fputs(text, stdout);
    free(text);
}

static enum portolan_status print_subject(const struct portolan_subject *s,
                                          const struct diagnose_options *o, int n_ranks,
                                          double run_ns, struct portolan_error *err)
{
    char *text = NULL;
    enum portolan_status status =
        portolan_subject_text(s, &o->how, o->digits, n_ranks, run_ns, &text, err);

    print_taken(text);
    return status;
}

/* Waits judge any program, before they are printed in one form or another. OF_PARADIGM: NULL, if
 * none is known. */
static enum portolan_status judge_waits(const struct portolan_subject *s,
                                        const struct diagnose_options *o,
                                        const enum portolan_verdict *of_paradigm, int *result,
                                        struct portolan_error *err)
{
    struct portolan_run_losses lost;
    enum portolan_status status = PORTOLAN_OK;
    char *text = NULL;

    portolan_waits_lose(s->waits, of_paradigm ? *of_paradigm : PORTOLAN_CANNOT_TELL, &lost);
    if (!o->as_json && !o->why)
        status = portolan_waits_text(s->waits, &lost, o->digits, &text, err);
    print_taken(text);
    *result =
        exit_status(portolan_waits_judge(s->waits, &lost, of_paradigm, s->machine.is_disturbed));
    return status;
}

static enum portolan_status print_diagnosis(const struct portolan_subject *s,
                                            const struct diagnose_options *o,
                                            const struct portolan_experiments *e, int *result,
                                            struct portolan_error *err)
{
    const struct portolan_diagnosis *d = e->all[e->n - 1];
    enum portolan_status status = PORTOLAN_OK;
    char *text = NULL;

    if (!o->as_json && !o->why)
        status = print_subject(s, o, d->n_ranks, d->run_ns, err);
    if (!status && s->waits)
        status = judge_waits(s, o, &d->verdict, result, err);
    if (status)
        return status;
    if (o->as_json)
        status = portolan_diagnosis_json(d, e->made, &text, err);
    else if (o->why)
        status = portolan_diagnosis_why(d, (size_t)o->why, o->digits, &text, err);
    else
        status = portolan_diagnosis_text(d, e->made, o->digits, &text, err);
    print_taken(text);
    if (e->not_made)
        fprintf(o->as_json || o->why ? stderr : stdout, "not made: %s\n", e->not_made);
    return status;
}

/* Reports and stores the diagnosis; a trial that existed before may be in a store that can only be
 * read. */
static enum portolan_status report(struct portolan_subject *s, const struct diagnose_options *o,
                                   const struct portolan_experiments *e, int *result,
                                   struct portolan_error *err)
{
    struct portolan_error why = {0};
    enum portolan_status status = print_diagnosis(s, o, e, result, err),
                         stored = s->trial ? portolan_subject_store(s, e->all[e->n - 1], &why) : 0;

    if (stored && o->trial && s->trial == o->trial)
        fprintf(stderr, "portolan: warning: cannot store the findings: %s\n", why.text);
    else if (stored && !status)
        status = portolan_error_set(err, stored, "the findings are not stored: %s", why.text);
    return status;
}

/* By which causes TRIAL differs from the one that it is compared with. */
static enum portolan_status compare(const struct portolan_subject *s,
                                    const struct diagnose_options *o, int64_t trial, int *result,
                                    struct portolan_error *err)
{
    bool is_worse = false;
    char *text;
    enum portolan_status status =
        portolan_findings_compare(s->store, o->against, trial, o->digits, &text, &is_worse, err);

    print_taken(text);
    *result = is_worse ? EXIT_PROBLEM : 0;
    return status;
}

static enum portolan_status diagnose(struct portolan_subject *s, const struct diagnose_options *o,
                                     int *result, struct portolan_error *err)
{
    struct portolan_diagnosis_options how = {.parts = s->parts, .n_parts = s->n_parts};
    struct portolan_experiments e = {0};
    enum portolan_status status =
        portolan_subject_set_thresholds(s, o->thresholds, o->n_thresholds, &how, err);
    int changes;

    if (!status)
        status = portolan_experiments_make(s, &o->how, &how, &e, err);
    if (!status && !e.n) {
        status = portolan_error_set(err, PORTOLAN_EINVAL, "nothing was run: %s", e.not_made);
    } else if (!status) {
        *result = exit_status(e.all[e.n - 1]->verdict);
        status = report(s, o, &e, result, err);
    }
    if (!status && o->against && s->trial)
        status = compare(s, o, s->trial, &changes, err);
    portolan_experiments_clear(&e);
    return status;
}

/* Without a paradigm: the waits, and which paradigm it looks like. */
static enum portolan_status describe(struct portolan_subject *s, const struct diagnose_options *o,
                                     int *result, struct portolan_error *err)
{
    enum portolan_status status = s->waits ? PORTOLAN_OK : portolan_subject_record(s, &o->how, err);
    char *text = NULL;

    if (status)
        return status;
    status = print_subject(s, o, s->trace->n_ranks, (double)s->waits->run_ns, err);
    if (s->machine.is_disturbed)
        printf("the program is not the only reason: %s\n", s->machine.reason);
    if (!status)
        status = judge_waits(s, o, NULL, result, err);
    if (!status)
        status = portolan_subject_suggest(s, o->digits, &text, err);
    print_taken(text);
    return status;
}

static enum portolan_status print_tree(const struct portolan_subject *s,
                                       const struct diagnose_options *o, struct portolan_error *err)
{
    char *text = NULL;
    enum portolan_status status =
        portolan_knowledge_tree(s->knowledge, s->paradigm, o->tree, &text, err);

    print_taken(text);
    return status;
}

/* The option that does; or NULL. */
static const char *needs_paradigm(const struct diagnose_options *o)
{
    return o->tree != NO_TREE                     ? "--tree"
           : o->why                               ? "--why"
           : o->as_json                           ? "--json"
           : o->how.repeat > 1                    ? "--repeat"
           : o->against && (o->file || !o->trial) ? "--against"
                                                  : NULL;
}

/* Reads what is diagnosed: the assembly, the paradigm, and what was recorded of it. */
static enum portolan_status open_subject(struct portolan_subject *s, struct workbench *bench,
                                         struct diagnose_options *o, int *result,
                                         struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (o->file && portolan_assembly_is_one(o->file)) {
        o->assembly.file = o->file;
        status = workbench_open(bench, &o->assembly, print_diagnostic, err);
        s->assembly = bench->assembly;
    }
    if (!status)
        status = portolan_subject_see_as(s, o->paradigm, o->folders, o->n_folders, err);
    if (!status)
        portolan_knowledge_limit_rules(s->knowledge, o->rule_seconds, o->rule_mib);
    if (!status && !s->paradigm && needs_paradigm(o)) {
        *result = EXIT_USAGE;
        status =
            portolan_error_set(err, PORTOLAN_EINVAL, "%s needs a paradigm; name it with --paradigm",
                               needs_paradigm(o));
    }
    if (status || o->tree != NO_TREE)
        return status;
    if (s->paradigm) /* before anything runs */
        status = portolan_parts_check(s->knowledge, s->paradigm, s->parts, s->n_parts, &s->d, err);
    if (!status && o->how.program && !o->how.launcher)
        status = portolan_record_check_program(o->how.program[0], err);
    if (!status && (o->how.program || s->assembly || o->trial))
        status = find_store(s, bench, o, err);
    return status ? status : portolan_subject_read_given(s, &o->how, o->against, err);
}

static enum portolan_status work(struct portolan_subject *s, struct workbench *bench,
                                 struct diagnose_options *o, int *result,
                                 struct portolan_error *err)
{
    enum portolan_status status = open_subject(s, bench, o, result, err);

    if (!status && o->tree != NO_TREE)
        return print_tree(s, o, err);
    if (!status && o->against && o->trial && !o->file)
        return compare(s, o, o->trial, result, err);
    if (!status && !s->paradigm && o->trial && !s->trace)
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "trial %d has no trace; name its paradigm with --paradigm",
                                    o->trial);
    if (status)
        return status;
    status = s->paradigm ? diagnose(s, o, result, err) : describe(s, o, result, err);
    if (s->is_cut)
        *result = EXIT_BAD_INPUT;
    return status;
}

/* The programs that runs need. Without the recorder, which only a program needs, an assembly can
 * still be run. */
static enum portolan_status find_programs(struct portolan_experiment_options *how, char **recorder,
                                          struct portolan_arena *arena, struct portolan_error *err)
{
    enum portolan_status status =
        how->program ? portolan_settings_find(RECORDER_LIBRARY, recorder, err) : PORTOLAN_OK;

    how->mpiexec = MPIEXEC;
    how->library = *recorder;
    how->command = portolan_program_file(arena);
    if (status)
        return status;
    return how->command ? PORTOLAN_OK : portolan_no_memory(err);
}

int command_diagnose(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "FILE\n-- PROGRAM [ARGUMENT]...",
        .doc = "Say why a parallel program is slow, in terms of its parallel design.\vFILE is an "
               "assembly, a trace (OTF2, or Portolan's own streams) or a scenario. A program is "
               "started with mpiexec.mpich and recorded unmodified. Exit status: 0 no problem, 3 a "
               "problem, 4 cannot tell, 1 bad input, 2 wrong usage.",
        .options = options,
    };
    struct diagnose_options o = {.digits = 1, .how.budget_s = -1, .tree = NO_TREE};
    struct portolan_subject s = {.d = {print_diagnostic, NULL, 0}, .report = report_run};
    struct workbench bench = {0};
    struct portolan_arena arena = {0};
    char *recorder = NULL;
    struct portolan_error err = {0};
    int result = 0;

    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    o.how.file = o.file;
    o.how.trial = o.trial;
    if (find_programs(&o.how, &recorder, &arena, &err) || work(&s, &bench, &o, &result, &err)) {
        if (!s.d.count || err.status != PORTOLAN_ESYNTAX)
            print_error(&err);
        if (result != EXIT_USAGE)
            result = EXIT_BAD_INPUT;
    }
    portolan_subject_clear(&s);
    workbench_close(&bench);
    free(recorder);
    portolan_arena_clear(&arena);
    free(o.folders);
    free(o.thresholds);
    return result;
}
