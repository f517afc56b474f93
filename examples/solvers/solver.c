/* SPDX-License-Identifier: BSD-3-Clause */
#include "solver.h"

#include "solvers.h"

static double solver_solve(void *self, void *data, struct sidl_double__array *b,
                           struct sidl_double__array *x, double row, int32_t bandwidth,
                           int32_t kind, sidl_BaseInterface *_ex)
{
    const struct solvers_matrix *a = data;
    struct solvers_component *s = self;
    struct portolan_error err = {0};
    double residual = 0;

    (void)row;
    (void)bandwidth;
    (void)kind;
    if (sidlLength(b, 0) != a->n)
        portolan_error_set(&err, PORTOLAN_EINVAL, "%d values for %d rows", sidlLength(b, 0), a->n);
    else if (!s->solve(a, b->d_firstElement, x->d_firstElement, &err))
        solvers_matrix_residual(a, b->d_firstElement, x->d_firstElement, &residual, &err);
    if (err.status)
        portolan_throw(_ex, err.status, "%s", err.text);
    return residual;
}

static void solver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "solver",
                                     "solvers.Solver", NULL, _ex);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = solver_set_services};
static const struct solvers_Solver__epv solver_epv = {.f_solve = solver_solve};

const struct sidl_implements solvers_implements[2] = {
    {&gov_cca_Component__type, &component_epv},
    {&solvers_Solver__type, &solver_epv},
};

gov_cca_Component solvers_component_create(const struct solvers_kind *kind, sidl_BaseInterface *_ex)
{
    struct solvers_component *s = sidl_object_create(&kind->cls, _ex);

    if (!s)
        return NULL;
    s->solve = kind->solve;
    return sidl_object_facet(s, "gov.cca.Component");
}
