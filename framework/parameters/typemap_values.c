/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of TypeMaps of all sixteen types: get, put, copy, compare, convert to text and back. */
#include "typemap.h"

#include <portolan/number.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const union typemap_value nothing;

enum gov_cca_Type__enum portolan_typemap_type_of(enum portolan_value_type type, bool is_array)
{
    static const enum gov_cca_Type__enum types[] = {
        [PORTOLAN_VALUE_BOOL] = gov_cca_Type_Bool,
        [PORTOLAN_VALUE_INT] = gov_cca_Type_Int,
        [PORTOLAN_VALUE_LONG] = gov_cca_Type_Long,
        [PORTOLAN_VALUE_DOUBLE] = gov_cca_Type_Double,
        [PORTOLAN_VALUE_STRING] = gov_cca_Type_String,
    };

    return is_array ? typemap_array_of(types[type]) : types[type];
}

enum gov_cca_Type__enum typemap_element(enum gov_cca_Type__enum type)
{
    return type >= gov_cca_Type_IntArray
               ? (enum gov_cca_Type__enum)(type - gov_cca_Type_IntArray + gov_cca_Type_Int)
               : type;
}

enum gov_cca_Type__enum typemap_array_of(enum gov_cca_Type__enum element)
{
    return (enum gov_cca_Type__enum)(element - gov_cca_Type_Int + gov_cca_Type_IntArray);
}

void typemap_clear(struct typemap_values *v)
{
    for (size_t i = 0; typemap_element(v->type) == gov_cca_Type_String && i < v->count; i++)
        sidl_String_free(v->all[i].String);
    free(v->all);
    *v = (struct typemap_values){0};
}

bool typemap_make_room(struct typemap_values *v, size_t count)
{
    v->all = portolan_calloc(count + 1, sizeof *v->all);
    v->count = v->all ? count : 0;
    return v->all;
}

enum portolan_status typemap_get(gov_cca_TypeMap map, const char *key, struct typemap_values *v,
                                 struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    bool room = true;

    *v = (struct typemap_values){.type = gov_cca_TypeMap_typeOf(map, key, &ex)};
    switch (ex ? gov_cca_Type_NoType : v->type) {
#define GET(NAME, CTYPE, ELEMENT, LABEL)                                                           \
    case gov_cca_Type_##NAME:                                                                      \
        if ((room = typemap_make_room(v, 1)))                                                      \
            v->all->NAME = gov_cca_TypeMap_get##NAME(map, key, nothing.NAME, &ex);                 \
        break;
#define GET_ARRAY(NAME, CTYPE, ELEMENT, LABEL)                                                     \
    case gov_cca_Type_##NAME##Array: {                                                             \
        struct sidl_##ELEMENT##__array *a = gov_cca_TypeMap_get##NAME##Array(map, key, NULL, &ex); \
                                                                                                   \
        if (ex || !a)                                                                              \
            break;                                                                                 \
        room = typemap_make_room(v, (size_t)sidl_##ELEMENT##__array_length(a, 0));                 \
        for (size_t i = 0; i < v->count; i++)                                                      \
            v->all[i].NAME =                                                                       \
                sidl_##ELEMENT##__array_get1(a, sidl_##ELEMENT##__array_lower(a, 0) + (int32_t)i); \
        sidl_##ELEMENT##__array_deleteRef(a);                                                      \
        break;                                                                                     \
    }
        EACH_TYPE(GET)
        EACH_TYPE(GET_ARRAY)
    case gov_cca_Type_NoType:
        break;
    }
    status = portolan_catch(&ex, err);
    if (status == PORTOLAN_OK && !room)
        status = portolan_no_memory(err);
    if (status != PORTOLAN_OK)
        typemap_clear(v);
    return status;
}

enum portolan_status typemap_put(gov_cca_TypeMap map, const char *key,
                                 const struct typemap_values *v, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    switch (v->type) {
#define PUT(NAME, CTYPE, ELEMENT, LABEL)                                                           \
    case gov_cca_Type_##NAME:                                                                      \
        gov_cca_TypeMap_put##NAME(map, key, v->all->NAME, &ex);                                    \
        break;
#define PUT_ARRAY(NAME, CTYPE, ELEMENT, LABEL)                                                     \
    case gov_cca_Type_##NAME##Array: {                                                             \
        struct sidl_##ELEMENT##__array *a = sidl_##ELEMENT##__array_create1d((int32_t)v->count);   \
                                                                                                   \
        for (size_t i = 0; a && i < v->count; i++)                                                 \
            sidl_##ELEMENT##__array_set1(a, (int32_t)i, v->all[i].NAME);                           \
        if (a)                                                                                     \
            gov_cca_TypeMap_put##NAME##Array(map, key, a, &ex);                                    \
        else                                                                                       \
            exception_no_memory(&ex);                                                              \
        sidl__array_deleteRef((struct sidl__array *)a);                                            \
        break;                                                                                     \
    }
        EACH_TYPE(PUT)
        EACH_TYPE(PUT_ARRAY)
    case gov_cca_Type_NoType:
        break;
    }
    return portolan_catch(&ex, err);
}

enum portolan_status typemap_copy_entry(gov_cca_TypeMap from, const char *from_key,
                                        gov_cca_TypeMap to, const char *to_key,
                                        struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct typemap_values v = {0};
    enum gov_cca_Type__enum type = gov_cca_TypeMap_typeOf(from, from_key, &ex);
    enum portolan_status status = PORTOLAN_OK;

    if (!ex)
        gov_cca_TypeMap_remove(to, to_key, &ex);
    switch (ex ? gov_cca_Type_NoType : type) {
#define COPY_ARRAY(NAME, CTYPE, ELEMENT, LABEL)                                                    \
    case gov_cca_Type_##NAME##Array: {                                                             \
        struct sidl_##ELEMENT##__array *a =                                                        \
            gov_cca_TypeMap_get##NAME##Array(from, from_key, NULL, &ex);                           \
                                                                                                   \
        if (!ex)                                                                                   \
            gov_cca_TypeMap_put##NAME##Array(to, to_key, a, &ex);                                  \
        sidl__array_deleteRef((struct sidl__array *)a);                                            \
        break;                                                                                     \
    }
        EACH_TYPE(COPY_ARRAY)
    case gov_cca_Type_NoType:
        break;
    default:
        if ((status = typemap_get(from, from_key, &v, err)) == PORTOLAN_OK)
            status = typemap_put(to, to_key, &v, err);
        typemap_clear(&v);
    }
    return status == PORTOLAN_OK ? portolan_catch(&ex, err) : status;
}

bool typemap_is_equal(enum gov_cca_Type__enum element, const union typemap_value *a,
                      const union typemap_value *b)
{
    switch (element) {
    case gov_cca_Type_Int:
        return a->Int == b->Int;
    case gov_cca_Type_Long:
        return a->Long == b->Long;
    case gov_cca_Type_Float:
        return a->Float == b->Float;
    case gov_cca_Type_Double:
        return a->Double == b->Double;
    case gov_cca_Type_Fcomplex:
        return a->Fcomplex.real == b->Fcomplex.real &&
               a->Fcomplex.imaginary == b->Fcomplex.imaginary;
    case gov_cca_Type_Dcomplex:
        return a->Dcomplex.real == b->Dcomplex.real &&
               a->Dcomplex.imaginary == b->Dcomplex.imaginary;
    case gov_cca_Type_Bool:
        return a->Bool == b->Bool;
    default:
        return !strcmp(a->String ? a->String : "", b->String ? b->String : "");
    }
}

/* NaN is never within bounds. */
bool typemap_is_within(enum gov_cca_Type__enum element, const union typemap_value *e,
                       const union typemap_value *low, const union typemap_value *high)
{
    switch (element) {
    case gov_cca_Type_Int:
        return low->Int <= e->Int && e->Int <= high->Int;
    case gov_cca_Type_Long:
        return low->Long <= e->Long && e->Long <= high->Long;
    case gov_cca_Type_Float:
        return low->Float <= e->Float && e->Float <= high->Float;
    default:
        return low->Double <= e->Double && e->Double <= high->Double;
    }
}

/* -- from text ------------------------------------------------------------------------------ */

static bool read_bool(const char *text, sidl_bool *value)
{
    static const char *const yes[] = {"true", "t", "yes", "y", "1"};
    static const char *const no[] = {"false", "f", "no", "n", "0"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
            *value = !strcasecmp(text, yes[i]);
            return true;
        }
    return false;
}

/* "(re,im)", or the real part alone. */
static bool read_complex(const char *text, struct sidl_dcomplex *z)
{
    char copy[200];
    size_t length = strlen(text);
    char *comma;

    z->imaginary = 0;
    if (*text != '(')
        return portolan_read_double(text, &z->real);
    if (length >= sizeof copy || text[length - 1] != ')')
        return false;
    memcpy(copy, text + 1, length - 2);
    copy[length - 2] = '\0';
    if (!(comma = strchr(copy, ',')))
        return portolan_read_double(copy, &z->real);
    *comma = '\0';
    return portolan_read_double(copy, &z->real) && portolan_read_double(comma + 1, &z->imaginary);
}

static bool read_float(double x, float *value)
{
    if (!(x >= -FLT_MAX && x <= FLT_MAX))
        return false;
    *value = (float)x;
    return true;
}

/* False if the text is not a valid value, or when there is no memory for a string. */
static bool read_value(enum gov_cca_Type__enum element, const char *text, union typemap_value *v)
{
    struct sidl_dcomplex z = {0, 0};
    int64_t whole;

    switch (element) {
    case gov_cca_Type_Int:
        if (!portolan_read_int64(text, &whole) || whole < INT32_MIN || whole > INT32_MAX)
            return false;
        v->Int = (int32_t)whole;
        return true;
    case gov_cca_Type_Long:
        return portolan_read_int64(text, &v->Long);
    case gov_cca_Type_Float:
        return portolan_read_double(text, &z.real) && read_float(z.real, &v->Float);
    case gov_cca_Type_Double:
        return portolan_read_double(text, &v->Double);
    case gov_cca_Type_Fcomplex:
        return read_complex(text, &z) && read_float(z.real, &v->Fcomplex.real) &&
               read_float(z.imaginary, &v->Fcomplex.imaginary);
    case gov_cca_Type_Dcomplex:
        return read_complex(text, &v->Dcomplex);
    case gov_cca_Type_Bool:
        return read_bool(text, &v->Bool);
    default:
        return (v->String = sidl_String_strdup(text)) != NULL;
    }
}

static const char *expected_text(enum gov_cca_Type__enum element)
{
    switch (element) {
    case gov_cca_Type_Int:
        return "a whole number of 32 bits";
    case gov_cca_Type_Long:
        return "a whole number of 64 bits";
    case gov_cca_Type_Float:
        return "a number that a float holds";
    case gov_cca_Type_Double:
        return "a finite number";
    case gov_cca_Type_Fcomplex:
    case gov_cca_Type_Dcomplex:
        return "a complex number, (real,imaginary)";
    default:
        return "true or false";
    }
}

static enum portolan_status add_value(struct typemap_values *v, const char *text,
                                      struct portolan_error *err)
{
    enum gov_cca_Type__enum element = typemap_element(v->type);

    if (read_value(element, text, &v->all[v->count++]))
        return PORTOLAN_OK;
    if (element == gov_cca_Type_String)
        return portolan_no_memory(err);
    return portolan_error_set(err, PORTOLAN_ESYNTAX, "'%.100s' is not %s", text,
                              expected_text(element));
}

enum portolan_status portolan_typemap_put_text(gov_cca_TypeMap map, const char *key,
                                               enum gov_cca_Type__enum type, const char *text,
                                               struct portolan_error *err)
{
    struct typemap_values v = {.type = type};
    bool is_array = type >= gov_cca_Type_IntArray;
    enum portolan_status status = PORTOLAN_OK;
    char *words, *rest, *word;

    if (type <= gov_cca_Type_NoType || type > gov_cca_Type_BoolArray)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a value has no type %d", (int)type);
    rest = words = portolan_strdup(text);
    if (!words || !typemap_make_room(&v, is_array ? strlen(text) / 2 + 1 : 1))
        status = portolan_no_memory(err);
    v.count = 0;
    if (!is_array && status == PORTOLAN_OK)
        status = add_value(&v, text, err);
    while (is_array && status == PORTOLAN_OK && (word = strsep(&rest, " \t\r\n")))
        if (*word)
            status = add_value(&v, word, err);
    if (status == PORTOLAN_OK)
        status = typemap_put(map, key, &v, err);
    typemap_clear(&v);
    free(words);
    return status;
}

/* -- to text -------------------------------------------------------------------------------- */

static void write_number(struct portolan_text *t, double value, bool is_float)
{
    char text[PORTOLAN_NUMBER_TEXT];

    portolan_number_write(value, is_float, text);
    portolan_text_add(t, "%s", text);
}

static void write_complex(struct portolan_text *t, double real, double imaginary, bool is_float)
{
    portolan_text_add(t, "(");
    write_number(t, real, is_float);
    portolan_text_add(t, ",");
    write_number(t, imaginary, is_float);
    portolan_text_add(t, ")");
}

static void write_value(struct portolan_text *t, enum gov_cca_Type__enum element,
                        const union typemap_value *v)
{
    switch (element) {
    case gov_cca_Type_Int:
        portolan_text_add(t, "%ld", (long)v->Int);
        break;
    case gov_cca_Type_Long:
        portolan_text_add(t, "%lld", (long long)v->Long);
        break;
    case gov_cca_Type_Float:
        write_number(t, (double)v->Float, true);
        break;
    case gov_cca_Type_Double:
        write_number(t, v->Double, false);
        break;
    case gov_cca_Type_Fcomplex:
        write_complex(t, (double)v->Fcomplex.real, (double)v->Fcomplex.imaginary, true);
        break;
    case gov_cca_Type_Dcomplex:
        write_complex(t, v->Dcomplex.real, v->Dcomplex.imaginary, false);
        break;
    case gov_cca_Type_Bool:
        portolan_text_add(t, "%s", v->Bool ? "true" : "false");
        break;
    default:
        portolan_text_add(t, "%s", v->String ? v->String : "");
        break;
    }
}

enum portolan_status portolan_typemap_get_text(gov_cca_TypeMap map, const char *key,
                                               enum gov_cca_Type__enum *type, char **text,
                                               struct portolan_error *err)
{
    struct portolan_text t = {0};
    struct typemap_values v;
    enum portolan_status status = typemap_get(map, key, &v, err);

    *text = NULL;
    *type = v.type;
    if (status != PORTOLAN_OK)
        return status;
    for (size_t i = 0; i < v.count; i++) {
        if (i)
            portolan_text_add(&t, " ");
        write_value(&t, typemap_element(v.type), &v.all[i]);
    }
    typemap_clear(&v);
    return portolan_text_take(&t, text, err);
}
