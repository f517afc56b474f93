/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_PROFILE_INTERNAL_H
#define PORTOLAN_PROFILE_INTERNAL_H

#include <portolan/profile.h>

enum { PROFILE_COUNTERS_MAX = 32 }; /* bits of `counted`; the store has fewer */

/* Makes a profile of TRIAL without nodes; takes SET over, also on failure. */
enum portolan_status profile_create(struct portolan_sample_set *set,
                                    const struct portolan_trial *trial,
                                    struct portolan_profile **profile, struct portolan_error *err);

/* Makes nodes, cells and statistics from the samples of the profile's trial. */
enum portolan_status profile_read_samples(struct portolan_store *store, struct portolan_profile *p,
                                          const struct portolan_profile_query *query,
                                          struct portolan_error *err);

/*
 * The key of a context value: the value itself or, if it is BINNED, its bin, since the mean of a
 * bin differs from step to step. As in the probe, there are 4 bins per octave.
 */
double profile_context_key(double x, bool binned);

/* Makes statistics over ranks from the cells, which are sorted. */
enum portolan_status profile_count_ranks(struct portolan_profile *p, struct portolan_error *err);

/* Derives estimates, compensated values, marks and violations from the raw sums. */
enum portolan_status profile_estimate(struct portolan_profile *p, struct portolan_error *err);

/* The order of cells, by node, rank and thread, for qsort(). */
int profile_compare_cells(const void *a, const void *b);
void profile_sort_cells(struct portolan_profile *p);

/* Adds FROM to TO, a cell of the same thread, without the counters. */
void profile_add_to_cell(struct portolan_profile_cell *to,
                         const struct portolan_profile_cell *from);

/* Returns whether both are the same method of the same instance, port and implementation. */
bool profile_same_method(const struct portolan_profile_node *a,
                         const struct portolan_profile_node *b);

/* A hash of the node's method and instance. */
uint64_t profile_hash_method(const struct portolan_profile_node *n, uint64_t seed);

/* Adds " [ <n> = <64> ]" to TEXT. */
void profile_add_context(const struct portolan_profile_node *n, struct portolan_text *text);

/* Returns whether another row of a flat profile has the same label except for the port. */
bool profile_is_ambiguous(const struct portolan_profile *p, size_t node);

/* The position of a counter; n_counters when there is none of that name. */
size_t profile_find_counter(const struct portolan_profile *p, const char *name);

/* Adds a counter, unless it is there or there are too many; false without memory. */
bool profile_note_counter(struct portolan_profile *p, const char *name);

/* Makes the statistics of counters that were not counted at a node unknown. */
void profile_forget_uncounted(const struct portolan_profile *p, struct portolan_profile_node *n);

#endif
