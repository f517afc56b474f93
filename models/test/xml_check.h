/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of models as XML share: the grammar, the round trip, and parts of texts. */
#ifndef MODELS_TEST_XML_CHECK_H
#define MODELS_TEST_XML_CHECK_H

#include "check.h"

/* A set-up and a tear-down: the grammar that is_valid() asks. */
int load_grammar(void **state);
int free_grammar(void **state);
bool is_valid(const char *text);

/* The caller destroys it. */
struct portolan_model *read_text(const char *text);

/* Both have the same terms and parameters, and predict the same. */
void assert_same(const struct portolan_model *a, const struct portolan_model *b);

/* Writes, checks by the grammar, reads, compares, writes again: the same text. */
void assert_round_trip(const struct portolan_model *model);

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<model xmlns=\"urn:portolan:model:1\" name=\"f\">\n"                 \
    "<parameter name=\"n\" min=\"1\" max=\"8\"/>\n<parameter name=\"p\"/>\n"
#define BEFORE                                                                                     \
    "<function><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><lambda>"                        \
    "<bvar><ci>n</ci></bvar><bvar><ci> p </ci></bvar>\n"
#define AFTER "\n</lambda></math></function>\n"
#define FIT                                                                                        \
    "<fit family=\"given\" weighting=\"relative\" constants=\"any\" rows=\"3\" points=\"3\" "      \
    "outliers=\"0\"/>\n"
#define ERROR "<error sigma=\"0.1\" assumed=\"false\" dof=\"2\"/>\n"
#define END   "</model>\n"
#define FIT_PIECEWISE                                                                              \
    "<fit family=\"piecewise\" weighting=\"relative\" constants=\"any\" rows=\"6\" points=\"6\" "  \
    "outliers=\"0\"/>\n"
#define PIECEWISE                                                                                  \
    "<piecewise><piece><cn>1</cn><apply><lt/><ci>n</ci><cn>4</cn></apply></piece>"                 \
    "<piece><ci>n</ci><apply><geq/><ci>n</ci><cn>4</cn></apply></piece></piecewise>"
#define PIECE                                                                                      \
    "<piece><parameter name=\"n\" min=\"1\" max=\"3\"/><parameter name=\"p\"/>\n" FIT ERROR        \
    "</piece>"
#define MODEL(math) HEAD BEFORE math AFTER FIT ERROR END

#endif
