/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file of blocks, each of which is mapped while it is filled, so that the kernel has every record
 * as soon as it is written. Room on the disk is reserved before a block is mapped: a full disk
 * makes events lost, but raises no signal.
 */
#include "internal.h"

#include <portolan/probe.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Events that are lost before room is asked for again. */
#define RETRY 4096

/* -- blocks -- */

static struct portolan_stream_header *header_of(const struct stream *s)
{
    return (struct portolan_stream_header *)s->block;
}

static void close_block(struct stream *s)
{
    struct portolan_stream_header *h = header_of(s);
    size_t used = (size_t)(s->at - s->block);

    h->events = (uint32_t)s->events;
    h->checksum = portolan_stream_checksum(s->block + sizeof *h, used - sizeof *h);
    __atomic_store_n(&h->bytes, (uint32_t)used, __ATOMIC_RELEASE);
}

/* A file beyond the limit of the process (RLIMIT_FSIZE) must not end the program. */
static bool copy_block(const struct stream *s)
{
    sigset_t limit, before, pending;
    const struct timespec now = {0, 0};
    int error = errno;
    ssize_t n;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    n = pwrite(s->fd, s->block, PORTOLAN_STREAM_BLOCK, (off_t)(s->number * PORTOLAN_STREAM_BLOCK));
    if (n < 0 && errno == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return n == (ssize_t)PORTOLAN_STREAM_BLOCK;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* The clock as it is now: ticks and nanoseconds, from the try that took least time. */
static void put_clock(struct stream *s)
{
    struct portolan_stream_definition d = {
        .number = {portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_TSC
                       ? PORTOLAN_STREAM_TICKS
                       : PORTOLAN_STREAM_NANOSECONDS,
                   (uint64_t)(1e9 / (portolan_probe_ticks_to_ns(1U << 30) / (1U << 30)))}};
    uint64_t width = UINT64_MAX;

    for (int i = 0; i < 4; i++) {
        uint64_t before = portolan_probe_now(), now = clock_ns(CLOCK_MONOTONIC),
                 after = portolan_probe_now();

        if (after - before < width) {
            width = after - before;
            d.number[2] = before + width / 2;
            d.number[3] = now;
        }
    }
    d.number[4] = clock_ns(CLOCK_REALTIME);
    stream_define(s, PORTOLAN_STREAM_CLOCK, &d);
}

static void put_file(struct stream *s)
{
    stream_define(
        s, PORTOLAN_STREAM_FILE,
        &(struct portolan_stream_definition){
            .number = {(uint64_t)record_process.rank, (uint64_t)s->thread,
                       (uint64_t)record_process.n_ranks,
                       record_process.flags | (s->is_virtual ? PORTOLAN_STREAM_IS_VIRTUAL : 0)},
            .text = {record_process.host}});
    if (*record_process.counter)
        stream_define(s, PORTOLAN_STREAM_COUNTER,
                      &(struct portolan_stream_definition){.text = {record_process.counter}});
}

static void begin_block(struct stream *s)
{
    struct portolan_stream_header *h = header_of(s);

    h->magic = 0; /* if the process is killed now, the copy is all there is */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memset(s->block + sizeof *h, 0, PORTOLAN_STREAM_BLOCK - sizeof *h);
    *h = (struct portolan_stream_header){.version = PORTOLAN_STREAM_VERSION,
                                         .lost = s->lost,
                                         .first_ticks = s->last,
                                         .number = s->number - 1};
    __atomic_store_n(&h->magic, PORTOLAN_STREAM_MAGIC, __ATOMIC_RELEASE);
    s->at = s->block + sizeof *h;
    s->end = s->block + PORTOLAN_STREAM_BLOCK;
    if (!s->is_virtual)
        s->plain_end = s->end - 2 * PORTOLAN_STREAM_EVENT_MAX;
    s->events = 0;
    put_file(s);
    put_clock(s);
}

/* -- files -- */

/* The first block, which stays mapped; its room on the disk is reserved. */
static void *map_block(int fd)
{
    int error = fd < 0 ? EBADF : EINTR;
    void *block;

    while (error == EINTR) /* by signals of profilers */
        error = posix_fallocate(fd, 0, (off_t)PORTOLAN_STREAM_BLOCK);
    block = error ? MAP_FAILED
                  : mmap(NULL, PORTOLAN_STREAM_BLOCK, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_POPULATE, fd, 0);

    return block == MAP_FAILED ? NULL : block;
}

struct stream *stream_open(int thread, uint64_t ticks, const struct region_stack *open_regions)
{
    struct stream *s = portolan_calloc(1, sizeof *s);
    char *path = NULL;
    int error = errno;

    if (!s)
        return NULL;
    path = portolan_asprintf("%s/%d.%d.trace", record_process.folder, record_process.rank, thread);
    if (path)
        unlink(path); /* another process may have it mapped: it must not become shorter */
    s->fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    free(path);
    s->thread = thread;
    s->open = open_regions;
    s->is_virtual = portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_MANUAL;
    s->last = ticks;
    s->number = 1;
    if ((s->block = map_block(s->fd)))
        begin_block(s);
    errno = error;
    return s;
}

void stream_close(struct stream *s)
{
    size_t used;

    s->is_ending = true;
    if (s->block) {
        stream_put_gap(s, s->last, 0);
        close_block(s);
        used = (size_t)(s->at - s->block);
        munmap(s->block, PORTOLAN_STREAM_BLOCK);
        /* Else what follows is empty, or half a block. */
        (void)!ftruncate(s->fd, (off_t)(s->number > 1 ? s->number * PORTOLAN_STREAM_BLOCK : used));
    }
    if (s->fd >= 0)
        close(s->fd);
    for (int i = 0; i < KNOWN_KINDS; i++)
        free(s->known[i].block);
    free(s->written.at);
    free(s);
}

/* -- records -- */

/* Writes the cost of beginning a block. */
static void put_cost(struct stream *s, uint64_t took)
{
    double ns = portolan_probe_ticks_to_ns(took);
    struct portolan_stream_event event = {
        .kind = PORTOLAN_TRACE_VALUE, .ticks = s->last, .what = record_process.block_cost};

    if (event.what == UINT32_MAX) /* without memory */
        return;
    define_name(s, record_process.block_cost);
    memcpy(&event.bytes, &ns, sizeof ns);
    stream_put(s, &event);
}

bool stream_make_room(struct stream *s, uint64_t ticks)
{
    uint64_t lost = s->lost - s->lost_reported, began = s->is_virtual ? 0 : portolan_probe_now();

    if (!s->block || s->is_ending || (lost && s->lost < s->retry))
        return false;
    close_block(s);
    if (!copy_block(s)) {
        s->retry = s->lost + RETRY;
        s->end = s->at; /* what is there stays there */
        s->plain_end = NULL;
        return false;
    }
    s->number++;
    begin_block(s);
    s->lost_reported = s->lost;
    if (lost)
        stream_put_gap(s, ticks, lost);
    if (!s->is_virtual)
        put_cost(s, portolan_probe_now() - began);
    return true;
}

void stream_lose(struct stream *s)
{
    s->lost++;
    if (s->block)
        header_of(s)->lost = s->lost;
}

void stream_define(struct stream *s, unsigned kind, const struct portolan_stream_definition *d)
{
    uint8_t *end;

    if (s->end < s->at + portolan_stream_definition_room(kind, d) && !stream_make_room(s, s->last))
        return;
    end = portolan_stream_define(s->at, s->end, kind, d);
    __atomic_store_n(s->at, (uint8_t)kind, __ATOMIC_RELEASE); /* now it is valid */
    s->at = end;
}

static void put_plain(struct stream *s, unsigned kind, uint64_t ticks, uint64_t what)
{
    stream_put(s, &(struct portolan_stream_event){.kind = kind, .ticks = ticks, .what = what});
}

void stream_put_gap(struct stream *s, uint64_t ticks, uint64_t lost)
{
    uint64_t end = s->last;

    if (s->in_call)
        put_plain(s, PORTOLAN_TRACE_END, end, 0);
    s->in_call = false;
    for (; s->written.depth; stack_pop(&s->written))
        put_plain(s, PORTOLAN_TRACE_LEAVE, end, s->written.at[s->written.depth - 1]);
    if (s->is_ending)
        return;
    if (s->window || lost)
        stream_put(s, &(struct portolan_stream_event){
                          .kind = PORTOLAN_TRACE_GAP, .ticks = ticks, .bytes = lost});
    for (size_t i = 0; i < s->open->depth; i++) {
        define_region(s, s->open->at[i]);
        put_plain(s, PORTOLAN_TRACE_ENTER, ticks, s->open->at[i]);
        stack_push(&s->written, s->open->at[i]);
    }
}

bool stream_is_new(struct stream *s, unsigned kind, size_t i)
{
    struct stream_known *k = &s->known[kind];

    if (stream_knows(s, kind, i))
        return false;
    if (i >= k->n) {
        size_t n = i + i / 2 + 64;
        uint32_t *grown = portolan_reallocarray(k->block, n, sizeof *grown);

        if (!grown)
            return true;
        memset(grown + k->n, 0, (n - k->n) * sizeof *grown);
        k->block = grown;
        k->n = n;
    }
    k->block[i] = s->number;
    return true;
}
