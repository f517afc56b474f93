/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: throwing and catching, with the macros of Babel's C binding.
 *
 * Every call ends with `sidl_BaseInterface *_ex`. A stub stores NULL there before it calls; an
 * implementation touches it only to throw. The macros jump to the label EXIT of the function
 * they are used in, where it releases what it holds.
 */
#ifndef SIDL_EXCEPTION_H
#define SIDL_EXCEPTION_H

#include "sidl_object.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __FUNC__
#define __FUNC__ __func__
#endif

/** Throws a new exception of class CLS (say sidl_SIDLException), unless EX holds one already. */
#define SIDL_THROW(EX, CLS, MESSAGE)                                                               \
    do {                                                                                           \
        if (!(EX)) {                                                                               \
            sidl_BaseInterface sidl__failed = NULL;                                                \
            void *sidl__thrown = CLS##__create(&sidl__failed);                                     \
            (EX) = sidl_exception_fill(sidl__thrown ? sidl__thrown : (void *)sidl__failed,         \
                                       (MESSAGE), __FILE__, __LINE__, __FUNC__);                   \
        }                                                                                          \
        goto EXIT;                                                                                 \
    } while (0)

/** Adds this place to the trace and jumps to EXIT. */
#define SIDL_REPORT(EX)                                                                            \
    do {                                                                                           \
        sidl_exception_fill((EX), NULL, __FILE__, __LINE__, __FUNC__);                             \
        goto EXIT;                                                                                 \
    } while (0)

/** SIDL_REPORT when EX holds an exception. */
#define SIDL_CHECK(EX)                                                                             \
    do {                                                                                           \
        if (EX)                                                                                    \
            SIDL_REPORT(EX);                                                                       \
    } while (0)

/** True when EX holds an exception of the named type ("sidl.SIDLException"). */
#define SIDL_CATCH(EX, NAME) ((EX) && sidl_reference_is_type((EX), (NAME), NULL))

/** Drops the exception that EX holds, if any. */
#define SIDL_CLEAR(EX)                                                                             \
    do {                                                                                           \
        if (EX) {                                                                                  \
            sidl_reference_delete((EX), NULL);                                                     \
            (EX) = NULL;                                                                           \
        }                                                                                          \
    } while (0)

/** Sets the note (unless NULL) of a sidl.BaseException and adds a line to its trace. */
SIDL_API sidl_BaseInterface sidl_exception_fill(void *exception, const char *note, const char *file,
                                                int line, const char *function);

/**
 * A new exception whose class is TYPE (generated __create functions call it): a reference of that
 * type. When memory is out, NULL, and *_ex holds the static sidl.MemAllocException.
 */
SIDL_API void *sidl_exception_create(const struct sidl_type *type, sidl_BaseInterface *_ex);

/** Stores the static sidl.MemAllocException, which needs no memory, in *_ex. */
SIDL_API void sidl_exception_throw_no_memory(sidl_BaseInterface *_ex);

/**
 * For exception classes with methods of their own: let the implementation start with this struct,
 * put the functions below into the entry-point table and the class.
 */
struct sidl_exception {
    struct sidl_object object;
    char *note;
    char *trace;
};

/** The class sidl.SIDLException, for classes that extend it. */
SIDL_API const struct sidl_class *sidl_SIDLException__externals(void);

SIDL_API char *sidl_exception_getNote(void *self, sidl_BaseInterface *_ex);
SIDL_API void sidl_exception_setNote(void *self, const char *message, sidl_BaseInterface *_ex);
SIDL_API char *sidl_exception_getTrace(void *self, sidl_BaseInterface *_ex);
SIDL_API void sidl_exception_addLine(void *self, const char *traceline, sidl_BaseInterface *_ex);
SIDL_API void sidl_exception_add(void *self, const char *filename, int32_t lineno,
                                 const char *methodname, sidl_BaseInterface *_ex);
SIDL_API void sidl_exception_destroy(void *self);

#ifdef __cplusplus
}
#endif
#endif
