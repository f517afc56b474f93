/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <portolan/optimizer.h>
#include <unit_test.h>

/*
 * Trebon et al. 2006, section 4 and Figure 3: six nodes, alpha = beta = 0.1. B and C average 500;
 * C is under 50 and goes, with its child; B's children together are under a tenth of B and go.
 */
static const struct portolan_callgraph_node figure3[] = {
    {"A", -1, 1, 1010, 10, 0, false}, {"B", 0, 1, 960, 880, 0, false},
    {"D", 1, 1, 50, 50, 0, false},    {"E", 1, 1, 30, 30, 0, false},
    {"C", 0, 1, 40, 20, 0, false},    {"F", 4, 1, 20, 20, 0, false},
};

static void paper_example_keeps_a_and_b_only(void **state)
{
    struct portolan_prune_mark m[6];
    char text[100];

    assert_int_equal(portolan_callgraph_prune(figure3, 6, 0.1, 0.1, m, NULL), PORTOLAN_OK);
    assert_int_equal(m[0].rule, PORTOLAN_KEPT);
    assert_int_equal(m[1].rule, PORTOLAN_KEPT);
    assert_int_equal(m[4].rule, PORTOLAN_PRUNE_SIBLINGS);
    assert_true(m[4].part_ns == 40 && m[4].whole_ns == 500 && m[4].threshold == 0.1);
    assert_int_equal(m[2].rule, PORTOLAN_PRUNE_CHILDREN);
    assert_int_equal(m[3].rule, PORTOLAN_PRUNE_CHILDREN);
    assert_true(m[2].part_ns == 80 && m[2].whole_ns == 960);
    assert_int_equal(m[5].rule, PORTOLAN_PRUNE_BELOW);
    portolan_callgraph_explain(&m[4], text, sizeof text);
    assert_string_equal(text, "rule 2: 8 % of siblings' average < 10 %");
    portolan_callgraph_explain(&m[2], text, sizeof text);
    assert_string_equal(text, "rule 1: children together 8.33 % of parent < 10 %");
    portolan_callgraph_explain(&m[1], text, sizeof text);
    assert_string_equal(text, "rule 2: 192 % of siblings' average >= 10 %");
    portolan_callgraph_explain(&m[0], text, sizeof text);
    assert_string_equal(text, "");
}

/* Figure 3 again, by hand: from the shortest on F 20, E 30, C 20 more than F, D 50: together 120 of
 * 1010, or 11.9 %; B would make it 1000. */
static void a_bound_holds_for_all_that_is_dropped(void **state)
{
    static const struct {
        double epsilon;
        const char *kept; /* in the order of the figure */
    } cases[] = {{0.01, "ABDECF"}, {0.02, "ABDEC"}, {0.05, "ABDC"},
                 {0.1, "ABD"},     {0.119, "AB"},   {1, "A"}};
    struct portolan_prune_mark m[6];
    char text[100];

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char kept[7] = "";

        assert_int_equal(portolan_callgraph_bound(figure3, 6, cases[k].epsilon, m, NULL), 0);
        for (int i = 0; i < 6; i++)
            if (m[i].rule == PORTOLAN_KEPT)
                strcat(kept, figure3[i].name);
        assert_string_equal(kept, cases[k].kept);
    }
    assert_int_equal(portolan_callgraph_bound(figure3, 6, 0.1, m, NULL), 0);
    assert_true(m[4].rule == PORTOLAN_PRUNE_BOUND && m[5].rule == PORTOLAN_PRUNE_BELOW);
    portolan_callgraph_explain(&m[4], text, sizeof text);
    assert_string_equal(text, "bound: with all that is dropped 6.93 % of the run < 10 %");
    portolan_callgraph_explain(&m[2], text, sizeof text);
    assert_string_equal(text, "bound: with all that is dropped 11.9 % of the run >= 10 %");
}

/* Each level has a side branch of 4 % of it, which rule 2 drops: a third of the run in the end. */
static void what_the_rules_drop_adds_up_but_not_within_a_bound(void **state)
{
    enum { DEPTH = 10, N = 2 * DEPTH + 1 };
    struct portolan_callgraph_node nodes[N] = {{"root", -1, 1, 1, 0, 0, false}};
    struct portolan_prune_mark m[N];
    double dropped[2] = {0};

    for (int i = 0; i < DEPTH; i++) {
        double all = nodes[i ? 2 * i - 1 : 0].inclusive_ns;
        long parent = i ? 2 * i - 1 : 0;

        nodes[2 * i + 1] =
            (struct portolan_callgraph_node){"chain", parent, 1, 0.96 * all, 0, 0, 0};
        nodes[2 * i + 2] = (struct portolan_callgraph_node){"side", parent, 1, 0.04 * all, 0, 0, 0};
    }
    for (int bounded = 0; bounded < 2; bounded++) {
        assert_int_equal(bounded ? portolan_callgraph_bound(nodes, N, 0.1, m, NULL)
                                 : portolan_callgraph_prune(nodes, N, 0.1, 0.1, m, NULL),
                         0);
        for (int i = 0; i < N; i++)
            if (m[i].rule != PORTOLAN_KEPT && m[i].rule != PORTOLAN_PRUNE_BELOW)
                dropped[bounded] += nodes[i].inclusive_ns;
    }
    assert_true(fabs(dropped[0] - (1 - pow(0.96, DEPTH))) < 1e-12);
    assert_true(dropped[0] > 0.3 && dropped[1] < 0.1 && dropped[1] > 0.06);
}

/* Section 4: 15 children, each a fifteenth of the whole, are all significant. */
static void fifteen_equal_children_are_kept(void **state)
{
    struct portolan_callgraph_node nodes[16] = {{"root", -1, 1, 15, 0, 0, false}};
    struct portolan_prune_mark m[16];

    for (int i = 1; i < 16; i++)
        nodes[i] = (struct portolan_callgraph_node){"child", 0, 1, 1, 1, 0, false};
    assert_int_equal(portolan_callgraph_prune(nodes, 16, 0.1, 0.1, m, NULL), PORTOLAN_OK);
    for (int i = 0; i < 16; i++)
        assert_int_equal(m[i].rule, PORTOLAN_KEPT);
}

static void a_share_equal_to_the_threshold_is_kept(void **state)
{
    static const struct portolan_callgraph_node nodes[] = {{"root", -1, 1, 1024, 896, 0, false},
                                                           {"a", 0, 1, 128, 128, 0, false}};
    struct portolan_prune_mark m[2];

    assert_int_equal(portolan_callgraph_prune(nodes, 2, 0.125, 0.1, m, NULL), PORTOLAN_OK);
    assert_int_equal(m[1].rule, PORTOLAN_KEPT);
    assert_int_equal(portolan_callgraph_prune(nodes, 2, 0.126, 0.1, m, NULL), PORTOLAN_OK);
    assert_int_equal(m[1].rule, PORTOLAN_PRUNE_CHILDREN);
}

static void children_that_cost_nothing_are_pruned(void **state)
{
    static const struct portolan_callgraph_node nodes[] = {
        {"root", -1, 0, 0, 0, 0, false}, {"a", 0, 0, 0, 0, 0, false}, {"b", 1, 0, 0, 0, 0, false}};
    struct portolan_prune_mark m[3];

    assert_int_equal(portolan_callgraph_prune(nodes, 3, 0.1, 0.1, m, NULL), PORTOLAN_OK);
    assert_int_equal(m[0].rule, PORTOLAN_KEPT);
    assert_int_equal(m[1].rule, PORTOLAN_PRUNE_CHILDREN);
    assert_int_equal(m[2].rule, PORTOLAN_PRUNE_BELOW);
}

static void zero_thresholds_prune_nothing_that_costs(void **state)
{
    struct portolan_prune_mark m[6];

    assert_int_equal(portolan_callgraph_prune(figure3, 6, 0, 0, m, NULL), PORTOLAN_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(m[i].rule, PORTOLAN_KEPT);
}

static void bad_input_is_refused_and_nothing_marked(void **state)
{
    static const struct portolan_callgraph_node nodes[] = {{"a", 1, 0, 0, 0, 0, false},
                                                           {"b", -1, 0, 0, 0, 0, false}};
    struct portolan_prune_mark m[2] = {{.part_ns = 77}, {.part_ns = 77}};
    struct portolan_error err = {0};

    assert_int_equal(portolan_callgraph_prune(nodes, 2, 0.1, 0.1, m, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "'a'"));
    assert_int_equal(portolan_callgraph_prune(nodes + 1, 1, NAN, 0.1, m, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_callgraph_prune(nodes + 1, 1, 0.1, -1, m, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_callgraph_bound(nodes + 1, 1, -1, m, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_callgraph_bound(nodes, 2, 0.1, m, NULL), PORTOLAN_EINVAL);
    assert_true(m[0].part_ns == 77);
    assert_int_equal(portolan_callgraph_prune(NULL, 0, 0.1, 0.1, NULL, NULL), PORTOLAN_OK);
}

/* Comparing each node with each other would take 10^12 steps here, and the test never end. */
static void a_million_nodes_are_pruned_whatever_their_shape(void **state)
{
    enum { N = 1000000 };
    struct portolan_callgraph_node *nodes = calloc(N, sizeof *nodes);
    struct portolan_prune_mark *m = calloc(N, sizeof *m);

    for (int is_star = 0; is_star < 2; is_star++) {
        for (long i = 0; i < N; i++)
            nodes[i] = (struct portolan_callgraph_node){
                "node", i ? (is_star ? 0 : i - 1) : -1, 1, is_star && i ? 1 : N - i, 1, 0, false};
        assert_int_equal(portolan_callgraph_prune(nodes, N, 0.1, 0.1, m, NULL), PORTOLAN_OK);
        for (size_t i = 0; i < N - 1; i++)
            assert_true(m[i].rule == PORTOLAN_KEPT);
        assert_int_equal(portolan_callgraph_bound(nodes, N, 0.5, m, NULL), PORTOLAN_OK);
        assert_int_equal(m[N - 1].rule == PORTOLAN_KEPT, 0);
    }
    free(nodes);
    free(m);
}

UNIT_TESTS(cmocka_unit_test(paper_example_keeps_a_and_b_only),
           cmocka_unit_test(a_bound_holds_for_all_that_is_dropped),
           cmocka_unit_test(what_the_rules_drop_adds_up_but_not_within_a_bound),
           cmocka_unit_test(fifteen_equal_children_are_kept),
           cmocka_unit_test(a_share_equal_to_the_threshold_is_kept),
           cmocka_unit_test(children_that_cost_nothing_are_pruned),
           cmocka_unit_test(zero_thresholds_prune_nothing_that_costs),
           cmocka_unit_test(bad_input_is_refused_and_nothing_marked),
           cmocka_unit_test(a_million_nodes_are_pruned_whatever_their_shape))
