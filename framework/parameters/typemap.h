/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of TypeMaps, whatever their type and whoever implements the map. */
#ifndef PORTOLAN_FRAMEWORK_TYPEMAP_H
#define PORTOLAN_FRAMEWORK_TYPEMAP_H

#include "core/internal.h"

/* One value of a scalar type; its field has the name of the type. */
union typemap_value {
    int32_t Int;
    int64_t Long;
    float Float;
    double Double;
    struct sidl_fcomplex Fcomplex;
    struct sidl_dcomplex Dcomplex;
    char *String;
    sidl_bool Bool;
};

/* The value of an entry, or the elements of its array; start it as `{0}`. */
struct typemap_values {
    enum gov_cca_Type__enum type; /* the entry's; NoType: there is no such entry */
    size_t count;
    union typemap_value *all; /* strings are ours */
};

/* Type of the elements; the type itself when it is no array. */
enum gov_cca_Type__enum typemap_element(enum gov_cca_Type__enum type);
enum gov_cca_Type__enum typemap_array_of(enum gov_cca_Type__enum element);

enum portolan_status typemap_get(gov_cca_TypeMap map, const char *key, struct typemap_values *v,
                                 struct portolan_error *err);
enum portolan_status typemap_put(gov_cca_TypeMap map, const char *key,
                                 const struct typemap_values *v, struct portolan_error *err);
void typemap_clear(struct typemap_values *v);
/* Room for COUNT values; false without memory. */
bool typemap_make_room(struct typemap_values *v, size_t count);
/* Whether two elements of that type are equal; whether E lies in bounds that are numbers. */
bool typemap_is_equal(enum gov_cca_Type__enum element, const union typemap_value *a,
                      const union typemap_value *b);
bool typemap_is_within(enum gov_cca_Type__enum element, const union typemap_value *e,
                       const union typemap_value *low, const union typemap_value *high);
/* Puts the entry of FROM_KEY, arrays with their form, under TO_KEY, in the place of whatever is
 * there. */
enum portolan_status typemap_copy_entry(gov_cca_TypeMap from, const char *from_key,
                                        gov_cca_TypeMap to, const char *to_key,
                                        struct portolan_error *err);

#endif
