/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that stand for commands: the handler only counts, and wakes the listener's thread. */
#include "internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/*
 * The handler's data: the signals that have come, their handlers before, and the descriptor that
 * wakes the thread.
 */
static unsigned pending[NSIG];
static struct sigaction before[NSIG];
static int wake_fd = -1;

static void note_signal(int number, siginfo_t *info, void *context)
{
    const uint64_t one = 1;
    int saved = errno, fd = __atomic_load_n(&wake_fd, __ATOMIC_ACQUIRE);

    if (fd >= 0) {
        __atomic_fetch_add(&pending[number], 1, __ATOMIC_RELAXED);
        if (write(fd, &one, sizeof one) < 0) /* full: the thread is awake anyway */
            errno = saved;
    }
    errno = saved;
    /* The handler of before is still called: MPICH takes USR1, for one. */
    if (before[number].sa_flags & SA_SIGINFO)
        before[number].sa_sigaction(number, info, context);
    else if (before[number].sa_handler != SIG_DFL && before[number].sa_handler != SIG_IGN)
        before[number].sa_handler(number);
}

static int signal_number(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"USR1", SIGUSR1},   {"USR2", SIGUSR2},     {"HUP", SIGHUP},
                 {"WINCH", SIGWINCH}, {"URG", SIGURG},       {"PROF", SIGPROF},
                 {"ALRM", SIGALRM},   {"VTALRM", SIGVTALRM}, {"CONT", SIGCONT}};
    int64_t offset;

    if (!strncmp(name, "SIG", 3))
        name += 3;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name))
            return known[i].number;
    if (!strncmp(name, "RTMIN+", 6) && portolan_read_int64(name + 6, &offset) && offset >= 0 &&
        SIGRTMIN + offset <= SIGRTMAX)
        return SIGRTMIN + (int)offset;
    return 0;
}

/* "USR1", "USR2:dump". */
static enum portolan_status read_signal(struct portolan_control_signal *list, size_t *n, char *text,
                                        struct portolan_error *err)
{
    static const char *const commands[] = {"toggle", "dump", "flush"};
    struct portolan_control_signal s = {.command = commands[0]};
    char *colon = strchr(text, ':');

    if (colon) {
        *colon = '\0';
        s.command = NULL;
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (!strcmp(colon + 1, commands[i]))
                s.command = commands[i];
    }
    if (!s.command)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is not a command for signals; use toggle, dump or flush",
                                  colon + 1);
    if (!(s.number = signal_number(text)))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is not a usable signal; use USR1, USR2, HUP, WINCH, URG, "
                                  "PROF, ALRM, VTALRM, CONT or RTMIN+N",
                                  text);
    if (*n == PORTOLAN_CONTROL_SIGNALS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "more than %d signals",
                                  PORTOLAN_CONTROL_SIGNALS);
    for (size_t i = 0; i < *n; i++)
        if (list[i].number == s.number)
            return portolan_error_set(err, PORTOLAN_EINVAL, "signal %s is named twice", text);
    list[(*n)++] = s;
    return PORTOLAN_OK;
}

enum portolan_status
portolan_control_read_signals(const char *text,
                              struct portolan_control_signal list[PORTOLAN_CONTROL_SIGNALS],
                              size_t *n, struct portolan_error *err)
{
    char *copy = portolan_strdup(text ? text : ""), *rest = NULL;
    enum portolan_status status = PORTOLAN_OK;

    *n = 0;
    if (!copy)
        return portolan_no_memory(err);
    for (char *word = strtok_r(copy, ", ", &rest); word && status == PORTOLAN_OK;
         word = strtok_r(NULL, ", ", &rest))
        status = read_signal(list, n, word, err);
    free(copy);
    return status;
}

enum portolan_status control_signals_take(struct control_signals *s, struct portolan_error *err)
{
    s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->fd < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "no eventfd: %s", strerror(errno));
    memset(pending, 0, sizeof pending);
    __atomic_store_n(&wake_fd, s->fd, __ATOMIC_RELEASE);
    for (size_t i = 0; i < s->n; i++) {
        int number = s->list[i].number;
        struct sigaction action;

        sigaction(number, NULL, &before[number]);
        action = before[number];
        action.sa_sigaction = note_signal;
        action.sa_flags = (action.sa_flags & (SA_ONSTACK | SA_NODEFER)) | SA_SIGINFO | SA_RESTART;
        sigaction(number, &action, NULL);
    }
    return PORTOLAN_OK;
}

void control_signals_restore(const struct control_signals *s)
{
    struct sigaction now;

    for (size_t i = 0; i < s->n; i++) {
        int number = s->list[i].number;

        if (sigaction(number, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
            now.sa_sigaction == note_signal)
            sigaction(number, &before[number], NULL);
    }
}

void control_signals_close(struct control_signals *s)
{
    if (s->fd < 0)
        return;
    __atomic_store_n(&wake_fd, -1, __ATOMIC_RELEASE);
    close(s->fd);
    s->fd = -1;
}

const char *control_signals_next(struct control_signals *s)
{
    uint64_t count;

    if (read(s->fd, &count, sizeof count) < 0 && errno != EAGAIN)
        return NULL;
    for (size_t i = 0; i < s->n; i++) {
        unsigned n = __atomic_exchange_n(&pending[s->list[i].number], 0, __ATOMIC_RELAXED);

        if (!strcmp(s->list[i].command, "toggle"))
            n %= 2; /* two toggles cancel out */
        if (n > 0)
            return s->list[i].command;
    }
    return NULL;
}
