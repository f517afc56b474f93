/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Monitor port: attaches and detaches proxies, takes facts. The records port: gives other
 * components access to the store.
 */
#include "mastermind.h"
#include "recorder_internal.h"

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

/* Removes a port. Its measurements stay in the probe and are stored with the next step. */
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

/* ------------------------------------------------- records */

static struct portolan_recorder *recorder_of(struct portolan_records *self)
{
    return &((struct mastermind_records *)self)->mastermind->recorder;
}

static enum portolan_status read_all(struct portolan_records *self,
                                     const struct portolan_store_query *query,
                                     struct portolan_sample_set **set, struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    if (r->store)
        return portolan_store_read(r->store, query, true, set, err);
    if (portolan_sample_set_create(set))
        return portolan_no_memory(err);
    return PORTOLAN_OK;
}

static enum portolan_status read_latest(struct portolan_records *self,
                                        const struct portolan_sample **samples, size_t *n,
                                        struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    (void)err;
    *samples = r->slice.samples;
    *n = r->slice.n_partial ? 0 : r->slice.n; /* half of a step says nothing about the next */
    return PORTOLAN_OK;
}

static void read_slowest(struct portolan_records *self, const struct portolan_sample **samples,
                         size_t *n)
{
    step_find_slowest(recorder_of(self), samples, n);
}

static int64_t get_trial(struct portolan_records *self)
{
    return recorder_of(self)->trial;
}

static enum portolan_status put_decision(struct portolan_records *self,
                                         const struct portolan_decision *d, int64_t *id,
                                         struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    if (id)
        *id = 0;
    return r->store ? portolan_store_put_decision(r->store, d, id, err) : PORTOLAN_OK;
}

static enum portolan_status put_swap(struct portolan_records *self, const struct portolan_swap *s,
                                     struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);
    struct portolan_swap swap = *s;

    if (!swap.trial)
        swap.trial = r->trial;
    return r->store ? portolan_store_put_swap(r->store, &swap, err) : PORTOLAN_OK;
}

static enum portolan_status put_model(struct portolan_records *self,
                                      const struct portolan_stored_model *m,
                                      struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    return r->store ? portolan_store_put_model(r->store, m, err) : PORTOLAN_OK;
}

static enum portolan_status find_decision(struct portolan_records *self, const char *assembly,
                                          const char *parameters, const char *host, int ranks,
                                          struct portolan_decision **d, struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    *d = NULL;
    if (!r->store)
        return PORTOLAN_OK;
    return portolan_store_find_decision(r->store, assembly, parameters, host, ranks, d, err);
}

/* The first cause is the one to keep. */
static void mark_failed(struct portolan_records *self, const char *why)
{
    struct portolan_recorder *r = recorder_of(self);

    if (r->failed)
        return;
    r->failed = true;
    portolan_facts_put(&r->facts, "failure", why);
    r->facts.failed = false; /* the outcome is what counts */
}

static void put_fact(struct portolan_records *self, const char *name, const char *value)
{
    struct portolan_recorder *r = recorder_of(self);

    if (!strcmp(name, PORTOLAN_FACT_DECIDING))
        r->deciding_ns = strtod(value, NULL);
    if (r->store)
        portolan_facts_put(&r->facts, name, value);
}

static enum portolan_status put_reason(struct portolan_records *self,
                                       const struct portolan_reason *r,
                                       const struct portolan_alternative *alternatives, size_t n,
                                       struct portolan_error *err)
{
    struct portolan_recorder *recorder = recorder_of(self);
    struct portolan_reason reason = *r;

    if (!reason.trial)
        reason.trial = recorder->trial;
    return recorder->store
               ? portolan_store_put_reason(recorder->store, &reason, alternatives, n, err)
               : PORTOLAN_OK;
}

static void put_expectation(struct portolan_records *self, const struct portolan_expectation *e)
{
    portolan_recorder_expect(recorder_of(self), e);
}

static void carry(struct portolan_records *self, struct portolan_piggyback *p)
{
    recorder_of(self)->piggyback = p;
}

static void change(struct portolan_records *self)
{
    portolan_recorder_change(recorder_of(self));
}

static enum portolan_status visit_rows(struct portolan_records *self, portolan_invocation_fn visit,
                                       void *arg, struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);

    return r->store && r->trial
               ? portolan_store_visit_invocations(r->store, r->trial, NULL, visit, arg, err)
               : PORTOLAN_OK;
}

static enum portolan_status put_diagnosis(struct portolan_records *self,
                                          const struct portolan_stored_diagnosis *d,
                                          const struct portolan_stored_finding *findings, size_t n,
                                          struct portolan_error *err)
{
    struct portolan_recorder *r = recorder_of(self);
    struct portolan_stored_diagnosis of_trial = *d;

    of_trial.trial = r->trial;
    return r->store ? portolan_store_put_diagnosis(r->store, &of_trial, findings, n, err)
                    : PORTOLAN_OK;
}

static void note_running(struct portolan_records *self, int step,
                         const struct portolan_running *running, size_t n)
{
    portolan_note_put(recorder_of(self)->state->note, step, running, n);
}

const struct portolan_records_ops mastermind_records_ops = {
    .size = sizeof(struct portolan_records_ops),
    .abi = PORTOLAN_RECORDS_ABI,
    .read = read_all,
    .latest = read_latest,
    .slowest = read_slowest,
    .trial = get_trial,
    .put_decision = put_decision,
    .put_swap = put_swap,
    .put_model = put_model,
    .find_decision = find_decision,
    .mark_failed = mark_failed,
    .put_fact = put_fact,
    .put_reason = put_reason,
    .put_expectation = put_expectation,
    .carry = carry,
    .visit_rows = visit_rows,
    .put_diagnosis = put_diagnosis,
    .note_running = note_running,
    .change = change,
};
