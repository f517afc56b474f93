/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HERCULE_KNOWLEDGE_H
#define HERCULE_KNOWLEDGE_H

#include <portolan/hercule.h>

#include "vocabulary.h"

/* The type of the public functions. */
struct portolan_knowledge {
    struct knowledge inner;
};

/* Returns the paradigm; NULL: there is none, and ERR suggests the nearest name. */
struct paradigm *knowledge_need(const struct portolan_knowledge *knowledge, const char *name,
                                struct portolan_error *err);

/* read.c: reads SIZE bytes of TEXT, which ends with NUL, from LINE of FILE on, before inheritance.
 * The result is a paradigm, whose name is "" if the file only has thresholds. All mistakes are
 * reported, and faulty facts are left out. NULL: no memory. */
struct paradigm *paradigm_read(struct knowledge *knowledge, const char *file, int line,
                               const char *text, size_t size, struct portolan_diagnostics *d);

#endif
