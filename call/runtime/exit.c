/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that end before they report. With CLL_FLUSH each process writes what it has by itself,
 * when it exits and when a signal is about to end it; the writing is done by a thread that waits
 * for that, as handlers of signals may do next to nothing. Without it the user is told.
 */
#include "internal.h"

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static bool flushes;
static sem_t wake;
static volatile sig_atomic_t caught;
/* Those that end programs, unless the program has a use for them. */
static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
#define SIGNALS (sizeof signals / sizeof *signals)
static bool is_watched[SIGNALS];

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

static void flush(void)
{
    if (!cll_report_rest(cll_launched_rank(), launched_size()))
        cll_warn("what was measured is not written: a report is under way");
}

static void at_exit(void)
{
    if (flushes)
        flush();
    else if (!cll_was_reported() && cll_launched_rank() == 0 && cll_is_unreported())
        cll_warn("the program ends without a report of what it measured; with CLL_FLUSH=1 in the "
                 "environment it is written all the same");
}

/* ------------------------------------------------------------------ forks */

static void before_fork(void)
{
    pthread_mutex_lock(&cll_lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&cll_lock);
}

/* The samples so far are the parent's, and so is the thread that waits for signals. */
static void in_child(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (is_watched[i])
            signal(signals[i], SIG_DFL);
    cll_forget_samples();
    cll_report_forget();
    pthread_mutex_unlock(&cll_lock);
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

static void watch_signals(void)
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (sem_init(&wake, 0, 0) == 0 && pthread_create(&thread, NULL, wait_for_signal, NULL) == 0) {
        pthread_detach(thread);
        for (size_t i = 0; i < SIGNALS; i++) {
            struct sigaction old, own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

            if (sigaction(signals[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
                old.sa_handler == SIG_DFL)
                is_watched[i] = sigaction(signals[i], &own, NULL) == 0;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cll_exit_watch(void)
{
    static bool watches;

    if (watches)
        return;
    watches = true;
    atexit(at_exit);
    pthread_atfork(before_fork, after_fork, in_child);
    flushes = cll_is_on("CLL_FLUSH");
    if (flushes)
        watch_signals();
}
