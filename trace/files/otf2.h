/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes OTF2 archives; only where Portolan is built with OTF2. */
#ifndef TRACE_FILES_OTF2_H
#define TRACE_FILES_OTF2_H

#include <portolan/trace.h>

/* Reads like portolan_trace_read(), for the anchor file PATH, "traces.otf2". */
enum portolan_status trace_read_otf2(const char *path, struct portolan_diagnostics *diagnostics,
                                     struct portolan_trace **trace, struct portolan_error *err);

/* read.c: reads the first bytes of PATH; returns how many there are, at most SIZE. */
size_t trace_read_start(const char *path, void *bytes, size_t size);

#ifdef PORTOLAN_OTF2
#include <otf2/otf2.h>

/* For OTF2_Error_RegisterCallback(): keeps the library from printing; its results report errors. */
OTF2_ErrorCode otf2_keep_quiet(void *arg, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list args);
#endif

#endif
