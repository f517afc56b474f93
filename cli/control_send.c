/* SPDX-License-Identifier: BSD-3-Clause */
/* The control file is replaced; each rank replaces its reply, which names the request. */
#include "control_send.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

struct exchange {
    const char *file;
    char *folder;
    char request[80];
    int lock_fd, watch_fd;
    double end_s; /* when to give up */
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static enum portolan_status fail(const struct exchange *x, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "control file '%s': %s", x->file, strerror(errno));
}

/* One at a time sends through a folder; the lock goes with the process. */
static enum portolan_status take_turn(struct exchange *x, struct portolan_error *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const char *slash = strrchr(x->file, '/');

    x->folder =
        slash ? portolan_asprintf("%.*s", slash == x->file ? 1 : (int)(slash - x->file), x->file)
              : portolan_strdup(".");
    if (!x->folder)
        return portolan_no_memory(err);
    x->lock_fd = open(x->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (x->lock_fd < 0)
        return fail(x, err);
    while (flock(x->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(x, err);
        if (now_s() > x->end_s)
            return portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                      "another `portolan control` is still waiting for an answer "
                                      "in folder '%s'",
                                      x->folder);
        nanosleep(&pause, NULL);
    }
    x->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (x->watch_fd < 0 || inotify_add_watch(x->watch_fd, x->folder, IN_MOVED_TO) < 0)
        return fail(x, err);
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

static char *reply_name(const struct exchange *x, int node)
{
    return node ? portolan_asprintf("%s.reply.%d", x->file, node)
                : portolan_asprintf("%s.reply", x->file);
}

/* The reply of NODE behind its first line, or NULL while it is none to this request. */
static char *read_reply(const struct exchange *x, int node)
{
    char *name = reply_name(x, node), *text = NULL;
    FILE *f = name ? fopen(name, "re") : NULL;
    size_t room = 0;
    ssize_t n = f ? getdelim(&text, &room, '\0', f) : -1;
    size_t head = strlen(x->request);
    bool ours = n > 0 && !strncmp(text, x->request, head);

    if (f)
        fclose(f);
    free(name);
    if (!ours) {
        free(text);
        return NULL;
    }
    memmove(text, text + head, (size_t)n - head);
    text[(size_t)n - head] = '\0';
    return text;
}

/* Waits for a file to come, at most as long as there is patience; looks in between as well, for on
 * some file systems nobody is told. */
static bool wait_for_file(const struct exchange *x)
{
    char events[4096];
    struct pollfd wait = {x->watch_fd, POLLIN, 0};
    double left = x->end_s - now_s();

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
                portolan_error_set(err, PORTOLAN_ETIMEOUT, "rank %d does not answer", node);
            else
                portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                   "no program answers through '%s'; is one running that was "
                                   "started with `portolan run --control %s` or with "
                                   "PORTOLAN_CONTROL=%s?",
                                   x->file, x->file, x->file);
            return NULL;
        }
    return text;
}

static enum portolan_status collect(const struct exchange *x, struct answers *a,
                                    struct portolan_error *err)
{
    int nodes = 1;

    for (int node = 0; node < nodes; node++) {
        char *text = wait_for_reply(x, node, err), *rest;

        if (!text)
            return err->status;
        if (node == 0) {
            int n = 0;

            if (sscanf(text, "nodes %d", &n) == 1 && n > 1)
                nodes = n;
            a->texts = portolan_calloc((size_t)nodes, sizeof *a->texts);
            a->failed = portolan_calloc((size_t)nodes, sizeof *a->failed);
        }
        if (!a->texts || !a->failed) {
            free(text);
            return portolan_no_memory(err);
        }
        a->failed[node] = !strstr(text, "\nstatus ok\n");
        rest = strstr(text, "\nstatus ");
        rest = rest ? strchr(rest + 1, '\n') : NULL;
        memmove(text, rest ? rest + 1 : "", strlen(rest ? rest + 1 : "") + 1);
        a->texts[a->n++] = text;
    }
    return PORTOLAN_OK;
}

enum portolan_status control_send(const char *file, const char *commands, double timeout_s,
                                  struct answers *answers, struct portolan_error *err)
{
    struct exchange x = {.file = file, .lock_fd = -1, .watch_fd = -1};
    enum portolan_status status;

    *answers = (struct answers){0};
    x.end_s = now_s() + timeout_s;
    status = take_turn(&x, err);
    if (status == PORTOLAN_OK)
        status = write_request(&x, commands, err);
    if (status == PORTOLAN_OK)
        status = collect(&x, answers, err);
    if (x.watch_fd >= 0)
        close(x.watch_fd);
    if (x.lock_fd >= 0)
        close(x.lock_fd);
    free(x.folder);
    return status;
}

void answers_clear(struct answers *a)
{
    for (int i = 0; i < a->n; i++)
        free(a->texts[i]);
    free(a->texts);
    free(a->failed);
    *a = (struct answers){0};
}
