/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out of memory is thrown without memory: one static object, whose note is fixed and which takes
 * no trace. A negative count says that references to it are not counted.
 */
#include "runtime_internal.h"

#include "sidl_MemAllocException.h"
#include "sidl_RuntimeException.h"
#include "sidl_SIDLException.h"

static char *memory_getNote(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return sidl_String_strdup_ex("out of memory", _ex);
}

static char *memory_getTrace(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return sidl_String_strdup_ex("", _ex);
}

static void memory_ignore_text(void *self, const char *text, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)text;
    (void)_ex;
}

static void memory_ignore_line(void *self, const char *filename, int32_t lineno,
                               const char *methodname, sidl_BaseInterface *_ex)
{
    (void)lineno;
    (void)methodname;
    memory_ignore_text(self, filename, _ex);
}

static const struct sidl_MemAllocException__epv memory_epv = {
    .f_getNote = memory_getNote,
    .f_setNote = memory_ignore_text,
    .f_getTrace = memory_getTrace,
    .f_addLine = memory_ignore_text,
    .f_add = memory_ignore_line,
};

static struct sidl_object memory_object;

static sidl_MemAllocException memory_getSingletonException(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return (sidl_MemAllocException)&memory_object;
}

/* The class that others may extend; the one object above has its own table. */
static const struct sidl_MemAllocException__epv memory_no_slots;
static const struct sidl_implements memory_implements[] = {
    {&sidl_MemAllocException__type, &memory_no_slots}};
static const struct sidl_MemAllocException__sepv memory_statics = {memory_getSingletonException};
static struct sidl_class_state memory_state;
static const struct sidl_class memory_extensible_class = {
    .name = "sidl.MemAllocException",
    .version = SIDL_RUNTIME_VERSION,
    .implements = memory_implements,
    .n_implements = 1,
    .extends = sidl_SIDLException__externals,
    .statics = &memory_statics,
    .state = &memory_state,
};

const struct sidl_class *sidl_MemAllocException__externals(void)
{
    return &memory_extensible_class;
}

static const struct sidl_class memory_class = {.name = "sidl.MemAllocException",
                                               .version = SIDL_RUNTIME_VERSION,
                                               .size = sizeof(struct sidl_object)};

static struct sidl_object memory_object;

static const struct sidl_facet memory_facets[] = {
    {&sidl_MemAllocException__type, 0}, {&sidl_SIDLException__type, 0},
    {&sidl_BaseClass__type, 0},         {&sidl_RuntimeException__type, 0},
    {&sidl_BaseException__type, 0},     {&sidl_BaseInterface__type, 0},
};

static struct sidl_object memory_object = {
    .self = {(const void *)&memory_epv, &memory_object},
    .cls = &memory_class,
    .facets = memory_facets,
    .n_facets = sizeof memory_facets / sizeof *memory_facets,
    .references = -1,
};

void sidl_exception_throw_no_memory(sidl_BaseInterface *_ex)
{
    *_ex = &memory_object.self;
}
