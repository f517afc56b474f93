/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the reader and the writer of models as XML. */
#ifndef PORTOLAN_MODELS_XML_INTERNAL_H
#define PORTOLAN_MODELS_XML_INTERNAL_H

#include "models_internal.h"

#include <portolan/xml.h>

#define MODEL_NAMESPACE  "urn:portolan:model:1"
#define MATHML_NAMESPACE "http://www.w3.org/1998/Math/MathML"

/* ---- xml_reader.c ---- */

/* The text being read, where to report problems, and how many there were. */
struct reader {
    struct portolan_arena arena; /* of the text's tree */
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
    size_t n_problems;
    enum portolan_status status; /* ENOMEM ends reading; ESYNTAX after a complaint */
    size_t n_pieces;             /* <piece>s after the function, … */
    size_t piece, n_ranges; /* … the index of the current one, and how many ranges it has so far */
};

void reader_no_memory(struct reader *r);
/* The report function of diagnostics; ARG is the reader. */
void reader_report(void *arg, const char *file, int line, int column, const char *text);
void reader_complain(struct reader *r, const struct xml_element *e, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);
/* Is E, which may be NULL, an element of that name? */
bool reader_is(const struct xml_element *e, const char *name);
bool reader_is_in(const struct xml_element *e, const char *space);
/* For the end of a complaint about WORD. */
struct portolan_hint reader_hint(const char *word, const char *const *known, size_t n);
/* Reads a finite decimal number, with or without blanks around it; neither hexadecimal nor names.
 */
bool reader_number(const char *text, double *value);
/* The first child, or NULL. Complains of text between elements. */
const struct xml_element *reader_first(struct reader *r, const struct xml_element *parent);

/* ---- mathml.c ---- */

/*
 * Reads a content MathML expression as a formula that is bound to PARAMS; the caller destroys it;
 * NULL after a complaint.
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

/* Reads an expression as a sum of terms in M's parameters; M owns the expressions of the terms.
   False after a complaint. */
bool xml_read_terms(struct reader *r, const struct xml_element *expression,
                    struct portolan_model *m, struct sum *sum);
/* Reads an expression as the conditions of PIECE; false after a complaint. */
bool xml_read_conditions(struct reader *r, const struct xml_element *expression,
                         const struct portolan_model *m, struct piece *piece);

#endif
