/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a program side by side: each in a process of its own, on cores of its own. */
#ifndef PORTOLAN_PARALLEL_H
#define PORTOLAN_PARALLEL_H

#include <portolan/session.h>

/* Starts the trial of the selected combination, after waiting for a free place. Errors: EIO,
 * EFOREIGN: a trial could not be run; ENOMEM. */
enum portolan_status parallel_start(struct measure_session *s, double limit_s,
                                    struct portolan_error *err);
/* Waits until one has ended; false: none runs. */
bool parallel_wait(struct measure_session *s);
/* The set with the trials that run, as if they had been stopped at once, so that others come next.
 * It is valid until the next call. NULL: no memory. */
const struct portolan_sample_set *parallel_show(struct measure_session *s);
/* The first trials of a store: one alone, and then as many as run together; says if they disturb
 * each other. */
enum portolan_status parallel_judge(struct measure_session *s, double limit_s,
                                    struct portolan_error *err);

#endif
