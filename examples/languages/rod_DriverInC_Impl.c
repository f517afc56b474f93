/* SPDX-License-Identifier: BSD-3-Clause */
/* DO-NOT-DELETE splicer.begin(rod.DriverInC._includes) */
#include <portolan/framework.h>
#include <stdio.h>
#include <stdlib.h>
#include "rod.h"
/* DO-NOT-DELETE splicer.end(rod.DriverInC._includes) */
        /* DO-NOT-DELETE splicer.begin(rod.DriverInC.go) */
        enum { N = 20000 };
        gov_cca_Services services = rod_DriverInC__get_data(self)->services;
        rod_Stepper stepper = NULL;
        portolan_ports_SwapPoint swap = NULL;
        gov_cca_TypeMap parameters = NULL;
        double u[N] = {1}, r, sum = 0;

        parameters = portolan_component_properties(services, _ex);
        SIDL_CHECK(*_ex);
        r = gov_cca_TypeMap_getDouble(parameters, "r", 0, _ex);
        SIDL_CHECK(*_ex);
        stepper = portolan_port_get(services, "stepper", "rod.Stepper", _ex);
        SIDL_CHECK(*_ex);
        swap = portolan_port_get(services, "swap", "portolan.ports.SwapPoint", _ex);
        SIDL_CHECK(*_ex);
        portolan_ports_SwapPoint_reached(swap, 0, _ex);
        SIDL_CHECK(*_ex);
        for (int32_t step = 1; step <= 100; step++) {
            rod_Stepper_step(stepper, u, N, r, _ex);
            if (SIDL_CATCH(*_ex, "rod.Unstable")) {
                SIDL_CLEAR(*_ex)
                r /= 2;
                rod_Stepper_step(stepper, u, N, r, _ex);
            }
            SIDL_CHECK(*_ex);
            portolan_ports_SwapPoint_reached(swap, step, _ex);
            SIDL_CHECK(*_ex);
        }
        for (int i = 0; i < N; i++)
            sum += u[i];
        printf("C: r %.1f, sum %.9f\n", r, sum);
    EXIT:
        portolan_port_release(services, "stepper", stepper);
        portolan_port_release(services, "swap", swap);
        if (parameters)
            gov_cca_TypeMap_deleteRef(parameters, NULL);
        return *_ex ? -1 : 0;
        /* DO-NOT-DELETE splicer.end(rod.DriverInC.go) */
