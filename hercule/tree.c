/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the tree of a paradigm for people: as text, and as a graph for dot. */
#include <portolan/hercule.h>

#include <stdlib.h>
#include <string.h>

#include "knowledge.h"

struct drawing {
    const struct paradigm *paradigm;
    struct portolan_text *out;
    char *is_drawn; /* by node */
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

static void add_tree(const struct drawing *d)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++)
        if (!d->paradigm->nodes[i].n_under)
            add_node(d, i, 0);
}

/* Adds TEXT in quotes; dot takes all but these two characters as they are, also ends of lines. */
static void add_dot_text(const struct drawing *d, const char *text)
{
    portolan_text_add(d->out, "\"");
    portolan_text_add_escaped(d->out, text);
    portolan_text_add(d->out, "\"");
}

static void add_dot_node(const struct drawing *d, const struct node *node)
{
    static const char *const shapes[] = {"house", "ellipse", "box"};
    const struct paradigm *p = d->paradigm;
    struct portolan_text label = {0};

    portolan_text_add(&label, "%s\n%s of %s\nfrom %s", node->item.text,
                      p->metrics[node->metric].item.name, base_of(p, node), node->item.origin);
    portolan_text_add(d->out, "  ");
    add_dot_text(d, node->item.name);
    portolan_text_add(d->out, " [shape=%s, fillcolor=%d, label=", shapes[node->kind],
                      (int)(portolan_hash(node->item.origin, strlen(node->item.origin), 0) % 9) +
                          1);
    add_dot_text(d, label.bytes ? label.bytes : "");
    portolan_text_add(d->out, "];\n");
    d->out->failed |= label.failed;
    portolan_text_clear(&label);
}

static void add_dot_edge(const struct drawing *d, size_t from, size_t to, const char *attributes)
{
    portolan_text_add(d->out, "  ");
    add_dot_text(d, d->paradigm->nodes[from].item.name);
    portolan_text_add(d->out, " -> ");
    add_dot_text(d, d->paradigm->nodes[to].item.name);
    portolan_text_add(d->out, "%s;\n", attributes);
}

static void add_dot(const struct drawing *d)
{
    const struct paradigm *p = d->paradigm;

    portolan_text_add(d->out, "digraph ");
    add_dot_text(d, p->item.name);
    portolan_text_add(d->out, " {\n  node [style=filled, colorscheme=pastel19];\n");
    for (size_t i = 0; i < p->n_nodes; i++)
        add_dot_node(d, &p->nodes[i]);
    for (size_t i = 0; i < p->n_nodes; i++)
        for (size_t u = 0; u < p->nodes[i].n_under; u++)
            add_dot_edge(d, p->nodes[i].parents[u], i, "");
    for (size_t i = 0; i < p->n_links; i++)
        if (p->links[i].is_composite)
            add_dot_edge(d, p->links[i].from, p->links[i].to, " [style=dotted, label=composite]");
        else
            add_dot_edge(d, p->links[i].from, p->links[i].to, " [style=dashed, label=delegated]");
    portolan_text_add(d->out, "}\n");
}

enum portolan_status portolan_knowledge_tree(const struct portolan_knowledge *knowledge,
                                             const char *paradigm, enum portolan_tree_format format,
                                             char **text, struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct drawing d = {knowledge_need(knowledge, paradigm, err), &out, NULL};

    *text = NULL;
    if (!d.paradigm)
        return PORTOLAN_ENOTFOUND;
    if (!(d.is_drawn = portolan_calloc(d.paradigm->n_nodes + 1, 1)))
        return portolan_no_memory(err);
    if (format == PORTOLAN_TREE_DOT)
        add_dot(&d);
    else
        add_tree(&d);
    free(d.is_drawn);
    return portolan_text_take(&out, text, err);
}
