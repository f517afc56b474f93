/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * tune: trials of a program with options (<portolan/options.h>), which knows nothing of Portolan,
 * and assemblies made of a command line. One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_TUNE_H
#define PORTOLAN_TUNE_H

#include <portolan/assembly.h>
#include <portolan/command.h>
#include <portolan/store.h>

/* ------------------------------------------------------------------ an assembly of a command line
 */

/** A command line whose options stand as {NAME:VALUE|VALUE…} or {NAME:FROM..TO*FACTOR}. */
struct tune_line {
    size_t n_command;
    char **command;
    double accuracy, timeout_s;                             /**< 0: none */
    const char *accuracy_from, *time_from, *memory, *store; /**< NULL: none, but portolan.db */
    const char *irace; /**< file of more options, as irace has them; NULL: none */
    int ranks;         /**< 0: not stated */
    size_t n_varied, n_failed, n_contexts, n_variables, n_files;
    const char **varied, **failed, **contexts, **variables, **files; /**< NAME=… but FAILED */
};

/** The assembly's XML, in ARENA; NULL, with ERR set to EINVAL (the command) or ENOMEM. */
char *tune_make_assembly(struct portolan_arena *arena, const struct tune_line *o,
                         struct portolan_error *err);

/** Adds the parameters of an irace file as options, <instance> elements. False, with ERR set to
 * ESYNTAX (file:line), EIO or ENOMEM. */
bool tune_read_irace(struct portolan_arena *arena, const char *file, struct portolan_text *options,
                     struct portolan_error *err);

/* ------------------------------------------------------------------ trials */

struct portolan_facts;

/** Trials of A's program. */
struct tune_session {
    const struct portolan_assembly *a; /**< with the combination that is selected */
    const char *store;                 /**< file of the trials */
    struct portolan_store *open;       /**< its own, as of the first trial */
    struct portolan_facts *facts;      /**< its own: what all trials have in common */
    struct portolan_words start;       /**< before the command: the launcher of its ranks */
    struct portolan_name_value build;  /**< a fact of each trial: which build of the program ran */
    const char *text;                  /**< likewise: the assembly, for who has only the store */
    struct portolan_arena arena;       /**< of these texts */
    /** The first file named in the command that a trial changed; NULL: none was. */
    const char *changed;
};

/**
 * LAUNCHER: words that start the ranks; NULL: MPIEXEC -n N if the program has more than one.
 * Errors: EINVAL: the command is empty; ENOTFOUND: there is no such program; ENOMEM. Closed by the
 * caller also then.
 */
enum portolan_status tune_open(struct tune_session *s, const struct portolan_assembly *a,
                               const char *launcher, const char *mpiexec,
                               struct portolan_error *err);
void tune_close(struct tune_session *s);

/**
 * Runs the program with the selected combination for at most LIMIT_S (0: no limit), and stores the
 * trial: "finished", "failed", or "stopped" at the limit. *SIGNAL_NUMBER: this process was told to
 * end (0: it was not); then nothing is stored. PORTOLAN_ECOMPONENT: it failed or was stopped, with
 * the reason.
 */
enum portolan_status tune_run_trial(struct tune_session *s, double limit_s, int *signal_number,
                                    struct portolan_error *err);

/** Returns whether T ran with A's present parameters. */
bool tune_has_parameters(const struct portolan_assembly *a, const struct portolan_trial *t);

/** So many combinations are all measured; of more, some are in a race, with two changes of the best
 * if there are at most so many pairs of changes, and some drawn at random as long as there are
 * fewer than so many. */
enum { TUNE_MOST_OF_ALL = 200, TUNE_MOST_PAIRS = 400, TUNE_MOST_DRAWN = 1000 };

/** Adds the combinations from which the next trial is chosen (portolan_measure_runner.offer). */
enum portolan_status tune_offer(struct portolan_assembly *a, const char *changes_of, bool *is_race,
                                bool *grew, struct portolan_error *err);
/** Adds one at random (portolan_measure_runner.draw). */
enum portolan_status tune_draw(struct portolan_assembly *a, bool *grew, struct portolan_error *err);
/** Adds the combinations of which SET has trials. Errors: ENOMEM. */
enum portolan_status tune_offer_measured(struct portolan_assembly *a,
                                         const struct portolan_sample_set *set,
                                         struct portolan_error *err);

/**
 * The same for a choice: where the search left a combination behind, because others were better, it
 * is known up to the largest value of each varied parameter that it was measured with, and gets the
 * condition that it is not chosen beyond. Errors: ENOMEM.
 */
enum portolan_status tune_offer_known(struct portolan_assembly *a,
                                      const struct portolan_sample_set *set,
                                      struct portolan_error *err);

/* ------------------------------------------------------------------ what is chosen */

/** The command line of an alternative, as a shell takes it, in ARENA; NULL: no memory. */
char *tune_command_line(const struct portolan_assembly *a, size_t alternative,
                        struct portolan_arena *arena);
/** Becomes the program with the selected combination; returns only with an error. IN_FOLDER is
 * called before if it has files of its own, which are there. */
enum portolan_status tune_run_here(const struct tune_session *s,
                                   void (*in_folder)(const char *folder),
                                   struct portolan_error *err);

/** Selects the values of the combination "ksp=cg pc=lu" as those written. Errors: ENOTFOUND,
 * ENOMEM. */
enum portolan_status tune_select(struct portolan_assembly *a, const char *combination,
                                 struct portolan_error *err);

/**
 * Adds a line for each combination that A offers or SET has trials of, with A's present parameters:
 * how long it takes, or why it is not chosen (it failed, with the reason and its last line of
 * output; it was not accurate, or stopped; it was never tried). Errors: ENOMEM.
 */
enum portolan_status tune_explain(struct portolan_assembly *a,
                                  const struct portolan_sample_set *set, struct portolan_text *out,
                                  struct portolan_error *err);

/**
 * Stores the results of hyperfine in FILE (--export-json) as trials of the session's program, as if
 * they had run here, *N of them. Their parameters (-L) have the names and values of options, or
 * their commands are those of combinations that A offers. A's parameters and selection change.
 * Errors: ESYNTAX, EINVAL, ENOTFOUND: it has none of this program; those of the store; ENOMEM.
 */
enum portolan_status tune_read_hyperfine(struct tune_session *s, struct portolan_assembly *a,
                                         const char *file, size_t *n, struct portolan_error *err);
/** Adds a document of all trials of A in STORE, as hyperfine writes its results; A's alternatives
 * and parameters change. Errors: those of the store, ENOMEM. */
enum portolan_status tune_write_hyperfine(struct portolan_assembly *a, const char *store,
                                          struct portolan_text *out, struct portolan_error *err);

/** Adds a table of why trials of A did not work: how many, and of which combination. */
void tune_list_failures(const struct portolan_assembly *a, const struct portolan_sample_set *set,
                        struct portolan_text *out);

#endif
