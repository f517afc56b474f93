/* SPDX-License-Identifier: BSD-3-Clause */
/* Names by number, each once. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct wanted {
    const struct frames *in;
    const char *name, *file;
};

static bool same_frame(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return !strcmp(w->in->frames[i].name, w->name) && !strcmp(w->in->frames[i].file, w->file);
}

size_t frames_find(struct frames *f, const char *name, const char *file)
{
    const struct wanted wanted = {f, name, file};
    uint64_t hash = portolan_hash(name, strlen(name) + 1, portolan_hash(file, strlen(file) + 1, 1));
    size_t at = portolan_index_find(&f->index, hash, same_frame, &wanted);
    struct frame *frames;

    if (at != SIZE_MAX)
        return at;
    if (!(frames = portolan_arena_grow(&f->arena, f->frames, f->n, sizeof *frames)))
        return 0;
    f->frames = frames;
    frames[f->n] = (struct frame){portolan_arena_strdup(&f->arena, name),
                                  portolan_arena_strdup(&f->arena, file)};
    if (f->arena.failed || !portolan_index_add(&f->index, hash, f->n)) {
        f->arena.failed = true;
        return 0;
    }
    return f->n++;
}

size_t frames_of_path(struct frames *f, const struct portolan_sample *path)
{
    f->label.length = 0;
    row_label(path, &f->label);
    f->arena.failed = f->arena.failed || f->label.failed;
    return frames_find(f, f->label.bytes ? f->label.bytes : "",
                       frame_file(path->implementation, path->port_type));
}

const char *frame_file(const char *implementation, const char *port_type)
{
    return *implementation ? implementation : port_type;
}

void frames_clear(struct frames *f)
{
    portolan_text_clear(&f->label);
    portolan_arena_clear(&f->arena);
    portolan_index_clear(&f->index);
    *f = (struct frames){0};
}
