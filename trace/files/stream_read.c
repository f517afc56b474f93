/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a folder of streams into a trace. Files are read twice: first their definitions, since the
 * clocks of a host and the neighbours in a topology are known only from all files, then their
 * events.
 */
#include "stream_read.h"
#include "stream_reader.h"

#include <portolan/list.h>
#include <portolan/progress.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* -- files -- */

static enum portolan_status map_file(struct reading *r, const char *path,
                                     struct portolan_error *err)
{
    struct stream_file new = {.path = path}, *f;

    if (!(f = portolan_arena_append(&r->arena, &r->files, &r->n_files, &new, sizeof new)))
        return portolan_no_memory(err);
    f->decoder.path = path;
    f->decoder.diagnostics = r->diagnostics;
    f->decoder.bytes = portolan_file_map(path, &f->decoder.size);
    if (!f->decoder.bytes)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read %s: %s", path, strerror(errno));
    return PORTOLAN_OK;
}

static bool is_stream_name(const char *name)
{
    size_t length = strlen(name);

    return length > 6 && strcmp(name + length - 6, ".trace") == 0;
}

static enum portolan_status map_folder(struct reading *r, struct portolan_error *err)
{
    struct dirent **names = NULL;
    int n = scandir(r->path, &names, NULL, alphasort);
    enum portolan_status status = PORTOLAN_OK;

    if (n < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read %s: %s", r->path,
                                  strerror(errno));
    for (int i = 0; i < n; i++) {
        if (!status && is_stream_name(names[i]->d_name)) {
            char *path = portolan_arena_printf(&r->arena, "%s/%s", r->path, names[i]->d_name);

            status = path ? map_file(r, path, err) : portolan_no_memory(err);
        }
        free(names[i]);
    }
    free(names);
    return status;
}

static void clear_reading(struct reading *r)
{
    for (size_t i = 0; i < r->n_files; i++) {
        struct stream_file *f = &r->files[i];

        munmap((void *)(uintptr_t)f->decoder.bytes, f->decoder.size);
        stream_clear(&f->decoder);
    }
    free(r->requests.entry);
    portolan_arena_clear(&r->arena);
}

/* -- first pass: definitions -- */

static void note_file(struct stream_file *f, const struct portolan_stream_definition *d)
{
    f->rank = d->number[0];
    f->thread = d->number[1];
    f->n_ranks = d->number[2];
    f->flags = d->number[3];
    f->is_known = f->n_ranks <= 1 << 24 && f->rank < f->n_ranks && f->thread <= 1 << 24;
    strncpy(f->host, d->text[0], sizeof f->host - 1);
}

/* Returns a clock's name. A process may have several files, but only one ManualClock. */
const char *stream_clock_of(const struct stream_file *f)
{
    return f->flags & PORTOLAN_STREAM_IS_VIRTUAL ? "ManualClock"
           : *f->counter                         ? f->counter
                                                 : f->host;
}

static void note_clock(struct stream_file *f, const struct portolan_stream_definition *d)
{
    memcpy(&f->last, d->number, sizeof f->last);
    if (!f->has_clock)
        f->first = f->last;
    f->has_clock = true;
}

static void note_neighbours(struct reading *r, const struct stream_file *f,
                            const struct portolan_stream_definition *d)
{
    size_t n = d->n_list[2];
    int *ranks;

    if (!n)
        return;
    for (size_t i = r->n_neighbours; i-- && r->neighbours[i].rank == (int)f->rank;)
        if (r->neighbours[i].id == d->number[1])
            return; /* each block repeats them */
    if (!(ranks = portolan_arena_alloc(&r->arena, n, sizeof *ranks)))
        return;
    memcpy(ranks, d->list[2], n * sizeof *ranks);
    portolan_arena_append(&r->arena, &r->neighbours, &r->n_neighbours,
                          &(struct neighbours){d->number[1], (int)f->rank, ranks, n},
                          sizeof *r->neighbours);
}

static void read_definitions(struct reading *r, struct stream_file *f)
{
    struct stream_record record;

    while (stream_next(&f->decoder, &record) && !r->arena.failed) {
        if (!record.is_definition)
            continue;
        if (record.kind == PORTOLAN_STREAM_FILE && !f->is_known)
            note_file(f, &record.definition);
        else if (record.kind == PORTOLAN_STREAM_COUNTER)
            strncpy(f->counter, record.definition.text[0], sizeof f->counter - 1);
        else if (record.kind == PORTOLAN_STREAM_CLOCK)
            note_clock(f, &record.definition);
        else if (record.kind == PORTOLAN_STREAM_COMM)
            note_neighbours(r, f, &record.definition);
    }
    r->is_out_of_memory |= f->decoder.is_out_of_memory || r->arena.failed;
    if (!f->is_known && !r->is_out_of_memory)
        portolan_diagnose(r->diagnostics, f->path, 0, 0, "does not name its rank; it is left out");
    f->decoder.diagnostics = NULL; /* problems were reported in the first pass */
    stream_rewind(&f->decoder);
}

/* -- clocks -- */

/* Places a clock. A shared counter's rate comes from the longest time over all of its ranks. */
static void place_clock(struct reading *r, struct stream_file *f)
{
    const struct clock_reading *first = &f->first, *last = &f->last;
    double rate = f->first.per_second ? 1e9 / (double)f->first.per_second : 1;

    f->tick_ns = 1;
    if (f->flags & PORTOLAN_STREAM_IS_VIRTUAL || !f->has_clock ||
        f->first.kind != PORTOLAN_STREAM_TICKS)
        return;
    for (size_t i = 0; i < r->n_files; i++) {
        const struct stream_file *o = &r->files[i];

        if (!o->is_known || !o->has_clock || o->first.kind != PORTOLAN_STREAM_TICKS ||
            strcmp(stream_clock_of(o), stream_clock_of(f)) != 0)
            continue;
        if (o->first.ticks < first->ticks)
            first = &o->first;
        if (o->last.ticks > last->ticks)
            last = &o->last;
    }
    f->origin_ticks = first->ticks;
    f->origin_ns = (double)first->ns;
    f->tick_ns = last->ns >= first->ns + 20000000 && last->ticks > first->ticks
                     ? (double)(last->ns - first->ns) / (double)(last->ticks - first->ticks)
                     : rate;
}

/* Returns the first file of F's clock that contains readings of it. */
static const struct stream_file *first_of_clock(const struct reading *r,
                                                const struct stream_file *f)
{
    for (size_t i = 0; i < r->n_files; i++)
        if (r->files[i].is_known && r->files[i].has_clock &&
            (!f || !strcmp(stream_clock_of(&r->files[i]), stream_clock_of(f))))
            return &r->files[i];
    return f;
}

/* Aligns several clocks by the time of day, as well as that is set. */
static void align_clocks(struct reading *r)
{
    const struct stream_file *first = first_of_clock(r, NULL);

    for (size_t i = 0; first && i < r->n_files; i++) {
        struct stream_file *f = &r->files[i];
        const struct stream_file *same = first_of_clock(r, f);

        if (!f->is_known || !strcmp(stream_clock_of(first), stream_clock_of(f)))
            continue;
        r->trace->has_local_clocks = true;
        f->origin_ns += (double)((int64_t)(same->first.real_ns - same->first.ns) -
                                 (int64_t)(first->first.real_ns - first->first.ns));
    }
}

/* -- the whole trace -- */

/* Returns the number of ranks; files with another one belong to another run. */
static int agree_on_ranks(struct reading *r)
{
    const struct stream_file *first = NULL;

    for (size_t i = 0; i < r->n_files; i++) {
        struct stream_file *f = &r->files[i];

        if (!f->is_known)
            continue;
        first = first ? first : f;
        if (f->n_ranks == first->n_ranks)
            continue;
        portolan_diagnose(
            r->diagnostics, f->path, 0, 0,
            "is from a run with %d ranks, others are from a run with %d; it is left out",
            (int)f->n_ranks, (int)first->n_ranks);
        f->is_known = false;
    }
    return first ? (int)first->n_ranks : -1;
}

static enum portolan_status read_streams(struct reading *r, bool is_folder,
                                         struct portolan_trace **trace, struct portolan_error *err)
{
    enum portolan_status status;
    int n_ranks, missing, first;

    for (size_t i = 0; i < r->n_files; i++)
        read_definitions(r, &r->files[i]);
    if (r->is_out_of_memory)
        return portolan_no_memory(err);
    n_ranks = agree_on_ranks(r);
    if (n_ranks < 0)
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s: it contains no stream of Portolan",
                                  r->path);
    if (!(r->trace = portolan_trace_create(n_ranks, r->path)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < r->n_files; i++)
        if (r->files[i].is_known)
            place_clock(r, &r->files[i]);
    align_clocks(r);
    for (size_t i = 0; i < r->n_files; i++)
        if (r->files[i].is_known && !r->is_out_of_memory) {
            portolan_progress("streams", i, r->n_files, false);
            r->trace->has_threads |= r->files[i].flags & PORTOLAN_STREAM_HAS_THREADS;
            r->trace->is_virtual |= r->files[i].flags & PORTOLAN_STREAM_IS_VIRTUAL;
            stream_read_events(r, &r->files[i]);
        }
    portolan_progress_done("streams");
    if (r->is_out_of_memory)
        return portolan_no_memory(err);
    *trace = r->trace;
    r->trace = NULL;
    status = portolan_trace_finish(*trace, err);
    missing = is_folder && !status ? portolan_trace_missing_ranks(*trace, &first) : 0;
    if (missing)
        portolan_diagnose(r->diagnostics, r->path, 0, 0,
                          "nothing is known of %d of %d ranks, among them rank %d", missing,
                          n_ranks, first);
    return status;
}

enum portolan_status trace_read_streams(const char *path, bool is_folder,
                                        struct portolan_diagnostics *diagnostics,
                                        struct portolan_trace **trace, struct portolan_error *err)
{
    struct reading r = {.path = path, .diagnostics = diagnostics};
    enum portolan_status status = is_folder ? map_folder(&r, err) : map_file(&r, path, err);

    *trace = NULL;
    if (!status)
        status = read_streams(&r, is_folder, trace, err);
    portolan_trace_destroy(r.trace);
    if (status) {
        portolan_trace_destroy(*trace);
        *trace = NULL;
    }
    clear_reading(&r);
    return status;
}
