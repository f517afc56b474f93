/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared processors, load, traffic, and parameters that change. Expected times are closed forms. */
#include "../internal.h"
#include "script.h"

static const struct clue_engine_settings plain;

/* Runs tasks that compute; puts their ends into ENDS. */
static void compute(struct small_machine *m, int n, const int64_t *work, int64_t *ends)
{
    struct step steps[4][2] = {{{COMPUTE}}};
    struct script s = {.n = n};

    for (int i = 0; i < n; i++) {
        steps[i][0] = (struct step){COMPUTE, work[i]};
        s.actors[i].steps = steps[i];
    }
    assert_int_equal(script_run(&s, &m->machine, &plain), CLUE_FINISHED);
    for (int i = 0; i < n; i++)
        ends[i] = s.actors[i].clocks[0];
    script_clear(&s);
}

static void test_ranks_share_processors(void **state)
{
    static const struct clue_busy busy[] = {{2, 1.3}};
    struct small_machine m;
    int64_t ends[4];

    small_machine(&m, 1);
    compute(&m, 2, (int64_t[]){1000, 500}, ends);
    assert_int_equal(ends[0], 1500);
    assert_int_equal(ends[1], 1000);
    /* Three jobs on two processors have 2/3 each until 450, when one has had 300. */
    m.hosts[0].cpus = 2;
    compute(&m, 3, (int64_t[]){1000, 300, 1000}, ends);
    assert_int_equal(ends[1], 450);
    assert_int_equal(ends[0], 1150);
    assert_int_equal(ends[2], 1150);
    m.hosts[0].busy = busy;
    m.hosts[0].n_busy = 1;
    compute(&m, 2, (int64_t[]){1000, 500}, ends);
    assert_int_equal(ends[1], 650);
    assert_int_equal(ends[0], 1150);
}

static void test_load(void **state)
{
    struct clue_background load = {
        .on = {CLUE_CONSTANT, 1000}, .off = {CLUE_CONSTANT, 0}, .jobs = 1};
    struct small_machine m;
    int64_t end;

    small_machine(&m, 1);
    m.machine.background = &load;
    m.machine.n_background = 1;
    compute(&m, 1, (int64_t[]){3000000}, &end);
    assert_int_equal(end, 6000000);
    load.off.a = 1000;
    compute(&m, 1, (int64_t[]){3000000}, &end);
    assert_int_equal(end, 4000000);
    load.jobs = 3;
    load.off.a = 0;
    compute(&m, 1, (int64_t[]){1000}, &end);
    assert_int_equal(end, 4000);
    m.hosts[0].cpus = 4;
    compute(&m, 1, (int64_t[]){1000}, &end);
    assert_int_equal(end, 1000);
}

static void test_load_hides_no_deadlock(void **state)
{
    static const struct clue_background load = {
        .on = {CLUE_EXPONENTIAL, 1000}, .off = {CLUE_EXPONENTIAL, 1000}, .jobs = 1};
    static const struct step a[] = {{COMPUTE, .a = 5000}, {RECV, 0, 3}, {END}};
    struct script s = {.n = 1, .actors = {{.steps = a}}};
    struct small_machine m;

    small_machine(&m, 1);
    m.machine.background = &load;
    m.machine.n_background = 1;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_DEADLOCK);
    script_clear(&s);
}

static void test_distributions(void **state)
{
    static const double samples[] = {1, 2, 6};
    static const struct {
        struct clue_distribution d;
        double mean, variance;
    } rows[] = {
        {{CLUE_UNIFORM, 2, 8}, 5, 3},
        {{CLUE_EXPONENTIAL, 7}, 7, 49},
        {{CLUE_NORMAL, 100, 3}, 100, 9},
        {{CLUE_GAMMA, 6, 3}, 6, 12},
        {{CLUE_GAMMA, 6, 0.5}, 6, 72},
        {{CLUE_PARETO, 2, 5}, 2.5, 5.0 / 12},
        {{CLUE_SAMPLES, 0, 0, samples, 3}, 3, 14.0 / 3},
    };
    enum { N = 200000 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct background b = {.sequence = i + 1};
        double sum = 0, squares = 0, mean, variance;

        for (int j = 0; j < N; j++) {
            double x = background_draw(&b, &rows[i].d);

            sum += x;
            squares += (x - rows[i].mean) * (x - rows[i].mean);
        }
        mean = sum / N;
        variance = squares / N;
        /* The mean may be off by five standard errors, the variance by 5 %. */
        assert_true(fabs(mean - rows[i].mean) < 5 * sqrt(rows[i].variance / N));
        assert_true(fabs(variance / rows[i].variance - 1) < 0.05);
    }
    for (int i = 0; i < 2; i++) { /* The medians are exp(0) a and a ln(2)^(1/shape). */
        static const struct clue_distribution both[] = {{CLUE_LOGNORMAL, 10, 1.5},
                                                        {CLUE_WEIBULL, 10, 0.7}};
        double median = i == 0 ? 10 : 10 * pow(log(2), 1 / 0.7), below = 0;
        /* P(x < 2 median) of both is checked, too. */
        double twice =
                   i == 0 ? 0.5 * erfc(-log(2) / 1.5 / sqrt(2)) : 1 - exp(-log(2) * pow(2, 0.7)),
               below_twice = 0;
        struct background b = {.sequence = 99 + (uint64_t)i};

        for (int j = 0; j < N; j++) {
            double x = background_draw(&b, &both[i]);

            below += x < median;
            below_twice += x < 2 * median;
        }
        assert_true(fabs(below / N - 0.5) < 5 * sqrt(0.25 / N));
        assert_true(fabs(below_twice / N - twice) < 5 * sqrt(0.25 / N));
    }
}

/* ------------------------------------------------- changes */

static void test_factor_changes(void **state)
{
    static const struct clue_change changes[] = {{500, CLUE_FACTOR, 0, -1, 2, NULL},
                                                 {900, CLUE_FACTOR, -1, -1, 0.5, NULL}};
    struct small_machine m;
    int64_t end;

    small_machine(&m, 1);
    m.machine.changes = changes;
    m.machine.n_changes = 1;
    compute(&m, 1, (int64_t[]){1000}, &end);
    assert_int_equal(end, 1500);
    m.machine.n_changes = 2; /* 700 = 500 + 200, and 300 run at double speed */
    compute(&m, 1, (int64_t[]){1000}, &end);
    assert_int_equal(end, 1050);
}

/* Sends a message of 1000 bytes at 0: send 1100, transmission 3000, receive 10. */
static void message(const struct clue_change *changes, size_t n, int64_t sent, int64_t received)
{
    static const struct step a[] = {{SEND, 1, 3, 1000}, {END}};
    static const struct step b[] = {{RECV, 0, 3}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    m.machine.changes = changes;
    m.machine.n_changes = n;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[0], sent);
    assert_int_equal(s.actors[1].clocks[0], received);
    script_clear(&s);
}

static void test_delays_change_under_way(void **state)
{
    static const struct clue_law law = {7000, 0, NULL, 0}, per_byte = {0, 0.03, NULL, 0};
    static const struct clue_change send = {600, CLUE_SEND, 0, 1, 3, NULL},
                                    other = {600, CLUE_SEND, 1, 0, 3, NULL},
                                    transmission = {1600, CLUE_TRANSMISSION, -1, -1, 2, NULL},
                                    replaced = {2600, CLUE_TRANSMISSION, 0, 1, 1, &law},
                                    receive = {4105, CLUE_RECEIVE, 1, -1, 3, NULL},
                                    by_size = {4105, CLUE_RECEIVE, 1, -1, 1, &per_byte},
                                    twice[] = {{600, CLUE_SEND, 0, 1, 3, NULL},
                                               {1100, CLUE_SEND, 0, 1, 6, NULL}};

    message(&other, 1, 1100, 4110);
    message(&send, 1, 600 + 3 * 500, 600 + 1500 + 3010);
    message(twice, 2, 1100 + 2 * 1000, 3100 + 3010); /* at 1100 a third was done, of 1500 */
    message(&transmission, 1, 1100, 1600 + 2 * 2500 + 10);
    message(&replaced, 1, 1100, 2600 + 3500 + 10); /* half was left */
    message(&receive, 1, 1100, 4105 + 3 * 5);
    message(&by_size, 1, 1100, 4105 + 3 * 5);
}

static void test_links_change_under_way(void **state)
{
    static const struct clue_change bandwidth = {1110, CLUE_BANDWIDTH, -1, -1, 0.5, NULL},
                                    latency = {105, CLUE_LATENCY, -1, -1, 4, NULL};
    static const struct step a[] = {{SEND, 1, 3, 1000}, {SEND, 1, 3, 1000}, {END}};
    static const struct step b[] = {{RECV, 0, 3}, {RECV, 0, 3}, {END}};
    struct clue_topology bus = {.kind = CLUE_BUS, .n_hosts = 2};
    struct clue_link link = {"bus", 1, 10};
    struct small_machine m;

    for (int i = 0; i < 2; i++) {
        struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};

        small_machine(&m, 2);
        m.pair = (struct clue_pair){{100, 0, NULL, 0}, {0, 0, NULL, 0}};
        m.hosts[1].receive.constant_ns = 0;
        m.machine.network = (struct clue_network){.model = CLUE_NETWORK_QUEUE,
                                                  .links = &link,
                                                  .n_links = 1,
                                                  .route = clue_topology_route,
                                                  .topology = &bus,
                                                  .store_and_forward = true};
        m.machine.changes = i ? &latency : &bandwidth;
        m.machine.n_changes = 1;
        assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
        if (i) { /* sent at 1100 over a way of 40 */
            assert_int_equal(s.actors[1].clocks[0], 100 + 1000 + 40);
            assert_int_equal(s.actors[1].clocks[1], 1100 + 1000 + 40);
        } else { /* the second has passed 10 of its 1000 bytes */
            assert_int_equal(s.actors[1].clocks[0], 100 + 1000 + 10);
            assert_int_equal(s.actors[1].clocks[1], 1110 + 2 * 990 + 10);
        }
        script_clear(&s);
    }
}

static void test_a_program_changes_parameters(void **state)
{
    static const struct clue_change slower = {0, CLUE_FACTOR, 1, -1, 4, NULL};
    static const struct step a[] = {{COMPUTE, .a = 300}, {CHANGE, .change = &slower}, {END}};
    static const struct step b[] = {{COMPUTE, .a = 1000}, {END}};
    struct clue_engine_settings settings = {.may_change = true};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    assert_int_equal(script_run(&s, &m.machine, &settings), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 300 + 4 * 700);
    assert_int_equal(script_path_ns(&s, 1), 300 + 4 * 700);
    script_clear(&s);
}

/* ------------------------------------------------- traffic */

enum { PROBES_SENT = 20000, D = 1000 };

/* Returns how long a message waits for the bus on average, with its standard error (by batches). */
static double waiting(struct clue_machine *machine, double *error)
{
    struct clue_engine *e = clue_engine_new(machine, &plain);
    double sum = 0, batch = 0, squares = 0;
    clue_request requests[2];
    int task, n = 0, at = 0;
    size_t index;

    clue_engine_add(e, 1, 0);
    clue_engine_add(e, 3, 0);
    /* Task 0 sends every 17 D; task 1 receives. */
    while ((task = clue_engine_next(e)) >= 0) {
        if (task == 0) {
            for (; at < 2 * PROBES_SENT; at++)
                if (at % 2 == 0 ? clue_engine_spend(e, 0, 17 * D)
                                : clue_engine_send(e, 0, &(struct clue_send){.to = 1, .data = ""},
                                                   &requests[0]))
                    break;
            if (at == 2 * PROBES_SENT)
                clue_engine_exit(e, 0);
            continue;
        }
        for (; n < PROBES_SENT; n++) {
            double waited;

            if (!requests[1])
                requests[1] = clue_engine_receive(e, 1, &(struct clue_receive){.from = 0});
            if (clue_engine_wait(e, 1, &requests[1], 1, true, &index))
                break;
            waited = (double)(clue_engine_now(e, 1) - (int64_t)(n + 1) * 17 * D);
            sum += waited;
            batch += waited;
            if (n % 100 == 99) {
                squares += batch * batch / 1e4;
                batch = 0;
            }
            clue_engine_release(e, requests[1]);
            requests[1] = 0;
        }
        if (n == PROBES_SENT)
            clue_engine_exit(e, 1);
    }
    assert_int_equal(task, CLUE_FINISHED);
    clue_engine_free(e);
    sum /= PROBES_SENT;
    *error = sqrt((squares / (PROBES_SENT / 100) - sum * sum) / (PROBES_SENT / 100));
    return sum;
}

static void test_poisson_traffic(void **state)
{
    struct clue_topology bus = {.kind = CLUE_BUS, .n_hosts = 4};
    struct clue_link link = {"bus", 1, 0};
    struct clue_background traffic = {.is_traffic = true,
                                      .host = 0,
                                      .to = 2,
                                      .every = {CLUE_EXPONENTIAL},
                                      .bytes = {CLUE_CONSTANT, D},
                                      .seed = 7};
    struct small_machine m;

    small_machine(&m, 4);
    m.pair = (struct clue_pair){{0}};
    m.machine.network = (struct clue_network){.model = CLUE_NETWORK_QUEUE,
                                              .links = &link,
                                              .n_links = 1,
                                              .route = clue_topology_route,
                                              .topology = &bus};
    m.machine.background = &traffic;
    m.machine.n_background = 1;
    m.hosts[3].receive.constant_ns = 0;
    for (int tenths = 3; tenths <= 7; tenths += 2) {
        double r = tenths / 10.0, expected = r * D / (2 * (1 - r)), error, waited;

        traffic.every.a = D / r;
        waited = waiting(&m.machine, &error);
        assert_true(fabs(waited - expected) < 3 * error);
        assert_true(error < 0.05 * expected);
    }
}

UNIT_TESTS(cmocka_unit_test(test_ranks_share_processors), cmocka_unit_test(test_load),
           cmocka_unit_test(test_load_hides_no_deadlock), cmocka_unit_test(test_distributions),
           cmocka_unit_test(test_factor_changes), cmocka_unit_test(test_delays_change_under_way),
           cmocka_unit_test(test_links_change_under_way),
           cmocka_unit_test(test_a_program_changes_parameters),
           cmocka_unit_test(test_poisson_traffic))
