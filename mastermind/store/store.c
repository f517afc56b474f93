/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening, transactions, and trials with what is known of them. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum portolan_status store_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                struct portolan_store **store, struct portolan_error *err)
{
    struct portolan_store *s = portolan_calloc(1, sizeof *s);
    enum portolan_status status = PORTOLAN_ENOMEM;

    *store = NULL;
    if (!s || !(s->path = backend_display(path)))
        portolan_error_set(err, status, "out of memory");
    else
        status = backend_open(path, mode, busy_ms, &s->backend, err);
    if (status) {
        portolan_error_prefix(err, "store '%s'", s && s->path ? s->path : "?");
        portolan_store_close(s);
        return status;
    }
    *store = s;
    return PORTOLAN_OK;
}

enum portolan_status portolan_store_open(const char *path, enum portolan_store_mode mode,
                                         struct portolan_store **store, struct portolan_error *err)
{
    enum portolan_status status;

    /* Before anybody reads it, trials whose process is gone are ended; if this fails, later. */
    if (mode == PORTOLAN_STORE_READ && notes_exist(path) &&
        !store_open(path, PORTOLAN_STORE_WRITE, SETTLE_MS, store, NULL)) {
        portolan_store_settle(*store, NULL, NULL);
        portolan_store_close(*store);
    }
    status = store_open(path, mode, BUSY_MS, store, err);
    if (!status && mode == PORTOLAN_STORE_WRITE)
        portolan_store_settle(*store, NULL, NULL);
    return status;
}

void portolan_store_set_patience(struct portolan_store *s, int wait_ms)
{
    s->backend->ops->set_patience(s->backend, wait_ms);
}

enum portolan_status portolan_store_check(struct portolan_store *s, struct portolan_error *err)
{
    return s->backend->ops->check ? s->backend->ops->check(s->backend, err) : PORTOLAN_OK;
}

void portolan_store_close(struct portolan_store *s)
{
    if (!s)
        return;
    identities_forget(s);
    backend_close(s->backend);
    free(s->path);
    free(s);
}

enum portolan_status store_start(struct portolan_store *s, struct portolan_error *err)
{
    switch (s->bracket) {
    case BRACKET_OPEN:
        return PORTOLAN_OK;
    case BRACKET_BROKEN:
        return portolan_error_set(err, PORTOLAN_EIO, "a row that it belongs to was not stored");
    default:
        return backend_run(s->backend, BEGIN_WRITE, NULL, err, "");
    }
}

enum portolan_status store_finish(struct portolan_store *s, enum portolan_status status,
                                  struct portolan_error *err)
{
    if (!status && s->bracket == BRACKET_NONE)
        status = backend_run(s->backend, COMMIT, NULL, err, "");
    /* A full disk may have made the data base roll back already; then this fails without harm. */
    if (status && s->bracket != BRACKET_BROKEN) {
        backend_run(s->backend, ROLLBACK, NULL, NULL, "");
        identities_forget(s);
    }
    if (status && s->bracket == BRACKET_OPEN)
        s->bracket = BRACKET_BROKEN;
    return status;
}

enum portolan_status store_start_reading(struct portolan_store *s, struct portolan_error *err)
{
    if (s->bracket == BRACKET_OPEN)
        return PORTOLAN_OK;
    return backend_run(s->backend, BEGIN_READ, NULL, err, "");
}

enum portolan_status store_finish_reading(struct portolan_store *s, enum portolan_status status,
                                          struct portolan_error *err)
{
    if (s->bracket == BRACKET_OPEN)
        return status;
    if (!status)
        status = backend_run(s->backend, COMMIT, NULL, err, "");
    if (status)
        backend_run(s->backend, ROLLBACK, NULL, NULL, "");
    return status;
}

enum portolan_status portolan_store_begin(struct portolan_store *s, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (s->bracket != BRACKET_NONE)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "a transaction is open already");
    else if (portolan_store_is_server(s->path)) /* which may be there again */
        status = store_start(s, err);
    else if (!(status = portolan_store_check(s, err)))
        status = store_start(s, err);
    if (status)
        portolan_error_prefix(err, "store '%s'", s->path);
    else
        s->bracket = BRACKET_OPEN;
    return status;
}

enum portolan_status portolan_store_commit(struct portolan_store *s, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (s->bracket != BRACKET_OPEN)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "there is nothing to commit");
    else
        status = backend_run(s->backend, COMMIT, NULL, err, "");
    if (status)
        portolan_error_prefix(err, "store '%s'", s->path);
    if (status)
        portolan_store_rollback(s);
    s->bracket = BRACKET_NONE;
    return status;
}

void portolan_store_rollback(struct portolan_store *s)
{
    if (s->bracket == BRACKET_OPEN) {
        backend_run(s->backend, ROLLBACK, NULL, NULL, "");
        identities_forget(s);
    }
    s->bracket = BRACKET_NONE;
}

struct store_time store_now(void)
{
    time_t now = time(NULL);
    struct store_time t = {""};
    struct tm utc;

    if (gmtime_r(&now, &utc))
        strftime(t.text, sizeof t.text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return t;
}

enum portolan_status store_explain(struct portolan_store *s, enum portolan_status status,
                                   struct portolan_error *err, const char *what)
{
    if (status)
        portolan_error_prefix(err, "store '%s': %s was not stored", s->path, what);
    return status;
}

enum portolan_status store_unread(struct portolan_store *s, enum portolan_status status,
                                  struct portolan_error *err, const char *what, int64_t trial)
{
    if (status)
        portolan_error_prefix(err, "store '%s': %s of trial %lld cannot be read", s->path, what,
                              (long long)trial);
    return status;
}

enum portolan_status store_has_no_trial(int64_t trial, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %lld", (long long)trial);
}

enum portolan_status store_require_trial(struct portolan_store *s, int64_t trial,
                                         struct portolan_error *err)
{
    int64_t found = 0;
    enum portolan_status status = backend_run(s->backend, HAS_TRIAL, &found, err, "i", trial);

    return !status && !found ? store_has_no_trial(trial, err) : status;
}

enum portolan_status store_begin(struct portolan_store *s, int64_t trial,
                                 struct portolan_error *err)
{
    enum portolan_status status = store_start(s, err);

    if (status)
        return status;
    if (!(status = store_require_trial(s, trial, err)))
        status = identities_enter(s, trial, err);
    return status ? store_finish(s, status, err) : PORTOLAN_OK;
}

static enum portolan_status put_pairs(struct portolan_store *s, enum statement which, int64_t trial,
                                      const struct portolan_name_value *pairs, size_t n,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n && !status; ++i)
        status = backend_run(s->backend, which, NULL, err, "itt", trial, pairs[i].name,
                             pairs[i].value ? pairs[i].value : "");
    return status;
}

enum portolan_status portolan_store_begin_trial(struct portolan_store *s,
                                                const struct portolan_trial *t, int64_t *id,
                                                struct portolan_error *err)
{
    int64_t new = 0;
    enum portolan_status status = store_start(s, err);

    if (status)
        return store_explain(s, status, err, "a new trial");
    status = backend_run(s->backend, ADD_TRIAL, &new, err, "ttit", t->assembly, t->purpose,
                         (int64_t)t->ranks, t->started ? t->started : store_now().text);
    if (!status)
        status = put_pairs(s, ADD_PARAMETER, new, t->parameters, t->n_parameters, err);
    if (!status)
        status =
            put_pairs(s, ADD_IMPLEMENTATION, new, t->implementations, t->n_implementations, err);
    if (!status)
        status = put_pairs(s, PUT_METADATA, new, t->metadata, t->n_metadata, err);
    status = store_explain(s, store_finish(s, status, err), err, "a new trial");
    if (!status)
        *id = new;
    return status;
}

enum portolan_status portolan_store_put_metadata(struct portolan_store *s, int64_t trial,
                                                 const struct portolan_name_value *metadata,
                                                 size_t n, struct portolan_error *err)
{
    enum portolan_status status = store_begin(s, trial, err);

    if (!status)
        status = store_finish(s, put_pairs(s, PUT_METADATA, trial, metadata, n, err), err);
    return store_explain(s, status, err, "metadata");
}

enum portolan_status portolan_store_put_rank_facts(struct portolan_store *store, int64_t trial,
                                                   const struct portolan_rank_fact *facts, size_t n,
                                                   struct portolan_error *err)
{
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "metadata of ranks");
    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_rank_fact *f = &facts[i];
        int64_t thread = 0;

        status = identity_of(store, IDENTITY_THREAD, &thread, err, f->rank, f->thread);
        if (!status)
            status = backend_run(store->backend, PUT_RANK_FACT, NULL, err, "iitt", trial, thread,
                                 f->name, f->value ? f->value : "");
    }
    return store_explain(store, store_finish(store, status, err), err, "metadata of ranks");
}

enum portolan_status portolan_store_end_trial(struct portolan_store *s, int64_t trial,
                                              const char *outcome, double elapsed_ns,
                                              struct portolan_error *err)
{
    int64_t found = 0;
    enum portolan_status status =
        backend_run(s->backend, END_TRIAL, &found, err, "itd", trial, outcome, elapsed_ns);

    if (!status && !found)
        status = store_has_no_trial(trial, err);
    return store_explain(s, status, err, "the end of a trial");
}

/* The name of the metadata that says how a rank ended. */
static const char *name_of_end(int rank, char *name, size_t size)
{
    snprintf(name, size, "rank %d ended", rank);
    return name;
}

enum portolan_status store_find_or_begin(struct portolan_store *s, const struct portolan_trial *t,
                                         const char *job, int rank, int64_t *id,
                                         struct portolan_error *err)
{
    const struct portolan_name_value of_job = {.name = "job", .value = job};
    char end[40];
    enum portolan_status status =
        backend_run(s->backend, FIND_JOB, id, err, "tt", job, name_of_end(rank, end, sizeof end));

    if (status || *id)
        return status;
    status = portolan_store_begin_trial(s, t, id, err);
    return status ? status : portolan_store_put_metadata(s, *id, &of_job, 1, err);
}

enum portolan_status portolan_store_join_trial(struct portolan_store *s,
                                               const struct portolan_trial *t, const char *job,
                                               int rank, int64_t *id, struct portolan_error *err)
{
    int64_t found = 0;
    enum portolan_status status = portolan_store_begin(s, err);

    if (status)
        return status;
    status = store_find_or_begin(s, t, job, rank, &found, err);
    if (!status)
        status = portolan_store_commit(s, err);
    portolan_store_rollback(s);
    if (!status)
        *id = found;
    return status;
}

enum portolan_status portolan_store_leave_trial(struct portolan_store *s, int64_t trial, int rank,
                                                const char *outcome, double elapsed_ns,
                                                struct portolan_error *err)
{
    char name[40];
    const struct portolan_name_value end = {.name = name_of_end(rank, name, sizeof name),
                                            .value = outcome};
    enum portolan_status status = portolan_store_begin(s, err);

    if (!status)
        status = portolan_store_put_metadata(s, trial, &end, 1, err);
    if (!status)
        status = store_explain(
            s, backend_run(s->backend, LEAVE_TRIAL, NULL, err, "id", trial, elapsed_ns), err,
            "the end of a rank");
    if (!status)
        status = portolan_store_commit(s, err);
    portolan_store_rollback(s);
    return status;
}

enum portolan_status portolan_store_delete_trial(struct portolan_store *s, int64_t trial,
                                                 struct portolan_error *err)
{
    enum portolan_status status = store_begin(s, trial, err);

    if (!status)
        status = store_finish(s, backend_run(s->backend, DELETE_TRIAL, NULL, err, "i", trial), err);
    identities_forget(s);
    if (status)
        portolan_error_prefix(err, "store '%s': trial %lld was not deleted", s->path,
                              (long long)trial);
    return status;
}

enum portolan_status portolan_store_label_trial(struct portolan_store *s, int64_t trial,
                                                const char *label, struct portolan_error *err)
{
    enum portolan_status status = store_begin(s, trial, err);

    if (!status) {
        if (label && *label)
            status = backend_run(s->backend, PUT_METADATA, NULL, err, "itt", trial,
                                 PORTOLAN_STORE_LABEL, label);
        else
            status = backend_run(s->backend, DELETE_METADATA, NULL, err, "it", trial,
                                 PORTOLAN_STORE_LABEL);
        status = store_finish(s, status, err);
    }
    return store_explain(s, status, err, "a label");
}
