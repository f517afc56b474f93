/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder: from the probes of all ranks, step by step, into the store. No ports here. */
#ifndef PORTOLAN_MASTERMIND_RECORDER_H
#define PORTOLAN_MASTERMIND_RECORDER_H

#include "facts.h"
#include "piece.h"

#include <portolan/assembly.h>

struct recorder {
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly; /* may be NULL: then the trial has no name */
    struct portolan_store *store;             /* on rank 0, else NULL */
    struct facts facts;                       /* not stored yet */
    int64_t trial;                            /* 0: not begun */
    int step;                                 /* that the next piece belongs to */
    double elapsed_ns;                        /* of this rank's roots */
    bool failed;
    struct portolan_probe_snapshot before, now;
    struct piece piece; /* this rank's latest */
};

/**
 * Opens the store at PATH on rank 0 (NULL or "": in memory). Not collective: other ranks only
 * remember the cohort. Errors of portolan_store_open().
 */
enum portolan_status recorder_open(struct recorder *r, struct portolan_cohort *cohort,
                                   const struct portolan_assembly *assembly, const char *path,
                                   struct portolan_error *err);

/** Closes the store; safe on a recorder that was not opened. The trial stays as it is. */
void recorder_close(struct recorder *r);

/**
 * Collective. Stores what all ranks measured since the last cut as step `step`, beginning the trial
 * first if it has not begun; then `step` becomes NEXT_STEP. All ranks fail alike, with the text of
 * the first that did; then nothing of the step is stored and it is lost, but measuring goes on.
 */
enum portolan_status recorder_cut(struct recorder *r, int next_step, struct portolan_error *err);

/**
 * Collective. Cuts the last piece and ends the trial: "finished", or "failed" if any rank did. No
 * trial is made when none has begun and no rank has measured a call.
 */
enum portolan_status recorder_end(struct recorder *r, struct portolan_error *err);

#endif
