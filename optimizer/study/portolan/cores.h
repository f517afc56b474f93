/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * cores: which cores trials may use, and who else uses them. Nothing here prints or exits.
 */
#ifndef PORTOLAN_CORES_H
#define PORTOLAN_CORES_H

#include <portolan/machine.h>

/* Gives this process, and what it starts, part SLOT of the cores that it may use, of N_PARTS. */
void cores_take_part(int n_parts, int slot);

/* Collective: rank 0 may use the cores of all ranks, whose launcher bound each to some. */
enum portolan_status cores_join(struct portolan_cohort *c, struct portolan_error *err);

/* Shortest observation. */
#define CORES_LEAST_S 0.25

/*
 * Collective: rank 0 gets who used the cores since BEFORE, which portolan_machine_read() filled and
 * which becomes the difference, and on how many hosts the ranks are; there *VERDICT and *N_HOSTS
 * are set. It waits first, while the others wait for it, until CORES_LEAST_S have passed, unless
 * IN_HASTE.
 */
enum portolan_status cores_look(struct portolan_cohort *c, struct portolan_machine_reading *before,
                                bool in_haste, struct portolan_machine_verdict *verdict,
                                int *n_hosts, struct portolan_error *err);

/* "2 cores (...), idle 98 %, steal 0.0 %, 2.10 GHz: quiet". */
void cores_describe(const struct portolan_machine_verdict *v, struct portolan_text *out);

#endif
