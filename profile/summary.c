/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile from the summary that the store keeps of a trial. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct portolan_profile_statistics statistics_of(const struct portolan_statistics *s)
{
    return (struct portolan_profile_statistics){
        .sum = s->sum,
        .mean = s->mean,
        .min = s->min,
        .max = s->max,
        .stddev = s->stddev,
        .imbalance = s->mean != 0 ? s->max / s->mean - 1 : 0,
        .max_rank = s->max_rank,
    };
}

static bool collect_counters(struct portolan_profile *p, const struct portolan_summary_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        for (int k = 0; k < set->rows[i].n_counters; k++)
            if (!profile_note_counter(p, set->rows[i].counter_name[k]))
                return false;
    return true;
}

static bool take_row(struct portolan_profile *p, const struct portolan_path_summary *row)
{
    struct portolan_profile_node *n = &p->nodes[p->n_nodes];
    struct portolan_profile_statistics *counters =
        portolan_arena_alloc(profile_arena(p), p->n_counters + 1, sizeof *counters);

    if (!counters)
        return false;
    *n = (struct portolan_profile_node){
        .parent = row->parent,
        .original = (int64_t)p->n_nodes,
        .depth = row->parent < 0 ? 0 : p->nodes[row->parent].depth + 1,
        .user = row->user,
        .uses = row->uses,
        .instance = row->instance,
        .port = row->port,
        .implementation = row->implementation,
        .port_type = row->port_type,
        .method = row->method,
        .n_ranks = row->n_ranks,
        .n_threads = row->n_threads,
        .timed_calls = row->timed_calls,
        .subroutines = row->subroutines,
        .one_min_ns = row->one_min_ns,
        .one_max_ns = row->one_max_ns,
        .sum_squares_ns2 = row->sum_squares_ns2,
        .calls = statistics_of(&row->calls),
        .inclusive_ns = statistics_of(&row->inclusive),
        .exclusive_ns = statistics_of(&row->exclusive),
        .mpi_ns = statistics_of(&row->mpi),
        .compute_ns = statistics_of(&row->compute),
        .counters = counters,
    };
    for (int k = 0; k < row->n_counters; k++) {
        size_t i = profile_find_counter(p, row->counter_name[k]);

        if (i == p->n_counters)
            continue;
        n->counted |= UINT32_C(1) << i;
        counters[i] = statistics_of(&row->counter[k]);
    }
    profile_forget_uncounted(p, n);
    p->n_nodes++;
    return true;
}

enum portolan_status profile_take_summary(struct portolan_profile *p,
                                          const struct portolan_summary_set *set,
                                          struct portolan_error *err)
{
    bool good;

    p->ranks = set->ranks;
    p->nodes = portolan_calloc(set->n + 1, sizeof *p->nodes);
    good = p->nodes && collect_counters(p, set);
    for (size_t i = 0; good && i < set->n; i++)
        good = take_row(p, &set->rows[i]);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}
