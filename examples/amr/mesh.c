/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * amr.Mesh: a mesh that is fine along a circle that grows and starts again, as the front of an
 * explosion. Its operations are those of section 5.1 of the paper.
 */
#include "amr.h"
#include "blocks.h"
#include "component.h"

#include <math.h>
#include <mpi.h>
#include <string.h>

enum { DATA, ORDER, WORK };

struct mesh {
    struct component base;
    struct amr_blocks blocks;
    double radius, cell; /* of the front, the side of the mesh is 1; seconds of work of a block */
    int levels;          /* of a mesh without a front, which is never refined; 0: there is one */
    bool is_begun;
};

/* A mesh that is as fine everywhere. False: no memory. */
static bool split_all(struct amr_blocks *b, int levels)
{
    bool ok = true;

    for (int at = 0; at < b->n && ok; at++)
        if (b->block[at].level < levels)
            ok = amr_split(b, at);
    return ok;
}

static void begin(struct mesh *m, sidl_BaseInterface *_ex)
{
    int rank, size;

    *_ex = NULL;
    if (m->is_begun)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    m->cell = component_parameter(&m->base, "work", 50e-6, _ex);
    SIDL_CHECK(*_ex);
    m->levels = (int)component_parameter(&m->base, "levels", 0, _ex);
    SIDL_CHECK(*_ex);
    m->radius = 0.1;
    if (!amr_blocks_begin(&m->blocks, rank, size) || !split_all(&m->blocks, m->levels))
        portolan_throw(_ex, PORTOLAN_ENOMEM, "amr.Mesh: no memory for a block");
    m->is_begun = !*_ex;
EXIT:;
}

/* Whether the front crosses the block: its corners lie on both sides, or it holds the centre. */
static bool is_on_front(const struct mesh *m, const struct amr_block *b)
{
    double side = 1.0 / (1 << b->level), near = INFINITY, far = 0;

    if (m->levels)
        return b->level < m->levels;
    for (int k = 0; k < 4; k++) {
        double r = hypot((b->i + k / 2) * side - 0.4, (b->j + k % 2) * side - 0.45);

        near = fmin(near, r);
        far = fmax(far, r);
    }
    return b->level < 2 || (near - side / 2 <= m->radius && m->radius <= far);
}

/* Collective: the flags of all blocks, where each rank knows those of its own. */
static void share_flags(struct amr_blocks *b)
{
    int mine[AMR_MAX_BLOCKS], all[AMR_MAX_BLOCKS];

    for (int at = 0; at < b->n; at++)
        mine[at] = b->block[at].is_used && b->block[at].owner == b->rank ? b->block[at].flag : 0;
    MPI_Allreduce(mine, all, b->n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int at = 0; at < b->n; at++)
        b->block[at].flag = all[at];
}

static void mesh_check_refinement(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;
    struct amr_blocks *b = &m->blocks;

    begin(m, _ex);
    if (*_ex)
        return;
    m->radius = m->radius > 0.5 ? 0.1 : m->radius + 0.01;
    for (int at = 0; at < b->n; at++) {
        struct amr_block *block = &b->block[at];

        block->flag = amr_is_leaf(block) && block->level < AMR_MAX_LEVEL && is_on_front(m, block);
    }
    share_flags(b);
}

/* All ranks agree on the tree that they have changed. */
static void connect(struct mesh *m, sidl_BaseInterface *_ex)
{
    amr_Data data = component_port(&m->base, DATA, _ex);

    if (!*_ex)
        amr_Data_connect(data, &m->blocks, _ex);
}

static void mesh_refine(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;

    *_ex = NULL;
    for (int at = 0, n = m->blocks.n; at < n && !*_ex; at++)
        if (m->blocks.block[at].is_used && m->blocks.block[at].flag && !amr_split(&m->blocks, at))
            portolan_throw(_ex, PORTOLAN_ENOMEM, "amr.Mesh: no memory for blocks");
    if (!*_ex)
        connect(m, _ex);
}

/* A parent's children go when all are leaves that the front has left. */
static bool may_join(const struct mesh *m, const struct amr_block *parent)
{
    for (int k = 0; k < 4 && !amr_is_leaf(parent); k++)
        if (!amr_is_leaf(&m->blocks.block[parent->child[k]]))
            return false;
    return !amr_is_leaf(parent) && parent->level >= 2 && !is_on_front(m, parent);
}

static void mesh_check_derefinement(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;

    *_ex = NULL;
    for (int at = 0; at < m->blocks.n; at++) {
        struct amr_block *block = &m->blocks.block[at];

        block->flag = block->is_used && may_join(m, block);
    }
    share_flags(&m->blocks);
}

/* Parents have the sums of their children since the last time that guard cells were filled. */
static void mesh_derefine(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;

    *_ex = NULL;
    for (int at = 0; at < m->blocks.n; at++)
        if (m->blocks.block[at].is_used && m->blocks.block[at].flag)
            amr_join(&m->blocks, at);
    connect(m, _ex);
}

static void mesh_balance(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;
    amr_Order order = component_port(&m->base, ORDER, _ex);

    SIDL_CHECK(*_ex);
    amr_Order_place(order, &m->blocks, _ex);
    SIDL_CHECK(*_ex);
    connect(m, _ex);
EXIT:;
}

static void mesh_prolong(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;
    amr_Data data = component_port(&m->base, DATA, _ex);

    if (!*_ex)
        amr_Data_prolong(data, &m->blocks, _ex);
}

static void mesh_fill_guard_cells(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;
    amr_Data data = component_port(&m->base, DATA, _ex);

    SIDL_CHECK(*_ex);
    amr_Data_restriction(data, &m->blocks, _ex);
    SIDL_CHECK(*_ex);
    amr_Data_connect(data, &m->blocks, _ex);
    SIDL_CHECK(*_ex);
    amr_Data_exchange(data, &m->blocks, _ex);
EXIT:;
}

static void mesh_advance(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;
    portolan_ports_Work work = component_port(&m->base, WORK, _ex);
    int n = 0;

    SIDL_CHECK(*_ex);
    for (int at = 0; at < m->blocks.n; at++) {
        struct amr_block *b = &m->blocks.block[at];

        if (!b->is_used || !b->cells || !amr_is_leaf(b))
            continue;
        n++;
        for (int c = 0; c < AMR_CELLS; c++)
            b->cells[c] = b->cells[c] * 3 + b->edge[c % 4];
    }
    portolan_ports_Work_consume(work, n * m->cell, _ex);
EXIT:;
}

static int64_t mesh_checksum(void *self, sidl_BaseInterface *_ex)
{
    struct mesh *m = self;
    unsigned long sum = 0, all = 0;

    *_ex = NULL;
    for (int at = 0; at < m->blocks.n; at++)
        for (int c = 0;
             m->blocks.block[at].cells && amr_is_leaf(&m->blocks.block[at]) && c < AMR_CELLS; c++)
            sum += m->blocks.block[at].cells[c];
    MPI_Allreduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    return (int64_t)all;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use uses[COMPONENT_USES] = {
        {"data", "amr.Data", NULL},
        {"order", "amr.Order", NULL},
        {"work", "portolan.ports.Work", NULL}};

    component_register(self, services, "mesh", "amr.Mesh", uses, _ex);
}

static void destroy(void *self)
{
    amr_blocks_end(&((struct mesh *)self)->blocks);
}

static const struct amr_Mesh__epv mesh_epv = {.f_checkRefinement = mesh_check_refinement,
                                              .f_refine = mesh_refine,
                                              .f_checkDerefinement = mesh_check_derefinement,
                                              .f_derefine = mesh_derefine,
                                              .f_balance = mesh_balance,
                                              .f_prolong = mesh_prolong,
                                              .f_fillGuardCells = mesh_fill_guard_cells,
                                              .f_advance = mesh_advance,
                                              .f_checksum = mesh_checksum};

PORTOLAN_COMPONENT_CLASS(amr_Mesh, "amr.Mesh", struct mesh, set_services, destroy,
                         {&amr_Mesh__type, &mesh_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});
