/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A folder of streams becomes a trace. Files are read twice: first their definitions, since clocks
 * of a host and neighbours in a topology are known only from all files, then their events.
 */
#include "stream_read.h"
#include "stream_decode.h"

#include <portolan/list.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A clock at one time, as CLOCK tells it. */
struct clock_reading {
    uint64_t kind, per_second, ticks, ns, real_ns;
};

struct stream_file {
    char *path;
    struct stream_decoder decoder;
    bool is_known; /* it says whose it is */
    uint64_t rank, thread, n_ranks, flags;
    char host[256], counter[256]; /* the latter "": not known */
    struct clock_reading first, last;
    bool has_clock;
    /* Ticks to nanoseconds of the trace. */
    uint64_t origin_ticks;
    double origin_ns, tick_ns;
};

/* Entries of the trace by numbers of the file, +1; 0: not defined. */
struct number_map {
    size_t *entry, room, n;
};

/* Neighbours of one member, as its own file tells them. */
struct neighbours {
    uint64_t id;
    int rank;
    size_t first, n; /* in reading.ranks */
};

struct reading {
    const char *path;
    struct portolan_diagnostics *diagnostics;
    struct stream_file *files;
    size_t n_files, files_room;
    struct neighbours *neighbours;
    size_t n_neighbours, neighbours_room;
    int *ranks;
    size_t n_ranks, ranks_room;
    struct portolan_trace *trace;
    /* Requests of the rank that is read, in the order of their first events. */
    struct number_map requests;
    size_t n_requests;
    uint64_t requests_rank;
    bool is_out_of_memory;
};

/* -- files -- */

static enum portolan_status map_file(struct reading *r, const char *path,
                                     struct portolan_error *err)
{
    struct stream_file f = {.path = portolan_strdup(path)};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *bytes = NULL;

    if (fd < 0 || fstat(fd, &info) != 0 ||
        (info.st_size &&
         (bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)) {
        enum portolan_status status =
            portolan_error_set(err, PORTOLAN_EIO, "cannot read %s: %s", path, strerror(errno));

        if (fd >= 0)
            close(fd);
        free(f.path);
        return status;
    }
    close(fd);
    f.decoder = (struct stream_decoder){.path = f.path,
                                        .bytes = bytes,
                                        .size = (size_t)info.st_size,
                                        .diagnostics = r->diagnostics};
    if (!f.path || !portolan_reserve(&r->files, &r->files_room, r->n_files + 1, sizeof f)) {
        free(f.path);
        if (bytes)
            munmap(bytes, f.decoder.size);
        return portolan_no_memory(err);
    }
    r->files[r->n_files++] = f;
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
            char *path = portolan_asprintf("%s/%s", r->path, names[i]->d_name);

            status = path ? map_file(r, path, err) : portolan_no_memory(err);
            free(path);
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

        if (f->decoder.bytes)
            munmap((void *)(uintptr_t)f->decoder.bytes, f->decoder.size);
        stream_clear(&f->decoder);
        free(f->path);
    }
    free(r->files);
    free(r->neighbours);
    free(r->requests.entry);
    free(r->ranks);
}

/* -- first: definitions -- */

static void note_file(struct stream_file *f, const struct portolan_stream_definition *d)
{
    f->rank = d->number[0];
    f->thread = d->number[1];
    f->n_ranks = d->number[2];
    f->flags = d->number[3];
    f->is_known = f->n_ranks <= 1 << 24 && f->rank < f->n_ranks && f->thread <= 1 << 24;
    strncpy(f->host, d->text[0], sizeof f->host - 1);
}

/* A process may have several files, ManualClock's only one clock. */
static const char *clock_of(const struct stream_file *f)
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

    if (!n)
        return;
    for (size_t i = r->n_neighbours; i-- && r->neighbours[i].rank == (int)f->rank;)
        if (r->neighbours[i].id == d->number[1])
            return; /* each block tells them again */
    if (!portolan_reserve(&r->ranks, &r->ranks_room, r->n_ranks + n, sizeof *r->ranks) ||
        !portolan_reserve(&r->neighbours, &r->neighbours_room, r->n_neighbours + 1,
                          sizeof *r->neighbours)) {
        r->is_out_of_memory = true;
        return;
    }
    memcpy(r->ranks + r->n_ranks, d->list[2], n * sizeof *r->ranks);
    r->neighbours[r->n_neighbours++] =
        (struct neighbours){.id = d->number[1], .rank = (int)f->rank, .first = r->n_ranks, .n = n};
    r->n_ranks += n;
}

static void read_definitions(struct reading *r, struct stream_file *f)
{
    struct stream_record record;

    while (stream_next(&f->decoder, &record) && !r->is_out_of_memory) {
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
    r->is_out_of_memory |= f->decoder.is_out_of_memory;
    if (!f->is_known && !r->is_out_of_memory)
        portolan_diagnose(r->diagnostics, f->path, 0, 0,
                          "does not say which rank it is of; it is left out");
    f->decoder.diagnostics = NULL; /* all is said */
    stream_rewind(&f->decoder);
}

/* -- clocks -- */

/* Ranks that share a counter: its rate comes from the longest time over all of them. */
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
            strcmp(clock_of(o), clock_of(f)) != 0)
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

/* The first file of F's clock that says how it stands. */
static const struct stream_file *first_of_clock(const struct reading *r,
                                                const struct stream_file *f)
{
    for (size_t i = 0; i < r->n_files; i++)
        if (r->files[i].is_known && r->files[i].has_clock &&
            (!f || !strcmp(clock_of(&r->files[i]), clock_of(f))))
            return &r->files[i];
    return f;
}

/* Several clocks have the time of day in common, as well as it is set. */
static void align_clocks(struct reading *r)
{
    const struct stream_file *first = first_of_clock(r, NULL);

    for (size_t i = 0; first && i < r->n_files; i++) {
        struct stream_file *f = &r->files[i];
        const struct stream_file *same = first_of_clock(r, f);

        if (!f->is_known || !strcmp(clock_of(first), clock_of(f)))
            continue;
        r->trace->has_local_clocks = true;
        f->origin_ns += (double)((int64_t)(same->first.real_ns - same->first.ns) -
                                 (int64_t)(first->first.real_ns - first->first.ns));
    }
}

static int64_t time_of(const struct stream_file *f, uint64_t ticks)
{
    double ns = f->origin_ns + (double)(int64_t)(ticks - f->origin_ticks) * f->tick_ns;

    return ns < 0 ? 0 : ns > 4e18 ? (int64_t)4e18 : (int64_t)llround(ns);
}

/* -- second: events -- */

#define MOST_NUMBERS ((size_t)1 << 20)

struct event_reader {
    struct reading *reading;
    struct stream_file *file;
    struct number_map maps[PORTOLAN_TRACE_TABLES];
    uint32_t routine; /* of the call that runs */
    bool misses_definitions;
};

static bool map_number(struct number_map *m, uint64_t number, size_t entry)
{
    if (number >= MOST_NUMBERS)
        return true; /* its events will miss it */
    if (!portolan_reserve(&m->entry, &m->room, number + 1, sizeof *m->entry) || entry == SIZE_MAX)
        return false;
    while (m->n <= number)
        m->entry[m->n++] = 0;
    m->entry[number] = entry + 1;
    return true;
}

/* Neighbours of all members, put together from what each of them told. */
static bool add_neighbours(const struct reading *r, struct portolan_trace_comm *c, int **ranks,
                           size_t **first)
{
    size_t total = 0, n = 0;

    for (size_t i = 0; i < r->n_neighbours; i++)
        total += r->neighbours[i].id == c->id ? r->neighbours[i].n : 0;
    if (!total)
        return true;
    *ranks = portolan_calloc(total, sizeof **ranks);
    *first = portolan_calloc(c->n_members + 1, sizeof **first);
    if (!*ranks || !*first)
        return false;
    for (size_t m = 0; m < c->n_members; m++) {
        (*first)[m] = n;
        for (size_t i = 0; i < r->n_neighbours; i++) {
            const struct neighbours *of = &r->neighbours[i];

            if (of->id != c->id || of->rank != c->members[m])
                continue;
            memcpy(*ranks + n, r->ranks + of->first, of->n * sizeof **ranks);
            n += of->n;
            break; /* each thread of the rank tells the same */
        }
    }
    (*first)[c->n_members] = n;
    c->neighbours = *ranks;
    c->first_neighbour = *first;
    return true;
}

/* Each block tells its communicators again; to put neighbours together again would take long. */
static bool is_told_again(const struct event_reader *e, const struct portolan_stream_definition *d)
{
    const struct number_map *m = &e->maps[PORTOLAN_TRACE_COMMS];
    size_t entry = d->number[0] < m->n ? m->entry[d->number[0]] : 0;

    return entry && e->reading->trace->comms[entry - 1].id == d->number[1];
}

static size_t define_comm(const struct reading *r, unsigned kind,
                          const struct portolan_stream_definition *d)
{
    struct portolan_trace_comm c = {
        .id = d->number[1],
        .n_members = d->n_list[0],
        .members = d->list[0],
        .n_remote = d->n_list[1],
        .remote = d->list[1],
    };
    int *ranks = NULL;
    size_t *first = NULL, entry = SIZE_MAX;

    if (kind == PORTOLAN_STREAM_WINDOW)
        return portolan_trace_window(r->trace, &c);
    if (add_neighbours(r, &c, &ranks, &first))
        entry = portolan_trace_comm(r->trace, &c);
    free(ranks);
    free(first);
    return entry;
}

static size_t define_region(struct portolan_trace *t, const struct portolan_stream_definition *d)
{
    return portolan_trace_region(t, &(struct portolan_trace_region){
                                        .kind = d->number[1] <= PORTOLAN_TRACE_FUNCTION
                                                    ? (enum portolan_trace_region_kind)d->number[1]
                                                    : PORTOLAN_TRACE_FUNCTION,
                                        .name = d->text[0],
                                        .user = d->text[1],
                                        .port = d->text[2],
                                        .provider = d->text[3],
                                    });
}

static bool define(struct event_reader *e, unsigned kind,
                   const struct portolan_stream_definition *d)
{
    struct portolan_trace *t = e->reading->trace;
    size_t entry;

    switch (kind) {
    case PORTOLAN_STREAM_REGION:
        entry = define_region(t, d);
        break;
    case PORTOLAN_STREAM_ROUTINE:
        entry = portolan_trace_routine(t, d->text[0]);
        break;
    case PORTOLAN_STREAM_NAME:
        entry = portolan_trace_name(t, d->text[0]);
        break;
    case PORTOLAN_STREAM_COMM:
    case PORTOLAN_STREAM_WINDOW:
        if (kind == PORTOLAN_STREAM_COMM && is_told_again(e, d))
            return true;
        entry = define_comm(e->reading, kind, d);
        break;
    default:
        return true;
    }
    return map_number(&e->maps[kind - PORTOLAN_STREAM_REGION], d->number[0], entry);
}

/* The entry that the event refers to; false: it was never defined. */
static bool resolve(const struct event_reader *e, const struct stream_record *r, uint32_t *what)
{
    const struct number_map *m = &e->maps[portolan_trace_tables[r->kind]];

    *what = r->kind == PORTOLAN_TRACE_END ? e->routine : 0;
    if (!(portolan_stream_fields[r->kind] & PORTOLAN_STREAM_WHAT))
        return true;
    if (r->what >= m->n || !m->entry[r->what])
        return false;
    *what = (uint32_t)(m->entry[r->what] - 1) & 0xffffff;
    return true;
}

/* So that they are at most as many as events. */
static uint32_t number_request(struct event_reader *e, uint64_t request)
{
    struct reading *r = e->reading;

    if (!request || request >= MOST_NUMBERS)
        return 0;
    if (r->requests_rank != e->file->rank)
        r->requests.n = r->n_requests = 0;
    r->requests_rank = e->file->rank;
    if ((request >= r->requests.n || !r->requests.entry[request]) &&
        !map_number(&r->requests, request, r->n_requests++))
        return 0;
    return (uint32_t)r->requests.entry[request];
}

static bool is_rank(const struct portolan_trace *t, const struct stream_record *r)
{
    int least = r->kind == PORTOLAN_TRACE_SEND ? PORTOLAN_TRACE_NONE : PORTOLAN_TRACE_ANY;

    return r->peer >= least && r->peer < t->n_ranks;
}

static bool add_event(struct event_reader *e, const struct stream_record *r)
{
    const struct stream_file *f = e->file;
    uint32_t what;

    if (!resolve(e, r, &what) || !is_rank(e->reading->trace, r)) {
        e->misses_definitions = true;
        return true;
    }
    if (r->kind == PORTOLAN_TRACE_BEGIN)
        e->routine = what;
    return portolan_trace_add(e->reading->trace, (int)f->rank, (int)f->thread,
                              &(struct portolan_trace_event){
                                  .ns = time_of(f, r->ticks),
                                  .bytes = r->bytes,
                                  .request = number_request(e, r->request),
                                  .peer = (int32_t)r->peer,
                                  .tag = (int32_t)r->tag,
                                  .kind = r->kind & 0xff,
                                  .what = what & 0xffffff,
                              });
}

static void read_events(struct reading *r, struct stream_file *f)
{
    struct event_reader e = {.reading = r, .file = f};
    struct portolan_trace_location *at =
        portolan_trace_locate(r->trace, (int)f->rank, (int)f->thread, f->host);
    bool ok = at && portolan_trace_set_clock(r->trace, at, clock_of(f));
    struct stream_record record;

    while (ok && stream_next(&f->decoder, &record))
        ok = record.is_definition ? define(&e, record.kind, &record.definition)
                                  : add_event(&e, &record);
    if (e.misses_definitions)
        portolan_diagnose(r->diagnostics, f->path, 0, 0,
                          "events refer to what is not defined; they are left out");
    ok = ok && !f->decoder.is_out_of_memory &&
         (at = portolan_trace_locate(r->trace, (int)f->rank, (int)f->thread, f->host));
    if (ok) {
        at->is_cut |= f->decoder.is_cut || e.misses_definitions;
        at->lost += f->decoder.lost;
    }
    r->is_out_of_memory |= !ok;
    for (int i = 0; i < PORTOLAN_TRACE_TABLES; i++)
        free(e.maps[i].entry);
}

/* -- the whole -- */

/* One number of ranks; files that differ are of another run. */
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
        portolan_diagnose(r->diagnostics, f->path, 0, 0,
                          "is of a run with %d ranks, others are of one with %d; it is left out",
                          (int)f->n_ranks, (int)first->n_ranks);
        f->is_known = false;
    }
    return first ? (int)first->n_ranks : -1;
}

static void tell_missing(const struct reading *r, int n_ranks)
{
    int missing = 0, first = -1;
    bool *has = portolan_calloc((size_t)n_ranks + 1, sizeof *has);

    for (size_t i = 0; has && i < r->n_files; i++)
        if (r->files[i].is_known)
            has[r->files[i].rank] = true;
    for (int i = n_ranks - 1; has && i >= 0; i--)
        if (!has[i]) {
            missing++;
            first = i;
        }
    if (missing)
        portolan_diagnose(r->diagnostics, r->path, 0, 0,
                          "nothing is known of %d of %d ranks, among them rank %d", missing,
                          n_ranks, first);
    free(has);
}

static enum portolan_status read_streams(struct reading *r, bool is_folder,
                                         struct portolan_trace **trace, struct portolan_error *err)
{
    int n_ranks;

    for (size_t i = 0; i < r->n_files; i++)
        read_definitions(r, &r->files[i]);
    if (r->is_out_of_memory)
        return portolan_no_memory(err);
    n_ranks = agree_on_ranks(r);
    if (n_ranks < 0)
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s: no stream of Portolan in it",
                                  r->path);
    if (is_folder)
        tell_missing(r, n_ranks);
    if (!(r->trace = portolan_trace_create(n_ranks, r->path)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < r->n_files; i++)
        if (r->files[i].is_known)
            place_clock(r, &r->files[i]);
    align_clocks(r);
    for (size_t i = 0; i < r->n_files; i++)
        if (r->files[i].is_known && !r->is_out_of_memory) {
            r->trace->has_threads |= r->files[i].flags & PORTOLAN_STREAM_HAS_THREADS;
            r->trace->is_virtual |= r->files[i].flags & PORTOLAN_STREAM_IS_VIRTUAL;
            read_events(r, &r->files[i]);
        }
    if (r->is_out_of_memory)
        return portolan_no_memory(err);
    *trace = r->trace;
    r->trace = NULL;
    return portolan_trace_finish(*trace, err);
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
