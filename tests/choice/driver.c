/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.Driver: some calls of a choice.Solver per step, with a SwapPoint between steps. */
#include <portolan/framework.h>

#include "choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 64 };

struct settings {
    int32_t n, symmetric, steps, calls, more;
    sidl_bool handles;
    double bound;
    char *file;
    int n_list;
    double list[LIST_MAX]; /* n of the steps, in turn */
};

struct driver {
    struct sidl_object object;
    gov_cca_Services services;
    struct settings s;
    choice_Solver solver;
    portolan_ports_SwapPoint swap; /* NULL: none is connected */
};

/* An input may say what n is, and whether it is symmetric, whatever the parameters say. */
static void read_file(struct settings *s)
{
    FILE *f = fopen(s->file, "r");
    char line[32] = "", *rest = line, *word;
    int64_t value;

    if (!f)
        return;
    if (!fgets(line, sizeof line, f))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if ((word = strtok_r(rest, " ", &rest)) && portolan_read_int64(word, &value))
        s->n = (int32_t)value;
    if ((word = strtok_r(rest, " ", &rest)) && portolan_read_int64(word, &value))
        s->symmetric = (int32_t)value;
    fclose(f);
}

static void read_list(struct settings *s, char *text, sidl_BaseInterface *_ex)
{
    char *word;

    s->n_list = 0;
    while (!*_ex && (word = strtok_r(text, " ", &text)))
        if (s->n_list == LIST_MAX || !portolan_read_double(word, &s->list[s->n_list++]))
            portolan_throw(_ex, PORTOLAN_EINVAL,
                           "choice.Driver: parameter 'list': '%s' is too "
                           "much or no number",
                           word);
}

static void read_parameters(struct driver *d, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap map = portolan_component_properties(d->services, _ex);
    struct settings *s = &d->s;
    sidl_BaseInterface ignored;
    const struct {
        const char *name;
        int32_t *to;
    } ints[] = {{"n", &s->n},
                {"symmetric", &s->symmetric},
                {"steps", &s->steps},
                {"calls", &s->calls},
                {"more", &s->more}};
    char *list = NULL;

    SIDL_CHECK(*_ex);
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        *ints[i].to = gov_cca_TypeMap_getInt(map, ints[i].name, 1, _ex);
        SIDL_CHECK(*_ex);
    }
    s->handles = gov_cca_TypeMap_getBool(map, "handles", FALSE, _ex);
    SIDL_CHECK(*_ex);
    s->bound = gov_cca_TypeMap_getDouble(map, "bound", 0, _ex);
    SIDL_CHECK(*_ex);
    s->file = gov_cca_TypeMap_getString(map, "file", "", _ex);
    SIDL_CHECK(*_ex);
    list = gov_cca_TypeMap_getString(map, "list", "", _ex);
    SIDL_CHECK(*_ex);
    read_list(s, list, _ex);
    read_file(s);
EXIT:
    sidl_String_free(list);
    if (map)
        gov_cca_TypeMap_deleteRef(map, &ignored);
}

static gov_cca_Port fetch(struct driver *d, const char *name, sidl_BaseInterface *_ex)
{
    return gov_cca_Services_getPortNonblocking(d->services, name, _ex);
}

static void fetch_ports(struct driver *d, sidl_BaseInterface *_ex)
{
    gov_cca_Port solver = fetch(d, "solver", _ex), swap = NULL;
    sidl_BaseInterface ignored;

    SIDL_CHECK(*_ex);
    d->solver = choice_Solver__cast(solver, _ex);
    SIDL_CHECK(*_ex);
    swap = fetch(d, "swap", _ex);
    SIDL_CHECK(*_ex);
    d->swap = swap ? portolan_ports_SwapPoint__cast(swap, _ex) : NULL;
EXIT:
    if (solver)
        gov_cca_Port_deleteRef(solver, &ignored);
    if (swap)
        gov_cca_Port_deleteRef(swap, &ignored);
}

static void release_ports(struct driver *d)
{
    sidl_BaseInterface ignored;

    if (d->solver) {
        choice_Solver_deleteRef(d->solver, &ignored);
        gov_cca_Services_releasePort(d->services, "solver", &ignored);
    }
    if (d->swap) {
        portolan_ports_SwapPoint_deleteRef(d->swap, &ignored);
        gov_cca_Services_releasePort(d->services, "swap", &ignored);
    }
    d->solver = NULL;
    d->swap = NULL;
}

static int32_t n_of(const struct settings *s, int step)
{
    return s->n_list ? (int32_t)s->list[step % s->n_list] : s->n;
}

static void solve(struct driver *d, int step, sidl_BaseInterface *_ex)
{
    const struct settings *s = &d->s;

    *_ex = NULL;
    for (int32_t i = 0; i < s->calls && !*_ex; i++) {
        double residual = choice_Solver_solve(d->solver, s->file, n_of(s, step), s->symmetric, _ex);

        if (!*_ex && s->bound > 0 && !(residual <= s->bound))
            portolan_throw(_ex, PORTOLAN_ECOMPONENT, "the residual %g is over %g", residual,
                           s->bound);
    }
}

/* Does a step, again where a swap made that worth it. */
static void do_step(struct driver *d, int step, sidl_BaseInterface *_ex)
{
    struct portolan_error err;
    sidl_bool again;

    do {
        solve(d, step, _ex);
        if (!*_ex || !d->s.handles || !d->swap)
            return;
        err = (struct portolan_error){0};
        portolan_catch(_ex, &err);
        again = portolan_ports_SwapPoint_failed(d->swap, step, err.text, _ex);
        SIDL_CHECK(*_ex);
    } while (again);
    portolan_throw(_ex, PORTOLAN_ECOMPONENT, "choice.Driver: step %d: %s", step, err.text);
EXIT:;
}

static void reach(struct driver *d, int step, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (!d->swap)
        return;
    if (d->s.n_list)
        portolan_ports_SwapPoint_announce(d->swap, "n", n_of(&d->s, step), _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_SwapPoint_reached(d->swap, step, _ex);
EXIT:;
}

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    int end;

    read_parameters(d, _ex);
    SIDL_CHECK(*_ex);
    fetch_ports(d, _ex);
    SIDL_CHECK(*_ex);
    end = d->s.steps + d->s.more;
    for (int step = 0; step < end; step++) {
        reach(d, step, _ex);
        SIDL_CHECK(*_ex);
        do_step(d, step, _ex);
        SIDL_CHECK(*_ex);
    }
    reach(d, end, _ex);
EXIT:
    release_ports(d);
    sidl_String_free(d->s.file);
    d->s.file = NULL;
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
    gov_cca_Services_registerUsesPort(services, "solver", "choice.Solver", NULL, _ex);
    SIDL_CHECK(*_ex);
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
static const struct sidl_class driver_class = {.name = "choice.Driver",
                                               .version = "1.0",
                                               .size = sizeof(struct driver),
                                               .implements = implements,
                                               .n_implements = 3};

static gov_cca_Component driver_create(sidl_BaseInterface *_ex)
{
    struct driver *d = sidl_object_create(&driver_class, _ex);

    return d ? sidl_object_facet(d, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(choice_Driver, "choice.Driver", driver_create);
