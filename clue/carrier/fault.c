/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports ends that a program does not intend: faults of a rank with its call and time, and
 * deadlocks with who waits for whom.
 */
#include "internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* SIGABRT comes from the C library, which finds a heap damaged or an assertion failed. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

bool clue_is_fault(int signal)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] == signal)
            return true;
    return false;
}

void clue_fault(int signal, char *where)
{
    clue_carrier.exit_status = 128 + signal;
    clue_fail("the program was ended by signal %d (%s)%s%s", signal, strsignal(signal),
              where ? " at " : "", where ? where : "");
}

/* Reports the fault without using the heap, which is damaged. */
static void report_briefly(int signal)
{
    const struct rank *rank = clue_carrier.current;
    char line[300];
    int n;

    (void)signal;
    n = snprintf(line, sizeof line,
                 "portolan: error: rank %d%s%s: the program was ended by signal %d; its heap is "
                 "damaged, so the place is not known; valgrind may find it\n",
                 rank->task,
                 !rank->routine ? ""
                 : rank->depth  ? " in "
                                : " after ",
                 rank->routine ? rank->routine->name : "", clue_carrier.exit_status - 128);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        clue_carrier.exit_status = 1;
    REAL(_exit)(clue_carrier.exit_status);
}

/* Sets a time limit for the report: if the C library found its heap damaged, it may hold the heap's
 * lock, and the report would wait for ever. */
static void limit_report(void)
{
    enum { SECONDS = 20 };
    sigset_t set;

    signal(SIGALRM, report_briefly);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    alarm(SECONDS);
}

void clue_report_fault(int signal, siginfo_t *info, void *machine)
{
    struct rank *rank = clue_carrier.current;
    const ucontext_t *state = machine;
    const uint8_t *top = (const uint8_t *)processor_sp(state);
    static bool is_telling;
    char *where;

    (void)info;
    if (!rank) { /* The fault is in portolan-clue itself. */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        raise(signal);
        return;
    }
    if (is_telling)
        report_briefly(signal);
    is_telling = true;
    clue_carrier.exit_status = 128 + signal;
    limit_report();
    where = clue_where(rank, (void *)(processor_pc(state) + 1));
    if (signal == SIGSEGV && top < rank->stack + UNSAVED_BYTES)
        clue_fail("its stack of %zu KB is full%s%s; make it larger with --stack",
                  clue_carrier.stack_bytes / 1024, where ? ", at " : "", where ? where : "");
    clue_fault(signal, where);
}

static void note_fork(void)
{
    clue_carrier.is_forked = true;
}

void clue_refuse_child(const struct clue_routine *routine)
{
    dprintf(STDERR_FILENO,
            "portolan: error: a process that rank %d has forked calls %s, which only ranks can "
            "call; let it call exec, or end\n",
            clue_carrier.current->task, routine->name);
    REAL(_exit)(1);
    __builtin_unreachable();
}

void clue_faults_begin(void)
{
    static uint8_t stack[65536];
    struct sigaction action = {.sa_sigaction = clue_report_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    pthread_atfork(NULL, NULL, note_fork);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void clue_faults_end(void)
{
    alarm(0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

/* Refuses threads: one would run in parallel with other ranks, and with their data. */
PORTOLAN_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict how,
                                void *(*start)(void *), void *restrict arg)
{
    if (!clue_carrier.current)
        return REAL(pthread_create)(thread, how, start, arg);
    clue_fail("the program starts a thread, which ranks in one process cannot have; run it "
              "with --apart, or without threads (OMP_NUM_THREADS=1)");
}

/* ------------------------------------------------- deadlocks */

enum { MOST_REPORTED = 6 };

static void add_partner(struct portolan_text *out, const struct carrier *c, int partner)
{
    struct clue_state state;

    if (partner < 0) {
        portolan_text_add(out, "any rank");
        return;
    }
    clue_engine_state(c->engine, partner, &state);
    portolan_text_add(out, "rank %d%s", partner,
                      state.operation == CLUE_EXITED ? ", which has ended" : "");
}

/* Returns whether CONTEXT is that of a collective or of other messages that MPI itself sends: the
 * first of a communicator's eight contexts is for the program. */
static bool is_of_library(const struct rank *rank, uint64_t context)
{
    return rank->routine && strncmp(rank->routine->name, "MPI_", 4) == 0 && context % 8;
}

static void report_waiting(struct portolan_text *out, const struct carrier *c, int task)
{
    const struct rank *rank = c->ranks[task];
    char *where = clue_where(rank, rank->site);
    struct clue_state state, left;

    clue_engine_state(c->engine, task, &state);
    portolan_text_add(out, "\n  rank %d in %s%s%s ", task,
                      rank->routine ? rank->routine->name : "its program", where ? " at " : "",
                      where ? where : "");
    free(where);
    if (state.n == 0) {
        portolan_text_add(out, "asks again and again");
        return;
    }
    portolan_text_add(out, "waits for ");
    if (state.partner < 0 && is_of_library(rank, state.context))
        portolan_text_add(out, "other ranks");
    else
        add_partner(out, c, state.partner);
    if (is_of_library(rank, state.context))
        return;
    if (state.partner >= 0 && !clue_is_alive(state.partner))
        portolan_text_add(out, ",");
    if (state.is_send)
        portolan_text_add(out, " to receive %llu bytes", (unsigned long long)state.bytes);
    else
        portolan_text_add(out, " to send");
    if (state.tag >= 0)
        portolan_text_add(out, ", tag %d", state.tag);
    if (!state.is_send && clue_engine_left(c->engine, task, &left) &&
        !is_of_library(rank, left.context))
        portolan_text_add(out, "; it does not take the one from rank %d, tag %d, %llu bytes",
                          left.partner, left.tag, (unsigned long long)left.bytes);
}

void clue_report_left(struct carrier *c)
{
    struct clue_state left;
    char text[120];
    int n_reported = 0;

    for (int i = 0; i < (int)c->n_ranks && n_reported < MOST_REPORTED; i++)
        if (clue_engine_left(c->engine, i, &left)) {
            snprintf(text, sizeof text, "rank %d never received from rank %d, tag %d, %llu bytes",
                     i, left.partner, left.tag, (unsigned long long)left.bytes);
            clue_remark(true, text, c->ranks[i], NULL);
            n_reported++;
        }
}

/* Returns the rank that TASK waits for; -1 if it waits for none. */
static int waits_for(const struct carrier *c, int task)
{
    struct clue_state state;

    clue_engine_state(c->engine, task, &state);
    if (state.operation == CLUE_EXITED || state.operation == CLUE_MEETS)
        return -1;
    return state.partner;
}

/* Returns a rank on a circle of ranks that wait for each other; -1 if there is none. */
static int find_circle(const struct carrier *c, int *length)
{
    int *seen = portolan_calloc(c->n_ranks, sizeof *seen), found = -1;

    for (int start = 0; seen && start < (int)c->n_ranks && found < 0; start++) {
        int at = start;

        while (at >= 0 && at < (int)c->n_ranks && !seen[at]) {
            seen[at] = start + 1;
            at = waits_for(c, at);
        }
        if (at >= 0 && at < (int)c->n_ranks && seen[at] == start + 1)
            found = at;
    }
    *length = 0;
    for (int at = found; found >= 0; at = waits_for(c, at)) {
        (*length)++;
        if (waits_for(c, at) == found)
            break;
    }
    free(seen);
    return found;
}

/* Returns whether TASK does not wait for others: it runs, or polls. */
static bool is_active(const struct carrier *c, int task)
{
    struct clue_state state;

    clue_engine_state(c->engine, task, &state);
    return !c->ranks[task]->is_over && state.n == 0;
}

void clue_report_polls(struct carrier *c)
{
    struct portolan_text out = {0};
    unsigned n_active = 0;
    int n_reported = 0;

    for (int i = 0; i < (int)c->n_ranks; i++)
        n_active += is_active(c, i);
    for (int i = 0; i < (int)c->n_ranks; i++)
        if (is_active(c, i) &&
            (c->ranks[i]->polls != c->polls || c->ranks[i]->n_polls < c->n_polls / n_active / 4))
            return;
    if (c->reported_polls == c->polls || clue_engine_under_way(c->engine))
        return;
    c->reported_polls = c->polls;
    portolan_text_add(&out,
                      "portolan: warning: a deadlock? %u polls in a row found nothing, and "
                      "nothing is under way",
                      c->n_polls);
    for (int i = 0; i < (int)c->n_ranks && n_reported < MOST_REPORTED; i++)
        if (!c->ranks[i]->is_over) {
            report_waiting(&out, c, i);
            n_reported++;
        }
    fprintf(stderr, "%s\n", out.bytes ? out.bytes : "portolan: warning: a deadlock?");
    portolan_text_clear(&out);
}

void clue_report_deadlock(struct carrier *c)
{
    struct portolan_text out = {0};
    int length, at = find_circle(c, &length), n_waiting = 0, n_reported = 0;

    for (int i = 0; i < (int)c->n_ranks; i++)
        n_waiting += !c->ranks[i]->is_over;
    if (length == 1)
        portolan_text_add(&out, "deadlock: rank %d waits for itself", at);
    else if (at >= 0)
        portolan_text_add(&out, "deadlock: %d ranks wait for each other", length);
    else
        portolan_text_add(&out, "deadlock: %d rank%s for what cannot come", n_waiting,
                          n_waiting == 1 ? " waits" : "s wait");
    for (int i = 0; at >= 0 && n_reported < MOST_REPORTED && n_reported < length;
         i++, n_reported++) {
        report_waiting(&out, c, at);
        at = waits_for(c, at);
    }
    for (int i = 0; i < (int)c->n_ranks && n_reported < MOST_REPORTED && !length; i++)
        if (!c->ranks[i]->is_over) {
            report_waiting(&out, c, i);
            n_reported++;
        }
    if (n_waiting > n_reported)
        portolan_text_add(&out, "\n  and %d other%s", n_waiting - n_reported,
                          n_waiting - n_reported == 1 ? " waits" : "s wait");
    portolan_error_set(&c->error, PORTOLAN_EINVAL, "%s", out.bytes ? out.bytes : "deadlock");
    portolan_text_clear(&out);
}
