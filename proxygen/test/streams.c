/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"

#include <sys/mman.h>
#include <unistd.h>
#include <unit_test.h>

#include <portolan/probe.h>

static int file_read(struct stream_file *self, char *to, int n);
static int file_close(struct stream_file *self);
static int heap_close(struct stream_file *self);
static long file_map(struct stream_file *self);

const struct stream_file_ops newer = {
    .iVersion = 2, .read = file_read, .close = file_close, .map = file_map};
const struct stream_file_ops on_heap = {
    .iVersion = 2, .read = file_read, .close = heap_close, .map = file_map};
struct stream_file_ops *older;

static int file_read(struct stream_file *self, char *to, int n)
{
    portolan_probe_clock_advance(7);
    memset(to, 'x', (size_t)n);
    return ++((struct file *)self)->reads;
}

static int file_close(struct stream_file *self)
{
    self->methods = NULL;
    return 0;
}

static int heap_close(struct stream_file *self)
{
    free(self);
    return 0;
}

static long file_map(struct stream_file *self)
{
    return ((struct file *)self)->reads;
}

static int advance(struct stream *self, int by)
{
    portolan_probe_clock_advance(3);
    self->position += by;
    self->fast = by > 100;
    if (self->on_event)
        self->on_event(self, by);
    return 0;
}

static long distance(const struct stream *a, const struct stream *b)
{
    ((struct source *)a)->compared = b;
    return b->position - a->position;
}

static void close_heap(struct stream *self)
{
    free(self);
}

static struct stream *duplicate(struct stream *self)
{
    struct source *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    memcpy(s, self, sizeof *s);
    s->clones++;
    memcpy((char *)s + offsetof(struct stream, close), &(void (*)(struct stream *)){close_heap},
           sizeof s->base.close);
    return &s->base;
}

static const struct stream *itself(struct stream *self)
{
    return self;
}

static int open_file(struct stream *self, int version, struct stream_file *file, int *flags)
{
    if (flags)
        *flags = version;
    file->methods = version == 2 ? &newer : version == 1 ? older : NULL;
    return version == 0;
}

struct stream_file *kept;

static int find_file(struct stream *self, const char *what, struct stream_file **file)
{
    struct file *f;

    if (strcmp(what, "nothing") == 0)
        return 1; /* without a look at *file */
    if (strcmp(what, "kept") == 0) {
        *file = kept;
        return 0;
    }
    f = calloc(1, sizeof *f);
    if (!f)
        return 1;
    f->base.methods = &on_heap;
    *file = &f->base;
    return 0;
}

int multiply(struct stream_filter *self, int value)
{
    portolan_probe_clock_advance(11);
    return self->factor * value;
}

static int negate(struct stream_filter *self, int value)
{
    return -value;
}

static int make_filter(struct stream *self, int factor, struct stream_filter *to)
{
    *to = (struct stream_filter){factor < 0 ? negate : multiply, factor};
    return 0;
}

static int log_list(struct stream *self, const char *format, va_list list)
{
    portolan_probe_clock_advance(13);
    return format[0] == 'd' ? va_arg(list, int) : -1;
}

static int log_all(struct stream *self, const char *format, ...)
{
    va_list list;
    int result;

    va_start(list, format);
    result = log_list(self, format, list);
    va_end(list);
    return result;
}

static int get_clock(struct stream *self)
{
    return self->clock.unit;
}

static int set_clock(struct stream *self, int to)
{
    self->clock.unit = to;
    return 0;
}

static int rewind_stream(struct stream *self)
{
    self->last = self->position;
    self->position = 0;
    return 0;
}

void *before_a_hole(const void *bytes, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    return memcpy(pages + page - size, bytes, size);
}

struct source source_make(long position)
{
    static const struct stream_file_ops one = {
        .iVersion = 1, .read = file_read, .close = file_close};

    if (!older)
        older = before_a_hole(&one, offsetof(struct stream_file_ops, map));
    return (struct source){.base = {.struct_size = sizeof(struct stream),
                                    .file_size = sizeof(struct file),
                                    .zName = "source",
                                    .position = position,
                                    .advance = advance,
                                    .distance = distance,
                                    .clone = duplicate,
                                    .itself = itself,
                                    .open = open_file,
                                    .find = find_file,
                                    .filter = make_filter,
                                    .log = log_all,
                                    .vlog = log_list,
                                    .trace = log_all,
                                    .clock = {.get = get_clock, .unit = 60, .set = set_clock},
                                    .limit = 1000,
                                    .rewind = rewind_stream,
                                    .last = -1}};
}
