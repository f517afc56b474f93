/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: calls by name, and classes whose methods are handlers. For callers and servers in
 * languages that have no generated code, such as Python: all that they need is in the tables of the
 * packages (struct sidl_details, in sidl_object.h). Only generated C files use the macros at the
 * end.
 *
 * Values of a call are an array of union sidl_value: [0] is the result (also when there is none),
 * [1] the first argument of the entry-point table, and so on; the extents of raw arrays are not
 * among them. Ownership is that of C: in arguments are borrowed; what out and inout arguments and
 * the result hold after the call belongs to the caller (strings are freed by sidl_String_free).
 *
 * Functions may be called from any thread. Unless stated otherwise they set *_ex, to NULL if all is
 * well, else to an exception that the caller releases.
 */
#ifndef SIDL_CALL_H
#define SIDL_CALL_H

#include "sidl.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One value; the letter is that of the signature's grammar. */
union sidl_value {
    sidl_bool b;
    char c;
    int32_t i; /* and enums */
    int64_t l;
    float f;
    double d;
    struct sidl_fcomplex F;
    struct sidl_dcomplex D;
    char *s; /* an in argument is only read */
    /**
     * An opaque, a reference of the type in the signature, an array (struct sidl__array *; also for
     * raw arrays, in every mode), or the address of a struct (in every mode, and of a result: the
     * caller has room for it there).
     */
    void *p;
};

/** One value of a signature, as text and in parts. */
struct sidl_parameter {
    char mode;         /* ' ' in, '>' out, '=' inout */
    char kind;         /* the letter; '[' array, '{' raw array */
    char element;      /* of arrays: the kind of the elements; '\0' for the generic array<> */
    char order;        /* of arrays: 'c' column-major, 'r' row-major, '\0' any */
    int32_t dimension; /* of arrays; 0 for array<> */
    int64_t count;     /* of raw arrays that lie in a struct: their elements; else -1 */
    const char *name;  /* of enums, structs and objects, also as elements: not terminated … */
    size_t length;     /* … but so long */
};

/**
 * Takes the next value of a signature at *AT (start with signature->text, or a member's type): the
 * result first, then the arguments. False at the end.
 */
SIDL_API sidl_bool sidl_signature_next(const char **at, struct sidl_parameter *parameter);

/** What TYPE's package says of it; NULL if an older portolan sidl wrote the table. */
SIDL_API const struct sidl_details *sidl_type_details(const struct sidl_type *type);

/** A method, found once and called often. */
struct sidl_callee {
    const struct sidl_type *type; /* the one with the slot */
    const struct sidl_signature *signature;
    size_t slot; /* of a static method: in struct A_B_C__sepv of `type` */
    sidl_bool is_static;
};

/**
 * The method of TYPE with that name (extension included), inherited static ones among them. Throws
 * sidl.SIDLException when there is none, or when its table has no signatures.
 */
SIDL_API sidl_bool sidl_type_find(const struct sidl_type *type, const char *method,
                                  struct sidl_callee *callee, sidl_BaseInterface *_ex);

/** The same for any type of an object, its class's own first. */
SIDL_API sidl_bool sidl_reference_find(void *reference, const char *method,
                                       struct sidl_callee *callee, sidl_BaseInterface *_ex);

/** Calls a method that is not static; REFERENCE is of callee->type. */
static inline void sidl_callee_call(const struct sidl_callee *callee, void *reference,
                                    union sidl_value *values, sidl_BaseInterface *_ex)
{
    const sidl_BaseInterface self = (sidl_BaseInterface)reference;
    const sidl_slot_fn *table =
        (const sidl_slot_fn *)(const void *)__atomic_load_n(&self->d_epv, __ATOMIC_RELAXED);

    *_ex = NULL;
    callee->signature->call(__atomic_load_n(&table[callee->slot], __ATOMIC_RELAXED), self->d_object,
                            values, _ex);
}

/**
 * Calls the method of that name with N arguments, values[1] to values[N]. Throws as the method, as
 * sidl_reference_find(), or sidl.SIDLException when N is not the number of its arguments.
 */
SIDL_API void sidl_call(void *reference, const char *method, union sidl_value *values, size_t n,
                        sidl_BaseInterface *_ex);
/** The same for a static method; if need be, loads the class. */
SIDL_API void sidl_call_static(const struct sidl_type *type, const char *method,
                               union sidl_value *values, size_t n, sidl_BaseInterface *_ex);

/* Classes of handlers */

struct sidl_handled;

/**
 * Serves a call of METHOD. SELF is the implementation, a valid reference of the class's first type
 * (NULL for static methods). Out arguments are zero, except for structs, which it must fill in. It
 * finds *_ex NULL and touches it only to throw.
 */
typedef void (*sidl_handler_fn)(const struct sidl_handled *method, void *self,
                                union sidl_value *values, sidl_BaseInterface *_ex);

/** A method of such a class, and who serves it. */
struct sidl_handled {
    sidl_handler_fn handler;
    void *user; /* the handler's own */
    const char *name;
    const struct sidl_signature *signature;
    const struct sidl_type *type; /* of the class's types, the first one that has the method */
    size_t slot;                  /* of that type */
    sidl_bool is_static;
    const struct sidl_class *of; /* the class */
};

/** What a class of handlers is made from. */
struct sidl_recipe {
    const char *name; /* copied, as is the version */
    const char *version;
    /**
     * The class's own type first, if SIDL declares it, then further interfaces. They outlive the
     * class, so the library that they are in must stay loaded.
     */
    const struct sidl_type *const *types;
    size_t n_types;
    /**
     * Chooses `handler` and `user` for a method, whose other members are filled in. False: the
     * class has none, and inherits the method, if it extends a class; else its objects cannot be
     * created. Called while the class is made, for each method once.
     */
    sidl_bool (*choose)(void *user, struct sidl_handled *method);
    /** OPTIONAL: constructor and destructor, with the references that the object starts with. */
    void (*ctor)(void *user, void *self, sidl_BaseInterface *_ex);
    void (*dtor)(void *user, void *self, sidl_BaseInterface *_ex);
    void *user;
};

/**
 * Makes a class, which lives until the process ends; A_B_C__create and sidl.Loader find it by its
 * name from then on, if it is the first of that name. NULL with *_ex set when memory is out, a type
 * has no signatures, or the name is taken. sidl_object_create() makes its objects, with private
 * data (sidl_handled_data).
 */
SIDL_API const struct sidl_class *sidl_class_make(const struct sidl_recipe *recipe,
                                                  sidl_BaseInterface *_ex);

/** The private data of the class CLS in an object: a place for one pointer; NULL if it has none. */
SIDL_API void **sidl_class_data(const struct sidl_class *cls, void *self);

/** Calls the method that METHOD overrides, of the class that its class extends. */
SIDL_API void sidl_handled_super(const struct sidl_handled *method, void *self,
                                 union sidl_value *values, sidl_BaseInterface *_ex);

/* For generated C files */

/** The slot function number METHOD of a package was called. */
SIDL_API void sidl_serve(const struct sidl_package *package, size_t method, void *self,
                         union sidl_value *values, sidl_BaseInterface *_ex);

#ifndef __cplusplus

#define SIDL_OPEN(...) __VA_ARGS__
/* Where a served function's result lies, zeroed. */
#define SIDL_ROOM(TYPE) memset(__builtin_alloca(sizeof(TYPE)), 0, sizeof(TYPE))

/*
 * A signature is a macro of the C file that passes on its parts: its text and number of arguments;
 * the result's type; what stores the result of a call, and what gives it back; self or NULL; the
 * parameters; a call's arguments; values before the call; assignments after it.
 */
#define SIDL_SIGNATURE(NAME, TEXT, N, TYPE, SET, GET, SELF, PARAMETERS, ARGUMENTS, BEFORE, AFTER)  \
    static void NAME##_call(sidl_slot_fn f, void *self, union sidl_value *v,                       \
                            sidl_BaseInterface *_ex)                                               \
    {                                                                                              \
        (void)self, (void)v;                                                                       \
        SET((TYPE(*) PARAMETERS)f) ARGUMENTS;                                                      \
    }                                                                                              \
    static const struct sidl_signature NAME = {TEXT, N, NAME##_call};

#define SIDL_SERVE(NUMBER, TEXT, N, TYPE, SET, GET, SELF, PARAMETERS, ARGUMENTS, BEFORE, AFTER)    \
    static TYPE serve_##NUMBER PARAMETERS                                                          \
    {                                                                                              \
        union sidl_value v[] = {SIDL_OPEN BEFORE};                                                 \
                                                                                                   \
        sidl_serve(&SIDL_PACKAGE, NUMBER, SELF, v, _ex);                                           \
        AFTER;                                                                                     \
        return GET;                                                                                \
    }

/* A package's methods are a list, once of functions and once of entries. */
#define SIDL_METHOD_SERVE(NUMBER, NAME, SIGNATURE) SIGNATURE(SIDL_SERVE, NUMBER)
#define SIDL_METHOD_ENTRY(NUMBER, NAME, SIGNATURE)                                                 \
    {NAME, &SIGNATURE##_signature, (sidl_slot_fn)serve_##NUMBER},
#define SIDL_PACKAGE_DATA(PACKAGE, NAME, VERSION, METHODS, N_METHODS)                              \
    static struct sidl_package_state package_state;                                                \
    const struct sidl_package PACKAGE = {                                                          \
        NAME, VERSION, types, sizeof types / sizeof *types, METHODS, N_METHODS, &package_state};
/* The entry of a type's methods that ends them. */
#define SIDL_END(DETAILS)                                                                          \
    {                                                                                              \
        (const char *)&(DETAILS)                                                                   \
    }
#define SIDL_NO_METHODS(DETAILS)                                                                   \
    .methods = &(const struct sidl_method)                                                         \
    {                                                                                              \
        (const char *)&(DETAILS)                                                                   \
    }

#endif

#ifdef __cplusplus
}
#endif
#endif
