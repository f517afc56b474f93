/* SPDX-License-Identifier: BSD-3-Clause */
/* Distinguishes kinds of traces by content. */
#include "otf2.h"
#include "stream_decode.h"
#include "stream_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

size_t trace_read_start(const char *path, void *bytes, size_t size)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(bytes, 1, size, f) : 0;

    if (f)
        fclose(f);
    return n;
}

/* Returns whether the bytes begin an anchor file, which is text in sections, of which this is the
 * first; older ones begin with a key. */
static bool is_otf2(const char *path, const char *bytes, size_t n)
{
    const char *end = strrchr(path, '.');

    return (end && !strcmp(end, ".otf2")) || (n >= 6 && !memcmp(bytes, "[OTF2]", 6));
}

static enum portolan_status read_otf2(const char *path, struct portolan_diagnostics *diagnostics,
                                      struct portolan_trace **trace, struct portolan_error *err)
{
#ifdef PORTOLAN_OTF2
    return trace_read_otf2(path, diagnostics, trace, err);
#else
    (void)diagnostics, (void)trace;
    return portolan_trace_write_otf2(NULL, path, NULL, err);
#endif
}

#ifndef PORTOLAN_OTF2
enum portolan_status portolan_trace_write_otf2(const struct portolan_trace *trace, const char *path,
                                               const char *const *facts, struct portolan_error *err)
{
    (void)trace, (void)facts;
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s: this Portolan is built without OTF2 (configure with OTF2 3.0)",
                              path);
}
#endif

enum portolan_status portolan_trace_read(const char *path, struct portolan_diagnostics *diagnostics,
                                         struct portolan_trace **trace, struct portolan_error *err)
{
    char bytes[64];
    struct stat info;
    size_t n;

    *trace = NULL;
    if (stat(path, &info) != 0)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return trace_read_streams(path, true, diagnostics, trace, err);
    n = trace_read_start(path, bytes, sizeof bytes);
    if (is_otf2(path, bytes, n))
        return read_otf2(path, diagnostics, trace, err);
    if (!stream_is_one(bytes, n))
        return portolan_error_set(
            err, PORTOLAN_ESYNTAX,
            "%s: not a trace; name a folder of Portolan's streams, one stream (RANK.THREAD.trace), "
            "or the anchor file of an OTF2 archive (traces.otf2)",
            path);
    return trace_read_streams(path, false, diagnostics, trace, err);
}
