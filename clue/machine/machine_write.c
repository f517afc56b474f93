/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the parts of a machine that can be measured as a file. */
#include "machine.h"

#include <portolan/number.h>

#include <math.h>

enum { DIGITS = 9 };

/* Adds ` NAME="VALUEunit"`, with more digits than a measurement has. */
static void add_value(struct portolan_text *t, const char *name, double value, const char *unit)
{
    char number[PORTOLAN_NUMBER_TEXT];

    portolan_number_round(value, DIGITS, number);
    portolan_text_add(t, " %s=\"%s%s\"", name, number, unit);
}

static void add_time(struct portolan_text *t, const char *name, double ns)
{
    if (ns < 1e3)
        add_value(t, name, ns, "ns");
    else if (ns < 1e6)
        add_value(t, name, ns / 1e3, "us");
    else
        add_value(t, name, ns / 1e6, "ms");
}

static void add_size(struct portolan_text *t, const char *name, uint64_t bytes)
{
    if (bytes && bytes % 1024 == 0)
        portolan_text_add(t, " %s=\"%lluKB\"", name, (unsigned long long)(bytes / 1024));
    else
        portolan_text_add(t, " %s=\"%llu\"", name, (unsigned long long)bytes);
}

/* Adds the rest of an element NAME that has begun. */
static void add_law(struct portolan_text *t, const char *name, const struct clue_law *law)
{
    if (!law->n_points) {
        add_value(t, "k", law->ns_per_byte, "ns/B");
        add_time(t, "d", law->constant_ns);
        portolan_text_add(t, "/>\n");
        return;
    }
    portolan_text_add(t, ">\n");
    for (size_t i = 0; i < law->n_points; i++) {
        portolan_text_add(t, "    <point");
        add_size(t, "bytes", law->points[i].bytes);
        add_time(t, "time", law->points[i].ns);
        portolan_text_add(t, "/>\n");
    }
    portolan_text_add(t, "  </%s>\n", name);
}

/* Returns whether no ATTRIBUTE can express the law. */
static bool needs_element(const struct clue_law *law, enum clue_quantity attribute)
{
    return law->n_points || (law->constant_ns != 0 && attribute != CLUE_A_TIME) ||
           (law->ns_per_byte != 0 && attribute != CLUE_A_TIME_PER_SIZE);
}

static void add_type(struct portolan_text *t, const struct clue_host_type *type)
{
    const struct clue_host *h = &type->host;
    bool has_more = h->n_busy, is_element[HOST_LAWS];

    for (size_t i = 0; i < HOST_LAWS; i++)
        has_more |= is_element[i] = needs_element(law_of(h, &host_laws[i]), host_laws[i].attribute);
    xml_add_start(t, "  ", "host", "name", h->name, NULL);
    if (type->count)
        portolan_text_add(t, " count=\"%d\"", type->count);
    portolan_text_add(t, " cpus=\"%u\"", h->cpus);
    add_value(t, "factor", h->real ? 0 : h->factor, "");
    if (h->spread > 0)
        add_value(t, "spread", h->spread, "");
    if (h->memory)
        add_size(t, "memory", h->memory);
    if (h->init_ns)
        add_time(t, "init", (double)h->init_ns);
    if (h->spawn_ns)
        add_time(t, "spawn", (double)h->spawn_ns);
    if (!is_element[0])
        add_time(t, "receive", h->receive.constant_ns);
    if (h->packing.ns_per_byte > 0 && !is_element[1])
        add_value(t, "packing", h->packing.ns_per_byte, "ns/B");
    if (h->receiver_copies)
        portolan_text_add(t, " copies=\"receiver\"");
    if (h->card_gap_ns > 0)
        add_time(t, "gap", h->card_gap_ns);
    if (h->card_ns_per_byte > 0)
        add_value(t, "card", 1e3 / h->card_ns_per_byte, "MB/s");
    if (h->price > 0)
        add_value(t, "price", h->price, "");
    portolan_text_add(t, has_more ? ">\n" : "/>\n");
    for (size_t i = 0; i < h->n_busy; i++) {
        portolan_text_add(t, "    <busy cpus=\"%u\"", h->busy[i].cpus);
        add_value(t, "factor", h->busy[i].factor, "");
        portolan_text_add(t, "/>\n");
    }
    for (size_t i = 0; i < HOST_LAWS; i++) {
        if (!is_element[i])
            continue;
        portolan_text_add(t, "    <%s", host_laws[i].name);
        add_law(t, host_laws[i].name, law_of(h, &host_laws[i]));
    }
    if (has_more)
        portolan_text_add(t, "  </host>\n");
}

static void add_network(struct portolan_text *t, const struct clue_machine *m)
{
    const struct clue_network *n = &m->network;
    char number[PORTOLAN_NUMBER_TEXT];

    xml_add_start(t, "  ", "network", "model", clue_network_model_names[n->model], NULL);
    if (m->eager_bytes < UINT64_MAX)
        add_size(t, "eager", m->eager_bytes);
    for (size_t i = 0; i < n->n_factors; i++) {
        portolan_number_round(n->factors[i], DIGITS, number);
        portolan_text_add(t, "%s%s", i ? " " : " contention=\"", number);
    }
    portolan_text_add(t, "%s%s", n->n_factors ? "\"" : "", n->n_by_size ? ">\n" : "/>\n");
    for (size_t i = 0; i < n->n_by_size; i++) {
        portolan_text_add(t, "    <factors");
        add_size(t, "from", n->by_size[i].from_bytes);
        add_value(t, "bandwidth", n->by_size[i].bandwidth, "");
        add_value(t, "latency", n->by_size[i].latency, "");
        portolan_text_add(t, "/>\n");
    }
    if (n->n_by_size)
        portolan_text_add(t, "  </network>\n");
}

static void add_collectives(struct portolan_text *t, const struct clue_machine *m)
{
    size_t begun = t->length, length;

    xml_add_start(t, "  ", "collectives", "rules", m->collectives_json, NULL);
    portolan_text_add(t, ">\n");
    length = t->length;
    for (size_t i = 0; i < COLLECTIVE_LAWS; i++) {
        const struct law_member *of = &collective_laws[i];

        if (needs_element(law_of(m, of), of->attribute)) {
            portolan_text_add(t, "  <%s", of->name);
            add_law(t, of->name, law_of(m, of));
        }
    }
    if (t->length > length || m->collectives_json)
        portolan_text_add(t, "  </collectives>\n");
    else
        t->length = begun;
}

static void add_provenance(struct portolan_text *t, const struct clue_machine_file *f)
{
    size_t begun = t->length, length;

    portolan_text_add(t, "  <provenance>\n");
    length = t->length;
    for (size_t i = 0; i < f->n_facts; i++) {
        xml_add_start(t, "    ", "fact", "name", f->facts[i].name, "value", f->facts[i].value,
                      NULL);
        portolan_text_add(t, "/>\n");
    }
    for (int i = 0; i < CLUE_PARAMETERS; i++)
        if (f->covariance[i][i] > 0) {
            portolan_text_add(t, "    <error of=\"%s\"", clue_parameter_names[i]);
            add_value(t, "relative", sqrt(f->covariance[i][i]), "");
            portolan_text_add(t, "/>\n");
        }
    for (int i = 0; i < CLUE_PARAMETERS; i++)
        for (int k = 0; k < i; k++)
            if (f->covariance[i][k] != 0) {
                portolan_text_add(t, "    <correlation of=\"%s\" with=\"%s\"",
                                  clue_parameter_names[k], clue_parameter_names[i]);
                add_value(t, "value",
                          f->covariance[i][k] / sqrt(f->covariance[i][i] * f->covariance[k][k]),
                          "");
                portolan_text_add(t, "/>\n");
            }
    if (t->length > length)
        portolan_text_add(t, "  </provenance>\n");
    else
        t->length = begun;
}

enum portolan_status clue_machine_write(const struct clue_machine_file *f, char **text,
                                        struct portolan_error *err)
{
    struct portolan_text t = {0};
    const struct clue_machine *m = &f->machine;

    portolan_text_add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml_add_start(&t, "", "machine", "name", m->name, "master",
                  m->master >= 0 ? m->hosts[m->master].name : NULL, "placement", f->placement,
                  NULL);
    portolan_text_add(&t, ">\n");
    for (size_t i = 0; i < f->n_types; i++)
        add_type(&t, &f->types[i]);
    for (size_t i = 0; i < f->n_rules; i++) {
        const struct clue_pair_rule *rule = &f->rules[i];
        const char *name = rule->is_send ? "send" : "transmission";

        xml_add_start(&t, "  ", name, "from", rule->from, "to", rule->to, NULL);
        add_law(&t, name, &rule->law);
    }
    add_network(&t, m);
    add_collectives(&t, m);
    add_provenance(&t, f);
    portolan_text_add(&t, "</machine>\n");
    return portolan_text_take(&t, text, err);
}
