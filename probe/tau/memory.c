/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap in use and how much more there could be. */
#include <portolan/probe.h>

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define MIB 1048576.0

double portolan_probe_heap_kb(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double)(info.uordblks + info.hblkhd) / 1024;
}

/* "FIELD: 123 kB" of a file under /proc, in MiB; -1 where there is none. */
static double read_field(const char *path, const char *field)
{
    char line[256];
    double value, found = -1;
    size_t length = strlen(field);
    FILE *f = fopen(path, "re");

    while (f && found < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, field, length) && sscanf(line + length, ": %lf", &value) == 1)
            found = value / 1024;
    if (f)
        fclose(f);
    return found;
}

/* One number in bytes, in MiB; -1 for "max" or no such file. */
static double read_bytes(const char *folder, const char *name)
{
    char path[512];
    double value, found = -1;
    FILE *f;

    if ((size_t)snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, name) >= sizeof path)
        return -1;
    f = fopen(path, "re");
    if (f && fscanf(f, "%lf", &value) == 1)
        found = value / MIB;
    if (f)
        fclose(f);
    return found;
}

static double least(double a, double b)
{
    return b >= 0 && b < a ? b : a;
}

/* Returns the memory that the control groups of this process leave, in the unified hierarchy. */
static double group_headroom(double headroom)
{
    char line[400], *slash;
    FILE *f = fopen("/proc/self/cgroup", "re");
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f))
        found = !strncmp(line, "0::", 3);
    if (f)
        fclose(f);
    if (!found)
        return headroom;
    line[strcspn(line, "\n")] = '\0';
    for (;;) {
        double limit = read_bytes(line + 3, "memory.max");
        double used = limit < 0 ? -1 : read_bytes(line + 3, "memory.current");

        if (used >= 0)
            headroom = least(headroom, limit > used ? limit - used : 0);
        if (!(slash = strrchr(line + 3, '/')))
            return headroom;
        *slash = '\0';
    }
}

static double limit_headroom(double headroom, int resource, const char *field)
{
    double used = read_field("/proc/self/status", field);
    struct rlimit limit;

    if (used < 0 || getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return headroom;
    used = (double)limit.rlim_cur / MIB - used;
    return least(headroom, used > 0 ? used : 0);
}

double portolan_probe_headroom_mb(void)
{
    double headroom = read_field("/proc/meminfo", "MemAvailable");

    if (headroom < 0)
        headroom = 0; /* not known */
    headroom = group_headroom(headroom);
    headroom = limit_headroom(headroom, RLIMIT_AS, "VmSize");
    return limit_headroom(headroom, RLIMIT_DATA, "VmData");
}
