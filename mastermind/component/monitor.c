/* SPDX-License-Identifier: BSD-3-Clause */
/* The Monitor port: proxies come and go, facts. */
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

bool mastermind_begin(struct mastermind *m, sidl_BaseInterface *_ex)
{
    bool chosen;

    m->ever_attached = true;
    mastermind_peek_measurement(m);
    if (!m->counters || !*m->counters)
        return false;
    pthread_mutex_lock(&m->lock);
    if (!m->counters_chosen)
        choose_counters(m, _ex);
    chosen = m->counters_chosen;
    pthread_mutex_unlock(&m->lock);
    return chosen;
}

static void attach(void *self, void *probe_port, sidl_BaseInterface *_ex)
{
    struct portolan_probe_port *port = probe_port;

    if (mastermind_begin(self, _ex))
        portolan_probe_port_set_flags(port,
                                      portolan_probe_port_flags(port) | PORTOLAN_PROBE_COUNTERS);
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

const struct portolan_ports_Monitor__epv mastermind_monitor_epv = {
    .f_attach = attach,
    .f_detach = detach,
    .f_setMetadata = set_metadata,
};
