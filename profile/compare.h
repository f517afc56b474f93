/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_PROFILE_COMPARE_INTERNAL_H
#define PORTOLAN_PROFILE_COMPARE_INTERNAL_H

#include <portolan/compare.h>

/* Fills the facts that differ. */
enum portolan_status comparison_find_facts(struct portolan_comparison *c,
                                           struct portolan_error *err);

#endif
