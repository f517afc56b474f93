/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/recorder.h>

#include <link.h>
#include <portolan/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void portolan_facts_clear(struct portolan_facts *f)
{
    for (size_t i = 0; i < f->n; ++i) {
        free((char *)f->pairs[i].name);
        free((char *)f->pairs[i].value);
    }
    free(f->pairs);
    *f = (struct portolan_facts){0};
}

static bool reserve(struct portolan_facts *f)
{
    size_t capacity = f->capacity ? 2 * f->capacity : 32;
    void *pairs;

    if (f->n < f->capacity)
        return true;
    if (!(pairs = portolan_reallocarray(f->pairs, capacity, sizeof *f->pairs)))
        return false;
    f->pairs = pairs;
    f->capacity = capacity;
    return true;
}

static bool replace(struct portolan_facts *f, const char *name, char *value)
{
    for (size_t i = 0; i < f->n; ++i) {
        if (!strcmp(f->pairs[i].name, name)) {
            free((char *)f->pairs[i].value);
            f->pairs[i].value = value;
            return true;
        }
    }
    return false;
}

void portolan_facts_put(struct portolan_facts *f, const char *name, const char *value)
{
    char *n, *v = portolan_strdup(value ? value : "");

    if (v && replace(f, name, v))
        return;
    n = portolan_strdup(name);
    if (!n || !v || !reserve(f)) {
        free(n);
        free(v);
        f->failed = true;
        return;
    }
    f->pairs[f->n++] = (struct portolan_name_value){n, v};
}

static void put_processor(struct portolan_facts *f)
{
    FILE *info = fopen("/proc/cpuinfo", "re");
    char line[256], count[32];
    bool found = false;

    while (info && !found && fgets(line, sizeof line, info)) {
        char *colon = strchr(line, ':');

        line[strcspn(line, "\n")] = '\0';
        found = colon && !strncmp(line, "model name", 10);
        if (found)
            portolan_facts_put(f, "processor", colon + 1 + strspn(colon + 1, " \t"));
    }
    if (info)
        fclose(info);
    snprintf(count, sizeof count, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    portolan_facts_put(f, "processors online", count);
}

/* What decides how many threads a BLAS takes, and what a run is made of. */
static void put_environment(struct portolan_facts *f)
{
    static const char *const names[] = {
        "OMP_NUM_THREADS",  "OMP_PLACES",       "OMP_PROC_BIND", "OPENBLAS_NUM_THREADS",
        "BLIS_NUM_THREADS", "MKL_NUM_THREADS",  "FLEXIBLAS",     "LD_PRELOAD",
        "SLURM_JOB_ID",     "PORTOLAN_REVISION"};

    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *value = getenv(names[i]);
        char name[64];

        snprintf(name, sizeof name, "environment %s", names[i]);
        if (value)
            portolan_facts_put(f, name, value);
    }
}

void portolan_facts_put_machine(struct portolan_facts *f)
{
    struct utsname u;
    char text[400];

    if (!uname(&u)) {
        portolan_facts_put(f, "host", u.nodename);
        snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
        portolan_facts_put(f, "kernel", text);
    }
    put_processor(f);
#ifdef __clang__
    portolan_facts_put(f, "compiler", __VERSION__);
#else
    portolan_facts_put(f, "compiler", "gcc " __VERSION__);
#endif
    portolan_facts_put(f, "portolan", portolan_version());
    portolan_facts_put(f, "counters", portolan_probe_counters_describe());
    put_environment(f);
}

static int put_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    const char *slash = strrchr(info->dlpi_name, '/'), *base;
    char *real, *name;

    (void)size;
    if (!slash) /* the program itself and the kernel's page have no path */
        return 0;
    base = slash + 1;
    real = realpath(info->dlpi_name, NULL);
    name = portolan_asprintf("object %s", base);
    if (name)
        portolan_facts_put(arg, name, real ? real : info->dlpi_name);
    else
        ((struct portolan_facts *)arg)->failed = true;
    if (!strncmp(base, "libmpi", 6))
        portolan_facts_put(arg, "MPI library", real ? real : info->dlpi_name);
    free(name);
    free(real);
    return 0;
}

void portolan_facts_put_objects(struct portolan_facts *f)
{
    dl_iterate_phdr(put_object, f);
}
