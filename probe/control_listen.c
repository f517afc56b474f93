/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands from outside: one thread that sleeps until the control file is written or a signal
 * comes. What it opens is closed in forked children, who have no listener.
 *
 * The folder is watched, not the file: a file that is replaced is another file.
 */
#include "control_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SIGNALS_MAX 8
/* Larger is no control file. */
#define FILE_MAX 65536
/* How often a folder that is not there, or that other machines write, is looked at. */
#define LOOK_MS 1000

struct listener {
    pthread_t thread;
    char *file, *folder, *reply; /* NULL without a file */
    const char *base;            /* the file's name, inside `file` */
    int watch_fd, watch;         /* inotify; the folder's, or -1 */
    bool is_remote;              /* inotify sees nothing of what other machines do */
    struct stat seen;            /* the file as it was obeyed last; st_ino 0: none */
    int stop_fd, card_fd;
    int n_signals;
    struct {
        int number;
        const char *command;
    } signals[SIGNALS_MAX];
};

static pthread_mutex_t listener_lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener *listener;

/* What the handler needs: the signals that have come, and what wakes the thread. */
static unsigned pending[NSIG];
static struct sigaction before[NSIG];
static int wake_fd = -1;

/* ------------------------------------------------- signals */

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
    /* Who handled it before goes on to do so: MPICH takes USR1, for one. */
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
static enum portolan_status read_signal(struct listener *l, char *text, struct portolan_error *err)
{
    static const char *const commands[] = {"toggle", "dump", "flush"};
    char *colon = strchr(text, ':');
    const char *command = commands[0];

    if (colon) {
        *colon = '\0';
        command = NULL;
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (!strcmp(colon + 1, commands[i]))
                command = commands[i];
    }
    if (!command)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is no command for a signal; toggle, dump and flush are",
                                  colon + 1);
    if (l->n_signals == SIGNALS_MAX)
        return portolan_error_set(err, PORTOLAN_EINVAL, "more than %d signals", SIGNALS_MAX);
    l->signals[l->n_signals].number = signal_number(text);
    l->signals[l->n_signals].command = command;
    if (!l->signals[l->n_signals].number)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "'%s' is no signal that can be used; USR1, USR2, HUP, WINCH, URG, "
            "PROF, ALRM, VTALRM, CONT and RTMIN+N are",
            text);
    for (int i = 0; i < l->n_signals; i++)
        if (l->signals[i].number == l->signals[l->n_signals].number)
            return portolan_error_set(err, PORTOLAN_EINVAL, "signal %s is named twice", text);
    l->n_signals++;
    return PORTOLAN_OK;
}

static enum portolan_status read_signals(struct listener *l, const char *text,
                                         struct portolan_error *err)
{
    char *copy = portolan_strdup(text ? text : ""), *rest = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (!copy)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    for (char *word = strtok_r(copy, ", ", &rest); word && status == PORTOLAN_OK;
         word = strtok_r(NULL, ", ", &rest))
        status = read_signal(l, word, err);
    free(copy);
    return status;
}

static void restore_signals(struct listener *l)
{
    struct sigaction now;

    for (int i = 0; i < l->n_signals; i++) {
        int number = l->signals[i].number;

        if (sigaction(number, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
            now.sa_sigaction == note_signal)
            sigaction(number, &before[number], NULL);
    }
}

static void take_signals(struct listener *l)
{
    for (int i = 0; i < l->n_signals; i++) {
        int number = l->signals[i].number;
        struct sigaction action;

        sigaction(number, NULL, &before[number]);
        action = before[number];
        action.sa_sigaction = note_signal;
        action.sa_flags = (action.sa_flags & (SA_ONSTACK | SA_NODEFER)) | SA_SIGINFO | SA_RESTART;
        sigaction(number, &action, NULL);
    }
}

/* ------------------------------------------------- the file */

static char *read_file(const char *path, struct stat *seen, struct portolan_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd >= 0 ? portolan_calloc(1, FILE_MAX + 1) : NULL;
    size_t length = 0;
    ssize_t n = 1;

    if (fd < 0) {
        if (errno != ENOENT)
            portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, seen) != 0 || !S_ISREG(seen->st_mode)) {
        portolan_error_set(err, PORTOLAN_EIO, "'%s' is no file", path);
        n = 0;
    }
    while (text && n > 0 && length < FILE_MAX + 1) {
        n = read(fd, text + length, FILE_MAX + 1 - length);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            length += (size_t)n;
    }
    close(fd);
    if (!text)
        portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    else if (length > FILE_MAX)
        portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is longer than %d bytes", path, FILE_MAX);
    else if (memchr(text, '\0', length))
        portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' is no text", path);
    if (err->status == PORTOLAN_OK && text)
        return text;
    free(text);
    return NULL;
}

/* What `portolan control` writes says so in its first line, and by what it knows its answer. */
static const char request_mark[] = "# request ";

static bool is_request(const char *text)
{
    return !strncmp(text, request_mark, sizeof request_mark - 1);
}

static void tell(enum portolan_status status, const char *origin, const char *text)
{
    if (status)
        portolan_log(PORTOLAN_LOG_WARNING, "control", "%s", text);
    else
        portolan_log(PORTOLAN_LOG_INFO, "control", "obeyed %s", origin);
}

static void answer(const struct listener *l, const char *text)
{
    struct portolan_text reply = {0}, whole = {0};
    struct portolan_error err = {0}, later = {0};
    const char *origin = l->file;
    size_t head = strcspn(text, "\n");

    if (is_request(text)) {
        portolan_text_add(&whole, "request %.*s\n", (int)(head - sizeof request_mark + 1),
                          text + sizeof request_mark - 1);
        text += head + (text[head] == '\n');
        origin = "command";
    }
    portolan_control_execute(text, origin, &reply, &err);
    tell(err.status, l->file, err.text);
    portolan_text_add(&whole, "nodes %d\nstatus %s\n", portolan_control_node_count(),
                      err.status ? "error" : "ok");
    portolan_text_add_bytes(&whole, reply.bytes ? reply.bytes : "", reply.length);
    if (err.status)
        portolan_text_add(&whole, "%s\n", err.text);
    if (whole.failed || control_write_file(l->reply, whole.bytes, whole.length, &later))
        portolan_log(PORTOLAN_LOG_WARNING, "control", "no answer could be written: %s",
                     whole.failed ? "out of memory" : later.text);
    portolan_text_clear(&whole);
    portolan_text_clear(&reply);
}

static void refuse(const struct listener *l, const struct portolan_error *err)
{
    struct portolan_text whole = {0};

    portolan_log(PORTOLAN_LOG_WARNING, "control", "%s", err->text);
    portolan_text_add(&whole, "status error\n%s\n", err->text);
    if (!whole.failed)
        control_write_file(l->reply, whole.bytes, whole.length, NULL);
    portolan_text_clear(&whole);
}

/* A file that has gone changes nothing; nor does, AT_START, what was meant for another program. */
static void obey_file(struct listener *l, bool at_start)
{
    struct portolan_error err = {0};
    struct stat seen = {0};
    char *text = read_file(l->file, &seen, &err);

    l->seen = seen;
    if (err.status)
        refuse(l, &err);
    else if (text && !(at_start && is_request(text)))
        answer(l, text);
    free(text);
}

static bool has_changed(const struct listener *l)
{
    struct stat now;

    return stat(l->file, &now) == 0 &&
           (now.st_ino != l->seen.st_ino || now.st_dev != l->seen.st_dev ||
            now.st_size != l->seen.st_size || now.st_mtim.tv_sec != l->seen.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != l->seen.st_mtim.tv_nsec);
}

/* ------------------------------------------------- the folder */

/* File systems that other machines write too. */
static bool is_remote(const char *folder)
{
    static const unsigned long known[] = {0x6969 /* NFS */,
                                          0x0BD00BD0 /* Lustre */,
                                          0x47504653 /* GPFS */,
                                          0xFF534D42 /* CIFS */,
                                          0xFE534D42 /* SMB2 */,
                                          0x517B /* SMB */,
                                          0x01021997 /* 9P */,
                                          0x65735546 /* FUSE */,
                                          0x00C36400 /* Ceph */,
                                          0x5346414F /* AFS */,
                                          0x7461636F /* OCFS2 */,
                                          0x01161970 /* GFS2 */,
                                          0x19830326 /* BeeGFS */};
    struct statfs fs;

    for (size_t i = 0; statfs(folder, &fs) == 0 && i < sizeof known / sizeof *known; i++)
        if (((unsigned long)fs.f_type & 0xFFFFFFFFU) == known[i])
            return true;
    return false;
}

static bool watch_folder(struct listener *l)
{
    l->watch = inotify_add_watch(l->watch_fd, l->folder,
                                 IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                     IN_ONLYDIR);
    l->is_remote = l->watch >= 0 && is_remote(l->folder);
    return l->watch >= 0;
}

/* Whether the file was written, whatever else happened in the folder. */
static bool take_events(struct listener *l)
{
    _Alignas(struct inotify_event) char buffer[4096];
    bool written = false;
    ssize_t n;

    while ((n = read(l->watch_fd, buffer, sizeof buffer)) > 0)
        for (char *at = buffer; at < buffer + n;) {
            const struct inotify_event *e = (const struct inotify_event *)at;

            if (e->mask & IN_MOVE_SELF)
                inotify_rm_watch(l->watch_fd, e->wd);
            if (e->mask & IN_IGNORED && e->wd == l->watch)
                l->watch = -1;
            /* events that were lost may have been ours */
            written = written || e->mask & IN_Q_OVERFLOW ||
                      (e->mask & (IN_CLOSE_WRITE | IN_MOVED_TO) && e->len > 0 &&
                       !strcmp(e->name, l->base));
            at += sizeof *e + e->len;
        }
    return written;
}

/* ------------------------------------------------- the thread */

static void obey_signals(struct listener *l)
{
    uint64_t count;

    if (read(wake_fd, &count, sizeof count) != sizeof count)
        return;
    for (int i = 0; i < l->n_signals; i++) {
        unsigned n = __atomic_exchange_n(&pending[l->signals[i].number], 0, __ATOMIC_RELAXED);

        if (!strcmp(l->signals[i].command, "toggle"))
            n %= 2;  /* twice is as never */
        if (n > 0) { /* the reply is left to who wrote the file */
            struct portolan_error err = {0};

            portolan_control_apply(l->signals[i].command, "signal", &err);
            tell(err.status, "a signal", err.text);
        }
    }
}

static void *listen_loop(void *arg)
{
    struct listener *l = arg;
    struct pollfd wait[] = {
        {l->stop_fd, POLLIN, 0}, {wake_fd, POLLIN, 0}, {l->watch_fd, POLLIN, 0}};

    for (;;) {
        bool looks = l->file && (l->watch < 0 || l->is_remote);

        poll(wait, 3, looks ? LOOK_MS : -1);
        if (wait[0].revents)
            return NULL;
        if (wait[1].revents)
            obey_signals(l);
        if (!l->file)
            continue;
        if (l->watch < 0) /* first this, so that nothing is written in between */
            watch_folder(l);
        if ((wait[2].revents && take_events(l)) || (looks && has_changed(l)))
            obey_file(l, false);
    }
}

static enum portolan_status start_thread(struct listener *l, struct portolan_error *err)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&l->thread, NULL, listen_loop, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no thread for the control file: %s",
                                  strerror(failed));
    pthread_setname_np(l->thread, "portolan");
    return PORTOLAN_OK;
}

/* ------------------------------------------------- life */

static void close_fds(struct listener *l)
{
    const int fds[] = {l->watch_fd, l->stop_fd, l->card_fd,
                       __atomic_exchange_n(&wake_fd, -1, __ATOMIC_ACQ_REL)};

    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void listener_free(struct listener *l)
{
    if (!l)
        return;
    close_fds(l);
    free(l->file);
    free(l->folder);
    free(l->reply);
    free(l);
}

static enum portolan_status name_files(struct listener *l, const char *file,
                                       struct portolan_error *err)
{
    int node = portolan_control_node();
    char *slash, *real;

    if (!(l->folder = portolan_strdup(file)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if ((slash = strrchr(l->folder, '/')))
        slash[slash == l->folder] = '\0';
    else
        strcpy(l->folder, ".");
    /* the program may change its folder */
    if (!(real = realpath(*file ? l->folder : "/nowhere", NULL)))
        return portolan_error_set(err, PORTOLAN_EIO, "the folder of control file '%s': %s", file,
                                  strerror(errno));
    free(l->folder);
    l->folder = real;
    slash = strrchr(file, '/');
    l->file = portolan_asprintf("%s/%s", strcmp(real, "/") ? real : "", slash ? slash + 1 : file);
    l->reply = l->file ? node ? portolan_asprintf("%s.reply.%d", l->file, node)
                              : portolan_asprintf("%s.reply", l->file)
                       : NULL;
    if (!l->reply)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    l->base = strrchr(l->file, '/') + 1;
    if (!*l->base)
        return portolan_error_set(err, PORTOLAN_EIO, "'%s' is a folder, not a control file", file);
    if ((l->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) < 0 || !watch_folder(l))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot watch folder '%s': %s", l->folder,
                                  strerror(errno));
    return PORTOLAN_OK;
}

/* What `portolan control PID` finds in /proc/PID/fd; it goes with the process, however that ends.
 */
static void show_card(struct listener *l)
{
    char number[60];

    l->card_fd = memfd_create("portolan-control", MFD_CLOEXEC);
    if (l->card_fd < 0)
        return;
    if (l->file)
        dprintf(l->card_fd, "file %s\nreply %s\n", l->file, l->reply);
    for (int i = 0; i < l->n_signals; i++) {
        snprintf(number, sizeof number, "signal %d %s\n", l->signals[i].number,
                 l->signals[i].command);
        dprintf(l->card_fd, "%s", number);
    }
}

static enum portolan_status listener_start(const char *file, const char *signals,
                                           struct portolan_error *err)
{
    struct listener *l = portolan_calloc(1, sizeof *l);
    enum portolan_status status;
    int fd;

    if (!l)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    l->watch_fd = l->watch = l->stop_fd = l->card_fd = -1;
    memset(pending, 0, sizeof pending);
    status = read_signals(l, signals, err);
    if (status == PORTOLAN_OK && file)
        status = name_files(l, file, err);
    if (status == PORTOLAN_OK) {
        l->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        __atomic_store_n(&wake_fd, fd, __ATOMIC_RELEASE);
        if (l->stop_fd < 0 || fd < 0)
            status = portolan_error_set(err, PORTOLAN_EIO, "no eventfd: %s", strerror(errno));
    }
    if (status != PORTOLAN_OK) {
        listener_free(l);
        return status;
    }
    take_signals(l);
    show_card(l);
    if (l->file)
        obey_file(l, true);
    if ((status = start_thread(l, err)) != PORTOLAN_OK) {
        restore_signals(l);
        listener_free(l);
        return status;
    }
    listener = l;
    return PORTOLAN_OK;
}

/* The child has no thread that would obey, and what wakes it is its parent's. */
static void forget_in_child(void)
{
    if (listener) {
        close_fds(listener);
        listener = NULL; /* its memory stays: it may have been in use by the thread */
    }
    pthread_mutex_unlock(&listener_lock);
}

static void lock_listener(void)
{
    pthread_mutex_lock(&listener_lock);
}

static void unlock_listener(void)
{
    pthread_mutex_unlock(&listener_lock);
}

/* *IS_FIRST: whether nobody listened before. */
static enum portolan_status listen_once(const char *file, const char *signals, bool *is_first,
                                        struct portolan_error *err)
{
    static bool prepared;
    enum portolan_status status = PORTOLAN_OK;

    lock_listener();
    *is_first = !listener;
    if (!prepared)
        prepared = atexit(portolan_control_stop) == 0 &&
                   pthread_atfork(lock_listener, unlock_listener, forget_in_child) == 0;
    if (!prepared)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    else if (!listener)
        status = listener_start(file, signals, err);
    unlock_listener();
    return status;
}

enum portolan_status portolan_control_listen(const char *file, const char *signals,
                                             struct portolan_error *err)
{
    enum portolan_status status;
    bool is_first;

    if (!file && (!signals || !*signals))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "commands come from a control file or by a signal: name one");
    status = listen_once(file, signals, &is_first, err);
    if (status == PORTOLAN_OK && !is_first)
        status =
            portolan_error_set(err, PORTOLAN_EEXISTS, "this process listens to commands already");
    return status;
}

enum portolan_status portolan_control_listen_environment(struct portolan_error *err)
{
    const char *file = getenv("PORTOLAN_CONTROL"), *signals = getenv("PORTOLAN_SIGNAL");
    bool has_file = file && *file, is_first;

    if (!has_file && (!signals || !*signals))
        return PORTOLAN_OK;
    return listen_once(has_file ? file : NULL, signals, &is_first, err);
}

void portolan_control_stop(void)
{
    const uint64_t one = 1;
    struct listener *l;

    lock_listener();
    l = listener;
    if (l && !pthread_equal(l->thread, pthread_self()))
        listener = NULL;
    else
        l = NULL;
    unlock_listener();
    if (!l)
        return;
    restore_signals(l);
    /* what the thread has not let go is not freed */
    if (write(l->stop_fd, &one, sizeof one) == sizeof one && pthread_join(l->thread, NULL) == 0)
        listener_free(l);
}
