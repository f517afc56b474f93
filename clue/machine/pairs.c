/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the law that holds between hosts: the most specific rule. Hosts that all rules treat alike
 * form a class, and a table of classes says which pair holds, so that 4,096 hosts need no table of
 * their own.
 */
#include "machine.h"

#include <portolan/index.h>
#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

struct rule {
    const struct xml_element *element;
    const struct clue_law *law;
    bool is_send, is_itself; /* IS_ITSELF: applies only from a host to itself */
    struct host_range from, to;
    int level;
    size_t number; /* index in clue_machine_file.rules */
};

/* The rules of each pair of classes, and of a host with itself, as index + 1; 0: none. */
struct cells {
    uint32_t *send, *transmission, *send_itself, *transmission_itself;
};

struct pairs {
    struct machine_reader *r;
    struct rule *rules;
    size_t n_rules, n_classes;
    int network_line;
    int *starts; /* first host of each class */
    uint32_t *class_of;
    struct cells cells;
};

/* ------------------------------------------------- rules and classes */

static void read_rule(struct pairs *p, const struct xml_element *e)
{
    struct machine_reader *r = p->r;
    struct clue_pair_rule *rule = &r->file->rules[r->file->n_rules];
    struct rule *to = &p->rules[p->n_rules];

    rule->is_send = to->is_send = strcmp(e->name, "send") == 0;
    rule->from = xml_value(e, "from");
    rule->to = xml_value(e, "to");
    machine_read_law(r, e, &rule->law);
    to->number = r->file->n_rules++;
    to->element = e;
    to->law = &rule->law;
    if (!machine_read_range(r, e, "from", &to->from))
        return;
    to->is_itself = strcmp(rule->to, "self") == 0;
    to->to = to->from;
    if (to->is_itself)
        to->to.level = LEVEL_SELF;
    else if (!machine_read_range(r, e, "to", &to->to))
        return;
    to->level = machine_level(&to->from, &to->to);
    p->n_rules++;
}

static int compare_rules(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;

    if (x->level != y->level)
        return PORTOLAN_ORDER(x->level, y->level);
    return PORTOLAN_ORDER(x->number, y->number);
}

static int compare_ints(const void *a, const void *b)
{
    return PORTOLAN_ORDER(*(const int *)a, *(const int *)b);
}

/* Begins a class wherever a type, or the hosts of a rule, begin or end. */
static void make_classes(struct pairs *p)
{
    const struct clue_machine_file *f = p->r->file;
    size_t n = 0, n_hosts = f->machine.n_hosts;

    p->starts = portolan_arena_alloc(p->r->arena, f->n_types + 4 * p->n_rules, sizeof *p->starts);
    p->class_of = portolan_arena_alloc(p->r->arena, n_hosts, sizeof *p->class_of);
    if (!p->starts || !p->class_of)
        return;
    for (size_t i = 0; i < f->n_types; i++)
        p->starts[n++] = f->types[i].first;
    for (size_t i = 0; i < p->n_rules; i++) {
        const struct rule *rule = &p->rules[i];

        p->starts[n++] = rule->from.first;
        p->starts[n++] = rule->from.first + rule->from.n;
        p->starts[n++] = rule->to.first;
        p->starts[n++] = rule->to.first + rule->to.n;
    }
    qsort(p->starts, n, sizeof *p->starts, compare_ints);
    for (size_t i = 0; i < n && p->starts[i] < (int)n_hosts; i++)
        if (!i || p->starts[i] != p->starts[i - 1])
            p->starts[p->n_classes++] = p->starts[i];
    for (size_t c = 0, h = 0; h < n_hosts; h++) {
        c += c + 1 < p->n_classes && p->starts[c + 1] == (int)h;
        p->class_of[h] = (uint32_t)c;
    }
}

/* ------------------------------------------------- which rule holds */

static void set_cell(struct pairs *p, const struct rule *rule, uint32_t *cell, bool *was_reported)
{
    const struct rule *old = *cell ? &p->rules[*cell - 1] : NULL;

    if (old && old->level == rule->level && !*was_reported) {
        xml_complain(p->r->d, rule->element, NULL,
                     "<%s> from '%s' to '%s' is as specific as the one on line %d, for the same "
                     "hosts; remove one",
                     rule->element->name, xml_value(rule->element, "from"),
                     xml_value(rule->element, "to"), old->element->line);
        *was_reported = true;
    }
    *cell = (uint32_t)(rule - p->rules) + 1;
}

static size_t class_after(const struct pairs *p, const struct host_range *range)
{
    return p->class_of[range->first + range->n - 1] + (size_t)1;
}

static void apply_rule(struct pairs *p, const struct rule *rule)
{
    uint32_t *table = rule->is_send ? p->cells.send : p->cells.transmission;
    uint32_t *itself = rule->is_send ? p->cells.send_itself : p->cells.transmission_itself;
    bool was_reported = false;

    for (size_t a = p->class_of[rule->from.first]; a < class_after(p, &rule->from); a++)
        for (size_t b = p->class_of[rule->to.first]; b < class_after(p, &rule->to); b++) {
            if (!rule->is_itself)
                set_cell(p, rule, &table[a * p->n_classes + b], &was_reported);
            if (a == b)
                set_cell(p, rule, &itself[a], &was_reported);
        }
}

/* ------------------------------------------------- pairs */

struct pair_key {
    uint32_t send, transmission;
};

struct pair_maker {
    struct portolan_index index;
    struct pair_key *keys;
    size_t n, room;
};

static uint32_t make_pair(struct pair_maker *m, struct portolan_arena *arena, uint32_t send,
                          uint32_t transmission)
{
    struct pair_key key = {send, transmission}, *item;

    item = portolan_index_item(&m->index, &m->keys, &m->n, &m->room, sizeof key, &key, sizeof key);
    if (!item)
        arena->failed = true;
    return item ? (uint32_t)(item - m->keys) : NO_PAIR;
}

static const char *host_name(const struct pairs *p, int host)
{
    return p->r->file->machine.hosts[host].name;
}

/* Reports a pair in use without delay. */
static void lacks_delay(struct pairs *p, int from, int to, bool has_send)
{
    const struct clue_machine_file *f = p->r->file;
    int line = 0;

    for (size_t i = 0; i < f->n_types; i++)
        if (f->types[i].first <= from)
            line = f->types[i].line;
    portolan_diagnose(p->r->d, p->r->path, line, 0,
                      "no <%s> from '%s' to '%s'%s; add one, for these hosts or for all ('*')%s",
                      has_send ? "transmission" : "send", host_name(p, from), host_name(p, to),
                      from == to ? ", itself, which has several processors" : "",
                      p->r->file->machine.network.route || from == to ? "" : ", or a topology");
}

static int last_of_class(const struct pairs *p, uint32_t c)
{
    return c + 1 < p->n_classes ? p->starts[c + 1] - 1 : (int)p->r->file->machine.n_hosts - 1;
}

/* Returns whether the topology has ways from all hosts of A's class to B's; reports the first
 * missing. */
static bool has_ways(struct pairs *p, int a, int b)
{
    const struct clue_network *n = &p->r->file->machine.network;
    const struct clue_topology *t = n->topology;
    uint32_t links[CLUE_MOST_HOPS], from = p->class_of[a], to = p->class_of[b];

    if (a == b || !t || t->kind != CLUE_EXPLICIT)
        return a != b && t;
    for (int i = p->starts[from]; i <= last_of_class(p, from); i++)
        for (int k = p->starts[to]; k <= last_of_class(p, to); k++)
            if (i != k && !n->route(n, i, k, links)) {
                portolan_diagnose(p->r->d, p->r->path, p->network_line, 0,
                                  "no <route> from '%s' to '%s'; add one, or <send> and "
                                  "<transmission>",
                                  host_name(p, i), host_name(p, k));
                return true;
            }
    return true;
}

/* Chooses the pair of hosts A and B, which may be one host, or reports that there is none. */
static uint32_t choose_pair(struct pairs *p, struct pair_maker *m, int a, int b, uint32_t send,
                            uint32_t transmission)
{
    if ((send && transmission) || has_ways(p, a, b))
        return make_pair(m, p->r->arena, send, transmission);
    if (a != b || p->r->file->machine.hosts[a].cpus > 1)
        lacks_delay(p, a, b, send != 0);
    return NO_PAIR;
}

static void fill_table(struct pairs *p, struct pair_maker *m, uint32_t *pair, uint32_t *itself)
{
    uint32_t n = (uint32_t)p->n_classes;

    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            size_t i = (size_t)a * n + b;

            pair[i] = NO_PAIR;
            if (a != b || last_of_class(p, a) != p->starts[a])
                pair[i] = choose_pair(p, m, p->starts[a], last_of_class(p, b), p->cells.send[i],
                                      p->cells.transmission[i]);
        }
        itself[a] = choose_pair(p, m, p->starts[a], p->starts[a], p->cells.send_itself[a],
                                p->cells.transmission_itself[a]);
    }
}

static size_t pair_of(const struct clue_machine *machine, int from, int to)
{
    const struct pair_table *t = machine->pair_table;
    uint32_t class = t->class_of[from];
    uint32_t pair =
        from == to ? t->pair_itself[class] : t->pair[class * t->n_classes + t->class_of[to]];

    return pair == NO_PAIR ? SIZE_MAX : pair;
}

static void keep_pairs(struct pairs *p, const struct pair_maker *m, struct pair_table *table)
{
    struct clue_machine *machine = &p->r->file->machine;

    machine->pairs = portolan_arena_alloc(p->r->arena, m->n, sizeof *machine->pairs);
    for (size_t i = 0; machine->pairs && i < m->n; i++) {
        if (m->keys[i].send)
            machine->pairs[i].send = *p->rules[m->keys[i].send - 1].law;
        if (m->keys[i].transmission)
            machine->pairs[i].transmission = *p->rules[m->keys[i].transmission - 1].law;
    }
    machine->n_pairs = m->n;
    machine->pair_table = table;
    machine->pair_of = pair_of;
}

static void make_pairs(struct pairs *p)
{
    struct portolan_arena *arena = p->r->arena;
    size_t n = p->n_classes, sizes[4] = {n * n, n * n, n, n};
    uint32_t *cells[4], *pair = portolan_arena_alloc(arena, n * n, sizeof *pair),
                        *itself = portolan_arena_alloc(arena, n, sizeof *itself);
    struct pair_table *table = portolan_arena_alloc(arena, 1, sizeof *table);
    struct pair_maker m = {0};

    for (int i = 0; i < 4; i++)
        cells[i] = portolan_arena_alloc(arena, sizes[i], sizeof *cells[i]);
    p->cells = (struct cells){cells[0], cells[1], cells[2], cells[3]};
    if (arena->failed)
        return;
    for (size_t i = 0; i < p->n_rules; i++)
        apply_rule(p, &p->rules[i]);
    fill_table(p, &m, pair, itself);
    *table = (struct pair_table){n, p->class_of, pair, itself};
    keep_pairs(p, &m, table);
    portolan_index_clear(&m.index);
    free(m.keys);
}

void machine_read_pairs(struct machine_reader *r, const struct xml_element *root)
{
    size_t n = xml_count(root, "send") + xml_count(root, "transmission");
    const struct xml_element *network = xml_next(root, NULL, "network");
    struct pairs p = {.r = r,
                      .rules = portolan_arena_alloc(r->arena, n, sizeof *p.rules),
                      .network_line = network ? network->line : 0};

    r->file->rules = portolan_arena_alloc(r->arena, n, sizeof *r->file->rules);
    for (const struct xml_element *e = root->children; !r->arena->failed && e; e = e->next)
        if (strcmp(e->name, "send") == 0 || strcmp(e->name, "transmission") == 0)
            read_rule(&p, e);
    if (r->d->count || r->arena->failed)
        return; /* pairs of a rule that was refused would be reported as missing */
    qsort(p.rules, p.n_rules, sizeof *p.rules, compare_rules);
    make_classes(&p);
    if (p.n_classes > MOST_CLASSES)
        xml_complain(r->d, root, NULL,
                     "<send> and <transmission> distinguish more than %d kinds of hosts; name "
                     "types instead of single hosts",
                     MOST_CLASSES);
    else if (!r->arena->failed)
        make_pairs(&p);
}
