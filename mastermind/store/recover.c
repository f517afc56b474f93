/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials from one store into another: what a run could not store, and the way back. */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct copy {
    struct portolan_store *from;
    const struct portolan_trial *trial;
    struct portolan_sample_set *set;
    struct calls_copy to; /* with the steps that were there */
    size_t capacity;
    int *present;
    struct portolan_error *err;
};

/* ------------------------------------------------- which trial it becomes */

/* The rank of a job that a trial's metadata are of; -1: none has left it. */
static int rank_of(const struct portolan_trial *t)
{
    int rank = -1, end = 0;

    for (size_t i = 0; i < t->n_metadata && rank < 0; ++i)
        if (sscanf(t->metadata[i].name, "rank %d ended%n", &rank, &end) != 1 || !end)
            rank = -1;
    return rank;
}

/* The trial of TO that C is a part of, by its number and when it began; 0: none. */
static enum portolan_status find_whole(const struct copy *c, int64_t *id)
{
    struct portolan_store_query query = {.assembly = c->trial->assembly, .outcome = "running"};
    const char *whole = portolan_trial_peek_fact(c->trial, PORTOLAN_STORE_RECOVERS);
    struct portolan_sample_set *set = NULL;
    enum portolan_status status;

    *id = 0;
    if (!whole || !portolan_read_int64(whole, &query.trial) || query.trial <= 0)
        return PORTOLAN_OK;
    status = portolan_store_read(c->to.to, &query, false, &set, c->err);
    if (!status && set->n_trials && !strcmp(set->trials[0].started, c->trial->started))
        *id = query.trial;
    portolan_sample_set_destroy(set);
    return status;
}

static enum portolan_status put_facts(const struct copy *c)
{
    static const struct column columns[] = {
        COLUMN(INT, portolan_rank_fact, rank),
        COLUMN(INT, portolan_rank_fact, thread),
        COLUMN(TEXT, portolan_rank_fact, name),
        COLUMN(TEXT, portolan_rank_fact, value),
    };
    static const struct shape shape = SHAPE(portolan_rank_fact, columns);
    struct portolan_rank_fact *facts = NULL;
    struct texts *texts = texts_create();
    size_t n = 0;
    enum portolan_status status = texts ? rows_read(c->from->backend, READ_RANK_FACTS, &shape,
                                                    texts, &facts, &n, c->err, "i", c->trial->id)
                                        : portolan_no_memory(c->err);

    if (!status)
        status = portolan_store_put_rank_facts(c->to.to, c->to.trial, facts, n, c->err);
    if (!status)
        status = portolan_store_put_metadata(c->to.to, c->to.trial, c->trial->metadata,
                                             c->trial->n_metadata, c->err);
    free(facts);
    texts_destroy(texts);
    return status ? status
                  : backend_run(c->to.to->backend, DELETE_METADATA, NULL, c->err, "it", c->to.trial,
                                PORTOLAN_STORE_RECOVERS);
}

static enum portolan_status begin(struct copy *c)
{
    const char *job = portolan_trial_peek_fact(c->trial, "job");
    enum portolan_status status = find_whole(c, &c->to.trial);

    if (!status && !c->to.trial)
        status = job ? store_find_or_begin(c->to.to, c->trial, job, rank_of(c->trial), &c->to.trial,
                                           c->err)
                     : portolan_store_begin_trial(c->to.to, c->trial, &c->to.trial, c->err);
    return status ? status : put_facts(c);
}

static enum portolan_status end(const struct copy *c)
{
    const struct portolan_trial *t = c->trial;

    if (portolan_trial_peek_fact(t, "job"))
        return backend_run(c->to.to->backend, LEAVE_TRIAL, NULL, c->err, "id", c->to.trial,
                           t->elapsed_ns);
    if (!strcmp(t->outcome, "running")) /* as it is there */
        return PORTOLAN_OK;
    return portolan_store_end_trial(c->to.to, c->to.trial, t->outcome, t->elapsed_ns, c->err);
}

/* ------------------------------------------------- what was measured in it */

/* A commit that was not answered may have stored a step. */
static enum portolan_status put_steps(struct copy *c)
{
    struct portolan_sample *s = c->set->samples;
    enum portolan_status status = PORTOLAN_OK;
    bool is = false;

    for (size_t from = 0, to; from < c->set->n_samples && !status; from = to) {
        for (to = from; to < c->set->n_samples && s[to].step == s[from].step; ++to)
            s[to].parent -= s[to].parent >= 0 ? (int64_t)from : 0;
        status = store_has_piece(c->to.to, c->to.trial, s[from].step, s[from].rank, s[from].rank,
                                 &is, c->err);
        if (status)
            break;
        if (!is)
            status = portolan_store_put_step(c->to.to, c->to.trial, s[from].step, s + from,
                                             to - from, c->err);
        else if (portolan_reserve(&c->present, &c->capacity, c->to.n_present + 1,
                                  sizeof *c->present))
            c->present[c->to.n_present++] = s[from].step;
        else
            status = portolan_no_memory(c->err);
    }
    c->to.present = c->present;
    return status ? status : calls_copy(c->from, c->trial->id, &c->to, c->err);
}

static enum portolan_status put_totals(const struct copy *c)
{
    struct portolan_summary_set *summary = NULL;
    struct portolan_event_set *events = NULL;
    struct portolan_traffic_set *traffic = NULL;
    bool was_stored = false;
    enum portolan_status status =
        portolan_store_read_summary(c->from, c->trial->id, &summary, &was_stored, c->err);

    if (!status && was_stored)
        status =
            portolan_store_put_summary(c->to.to, c->to.trial, summary->rows, summary->n, c->err);
    if (!status)
        status = portolan_store_read_events(c->from, c->trial->id, NULL, &events, c->err);
    if (!status)
        status =
            portolan_store_put_events(c->to.to, c->to.trial, events->samples, events->n_samples,
                                      events->events, events->n_events, c->err);
    if (!status)
        status = portolan_store_read_traffic(c->from, c->trial->id, &traffic, c->err);
    if (!status)
        status =
            portolan_store_put_traffic(c->to.to, c->to.trial, traffic->rows, traffic->n, c->err);
    portolan_summary_set_destroy(summary);
    portolan_event_set_destroy(events);
    portolan_traffic_set_destroy(traffic);
    return status;
}

static enum portolan_status put_reasons(const struct copy *c)
{
    struct portolan_reason_set *set = NULL, *there = NULL;
    enum portolan_status status = portolan_store_read_reasons(c->from, c->trial->id, &set, c->err);

    if (!status)
        status = portolan_store_read_reasons(c->to.to, c->to.trial, &there, c->err);
    for (size_t i = 0, a = 0, n; !status && i < set->n_reasons; ++i, a += n) {
        struct portolan_reason *r = &set->reasons[i];

        for (n = 0; a + n < set->n_alternatives && set->alternatives[a + n].number == r->number;)
            ++n;
        r->trial = c->to.trial;
        status = portolan_store_put_reason(c->to.to, r, set->alternatives + a,
                                           i < there->n_reasons ? 0 : n, c->err);
    }
    if (!status)
        status = portolan_store_put_expectations(c->to.to, c->to.trial, set->expectations,
                                                 set->n_expectations, c->err);
    portolan_reason_set_destroy(set);
    portolan_reason_set_destroy(there);
    return status;
}

static enum portolan_status put_diagnoses(const struct copy *c)
{
    struct portolan_diagnosis_set *set = NULL;
    enum portolan_status status =
        portolan_store_read_diagnoses(c->from, c->trial->id, &set, c->err);

    for (size_t i = 0, f = 0, n; !status && i < set->n_diagnoses; ++i, f += n) {
        struct portolan_stored_diagnosis *d = &set->diagnoses[i];

        for (n = 0; f + n < set->n_findings && set->findings[f + n].diagnosis == d->number;)
            ++n;
        d->trial = c->to.trial;
        status = portolan_store_put_diagnosis(c->to.to, d, set->findings + f, n, c->err);
    }
    portolan_diagnosis_set_destroy(set);
    return status;
}

static enum portolan_status copy_all(struct copy *c)
{
    enum portolan_status status = begin(c);

    if (!status)
        status = put_steps(c);
    if (!status)
        status = put_totals(c);
    if (!status)
        status = put_reasons(c);
    if (!status)
        status = put_diagnoses(c);
    return status ? status : end(c);
}

enum portolan_status portolan_store_copy_trial(struct portolan_store *from, int64_t trial,
                                               struct portolan_store *to, int64_t *id,
                                               struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = trial, .with_partial = true};
    struct copy c = {.from = from, .to = {.to = to}, .err = err};
    enum portolan_status status = portolan_store_read(from, &query, true, &c.set, err);

    if (!status && !c.set->n_trials)
        status = store_has_no_trial(trial, err);
    if (!status && !(status = portolan_store_begin(to, err))) {
        c.trial = c.set->trials;
        status = copy_all(&c);
        if (!status)
            status = portolan_store_commit(to, err);
        portolan_store_rollback(to);
    }
    if (!status)
        *id = c.to.trial;
    free(c.present);
    portolan_sample_set_destroy(c.set);
    return status;
}

/* ------------------------------------------------- recovery files */

/* Returns the beginning of the names of all recovery files of the store at PATH; malloc'ed. */
static char *stem_of(const char *path)
{
    char *shown = backend_display(path);
    char *stem = shown ? note_beside(shown, "recover") : NULL;

    free(shown);
    return stem;
}

char *portolan_store_recovery_file(const char *path)
{
    char *stem = stem_of(path), *file = NULL, when[40];
    time_t now = time(NULL);
    struct tm utc;

    if (stem && gmtime_r(&now, &utc) && strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc))
        file = portolan_asprintf("%s-%s-%ld", stem, when, (long)getpid());
    free(stem);
    return file;
}

/* All trials of FILE, which then goes. */
static enum portolan_status recover_file(struct portolan_store *store, const char *file,
                                         portolan_recovered_fn recovered, void *arg,
                                         struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    struct portolan_store *from = NULL;
    int64_t id;
    enum portolan_status status = portolan_store_open(file, PORTOLAN_STORE_WRITE, &from, err);

    if (!status)
        status = portolan_store_read(from, NULL, false, &set, err);
    for (size_t i = 0; !status && i < set->n_trials; ++i) {
        status = portolan_store_copy_trial(from, set->trials[i].id, store, &id, err);
        /* so that what is stored is not stored again, should a later one fail */
        if (!status)
            status = portolan_store_delete_trial(from, set->trials[i].id, err);
        if (!status && recovered)
            recovered(arg, file, id);
    }
    portolan_sample_set_destroy(set);
    portolan_store_close(from);
    if (!status && unlink(file))
        status = portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be removed: %s", file,
                                    strerror(errno));
    return status;
}

/* Returns whether NAME is a recovery file, and not a log that SQLite keeps next to one. */
static bool is_recovery_file(const char *name, const char *stem)
{
    size_t n = strlen(stem), length = strlen(name);

    return !strncmp(name, stem, n) && name[n] == '-' && isdigit((unsigned char)name[n + 1]) &&
           isdigit((unsigned char)name[length - 1]);
}

enum portolan_status portolan_store_recover(const char *path, portolan_recovered_fn recovered,
                                            void *arg, struct portolan_error *err)
{
    char *stem = stem_of(path), *slash = stem ? strrchr(stem, '/') : NULL;
    const char *name = slash ? slash + 1 : stem;
    struct portolan_store *store = NULL;
    struct dirent **entries = NULL;
    enum portolan_status status = PORTOLAN_OK;
    int n = 0;

    if (slash)
        *slash = '\0';
    if (stem)
        n = scandir(slash ? stem : ".", &entries, NULL, alphasort); /* the oldest first */
    if (n < 0)
        status = portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read: %s",
                                    slash ? stem : ".", strerror(errno));
    for (int i = 0; i < n; ++i) {
        char *file =
            portolan_asprintf("%s%s%s", slash ? stem : "", slash ? "/" : "", entries[i]->d_name);
        bool is = is_recovery_file(entries[i]->d_name, name);

        if (!status && !file)
            status = portolan_no_memory(err);
        if (!status && is && !store)
            status = portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, err);
        if (!status && is)
            status = recover_file(store, file, recovered, arg, err);
        free(file);
        free(entries[i]);
    }
    /* So that the name of no store is an error, not a new store. */
    if (!status && !store)
        status = portolan_store_open(path, PORTOLAN_STORE_READ, &store, err);
    portolan_store_close(store);
    free(entries);
    free(stem);
    return status;
}
