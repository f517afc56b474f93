/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <stdlib.h>
#include <string.h>

static enum portolan_status alone_bcast(struct portolan_cohort *c, void *buffer, size_t size_bytes,
                                        int root)
{
    (void)c, (void)buffer, (void)size_bytes;
    return root == 0 ? PORTOLAN_OK : PORTOLAN_EINVAL;
}

static enum portolan_status alone_keep(struct portolan_cohort *c, double *values, size_t count)
{
    (void)c, (void)values, (void)count;
    return PORTOLAN_OK;
}

static enum portolan_status alone_gather(struct portolan_cohort *c, const void *bytes,
                                         size_t size_bytes, void **all, size_t *sizes_bytes)
{
    (void)c;
    *all = malloc(size_bytes ? size_bytes : 1);
    if (!*all)
        return PORTOLAN_ENOMEM;
    if (size_bytes)
        memcpy(*all, bytes, size_bytes);
    if (sizes_bytes)
        sizes_bytes[0] = size_bytes;
    return PORTOLAN_OK;
}

static enum portolan_status alone_reduce(struct portolan_cohort *c, void **bytes,
                                         size_t *size_bytes, portolan_cohort_merge_fn merge,
                                         void *arg)
{
    (void)c, (void)bytes, (void)size_bytes, (void)merge, (void)arg;
    return PORTOLAN_OK;
}

struct portolan_cohort *portolan_cohort_alone(void)
{
    static struct portolan_cohort alone = {.rank = 0,
                                           .size = 1,
                                           .bcast = alone_bcast,
                                           .max = alone_keep,
                                           .sum = alone_keep,
                                           .gather = alone_gather,
                                           .reduce = alone_reduce};

    return &alone;
}

enum portolan_status portolan_cohort_agree(struct portolan_cohort *c, enum portolan_status status,
                                           struct portolan_error *err)
{
    double lowest_failing = status == PORTOLAN_OK ? -(double)c->size : -(double)c->rank;
    double failing = status != PORTOLAN_OK;
    struct portolan_error verdict = {0};
    enum portolan_status sent;
    int from;

    if (c->size == 1)
        return status;
    sent = c->max(c, &lowest_failing, 1);
    if (sent != PORTOLAN_OK)
        return portolan_error_set(err, sent, "the ranks could not agree: %s",
                                  portolan_status_text(sent));
    from = (int)-lowest_failing;
    if (from == c->size)
        return PORTOLAN_OK;
    if (c->rank == from)
        portolan_error_set(&verdict, status, "%s",
                           err && err->status ? err->text : portolan_status_text(status));
    sent = c->sum(c, &failing, 1);
    if (failing < c->size) /* else the cause lies on no rank in particular */
        portolan_error_prefix(&verdict, "rank %d", from);
    if (sent == PORTOLAN_OK)
        sent = c->bcast(c, &verdict, sizeof verdict, from);
    if (sent != PORTOLAN_OK)
        return portolan_error_set(err, sent, "the ranks could not agree: %s",
                                  portolan_status_text(sent));
    if (err)
        *err = verdict;
    return verdict.status;
}

enum portolan_status portolan_cohort_share(struct portolan_cohort *c, char **text, size_t *size,
                                           enum portolan_status status, struct portolan_error *err)
{
    uint64_t room = *text ? *size + 1 : 0;

    status = portolan_cohort_agree(c, status, err);
    if (status == PORTOLAN_OK)
        status = c->bcast(c, &room, sizeof room, 0);
    if (status != PORTOLAN_OK || room == 0)
        return status;
    *size = room - 1;
    if (c->rank != 0 && !(*text = portolan_calloc(room, 1)))
        status = portolan_no_memory(err);
    status = portolan_cohort_agree(c, status, err);
    return status == PORTOLAN_OK ? c->bcast(c, *text, room, 0) : status;
}
