/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: strings, with Babel's names. Strings that cross an interface as out, inout or
 * result are made by these functions (or malloc) and freed by sidl_String_free (or free). NULL is a
 * legal argument everywhere. Functions that return a string return a new one, the caller's; NULL
 * when memory runs out, and those ending in _ex store the exception for that in *_ex, and NULL
 * otherwise. Sizes and indices are bytes, from 0. Any thread.
 */
#ifndef SIDL_STRING_H
#define SIDL_STRING_H

#include <stdlib.h>

#include "sidl_object.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Zeroed room for SIZE characters and the terminating NUL. */
SIDL_API char *sidl_String_alloc(size_t size);
SIDL_API char *sidl_String_alloc_ex(size_t size, sidl_BaseInterface *_ex);
SIDL_API void sidl_String_free(char *s);

SIDL_API size_t sidl_String_strlen(const char *s); /**< 0 for NULL */
/** Copies S2 (NULL: the empty string) to S1, which must have room. */
SIDL_API void sidl_String_strcpy(char *s1, const char *s2);

/** A copy; strndup: of at most N characters. NULL for NULL, and for an N of 0. */
SIDL_API char *sidl_String_strdup(const char *s);
SIDL_API char *sidl_String_strdup_ex(const char *s, sidl_BaseInterface *_ex);
SIDL_API char *sidl_String_strndup(const char *s, size_t n);
SIDL_API char *sidl_String_strndup_ex(const char *s, size_t n, sidl_BaseInterface *_ex);

/** Two NULLs are equal; nothing else is equal to NULL, starts or ends with it. */
SIDL_API int sidl_String_equals(const char *s1, const char *s2);
SIDL_API int sidl_String_endsWith(const char *s, const char *end);
SIDL_API int sidl_String_startsWith(const char *s, const char *start);

/** From INDEX to the end; NULL when there is nothing. */
SIDL_API char *sidl_String_substring(const char *s, size_t index);

/** The arguments one after the other; NULLs are left out. */
SIDL_API char *sidl_String_concat2(const char *s1, const char *s2);
SIDL_API char *sidl_String_concat2_ex(const char *s1, const char *s2, sidl_BaseInterface *_ex);
SIDL_API char *sidl_String_concat3(const char *s1, const char *s2, const char *s3);
SIDL_API char *sidl_String_concat3_ex(const char *s1, const char *s2, const char *s3,
                                      sidl_BaseInterface *_ex);
SIDL_API char *sidl_String_concat4(const char *s1, const char *s2, const char *s3, const char *s4);
SIDL_API char *sidl_String_concat4_ex(const char *s1, const char *s2, const char *s3,
                                      const char *s4, sidl_BaseInterface *_ex);

/** Every OLDCHAR of S becomes NEWCHAR. */
SIDL_API void sidl_String_replace(char *s, char oldchar, char newchar);

#ifdef __cplusplus
}
#endif
#endif
