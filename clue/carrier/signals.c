/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals: each rank has its own handlers and its own mask. A signal that a program raises reaches
 * the rank that raised it; that of a timer, the rank that set the timer last; one from outside, the
 * rank that runs. Timers are those of the process, which is reported. Handlers run between calls,
 * since they may read clocks.
 */
#include "internal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static bool has_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* Does what a process without handlers would do. */
static void do_default(int signal, siginfo_t *info, void *machine)
{
    if (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT)
        return;
    clue_report_fault(signal, info, machine);
}

/* By signal: the rank that set its timer last. */
static struct rank *timer_owners[NSIG];

/* Returns whether SIGNAL is held until RANK, which has a handler, runs and is not in a call. */
static bool holds(struct rank *rank, int signal)
{
    if (rank == clue_carrier.current && !rank->depth)
        return false;
    atomic_fetch_or(&rank->held, UINT64_C(1) << (signal - 1));
    return true;
}

void clue_give_held(struct rank *rank)
{
    uint64_t held = atomic_exchange(&rank->held, 0);

    for (int signal = 1; held; signal++, held >>= 1)
        if (held & 1)
            raise(signal);
}

static void hand_on(int signal, siginfo_t *info, void *machine)
{
    struct rank *rank = clue_carrier.current;
    struct sigaction action = {.sa_handler = SIG_DFL};

    if (info->si_code > 0 && timer_owners[signal])
        rank = timer_owners[signal];
    if (rank && rank->actions)
        action = rank->actions[signal];
    if (has_handler(&action) && !clue_is_fault(signal) && holds(rank, signal))
        return;
    if (action.sa_flags & (int)SA_RESETHAND)
        rank->actions[signal].sa_handler = SIG_DFL;
    if (has_handler(&action))
        action.sa_sigaction(signal, info, machine);
    else if (action.sa_handler == SIG_DFL)
        do_default(signal, info, machine);
}

int clue_own_sigaction(int signal, const struct sigaction *new, struct sigaction *old)
{
    struct rank *rank = clue_carrier.current;
    struct sigaction shared;

    if (signal < 1 || signal >= NSIG || signal == SIGKILL || signal == SIGSTOP) {
        errno = EINVAL;
        return -1;
    }
    if (!rank->actions && !(rank->actions = portolan_calloc(NSIG, sizeof *rank->actions))) {
        errno = ENOMEM;
        return -1;
    }
    if (old)
        *old = rank->actions[signal];
    if (!new)
        return 0;
    rank->actions[signal] = *new;
    shared = *new;
    shared.sa_sigaction = hand_on;
    /* On another stack, since faults of ranks whose stack is full must be reported, too. */
    shared.sa_flags = (new->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    return sigaction(signal, &shared, NULL);
}

void (*clue_own_signal(int signal, void (*handler)(int)))(int)
{
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};

    return clue_own_sigaction(signal, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* Refuses the signal if it would end all ranks without a report. */
int clue_own_kill(pid_t process, int signal)
{
    if (signal != SIGKILL || (process != getpid() && process != 0))
        return kill(process, signal);
    clue_carrier.exit_status = 128 + SIGKILL;
    clue_fail("the program kills itself (SIGKILL)");
}

int clue_own_raise(int signal)
{
    return signal == SIGKILL ? clue_own_kill(0, signal) : raise(signal);
}

/* ------------------------------------------------- masks */

int clue_own_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    struct carrier *c = &clue_carrier;

    if (set && !c->has_masks) {
        c->has_masks = true;
        sigprocmask(SIG_BLOCK, NULL, &c->mask);
        for (size_t i = 0; i < c->n_ranks; i++)
            c->ranks[i]->mask = c->mask;
    }
    return sigprocmask(how, set, old);
}

/* Takes the signals that are pending for the process, or gives them back to it. */
static void keep_pending(sigset_t *kept)
{
    sigset_t one;

    sigpending(kept);
    for (int signal = 1; signal < NSIG && !sigisemptyset(kept); signal++)
        if (sigismember(kept, signal) == 1) {
            sigemptyset(&one);
            sigaddset(&one, signal);
            sigtimedwait(&one, NULL, &(const struct timespec){0});
        }
}

static void give_pending(sigset_t *kept)
{
    for (int signal = 1; signal < NSIG && !sigisemptyset(kept); signal++)
        if (sigismember(kept, signal) == 1) {
            sigdelset(kept, signal);
            raise(signal);
        }
}

void clue_switch_masks(struct rank *from, struct rank *to)
{
    if (from)
        keep_pending(&from->pending);
    sigprocmask(SIG_SETMASK, to ? &to->mask : &clue_carrier.mask, from ? &from->mask : NULL);
    if (to)
        give_pending(&to->pending);
}

/* ------------------------------------------------- timers */

static void own_timer(int signal, const void *site)
{
    int before = errno; /* setting a timer and its report change errno */

    timer_owners[signal] = clue_carrier.current;
    clue_remark(false, "a timer of the program runs in real time, and is that of all ranks",
                clue_carrier.current, site);
    errno = before;
}

static const int timer_signals[] = {
    [ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};

void clue_timers_end(const struct rank *rank)
{
    for (int which = 0; which <= ITIMER_PROF; which++)
        if (timer_owners[timer_signals[which]] == rank) {
            setitimer((__itimer_which_t)which, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
            timer_owners[timer_signals[which]] = NULL;
        }
}

unsigned clue_own_alarm(unsigned seconds)
{
    if (seconds)
        own_timer(SIGALRM, __builtin_return_address(0));
    return alarm(seconds);
}

int clue_own_setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
    if (new && (new->it_value.tv_sec || new->it_value.tv_usec) && which >= 0 &&
        which <= ITIMER_PROF)
        own_timer(timer_signals[which], __builtin_return_address(0));
    return setitimer((__itimer_which_t)which, new, old);
}
