/* SPDX-License-Identifier: BSD-3-Clause */
/* What failed, or was not accurate enough, on any rank is left for the rest of the run. */
#include "component.h"

#include <math.h>
#include <portolan/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an instance, on all ranks: whether calls failed, and the worst accuracy; -1: none. */
struct seen {
    double failed, accuracy;
};

bool optimizer_is_banned(const struct optimizer *o, size_t instance, size_t alternative)
{
    for (size_t i = 0; i < o->n_banned; i++)
        if (o->banned[i].instance == instance && o->banned[i].alternative == alternative)
            return true;
    return false;
}

/* The instance that has a choice and runs CLASS_NAME now. */
static struct seen *find(const struct optimizer *o, struct seen *all, const char *name,
                         const char *class_name)
{
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        if (o->assembly->instances[i].n_alternatives > 1 &&
            !strcmp(o->assembly->instances[i].name, name) &&
            !strcmp(optimizer_class(o, i, (size_t)o->current[i]), class_name))
            return &all[i];
    return NULL;
}

static struct seen *begin(const struct optimizer *o)
{
    struct seen *all = portolan_calloc(o->assembly->n_instances + 1, sizeof *all);

    for (size_t i = 0; all && i < o->assembly->n_instances; i++)
        all[i].accuracy = -1;
    return all;
}

/* Collective: bans alike on all ranks, and tells. */
static bool ban_seen(struct optimizer *o, int step, const char *why, struct seen *all)
{
    size_t n = o->assembly->n_instances;
    double nothing = 0, *values = all ? (double *)all : &nothing;
    bool any = false;

    if (portolan_cohort_agree(o->cohort, all ? PORTOLAN_OK : PORTOLAN_ENOMEM, NULL) ||
        o->cohort->max(o->cohort, values, 2 * n))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t now = (size_t)o->current[i];
        double wanted = o->assembly->accuracy;
        bool inaccurate = wanted > 0 && all[i].accuracy > wanted;

        if ((!(all[i].failed > 0) && !inaccurate) || optimizer_is_banned(o, i, now) ||
            optimizer_ban(o, i, now))
            continue;
        any = true;
        if (o->cohort->rank != 0)
            continue;
        if (all[i].failed > 0)
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                         "step %d: calls of %s [%s] failed%s%s: it is left for the rest of this "
                         "run",
                         step, o->assembly->instances[i].name, optimizer_class(o, i, now),
                         why[0] ? ": " : "", why);
        else
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                         "step %d: accuracy %.3g of %s [%s] is worse than the %.3g wanted: it is "
                         "left for the rest of this run",
                         step, all[i].accuracy, o->assembly->instances[i].name,
                         optimizer_class(o, i, now), wanted);
    }
    return any;
}

bool optimizer_ban_after_step(struct optimizer *o, int step)
{
    const struct portolan_sample *s = NULL;
    struct seen *all = begin(o), *at;
    int64_t *excused = NULL; /* failures of calls below */
    size_t n = 0;
    bool any;

    if (o->records->ops->latest(o->records, &s, &n, NULL))
        n = 0;
    excused = portolan_calloc(n + 1, sizeof *excused);
    for (size_t i = 0; excused && i < n; i++)
        if (s[i].parent >= 0)
            excused[s[i].parent] += s[i].failed_calls;
    for (size_t i = 0; all && excused && i < n; i++) {
        if (!(at = find(o, all, s[i].instance, s[i].implementation)))
            continue;
        at->failed = fmax(at->failed, (double)(s[i].failed_calls - excused[i]));
        at->accuracy = fmax(at->accuracy, s[i].quality);
    }
    any = ban_seen(o, step, "", all);
    free(excused);
    free(all);
    return any;
}

bool optimizer_ban_in_step(struct optimizer *o, int step, const char *why)
{
    struct portolan_probe_snapshot now = {0};
    struct seen *all = begin(o), *at;
    int64_t *failed = NULL; /* of which no call below is to blame */
    bool any;

    if (!portolan_probe_snapshot_take(&now, NULL))
        failed = portolan_calloc(now.count + 1, sizeof *failed);
    for (size_t i = 0; failed && i < now.count; i++) {
        failed[i] += (int64_t)now.records[i].failed_calls;
        if (now.records[i].parent >= 0)
            failed[now.records[i].parent] -= (int64_t)now.records[i].failed_calls;
    }
    for (size_t i = 0; all && failed && i < now.count; i++) {
        const struct portolan_probe_method_info *m =
            failed[i] > 0 ? portolan_probe_method_peek(now.records[i].handle) : NULL;

        if (m && (at = find(o, all, m->connection.provider, m->connection.provider_class)))
            at->failed = 1;
    }
    any = ban_seen(o, step, why, all);
    portolan_probe_snapshot_clear(&now);
    free(failed);
    free(all);
    return any;
}
