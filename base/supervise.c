/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/machine.h>
#include <portolan/supervise.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long a command that is asked to end may take to do so. */
static const double patience_s = 2;

/* A line may have so many bytes: what never ends a line would fill the memory. */
static const size_t most_line = 65536;

enum { OUTPUT, ERRORS, N_STREAMS };

/* A running command. */
struct watch {
    const struct portolan_supervision *how;
    pid_t pid; /* also its process group */
    int fds[N_STREAMS];
    struct portolan_text lines[N_STREAMS]; /* what was read of a line that has not ended */
    double stop_s;                         /* when to end it, INFINITY: never; monotonic clock */
    bool is_stopping, is_late, has_ended;
    int told;   /* the signal that this process got */
    int status; /* as waitpid(2) returns it */
    double began_s, ended_s;
    struct rusage used;
    char message[1000]; /* the first error message that it wrote */
    char ended_by[200]; /* the signal that ended a rank, as the launcher says */
};

/* ------------------------------------------------------------------ starting */

/* What launchers leave for the ranks that they start: a launcher below one would obey. */
static bool is_launchers(const char *variable)
{
    static const char *const beginnings[] = {
        "PMI_",        "PMI2_",         "PMIX_",         "HYDI_",         "MPI_LOCAL",
        "OMPI_COMM_",  "OMPI_APP_",     "OMPI_ARGV",     "OMPI_COMMAND",  "OMPI_FILE_",
        "OMPI_FIRST_", "OMPI_MCA_ess_", "OMPI_MCA_orte", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir",
        "OMPI_NUM_",   "OMPI_UNIVERSE", "PRTE_"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(variable, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

static void clean_environment(void)
{
    size_t kept = 0;

    for (size_t i = 0; environ && environ[i]; i++)
        if (!is_launchers(environ[i]))
            environ[kept++] = environ[i];
    if (environ)
        environ[kept] = NULL;
}

static void limit(int what, double bytes)
{
    struct rlimit most = {(rlim_t)bytes, (rlim_t)bytes};

    if (bytes > 0)
        setrlimit(what, &most);
}

/* In the child. A group of its own, so that all of it can be ended, also when this process dies. */
static void become_command(const struct watch *w, char *const *words, int ends[N_STREAMS])
{
    int nothing = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(nothing, STDIN_FILENO);
    dup2(w->how->is_silent ? nothing : ends[OUTPUT], STDOUT_FILENO);
    dup2(ends[ERRORS], STDERR_FILENO);
    close(nothing);
    clean_environment();
    /* Counts what is allocated, not what is mapped of files, which says little. */
    limit(RLIMIT_DATA, w->how->memory_bytes);
    limit(RLIMIT_FSIZE, w->how->file_bytes);
    for (char *const *x = w->how->environment; x && *x; x++)
        putenv(*x);
    if (w->how->folder && chdir(w->how->folder))
        _exit(127);
    execvp(words[0], words);
    fprintf(stderr, "portolan: error: cannot run '%s': %s\n", words[0], strerror(errno));
    _exit(127);
}

/* The signals that matter while a command runs, what they did before, and a pipe for their numbers:
 * other threads may get them, too. */
static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };
static struct sigaction before[N_NUMBERS];
static int noted[2] = {-1, -1};

static void note_signal(int number)
{
    unsigned char byte = (unsigned char)number;
    int error = errno;
    ssize_t n = write(noted[1], &byte, 1);

    (void)n; /* a full pipe has enough of them */
    errno = error;
}

static bool catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

    if (pipe2(noted, O_CLOEXEC | O_NONBLOCK))
        return false;
    for (size_t i = 0; i < N_NUMBERS; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN || numbers[i] == SIGCHLD)
            sigaction(numbers[i], &action, NULL);
    }
    return true;
}

static void release_signals(void)
{
    for (size_t i = 0; noted[0] >= 0 && i < N_NUMBERS; i++)
        sigaction(numbers[i], &before[i], NULL);
    for (size_t i = 0; i < 2; i++) {
        close(noted[i]);
        noted[i] = -1;
    }
}

static enum portolan_status begin(struct watch *w, char *const *words, struct portolan_error *err)
{
    int out[2] = {-1, -1}, errors[2] = {-1, -1};
    sigset_t all, own;

    sigfillset(&all);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (catch_signals() && !pipe2(out, O_CLOEXEC) && !pipe2(errors, O_CLOEXEC)) {
        w->began_s = portolan_now_s();
        sigprocmask(SIG_BLOCK, &all, &own);
        w->pid = fork();
        if (w->pid == 0) { /* a signal for the child is none for this process */
            release_signals();
            sigprocmask(SIG_SETMASK, &own, NULL);
            become_command(w, words, (int[]){out[1], errors[1]});
        }
        sigprocmask(SIG_SETMASK, &own, NULL);
    }
    if (w->pid < 0)
        portolan_error_set(err, PORTOLAN_EIO, "cannot start '%s': %s", words[0], strerror(errno));
    else
        setpgid(w->pid, w->pid);
    close(out[1]);
    close(errors[1]);
    for (size_t i = 0; i < N_STREAMS; i++) {
        w->fds[i] = i == OUTPUT ? out[0] : errors[0];
        fcntl(w->fds[i], F_SETFL, O_NONBLOCK);
    }
    return w->pid < 0 ? PORTOLAN_EIO : PORTOLAN_OK;
}

/* ------------------------------------------------------------------ what it says */

/* Keeps what follows WORDS in LINE; false: they are not in it. */
static bool keep_after(const char *line, const char *words, char *to, size_t size)
{
    const char *at = strstr(line, words);

    if (at && !to[0])
        snprintf(to, size, "%s", at + strlen(words));
    return at;
}

/* Whether LINE belongs to the frame in which MPICH's mpiexec says how a rank ended. */
static bool is_frame(const char *line)
{
    static const char *const beginnings[] = {
        "=====================", "=   ", "YOUR APPLICATION TERMINATED",
        "This typically refers to a problem", "Please see the FAQ page for debugging"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(line, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Passes a line on, unless it is the command's error message, which becomes the reason. */
static void take_line(struct watch *w, size_t stream, const char *line)
{
    static const char error[] = "portolan: error: ";

    if (stream == ERRORS && !strncmp(line, error, strlen(error)) &&
        keep_after(line, error, w->message, sizeof w->message))
        return;
    if (keep_after(line, "TERMINATED WITH THE EXIT STRING: ", w->ended_by, sizeof w->ended_by) ||
        is_frame(line))
        return;
    keep_after(line, " exited on ", w->ended_by, sizeof w->ended_by); /* Open MPI's mpiexec */
    w->how->line(w->how->arg, stream == ERRORS, line);
}

static void take_bytes(struct watch *w, size_t stream, char *bytes, size_t n)
{
    struct portolan_text *line = &w->lines[stream];

    while (n > 0) {
        char *end = memchr(bytes, '\n', n);
        size_t length = end ? (size_t)(end - bytes) : n;

        portolan_text_add_bytes(line, bytes, length);
        if (!end && line->length < most_line)
            return;
        take_line(w, stream, line->bytes ? line->bytes : "");
        portolan_text_clear(line);
        n -= length + (end != NULL);
        bytes += length + (end != NULL);
    }
}

/* Takes what is there, and at the end of a stream the rest. */
static void read_stream(struct watch *w, size_t stream)
{
    char bytes[8192];
    ssize_t n;

    while ((n = read(w->fds[stream], bytes, sizeof bytes)) > 0)
        take_bytes(w, stream, bytes, (size_t)n);
    if (n < 0 && errno == EAGAIN)
        return;
    if (w->lines[stream].length)
        take_line(w, stream, w->lines[stream].bytes);
    portolan_text_clear(&w->lines[stream]);
    close(w->fds[stream]);
    w->fds[stream] = -1; /* which poll() skips */
}

/* ------------------------------------------------------------------ until it ends */

static void stop(struct watch *w)
{
    kill(-w->pid, w->is_stopping ? SIGKILL : SIGTERM);
    w->is_stopping = true;
    w->stop_s = portolan_now_s() + patience_s;
}

static void take_signals(struct watch *w)
{
    unsigned char number;

    while (read(noted[0], &number, 1) == 1) {
        if (number == SIGCHLD) {
            if (!w->has_ended && wait4(w->pid, &w->status, WNOHANG, &w->used) == w->pid) {
                w->has_ended = true;
                w->ended_s = portolan_now_s();
            }
        } else if (!w->told) {
            w->told = number;
            stop(w);
        }
    }
}

static void wait_for_end(struct watch *w)
{
    while (!w->has_ended) {
        struct pollfd fds[] = {
            {w->fds[OUTPUT], POLLIN, 0}, {w->fds[ERRORS], POLLIN, 0}, {noted[0], POLLIN, 0}};
        double left_s = fmin(w->stop_s - portolan_now_s(), 3600);

        poll(fds, 3, left_s > 0 ? (int)ceil(1000 * left_s) : 0);
        for (size_t i = 0; i < N_STREAMS; i++)
            if (fds[i].revents)
                read_stream(w, i);
        take_signals(w);
        if (!w->has_ended && portolan_now_s() >= w->stop_s) {
            w->is_late = w->is_late || !w->is_stopping;
            stop(w);
        }
    }
}

/* Ranks whose launcher was killed became children of this process, which has no others. */
static void end_orphans(const struct watch *w)
{
    char path[64];
    FILE *f;
    int pid, seen = 1;

    kill(-w->pid, SIGKILL);
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int round = 0; seen > 0 && round < 100; round++) { /* a child may have some in turn */
        seen = 0;
        if (!(f = fopen(path, "re")))
            return;
        while (fscanf(f, "%d", &pid) == 1)
            seen += !kill(pid, SIGKILL);
        fclose(f);
        while (seen > 0 && waitpid(-1, NULL, 0) > 0)
            ;
    }
}

static void end(struct watch *w)
{
    for (size_t i = 0; i < N_STREAMS; i++) {
        if (w->fds[i] >= 0)
            read_stream(w, i);
        if (w->fds[i] >= 0)
            close(w->fds[i]);
        portolan_text_clear(&w->lines[i]);
    }
    release_signals();
}

/* ------------------------------------------------------------------ the result */

static enum portolan_status judge(const struct watch *w, struct portolan_error *err)
{
    int number = WIFSIGNALED(w->status) ? WTERMSIG(w->status) : 0;

    if (w->told)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "ended from outside by %s",
                                  strsignal(w->told));
    if (w->is_late)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "still running at its limit of %.3g s",
                                  w->how->limit_s);
    if (w->status == 0) /* launchers also end so when they are told to */
        return PORTOLAN_OK;
    if (w->message[0])
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "%s", w->message);
    /* MPICH's mpiexec says so, too, of ranks that call _exit() at the same moment. */
    if (w->ended_by[0] && strcmp(w->ended_by, "Hangup (signal 1)") != 0)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "a process ended by %s", w->ended_by);
    if (number)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "a process ended by %s (signal %d)",
                                  strsignal(number), number);
    return portolan_error_set(err, PORTOLAN_EFOREIGN, "its processes ended with status %d",
                              WEXITSTATUS(w->status));
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static void tell_usage(const struct watch *w)
{
    if (w->how->usage)
        *w->how->usage = (struct portolan_usage){
            .elapsed_s = w->ended_s - w->began_s,
            .processor_s = seconds_of(&w->used.ru_utime) + seconds_of(&w->used.ru_stime),
            .memory_bytes = 1024.0 * (double)w->used.ru_maxrss,
            .status = WIFEXITED(w->status) && !w->is_late ? WEXITSTATUS(w->status) : -1,
            .is_late = w->is_late};
}

static enum portolan_status watch_command(const struct portolan_supervision *how,
                                          char *const *words, int *signal_number,
                                          struct portolan_error *err)
{
    struct watch w = {.how = how,
                      .pid = -1,
                      .stop_s = how->limit_s > 0 ? portolan_now_s() + how->limit_s : INFINITY};
    enum portolan_status status = begin(&w, words, err);

    if (!status) {
        wait_for_end(&w);
        /* It may have ended by itself after its limit, before this process saw the time. */
        w.is_late =
            w.is_late || (!w.told && how->limit_s > 0 && w.ended_s - w.began_s > how->limit_s);
        end_orphans(&w);
        tell_usage(&w);
        status = judge(&w, err);
    }
    end(&w);
    *signal_number = w.told;
    return status;
}

enum portolan_status portolan_supervise(struct portolan_arena *arena,
                                        const struct portolan_words *command,
                                        const struct portolan_supervision *how, int *signal_number,
                                        struct portolan_error *err)
{
    const char **words = portolan_arena_alloc(arena, command->n + 1, sizeof *words);

    *signal_number = 0;
    if (!words)
        return portolan_no_memory(err);
    memcpy(words, command->word, command->n * sizeof *words); /* and NULL at the end */
    if (!portolan_program_find(arena, words[0]))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "cannot run '%s': %s", words[0],
                                  strerror(errno));
    return watch_command(how, (char *const *)words, signal_number, err);
}
