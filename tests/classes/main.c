/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "tank.h"

int main(void)
{
    sidl_BaseInterface ex = NULL;
    tank_Vessel vessels[2] = {NULL, NULL};
    tank_Tank tank = tank_Tank__create(&ex);
    tank_Leaky leaky = ex ? NULL : tank_Leaky__create(&ex);

    SIDL_CHECK(ex);
    vessels[0] = tank_Vessel__cast(tank, &ex);
    vessels[1] = tank_Vessel__cast(leaky, &ex);
    for (int i = 0; i < 2; i++) {
        tank_Vessel_fill(vessels[i], 100, &ex);
        SIDL_CHECK(ex);
        printf("%g\n", tank_Vessel_getLevel(vessels[i], &ex));
    }
EXIT:
    tank_Vessel_deleteRef(vessels[0], NULL);
    tank_Vessel_deleteRef(vessels[1], NULL);
    tank_Tank_deleteRef(tank, NULL);
    tank_Leaky_deleteRef(leaky, NULL);
    return ex != NULL;
}
