/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening, trials, and what was concluded from them. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

enum { BUSY_MS = 5000 };

enum portolan_status store_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                struct portolan_store **store, struct portolan_error *err)
{
    struct portolan_store *s = portolan_calloc(1, sizeof *s);
    enum portolan_status status = PORTOLAN_ENOMEM;

    *store = NULL;
    if (!s || !(s->path = portolan_strdup(path)))
        portolan_error_set(err, status, "out of memory");
    else
        status = backend_open(path, mode, busy_ms, &s->backend, err);
    if (status) {
        portolan_error_prefix(err, "store '%s'", path);
        portolan_store_close(s);
        return status;
    }
    *store = s;
    return PORTOLAN_OK;
}

enum portolan_status portolan_store_open(const char *path, enum portolan_store_mode mode,
                                         struct portolan_store **store, struct portolan_error *err)
{
    return store_open(path, mode, BUSY_MS, store, err);
}

void portolan_store_close(struct portolan_store *s)
{
    if (!s)
        return;
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
        return portolan_error_set(err, PORTOLAN_EIO, "what belongs to it was not stored");
    default:
        return backend_run(s->backend, BEGIN_WRITE, NULL, err, "");
    }
}

enum portolan_status store_finish(struct portolan_store *s, enum portolan_status status,
                                  struct portolan_error *err)
{
    if (!status && s->bracket == BRACKET_NONE)
        status = backend_run(s->backend, COMMIT, NULL, err, "");
    /* A full disk may have rolled back already; then this fails, which is as well. */
    if (status && s->bracket != BRACKET_BROKEN)
        backend_run(s->backend, ROLLBACK, NULL, NULL, "");
    if (status && s->bracket == BRACKET_OPEN)
        s->bracket = BRACKET_BROKEN;
    return status;
}

enum portolan_status portolan_store_begin(struct portolan_store *s, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (s->bracket != BRACKET_NONE)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "a transaction is open already");
    else
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
    if (s->bracket == BRACKET_OPEN)
        backend_run(s->backend, ROLLBACK, NULL, NULL, "");
    s->bracket = BRACKET_NONE;
}

/* Says what was not stored, and where. */
static enum portolan_status explain(struct portolan_store *s, enum portolan_status status,
                                    struct portolan_error *err, const char *what)
{
    if (status)
        portolan_error_prefix(err, "store '%s': %s was not stored", s->path, what);
    return status;
}

static enum portolan_status require_trial(struct portolan_store *s, int64_t trial,
                                          struct portolan_error *err)
{
    int64_t found = 0;
    enum portolan_status status = backend_run(s->backend, HAS_TRIAL, &found, err, "i", trial);

    if (!status && !found)
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %lld", (long long)trial);
    return status;
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
        return explain(s, status, err, "a new trial");
    status = backend_run(s->backend, ADD_TRIAL, &new, err, "ttit", t->assembly, t->purpose,
                         (int64_t)t->ranks, t->started);
    if (!status)
        status = put_pairs(s, ADD_PARAMETER, new, t->parameters, t->n_parameters, err);
    if (!status)
        status =
            put_pairs(s, ADD_IMPLEMENTATION, new, t->implementations, t->n_implementations, err);
    if (!status)
        status = put_pairs(s, PUT_METADATA, new, t->metadata, t->n_metadata, err);
    status = explain(s, store_finish(s, status, err), err, "a new trial");
    if (!status)
        *id = new;
    return status;
}

enum portolan_status portolan_store_put_metadata(struct portolan_store *s, int64_t trial,
                                                 const struct portolan_name_value *metadata,
                                                 size_t n, struct portolan_error *err)
{
    enum portolan_status status = store_start(s, err);

    if (status)
        return explain(s, status, err, "metadata");
    if (!(status = require_trial(s, trial, err)))
        status = put_pairs(s, PUT_METADATA, trial, metadata, n, err);
    return explain(s, store_finish(s, status, err), err, "metadata");
}

enum portolan_status portolan_store_end_trial(struct portolan_store *s, int64_t trial,
                                              const char *outcome, double elapsed_ns,
                                              struct portolan_error *err)
{
    enum portolan_status status =
        backend_run(s->backend, END_TRIAL, NULL, err, "itd", trial, outcome, elapsed_ns);

    if (!status && !backend_changes(s->backend))
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %lld", (long long)trial);
    return explain(s, status, err, "the end of a trial");
}

enum portolan_status portolan_store_put_model(struct portolan_store *s,
                                              const struct portolan_stored_model *m,
                                              struct portolan_error *err)
{
    enum portolan_status status =
        backend_run(s->backend, PUT_MODEL, NULL, err, "ttttttt", m->assembly, m->instance,
                    m->implementation, m->method, m->scope ? m->scope : "", m->quantity, m->xml);

    return explain(s, status, err, "a model");
}

enum portolan_status portolan_store_put_swap(struct portolan_store *s,
                                             const struct portolan_swap *w,
                                             struct portolan_error *err)
{
    enum portolan_status status = require_trial(s, w->trial, err);

    if (!status)
        status = backend_run(s->backend, ADD_SWAP, NULL, err, "iittttt", w->trial, (int64_t)w->step,
                             w->instance, w->from, w->to, w->reason ? w->reason : "", w->outcome);
    return explain(s, status, err, "a swap");
}

enum portolan_status portolan_store_put_decision(struct portolan_store *s,
                                                 const struct portolan_decision *d, int64_t *id,
                                                 struct portolan_error *err)
{
    int64_t new = 0;
    enum portolan_status status = d->trial ? require_trial(s, d->trial, err) : PORTOLAN_OK;

    if (!status)
        status =
            backend_run(s->backend, ADD_DECISION, &new, err, "itttitdddtt", d->trial, d->assembly,
                        d->parameters, d->host, (int64_t)d->ranks, d->choice, d->predicted_ns,
                        d->low_ns, d->high_ns, d->reason ? d->reason : "", d->decided);
    if (!status && id)
        *id = new;
    return explain(s, status, err, "a decision");
}

/* A decision with its texts. */
struct found {
    struct portolan_decision d;
    struct texts *texts;
};

void portolan_decision_destroy(struct portolan_decision *d)
{
    struct found *f = (struct found *)d;

    if (!f)
        return;
    texts_destroy(f->texts);
    free(f);
}

static enum portolan_status take_decision(struct backend *b, enum statement which,
                                          struct portolan_decision **d)
{
    struct found *f = portolan_calloc(1, sizeof *f);
    const char **texts[6];

    if (!f || !(f->texts = texts_create())) {
        free(f);
        return PORTOLAN_ENOMEM;
    }
    texts[0] = &f->d.assembly;
    texts[1] = &f->d.parameters;
    texts[2] = &f->d.host;
    texts[3] = &f->d.choice;
    texts[4] = &f->d.reason;
    texts[5] = &f->d.decided;
    f->d.id = backend_int(b, which, 0);
    f->d.trial = backend_int(b, which, 1);
    f->d.ranks = (int)backend_int(b, which, 2);
    f->d.predicted_ns = backend_double(b, which, 3);
    f->d.low_ns = backend_double(b, which, 4);
    f->d.high_ns = backend_double(b, which, 5);
    for (int i = 0; i < 6; ++i) {
        if (!(*texts[i] = texts_intern(f->texts, backend_text(b, which, 6 + i)))) {
            portolan_decision_destroy(&f->d);
            return PORTOLAN_ENOMEM;
        }
    }
    *d = &f->d;
    return PORTOLAN_OK;
}

/* The first row of a query that has been begun with STATUS; closes it. */
static enum portolan_status take_first(struct portolan_store *s, enum statement which,
                                       enum portolan_status status, struct portolan_decision **d,
                                       struct portolan_error *err)
{
    bool row = false;

    *d = NULL;
    if (!status)
        status = backend_next(s->backend, which, &row, err);
    if (!status && row && (status = take_decision(s->backend, which, d)))
        portolan_error_set(err, status, "out of memory");
    backend_reset(s->backend, which);
    if (status)
        portolan_error_prefix(err, "store '%s': decisions cannot be read", s->path);
    return status;
}

enum portolan_status portolan_store_find_decision(struct portolan_store *s, const char *assembly,
                                                  const char *parameters, const char *host,
                                                  int ranks, struct portolan_decision **d,
                                                  struct portolan_error *err)
{
    return take_first(s, FIND_DECISION,
                      backend_query(s->backend, FIND_DECISION, err, "ttti", assembly, parameters,
                                    host, (int64_t)ranks),
                      d, err);
}

enum portolan_status portolan_store_find_trial_decision(struct portolan_store *s, int64_t trial,
                                                        struct portolan_decision **d,
                                                        struct portolan_error *err)
{
    return take_first(s, FIND_TRIAL_DECISION,
                      backend_query(s->backend, FIND_TRIAL_DECISION, err, "i", trial), d, err);
}
