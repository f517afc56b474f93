/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH's prototypes, for generate.py. */
#include <mpi.h>
