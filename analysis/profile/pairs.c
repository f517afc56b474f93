/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds up what ranks sent each other, over all routines. */
#include <portolan/profile.h>

#include <math.h>
#include <stdlib.h>

static int by_ends(const void *a, const void *b)
{
    const struct portolan_profile_pair *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static int heaviest_first(const void *a, const void *b)
{
    const struct portolan_profile_pair *x = a, *y = b;
    double w = fmax(x->sent, x->received), v = fmax(y->sent, y->received);

    return w != v ? (w > v ? -1 : 1) : by_ends(a, b);
}

struct portolan_profile_pair *portolan_profile_sum_pairs(const struct portolan_traffic_set *set,
                                                         size_t *n)
{
    struct portolan_profile_pair *pairs = portolan_calloc(set->n + 1, sizeof *pairs);
    size_t all = 0;

    *n = 0;
    for (size_t i = 0; pairs && i < set->n; i++) {
        const struct portolan_traffic *t = &set->rows[i];

        if (t->partner < 0)
            continue;
        pairs[all++] =
            t->received
                ? (struct portolan_profile_pair){t->partner, t->rank, 0, 0, t->bytes, t->time_ns}
                : (struct portolan_profile_pair){t->rank,  t->partner, (double)t->calls,
                                                 t->bytes, 0,          t->time_ns};
    }
    if (pairs)
        qsort(pairs, all, sizeof *pairs, by_ends);
    for (size_t i = 0; i < all; i++) {
        struct portolan_profile_pair *last = *n ? &pairs[*n - 1] : NULL;

        if (!last || by_ends(last, &pairs[i]) != 0) {
            pairs[(*n)++] = pairs[i];
            continue;
        }
        last->calls += pairs[i].calls;
        last->sent += pairs[i].sent;
        last->received += pairs[i].received;
        last->time_ns += pairs[i].time_ns;
    }
    return pairs;
}

void portolan_profile_sort_pairs(struct portolan_profile_pair *pairs, size_t n)
{
    if (n)
        qsort(pairs, n, sizeof *pairs, heaviest_first);
}
