/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A1, A2, B1, B2, C and D of the paper's Figure 4. They differ in nothing but the model that tells
 * how long a call takes: one unit of the paper's models is a millisecond here. B calls D, so that
 * the call graph has a branch below a core component.
 */
#include <portolan/framework.h>

#include "paper.h"

static const double unit_s = 1e-3;

struct model {
    double (*cost)(double x); /* in units */
    bool calls_d;
};

struct function {
    struct sidl_object object;
    const struct model *model;
    gov_cca_Services services;
    portolan_ports_Work work; /* fetched at the first call, when ports are connected */
    paper_Function d;
};

static void fetch_ports(struct function *f, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(f->services, "work", _ex);

    SIDL_CHECK(*_ex);
    f->work = portolan_ports_Work__cast(port, _ex);
    gov_cca_Port_deleteRef(port, _ex);
    if (!f->model->calls_d)
        return;
    port = gov_cca_Services_getPort(f->services, "d", _ex);
    SIDL_CHECK(*_ex);
    f->d = paper_Function__cast(port, _ex);
    gov_cca_Port_deleteRef(port, _ex);
EXIT:;
}

static void function_evaluate(void *self, double x, sidl_BaseInterface *_ex)
{
    struct function *f = self;

    *_ex = NULL;
    if (!f->work) {
        fetch_ports(f, _ex);
        SIDL_CHECK(*_ex);
    }
    portolan_ports_Work_consume(f->work, f->model->cost(x) * unit_s, _ex);
    SIDL_CHECK(*_ex);
    if (f->d)
        paper_Function_evaluate(f->d, x, _ex);
EXIT:;
}

static void function_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct function *f = self;

    f->services = services;
    gov_cca_Services_addRef(services, _ex);
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "work", "portolan.ports.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    if (f->model->calls_d) {
        gov_cca_Services_registerUsesPort(services, "d", "paper.Function", NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "function",
                                     "paper.Function", NULL, _ex);
EXIT:;
}

static void function_release_services(void *self, gov_cca_Services services,
                                      sidl_BaseInterface *_ex)
{
    struct function *f = self;
    sidl_BaseInterface ignored;

    *_ex = NULL;
    if (f->work) {
        portolan_ports_Work_deleteRef(f->work, &ignored);
        f->work = NULL;
        gov_cca_Services_releasePort(services, "work", _ex);
        SIDL_CHECK(*_ex);
    }
    if (f->d) {
        paper_Function_deleteRef(f->d, &ignored);
        f->d = NULL;
        gov_cca_Services_releasePort(services, "d", _ex);
        SIDL_CHECK(*_ex);
    }
EXIT:
    gov_cca_Services_deleteRef(f->services, &ignored);
    f->services = NULL;
}

static const struct paper_Function__epv function_epv = {.f_evaluate = function_evaluate};
static const struct gov_cca_Component__epv component_epv = {.f_setServices = function_set_services};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     function_release_services};

static const struct sidl_implements implements[] = {
    {&paper_Function__type, &function_epv},
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
};

static gov_cca_Component function_create(const struct sidl_class *cls, const struct model *model,
                                         sidl_BaseInterface *_ex)
{
    struct function *f = sidl_object_create(cls, _ex);

    if (!f)
        return NULL;
    f->model = model;
    return sidl_object_facet(f, "gov.cca.Component");
}

/* Class, descriptor and constructor of paper.NAME, whose calls cost FORMULA units. */
#define FUNCTION(NAME, FORMULA, CALLS_D)                                                           \
    static double cost_##NAME(double x)                                                            \
    {                                                                                              \
        (void)x;                                                                                   \
        return FORMULA;                                                                            \
    }                                                                                              \
    static gov_cca_Component create_##NAME(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        static const struct sidl_class cls = {.name = "paper." #NAME,                              \
                                              .version = "1.0",                                    \
                                              .size = sizeof(struct function),                     \
                                              .implements = implements,                            \
                                              .n_implements = 3};                                  \
        static const struct model model = {cost_##NAME, CALLS_D};                                  \
                                                                                                   \
        return function_create(&cls, &model, _ex);                                                 \
    }                                                                                              \
    PORTOLAN_COMPONENT(paper_##NAME, "paper." #NAME, create_##NAME)

FUNCTION(A1, 2 * x, false);
FUNCTION(A2, x *x, false);
FUNCTION(B1, x *x *x, true);
FUNCTION(B2, 2 * x * x, true);
FUNCTION(C, 0.01, false);
FUNCTION(D, 0.01, false);
