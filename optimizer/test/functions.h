/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The paper's components, linked into the test: driver (class test.Driver), a (test.A1 2x, test.A2
 * x^2), b (test.B1 x^3, test.B2 2x^2, test.B3, the quickest, which may fail). Seconds of the manual
 * clock.
 */
#ifndef PORTOLAN_TEST_FUNCTIONS_H
#define PORTOLAN_TEST_FUNCTIONS_H

#include <portolan/framework.h>

enum { MOST_STEPS = 64 };

/* What the driver is to do, and what was seen of it. */
extern struct script {
    const double *course;   /* x of each step; NULL: the parameter x in all */
    bool announces;         /* x, before each step */
    bool b3_fails_to_start; /* setServices throws */
    bool b3_fails;          /* evaluate throws */
    int b1_slow_from;       /* B1 takes three times as long from this step on; 0: never */

    char ran[MOST_STEPS][3]; /* "A1B2": numbers of the classes in each step, as "12" */
    int steps;
    int repeated; /* steps begun again after failed() said so */
    struct portolan_error error;
} script;

enum portolan_status functions_register(struct portolan_palette *palette,
                                        struct portolan_error *err);

#endif
