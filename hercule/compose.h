/* SPDX-License-Identifier: BSD-3-Clause */
/* Paradigms made of others: inheritance, nesting and weaving, after Li and Malony, IPDPS 2007.
   Works on names; what they mean is found afterwards (resolve.h). That memory is out, the arena
   tells. */
#ifndef HERCULE_COMPOSE_H
#define HERCULE_COMPOSE_H

#include "kinds.h"

/* "guard_cells" in context "a" is "a.guard_cells". A name that begins with a dot is a full one. */
const char *context_join(struct portolan_arena *arena, const char *context, const char *local);

/* Whether CONTEXT is OUTER or lies in it. */
bool context_is_within(const char *context, const char *outer);

/* Position of what NAME means in CONTEXT: there, else in the contexts around it; HERCULE_NONE. */
size_t paradigm_find(struct portolan_arena *arena, const struct paradigm *paradigm,
                     const char *kind, const char *context, const char *name);

/* Puts ITEM into PARADIGM: in the place of the one of that name, else at the end. */
void paradigm_put(struct portolan_arena *arena, const struct fact_kind *kind,
                  struct paradigm *paradigm, const struct item *item);

/* Adds all of GUEST, in CONTEXT. What all paradigms have (the base) is there already. */
void paradigm_add_in_context(struct portolan_arena *arena, struct paradigm *paradigm,
                             const struct paradigm *guest, const char *context);

/* GUEST works in the component of NEST. */
void paradigm_nest(struct knowledge *knowledge, struct paradigm *host, const struct paradigm *guest,
                   const struct nest *nest, struct portolan_diagnostics *d);

/* GUEST runs interleaved with HOST, as WEAVE says. */
void paradigm_weave(struct knowledge *knowledge, struct paradigm *host,
                    const struct paradigm *guest, const struct weave *weave);

/* When all are woven: the metric `elsewhere` of each, where there is one, is what the others take
   of the run. */
void paradigm_share_run(struct knowledge *knowledge, struct paradigm *paradigm);

/* Fills the links of PARADIGM, whose names have meanings (resolve.h). */
void paradigm_link(struct knowledge *knowledge, struct paradigm *paradigm);

#endif
