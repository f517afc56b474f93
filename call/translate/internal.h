/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One translation: text → pragmas (source.c, pragma.c, driver.c) → experiments (experiment.c) → the
 * C around them (parse.c, place.c, leave.c) → edits of the text (rewrite.c), which are tried on
 * libclang (parse.c) and written out (emit.c); translate.c has the order of all this.
 */
#ifndef TRANSLATE_INTERNAL_H
#define TRANSLATE_INTERNAL_H

#include <portolan/formula.h>
#include <portolan/libclang.h>
#include <portolan/list.h>
#include <portolan/translate.h>

/* ------------------------------------------------------------------ the source */

/* What a byte of the source is. */
enum source_kind { SOURCE_BLANK, SOURCE_CODE, SOURCE_TEXT /* in quotes */, SOURCE_DIRECTIVE };

struct source {
    const char *file; /* as the user calls it */
    const char *text; /* NUL-terminated */
    size_t size;
    unsigned char *kind; /* of each byte, enum source_kind */
    size_t *lines;       /* where each begins */
    size_t n_lines;
};

struct place {
    int line, column; /* from 1, in bytes */
};

/* ------------------------------------------------------------------ pragmas */

enum directive_kind {
    DIRECTIVE_BAD, /* nobody knows what it says */
    DIRECTIVE_PARALLEL,
    DIRECTIVE_USES,
    DIRECTIVE_BEGIN,
    DIRECTIVE_END,
    DIRECTIVE_FOR,
    DIRECTIVE_END_FOR,
    DIRECTIVE_SCRIPT,
    DIRECTIVE_REPORT
};

/* A stretch of the source, and what it says without comments. */
struct words {
    size_t at; /* in the source */
    const char *text;
};

struct directive {
    enum directive_kind kind;
    size_t start, end;    /* in the source: from '#' or "_Pragma" to the end without newline */
    size_t body;          /* where the text behind "pragma" begins */
    const char *text;     /* that, as long as in the source; comments are blank; NUL-terminated */
    bool is_operator;     /* _Pragma("…") */
    bool is_bad;          /* something about it is wrong, which was told */
    bool is_old;          /* `#pragma parallel PUB gbsp`, without cll */
    struct words name;    /* of the experiment, driver or script; report: NULL text for all */
    struct words formula; /* BEGIN; NULL text: none */
    const char **observables;
    size_t n_observables;
    bool is_synchronised;
    struct words argument; /* sync(ARGUMENT); parallel: the machine; NULL text: none */
    struct words header;   /* FOR: "(init; cond; step)"; SCRIPT: the platform */
    struct words sed;      /* SCRIPT: the expression; NULL text: none */
    size_t code, brace;    /* FOR: where its code stands in the text that libclang reads */
    /* What experiment.c and place.c find out. */
    struct directive *partner; /* the end of a begin, and back; NULL: none */
    struct experiment *experiment;
    bool is_braced; /* BEGIN: of a single statement without braces, which need them now */
    size_t block;   /* BEGIN: node of the tree that it stands in */
};

struct experiment {
    const char *name;
    const char *symbol;      /* "cll_fft" */
    struct directive *first; /* the begin that says most: with the formula, or observables */
    struct portolan_formula *formula; /* or NULL */
    const char *infix;                /* as written, in one line */
    unsigned n_constants;
    struct directive **regions; /* begins, in the order of the file */
    size_t n_regions;
    struct experiment *next;
};

struct driver {
    const char *name;     /* in pragmas */
    const char *symbol;   /* of the run time's driver */
    const char *packages; /* of pkg-config, with a blank between */
    const char *refusal;  /* why not, and what instead; NULL: it is there */
    const char *machine;  /* name of the parameter that says the machine; or NULL */
    const char *ignored;  /* name of a parameter that needs no care here; or NULL */
    bool is_pointer;      /* the machine is a pointer */
    bool is_communicator; /* the machine is an MPI_Comm, which is passed by its address */
};

/* ------------------------------------------------------------------ the C */

enum { NO_NODE = -1 };

/* A statement, or an expression or declaration that stands as one, in the source. */
struct node {
    enum CXCursorKind kind;
    CXCursor cursor;
    size_t start, end; /* in the source, with the semicolon */
    size_t parent;     /* (size_t)NO_NODE: a function's body */
    bool in_macro;     /* comes out of a macro */
    CXType result;     /* function's, of a body */
};

struct edit {
    size_t at, length; /* of the source */
    const char *text;  /* instead */
    const char *probe; /* what libclang reads instead; NULL: the same */
    size_t order;
};

struct problem {
    const char *file;
    struct place place;
    const char *text;
    size_t order;
};

/* A question to libclang: what it answers is told at PLACE. */
struct probe {
    struct place place;
    const char *name; /* the expression in question */
    const char *what; /* NULL: a name of a formula, which must be a number */
    bool is_told;
};

struct translation {
    struct portolan_arena arena;
    const struct portolan_translate_options *options;
    struct portolan_diagnostics *user;
    struct portolan_error *err;
    struct source source;
    struct directive *directives;
    size_t n_directives;
    const struct driver *driver;
    struct directive *parallel;
    struct experiment *experiments, **last_experiment;
    size_t n_experiments;
    struct problem *problems;
    size_t n_problems;
    const struct portolan_libclang *clang;
    CXIndex index;
    const char *const *flags;
    size_t n_flags;
    CXTranslationUnit unit; /* of the source; nodes belong to it */
    bool is_c;              /* libclang finds nothing wrong in it */
    struct node *nodes;
    size_t n_nodes;
    struct edit *edits;
    size_t n_edits;
    struct probe *probes;
    size_t n_probes;
};

/* ------------------------------------------------------------------ source.c */

/* Reads the file and finds its lines, comments and pragmas. */
enum portolan_status source_read(struct translation *t);
/* The same of SIZE bytes at TEXT, which stay the caller's; NUL behind. */
enum portolan_status source_scan(struct translation *t, const char *text, size_t size);
struct place source_place(const struct source *s, size_t at);
/* The first byte of code at AT or behind (the size: none); the end of the last one before AT. */
size_t source_next(const struct source *s, size_t at);
size_t source_previous(const struct source *s, size_t at);
bool source_has_word(const struct source *s, const char *word);

/* ------------------------------------------------------------------ translate.c: problems */

void problem_at(struct translation *t, size_t at, const char *format, ...) PORTOLAN_PRINTF(3, 4);
void problem_add(struct translation *t, const char *file, struct place place, const char *format,
                 ...) PORTOLAN_PRINTF(4, 5);
void problem_print(struct translation *t, const char *file, struct place place, const char *format,
                   va_list args) PORTOLAN_PRINTF(4, 0);
int line_of(const struct translation *t, const struct directive *d);
/* Diagnostics that end as problems. */
struct portolan_diagnostics problems_relay(struct translation *t);

/* ------------------------------------------------------------------ pragma.c */

/* Reads the words of one pragma. */
struct reader {
    struct translation *t;
    struct directive *d;
    const char *next; /* in d->text */
};

/* Where the reader is in the source. */
size_t reader_at(const struct reader *r);
/* Blanks, line ends and the backslashes before them. */
void reader_blanks(struct reader *r);
/* Behind blanks: is there nothing more? */
bool reader_ends(struct reader *r);
/* An identifier, what is in quotes, all the rest: NULL text without one. */
struct words reader_word(struct reader *r);
struct words reader_string(struct reader *r);
struct words reader_rest(struct reader *r);
/* Tells what is wrong with the pragma at AT of the source. */
void reader_fail(struct reader *r, size_t at, const char *format, ...) PORTOLAN_PRINTF(3, 4);

/* Does all that opens in TEXT close again, and no statement end? */
bool text_is_balanced(const char *text);

/* Tells when nothing called W can be observed, wherever the program will run. */
void observable_check(struct reader *r, struct words w);

/* The pragma's word nearest to WORD, or NULL. */
const char *pragma_nearest(const char *word);

/* `parallel DRIVER …`, the reader being behind WORD. */
void driver_read_parallel(struct reader *r, struct words word);

/* ------------------------------------------------------------------ all pragmas */

/* What the directive says. */
void pragma_read(struct translation *t, struct directive *d);
/* True for the text behind "pragma" that is meant for us, or looks as if. */
bool pragma_is_ours(const char *text);
const struct driver *driver_find(const char *name);
void driver_choose(struct translation *t);

/* Begins with their ends; sweeps with theirs. */
void pair_directives(struct translation *t);
/* A name for NAME in C that the source does not use: "cll_NAME". */
const char *symbol_of(struct translation *t, const char *name);
/* In one line: every blank, line end and backslash before it is at most one blank. */
const char *one_line(struct translation *t, const char *text);
/* The experiment of that name, or NULL. */
struct experiment *experiment_find(const struct translation *t, const char *name);
/* Experiments with formulas. */
void experiments_make(struct translation *t);
void experiments_clear(struct translation *t);

/* ------------------------------------------------------------------ the C */

/* Makes the tree of the file's statements, forgets pragmas that are not compiled. */
enum portolan_status parse_source(struct translation *t);
void tree_make(struct translation *t, CXTranslationUnit unit, CXFile file);

/* Where pragmas stand. */
void place_directives(struct translation *t);

/* ------------------------------------------------------------------ output */

void edit_add(struct translation *t, size_t at, size_t length, const char *probe, const char *text);
/* Edits for pragmas, and for jumps out of experiments. */
void rewrite_directives(struct translation *t);
void rewrite_jumps(struct translation *t);
/* The edited text; for libclang with the PROBES. */
void rewrite_apply(struct translation *t, bool probes, struct portolan_text *out);

/* Edits that indent the lines of sweeps; before those of the pragmas. */
void indent_sweeps(struct translation *t);

/* Asks libclang what the formulas' names are where they are used. */
enum portolan_status probe_translation(struct translation *t);

void emit_header(struct translation *t, struct portolan_text *out);
void emit_source(struct translation *t, struct portolan_text *out);
/* TEXT as it stands in quotes in C. */
const char *emit_quoted(struct translation *t, const char *text);
/* "fft" of "src/fft.c" */
const char *emit_program(struct translation *t);
bool script_is_platform(const char *name);
enum portolan_status script_emit(struct translation *t, const struct directive *d,
                                 struct portolan_text *out);

#endif
