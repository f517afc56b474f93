/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <pthread.h>
#include <stdlib.h>

#include "runtime_internal.h"
#include "sidlOps.h"

void *sidl_malloc(size_t numbytes, const char *note, const char *filename, int lineno,
                  const char *function, sidl_BaseInterface *exception)
{
    void *memory = portolan_calloc(numbytes ? numbytes : 1, 1);

    (void)note, (void)filename, (void)lineno, (void)function;
    *exception = NULL;
    if (!memory)
        sidl_exception_throw_no_memory(exception);
    return memory;
}

/* Functions to be called at the end, the last one first. */
struct ending {
    struct ending *next;
    sidl_atexit_func fcn;
    void *data;
};

static struct ending *endings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct ending *take_ending(void)
{
    struct ending *ending;

    pthread_mutex_lock(&lock);
    ending = endings;
    if (ending)
        endings = ending->next;
    pthread_mutex_unlock(&lock);
    return ending;
}

/* An ending may register further ones. */
__attribute__((destructor)) static void run_endings(void)
{
    struct ending *ending;

    while ((ending = take_ending())) {
        ending->fcn(ending->data);
        free(ending);
    }
}

void sidl_atexit(sidl_atexit_func fcn, void *data)
{
    struct ending *ending = portolan_calloc(1, sizeof *ending);

    if (!ending)
        return;
    ending->fcn = fcn;
    ending->data = data;
    pthread_mutex_lock(&lock);
    ending->next = endings;
    endings = ending;
    pthread_mutex_unlock(&lock);
}

void sidl_deleteRef_atexit(void *objref)
{
    sidl_BaseInterface *reference = objref;

    if (reference) {
        sidl_reference_delete(*reference, NULL);
        *reference = NULL;
    }
}
