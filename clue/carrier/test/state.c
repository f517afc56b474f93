/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the state of each rank: data, thread-locals, errno, places in arguments, random
 * numbers. */
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int global = 1, zero[1000];
static _Thread_local int local = 7;
static char all[1000];

static volatile int signals;

static void count_one(int signal)
{
    signals += signal > 0;
}

static void count_ten(int signal)
{
    signals += signal > 0 ? 10 : 0;
}

static void at_end(void)
{
    puts(all);
}

static void tell_status(int status, void *text)
{
    printf("%s %d\n", (char *)text, status);
}

/* Lets the other ranks run first. */
static void pause_rank(void)
{
    usleep(100);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"size", 1, 0, 's'}, {"verbose", 0, 0, 'v'}, {0}};
    int rank, c, drawn;
    sigset_t hangup;
    char path[500];
    double real;
    time_t day;
    const struct tm *date;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    global += rank;
    local += rank;
    zero[5] += rank;
    errno = rank + 1;
    signal(SIGUSR1, rank ? count_one : count_ten);
    if (rank)
        signal(SIGUSR2, SIG_IGN);
    signal(SIGHUP, rank ? count_one : count_ten);
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    if (!rank)
        sigprocmask(SIG_BLOCK, &hangup, NULL);
    alarm(10000);
    srand((unsigned)rank + 5);
    srand48(rank + 3);
    day = rank * 86400;
    date = gmtime(&day);
    pause_rank();
    if (errno == EAGAIN) /* a real MPI that found no message yet sets this */
        errno = rank + 1;
    sprintf(all, "rank %d: %d %d %d %d", rank, global, local, zero[5], errno);
    raise(SIGUSR1);
    if (rank)
        raise(SIGUSR2);
    raise(SIGHUP);
    drawn = rand();
    real = drand48();
    pause_rank();
    sprintf(all + strlen(all), " %d %d %.9f %.9f", drawn, rand(), real, drand48());
    while ((c = getopt_long(argc, argv, "s:vx", names, NULL)) != -1) {
        sprintf(all + strlen(all), " %c=%s", c, optarg ? optarg : "");
        pause_rank();
    }
    sprintf(all + strlen(all), " then %d %s", optind, argv[optind]);
    sprintf(all + strlen(all), " signals %d", signals);
    sigprocmask(SIG_UNBLOCK, &hangup, NULL);
    pause_rank();
    sprintf(all + strlen(all), " %d %d", signals, signal(SIGUSR1, SIG_DFL) == count_ten);
    chdir("/");
    c = (int)readlink("/proc/self/exe", path, sizeof path - 1);
    path[c > 0 ? c : 0] = 0;
    sprintf(all + strlen(all), " %s", path);
    sprintf(all + strlen(all), " %d", date->tm_mday);
    on_exit(tell_status, rank ? "one ends with" : "none ends with");
    atexit(at_end);
    MPI_Finalize();
    return 0;
}
