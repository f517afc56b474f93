/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as an equation of LaTeX. */
#include "emit.h"

enum { DIGITS = 4 };

enum portolan_status portolan_model_write_latex(const struct portolan_model *m, char **text,
                                                struct portolan_error *err)
{
    static const struct emit_style style = {.digits = DIGITS};
    struct portolan_text out = {0};
    struct portolan_formula *f = NULL;
    enum portolan_status status = emit_formula(m, &style, &f, err);

    if (status)
        return status;
    emit_about(&out, m, "% ");
    portolan_text_add(&out, "\\begin{equation}\n  f");
    for (size_t p = 0; p < m->n_params; p++) {
        portolan_text_add(&out, p ? ", " : "(");
        formula_write_latex_name(&out, m->params[p]);
    }
    portolan_text_add(&out, m->n_params ? ") = " : " = ");
    formula_write_latex(f, f->n_nodes - 1, false, &out);
    portolan_text_add(&out, "\n\\end{equation}\n");
    portolan_formula_destroy(f);
    return portolan_text_take(&out, text, err);
}
