/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: two paradigms that are woven, and runs of them. */
#ifndef TEST_WOVEN_FLOW_H
#define TEST_WOVEN_FLOW_H

#include "traced_runs.h"

/* A flow of blocks and a grid that is reduced, interleaved in each step: the flow's work, the
   grid's, the reduction, and passing on. */
static const char woven_flow[] =
    "(deffacts f (paradigm (name flow))\n"
    " (component (name work) (kind computation) (phase \"flow\"))\n"
    " (component (name get) (mpi receive)) (component (name put) (mpi send))\n"
    " (event (name block) (expression \"work, [get], [put]\"))\n"
    " (metric (name lost) (text \"waiting\") (formula \"get.wait.sum + put.wait.sum\"))\n"
    " (metric (name unequal) (formula \"work.delay.sum\"))\n"
    " (node (name lost) (metric lost)) (node (name root) (metric unequal))\n"
    " (node (name unequal) (kind cause) (under root) (metric unequal) (factor f))\n"
    " (factor (name f) (removal imbalance) (of work) (remedy \"r\")))";
static const char woven_grid[] =
    "(deffacts g (paradigm (name grid))\n"
    " (component (name work) (kind computation) (phase \"grid\"))\n"
    " (component (name reduce) (mpi collective))\n"
    " (event (name round) (expression \"work, reduce\"))\n"
    " (metric (name lost) (text \"waiting\") (formula \"reduce.wait.sum\"))\n"
    " (metric (name uneven) (formula \"work.delay.sum\"))\n"
    " (node (name lost) (metric lost))\n"
    " (node (name uneven) (kind cause) (under lost) (metric uneven) (factor f))\n"
    " (factor (name f) (removal imbalance) (of work) (remedy \"r\")))";
static const char woven_both[] =
    "(deffacts w (paradigm (name both) (is-a flow))\n"
    " (weave (paradigm grid) (expression \"work, grid.work, grid.reduce, [get], [put]\")))";

static inline void add_woven_paradigms(struct portolan_knowledge *to)
{
    const char *const texts[] = {woven_flow, woven_grid, woven_both};
    struct portolan_diagnostics d = {fail_problem, NULL, 0};
    struct portolan_error err = {0};

    for (size_t i = 0; i < 3; i++)
        if (portolan_knowledge_add(to, texts[i], "w.clp", 1, &d, &err))
            fail_msg("%s", err.text);
}

/* Each step, FLOW_RANK takes FLOW_NS more for its block, GRID_RANK GRID_NS more for its part; all
 * else 10 ms. */
static inline char *woven_scenario(double flow_ns, int flow_rank, double grid_ns, int grid_rank)
{
    return portolan_asprintf(
        "ranks 4\nrepeat 50\nphase flow\ncompute 10ms\non %d\ncompute %.0fns\nend\nend\n"
        "phase grid\ncompute 10ms\non %d\ncompute %.0fns\nend\nend\nallreduce 8\n"
        "on rank > 0\nrecv rank-1 tag 1\nend\n"
        "on rank < size - 1\nsend rank+1 tag 1 8\nend\nend\n",
        flow_rank, flow_ns, grid_rank, grid_ns);
}

#endif
