/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared in this folder: statements that are read, objects, commands. */
#ifndef PORTOLAN_LLAC_INTERNAL_H
#define PORTOLAN_LLAC_INTERNAL_H

#include "tables.h"

#include <portolan/grid.h>
#include <portolan/llac.h>

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

/* Makes S read the bytes from AT to END. */
void llac_begin(struct statement *s, const char *at, const char *end, int line, int column);
void llac_advance(struct statement *s);
bool llac_is(const struct statement *s, const char *text); /* compares a name or sign */
bool llac_accept(struct statement *s, const char *text);
bool llac_is_next(const struct statement *s, const char *text); /* compares the token after that */
/* The text of a token without quotes, in the arena. */
const char *llac_text(struct statement *s, const struct token *t);

/* Like table_observable(), but fails at AT if there is none. */
size_t llac_observable(struct statement *s, const struct token *at, const struct table *t,
                       const char *wanted);

/* Reads a name that is not a reserved word; on failure the message names WHAT it should be. */
const char *llac_parse_name(struct statement *s, const char *what);
/* Reads a file name: a string, or everything up to the next blank. */
const char *llac_parse_file(struct statement *s, const char *what);
/* Fails unless the statement ends here. */
void llac_parse_end(struct statement *s);
/* Returns whether the token ends a formula, because it begins something else. */
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
/* Writes TEXT to PATH, and says so in the output. */
void llac_write_file(struct statement *s, const struct token *at, const char *path,
                     const char *text);
void llac_warn(struct portolan_llac *in, const char *format, ...) PORTOLAN_PRINTF(2, 3);

/* ------------------------------------------------------------------------------- expressions */

/* The default of a parameter: a variable's value, or the only value measured. */
bool llac_usual_value(struct statement *s, const struct portolan_model *m, size_t p, double *value);
/* Finds the parameters of M in T (may be NULL), else their defaults; fails at AT. */
struct placed llac_place_model(struct statement *s, const struct token *at,
                               const struct portolan_model *m, const struct table *t);
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
/* T without RUN, which llac added, unless there are several runs. */
struct table *llac_table_to_show(struct portolan_arena *arena, const struct table *t);
/* "" or " (s)". */
const char *llac_unit(struct statement *s, const char *unit);
void llac_show_model(struct statement *s, const char *name, const struct fitted *f);

/* ---------------------------------------------------------------------------------- commands */

typedef void command_fn(struct statement *s);

/* The kinds of arguments that a command can have, for completion. */
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
void free_report(void *report);
load_fn llac_load_csv, llac_load_report, llac_load_measurements;
/* Adds a new table. */
struct table *llac_loaded_add(struct statement *s, struct loaded *l, const char *experiment);
/* The labels and identifiers of T that have several values, except RUN and WITHOUT. */
size_t llac_choose_keys(const struct table *t, const char *without, size_t *keys);

#endif
