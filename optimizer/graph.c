/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call graph that a person sees and the two rules prune: as written, at the sweep point where a
 * step takes longest. Call paths that occur only with other implementations are judged in the trial
 * of those where a step takes longest. Where implementations were exchanged, each has its part.
 */
#include "plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial_view {
    size_t trial;
    size_t away; /* variables not as written; NONE: exchanged or unknown */
    double step_ns;
    const size_t *selection;
};

/* The trial's only selection, when it kept one throughout. */
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

/* What fails takes no time: such a trial would prune what works. */
static bool has_failed(const struct survey *s, size_t trial)
{
    return s->trials[trial].failed || s->trials[trial].had_failures;
}

static struct trial_view look(const struct survey *s, size_t trial)
{
    const struct survey_trial *t = &s->trials[trial];
    struct trial_view view = {trial, NONE, 0, only_selection(s, t)};
    double inclusive = 0, steps = 0;

    for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++) {
        for (size_t n = 0; n < s->n_nodes; n++)
            if (s->nodes[n].parent < 0)
                inclusive += survey_sum_of(s, n, r)->inclusive;
        steps += s->rows[r].steps;
    }
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

static void sum_trial(const struct survey *s, size_t trial, struct portolan_callgraph_node *nodes,
                      bool *present)
{
    const struct survey_trial *t = &s->trials[trial];

    for (size_t n = 0; n < s->n_nodes; n++) {
        nodes[n] = (struct portolan_callgraph_node){.name = s->nodes[n].instance,
                                                    .parent = s->nodes[n].parent};
        present[n] = false;
        for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++) {
            const struct survey_sum *sum = survey_sum_of(s, n, r);

            present[n] = present[n] || sum->present;
            nodes[n].calls += sum->calls;
            nodes[n].inclusive_ns += sum->inclusive;
            nodes[n].exclusive_ns += sum->exclusive;
            nodes[n].mpi_ns += sum->mpi;
        }
    }
}

/* Prunes only what is there: absent paths would pull the siblings' average down. */
static enum portolan_status prune_present(const struct survey *s, double alpha, double beta,
                                          const struct portolan_callgraph_node *nodes,
                                          const bool *present, struct portolan_prune_mark *marks)
{
    struct portolan_callgraph_node *some = portolan_calloc(s->n_nodes + 1, sizeof *some);
    struct portolan_prune_mark *some_marks = portolan_calloc(s->n_nodes + 1, sizeof *some_marks);
    long *place = portolan_calloc(s->n_nodes + 1, sizeof *place);
    enum portolan_status status = PORTOLAN_ENOMEM;
    size_t n = 0;

    if (!some || !some_marks || !place)
        goto out;
    for (size_t i = 0; i < s->n_nodes; i++)
        if (present[i]) {
            some[n] = nodes[i];
            some[n].parent = nodes[i].parent < 0 ? -1 : place[nodes[i].parent];
            place[i] = (long)n++;
        }
    status = portolan_callgraph_prune(some, n, alpha, beta, some_marks, NULL);
    for (size_t i = 0; !status && i < s->n_nodes; i++)
        if (present[i])
            marks[i] = some_marks[place[i]];
out:
    free(some);
    free(some_marks);
    free(place);
    return status;
}

static struct portolan_plan_part *part_of(struct portolan_plan_node *n,
                                          struct portolan_plan_part *parts, const char *name)
{
    for (size_t i = 0; i < n->n_parts; i++)
        if (!strcmp(parts[i].implementation, name))
            return &parts[i];
    parts[n->n_parts].implementation = name;
    return &parts[n->n_parts++];
}

/* Who had the calls of a path in a trial (NONE: in all): the implementation, or parts. */
static enum portolan_status share_out(struct portolan_plan *p, size_t path, size_t trial)
{
    const struct survey *s = &p->s;
    const struct survey_node *from = &s->nodes[path];
    const struct survey_variable *own =
        from->variable == NONE ? NULL : &s->variables[from->variable];
    struct portolan_plan_node *n = &p->graph[path];
    struct portolan_plan_part *parts;

    n->implementation = "";
    if (!own)
        return PORTOLAN_OK;
    if (!(parts = portolan_arena_alloc(&p->s.pool, own->n + 1, sizeof *parts)))
        return PORTOLAN_ENOMEM;
    for (size_t i = from->first_piece; i < from->first_piece + from->n_pieces; i++) {
        const struct survey_piece *x = &s->pieces[i];
        struct portolan_plan_part *part;

        if (trial != NONE && s->rows[x->row].trial != trial)
            continue;
        part = part_of(n, parts,
                       x->own == NONE ? "others" : own->instance->alternatives[x->own].class_name);
        part->calls += x->calls;
        part->inclusive_ns += x->inclusive;
        part->exclusive_ns += x->exclusive;
        part->mpi_ns += x->mpi;
    }
    if (n->n_parts == 1)
        n->implementation = parts[0].implementation;
    n->n_parts = n->n_parts > 1 ? n->n_parts : 0;
    n->parts = parts;
    return PORTOLAN_OK;
}

/* Takes the nodes of one trial that no earlier trial had. */
static enum portolan_status take_trial(struct portolan_plan *p, const struct trial_view *view,
                                       const struct portolan_callgraph_node *nodes,
                                       const bool *present, const struct portolan_prune_mark *marks)
{
    const struct survey *s = &p->s;
    enum portolan_status status = PORTOLAN_OK;
    char *seen_with = NULL;
    double root = 0;

    for (size_t i = 0; i < s->n_nodes; i++)
        if (nodes[i].parent < 0)
            root += nodes[i].inclusive_ns;
    for (size_t i = 0; !status && i < s->n_nodes; i++) {
        struct portolan_plan_node *n = &p->graph[i];
        const struct survey_node *from = &s->nodes[i];

        if (!present[i] || n->method)
            continue;
        if (!seen_with && view->selection &&
            !(seen_with = plan_selection_text(s, &p->s.pool, view->selection, NULL)))
            return PORTOLAN_ENOMEM;
        *n = (struct portolan_plan_node){.user = from->user,
                                         .uses = from->uses,
                                         .instance = from->instance,
                                         .port = from->port,
                                         .method = from->method,
                                         .seen_with = view->away && seen_with ? seen_with : "",
                                         .parent = from->parent,
                                         .calls = nodes[i].calls,
                                         .inclusive_ns = nodes[i].inclusive_ns,
                                         .exclusive_ns = nodes[i].exclusive_ns,
                                         .mpi_ns = nodes[i].mpi_ns,
                                         .share = root > 0 ? nodes[i].inclusive_ns / root : 0,
                                         .mark = marks[i]};
        n->depth = n->parent < 0 ? 0 : p->graph[n->parent].depth + 1;
        status = share_out(p, i, view->trial);
        p->paths[i].mark = marks[i];
        p->paths[i].core = marks[i].rule == PORTOLAN_KEPT;
    }
    return status;
}

static void find_core(struct portolan_plan *p)
{
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        const struct plan_path *path = &p->paths[i];

        for (size_t k = 0; path->core && k < path->scope.n; k++)
            if (k != path->caller_at)
                p->core[path->scope.variables[k]] = true;
    }
}

/* Paths that occur only in trials with a swap or an unknown class: shown, and kept. */
static enum portolan_status fill_rest(struct portolan_plan *p)
{
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        struct portolan_plan_node *n = &p->graph[i];
        const struct survey_node *from = &p->s.nodes[i];

        if (n->method)
            continue;
        *n = (struct portolan_plan_node){.user = from->user,
                                         .uses = from->uses,
                                         .instance = from->instance,
                                         .port = from->port,
                                         .method = from->method,
                                         .seen_with = "a swap",
                                         .parent = from->parent,
                                         .mark = {.rule = PORTOLAN_KEPT}};
        n->depth = n->parent < 0 ? 0 : p->graph[n->parent].depth + 1;
        for (size_t r = 0; r < p->s.n_rows; r++) {
            const struct survey_sum *sum = survey_sum_of(&p->s, i, r);

            n->calls += sum->calls;
            n->inclusive_ns += sum->inclusive;
            n->exclusive_ns += sum->exclusive;
            n->mpi_ns += sum->mpi;
        }
        p->paths[i].mark = n->mark;
        p->paths[i].core = true;
        if (share_out(p, i, NONE))
            return PORTOLAN_ENOMEM;
    }
    return PORTOLAN_OK;
}

enum portolan_status plan_make_graph(struct portolan_plan *p)
{
    const struct survey *s = &p->s;
    struct trial_view *views = portolan_calloc(s->n_trials + 1, sizeof *views);
    struct portolan_callgraph_node *nodes = portolan_calloc(s->n_nodes + 1, sizeof *nodes);
    struct portolan_prune_mark *marks = portolan_calloc(s->n_nodes + 1, sizeof *marks);
    bool *present = portolan_calloc(s->n_nodes + 1, sizeof *present);
    enum portolan_status status = PORTOLAN_ENOMEM;

    p->n_nodes = s->n_nodes;
    p->graph = portolan_arena_alloc(&p->s.pool, s->n_nodes, sizeof *p->graph);
    if (!views || !nodes || !marks || !present || !p->graph)
        goto out;
    status = PORTOLAN_OK;
    for (size_t t = 0; t < s->n_trials; t++)
        views[t] = look(s, t);
    if (s->n_trials)
        qsort(views, s->n_trials, sizeof *views, view_order);
    p->graph_trial = s->n_trials && !has_failed(s, views[0].trial) ? views[0].trial : NONE;
    for (size_t t = 0; !status && t < s->n_trials; t++) {
        if (views[t].away == NONE && views[t].trial != p->graph_trial)
            continue; /* where all trials had an exchange, one of them stands for all */
        sum_trial(s, views[t].trial, nodes, present);
        status = prune_present(s, s->a->alpha, s->a->beta, nodes, present, marks);
        if (!status)
            status = take_trial(p, &views[t], nodes, present, marks);
    }
    if (!status)
        status = fill_rest(p);
    if (!status)
        find_core(p);
out:
    free(views);
    free(nodes);
    free(marks);
    free(present);
    return status;
}
