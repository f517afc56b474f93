/* SPDX-License-Identifier: BSD-3-Clause */
/* The process writes its TAU profiles, which also say when ports were not measured: on request, and
 * at its end. */
#include "internal.h"

#include <portolan/tau.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void gap_fact(void *arg, const char *name, unsigned count, double away_ns)
{
    char what[300], value[100];

    snprintf(what, sizeof what, "Not always measured: %s", name);
    snprintf(value, sizeof value, "left out %u time%s, %.9g s in all", count, count == 1 ? "" : "s",
             away_ns / 1e9);
    portolan_tau_fact(arg, what, value);
}

void portolan_control_add_gaps(struct portolan_text *text)
{
    portolan_control_visit_gaps(PORTOLAN_VARIANT_PROFILE, gap_fact, text);
}

enum portolan_status portolan_probe_write_tau(const char *folder, int node, size_t *files,
                                              struct portolan_error *err)
{
    const struct portolan_probe_dump dump = {
        .folder = folder, .prefix = "profile", .add_facts = portolan_control_add_gaps};

    return portolan_probe_dump_tau(&dump, node, files, err);
}

/* ------------------------------------------------- at the end of the process */

static pthread_mutex_t finish_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t wanted_by; /* the process that wants profiles; 0: none does */
static uint64_t finished;

enum portolan_status portolan_control_finish(struct portolan_error *err)
{
    const struct portolan_probe_dump dump = {
        .prefix = "profile", .add_facts = portolan_control_add_gaps, .written = &finished};
    enum portolan_status status;

    /* a forked child has its parent's records, and its parent writes them */
    if (__atomic_load_n(&wanted_by, __ATOMIC_RELAXED) != getpid())
        return PORTOLAN_OK;
    pthread_mutex_lock(&finish_lock);
    status = portolan_probe_dump_tau(&dump, portolan_control_node(), NULL, err);
    pthread_mutex_unlock(&finish_lock);
    return status;
}

static void finish_at_exit(void)
{
    struct portolan_error err = {0};

    if (portolan_control_finish(&err))
        portolan_log(PORTOLAN_LOG_WARNING, "profile", "%s", err.text);
}

static void register_finish(void)
{
    atexit(finish_at_exit);
}

/* Without a lock of its own: the registry calls this under its lock, which finishing takes, too. */
void portolan_control_want_profile(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pid_t nobody = 0;

    pthread_once(&once, register_finish);
    __atomic_compare_exchange_n(&wanted_by, &nobody, getpid(), false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}
