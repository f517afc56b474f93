/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weaves two paradigms whose components are interleaved (Li and Malony, section 2.2 and 3.3).
 *
 * The tree with more nodes is kept; the other one is walked from its roots. The type of a metric is
 * its name. A node of the walked tree whose metric has the type of a kept node's is dropped, and
 * its subtrees are attached to that node; any other node moves with its subtree to where its parent
 * went. Metrics of the same type become one: the sum of both, or one of them if both are the same
 * quantity of the whole run.
 *
 * Waiting that shows in one paradigm but was caused in the other is delegated: it becomes a metric
 * and a node, which is linked to the tree of the other. After all are woven, each paradigm has a
 * metric of what the others take of the run.
 */
#include <portolan/list.h>

#include <string.h>

#include "compose.h"
#include "resolve.h"

struct merge {
    struct knowledge *knowledge;
    struct portolan_arena *arena;
    struct paradigm *paradigm;
    const char *guest, *host_name, *guest_name; /* the guest's context; names for people */
    bool keeps_guest;                           /* the guest's tree has more nodes */
    const char **kept;                          /* by node: where it went, if it is dropped */
};

/* Returns whether an item is part of the walk: nodes and metrics of a paradigm that is nested in
 * one of the two are not. */
static bool is_in_tree(const struct merge *m, const struct item *item, bool of_guest)
{
    return strcmp(item->context, of_guest ? m->guest : "") == 0;
}

static size_t find_metric(const struct merge *m, const char *context, const char *local)
{
    return paradigm_item(m->paradigm, "metric", context_join(m->arena, context, local));
}

/* Returns whether two metrics are the same: their formula names only what is of the whole run. */
static bool is_same_metric(const struct metric *a, const struct metric *b)
{
    if (strcmp(a->formula.text, b->formula.text) != 0)
        return false;
    for (size_t i = 0; i < portolan_formula_n_names(a->formula.formula); i++)
        if (global_of_word(portolan_formula_peek_name(a->formula.formula, i)) == HERCULE_NONE)
            return false;
    return true;
}

/* Composes the metric of both: it has the host's name, and is the sum of the two. */
static void compose_metric(struct merge *m, const char *local)
{
    size_t host = find_metric(m, "", local), guest = find_metric(m, m->guest, local);
    struct metric *metrics = m->paradigm->metrics, sum;
    const char *own = portolan_arena_printf(m->arena, "own_%s", local);

    if (host == HERCULE_NONE || guest == HERCULE_NONE || !own)
        return;
    sum = metrics[host];
    if (is_same_metric(&metrics[host], &metrics[guest])) {
        metrics[guest] = metrics[--m->paradigm->n_metrics];
        return;
    }
    sum.formula = (struct expression){
        .text = portolan_arena_printf(m->arena,
                                      sum.unit == UNIT_TIME ? "min(run, %s + %s.%s)" : "%s + %s.%s",
                                      own, m->guest, own),
        .place = metrics[host].formula.place};
    sum.item.text = portolan_arena_printf(m->arena, "%s of %s and %s", sum.item.text, m->host_name,
                                          m->guest_name);
    metrics[host].item.local = metrics[host].item.name = own;
    metrics[guest].item.local = own;
    metrics[guest].item.name = context_join(m->arena, m->guest, own);
    metrics[host].base_name = metrics[guest].base_name =
        portolan_arena_printf(m->arena, ".%s", local);
    expression_parse(m->knowledge, &sum.formula, NULL);
    if (!m->arena->failed)
        paradigm_put(m->arena, fact_kind_find("metric"), m->paradigm, &sum.item);
}

/* Returns the kept tree's node whose metric has the type of NODE's. */
static struct node *node_of_type(struct merge *m, const struct node *node)
{
    for (size_t i = 0; i < m->paradigm->n_nodes; i++) {
        struct node *other = &m->paradigm->nodes[i];

        if (is_in_tree(m, &other->item, m->keeps_guest) && other->kind != NODE_CAUSE &&
            strcmp(other->metric_name, node->metric_name) == 0)
            return other;
    }
    return NULL;
}

/* Returns what replaces the node that NODE's name UNDER means; NULL: that node stays. */
static const char *replacement_of(const struct merge *m, const struct node *node, const char *under)
{
    size_t at =
        paradigm_item(m->paradigm, "node", context_join(m->arena, node->item.context, under));

    return at == HERCULE_NONE ? NULL : m->kept[at];
}

/* Returns whether all nodes that NODE is under were dropped: only then does the walk come to it. */
static bool is_reached(const struct merge *m, const struct node *node)
{
    for (size_t u = 0; u < node->n_under; u++)
        if (!replacement_of(m, node, node->under[u]))
            return false;
    return true;
}

/* Changes the names of dropped nodes, under which NODE was. */
static void move_under(struct merge *m, struct node *node)
{
    const char **under = portolan_arena_alloc(m->arena, node->n_under, sizeof *under);

    for (size_t u = 0; under && u < node->n_under; u++) {
        under[u] = replacement_of(m, node, node->under[u]);
        under[u] = under[u] ? under[u] : node->under[u];
    }
    if (under)
        node->under = under;
}

static void merge_trees(struct merge *m)
{
    struct paradigm *p = m->paradigm;
    bool has_changed = true;
    size_t kept = 0;

    while (has_changed) {
        has_changed = false;
        for (size_t i = 0; i < p->n_nodes; i++) {
            struct node *node = &p->nodes[i], *same;

            if (!is_in_tree(m, &node->item, !m->keeps_guest) || m->kept[i] ||
                node->kind == NODE_CAUSE || !is_reached(m, node) || !(same = node_of_type(m, node)))
                continue;
            m->kept[i] = portolan_arena_printf(m->arena, ".%s", same->item.name);
            compose_metric(m, node->metric_name);
            has_changed = m->kept[i] != NULL;
        }
    }
    for (size_t i = 0; i < p->n_nodes; i++)
        move_under(m, &p->nodes[i]);
    for (size_t i = 0; i < p->n_nodes; i++)
        if (!m->kept[i])
            p->nodes[kept++] = p->nodes[i];
    p->n_nodes = kept;
}

/* Merges compositions: the parts of a composite metric are those of both, view by view. */
static void merge_compositions(struct merge *m)
{
    struct paradigm *p = m->paradigm;

    for (size_t i = 0; i < p->n_composed; i++) {
        struct composed *guest = &p->composed[i], *host = NULL;
        size_t at;

        if (!is_in_tree(m, &guest->item, true) || !*guest->metric_name ||
            find_metric(m, m->guest, guest->metric_name) != HERCULE_NONE)
            continue;
        at = paradigm_item(p, "composed", guest->item.local);
        host = at == HERCULE_NONE ? NULL : &p->composed[at];
        for (size_t k = 0; host && k < guest->n_of; k++) {
            const char *part = portolan_arena_printf(m->arena, ".%s.%s", m->guest, guest->of[k]);
            const char **of = portolan_arena_alloc(m->arena, host->n_of + 1, sizeof *of);

            if (!part || !of)
                return;
            memcpy(of, host->of, host->n_of * sizeof *of);
            of[host->n_of++] = part;
            host->of = of;
        }
        if (host)
            *guest = p->composed[--p->n_composed], i--;
    }
}

/* Adds a metric and a node for what shows in one paradigm but was caused in the other: the waiting
 * of its own communication with a cause there, as measured (waits.h). */
static void add_delegated(struct merge *m, bool in_guest)
{
    struct paradigm *p = m->paradigm;
    const char *context = in_guest ? m->guest : "";
    struct portolan_text formula = {.arena = m->arena};
    struct metric metric = {
        .item = {.local = "delegated", .origin = p->item.name, .context = context},
        .base_name = "run",
        .experiment = EXPERIMENT_TRACE};
    struct node node = {.item = metric.item,
                        .kind = NODE_OBSERVATION,
                        .metric_name = "delegated",
                        .factor_name = "",
                        .threshold_name = ""};

    for (size_t i = 0; i < p->n_components; i++)
        if (p->components[i].kind == COMPONENT_COMMUNICATION &&
            is_in_tree(m, &p->components[i].item, in_guest))
            portolan_text_add(&formula, "%s%s.delegated.sum", formula.length ? " + " : "",
                              p->components[i].item.local);
    if (!formula.length || m->arena->failed)
        return;
    metric.item.place = node.item.place = p->weaves[p->n_weaves - 1].item.place;
    metric.formula = (struct expression){.text = formula.bytes, .place = metric.item.place};
    metric.item.name = node.item.name = context_join(m->arena, context, "delegated");
    metric.item.text = node.item.text =
        portolan_arena_printf(m->arena, "delay of another paradigm that shows in %s",
                              in_guest ? m->guest_name : m->host_name);
    node.condition = node.most = (struct expression){.text = "", .place = metric.item.place};
    paradigm_put(m->arena, fact_kind_find("metric"), p, &metric.item);
    paradigm_put(m->arena, fact_kind_find("node"), p, &node.item);
}

/* Returns the context of the host (0), or of guest I. */
static const char *woven_context(const struct paradigm *p, size_t i)
{
    return i ? p->weaves[i - 1].item.name : "";
}

/* Adds to FORMULA the time of the components in CONTEXT. */
static void add_times(const struct paradigm *p, const char *context, struct portolan_text *formula)
{
    for (size_t i = 0; i < p->n_components; i++)
        if (!strcmp(p->components[i].item.context, context) && !*p->components[i].within_name)
            portolan_text_add(formula, "%s%s.time.sum", formula->length ? " + " : "",
                              p->components[i].item.name);
}

/* Returns the formula of what the others take of the run. Waiting there that was caused here
 * belongs here; likewise, waiting here that the others caused belongs to them. */
static char *formula_elsewhere(struct portolan_arena *arena, const struct paradigm *p, size_t of)
{
    struct portolan_text formula = {.arena = arena};

    for (size_t i = 0; i <= p->n_weaves; i++)
        if (i != of)
            add_times(p, woven_context(p, i), &formula);
    for (size_t i = 0; i <= p->n_weaves; i++) {
        const char *delegated = context_join(arena, woven_context(p, i), "delegated");

        if (paradigm_item(p, "metric", delegated) == HERCULE_NONE)
            continue;
        portolan_text_add(&formula, i == of ? " + %s" : " - %s", delegated);
        if (i != of && p->n_weaves > 1)
            portolan_text_add(&formula, " / %zu", p->n_weaves);
    }
    return formula.bytes;
}

void paradigm_share_run(struct knowledge *knowledge, struct paradigm *p)
{
    struct portolan_arena *arena = &knowledge->arena;

    for (size_t i = 0; i <= p->n_weaves && p->n_weaves; i++) {
        const char *context = woven_context(p, i);
        size_t at = paradigm_item(p, "metric", context_join(arena, context, "elsewhere"));
        struct metric outside;

        if (at == HERCULE_NONE)
            continue;
        outside = p->metrics[at];
        outside.item.context = "";
        outside.item.name = outside.item.local = portolan_arena_printf(arena, "outside_%zu", i);
        outside.formula = (struct expression){.text = formula_elsewhere(arena, p, i),
                                              .place = p->metrics[at].formula.place};
        p->metrics[at].formula =
            (struct expression){.text = outside.item.name, .place = outside.formula.place};
        if (arena->failed)
            return;
        expression_parse(knowledge, &outside.formula, NULL);
        expression_parse(knowledge, &p->metrics[at].formula, NULL);
        paradigm_put(arena, fact_kind_find("metric"), p, &outside.item);
    }
}

/* Returns the index + 1 of the weave whose guest works in CONTEXT; 0: it is the host's. */
static size_t woven_number(const struct paradigm *p, const char *context)
{
    for (size_t i = 0; i < p->n_weaves; i++)
        if (context_is_within(context, p->weaves[i].item.name))
            return i + 1;
    return 0;
}

/* Links a deputy, where a delay shows, to the roots of its delegator's tree; and what is under a
 * composite node to that node, across both trees. Called when the tree and its names are final. */
void paradigm_link(struct knowledge *knowledge, struct paradigm *p)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct node *node = &p->nodes[i];

        for (size_t k = 0; strcmp(node->item.local, "delegated") == 0 && k < p->n_nodes; k++) {
            struct link link = {i, k, false};

            if (!p->nodes[k].n_under && k != i &&
                strcmp(p->nodes[k].item.local, "delegated") != 0 &&
                strcmp(p->nodes[k].item.context, node->item.context) != 0)
                portolan_arena_append(&knowledge->arena, &p->links, &p->n_links, &link,
                                      sizeof link);
        }
        for (size_t u = 0; u < node->n_under; u++) {
            const struct item *above = &p->nodes[node->parents[u]].item;
            struct link link = {i, node->parents[u], true};

            if (woven_number(p, node->item.context) != woven_number(p, above->context))
                portolan_arena_append(&knowledge->arena, &p->links, &p->n_links, &link,
                                      sizeof link);
        }
    }
}

void paradigm_weave(struct knowledge *knowledge, struct paradigm *host,
                    const struct paradigm *guest, const struct weave *weave)
{
    struct portolan_arena *arena = &knowledge->arena;
    struct merge m = {knowledge,        arena, host, weave->item.name, NULL,
                      guest->item.text, false, NULL};
    size_t n_guest = 0;
    struct event woven = {.item = weave->item,
                          .expression = weave->expression,
                          .expression_place = weave->expression_place,
                          .constraints = ""};

    m.host_name = host->n_is_a ? host->is_a[0] : host->item.name;
    m.guest_name = guest->item.name;
    paradigm_add_in_context(arena, host, guest, m.guest);
    for (size_t i = 0; i < host->n_nodes; i++)
        n_guest += context_is_within(host->nodes[i].item.context, m.guest);
    m.keeps_guest = 2 * n_guest > host->n_nodes;
    m.kept = portolan_arena_alloc(arena, host->n_nodes, sizeof *m.kept);
    if (arena->failed)
        return;
    merge_trees(&m);
    merge_compositions(&m);
    add_delegated(&m, false);
    add_delegated(&m, true);
    woven.item.name = woven.item.local = portolan_arena_printf(arena, "woven_%s", m.guest);
    if (!arena->failed)
        paradigm_put(arena, fact_kind_find("event"), host, &woven.item);
}
