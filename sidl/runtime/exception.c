/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"
#include "sidl_BaseException.h"
#include "sidl_MemAllocException.h"
#include "sidl_RuntimeException.h"

char *sidl_exception_getNote(void *self, sidl_BaseInterface *_ex)
{
    const char *note = ((struct sidl_exception *)self)->note;

    return sidl_String_strdup_ex(note ? note : "", _ex);
}

void sidl_exception_setNote(void *self, const char *message, sidl_BaseInterface *_ex)
{
    struct sidl_exception *exception = self;
    char *copy = sidl_String_strdup_ex(message ? message : "", _ex);

    if (!copy)
        return;
    free(exception->note);
    exception->note = copy;
}

char *sidl_exception_getTrace(void *self, sidl_BaseInterface *_ex)
{
    const char *trace = ((struct sidl_exception *)self)->trace;

    return sidl_String_strdup_ex(trace ? trace : "", _ex);
}

void sidl_exception_addLine(void *self, const char *traceline, sidl_BaseInterface *_ex)
{
    struct sidl_exception *exception = self;
    char *trace = portolan_asprintf("%s%s\n", exception->trace ? exception->trace : "",
                                    traceline ? traceline : "");

    if (!trace) {
        sidl_exception_throw_no_memory(_ex);
        return;
    }
    free(exception->trace);
    exception->trace = trace;
}

void sidl_exception_add(void *self, const char *filename, int32_t lineno, const char *methodname,
                        sidl_BaseInterface *_ex)
{
    char *line = portolan_asprintf("in %s at %s:%d", methodname ? methodname : "UnspecifiedMethod",
                                   filename ? filename : "UnspecifiedFile", (int)lineno);

    if (line)
        sidl_exception_addLine(self, line, _ex);
    else
        sidl_exception_throw_no_memory(_ex);
    free(line);
}

void sidl_exception_destroy(void *self)
{
    struct sidl_exception *exception = self;

    free(exception->note);
    free(exception->trace);
}

static const struct sidl_BaseException__epv exception_epv = {
    .f_getNote = sidl_exception_getNote,
    .f_setNote = sidl_exception_setNote,
    .f_getTrace = sidl_exception_getTrace,
    .f_addLine = sidl_exception_addLine,
    .f_add = sidl_exception_add,
};

RUNTIME_CLASS(sidl_SIDLException, "sidl.SIDLException", exception_epv,
              .size = sizeof(struct sidl_exception), .destroy = sidl_exception_destroy)

/* An object of an exception class without methods of its own, which also holds its class. */
struct plain_exception {
    struct sidl_exception base;
    struct sidl_class cls;
    struct sidl_implements implements;
};

void *sidl_exception_create(const struct sidl_type *type, sidl_BaseInterface *_ex)
{
    const struct sidl_implements implements = {type, &exception_epv};
    const struct sidl_class cls = {
        .name = type->name,
        .version = type->version,
        .size = sizeof(struct plain_exception),
        .implements = &implements,
        .n_implements = 1,
        .destroy = sidl_exception_destroy,
    };
    struct plain_exception *exception = sidl_object_create(&cls, _ex);

    if (!exception)
        return NULL;
    exception->implements = implements;
    exception->cls = cls;
    exception->cls.implements = &exception->implements;
    exception->base.object.cls = &exception->cls;
    return sidl_object_facet(exception, type->name);
}

sidl_BaseInterface sidl_exception_fill(void *exception, const char *note, const char *file,
                                       int line, const char *function)
{
    sidl_BaseException base = sidl_BaseException__cast(exception, NULL);
    sidl_BaseInterface failed = NULL;

    if (base && note) {
        sidl_BaseException_setNote(base, note, &failed);
        SIDL_CLEAR(failed);
    }
    if (base && file) {
        sidl_BaseException_add(base, file, line, function, &failed);
        SIDL_CLEAR(failed);
    }
    sidl_BaseException_deleteRef(base, NULL);
    return exception;
}

sidl_bool sidl_exception_is(void *exception, const char *type_name)
{
    return exception && sidl_reference_is_type(exception, type_name, NULL);
}

void sidl_update_exception(void *exception, const char *filename, int32_t line,
                           const char *funcname)
{
    sidl_exception_fill(exception, NULL, filename, line, funcname);
}

void sidl_report_exception(void *exception)
{
    const struct sidl_object *object = sidl_reference_peek(exception);
    sidl_BaseException base = sidl_BaseException__cast(exception, NULL);
    sidl_BaseInterface failed = NULL;
    char *note, *trace;

    if (!base)
        return;
    note = sidl_BaseException_getNote(base, &failed);
    SIDL_CLEAR(failed);
    trace = sidl_BaseException_getTrace(base, &failed);
    SIDL_CLEAR(failed);
    portolan_log(PORTOLAN_LOG_WARNING, "sidl", "%s: %s\n%s", object->cls->name, note ? note : "",
                 trace ? trace : "");
    sidl_String_free(note);
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(base, NULL);
}

void sidl_exception_throw(void *exception, sidl_BaseInterface *_ex, const char *format, ...)
{
    char note[1024];
    va_list args;

    if (!exception)
        return;
    va_start(args, format);
    vsnprintf(note, sizeof note, format, args);
    va_end(args);
    *_ex = sidl_exception_fill(exception, note, NULL, 0, NULL);
}

/*
 * Throwing sidl.MemAllocException must need no memory, so there is one static object with a fixed
 * note and no trace. A negative count means that references to it are not counted.
 */

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
static const struct sidl_MemAllocException__sepv memory_statics = {memory_getSingletonException};
RUNTIME_CLASS(sidl_MemAllocException, "sidl.MemAllocException", memory_no_slots,
              .extends = sidl_SIDLException__externals, .statics = &memory_statics)

static const struct sidl_class memory_class = {.name = "sidl.MemAllocException",
                                               .version = SIDL_RUNTIME_VERSION,
                                               .size = sizeof(struct sidl_object)};

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
