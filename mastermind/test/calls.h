/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver's go port and a solver's port with proxies as proxygen writes them, on a told clock. */
#ifndef PORTOLAN_MASTERMIND_TEST_CALLS_H
#define PORTOLAN_MASTERMIND_TEST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/** Registers driver.go and driver's connection to solver. */
void calls_connect(void);

/**
 * A call of driver's go: takes 1 ns, calls solve(n) TIMES times, then INSIDE(ARG) if not NULL.
 * A solve takes 10 n ns and reports the accuracy 0.5.
 */
void calls_go(int times, int64_t n, void (*inside)(void *arg), void *arg);

/** Whether solve reads the counters. */
void calls_count(bool on);

/** Whether solve notes a row for each call. */
void calls_note_rows(bool on);

/** Whether go notes a row for each call; and how many of its calls are timed. */
void calls_note_roots(bool on);
void calls_sample_roots(uint32_t one_in);

/** A call of solve(n) by the driver. */
void calls_solve(int64_t n);
/** A call of "solve" with context *N, an int64_t, that takes 3 and fails. */
void calls_fail(void *n);

#endif
