/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every wait state, planted at 0, 3, 10 and 30 % of run time on 2 to 64 ranks: its severity is the
 * closed form that the table states, to the nanosecond, and its cause is where it was planted.
 */
#include "analysed.h"

#include <stdlib.h>
#include <string.h>

/* Each nanosecond of waiting is in one wait and in one delay. */
static void sums_add_up(const struct portolan_waits *w)
{
    int64_t waits[PORTOLAN_WAIT_STATES] = {0}, delays[PORTOLAN_WAIT_STATES] = {0};

    for (size_t i = 0; i < w->n_waits; i++) {
        assert_true(w->waits[i].ns > 0 && w->waits[i].by != PORTOLAN_NO_EVENT);
        waits[w->waits[i].state] += w->waits[i].ns;
    }
    for (size_t i = 0; i < w->n_delays; i++)
        delays[w->delays[i].state] += w->delays[i].direct_ns + w->delays[i].indirect_ns;
    for (int s = 0; s < PORTOLAN_WAIT_STATES; s++) {
        assert_int_equal(waits[s], w->state_ns[s]);
        assert_int_equal(delays[s], w->state_ns[s]);
    }
}

static bool is_late(const struct portolan_waits *w, uint32_t path)
{
    return w->paths[path].kind == PORTOLAN_PATH_REGION &&
           strcmp(w->trace->regions[w->paths[path].what].name, "late") == 0;
}

static void planted_is_found(const struct planted *x, int ranks, int percent)
{
    /* W is PERCENT of a run of 100 ms + W. */
    int64_t w = (int64_t)(1e8 * percent / (100 - percent)), total = 0;
    int64_t expected = w * (x->pairs * (ranks / 2) + x->others * (ranks - 1) + x->once);
    struct analysed a = analyse_planted(x, ranks, w);

    sums_add_up(a.waits);
    for (int s = 0; s < PORTOLAN_WAIT_STATES; s++)
        total += a.waits->state_ns[s];
    if (a.waits->state_ns[x->state] != expected || total != expected)
        fail_msg("%s on %d ranks at %d %%: %lld of %lld, expected %lld",
                 portolan_wait_state_name(x->state), ranks, percent,
                 (long long)a.waits->state_ns[x->state], (long long)total, (long long)expected);
    for (size_t i = 0; i < a.waits->n_delays; i++) {
        assert_int_equal(a.waits->delays[i].indirect_ns, 0);
        if (!is_late(a.waits, a.waits->delays[i].path))
            fail_msg("%s is not charged to what was late", portolan_wait_state_name(x->state));
    }
    forget(&a);
}

static void planted_waits_are_found_to_the_nanosecond(void **state)
{
    static const int percents[] = {0, 3, 10, 30}, ranks[] = {2, 4, 16, 64};

    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
        for (int r = 0; r < 4; r++)
            for (int p = 0; p < 4; p++)
                if (ranks[r] >= planted[i].least_ranks)
                    planted_is_found(&planted[i], ranks[r], percents[p]);
}

/* ------------------------------------------------- causes */

enum { MS = 1000 * 1000 };

static const struct portolan_path *path_of(const struct portolan_waits *w, uint32_t path,
                                           const char *region)
{
    const struct portolan_path *p = &w->paths[path];

    assert_int_equal(p->kind, PORTOLAN_PATH_REGION);
    assert_string_equal(w->trace->regions[p->what].name, region);
    return p;
}

static void delay_is(const struct portolan_waits *w, size_t i, uint32_t location,
                     const char *region, int64_t direct, int64_t indirect)
{
    const struct portolan_delay *d = &w->delays[i];

    assert_true(i < w->n_delays);
    assert_int_equal(d->state, PORTOLAN_WAIT_LATE_SENDER);
    assert_int_equal(d->location, location);
    path_of(w, d->path, region);
    assert_int_equal(d->direct_ns, direct);
    assert_int_equal(d->indirect_ns, indirect);
}

/* Rank 0 is late, and through rank 1 makes rank 2 wait, which rank 1 delays by 5 ms more. */
static void a_delay_is_charged_to_its_origin(void **state)
{
    struct analysed a =
        analyse_scenario("ranks 3\nlatency 1us\ncompute 100ms\n"
                         "on 0\n region first\n compute 20ms\n end\n send 1\nend\n"
                         "on 1\n recv 0\n region second\n compute 5ms\n end\n send 2\nend\n"
                         "on 2\n recv 1\nend\n");
    const struct portolan_waits *w = a.waits;

    sums_add_up(w);
    assert_int_equal(w->n_waits, 2);
    assert_int_equal(w->waits[0].ns, 20 * MS);
    assert_int_equal(w->waits[1].ns, 25 * MS + 1000);
    /* The latency that rank 1 had too much is a delay in its MPI_Recv. */
    assert_int_equal(w->n_delays, 3);
    delay_is(w, 0, 0, "first", 20 * MS, 20 * MS);
    delay_is(w, 1, 1, "second", 5 * MS, 0);
    assert_int_equal(w->delays[2].direct_ns, 1000);
    assert_int_equal(path_of(w, w->delays[0].path, "first")->critical_ns, 20 * MS);
    assert_int_equal(path_of(w, w->delays[1].path, "second")->critical_ns, 5 * MS);
    forget(&a);
}

/* Two delays make one wait: shares as their lengths. */
static void composite_waits_have_shares(void **state)
{
    struct analysed a =
        analyse_scenario("ranks 2\nrepeat 3\non 0\n region x\n compute 30ms\n end\n region y\n"
                         " compute 10ms\n end\n region z\n compute 5ms\n end\n send 1\n"
                         "else\n region z\n compute 25ms\n end\n recv 0\nend\nend\n");

    sums_add_up(a.waits);
    /* It waits 20 ms at first, then 20 more each time: 40 ms of delay make each 20 ms. */
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_LATE_SENDER], 60 * MS);
    delay_is(a.waits, 0, 0, "x", 45 * MS, 0);
    delay_is(a.waits, 1, 0, "y", 15 * MS, 0);
    assert_int_equal(a.waits->n_delays, 2);
    forget(&a);
}

static int64_t critical_sum(const struct portolan_waits *w)
{
    int64_t sum = 0;

    for (size_t i = 0; i < w->n_paths; i++)
        sum += w->paths[i].critical_ns;
    return sum;
}

/* Ranks come to each exchange at random times. */
static void random_scenarios_add_up(void **state)
{
    for (int round = 0; round < 100; round++) {
        char *text = random_scenario(round);
        struct analysed a = analyse_scenario(text);

        free(text);
        sums_add_up(a.waits);
        assert_int_equal(a.matching->n_unmatched_sends + a.matching->n_unmatched_recvs +
                             a.matching->n_reversed + a.matching->n_incomplete,
                         0);
        assert_true(a.waits->n_waits > 0);
        assert_int_equal(critical_sum(a.waits), a.waits->run_ns);
        for (size_t i = 0; i < a.waits->n_delays; i++)
            assert_int_not_equal(a.waits->delays[i].location, UINT32_MAX);
        forget(&a);
    }
}

/* ------------------------------------------------- traces of real programs */

static struct analysed analyse_made(struct portolan_trace *t)
{
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    return analyse(t);
}

/* Rank 1 polls from 10 on, works between 14 and 40000, polls again from there; rank 0 sends at
 * 40020, the test at 40030 succeeds. Only the second stretch waited, also between the polls. */
static void polling_is_waiting(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    static const int64_t polls[] = {10, 13, 40000, 40015, 40030};
    struct analysed a;

    BEGIN(0, 0, "MPI_Init");
    END(0, 1, "MPI_Init");
    BEGIN(0, 40020, "MPI_Send");
    EVENT(0, SEND, .ns = 40020, .peer = 1);
    END(0, 40021, "MPI_Send");
    BEGIN(1, 0, "MPI_Init");
    END(1, 1, "MPI_Init");
    BEGIN(1, 2, "MPI_Irecv");
    EVENT(1, RECV_POST, .ns = 2, .peer = 0, .request = 1);
    END(1, 3, "MPI_Irecv");
    for (int i = 0; i < 5; i++) {
        BEGIN(1, polls[i], "MPI_Test");
        if (i == 4)
            EVENT(1, RECV, .ns = polls[i], .peer = 0, .request = 1);
        END(1, polls[i] + 1, "MPI_Test");
    }
    a = analyse_made(t);
    sums_add_up(a.waits);
    assert_int_equal(a.waits->n_waits, 1);
    assert_true(a.waits->waits[0].is_polling);
    assert_int_equal(a.waits->waits[0].begin_ns, 40000);
    assert_int_equal(a.waits->waits[0].ns, 20);
    assert_int_equal(t->events[a.waits->waits[0].call].ns, 40030);
    forget(&a);
}

/* Rank 1 polls from 10 on, each 5 us; after half a millisecond it loses its processor for 40 us.
   The recorder stores a block in the midst of a poll, and notes it there. */
static void a_short_pause_does_not_end_polling(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    uint32_t storing = (uint32_t)portolan_trace_name(t, PORTOLAN_TRACE_COST_BLOCK) & 0xffffff;
    struct analysed a;

    BEGIN(0, 0, "MPI_Pcontrol");
    END(0, 0, "MPI_Pcontrol");
    BEGIN(0, 540020, "MPI_Send");
    EVENT(0, SEND, .ns = 540020, .peer = 1);
    END(0, 540021, "MPI_Send");
    for (int64_t ns = 10; ns <= 500010; ns += 5000) {
        BEGIN(1, ns, "MPI_Iprobe");
        if (ns == 250010)
            EVENT(1, VALUE, .ns = ns, .what = storing);
        END(1, ns + 1, "MPI_Iprobe");
    }
    BEGIN(1, 540010, "MPI_Recv");
    EVENT(1, RECV, .ns = 540030, .peer = 0);
    END(1, 540030, "MPI_Recv");
    a = analyse_made(t);
    sums_add_up(a.waits);
    assert_int_equal(a.waits->n_waits, 1);
    assert_int_equal(a.waits->waits[0].begin_ns, 10);
    assert_int_equal(a.waits->waits[0].ns, 540010);
    forget(&a);
}

/* A rank that probes waits in MPI_Probe; the call that follows receives at once. */
static void a_probe_waits_for_the_message(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct analysed a;

    BEGIN(0, 0, "MPI_Pcontrol");
    END(0, 0, "MPI_Pcontrol");
    BEGIN(0, 50, "MPI_Send");
    EVENT(0, SEND, .ns = 50, .peer = 1);
    END(0, 51, "MPI_Send");
    BEGIN(1, 10, "MPI_Probe");
    END(1, 53, "MPI_Probe");
    BEGIN(1, 60, "MPI_Recv");
    EVENT(1, RECV, .ns = 61, .peer = 0);
    END(1, 62, "MPI_Recv");
    a = analyse_made(t);
    sums_add_up(a.waits);
    assert_int_equal(a.waits->n_waits, 1);
    assert_int_equal(a.waits->waits[0].ns, 40);
    assert_string_equal(t->routines[t->events[a.waits->waits[0].call].what], "MPI_Probe");
    forget(&a);
}

/* Three ranks come at 0, 10, 20 and go at 25, 26, 30: what remains after the last has come is no
 * waiting. */
static void completion_is_no_waiting(void **state)
{
    static const int64_t begins[] = {0, 10, 20}, ends[] = {25, 26, 30};
    struct portolan_trace *t = portolan_trace_create(3, NULL);
    struct analysed a;

    for (int rank = 0; rank < 3; rank++) {
        BEGIN(rank, begins[rank], "MPI_Init");
        END(rank, ends[rank], "MPI_Init");
        BEGIN(rank, 100 + begins[rank], "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 100 + begins[rank], .peer = PORTOLAN_TRACE_NONE);
        END(rank, 100 + ends[rank], "MPI_Barrier");
    }
    a = analyse_made(t);
    sums_add_up(a.waits);
    assert_int_equal(a.waits->n_waits, 2);
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_BARRIER], 20 + 10);
    forget(&a);
}

/* In a row of three, only neighbours wait for each other. */
static void neighbours_wait_for_neighbours(void **state)
{
    struct portolan_trace *t = portolan_trace_create(3, NULL);
    struct portolan_trace_comm row = {.id = 5,
                                      .n_members = 3,
                                      .members = (int[]){0, 1, 2},
                                      .neighbours = (int[]){1, 0, 2, 1},
                                      .first_neighbour = (size_t[]){0, 1, 3, 4}};
    unsigned what = portolan_trace_comm(t, &row) & 0xffffff;
    struct analysed a;

    for (int rank = 0; rank < 3; rank++) {
        BEGIN(rank, 10 * rank, "MPI_Neighbor_alltoall");
        EVENT(rank, COLLECTIVE, .ns = 10 * rank, .what = what, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 30, "MPI_Neighbor_alltoall");
    }
    a = analyse_made(t);
    sums_add_up(a.waits);
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_NEIGHBOUR], 10 + 10);
    forget(&a);
}

/* A receive that ended before the message was sent by the other clock waited to its end at most;
 * without partners no rank waits; locations may be empty. */
static void broken_traces_do_no_harm(void **state)
{
    struct portolan_trace *t = portolan_trace_create(4, NULL);
    struct analysed a;

    BEGIN(0, 0, "MPI_Recv");
    EVENT(0, RECV, .ns = 0, .peer = 1);
    END(0, 10, "MPI_Recv");
    BEGIN(1, 500, "MPI_Send");
    EVENT(1, SEND, .ns = 500, .peer = 0);
    END(1, 510, "MPI_Send");
    BEGIN(1, 600, "MPI_Barrier");
    EVENT(1, COLLECTIVE, .ns = 600, .peer = PORTOLAN_TRACE_NONE);
    END(1, 610, "MPI_Barrier");
    BEGIN(1, 620, "MPI_Wait");
    EVENT(1, SEND_DONE, .ns = 620, .request = 77);
    EVENT(1, EPOCH, .ns = 620, .what = 9);
    END(1, 630, "MPI_Wait");
    assert_non_null(portolan_trace_locate(t, 3, 0, NULL));
    a = analyse_made(t);
    sums_add_up(a.waits);
    assert_int_equal(a.matching->n_reversed, 1);
    assert_int_equal(a.matching->n_incomplete, 1);
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_LATE_SENDER], 10);
    forget(&a);
}

/* Events that no recorder writes, in any order: nothing crashes, and sums add up. */
static void random_events_do_no_harm(void **state)
{
    static const char *const routines[] = {
        "MPI_Send",      "MPI_Recv",     "MPI_Wait",         "MPI_Barrier",
        "MPI_Bcast",     "MPI_Init",     "MPI_Test",         "MPI_Probe",
        "MPI_Win_start", "MPI_Win_post", "MPI_Win_complete", "MPI_Win_wait",
        "MPI_Win_fence", "MPI_Put",      "MPI_Scan",         "MPI_Ssend"};
    uint64_t x = 1126;

    for (int round = 0; round < 400; round++) {
        struct portolan_trace *t = portolan_trace_create(3, NULL);
        struct portolan_trace_comm all = {.id = 1, .n_members = 2, .members = (int[]){0, 2}};
        struct portolan_removal removals[PORTOLAN_REMOVALS];
        struct portolan_replay r;
        struct analysed a;

        portolan_trace_window(t, &all);
        portolan_trace_comm(t, &all);
        for (int i = 0; i < 16; i++)
            portolan_trace_routine(t, routines[i]);
        for (int i = 0; i < 150; i++) {
            x = portolan_hash(&x, sizeof x, x);
            made(t, (int)(x % 3),
                 i % 3 ? (unsigned)(x >> 8) % (PORTOLAN_TRACE_KINDS + 1) : 2 + (unsigned)i % 2,
                 (struct portolan_trace_event){.ns = (int64_t)(x >> 16) % 1000,
                                               .bytes = (x >> 30) % 5,
                                               .request = (x >> 34) % 4,
                                               .peer = (int)((x >> 40) % 6) - 2,
                                               .tag = (int)((x >> 44) % 3) - 1,
                                               .what = (x >> 48) % (i % 3 ? 3 : 16)});
        }
        a = analyse_made(t);
        sums_add_up(a.waits);
        for (int k = 0; k < PORTOLAN_REMOVALS; k++)
            removals[k] = (struct portolan_removal){.kind = (enum portolan_removal_kind)k, .k = 2};
        portolan_replay(a.waits, NULL, 0, NULL, &r, NULL);
        portolan_replay(a.waits, removals, PORTOLAN_REMOVALS, NULL, &r, NULL);
        forget(&a);
    }
}

static void a_failed_allocation_is_told(void **state)
{
    struct analysed a = analyse_scenario("ranks 3\nlatency 1us\ncompute rank * 1ms\nbarrier\n"
                                         "on 0\n compute 5ms\n send 1\nend\non 1\n recv 0\nend\n");
    bool has_failed = true;

    for (unsigned long k = 1; has_failed; k++) {
        struct portolan_matching *m = NULL;
        struct portolan_waits *w = NULL;

        portolan_alloc_fail_at(k);
        has_failed =
            portolan_matching_create(a.trace, &m, NULL) || portolan_waits_create(m, &w, NULL);
        portolan_alloc_fail_at(0);
        assert_true(has_failed || w->n_waits == a.waits->n_waits);
        portolan_waits_destroy(w);
        portolan_matching_destroy(m);
    }
    forget(&a);
}

UNIT_TESTS(cmocka_unit_test(planted_waits_are_found_to_the_nanosecond),
           cmocka_unit_test(a_delay_is_charged_to_its_origin),
           cmocka_unit_test(composite_waits_have_shares), cmocka_unit_test(random_scenarios_add_up),
           cmocka_unit_test(polling_is_waiting),
           cmocka_unit_test(a_short_pause_does_not_end_polling),
           cmocka_unit_test(a_probe_waits_for_the_message),
           cmocka_unit_test(completion_is_no_waiting),
           cmocka_unit_test(neighbours_wait_for_neighbours),
           cmocka_unit_test(broken_traces_do_no_harm), cmocka_unit_test(random_events_do_no_harm),
           cmocka_unit_test(a_failed_allocation_is_told))
