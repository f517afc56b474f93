/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder_internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 7 };

/* A path: names below a row (-1: a root). */
struct path {
    const struct summary *in;
    int64_t parent;
    const char *names[NAMES];
};

static void list_names(struct portolan_path_summary *row, const char **names[NAMES])
{
    names[0] = &row->user;
    names[1] = &row->uses;
    names[2] = &row->instance;
    names[3] = &row->port;
    names[4] = &row->implementation;
    names[5] = &row->port_type;
    names[6] = &row->method;
}

/* ------------------------------------------------------------------ rows */

/* Room for N rows in all. */
static bool reserve_rows(struct summary *s, size_t n)
{
    return portolan_reserve(&s->rows, &s->capacity, n, sizeof *s->rows) &&
           portolan_index_reserve(&s->paths, n);
}

static bool same_path(const void *wanted, size_t i)
{
    const struct path *p = wanted;
    const char **names[NAMES];

    if (p->in->rows[i].parent != p->parent)
        return false;
    list_names(&p->in->rows[i], names);
    for (int k = NAMES; k-- > 0;)
        if (*names[k] != p->names[k] && strcmp(*names[k], p->names[k]))
            return false;
    return true;
}

/* The row of a path, made if need be with sums of 0; there is room. */
static size_t find_row(struct summary *s, const struct path *p)
{
    uint64_t hash = portolan_hash(&p->parent, sizeof p->parent, 0);
    const char **names[NAMES];
    size_t at;

    for (int k = 0; k < NAMES; ++k)
        hash = portolan_hash(p->names[k], strlen(p->names[k]) + 1, hash);
    at = portolan_index_find(&s->paths, hash, same_path, p);
    if (at != SIZE_MAX)
        return at;
    at = s->n++;
    s->rows[at] = (struct portolan_path_summary){.parent = p->parent, .n_counters = s->n_counters};
    list_names(&s->rows[at], names);
    for (int k = 0; k < NAMES; ++k)
        *names[k] = p->names[k];
    portolan_index_add(&s->paths, hash, at);
    return at;
}

/* The place of a counter, which is added to all rows if it is new; -1: there is none left. */
static int find_counter(struct summary *s, const char *name)
{
    int c = 0;

    while (c < s->n_counters && strcmp(s->counters[c], name))
        ++c;
    if (c == PORTOLAN_SUMMARY_COUNTER_MAX)
        return -1;
    if (c < s->n_counters)
        return c;
    s->counters[s->n_counters++] = name;
    for (size_t i = 0; i < s->n; ++i)
        s->rows[i].n_counters = s->n_counters;
    return c;
}

void summary_clear(struct summary *s)
{
    free(s->rows);
    portolan_index_clear(&s->paths);
    *s = (struct summary){0};
}

/* ------------------------------------------------------------------ to and from other ranks */

static void carry_row(struct portolan_block *b, struct portolan_path_summary *row)
{
    double *numbers[] = {&row->one_min_ns, &row->one_max_ns,  &row->sum_squares_ns2,
                         &row->calls_sum,  &row->timed_calls, &row->subroutines};
    const char **names[NAMES];

    list_names(row, names);
    for (int k = 0; k < NAMES; ++k)
        portolan_block_carry_text(b, names[k]);
    portolan_block_carry(b, &row->parent, sizeof row->parent);
    portolan_block_carry(b, &row->n_ranks, sizeof row->n_ranks);
    portolan_block_carry(b, &row->n_threads, sizeof row->n_threads);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        portolan_block_carry(b, numbers[k], sizeof *numbers[k]);
    for (int q = 0; q < PORTOLAN_SUMMARY_QUANTITIES + row->n_counters; ++q)
        portolan_block_carry(b, portolan_path_summary_peek(row, q),
                             sizeof(struct portolan_statistics));
}

void summary_carry(struct portolan_block *b, struct summary *s)
{
    portolan_block_carry(b, &s->first, sizeof s->first);
    portolan_block_carry(b, &s->ranks, sizeof s->ranks);
    portolan_block_carry(b, &s->n_counters, sizeof s->n_counters);
    if (s->n_counters < 0 || s->n_counters > PORTOLAN_SUMMARY_COUNTER_MAX || s->ranks < 0) {
        portolan_block_fail(b, PORTOLAN_EINTERNAL);
        s->n_counters = 0;
    }
    for (int c = 0; c < s->n_counters; ++c)
        portolan_block_carry_text(b, &s->counters[c]);
    portolan_block_carry_count(b, &s->n, sizeof(struct portolan_statistics));
    if (b->is_read && !(s->rows = portolan_calloc(s->n + 1, sizeof *s->rows))) {
        portolan_block_fail(b, PORTOLAN_ENOMEM);
        s->n = 0;
    }
    for (size_t i = 0; i < s->n; ++i) {
        s->rows[i].n_counters = s->n_counters;
        memcpy(s->rows[i].counter_name, s->counters, sizeof s->counters);
        carry_row(b, &s->rows[i]);
        if (s->rows[i].parent < -1 || s->rows[i].parent >= (int64_t)i)
            portolan_block_fail(b, PORTOLAN_EINTERNAL);
    }
}

static enum portolan_status read_table(struct summary *s, const void *bytes, size_t size)
{
    struct portolan_block b;

    if (!size)
        return PORTOLAN_OK;
    portolan_block_open(&b, bytes, size);
    summary_carry(&b, s);
    return portolan_block_finish(&b, NULL);
}

/* ------------------------------------------------------------------ merging */

/* Copies a row of another table, with its counters at their places in S. */
static void place_counters(const struct summary *s, const int *places,
                           const struct portolan_path_summary *from,
                           struct portolan_path_summary *to)
{
    *to = *from;
    memset(to->counter, 0, sizeof to->counter);
    for (int c = 0; c < from->n_counters; ++c)
        if (places[c] >= 0)
            to->counter[places[c]] = from->counter[c];
    to->n_counters = s->n_counters;
}

/* Adds the ranks of a table, which come after those of S. */
static enum portolan_status add_table(struct summary *s, struct summary *other)
{
    int places[PORTOLAN_SUMMARY_COUNTER_MAX];
    size_t *rows = portolan_calloc(other->n + 1, sizeof *rows), n = s->n;
    bool *was_met = portolan_calloc(n + 1, sizeof *was_met);
    bool good = rows && was_met && reserve_rows(s, s->n + other->n);

    if (!s->ranks)
        s->first = other->first;
    for (int c = 0; c < other->n_counters; ++c)
        places[c] = find_counter(s, other->counters[c]);
    for (size_t i = 0; i < other->n && good; ++i) {
        struct portolan_path_summary row;
        struct path p = {s, other->rows[i].parent, {0}};
        const char **names[NAMES];

        place_counters(s, places, &other->rows[i], &row);
        list_names(&row, names);
        for (int k = 0; k < NAMES; ++k)
            p.names[k] = *names[k];
        if (p.parent >= 0)
            p.parent = (int64_t)rows[p.parent];
        rows[i] = find_row(s, &p);
        if (rows[i] < n)
            was_met[rows[i]] = true;
        portolan_path_summary_merge(&s->rows[rows[i]], s->first, s->ranks, &row, other->ranks);
    }
    for (size_t i = 0; i < n && good; ++i)
        if (!was_met[i])
            portolan_path_summary_merge(&s->rows[i], s->first, s->ranks, NULL, other->ranks);
    s->ranks += other->ranks;
    free(was_met);
    free(rows);
    return good ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

enum portolan_status summary_merge(void *arg, const void *mine, size_t mine_bytes,
                                   const void *theirs, size_t theirs_bytes, void **out,
                                   size_t *out_bytes)
{
    struct summary tables[2] = {{0}}, both = {0};
    struct portolan_block b = {0};
    enum portolan_status status = read_table(&tables[0], mine, mine_bytes);

    (void)arg;
    if (!status)
        status = read_table(&tables[1], theirs, theirs_bytes);
    for (int i = 0; i < 2 && !status; ++i)
        status = add_table(&both, &tables[i]);
    if (!status) {
        summary_carry(&b, &both);
        status = portolan_block_take(&b, out, out_bytes, NULL);
    }
    for (int i = 0; i < 2; ++i)
        summary_clear(&tables[i]);
    summary_clear(&both);
    return status;
}

/* ------------------------------------------------------------------ of one rank */

void totals_clear(struct totals *t)
{
    for (int c = 0; c < t->sums.n_counters; ++c)
        free((char *)t->sums.counters[c]);
    summary_clear(&t->sums);
    free(t->pairs);
    portolan_index_clear(&t->threads);
    *t = (struct totals){0};
}

/* Room for N more rows and pairs, and N_COUNTERS more counters, whose names are copied. */
static bool reserve_totals(struct totals *t, const struct portolan_slice *p, int *places)
{
    size_t n = t->n_pairs + p->n;

    if (!reserve_rows(&t->sums, t->sums.n + p->n) || !portolan_index_reserve(&t->threads, n + 1) ||
        !portolan_reserve(&t->pairs, &t->capacity, n + 1, sizeof *t->pairs))
        return false;
    for (size_t i = 0; i < p->n_counters; ++i) {
        int n_before = t->sums.n_counters;
        char *copy;

        places[i] = find_counter(&t->sums, p->counters[i]);
        if (t->sums.n_counters == n_before)
            continue;
        copy = portolan_strdup(p->counters[i]);
        t->sums.counters[n_before] = copy;
        if (!copy) {
            t->sums.n_counters = n_before;
            return false;
        }
    }
    return true;
}

static bool same_pair(const void *totals, size_t i)
{
    const struct totals *t = totals;

    return t->pairs[i] == t->pairs[t->n_pairs];
}

/* A path's threads count once each. */
static void note_thread(struct totals *t, size_t row, int thread)
{
    uint64_t pair = (uint64_t)row << 32 | (uint32_t)thread;
    size_t at;

    t->pairs[t->n_pairs] = pair;
    portolan_index_put(&t->threads, portolan_hash(&pair, sizeof pair, 0), t->n_pairs, same_pair, t,
                       &at);
    if (at < t->n_pairs)
        return;
    t->n_pairs++;
    t->sums.rows[row].n_threads++;
}

static void add_sample(struct portolan_path_summary *row, const struct portolan_sample *s,
                       const int *places)
{
    double timed = portolan_sample_timed(s);

    if (timed > 0) {
        row->one_min_ns = row->timed_calls > 0 ? fmin(row->one_min_ns, s->min_ns) : s->min_ns;
        row->one_max_ns = row->timed_calls > 0 ? fmax(row->one_max_ns, s->max_ns) : s->max_ns;
    }
    row->timed_calls += timed;
    row->subroutines += (double)s->subroutines;
    row->sum_squares_ns2 += s->sum_squares_ns2;
    row->calls.sum += (double)s->calls;
    row->inclusive.sum += s->inclusive_ns;
    row->exclusive.sum += s->exclusive_ns;
    row->mpi.sum += s->mpi_ns;
    row->compute.sum += s->exclusive_ns - s->mpi_ns;
    for (int i = 0; i < s->n_counters; ++i)
        if (places[i] >= 0)
            row->counter[places[i]].sum += s->counter[i];
}

enum portolan_status totals_add(struct totals *t, const struct portolan_slice *p,
                                struct portolan_error *err)
{
    size_t *rows = portolan_calloc(p->n + 1, sizeof *rows);
    int places[PORTOLAN_COUNTER_MAX];

    if (!rows || !reserve_totals(t, p, places)) {
        free(rows);
        return portolan_no_memory(err);
    }
    for (size_t i = 0; i < p->n; ++i) {
        const struct portolan_sample *s = &p->samples[i];
        const struct path path = {
            &t->sums,
            s->parent < 0 ? -1 : (int64_t)rows[s->parent],
            {s->user, s->uses, s->instance, s->port, s->implementation, s->port_type, s->method}};

        rows[i] = find_row(&t->sums, &path);
        note_thread(t, rows[i], s->thread);
        add_sample(&t->sums.rows[rows[i]], s, places);
    }
    free(rows);
    return PORTOLAN_OK;
}

enum portolan_status totals_pack(const struct totals *t, int rank, void **bytes, size_t *size_bytes,
                                 struct portolan_error *err)
{
    struct summary one = t->sums;
    struct portolan_block b = {0};

    one.first = rank;
    one.ranks = 1;
    one.rows = portolan_calloc(one.n + 1, sizeof *one.rows);
    for (size_t i = 0; one.rows && i < one.n; ++i) {
        one.rows[i] = t->sums.rows[i];
        portolan_path_summary_of_rank(&one.rows[i], rank);
    }
    if (one.rows)
        summary_carry(&b, &one);
    else
        portolan_block_fail(&b, PORTOLAN_ENOMEM);
    free(one.rows);
    return portolan_block_take(&b, bytes, size_bytes, err);
}
