/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths by their names, and statistics that are merged. As bytes: summary_pack.c. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void summary_clear(struct summary *s)
{
    free(s->rows);
    free(s->spreads);
    free(s->text);
    portolan_index_clear(&s->paths);
    portolan_index_clear(&s->texts);
    free(s->words);
    *s = (struct summary){0};
}

static bool reserve(void **items, size_t *room, size_t needed, size_t size)
{
    size_t more = *room ? *room : 32;
    void *larger;

    while (more < needed)
        more *= 2;
    if (more == *room)
        return true;
    if (!(larger = portolan_reallocarray(*items, more, size)))
        return false;
    *items = larger;
    *room = more;
    return true;
}

/* ------------------------------------------------------------------ texts */

struct wanted_text {
    const struct summary *in;
    const char *text;
};

static bool same_text(const void *wanted, size_t i)
{
    const struct wanted_text *w = wanted;

    return !strcmp(w->in->text + w->in->words[i], w->text);
}

static bool add_text(struct summary *s, const char *text, uint64_t hash)
{
    size_t bytes = strlen(text) + 1, n = s->texts.n;

    if (s->text_bytes + bytes > UINT32_MAX ||
        !reserve((void **)&s->text, &s->text_room, s->text_bytes + bytes, 1) ||
        !reserve((void **)&s->words, &s->words_room, n + 1, sizeof *s->words) ||
        !portolan_index_add(&s->texts, hash, n))
        return false;
    s->words[n] = (uint32_t)s->text_bytes;
    memcpy(s->text + s->text_bytes, text, bytes);
    s->text_bytes += bytes;
    return true;
}

/* Each text once, so that equal names have equal offsets. */
static bool intern(struct summary *s, const char *text, uint32_t *offset)
{
    const struct wanted_text wanted = {s, text};
    uint64_t hash = portolan_hash(text, strlen(text), 0);
    size_t at = portolan_index_find(&s->texts, hash, same_text, &wanted);

    if (at == SIZE_MAX) {
        at = s->texts.n;
        if (!add_text(s, text, hash))
            return false;
    }
    *offset = s->words[at];
    return true;
}

enum portolan_status summary_init(struct summary *s, const char *const *counters, size_t n_counters)
{
    *s = (struct summary){.n_values = SUMMARY_COUNTERS + n_counters};
    for (size_t i = 0; i < n_counters; ++i) {
        if (!intern(s, counters[i], &s->counters[i])) {
            summary_clear(s);
            return PORTOLAN_ENOMEM;
        }
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ paths */

/* Room for one more row. */
static bool reserve_row(struct summary *s)
{
    size_t room = s->capacity;
    void *spreads;

    if (!reserve((void **)&s->rows, &room, s->n + 1, sizeof *s->rows))
        return false;
    if (room != s->capacity) {
        if (!(spreads = portolan_reallocarray(s->spreads, room, s->n_values * sizeof *s->spreads)))
            return false; /* the larger rows do no harm */
        s->spreads = spreads;
        s->capacity = room;
    }
    memset(&s->spreads[s->n * s->n_values], 0, s->n_values * sizeof *s->spreads);
    return true;
}

/* Is the path at I that of the row behind the last? */
static bool same_path(const void *summary, size_t i)
{
    const struct summary *s = summary;
    const struct summary_row *a = &s->rows[i], *b = &s->rows[s->n];

    return a->parent == b->parent && !memcmp(a->names, b->names, sizeof a->names);
}

enum portolan_status summary_find(struct summary *s, int64_t parent,
                                  const char *const names[SUMMARY_NAMES], size_t *at)
{
    struct summary_row row = {.parent = parent};
    uint64_t hash;

    for (int k = 0; k < SUMMARY_NAMES; ++k)
        if (!intern(s, names[k], &row.names[k]))
            return PORTOLAN_ENOMEM;
    hash = portolan_hash(row.names, sizeof row.names, portolan_hash(&parent, sizeof parent, 0));
    if (!reserve_row(s))
        return PORTOLAN_ENOMEM;
    s->rows[s->n] = row;
    if (!portolan_index_put(&s->paths, hash, s->n, same_path, s, at))
        return PORTOLAN_ENOMEM;
    s->n += *at == s->n;
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ numbers */

/* Extremes are of timed calls: a row without has none yet. */
static void add_extremes(struct summary_row *r, double timed, double least, double most)
{
    if (timed <= 0)
        return;
    r->one_min_ns = r->timed_calls > 0 ? fmin(r->one_min_ns, least) : least;
    r->one_max_ns = r->timed_calls > 0 ? fmax(r->one_max_ns, most) : most;
}

void summary_add(struct summary *s, size_t at, int rank, const struct summary_values *v)
{
    struct summary_row *r = &s->rows[at];
    struct summary_spread *spreads = &s->spreads[at * s->n_values];

    add_extremes(r, v->timed_calls, v->one_min_ns, v->one_max_ns);
    r->timed_calls += v->timed_calls;
    r->subroutines += v->subroutines;
    r->sum_squares_ns2 += v->sum_squares_ns2;
    for (size_t i = 0; i < s->n_values; ++i) {
        double x = spreads[i].sum + v->values[i];

        spreads[i] = (struct summary_spread){1, x, x, 0, x, x, rank};
    }
}

static void merge_spread(struct summary_spread *a, const struct summary_spread *b)
{
    double n = a->n + b->n, d = b->mean - a->mean;

    if (b->n <= 0)
        return;
    if (a->n <= 0) {
        *a = *b;
        return;
    }
    a->mean += d * b->n / n;
    a->squares += b->squares + d * d * a->n * b->n / n;
    a->sum += b->sum;
    a->min = fmin(a->min, b->min);
    if (b->max > a->max || (b->max >= a->max && b->max_rank < a->max_rank)) {
        a->max = b->max;
        a->max_rank = b->max_rank;
    }
    a->n = n;
}

void summary_merge_row(struct summary *s, size_t at, const struct summary_row *row,
                       const struct summary_spread *spreads, const int *places, size_t n_values)
{
    struct summary_row *r = &s->rows[at];

    add_extremes(r, row->timed_calls, row->one_min_ns, row->one_max_ns);
    r->timed_calls += row->timed_calls;
    r->subroutines += row->subroutines;
    r->sum_squares_ns2 += row->sum_squares_ns2;
    r->n_threads += row->n_threads;
    for (size_t i = 0; i < n_values; ++i)
        if (places[i] >= 0)
            merge_spread(&s->spreads[at * s->n_values + (size_t)places[i]], &spreads[i]);
}

struct portolan_statistics summary_statistics(const struct summary_spread *spread, int ranks)
{
    const struct summary_spread absent = {.n = ranks - spread->n};
    struct summary_spread all = *spread;

    merge_spread(&all, &absent);
    if (all.max <= 0)
        all.max_rank = 0; /* they are all alike */
    return (struct portolan_statistics){
        .sum = all.sum,
        .mean = all.mean,
        .min = all.min,
        .max = all.max,
        .stddev = sqrt(all.squares / ranks),
        .max_rank = (int)all.max_rank,
    };
}
