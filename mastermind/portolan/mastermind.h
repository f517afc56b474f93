/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mastermind: the component class portolan.Mastermind and its port "records".
 *
 * Provides "monitor" (portolan.ports.Monitor, for proxies), "MonitorPort" and "PerfParamPort"
 * (Performance.Monitor and .PerfParam, records by name: portolan-mastermind(7)), "steps"
 * (portolan.ports.StepListener, for a SwapPoint) and "records" (a portolan.ForeignPort of type
 * "portolan.Records", whose pointer is a struct portolan_records *). Uses "measurement"
 * (portolan.ports.Measurement) and the services "portolan.Cohort", "portolan.Assembly" and
 * "portolan.Failure".
 * Parameters: `store`, `counters`, `counters.rotate`, `rows`, `sample`, `rows.memory`, `rows.spill`
 * and `detail`: portolan-mastermind(7).
 *
 * The operations are called by one thread at a time, on all ranks alike unless they say otherwise.
 */
#ifndef PORTOLAN_MASTERMIND_H
#define PORTOLAN_MASTERMIND_H

#include <portolan/base.h>
#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_RECORDS_ABI 3

struct portolan_records;

/** So many values of a piggyback, the first ones, are the Mastermind's. */
#define PORTOLAN_PIGGYBACK_HEAD 3

/**
 * Numbers that travel between the ranks with each step, in the collective by which the ranks agree
 * that the step is stored: they need no message of their own. All ranks get, entry by entry, the
 * maximum over ranks. Both functions are called within the Mastermind's `reached`.
 */
struct portolan_piggyback {
    size_t n;       /**< the same on all ranks, at least PORTOLAN_PIGGYBACK_HEAD */
    double *values; /**< N of them, the owner's */
    void *arg;      /**< the owner's */
    /**
     * REQUIRED. On every rank: fills the values from this rank's SAMPLES of the step that ended.
     * True: rank 0 must wait with its part, because all ranks must learn of this step first.
     */
    bool (*fill)(struct portolan_piggyback *p, const struct portolan_sample *samples, size_t n);
    /**
     * REQUIRED. On rank 0, when the samples of all ranks are there: may change the values. SLOWEST:
     * as `slowest` returns them. N_WAITING: how many ranks returned true from `fill`.
     */
    void (*add)(struct portolan_piggyback *p, const struct portolan_sample *slowest, size_t n,
                int n_waiting);
    /* Set by the Mastermind, the same on all ranks. */
    int step;         /**< the step that is about to begin */
    double visit_ns;  /**< cost of an undisturbed swap point, as far as is known */
    bool has_arrived; /**< the values are the maxima over ranks */
};

struct portolan_records_ops {
    size_t size;  /**< sizeof this table where the provider was compiled */
    uint32_t abi; /**< PORTOLAN_RECORDS_ABI */

    /**
     * REQUIRED. Reads the samples in the store, also of earlier runs, up to the last finished step.
     * Rank 0 reads; the other ranks get an empty set. Free with portolan_sample_set_destroy(). Not
     * collective. Errors of portolan_store_read().
     */
    enum portolan_status (*read)(struct portolan_records *self,
                                 const struct portolan_store_query *query,
                                 struct portolan_sample_set **set, struct portolan_error *err);

    /**
     * REQUIRED. This rank's own samples of the step just finished: the contexts seen now. Borrowed
     * until the next swap point; `parent` is a position among them. Not collective.
     */
    enum portolan_status (*latest)(struct portolan_records *self,
                                   const struct portolan_sample **samples, size_t *n,
                                   struct portolan_error *err);

    /**
     * REQUIRED. On rank 0 the samples, of the step just finished, of the rank that computed longest
     * in it, for which the others waited; on the other ranks their own. Borrowed until the next
     * swap point. Collective. Never fails: if they did not arrive, rank 0 has its own.
     */
    void (*slowest)(struct portolan_records *self, const struct portolan_sample **samples,
                    size_t *n);

    /** REQUIRED. The running trial, the same number on all ranks; 0 before the first swap point. */
    int64_t (*trial)(struct portolan_records *self);

    /*
     * REQUIRED. As the functions of <portolan/store.h>; a trial of 0 in SWAP is taken as the
     * running one. Effective on rank 0, PORTOLAN_OK without effect on the others, where *ID becomes
     * 0 and *D NULL. Not collective: callers that need one verdict agree on it.
     */
    enum portolan_status (*put_decision)(struct portolan_records *self,
                                         const struct portolan_decision *d, int64_t *id,
                                         struct portolan_error *err);
    enum portolan_status (*put_swap)(struct portolan_records *self, const struct portolan_swap *s,
                                     struct portolan_error *err);
    enum portolan_status (*put_model)(struct portolan_records *self,
                                      const struct portolan_stored_model *m,
                                      struct portolan_error *err);
    enum portolan_status (*find_decision)(struct portolan_records *self, const char *assembly,
                                          const char *parameters, const char *host, int ranks,
                                          struct portolan_decision **d, struct portolan_error *err);

    /**
     * REQUIRED. The run failed: the trial's outcome becomes "failed" and WHY its metadata
     * "failure". Any rank, not collective; it counts when any rank calls it.
     */
    void (*mark_failed)(struct portolan_records *self, const char *why);

    /**
     * REQUIRED. A fact about the running trial, stored with its next step; an existing name gets
     * the new value. Effective on rank 0. Not collective.
     */
    void (*put_fact)(struct portolan_records *self, const char *name, const char *value);

    /** REQUIRED. As portolan_store_put_reason(); a trial of 0 is the running one. Effective on rank
     * 0. Not collective. */
    enum portolan_status (*put_reason)(struct portolan_records *self,
                                       const struct portolan_reason *r,
                                       const struct portolan_alternative *alternatives, size_t n,
                                       struct portolan_error *err);
    /**
     * REQUIRED. An expectation of the running trial, copied, and stored with its next step.
     * Effective on rank 0. Not collective; without memory it is left out.
     */
    void (*put_expectation)(struct portolan_records *self, const struct portolan_expectation *e);

    /**
     * OPTIONAL. From the next step on P, which stays the caller's, travels with each step; NULL:
     * nothing does. All ranks do this at the same point between two steps, but it is not
     * collective.
     */
    void (*carry)(struct portolan_records *self, struct portolan_piggyback *p);

    /*
     * OPTIONAL. As portolan_store_visit_invocations() and portolan_store_put_diagnosis() for the
     * running trial, up to its last stored step. Effective on rank 0. Not collective.
     */
    enum portolan_status (*visit_rows)(struct portolan_records *self, portolan_invocation_fn visit,
                                       void *arg, struct portolan_error *err);
    enum portolan_status (*put_diagnosis)(struct portolan_records *self,
                                          const struct portolan_stored_diagnosis *d,
                                          const struct portolan_stored_finding *findings, size_t n,
                                          struct portolan_error *err);

    /**
     * OPTIONAL. Notes what runs from STEP on, as portolan_note_put(), before it is called, so that
     * a failure that ends the process is known. Other ranks than 0 give N = 0 when something is
     * swapped. Not collective.
     */
    void (*note_running)(struct portolan_records *self, int step,
                         const struct portolan_running *running, size_t n);

    /**
     * OPTIONAL. Announces, between two steps, that implementations are about to change: what was
     * measured so far is stored apart from what follows, and the next steps are stored singly.
     * Collective.
     */
    void (*change)(struct portolan_records *self);
};

/** Facts of the Optimizer: sum of the times predicted for each step just before it, in ns. */
#define PORTOLAN_FACT_FORETOLD "predicted step by step"

struct portolan_records {
    const struct portolan_records_ops *ops;
};

#ifdef __cplusplus
}
#endif
#endif
