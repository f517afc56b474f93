/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * study: what the command and the Python package do with an assembly before all else: its classes
 * and parameters, the stored trials that count for it here, and the plan made of them. An archive
 * within each of them. One thread at a time; errors are those of the functions that are called.
 */
#ifndef PORTOLAN_STUDY_H
#define PORTOLAN_STUDY_H

#include <portolan/assembly.h>
#include <portolan/palette.h>
#include <portolan/plan.h>
#include <portolan/store.h>

/** An assembly with its palette, ready to be checked, drawn, run or predicted. */
struct workbench {
    struct portolan_palette *palette; /**< NULL if the assembly is from a store */
    struct portolan_assembly *assembly;
    const char *store; /**< in that case: the store that describes it */
};

/**
 * Makes the palette of the assembly: the folders of PATH (may be NULL) first, then those that the
 * assembly names, then the defaults.
 */
enum portolan_status workbench_open_palette(struct workbench *w, const char *path,
                                            struct portolan_diagnostics *d,
                                            struct portolan_error *err);
/** Checks the assembly against its palette, and the models that it names. */
enum portolan_status workbench_check(const struct workbench *w, struct portolan_diagnostics *d);
void workbench_close(struct workbench *w);

/** Sets INSTANCE's PARAMETER, which the assembly states, or else the description of a class. */
enum portolan_status workbench_set_of(struct workbench *w, const char *instance,
                                      const char *parameter, const char *text,
                                      struct portolan_error *err);
/** Likewise "INSTANCE.PARAMETER", or PARAMETER of the only instance that has it. */
enum portolan_status workbench_set(struct workbench *w, const char *parameter, const char *text,
                                   struct portolan_error *err);

/** Obeys ORDERS of a trial, as struct portolan_measure_trial has them. */
enum portolan_status workbench_obey(struct workbench *w, const char *orders,
                                    struct portolan_error *err);

/** Returns whether a component of the assembly records its calls of MPI, now and then. */
bool workbench_is_diagnosed(const struct workbench *w);

/** The store's file name: the Mastermind's parameter or its default; NULL without a Mastermind. */
const char *workbench_peek_store(const struct workbench *w);
/** Makes FILE its store instead. ENOTFOUND without a Mastermind. */
enum portolan_status workbench_put_store(struct workbench *w, const char *file,
                                         struct portolan_error *err);

/** Returns whether a trial is of the virtual machine of that name; NULL: of a real one. */
bool trial_is_of(const struct portolan_trial *t, const char *machine);
/** Keeps of the trials of SET only those of the virtual machine of that name; NULL: of real ones.
 */
void trials_keep_those_of(struct portolan_sample_set *set, const char *machine);

/**
 * Workbench, stored trials and plan: the trials of the assembly
 * on as many ranks as its newest exploration.
 */
struct study {
    struct workbench w;
    struct portolan_sample_set *data;
    struct portolan_plan_options options;
    struct portolan_name_value *facts; /**< of this machine, and of the newest build */
    char host[256], processor[256];
    char *machine; /**< name of the virtual machine that is chosen for; or NULL */
    bool was_read; /**< the trials were read; may be true if study_open() failed later */
    struct portolan_plan *plan;
};

/** What the plan is to be for. */
struct study_wishes {
    bool here; /**< trials of other machines and builds do not count */
    int ranks; /**< 0: as many as were explored last */
    size_t n_contexts;
    const char *const *context_names;
    const double *contexts;
};

/**
 * Reads the trials from the workbench's store, unless S has them, and makes the plan for the
 * present parameters. `w`, which is open, and `machine` are set before; the caller closes S.
 */
enum portolan_status study_plan(struct study *s, const struct study_wishes *wishes,
                                struct portolan_error *err);
void study_close(struct study *s);

#endif
