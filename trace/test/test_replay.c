/* SPDX-License-Identifier: BSD-3-Clause */
/* A replay without a cause takes as long as the scenario that never had it. */
#include "analysed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *no_selection(const struct analysed *a)
{
    uint8_t *selected = calloc(a->trace->n_events + 1, 1);

    assert_non_null(selected);
    return selected;
}

/* Selects the events after which time passes in a region, or below it. */
static uint8_t *select_region(const struct analysed *a, const char *name)
{
    const struct portolan_waits *w = a->waits;
    uint8_t *selected = no_selection(a);

    for (size_t e = 0; e < a->trace->n_events; e++)
        for (uint32_t p = w->path[e]; p != w->paths[p].parent; p = w->paths[p].parent)
            if (w->paths[p].kind == PORTOLAN_PATH_REGION &&
                strcmp(a->trace->regions[w->paths[p].what].name, name) == 0)
                selected[e] = 1;
    return selected;
}

static uint8_t *select_kind(const struct analysed *a, unsigned kind, const char *routine)
{
    uint8_t *selected = no_selection(a);

    for (size_t e = 0; e < a->trace->n_events; e++) {
        uint32_t call =
            a->trace->events[e].kind == PORTOLAN_TRACE_BEGIN ? (uint32_t)e : a->matching->call[e];

        selected[e] = a->trace->events[e].kind == kind &&
                      strcmp(a->trace->routines[a->trace->events[call].what], routine) == 0;
    }
    return selected;
}

static struct portolan_replay replayed(const struct analysed *a,
                                       const struct portolan_removal *removals, size_t n)
{
    struct portolan_replay_options options = {.costs = &a->costs};
    struct portolan_replay r;
    struct portolan_error err = {0};

    if (portolan_replay(a->waits, removals, n, &options, &r, &err))
        fail_msg("%s", err.text);
    assert_int_equal(r.as_is_ns, a->waits->run_ns);
    assert_true(r.error == 0 && !r.is_refused);
    return r;
}

/* The run of BAD without REMOVAL, of what SELECTED has, is as long as that of GOOD. */
static void removed_is(const char *bad, const char *good, struct portolan_removal removal,
                       uint8_t *(*selected)(const struct analysed *))
{
    struct analysed a = analyse_scenario(bad), b = analyse_scenario(good);
    uint8_t *bytes = selected ? selected(&a) : NULL;
    struct portolan_replay r;

    removal.selected = bytes;
    r = replayed(&a, &removal, 1);
    assert_int_equal(r.run_ns, b.waits->run_ns);
    assert_int_not_equal(a.waits->run_ns, b.waits->run_ns);
    assert_true(fabs(r.gain - (1 - (double)b.waits->run_ns / (double)a.waits->run_ns)) < 1e-12);
    free(bytes);
    forget(&a);
    forget(&b);
}

/* ------------------------------------------------- as it is */

static void as_is_every_event_has_its_time(void **state)
{
    for (int round = 0; round < 60; round++) {
        char *text = random_scenario(round);
        struct analysed a = analyse_scenario(text);
        int64_t *ns = calloc(a.trace->n_events, sizeof *ns);
        struct portolan_replay_options options = {.event_ns = ns}; /* and costs estimated */
        struct portolan_replay r;

        assert_int_equal(portolan_replay(a.waits, NULL, 0, &options, &r, NULL), PORTOLAN_OK);
        assert_int_equal(r.run_ns, a.waits->run_ns);
        for (size_t e = 0; e < a.trace->n_events; e++)
            assert_int_equal(ns[e], a.trace->events[e].ns);
        free(ns);
        free(text);
        forget(&a);
    }
}

/* So that only the transfer is awaited, other ranks are late as well. */
static bool is_late_elsewhere(const struct planted *x)
{
    return x->state == PORTOLAN_WAIT_EARLY_FENCE || x->state == PORTOLAN_WAIT_EARLY_FREE;
}

/* Without what was planted, no rank waits, whatever had waited for it. */
static void without_what_was_late_nobody_is(void **state)
{
    static const int ranks[] = {2, 4, 16};

    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
        for (int k = 0; k < 3; k++) {
            struct analysed a, b;
            struct portolan_removal removal = {.kind = PORTOLAN_REMOVE_TIME};
            uint8_t *late;

            if (ranks[k] < planted[i].least_ranks || is_late_elsewhere(&planted[i]))
                continue;
            a = analyse_planted(&planted[i], ranks[k], 30000000);
            b = analyse_planted(&planted[i], ranks[k], 0);
            removal.selected = late = select_region(&a, "late");
            assert_int_equal(replayed(&a, &removal, 1).run_ns, b.waits->run_ns);
            free(late);
            forget(&a);
            forget(&b);
        }
}

/* ------------------------------------------------- removals */

static uint8_t *select_work(const struct analysed *a)
{
    return select_region(a, "work");
}

static void imbalance_becomes_the_mean(void **state)
{
    removed_is("ranks 4\nlatency 1us\nrepeat 5 as i\nregion work\n"
               " compute 10ms + (rank + i) % 4 * 2ms\nend\nallreduce 8\nend\n",
               "ranks 4\nlatency 1us\nrepeat 5\ncompute 13ms\nallreduce 8\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_IMBALANCE}, select_work);
    /* If ranks work different numbers of times, their totals become the mean of 15 ms. */
    removed_is("ranks 2\nrepeat 1 + rank\nregion work\n compute 10ms\nend\nend\nbarrier\n",
               "ranks 2\ncompute 15ms\nbarrier\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_IMBALANCE}, select_work);
}

static void excess_goes(void **state)
{
    removed_is("ranks 3\nrepeat 3 as i\nregion work\n"
               " compute 10ms + (i == rank) * 30ms\nend\nbarrier\nend\n",
               "ranks 3\nrepeat 3\ncompute 10ms\nbarrier\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_EXCESS}, select_work);
    removed_is("ranks 2\nrepeat 1 + rank\nregion work\n compute 10ms\nend\nend\nbarrier\n",
               "ranks 2\ncompute 10ms\nbarrier\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_EXCESS}, select_work);
}

static void variation_becomes_the_mean(void **state)
{
    removed_is("ranks 3\nrepeat 3 as i\nregion work\n"
               " compute 10ms + (i == rank) * 30ms\nend\nbarrier\nend\n",
               "ranks 3\nrepeat 3\ncompute 20ms\nbarrier\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_VARIATION}, select_work);
}

static void static_imbalance_leaves_variation(void **state)
{
    removed_is("ranks 2\nrepeat 2 as i\nregion work\n"
               " compute 10ms * (1 + i) * (1 + 2 * rank)\nend\nbarrier\nend\n",
               "ranks 2\nrepeat 2 as i\ncompute 20ms * (1 + i)\nbarrier\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_STATIC}, select_work);
}

static void time_may_also_shrink(void **state)
{
    removed_is("ranks 2\nregion work\n compute 10ms * (rank+1)\nend\nbarrier\n",
               "ranks 2\ncompute 5ms * (rank+1)\nbarrier\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_TIME, .factor = 0.5}, select_work);
}

static uint8_t *select_sends(const struct analysed *a)
{
    return select_kind(a, PORTOLAN_TRACE_SEND, "MPI_Send");
}

/* Selects sends except those with tag 9. */
static uint8_t *select_some_sends(const struct analysed *a)
{
    uint8_t *selected = select_sends(a);

    for (size_t e = 0; e < a->trace->n_events; e++)
        selected[e] &= a->trace->events[e].tag != 9;
    return selected;
}

/* Messages that stay are not passed: their receiver would wait for a later one. */
static void joined_messages_pass_no_others(void **state)
{
    removed_is("ranks 2\nlatency 1us\neager 0\non 0\nsend 1 tag 1 8\nsend 1 tag 1 8\n"
               "send 1 tag 9 8\nsend 1 tag 1 8\nelse\nrecv 0 tag 1\nrecv 0 tag 1\n"
               "recv 0 tag 9\nrecv 0 tag 1\nend\n",
               "ranks 2\nlatency 1us\neager 0\non 0\nsend 1 tag 1 16\nsend 1 tag 9 8\n"
               "send 1 tag 1 8\nelse\nrecv 0 tag 1\nrecv 0 tag 9\nrecv 0 tag 1\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_MESSAGES, .k = 3},
               select_some_sends);
}

/* A pipeline of blocks, 4 to a message: this one fills more slowly, which is no gain. */
static void messages_are_joined(void **state)
{
#define PIPELINE(blocks, work, bytes)                                                              \
    "ranks 4\nlatency 100us\nbandwidth 1e9\nrepeat " blocks "\non rank > 0\n recv rank-1\nend\n"   \
    "compute " work "\non rank < size-1\n send rank+1 " bytes "\nend\nend\n"

    removed_is(PIPELINE("16", "20us", "1000"), PIPELINE("4", "80us", "4000"),
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_MESSAGES, .k = 4}, select_sends);
#undef PIPELINE
    /* Five in each of two sweeps: four and one, since ranks meet in between. */
#define SWEEPS(blocks)                                                                             \
    "ranks 2\nlatency 100us\neager 0\nrepeat 2\non 0\n" blocks                                     \
    "else\n repeat 5\n  recv 0\n end\nend\n"                                                       \
    "barrier\nend\n"
    removed_is(SWEEPS(" repeat 5\n  compute 20us\n  send 1 1000\n end\n"),
               "ranks 2\nlatency 100us\neager 0\nrepeat 2\non 0\n compute 80us\n send 1 4000\n"
               " compute 20us\n send 1 1000\nelse\n recv 0\n recv 0\nend\nbarrier\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_MESSAGES, .k = 4}, select_sends);
#undef SWEEPS
}

static uint8_t *select_allreduces(const struct analysed *a)
{
    return select_kind(a, PORTOLAN_TRACE_BEGIN, "MPI_Allreduce");
}

static void collectives_are_free(void **state)
{
    removed_is("ranks 8\nlatency 1ms\ncompute rank * 1ms\nallreduce 8\ncompute 5ms\nallreduce 8\n",
               "ranks 8\ncompute rank * 1ms\nallreduce 8\ncompute 5ms\nallreduce 8\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_COST}, select_allreduces);
}

static uint8_t *select_receives(const struct analysed *a)
{
    return select_kind(a, PORTOLAN_TRACE_BEGIN, "MPI_Recv");
}

#define CHAIN(exchange)                                                                            \
    "ranks 5\nlatency 1ms\ncompute 3ms\non rank > 0\n" exchange " recv rank-1\nend\n"              \
    "compute 10ms\non rank < size-1\n send rank+1 8\nend\n"

static void a_dependence_vanishes(void **state)
{
    removed_is(CHAIN(""), "ranks 5\ncompute 13ms\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_DEPENDENCE}, select_receives);
}

static void messages_become_local(void **state)
{
    removed_is("ranks 4\nlatency 1ms\ncompute 3ms\nlet p = rank + 1 - 2 * (rank % 2)\n"
               "irecv p as a\nisend p 8 as b\ncompute rank * 1ms\nwaitall\n"
               "on rank == 0\n compute 4ms\n send 2\nend\non rank == 2\n recv 0\n compute "
               "5ms\nend\nbarrier\n",
               "ranks 4\nlatency 1ms\ncompute 3ms\nlet p = rank + 1 - 2 * (rank % 2)\n"
               "irecv p as a\nisend p 8 as b\ncompute rank * 1ms\nwaitall\n"
               "on rank == 0\n compute 4ms\nend\non rank == 2\n compute 5ms\nend\nbarrier\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_DISTANCE}, select_sends);
}

static void the_network_is_ideal(void **state)
{
#define EXCHANGE                                                                                   \
    "repeat 4\ncompute 3ms + rank * 1ms\nsendrecv (rank+1) % size from (rank-1) % size 64k\n"      \
    "allreduce 8k\nend\n"

    removed_is("ranks 4\nlatency 50us\nbandwidth 1e8\n" EXCHANGE, "ranks 4\n" EXCHANGE,
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_NETWORK}, NULL);
#undef EXCHANGE
}

/* Three messages fit; the fourth waits until the receiver enters MPI at 100. If that comes at half
 * the time, so does all that follows. */
static void a_full_buffer_waits_for_its_receiver(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct analysed a;
    uint8_t *work;
    struct portolan_removal removal = {.kind = PORTOLAN_REMOVE_TIME, .factor = 0.5};

    for (int i = 0; i < 4; i++) {
        BEGIN(0, 2 * i, "MPI_Send");
        EVENT(0, SEND, .ns = 2 * i, .peer = 1, .bytes = 8);
        END(0, i < 3 ? 2 * i + 1 : 105, "MPI_Send");
        EVENT(1, ENTER, .ns = 101 * i);
        EVENT(1, LEAVE, .ns = 101 * i + 100);
        BEGIN(1, 101 * i + 100, "MPI_Recv");
        EVENT(1, RECV, .ns = 101 * i + 100, .peer = 0, .bytes = 8);
        END(1, 101 * i + 101, "MPI_Recv");
    }
    assert_int_equal(portolan_trace_region(t, &(struct portolan_trace_region){.name = "work"}), 0);
    BEGIN(0, 505, "MPI_Finalize");
    END(0, 505, "MPI_Finalize");
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    a = analyse(t);
    a.costs.eager_bytes = UINT64_MAX;
    assert_int_equal(a.waits->n_waits, 1);
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_FULL_BUFFER], 100 - 6);
    assert_int_equal(a.waits->waits[0].by, t->locations[1].first + 2);
    removal.selected = work = select_region(&a, "work");
    assert_int_equal(replayed(&a, &removal, 1).run_ns, 50 + 5 + 400);
    free(work);
    forget(&a);
}

/* Both answers in one message would need both questions first. */
static void what_cannot_be_is_refused(void **state)
{
    struct analysed a = analyse_scenario("ranks 2\nrepeat 4\non 0\n send 1\n recv 1\nelse\n"
                                         " recv 0\n send 0\nend\nend\n");
    struct portolan_removal removal = {.kind = PORTOLAN_REMOVE_MESSAGES, .k = 2};
    struct portolan_replay r;
    struct portolan_error err = {0};

    assert_int_equal(portolan_replay(a.waits, &removal, 1, NULL, &r, &err), PORTOLAN_EINFEASIBLE);
    assert_string_equal(err.text, "s: ranks wait for each other without what was removed");
    forget(&a);
}

/* The processor was taken away: 10 ms of work took 25. */
static void processor_times_repair_a_shared_run(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_replay_options options = {.use_cpu = true};
    struct portolan_replay r;
    struct analysed a;

    for (int rank = 0; rank < 2; rank++) {
        int64_t work = rank ? 25 : 10;

        EVENT(rank, CPU, .ns = 0, .bytes = 0);
        EVENT(rank, CPU, .ns = work, .bytes = 10);
        BEGIN(rank, work, "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = work, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 26, "MPI_Barrier");
    }
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    a = analyse(t);
    assert_int_equal(portolan_replay(a.waits, NULL, 0, &options, &r, NULL), PORTOLAN_OK);
    assert_int_equal(r.run_ns, 11);
    assert_false(r.is_refused);
    forget(&a);
}

/* Rank 1's clock stands at 500 when rank 0's does at 0; both stand still while their ranks wait.
   Rank 0 computes 10 and sends (3); rank 1 computes 4, receives (2), computes 5; all reduce (1). */
static void clocks_of_ranks_become_one(void **state)
{
    static const int64_t expected[2][8] = {{0, 10, 10, 13, 13, 13, 18, 18},
                                           {0, 4, 4, 12, 17, 17, 18, 18}};
    struct portolan_trace *t = portolan_trace_create(2, "made");
    size_t what = portolan_trace_region(
        t, &(struct portolan_trace_region){
               .kind = PORTOLAN_TRACE_PHASE, .name = "p", .user = "", .port = "", .provider = ""});

    EVENT(0, ENTER, .ns = 0, .what = what & 0xffffff);
    BEGIN(0, 10, "MPI_Send");
    EVENT(0, SEND, .ns = 10, .peer = 1, .tag = 7, .bytes = 8);
    END(0, 13, "MPI_Send");
    BEGIN(0, 13, "MPI_Allreduce");
    EVENT(0, COLLECTIVE, .ns = 13, .peer = PORTOLAN_TRACE_NONE);
    END(0, 14, "MPI_Allreduce");
    EVENT(0, LEAVE, .ns = 14, .what = what & 0xffffff);
    EVENT(1, ENTER, .ns = 500, .what = what & 0xffffff);
    BEGIN(1, 504, "MPI_Recv");
    EVENT(1, RECV, .ns = 504, .peer = 0, .tag = 7, .bytes = 8);
    END(1, 506, "MPI_Recv");
    BEGIN(1, 511, "MPI_Allreduce");
    EVENT(1, COLLECTIVE, .ns = 511, .peer = PORTOLAN_TRACE_NONE);
    END(1, 512, "MPI_Allreduce");
    EVENT(1, LEAVE, .ns = 512, .what = what & 0xffffff);
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_trace_schedule(t, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < 16; i++)
        if (t->events[i].kind != PORTOLAN_TRACE_RECV &&
            t->events[i].kind != PORTOLAN_TRACE_COLLECTIVE)
            assert_int_equal(t->events[i].ns, expected[i / 8][i % 8]);
    portolan_trace_destroy(t);
}

static void a_failed_allocation_is_told(void **state)
{
    struct analysed a = analyse_scenario("ranks 3\nrepeat 3\nsendrecv (rank+1) % size from "
                                         "(rank-1) % size\ncompute rank\nend\nbarrier\n");
    struct portolan_removal removals[] = {{.kind = PORTOLAN_REMOVE_MESSAGES, .k = 1},
                                          {.kind = PORTOLAN_REMOVE_IMBALANCE}};
    enum portolan_status status = PORTOLAN_ENOMEM;
    struct portolan_replay r;

    for (unsigned long k = 1; status == PORTOLAN_ENOMEM; k++) {
        portolan_alloc_fail_at(k);
        status = portolan_replay(a.waits, removals, 2, NULL, &r, NULL);
        portolan_alloc_fail_at(0);
    }
    assert_int_equal(status, PORTOLAN_OK);
    forget(&a);
}

UNIT_TESTS(
    cmocka_unit_test(as_is_every_event_has_its_time),
    cmocka_unit_test(without_what_was_late_nobody_is), cmocka_unit_test(imbalance_becomes_the_mean),
    cmocka_unit_test(excess_goes), cmocka_unit_test(variation_becomes_the_mean),
    cmocka_unit_test(a_full_buffer_waits_for_its_receiver), cmocka_unit_test(time_may_also_shrink),
    cmocka_unit_test(static_imbalance_leaves_variation), cmocka_unit_test(messages_are_joined),
    cmocka_unit_test(joined_messages_pass_no_others), cmocka_unit_test(collectives_are_free),
    cmocka_unit_test(a_dependence_vanishes), cmocka_unit_test(messages_become_local),
    cmocka_unit_test(the_network_is_ideal), cmocka_unit_test(what_cannot_be_is_refused),
    cmocka_unit_test(processor_times_repair_a_shared_run),
    cmocka_unit_test(clocks_of_ranks_become_one), cmocka_unit_test(a_failed_allocation_is_told))
