/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as trees of call paths with a value per metric. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status no_memory(struct portolan_error *err)
{
    return portolan_no_memory(err);
}

struct maker {
    struct tree *t;
    const struct portolan_profile *p;
    int64_t *place; /* of a profile's node in the tree */
};

static double ratio(double calls, double timed)
{
    return timed > 0 ? calls / timed : 1;
}

/* ------------------------------------------------- values */

static bool make_values(struct tree *t, struct tree_node *n)
{
    n->inclusive = portolan_arena_alloc(&t->arena, t->n_metrics, 2 * sizeof *n->inclusive);
    n->exclusive = n->inclusive ? n->inclusive + t->n_metrics : NULL;
    return n->inclusive != NULL;
}

/*
 * What is stored of time is exclusive and inclusive, of MPI exclusive, of counters inclusive. The
 * other half comes from the calls below. Counters may be on for some ports only.
 */
static void settle(struct tree *t)
{
    for (size_t i = t->n; i-- > 0;) {
        struct tree_node *n = &t->nodes[i], *above = n->above < 0 ? NULL : &t->nodes[n->above];

        n->inclusive[TREE_MPI] += n->exclusive[TREE_MPI];
        for (size_t m = TREE_COUNTERS; m < t->n_metrics; m++) { /* exclusive: that of all below */
            n->inclusive[m] = fmax(n->inclusive[m], n->exclusive[m]);
            n->exclusive[m] = n->inclusive[m] - n->exclusive[m];
        }
        if (above)
            above->inclusive[TREE_MPI] += n->inclusive[TREE_MPI];
        for (size_t m = TREE_COUNTERS; above && m < t->n_metrics; m++)
            above->exclusive[m] += n->inclusive[m];
    }
}

static const char *make_label(struct tree *t, const struct portolan_profile_node *of)
{
    struct portolan_text text = {.arena = &t->arena};

    portolan_profile_add_label(of, false, &text);
    clean_utf8(text.bytes);
    return text.bytes ? text.bytes : "";
}

static bool start(struct tree *t, const struct portolan_profile *p, struct maker *k)
{
    *k = (struct maker){.t = t, .p = p};
    t->n = 0;
    t->n_metrics = TREE_COUNTERS + p->n_counters;
    t->nodes = portolan_arena_alloc(&t->arena, p->n_nodes + 1, sizeof *t->nodes);
    k->place = portolan_calloc(p->n_nodes + 1, sizeof *k->place);
    return t->nodes && k->place;
}

/* The next node of the tree, for node I of the profile. */
static struct tree_node *add(struct maker *k, size_t i)
{
    const struct portolan_profile_node *of = &k->p->nodes[i];
    struct tree_node *n = &k->t->nodes[k->t->n];

    n->above = of->parent < 0 ? -1 : k->place[of->parent];
    n->of = of;
    n->label = make_label(k->t, of);
    k->place[i] = (int64_t)k->t->n++;
    make_values(k->t, n);
    return n;
}

/* What no timed call and no counter told is nothing in formats that have no word for it. */
static double known(double x)
{
    return isnan(x) ? 0 : x;
}

enum portolan_status tree_of_sums(struct tree *t, const struct portolan_profile *p,
                                  struct portolan_error *err)
{
    struct maker k;
    bool good = start(t, p, &k);

    t->rank = t->thread = -1;
    for (size_t i = 0; good && i < p->n_nodes && !t->arena.failed; i++) {
        const struct portolan_profile_node *of = &p->nodes[i];
        struct tree_node *n = of->is_context ? NULL : add(&k, i);

        if (!n || t->arena.failed)
            continue;
        n->calls = of->calls.sum;
        n->subroutines = of->subroutines;
        n->inclusive[TREE_TIME] = known(of->inclusive.value);
        n->exclusive[TREE_TIME] = known(of->exclusive.value);
        n->exclusive[TREE_MPI] = known(of->mpi.value);
        for (size_t m = 0; m < p->n_counters; m++)
            n->inclusive[TREE_COUNTERS + m] =
                known(of->counters[m].sum) * ratio(of->calls.sum, of->timed_calls);
    }
    free(k.place);
    if (!good || t->arena.failed)
        return no_memory(err);
    settle(t);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- one thread */

static void set_cell(struct tree *t, struct tree_node *n, const struct portolan_profile_cell *c)
{
    double scale = ratio(c->calls, c->timed_calls);

    n->cell = c;
    n->calls = c->calls;
    n->subroutines = c->subroutines;
    n->inclusive[TREE_TIME] = c->inclusive_ns * scale;
    n->exclusive[TREE_TIME] = c->exclusive_ns;
    n->exclusive[TREE_MPI] = c->mpi_ns * scale;
    for (size_t m = TREE_COUNTERS; m < t->n_metrics; m++)
        n->inclusive[m] = c->counters[m - TREE_COUNTERS] * scale;
}

/* The time of calls that were not timed is in what their callers took for themselves. */
static void correct_callers(struct tree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct tree_node *n = &t->nodes[i];
        double untimed = n->inclusive[TREE_TIME] - n->cell->inclusive_ns;

        n->exclusive[TREE_TIME] += untimed;
        if (n->above >= 0)
            t->nodes[n->above].exclusive[TREE_TIME] -= untimed;
    }
}

static bool add_context(struct maker *k, const struct portolan_profile_cell *c)
{
    const struct portolan_profile_node *of = &k->p->nodes[c->node];
    struct tree_node *n = &k->t->nodes[k->place[of->parent]];
    struct tree_context *grown =
        portolan_arena_grow(&k->t->arena, n->contexts, n->n_contexts, sizeof *grown);

    if (!grown)
        return false;
    n->contexts = grown;
    n->contexts[n->n_contexts++] = (struct tree_context){.of = of, .cell = c};
    return true;
}

enum portolan_status tree_of_thread(struct tree *t, const struct portolan_profile *p, int thread,
                                    struct portolan_error *err)
{
    struct maker k;
    bool good = start(t, p, &k);

    t->thread = thread;
    for (size_t i = 0; good && i < p->n_nodes; i++) /* who was never there stands for his caller */
        k.place[i] = -1;
    for (size_t i = 0; good && i < p->n_cells && !t->arena.failed; i++) {
        const struct portolan_profile_cell *c = &p->cells[i];
        struct tree_node *n;

        if (c->thread != thread)
            continue;
        if (p->nodes[c->node].is_context) {
            good = add_context(&k, c);
            continue;
        }
        n = add(&k, c->node);
        if (!t->arena.failed)
            set_cell(t, n, c);
    }
    free(k.place);
    if (!good || t->arena.failed)
        return no_memory(err);
    correct_callers(t);
    settle(t);
    return PORTOLAN_OK;
}
