/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_STORE_INTERNAL_H
#define PORTOLAN_STORE_INTERNAL_H

#include "backend.h"

#include <portolan/index.h>
#include <portolan/list.h>
#include <stddef.h>

/** The state of what portolan_store_begin() opened. */
enum bracket { BRACKET_NONE, BRACKET_OPEN, BRACKET_BROKEN /* something in it failed */ };

struct portolan_store {
    char *path;
    struct backend *backend;
    enum bracket bracket;
    struct identities *identities; /* of the trial that was written last */
};

/** How long to wait for a lock of another process, usually, and to settle what notes say. */
enum { BUSY_MS = 5000, SETTLE_MS = 200 };

/* ---- notes.c: who writes a note. */

/** The machine, and the name space of its process numbers: containers have their own. */
struct note_place {
    char boot[64], host[300];
};
struct note_place note_place(void);

/** Returns when a process began, in the kernel's unit, which distinguishes it from a later process
 * with the same number; 0: there is none, or it is ending, or waits for its parent. */
unsigned long long note_start_of(long pid);

/** The folder of the notes of the store that is shown as PATH; false: there is none. */
bool note_folder(const char *path, char *folder, size_t size);

/** Returns the path of a companion of the store that is shown as PATH: PATH.WHAT, for a server
 * WHAT-HASH in the user's state folder; malloc'ed. NULL: there is no such place. */
char *note_beside(const char *path, const char *what);

/** "SIZE MTIME" of a plug-in; "0 0" when there is no such file. */
void note_identify(const char *library, char *text, size_t size);

/* ---- settle.c */

/** Returns whether there are notes of running trials next to the store at PATH. */
bool notes_exist(const char *path);
/** Returns whether the plug-in, "SIZE MTIME FILE", is another file now. */
bool notes_is_rebuilt(const char *plugin);

/** portolan_store_open() with another patience than 5 s, for tests. */
enum portolan_status store_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                struct portolan_store **store, struct portolan_error *err);

/** Begins a write transaction, unless a bracket is one already. */
enum portolan_status store_start(struct portolan_store *store, struct portolan_error *err);

/** store_start() for rows of a trial. On failure nothing is begun; ENOTFOUND: no such trial. */
enum portolan_status store_begin(struct portolan_store *store, int64_t trial,
                                 struct portolan_error *err);

/**
 * Ends the transaction: commits when STATUS is good and no bracket is open, rolls back when STATUS
 * is bad. Returns STATUS, or why the commit failed.
 */
enum portolan_status store_finish(struct portolan_store *store, enum portolan_status status,
                                  struct portolan_error *err);

/** The same for reading; an open bracket is a transaction already. */
enum portolan_status store_start_reading(struct portolan_store *store, struct portolan_error *err);
enum portolan_status store_finish_reading(struct portolan_store *store, enum portolan_status status,
                                          struct portolan_error *err);

/** Says what was not stored, and where; returns STATUS. */
enum portolan_status store_explain(struct portolan_store *store, enum portolan_status status,
                                   struct portolan_error *err, const char *what);

/** Says what of TRIAL cannot be read; returns STATUS. */
enum portolan_status store_unread(struct portolan_store *store, enum portolan_status status,
                                  struct portolan_error *err, const char *what, int64_t trial);

/** Says that there is no TRIAL: ENOTFOUND. */
enum portolan_status store_has_no_trial(int64_t trial, struct portolan_error *err);

/** ENOTFOUND when there is no such trial. */
enum portolan_status store_require_trial(struct portolan_store *store, int64_t trial,
                                         struct portolan_error *err);

/** Within a bracket: the trial of JOB that RANK joins, or else begins as T. */
enum portolan_status store_find_or_begin(struct portolan_store *store,
                                         const struct portolan_trial *t, const char *job, int rank,
                                         int64_t *id, struct portolan_error *err);

/** The time in UTC, as ISO 8601 writes it. */
struct store_time {
    char text[32];
};
struct store_time store_now(void);

/* ---- rows.c: each different text once, all freed together. */

struct texts;

struct texts *texts_create(void);
void texts_destroy(struct texts *texts); /* NULL is legal */

/** The set's own copy of TEXT; NULL when memory runs out. */
const char *texts_intern(struct texts *texts, const char *text);

/* ---- rows.c: which columns of a row are which members of a struct. */

struct column {
    enum { COLUMN_BOOL, COLUMN_INT, COLUMN_INT64, COLUMN_DOUBLE, COLUMN_TEXT } kind;
    size_t offset;
};

#define COLUMN(KIND, STRUCT, MEMBER)                                                               \
    {                                                                                              \
        COLUMN_##KIND, offsetof(struct STRUCT, MEMBER)                                             \
    }

/** All columns of a statement, in its order. */
struct shape {
    size_t size; /* of the struct */
    const struct column *columns;
    size_t n;
};

#define SHAPE(STRUCT, COLUMNS)                                                                     \
    {                                                                                              \
        sizeof(struct STRUCT), COLUMNS, sizeof(COLUMNS) / sizeof *(COLUMNS)                        \
    }

/** The members of ROW as values of a statement. */
void columns_put(const struct column *columns, size_t n, const void *row,
                 union backend_value *values);

/** The columns from FIRST on of the row at hand as members of ROW; false when memory runs out.
 * TEXTS may be NULL when there are none among them. */
bool columns_take(const struct column *columns, size_t n, struct backend *b, enum statement which,
                  int first, struct texts *texts, void *row);

/** Runs a query and adds its rows to the N structs of *ARRAY, a pointer, which is enlarged. */
enum portolan_status rows_read(struct backend *b, enum statement which, const struct shape *shape,
                               struct texts *texts, void *array, size_t *n,
                               struct portolan_error *err, const char *types, ...);

/*
 * ---- id_cache.c: ids of named things, found in the data base or made there, and remembered.
 * Within a write transaction that store_begin() began.
 */

/** Kinds of things that a trial has by name, each with the values that identify one. */
enum identity_kind {
    IDENTITY_STEP,    /* int number */
    IDENTITY_METRIC,  /* const char *name, *unit */
    IDENTITY_COUNTER, /* const char *name */
    IDENTITY_THREAD,  /* int rank, thread */
};

enum portolan_status identity_of(struct portolan_store *store, enum identity_kind kind, int64_t *id,
                                 struct portolan_error *err, ...);

/** When the latest regular invocation of a thread started; -infinity when there is none. */
enum portolan_status identity_last_start(struct portolan_store *store, int64_t thread,
                                         double *start_ns, struct portolan_error *err);

/** From now on what is remembered is of TRIAL. */
enum portolan_status identities_enter(struct portolan_store *store, int64_t trial,
                                      struct portolan_error *err);

/** After a rollback: the ids may be of rows that are gone. */
void identities_forget(struct portolan_store *store);

/** The ids of a sample's names. */
struct identity {
    int64_t callpath, thread, layout;
};

/** The ids of all samples, malloc'ed; `thread` and `layout` stay 0 unless wanted. Checks parents.
 */
enum portolan_status identities_of_samples(struct portolan_store *store,
                                           const struct portolan_sample *samples, size_t n,
                                           bool call_paths_only, struct identity **ids,
                                           struct portolan_error *err);

/* ---- names.c: the way back, from ids to names, for a whole trial. */

struct named_path {
    int64_t id, parent; /* ids; 0 at a root */
    const char *user, *uses, *instance, *port, *implementation, *port_type, *method;
};

struct named_thread {
    int64_t id;
    int rank, thread;
};

struct named_layout {
    int64_t id;
    int n_context, n_counters;
    const char *context[PORTOLAN_CONTEXT_MAX], *counter[PORTOLAN_COUNTER_MAX];
};

/** Each array is sorted by id, so that parents stand before their children. Start it as `{0}`. */
struct trial_names {
    size_t n_paths, n_threads, n_layouts;
    struct named_path *paths;
    struct named_thread *threads;
    struct named_layout *layouts;
};

enum portolan_status trial_names_read(struct trial_names *names, struct backend *b, int64_t trial,
                                      struct texts *texts, struct portolan_error *err);
void trial_names_clear(struct trial_names *names);

/**
 * The position of ID in an array, sorted by id, of structs of SIZE bytes that begin with their id;
 * -1: there is none.
 */
int64_t ids_find(const void *items, size_t n, size_t size, int64_t id);

/** The position of ID; -1: there is none. NEAR is a guess, such as the position found last. */
int64_t trial_names_find_path(const struct trial_names *names, int64_t id, int64_t near);
int64_t trial_names_find_thread(const struct trial_names *names, int64_t id, int64_t near);
int64_t trial_names_find_layout(const struct trial_names *names, int64_t id, int64_t near);

/** The threads by rank and number, malloc'ed; NULL when memory runs out. */
const struct named_thread **trial_names_sort_threads(const struct trial_names *names);

/** Copies the names of a call path; several structs have these members. */
#define COPY_PATH(TO, FROM)                                                                        \
    do {                                                                                           \
        (TO)->user = (FROM)->user;                                                                 \
        (TO)->uses = (FROM)->uses;                                                                 \
        (TO)->instance = (FROM)->instance;                                                         \
        (TO)->port = (FROM)->port;                                                                 \
        (TO)->implementation = (FROM)->implementation;                                             \
        (TO)->port_type = (FROM)->port_type;                                                       \
        (TO)->method = (FROM)->method;                                                             \
    } while (0)

/** Sets the names of contexts and counters of a sample. */
void trial_names_put_layout(const struct named_layout *layout, struct portolan_sample *s);

enum portolan_status trial_names_missing(struct portolan_error *err);

/* ---- samples.c: walks over the rows of call_data. */

/** Consecutive rows of one rank in one step. */
struct piece {
    int64_t first, last;
    int step, rank;
};

enum piece_order { PIECES_BY_STEP, PIECES_BY_RANK };

/** Which rows: bounds, all inclusive. */
struct piece_range {
    int first_step, last_step, first_rank, last_rank;
};

/** *HAS: samples of STEP, of ranks FIRST to LAST, are stored. */
enum portolan_status store_has_piece(struct portolan_store *store, int64_t trial, int step,
                                     int first, int last, bool *has, struct portolan_error *err);

enum portolan_status pieces_read(struct backend *b, int64_t trial, const struct piece_range *range,
                                 enum piece_order order, struct piece **pieces, size_t *n,
                                 struct portolan_error *err);

/** The pieces of a trial that a query wants, by step and rank; *PIECES is for free(), also after an
 * error. */
enum portolan_status pieces_select(struct backend *b, const struct portolan_trial *t,
                                   const struct portolan_store_query *q, struct piece **pieces,
                                   size_t *n, struct portolan_error *err);

/** VISIT takes the row at hand of READ_CALL_DATA, piece by piece and by id. */
enum portolan_status pieces_visit(struct backend *b, const struct piece *pieces, size_t n,
                                  enum portolan_status (*visit)(void *arg,
                                                                const struct piece *piece),
                                  void *arg, struct portolan_error *err);

/* Columns of call_data, as READ_CALL_DATA gives them and PUT_CALL_DATA takes them. */
enum call_column {
    CALL_ID,
    CALL_THREAD,
    CALL_CALLPATH,
    CALL_PARENT,
    CALL_LAYOUT,
    CALL_CALLS,
    CALL_TIMED,
    CALL_SUBROUTINES,
    CALL_BINNED,
    CALL_INCLUSIVE,
    CALL_EXCLUSIVE,
    CALL_MPI,
    CALL_MINIMUM,
    CALL_MAXIMUM,
    CALL_SQUARES,
    CALL_QUALITY,
    CALL_CONTEXT,
    CALL_COUNTER = CALL_CONTEXT + PORTOLAN_CONTEXT_MAX,
    CALL_FAILED = CALL_COUNTER + PORTOLAN_COUNTER_MAX,
    CALL_COLUMNS
};

/** Adds all samples of a trial at the end of SET. */
enum portolan_status samples_read(struct backend *b, const struct portolan_trial *t,
                                  const struct portolan_store_query *query,
                                  struct portolan_sample_set *set, size_t *capacity,
                                  struct texts *texts, struct portolan_error *err);

/* ---- calls.c: single calls from one store into another */

struct calls_copy {
    struct portolan_store *to;
    int64_t trial;      /* there */
    const int *present; /* steps that are there already */
    size_t n_present;
};

enum portolan_status calls_copy(struct portolan_store *from, int64_t trial, struct calls_copy *copy,
                                struct portolan_error *err);

/* ---- summarise.c */

/** The summary of a trial from its samples, in place of SET's rows. In a transaction. */
enum portolan_status summary_compute(struct backend *b, int64_t trial,
                                     struct portolan_summary_set *set, struct texts *texts,
                                     struct portolan_error *err);

#endif
