/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a program are chosen well where options interact, fail, and change places with
 * size: the short form of bench/bench_options.c. */
#include <unit_test.h>

#include "replay.h"

#include <math.h>
#include <stdlib.h>

/* Replays with a fifth of the grid's time. The choice has to be within 5 % of the best; if it is
 * not sure, which is then said, it may be FAR from it. */
static void choose_under(struct disturbance d, double far)
{
    struct table t;
    bool sure;
    double over;

    table_make(&t);
    over = replay_tune(&t, &d, 0.2 * table_grid_s(&t), &sure);
    if (!(over <= (sure ? 1.05 : far)))
        fail_msg("seed %d: %.3g times the best", d.seed, over);
    free(t.rows);
}

static void a_quiet_machine_gives_the_best(void **state)
{
    choose_under((struct disturbance){.seed = 1, .noise = 0.001}, 1);
}

static void noise_outliers_and_drift_do_not_mislead(void **state)
{
    choose_under((struct disturbance){.seed = 2, .noise = 0.03, .outliers = 0.03, .drift = 0.1},
                 1.2);
}

UNIT_TESTS(cmocka_unit_test(a_quiet_machine_gives_the_best),
           cmocka_unit_test(noise_outliers_and_drift_do_not_mislead))
