/* SPDX-License-Identifier: BSD-3-Clause */
/* TypeMaps from what assemblies and palette descriptions say. */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

#include "assembly/value.h"

enum gov_cca_Type__enum typemap_type_of_value(enum portolan_value_type type, bool is_array)
{
    switch (type) {
    case PORTOLAN_VALUE_BOOL:
        return is_array ? gov_cca_Type_BoolArray : gov_cca_Type_Bool;
    case PORTOLAN_VALUE_INT:
        return is_array ? gov_cca_Type_IntArray : gov_cca_Type_Int;
    case PORTOLAN_VALUE_LONG:
        return is_array ? gov_cca_Type_LongArray : gov_cca_Type_Long;
    case PORTOLAN_VALUE_DOUBLE:
        return is_array ? gov_cca_Type_DoubleArray : gov_cca_Type_Double;
    case PORTOLAN_VALUE_STRING:
        return is_array ? gov_cca_Type_StringArray : gov_cca_Type_String;
    }
    return gov_cca_Type_NoType;
}

gov_cca_TypeMap typemap_copy(gov_cca_TypeMap map, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap copy =
        map ? gov_cca_TypeMap_cloneTypeMap(map, &ex) : portolan_typemap_create(&ex);

    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        return NULL;
    if (!copy)
        portolan_error_set(err, PORTOLAN_EBADPROPERTIES, "cloneTypeMap returned null");
    return copy;
}

enum portolan_status typemap_put_own(gov_cca_TypeMap map, const char *key, const char *text,
                                     struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    gov_cca_TypeMap_remove(map, key, &ex);
    if (!ex)
        gov_cca_TypeMap_putString(map, key, text, &ex);
    return portolan_catch(&ex, err);
}

enum portolan_status typemap_check_own(gov_cca_TypeMap map, const char *key, const char *text,
                                       struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    char *there = NULL;
    bool same;

    if (!map || !gov_cca_TypeMap_hasKey(map, key, &ex))
        return portolan_catch(&ex, err);
    if (gov_cca_TypeMap_typeOf(map, key, &ex) == gov_cca_Type_String && !ex)
        there = gov_cca_TypeMap_getString(map, key, NULL, &ex);
    if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
        return status;
    same = there && !strcmp(there, text);
    sidl_String_free(there);
    return same ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                     "'%s' belongs to the framework and cannot be changed (it is "
                                     "'%s')",
                                     key, text);
}

static void put_scalar(gov_cca_TypeMap map, const char *key, enum portolan_value_type type,
                       const char *text, sidl_BaseInterface *ex)
{
    int64_t i = 0;
    double d = 0;

    switch (type) {
    case PORTOLAN_VALUE_BOOL:
        gov_cca_TypeMap_putBool(map, key, !strcmp(text, "true"), ex);
        break;
    case PORTOLAN_VALUE_INT:
        portolan_read_int64(text, &i);
        gov_cca_TypeMap_putInt(map, key, (int32_t)i, ex);
        break;
    case PORTOLAN_VALUE_LONG:
        portolan_read_int64(text, &i);
        gov_cca_TypeMap_putLong(map, key, i, ex);
        break;
    case PORTOLAN_VALUE_DOUBLE:
        portolan_read_double(text, &d);
        gov_cca_TypeMap_putDouble(map, key, d, ex);
        break;
    case PORTOLAN_VALUE_STRING:
        gov_cca_TypeMap_putString(map, key, text, ex);
        break;
    }
}

/* The words of a list, each with its own end; one block, freed as a whole. */
static char **split(const char *text, int32_t *count, char **block)
{
    const char *at = text, *word;
    char **words;
    size_t length;

    *count = 0;
    while (value_next_word(&at, &length))
        ++*count;
    words = portolan_calloc((size_t)*count + 1, sizeof *words);
    *block = portolan_strdup(text);
    if (!words || !*block) {
        free(words);
        free(*block);
        return NULL;
    }
    at = *block;
    for (int32_t i = 0; (word = value_next_word(&at, &length)); i++) {
        words[i] = *block + (word - *block);
        if (words[i][length]) {
            words[i][length] = '\0';
            at = words[i] + length + 1;
        }
    }
    return words;
}

/* Makes and puts an array of TYPE; PUT_ELEMENT sees `words[i]`, `i` and `array`. */
#define PUT_ARRAY(NAME, SIDL, PUT_ELEMENT)                                                         \
    do {                                                                                           \
        struct sidl_##SIDL##__array *array = sidl_##SIDL##__array_create1d(count);                 \
                                                                                                   \
        if (!array) {                                                                              \
            exception_no_memory(ex);                                                               \
            break;                                                                                 \
        }                                                                                          \
        for (int32_t i = 0; i < count; i++)                                                        \
            PUT_ELEMENT;                                                                           \
        gov_cca_TypeMap_put##NAME##Array(map, key, array, ex);                                     \
        sidl_##SIDL##__array_deleteRef(array);                                                     \
    } while (0)

static int64_t whole(const char *word)
{
    int64_t i = 0;

    portolan_read_int64(word, &i);
    return i;
}

static double real(const char *word)
{
    double d = 0;

    portolan_read_double(word, &d);
    return d;
}

static void put_array(gov_cca_TypeMap map, const char *key, enum portolan_value_type type,
                      const char *text, sidl_BaseInterface *ex)
{
    char *block, **words;
    int32_t count;

    if (!(words = split(text, &count, &block))) {
        exception_no_memory(ex);
        return;
    }
    switch (type) {
    case PORTOLAN_VALUE_BOOL:
        PUT_ARRAY(Bool, bool, sidl_bool__array_set1(array, i, !strcmp(words[i], "true")));
        break;
    case PORTOLAN_VALUE_INT:
        PUT_ARRAY(Int, int, sidl_int__array_set1(array, i, (int32_t)whole(words[i])));
        break;
    case PORTOLAN_VALUE_LONG:
        PUT_ARRAY(Long, long, sidl_long__array_set1(array, i, whole(words[i])));
        break;
    case PORTOLAN_VALUE_DOUBLE:
        PUT_ARRAY(Double, double, sidl_double__array_set1(array, i, real(words[i])));
        break;
    case PORTOLAN_VALUE_STRING:
        PUT_ARRAY(String, string, sidl_string__array_set1(array, i, words[i]));
        break;
    }
    free(words);
    free(block);
}

enum portolan_status typemap_put_text(gov_cca_TypeMap map, const char *key,
                                      enum portolan_value_type type, bool is_array,
                                      const char *text, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    if (is_array)
        put_array(map, key, type, text, &ex);
    else
        put_scalar(map, key, type, text, &ex);
    return portolan_catch(&ex, err);
}

enum portolan_status typemap_add_defaults(gov_cca_TypeMap properties,
                                          const struct portolan_class_description *class,
                                          struct portolan_error *err)
{
    for (size_t i = 0; i < class->n_parameters; i++) {
        const struct portolan_parameter_description *p = &class->parameters[i];
        enum gov_cca_Type__enum wanted = typemap_type_of_value(p->type, p->is_array), actual;
        sidl_BaseInterface ex = NULL;
        enum portolan_status status;

        actual = gov_cca_TypeMap_typeOf(properties, p->name, &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
            return status;
        if (actual == gov_cca_Type_NoType && p->default_text)
            status =
                typemap_put_text(properties, p->name, p->type, p->is_array, p->default_text, err);
        else if (actual != gov_cca_Type_NoType && actual != wanted)
            status = portolan_error_set(
                err, PORTOLAN_EBADPROPERTIES, "parameter '%s' of class '%s' has type %s, not %s",
                p->name, class->class_name, typemap_type_word(wanted), typemap_type_word(actual));
        if (status != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}
