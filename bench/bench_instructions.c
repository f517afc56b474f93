/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of one kind in a function of their own, whose instructions callgrind counts for
 * instructions.sh.
 */
#include "bench_port.h"

#include <portolan/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 1000

/* The same as rows, while the calls of MPI would be recorded. */
static struct bench_object *recorded(void)
{
    char folder[] = "/tmp/portolan-bench-XXXXXX", file[sizeof folder + sizeof "/0.0.trace"];
    struct bench_object *rows = bench_rows();

    if (!mkdtemp(folder) ||
        portolan_record_configure(&(struct portolan_record_settings){.folder = folder}, NULL))
        return NULL;
    portolan_record_start(0, 1);
    snprintf(file, sizeof file, "%s/0.0.trace", folder);
    unlink(file);
    rmdir(folder);
    return portolan_record_is_on() ? rows : NULL;
}

static const struct {
    const char *name;
    struct bench_object *(*make)(void);
} kinds[] = {
    {"table", bench_plain},     {"floor", bench_floor},       {"forward", bench_forward},
    {"path", bench_pathonly},   {"context", bench_monitored}, {"rows", bench_rows},
    {"sampled", bench_sampled}, {"recorded", recorded},
};

static void call(struct bench_object *object)
{
    for (int i = 0; i < CALLS; i++)
        object->ops->work(object, 1);
}

__attribute__((noinline)) static void counted_calls(struct bench_object *object)
{
    call(object);
}

int main(int argc, char **argv)
{
    bench_forward_port();
    if (portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_TSC)
        return 77; /* other clocks are calls of the kernel's */
    for (size_t k = 0; argc == 2 && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(argv[1], kinds[k].name) == 0) {
            struct bench_object *object = kinds[k].make();

            if (!object)
                return 1;
            call(object); /* the first makes the record */
            counted_calls(object);
            return 0;
        }
    fprintf(stderr, "usage: %s KIND\n", argv[0]);
    return 2;
}
