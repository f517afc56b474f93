/* SPDX-License-Identifier: BSD-3-Clause */
/* The words for the types of values in TypeMaps. */
#include "status.h"

#include <strings.h>

static const char *const type_words[] = {
    "NoType",      "Int",           "Long",          "Float",       "Double",    "Fcomplex",
    "Dcomplex",    "String",        "Bool",          "IntArray",    "LongArray", "FloatArray",
    "DoubleArray", "FcomplexArray", "DcomplexArray", "StringArray", "BoolArray"};
enum { N_TYPES = sizeof type_words / sizeof *type_words };

const char *portolan_typemap_type_word(enum gov_cca_Type__enum type)
{
    return (int)type >= 0 && (int)type < N_TYPES ? type_words[type] : type_words[0];
}

enum gov_cca_Type__enum portolan_typemap_type_read(const char *word)
{
    for (int i = 1; i < N_TYPES; i++)
        if (!strcasecmp(word, type_words[i]))
            return (enum gov_cca_Type__enum)i;
    return gov_cca_Type_NoType;
}
