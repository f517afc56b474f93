/* SPDX-License-Identifier: BSD-3-Clause */
/* What reading and writing a model as XML share. */
#ifndef PORTOLAN_MODELS_XML_INTERNAL_H
#define PORTOLAN_MODELS_XML_INTERNAL_H

#include "models_internal.h"

#include <libxml/tree.h>

#define MODEL_NAMESPACE  "urn:portolan:model:1"
#define MATHML_NAMESPACE "http://www.w3.org/1998/Math/MathML"

/* ---- xml_parse.c ---- */

/* One text being read: where to complain, and whether that happened. */
struct reader {
    const char *file;
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
    size_t n_problems;
    enum portolan_status status; /* ENOMEM ends it; ESYNTAX after a complaint */
    size_t n_pieces;             /* <piece>s behind the function, … */
    size_t piece, n_ranges; /* … the one that comes next, and how many ranges it has so far */
};

/* The tree of SIZE bytes of TEXT; NULL after a complaint. */
xmlDoc *reader_parse(struct reader *r, const char *text, size_t size);
void reader_no_memory(struct reader *r);
void reader_complain(struct reader *r, const xmlNode *node, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
void reader_complain_at(struct reader *r, int line, int column, const char *format, ...)
    PORTOLAN_PRINTF(4, 5);
/* Is NODE, which may be NULL, an element of that name? */
bool reader_is(const xmlNode *node, const char *name);
/* For the end of a complaint about WORD. */
struct portolan_hint reader_hint(const char *word, const char *const *known, size_t n);
/* A finite decimal number with blanks around it at most; hexadecimal and names are not. */
bool reader_number(const char *text, double *value);
/* The first child element, or the next sibling element; NULL = none. Stray text is complained of.
 */
xmlNode *reader_first(struct reader *r, const xmlNode *parent);
xmlNode *reader_next(struct reader *r, const xmlNode *node);

/* ---- mathml.c ---- */

/*
 * The formula of PARAMS, bound to all of them, that a content MathML expression is; the caller
 * destroys it; NULL after a complaint.
 */
struct portolan_formula *mathml_read(struct reader *r, const xmlNode *expression, size_t n_params,
                                     char *const *params);
/* The value in a <piece>, and its condition; NULL after a complaint. */
const xmlNode *mathml_piece(struct reader *r, const xmlNode *node, const xmlNode **condition);
/* ---- xml_write.c ---- */

/* The words for enum portolan_model_statistic. */
enum { N_STATISTICS = PORTOLAN_MODEL_DEVIATION + 1 };
extern const char *const xml_statistics[N_STATISTICS], *const xml_kinds[];

/* ---- xml_terms.c ---- */

/* The sum that an expression is over M's parameters, M owning its expressions; false after a
   complaint. */
bool xml_read_terms(struct reader *r, const xmlNode *expression, struct portolan_model *m,
                    struct sum *sum);
/* The conditions of PIECE from an expression; false after a complaint. */
bool xml_read_conditions(struct reader *r, const xmlNode *expression,
                         const struct portolan_model *m, struct piece *piece);

/* ---- mathml.c again ---- */

/* The text inside an element without elements; the caller frees it (free); NULL after a complaint
 */
char *mathml_text(struct reader *r, const xmlNode *node);

#endif
