/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table engine, which llac's statements and the verbs of `portolan model` share: tables of
 * numbers, points, fits, words for models, curves, files of Extra-P.
 *
 * All of it happens in a statement. Any failure leaves that: statement_fail() and its kin do not
 * return, nor does an allocation when memory runs out. Results of a statement are in its arena, and
 * all that must be freed otherwise is given to statement_own(). So functions return values, and
 * callers check nothing. But code that holds a resource of its own must not allocate in the arena
 * meanwhile.
 */
#ifndef PORTOLAN_TABLES_H
#define PORTOLAN_TABLES_H

#include <portolan/chart.h>
#include <portolan/extrap.h>
#include <portolan/formula.h>
#include <portolan/models.h>
#include <portolan/series.h>

#include <setjmp.h>

#define NONE SIZE_MAX

/* -------------------------------------------------------------------------------- statements */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN, TOKEN_BAD };

struct token {
    enum token_kind kind;
    const char *at;
    size_t length;
    int line, column;
};

/* One statement while it is executed. */
struct statement {
    struct portolan_diagnostics *d;
    struct portolan_arena arena; /* lives as long as the statement */
    struct portolan_error err;   /* of the last library call */
    int n_before;                /* number of diagnostics before this statement */
    enum portolan_status status; /* of the failure that ended it */
    jmp_buf *failed;             /* where failures jump to */
    size_t n_owned;
    struct owned *owned;
    void *arg; /* of one that a program calls: nothing below is set, and failures are in ERR */

    /* For a statement in llac's language, which is read token by token: */
    struct portolan_llac *in;
    const char *file;
    const char *result; /* the name that it assigns to, or NULL */
    const char *end;
    struct token now;
    const char *last_end; /* end of the previous token */
};

/* Runs RUN for S until it returns or fails, then frees what S owns. */
enum portolan_status statement_attempt(struct statement *s, void (*run)(struct statement *s));
/* S calls RELEASE with OBJECT when it ends. */
void statement_own(struct statement *s, void (*release)(void *object), void *object);
/* S does not own OBJECT any more. */
void statement_give_away(struct statement *s, const void *object);
/* Frees it before S ends. */
void statement_release(struct statement *s, void *object);
void free_formula(void *formula), free_formula_sum(void *sum), free_model(void *model),
    free_measurements(void *measurements), free_samples(void *set), free_trials(void *list);
/* Zeroed memory until S ends. */
void *statement_alloc(struct statement *s, size_t count, size_t size);

/* Fails S at token T (NULL: EINVAL) with a text: what is wrong, what would be right. */
_Noreturn void statement_fail(struct statement *s, const struct token *t, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Returns if STATUS is good; else fails with S->err, unless diagnostics reported it already. */
void statement_check(struct statement *s, const struct token *t, enum portolan_status status);
_Noreturn void statement_no_memory(struct statement *s);
/* The whole content of a file, in the arena; fails at AT. */
const char *statement_read_file(struct statement *s, const struct token *at, const char *path,
                                size_t *size);

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

/* Rows of one experiment or call path, in an arena. Copies have their texts in it, too. */
struct table {
    struct portolan_arena *arena; /* set while the table may grow */
    const char *experiment;       /* its name; a call path */
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

struct table *table_create(struct portolan_arena *arena, const char *experiment);
struct table *table_copy(struct portolan_arena *arena, const struct table *t, bool with_rows);
/* Allowed only while there are no rows. */
void table_add_column(struct table *t, const char *name, enum column_kind kind, const char *unit);
/* Adds the column unless there is one of that name; returns its position. */
size_t table_put_column(struct table *t, const char *name, enum column_kind kind, const char *unit);
/* A new row of NaN at the end. */
double *table_add_row(struct table *t);
size_t table_find(const struct table *t, const char *column); /* NONE */
/* The column WANTED or, if that is NULL or missing, the first observable; NONE if there is none. */
size_t table_observable(const struct table *t, const char *wanted);
double *table_row(const struct table *t, size_t row);
/* T with only the N COLUMNS, in that order. */
struct table *table_project(struct portolan_arena *arena, const struct table *t,
                            const size_t *columns, size_t n);
/* T with only the N ROWS, in that order. */
struct table *table_pick(struct portolan_arena *arena, const struct table *t, const size_t *rows,
                         size_t n);
/* Smallest and largest value that is a number; false when there is none. */
bool table_span(const struct table *t, size_t column, double *min, double *max);
/* The values of a column in the N ROWS (NULL: the first N rows) that are not NaN. */
size_t table_values(const struct table *t, size_t column, const size_t *rows, size_t n,
                    double *values);
/* Returns whether the column has several values. */
bool table_varies(const struct table *t, size_t column);

/* Sort order: by N columns, then by occurrence, then by position in the table. */
struct order {
    const struct table *t;
    const size_t *columns;
    size_t n;
    const size_t *occurrence; /* or NULL */
};

/* The rows of the table in that order. */
size_t *order_rows(struct statement *s, const struct order *o);
/* The end of the group of equal rows that begins at FIRST. */
size_t order_group_end(const struct order *o, const size_t *rows, size_t first);

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
struct points table_points(struct statement *s, const struct table *t, const size_t *by,
                           size_t n_by, size_t column, enum portolan_model_statistic what);

/* Comma separated values that are read. Problems go to the statement's diagnostics. */
struct csv {
    struct statement *s;
    struct table *table;    /* gets the columns of the head and the rows */
    struct portolan_csv in; /* its `file` is set */
    bool is_complete;       /* no field is missing, and columns "callpath" and "metric" are texts */
    size_t n, *places;      /* of the file's columns in the table */
};

/* Reads the head; false without one. */
bool csv_begin(struct csv *c, const char *text, size_t size);
/* Adds the next row that is good; NULL at the end. */
const double *csv_next(struct csv *c);
bool csv_is_text(const struct csv *c, size_t column);

/* Adds the rows of ITEM to T, which gets the columns: M's parameters, then METRIC. */
void table_add_measurement(struct table *t, const struct portolan_measurements *m,
                           const struct portolan_measurement *item, const char *metric,
                           const char *unit);
/*
 * N tables in that form of Extra-P: identifiers are parameters, the same in all; each observable is
 * a metric of the call path `experiment`. S owns the text.
 */
const char *tables_write_extrap(struct statement *s, const struct token *at,
                                struct table *const *tables, size_t n,
                                enum portolan_measurements_format form);

/* ------------------------------------------------------------------------------------ models */

/* The columns from which the parameters of a model come, for rows of a table. */
struct placed {
    size_t n;
    size_t columns[PORTOLAN_MODEL_MAX_PARAMS]; /* per parameter; NONE: … */
    double values[PORTOLAN_MODEL_MAX_PARAMS];  /* … this value holds for all rows */
};

/* The parameters' values at ROW. */
void placed_point(const struct placed *p, const double *row, double *x);

/* A fit to a table: the columns, and the options. */
struct fit {
    size_t observable; /* column */
    const char *params[PORTOLAN_MODEL_MAX_PARAMS];
    struct placed placed;                   /* the params: columns and variables */
    const struct portolan_formula *formula; /* NULL: a search */
    bool has_pieces;
    struct portolan_model_options options;
    struct portolan_model_envelope envelope; /* units of parameters are set from the columns */
};

/* Rows of T as arrays, without those that lack a number. */
struct portolan_model_data fit_rows(struct statement *s, const struct table *t,
                                    const struct fit *f);
/* *MODEL is the caller's to own. The status of a fit that fails, with S->err. */
enum portolan_status fit_data(struct statement *s, const struct table *t, struct fit *f,
                              const struct portolan_model_data *data,
                              struct portolan_model **model);

/* The position of a parameter of M, or NONE. */
size_t model_find_param(const struct portolan_model *m, const char *name);

/* M as XML, or as a function NAME of C. S owns the text. */
enum model_form { MODEL_XML, MODEL_C };
const char *model_text(struct statement *s, const struct token *at, const struct portolan_model *m,
                       enum model_form form, const char *name);

/* Adds the conditions of a piece of M: "n >= 1024, n/p from 64 to 4096". */
void model_add_conditions(const struct portolan_model *m, const struct portolan_model_condition *c,
                          size_t n, struct portolan_text *out);
/* A line for each: "n between 190 and 200; it may lie from 180 to 200". */
void model_add_breaks(const struct portolan_model *m, struct portolan_text *out);
/* Lines about residuals, errors of new rows, and repetitions. */
void model_add_errors(const struct portolan_model *m, struct portolan_text *out);

/* A constant of a formula, as its user calls it, and what it is a factor of. */
struct named_constant {
    const char *name;
    size_t term; /* of the model; those that it dropped come last */
    const struct portolan_formula *expression;
};

/* A line for each constant, by name if N is not 0, and for each term that was dropped. */
void model_add_constants(const struct portolan_model *m, const struct named_constant *named,
                         size_t n, struct portolan_text *out);

/* Findings against the assumption that rows in time are repetitions: spikes, a drift, two values of
 * that UNIT. Each text is NULL if that was not found. */
enum { SERIES_FINDINGS = 3 };
void series_findings(struct portolan_arena *arena, const struct portolan_series_report *r,
                     const char *unit, const char *found[SERIES_FINDINGS]);

/* ------------------------------------------------------------------------------------ charts */

/* A chart that is being made, in the arena of S. */
struct drawing {
    struct statement *s;
    struct portolan_chart chart;
    struct portolan_chart_series *series;
};

/* Rows of T to draw: those that have VALUES in N_COLUMNS COLUMNS. */
struct scatter {
    const char *name; /* NULL: the points belong to a curve */
    size_t n_columns;
    const size_t *columns;
    const double *values;
};

/* Adds column Y of T over column X as points. Not averaged, to show their scatter. */
void drawing_add_points(struct drawing *d, const struct table *t, size_t x, size_t y,
                        const struct scatter *which);
/* A model along one parameter, as a line and perhaps its interval as a band. */
struct curve {
    const struct portolan_model *model;
    const char *name, *band; /* for the legend; or NULL */
    bool has_band;
    size_t param;
    double at[PORTOLAN_MODEL_MAX_PARAMS]; /* the other parameters */
    double first, last;                   /* of the one along the axis */
};

void drawing_add_curve(struct drawing *d, const struct curve *c);
/* The chart as the text of FILE; S owns it. */
const char *drawing_write(struct drawing *d, const struct token *at, const char *file);

#endif
