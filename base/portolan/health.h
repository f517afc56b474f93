/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * health: what a machine has of what Portolan uses, what each lack costs, and the remedy. Here are
 * the judgements and the ways to try things; who knows the facts passes them. Links with
 * portolan_command. Used by one thread at a time.
 */
#ifndef PORTOLAN_HEALTH_H
#define PORTOLAN_HEALTH_H

#include <portolan/base.h>

/** A LACK is of something that Portolan needs; a NOTE, of something that works less well. */
enum portolan_health_state { PORTOLAN_HEALTH_FINE, PORTOLAN_HEALTH_NOTE, PORTOLAN_HEALTH_LACK };

/** The texts are in the arena, or static. */
struct portolan_finding {
    const char *name;
    enum portolan_health_state state;
    const char *found;
    const char *costs, *remedy; /**< NULL: it is fine */
};

enum { PORTOLAN_HEALTH_MOST = 20 };

/** Start it as `{0}`; clear the arena at the end. */
struct portolan_health {
    struct portolan_arena arena;
    int n_ranks; /**< on this host; 0: not known */
    int n_cores;
    size_t n, n_lacks;
    struct portolan_finding findings[PORTOLAN_HEALTH_MOST];
};

/** Adds a finding. FOUND is copied, the other texts are not; COSTS and REMEDY count unless it is
 * fine. */
void portolan_health_add(struct portolan_health *h, const char *name,
                         enum portolan_health_state state, const char *found, const char *costs,
                         const char *remedy);

/** Adds that it is fine if ERR has no error; else ERR's text, with STATE. */
void portolan_health_add_result(struct portolan_health *h, const char *name,
                                const struct portolan_error *err, const char *found,
                                enum portolan_health_state state, const char *costs,
                                const char *remedy);

/** Adds the result of a command, the words up to NULL: if it fails, the first line that it prints.
 */
void portolan_health_add_command(struct portolan_health *h, const char *name,
                                 const char *const *words, const char *found,
                                 enum portolan_health_state state, const char *costs,
                                 const char *remedy);

/** "cores": whether each rank has one. */
void portolan_health_examine_cores(struct portolan_health *h);
/** "threads": whether the threads of all ranks have cores. OPENMP: $OMP_NUM_THREADS or NULL; the
 * BLAS library of that name starts N_BLAS threads in each rank; 0: not known. */
void portolan_health_examine_threads(struct portolan_health *h, const char *openmp,
                                     const char *blas, int n_blas);
/** "counters": as portolan_probe_counters_describe() describes them. */
void portolan_health_examine_counters(struct portolan_health *h, const char *description);
/** "store": whether files in FOLDER can be written, and have room. */
void portolan_health_examine_folder(struct portolan_health *h, const char *folder);

/** Adds the findings to OUT: lines for people, or JSON. */
void portolan_health_write(const struct portolan_health *h, struct portolan_text *out);
void portolan_health_write_json(const struct portolan_health *h, struct portolan_text *out);

#endif
