/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trace_stream: Portolan's own format of traces, which mpi/record writes and trace/files reads.
 *
 * A folder has a file RANK.THREAD.trace for each thread. A file consists of blocks, which begin at
 * multiples of PORTOLAN_STREAM_BLOCK and can be read without the others. The first block is the
 * newest: it is mapped into memory while it is filled, and copied to the end of the file when it is
 * full. A block is a header and records. Numbers in headers are little endian. A record is a byte
 * (kind and flags), the time since the record before in ticks, and its fields, all as LEB128
 * varints (DWARF 5, 7.6), signed ones in zigzag; the header has the first time of the block. The
 * records end with a byte of 0 or with the block. A record becomes valid by its first byte, which
 * is written last: however the process ends, all records that it wrote can be read.
 *
 * The functions only write to the caller's memory, which must have room; nothing fails or locks.
 */
#ifndef PORTOLAN_TRACE_STREAM_H
#define PORTOLAN_TRACE_STREAM_H

#include <portolan/base.h>

#define PORTOLAN_STREAM_BLOCK   ((size_t)65536)
#define PORTOLAN_STREAM_MAGIC   UINT32_C(0x31535450) /* "PTS1" */
#define PORTOLAN_STREAM_VERSION 1

struct portolan_stream_header {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;  /**< of the block with this header; 0: it was never closed */
    uint32_t events; /**< in it, without definitions */
    uint64_t lost;   /**< events that were lost before it */
    uint64_t first_ticks;
    uint64_t checksum; /**< of the records: portolan_stream_checksum() */
    uint64_t number;   /**< of blocks before it */
};

/**
 * Kinds of records: events are enum portolan_trace_kind + 1; then come definitions, from REGION on
 * in the order of enum portolan_trace_table.
 */
enum portolan_stream_kind {
    /** The file: rank, thread, ranks, flags, host (text). Each block has one; so for CLOCK. */
    PORTOLAN_STREAM_FILE = 24,
    /**
     * The clock: kind, ticks per second, ticks now, CLOCK_MONOTONIC and CLOCK_REALTIME in
     * nanoseconds at that time.
     */
    PORTOLAN_STREAM_CLOCK,
    PORTOLAN_STREAM_REGION,  /**< number, kind, texts: name, user, port, provider */
    PORTOLAN_STREAM_ROUTINE, /**< number, text */
    /** number, id, lists: members, remote members, neighbours of this rank. Also windows. */
    PORTOLAN_STREAM_COMM,
    PORTOLAN_STREAM_WINDOW,
    PORTOLAN_STREAM_NAME, /**< number, text */
    /** The counter that times come from (text): the same on all ranks that share it (the kernel's
       boot id). Each block has one. */
    PORTOLAN_STREAM_COUNTER,
    PORTOLAN_STREAM_KINDS
};

enum {
    PORTOLAN_STREAM_KIND = 0x1f,
    PORTOLAN_STREAM_HAS_REQUEST = 0x20, /**< the last field is a request's number */
    PORTOLAN_STREAM_SAME_TIME = 0x40, /**< it has no time: its time is that of the record before */
    /** Flags of FILE. */
    PORTOLAN_STREAM_HAS_THREADS = 1,
    PORTOLAN_STREAM_IS_VIRTUAL = 2, /**< the clock is ManualClock's */
    /** Kinds of clocks. */
    PORTOLAN_STREAM_TICKS = 0, /**< a counter that all ranks of a host share */
    PORTOLAN_STREAM_NANOSECONDS = 1,
    /** Fields of events, in this order, by portolan_stream_fields[]. A text is its length and its
       bytes; a list is its number of runs, and first rank, length and stride of each. */
    PORTOLAN_STREAM_WHAT = 1,   /**< unsigned */
    PORTOLAN_STREAM_PEER = 2,   /**< signed */
    PORTOLAN_STREAM_TAG = 4,    /**< signed */
    PORTOLAN_STREAM_BYTES = 8,  /**< unsigned */
    PORTOLAN_STREAM_DOUBLE = 16 /**< 8 bytes */
};

/** Fields of each kind of event, by enum portolan_trace_kind. */
static const uint8_t portolan_stream_fields[] = {
    1,  /* ENTER */
    1,  /* LEAVE */
    1,  /* BEGIN */
    0,  /* END: of the call that runs */
    15, /* SEND */
    0,  /* SEND_DONE */
    7,  /* RECV_POST */
    15, /* RECV */
    0,  /* CANCELLED */
    11, /* COLLECTIVE */
    0,  /* COLLECTIVE_DONE */
    11, /* TRANSFER */
    3,  /* ACCESS */
    1,  /* EPOCH */
    4,  /* MARK */
    17, /* VALUE */
    8,  /* CPU */
    8,  /* GAP */
};

/** The most bytes that an event takes: kind, time, five fields. */
#define PORTOLAN_STREAM_EVENT_MAX 64

static inline uint64_t portolan_stream_add_word(uint64_t sum, const uint8_t *bytes)
{
    uint64_t word;

    __builtin_memcpy(&word, bytes, sizeof word);
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

/** The checksum of SIZE bytes, in four lanes of eight bytes; missing bytes at the end count as 0.
 */
static inline uint64_t portolan_stream_checksum(const uint8_t *bytes, size_t size)
{
    uint64_t a = 1, b = 2, c = 3, d = 4; /* no array: compilers would multiply vectors, slowly */
    uint8_t last[32] = {0};

    for (; size; bytes += sizeof last, size -= sizeof last) {
        if (size < sizeof last) {
            __builtin_memcpy(last, bytes, size);
            bytes = last;
            size = sizeof last;
        }
        a = portolan_stream_add_word(a, bytes);
        b = portolan_stream_add_word(b, bytes + 8);
        c = portolan_stream_add_word(c, bytes + 16);
        d = portolan_stream_add_word(d, bytes + 24);
    }
    return a ^ (b << 1 | b >> 63) ^ (c << 2 | c >> 62) ^ (d << 3 | d >> 61);
}

static inline uint8_t *portolan_stream_unsigned(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static inline uint8_t *portolan_stream_signed(uint8_t *at, int64_t value)
{
    return portolan_stream_unsigned(at, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/** An event to write; `kind`: enum portolan_trace_kind; `bytes` of a VALUE are a double's. */
struct portolan_stream_event {
    unsigned kind;
    uint64_t ticks;
    uint64_t what;
    int64_t peer, tag;
    uint64_t bytes;
    uint32_t request;
};

/**
 * Writes E at AT, without its first byte, which makes it valid and is returned in *BYTE. *LAST: the
 * time of the record before in ticks, then of E. Returns its end, at most PORTOLAN_STREAM_EVENT_MAX
 * later.
 */
static inline __attribute__((always_inline)) uint8_t *
portolan_stream_encode(uint8_t *at, const struct portolan_stream_event *e, uint64_t *last,
                       uint8_t *byte)
{
    unsigned fields = portolan_stream_fields[e->kind];

    *byte = (uint8_t)(e->kind + 1);
    at++;
    if (e->ticks > *last) {
        at = portolan_stream_unsigned(at, e->ticks - *last);
        *last = e->ticks;
    } else {
        *byte |= PORTOLAN_STREAM_SAME_TIME;
    }
    if (fields & PORTOLAN_STREAM_WHAT)
        at = portolan_stream_unsigned(at, e->what);
    if (fields & PORTOLAN_STREAM_PEER)
        at = portolan_stream_signed(at, e->peer);
    if (fields & PORTOLAN_STREAM_TAG)
        at = portolan_stream_signed(at, e->tag);
    if (fields & PORTOLAN_STREAM_BYTES)
        at = portolan_stream_unsigned(at, e->bytes);
    if (fields & PORTOLAN_STREAM_DOUBLE) {
        __builtin_memcpy(at, &e->bytes, sizeof e->bytes);
        at += sizeof e->bytes;
    }
    if (e->request) {
        at = portolan_stream_unsigned(at, e->request);
        *byte |= PORTOLAN_STREAM_HAS_REQUEST;
    }
    return at;
}

/** The longest text in bytes, and the most fields of each type in a definition. */
enum {
    PORTOLAN_STREAM_TEXT_MAX = 4096,
    PORTOLAN_STREAM_NUMBERS = 5,
    PORTOLAN_STREAM_TEXTS = 4,
    PORTOLAN_STREAM_LISTS = 3
};

/** Fields of definitions, from FILE on: u a number, t a text, l a list. */
static const char *const portolan_stream_definitions[] = {
    "uuuut",  /* FILE */
    "uuuuu",  /* CLOCK */
    "uutttt", /* REGION */
    "ut",     /* ROUTINE */
    "uulll",  /* COMM */
    "uulll",  /* WINDOW */
    "ut",     /* NAME */
    "t",      /* COUNTER */
};

/** A definition, in the order of its fields. Texts and lists are borrowed. */
struct portolan_stream_definition {
    uint64_t number[PORTOLAN_STREAM_NUMBERS];
    const char *text[PORTOLAN_STREAM_TEXTS];
    const int *list[PORTOLAN_STREAM_LISTS];
    size_t n_list[PORTOLAN_STREAM_LISTS];
};

static inline uint8_t *portolan_stream_text(uint8_t *at, const char *text)
{
    size_t length = 0;

    while (length < PORTOLAN_STREAM_TEXT_MAX && text[length])
        length++;
    at = portolan_stream_unsigned(at, length);
    __builtin_memcpy(at, text, length);
    return at + length;
}

/* The run of ranks with one stride that begins at I: its length. */
static inline size_t portolan_stream_run(const int *ranks, size_t n, size_t i)
{
    size_t length = 2;

    if (i + 1 >= n)
        return 1;
    while (i + length < n && ranks[i + length] - ranks[i + length - 1] == ranks[i + 1] - ranks[i])
        length++;
    return length;
}

/** Writes N ranks as runs; none of them if they do not fit before END. */
static inline uint8_t *portolan_stream_ranks(uint8_t *at, const uint8_t *end, const int *ranks,
                                             size_t n)
{
    uint64_t n_runs = 0;

    for (size_t i = 0; i < n; i += portolan_stream_run(ranks, n, i))
        n_runs++;
    if (n_runs * 15 + 32 > (uint64_t)(end - at))
        return portolan_stream_unsigned(at, 0);
    at = portolan_stream_unsigned(at, n_runs);
    for (size_t i = 0, length; i < n; i += length) {
        length = portolan_stream_run(ranks, n, i);
        at = portolan_stream_signed(at, ranks[i]);
        at = portolan_stream_unsigned(at, length);
        at = portolan_stream_signed(at, length > 1 ? ranks[i + 1] - ranks[i] : 0);
    }
    return at;
}

/** Enough bytes for D of KIND; portolan_stream_ranks() leaves out longer lists. */
static inline size_t portolan_stream_definition_room(unsigned kind,
                                                     const struct portolan_stream_definition *d)
{
    size_t texts = 0, lists = 0;

    for (const char *f = portolan_stream_definitions[kind - PORTOLAN_STREAM_FILE]; *f; f++)
        texts += *f == 't';
    for (int i = 0; i < PORTOLAN_STREAM_LISTS; i++)
        lists += 15 * d->n_list[i];
    return texts * (PORTOLAN_STREAM_TEXT_MAX + 4) + 128 +
           (lists < PORTOLAN_STREAM_BLOCK / 2 ? lists : PORTOLAN_STREAM_BLOCK / 2);
}

/** Writes D at AT, without its first byte, KIND, before END; returns its end. */
static inline uint8_t *portolan_stream_define(uint8_t *at, const uint8_t *end, unsigned kind,
                                              const struct portolan_stream_definition *d)
{
    size_t n = 0, t = 0, l = 0;

    at++;
    for (const char *f = portolan_stream_definitions[kind - PORTOLAN_STREAM_FILE]; *f; f++)
        if (*f == 'u') {
            at = portolan_stream_unsigned(at, d->number[n++]);
        } else if (*f == 't') {
            at = portolan_stream_text(at, d->text[t++]);
        } else {
            at = portolan_stream_ranks(at, end, d->list[l], d->n_list[l]);
            l++;
        }
    return at;
}

#endif
