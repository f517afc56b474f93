/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the results of a run and writes them into files. */
#include "output.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static error_t check_archive(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    (void)to, (void)option;
    if (strlen(arg) < 6 || strcmp(arg + strlen(arg) - 5, ".otf2") != 0)
        argp_error(state, "an archive of OTF2 is called NAME.otf2, not '%s'", arg);
    return 0;
}

static error_t take_part(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    static const char *const parts[] = {"host", "link", "size"};
    size_t part = 0;

    (void)option;
    while (part < 3 && strcmp(arg, parts[part]) != 0)
        part++;
    if (part == 3)
        argp_error(state, "--by needs host, link or size, not '%s'%s", arg,
                   portolan_did_you_mean(portolan_nearest_word(arg, parts, 3)).text);
    ((struct output *)to)->by[part] = true;
    return 0;
}

const struct cli_option output_options[] = {
    {.doc = "Output:", .group = 10},
    {"store", 0, "FILE", "the experiment store (default: portolan.db)", INTO(struct output, store)},
    {"no-trial", 0, NULL, "store nothing", INTO(struct output, has_no_trial)},
    {"trace", 0, "FOLDER", "write a trace, for portolan trace and portolan diagnose",
     INTO(struct output, traces[0])},
    {"otf2", 0, "FILE", "write the trace as an OTF2 archive, FILE.otf2",
     INTO(struct output, traces[1]), .take = check_archive},
    {"calls", 0, "FILE", "write one line for each call", INTO(struct output, calls)},
    {"by", 0, "WHAT", "print a table by host, link or message size; may be repeated",
     .take = take_part},
    {"json", 0, "FILE", "write the report as JSON; - is standard output",
     INTO(struct output, json)},
    {"compare-real", 0, NULL,
     "also run the program in real time, five times, under mpiexec, and compare the times",
     INTO(struct output, compares_real)},
    {"quiet", 0, NULL, "print no report", INTO(struct output, is_quiet)},
    {0},
};

/* Checks a folder before the run, which may take long. */
static enum portolan_status judge_folder(const char *path, struct portolan_error *err)
{
    char folder[PATH_MAX];

    if (!path || strcmp(path, "-") == 0)
        return PORTOLAN_OK;
    snprintf(folder, sizeof folder, "%s", path);
    if (access(dirname(folder), W_OK | X_OK) == 0)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path, strerror(errno));
}

enum portolan_status output_begin(struct output *o, struct clue_run *run,
                                  struct portolan_error *err)
{
    bool keeps_events = o->traces[0] || o->traces[1] || o->calls;

    const char *const paths[] = {o->json, o->calls, o->traces[0], o->traces[1],
                                 o->has_no_trial ? NULL
                                 : o->store      ? o->store
                                                 : "portolan.db"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (judge_folder(paths[i], err) != PORTOLAN_OK)
            return err->status;
    if (o->has_no_trial && !keeps_events && !o->compares_real)
        return PORTOLAN_OK;
    o->recorder = clue_recorder_new(run->machine, run->n, run->hosts, keeps_events);
    if (!o->recorder)
        return portolan_no_memory(err);
    run->observer = clue_recorder_observer(o->recorder);
    return PORTOLAN_OK;
}

/* Writes TEXT and frees it. */
static enum portolan_status put_file(const char *path, struct portolan_text *text,
                                     struct portolan_error *err)
{
    enum portolan_status status = text->failed ? portolan_no_memory(err) : PORTOLAN_OK;

    if (!status && strcmp(path, "-") == 0)
        status = fputs(text->bytes, stdout) < 0 || fflush(stdout) != 0
                     ? portolan_error_set(err, PORTOLAN_EIO, "cannot write the report: %s",
                                          strerror(errno))
                     : PORTOLAN_OK;
    else if (!status)
        status = portolan_replace_file(path, text->bytes, text->length, err);
    portolan_text_clear(text);
    return status;
}

static enum portolan_status write_texts(const struct output *o, const struct clue_report *report,
                                        struct portolan_error *err)
{
    struct portolan_text text = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (o->json) {
        clue_report_json(report, &text);
        status = put_file(o->json, &text, err);
    }
    if (!status && o->calls && !(status = clue_report_calls(report, &text, err)))
        status = put_file(o->calls, &text, err);
    portolan_text_clear(&text);
    for (size_t i = 0; i < 2 && !status; i++)
        if (o->traces[i])
            status = clue_report_trace(report, o->traces[i], err);
    return status;
}

/* Prints to standard error, so that the program's own output is unchanged. */
static enum portolan_status print(const struct output *o, const struct clue_report *report,
                                  int64_t trial, const char *store, struct portolan_error *err)
{
    struct portolan_text text = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (!o->is_quiet)
        clue_report_text(report, &text);
    for (int part = 0; part < 3; part++)
        if (o->by[part])
            clue_report_by(report, (enum clue_report_part)part, &text);
    if (o->compares_real)
        status = output_compare_real(report, clue_recorder_span_ns(o->recorder), &text, err);
    if (!o->is_quiet)
        clue_report_took(report, trial, store, &text);
    if (text.bytes)
        fputs(text.bytes, stderr);
    portolan_text_clear(&text);
    return status;
}

enum portolan_status output_write(struct output *o, struct clue_report *report,
                                  struct portolan_error *err)
{
    const char *store = o->store ? o->store : "portolan.db";
    enum portolan_status status;
    int64_t trial = 0;
    char *trace;

    fflush(stdout);
    report->recorder = o->recorder;
    status = write_texts(o, report, err);
    report->trace = trace = o->traces[0] && !status ? realpath(o->traces[0], NULL) : NULL;
    if (!status && !o->has_no_trial)
        status = clue_report_store(report, store, &trial, err);
    free(trace);
    report->trace = NULL;
    return status ? status : print(o, report, trial, store, err);
}

void output_end(struct output *o)
{
    clue_recorder_free(o->recorder);
}
