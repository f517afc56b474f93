/* SPDX-License-Identifier: BSD-3-Clause */
/* From names to what they mean, after inheritance and composition; and what is wrong with a whole.
 */
#ifndef HERCULE_RESOLVE_H
#define HERCULE_RESOLVE_H

#include "kinds.h"

struct resolver {
    struct knowledge *knowledge;
    struct paradigm *paradigm;
    struct portolan_diagnostics *d;
};

/* Position of NAME, which is looked for in CONTEXT, then in those around it; HERCULE_NONE. */
size_t resolve_outward(const struct resolver *r, const char *kind, const char *context,
                       const char *name);
/* The same; what is not there is reported at ITEM with the nearest name of that kind. */
size_t resolve_name(const struct resolver *r, const char *kind, const struct item *item,
                    const char *name);

/* Parses the formula unless that was done; the knowledge owns it. */
void expression_parse(struct knowledge *knowledge, struct expression *expression,
                      struct portolan_diagnostics *d);
/* Finds what the names of EXPRESSION mean; EVENT is that of an attribute, else HERCULE_NONE. */
void expression_resolve(const struct resolver *r, const struct item *item,
                        struct expression *expression, size_t event);

/* The word of a quantity, or of what the whole run has; HERCULE_NONE: it is none. */
size_t quantity_of_word(const char *word);
size_t global_of_word(const char *word);

/* All of PARADIGM. */
void paradigm_resolve(struct knowledge *knowledge, struct paradigm *paradigm,
                      struct portolan_diagnostics *d);

#endif
