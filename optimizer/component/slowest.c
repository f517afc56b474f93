/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples of the rank that worked most in a step: the models are of it, for the others waited.
 * Each rank packs its own; up a tree, of two the one with more work goes on.
 */
#include "component.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS = 7 + PORTOLAN_CONTEXT_MAX };

struct packed {
    int64_t parent, calls, subroutines, timed_calls;
    double inclusive_ns, exclusive_ns, mpi_ns, quality, context[PORTOLAN_CONTEXT_MAX];
    int32_t step, n_context;
    uint32_t text[TEXTS]; /* where it begins behind the samples */
};

/* In front of the samples; texts are behind them. */
struct head {
    double work;
    uint64_t n, text_bytes;
};

static void list_texts(const struct portolan_sample *s, const char **texts)
{
    const char *all[TEXTS] = {s->user,           s->uses,      s->instance, s->port,
                              s->implementation, s->port_type, s->method};

    for (int k = 0; k < PORTOLAN_CONTEXT_MAX; k++)
        all[7 + k] = k < s->n_context ? s->context_name[k] : "";
    for (int t = 0; t < TEXTS; t++)
        texts[t] = all[t] ? all[t] : "";
}

static size_t text_bytes(const struct portolan_sample *samples, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++) {
        const char *texts[TEXTS];

        list_texts(&samples[i], texts);
        for (int t = 0; t < TEXTS; t++)
            bytes += strlen(texts[t]) + 1;
    }
    return bytes;
}

/* NULL without memory. */
static struct head *pack(const struct portolan_sample *samples, size_t n, size_t *bytes)
{
    size_t texts_size = text_bytes(samples, n), used = 0;
    struct head *h;
    struct packed *to;
    char *text;

    *bytes = sizeof *h + n * sizeof *to + texts_size;
    if (!(h = portolan_calloc(1, *bytes)))
        return NULL;
    *h = (struct head){0, n, texts_size};
    to = (struct packed *)(h + 1);
    text = (char *)(to + n);
    for (size_t i = 0; i < n; i++) {
        const struct portolan_sample *s = &samples[i];
        const char *texts[TEXTS];

        h->work += s->exclusive_ns - s->mpi_ns;
        to[i] = (struct packed){.parent = s->parent,
                                .calls = s->calls,
                                .subroutines = s->subroutines,
                                .timed_calls = s->timed_calls,
                                .inclusive_ns = s->inclusive_ns,
                                .exclusive_ns = s->exclusive_ns,
                                .mpi_ns = s->mpi_ns,
                                .quality = s->quality,
                                .step = s->step,
                                .n_context = s->n_context};
        memcpy(to[i].context, s->context, sizeof to[i].context);
        list_texts(s, texts);
        for (int t = 0; t < TEXTS; t++) {
            size_t length = strlen(texts[t]) + 1;

            to[i].text[t] = (uint32_t)used;
            memcpy(text + used, texts[t], length);
            used += length;
        }
    }
    return h;
}

/* The samples in H, whose texts they borrow; NULL without memory. */
static struct portolan_sample *unpack(const struct head *h)
{
    const struct packed *from = (const struct packed *)(h + 1);
    const char *text = (const char *)(from + h->n);
    struct portolan_sample *samples = portolan_calloc(h->n + 1, sizeof *samples);

    for (size_t i = 0; samples && i < h->n; i++) {
        const struct packed *p = &from[i];
        struct portolan_sample *s = &samples[i];

        *s = (struct portolan_sample){.step = p->step,
                                      .parent = p->parent,
                                      .user = text + p->text[0],
                                      .uses = text + p->text[1],
                                      .instance = text + p->text[2],
                                      .port = text + p->text[3],
                                      .implementation = text + p->text[4],
                                      .port_type = text + p->text[5],
                                      .method = text + p->text[6],
                                      .n_context = p->n_context,
                                      .calls = p->calls,
                                      .subroutines = p->subroutines,
                                      .timed_calls = p->timed_calls,
                                      .inclusive_ns = p->inclusive_ns,
                                      .exclusive_ns = p->exclusive_ns,
                                      .mpi_ns = p->mpi_ns,
                                      .quality = p->quality};
        for (int k = 0; k < p->n_context && k < PORTOLAN_CONTEXT_MAX; k++) {
            s->context_name[k] = text + p->text[7 + k];
            s->context[k] = p->context[k];
        }
    }
    return samples;
}

static enum portolan_status take_larger(void *arg, const void *mine, size_t mine_bytes,
                                        const void *theirs, size_t theirs_bytes, void **out,
                                        size_t *out_bytes)
{
    const struct head *a = mine, *b = theirs;
    bool second = theirs_bytes >= sizeof *b && (mine_bytes < sizeof *a || b->work > a->work);

    (void)arg;
    *out_bytes = second ? theirs_bytes : mine_bytes;
    if (!(*out = portolan_calloc(1, *out_bytes + 1)))
        return PORTOLAN_ENOMEM;
    if (*out_bytes)
        memcpy(*out, second ? theirs : mine, *out_bytes);
    return PORTOLAN_OK;
}

void optimizer_forget_step(struct optimizer *o)
{
    free(o->step_copies);
    free(o->step_block);
    o->step_copies = NULL;
    o->step_block = NULL;
    o->step_samples = NULL;
    o->n_step_samples = 0;
}

void optimizer_gather_step(struct optimizer *o)
{
    const struct portolan_sample *own = NULL;
    const struct head *slowest;
    size_t n = 0, bytes = 0;
    void *block;

    optimizer_forget_step(o);
    if (o->records->ops->latest(o->records, &own, &n, NULL))
        n = 0;
    o->step_samples = own;
    o->n_step_samples = n;
    if (o->cohort->size == 1)
        return;
    block = pack(own, n, &bytes);
    bytes = block ? bytes : 0; /* without memory a rank is silent: the others' word stands */
    if (o->cohort->reduce(o->cohort, &block, &bytes, take_larger, NULL) || o->cohort->rank != 0 ||
        bytes < sizeof *slowest) {
        free(block);
        return;
    }
    o->step_block = block;
    slowest = block;
    if ((o->step_copies = unpack(slowest))) {
        o->step_samples = o->step_copies;
        o->n_step_samples = slowest->n;
    }
}
