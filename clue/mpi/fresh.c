/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which data are fresh: written since they were last sent to that rank of the same host. They come
 * out of the sender's cache, others lie in the receiver's until more than fits there has been sent
 * and received. What the library wrote it knows; what the program wrote shows in samples of the
 * data. What a program had written before it sent it a second time it writes each time: an
 * iteration that converges writes the same values again.
 */
#include "internal.h"

enum { LAST = 64, SAMPLES = 32, LEAST_BYTES = 4096, CACHE_BYTES = 1 << 20 };

struct mpi_sent {
    const char *data;
    uint64_t bytes; /* 0: unused */
    int to;
    uint64_t sample;
    uint64_t moved; /* what the task had sent and received before */
    enum { SENT_ONCE, IS_WRITTEN, IS_SENT_AGAIN } habit;
};

static uint64_t sample_of(const char *data, uint64_t bytes)
{
    uint64_t words[SAMPLES];

    for (uint64_t i = 0; i < SAMPLES; i++)
        memcpy(&words[i], data + i * (bytes - sizeof *words) / (SAMPLES - 1), sizeof *words);
    return portolan_hash(words, sizeof words, 0);
}

bool mpi_is_fresh(struct mpi_task *t, const void *data, uint64_t bytes, int to)
{
    struct mpi_sent *sent, *unused = NULL, now = {.data = data, .bytes = bytes, .to = to};
    bool is_fresh = true;

    if (bytes < LEAST_BYTES || clue_fresh_ns(to, bytes) <= 0)
        return false;
    if (!t->sent)
        t->sent = mpi_alloc(LAST, sizeof *t->sent);
    for (sent = t->sent; sent < t->sent + LAST; sent++) {
        if (sent->data == data && sent->bytes == bytes && sent->to == to)
            break;
        unused = sent->bytes ? unused : sent;
    }
    now.moved = t->moved_bytes += bytes;
    now.sample = sample_of(data, bytes);
    if (sent == t->sent + LAST) {
        sent = unused ? unused : &t->sent[t->n_sent++ % LAST];
    } else {
        now.habit = sent->habit                  ? sent->habit
                    : sent->sample != now.sample ? IS_WRITTEN
                                                 : IS_SENT_AGAIN;
        is_fresh = now.habit == IS_WRITTEN || sent->sample != now.sample ||
                   now.moved - sent->moved > CACHE_BYTES + 2 * bytes;
    }
    *sent = now;
    return is_fresh;
}

void mpi_forget_sent(struct mpi_task *t, const void *data, uint64_t bytes)
{
    const char *from = data, *to = from + bytes;

    t->moved_bytes += bytes;
    for (struct mpi_sent *sent = t->sent; sent < t->sent + LAST; sent++)
        if (sent->data < to && from < sent->data + sent->bytes)
            sent->bytes = 0;
}
