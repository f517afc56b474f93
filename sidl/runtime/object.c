/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of classes written by hand; references to objects of any class. */
#include "sidl.h"

#include <portolan/base.h>

#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"

#include "sidl_ClassInfo.h"
#include "sidl_NotImplementedException.h"

const struct sidl_type sidl_BaseInterface__type = {
    .name = "sidl.BaseInterface", .version = SIDL_RUNTIME_VERSION, .kind = SIDL_INTERFACE};

static const struct sidl_type *const class_parents[] = {&sidl_BaseInterface__type};

const struct sidl_type sidl_BaseClass__type = {.name = "sidl.BaseClass",
                                               .version = SIDL_RUNTIME_VERSION,
                                               .kind = SIDL_CLASS,
                                               .parents = class_parents,
                                               .n_parents = 1};

static const struct sidl_BaseClass__epv no_slots;
static const struct sidl_implements plain_implements[] = {{&sidl_BaseClass__type, &no_slots}};
static const struct sidl_class plain_class = {.name = "sidl.BaseClass",
                                              .version = SIDL_RUNTIME_VERSION,
                                              .size = sizeof(struct sidl_object),
                                              .implements = plain_implements,
                                              .n_implements = 1};

sidl_BaseClass sidl_BaseClass__create(sidl_BaseInterface *_ex)
{
    return sidl_object_create(&plain_class, _ex);
}

/* Throws and returns false when a slot of the class's tables is empty. */
static bool check_tables(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    for (size_t i = 0; i < cls->n_implements; i++) {
        const struct sidl_type *type = cls->implements[i].type;
        const sidl_slot_fn *slots = cls->implements[i].epv;

        for (size_t k = 0; k < type->n_methods; k++)
            if (!slots || !slots[k]) {
                sidl_exception_throw(sidl_NotImplementedException__create(_ex), _ex,
                                     "class %s has no function for %s of %s", cls->name,
                                     type->methods[k].name, type->name);
                return false;
            }
    }
    return true;
}

size_t object_aligned(size_t size)
{
    const size_t align = _Alignof(max_align_t);

    return (size + align - 1) / align * align;
}

/* A class written by hand, made into a class of SIDL without constructors and parent. */
struct adopted {
    struct adopted *next;
    struct sidl_class cls;
    struct sidl_class_state state;
    char name[];
};

static bool is_same_class(const struct sidl_class *a, const struct sidl_class *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->size == b->size && a->cast == b->cast &&
                a->destroy == b->destroy && a->n_implements == b->n_implements;

    for (size_t i = 0; same && i < a->n_implements; i++)
        same = a->implements[i].type == b->implements[i].type &&
               a->implements[i].epv == b->implements[i].epv;
    return same;
}

static struct adopted *new_adopted(const struct sidl_class *cls)
{
    struct adopted *a = portolan_calloc(1, sizeof *a + strlen(cls->name) + 1);
    struct sidl_implements *implements = portolan_calloc(cls->n_implements, sizeof *implements);

    if (!a || !implements) {
        free(a);
        free(implements);
        return NULL;
    }
    memcpy(implements, cls->implements, cls->n_implements * sizeof *implements);
    a->cls = *cls;
    a->cls.name = strcpy(a->name, cls->name);
    a->cls.implements = implements;
    a->cls.type = &sidl_BaseClass__type;
    a->cls.state = &a->state;
    return a;
}

/* Returns CLS, whose types have contracts, as a class with a state. NULL: memory is out. */
static const struct sidl_class *adopt_class(const struct sidl_class *cls)
{
    static struct adopted *all;
    struct adopted *a;

    class_lock();
    for (a = all; a && !is_same_class(&a->cls, cls);)
        a = a->next;
    if (!a && (a = new_adopted(cls))) {
        a->next = all;
        all = a;
    }
    class_unlock();
    return a ? &a->cls : NULL;
}

/* Creates an object of a class written by hand. One block holds everything that belongs to it. */
static void *create_by_hand(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    const struct need need = layout_measure(cls->implements, cls->n_implements);
    struct layout layout = {0};
    struct sidl_object *object;
    char *block;

    if (!check_tables(cls, _ex))
        return NULL;
    block = portolan_calloc(1, object_aligned(cls->size) +
                                   need.facets * (sizeof *layout.facets + sizeof *layout.others) +
                                   need.slots * sizeof(sidl_slot_fn));
    if (!block) {
        sidl_exception_throw_no_memory(_ex);
        return NULL;
    }
    object = (struct sidl_object *)block;
    layout.facets = (struct sidl_facet *)(block + object_aligned(cls->size));
    layout.others = (struct sidl_BaseInterface__object *)(layout.facets + need.facets);
    layout.free_slots = (sidl_slot_fn *)(layout.others + need.facets);
    layout_build(&layout, cls->implements, cls->n_implements);
    if (guard_count_checks(layout.facets, layout.n_facets)) {
        free(block);
        if ((cls = adopt_class(cls)))
            return class_create(cls, NULL, _ex);
        sidl_exception_throw_no_memory(_ex);
        return NULL;
    }
    object->self.d_epv = layout.own;
    object->self.d_object = object;
    for (size_t i = 1; i < layout.n_tables; i++)
        layout.others[i - 1].d_object = object;
    object->cls = cls;
    object->facets = layout.facets;
    object->n_facets = layout.n_facets;
    object->others = layout.others;
    object->references = 1;
    return object;
}

void *sidl_object_create(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return cls->state ? class_create(cls, NULL, _ex) : create_by_hand(cls, _ex);
}

void *sidl_object_facet(void *self, const char *type_name)
{
    struct sidl_object *object = self;
    const struct sidl_facet *facet;

    if (!object || !(facet = layout_find(object->facets, object->n_facets, type_name)))
        return NULL;
    return facet->table ? &object->others[facet->table - 1] : &object->self;
}

void sidl_object_retain(void *self)
{
    struct sidl_object *object = self;

    if (object && __atomic_load_n(&object->references, __ATOMIC_RELAXED) >= 0)
        __atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED);
}

/* During destruction, references are not counted, since destructors may pass the object around. */
static void release_object(struct sidl_object *object, sidl_BaseInterface *_ex)
{
    if (!object || __atomic_load_n(&object->references, __ATOMIC_RELAXED) < 0)
        return;
    if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    __atomic_store_n(&object->references, -1, __ATOMIC_RELAXED);
    if (object->cls->state)
        class_destroy(object, _ex);
    else if (object->cls->destroy)
        object->cls->destroy(object);
    free(object);
}

void sidl_object_release(void *self)
{
    sidl_BaseInterface ex = NULL;

    release_object(self, &ex);
    SIDL_CLEAR(ex);
}

static void clear_exception(sidl_BaseInterface *_ex)
{
    if (_ex)
        *_ex = NULL;
}

void sidl_reference_add(void *reference, sidl_BaseInterface *_ex)
{
    clear_exception(_ex);
    sidl_object_retain(sidl_reference_peek(reference));
}

void sidl_reference_delete(void *reference, sidl_BaseInterface *_ex)
{
    sidl_BaseInterface ex = NULL;

    release_object(sidl_reference_peek(reference), &ex);
    if (_ex)
        *_ex = ex;
    else
        SIDL_CLEAR(ex);
}

void *sidl_reference_cast(void *reference, const char *type_name, sidl_BaseInterface *_ex)
{
    struct sidl_object *object = sidl_reference_peek(reference);
    void *facet = sidl_object_facet(object, type_name);

    clear_exception(_ex);
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

/* The result of getClassInfo; it copies the names, so that it may outlive the class. */
struct class_info {
    struct sidl_object object;
    char *name;
    char *version;
};

static char *info_getName(void *self, sidl_BaseInterface *_ex)
{
    return sidl_String_strdup_ex(((struct class_info *)self)->name, _ex);
}

static char *info_getVersion(void *self, sidl_BaseInterface *_ex)
{
    return sidl_String_strdup_ex(((struct class_info *)self)->version, _ex);
}

static char *info_getIORVersion(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return sidl_String_strdup_ex("2.0", _ex);
}

static void info_destroy(void *self)
{
    struct class_info *info = self;

    free(info->name);
    free(info->version);
}

static const struct sidl_ClassInfo__epv info_epv = {
    .f_getName = info_getName,
    .f_getVersion = info_getVersion,
    .f_getIORVersion = info_getIORVersion,
};

static const struct sidl_implements info_implements[] = {{&sidl_ClassInfo__type, &info_epv}};

static const struct sidl_class info_class = {.name = "sidl.ClassInfoI",
                                             .version = SIDL_RUNTIME_VERSION,
                                             .size = sizeof(struct class_info),
                                             .implements = info_implements,
                                             .n_implements = 1,
                                             .destroy = info_destroy};

sidl_ClassInfo sidl_reference_class_info(void *reference, sidl_BaseInterface *_ex)
{
    const struct sidl_object *object = sidl_reference_peek(reference);
    sidl_BaseInterface ignored;
    struct class_info *info;

    if (!_ex)
        _ex = &ignored;
    *_ex = NULL;
    if (!object || !(info = sidl_object_create(&info_class, _ex)))
        return NULL;
    info->name = portolan_strdup(object->cls->name);
    info->version = portolan_strdup(object->cls->version ? object->cls->version : "");
    if (!info->name || !info->version) {
        sidl_object_release(info);
        sidl_exception_throw_no_memory(_ex);
        return NULL;
    }
    return sidl_object_facet(info, "sidl.ClassInfo");
}
