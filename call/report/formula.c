/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports say of a formula beside how it was written. */
#include "internal.h"

#include <stdlib.h>

bool report_formula_derive(const struct portolan_cll_sample *s, struct report_formula *f)
{
    (void)s;
    *f = (struct report_formula){0};
    return true;
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
