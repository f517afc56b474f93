/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: functions for implementations written for Babel, other than objects, arrays and
 * strings, with the names of Babel 2.0's C binding. Any thread.
 */
#ifndef SIDLOPS_H
#define SIDLOPS_H

#include "sidl.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * NUMBYTES of zeroed memory, which the caller frees with free(), and NULL in *EXCEPTION. When
 * memory is out: NULL, and the sidl.MemAllocException in *EXCEPTION. NOTE, FILENAME, LINENO and
 * FUNCTION are ignored, since that exception takes no text.
 */
SIDL_API void *sidl_malloc(size_t numbytes, const char *note, const char *filename, int lineno,
                           const char *function, sidl_BaseInterface *exception);

typedef void (*sidl_atexit_func)(void *data);

/** FCN is called with DATA when the program ends, the last one registered first; without memory it
 * is not registered. DATA must live until then. */
SIDL_API void sidl_atexit(sidl_atexit_func fcn, void *data);

/** For sidl_atexit: OBJREF is the address of a reference, which is dropped and set to NULL. */
SIDL_API void sidl_deleteRef_atexit(void *objref);

#ifdef __cplusplus
}
#endif
#endif
