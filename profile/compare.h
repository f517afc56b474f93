/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_PROFILE_COMPARE_INTERNAL_H
#define PORTOLAN_PROFILE_COMPARE_INTERNAL_H

#include <portolan/compare.h>

/* Shares, tests and verdicts of the total and the rows, whose values are known. */
enum portolan_status comparison_judge(struct portolan_comparison *c, struct portolan_error *err);

/* Fills the facts that differ. */
enum portolan_status comparison_find_facts(struct portolan_comparison *c,
                                           struct portolan_error *err);

#endif
