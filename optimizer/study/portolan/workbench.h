/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * workbench: an assembly with its palette and what a user changes of it, the first step of whatever
 * works on assemblies. One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_WORKBENCH_H
#define PORTOLAN_WORKBENCH_H

#include <portolan/assembly.h>
#include <portolan/palette.h>

struct portolan_program;

/* What is opened, and what is changed of it. */
struct assembly_options {
    const char *file;
    const char *as; /* --as: components find the files that they read next to this file; or NULL */
    const struct portolan_program *program; /* holds the text and the classes; or NULL */
    const char *path;                       /* --path, more folders with component descriptions */
    const char *store;                      /* --store, instead of the Mastermind's parameter */
    bool reads_only;                        /* the store may also lie next to FILE */
    const char *trial;                      /* --trial, if FILE is a store */
    size_t n_sets;
    const char **sets; /* --set INSTANCE.PARAMETER=VALUE or PARAMETER=VALUE */
    size_t n_selects;
    const char **selects; /* --select INSTANCE=CLASS */
    size_t n_pins;
    const char **pins; /* --pin INSTANCE=CLASS */
    size_t n_forbids;
    const char **forbids; /* --forbid INSTANCE=CLASS */
    bool takes_cases;     /* --case may be given several times, and drops all other cases */
    size_t n_cases;
    const char **cases; /* --case NAME */
    size_t n_contexts;
    const char **context_names; /* --context NAME=VALUE */
    double *contexts;
};

/* An assembly with its palette, ready to be checked, drawn, run or predicted. */
struct workbench {
    struct portolan_palette *palette; /* NULL if the assembly is from a store */
    struct portolan_assembly *assembly;
    const char *store; /* in that case: the store that describes it */
};

/*
 * Reads and checks the assembly and applies --case, --set, --select, --pin and --forbid. REPORT
 * gets the problems; NULL: nobody does, as on all ranks but one, which read the same file. Empties
 * the lists in O. Errors of portolan_assembly_read(), _palette_, _check() and _plan_check_models().
 */
typedef void workbench_report_fn(void *arg, const char *file, int line, int column,
                                 const char *text);
enum portolan_status workbench_open(struct workbench *w, struct assembly_options *o,
                                    workbench_report_fn *report, struct portolan_error *err);
void workbench_close(struct workbench *w);

/*
 * Steps of it, for callers that change the assembly later: the palette, with the folders of PATH
 * (may be NULL) first, then those that the assembly names, then the defaults; and the checks.
 */
enum portolan_status workbench_open_palette(struct workbench *w, const char *path,
                                            struct portolan_diagnostics *d,
                                            struct portolan_error *err);
enum portolan_status workbench_check(const struct workbench *w, struct portolan_diagnostics *d);

/*
 * For commands that only read results: opens an experiment store instead of an assembly, for what
 * it says about a program that has no file of its assembly, the one that --trial names or the
 * newest. Frees the lists of O.
 */
enum portolan_status workbench_open_store(struct workbench *w, struct assembly_options *o,
                                          struct portolan_error *err);

/* Sets "INSTANCE.PARAMETER", or PARAMETER of the only instance that has it. */
enum portolan_status workbench_set(struct workbench *w, const char *parameter, const char *text,
                                   struct portolan_error *err);

/* Obeys ORDERS of a trial, as struct portolan_measure_trial has them. */
enum portolan_status workbench_obey(struct workbench *w, const char *orders,
                                    struct portolan_error *err);

/* --set PARAMETER=VALUE. */
enum portolan_status apply_set(struct workbench *w, const char *text, struct portolan_error *err);
/* --select INSTANCE=CLASS. */
enum portolan_status apply_select(struct portolan_assembly *a, const char *text,
                                  struct portolan_error *err);
/* Frees the lists of O: values, selections, pins, forbidden classes and cases. */
void workbench_clear_lists(struct assembly_options *o);
/* All of --select, --pin and --forbid. */
enum portolan_status apply_choices(struct portolan_assembly *a, const struct assembly_options *o,
                                   struct portolan_error *err);

/* Returns whether a component of the assembly records its calls of MPI, now and then. */
bool workbench_is_diagnosed(const struct workbench *w);

/* The store's file name: the Mastermind's parameter or its default; NULL without a Mastermind. */
const char *workbench_peek_store(const struct workbench *w);
/* Makes FILE its store. ENOTFOUND without a Mastermind. */
enum portolan_status workbench_put_store(struct workbench *w, const char *file,
                                         struct portolan_error *err);

/* For who only reads: a store that is not in the present folder may lie next to the assembly. */
enum portolan_status workbench_look_beside(struct workbench *w, struct portolan_error *err);

/* Loads every class that may run and each proxy, each in a process of its own, which constructors
 * of plug-ins may end. What fails goes to D, and is PORTOLAN_EFOREIGN. Flushes standard output. */
enum portolan_status workbench_check_loads(const struct workbench *w,
                                           struct portolan_diagnostics *d);
/* Returns why INSTANCE, if it is an Optimizer, would never swap anything; NULL: it may, or is none.
 */
const char *workbench_why_idle(const struct workbench *w,
                               const struct portolan_assembly_instance *instance);

#endif
