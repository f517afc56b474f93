/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of knowledge as text: its tokens, and where they stand. CLIPS, which reads the same
   language, would tell the line at best. */
#ifndef HERCULE_SOURCE_H
#define HERCULE_SOURCE_H

#include "internal.h"

struct source {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const char *file;
    int first_line; /* of TEXT in the file */
    const char *text;
    size_t size;
};

/* Where N characters of TEXT end, which begins at PLACE. */
struct place place_after(struct place place, const char *text, size_t n);
struct place clp_place(const struct source *source, size_t at);

/* From AT on, the next token: what is no blank and no comment. */
size_t clp_next(const struct source *source, size_t at);
/* After the token at AT: a parenthesis, a string or a word. */
size_t clp_token_end(const struct source *source, size_t at);
/* After the ")" that closes the "(" at AT; 0 when there is none. After any other token, its end. */
size_t clp_form_end(const struct source *source, size_t at);
/* The token at AT as its author wrote it, and what it says: of a string what is between the quotes.
 */
char *clp_token(const struct source *source, size_t at);
char *clp_value(const struct source *source, size_t at);
/* The word after the "(" at AT, or the token at AT; *NEXT: the token after it. */
char *clp_head(const struct source *source, size_t at, size_t *next);

#endif
