/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_assemble.h"

#include <limits.h>
#include <string.h>

int heat_box_order(const struct heat_box *box)
{
    long long order;

    if (box->nx < 1 || box->ny < 1 || box->nz < 1)
        return 0;
    order = (long long)box->nx * box->ny;
    if (order > INT_MAX / 8)
        return 0;
    order *= box->nz;
    return order > INT_MAX / 8 ? 0 : (int)order;
}

size_t heat_box_nodes(const struct heat_box *box)
{
    size_t plate = (size_t)(box->nx + 2) * (size_t)(box->ny + 2);

    return box->dimension == 2 ? plate : plate * (size_t)(box->nz + 2);
}

/* One point's row: the diagonal and the coupling to the next point in x, y and z (0 at the rim). */
struct row {
    double diagonal;
    double next[3];
};

/* Steps to the next point in x, y and z: among the unknowns and among the nodes. */
struct steps {
    int dimension;
    int unknown[3];
    ptrdiff_t node[3];
};

static struct steps steps_of(const struct heat_box *box)
{
    return (struct steps){.dimension = box->dimension,
                          .unknown = {1, box->nx, box->nx * box->ny},
                          .node = {1, box->nx + 2, (ptrdiff_t)(box->nx + 2) * (box->ny + 2)}};
}

static inline struct row row_at(const struct heat_box *box, const struct steps *s, int x, int y,
                                int z)
{
    ptrdiff_t at = (x + 1) + (y + 1) * s->node[1] + (s->dimension == 3 ? (z + 1) * s->node[2] : 0);
    const double *k = box->conductivity + at;
    bool inside[3] = {x + 1 < box->nx, y + 1 < box->ny, z + 1 < box->nz};
    struct row row = {.diagonal = 1.0};

    for (int d = 0; d < s->dimension; d++) {
        double below = 0.5 * box->scale * (k[0] + k[-s->node[d]]);
        double above = 0.5 * box->scale * (k[0] + k[s->node[d]]);

        row.diagonal += below + above;
        row.next[d] = inside[d] ? -above : 0.0;
    }
    return row;
}

static enum portolan_status prepare(const struct heat_box *box, int *order,
                                    struct portolan_error *err)
{
    *order = heat_box_order(box);
    if (!*order)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a box of %d x %d x %d points has no unknowns or too many",
                                  box->nx, box->ny, box->nz);
    return PORTOLAN_OK;
}

enum portolan_status heat_assemble_csc(const struct heat_box *box, struct heat_matrix *m,
                                       struct portolan_error *err)
{
    struct steps steps;
    int order, column = 0, count = 0;
    enum portolan_status status = prepare(box, &order, err);

    if (!status)
        status = heat_matrix_reserve(m, HEAT_CSC, order,
                                     (size_t)order * (size_t)(box->dimension + 1), err);
    if (status)
        return status;
    steps = steps_of(box);
    for (int z = 0; z < box->nz; z++)
        for (int y = 0; y < box->ny; y++)
            for (int x = 0; x < box->nx; x++, column++) {
                struct row row = row_at(box, &steps, x, y, z);

                m->column_start[column] = count;
                m->row[count] = column;
                m->value[count++] = row.diagonal;
                for (int d = 0; d < box->dimension; d++)
                    if (row.next[d] != 0.0) {
                        m->row[count] = column + steps.unknown[d];
                        m->value[count++] = row.next[d];
                    }
            }
    m->column_start[order] = count;
    return PORTOLAN_OK;
}

enum portolan_status heat_assemble_band(const struct heat_box *box, struct heat_matrix *m,
                                        struct portolan_error *err)
{
    struct steps steps;
    int order, column = 0;
    size_t lead;
    enum portolan_status status = prepare(box, &order, err);

    if (status)
        return status;
    steps = steps_of(box);
    m->bandwidth = steps.unknown[box->dimension - 1];
    if (m->bandwidth > order - 1)
        m->bandwidth = order - 1;
    lead = (size_t)m->bandwidth + 1;
    status = heat_matrix_reserve(m, HEAT_BAND, order, lead * (size_t)order, err);
    if (status)
        return status;
    memset(m->value, 0, lead * (size_t)order * sizeof *m->value);
    for (int z = 0; z < box->nz; z++)
        for (int y = 0; y < box->ny; y++)
            for (int x = 0; x < box->nx; x++, column++) {
                struct row row = row_at(box, &steps, x, y, z);
                double *value = m->value + (size_t)column * lead;

                value[0] = row.diagonal;
                for (int d = 0; d < box->dimension; d++)
                    if (row.next[d] != 0.0)
                        value[steps.unknown[d]] = row.next[d];
            }
    return PORTOLAN_OK;
}

enum portolan_status heat_assemble_stencil(const struct heat_box *box, struct heat_matrix *m,
                                           struct portolan_error *err)
{
    struct steps steps;
    int order, point = 0;
    enum portolan_status status = prepare(box, &order, err);

    if (!status)
        status = heat_matrix_reserve(m, HEAT_STENCIL, order,
                                     (size_t)order * (size_t)(box->dimension + 1), err);
    if (status)
        return status;
    steps = steps_of(box);
    m->diagonals = box->dimension + 1;
    m->offset[0] = 0;
    for (int d = 0; d < box->dimension; d++)
        m->offset[d + 1] = steps.unknown[d];
    for (int z = 0; z < box->nz; z++)
        for (int y = 0; y < box->ny; y++)
            for (int x = 0; x < box->nx; x++, point++) {
                struct row row = row_at(box, &steps, x, y, z);

                m->value[point] = row.diagonal;
                for (int d = 0; d < box->dimension; d++)
                    m->value[(size_t)(d + 1) * (size_t)order + (size_t)point] = row.next[d];
            }
    return PORTOLAN_OK;
}
