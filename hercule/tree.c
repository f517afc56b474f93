/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of a paradigm for people. */
#include <portolan/hercule.h>

#include <stdlib.h>
#include <string.h>

#include "knowledge.h"

struct drawing {
    const struct paradigm *paradigm;
    struct portolan_text *out;
    char *is_drawn; /* per node */
};

static const char *base_of(const struct paradigm *p, const struct node *node)
{
    const struct metric *metric = &p->metrics[node->metric];

    return metric->base == HERCULE_NONE ? "run" : p->metrics[metric->base].item.name;
}

static void add_links(const struct drawing *d, size_t node)
{
    const struct paradigm *p = d->paradigm;

    for (size_t i = 0; i < p->n_links; i++)
        if (p->links[i].from == node)
            portolan_text_add(
                d->out, p->links[i].is_composite ? "; part of composite %s" : "; caused in %s",
                p->nodes[p->links[i].to].item.name);
}

static void add_node(const struct drawing *d, size_t i, int depth)
{
    const struct node *node = &d->paradigm->nodes[i];

    portolan_text_add(d->out, "%*s%s: %s, %s of %s, from %s", depth * 2, "", node->item.name,
                      node_words[node->kind], d->paradigm->metrics[node->metric].item.name,
                      base_of(d->paradigm, node), node->item.origin);
    if (d->is_drawn[i]) {
        portolan_text_add(d->out, " (above)\n");
        return;
    }
    d->is_drawn[i] = true;
    add_links(d, i);
    portolan_text_add(d->out, "\n");
    for (size_t k = 0; k < d->paradigm->n_nodes; k++)
        for (size_t u = 0; u < d->paradigm->nodes[k].n_under; u++)
            if (d->paradigm->nodes[k].parents[u] == i)
                add_node(d, k, depth + 1);
}

enum portolan_status portolan_knowledge_tree(const struct portolan_knowledge *knowledge,
                                             const char *paradigm, char **text,
                                             struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct drawing d = {knowledge_need(knowledge, paradigm, err), &out, NULL};

    *text = NULL;
    if (!d.paradigm)
        return PORTOLAN_ENOTFOUND;
    if (!(d.is_drawn = portolan_calloc(d.paradigm->n_nodes + 1, 1)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < d.paradigm->n_nodes; i++)
        if (!d.paradigm->nodes[i].n_under)
            add_node(&d, i, 0);
    free(d.is_drawn);
    return portolan_text_take(&out, text, err);
}
