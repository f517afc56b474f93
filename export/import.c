/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles as a trial: reads the files rank by rank and stores them in one transaction. */
#include "import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct importer {
    const struct portolan_import_options *o;
    struct portolan_store *store;
    struct portolan_diagnostics *d;
    struct portolan_error *err;
    struct import_files files;
    struct portolan_arena arena; /* what lasts as long as the import */
    const char **metrics;        /* by folder */
    size_t n_metrics;
    int64_t time; /* -1: none of them */
    int64_t trial;
    double elapsed_ns;
    size_t cut_paths, parameters_left_out, ranks_there;
};

static enum portolan_status no_memory(struct portolan_error *err)
{
    return portolan_no_memory(err);
}

/* ------------------------------------------------- metrics */

/* The best of what is called time; -1 when there is none. */
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

/* One file of each folder tells the folder's metric. */
static enum portolan_status read_text(struct importer *im, struct portolan_arena *a,
                                      const struct import_file *f, struct import_text *out)
{
    char *text;
    enum portolan_status status = import_read_file(a, f->path, &text, im->err);

    if (status != PORTOLAN_OK)
        return status;
    if (import_read_text(a, text, f->path, out, im->d))
        return PORTOLAN_OK;
    return a->failed
               ? no_memory(im->err)
               : portolan_error_set(im->err, PORTOLAN_ESYNTAX, "'%s' is no TAU profile", f->path);
}

static enum portolan_status find_metrics(struct importer *im)
{
    for (size_t i = 0; i < im->files.n; i++)
        if (im->files.files[i].folder >= im->n_metrics)
            im->n_metrics = im->files.files[i].folder + 1;
    im->metrics = portolan_arena_alloc(&im->arena, im->n_metrics + 1, sizeof *im->metrics);
    if (!im->metrics)
        return no_memory(im->err);
    for (size_t i = 0; i < im->files.n; i++) {
        const struct import_file *f = &im->files.files[i];
        struct import_text text;
        struct portolan_arena a = {0};
        enum portolan_status status;

        if (im->metrics[f->folder])
            continue;
        status = read_text(im, &a, f, &text);
        if (status == PORTOLAN_OK &&
            !(im->metrics[f->folder] = portolan_arena_strdup(&im->arena, text.metric)))
            status = no_memory(im->err);
        portolan_arena_clear(&a);
        if (status != PORTOLAN_OK)
            return status;
    }
    im->time = find_time(im);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- one thread */

static int compare_lines(const void *a, const void *b)
{
    const struct import_line *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Rows of one name add up; they are sorted then. */
static void add_up(struct import_table *t)
{
    size_t kept = 0;

    qsort(t->lines, t->n_lines, sizeof *t->lines, compare_lines);
    for (size_t i = 0; i < t->n_lines; i++) {
        struct import_line *last = kept ? &t->lines[kept - 1] : NULL, *line = &t->lines[i];

        if (!last || strcmp(last->name, line->name) != 0) {
            t->lines[kept++] = *line;
            continue;
        }
        last->calls += line->calls;
        last->subroutines += line->subroutines;
        for (size_t m = 0; m < t->n_metrics; m++) {
            last->exclusive[m] += line->exclusive[m];
            last->inclusive[m] += line->inclusive[m];
        }
    }
    t->n_lines = kept;
}

/* Counts of calls are those of the first metric that has the row. */
static bool add_metric(struct import_table *t, const struct import_text *text, size_t m)
{
    size_t had = t->n_lines;
    struct import_line *lines =
        portolan_arena_alloc(t->arena, had + text->n_rows + 1, sizeof *lines);

    if (!lines)
        return false;
    if (had > 0)
        memcpy(lines, t->lines, had * sizeof *lines);
    t->lines = lines;
    for (size_t i = 0; i < text->n_rows; i++) {
        const struct import_row *row = &text->rows[i];
        struct import_line key = {.name = row->name},
                           *line =
                               had ? bsearch(&key, lines, had, sizeof *lines, compare_lines) : NULL;
        bool is_new = !line;

        if (is_new) {
            line = &lines[t->n_lines++];
            *line = (struct import_line){row->name,        row->group, row->calls,
                                         row->subroutines, NULL,       NULL};
            line->exclusive = portolan_arena_alloc(t->arena, t->n_metrics, 2 * sizeof(double));
            if (!line->exclusive)
                return false;
            line->inclusive = line->exclusive + t->n_metrics;
        }
        line->exclusive[m] += row->exclusive;
        line->inclusive[m] += row->inclusive;
    }
    add_up(t);
    if (!t->events) {
        t->events = text->events;
        t->n_events = text->n_events;
    }
    return true;
}

/* FILES are those of one thread, *N of them. */
static enum portolan_status read_thread(struct importer *im, struct portolan_arena *a,
                                        const struct import_file *files, size_t n, int thread,
                                        struct import_rank *out)
{
    struct import_table t = {
        .arena = a, .n_metrics = im->n_metrics, .metrics = im->metrics, .time = im->time};

    for (size_t i = 0; i < n; i++) {
        struct import_text text;
        enum portolan_status status = read_text(im, a, &files[i], &text);

        if (status != PORTOLAN_OK)
            return status;
        if (strcmp(text.metric, im->metrics[files[i].folder]) != 0) {
            portolan_diagnose(im->d, files[i].path, 1, 0,
                              "the metric is '%s', and that of the other files in the folder '%s'",
                              text.metric, im->metrics[files[i].folder]);
            return portolan_error_set(im->err, PORTOLAN_ESYNTAX, "metrics differ");
        }
        if (!add_metric(&t, &text, files[i].folder))
            return no_memory(im->err);
    }
    return import_add_thread(out, &t, files->node, thread) ? PORTOLAN_OK : no_memory(im->err);
}

/* ------------------------------------------------- one rank */

/* Counters go with the samples, as many as those have room for; others in samples without calls. */
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
                s->counter_name[k] = r->counter_names[first + k];
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

/* The metrics besides the time, as many as a trial has room for. */
static bool name_counters(struct importer *im, struct portolan_arena *a, struct import_rank *r)
{
    r->counter_names = portolan_arena_alloc(a, im->n_metrics + 1, sizeof *r->counter_names);
    for (size_t m = 0; r->counter_names && m < im->n_metrics; m++)
        if ((int64_t)m != im->time && r->n_counters < PORTOLAN_SUMMARY_COUNTER_MAX)
            r->counter_names[r->n_counters++] = im->metrics[m];
    return r->counter_names != NULL;
}

/* How many of the N files from FIRST on are of the same thread, or the same node. */
static size_t count_same(const struct importer *im, size_t first, bool thread)
{
    const struct import_file *f = &im->files.files[first];
    size_t n = 1;

    while (first + n < im->files.n && f[n].node == f->node &&
           (!thread || (f[n].context == f->context && f[n].thread == f->thread)))
        n++;
    return n;
}

/* Contexts are no more: where a node has several, its threads are numbered through. */
static enum portolan_status read_rank(struct importer *im, size_t first, size_t n)
{
    const struct import_file *files = im->files.files;
    bool renumber = files[first].context != files[first + n - 1].context;
    struct portolan_arena a = {0};
    struct import_rank r = {0};
    enum portolan_status status = name_counters(im, &a, &r) ? PORTOLAN_OK : no_memory(im->err);

    for (size_t at = first, k = 0, same; at < first + n && status == PORTOLAN_OK; at += same, k++) {
        same = count_same(im, at, true);
        status = read_thread(im, &a, &files[at], same, renumber ? (int)k : files[at].thread, &r);
    }
    if (status == PORTOLAN_OK)
        status = put_rank(im, &r);
    portolan_arena_clear(&a);
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

/* What our own exports say of a trial's parameters is made parameters again. */
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
                     : no_memory(im->err);
    }
    portolan_arena_clear(&a);
    return status;
}

/* What was not in the files, or could not be told from them. */
static enum portolan_status put_notes(struct importer *im)
{
    char files[60], cut[200], left[200], ranks[200], metrics[200];
    int n_ranks = im->files.files[im->files.n - 1].node + 1;
    struct portolan_name_value notes[6];
    size_t n = 0;

    snprintf(files, sizeof files, "%zu TAU profiles", im->files.n);
    notes[n++] = (struct portolan_name_value){"import.source", files};
    notes[n++] = (struct portolan_name_value){
        "import.single_calls", "unknown: shortest, longest and spread are those of the mean"};
    if (im->cut_paths) {
        snprintf(cut, sizeof cut,
                 "%zu call paths begin in the middle, with several callers: they stand by "
                 "themselves, under the name of who called",
                 im->cut_paths);
        notes[n++] = (struct portolan_name_value){"import.cut_paths", cut};
    }
    if (im->parameters_left_out) {
        snprintf(left, sizeof left, "%zu: not numbers, or of timers with several call paths",
                 im->parameters_left_out);
        notes[n++] = (struct portolan_name_value){"import.parameters_left_out", left};
    }
    if (im->ranks_there < (size_t)n_ranks) {
        snprintf(ranks, sizeof ranks, "%zu of %d ranks have files", im->ranks_there, n_ranks);
        notes[n++] = (struct portolan_name_value){"import.ranks", ranks};
    }
    if (im->n_metrics > PORTOLAN_SUMMARY_COUNTER_MAX + 1) {
        snprintf(metrics, sizeof metrics, "%zu of %zu",
                 im->n_metrics - PORTOLAN_SUMMARY_COUNTER_MAX - 1, im->n_metrics);
        notes[n++] = (struct portolan_name_value){"import.metrics_left_out", metrics};
    }
    return portolan_store_put_metadata(im->store, im->trial, notes, n, im->err);
}

static enum portolan_status store_trial(struct importer *im)
{
    enum portolan_status status = begin_trial(im);

    for (size_t at = 0, n; at < im->files.n && status == PORTOLAN_OK; at += n) {
        n = count_same(im, at, false);
        status = read_rank(im, at, n);
    }
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
    enum portolan_status status = import_find_files(&im.files, o, &own);

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
