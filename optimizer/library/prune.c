/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/callgraph.h>

#include <math.h>
#include <stdio.h>

static enum portolan_status check(const struct portolan_callgraph_node *nodes, size_t n,
                                  double alpha, double beta, struct portolan_error *err)
{
    if (!(alpha >= 0) || !(beta >= 0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "pruning thresholds %g and %g: want >= 0",
                                  alpha, beta);
    for (size_t i = 0; i < n; i++)
        if (nodes[i].parent < -1 || nodes[i].parent >= (long)i)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "call graph node %zu ('%s') has parent %ld, which does not "
                                      "stand before it",
                                      i, nodes[i].name ? nodes[i].name : "", nodes[i].parent);
    return PORTOLAN_OK;
}

/* The rule that applies to the children of a node, whose number and sum stand in its FAMILY. */
static struct portolan_prune_mark judge(const struct portolan_callgraph_node *node, double whole_ns,
                                        const struct portolan_prune_mark *family, double alpha,
                                        double beta)
{
    double sum = family->part_ns, average = sum / family->whole_ns;

    if (sum < alpha * whole_ns || sum == 0)
        return (struct portolan_prune_mark){PORTOLAN_PRUNE_CHILDREN, sum, whole_ns, alpha, 0};
    if (node->inclusive_ns < beta * average)
        return (struct portolan_prune_mark){PORTOLAN_PRUNE_SIBLINGS, node->inclusive_ns, average,
                                            beta, 0};
    return (struct portolan_prune_mark){.rule = PORTOLAN_KEPT};
}

/*
 * Three passes. The first leaves in each mark the sum and number of the node's children. Going
 * backwards, a node's own mark is written after those of its children, which needed them.
 */
enum portolan_status portolan_callgraph_prune(const struct portolan_callgraph_node *nodes, size_t n,
                                              double alpha, double beta,
                                              struct portolan_prune_mark *marks,
                                              struct portolan_error *err)
{
    enum portolan_status status = check(nodes, n, alpha, beta, err);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        marks[i] = (struct portolan_prune_mark){0};
        if (nodes[i].parent >= 0) {
            marks[nodes[i].parent].part_ns += nodes[i].inclusive_ns;
            marks[nodes[i].parent].whole_ns++;
        }
    }
    for (size_t i = n; i-- > 0;) {
        long parent = nodes[i].parent;

        marks[i] = parent < 0
                       ? (struct portolan_prune_mark){.rule = PORTOLAN_KEPT}
                       : judge(&nodes[i], nodes[parent].inclusive_ns, &marks[parent], alpha, beta);
        marks[i].by = (long)i;
    }
    for (size_t i = 0; i < n; i++)
        if (nodes[i].parent >= 0 && marks[nodes[i].parent].rule != PORTOLAN_KEPT)
            marks[i] = (struct portolan_prune_mark){.rule = PORTOLAN_PRUNE_BELOW,
                                                    .by = marks[nodes[i].parent].by};
    return PORTOLAN_OK;
}

void portolan_callgraph_explain(const struct portolan_prune_mark *mark, char *text,
                                size_t size_bytes)
{
    double percent = mark->whole_ns > 0 ? 100 * mark->part_ns / mark->whole_ns : 0;

    switch (mark->rule) {
    case PORTOLAN_PRUNE_CHILDREN:
        snprintf(text, size_bytes, "rule 1: children together %.3g %% of parent < %g %%", percent,
                 100 * mark->threshold);
        break;
    case PORTOLAN_PRUNE_SIBLINGS:
        snprintf(text, size_bytes, "rule 2: %.3g %% of siblings' average < %g %%", percent,
                 100 * mark->threshold);
        break;
    case PORTOLAN_PRUNE_BELOW:
        snprintf(text, size_bytes, "below a pruned node");
        break;
    case PORTOLAN_KEPT:
        snprintf(text, size_bytes, "%s", "");
        break;
    }
}
