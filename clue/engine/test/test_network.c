/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests networks: queues, contention factors, topologies. Expected times are worked out by hand
 * from start = max(there, free). */
#include "script.h"

static const struct clue_engine_settings plain;

/* Hosts of a crossbar, or a tree of N leaves of 2 hosts and a spine: links of 1 byte per ns, 10 ns.
 */
struct network_machine {
    struct small_machine small;
    struct clue_topology topology;
    struct clue_link links[256];
};

static void network_machine(struct network_machine *m, struct clue_topology topology, size_t n)
{
    small_machine(&m->small, n);
    m->small.pair = (struct clue_pair){{100, 0, NULL, 0}, {0, 0, NULL, 0}};
    m->topology = topology;
    m->topology.n_hosts = n;
    m->small.machine.network = (struct clue_network){.model = CLUE_NETWORK_QUEUE,
                                                     .links = m->links,
                                                     .n_links = clue_topology_links(&m->topology),
                                                     .route = clue_topology_route,
                                                     .topology = &m->topology};
    assert_true(m->small.machine.network.n_links <= 256);
    for (size_t i = 0; i < 256; i++)
        m->links[i] = (struct clue_link){"link", 1, 10};
    for (size_t i = 0; i < n; i++)
        m->small.hosts[i].receive.constant_ns = 0;
}

static const struct clue_topology crossbar = {.kind = CLUE_CROSSBAR};

static void test_queue_at_the_receiver(void **state)
{
    static const struct step a[] = {{SEND, 2, 1, 1000}, {END}};
    static const struct step b[] = {{SEND, 2, 1, 1000}, {END}};
    static const struct step c[] = {{RECV, 0, 1}, {RECV, 1, 1}, {END}};
    struct network_machine m;

    for (int is_stored = 0; is_stored < 2; is_stored++) {
        struct script s = {
            .n = 3, .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = c, .host = 2}}};
        struct clue_use use;
        int64_t first = is_stored ? 100 + 2 * 1010 : 100 + 20 + 1000;

        network_machine(&m, crossbar, 3);
        m.small.machine.network.store_and_forward = is_stored;
        assert_int_equal(script_run(&s, &m.small.machine, &plain), CLUE_FINISHED);
        assert_int_equal(s.actors[2].clocks[0], first);
        assert_int_equal(s.actors[2].clocks[1], first + 1000);
        clue_engine_link_use(s.engine, 3 + 2, &use);
        assert_int_equal(use.busy_ns, 2000);
        assert_int_equal(use.queueing_ns, 1000);
        script_clear(&s);
    }
}

static void test_cards(void **state)
{
    /* Gap 300 > 50 bytes: the second message of a sender leaves 300 after the first. */
    static const struct step a[] = {{SEND, 1, 1, 50}, {SEND, 1, 1, 50}, {SEND, 1, 1, 50}, {END}};
    static const struct step b[] = {{RECV, 0, 1}, {RECV, 0, 1}, {RECV, CLUE_ANY, 1}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct network_machine m;

    network_machine(&m, crossbar, 2);
    for (int i = 0; i < 2; i++) {
        m.small.hosts[i].card_gap_ns = 250;
        m.small.hosts[i].card_ns_per_byte = 1;
    }
    assert_int_equal(script_run(&s, &m.small.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 100 + 20 + 50);
    assert_int_equal(s.actors[1].clocks[1], 100 + 300 + 20 + 50);
    assert_int_equal(s.actors[1].clocks[2], 100 + 600 + 20 + 50);
    script_clear(&s);
}

static void test_two_hops(void **state)
{
    /* Hosts 0 and 1 of a leaf send to 2 and 3 of the other: they share the links of the spine. */
    static const struct clue_topology tree = {
        .kind = CLUE_FAT_TREE, .n_levels = 2, .down = {2, 2}, .up = {1, 1}};
    static const struct step a[] = {{SEND, 2, 1, 1000}, {END}};
    static const struct step b[] = {{SEND, 3, 1, 500}, {END}};
    static const struct step c[] = {{RECV, 0, 1}, {END}};
    static const struct step d[] = {{RECV, 1, 1}, {END}};
    struct script s = {.n = 4,
                       .actors = {{.steps = a},
                                  {.steps = b, .host = 1},
                                  {.steps = c, .host = 2},
                                  {.steps = d, .host = 3}}};
    struct network_machine m;
    char name[40];

    network_machine(&m, tree, 4);
    assert_int_equal(m.small.machine.network.n_links, 12);
    clue_topology_link_name(&m.topology, 5, name, sizeof name);
    assert_string_equal(name, "leaf1-spine0");
    clue_topology_link_name(&m.topology, 9, name, sizeof name);
    assert_string_equal(name, "leaf1-host3");
    assert_int_equal(script_run(&s, &m.small.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[2].clocks[0], 100 + 40 + 1000);
    assert_int_equal(s.actors[3].clocks[0], 100 + 1000 + 40 + 500);
    script_clear(&s);
}

static void test_factors_by_size(void **state)
{
    static const struct clue_size_factor factors[] = {{0, 1, 1}, {100, 0.5, 3}};
    static const struct step a[] = {{SEND, 1, 1, 99}, {SEND, 1, 1, 200}, {END}};
    static const struct step b[] = {{RECV, 0, 1}, {RECV, 0, 1}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct network_machine m;

    network_machine(&m, crossbar, 2);
    m.small.machine.network.by_size = factors;
    m.small.machine.network.n_by_size = 2;
    assert_int_equal(script_run(&s, &m.small.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 100 + 20 + 99);
    assert_int_equal(s.actors[1].clocks[1], 200 + 60 + 400);
    script_clear(&s);
}

static void test_contention_factor(void **state)
{
    /* The second message begins while one is in flight: delays double; the third when none is. */
    static const double factors[] = {1, 2};
    static const struct step a[] = {{SEND, 1, 1, 0}, {COMPUTE, .a = 5000}, {SEND, 1, 1, 0}, {END}};
    static const struct step b[] = {{RECV, 0, 1}, {RECV, 0, 1}, {END}};
    static const struct step c[] = {{COMPUTE, .a = 50}, {SEND, 3, 1, 0}, {END}};
    static const struct step d[] = {{RECV, 2, 1}, {END}};
    struct script s = {.n = 4,
                       .actors = {{.steps = a},
                                  {.steps = b, .host = 1},
                                  {.steps = c, .host = 2},
                                  {.steps = d, .host = 3}}};
    struct small_machine m;

    small_machine(&m, 4);
    m.machine.network =
        (struct clue_network){.model = CLUE_NETWORK_FACTOR, .factors = factors, .n_factors = 2};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 1110);
    assert_int_equal(s.actors[2].clocks[1], 50 + 200);
    assert_int_equal(s.actors[3].clocks[0], 50 + 200 + 2000 + 10);
    assert_int_equal(s.actors[1].clocks[1], 5100 + 1110);
    script_clear(&s);
}

/* Sends BYTES from host 0 to 1, 2 and 3 over links of a table; returns when they arrive. */
static void fair_flows(struct network_machine *m, const struct clue_route *routes,
                       const uint64_t *bytes, int64_t *ends)
{
    struct step sends[3][2] = {{{SEND}}}, receives[3][2] = {{{RECV}}};
    struct script s = {.n = 6};

    network_machine(
        m, (struct clue_topology){.kind = CLUE_EXPLICIT, .routes = routes, .n_routes = 3}, 6);
    m->small.machine.network.model = CLUE_NETWORK_FAIR;
    m->small.machine.network.n_links = 2;
    m->small.pair.send.constant_ns = 0;
    for (int i = 0; i < 3; i++) {
        sends[i][0] = (struct step){SEND, 3 + i, 1, bytes[i]};
        receives[i][0] = (struct step){RECV, i, 1};
        s.actors[i] = (struct actor){.steps = sends[i], .host = i};
        s.actors[3 + i] = (struct actor){.steps = receives[i], .host = 3 + i};
    }
    m->links[1].latency_ns = m->links[0].latency_ns = 0;
    if (m->topology.n_hosts == 6 && bytes[3])
        m->links[1].bytes_per_ns = 2;
    assert_int_equal(script_run(&s, &m->small.machine, &plain), CLUE_FINISHED);
    for (int i = 0; i < 3; i++)
        ends[i] = s.actors[3 + i].clocks[0];
    script_clear(&s);
}

static void test_fair_shares(void **state)
{
    /* A uses both links, B the first, C the second. */
    static const uint32_t both[] = {0, 1};
    static const struct clue_route routes[] = {
        {0, 3, 2, both}, {1, 4, 1, both}, {2, 5, 1, both + 1}};
    struct network_machine m;
    int64_t ends[3];

    /* Each has 1/2 until 2000, when B ends; then C still limits A, until C ends at 6000. */
    fair_flows(&m, routes, (const uint64_t[]){9000, 1000, 3000, 0}, ends);
    assert_int_equal(ends[1], 2000);
    assert_int_equal(ends[2], 6000);
    assert_int_equal(ends[0], 6000 + 6000);
    /* Capacities 1 and 2: A = B = 1/2, C = 3/2; B ends at 2000, then A = C = 1. */
    fair_flows(&m, routes, (const uint64_t[]){3000, 1000, 6000, 1}, ends);
    assert_int_equal(ends[1], 2000);
    assert_int_equal(ends[0], 2000 + 2000);
    /* C has had 3000, and 2000 together with A; 1000 are left at rate 2. */
    assert_int_equal(ends[2], 4000 + 500);
}

static void test_fair_with_latency(void **state)
{
    /* Two flows into a host have half each; the second comes 600 later and has all for its last
     * 600. */
    static const struct step a[] = {{SEND, 2, 1, 1000}, {END}};
    static const struct step b[] = {{COMPUTE, .a = 600}, {SEND, 2, 1, 1000}, {END}};
    static const struct step c[] = {{RECV, 0, 1}, {RECV, 1, 1}, {END}};
    struct script s = {.n = 3,
                       .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = c, .host = 2}}};
    struct network_machine m;

    network_machine(&m, crossbar, 3);
    m.small.machine.network.model = CLUE_NETWORK_FAIR;
    assert_int_equal(script_run(&s, &m.small.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[2].clocks[0], 120 + 600 + 800);
    assert_int_equal(s.actors[2].clocks[1], 120 + 600 + 800 + 600);
    assert_int_equal(script_path_ns(&s, 2), 120 + 600 + 800 + 600);
    script_clear(&s);
}

static void test_hosts_without_delays(void **state)
{
    static const uint32_t first[] = {0};
    static const struct clue_route routes[] = {{0, 1, 1, first}};
    static const struct step a[] = {{SEND, 1, 1, 100}, {SEND, 2, 1, 100}, {END}};
    static const struct step b[] = {{RECV, 0, 1}, {END}};
    struct script s = {.n = 3,
                       .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = b, .host = 2}}};
    struct network_machine m;

    network_machine(
        &m, (struct clue_topology){.kind = CLUE_EXPLICIT, .routes = routes, .n_routes = 1}, 3);
    m.small.machine.network.n_links = 1;
    m.small.machine.n_pairs = 0;
    assert_int_equal(script_run(&s, &m.small.machine, &plain), CLUE_FAILED);
    assert_int_equal(s.actors[0].clocks[0], 0);
    assert_string_equal(clue_engine_error(s.engine)->text,
                        "the machine has no delays for messages from host host to host host; add "
                        "<send> and <transmission> between them");
    script_clear(&s);
}

/* Follows the names of a way's links from host to host. */
static void check_ways(struct clue_topology topology, size_t most)
{
    struct clue_network network = {.topology = &topology};
    size_t n = clue_topology_hosts(&topology), n_links = clue_topology_links(&topology);
    uint32_t links[CLUE_MOST_HOPS];

    topology.n_hosts = n;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t hops = clue_topology_route(&network, (int)a, (int)b, links);
            char name[64], at[64], text[64];

            assert_true(hops <= most && (a == b) == (hops == 0));
            snprintf(at, sizeof at, "host%zu", a);
            for (size_t i = 0; i < hops; i++) {
                assert_true(links[i] < n_links);
                clue_topology_link_name(&topology, links[i], name, sizeof name);
                *strchr(name, '-') = 0;
                assert_string_equal(name, at);
                strcpy(at, name + strlen(name) + 1);
            }
            snprintf(text, sizeof text, "host%zu", b);
            assert_string_equal(a == b ? text : at, text);
        }
}

static void test_fat_trees_lead_there(void **state)
{
    check_ways(
        (struct clue_topology){
            .kind = CLUE_FAT_TREE, .n_levels = 3, .down = {3, 2, 4}, .up = {1, 2, 3}},
        6);
    check_ways(
        (struct clue_topology){.kind = CLUE_FAT_TREE, .n_levels = 2, .down = {4, 3}, .up = {2, 2}},
        4);
}

static void test_tori_take_the_shorter_way(void **state)
{
    struct clue_topology torus = {
        .kind = CLUE_TORUS, .n_levels = 3, .down = {4, 3, 5}, .n_hosts = 60};
    struct clue_network network = {.topology = &torus};
    uint32_t links[CLUE_MOST_HOPS];
    char name[64];

    assert_int_equal(clue_topology_links(&torus), 60 * 6);
    for (size_t b = 0; b < 60; b++) {
        size_t x = b % 4, y = b / 4 % 3, z = b / 12;
        size_t hops = (x < 4 - x ? x : 4 - x) + (y < 3 - y ? y : 3 - y) + (z < 5 - z ? z : 5 - z);

        assert_int_equal(clue_topology_route(&network, 0, (int)b, links), hops);
    }
    clue_topology_route(&network, 0, 3 + 4 * 1, links);
    clue_topology_link_name(&torus, links[0], name, sizeof name);
    assert_string_equal(name, "host0-x");
    clue_topology_link_name(&torus, links[1], name, sizeof name);
    assert_string_equal(name, "host3+y");
}

static void test_dragonflies_are_minimal(void **state)
{
    /* This is the canonical size: p = h = 2, a = 4, groups = 9. */
    struct clue_topology fly = {
        .kind = CLUE_DRAGONFLY, .n_levels = 3, .down = {2, 4, 9}, .n_hosts = 72};
    struct clue_network network = {.topology = &fly};
    uint32_t links[CLUE_MOST_HOPS];
    size_t n_links = clue_topology_links(&fly), most = 0;
    size_t *users = calloc(n_links, sizeof *users);

    for (int a = 0; a < 72; a++)
        for (int b = 0; b < 72; b++) {
            size_t n = clue_topology_route(&network, a, b, links);

            most = n > most ? n : most;
            for (size_t i = 0; i < n; i++) {
                assert_true(links[i] < n_links);
                users[links[i]]++;
            }
        }
    assert_int_equal(most, 5);
    for (size_t i = 0; i < 81; i++) /* each global link connects 8 hosts to 8 */
        assert_int_equal(users[n_links - 81 + i], i / 9 == i % 9 ? 0 : 64);
    free(users);
}

UNIT_TESTS(cmocka_unit_test(test_queue_at_the_receiver), cmocka_unit_test(test_cards),
           cmocka_unit_test(test_two_hops), cmocka_unit_test(test_factors_by_size),
           cmocka_unit_test(test_contention_factor), cmocka_unit_test(test_hosts_without_delays),
           cmocka_unit_test(test_fair_shares), cmocka_unit_test(test_fair_with_latency),
           cmocka_unit_test(test_fat_trees_lead_there),
           cmocka_unit_test(test_tori_take_the_shorter_way),
           cmocka_unit_test(test_dragonflies_are_minimal))
