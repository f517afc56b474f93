/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components that fail in the ways that tests/faults.sh and tests/killed.sh need. The last rank is
 * the one that fails. fault.Fast fails as the environment variable PORTOLAN_TEST_FAULT says: not at
 * all while it is measured, "start" in setServices, "call" at its first call; "segv 3" is a signal
 * in its third call, likewise "abort", "exit", "_exit", "hang" and "kill"; "segv 0" is in
 * setServices. fault.Driver's disk is full on request, on the first rank, which is the one that
 * stores.
 */
#include <portolan/framework.h>

#include "paper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct fault {
    struct sidl_object object;
    gov_cca_Services services;
    struct portolan_cohort *cohort;
    int calls;
};

static bool is_last_rank(const struct fault *f)
{
    return f->cohort->rank == f->cohort->size - 1;
}

static bool is_asked_for(const char *fault)
{
    const char *wanted = getenv("PORTOLAN_TEST_FAULT");

    return wanted && !strcmp(wanted, fault);
}

/* Ends the process if that is asked for in this call. */
static void end_process(const struct fault *f)
{
    const char *wanted = getenv("PORTOLAN_TEST_FAULT");
    char how[20] = "";
    int call = -1;

    if (!wanted || sscanf(wanted, "%19s %d", how, &call) != 2 || call != f->calls ||
        !is_last_rank(f))
        return;
    fflush(NULL);
    if (!strcmp(how, "segv"))
        *(volatile int *)(uintptr_t)f->calls = 0;
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "exit"))
        exit(0);
    else if (!strcmp(how, "_exit"))
        _exit(0);
    else if (!strcmp(how, "kill"))
        raise(SIGKILL);
    while (!strcmp(how, "hang"))
        pause();
}

static void begin(struct fault *f, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    f->services = services;
    gov_cca_Services_addRef(services, _ex);
    gov_cca_Services_registerUsesPort(services, "cohort", "portolan.Cohort", NULL, _ex);
    SIDL_CHECK(*_ex);
    f->cohort = portolan_foreign_get(services, "cohort", "portolan.Cohort", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_releasePort(services, "cohort", _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static void destroy(void *self)
{
    struct fault *f = self;

    gov_cca_Services_deleteRef(f->services, NULL);
}

/* A uses port; the caller gives it back with put_port. */
static gov_cca_Port get_port(struct fault *f, const char *name, sidl_BaseInterface *_ex)
{
    return gov_cca_Services_getPort(f->services, name, _ex);
}

static void put_port(struct fault *f, const char *name, gov_cca_Port port)
{
    sidl_BaseInterface ex = NULL;

    if (!port)
        return;
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(f->services, name, &ex);
    SIDL_CLEAR(ex);
}

/* ------------------------------------------------------------------ fault.Slow and fault.Fast */

static void spend(struct fault *f, double milliseconds, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = get_port(f, "work", _ex);
    portolan_ports_Work work = NULL;

    SIDL_CHECK(*_ex);
    work = portolan_ports_Work__cast(port, _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_Work_consume(work, milliseconds * 1e-3, _ex);
    SIDL_CHECK(*_ex);
EXIT:
    if (work)
        portolan_ports_Work_deleteRef(work, NULL);
    put_port(f, "work", port);
}

static void slow_evaluate(void *self, double x, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    spend(self, 2 * x, _ex);
}

static void fast_evaluate(void *self, double x, sidl_BaseInterface *_ex)
{
    struct fault *f = self;

    *_ex = NULL;
    f->calls++;
    end_process(f);
    if (is_asked_for("call") && is_last_rank(f))
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "fault.Fast: the first call was to fail");
    else
        spend(f, x, _ex);
}

static void function_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    begin(self, services, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "work", "portolan.ports.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "function",
                                     "paper.Function", NULL, _ex);
EXIT:;
}

static void fast_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct fault *f = self;

    function_set_services(f, services, _ex);
    if (!*_ex)
        end_process(f);
    if (!*_ex && is_asked_for("start") && is_last_rank(f))
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "fault.Fast: setServices was to fail");
}

/* ------------------------------------------------------------------ fault.Driver */

struct settings {
    int32_t steps;
    double x;
    /*
     * "": none; "stuck": go throws on the last rank, the others wait for it; "full": nothing can be
     * written when steps 2 and 3 are to be stored; "filled": nor later; "locked": before and after
     * step 2 is to be stored, rank 0 waits twice for somebody at a fifo.
     */
    char *fault;
};

static void read_settings(struct fault *f, struct settings *s, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap map = portolan_component_properties(f->services, _ex);

    SIDL_CHECK(*_ex);
    s->steps = gov_cca_TypeMap_getInt(map, "steps", 1, _ex);
    SIDL_CHECK(*_ex);
    s->x = gov_cca_TypeMap_getDouble(map, "x", 1, _ex);
    SIDL_CHECK(*_ex);
    s->fault = gov_cca_TypeMap_getString(map, "fault", "", _ex);
    SIDL_CHECK(*_ex);
EXIT:
    if (map)
        gov_cca_TypeMap_deleteRef(map, NULL);
}

/* All ranks together: the step, again if a swap was undone because of its failure. */
static void do_step(struct fault *f, paper_Function function, portolan_ports_SwapPoint swap,
                    int32_t step, double x, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    sidl_bool again;

    do {
        paper_Function_evaluate(function, x, _ex);
        err = (struct portolan_error){0};
        if (portolan_cohort_agree(f->cohort, portolan_catch(_ex, &err), &err) == PORTOLAN_OK)
            return;
        again = portolan_ports_SwapPoint_failed(swap, step, err.text, _ex);
        SIDL_CHECK(*_ex);
    } while (again);
    portolan_throw(_ex, PORTOLAN_ECOMPONENT, "fault.Driver: step %d: %s", (int)step, err.text);
EXIT:;
}

static void report(const struct fault *f, int32_t step)
{
    if (f->cohort->rank == 0) {
        printf("step %d is stored\n", (int)step);
        fflush(stdout);
    }
}

/* No file takes a byte more from this process, or any again. */
static void fill_disk(bool full)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = full ? 1 : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* Until somebody has written to the fifo NAME. */
static void wait_at(const char *name)
{
    FILE *fifo = fopen(name, "r");

    if (fifo)
        fgetc(fifo);
    if (fifo)
        fclose(fifo);
}

/* On rank 0, before the step in front of STEP is stored. */
static void change_disk(const struct settings *s, int32_t step)
{
    bool filled = !strcmp(s->fault, "filled"), full = !strcmp(s->fault, "full");

    if ((full || filled) && step == 3)
        fill_disk(true);
    if (full && step == 5)
        fill_disk(false);
    if (strcmp(s->fault, "locked"))
        return;
    if (step == 3) {
        wait_at("here");
        wait_at("locked");
    } else if (step == 4) {
        wait_at("tried");
        wait_at("released");
    }
}

static void do_steps(struct fault *f, const struct settings *s, paper_Function function,
                     portolan_ports_SwapPoint swap, sidl_BaseInterface *_ex)
{
    for (int32_t step = 0; step <= s->steps; step++) {
        if (f->cohort->rank == 0)
            change_disk(s, step);
        portolan_ports_SwapPoint_reached(swap, step, _ex);
        SIDL_CHECK(*_ex);
        if (step > 0)
            report(f, step - 1);
        if (step < s->steps)
            do_step(f, function, swap, step, s->x, _ex);
        SIDL_CHECK(*_ex);
    }
EXIT:;
}

static void get_stuck(struct fault *f, sidl_BaseInterface *_ex)
{
    double value = 1;

    if (is_last_rank(f))
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "fault.Driver: go was to fail");
    else
        f->cohort->max(f->cohort, &value, 1);
}

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct fault *f = self;
    struct settings s = {0};
    gov_cca_Port function_port = NULL, swap_port = NULL;
    paper_Function function = NULL;
    portolan_ports_SwapPoint swap = NULL;

    printf("rank %d is process %ld\n", f->cohort->rank, (long)getpid());
    fflush(stdout);
    read_settings(f, &s, _ex);
    SIDL_CHECK(*_ex);
    if (!strcmp(s.fault, "stuck"))
        get_stuck(f, _ex);
    SIDL_CHECK(*_ex);
    function_port = get_port(f, "function", _ex);
    SIDL_CHECK(*_ex);
    function = paper_Function__cast(function_port, _ex);
    SIDL_CHECK(*_ex);
    swap_port = get_port(f, "swap", _ex);
    SIDL_CHECK(*_ex);
    swap = portolan_ports_SwapPoint__cast(swap_port, _ex);
    SIDL_CHECK(*_ex);
    do_steps(f, &s, function, swap, _ex);
EXIT:
    if (swap)
        portolan_ports_SwapPoint_deleteRef(swap, NULL);
    if (function)
        paper_Function_deleteRef(function, NULL);
    put_port(f, "swap", swap_port);
    put_port(f, "function", function_port);
    sidl_String_free(s.fault);
    return *_ex ? -1 : 0;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    begin(self, services, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "function", "paper.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
EXIT:;
}

/* ------------------------------------------------------------------ classes */

static const struct paper_Function__epv slow_epv = {.f_evaluate = slow_evaluate};
static const struct paper_Function__epv fast_epv = {.f_evaluate = fast_evaluate};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = driver_go};
static const struct gov_cca_Component__epv function_component = {.f_setServices =
                                                                     function_set_services};
static const struct gov_cca_Component__epv fast_component = {.f_setServices = fast_set_services};
static const struct gov_cca_Component__epv driver_component = {.f_setServices =
                                                                   driver_set_services};

#define CLASS(NAME, PORT_TYPE, PORT_EPV, COMPONENT_EPV)                                            \
    static const struct sidl_implements NAME##_implements[] = {                                    \
        {&PORT_TYPE, &PORT_EPV}, {&gov_cca_Component__type, &COMPONENT_EPV}};                      \
    static const struct sidl_class NAME##_class = {.name = "fault." #NAME,                         \
                                                   .version = "1.0",                               \
                                                   .size = sizeof(struct fault),                   \
                                                   .implements = NAME##_implements,                \
                                                   .n_implements = 2,                              \
                                                   .destroy = destroy};                            \
    static gov_cca_Component NAME##_create(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        return sidl_object_facet(sidl_object_create(&NAME##_class, _ex), "gov.cca.Component");     \
    }                                                                                              \
    PORTOLAN_COMPONENT(fault_##NAME, "fault." #NAME, NAME##_create)

CLASS(Slow, paper_Function__type, slow_epv, function_component);
CLASS(Fast, paper_Function__type, fast_epv, fast_component);
CLASS(Driver, gov_cca_ports_GoPort__type, go_epv, driver_component);
