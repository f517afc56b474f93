/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: basic types and objects. Include <sidl.h>, not this file.
 *
 * An interface reference is a pointer to a *facet*: a pair of entry-point table and implementation.
 * All facets of one object share its reference count. What is the same for every interface
 * (references, casts, identity) is done here, at run time, for facets of any type; generated
 * headers add only the typed names. Types are compared by name, so that each plug-in may carry its
 * own copy of a type's table.
 *
 * Functions may be called from any thread; reference counts are atomic.
 */
#ifndef SIDL_OBJECT_H
#define SIDL_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIDL_API __attribute__((visibility("default")))

typedef int sidl_bool;

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

struct sidl_fcomplex {
    float real;
    float imaginary;
};

struct sidl_dcomplex {
    double real;
    double imaginary;
};

/* What a slot holds, whatever its signature; cast to the real type before a call. */
typedef void (*sidl_slot_fn)(void);

struct sidl_BaseInterface__epv {
    sidl_slot_fn f__none; /* no slots; C wants a member */
};

struct sidl_BaseInterface__object {
    const struct sidl_BaseInterface__epv *d_epv;
    void *d_object; /* the implementation, which starts with a struct sidl_object */
};

/** Any interface reference may be C-cast to this type, and is then valid for all functions here. */
typedef struct sidl_BaseInterface__object *sidl_BaseInterface;
typedef struct sidl_BaseInterface__object *sidl_BaseClass;
typedef struct sidl_ClassInfo__object *sidl_ClassInfo;

enum sidl_kind { SIDL_INTERFACE, SIDL_CLASS, SIDL_ENUM, SIDL_STRUCT };

struct sidl_method {
    const char *name; /* short name and extension, as in the C name */
};

/** One type; generated. An entry-point table has one slot per method, in the order given here. */
struct sidl_type {
    const char *name; /* "gov.cca.Port" */
    const char *version;
    enum sidl_kind kind;
    const struct sidl_type *const *parents;
    size_t n_parents;
    const struct sidl_method *methods; /* the inherited ones first */
    size_t n_methods;
};

/** An entry-point table (struct A_B_C__epv) for a type that a class implements. */
struct sidl_implements {
    const struct sidl_type *type;
    const void *epv;
};

/** A class, written by whoever implements it. It must outlive the objects made from it. */
struct sidl_class {
    const char *name;
    const char *version;
    size_t size; /* of the implementation, whose first member is a struct sidl_object */
    const struct sidl_implements *implements; /* parents of these types need no entry */
    size_t n_implements;
    /** OPTIONAL: the last reference is gone; frees what the object owns, not the object. */
    void (*destroy)(void *self);
    /**
     * OPTIONAL: asked for a type that is not among the facets; returns a reference of that type
     * (a new one, the caller's) or NULL. Proxies ask what is behind them.
     */
    void *(*cast)(void *self, const char *type);
};

struct sidl_facet {
    struct sidl_BaseInterface__object object;
    const struct sidl_type *type; /* NULL: sidl.BaseInterface */
};

/** The head of every implementation; filled in by sidl_object_create, private otherwise. */
struct sidl_object {
    const struct sidl_class *cls;
    struct sidl_facet *facets;
    size_t n_facets;
    int32_t references; /* atomic; negative: a static object, never counted */
};

/**
 * A new object of CLS: zeroed, with one reference, which sidl_object_release (or deleteRef on any
 * facet) gives back. NULL with an exception in *_ex when memory is out (sidl.MemAllocException) or
 * a table lacks a method (sidl.NotImplementedException, naming it).
 */
SIDL_API void *sidl_object_create(const struct sidl_class *cls, sidl_BaseInterface *_ex);

/** SELF as a reference of that type, borrowed from SELF; NULL when it is not among its facets. */
SIDL_API void *sidl_object_facet(void *self, const char *type_name);

SIDL_API void sidl_object_retain(void *self);
SIDL_API void sidl_object_release(void *self);

/*
 * The same for references (facets) of any type. A NULL reference is legal everywhere: nothing to
 * count, cast to NULL, the same as NULL. They set *_ex to NULL (_ex may be NULL).
 */
SIDL_API void sidl_reference_add(void *reference, sidl_BaseInterface *_ex);
SIDL_API void sidl_reference_delete(void *reference, sidl_BaseInterface *_ex);
/** A new reference of that type, or NULL when the object has no such type. */
SIDL_API void *sidl_reference_cast(void *reference, const char *type_name, sidl_BaseInterface *_ex);
SIDL_API sidl_bool sidl_reference_is_type(void *reference, const char *type_name,
                                          sidl_BaseInterface *_ex);
/** A new reference; NULL with *_ex set when memory is out. */
SIDL_API sidl_ClassInfo sidl_reference_class_info(void *reference, sidl_BaseInterface *_ex);

static inline sidl_bool sidl_reference_is_same(void *a, void *b, sidl_BaseInterface *_ex)
{
    if (_ex)
        *_ex = NULL;
    return a == b ||
           (a && b && ((sidl_BaseInterface)a)->d_object == ((sidl_BaseInterface)b)->d_object);
}

/** The implementation behind a reference, NULL for NULL. */
static inline void *sidl_reference_peek(void *reference)
{
    return reference ? ((sidl_BaseInterface)reference)->d_object : NULL;
}

/** The names that Babel's C binding gives every type: TYPE is A_B_C, NAME "A.B.C". */
#define SIDL_REFERENCE_API(TYPE, NAME)                                                             \
    static inline void TYPE##_addRef(TYPE self, sidl_BaseInterface *_ex)                           \
    {                                                                                              \
        sidl_reference_add(self, _ex);                                                             \
    }                                                                                              \
    static inline void TYPE##_deleteRef(TYPE self, sidl_BaseInterface *_ex)                        \
    {                                                                                              \
        sidl_reference_delete(self, _ex);                                                          \
    }                                                                                              \
    static inline sidl_bool TYPE##_isSame(TYPE self, sidl_BaseInterface other,                     \
                                          sidl_BaseInterface *_ex)                                 \
    {                                                                                              \
        return sidl_reference_is_same(self, other, _ex);                                           \
    }                                                                                              \
    static inline sidl_bool TYPE##_isType(TYPE self, const char *name, sidl_BaseInterface *_ex)    \
    {                                                                                              \
        return sidl_reference_is_type(self, name, _ex);                                            \
    }                                                                                              \
    static inline sidl_ClassInfo TYPE##_getClassInfo(TYPE self, sidl_BaseInterface *_ex)           \
    {                                                                                              \
        return sidl_reference_class_info(self, _ex);                                               \
    }                                                                                              \
    /* a new reference, or NULL when OBJECT is not of this type */                                 \
    static inline TYPE TYPE##__cast(void *object, sidl_BaseInterface *_ex)                         \
    {                                                                                              \
        return (TYPE)sidl_reference_cast(object, NAME, _ex);                                       \
    }                                                                                              \
    static inline void *TYPE##__cast2(void *object, const char *type, sidl_BaseInterface *_ex)     \
    {                                                                                              \
        return sidl_reference_cast(object, type, _ex);                                             \
    }

SIDL_REFERENCE_API(sidl_BaseInterface, "sidl.BaseInterface")
SIDL_REFERENCE_API(sidl_BaseClass, "sidl.BaseClass")

SIDL_API extern const struct sidl_type sidl_BaseInterface__type;
SIDL_API extern const struct sidl_type sidl_BaseClass__type;

/* Strings that cross an interface as out, inout or result are made and freed with these. */
SIDL_API char *sidl_String_strdup(const char *text); /* NULL gives NULL */
SIDL_API char *sidl_String_alloc(size_t size_bytes);
SIDL_API void sidl_String_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
