/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a file into struct clue_study. */
#include "study.h"

#include <portolan/clue_machine.h>
#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONFIGURATIONS = 1000, MOST_NODES = 1 << 20, MOST_HIGH = 100 };

static const struct xml_rule node = {
    .name = "node", .required = XML_WORDS("price", "memory"), .once = true};
static const struct xml_rule memory = {
    .name = "memory", .required = XML_WORDS("size", "price"), .once = true};
static const struct xml_rule processor = {
    .name = "processor", .required = XML_WORDS("price"), .once = true};
static const struct xml_rule network = {.name = "network",
                                        .required = XML_WORDS("name"),
                                        .optional =
                                            XML_WORDS("price", "machine", "bandwidth", "latency")};
static const struct xml_rule variant = {.name = "variant", .required = XML_WORDS("high", "low")};
static const struct xml_rule configuration = {.name = "configuration",
                                              .required = XML_WORDS("name", "memory", "network"),
                                              .optional = XML_WORDS("cpus", "nodes"),
                                              .children = XML_RULES(&variant)};
static const struct xml_rule combine = {
    .name = "combine", .required = XML_WORDS("memory"), .optional = XML_WORDS("cpus")};
static const struct xml_rule result = {.name = "result",
                                       .required = XML_WORDS("configuration", "value"),
                                       .optional =
                                           XML_WORDS("high", "low", "error", "communication")};
static const struct xml_rule workload = {.name = "workload",
                                         .required = XML_WORDS("name"),
                                         .optional = XML_WORDS("case", "weight", "better",
                                                               "formula", "program", "record",
                                                               "memory", "communication", "high"),
                                         .children = XML_RULES(&result)};
static const struct xml_rule study = {.name = "study",
                                      .required = XML_WORDS("name"),
                                      .optional = XML_WORDS("budget", "currency"),
                                      .children = XML_RULES(&node, &memory, &processor, &network,
                                                            &configuration, &combine, &workload)};

struct study_reader {
    struct clue_study *s;
    struct portolan_diagnostics *d;
    bool has_parts; /* prices, budget and networks were read without an error */
};

/* ------------------------------------------------- attributes */

static double read_number(struct study_reader *r, const struct xml_element *e,
                          const char *attribute, double otherwise)
{
    clue_take_quantity(r->d, e, attribute, CLUE_A_NUMBER, &otherwise);
    return otherwise;
}

static int read_count(struct study_reader *r, const struct xml_element *e, const char *attribute,
                      int64_t otherwise)
{
    clue_take_count(r->d, e, attribute, 1, MOST_NODES, &otherwise);
    return (int)otherwise;
}

static double read_size(struct study_reader *r, const struct xml_element *e, const char *attribute,
                        const char *text)
{
    double bytes = 0;

    if (clue_take_text(r->d, e, attribute, text, CLUE_A_SIZE, &bytes) && bytes == 0)
        xml_complain(r->d, e, attribute, "'%s' is 0; it must be a size, for instance 256MB",
                     attribute);
    return bytes;
}

/* ------------------------------------------------- parts, configurations */

static void read_parts(struct study_reader *r, const struct xml_element *root)
{
    struct clue_study *s = r->s;
    const struct xml_element *e = xml_next(root, NULL, "node");

    if (e) {
        s->node_price = read_number(r, e, "price", 0);
        s->node_memory = read_size(r, e, "memory", xml_value(e, "memory"));
    }
    if ((e = xml_next(root, NULL, "memory"))) {
        s->memory_price = read_number(r, e, "price", 0);
        s->memory_step = read_size(r, e, "size", xml_value(e, "size"));
    }
    if ((e = xml_next(root, NULL, "processor")))
        s->processor_price = read_number(r, e, "price", 0);
    s->networks = portolan_arena_alloc(&s->arena, xml_count(root, "network"), sizeof *s->networks);
    for (e = NULL; s->networks && (e = xml_next(root, e, "network"));) {
        struct network *n = &s->networks[s->n_networks++];

        n->name = xml_value(e, "name");
        n->machine = xml_value(e, "machine");
        n->price = read_number(r, e, "price", 0);
        n->line = e->line;
        clue_take_quantity(r->d, e, "bandwidth", CLUE_A_BANDWIDTH, &n->bandwidth);
        clue_take_quantity(r->d, e, "latency", CLUE_A_TIME, &n->latency);
        n->bandwidth *= 1e9;
        n->latency *= 1e-9;
    }
}

/* Returns the index of the struct with NAME, its first member, among COUNT of SIZE bytes. */
static size_t find_named(struct study_reader *r, const struct xml_element *e, const char *attribute,
                         const char *name, const void *first, size_t count, size_t size)
{
    const char *near;

    for (size_t i = 0; i < count; i++)
        if (strcmp(*(const char *const *)((const char *)first + i * size), name) == 0)
            return i;
    near = count ? portolan_nearest_member(name, first, count, size) : NULL;
    xml_complain(r->d, e, attribute, "there is no %s '%.100s'%s", attribute, name,
                 portolan_did_you_mean(near).text);
    return 0;
}

static struct configuration *add_configuration(struct study_reader *r, const struct xml_element *e,
                                               const struct configuration *new)
{
    struct clue_study *s = r->s;

    for (size_t i = 0; i < s->n_configurations; i++)
        if (strcmp(s->configurations[i].name, new->name) == 0)
            xml_complain(r->d, e, NULL, "second configuration '%s'; the first is on line %d",
                         new->name, s->configurations[i].line);
    if (s->n_configurations == MOST_CONFIGURATIONS) {
        xml_complain(r->d, e, NULL, "more than %d configurations", MOST_CONFIGURATIONS);
        return NULL;
    }
    return portolan_arena_append(&s->arena, &s->configurations, &s->n_configurations, new,
                                 sizeof *new);
}

static void check_affordable(struct study_reader *r, const struct xml_element *e,
                             const struct configuration *c)
{
    const struct clue_study *s = r->s;

    if (c->memory > s->node_memory && s->memory_step == 0 && s->node_memory > 0 && !c->nodes)
        xml_complain(r->d, e, "memory",
                     "'%s' has more memory than <node>; give the price of more in <memory>",
                     c->name);
    if (!c->nodes && !(s->budget > 0 && study_node_price(s, c, &as_it_is) > 0))
        xml_complain(r->d, e, NULL,
                     "the number of nodes of '%s' is not known; write 'nodes', or 'budget' of "
                     "<study> and prices",
                     c->name);
    else if (!c->nodes && study_nodes(s, c, &as_it_is) < 1)
        xml_complain(r->d, e, NULL, "'%s' is not affordable: a node costs %g of %g", c->name,
                     study_node_price(s, c, &as_it_is), s->budget);
    else if (study_nodes(s, c, &as_it_is) > MOST_NODES)
        xml_complain(r->d, e, NULL, "'%s' would have more than %d nodes", c->name, MOST_NODES);
}

static void read_configuration(struct study_reader *r, const struct xml_element *e)
{
    struct clue_study *s = r->s;
    struct configuration new = {.name = xml_value(e, "name"), .line = e->line}, *c;
    int n_errors = r->d->count;

    new.cpus = read_count(r, e, "cpus", 1);
    new.nodes = read_count(r, e, "nodes", 0);
    new.memory = read_size(r, e, "memory", xml_value(e, "memory"));
    new.network = find_named(r, e, "network", xml_value(e, "network"), s->networks, s->n_networks,
                             sizeof *s->networks);
    if (!s->n_networks || !(c = add_configuration(r, e, &new)))
        return;
    if (r->has_parts && r->d->count == n_errors)
        check_affordable(r, e, c);
    for (const struct xml_element *v = NULL; (v = xml_next(e, v, "variant"));)
        study_variant(s, c, read_count(r, v, "high", 1), read_count(r, v, "low", 1));
}

/* Combines each memory with each number of processors and each network. */
static void read_combinations(struct study_reader *r, const struct xml_element *e)
{
    struct clue_study *s = r->s;
    struct portolan_words sizes = {0}, cpus = {0};
    const char *numbers = xml_value(e, "cpus");

    portolan_words_split(&s->arena, &sizes, xml_value(e, "memory"));
    portolan_words_split(&s->arena, &cpus, numbers ? numbers : "1");
    for (size_t i = 0; i < sizes.n * cpus.n * s->n_networks; i++) {
        size_t network = i % s->n_networks;
        const char *cpu = cpus.word[i / s->n_networks % cpus.n];
        const char *size = sizes.word[i / s->n_networks / cpus.n];
        struct configuration new = {.line = e->line, .network = network}, *c;
        int64_t count = 0;

        if (!portolan_read_int64(cpu, &count) || count < 1 || count > MOST_NODES)
            xml_complain(r->d, e, "cpus", "'%.40s' is not a number of processors", cpu);
        new.cpus = (int)count;
        new.memory = read_size(r, e, "memory", size);
        new.name =
            portolan_arena_printf(&s->arena, "%s x %s, %s", cpu, size, s->networks[network].name);
        if (r->d->count || !new.name || !(c = add_configuration(r, e, &new)))
            return;
        check_affordable(r, e, c);
    }
}

/* ------------------------------------------------- workloads */

/* Reads a formula; NULL: there is none, or a problem was reported. *USES_VARIANT: whether it
 * depends on high or low. */
static struct portolan_formula *read_formula(struct study_reader *r, const struct xml_element *e,
                                             const char *attribute, bool *uses_variant)
{
    const struct xml_attribute *a = xml_attribute(e, attribute);
    struct portolan_formula *formula = NULL, *bound = NULL;
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (a)
        status = portolan_formula_parse(a->value, strlen(a->value), e->file, a->line, a->column,
                                        r->d, &formula, &err);
    for (size_t i = 0; formula && i < portolan_formula_n_names(formula); i++)
        *uses_variant |= portolan_has_word(" high low ", portolan_formula_peek_name(formula, i));
    if (formula)
        status = portolan_formula_bind(formula, FORMULA_NAMES, study_formula_names, &bound, &err);
    if (formula && status != PORTOLAN_OK && status != PORTOLAN_ENOMEM)
        xml_complain(r->d, e, attribute,
                     "%s; a configuration has nodes, cpus, processors, memory, price, bandwidth, "
                     "latency, high and low",
                     err.text);
    r->s->arena.failed |= status == PORTOLAN_ENOMEM;
    portolan_formula_destroy(formula);
    return bound;
}

static void read_result(struct study_reader *r, const struct xml_element *e, struct workload *w)
{
    struct clue_study *s = r->s;
    struct result new = {0};
    size_t at = find_named(r, e, "configuration", xml_value(e, "configuration"), s->configurations,
                           s->n_configurations, sizeof *s->configurations);
    double value = read_number(r, e, "value", 0), error = read_number(r, e, "error", 0);
    struct configuration *c;

    if (r->d->count || !s->n_configurations)
        return;
    c = &s->configurations[at];
    new.configuration = at;
    new.high = read_count(r, e, "high", 1);
    new.low = read_count(r, e, "low", c->cpus * study_nodes(s, c, &as_it_is) / new.high);
    new.value = (struct clue_study_value){value, value - error, value + error,
                                          read_number(r, e, "communication", w->communication), 0};
    if (value == 0 || error >= value)
        xml_complain(r->d, e, "value", "'value' must be above 0, and 'error' below it");
    if (!(new.value.communication <= 1))
        xml_complain(r->d, e, "communication", "a fraction of the time is at most 1");
    if ((double)new.high *new.low > (double)c->cpus * study_nodes(s, c, &as_it_is))
        xml_complain(r->d, e, NULL, "%d x %d processors, but '%s' has %d nodes with %d", new.high,
                     new.low, c->name, study_nodes(s, c, &as_it_is), c->cpus);
    for (size_t i = 0; i < w->n_results; i++)
        if (w->results[i].configuration == at && w->results[i].high == new.high &&
            w->results[i].low == new.low)
            xml_complain(r->d, e, NULL, "second result of '%s' for '%s' with %d x %d", w->name,
                         c->name, new.high, new.low);
    portolan_arena_append(&s->arena, &w->results, &w->n_results, &new, sizeof new);
    study_variant(s, c, new.high, new.low);
}

static void read_better(struct study_reader *r, const struct xml_element *e, struct workload *w)
{
    const char *better = xml_value(e, "better");

    w->is_time = w->kind == WORKLOAD_PROGRAM || w->kind == WORKLOAD_RECORD;
    if (better && strcmp(better, "more") != 0 && strcmp(better, "less") != 0)
        xml_complain(r->d, e, "better", "write \"more\" for rates or \"less\" for times");
    else if (better)
        w->is_time = strcmp(better, "less") == 0;
    if (w->kind >= WORKLOAD_PROGRAM && !w->is_time)
        xml_complain(r->d, e, "better", "for the time of a program, less is better");
}

static void read_workload(struct study_reader *r, const struct xml_element *e, struct workload *w)
{
    static const char *const sources[] = {"formula", "program", "record"};
    static const enum workload_kind kinds[] = {WORKLOAD_FORMULA, WORKLOAD_PROGRAM, WORKLOAD_RECORD};
    int given = 0;

    w->name = xml_value(e, "name");
    w->of = xml_value(e, "case") ? xml_value(e, "case") : w->name;
    w->weight = read_number(r, e, "weight", 100);
    w->communication = read_number(r, e, "communication", 0);
    w->most_high = read_count(r, e, "high", 1);
    if (w->most_high > MOST_HIGH)
        xml_complain(r->d, e, "high", "at most %d instances run at once", MOST_HIGH);
    w->kind = WORKLOAD_RESULTS;
    for (size_t i = 0; i < 3; i++)
        if (xml_attribute(e, sources[i])) {
            w->kind = kinds[i];
            given++;
        }
    if (given + (xml_next(e, NULL, "result") != NULL) != 1)
        xml_complain(r->d, e, NULL,
                     "workload '%s' needs one of 'formula', 'program', 'record', or a <result> for "
                     "each configuration",
                     w->name);
    w->is_varied = w->kind != WORKLOAD_FORMULA;
    w->formula = read_formula(r, e, "formula", &w->is_varied);
    w->memory = read_formula(r, e, "memory", &w->is_varied);
    if (w->kind == WORKLOAD_PROGRAM || w->kind == WORKLOAD_RECORD)
        portolan_words_split(&r->s->arena, &w->words,
                             xml_value(e, w->kind == WORKLOAD_PROGRAM ? "program" : "record"));
    read_better(r, e, w);
    for (const struct xml_element *c = NULL; (c = xml_next(e, c, "result"));)
        read_result(r, c, w);
}

static void check_machines(struct study_reader *r, const struct xml_element *root)
{
    const struct clue_study *s = r->s;

    for (size_t i = 0; i < s->n_workloads; i++)
        for (size_t k = 0; s->workloads[i].kind >= WORKLOAD_PROGRAM && k < s->n_configurations; k++)
            if (!s->networks[s->configurations[k].network].machine) {
                portolan_diagnose(r->d, root->file, s->networks[s->configurations[k].network].line,
                                  0, "'%s' runs on a machine; name its file in 'machine'",
                                  s->workloads[i].name);
                return;
            }
}

static void read_tree(struct study_reader *r, const struct xml_element *root)
{
    struct clue_study *s = r->s;
    const struct xml_element *e = NULL;

    xml_check(root, &study, r->d);
    if (r->d->count)
        return;
    s->name = xml_value(root, "name");
    s->currency = xml_value(root, "currency");
    s->budget = read_number(r, root, "budget", 0);
    read_parts(r, root);
    r->has_parts = !r->d->count;
    for (e = root->children; e && !s->arena.failed; e = e->next)
        if (strcmp(e->name, "configuration") == 0)
            read_configuration(r, e);
        else if (strcmp(e->name, "combine") == 0 && s->n_networks)
            read_combinations(r, e);
    if (!s->n_configurations && !r->d->count)
        xml_complain(r->d, root, NULL,
                     "the study has no <configuration>, and no <combine> with a "
                     "<network>");
    s->workloads =
        portolan_arena_alloc(&s->arena, xml_count(root, "workload"), sizeof *s->workloads);
    while (s->workloads && (e = xml_next(root, e, "workload")))
        read_workload(r, e, &s->workloads[s->n_workloads++]);
    if (!s->n_workloads)
        xml_complain(r->d, root, NULL, "the study has no <workload>");
    check_machines(r, root);
}

/* Reads from memory when TEXT is not NULL, else from PATH. */
static enum portolan_status read_any(const char *text, size_t size, const char *path,
                                     struct portolan_diagnostics *user, struct clue_study **study,
                                     struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {user, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    struct clue_study *s = portolan_calloc(1, sizeof *s);
    struct study_reader r = {.s = s, .d = &d};
    enum portolan_status status = PORTOLAN_ENOMEM;
    struct xml_element *root;

    *study = NULL;
    if (s && (s->path = portolan_arena_strdup(&s->arena, path)))
        status = text ? xml_read_text(&s->arena, text, size, s->path, XML_PLAIN, &d, &root, err)
                      : xml_read_file(&s->arena, s->path, XML_PLAIN, &d, &root, err);
    if (status == PORTOLAN_OK) {
        read_tree(&r, root);
        status = s->arena.failed ? PORTOLAN_ENOMEM : d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
    }
    if (status != PORTOLAN_OK) {
        clue_study_destroy(s);
        return portolan_error_set(err, status, "%s: %s", path, portolan_status_text(status));
    }
    *study = s;
    return PORTOLAN_OK;
}

enum portolan_status clue_study_read_text(const char *text, size_t size, const char *path,
                                          struct portolan_diagnostics *d, struct clue_study **study,
                                          struct portolan_error *err)
{
    return read_any(text, size, path, d, study, err);
}

enum portolan_status clue_study_read(const char *path, struct portolan_diagnostics *d,
                                     struct clue_study **study, struct portolan_error *err)
{
    return read_any(NULL, 0, path, d, study, err);
}

void clue_study_destroy(struct clue_study *s)
{
    struct portolan_arena arena;

    for (size_t i = 0; s && i < s->n_workloads; i++) {
        portolan_formula_destroy(s->workloads[i].formula);
        portolan_formula_destroy(s->workloads[i].memory);
    }
    if (!s)
        return;
    arena = s->arena;
    portolan_arena_clear(&arena);
    free(s);
}
