/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of TypeMaps of any type and any implementation. */
#ifndef PORTOLAN_FRAMEWORK_TYPEMAP_H
#define PORTOLAN_FRAMEWORK_TYPEMAP_H

#include "status/status.h"

/*
 * Calls the macro X for each scalar type with NAME, its C type, SIDL's word, and the word of
 * parameter ports. Each type has arrays, NAME##Array.
 */
#define EACH_PLAIN_TYPE(X)                                                                         \
    X(Int, int32_t, int, Int)                                                                      \
    X(Long, int64_t, long, Long)                                                                   \
    X(Float, float, float, Float)                                                                  \
    X(Double, double, double, Double)                                                              \
    X(Fcomplex, struct sidl_fcomplex, fcomplex, Fcomplex)                                          \
    X(Dcomplex, struct sidl_dcomplex, dcomplex, Dcomplex)                                          \
    X(Bool, sidl_bool, bool, Boolean)
#define EACH_TYPE(X) EACH_PLAIN_TYPE(X) X(String, char *, string, String)

/* One value of a scalar type; its field has the name of the type. */
union typemap_value {
#define MEMBER(NAME, CTYPE, ELEMENT, LABEL) CTYPE NAME;
    EACH_TYPE(MEMBER)
#undef MEMBER
};

/* The value of an entry, or the elements of its array; start it as `{0}`. */
struct typemap_values {
    enum gov_cca_Type__enum type; /* the entry's; NoType: there is no such entry */
    size_t count;
    union typemap_value *all; /* strings are ours */
};

/* Type of the elements of an array; a scalar type itself. */
enum gov_cca_Type__enum typemap_element(enum gov_cca_Type__enum type);
enum gov_cca_Type__enum typemap_array_of(enum gov_cca_Type__enum element);

enum portolan_status typemap_get(gov_cca_TypeMap map, const char *key, struct typemap_values *v,
                                 struct portolan_error *err);
enum portolan_status typemap_put(gov_cca_TypeMap map, const char *key,
                                 const struct typemap_values *v, struct portolan_error *err);
void typemap_clear(struct typemap_values *v);
/* Makes room for COUNT values; false when memory runs out. */
bool typemap_make_room(struct typemap_values *v, size_t count);
/* Return whether two elements of that type are equal, and whether E is within numeric bounds. */
bool typemap_is_equal(enum gov_cca_Type__enum element, const union typemap_value *a,
                      const union typemap_value *b);
bool typemap_is_within(enum gov_cca_Type__enum element, const union typemap_value *e,
                       const union typemap_value *low, const union typemap_value *high);
/* Copies the entry under FROM_KEY (arrays keep their form) to TO_KEY, replacing what is there. */
enum portolan_status typemap_copy_entry(gov_cca_TypeMap from, const char *from_key,
                                        gov_cca_TypeMap to, const char *to_key,
                                        struct portolan_error *err);

/* A copy of MAP (NULL: an empty one); NULL with ERR set. */
gov_cca_TypeMap typemap_copy(gov_cca_TypeMap map, struct portolan_error *err);
/* Puts a string under a key that the framework reserves, replacing any value. */
enum portolan_status typemap_put_own(gov_cca_TypeMap map, const char *key, const char *text,
                                     struct portolan_error *err);
/* EBADPROPERTIES when MAP (may be NULL) has another value under the reserved KEY. */
enum portolan_status typemap_check_own(gov_cca_TypeMap map, const char *key, const char *text,
                                       struct portolan_error *err);
/* Adds defaults from the description for keys that PROPERTIES lacks; fails on wrong types. */
enum portolan_status typemap_add_defaults(gov_cca_TypeMap properties,
                                          const struct portolan_class_description *class,
                                          struct portolan_error *err);

#endif
