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
    (void)state;
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

    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
    removed_is("ranks 3\nrepeat 3 as i\nregion work\n"
               " compute 10ms + (i == rank) * 30ms\nend\nbarrier\nend\n",
               "ranks 3\nrepeat 3\ncompute 20ms\nbarrier\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_VARIATION}, select_work);
}

static void static_imbalance_leaves_variation(void **state)
{
    (void)state;
    removed_is("ranks 2\nrepeat 2 as i\nregion work\n"
               " compute 10ms * (1 + i) * (1 + 2 * rank)\nend\nbarrier\nend\n",
               "ranks 2\nrepeat 2 as i\ncompute 20ms * (1 + i)\nbarrier\nend\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_STATIC}, select_work);
}

static void time_may_also_shrink(void **state)
{
    (void)state;
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
    (void)state;
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

    (void)state;
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
    (void)state;
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
    (void)state;
    removed_is(CHAIN(""), "ranks 5\ncompute 13ms\n",
               (struct portolan_removal){.kind = PORTOLAN_REMOVE_DEPENDENCE}, select_receives);
}

static void messages_become_local(void **state)
{
    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
    assert_int_equal(portolan_replay(a.waits, &removal, 1, NULL, &r, &err), PORTOLAN_EINFEASIBLE);
    assert_string_equal(err.text, "s: ranks wait for each other without what was removed");
    forget(&a);
}

/* ------------------------------------------------- what is estimated */

static void costs_are_the_line_below_all_messages(void **state)
{
    struct analysed a =
        analyse_scenario("ranks 2\nlatency 7us\nbandwidth 2e9\neager 10000\nrepeat 9 as i\n"
                         "on 0\n compute 1ms\n send 1 1000 * (i + 1)\nelse\n recv 0\nend\nend\n"
                         "on 1\n compute 1ms\nend\n"
                         "on 0\n send 1 10001\nelse\n recv 0\nend\n");
    struct portolan_costs costs;

    (void)state;
    assert_int_equal(portolan_costs_estimate(a.waits, &costs, NULL), PORTOLAN_OK);
    assert_int_equal(costs.latency_ns, 7000);
    assert_true(fabs(costs.ns_per_byte - 0.5) < 1e-9);
    assert_int_equal(costs.eager_bytes, 10000);
    forget(&a);
}

/* Both sides begin at one time; one call receives two messages, one after the other. */
static void costs_are_known_where_nobody_was_late(void **state)
{
    struct analysed a =
        analyse_scenario("ranks 3\nlatency 7us\nbandwidth 2e9\neager 1M\n"
                         "on 0\n irecv 1 as r\n irecv 2 as r\n waitall\nelse\n send 0 1000\nend\n"
                         "on 0\n send 1 3000\nend\non 1\n recv 0\nend\n");
    struct portolan_costs costs;

    (void)state;
    assert_int_equal(portolan_costs_estimate(a.waits, &costs, NULL), PORTOLAN_OK);
    assert_int_equal(costs.latency_ns, 7000);
    assert_true(fabs(costs.ns_per_byte - 0.5) < 1e-9);
    forget(&a);
}

/* A send of 1 KiB ends just after the receive was posted, but one of 4 KiB long before: none is
 * synchronous. */
static void a_send_that_ended_before_proves_more(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_costs costs;
    struct analysed a;

    (void)state;
    for (int i = 0; i < 2; i++) {
        BEGIN(0, 100 * i, "MPI_Send");
        EVENT(0, SEND, .ns = 100 * i, .peer = 1, .bytes = i ? 1024 : 4096);
        END(0, 100 * i + 5, "MPI_Send");
        BEGIN(1, i ? 104 : 50, "MPI_Recv");
        EVENT(1, RECV, .ns = i ? 104 : 50, .peer = 0, .bytes = i ? 1024 : 4096);
        END(1, i ? 110 : 60, "MPI_Recv");
    }
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    a = analyse(t);
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_LATE_RECEIVER], 4);
    assert_int_equal(portolan_costs_estimate(a.waits, &costs, NULL), PORTOLAN_OK);
    assert_true(costs.eager_bytes == UINT64_MAX);
    forget(&a);
}

/* Useful 10, 20, 30, 40 ms in a run of 50: mean 25 of 40; ideal 40 of 50. */
static void efficiencies_are_those_of_pop(void **state)
{
    struct analysed a = analyse_scenario("ranks 4\nlatency 5ms\ncompute (rank + 1) * 10ms\n"
                                         "allreduce 8\n");
    struct portolan_efficiencies x;

    (void)state;
    assert_int_equal(portolan_efficiencies(a.waits, &x, NULL), PORTOLAN_OK);
    assert_true(fabs(x.load_balance - 25. / 40) < 1e-12);
    assert_true(fabs(x.serialisation - 1) < 1e-12);
    assert_true(fabs(x.transfer - 40. / 50) < 1e-12);
    assert_true(fabs(x.parallel - 25. / 50) < 1e-12);
    forget(&a);
}

/* Starting takes 900 of 1,000 us; the rest is 50 and 100 of work. */
static void efficiencies_are_without_start_and_end(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_efficiencies x;
    struct analysed a;

    (void)state;
    for (int rank = 0; rank < 2; rank++) {
        BEGIN(rank, 0, "MPI_Init");
        EVENT(rank, COLLECTIVE, .ns = 0, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 900000, "MPI_Init");
        BEGIN(rank, rank ? 950000 : 1000000, "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 950000, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 1000000, "MPI_Barrier");
    }
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    a = analyse(t);
    assert_int_equal(portolan_efficiencies(a.waits, &x, NULL), PORTOLAN_OK);
    assert_int_equal(x.start_and_end_ns, 900000);
    assert_true(fabs(x.load_balance - 0.75) < 1e-12);
    assert_true(fabs(x.parallel - 0.75) < 1e-12);
    forget(&a);
}

/* The processor was taken away: 10 ms of work took 25. */
static void processor_times_repair_a_shared_run(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_replay_options options = {.use_cpu = true};
    struct portolan_replay r;
    struct analysed a;

    (void)state;
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

    (void)state;
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

static void value(struct portolan_trace *t, int rank, int64_t ns, const char *name, double value)
{
    size_t what = portolan_trace_name(t, name);
    uint64_t bytes;

    memcpy(&bytes, &value, sizeof bytes);
    EVENT(rank, VALUE, .ns = ns, .what = what & 0xffffff, .bytes = bytes);
}

/* Records a call with one message: 30 before it reached MPI, 20 for each of two events after. */
static void recorded_call(struct portolan_trace *t, int rank, int64_t begin, int64_t end)
{
    static const double costs[] = {30, 40};
    static const char *const names[] = {PORTOLAN_TRACE_COST_BEFORE, PORTOLAN_TRACE_COST_AFTER};
    const char *routine = rank ? "MPI_Recv" : "MPI_Send";

    BEGIN(rank, begin, routine);
    if (rank)
        EVENT(1, RECV, .ns = end, .peer = 0, .tag = 7, .bytes = 8);
    else
        EVENT(0, SEND, .ns = begin, .peer = 1, .tag = 7, .bytes = 8);
    END(rank, end, routine);
    for (int i = 0; i < 2; i++)
        value(t, rank, end, names[i], costs[i]);
}

/* Recording took SHARE of the trace, which is destroyed; new times of all BEGIN and END. */
static void expect_undisturbed(struct portolan_trace *t, bool share_cores, double share,
                               const int64_t *expected, size_t n)
{
    struct portolan_matching *m = made_matching(t);
    struct portolan_waits *w;
    double recording;
    size_t k = 0;

    assert_int_equal(portolan_waits_create(m, &w, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_trace_undisturb(t, share_cores, &m, &w, &recording, NULL),
                     PORTOLAN_OK);
    assert_true(fabs(recording - share) < 1e-12);
    assert_int_equal(m->n_reversed, 0);
    for (size_t e = 0; e < t->n_events; e++)
        if (t->events[e].kind == PORTOLAN_TRACE_BEGIN || t->events[e].kind == PORTOLAN_TRACE_END)
            assert_int_equal(t->events[e].ns, expected[k++]);
    assert_int_equal(k, n);
    portolan_waits_destroy(w);
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

/* Sends take 10, messages 15; rank 0 computes 100 before each, rank 1 computes 5 between. */
static void what_recording_took_is_taken_out(void **state)
{
    static const double damaged[] = {-1e9, NAN, INFINITY};
    static const int64_t expected[] = {100, 110, 210, 220, 0, 115, 120, 225};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    (void)state;
    recorded_call(t, 0, 100, 140);
    recorded_call(t, 0, 280, 320);
    recorded_call(t, 1, 0, 145);
    recorded_call(t, 1, 190, 325);
    for (size_t i = 0; i < 3; i++) /* what no clock can say is passed over */
        value(t, 0, 320, PORTOLAN_TRACE_COST_AFTER, damaged[i]);
    expect_undisturbed(t, false, 1 - 225.0 / 325, expected, 8);
}

/* Recording costs a mean: a message that came 20 after its call began cannot have taken 30. */
static void no_message_arrives_before_it_was_sent(void **state)
{
    static const int64_t expected[] = {100, 110, 0, 100};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    (void)state;
    recorded_call(t, 0, 100, 140);
    recorded_call(t, 1, 0, 120);
    expect_undisturbed(t, false, 1 - 110.0 / 140, expected, 4);
}

/* Blocks were stored, which took 50, in the first send and after the second, and 1000, which is not
 * exact, where rank 1 computed for 45. */
static void what_storing_took_is_taken_out(void **state)
{
    static const int64_t expected[] = {100, 110, 210, 220, 270, 280, 0, 115, 115, 225, 225, 285};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    (void)state;
    value(t, 0, 0, PORTOLAN_TRACE_COST_BLOCK, 50);
    recorded_call(t, 0, 100, 190);
    recorded_call(t, 0, 330, 370);
    value(t, 0, 370, PORTOLAN_TRACE_COST_BLOCK, 50);
    value(t, 0, 370, "what had no room", 1);
    recorded_call(t, 0, 510, 550);
    recorded_call(t, 1, 0, 195);
    value(t, 1, 195, PORTOLAN_TRACE_COST_BLOCK, 1000);
    value(t, 1, 195, "what had no room", 1);
    recorded_call(t, 1, 240, 375);
    recorded_call(t, 1, 415, 555);
    expect_undisturbed(t, false, 1 - 285.0 / 555, expected, 12);
}

/* A message of rank 0: its calls, one after the other, and those of rank 1. */
static void message(struct portolan_trace *t, uint64_t bytes, int64_t send_begin, int64_t send_end,
                    int64_t recv_begin, int64_t recv_end)
{
    BEGIN(0, send_begin, "MPI_Send");
    EVENT(0, SEND, .ns = send_begin, .peer = 1, .bytes = bytes);
    END(0, send_end, "MPI_Send");
    BEGIN(1, recv_begin, "MPI_Recv");
    EVENT(1, RECV, .ns = recv_end, .peer = 0, .bytes = bytes);
    END(1, recv_end, "MPI_Recv");
}

/* The second message had to wait until rank 1 had a core, and so did the barrier, where rank 0 had
   none. The first lay ready: a message takes 3 to send and 4 to receive, and a barrier two. */
static void what_waited_for_a_core_is_taken_out(void **state)
{
    static const int64_t expected[] = {0, 3, 900, 903, 1000, 1014, 100, 104, 200, 911, 921, 1014};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    (void)state;
    message(t, 8, 0, 3, 100, 104);
    message(t, 8, 900, 903, 200, 6000);
    for (int rank = 0; rank < 2; rank++) {
        BEGIN(rank, rank ? 6010 : 1000, "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 6010, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 16010, "MPI_Barrier");
    }
    expect_undisturbed(t, true, 0, expected, 12);
}

/* Large messages seem to take 1000, as the second does, but the first lay ready after 100: so a
   wait seems to end 895 before its message came, but the third's does not end before that was sent.
 */
static void without_a_core_too_no_message_arrives_before_it_was_sent(void **state)
{
    static const int64_t expected[] = {0,   1,   200, 201,  5000, 5001, 50,   51,
                                       100, 105, 110, 1200, 1300, 1301, 1400, 5000};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    (void)state;
    for (int i = 0; i < 2; i++) {
        int64_t at = i ? 5000 : 0, posted = i ? 1300 : 50;
        uint64_t bytes = i ? 0 : 1000;

        BEGIN(0, at, "MPI_Send");
        EVENT(0, SEND, .ns = at, .peer = 1, .bytes = bytes);
        END(0, at + 1, "MPI_Send");
        BEGIN(1, posted, "MPI_Irecv");
        EVENT(1, RECV_POST, .ns = posted, .peer = 0, .request = 1);
        END(1, posted + 1, "MPI_Irecv");
        BEGIN(1, i ? 1400 : 100, "MPI_Wait");
        EVENT(1, RECV, .ns = i ? 5010 : 105, .peer = 0, .bytes = bytes, .request = 1);
        END(1, i ? 5010 : 105, "MPI_Wait");
        if (!i)
            message(t, 1000, 200, 201, 110, 1200);
    }
    expect_undisturbed(t, true, 0, expected, 16);
}

static void a_failed_allocation_is_told(void **state)
{
    struct analysed a = analyse_scenario("ranks 3\nrepeat 3\nsendrecv (rank+1) % size from "
                                         "(rank-1) % size\ncompute rank\nend\nbarrier\n");
    struct portolan_removal removals[] = {{.kind = PORTOLAN_REMOVE_MESSAGES, .k = 1},
                                          {.kind = PORTOLAN_REMOVE_IMBALANCE}};
    enum portolan_status status = PORTOLAN_ENOMEM;
    struct portolan_replay r;

    (void)state;
    for (unsigned long k = 1; status == PORTOLAN_ENOMEM; k++) {
        portolan_alloc_fail_at(k);
        status = portolan_replay(a.waits, removals, 2, NULL, &r, NULL);
        portolan_alloc_fail_at(0);
    }
    assert_int_equal(status, PORTOLAN_OK);
    forget(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_is_every_event_has_its_time),
        cmocka_unit_test(without_what_was_late_nobody_is),
        cmocka_unit_test(imbalance_becomes_the_mean),
        cmocka_unit_test(excess_goes),
        cmocka_unit_test(variation_becomes_the_mean),
        cmocka_unit_test(a_full_buffer_waits_for_its_receiver),
        cmocka_unit_test(time_may_also_shrink),
        cmocka_unit_test(static_imbalance_leaves_variation),
        cmocka_unit_test(messages_are_joined),
        cmocka_unit_test(joined_messages_pass_no_others),
        cmocka_unit_test(collectives_are_free),
        cmocka_unit_test(a_dependence_vanishes),
        cmocka_unit_test(messages_become_local),
        cmocka_unit_test(the_network_is_ideal),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(costs_are_the_line_below_all_messages),
        cmocka_unit_test(costs_are_known_where_nobody_was_late),
        cmocka_unit_test(a_send_that_ended_before_proves_more),
        cmocka_unit_test(efficiencies_are_those_of_pop),
        cmocka_unit_test(efficiencies_are_without_start_and_end),
        cmocka_unit_test(processor_times_repair_a_shared_run),
        cmocka_unit_test(clocks_of_ranks_become_one),
        cmocka_unit_test(what_recording_took_is_taken_out),
        cmocka_unit_test(no_message_arrives_before_it_was_sent),
        cmocka_unit_test(what_storing_took_is_taken_out),
        cmocka_unit_test(what_waited_for_a_core_is_taken_out),
        cmocka_unit_test(without_a_core_too_no_message_arrives_before_it_was_sent),
        cmocka_unit_test(a_failed_allocation_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
