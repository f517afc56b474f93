/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored trials for other tools, and TAU profiles as trials: `export` and `import`. */
#include "trial_words.h"

#include <portolan/export.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- export */

struct export_options {
    struct trial_store_options store;
    const char *output;
    int rank; /* -1: all */
    struct portolan_export_options job;
};

static error_t take_format(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct portolan_text known = {0};
    struct export_options *o = to;

    (void)option;
    o->job.format = portolan_export_find_format(arg);
    if (o->job.format)
        return 0;
    for (const struct portolan_export_format *f = portolan_export_formats(); f->name; f++)
        portolan_text_add(&known, "%s%s", f == portolan_export_formats() ? "" : ", ", f->name);
    argp_error(state, "unknown format '%s'; the formats are: %s", arg,
               known.bytes ? known.bytes : "");
    return EINVAL;
}

static const struct cli_option export_table[] = {
    {"format", 'f', "FORMAT", "the format, see below", .take = take_format, .group = 1},
    {"output", 'o', "FILE|FOLDER",
     "the output; - is standard output, the default for formats with one file",
     INTO(struct export_options, output)},
    {"force", 0, NULL, "replace an existing file or an earlier export",
     INTO(struct export_options, job.force)},
    {"trial", 'n', "TRIAL",
     "the newest of these trials (see portolan trials); same as the second argument",
     INTO(struct export_options, store.trials), .group = 2},
    {"rank", 0, "N", "only this rank", INTO(struct export_options, rank)},
    {"metric", 0, "NAME", "folded, speedscope, extrap: time (default), mpi, calls or a counter",
     INTO(struct export_options, job.metric)},
    {"evented", 0, NULL, "speedscope: single calls in the order of time (needs rows)",
     INTO(struct export_options, job.evented)},
    {.doc = "Input:", .group = 3},
    TABLE_OF(trial_store_table, struct export_options, store),
    TRIAL_WORDS("list of trials", struct export_options, store),
    {.key = CLI_END,
     .doc = "name a format: --format=FORMAT",
     .kind = CLI_TEXT,
     .offset = offsetof(struct export_options, job.format)},
    {0},
};

/* Lists the formats of this build after the options. */
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

static const struct cli_line export_line = {
    .words = "[STORE|ASSEMBLY.xml] [TRIAL]",
    .doc = "Write a stored trial (default: the newest) in a format that other tools read.\v",
    .options = export_table,
    .help_filter = add_formats,
};

/* The default is standard output, or a folder named after the trial. */
static enum portolan_status choose_output(struct export_options *o, char **own,
                                          struct portolan_error *err)
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

static enum portolan_status export_trials(struct export_options *o, const struct trial_store *t,
                                          const struct portolan_trial_list *list,
                                          struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_text missing = {0};
    int64_t *trials = portolan_calloc(list->n, sizeof *trials);
    char *own = NULL, *recorded = NULL;
    enum portolan_status status;

    if (!trials)
        return portolan_no_memory(err);
    if (!list->n) {
        free(trials);
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "no trial to export: store '%s' has none", t->path);
    }
    o->job.n_trials = o->job.format->takes_several ? list->n : 1;
    for (size_t i = 0; i < o->job.n_trials; i++)
        trials[i] = list->trials[list->n - o->job.n_trials + i]->id;
    o->job.store = t->store;
    o->job.trials = trials;
    o->job.rank = o->rank < 0 ? NULL : &o->rank;
    o->job.diagnostics = &d;
    status = choose_output(o, &own, err);
    if (status == PORTOLAN_OK)
        status = portolan_trial_trace(list->trials[list->n - 1], t->path, &recorded, err);
    o->job.recorded = recorded;
    if (status == PORTOLAN_OK)
        status = portolan_export_write(&o->job, err);
    if (status == PORTOLAN_OK && own)
        printf("%s\n", own);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->job.n_trials; i++)
        portolan_export_missing(list->trials[list->n - o->job.n_trials + i], &missing);
    print_lines("warning", &missing);
    free(own);
    free(recorded);
    free(trials);
    return status;
}

int command_export(int argc, char **argv)
{
    struct export_options o = {.rank = -1};
    struct trial_store t = {0};
    struct portolan_trial_list list = {0};
    struct portolan_error err = {0};
    enum portolan_status status;

    parse_line(&export_line, argc, argv, 0, &o);
    status = trial_store_open(&t, &o.store, print_diagnostic, PORTOLAN_STORE_READ, &err);
    if (status == PORTOLAN_OK)
        status = (o.job.format->takes_several ? trial_store_select_alike : trial_store_select)(
            &t, o.store.trials, &list, &err);
    if (o.job.format->takes_several)
        portolan_trials_keep_whole(&list);
    if (status == PORTOLAN_OK)
        status = export_trials(&o, &t, &list, &err);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return close_output(status == PORTOLAN_OK ? 0 : print_error(&err));
}

/* --------------------------------------------------------------------------------------- import */

struct import_options {
    const char *store;
    const char **paths;
    struct portolan_import_options import;
};

static const struct cli_option import_table[] = {
    {"store", 'd', "FILE",
     "the experiment store, created if it does not exist (default: portolan.db)",
     INTO(struct import_options, store)},
    {"name", 'N', "NAME", "name of the trial (default: that of the first folder)",
     INTO(struct import_options, import.name)},
    {.key = CLI_WORD, INTO_LIST(struct import_options, paths, import.n_paths)},
    {.key = CLI_END,
     .doc = "name TAU profiles, or folders of them",
     INTO(struct import_options, import.n_paths)},
    {0},
};

int command_import(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "PATH...",
        .doc =
            "Store TAU profiles (files profile.N.C.T, or folders of them or of MULTI__METRIC) as "
            "one trial.",
        .options = import_table,
    };
    struct import_options o = {.store = "portolan.db"};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_error err = {0};
    enum portolan_status status;
    int64_t id = 0;

    parse_line(&line, argc, argv, 0, &o);
    o.import.paths = o.paths;
    status = portolan_import_tau_at(o.store, &o.import, &id, &d, &err);
    free(o.paths);
    if (status == PORTOLAN_OK)
        printf("trial %" PRId64 "\n", id);
    else if (d.count == 0)
        print_error(&err);
    return close_output(status == PORTOLAN_OK ? 0 : EXIT_BAD_INPUT);
}
