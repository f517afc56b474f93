/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.Mastermind: the component around the recorder. */
#include "mastermind.h"

#include <portolan/ending.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- portolan.ports.StepListener */

/* Rank 0, before the trial begins: what only the measurement component and the probe know. */
static void put_clock_facts(struct mastermind *m)
{
    portolan_ports_Measurement port = mastermind_peek_measurement(m);
    sidl_BaseInterface ex = NULL;
    char cost[40], *name;

    if (portolan_probe_waits_peek())
        portolan_facts_put(&m->recorder.facts, "mpi waits", portolan_probe_waits_peek());
    if (!port)
        return;
    name = portolan_ports_Measurement_getClockName(port, &ex);
    if (!ex && name)
        portolan_facts_put(&m->recorder.facts, "clock", name);
    sidl_String_free(name);
    SIDL_CLEAR(ex);
    snprintf(cost, sizeof cost, "%.1f", portolan_ports_Measurement_getCallCost(port, &ex));
    if (!ex)
        portolan_facts_put(&m->recorder.facts, "call cost ns", cost);
    SIDL_CLEAR(ex);
}

/*
 * Warns and goes on: a full disk is no reason to lose a simulation. Only the first of successive
 * failures is reported.
 */
static void warn(struct mastermind *m, enum portolan_status status,
                 const struct portolan_error *err)
{
    if (status && !m->has_warned && m->recorder.cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind", "%s; the run continues", err->text);
    m->has_warned = status != PORTOLAN_OK;
}

static void reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    struct portolan_error err = {0};

    (void)_ex;
    portolan_probe_pause();
    if (!m->recorder.trial)
        mastermind_settings_group(m);
    if (!m->recorder.trial && m->recorder.cohort->rank == 0)
        put_clock_facts(m);
    warn(m, portolan_recorder_cut(&m->recorder, step, &err), &err);
    portolan_probe_counter_sets_step(m->settings.rotates);
    portolan_probe_resume();
    portolan_ending_step(step);
}

static void announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    (void)self, (void)name, (void)value, (void)_ex; /* nothing to store before it is measured */
}

static sidl_bool step_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    (void)self, (void)step, (void)why, (void)_ex;
    return FALSE; /* nothing to undo here */
}

static const struct portolan_ports_StepListener__epv steps_epv = {
    .f_reached = reached, .f_announce = announce, .f_failed = step_failed};

static int32_t get_pace(void *self, int32_t *least, sidl_BaseInterface *_ex)
{
    const struct mastermind *m = self;

    (void)_ex;
    return portolan_recorder_pace(&m->recorder, least);
}

static const struct portolan_ports_Pace__epv pace_epv = {.f_getPace = get_pace};

/* ------------------------------------------------- gov.cca.Component */

static void add_ports(struct mastermind *m, sidl_BaseInterface *_ex)
{
    static const char *const provides[][2] = {{"monitor", "portolan.ports.Monitor"},
                                              {"MonitorPort", "Performance.Monitor"},
                                              {"PerfParamPort", "Performance.PerfParam"},
                                              {"steps", "portolan.ports.StepListener"}};
    static const char *const uses[][2] = {{"measurement", "portolan.ports.Measurement"},
                                          {"cohort", "portolan.Cohort"},
                                          {"assembly", "portolan.Assembly"},
                                          {"failure", "portolan.Failure"}};
    gov_cca_Port records = NULL;
    sidl_BaseInterface ignored = NULL;

    for (size_t i = 0; i < sizeof provides / sizeof *provides; i++) {
        gov_cca_Services_addProvidesPort(m->services, sidl_object_facet(m, provides[i][1]),
                                         provides[i][0], provides[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    records = portolan_foreign_create(&m->records.port, "portolan.Records", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(m->services, records, "records", "portolan.Records", NULL,
                                     _ex);
    SIDL_CHECK(*_ex);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        gov_cca_Services_registerUsesPort(m->services, uses[i][0], uses[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
EXIT:
    gov_cca_Port_deleteRef(records, &ignored);
}

static void open_store(struct mastermind *m, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(m->services, _ex);
    sidl_BaseInterface ignored = NULL;
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly;
    struct portolan_error err = {0};
    char *path = NULL, *counters = NULL;

    SIDL_CHECK(*_ex);
    path = gov_cca_TypeMap_getString(properties, "store", "portolan.db", _ex);
    SIDL_CHECK(*_ex);
    counters = gov_cca_TypeMap_getString(properties, "counters", "", _ex);
    SIDL_CHECK(*_ex);
    m->counters = portolan_strdup(counters);
    cohort = portolan_foreign_get(m->services, "cohort", "portolan.Cohort", _ex);
    SIDL_CHECK(*_ex);
    assembly = portolan_foreign_get(m->services, "assembly", "portolan.Assembly", _ex);
    SIDL_CHECK(*_ex);
    m->failure = portolan_foreign_get(m->services, "failure", "portolan.Failure", _ex);
    SIDL_CHECK(*_ex);
    if (portolan_recorder_open(&m->recorder, cohort, assembly, path, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    SIDL_CHECK(*_ex);
    mastermind_settings_read(m, properties, _ex);
    SIDL_CHECK(*_ex);
    mastermind_settings_begin(m, _ex);
    SIDL_CHECK(*_ex);
EXIT:
    sidl_String_free(path);
    sidl_String_free(counters);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct mastermind *m = self;
    sidl_BaseInterface ignored = NULL;

    m->services = services;
    m->records = (struct mastermind_records){{&mastermind_records_ops}, m};
    pthread_mutex_init(&m->lock, NULL);
    gov_cca_Services_addRef(services, &ignored);
    add_ports(m, _ex);
    SIDL_CHECK(*_ex);
    open_store(m, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerForRelease(services, sidl_object_facet(m, "gov.cca.ComponentRelease"),
                                        _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

/* Logs how the run's time was spent, as its store says; `measure` reports the trials of an
 * exploration itself. */
static void log_spent(const struct mastermind *m)
{
    const struct portolan_store_query query = {.trial = m->recorder.trial};
    struct portolan_sample_set *set = NULL;
    struct portolan_spent spent;
    struct portolan_text text = {0};

    if (m->recorder.cohort->rank != 0 || !m->recorder.trial || !m->recorder.store ||
        portolan_store_read(m->recorder.store, &query, false, &set, NULL))
        return;
    if (set->n_trials && strcmp(set->trials[0].purpose, "explore") != 0 &&
        portolan_trial_read_spent(&set->trials[0], &spent))
        portolan_spent_add(&spent, &text);
    if (text.length && !text.failed)
        portolan_log(PORTOLAN_LOG_NOTICE, "mastermind", "%s", text.bytes);
    portolan_text_clear(&text);
    portolan_sample_set_destroy(set);
}

/*
 * Ends the trial if there is one. All ranks must decide that without communication: if the build of
 * the assembly failed here on one rank, only the others come to this point.
 */
static void end_trial(struct mastermind *m)
{
    struct portolan_error err = {0};

    if (!m->recorder.cohort || (!m->recorder.trial && !m->ever_attached))
        return;
    portolan_ending_step(-1);
    portolan_probe_pause();
    if (!m->recorder.trial && m->recorder.cohort->rank == 0)
        put_clock_facts(m);
    if (m->recorder.cohort->rank == 0)
        mastermind_settings_check(m);
    if (m->failure->status)
        m->records.port.ops->mark_failed(&m->records.port, m->failure->text);
    if (portolan_recorder_end(&m->recorder, &err) && m->recorder.cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind", "the trial is incomplete in the store: %s",
                     err.text);
    log_spent(m);
    portolan_probe_resume();
}

static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const char *const held[] = {"assembly", "cohort", "failure"};
    struct mastermind *m = self;
    sidl_BaseInterface ignored = NULL;

    end_trial(m);
    mastermind_write_routines(m, _ex);
    for (size_t i = 0; i < sizeof held / sizeof *held; ++i) {
        gov_cca_Services_releasePort(services, held[i], &ignored);
        SIDL_CLEAR(ignored); /* it may not have been got */
    }
    m->failure = NULL;
    mastermind_settings_end(m);
    portolan_recorder_close(&m->recorder);
    portolan_ports_Measurement_deleteRef(m->measurement, &ignored);
    m->measurement = NULL;
    gov_cca_Services_deleteRef(m->services, &ignored);
    m->services = NULL;
}

static void destroy(void *self)
{
    struct mastermind *m = self;
    sidl_BaseInterface ignored = NULL;

    mastermind_settings_end(m);
    portolan_recorder_close(&m->recorder);
    free(m->counters);
    mastermind_clear_routines(m);
    portolan_ports_Measurement_deleteRef(m->measurement, &ignored);
    gov_cca_Services_deleteRef(m->services, &ignored);
    pthread_mutex_destroy(&m->lock);
}

static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     release_services};

PORTOLAN_COMPONENT_CLASS(portolan_Mastermind, "portolan.Mastermind", struct mastermind,
                         set_services, destroy, {&gov_cca_ComponentRelease__type, &release_epv},
                         {&portolan_ports_Monitor__type, &mastermind_monitor_epv},
                         {&Performance_Monitor__type, &mastermind_performance_epv},
                         {&Performance_PerfParam__type, &mastermind_perfparam_epv},
                         {&portolan_ports_StepListener__type, &steps_epv},
                         {&portolan_ports_Pace__type, &pace_epv});
