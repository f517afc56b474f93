/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A piece as bytes. Names travel once per method, not per sample: a head, the methods, the samples,
 * then the texts (counters' first), each ended by a zero. Sender and receiver are the same program
 * on like machines.
 */
#include "piece.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 7 };

struct head {
    uint64_t n_samples, n_methods, n_counters, text_bytes, n_partial;
};

struct packed {
    int64_t parent, calls, failed_calls, timed_calls, subroutines;
    double context[PORTOLAN_CONTEXT_MAX], counter[PORTOLAN_COUNTER_MAX];
    double inclusive_ns, exclusive_ns, mpi_ns, min_ns, max_ns, sum_squares_ns2, quality;
    uint32_t method;
    int32_t rank, thread, binned, n_counters;
};

/* Where the parts of a block of this shape lie. */
struct shape {
    uint64_t *n_context;
    struct packed *samples;
    char *text;
};

static struct shape shape_of(const struct head *h, char *block)
{
    struct shape s;

    s.n_context = (uint64_t *)(block + sizeof *h);
    s.samples = (struct packed *)(s.n_context + h->n_methods);
    s.text = (char *)(s.samples + h->n_samples);
    return s;
}

/* Blocks stand one behind the other when they arrive: keep the next one aligned. */
static size_t bytes_of(const struct head *h)
{
    size_t bytes = sizeof *h + h->n_methods * sizeof(uint64_t) +
                   h->n_samples * sizeof(struct packed) + h->text_bytes;

    return (bytes + 7) & ~(size_t)7;
}

static void names_of(const struct portolan_sample *s, const char *names[NAMES])
{
    names[0] = s->user;
    names[1] = s->uses;
    names[2] = s->instance;
    names[3] = s->port;
    names[4] = s->implementation;
    names[5] = s->port_type;
    names[6] = s->method;
}

static size_t text_bytes_of(const struct portolan_sample *s)
{
    const char *names[NAMES];
    size_t bytes = 0;

    names_of(s, names);
    for (int i = 0; i < NAMES; ++i)
        bytes += strlen(names[i]) + 1;
    for (int i = 0; i < s->n_context; ++i)
        bytes += strlen(s->context_name[i]) + 1;
    return bytes;
}

static char *put_texts(char *to, const struct portolan_sample *s)
{
    const char *names[NAMES];

    names_of(s, names);
    for (int i = 0; i < NAMES; ++i)
        to = stpcpy(to, names[i]) + 1;
    for (int i = 0; i < s->n_context; ++i)
        to = stpcpy(to, s->context_name[i]) + 1;
    return to;
}

static void put_sample(struct packed *to, const struct portolan_sample *s, uint32_t method)
{
    *to = (struct packed){
        .parent = s->parent,
        .calls = s->calls,
        .failed_calls = s->failed_calls,
        .timed_calls = s->timed_calls,
        .subroutines = s->subroutines,
        .inclusive_ns = s->inclusive_ns,
        .exclusive_ns = s->exclusive_ns,
        .mpi_ns = s->mpi_ns,
        .min_ns = s->min_ns,
        .max_ns = s->max_ns,
        .sum_squares_ns2 = s->sum_squares_ns2,
        .quality = s->quality,
        .method = method,
        .rank = s->rank,
        .thread = s->thread,
        .binned = s->binned,
        .n_counters = s->n_counters,
    };
    memcpy(to->context, s->context, sizeof to->context);
    memcpy(to->counter, s->counter, sizeof to->counter);
}

/* A sample by its method's handle, which may be any number. */
struct by_handle {
    uint32_t handle, sample;
};

static int compare_handles(const void *a, const void *b)
{
    const struct by_handle *one = a, *other = b;

    if (one->handle != other->handle)
        return one->handle < other->handle ? -1 : 1;
    return one->sample < other->sample ? -1 : one->sample > other->sample;
}

/* FIRST[i] is the first sample that has the method of sample number i. */
static enum portolan_status find_first(const struct portolan_piece *p, uint32_t *first)
{
    struct by_handle *sorted = portolan_calloc(p->n + 1, sizeof *sorted);

    if (!sorted)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < p->n; ++i)
        sorted[i] = (struct by_handle){p->handles[i], (uint32_t)i};
    qsort(sorted, p->n, sizeof *sorted, compare_handles);
    for (size_t i = 0, run = 0; i < p->n; ++i) {
        run = sorted[i].handle == sorted[run].handle ? run : i;
        first[sorted[i].sample] = sorted[run].sample;
    }
    free(sorted);
    return PORTOLAN_OK;
}

/* Numbers the methods in the order of their first samples: *NUMBERS[i] is that of sample i. */
static enum portolan_status number_methods(const struct portolan_piece *p, uint32_t **numbers,
                                           struct head *h)
{
    if (!(*numbers = portolan_calloc(p->n + 1, sizeof **numbers)) || find_first(p, *numbers))
        return PORTOLAN_ENOMEM;
    h->n_counters = p->n_counters;
    for (size_t i = 0; i < h->n_counters; ++i)
        h->text_bytes += strlen(p->counters[i]) + 1;
    for (size_t i = 0; i < p->n; ++i) {
        if ((*numbers)[i] < i) {
            (*numbers)[i] = (*numbers)[(*numbers)[i]];
            continue;
        }
        (*numbers)[i] = (uint32_t)h->n_methods++;
        h->text_bytes += text_bytes_of(&p->samples[i]);
    }
    return PORTOLAN_OK;
}

enum portolan_status piece_pack(const struct portolan_piece *p, void **bytes, size_t *size_bytes,
                                struct portolan_error *err)
{
    struct head h = {.n_samples = p->n, .n_partial = (uint64_t)p->n_partial};
    uint32_t *numbers = NULL, written = 0;
    char *block = NULL, *text;
    struct shape s;

    *bytes = NULL;
    *size_bytes = 0;
    if (number_methods(p, &numbers, &h) || !(block = portolan_calloc(bytes_of(&h), 1))) {
        free(numbers);
        return portolan_no_memory(err);
    }
    memcpy(block, &h, sizeof h);
    s = shape_of(&h, block);
    text = s.text;
    for (size_t i = 0; i < h.n_counters; ++i)
        text = stpcpy(text, p->counters[i]) + 1;
    for (size_t i = 0; i < p->n; ++i) {
        uint32_t method = numbers[i];

        if (method == written) {
            s.n_context[written++] = (uint64_t)p->samples[i].n_context;
            text = put_texts(text, &p->samples[i]);
        }
        put_sample(&s.samples[i], &p->samples[i], method);
    }
    free(numbers);
    *bytes = block;
    *size_bytes = bytes_of(&h);
    return PORTOLAN_OK;
}

/* A method's texts as a sample that has nothing else yet. */
static bool take_method(struct portolan_sample *m, uint64_t n_context, const char **text,
                        const char *end)
{
    const char **names[NAMES] = {&m->user,           &m->uses,      &m->instance, &m->port,
                                 &m->implementation, &m->port_type, &m->method};

    if (n_context > PORTOLAN_CONTEXT_MAX)
        return false;
    m->n_context = (int)n_context;
    for (int i = 0; i < NAMES + m->n_context; ++i) {
        if (*text >= end)
            return false;
        *(i < NAMES ? names[i] : &m->context_name[i - NAMES]) = *text;
        *text += strlen(*text) + 1;
    }
    return true;
}

static bool take_sample(struct portolan_sample *to, const struct packed *from,
                        const struct portolan_sample *methods, uint64_t n_methods, size_t at,
                        size_t first)
{
    if (from->method >= n_methods || from->parent >= (int64_t)at || from->n_counters < 0 ||
        from->n_counters > PORTOLAN_COUNTER_MAX)
        return false;
    *to = methods[from->method];
    to->parent = from->parent < 0 ? -1 : from->parent + (int64_t)first;
    to->calls = from->calls;
    to->failed_calls = from->failed_calls;
    to->timed_calls = from->timed_calls;
    to->subroutines = from->subroutines;
    memcpy(to->context, from->context, sizeof to->context);
    to->inclusive_ns = from->inclusive_ns;
    to->exclusive_ns = from->exclusive_ns;
    to->mpi_ns = from->mpi_ns;
    to->min_ns = from->min_ns;
    to->max_ns = from->max_ns;
    to->sum_squares_ns2 = from->sum_squares_ns2;
    to->quality = from->quality;
    to->rank = from->rank;
    to->thread = from->thread;
    to->binned = from->binned != 0;
    to->n_counters = from->n_counters;
    memcpy(to->counter, from->counter, sizeof to->counter);
    return true;
}

static bool take_block(struct portolan_piece *p, const struct head *h, const struct shape *s,
                       struct portolan_sample *methods)
{
    const char *text = s->text, *end = s->text + h->text_bytes;
    const char *counters[PORTOLAN_COUNTER_MAX] = {0};

    if (h->n_counters > PORTOLAN_COUNTER_MAX)
        return false;
    for (uint64_t i = 0; i < h->n_counters; ++i) {
        if (text >= end)
            return false;
        counters[i] = text;
        text += strlen(text) + 1;
    }
    for (uint64_t i = 0; i < h->n_methods; ++i) {
        if (!take_method(&methods[i], s->n_context[i], &text, end))
            return false;
    }
    for (size_t i = 0; i < h->n_samples; ++i) {
        if (!take_sample(&p->samples[p->n + i], &s->samples[i], methods, h->n_methods, i, p->n))
            return false;
        memcpy(p->samples[p->n + i].counter_name, counters, sizeof counters);
    }
    return true;
}

static bool is_block(const struct head *h, const char *block, size_t size_bytes)
{
    if (h->n_samples > size_bytes || h->n_methods > size_bytes || h->text_bytes > size_bytes ||
        bytes_of(h) != size_bytes)
        return false;
    return !h->text_bytes || !shape_of(h, (char *)block).text[h->text_bytes - 1];
}

enum portolan_status piece_unpack(struct portolan_piece *p, const void *bytes, size_t size_bytes,
                                  struct portolan_error *err)
{
    const struct head *h = bytes;
    struct portolan_sample *methods, *samples;
    struct shape s;
    bool good;

    if (size_bytes < sizeof *h || !is_block(h, bytes, size_bytes))
        return portolan_error_set(err, PORTOLAN_EINTERNAL, "a rank sent no packed samples");
    methods = portolan_calloc(h->n_methods + 1, sizeof *methods);
    samples = portolan_reallocarray(p->samples, p->n + h->n_samples, sizeof *samples);
    p->samples = samples ? samples : p->samples;
    if (!methods || !samples) {
        free(methods);
        return portolan_no_memory(err);
    }
    s = shape_of(h, (char *)bytes);
    good = take_block(p, h, &s, methods);
    free(methods);
    if (!good)
        return portolan_error_set(err, PORTOLAN_EINTERNAL, "a rank sent broken samples");
    p->n += h->n_samples;
    p->n_partial += h->n_partial > 0;
    return PORTOLAN_OK;
}
