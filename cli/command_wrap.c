/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/probe.h>
#include <portolan/wrap.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As env(1) and timeout(1): what is less is the program's own. */
enum { EXIT_OF_WRAP = 125 };

struct wrap_options {
    struct portolan_wrap_options wrap;
    struct portolan_arena arena; /* of words made here */
    const char **functions, **libraries, **flags;
    const char *report;
    bool quiet, verbose;
};

enum {
    KEY_CC = 256,
    KEY_KEEP,
    KEY_PROFILE,
    KEY_ROTATE,
    KEY_INTERVAL,
    KEY_CONTROL,
    KEY_SIGNAL,
    KEY_CHILDREN,
    KEY_REPORT,
    KEY_SAMPLE,
    KEY_COUNTERS,
    KEY_FLAG,
    KEY_FROM,
    KEY_COMPILE_COMMANDS,
};

static const struct argp_option options[] = {
    {"functions", 'f', "GLOB,...", 0, "take these functions; '!GLOB' leaves out; repeatable", 0},
    {"header", 'H', "FILE", 0, "the C header that declares them", 0},
    {"lib", 'l', "[NAME=]FILE", 0,
     "call this library; the first at first; 'own' is the program's (default); repeatable", 0},
    {"port", 't', "TYPE", 0, "name of the port type (default: the header's)", 0},
    {"context", 'c', "FILE", 0, "lines 'function: argument, argument' that name the contexts", 0},
    {"include", 'I', "DIR", 0, "search headers there; repeatable", 0},
    {"define", 'D', "NAME[=TEXT]", 0, "macro for the header; repeatable", 0},
    {"flag", KEY_FLAG, "FLAG", 0, "any other compiler flag for the header; repeatable", 0},
    {"compile-commands", KEY_COMPILE_COMMANDS, "FILE", 0,
     "take the header's flags from this compile_commands.json", 0},
    {"from", KEY_FROM, "GLOB", 0, "functions of headers with such paths count, no others", 0},
    {"store", 's', "FILE", 0, "the experiment store (default: portolan.db)", 0},
    {"trial", 'n', "NAME", 0, "name of what is run (default: the program's)", 0},
    {"profile", KEY_PROFILE, NULL, 0, "store nothing: leave TAU profiles at exit", 0},
    {"counters", KEY_COUNTERS, "EVENTS", 0, "count these PAPI events in each call", 0},
    {"sample", KEY_SAMPLE, "N", 0, "time one call in N, count all; not with --profile", 0},
    {"interval", KEY_INTERVAL, "SECONDS", 0,
     "store a step as often (default: each second, then less; 0: at the end only)", 0},
    {"rotate", KEY_ROTATE, "SECONDS", 0, "the libraries take turns of this length", 0},
    {"control", KEY_CONTROL, "FILE", 0, "obey commands in this file whenever it changes", 0},
    {"signal", KEY_SIGNAL, "NAME[:COMMAND],...", 0, "signals to the program that are commands", 0},
    {"children", KEY_CHILDREN, NULL, 0, "measure what the program starts, too", 0},
    {"report", KEY_REPORT, "FILE", 0, "write what is said at the end there, not to stderr", 0},
    {"quiet", 'q', NULL, 0, "say at the end only what went wrong", 0},
    {"verbose", 'v', NULL, 0, "say at the begin which functions are taken, which are not, and why",
     0},
    {"cc", KEY_CC, "COMMAND", 0, "C compiler (default: $CC, or the one Portolan was built with)",
     0},
    {"keep", KEY_KEEP, "DIR", 0, "keep what is generated there (default: a cache)", 0},
    {0},
};

static error_t add_flag(struct wrap_options *o, const char *head, const char *text)
{
    char *flag = portolan_arena_printf(&o->arena, "%s%s", head, text);

    return flag ? append_text(&o->flags, &o->wrap.n_flags, flag) : ENOMEM;
}

static double read_seconds(const char *option, const char *text, struct argp_state *state)
{
    double value = 0;

    if (!portolan_read_double(text, &value) || !(value >= 0 && value <= 1e9))
        argp_error(state, "--%s wants seconds, not '%s'", option, text);
    return value;
}

/* The program, and all words behind it are its own. */
static error_t take_program(struct wrap_options *o, struct argp_state *state)
{
    o->wrap.program = &state->argv[state->next - 1];
    state->next = state->argc;
    return 0;
}

static void check_given(const struct wrap_options *o, struct argp_state *state)
{
    if (!o->wrap.n_functions)
        argp_error(state, "which functions? name them with --functions 'GLOB'");
    if (!o->wrap.header)
        argp_error(state, "which header declares them? name it with --header FILE");
    if (!o->wrap.program)
        argp_error(state, "which program? name it behind --");
    if (o->wrap.one_in > 1 && o->wrap.profile)
        argp_error(state, "--sample is for what is stored: TAU profiles have all calls");
    if (o->wrap.rotate_s > 0 && o->wrap.n_libraries < 2)
        argp_error(state, "--rotate wants two libraries at least");
}

static uint32_t read_sampling(const char *text, struct argp_state *state)
{
    int64_t n = 0;

    if (!portolan_read_int64(text, &n) || n < 1 || n > PORTOLAN_PROBE_SAMPLING_MAX)
        argp_error(state, "--sample wants a number of calls from 1 to %u, not '%s'",
                   PORTOLAN_PROBE_SAMPLING_MAX, text);
    return (uint32_t)n;
}

/* Options whose text is taken as it is. */
static const struct {
    int key;
    size_t offset; /* in struct wrap_options */
} texts[] = {
    {'H', offsetof(struct wrap_options, wrap.header)},
    {'t', offsetof(struct wrap_options, wrap.port)},
    {'c', offsetof(struct wrap_options, wrap.context)},
    {'s', offsetof(struct wrap_options, wrap.store)},
    {'n', offsetof(struct wrap_options, wrap.trial)},
    {KEY_CC, offsetof(struct wrap_options, wrap.compiler)},
    {KEY_KEEP, offsetof(struct wrap_options, wrap.keep)},
    {KEY_COUNTERS, offsetof(struct wrap_options, wrap.counters)},
    {KEY_CONTROL, offsetof(struct wrap_options, wrap.control)},
    {KEY_SIGNAL, offsetof(struct wrap_options, wrap.signals)},
    {KEY_REPORT, offsetof(struct wrap_options, report)},
    {KEY_FROM, offsetof(struct wrap_options, wrap.from)},
    {KEY_COMPILE_COMMANDS, offsetof(struct wrap_options, wrap.compile_commands)},
};

static error_t take_text(struct wrap_options *o, int key, const char *arg)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].key == key) {
            *(const char **)((char *)o + texts[i].offset) = arg;
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct wrap_options *o = state->input;

    switch (key) {
    case 'f':
        return append_list(&o->functions, &o->wrap.n_functions, arg);
    case 'l':
        return append_text(&o->libraries, &o->wrap.n_libraries, arg);
    case 'I':
        return add_flag(o, "-I", arg);
    case 'D':
        return add_flag(o, "-D", arg);
    case KEY_FLAG:
        return add_flag(o, "", arg);
    case 'q':
        o->quiet = true;
        return 0;
    case 'v':
        o->verbose = true;
        return 0;
    case KEY_PROFILE:
        o->wrap.profile = true;
        return 0;
    case KEY_CHILDREN:
        o->wrap.children = true;
        return 0;
    case KEY_SAMPLE:
        o->wrap.one_in = read_sampling(arg, state);
        return 0;
    case KEY_ROTATE:
        o->wrap.rotate_s = read_seconds("rotate", arg, state);
        return 0;
    case KEY_INTERVAL:
        o->wrap.interval_s = read_seconds("interval", arg, state);
        return 0;
    case ARGP_KEY_ARG:
        return take_program(o, state);
    case ARGP_KEY_END:
        check_given(o, state);
        return 0;
    default:
        return take_text(o, key, arg);
    }
}

/* Standard output is the program's. */
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

static void tell(const struct wrap_options *o, const char *report)
{
    FILE *to = o->report ? fopen(o->report, "we") : stderr;

    if (!to) {
        fprintf(stderr, "portolan: error: cannot write '%s': %s\n", o->report, strerror(errno));
        to = stderr;
    }
    if (!o->quiet || strstr(report, "warning") || strstr(report, "error: "))
        fputs(report, to);
    if (to != stderr && fclose(to) != 0) {
        fprintf(stderr, "portolan: error: cannot write '%s': %s\n", o->report, strerror(errno));
        fputs(report, stderr);
    }
}

static int run(struct wrap_options *o)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_wrap_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status =
        find_settings("wrap.conf", PORTOLAN_WRAP_SETTINGS, (char **)&o->wrap.settings, &err);
    int code = EXIT_OF_WRAP;

    if (status == PORTOLAN_OK) {
        status = portolan_wrap_run(&o->wrap, &result, &d, &err);
        code = result.status;
    }
    if (result.report)
        tell(o, result.report);
    if (status != PORTOLAN_OK) {
        portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
        print_error(&err);
    }
    portolan_wrap_result_clear(&result);
    free((char *)o->wrap.settings);
    return code;
}

/* NULL for what is not set, or empty. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

int command_wrap(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "-- PROGRAM [ARGUMENT]...",
        .doc = "Measure the functions of a header in a program that knows nothing of Portolan, and "
               "exchange the library that they come from.",
    };
    struct wrap_options o = {.wrap = {.interval_s = -1}};
    int code;

    argp_err_exit_status = EXIT_OF_WRAP;
    o.wrap.compiler = environment("CC");
    o.wrap.control = environment("PORTOLAN_CONTROL");
    o.wrap.signals = environment("PORTOLAN_SIGNAL");
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
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
