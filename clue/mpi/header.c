/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives generate.py MPICH's prototypes. */
#include <mpi.h>
