/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <ftw.h>
#include <portolan/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench bench;
char bench_heard[1000];
const char *bench_thrower = "";

/* ------------------------------------------------- class test.Bench */

static gov_cca_Services services;
static const char *const uses[][2] = {
    {"measurement", "portolan.ports.Measurement"},  {"work", "portolan.ports.Work"},
    {"swappoint", "portolan.ports.SwapPoint"},      {"steps", "portolan.ports.StepListener"},
    {"monitor", "portolan.ports.Monitor"},          {"records", "portolan.Records"},
    {"MonitorPort", "Performance.Monitor"},         {"PerfParamPort", "Performance.PerfParam"},
    {"MeasurementPort", "Performance.Measurement"}, {"control", "portolan.ports.Control"},
};
enum { USES = sizeof uses / sizeof *uses };
static sidl_BaseInterface held[USES];
static bool holds[USES];

struct plain {
    struct sidl_object object;
    char name[40];
};

static void bench_services(void *self, gov_cca_Services s, sidl_BaseInterface *_ex)
{
    (void)self;
    services = s;
    for (int i = 0; i < USES; ++i) {
        gov_cca_Services_registerUsesPort(s, uses[i][0], uses[i][1], NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(s, sidl_object_facet(self, "gov.cca.ComponentRelease"),
                                        _ex);
EXIT:;
}

static void bench_release(void *self, gov_cca_Services s, sidl_BaseInterface *_ex)
{
    sidl_BaseInterface ignored = NULL;

    (void)self, (void)_ex;
    for (int i = 0; i < USES; ++i) {
        if (!holds[i])
            continue;
        sidl_reference_delete(held[i], &ignored);
        gov_cca_Services_releasePort(s, uses[i][0], &ignored);
        SIDL_CLEAR(ignored);
        held[i] = NULL;
        holds[i] = false;
    }
    services = NULL;
}

static const struct gov_cca_Component__epv bench_epv = {.f_setServices = bench_services};
static const struct gov_cca_ComponentRelease__epv bench_release_epv = {.f_releaseServices =
                                                                           bench_release};
static const struct sidl_implements bench_implements[] = {
    {&gov_cca_Component__type, &bench_epv}, {&gov_cca_ComponentRelease__type, &bench_release_epv}};
static const struct sidl_class bench_class = {.name = "test.Bench",
                                              .version = "0",
                                              .size = sizeof(struct plain),
                                              .implements = bench_implements,
                                              .n_implements = 2};

static gov_cca_Component bench_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&bench_class, _ex), "gov.cca.Component");
}

static const struct portolan_component bench_component = {
    sizeof bench_component, PORTOLAN_COMPONENT_ABI, "test.Bench", bench_create, NULL};
static const char bench_xml[] =
    "<component class='test.Bench' library='none'><summary>The test</summary>"
    "<uses port='measurement' type='portolan.ports.Measurement' optional='true'/>"
    "<uses port='work' type='portolan.ports.Work' optional='true'/>"
    "<uses port='swappoint' type='portolan.ports.SwapPoint' optional='true'/>"
    "<uses port='steps' type='portolan.ports.StepListener' optional='true'/>"
    "<uses port='monitor' type='portolan.ports.Monitor' optional='true'/>"
    "<uses port='MonitorPort' type='Performance.Monitor' optional='true'/>"
    "<uses port='PerfParamPort' type='Performance.PerfParam' optional='true'/>"
    "<uses port='MeasurementPort' type='Performance.Measurement' optional='true'/>"
    "<uses port='control' type='portolan.ports.Control' optional='true'/>"
    "<uses port='records' type='portolan.Records' optional='true'/></component>";

/* ------------------------------------------------- class test.Listener */

static void note(struct plain *self, const char *what, int step)
{
    size_t used = strlen(bench_heard);

    snprintf(bench_heard + used, sizeof bench_heard - used, "%s:%s %d;", self->name, what, step);
}

static void listener_reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    note(self, "reached", step);
    portolan_probe_clock_advance(1000); /* where the clock is manual */
    if (!strcmp(((struct plain *)self)->name, bench_thrower))
        portolan_throw(_ex, PORTOLAN_EIO, "the disk is full");
}

static void listener_announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    (void)_ex;
    note(self, name, (int)value);
}

static sidl_bool listener_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    (void)_ex;
    note(self, why, step);
    return TRUE;
}

static void listener_services(void *self, gov_cca_Services s, sidl_BaseInterface *_ex)
{
    gov_cca_ComponentID id = gov_cca_Services_getComponentID(s, _ex);
    sidl_BaseInterface ignored = NULL;
    char *name = NULL;

    SIDL_CHECK(*_ex);
    name = gov_cca_ComponentID_getInstanceName(id, _ex);
    SIDL_CHECK(*_ex);
    snprintf(((struct plain *)self)->name, sizeof((struct plain *)self)->name, "%s", name);
    gov_cca_Services_addProvidesPort(s, sidl_object_facet(self, "portolan.ports.StepListener"),
                                     "steps", "portolan.ports.StepListener", NULL, _ex);
EXIT:
    sidl_String_free(name);
    gov_cca_ComponentID_deleteRef(id, &ignored);
}

static const struct gov_cca_Component__epv listener_epv = {.f_setServices = listener_services};
static const struct portolan_ports_StepListener__epv steps_epv = {
    .f_reached = listener_reached, .f_announce = listener_announce, .f_failed = listener_failed};
static const struct sidl_implements listener_implements[] = {
    {&gov_cca_Component__type, &listener_epv}, {&portolan_ports_StepListener__type, &steps_epv}};
static const struct sidl_class listener_class = {.name = "test.Listener",
                                                 .version = "0",
                                                 .size = sizeof(struct plain),
                                                 .implements = listener_implements,
                                                 .n_implements = 2};

static gov_cca_Component listener_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&listener_class, _ex), "gov.cca.Component");
}

static const struct portolan_component listener_component = {
    sizeof listener_component, PORTOLAN_COMPONENT_ABI, "test.Listener", listener_create, NULL};
static const char listener_xml[] =
    "<component class='test.Listener' library='none'><summary>A listener</summary>"
    "<provides port='steps' type='portolan.ports.StepListener'/></component>";

/* ------------------------------------------------- the bench */

int bench_setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    bench.folder = portolan_asprintf("%s/portolan-XXXXXX", tmp ? tmp : "/tmp");
    if (!bench.folder || !mkdtemp(bench.folder))
        return -1;
    bench.store = portolan_asprintf("%s/portolan.db", bench.folder);
    bench_heard[0] = '\0';
    bench_thrower = "";
    return portolan_palette_create(&bench.palette, NULL) ||
           portolan_palette_add_builtin(bench.palette, &bench_component, bench_xml, NULL) ||
           portolan_palette_add_builtin(bench.palette, &listener_component, listener_xml, NULL) ||
           portolan_palette_add_defaults(bench.palette, NULL, NULL);
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s, (void)type, (void)f;
    return remove(path);
}

int bench_teardown(void **state)
{
    bench_stop();
    portolan_palette_destroy(bench.palette);
    if (bench.folder)
        nftw(bench.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(bench.folder);
    free(bench.store);
    bench = (struct bench){0};
    return 0;
}

static void report(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg, (void)column;
    fail_msg("%s:%d: %s", file, line, text);
}

void bench_read(const char *assembly)
{
    struct portolan_diagnostics d = {.report = report};
    struct portolan_error err = {0};
    char *file = portolan_asprintf("%s/assembly.xml", bench.folder);
    FILE *f = fopen(file, "w");

    fprintf(f, "<assembly name='bench'><instance name='bench' class='test.Bench'/>%s</assembly>",
            assembly);
    fclose(f);
    if (portolan_assembly_read(file, &d, &bench.assembly, &err) ||
        portolan_assembly_check(bench.assembly, bench.palette, &d))
        fail_msg("%s", err.text);
    if (portolan_assembly_peek_instance(bench.assembly, "mastermind") &&
        portolan_assembly_set(bench.assembly, "mastermind", "store", bench.store, &err))
        fail_msg("%s", err.text);
    free(file);
}

enum portolan_status bench_build(struct portolan_error *err)
{
    if (portolan_framework_create(bench.palette, NULL, &bench.framework, err))
        return err->status;
    return portolan_framework_build(bench.framework, bench.assembly, err);
}

void bench_start(const char *assembly)
{
    struct portolan_error err = {0};

    bench_read(assembly);
    if (bench_build(&err))
        fail_msg("%s", err.text);
}

void bench_stop(void)
{
    portolan_framework_destroy(bench.framework);
    portolan_assembly_destroy(bench.assembly);
    bench.framework = NULL;
    bench.assembly = NULL;
}

static int index_of(const char *name)
{
    int i = 0;

    while (i < USES && strcmp(uses[i][0], name))
        ++i;
    assert_true(i < USES);
    return i;
}

void *bench_port(const char *name)
{
    sidl_BaseInterface ex = NULL;
    int i = index_of(name);
    gov_cca_Port port;

    if (!holds[i]) {
        port = gov_cca_Services_getPort(services, name, &ex);
        bench_no_exception(&ex);
        held[i] = sidl_reference_cast(port, uses[i][1], &ex);
        sidl_reference_delete(port, NULL);
        assert_non_null(held[i]);
        holds[i] = true;
    }
    return held[i];
}

struct portolan_records *bench_records(void)
{
    sidl_BaseInterface ex = NULL;
    struct portolan_records *records =
        portolan_foreign_get(services, "records", "portolan.Records", &ex);

    bench_no_exception(&ex);
    gov_cca_Services_releasePort(services, "records", &ex);
    bench_no_exception(&ex);
    return records;
}

void bench_no_exception(sidl_BaseInterface *ex)
{
    struct portolan_error err = {0};

    if (portolan_catch(ex, &err))
        fail_msg("%s", err.text);
}

void bench_exception(sidl_BaseInterface *ex, const char *words)
{
    struct portolan_error err = {0};

    assert_int_not_equal(portolan_catch(ex, &err), PORTOLAN_OK);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

struct portolan_sample_set *bench_stored(void)
{
    struct portolan_store *store = NULL;
    struct portolan_sample_set *set = NULL;
    struct portolan_error err = {0};

    if (portolan_store_open(bench.store, PORTOLAN_STORE_READ, &store, &err) ||
        portolan_store_read(store, NULL, true, &set, &err))
        fail_msg("%s", err.text);
    portolan_store_close(store);
    return set;
}

/* ------------------------------------------------- proxied calls, as proxygen writes them */

static struct portolan_probe_port go_port, solve_port;
static struct portolan_probe_binding go_binding, solve_binding;

static void connect_ports(void)
{
    static const struct portolan_probe_connection go = {.provider = "bench",
                                                        .provides = "go",
                                                        .provider_class = "test.Bench",
                                                        .port_type = "gov.cca.ports.GoPort"};
    static const struct portolan_probe_connection solve = {.user = "bench",
                                                           .uses = "solver",
                                                           .provider = "solver",
                                                           .provides = "solve",
                                                           .provider_class = "test.Solver"};
    static const struct portolan_probe_method go_method = {.name = "go"};
    static const struct portolan_probe_method solve_method = {
        .name = "solve", .n_context = 1, .context = {"n"}};
    sidl_BaseInterface ex = NULL;

    portolan_probe_methods_register(&go, &go_method, 1, &go_binding.first_method_handle, NULL);
    portolan_probe_methods_register(&solve, &solve_method, 1, &solve_binding.first_method_handle,
                                    NULL);
    portolan_probe_port_init(&go_port, &go_binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&solve_port, &solve_binding, PORTOLAN_PROBE_MONITORED);
    portolan_ports_Monitor_attach(bench_port("monitor"), &go_port, &ex);
    bench_no_exception(&ex);
    portolan_ports_Monitor_attach(bench_port("monitor"), &solve_port, &ex);
    bench_no_exception(&ex);
}

__attribute__((noinline)) void bench_solve(int64_t n)
{
    struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    struct portolan_probe_call call;
    sidl_BaseInterface ex = NULL;

    portolan_probe_enter(&call, &solve_port, 0, context, 1);
    portolan_ports_Work_consume(bench_port("work"), (double)n * 1e-9, &ex);
    portolan_probe_leave(&call);
    bench_no_exception(&ex);
}

__attribute__((noinline)) static void go(void (*inside)(void))
{
    struct portolan_probe_call call;

    portolan_probe_enter(&call, &go_port, 0, NULL, 0);
    inside();
    portolan_probe_leave(&call);
}

void bench_go(void (*inside)(void))
{
    connect_ports();
    go(inside);
}
