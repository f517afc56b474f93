/* SPDX-License-Identifier: BSD-3-Clause */
#include "models_internal.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

/* printf follows the locale; texts that other programs read must not. */
static void c_decimal_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    char *at = strcmp(point, ".") == 0 || !length ? NULL : strstr(text, point);

    if (!at)
        return;
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}

void number_write_short(double value, int digits, char text[NUMBER_TEXT])
{
    snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
    c_decimal_point(text);
}

void number_write(double value, char text[NUMBER_TEXT])
{
    double back;

    for (int digits = 15; digits <= 17; digits++) {
        number_write_short(value, digits, text);
        if (portolan_read_double(text, &back) && back == value)
            return;
    }
}

void numbers_rank(void *ranked, size_t *n, size_t most, const void *entry, size_t size)
{
    char *at = (char *)ranked + *n * size;

    while (at > (char *)ranked && *(const double *)entry < *(double *)(at - size))
        at -= size;
    if (at == (char *)ranked + most * size)
        return;
    *n += *n < most;
    memmove(at + size, at, (size_t)((char *)ranked + (*n - 1) * size - at));
    memcpy(at, entry, size);
}
