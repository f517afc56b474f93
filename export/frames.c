/* SPDX-License-Identifier: BSD-3-Clause */
/* Names by number, each once. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_frame(const char *name, const char *file)
{
    return portolan_hash(name, strlen(name) + 1, portolan_hash(file, strlen(file) + 1, 1));
}

static bool grow_slots(struct frames *f)
{
    size_t n = f->n_slots ? 2 * f->n_slots : 1024;
    size_t *slots = portolan_calloc(n, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < f->n; i++) {
        size_t at = hash_frame(f->frames[i].name, f->frames[i].file) & (n - 1);

        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = i + 1;
    }
    free(f->slots);
    f->slots = slots;
    f->n_slots = n;
    return true;
}

size_t frames_find(struct frames *f, const char *name, const char *file)
{
    struct frame *grown;
    size_t at;

    if (f->arena.failed || (2 * f->n >= f->n_slots && !grow_slots(f))) {
        f->arena.failed = true;
        return 0;
    }
    at = hash_frame(name, file) & (f->n_slots - 1);
    for (; f->slots[at]; at = (at + 1) & (f->n_slots - 1)) {
        const struct frame *seen = &f->frames[f->slots[at] - 1];

        if (!strcmp(seen->name, name) && !strcmp(seen->file, file))
            return f->slots[at] - 1;
    }
    grown = portolan_arena_grow(&f->arena, f->frames, f->n, sizeof *grown);
    if (!grown)
        return 0;
    f->frames = grown;
    grown[f->n] = (struct frame){portolan_arena_strdup(&f->arena, name),
                                 portolan_arena_strdup(&f->arena, file)};
    if (f->arena.failed)
        return 0;
    f->slots[at] = f->n + 1;
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
    free(f->slots);
    *f = (struct frames){0};
}
