/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to profiles at the end of the process, and who else keeps records. */
#include "control_internal.h"
#include "tau.h"

#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t finish_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t wanted_by; /* the process that profiles are of; 0: nobody wants any */
static uint64_t finished;
static int chosen_node = -1, chosen_count = -1;

static portolan_control_flush_fn flush_fn;
static void *flush_arg;

/* CHOSEN, or what one of the launchers' variables says, or OTHERWISE. */
static int number(const int *chosen, const char *const *variables, int otherwise)
{
    int n = __atomic_load_n(chosen, __ATOMIC_RELAXED);
    int64_t value;

    for (; n < 0 && *variables; variables++)
        if (portolan_read_int64(getenv(*variables), &value) && value >= otherwise &&
            value <= INT32_MAX)
            n = (int)value;
    return n < 0 ? otherwise : n;
}

int portolan_control_node(void)
{
    static const char *const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                            "SLURM_PROCID", NULL};

    return number(&chosen_node, variables, 0);
}

int portolan_control_node_count(void)
{
    static const char *const variables[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS",
                                            NULL};

    return number(&chosen_count, variables, 1);
}

void portolan_control_set_node(int node, int count)
{
    __atomic_store_n(&chosen_node, node, __ATOMIC_RELAXED);
    __atomic_store_n(&chosen_count, count, __ATOMIC_RELAXED);
}

enum portolan_status portolan_control_finish(struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    struct tau_source source = {0};
    uint64_t count;

    /* a forked child has its parent's records, and its parent writes them */
    if (__atomic_load_n(&wanted_by, __ATOMIC_RELAXED) != getpid())
        return PORTOLAN_OK;
    pthread_mutex_lock(&finish_lock);
    status = tau_source_take(&source, err);
    count = status == PORTOLAN_OK ? tau_count(&source) : 0;
    tau_source_clear(&source);
    if (count && count != finished) {
        status = portolan_probe_write_tau(NULL, portolan_control_node(), NULL, err);
        if (status == PORTOLAN_OK)
            finished = count;
    }
    pthread_mutex_unlock(&finish_lock);
    return status;
}

static void finish_at_exit(void)
{
    struct portolan_error err = {0};

    if (portolan_control_finish(&err))
        portolan_log(PORTOLAN_LOG_WARNING, "profile", "%s", err.text);
}

/* Under the registry's lock. */
void control_want_profile(void)
{
    static bool registered;

    if (!registered)
        registered = atexit(finish_at_exit) == 0;
    if (!wanted_by)
        __atomic_store_n(&wanted_by, getpid(), __ATOMIC_RELAXED);
}

void portolan_control_want_profile(void)
{
    control_lock();
    control_want_profile();
    control_unlock();
}

void portolan_control_set_flush(portolan_control_flush_fn flush, void *arg)
{
    control_lock();
    flush_fn = flush;
    flush_arg = arg;
    control_unlock();
}

enum portolan_status control_flush(bool *has_taker, struct portolan_error *err)
{
    portolan_control_flush_fn fn;
    void *arg;

    control_lock();
    fn = flush_fn;
    arg = flush_arg;
    control_unlock();
    *has_taker = fn != NULL;
    return fn ? fn(arg, err) : PORTOLAN_OK;
}
