/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace as streams: what trace/record writes while a program runs. */
#include <portolan/trace.h>
#include <portolan/trace_stream.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEEN_REGION, SEEN_ROUTINE, SEEN_COMM, SEEN_WINDOW, SEEN_NAME, SEEN_KINDS };

struct stream_writer {
    const struct portolan_trace *trace;
    const struct portolan_trace_location *location;
    int fd;
    bool has_failed;
    uint8_t *block, *at;
    uint64_t last;
    uint32_t events;
    size_t n_blocks;           /* written */
    uint8_t *seen[SEEN_KINDS]; /* entries that the block has defined */
    size_t n_seen[SEEN_KINDS];
};

/* The newest block is the first of the file. */
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

static void write_file_record(struct stream_writer *w)
{
    const struct portolan_trace *t = w->trace;
    uint8_t *at = portolan_stream_unsigned(w->at + 1, (uint64_t)w->location->rank);

    at = portolan_stream_unsigned(at, (uint64_t)w->location->thread);
    at = portolan_stream_unsigned(at, (uint64_t)t->n_ranks);
    at = portolan_stream_unsigned(at, (t->has_threads ? PORTOLAN_STREAM_HAS_THREADS : 0) |
                                          (t->is_virtual ? PORTOLAN_STREAM_IS_VIRTUAL : 0));
    end_record(w, portolan_stream_text(at, w->location->host), PORTOLAN_STREAM_FILE);
}

/* Times that were brought together are of one clock from now on. */
static void write_counter(struct stream_writer *w)
{
    const struct portolan_trace *t = w->trace;
    const char *clock = t->locations[0].clock;

    if (t->has_local_clocks || t->n_unrelated_clocks)
        clock = w->location->clock;
    else if (!*clock)
        clock = "one clock";
    end_record(w, portolan_stream_text(w->at + 1, clock), PORTOLAN_STREAM_COUNTER);
}

static void begin_block(struct stream_writer *w)
{
    struct portolan_stream_header *h = (struct portolan_stream_header *)w->block;
    uint8_t *at;

    memset(w->block, 0, PORTOLAN_STREAM_BLOCK);
    *h = (struct portolan_stream_header){.magic = PORTOLAN_STREAM_MAGIC,
                                         .version = PORTOLAN_STREAM_VERSION,
                                         .lost = w->location->lost,
                                         .first_ticks = w->last};
    w->at = w->block + sizeof *h;
    w->events = 0;
    at = portolan_stream_unsigned(w->at + 1, PORTOLAN_STREAM_NANOSECONDS);
    at = portolan_stream_unsigned(portolan_stream_unsigned(at, 1000000000), w->last);
    end_record(w, portolan_stream_unsigned(portolan_stream_unsigned(at, w->last), 0),
               PORTOLAN_STREAM_CLOCK);
    write_file_record(w);
    write_counter(w);
    for (int i = 0; i < SEEN_KINDS; i++)
        memset(w->seen[i], 0, w->n_seen[i]);
}

/* Room for SIZE bytes more, after the first byte of the record. */
static uint8_t *make_room(struct stream_writer *w, size_t size)
{
    if (w->at + size > w->block + PORTOLAN_STREAM_BLOCK) {
        write_block(w, false);
        begin_block(w);
    }
    return w->at + 1;
}

/* -- what events refer to -- */

static void write_region(struct stream_writer *w, size_t i)
{
    const struct portolan_trace_region *r = &w->trace->regions[i];
    uint8_t *at = make_room(w, (size_t)4 * (PORTOLAN_STREAM_TEXT_MAX + 4) + 16);

    at = portolan_stream_unsigned(portolan_stream_unsigned(at, i), r->kind);
    at = portolan_stream_text(portolan_stream_text(at, r->name), r->user);
    end_record(w, portolan_stream_text(portolan_stream_text(at, r->port), r->provider),
               PORTOLAN_STREAM_REGION);
}

static void write_text(struct stream_writer *w, size_t i, const char *text, unsigned kind)
{
    uint8_t *at = make_room(w, PORTOLAN_STREAM_TEXT_MAX + 16);

    end_record(w, portolan_stream_text(portolan_stream_unsigned(at, i), text), kind);
}

/* Each member's file tells its own neighbours. */
static void write_comm(struct stream_writer *w, size_t i, const struct portolan_trace_comm *c,
                       unsigned kind)
{
    const size_t most = (c->n_members + c->n_remote) * 15 + 128;
    const size_t room = PORTOLAN_STREAM_BLOCK / 2;
    uint8_t *at = make_room(w, most < room ? most : room);
    const uint8_t *end = w->block + PORTOLAN_STREAM_BLOCK;
    const int *neighbours = NULL;
    size_t n_neighbours = 0;

    for (size_t m = 0; c->neighbours && m < c->n_members; m++)
        if (c->members[m] == w->location->rank) {
            neighbours = c->neighbours + c->first_neighbour[m];
            n_neighbours = c->first_neighbour[m + 1] - c->first_neighbour[m];
        }
    at = portolan_stream_unsigned(portolan_stream_unsigned(at, i), c->id);
    at = portolan_stream_ranks(at, end, c->members, c->n_members);
    at = portolan_stream_ranks(at, end, c->remote, c->n_remote);
    end_record(w, portolan_stream_ranks(at, end, neighbours, n_neighbours), kind);
}

static bool is_new(struct stream_writer *w, int seen, size_t i)
{
    bool is = !w->seen[seen][i];

    w->seen[seen][i] = 1;
    return is;
}

static void define(struct stream_writer *w, const struct portolan_trace_event *e)
{
    const struct portolan_trace *t = w->trace;
    size_t i = e->what;

    switch ((enum portolan_trace_kind)e->kind) {
    case PORTOLAN_TRACE_ENTER:
    case PORTOLAN_TRACE_LEAVE:
        if (is_new(w, SEEN_REGION, i))
            write_region(w, i);
        break;
    case PORTOLAN_TRACE_BEGIN:
        if (is_new(w, SEEN_ROUTINE, i))
            write_text(w, i, t->routines[i], PORTOLAN_STREAM_ROUTINE);
        break;
    case PORTOLAN_TRACE_SEND:
    case PORTOLAN_TRACE_RECV_POST:
    case PORTOLAN_TRACE_RECV:
    case PORTOLAN_TRACE_COLLECTIVE:
        if (is_new(w, SEEN_COMM, i))
            write_comm(w, i, &t->comms[i], PORTOLAN_STREAM_COMM);
        break;
    case PORTOLAN_TRACE_TRANSFER:
    case PORTOLAN_TRACE_ACCESS:
    case PORTOLAN_TRACE_EPOCH:
        if (is_new(w, SEEN_WINDOW, i))
            write_comm(w, i, &t->windows[i], PORTOLAN_STREAM_WINDOW);
        break;
    case PORTOLAN_TRACE_VALUE:
        if (is_new(w, SEEN_NAME, i))
            write_text(w, i, t->names[i], PORTOLAN_STREAM_NAME);
        break;
    default:
        break;
    }
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

    make_room(w, 2 * PORTOLAN_STREAM_EVENT_MAX); /* definitions are to be in the same block */
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

static bool make_seen(struct stream_writer *w)
{
    const struct portolan_trace *t = w->trace;
    const size_t sizes[SEEN_KINDS] = {t->n_regions, t->n_routines, t->n_comms, t->n_windows,
                                      t->n_names};
    bool ok = true;

    for (int i = 0; i < SEEN_KINDS; i++) {
        free(w->seen[i]);
        ok = (w->seen[i] = portolan_calloc(sizes[i] + 1, 1)) && ok;
        w->n_seen[i] = sizes[i];
    }
    return ok;
}

enum portolan_status portolan_trace_write(const struct portolan_trace *trace, const char *path,
                                          struct portolan_error *err)
{
    struct stream_writer w = {.trace = trace};
    enum portolan_status status = make_folder(path, err);

    if (!status && !(w.block = portolan_calloc(PORTOLAN_STREAM_BLOCK, 1)))
        status = portolan_no_memory(err);
    for (size_t i = 0; !status && i < trace->n_locations; i++) {
        w.location = &trace->locations[i];
        status = make_seen(&w) ? write_location(&w, path, err) : portolan_no_memory(err);
    }
    for (int i = 0; i < SEEN_KINDS; i++)
        free(w.seen[i]);
    free(w.block);
    return status;
}
