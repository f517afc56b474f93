/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the heat example share beyond cmocka. */
#ifndef HEAT_TEST_CHECK_H
#define HEAT_TEST_CHECK_H

#include <math.h>
#include <unit_test.h>

/* |A − B| ≤ TOLERANCE; false for NaN. */
#define assert_near(a, b, tolerance) check_near((a), (b), (tolerance), __FILE__, __LINE__)

static inline void check_near(double a, double b, double tolerance, const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%.17g is not within %g of %.17g\n", a, tolerance, b);
        _fail(file, line);
    }
}

#endif
