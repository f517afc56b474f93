/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs whose hosts' clocks were wrong by a known law: the corrected times agree with the run
 * itself.
 */
#include "analysed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const hosts[] = {"alpha", "beta", "gamma"};

/* Returns what the clock of HOST shows at NS. */
typedef double law_fn(size_t host, double ns);

static double drifting(size_t host, double ns)
{
    static const double offset[] = {0, 5e6, -3e6}, drift[] = {0, 50e-6, -20e-6};

    return ns + offset[host] + drift[host] * ns;
}

/* This is no straight line: the second host's clock is corrected to and fro by the network. */
static double swinging(size_t host, double ns)
{
    return drifting(host, ns) + (host == 1 ? 2e5 * sin(ns * 3e-8) : 0);
}

static struct portolan_trace *scenario(const char *text)
{
    struct portolan_trace *t = NULL;
    struct portolan_error err = {0};

    if (portolan_scenario_read("s", text, NULL, &t, NULL, &err))
        fail_msg("%s\n%s", err.text, text);
    return t;
}

/* Spreads ranks in turn over N_HOSTS hosts, each with its clock; the first event stays at 0. */
static void spread_over_hosts(struct portolan_trace *t, size_t n_hosts, law_fn *law)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < t->n_locations; i++) {
        struct portolan_trace_location *l = &t->locations[i];

        l->host = hosts[(size_t)l->rank % n_hosts];
        for (size_t e = l->first; e < l->first + l->n; e++) {
            t->events[e].ns = llround(law((size_t)l->rank % n_hosts, (double)t->events[e].ns));
            least = t->events[e].ns < least ? t->events[e].ns : least;
        }
    }
    for (size_t e = 0; e < t->n_events; e++)
        t->events[e].ns -= least;
    t->has_local_clocks = true;
    t->is_virtual = false;
}

static struct portolan_clocks correct(struct portolan_trace *t)
{
    struct portolan_clocks c;
    struct portolan_matching *m, *again;

    assert_int_equal(portolan_clocks_correct(t, &c, &m, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_matching_create(t, &again, NULL), PORTOLAN_OK);
    assert_int_equal(m->n_messages, again->n_messages);
    assert_int_equal(m->n_reversed, again->n_reversed);
    portolan_matching_destroy(m);
    portolan_matching_destroy(again);
    for (size_t i = 0; i < t->n_locations; i++)
        for (size_t e = t->locations[i].first + 1; e < t->locations[i].first + t->locations[i].n;
             e++)
            assert_true(t->events[e].ns >= t->events[e - 1].ns);
    return c;
}

/* Returns the greatest difference of event times when those of the first location agree. */
static double largest_error(const struct portolan_trace *a, const struct portolan_trace *b)
{
    double largest = 0;
    int64_t shift = a->events[0].ns - b->events[0].ns;

    assert_int_equal(a->n_events, b->n_events);
    for (size_t e = 0; e < a->n_events; e++)
        largest = fmax(largest, fabs((double)(a->events[e].ns - b->events[e].ns - shift)));
    return largest;
}

/* Messages take 1 us at least, both ways, so times, and each wait, are exact up to that. */
static void drifts_are_taken_out(void **state)
{
    for (int round = 0; round < 20; round++) {
        char *text = random_scenario(round);
        struct analysed whole = analyse(scenario(text)), seen = {.trace = scenario(text)};
        size_t n_hosts = 2 + (size_t)round % 2;
        struct portolan_clocks c;

        spread_over_hosts(seen.trace, n_hosts, drifting);
        c = correct(seen.trace);
        assert_int_equal(c.n_clocks, n_hosts);
        assert_int_equal(c.n_unrelated, 0);
        assert_true(c.n_reversed_before > 0);
        assert_int_equal(c.n_reversed_after, 0);
        assert_true(c.most_moved_ns > 1e6);
        assert_true(largest_error(whole.trace, seen.trace) <= c.uncertainty_ns + 50);
        seen = analyse(seen.trace);
        /* Waits of windows are left out: scenarios end their calls in the very nanosecond of what
         * these wait for, and whether it was before or after distinguishes two waits. */
        for (int s = 0; s < PORTOLAN_WAIT_FENCE; s++)
            assert_true((double)llabs(whole.waits->state_ns[s] - seen.waits->state_ns[s]) <=
                        c.uncertainty_ns * (double)(whole.waits->n_waits + 1));
        forget(&whole);
        forget(&seen);
        free(text);
    }
}

/* A line leaves messages reversed; at last none is, and all times are as right as before. */
static void what_no_line_mends_is_moved(void **state)
{
    uint64_t by_drift = 0;

    for (int round = 0; round < 20; round++) {
        char *text = random_scenario(round);
        struct portolan_trace *whole = scenario(text), *seen = scenario(text);
        struct portolan_clocks c;

        spread_over_hosts(seen, 2, swinging);
        c = correct(seen);
        by_drift += c.n_reversed_by_drift;
        assert_int_equal(c.n_reversed_after, 0);
        assert_true(largest_error(whole, seen) <= 8e5);
        portolan_trace_destroy(whole);
        portolan_trace_destroy(seen);
        free(text);
    }
    assert_true(by_drift > 20);
}

/* Computed by hand: the line through both pairs of bounds has drift 0 and is 10 us off both ways at
 * 0 and at 2 ms, but the message at 1 ms comes 40 us too early. */
static void an_early_event_takes_others_along(void **state)
{
    static const char text[] =
        "ranks 2\nlatency 10us\non 0\n send 1\n recv 1\n compute 960us\n send 1\n compute 20us\n"
        " mark 1\n compute 960us\n recv 1\n send 1\nelse\n recv 0\n send 0\n compute 900us\n"
        " mark 1\n recv 0\n compute 900us\n send 0\n recv 0\nend\n";
    struct portolan_trace *t = scenario(text);
    const struct portolan_trace_location *one = &t->locations[1];
    struct portolan_trace_event *early = NULL, *mark = NULL;
    struct portolan_clocks c;
    int64_t was, mark_was;

    t->locations[0].host = "alpha";
    t->locations[1].host = "beta";
    for (size_t e = one->first; e < one->first + one->n; e++) {
        if (t->events[e].kind == PORTOLAN_TRACE_MARK)
            mark = &t->events[e];
        if (mark && !early && t->events[e].kind == PORTOLAN_TRACE_RECV)
            early = &t->events[e];
    }
    assert_non_null(early);
    early->ns -= 50000;
    early[1].ns -= 50000; /* the end of the call */
    was = early->ns;
    mark_was = mark->ns;
    c = correct(t);
    assert_int_equal(c.n_reversed_before, 1);
    assert_int_equal(c.n_reversed_after, 0);
    assert_true(early->ns - was >= 40000 && early->ns - was <= 50000);
    assert_true(mark->ns > mark_was + 20000); /* spread back over 100 times as long */
    portolan_trace_destroy(t);
}

/* A rank that only sends cannot be compared; nothing is guessed. */
static void one_way_tells_nothing(void **state)
{
    struct portolan_trace *t = scenario("ranks 2\nlatency 1us\nrepeat 5\n compute 1ms\n on 0\n"
                                        "  send 1\n else\n  recv 0\n end\nend\n");
    struct portolan_clocks c;
    double before, after;

    spread_over_hosts(t, 2, drifting);
    before = (double)t->events[t->locations[1].first].ns;
    c = correct(t);
    after = (double)t->events[t->locations[1].first].ns;
    assert_int_equal(c.n_unrelated, 1);
    assert_int_equal(t->n_unrelated_clocks, 1);
    assert_true(before == after);
    portolan_trace_destroy(t);
}

/* An allreduce holds all ranks up until the last has come, so it bounds both ways. */
static void collectives_tell_as_well(void **state)
{
    static const char text[] = "ranks 3\nlatency 1us\nrepeat 20\n compute random * 1ms\n"
                               " allreduce 8\nend\n";
    struct portolan_trace *whole = scenario(text), *seen = scenario(text);
    struct portolan_clocks c;

    spread_over_hosts(seen, 3, drifting);
    c = correct(seen);
    assert_int_equal(c.n_unrelated, 0);
    assert_true(c.uncertainty_ns < 20000);
    assert_true(largest_error(whole, seen) <= c.uncertainty_ns + 500);
    portolan_trace_destroy(whole);
    portolan_trace_destroy(seen);
}

static double agreeing(size_t host, double ns)
{
    (void)host;
    return ns;
}

/* Rank 0 has more to do, so messages to it lie waiting, and bound its clock loosely: a line in the
 * middle between bounds would take away from the waiting of rank 1. */
static void clocks_that_may_agree_are_left_alone(void **state)
{
    static const char text[] =
        "ranks 2\nlatency 20us\nrepeat 50\non 0\ncompute 200us\nsend 1 8\nrecv 1\n"
        "else\ncompute 100us\nsend 0 8\nrecv 0\nend\nend\n";
    struct portolan_trace *whole = scenario(text), *seen = scenario(text);
    struct portolan_clocks c;

    spread_over_hosts(seen, 2, agreeing);
    c = correct(seen);
    assert_int_equal(c.n_clocks, 2);
    assert_true(c.most_moved_ns == 0 && c.uncertainty_ns > 20000);
    assert_true(largest_error(whole, seen) == 0);
    portolan_trace_destroy(whole);
    portolan_trace_destroy(seen);
}

/* The clock is off by less than the bounds, 80 us, as rank 0 always comes last. */
static double off_by_25_us(size_t host, double ns)
{
    return ns + (host ? 25e3 : 0);
}

static double off_by_5_ms(size_t host, double ns)
{
    return ns - (host ? 5e6 : 0);
}

static void ends_of_collectives_show_who_waits(void **state)
{
    static const char text[] = "ranks 4\nlatency 20us\nrepeat 50\non 0\ncompute 200us\nelse\n"
                               "compute 100us + random * 20us\nend\nallreduce 8\nend\n";
    law_fn *const laws[] = {agreeing, off_by_25_us, off_by_5_ms};

    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        struct portolan_trace *whole = scenario(text), *seen = scenario(text);
        struct portolan_clocks c;

        spread_over_hosts(seen, 2, laws[i]);
        c = correct(seen);
        assert_true(c.uncertainty_ns > 70000);
        assert_true(largest_error(whole, seen) <= 1);
        portolan_trace_destroy(whole);
        portolan_trace_destroy(seen);
    }
}

/* Streams name their host and their counter; names of hosts alone do not identify clocks. */
static void streams_name_their_clocks(void **state)
{
    struct portolan_diagnostics d = {0};
    char folder[] = "/tmp/portolan-clocks-XXXXXX", path[64], command[80];

    assert_non_null(mkdtemp(folder));
    for (int has_one = 0; has_one < 2; has_one++) {
        char *text = random_scenario(1);
        struct portolan_trace *t = scenario(text), *read = NULL;
        struct portolan_clocks c;

        spread_over_hosts(t, 2, drifting);
        t->has_local_clocks = !has_one;
        snprintf(path, sizeof path, "%s/%d", folder, has_one);
        assert_int_equal(portolan_trace_write(t, path, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_trace_read(path, &d, &read, NULL), PORTOLAN_OK);
        assert_string_equal(read->locations[0].host, "alpha");
        assert_string_equal(read->locations[1].host, "beta");
        assert_int_equal(read->has_local_clocks, !has_one);
        c = correct(read);
        assert_int_equal(c.n_clocks, has_one ? 1 : 2);
        assert_int_equal(c.n_reversed_after, 0);
        portolan_trace_destroy(t);
        portolan_trace_destroy(read);
        free(text);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* As eztrace records: each rank counts from its start, and says that it is on the same host. */
static void ranks_of_a_host_may_have_clocks(void **state)
{
    for (int round = 0; round < 5; round++) {
        char *text = random_scenario(round);
        struct portolan_trace *whole = scenario(text), *seen = scenario(text);
        struct portolan_clocks c = correct(seen);

        assert_true(c.n_clocks == 1 && c.most_moved_ns == 0);
        spread_over_hosts(seen, 2, drifting);
        seen->has_local_clocks = false;
        for (size_t i = 0; i < seen->n_locations; i++)
            seen->locations[i].host = hosts[0];
        c = correct(seen);
        assert_int_equal(c.n_clocks, seen->n_ranks);
        assert_true(c.n_reversed_before > 0);
        assert_int_equal(c.n_reversed_after, 0);
        assert_true(largest_error(whole, seen) <= c.uncertainty_ns * (double)c.n_clocks + 50);
        portolan_trace_destroy(whole);
        portolan_trace_destroy(seen);
        free(text);
    }
}

UNIT_TESTS(cmocka_unit_test(drifts_are_taken_out),
           cmocka_unit_test(ranks_of_a_host_may_have_clocks),
           cmocka_unit_test(what_no_line_mends_is_moved),
           cmocka_unit_test(an_early_event_takes_others_along),
           cmocka_unit_test(one_way_tells_nothing), cmocka_unit_test(collectives_tell_as_well),
           cmocka_unit_test(clocks_that_may_agree_are_left_alone),
           cmocka_unit_test(ends_of_collectives_show_who_waits),
           cmocka_unit_test(streams_name_their_clocks))
