/* SPDX-License-Identifier: BSD-3-Clause */
/** From text to tokens to the model: shared between the lexer and the parser's files. */
#ifndef SIDL_PARSER_H
#define SIDL_PARSER_H

#include "model.h"

/* lexer.c */
enum token_kind {
    TOKEN_END,
    TOKEN_WORD, /* identifiers and reserved words; text */
    TOKEN_INTEGER,
    TOKEN_REAL,    /* also "0.1", which may be a version */
    TOKEN_VERSION, /* at least two dots */
    TOKEN_STRING,  /* text without quotes, escapes as written */
    TOKEN_CHARACTER,
    TOKEN_EXTENSION, /* [word]; text without brackets */
    TOKEN_SYMBOL,    /* punctuation and operators; text */
};

struct token {
    enum token_kind kind;
    bool is_reserved;
    bool starts_line;
    /* The lexer reported a problem here, so the parser must not report it again. */
    bool is_spoilt;
    const char *text;
    const char *comment; /* doc comment before it, NULL if none */
    const char *source;  /* where it begins in the text */
    struct portolan_sidl_place place;
    int end_line, end_column; /* just after it */
};

struct tokens {
    struct token *list; /* ends with TOKEN_END */
    size_t count;
    int braces;  /* number of { minus number of } */
    bool is_cut; /* an open comment has swallowed the rest */
};

/* Unreadable text is reported to D and left out. The list lies in arena LIST, its texts in A. */
struct tokens lexer_read(struct portolan_arena *a, struct portolan_arena *list, const char *file,
                         const char *text, size_t size, struct portolan_diagnostics *d);

/* A word or symbol of that text. */
bool token_is(const struct token *token, const char *text);

struct parser {
    struct portolan_sidl_model *model;
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    struct file *file;
    struct portolan_sidl_symbol *scope;
    const struct token *at, *first;
    const struct token *recovered; /* where the last recovery ended */
    bool failed;                   /* a problem was reported; skip until a function recovers */
    bool has_reported_end;         /* reported that the file ends too early */
    bool has_types;                /* a package was read: require and import are not allowed now */
    int depth;
    int braces; /* how many } are missing in the file */
};

/*
 * Reports a problem at the next token, unless one was reported since the last recovery, or by the
 * lexer at this token.
 */
void parser_fail(struct parser *p, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* Returns whether the problem here was reported already: by the lexer, or as an early end of the
 * file. */
bool parser_has_reported(struct parser *p);
void parser_expected(struct parser *p, const char *what);
bool parser_is(const struct parser *p, const char *text);
bool parser_accept(struct parser *p, const char *text);
void parser_expect(struct parser *p, const char *text, const char *where);
/* If ';' is missing at the end of a line, reports it there and continues as if it were there. */
void parser_semicolon(struct parser *p, const char *where);
const char *parser_identifier(struct parser *p, const char *of_what);
const char *parser_version(struct parser *p); /* NULL when there is none */
/* False, and reported, when nesting is too deep; always paired with parser_leave. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);

/* Recovery: where reading continues after a problem. */
/* Returns whether `class NAME {`, `package NAME version` … begins here, perhaps with abstract or
 * final. */
bool token_begins_declaration(const struct token *token);
/*
 * Moves to just after the next ';' or complete {…} block, or to a '}' that closes an outer block,
 * or to a line that begins a declaration or member. If DECLARATIONS may be in the skipped text,
 * notes all its words as lost.
 */
void parser_recover(struct parser *p, bool declarations);
/* Moves to the '{' of a declaration whose head is unreadable; if there is none, does nothing. */
void parser_recover_body(struct parser *p);
/* Moves to the ',' or ')' after an argument of the list that began at START, if there is one. */
void parser_recover_argument(struct parser *p, const struct token *start);
/* Moves to TEXT, if it comes before the next ';', '{' or '}'. */
bool parser_recover_to(struct parser *p, const char *text);

/* parser_declare.c: a package or type, with the modifiers before it. */
void parser_user_type(struct parser *p);
struct modifiers {
    unsigned flags;
    struct portolan_sidl_attribute *attributes;
    size_t n_attributes;
};
struct modifiers parser_modifiers(struct parser *p);

/* parser_method.c */
void parser_method(struct parser *p, struct portolan_sidl_symbol *owner);
const char *parser_name(struct parser *p); /* a.b.c, leading dot allowed */
struct portolan_sidl_type *parser_type(struct parser *p);
struct portolan_sidl_type *parser_named_type(struct parser *p);
void parser_named_types(struct parser *p, struct portolan_sidl_type ***list,
                        size_t *count); /* A, B */
void parser_extents(struct parser *p, struct portolan_sidl_type *rarray);
void parser_attributes(struct parser *p, struct portolan_sidl_attribute **list, size_t *count);

/* parser_expr.c */
struct portolan_sidl_expr *parser_expression(struct parser *p);
int64_t parser_integer(struct parser *p); /* at a TOKEN_INTEGER */
/* The clauses after `require`, `ensure` or `invariant`. */
void parser_clauses(struct parser *p, struct portolan_sidl_clause **list, size_t *count);

#endif
