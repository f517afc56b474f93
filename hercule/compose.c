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
                     const char *kind, const char *context, const char *name)
{
    char *around = portolan_arena_strdup(arena, context), *dot;

    if (name[0] == '.')
        return paradigm_item(paradigm, kind, name + 1);
    while (around) {
        size_t at = paradigm_item(paradigm, kind, context_join(arena, around, name));

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

void paradigm_put(struct portolan_arena *arena, const struct fact_kind *kind,
                  struct paradigm *paradigm, const struct item *item)
{
    size_t at = kind_find_item(kind, paradigm, item->name);

    if (at == HERCULE_NONE)
        portolan_arena_append(arena, kind_list(kind, paradigm), kind_count(kind, paradigm), item,
                              kind->size);
    else
        memcpy(kind_item(kind, paradigm, at), item, kind->size);
}

/* Moves full names, ".X", of a composed paradigm into the context. */
static void move_full_names(struct portolan_arena *arena, const char **names, size_t n,
                            const char *context)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && names[i][0] == '.')
            names[i] = portolan_arena_printf(arena, ".%s%s", context, names[i]);
}

/* Returns a copy of ITEM with its name in CONTEXT. */
static struct item *item_in_context(struct portolan_arena *arena, const struct fact_kind *kind,
                                    const struct item *from, const char *context)
{
    char *item = portolan_arena_alloc(arena, 1, kind->size);
    struct item *head = (struct item *)item;

    if (!item)
        return NULL;
    memcpy(item, from, kind->size);
    head->context = *head->context ? context_join(arena, context, head->context) : context;
    head->name = context_join(arena, head->context, head->local);
    for (const struct slot_kind *slot = kind->slots; slot < kind->slots + MOST_SLOTS && slot->name;
         slot++) {
        const char ***names = (const char ***)(item + slot->to);
        size_t n = slot->type == SLOT_NAMES ? *(size_t *)(item + slot->more) : 0;
        const char **moved = portolan_arena_alloc(arena, n, sizeof *moved);

        if (slot->type == SLOT_TEXT)
            move_full_names(arena, (const char **)(item + slot->to), 1, context);
        if (!n || !moved)
            continue;
        memcpy(moved, *names, n * sizeof *moved);
        move_full_names(arena, moved, n, context);
        *names = moved;
    }
    return head;
}

void paradigm_add_in_context(struct portolan_arena *arena, struct paradigm *paradigm,
                             const struct paradigm *guest, const char *context)
{
    for (const struct fact_kind *kind = fact_kinds; kind < fact_kinds + n_fact_kinds; kind++)
        for (size_t i = 0; i < *kind_count(kind, guest); i++) {
            const struct item *from = kind_item(kind, guest, i);
            struct item *item = strcmp(from->origin, "base") == 0
                                    ? NULL
                                    : item_in_context(arena, kind, from, context);

            if (item)
                paradigm_put(arena, kind, paradigm, item);
        }
}

/* Removes a context: if an heir nests another paradigm, nothing of the parent's is left. */
static void remove_context(struct paradigm *paradigm, const char *context)
{
    for (const struct fact_kind *kind = fact_kinds; kind < fact_kinds + n_fact_kinds; kind++) {
        size_t kept = 0;

        for (size_t i = 0; i < *kind_count(kind, paradigm); i++)
            if (!context_is_within(kind_item(kind, paradigm, i)->context, context))
                memmove(kind_item(kind, paradigm, kept++), kind_item(kind, paradigm, i),
                        kind->size);
        *kind_count(kind, paradigm) = kept;
    }
}

/* Counts how often METRIC's formula, and those of the metrics in it, name a component. */
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

/* The place where the tree of a nested paradigm is attached. */
struct branch {
    const char **under; /* nodes */
    size_t n_under;
    const char *base; /* the metric that these nodes measure */
};

/* Finds the nodes about COMPONENT: about it alone if there are such, else about it among others. */
static struct branch branch_about(struct portolan_arena *arena, const struct paradigm *p,
                                  size_t component)
{
    struct branch branch = {0};

    for (int pass = 0; pass < 2 && !branch.n_under; pass++)
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
            if (!branch.n_under)
                branch.base = portolan_arena_printf(arena, ".%s", p->metrics[metric].item.name);
            name = portolan_arena_printf(arena, ".%s", node->item.name);
            portolan_arena_append(arena, &branch.under, &branch.n_under, &name, sizeof name);
        }
    return branch;
}

/* Binds a guest to the component: what was about the whole run is about the component then. The
 * guest's roots go under the nodes about it; its shares are of what these measure. */
static void bind_to_host(struct portolan_arena *arena, struct paradigm *host, const char *context,
                         const struct branch *branch)
{
    for (size_t i = 0; i < host->n_nodes; i++) {
        struct node *node = &host->nodes[i];

        if (!context_is_within(node->item.context, context) || node->n_under)
            continue;
        node->under = branch->under;
        node->n_under = branch->n_under;
        if (node->kind == NODE_SYMPTOM)
            node->kind = NODE_OBSERVATION;
    }
    for (size_t i = 0; i < host->n_metrics; i++)
        if (context_is_within(host->metrics[i].item.context, context) &&
            strcmp(host->metrics[i].base_name, "run") == 0)
            host->metrics[i].base_name = branch->base;
    for (size_t i = 0; i < host->n_composed; i++)
        if (context_is_within(host->composed[i].item.context, context) &&
            strcmp(host->composed[i].metric_name, "run") == 0)
            host->composed[i].metric_name = branch->base;
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
    size_t component = resolve_name(&r, "component", &nest->item, nest->item.name);
    const char *context;
    struct branch branch;

    if (component == HERCULE_NONE)
        return;
    context = host->components[component].item.name;
    remove_context(host, context);
    component = paradigm_item(host, "component", context);
    branch = branch_about(arena, host, component);
    if (!branch.n_under) {
        REPORT_AT(d, nest->item.place,
                  "no node of the tree is about '%s', so the tree of '%s' has no place there",
                  nest->item.name, nest->paradigm_name);
        return;
    }
    paradigm_add_in_context(arena, host, guest, context);
    if (!arena->failed)
        bind_to_host(arena, host, context, &branch);
}
