/* SPDX-License-Identifier: BSD-3-Clause */
/* As libjpeg's managers: functions get the writer, and find their own object in writer->sink. */
#ifndef SINK_H
#define SINK_H

#include <stddef.h>

struct writer;

struct sink {
    char *next; /* writers put bytes there… */
    size_t room;
    int (*flush)(struct writer *writer, int last); /* …and call this when there is no room */
    void (*end)(struct writer *writer);
};

struct writer {
    int bytes;
    struct sink *sink;
};

#endif
