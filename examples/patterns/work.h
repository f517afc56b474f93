/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder share: settings "name=value" of the command line, and work that
 * takes a stated processor time.
 */
#ifndef WORK_H
#define WORK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The processor time that this thread has had, in seconds. */
static inline double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What asking for the time takes: part of it lies outside of any two answers. */
static inline double asking_time(void)
{
    double begin = processor_time(), end = begin;

    for (int i = 0; i < 1000; i++)
        end = processor_time();
    return (end - begin) / 1000;
}

/* Computes for so many microseconds of processor time; what is too much, the next call saves. */
static inline void work(double us)
{
    static double ahead, asking;
    double end, now;
    volatile double x = 1;

    if (us <= 0)
        return;
    asking = asking > 0 ? asking : asking_time();
    now = processor_time();
    end = now + 1e-6 * us - ahead - asking;
    for (; now < end; now = processor_time())
        for (int i = 0; i < 200; i++)
            x = x * 0.999 + 0.001;
    ahead = now - end;
}

/* The value of the argument "NAME=value", or USUAL. */
static inline double setting(int argc, char **argv, const char *name, double usual)
{
    size_t length = strlen(name);

    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
            return atof(argv[i] + length + 1);
    return usual;
}

/* Ends the job with status 2 when an argument is none of NAMES, which a NULL ends. */
static inline void check_settings(int argc, char **argv, const char *const *names)
{
    for (int i = 1; i < argc; i++) {
        const char *const *name = names;

        while (*name && (strncmp(argv[i], *name, strlen(*name)) || argv[i][strlen(*name)] != '='))
            name++;
        if (*name)
            continue;
        fprintf(stderr, "%s: no setting '%s'; settings are", argv[0], argv[i]);
        for (name = names; *name; name++)
            fprintf(stderr, " %s=", *name);
        fprintf(stderr, "\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

#endif
