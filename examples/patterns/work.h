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

/* What asking for the time takes, since part of it lies outside of any two answers: the least of
   some, since what disturbs takes longer. */
static inline double asking_time(void)
{
    double least = 1;

    for (int i = 0; i < 10; i++) {
        double begin = processor_time(), end = begin;

        for (int k = 0; k < 100; k++)
            end = processor_time();
        least = (end - begin) / 100 < least ? (end - begin) / 100 : least;
    }
    return least;
}

static inline void compute_steps(double n)
{
    volatile double x = 1;

    for (long i = 0; i < (long)n; i++)
        x = x * 0.999 + 0.001;
}

/* The processor time of a step, in seconds: the least of some, too. */
static inline double step_time(void)
{
    double least = 1;

    for (int i = 0; i < 10; i++) {
        double begin = processor_time(), taken;

        compute_steps(10000);
        taken = (processor_time() - begin) / 10000;
        least = taken < least ? taken : least;
    }
    return least;
}

static struct {
    double asking, step, ahead;
} work_clock;

/* When work begins that work_until() is to end. */
static inline double work_begin(void)
{
    if (work_clock.step <= 0) {
        work_clock.asking = asking_time();
        work_clock.step = step_time();
    }
    return processor_time();
}

/*
 * Computes until the thread has had so many microseconds of processor time since BEGIN; what is
 * too much or too little, the next calls make up for. Steps are counted, since asking for the time
 * takes as long as a hundred: work that ended by an answer would differ by that, and others would
 * wait for it. Ten microseconds at a time, since the processor's speed changes.
 */
static inline void work_until(double begin, double us)
{
    double whole = 1e-6 * us - work_clock.asking, now = processor_time();
    double end = begin + whole - work_clock.ahead / 4;

    if (now - begin > whole + work_clock.asking) /* what was done took longer */
        return;
    for (; end - now > work_clock.asking / 2; now = processor_time())
        compute_steps((end - now < 1e-5 ? end - now : 1e-5) / work_clock.step);
    work_clock.ahead += now - begin - whole;
}

static inline void work(double us)
{
    if (us > 0)
        work_until(work_begin(), us);
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
