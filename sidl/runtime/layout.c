/* SPDX-License-Identifier: BSD-3-Clause */
/* Which entry-point tables a class needs for all its types, and which of them serves which type. */
#include <string.h>

#include "runtime_internal.h"

static bool is_prefix(const struct sidl_type *type, const struct sidl_type *of)
{
    if (type->n_methods > of->n_methods)
        return false;
    for (size_t i = 0; i < type->n_methods; i++)
        if (strcmp(type->methods[i].name, of->methods[i].name) != 0)
            return false;
    return true;
}

static void measure(const struct sidl_type *type, const struct sidl_type *given, struct need *need)
{
    need->facets++;
    if (!is_prefix(type, given))
        need->slots += type->n_methods;
    for (size_t i = 0; i < type->n_parents; i++)
        measure(type->parents[i], given, need);
}

struct need layout_measure(const struct sidl_implements *implements, size_t n)
{
    struct need need = {.facets = 1}; /* sidl.BaseInterface */

    for (size_t i = 0; i < n; i++)
        measure(implements[i].type, implements[i].type, &need);
    return need;
}

const struct sidl_facet *layout_find(const struct sidl_facet *facets, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(facets[i].type->name, name) == 0)
            return &facets[i];
    return NULL;
}

size_t layout_slot(const struct sidl_type *type, const char *method)
{
    size_t i = 0;

    while (i < type->n_methods && strcmp(type->methods[i].name, method) != 0)
        i++;
    return i;
}

static void add_facet(struct layout *layout, const struct sidl_type *type, size_t table)
{
    layout->facets[layout->n_facets++] = (struct sidl_facet){type, table};
}

static size_t add_table(struct layout *layout, const void *epv)
{
    if (layout->n_tables == 0)
        layout->own = epv;
    else
        layout->others[layout->n_tables - 1].d_epv = epv;
    return layout->n_tables++;
}

/* The slots of TYPE, picked by name from the table of a type that inherits it. */
static const void *derive(struct layout *layout, const struct sidl_type *type,
                          const struct sidl_implements *given)
{
    const sidl_slot_fn *slots = given->epv;
    sidl_slot_fn *epv = layout->free_slots;

    layout->free_slots += type->n_methods;
    for (size_t i = 0; i < type->n_methods; i++) {
        const size_t at = layout_slot(given->type, type->methods[i].name);

        epv[i] = at < given->type->n_methods ? slots[at] : NULL;
    }
    return epv;
}

static void add_parents(struct layout *layout, const struct sidl_type *type,
                        const struct sidl_implements *given, size_t table)
{
    for (size_t i = 0; i < type->n_parents; i++) {
        const struct sidl_type *parent = type->parents[i];

        if (layout_find(layout->facets, layout->n_facets, parent->name))
            continue;
        add_facet(layout, parent,
                  is_prefix(parent, given->type)
                      ? table
                      : add_table(layout, derive(layout, parent, given)));
        add_parents(layout, parent, given, table);
    }
}

void layout_build(struct layout *layout, const struct sidl_implements *implements, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!layout_find(layout->facets, layout->n_facets, implements[i].type->name))
            add_facet(layout, implements[i].type, add_table(layout, implements[i].epv));
    if (!layout_find(layout->facets, layout->n_facets, sidl_BaseInterface__type.name))
        add_facet(layout, &sidl_BaseInterface__type, 0);
    for (size_t i = 0; i < n; i++)
        add_parents(layout, implements[i].type, &implements[i],
                    layout_find(layout->facets, layout->n_facets, implements[i].type->name)->table);
}
