/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: pruning a call graph to its core, by the two rules of Trebon et al., "Performance
 * modeling of component assemblies", 2006, section 4, or within a bound. Part of
 * <portolan/optimizer.h>.
 *
 * The two rules compare a branch with its neighbours, so the dropped branches add up: along a chain
 * of calls they may be any share of the run. The bound limits the sum: no other implementation of
 * all dropped branches could save more than EPSILON of the run.
 *
 * A pruned instance keeps the implementation that was measured: the paper lets it have "any", but
 * only the measured one is known to be insignificant. These functions keep no state: any thread may
 * call them.
 */
#ifndef PORTOLAN_CALLGRAPH_H
#define PORTOLAN_CALLGRAPH_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One call path. A component reached along two paths is two nodes. */
struct portolan_callgraph_node {
    const char *name; /**< borrowed; for people */
    long parent;      /**< position in the array, before the node's own; -1 at a root */
    double calls;
    double inclusive_ns, exclusive_ns;
    double mpi_ns;  /**< the part of exclusive spent in MPI */
    bool is_absent; /**< the node and all below it are ignored, and their marks have no meaning */
};

enum portolan_prune_rule {
    PORTOLAN_PRUNE_BELOW = 0,    /**< below a node that one of the rules pruned */
    PORTOLAN_PRUNE_CHILDREN = 1, /**< rule 1: all children together are under alpha of the parent */
    PORTOLAN_PRUNE_SIBLINGS = 2, /**< rule 2: under beta of the siblings' average */
    PORTOLAN_KEPT = 3,
    PORTOLAN_PRUNE_BOUND = 4, /**< all dropped branches, with this one, are under epsilon */
};

/** Why a node was pruned: PART_NS / WHOLE_NS was less than THRESHOLD; or kept: it was not. */
struct portolan_prune_mark {
    enum portolan_prune_rule rule;
    double part_ns;   /**< rule 1: sum over the siblings; rule 2, and kept by it: the node's
                         inclusive time; bound: sum over dropped branches, with this one */
    double whole_ns;  /**< rule 1: the parent's inclusive time; rule 2: the siblings' average;
                         bound: the sum over the roots; 0 of a root, which is always kept */
    double threshold; /**< alpha, beta or epsilon */
    bool is_bounded;  /**< judged by the bound, not the two rules */
};

/**
 * Marks each of the N nodes. Rule 1 also prunes children whose times are all zero. Roots are kept.
 * Errors: EINVAL if a parent is not before its child, or a threshold is negative or NaN; then MARKS
 * is untouched.
 */
enum portolan_status portolan_callgraph_prune(const struct portolan_callgraph_node *nodes, size_t n,
                                              double alpha, double beta,
                                              struct portolan_prune_mark *marks,
                                              struct portolan_error *err);

/**
 * Marks each of the N nodes: drops branches, the shortest first, while the sum of the inclusive
 * times of all that is dropped stays below EPSILON of the roots'. The content of a dropped branch
 * counts once. Branches that took no time are dropped in any case. Roots are kept. Errors: as
 * above, ENOMEM.
 */
enum portolan_status portolan_callgraph_bound(const struct portolan_callgraph_node *nodes, size_t n,
                                              double epsilon, struct portolan_prune_mark *marks,
                                              struct portolan_error *err);

/** "rule 1: children together 8.33 % of parent < 10 %" and the like; "" for a root. */
void portolan_callgraph_explain(const struct portolan_prune_mark *mark, char *text,
                                size_t size_bytes);

#ifdef __cplusplus
}
#endif
#endif
