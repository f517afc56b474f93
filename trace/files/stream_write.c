/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a trace as streams, the format that mpi/record writes while a program runs. */
#include <portolan/trace.h>
#include <portolan/trace_stream.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct stream_writer {
    const struct portolan_trace *trace;
    const struct portolan_trace_location *location;
    struct portolan_arena arena; /* holds everything else */
    int fd;
    bool has_failed;
    uint8_t *block, *at;
    uint64_t last;
    uint32_t events;
    size_t n_blocks;                      /* blocks written */
    uint8_t *seen[PORTOLAN_TRACE_TABLES]; /* by table: entries that the block has defined */
    size_t n_seen[PORTOLAN_TRACE_TABLES];
};

/* Writes a block. The newest block is the first of the file. */
static void write_block(struct stream_writer *w, bool is_last)
{
    size_t used = (size_t)(w->at - w->block);
    struct portolan_stream_header *h = (struct portolan_stream_header *)w->block;
    off_t offset = is_last ? 0 : (off_t)(w->n_blocks + 1) * (off_t)PORTOLAN_STREAM_BLOCK;

    h->bytes = (uint32_t)used;
    h->events = w->events;
    h->number = w->n_blocks;
    h->checksum = portolan_stream_checksum(w->block + sizeof *h, used - sizeof *h);
    if (!is_last || w->n_blocks)
        used = PORTOLAN_STREAM_BLOCK;
    w->n_blocks++;
    if (!w->has_failed && (lseek(w->fd, offset, SEEK_SET) < 0 ||
                           !portolan_write_all(w->fd, (const char *)w->block, used)))
        w->has_failed = true;
}

static void end_record(struct stream_writer *w, uint8_t *at, unsigned kind)
{
    *w->at = (uint8_t)kind;
    w->at = at;
}

static void put_definition(struct stream_writer *w, unsigned kind,
                           const struct portolan_stream_definition *d)
{
    end_record(w, portolan_stream_define(w->at, w->block + PORTOLAN_STREAM_BLOCK, kind, d), kind);
}

/* Returns the counter's name; corrected times are those of one clock from now on. */
static const char *counter_of(const struct stream_writer *w)
{
    const struct portolan_trace *t = w->trace;
    const char *clock = t->locations[0].clock;

    if (t->has_local_clocks || t->n_unrelated_clocks)
        return w->location->clock;
    return *clock ? clock : "one clock";
}

static void begin_block(struct stream_writer *w)
{
    struct portolan_stream_header *h = (struct portolan_stream_header *)w->block;
    const struct portolan_trace *t = w->trace;

    memset(w->block, 0, PORTOLAN_STREAM_BLOCK);
    *h = (struct portolan_stream_header){.magic = PORTOLAN_STREAM_MAGIC,
                                         .version = PORTOLAN_STREAM_VERSION,
                                         .lost = w->location->lost,
                                         .first_ticks = w->last};
    w->at = w->block + sizeof *h;
    w->events = 0;
    put_definition(w, PORTOLAN_STREAM_CLOCK,
                   &(struct portolan_stream_definition){
                       .number = {PORTOLAN_STREAM_NANOSECONDS, 1000000000, w->last, w->last}});
    put_definition(w, PORTOLAN_STREAM_FILE,
                   &(struct portolan_stream_definition){
                       .number = {(uint64_t)w->location->rank, (uint64_t)w->location->thread,
                                  (uint64_t)t->n_ranks,
                                  (t->has_threads ? PORTOLAN_STREAM_HAS_THREADS : 0) |
                                      (t->is_virtual ? PORTOLAN_STREAM_IS_VIRTUAL : 0)},
                       .text = {w->location->host}});
    put_definition(w, PORTOLAN_STREAM_COUNTER,
                   &(struct portolan_stream_definition){.text = {counter_of(w)}});
    for (int i = 0; i < PORTOLAN_TRACE_TABLES; i++)
        memset(w->seen[i], 0, w->n_seen[i]);
}

static void make_room(struct stream_writer *w, size_t size)
{
    if (w->at + size > w->block + PORTOLAN_STREAM_BLOCK) {
        write_block(w, false);
        begin_block(w);
    }
}

/* -- definitions -- */

/* Returns the definition of a communicator. Each member's file has its own neighbours. */
static struct portolan_stream_definition comm_of(const struct stream_writer *w, size_t i,
                                                 const struct portolan_trace_comm *c)
{
    struct portolan_stream_definition d = {.number = {i, c->id},
                                           .list = {c->members, c->remote},
                                           .n_list = {c->n_members, c->n_remote}};

    for (size_t m = 0; c->neighbours && m < c->n_members; m++)
        if (c->members[m] == w->location->rank) {
            d.list[2] = c->neighbours + c->first_neighbour[m];
            d.n_list[2] = c->first_neighbour[m + 1] - c->first_neighbour[m];
        }
    return d;
}

static struct portolan_stream_definition definition_of(const struct stream_writer *w,
                                                       unsigned table, size_t i)
{
    const struct portolan_trace *t = w->trace;
    const struct portolan_trace_region *r;

    switch (table) {
    case PORTOLAN_TRACE_REGIONS:
        r = &t->regions[i];
        return (struct portolan_stream_definition){
            .number = {i, r->kind}, .text = {r->name, r->user, r->port, r->provider}};
    case PORTOLAN_TRACE_COMMS:
        return comm_of(w, i, &t->comms[i]);
    case PORTOLAN_TRACE_WINDOWS:
        return comm_of(w, i, &t->windows[i]);
    default:
        return (struct portolan_stream_definition){
            .number = {i},
            .text = {table == PORTOLAN_TRACE_ROUTINES ? t->routines[i] : t->names[i]}};
    }
}

static void define(struct stream_writer *w, const struct portolan_trace_event *e)
{
    unsigned table = portolan_trace_tables[e->kind], kind = PORTOLAN_STREAM_REGION + table;
    struct portolan_stream_definition d;

    if (!(portolan_stream_fields[e->kind] & PORTOLAN_STREAM_WHAT) || w->seen[table][e->what])
        return;
    d = definition_of(w, table, e->what);
    make_room(w, portolan_stream_definition_room(kind, &d));
    w->seen[table][e->what] = 1;
    put_definition(w, kind, &d);
}

static void write_event(struct stream_writer *w, const struct portolan_trace_event *e)
{
    const struct portolan_stream_event event = {
        .kind = e->kind,
        .ticks = (uint64_t)e->ns,
        .what = e->what,
        .peer = e->peer,
        .tag = e->tag,
        .bytes = e->bytes,
        .request = e->request,
    };
    uint8_t byte, *at;

    make_room(w, 2 * PORTOLAN_STREAM_EVENT_MAX); /* the event must be in the block of its
                                                  * definitions */
    define(w, e);
    make_room(w, PORTOLAN_STREAM_EVENT_MAX);
    at = portolan_stream_encode(w->at, &event, &w->last, &byte);
    w->events++;
    end_record(w, at, byte);
}

/* -- files -- */

static enum portolan_status write_location(struct stream_writer *w, const char *folder,
                                           struct portolan_error *err)
{
    const struct portolan_trace_location *l = w->location;
    char *path = portolan_asprintf("%s/%d.%d.trace", folder, l->rank, l->thread);
    enum portolan_status status = PORTOLAN_OK;

    if (!path)
        return portolan_no_memory(err);
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    w->has_failed = w->fd < 0;
    w->last = 0;
    w->n_blocks = 0;
    begin_block(w);
    for (size_t i = l->first; i < l->first + l->n && !w->has_failed; i++)
        write_event(w, &w->trace->events[i]);
    write_block(w, true);
    if (w->fd >= 0 && close(w->fd) != 0)
        w->has_failed = true;
    if (w->has_failed)
        status =
            portolan_error_set(err, PORTOLAN_EIO, "cannot write %s: %s", path, strerror(errno));
    free(path);
    return status;
}

static enum portolan_status make_folder(const char *path, struct portolan_error *err)
{
    struct dirent **names = NULL;
    int n;

    if (mkdir(path, 0777) == 0)
        return PORTOLAN_OK;
    if (errno != EEXIST || (n = scandir(path, &names, NULL, NULL)) < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make the folder %s: %s", path,
                                  strerror(errno));
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return n <= 2 ? PORTOLAN_OK
                  : portolan_error_set(err, PORTOLAN_EIO,
                                       "%s is not empty; a trace needs a folder of its own", path);
}

enum portolan_status portolan_trace_write(const struct portolan_trace *trace, const char *path,
                                          struct portolan_error *err)
{
    struct stream_writer w = {.trace = trace,
                              .n_seen = {trace->n_regions, trace->n_routines, trace->n_comms,
                                         trace->n_windows, trace->n_names}};
    enum portolan_status status = make_folder(path, err);

    w.block = portolan_arena_alloc(&w.arena, PORTOLAN_STREAM_BLOCK, 1);
    for (int i = 0; i < PORTOLAN_TRACE_TABLES; i++)
        w.seen[i] = portolan_arena_alloc(&w.arena, w.n_seen[i], 1);
    if (!status && w.arena.failed)
        status = portolan_no_memory(err);
    for (size_t i = 0; !status && i < trace->n_locations; i++) {
        w.location = &trace->locations[i];
        status = write_location(&w, path, err);
    }
    portolan_arena_clear(&w.arena);
    return status;
}
