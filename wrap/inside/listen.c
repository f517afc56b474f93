/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands from outside: libraries switched, measuring turned off and on, snapshots on demand. */
#include "inside.h"

void inside_listen(void)
{
}
