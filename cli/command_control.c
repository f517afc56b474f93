/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends commands to a running program by replacing the control file. Each rank replaces its reply
 * file; replies name the request. */
#include "cli.h"

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

struct options {
    const char *target;
    struct portolan_text commands; /* lines */
    bool in_line;                  /* the last line is not empty */
    double timeout_s;
};

/* Joins words to lines; semicolons separate lines. */
static void add_word(struct options *o, const char *word)
{
    while (*word) {
        size_t length = strcspn(word, ";");

        if (length)
            portolan_text_add(&o->commands, "%s%.*s", o->in_line ? " " : "", (int)length, word);
        o->in_line = o->in_line || length;
        word += length;
        if (*word == ';') {
            portolan_text_add(&o->commands, "\n");
            o->in_line = false;
            word++;
        }
    }
}

static error_t take_word(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct options *o = to;

    (void)option, (void)state;
    if (o->target)
        add_word(o, arg);
    else
        o->target = arg;
    return 0;
}

static const struct cli_option options[] = {
    {"timeout", 't', "SECONDS", "how long to wait for the reply (default: 10)",
     INTO(struct options, timeout_s), .wanted = "a number of seconds"},
    {.key = CLI_WORD, .take = take_word},
    {.key = CLI_END,
     .doc = "which program? name its control file, or its process id",
     INTO(struct options, target)},
    {0},
};

/* ------------------------------------------------- a process by its number */

/* Reads what a process publishes about its listener, in a memory file among its open files; or
 * NULL. */
static char *read_card(const char *pid)
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

/* The rest of the line of CARD that begins with WORD; the caller frees it. */
static char *card_line(const char *card, const char *word)
{
    size_t length = strlen(word);

    for (const char *line = card; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, word, length))
            return portolan_asprintf("%.*s", (int)strcspn(line + length, "\n"), line + length);
    return NULL;
}

/* A process without a control file obeys only commands that are assigned to signals. */
static int send_signal(const struct options *o, const char *card)
{
    const char *command = o->commands.length ? o->commands.bytes : "list";
    struct portolan_error err = {0};
    int number;
    char word[20];

    for (const char *line = card; line && *line; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "signal %d %19s", &number, word) == 2 && !strcmp(word, command)) {
            if (kill((pid_t)atol(o->target), number) == 0)
                return 0;
            portolan_error_set(&err, PORTOLAN_EIO, "process %s: %s", o->target, strerror(errno));
            return print_error(&err);
        }
        if (!strchr(line, '\n'))
            break;
    }
    portolan_error_set(&err, PORTOLAN_EUNSUPPORTED,
                       "process %s accepts only signals, and no signal has the command '%s'; start "
                       "it with a control file",
                       o->target, command);
    return print_error(&err);
}

/* ------------------------------------------------- request and reply */

/* The answers of the ranks. */
struct answers {
    size_t n; /* one per rank */
    struct answer {
        char *text;
        bool failed;
    } * list;
};

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

    x->folder = folder_of(x->file);
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

static enum portolan_status collect_answers(const struct exchange *x, struct answers *a,
                                            struct portolan_error *err)
{
    int nodes = 1;

    for (int node = 0; node < nodes; node++) {
        struct answer one = {.text = wait_for_reply(x, node, err)};
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

/*
 * Puts COMMANDS in the control file and waits until all ranks have answered. Waits while another
 * process sends. ETIMEOUT after TIMEOUT_S seconds.
 */
static enum portolan_status send_commands(const char *file, const char *commands, double timeout_s,
                                          struct answers *answers, struct portolan_error *err)
{
    struct exchange x = {.file = file, .lock_fd = -1, .watch_fd = -1};
    enum portolan_status status;

    *answers = (struct answers){0};
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

static void answers_clear(struct answers *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->list[i].text);
    free(a->list);
}

/* ------------------------------------------------- answers */

static void print_field(const char **at, int width)
{
    size_t length = strcspn(*at, "\t\n");

    printf("%-*.*s  ", width, (int)length, *at);
    *at += length + ((*at)[length] == '\t');
}

/* port NAME TYPE VARIANT on|off [mastermind] SELECTED IMPLEMENTATION... */
static void print_port(const char *line)
{
    const char *selected;
    size_t length;

    line += strcspn(line, "\t") + 1;
    print_field(&line, 24);
    print_field(&line, 20);
    print_field(&line, 10);
    length = strcspn(line, "\t");
    printf("%.*s", (int)length, line);
    line += length + 1;
    line += strcspn(line, "\t") + 1; /* skip [mastermind]: refusals show whether there is one */
    selected = line;
    length = strcspn(line, "\t\n");
    for (line += length; *line == '\t'; line += strcspn(line, "\t\n")) {
        size_t n = strcspn(++line, "\t\n");

        printf("\n    %c %.*s", n == length && !strncmp(line, selected, n) ? '*' : ' ', (int)n,
               line);
    }
    if (length && !strchr(selected, '\t'))
        printf("\n    * %.*s", (int)length, selected);
    printf("\n");
}

static void print_answer(const char *text, bool failed, int rank)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");

        if (!strncmp(line, "port\t", 5))
            print_port(line);
        else if (rank >= 0)
            fprintf(failed ? stderr : stdout, "rank %d: %.*s\n", rank, (int)length, line);
        else
            fprintf(failed ? stderr : stdout, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Prints equal answers of all ranks once. */
static int print_answers(const struct answers *a)
{
    bool alike = true, failed = false;

    for (size_t i = 0; i < a->n; i++) {
        failed = failed || a->list[i].failed;
        alike = alike && !strcmp(a->list[i].text, a->list[0].text);
    }
    for (size_t i = 0; i < (alike ? 1 : a->n); i++) {
        if (!alike && a->list[i].text[0])
            printf("rank %zu:\n", i);
        print_answer(a->list[i].text, a->list[i].failed, alike ? -1 : (int)i);
    }
    return failed ? EXIT_BAD_INPUT : 0;
}

static int talk(const char *file, const struct options *o)
{
    struct portolan_error err = {0};
    struct answers answers;
    int result;

    if (send_commands(file, o->commands.length ? o->commands.bytes : "list", o->timeout_s, &answers,
                      &err) == PORTOLAN_OK)
        result = print_answers(&answers);
    else
        result = print_error(&err);
    answers_clear(&answers);
    return result;
}

static int control_process(const struct options *o)
{
    struct portolan_error err = {0};
    char *card = read_card(o->target), *file = card ? card_line(card, "file ") : NULL;
    int result;

    if (!card) {
        portolan_error_set(&err, PORTOLAN_ENOTFOUND,
                           "process %s accepts no commands; start it with `portolan run --control "
                           "FILE` or with PORTOLAN_CONTROL=FILE (a file of that name is ./%s)",
                           o->target, o->target);
        return print_error(&err);
    }
    result = file ? talk(file, o) : send_signal(o, card);
    free(card);
    free(file);
    return result;
}

int command_control(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "FILE|PID [COMMAND...]",
        .doc = "Change what a running program measures and runs: portolan control FILE profile "
               "'solver.*'\vCommands: forward, profile, mastermind, off, on GLOB; use GLOB "
               "IMPLEMENTATION; toggle; counters [SET]; dump [FOLDER]; flush; list (the default). "
               "For the Optimizer: pin, forbid INSTANCE=CLASS; release [INSTANCE[=CLASS]]; undo; "
               "explore on|off|SHARE. Separate several commands by semicolons.",
        .options = options,
    };
    struct options o = {.timeout_s = 10};
    struct portolan_error err = {0};
    int64_t pid;
    int result;

    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    if (o.commands.failed) {
        portolan_no_memory(&err);
        result = print_error(&err);
    } else if (portolan_read_int64(o.target, &pid) && pid > 0) {
        result = control_process(&o);
    } else {
        result = talk(o.target, &o);
    }
    portolan_text_clear(&o.commands);
    return result;
}
