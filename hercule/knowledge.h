/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HERCULE_KNOWLEDGE_H
#define HERCULE_KNOWLEDGE_H

#include <portolan/hercule.h>

#include "internal.h"

/* What the public functions know by this name. */
struct portolan_knowledge {
    struct knowledge inner;
};

/* NULL: there is none, and ERR tells the nearest name. */
struct paradigm *knowledge_need(const struct portolan_knowledge *knowledge, const char *name,
                                struct portolan_error *err);

#endif
