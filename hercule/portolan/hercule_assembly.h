/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hercule: an assembly as what is diagnosed: its <paradigm> becomes knowledge and parts, and the
 * calls of its ports, which the store has as rows, become regions of the trace of its MPI calls.
 * For `portolan diagnose` and the component portolan.Diagnosis. Nothing prints or exits.
 */
#ifndef PORTOLAN_HERCULE_ASSEMBLY_H
#define PORTOLAN_HERCULE_ASSEMBLY_H

#include <portolan/assembly.h>
#include <portolan/hercule.h>
#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Finds *PARTS: the N parts of A's paradigm, in ARENA; they borrow from A, and so does KNOWLEDGE,
 * to which the paradigm is added by its name if it is a composition or has a name of its own. Parts
 * and `remedies` of alternatives that name nothing of it go to DIAGNOSTICS. Errors of
 * portolan_knowledge_add() and portolan_parts_check().
 */
PORTOLAN_API enum portolan_status
portolan_paradigm_declare(struct portolan_knowledge *knowledge, const struct portolan_assembly *a,
                          struct portolan_arena *arena, struct portolan_part **parts, size_t *n,
                          struct portolan_diagnostics *diagnostics, struct portolan_error *err);

/** Returns whether P selects the calls of C. */
PORTOLAN_API bool portolan_part_uses(const struct portolan_assembly_part *p,
                                     const struct portolan_assembly_connection *c);

/** Returns the instance of A that is a portolan.ManualClock, or NULL. *STANDS_STILL: reading it
 * takes no time (no `tick`). Then calls of ports and of MPI would all be at one instant, and their
 * nesting would be unknown. */
PORTOLAN_API const char *portolan_manual_clock(const struct portolan_assembly *a,
                                               bool *stands_still);

/** Fills in what the store keeps of D and of its `n_causes` FINDINGS, except the trial, number and
 * steps of WHOLE. Texts are borrowed from D. */
PORTOLAN_API void portolan_diagnosis_to_store(const struct portolan_diagnosis *d,
                                              struct portolan_stored_diagnosis *whole,
                                              struct portolan_stored_finding *findings);

/** Rows of a trial that are being put into a trace. */
struct portolan_trace_rows;

/** Prepares for rows of a trace that has the age of the trial (PORTOLAN_STORE_TRIAL_NS). *ROWS
 * borrows TRACE; portolan_trace_rows_join() destroys it. PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trace_rows_create(const struct portolan_trace *trace,
                                                             struct portolan_trace_rows **rows,
                                                             struct portolan_error *err);
/** Visits rows (a portolan_invocation_fn) for *ROWS; those at times outside the trace are left
 * out. */
PORTOLAN_API int portolan_trace_rows_take(void *rows, const struct portolan_sample *path,
                                          const struct portolan_invocation *row);
/**
 * Joins rows and trace. STATUS is that of the visit. *TRACE, for which ROWS were created, is
 * replaced by one with the calls as regions; if its ranks have clocks that stand still while they
 * wait, by a run of one clock (portolan_trace_schedule()). PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trace_rows_join(struct portolan_trace_rows *rows,
                                                           enum portolan_status status,
                                                           struct portolan_trace **trace,
                                                           struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
