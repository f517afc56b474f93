/* SPDX-License-Identifier: BSD-3-Clause */
/* What getClassInfo returns; it copies the names, so that it may outlive the class. */
#include <portolan/base.h>

#include <stdlib.h>

#include "runtime_internal.h"

#include "sidl_ClassInfo.h"

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
