/* SPDX-License-Identifier: BSD-3-Clause */
#include <unit_test.h>

#include "functions.h"

#include <math.h>

#include "test.h"

struct script script;

static gov_cca_Port get(gov_cca_Services services, const char *uses, sidl_BaseInterface *_ex)
{
    return gov_cca_Services_getPort(services, uses, _ex);
}

static void put(gov_cca_Services services, const char *uses, void *port)
{
    sidl_BaseInterface ignored = NULL;

    sidl_reference_delete(port, NULL);
    gov_cca_Services_releasePort(services, uses, &ignored);
    SIDL_CLEAR(ignored);
}

/* ------------------------------------------------- the functions */

struct function {
    struct sidl_object object;
    gov_cca_Services services;
};

static double time_of(char kind, char number, double x)
{
    if (kind == 'A')
        return number == '1' ? 2 * x : x * x;
    if (number == '1' && script.b1_slow_from && script.steps >= script.b1_slow_from &&
        (!script.b1_slow_until || script.steps < script.b1_slow_until))
        return 3 * x * x * x;
    return number == '1' ? x * x * x : number == '2' ? 2 * x * x : 0.1 * x;
}

static void work(struct function *f, const char *class_name, double x, sidl_BaseInterface *_ex)
{
    char kind = class_name[5], number = class_name[6];
    gov_cca_Port port = get(f->services, "work", _ex);
    portolan_ports_Work clock = NULL;

    SIDL_CHECK(*_ex);
    clock = portolan_ports_Work__cast(port, _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_Work_consume(clock, time_of(kind, number, x), _ex);
    SIDL_CHECK(*_ex);
    script.ran[script.steps][kind == 'B'] = number;
    if (number == '3' && script.b3_fails)
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "B3 diverged");
EXIT:
    sidl_reference_delete(clock, NULL);
    if (port)
        put(f->services, "work", port);
}

static void start(struct function *f, const char *class_name, gov_cca_Services services,
                  sidl_BaseInterface *_ex)
{
    f->services = services;
    if (class_name[6] == '3' && script.b3_fails_to_start) {
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "licence server is down");
        return;
    }
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(f, "test.Function"), "function",
                                     "test.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "work", "portolan.ports.Work", NULL, _ex);
EXIT:;
}

#define FUNCTION(NAME)                                                                             \
    static void NAME##_evaluate(void *self, double x, sidl_BaseInterface *_ex)                     \
    {                                                                                              \
        work(self, "test." #NAME, x, _ex);                                                         \
    }                                                                                              \
    static void NAME##_start(void *self, gov_cca_Services s, sidl_BaseInterface *_ex)              \
    {                                                                                              \
        start(self, "test." #NAME, s, _ex);                                                        \
    }                                                                                              \
    static const struct test_Function__epv NAME##_function = {.f_evaluate = NAME##_evaluate};      \
    static const struct gov_cca_Component__epv NAME##_component = {.f_setServices = NAME##_start}; \
    static const struct sidl_implements NAME##_implements[] = {                                    \
        {&gov_cca_Component__type, &NAME##_component}, {&test_Function__type, &NAME##_function}};  \
    static const struct sidl_class NAME##_class = {.name = "test." #NAME,                          \
                                                   .version = "1",                                 \
                                                   .size = sizeof(struct function),                \
                                                   .implements = NAME##_implements,                \
                                                   .n_implements = 2};                             \
    static gov_cca_Component NAME##_create(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        return sidl_object_facet(sidl_object_create(&NAME##_class, _ex), "gov.cca.Component");     \
    }                                                                                              \
    static const struct portolan_component NAME##_descriptor = {                                   \
        sizeof(struct portolan_component), PORTOLAN_COMPONENT_ABI, "test." #NAME, NAME##_create,   \
        NULL}

FUNCTION(A1);
FUNCTION(A2);
FUNCTION(B1);
FUNCTION(B2);
FUNCTION(B3);

/* ------------------------------------------------- the driver */

static void call(struct function *d, const char *uses, double x, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = get(d->services, uses, _ex);
    test_Function function = NULL;

    SIDL_CHECK(*_ex);
    function = test_Function__cast(port, _ex);
    SIDL_CHECK(*_ex);
    test_Function_evaluate(function, x, _ex);
    if (*_ex && script.ignores_failures)
        SIDL_CLEAR(*_ex);
EXIT:
    sidl_reference_delete(function, NULL);
    if (port)
        put(d->services, uses, port);
}

/* What nobody should do: the ranks may be given different classes. */
static void diverge(struct function *d, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = get(d->services, "builder", _ex);
    portolan_ports_Builder builder = NULL;

    SIDL_CHECK(*_ex);
    builder = portolan_ports_Builder__cast(port, _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_Builder_replace(builder, "b", script.diverged, NULL, _ex);
EXIT:
    sidl_reference_delete(builder, NULL);
    if (port)
        put(d->services, "builder", port);
}

static void one_step(struct function *d, portolan_ports_SwapPoint swap, double x,
                     sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (script.diverges_at && script.steps == script.diverges_at)
        diverge(d, _ex);
    SIDL_CHECK(*_ex);
    if (script.announces)
        portolan_ports_SwapPoint_announce(swap, "x", x, _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_SwapPoint_reached(swap, script.steps, _ex);
    SIDL_CHECK(*_ex);
    for (;;) {
        call(d, "a", x, _ex);
        SIDL_CHECK(*_ex);
        call(d, "b", x, _ex);
        if (!portolan_catch(_ex, &err))
            return;
        if (!portolan_ports_SwapPoint_failed(swap, script.steps, err.text, _ex) || *_ex)
            break;
        script.repeated++;
        err = (struct portolan_error){0};
    }
    portolan_throw(_ex, PORTOLAN_ECOMPONENT, "%s", err.text);
EXIT:;
}

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    struct function *d = self;
    gov_cca_TypeMap parameters = portolan_component_properties(d->services, _ex);
    gov_cca_Port port = get(d->services, "swap", _ex);
    portolan_ports_SwapPoint swap = portolan_ports_SwapPoint__cast(port, _ex);
    double x = gov_cca_TypeMap_getDouble(parameters, "x", 0, _ex);
    int steps = gov_cca_TypeMap_getInt(parameters, "steps", 0, _ex);

    for (script.steps = 0; script.steps < steps && !*_ex; script.steps++)
        one_step(d, swap, script.course ? script.course[script.steps] : x, _ex);
    sidl_reference_delete(parameters, NULL);
    sidl_reference_delete(swap, NULL);
    put(d->services, "swap", port);
    return *_ex ? -1 : 0;
}

static void driver_start(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct function *d = self;

    d->services = services;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(d, "gov.cca.ports.GoPort"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "a", "test.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "b", "test.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "builder", "portolan.ports.Builder", NULL, _ex);
EXIT:;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct gov_cca_Component__epv driver_epv = {.f_setServices = driver_start};
static const struct sidl_implements driver_implements[] = {{&gov_cca_Component__type, &driver_epv},
                                                           {&gov_cca_ports_GoPort__type, &go_epv}};
static const struct sidl_class driver_class = {.name = "test.Driver",
                                               .version = "1",
                                               .size = sizeof(struct function),
                                               .implements = driver_implements,
                                               .n_implements = 2};

static gov_cca_Component driver_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&driver_class, _ex), "gov.cca.Component");
}

static const struct portolan_component driver_descriptor = {
    sizeof driver_descriptor, PORTOLAN_COMPONENT_ABI, "test.Driver", driver_create, NULL};

enum portolan_status functions_register(struct portolan_palette *palette,
                                        struct portolan_error *err)
{
    static const struct portolan_component *const all[] = {
        &A1_descriptor, &A2_descriptor, &B1_descriptor, &B2_descriptor, &B3_descriptor};
    static const char driver_xml[] =
        "<component class='test.Driver' library='none'><summary>The driver</summary>"
        "<provides port='go' type='gov.cca.ports.GoPort'/>"
        "<uses port='a' type='test.Function'/><uses port='b' type='test.Function'/>"
        "<uses port='swap' type='portolan.ports.SwapPoint'/>"
        "<uses port='builder' type='portolan.ports.Builder'/>"
        "<parameter name='x' type='double' default='1'>x</parameter>"
        "<parameter name='steps' type='int' default='1'>steps</parameter></component>";
    enum portolan_status status =
        portolan_palette_add_builtin(palette, &driver_descriptor, driver_xml, err);

    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++) {
        char xml[400];

        snprintf(xml, sizeof xml,
                 "<component class='%s' library='none'><summary>A function</summary>"
                 "<provides port='function' type='test.Function'/>"
                 "<uses port='work' type='portolan.ports.Work'/></component>",
                 all[i]->class_name);
        status = portolan_palette_add_builtin(palette, all[i], xml, err);
    }
    return status;
}

/* ------------------------------------------------- their assembly */

static const char assembly_xml[] =
    "<assembly name='paper'>"
    "<instance name='driver' class='test.Driver'><parameter name='x' type='double' value='1'/>"
    "<parameter name='steps' type='int' value='4'/></instance>"
    "<instance name='a' class='test.A1'><alternative class='test.A2'/></instance>"
    "<instance name='b' class='test.B1'><alternative class='test.B2'/>%s</instance>"
    "<instance name='clock' class='portolan.ManualClock'/>"
    "<instance name='mastermind' class='portolan.Mastermind'>"
    "<parameter name='store' type='string' value='%s'/></instance>"
    "<instance name='optimizer' class='portolan.Optimizer'>%s</instance>"
    "<instance name='swap' class='portolan.SwapPoint'/>"
    "<connect user='driver' uses='a' provider='a' provides='function'/>"
    "<connect user='driver' uses='b' provider='b' provides='function'/>"
    "<connect user='driver' uses='swap' provider='swap' provides='swappoint'/>"
    "<connect user='a' uses='work' provider='clock' provides='work'/>"
    "<connect user='b' uses='work' provider='clock' provides='work'/>"
    "<connect user='mastermind' uses='measurement' provider='clock' provides='measurement'/>"
    "<connect user='swap' uses='mastermind' provider='mastermind' provides='steps'/>"
    "<connect user='swap' uses='optimizer' provider='optimizer' provides='steps'/>"
    "<connect user='optimizer' uses='records' provider='mastermind' provides='records'/>"
    "<monitor user='driver' uses='a'/><monitor user='driver' uses='b'/>"
    "<monitor instance='driver' port='go'/>"
    "<sweep><vary instance='driver' parameter='x' values='0.5 1 1.5 3 4'/>"
    "<set instance='driver' parameter='steps' value='2'/></sweep>"
    "<optimizer alpha='0.1' beta='0.1' steps='driver.steps'/>"
    "<go instance='driver' port='go'/></assembly>";

static void report(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg, (void)file, (void)column;
    fail_msg("line %d: %s", line, text);
}

struct portolan_assembly *functions_assembly(const struct portolan_palette *palette,
                                             const char *folder, const char *store,
                                             const char *more_b, const char *optimizer)
{
    struct portolan_diagnostics d = {.report = report};
    struct portolan_error err = {0};
    struct portolan_assembly *a = NULL;
    char path[120];
    FILE *f;

    snprintf(path, sizeof path, "%s/paper.xml", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, assembly_xml, more_b, store, optimizer);
    assert_int_equal(fclose(f), 0);
    if (portolan_assembly_read(path, &d, &a, &err) || portolan_assembly_check(a, palette, &d))
        fail_msg("%s", err.text);
    return a;
}

enum portolan_status functions_execute(const struct portolan_palette *palette,
                                       struct portolan_cohort *cohort,
                                       const struct portolan_assembly *a)
{
    struct portolan_framework *fw = NULL;
    struct portolan_error err = {0};
    enum portolan_status status;
    int result;

    memset(script.ran, 0, sizeof script.ran);
    script.repeated = 0;
    if (portolan_framework_create(palette, cohort, &fw, &err) ||
        portolan_framework_build(fw, a, &err))
        fail_msg("%s", err.text);
    status = portolan_framework_go(fw, &result, &err);
    script.error = err;
    portolan_framework_destroy(fw);
    return status;
}

struct portolan_sample_set *functions_read(const char *store)
{
    struct portolan_store_query all = {0};
    struct portolan_sample_set *set = NULL;
    struct portolan_store *s = NULL;
    struct portolan_error err = {0};

    if (portolan_store_open(store, PORTOLAN_STORE_READ, &s, &err) ||
        portolan_store_read(s, &all, true, &set, &err))
        fail_msg("%s", err.text);
    portolan_store_close(s);
    return set;
}

void functions_copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char buffer[4096];
    size_t n;

    assert_non_null(in);
    assert_non_null(out);
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        assert_int_equal(fwrite(buffer, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
    fclose(in);
}

static void wait_for_all(struct portolan_cohort *cohort)
{
    double nothing = 0;

    if (cohort)
        assert_int_equal(cohort->max(cohort, &nothing, 1), 0);
}

/* Makes A the next trial; false when there is none. */
static bool prepare_trial(struct portolan_cohort *cohort, struct portolan_assembly *a,
                          const char *store)
{
    struct portolan_plan_options options = {.ranks = cohort ? cohort->size : 1, .most_trials = 1};
    struct portolan_next_trial *next;
    struct portolan_sample_set *set;
    bool finished;

    wait_for_all(cohort); /* until rank 0 has closed the store */
    set = functions_read(store);
    wait_for_all(cohort);
    assert_int_equal(portolan_plan_next_trial(a, set, &options, 1e9, &next, NULL), 0);
    finished = next->finished;
    for (size_t i = 0; i < next->n_selection; i++)
        portolan_assembly_select(a, next->selection[i].name, next->selection[i].value, NULL);
    for (size_t i = 0; i < next->n_parameters; i++)
        portolan_assembly_set(a, next->parameters[i].instance, next->parameters[i].parameter,
                              next->parameters[i].value, NULL);
    portolan_next_trial_destroy(next);
    portolan_sample_set_destroy(set);
    return !finished;
}

size_t functions_explore(const struct portolan_palette *palette, struct portolan_cohort *cohort,
                         const char *folder, const char *store, const char *more_b)
{
    struct portolan_assembly *a = functions_assembly(palette, folder, store, more_b, "");
    size_t n = 0;

    a->purpose = "explore";
    /* makes the store; x = 1 of 5 points, steps not as swept */
    assert_int_equal(functions_execute(palette, cohort, a), 0);
    while (prepare_trial(cohort, a, store)) {
        assert_int_equal(functions_execute(palette, cohort, a), 0);
        n++;
    }
    portolan_assembly_destroy(a);
    return n;
}
