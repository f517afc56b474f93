/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts the program and watches it until it has ended. Passes signals on to it, and commands, from
 * a file or by signals to this process, to the processes that are measured.
 */
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

/* Poll interval for new snapshots, and timeout for a requested one. */
static const int look_ms = 100;
static const unsigned request_ms = 2000;

struct watch {
    struct wrap_run *run;
    sigset_t watched, before;
    struct sigaction child_before;
    int signals; /* descriptor */
};

/* Chooses the signals that are passed on to the program, and SIGCHLD, which reports its state. */
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

/* Runs in the child, which becomes the program. ANSWER gets errno if that fails. */
static void become(const struct watch *w, int answer, pid_t measurer)
{
    const struct wrap_run *run = w->run;
    struct stat info;
    int error;

    /* If the measuring process is killed, the program must end, too. */
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

/* ------------------------------------------------------------------ commands */

static void wait_with(struct wrap_run *run, char *command)
{
    if (command && run->n_waiting < sizeof run->waiting / sizeof *run->waiting)
        run->waiting[run->n_waiting++] = command;
    else
        free(command); /* too many commands at once */
}

/* Returns whether signal NUMBER is a command; if so, the command is queued. */
static bool take_signal(struct wrap_run *run, int number)
{
    for (size_t i = 0; i < run->n_signals; i++)
        if (run->signals[i].number == number) {
            wait_with(run, portolan_strdup(run->signals[i].command));
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------ the file */

/* Polls the control file, which works on every file system. */
static void look_at_file(struct wrap_run *run)
{
    struct portolan_error err = {0};
    bool is_first = !run->has_looked;
    char *text = run->options->control
                     ? portolan_control_file_take(run->options->control, &run->control, &err)
                     : NULL;

    run->has_looked = true;
    if (err.status != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "wrap", "warning: %s", err.text);
    if (is_first && text && portolan_control_is_request(text))
        free(text); /* left by `portolan control` for an earlier run */
    else if (text)
        wait_with(run, text);
}

/* ------------------------------------------------------------------ giving */

static bool is_obeyed(const struct wrap_run *run)
{
    const struct wrap_orders *o = &run->shared->orders;

    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];
        unsigned state = __atomic_load_n(&a->state, __ATOMIC_ACQUIRE);

        if (state == WRAP_STARTED &&
            __atomic_load_n(&a->answer_number, __ATOMIC_ACQUIRE) != o->command_number)
            return false;
    }
    return __atomic_load_n(&run->shared->areas[0].state, __ATOMIC_ACQUIRE) != 0 ||
           !o->command_number;
}

/* Wakes the threads that wait for something to do. */
static void wake_threads(struct wrap_run *run)
{
    for (size_t i = 0; i < run->shared->orders.n_areas; i++) {
        struct wrap_area *a = &run->shared->areas[i];

        if (!__atomic_load_n(&run->shared->orders.processes[i], __ATOMIC_ACQUIRE))
            continue;
        __atomic_fetch_add(&a->request, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &a->request, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static void give_next(struct wrap_run *run)
{
    struct wrap_orders *o = &run->shared->orders;
    char *command = run->waiting[0];

    strncpy(o->command, command, sizeof o->command - 1);
    __atomic_store_n(&o->command_number, o->command_number + 1, __ATOMIC_RELEASE);
    free(command);
    memmove(run->waiting, run->waiting + 1, --run->n_waiting * sizeof *run->waiting);
    run->is_answered = false;
    wake_threads(run);
}

/* Logs the answer's last line if a command failed, since users may not read the answer. */
static void report_mistake(const struct wrap_run *run)
{
    const struct wrap_orders *o = &run->shared->orders;
    char text[WRAP_ANSWER_BYTES], *end;

    if (portolan_control_is_request(o->command))
        return; /* `portolan control` shows the answer */
    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];

        if (!a->process || a->answer_number != o->command_number || !a->answer_status)
            continue;
        memcpy(text, a->answer, sizeof text);
        text[sizeof text - 1] = '\0';
        for (end = text + strlen(text); end > text && end[-1] == '\n';)
            *--end = '\0';
        end = strrchr(text, '\n');
        portolan_log(PORTOLAN_LOG_WARNING, "wrap", "%s", end ? end + 1 : text);
        return; /* the other processes answer the same */
    }
}

/* Adds the lines by which `portolan control` recognises its answer, and success or failure. */
static void add_head(const struct wrap_run *run, struct portolan_text *t)
{
    const struct wrap_orders *o = &run->shared->orders;
    bool failed = false;

    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];

        failed = failed || (a->process && a->answer_number == o->command_number &&
                            a->answer_status != PORTOLAN_OK);
    }
    portolan_control_add_head(t, o->command, 1, failed);
}

/* Writes the answers of all processes to FILE.reply, which is replaced at once. */
static void write_reply(const struct wrap_run *run)
{
    const struct wrap_orders *o = &run->shared->orders;
    char *path = portolan_asprintf("%s.reply", run->options->control);
    struct portolan_text t = {0};
    struct portolan_error err = {0};

    add_head(run, &t);
    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];

        if (a->process && a->answer_number == o->command_number)
            portolan_text_add(&t, "%.*s", WRAP_ANSWER_BYTES, a->answer);
    }
    if (!path || t.failed)
        portolan_no_memory(&err);
    else
        portolan_replace_file(path, t.bytes, t.length, &err);
    if (err.status != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "wrap", "warning: no reply to a command: %s", err.text);
    free(path);
    portolan_text_clear(&t);
}

/* Gives the processes commands from the control file or signals, and writes their answers. */
static void obey_commands(struct wrap_run *run)
{
    look_at_file(run);
    if (!is_obeyed(run))
        return;
    if (!run->is_answered && run->shared->orders.command_number) {
        report_mistake(run);
        if (run->options->control)
            write_reply(run);
    }
    run->is_answered = true;
    if (run->n_waiting)
        give_next(run);
}

/* ------------------------------------------------------------------ signals */

/* Stores what was measured up to now, before a signal that may end the program. */
static void request_snapshots(struct wrap_run *run)
{
    const struct timespec rest = {0, 1000000};
    struct wrap_area *a = &run->shared->areas[0];
    uint64_t before = __atomic_load_n(&a->published, __ATOMIC_SEQ_CST);

    if (run->options->interval_s == 0 ||
        __atomic_load_n(&a->state, __ATOMIC_ACQUIRE) != WRAP_STARTED)
        return; /* there would be no answer */
    wake_threads(run);
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

/* Passes a signal on, unless it comes from the terminal: the program, in the same process group,
 * has got it, too. */
static void pass_on(struct wrap_run *run, const struct signalfd_siginfo *info)
{
    int number = (int)info->ssi_signo;

    if (take_signal(run, number))
        return;
    if (may_end(number))
        request_snapshots(run);
    if (info->ssi_code != SI_KERNEL)
        kill(run->process, number);
}

/* If the program is stopped, this process stops, too, so that its parent sees it. Then both go on
 * together. */
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

    /* If SIGCHLD is ignored, the status of a child cannot be read. */
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

    obey_commands(run); /* a command in the control file holds from the first call on */
    started = begin(&w, status, err);
    if (started == PORTOLAN_OK) {
        wait = (struct pollfd){.fd = w.signals, .events = POLLIN};
        do {
            obey_commands(run);
            poll(&wait, 1, look_ms);
            wrap_collect(run);
        } while (take_signals(&w));
        obey_commands(run); /* the last answer */
        *status = WIFSIGNALED(run->wait_status) ? 128 + WTERMSIG(run->wait_status)
                                                : WEXITSTATUS(run->wait_status);
        wrap_collect_end(run);
        sigprocmask(SIG_SETMASK, &w.before, NULL);
    }
    if (w.signals >= 0)
        close(w.signals);
    return started;
}
