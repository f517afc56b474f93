/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks, as two threads of this program with a cohort made of barriers. */
#include "fixture.h"

#include <pthread.h>

enum { RANKS = 2 };

struct meeting {
    pthread_barrier_t barrier;
    double values[RANKS][8];
    char bytes[4096];
};

struct rank {
    struct portolan_cohort cohort;
    struct meeting *meeting;
    const char *xml, *palette_xml, *replacement;
    enum portolan_status built, replaced;
    struct portolan_error err;
    struct test_log log;
    bool watches, holds; /* the program uses worker.work, too, and listens */
    char heard[500];
    bool computes;
    int fails_on;  /* the rank where faults happen; -1: nowhere, and nothing is swapped */
    char ran[100]; /* a letter per step: the class that ran it */
};

enum { STEPS = 40 };

/* What happens at the swap before a step; NULL: nothing, and it is made. */
static const char *const faults[] = {NULL,     "load",    "create", "connect", NULL,    "export",
                                     "import", "publish", "inside", NULL,      "retire"};
enum { FAULTS = sizeof faults / sizeof *faults };

static enum portolan_status meet_max(struct portolan_cohort *c, double *values, size_t count)
{
    struct meeting *m = ((struct rank *)c->impl)->meeting;

    assert_true(count <= 8);
    memcpy(m->values[c->rank], values, count * sizeof *values);
    pthread_barrier_wait(&m->barrier);
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < RANKS; r++)
            if (m->values[r][i] > values[i])
                values[i] = m->values[r][i];
    pthread_barrier_wait(&m->barrier);
    return PORTOLAN_OK;
}

static enum portolan_status meet_sum(struct portolan_cohort *c, double *values, size_t count)
{
    struct meeting *m = ((struct rank *)c->impl)->meeting;

    assert_true(count <= 8);
    memcpy(m->values[c->rank], values, count * sizeof *values);
    pthread_barrier_wait(&m->barrier);
    for (size_t i = 0; i < count; i++)
        values[i] = m->values[0][i] + m->values[1][i];
    pthread_barrier_wait(&m->barrier);
    return PORTOLAN_OK;
}

static enum portolan_status meet_bcast(struct portolan_cohort *c, void *buffer, size_t size,
                                       int root)
{
    struct meeting *m = ((struct rank *)c->impl)->meeting;

    assert_true(size <= sizeof m->bytes);
    if (c->rank == root)
        memcpy(m->bytes, buffer, size);
    pthread_barrier_wait(&m->barrier);
    memcpy(buffer, m->bytes, size);
    pthread_barrier_wait(&m->barrier);
    return PORTOLAN_OK;
}

/* -- the program as a user of the worker, listening -- */

struct listener {
    struct sidl_object object;
    char *heard;
    size_t size;
};

static void listener_hear(void *self, gov_cca_ports_ConnectionEvent event, sidl_BaseInterface *_ex)
{
    struct listener *l = self;
    size_t used = strlen(l->heard);

    snprintf(l->heard + used, l->size - used, "%d ",
             (int)gov_cca_ports_ConnectionEvent_getEventType(event, _ex));
}

static const struct gov_cca_ports_ConnectionEventListener__epv listener_epv = {
    .f_connectionActivity = listener_hear};
static const struct sidl_implements listener_implements[] = {
    {&gov_cca_ports_ConnectionEventListener__type, &listener_epv}};
static const struct sidl_class listener_class = {.name = "test.Listener",
                                                 .version = "1",
                                                 .size = sizeof(struct listener),
                                                 .implements = listener_implements,
                                                 .n_implements = 1};

static void watch(struct rank *r, struct portolan_framework *fw)
{
    gov_cca_ports_BuilderService b = portolan_framework_peek_builder(fw);
    sidl_BaseInterface ex = NULL;
    gov_cca_Services s = portolan_framework_get_services(fw, "watch", "test.Watch", NULL, &ex);
    gov_cca_ComponentID self = gov_cca_Services_getComponentID(s, &ex);
    gov_cca_ComponentID worker = gov_cca_ports_BuilderService_getComponentID(b, "worker", &ex);
    struct listener *l = sidl_object_create(&listener_class, &ex);
    gov_cca_ports_ConnectionEventService events;
    gov_cca_ConnectionID c;
    gov_cca_Port port;

    l->heard = r->heard;
    l->size = sizeof r->heard;
    gov_cca_Services_registerUsesPort(s, "events", "gov.cca.ports.ConnectionEventService", NULL,
                                      &ex);
    port = gov_cca_Services_getPort(s, "events", &ex);
    events = gov_cca_ports_ConnectionEventService__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(s, "events", &ex);
    gov_cca_Services_registerUsesPort(s, "work", "portolan.ports.Work", NULL, &ex);
    c = gov_cca_ports_BuilderService_connect(b, self, "work", worker, "work", &ex);
    gov_cca_ports_ConnectionEventService_addConnectionEventListener(
        events, gov_cca_ports_EventType_ALL,
        sidl_object_facet(l, "gov.cca.ports.ConnectionEventListener"), &ex);
    if (r->holds)
        gov_cca_Port_deleteRef(gov_cca_Services_getPort(s, "work", &ex), NULL);
    assert_null(ex);
    gov_cca_ports_ConnectionEventService_deleteRef(events, NULL);
    sidl_object_release(l);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    gov_cca_ComponentID_deleteRef(self, NULL);
    gov_cca_Services_deleteRef(s, NULL);
}

static char class_letter(struct portolan_framework *fw)
{
    sidl_BaseInterface ex = NULL;
    char *name =
        portolan_ports_Builder_getClassName(portolan_framework_peek_extension(fw), "worker", &ex);
    char letter = name[strlen("test.")];

    sidl_String_free(name);
    return letter;
}

/* Tries to swap Counter and Tally before each step. */
static void compute(struct rank *r, struct portolan_framework *fw)
{
    portolan_ports_Builder builder = portolan_framework_peek_extension(fw);
    sidl_BaseInterface ex = NULL;
    int result;

    for (int step = 0; step < STEPS; step++) {
        const char *fault = faults[step % FAULTS];
        bool is_here = fault && r->cohort.rank == r->fails_on;
        bool stands = !fault || !strcmp(fault, "retire");
        enum portolan_status status = PORTOLAN_OK;

        r->ran[step] = class_letter(fw);
        if (is_here && !strcmp(fault, "inside"))
            r->log.inside = 1;
        r->log.fault = is_here ? fault : NULL;
        if (r->fails_on >= 0) {
            portolan_ports_Builder_replace(builder, "worker",
                                           is_here && !strcmp(fault, "load") ? "test.Missing"
                                           : r->ran[step] == 'C'             ? "test.Tally"
                                                                             : "test.Counter",
                                           NULL, &ex);
            status = portolan_catch(&ex, &r->err);
            r->err = (struct portolan_error){0};
        }
        assert_true((status == PORTOLAN_OK) == (stands || r->fails_on < 0));
        r->log.fault = NULL;
        r->log.text[0] = '\0';
        assert_int_equal(portolan_framework_go(fw, &result, NULL), PORTOLAN_OK);
    }
}

static void *live(void *arg)
{
    struct rank *r = arg;
    struct portolan_palette *palette = fixture_palette(BUILTIN);
    struct portolan_assembly *a = fixture_read(r->xml);
    struct portolan_framework *fw;
    sidl_BaseInterface ex = NULL;
    int result;

    if (r->palette_xml)
        portolan_palette_add_builtin(palette, NULL, r->palette_xml, NULL);
    assert_int_equal(portolan_framework_create(palette, &r->cohort, &fw, NULL), PORTOLAN_OK);
    portolan_framework_provide(fw, "portolan.TestLog", &r->log, NULL);
    r->built = portolan_framework_build(fw, a, &r->err);
    if (r->built == PORTOLAN_OK && r->watches)
        watch(r, fw);
    if (r->built == PORTOLAN_OK && r->computes)
        compute(r, fw);
    if (r->built == PORTOLAN_OK && r->replacement) {
        portolan_ports_Builder_replace(portolan_framework_peek_extension(fw), "worker",
                                       r->replacement, NULL, &ex);
        r->replaced = portolan_catch(&ex, &r->err);
        snprintf(r->heard + strlen(r->heard), sizeof r->heard - strlen(r->heard), "| ");
        r->log.text[0] = '\0';
        portolan_framework_go(fw, &result, NULL);
    }
    portolan_framework_destroy(fw);
    portolan_assembly_destroy(a);
    portolan_palette_destroy(palette);
    return NULL;
}

static void run(struct rank *ranks)
{
    struct meeting m;
    pthread_t other;

    pthread_barrier_init(&m.barrier, NULL, RANKS);
    for (int i = 0; i < RANKS; i++) {
        ranks[i].cohort = (struct portolan_cohort){.rank = i,
                                                   .size = RANKS,
                                                   .impl = &ranks[i],
                                                   .bcast = meet_bcast,
                                                   .max = meet_max,
                                                   .sum = meet_sum};
        ranks[i].meeting = &m;
    }
    assert_int_equal(pthread_create(&other, NULL, live, &ranks[1]), 0);
    live(&ranks[0]);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&m.barrier);
}

#define CHOICE                                                                                     \
    "<instance name='worker' class='test.Worker'><alternative class='test.Other'/></instance>\n"

static void ranks_that_agree_replace_alike(void **state)
{
    struct rank ranks[RANKS] = {{.xml = ASSEMBLY(DRIVER CHOICE WIRE GO)},
                                {.xml = ASSEMBLY(DRIVER CHOICE WIRE GO)}};

    ranks[0].replacement = ranks[1].replacement = "test.Other";
    run(ranks);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].built, PORTOLAN_OK);
        assert_int_equal(ranks[i].replaced, PORTOLAN_OK);
        assert_non_null(strstr(ranks[i].log.text, "Other:consume"));
    }
}

static void different_assemblies_are_refused(void **state)
{
    struct rank ranks[RANKS] = {{.xml = ASSEMBLY(DRIVER CHOICE WIRE GO)},
                                {.xml = ASSEMBLY(DRIVER WORKER WIRE GO)}};

    run(ranks);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].built, PORTOLAN_EMISMATCH);
        assert_non_null(strstr(ranks[i].err.text, "the ranks were given different assemblies"));
        assert_string_equal(ranks[i].log.text, "");
    }
}

static void a_failure_of_one_rank_is_everybodys(void **state)
{
    struct rank ranks[RANKS] = {{.xml = ASSEMBLY(DRIVER WORKER WIRE GO)},
                                {.xml = ASSEMBLY(DRIVER WORKER WIRE GO)}};

    ranks[1].palette_xml = "<component class='test.Worker'/>"; /* described, but without code */
    run(ranks);
    assert_string_equal(ranks[0].err.text, ranks[1].err.text);
    assert_non_null(strstr(ranks[0].err.text, "rank 1: "));
    assert_non_null(strstr(ranks[0].err.text, ":3: instance 'worker' (class test.Worker): class "
                                              "'test.Worker' is described, but has no code"));
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].built, PORTOLAN_ENOTFOUND);
        assert_non_null(strstr(ranks[i].log.text, "driver:release"));
    }
}

static void a_replacement_that_fails_on_one_rank_is_put_back_on_all(void **state)
{
    static const char *const cases[][2] = {{"test.Fails", "licence server is down"},
                                           {"test.Unwelcome", "is not welcome"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct rank ranks[RANKS] = {{.xml = ASSEMBLY(DRIVER CHOICE WIRE GO)},
                                    {.xml = ASSEMBLY(DRIVER CHOICE WIRE GO)}};

        ranks[0].replacement = "test.Other";
        ranks[1].replacement = cases[k][0];
        run(ranks);
        for (int i = 0; i < RANKS; i++) {
            assert_int_equal(ranks[i].built, PORTOLAN_OK);
            assert_true(ranks[i].replaced != PORTOLAN_OK);
            assert_non_null(strstr(ranks[i].err.text, "rank 1: "));
            assert_non_null(strstr(ranks[i].err.text, cases[k][1]));
            assert_non_null(strstr(ranks[i].log.text, "Worker:consume"));
        }
    }
}

/* What all ranks hear, up to the end of the replacement; the numbers are those of EventType. */
static void every_rank_hears_the_same(void **state)
{
    static const struct {
        const char *second;
        bool holds;
        const char *heard;
    } cases[] = {
        {"test.Other", false, "3 4 1 2 | "}, /* replaced */
        {"test.Fails", false, "| "},         /* one fails before anything is at stake */
        {"test.Other", true, "3 | "},        /* one cannot let go */
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct rank ranks[RANKS] = {{.xml = ASSEMBLY(DRIVER CHOICE WIRE GO), .watches = true},
                                    {.xml = ASSEMBLY(DRIVER CHOICE WIRE GO), .watches = true}};

        ranks[0].replacement = "test.Other";
        ranks[1].replacement = cases[k].second;
        ranks[1].holds = cases[k].holds;
        run(ranks);
        for (int i = 0; i < RANKS; i++) {
            ranks[i].heard[strlen(cases[k].heard)] = '\0'; /* the end of all follows */
            assert_string_equal(ranks[i].heard, cases[k].heard);
        }
    }
}

/* Whatever fails, and wherever, every bit is as without a swap, and every step ran alike. */
static void faults_of_one_rank_change_no_bit_and_no_step(void **state)
{
#define COUNTERS                                                                                   \
    ASSEMBLY(DRIVER "<instance name='worker' class='test.Counter'>"                                \
                    "<alternative class='test.Tally'/></instance>"                                 \
                    "<instance name='aide' class='test.Worker'/>" WIRE                             \
                    "<connect user='worker' uses='helper' provider='aide' provides='work'/>" GO)
    double expected = 0;

    for (int fails_on = -1; fails_on < RANKS; fails_on++) {
        struct rank ranks[RANKS] = {{.xml = COUNTERS, .computes = true, .fails_on = fails_on},
                                    {.xml = COUNTERS, .computes = true, .fails_on = fails_on}};

        run(ranks);
        if (fails_on < 0)
            expected = ranks[0].log.consumed;
        for (int i = 0; i < RANKS; i++)
            assert_memory_equal(&ranks[i].log.consumed, &expected, sizeof expected);
        assert_string_equal(ranks[0].ran, ranks[1].ran);
        assert_true(fails_on < 0 || strchr(ranks[0].ran, 'T'));
    }
}

UNIT_TESTS(cmocka_unit_test(ranks_that_agree_replace_alike),
           cmocka_unit_test(different_assemblies_are_refused),
           cmocka_unit_test(a_failure_of_one_rank_is_everybodys),
           cmocka_unit_test(a_replacement_that_fails_on_one_rank_is_put_back_on_all),
           cmocka_unit_test(every_rank_hears_the_same),
           cmocka_unit_test(faults_of_one_rank_change_no_bit_and_no_step))
