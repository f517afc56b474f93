/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the network: its model, eager limit, and factors. */
#include "machine.h"

#include <portolan/command.h>
#include <portolan/list.h>

#include <math.h>

static const struct xml_rule factors_rule = {.name = "factors",
                                             .required = XML_WORDS("from"),
                                             .optional = XML_WORDS("bandwidth", "latency")};
static const struct xml_rule link_rule = {
    .name = "link", .required = XML_WORDS("name"), .optional = XML_WORDS("bandwidth", "latency")};
static const struct xml_rule route_rule = {.name = "route",
                                           .required = XML_WORDS("from", "to", "links"),
                                           .optional = XML_WORDS("symmetric")};
const struct xml_rule network_rule = {
    .name = "network",
    .optional = XML_WORDS("model", "eager", "contention", "topology", "down", "up", "size",
                          "bandwidth", "latency", "store-and-forward"),
    .children = XML_RULES(&factors_rule, &link_rule, &route_rule),
    .once = true};

const char *const clue_network_model_names[] = {"none", "factor", "queue", "fair", NULL};

/* Reads factors such as "1 1.1 1.3": for one message in flight, for two … */
static void read_contention(struct machine_reader *r, const struct xml_element *e,
                            struct clue_network *n)
{
    const char *text = xml_value(e, "contention");
    struct portolan_words words = {0};

    if (n->model == CLUE_NETWORK_FACTOR && !text)
        xml_complain(r->d, e, "model",
                     "model \"factor\" needs 'contention': the factors of the time of one message "
                     "in flight, of two, and so on, as \"1 1.2 1.5\"");
    else if (text && n->model != CLUE_NETWORK_FACTOR)
        xml_complain(r->d, e, "contention", "'contention' is for model=\"factor\"");
    if (text)
        portolan_words_split(r->arena, &words, text);
    for (size_t i = 0; i < words.n; i++) {
        double value;

        if (!portolan_read_double(words.word[i], &value) || !(value > 0) || !isfinite(value)) {
            xml_complain(r->d, e, "contention", "'%.40s' is not a factor; write numbers above 0",
                         words.word[i]);
            return;
        }
        portolan_arena_append(r->arena, &n->factors, &n->n_factors, &value, sizeof value);
    }
    if (text && !n->factors && !r->arena->failed)
        xml_complain(r->d, e, "contention", "'contention' is empty; write \"1\" and more");
}

static void read_size_factors(struct machine_reader *r, const struct xml_element *e,
                              struct clue_network *n)
{
    struct clue_size_factor *rows =
        portolan_arena_alloc(r->arena, xml_count(e, "factors"), sizeof *rows);
    const struct xml_element *f = NULL;

    while (rows && (f = xml_next(e, f, "factors"))) {
        struct clue_size_factor *row = &rows[n->n_by_size++];
        double from = 0;

        *row = (struct clue_size_factor){0, 1, 1};
        clue_take_quantity(r->d, f, "from", CLUE_A_SIZE, &from);
        clue_take_quantity(r->d, f, "bandwidth", CLUE_A_NUMBER, &row->bandwidth);
        clue_take_quantity(r->d, f, "latency", CLUE_A_NUMBER, &row->latency);
        row->from_bytes = (uint64_t)from;
        if (row->bandwidth == 0)
            xml_complain(r->d, f, "bandwidth", "a bandwidth is 0; it must be above 0");
        if (n->n_by_size > 1 && row->from_bytes <= row[-1].from_bytes)
            xml_complain(r->d, f, "from",
                         "<factors> out of order; write each size once, from small to large");
    }
    n->by_size = rows;
}

void machine_read_network(struct machine_reader *r, const struct xml_element *root)
{
    const struct xml_element *e = xml_next(root, NULL, "network");
    struct clue_machine *m = &r->file->machine;
    int model = CLUE_NETWORK_QUEUE, stores = 0;
    double eager;

    m->eager_bytes = UINT64_MAX;
    for (size_t i = 0; !e && i < m->n_hosts; i++)
        if (m->hosts[i].card_gap_ns > 0 || m->hosts[i].card_ns_per_byte > 0)
            m->network.model = CLUE_NETWORK_QUEUE;
    if (!e)
        return;
    machine_read_word(r, e, "model", clue_network_model_names, &model);
    machine_read_word(r, e, "store-and-forward", machine_yes_or_no, &stores);
    m->network.model = (enum clue_network_model)model;
    m->network.store_and_forward = stores;
    if (clue_take_quantity(r->d, e, "eager", CLUE_A_SIZE, &eager))
        m->eager_bytes = (uint64_t)eager;
    read_contention(r, e, &m->network);
    read_size_factors(r, e, &m->network);
    machine_read_topology(r, e);
}
