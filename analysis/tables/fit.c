/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits to the rows of tables. */
#include "tables.h"

#include <math.h>
#include <string.h>

void placed_point(const struct placed *p, const double *row, double *x)
{
    for (size_t i = 0; i < p->n; i++)
        x[i] = p->columns[i] == NONE ? p->values[i] : row[p->columns[i]];
}

struct portolan_model_data fit_rows(struct statement *s, const struct table *t, const struct fit *f)
{
    size_t n_params = f->placed.n, kept = 0;
    double *x = statement_alloc(s, t->n_rows, (n_params + 1) * sizeof *x);
    double *y = statement_alloc(s, t->n_rows, sizeof *y);

    for (size_t i = 0; i < t->n_rows; i++) {
        const double *row = table_row(t, i);
        bool good = isfinite(row[f->observable]);

        placed_point(&f->placed, row, x + kept * n_params);
        for (size_t p = 0; p < n_params; p++)
            good = good && isfinite(x[kept * n_params + p]);
        y[kept] = row[f->observable];
        kept += good;
    }
    return (struct portolan_model_data){.n_params = n_params,
                                        .params = f->params,
                                        .n_rows = kept,
                                        .x = n_params ? x : NULL,
                                        .y = y};
}

enum portolan_status fit_data(struct statement *s, const struct table *t, struct fit *f,
                              const struct portolan_model_data *data, struct portolan_model **model)
{
    enum portolan_status status =
        portolan_model_fit_as(data, f->formula, f->has_pieces, &f->options, model, &s->err);

    for (size_t p = 0; p < f->placed.n; p++)
        if (f->placed.columns[p] != NONE)
            f->envelope.param_units[p] = t->columns[f->placed.columns[p]].unit;
    if (!status && (status = portolan_model_describe(*model, &f->envelope, &s->err))) {
        portolan_model_destroy(*model);
        *model = NULL;
    }
    return status;
}

size_t model_find_param(const struct portolan_model *m, const char *name)
{
    for (size_t p = 0; p < portolan_model_n_params(m); p++)
        if (!strcmp(portolan_model_peek_param(m, p), name))
            return p;
    return NONE;
}
