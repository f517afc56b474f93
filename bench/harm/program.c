/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates in a program without components. With an argument, it runs that candidate without
 * Portolan. */
#include "law.h"
#include "table.h"

#include "harm_table_proxy.h"

#include <portolan/candidates.h>
#include <portolan/probe.h>

#include <stdio.h>
#include <stdlib.h>

static const struct portolan_candidate all[] = {{"A", &A_table}, {"B", &B_table}, {"C", &C_table}};

int main(int argc, char **argv)
{
    struct portolan_error err = {0};
    struct portolan_choice *choice = NULL;
    struct harm_table *part = argc > 1 ? (struct harm_table *)all[argv[1][0] - 'A'].object : NULL;
    int steps = harm_steps(4000), good = 0;

    if (!getenv("HARM_RATE"))
        portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
    if (!part)
        part = harm_tableProxy_choose("part", all, getenv("HARM_C") ? 3 : 2, NULL, &choice, &err);
    if (!part)
        return fprintf(stderr, "%s\n", err.text), 1;
    for (int step = 0; step < steps; step++) {
        good += part->work(harm_size(step)) <= 1e-6;
        if (choice && portolan_choice_step(choice, &err))
            return fprintf(stderr, "%s\n", err.text), 1;
    }
    harm_report(steps, good);
    portolan_choice_close(choice);
    return 0;
}
