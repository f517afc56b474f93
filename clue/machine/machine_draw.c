/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws a machine as a graph: hosts, and the links between them. */
#include "machine.h"

#include <portolan/index.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 64 }; /* if there are more hosts, only their types are drawn */

static void add_host(struct portolan_text *t, size_t number, const struct clue_host *h,
                     const char *name)
{
    portolan_text_add(t, "  host%zu [shape=box, style=filled, fillcolor=\"#dbe4f5\", label=\"",
                      number);
    portolan_text_add_escaped(t, name);
    if (h->cpus > 1)
        portolan_text_add(t, "\\n%u processors", h->cpus);
    if (h->real || h->factor != 1)
        portolan_text_add(t, h->real ? "\\nreal" : "\\ntime x %g", h->factor);
    portolan_text_add(t, "\"];\n");
}

static void add_rate(struct portolan_text *t, const struct clue_link *l)
{
    char latency[32];

    portolan_text_add(t, "%.4g MB/s", l->bytes_per_ns * 1e3);
    if (l->latency_ns)
        portolan_text_add(t, "\\n%s",
                          portolan_format_time((double)l->latency_ns, 3, latency, sizeof latency));
}

/* ------------------------------------------------- links */

/* Draws trees and crossbars, whose first half of the links ("host0-leaf0") goes up. */
static void add_tree(struct portolan_text *t, const struct clue_network *n)
{
    for (size_t i = 0; i < n->n_links / 2; i++) {
        size_t length = strcspn(n->links[i].name, "-");

        portolan_text_add(t, "  \"%.*s\" -- \"%s\" [label=\"", (int)length, n->links[i].name,
                          n->links[i].name + length + 1);
        add_rate(t, &n->links[i]);
        portolan_text_add(t, "\"];\n");
    }
}

/* Edges that were drawn already; hosts are numbered after the links. */
struct edges {
    struct portolan_index index;
    uint32_t (*ends)[2];
    size_t n, room;
};

static void add_end(struct portolan_text *t, const struct clue_network *n, uint32_t end)
{
    if (end >= n->n_links) {
        portolan_text_add(t, "host%zu", end - n->n_links);
        return;
    }
    portolan_text_add(t, "\"link ");
    portolan_text_add_escaped(t, n->links[end].name);
    portolan_text_add(t, "\"");
}

static void add_edge(struct portolan_text *t, const struct clue_network *n, struct edges *e,
                     uint32_t a, uint32_t b)
{
    uint32_t ends[2] = {a < b ? a : b, a < b ? b : a};
    size_t n_before = e->n;

    if (!portolan_index_item(&e->index, &e->ends, &e->n, &e->room, sizeof *e->ends, ends,
                             sizeof ends))
        t->failed = true;
    if (e->n == n_before)
        return;
    portolan_text_add(t, "  ");
    add_end(t, n, ends[0]);
    portolan_text_add(t, " -- ");
    add_end(t, n, ends[1]);
    portolan_text_add(t, ";\n");
}

/* Draws other networks: links are nodes, and the ways from host to host go through them. */
static void add_ways(struct portolan_text *t, const struct clue_network *n, int n_hosts)
{
    struct edges e = {0};
    uint32_t links[CLUE_MOST_HOPS];

    for (size_t i = 0; i < n->n_links; i++) {
        portolan_text_add(t, "  \"link ");
        portolan_text_add_escaped(t, n->links[i].name);
        portolan_text_add(t, "\" [shape=ellipse, label=\"");
        portolan_text_add_escaped(t, n->links[i].name);
        portolan_text_add(t, "\\n");
        add_rate(t, &n->links[i]);
        portolan_text_add(t, "\"];\n");
    }
    for (int from = 0; from < n_hosts; from++)
        for (int to = 0; to < n_hosts && !t->failed; to++) {
            size_t hops = from != to ? n->route(n, from, to, links) : 0;
            uint32_t last = (uint32_t)(n->n_links + (size_t)from);

            for (size_t i = 0; i < hops; last = links[i++])
                add_edge(t, n, &e, last, links[i]);
            if (hops)
                add_edge(t, n, &e, last, (uint32_t)(n->n_links + (size_t)to));
        }
    portolan_index_clear(&e.index);
    free(e.ends);
}

/* ------------------------------------------------- the whole */

static void add_law_label(struct portolan_text *t, const char *what, const struct clue_law *law)
{
    char first[32], last[32];

    if (law->n_points)
        portolan_text_add(
            t, "\\n%s: %s to %s", what,
            portolan_format_time(law->points[0].ns, 3, first, sizeof first),
            portolan_format_time(law->points[law->n_points - 1].ns, 3, last, sizeof last));
    else if (law->constant_ns > 0 || law->ns_per_byte > 0)
        portolan_text_add(t, "\\n%s: %s + %.3g ns/B", what,
                          portolan_format_time(law->constant_ns, 3, first, sizeof first),
                          law->ns_per_byte);
}

/* Writes rules as notes, since most are of many hosts. */
static void add_rules(struct portolan_text *t, const struct clue_machine_file *f)
{
    portolan_text_add(t, "  delays [shape=note, label=\"delays");
    for (size_t i = 0; i < f->n_rules; i++) {
        const struct clue_pair_rule *rule = &f->rules[i];
        char what[100];

        snprintf(what, sizeof what, "%s %.30s to %.30s", rule->is_send ? "send" : "transmission",
                 rule->from, rule->to);
        add_law_label(t, what, &rule->law);
    }
    portolan_text_add(t, "\"];\n");
}

static void add_network(struct portolan_text *t, const struct clue_machine_file *f)
{
    const struct clue_network *n = &f->machine.network;
    const struct clue_topology *topology = n->topology;
    size_t n_drawn = f->machine.n_hosts > MOST_DRAWN ? f->n_types : f->machine.n_hosts;
    bool is_tree = topology && (topology->kind == CLUE_CROSSBAR || topology->kind == CLUE_FAT_TREE);

    if (f->machine.n_hosts > MOST_DRAWN || !topology) {
        portolan_text_add(t, "  network [shape=ellipse, label=\"network");
        if (n->n_links)
            portolan_text_add(t, "\\n%zu links", n->n_links);
        portolan_text_add(t, "\"];\n");
        for (size_t i = 0; i < n_drawn; i++)
            portolan_text_add(t, "  host%zu -- network;\n", i);
    } else if (is_tree) {
        add_tree(t, n);
    } else {
        add_ways(t, n, (int)f->machine.n_hosts);
    }
}

enum portolan_status clue_machine_draw(const struct clue_machine_file *f, char **dot,
                                       struct portolan_error *err)
{
    struct portolan_text t = {0};
    const struct clue_machine *m = &f->machine;

    portolan_text_add(&t, "graph \"");
    portolan_text_add_escaped(&t, m->name);
    portolan_text_add(&t, "\" {\n  node [fontname=\"sans-serif\"];\n"
                          "  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (size_t i = 0; m->n_hosts <= MOST_DRAWN && i < m->n_hosts; i++)
        add_host(&t, i, &m->hosts[i], m->hosts[i].name);
    for (size_t i = 0; m->n_hosts > MOST_DRAWN && i < f->n_types; i++) {
        char name[200];

        snprintf(name, sizeof name, "%d x %.100s", f->types[i].count ? f->types[i].count : 1,
                 f->types[i].host.name);
        add_host(&t, i, &f->types[i].host, name);
    }
    add_network(&t, f);
    if (f->n_rules)
        add_rules(&t, f);
    portolan_text_add(&t, "}\n");
    return portolan_text_take(&t, dot, err);
}
