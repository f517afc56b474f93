/* SPDX-License-Identifier: BSD-3-Clause */
#include "transform.h"

#include <stdlib.h>
#include <string.h>

#include "ffts.h"

static void discard(struct ffts_transform *t)
{
    if (t->n)
        t->kind->discard(t);
    t->n = 0;
}

/* Planning may overwrite the values: it gets others. */
static void plan(struct ffts_transform *t, int n, struct portolan_error *err)
{
    double *scratch = portolan_calloc(2 * (size_t)n, sizeof *scratch);

    discard(t);
    if (!scratch)
        portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a transform of %d", n);
    else if (!t->kind->make(t, n, scratch, err))
        t->n = n;
    free(scratch);
}

static void transform_execute(void *self, struct sidl_double__array *values, int32_t n,
                              sidl_BaseInterface *_ex)
{
    struct ffts_transform *t = self;
    struct portolan_error err = {0};

    if (n < 1 || sidlLength(values, 0) != 2 * n)
        portolan_error_set(&err, PORTOLAN_EINVAL, "%d values for a transform of %d",
                           sidlLength(values, 0), n);
    else if (n != t->n)
        plan(t, n, &err);
    if (!err.status)
        t->kind->execute(t, values->d_firstElement);
    else
        portolan_throw(_ex, err.status, "%s: %s", t->kind->cls.name, err.text);
}

static void transform_execute_factored(void *self, struct sidl_double__array *values, int32_t n,
                                       int32_t factor, sidl_BaseInterface *_ex)
{
    (void)factor;
    transform_execute(self, values, n, _ex);
}

static void transform_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "transform",
                                     "ffts.Transform", NULL, _ex);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices =
                                                                transform_set_services};
static const struct ffts_Transform__epv transform_epv = {
    .f_execute = transform_execute, .f_executeFactored = transform_execute_factored};

const struct sidl_implements ffts_implements[2] = {
    {&gov_cca_Component__type, &component_epv},
    {&ffts_Transform__type, &transform_epv},
};

void ffts_destroy(void *self)
{
    discard(self);
}

gov_cca_Component ffts_create(const struct ffts_kind *kind, sidl_BaseInterface *_ex)
{
    struct ffts_transform *t = sidl_object_create(&kind->cls, _ex);

    if (!t)
        return NULL;
    t->kind = kind;
    return sidl_object_facet(t, "gov.cca.Component");
}
