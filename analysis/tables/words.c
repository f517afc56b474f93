/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for the parts of models. */
#include "tables.h"

#include <portolan/formula.h>

#include <math.h>
#include <stdlib.h>

void model_add_shape(const struct portolan_model *m, const struct portolan_model_shape *shape,
                     struct portolan_text *out)
{
    const char *between = "";
    char *expression = NULL;

    if (shape->expression) {
        if (portolan_formula_write(shape->expression, PORTOLAN_NOTATION_INFIX, &expression, NULL))
            out->failed = true;
        else
            portolan_text_add(out, "%s", expression);
        free(expression);
        return;
    }
    for (size_t p = 0; p < portolan_model_n_params(m); p++) {
        const char *name = portolan_model_peek_param(m, p);

        if (shape->exponents[p] == 1)
            portolan_text_add(out, "%s%s", between, name);
        else if (shape->exponents[p] != 0)
            portolan_text_add(out, "%s%s^%.4g", between, name, shape->exponents[p]);
        else if (!shape->logs[p])
            continue;
        if (shape->logs[p])
            portolan_text_add(out, "%slog2(%s)", shape->exponents[p] != 0 ? " " : between, name);
        if (shape->logs[p] > 1)
            portolan_text_add(out, "^%d", shape->logs[p]);
        between = " ";
    }
    if (!*between)
        portolan_text_add(out, "1");
}

/* A parameter, or the ratio of two. */
static void add_ratio(const struct portolan_model *m, size_t param, size_t divisor,
                      struct portolan_text *out)
{
    portolan_text_add(out, "%s", portolan_model_peek_param(m, param));
    if (divisor != SIZE_MAX)
        portolan_text_add(out, "/%s", portolan_model_peek_param(m, divisor));
}

void model_add_conditions(const struct portolan_model *m, const struct portolan_model_condition *c,
                          size_t n, struct portolan_text *out)
{
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, i ? ", " : "");
        add_ratio(m, c[i].param, c[i].divisor, out);
        if (isinf(c[i].low))
            portolan_text_add(out, " < %.6g", c[i].high);
        else if (isinf(c[i].high))
            portolan_text_add(out, " >= %.6g", c[i].low);
        else
            portolan_text_add(out, " from %.6g to %.6g", c[i].low, c[i].high);
    }
}

void model_add_break(const struct portolan_model *m, const struct portolan_model_break *b,
                     struct portolan_text *out)
{
    add_ratio(m, b->param, b->divisor, out);
    portolan_text_add(out, " between %.6g and %.6g; it may lie from %.6g to %.6g", b->below,
                      b->above, b->low, b->high);
}
