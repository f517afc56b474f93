/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ports.Measurement; known names, to be listed and to check words against. */
#include "measurement.h"

#include <fnmatch.h>
#include <string.h>

/* ------------------------------------------------- names */

void names_add(struct names *names, const char *name, bool is_set)
{
    const char **more;

    for (size_t i = 0; is_set && i < names->n; ++i)
        if (!strcmp(names->list[i], name))
            return;
    more = portolan_arena_grow(&names->arena, names->list, names->n, sizeof *more);
    if (!more)
        return;
    names->list = more;
    more[names->n] = portolan_arena_strdup(&names->arena, name);
    names->n += more[names->n] != NULL;
}

struct sidl_string__array *names_take(struct names *names, sidl_BaseInterface *_ex)
{
    struct sidl_string__array *array =
        names->arena.failed || *_ex ? NULL : sidl_string__array_create1d((int32_t)names->n);

    if (!array && !*_ex)
        sidl_exception_throw_no_memory(_ex);
    for (size_t i = 0; array && i < names->n; ++i)
        sidl_string__array_set1(array, (int32_t)i, names->list[i]);
    portolan_arena_clear(&names->arena);
    return array;
}

void names_check(const struct names *names, const char *what, const char *word, bool is_pattern,
                 sidl_BaseInterface *_ex)
{
    bool found = false;

    for (size_t i = 0; word && i < names->n && !found; ++i)
        found = is_pattern ? fnmatch(word, names->list[i], 0) == 0 : !strcmp(word, names->list[i]);
    if (names->arena.failed)
        sidl_exception_throw_no_memory(_ex);
    else if (!found)
        portolan_throw(
            _ex, PORTOLAN_ENOTFOUND, "there is no %s '%s'%s", what, word ? word : "(null)",
            portolan_did_you_mean(word ? portolan_nearest_word(word, names->list, names->n) : NULL)
                .text);
}

/* ------------------------------------------------- the port */

static int64_t now(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return (int64_t)portolan_probe_ticks_to_ns(portolan_probe_now());
}

static char *get_clock_name(void *self, sidl_BaseInterface *_ex)
{
    static const char *const names[] = {[PORTOLAN_PROBE_CLOCK_TSC] = "tsc",
                                        [PORTOLAN_PROBE_CLOCK_MONOTONIC] = "clock_gettime",
                                        [PORTOLAN_PROBE_CLOCK_MANUAL] = "manual"};
    char *name = sidl_String_strdup(names[portolan_probe_clock_get()]);

    (void)self;
    if (!name)
        sidl_exception_throw_no_memory(_ex);
    return name;
}

static void set_counters(void *self, struct sidl_string__array *events, sidl_BaseInterface *_ex)
{
    int32_t n = events && sidlArrayDim(events) == 1 ? sidlLength(events, 0) : 0;
    struct portolan_text text = {0};
    struct portolan_error err = {0};

    (void)self;
    for (int32_t i = 0; i < n; ++i)
        portolan_text_add(&text, "%s%s", i ? " " : "",
                          sidlArrayElem1(events, sidlLower(events, 0) + i));
    if (text.failed)
        sidl_exception_throw_no_memory(_ex);
    else if (portolan_probe_counter_sets_define(text.bytes, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    portolan_text_clear(&text);
    portolan_control_refresh();
}

static struct sidl_string__array *get_counters(void *self, sidl_BaseInterface *_ex)
{
    struct names names = {0};

    (void)self;
    for (size_t i = 0; i < portolan_probe_counters_count(); ++i)
        names_add(&names, portolan_probe_counter_peek_name(i), false);
    return names_take(&names, _ex);
}

static double get_call_cost(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return portolan_probe_cost().mean_ns;
}

const struct portolan_ports_Measurement__epv measurement_port_epv = {
    .f_now = now,
    .f_getClockName = get_clock_name,
    .f_setCounters = set_counters,
    .f_getCounters = get_counters,
    .f_getCallCost = get_call_cost,
};

/* The proxies are gone, but what they measured is still there to be written. */
static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    (void)self, (void)services;
    measurement_end_trackers();
    if (portolan_control_finish(&err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

const struct gov_cca_ComponentRelease__epv measurement_release_epv = {.f_releaseServices =
                                                                          release_services};

void measurement_add_ports(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const char *const provides[][2] = {{"measurement", "portolan.ports.Measurement"},
                                              {"control", "portolan.ports.Control"},
                                              {"MeasurementPort", "Performance.Measurement"}};

    for (size_t i = 0; i < sizeof provides / sizeof *provides; i++) {
        gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, provides[i][1]),
                                         provides[i][0], provides[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}
