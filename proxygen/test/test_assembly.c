/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated proxies as the framework uses them: loaded, interposed, monitored, swapped. */
#include "kinds.h"

#include <portolan/control.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ components */

static int32_t last_number;

struct driver {
    struct sidl_object object;
    gov_cca_Services services;
};

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    gov_cca_Port port = gov_cca_Services_getPort(d->services, "work", _ex);
    sidl_BaseInterface ignored = NULL;
    test_Kinds kinds = *_ex ? NULL : test_Kinds__cast(port, _ex);
    int32_t out;

    if (!kinds)
        return -1;
    portolan_probe_clock_advance(1);
    test_Kinds_callback(kinds, kinds, 1, _ex);
    last_number = test_Kinds_names(kinds, 0, 0, 0, 0, &out, 0, _ex);
    test_Kinds_deleteRef(kinds, &ignored);
    gov_cca_Port_deleteRef(port, &ignored);
    gov_cca_Services_releasePort(d->services, "work", &ignored);
    return 0;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    ((struct driver *)self)->services = services; /* outlives the component's use of it */
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "work", "test.Kinds", NULL, _ex);
EXIT:;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct gov_cca_Component__epv driver_epv = {.f_setServices = driver_set_services};
static const struct sidl_implements driver_implements[] = {{&gov_cca_ports_GoPort__type, &go_epv},
                                                           {&gov_cca_Component__type, &driver_epv}};
static const struct sidl_class driver_class = {.name = "test.Driver",
                                               .version = "1.0",
                                               .size = sizeof(struct driver),
                                               .implements = driver_implements,
                                               .n_implements = 2};

static gov_cca_Component driver_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&driver_class, _ex), "gov.cca.Component");
}

/* A component around an object that is made elsewhere and provided as a port. */
struct wrapper {
    struct sidl_object object;
    void *wrapped;
    const char *port, *type;
};

static void wrapper_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct wrapper *w = self;

    gov_cca_Services_addProvidesPort(services, sidl_object_facet(w->wrapped, "gov.cca.Port"),
                                     w->port, w->type, NULL, _ex);
}

static void wrapper_destroy(void *self)
{
    sidl_object_release(((struct wrapper *)self)->wrapped);
}

static const struct gov_cca_Component__epv wrapper_epv = {.f_setServices = wrapper_set_services};
static const struct sidl_implements wrapper_implements[] = {
    {&gov_cca_Component__type, &wrapper_epv}};
static const struct sidl_class wrapper_class = {.name = "test.Wrapper",
                                                .version = "1.0",
                                                .size = sizeof(struct wrapper),
                                                .implements = wrapper_implements,
                                                .n_implements = 1,
                                                .destroy = wrapper_destroy};

static gov_cca_Component wrap(void *object, const char *port, const char *type,
                              sidl_BaseInterface *_ex)
{
    struct wrapper *w = sidl_object_create(&wrapper_class, _ex);

    w->wrapped = object;
    w->port = port;
    w->type = type;
    return sidl_object_facet(w, "gov.cca.Component");
}

static gov_cca_Component one_create(sidl_BaseInterface *_ex)
{
    return wrap(kinds_create(100, NULL), "kinds", "test.Kinds", _ex);
}

static gov_cca_Component two_create(sidl_BaseInterface *_ex)
{
    return wrap(kinds_create(200, NULL), "kinds", "test.Kinds", _ex);
}

static struct test_monitor *monitor;

static gov_cca_Component watch_create(sidl_BaseInterface *_ex)
{
    monitor = test_monitor_create();
    return wrap(monitor, "monitor", "portolan.ports.Monitor", _ex);
}

#define PROVIDES_KINDS "<provides port='kinds' type='test.Kinds'/>"
static const struct {
    struct portolan_component component;
    const char *ports;
} builtins[] = {
#define COMPONENT(NAME, CREATE)                                                                    \
    {                                                                                              \
        sizeof(struct portolan_component), PORTOLAN_COMPONENT_ABI, NAME, CREATE, NULL              \
    }
    {COMPONENT("test.Driver", driver_create),
     "<provides port='go' type='gov.cca.ports.GoPort'/><uses port='work' type='test.Kinds'/>"},
    {COMPONENT("test.One", one_create), PROVIDES_KINDS},
    {COMPONENT("test.Two", two_create), PROVIDES_KINDS},
    {COMPONENT("test.Watch", watch_create),
     "<provides port='monitor' type='portolan.ports.Monitor'/>"},
};

/* ------------------------------------------------------------------ an assembly */

struct fixture {
    struct portolan_palette *palette;
    struct portolan_framework *fw;
    struct portolan_assembly *assembly;
    struct portolan_error err;
};

static void good(struct fixture *f, enum portolan_status status)
{
    if (status != PORTOLAN_OK)
        fail_msg("%s", f->err.text);
}

static struct portolan_assembly *read_text(struct fixture *f, const char *xml)
{
    char file[] = "/tmp/portolan-proxygen-XXXXXX";
    int fd = mkstemp(file);
    struct portolan_assembly *a = NULL;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, xml, strlen(xml)), strlen(xml));
    close(fd);
    good(f, portolan_assembly_read(file, NULL, &a, &f->err));
    unlink(file);
    return a;
}

static void open_assembly(struct fixture *f, const char *monitors)
{
    char xml[2000], description[500];

    memset(f, 0, sizeof *f);
    records_begin();
    good(f, portolan_palette_create(&f->palette, &f->err));
    good(f, portolan_palette_add_path(f->palette, PLUG_INS, NULL, &f->err));
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        snprintf(description, sizeof description, "<component class='%s'>%s</component>",
                 builtins[i].component.class_name, builtins[i].ports);
        good(f, portolan_palette_add_builtin(f->palette, &builtins[i].component, description,
                                             &f->err));
    }
    good(f, portolan_framework_create(f->palette, NULL, &f->fw, &f->err));
    snprintf(xml, sizeof xml,
             "<assembly name='proxies'><instance name='driver' class='test.Driver'/>"
             "<instance name='kinds' class='test.One'><alternative class='test.Two'/></instance>"
             "<instance name='watch' class='test.Watch'/>"
             "<connect user='driver' uses='work' provider='kinds' provides='kinds'/>"
             "%s<go instance='driver' port='go'/></assembly>",
             monitors);
    f->assembly = read_text(f, xml);
    good(f, portolan_framework_build(f->fw, f->assembly, &f->err));
}

static void run(struct fixture *f)
{
    int result = 77;

    good(f, portolan_framework_go(f->fw, &result, &f->err));
    assert_int_equal(result, 0);
}

static void replace(struct fixture *f, const char *class_name)
{
    sidl_BaseInterface _ex = NULL;

    portolan_ports_Builder_replace(portolan_framework_peek_extension(f->fw), "kinds", class_name,
                                   NULL, &_ex);
    assert_no_exception(&_ex);
}

static void close_assembly(struct fixture *f)
{
    portolan_framework_destroy(f->fw);
    portolan_assembly_destroy(f->assembly);
    portolan_palette_destroy(f->palette);
}

static void calls_are_charged_to_their_call_path(void **state)
{
    struct fixture f;
    struct portolan_probe_record r;
    const struct portolan_probe_method_info *info;

    open_assembly(&f, "<monitor user='driver' uses='work'/><monitor instance='driver' port='go'/>");
    assert_int_equal(monitor->attaches, 2);
    run(&f);
    r = records_node("go", 0);
    assert_int_equal(r.calls, 1);
    assert_int_equal(r.subroutine_calls, 2);
    assert_true(r.inclusive_ns == 31 && r.exclusive_ns == 1);
    r = records_node("callback", 0);
    info = portolan_probe_method_peek(r.handle);
    assert_string_equal(info->connection.user, "driver");
    assert_string_equal(info->connection.uses, "work");
    assert_string_equal(info->connection.provider, "kinds");
    assert_string_equal(info->connection.provides, "kinds");
    assert_string_equal(info->connection.provider_class, "test.One");
    assert_string_equal(info->connection.port_type, "test.Kinds");
    close_assembly(&f);
}

static void a_replaced_instance_goes_on_behind_the_proxy(void **state)
{
    struct fixture f;

    open_assembly(&f, "<monitor user='driver' uses='work'/>");
    run(&f);
    assert_int_equal(last_number, 100);
    replace(&f, "test.Two");
    run(&f);
    assert_int_equal(last_number, 200);
    assert_int_equal(records_of("names", "test.One").calls, 1);
    assert_int_equal(records_of("names", "test.Two").calls, 1);
    replace(&f, "test.One");
    run(&f);
    assert_int_equal(last_number, 100);
    assert_int_equal(records_of("names", "test.One").calls, 2);
    close_assembly(&f);
}

static void without_a_monitor_the_proxy_only_forwards(void **state)
{
    struct fixture f;

    open_assembly(&f, "");
    run(&f);
    replace(&f, "test.Two"); /* alternatives have a proxy even so */
    run(&f);
    assert_int_equal(last_number, 200);
    assert_int_equal(records_of("names", NULL).calls, 0);
    close_assembly(&f);
}

static void a_port_that_only_forwards_is_measured_on_command(void **state)
{
    struct fixture f;

    open_assembly(&f, "");
    run(&f);
    assert_int_equal(portolan_control_apply("mastermind driver.*", "test", NULL), PORTOLAN_OK);
    run(&f);
    assert_int_equal(records_of("names", NULL).calls, 1);
    assert_int_equal(portolan_control_apply("forward driver.*", "test", NULL), PORTOLAN_OK);
    run(&f);
    assert_int_equal(records_of("names", NULL).calls, 1);
    close_assembly(&f);
}

static void the_assembly_says_what_a_proxy_does_at_first(void **state)
{
    struct fixture f;
    struct portolan_probe_record r;

    open_assembly(&f, "<monitor user='driver' uses='work' variant='profile'/>"
                      "<monitor instance='driver' port='go'/>");
    run(&f);
    r = records_node("go", 0);
    assert_false(r.profiled);
    r = records_node("callback", 0);
    assert_true(r.profiled);
    assert_int_equal(r.calls, 1);
    close_assembly(&f);
}

UNIT_TESTS(cmocka_unit_test(calls_are_charged_to_their_call_path),
           cmocka_unit_test(a_replaced_instance_goes_on_behind_the_proxy),
           cmocka_unit_test(the_assembly_says_what_a_proxy_does_at_first),
           cmocka_unit_test(without_a_monitor_the_proxy_only_forwards),
           cmocka_unit_test(a_port_that_only_forwards_is_measured_on_command))
