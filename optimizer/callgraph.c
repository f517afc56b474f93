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

/* The children of PARENT, all of which stand behind it. */
static void prune_children(const struct portolan_callgraph_node *nodes, size_t n, size_t parent,
                           double alpha, double beta, struct portolan_prune_mark *marks)
{
    double sum = 0, whole = nodes[parent].inclusive_ns;
    size_t count = 0;

    for (size_t i = parent + 1; i < n; i++)
        if (nodes[i].parent == (long)parent) {
            sum += nodes[i].inclusive_ns;
            count++;
        }
    for (size_t i = parent + 1; i < n; i++) {
        struct portolan_prune_mark *m = &marks[i];

        if (nodes[i].parent != (long)parent)
            continue;
        *m = (struct portolan_prune_mark){.rule = PORTOLAN_KEPT, .by = (long)i};
        if (marks[parent].rule != PORTOLAN_KEPT) {
            m->rule = PORTOLAN_PRUNE_BELOW;
            m->by = marks[parent].by;
        } else if (sum < alpha * whole || sum == 0) {
            m->rule = PORTOLAN_PRUNE_CHILDREN;
            m->part_ns = sum;
            m->whole_ns = whole;
            m->threshold = alpha;
        } else if (nodes[i].inclusive_ns < beta * sum / (double)count) {
            m->rule = PORTOLAN_PRUNE_SIBLINGS;
            m->part_ns = nodes[i].inclusive_ns;
            m->whole_ns = sum / (double)count;
            m->threshold = beta;
        }
    }
}

enum portolan_status portolan_callgraph_prune(const struct portolan_callgraph_node *nodes, size_t n,
                                              double alpha, double beta,
                                              struct portolan_prune_mark *marks,
                                              struct portolan_error *err)
{
    enum portolan_status status = check(nodes, n, alpha, beta, err);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        if (nodes[i].parent < 0)
            marks[i] = (struct portolan_prune_mark){.rule = PORTOLAN_KEPT, .by = (long)i};
    for (size_t i = 0; i < n; i++)
        prune_children(nodes, n, i, alpha, beta, marks);
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
