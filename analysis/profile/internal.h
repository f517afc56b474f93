/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_PROFILE_INTERNAL_H
#define PORTOLAN_PROFILE_INTERNAL_H

#include <portolan/profile.h>

enum { PROFILE_COUNTERS_MAX = 32 }; /* bits of `counted`; the store has fewer */

/* A profile of TRIAL without nodes; takes SET over, also on failure. */
enum portolan_status profile_create(struct portolan_sample_set *set,
                                    const struct portolan_trial *trial,
                                    struct portolan_profile **profile, struct portolan_error *err);

/* From the samples of the profile's trial: nodes, cells and statistics. */
enum portolan_status profile_read_samples(struct portolan_store *store, struct portolan_profile *p,
                                          const struct portolan_profile_query *query,
                                          struct portolan_error *err);

/*
 * What tells a context value from others: itself, or its bin, 4 to the octave as the probe has
 * them, whose mean differs from step to step.
 */
double profile_context_key(double x, bool binned);

/* Statistics over ranks from the cells, which are in their order. */
enum portolan_status profile_count_ranks(struct portolan_profile *p, struct portolan_error *err);

/* Estimates, compensated values, marks and violations from the raw sums. */
enum portolan_status profile_estimate(struct portolan_profile *p, struct portolan_error *err);

/* The order of cells: by node, rank and thread; qsort() with it. */
int profile_compare_cells(const void *a, const void *b);
void profile_sort_cells(struct portolan_profile *p);

/* Adds what both have of one thread, but the counters. */
void profile_add_to_cell(struct portolan_profile_cell *to,
                         const struct portolan_profile_cell *from);

/* Whether both are the same method of the same instance, port and implementation. */
bool profile_same_method(const struct portolan_profile_node *a,
                         const struct portolan_profile_node *b);

/* Of its method and instance. */
uint64_t profile_hash_method(const struct portolan_profile_node *n, uint64_t seed);

/* " [ <n> = <64> ]" at the end of TEXT. */
void profile_add_context(const struct portolan_profile_node *n, struct portolan_text *text);

/* Whether another row of a flat profile has the same label but for the port. */
bool profile_is_ambiguous(const struct portolan_profile *p, size_t node);

/* The position of a counter; n_counters when there is none of that name. */
size_t profile_find_counter(const struct portolan_profile *p, const char *name);

/* Adds a counter, unless it is there or there are too many; false without memory. */
bool profile_note_counter(struct portolan_profile *p, const char *name);

/* Makes the statistics of counters that were not counted at a node unknown. */
void profile_forget_uncounted(const struct portolan_profile *p, struct portolan_profile_node *n);

#endif
