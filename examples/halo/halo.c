/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A relaxation on a ring of ranks, each with a block of rows. halo.Narrow exchanges one row with
 * both neighbours before each sweep. halo.Wide exchanges as many rows as there are sweeps, once,
 * and updates the rows of its neighbours itself as far as it needs them: fewer messages, more work.
 * Cells are integers, so that both give the same.
 */
#include "halo.h"
#include "component.h"
#include "steps.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 512, ROWS = 16, SWEEPS = 8, ALL = ROWS + 2 * SWEEPS };

typedef unsigned row[WIDTH];

struct relaxation {
    struct component base;
    row *now, *next; /* SWEEPS rows of the rank before, own ones, SWEEPS rows of the rank after */
};

/* ------------------------------------------------- what both do */

static void begin(struct relaxation *r, sidl_BaseInterface *_ex)
{
    int rank;

    *_ex = NULL;
    if (r->now)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    r->now = calloc(ALL, sizeof *r->now);
    r->next = calloc(ALL, sizeof *r->next);
    if (!r->now || !r->next) {
        portolan_throw(_ex, PORTOLAN_ENOMEM, "no memory for %d rows", ALL);
        return;
    }
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < WIDTH; k++)
            r->now[SWEEPS + i][k] = (unsigned)(31 * (rank * ROWS + i) + k);
}

/* Takes N rows from both neighbours, whose owners they border on. */
static void exchange(struct relaxation *r, int n)
{
    int rank, size, bytes = n * (int)sizeof(row);
    MPI_Request requests[4];
    MPI_Status statuses[4];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(r->now[SWEEPS - n], bytes, MPI_BYTE, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(r->now[SWEEPS + ROWS], bytes, MPI_BYTE, (rank + 1) % size, 2, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(r->now[SWEEPS], bytes, MPI_BYTE, (rank + size - 1) % size, 2, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(r->now[SWEEPS + ROWS - n], bytes, MPI_BYTE, (rank + 1) % size, 1, MPI_COMM_WORLD,
              &requests[3]);
    MPI_Waitall(4, requests, statuses);
}

/* Updates rows FIRST to LAST, less one, of which the neighbours are there. */
static void sweep(struct relaxation *r, int first, int last)
{
    row *before = r->now;

    for (int i = first; i < last; i++)
        for (int k = 0; k < WIDTH; k++)
            r->next[i][k] = 3 * before[i][k] + before[i - 1][k] + before[i + 1][k] +
                            before[i][(k + 1) % WIDTH] + before[i][(k + WIDTH - 1) % WIDTH];
    r->now = r->next;
    r->next = before;
}

/* ------------------------------------------------- many small messages */

static void narrow_advance(void *self, int32_t sweeps, sidl_BaseInterface *_ex)
{
    begin(self, _ex);
    for (int i = 0; i < sweeps && !*_ex; i++) {
        exchange(self, 1);
        sweep(self, SWEEPS, SWEEPS + ROWS);
    }
}

/* ------------------------------------------------- few large ones, and more work */

static void wide_advance(void *self, int32_t sweeps, sidl_BaseInterface *_ex)
{
    begin(self, _ex);
    for (int done = 0, n; done < sweeps && !*_ex; done += n) {
        n = sweeps - done < SWEEPS ? sweeps - done : SWEEPS;
        exchange(self, n);
        for (int i = 1; i <= n; i++)
            sweep(self, SWEEPS - n + i, SWEEPS + ROWS + n - i);
    }
}

/* ------------------------------------------------- classes */

static void narrow_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use none[COMPONENT_USES];

    component_register(self, services, "relaxation", "halo.Relaxation", none, _ex);
}

static void clear(void *self)
{
    struct relaxation *r = self;

    free(r->now);
    free(r->next);
}

static const struct halo_Relaxation__epv narrow_epv = {.f_advance = narrow_advance};
static const struct halo_Relaxation__epv wide_epv = {.f_advance = wide_advance};

PORTOLAN_COMPONENT_CLASS(halo_Narrow, "halo.Narrow", struct relaxation, narrow_set_services, clear,
                         {&halo_Relaxation__type, &narrow_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});
PORTOLAN_COMPONENT_CLASS(halo_Wide, "halo.Wide", struct relaxation, narrow_set_services, clear,
                         {&halo_Relaxation__type, &wide_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});

/* ------------------------------------------------- the driver */

static enum portolan_status prepare(struct steps *s, gov_cca_TypeMap properties,
                                    struct portolan_error *err)
{
    (void)s, (void)properties, (void)err;
    return PORTOLAN_OK;
}

static double step(struct steps *s, void *port, sidl_BaseInterface *_ex)
{
    (void)s;
    halo_Relaxation_advance(port, 20 * SWEEPS, _ex);
    return 0;
}

static void finish(struct steps *s)
{
    (void)s;
}

static const struct steps_kind kind = {.cls = STEPS_CLASS("halo.Driver", struct steps),
                                       .port = "relaxation",
                                       .type = "halo.Relaxation",
                                       .prepare = prepare,
                                       .step = step,
                                       .finish = finish};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return steps_create(&kind, _ex);
}

PORTOLAN_COMPONENT(halo_Driver, "halo.Driver", create);
