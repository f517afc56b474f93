/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ monitor */

static void attach(void *self, void *probe_port, sidl_BaseInterface *_ex)
{
    struct test_monitor *m = self;

    m->attaches++;
    if (m->refuses)
        portolan_throw(_ex, PORTOLAN_EBUSY, "this monitor takes nobody");
    else
        m->attached = probe_port;
}

static void detach(void *self, void *probe_port, sidl_BaseInterface *_ex)
{
    struct test_monitor *m = self;

    (void)_ex;
    m->detaches++;
    if (m->attached == probe_port)
        m->attached = NULL;
}

static void set_metadata(void *self, const char *name, const char *value, sidl_BaseInterface *_ex)
{
    (void)self, (void)name, (void)value, (void)_ex;
}

static const struct portolan_ports_Monitor__epv monitor_epv = {
    .f_attach = attach,
    .f_detach = detach,
    .f_setMetadata = set_metadata,
};
static const struct sidl_implements monitor_implements[] = {
    {&portolan_ports_Monitor__type, &monitor_epv}};
static const struct sidl_class monitor_class = {.name = "test.Monitor",
                                                .version = "1.0",
                                                .size = sizeof(struct test_monitor),
                                                .implements = monitor_implements,
                                                .n_implements = 1};

struct test_monitor *test_monitor_create(void)
{
    sidl_BaseInterface _ex = NULL;
    struct test_monitor *m = sidl_object_create(&monitor_class, &_ex);

    assert_no_exception(&_ex);
    return m;
}

gov_cca_Port test_monitor_port(struct test_monitor *monitor)
{
    return sidl_object_facet(monitor, "gov.cca.Port");
}

/* ------------------------------------------------------------------ records */

void records_begin(void)
{
    struct portolan_error err = {0};

    if (portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
}

static bool is_of(const struct portolan_probe_record *r, const char *method,
                  const char *provider_class)
{
    const struct portolan_probe_method_info *info = portolan_probe_method_peek(r->handle);

    return (r->calls || r->failed_calls) && info && strcmp(info->method.name, method) == 0 &&
           (!provider_class || strcmp(info->connection.provider_class, provider_class) == 0);
}

struct portolan_probe_record records_of(const char *method, const char *provider_class)
{
    struct portolan_probe_snapshot s = {0};
    struct portolan_probe_record sum = {0};

    assert_int_equal(portolan_probe_snapshot_take(&s, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < s.count; i++)
        if (is_of(&s.records[i], method, provider_class)) {
            sum.calls += s.records[i].calls;
            sum.failed_calls += s.records[i].failed_calls;
            sum.inclusive_ns += s.records[i].inclusive_ns;
            sum.exclusive_ns += s.records[i].exclusive_ns;
            sum.has_quality |= s.records[i].has_quality;
            if (s.records[i].has_quality)
                sum.quality = s.records[i].quality;
        }
    portolan_probe_snapshot_clear(&s);
    return sum;
}

struct portolan_probe_record records_node(const char *method, size_t index)
{
    struct portolan_probe_snapshot s = {0};
    struct portolan_probe_record found = {0};

    assert_int_equal(portolan_probe_snapshot_take(&s, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < s.count && !found.calls && !found.failed_calls; i++)
        if (is_of(&s.records[i], method, NULL) && index-- == 0)
            found = s.records[i];
    portolan_probe_snapshot_clear(&s);
    return found;
}

/* ------------------------------------------------------------------ binding */

static void bind(gov_cca_Component proxy, const char *uses, gov_cca_Port port, const char *instance,
                 const char *class_name, sidl_BaseInterface *_ex)
{
    portolan_Rebindable r = portolan_Rebindable__cast(proxy, _ex);
    sidl_BaseInterface ignored = NULL;

    assert_non_null(r);
    portolan_Rebindable_rebind(r, uses, port, instance, "port", class_name, "driver", "work", _ex);
    portolan_Rebindable_deleteRef(r, &ignored);
}

void bind_use(gov_cca_Component proxy, void *port, const char *instance, const char *class_name,
              sidl_BaseInterface *_ex)
{
    gov_cca_Port base = port ? gov_cca_Port__cast(port, _ex) : NULL;
    sidl_BaseInterface ignored = NULL;

    bind(proxy, "use", base, instance, class_name, _ex);
    if (base)
        gov_cca_Port_deleteRef(base, &ignored);
}

void bind_monitor(gov_cca_Component proxy, struct test_monitor *monitor, sidl_BaseInterface *_ex)
{
    bind(proxy, "monitor", monitor ? test_monitor_port(monitor) : NULL, "mastermind",
         "test.Monitor", _ex);
}

void assert_no_exception(sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (portolan_catch(_ex, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
}

void assert_exception(sidl_BaseInterface *_ex, enum portolan_status status, const char *words)
{
    struct portolan_error err = {0};

    assert_int_equal(portolan_catch(_ex, &err), status);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}
