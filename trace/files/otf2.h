/* SPDX-License-Identifier: BSD-3-Clause */
/* OTF2 archives, read and written; only where Portolan is built with OTF2. */
#ifndef TRACE_FILES_OTF2_H
#define TRACE_FILES_OTF2_H

#include <portolan/trace.h>

/* As portolan_trace_read() for the anchor file PATH, "traces.otf2". */
enum portolan_status trace_read_otf2(const char *path, struct portolan_diagnostics *diagnostics,
                                     struct portolan_trace **trace, struct portolan_error *err);

/* read.c: the first bytes of PATH; how many there are, at most SIZE. */
size_t trace_read_start(const char *path, void *bytes, size_t size);

#ifdef PORTOLAN_OTF2
#include <otf2/otf2.h>

/* For OTF2_Error_RegisterCallback(): the library would print; what went wrong is told by its
 * results. */
OTF2_ErrorCode otf2_keep_quiet(void *arg, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list args);
#endif

#endif
