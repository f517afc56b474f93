/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What our caller ignores stays ignored. Libraries that MPICH brings take SIGHUP over before main()
 * begins, and then a program started under nohup would die of a hangup after all; so what was
 * ignored is noted before any library's constructor runs.
 */
#include "cli.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIGNALS = 64 };

/* As the kernel has it: the C library's own functions may not be ready yet. */
struct disposition {
    void (*handler)(int);
    unsigned long rest[19];
};

static bool was_ignored[SIGNALS + 1];

/* Sanitizers are not ready either. */
__attribute__((no_sanitize("address", "undefined", "thread"))) static void note_ignored(void)
{
    static struct disposition now;

    for (long number = 1; number <= SIGNALS; number++)
        was_ignored[number] = syscall(SYS_rt_sigaction, number, NULL, &now, SIGNALS / 8) == 0 &&
                              now.handler == SIG_IGN;
}

__attribute__((section(".preinit_array"), used)) static void (*const note)(void) = note_ignored;

void restore_ignored_signals(void)
{
    for (int number = 1; number <= SIGNALS; number++)
        if (was_ignored[number])
            signal(number, SIG_IGN);
}
