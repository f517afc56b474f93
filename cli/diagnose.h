/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to `portolan diagnose`: shared by its files. */
#ifndef PORTOLAN_CLI_DIAGNOSE_H
#define PORTOLAN_CLI_DIAGNOSE_H

#include "cli.h"

#include <portolan/hercule.h>
#include <portolan/machine.h>
#include <portolan/replay.h>

/* 2 is for wrong usage. */
enum { EXIT_PROBLEM = 3, EXIT_NOT_KNOWN = 4, NO_BUDGET = -1, NO_TREE = 2 };

struct diagnose_options {
    const char *file;
    char **program;
    int ranks;
    const char *launcher, *paradigm, *keep;
    unsigned tree; /* enum portolan_tree_format, or NO_TREE */
    const char **folders;
    size_t n_folders;
    int rule_seconds, rule_mib; /* 0: the default */
    const char **thresholds;
    size_t n_thresholds;
    int why, digits;
    bool as_json;
    int trial, against; /* of the store; 0: none */
    int repeat;
    double budget_s; /* or NO_BUDGET */
    bool once;
    struct assembly_options assembly;
};

/* All that a diagnosis needs, and that outlives it. */
struct subject {
    struct portolan_arena arena;
    struct portolan_diagnostics d;
    struct portolan_knowledge *knowledge;
    struct workbench bench;                /* of an assembly */
    struct portolan_assembly *declaration; /* of a file with the <paradigm>; or NULL */
    const char *paradigm;                  /* NULL: none is known */
    struct portolan_part *parts;
    size_t n_parts;
    const char *store; /* NULL: nothing is stored */
    /* Results of the last run: */
    int64_t trial; /* 0: it is not stored */
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    int n_ranks;                             /* of a trial that was read */
    double run_ns;                           /* as the trial says */
    double bytes;                            /* of the streams */
    int first_step;                          /* that was recorded */
    bool is_cut;                             /* the program failed … */
    const char *how_it_ended;                /* … so */
    bool shares_cores;                       /* there were more ranks than cores */
    double recording;                        /* share of the recorded run: times are without it */
    bool knows_processors;                   /* `machine` says who used them */
    struct portolan_machine_verdict machine; /* during a run on this host */
};

/* Prints where ranks waited, who made them, the efficiencies E (NULL: not known) and the N LOSSES:
   what can be said without a paradigm. DIGITS of percentages, here and below. */
void diagnose_print_waits(const struct portolan_waits *w, const struct portolan_efficiencies *e,
                          const struct portolan_loss *losses, size_t n, int digits);

/* Forgets the trace of the run before. */
void diagnose_forget_trace(struct subject *s);
/* Reads matching and waits of the trace, and warns of what is missing there. */
enum portolan_status diagnose_analyse(struct subject *s, struct portolan_error *err);

/* ------------------------------------------------- runs: diagnose_run.c */

/* The times that a run measures. */
struct diagnose_run {
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
enum portolan_status diagnose_run(struct subject *s, const struct diagnose_options *o,
                                  const struct diagnose_run *r, struct portolan_error *err);

/* Each event of the trace gets the time that it would have without recording, or, where ranks
 * shared cores and so waited for them, too, with a core for each rank. */
enum portolan_status diagnose_settle_trace(struct subject *s, struct portolan_error *err);

/* Runs the assembly, which is changed in what is measured; its trial has the fact TOKEN. FOLDER is
 * that of the streams, or NULL. */
enum portolan_status diagnose_run_assembly(struct subject *s, const struct diagnose_options *o,
                                           const struct diagnose_run *r, const char *folder,
                                           const char *token, struct portolan_error *err);
/* The streams of FOLDER with the calls of ports that the store has of the trial. */
enum portolan_status diagnose_read_assembly(struct subject *s, const char *folder,
                                            struct portolan_error *err);

/* ------------------------------------------------- experiments: diagnose_experiments.c */

/* Those of one diagnosis. */
struct diagnose_experiments {
    struct portolan_experiment made[3]; /* `title` NULL: it was not made */
    struct portolan_diagnosis **all;    /* that were made for it; the last is the result */
    size_t n;
    int n_steps;            /* of the run; 0: not known */
    double spent_s, last_s; /* for all runs, for the last */
    const char *not_made;   /* which experiment, and why; or NULL */
};

/* Makes all experiments that are needed; HOW is what all diagnoses share. E must be cleared,
 * whatever the status. */
enum portolan_status diagnose_experiment(struct subject *s, const struct diagnose_options *o,
                                         struct portolan_diagnosis_options *how,
                                         struct diagnose_experiments *e,
                                         struct portolan_error *err);
void diagnose_clear_experiments(struct diagnose_experiments *e);

/* ------------------------------------------------- trials: diagnose_trials.c */

/* Makes it the subject's, and reads its trace, if the store has one. PORTOLAN_ENOTFOUND. */
enum portolan_status diagnose_read_trial(struct subject *s, int64_t trial,
                                         struct portolan_error *err);
/* The trial's number from its fact, and its time. PORTOLAN_ENOTFOUND. */
enum portolan_status diagnose_find_run(struct subject *s, const char *token,
                                       struct portolan_error *err);
/* Stores the program that was run as a trial. */
enum portolan_status diagnose_store_program(struct subject *s, const struct diagnose_options *o,
                                            struct portolan_error *err);
/* Moves the streams of FOLDER to the trial; KEEP: they stay there. */
enum portolan_status diagnose_keep_trace(struct subject *s, const char *folder, bool keep,
                                         struct portolan_error *err);
/* Makes a new folder for streams next to the store; NULL: no memory, or it cannot be made. */
char *diagnose_new_folder(struct subject *s, struct portolan_error *err);

/* The facts that a trial has without its trace. */
struct diagnose_profile {
    double run_ns;
    int n_steps;
    struct portolan_quantity *quantities; /* of the run, then of components; in the arena */
    size_t n_of_run, n;
};
/* PORTOLAN_ENOTFOUND: there is no such trial. */
enum portolan_status diagnose_read_profile(struct subject *s, int64_t trial,
                                           struct diagnose_profile *p, struct portolan_error *err);
/* Returns whether a part is that component. */
bool diagnose_is_part(const struct subject *s, const char *component);
/* Returns whether all of R's components that are parts were called in P: else they may not have
 * been measured. */
bool diagnose_has_components(const struct subject *s, const struct diagnose_run *r,
                             const struct diagnose_profile *p);
/* The newest trial that R would repeat; 0: there is none. */
enum portolan_status diagnose_find_profile(struct subject *s, const struct diagnose_options *o,
                                           const struct diagnose_run *r, int64_t *trial,
                                           struct portolan_error *err);
/* Returns the time of the newest trial of the program or assembly on as many ranks; NaN: there is
 * none. */
double diagnose_expect_ns(struct subject *s, const struct diagnose_options *o);

/* Stores D with the subject's trial. */
enum portolan_status diagnose_store_findings(struct subject *s, const struct portolan_diagnosis *d,
                                             struct portolan_error *err);
/* Prints by which causes trial B differs from A; *RESULT: the exit status. B 0: only finds out
 * whether A was diagnosed. PORTOLAN_ENOTFOUND. */
enum portolan_status diagnose_against(struct subject *s, int64_t a, int64_t b, int digits,
                                      int *result, struct portolan_error *err);

#endif
