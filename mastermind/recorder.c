/* SPDX-License-Identifier: BSD-3-Clause */
#include "piece.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status portolan_recorder_open(struct portolan_recorder *r,
                                            struct portolan_cohort *cohort,
                                            const struct portolan_assembly *assembly,
                                            const char *path, struct portolan_error *err)
{
    r->cohort = cohort;
    r->assembly = assembly;
    r->source = &piece_own_source;
    r->step = -1;
    if (cohort->rank != 0)
        return PORTOLAN_OK;
    return portolan_store_open(path && *path ? path : ":memory:", PORTOLAN_STORE_WRITE, &r->store,
                               err);
}

void portolan_recorder_close(struct portolan_recorder *r)
{
    portolan_store_close(r->store);
    portolan_facts_clear(&r->facts);
    piece_clear(&r->piece);
    portolan_probe_snapshot_clear(&r->before);
    portolan_probe_snapshot_clear(&r->now);
    *r = (struct portolan_recorder){0};
}

/* What a trial knows from its assembly. */
static void describe(const struct portolan_assembly *a, struct portolan_facts *parameters,
                     struct portolan_facts *implementations)
{
    for (size_t i = 0; i < a->n_instances; ++i) {
        const struct portolan_assembly_instance *instance = &a->instances[i];
        const struct portolan_assembly_alternative *chosen =
            &instance->alternatives[instance->selected];

        portolan_facts_put(implementations, instance->name, chosen->class_name);
        for (size_t k = 0; k < chosen->n_parameters; ++k) {
            char *name = portolan_asprintf("%s.%s", instance->name, chosen->parameters[k].name);

            parameters->failed = parameters->failed || !name;
            if (name)
                portolan_facts_put(parameters, name, chosen->parameters[k].text);
            free(name);
        }
    }
}

/* Rank 0 only. */
static enum portolan_status begin_trial(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_facts parameters = {0}, implementations = {0};
    enum portolan_status status = PORTOLAN_ENOMEM;

    portolan_facts_put_machine(&r->facts);
    r->source->put_objects(r->source->self, &r->facts);
    if (r->assembly)
        describe(r->assembly, &parameters, &implementations);
    if (parameters.failed || implementations.failed || r->facts.failed) {
        portolan_error_set(err, status, "no memory for a trial's facts");
        r->facts.failed = false; /* the next cut puts them again */
    } else {
        const struct portolan_trial trial = {
            .assembly = r->assembly && r->assembly->name ? r->assembly->name : "",
            .purpose = r->assembly && r->assembly->purpose ? r->assembly->purpose : "run",
            .ranks = r->cohort->size,
            .n_parameters = parameters.n,
            .parameters = parameters.pairs,
            .n_implementations = implementations.n,
            .implementations = implementations.pairs,
            .n_metadata = r->facts.n,
            .metadata = r->facts.pairs,
        };

        status = portolan_store_begin_trial(r->store, &trial, &r->trial, err);
    }
    portolan_facts_clear(&parameters);
    portolan_facts_clear(&implementations);
    if (!status)
        portolan_facts_clear(&r->facts);
    return status;
}

/* Collective: the trial's number on all ranks. */
static enum portolan_status share_trial(struct portolan_recorder *r, enum portolan_status status,
                                        struct portolan_error *err)
{
    status = portolan_cohort_agree(r->cohort, status, err);
    if (!status && r->cohort->bcast(r->cohort, &r->trial, sizeof r->trial, 0))
        status = portolan_error_set(err, PORTOLAN_EINTERNAL, "the trial's number did not arrive");
    return status;
}

/* What is measured for others counts as its callers' own time; *FOUND says whether there was any.
 */
static enum portolan_status take_own(struct portolan_recorder *r, struct portolan_probe_snapshot *s,
                                     bool *found, struct portolan_error *err)
{
    enum portolan_status status = r->source->take(r->source->self, s, err);
    size_t all = s->count;

    portolan_probe_snapshot_select(s, false);
    *found = s->count < all;
    return status;
}

/* Where the probe cannot be emptied (another thread is inside a call), the difference tells. */
static enum portolan_status take_piece(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_probe_snapshot keep;
    bool others;
    enum portolan_status status = take_own(r, &r->now, &others, err);

    if (!status)
        status = piece_difference(r->source, &r->before, &r->now, r->cohort->rank, &r->piece, err);
    if (status)
        return status;
    r->piece.n_partial =
        r->source->was_partial && r->source->was_partial(r->source->self, &r->mark);
    r->elapsed_ns += r->piece.root_ns;
    if (r->source->restart && !r->source->restart(r->source->self)) {
        r->before.count = 0;
        /* the others' records go on, and with them what they add to their callers */
        return others ? take_own(r, &r->before, &others, err) : PORTOLAN_OK;
    }
    keep = r->before;
    r->before = r->now;
    r->now = keep;
    return PORTOLAN_OK;
}

/* Who reads the store must not take the step for a whole one. */
static void note_partial(struct portolan_recorder *r, int n_ranks)
{
    char name[60], value[100];

    snprintf(name, sizeof name, PORTOLAN_STORE_PARTIAL "%d", r->step);
    snprintf(value, sizeof value, "not all was measured on %d of %d ranks", n_ranks,
             r->cohort->size);
    portolan_facts_put(&r->facts, name, value);
}

/* Rank 0: the blocks of all ranks, one behind the other, into one transaction. */
static enum portolan_status store_blocks(struct portolan_recorder *r, const char *all,
                                         const size_t *sizes, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    struct portolan_piece whole = {0};

    for (int rank = 0; rank < r->cohort->size && !status; all += sizes[rank++])
        status = piece_unpack(&whole, all, sizes[rank], err);
    if (whole.n_partial)
        note_partial(r, whole.n_partial);
    if (!status && r->facts.n)
        status = portolan_store_put_metadata(r->store, r->trial, r->facts.pairs, r->facts.n, err);
    if (!status) {
        portolan_facts_clear(&r->facts);
        status = portolan_store_put_step(r->store, r->trial, r->step, whole.samples, whole.n, err);
    }
    piece_clear(&whole);
    return status;
}

/* Collective. */
static enum portolan_status store_piece(struct portolan_recorder *r, enum portolan_status status,
                                        struct portolan_error *err)
{
    size_t *sizes = portolan_calloc((size_t)r->cohort->size, sizeof *sizes), size = 0;
    void *bytes = NULL, *all = NULL;

    if (!sizes)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if (!status)
        status = piece_pack(&r->piece, &bytes, &size, err);
    status = portolan_cohort_agree(r->cohort, status, err);
    if (!status && r->cohort->gather(r->cohort, bytes, size, &all, sizes))
        status =
            portolan_error_set(err, PORTOLAN_EINTERNAL, "samples of other ranks did not arrive");
    if (!status && r->cohort->rank == 0)
        status = store_blocks(r, all, sizes, err);
    free(bytes);
    free(sizes);
    free(all);
    return portolan_cohort_agree(r->cohort, status, err);
}

enum portolan_status portolan_recorder_cut(struct portolan_recorder *r, int next_step,
                                           struct portolan_error *err)
{
    enum portolan_status status = take_piece(r, err);

    if (!r->trial) {
        if (!status && r->cohort->rank == 0)
            status = begin_trial(r, err);
        status = share_trial(r, status, err);
        if (status)
            return status;
    }
    status = store_piece(r, status, err);
    r->step = next_step;
    return status;
}

static void put_last_facts(struct portolan_recorder *r)
{
    r->source->put_objects(r->source->self, &r->facts); /* those loaded meanwhile too */
    if (r->source->put_gaps)
        r->source->put_gaps(r->source->self, &r->facts);
}

enum portolan_status portolan_recorder_end(struct portolan_recorder *r, struct portolan_error *err)
{
    enum portolan_status status, ended = PORTOLAN_OK;
    double worst[2] = {0, 0};

    if (!r->trial) { /* nothing ran, nothing to keep */
        take_own(r, &r->now, &(bool){false}, NULL);
        for (size_t i = 0; i < r->now.count; ++i)
            worst[0] += (double)r->now.records[i].calls;
        if (r->cohort->max(r->cohort, worst, 1) || worst[0] <= 0)
            return PORTOLAN_OK;
    }
    if (r->cohort->rank == 0)
        put_last_facts(r);
    status = portolan_recorder_cut(r, r->step + 1, err);
    worst[0] = r->elapsed_ns;
    worst[1] = r->failed || status;
    if (r->cohort->max(r->cohort, worst, 2))
        ended = portolan_error_set(err, PORTOLAN_EINTERNAL, "the ranks' times did not arrive");
    else if (r->store && r->trial)
        ended = portolan_store_end_trial(r->store, r->trial, worst[1] > 0 ? "failed" : "finished",
                                         worst[0], err);
    ended = portolan_cohort_agree(r->cohort, ended, err);
    return status ? status : ended;
}
