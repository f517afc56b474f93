/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what names mean, after inheritance and composition, and checks paradigms as a whole. */
#ifndef HERCULE_RESOLVE_H
#define HERCULE_RESOLVE_H

#include "vocabulary.h"

struct resolver {
    struct knowledge *knowledge;
    struct paradigm *paradigm;
    struct portolan_diagnostics *d;
};

/* Returns the index of NAME, looked for in CONTEXT, then in those around it; HERCULE_NONE. */
size_t resolve_outward(const struct resolver *r, const char *kind, const char *context,
                       const char *name);
/* Does the same; a missing name is reported at ITEM with the nearest name of that kind. */
size_t resolve_name(const struct resolver *r, const char *kind, const struct item *item,
                    const char *name);

/* Parses the formula unless that was done; the knowledge owns it. */
void expression_parse(struct knowledge *knowledge, struct expression *expression,
                      struct portolan_diagnostics *d);
/* Finds what the names of EXPRESSION mean; EVENT is that of an attribute, else HERCULE_NONE. */
void expression_resolve(const struct resolver *r, const struct item *item,
                        struct expression *expression, size_t event);

/* Return the index of the word of a quantity, or of a global; HERCULE_NONE: it is none. */
size_t quantity_of_word(const char *word);
size_t global_of_word(const char *word);

/* Resolves all of PARADIGM. */
void paradigm_resolve(struct knowledge *knowledge, struct paradigm *paradigm,
                      struct portolan_diagnostics *d);

#endif
