/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals: each rank has its own handlers. One that a program raises reaches the rank that raised
 * it; one from outside, whichever runs. Masks and timers are the process's.
 */
#include "internal.h"

#include <errno.h>
#include <signal.h>

static bool has_handler(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* As if nobody had ever set a handler. */
static void do_default(int signal, siginfo_t *info, void *machine)
{
    if (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT)
        return;
    clue_tell_fault(signal, info, machine);
}

static void hand_on(int signal, siginfo_t *info, void *machine)
{
    struct rank *rank = clue_carrier.current;
    struct sigaction action = {.sa_handler = SIG_DFL};

    if (rank && rank->actions)
        action = rank->actions[signal];
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
    /* Faults of other ranks must be told, too, where their stack is full. */
    shared.sa_flags = (new->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
    return sigaction(signal, &shared, NULL);
}

void (*clue_own_signal(int signal, void (*handler)(int)))(int)
{
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};

    return clue_own_sigaction(signal, &new, &old) == 0 ? old.sa_handler : SIG_ERR;
}
