/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the links of the network: those of a topology, or separate links with routes. */
#include "machine.h"

#include <portolan/command.h>
#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 1 << 20, MOST_ROUTES = 1 << 20, LINK_NAME = 80 };

/* The names of enum clue_topology_kind, in its order. */
static const char *const kinds[] = {"crossbar",  "bus",      "fat-tree", "torus",
                                    "dragonfly", "explicit", NULL};

/* Reads numbers such as "8 4 2", at most CLUE_MOST_LEVELS; returns how many. */
static unsigned read_numbers(struct machine_reader *r, const struct xml_element *e,
                             const char *attribute, unsigned *numbers)
{
    const char *value = xml_value(e, attribute);
    struct portolan_words words = {0};
    unsigned n = 0;

    if (value)
        portolan_words_split(r->arena, &words, value);
    for (; n < words.n; n++) {
        int64_t number;

        if (n == CLUE_MOST_LEVELS || !portolan_read_int64(words.word[n], &number) || number < 1 ||
            number > MOST_HOSTS) {
            xml_complain(r->d, e, attribute,
                         "'%s' is '%.100s'; write at most %d whole numbers from 1 on", attribute,
                         value, CLUE_MOST_LEVELS);
            return 0;
        }
        numbers[n] = (unsigned)number;
    }
    return n;
}

static void refuse(struct machine_reader *r, const struct xml_element *e, const char *attribute,
                   const char *of)
{
    if (xml_attribute(e, attribute))
        xml_complain(r->d, e, attribute, "'%s' is of %s only", attribute, of);
}

/* Returns whether no product of its numbers has more than MOST_LINKS. */
static bool is_small(const struct clue_topology *t)
{
    double product = 1;

    for (unsigned i = 0; i < t->n_levels; i++)
        product *= t->up[i] > t->down[i] ? t->up[i] : t->down[i];
    return product <= MOST_LINKS;
}

static void read_shape(struct machine_reader *r, const struct xml_element *e,
                       struct clue_topology *t)
{
    bool is_tree = t->kind == CLUE_FAT_TREE;
    bool has_size = t->kind == CLUE_TORUS || t->kind == CLUE_DRAGONFLY;
    unsigned n_up, n_hops = 0;

    if (!is_tree)
        refuse(r, e, "down", "fat trees"), refuse(r, e, "up", "fat trees");
    if (!has_size)
        refuse(r, e, "size", "tori and dragonflies");
    if (is_tree) {
        t->n_levels = read_numbers(r, e, "down", t->down);
        n_up = read_numbers(r, e, "up", t->up);
        if (!t->n_levels || t->n_levels != n_up)
            xml_complain(r->d, e, "down",
                         "a fat tree needs for each level how many children a switch has, as "
                         "down=\"8 8\", and how many parents each of these, as up=\"1 4\"");
    } else if (has_size) {
        t->n_levels = read_numbers(r, e, "size", t->down);
        if (!t->n_levels || (t->kind == CLUE_DRAGONFLY && t->n_levels != 3))
            xml_complain(
                r->d, e, "size",
                t->kind == CLUE_TORUS
                    ? "a torus needs its hosts in each dimension, as size=\"4 4 2\""
                    : "a dragonfly needs hosts of a router, routers of a group and groups, "
                      "as size=\"2 4 9\"");
    }
    for (unsigned i = 0; t->kind == CLUE_TORUS && i < t->n_levels; i++)
        n_hops += t->down[i] / 2;
    if (n_hops > CLUE_MOST_HOPS)
        xml_complain(r->d, e, "size",
                     "routes through this torus have up to %u links, but at most %d are possible; "
                     "add a dimension",
                     n_hops, CLUE_MOST_HOPS);
    if (!is_small(t))
        xml_complain(r->d, e, "topology", "the topology has more than %d links", MOST_LINKS);
}

/* ------------------------------------------------- links */

static void read_link(struct machine_reader *r, const struct xml_element *e, struct clue_link *link)
{
    double bandwidth = link->bytes_per_ns;

    machine_read_ns(r, e, "latency", &link->latency_ns);
    clue_take_quantity(r->d, e, "bandwidth", CLUE_A_BANDWIDTH, &bandwidth);
    link->bytes_per_ns = bandwidth;
    if (!(bandwidth > 0))
        xml_complain(r->d, e, "bandwidth", "%s",
                     xml_attribute(e, "bandwidth") ? "a bandwidth is 0; it must be above 0"
                                                   : "a link needs a 'bandwidth'");
}

bool machine_is_named(const char *name, const char *pattern)
{
    size_t length = strcspn(pattern, "*");

    return strncmp(name, pattern, length) == 0 &&
           (pattern[length] ? strcmp(pattern + length, "*") == 0 : !name[length]);
}

/* Changes links of a topology by <link>s that say what is different. */
static void change_links(struct machine_reader *r, const struct xml_element *e,
                         struct clue_link *links, size_t n)
{
    const struct xml_element *l = NULL;

    while ((l = xml_next(e, l, "link"))) {
        const char *pattern = xml_value(l, "name");
        size_t found = 0;

        for (size_t i = 0; i < n; i++)
            if (machine_is_named(links[i].name, pattern)) {
                read_link(r, l, &links[i]);
                found++;
            }
        if (!found)
            xml_complain(r->d, l, "name", "this topology has no link '%.100s'%s", pattern,
                         portolan_did_you_mean(
                             portolan_nearest_member(pattern, &links[0].name, n, sizeof *links))
                             .text);
    }
}

static void make_links(struct machine_reader *r, const struct xml_element *e,
                       const struct clue_topology *t)
{
    struct clue_network *network = &r->file->machine.network;
    struct clue_link all = {0}, *links;
    size_t n = clue_topology_links(t);

    if (n > MOST_LINKS) {
        xml_complain(r->d, e, "topology", "the topology has more than %d links", MOST_LINKS);
        return;
    }
    read_link(r, e, &all);
    if (!(links = portolan_arena_alloc(r->arena, n, sizeof *links)))
        return;
    for (size_t i = 0; i < n; i++) {
        char name[LINK_NAME];

        clue_topology_link_name(t, i, name, sizeof name);
        links[i] = all;
        links[i].name = portolan_arena_strdup(r->arena, name);
    }
    if (r->arena->failed)
        return;
    network->links = links;
    network->n_links = n;
    change_links(r, e, links, n);
}

/* ------------------------------------------------- links and routes, each of its own */

static void read_links(struct machine_reader *r, const struct xml_element *e)
{
    struct clue_network *network = &r->file->machine.network;
    struct clue_link *links = portolan_arena_alloc(r->arena, xml_count(e, "link"), sizeof *links);
    const struct xml_element *l = NULL;

    network->links = links;
    while (links && (l = xml_next(e, l, "link"))) {
        struct clue_link *link = &links[network->n_links];

        link->name = xml_value(l, "name");
        for (size_t i = 0; i < network->n_links; i++)
            if (strcmp(links[i].name, link->name) == 0)
                xml_complain(r->d, l, "name", "second link '%.100s'", link->name);
        if (network->n_links++ == MOST_HOSTS)
            return;
        read_link(r, l, link);
    }
}

static size_t find_link(struct machine_reader *r, const struct xml_element *e, const char *name)
{
    const struct clue_network *n = &r->file->machine.network;
    const char *near;

    for (size_t i = 0; i < n->n_links; i++)
        if (strcmp(n->links[i].name, name) == 0)
            return i;
    near = n->n_links
               ? portolan_nearest_member(name, &n->links[0].name, n->n_links, sizeof *n->links)
               : NULL;
    xml_complain(r->d, e, "links", "there is no <link> '%.100s'%s", name,
                 portolan_did_you_mean(near).text);
    return 0;
}

/* Reads the links of a route, and adds the same in the other direction. */
static uint32_t *read_way(struct machine_reader *r, const struct xml_element *e, size_t *n)
{
    struct portolan_words words = {0};
    uint32_t *links = portolan_arena_alloc(r->arena, 2 * CLUE_MOST_HOPS, sizeof *links);

    portolan_words_split(r->arena, &words, xml_value(e, "links"));
    for (*n = 0; links && *n < words.n && *n < CLUE_MOST_HOPS; ++*n)
        links[*n] = (uint32_t)find_link(r, e, words.word[*n]);
    if (!*n || *n < words.n)
        xml_complain(r->d, e, "links", "a route has 1 to %d links", CLUE_MOST_HOPS);
    for (size_t i = 0; links && i < *n; i++)
        links[*n + i] = links[*n - 1 - i];
    return links;
}

static void add_routes(struct machine_reader *r, const struct xml_element *e,
                       struct clue_topology *t)
{
    struct host_range from, to;
    int is_symmetric = 0;
    size_t n;
    uint32_t *links = read_way(r, e, &n);

    machine_read_word(r, e, "symmetric", machine_yes_or_no, &is_symmetric);
    if (!links || !machine_read_range(r, e, "from", &from) || !machine_read_range(r, e, "to", &to))
        return;
    for (int a = from.first; a < from.first + from.n; a++)
        for (int b = to.first; b < to.first + to.n && t->n_routes < MOST_ROUTES; b++) {
            struct clue_route way = {a, b, n, links, machine_level(&from, &to)};
            struct clue_route back = {b, a, n, links + n, machine_level(&to, &from)};

            if (a != b)
                portolan_arena_append(r->arena, &t->routes, &t->n_routes, &way, sizeof way);
            if (a != b && is_symmetric)
                portolan_arena_append(r->arena, &t->routes, &t->n_routes, &back, sizeof back);
        }
    if (t->n_routes >= MOST_ROUTES)
        xml_complain(r->d, e, NULL, "more than %d routes; a topology needs none", MOST_ROUTES);
}

static int compare_routes(const void *a, const void *b)
{
    const struct clue_route *x = a, *y = b;

    if (x->from != y->from || x->to != y->to)
        return x->from != y->from ? PORTOLAN_ORDER(x->from, y->from) : PORTOLAN_ORDER(x->to, y->to);
    return PORTOLAN_ORDER(y->level, x->level);
}

/* Keeps only the most specific route of each pair. */
static void choose_routes(struct machine_reader *r, const struct xml_element *e,
                          struct clue_topology *t)
{
    const struct clue_host *hosts = r->file->machine.hosts;
    struct clue_route *routes = (struct clue_route *)(uintptr_t)t->routes;
    size_t n = 0;

    for (size_t i = 0; i < t->n_routes; i++) {
        const struct clue_route *before = n ? &routes[n - 1] : NULL;

        if (!before || before->from != routes[i].from || before->to != routes[i].to)
            routes[n++] = routes[i];
        else if (before->level == routes[i].level)
            xml_complain(r->d, e, NULL, "two routes from '%s' to '%s'; remove one",
                         hosts[before->from].name, hosts[before->to].name);
    }
    t->n_routes = n;
}

static void read_routes(struct machine_reader *r, const struct xml_element *e,
                        struct clue_topology *t)
{
    const struct xml_element *route = NULL;

    while (!r->arena->failed && (route = xml_next(e, route, "route")))
        add_routes(r, route, t);
    if (t->n_routes)
        qsort((void *)t->routes, t->n_routes, sizeof *t->routes, compare_routes);
    choose_routes(r, e, t);
}

/* ------------------------------------------------- the whole */

static void read_kind(struct machine_reader *r, const struct xml_element *e,
                      struct clue_topology *t)
{
    int kind = 0;

    machine_read_word(r, e, "topology", kinds, &kind);
    t->kind = (enum clue_topology_kind)kind;
    t->n_hosts = r->file->machine.n_hosts;
    read_shape(r, e, t);
    if (t->kind == CLUE_EXPLICIT) {
        refuse(r, e, "bandwidth", "topologies with equal links; write it in each <link>");
        refuse(r, e, "latency", "topologies with equal links; write it in each <link>");
        read_links(r, e);
        read_routes(r, e, t);
    } else if (xml_next(e, NULL, "route")) {
        xml_complain(
            r->d, xml_next(e, NULL, "route"), NULL,
            "this topology has routes of its own; write topology=\"explicit\" to give yours");
    }
}

void machine_read_topology(struct machine_reader *r, const struct xml_element *e)
{
    struct clue_topology *t = portolan_arena_alloc(r->arena, 1, sizeof *t);
    struct clue_network *network = &r->file->machine.network;
    const char *kind = xml_value(e, "topology");
    int n_reported = r->d->count;

    if (!t)
        return;
    if (!kind) {
        static const char *const words[] = {"down", "up", "size", "bandwidth", "latency"};

        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            refuse(r, e, words[i], "networks with a 'topology'");
        for (const struct xml_element *c = e->children; c; c = c->next)
            if (strcmp(c->name, "factors") != 0)
                xml_complain(r->d, c, NULL, "a <%s> needs topology=\"explicit\"", c->name);
        return;
    }
    if (network->model == CLUE_NETWORK_NONE || network->model == CLUE_NETWORK_FACTOR)
        xml_complain(r->d, e, "model",
                     "a network with a topology has links; write model=\"queue\" or \"fair\"");
    read_kind(r, e, t);
    if (r->d->count > n_reported || r->arena->failed)
        return;
    if (clue_topology_hosts(t) < t->n_hosts) {
        xml_complain(r->d, e, "topology",
                     "the %s has room for %zu hosts, but the machine has %zu; make it larger", kind,
                     clue_topology_hosts(t), t->n_hosts);
        return;
    }
    if (t->kind != CLUE_EXPLICIT)
        make_links(r, e, t);
    network->topology = t;
    network->route = clue_topology_route;
}
