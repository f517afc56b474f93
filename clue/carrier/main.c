/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of portolan-clue, which is that of `portolan clue run`. */
#include "output.h"

#include "law.h"
#include "record.h"

#include <portolan/clue_machine.h>
#include <portolan/clue_run.h>
#include <portolan/progress.h>
#include <portolan/stats.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DEFAULT_STACK = 8 << 20, MOST_STACK = 1 << 30, MOST_RANKS = 1 << 20 };

struct options {
    struct clue_run run;
    struct output output;
    struct clue_laws laws;
    const char *machine, *placement;
    bool is_sharing;
    const char *table;
    const char *measured_into; /* a record, for the run whose medians count */
    size_t n_repeats;
    uint64_t repetition;             /* its number, if it is one; 0: it is none */
    enum { VIRTUAL, ARRIVAL } order; /* of receives */
    const char **argv;               /* all words, and where the program is */
    size_t program_at, n_words;
    struct record record; /* of `table`, or what runs instead of the program */
    const char **private, **shared;
    const char *libraries[4];
};

static unsigned long long read_number(struct argp_state *state, const char *text, const char *what,
                                      unsigned long long most)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

    if (shift)
        end++;
    if (end == text || *end || value > most >> shift)
        argp_error(state, "%s must be a whole number up to %llu, not '%s'", what, most, text);
    return value << shift;
}

/* Into a member of 64 bits; WANTED says what it is. */
static error_t take_number(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    *(uint64_t *)((char *)to + option->offset) =
        read_number(state, arg, option->wanted,
                    option->most > 0 ? (unsigned long long)option->most : UINT64_MAX);
    return 0;
}

static error_t take_compute(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    struct options *o = to;
    int kind = 0;

    (void)option;
    if ((o->run.is_median = strcmp(arg, "median") == 0))
        arg = "measured";
    o->table = strncmp(arg, "table=", 6) == 0 ? arg + 6 : NULL;
    while (kind < 4 && strcmp(o->table ? "table" : arg, clue_compute_names[kind]) != 0)
        kind++;
    o->run.compute = (enum clue_compute_kind)kind;
    if (kind == 4)
        argp_error(state, "unknown way to compute '%s'%s", arg,
                   portolan_did_you_mean(portolan_nearest_word(arg, clue_compute_names, 4)).text);
    if (o->run.compute == CLUE_COMPUTE_TABLE && !o->table)
        argp_error(state, "which record? name it with --compute table=FILE");
    return 0;
}

static error_t take_program(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    struct options *o = to;

    (void)arg, (void)option;
    o->argv = (const char **)state->argv;
    o->n_words = (size_t)state->argc;
    o->program_at = (size_t)state->next - 1;
    o->program_at -= strcmp(o->argv[o->program_at - 1], "--") == 0;
    o->run.program = state->argv + state->next - 1;
    state->next = state->argc;
    return 0;
}

static error_t check_options(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    const struct options *o = to;
    const struct clue_run *run = &o->run;

    (void)arg, (void)option;
    if (!run->program)
        argp_error(state, "which program? name it after the options");
    if ((run->compute == CLUE_COMPUTE_MODEL) != (o->laws.n > 0) && !o->repetition)
        argp_error(state, o->laws.n ? "laws need --compute=model"
                                    : "which laws? name them with --law SITE=FILE.xml");
    if (!o->laws.n && (o->laws.skips || o->laws.n_values))
        argp_error(state, "--set and --skip need --compute=model and a law");
    if (run->is_apart && (run->n_private || run->n_shared || o->laws.skips))
        argp_error(state, "--private, --shared and --skip need all ranks in one process, which "
                          "--apart does not have");
    return 0;
}

static const struct cli_option options[] = {
    {"machine", 'm', "FILE", "the machine file, portolan-machine(5)",
     INTO(struct options, machine)},
    {"ranks", 'n', "N", "number of ranks (default: 1)", INTO(struct options, run.n), .least = 1,
     .most = MOST_RANKS, .wanted = "a number of ranks, at least 1"},
    {"placement", 0, "HOW",
     "by-node, by-slot, or the hosts by rank (default: as the machine file says)",
     INTO(struct options, placement)},
    {"apart", 0, NULL,
     "run each rank as a process: for programs at fixed addresses or with threads, and for real "
     "hosts",
     INTO(struct options, run.is_apart)},
    {"share", 0, NULL, "allow more ranks than processors on a host",
     INTO(struct options, is_sharing)},
    {"compute", 0, "HOW",
     "the time of computing: measured (default), median (of bursts that repeat), table=RECORD (as "
     "in that run), model (from laws), or none",
     .take = take_compute},
    {"record", 0, "FILE",
     "record the run; FILE can then run on other machines in place of the program",
     INTO(struct options, run.record)},
    {"receive", 0, "ORDER",
     "the order in which messages are received: virtual (default) or arrival",
     INTO_CHOICE(struct options, order, "virtual", "arrival")},
    {"repeat", 0, "N",
     "report median and 90 % interval of N repetitions, with machine parameters and seeds "
     "drawn anew",
     INTO(struct options, n_repeats), .most = MOST_RANKS, .wanted = "a number of repetitions"},
    {"repetition", 0, "N", "be the N-th: only --json says something", .is_hidden = true,
     .take = take_number, .offset = offsetof(struct options, repetition), .most = MOST_RANKS,
     .wanted = "a repetition"},
    {"measure-into", 0, "FILE", "only record it", .is_hidden = true,
     INTO(struct options, measured_into)},
    {"seed", 0, "N", "add N to all seeds", .take = take_number,
     .offset = offsetof(struct options, run.settings.seed), .wanted = "a seed"},
    {"private", 0, "LIBRARY",
     "give each rank its own data of this system library, for instance libfftw3.so.3; may be "
     "repeated",
     INTO_LIST(struct options, private, run.n_private)},
    {"shared", 0, "LIBRARY", "let all ranks share the data of this library; may be repeated",
     INTO_LIST(struct options, shared, run.n_shared)},
    {"stack", 0, "SIZE", "stack size of each rank, for instance 64M (default: as ulimit -s)",
     .take = take_number, .offset = offsetof(struct options, run.stack_bytes), .most = MOST_STACK,
     .wanted = "a stack"},
    TABLE_OF(output_options, struct options, output),
    TABLE_OF(law_options, struct options, laws),
    {.key = CLI_WORD, .take = take_program},
    {.key = CLI_END, .take = check_options},
    {0},
};

static size_t default_stack(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return DEFAULT_STACK;
    return limit.rlim_cur < MOST_STACK ? limit.rlim_cur : MOST_STACK;
}

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

/* Without a machine file: as many hosts as ranks, and messages take no time. */
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

/* ------------------------------------------------- repetitions */

/* What repetitions keep meanwhile. */
static const char *repeat_folder;

static void end_early(int signal)
{
    static const char *const files[] = {"measured", "record", "json", "out"};
    int folder = open(repeat_folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(folder, files[i], 0);
    rmdir(repeat_folder);
    raise(signal); /* SA_RESETHAND: it ends the process */
}

static enum portolan_status make_folder(struct portolan_arena *arena, struct portolan_error *err)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    const struct sigaction action = {.sa_handler = end_early,
                                     .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

    if (repeat_folder)
        return PORTOLAN_OK;
    if (!(repeat_folder = portolan_temporary_folder(arena, err)))
        return err->status;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    return PORTOLAN_OK;
}

/* For repetitions a run without a record of its own is recorded too. */
static enum portolan_status begin_repeats(struct options *o, struct portolan_arena *arena,
                                          struct portolan_error *err)
{
    if (o->n_repeats < 2)
        return PORTOLAN_OK;
    if (make_folder(arena, err))
        return err->status;
    if (!o->run.record && !o->run.replay)
        o->run.record = portolan_arena_printf(arena, "%s/record", repeat_folder);
    return PORTOLAN_OK;
}

/* The program itself runs again, as the options say, with times of a record; TABLE: its
 * option, NULL: with times as they are then, or those of the options. */
static enum portolan_status repeat_program(const struct options *o, const char *table, size_t n,
                                           double *ends, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    const struct portolan_words options = {o->program_at - 1, o->argv + 1},
                                program = {o->n_words - o->program_at, o->argv + o->program_at};
    struct portolan_words words = {0};
    enum portolan_status status;

    portolan_words_add(&arena, &words, "/proc/self/exe");
    portolan_words_append(&arena, &words, &options);
    if (table)
        portolan_words_add(&arena, &words, table);
    status = clue_repeat_program(&words, &program, repeat_folder, n, ends, err);
    portolan_arena_clear(&arena);
    return status;
}

/* For medians of what repeats the program runs once before; what it prints then is lost. */
static enum portolan_status measure_first(struct options *o, struct portolan_arena *arena,
                                          struct portolan_error *err)
{
    const struct portolan_words options = {o->program_at - 1, o->argv + 1},
                                program = {o->n_words - o->program_at, o->argv + o->program_at};
    struct portolan_words words = {0};
    const char *file;

    if (make_folder(arena, err))
        return err->status;
    file = portolan_arena_printf(arena, "%s/measured", repeat_folder);
    portolan_words_add(arena, &words, "/proc/self/exe");
    portolan_words_append(arena, &words, &options);
    portolan_words_append(arena, &words,
                          PORTOLAN_WORDS("--compute=measured",
                                         portolan_arena_printf(arena, "--measure-into=%s", file)));
    portolan_words_append(arena, &words, &program);
    portolan_command_run(arena, &words, portolan_arena_printf(arena, "%s/out", repeat_folder),
                         NULL); /* its exit status is the program's */
    if (record_read(file, &o->record, NULL))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' cannot be measured for medians; without --compute=median "
                                  "it says why",
                                  o->run.program[0]);
    o->run.table = &o->record;
    o->run.compute = CLUE_COMPUTE_TABLE;
    return PORTOLAN_OK;
}

/* The program is measured as often again as that takes seconds at most; times are in RUNS then,
 * their number in *N. */
static enum portolan_status measure_again(const struct options *o, double wall_s, double *runs,
                                          size_t *n, struct portolan_error *err)
{
    static const double most_s = 10;
    bool is_measured = o->run.compute == CLUE_COMPUTE_MEASURED || (o->run.is_median && !o->table);
    size_t more = CLUE_MEASURED_RUNS - 1;

    *n = 1;
    if (!is_measured || o->run.replay)
        return PORTOLAN_OK;
    while (more && (double)more * wall_s > most_s)
        more--;
    *n += more;
    return more ? repeat_program(o, NULL, more, runs + 1, err) : PORTOLAN_OK;
}

/* The I-th of N measured times, farther out than it is: between the outermost 90 % of further runs
 * lie then, by the t distribution of their logarithms. A few do not reach so far themselves. */
static double widened(const double *times, size_t n, size_t i)
{
    double middle = 0, squares = 0, own, most = 0, half;

    for (size_t k = 0; k < n; k++)
        middle += log(times[k]) / (double)n;
    own = log(times[i]) - middle;
    for (size_t k = 0; k < n; k++) {
        double far = log(times[k]) - middle;

        squares += far * far;
        if (far * own > 0)
            most = fmax(most, fabs(far));
    }
    if (!(most > 0))
        return times[i];
    half = portolan_student_quantile(0.9, (double)n - 1) *
           sqrt(squares / (double)(n - 1) * (1 + 1 / (double)n));
    return exp(middle + own / most * half);
}

static enum portolan_status repeat(struct options *o, struct clue_report *report,
                                   struct portolan_error *err)
{
    size_t n = o->n_repeats, n_runs = 1, low = (n + 1) / 20 ? (n + 1) / 20 - 1 : 0;
    double *ends = portolan_calloc(n + 1, sizeof *ends);
    struct portolan_arena arena = {0};
    const char *table = portolan_arena_printf(&arena, "--compute=table=%s", o->run.record);
    struct record own = {0};
    const struct record *record = o->run.replay ? o->run.replay : &own;
    enum portolan_status status = ends ? PORTOLAN_OK : portolan_no_memory(err);
    struct clue_run_sums sums;

    clue_engine_run_sums(report->outcome->engine, &sums);
    report->measured_ns[0] = (double)sums.end_ns;
    if (!status)
        status = measure_again(o, report->outcome->wall_s, report->measured_ns, &n_runs, err);
    if (!status && !o->run.replay)
        status = record_read(o->run.record, &own, err);
    if (!status)
        status = record->n_depends ? repeat_program(o, o->table ? NULL : table, n, ends, err)
                                   : clue_repeat(&o->run, o->machine, record, n, ends, err);
    if (!status) {
        double middle = portolan_median_of_sorted(n, ends);

        /* In order: each of the measured runs meets low and high ones. */
        for (size_t i = 0; i < n && middle > 0; i++)
            ends[i] *= widened(report->measured_ns, n_runs, i % n_runs) / middle;
        portolan_sort_numbers(n, ends);
        portolan_sort_numbers(n_runs, report->measured_ns);
        report->n_repeats = (int)n;
        report->n_measured = (int)n_runs;
        report->is_rerun = record->n_depends;
        report->low_ns = ends[low];
        report->median_ns = portolan_median_of_sorted(n, ends);
        report->high_ns = ends[n - 1 - low];
    }
    record_clear(&own);
    portolan_arena_clear(&arena);
    free(ends);
    return status;
}

/* Of a run with a record of what was measured. */
static void find_repeated_share(const struct options *o, struct clue_report *report)
{
    bool is_own = o->run.compute == CLUE_COMPUTE_MEASURED && o->run.record && !o->run.replay;
    struct record own = {0};

    if (is_own && !record_read(o->run.record, &own, NULL))
        report->repeated_share = clue_repeated_share(&o->run, &own);
    else if (o->run.is_median || o->run.replay)
        report->repeated_share = clue_repeated_share(&o->run, &o->record);
    record_clear(&own);
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
    setenv("PORTOLAN_MPI_YIELD", "never", 1); /* Portolan's own programs: who waits takes no core */
    setenv("PORTOLAN_VIRTUAL_MACHINE", o->run.machine->name ? o->run.machine->name : "virtual", 1);
    if (output_begin(&o->output, &o->run, err) || begin_repeats(o, &arena, err))
        return print_error(err);
    status = clue_run(&o->run, &outcome, err);
    if (!status && (o->output.json || !o->output.is_quiet))
        find_repeated_share(o, &report);
    if (status) {
        print_error(err);
    } else if ((o->n_repeats > 1 && repeat(o, &report, err)) ||
               output_write(&o->output, &report, err)) {
        print_error(err);
        outcome.exit_status = EXIT_BAD_INPUT;
    }
    status = outcome.exit_status;
    clue_run_end(&outcome);
    clue_laws_clear(&o->laws);
    output_end(&o->output);
    if (repeat_folder)
        portolan_folder_remove(repeat_folder);
    portolan_arena_clear(&arena);
    return status;
}

/* The record that is given as a table, or in the place of a program. */
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

/* Ranks on hosts of factor 0 are started there. */
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
    static const struct cli_line line = {
        "PROGRAM [ARGUMENT]...\nRECORD",
        "Run an MPI or PVM program here, in the virtual time of another machine.", options, NULL};
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct options o = {.run = {.thread_local_bytes = thread_local_bytes}};
    struct clue_machine_file *file = NULL;
    struct portolan_error err = {0};
    struct portolan_arena arena = {0}; /* to the end of the process */
    int *hosts = NULL;

    portolan_progress_show();
    argp_err_exit_status = EXIT_USAGE;
    o.run.stack_bytes = default_stack();
    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    o.run.settings.takes_arrived = o.order == ARRIVAL;
    if (o.repetition) { /* nothing but its time is asked for */
        o.output = (struct output){.json = o.output.json, .is_quiet = true, .has_no_trial = true};
        o.run.record = NULL;
        o.n_repeats = 0;
        o.run.settings.seed += o.repetition;
    }
    if (o.measured_into) {
        o.output = (struct output){.is_quiet = true, .has_no_trial = true};
        o.run.record = o.measured_into;
        o.n_repeats = 0;
    }
    if (take_record(&o, &err) ||
        (o.run.is_median && !o.run.replay && !o.table && measure_first(&o, &arena, &err)))
        return print_error(&err);
    if (clue_laws_read(&o.laws, &d, &err))
        return d.count ? EXIT_BAD_INPUT : print_error(&err);
    o.run.laws = &o.laws;
    o.run.private = o.private;
    o.run.shared = o.shared;
    if (!o.machine)
        o.run.machine = make_ideal(o.run.n, &hosts);
    else if (clue_machine_read(o.machine, &d, &file, &err))
        return d.count ? EXIT_BAD_INPUT : print_error(&err);
    else if (clue_machine_place(file, o.run.n, o.placement, o.is_sharing, &hosts, &err))
        return print_error(&err);
    else
        o.run.machine = &file->machine;
    if (o.repetition && file && o.table) /* else it is measured again */
        clue_machine_vary(file, o.run.settings.seed);
    o.run.hosts = hosts;
    if (file && file->ignored)
        fprintf(stderr, "portolan: warning: %s\n", file->ignored);
    if (check_real_hosts(&o, &err) || find_libraries(&o, &err))
        return print_error(&err);
    if (!o.run.replay && !o.repetition)
        output_warn_of_unserved(&o.run);
    return run(&o, file, &err);
}
