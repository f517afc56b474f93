/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the run time share: experiments, a clock that moves when told, and reports. */
#ifndef CALL_RUNTIME_CHECK_H
#define CALL_RUNTIME_CHECK_H

#include <portolan/cll.h>
#include <portolan/cll_report.h>
#include <unit_test.h>

extern struct portolan_cll_experiment fft, inner, two_places, several;
extern char output[], store[]; /* the report's path, and that of a store */

int set_up(void **state);
int tear_down(void **state);

/* Time passes. */
void pass(uint64_t ns);

/* Reads the report, and deletes its file. */
struct portolan_cll_report *read_output(void);
/* What has not been reported, of experiment NAME, or of all. */
struct portolan_cll_report *take_report(const char *name);
const struct portolan_cll_sample *find(const struct portolan_cll_report *report, const char *name);
/* Row I of experiment NAME. */
const double *row(const struct portolan_cll_report *report, const char *name, size_t i);
size_t count_rows(const struct portolan_cll_report *report, const char *name);

/* Stderr goes into a file until heard() gives its text. */
void listen_to_stderr(void);
const char *heard(void);

#endif
