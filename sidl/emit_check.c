/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

void check_emittable(const struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    (void)model;
    (void)d;
}
