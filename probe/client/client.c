/* SPDX-License-Identifier: BSD-3-Clause */
/* The other side of probe/control: finds a process that listens, and talks to it by replacing the
 * control file. Each rank replaces its reply file; replies name the request. */
#include <portolan/control_client.h>
#include <portolan/json.h>
#include <portolan/list.h>
#include <portolan/machine.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------- a process by its number */

char *portolan_control_card(const char *pid)
{
    static const char name[] = "/memfd:portolan-control";
    char folder[100], path[400], target[400];
    struct portolan_text card = {0};
    struct dirent *e;
    DIR *d;

    snprintf(folder, sizeof folder, "/proc/%s/fd", pid);
    if (!(d = opendir(folder)))
        return NULL;
    while (!card.length && (e = readdir(d))) {
        ssize_t n;

        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (strncmp(target, name, sizeof name - 1) == 0)
            portolan_text_add_file(&card, path, SIZE_MAX);
    }
    closedir(d);
    return card.bytes;
}

char *portolan_control_card_line(const char *card, const char *word)
{
    size_t length = strlen(word);

    for (const char *line = card; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, word, length))
            return portolan_asprintf("%.*s", (int)strcspn(line + length, "\n"), line + length);
    return NULL;
}

enum portolan_status portolan_control_signal(const char *pid, const char *card, const char *command,
                                             struct portolan_error *err)
{
    int number;
    char word[20];

    for (const char *line = card; line && *line; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "signal %d %19s", &number, word) == 2 && !strcmp(word, command))
            return kill((pid_t)atol(pid), number) == 0
                       ? PORTOLAN_OK
                       : portolan_error_set(err, PORTOLAN_EIO, "process %s: %s", pid,
                                            strerror(errno));
        if (!strchr(line, '\n'))
            break;
    }
    return portolan_error_set(
        err, PORTOLAN_EUNSUPPORTED,
        "process %s accepts only signals, and no signal has the command '%s'; start "
        "it with a control file",
        pid, command);
}

/* ------------------------------------------------- request and reply */

struct exchange {
    const char *file;
    char *folder;
    char request[80];
    int lock_fd, watch_fd;
    double end_s; /* deadline */
};

static enum portolan_status fail_exchange(const struct exchange *x, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "control file '%s': %s", x->file, strerror(errno));
}

/* Only one command at a time may use a folder; the lock ends with the process. */
static enum portolan_status take_turn(struct exchange *x, struct portolan_error *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    const char *slash = strrchr(x->file, '/');

    x->folder = portolan_asprintf("%.*s", slash ? (int)(slash - x->file) + (slash == x->file) : 1,
                                  slash ? x->file : ".");
    if (!x->folder)
        return portolan_no_memory(err);
    x->lock_fd = open(x->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (x->lock_fd < 0)
        return fail_exchange(x, err);
    while (flock(x->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail_exchange(x, err);
        if (portolan_now_s() > x->end_s)
            return portolan_error_set(
                err, PORTOLAN_ETIMEOUT,
                "another `portolan control` is still waiting for a reply in folder '%s'",
                x->folder);
        nanosleep(&pause, NULL);
    }
    x->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (x->watch_fd < 0 || inotify_add_watch(x->watch_fd, x->folder, IN_MOVED_TO) < 0)
        return fail_exchange(x, err);
    return PORTOLAN_OK;
}

static enum portolan_status write_request(struct exchange *x, const char *commands,
                                          struct portolan_error *err)
{
    struct portolan_text t = {0};
    enum portolan_status status;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(x->request, sizeof x->request, "request %ld.%lld.%09ld\n", (long)getpid(),
             (long long)now.tv_sec, now.tv_nsec);
    portolan_text_add(&t, "# %s%s\n", x->request, commands);
    status =
        t.failed ? portolan_no_memory(err) : portolan_replace_file(x->file, t.bytes, t.length, err);
    portolan_text_clear(&t);
    return status;
}

/* The reply of NODE without its first line, or NULL if it does not answer this request yet. */
static char *read_reply(const struct exchange *x, int node)
{
    char *name = node ? portolan_asprintf("%s.reply.%d", x->file, node)
                      : portolan_asprintf("%s.reply", x->file);
    size_t head = strlen(x->request);
    struct portolan_text text = {0};

    if (name)
        portolan_text_add_file(&text, name, SIZE_MAX);
    free(name);
    if (text.length < head || strncmp(text.bytes, x->request, head) != 0) {
        portolan_text_clear(&text);
        return NULL;
    }
    memmove(text.bytes, text.bytes + head, text.length + 1 - head);
    return text.bytes;
}

/* Waits for a file change; false after the deadline. Returns at least every half second, because
 * some file systems send no notifications. */
static bool wait_for_file(const struct exchange *x)
{
    char events[4096];
    struct pollfd wait = {x->watch_fd, POLLIN, 0};
    double left = x->end_s - portolan_now_s();

    if (left <= 0)
        return false;
    poll(&wait, 1, left < 0.5 ? (int)(left * 1e3) + 1 : 500);
    while (read(x->watch_fd, events, sizeof events) > 0)
        ;
    return true;
}

static char *wait_for_reply(const struct exchange *x, int node, struct portolan_error *err)
{
    char *text;

    while (!(text = read_reply(x, node)))
        if (!wait_for_file(x)) {
            if (node)
                portolan_error_set(err, PORTOLAN_ETIMEOUT, "rank %d does not reply", node);
            else
                portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                   "no program replies in '%s'; is one running that was started "
                                   "with `portolan run --control %s` or with PORTOLAN_CONTROL=%s?",
                                   x->file, portolan_shell_word(x->file).text,
                                   portolan_shell_word(x->file).text);
            return NULL;
        }
    return text;
}

static enum portolan_status collect_answers(const struct exchange *x,
                                            struct portolan_control_answers *a,
                                            struct portolan_error *err)
{
    int nodes = 1;

    for (int node = 0; node < nodes; node++) {
        struct portolan_control_answer one = {.text = wait_for_reply(x, node, err)};
        const char *rest;
        int n = 0;

        if (!one.text)
            return err->status;
        if (node == 0 && sscanf(one.text, "nodes %d", &n) == 1 && n > 1)
            nodes = n;
        one.failed = !strstr(one.text, "\nstatus ok\n");
        rest = strstr(one.text, "\nstatus ");
        rest = rest ? strchr(rest + 1, '\n') : NULL;
        memmove(one.text, rest ? rest + 1 : "", strlen(rest ? rest + 1 : "") + 1);
        if (!portolan_append(&a->list, &a->n, &one, sizeof one)) {
            free(one.text);
            return portolan_no_memory(err);
        }
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_control_send(const char *file, const char *commands, double timeout_s,
                                           struct portolan_control_answers *answers,
                                           struct portolan_error *err)
{
    struct exchange x = {.file = file, .lock_fd = -1, .watch_fd = -1};
    enum portolan_status status;

    *answers = (struct portolan_control_answers){0};
    x.end_s = portolan_now_s() + timeout_s;
    status = take_turn(&x, err);
    if (status == PORTOLAN_OK)
        status = write_request(&x, commands, err);
    if (status == PORTOLAN_OK)
        status = collect_answers(&x, answers, err);
    if (x.watch_fd >= 0)
        close(x.watch_fd);
    if (x.lock_fd >= 0)
        close(x.lock_fd);
    free(x.folder);
    return status;
}

void portolan_control_answers_clear(struct portolan_control_answers *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->list[i].text);
    free(a->list);
}
