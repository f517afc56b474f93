/* SPDX-License-Identifier: BSD-3-Clause */
        /* DO-NOT-DELETE splicer.begin(rod.InC.step) */
        double left = u[0];

        if (r > 0.5)
            SIDL_THROW(*_ex, rod_Unstable, "r is above 0.5");
        for (int32_t i = 1; i < n - 1; i++) {
            const double old = u[i];

            u[i] = old + r * (left - 2 * old + u[i + 1]);
            left = old;
        }
    EXIT:;
        /* DO-NOT-DELETE splicer.end(rod.InC.step) */
