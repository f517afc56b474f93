/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: throwing and catching, with the macros of Babel's C binding.
 *
 * Every call ends with `sidl_BaseInterface *_ex`. A stub stores NULL there before it calls; an
 * implementation touches it only to throw. The macros jump to the label EXIT of the function
 * they are used in, where it releases what it holds. An exception in *_ex is a reference; whoever
 * catches it releases it (SIDL_CLEAR). Any thread, one at a time for each exception.
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

/*
 * Like Babel's macros, these are blocks that may be used with or without a semicolon. Before an
 * `else` they need braces around them.
 */

/** Throws a new exception of class CLS (e.g. sidl_SIDLException), unless EX holds one already. */
#define SIDL_THROW(EX, CLS, MESSAGE)                                                               \
    {                                                                                              \
        if (!(EX)) {                                                                               \
            sidl_BaseInterface sidl__failed = NULL;                                                \
            void *sidl__thrown = CLS##__create(&sidl__failed);                                     \
            (EX) = sidl_exception_fill(sidl__thrown ? sidl__thrown : (void *)sidl__failed,         \
                                       (MESSAGE), __FILE__, __LINE__, __FUNC__);                   \
        }                                                                                          \
        goto EXIT;                                                                                 \
    }

/** When EX holds an exception: adds this place to its trace and jumps to EXIT. */
#define SIDL_CHECK(EX)                                                                             \
    {                                                                                              \
        if (EX) {                                                                                  \
            sidl_update_exception((EX), __FILE__, __LINE__, __FUNC__);                             \
            goto EXIT;                                                                             \
        }                                                                                          \
    }

/** The same, and writes class, note and trace into the log. */
#define SIDL_REPORT(EX)                                                                            \
    {                                                                                              \
        if (EX) {                                                                                  \
            sidl_update_exception((EX), __FILE__, __LINE__, __FUNC__);                             \
            sidl_report_exception(EX);                                                             \
            goto EXIT;                                                                             \
        }                                                                                          \
    }

/** True when EX holds an exception of the named type ("sidl.SIDLException"). */
#define SIDL_CATCH(EX, NAME) sidl_exception_is((EX), (NAME))

/** Drops the exception that EX holds, if any. */
#define SIDL_CLEAR(EX)                                                                             \
    {                                                                                              \
        if (EX) {                                                                                  \
            sidl_reference_delete((EX), NULL);                                                     \
            (EX) = NULL;                                                                           \
        }                                                                                          \
    }

/** True when EXCEPTION (a reference of any type, or NULL) is of the named type. */
SIDL_API sidl_bool sidl_exception_is(void *exception, const char *type_name);

/** Adds a line to the exception's trace. */
SIDL_API void sidl_update_exception(void *exception, const char *filename, int32_t line,
                                    const char *funcname);

/** Writes class, note and trace into the log, as a warning. */
SIDL_API void sidl_report_exception(void *exception);

/**
 * Sets the note (unless NULL) of a sidl.BaseException and adds a line to its trace, unless FILE is
 * NULL. The run time passes NULL, since its own lines are not the cause of an exception.
 */
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

/** The classes that hold code, for classes that extend them. */
SIDL_API const struct sidl_class *sidl_SIDLException__externals(void);
SIDL_API const struct sidl_class *sidl_MemAllocException__externals(void);

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

/* Code that catches exceptions needs getNote. The typedef comes first for sidl__types.h. */
typedef struct sidl_BaseException__object *sidl_BaseException;
#include "sidl_BaseException.h"

#endif
