/* SPDX-License-Identifier: BSD-3-Clause */
/* A module: nobody but itself is linked with the library that it calls. */
#include "calc.h"

__attribute__((visibility("default"))) void module_work(int times)
{
    const double x[4] = {1, 2, 3, 4};

    for (int i = 0; i < times; i++)
        calc_sum(4, x);
}
