/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that end a run, and remarks on it, with rank, routine, place and time. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Describes the current rank's place: "rank 3 in MPI_Send at ring.c:12 (main), at 1.204 ms: …". */
static const char *describe(struct portolan_text *line, const char *format, va_list args)
{
    const struct rank *rank = clue_carrier.current;
    char *where = clue_where(rank, rank->site), time[32], text[600];

    vsnprintf(text, sizeof text, format, args);
    portolan_text_add(line, "rank %d%s%s%s%s, at %s: %s", rank->task,
                      !rank->routine ? ""
                      : rank->depth  ? " in "
                                     : " after ",
                      rank->routine ? rank->routine->name : "", where ? " at " : "",
                      where ? where : "",
                      portolan_format_time((double)clue_engine_now(clue_carrier.engine, rank->task),
                                           4, time, sizeof time),
                      text);
    free(where);
    return line->bytes ? line->bytes : "out of memory";
}

void clue_fail(const char *format, ...)
{
    struct portolan_text line = {0};
    va_list args;

    va_start(args, format);
    portolan_error_set(&clue_carrier.error, PORTOLAN_EINVAL, "%s", describe(&line, format, args));
    va_end(args);
    portolan_text_clear(&line);
    turn_stop(&clue_carrier);
}

void clue_abort(int status)
{
    clue_carrier.exit_status = status & 0xff ? status & 0xff : 1; /* never that of success */
    clue_fail("the program aborts with status %d", status);
}

const char *clue_site_text(int task, const void *site)
{
    static char *text;

    free(text);
    text = clue_where(clue_carrier.ranks[task], site);
    return text ? text : "an unknown place";
}

void clue_assume(const char *text)
{
    struct rank *rank = clue_carrier.current;

    clue_remark(false, text, rank, rank->site);
}

void clue_mistake(const char *format, ...)
{
    struct portolan_text line = {0};
    va_list args;

    va_start(args, format);
    clue_remark(true, describe(&line, format, args), clue_carrier.current, NULL);
    va_end(args);
    portolan_text_clear(&line);
}
