/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes times of computing from a record: the n-th burst of a rank that ends at a call takes what
 * the n-th burst of the record took that ended there. So small changes of a rank's course do not
 * shift all other bursts. */
#include "record.h"

#include <portolan/list.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clue_table {
    /* Bursts of each rank, by site; `place` of a site's first one counts those that have been
     * used. */
    struct record_bursts *ranks;
    int n;
    uint64_t missing;
};

static int by_site(const void *a, const void *b)
{
    const struct record_burst *x = a, *y = b;

    return x->site != y->site ? PORTOLAN_ORDER(x->site, y->site)
                              : PORTOLAN_ORDER(x->place, y->place);
}

/* Adds the bursts of a rank; returns false without memory. */
static bool add_bursts(struct record_bursts *to, struct record_reader r)
{
    while (r.at < r.end) {
        uint64_t operation = record_number(&r), place = record_place(&r), site, bytes;

        if (operation != OPERATION_CALL) {
            if ((bytes = record_skip(&r, operation)) && to->n)
                to->bursts[to->n - 1].like = portolan_mix(to->bursts[to->n - 1].like + bytes);
            continue;
        }
        record_number(&r);
        site = record_number(&r);
        if (!portolan_reserve(&to->bursts, &to->room, to->n + 1, sizeof *to->bursts))
            return false;
        to->bursts[to->n] = (struct record_burst){site, place, site, (int64_t)record_number(&r)};
        to->n++;
    }
    for (size_t i = to->n; i-- > 1;) /* also depends on the call before */
        to->bursts[i].like =
            portolan_mix(to->bursts[i].like ^ portolan_mix(to->bursts[i - 1].like));
    return true;
}

static int by_likeness(const void *a, const void *b)
{
    const struct record_burst *x = a, *y = b;

    return x->like != y->like ? PORTOLAN_ORDER(x->like, y->like) : by_site(a, b);
}

/* Replaces N consecutive bursts that are alike by medians. A few at a time get the median of these
 * and of as many before and after, since work may grow or shrink in the course of a run. */
static void smooth(struct record_burst *bursts, size_t n, double *was)
{
    enum { AT_ONCE = 16, NEAR = 3 * AT_ONCE };
    double near[NEAR];

    for (size_t i = 0; i < n; i++)
        was[i] = (double)bursts[i].ns;
    for (size_t i = 0; i < n; i += AT_ONCE) {
        size_t many = n < NEAR ? n : NEAR, first = i < AT_ONCE ? 0 : i - AT_ONCE;

        first = first < n - many ? first : n - many;
        memcpy(near, was + first, many * sizeof *near);
        near[0] = portolan_sort_to_median(many, near);
        for (size_t k = i; k < n && k < i + AT_ONCE; k++)
            bursts[k].ns = llround(near[0]);
    }
}

static bool smooth_all(struct record_bursts *ranks, int n)
{
    for (int i = 0; i < n; i++) {
        struct record_burst *all = ranks[i].bursts;
        double *was = portolan_calloc(ranks[i].n, sizeof *was);

        if (!was && ranks[i].n)
            return false;
        if (ranks[i].n)
            qsort(all, ranks[i].n, sizeof *all, by_likeness);
        for (size_t k = 0, first = 0; k < ranks[i].n; k++)
            if (k + 1 == ranks[i].n || all[k + 1].like != all[first].like) {
                smooth(all + first, k + 1 - first, was);
                first = k + 1;
            }
        if (ranks[i].n)
            qsort(all, ranks[i].n, sizeof *all, by_site);
        free(was);
    }
    return true;
}

void record_bursts_free(struct record_bursts *ranks, int n)
{
    for (int i = 0; ranks && i < n; i++)
        free(ranks[i].bursts);
    free(ranks);
}

struct record_bursts *record_bursts_of(const struct record *record)
{
    struct record_bursts *ranks = portolan_calloc((size_t)record->n, sizeof *ranks);

    for (int i = 0; ranks && i < record->n; i++) {
        if (!add_bursts(&ranks[i], record->ranks[i].own)) {
            record_bursts_free(ranks, record->n);
            return NULL;
        }
        if (ranks[i].n)
            qsort(ranks[i].bursts, ranks[i].n, sizeof *ranks[i].bursts, by_site);
    }
    return ranks;
}

struct record_bursts *record_medians_of(const struct record *record)
{
    struct record_bursts *ranks = record_bursts_of(record);

    if (!ranks || smooth_all(ranks, record->n))
        return ranks;
    record_bursts_free(ranks, record->n);
    return NULL;
}

size_t record_first_burst(const struct record_bursts *b, uint64_t site)
{
    size_t low = 0, high = b->n;

    PORTOLAN_BISECT(low, high, b->bursts[middle].site < site);
    return low;
}

int64_t record_burst_at(const struct record_bursts *b, uint64_t site, uint64_t place)
{
    size_t at = record_first_burst(b, site), end = b->n;

    PORTOLAN_BISECT(at, end, b->bursts[middle].site == site && b->bursts[middle].place < place)
    return b->bursts[at].ns;
}

enum portolan_status clue_table_begin(struct carrier *c, struct portolan_error *err)
{
    const struct record *record = c->run->table;
    struct clue_table *table = c->table = portolan_calloc(1, sizeof *table);

    if (!table)
        return portolan_no_memory(err);
    table->n = record->n;
    table->ranks = c->run->is_median ? record_medians_of(record) : record_bursts_of(record);
    for (int i = 0; table->ranks && i < record->n; i++)
        for (size_t k = 0; k < table->ranks[i].n; k++)
            table->ranks[i].bursts[k].place = 0;
    return table->ranks ? PORTOLAN_OK : portolan_no_memory(err);
}

int64_t clue_table_ns(struct clue_table *table, int number, uint64_t site)
{
    struct record_bursts *rank = number < table->n ? &table->ranks[number] : NULL;
    size_t low = rank ? record_first_burst(rank, site) : 0, at;

    if (!rank || low == rank->n || rank->bursts[low].site != site) {
        table->missing++;
        return 0;
    }
    at = low + rank->bursts[low].place++;
    if (at < rank->n && rank->bursts[at].site == site)
        return rank->bursts[at].ns;
    table->missing++;
    rank->bursts[low].place--;
    return rank->bursts[at - 1].ns;
}

uint64_t clue_table_end(struct carrier *c)
{
    uint64_t missing = c->table ? c->table->missing : 0;

    if (c->table)
        record_bursts_free(c->table->ranks, c->table->n);
    free(c->table);
    c->table = NULL;
    return missing;
}
