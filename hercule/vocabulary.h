/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kinds of facts in files of knowledge: templates of CLIPS, and members of structs. */
#ifndef HERCULE_VOCABULARY_H
#define HERCULE_VOCABULARY_H

#include "internal.h"

enum slot_type {
    SLOT_TEXT,    /* const char * */
    SLOT_PLACED,  /* const char *; MORE: offset of a struct place */
    SLOT_FORMULA, /* struct expression */
    SLOT_NAMES,   /* const char **; MORE: offset of their size_t */
    SLOT_INTEGER, /* int64_t */
    SLOT_NUMBER,  /* double */
    SLOT_WORD     /* an enumeration: the index in WORDS */
};

struct slot_kind {
    const char *name;
    enum slot_type type;
    const char *otherwise; /* the value if the slot is missing; NULL: the slot is required */
    size_t to, more;       /* offsets in the struct */
    const char *const *words;
    const char *refers; /* the kind of fact that its names refer to; their indices go to … */
    size_t found; /* … this offset, to a size_t, or for NAMES to a size_t *; 0: they are not kept */
};

enum { MOST_SLOTS = 10 };
struct fact_kind {
    const char *name;   /* name of the template */
    size_t size;        /* size of the struct, which begins with a struct item */
    size_t list, n;     /* offsets in struct paradigm */
    bool is_identifier; /* its name can be used in formulas */
    struct slot_kind slots[MOST_SLOTS];
};

/* The kinds of which a paradigm has lists; the first, rules, are no facts; last the paradigm
 * itself. */
extern const struct fact_kind fact_kinds[];
extern const size_t n_fact_kinds;

/* Returns the kind; NULL: there is none. */
const struct fact_kind *fact_kind_find(const char *name);

/* Return the list of KIND in PARADIGM, and its length. */
void **kind_list(const struct fact_kind *kind, struct paradigm *paradigm);
size_t *kind_count(const struct fact_kind *kind, const struct paradigm *paradigm);
struct item *kind_item(const struct fact_kind *kind, const struct paradigm *paradigm, size_t i);
/* Returns the index of the item of that full name; HERCULE_NONE. */
size_t kind_find_item(const struct fact_kind *kind, const struct paradigm *paradigm,
                      const char *name);
/* Does the same by the name of the kind. */
size_t paradigm_item(const struct paradigm *paradigm, const char *kind, const char *name);
/* Returns the nearest name of an item to NAME, a full one if NAME has a dot, else a local one; or
 * NULL. */
const char *paradigm_nearest(const struct paradigm *paradigm, const char *kind, const char *name);

#endif
