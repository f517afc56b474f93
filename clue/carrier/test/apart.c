/* SPDX-License-Identifier: BSD-3-Clause */
/* What only ranks that are processes can do: threads that compute, one that sends, and a fork. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4 };

/* Handles a signal by reading a clock, which is a call. */
static void look(int signal)
{
    (void)signal;
    time(NULL);
}

static void *square(void *arg)
{
    int *value = arg;

    *value *= *value;
    return NULL;
}

static void *spin(void *arg)
{
    for (volatile int i = 0; i < 100000000; i++)
        continue;
    return arg;
}

static void *talk(void *arg)
{
    int *value = arg, got, other = 1 - *value;

    MPI_Sendrecv(value, 1, MPI_INT, other, 0, &got, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    *value = got;
    return NULL;
}

/* Adds the squares of rank to rank + 3, in threads. */
static int add_squares(int rank)
{
    int values[THREADS], sum = 0;
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        values[i] = rank + i;
        pthread_create(&threads[i], NULL, square, &values[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += values[i];
    }
    return sum;
}

/* Rank 0 ends the process of rank 1, which waits for it, and goes on computing. */
static void kill_other(int rank)
{
    int process = getpid();

    if (rank == 1) {
        MPI_Send(&process, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        MPI_Recv(&process, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&process, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sleep(1); /* in virtual time, so that rank 1 is in its receive */
        kill(process, SIGKILL);
        alarm(100);
        for (volatile int i = 0;; i++)
            continue;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank, level, sum, all, status, other;
    double began;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank;
    if (!strcmp(what, "stay")) {
        printf("process %d\n", (int)getpid());
        for (;;)
            ;
    }
    signal(SIGALRM, look);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
    for (int i = 0; i < 100; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    sum = add_squares(rank);
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    pthread_create(&thread, NULL, talk, &other);
    pthread_join(thread, NULL);
    if (fork() == 0)
        _exit(7);
    wait(&status);
    if (!strcmp(what, "kill") && rank == 1)
        kill(getpid(), SIGKILL);
    if (!strcmp(what, "spin")) {
        pthread_t thread;

        pthread_create(&thread, NULL, spin, NULL);
        pthread_join(thread, NULL);
    }
    if (!strcmp(what, "other"))
        kill_other(rank);
    began = MPI_Wtime();
    sleep(1000);
    printf("rank %d: level %s, sum %d, from the other %d, child %d, slept %.1f\n", rank,
           level == MPI_THREAD_SERIALIZED ? "serialized" : "other", all, other, WEXITSTATUS(status),
           MPI_Wtime() - began);
    MPI_Finalize();
    return 0;
}
