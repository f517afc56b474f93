/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The components of this example. Bulges go from rank to rank; each round, all ranks update their
 * own blocks of a row, which go round the ranks.
 */
#include "chase.h"
#include "component.h"
#include "steps.h"

#include <mpi.h>

enum { LENGTH = 512, BULGE = 1, EDGE };

typedef unsigned long number;

struct place {
    int rank, size;
};

static struct place place(void)
{
    struct place at;

    MPI_Comm_rank(MPI_COMM_WORLD, &at.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &at.size);
    return at;
}

/* Of work of which each rank has as much in the mean, what this one has if HEAVY has FACTOR times
   what any other has. */
static double part(struct place at, int heavy, double factor)
{
    return (at.rank == heavy ? factor : 1) * at.size / (at.size - 1 + factor);
}

/* ------------------------------------------------- the pipeline */

struct pipeline {
    struct component base;
    number bulge[LENGTH];
    double seconds, slow; /* of a move; the last rank's takes so many times as long as others' */
    bool is_configured, is_sending;
    MPI_Request sent;
};

static void pipeline_finish(void *self, sidl_BaseInterface *_ex)
{
    struct pipeline *p = self;

    *_ex = NULL;
    if (p->is_sending)
        MPI_Wait(&p->sent, MPI_STATUS_IGNORE);
    p->is_sending = false;
}

static void pipeline_receive(void *self, int32_t bulge, sidl_BaseInterface *_ex)
{
    struct pipeline *p = self;
    struct place at = place();

    (void)bulge;
    pipeline_finish(self, _ex);
    if (at.rank > 0)
        MPI_Recv(p->bulge, LENGTH, MPI_UNSIGNED_LONG, at.rank - 1, BULGE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void configure(struct pipeline *p, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (p->is_configured)
        return;
    p->seconds = component_parameter(&p->base, "seconds", 2e-4, _ex);
    if (!*_ex)
        p->slow = component_parameter(&p->base, "slow", 1, _ex);
    p->is_configured = !*_ex;
}

static void pipeline_move(void *self, int32_t bulge, sidl_BaseInterface *_ex)
{
    struct pipeline *p = self;
    struct place at = place();
    portolan_ports_Work work = component_port(&p->base, 0, _ex);

    SIDL_CHECK(*_ex);
    configure(p, _ex);
    SIDL_CHECK(*_ex);
    for (int i = 0; i < LENGTH; i++)
        p->bulge[i] = p->bulge[i] * 31 + (number)(bulge + i);
    portolan_ports_Work_consume(work, p->seconds * part(at, at.size - 1, p->slow), _ex);
EXIT:;
}

static void pipeline_send(void *self, int32_t bulge, sidl_BaseInterface *_ex)
{
    struct pipeline *p = self;
    struct place at = place();

    (void)bulge, *_ex = NULL;
    if (at.rank == at.size - 1)
        return;
    MPI_Isend(p->bulge, LENGTH, MPI_UNSIGNED_LONG, at.rank + 1, BULGE, MPI_COMM_WORLD, &p->sent);
    p->is_sending = true;
}

static void pipeline_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use uses[COMPONENT_USES] = {
        {"work", "portolan.ports.Work", NULL}};

    component_register(self, services, "pipeline", "chase.Pipeline", uses, _ex);
}

static const struct chase_Pipeline__epv pipeline_epv = {.f_receive = pipeline_receive,
                                                        .f_move = pipeline_move,
                                                        .f_send = pipeline_send,
                                                        .f_finish = pipeline_finish};

PORTOLAN_COMPONENT_CLASS(chase_Pipeline, "chase.Pipeline", struct pipeline, pipeline_set_services,
                         NULL, {&chase_Pipeline__type, &pipeline_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});

/* ------------------------------------------------- the decomposition */

struct blocks {
    struct component base;
    number edge[4][LENGTH]; /* to and from the rank before, and the rank after */
    double seconds, uneven; /* of updating a block; rank 0 takes so many times as long as others */
    double n;               /* blocks in a row, as many for each rank */
    bool is_configured;
};

static void blocks_exchange(void *self, int32_t row, sidl_BaseInterface *_ex)
{
    struct blocks *b = self;
    struct place at = place();
    int before = (at.rank + at.size - 1) % at.size, after = (at.rank + 1) % at.size;
    MPI_Request requests[4];

    (void)row, *_ex = NULL;
    if (at.size == 1)
        return;
    MPI_Irecv(b->edge[1], LENGTH, MPI_UNSIGNED_LONG, before, EDGE, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(b->edge[3], LENGTH, MPI_UNSIGNED_LONG, after, EDGE + 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(b->edge[0], LENGTH, MPI_UNSIGNED_LONG, before, EDGE + 1, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(b->edge[2], LENGTH, MPI_UNSIGNED_LONG, after, EDGE, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void configure_blocks(struct blocks *b, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (b->is_configured)
        return;
    b->seconds = component_parameter(&b->base, "seconds", 2e-5, _ex);
    SIDL_CHECK(*_ex);
    b->uneven = component_parameter(&b->base, "uneven", 1, _ex);
    SIDL_CHECK(*_ex);
    b->n = component_parameter(&b->base, "blocks", 32, _ex);
EXIT:
    b->is_configured = !*_ex;
}

static void blocks_update(void *self, int32_t row, sidl_BaseInterface *_ex)
{
    struct blocks *b = self;
    struct place at = place();
    portolan_ports_Work work = component_port(&b->base, 0, _ex);

    SIDL_CHECK(*_ex);
    configure_blocks(b, _ex);
    SIDL_CHECK(*_ex);
    for (int i = 0; i < LENGTH; i++) {
        b->edge[0][i] = b->edge[0][i] * 17 + b->edge[3][i] + (number)(row + i);
        b->edge[2][i] = b->edge[2][i] * 13 + b->edge[1][i] + (number)i;
    }
    portolan_ports_Work_consume(work, b->n / at.size * b->seconds * part(at, 0, b->uneven), _ex);
EXIT:;
}

static void blocks_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use uses[COMPONENT_USES] = {
        {"work", "portolan.ports.Work", NULL}};

    component_register(self, services, "blocks", "chase.Blocks", uses, _ex);
}

static const struct chase_Blocks__epv blocks_epv = {.f_exchange = blocks_exchange,
                                                    .f_update = blocks_update};

PORTOLAN_COMPONENT_CLASS(chase_Blocks, "chase.Blocks", struct blocks, blocks_set_services, NULL,
                         {&chase_Blocks__type, &blocks_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});

/* ------------------------------------------------- the kernel, which weaves both */

enum { PIPELINE, BLOCKS };

struct kernel {
    struct component base;
    int bulges; /* in a sweep */
};

/* BULGE passes this rank, unless that is negative; then comes what all ranks do. */
static void do_round(chase_Pipeline pipeline, chase_Blocks blocks, int round, int bulge,
                     sidl_BaseInterface *_ex)
{
    if (bulge >= 0) {
        chase_Pipeline_receive(pipeline, bulge, _ex);
        SIDL_CHECK(*_ex);
        chase_Pipeline_move(pipeline, bulge, _ex);
        SIDL_CHECK(*_ex);
        chase_Pipeline_send(pipeline, bulge, _ex);
        SIDL_CHECK(*_ex);
    }
    chase_Blocks_exchange(blocks, round, _ex);
    SIDL_CHECK(*_ex);
    chase_Blocks_update(blocks, round, _ex);
EXIT:;
}

static void kernel_sweep(void *self, sidl_BaseInterface *_ex)
{
    struct kernel *k = self;
    struct place at = place();
    chase_Pipeline pipeline = component_port(&k->base, PIPELINE, _ex);
    chase_Blocks blocks;

    SIDL_CHECK(*_ex);
    blocks = component_port(&k->base, BLOCKS, _ex);
    SIDL_CHECK(*_ex);
    if (!k->bulges)
        k->bulges = (int)component_parameter(&k->base, "bulges", 100, _ex);
    SIDL_CHECK(*_ex);
    for (int round = 0; round < k->bulges + at.size - 1; round++) {
        int bulge = round - at.rank;

        do_round(pipeline, blocks, round, bulge < k->bulges ? bulge : -1, _ex);
        SIDL_CHECK(*_ex);
    }
    chase_Pipeline_finish(pipeline, _ex);
EXIT:;
}

static void kernel_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use uses[COMPONENT_USES] = {{"pipeline", "chase.Pipeline", NULL},
                                                              {"blocks", "chase.Blocks", NULL}};

    component_register(self, services, "kernel", "chase.Kernel", uses, _ex);
}

static const struct chase_Kernel__epv kernel_epv = {.f_sweep = kernel_sweep};

PORTOLAN_COMPONENT_CLASS(chase_Kernel, "chase.Kernel", struct kernel, kernel_set_services, NULL,
                         {&chase_Kernel__type, &kernel_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});

/* ------------------------------------------------- the driver: a sweep in each step */

static enum portolan_status prepare(struct steps *s, gov_cca_TypeMap properties,
                                    struct portolan_error *err)
{
    (void)s, (void)properties, (void)err;
    return PORTOLAN_OK;
}

static double step(struct steps *s, void *port, sidl_BaseInterface *_ex)
{
    (void)s;
    chase_Kernel_sweep(port, _ex);
    return 0;
}

static void finish(struct steps *s)
{
    (void)s;
}

static const struct steps_kind kind = {.cls = STEPS_CLASS("chase.Driver", struct steps),
                                       .port = "kernel",
                                       .type = "chase.Kernel",
                                       .prepare = prepare,
                                       .step = step,
                                       .finish = finish};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return steps_create(&kind, _ex);
}

PORTOLAN_COMPONENT(chase_Driver, "chase.Driver", create);
