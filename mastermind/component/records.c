/* SPDX-License-Identifier: BSD-3-Clause */
/* The records port gives other components access to the store. */
#include "mastermind.h"
#include "recorder_internal.h"

static struct portolan_recorder *recorder_of(struct portolan_records *self)
{
    return &((struct mastermind_records *)self)->mastermind->recorder;
}

static enum portolan_status read_all(struct portolan_records *self,
                                     const struct portolan_store_query *query,
                                     struct portolan_sample_set **set, struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    if (r->store)
        return portolan_store_read(r->store, query, true, set, err);
    if (portolan_sample_set_create(set))
        return portolan_no_memory(err);
    return PORTOLAN_OK;
}

static enum portolan_status latest(struct portolan_records *self,
                                   const struct portolan_sample **samples, size_t *n,
                                   struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    (void)err;
    *samples = r->piece.samples;
    *n = r->piece.n_partial ? 0 : r->piece.n; /* half of a step says nothing about the next */
    return PORTOLAN_OK;
}

static void slowest(struct portolan_records *self, const struct portolan_sample **samples,
                    size_t *n)
{
    step_find_slowest(recorder_of(self), samples, n);
}

static int64_t trial(struct portolan_records *self)
{
    return recorder_of(self)->trial;
}

static enum portolan_status put_decision(struct portolan_records *self,
                                         const struct portolan_decision *d, int64_t *id,
                                         struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    if (id)
        *id = 0;
    return r->store ? portolan_store_put_decision(r->store, d, id, err) : PORTOLAN_OK;
}

static enum portolan_status put_swap(struct portolan_records *self, const struct portolan_swap *s,
                                     struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);
    struct portolan_swap swap = *s;

    if (!swap.trial)
        swap.trial = r->trial;
    return r->store ? portolan_store_put_swap(r->store, &swap, err) : PORTOLAN_OK;
}

static enum portolan_status put_model(struct portolan_records *self,
                                      const struct portolan_stored_model *m,
                                      struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    return r->store ? portolan_store_put_model(r->store, m, err) : PORTOLAN_OK;
}

static enum portolan_status find_decision(struct portolan_records *self, const char *assembly,
                                          const char *parameters, const char *host, int ranks,
                                          struct portolan_decision **d, struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    *d = NULL;
    if (!r->store)
        return PORTOLAN_OK;
    return portolan_store_find_decision(r->store, assembly, parameters, host, ranks, d, err);
}

/* Who said so first knows best. */
static void mark_failed(struct portolan_records *self, const char *why)
{
    struct portolan_recorder *r = recorder_of(self);

    if (r->failed)
        return;
    r->failed = true;
    portolan_facts_put(&r->facts, "failure", why);
    r->facts.failed = false; /* the outcome is what counts */
}

static void put_fact(struct portolan_records *self, const char *name, const char *value)
{
    struct portolan_recorder *r = recorder_of(self);

    if (r->store)
        portolan_facts_put(&r->facts, name, value);
}

const struct portolan_records_ops mastermind_records_ops = {
    .size = sizeof(struct portolan_records_ops),
    .abi = PORTOLAN_RECORDS_ABI,
    .read = read_all,
    .latest = latest,
    .slowest = slowest,
    .trial = trial,
    .put_decision = put_decision,
    .put_swap = put_swap,
    .put_model = put_model,
    .find_decision = find_decision,
    .mark_failed = mark_failed,
    .put_fact = put_fact,
};
