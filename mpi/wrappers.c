/* SPDX-License-Identifier: BSD-3-Clause */
/* The watched routines (routines.list), and those that begin and end MPI, in lifecycle.c. */
#include "note.h"

#include <portolan/probe.h>

#include "mpi_wrappers.h"
