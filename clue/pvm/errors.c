/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends calls, and reports errors. */
#include "internal.h"

#include <sys/time.h>
#include <unistd.h>

PORTOLAN_API int pvm_errno;
enum { N_MESSAGES = 1 - PvmIPLoopback };
PORTOLAN_API int pvm_nerr = N_MESSAGES;
PORTOLAN_API const char *pvm_errlist[N_MESSAGES] = {
    [-PvmOk] = "OK",
    [1] = "Unknown Error",
    [9] = "Unknown Error",
    [11] = "Unknown Error",
    [13] = "Unknown Error",
    [-PvmBadParam] = "Bad parameter",
    [-PvmMismatch] = "Parameter mismatch",
    [-PvmOverflow] = "Value too large",
    [-PvmNoData] = "End of buffer",
    [-PvmNoHost] = "No such host",
    [-PvmNoFile] = "No such file",
    [-PvmDenied] = "Permission denied",
    [-PvmNoMem] = "Malloc failed",
    [-PvmBadMsg] = "Can't decode message",
    [-PvmSysErr] = "Can't contact local daemon",
    [-PvmNoBuf] = "No current buffer",
    [-PvmNoSuchBuf] = "No such buffer",
    [-PvmNullGroup] = "Null group name",
    [-PvmDupGroup] = "Already in group",
    [-PvmNoGroup] = "No such group",
    [-PvmNotInGroup] = "Not in group",
    [-PvmNoInst] = "No such instance",
    [-PvmHostFail] = "Host failed",
    [-PvmNoParent] = "No parent task",
    [-PvmNotImpl] = "Not implemented",
    [-PvmDSysErr] = "Pvmd system error",
    [-PvmBadVersion] = "Version mismatch",
    [-PvmOutOfRes] = "Out of resources",
    [-PvmDupHost] = "Duplicate host",
    [-PvmCantStart] = "Can't start pvmd",
    [-PvmAlready] = "Already in progress",
    [-PvmNoTask] = "No such task",
    [-PvmNotFound] = "Not Found",
    [-PvmExists] = "Already Exists",
    [-PvmHostrNMstr] = "Hoster must run on master host",
    [-PvmParentNotSet] = "Spawning parent set PvmNoParent",
    [-PvmIPLoopback] = "Master Host IP Address is Loopback! (See pvm3/Readme)",
};

static const char *message_of(int code)
{
    return code <= 0 && code > -N_MESSAGES ? pvm_errlist[-code] : "Unknown Error";
}

void pvm_enter(struct clue_routine *routine, const char *name, const void *site)
{
    if (!routine->name)
        *routine = (struct clue_routine){name, pvm_routine_number(name)};
    clue_call_begin(routine, site);
    if (!pvm_self()->depth++)
        pvm_self()->routine = name;
}

int pvm_leave(int code)
{
    struct pvm_task *t = pvm_self();

    t->depth--;
    if (code < 0) {
        int *copy = clue_variable("pvm_errno");

        *(copy ? copy : &pvm_errno) = t->error = code;
        if (t->options[PvmAutoErr] && !t->depth)
            fprintf(stderr, "libpvm [t%x]: %s(): %s\n", (unsigned)t->tid, t->routine,
                    message_of(code));
        if (t->options[PvmAutoErr] > 1 && !t->depth)
            clue_abort(1);
    }
    clue_call_end();
    return code;
}

PORTOLAN_API int pvm_perror(char *text)
{
    struct pvm_task *t = pvm_self();

    fprintf(stderr, "libpvm [t%x]: %s: %s\n", (unsigned)t->tid, text ? text : "(null)",
            message_of(t->error));
    return PvmOk;
}

PORTOLAN_API char *pvm_strerror(void)
{
    return (char *)message_of(pvm_self()->error);
}

PORTOLAN_API char *pvm_version(void)
{
    return (char *)PVM_VER;
}

/* ---------------------------------------------------------------- names that no header has */

PORTOLAN_API int pvmsleep(int seconds);
PORTOLAN_API void pvmgetclock(struct timeval *now);
PORTOLAN_API int lpvmerr(const char *function, int code);

/* The carrier has these of the C library in virtual time. */
int pvmsleep(int seconds)
{
    return (int)sleep(seconds > 0 ? (unsigned)seconds : 0);
}

void pvmgetclock(struct timeval *now)
{
    gettimeofday(now, NULL);
}

/* Notes an error as a function of the library does; code that wraps some calls it. */
int lpvmerr(const char *function, int code)
{
    PVM_ENTER();
    pvm_self()->routine = function;
    return pvm_leave(code);
}
