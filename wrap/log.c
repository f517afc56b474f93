/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has written to its log. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *stop = memchr(text, '\0', (size_t)(end - text));

    if (!stop)
        return "";
    *at = stop + 1;
    return text;
}

static void take_method(struct wrap_process *p, const char *bytes, const char *end)
{
    struct portolan_probe_method_info *info;
    struct wrap_method m;
    const char *at = bytes + sizeof m;
    char *copy;

    if ((size_t)(end - bytes) < sizeof m)
        return;
    memcpy(&m, bytes, sizeof m);
    copy = portolan_arena_alloc(&p->arena, (size_t)(end - at) + 1, 1);
    info = portolan_arena_grow(&p->arena, p->methods, p->n_methods, sizeof *info);
    if (!copy || !info || m.n_context > PORTOLAN_PROBE_CONTEXTS ||
        m.handle != PORTOLAN_PROBE_HANDLE_OWN + 1 + p->n_methods)
        return;
    p->methods = info;
    info += p->n_methods;
    memcpy(copy, at, (size_t)(end - at));
    at = copy;
    end = copy + (end - bytes) - sizeof m;
    *info = (struct portolan_probe_method_info){.handle = m.handle};
    info->connection.user = next_text(&at, end);
    info->connection.uses = next_text(&at, end);
    info->connection.provider = next_text(&at, end);
    info->connection.provides = next_text(&at, end);
    info->connection.provider_class = next_text(&at, end);
    info->connection.port_type = next_text(&at, end);
    info->method.name = next_text(&at, end);
    info->method.n_context = m.n_context;
    info->method.real_contexts = m.real_contexts;
    for (unsigned i = 0; i < m.n_context; i++)
        info->method.context[i] = next_text(&at, end);
    p->n_methods++;
}

static void take_switch(struct wrap_process *p, const char *at, const char *end)
{
    struct portolan_swap *grown =
        portolan_arena_grow(&p->arena, p->swaps, p->n_swaps, sizeof *grown);
    const char *texts[4];

    if (!grown)
        return;
    p->swaps = grown;
    for (int i = 0; i < 4; i++)
        texts[i] = portolan_arena_strdup(&p->arena, next_text(&at, end));
    p->swaps[p->n_swaps++] = (struct portolan_swap){.step = p->recorder.step,
                                                    .instance = texts[0],
                                                    .from = texts[1],
                                                    .to = texts[2],
                                                    .reason = "told to",
                                                    .outcome = texts[3]};
}

static void take_note(struct wrap_process *p, const char *text)
{
    const char **grown = portolan_arena_grow(&p->arena, p->notes, p->n_notes, sizeof *grown);

    if (!grown)
        return;
    p->notes = grown;
    p->notes[p->n_notes++] = portolan_arena_strdup(&p->arena, text);
}

static void take_object(struct wrap_process *p, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = portolan_asprintf("object %s", slash ? slash + 1 : file);

    if (name)
        portolan_facts_put(&p->objects, name, file);
    free(name);
}

static void take_entry(struct wrap_process *p, unsigned kind, const char *bytes, const char *end)
{
    switch (kind) {
    case WRAP_METHOD:
        take_method(p, bytes, end);
        break;
    case WRAP_NOTE:
        take_note(p, next_text(&bytes, end));
        break;
    case WRAP_SWITCH:
        take_switch(p, bytes, end);
        break;
    case WRAP_OBJECT:
        take_object(p, next_text(&bytes, end));
        break;
    default:
        break;
    }
}

void wrap_log_read(struct wrap_process *p)
{
    uint64_t bytes = __atomic_load_n(&p->area->log_bytes, __ATOMIC_ACQUIRE);
    const char *log = (const char *)p->area->log;

    while (p->log_read < bytes && bytes <= sizeof p->area->log) {
        struct wrap_entry entry;

        memcpy(&entry, log + p->log_read, sizeof entry);
        if (entry.size_bytes < sizeof entry || entry.size_bytes > bytes - p->log_read)
            break;
        take_entry(p, entry.kind, log + p->log_read + sizeof entry,
                   log + p->log_read + entry.size_bytes);
        p->log_read += entry.size_bytes;
    }
}
