/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan diagnose: experiments and traces, seen with what hercule/ knows. */
#include "diagnose.h"

#include <portolan/command.h>
#include <portolan/hercule_assembly.h>
#include <portolan/machine.h>
#include <portolan/replay.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* 2 is for wrong usage. */
enum { EXIT_PROBLEM = 3, EXIT_NOT_KNOWN = 4 };

struct options {
    const char *file;
    char **program;
    int ranks;
    const char *launcher, *paradigm, *tree, *keep;
    const char **folders;
    size_t n_folders;
    const char **thresholds;
    size_t n_thresholds;
    int why, digits;
    bool as_json;
    struct assembly_options assembly;
};

static error_t take_program(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    struct options *o = to;

    (void)option;
    if (!state->quoted || state->next <= state->quoted) { /* not behind -- */
        if (o->file)
            argp_error(state, "one file at a time: '%s' is one too many", arg);
        o->file = arg;
        return 0;
    }
    o->program = &state->argv[state->next - 1];
    state->next = state->argc;
    return 0;
}

static error_t take_tree(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    (void)to, (void)option;
    if (strcmp(arg, "text") != 0 && strcmp(arg, "dot") != 0)
        argp_error(state, "--tree is text or dot, not '%s'", arg);
    return 0;
}

static error_t check_given(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    const struct options *o = to;

    (void)arg, (void)option;
    if (o->file && o->program)
        argp_error(state, "a file or a program, not both");
    if (!o->file && !o->program && !(o->tree && o->paradigm))
        argp_error(state, "diagnose what? name an assembly, a trace or a scenario, or a program "
                          "behind --");
    if (o->tree && !o->paradigm && !o->file)
        argp_error(state, "the tree of which paradigm? name it with --paradigm");
    if (o->digits > 6)
        argp_error(state, "--digits is a number from 0 to 6");
    if (o->ranks < 1)
        argp_error(state, "-n wants a number of ranks, from 1 on");
    return 0;
}

static const struct cli_option options[] = {
    {"ranks", 'n', "N", "start the program on so many ranks (default: 2)",
     INTO(struct options, ranks)},
    {"paradigm", 'p', "NAME|FILE",
     "the paradigm that the program follows, or the file with its <paradigm>",
     INTO(struct options, paradigm)},
    {"why", 'w', "NUMBER", "base, formula, samples and rule of every number down to that cause",
     INTO(struct options, why)},
    {"tree", 't', "text|dot", "print the tree of the paradigm and diagnose nothing",
     INTO(struct options, tree), .take = take_tree},
    {"json", 'j', NULL, "print JSON", INTO(struct options, as_json)},
    {"digits", 0, "N", "digits after the point (default: 1)", INTO(struct options, digits)},
    {"knowledge", 'k', "DIR", "read the files *.clp of that folder, too; repeatable",
     INTO_LIST(struct options, folders, n_folders)},
    {"threshold", 0, "NAME=VALUE", "another value of a threshold; repeatable",
     INTO_LIST(struct options, thresholds, n_thresholds), .take = need_equals},
    {"launcher", 'l', "COMMAND", "start the program with that instead of mpiexec.mpich -n N",
     INTO(struct options, launcher)},
    {"keep", 0, "DIR", "keep the trace in that folder, which must be new",
     INTO(struct options, keep)},
    {.doc = "Of an assembly:"},
    TABLE_OF(settings_table, struct options, assembly),
    {.key = CLI_WORD, .take = take_program},
    {.key = CLI_END, .take = check_given},
    {0},
};

/* ------------------------------------------------- what is diagnosed */

/* All that a diagnosis needs, and that outlives it. */
struct subject {
    struct portolan_arena arena;
    struct portolan_diagnostics d;
    struct portolan_knowledge *knowledge;
    struct workbench bench;                /* of an assembly */
    struct portolan_assembly *declaration; /* of a file with the <paradigm>; or NULL */
    const char *paradigm;                  /* NULL: none is known */
    struct portolan_part *parts;
    size_t n_parts;
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    bool is_cut;                             /* the program failed */
    bool shares_cores;                       /* there were more ranks than cores */
    struct portolan_machine_verdict machine; /* during a run on this host */
};

static void close_subject(struct subject *s)
{
    portolan_waits_destroy(s->waits);
    portolan_matching_destroy(s->matching);
    portolan_trace_destroy(s->trace);
    portolan_assembly_destroy(s->declaration);
    workbench_close(&s->bench);
    portolan_knowledge_destroy(s->knowledge);
    portolan_arena_clear(&s->arena);
}

/* Whether the file's first element is <NAME>. */
static bool begins_with_element(const char *file, const char *name)
{
    char text[4096] = "", *at = text;
    FILE *f = fopen(file, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

    if (f)
        fclose(f);
    text[n] = 0;
    while ((at = strchr(at, '<')) && (at[1] == '?' || at[1] == '!')) {
        char *end = strncmp(at, "<!--", 4) ? at + 1 : strstr(at + 4, "-->");

        at = end ? end : at + 1;
    }
    return at && !strncmp(at + 1, name, strlen(name)) && strchr(" \t\r\n>/", at[1 + strlen(name)]);
}

static bool is_folder(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

/* A folder of streams, a stream or an OTF2 anchor; anything else is a scenario. */
static enum portolan_status read_trace(struct subject *s, const char *file,
                                       struct portolan_error *err)
{
    if (is_folder(file) || ends_with(file, ".otf2") || ends_with(file, ".trace"))
        return portolan_trace_read(file, &s->d, &s->trace, err);
    return portolan_scenario_read(file, NULL, &s->d, &s->trace, NULL, err);
}

static void tell_clocks(const struct portolan_clocks *c)
{
    if (c->most_moved_ns > 0)
        fprintf(stderr,
                "portolan: note: clocks of %zu hosts were brought together, to %.1f us; messages "
                "that came before they were sent: %llu, now %llu\n",
                c->n_clocks, c->uncertainty_ns * 1e-3, (unsigned long long)c->n_reversed_before,
                (unsigned long long)c->n_reversed_after);
    if (c->n_unrelated)
        fprintf(stderr,
                "portolan: warning: nothing goes both ways between %zu of %zu hosts and the "
                "others: their clocks cannot be compared\n",
                c->n_unrelated, c->n_clocks);
}

static enum portolan_status analyse(struct subject *s, struct portolan_error *err)
{
    struct portolan_clocks clocks;
    enum portolan_status status = portolan_clocks_correct(s->trace, &clocks, err);

    if (!status)
        status = portolan_matching_create(s->trace, &s->matching, err);
    if (!status)
        tell_clocks(&clocks);
    return status ? status : portolan_waits_create(s->trace, s->matching, NULL, &s->waits, err);
}

/* Says what its matching tells of a trace, where that is not all well. */
static void warn_of_trace(const struct subject *s)
{
    const struct portolan_matching *m = s->matching;
    size_t n_cut = 0;

    for (size_t i = 0; i < s->trace->n_locations; i++)
        n_cut += s->trace->locations[i].is_cut || s->trace->locations[i].lost;
    if (n_cut)
        fprintf(stderr,
                "portolan: warning: a part of the trace is missing for %zu of %zu threads\n", n_cut,
                s->trace->n_locations);
    if (m->n_unmatched_sends || m->n_unmatched_recvs)
        fprintf(stderr,
                "portolan: warning: %llu sends and %llu receives of %llu messages have no "
                "partner\n",
                (unsigned long long)m->n_unmatched_sends, (unsigned long long)m->n_unmatched_recvs,
                (unsigned long long)(m->n_messages + m->n_unmatched_sends + m->n_unmatched_recvs));
    if (m->n_reversed)
        fprintf(stderr,
                "portolan: warning: %llu messages were received before they were sent: clocks "
                "disagree\n",
                (unsigned long long)m->n_reversed);
    if (m->is_uncertain)
        fprintf(stderr, "portolan: warning: several threads of a rank communicate: which messages "
                        "belong together is not certain\n");
}

/* ------------------------------------------------- the paradigm */

static enum portolan_status declare(struct subject *s, const struct portolan_assembly *a,
                                    struct portolan_error *err)
{
    s->paradigm = a->paradigm->name;
    return portolan_paradigm_declare(s->knowledge, a, &s->arena, &s->parts, &s->n_parts, &s->d,
                                     err);
}

/* --paradigm names a file with a slash, or one that is there; else one that is known. */
static enum portolan_status find_paradigm(struct subject *s, const struct options *o,
                                          struct portolan_error *err)
{
    enum portolan_status status =
        portolan_knowledge_read(o->folders, o->n_folders, &s->d, &s->knowledge, err);

    if (!status && !o->paradigm && s->bench.assembly && s->bench.assembly->paradigm)
        return declare(s, s->bench.assembly, err);
    if (status || !o->paradigm)
        return status;
    if (!strchr(o->paradigm, '/') && access(o->paradigm, R_OK) != 0) {
        s->paradigm = o->paradigm;
        return PORTOLAN_OK;
    }
    status = portolan_paradigm_read(o->paradigm, &s->d, &s->declaration, err);
    return status ? status : declare(s, s->declaration, err);
}

/* ------------------------------------------------- the run */

/* Runs the program in a new folder, and reads what it recorded. */
static enum portolan_status run_program(struct subject *s, const struct options *o,
                                        struct portolan_error *err)
{
    struct recording r = {.program = o->program, .launcher = o->launcher, .n_ranks = o->ranks};
    enum portolan_status status;
    int result = 0;

    r.folder = o->keep ? o->keep : portolan_temporary_folder(&s->arena, err);
    if (!r.folder)
        return err->status;
    status = record_program(&r, &result, err);
    s->is_cut = result != 0;
    if (result)
        fprintf(stderr, "portolan: warning: the program ended with exit status %d\n", result);
    fflush(stdout);
    if (!status && portolan_trace_read(r.folder, &s->d, &s->trace, NULL))
        status = portolan_error_set(err, PORTOLAN_EFOREIGN,
                                    "nothing was recorded: '%s' made no call of MPI, or could not "
                                    "be started",
                                    o->program[0]);
    if (!o->keep)
        portolan_folder_remove(r.folder);
    return status;
}

/* Runs the assembly in a new folder. */
static enum portolan_status run_assembly_traced(struct subject *s, const struct options *o,
                                                struct portolan_error *err)
{
    const struct portolan_assembly *declaration =
        s->declaration ? s->declaration : s->bench.assembly;
    struct assembly_experiment x = {.assembly = s->bench.assembly,
                                    .paradigm = declaration->paradigm,
                                    .launcher = o->launcher,
                                    .n_ranks = o->ranks};
    enum portolan_status status;

    x.folder = o->keep ? o->keep : portolan_temporary_folder(&s->arena, err);
    if (!x.folder)
        return err->status;
    if (o->keep && mkdir(o->keep, 0777))
        return portolan_error_set(err, PORTOLAN_EIO, "--keep %s: %s", o->keep, strerror(errno));
    status = diagnose_assembly(&x, &s->arena, &s->d, &s->trace, err);
    if (!o->keep)
        portolan_folder_remove(x.folder);
    return status;
}

/* What the machine did meanwhile: the ranks' processor time is that of this process's children. */
static double children_ns(void)
{
    struct rusage used;

    getrusage(RUSAGE_CHILDREN, &used);
    return 1e9 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Runs the program or assembly, and looks whether others used the cores; elsewhere than on this
 * host that is not known. */
static enum portolan_status run_watched(struct subject *s, const struct options *o,
                                        struct portolan_error *err)
{
    struct portolan_machine_reading before, after,
        *ranks = portolan_arena_alloc(&s->arena, (size_t)o->ranks, sizeof *ranks);
    double own_ns = children_ns();
    enum portolan_status status;

    if (!ranks)
        return portolan_no_memory(err);
    portolan_machine_read(&before);
    status = o->program ? run_program(s, o, err) : run_assembly_traced(s, o, err);
    portolan_machine_read(&after);
    if (status || o->launcher)
        return status;
    if (s->trace->is_virtual) /* clocks that nothing disturbs */
        return PORTOLAN_OK;
    portolan_machine_subtract(&before, &after);
    before.own_ns = (children_ns() - own_ns) / o->ranks;
    before.delayed_ns = 0;
    for (int i = 0; i < o->ranks; i++)
        ranks[i] = before;
    s->shares_cores = o->ranks > before.cores;
    portolan_machine_judge(ranks, (size_t)o->ranks, &s->machine);
    return PORTOLAN_OK;
}

static enum portolan_status obtain_trace(struct subject *s, const struct options *o,
                                         struct portolan_error *err)
{
    enum portolan_status status =
        o->program || s->bench.assembly ? run_watched(s, o, err) : read_trace(s, o->file, err);

    return status ? status : analyse(s, err);
}

/* ------------------------------------------------- the report */

static enum portolan_status read_settings(struct subject *s, const struct options *o,
                                          struct portolan_diagnosis_options *d,
                                          struct portolan_error *err)
{
    struct portolan_threshold *settings =
        portolan_arena_alloc(&s->arena, o->n_thresholds, sizeof *settings);

    for (size_t i = 0; settings && i < o->n_thresholds; i++) {
        const char *equals = strchr(o->thresholds[i], '=');

        settings[i].name = portolan_arena_strndup(&s->arena, o->thresholds[i],
                                                  (size_t)(equals - o->thresholds[i]));
        if (!portolan_read_double(equals + 1, &settings[i].value))
            return portolan_error_set(err, PORTOLAN_EINVAL, "--threshold %s: '%s' is no number",
                                      o->thresholds[i], equals + 1);
    }
    d->settings = settings;
    d->n_settings = o->n_thresholds;
    return s->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static int exit_status(enum portolan_verdict verdict)
{
    if (verdict == PORTOLAN_PROBLEM)
        return EXIT_PROBLEM;
    return verdict == PORTOLAN_CANNOT_TELL ? EXIT_NOT_KNOWN : 0;
}

static void print_subject(const struct subject *s, const struct options *o)
{
    const char *name = o->program ? o->program[0] : o->file, *slash = strrchr(name, '/');

    printf("%s: ", slash && slash[1] ? slash + 1 : name);
    if (s->paradigm)
        printf("paradigm %s, ", s->paradigm);
    printf("%d rank%s, %.4g s%s\n", s->trace->n_ranks, s->trace->n_ranks == 1 ? "" : "s",
           1e-9 * (double)s->waits->run_ns, s->is_cut ? ", not to its end" : "");
    if (s->paradigm && (o->program || s->bench.assembly))
        printf("recorded once: the experiments below are views of one trace\n");
    if (s->shares_cores)
        printf("ranks shared cores: times without a cause are of processor times\n");
}

static enum portolan_status print_diagnosis(const struct subject *s, const struct options *o,
                                            const struct portolan_diagnosis *d,
                                            struct portolan_error *err)
{
    const char *const titles[3] = {NULL, NULL, o->program ? "trace of the run" : "trace"};
    enum portolan_status status;
    char *text = NULL;

    if (o->as_json)
        status = portolan_diagnosis_json(d, &text, err);
    else if (o->why)
        status = portolan_diagnosis_why(d, (size_t)o->why, o->digits, &text, err);
    else {
        print_subject(s, o);
        status = portolan_diagnosis_text(d, titles, o->digits, &text, err);
    }
    if (text)
        fputs(text, stdout);
    free(text);
    return status;
}

static enum portolan_status diagnose(struct subject *s, const struct options *o, int *result,
                                     struct portolan_error *err)
{
    struct portolan_diagnosis_options how = {
        .parts = s->parts,
        .n_parts = s->n_parts,
        .use_cpu = s->shares_cores,
        .disturbance = s->machine.is_disturbed ? s->machine.reason : NULL};
    struct portolan_diagnosis *diagnosis = NULL;
    enum portolan_status status = read_settings(s, o, &how, err);

    if (!status)
        status = portolan_diagnosis_create(s->knowledge, s->paradigm, s->waits, &how, &s->d,
                                           &diagnosis, err);
    if (!status)
        status = print_diagnosis(s, o, diagnosis, err);
    if (!status)
        *result = exit_status(diagnosis->verdict);
    portolan_diagnosis_destroy(diagnosis);
    return status;
}

static enum portolan_status print_suggestions(struct subject *s, struct portolan_error *err)
{
    struct portolan_suggestion *found = NULL;
    size_t n = 0;
    enum portolan_status status =
        portolan_suggest_paradigms(s->knowledge, s->waits, &s->d, &found, &n, err);

    if (!status && !n)
        printf("it looks like none of the paradigms that are known\n");
    for (size_t i = 0; i < n; i++)
        printf("it %s like %s: %zu instances cover %.1f %% of the time and %.1f %% of the calls "
               "with messages\n%s\n",
               i ? "also looks" : "looks", found[i].paradigm, found[i].n_instances,
               100 * found[i].time, 100 * found[i].calls, found[i].text);
    portolan_suggestions_free(found, n);
    return status;
}

/* Without a paradigm: the waits, and which paradigm it looks like. */
static enum portolan_status describe(struct subject *s, const struct options *o,
                                     struct portolan_error *err)
{
    print_subject(s, o);
    if (s->machine.is_disturbed)
        printf("not only the program: %s\n", s->machine.reason);
    diagnose_print_waits(s->waits);
    return print_suggestions(s, err);
}

static enum portolan_status print_tree(const struct subject *s, const struct options *o,
                                       struct portolan_error *err)
{
    enum portolan_tree_format format =
        !strcmp(o->tree, "dot") ? PORTOLAN_TREE_DOT : PORTOLAN_TREE_TEXT;
    char *text = NULL;
    enum portolan_status status =
        portolan_knowledge_tree(s->knowledge, s->paradigm, format, &text, err);

    if (text)
        fputs(text, stdout);
    free(text);
    return status;
}

static enum portolan_status work(struct subject *s, struct options *o, int *result,
                                 struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (o->file && begins_with_element(o->file, "assembly")) {
        o->assembly.file = o->file;
        status = workbench_open(&s->bench, &o->assembly, true, err);
    }
    if (!status)
        status = find_paradigm(s, o, err);
    if (!status && !s->paradigm && (o->tree || o->why || o->as_json))
        status =
            portolan_error_set(err, PORTOLAN_EINVAL, "%s needs a paradigm; name it with --paradigm",
                               o->tree  ? "--tree"
                               : o->why ? "--why"
                                        : "--json");
    if (!status && o->tree)
        return print_tree(s, o, err);
    if (!status)
        status = obtain_trace(s, o, err);
    if (status)
        return status;
    warn_of_trace(s);
    return s->paradigm ? diagnose(s, o, result, err) : describe(s, o, err);
}

int command_diagnose(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "FILE\n-- PROGRAM [ARGUMENT]...",
        .doc = "Say why a parallel program is slow, in terms of its parallel design.\vFILE is an "
               "assembly, a trace (OTF2, or Portolan's own streams) or a scenario. A program is "
               "started with "
               "mpiexec.mpich and recorded as it is. Exit status: 0 no problem, 3 a problem, 4 "
               "cannot tell, 1 bad input, 2 wrong usage.",
        .options = options,
    };
    struct options o = {.ranks = 2, .digits = 1};
    struct subject s = {.d = {print_diagnostic, NULL, 0}};
    struct portolan_error err = {0};
    int result = 0;

    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    if (work(&s, &o, &result, &err)) {
        if (!s.d.count || err.status != PORTOLAN_ESYNTAX)
            print_error(&err);
        result = EXIT_BAD_INPUT;
    }
    close_subject(&s);
    free(o.folders);
    free(o.thresholds);
    return result;
}
