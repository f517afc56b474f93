/* SPDX-License-Identifier: BSD-3-Clause */
#include "sidl.h"

#include <portolan/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"

const struct sidl_type sidl_BaseInterface__type = {
    .name = "sidl.BaseInterface", .version = SIDL_RUNTIME_VERSION, .kind = SIDL_INTERFACE};

static const struct sidl_type *const class_parents[] = {&sidl_BaseInterface__type};

const struct sidl_type sidl_BaseClass__type = {.name = "sidl.BaseClass",
                                               .version = SIDL_RUNTIME_VERSION,
                                               .kind = SIDL_CLASS,
                                               .parents = class_parents,
                                               .n_parents = 1};

/* An upper bound of what the closure of an `implements` list needs. */
struct need {
    size_t facets;
    size_t slots; /* of tables that must be made because they are no prefix of a given one */
};

static bool is_prefix(const struct sidl_type *type, const struct sidl_type *of)
{
    if (type->n_methods > of->n_methods)
        return false;
    for (size_t i = 0; i < type->n_methods; i++)
        if (strcmp(type->methods[i].name, of->methods[i].name) != 0)
            return false;
    return true;
}

static void measure(const struct sidl_type *type, const struct sidl_type *given, struct need *need)
{
    need->facets++;
    if (!is_prefix(type, given))
        need->slots += type->n_methods;
    for (size_t i = 0; i < type->n_parents; i++)
        measure(type->parents[i], given, need);
}

static struct sidl_facet *find_facet(struct sidl_object *object, const char *name)
{
    for (size_t i = 0; i < object->n_facets; i++) {
        const struct sidl_type *type = object->facets[i].type;

        if (strcmp(type ? type->name : sidl_BaseInterface__type.name, name) == 0)
            return &object->facets[i];
    }
    return NULL;
}

static void add_facet(struct sidl_object *object, const struct sidl_type *type, const void *epv)
{
    struct sidl_facet *facet = &object->facets[object->n_facets++];

    facet->type = type;
    facet->object.d_epv = epv;
    facet->object.d_object = object;
}

/* The slots of TYPE, picked by name from the table of a type that inherits it. */
static const void *derive_epv(const struct sidl_type *type, const struct sidl_type *given,
                              const sidl_slot_fn *slots, sidl_slot_fn **free_slots)
{
    sidl_slot_fn *epv = *free_slots;

    *free_slots += type->n_methods;
    for (size_t i = 0; i < type->n_methods; i++)
        for (size_t k = 0; k < given->n_methods; k++)
            if (strcmp(type->methods[i].name, given->methods[k].name) == 0)
                epv[i] = slots[k];
    return epv;
}

static void add_parents(struct sidl_object *object, const struct sidl_type *type,
                        const struct sidl_implements *given, sidl_slot_fn **free_slots)
{
    for (size_t i = 0; i < type->n_parents; i++) {
        const struct sidl_type *parent = type->parents[i];

        if (find_facet(object, parent->name))
            continue;
        add_facet(object, parent,
                  is_prefix(parent, given->type)
                      ? given->epv
                      : derive_epv(parent, given->type, given->epv, free_slots));
        add_parents(object, parent, given, free_slots);
    }
}

/* NULL when every slot of the class's tables is filled. */
static const char *missing_method(const struct sidl_class *cls, const char **type_name)
{
    for (size_t i = 0; i < cls->n_implements; i++) {
        const struct sidl_type *type = cls->implements[i].type;
        const sidl_slot_fn *slots = cls->implements[i].epv;

        *type_name = type->name;
        for (size_t k = 0; k < type->n_methods; k++)
            if (!slots || !slots[k])
                return type->methods[k].name;
    }
    return NULL;
}

/* Room for a block of SIZE bytes before something that needs the strictest alignment. */
static size_t aligned(size_t size)
{
    const size_t align = _Alignof(max_align_t);

    return (size + align - 1) / align * align;
}

void *sidl_object_create(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    struct need need = {.facets = 1};
    const char *type_name, *method = missing_method(cls, &type_name);
    struct sidl_object *object;
    sidl_slot_fn *free_slots;
    char *block;

    *_ex = NULL;
    if (method) {
        sidl_exception_throw_not_implemented(cls->name, type_name, method, _ex);
        return NULL;
    }
    for (size_t i = 0; i < cls->n_implements; i++)
        measure(cls->implements[i].type, cls->implements[i].type, &need);
    block = portolan_calloc(1, aligned(cls->size) + need.facets * sizeof(struct sidl_facet) +
                                   need.slots * sizeof(sidl_slot_fn));
    if (!block) {
        sidl_exception_throw_no_memory(_ex);
        return NULL;
    }
    object = (struct sidl_object *)block;
    object->cls = cls;
    object->facets = (struct sidl_facet *)(block + aligned(cls->size));
    object->references = 1;
    free_slots = (sidl_slot_fn *)(object->facets + need.facets);
    add_facet(object, NULL, NULL);
    for (size_t i = 0; i < cls->n_implements; i++)
        if (!find_facet(object, cls->implements[i].type->name))
            add_facet(object, cls->implements[i].type, cls->implements[i].epv);
    for (size_t i = 0; i < cls->n_implements; i++)
        add_parents(object, cls->implements[i].type, &cls->implements[i], &free_slots);
    return object;
}

void *sidl_object_facet(void *self, const char *type_name)
{
    struct sidl_facet *facet = self ? find_facet(self, type_name) : NULL;

    return facet ? &facet->object : NULL;
}

void sidl_object_retain(void *self)
{
    struct sidl_object *object = self;

    if (object && __atomic_load_n(&object->references, __ATOMIC_RELAXED) >= 0)
        __atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED);
}

void sidl_object_release(void *self)
{
    struct sidl_object *object = self;

    if (!object || __atomic_load_n(&object->references, __ATOMIC_RELAXED) < 0)
        return;
    if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (object->cls->destroy)
        object->cls->destroy(object);
    free(object);
}

static void clear(sidl_BaseInterface *_ex)
{
    if (_ex)
        *_ex = NULL;
}

void sidl_reference_add(void *reference, sidl_BaseInterface *_ex)
{
    clear(_ex);
    sidl_object_retain(sidl_reference_peek(reference));
}

void sidl_reference_delete(void *reference, sidl_BaseInterface *_ex)
{
    clear(_ex);
    sidl_object_release(sidl_reference_peek(reference));
}

void *sidl_reference_cast(void *reference, const char *type_name, sidl_BaseInterface *_ex)
{
    struct sidl_object *object = sidl_reference_peek(reference);
    void *facet = sidl_object_facet(object, type_name);

    clear(_ex);
    if (facet)
        sidl_object_retain(object);
    else if (object && object->cls->cast)
        facet = object->cls->cast(object, type_name);
    return facet;
}

sidl_bool sidl_reference_is_type(void *reference, const char *type_name, sidl_BaseInterface *_ex)
{
    void *cast = sidl_reference_cast(reference, type_name, _ex);

    sidl_reference_delete(cast, NULL);
    return cast != NULL;
}

char *sidl_String_strdup(const char *text)
{
    return portolan_strdup(text);
}

char *sidl_String_alloc(size_t size_bytes)
{
    return portolan_calloc(size_bytes ? size_bytes : 1, 1);
}

void sidl_String_free(char *text)
{
    free(text);
}
