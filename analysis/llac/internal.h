/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The room's own: statements, tables, objects, commands.
 *
 * Whatever fails in a statement leaves it: llac_fail() and its kin do not return, nor does an
 * allocation without memory. What a statement makes lies in its arena, and what has to be freed
 * otherwise is handed to llac_own(). So functions return values, and callers test nothing. But what
 * holds a resource of its own must not allocate in the arena while it does.
 */
#ifndef PORTOLAN_LLAC_INTERNAL_H
#define PORTOLAN_LLAC_INTERNAL_H

#include <portolan/chart.h>
#include <portolan/formula.h>
#include <portolan/llac.h>
#include <portolan/models.h>

#include <setjmp.h>

#define NONE SIZE_MAX

/* ------------------------------------------------------------------------------------ tables */

enum column_kind {
    COLUMN_LABEL,      /* who measured: RUN, CPU, NCPUS */
    COLUMN_IDENTIFIER, /* what a time depends on */
    COLUMN_OBSERVABLE  /* what was measured */
};

struct column {
    const char *name;
    const char *unit; /* or NULL */
    enum column_kind kind;
};

/* Rows of one experiment. The texts are those that it was given; all else lies in its arena. */
struct table {
    struct portolan_arena *arena; /* while it may grow */
    const char *experiment;       /* its name */
    const char *source;           /* what it was loaded from */
    const char *file;             /* the program's source; or NULL */
    const char *formula;          /* infix; or NULL */
    const char *program;          /* or NULL */
    size_t n_begin, n_end;
    unsigned *begin_lines, *end_lines;
    size_t n_columns;
    struct column *columns;
    size_t n_rows, room;
    double *cells; /* n_rows x n_columns */
};

struct table *llac_table_create(struct portolan_arena *arena, const char *experiment);
struct table *llac_table_copy(struct portolan_arena *arena, const struct table *t, bool with_rows);
/* Only while there are no rows. */
void llac_table_add_column(struct table *t, const char *name, enum column_kind kind,
                           const char *unit);
/* A new row of NaN at the end. */
double *llac_table_add_row(struct table *t);
size_t llac_table_find(const struct table *t, const char *column); /* NONE */
/* The column that is WANTED (may be NULL) or, without it, the first observable; NONE. */
size_t llac_table_observable(const struct table *t, const char *wanted);
double *llac_table_row(const struct table *t, size_t row);
/* T with its columns in that order: COLUMNS are N positions. */
struct table *llac_table_project(struct portolan_arena *arena, const struct table *t,
                                 const size_t *columns, size_t n);
/* Smallest and largest value that is a number; false when there is none. */
bool llac_table_span(const struct table *t, size_t column, double *min, double *max);
/* The numbers in the N ROWS of a column (NULL: the first rows) that are not NaN. */
size_t llac_table_values(const struct table *t, size_t column, const size_t *rows, size_t n,
                         double *values);
/* Whether the column has several values. */
bool llac_table_varies(const struct table *t, size_t column);
/* T without RUN, which is ours, unless it tells several apart. */
struct table *llac_table_to_show(struct portolan_arena *arena, const struct table *t);

/* ----------------------------------------------------------------------------------- objects */

enum object_kind { OBJECT_NUMBER, OBJECT_TABLE, OBJECT_MODEL };

/* A fitted or loaded model with what is needed to show and to use it. */
struct fitted {
    struct portolan_model *model;
    struct table *points; /* the rows it was fitted to, or NULL */
    const char *observable;
    const char *unit;    /* of the observable, or NULL */
    const char *formula; /* as the user wrote it; NULL: it was searched for, or loaded */
    struct portolan_formula *parsed; /* that formula, or NULL */
    struct portolan_formula_sum sum; /* of it, empty without */
};

struct object {
    const char *name;
    enum object_kind kind;
    double number;
    struct table *table;
    struct fitted *model;
    struct portolan_arena arena; /* of all of it but what the models library made */
};

struct portolan_llac {
    struct portolan_llac_options options;
    struct portolan_text out;     /* of the running command */
    struct portolan_text session; /* what was run without failure */
    size_t n_objects;
    struct object *objects; /* in the order of their making */
    struct object making;   /* not among them yet */
    double runs;            /* files loaded so far */
    int depth;              /* of `source` */
    unsigned plots;         /* files named by number so far */
    bool has_ended;
    int code;
};

struct object *llac_find(const struct portolan_llac *in, const char *name);
void llac_forget(struct portolan_llac *in, struct object *o);
void llac_forget_all(struct portolan_llac *in);

/* -------------------------------------------------------------------------------- statements */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN, TOKEN_BAD };

struct token {
    enum token_kind kind;
    const char *at;
    size_t length;
    int line, column;
};

/* What a statement has to free. */
enum owned_kind {
    OWNED_TEXT,
    OWNED_FORMULA,
    OWNED_SUM,
    OWNED_MODEL,
    OWNED_MEASUREMENTS,
    OWNED_REPORT,
    OWNED_SAMPLES,
    OWNED_TRIALS,
    OWNED_TRACE,
    OWNED_RESULT
};

/* One statement while it is read and done. */
struct statement {
    struct portolan_llac *in;
    struct portolan_diagnostics *d;
    const char *file;
    struct portolan_arena arena; /* lives as long as the statement */
    struct portolan_error err;   /* of the library that was called */
    int told;                    /* failures before this statement */
    enum portolan_status status; /* of the failure that left it */
    jmp_buf *failed;             /* where failures go */
    size_t n_owned;
    struct owned *owned;
    const char *result; /* what it is to be called, or NULL */
    const char *end;
    struct token now;
    const char *last_end; /* of the token before */
};

/* Does RUN for S until it ends or something fails, and frees what S has. */
enum portolan_status llac_attempt(struct statement *s, void (*run)(struct statement *s));
/* S frees OBJECT (NULL is legal) when it ends. */
void llac_own(struct statement *s, enum owned_kind kind, void *object);
/* OBJECT is no longer S's. */
void llac_give_away(struct statement *s, const void *object);
/* Zeroed memory until S ends. */
void *llac_alloc(struct statement *s, size_t count, size_t size);

/* S reads the bytes from AT to END. */
void llac_begin(struct statement *s, const char *at, const char *end, int line, int column);
void llac_advance(struct statement *s);
bool llac_is(const struct statement *s, const char *text); /* names and signs */
bool llac_accept(struct statement *s, const char *text);
bool llac_is_next(const struct statement *s, const char *text); /* the token behind */
/* The text of a token, quotes taken off, in the arena. */
const char *llac_text(struct statement *s, const struct token *t);

/* The failure of S at T: what is wrong, what would be right. Does not return. */
_Noreturn void llac_fail(struct statement *s, const struct token *t, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Goes on if STATUS is good; else fails with S->err, unless diagnostics told of it already. */
void llac_check(struct statement *s, const struct token *t, enum portolan_status status);
_Noreturn void llac_no_memory(struct statement *s);
/* The same column, or a failure at AT. */
size_t llac_observable(struct statement *s, const struct token *at, const struct table *t,
                       const char *wanted);

/* A name, which is no reserved word; WHAT it is says the failure. */
const char *llac_parse_name(struct statement *s, const char *what);
/* A file's name: a string, or everything up to the next blank. */
const char *llac_parse_file(struct statement *s, const char *what);
/* Nothing may follow. */
void llac_parse_end(struct statement *s);
/* Whether the token cannot be part of a formula, for it begins something else. */
bool llac_is_stop(const struct statement *s);
extern const char *const llac_reserved[]; /* ends with NULL */

/* The word of KNOWN nearest to NAME as "; did you mean 'x'?", or OTHERWISE. In the arena. */
const char *llac_suggest(struct statement *s, const char *name, const char *const *known, size_t n,
                         const char *otherwise);
/* The same of T's columns and the N that are KNOWN, which has room for all; or what T has. */
const char *llac_suggest_column(struct statement *s, const char *name, const struct table *t,
                                const char **known, size_t n);

/* A path to read: beside the script when there, else as it is. */
const char *llac_read_path(struct statement *s, const char *file);
/* All of it, in the arena; what does not work fails at AT. */
const char *llac_read_file(struct statement *s, const struct token *at, const char *path,
                           size_t *size);
/* Puts TEXT into PATH, and tells of it. */
void llac_write_file(struct statement *s, const struct token *at, const char *path,
                     const char *text);
void llac_warn(struct portolan_llac *in, const char *format, ...) PORTOLAN_PRINTF(2, 3);

/* ------------------------------------------------------------------------------- expressions */

/* The parameters of a model over the rows of a table. */
struct placed {
    size_t n;
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS]; /* per parameter; NONE: … */
    double values[PORTOLAN_MODEL_MAX_PARAMS];  /* … this value holds for all rows */
};

/* The value of a parameter that nothing was said of: a variable's, or the only one measured. */
bool llac_usual_value(struct statement *s, const struct portolan_model *m, size_t p, double *value);
/* Where the parameters of M are in T (may be NULL). */
struct placed llac_place_model(struct statement *s, const struct token *at,
                               const struct portolan_model *m, const struct table *t);
/* The parameters at ROW. */
void llac_placed_point(const struct placed *p, const double *row, double *x);

/* A formula whose names stand for columns of a table, for variables and for models. */
struct bound {
    struct portolan_formula *formula;
    struct token token; /* where it begins */
    size_t n;
    size_t *columns;                      /* per name; NONE: a variable or model */
    const struct portolan_model **models; /* per name; or NULL */
    struct placed *placed;                /* of the models */
    double *x;                            /* per name */
    bool uses_an_observable;              /* of the table, or a model of one */
};

/* The formula that begins here, up to the next token that cannot be in it. */
struct portolan_formula *llac_parse_formula(struct statement *s);
/* The same for rows of T, NULL: of variables alone. */
struct bound llac_parse_bound(struct statement *s, const struct table *t);
double llac_bound_value(struct bound *b, const double *row);
/* One number. */
double llac_parse_number(struct statement *s);
/* A table: names joined by +, and clauses. */
struct table *llac_parse_table(struct statement *s);
/* Adds B's rows to T, which has the same columns; what is not so is told at AT. */
void llac_table_join(struct statement *s, const struct token *at, struct table *t,
                     const struct table *b);
/* A column of T by its name. */
size_t llac_parse_column(struct statement *s, const struct table *t);
/* The object that is named here, borrowed; NULL: the token is no name, or none's. */
const struct object *llac_peek_object(struct statement *s);
/* The model that is named here, which is passed over; NULL: none is. */
const struct fitted *llac_accept_model(struct statement *s);
/* What is there by that name and of that kind, borrowed. */
const struct object *llac_parse_object(struct statement *s, enum object_kind kind);
const char *llac_kind(enum object_kind kind); /* "table", … */
/* The value of variable NAME. */
bool llac_variable(const struct portolan_llac *in, const char *name, double *value);
/*
 * Keeps copies of what O refers to as object NAME, in place of an older one, which is gone then
 * with all its texts. Takes O's model. The kept object, borrowed.
 */
const struct object *llac_put(struct statement *s, const char *name, const struct object *o);
const struct object *llac_put_table(struct statement *s, const char *name, struct table *t);

/*
 * The points of T: rows with the same values in the columns BY, and what stands for their values in
 * COLUMN; sorted by these. Points whose rows do not tell it are left out. ROWS has the rows of the
 * table point by point, those of one in their order, from FIRST to before LAST. In the arena.
 */
struct points {
    size_t n, n_by;
    double *x; /* n x n_by */
    double *y;
    size_t *rows, *first, *last;
};
struct points llac_points(struct statement *s, const struct table *t, const size_t *by, size_t n_by,
                          size_t column, enum portolan_model_statistic what);
/* The position of a parameter of M; NONE. */
size_t llac_find_param(const struct portolan_model *m, const char *name);
/* The points of T, and in *X what the parameters of M are there: columns, or variables. */
struct points llac_model_points(struct statement *s, const struct token *at,
                                const struct portolan_model *m, const struct table *t,
                                size_t observable, enum portolan_model_statistic what, double **x);

/* ------------------------------------------------------------------------------------ output */

/* Columns of text, aligned; the first row is the head. */
struct grid {
    struct portolan_arena *arena;
    size_t n_columns, n_cells;
    const char **cells;
    unsigned left; /* bit per column: aligned to the left */
};

void llac_grid_add(struct grid *g, const char *format, ...) PORTOLAN_PRINTF(2, 3);
void llac_grid_add_texts(struct grid *g, const char *const *texts, size_t n);
/* "" for NaN; so many digits as serve. */
void llac_grid_number(struct grid *g, double value);
void llac_grid_numbers(struct grid *g, const double *values, size_t n);
void llac_grid_write(const struct grid *g, struct portolan_text *out);
/* Of N columns, of which the last is aligned to the left. */
struct grid llac_grid_of(struct statement *s, size_t n);
/* "" or " (s)". */
const char *llac_unit(struct statement *s, const char *unit);
void llac_show_model(struct statement *s, const char *name, const struct fitted *f);

/* ---------------------------------------------------------------------------------- commands */

typedef void command_fn(struct statement *s);

/* What the words of a command are, for completion. */
enum completion {
    COMPLETE_NOTHING,
    COMPLETE_TABLES, /* also their columns and clauses */
    COMPLETE_MODELS,
    COMPLETE_OBJECTS,
    COMPLETE_FILES,
    COMPLETE_COMMANDS
};

struct command_form {
    const char *name;
    command_fn *run;
    bool gives;         /* may stand behind NAME = */
    bool touches_files; /* reads or writes some */
    enum completion completes;
    const char *synopsis, *summary, *details;
};

extern const struct command_form llac_commands[]; /* ends with a name NULL */
const struct command_form *llac_command(const char *name);

command_fn do_load, do_show, do_rows, do_summary, do_fit, do_predict, do_compare, do_inspect,
    do_obsp, do_plot, do_save;

/* Runs all statements of a text. */
enum portolan_status llac_run(struct portolan_llac *in, const char *text, size_t size,
                              const char *file, int line, struct portolan_diagnostics *d);

/* -------------------------------------------------------------------------------------- files */

/* Tables and models that a file gave. */
struct loaded {
    size_t n_tables;
    struct table **tables;
    struct portolan_model *model; /* or NULL; the statement's */
    double run;                   /* number of the file */
};

/* Adds what is in the SIZE bytes of TEXT, which PATH has and AT names. */
typedef void load_fn(struct statement *s, const struct token *at, const char *text, size_t size,
                     const char *path, struct loaded *l);
load_fn llac_load_csv, llac_load_report, llac_load_measurements;
/* A table of the loaded ones. */
struct table *llac_loaded_add(struct statement *s, struct loaded *l, const char *experiment);
/* Adds the column unless there is one of that name; its place. */
size_t llac_loaded_column(struct table *t, const char *name, enum column_kind kind,
                          const char *unit);
/* The labels and identifiers of T that have several values, but for RUN and WITHOUT. */
size_t llac_choose_keys(const struct table *t, const char *without, size_t *keys);

#endif
