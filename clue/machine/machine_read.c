/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a machine file into struct clue_machine_file. Tests compare its grammar with
 * machine.rng. */
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Defaults of a host; message delays have none. */
static const struct clue_host usual_host = {.cpus = 1, .factor = 1};

const struct xml_rule point_rule = {.name = "point", .required = XML_WORDS("bytes", "time")};

static const struct xml_rule busy = {.name = "busy", .required = XML_WORDS("cpus", "factor")};
static const struct xml_rule receive = {.name = "receive", LAW, .once = true};
static const struct xml_rule packing = {.name = "packing", LAW, .once = true};
static const struct xml_rule host = {
    .name = "host",
    .required = XML_WORDS("name"),
    .optional = XML_WORDS("count", "cpus", "factor", "spread", "memory", "init", "spawn", "receive",
                          "packing", "price", "gap", "card", "copies"),
    .children = XML_RULES(&busy, &receive, &packing)};
static const struct xml_rule send = {.name = "send", .required = XML_WORDS("from", "to"), LAW};
static const struct xml_rule transmission = {
    .name = "transmission", .required = XML_WORDS("from", "to"), LAW};
static const struct xml_rule bcast = {.name = "bcast", LAW, .once = true};
static const struct xml_rule reduce = {.name = "reduce", LAW, .once = true};
static const struct xml_rule allreduce = {.name = "allreduce", LAW, .once = true};
static const struct xml_rule barrier = {.name = "barrier", LAW, .once = true};
static const struct xml_rule each_call = {.name = "call", LAW, .once = true};
static const struct xml_rule collectives = {
    .name = "collectives",
    .optional = XML_WORDS("rules"),
    .children = XML_RULES(&bcast, &reduce, &allreduce, &barrier, &each_call),
    .once = true};
static const struct xml_rule fact = {.name = "fact", .required = XML_WORDS("name", "value")};
static const struct xml_rule error = {.name = "error", .required = XML_WORDS("of", "relative")};
static const struct xml_rule correlation = {.name = "correlation",
                                            .required = XML_WORDS("of", "with", "value")};
static const struct xml_rule provenance = {
    .name = "provenance", .children = XML_RULES(&fact, &error, &correlation), .once = true};
static const struct xml_rule machine = {
    .name = "machine",
    .required = XML_WORDS("name"),
    .optional = XML_WORDS("master", "placement"),
    .children = XML_RULES(&host, &send, &transmission, &network_rule, &load_rule, &traffic_rule,
                          &change_rule, &collectives, &provenance)};

/* ------------------------------------------------- hosts */

static void read_busy(struct machine_reader *r, const struct xml_element *e, struct clue_host *h)
{
    struct clue_busy *rows = portolan_arena_alloc(r->arena, xml_count(e, "busy"), sizeof *rows);
    const struct xml_element *b = NULL;

    h->busy = rows;
    while (rows && (b = xml_next(e, b, "busy"))) {
        int64_t cpus = 0;

        clue_take_count(r->d, b, "cpus", 2, MOST_CPUS, &cpus);
        if (!clue_take_quantity(r->d, b, "factor", CLUE_A_NUMBER, &rows[h->n_busy].factor) || !cpus)
            continue;
        rows[h->n_busy].cpus = (unsigned)cpus;
        if (rows[h->n_busy].cpus > h->cpus)
            xml_complain(r->d, b, "cpus", "'%s' has %u processors; no more can be busy", h->name,
                         h->cpus);
        if (h->n_busy && rows[h->n_busy - 1].cpus >= cpus)
            xml_complain(r->d, b, "cpus", "write <busy> once for each number, from few to many");
        h->n_busy++;
    }
}

const struct law_member host_laws[HOST_LAWS] = {
    {"receive", offsetof(struct clue_host, receive), CLUE_A_TIME, CLUE_RECEIVE},
    {"packing", offsetof(struct clue_host, packing), CLUE_A_TIME_PER_SIZE, CLUE_PACKING},
};

static void read_laws(struct machine_reader *r, const struct xml_element *e,
                      const struct law_member *laws, size_t n, void *owner)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = laws[i].name;
        const struct xml_element *child = xml_next(e, NULL, name);
        struct clue_law *law = law_of(owner, &laws[i]);

        if (laws[i].attribute != CLUE_NO_QUANTITY)
            clue_take_quantity(r->d, e, name, laws[i].attribute,
                               laws[i].attribute == CLUE_A_TIME ? &law->constant_ns
                                                                : &law->ns_per_byte);
        if (child && xml_attribute(e, name))
            xml_complain(r->d, child, NULL, "<%s> has an attribute '%s' as well; remove one",
                         e->name, name);
        else if (child)
            machine_read_law(r, child, law);
    }
}

static void read_host(struct machine_reader *r, const struct xml_element *e, struct clue_host *h)
{
    double memory = 0, card = 0;
    static const char *const copiers[] = {"network", "receiver", NULL};
    int copier = 0;
    int64_t cpus = 1;

    *h = usual_host;
    h->name = h->type = xml_value(e, "name");
    if (!*h->name || strpbrk(h->name, "[]* \t\n") || strcmp(h->name, "self") == 0)
        xml_complain(r->d, e, "name", "'%.100s' is not a name of hosts; use letters and digits",
                     h->name);
    clue_take_count(r->d, e, "cpus", 1, MOST_CPUS, &cpus);
    h->cpus = (unsigned)cpus;
    clue_take_quantity(r->d, e, "factor", CLUE_A_NUMBER, &h->factor);
    if (h->factor == 0) {
        h->real = h->name;
        h->factor = 1;
    }
    clue_take_quantity(r->d, e, "spread", CLUE_A_NUMBER, &h->spread);
    clue_take_quantity(r->d, e, "memory", CLUE_A_SIZE, &memory);
    h->memory = (uint64_t)memory;
    machine_read_ns(r, e, "init", &h->init_ns);
    machine_read_ns(r, e, "spawn", &h->spawn_ns);
    read_laws(r, e, host_laws, HOST_LAWS, h);
    clue_take_quantity(r->d, e, "gap", CLUE_A_TIME, &h->card_gap_ns);
    machine_read_word(r, e, "copies", copiers, &copier);
    h->receiver_copies = copier == 1;
    if (clue_take_quantity(r->d, e, "card", CLUE_A_BANDWIDTH, &card)) {
        if (card > 0)
            h->card_ns_per_byte = 1 / card;
        else
            xml_complain(r->d, e, "card", "the bandwidth of a card is 0; it must be above 0");
    }
    clue_take_quantity(r->d, e, "price", CLUE_A_NUMBER, &h->price);
    read_busy(r, e, h);
}

static void add_hosts(struct machine_reader *r, const struct xml_element *e,
                      struct clue_host_type *t)
{
    struct clue_machine *m = &r->file->machine;
    struct clue_host *hosts;
    int n = t->count ? t->count : 1;

    t->first = (int)m->n_hosts;
    if (m->n_hosts + (size_t)n > MOST_HOSTS) {
        xml_complain(r->d, e, "count", "the machine has more than %d hosts", MOST_HOSTS);
        return;
    }
    if (!(hosts = portolan_arena_alloc(r->arena, m->n_hosts + (size_t)n, sizeof *hosts)))
        return;
    if (m->n_hosts)
        memcpy(hosts, m->hosts, m->n_hosts * sizeof *hosts);
    m->hosts = hosts;
    for (int i = 0; i < n; i++) {
        hosts[m->n_hosts] = t->host;
        if (t->count)
            hosts[m->n_hosts].name = portolan_arena_printf(r->arena, "%s[%d]", t->host.name, i);
        m->n_hosts++;
    }
}

static void read_hosts(struct machine_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = NULL;
    struct clue_machine_file *f = r->file;

    f->types = portolan_arena_alloc(r->arena, xml_count(root, "host"), sizeof *f->types);
    while (!r->arena->failed && (e = xml_next(root, e, "host"))) {
        struct clue_host_type *t = &f->types[f->n_types];
        int64_t count = 0;

        clue_take_count(r->d, e, "count", 1, MOST_HOSTS, &count);
        t->count = (int)count;
        t->line = e->line;
        read_host(r, e, &t->host);
        for (size_t i = 0; i < f->n_types; i++)
            if (strcmp(f->types[i].host.name, t->host.name) == 0)
                xml_complain(r->d, e, "name", "second host '%s'; the first is on line %d",
                             t->host.name, f->types[i].line);
        f->n_types++;
        add_hosts(r, e, t);
    }
    if (!f->n_types)
        xml_complain(r->d, root, NULL, "the machine has no <host>");
}

/* ------------------------------------------------- names of hosts */

static const struct clue_host_type *find_type(const struct clue_machine_file *f, const char *text,
                                              size_t length)
{
    for (size_t i = 0; i < f->n_types; i++)
        if (strlen(f->types[i].host.name) == length &&
            strncmp(f->types[i].host.name, text, length) == 0)
            return &f->types[i];
    return NULL;
}

/* Reads the part after a bracket: "3]", "2-5]" or "*]". */
static bool read_numbers(const char *text, int count, struct host_range *range)
{
    char *end;
    long first, last;

    if (strcmp(text, "*]") == 0)
        return true;
    if (*text < '0' || *text > '9')
        return false;
    first = last = strtol(text, &end, 10);
    range->level = LEVEL_HOST;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
        last = strtol(end + 1, &end, 10);
        range->level = LEVEL_RANGE;
    }
    if (strcmp(end, "]") != 0 || last < first || last >= count)
        return false;
    range->first += (int)first;
    range->n = (int)(last - first) + 1;
    return true;
}

bool machine_find_range(const struct clue_machine_file *f, struct portolan_arena *arena,
                        const char *text, struct host_range *range, const char **why)
{
    size_t length = strcspn(text, "[");
    const struct clue_host_type *t = find_type(f, text, length);

    if (strcmp(text, "*") == 0) {
        *range = (struct host_range){0, (int)f->machine.n_hosts, LEVEL_ALL};
        return true;
    }
    if (!t) {
        const char *near = f->n_types ? portolan_nearest_member(text, &f->types[0].host.name,
                                                                f->n_types, sizeof *f->types)
                                      : NULL;

        *why = portolan_arena_printf(arena, "there is no host '%.100s'%s", text,
                                     portolan_did_you_mean(near).text);
        return false;
    }
    *range =
        (struct host_range){t->first, t->count ? t->count : 1, t->count ? LEVEL_TYPE : LEVEL_HOST};
    if (text[length] && !(t->count && read_numbers(text + length + 1, t->count, range))) {
        *why = t->count ? portolan_arena_printf(arena,
                                                "there is no host '%.100s'; the hosts are '%s[0]' "
                                                "to '%s[%d]'; '%s[0-%d]' and '%s[*]' name several",
                                                text, t->host.name, t->host.name, t->count - 1,
                                                t->host.name, t->count - 1, t->host.name)
                        : portolan_arena_printf(arena,
                                                "there is no host '%.100s'; '%s' has no 'count', "
                                                "so its hosts have no numbers",
                                                text, t->host.name);
        return false;
    }
    return true;
}

bool machine_read_range(struct machine_reader *r, const struct xml_element *e,
                        const char *attribute, struct host_range *range)
{
    const char *text = xml_value(e, attribute), *why = NULL;

    if (!text || machine_find_range(r->file, r->arena, text, range, &why))
        return text != NULL;
    xml_complain(r->d, e, attribute, "%s", why ? why : "");
    return false;
}

/* ------------------------------------------------- collectives, provenance */

const struct law_member collective_laws[COLLECTIVE_LAWS] = {
    {"bcast", offsetof(struct clue_machine, shared_bcast), CLUE_NO_QUANTITY, CLUE_COLLECTIVES},
    {"reduce", offsetof(struct clue_machine, shared_reduce), CLUE_NO_QUANTITY, CLUE_COLLECTIVES},
    {"allreduce", offsetof(struct clue_machine, shared_allreduce), CLUE_NO_QUANTITY,
     CLUE_COLLECTIVES},
    {"barrier", offsetof(struct clue_machine, shared_barrier), CLUE_NO_QUANTITY, CLUE_COLLECTIVES},
    {"call", offsetof(struct clue_machine, collective_call), CLUE_NO_QUANTITY, CLUE_COLLECTIVES},
};

static void read_collectives(struct machine_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = xml_next(root, NULL, "collectives");
    struct clue_machine *m = &r->file->machine;
    const char *rules = e ? xml_value(e, "rules") : NULL;

    if (rules)
        m->collectives_json = portolan_file_beside(r->arena, r->path, rules);
    if (e)
        read_laws(r, e, collective_laws, COLLECTIVE_LAWS, m);
}

const char *const clue_parameter_names[] = {
    "factor",    "send",    "transmission", "receive",       "packing",
    "bandwidth", "latency", "collectives",  "communication", NULL};

static void read_correlation(struct machine_reader *r, const struct xml_element *e)
{
    const char *text = xml_value(e, "value");
    double(*c)[CLUE_PARAMETERS] = r->file->covariance, value;
    int of = -1, with = -1;

    machine_read_word(r, e, "of", clue_parameter_names, &of);
    machine_read_word(r, e, "with", clue_parameter_names, &with);
    if (!portolan_read_double(text, &value) || !(fabs(value) <= 1))
        xml_complain(r->d, e, "value", "'value' is '%.100s'; it must be from -1 to 1", text);
    else if (of == with && of >= 0)
        xml_complain(r->d, e, "with", "a parameter correlates with itself by 1; name another");
    else if (of >= 0 && with >= 0)
        c[of][with] = c[with][of] = value * sqrt(c[of][of] * c[with][with]);
}

static void read_provenance(struct machine_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = xml_next(root, NULL, "provenance"), *c = NULL;
    struct clue_machine_file *f = r->file;

    if (!e)
        return;
    f->facts = portolan_arena_alloc(r->arena, xml_count(e, "fact"), sizeof *f->facts);
    while (f->facts && (c = xml_next(e, c, "fact")))
        f->facts[f->n_facts++] = (struct clue_fact){xml_value(c, "name"), xml_value(c, "value")};
    for (c = NULL; (c = xml_next(e, c, "error"));) {
        double relative = 0;
        int of = -1;

        machine_read_word(r, c, "of", clue_parameter_names, &of);
        if (clue_take_quantity(r->d, c, "relative", CLUE_A_NUMBER, &relative) && of >= 0)
            f->covariance[of][of] = relative * relative;
    }
    for (c = NULL; (c = xml_next(e, c, "correlation"));)
        read_correlation(r, c);
}

/* ------------------------------------------------- the whole */

/* Removes the children of E that are laws of older files, and notes the first. */
static void drop_old_laws(struct machine_reader *r, struct xml_element *e)
{
    static const char *const old_laws[] = {"fresh", "loop", "pieces", "communicator", "window"};
    struct xml_element **link = &e->children, *child;

    while ((child = *link)) {
        bool is_old = false;

        for (size_t i = 0; i < sizeof old_laws / sizeof *old_laws; i++)
            is_old |= strcmp(child->name, old_laws[i]) == 0;
        if (!is_old) {
            link = &child->next;
            continue;
        }
        *link = child->next;
        if (!r->file->ignored)
            r->file->ignored = portolan_arena_printf(
                r->arena,
                "%s:%d: <%s> is ignored: no network has such a law any more; 'portolan clue "
                "calibrate' makes a file without it",
                r->path, child->line, child->name);
    }
}

static void read_tree(struct machine_reader *r, struct xml_element *root)
{
    struct clue_machine_file *f = r->file;
    struct host_range master;
    int *place = NULL;
    struct portolan_error err = {0};

    for (struct xml_element *e = root->children; e; e = e->next)
        drop_old_laws(r, e);
    xml_check(root, &machine, r->d);
    if (r->d->count)
        return; /* names that are misspelt would be reported as missing below, too */
    f->machine.name = xml_value(root, "name");
    f->machine.master = -1;
    f->placement = xml_value(root, "placement");
    read_hosts(r, root);
    if (r->d->count || r->arena->failed)
        return; /* references to hosts would fail, too */
    if (machine_read_range(r, root, "master", &master)) {
        f->machine.master = master.first;
        if (master.n != 1)
            xml_complain(r->d, root, "master", "the master must be one host; '%s' names %d",
                         xml_value(root, "master"), master.n);
    }
    machine_read_network(r, root);
    machine_read_pairs(r, root);
    machine_read_background(r, root);
    machine_read_changes(r, root);
    read_collectives(r, root);
    read_provenance(r, root);
    if (!r->d->count && f->placement &&
        clue_machine_place(f, 0, NULL, false, &place, &err) == PORTOLAN_EINVAL)
        xml_complain(r->d, root, "placement", "%s", err.text);
    free(place);
}

/* Reads from memory when TEXT is not NULL, else from PATH. */
static enum portolan_status read_any(const char *text, size_t size, const char *path,
                                     struct portolan_diagnostics *user,
                                     struct clue_machine_file **file, struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {user, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    struct portolan_arena arena = {0};
    struct machine_reader r = {.arena = &arena, .d = &d};
    struct portolan_arena *keep;
    struct xml_element *root;
    enum portolan_status status = PORTOLAN_ENOMEM;

    *file = NULL;
    r.file = portolan_arena_alloc(&arena, 1, sizeof *r.file);
    keep = portolan_arena_alloc(&arena, 1, sizeof *keep);
    if (r.file && keep && (r.path = portolan_arena_strdup(&arena, path)))
        status = text ? xml_read_text(&arena, text, size, r.path, XML_PLAIN, &d, &root, err)
                      : xml_read_file(&arena, r.path, XML_PLAIN, &d, &root, err);
    if (status == PORTOLAN_OK) {
        read_tree(&r, root);
        status = arena.failed ? PORTOLAN_ENOMEM : d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
    }
    if (status != PORTOLAN_OK) {
        portolan_arena_clear(&arena);
        return portolan_error_set(err, status, "%s: %s", path, portolan_status_text(status));
    }
    *keep = arena;
    r.file->impl = keep;
    *file = r.file;
    return PORTOLAN_OK;
}

enum portolan_status clue_machine_read_text(const char *text, size_t size, const char *path,
                                            struct portolan_diagnostics *d,
                                            struct clue_machine_file **file,
                                            struct portolan_error *err)
{
    return read_any(text, size, path, d, file, err);
}

enum portolan_status clue_machine_read(const char *path, struct portolan_diagnostics *d,
                                       struct clue_machine_file **file, struct portolan_error *err)
{
    return read_any(NULL, 0, path, d, file, err);
}

void clue_machine_destroy(struct clue_machine_file *file)
{
    struct portolan_arena arena;

    if (!file)
        return;
    arena = *(struct portolan_arena *)file->impl;
    portolan_arena_clear(&arena);
}
