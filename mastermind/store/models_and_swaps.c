/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores conclusions from trials: models, decisions, swaps. */
#include "internal.h"

#include <stdlib.h>

enum portolan_status portolan_store_put_model(struct portolan_store *s,
                                              const struct portolan_stored_model *m,
                                              struct portolan_error *err)
{
    enum portolan_status status = store_start(s, err);

    if (!status)
        status = store_finish(s,
                              backend_run(s->backend, PUT_MODEL, NULL, err, "tttttttt", m->assembly,
                                          m->instance, m->implementation, m->method,
                                          m->scope ? m->scope : "", m->quantity, m->xml,
                                          store_now().text),
                              err);
    return store_explain(s, status, err, "a model");
}

enum portolan_status portolan_store_put_swap(struct portolan_store *s,
                                             const struct portolan_swap *w,
                                             struct portolan_error *err)
{
    enum portolan_status status = store_begin(s, w->trial, err);

    if (!status)
        status = store_finish(s,
                              backend_run(s->backend, ADD_SWAP, NULL, err, "iittttt", w->trial,
                                          (int64_t)w->step, w->instance, w->from, w->to,
                                          w->reason ? w->reason : "", w->outcome),
                              err);
    return store_explain(s, status, err, "a swap");
}

enum portolan_status portolan_store_put_decision(struct portolan_store *s,
                                                 const struct portolan_decision *d, int64_t *id,
                                                 struct portolan_error *err)
{
    int64_t new = 0;
    enum portolan_status status = store_start(s, err);

    if (status)
        return store_explain(s, status, err, "a decision");
    if (d->trial)
        status = store_require_trial(s, d->trial, err);
    if (!status)
        status = backend_run(s->backend, ADD_DECISION, &new, err, "itttitdddtt", d->trial,
                             d->assembly, d->parameters, d->host, (int64_t)d->ranks, d->choice,
                             d->predicted_ns, d->low_ns, d->high_ns, d->reason ? d->reason : "",
                             d->decided ? d->decided : store_now().text);
    status = store_finish(s, status, err);
    if (!status && id)
        *id = new;
    return store_explain(s, status, err, "a decision");
}

enum portolan_status portolan_store_lift_veto(struct portolan_store *s, const char *assembly,
                                              const char *instance, const char *implementation,
                                              struct portolan_error *err)
{
    enum portolan_status status = store_start(s, err);

    if (!status)
        status = store_finish(s,
                              backend_run(s->backend, LIFT_VETO, NULL, err, "ttt", assembly,
                                          instance, implementation),
                              err);
    return store_explain(s, status, err, "a lifted veto");
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
    static const struct column columns[] = {
        COLUMN(INT64, portolan_decision, id),      COLUMN(INT64, portolan_decision, trial),
        COLUMN(INT, portolan_decision, ranks),     COLUMN(DOUBLE, portolan_decision, predicted_ns),
        COLUMN(DOUBLE, portolan_decision, low_ns), COLUMN(DOUBLE, portolan_decision, high_ns),
        COLUMN(TEXT, portolan_decision, assembly), COLUMN(TEXT, portolan_decision, parameters),
        COLUMN(TEXT, portolan_decision, host),     COLUMN(TEXT, portolan_decision, choice),
        COLUMN(TEXT, portolan_decision, reason),   COLUMN(TEXT, portolan_decision, decided),
    };
    struct found *f = portolan_calloc(1, sizeof *f);

    if (!f || !(f->texts = texts_create()) ||
        !columns_take(columns, sizeof columns / sizeof *columns, b, which, 0, f->texts, &f->d)) {
        portolan_decision_destroy(f ? &f->d : NULL);
        return PORTOLAN_ENOMEM;
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
