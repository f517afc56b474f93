/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the program, and what happens until it has ended. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often it is looked for new snapshots, and how long one that was asked for is waited for. */
static const int look_ms = 100;
static const unsigned request_ms = 2000;

struct watch {
    struct wrap_run *run;
    sigset_t watched, before;
    struct sigaction child_before;
    int signals; /* descriptor */
};

/* What is passed on to the program, and word of its state. */
static void choose_signals(sigset_t *set)
{
    static const int numbers[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
                                  SIGALRM, SIGVTALRM, SIGPROF, SIGWINCH, SIGCONT, SIGTSTP,
                                  SIGIO,   SIGPWR,    SIGURG,  SIGCHLD};

    sigemptyset(set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(set, numbers[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaddset(set, number);
}

/* ------------------------------------------------------------------ starting */

static void put_environment(const struct wrap_run *run, const struct stat *file, pid_t measurer)
{
    const char *preload = getenv("LD_PRELOAD");
    char *list = portolan_asprintf("%s%s%s", run->front.file, preload && *preload ? ":" : "",
                                   preload ? preload : "");
    char where[96];

    snprintf(where, sizeof where, "%d %d %llu %llu", run->file, (int)measurer,
             (unsigned long long)file->st_dev, (unsigned long long)file->st_ino);
    if (list)
        setenv("LD_PRELOAD", list, 1);
    setenv(WRAP_VARIABLE, where, 1);
}

/* In the child, which becomes the program. ANSWER gets errno when that fails. */
static void become(const struct watch *w, int answer, pid_t measurer)
{
    const struct wrap_run *run = w->run;
    struct stat info;
    int error;

    /* A measuring process that is killed must not leave the program behind without its parent. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != measurer || fstat(run->file, &info) != 0)
        _exit(EXIT_OURS);
    fcntl(run->file, F_SETFD, 0);
    put_environment(run, &info, measurer);
    sigaction(SIGCHLD, &w->child_before, NULL);
    sigprocmask(SIG_SETMASK, &w->before, NULL);
    execv(run->program.file, run->program.argv);
    error = errno;
    (void)!write(answer, &error, sizeof error);
    _exit(EXIT_OURS);
}

static enum portolan_status start(struct watch *w, int *status, struct portolan_error *err)
{
    struct wrap_run *run = w->run;
    pid_t measurer = getpid();
    int answer[2], error = 0;

    if (pipe2(answer, O_CLOEXEC) != 0)
        return portolan_error_set(err, PORTOLAN_EIO, "pipe: %s", strerror(errno));
    run->process = fork();
    if (run->process == 0)
        become(w, answer[1], measurer);
    error = run->process < 0 ? errno : 0;
    close(answer[1]);
    if (run->process > 0 && read(answer[0], &error, sizeof error) == sizeof error) {
        while (waitpid(run->process, NULL, 0) < 0 && errno == EINTR)
            ;
        *status = error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    close(answer[0]);
    return error ? portolan_error_set(err, PORTOLAN_EIO, "cannot run '%s': %s", run->program.file,
                                      strerror(error))
                 : PORTOLAN_OK;
}

/* ------------------------------------------------------------------ signals */

void wrap_wake(struct wrap_run *run)
{
    for (size_t i = 0; i < run->shared->orders.n_areas; i++) {
        struct wrap_area *a = &run->shared->areas[i];

        if (!__atomic_load_n(&run->shared->orders.processes[i], __ATOMIC_ACQUIRE))
            continue;
        __atomic_fetch_add(&a->request, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &a->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* A signal that may end the program: what was measured up to now is taken in first. */
static void request_snapshots(struct wrap_run *run)
{
    const struct timespec rest = {0, 1000000};
    struct wrap_area *a = &run->shared->areas[0];
    uint64_t before = __atomic_load_n(&a->published, __ATOMIC_SEQ_CST);

    if (run->options->interval_s == 0 ||
        __atomic_load_n(&a->state, __ATOMIC_ACQUIRE) != WRAP_STARTED)
        return; /* nobody would answer */
    wrap_wake(run);
    for (unsigned i = 0; i < request_ms && kill(run->process, 0) == 0; i++) {
        if (__atomic_load_n(&a->published, __ATOMIC_SEQ_CST) != before)
            break;
        nanosleep(&rest, NULL);
    }
    wrap_collect(run);
}

static bool may_end(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

/* What comes from the terminal has reached the program, too: it is in the same process group. */
static void pass_on(struct wrap_run *run, const struct signalfd_siginfo *info)
{
    int number = (int)info->ssi_signo;

    if (wrap_signal_take(run, number))
        return;
    if (may_end(number))
        request_snapshots(run);
    if (info->ssi_code != SI_KERNEL)
        kill(run->process, number);
}

/* When the program is stopped, who waits for this process wants to know; and the other way. */
static void stop_too(const struct watch *w)
{
    raise(SIGSTOP);
    kill(w->run->process, SIGCONT);
}

/* False when the program has ended. */
static bool look_at_program(struct watch *w)
{
    struct wrap_run *run = w->run;
    int status;
    pid_t found;

    while ((found = waitpid(run->process, &status, WNOHANG | WUNTRACED)) == run->process) {
        if (!WIFSTOPPED(status)) {
            run->wait_status = status;
            return false;
        }
        stop_too(w);
    }
    return found == 0 || errno == EINTR;
}

static bool take_signals(struct watch *w)
{
    struct signalfd_siginfo info;

    while (read(w->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD)
            pass_on(w->run, &info);
    return look_at_program(w);
}

static enum portolan_status begin(struct watch *w, int *status, struct portolan_error *err)
{
    enum portolan_status started;

    /* Where it is ignored, nobody learns how a child ended. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &w->child_before);
    choose_signals(&w->watched);
    sigprocmask(SIG_BLOCK, &w->watched, &w->before);
    w->signals = signalfd(-1, &w->watched, SFD_CLOEXEC | SFD_NONBLOCK);
    started = w->signals < 0
                  ? portolan_error_set(err, PORTOLAN_EIO, "signalfd: %s", strerror(errno))
                  : start(w, status, err);
    if (started != PORTOLAN_OK)
        sigprocmask(SIG_SETMASK, &w->before, NULL);
    return started;
}

enum portolan_status wrap_watch(struct wrap_run *run, int *status, struct portolan_error *err)
{
    struct watch w = {.run = run, .signals = -1};
    struct pollfd wait;
    enum portolan_status started;

    wrap_command(run); /* what the control file says now holds from the first call on */
    started = begin(&w, status, err);
    if (started == PORTOLAN_OK) {
        wait = (struct pollfd){.fd = w.signals, .events = POLLIN};
        do {
            wrap_command(run);
            poll(&wait, 1, look_ms);
            wrap_collect(run);
        } while (take_signals(&w));
        wrap_command(run); /* the last answer */
        *status = WIFSIGNALED(run->wait_status) ? 128 + WTERMSIG(run->wait_status)
                                                : WEXITSTATUS(run->wait_status);
        wrap_collect_end(run);
        sigprocmask(SIG_SETMASK, &w.before, NULL);
    }
    if (w.signals >= 0)
        close(w.signals);
    return started;
}
