/* SPDX-License-Identifier: BSD-3-Clause */
#include "ledgers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ledgers ledgers;

static struct portolan_palette *palette;
static struct portolan_assembly *assembly;
static struct portolan_framework *framework;

static bool fails(const char *what, sidl_BaseInterface *_ex)
{
    if (!ledgers.fault || strcmp(ledgers.fault, what) != 0)
        return false;
    ledgers.fault = NULL;
    portolan_throw(_ex, PORTOLAN_EIO, "%s was to fail", what);
    return true;
}

/* ------------------------------------------------------------------ ledgers */

struct ledger {
    struct sidl_object object;
    int64_t own[LEDGER_LINES], *last;
    int inside; /* atomic */
    bool released, waits;
};

static void swap_from_inside(void)
{
    ledgers.swapped_inside = ledgers_replace("ledger.OpenTwo", NULL);
}

static int64_t note(void *self, int32_t line, int64_t number, sidl_BaseInterface *_ex)
{
    struct ledger *l = self;
    int64_t before = l->last[line];

    __atomic_add_fetch(&l->inside, 1, __ATOMIC_RELAXED);
    if (number == LEDGER_WAIT && l->waits) {
        sem_post(&ledgers.inside);
        sem_wait(&ledgers.go_on);
    } else if (number == LEDGER_SWAP) {
        swap_from_inside();
    } else if (number > 0) {
        l->last[line] = number;
        if (line < LEDGER_THREADS && number % LEDGER_NESTED == 0)
            ledger_Ledger_note(ledgers.ports[(line + 1) % LEDGER_USERS], line + LEDGER_THREADS,
                               number / LEDGER_NESTED, _ex);
    }
    if (__atomic_load_n(&l->released, __ATOMIC_RELAXED))
        __atomic_add_fetch(&ledgers.faults_inside, 1, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&l->inside, 1, __ATOMIC_RELAXED);
    return before;
}

static int32_t get_version(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 1;
}

static void export_state(void *self, int32_t version, gov_cca_TypeMap state,
                         sidl_BaseInterface *_ex)
{
    struct ledger *l = self;
    struct sidl_long__array *last;

    (void)version;
    if (fails("export", _ex))
        return;
    last = sidl_long__array_create1d(LEDGER_LINES);
    for (int i = 0; i < LEDGER_LINES; i++)
        sidl_long__array_set1(last, i, l->last[i]);
    gov_cca_TypeMap_putLongArray(state, "last", last, _ex);
    sidl_long__array_deleteRef(last);
}

static void import_state(void *self, int32_t version, gov_cca_TypeMap state,
                         sidl_BaseInterface *_ex)
{
    struct sidl_long__array *last = gov_cca_TypeMap_getLongArray(state, "last", NULL, _ex);

    (void)version;
    for (int i = 0; !*_ex && i < LEDGER_LINES; i++)
        ((struct ledger *)self)->last[i] = sidl_long__array_get1(last, i);
    sidl_long__array_deleteRef(last);
    if (!*_ex)
        fails("import", _ex);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct ledger *l = self;
    const char *name = l->object.cls->name;
    bool is_open = strstr(name, "Open") != NULL;

    l->last = is_open ? ledgers.open : l->own;
    l->waits = strstr(name, "Two") != NULL;
    if (fails("create", _ex))
        return;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(l, "gov.cca.Port"), "ledger",
                                     "ledger.Ledger", NULL, _ex);
    SIDL_CHECK(*_ex);
    if (!is_open)
        gov_cca_Services_addProvidesPort(services, sidl_object_facet(l, "gov.cca.Port"), "state",
                                         "ledger.State", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerForRelease(services, sidl_object_facet(l, "gov.cca.ComponentRelease"),
                                        _ex);
EXIT:;
}

static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct ledger *l = self;

    (void)services;
    if (__atomic_load_n(&l->inside, __ATOMIC_RELAXED) > 0)
        __atomic_add_fetch(&ledgers.faults_inside, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&l->released, true, __ATOMIC_RELAXED);
    ledgers.released++;
    fails("retire", _ex);
}

static const struct ledger_Ledger__epv ledger_epv = {.f_note = note};
static const struct ledger_State__epv state_epv = {
    .f_getVersion = get_version, .f_exportState = export_state, .f_importState = import_state};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     release_services};

#define LEDGER(NAME)                                                                               \
    PORTOLAN_COMPONENT_CLASS(ledger_##NAME, "ledger." #NAME, struct ledger, set_services, NULL,    \
                             {&ledger_Ledger__type, &ledger_epv},                                  \
                             {&ledger_State__type, &state_epv},                                    \
                             {&gov_cca_ComponentRelease__type, &release_epv})
LEDGER(One);
LEDGER(Two);
LEDGER(OpenOne);
LEDGER(OpenTwo);

/* ------------------------------------------------------------------ users */

struct user {
    struct sidl_object object;
};

static gov_cca_Services users[LEDGER_USERS];
static int n_users;

static void user_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)self;
    if (n_users < LEDGER_USERS)
        gov_cca_Services_addRef(users[n_users++] = services, NULL);
    gov_cca_Services_registerUsesPort(services, "ledger", "ledger.Ledger", NULL, _ex);
}

/* -- a user that hears of swaps itself -- */

static void gate_rebind(void *self, const char *uses, gov_cca_Port port, const char *instance,
                        const char *provided, const char *implementation, const char *user,
                        const char *user_port, sidl_BaseInterface *_ex)
{
    (void)self, (void)uses, (void)instance, (void)provided, (void)implementation, (void)user;
    (void)user_port;
    if (port)
        fails("publish", _ex);
}

static void gate_nothing(void *self, const char *uses, sidl_BaseInterface *_ex)
{
    (void)self, (void)uses, (void)_ex;
}

static void gate_drain(void *self, const char *uses, double seconds, sidl_BaseInterface *_ex)
{
    (void)self, (void)uses, (void)seconds;
    if (!ledgers.gatekeeper_fails)
        return;
    if (--ledgers.gatekeeper_fails == 0) /* the others may call again */
        sem_wait(&ledgers.inside);
    portolan_throw(_ex, PORTOLAN_ETIMEOUT, "the gatekeeper has waited enough");
}

static sidl_bool gate_was_called(void *self, const char *uses, sidl_BaseInterface *_ex)
{
    (void)self, (void)uses, (void)_ex;
    return FALSE;
}

static const struct portolan_Suspendable__epv gate_epv = {.f_rebind = gate_rebind,
                                                          .f_suspend = gate_nothing,
                                                          .f_resume = gate_nothing,
                                                          .f_drain = gate_drain,
                                                          .f_wasCalled = gate_was_called};

PORTOLAN_COMPONENT_CLASS(ledger_User, "ledger.User", struct user, user_set_services, NULL);
PORTOLAN_COMPONENT_CLASS(ledger_Gatekeeper, "ledger.Gatekeeper", struct user, user_set_services,
                         NULL, {&portolan_Suspendable__type, &gate_epv});

/* ------------------------------------------------------------------ the assembly */

extern const struct portolan_component portolan_component_ledger_LedgerProxy;

#define PROVIDES       "<provides port='ledger' type='ledger.Ledger'/>"
#define PROVIDES_STATE "<provides port='state' type='ledger.State' also='portolan.ports.Stateful'/>"
#define USES           "<uses port='ledger' type='ledger.Ledger'/>"
static const struct {
    const struct portolan_component *component;
    const char *description;
} builtins[] = {
    {&portolan_component_ledger_One, "<component class='ledger.One'>" PROVIDES PROVIDES_STATE},
    {&portolan_component_ledger_Two, "<component class='ledger.Two'>" PROVIDES PROVIDES_STATE},
    {&portolan_component_ledger_OpenOne, "<component class='ledger.OpenOne'>" PROVIDES},
    {&portolan_component_ledger_OpenTwo, "<component class='ledger.OpenTwo'>" PROVIDES},
    {NULL, "<component class='ledger.None'>" PROVIDES},
    {&portolan_component_ledger_User, "<component class='ledger.User'>" USES},
    {&portolan_component_ledger_Gatekeeper, "<component class='ledger.Gatekeeper'>" USES},
    {&portolan_component_ledger_LedgerProxy,
     "<component class='ledger.LedgerProxy' proxy-for='ledger.Ledger'>"
     "<provides port='provide' type='ledger.Ledger'/><uses port='use' type='ledger.Ledger'/>"
     "<uses port='monitor' type='portolan.ports.Monitor' optional='true'/>"
     "<uses port='measurement' type='portolan.ports.Measurement' optional='true'/>"},
};

static void good(enum portolan_status status, const struct portolan_error *err)
{
    if (status != PORTOLAN_OK)
        fail_msg("%s", err->text);
}

static void add_class(const struct portolan_component *component, const char *description)
{
    struct portolan_error err = {0};
    char text[600];

    snprintf(text, sizeof text, "%s</component>", description);
    good(portolan_palette_add_builtin(palette, component, text, &err), &err);
}

static void hold_port(int user)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = gov_cca_Services_getPort(users[user], "ledger", &ex);

    assert_null(ex);
    ledgers.ports[user] = ledger_Ledger__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
}

static void release_port(int user)
{
    ledger_Ledger_deleteRef(ledgers.ports[user], NULL);
    gov_cca_Services_releasePort(users[user], "ledger", &(sidl_BaseInterface){NULL});
    gov_cca_Services_deleteRef(users[user], NULL);
}

/* Without a proxy, so that it hears of swaps itself. */
static void connect_gatekeeper(void)
{
    gov_cca_ports_BuilderService builder = portolan_framework_peek_builder(framework);
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID ledger =
        gov_cca_ports_BuilderService_getComponentID(builder, "ledger", &ex);
    gov_cca_ComponentID gate = gov_cca_ports_BuilderService_createInstance(
        builder, "gate", "ledger.Gatekeeper", NULL, &ex);
    gov_cca_ConnectionID c =
        gov_cca_ports_BuilderService_connect(builder, gate, "ledger", ledger, "ledger", &ex);

    assert_null(ex);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(gate, NULL);
    gov_cca_ComponentID_deleteRef(ledger, NULL);
}

struct portolan_framework *ledgers_open(const char *class_name, bool gatekeeper)
{
    struct portolan_error err = {0};
    char xml[1000];

    memset(&ledgers, 0, sizeof ledgers);
    sem_init(&ledgers.inside, 0, 0);
    sem_init(&ledgers.go_on, 0, 0);
    n_users = 0;
    good(portolan_palette_create(&palette, &err), &err);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        add_class(builtins[i].component, builtins[i].description);
    snprintf(xml, sizeof xml,
             "<assembly name='ledgers'><instance name='ledger' class='%s'>"
             "<alternative class='ledger.None'/></instance>"
             "<instance name='u0' class='ledger.User'/><instance name='u1' class='ledger.User'/>"
             "<connect user='u0' uses='ledger' provider='ledger' provides='ledger'/>"
             "<connect user='u1' uses='ledger' provider='ledger' provides='ledger'/></assembly>",
             class_name);
    good(portolan_assembly_read_text(xml, strlen(xml), "ledgers.xml", NULL, &assembly, &err), &err);
    good(portolan_framework_create(palette, NULL, &framework, &err), &err);
    good(portolan_framework_build(framework, assembly, &err), &err);
    for (int i = 0; i < LEDGER_USERS; i++)
        hold_port(i);
    if (gatekeeper)
        connect_gatekeeper();
    return framework;
}

void ledgers_close(void)
{
    for (int i = 0; i < LEDGER_USERS; i++)
        release_port(i);
    portolan_framework_destroy(framework);
    portolan_assembly_destroy(assembly);
    portolan_palette_destroy(palette);
}

enum portolan_status ledgers_replace(const char *class_name, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_Builder_replace(portolan_framework_peek_extension(framework), "ledger",
                                   class_name, NULL, &ex);
    return portolan_catch(&ex, err);
}
