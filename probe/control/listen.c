/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands from outside: one thread that sleeps until the control file is written or a signal
 * comes. A forked child has no listener; what that had opened is closed there.
 *
 * The folder is watched, not the file: a file that is replaced is another file.
 */
#include "internal.h"

#include <portolan/machine.h>
#include <portolan/owner.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A larger file is not a control file. */
#define FILE_MAX 65536
/* How often to look at a folder that is missing, or that other machines write to. */
#define LOOK_MS 1000

struct listener {
    pthread_t thread;
    char *file, *folder, *reply; /* NULL without a file */
    const char *base;            /* the file's name, inside `file` */
    int watch_fd, watch;         /* inotify; the folder's, or -1 */
    bool is_remote;              /* inotify sees nothing of what other machines do */
    struct stat seen;            /* the file as it was obeyed last; st_ino 0: none */
    int stop_fd, card_fd;
    struct control_signals signals;
};

static pthread_mutex_t listener_lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener *listener;

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
        portolan_error_set(err, PORTOLAN_EIO, "control file '%s': %s", path,
                           S_ISDIR(seen->st_mode) ? strerror(EISDIR) : "it is no file");
        n = 0;
    } else if (!portolan_is_trusted(seen)) {
        portolan_error_set(
            err, PORTOLAN_EIO,
            "control file '%s' is not obeyed: it belongs to user %ld, neither to the "
            "one who runs this nor to root",
            path, (long)seen->st_uid);
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
        portolan_no_memory(err);
    else if (length > FILE_MAX)
        portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is longer than %d bytes", path, FILE_MAX);
    else if (memchr(text, '\0', length))
        portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' is no text", path);
    if (err->status == PORTOLAN_OK && text)
        return text;
    free(text);
    return NULL;
}

char *portolan_control_file_take(const char *path, struct stat *seen, struct portolan_error *err)
{
    struct stat now;

    if (stat(path, &now) != 0 ||
        (now.st_ino == seen->st_ino && now.st_dev == seen->st_dev && now.st_size == seen->st_size &&
         now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec))
        return NULL;
    *seen = now; /* a file that cannot be read is tried again when it has changed */
    return read_file(path, seen, err);
}

void portolan_control_add_head(struct portolan_text *reply, const char *text, int nodes,
                               bool failed)
{
    if (portolan_control_is_request(text))
        portolan_text_add(reply, "request %.*s\n",
                          (int)strcspn(text + sizeof CONTROL_REQUEST - 1, "\n"),
                          text + sizeof CONTROL_REQUEST - 1);
    portolan_text_add(reply, "nodes %d\nstatus %s\n", nodes, failed ? "error" : "ok");
}

static void log_result(enum portolan_status status, const char *origin, const char *text)
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

    portolan_control_execute(text, l->file, &reply, &err);
    log_result(err.status, l->file, err.text);
    portolan_control_add_head(&whole, text, portolan_control_node_count(), err.status);
    portolan_text_add_bytes(&whole, reply.bytes ? reply.bytes : "", reply.length);
    if (err.status)
        portolan_text_add(&whole, "%s\n", err.text);
    if (whole.failed || portolan_replace_file(l->reply, whole.bytes, whole.length, &later))
        portolan_log(PORTOLAN_LOG_WARNING, "control", "cannot write a reply: %s",
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
        portolan_replace_file(l->reply, whole.bytes, whole.length, NULL);
    portolan_text_clear(&whole);
}

/* TEXT may be NULL. AT_START: what was meant for another program changes nothing. */
static void obey_text(const struct listener *l, char *text, const struct portolan_error *err,
                      bool at_start)
{
    if (err->status)
        refuse(l, err);
    else if (text && !(at_start && portolan_control_is_request(text)))
        answer(l, text);
    free(text);
}

/* To be called when the file was written. A file that has gone changes nothing. */
static void obey_file(struct listener *l, bool at_start)
{
    struct portolan_error err = {0};

    l->seen = (struct stat){0};
    obey_text(l, read_file(l->file, &l->seen, &err), &err, at_start);
}

static void obey_if_changed(struct listener *l)
{
    struct portolan_error err = {0};

    obey_text(l, portolan_control_file_take(l->file, &l->seen, &err), &err, false);
}

/* ------------------------------------------------- the folder */

static bool watch_folder(struct listener *l)
{
    l->watch = inotify_add_watch(l->watch_fd, l->folder,
                                 IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                     IN_ONLYDIR);
    l->is_remote = l->watch >= 0 && portolan_machine_shares(l->folder);
    return l->watch >= 0;
}

/* Returns whether the file was written, whatever else happened in the folder. */
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
    const char *command;

    while ((command = control_signals_next(&l->signals))) {
        struct portolan_error err = {0};

        /* only whoever wrote the file gets a reply */
        portolan_control_apply(command, "signal", &err);
        log_result(err.status, "a signal", err.text);
    }
}

static void *listen_loop(void *arg)
{
    struct listener *l = arg;
    struct pollfd wait[] = {
        {l->stop_fd, POLLIN, 0}, {l->signals.fd, POLLIN, 0}, {l->watch_fd, POLLIN, 0}};

    for (;;) {
        bool looks = l->file && (l->watch < 0 || l->is_remote);

        poll(wait, 3, looks ? LOOK_MS : -1);
        if (wait[0].revents)
            return NULL;
        if (wait[1].revents)
            obey_signals(l);
        if (!l->file)
            continue;
        if (l->watch < 0) /* first this, so that no write is missed */
            watch_folder(l);
        if (wait[2].revents && take_events(l))
            obey_file(l, false);
        else if (looks)
            obey_if_changed(l);
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
    const int fds[] = {l->watch_fd, l->stop_fd, l->card_fd};

    control_signals_close(&l->signals);
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
        return portolan_no_memory(err);
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
        return portolan_no_memory(err);
    l->base = strrchr(l->file, '/') + 1;
    if (!*l->base)
        return portolan_error_set(err, PORTOLAN_EIO, "'%s' is a folder, not a control file", file);
    if ((l->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) < 0 || !watch_folder(l))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot watch folder '%s': %s", l->folder,
                                  strerror(errno));
    return PORTOLAN_OK;
}

/*
 * `portolan control PID` finds this file in /proc/PID/fd; it goes when the process ends in any way.
 */
static void show_card(struct listener *l)
{
    char number[60];

    l->card_fd = memfd_create("portolan-control", MFD_CLOEXEC);
    if (l->card_fd < 0)
        return;
    if (l->file)
        dprintf(l->card_fd, "file %s\nreply %s\n", l->file, l->reply);
    for (size_t i = 0; i < l->signals.n; i++) {
        snprintf(number, sizeof number, "signal %d %s\n", l->signals.list[i].number,
                 l->signals.list[i].command);
        dprintf(l->card_fd, "%s", number);
    }
}

static enum portolan_status listener_start(const char *file, const char *signals,
                                           struct portolan_error *err)
{
    struct listener *l = portolan_calloc(1, sizeof *l);
    enum portolan_status status;

    if (!l)
        return portolan_no_memory(err);
    l->watch_fd = l->watch = l->stop_fd = l->card_fd = l->signals.fd = -1;
    status = portolan_control_read_signals(signals, l->signals.list, &l->signals.n, err);
    if (status == PORTOLAN_OK && file)
        status = name_files(l, file, err);
    if (status == PORTOLAN_OK) {
        l->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (l->stop_fd < 0)
            status = portolan_error_set(err, PORTOLAN_EIO, "no eventfd: %s", strerror(errno));
    }
    if (status == PORTOLAN_OK)
        status = control_signals_take(&l->signals, err);
    if (status != PORTOLAN_OK) {
        listener_free(l);
        return status;
    }
    show_card(l);
    if (l->file)
        obey_file(l, true);
    if ((status = start_thread(l, err)) != PORTOLAN_OK) {
        control_signals_restore(&l->signals);
        listener_free(l);
        return status;
    }
    listener = l;
    return PORTOLAN_OK;
}

/* The child has no thread that would obey, and the descriptors that wake it are its parent's. */
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

/* *IS_FIRST: there was no listener before. */
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
        status = portolan_no_memory(err);
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
    control_signals_restore(&l->signals);
    /* what the thread may still use is not freed */
    if (write(l->stop_fd, &one, sizeof one) == sizeof one && pthread_join(l->thread, NULL) == 0)
        listener_free(l);
}
