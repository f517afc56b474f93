/* SPDX-License-Identifier: BSD-3-Clause */
/* The room's own: statements, tables, objects, commands. */
#ifndef PORTOLAN_LLAC_INTERNAL_H
#define PORTOLAN_LLAC_INTERNAL_H

#include <portolan/chart.h>
#include <portolan/formula.h>
#include <portolan/llac.h>
#include <portolan/models.h>

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

/* Rows of one experiment. Everything lies in its arena. */
struct table {
    struct portolan_arena arena;
    const char *experiment; /* its name */
    const char *source;     /* what it was loaded from */
    const char *file;       /* the program's source; or NULL */
    const char *formula;    /* infix; or NULL */
    const char *program;    /* or NULL */
    size_t n_begin, n_end;
    unsigned *begin_lines, *end_lines;
    size_t n_columns;
    struct column *columns;
    size_t n_rows, room;
    double *cells; /* n_rows x n_columns */
};

struct table *llac_table_create(const char *experiment); /* NULL: memory is out */
void llac_table_destroy(struct table *t);
/* Without rows if !WITH_ROWS; NULL when memory is out. */
struct table *llac_table_copy(const struct table *t, bool with_rows);
/* Only while there are no rows. False when memory is out. */
bool llac_table_add_column(struct table *t, const char *name, enum column_kind kind,
                           const char *unit);
/* A new row of NaN at the end; NULL when memory is out. */
double *llac_table_add_row(struct table *t);
size_t llac_table_find(const struct table *t, const char *column); /* NONE */
/* The first observable; NONE. */
size_t llac_table_observable(const struct table *t);
double *llac_table_row(const struct table *t, size_t row);
/* T with its columns in that order: COLUMNS are N positions. NULL when memory is out. */
struct table *llac_table_project(const struct table *t, const size_t *columns, size_t n);
/* Smallest and largest value that is a number; false when there is none. */
bool llac_table_span(const struct table *t, size_t column, double *min, double *max);
/* RUN is ours, and not worth showing where there was one. */
bool llac_table_tells(const struct table *t, size_t column);

/* ----------------------------------------------------------------------------------- objects */

enum object_kind { OBJECT_NUMBER, OBJECT_TABLE, OBJECT_MODEL };

/* A fitted or loaded model with what is needed to show and to use it. */
struct fitted {
    struct portolan_model *model;
    struct table *points; /* the rows it was fitted to, or NULL */
    char *observable;
    char *unit;    /* of the observable, or NULL */
    char *formula; /* as the user wrote it; NULL: it was searched for, or loaded */
    struct portolan_formula *parsed; /* that formula, or NULL */
    struct portolan_formula_sum sum; /* of it, empty without */
};

void llac_fitted_destroy(struct fitted *f);

struct object {
    char *name;
    enum object_kind kind;
    double number;
    struct table *table;
    struct fitted *model;
};

struct portolan_llac {
    struct portolan_llac_options options;
    struct portolan_text out;     /* of the running command */
    struct portolan_text session; /* what was run without failure */
    size_t n_objects;
    struct object *objects; /* in the order of their making */
    double runs;            /* files loaded so far */
    int depth;              /* of `source` */
    unsigned plots;         /* files named by number so far */
    bool has_ended;
    int code;
};

struct object *llac_find(const struct portolan_llac *in, const char *name);
/* Takes what O holds, in place of an older object of NAME. ENOMEM: O is as it was. */
enum portolan_status llac_put(struct portolan_llac *in, const char *name, struct object *o);
void llac_forget(struct portolan_llac *in, struct object *o);

/* -------------------------------------------------------------------------------- statements */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN, TOKEN_BAD };

struct token {
    enum token_kind kind;
    const char *at;
    size_t length;
    int line, column;
};

/* One statement while it is read and done. */
struct statement {
    struct portolan_llac *in;
    struct portolan_diagnostics *d;
    struct portolan_arena *arena; /* lives as long as the statement */
    const char *file;
    const char *end;
    struct token now;
    const char *last_end; /* of the token before */
};

/* S reads the bytes from AT to END. */
void llac_begin(struct statement *s, const char *at, const char *end, int line, int column);
void llac_advance(struct statement *s);
bool llac_is(const struct statement *s, const char *text); /* names and signs */
bool llac_accept(struct statement *s, const char *text);
bool llac_is_next(const struct statement *s, const char *text); /* the token behind */
/* The text of a token, quotes taken off, in the arena. */
const char *llac_text(struct statement *s, const struct token *t);

/* The failure of S at T: what is wrong, what would be right. Returns ESYNTAX. */
enum portolan_status llac_fail(struct statement *s, const struct token *t, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* The same with a library's words, unless these have been told already. */
enum portolan_status llac_fail_with(struct statement *s, const struct token *t,
                                    enum portolan_status status, const struct portolan_error *err);
enum portolan_status llac_no_memory(struct statement *s);

/* A name, which is no reserved word; WHAT it is says the failure. */
enum portolan_status llac_parse_name(struct statement *s, const char *what, const char **name);
/* The same where things are called that are there; experiments may be called as they like. */
enum portolan_status llac_parse_object(struct statement *s, const char *what, const char **name);
/* A file's name: a string, or everything up to the next blank. */
enum portolan_status llac_parse_file(struct statement *s, const char *what, const char **name);
/* Nothing may follow. */
enum portolan_status llac_parse_end(struct statement *s);
/* Whether the token cannot be part of a formula, for it begins something else. */
bool llac_is_stop(const struct statement *s);
bool llac_is_reserved(const char *word);
extern const char *const llac_reserved[]; /* ends with NULL */

/* The word of KNOWN nearest to NAME as "; did you mean 'x'?", or OTHERWISE. In the arena. */
const char *llac_suggest(struct statement *s, const char *name, const char *const *known, size_t n,
                         const char *otherwise);
/* The same of T's columns and the N that are KNOWN, which has room for all; or what T has. */
const char *llac_suggest_column(struct statement *s, const char *name, const struct table *t,
                                const char **known, size_t n);

/* A path to read: beside the script when there, else as it is. */
const char *llac_read_path(struct statement *s, const char *file);
void llac_warn(struct portolan_llac *in, const char *format, ...) PORTOLAN_PRINTF(2, 3);

/* ------------------------------------------------------------------------------- expressions */

/* A model in a formula: its value at the row. */
struct bound_model {
    const struct portolan_model *model; /* NULL: the name is none's */
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS];
    double values[PORTOLAN_MODEL_MAX_PARAMS];
};

/* A formula whose names stand for columns of a table, for variables and for models. */
struct bound {
    struct portolan_formula *formula;
    struct token token; /* where it begins */
    size_t n;
    size_t *columns;            /* per name; NONE: a variable or model */
    struct bound_model *models; /* per name */
    double *x;                  /* per name */
    bool uses_an_observable;    /* of the table, or a model of one */
};

/* The formula that begins here, up to the next token that cannot be in it. */
enum portolan_status llac_parse_formula(struct statement *s, struct portolan_formula **f);
/* The same for rows of T, NULL: of variables alone. To be cleared. */
enum portolan_status llac_parse_bound(struct statement *s, const struct table *t, struct bound *b);
double llac_bound_value(struct bound *b, const double *row);
void llac_bound_clear(struct bound *b);
/* One number. */
enum portolan_status llac_parse_number(struct statement *s, double *value);
/* `{1, 2, 4}` or one number, in the arena. */
enum portolan_status llac_parse_numbers(struct statement *s, double **values, size_t *n);
/* The value of variable NAME. */
bool llac_variable(const struct portolan_llac *in, const char *name, double *value);

/* A table: names joined by +, and clauses. The caller destroys it. */
enum portolan_status llac_parse_table(struct statement *s, struct table **t);
/* Puts NEW in place of *T; NULL: memory is out. */
enum portolan_status llac_table_replace(struct statement *s, struct table **t, struct table *new);
/* `sort COLUMNS`; a statistic in front of `over`; and `over COLUMNS`. */
enum { STATISTIC_SUM = -1, STATISTIC_NONE = -2 }; /* beside enum portolan_model_statistic */
enum portolan_status llac_sort(struct statement *s, struct table **t);
int llac_accept_statistic(struct statement *s);
enum portolan_status llac_over(struct statement *s, struct table **t, int statistic);
/* Adds B's rows to T, which has the same columns; what is not so is told at AT. */
enum portolan_status llac_table_join(struct statement *s, const struct token *at, struct table *t,
                                     const struct table *b);
/* A column of T by its name. */
enum portolan_status llac_parse_column(struct statement *s, const struct table *t, size_t *column);
/* What is there by that name and of that kind, borrowed; "table", …. */
enum portolan_status llac_parse_kind(struct statement *s, enum object_kind kind,
                                     const struct object **o);
const char *llac_kind(enum object_kind kind);
/* A model by its name, borrowed. */
enum portolan_status llac_parse_model(struct statement *s, const struct fitted **f);

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
enum portolan_status llac_points(struct statement *s, const struct table *t, const size_t *by,
                                 size_t n_by, size_t column, enum portolan_model_statistic what,
                                 struct points *p);

/* The position of a parameter of M; NONE. */
size_t llac_find_param(const struct portolan_model *m, const char *name);
/* Where the parameters of M are in T (may be NULL); NONE: the value holds for all rows. */
enum portolan_status llac_place_params(struct statement *s, const struct token *at,
                                       const struct portolan_model *m, const struct table *t,
                                       size_t *columns, double *values);
/* The points of T, and in *X what the parameters of M are there: columns, or variables. */
enum portolan_status llac_model_points(struct statement *s, const struct token *at,
                                       const struct portolan_model *m, const struct table *t,
                                       size_t observable, enum portolan_model_statistic what,
                                       struct points *p, double **x);

/* ------------------------------------------------------------------------------------ output */

/* Columns of text, aligned; the first row is the head. */
struct grid {
    struct portolan_arena *arena;
    size_t n_columns, n_cells;
    const char **cells;
    unsigned left; /* bit per column: aligned to the left */
};

void llac_grid_add(struct grid *g, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* "" for NaN; so many digits as serve. */
void llac_grid_number(struct grid *g, double value);
void llac_grid_write(const struct grid *g, struct portolan_text *out);
/* Decimals that show the N numbers to four digits and more; -1: better with exponents. */
int llac_decimals(const double *values, size_t n);

/* ---------------------------------------------------------------------------------- commands */

/* NAME is what the result is to be called, or NULL. */
typedef enum portolan_status (*command_fn)(struct statement *s, const char *name);

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
    command_fn run;
    bool gives;         /* may stand behind NAME = */
    bool touches_files; /* reads or writes some */
    enum completion completes;
    const char *synopsis, *summary, *details;
};

extern const struct command_form llac_commands[]; /* ends with a name NULL */
const struct command_form *llac_command(const char *name);

enum portolan_status do_load(struct statement *s, const char *name);
enum portolan_status do_show(struct statement *s, const char *name);
enum portolan_status do_rows(struct statement *s, const char *name);
enum portolan_status do_summary(struct statement *s, const char *name);
enum portolan_status do_fit(struct statement *s, const char *name);
enum portolan_status do_predict(struct statement *s, const char *name);
enum portolan_status do_compare(struct statement *s, const char *name);
enum portolan_status do_obsp(struct statement *s, const char *name);
enum portolan_status do_inspect(struct statement *s, const char *name);
enum portolan_status do_plot(struct statement *s, const char *name);
enum portolan_status do_save(struct statement *s, const char *name);
enum portolan_status do_source(struct statement *s, const char *name);
enum portolan_status do_forget(struct statement *s, const char *name);
enum portolan_status do_print(struct statement *s, const char *name);
enum portolan_status do_history(struct statement *s, const char *name);
enum portolan_status do_help(struct statement *s, const char *name);
enum portolan_status do_quit(struct statement *s, const char *name);

void llac_show_model(struct statement *s, const char *name, const struct fitted *f);
enum portolan_status llac_show_object(struct statement *s, const struct object *o);

/* "" or " (s)". */
const char *llac_unit(struct statement *s, const char *unit);
/* How X lies outside the range of the model, and in a gap of its pieces: "" or words. */
const char *llac_outside(struct statement *s, const struct portolan_model *m, const double *x,
                         const struct portolan_prediction *p);

/* Runs all statements of a text. */
enum portolan_status llac_run(struct portolan_llac *in, const char *text, size_t size,
                              const char *file, int line, struct portolan_diagnostics *d);

/* -------------------------------------------------------------------------------------- files */

/* Tables and models that a file gave, in the arena. */
struct loaded {
    size_t n_tables;
    struct table **tables;
    struct portolan_model *model; /* or NULL */
};

/* Readers: what is wrong is told, at AT or in the file. */
enum portolan_status llac_load_csv(struct statement *s, const struct token *at, const char *text,
                                   size_t size, const char *path, struct loaded *l);
enum portolan_status llac_load_report(struct statement *s, const struct token *at, const char *text,
                                      size_t size, const char *path, struct loaded *l);
enum portolan_status llac_load_measurements(struct statement *s, const struct token *at,
                                            const char *text, size_t size, const char *path,
                                            struct loaded *l);
enum portolan_status llac_load_store(struct statement *s, const struct token *at, const char *path,
                                     const char *trials, struct loaded *l);
/* A table of the loaded ones; NULL when memory is out. */
struct table *llac_loaded_add(struct statement *s, struct loaded *l, const char *experiment);
/* Adds the column unless there is one of that name; its place, NONE when memory is out. */
size_t llac_loaded_column(struct table *t, const char *name, enum column_kind kind,
                          const char *unit);
/* A name out of any text, in the arena. */
const char *llac_name_of(struct statement *s, const char *text);

/* T as a report (text, JSON), as CSV, as Extra-P's; by the ending of PATH. */
enum portolan_status llac_write_tables(struct statement *s, const struct token *at,
                                       const struct table *const *tables, size_t n,
                                       const char *path, char **text);

#endif
