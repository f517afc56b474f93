/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/command.h>
#include <portolan/probe.h>
#include <portolan/wrap.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in env(1) and timeout(1): smaller statuses are the program's own. */
enum { EXIT_OF_WRAP = 125 };

struct wrap_options {
    struct portolan_wrap_options wrap;
    struct portolan_arena arena; /* of words made here */
    const char **functions, **libraries, **flags;
    const char *report;
    bool quiet, verbose;
};

/* Adds a flag for the compiler: the option's letter, if it has one, and its argument. */
static error_t take_flag(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct wrap_options *o = to;
    char *flag = option->key ? portolan_arena_printf(&o->arena, "-%c%s", option->key, arg) : arg;

    (void)state;
    return flag ? append_text(&o->flags, &o->wrap.n_flags, flag) : ENOMEM;
}

static error_t take_sampling(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    struct wrap_options *o = to;
    int64_t n = 0;

    (void)option;
    if (!portolan_read_int64(arg, &n) || n < 1 || n > PORTOLAN_PROBE_SAMPLING_MAX)
        argp_error(state, "--sample needs a number of calls from 1 to %u, not '%s'",
                   PORTOLAN_PROBE_SAMPLING_MAX, arg);
    o->wrap.one_in = (uint32_t)n;
    return 0;
}

/* Takes the program; all words after it are the program's arguments. */
static error_t take_program(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    struct wrap_options *o = to;

    (void)arg, (void)option;
    o->wrap.program = &state->argv[state->next - 1];
    state->next = state->argc;
    return 0;
}

static error_t check_given(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    const struct wrap_options *o = to;

    (void)arg, (void)option;
    if (o->wrap.one_in > 1 && o->wrap.profile)
        argp_error(state, "--sample is for stored measurements: TAU profiles have all calls");
    if (o->wrap.rotate_s > 0 && o->wrap.n_libraries < 2)
        argp_error(state, "--rotate needs at least two libraries");
    return 0;
}

static const struct cli_option options[] = {
    {"functions", 'f', "GLOB,...", "measure these functions; '!GLOB' excludes; may be repeated",
     INTO_LIST(struct wrap_options, functions, wrap.n_functions), .has_commas = true},
    {"header", 'H', "FILE", "the C header that declares them",
     INTO(struct wrap_options, wrap.header)},
    {"lib", 'l', "[NAME=]FILE",
     "use this library, beginning with the first one; 'own' is the program's own (default); may be "
     "repeated",
     INTO_LIST(struct wrap_options, libraries, wrap.n_libraries)},
    {"port", 't', "TYPE", "name of the port type (default: the header's)",
     INTO(struct wrap_options, wrap.port)},
    {"context", 'c', "FILE", "lines 'function: argument, argument' that name the contexts",
     INTO(struct wrap_options, wrap.context)},
    {"include", 'I', "DIR", "search DIR for headers; may be repeated", .take = take_flag},
    {"define", 'D', "NAME[=TEXT]", "define a macro for the header; may be repeated",
     .take = take_flag},
    {"flag", 0, "FLAG", "another compiler flag for the header; may be repeated", .take = take_flag},
    {"compile-commands", 0, "FILE", "take the header's flags from this compile_commands.json",
     INTO(struct wrap_options, wrap.compile_commands)},
    {"from", 0, "GLOB", "use only functions of headers whose paths match",
     INTO(struct wrap_options, wrap.from)},
    {"store", 's', "FILE", "the experiment store (default: portolan.db)",
     INTO(struct wrap_options, wrap.store)},
    {"trial", 'n', "NAME", "name of the trial (default: that of the program)",
     INTO(struct wrap_options, wrap.trial)},
    {"profile", 0, NULL, "store nothing; write TAU profiles at exit",
     INTO(struct wrap_options, wrap.profile)},
    {"counters", 0, "EVENTS", "count these PAPI events in each call",
     INTO(struct wrap_options, wrap.counters)},
    {"sample", 0, "N", "time one call in N, count all; not with --profile", .take = take_sampling},
    {"interval", 0, "SECONDS",
     "time between stored steps (default: 1, then longer; 0: store only at the end)",
     INTO(struct wrap_options, wrap.interval_s), .most = 1e9, .wanted = "seconds"},
    {"rotate", 0, "SECONDS", "use each library in turn, for this time",
     INTO(struct wrap_options, wrap.rotate_s), .most = 1e9, .wanted = "seconds"},
    {"control", 0, "FILE", "execute the commands in FILE whenever it is written",
     INTO(struct wrap_options, wrap.control)},
    {"signal", 0, "NAME[:COMMAND],...", "signals to the program that execute commands",
     INTO(struct wrap_options, wrap.signals)},
    {"children", 0, NULL, "also measure the programs that the program starts",
     INTO(struct wrap_options, wrap.children)},
    {"report", 0, "FILE", "write the final report to FILE instead of standard error",
     INTO(struct wrap_options, report)},
    {"quiet", 'q', NULL, "print only problems at the end", INTO(struct wrap_options, quiet)},
    {"verbose", 'v', NULL,
     "print at the start which functions are measured, which are not, and why",
     INTO(struct wrap_options, verbose)},
    {"cc", 0, "COMMAND", "C compiler (default: $CC, or the one Portolan was built with)",
     INTO(struct wrap_options, wrap.compiler)},
    {"keep", 0, "DIR", "keep generated files in DIR (default: a cache)",
     INTO(struct wrap_options, wrap.keep)},
    {.key = CLI_WORD, .take = take_program},
    {.key = CLI_END,
     .doc = "which functions? name them, as in: portolan wrap --functions 'cblas_*' -- PROGRAM",
     INTO(struct wrap_options, wrap.n_functions)},
    {.key = CLI_END,
     .doc = "which header declares them? name it with --header FILE",
     INTO(struct wrap_options, wrap.header)},
    {.key = CLI_END,
     .doc = "which program? name it after --",
     .kind = CLI_TEXT,
     .offset = offsetof(struct wrap_options, wrap.program)},
    {.key = CLI_END, .take = check_given},
    {0},
};

/* Notices do not go to standard output, which belongs to the program. */
static void print_notice(void *arg, enum portolan_log_level level, const char *area,
                         const char *text)
{
    const struct wrap_options *o = arg;

    (void)area;
    if (level == PORTOLAN_LOG_INFO && o->verbose)
        fprintf(stderr, "%s\n", text);
    else if (level == PORTOLAN_LOG_WARNING || (level == PORTOLAN_LOG_NOTICE && !o->quiet))
        fprintf(stderr, "portolan: %s\n", text);
}

static void print_report(const struct wrap_options *o, const char *report)
{
    struct portolan_error err = {0};

    if (o->quiet && !strstr(report, "warning") && !strstr(report, "error: "))
        report = "";
    if (o->report && portolan_replace_file(o->report, report, strlen(report), &err) != PORTOLAN_OK)
        print_error(&err);
    if (!o->report || err.status != PORTOLAN_OK)
        fputs(report, stderr);
}

static int run(struct wrap_options *o)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_wrap_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status = portolan_settings_find("wrap.conf", PORTOLAN_WRAP_SETTINGS,
                                                         (char **)&o->wrap.settings, &err);
    int code = EXIT_OF_WRAP;

    if (status == PORTOLAN_OK) {
        status = portolan_wrap_run(&o->wrap, &result, &d, &err);
        code = result.status;
    }
    if (result.report)
        print_report(o, result.report);
    if (status != PORTOLAN_OK) {
        portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
        print_error(&err);
    }
    portolan_wrap_result_clear(&result);
    free((char *)o->wrap.settings);
    return code;
}

/* NULL if the variable is not set, or empty. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

int command_wrap(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "-- PROGRAM [ARGUMENT]...",
        .doc = "Measure the functions of a header in an unmodified program, and exchange the "
               "library that provides them.",
        .options = options,
    };
    struct wrap_options o = {.wrap = {.interval_s = -1}};
    int code;

    argp_err_exit_status = EXIT_OF_WRAP;
    o.wrap.compiler = environment("CC");
    o.wrap.control = environment("PORTOLAN_CONTROL");
    o.wrap.signals = environment("PORTOLAN_SIGNAL");
    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    portolan_log_set_handler(print_notice, &o);
    o.wrap.functions = o.functions;
    o.wrap.libraries = o.libraries;
    o.wrap.flags = o.flags;
    code = run(&o);
    free(o.functions);
    free(o.libraries);
    free(o.flags);
    portolan_arena_clear(&o.arena);
    return code;
}
