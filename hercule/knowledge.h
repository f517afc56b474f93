/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HERCULE_KNOWLEDGE_H
#define HERCULE_KNOWLEDGE_H

#include <portolan/hercule.h>

#include "kinds.h"

/* What the public functions know by this name. */
struct portolan_knowledge {
    struct knowledge inner;
};

/* NULL: there is none, and ERR tells the nearest name. */
struct paradigm *knowledge_need(const struct portolan_knowledge *knowledge, const char *name,
                                struct portolan_error *err);

/* read.c: what FILE, from LINE on, says in SIZE bytes of TEXT, which ends with NUL, before
   inheritance: a paradigm, whose name is "" when the file only has thresholds. All mistakes are
   reported; what is faulty is left out. NULL: no memory. */
struct paradigm *paradigm_read(struct knowledge *knowledge, const char *file, int line,
                               const char *text, size_t size, struct portolan_diagnostics *d);

#endif
