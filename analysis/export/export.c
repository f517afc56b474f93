/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats, and one export. */
#include "internal.h"

#include <inttypes.h>
#include <string.h>

static const struct portolan_export_format formats[] = {
    {.name = "tau", .summary = "TAU profiles, for pprof, ParaProf, Hatchet", .is_folder = true},
    {.name = "csv", .summary = "a flat table"},
    {.name = "callgrind", .summary = "for callgrind_annotate and KCachegrind"},
    {.name = "folded", .summary = "a line per call path, for flame graphs", .takes_metric = true},
    {.name = "speedscope", .summary = "for speedscope", .takes_metric = true},
    {.name = "chrome", .summary = "Chrome's trace events, for Perfetto (from rows)"},
    {.name = "extrap",
     .summary = "Extra-P's JSON, of several trials",
     .takes_metric = true,
     .takes_several = true},
#ifdef PORTOLAN_OTF2
    {.name = "otf2", .summary = "an OTF2 archive, for Vampir (from rows)", .is_folder = true},
#endif
    {0},
};

/* In the order of formats[]. */
static const struct {
    enum portolan_status (*write)(struct job *job, struct portolan_error *err);
    bool (*is_ours)(const char *name); /* of a folder */
} writers[] = {
    {write_tau, is_tau_file},   {write_csv, NULL},    {write_callgrind, NULL}, {write_folded, NULL},
    {write_speedscope, NULL},   {write_chrome, NULL}, {write_extrap, NULL},
#ifdef PORTOLAN_OTF2
    {write_otf2, is_otf2_file},
#endif
};
_Static_assert(sizeof writers / sizeof *writers + 1 == sizeof formats / sizeof *formats,
               "each format has a writer");

const struct portolan_export_format *portolan_export_formats(void)
{
    return formats;
}

const struct portolan_export_format *portolan_export_find_format(const char *name)
{
    for (const struct portolan_export_format *f = formats; f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

/* ------------------------------------------------- one export */

static enum portolan_status check_options(const struct portolan_export_options *o,
                                          struct portolan_error *err)
{
    const struct portolan_export_format *f = o->format;

    if (o->n_trials == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL, "no trial to export");
    if (o->n_trials > 1 && !f->takes_several)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "format '%s' takes one trial, but %zu were named", f->name,
                                  o->n_trials);
    if (o->metric && !f->takes_metric)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "format '%s' takes no metric: all are in it", f->name);
    if (o->evented && strcmp(f->name, "speedscope") != 0)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "--evented is only for format 'speedscope', not for '%s'",
                                  f->name);
    if (o->evented && o->metric)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "--evented cannot be combined with --metric: the profile is one of time");
    if (!o->path && (f->is_folder || !o->stream))
        return portolan_error_set(err, PORTOLAN_EINVAL, "format '%s' is a folder of files; name it",
                                  f->name);
    return PORTOLAN_OK;
}

static enum portolan_status find_trial(struct job *job, struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = job->id};
    const int *rank = job->options->rank;
    enum portolan_status status = portolan_store_read(job->store, &query, false, &job->set, err);

    if (status != PORTOLAN_OK)
        return status;
    if (job->set->n_trials == 0)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %" PRId64, job->id);
    job->trial = &job->set->trials[0];
    if (rank && (*rank < 0 || *rank >= job->trial->ranks))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "trial %" PRId64 " has no rank %d, its ranks are 0 to %d",
                                  job->id, *rank, job->trial->ranks - 1);
    job->first_rank = rank ? *rank : 0;
    job->n_ranks = rank ? 1 : job->trial->ranks;
    return PORTOLAN_OK;
}

/* Opens the output of the job, writes it and closes it. */
static enum portolan_status write_job(struct job *job, struct portolan_error *err)
{
    const struct portolan_export_options *o = job->options;
    bool (*is_ours)(const char *) = writers[o->format - formats].is_ours;
    enum portolan_status status = PORTOLAN_OK;

    job->sink.f = o->stream;
    if (is_ours)
        status = folder_open(&job->folder, o->path, o->force, is_ours, err);
    else if (o->path)
        status = sink_open(&job->sink, o->path, o->force, err);
    if (status != PORTOLAN_OK)
        return status;
    status = writers[o->format - formats].write(job, err);
    return is_ours ? folder_close(&job->folder, status, err) : sink_close(&job->sink, status, err);
}

enum portolan_status portolan_export_write(const struct portolan_export_options *o,
                                           struct portolan_error *err)
{
    struct job job = {.options = o};
    enum portolan_status status = check_options(o, err);

    if (status != PORTOLAN_OK)
        return status;
    job.store = o->store;
    job.id = o->trials[0];
    status = find_trial(&job, err);
    if (status == PORTOLAN_OK)
        status = write_job(&job, err);
    portolan_arena_clear(&job.tree.arena);
    portolan_profile_destroy(job.sums);
    portolan_sample_set_destroy(job.set);
    return status;
}

void portolan_export_missing(const struct portolan_trial *t, struct portolan_text *out)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (!strcmp(t->metadata[i].name, PORTOLAN_FACT_LOST_STEPS) ||
            !strcmp(t->metadata[i].name, PORTOLAN_FACT_LOST_ROWS))
            portolan_text_add(out, "trial %" PRId64 ": %s: %s\n", t->id, t->metadata[i].name,
                              t->metadata[i].value);
    for (size_t i = 0; t->ranks > 1 && i < t->n_parameters; i++) {
        const char *dot = strrchr(t->parameters[i].name, '.');

        if (dot && !strcmp(dot, ".detail") && !strcmp(t->parameters[i].value, "summary"))
            portolan_text_add(out,
                              "trial %" PRId64 " has the samples and rows of rank 0 alone "
                              "(%s=summary); statistics have all %d ranks\n",
                              t->id, t->parameters[i].name, t->ranks);
    }
}
