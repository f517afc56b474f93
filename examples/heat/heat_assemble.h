/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The matrix of one implicit time step on a box of grid points, in each of the three layouts:
 * A = I + scale · (sum over a point's 2·dimension faces of (k_face (u − u_neighbour))), where
 * k_face is the mean of the conductivities on both sides and points outside of the box are taken as
 * fixed.
 */
#ifndef HEAT_ASSEMBLE_H
#define HEAT_ASSEMBLE_H

#include "heat_matrix_data.h"

/** A box of nx·ny·nz unknowns, x running fastest; a plate has nz = 1 and no faces in z. */
struct heat_box {
    int dimension; /**< 2 or 3 */
    int nx, ny, nz;
    double scale; /**< time step / h² */
    /**
     * Conductivity at every point of the box and of one layer around it: (nx+2)(ny+2) values on a
     * plate, (nx+2)(ny+2)(nz+2) in a block. Borrowed.
     */
    const double *conductivity;
};

/** Number of unknowns; 0 when the box is empty or too large for int. */
int heat_box_order(const struct heat_box *box);

/** Number of conductivities that the box needs. */
size_t heat_box_nodes(const struct heat_box *box);

/** Each fills M (from {0} or any earlier use). Errors: EINVAL for an empty box, ENOMEM. */
enum portolan_status heat_assemble_csc(const struct heat_box *box, struct heat_matrix *m,
                                       struct portolan_error *err);
enum portolan_status heat_assemble_band(const struct heat_box *box, struct heat_matrix *m,
                                        struct portolan_error *err);
enum portolan_status heat_assemble_stencil(const struct heat_box *box, struct heat_matrix *m,
                                           struct portolan_error *err);

#endif
