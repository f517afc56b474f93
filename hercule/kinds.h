/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of facts in files of knowledge, as a table: templates of CLIPS, members of structs. */
#ifndef HERCULE_KINDS_H
#define HERCULE_KINDS_H

#include "internal.h"

enum slot_type {
    SLOT_TEXT,    /* const char * */
    SLOT_PLACED,  /* const char *; MORE: a struct place */
    SLOT_FORMULA, /* struct expression */
    SLOT_NAMES,   /* const char **; MORE: their size_t */
    SLOT_INTEGER, /* int64_t */
    SLOT_NUMBER,  /* double */
    SLOT_WORD     /* an enumeration: the position in WORDS */
};

struct slot_kind {
    const char *name;
    enum slot_type type;
    const char *otherwise; /* what is read when the slot is not given; NULL: it must be */
    size_t to, more;       /* offsets in the struct */
    const char *const *words;
    const char *refers; /* the kind of fact that its names mean, whose positions go to … */
    size_t found; /* … this offset: a size_t, or of NAMES a size_t *; 0: they are not kept */
};

enum { MOST_SLOTS = 10 };
struct fact_kind {
    const char *name;   /* of the template */
    size_t size;        /* of the struct, which begins with a struct item */
    size_t list, n;     /* offsets in struct paradigm */
    bool is_identifier; /* its name can stand in formulas */
    struct slot_kind slots[MOST_SLOTS];
};

/* Those that a paradigm has lists of, of which the first, rules, are no facts; after them, the
   paradigm itself. */
extern const struct fact_kind fact_kinds[];
extern const size_t n_fact_kinds;

/* NULL when there is none. */
const struct fact_kind *fact_kind_find(const char *name);

/* The list of KIND in PARADIGM, and its length. */
void **kind_list(const struct fact_kind *kind, struct paradigm *paradigm);
size_t *kind_count(const struct fact_kind *kind, const struct paradigm *paradigm);
struct item *kind_item(const struct fact_kind *kind, const struct paradigm *paradigm, size_t i);
/* Position of the item of that full name; HERCULE_NONE. */
size_t kind_find_item(const struct fact_kind *kind, const struct paradigm *paradigm,
                      const char *name);
/* The same by the name of the kind. */
size_t paradigm_item(const struct paradigm *paradigm, const char *kind, const char *name);
/* The name of an item that is nearest to NAME, a full one if NAME has a dot, else a local one;
 * NULL. */
const char *paradigm_nearest(const struct paradigm *paradigm, const char *kind, const char *name);

#endif
