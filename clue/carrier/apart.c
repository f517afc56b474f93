/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts and ends the processes of ranks that live apart. Those on this host are started on one end
 * of a pair of sockets, those on real hosts (factor 0) by ssh, from where they connect. None
 * outlives portolan-clue: processes here are killed with it, those elsewhere end when their
 * connection does.
 */
#include "apart.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, GONE_MS = 10000, GREETING_S = 10 };

/* The socket on which ranks of other hosts connect. */
static struct {
    int fd, port; /* 0: not open */
    char secret[33];
} listener;

/* The epoll descriptor that reports connections closed at the other end. 0: not open. */
static int watch;

/* Watches the connection that RANK has now. */
static void watch_rank(const struct rank *rank)
{
    struct epoll_event event = {.events = EPOLLRDHUP, .data.u32 = (uint32_t)rank->task};

    if (!watch)
        watch = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(watch, EPOLL_CTL_ADD, rank->apart->fd, &event);
}

void apart_await(struct rank *rank)
{
    struct pollfd wanted[] = {{.fd = rank->apart->fd, .events = POLLIN},
                              {.fd = watch, .events = POLLIN}};

    while (!wanted[0].revents) {
        struct epoll_event event;
        struct rank *gone;

        if (poll(wanted, 2, -1) <= 0 || !wanted[1].revents || epoll_wait(watch, &event, 1, 0) != 1)
            continue;
        gone = clue_carrier.ranks[event.data.u32];
        if (gone == rank)
            return;
        if (!gone->apart->has_exited &&
            recv(gone->apart->fd, &(char){0}, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) {
            clue_carrier.current = gone;
            apart_report_gone(gone);
        }
        epoll_ctl(watch, EPOLL_CTL_DEL, gone->apart->fd, NULL);
    }
}

/* Returns the libraries that each rank loads first (malloc'ed), ours before those that need
 * them. */
static char *preload(const struct carrier *c)
{
    struct portolan_text text = {0};

    for (size_t i = 0; i < c->run->n_libraries; i++)
        portolan_text_add(&text, "%s%s", i ? ":" : "", c->run->libraries[i]);
    return text.bytes;
}

/* ------------------------------------------------- on this host */

static void become_rank(const struct carrier *c, int fd, int task, pid_t parent, const char *path,
                        char *const *words)
{
    const char *before = getenv("LD_PRELOAD");
    char *libraries = preload(c);
    int memory = apart_memory();
    char link[64];
    struct rlimit stack;

    snprintf(link, sizeof link, "fd:%d:%d:%d", fd, task, memory ? memory : -1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || !libraries || fcntl(fd, F_SETFD, 0) != 0 ||
        (memory && fcntl(memory, F_SETFD, 0) != 0))
        _exit(127);
    setenv("PORTOLAN_CLUE_PRELOAD", before ? before : "", 1);
    setenv("LD_PRELOAD", libraries, 1);
    setenv(LINK_VARIABLE, link, 1);
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_cur =
            c->run->stack_bytes < stack.rlim_max ? c->run->stack_bytes : stack.rlim_max;
        setrlimit(RLIMIT_STACK, &stack);
    }
    execv(path, words);
    fprintf(stderr, "portolan: error: cannot run '%s': %s\n", path, strerror(errno));
    _exit(127);
}

static enum portolan_status check_started(const struct rank *rank, struct portolan_error *err)
{
    return rank->apart->process > 0
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_EIO, "no process for rank %d: %s", rank->task,
                                    strerror(errno));
}

static enum portolan_status start_here(struct carrier *c, struct rank *rank, const char *path,
                                       char *const *words, struct portolan_error *err)
{
    pid_t parent = getpid();
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return portolan_error_set(err, PORTOLAN_EIO, "no connection for rank %d: %s", rank->task,
                                  strerror(errno));
    rank->apart->fd = ends[0];
    fflush(NULL); /* or the child would write buffered output again */
    rank->apart->process = fork();
    if (rank->apart->process == 0)
        become_rank(c, ends[1], rank->task, parent, path, words);
    close(ends[1]);
    watch_rank(rank);
    return check_started(rank, err);
}

/* ------------------------------------------------- on other hosts */

static enum portolan_status listen_for_ranks(struct portolan_error *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t size = sizeof at;

    if (listener.port)
        return PORTOLAN_OK;
    if (portolan_random_digits(listener.secret, err))
        return err->status;
    listener.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener.fd < 0 || bind(listener.fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(listener.fd, SOMAXCONN) != 0 ||
        getsockname(listener.fd, (struct sockaddr *)&at, &size) != 0)
        return portolan_error_set(err, PORTOLAN_EIO, "ranks of other hosts cannot connect: %s",
                                  strerror(errno));
    listener.port = ntohs(at.sin_port);
    return PORTOLAN_OK;
}

/* Adds the addresses at which HOST may reach this one, separated by commas. */
static void add_addresses(struct portolan_text *text, const char *host)
{
    bool is_this = strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0;
    char address[INET_ADDRSTRLEN];
    struct ifaddrs *all = NULL;
    int n = 0;

    if (!is_this && getifaddrs(&all) == 0)
        for (struct ifaddrs *i = all; i; i = i->ifa_next)
            if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && i->ifa_flags & IFF_UP &&
                !(i->ifa_flags & IFF_LOOPBACK) &&
                inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr, address,
                          sizeof address))
                portolan_text_add(text, "%s%s", n++ ? "," : "", address);
    freeifaddrs(all);
    if (!n)
        portolan_text_add(text, "127.0.0.1");
}

/* Adds WORD quoted for a shell. */
static void add_quoted(struct portolan_text *text, const char *word)
{
    portolan_text_add(text, "'");
    for (; *word; word++)
        portolan_text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    portolan_text_add(text, "'");
}

/* Returns the text by which a rank on HOST connects. It contains the secret, so it must not be on a
 * command line, which every user of a host can read. */
static char *remote_link(const struct rank *rank, const char *host)
{
    struct portolan_text text = {0};

    portolan_text_add(&text, "tcp:%d:%d:%s:", listener.port, rank->task, listener.secret);
    add_addresses(&text, host);
    portolan_text_add(&text, "\n");
    return text.bytes;
}

/* Returns the command that the shell of the other host runs, with the same folder, program and
 * libraries. The first line of its input is the link. */
static char *remote_command(const struct carrier *c, const char *path, char *const *words)
{
    struct portolan_text text = {0}, quoted = {0};
    char *folder = getcwd(NULL, 0), *libraries = preload(c), *full = realpath(path, NULL);

    portolan_text_add(&text, "cd ");
    add_quoted(&text, folder ? folder : ".");
    portolan_text_add(&text, " && read " LINK_VARIABLE " && export " LINK_VARIABLE
                             " && exec env LD_PRELOAD=");
    add_quoted(&text, libraries ? libraries : "");
    portolan_text_add(&text, " ");
    add_quoted(&text, full ? full : path);
    for (char *const *word = words + 1; words[0] && *word; word++) {
        portolan_text_add(&text, " ");
        add_quoted(&text, *word);
    }
    free(folder);
    free(libraries);
    free(full);
    portolan_text_add(&text, " </dev/null");
    portolan_text_add(&quoted, "exec sh -c ");
    add_quoted(&quoted, text.bytes ? text.bytes : "");
    portolan_text_clear(&text);
    return quoted.bytes;
}

static const char *remote_shell(void)
{
    const char *said = getenv("PORTOLAN_CLUE_RSH");

    return said && *said ? said : "ssh";
}

static void run_remotely(pid_t parent, const char *host, char *command, int input)
{
    enum { MOST_WORDS = 32 };
    char *words[MOST_WORDS + 4], *shell = portolan_strdup(remote_shell()), *state = NULL;
    size_t n = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || !command || !shell || dup2(input, STDIN_FILENO) < 0)
        _exit(127);
    for (char *word = strtok_r(shell, " ", &state); word && n < MOST_WORDS;
         word = strtok_r(NULL, " ", &state))
        words[n++] = word;
    if (strcmp(words[0], "ssh") == 0) /* a host may be named like an option */
        words[n++] = "--";
    words[n++] = (char *)(uintptr_t)host;
    words[n++] = command;
    words[n] = NULL;
    execvp(words[0], words);
    fprintf(stderr, "portolan: error: cannot run '%s': %s\n", words[0], strerror(errno));
    _exit(127);
}

static enum portolan_status start_there(struct carrier *c, struct rank *rank, const char *host,
                                        const char *path, char *const *words,
                                        struct portolan_error *err)
{
    pid_t parent = getpid();
    char *command, *link;
    int ends[2];

    if (listen_for_ranks(err))
        return err->status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make a pipe: %s", strerror(errno));
    command = remote_command(c, path, words);
    link = remote_link(rank, host);
    if (link) /* The line fits into the pipe, so writing it cannot block. */
        portolan_write_all(ends[1], link, strlen(link));
    fflush(NULL);
    rank->apart->process = fork();
    if (rank->apart->process == 0)
        run_remotely(parent, host, command, ends[0]);
    close(ends[0]);
    close(ends[1]);
    free(command);
    free(link);
    return check_started(rank, err);
}

/* Makes the kernel probe the connection, so that a host that is gone is noticed. */
static void keep_alive(int fd)
{
    const struct {
        int level, name, value;
    } options[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, 30},
                   {IPPROTO_TCP, TCP_KEEPINTVL, 10},
                   {IPPROTO_TCP, TCP_KEEPCNT, 3},
                   {IPPROTO_TCP, TCP_NODELAY, 1}};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(fd, options[i].level, options[i].name, &options[i].value,
                   sizeof options[i].value);
}

/* Accepts a connection and finds its rank; closes it if the secret is wrong or nothing is sent. */
static void greet_caller(struct carrier *c)
{
    int fd = accept4(listener.fd, NULL, NULL, SOCK_CLOEXEC);
    struct timeval limit = {.tv_sec = GREETING_S}, none = {0};
    struct link_frame f = {0};
    struct link_room room = {0};
    struct apart *a = NULL;

    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    keep_alive(fd);
    if (link_read_greeting(fd, &f, &room) && strcmp(room.bytes, listener.secret) == 0 &&
        f.words[0] >= 0 && (size_t)f.words[0] < c->n_ranks)
        a = c->ranks[f.words[0]]->apart;
    if (!a || a->fd >= 0 || a->has_exited) {
        free(room.bytes);
        close(fd);
        return;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    a->fd = fd;
    watch_rank(c->ranks[f.words[0]]);
    a->frame = f;
    a->room = room;
}

static enum portolan_status await_caller(struct carrier *c, struct rank *rank,
                                         struct portolan_error *err)
{
    const char *host = c->run->machine->hosts[rank->apart->host].real;
    struct pollfd wanted = {.fd = listener.fd, .events = POLLIN};
    int status;

    while (rank->apart->fd < 0) {
        if (poll(&wanted, 1, 200) > 0)
            greet_caller(c);
        else if (waitpid(rank->apart->process, &status, WNOHANG) == rank->apart->process) {
            rank->apart->process = 0;
            return portolan_error_set(err, PORTOLAN_EIO,
                                      "rank %d was not started on the real host '%s' (factor 0): "
                                      "'%s %s' ended with status %d; the same program and Portolan "
                                      "must be there, in the same folders",
                                      rank->task, host, remote_shell(), host,
                                      WIFEXITED(status) ? WEXITSTATUS(status)
                                                        : 128 + WTERMSIG(status));
        }
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------- both */

static enum portolan_status make_rank(struct carrier *c, int host, struct portolan_error *err)
{
    struct rank *rank = clue_rank_add(c);
    struct apart *a = rank ? portolan_calloc(1, sizeof *a) : NULL;

    if (!a)
        return portolan_no_memory(err);
    rank->apart = a;
    *a = (struct apart){.fd = -1, .host = host};
    a->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a->stack == MAP_FAILED) {
        a->stack = NULL;
        return portolan_no_memory(err);
    }
    clue_context_make(&rank->context, (uint8_t *)a->stack + STACK_BYTES, __builtin_thread_pointer(),
                      apart_serve);
    return PORTOLAN_OK;
}

enum portolan_status apart_start(struct carrier *c, const char *program, char *const *words,
                                 const int *hosts, int n, struct portolan_error *err)
{
    size_t first = c->n_ranks;
    char *path = clue_check_program(program, &(bool){false}, err);
    enum portolan_status status = path ? PORTOLAN_OK : err->status;

    clue_context_begin();
    for (int i = 0; i < n && !status; i++) {
        const char *real = c->run->machine->hosts[hosts[i]].real;

        status = make_rank(c, hosts[i], err);
        if (!status)
            status = real ? start_there(c, c->ranks[first + (size_t)i], real, path, words, err)
                          : start_here(c, c->ranks[first + (size_t)i], path, words, err);
    }
    for (int i = 0; i < n && !status; i++)
        if (c->run->machine->hosts[hosts[i]].real)
            status = await_caller(c, c->ranks[first + (size_t)i], err);
    free(path);
    return status;
}

/* Returns whether the process ends soon; *STATUS is that of waitpid(2). */
static bool has_ended(struct apart *a, int *status)
{
    int fd = (int)syscall(SYS_pidfd_open, a->process, 0);
    struct pollfd wanted = {.fd = fd, .events = POLLIN};

    if (fd >= 0)
        poll(&wanted, 1, GONE_MS);
    if (fd >= 0)
        close(fd);
    if (waitpid(a->process, status, fd >= 0 ? WNOHANG : 0) != a->process)
        return false;
    a->process = 0;
    return true;
}

void apart_report_gone(struct rank *rank)
{
    struct apart *a = rank->apart;
    int status;

    if (!has_ended(a, &status))
        clue_fail("its process has lost its connection: it called exec, closed a descriptor that "
                  "is not its own, or its host failed");
    if (WIFSIGNALED(status)) {
        clue_carrier.exit_status = 128 + WTERMSIG(status);
        clue_fail("its process was ended by signal %d (%s)", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    }
    clue_carrier.exit_status = WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
    clue_fail(
        "its process ended with status %d without exit(): it called exec, or it could not start",
        WEXITSTATUS(status));
}

void apart_end(struct rank *rank)
{
    struct apart *a = rank->apart;
    int status;

    if (!a)
        return;
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
    if (a->process > 0 && !(a->has_exited && has_ended(a, &status))) {
        kill(a->process, SIGKILL);
        waitpid(a->process, &status, 0);
    }
    a->process = 0;
}

void apart_free(struct rank *rank)
{
    struct apart *a = rank->apart;

    if (!a)
        return;
    apart_end(rank);
    while (a->receives) {
        struct apart_receive *r = a->receives;

        a->receives = r->next;
        free(r);
    }
    if (a->stack)
        munmap(a->stack, STACK_BYTES);
    portolan_index_clear(&a->index);
    free(a->room.bytes);
    free(a->places);
    free(a);
}

void apart_end_all(struct carrier *c)
{
    for (size_t i = 0; i < c->n_ranks; i++)
        apart_end(c->ranks[i]);
    if (listener.port)
        close(listener.fd);
    listener.port = 0;
    if (watch > 0)
        close(watch);
    watch = 0;
    apart_end_memory();
    apart_serve_end(c);
}
