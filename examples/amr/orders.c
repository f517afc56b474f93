/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns which block: five answers. Leaves weigh twice as much as their parents. To place a block
 * costs `work` seconds.
 *  - Morton: contiguous pieces of the curve, so that children are near their parents and siblings.
 *  - Levels: each level on its own along the curve: all levels are balanced, but parents and
 * children part.
 *  - Scattered: one block to each rank in turn: neither levels nor siblings stay together.
 *  - Shuffled: to a rank by a hash of its turn: work is not even, either.
 *  - Strips: each rank has a strip of the mesh, however much work is in it.
 */
#include "amr.h"
#include "blocks.h"
#include "component.h"

enum { WORK };

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

static void place_morton(struct amr_blocks *b, const int *order, int n)
{
    cut(b, order, n, -1);
}

static void place_levels(struct amr_blocks *b, const int *order, int n)
{
    for (int level = 0; level <= AMR_MAX_LEVEL; level++)
        cut(b, order, n, level);
}

static void place_scattered(struct amr_blocks *b, const int *order, int n)
{
    for (int k = 0; k < n; k++)
        b->block[order[k]].next_owner = k % b->size;
}

static void place_shuffled(struct amr_blocks *b, const int *order, int n)
{
    for (int k = 0; k < n; k++)
        b->block[order[k]].next_owner = (int)((unsigned)k * 2654435761U >> 16) % b->size;
}

static void place_strips(struct amr_blocks *b, const int *order, int n)
{
    for (int k = 0; k < n; k++) {
        struct amr_block *block = &b->block[order[k]];

        block->next_owner = (2 * block->i + 1) * b->size / (2 << block->level);
    }
}

typedef void place_fn(struct amr_blocks *b, const int *order, int n);

static void place(struct component *c, struct amr_blocks *b, place_fn *by, sidl_BaseInterface *_ex)
{
    int order[AMR_MAX_BLOCKS], n = amr_curve(b, order);
    portolan_ports_Work port = component_port(c, WORK, _ex);
    double seconds;

    SIDL_CHECK(*_ex);
    seconds = component_parameter(c, "work", 0, _ex);
    SIDL_CHECK(*_ex);
    place_morton(b, order, n);
    for (int k = 0; k < n; k++)
        b->block[order[k]].curve_owner = b->block[order[k]].next_owner;
    by(b, order, n);
    portolan_ports_Work_consume(port, n * seconds, _ex);
EXIT:;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use uses[COMPONENT_USES] = {
        {"work", "portolan.ports.Work", NULL}};

    component_register(self, services, "order", "amr.Order", uses, _ex);
}

#define ORDER(NAME, PLACE)                                                                         \
    static void NAME##_place(void *self, void *blocks, sidl_BaseInterface *_ex)                    \
    {                                                                                              \
        place(self, blocks, PLACE, _ex);                                                           \
    }                                                                                              \
    static const struct amr_Order__epv NAME##_order_epv = {.f_place = NAME##_place};               \
    PORTOLAN_COMPONENT_CLASS(amr_##NAME, "amr." #NAME, struct component, set_services, NULL,       \
                             {&amr_Order__type, &NAME##_order_epv},                                \
                             {&gov_cca_ComponentRelease__type, &component_release_epv})

ORDER(Morton, place_morton);
ORDER(Levels, place_levels);
ORDER(Scattered, place_scattered);
ORDER(Shuffled, place_shuffled);
ORDER(Strips, place_strips);
