/* SPDX-License-Identifier: BSD-3-Clause */
/* The container: what is added comes back in order, and cut files are mended. */
#include <portolan/trace.h>

#include <unit_test.h>

enum { ENTER = PORTOLAN_TRACE_ENTER, LEAVE = PORTOLAN_TRACE_LEAVE };
enum { BEGIN = PORTOLAN_TRACE_BEGIN, END = PORTOLAN_TRACE_END };

static void add(struct portolan_trace *t, int rank, int64_t ns, unsigned kind, unsigned what)
{
    struct portolan_trace_event e = {.ns = ns};

    e.kind = kind & 0xff;
    e.what = what & 0xffffff;
    assert_true(portolan_trace_add(t, rank, 0, &e));
}

/* Regions and routines 0 to 8, for events to name. */
static struct portolan_trace *with_tables(int ranks)
{
    struct portolan_trace *t = portolan_trace_create(ranks, "made");

    for (int i = 0; i < 9; i++) {
        char name[2] = {(char)('a' + i)};
        struct portolan_trace_region region = {.name = name};

        assert_int_equal(portolan_trace_region(t, &region), i);
        assert_int_equal(portolan_trace_routine(t, name), i);
    }
    return t;
}

static struct portolan_trace *finished(struct portolan_trace *t)
{
    struct portolan_error err = {0};

    assert_int_equal(portolan_trace_finish(t, &err), PORTOLAN_OK);
    return t;
}

static void events_are(const struct portolan_trace *t, size_t location, const int64_t (*want)[3],
                       size_t n)
{
    const struct portolan_trace_location *l = &t->locations[location];

    assert_int_equal(l->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(t->events[l->first + i].ns, want[i][0]);
        assert_int_equal(t->events[l->first + i].kind, want[i][1]);
        assert_int_equal(t->events[l->first + i].what, want[i][2]);
    }
}

static void locations_and_times_are_put_in_order(void **state)
{
    struct portolan_trace *t = with_tables(2);

    add(t, 1, 130, ENTER, 0);
    add(t, 0, 120, BEGIN, 4);
    add(t, 1, 150, LEAVE, 0);
    add(t, 0, 145, END, 4);
    add(t, 0, 110, PORTOLAN_TRACE_MARK, 0); /* late */
    finished(t);
    events_are(t, 0,
               (const int64_t[][3]){{0, PORTOLAN_TRACE_MARK, 0}, {10, BEGIN, 4}, {35, END, 4}}, 3);
    events_are(t, 1, (const int64_t[][3]){{20, ENTER, 0}, {40, LEAVE, 0}}, 2);
    assert_false(t->locations[0].is_cut || t->locations[1].is_cut);
    portolan_trace_destroy(t);
}

static void what_a_cut_file_leaves_is_mended(void **state)
{
    struct portolan_trace *t = with_tables(1);

    add(t, 0, 0, LEAVE, 7);                /* never entered */
    add(t, 0, 0, ENTER, 9);                /* no such region */
    add(t, 0, 0, PORTOLAN_TRACE_EPOCH, 0); /* no such window */
    add(t, 0, 1, ENTER, 1);
    add(t, 0, 2, ENTER, 2);
    add(t, 0, 3, BEGIN, 1);
    add(t, 0, 4, BEGIN, 2); /* the end of the call before is lost */
    add(t, 0, 5, LEAVE, 1); /* so is that of the inner region */
    add(t, 0, 6, ENTER, 3);
    add(t, 0, 8, PORTOLAN_TRACE_MARK, 0);
    finished(t);
    events_are(t, 0,
               (const int64_t[][3]){{0, ENTER, 1},
                                    {1, ENTER, 2},
                                    {2, BEGIN, 1},
                                    {3, END, 1},
                                    {3, BEGIN, 2},
                                    {4, END, 2},
                                    {4, LEAVE, 2},
                                    {4, LEAVE, 1},
                                    {5, ENTER, 3},
                                    {7, PORTOLAN_TRACE_MARK, 0},
                                    {7, LEAVE, 3}},
               11);
    assert_true(t->locations[0].is_cut);
    portolan_trace_destroy(t);
}

/* Regions overlap so at the end of traces of eztrace. */
static void regions_that_overlap_end_together(void **state)
{
    struct portolan_trace *t = with_tables(2);

    add(t, 0, 0, ENTER, 1);
    add(t, 0, 1, ENTER, 2);
    add(t, 0, 2, LEAVE, 1);
    add(t, 0, 3, LEAVE, 2);
    add(t, 1, 0, ENTER, 1);
    add(t, 1, 1, ENTER, 2); /* its end is lost */
    add(t, 1, 2, LEAVE, 1);
    finished(t);
    for (int rank = 0; rank < 2; rank++)
        events_are(t, rank,
                   (const int64_t[][3]){{0, ENTER, 1}, {1, ENTER, 2}, {2, LEAVE, 2}, {2, LEAVE, 1}},
                   4);
    assert_false(t->locations[0].is_cut);
    assert_true(t->locations[1].is_cut);
    portolan_trace_destroy(t);
}

static void entries_are_found_by_content(void **state)
{
    struct portolan_trace *t = portolan_trace_create(4, NULL);
    struct portolan_trace_region a = {PORTOLAN_TRACE_PORT, "solve", "driver", "solver", "cholmod"};
    struct portolan_trace_region b = {.kind = PORTOLAN_TRACE_TIMER, .name = "solve"};
    int members[] = {2, 3};
    struct portolan_trace_comm pair = {.id = 9, .n_members = 2, .members = members};

    assert_int_equal(portolan_trace_region(t, &a), 0);
    assert_int_equal(portolan_trace_region(t, &b), 1);
    assert_int_equal(portolan_trace_region(t, &a), 0);
    assert_string_equal(t->regions[1].provider, "");
    assert_int_equal(portolan_trace_comm(t, &pair), 1);
    members[0] = 0; /* copied, and the first definition stays */
    assert_int_equal(portolan_trace_comm(t, &pair), 1);
    assert_int_equal(t->comms[1].members[0], 2);
    assert_int_equal(t->comms[0].n_members, 4);
    assert_int_equal(t->comms[0].members[3], 3);
    for (size_t i = 0; i < 1000; i++) {
        char name[32];

        snprintf(name, sizeof name, "MPI_%zu", i);
        assert_int_equal(portolan_trace_routine(t, name), i);
    }
    assert_int_equal(portolan_trace_routine(t, "MPI_77"), 77);
    portolan_trace_destroy(t);
}

static void many_events_of_many_locations_come_back(void **state)
{
    enum { RANKS = 30, EVENTS = 9000 };
    struct portolan_trace *t = portolan_trace_create(RANKS, NULL);

    for (int i = 0; i < EVENTS; i++)
        for (int rank = RANKS; rank-- > 0;)
            add(t, rank, i * RANKS + rank, PORTOLAN_TRACE_MARK, 0);
    finished(t);
    assert_int_equal(t->n_events, RANKS * EVENTS);
    for (size_t i = 0; i < t->n_events; i++)
        assert_int_equal(t->events[i].ns, i % EVENTS * RANKS + i / EVENTS);
    portolan_trace_destroy(t);
}

static void a_failed_allocation_is_told(void **state)
{
    for (unsigned long k = 1; k < 60; k++) {
        struct portolan_trace *t;
        struct portolan_trace_event e = {.kind = PORTOLAN_TRACE_MARK};
        bool ok;

        portolan_alloc_fail_at(k);
        t = portolan_trace_create(2, "x");
        ok = t && portolan_trace_routine(t, "MPI_Send") == 0;
        for (int i = 0; ok && i < 100; i++)
            ok = portolan_trace_add(t, i % 2, 0, &e);
        ok = ok && portolan_trace_finish(t, NULL) == PORTOLAN_OK;
        portolan_alloc_fail_at(0);
        assert_true(ok ? t->n_events == 100 : k < 50);
        portolan_trace_destroy(t);
    }
}

static void routines_have_classes(void **state)
{
    static const struct {
        const char *name;
        enum portolan_trace_routine_class class;
        bool is_nonblocking;
    } cases[] = {
        {"MPI_Send", PORTOLAN_ROUTINE_SEND, false},
        {"PMPI_Send_c", PORTOLAN_ROUTINE_SEND, false},
        {"MPI_Isend", PORTOLAN_ROUTINE_POST, false},
        {"MPI_Start", PORTOLAN_ROUTINE_POST, false},
        {"MPI_Iprobe", PORTOLAN_ROUTINE_POLL, false},
        {"MPI_Barrier", PORTOLAN_ROUTINE_BARRIER, false},
        {"MPI_Ibarrier", PORTOLAN_ROUTINE_BARRIER, true},
        {"MPI_Iallreduce_c", PORTOLAN_ROUTINE_N_TO_N, true},
        {"MPI_Bcast_init", PORTOLAN_ROUTINE_ONE_TO_N, true},
        {"MPI_Send_init", PORTOLAN_ROUTINE_OTHER, false},
        {"MPI_Ineighbor_alltoallw", PORTOLAN_ROUTINE_NEIGHBOUR, true},
        {"MPI_Comm_idup", PORTOLAN_ROUTINE_CREATE, true},
        {"MPI_Comm_split", PORTOLAN_ROUTINE_CREATE, false},
        {"MPI_Init_thread", PORTOLAN_ROUTINE_INIT, false},
        {"MPI_Win_wait", PORTOLAN_ROUTINE_WIN_WAIT, false},
        {"MPI_Comm_rank", PORTOLAN_ROUTINE_OTHER, false},
        {"solve", PORTOLAN_ROUTINE_OTHER, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_nonblocking = !cases[i].is_nonblocking;

        assert_int_equal(portolan_trace_classify(cases[i].name, &is_nonblocking), cases[i].class);
        assert_int_equal(is_nonblocking, cases[i].is_nonblocking);
    }
}

/* Rows of calls have a clock that is a little off: what they say does not cut calls of MPI. */
static void spans_go_between_calls(void **state)
{
    struct portolan_trace *t = portolan_trace_create(1, "made"), *both = NULL;
    struct portolan_trace_region inner = {PORTOLAN_TRACE_PORT, "inner", "a", "b", "c"};
    struct portolan_trace_region outer = {PORTOLAN_TRACE_PORT, "outer", "a", "b", "c"};
    struct portolan_trace_span spans[] = {
        {.begin_ns = 15, .end_ns = 25, .region = inner},
        {.begin_ns = 10, .end_ns = 40, .region = outer},
        {.rank = 7, .begin_ns = 10, .end_ns = 40, .region = outer},
    };
    struct portolan_error err = {0};

    add(t, 0, 0, PORTOLAN_TRACE_MARK, 0);
    add(t, 0, 20, BEGIN, 0);
    add(t, 0, 30, END, 0);
    add(t, 0, 50, PORTOLAN_TRACE_MARK, 0);
    portolan_trace_routine(t, "MPI_Barrier");
    finished(t);
    assert_int_equal(portolan_trace_with_spans(t, spans, 3, &both, &err), PORTOLAN_OK);
    events_are(both, 0,
               (const int64_t[][3]){{0, PORTOLAN_TRACE_MARK, 0},
                                    {10, ENTER, 0},
                                    {15, ENTER, 1},
                                    {20, BEGIN, 0},
                                    {30, END, 0},
                                    {30, LEAVE, 1},
                                    {40, LEAVE, 0},
                                    {50, PORTOLAN_TRACE_MARK, 0}},
               8);
    assert_false(both->locations[0].is_cut);
    assert_int_equal(both->n_locations, 1);
    portolan_trace_destroy(both);
    portolan_trace_destroy(t);
}

UNIT_TESTS(cmocka_unit_test(spans_go_between_calls),
           cmocka_unit_test(locations_and_times_are_put_in_order),
           cmocka_unit_test(what_a_cut_file_leaves_is_mended),
           cmocka_unit_test(regions_that_overlap_end_together),
           cmocka_unit_test(entries_are_found_by_content),
           cmocka_unit_test(many_events_of_many_locations_come_back),
           cmocka_unit_test(a_failed_allocation_is_told), cmocka_unit_test(routines_have_classes))
