/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place where enum portolan_status and gov.cca exceptions meet. */
#include "sidl_RuntimeException.h"
#include "status.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct cca_exception {
    struct sidl_exception base;
    enum portolan_status status;
};

struct mismatch_exception {
    struct sidl_exception base;
    enum gov_cca_Type__enum requested, actual;
};

static enum gov_cca_CCAExceptionType__enum type_of_status(enum portolan_status status)
{
    switch (status) {
#define CASE(name, number, text, cca)                                                              \
    case PORTOLAN_##name:                                                                          \
        return gov_cca_CCAExceptionType_##cca;
        PORTOLAN_STATUS_LIST(CASE)
#undef CASE
    }
    return gov_cca_CCAExceptionType_Unexpected;
}

/* For exceptions of other implementations: the status that stands for this type alone. */
static enum portolan_status status_of_type(enum gov_cca_CCAExceptionType__enum type)
{
    if (type == gov_cca_CCAExceptionType_Nonstandard || type == gov_cca_CCAExceptionType_Unexpected)
        return PORTOLAN_ECOMPONENT;
    if (type == gov_cca_CCAExceptionType_PortNotInUse)
        return PORTOLAN_EPORTNOTINUSE;
#define ROW(name, number, text, cca)                                                               \
    if (type == gov_cca_CCAExceptionType_##cca)                                                    \
        return PORTOLAN_##name;
    PORTOLAN_STATUS_LIST(ROW)
#undef ROW
    return PORTOLAN_ECOMPONENT;
}

static enum gov_cca_CCAExceptionType__enum cca_get_type(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return type_of_status(((struct cca_exception *)self)->status);
}

#define NOTE_SLOTS                                                                                 \
    .f_getNote = sidl_exception_getNote, .f_setNote = sidl_exception_setNote,                      \
    .f_getTrace = sidl_exception_getTrace, .f_addLine = sidl_exception_addLine,                    \
    .f_add = sidl_exception_add

static const struct gov_cca_CCAException__epv cca_epv = {
    NOTE_SLOTS,
    .f_getCCAExceptionType = cca_get_type,
};

static const struct sidl_class cca_class =
    SIDL_CLASS("portolan.CCAException", "0.1", cca_exception, gov_cca_CCAException, cca_epv,
               sidl_exception_destroy);

/* For methods that declare no exception. */
static const struct sidl_RuntimeException__epv runtime_epv = {
    NOTE_SLOTS,
};

static const struct sidl_implements undeclared_implements[] = {
    {&gov_cca_CCAException__type, &cca_epv}, {&sidl_RuntimeException__type, &runtime_epv}};

static const struct sidl_class undeclared_class = {
    .name = "portolan.UndeclaredException",
    .version = "0.1",
    .size = sizeof(struct cca_exception),
    .implements = undeclared_implements,
    .n_implements = 2,
    .destroy = sidl_exception_destroy,
};

static enum gov_cca_CCAExceptionType__enum mismatch_get_type(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return gov_cca_CCAExceptionType_BadProperties;
}

static enum gov_cca_Type__enum mismatch_requested(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct mismatch_exception *)self)->requested;
}

static enum gov_cca_Type__enum mismatch_actual(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct mismatch_exception *)self)->actual;
}

static const struct gov_cca_TypeMismatchException__epv mismatch_epv = {
    NOTE_SLOTS,
    .f_getCCAExceptionType = mismatch_get_type,
    .f_getRequestedType = mismatch_requested,
    .f_getActualType = mismatch_actual,
};

static const struct sidl_class mismatch_class =
    SIDL_CLASS("portolan.TypeMismatchException", "0.1", mismatch_exception,
               gov_cca_TypeMismatchException, mismatch_epv, sidl_exception_destroy);

void *exception_or_object(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    void *object = sidl_object_create(cls, _ex);

    if (!object && SIDL_CATCH(*_ex, "sidl.MemAllocException")) {
        SIDL_CLEAR(*_ex);
        exception_no_memory(_ex);
    }
    return object;
}

char *exception_or_text(const char *text, sidl_BaseInterface *_ex)
{
    char *copy = sidl_String_strdup(text);

    if (!copy)
        exception_no_memory(_ex);
    return copy;
}

static void throw_text(sidl_BaseInterface *_ex, enum portolan_status status, const char *text)
{
    struct cca_exception *e;

    if (status == PORTOLAN_ENOMEM) { /* a further allocation is likely to fail */
        exception_no_memory(_ex);
        return;
    }
    if (!(e = exception_or_object(&cca_class, _ex)))
        return;
    e->status = status;
    if (!(e->base.note = portolan_strdup(text))) {
        sidl_object_release(e);
        exception_no_memory(_ex);
        return;
    }
    *_ex = sidl_object_facet(e, "sidl.BaseInterface");
}

void exception_undeclared(sidl_BaseInterface *_ex)
{
    const struct cca_exception *declared = sidl_reference_peek(*_ex);
    sidl_BaseInterface failed = NULL;
    struct cca_exception *e;

    if (!declared || declared->base.object.cls != &cca_class)
        return;
    if ((e = exception_or_object(&undeclared_class, &failed))) {
        e->status = declared->status;
        e->base.note = portolan_strdup(declared->base.note);
    }
    SIDL_CLEAR(*_ex);
    *_ex = e ? sidl_object_facet(e, "sidl.BaseInterface") : failed;
}

void portolan_throw(sidl_BaseInterface *_ex, enum portolan_status status, const char *format, ...)
{
    char text[sizeof((struct portolan_error *)0)->text];
    va_list args;

    if (*_ex)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    throw_text(_ex, status, text);
}

void exception_from_error(sidl_BaseInterface *_ex, const struct portolan_error *err)
{
    if (!*_ex)
        throw_text(_ex, err->status ? err->status : PORTOLAN_EINTERNAL,
                   err->status ? err->text : portolan_status_text(PORTOLAN_EINTERNAL));
}

void exception_type_mismatch(sidl_BaseInterface *_ex, enum gov_cca_Type__enum requested,
                             enum gov_cca_Type__enum actual, const char *key)
{
    struct mismatch_exception *e = exception_or_object(&mismatch_class, _ex);

    if (!e)
        return;
    e->requested = requested;
    e->actual = actual;
    e->base.note = portolan_asprintf("key '%s' holds a value of type %s, not %s", key,
                                     portolan_typemap_type_word(actual),
                                     portolan_typemap_type_word(requested));
    if (!e->base.note) {
        sidl_object_release(e);
        exception_no_memory(_ex);
        return;
    }
    *_ex = sidl_object_facet(e, "sidl.BaseInterface");
}

static enum portolan_status status_of(sidl_BaseInterface thrown)
{
    const struct sidl_object *object = sidl_reference_peek(thrown);
    gov_cca_CCAException cca;
    enum gov_cca_CCAExceptionType__enum type;
    sidl_BaseInterface failed = NULL;

    if (object->cls == &cca_class || object->cls == &undeclared_class)
        return ((const struct cca_exception *)(const void *)object)->status;
    if (sidl_reference_is_type(thrown, "sidl.MemAllocException", NULL))
        return PORTOLAN_ENOMEM;
    if (!(cca = gov_cca_CCAException__cast(thrown, &failed)))
        return PORTOLAN_ECOMPONENT;
    type = gov_cca_CCAException_getCCAExceptionType(cca, &failed);
    gov_cca_CCAException_deleteRef(cca, NULL);
    if (failed) {
        SIDL_CLEAR(failed);
        return PORTOLAN_ECOMPONENT;
    }
    return status_of_type(type);
}

enum portolan_status portolan_catch(sidl_BaseInterface *_ex, struct portolan_error *err)
{
    sidl_BaseInterface thrown = *_ex, failed = NULL;
    enum portolan_status status;
    sidl_BaseException base;
    char *note = NULL;

    *_ex = NULL;
    if (!thrown)
        return PORTOLAN_OK;
    status = status_of(thrown);
    if ((base = sidl_BaseException__cast(thrown, NULL))) {
        note = sidl_BaseException_getNote(base, &failed);
        sidl_BaseException_deleteRef(base, NULL);
    }
    if (failed) {
        SIDL_CLEAR(failed);
        note = NULL;
    }
    portolan_error_set(err, status, "%s", note && *note ? note : portolan_status_text(status));
    sidl_String_free(note);
    sidl_reference_delete(thrown, NULL);
    return status;
}

/* -- gov.cca.CCAException of type OutOfMemory: made once, while there is memory, and thrown
 * whenever needed. It cannot be changed, because all who catch it share it. -- */

static struct sidl_object *shared; /* reachable as long as the process lives */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static enum gov_cca_CCAExceptionType__enum memory_get_type(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return gov_cca_CCAExceptionType_OutOfMemory;
}

static char *memory_get_note(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidl_String_strdup("out of memory"); /* NULL when there is none even for that */
}

static char *memory_get_trace(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return NULL;
}

static void ignore_text(void *self, const char *text, sidl_BaseInterface *_ex)
{
    (void)self, (void)text, (void)_ex;
}

static void ignore_place(void *self, const char *file, int32_t line, const char *method,
                         sidl_BaseInterface *_ex)
{
    (void)self, (void)file, (void)line, (void)method, (void)_ex;
}

#define MEMORY_SLOTS                                                                               \
    .f_getNote = memory_get_note, .f_setNote = ignore_text, .f_getTrace = memory_get_trace,        \
    .f_addLine = ignore_text, .f_add = ignore_place

static const struct gov_cca_CCAException__epv memory_cca_epv = {
    MEMORY_SLOTS,
    .f_getCCAExceptionType = memory_get_type,
};

static const struct sidl_RuntimeException__epv memory_runtime_epv = {
    MEMORY_SLOTS,
};

static const struct sidl_implements memory_implements[] = {
    {&gov_cca_CCAException__type, &memory_cca_epv},
    {&sidl_RuntimeException__type, &memory_runtime_epv}};

static const struct sidl_class memory_class = {
    .name = "portolan.OutOfMemory",
    .version = "0.1",
    .size = sizeof(struct sidl_object),
    .implements = memory_implements,
    .n_implements = 2,
};

static void make_shared(void)
{
    sidl_BaseInterface ex = NULL;

    shared = sidl_object_create(&memory_class, &ex);
    SIDL_CLEAR(ex);
}

void exception_no_memory(sidl_BaseInterface *_ex)
{
    pthread_once(&once, make_shared);
    if (!shared) {
        sidl_exception_throw_no_memory(_ex);
        return;
    }
    sidl_object_retain(shared);
    *_ex = sidl_object_facet(shared, "sidl.BaseInterface");
}

__attribute__((constructor)) static void prepare_shared(void)
{
    pthread_once(&once, make_shared);
}
