/* SPDX-License-Identifier: BSD-3-Clause */
/* As much of another MPI as a component needs to be linked with it. Nobody calls it. */
#include <stdlib.h>

__attribute__((visibility("default"))) int PMPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    abort();
}

__attribute__((visibility("default"))) int MPI_Sendrecv(void)
{
    abort();
}
