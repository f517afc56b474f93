/* SPDX-License-Identifier: BSD-3-Clause */
/* The Monitor port: proxies come and go, facts, and the published interface by name. */
#include "mastermind.h"

#include <stdlib.h>
#include <string.h>

portolan_ports_Measurement mastermind_peek_measurement(struct mastermind *m)
{
    sidl_BaseInterface ex = NULL, ignored = NULL;
    gov_cca_Port port;

    if (m->measurement)
        return m->measurement;
    port = gov_cca_Services_getPortNonblocking(m->services, "measurement", &ex);
    SIDL_CLEAR(ex);
    if (!port)
        return NULL;
    m->measurement = portolan_ports_Measurement__cast(port, &ex);
    SIDL_CLEAR(ex);
    gov_cca_Port_deleteRef(port, &ignored);
    gov_cca_Services_releasePort(m->services, "measurement", &ignored);
    SIDL_CLEAR(ignored);
    return m->measurement;
}

/* The parameter `counters` as words. */
static struct sidl_string__array *counter_words(const char *text)
{
    struct sidl_string__array *words;
    char *copy = portolan_strdup(text), *rest = NULL;
    int32_t n = 0;

    if (!copy)
        return NULL;
    for (char *w = strtok_r(copy, " ,\t\n", &rest); w; w = strtok_r(NULL, " ,\t\n", &rest))
        ++n;
    words = sidl_string__array_create1d(n);
    strcpy(copy, text);
    n = 0;
    for (char *w = strtok_r(copy, " ,\t\n", &rest); words && w; w = strtok_r(NULL, " ,\t\n", &rest))
        sidl_string__array_set1(words, n++, w);
    free(copy);
    return words;
}

static void choose_counters(struct mastermind *m, sidl_BaseInterface *_ex)
{
    portolan_ports_Measurement measurement = mastermind_peek_measurement(m);
    struct sidl_string__array *words;

    if (!measurement) {
        portolan_throw(_ex, PORTOLAN_EPORTNOTCONNECTED,
                       "the parameter 'counters' needs the uses port 'measurement'");
        return;
    }
    words = counter_words(m->counters);
    if (!words)
        sidl_exception_throw_no_memory(_ex);
    else
        portolan_ports_Measurement_setCounters(measurement, words, _ex);
    m->counters_chosen = !*_ex;
    sidl_string__array_deleteRef(words);
}

static void attach(void *self, void *probe_port, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_probe_port *port = probe_port;

    m->ever_attached = true;
    mastermind_peek_measurement(m);
    if (!m->counters || !*m->counters)
        return;
    pthread_mutex_lock(&m->lock);
    if (!m->counters_chosen)
        choose_counters(m, _ex);
    if (m->counters_chosen)
        portolan_probe_port_set_flags(port,
                                      portolan_probe_port_flags(port) | PORTOLAN_PROBE_COUNTERS);
    pthread_mutex_unlock(&m->lock);
}

/* What the port measured stays in the probe and comes out with the next step. */
static void detach(void *self, void *probe_port, sidl_BaseInterface *_ex)
{
    struct portolan_probe_port *port = probe_port;

    (void)self, (void)_ex;
    portolan_probe_port_set_flags(port, portolan_probe_port_flags(port) &
                                            ~(uint32_t)(PORTOLAN_PROBE_COUNTERS));
}

static void set_metadata(void *self, const char *name, const char *value, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    bool failed;

    if (!name || !*name) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "metadata without a name");
        return;
    }
    pthread_mutex_lock(&m->lock);
    portolan_facts_put(&m->recorder.facts, name, value);
    failed = m->recorder.facts.failed;
    m->recorder.facts.failed = false;
    pthread_mutex_unlock(&m->lock);
    if (failed)
        sidl_exception_throw_no_memory(_ex);
}

/* ------------------------------------------------- monitoring by name */

/*
 * A routine that somebody times by name. Its parameters' names are known only at its first stop;
 * from then on its timer has them, and its record keeps their means.
 */
struct routine {
    struct routine *next;
    char *name;
    uint32_t plain, named; /* handles; named is 0 before the first stop with parameters */
};

static enum portolan_status register_timer(const char *routine, const char *const *names,
                                           unsigned n, uint32_t *handle, struct portolan_error *err)
{
    /* "Component::method signature": what stands before "::" is the instance. */
    const char *colons = strstr(routine, "::");
    char *instance = portolan_strdup(colons ? routine : "");
    struct portolan_probe_connection connection = {0};
    struct portolan_probe_method method = {.name = colons ? colons + 2 : routine, .n_context = n};
    enum portolan_status status;

    if (!instance)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    instance[colons ? colons - routine : 0] = '\0';
    connection.provider = instance;
    for (unsigned i = 0; i < n; ++i)
        method.context[i] = names[i];
    method.real_contexts = (1U << n) - 1; /* one record with means, not one per value */
    status = portolan_probe_methods_register(&connection, &method, 1, handle, err);
    free(instance);
    return status;
}

/* Under the lock. */
static struct routine *find_routine(struct mastermind *m, const char *name,
                                    struct portolan_error *err)
{
    struct routine *r = m->routines;

    while (r && strcmp(r->name, name))
        r = r->next;
    if (r)
        return r;
    r = portolan_calloc(1, sizeof *r);
    if (!r || !(r->name = portolan_strdup(name))) {
        portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    } else if (!register_timer(name, NULL, 0, &r->plain, err)) {
        r->next = m->routines;
        m->routines = r;
        return r;
    }
    free(r ? r->name : NULL);
    free(r);
    return NULL;
}

void mastermind_monitor_clear(struct mastermind *m)
{
    while (m->routines) {
        struct routine *next = m->routines->next;

        free(m->routines->name);
        free(m->routines);
        m->routines = next;
    }
    free(m->counters);
    m->counters = NULL;
}

static void start_monitoring(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_error err = {0};
    struct routine *r;
    uint32_t handle = 0;

    pthread_mutex_lock(&m->lock);
    if ((r = find_routine(m, name ? name : "", &err)))
        handle = r->named ? r->named : r->plain;
    pthread_mutex_unlock(&m->lock);
    if (!r)
        portolan_throw(_ex, err.status, "%s", err.text);
    else if (portolan_probe_timer_start(handle))
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory for a timer of '%s'", name);
}

static enum portolan_status learn_names(struct routine *r, struct sidl_string__array *names,
                                        unsigned n, struct portolan_error *err)
{
    const char *list[PORTOLAN_PROBE_CONTEXTS] = {0};

    if (r->named || !n)
        return PORTOLAN_OK;
    for (unsigned i = 0; i < n; ++i)
        list[i] = sidlArrayElem1(names, sidlLower(names, 0) + (int32_t)i);
    return register_timer(r->name, list, n, &r->named, err);
}

static void stop_monitoring(void *self, const char *name, struct sidl_string__array *names,
                            struct sidl_double__array *values, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    unsigned n = names && values && sidlArrayDim(names) == 1 && sidlArrayDim(values) == 1
                     ? (unsigned)sidlLength(names, 0)
                     : 0;
    double x[PORTOLAN_PROBE_CONTEXTS] = {0};
    struct portolan_error err = {0};
    enum portolan_status status;
    struct routine *r;

    if (n > PORTOLAN_PROBE_CONTEXTS || (n && sidlLength(values, 0) != (int32_t)n)) {
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "'%s' has %u parameter names: %d are the limit, and "
                       "there must be as many values",
                       name, n, PORTOLAN_PROBE_CONTEXTS);
        return;
    }
    for (unsigned i = 0; i < n; ++i)
        x[i] = sidlArrayElem1(values, sidlLower(values, 0) + (int32_t)i);
    pthread_mutex_lock(&m->lock);
    status = (r = find_routine(m, name ? name : "", &err)) ? PORTOLAN_OK : err.status;
    /* The timer was started before its parameters were known, or with them. */
    if (!status && (!r->named || portolan_probe_timer_stop_context(r->named, x, n)) &&
        portolan_probe_timer_stop(r->plain))
        status = portolan_error_set(&err, PORTOLAN_EINVAL,
                                    "'%s' is stopped, but is not what was started last", name);
    if (!status)
        status = learn_names(r, names, n, &err);
    pthread_mutex_unlock(&m->lock);
    if (status)
        portolan_throw(_ex, status, "%s", err.text);
}

const struct portolan_ports_Monitor__epv mastermind_monitor_epv = {
    .f_attach = attach,
    .f_detach = detach,
    .f_setMetadata = set_metadata,
    .f_startMonitoring = start_monitoring,
    .f_stopMonitoring = stop_monitoring,
};
