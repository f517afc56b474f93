/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder_internal.h"

#include <stdlib.h>
#include <string.h>

struct rounds {
    struct portolan_cohort *cohort;
    int32_t *of;   /* the round of each rank; they are the same on all ranks */
    size_t *sizes; /* of one round's blocks */
    gather_visit_fn visit;
    void *arg;
};

/* Rank 0: puts ranks into one round as long as their blocks fit. */
static void plan(int32_t *of, const uint64_t *sizes, int ranks, size_t limit_bytes)
{
    uint64_t used = 0;
    int32_t round = 0;

    for (int r = 0; r < ranks; ++r) {
        if (used && used + sizes[r] > limit_bytes) {
            ++round;
            used = 0;
        }
        used += sizes[r];
        of[r] = round;
    }
}

/* Which rank sends in which round: all in one if their blocks fit. */
static enum portolan_status agree_on_rounds(struct rounds *all, size_t size_bytes, double total,
                                            size_t limit_bytes, struct portolan_error *err)
{
    struct portolan_cohort *c = all->cohort;
    uint64_t mine = size_bytes;
    enum portolan_status status;
    void *sizes = NULL;

    if (total <= (double)limit_bytes)
        return PORTOLAN_OK;
    status = c->gather(c, &mine, sizeof mine, &sizes, all->sizes);
    if (!status && c->rank == 0)
        plan(all->of, sizes, c->size, limit_bytes);
    free(sizes);
    if (!status)
        status = c->bcast(c, all->of, (size_t)c->size * sizeof *all->of, 0);
    if (status)
        portolan_error_set(err, status, "the sizes of the ranks' blocks did not arrive");
    return portolan_cohort_agree(c, status, err);
}

static enum portolan_status run_round(struct rounds *all, int32_t round, const void *bytes,
                                      size_t size_bytes, enum portolan_status status,
                                      struct portolan_error *err)
{
    struct portolan_cohort *c = all->cohort;
    bool is_mine = all->of[c->rank] == round;
    void *blocks = NULL;
    enum portolan_status sent = c->gather(c, bytes, is_mine ? size_bytes : 0, &blocks, all->sizes);
    const char *at = blocks;

    if (sent && !status)
        status = portolan_error_set(err, sent, "blocks of other ranks did not arrive");
    for (int r = 0; c->rank == 0 && r < c->size && !status; at += all->sizes[r++])
        if (all->sizes[r])
            status = all->visit(all->arg, r, at, all->sizes[r], err);
    free(blocks);
    return status;
}

enum portolan_status gather_blocks(struct portolan_cohort *c, enum portolan_status status,
                                   const void *bytes, size_t size_bytes, size_t limit_bytes,
                                   gather_visit_fn visit, void *arg, double *total,
                                   struct portolan_error *err)
{
    struct rounds all = {.cohort = c, .visit = visit, .arg = arg};
    double sums[2];

    all.of = portolan_calloc((size_t)c->size, sizeof *all.of);
    all.sizes = portolan_calloc((size_t)c->size, sizeof *all.sizes);
    if (!status && (!all.of || !all.sizes))
        status = portolan_no_memory(err);
    sums[0] = status != PORTOLAN_OK;
    sums[1] = (double)size_bytes;
    if (c->sum(c, sums, 2))
        status = portolan_error_set(err, PORTOLAN_EINTERNAL, "the ranks' sizes did not arrive");
    else if (sums[0] > 0)
        status = portolan_cohort_agree(c, status, err);
    else if (sums[1] > 0)
        status = agree_on_rounds(&all, size_bytes, sums[1], limit_bytes, err);
    if (!status && sums[1] > 0) {
        for (int32_t round = 0, last = all.of[c->size - 1]; round <= last; ++round)
            status = run_round(&all, round, bytes, size_bytes, status, err);
        status = portolan_cohort_agree(c, status, err);
    }
    if (total)
        *total = sums[1];
    free(all.of);
    free(all.sizes);
    return status;
}

enum portolan_status gather_packed(struct portolan_recorder *r, enum portolan_status status,
                                   gather_pack_fn pack, gather_visit_fn put, double *total,
                                   struct portolan_error *err)
{
    void *bytes = NULL;
    size_t size = 0;

    if (!status)
        status = pack(r, &bytes, &size, err);
    status = gather_blocks(r->cohort, status, bytes, size, GATHER_BYTES, put, r, total, err);
    free(bytes);
    return status;
}

enum portolan_status gather_find_most(struct portolan_cohort *c, double value, int *rank)
{
    double most = value, who;
    enum portolan_status status = c->max(c, &most, 1);

    who = value >= most ? -(double)c->rank : -(double)c->size;
    if (!status)
        status = c->max(c, &who, 1);
    *rank = status ? 0 : (int)-who;
    return status;
}
