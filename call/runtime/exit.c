/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that end before they report. With CLL_FLUSH each process writes what it has by itself,
 * when it exits and when a signal is about to end it; the writing is done by a thread that waits
 * for that, as handlers of signals may do next to nothing. Without it the user is told.
 */
#include "report.h"

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pid_t process;
static bool flushes;
static sem_t wake;
static volatile sig_atomic_t caught;

/* Who starts ranks says so in the environment; there may be no driver to ask any more. */
static int number_in(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        int64_t value;

        if (portolan_read_int64(getenv(*names), &value) && value >= 0 && value < 1 << 30)
            return (int)value;
    }
    return otherwise;
}

int cll_launched_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", NULL};

    return number_in(names, 0);
}

static int launched_size(void)
{
    static const char *const names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", NULL};
    int size = number_in(names, 1);

    return size > cll_launched_rank() ? size : cll_launched_rank() + 1;
}

/* Whoever holds the lock now may be waiting for another process for ever. */
static bool lock(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    return pthread_mutex_timedlock(&cll_lock, &until) == 0;
}

static void flush(void)
{
    if (!lock()) {
        cll_warn("what was measured is not written: a report is under way");
        return;
    }
    if (cll_is_unreported())
        cll_report_alone(cll_launched_rank(), launched_size());
    pthread_mutex_unlock(&cll_lock);
}

static void at_exit(void)
{
    if (getpid() != process)
        return; /* a forked child has its parent's samples */
    if (flushes)
        flush();
    else if (lock()) {
        if (!cll_was_reported() && cll_is_unreported() && cll_launched_rank() == 0)
            cll_warn("the program ends without a report of what it measured; with CLL_FLUSH=1 in "
                     "the environment it is written all the same");
        pthread_mutex_unlock(&cll_lock);
    }
}

/* ------------------------------------------------------------------ signals */

static void on_signal(int number)
{
    caught = number;
    sem_post(&wake);
}

static void *wait_for_signal(void *arg)
{
    (void)arg;
    while (sem_wait(&wake) != 0)
        continue;
    flush();
    signal(caught, SIG_DFL);
    kill(getpid(), caught);
    return NULL;
}

/* Those that end programs, unless the program has a use for them. */
static void watch_signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (sem_init(&wake, 0, 0) == 0 && pthread_create(&thread, NULL, wait_for_signal, NULL) == 0) {
        pthread_detach(thread);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            struct sigaction old, own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

            if (sigaction(numbers[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
                old.sa_handler == SIG_DFL)
                sigaction(numbers[i], &own, NULL);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cll_exit_watch(void)
{
    if (process)
        return;
    process = getpid();
    atexit(at_exit);
    flushes = cll_is_on("CLL_FLUSH");
    if (flushes)
        watch_signals();
}
