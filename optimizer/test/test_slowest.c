/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank's samples the Optimizer sees: two ranks, one after the other, over a tree of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../component/component.h"

static const struct portolan_sample *samples;
static size_t n_samples;

static enum portolan_status latest(struct portolan_records *self,
                                   const struct portolan_sample **out, size_t *n,
                                   struct portolan_error *err)
{
    (void)self, (void)err;
    *out = samples;
    *n = n_samples;
    return PORTOLAN_OK;
}

/* What rank 1 sent, for rank 0. */
static void *sent;
static size_t sent_bytes;

static enum portolan_status reduce(struct portolan_cohort *c, void **bytes, size_t *size,
                                   portolan_cohort_merge_fn merge, void *arg)
{
    void *out = NULL;
    size_t out_bytes = 0;
    enum portolan_status status;

    if (c->rank == 1) {
        free(sent);
        sent = *bytes;
        sent_bytes = *size;
        *bytes = NULL;
        *size = 0;
        return PORTOLAN_OK;
    }
    status = merge(arg, *bytes, *size, sent, sent_bytes, &out, &out_bytes);
    free(*bytes);
    *bytes = out;
    *size = out_bytes;
    return status;
}

static void rank_has(struct optimizer *o, int rank, const struct portolan_sample *s, size_t n)
{
    samples = s;
    n_samples = n;
    o->cohort->rank = rank;
    optimizer_gather_step(o);
}

static struct portolan_sample sample(const char *method, double exclusive_ns, double mpi_ns)
{
    return (struct portolan_sample){.step = 7,
                                    .parent = -1,
                                    .user = "",
                                    .uses = "",
                                    .instance = "solver",
                                    .port = "solver",
                                    .implementation = "heat.Band",
                                    .port_type = "heat.Solver",
                                    .method = method,
                                    .n_context = 2,
                                    .context_name = {"n", "band"},
                                    .context = {64, 3},
                                    .calls = 5,
                                    .timed_calls = 5,
                                    .exclusive_ns = exclusive_ns,
                                    .inclusive_ns = exclusive_ns,
                                    .mpi_ns = mpi_ns,
                                    .quality = NAN};
}

static void who_worked_most_is_heard_whoever_waited_longest(void **state)
{
    static const struct portolan_records_ops ops = {.latest = latest};
    struct portolan_records records = {.ops = &ops};
    struct portolan_cohort cohort = {.size = 2, .reduce = reduce};
    struct optimizer o = {.cohort = &cohort, .records = &records};
    struct portolan_sample waits[] = {sample("setup", 900, 800)};
    struct portolan_sample works[] = {sample("setup", 300, 0), sample("solve", 400, 50)};

    (void)state;
    works[1].parent = 0;
    rank_has(&o, 1, works, 2);
    rank_has(&o, 0, waits, 1);
    assert_int_equal(o.n_step_samples, 2);
    assert_string_equal(o.step_samples[1].method, "solve");
    assert_string_equal(o.step_samples[1].implementation, "heat.Band");
    assert_string_equal(o.step_samples[1].context_name[1], "band");
    assert_true(o.step_samples[1].context[1] == 3 && o.step_samples[1].exclusive_ns == 400);
    assert_int_equal(o.step_samples[1].parent, 0);
    assert_int_equal(o.step_samples[1].calls, 5);
    assert_true(isnan(o.step_samples[1].quality));

    rank_has(&o, 1, waits, 1);
    rank_has(&o, 0, works, 2);
    assert_int_equal(o.n_step_samples, 2);
    assert_true(o.step_samples[0].exclusive_ns == 300);

    /* A rank that had no memory to speak. */
    free(sent);
    sent = NULL;
    sent_bytes = 0;
    rank_has(&o, 0, waits, 1);
    assert_int_equal(o.n_step_samples, 1);

    /* Alone there is nobody to hear. */
    cohort.size = 1;
    rank_has(&o, 0, works, 2);
    assert_ptr_equal(o.step_samples, works);
    optimizer_forget_step(&o);
    assert_int_equal(o.n_step_samples, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_worked_most_is_heard_whoever_waited_longest),
    };

    return cmocka_run_group_tests_name("slowest", tests, NULL, NULL);
}
