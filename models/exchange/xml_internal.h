/* SPDX-License-Identifier: BSD-3-Clause */
/* What reading and writing a model as XML share. */
#ifndef PORTOLAN_MODELS_XML_INTERNAL_H
#define PORTOLAN_MODELS_XML_INTERNAL_H

#include "models_internal.h"

#include <portolan/xml.h>

#define MODEL_NAMESPACE  "urn:portolan:model:1"
#define MATHML_NAMESPACE "http://www.w3.org/1998/Math/MathML"

/* ---- xml_reader.c ---- */

/* One text being read: where to complain, and whether that happened. */
struct reader {
    struct portolan_arena arena; /* of the text's tree */
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
    size_t n_problems;
    enum portolan_status status; /* ENOMEM ends it; ESYNTAX after a complaint */
    size_t n_pieces;             /* <piece>s behind the function, … */
    size_t piece, n_ranges; /* … the one that comes next, and how many ranges it has so far */
};

void reader_no_memory(struct reader *r);
/* The report of diagnostics, whose ARG is the reader. */
void reader_report(void *arg, const char *file, int line, int column, const char *text);
void reader_complain(struct reader *r, const struct xml_element *e, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Is E, which may be NULL, an element of that name? */
bool reader_is(const struct xml_element *e, const char *name);
bool reader_is_in(const struct xml_element *e, const char *space);
/* For the end of a complaint about WORD. */
struct portolan_hint reader_hint(const char *word, const char *const *known, size_t n);
/* A finite decimal number with blanks around it at most; hexadecimal and names are not. */
bool reader_number(const char *text, double *value);
/* The first child, or NULL. Stray text is complained of. */
const struct xml_element *reader_first(struct reader *r, const struct xml_element *parent);

/* ---- mathml.c ---- */

/*
 * The formula of PARAMS, bound to all of them, that a content MathML expression is; the caller
 * destroys it; NULL after a complaint.
 */
struct portolan_formula *mathml_read(struct reader *r, const struct xml_element *expression,
                                     size_t n_params, char *const *params);
/* The value in a <piece>, and its condition; NULL after a complaint. */
const struct xml_element *mathml_piece(struct reader *r, const struct xml_element *node,
                                       const struct xml_element **condition);
/* The text inside an element without elements; NULL after a complaint. */
const char *mathml_text(struct reader *r, const struct xml_element *node);

/* ---- xml_write.c ---- */

/* The words for enum portolan_model_statistic. */
enum { N_STATISTICS = PORTOLAN_MODEL_DEVIATION + 1 };
extern const char *const xml_statistics[N_STATISTICS], *const xml_kinds[];

/* ---- xml_terms.c ---- */

/* The sum that an expression is over M's parameters, M owning its expressions; false after a
   complaint. */
bool xml_read_terms(struct reader *r, const struct xml_element *expression,
                    struct portolan_model *m, struct sum *sum);
/* The conditions of PIECE from an expression; false after a complaint. */
bool xml_read_conditions(struct reader *r, const struct xml_element *expression,
                         const struct portolan_model *m, struct piece *piece);

#endif
