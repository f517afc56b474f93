/* SPDX-License-Identifier: BSD-3-Clause */
#include "compose.h"
#include "resolve.h"

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

bool context_is_within(const char *context, const char *outer)
{
    size_t n = strlen(outer);

    return strncmp(context, outer, n) == 0 && (!context[n] || context[n] == '.');
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

/* A full name, ".X", of what is composed already is one in the context now. */
static void move_full_names(struct portolan_arena *arena, const struct fact_kind *kind, char *item,
                            const char *context)
{
    for (const struct slot_kind *slot = kind->slots; slot < kind->slots + MOST_SLOTS && slot->name;
         slot++) {
        const char **names = slot->type == SLOT_NAMES ? *(const char ***)(item + slot->to)
                                                      : (const char **)(item + slot->to);
        size_t n =
            slot->type == SLOT_NAMES ? *(size_t *)(item + slot->more) : slot->type == SLOT_TEXT;
        const char **moved = n ? portolan_arena_alloc(arena, n, sizeof *moved) : NULL;

        for (size_t i = 0; moved && i < n; i++)
            moved[i] = names[i] && names[i][0] == '.'
                           ? portolan_arena_printf(arena, ".%s%s", context, names[i])
                           : names[i];
        if (moved && slot->type == SLOT_NAMES)
            *(const char ***)(item + slot->to) = moved;
        else if (moved)
            *names = moved[0];
    }
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
    move_full_names(arena, kind, (char *)item, context);
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

/* A paradigm that an heir nests instead of its parent's leaves nothing of the other behind. */
static void remove_context(struct paradigm *paradigm, const char *context)
{
    for (size_t k = 0; k < n_fact_kinds; k++) {
        const struct fact_kind *kind = &fact_kinds[k];
        size_t kept = 0;

        for (size_t i = 0; kind->size && i < *kind_count(kind, paradigm); i++)
            if (!context_is_within(kind_item(kind, paradigm, i)->context, context))
                memmove(kind_item(kind, paradigm, kept++), kind_item(kind, paradigm, i),
                        kind->size);
        if (kind->size)
            *kind_count(kind, paradigm) = kept;
    }
}

/* How often the formula of METRIC, and those of the metrics that it names, speak of a component. */
static void count_components(struct portolan_arena *arena, const struct paradigm *p,
                             const struct metric *metric, size_t component, int depth, size_t n[2])
{
    const struct portolan_formula *formula = metric->formula.formula;

    for (size_t i = 0; formula && depth && i < portolan_formula_n_names(formula); i++) {
        char *name = portolan_arena_strdup(arena, portolan_formula_peek_name(formula, i)), *dot;
        size_t at =
            name ? paradigm_find(arena, p, "metric", metric->item.context, name) : HERCULE_NONE;

        if (at != HERCULE_NONE)
            count_components(arena, p, &p->metrics[at], component, depth - 1, n);
        while (at == HERCULE_NONE && name && (dot = strrchr(name, '.'))) {
            *dot = 0;
            at = paradigm_find(arena, p, "component", metric->item.context, name);
            if (at != HERCULE_NONE)
                n[at == component]++;
        }
    }
}

/* The nodes that speak of COMPONENT: of it alone if there are such, else of it among others. */
static size_t nodes_about(struct portolan_arena *arena, const struct paradigm *p, size_t component,
                          const char ***names)
{
    size_t n_names = 0;

    for (int pass = 0; pass < 2 && !n_names; pass++)
        for (size_t i = 0; i < p->n_nodes; i++) {
            const struct node *node = &p->nodes[i];
            size_t metric =
                paradigm_find(arena, p, "metric", node->item.context, node->metric_name);
            size_t n[2] = {0, 0};
            const char *name;

            if (metric == HERCULE_NONE || node->kind == NODE_CAUSE)
                continue;
            count_components(arena, p, &p->metrics[metric], component, 16, n);
            if (!n[1] || (n[0] && !pass))
                continue;
            name = portolan_arena_printf(arena, ".%s", node->item.name);
            portolan_arena_append(arena, names, &n_names, &name, sizeof name);
        }
    return n_names;
}

/* What of the guest was about the whole run is now about the component: its roots hang under the
   nodes about it, its shares of the run are shares of what these measure. */
static void bind_to_host(struct portolan_arena *arena, struct paradigm *host, const char *context,
                         const char **under, size_t n_under)
{
    const char *base = "run";

    for (size_t i = 0; n_under && i < host->n_nodes; i++)
        if (strcmp(host->nodes[i].item.name, under[0] + 1) == 0)
            base = portolan_arena_printf(
                arena, ".%s",
                host->metrics[paradigm_find(arena, host, "metric", host->nodes[i].item.context,
                                            host->nodes[i].metric_name)]
                    .item.name);
    for (size_t i = 0; i < host->n_nodes; i++)
        if (context_is_within(host->nodes[i].item.context, context) && !host->nodes[i].n_under) {
            host->nodes[i].under = under;
            host->nodes[i].n_under = n_under;
            if (host->nodes[i].kind == NODE_SYMPTOM)
                host->nodes[i].kind = NODE_OBSERVATION;
        }
    for (size_t i = 0; i < host->n_metrics; i++)
        if (context_is_within(host->metrics[i].item.context, context) &&
            strcmp(host->metrics[i].base_name, "run") == 0)
            host->metrics[i].base_name = base ? base : "run";
    for (size_t i = 0; i < host->n_composed; i++)
        if (context_is_within(host->composed[i].item.context, context) &&
            strcmp(host->composed[i].metric_name, "run") == 0)
            host->composed[i].metric_name = base ? base : "run";
    for (size_t i = 0; i < host->n_components; i++)
        if (context_is_within(host->components[i].item.context, context) &&
            !*host->components[i].within_name)
            host->components[i].within_name = portolan_arena_printf(arena, ".%s", context);
}

void paradigm_nest(struct knowledge *knowledge, struct paradigm *host, const struct paradigm *guest,
                   const struct nest *nest, struct portolan_diagnostics *d)
{
    struct portolan_arena *arena = &knowledge->arena;
    const struct resolver r = {knowledge, host, d};
    size_t component = resolve_name(&r, "component", &nest->item, nest->item.name), n;
    const char *context;
    const char **under = NULL;

    if (component == HERCULE_NONE)
        return;
    context = host->components[component].item.name;
    remove_context(host, context);
    component = kind_find_item(fact_kind_find("component"), host, context);
    n = nodes_about(arena, host, component, &under);
    if (!n)
        portolan_diagnose(d, nest->item.place.file, nest->item.place.line, nest->item.place.column,
                          "no node of the tree is about '%s', so that of '%s' has no place there",
                          nest->item.name, nest->paradigm_name);
    else if (paradigm_add_in_context(arena, host, guest, context))
        bind_to_host(arena, host, context, under, n);
}
