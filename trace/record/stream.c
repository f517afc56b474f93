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

struct record_process record_process;

/* Events that are lost before room is asked for again. */
#define RETRY 4096

/* -- blocks -- */

static void close_block(struct stream *s)
{
    struct portolan_stream_header *h = (struct portolan_stream_header *)s->block;
    size_t used = (size_t)(s->at - s->block);

    if (!s->block)
        return;
    h->events = (uint32_t)s->events;
    h->checksum = portolan_stream_checksum(s->block + sizeof *h, used - sizeof *h);
    __atomic_store_n(&h->bytes, (uint32_t)used, __ATOMIC_RELEASE);
    munmap(s->block, PORTOLAN_STREAM_BLOCK);
    s->offset += s->is_ending ? used : PORTOLAN_STREAM_BLOCK;
    s->block = s->at = s->end = NULL;
}

/* A file beyond the limit of the process (RLIMIT_FSIZE) must not end the program. */
static int reserve_room(int fd, off_t offset)
{
    sigset_t limit, before, pending;
    const struct timespec now = {0, 0};
    int error;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    error = posix_fallocate(fd, offset, (off_t)PORTOLAN_STREAM_BLOCK);
    if (error && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
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
    uint64_t ticks = 0, ns = 0, width = UINT64_MAX;
    bool counts_ticks = portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_TSC;
    uint8_t *at = s->at + 1;

    for (int i = 0; i < 4; i++) {
        uint64_t before = portolan_probe_now(), now = clock_ns(CLOCK_MONOTONIC),
                 after = portolan_probe_now();

        if (after - before < width) {
            width = after - before;
            ticks = before + width / 2;
            ns = now;
        }
    }
    at = portolan_stream_unsigned(at, counts_ticks ? PORTOLAN_STREAM_TICKS
                                                   : PORTOLAN_STREAM_NANOSECONDS);
    at = portolan_stream_unsigned(
        at, (uint64_t)(1e9 / (portolan_probe_ticks_to_ns(1U << 30) / (1U << 30))));
    at = portolan_stream_unsigned(portolan_stream_unsigned(at, ticks), ns);
    stream_end(s, portolan_stream_unsigned(at, clock_ns(CLOCK_REALTIME)), PORTOLAN_STREAM_CLOCK);
}

static void put_file(struct stream *s)
{
    uint8_t *at = s->at + 1;

    at = portolan_stream_unsigned(at, (uint64_t)record_process.rank);
    at = portolan_stream_unsigned(at, (uint64_t)s->thread);
    at = portolan_stream_unsigned(at, (uint64_t)record_process.n_ranks);
    at = portolan_stream_unsigned(at, record_process.flags);
    stream_end(s, portolan_stream_text(at, record_process.host), PORTOLAN_STREAM_FILE);
}

/* Tells in the first block what was lost, which needs no room. */
static void tell_lost(struct stream *s)
{
    if (s->lost != s->lost_told && s->offset &&
        pwrite(s->fd, &s->lost, sizeof s->lost,
               offsetof(struct portolan_stream_header, lost_in_all)) == sizeof s->lost)
        s->lost_told = s->lost;
}

static bool open_block(struct stream *s)
{
    struct portolan_stream_header *h;
    void *block;
    int error = errno;

    close_block(s);
    tell_lost(s);
    s->retry = s->lost + RETRY;
    block = s->fd < 0 || reserve_room(s->fd, (off_t)s->offset)
                ? MAP_FAILED
                : mmap(NULL, PORTOLAN_STREAM_BLOCK, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_POPULATE, s->fd, (off_t)s->offset);
    errno = error;
    if (block == MAP_FAILED)
        return false;
    h = block;
    *h = (struct portolan_stream_header){.magic = PORTOLAN_STREAM_MAGIC,
                                         .version = PORTOLAN_STREAM_VERSION,
                                         .lost = s->lost,
                                         .first_ticks = s->last};
    s->block = block;
    s->at = s->block + sizeof *h;
    s->end = s->block + PORTOLAN_STREAM_BLOCK;
    s->events = 0;
    for (int i = 0; i < KNOWN_KINDS; i++)
        if (s->known[i].bits)
            memset(s->known[i].bits, 0, s->known[i].n_words * sizeof *s->known[i].bits);
    put_file(s);
    put_clock(s);
    return true;
}

/* -- files -- */

struct stream *stream_open(int thread, uint64_t ticks, const struct region_stack *open_regions)
{
    struct stream *s = portolan_calloc(1, sizeof *s);
    char *path = NULL;

    if (!s)
        return NULL;
    path = portolan_asprintf("%s/%d.%d.trace", record_process.folder, record_process.rank, thread);
    s->fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    free(path);
    s->thread = thread;
    s->open = open_regions;
    s->last = ticks;
    open_block(s);
    return s;
}

void stream_close(struct stream *s)
{
    s->is_ending = true;
    if (s->block)
        stream_put_gap(s, s->last, 0);
    close_block(s);
    tell_lost(s);
    if (s->fd >= 0) {
        (void)!ftruncate(s->fd, (off_t)s->offset); /* else the rest is empty */
        close(s->fd);
    }
    for (int i = 0; i < KNOWN_KINDS; i++)
        free(s->known[i].bits);
    free(s);
}

/* -- records -- */

/* The next block, after events were lost with a gap. False: they are lost still. */
static bool make_room(struct stream *s, uint64_t ticks)
{
    bool was_open = s->block != NULL;
    uint64_t lost_before = s->lost;

    if (!was_open && s->lost < s->retry)
        return false;
    if (ticks > s->last && !was_open)
        s->last = ticks;
    if (!open_block(s))
        return false;
    if (!was_open)
        stream_put_gap(s, s->last, lost_before);
    return true;
}

void stream_make_ready(struct stream *s, uint64_t ticks)
{
    if (s->end - s->at < 2 * PORTOLAN_STREAM_EVENT_MAX)
        make_room(s, ticks);
}

uint8_t *stream_begin(struct stream *s, size_t size)
{
    if (s->end < s->at + size && !make_room(s, s->last))
        return NULL;
    return s->at + 1;
}

void stream_end(struct stream *s, uint8_t *at, unsigned kind)
{
    __atomic_store_n(s->at, (uint8_t)kind, __ATOMIC_RELEASE); /* now it is valid */
    s->at = at;
}

void stream_put(struct stream *s, const struct portolan_stream_event *e)
{
    uint8_t *at, byte;

    if (s->end - s->at < PORTOLAN_STREAM_EVENT_MAX && !make_room(s, e->ticks)) {
        s->lost++;
        return;
    }
    at = portolan_stream_encode(s->at, e, &s->last, &byte);
    s->events++;
    stream_end(s, at, byte);
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
        if (s->written.depth <= STREAM_DEPTH)
            put_plain(s, PORTOLAN_TRACE_LEAVE, end, s->written.at[s->written.depth - 1]);
    if (s->is_ending)
        return;
    if (s->window || lost)
        stream_put(s, &(struct portolan_stream_event){
                          .kind = PORTOLAN_TRACE_GAP, .ticks = ticks, .bytes = lost});
    for (unsigned i = 0; i < s->open->depth && i < STREAM_DEPTH; i++) {
        define_region(s, s->open->at[i]);
        put_plain(s, PORTOLAN_TRACE_ENTER, ticks, s->open->at[i]);
        stack_push(&s->written, s->open->at[i]);
    }
}

bool stream_is_new(struct stream *s, unsigned kind, size_t i)
{
    struct stream_known *k = &s->known[kind];
    size_t word = i / 64;
    uint64_t bit = UINT64_C(1) << i % 64;

    if (word < k->n_words && k->bits[word] & bit)
        return false;
    if (word >= k->n_words) {
        size_t n = word + word / 2 + 8;
        uint64_t *grown = portolan_reallocarray(k->bits, n, sizeof *grown);

        if (!grown)
            return true;
        memset(grown + k->n_words, 0, (n - k->n_words) * sizeof *grown);
        k->bits = grown;
        k->n_words = n;
    }
    k->bits[word] |= bit;
    return true;
}
