/* SPDX-License-Identifier: BSD-3-Clause */
/** operation: reduction operations, built in and made by the program. */
#ifndef CLUE_MPI_OPERATION_H
#define CLUE_MPI_OPERATION_H

#include "internal.h"

#pragma GCC visibility push(hidden)

typedef void operation_cxx_fn(const void *in, void *inout, int count, MPI_Datatype type,
                              MPI_User_function *function);

struct mpi_op {
    MPI_Op handle;
    uint32_t refs;
    bool is_builtin, is_commutative;
    MPI_User_function *function;
    MPI_User_function_c *function_c;
    operation_cxx_fn *cxx; /**< calls a FUNCTION of C++ */
};

/** Returns MPI_SUCCESS, or mpi_error() if OP is not defined for TYPE. */
int operation_check(struct mpi_task *t, const struct mpi_op *op, const struct mpi_type *type);
/** Computes INOUT = IN op INOUT for COUNT elements; also MPI_REPLACE and MPI_NO_OP. */
void operation_apply(struct mpi_task *t, const struct mpi_op *op, void *in, void *inout,
                     MPI_Count count, struct mpi_type *type);
/** Creates an operation of the program: FUNCTION or FUNCTION_C. Returns MPI_SUCCESS. */
int operation_create(struct mpi_task *t, MPI_User_function *function,
                     MPI_User_function_c *function_c, int is_commutative, MPI_Op *handle);
void operation_retain(struct mpi_op *op);
void operation_release(struct mpi_op *op); /**< NULL is legal */

#pragma GCC visibility pop

#endif
