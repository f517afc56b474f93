/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws jobs and messages of others from their distributions. */
#include "internal.h"

#include <portolan/stats.h>

static double uniform(struct background *b)
{
    double u = portolan_draw_uniform(b->drawn++, b->sequence);

    return u > 0 ? u : 0x1p-54;
}

static double normal(struct background *b)
{
    return portolan_draw_normal(b->drawn++, b->sequence);
}

/* Draws a gamma variate of scale 1 (Marsaglia and Tsang, A simple method for ..., 2000). */
static double gamma_variate(struct background *b, double shape)
{
    double d, c, x, v, boost = 1;

    if (shape < 1) {
        boost = pow(uniform(b), 1 / shape);
        shape += 1;
    }
    d = shape - 1.0 / 3;
    c = 1 / sqrt(9 * d);
    do {
        x = normal(b);
        v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    } while (v <= 0 || log(uniform(b)) >= x * x / 2 + d - d * v + d * log(v));
    return boost * d * v;
}

double background_draw(struct background *b, const struct clue_distribution *d)
{
    double value = 0;

    switch (d->kind) {
    case CLUE_CONSTANT:
        return d->a;
    case CLUE_UNIFORM:
        return d->a + (d->b - d->a) * uniform(b);
    case CLUE_EXPONENTIAL:
        return -d->a * log(uniform(b));
    case CLUE_NORMAL:
        value = d->a + d->b * normal(b);
        return value > 0 ? value : 0;
    case CLUE_LOGNORMAL:
        return d->a * exp(d->b * normal(b));
    case CLUE_GAMMA:
        return d->a / d->b * gamma_variate(b, d->b);
    case CLUE_WEIBULL:
        return d->a * pow(-log(uniform(b)), 1 / d->b);
    case CLUE_PARETO:
        return d->a * pow(uniform(b), -1 / d->b);
    case CLUE_SAMPLES:
        return d->n_samples ? d->samples[(size_t)(uniform(b) * (double)d->n_samples) % d->n_samples]
                            : 0;
    }
    return value;
}

/* Schedules the source's next event. */
static void again(struct clue_engine *e, uint32_t source, const struct clue_distribution *d)
{
    double ns = background_draw(&e->background[source], d);

    events_push(e, e->now + (ns < 0x1p62 ? llround(ns) : (int64_t)1 << 62), EVENT_LOAD, source,
                source, false);
}

bool background_new(struct clue_engine *e)
{
    const struct clue_machine *m = e->machine;

    e->background = portolan_arena_alloc(&e->arena, m->n_background, sizeof *e->background);
    if (!e->background)
        return false;
    for (uint32_t i = 0; i < m->n_background; i++) {
        const struct clue_background *about = &m->background[i];
        struct background *b = &e->background[i];

        b->sequence = portolan_hash(&i, sizeof i, about->seed + e->settings.seed + 1);
        if (about->is_traffic)
            again(e, i, &about->every);
        else
            events_push(e, 0, EVENT_LOAD, i, i, false);
    }
    return !e->error.status;
}

void background_event(struct clue_engine *e, uint32_t source)
{
    const struct clue_background *about = &e->machine->background[source];
    struct background *b = &e->background[source];
    double bytes;

    if (about->is_traffic) {
        bytes = background_draw(b, &about->bytes);
        network_traffic(e, source, bytes < 0x1p62 ? (uint64_t)llround(bytes) : (uint64_t)1 << 62);
        again(e, source, &about->every);
        return;
    }
    b->is_on = !b->is_on;
    hosts_change(e, (uint32_t)about->host, b->is_on ? (int)about->jobs : -(int)about->jobs,
                 e->hosts[about->host].factor);
    if (b->is_on && about->off.kind == CLUE_CONSTANT && about->off.a <= 0)
        return; /* the load is always on */
    again(e, source, b->is_on ? &about->on : &about->off);
}
