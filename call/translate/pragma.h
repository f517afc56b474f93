/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the words of one pragma. */
#ifndef TRANSLATE_PRAGMA_H
#define TRANSLATE_PRAGMA_H

#include "internal.h"

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
/* The next LENGTH bytes; an identifier, what is in quotes, all the rest: NULL text without one. */
struct words reader_take(struct reader *r, size_t length);
struct words reader_word(struct reader *r);
struct words reader_string(struct reader *r);
struct words reader_rest(struct reader *r);
/* The pragma is wrong, which was told. */
void reader_fail(struct reader *r);

/* May an identifier begin with C? */
bool text_begins_word(char c);
/* How far the parenthesis that opens at TEXT goes, with both; 0: it is never closed. */
size_t text_parenthesis(const char *text);
/* The length of the byte or the text in quotes at TEXT. */
size_t text_item(const char *text);
/* Does all that opens in TEXT close again, and no statement end? */
bool text_is_balanced(const char *text);

/* Tells when nothing called W can be observed, wherever the program will run. */
void observable_check(struct reader *r, struct words w);

/* The pragma's word nearest to WORD, or NULL. */
const char *pragma_nearest(const char *word);

/* `parallel DRIVER …`, the reader being behind WORD. */
void driver_read_parallel(struct reader *r, struct words word);

#endif
