/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <portolan/optimizer.h>
#include <stdlib.h>
#include <string.h>

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

    (void)state;
    assert_int_equal(portolan_callgraph_prune(figure3, 6, 0.1, 0.1, m, NULL), PORTOLAN_OK);
    assert_int_equal(m[0].rule, PORTOLAN_KEPT);
    assert_int_equal(m[1].rule, PORTOLAN_KEPT);
    assert_int_equal(m[4].rule, PORTOLAN_PRUNE_SIBLINGS);
    assert_true(m[4].part_ns == 40 && m[4].whole_ns == 500 && m[4].threshold == 0.1);
    assert_int_equal(m[2].rule, PORTOLAN_PRUNE_CHILDREN);
    assert_int_equal(m[3].rule, PORTOLAN_PRUNE_CHILDREN);
    assert_true(m[2].part_ns == 80 && m[2].whole_ns == 960);
    assert_int_equal(m[5].rule, PORTOLAN_PRUNE_BELOW);
    assert_int_equal(m[5].by, 4);
    portolan_callgraph_explain(&m[4], text, sizeof text);
    assert_string_equal(text, "rule 2: 8 % of siblings' average < 10 %");
    portolan_callgraph_explain(&m[2], text, sizeof text);
    assert_string_equal(text, "rule 1: children together 8.33 % of parent < 10 %");
    portolan_callgraph_explain(&m[0], text, sizeof text);
    assert_string_equal(text, "");
}

/* Section 4: 15 children, each a fifteenth of the whole, are all significant. */
static void fifteen_equal_children_are_kept(void **state)
{
    struct portolan_callgraph_node nodes[16] = {{"root", -1, 1, 15, 0, 0, false}};
    struct portolan_prune_mark m[16];

    (void)state;
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

    (void)state;
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

    (void)state;
    assert_int_equal(portolan_callgraph_prune(nodes, 3, 0.1, 0.1, m, NULL), PORTOLAN_OK);
    assert_int_equal(m[0].rule, PORTOLAN_KEPT);
    assert_int_equal(m[1].rule, PORTOLAN_PRUNE_CHILDREN);
    assert_int_equal(m[2].rule, PORTOLAN_PRUNE_BELOW);
    assert_int_equal(m[2].by, 1);
}

static void zero_thresholds_prune_nothing_that_costs(void **state)
{
    struct portolan_prune_mark m[6];

    (void)state;
    assert_int_equal(portolan_callgraph_prune(figure3, 6, 0, 0, m, NULL), PORTOLAN_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(m[i].rule, PORTOLAN_KEPT);
}

static void bad_input_is_refused_and_nothing_marked(void **state)
{
    static const struct portolan_callgraph_node nodes[] = {{"a", 1, 0, 0, 0, 0, false},
                                                           {"b", -1, 0, 0, 0, 0, false}};
    struct portolan_prune_mark m[2] = {{.by = 77}, {.by = 77}};
    struct portolan_error err = {0};

    (void)state;
    assert_int_equal(portolan_callgraph_prune(nodes, 2, 0.1, 0.1, m, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "'a'"));
    assert_int_equal(portolan_callgraph_prune(nodes + 1, 1, NAN, 0.1, m, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_callgraph_prune(nodes + 1, 1, 0.1, -1, m, NULL), PORTOLAN_EINVAL);
    assert_int_equal(m[0].by, 77);
    assert_int_equal(portolan_callgraph_prune(NULL, 0, 0.1, 0.1, NULL, NULL), PORTOLAN_OK);
}

/* Comparing each node with each other would take 10^12 steps here, and the test never end. */
static void a_million_nodes_are_pruned_whatever_their_shape(void **state)
{
    enum { N = 1000000 };
    struct portolan_callgraph_node *nodes = calloc(N, sizeof *nodes);
    struct portolan_prune_mark *m = calloc(N, sizeof *m);

    (void)state;
    for (int is_star = 0; is_star < 2; is_star++) {
        for (long i = 0; i < N; i++)
            nodes[i] = (struct portolan_callgraph_node){
                "node", i ? (is_star ? 0 : i - 1) : -1, 1, is_star && i ? 1 : N - i, 1, 0, false};
        assert_int_equal(portolan_callgraph_prune(nodes, N, 0.1, 0.1, m, NULL), PORTOLAN_OK);
        for (size_t i = 0; i < N - 1; i++)
            assert_true(m[i].rule == PORTOLAN_KEPT && m[i].by == (long)i);
    }
    free(nodes);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_example_keeps_a_and_b_only),
        cmocka_unit_test(fifteen_equal_children_are_kept),
        cmocka_unit_test(a_share_equal_to_the_threshold_is_kept),
        cmocka_unit_test(children_that_cost_nothing_are_pruned),
        cmocka_unit_test(zero_thresholds_prune_nothing_that_costs),
        cmocka_unit_test(bad_input_is_refused_and_nothing_marked),
        cmocka_unit_test(a_million_nodes_are_pruned_whatever_their_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
