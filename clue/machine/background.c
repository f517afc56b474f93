/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs and messages of others, and parameters that change in the run. */
#include "machine.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct xml_rule load_rule = {.name = "load",
                                   .required = XML_WORDS("host", "on"),
                                   .optional = XML_WORDS("off", "jobs", "seed")};
const struct xml_rule traffic_rule = {.name = "traffic",
                                      .required = XML_WORDS("from", "to", "every", "bytes"),
                                      .optional = XML_WORDS("seed")};

static const struct xml_rule new_send = {.name = "send", LAW, .once = true};
static const struct xml_rule new_transmission = {.name = "transmission", LAW, .once = true};
static const struct xml_rule new_receive = {.name = "receive", LAW, .once = true};
const struct xml_rule change_rule = {
    .name = "change",
    .required = XML_WORDS("at"),
    .optional = XML_WORDS("host", "from", "to", "link", "factor", "send", "transmission", "receive",
                          "packing", "bandwidth", "latency"),
    .children = XML_RULES(&new_send, &new_transmission, &new_receive)};

/* ------------------------------------------------- load and traffic */

enum { MOST_SOURCES = 1 << 16 };

static void add_source(struct machine_reader *r, const struct xml_element *e,
                       const struct clue_background *source)
{
    struct clue_machine *m = &r->file->machine;

    if (m->n_background < MOST_SOURCES)
        portolan_arena_append(r->arena, &m->background, &m->n_background, source, sizeof *source);
    else
        xml_complain(r->d, e, NULL, "more than %d hosts have load or traffic", MOST_SOURCES);
}

/* Rejects a source that takes no time, since it would send for ever at one moment. */
static void check_advances(struct machine_reader *r, const struct xml_element *e,
                           const char *attribute, const struct clue_distribution *d)
{
    double most = d->kind == CLUE_UNIFORM ? d->b : d->a;

    for (size_t i = 0; d->kind == CLUE_SAMPLES && i < d->n_samples; i++)
        most = fmax(most, d->samples[i]);
    if (!(most >= 1))
        xml_complain(r->d, e, attribute, "'%s' takes no time; write at least 1ns", attribute);
}

/* Several hosts in one element are separate sources, each with its own seed. */
#define NEXT_SEED 0x9e3779b97f4a7c15

static uint64_t read_seed(struct machine_reader *r, const struct xml_element *e)
{
    int64_t seed = 0;

    clue_take_count(r->d, e, "seed", 0, INT64_MAX, &seed);
    return (uint64_t)seed;
}

static void read_load(struct machine_reader *r, const struct xml_element *e)
{
    struct clue_background source = {.jobs = 1};
    struct host_range hosts;
    int64_t jobs = 1;

    machine_read_distribution(r, e, "on", CLUE_A_TIME, &source.on);
    machine_read_distribution(r, e, "off", CLUE_A_TIME, &source.off);
    clue_take_count(r->d, e, "jobs", 1, 1000, &jobs);
    source.jobs = (unsigned)jobs;
    source.seed = read_seed(r, e);
    if (!machine_read_range(r, e, "host", &hosts))
        return;
    if (xml_attribute(e, "off"))
        check_advances(r, e, "on", &source.on);
    for (int i = 0; i < hosts.n; i++, source.seed += NEXT_SEED) {
        source.host = hosts.first + i;
        add_source(r, e, &source);
    }
}

static void read_traffic(struct machine_reader *r, const struct xml_element *e)
{
    struct clue_background source = {.is_traffic = true};
    struct host_range from, to;

    machine_read_distribution(r, e, "every", CLUE_A_TIME, &source.every);
    machine_read_distribution(r, e, "bytes", CLUE_A_SIZE, &source.bytes);
    source.seed = read_seed(r, e);
    check_advances(r, e, "every", &source.every);
    if (!machine_read_range(r, e, "from", &from) || !machine_read_range(r, e, "to", &to))
        return;
    if (from.n > 1 && to.n > 1 && from.n != to.n) {
        xml_complain(r->d, e, NULL,
                     "traffic from %d hosts to %d; name as many, or one on either side", from.n,
                     to.n);
        return;
    }
    for (int i = 0; i < from.n || i < to.n; i++, source.seed += NEXT_SEED) {
        source.host = from.first + i % from.n;
        source.to = to.first + i % to.n;
        if (source.host != source.to)
            add_source(r, e, &source);
        else if (from.n == 1 && to.n == 1)
            xml_complain(r->d, e, "to", "traffic from '%s' to itself; name another host",
                         r->file->machine.hosts[source.to].name);
    }
}

void machine_read_background(struct machine_reader *r, const struct xml_element *root)
{
    for (const struct xml_element *e = root->children; e && !r->arena->failed; e = e->next)
        if (strcmp(e->name, "load") == 0)
            read_load(r, e);
        else if (strcmp(e->name, "traffic") == 0)
            read_traffic(r, e);
}

/* ------------------------------------------------- changes */

/* The subject of a change of each parameter. */
static const enum subject {
    OF_HOST,
    OF_PAIR,
    OF_LINK
} subjects[CLUE_PARAMETERS] = {
    [CLUE_SEND] = OF_PAIR,
    [CLUE_TRANSMISSION] = OF_PAIR,
    [CLUE_BANDWIDTH] = OF_LINK,
    [CLUE_LATENCY] = OF_LINK,
};
enum { MOST_CHANGES = 1 << 20 };

static void add_change(struct machine_reader *r, const struct xml_element *e,
                       const struct clue_change *change)
{
    struct clue_machine *m = &r->file->machine;

    if (m->n_changes < MOST_CHANGES)
        portolan_arena_append(r->arena, &m->changes, &m->n_changes, change, sizeof *change);
    else
        xml_complain(r->d, e, NULL, "more than %d changes", MOST_CHANGES);
}

/* Returns -1 for all hosts; otherwise each gets a change of its own. */
static struct host_range whole_as_one(const struct machine_reader *r, struct host_range range)
{
    if (range.n == (int)r->file->machine.n_hosts)
        return (struct host_range){-1, 1, LEVEL_ALL};
    return range;
}

static void change_hosts(struct machine_reader *r, const struct xml_element *e,
                         struct clue_change change)
{
    struct host_range hosts = {0, (int)r->file->machine.n_hosts, LEVEL_ALL};

    if (!machine_read_range(r, e, "host", &hosts) && xml_attribute(e, "host"))
        return;
    hosts = whole_as_one(r, hosts);
    change.to = -1;
    for (int i = 0; i < hosts.n; i++) {
        change.host = hosts.first + i;
        add_change(r, e, &change);
    }
}

static void change_pairs(struct machine_reader *r, const struct xml_element *e,
                         struct clue_change change)
{
    struct host_range from = {0, (int)r->file->machine.n_hosts, LEVEL_ALL}, to = from;

    if ((!machine_read_range(r, e, "from", &from) && xml_attribute(e, "from")) ||
        (!machine_read_range(r, e, "to", &to) && xml_attribute(e, "to")))
        return;
    from = whole_as_one(r, from);
    to = whole_as_one(r, to);
    for (int i = 0; i < from.n; i++)
        for (int k = 0; k < to.n && r->file->machine.n_changes < MOST_CHANGES; k++) {
            change.host = from.first + i;
            change.to = to.first + k;
            add_change(r, e, &change);
        }
}

/* Changes a link by its name, or by "leaf3-*" all whose names begin so. */
static void change_links(struct machine_reader *r, const struct xml_element *e,
                         struct clue_change change)
{
    const struct clue_network *n = &r->file->machine.network;
    const char *name = xml_value(e, "link");
    size_t found = 0;

    change.to = -1;
    for (size_t i = 0; name && i < n->n_links; i++)
        if (machine_is_named(n->links[i].name, name)) {
            change.host = (int)i;
            add_change(r, e, &change);
            found++;
        }
    if (!name) {
        change.host = -1;
        add_change(r, e, &change);
    } else if (!found) {
        xml_complain(
            r->d, e, "link", "there is no link '%.100s'%s", name,
            portolan_did_you_mean(n->n_links ? portolan_nearest_member(name, &n->links[0].name,
                                                                       n->n_links, sizeof *n->links)
                                             : NULL)
                .text);
    }
}

static void change_subject(struct machine_reader *r, const struct xml_element *e,
                           const struct clue_change *change)
{
    const char *name = clue_parameter_names[change->parameter];
    enum subject of = subjects[change->parameter];
    static const char *const needs[][2] = {{"host"}, {"from", "to"}, {"link"}};

    if (of != OF_LINK && xml_attribute(e, "link"))
        xml_complain(r->d, e, "link", "'%s' is an attribute of %s, not of links", name,
                     of == OF_HOST ? "hosts: write 'host'" : "pairs: write 'from' and 'to'");
    else if (of != OF_HOST && xml_attribute(e, "host"))
        xml_complain(r->d, e, "host", "'%s' is not of hosts; write '%s'%s", name, needs[of][0],
                     of == OF_PAIR ? " and 'to'" : "");
    else if (of == OF_HOST)
        change_hosts(r, e, *change);
    else if (of == OF_PAIR)
        change_pairs(r, e, *change);
    else
        change_links(r, e, *change);
}

static void read_change(struct machine_reader *r, const struct xml_element *e, int64_t at_ns)
{
    struct clue_change change = {.at_ns = at_ns};
    int changed = 0;

    for (int i = 0; i < CLUE_PARAMETERS; i++) {
        const char *name = clue_parameter_names[i];
        const struct xml_element *law = xml_next(e, NULL, name);
        struct clue_law *new_law;

        change.parameter = (enum clue_parameter)i;
        change.law = NULL;
        change.times = 1;
        if (clue_take_quantity(r->d, e, name, CLUE_A_NUMBER, &change.times)) {
            if (change.times == 0 && subjects[i] == OF_LINK)
                xml_complain(r->d, e, name, "a link without %s; write a number above 0", name);
            change_subject(r, e, &change);
            changed++;
        }
        if (law && (new_law = portolan_arena_alloc(r->arena, 1, sizeof *new_law))) {
            machine_read_law(r, law, new_law);
            change.law = new_law;
            change_subject(r, e, &change);
            changed++;
        }
    }
    if (!changed)
        xml_complain(r->d, e, NULL,
                     "<change> changes nothing; give the new 'factor', or multiply 'send', "
                     "'transmission', 'receive', 'packing', 'bandwidth' or 'latency'");
}

struct timed_change {
    int64_t at_ns;
    const struct xml_element *element;
};

/* Orders changes by time; equal ones remain in the order of the file. */
static int compare_changes(const void *a, const void *b)
{
    const struct timed_change *x = a, *y = b;
    const struct xml_element *e = x->element, *o = y->element;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return e->line != o->line ? e->line - o->line : e->column - o->column;
}

void machine_read_changes(struct machine_reader *r, const struct xml_element *root)
{
    size_t n = xml_count(root, "change"), i = 0;
    struct timed_change *changes = portolan_arena_alloc(r->arena, n, sizeof *changes);

    for (const struct xml_element *e = NULL; changes && (e = xml_next(root, e, "change")); i++) {
        changes[i].element = e;
        machine_read_ns(r, e, "at", &changes[i].at_ns);
    }
    if (n && changes)
        qsort(changes, n, sizeof *changes, compare_changes);
    for (i = 0; i < n && !r->arena->failed; i++)
        read_change(r, changes[i].element, changes[i].at_ns);
}
