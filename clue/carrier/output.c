/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run says, printed and written into files. */
#include "output.h"

#include <portolan/progress.h>

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum output_key {
    KEY_STORE = 1024,
    KEY_NO_TRIAL,
    KEY_TRACE,
    KEY_OTF2,
    KEY_CALLS,
    KEY_PICTURE,
    KEY_JSON,
    KEY_QUIET,
    KEY_BESIDE,
    KEY_BY
};
static const struct argp_option rows[] = {
    {NULL, 0, NULL, 0, "Output:", 10},
    {"store", KEY_STORE, "FILE", 0, "the experiment store (default: portolan.db)", 0},
    {"no-trial", KEY_NO_TRIAL, NULL, 0, "store nothing", 0},
    {"trace", KEY_TRACE, "FOLDER", 0, "write a trace, for portolan trace and portolan diagnose", 0},
    {"otf2", KEY_OTF2, "FILE", 0, "write the trace as an OTF2 archive, FILE.otf2", 0},
    {"calls", KEY_CALLS, "FILE", 0, "write one line for each call", 0},
    {"picture", KEY_PICTURE, "FILE", 0,
     "draw the time line of ranks, and the use of hosts and network (SVG)", 0},
    {"by", KEY_BY, "WHAT", 0, "print a table by host, link or message size; may be repeated", 0},
    {"json", KEY_JSON, "FILE", 0, "write the report as JSON; - is standard output", 0},
    {"beside", KEY_BESIDE, NULL, 0, "also run the program in real time, five times, under mpiexec",
     0},
    {"quiet", KEY_QUIET, NULL, 0, "print no report", 0},
    {0},
};

static error_t take(int key, char *arg, struct argp_state *state)
{
    static const char *const parts[] = {"host", "link", "size"};
    struct output *o = state->input;
    size_t part = 0;

    switch (key) {
    case KEY_STORE:
        o->store = arg;
        return 0;
    case KEY_NO_TRIAL:
        o->has_no_trial = true;
        return 0;
    case KEY_TRACE:
        o->traces[0] = arg;
        return 0;
    case KEY_OTF2:
        o->traces[1] = arg;
        if (strlen(arg) < 6 || strcmp(arg + strlen(arg) - 5, ".otf2") != 0)
            argp_error(state, "an archive of OTF2 is called NAME.otf2, not '%s'", arg);
        return 0;
    case KEY_CALLS:
        o->calls = arg;
        return 0;
    case KEY_PICTURE:
        o->picture = arg;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_BESIDE:
        o->is_beside = true;
        return 0;
    case KEY_BY:
        while (part < 3 && strcmp(arg, parts[part]) != 0)
            part++;
        if (part == 3)
            argp_error(state, "--by needs host, link or size, not '%s'%s", arg,
                       portolan_did_you_mean(portolan_nearest_word(arg, parts, 3)).text);
        o->by[part] = true;
        return 0;
    case KEY_QUIET:
        o->is_quiet = true;
        portolan_progress_set_handler(NULL);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp output_argp = {rows, take, NULL, NULL, NULL, NULL, NULL};

/* Before a run that may take long. */
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
    bool keeps_events = o->traces[0] || o->traces[1] || o->calls || o->picture;

    const char *const paths[] = {
        o->json,      o->calls,     o->picture,
        o->traces[0], o->traces[1], o->has_no_trial ? NULL : o->store ? o->store : "portolan.db"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (judge_folder(paths[i], err) != PORTOLAN_OK)
            return err->status;
    if (o->has_no_trial && !keeps_events && !o->is_beside)
        return PORTOLAN_OK;
    o->recorder = clue_recorder_new(run->machine, run->n, run->hosts, keeps_events);
    if (!o->recorder)
        return portolan_no_memory(err);
    run->observer = clue_recorder_observer(o->recorder);
    return PORTOLAN_OK;
}

/* Frees TEXT. */
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
    if (!status && o->picture && !(status = clue_report_picture(report, &text, err)))
        status = put_file(o->picture, &text, err);
    portolan_text_clear(&text);
    for (size_t i = 0; i < 2 && !status; i++)
        if (o->traces[i])
            status = clue_report_trace(report, o->traces[i], err);
    return status;
}

/* To standard error: what the program prints stays as it is elsewhere. */
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
    if (o->is_beside)
        status = output_beside(report, clue_recorder_span_ns(o->recorder), &text, err);
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
