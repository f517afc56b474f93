/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of SIDL: making objects, constructors and destructors, private data, static methods. */
#include <portolan/base.h>

#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"

#include "sidl_NotImplementedException.h"

/*
 * While a constructor or destructor of a class runs, the object has the tables of that class, since
 * methods that a child overrides would not find the child's data.
 */
static void dress_object(struct sidl_object *object, size_t level)
{
    const struct sidl_class_state *state = object->cls->state;
    const void **tables = state->dress + level * state->n_tables;

    if (!state->is_dressed)
        return;
    object->self.d_epv = tables[0];
    for (size_t i = 1; i < state->n_tables; i++)
        object->others[i - 1].d_epv = tables[i];
}

/* Runs the destructors of levels N_LEVELS - 1 … 0. The first exception stays in *_ex; destructors
 * see none. */
static void destroy_levels(struct sidl_object *object, size_t n_levels, sidl_BaseInterface *_ex)
{
    const struct sidl_class *root = object->cls->state->chain[0];

    for (size_t level = n_levels; level-- > 0;) {
        const struct sidl_class *cls = object->cls->state->chain[level];
        sidl_BaseInterface ex = NULL;

        if (!cls || !cls->dtor)
            continue;
        dress_object(object, level);
        cls->dtor(object, &ex);
        if (ex && !*_ex)
            *_ex = ex;
        else
            SIDL_CLEAR(ex);
    }
    if (root->destroy)
        root->destroy(object);
}

void class_destroy(struct sidl_object *object, sidl_BaseInterface *_ex)
{
    destroy_levels(object, object->cls->state->depth + 1, _ex);
}

static void construct_object(struct sidl_object *object, void *private_data,
                             sidl_BaseInterface *_ex)
{
    const struct sidl_class_state *state = object->cls->state;

    for (size_t level = 0; level <= state->depth; level++) {
        const struct sidl_class *cls = object->cls->state->chain[level];
        const bool is_wrapped = private_data && level == state->depth;

        if (!cls)
            continue;
        dress_object(object, level);
        if (is_wrapped)
            object->data[level] = private_data;
        if (is_wrapped && cls->ctor2)
            cls->ctor2(object, private_data, _ex);
        else if (!is_wrapped && cls->ctor)
            cls->ctor(object, _ex);
        if (*_ex) {
            object->references = -1;
            destroy_levels(object, level, _ex);
            free(object);
            return;
        }
    }
    dress_object(object, state->depth);
}

void *class_create(const struct sidl_class *cls, void *private_data, sidl_BaseInterface *_ex)
{
    const struct sidl_class_state *state = cls->state;
    struct sidl_object *object;

    if (!class_prepare(cls, _ex))
        return NULL;
    if (state->abstract_method) {
        sidl_exception_throw(
            sidl_NotImplementedException__create(_ex), _ex,
            "class %s is abstract (it has no %s); create an object of a class that extends it",
            cls->name, state->abstract_method);
        return NULL;
    }
    object = portolan_calloc(1, object_aligned(state->size) +
                                    (state->n_tables - 1) * sizeof *object->others +
                                    (state->depth + 1) * sizeof *object->data);
    if (!object) {
        sidl_exception_throw_no_memory(_ex);
        return NULL;
    }
    object->cls = cls;
    object->facets = state->facets;
    object->n_facets = state->n_facets;
    object->others =
        (struct sidl_BaseInterface__object *)((char *)object + object_aligned(state->size));
    object->data = (void **)(object->others + state->n_tables - 1);
    object->references = 1;
    object->self.d_object = object;
    object->self.d_epv = (const void *)state->tables[0].live;
    for (size_t i = 1; i < state->n_tables; i++) {
        object->others[i - 1].d_epv = (const void *)state->tables[i].live;
        object->others[i - 1].d_object = object;
    }
    construct_object(object, private_data, _ex);
    return *_ex ? NULL : object;
}

void *sidl_class_create(const struct sidl_type *type, const struct sidl_class *(*externals)(void),
                        void *private_data, sidl_BaseInterface *_ex)
{
    const struct sidl_class *cls;
    void *object;

    *_ex = NULL;
    if (!externals && class_is_plain_exception(type))
        return sidl_exception_create(type, _ex);
    if (!(cls = class_resolve(type->name, externals, _ex)))
        return NULL;
    object = cls->state ? class_create(cls, private_data, _ex) : sidl_object_create(cls, _ex);
    return sidl_object_facet(object, type->name);
}

const void *sidl_class_statics_once(const struct sidl_type *type,
                                    const struct sidl_class *(*externals)(void), const void **known,
                                    sidl_BaseInterface *_ex)
{
    const void *statics = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    const struct sidl_class *cls;

    *_ex = NULL;
    if (statics || !(statics = sidl_class_statics(type, externals, _ex)))
        return statics;
    cls = class_resolve(type->name, externals, _ex);
    if (cls && class_is_ready(cls))
        __atomic_store_n(known, statics, __ATOMIC_RELEASE);
    return statics;
}

const void *sidl_class_statics(const struct sidl_type *type,
                               const struct sidl_class *(*externals)(void), sidl_BaseInterface *_ex)
{
    const struct sidl_class *cls;

    *_ex = NULL;
    if (!(cls = class_resolve(type->name, externals, _ex)))
        return NULL;
    if (!cls->statics)
        sidl_exception_throw_text(_ex, "class %s has no static methods", cls->name);
    else if (!cls->state || class_prepare(cls, _ex))
        return cls->state ? cls->state->statics : cls->statics;
    return NULL;
}

static void **data_at(void *self, size_t depth)
{
    struct sidl_object *object = sidl_reference_peek(self);

    if (!object || !object->data || depth > object->cls->state->depth)
        return NULL;
    return &object->data[depth];
}

void *sidl_object_data(void *self, size_t depth)
{
    void **data = data_at(self, depth);

    return data ? *data : NULL;
}

void sidl_object_set_data(void *self, size_t depth, void *data)
{
    void **at = data_at(self, depth);

    if (at)
        *at = data;
}
