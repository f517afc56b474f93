/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of TypeMaps of any of the sixteen types: copied, compared, held against bounds. */
#include <stdlib.h>
#include <string.h>

#include "parameters.h"

/* The fields of one element that its type uses. */
struct element {
    int64_t whole;
    double real, imaginary;
    char *text; /* ours */
};

struct elements {
    size_t count;
    struct element *all;
};

enum gov_cca_Type__enum parameter_element(enum gov_cca_Type__enum type)
{
    return type >= gov_cca_Type_IntArray
               ? (enum gov_cca_Type__enum)(type - gov_cca_Type_IntArray + gov_cca_Type_Int)
               : type;
}

enum gov_cca_Type__enum parameter_array_of(enum gov_cca_Type__enum element)
{
    return (enum gov_cca_Type__enum)(element - gov_cca_Type_Int + gov_cca_Type_IntArray);
}

#define EACH(SCALAR, ARRAY)                                                                        \
    SCALAR(Int)                                                                                    \
    SCALAR(Long)                                                                                   \
    SCALAR(Float)                                                                                  \
    SCALAR(Double)                                                                                 \
    SCALAR(Fcomplex)                                                                               \
    SCALAR(Dcomplex)                                                                               \
    SCALAR(Bool)                                                                                   \
    ARRAY(Int, int)                                                                                \
    ARRAY(Long, long)                                                                              \
    ARRAY(Float, float)                                                                            \
    ARRAY(Double, double)                                                                          \
    ARRAY(Fcomplex, fcomplex)                                                                      \
    ARRAY(Dcomplex, dcomplex)                                                                      \
    ARRAY(String, string)                                                                          \
    ARRAY(Bool, bool)

static const struct sidl_fcomplex no_Fcomplex;
static const struct sidl_dcomplex no_Dcomplex;
enum { no_Int, no_Long = 0, no_Float = 0, no_Double = 0, no_Bool = 0 };

enum portolan_status parameter_copy(gov_cca_TypeMap from, const char *from_key, gov_cca_TypeMap to,
                                    const char *to_key, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum type = gov_cca_TypeMap_typeOf(from, from_key, &ex);
    char *text;

    if (!ex)
        gov_cca_TypeMap_remove(to, to_key, &ex);
    switch (ex ? gov_cca_Type_NoType : type) {
#define COPY(NAME)                                                                                 \
    case gov_cca_Type_##NAME:                                                                      \
        gov_cca_TypeMap_put##NAME(to, to_key,                                                      \
                                  gov_cca_TypeMap_get##NAME(from, from_key, no_##NAME, &ex), &ex); \
        break;
#define COPY_ARRAY(NAME, ELEMENT)                                                                  \
    case gov_cca_Type_##NAME##Array: {                                                             \
        struct sidl_##ELEMENT##__array *a =                                                        \
            gov_cca_TypeMap_get##NAME##Array(from, from_key, NULL, &ex);                           \
        if (!ex)                                                                                   \
            gov_cca_TypeMap_put##NAME##Array(to, to_key, a, &ex);                                  \
        sidl__array_deleteRef((struct sidl__array *)a);                                            \
        break;                                                                                     \
    }
        EACH(COPY, COPY_ARRAY)
    case gov_cca_Type_String:
        text = gov_cca_TypeMap_getString(from, from_key, NULL, &ex);
        if (!ex)
            gov_cca_TypeMap_putString(to, to_key, text, &ex);
        sidl_String_free(text);
        break;
    case gov_cca_Type_NoType:
        break;
    }
    return portolan_catch(&ex, err);
}

/* -- flattened -- */

static void set_Int(struct element *e, int32_t v)
{
    e->whole = v;
}

static void set_Long(struct element *e, int64_t v)
{
    e->whole = v;
}

static void set_Bool(struct element *e, sidl_bool v)
{
    e->whole = v;
}

static void set_Float(struct element *e, float v)
{
    e->real = v;
}

static void set_Double(struct element *e, double v)
{
    e->real = v;
}

static void set_Fcomplex(struct element *e, struct sidl_fcomplex v)
{
    e->real = v.real;
    e->imaginary = v.imaginary;
}

static void set_Dcomplex(struct element *e, struct sidl_dcomplex v)
{
    e->real = v.real;
    e->imaginary = v.imaginary;
}

static void set_String(struct element *e, char *v)
{
    e->text = v;
}

static void clear(struct elements *v)
{
    for (size_t i = 0; v->all && i < v->count; i++)
        sidl_String_free(v->all[i].text);
    free(v->all);
    *v = (struct elements){0};
}

static bool make_room(struct elements *v, int32_t count)
{
    v->count = (size_t)count;
    v->all = portolan_calloc(v->count + 1, sizeof *v->all);
    return v->all;
}

static enum portolan_status flatten(gov_cca_TypeMap map, const char *key, struct elements *v,
                                    struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    bool room = true;

    *v = (struct elements){0};
    switch (gov_cca_TypeMap_typeOf(map, key, &ex)) {
#define FLATTEN(NAME)                                                                              \
    case gov_cca_Type_##NAME:                                                                      \
        if ((room = make_room(v, 1)))                                                              \
            set_##NAME(v->all, gov_cca_TypeMap_get##NAME(map, key, no_##NAME, &ex));               \
        break;
#define FLATTEN_ARRAY(NAME, ELEMENT)                                                               \
    case gov_cca_Type_##NAME##Array: {                                                             \
        struct sidl_##ELEMENT##__array *a = gov_cca_TypeMap_get##NAME##Array(map, key, NULL, &ex); \
        if (ex || !a)                                                                              \
            break;                                                                                 \
        room = make_room(v, sidl_##ELEMENT##__array_length(a, 0));                                 \
        for (size_t i = 0; room && i < v->count; i++)                                              \
            set_##NAME(&v->all[i], sidl_##ELEMENT##__array_get1(                                   \
                                       a, sidl_##ELEMENT##__array_lower(a, 0) + (int32_t)i));      \
        sidl_##ELEMENT##__array_deleteRef(a);                                                      \
        break;                                                                                     \
    }
        EACH(FLATTEN, FLATTEN_ARRAY)
    case gov_cca_Type_String:
        if ((room = make_room(v, 1)))
            set_String(v->all, gov_cca_TypeMap_getString(map, key, NULL, &ex));
        break;
    case gov_cca_Type_NoType:
        break;
    }
    status = portolan_catch(&ex, err);
    if (status == PORTOLAN_OK && !room)
        status = portolan_no_memory(err);
    if (status != PORTOLAN_OK)
        clear(v);
    return status;
}

static bool equal(const struct element *a, const struct element *b)
{
    return a->whole == b->whole && a->real == b->real && a->imaginary == b->imaginary &&
           !strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

/* Not a number is in no bounds. */
static bool within(const struct element *e, const struct element *low, const struct element *high)
{
    return low->whole <= e->whole && e->whole <= high->whole && low->real <= e->real &&
           e->real <= high->real;
}

static bool among(const struct element *e, const struct elements *choices)
{
    for (size_t i = 0; i < choices->count; i++)
        if (equal(e, &choices->all[i]))
            return true;
    return false;
}

static enum portolan_status check_all(const struct elements *v, const struct elements *low,
                                      const struct elements *high, const struct elements *choices,
                                      const char *key, struct portolan_error *err)
{
    for (size_t i = 0; i < v->count; i++) {
        if (choices->count && !among(&v->all[i], choices))
            return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                      "parameter '%s': the value is none of the choices", key);
        if (low->count && high->count && !within(&v->all[i], low->all, high->all))
            return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                      "parameter '%s': the value is out of its bounds", key);
    }
    return PORTOLAN_OK;
}

enum portolan_status parameter_check(gov_cca_TypeMap map, const char *map_key,
                                     gov_cca_TypeMap facts, const char *key,
                                     struct portolan_error *err)
{
    struct elements v = {0}, low = {0}, high = {0}, choices = {0};
    enum portolan_status status = flatten(map, map_key, &v, err);

    if (status == PORTOLAN_OK)
        status = flatten(facts, "low", &low, err);
    if (status == PORTOLAN_OK)
        status = flatten(facts, "high", &high, err);
    if (status == PORTOLAN_OK)
        status = flatten(facts, "choices", &choices, err);
    if (status == PORTOLAN_OK)
        status = check_all(&v, &low, &high, &choices, key, err);
    clear(&v);
    clear(&low);
    clear(&high);
    clear(&choices);
    return status;
}

enum portolan_status parameter_compare(gov_cca_TypeMap a, gov_cca_TypeMap b, const char *key,
                                       bool *same, struct portolan_error *err)
{
    struct elements x = {0}, y = {0};
    enum portolan_status status = flatten(a, key, &x, err);

    *same = false;
    if (status == PORTOLAN_OK)
        status = flatten(b, key, &y, err);
    if (status == PORTOLAN_OK) {
        *same = x.count == y.count;
        for (size_t i = 0; *same && i < x.count; i++)
            *same = equal(&x.all[i], &y.all[i]);
    }
    clear(&x);
    clear(&y);
    return status;
}
