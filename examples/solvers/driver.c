/* SPDX-License-Identifier: BSD-3-Clause */
/* solvers.Driver: solves with one matrix in each step, for a solution of ones. */
#include "matrix.h"
#include "solvers.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

struct driver {
    struct steps steps;
    struct solvers_matrix a;
    double *b, *x;
};

/* The matrix's path; a relative one starts at the folder of the assembly. Caller frees. */
static char *matrix_path(gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    char *name = NULL, *folder = NULL, *path = NULL;

    name = gov_cca_TypeMap_getString(properties, "matrix", "", _ex);
    SIDL_CHECK(*_ex);
    folder = gov_cca_TypeMap_getString(properties, "portolan.assemblyDir", ".", _ex);
    SIDL_CHECK(*_ex);
    path = *name == '/' ? portolan_strdup(name) : portolan_asprintf("%s/%s", folder, name);
    if (!path)
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory for a path");
EXIT:
    sidl_String_free(name);
    sidl_String_free(folder);
    return path;
}

static enum portolan_status prepare(struct steps *s, gov_cca_TypeMap properties,
                                    struct portolan_error *err)
{
    struct driver *d = (struct driver *)s;
    sidl_BaseInterface ex = NULL;
    char *path = matrix_path(properties, &ex);
    enum portolan_status status =
        ex ? portolan_catch(&ex, err) : solvers_matrix_read(&d->a, path, err);

    free(path);
    if (status)
        return status;
    d->b = portolan_calloc((size_t)d->a.n, sizeof *d->b);
    d->x = portolan_calloc((size_t)d->a.n, sizeof *d->x);
    if (!d->b || !d->x)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d rows", d->a.n);
    for (int i = 0; i < d->a.n; i++)
        d->x[i] = 1;
    solvers_matrix_multiply(&d->a, d->x, d->b);
    s->contexts[0].name = "n";
    s->contexts[0].value = d->a.n;
    s->contexts[1].name = "row";
    s->contexts[1].value = solvers_matrix_row(&d->a);
    s->contexts[2].name = "bandwidth";
    s->contexts[2].value = d->a.bandwidth;
    s->contexts[3].name = "kind";
    s->contexts[3].value = d->a.kind;
    return PORTOLAN_OK;
}

static double step(struct steps *s, void *port, sidl_BaseInterface *_ex)
{
    struct driver *d = (struct driver *)s;
    const struct solvers_matrix *a = &d->a;

    memset(d->x, 0, (size_t)a->n * sizeof *d->x);
    return solvers_Solver_solve(port, &d->a, d->b, d->x, a->n, solvers_matrix_row(a), a->bandwidth,
                                a->kind, _ex);
}

static void finish(struct steps *s)
{
    struct driver *d = (struct driver *)s;

    solvers_matrix_clear(&d->a);
    free(d->b);
    free(d->x);
    d->b = d->x = NULL;
}

static const struct steps_kind kind = {.cls = STEPS_CLASS("solvers.Driver", struct driver),
                                       .port = "solver",
                                       .type = "solvers.Solver",
                                       .prepare = prepare,
                                       .step = step,
                                       .finish = finish};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return steps_create(&kind, _ex);
}

PORTOLAN_COMPONENT(solvers_Driver, "solvers.Driver", create);
