/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_store.h"

#include <portolan/export.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct trial_store_options store;
    const char *output;
    int rank; /* -1: all */
    struct portolan_export_options job;
};

static error_t take_format(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct portolan_text known = {0};
    struct options *o = to;

    (void)option;
    o->job.format = portolan_export_find_format(arg);
    if (o->job.format)
        return 0;
    for (const struct portolan_export_format *f = portolan_export_formats(); f->name; f++)
        portolan_text_add(&known, "%s%s", f == portolan_export_formats() ? "" : ", ", f->name);
    argp_error(state, "there is no format '%s'; there are: %s", arg,
               known.bytes ? known.bytes : "");
    return EINVAL;
}

static error_t check_format(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    const struct options *o = to;

    (void)arg, (void)option;
    if (!o->job.format)
        argp_error(state, "name a format: --format=FORMAT");
    return 0;
}

static const struct cli_option options[] = {
    {"format", 'f', "FORMAT", "what to write (see below)", .take = take_format, .group = 1},
    {"output", 'o', "FILE|FOLDER",
     "where to; - is standard output, the default for formats of one file",
     INTO(struct options, output), .group = 1},
    {"force", 0, NULL, "replace a file or an earlier export that is there",
     INTO(struct options, job.force), .group = 1},
    {"trial", 'n', "TRIAL", "the newest of these (see portolan trials); as second argument",
     INTO(struct options, store.trials), .group = 2},
    {"rank", 0, "N", "this rank alone", INTO(struct options, rank), .group = 2},
    {"metric", 0, "NAME", "folded, speedscope, extrap: time (default), mpi, calls or a counter",
     INTO(struct options, job.metric), .group = 2},
    {"evented", 0, NULL, "speedscope: single calls in the order of time (from rows)",
     INTO(struct options, job.evented), .group = 2},
    {.doc = "Where from:", .group = 3},
    CHILD_OF(trial_store_argp, struct options, store, 3),
    TRIAL_WORDS("list of trials", struct options, store),
    {.key = CLI_END, .take = check_format},
    {0},
};

/* The formats of this build, under the options. */
static char *add_formats(int key, const char *text, void *input)
{
    struct portolan_text t = {0};
    char *list = NULL;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    portolan_text_add(&t, "Formats:\n");
    for (const struct portolan_export_format *f = portolan_export_formats(); f->name; f++)
        portolan_text_add(&t, "  %-12s%s\n", f->name, f->summary);
    return portolan_text_take(&t, &list, NULL) == PORTOLAN_OK ? list : NULL;
}

static const struct cli_line line = {
    .words = "[STORE|ASSEMBLY.xml] [TRIAL]",
    .doc = "Write a stored trial, the newest unless another is named, in a format that others read."
           "\v",
    .options = options,
    .help_filter = add_formats,
};

/* Where nothing else is said: standard output, or a folder named after the trial. */
static enum portolan_status choose_output(struct options *o, char **own, struct portolan_error *err)
{
    const struct portolan_export_format *f = o->job.format;

    o->job.path = o->output && strcmp(o->output, "-") != 0 ? o->output : NULL;
    o->job.stream = stdout;
    if (o->job.path || !f->is_folder)
        return PORTOLAN_OK;
    if (o->output)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "format '%s' is a folder of files: '-o -' is for formats of one "
                                  "file",
                                  f->name);
    *own = portolan_asprintf("trial-%" PRId64 ".%s", o->job.trials[0], f->name);
    o->job.path = *own;
    return *own ? PORTOLAN_OK : portolan_no_memory(err);
}

/* What a file for others cannot say: that not all that was measured is in the store. */
static void warn(const struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (!strcmp(t->metadata[i].name, "steps not stored") ||
            !strcmp(t->metadata[i].name, "rows lost"))
            fprintf(stderr, "portolan: warning: trial %" PRId64 ": %s: %s\n", t->id,
                    t->metadata[i].name, t->metadata[i].value);
    for (size_t i = 0; t->ranks > 1 && i < t->n_parameters; i++) {
        const char *dot = strrchr(t->parameters[i].name, '.');

        if (dot && !strcmp(dot, ".detail") && !strcmp(t->parameters[i].value, "summary"))
            fprintf(stderr,
                    "portolan: warning: trial %" PRId64 " has the samples and rows of rank 0 alone "
                    "(%s=summary); statistics have all %d ranks\n",
                    t->id, t->parameters[i].name, t->ranks);
    }
}

static enum portolan_status export_trials(struct options *o, const struct trial_store *t,
                                          const struct portolan_trial_list *list,
                                          struct portolan_error *err)
{
    int64_t *trials = portolan_calloc(list->n, sizeof *trials);
    char *own = NULL;
    enum portolan_status status;

    if (!trials)
        return portolan_no_memory(err);
    o->job.n_trials = o->job.format->takes_several ? list->n : 1;
    for (size_t i = 0; i < o->job.n_trials; i++)
        trials[i] = list->trials[list->n - o->job.n_trials + i]->id;
    o->job.store = t->store;
    o->job.trials = trials;
    o->job.rank = o->rank < 0 ? NULL : &o->rank;
    status = choose_output(o, &own, err);
    if (status == PORTOLAN_OK)
        status = portolan_export_write(&o->job, err);
    if (status == PORTOLAN_OK && own)
        printf("%s\n", own);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->job.n_trials; i++)
        warn(list->trials[list->n - o->job.n_trials + i]);
    free(own);
    free(trials);
    return status;
}

int command_export(int argc, char **argv)
{
    struct options o = {.rank = -1};
    struct trial_store t = {0};
    struct portolan_trial_list list = {0};
    struct portolan_error err = {0};
    enum portolan_status status;

    parse_line(&line, argc, argv, 0, &o);
    status = trial_store_open(&t, &o.store, PORTOLAN_STORE_READ, &err);
    if (status == PORTOLAN_OK)
        status = trial_store_select(&t, o.store.trials, &list, &err);
    if (status == PORTOLAN_OK)
        status = export_trials(&o, &t, &list, &err);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return close_output(status == PORTOLAN_OK ? 0 : print_error(&err));
}
