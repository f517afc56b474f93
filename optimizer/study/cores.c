/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/cores.h>

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

void cores_take_part(int n_parts, int slot)
{
    cpu_set_t all, own;
    int n, k = 0;

    if (sched_getaffinity(0, sizeof all, &all))
        return;
    n = CPU_COUNT(&all) / n_parts;
    CPU_ZERO(&own);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && k++ / (n ? n : 1) == slot)
            CPU_SET(core, &own);
    if (CPU_COUNT(&own))
        sched_setaffinity(0, sizeof own, &own);
}

enum portolan_status cores_join(struct portolan_cohort *c, struct portolan_error *err)
{
    cpu_set_t own, joined;
    cpu_set_t *all = NULL;
    enum portolan_status status;

    CPU_ZERO(&own);
    CPU_ZERO(&joined);
    sched_getaffinity(0, sizeof own, &own);
    status = c->gather(c, &own, sizeof own, (void **)&all, NULL);
    for (int i = 0; !status && all && i < c->size; i++)
        CPU_OR(&joined, &joined, all + i);
    if (!status && all && !CPU_EQUAL(&joined, &own))
        sched_setaffinity(0, sizeof joined, &joined);
    free(all);
    return status ? portolan_error_set(err, status, "the ranks' cores are not known") : status;
}

enum portolan_status cores_look(struct portolan_cohort *c, struct portolan_machine_reading *before,
                                bool in_haste, struct portolan_machine_verdict *verdict,
                                int *n_hosts, struct portolan_error *err)
{
    double missing_s =
        c->rank == 0 && !in_haste ? CORES_LEAST_S + 1e-9 * before->at_ns - portolan_now_s() : 0;
    struct timespec pause = {.tv_nsec = missing_s > 0 ? (long)(1e9 * missing_s) : 0};
    struct portolan_machine_reading now, *all = NULL;
    double turn = 0;
    enum portolan_status status;

    nanosleep(&pause, NULL);
    status = c->max(c, &turn, 1); /* the others wait for rank 0 */
    portolan_machine_read(&now);
    portolan_machine_subtract(before, &now);
    if (!status)
        status = c->gather(c, before, sizeof *before, (void **)&all, NULL);
    if (!status && c->rank == 0) {
        portolan_machine_judge(all, (size_t)c->size, verdict);
        *n_hosts = portolan_machine_count_hosts(all, (size_t)c->size, NULL);
    }
    free(all);
    return status ? portolan_error_set(err, status, "the ranks' cores are not known") : status;
}

void cores_describe(const struct portolan_machine_verdict *v, struct portolan_text *out)
{
    double mhz = portolan_machine_frequency_mhz();
    char name[80];

    portolan_machine_processor(name, sizeof name);
    portolan_text_add(out, "%d core%s (%s), idle %.0f %%, steal %.1f %%", v->cores,
                      v->cores == 1 ? "" : "s", name,
                      fmax(0, 100 - v->others_percent - v->steal_percent), v->steal_percent);
    if (mhz > 0)
        portolan_text_add(out, ", %.2f GHz", 1e-3 * mhz);
    portolan_text_add(out, ": %s%s",
                      v->is_disturbed    ? v->reason
                      : v->others > 0.25 ? "other processes leave enough cores"
                                         : "quiet",
                      v->is_disturbed ? "; expect disturbed times" : "");
}
