/* SPDX-License-Identifier: BSD-3-Clause */
/** Bringing all ranks to the same verdict. */
#ifndef HEAT_AGREE_H
#define HEAT_AGREE_H

#include <mpi.h>
#include <portolan/base.h>

/**
 * Collective: when any rank fails, all return the status of the lowest failing rank and ERR gets
 * its text with "rank N: " in front (unless there is one rank).
 */
enum portolan_status heat_agree(MPI_Comm comm, enum portolan_status status,
                                struct portolan_error *err);

#endif
