/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writers of models as code and formulas share. */
#ifndef PORTOLAN_MODELS_EMIT_H
#define PORTOLAN_MODELS_EMIT_H

#include "formula_internal.h"
#include "models_internal.h"

struct emit_style {
    int digits;  /* of constants; 0 = all */
    bool expand; /* whole powers as the products that portolan_model_value() computes */
};

enum portolan_status emit_begin(struct formula_builder *b, const struct portolan_model *m);
/* CONSTANT times SHAPE; an expression is marked to be kept. */
void emit_push_term(struct formula_builder *b, const struct portolan_model *m,
                    const struct portolan_model_shape *shape, double constant,
                    const struct emit_style *style);
void emit_push_conditions(struct formula_builder *b, const struct portolan_model *m,
                          const struct piece *piece, const struct emit_style *style);
/* What a reader of the code should know, line by line, each behind PREFIX. */
void emit_about(struct portolan_text *out, const struct portolan_model *m, const char *prefix);

#endif
