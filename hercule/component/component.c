/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.Diagnosis: finds why a run is slow, while it runs. */
#include "diagnosis_component.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- ports */

static void get_ports(struct diagnosis_component *d, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = NULL;
    sidl_BaseInterface ignored = NULL;

    d->cohort = portolan_foreign_get(d->services, "cohort", "portolan.Cohort", _ex);
    SIDL_CHECK(*_ex);
    d->assembly = portolan_foreign_get(d->services, "assembly", "portolan.Assembly", _ex);
    SIDL_CHECK(*_ex);
    d->records = portolan_foreign_get(d->services, "records", "portolan.Records", _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPortNonblocking(d->services, "control", _ex);
    SIDL_CHECK(*_ex);
    if (port)
        d->control = portolan_ports_Control__cast(port, _ex);
EXIT:
    gov_cca_Port_deleteRef(port, &ignored);
}

static void release_ports(struct diagnosis_component *d)
{
    const struct {
        const char *uses;
        const void *held;
    } ports[] = {{"control", d->control},
                 {"records", d->records},
                 {"assembly", d->assembly},
                 {"cohort", d->cohort}};
    sidl_BaseInterface ignored = NULL;

    portolan_ports_Control_deleteRef(d->control, &ignored);
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (ports[i].held)
            gov_cca_Services_releasePort(d->services, ports[i].uses, &ignored);
        SIDL_CLEAR(ignored);
    }
    d->control = NULL;
    d->records = NULL;
    d->assembly = NULL;
    d->cohort = NULL;
}

static void warn(const struct diagnosis_component *d, const char *what,
                 const struct portolan_error *err)
{
    if (d->cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_WARNING, "diagnosis", "%s: %s", what, err->text);
}

/* ------------------------------------------------- portolan.ports.StepListener */

static bool is_due(const struct diagnosis_component *d, int step)
{
    int since = step - d->first_step;

    return d->steps > 0 && (since == 0 || (since > 0 && d->repeat > 0 && since % d->repeat == 0));
}

static void open_window(struct diagnosis_component *d, int n)
{
    struct portolan_error err = {0};

    if (diagnosis_open_window(d, n, &err))
        warn(d, "nothing is recorded", &err);
}

static void close_window(struct diagnosis_component *d)
{
    struct portolan_machine_reading *machine = NULL;
    struct portolan_error err = {0};
    enum portolan_status status = diagnosis_close_window(d, &machine, &err);

    diagnosis_conclude(d, status, machine, &err);
    free(machine);
}

/* Reaches a step; collective: the ranks have the same steps and the same obstacle. */
static void reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    struct diagnosis_component *d = self;

    if (!d->is_ready) {
        get_ports(d, _ex);
        SIDL_CHECK(*_ex);
        d->is_ready = true;
        if (d->assembly->purpose && strcmp(d->assembly->purpose, "run") != 0)
            portolan_error_set(&d->obstacle, PORTOLAN_EINVAL, "the run is fixed, or measured");
        else if (diagnosis_prepare(d, &d->obstacle))
            warn(d, "this run is not diagnosed", &d->obstacle);
    }
    d->step = step;
    if (d->obstacle.status)
        return;
    if (d->window.is_open && step >= d->window.end)
        close_window(d);
    if (!d->window.is_open && is_due(d, step))
        open_window(d, d->steps);
EXIT:;
}

static void announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    (void)self, (void)name, (void)value, (void)_ex;
}

static sidl_bool step_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    (void)self, (void)step, (void)why, (void)_ex;
    return FALSE; /* there is nothing to undo here */
}

static const struct portolan_ports_StepListener__epv steps_epv = {
    .f_reached = reached, .f_announce = announce, .f_failed = step_failed};

/* Asks for each step while it records, and at a step at which it begins. */
static int32_t get_pace(void *self, int32_t *least, sidl_BaseInterface *_ex)
{
    const struct diagnosis_component *d = self;
    int n = INT32_MAX;

    (void)_ex;
    *least = 1;
    if (d->obstacle.status)
        return n;
    if (d->steps > 0 && d->step < d->first_step)
        n = d->first_step - d->step;
    else if (d->steps > 0 && d->repeat > 0)
        n = d->repeat - (d->step - d->first_step) % d->repeat;
    return d->window.is_open ? 1 : n;
}

static const struct portolan_ports_Pace__epv pace_epv = {.f_getPace = get_pace};

/* ------------------------------------------------- portolan.ports.Diagnosis */

static void diagnose(void *self, int32_t steps, sidl_BaseInterface *_ex)
{
    struct diagnosis_component *d = self;
    struct portolan_error err = {0};

    if (steps < 1)
        portolan_throw(_ex, PORTOLAN_EINVAL, "%d steps; at least one is needed", (int)steps);
    else if (d->step < 0)
        portolan_throw(_ex, PORTOLAN_EINVAL, "there was no swap point yet");
    else if (d->obstacle.status)
        portolan_throw(_ex, d->obstacle.status, "%s", d->obstacle.text);
    else if (d->window.is_open)
        portolan_throw(_ex, PORTOLAN_EBUSY, "the steps %d to %d are being recorded",
                       d->window.first, d->window.end - 1);
    else if (diagnosis_open_window(d, steps, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static sidl_bool is_pending(void *self, sidl_BaseInterface *_ex)
{
    struct diagnosis_component *d = self;

    (void)_ex;
    return d->window.is_open || (d->steps > 0 && !d->obstacle.status && !d->bytes &&
                                 d->step <= d->first_step && d->step + 1 >= d->first_step);
}

static char *copy_text(const char *text, sidl_BaseInterface *_ex)
{
    char *copy = *_ex ? NULL : sidl_String_strdup(text ? text : "");

    if (!copy && !*_ex)
        sidl_exception_throw_no_memory(_ex);
    return copy;
}

static int32_t get_verdict(void *self, int32_t *first, int32_t *last, char **verdict, char **why,
                           sidl_BaseInterface *_ex)
{
    const struct diagnosis_component *d = self;
    bool is_there = d->bytes;

    *first = is_there ? d->last.first_step : -1;
    *last = is_there ? d->last.last_step : -1;
    *verdict = copy_text(is_there ? d->last.verdict : "", _ex);
    *why = copy_text(is_there ? d->last.why : "", _ex);
    return (int32_t)d->n_findings;
}

static char *get_finding(void *self, int32_t number, char **instance, char **port, char **factor,
                         double *share, double *gain, double *low, double *high, char **verdict,
                         sidl_BaseInterface *_ex)
{
    const struct diagnosis_component *d = self;
    const struct portolan_stored_finding *f;

    *instance = *port = *factor = *verdict = NULL;
    *share = *gain = *low = *high = NAN;
    if (number < 1 || (size_t)number > d->n_findings) {
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no finding %d; there are %zu",
                       (int)number, d->n_findings);
        return NULL;
    }
    f = &d->findings[number - 1];
    *instance = copy_text(f->instance, _ex);
    *port = copy_text(f->port, _ex);
    *factor = copy_text(f->factor, _ex);
    *share = f->share;
    *gain = f->gain;
    *low = f->low;
    *high = f->high;
    *verdict = copy_text(f->verdict, _ex);
    return copy_text(f->title, _ex);
}

static const struct portolan_ports_Diagnosis__epv diagnosis_epv = {.f_diagnose = diagnose,
                                                                   .f_isPending = is_pending,
                                                                   .f_getVerdict = get_verdict,
                                                                   .f_getFinding = get_finding};

/* ------------------------------------------------- gov.cca.Component */

static char *read_text(gov_cca_TypeMap properties, const char *name, sidl_BaseInterface *_ex)
{
    char *text = gov_cca_TypeMap_getString(properties, name, "", _ex), *copy = NULL;

    if (!*_ex && !(copy = portolan_strdup(text ? text : "")))
        sidl_exception_throw_no_memory(_ex);
    sidl_String_free(text);
    return copy;
}

static void check_parameters(const struct diagnosis_component *d, sidl_BaseInterface *_ex)
{
    if (d->steps < 0)
        portolan_throw(
            _ex, PORTOLAN_EBADPROPERTIES,
            "parameter 'steps' is %d; it must be at least 1, or 0 to diagnose only on request",
            d->steps);
    else if (d->first_step < 0)
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "parameter 'first' is %d; it must be at least 0", d->first_step);
    else if (d->repeat < 0 || (d->repeat && d->repeat < d->steps))
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "parameter 'repeat' is %d; it must be at least 'steps', which is %d, or 0",
                       d->repeat, d->steps);
}

static void read_parameters(struct diagnosis_component *d, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(d->services, _ex);
    sidl_BaseInterface ignored = NULL;

    SIDL_CHECK(*_ex);
    d->steps = gov_cca_TypeMap_getInt(properties, "steps", 10, _ex);
    SIDL_CHECK(*_ex);
    d->first_step = gov_cca_TypeMap_getInt(properties, "first", 1, _ex);
    SIDL_CHECK(*_ex);
    d->repeat = gov_cca_TypeMap_getInt(properties, "repeat", 0, _ex);
    SIDL_CHECK(*_ex);
    d->knowledge_folder = read_text(properties, "knowledge", _ex);
    SIDL_CHECK(*_ex);
    d->trace = read_text(properties, "trace", _ex);
    SIDL_CHECK(*_ex);
    check_parameters(d, _ex);
EXIT:
    gov_cca_TypeMap_deleteRef(properties, &ignored);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const char *const uses[][2] = {{"records", "portolan.Records"},
                                          {"control", "portolan.ports.Control"},
                                          {"assembly", "portolan.Assembly"},
                                          {"cohort", "portolan.Cohort"}};
    static const char *const provides[][2] = {{"steps", "portolan.ports.StepListener"},
                                              {"diagnosis", "portolan.ports.Diagnosis"}};
    struct diagnosis_component *d = self;
    sidl_BaseInterface ignored = NULL;

    d->services = services;
    d->step = -1;
    gov_cca_Services_addRef(services, &ignored);
    read_parameters(d, _ex);
    SIDL_CHECK(*_ex);
    for (size_t i = 0; i < sizeof provides / sizeof *provides; i++) {
        gov_cca_Services_addProvidesPort(services, sidl_object_facet(d, provides[i][1]),
                                         provides[i][0], provides[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        gov_cca_Services_registerUsesPort(services, uses[i][0], uses[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(services, sidl_object_facet(d, "gov.cca.ComponentRelease"),
                                        _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static void clear(struct diagnosis_component *d)
{
    diagnosis_forget(d);
    portolan_knowledge_destroy(d->knowledge.base);
    portolan_arena_clear(&d->knowledge.arena);
    free(d->folder);
    free(d->knowledge_folder);
    free(d->trace);
    d->knowledge = (struct diagnosis_knowledge){0};
    d->folder = d->knowledge_folder = d->trace = NULL;
    d->is_ready = false;
}

/* Releases the services; not collective, since ranks may come here after one of them failed. */
static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct diagnosis_component *d = self;
    sidl_BaseInterface ignored = NULL;

    (void)services, (void)_ex;
    if (d->window.is_open && d->cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_WARNING, "diagnosis",
                     "the run ended before step %d, so the record from step %d on is not "
                     "diagnosed; make 'steps' less than %d",
                     d->window.end, d->window.first, d->window.end - d->window.first);
    diagnosis_drop_window(d);
    clear(d);
    release_ports(d);
    gov_cca_Services_deleteRef(d->services, &ignored);
    d->services = NULL;
}

static void destroy(void *self)
{
    struct diagnosis_component *d = self;
    sidl_BaseInterface ignored = NULL;

    clear(d);
    gov_cca_Services_deleteRef(d->services, &ignored);
}

static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     release_services};

PORTOLAN_COMPONENT_CLASS(portolan_Diagnosis, "portolan.Diagnosis", struct diagnosis_component,
                         set_services, destroy, {&gov_cca_ComponentRelease__type, &release_epv},
                         {&portolan_ports_StepListener__type, &steps_epv},
                         {&portolan_ports_Pace__type, &pace_epv},
                         {&portolan_ports_Diagnosis__type, &diagnosis_epv});
