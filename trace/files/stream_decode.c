/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes streams without trusting them: a file may be cut anywhere, and its bytes may be anything.
 * Damage is skipped by blocks.
 */
#include "stream_decode.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* Ranks above this are in no communicator. */
#define MOST_RANKS ((size_t)1 << 24)

bool stream_is_one(const void *bytes, size_t size)
{
    struct portolan_stream_header h;

    if (size < sizeof h)
        return false;
    memcpy(&h, bytes, sizeof h);
    return h.magic == PORTOLAN_STREAM_MAGIC;
}

/* -- fields: after a field that does not fit, D->at is NULL and stays so -- */

static uint64_t read_unsigned(struct stream_decoder *d)
{
    uint64_t value = 0;

    for (unsigned shift = 0; d->at && d->at < d->end && shift < 64; shift += 7) {
        uint8_t byte = *d->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    d->at = NULL;
    return 0;
}

static int64_t read_signed(struct stream_decoder *d)
{
    uint64_t value = read_unsigned(d);

    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static uint64_t read_double(struct stream_decoder *d)
{
    uint64_t bits = 0;

    if (!d->at || (size_t)(d->end - d->at) < sizeof bits) {
        d->at = NULL;
        return 0;
    }
    memcpy(&bits, d->at, sizeof bits);
    d->at += sizeof bits;
    return bits;
}

/* Copies a text, which will be in diagnostics and tables: '?' replaces what does not print. */
static void copy_text(char *to, const uint8_t *from, size_t length)
{
    memcpy(to, from, length);
    to[length] = '\0';
    for (size_t i = 0, n; i < length; i += n) {
        n = portolan_utf8_length(to + i);
        if (n > 1)
            continue;
        n = 1;
        if (from[i] < ' ' || from[i] >= 0x7f)
            to[i] = '?';
    }
}

/* Reads a text to *USED of the room for texts, which may move: offsets become pointers later. */
static size_t read_text(struct stream_decoder *d, size_t *used)
{
    uint64_t length = read_unsigned(d);
    size_t at = *used;

    if (!d->at || length > (uint64_t)(d->end - d->at)) {
        d->at = NULL;
        return 0;
    }
    if (!portolan_reserve(&d->texts, &d->texts_room, at + length + 1, 1)) {
        d->is_out_of_memory = true;
        return 0;
    }
    copy_text(d->texts + at, d->at, length);
    d->at += length;
    *used = at + length + 1;
    return at;
}

/* Reads runs of ranks likewise; *N: how many. */
static size_t read_ranks(struct stream_decoder *d, size_t *used, size_t *n)
{
    uint64_t n_runs = read_unsigned(d);
    size_t first = *used;

    while (d->at && n_runs--) {
        int64_t rank = read_signed(d), stride;
        uint64_t length = read_unsigned(d);

        stride = read_signed(d);
        if (!d->at || length > MOST_RANKS - (*used - first) || rank < -1 || rank > INT32_MAX ||
            stride > INT32_MAX || stride < -INT32_MAX) {
            d->at = NULL;
            break;
        }
        if (!portolan_reserve(&d->ranks, &d->ranks_room, *used + length, sizeof *d->ranks)) {
            d->is_out_of_memory = true;
            break;
        }
        for (; length--; rank += stride)
            d->ranks[(*used)++] = rank < -1 || rank > INT32_MAX ? -1 : (int)rank;
    }
    *n = *used - first;
    return first;
}

/* -- records -- */

static void read_definition(struct stream_decoder *d, unsigned kind,
                            struct portolan_stream_definition *r)
{
    size_t n = 0, t = 0, l = 0, used_text = 0, used_ranks = 0, text[PORTOLAN_STREAM_TEXTS] = {0},
           list[PORTOLAN_STREAM_LISTS] = {0};

    for (const char *f = portolan_stream_definitions[kind - PORTOLAN_STREAM_FILE];
         *f && d->at && !d->is_out_of_memory; f++)
        switch (*f) {
        case 'u':
            r->number[n++] = read_unsigned(d);
            break;
        case 't':
            text[t++] = read_text(d, &used_text);
            break;
        default:
            list[l] = read_ranks(d, &used_ranks, &r->n_list[l]);
            l++;
        }
    for (size_t i = 0; i < t; i++)
        r->text[i] = d->texts ? d->texts + text[i] : NULL;
    for (size_t i = 0; i < l; i++)
        r->list[i] = d->ranks ? d->ranks + list[i] : NULL;
}

static void read_event(struct stream_decoder *d, unsigned byte, struct stream_record *r)
{
    unsigned fields = portolan_stream_fields[r->kind];

    if (!(byte & PORTOLAN_STREAM_SAME_TIME))
        d->ticks += read_unsigned(d);
    r->ticks = d->ticks;
    if (fields & PORTOLAN_STREAM_WHAT)
        r->what = read_unsigned(d);
    if (fields & PORTOLAN_STREAM_PEER)
        r->peer = read_signed(d);
    if (fields & PORTOLAN_STREAM_TAG)
        r->tag = read_signed(d);
    if (fields & PORTOLAN_STREAM_BYTES)
        r->bytes = read_unsigned(d);
    if (fields & PORTOLAN_STREAM_DOUBLE)
        r->bytes = read_double(d);
    if (byte & PORTOLAN_STREAM_HAS_REQUEST)
        r->request = read_unsigned(d);
    if (r->peer != (int32_t)r->peer || r->tag != (int32_t)r->tag ||
        r->request != (uint32_t)r->request)
        d->at = NULL;
}

/* Reads a record. False: there is none; D->at is NULL if damaged, else the end of the block. */
static bool read_record(struct stream_decoder *d, struct stream_record *r)
{
    unsigned byte, kind;

    if (d->at == d->end || !*d->at)
        return false;
    byte = *d->at++;
    kind = byte & PORTOLAN_STREAM_KIND;
    *r = (struct stream_record){.kind = kind - 1};
    if (kind >= 1 && kind <= PORTOLAN_TRACE_KINDS) {
        read_event(d, byte, r);
    } else if (kind >= PORTOLAN_STREAM_FILE && kind < PORTOLAN_STREAM_KINDS) {
        r->kind = kind;
        r->is_definition = true;
        read_definition(d, kind, &r->definition);
    } else {
        d->at = NULL;
    }
    return d->at && !d->is_out_of_memory;
}

/* -- blocks -- */

static void say(struct stream_decoder *d, const char *what, size_t block)
{
    if (d->diagnostics)
        portolan_diagnose(d->diagnostics, d->path, 0, 0, "%s in block %zu", what,
                          block / PORTOLAN_STREAM_BLOCK);
    d->is_cut = true;
}

/* Returns the offset of the block to be read next: the first in the file is the newest. */
static size_t next_offset(const struct stream_decoder *d, size_t n_blocks)
{
    return (d->n_opened + 1) % n_blocks * PORTOLAN_STREAM_BLOCK;
}

static size_t count_blocks(const struct stream_decoder *d)
{
    return (d->size + PORTOLAN_STREAM_BLOCK - 1) / PORTOLAN_STREAM_BLOCK;
}

/* Returns the fault of a block at OFFSET with ROOM bytes; NULL: it has none. */
static const char *fault_of(struct stream_decoder *d, const struct portolan_stream_header *h,
                            size_t offset, size_t room)
{
    const uint8_t *records = d->bytes + offset + sizeof *h;

    if (h->version != PORTOLAN_STREAM_VERSION)
        return "another version of the format";
    if (h->bytes && (h->bytes < sizeof *h || h->bytes > room))
        return "the file ends";
    if (h->bytes && portolan_stream_checksum(records, h->bytes - sizeof *h) != h->checksum)
        return "wrong checksum";
    return NULL;
}

/* Opens the next block. False: it is damaged; *EVENTS are lost here, as far as is known. */
static bool open_block(struct stream_decoder *d, uint64_t *events)
{
    size_t n_blocks = count_blocks(d), offset = next_offset(d, n_blocks), room = d->size - offset;
    struct portolan_stream_header h;
    const char *fault;

    *events = 0;
    if (room > PORTOLAN_STREAM_BLOCK)
        room = PORTOLAN_STREAM_BLOCK;
    d->n_opened++;
    if (!stream_is_one(d->bytes + offset, room)) {
        say(d, "no block begins", offset);
        return false;
    }
    memcpy(&h, d->bytes + offset, sizeof h);
    *events = h.events;
    if ((fault = fault_of(d, &h, offset, room))) {
        say(d, fault, offset);
        return false;
    }
    if (offset == 0 && h.number + 1 == d->n_known) /* the block was just copied */
        return true;
    if (offset == 0 && h.number + 1 != n_blocks)
        say(d, h.number + 1 > n_blocks ? "the file ends" : "half a block", d->size);
    if (!h.bytes)
        d->is_cut = true; /* the process did not end by itself */
    d->n_known = h.number + 1;
    if (h.lost > d->lost)
        d->lost = h.lost;
    if (h.first_ticks > d->ticks)
        d->ticks = h.first_ticks;
    d->at = d->bytes + offset + sizeof h;
    d->end = d->bytes + offset + (h.bytes ? h.bytes : room);
    return true;
}

static bool make_gap(const struct stream_decoder *d, uint64_t events, struct stream_record *r)
{
    *r = (struct stream_record){
        .kind = PORTOLAN_TRACE_GAP, .ticks = d->ticks, .bytes = events ? events : 1};
    return true;
}

bool stream_next(struct stream_decoder *d, struct stream_record *r)
{
    uint64_t events;

    for (;;) {
        if (d->at) {
            size_t block = (size_t)(d->at - d->bytes) / PORTOLAN_STREAM_BLOCK;

            if (read_record(d, r))
                return true;
            if (d->is_out_of_memory)
                return false;
            if (!d->at) {
                say(d, "an unknown record", block * PORTOLAN_STREAM_BLOCK);
                return make_gap(d, 0, r);
            }
        }
        d->at = NULL;
        if (d->n_opened >= count_blocks(d))
            return false;
        if (!open_block(d, &events) && d->n_opened < count_blocks(d))
            return make_gap(d, events, r);
    }
}

void stream_rewind(struct stream_decoder *d)
{
    d->n_opened = 0;
    d->n_known = 0;
    d->at = d->end = NULL;
    d->ticks = 0;
}

void stream_clear(struct stream_decoder *d)
{
    free(d->texts);
    free(d->ranks);
}
