/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of portolan-clue, which is that of `portolan clue run`. */
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { DEFAULT_STACK = 8 << 20, MOST_STACK = 1 << 30, MOST_RANKS = 1 << 20 };

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

/* Parses a number into a member of 64 bits; WANTED describes it in errors. */
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

/* Makes a repetition print only its time, and a run that is measured into a record nothing. */
static void silence(struct options *o)
{
    if (o->repetition) {
        o->output = (struct output){.json = o->output.json, .is_quiet = true, .has_no_trial = true};
        o->run.record = NULL;
        o->n_repeats = 0;
        o->run.settings.seed += o->repetition;
    }
    if (o->measured_into) {
        o->output = (struct output){.is_quiet = true, .has_no_trial = true};
        o->run.record = o->measured_into;
        o->n_repeats = 0;
    }
}

void options_parse(struct options *o, int argc, char **argv)
{
    static const struct cli_line line = {
        "PROGRAM [ARGUMENT]...\nRECORD",
        "Run an MPI or PVM program here, in the virtual time of another machine.", options, NULL};

    argp_err_exit_status = EXIT_USAGE;
    o->run.stack_bytes = default_stack();
    parse_line(&line, argc, argv, ARGP_IN_ORDER, o);
    o->run.settings.takes_arrived = o->order == ARRIVAL;
    o->run.laws = &o->laws;
    o->run.private = o->private;
    o->run.shared = o->shared;
    silence(o);
}
