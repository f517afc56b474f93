/* SPDX-License-Identifier: BSD-3-Clause */
/** From text to tokens. */
#ifndef SIDL_LEXER_H
#define SIDL_LEXER_H

#include <portolan/sidl.h>

#include "arena.h"

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
bool lexer_is_reserved(const char *word);
#endif
