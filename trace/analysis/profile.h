/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a location was in which path, between two moments. */
#ifndef TRACE_ANALYSIS_PROFILE_H
#define TRACE_ANALYSIS_PROFILE_H

#include <portolan/waits.h>

/* A moment of a location: the time NS, which lies in or after event `at`. */
struct moment {
    uint32_t at;
    int64_t ns;
};

/* Sums from the begin of each location on, noted every so many events: long stretches cost no more
 * than short ones. */
struct path_profile {
    const struct portolan_waits *w;
    size_t every, n_sums;
    int64_t *sums, *waiting_sums; /* [sum * n_paths + path] */
    size_t *first_sum;            /* of each location */
};

/* In ARENA, which may fail: then it must not be used. */
void profile_prepare(struct path_profile *p, struct portolan_arena *arena,
                     const struct portolan_waits *w);

/* Times by path, and the paths that have some. */
struct path_times {
    int64_t *ns;
    uint32_t *paths;
    size_t n_paths;
    bool *has;
};
void path_times_prepare(struct path_times *x, struct portolan_arena *arena, size_t n_paths);
void path_times_empty(struct path_times *x);

/* Adds SIGN times the time of LOCATION between FROM and TO. */
void profile_add(const struct path_profile *p, size_t location, struct moment from,
                 struct moment to, int64_t sign, struct path_times *x);
/* Subtracts what waits FIRST to END of LOCATION, all of those between two moments, waited. */
void profile_subtract_waits(const struct path_profile *p, size_t location, size_t first, size_t end,
                            struct path_times *x);

#endif
