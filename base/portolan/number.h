/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: numbers as text that other programs read, too. Any thread; no function fails or allocates.
 */
#ifndef PORTOLAN_NUMBER_H
#define PORTOLAN_NUMBER_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that every such text fits in, its NUL included. */
enum { PORTOLAN_NUMBER_TEXT = 32 };

/** VALUE with at most DIGITS significant digits, in the form of the C locale whatever the locale
   is. */
PORTOLAN_API void portolan_number_round(double value, int digits, char text[PORTOLAN_NUMBER_TEXT]);

/**
 * The shortest decimal text that reads back as VALUE, or (IS_FLOAT) as the same float, in the same
 * form.
 */
PORTOLAN_API void portolan_number_write(double value, bool is_float,
                                        char text[PORTOLAN_NUMBER_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
