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
    /* The text here was reported; that the parser stumbles over it need not be said again. */
    bool is_spoilt;
    const char *text;
    const char *comment; /* doc comment in front of it, NULL if none */
    const char *source;  /* where it begins in the text that was read */
    struct portolan_sidl_place place;
    int end_line, end_column; /* behind it */
};

struct tokens {
    struct token *list; /* ends with TOKEN_END */
    size_t count;
    int braces;  /* { less } */
    bool is_cut; /* an open comment has swallowed the rest */
};

/* What cannot be read is reported to D and left out. The list is put into LIST, its texts into A.
 */
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
    bool failed;                   /* reported; skip until somebody recovers */
    bool has_told_end;             /* that the file ends too early */
    bool has_types;                /* the time for require and import is over */
    int depth;
    int braces; /* how many } are missing in the file */
};

/*
 * Reports at the token that is next, unless something was reported since the last recovery, or in
 * the text just here.
 */
void parser_fail(struct parser *p, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* Whether the problem here is told already: by the lexer, or that the file ends. */
bool parser_is_told(struct parser *p);
void parser_expected(struct parser *p, const char *what);
bool parser_is(const struct parser *p, const char *text);
bool parser_accept(struct parser *p, const char *text);
void parser_expect(struct parser *p, const char *text, const char *where);
/* A ';' that misses at the end of a line is reported there, and reading goes on as if it stood. */
void parser_semicolon(struct parser *p, const char *where);
const char *parser_identifier(struct parser *p, const char *of_what);
const char *parser_version(struct parser *p); /* NULL when there is none */
/* False, and reported, when nesting is too deep; always paired with parser_leave. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);

/* Where reading goes on behind a problem. */
/* `class NAME {`, `package NAME version` …, behind abstract and final or without. */
bool token_begins_declaration(const struct token *token);
/*
 * To behind the next ';' or whole {…} block, or to a '}' that closes what is around, or to a line
 * that begins something new. What may have been DECLARATIONS there is noted as lost.
 */
void parser_recover(struct parser *p, bool declarations);
/* To the '{' of a declaration whose head is unreadable; if there is none, nothing happens. */
void parser_recover_body(struct parser *p);
/* To the ',' or ')' behind an argument of the list that began at START; if there is one. */
void parser_recover_argument(struct parser *p, const struct token *start);
/* To what is named, if it stands in front of the next ';', '{' or '}'. */
bool parser_recover_to(struct parser *p, const char *text);

/* parser_declare.c: a package or type, with the modifiers in front. */
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
/* The clauses behind `require`, `ensure` or `invariant`. */
void parser_clauses(struct parser *p, struct portolan_sidl_clause **list, size_t *count);

#endif
