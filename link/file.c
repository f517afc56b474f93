/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum portolan_status file_write(const char *file, const char *text, struct portolan_error *err)
{
    FILE *f = fopen(file, "w");
    bool good = f && fputs(text, f) != EOF;

    if (f && fclose(f) == EOF)
        good = false;
    return good ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be written: %s", file,
                                     strerror(errno));
}
