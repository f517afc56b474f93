/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of experiments/: runs, their trials, and what decides about the next one. */
#ifndef PORTOLAN_EXPERIMENTS_INTERNAL_H
#define PORTOLAN_EXPERIMENTS_INTERNAL_H

#include <portolan/hercule_experiments.h>

/* Reports to the user. KIND: "note", "warning" or "error". */
void subject_report(const struct portolan_subject *s, const char *kind, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Forgets the trace of the run before. */
void subject_forget_trace(struct portolan_subject *s);
/* Reads matching and waits of the trace, and warns of what is missing there. */
enum portolan_status subject_analyse(struct portolan_subject *s, struct portolan_error *err);
/* Each event of the trace gets the time that it would have without recording, or, where ranks
 * shared cores and so waited for them, too, with a core for each rank. */
enum portolan_status subject_settle_trace(struct portolan_subject *s, struct portolan_error *err);

/* ------------------------------------------------- decisions: decide.c */

/* The least experiment that D asks for, from 1; 0: none. */
int decide_next(const struct portolan_diagnosis *d);
/* Chooses which of a run's N_STEPS are recorded, *FIRST to *LAST; false: all. */
bool decide_window(int n_steps, int *first, int *last);
/* Returns whether a run that is expected to take NEEDED_S (NaN: not known) fits into what E left of
 * the budget. */
bool decide_to_begin(const struct portolan_experiment_options *o,
                     const struct portolan_experiments *e, double needed_s);
/* Returns why the last run should be made again, once, as far as the budget goes; NULL: it should
 * not. */
const char *decide_to_repeat(const struct portolan_experiment_options *o,
                             const struct portolan_experiments *e);
/* Returns how much longer a run of trial TRIAL took than the nearest of the N MADE before it that
 * was another trial, as a share; NaN: there is none. */
double decide_overhead(const struct portolan_experiment *made, int n, int64_t trial, double run_ns);

/* ------------------------------------------------- runs: run.c, assembly_run.c */

/* The times that a run measures. */
struct experiment_run {
    int experiment;                /* 1: profile, 2: profile of operations, 3: trace */
    const char *const *components; /* of the second: whose ports */
    size_t n_components;
    const char *window; /* of the third, as in <portolan/record.h>; NULL: everything … */
    const char *steps;  /* … and in words: ", steps 22 to 36" */
};

/*
 * Runs the program or assembly, stores its trial and, for a trace, the streams next to the store,
 * and reads these. PORTOLAN_EFOREIGN: the run failed, and has said why; else as the store and
 * traces.
 */
enum portolan_status experiment_run(struct portolan_subject *s,
                                    const struct portolan_experiment_options *o,
                                    const struct experiment_run *r, struct portolan_error *err);
/* Runs the assembly, which is changed in what is measured; its trial has the fact TOKEN. FOLDER is
 * that of the streams, or NULL. */
enum portolan_status experiment_run_assembly(struct portolan_subject *s,
                                             const struct portolan_experiment_options *o,
                                             const struct experiment_run *r, const char *folder,
                                             const char *token, struct portolan_error *err);

/* ------------------------------------------------- trials: trials.c */

/* Reads the streams of FOLDER with the calls of ports that the store has of the trial. */
enum portolan_status trial_read_trace(struct portolan_subject *s, const char *folder,
                                      struct portolan_error *err);
/* Finds the trial's number from its fact, and its time. PORTOLAN_ENOTFOUND. */
enum portolan_status trial_find_run(struct portolan_subject *s, const char *token,
                                    struct portolan_error *err);
/* Stores the program that was run as a trial. */
enum portolan_status trial_store_program(struct portolan_subject *s,
                                         const struct portolan_experiment_options *o,
                                         struct portolan_error *err);
/* Moves the streams of FOLDER to the trial; KEEP: they stay there. */
enum portolan_status trial_keep_trace(struct portolan_subject *s, const char *folder, bool keep,
                                      struct portolan_error *err);
/* Makes a new folder for streams next to the store; NULL: no memory, or it cannot be made. */
char *trial_new_folder(struct portolan_subject *s, struct portolan_error *err);
/* Returns the time of the newest trial of the program or assembly on as many ranks; NaN: there is
 * none. */
double trial_expect_ns(struct portolan_subject *s, const struct portolan_experiment_options *o);
/* Reads what QUERY selects; the caller destroys *SET. A store that is not there has no trials.
 * PORTOLAN_ENOTFOUND: the trial that QUERY wants. */
enum portolan_status trials_read(struct portolan_subject *s,
                                 const struct portolan_store_query *query, bool with_samples,
                                 struct portolan_sample_set **set, struct portolan_error *err);

/* ------------------------------------------------- profiles: profile.c */

/* The facts that a trial has without its trace. */
struct experiment_profile {
    double run_ns;
    int n_steps;
    struct portolan_quantity *quantities; /* of the run, then of components; in the arena */
    size_t n_of_run, n;
};
/* PORTOLAN_ENOTFOUND: there is no such trial. */
enum portolan_status profile_read(struct portolan_subject *s, int64_t trial,
                                  struct experiment_profile *p, struct portolan_error *err);
/* Returns whether a part is that component. */
bool profile_is_part(const struct portolan_subject *s, const char *component);
/* Returns whether all of R's components that are parts were called in P: else they may not have
 * been measured. */
bool profile_has_components(const struct portolan_subject *s, const struct experiment_run *r,
                            const struct experiment_profile *p);
/* Finds the newest trial that R would repeat; *TRIAL 0: there is none. */
enum portolan_status profile_find(struct portolan_subject *s,
                                  const struct portolan_experiment_options *o,
                                  const struct experiment_run *r, int64_t *trial,
                                  struct portolan_error *err);

#endif
