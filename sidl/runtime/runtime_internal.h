/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the run time's own files. */
#ifndef SIDL_RUNTIME_INTERNAL_H
#define SIDL_RUNTIME_INTERNAL_H

#include "sidl.h"

#include "sidl_SIDLException.h"

#define SIDL_RUNTIME_VERSION "0.9.17" /* of the package sidl, as in sidl/spec/sidl.sidl */

/*
 * A class of the run time itself, and the function that returns it: TYPE is A_B_C, NAME "A.B.C",
 * EPV its table; further initializers follow.
 */
#define RUNTIME_CLASS(TYPE, NAME, EPV, ...)                                                        \
    static const struct sidl_implements TYPE##_implements[] = {{&TYPE##__type, &EPV}};             \
    static struct sidl_class_state TYPE##_state;                                                   \
    static const struct sidl_class TYPE##_class = {.name = NAME,                                   \
                                                   .version = SIDL_RUNTIME_VERSION,                \
                                                   .implements = TYPE##_implements,                \
                                                   .n_implements = 1,                              \
                                                   .state = &TYPE##_state,                         \
                                                   __VA_ARGS__};                                   \
    SIDL_API const struct sidl_class *TYPE##__externals(void);                                     \
    const struct sidl_class *TYPE##__externals(void)                                               \
    {                                                                                              \
        return &TYPE##_class;                                                                      \
    }

/* Throws EXCEPTION with a formatted note. If it is NULL, *_ex already has the cause. */
void sidl_exception_throw(void *exception, sidl_BaseInterface *_ex, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Throws a sidl.SIDLException with a formatted note. */
#define sidl_exception_throw_text(EX, ...)                                                         \
    sidl_exception_throw(sidl_SIDLException__create(EX), (EX), __VA_ARGS__)

/* Which tables the objects of a class need, and which table serves which type. */
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
/* LAYOUT must have room for what layout_measure() returned. */
void layout_build(struct layout *layout, const struct sidl_implements *implements, size_t n);
const struct sidl_facet *layout_find(const struct sidl_facet *facets, size_t n, const char *name);
/* The index of TYPE's method of that name; n_methods when it has none. */
size_t layout_slot(const struct sidl_type *type, const char *method);

/* class_link.c: linking of classes of SIDL. */
/* Links and loads CLS, which has a state, and its parents; cheap when that is done. */
bool class_prepare(const struct sidl_class *cls, sidl_BaseInterface *_ex);
/* True when that has been done, `load` included. */
bool class_is_ready(const struct sidl_class *cls);

/* The class of that name: linked in, or found by the loader. NULL with *_ex set. */
const struct sidl_class *class_resolve(const char *name,
                                       const struct sidl_class *(*externals)(void),
                                       sidl_BaseInterface *_ex);

/* True for an exception class that, with its parents, adds no methods to sidl.SIDLException. */
bool class_is_plain_exception(const struct sidl_type *type);

/* class.c */
/* A new object of a class with state. */
void *class_create(const struct sidl_class *cls, void *private_data, sidl_BaseInterface *_ex);
/* Runs the destructors, the object's own class first, then `destroy` of the root of the chain. */
void class_destroy(struct sidl_object *object, sidl_BaseInterface *_ex);

/*
 * One lock for all classes, so that classes that need each other cannot deadlock. It is recursive,
 * since `load`, constructors of loaded libraries and finders may use any class.
 */
void class_lock(void);
void class_unlock(void);

/* contract.c: contracts and hooks. */
/*
 * STATE gets a guard, and live static methods, if it has contracts or hooks. False: out of memory.
 */
bool guard_make(const struct sidl_class *cls, struct sidl_class_state *state);
/* How many methods of these types have contracts. */
size_t guard_count_checks(const struct sidl_facet *facets, size_t n_facets);
/* loader.c: the class of that name, loaded if need be; NULL with *_ex set. */
const struct sidl_class *loader_find_class(const char *class_name, sidl_BaseInterface *_ex);
/* The class of that name that it has found before, or NULL; with the lock held. */
const struct sidl_class *loader_peek_class(const char *class_name);
/* Lets it find CLS by that name; with the lock held. False without memory. */
bool loader_remember_class(const char *class_name, const struct sidl_class *cls);
/* Undoes that. */
void loader_forget_class(const struct sidl_class *cls);

/* SIZE rounded up to the strictest alignment. */
size_t object_aligned(size_t size);

#endif
