/* SPDX-License-Identifier: BSD-3-Clause */
#include "compose.h"

#include <portolan/list.h>

#include <string.h>

const char *context_join(struct portolan_arena *arena, const char *context, const char *local)
{
    const char *joined = *context ? portolan_arena_printf(arena, "%s.%s", context, local) : local;

    return joined ? joined : "";
}

size_t paradigm_find(struct portolan_arena *arena, const struct paradigm *paradigm,
                     const char *kind_name, const char *context, const char *name)
{
    const struct fact_kind *kind = fact_kind_find(kind_name);
    char *around = portolan_arena_strdup(arena, context), *dot;

    if (name[0] == '.')
        return kind_find_item(kind, paradigm, name + 1);
    while (around) {
        size_t at = kind_find_item(kind, paradigm, context_join(arena, around, name));

        if (at != HERCULE_NONE || !*around)
            return at;
        dot = strrchr(around, '.');
        *(dot ? dot : around) = 0;
    }
    return HERCULE_NONE;
}

bool paradigm_put(struct portolan_arena *arena, const struct fact_kind *kind,
                  struct paradigm *paradigm, const struct item *item)
{
    size_t at = kind_find_item(kind, paradigm, item->name);

    if (at != HERCULE_NONE) {
        memcpy(kind_item(kind, paradigm, at), item, kind->size);
        return true;
    }
    return portolan_arena_append(arena, kind_list(kind, paradigm), kind_count(kind, paradigm), item,
                                 kind->size);
}

/* A copy of item I of GUEST with its name in CONTEXT. */
static struct item *item_in_context(struct portolan_arena *arena, const struct fact_kind *kind,
                                    const struct paradigm *guest, size_t i, const char *context)
{
    struct item *item = portolan_arena_alloc(arena, 1, kind->size);

    if (!item)
        return NULL;
    memcpy(item, kind_item(kind, guest, i), kind->size);
    item->context = *item->context ? context_join(arena, context, item->context) : context;
    item->name = context_join(arena, item->context, item->local);
    return item;
}

bool paradigm_add_in_context(struct portolan_arena *arena, struct paradigm *paradigm,
                             const struct paradigm *guest, const char *context)
{
    for (size_t k = 0; k < n_fact_kinds; k++)
        for (size_t i = 0;
             fact_kinds[k].size && i < *kind_count(&fact_kinds[k], (struct paradigm *)guest); i++) {
            struct item *item;

            if (strcmp(kind_item(&fact_kinds[k], guest, i)->origin, "base") == 0)
                continue;
            item = item_in_context(arena, &fact_kinds[k], guest, i, context);
            if (!item || !paradigm_put(arena, &fact_kinds[k], paradigm, item))
                return false;
        }
    return true;
}

/* Whether CONTEXT is OUTER or lies in it. */
static bool is_within(const char *context, const char *outer)
{
    size_t n = strlen(outer);

    return strncmp(context, outer, n) == 0 && (!context[n] || context[n] == '.');
}

/* A paradigm that an heir nests instead of its parent's leaves nothing of the other behind. */
static void remove_context(struct paradigm *paradigm, const char *context)
{
    for (size_t k = 0; k < n_fact_kinds; k++) {
        const struct fact_kind *kind = &fact_kinds[k];
        size_t kept = 0;

        for (size_t i = 0; kind->size && i < *kind_count(kind, paradigm); i++)
            if (!is_within(kind_item(kind, paradigm, i)->context, context))
                memmove(kind_item(kind, paradigm, kept++), kind_item(kind, paradigm, i),
                        kind->size);
        if (kind->size)
            *kind_count(kind, paradigm) = kept;
    }
}

/* How many names in the formula of METRIC are about a component, and whether COMPONENT is among
 * them. */
static size_t count_components(const struct metric *metric, const char *component, bool *is_named)
{
    size_t n = strlen(component), others = 0;
    const struct portolan_formula *formula = metric->formula.formula;

    for (size_t i = 0; formula && i < portolan_formula_n_names(formula); i++) {
        const char *name = portolan_formula_peek_name(formula, i);

        if (strncmp(name, component, n) == 0 && name[n] == '.')
            *is_named = true;
        else
            others += strchr(name, '.') != NULL;
    }
    return others;
}

static const struct metric *metric_of(const struct paradigm *paradigm, const struct node *node)
{
    for (size_t i = 0; i < paradigm->n_metrics; i++)
        if (strcmp(paradigm->metrics[i].item.context, node->item.context) == 0 &&
            strcmp(paradigm->metrics[i].item.local, node->metric_name) == 0)
            return &paradigm->metrics[i];
    return NULL;
}

/* The nodes that speak of COMPONENT: of it alone if there are such, else of it among others. */
static size_t nodes_about(struct portolan_arena *arena, const struct paradigm *paradigm,
                          size_t n_nodes, const struct component *component, const char ***names)
{
    size_t n = 0;

    for (int pass = 0; pass < 2 && !n; pass++)
        for (size_t i = 0; i < n_nodes; i++) {
            const struct node *node = &paradigm->nodes[i];
            const struct metric *metric = metric_of(paradigm, node);
            bool is_named = false;
            const char *name;

            if (!metric || strcmp(node->item.context, component->item.context) != 0 ||
                node->kind == NODE_CAUSE ||
                (count_components(metric, component->item.local, &is_named) && !pass) || !is_named)
                continue;
            name = portolan_arena_printf(arena, ".%s", node->item.name);
            portolan_arena_append(arena, names, &n, &name, sizeof name);
        }
    return n;
}

/* What of the guest was about the whole run is now about the component: its roots hang under the
   nodes about it, its shares of the run are shares of what these measure. */
static void bind_to_host(struct portolan_arena *arena, struct paradigm *host, const char *context,
                         const struct component *component, const char **under, size_t n_under)
{
    const char *base = "run";

    for (size_t i = 0; n_under && i < host->n_nodes; i++)
        if (strcmp(host->nodes[i].item.name, under[0] + 1) == 0)
            base = context_join(arena, host->nodes[i].item.context, host->nodes[i].metric_name);
    if (strcmp(base, "run") != 0)
        base = portolan_arena_printf(arena, ".%s", base);
    for (size_t i = 0; i < host->n_nodes; i++)
        if (is_within(host->nodes[i].item.context, context) && !host->nodes[i].n_under) {
            host->nodes[i].under = under;
            host->nodes[i].n_under = n_under;
            if (host->nodes[i].kind == NODE_SYMPTOM)
                host->nodes[i].kind = NODE_OBSERVATION;
        }
    for (size_t i = 0; i < host->n_metrics; i++)
        if (is_within(host->metrics[i].item.context, context) &&
            strcmp(host->metrics[i].base_name, "run") == 0)
            host->metrics[i].base_name = base ? base : "run";
    for (size_t i = 0; i < host->n_composed; i++)
        if (is_within(host->composed[i].item.context, context) &&
            strcmp(host->composed[i].metric_name, "run") == 0)
            host->composed[i].metric_name = base ? base : "run";
    for (size_t i = 0; i < host->n_components; i++)
        if (is_within(host->components[i].item.context, context) &&
            !*host->components[i].within_name)
            host->components[i].within_name =
                portolan_arena_printf(arena, ".%s", component->item.name);
}

void paradigm_nest(struct knowledge *knowledge, struct paradigm *host, const struct paradigm *guest,
                   const struct nest *nest, struct portolan_diagnostics *d)
{
    struct portolan_arena *arena = &knowledge->arena;
    const struct place *place = &nest->item.place;
    size_t at = kind_find_item(fact_kind_find("component"), host, nest->item.name), n,
           n_nodes = host->n_nodes;
    const struct component *component = at == HERCULE_NONE ? NULL : &host->components[at];
    const char **under = NULL;
    const char **known = portolan_arena_alloc(arena, host->n_components, sizeof *known);

    if (!component && known) {
        for (size_t i = 0; i < host->n_components; i++)
            known[i] = host->components[i].item.name;
        portolan_diagnose(
            d, place->file, place->line, place->column, "there is no component '%s'%s",
            nest->item.name,
            portolan_did_you_mean(portolan_nearest_word(nest->item.name, known, host->n_components))
                .text);
    }
    if (!component)
        return;
    remove_context(host, component->item.name);
    n_nodes = host->n_nodes;
    at = kind_find_item(fact_kind_find("component"), host, nest->item.name);
    n = nodes_about(arena, host, n_nodes, &host->components[at], &under);
    if (!n) {
        portolan_diagnose(d, place->file, place->line, place->column,
                          "no node of the tree is about '%s', so that of '%s' has no place there",
                          nest->item.name, nest->paradigm_name);
        return;
    }
    if (paradigm_add_in_context(arena, host, guest, host->components[at].item.name))
        bind_to_host(arena, host, host->components[at].item.name, &host->components[at], under, n);
}
