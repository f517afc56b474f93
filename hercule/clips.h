/* SPDX-License-Identifier: BSD-3-Clause */
/* CLIPS, as hercule uses it: clips.c is the only file that calls it. An environment is used by one
 * thread. */
#ifndef HERCULE_CLIPS_H
#define HERCULE_CLIPS_H

#include <portolan/base.h>

struct clips;

/* Creates an environment with hercule's templates, whose rules cannot touch files, processes or the
 * engine. NULL: no memory. */
struct clips *clips_create(void);
void clips_destroy(struct clips *clips);

/* From now on END(0) is called when CLIPS has no memory; it does not return. */
void clips_end_without_memory(struct clips *clips, void (*end)(int));
/* Returns the rule whose conditions took most combinations of facts. It changes nothing, so
 * handlers of signals may call it; NULL: there are no rules. */
const char *clips_busiest_rule(struct clips *clips);

/* Adds the constructs of TEXT. Problems are reported with their line, counted from FIRST_LINE. */
void clips_load(struct clips *clips, const char *file, int first_line, const char *text,
                struct portolan_diagnostics *d);

/* Does the same for a file that comes with Portolan. */
void clips_load_builtin(struct clips *clips, const char *name, struct portolan_diagnostics *d);

/* Asserts the facts of all deffacts. Steps are counted from here on. */
void clips_reset(struct clips *clips);

/* Returns the fact of TEMPLATE after FACT (NULL: the first), in the order in which they were
 * asserted; NULL: there is none. */
void *clips_next_fact(struct clips *clips, const char *template_name, void *fact);
/* Returns the text or symbol in a slot, valid as long as the environment; "": there is none. */
const char *clips_text(struct clips *clips, void *fact, const char *slot);

/* A slot of a fact to assert: SYMBOL if that is not NULL, else STRING, else the number, which is an
 * integer in CLIPS if IS_INTEGER. */
struct clips_slot {
    const char *name, *symbol, *string;
    double number;
    bool is_integer;
};
/* Asserts a fact; false: no memory, or there is no such template or slot. */
bool clips_assert(struct clips *clips, const char *template_name, const struct clips_slot *slots,
                  size_t n);

/* Fires rules until no new facts appear. PORTOLAN_EINVAL names a rule that failed or never ends,
 * also if its conditions never end. */
enum portolan_status clips_run(struct clips *clips, struct portolan_error *err);

/* Return whether rules may call FUNCTION, and whether CLIPS has it, for tests. */
bool clips_allows(const char *function);

#endif
