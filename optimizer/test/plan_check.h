/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of plans share. Include cmocka.h before. */
#ifndef PORTOLAN_TEST_PLAN_CHECK_H
#define PORTOLAN_TEST_PLAN_CHECK_H

#include <math.h>
#include <portolan/optimizer.h>

static inline void assert_near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fabs(b)))
        fail_msg("%.9g is not within %g of %.9g", a, relative, b);
}

/* The plan of A by the trials of SET, for RANKS. */
static inline struct portolan_plan *plan_or_fail(const struct portolan_assembly *a,
                                                 const struct portolan_sample_set *set, int ranks)
{
    const struct portolan_plan_options options = {.ranks = ranks};
    struct portolan_error err = {0};
    struct portolan_plan *p = NULL;

    if (portolan_plan_create(a, set, &options, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

#endif
