/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of samples as their processes packed them. */
#include "internal.h"
#include "pack.h"

#include <string.h>

struct reader {
    const char *next, *end;
    struct portolan_arena *arena;
    bool failed;
};

static uint64_t get(struct reader *r)
{
    uint64_t value;

    if ((size_t)(r->end - r->next) < sizeof value) {
        r->failed = true;
        return 0;
    }
    memcpy(&value, r->next, sizeof value);
    r->next += sizeof value;
    return value;
}

/* What the next SIZE bytes are, padded to whole words; NULL: there are not so many. */
static const char *get_bytes(struct reader *r, size_t size)
{
    const char *bytes = r->next;

    if (r->failed || (size_t)(r->end - r->next) < size) {
        r->failed = true;
        return NULL;
    }
    r->next += size + (8 - size % 8) % 8;
    return bytes;
}

static char *get_string(struct reader *r)
{
    size_t size = get(r);
    const char *text = size ? get_bytes(r, size) : NULL;

    if (text && text[size - 1] != '\0')
        r->failed = true;
    return (char *)text;
}

/* Room for COUNT things of SIZE bytes, of which each takes a word here at least. */
static void *get_room(struct reader *r, size_t count, size_t size)
{
    void *room = NULL;

    if (!r->failed && count <= (size_t)(r->end - r->next))
        room = portolan_arena_alloc(r->arena, count + 1, size);
    if (!room)
        r->failed = true;
    return room;
}

static unsigned *get_lines(struct reader *r, size_t *n)
{
    unsigned *lines;

    *n = get(r);
    lines = get_room(r, *n, sizeof *lines);
    for (size_t i = 0; lines && i < *n; i++)
        lines[i] = (unsigned)get(r);
    return lines;
}

static char **get_words(struct reader *r, size_t *n)
{
    char **words;

    *n = get(r);
    words = get_room(r, *n, sizeof *words);
    for (size_t i = 0; words && i < *n; i++)
        if (!(words[i] = get_string(r)))
            r->failed = true;
    return words;
}

static void get_experiment(struct reader *r, struct cll_packed_experiment *e)
{
    struct portolan_cll_sample *s = &e->like;

    e->wanted = get(r);
    s->name = get_string(r);
    s->file = get_string(r);
    s->formula = get_string(r);
    s->n_constants = (unsigned)get(r);
    s->begin_lines = get_lines(r, &s->n_begin);
    s->end_lines = get_lines(r, &s->n_end);
    s->identifiers = get_words(r, &s->n_identifiers);
    s->observables = get_words(r, &s->n_observables);
    e->lost = get(r);
    e->unmatched = get(r);
    e->crossed = get(r);
    if (!s->name)
        r->failed = true;
}

static void get_node(struct reader *r, struct cll_unpacked *u)
{
    struct cll_packed_node node = {.experiment = get(r), .parent = get(r)}, *nodes;
    size_t width = 0;

    node.thread = (unsigned)get(r);
    node.n_rows = get(r);
    if (node.experiment < u->n_experiments) {
        const struct portolan_cll_sample *s = &u->experiments[node.experiment].like;

        width = ROW_FIRST + s->n_identifiers + s->n_observables;
    }
    if (r->failed || (node.parent != SIZE_MAX && node.parent >= u->n_nodes) ||
        (node.n_rows && (!width || node.n_rows > SIZE_MAX / 8 / width))) {
        r->failed = true;
        return;
    }
    node.rows = (const double *)(const void *)get_bytes(r, node.n_rows * width * sizeof(double));
    nodes = portolan_arena_grow(r->arena, u->nodes, u->n_nodes, sizeof *nodes);
    if (!nodes) {
        r->failed = true;
        return;
    }
    u->nodes = nodes;
    nodes[u->n_nodes++] = node;
}

bool cll_unpack(const struct cll_block *block, struct cll_unpacked *out)
{
    struct reader r = {block->bytes, block->bytes + block->size, &out->arena, false};

    *out = (struct cll_unpacked){0};
    if (get(&r) != CLL_PACK_MAGIC)
        r.failed = true;
    out->host = get_string(&r);
    out->n_experiments = get(&r);
    out->experiments = get_room(&r, out->n_experiments, sizeof *out->experiments);
    for (size_t i = 0; !r.failed && i < out->n_experiments; i++)
        get_experiment(&r, &out->experiments[i]);
    while (!r.failed && get(&r))
        get_node(&r, out);
    if (r.failed)
        cll_unpacked_clear(out);
    return !r.failed;
}

void cll_unpacked_clear(struct cll_unpacked *u)
{
    portolan_arena_clear(&u->arena);
    *u = (struct cll_unpacked){0};
}
