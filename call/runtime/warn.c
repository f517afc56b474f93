/* SPDX-License-Identifier: BSD-3-Clause */
/* What the run time tells the user of the program. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

static void say(const char *place, const char *format, va_list args)
{
    struct portolan_text text = {0};
    char *words = NULL;

    if (vasprintf(&words, format, args) < 0)
        words = NULL;
    portolan_text_add(&text, "%s: warning: %s\n", place, words ? words : "out of memory");
    if (text.bytes)
        fputs(text.bytes, stderr); /* at once: other processes speak, too */
    portolan_text_clear(&text);
    free(words);
}

void cll_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say("portolan-call", format, args);
    va_end(args);
}

void cll_warn_at(const char *file, const unsigned *lines, unsigned n, const char *format, ...)
{
    struct portolan_text place = {0};
    va_list args;

    portolan_text_add(&place, "%s:%u", file, n ? lines[0] : 0);
    for (unsigned i = 1; i < n; i++)
        portolan_text_add(&place, i == 1 ? " (or line %u" : ", %u", lines[i]);
    if (n > 1)
        portolan_text_add(&place, ")");
    va_start(args, format);
    say(place.bytes ? place.bytes : file, format, args);
    va_end(args);
    portolan_text_clear(&place);
}
