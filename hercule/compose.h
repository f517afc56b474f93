/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes paradigms of others: inheritance, nesting and weaving, after Li and Malony, IPDPS 2007.
 * Works on names; their meanings are found afterwards (resolve.h). The arena has `failed` without
 * memory. */
#ifndef HERCULE_COMPOSE_H
#define HERCULE_COMPOSE_H

#include "vocabulary.h"

/* Joins names: "guard_cells" in context "a" is "a.guard_cells". A full name begins with a dot. */
const char *context_join(struct portolan_arena *arena, const char *context, const char *local);

/* Returns whether CONTEXT is OUTER or within it. */
bool context_is_within(const char *context, const char *outer);

/* Returns the index of what NAME means in CONTEXT, or in those around it; HERCULE_NONE. */
size_t paradigm_find(struct portolan_arena *arena, const struct paradigm *paradigm,
                     const char *kind, const char *context, const char *name);

/* Puts ITEM into PARADIGM: it replaces one of the same name, or is appended. */
void paradigm_put(struct portolan_arena *arena, const struct fact_kind *kind,
                  struct paradigm *paradigm, const struct item *item);

/* Adds all of GUEST, in CONTEXT, except the base, which all paradigms have. */
void paradigm_add_in_context(struct portolan_arena *arena, struct paradigm *paradigm,
                             const struct paradigm *guest, const char *context);

/* Nests GUEST, which works in the component of NEST. */
void paradigm_nest(struct knowledge *knowledge, struct paradigm *host, const struct paradigm *guest,
                   const struct nest *nest, struct portolan_diagnostics *d);

/* Weaves GUEST into HOST, with which it is interleaved, as WEAVE says. */
void paradigm_weave(struct knowledge *knowledge, struct paradigm *host,
                    const struct paradigm *guest, const struct weave *weave);

/* Sets, after all are woven, the metric `elsewhere` of each: the others' part of the run. */
void paradigm_share_run(struct knowledge *knowledge, struct paradigm *paradigm);

/* Fills the links of PARADIGM, whose names have meanings (resolve.h). */
void paradigm_link(struct knowledge *knowledge, struct paradigm *paradigm);

#endif
