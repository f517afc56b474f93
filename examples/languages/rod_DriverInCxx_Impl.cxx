/* SPDX-License-Identifier: BSD-3-Clause */
/* DO-NOT-DELETE splicer.begin(rod.DriverInCxx._includes) */
#include <cstdio>
#include <numeric>
#include <vector>
#include "rod.hxx"
#include "portolan_ports.hxx"
/* DO-NOT-DELETE splicer.end(rod.DriverInCxx._includes) */
    /* DO-NOT-DELETE splicer.begin(rod.DriverInCxx.go) */
    const portolan::connected<::rod::Stepper> stepper(services_, "stepper");
    const portolan::connected<::portolan::ports::SwapPoint> swap(services_, "swap");
    const ::gov::cca::TypeMap parameters(portolan_component_properties(services_, portolan::check()));
    double r = parameters.getDouble("r", 0);
    std::vector<double> u(20000);

    u[0] = 1;
    swap.reached(0);
    for (int32_t step = 1; step <= 100; step++) {
        try {
            stepper.step(u.data(), 20000, r);
        } catch (const Unstable &) {
            r /= 2;
            stepper.step(u.data(), 20000, r);
        }
        swap.reached(step);
    }
    std::printf("C++: r %.1f, sum %.9f\n", r, std::accumulate(u.begin(), u.end(), 0.0));
    return 0;
    /* DO-NOT-DELETE splicer.end(rod.DriverInCxx.go) */
