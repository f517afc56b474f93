/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

static void preconditioner_set_services(void *self, gov_cca_Services services,
                                        sidl_BaseInterface *_ex)
{
    struct heat_preconditioner_component *p = self;
    gov_cca_TypeMap properties = portolan_component_properties(services, _ex);
    struct portolan_error err = {0};
    enum portolan_status status;
    sidl_BaseInterface ignored;

    if (*_ex)
        return;
    status = p->kind->create(properties, &p->preconditioner, &err);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
    if (status)
        portolan_throw(_ex, status, "%s: %s", p->kind->cls.name, err.text);
    else
        heat_provide(services, self, "preconditioner", "heat.Preconditioner", _ex);
}

static void preconditioner_setup(void *self, heat_Matrix a, int32_t n, sidl_BaseInterface *_ex)
{
    struct heat_preconditioner_component *p = self;
    const struct heat_matrix *matrix = heat_matrix_peek(a, _ex);
    struct portolan_error err = {0};

    if (*_ex)
        return;
    p->order = 0;
    if (n != matrix->order)
        portolan_error_set(&err, PORTOLAN_EINVAL, "setup: the matrix is of order %d, not %d",
                           matrix->order, n);
    else
        p->preconditioner->ops->setup(p->preconditioner, matrix, &err);
    if (err.status)
        heat_throw(_ex, &err);
    else
        p->order = n;
}

static void preconditioner_apply(void *self, struct sidl_double__array *r,
                                 struct sidl_double__array *z, sidl_BaseInterface *_ex)
{
    struct heat_preconditioner_component *p = self;
    struct portolan_error err = {0};

    if (sidlLength(r, 0) != p->order || sidlLength(z, 0) != p->order)
        portolan_error_set(&err, PORTOLAN_EINVAL, "apply: %d values for a matrix of order %d",
                           sidlLength(r, 0), p->order);
    else
        p->preconditioner->ops->apply(p->preconditioner, r->d_firstElement, z->d_firstElement,
                                      &err);
    if (err.status)
        heat_throw(_ex, &err);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices =
                                                                preconditioner_set_services};
static const struct heat_Preconditioner__epv preconditioner_epv = {.f_setup = preconditioner_setup,
                                                                   .f_apply = preconditioner_apply};

const struct sidl_implements heat_preconditioner_implements[2] = {
    {&gov_cca_Component__type, &component_epv},
    {&heat_Preconditioner__type, &preconditioner_epv},
};

void heat_preconditioner_component_destroy(void *self)
{
    struct heat_preconditioner_component *p = self;

    heat_preconditioner_destroy(p->preconditioner);
}

gov_cca_Component heat_preconditioner_component_create(const struct heat_preconditioner_kind *kind,
                                                       sidl_BaseInterface *_ex)
{
    struct heat_preconditioner_component *p = sidl_object_create(&kind->cls, _ex);

    if (!p)
        return NULL;
    p->kind = kind;
    return sidl_object_facet(p, "gov.cca.Component");
}
