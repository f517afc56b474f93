/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the parser's files. */
#ifndef SIDL_PARSER_H
#define SIDL_PARSER_H

#include "lexer.h"
#include "model.h"

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

/* parser_recover.c: where reading goes on behind a problem. */
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

/* parser_member.c: what follows the words interface, class, enum and struct and the name. */
struct modifiers {
    unsigned flags;
    struct portolan_sidl_attribute *attributes;
    size_t n_attributes;
};
struct modifiers parser_modifiers(struct parser *p);
void parser_interface(struct parser *p, struct portolan_sidl_symbol *symbol);
void parser_class(struct parser *p, struct portolan_sidl_symbol *symbol);
void parser_enum(struct parser *p, struct portolan_sidl_symbol *symbol);
void parser_struct(struct parser *p, struct portolan_sidl_symbol *symbol);

/* parser_declare.c: a package or type, with the modifiers in front. */
void parser_user_type(struct parser *p);
/* One that begins inside the {…} of SYMBOL. True: whose '}' misses. */
bool parser_misplaced(struct parser *p, const struct portolan_sidl_symbol *symbol);

/* parser_method.c */
void parser_method(struct parser *p, struct portolan_sidl_symbol *owner);

/* parser_type.c */
const char *parser_name(struct parser *p); /* a.b.c, leading dot allowed */
struct portolan_sidl_type *parser_type(struct parser *p);
struct portolan_sidl_type *parser_named_type(struct parser *p);
void parser_extents(struct parser *p, struct portolan_sidl_type *rarray);
void parser_attributes(struct parser *p, struct portolan_sidl_attribute **list, size_t *count);

/* parser_expr.c */
struct portolan_sidl_expr *parser_expression(struct parser *p);
/* The clauses behind `require`, `ensure` or `invariant`. */
void parser_clauses(struct parser *p, struct portolan_sidl_clause **list, size_t *count);

#endif
