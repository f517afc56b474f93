/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: basic types and objects. Include <sidl.h>, not this file.
 *
 * An interface reference is a pointer to a *facet*: a pair of entry-point table and implementation.
 * All facets of one object share its reference count. References, casts and identity work alike for
 * every interface, so functions here handle facets of any type; generated headers add only the
 * typed names. Types are compared by name, so that each plug-in may have its own copy of a type's
 * table.
 *
 * Functions may be called from any thread; reference counts are atomic. Names and calling
 * conventions are those of Babel 2.0's C binding.
 */
#ifndef SIDL_OBJECT_H
#define SIDL_OBJECT_H

#include <stdbool.h>
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

/* A function in a slot, of any signature; cast it to the real type before a call. */
typedef void (*sidl_slot_fn)(void);

struct sidl_BaseInterface__epv {
    sidl_slot_fn f__none; /* no slots; C wants a member */
};

struct sidl_BaseClass__epv {
    sidl_slot_fn f__none;
};

struct sidl_BaseInterface__object {
    const struct sidl_BaseInterface__epv *d_epv;
    void *d_object; /* the implementation, which starts with a struct sidl_object */
};

struct sidl_BaseClass__object {
    const struct sidl_BaseClass__epv *d_epv;
    void *d_object;
};

/** Any interface reference may be C-cast to this type, and is then valid for all functions here. */
typedef struct sidl_BaseInterface__object *sidl_BaseInterface;
typedef struct sidl_BaseClass__object *sidl_BaseClass;
typedef struct sidl_ClassInfo__object *sidl_ClassInfo;

enum sidl_kind { SIDL_INTERFACE, SIDL_CLASS, SIDL_ENUM, SIDL_STRUCT };

struct sidl_method {
    const char *name; /* short name and extension, as in the C name */
};

union sidl_value;
struct sidl_handled;

/**
 * What arguments and result a method has, as text, and a function that calls any slot of this kind
 * with values from an array (sidl_call.h). The text:
 *
 *     signature = ["static "] value "(" [ argument { "," argument } ] ")"     the result first
 *     argument  = [ ">" | "=" ] value              in; ">" is out, "=" is inout
 *     value     = "v" | "b" | "c" | "i" | "l" | "f" | "d" | "F" | "D" | "s" | "p"
 *               | "e:" NAME | "t:" NAME | "o:" NAME         enum, struct, object
 *               | "[" [ DIMENSION [ "c" | "r" ] ] "]" [ value ]      array; "[]" is array<>
 *               | "{" DIMENSION [ "=" COUNT ] "}" value              raw array
 *
 * The letters mean void, bool, char, int, long, float, double, fcomplex, dcomplex, string and
 * opaque; "c" and "r" column-major and row-major order. Extents of raw arrays are not arguments of
 * the entry-point table, so they are not in the text. A raw array that lies in a struct has a
 * COUNT.
 */
struct sidl_signature {
    const char *text;
    size_t n_arguments;
    void (*call)(sidl_slot_fn slot, void *self, union sidl_value *values, sidl_BaseInterface *_ex);
};

/** A method that types of a package have: called by name, and served by handlers (sidl_call.h). */
struct sidl_entry {
    const char *name;
    const struct sidl_signature *signature;
    sidl_slot_fn serve; /* for the slot: passes its arguments to a handler as values */
};

struct sidl_package_state {
    size_t base; /* of the run time's numbers for the methods; 0: none yet */
    const struct sidl_handled **statics; /* the handlers of static methods */
};

/** One package as data; generated. */
struct sidl_package {
    const char *name;
    const char *version;
    const struct sidl_type *const *types;
    size_t n_types;
    const struct sidl_entry *methods;
    size_t n_methods;
    struct sidl_package_state *state; /* zeroed; the run time's */
};

/** An enumerator and its value, or a struct's member, its type (a value, as above) and offset. */
struct sidl_member {
    const char *name;
    const char *type; /* NULL for enumerators */
    int64_t value;
};

/** What calls by name need to know of a type; generated. sidl_type_details() finds it. */
struct sidl_details {
    const struct sidl_package *package;
    const uint16_t *slots;   /* for each slot, the number of its method in the package */
    const uint16_t *statics; /* the same for struct A_B_C__sepv */
    size_t n_statics;
    const struct sidl_class *(*externals)(void); /* NULL: the class is not linked, or abstract */
    const struct sidl_member *members;
    size_t n_members;
    size_t size; /* of a struct */
};

/**
 * A wrapper that checks the contract of one slot or calls its hooks, and is in the slot while these
 * are on.
 */
struct sidl_check {
    const struct sidl_type *type; /* the type with the contract; NULL: hooks */
    const char *method;
    size_t slot; /* of the type's or the class's table, or of its static methods' */
    sidl_slot_fn wrapper;
    sidl_bool is_static;
    const struct sidl_check_link *of_static; /* NULL; filled in by the run time */
};

struct sidl_check_call;

/** One type; generated. An entry-point table has one slot per method, in the order given here. */
struct sidl_type {
    const char *name; /* "gov.cca.Port" */
    const char *version;
    enum sidl_kind kind;
    /**
     * 0 in tables of older versions, where these bytes were not used. 1: methods[n_methods].name is
     * the address of a struct sidl_details. The struct does not grow, since programs may hold
     * copies of a library's types.
     */
    uint32_t level;
    const struct sidl_type *const *parents; /* of a class: the class that it extends first */
    size_t n_parents;
    const struct sidl_method *methods; /* the inherited ones first */
    size_t n_methods;
    struct sidl_check *checks; /* of types with contracts */
    size_t n_checks;
    void (*invariants)(struct sidl_check_call *call, void *self); /* OPTIONAL: checks its own */
};

/** An entry-point table (struct A_B_C__epv) for a type that a class implements. */
struct sidl_implements {
    const struct sidl_type *type;
    const void *epv;
};

struct sidl_class_state;

/**
 * A class, written by its implementer. It must outlive the objects made from it.
 *
 * A class written by hand fills in the first part. A class of SIDL also fills in `state` and, as
 * needed, the rest of the second part. Its own type comes first in `implements`; usually it is the
 * only one, since tables of interfaces are made from the class's table by the methods' names. (An
 * interface whose method has another name in the class gets an entry of its own.) NULL slots are
 * inherited from the class that it extends.
 */
struct sidl_class {
    const char *name;
    const char *version;
    size_t size; /* of the implementation, whose first member is a struct sidl_object */
    const struct sidl_implements *implements; /* parents of these types need no entry */
    size_t n_implements;
    /** OPTIONAL: called without references left; frees what the object owns, not the object. */
    void (*destroy)(void *self);
    /**
     * OPTIONAL: called for a cast to a type that is not among the facets; returns a new reference
     * of that type, which the caller owns, or NULL. Proxies cast their target.
     */
    void *(*cast)(void *self, const char *type);

    /* Classes of SIDL; all OPTIONAL but `state`. */
    const struct sidl_class *(*extends)(void); /* weak: NULL when that class is not linked … */
    const char *extends_name; /* … but loaded by this name; NULL: extends sidl.BaseClass only */
    const struct sidl_type *type; /* of the class; NULL: implements[0].type */
    /** Called once, parents first, before the first object or static call; ignores exceptions. */
    void (*load)(sidl_BaseInterface *_ex);
    void (*ctor)(void *self, sidl_BaseInterface *_ex); /* the parents' first */
    /** Instead of ctor, for an object that is made around private data. */
    void (*ctor2)(void *self, void *private_data, sidl_BaseInterface *_ex);
    void (*dtor)(void *self, sidl_BaseInterface *_ex); /* its own first, then the parents' */
    void (*super)(const void *parent_epv); /* called with the table of the class it extends */
    const void *statics;                   /* struct A_B_C__sepv */
    size_t n_statics;                      /* its slots; 0: they cannot be wrapped */
    struct sidl_check *hooks;
    size_t n_hooks;
    struct sidl_class_state *state; /* zeroed; filled in by the run time at first use */
};

/**
 * The initializer of a class written by hand that implements one TYPE by the table EPV. Its objects
 * are of struct STATE; DESTROY may be NULL.
 */
#define SIDL_CLASS(NAME, VERSION, STATE, TYPE, EPV, DESTROY)                                       \
    {                                                                                              \
        .name = (NAME), .version = (VERSION), .size = sizeof(struct STATE),                        \
        .implements = &(const struct sidl_implements){&TYPE##__type, &(EPV)}, .n_implements = 1,   \
        .destroy = (DESTROY)                                                                       \
    }

/** One entry-point table of a linked class. */
struct sidl_table {
    const struct sidl_type *type;
    const sidl_slot_fn *plain; /* the implementations, inherited ones filled in; NULL: abstract */
    sidl_slot_fn *live;        /* used by objects: the same as `plain`, or wrappers */
};

/** One type of an object or class, and the table for it. */
struct sidl_facet {
    const struct sidl_type *type;
    size_t table; /* 0: the class's own */
};

/** The run time's part of a class: computed once; then only `stage` and live slots change. */
struct sidl_class_state {
    int32_t stage;                   /* atomic */
    size_t size;                     /* of an object, head included */
    size_t depth;                    /* 0 for a class that extends sidl.BaseClass only */
    const struct sidl_class **chain; /* depth + 1, root first; NULL: exception without own code */
    struct sidl_table *tables;       /* [0] is the class's own */
    size_t n_tables;
    struct sidl_facet *facets; /* one per type */
    size_t n_facets;
    const void **dress;  /* n_tables live tables per level of the chain, for constructors */
    bool is_dressed;     /* false: no level but the last one has constructors or destructors */
    sidl_slot_fn *slots; /* the memory of the tables */
    const char *abstract_method; /* NULL when every slot is filled */
    const void *statics;         /* used by callers: those of the class, or wrappers */
};

/**
 * The head of every implementation; filled in by sidl_object_create, private otherwise. It starts
 * with a facet: the object itself is a valid reference of its class (of the first type that it
 * implements), of the classes that this one extends, and of all types whose slots come first.
 */
struct sidl_object {
    struct sidl_BaseInterface__object self;
    const struct sidl_class *cls;
    const struct sidl_facet *facets;
    size_t n_facets;
    struct sidl_BaseInterface__object *others; /* for facets whose table is not 0: at table - 1 */
    void **data;                               /* one per class of the chain, root first */
    int32_t references; /* atomic; negative: a static object, never counted */
};

/**
 * A new object of CLS: zeroed, with one reference, which sidl_object_release (or deleteRef on any
 * facet) gives back. NULL with an exception in *_ex when memory runs out (sidl.MemAllocException),
 * a table lacks a method (sidl.NotImplementedException, naming it), or a constructor threw.
 */
SIDL_API void *sidl_object_create(const struct sidl_class *cls, sidl_BaseInterface *_ex);

/** SELF as a reference of that type, borrowed from SELF; NULL when it is not among its facets. */
SIDL_API void *sidl_object_facet(void *self, const char *type_name);

SIDL_API void sidl_object_retain(void *self);
SIDL_API void sidl_object_release(void *self);

/**
 * For generated __create and __wrapObj functions: a new object of the class whose type is TYPE.
 * EXTERNALS returns the class. If it is NULL (not linked), the run time makes a class for
 * exceptions without methods of their own, and sidl.Loader searches all others. PRIVATE_DATA,
 * unless NULL, becomes the object's and is passed to ctor2; on failure it stays the caller's.
 * Returns a reference of TYPE, or NULL with *_ex set.
 */
SIDL_API void *sidl_class_create(const struct sidl_type *type,
                                 const struct sidl_class *(*externals)(void), void *private_data,
                                 sidl_BaseInterface *_ex);

/** The table of static methods (struct A_B_C__sepv) of that class, loaded; NULL with *_ex set. */
SIDL_API const void *sidl_class_statics(const struct sidl_type *type,
                                        const struct sidl_class *(*externals)(void),
                                        sidl_BaseInterface *_ex);
/** The same for stubs; remembered in *KNOWN once the class is loaded. */
SIDL_API const void *sidl_class_statics_once(const struct sidl_type *type,
                                             const struct sidl_class *(*externals)(void),
                                             const void **known, sidl_BaseInterface *_ex);

/**
 * Private data of a class of SIDL in an object (or any reference to it): DEPTH is the number of
 * classes that this class extends, sidl.BaseClass not counted. NULL when never set.
 */
SIDL_API void *sidl_object_data(void *self, size_t depth);
SIDL_API void sidl_object_set_data(void *self, size_t depth, void *data);

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
/** A new reference; NULL with *_ex set when memory runs out. */
SIDL_API sidl_ClassInfo sidl_reference_class_info(void *reference, sidl_BaseInterface *_ex);

static inline sidl_bool sidl_reference_is_same(void *a, void *b, sidl_BaseInterface *_ex)
{
    if (_ex)
        *_ex = NULL;
    return a == b ||
           (a && b && ((sidl_BaseInterface)a)->d_object == ((sidl_BaseInterface)b)->d_object);
}

/** FALSE: Portolan has no remote invocation. */
static inline sidl_bool sidl_reference_is_remote(void *reference, sidl_BaseInterface *_ex)
{
    (void)reference;
    if (_ex)
        *_ex = NULL;
    return FALSE;
}

/** Throws sidl.rmi.NetworkException about NAME, a class or method, and returns NULL. */
SIDL_API void *sidl_remote_refuse(const char *name, sidl_BaseInterface *_ex);

/** Returns the implementation of a reference, NULL for NULL. */
static inline void *sidl_reference_peek(void *reference)
{
    return reference ? ((sidl_BaseInterface)reference)->d_object : NULL;
}

/** The name of the class of a reference's object; "" for NULL. */
static inline const char *sidl_reference_class_name(void *reference)
{
    const struct sidl_object *object = (const struct sidl_object *)sidl_reference_peek(reference);

    return object ? object->cls->name : "";
}

enum sidl_wrapper { SIDL_CONTRACTS, SIDL_HOOKS };

/**
 * Switches contracts or hooks of a class: of its static methods and of all its objects, from now
 * on, also in calls that other threads make, and even before the class is first used. Classes that
 * extend it have switches of their own. sidl.MemAllocException when memory runs out.
 */
SIDL_API void sidl_class_switch(const char *class_name, enum sidl_wrapper what, sidl_bool enable,
                                sidl_BaseInterface *_ex);

/*
 * The function in a slot of SELF's table, or of a table of static methods. While another thread
 * switches contracts or hooks, it is the old one or the new one.
 */
#define SIDL_SLOT(SELF, SLOT)                                                                      \
    SIDL_STATIC_SLOT(__atomic_load_n(&(SELF)->d_epv, __ATOMIC_RELAXED), SLOT)
#define SIDL_STATIC_SLOT(TABLE, SLOT) __atomic_load_n(&(TABLE)->SLOT, __ATOMIC_RELAXED)

struct sidl_rmi_Call__object;
struct sidl_rmi_Return__object;

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
    }                                                                                              \
    /* what concerns remote objects: there are none here, and none can be had */                   \
    static inline void TYPE##__raddRef(TYPE self, sidl_BaseInterface *_ex)                         \
    {                                                                                              \
        sidl_reference_add(self, _ex);                                                             \
    }                                                                                              \
    static inline sidl_bool TYPE##__isRemote(TYPE self, sidl_BaseInterface *_ex)                   \
    {                                                                                              \
        return sidl_reference_is_remote(self, _ex);                                                \
    }                                                                                              \
    static inline sidl_bool TYPE##__isLocal(TYPE self, sidl_BaseInterface *_ex)                    \
    {                                                                                              \
        return !sidl_reference_is_remote(self, _ex);                                               \
    }                                                                                              \
    static inline TYPE TYPE##__connectI(const char *url, sidl_bool ar, sidl_BaseInterface *_ex)    \
    {                                                                                              \
        (void)url, (void)ar;                                                                       \
        return (TYPE)sidl_remote_refuse(NAME, _ex);                                                \
    }                                                                                              \
    static inline TYPE TYPE##__connect(const char *url, sidl_BaseInterface *_ex)                   \
    {                                                                                              \
        return TYPE##__connectI(url, TRUE, _ex);                                                   \
    }                                                                                              \
    static inline char *TYPE##__getURL(TYPE self, sidl_BaseInterface *_ex)                         \
    {                                                                                              \
        (void)self;                                                                                \
        return (char *)sidl_remote_refuse(NAME, _ex);                                              \
    }                                                                                              \
    static inline void TYPE##__exec(                                                               \
        TYPE self, const char *methodName, struct sidl_rmi_Call__object *inArgs,                   \
        struct sidl_rmi_Return__object *outArgs, sidl_BaseInterface *_ex)                          \
    {                                                                                              \
        (void)self, (void)methodName, (void)inArgs, (void)outArgs;                                 \
        sidl_remote_refuse(NAME, _ex);                                                             \
    }                                                                                              \
    static inline void TYPE##__set_contracts(TYPE self, sidl_bool enable, const char *enfFilename, \
                                             sidl_bool resetCounters, sidl_BaseInterface *_ex)     \
    {                                                                                              \
        (void)enfFilename, (void)resetCounters; /* what is on is checked in every call */          \
        sidl_class_switch(sidl_reference_class_name(self), SIDL_CONTRACTS, enable, _ex);           \
    }                                                                                              \
    static inline void TYPE##__set_hooks(TYPE self, sidl_bool enable, sidl_BaseInterface *_ex)     \
    {                                                                                              \
        sidl_class_switch(sidl_reference_class_name(self), SIDL_HOOKS, enable, _ex);               \
    }

/** The names that classes have in addition. */
#define SIDL_CLASS_API(TYPE, NAME)                                                                 \
    static inline TYPE TYPE##__createRemote(const char *url, sidl_BaseInterface *_ex)              \
    {                                                                                              \
        return TYPE##__connectI(url, TRUE, _ex);                                                   \
    }                                                                                              \
    static inline void TYPE##__set_contracts_static(sidl_bool enable, const char *enfFilename,     \
                                                    sidl_bool resetCounters,                       \
                                                    sidl_BaseInterface *_ex)                       \
    {                                                                                              \
        (void)enfFilename, (void)resetCounters;                                                    \
        sidl_class_switch(NAME, SIDL_CONTRACTS, enable, _ex);                                      \
    }                                                                                              \
    static inline void TYPE##__set_hooks_static(sidl_bool enable, sidl_BaseInterface *_ex)         \
    {                                                                                              \
        sidl_class_switch(NAME, SIDL_HOOKS, enable, _ex);                                          \
    }

SIDL_REFERENCE_API(sidl_BaseInterface, "sidl.BaseInterface")
SIDL_REFERENCE_API(sidl_BaseClass, "sidl.BaseClass")
SIDL_CLASS_API(sidl_BaseClass, "sidl.BaseClass")

SIDL_API extern const struct sidl_type sidl_BaseInterface__type;
SIDL_API extern const struct sidl_type sidl_BaseClass__type;

/** A plain object without methods of its own: a new reference, or NULL with *_ex set. */
SIDL_API sidl_BaseClass sidl_BaseClass__create(sidl_BaseInterface *_ex);

#ifdef __cplusplus
}
#endif
#endif
