/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the writers of formats: output of bytes, trees of call paths, single calls. */
#ifndef PORTOLAN_EXPORT_INTERNAL_H
#define PORTOLAN_EXPORT_INTERNAL_H

#include <portolan/export.h>
#include <portolan/index.h>
#include <portolan/json.h>
#include <portolan/list.h>
#include <portolan/profile.h>
#ifdef PORTOLAN_OTF2
#include <portolan/trace.h>
#endif

/* ------------------------------------------------- output.c: bytes */

/* A file that appears when it is closed. A failure is kept until then. Start it as {0}. */
struct sink {
    struct portolan_text text; /* not written yet */
    FILE *f;
    char *path, *temporary; /* NULL: F belongs to the caller */
    bool force;
    int error; /* the first errno */
};

enum portolan_status sink_open(struct sink *s, const char *path, bool force,
                               struct portolan_error *err);
/* Writes the text to the file if it is long enough: to be called every few lines. */
void sink_flush(struct sink *s);
/*
 * Returns STATUS, or that of a failure to write; the file exists only if that is PORTOLAN_OK.
 * Without force an existing file is an error, even if it appeared meanwhile.
 */
enum portolan_status sink_close(struct sink *s, enum portolan_status status,
                                struct portolan_error *err);

/* A folder that appears when it is closed, likewise. */
struct folder {
    char *path, *temporary;
    bool force;
    bool (*is_ours)(const char *name); /* the files that may be replaced */
};

enum portolan_status folder_open(struct folder *f, const char *path, bool force,
                                 bool (*is_ours)(const char *name), struct portolan_error *err);
enum portolan_status folder_close(struct folder *f, enum portolan_status status,
                                  struct portolan_error *err);

/* ------------------------------------------------- tree.c: profiles, names by number */

/* Metrics of a tree: time and its part in MPI in nanoseconds, then the trial's counters. */
enum { TREE_TIME, TREE_MPI, TREE_COUNTERS };

/* A context: a part of the numbers of a call path. */
struct tree_context {
    const struct portolan_profile_node *of;
    const struct portolan_profile_cell *cell;
};

struct tree_node {
    int64_t above;                            /* index of the caller, smaller; -1 at a root */
    const struct portolan_profile_node *of;   /* names */
    const struct portolan_profile_cell *cell; /* stored values; NULL in sums */
    const char *label;
    double calls, subroutines;
    double *inclusive, *exclusive; /* a value per metric, scaled up if calls were sampled */
    size_t n_contexts;
    struct tree_context *contexts; /* on this thread */
};

/* The call paths of one thread, or the sums of all, in ARENA. Start it as {0}. */
struct tree {
    struct portolan_arena arena;
    int rank, thread; /* -1: of all */
    size_t n_metrics, n;
    struct tree_node *nodes;
};

enum portolan_status tree_of_sums(struct tree *t, const struct portolan_profile *p,
                                  struct portolan_error *err);

/* The state of one export. */
struct job {
    const struct portolan_export_options *options;
    struct portolan_store *store;
    int64_t id;                      /* of the first trial */
    struct portolan_sample_set *set; /* holds the first trial, without samples */
    const struct portolan_trial *trial;
    int first_rank, n_ranks;
    struct sink sink;     /* the open file of a format that is a file, … */
    struct folder folder; /* … or the open folder */
    /* After job_read_sums(): the sums of the trial over its ranks, or of its rank; also as a tree.
     */
    struct portolan_profile *sums;
    struct tree tree;
};

enum portolan_status job_read_sums(struct job *job, struct portolan_error *err);
enum portolan_status job_make_tree(struct job *job, struct portolan_error *err);

/* Calls VISIT for every thread of every rank of the job; CONTEXTS: P has contexts. */
typedef enum portolan_status (*job_thread_fn)(void *arg, const struct portolan_profile *p,
                                              const struct tree *t, struct portolan_error *err);
enum portolan_status job_visit_threads(const struct job *job, bool contexts, job_thread_fn visit,
                                       void *arg, struct portolan_error *err);

/*
 * Sets *METRIC to the index of the job's metric, TREE_CALLS for "calls"; reads the sums. The text
 * of ENOTFOUND lists the metrics there are.
 */
enum { TREE_CALLS = -1 };
enum portolan_status job_find_metric(struct job *job, int *metric, struct portolan_error *err);
/* Returns whether METRIC is a name of a metric that every trial has; NULL is the time. */
bool is_time(const char *metric);
bool is_mpi(const char *metric);
/* Adds the labels from the root to N with SEPARATOR between them, each by ADD_STEP (NULL:
 * unchanged). */
void tree_add_path(struct portolan_text *text, const struct tree *t, const struct tree_node *n,
                   const char *separator,
                   void (*add_step)(struct portolan_text *text, const char *label));
/* The exclusive value of a node. */
double tree_value(const struct tree_node *n, int metric);

/* ------------------------------------------------- rows.c: single calls */

/* Called for the events of each thread, in the order of time; calls are nested. Times are whole
 * nanoseconds. */
struct timeline_ops {
    enum portolan_status (*thread)(void *arg, int rank, int thread, struct portolan_error *err);
    /* A call is entered or left. */
    enum portolan_status (*call)(void *arg, bool enters, const struct portolan_sample *path,
                                 const struct portolan_invocation *row, int64_t at_ns,
                                 struct portolan_error *err);
    /* OPTIONAL: the thread's end. */
    enum portolan_status (*end)(void *arg, int64_t at_ns, struct portolan_error *err);
};

enum portolan_status job_visit_timeline(const struct job *job, const struct timeline_ops *ops,
                                        void *arg, struct portolan_error *err);
/* Visits the rows as they are stored. */
enum portolan_status job_visit_rows(const struct job *job, portolan_invocation_fn visit, void *arg,
                                    struct portolan_error *err);
/* ENOTFOUND when there are no rows; to be called before anything is written. */
enum portolan_status job_needs_rows(const struct job *job, struct portolan_error *err);

#ifdef PORTOLAN_OTF2
/* The rows as a trace, between what was recorded into FOLDER (NULL: nothing was). */
enum portolan_status job_make_trace(const struct job *job, const char *folder,
                                    struct portolan_trace **trace, struct portolan_error *err);
#endif

/* Sets TEXT to the label of PATH in profiles. */
void row_label(const struct portolan_sample *path, struct portolan_text *text);

/* Replaces bytes that are not UTF-8 by '?'; NULL is legal. */
void clean_utf8(char *text);

struct frame {
    const char *name, *file;
};

/* All different frames in order of first use; memory failures are noted in ARENA. Start as {0}. */
struct frames {
    struct portolan_arena arena;
    struct frame *frames;
    size_t n;
    struct portolan_index index;
    struct portolan_text label;
};

size_t frames_find(struct frames *f, const char *name, const char *file);
/* The index of a frame, with the label in profiles as name and the implementation as file. */
size_t frames_of_node(struct frames *f, const struct tree_node *n);
size_t frames_of_path(struct frames *f, const struct portolan_sample *path);
void frames_clear(struct frames *f);

/* ------------------------------------------------- a file per format */

enum portolan_status write_tau(struct job *job, struct portolan_error *err);
enum portolan_status write_csv(struct job *job, struct portolan_error *err);
enum portolan_status write_callgrind(struct job *job, struct portolan_error *err);
enum portolan_status write_folded(struct job *job, struct portolan_error *err);
enum portolan_status write_speedscope(struct job *job, struct portolan_error *err);
enum portolan_status write_chrome(struct job *job, struct portolan_error *err);
enum portolan_status write_extrap(struct job *job, struct portolan_error *err);
enum portolan_status write_otf2(struct job *job, struct portolan_error *err);

/* Returns whether NAME is a file in a folder of the format. */
bool is_tau_file(const char *name);
bool is_otf2_file(const char *name);

#endif
