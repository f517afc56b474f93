/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds why there may be a problem although no cause was found: this decides between "no problem
 * found" and "cannot tell".
 *
 * There is a doubt if the conclusion about some node could not be drawn, since its metric was not
 * measured or is not trusted; if an experiment that was wanted has not been made; or if a symptom
 * holds, and what the small causes below it cost leaves more of it than LEAST unexplained.
 */
#include "diagnosis.h"

static bool is_below(const struct paradigm *p, size_t node, size_t root)
{
    const struct node *n = &p->nodes[node];

    for (size_t u = 0; u < n->n_under; u++)
        if (n->parents[u] == root || is_below(p, n->parents[u], root))
            return true;
    return false;
}

/* Returns whether a node is a cause below ROOT that is known to be small. */
static bool is_small_below(const struct diagnosis *d, size_t node, size_t root)
{
    const struct conclusion *c = &d->conclusions[node];

    return d->paradigm->nodes[node].kind == NODE_CAUSE && c->condition == CONDITION_YES &&
           !c->holds && !c->why && is_below(d->paradigm, node, root);
}

/* Returns what small causes below ROOT cost, as a share of the run; those of one metric count
 * once. */
static double small_below(const struct diagnosis *d, size_t root)
{
    const struct node *nodes = d->paradigm->nodes;
    double sum = 0;

    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        double share = d->metrics[nodes[i].metric].of_run;
        bool is_new = share > 0 && is_small_below(d, i, root);

        for (size_t k = 0; is_new && k < i; k++)
            is_new = nodes[k].metric != nodes[i].metric || !is_small_below(d, k, root);
        sum += is_new ? share : 0;
    }
    return sum;
}

/* Returns a large symptom that small causes do not explain; NULL: there is none. */
static const char *unexplained_symptom(struct diagnosis *d, double least)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        const struct node *node = &d->paradigm->nodes[i];
        double share = d->metrics[node->metric].of_run;

        if (!node->n_under && d->conclusions[i].holds && share - small_below(d, i) >= least)
            return portolan_arena_printf(
                &d->arena, "%s is %.0f %% of run time, but no cause was found",
                item_title(&d->arena, d->paradigm, &node->item), 100 * share);
    }
    return NULL;
}

const char *diagnosis_doubt(struct diagnosis *d, double least)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++)
        if (d->conclusions[i].why)
            return d->conclusions[i].why;
    if (d->public.n_wanted)
        return portolan_arena_printf(&d->arena, "%s was not made", d->public.wanted[0].text);
    return unexplained_symptom(d, least);
}
