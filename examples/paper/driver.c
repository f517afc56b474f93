/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The paper's driver: calls A, B and C once per step with the step's x, and comes by a SwapPoint
 * between steps, announcing the x to come.
 */
#include <portolan/framework.h>

#include "paper.h"

#include <stdlib.h>
#include <string.h>

enum { N_FUNCTIONS = 3, STEPS_MAX = 20000 };

static const char *const function_ports[N_FUNCTIONS] = {"a", "b", "c"};

struct driver {
    struct sidl_object object;
    gov_cca_Services services;
    int n_steps;
    double x[STEPS_MAX]; /* of each step */
};

/* Reads "1 1.5 3" into X; returns how many numbers, 0 with an exception when TEXT is no such list.
 */
static int read_sequence(const char *text, double x[STEPS_MAX], sidl_BaseInterface *_ex)
{
    char *copy = portolan_strdup(text), *rest = copy, *word;
    int n = 0;

    while (copy && !*_ex && (word = strtok_r(rest, " ", &rest))) {
        if (n == STEPS_MAX || !portolan_read_double(word, &x[n]))
            portolan_throw(_ex, PORTOLAN_EINVAL,
                           "paper.Driver: parameter 'sequence': '%s' is not a number, or there are "
                           "more than %d",
                           word, STEPS_MAX);
        n++;
    }
    free(copy);
    return *_ex ? 0 : n;
}

/* Every step's x: the sequence, repeated, or else the one x. */
static void read_parameters(struct driver *d, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap map = portolan_component_properties(d->services, _ex);
    sidl_BaseInterface ignored;
    char *sequence = NULL;
    int32_t steps;
    int n;

    SIDL_CHECK(*_ex);
    steps = gov_cca_TypeMap_getInt(map, "steps", 1, _ex);
    SIDL_CHECK(*_ex);
    d->x[0] = gov_cca_TypeMap_getDouble(map, "x", 1, _ex);
    SIDL_CHECK(*_ex);
    sequence = gov_cca_TypeMap_getString(map, "sequence", "", _ex);
    SIDL_CHECK(*_ex);
    n = read_sequence(sequence, d->x, _ex);
    SIDL_CHECK(*_ex);
    if (steps < 1 || steps > STEPS_MAX)
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "paper.Driver: parameter 'steps': %d is not between 1 and %d", (int)steps,
                       STEPS_MAX);
    SIDL_CHECK(*_ex);
    d->n_steps = steps;
    for (int i = n ? n : 1; i < steps; i++)
        d->x[i] = d->x[i % (n ? n : 1)];
EXIT:
    sidl_String_free(sequence);
    if (map)
        gov_cca_TypeMap_deleteRef(map, &ignored);
}

static paper_Function fetch_function(struct driver *d, const char *name, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(d->services, name, _ex);
    paper_Function f = NULL;
    sidl_BaseInterface ignored;

    if (*_ex)
        return NULL;
    f = paper_Function__cast(port, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    return f;
}

static portolan_ports_SwapPoint fetch_swap_point(struct driver *d, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(d->services, "swap", _ex);
    portolan_ports_SwapPoint s = NULL;
    sidl_BaseInterface ignored;

    if (*_ex || !port)
        return NULL;
    s = portolan_ports_SwapPoint__cast(port, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    return s;
}

/* Comes by the swap point before step STEP, telling the x that it will have. */
static void pass_swap_point(struct driver *d, portolan_ports_SwapPoint swap, int step,
                            sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (!swap)
        return;
    if (step < d->n_steps) {
        portolan_ports_SwapPoint_announce(swap, "x", d->x[step], _ex);
        SIDL_CHECK(*_ex);
    }
    portolan_ports_SwapPoint_reached(swap, step, _ex);
EXIT:;
}

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    paper_Function f[N_FUNCTIONS] = {NULL};
    portolan_ports_SwapPoint swap = NULL;
    sidl_BaseInterface ignored;

    read_parameters(d, _ex);
    SIDL_CHECK(*_ex);
    for (int i = 0; i < N_FUNCTIONS; i++) {
        f[i] = fetch_function(d, function_ports[i], _ex);
        SIDL_CHECK(*_ex);
    }
    swap = fetch_swap_point(d, _ex);
    SIDL_CHECK(*_ex);
    for (int step = 0; step < d->n_steps; step++) {
        pass_swap_point(d, swap, step, _ex);
        SIDL_CHECK(*_ex);
        for (int i = 0; i < N_FUNCTIONS; i++) {
            paper_Function_evaluate(f[i], d->x[step], _ex);
            SIDL_CHECK(*_ex);
        }
        portolan_log(PORTOLAN_LOG_INFO, "paper", "step %d done, x = %g", step, d->x[step]);
    }
    pass_swap_point(d, swap, d->n_steps, _ex);
EXIT:
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (f[i]) {
            paper_Function_deleteRef(f[i], &ignored);
            gov_cca_Services_releasePort(d->services, function_ports[i], &ignored);
        }
    if (swap) {
        portolan_ports_SwapPoint_deleteRef(swap, &ignored);
        gov_cca_Services_releasePort(d->services, "swap", &ignored);
    }
    return *_ex ? -1 : 0;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct driver *d = self;

    d->services = services;
    gov_cca_Services_addRef(services, _ex);
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    for (int i = 0; i < N_FUNCTIONS; i++) {
        gov_cca_Services_registerUsesPort(services, function_ports[i], "paper.Function", NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
EXIT:;
}

static void driver_release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct driver *d = self;

    (void)services;
    gov_cca_Services_deleteRef(d->services, _ex);
    d->services = NULL;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = driver_go};
static const struct gov_cca_Component__epv component_epv = {.f_setServices = driver_set_services};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     driver_release_services};

static const struct sidl_implements implements[] = {
    {&gov_cca_ports_GoPort__type, &go_epv},
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
};

static const struct sidl_class driver_class = {.name = "paper.Driver",
                                               .version = "1.0",
                                               .size = sizeof(struct driver),
                                               .implements = implements,
                                               .n_implements = 3};

static gov_cca_Component driver_create(sidl_BaseInterface *_ex)
{
    struct driver *d = sidl_object_create(&driver_class, _ex);

    return d ? sidl_object_facet(d, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(paper_Driver, "paper.Driver", driver_create);
