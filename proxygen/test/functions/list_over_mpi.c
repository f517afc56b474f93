/* SPDX-License-Identifier: BSD-3-Clause */
/* An implementation that calls no MPI itself but uses one that does. */
#include "headers/list.h"

extern int list_which(void);
int list_calls_own(void);

int list_calls_own(void)
{
    return list_which();
}
