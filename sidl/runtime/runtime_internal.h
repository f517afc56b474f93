/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the run time's own files. */
#ifndef SIDL_RUNTIME_INTERNAL_H
#define SIDL_RUNTIME_INTERNAL_H

#include "sidl.h"

#define SIDL_RUNTIME_VERSION "0.9.17" /* of the package sidl, as in sidl/spec/sidl.sidl */

/* Throws a sidl.NotImplementedException that names class, type and method. */
void sidl_exception_throw_not_implemented(const char *class_name, const char *type_name,
                                          const char *method, sidl_BaseInterface *_ex);
/* The same, for creating an object of an abstract class. */
void sidl_exception_throw_abstract(const char *class_name, const char *method,
                                   sidl_BaseInterface *_ex);
/* Throws a sidl.SIDLException with a formatted note. */
void sidl_exception_throw_text(sidl_BaseInterface *_ex, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The class sidl.SIDLException, which holds note and trace. */
const struct sidl_class *sidl_exception_class(void);

/* layout.c: which tables the objects of a class need, and which table serves which type. */
struct layout {
    struct sidl_facet *facets;
    size_t n_facets;
    const void *own; /* table 0 */
    struct sidl_BaseInterface__object *others;
    size_t n_tables;
    sidl_slot_fn *free_slots;
};

/* Upper bounds of what a layout needs. */
struct need {
    size_t facets; /* and tables */
    size_t slots;  /* of tables that must be made because they are no prefix of a given one */
};

struct need layout_measure(const struct sidl_implements *implements, size_t n);
/* LAYOUT comes with room for what was measured. */
void layout_build(struct layout *layout, const struct sidl_implements *implements, size_t n);
const struct sidl_facet *layout_find(const struct sidl_facet *facets, size_t n, const char *name);
/* Where TYPE has a method of that name; its n_methods when it has none. */
size_t layout_slot(const struct sidl_type *type, const char *method);

/* class.c */
/* A new object of a class with state. */
void *class_create(const struct sidl_class *cls, void *private_data, sidl_BaseInterface *_ex);
/* Destructors, the object's own class first, and whatever the root of the chain frees. */
void class_destroy(struct sidl_object *object, sidl_BaseInterface *_ex);

/*
 * One lock for what all classes share, recursive: `load`, constructors of loaded libraries and
 * finders may use any class. So classes that need each other cannot wait for each other.
 */
void class_lock(void);
void class_unlock(void);

/* guard.c: what contracts and hooks need; see contract_internal.h. */
/* STATE gets a guard if it has contracts or hooks. False: out of memory. */
bool guard_make(const struct sidl_class *cls, struct sidl_class_state *state);
bool guard_is_needed(const struct sidl_facet *facets, size_t n_facets);
/* A class written by hand whose types have contracts, as one with a state. NULL: out of memory. */
const struct sidl_class *guard_adopt(const struct sidl_class *cls);
/* The table of static methods that callers use. */
const void *guard_statics(const struct sidl_class *cls);

/* loader.c: the class of that name, loaded if need be; NULL with *_ex set. */
const struct sidl_class *loader_find_class(const char *class_name, sidl_BaseInterface *_ex);

/* Room for a block of SIZE bytes before something that needs the strictest alignment. */
size_t object_aligned(size_t size);

#endif
