/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks tell of themselves: where they run, and what measuring costs them. */
#include "facts.h"
#include "recorder_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_BYTES = 64 };

/* NAMES has RANKS names; equal ones that follow each other become "host 0-3". */
static void put_hosts(struct portolan_facts *f, const char *names, int ranks)
{
    struct portolan_text text = {0};

    for (int first = 0, last; first < ranks; first = last + 1) {
        const char *name = names + (size_t)first * HOST_BYTES;

        for (last = first; last + 1 < ranks; ++last)
            if (strcmp(name, names + (size_t)(last + 1) * HOST_BYTES))
                break;
        portolan_text_add(&text, "%s%s %d", first ? ", " : "", name, first);
        if (last > first)
            portolan_text_add(&text, "-%d", last);
    }
    f->failed = f->failed || text.failed;
    if (text.bytes)
        portolan_facts_put(f, "ranks of hosts", text.bytes);
    portolan_text_clear(&text);
}

static enum portolan_status gather_hosts(struct portolan_recorder *r)
{
    size_t *sizes = portolan_calloc((size_t)r->cohort->size, sizeof *sizes);
    char host[HOST_BYTES] = "";
    void *all = NULL;
    enum portolan_status status =
        portolan_cohort_agree(r->cohort, sizes ? PORTOLAN_OK : PORTOLAN_ENOMEM, NULL);

    gethostname(host, sizeof host - 1);
    if (!status)
        status = r->cohort->gather(r->cohort, host, sizeof host, &all, sizes);
    if (!status && r->cohort->rank == 0)
        put_hosts(&r->facts, all, r->cohort->size);
    free(all);
    free(sizes);
    return status;
}

/* *COST becomes that of the slowest rank, the lowest of them. */
static enum portolan_status find_slowest(struct portolan_cohort *c,
                                         struct portolan_probe_cost *cost)
{
    int slowest;
    enum portolan_status status = gather_find_most(c, cost->mean_ns, &slowest);

    return status ? status : c->bcast(c, cost, sizeof *cost, slowest);
}

static void put_cost(struct portolan_facts *f, const struct portolan_probe_cost *cost)
{
    facts_printf(f, "cost.call_ns", "%.6g", cost->mean_ns);
    facts_printf(f, "cost.spread_ns", "%.6g", cost->spread_ns);
    facts_printf(f, "cost.inside_ns", "%.6g", cost->inside_ns);
    facts_printf(f, "cost.rows_ns", "%.6g", cost->rows_ns);
    facts_printf(f, "cost.forward_ns", "%.6g", cost->forward_ns);
    if (cost->counters_ns > 0)
        facts_printf(f, "cost.counters_ns", "%.6g", cost->counters_ns);
}

enum portolan_status facts_put_ranks(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_probe_cost cost = {0};
    enum portolan_status status = gather_hosts(r);

    if (r->cohort->medium)
        portolan_facts_put(&r->facts, "MPI", r->cohort->medium);
    if (r->cohort->waits)
        portolan_facts_put(&r->facts, "MPI waits", r->cohort->waits);
    if (!status && r->source->cost) {
        cost = r->source->cost(r->source->self);
        status = find_slowest(r->cohort, &cost);
        if (!status && r->cohort->rank == 0 && cost.mean_ns > 0) /* else it could not be measured */
            put_cost(&r->facts, &cost);
    }
    if (status)
        portolan_error_set(err, status, "the ranks' facts did not arrive");
    return status;
}

static void put_verdict(struct portolan_facts *f, const struct portolan_machine_verdict *v)
{
    double mhz = portolan_machine_frequency_mhz();

    facts_printf(f, "others busy %", "%.3g", v->others_percent);
    facts_printf(f, "steal %", "%.3g", v->steal_percent);
    facts_printf(f, "run delay %", "%.3g", v->delay_percent);
    if (mhz > 0)
        facts_printf(f, "processor MHz", "%.0f", mhz);
    /* Nobody disturbs a clock that is moved by hand. */
    if (v->is_disturbed && portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_MANUAL)
        portolan_facts_put(f, PORTOLAN_STORE_DISTURBED, v->reason);
}

void facts_put_load(struct portolan_recorder *r, const struct portolan_machine_reading *opened)
{
    struct portolan_machine_reading mine = *opened, now;
    struct portolan_machine_verdict verdict;
    size_t *sizes = portolan_calloc((size_t)r->cohort->size, sizeof *sizes);
    void *all = NULL;
    enum portolan_status status =
        portolan_cohort_agree(r->cohort, sizes ? PORTOLAN_OK : PORTOLAN_ENOMEM, NULL);

    portolan_machine_read(&now);
    portolan_machine_subtract(&mine, &now);
    if (!status)
        status = r->cohort->gather(r->cohort, &mine, sizeof mine, &all, sizes);
    if (!status && r->cohort->rank == 0) {
        portolan_machine_judge(all, (size_t)r->cohort->size, &verdict);
        put_verdict(&r->facts, &verdict);
    }
    r->facts.failed = r->facts.failed || status;
    free(all);
    free(sizes);
}
