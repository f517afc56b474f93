/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies: numbers, names and ways of their links. Where hosts are connected to switches, each
 * has a link each way: link H from host H, link n_hosts + H to it. Fat trees: Zahavi, D-Mod-K
 * routing providing non-blocking traffic for shift permutations on real life fat trees (2010).
 * Dragonflies: Kim, Dally, Scott, Abts (2008).
 */
#include "internal.h"

#include <stdio.h>

/* ------------------------------------------------- fat trees */

/* Returns the number of nodes of a level; the hosts are level 0. */
static size_t tree_nodes(const struct clue_topology *t, unsigned level)
{
    size_t n = 1;

    for (unsigned i = 0; i < t->n_levels; i++)
        n *= i < level ? t->up[i] : t->down[i];
    return n;
}

/* Returns the number of links between levels below LEVEL, one way. */
static size_t tree_links(const struct clue_topology *t, unsigned level)
{
    size_t n = 0;

    for (unsigned i = 0; i < level; i++)
        n += tree_nodes(t, i) * t->up[i];
    return n;
}

/* Adds the links of the way between HOST and level N. Up: towards the host D; down: D is HOST. */
static void tree_climb(const struct clue_topology *t, size_t host, size_t d, unsigned n,
                       size_t first, uint32_t *links, int step)
{
    size_t below = 0, rest = host, width = 1; /* digits of the node: of ways up, of children */

    for (unsigned i = 0; i < n; i++) {
        size_t node = below + width * rest, port = d / width % t->up[i];

        *links = (uint32_t)(first + node * t->up[i] + port);
        links += step;
        first += tree_nodes(t, i) * t->up[i];
        rest /= t->down[i];
        below += width * port;
        width *= t->up[i];
    }
}

static size_t tree_route(const struct clue_topology *t, size_t from, size_t to, uint32_t *links)
{
    size_t a = from, b = to;
    unsigned n = 0;

    for (; a != b; n++) {
        a /= t->down[n];
        b /= t->down[n];
    }
    tree_climb(t, from, to, n, 0, links, 1);
    tree_climb(t, to, to, n, tree_links(t, t->n_levels), links + 2 * n - 1, -1);
    return 2 * n;
}

static void tree_name(const struct clue_topology *t, size_t link, char *text, size_t size)
{
    static const char *const names[] = {"host", "leaf", "spine", "core"};
    size_t one_way = tree_links(t, t->n_levels), width = 1, node, parent;
    bool is_down = link >= one_way;
    unsigned level = 0;
    char a[32], b[32];

    link -= is_down ? one_way : 0;
    for (; link >= tree_nodes(t, level) * t->up[level]; level++) {
        link -= tree_nodes(t, level) * t->up[level];
        width *= t->up[level];
    }
    node = link / t->up[level];
    parent = node % width +
             width * (link % t->up[level] + t->up[level] * (node / width / t->down[level]));
    for (unsigned i = level; i <= level + 1; i++)
        if (i < 4)
            snprintf(i == level ? a : b, sizeof a, "%s%zu", names[i], i == level ? node : parent);
        else
            snprintf(i == level ? a : b, sizeof a, "level%u[%zu]", i, i == level ? node : parent);
    snprintf(text, size, "%s-%s", is_down ? b : a, is_down ? a : b);
}

/* ------------------------------------------------- tori */

static size_t torus_route(const struct clue_topology *t, size_t from, size_t to, uint32_t *links)
{
    size_t n = 0, stride = 1, at = from;

    for (unsigned i = 0; i < t->n_levels; stride *= t->down[i++]) {
        size_t size = t->down[i], a = from / stride % size, b = to / stride % size;
        size_t ahead = (b + size - a) % size;
        bool is_back = ahead > size - ahead;

        for (size_t left = is_back ? size - ahead : ahead; left > 0 && n < CLUE_MOST_HOPS; left--) {
            links[n++] = (uint32_t)((at * t->n_levels + i) * 2 + is_back);
            at -= a * stride;
            a = (a + (is_back ? size - 1 : 1)) % size;
            at += a * stride;
        }
    }
    return n;
}

/* ------------------------------------------------- dragonflies */

/* Returns the router of A at which group A is connected to group B. */
static size_t dragonfly_exit(const struct clue_topology *t, size_t a, size_t b)
{
    size_t groups = t->down[2], each = (groups - 1 + t->down[1] - 1) / t->down[1];

    return (b + groups - a - 1) % groups / each;
}

static size_t dragonfly_route(const struct clue_topology *t, size_t from, size_t to,
                              uint32_t *links)
{
    size_t n = 0, hosts = t->down[0], routers = t->down[1], groups = t->down[2];
    size_t local = 2 * t->n_hosts, global = local + groups * routers * routers;
    size_t router = from / hosts % routers, group = from / hosts / routers;
    size_t last = to / hosts % routers, last_group = to / hosts / routers;

    links[n++] = (uint32_t)from;
    if (group != last_group) {
        size_t exit = dragonfly_exit(t, group, last_group);

        if (exit != router)
            links[n++] = (uint32_t)(local + (group * routers + router) * routers + exit);
        links[n++] = (uint32_t)(global + group * groups + last_group);
        router = dragonfly_exit(t, last_group, group);
    }
    if (router != last)
        links[n++] = (uint32_t)(local + (last_group * routers + router) * routers + last);
    links[n++] = (uint32_t)(t->n_hosts + to);
    return n;
}

/* ------------------------------------------------- all */

static int by_hosts(const void *a, const void *b)
{
    const struct clue_route *x = a, *y = b;

    return x->from != y->from ? PORTOLAN_ORDER(x->from, y->from) : PORTOLAN_ORDER(x->to, y->to);
}

size_t clue_topology_route(const struct clue_network *network, int from, int to, uint32_t *links)
{
    const struct clue_topology *t = network->topology;
    const struct clue_route *route;

    if (from == to && t->kind != CLUE_EXPLICIT)
        return 0;
    switch (t->kind) {
    case CLUE_CROSSBAR:
        links[0] = (uint32_t)from;
        links[1] = (uint32_t)(t->n_hosts + (size_t)to);
        return 2;
    case CLUE_BUS:
        links[0] = 0;
        return 1;
    case CLUE_FAT_TREE:
        return tree_route(t, (size_t)from, (size_t)to, links);
    case CLUE_TORUS:
        return torus_route(t, (size_t)from, (size_t)to, links);
    case CLUE_DRAGONFLY:
        return dragonfly_route(t, (size_t)from, (size_t)to, links);
    case CLUE_EXPLICIT:
        break;
    }
    if (!t->n_routes)
        return 0;
    route = bsearch(&(struct clue_route){.from = from, .to = to}, t->routes, t->n_routes,
                    sizeof *route, by_hosts);
    if (!route || route->n_links > CLUE_MOST_HOPS)
        return 0;
    memcpy(links, route->links, route->n_links * sizeof *links);
    return route->n_links;
}

static size_t product(const struct clue_topology *t)
{
    size_t n = 1;

    for (unsigned i = 0; i < t->n_levels; i++)
        n *= t->down[i];
    return n;
}

size_t clue_topology_hosts(const struct clue_topology *t)
{
    bool is_sized = t->kind == CLUE_FAT_TREE || t->kind == CLUE_TORUS || t->kind == CLUE_DRAGONFLY;

    return is_sized ? product(t) : SIZE_MAX;
}

size_t clue_topology_links(const struct clue_topology *t)
{
    switch (t->kind) {
    case CLUE_CROSSBAR:
        return 2 * t->n_hosts;
    case CLUE_BUS:
        return 1;
    case CLUE_FAT_TREE:
        return 2 * tree_links(t, t->n_levels);
    case CLUE_TORUS:
        return product(t) * t->n_levels * 2;
    case CLUE_DRAGONFLY:
        return 2 * t->n_hosts + (size_t)t->down[2] * t->down[1] * t->down[1] +
               (size_t)t->down[2] * t->down[2];
    case CLUE_EXPLICIT:
        break;
    }
    return 0;
}

void clue_topology_link_name(const struct clue_topology *t, size_t link, char *text, size_t size)
{
    size_t n = t->n_hosts, routers = t->down[1];

    if (t->kind == CLUE_BUS)
        snprintf(text, size, "bus");
    else if (t->kind == CLUE_FAT_TREE)
        tree_name(t, link, text, size);
    else if (t->kind == CLUE_TORUS)
        snprintf(text, size, "host%zu%c%c", link / 2 / t->n_levels, link % 2 ? '-' : '+',
                 "xyzuvwst"[link / 2 % t->n_levels]);
    else if (link < n)
        snprintf(text, size, "host%zu-switch", link);
    else if (link < 2 * n)
        snprintf(text, size, "switch-host%zu", link - n);
    else if ((link -= 2 * n) < t->down[2] * routers * routers)
        snprintf(text, size, "group%zu.router%zu-router%zu", link / routers / routers,
                 link / routers % routers, link % routers);
    else {
        link -= t->down[2] * routers * routers;
        snprintf(text, size, "group%zu-group%zu", link / t->down[2], link % t->down[2]);
    }
}
