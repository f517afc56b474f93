/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * study: an assembly, its stored trials and the plan that follows from them, for whoever only reads
 * results. One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_STUDY_H
#define PORTOLAN_STUDY_H

#include <portolan/optimizer.h>
#include <portolan/store.h>
#include <portolan/workbench.h>

/*
 * Workbench, stored trials and plan, for a command that only reads results: the trials of the
 * assembly on as many ranks as its newest exploration.
 */
struct study {
    struct workbench w;
    struct portolan_sample_set *data;
    struct portolan_plan_options options;
    struct portolan_name_value *facts; /* of this machine, and of the newest build */
    char host[256], processor[256];
    char *machine; /* name of the virtual machine that is chosen for; or NULL */
    bool was_read; /* the trials were read; may be true if study_open() failed later */
    struct portolan_plan *plan;
};

/* Options for the plan. */
struct study_options {
    struct assembly_options assembly;
    bool any_machine;    /* --any-machine */
    const char *machine; /* --machine: a virtual one's file; or NULL */
    int ranks;           /* --ranks; 0: as many as were explored last */
};

/* What the caller does for a study. */
struct study_means {
    workbench_report_fn *report; /* gets mistakes in files */
    /* The name of the virtual machine in FILE; *NAME is for free(). */
    enum portolan_status (*name_machine)(const char *file, char **name, struct portolan_error *err);
};

/* HERE: trials of other machines and builds do not count unless the options say so. */
enum portolan_status study_open(struct study *s, struct study_options *o,
                                const struct study_means *means, bool here,
                                struct portolan_error *err);
/* The same, but after a failure what could be opened stays so; the caller closes S. */
enum portolan_status study_open_partly(struct study *s, struct study_options *o,
                                       const struct study_means *means, bool here,
                                       struct portolan_error *err);
/*
 * The last part of it: reads the trials, unless S has them, and makes the plan for the present
 * parameters of the workbench. `w` and `machine` are set before; the caller closes S.
 */
enum portolan_status study_plan(struct study *s, const struct study_options *o, bool here,
                                struct portolan_error *err);
void study_close(struct study *s);

/*
 * Adds a line to OUT: what is chosen at the K-th setting of the parameters VARIED,
 * "NAME=VALUE,...", and in which time. Returns false after the last one; the setting in which each
 * parameter has its last value is left out, as are those after the first 100. ASSEMBLY's own
 * settings are not used; it must have no selects, pins, forbids or cases.
 */
bool study_choose_at_other(const struct assembly_options *assembly, const char *const *varied,
                           size_t n_varied, size_t k, const struct study_means *means,
                           struct portolan_text *out);

/* Selects in W's assembly what A chose. Errors: those of portolan_assembly_select(). */
enum portolan_status study_select_chosen(struct workbench *w, const struct portolan_plan_answer *a,
                                         struct portolan_error *err);

/*
 * Lets failures so far of "INSTANCE=CLASS" no longer count in W's store. Errors: ENOTFOUND if there
 * is no such alternative, or no store; those of the store.
 */
enum portolan_status study_lift_veto(const struct workbench *w, const char *what,
                                     struct portolan_error *err);

#endif
