/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that a struct with functions in it may have beside them, and the objects that its
 * functions hand out.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdarg.h>
#include <stddef.h>

struct stream;

/* An object whose storage is the caller's, as large as the stream's `file_size` says. */
struct stream_file {
    const struct stream_file_ops *methods;
};
struct stream_file_ops {
    int iVersion;
    int (*read)(struct stream_file *self, char *to, int n);
    int (*close)(struct stream_file *self);
    long (*map)(struct stream_file *self); /* from version 2 on */
    long (*unmap)(struct stream_file *self);
};

/* The same kind of thing, but it holds its functions itself. */
struct stream_filter {
    int (*apply)(struct stream_filter *self, int value);
    int factor;
};

struct stream {
    size_t struct_size; /* how much of it there is */
    int file_size;
    unsigned fast : 1, : 3, safe : 2;
    struct stream *next; /* a registry's */
    const char *zName;
    long position;
    int (*const advance)(struct stream *self, int by);
    long (*distance)(const struct stream *a, const struct stream *b);
    struct stream *(*clone)(struct stream *self);
    const struct stream *(*itself)(struct stream *self);
    int (*open)(struct stream *self, int version, struct stream_file *file, int *flags);
    int (*find)(struct stream *self, const char *what, struct stream_file **file);
    int (*filter)(struct stream *self, int factor, struct stream_filter *to);
    int (*on_event)(void *data, int event); /* the user's, so it follows both sides */
    int (*log)(struct stream *self, const char *format, ...);
    int (*vlog)(struct stream *self, const char *format, va_list list);
    int (*trace)(struct stream *self, const char *format, ...);
    struct {
        int (*get)(struct stream *self);
        int unit;
        struct {
            int (*set)(struct stream *self, int to);
        };
    } clock;
    void (*close)(struct stream *self);
    long limit;                         /* more data, between functions */
    int (*rewind)(struct stream *self); /* members from here on came later */
    long last;
};

#endif
