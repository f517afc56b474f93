/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Portolan's own streams. */
#ifndef TRACE_FILES_STREAM_READ_H
#define TRACE_FILES_STREAM_READ_H

#include <portolan/trace.h>

/* Reads like portolan_trace_read(): a folder of streams, or one stream. */
enum portolan_status trace_read_streams(const char *path, bool is_folder,
                                        struct portolan_diagnostics *diagnostics,
                                        struct portolan_trace **trace, struct portolan_error *err);

#endif
