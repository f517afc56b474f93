/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.CCAException of type OutOfMemory: made once, when there still is memory, and thrown as
 * often as need be. It cannot be changed, since all who catch it share it.
 */
#include "internal.h"

#include "sidl_RuntimeException.h"

#include <pthread.h>

static struct sidl_object *shared; /* reachable as long as the process lives */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static enum gov_cca_CCAExceptionType__enum get_type(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return gov_cca_CCAExceptionType_OutOfMemory;
}

static char *get_note(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidl_String_strdup("out of memory"); /* NULL when there is none even for that */
}

static char *get_trace(void *self, sidl_BaseInterface *_ex)
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

static const struct gov_cca_CCAException__epv cca_epv = {
    .f_getNote = get_note,
    .f_setNote = ignore_text,
    .f_getTrace = get_trace,
    .f_addLine = ignore_text,
    .f_add = ignore_place,
    .f_getCCAExceptionType = get_type,
};

static const struct sidl_RuntimeException__epv runtime_epv = {
    .f_getNote = get_note,
    .f_setNote = ignore_text,
    .f_getTrace = get_trace,
    .f_addLine = ignore_text,
    .f_add = ignore_place,
};

static const struct sidl_implements implements[] = {{&gov_cca_CCAException__type, &cca_epv},
                                                    {&sidl_RuntimeException__type, &runtime_epv}};

static const struct sidl_class memory_class = {
    .name = "portolan.OutOfMemory",
    .version = "0.1",
    .size = sizeof(struct sidl_object),
    .implements = implements,
    .n_implements = 2,
};

static void make(void)
{
    sidl_BaseInterface ex = NULL;

    shared = sidl_object_create(&memory_class, &ex);
    SIDL_CLEAR(ex);
}

void exception_no_memory(sidl_BaseInterface *_ex)
{
    pthread_once(&once, make);
    if (!shared) {
        sidl_exception_throw_no_memory(_ex);
        return;
    }
    sidl_object_retain(shared);
    *_ex = sidl_object_facet(shared, "sidl.BaseInterface");
}

__attribute__((constructor)) static void prepare(void)
{
    pthread_once(&once, make);
}
