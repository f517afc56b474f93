/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of computing out of a record: the n-th burst of a rank that ends at a call is the n-th of
 * the record that ended there, so that small changes of the course do not shift all others. */
#include "record.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

struct table_burst {
    uint64_t site;
    size_t number; /* in the order of the record */
    int64_t ns;
};
/* Bursts of a rank, by site; the first of each site has in `number` how many are used. */
struct table_rank {
    struct table_burst *bursts;
    size_t n, room;
};

static struct {
    struct table_rank *ranks;
    int n;
    uint64_t missing;
} table;

static int by_site(const void *a, const void *b)
{
    const struct table_burst *x = a, *y = b;

    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Numbers of each operation but CALL. */
static void skip(struct record_reader *r, uint64_t operation)
{
    static const uint8_t numbers[] = {
        [RECORD_SEND] = 8,    [RECORD_RECEIVE] = 5, [RECORD_WAIT] = 1,  [RECORD_COMPLETE] = 1,
        [RECORD_CANCEL] = 1,  [RECORD_FREE] = 1,    [RECORD_PROBE] = 5, [RECORD_MEET] = 7,
        [RECORD_COMPUTE] = 1, [RECORD_SLEEP] = 1,   [RECORD_SPEND] = 1, [RECORD_TIMER] = 2,
        [RECORD_EXIT] = 0};
    uint64_t n = operation <= RECORD_EXIT ? numbers[operation] : 0;

    if (operation == RECORD_TELL && (n = record_number(r)) <= (uint64_t)(r->end - r->at)) {
        r->at += n;
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        record_number(r);
    if (operation == RECORD_WAIT || operation == RECORD_TEST)
        for (n = record_number(r); n && r->at < r->end; n--)
            record_number(r);
}

bool record_next_burst(struct record_reader *r, uint64_t *site, int64_t *ns)
{
    while (r->at < r->end) {
        uint64_t operation = record_number(r);

        if (operation != RECORD_CALL) {
            skip(r, operation);
            continue;
        }
        record_number(r);
        *site = record_number(r);
        *ns = (int64_t)record_number(r);
        return true;
    }
    return false;
}

static bool read_rank(struct table_rank *rank, struct record_reader r, bool is_drawn)
{
    struct table_burst burst;

    while (record_next_burst(&r, &burst.site, &burst.ns)) {
        burst.number = rank->n;
        if (is_drawn)
            burst.ns = clue_draw((int)(rank - table.ranks), burst.site, burst.number);
        if (!portolan_reserve(&rank->bursts, &rank->room, rank->n + 1, sizeof burst))
            return false;
        rank->bursts[rank->n++] = burst;
    }
    if (rank->n)
        qsort(rank->bursts, rank->n, sizeof *rank->bursts, by_site);
    for (size_t i = 0; i < rank->n; i++)
        rank->bursts[i].number = 0;
    return true;
}

enum portolan_status clue_table_begin(const struct clue_run *run, struct portolan_error *err)
{
    const struct record *record = run->table;

    if (run->draw && clue_draws_begin(record, run->draw, err))
        return err->status;
    table.n = record->n;
    table.ranks = portolan_calloc((size_t)record->n, sizeof *table.ranks);
    for (int i = 0; table.ranks && i < record->n; i++)
        if (!read_rank(&table.ranks[i], record->ranks[i], run->draw))
            return portolan_no_memory(err);
    clue_draws_end();
    return table.ranks ? PORTOLAN_OK : portolan_no_memory(err);
}

int64_t clue_table_ns(int number, uint64_t site)
{
    struct table_rank *rank = number < table.n ? &table.ranks[number] : NULL;
    size_t low = 0, high = rank ? rank->n : 0, at;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rank->bursts[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    if (!rank || low == rank->n || rank->bursts[low].site != site) {
        table.missing++;
        return 0;
    }
    at = low + rank->bursts[low].number++;
    if (at < rank->n && rank->bursts[at].site == site)
        return rank->bursts[at].ns;
    table.missing++;
    rank->bursts[low].number--;
    return rank->bursts[at - 1].ns;
}

uint64_t clue_table_missing(void)
{
    return table.missing;
}

void clue_table_end(void)
{
    for (int i = 0; table.ranks && i < table.n; i++)
        free(table.ranks[i].bursts);
    free(table.ranks);
    memset(&table, 0, sizeof table);
}
