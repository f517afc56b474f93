/* SPDX-License-Identifier: BSD-3-Clause */
/* <portolan/clue_task.h> in a rank's own process: each function asks portolan-clue. */
#include "client.h"

#include <portolan/clue.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct asker clue_asker = {.fd = -1, .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

bool asker_is_rank(void)
{
    return clue_asker.fd >= 0 && getpid() == clue_asker.process;
}

/* Exits, since portolan-clue has reported the reason already, or was ended itself. */
static void __attribute__((noreturn)) gone(void)
{
    _exit(1);
}

/* ------------------------------------------------- asking */

static void acknowledge(void)
{
    struct link_frame f = {.operation = LINK_ANSWER};

    memcpy(f.words, clue_asker.to_run, sizeof f.words);
    clue_asker.to_run[LINK_FUNCTION] = 0;
    if (!asker_write(&f, NULL, 0))
        gone();
}

static void run(const int64_t *words)
{
    ((void (*)(void *))(uintptr_t)words[LINK_FUNCTION])((void *)(uintptr_t)words[LINK_ARGUMENT]);
    acknowledge();
}

static void deliver(const struct link_frame *f)
{
    void (*take)(void *arg, const struct clue_message *message) =
        (void (*)(void *, const struct clue_message *))(uintptr_t)f->words[0];
    struct clue_message message;

    memcpy(&message, clue_asker.room.bytes, sizeof message);
    message.data = message.data ? clue_asker.room.bytes + sizeof message : NULL;
    if (take)
        take((void *)(uintptr_t)f->words[1], &message);
    if (f->words[2])
        acknowledge();
}

const struct link_frame *ask_with(enum link_operation operation, const int64_t *words,
                                  const struct iovec *parts, int n)
{
    struct link_frame f = {.operation = operation};

    if (!asker_is_rank() || clue_asker.is_serving) {
        fprintf(stderr, "portolan: error: a function that only ranks can call is called by %s\n",
                clue_asker.is_serving ? "what takes a message"
                                      : "a process that a rank has forked");
        _exit(1);
    }
    if (words)
        memcpy(f.words, words, sizeof f.words);
    pthread_mutex_lock(&clue_asker.lock);
    if (!asker_write(&f, parts, n))
        gone();
    for (;;) {
        if (!link_read(clue_asker.fd, &clue_asker.frame, &clue_asker.room))
            gone();
        if (clue_asker.frame.operation == LINK_ANSWER)
            break;
        clue_asker.is_serving = true;
        if (clue_asker.frame.operation == LINK_LINES)
            asker_take_lines(&clue_asker.frame, clue_asker.room.bytes);
        else if (clue_asker.frame.operation == LINK_RUN)
            run(clue_asker.frame.words);
        else
            deliver(&clue_asker.frame);
        clue_asker.is_serving = false;
    }
    pthread_mutex_unlock(&clue_asker.lock);
    return &clue_asker.frame;
}

/* Copies the text of an answer; it is never freed. */
static const char *keep(const struct link_frame *f)
{
    const char *kept = f->bytes ? link_keep(clue_asker.room.bytes) : NULL;

    return f->bytes && !kept ? "?" : kept;
}

#define VALUE0(type, name)                                                                         \
    type name(void)                                                                                \
    {                                                                                              \
        return (type)ask(LINK_##name, 0)->words[0];                                                \
    }
#define VALUE1(type, name, first)                                                                  \
    type name(first a)                                                                             \
    {                                                                                              \
        return (type)ask(LINK_##name, (int64_t)a)->words[0];                                       \
    }
#define VALUE2(type, name, first, second)                                                          \
    type name(first a, second b)                                                                   \
    {                                                                                              \
        return (type)ask(LINK_##name, (int64_t)a, (int64_t)b)->words[0];                           \
    }
#define NOTHING1(name, first)                                                                      \
    void name(first a)                                                                             \
    {                                                                                              \
        ask(LINK_##name, (int64_t)a);                                                              \
    }
#define TEXT0(name)                                                                                \
    const char *name(void)                                                                         \
    {                                                                                              \
        return keep(ask(LINK_##name, 0));                                                          \
    }
#define TEXT1(name, first)                                                                         \
    const char *name(first a)                                                                      \
    {                                                                                              \
        return keep(ask(LINK_##name, (int64_t)a));                                                 \
    }
int64_t clue_epoch_ns(void);
LINK_FUNCTIONS(VALUE0, VALUE1, VALUE2, NOTHING1, TEXT0, TEXT1)

/* ------------------------------------------------- who, and calls */

int clue_self(void)
{
    return (int)clue_asker.facts[LINK_TASK];
}

int clue_n_tasks(void)
{
    return (int)clue_asker.facts[LINK_TASKS];
}

void **clue_own(enum clue_owner owner)
{
    return &clue_asker.own[owner];
}

void clue_call_in(int task, void (*run)(void *arg), void *arg)
{
    clue_asker.to_run[LINK_RUNNER] = task;
    clue_asker.to_run[LINK_FUNCTION] = (int64_t)(uintptr_t)run;
    clue_asker.to_run[LINK_ARGUMENT] = (int64_t)(uintptr_t)arg;
}

void clue_at_exit(enum clue_owner owner, void (*run)(void))
{
    clue_asker.at_exit[owner] = run;
}

void asker_begin_burst(void)
{
    if (!clue_asker.is_measured)
        return;
    asker_cpu_ns(); /* the first reading after others had the processor takes longer */
    clue_asker.began_ns = asker_cpu_ns();
}

void clue_call_begin(const struct clue_routine *routine, const void *site)
{
    int64_t words[LINK_WORDS], ns = clue_asker.is_measured ? asker_cpu_ns() : 0;
    struct iovec parts[2] = {link_text(routine->name)};
    sigset_t before;

    pthread_sigmask(SIG_BLOCK, &clue_asker.held, &before);
    pthread_mutex_lock(&clue_asker.lock);
    if (clue_asker.depth++)
        return;
    clue_asker.before = before;
    parts[1] = link_text(asker_place(site, words));
    words[LINK_ROUTINE] = routine->number;
    ns -= clue_asker.began_ns + clue_asker.clock_ns;
    words[LINK_NS] = ns > 0 ? ns : 0;
    ask_with(LINK_BEGIN, words, parts, 2);
}

void clue_call_end(void)
{
    sigset_t before = clue_asker.before;
    bool is_outermost = --clue_asker.depth == 0;

    if (is_outermost) {
        ask(LINK_END, 0);
        asker_begin_burst();
    }
    pthread_mutex_unlock(&clue_asker.lock);
    if (is_outermost)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void send_event(const struct portolan_mpi_event *event)
{
    const struct portolan_mpi_comm *c = event->comm;
    struct iovec parts[] = {
        link_part(event, sizeof *event),
        link_part(c, c ? sizeof *c : 0),
        link_part(c ? c->members : NULL, c ? (size_t)c->n_members * sizeof *c->members : 0),
        link_part(c ? c->remote : NULL, c ? (size_t)c->n_remote * sizeof *c->remote : 0),
        link_part(c ? c->neighbours : NULL,
                  c ? (size_t)c->n_neighbours * sizeof *c->neighbours : 0),
        link_text(event->name ? event->name : "")};

    ask_with(LINK_EVENT, NULL, parts, 6);
}

const struct portolan_mpi_observer *clue_observer(void)
{
    static const struct portolan_mpi_observer observer = {.tell = send_event, .is_on = true};

    return clue_asker.facts[LINK_IS_OBSERVED] ? &observer : NULL;
}

/* ------------------------------------------------- messages */

/* Returns the data or requests that O refers to. */
static struct iovec data_of(const struct operation *o)
{
    if (o->kind == OPERATION_SEND)
        return link_part(o->send.data, o->send.data ? o->send.bytes : 0);
    if (o->kind == OPERATION_WAIT || o->kind == OPERATION_TEST)
        return link_part(o->wait.requests, o->wait.n * sizeof *o->wait.requests);
    return link_part(NULL, 0);
}

void operation_do(struct operation *o)
{
    const struct iovec parts[] = {link_part(o, sizeof *o), data_of(o)};
    const struct link_frame *f = ask_with(LINK_DO, NULL, parts, 2);

    o->request = (clue_request)f->words[LINK_REQUEST];
    o->index = (size_t)f->words[LINK_INDEX];
    o->is_true = f->words[LINK_IS_TRUE];
    if (o->message)
        memcpy(o->message, clue_asker.room.bytes, sizeof *o->message);
}

/* Asks about SIZE bytes at ABOUT and returns the first word of the answer. */
static int64_t ask_about(enum link_operation operation, int64_t word, const void *about,
                         size_t size)
{
    const struct iovec part = link_part(about, size);

    return ask_with(operation, (const int64_t[LINK_WORDS]){word}, &part, 1)->words[0];
}

/* Does nothing: first touches of pages by a process are part of its measured bursts. */
void clue_touch(void *at, uint64_t bytes)
{
    (void)at;
    (void)bytes;
}

void clue_record_await(const struct clue_awaited *awaited, size_t n, bool is_all)
{
    ask_about(LINK_AWAIT, is_all, awaited, n * sizeof *awaited);
}

/* ------------------------------------------------- tasks, ends */

int clue_spawn(const char *program, char *const argv[], const int *hosts, int n, int *tasks)
{
    struct portolan_text words = {0};
    char *path = realpath(program, NULL); /* a relative path begins at this rank's folder */
    int started;

    for (char *const *word = argv; *word; word++)
        portolan_text_add_bytes(&words, *word, strlen(*word) + 1);
    started = (int)ask_with(LINK_SPAWN, (const int64_t[LINK_WORDS]){n},
                            (const struct iovec[]){link_part(hosts, (size_t)n * sizeof *hosts),
                                                   link_text(path ? path : program),
                                                   link_part(words.bytes, words.length)},
                            3)
                  ->words[0];
    memcpy(tasks, clue_asker.room.bytes, (size_t)started * sizeof *tasks);
    portolan_text_clear(&words);
    free(path);
    return started;
}

const char *clue_site_text(int task, const void *site)
{
    return keep(ask(LINK_SITE_TEXT, task, (int64_t)(uintptr_t)site));
}

static void ask_text(enum link_operation operation, const char *format, va_list args)
{
    char text[600];

    vsnprintf(text, sizeof text, format, args);
    ask_about(operation, 0, text, strlen(text) + 1);
}

void clue_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    ask_text(LINK_FAIL, format, args);
    va_end(args);
    gone();
}

void clue_abort(int status)
{
    ask(LINK_ABORT, status);
    gone();
}

void *clue_variable(const char *name)
{
    (void)name;
    return NULL;
}

void clue_assume(const char *text)
{
    ask_about(LINK_ASSUME, 0, text, strlen(text) + 1);
}

void clue_mistake(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    ask_text(LINK_MISTAKE, format, args);
    va_end(args);
}

PORTOLAN_API int portolan_clue_change(const char *parameter, const char *from, const char *to,
                                      double value)
{
    static const struct clue_routine routine = {"portolan_clue_change", UINT32_MAX};
    int64_t words[LINK_WORDS] = {0, from != NULL, to != NULL};
    int result;

    memcpy(words, &value, sizeof value);
    clue_call_begin(&routine, __builtin_return_address(0));
    result = (int)ask_with(LINK_CHANGE, words,
                           (const struct iovec[]){link_text(parameter), link_text(from ? from : ""),
                                                  link_text(to ? to : "")},
                           3)
                 ->words[0];
    clue_call_end();
    return result;
}
