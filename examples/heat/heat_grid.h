/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The grid, cut into slabs: every rank owns some successive layers of the last dimension.
 *
 * Two kinds of vectors live on it. A *plain* one holds the unknowns of some layers, `layer` values
 * each. A *field* holds the nodes, boundary included, `padded_layer` values per layer, for the
 * owned layers and `margin` layers on either side, so that layer 0 of the owned ones is at field +
 * margin * padded_layer on all ranks; margins outside of the square or cube (but for the boundary
 * itself) are unused.
 */
#ifndef HEAT_GRID_H
#define HEAT_GRID_H

#include <mpi.h>

#include "heat_agree.h"
#include "heat_assemble.h"
#include "heat_problem.h"

struct heat_grid {
    MPI_Comm comm; /**< borrowed */
    int rank, size;
    int dimension, n;   /**< n interior points along each edge */
    double h;           /**< 1 / (n + 1) */
    int overlap;        /**< layers shared with each neighbour */
    int margin;         /**< overlap + 1 */
    int first, owned;   /**< layers first … first + owned − 1 (from 0) are this rank's */
    int begin, layers;  /**< the same with the overlap, cut off at the boundary */
    size_t layer;       /**< n^(dimension − 1) */
    size_t padded_line; /**< n + 2 */
    size_t padded_layer;
    size_t unknowns;   /**< owned * layer */
    size_t extended;   /**< layers * layer */
    size_t field_size; /**< (owned + 2 margin) * padded_layer */
};

/**
 * Cuts the grid. Errors: EINVAL when there are too many ranks, saying how many would do (all ranks
 * alike).
 */
enum portolan_status heat_grid_init(struct heat_grid *g, const struct heat_input *in, MPI_Comm comm,
                                    struct portolan_error *err);

/**
 * Collective. Fills WIDTH layers below and above the owned ones from the neighbours. OWNED points
 * to the first owned layer; layers are LAYER values.
 */
void heat_grid_exchange(const struct heat_grid *g, double *owned, size_t layer, int width);

/** Position of node (x, y, z) of the owned layer `l`; x and y count from 0 = the boundary. */
static inline size_t heat_grid_node(const struct heat_grid *g, int l, size_t within)
{
    return (size_t)(l + g->margin) * g->padded_layer + within;
}

/** The point in space of entry WITHIN of the owned layer L (negative: below), and whether it is
 * boundary. */
bool heat_grid_point(const struct heat_grid *g, int l, size_t within, double point[3]);

/** Between plain owned vectors and the interior of a field's owned layers. */
void heat_grid_to_field(const struct heat_grid *g, const double *plain, double *field);

/** field += plain, in the interior of the owned layers. */
void heat_grid_add_to_field(const struct heat_grid *g, const double *plain, double *field);

/**
 * y = A u on the owned layers, A as in heat_assemble.h on the whole grid. U is a field with one
 * valid layer around the owned ones (halo or boundary), K the conductivity there.
 */
void heat_grid_multiply(const struct heat_grid *g, double scale, const double *k, const double *u,
                        double *y);

/** The box of this rank's domain with its overlap; K is the field of conductivities. */
struct heat_box heat_grid_box(const struct heat_grid *g, double scale, const double *k);

#endif
