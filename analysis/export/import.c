/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles as a trial: reads the files rank by rank and stores them in one transaction. */
#include "import.h"

#include <portolan/profile.h>
#include <portolan/progress.h>

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct import_file {
    const char *path;
    int node, context, thread;
    size_t folder; /* number of the metric's folder */
};

struct import_files {
    struct portolan_arena arena;
    struct import_file *files; /* by node, context, thread, folder */
    size_t n, folders;
};

struct importer {
    const struct portolan_import_options *o;
    struct portolan_store *store;
    struct portolan_diagnostics *d;
    struct portolan_error *err;
    struct import_files files;
    struct portolan_arena arena; /* for the duration of the import */
    const char **metrics;        /* by folder */
    size_t n_metrics;
    int64_t time; /* the metric that is the time; -1: none */
    const char **counter_names;
    int64_t trial;
    double elapsed_ns;
    size_t cut_paths, parameters_left_out, ranks_there;
};

/* ------------------------------------------------- finding the files */

/* A larger rank is a mistake. */
enum { MOST_RANKS = 1 << 24 };

/* Reads the name profile.N.C.T; false for other files (means, dumps, editors' copies). */
static bool read_ids(const char *name, struct import_file *f)
{
    int end = 0;

    return !name[strspn(name, "profile.0123456789")] &&
           sscanf(name, "profile.%8d.%8d.%8d%n", &f->node, &f->context, &f->thread, &end) == 3 &&
           !name[end] && f->node < MOST_RANKS && f->context < MOST_RANKS && f->thread < MOST_RANKS;
}

static bool add_file(struct import_files *out, const char *path, struct import_file file)
{
    struct import_file *grown = portolan_arena_grow(&out->arena, out->files, out->n, sizeof *grown);

    if (!grown)
        return false;
    out->files = grown;
    file.path = portolan_arena_strdup(&out->arena, path);
    file.folder = out->folders;
    grown[out->n++] = file;
    return file.path != NULL;
}

static bool is_metric(const FTSENT *e)
{
    return e->fts_level == 1 && !strncmp(e->fts_name, "MULTI__", 7);
}

/* Takes one entry of a folder. Folders of single metrics come first; if there are any, files next
 * to them are ignored. */
static enum portolan_status take_entry(struct import_files *out, FTS *walk, FTSENT *e,
                                       size_t folders_before, struct portolan_error *err)
{
    struct import_file file = {0};

    switch (e->fts_info) {
    case FTS_D:
        if (e->fts_level > 0 && !is_metric(e))
            fts_set(walk, e, FTS_SKIP);
        return PORTOLAN_OK;
    case FTS_DP:
        if (out->n > 0 && out->files[out->n - 1].folder == out->folders &&
            (e->fts_level == 0 || is_metric(e)))
            out->folders++;
        return PORTOLAN_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", e->fts_path,
                                  strerror(e->fts_errno));
    default:
        if (e->fts_level == 1 && out->folders > folders_before)
            return PORTOLAN_OK;
        if (read_ids(e->fts_name, &file))
            return add_file(out, e->fts_path, file) ? PORTOLAN_OK : portolan_no_memory(err);
        if (e->fts_level > 0)
            return PORTOLAN_OK;
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' does not have the name of a TAU profile, "
                                  "profile.NODE.CONTEXT.THREAD, and is not a folder of such files",
                                  e->fts_path);
    }
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum portolan_status take_path(struct import_files *out, const char *path,
                                      struct portolan_error *err)
{
    char *const paths[] = {(char *)path, NULL};
    FTS *walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, compare_names);
    size_t before = out->n, folders = out->folders;
    enum portolan_status status = walk ? PORTOLAN_OK : portolan_no_memory(err);

    for (FTSENT *e; status == PORTOLAN_OK && (e = fts_read(walk));)
        status = take_entry(out, walk, e, folders, err);
    if (walk)
        fts_close(walk);
    if (status == PORTOLAN_OK && out->n == before)
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND,
                               "'%s' has no files profile.N.C.T and no folders MULTI__…", path);
    return status;
}

static int compare_files(const void *a, const void *b)
{
    const struct import_file *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->folder > y->folder) - (x->folder < y->folder);
}

static enum portolan_status find_files(struct import_files *out,
                                       const struct portolan_import_options *o,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < o->n_paths && status == PORTOLAN_OK; i++)
        status = take_path(out, o->paths[i], err);
    if (status == PORTOLAN_OK && out->n)
        qsort(out->files, out->n, sizeof *out->files, compare_files);
    return status;
}

static enum portolan_status read_file(struct portolan_arena *a, const char *path, char **text,
                                      struct portolan_error *err)
{
    struct portolan_text t = {.arena = a};
    struct stat there;
    const char *cause = NULL;

    *text = NULL;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        cause = "it is no file";
    else if (!portolan_text_add_file(&t, path, SIZE_MAX))
        cause = strerror(errno);
    else if (t.length && memchr(t.bytes, '\0', t.length))
        cause = "it is no text";
    if (t.failed)
        return portolan_no_memory(err);
    if (cause)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", path, cause);
    return portolan_text_take(&t, text, err);
}

/* ------------------------------------------------- metrics */

/* The metric that is the time, by the best of the known names; -1: there is none. */
static int64_t find_time(const struct importer *im)
{
    static const char *const known[] = {
        "TIME", "Time", "WALL_CLOCK_TIME", "P_WALL_CLOCK_TIME", "GET_TIME_OF_DAY", "LINUX_TIMERS"};

    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (size_t i = 0; i < im->n_metrics; i++)
            if (!strcmp(im->metrics[i], known[k]))
                return (int64_t)i;
    for (size_t i = 0; i < im->n_metrics; i++)
        if (strcasestr(im->metrics[i], "time"))
            return (int64_t)i;
    return -1;
}

/* How many metrics are counters; and counters of a sample with the exclusive ones. */
static size_t count_counters(const struct importer *im)
{
    return im->n_metrics - (im->time >= 0);
}

static size_t count_both(const struct importer *im)
{
    size_t most = PORTOLAN_SUMMARY_COUNTER_MAX, both = 2 * count_counters(im);

    return both < most ? both : most;
}

/* Names the counters: of metric K, the time not counted; then again, for the exclusive values. */
static const char **name_counters(struct importer *im)
{
    size_t n = count_counters(im);
    const char **names = portolan_arena_alloc(&im->arena, 2 * n + 1, sizeof *names);

    for (size_t k = 0; names && k < n; k++) {
        names[k] = im->metrics[k + (im->time >= 0 && k >= (size_t)im->time)];
        names[n + k] =
            portolan_arena_printf(&im->arena, "%s%s", names[k], PORTOLAN_PROFILE_EXCLUSIVE);
    }
    return im->arena.failed ? NULL : names;
}

/* Reads and parses the text of one file. */
static enum portolan_status read_text(struct importer *im, struct portolan_arena *a,
                                      const struct import_file *f, struct import_text *out)
{
    char *text;
    enum portolan_status status = read_file(a, f->path, &text, im->err);

    if (status != PORTOLAN_OK)
        return status;
    if (import_read_text(a, text, f->path, f->folder, im->files.folders + 1, out, im->d))
        return PORTOLAN_OK;
    return a->failed
               ? portolan_no_memory(im->err)
               : portolan_error_set(im->err, PORTOLAN_ESYNTAX, "'%s' is no TAU profile", f->path);
}

/* Takes the name of each folder's metric from one file of the folder. */
static enum portolan_status find_metrics(struct importer *im)
{
    enum portolan_status status = PORTOLAN_OK;

    im->n_metrics = im->files.folders + 1;
    im->metrics = portolan_arena_alloc(&im->arena, im->n_metrics, sizeof *im->metrics);
    for (size_t i = 0; im->metrics && status == PORTOLAN_OK && i < im->files.n; i++) {
        const struct import_file *f = &im->files.files[i];
        struct import_text text;
        struct portolan_arena a = {0};

        if (im->metrics[f->folder])
            continue;
        status = read_text(im, &a, f, &text);
        if (status == PORTOLAN_OK)
            im->metrics[f->folder] = portolan_arena_strdup(&im->arena, text.metric);
        portolan_arena_clear(&a);
    }
    if (status != PORTOLAN_OK || im->arena.failed)
        return status != PORTOLAN_OK ? status : portolan_no_memory(im->err);
    im->n_metrics -= !im->metrics[im->n_metrics - 1];
    im->time = find_time(im);
    im->counter_names = name_counters(im);
    return im->counter_names ? PORTOLAN_OK : portolan_no_memory(im->err);
}

/* ------------------------------------------------- one thread */

static bool add_rows(struct import_thread *t, const struct import_text *text)
{
    struct import_path *paths =
        portolan_arena_alloc(&t->rank->arena, t->n + text->n_rows + 1, sizeof *paths);

    if (!paths)
        return false;
    if (t->n)
        memcpy(paths, t->paths, t->n * sizeof *paths);
    if (text->n_rows)
        memcpy(paths + t->n, text->rows, text->n_rows * sizeof *paths);
    t->paths = paths;
    t->n += text->n_rows;
    if (!t->events) {
        t->events = text->events;
        t->n_events = text->n_events;
    }
    return true;
}

/* Reads the N FILES of one thread, each with one metric. */
static enum portolan_status read_thread(struct importer *im, struct import_rank *r,
                                        const struct import_file *files, size_t n, int thread)
{
    struct import_thread t = {.rank = r, .thread = thread};

    for (size_t i = 0; i < n; i++) {
        const char *metric = im->metrics[files[i].folder];
        struct import_text text;
        enum portolan_status status = read_text(im, &r->arena, &files[i], &text);

        if (status != PORTOLAN_OK)
            return status;
        if (strcmp(text.metric, metric) != 0) {
            portolan_diagnose(im->d, files[i].path, 1, 0,
                              "the metric is '%s', and that of the other files in the folder '%s'",
                              text.metric, metric);
            return portolan_error_set(im->err, PORTOLAN_ESYNTAX, "metrics differ");
        }
        if (!add_rows(&t, &text))
            return portolan_no_memory(im->err);
    }
    return import_add_thread(&t) ? PORTOLAN_OK : portolan_no_memory(im->err);
}

/* ------------------------------------------------- one rank */

/* Stores the samples with as many counters as they have room for, and the other counters in further
 * samples without calls. */
static enum portolan_status put_samples(struct importer *im, struct import_rank *r)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t room = PORTOLAN_COUNTER_MAX, first = 0;

    do {
        size_t n = r->n_counters - first < room ? r->n_counters - first : room;

        for (size_t i = 0; i < r->n_samples; i++) {
            struct portolan_sample *s = &r->samples[i];

            s->n_counters = (int)n;
            for (size_t k = 0; k < n; k++) {
                s->counter_name[k] = im->counter_names[first + k];
                s->counter[k] = r->counters[i * r->n_counters + first + k];
            }
            if (first > 0) {
                s->calls = s->subroutines = 0;
                s->inclusive_ns = s->exclusive_ns = s->mpi_ns = 0;
                s->min_ns = s->max_ns = s->sum_squares_ns2 = 0;
            }
        }
        status =
            portolan_store_put_step(im->store, im->trial, -1, r->samples, r->n_samples, im->err);
        first += n;
    } while (status == PORTOLAN_OK && first < r->n_counters);
    return status;
}

static enum portolan_status put_rank(struct importer *im, struct import_rank *r)
{
    enum portolan_status status = put_samples(im, r);

    if (status == PORTOLAN_OK && r->n_events > 0)
        status = portolan_store_put_events(im->store, im->trial, r->samples, r->n_samples,
                                           r->events, r->n_events, im->err);
    im->elapsed_ns = fmax(im->elapsed_ns, r->elapsed_ns);
    im->cut_paths += r->cut_paths;
    im->parameters_left_out += r->parameters_left_out;
    im->ranks_there++;
    return status;
}

/* The number of files from FIRST on that belong to the same thread, or to the same node. */
static size_t count_same(const struct importer *im, size_t first, bool thread)
{
    const struct import_file *f = &im->files.files[first];
    size_t n = 1;

    while (first + n < im->files.n && f[n].node == f->node &&
           (!thread || (f[n].context == f->context && f[n].thread == f->thread)))
        n++;
    return n;
}

/* Reads the files of a rank. TAU's contexts are not stored: if a node has several, its threads are
 * numbered consecutively. */
static enum portolan_status read_rank(struct importer *im, size_t first, size_t n)
{
    const struct import_file *files = im->files.files;
    bool renumber = files[first].context != files[first + n - 1].context;
    struct import_rank r = {
        .rank = files[first].node,
        .n_metrics = im->files.folders + 1,
        .time = im->time,
        .n_known = im->n_metrics,
        .n_counters = count_both(im),
    };
    enum portolan_status status = PORTOLAN_OK;

    for (size_t at = first, k = 0, same; at < first + n && status == PORTOLAN_OK; at += same, k++) {
        same = count_same(im, at, true);
        status = read_thread(im, &r, &files[at], same, renumber ? (int)k : files[at].thread);
    }
    if (status == PORTOLAN_OK)
        status = put_rank(im, &r);
    portolan_arena_clear(&r.arena);
    return status;
}

/* ------------------------------------------------- the trial */

/* "Starting Timestamp" is in microseconds since 1970. */
static const char *started(struct importer *im, const struct import_text *text)
{
    const char *value = NULL;
    char iso[40];
    double us;
    time_t seconds;
    struct tm utc;

    for (size_t i = 0; i < text->n_facts; i++)
        if (!strcmp(text->facts[i].name, "Started"))
            return portolan_arena_strdup(&im->arena, text->facts[i].value);
        else if (!strcmp(text->facts[i].name, "Starting Timestamp"))
            value = text->facts[i].value;
    if (!portolan_read_double(value, &us) || !(us >= 0 && us < 1e17))
        return NULL;
    seconds = (time_t)(us / 1e6);
    if (!gmtime_r(&seconds, &utc) || !strftime(iso, sizeof iso, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return NULL;
    return portolan_arena_strdup(&im->arena, iso);
}

/* The last part of the first path, without slashes. */
static const char *name_of(struct importer *im)
{
    const char *path = im->o->paths[0], *start;
    size_t length = strlen(path);

    if (im->o->name)
        return im->o->name;
    while (length > 1 && path[length - 1] == '/')
        length--;
    start = memrchr(path, '/', length - (length > 1));
    start = start ? start + 1 : path;
    return portolan_arena_strndup(&im->arena, start, length - (size_t)(start - path));
}

/* Separates the parameters of the trial, which our own export writes as metadata, from the rest. */
static void part_facts(const struct import_text *text, struct portolan_trial *t,
                       struct portolan_name_value *parameters, struct portolan_name_value *facts)
{
    static const char word[] = "Parameter ";

    t->parameters = parameters;
    t->metadata = facts;
    for (size_t i = 0; i < text->n_facts; i++) {
        struct portolan_name_value fact = text->facts[i];

        if (!strncmp(fact.name, word, sizeof word - 1)) {
            fact.name += sizeof word - 1;
            parameters[t->n_parameters++] = fact;
        } else {
            facts[t->n_metadata++] = fact;
        }
    }
}

static enum portolan_status begin_trial(struct importer *im)
{
    struct portolan_arena a = {0};
    struct import_text text;
    struct portolan_trial t = {.purpose = "import"};
    enum portolan_status status = read_text(im, &a, &im->files.files[0], &text);

    if (status == PORTOLAN_OK) {
        struct portolan_name_value *facts =
            portolan_arena_alloc(&a, text.n_facts + 1, 2 * sizeof *facts);

        t.assembly = name_of(im);
        t.started = started(im, &text);
        t.ranks = im->files.files[im->files.n - 1].node + 1;
        if (facts)
            part_facts(&text, &t, facts + text.n_facts + 1, facts);
        status = facts && t.assembly && !im->arena.failed
                     ? portolan_store_begin_trial(im->store, &t, &im->trial, im->err)
                     : portolan_no_memory(im->err);
    }
    portolan_arena_clear(&a);
    return status;
}

/* Stores a fact, unless *STATUS is an error already. */
static void put_note(struct importer *im, enum portolan_status *status, const char *name,
                     const char *format, ...) PORTOLAN_PRINTF(4, 5);

static void put_note(struct importer *im, enum portolan_status *status, const char *name,
                     const char *format, ...)
{
    struct portolan_name_value note = {.name = name};
    va_list args;

    if (*status != PORTOLAN_OK)
        return;
    va_start(args, format);
    note.value = portolan_arena_vprintf(&im->arena, format, args);
    va_end(args);
    *status = note.value ? portolan_store_put_metadata(im->store, im->trial, &note, 1, im->err)
                         : portolan_no_memory(im->err);
}

/* Stores notes on data that were missing in the files, or could not be used. */
static enum portolan_status put_notes(struct importer *im)
{
    size_t ranks = (size_t)im->files.files[im->files.n - 1].node + 1;
    size_t counters = count_counters(im), most = PORTOLAN_SUMMARY_COUNTER_MAX;
    enum portolan_status status = PORTOLAN_OK;

    put_note(im, &status, "import.source", "%zu TAU profiles", im->files.n);
    put_note(im, &status, "import.single_calls",
             "unknown: shortest, longest and spread are those of the mean");
    if (im->cut_paths)
        put_note(im, &status, "import.cut_paths",
                 "%zu call paths begin in the middle, with several callers: they stand by "
                 "themselves, under the name of who called",
                 im->cut_paths);
    if (im->parameters_left_out)
        put_note(im, &status, "import.parameters_left_out",
                 "%zu: not numbers, or of timers with several call paths", im->parameters_left_out);
    if (im->ranks_there < ranks)
        put_note(im, &status, "import.ranks", "%zu of %zu ranks have files", im->ranks_there,
                 ranks);
    if (counters > most)
        put_note(im, &status, "import.metrics_left_out", "%zu of %zu", counters - most,
                 im->n_metrics);
    if (2 * counters > most)
        put_note(im, &status, "import.exclusive_left_out",
                 "of %zu metrics, derived from the calls below",
                 2 * counters - most < counters ? 2 * counters - most : counters);
    return status;
}

static enum portolan_status store_trial(struct importer *im)
{
    enum portolan_status status = begin_trial(im);

    for (size_t at = 0, n; at < im->files.n && status == PORTOLAN_OK; at += n) {
        portolan_progress("files", at, im->files.n, false);
        n = count_same(im, at, false);
        status = read_rank(im, at, n);
    }
    portolan_progress_done("files");
    if (status == PORTOLAN_OK)
        status = put_notes(im);
    if (status == PORTOLAN_OK)
        status =
            portolan_store_end_trial(im->store, im->trial, "finished", im->elapsed_ns, im->err);
    return status;
}

enum portolan_status portolan_import_tau(struct portolan_store *store,
                                         const struct portolan_import_options *o, int64_t *id,
                                         struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct portolan_error own = {0};
    struct portolan_diagnostics_relay relay = {.user = d, .err = &own};
    struct portolan_diagnostics all = {.report = portolan_diagnostics_relay, .arg = &relay};
    struct importer im = {.o = o, .store = store, .d = &all, .err = &own};
    enum portolan_status status = find_files(&im.files, o, &own);

    if (status == PORTOLAN_OK && im.files.n == 0)
        status = portolan_error_set(&own, PORTOLAN_ENOTFOUND, "no TAU profiles were named");
    if (status == PORTOLAN_OK)
        status = find_metrics(&im);
    if (status == PORTOLAN_OK && (status = portolan_store_begin(store, &own)) == PORTOLAN_OK) {
        status = store_trial(&im);
        if (status == PORTOLAN_OK)
            status = portolan_store_summarise(store, im.trial, &own);
        status = status == PORTOLAN_OK ? portolan_store_commit(store, &own) : status;
        if (status != PORTOLAN_OK)
            portolan_store_rollback(store);
    }
    *id = im.trial;
    portolan_arena_clear(&im.arena);
    portolan_arena_clear(&im.files.arena);
    if (status != PORTOLAN_OK)
        portolan_error_set(err, status, "%s", own.text);
    return status;
}
