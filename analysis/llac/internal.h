/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared in this folder: statements, tables, objects, commands.
 *
 * Any failure leaves the statement: llac_fail() and its kin do not return, nor does an allocation
 * when memory is out. What a statement makes is in its arena, and what must be freed otherwise is
 * given to llac_own(). So functions return values, and callers check nothing. But code that holds a
 * resource of its own must not allocate in the arena meanwhile.
 */
#ifndef PORTOLAN_LLAC_INTERNAL_H
#define PORTOLAN_LLAC_INTERNAL_H

#include "grid.h"

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

/* Rows of one experiment. The texts belong to the caller; everything else is in the arena. */
struct table {
    struct portolan_arena *arena; /* set while the table may grow */
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
/* Allowed only while there are no rows. */
void llac_table_add_column(struct table *t, const char *name, enum column_kind kind,
                           const char *unit);
/* A new row of NaN at the end. */
double *llac_table_add_row(struct table *t);
size_t llac_table_find(const struct table *t, const char *column); /* NONE */
/* The column WANTED or, if that is NULL or missing, the first observable; NONE if there is none. */
size_t llac_table_observable(const struct table *t, const char *wanted);
double *llac_table_row(const struct table *t, size_t row);
/* T with only the N COLUMNS, in that order. */
struct table *llac_table_project(struct portolan_arena *arena, const struct table *t,
                                 const size_t *columns, size_t n);
/* Smallest and largest value that is a number; false when there is none. */
bool llac_table_span(const struct table *t, size_t column, double *min, double *max);
/* The values of a column in the N ROWS (NULL: the first N rows) that are not NaN. */
size_t llac_table_values(const struct table *t, size_t column, const size_t *rows, size_t n,
                         double *values);
/* Whether the column has several values. */
bool llac_table_varies(const struct table *t, size_t column);
/* T without RUN, which llac added, unless there are several runs. */
struct table *llac_table_to_show(struct portolan_arena *arena, const struct table *t);

/* ----------------------------------------------------------------------------------- objects */

enum object_kind { OBJECT_NUMBER, OBJECT_TABLE, OBJECT_MODEL };

/* A fitted or loaded model with what is needed to show and to use it. */
struct fitted {
    struct portolan_model *model;
    struct table *points; /* the rows it was fitted to, or NULL */
    const char *observable;
    const char *unit;                /* of the observable, or NULL */
    const char *formula;             /* as the user wrote it; NULL: found by a search, or loaded */
    struct portolan_formula *parsed; /* that formula, or NULL */
    struct portolan_formula_sum sum; /* its terms; empty without a formula */
};

struct object {
    const char *name;
    enum object_kind kind;
    double number;
    struct table *table;
    struct fitted *model;
    struct portolan_arena arena; /* of everything but the model */
};

struct portolan_llac {
    struct portolan_llac_options options;
    struct portolan_text out;     /* of the running command */
    struct portolan_text session; /* statements that succeeded */
    size_t n_objects;
    struct object *objects; /* in order of creation */
    struct object making;   /* being created, not in OBJECTS yet */
    double runs;            /* files loaded so far */
    int depth;              /* of nested `source` commands */
    unsigned plots;         /* plots with a numbered file so far */
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

/* One statement while it is read and executed. */
struct statement {
    struct portolan_llac *in;
    struct portolan_diagnostics *d;
    const char *file;
    struct portolan_arena arena; /* lives as long as the statement */
    struct portolan_error err;   /* of the last library call */
    int told;                    /* count of diagnostics before this statement */
    enum portolan_status status; /* of the failure that ended it */
    jmp_buf *failed;             /* where failures jump to */
    size_t n_owned;
    struct owned *owned;
    const char *result; /* the name that it assigns to, or NULL */
    const char *end;
    struct token now;
    const char *last_end; /* end of the previous token */
};

/* Runs RUN for S until it returns or fails, then frees what S owns. */
enum portolan_status llac_attempt(struct statement *s, void (*run)(struct statement *s));
/* S frees OBJECT (NULL is legal) when it ends. */
void llac_own(struct statement *s, enum owned_kind kind, void *object);
/* S does not own OBJECT any more. */
void llac_give_away(struct statement *s, const void *object);
/* Zeroed memory until S ends. */
void *llac_alloc(struct statement *s, size_t count, size_t size);

/* Makes S read the bytes from AT to END. */
void llac_begin(struct statement *s, const char *at, const char *end, int line, int column);
void llac_advance(struct statement *s);
bool llac_is(const struct statement *s, const char *text); /* compares a name or sign */
bool llac_accept(struct statement *s, const char *text);
bool llac_is_next(const struct statement *s, const char *text); /* compares the token after that */
/* The text of a token without quotes, in the arena. */
const char *llac_text(struct statement *s, const struct token *t);

/* Fails S at token T with a text: what is wrong, what would be right. Does not return. */
_Noreturn void llac_fail(struct statement *s, const struct token *t, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Returns if STATUS is good; else fails with S->err, unless diagnostics reported it already. */
void llac_check(struct statement *s, const struct token *t, enum portolan_status status);
_Noreturn void llac_no_memory(struct statement *s);
/* Like llac_table_observable(), but fails at AT if there is none. */
size_t llac_observable(struct statement *s, const struct token *at, const struct table *t,
                       const char *wanted);

/* Reads a name that is not a reserved word; on failure the message names WHAT it should be. */
const char *llac_parse_name(struct statement *s, const char *what);
/* Reads a file name: a string, or everything up to the next blank. */
const char *llac_parse_file(struct statement *s, const char *what);
/* Fails unless the statement ends here. */
void llac_parse_end(struct statement *s);
/* Whether the token ends a formula, because it begins something else. */
bool llac_is_stop(const struct statement *s);
extern const char *const llac_reserved[]; /* ends with NULL */

/* The word of KNOWN nearest to NAME as "; did you mean 'x'?", or OTHERWISE. In the arena. */
const char *llac_suggest(struct statement *s, const char *name, const char *const *known, size_t n,
                         const char *otherwise);
/* The same for T's columns and the N KNOWN, which has room for both; or a list of T's columns. */
const char *llac_suggest_column(struct statement *s, const char *name, const struct table *t,
                                const char **known, size_t n);

/* The path of a file to read: next to the script if it is there, else as given. */
const char *llac_read_path(struct statement *s, const char *file);
/* The whole content, in the arena; fails at AT. */
const char *llac_read_file(struct statement *s, const struct token *at, const char *path,
                           size_t *size);
/* Writes TEXT to PATH, and says so in the output. */
void llac_write_file(struct statement *s, const struct token *at, const char *path,
                     const char *text);
void llac_warn(struct portolan_llac *in, const char *format, ...) PORTOLAN_PRINTF(2, 3);

/* ------------------------------------------------------------------------------- expressions */

/* Where the parameters of a model come from, for rows of a table. */
struct placed {
    size_t n;
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS]; /* per parameter; NONE: … */
    double values[PORTOLAN_MODEL_MAX_PARAMS];  /* … this value holds for all rows */
};

/* The default of a parameter: a variable's value, or the only value measured. */
bool llac_usual_value(struct statement *s, const struct portolan_model *m, size_t p, double *value);
/* Finds the parameters of M in T (may be NULL), else their defaults; fails at AT. */
struct placed llac_place_model(struct statement *s, const struct token *at,
                               const struct portolan_model *m, const struct table *t);
/* The parameters' values at ROW. */
void llac_placed_point(const struct placed *p, const double *row, double *x);

/* A formula whose names refer to columns of a table, to variables and to models. */
struct bound {
    struct portolan_formula *formula;
    struct token token; /* its first token */
    size_t n;
    size_t *columns;                      /* per name; NONE: a variable or model */
    const struct portolan_model **models; /* per name; or NULL */
    struct placed *placed;                /* per name: where that model's parameters are */
    double *x;                            /* per name */
    bool uses_an_observable;              /* of the table, or a model */
};

/* The formula that begins here, up to the next token that cannot be in it. */
struct portolan_formula *llac_parse_formula(struct statement *s);
/* The same for rows of T; T NULL: only variables are allowed. */
struct bound llac_parse_bound(struct statement *s, const struct table *t);
double llac_bound_value(struct bound *b, const double *row);
/* Reads a formula of variables; returns its value. */
double llac_parse_number(struct statement *s);
/* A table: names joined by +, and clauses. */
struct table *llac_parse_table(struct statement *s);
/* Adds B's rows to T, which must have the same columns; fails at AT otherwise. */
void llac_table_join(struct statement *s, const struct token *at, struct table *t,
                     const struct table *b);
/* A column of T by its name. */
size_t llac_parse_column(struct statement *s, const struct table *t);
/* The object named by this token, borrowed; NULL if there is none. */
const struct object *llac_peek_object(struct statement *s);
/* Takes the name of a model; NULL, and takes nothing, if this token is not one. */
const struct fitted *llac_accept_model(struct statement *s);
/* Takes the name of an object of that kind; fails if there is none. Borrowed. */
const struct object *llac_parse_object(struct statement *s, enum object_kind kind);
const char *llac_kind(enum object_kind kind); /* "table", … */
/* The value of variable NAME; false if there is none. */
bool llac_variable(const struct portolan_llac *in, const char *name, double *value);
/*
 * Stores copies of what O refers to as object NAME; an older object with that name, and its texts,
 * are freed. Takes over O's model. Returns the stored object, borrowed.
 */
const struct object *llac_put(struct statement *s, const char *name, const struct object *o);
const struct object *llac_put_table(struct statement *s, const char *name, struct table *t);

/*
 * The points of T: rows with the same values in the columns BY, and the statistic WHAT of their
 * values in COLUMN; sorted by BY. Points without a value are left out. ROWS lists the rows of the
 * table point by point, in table order within a point, from FIRST to before LAST. In the arena.
 */
struct points {
    size_t n, n_by;
    double *x; /* n x n_by */
    double *y;
    size_t *rows, *first, *last;
};
struct points llac_points(struct statement *s, const struct table *t, const size_t *by, size_t n_by,
                          size_t column, enum portolan_model_statistic what);
/* The position of a parameter of M, or NONE. */
size_t llac_find_param(const struct portolan_model *m, const char *name);
/* The points of T, and in *X the values of M's parameters there: from columns, or variables. */
struct points llac_model_points(struct statement *s, const struct token *at,
                                const struct portolan_model *m, const struct table *t,
                                size_t observable, enum portolan_model_statistic what, double **x);

/* ------------------------------------------------------------------------------------ output */

void llac_grid_add_texts(struct grid *g, const char *const *texts, size_t n);
/* A number with enough digits; "" for NaN. */
void llac_grid_number(struct grid *g, double value);
void llac_grid_numbers(struct grid *g, const double *values, size_t n);
/* A grid of N columns, the last one aligned to the left; its first row is the head. */
struct grid llac_grid_of(struct statement *s, size_t n);
/* "" or " (s)". */
const char *llac_unit(struct statement *s, const char *unit);
void llac_show_model(struct statement *s, const char *name, const struct fitted *f);

/* ---------------------------------------------------------------------------------- commands */

typedef void command_fn(struct statement *s);

/* What the arguments of a command can be, for completion. */
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
    bool gives;         /* allowed after NAME = */
    bool touches_files; /* reads or writes some */
    enum completion completes;
    const char *synopsis, *summary, *details;
};

extern const struct command_form llac_commands[]; /* ends with name NULL */
const struct command_form *llac_command(const char *name);

command_fn do_load, do_show, do_rows, do_summary, do_fit, do_predict, do_compare, do_inspect,
    do_obsp, do_plot, do_save;

/* Runs all statements of a text. */
enum portolan_status llac_run(struct portolan_llac *in, const char *text, size_t size,
                              const char *file, int line, struct portolan_diagnostics *d);

/* -------------------------------------------------------------------------------------- files */

/* The tables and the model from files. */
struct loaded {
    size_t n_tables;
    struct table **tables;
    struct portolan_model *model; /* owned by the statement; or NULL */
    double run;                   /* number of the file */
};

/* Adds the tables or the model in the SIZE bytes of TEXT. PATH is the file, AT its name's token. */
typedef void load_fn(struct statement *s, const struct token *at, const char *text, size_t size,
                     const char *path, struct loaded *l);
load_fn llac_load_csv, llac_load_report, llac_load_measurements;
/* Adds a new table. */
struct table *llac_loaded_add(struct statement *s, struct loaded *l, const char *experiment);
/* Adds the column unless there is one of that name; returns its position. */
size_t llac_loaded_column(struct table *t, const char *name, enum column_kind kind,
                          const char *unit);
/* The labels and identifiers of T that have several values, except RUN and WITHOUT. */
size_t llac_choose_keys(const struct table *t, const char *without, size_t *keys);

#endif
