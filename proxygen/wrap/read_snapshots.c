/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what a process has written: its log, and its snapshots for the recorder. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the log */

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
    char *name = portolan_asprintf("object %s", portolan_file_name(file));

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

/* ------------------------------------------------------------------ snapshots */

/* The newest snapshot's slot, protected from being overwritten until end_reading(). */
static struct wrap_slot *begin_reading(struct wrap_process *p)
{
    struct wrap_area *a = p->area;
    uint64_t published = __atomic_load_n(&a->published, __ATOMIC_SEQ_CST), before;

    do {
        before = published;
        if ((published & 3) >= WRAP_SLOTS)
            return NULL;
        __atomic_store_n(&a->reading, published & 3, __ATOMIC_SEQ_CST);
        published = __atomic_load_n(&a->published, __ATOMIC_SEQ_CST);
    } while (published != before);
    p->number = published >> 2;
    return &a->slots[published & 3];
}

static void end_reading(struct wrap_process *p)
{
    __atomic_store_n(&p->area->reading, WRAP_NOBODY, __ATOMIC_SEQ_CST);
}

static bool reserve(struct portolan_probe_snapshot *s, size_t n)
{
    void *records;

    if (n <= s->capacity)
        return true;
    records = portolan_reallocarray(s->records, n, sizeof *s->records);
    if (!records)
        return false;
    s->records = records;
    s->capacity = n;
    return true;
}

/*
 * The record for the program's own code on a thread. On the first thread, its own time is updated
 * only when the thread is in no call.
 */
static struct portolan_probe_record program_record(struct wrap_process *p,
                                                   const struct portolan_probe_record *root,
                                                   double inside_ns, double elapsed_ns)
{
    bool first = root->thread == 0;
    struct portolan_probe_record r = {
        .id = (uint64_t)root->thread << 32 | UINT32_MAX,
        .thread = root->thread,
        .handle = first ? WRAP_HANDLE_MAIN : WRAP_HANDLE_THREAD,
        .subroutine_calls = root->subroutine_calls,
    };

    if (!first) {
        r.inclusive_ns = inside_ns;
        r.calls = inside_ns > 0;
    } else {
        if (root->is_idle)
            p->own_ns = fmax(p->own_ns, elapsed_ns - inside_ns);
        r.inclusive_ns = elapsed_ns;
        r.exclusive_ns = p->own_ns;
        r.calls = p->has_ended;
    }
    r.timed_calls = r.calls;
    r.min_ns = r.max_ns = r.inclusive_ns;
    r.sum_squares_ns2 = r.calls ? r.inclusive_ns * r.inclusive_ns : 0;
    return r;
}

static bool is_root(const struct portolan_probe_record *r)
{
    return r->parent < 0;
}

/* Time in measured calls that the program itself made on the thread whose root is at ROOT. */
static double time_inside(const struct wrap_slot *slot, size_t count, size_t root)
{
    double sum = 0;

    for (size_t i = root + 1; i < count && !is_root(&slot->records[i]); i++)
        if (slot->records[i].parent == (int64_t)root &&
            slot->records[i].handle != PORTOLAN_PROBE_HANDLE_OWN)
            sum += slot->records[i].inclusive_ns + slot->records[i].open_inclusive_ns;
    return sum;
}

/* The position of the root of a thread's records in the slot, and in the copy. */
struct moving {
    int64_t old_root, new_root;
};

static int64_t moved_parent(const struct moving *m, const struct portolan_probe_record *r)
{
    if (r->parent != m->old_root)
        return r->parent - m->old_root + m->new_root + 1;
    return m->new_root + (r->handle != PORTOLAN_PROBE_HANDLE_OWN);
}

/* Counters are read only in measured calls, so the program has the sum of those that it made. */
static void add_counters(struct portolan_probe_record *program,
                         const struct portolan_probe_record *call)
{
    for (size_t i = 0; i < PORTOLAN_PROBE_COUNTERS_ALL; i++)
        program->counters[i] += call->counters[i];
}

/* Copies the records, with a record for the program inserted after each root. */
static bool copy_records(struct wrap_process *p, const struct wrap_slot *slot, size_t count,
                         struct portolan_probe_snapshot *to)
{
    double elapsed_ns = fmax(slot->now_ns - p->area->began_ns, 0);
    struct moving m = {0, 0};

    for (size_t i = 0; i < count; i++) {
        struct portolan_probe_record *r = &to->records[to->count];

        *r = slot->records[i];
        if (r->n_context > wrap_method_peek(p, r->handle)->method.n_context)
            return false;
        if (is_root(r)) {
            m = (struct moving){(int64_t)i, (int64_t)to->count};
            to->count += 2;
            r[1] = program_record(p, r, time_inside(slot, count, i), elapsed_ns);
            r[1].parent = m.new_root;
        } else if (r->parent < m.old_root || r->parent >= (int64_t)i) {
            return false; /* no tree */
        } else {
            r->parent = moved_parent(&m, r);
            if (r->parent == m.new_root + 1 && p->has_ended) /* with the program's own call */
                add_counters(&to->records[m.new_root + 1], r);
            to->count++;
        }
    }
    return true;
}

static enum portolan_status refuse_snapshot(struct portolan_probe_snapshot *to,
                                            struct portolan_error *err)
{
    to->count = 0;
    return portolan_error_set(err, PORTOLAN_EINTERNAL,
                              "the program has overwritten the measurements");
}

enum portolan_status wrap_snapshot_take(struct wrap_process *p, struct portolan_probe_snapshot *to,
                                        struct portolan_error *err)
{
    struct wrap_slot *slot = begin_reading(p);
    size_t roots = 0, count;
    bool good;

    to->count = 0;
    if (!slot)
        return refuse_snapshot(to, err);
    count = slot->count < WRAP_RECORDS ? slot->count : WRAP_RECORDS;
    for (size_t i = 0; i < count; i++)
        roots += is_root(&slot->records[i]);
    if (!reserve(to, count + roots)) {
        end_reading(p);
        return portolan_no_memory(err);
    }
    to->threads = slot->threads;
    to->now_ns = slot->now_ns;
    p->is_cut = p->is_cut || slot->is_cut;
    good = copy_records(p, slot, count, to);
    p->elapsed_ns = fmax(slot->now_ns - p->area->began_ns, 0);
    end_reading(p);
    return good ? PORTOLAN_OK : refuse_snapshot(to, err);
}

const struct portolan_probe_method_info wrap_unknown_method = {
    .connection = {"", "", "?", "?", "?", "?"},
    .method = {.name = "?", .context = {"", "", "", ""}}};

const struct portolan_probe_method_info *wrap_method_peek(const struct wrap_process *p,
                                                          uint32_t handle)
{
    if (handle == WRAP_HANDLE_MAIN)
        return &p->main;
    if (handle == WRAP_HANDLE_THREAD)
        return &p->thread;
    if (handle <= PORTOLAN_PROBE_HANDLE_OWN)
        return portolan_probe_method_peek(handle);
    /* Handles of the program's methods are consecutive, after PORTOLAN_PROBE_HANDLE_OWN. */
    handle -= PORTOLAN_PROBE_HANDLE_OWN + 1;
    return handle < p->n_methods ? &p->methods[handle] : &wrap_unknown_method;
}
