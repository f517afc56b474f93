/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/command.h>
#include <portolan/hercule_experiments.h>
#include <portolan/trace.h>

#include <stdio.h>
#include <string.h>

struct trace_options {
    const char *file, *output, *window;
    char **program;
    int rank, n_ranks;
    bool summary;
};

static error_t take_word(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct trace_options *o = to;

    (void)option;
    if (state->quoted && state->next > state->quoted) { /* after -- */
        o->program = &state->argv[state->next - 1];
        state->next = state->argc;
    } else if (o->file) {
        argp_error(state, "one trace at a time, but '%s' was also given", arg);
    } else {
        o->file = arg;
    }
    return 0;
}

static error_t check_words(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    const struct trace_options *o = to;

    (void)arg, (void)option;
    if (!o->file == !o->program)
        argp_error(state, o->file ? "either a trace, or a program after --"
                                  : "which trace, or, after --, which program?");
    if (o->program && !o->output)
        argp_error(state, "which folder for the trace? name it with --output DIR");
    if (!o->program && (o->window || o->n_ranks))
        argp_error(state, "--window and --ranks need a program after --");
    return 0;
}

static const struct cli_option options[] = {
    {"summary", 's', NULL, "print only counts, times and bytes by kind and routine",
     INTO(struct trace_options, summary)},
    {"rank", 'r', "RANK", "print only events of this rank", INTO(struct trace_options, rank)},
    {"output", 'o', "DIR",
     "write streams to DIR: of the trace (or DIR/NAME.otf2), or of the program after --",
     INTO(struct trace_options, output)},
    {"ranks", 'n', "N", "start the program on N ranks with mpiexec",
     INTO(struct trace_options, n_ranks)},
    {"window", 'w', "WORDS",
     "record only these ranks, steps and regions: 'ranks=0-3 steps=20-39 regions=solve'",
     INTO(struct trace_options, window)},
    {.key = CLI_WORD, .take = take_word},
    {.key = CLI_END, .take = check_words},
    {0},
};

/* The program's exit status, or that of a failure. */
static int record(const struct trace_options *o)
{
    struct portolan_recording recording = {.n_ranks = o->n_ranks,
                                           .mpiexec = MPIEXEC,
                                           .program = o->program,
                                           .folder = o->output,
                                           .window = o->window};
    struct portolan_error err = {0};
    char *library = NULL;
    enum portolan_status status = portolan_settings_find(RECORDER_LIBRARY, &library, &err);
    int result = 0;

    recording.library = library;
    if (!status)
        status = portolan_record_program(&recording, &result, &err);
    free(library);
    if (status)
        return print_error(&err);
    if (portolan_record_is_empty(o->output))
        fprintf(stderr,
                "portolan: warning: nothing was recorded%s: '%s' " PORTOLAN_RECORDS_NOTHING "\n",
                o->window ? " in the window" : "", o->program[0]);
    return result;
}

/* -- a trace is shown -- */

static void print_events(const struct trace_options *o, const struct portolan_trace *trace)
{
    struct portolan_text text = {0};

    portolan_trace_print_tables(trace, &text);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct portolan_trace_location *at = &trace->locations[l];

        if (o->rank >= 0 && o->rank != at->rank)
            continue;
        for (size_t i = at->first; i < at->first + at->n; i++) {
            portolan_trace_print_event(trace, at, &trace->events[i], &text);
            if (text.length > 1 << 16) {
                fwrite(text.bytes, 1, text.length, stdout);
                text.length = 0;
            }
        }
    }
    if (text.bytes)
        fwrite(text.bytes, 1, text.length, stdout);
    portolan_text_clear(&text);
}

static enum portolan_status show_trace(const struct trace_options *o,
                                       const struct portolan_trace *trace,
                                       struct portolan_error *err)
{
    struct portolan_text text = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (o->output && strlen(o->output) > 5 && !strcmp(strrchr(o->output, 0) - 5, ".otf2"))
        return portolan_trace_write_otf2(trace, o->output, NULL, err);
    if (o->output)
        return portolan_trace_write(trace, o->output, err);
    if (!o->summary) {
        print_events(o, trace);
        return PORTOLAN_OK;
    }
    portolan_trace_print_tables(trace, &text);
    status = portolan_trace_print_summary(trace, &text, err);
    if (!status && text.bytes)
        fputs(text.bytes, stdout);
    portolan_text_clear(&text);
    return status;
}

int command_trace(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "TRACE\n-o DIR [-n N] -- PROGRAM [ARGUMENT]...",
        .doc = "Show a trace (a folder of Portolan's streams, or an OTF2 archive) as text, or "
               "record a trace of an unmodified program.",
        .options = options,
    };
    struct trace_options o = {.rank = -1};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_trace *trace = NULL;
    struct portolan_error err = {0};
    enum portolan_status status;

    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    if (o.program)
        return record(&o);
    status = portolan_trace_read(o.file, &d, &trace, &err);
    if (!status)
        status = show_trace(&o, trace, &err);
    portolan_trace_destroy(trace);
    return status ? print_error(&err) : 0;
}
