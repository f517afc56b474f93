/* SPDX-License-Identifier: BSD-3-Clause */
/* Which paradigm does a trace look like? */
#ifndef HERCULE_SUGGEST_H
#define HERCULE_SUGGEST_H

#include "recognise.h"

struct suggestion {
    const struct paradigm *paradigm;
    double time, calls; /* shares that instances with messages cover, of ranks' time without start,
                           finish and gaps, and of calls with messages */
    size_t n_instances;
    char *text; /* an element <paradigm> with the bindings found */
};

/*
 * *SUGGESTIONS: N of them, the best first, in memory that suggestions_free() frees; those that
 * cover less than nine tenths of time or calls are none, so *N may be 0: none fits. Paradigms
 * without events are left out. PORTOLAN_ESYNTAX (knowledge, to DIAGNOSTICS), PORTOLAN_ENOMEM.
 */
enum portolan_status suggest_paradigms(const struct knowledge *knowledge,
                                       const struct portolan_waits *waits,
                                       struct portolan_diagnostics *diagnostics,
                                       struct suggestion **suggestions, size_t *n,
                                       struct portolan_error *err);
void suggestions_free(struct suggestion *suggestions, size_t n);

#endif
