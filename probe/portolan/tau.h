/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * tau: TAU profiles. First their text, for all who have call paths with numbers: this room, and
 * exports of stored trials. Then the files of a process. pprof, ParaProf, TAU's Python parser and
 * Hatchet can all read them.
 *
 * A profile is that of one thread. It is made from its call paths; the other rows of TAU (flat
 * totals, parameters) are derived from them. Any thread may call all functions here. The format is
 * that of TAU's text profiles (profile.N.C.T, MULTI__METRIC), times in microseconds.
 */
#ifndef PORTOLAN_TAU_H
#define PORTOLAN_TAU_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_TAU_ROOT ".TAU application"

/** One call path, perhaps one of several nodes of the same path: they are added up. */
struct portolan_tau_node {
    int64_t above;          /**< position of the caller, smaller than the own; 0 is the root */
    const char *name;       /**< from portolan_tau_name() */
    const char *group;      /**< from portolan_tau_group() */
    const char *parameters; /**< from portolan_tau_parameter(), or NULL */
    bool is_phase;          /**< paths below it are kept apart: group TAU_PHASE */
    uint64_t calls;         /**< 0: no row of its own, but those below it have one */
    uint64_t subroutines;
    double *inclusive, *exclusive; /**< a value per metric; times in microseconds */
};

/** A user event: what was triggered with values. */
struct portolan_tau_event {
    const char *name; /**< from portolan_tau_name() */
    uint64_t count;
    double max, min, mean, sum_squares;
};

enum portolan_tau_kind { PORTOLAN_TAU_FLAT, PORTOLAN_TAU_PARAMETERS, PORTOLAN_TAU_PATH };

struct portolan_tau_row {
    enum portolan_tau_kind kind;
    bool is_root;
    bool is_phase;
    const char *name, *group;
    uint64_t calls, subroutines;
    double *inclusive, *exclusive;
};

/** The rows of one thread, as in the file; start it as {0}. */
struct portolan_tau_rows {
    struct portolan_arena arena; /**< holds all of it; clear it to free */
    struct portolan_tau_row *rows;
    size_t n;
    unsigned n_metrics;
};

/**
 * The rows of NODES, which are borrowed and must stay while the rows are used. NODES[0] is the
 * root: its name and group are used, its numbers are written as integers (some readers accept no
 * others in the first row), so round inclusive times up. ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_tau_make_rows(struct portolan_tau_rows *rows,
                                                         const struct portolan_tau_node *nodes,
                                                         size_t n, unsigned n_metrics,
                                                         struct portolan_error *err);

/**
 * Adds the file of metric number M (named METRIC) to TEXT. FACTS is what portolan_tau_fact() made
 * of the metadata, without the metric's name. EVENTS belong to the first metric's file. On failure
 * TEXT has `failed`.
 */
PORTOLAN_API void portolan_tau_write(struct portolan_text *text,
                                     const struct portolan_tau_rows *rows, unsigned m,
                                     const char *metric, const char *facts,
                                     const struct portolan_tau_event *events, size_t n_events);

/** Adds one attribute of the metadata to TEXT, escaped. */
PORTOLAN_API void portolan_tau_fact(struct portolan_text *text, const char *name,
                                    const char *value);

/**
 * The folder of METRIC's files below FOLDER: FOLDER/MULTI__METRIC, without characters that TAU does
 * not allow in such names. The caller frees; NULL when memory runs out.
 */
PORTOLAN_API char *portolan_tau_metric_folder(const char *folder, const char *metric);

/* Names are in the arena A; NULL (and A's `failed`) when memory runs out. */

/** NAME as all readers accept it: no quotes or control characters, single blanks, no "=>". */
PORTOLAN_API char *portolan_tau_name(struct portolan_arena *a, const char *name);

/** The name of a port's method: `instance (class)::method()`, without empty parts. */
PORTOLAN_API char *portolan_tau_method_name(struct portolan_arena *a, const char *instance,
                                            const char *class_name, const char *method);

/** NAME as a group, "TAU_USER" for "": without characters that separate groups. */
PORTOLAN_API char *portolan_tau_group(struct portolan_arena *a, const char *name);

/** Adds a parameter to TEXT, `<name> = <value>`, after a comma if TEXT has one already. */
PORTOLAN_API void portolan_tau_parameter(struct portolan_text *text, const char *name,
                                         const char *value);

/* ------------------------------------------------- the profiles of this process */

/**
 * Writes what timers and ports in the variant PROFILE have measured, and events:
 * FOLDER/profile.NODE.0.THREAD, or with counters FOLDER/MULTI__METRIC/…, each file replaced as a
 * whole. FOLDER NULL: PORTOLAN_PROFILE_DIR, else PROFILEDIR, else "."; it is made if missing.
 * *FILES (may be NULL) is how many were written, 0 when nothing has been measured. Errors:
 * PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_probe_write_tau(const char *folder, int node, size_t *files, struct portolan_error *err);

/** The contents and names of what is written. */
struct portolan_probe_dump {
    const char *folder;        /**< as above */
    const char *prefix;        /**< REQUIRED. In place of "profile"; may have no '/' */
    bool is_stamped;           /**< PREFIX__DAY-Mon-D-TIME-YEAR__ in its place, as TAU has it */
    const char *const *timers; /**< only these rows of totals, and the root's */
    size_t n_timers;           /**< 0: everything */
    /** Adds more metadata by portolan_tau_fact(), such as portolan_control_add_gaps(): when ports
     * were not measured; NULL: there are no more. */
    void (*add_facts)(struct portolan_text *text);
    /** In and out: how many calls and events were there the last time (0: none), so that the same
     * are not written again; NULL: they are. */
    uint64_t *written;
};

/** The same with the settings of DUMP. Also PORTOLAN_EINVAL for a prefix that cannot be one. */
PORTOLAN_API enum portolan_status portolan_probe_dump_tau(const struct portolan_probe_dump *dump,
                                                          int node, size_t *files,
                                                          struct portolan_error *err);

/**
 * The rows of totals of such profiles, added up over the threads of this process, the root's first.
 * ROWS starts as {0}; clear its arena. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_probe_total_tau(struct portolan_tau_rows *rows,
                                                           struct portolan_error *err);

/**
 * Everything that has or may have such a row: those rows, then timers and phases that have not run.
 * *NAMES is in the arena A. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_probe_name_tau(struct portolan_arena *a,
                                                          const char ***names, size_t *n,
                                                          struct portolan_error *err);

/** Writes "number of functions N" and the names, a line each, to FILE in the profiles' folder.
 * PORTOLAN_EIO, PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_probe_dump_tau_names(const char *file,
                                                                struct portolan_error *err);

/** Asks for profiles at the end of this process; makers of timers call it. */
PORTOLAN_API void portolan_control_want_profile(void);

/**
 * For the code that ends a measured program (the Measurement component): writes the profiles if
 * they have unwritten data. Happens at exit if it was not called. PORTOLAN_EIO,
 * PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_control_finish(struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
