/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One translation: text → pragmas (source.c, pragma.c, driver.c) → experiments (experiment.c) → the
 * C around them (parse.c, place.c, leave.c) → edits of the text (rewrite.c), which libclang checks
 * (parse.c) and emit.c writes; translate.c has the order of all this.
 */
#ifndef TRANSLATE_INTERNAL_H
#define TRANSLATE_INTERNAL_H

#include <portolan/formula.h>
#include <portolan/libclang.h>
#include <portolan/list.h>
#include <portolan/translate.h>

/* ------------------------------------------------------------------ the source */

/* The kind of a byte of the source. */
enum source_kind { SOURCE_BLANK, SOURCE_CODE, SOURCE_TEXT /* in quotes */, SOURCE_DIRECTIVE };

struct source {
    const char *file; /* as the user wrote it */
    const char *text; /* NUL-terminated */
    size_t size;
    unsigned char *kind; /* of each byte, enum source_kind */
    size_t *lines;       /* the start of each line */
    size_t n_lines;
};

struct place {
    int line, column; /* from 1, in bytes */
};

/* ------------------------------------------------------------------ pragmas */

enum directive_kind {
    DIRECTIVE_BAD, /* its text is not understood */
    DIRECTIVE_PARALLEL,
    DIRECTIVE_USES,
    DIRECTIVE_BEGIN,
    DIRECTIVE_END,
    DIRECTIVE_FOR,
    DIRECTIVE_END_FOR,
    DIRECTIVE_SCRIPT,
    DIRECTIVE_REPORT
};

/* A stretch of the source, and its text without comments. */
struct words {
    size_t at; /* in the source */
    const char *text;
};

struct directive {
    enum directive_kind kind;
    size_t start, end;    /* in the source: from '#' or "_Pragma" to the end without newline */
    size_t body;          /* start of the text after "pragma" */
    const char *text;     /* that text, of the same length; comments are blanks; NUL-terminated */
    bool is_operator;     /* _Pragma("…") */
    bool is_bad;          /* an error in it was reported */
    bool is_old;          /* `#pragma parallel PUB gbsp`, without cll */
    struct words name;    /* of the experiment, driver or script; report: NULL text for all */
    struct words formula; /* BEGIN; NULL text: none */
    const char **observables;
    size_t n_observables;
    bool is_synchronised;
    struct words argument; /* sync(ARGUMENT); parallel: the machine; NULL text: none */
    struct words header;   /* FOR: "(init; cond; step)"; SCRIPT: the platform */
    struct words sed;      /* SCRIPT: the expression; NULL text: none */
    size_t code, brace;    /* FOR: position of its code in the text that libclang reads */
    /* Set by experiment.c and place.c. */
    struct directive *partner; /* the end of a begin, and back; NULL: none */
    struct experiment *experiment;
    bool is_braced; /* BEGIN: of a single statement without braces, which are now needed */
    size_t block;   /* BEGIN: the node of the tree that contains it */
};

struct experiment {
    const char *name;
    const char *symbol;      /* "cll_fft" */
    struct directive *first; /* the begin that states most: the formula, or else observables */
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
    const char *refusal;  /* why it is not supported, and the remedy; NULL: supported */
    const char *machine;  /* name of the parameter that gives the machine; or NULL */
    const char *ignored;  /* name of a parameter that can be ignored; or NULL */
    bool is_pointer;      /* the machine is a pointer */
    bool is_communicator; /* the machine is an MPI_Comm, which is passed by its address */
};

/* ------------------------------------------------------------------ the C */

enum { NO_NODE = -1 };

/* A statement, or an expression or declaration used as a statement, in the source. */
struct node {
    enum CXCursorKind kind;
    CXCursor cursor;
    size_t start, end; /* in the source, including the semicolon */
    size_t parent;     /* (size_t)NO_NODE: this is a function's body */
    bool in_macro;     /* results from a macro's expansion */
    CXType result;     /* of a body: the type that its function returns */
};

struct edit {
    size_t at, length; /* of the source */
    const char *text;  /* instead */
    const char *probe; /* for libclang, replaces TEXT; NULL: the same */
    size_t order;
};

struct problem {
    const char *file;
    struct place place;
    const char *text;
    size_t order;
};

/* A question to libclang; a bad answer is reported at PLACE. */
struct probe {
    struct place place;
    const char *name; /* the expression in question */
    const char *what; /* NULL: a name of a formula, which must be a number */
    bool is_reported;
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
    bool is_c;              /* libclang finds no errors in it */
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
/* The same for SIZE bytes at TEXT, followed by NUL; TEXT stays the caller's. */
enum portolan_status source_scan(struct translation *t, const char *text, size_t size);
struct place source_place(const struct source *s, size_t at);
/* The first byte of code from AT on (the size: none); the end of the last code before AT. */
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
/* Diagnostics that are added to the problems. */
struct portolan_diagnostics problems_relay(struct translation *t);

/* ------------------------------------------------------------------ pragma.c */

/* Reads the words of one pragma. */
struct reader {
    struct translation *t;
    struct directive *d;
    const char *next; /* in d->text */
};

/* The reader's position in the source. */
size_t reader_at(const struct reader *r);
/* Skips blanks, and line ends with the backslashes before them. */
void reader_blanks(struct reader *r);
/* Is there nothing more after blanks? */
bool reader_ends(struct reader *r);
/* Reads an identifier, quoted text, all the rest; NULL text if there is none. */
struct words reader_word(struct reader *r);
struct words reader_string(struct reader *r);
struct words reader_rest(struct reader *r);
/* Reports what is wrong with the pragma at position AT of the source. */
void reader_fail(struct reader *r, size_t at, const char *format, ...) PORTOLAN_PRINTF(3, 4);

/* Is every bracket in TEXT closed, and does no statement end in it? */
bool text_is_balanced(const char *text);

/* Reports when W cannot be observed on any machine. */
void observable_check(struct reader *r, struct words w);

/* The pragma's word nearest to WORD, or NULL. */
const char *pragma_nearest(const char *word);

/* Reads `parallel DRIVER …`; the reader is after WORD. */
void driver_read_parallel(struct reader *r, struct words word);

/* ------------------------------------------------------------------ all pragmas */

/* Reads the text of a directive. */
void pragma_read(struct translation *t, struct directive *d);
/* Returns whether the text after "pragma" is meant for us, or looks like a slip of that. */
bool pragma_is_ours(const char *text);
const struct driver *driver_find(const char *name);
void driver_choose(struct translation *t);

/* Matches begins and ends, of experiments and of sweeps. */
void pair_directives(struct translation *t);
/* A name for NAME in C that the source does not use: "cll_NAME". */
const char *symbol_of(struct translation *t, const char *name);
/* The text in one line: blanks, line ends and backslashes before these become one blank. */
const char *one_line(struct translation *t, const char *text);
/* The experiment of that name, or NULL. */
struct experiment *experiment_find(const struct translation *t, const char *name);
/* Makes the experiments, with their formulas. */
void experiments_make(struct translation *t);
void experiments_clear(struct translation *t);

/* ------------------------------------------------------------------ the C */

/* Makes the tree of the file's statements, and drops pragmas that are not compiled. */
enum portolan_status parse_source(struct translation *t);
void tree_make(struct translation *t, CXTranslationUnit unit, CXFile file);

/* Finds the statements and blocks that pragmas belong to. */
void place_directives(struct translation *t);

/* ------------------------------------------------------------------ output */

void edit_add(struct translation *t, size_t at, size_t length, const char *probe, const char *text);
/* Makes the edits for pragmas, and for jumps out of experiments. */
void rewrite_directives(struct translation *t);
void rewrite_jumps(struct translation *t);
/* The edited text; with PROBES the version for libclang. */
void rewrite_apply(struct translation *t, bool probes, struct portolan_text *out);

/* Makes the edits that indent the lines of sweeps; they come before those of the pragmas. */
void indent_sweeps(struct translation *t);

/* Asks libclang for the types of the formulas' names where they are used. */
enum portolan_status probe_translation(struct translation *t);

void emit_header(struct translation *t, struct portolan_text *out);
void emit_source(struct translation *t, struct portolan_text *out);
/* TEXT as a string literal of C, without the quotes. */
const char *emit_quoted(struct translation *t, const char *text);
/* "fft" of "src/fft.c" */
const char *emit_program(struct translation *t);
bool script_is_platform(const char *name);
enum portolan_status script_emit(struct translation *t, const struct directive *d,
                                 struct portolan_text *out);

#endif
