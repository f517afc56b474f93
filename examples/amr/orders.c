/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns which block: three answers. Leaves weigh twice as much as their parents.
 *  - Morton: contiguous pieces of the curve, so that children are near their parents and siblings.
 *  - Levels: each level on its own along the curve: all levels are balanced, but parents and
 * children part.
 *  - Scattered: one block to each rank in turn: neither levels nor siblings stay together.
 */
#include "amr.h"
#include "blocks.h"
#include "component.h"

static int weight(const struct amr_block *b)
{
    return amr_is_leaf(b) ? 2 : 1;
}

/* Cuts the blocks of LEVEL (-1: all), as the curve visits them, into pieces of equal weight. */
static void cut(struct amr_blocks *b, const int *order, int n, int level)
{
    long total = 0, before = 0;

    for (int k = 0; k < n; k++)
        if (level < 0 || b->block[order[k]].level == level)
            total += weight(&b->block[order[k]]);
    for (int k = 0; k < n; k++) {
        struct amr_block *block = &b->block[order[k]];

        if (level >= 0 && block->level != level)
            continue;
        block->next_owner = (int)(before * b->size / total);
        before += weight(block);
    }
}

static void place_morton(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    int order[AMR_MAX_BLOCKS];

    (void)self, *_ex = NULL;
    cut(blocks, order, amr_curve(blocks, order), -1);
}

static void place_levels(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    int order[AMR_MAX_BLOCKS], n = amr_curve(blocks, order);

    (void)self, *_ex = NULL;
    for (int level = 0; level <= AMR_MAX_LEVEL; level++)
        cut(blocks, order, n, level);
}

static void place_scattered(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    struct amr_blocks *b = blocks;
    int order[AMR_MAX_BLOCKS], n = amr_curve(b, order);

    (void)self, *_ex = NULL;
    for (int k = 0; k < n; k++)
        b->block[order[k]].next_owner = k % b->size;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    component_register(self, services, "order", "amr.Order",
                       (struct component_use[COMPONENT_USES]){{0}}, _ex);
}

#define ORDER(NAME, PLACE)                                                                         \
    static const struct amr_Order__epv NAME##_order_epv = {.f_place = PLACE};                      \
    PORTOLAN_COMPONENT_CLASS(amr_##NAME, "amr." #NAME, struct component, set_services, NULL,       \
                             {&amr_Order__type, &NAME##_order_epv},                                \
                             {&gov_cca_ComponentRelease__type, &component_release_epv})

ORDER(Morton, place_morton);
ORDER(Levels, place_levels);
ORDER(Scattered, place_scattered);
