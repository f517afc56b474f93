/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine, and the environment that steers what runs on it. */
#include "facts.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void put_processor(struct portolan_facts *f)
{
    char name[256];
    cpu_set_t allowed;

    portolan_machine_processor(name, sizeof name);
    if (name[0])
        portolan_facts_put(f, "processor", name);
    facts_printf(f, "processors online", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    if (!sched_getaffinity(0, sizeof allowed, &allowed))
        facts_printf(f, "processors allowed", "%d", CPU_COUNT(&allowed));
}

static bool put_set(void *arg, const struct portolan_probe_counter_set *set)
{
    struct portolan_facts *f = arg;
    struct portolan_text text = {0};
    char *name = portolan_asprintf("%scounter set%s%s", set->multiplexed ? "multiplexed " : "",
                                   *set->name ? " " : "", set->name);

    for (size_t i = 0; i < set->n; ++i)
        portolan_text_add(&text, "%s%s", i ? ", " : "", set->counters[i]);
    if (set->multiplexed)
        portolan_text_add(&text, " (estimates)");
    if (set->user_mode_only)
        portolan_text_add(&text, " (of the program alone, not of the kernel)");
    f->failed = f->failed || !name || text.failed;
    if (name && text.bytes)
        portolan_facts_put(f, name, text.bytes);
    portolan_text_clear(&text);
    free(name);
    return true;
}

static bool steers(const char *variable)
{
    static const char *const beginnings[] = {"OMP_",
                                             "GOMP_",
                                             "KMP_",
                                             "OPENBLAS_",
                                             "BLIS_",
                                             "MKL_",
                                             "GOTO_",
                                             "MPICH_",
                                             "MPIR_CVAR_",
                                             "HYDRA_",
                                             "OMPI_MCA_",
                                             "UCX_",
                                             "FI_",
                                             "PAPI_",
                                             "MALLOC_",
                                             "GLIBC_TUNABLES",
                                             "LD_",
                                             "FLEXIBLAS",
                                             "PORTOLAN_",
                                             "SLURM_JOB_ID",
                                             "SLURM_JOB_NODELIST",
                                             "SLURM_NTASKS",
                                             "SLURM_CPUS_PER_TASK",
                                             "PBS_JOBID",
                                             "LSB_JOBID",
                                             "OAR_JOB_ID"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
        if (!strncmp(variable, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

static void put_variable(struct portolan_facts *f, const char *variable)
{
    const char *equals = strchr(variable, '=');
    char *value = equals ? facts_without_secrets(equals + 1) : NULL;
    char *name =
        value ? portolan_asprintf("environment %.*s", (int)(equals - variable), variable) : NULL;

    if (name)
        portolan_facts_put(f, name, value);
    else if (equals)
        f->failed = true;
    free(name);
    free(value);
}

void portolan_facts_put_machine(struct portolan_facts *f)
{
    double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
    struct utsname u;

    if (!uname(&u)) {
        portolan_facts_put(f, "host", u.nodename);
        facts_printf(f, "kernel", "%s %s %s", u.sysname, u.release, u.machine);
    }
    put_processor(f);
    facts_printf(f, "memory", "%.0f MiB", pages * page / (1 << 20));
    facts_printf(f, "C library", "glibc %s", gnu_get_libc_version());
    portolan_facts_put(f, "portolan", portolan_version());
#ifdef __clang__
    portolan_facts_put(f, "compiler", __VERSION__);
#else
    portolan_facts_put(f, "compiler", "gcc " __VERSION__);
#endif
    portolan_facts_put(f, "compiler flags", MASTERMIND_FLAGS);
    portolan_facts_put(f, "counters", portolan_probe_counters_describe());
    portolan_probe_counter_sets_visit(put_set, f);
    for (char **variable = environ; variable && *variable; ++variable)
        if (steers(*variable))
            put_variable(f, *variable);
}
