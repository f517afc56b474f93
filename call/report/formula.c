/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports say of a formula beside how it was written. */
#include "internal.h"

#include <portolan/formula.h>

#include <stdlib.h>
#include <string.h>

/* Of the constants in their order; terms may be written in another. */
static enum portolan_status write_components(const struct portolan_formula_sum *sum,
                                             struct report_formula *f)
{
    enum portolan_status status = PORTOLAN_OK;

    f->components = portolan_calloc(sum->n_terms + 1, sizeof *f->components);
    f->postfix_components = portolan_calloc(sum->n_terms + 1, sizeof *f->postfix_components);
    if (!f->components || !f->postfix_components)
        return PORTOLAN_ENOMEM;
    f->n_components = sum->n_terms;
    for (size_t i = 0; i < sum->n_terms && status == PORTOLAN_OK; i++) {
        const struct portolan_formula_term *term = &sum->terms[i];

        status = portolan_formula_write(term->expression, PORTOLAN_NOTATION_INFIX,
                                        &f->components[term->index], NULL);
        if (status == PORTOLAN_OK)
            status = portolan_formula_write(term->expression, PORTOLAN_NOTATION_POSTFIX,
                                            &f->postfix_components[term->index], NULL);
    }
    return status;
}

static enum portolan_status derive(const struct portolan_formula *formula, const char *name,
                                   struct report_formula *f)
{
    struct portolan_formula_sum sum = {0};
    enum portolan_status status =
        portolan_formula_write(formula, PORTOLAN_NOTATION_POSTFIX, &f->postfix, NULL);

    if (status == PORTOLAN_OK)
        status = portolan_formula_split(formula, name, 1, 1, NULL, &sum, NULL);
    if (status == PORTOLAN_OK)
        status = write_components(&sum, f);
    portolan_formula_sum_clear(&sum);
    return status;
}

bool report_formula_derive(const struct portolan_cll_sample *s, struct report_formula *f)
{
    struct portolan_formula *formula = NULL;
    enum portolan_status status;

    *f = (struct report_formula){0};
    if (!s->formula)
        return true;
    status =
        portolan_formula_parse(s->formula, strlen(s->formula), s->name, 1, 1, NULL, &formula, NULL);
    if (status == PORTOLAN_OK)
        status = derive(formula, s->name, f);
    portolan_formula_destroy(formula);
    if (status == PORTOLAN_ENOMEM)
        report_formula_clear(f);
    return status != PORTOLAN_ENOMEM; /* one that cannot be read has none of this */
}

void report_formula_clear(struct report_formula *f)
{
    for (size_t i = 0; i < f->n_components; i++) {
        free(f->components[i]);
        free(f->postfix_components[i]);
    }
    free(f->components);
    free(f->postfix_components);
    free(f->postfix);
    *f = (struct report_formula){0};
}
