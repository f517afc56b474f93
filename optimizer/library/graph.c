/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call graph that a person sees and that is pruned: as written, at the sweep point where a
 * step takes longest. Call paths that occur only with other implementations are judged in the trial
 * with those where a step takes longest.
 */
#include "plan_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial_view {
    size_t trial;
    size_t away; /* number of variables not as written; NONE: swapped, or an unknown class */
    double step_ns;
    const size_t *selection;
};

/* The selection of a trial that had only one; or else NULL. */
static const size_t *only_selection(const struct survey *s, const struct survey_trial *t)
{
    const size_t *selection = NULL;

    for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++) {
        if (selection &&
            memcmp(selection, s->rows[r].selection, s->n_variables * sizeof *selection) != 0)
            return NULL;
        selection = s->rows[r].selection;
    }
    for (size_t v = 0; selection && v < s->n_variables; v++)
        if (selection[v] == NONE)
            return NULL;
    return selection;
}

/* Failing calls take little time, so a trial with failures could prune calls that matter. */
static bool has_failed(const struct survey *s, size_t trial)
{
    return s->trials[trial].failed || s->trials[trial].had_failures;
}

static struct trial_view look_at_trial(const struct survey *s, size_t trial)
{
    const struct survey_trial *t = &s->trials[trial];
    struct trial_view view = {trial, NONE, 0, only_selection(s, t)};
    double steps, inclusive = survey_time_of(s, t->first_row, t->n_rows, &steps);

    view.step_ns = steps > 0 ? inclusive / steps : inclusive;
    if (has_failed(s, trial))
        view.selection = NULL;
    if (view.selection) {
        view.away = 0;
        for (size_t v = 0; v < s->n_variables; v++)
            view.away += view.selection[v] != 0;
    }
    return view;
}

static int view_order(const void *left, const void *right)
{
    const struct trial_view *a = left, *b = right;

    if (a->away != b->away)
        return a->away < b->away ? -1 : 1;
    if (a->step_ns != b->step_ns)
        return a->step_ns > b->step_ns ? -1 : 1;
    return a->trial > b->trial ? -1 : a->trial < b->trial;
}

/* The times and marks of each call path in one trial. */
struct trial_graph {
    struct portolan_arena pool;
    struct portolan_callgraph_node *nodes;
    struct portolan_prune_mark *marks;
    struct portolan_prune_mark *others; /* marks of the rules that are not selected */
    double root_ns;                     /* inclusive time of all roots */
};

static void add_sum(const struct survey *s, size_t node, size_t row,
                    struct portolan_callgraph_node *out)
{
    const struct survey_sum *sum = survey_sum_of(s, node, row);

    out->calls += sum->calls;
    out->inclusive_ns += sum->inclusive;
    out->exclusive_ns += sum->exclusive;
    out->mpi_ns += sum->mpi;
}

static void sum_trial(const struct survey *s, size_t trial, struct trial_graph *g)
{
    const struct survey_trial *t = &s->trials[trial];

    g->root_ns = 0;
    for (size_t n = 0; n < s->n_nodes; n++) {
        g->nodes[n] = (struct portolan_callgraph_node){.name = s->nodes[n].instance,
                                                       .parent = s->nodes[n].parent,
                                                       .is_absent = !survey_is_called(s, t, n)};
        for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++)
            add_sum(s, n, r, &g->nodes[n]);
        g->root_ns += s->nodes[n].parent < 0 ? g->nodes[n].inclusive_ns : 0;
    }
}

/* The implementation that had the calls of a path in a trial (NONE: in all): "" when it is fixed.
 */
static const char *implementation_of(const struct survey *s, size_t path, size_t trial)
{
    const struct survey_node *from = &s->nodes[path];
    const char *found = "";

    for (size_t i = from->first_entry; i < from->first_entry + from->n_entries; i++) {
        const struct survey_entry *x = &s->entries[i];
        const char *own;

        if (from->variable == NONE || (trial != NONE && s->rows[x->row].trial != trial))
            continue;
        own = x->own == NONE
                  ? "several"
                  : s->variables[from->variable].instance->alternatives[x->own].class_name;
        if (*found && strcmp(found, own) != 0)
            return "several";
        found = own;
    }
    return found;
}

/* Sets the node of a path to what G has; TRIAL: gives the implementation, NONE: all trials do. */
static void put_node(struct portolan_plan *p, size_t path, const struct trial_graph *g,
                     const char *seen_with, size_t trial)
{
    const struct survey_node *from = &p->s.nodes[path];
    const struct portolan_callgraph_node *x = &g->nodes[path];
    struct portolan_plan_node *n = &p->graph[path];

    *n = (struct portolan_plan_node){.instance = from->instance,
                                     .method = from->method,
                                     .implementation = implementation_of(&p->s, path, trial),
                                     .seen_with = seen_with,
                                     .parent = from->parent,
                                     .calls = x->calls,
                                     .inclusive_ns = x->inclusive_ns,
                                     .exclusive_ns = x->exclusive_ns,
                                     .mpi_ns = x->mpi_ns,
                                     .share = g->root_ns > 0 ? x->inclusive_ns / g->root_ns : 0,
                                     .mark = g->marks[path],
                                     .other_mark = g->others[path]};
    n->depth = n->parent < 0 ? 0 : p->graph[n->parent].depth + 1;
    p->paths[path].mark = n->mark;
    p->paths[path].core = n->mark.rule == PORTOLAN_KEPT;
}

/* Takes the nodes that one trial has and no earlier one had. */
static enum portolan_status take_trial(struct portolan_plan *p, const struct trial_view *view,
                                       const struct trial_graph *g)
{
    const struct survey *s = &p->s;
    const char *seen_with = "";

    if (view->selection && view->away &&
        !(seen_with = plan_selection_text(s, &p->s.pool, view->selection)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->n_nodes; i++)
        if (!g->nodes[i].is_absent && !p->graph[i].method)
            put_node(p, i, g, seen_with, view->trial);
    return PORTOLAN_OK;
}

static void find_core(struct portolan_plan *p)
{
    for (size_t v = 0; v < p->s.n_variables; v++)
        p->number[v] = NONE;
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        const struct plan_path *path = &p->paths[i];

        for (size_t k = 0; path->core && k < path->scope.n; k++)
            if (k != path->caller_at)
                p->number[path->scope.variables[k]] = 0;
    }
    for (size_t v = 0; v < p->s.n_variables; v++)
        if (p->number[v] != NONE)
            p->number[v] = p->n_core++;
}

/* Shows and keeps paths that occur only in trials with a swap or an unknown class. */
static void fill_rest(struct portolan_plan *p, struct trial_graph *g)
{
    g->root_ns = 0;
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        if (p->graph[i].method)
            continue;
        g->nodes[i] = (struct portolan_callgraph_node){0};
        g->marks[i] = g->others[i] = (struct portolan_prune_mark){.rule = PORTOLAN_KEPT};
        for (size_t r = 0; r < p->s.n_rows; r++)
            add_sum(&p->s, i, r, &g->nodes[i]);
        put_node(p, i, g, "a swap", NONE);
    }
}

/* Prunes by the selected rules, and marks for reports what the others would prune. */
static enum portolan_status prune_trial(const struct survey *s, struct trial_graph *g)
{
    const struct portolan_assembly *a = s->a;
    bool is_bounded = a->epsilon > 0;
    double epsilon = is_bounded ? a->epsilon : PORTOLAN_ASSEMBLY_EPSILON;
    enum portolan_status status = portolan_callgraph_prune(g->nodes, s->n_nodes, a->alpha, a->beta,
                                                           is_bounded ? g->others : g->marks, NULL);

    return status ? status
                  : portolan_callgraph_bound(g->nodes, s->n_nodes, epsilon,
                                             is_bounded ? g->marks : g->others, NULL);
}

/* The graph of the trials in the order of VIEWS; G and VIEWS have room. */
static enum portolan_status fill_graph(struct portolan_plan *p, struct trial_view *views,
                                       struct trial_graph *g)
{
    const struct survey *s = &p->s;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t t = 0; t < s->n_trials; t++)
        views[t] = look_at_trial(s, t);
    qsort(views, s->n_trials, sizeof *views, view_order);
    p->graph_trial = s->n_trials && !has_failed(s, views[0].trial) ? views[0].trial : NONE;
    for (size_t t = 0; !status && t < s->n_trials; t++) {
        if (views[t].away == NONE && views[t].trial != p->graph_trial)
            continue; /* if all trials had a swap, one of them represents all */
        sum_trial(s, views[t].trial, g);
        status = prune_trial(s, g);
        if (!status)
            status = take_trial(p, &views[t], g);
    }
    if (!status)
        fill_rest(p, g);
    return status;
}

enum portolan_status plan_make_graph(struct portolan_plan *p, struct portolan_error *err)
{
    const struct survey *s = &p->s;
    struct trial_graph g = {0};
    struct trial_view *views = portolan_arena_alloc(&g.pool, s->n_trials, sizeof *views);
    enum portolan_status status = PORTOLAN_ENOMEM;

    (void)err;
    g.nodes = portolan_arena_alloc(&g.pool, s->n_nodes, sizeof *g.nodes);
    g.marks = portolan_arena_alloc(&g.pool, s->n_nodes, sizeof *g.marks);
    g.others = portolan_arena_alloc(&g.pool, s->n_nodes, sizeof *g.others);
    p->n_nodes = s->n_nodes;
    p->graph = portolan_arena_alloc(&p->s.pool, s->n_nodes, sizeof *p->graph);
    if (!g.pool.failed && p->graph)
        status = fill_graph(p, views, &g);
    if (!status)
        find_core(p);
    portolan_arena_clear(&g.pool);
    return status;
}

/* ------------------------------------------------- the two rules of pruning */

static enum portolan_status check_nodes(const struct portolan_callgraph_node *nodes, size_t n,
                                        double alpha, double beta, struct portolan_error *err)
{
    if (!(alpha >= 0) || !(beta >= 0))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "pruning thresholds %g and %g must be at least 0", alpha, beta);
    for (size_t i = 0; i < n; i++)
        if (nodes[i].parent < -1 || nodes[i].parent >= (long)i)
            return portolan_error_set(
                err, PORTOLAN_EINVAL,
                "call graph node %zu ('%s') has parent %ld, which must come before it", i,
                nodes[i].name ? nodes[i].name : "", nodes[i].parent);
    return PORTOLAN_OK;
}

/* The rule that applies to a child, NODE; FAMILY has the number and the sum of all siblings. */
static struct portolan_prune_mark mark_child(const struct portolan_callgraph_node *node,
                                             double whole_ns,
                                             const struct portolan_prune_mark *family, double alpha,
                                             double beta)
{
    double sum = family->part_ns, average = sum / family->whole_ns;

    if (sum < alpha * whole_ns || sum == 0)
        return (struct portolan_prune_mark){.rule = PORTOLAN_PRUNE_CHILDREN,
                                            .part_ns = sum,
                                            .whole_ns = whole_ns,
                                            .threshold = alpha};
    return (struct portolan_prune_mark){
        .rule = node->inclusive_ns < beta * average ? PORTOLAN_PRUNE_SIBLINGS : PORTOLAN_KEPT,
        .part_ns = node->inclusive_ns,
        .whole_ns = average,
        .threshold = beta};
}

/* Marks everything below pruned nodes. */
static void mark_below(const struct portolan_callgraph_node *nodes, size_t n,
                       struct portolan_prune_mark *marks)
{
    for (size_t i = 0; i < n; i++)
        if (nodes[i].parent >= 0 && marks[nodes[i].parent].rule != PORTOLAN_KEPT)
            marks[i] = (struct portolan_prune_mark){.rule = PORTOLAN_PRUNE_BELOW,
                                                    .is_bounded = marks[i].is_bounded};
}

/*
 * Three passes. The first leaves the sum and number of a node's children in the node's mark. The
 * second goes backwards and writes a node's own mark after those of its children, which need them.
 * The third marks everything below pruned nodes.
 */
enum portolan_status portolan_callgraph_prune(const struct portolan_callgraph_node *nodes, size_t n,
                                              double alpha, double beta,
                                              struct portolan_prune_mark *marks,
                                              struct portolan_error *err)
{
    enum portolan_status status = check_nodes(nodes, n, alpha, beta, err);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        marks[i] = (struct portolan_prune_mark){0};
        if (nodes[i].parent >= 0 && !nodes[i].is_absent) {
            marks[nodes[i].parent].part_ns += nodes[i].inclusive_ns;
            marks[nodes[i].parent].whole_ns++;
        }
    }
    for (size_t i = n; i-- > 0;) {
        long parent = nodes[i].parent;

        marks[i] =
            parent < 0 || nodes[i].is_absent
                ? (struct portolan_prune_mark){.rule = PORTOLAN_KEPT}
                : mark_child(&nodes[i], nodes[parent].inclusive_ns, &marks[parent], alpha, beta);
    }
    mark_below(nodes, n, marks);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- pruning within a bound */

struct ranked {
    double inclusive_ns;
    size_t node;
};

/* The shortest first; of equals the later one, which may be below the other. */
static int by_time(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->inclusive_ns != b->inclusive_ns)
        return a->inclusive_ns < b->inclusive_ns ? -1 : 1;
    return a->node > b->node ? -1 : a->node < b->node;
}

/* Marks all nodes as kept, ranks those that may be dropped; returns how many. *WHOLE: the roots'
 * time. */
static size_t rank_branches(const struct portolan_callgraph_node *nodes, size_t n,
                            struct portolan_prune_mark *marks, struct ranked *ranked, double *whole)
{
    size_t m = 0;

    *whole = 0;
    for (size_t i = 0; i < n; i++) {
        marks[i] = (struct portolan_prune_mark){.rule = PORTOLAN_KEPT, .is_bounded = true};
        if (nodes[i].is_absent)
            continue;
        if (nodes[i].parent < 0)
            *whole += nodes[i].inclusive_ns;
        else
            ranked[m++] = (struct ranked){nodes[i].inclusive_ns, i};
    }
    qsort(ranked, m, sizeof *ranked, by_time);
    return m;
}

enum portolan_status portolan_callgraph_bound(const struct portolan_callgraph_node *nodes, size_t n,
                                              double epsilon, struct portolan_prune_mark *marks,
                                              struct portolan_error *err)
{
    enum portolan_status status = check_nodes(nodes, n, epsilon, epsilon, err);
    struct ranked *ranked = portolan_calloc(n + 1, sizeof *ranked);
    double *within = portolan_calloc(n + 1, sizeof *within); /* dropped in each branch */
    double whole, dropped = 0;
    size_t m;

    if (!status && (!ranked || !within))
        status = portolan_no_memory(err);
    m = status ? 0 : rank_branches(nodes, n, marks, ranked, &whole);
    for (size_t k = 0; k < m; k++) {
        size_t i = ranked[k].node;
        double more = fmax(0, nodes[i].inclusive_ns - within[i]);

        marks[i].part_ns = dropped + more;
        marks[i].whole_ns = whole;
        marks[i].threshold = epsilon;
        if (dropped + more < epsilon * whole || nodes[i].inclusive_ns == 0) {
            marks[i].rule = PORTOLAN_PRUNE_BOUND;
            dropped += more;
            within[i] += more;
        }
        within[nodes[i].parent] += within[i];
    }
    if (!status)
        mark_below(nodes, n, marks);
    free(ranked);
    free(within);
    return status;
}

/* ------------------------------------------------- in words */

void portolan_callgraph_explain(const struct portolan_prune_mark *mark, char *text,
                                size_t size_bytes)
{
    static const char *const formats[] = {
        [PORTOLAN_PRUNE_BELOW] = "below a pruned node",
        [PORTOLAN_PRUNE_CHILDREN] = "rule 1: children together %.3g %% of parent < %g %%",
        [PORTOLAN_PRUNE_SIBLINGS] = "rule 2: %.3g %% of siblings' average < %g %%",
        [PORTOLAN_KEPT] = "rule 2: %.3g %% of siblings' average >= %g %%",
        [PORTOLAN_PRUNE_BOUND] = "bound: with all that is dropped %.3g %% of the run < %g %%"};
    bool is_kept = mark->rule == PORTOLAN_KEPT, is_known = mark->whole_ns > 0;

    snprintf(text, size_bytes,
             is_kept && !is_known ? ""
             : is_kept && mark->is_bounded
                 ? "bound: with all that is dropped %.3g %% of the run >= %g %%"
                 : formats[mark->rule],
             is_known ? 100 * mark->part_ns / mark->whole_ns : 0, 100 * mark->threshold);
}
