/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library that portolan-clue has a rank's process load before all others. It connects, waits
 * for its turn to begin, and reports how the process ends. Functions of the C library that are
 * defined here behave as usual in forked processes.
 */
#include "../fortran_site.h"
#include "../internal.h"
#include "client.h"

#include <portolan/list.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

bool clue_is_virtual(void)
{
    return asker_is_rank();
}

/* Returns the processor time of all threads, which share the rank's processor. */
int64_t asker_cpu_ns(void)
{
    return clue_real_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static int by_size(const void *a, const void *b)
{
    return PORTOLAN_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* Returns the median time of an empty burst that begins after other ranks had the processor. */
static int64_t find_clock_cost(void)
{
    enum { BURSTS = 32 };
    int64_t took[BURSTS];

    for (int i = 0; i < BURSTS; i++) {
        ask(LINK_clue_n_hosts, 0);
        asker_begin_burst();
        took[i] = asker_cpu_ns() - clue_asker.began_ns;
    }
    qsort(took, BURSTS, sizeof *took, by_size);
    return took[BURSTS / 2];
}

const char *asker_place(const void *call, int64_t words[LINK_WORDS])
{
    static char program[4096];
    struct link_map *map;
    Dl_info info;

    memset(words, 0, LINK_WORDS * sizeof *words);
    words[LINK_SITE] = (int64_t)(uintptr_t)call;
    words[LINK_KEY] = 1;
    if (!call || !dladdr1(call, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return "";
    words[LINK_ADDRESS] = (int64_t)((uintptr_t)call - map->l_addr);
    words[LINK_IS_PROGRAM] = !*map->l_name;
    words[LINK_KEY] = *map->l_name
                          ? (int64_t)link_library_key(map->l_name, (uint64_t)words[LINK_ADDRESS])
                          : words[LINK_ADDRESS];
    if (!*map->l_name && !*program && readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        *program = '\0';
    return *map->l_name ? map->l_name : program;
}

bool caller_is_binding(const void *code, uint64_t *key)
{
    Dl_info info;

    *key = (uint64_t)(uintptr_t)code;
    return dladdr(code, &info) && caller_names_bindings(portolan_file_name(info.dli_fname));
}

/* ------------------------------------------------- ends */

/* Reports how many threads the process has: threads that spin while they wait for others cannot be
 * distinguished from threads that compute. */
static void assume_threads_compute(void)
{
    enum { LEAST_NS = 10000000 };
    int64_t all_ns = asker_cpu_ns(), others_ns = all_ns - clue_real_ns(CLOCK_THREAD_CPUTIME_ID);

    if (clue_asker.is_measured && others_ns > LEAST_NS && others_ns > all_ns / 10)
        clue_assume("processor time of a rank's threads is computing, also if they only spun, "
                    "which cannot be told");
}

/* FLUSHES: writes the program's buffered output before other ranks go on. */
static void end_rank(int status, bool flushes)
{
    static const struct clue_routine routine = {"exit", UINT32_MAX};
    struct link_frame f = {.operation = LINK_EXIT, .words = {status}};

    if (!asker_is_rank())
        return;
    clue_call_begin(&routine, NULL);
    assume_threads_compute();
    for (int i = CLUE_OWNERS; i-- > 0;)
        if (clue_asker.at_exit[i])
            clue_asker.at_exit[i]();
    if (flushes)
        fflush(NULL);
    asker_write(&f, NULL, 0);
    close(clue_asker.fd);
    clue_asker.fd = -1;
}

static void exit_rank(int status, void *arg)
{
    (void)arg;
    end_rank(status, true);
}

PORTOLAN_API void _exit(int status)
{
    end_rank(status, false);
    REAL(_exit)(status);
    __builtin_unreachable();
}

PORTOLAN_API void _Exit(int status)
{
    _exit(status);
}

PORTOLAN_API void quick_exit(int status)
{
    end_rank(status, false);
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

static void report_fault(int signal, siginfo_t *info, void *machine)
{
    const ucontext_t *state = machine;
    struct link_frame f = {.operation = LINK_FAULT};
    struct iovec file;

    (void)info;
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (!asker_is_rank())
        return;
    file = link_text(asker_place((void *)(processor_pc(state) + 1), f.words));
    f.words[LINK_NS] = signal;
    link_write(clue_asker.fd, &f, &file, 1);
}

static void prepare_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static const int timers[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGUSR1, SIGUSR2, SIGCHLD};
    static uint8_t stack[65536];
    const struct sigaction action = {.sa_sigaction = report_fault,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    sigemptyset(&clue_asker.held); /* handlers of these may read clocks, which asks portolan-clue */
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        sigaddset(&clue_asker.held, timers[i]);
}

/* Closes the connection, which would otherwise outlive the rank itself. */
static void leave_child(void)
{
    close(clue_asker.fd);
    clue_asker.fd = -1;
}

/* ------------------------------------------------- the begin */

/* Connects to the first of ADDRESSES (with commas between) that answers; returns -1 if none
 * does. */
static int connect_to(int port, char *addresses)
{
    char *state = NULL;

    for (char *word = strtok_r(addresses, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

        if (fd >= 0 && inet_pton(AF_INET, word, &at.sin_addr) == 1 &&
            connect(fd, (struct sockaddr *)&at, sizeof at) == 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            return fd;
        }
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

/* Removes what portolan-clue has put into the environment, for programs that this one starts. */
static void restore_environment(void)
{
    const char *before = getenv("PORTOLAN_CLUE_PRELOAD");

    if (before && *before)
        setenv("LD_PRELOAD", before, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv("PORTOLAN_CLUE_PRELOAD");
    unsetenv(LINK_VARIABLE);
}

static int open_link(const char *said, char *secret, int *task)
{
    char addresses[512];
    int fd = -1, port, memory = -1;

    if (sscanf(said, "fd:%d:%d:%d", &fd, task, &memory) != 3 &&
        sscanf(said, "tcp:%d:%d:%64[0-9a-f]:%511s", &port, task, secret, addresses) == 4)
        fd = connect_to(port, addresses);
    return asker_share(memory) ? fd : -1;
}

__attribute__((constructor)) static void begin_rank(void)
{
    const char *said = getenv(LINK_VARIABLE);
    char secret[65] = "";
    struct iovec part;
    int task = 0;

    if (!said)
        return;
    clue_asker.fd = open_link(said, secret, &task);
    if (clue_asker.fd < 0 || fcntl(clue_asker.fd, F_SETFD, FD_CLOEXEC) != 0) {
        fprintf(stderr, "portolan: error: a rank cannot reach portolan-clue: %s\n",
                strerror(errno));
        REAL(_exit)(127);
    }
    clue_asker.process = getpid();
    clue_has_bindings = dlopen("libmpichfort.so.12", RTLD_LAZY | RTLD_NOLOAD) != NULL;
    restore_environment();
    setvbuf(stdout, NULL, _IOLBF,
            BUFSIZ); /* so that lines of ranks come in the order of their turns */
    pthread_atfork(NULL, NULL, leave_child);
    on_exit(exit_rank, NULL);
    prepare_signals();
    part = link_text(secret);
    memcpy(clue_asker.facts,
           ask_with(LINK_HELLO, (const int64_t[LINK_WORDS]){task}, &part, 1)->words,
           sizeof clue_asker.facts);
    clue_asker.is_measured = clue_asker.facts[LINK_IS_MEASURED];
    if (clue_asker.is_measured) {
        clue_asker.clock_ns = find_clock_cost();
        asker_begin_burst();
    }
}
