/* SPDX-License-Identifier: BSD-3-Clause */
/** Texts for people: notes, combinations, and reasons why something is not allowed. */
#ifndef PORTOLAN_OPTIMIZER_PLAN_TEXT_H
#define PORTOLAN_OPTIMIZER_PLAN_TEXT_H

#include "view.h"

/* Sentences for a person, in an arena. */
struct plan_notes {
    struct portolan_arena *pool;
    size_t n;
    const char **texts;
};

/* Writes why a tuple is not allowed. */
void plan_explain_forbidden(const struct plan_view *v, const struct plan_forbidden *f, char *text,
                            size_t size_bytes);

/* Adds a sentence. Without memory it sets the arena's `failed`. */
PORTOLAN_PRINTF(2, 3)
void plan_note(struct plan_notes *notes, const char *format, ...);

/* The text, in its arena; "" when nothing was added, NULL when out of memory. */
char *plan_text(struct portolan_text *text);
/* Adds "instance=class", after a blank unless it is the first word. */
void plan_add_class(struct portolan_text *text, const struct portolan_assembly_instance *x,
                    size_t alternative);
/* "a=X b=Y" for the variables of SCOPE except SKIP. */
char *plan_tuple_text(const struct portolan_plan *p, struct portolan_arena *pool,
                      const struct plan_scope *scope, size_t tuple, size_t skip);
/* "a=X b=Y" for the variables that are not as written. */
char *plan_selection_text(const struct survey *s, struct portolan_arena *pool,
                          const size_t *selection);

#endif
