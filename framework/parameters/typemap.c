/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.TypeMap: a small list, strictly typed. Values are copied on their way in and out, arrays
 * included, so that a map cannot be changed by accident.
 */
#include "typemap.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    char *key;
    enum gov_cca_Type__enum type;
    union typemap_value value;
    struct sidl__array *array; /* in place of `value` */
};

struct typemap {
    struct sidl_object object;
    size_t count, room;
    struct entry *entries; /* in order of first put */
};

static bool is_array(enum gov_cca_Type__enum type)
{
    return type >= gov_cca_Type_IntArray;
}

static void clear_value(struct entry *e)
{
    if (e->type == gov_cca_Type_String)
        free(e->value.String);
    else if (is_array(e->type))
        sidl__array_deleteRef(e->array);
}

static struct entry *find_entry(struct typemap *map, const char *key)
{
    for (size_t i = 0; key && i < map->count; i++)
        if (!strcmp(map->entries[i].key, key))
            return &map->entries[i];
    return NULL;
}

/* NULL without an exception if the key is missing; NULL with one if it has another type. */
static struct entry *find_typed(struct typemap *map, const char *key, enum gov_cca_Type__enum type,
                                sidl_BaseInterface *_ex)
{
    struct entry *e = find_entry(map, key);

    if (e && e->type != type) {
        exception_type_mismatch(_ex, type, e->type, key);
        return NULL;
    }
    return e;
}

/* The entry to put a value of TYPE into; NULL with an exception. */
static struct entry *make_entry(struct typemap *map, const char *key, enum gov_cca_Type__enum type,
                                sidl_BaseInterface *_ex)
{
    struct entry *e;

    if (!key) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "a TypeMap's key must not be null");
        return NULL;
    }
    if ((e = find_typed(map, key, type, _ex)) || *_ex)
        return e;
    if (map->count == map->room) {
        size_t room = map->room ? 2 * map->room : 8;

        if (!(e = portolan_reallocarray(map->entries, room, sizeof *e)))
            goto nomem;
        map->entries = e;
        map->room = room;
    }
    e = &map->entries[map->count];
    memset(e, 0, sizeof *e);
    e->type = type;
    if (!(e->key = portolan_strdup(key)))
        goto nomem;
    map->count++;
    return e;
nomem:
    exception_no_memory(_ex);
    return NULL;
}

/* A deep copy, so that no two maps or callers share elements; NULL with an exception. */
static struct sidl__array *copy_array(struct sidl__array *array, sidl_BaseInterface *_ex)
{
    int32_t dimen = sidl__array_dimen(array), lower[SIDL_MAX_DIMENSION], upper[SIDL_MAX_DIMENSION];
    struct sidl__array *copy;

    if (!array)
        return NULL;
    for (int32_t i = 0; i < dimen; i++) {
        lower[i] = sidl__array_lower(array, i);
        upper[i] = sidl__array_upper(array, i);
    }
    copy = sidl__array_create((enum sidl_array_type)sidl__array_type(array), dimen, lower, upper,
                              sidl__array_isRowOrder(array) ? sidl_row_major_order
                                                            : sidl_column_major_order);
    if (!copy) {
        exception_no_memory(_ex);
        return NULL;
    }
    sidl__array_copy(array, copy);
    return copy;
}

static void put_array(void *self, const char *key, enum gov_cca_Type__enum type, void *array,
                      sidl_BaseInterface *_ex)
{
    struct sidl__array *copy = copy_array(array, _ex);
    struct entry *e = *_ex ? NULL : make_entry(self, key, type, _ex);

    if (!e) {
        sidl__array_deleteRef(copy);
        return;
    }
    sidl__array_deleteRef(e->array);
    e->array = copy;
}

static void *get_array(void *self, const char *key, enum gov_cca_Type__enum type, void *dflt,
                       sidl_BaseInterface *_ex)
{
    struct entry *e = find_typed(self, key, type, _ex);

    return *_ex ? NULL : copy_array(e ? e->array : dflt, _ex);
}

#define SCALAR(NAME, CTYPE, ELEMENT, LABEL)                                                        \
    static CTYPE map_get##NAME(void *self, const char *key, CTYPE dflt, sidl_BaseInterface *_ex)   \
    {                                                                                              \
        struct entry *e = find_typed(self, key, gov_cca_Type_##NAME, _ex);                         \
                                                                                                   \
        return e ? e->value.NAME : dflt;                                                           \
    }                                                                                              \
    static void map_put##NAME(void *self, const char *key, CTYPE value, sidl_BaseInterface *_ex)   \
    {                                                                                              \
        struct entry *e = make_entry(self, key, gov_cca_Type_##NAME, _ex);                         \
                                                                                                   \
        if (e)                                                                                     \
            e->value.NAME = value;                                                                 \
    }

#define ARRAY(NAME, CTYPE, ELEMENT, LABEL)                                                         \
    static struct sidl_##ELEMENT##__array *map_get##NAME##Array(                                   \
        void *self, const char *key, struct sidl_##ELEMENT##__array *dflt,                         \
        sidl_BaseInterface *_ex)                                                                   \
    {                                                                                              \
        return get_array(self, key, gov_cca_Type_##NAME##Array, dflt, _ex);                        \
    }                                                                                              \
    static void map_put##NAME##Array(void *self, const char *key,                                  \
                                     struct sidl_##ELEMENT##__array *value,                        \
                                     sidl_BaseInterface *_ex)                                      \
    {                                                                                              \
        put_array(self, key, gov_cca_Type_##NAME##Array, value, _ex);                              \
    }

EACH_PLAIN_TYPE(SCALAR)
EACH_TYPE(ARRAY)

static char *map_getString(void *self, const char *key, const char *dflt, sidl_BaseInterface *_ex)
{
    struct entry *e = find_typed(self, key, gov_cca_Type_String, _ex);
    const char *text = e ? e->value.String : dflt;

    return *_ex || !text ? NULL : exception_or_text(text, _ex);
}

static void map_putString(void *self, const char *key, const char *value, sidl_BaseInterface *_ex)
{
    char *copy = portolan_strdup(value ? value : "");
    struct entry *e = NULL;

    if (!copy)
        exception_no_memory(_ex);
    else
        e = make_entry(self, key, gov_cca_Type_String, _ex);
    if (!e) {
        free(copy);
        return;
    }
    free(e->value.String);
    e->value.String = copy;
}

static void map_remove(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct typemap *map = self;
    struct entry *e = find_entry(map, key);
    size_t at;

    (void)_ex;
    if (!e)
        return;
    clear_value(e);
    free(e->key);
    at = (size_t)(e - map->entries);
    map->count--;
    memmove(e, e + 1, (map->count - at) * sizeof *e);
}

static struct sidl_string__array *map_getAllKeys(void *self, enum gov_cca_Type__enum type,
                                                 sidl_BaseInterface *_ex)
{
    struct typemap *map = self;
    struct sidl_string__array *keys;
    int32_t n = 0;

    for (size_t i = 0; i < map->count; i++)
        n += type == gov_cca_Type_NoType || map->entries[i].type == type;
    if (!(keys = sidl_string__array_create1d(n))) {
        exception_no_memory(_ex);
        return NULL;
    }
    n = 0;
    for (size_t i = 0; i < map->count; i++)
        if (type == gov_cca_Type_NoType || map->entries[i].type == type)
            sidl_string__array_set1(keys, n++, map->entries[i].key);
    return keys;
}

static sidl_bool map_hasKey(void *self, const char *key, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return find_entry(self, key) != NULL;
}

static enum gov_cca_Type__enum map_typeOf(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct entry *e = find_entry(self, key);

    (void)_ex;
    return e ? e->type : gov_cca_Type_NoType;
}

static gov_cca_TypeMap map_cloneEmpty(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return portolan_typemap_create(_ex);
}

static gov_cca_TypeMap map_cloneTypeMap(void *self, sidl_BaseInterface *_ex)
{
    struct typemap *map = self, *copy;
    gov_cca_TypeMap reference = portolan_typemap_create(_ex);

    if (!reference)
        return NULL;
    copy = sidl_reference_peek(reference);
    for (size_t i = 0; i < map->count && !*_ex; i++) {
        const struct entry *from = &map->entries[i];
        struct entry *to;

        if (from->type == gov_cca_Type_String)
            map_putString(copy, from->key, from->value.String, _ex);
        else if (is_array(from->type))
            put_array(copy, from->key, from->type, from->array, _ex);
        else if ((to = make_entry(copy, from->key, from->type, _ex)))
            to->value = from->value;
    }
    if (*_ex) {
        sidl_reference_delete(reference, NULL);
        return NULL;
    }
    return reference;
}

static void map_destroy(void *self)
{
    struct typemap *map = self;

    for (size_t i = 0; i < map->count; i++) {
        clear_value(&map->entries[i]);
        free(map->entries[i].key);
    }
    free(map->entries);
}

#define MORE_SLOTS(NAME, CTYPE, ELEMENT, LABEL)                                                    \
    , .f_get##NAME = map_get##NAME, .f_put##NAME = map_put##NAME,                                  \
      .f_get##NAME##Array = map_get##NAME##Array, .f_put##NAME##Array = map_put##NAME##Array

static const struct gov_cca_TypeMap__epv map_epv = {
    .f_cloneTypeMap = map_cloneTypeMap,
    .f_cloneEmpty = map_cloneEmpty,
    .f_remove = map_remove,
    .f_getAllKeys = map_getAllKeys,
    .f_hasKey = map_hasKey,
    .f_typeOf = map_typeOf EACH_TYPE(MORE_SLOTS),
};

static const struct sidl_class map_class =
    SIDL_CLASS("portolan.TypeMap", "0.1", typemap, gov_cca_TypeMap, map_epv, map_destroy);

gov_cca_TypeMap portolan_typemap_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(exception_or_object(&map_class, _ex), "gov.cca.TypeMap");
}

/* -- entries of maps of any implementation -- */

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

enum portolan_status typemap_add_defaults(gov_cca_TypeMap properties,
                                          const struct portolan_class_description *class,
                                          struct portolan_error *err)
{
    for (size_t i = 0; i < class->n_parameters; i++) {
        const struct portolan_parameter_description *p = &class->parameters[i];
        enum gov_cca_Type__enum wanted = portolan_typemap_type_of(p->type, p->is_array), actual;
        sidl_BaseInterface ex = NULL;
        enum portolan_status status;

        actual = gov_cca_TypeMap_typeOf(properties, p->name, &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
            return status;
        if (actual == gov_cca_Type_NoType && p->default_text)
            status = portolan_typemap_put_text(properties, p->name, wanted, p->default_text, err);
        else if (actual != gov_cca_Type_NoType && actual != wanted)
            status = portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                        "parameter '%s' of class '%s' has type %s, not %s", p->name,
                                        class->class_name, portolan_typemap_type_word(wanted),
                                        portolan_typemap_type_word(actual));
        if (status != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}
