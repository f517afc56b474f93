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
};

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
    if (r->built == PORTOLAN_OK && r->replacement) {
        portolan_ports_Builder_replace(portolan_framework_peek_extension(fw), "worker",
                                       r->replacement, NULL, &ex);
        r->replaced = portolan_catch(&ex, &r->err);
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_agree_replace_alike),
        cmocka_unit_test(different_assemblies_are_refused),
        cmocka_unit_test(a_failure_of_one_rank_is_everybodys),
        cmocka_unit_test(a_replacement_that_fails_on_one_rank_is_put_back_on_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
