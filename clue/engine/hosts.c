/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computing on shared processors. N jobs on C processors run at min(1, C / N) of the speed each,
 * and all are slowed by the machine's factor for so many busy processors. All jobs of a host always
 * have the same share, so a burst ends when the host's sum of shares has grown by its work.
 */
#include "internal.h"

#include <portolan/stats.h>

bool hosts_new(struct clue_engine *e)
{
    const struct clue_machine *m = e->machine;

    e->hosts = portolan_arena_alloc(&e->arena, m->n_hosts, sizeof *e->hosts);
    if (!e->hosts)
        return false;
    for (size_t i = 0; i < m->n_hosts; i++) {
        struct host *h = &e->hosts[i];

        h->spread =
            m->hosts[i].spread > 0
                ? exp(m->hosts[i].spread * portolan_draw_normal(i, e->settings.seed ^ 0x686f737473))
                : 1;
        h->factor = m->hosts[i].factor * h->spread;
        h->next_end = NOT_KNOWN;
    }
    for (size_t i = 0; i < m->n_background; i++)
        if (!m->background[i].is_traffic)
            e->hosts[m->background[i].host].has_load = true;
    return true;
}

/* Returns the work of a job per ns. */
static double host_rate(const struct clue_engine *e, const struct host *h)
{
    const struct clue_host *about = &e->machine->hosts[h - e->hosts];
    double n = (double)h->n_bursts + h->n_jobs, cpus = about->cpus ? about->cpus : 1, slower = 1;

    for (size_t i = 0; i < about->n_busy && about->busy[i].cpus <= n; i++)
        slower = about->busy[i].factor;
    return (n > cpus ? cpus / n : 1) / (slower * h->factor);
}

static void host_update(struct clue_engine *e, struct host *h)
{
    if (h->n_bursts)
        h->work += (double)(e->now - h->updated) * host_rate(e, h);
    else
        h->work = 0;
    h->updated = e->now;
}

static void host_schedule(struct clue_engine *e, struct host *h)
{
    int64_t end;

    h->next_end = NOT_KNOWN;
    if (!h->n_bursts)
        return;
    end = e->now + llround((task_of(e, h->first_burst - 1)->work_end - h->work) / host_rate(e, h));
    h->next_end = later(end, e->now);
    events_push(e, h->next_end, EVENT_HOST, (uint32_t)(h - e->hosts), (uint32_t)(h - e->hosts),
                true);
}

void hosts_event(struct clue_engine *e, uint32_t host)
{
    struct host *h = &e->hosts[host];
    double rate;

    if (h->next_end != e->now)
        return;
    host_update(e, h);
    rate = host_rate(e, h);
    while (h->n_bursts && (task_of(e, h->first_burst - 1)->work_end - h->work) / rate < 0.5) {
        uint32_t task = h->first_burst - 1;

        h->first_burst = task_of(e, task)->next_burst;
        h->n_bursts--;
        task_wake(e, task, e->now, EVENT_RESUME);
    }
    host_schedule(e, h);
}

void hosts_change(struct clue_engine *e, uint32_t host, int more, double factor)
{
    struct host *h = &e->hosts[host];

    host_update(e, h);
    h->n_jobs += (unsigned)more;
    h->factor = factor;
    host_schedule(e, h);
}

static void burst_begin(struct clue_engine *e, uint32_t task, int64_t ns)
{
    struct task *t = task_of(e, task);
    struct host *h = &e->hosts[t->host];
    uint32_t *at = &h->first_burst;

    host_update(e, h);
    t->work_end = h->work + (double)ns;
    while (*at && task_of(e, *at - 1)->work_end <= t->work_end)
        at = &task_of(e, *at - 1)->next_burst;
    t->next_burst = *at;
    *at = task + 1;
    h->n_bursts++;
    host_schedule(e, h);
}

static bool is_shared(const struct clue_engine *e, const struct host *h)
{
    const struct clue_host *about = &e->machine->hosts[h - e->hosts];

    return h->n_tasks > about->cpus || h->has_load || about->n_busy || e->by_events;
}

static void computed(struct task *t, int64_t ns)
{
    task_add(t, offsetof(struct clue_times, computing_ns), ns);
    task_done(t);
}

enum clue_progress clue_engine_compute(struct clue_engine *e, int task, int64_t ns)
{
    struct task *t = task_of(e, (uint32_t)task);
    struct host *h = &e->hosts[t->host];

    if (ns <= 0)
        return CLUE_DONE;
    if (task_operation(e, (uint32_t)task, CLUE_COMPUTES) == 0 && !is_shared(e, h)) {
        computed(t, h->factor == 1 ? ns : llround((double)ns * h->factor));
        return CLUE_DONE;
    }
    if (t->phase == 0 && t->clock > e->now) {
        t->phase = 1;
        task_wake(e, (uint32_t)task, t->clock, EVENT_RESUME);
        return CLUE_WAITS;
    }
    if (t->phase < 2) {
        t->phase = 2;
        burst_begin(e, (uint32_t)task, ns);
        return CLUE_WAITS;
    }
    computed(t, e->now - t->clock);
    return CLUE_DONE;
}
