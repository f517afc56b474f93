/* SPDX-License-Identifier: BSD-3-Clause */
/* Has objects that were loaded call other functions than they were linked with: fortran.c. */
#ifndef PORTOLAN_MPI_REDIRECT_H
#define PORTOLAN_MPI_REDIRECT_H

#include <link.h>

/* Returns the function that OBJECT is to call in the place of NAME; NULL: leave it. */
typedef void *mpi_target_fn(const char *name);

__attribute__((visibility("hidden"))) void mpi_redirect_calls(const struct link_map *object,
                                                              mpi_target_fn *target_of);

#endif
