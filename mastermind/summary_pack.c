/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of paths as bytes: a head, the rows, their statistics, the texts. Sender and receiver are
 * the same program on like machines.
 */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

struct head {
    uint64_t n, n_values, text_bytes;
    uint32_t counters[PORTOLAN_SUMMARY_COUNTER_MAX];
};

/* A packed table, borrowed from its bytes. */
struct view {
    struct head head;
    const struct summary_row *rows;
    const struct summary_spread *spreads;
    const char *text;
};

static size_t bytes_of(const struct head *h)
{
    size_t bytes =
        sizeof *h +
        h->n * (sizeof(struct summary_row) + h->n_values * sizeof(struct summary_spread)) +
        h->text_bytes;

    return (bytes + 7) & ~(size_t)7;
}

enum portolan_status summary_pack(const struct summary *s, void **bytes, size_t *size_bytes)
{
    struct head h = {.n = s->n, .n_values = s->n_values, .text_bytes = s->text_bytes};
    size_t row_bytes = s->n * sizeof *s->rows;
    size_t spread_bytes = s->n * s->n_values * sizeof *s->spreads;
    char *block;

    memcpy(h.counters, s->counters, sizeof h.counters);
    *size_bytes = bytes_of(&h);
    if (!(*bytes = block = portolan_calloc(*size_bytes, 1)))
        return PORTOLAN_ENOMEM;
    memcpy(block, &h, sizeof h);
    block += sizeof h;
    if (s->n) {
        memcpy(block, s->rows, row_bytes);
        memcpy(block + row_bytes, s->spreads, spread_bytes);
    }
    if (s->text_bytes)
        memcpy(block + row_bytes + spread_bytes, s->text, s->text_bytes);
    return PORTOLAN_OK;
}

static bool is_sound(const struct view *v)
{
    for (uint64_t i = 0; i < v->head.n; ++i) {
        if (v->rows[i].parent < -1 || v->rows[i].parent >= (int64_t)i)
            return false;
        for (int k = 0; k < SUMMARY_NAMES; ++k)
            if (v->rows[i].names[k] >= v->head.text_bytes)
                return false;
    }
    for (uint64_t k = SUMMARY_COUNTERS; k < v->head.n_values; ++k)
        if (v->head.counters[k - SUMMARY_COUNTERS] >= v->head.text_bytes)
            return false;
    return !v->head.text_bytes || !v->text[v->head.text_bytes - 1];
}

static bool look(struct view *v, const void *bytes, size_t size_bytes)
{
    const char *block = bytes;

    *v = (struct view){.head.n_values = SUMMARY_COUNTERS};
    if (!size_bytes)
        return true;
    if (size_bytes < sizeof v->head)
        return false;
    memcpy(&v->head, block, sizeof v->head);
    if (v->head.n > size_bytes || v->head.text_bytes > size_bytes ||
        v->head.n_values < SUMMARY_COUNTERS || v->head.n_values > SUMMARY_VALUES_MAX ||
        bytes_of(&v->head) != size_bytes)
        return false;
    v->rows = (const struct summary_row *)(block + sizeof v->head);
    v->spreads = (const struct summary_spread *)(v->rows + v->head.n);
    v->text = (const char *)(v->spreads + v->head.n * v->head.n_values);
    return is_sound(v);
}

/* ------------------------------------------------------------------ merging */

static const char *counter(const struct view *v, size_t i)
{
    return v->text + v->head.counters[i];
}

/* Adds V's counters to NAMES where they are not among them; those beyond the limit have no place.
 */
static void join_counters(const struct view *v, const char **names, size_t *n, int *places)
{
    for (int i = 0; i < SUMMARY_COUNTERS; ++i)
        places[i] = i;
    for (size_t i = 0; i < v->head.n_values - SUMMARY_COUNTERS; ++i) {
        size_t k = 0;

        while (k < *n && strcmp(names[k], counter(v, i)))
            ++k;
        if (k == *n && k < PORTOLAN_SUMMARY_COUNTER_MAX)
            names[(*n)++] = counter(v, i);
        places[SUMMARY_COUNTERS + i] = k < *n ? SUMMARY_COUNTERS + (int)k : -1;
    }
}

static enum portolan_status add_view(struct summary *s, const struct view *v, const int *places)
{
    size_t *rows = portolan_calloc(v->head.n + 1, sizeof *rows);
    enum portolan_status status = rows ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t i = 0; i < v->head.n && !status; ++i) {
        const struct summary_row *r = &v->rows[i];
        const char *names[SUMMARY_NAMES];

        for (int k = 0; k < SUMMARY_NAMES; ++k)
            names[k] = v->text + r->names[k];
        status = summary_find(s, r->parent < 0 ? -1 : (int64_t)rows[r->parent], names, &rows[i]);
        if (!status)
            summary_merge_row(s, rows[i], r, &v->spreads[i * v->head.n_values], places,
                              v->head.n_values);
    }
    free(rows);
    return status;
}

enum portolan_status summary_merge(void *arg, const void *mine, size_t mine_bytes,
                                   const void *theirs, size_t theirs_bytes, void **out,
                                   size_t *out_bytes)
{
    const char *names[PORTOLAN_SUMMARY_COUNTER_MAX];
    int places[2][SUMMARY_VALUES_MAX];
    struct summary s = {0};
    struct view v[2];
    size_t n = 0;
    enum portolan_status status;

    (void)arg;
    if (!look(&v[0], mine, mine_bytes) || !look(&v[1], theirs, theirs_bytes))
        return PORTOLAN_EINTERNAL;
    for (int i = 0; i < 2; ++i)
        join_counters(&v[i], names, &n, places[i]);
    status = summary_init(&s, names, n);
    for (int i = 0; i < 2 && !status; ++i)
        status = add_view(&s, &v[i], places[i]);
    if (!status)
        status = summary_pack(&s, out, out_bytes);
    summary_clear(&s);
    return status;
}

/* ------------------------------------------------------------------ the end */

static void finish_row(const struct view *v, size_t at, int ranks, struct portolan_path_summary *to)
{
    const struct summary_row *r = &v->rows[at];
    const struct summary_spread *spreads = &v->spreads[at * v->head.n_values];
    struct portolan_statistics *fixed[] = {&to->calls, &to->inclusive, &to->exclusive, &to->mpi,
                                           &to->compute};
    const char **names[SUMMARY_NAMES] = {&to->user,  &to->uses,           &to->instance,
                                         &to->port,  &to->implementation, &to->port_type,
                                         &to->method};

    for (int k = 0; k < SUMMARY_NAMES; ++k)
        *names[k] = v->text + r->names[k];
    to->parent = r->parent;
    to->n_ranks = (int)spreads[SUMMARY_CALLS].n;
    to->n_threads = (int)r->n_threads;
    to->one_min_ns = r->one_min_ns;
    to->one_max_ns = r->one_max_ns;
    to->sum_squares_ns2 = r->sum_squares_ns2;
    to->timed_calls = r->timed_calls;
    to->subroutines = r->subroutines;
    for (int k = 0; k < SUMMARY_COUNTERS; ++k)
        *fixed[k] = summary_statistics(&spreads[k], ranks);
    to->calls_sum = to->calls.sum;
    to->n_counters = (int)v->head.n_values - SUMMARY_COUNTERS;
    for (int k = 0; k < to->n_counters; ++k) {
        to->counter_name[k] = counter(v, (size_t)k);
        to->counter[k] = summary_statistics(&spreads[SUMMARY_COUNTERS + k], ranks);
    }
}

enum portolan_status summary_finish(const void *bytes, size_t size_bytes, int ranks,
                                    struct portolan_path_summary **rows, size_t *n)
{
    struct view v;

    *rows = NULL;
    *n = 0;
    if (!look(&v, bytes, size_bytes))
        return PORTOLAN_EINTERNAL;
    if (!(*rows = portolan_calloc(v.head.n + 1, sizeof **rows)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < v.head.n; ++i)
        finish_row(&v, i, ranks, &(*rows)[i]);
    *n = v.head.n;
    return PORTOLAN_OK;
}
