/* SPDX-License-Identifier: BSD-3-Clause */
/* What the words and the grammar of formulas share. */
#ifndef PORTOLAN_FORMULA_PARSE_H
#define PORTOLAN_FORMULA_PARSE_H

#include "formula_internal.h"

enum { LONGEST_NAME = 200 };

enum kind { END, NUMBER, NAME, SYMBOL };

struct token {
    enum kind kind;
    unsigned line, column; /* from 0 */
    const char *text;      /* as it stands */
    size_t length;
    double number;
    char name[LONGEST_NAME + 1]; /* without quotes, and without blanks around . and -> */
    bool is_word;                /* a bare identifier: of a constant or a function, maybe */
};

struct parser {
    const char *at, *end, *line_start;
    unsigned line;
    struct token now;
    unsigned depth;
    struct formula_place place;
    struct formula_builder build;
    enum portolan_status status;
};

/* The first complaint ends it. */
#define COMPLAIN(p, ...)                                                                           \
    formula_stop((p), (p)->status ? PORTOLAN_OK                                                    \
                                  : formula_complain(&(p)->place, (p)->now.line, (p)->now.column,  \
                                                     __VA_ARGS__))
bool formula_stop(struct parser *p, enum portolan_status status);

/* Characters of names: at the start, and further on. */
bool formula_is_start(char c);
bool formula_is_inside(char c);
/* The character AHEAD bytes on; NUL behind the end. */
char formula_peek(const struct parser *p, size_t ahead);
/* Over blanks, line ends, and a backslash that hides a line end. */
void formula_skip(struct parser *p);
/* P->now becomes the next word. */
void formula_next(struct parser *p);

#endif
