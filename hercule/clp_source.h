/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of knowledge as text: its tokens, and their places. CLIPS, which reads the same language,
 * would report the line at best. */
#ifndef HERCULE_CLP_SOURCE_H
#define HERCULE_CLP_SOURCE_H

#include "internal.h"

struct source {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const char *file;
    int first_line; /* line of TEXT in the file */
    const char *text;
    size_t size;
};

/* Returns the place after N characters of TEXT, which begins at PLACE. */
struct place place_after(struct place place, const char *text, size_t n);
struct place clp_place(const struct source *source, size_t at);

/* Returns the next token from AT on, skipping blanks and comments. */
size_t clp_next(const struct source *source, size_t at);
/* Returns the end of the token at AT: a parenthesis, a string or a word. */
size_t clp_token_end(const struct source *source, size_t at);
/* Returns the end of the form whose "(" is at AT, 0: it is not closed; of other tokens, their
 * end. */
size_t clp_form_end(const struct source *source, size_t at);
/* Returns the text of the token at AT; of a string, the text between the quotes. */
char *clp_token(const struct source *source, size_t at);
char *clp_value(const struct source *source, size_t at);
/* Returns the word after the "(" at AT, or the token at AT; *NEXT: the token after it. */
char *clp_head(const struct source *source, size_t at, size_t *next);

#endif
