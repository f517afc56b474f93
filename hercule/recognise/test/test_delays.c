/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that the rank at the end of each chain of waits is charged, to the nanosecond. */
#include <unit_test.h>

#include "recognise.h"

enum { LOCATIONS = 7, END = 400, RUNS = 300, CHAIN = 10000 };

/* Event number l is all of location l. */
struct run {
    struct portolan_trace trace;
    struct portolan_waits waits;
    struct recognition recognition;
};

static uint64_t random_state = 88172645463325252ull;

static size_t draw(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % n;
}

static void make_run(struct run *run, size_t n, size_t most_waits, size_t most_tokens)
{
    *run = (struct run){.trace.n_locations = n, .trace.n_events = n, .recognition.n_rows = n};
    run->trace.locations = calloc(n, sizeof *run->trace.locations);
    run->waits.first_wait = calloc(n + 1, sizeof *run->waits.first_wait);
    run->waits.waits = calloc(n * most_waits, sizeof *run->waits.waits);
    run->recognition.rows = calloc(n, sizeof *run->recognition.rows);
    for (size_t l = 0; l < n; l++) {
        run->trace.locations[l].first = l;
        run->trace.locations[l].n = 1;
        run->recognition.rows[l].tokens = calloc(most_tokens, sizeof(struct token));
    }
    run->recognition.trace = &run->trace;
    run->recognition.waits = &run->waits;
}

static void end_run(struct run *run)
{
    for (size_t l = 0; l < run->recognition.n_rows; l++)
        free(run->recognition.rows[l].tokens);
    free(run->recognition.rows);
    free(run->waits.waits);
    free(run->waits.first_wait);
    free(run->trace.locations);
}

static void add_wait(struct run *run, size_t location, size_t by, int64_t begin, int64_t end)
{
    struct portolan_waits *w = &run->waits;

    if (by != SIZE_MAX)
        w->waits[w->n_waits++] =
            (struct portolan_wait){.by = (uint32_t)by, .begin_ns = begin, .ns = end - begin};
    w->first_wait[location + 1] = w->n_waits;
}

static void add_token(struct run *run, size_t location, int64_t begin, int64_t end)
{
    struct token_row *row = &run->recognition.rows[location];

    row->tokens[row->n++] = (struct token){.begin = begin, .end = end, .n_events = 1};
}

/* Waits for locations before the own one, if not MAY_RING. */
static void make_random_run(struct run *run, bool may_ring)
{
    make_run(run, LOCATIONS, END, END + 1);
    for (size_t l = 0; l < LOCATIONS; l++) {
        for (int64_t begin = (int64_t)draw(40), end; begin < END; begin = end + (int64_t)draw(30)) {
            size_t by = may_ring ? draw(LOCATIONS) : l && draw(9) ? draw(l) : SIZE_MAX;

            end = begin + 1 + (int64_t)draw(50);
            end = end < END ? end : END;
            add_wait(run, l, by, begin, end);
        }
        for (int64_t begin = 0, end; begin < END; begin = end) {
            end = begin + 1 + (int64_t)draw(30);
            add_token(run, l, begin, end < END ? end : END);
        }
    }
}

/* The wait of LOCATION at NS; NULL: none. */
static const struct portolan_wait *wait_at(const struct run *run, size_t location, int64_t ns)
{
    for (size_t i = run->waits.first_wait[location]; i < run->waits.first_wait[location + 1]; i++)
        if (run->waits.waits[i].begin_ns <= ns &&
            ns < run->waits.waits[i].begin_ns + run->waits.waits[i].ns)
            return &run->waits.waits[i];
    return NULL;
}

static void charges_whom_each_chain_ends_at(void **state)
{
    for (int i = 0; i < RUNS; i++) {
        int64_t expected[LOCATIONS][END] = {{0}};
        struct run run;

        make_random_run(&run, false);
        for (int64_t ns = 0; ns < END; ns++)
            for (size_t l = 0; l < LOCATIONS; l++) {
                size_t at = l;

                for (const struct portolan_wait *w; (w = wait_at(&run, at, ns));)
                    at = w->by;
                expected[at][tokens_at(&run.recognition.rows[at], ns) -
                             run.recognition.rows[at].tokens] += at != l;
            }
        assert_true(delays_charge(&run.recognition));
        for (size_t l = 0; l < LOCATIONS; l++)
            for (size_t k = 0; k < run.recognition.rows[l].n; k++)
                assert_int_equal(run.recognition.rows[l].tokens[k].delay, expected[l][k]);
        end_run(&run);
    }
}

static void charges_rings_once(void **state)
{
    for (int i = 0; i < RUNS; i++) {
        int64_t waited = 0, charged = 0;
        struct run run;

        make_random_run(&run, true);
        for (size_t k = 0; k < run.waits.n_waits; k++)
            waited += run.waits.waits[k].ns;
        assert_true(delays_charge(&run.recognition));
        for (size_t l = 0; l < LOCATIONS; l++)
            for (size_t k = 0; k < run.recognition.rows[l].n; k++)
                charged += run.recognition.rows[l].tokens[k].delay;
        assert_int_equal(charged, waited);
        end_run(&run);
    }
}

/* Each waits for the one before, which ends first, so each in turn is charged for all after it. */
static void charges_long_chains(void **state)
{
    struct run run;

    make_run(&run, CHAIN, 1, 1);
    for (size_t l = 0; l < CHAIN; l++) {
        if (l)
            add_wait(&run, l, l - 1, 0, (int64_t)l);
        else
            run.waits.first_wait[1] = 0;
        add_token(&run, l, 0, CHAIN);
    }
    assert_true(delays_charge(&run.recognition));
    for (size_t l = 0; l < CHAIN; l++)
        assert_int_equal(run.recognition.rows[l].tokens[0].delay, CHAIN - 1 - l);
    end_run(&run);
}

UNIT_TESTS(cmocka_unit_test(charges_whom_each_chain_ends_at), cmocka_unit_test(charges_rings_once),
           cmocka_unit_test(charges_long_chains))
