/* SPDX-License-Identifier: BSD-3-Clause */
/* Babel's C functions: strings, memory, and exit handlers. */
#include <portolan/base.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_internal.h"
#include "sidlOps.h"

char *sidl_String_alloc(size_t size)
{
    return size == SIZE_MAX ? NULL : portolan_calloc(size + 1, 1);
}

void sidl_String_free(char *s)
{
    free(s);
}

size_t sidl_String_strlen(const char *s)
{
    return s ? strlen(s) : 0;
}

void sidl_String_strcpy(char *s1, const char *s2)
{
    if (s1)
        memcpy(s1, s2 ? s2 : "", sidl_String_strlen(s2) + 1);
}

char *sidl_String_strdup(const char *s)
{
    return portolan_strdup(s);
}

char *sidl_String_strndup(const char *s, size_t n)
{
    const size_t length = s ? strnlen(s, n) : 0;
    char *copy = s && n ? sidl_String_alloc(length) : NULL;

    if (copy)
        memcpy(copy, s, length);
    return copy;
}

int sidl_String_equals(const char *s1, const char *s2)
{
    return s1 == s2 || (s1 && s2 && strcmp(s1, s2) == 0);
}

int sidl_String_endsWith(const char *s, const char *end)
{
    const size_t length = sidl_String_strlen(s), tail = sidl_String_strlen(end);

    return s && end && tail <= length && strcmp(s + length - tail, end) == 0;
}

int sidl_String_startsWith(const char *s, const char *start)
{
    return s && start && strncmp(s, start, strlen(start)) == 0;
}

char *sidl_String_substring(const char *s, size_t index)
{
    return s && index < strlen(s) ? portolan_strdup(s + index) : NULL;
}

char *sidl_String_concat4(const char *s1, const char *s2, const char *s3, const char *s4)
{
    return portolan_asprintf("%s%s%s%s", s1 ? s1 : "", s2 ? s2 : "", s3 ? s3 : "", s4 ? s4 : "");
}

char *sidl_String_concat3(const char *s1, const char *s2, const char *s3)
{
    return sidl_String_concat4(s1, s2, s3, NULL);
}

char *sidl_String_concat2(const char *s1, const char *s2)
{
    return sidl_String_concat4(s1, s2, NULL, NULL);
}

void sidl_String_replace(char *s, char oldchar, char newchar)
{
    for (; s && *s; s++)
        if (*s == oldchar)
            *s = newchar;
}

/* For the variants that throw: throws if TEXT was wanted but could not be made. */
static char *check_made(char *text, bool wanted, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (!text && wanted)
        sidl_exception_throw_no_memory(_ex);
    return text;
}

char *sidl_String_alloc_ex(size_t size, sidl_BaseInterface *_ex)
{
    return check_made(sidl_String_alloc(size), true, _ex);
}

char *sidl_String_strdup_ex(const char *s, sidl_BaseInterface *_ex)
{
    return check_made(sidl_String_strdup(s), s != NULL, _ex);
}

char *sidl_String_strndup_ex(const char *s, size_t n, sidl_BaseInterface *_ex)
{
    return check_made(sidl_String_strndup(s, n), s && n, _ex);
}

char *sidl_String_concat2_ex(const char *s1, const char *s2, sidl_BaseInterface *_ex)
{
    return check_made(sidl_String_concat2(s1, s2), true, _ex);
}

char *sidl_String_concat3_ex(const char *s1, const char *s2, const char *s3,
                             sidl_BaseInterface *_ex)
{
    return check_made(sidl_String_concat3(s1, s2, s3), true, _ex);
}

char *sidl_String_concat4_ex(const char *s1, const char *s2, const char *s3, const char *s4,
                             sidl_BaseInterface *_ex)
{
    return check_made(sidl_String_concat4(s1, s2, s3, s4), true, _ex);
}

/* sidlOps.h */

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
