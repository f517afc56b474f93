/* SPDX-License-Identifier: BSD-3-Clause */
/* What can stand in the slots of a class: its contracts, those it inherits, and its hooks. */
#include <string.h>

#include "contract_internal.h"

bool guard_is_needed(const struct sidl_facet *facets, size_t n_facets)
{
    for (size_t i = 0; i < n_facets; i++)
        if (facets[i].type->n_checks)
            return true;
    return false;
}

bool guard_has_hooks(const struct sidl_class_state *state)
{
    for (size_t i = 0; state && i <= state->depth; i++)
        if (state->chain[i] && state->chain[i]->n_hooks)
            return true;
    return false;
}

static bool is_known(const struct sidl_guard *guard, const struct sidl_check *check)
{
    for (size_t i = 0; i < guard->n_links; i++)
        if (strcmp(guard->links[i].check->type->name, check->type->name) == 0 &&
            strcmp(guard->links[i].check->method, check->method) == 0)
            return true;
    return false;
}

/* The contracts of all types that the class has, those of parents first. */
static void gather_links(struct sidl_guard *guard)
{
    for (size_t i = guard->n_facets; i-- > 0;) {
        const struct sidl_type *type = guard->facets[i].type;
        const sidl_slot_fn *plain = guard->tables[guard->facets[i].table].plain;

        for (size_t k = 0; k < type->n_checks; k++) {
            const struct sidl_check *check = &type->checks[k];

            if (!check->link && plain[check->slot] && !is_known(guard, check))
                guard->links[guard->n_links++] = (struct sidl_check_link){
                    .check = check, .guard = guard, .plain = plain[check->slot]};
        }
    }
}

static size_t count_checks(const struct sidl_guard *guard)
{
    size_t n = 0;

    for (size_t i = 0; i < guard->n_facets; i++)
        n += guard->facets[i].type->n_checks;
    return n;
}

/*
 * The contracts of one method, in a row: same function, which in a class of SIDL has one purpose
 * only (perhaps under another name in an interface), in one written by hand also same name.
 */
static struct sidl_check_link *chain(struct sidl_guard *guard, const char *method,
                                     sidl_slot_fn plain, sidl_slot_fn hook)
{
    struct sidl_check_link *first = NULL, **end = &first;

    for (size_t i = 0; plain && i < guard->n_links; i++) {
        struct sidl_check_link *link = &guard->links[i];

        if (link->check->link || link->plain != plain ||
            (!guard->cls && strcmp(link->check->method, method) != 0))
            continue;
        link->next = NULL;
        link->hook = hook;
        *end = link;
        end = &link->next;
    }
    return first;
}

/* The wrapper of the class in the chain whose function it is. */
static sidl_slot_fn hook_of(const struct sidl_guard *guard, sidl_slot_fn plain)
{
    for (size_t i = 0; plain && i < guard->n_chain; i++) {
        const struct sidl_class *cls = guard->chain[i];

        for (size_t k = 0; cls && k < cls->n_hooks; k++)
            if (!cls->hooks[k].is_static &&
                ((const sidl_slot_fn *)cls->implements[0].epv)[cls->hooks[k].slot] == plain)
                return cls->hooks[k].wrapper;
    }
    return NULL;
}

static bool fill_cells(struct sidl_guard *guard)
{
    guard->cells = portolan_calloc(guard->n_tables, sizeof *guard->cells);
    for (size_t t = 0; guard->cells && t < guard->n_tables; t++) {
        const struct sidl_table *table = &guard->tables[t];

        guard->cells[t] = portolan_calloc(table->type->n_methods + 1, sizeof **guard->cells);
        if (!guard->cells[t])
            return false;
        for (size_t i = 0; i < table->type->n_methods; i++) {
            struct guard_cell *cell = &guard->cells[t][i];

            cell->hook = hook_of(guard, table->plain[i]);
            cell->link = chain(guard, table->type->methods[i].name, table->plain[i], cell->hook);
        }
    }
    return guard->cells != NULL;
}

/* Static methods belong to one class only. */
static bool fill_statics(struct sidl_guard *guard, const struct sidl_type *type)
{
    const struct sidl_class *cls = guard->cls;

    if (!cls || !cls->statics || !cls->n_statics)
        return true;
    guard->statics = cls->statics;
    guard->n_statics = cls->n_statics;
    guard->live_statics = portolan_calloc(cls->n_statics, sizeof *guard->live_statics);
    guard->static_cells = portolan_calloc(cls->n_statics, sizeof *guard->static_cells);
    if (!guard->live_statics || !guard->static_cells)
        return false;
    memcpy(guard->live_statics, cls->statics, cls->n_statics * sizeof *guard->live_statics);
    for (size_t i = 0; i < cls->n_hooks; i++)
        if (cls->hooks[i].is_static)
            guard->static_cells[cls->hooks[i].slot].hook = cls->hooks[i].wrapper;
    for (size_t i = 0; i < type->n_checks; i++) {
        const struct sidl_check *check = &type->checks[i];
        struct sidl_check_link *link = &guard->links[guard->n_links];

        if (!check->link)
            continue;
        *link = (struct sidl_check_link){.check = check,
                                         .guard = guard,
                                         .plain = guard->statics[check->slot],
                                         .hook = guard->static_cells[check->slot].hook};
        guard->static_cells[check->slot].link = link;
        guard->n_links++;
        __atomic_store_n(check->link, link, __ATOMIC_RELEASE);
    }
    return true;
}

bool guard_fill(struct sidl_guard *guard, const struct sidl_type *type)
{
    guard->links = portolan_calloc(count_checks(guard) + 1, sizeof *guard->links);
    if (!guard->links)
        return false;
    gather_links(guard);
    return fill_cells(guard) && fill_statics(guard, type);
}
