/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of knowledge as text: where its facts and rules stand, and whether their words exist.
   CLIPS itself reads them (read.c); it would tell the line at best, and no name that is near. */
#ifndef HERCULE_SOURCE_H
#define HERCULE_SOURCE_H

#include "kinds.h"

struct form {
    const struct fact_kind *kind; /* NULL: a fact of the author's own */
    size_t begin, end;            /* from "(" to after ")" */
    const char *name;             /* of a rule */
    size_t name_at;
};

struct source {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const char *file;
    int first_line; /* of TEXT in the file */
    const char *text;
    size_t size;
    struct form *forms; /* without those that were reported */
    size_t n_forms;
};

/* Fills the forms; all mistakes are reported. The members before are set. */
void knowledge_source_scan(struct source *source);

struct place knowledge_source_place(const struct source *source, size_t at);
/* The first character of the string in SLOT of the fact at BEGIN; BEGIN's place when there is none.
 */
struct place source_slot_place(const struct source *source, size_t begin, const char *slot);

#endif
