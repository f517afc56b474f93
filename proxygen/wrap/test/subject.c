/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of Portolan: calls calc, then does or leaves as it is told. */
#include "calc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const double numbers[100] = {1, 2, 3};

static void sum(int n, int times)
{
    for (int i = 0; i < times; i++)
        if (calc_sum(n, numbers) != (n < 3 ? 3 : 6)) {
            fprintf(stderr, "a wrong sum\n");
            abort();
        }
}

static void say(const char *text)
{
    printf("%s\n", text);
    fflush(stdout);
}

/* ------------------------------------------------------------------ ways out */

static void at_exit(void)
{
    sum(10, 7);
}

__attribute__((destructor)) static void last(void)
{
    sum(20, 5);
}

static void leave_by_exit(char **words)
{
    atexit(at_exit);
    exit(atoi(words[0] ? words[0] : "0"));
}

static void leave_quickly(char **words)
{
    (void)words;
    at_quick_exit(at_exit);
    quick_exit(4);
}

static void leave_at_once(char **words)
{
    (void)words;
    _exit(5);
}

static void on_signal(int number)
{
    _exit(number); /* as servers do */
}

static void leave_from_handler(char **words)
{
    (void)words;
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
}

static void leave_from_callback(void *arg)
{
    (void)arg;
    exit(6);
}

static void leave_inside(char **words)
{
    (void)words;
    calc_apply(leave_from_callback, NULL);
}

static void leave_by_signal(char **words)
{
    raise(atoi(words[0]));
}

static void become_another(char **words)
{
    execl("/proc/self/exe", "subject", "sum", words[0], (char *)NULL);
}

static void fail_to_become(char **words)
{
    (void)words;
    execl("/nowhere", "nowhere", (char *)NULL);
    sum(10, 3);
}

/* ------------------------------------------------------------------ descriptors, environment */

static void close_all(char **words)
{
    (void)words;
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    sum(10, 3);
}

/* What is open beside the standard streams, and the environment that must not be seen. */
static void look_around(char **words)
{
    DIR *folder = opendir("/proc/self/fd");
    int open = 0;

    (void)words;
    while (folder && readdir(folder))
        open++;
    printf("descriptors %d, preload %s, variable %s, first %d\n", open - 2 - 4,
           getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none",
           getenv("PORTOLAN_WRAP") ? "seen" : "none", dup(0));
    closedir(folder);
}

/* ------------------------------------------------------------------ processes */

static void fork_child(char **words)
{
    int status = 0;
    pid_t child = fork();

    (void)words;
    if (child == 0) {
        sum(10, 1000);
        _exit(0);
    }
    waitpid(child, &status, 0);
    sum(10, 1);
    exit(WEXITSTATUS(status));
}

static void vfork_child(char **words)
{
    int status = 0;
    pid_t child = vfork();

    (void)words;
    if (child == 0)
        _exit(9);
    waitpid(child, &status, 0);
    sum(10, 1);
    exit(WEXITSTATUS(status));
}

static void spawn_child(char **words)
{
    char *argv[] = {(char *)"subject", (char *)"look", NULL};
    int status = 0;
    pid_t child;

    (void)words;
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ) != 0)
        exit(99);
    waitpid(child, &status, 0);
    exit(WEXITSTATUS(status));
}

/* ------------------------------------------------------------------ threads, libraries */

static pthread_barrier_t all_there;

static void *sum_in_thread(void *times)
{
    pthread_barrier_wait(&all_there);
    sum(10, (int)(intptr_t)times);
    pthread_barrier_wait(&all_there); /* no thread takes another's place */
    return NULL;
}

static void use_threads(char **words)
{
    pthread_t threads[3];

    (void)words;
    pthread_barrier_init(&all_there, NULL, 3);
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, sum_in_thread, (void *)(10 * (i + 1)));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* So much that it is most of the time, however often the process is preempted. */
static void until_both(char **words)
{
    unsigned seen[2] = {0, 0};

    (void)words;
    while (seen[0] < 4000 || seen[1] < 4000) {
        seen[strcmp(calc_name(), "one") != 0]++;
        sum(50, 20);
    }
    say("both were called");
}

static void wait_inside(char **words)
{
    (void)words;
    say("ready");
    exit(calc_wait(0) < 0 ? 1 : 0);
}

/* ------------------------------------------------------------------ */

static void only_sum(char **words)
{
    (void)words;
}

/* So much that it is most of the time. */
static void work(char **words)
{
    (void)words;
    for (int n = 20; n <= 100; n += 20)
        sum(n, 50000);
}

static void print_name(char **words)
{
    (void)words;
    say(calc_name());
}

static void copy_input(char **words)
{
    char line[200];

    (void)words;
    while (fgets(line, sizeof line, stdin))
        fputs(line, stdout);
    fprintf(stderr, "to stderr\n");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*act)(char **words);
    } acts[] = {
        {"sum", only_sum},
        {"name", print_name},
        {"work", work},
        {"copy", copy_input},
        {"exit", leave_by_exit},
        {"quick-exit", leave_quickly},
        {"at-once", leave_at_once},
        {"handler", leave_from_handler},
        {"inside", leave_inside},
        {"signal", leave_by_signal},
        {"exec", become_another},
        {"no-exec", fail_to_become},
        {"close", close_all},
        {"look", look_around},
        {"fork", fork_child},
        {"vfork", vfork_child},
        {"spawn", spawn_child},
        {"threads", use_threads},
        {"both", until_both},
        {"wait", wait_inside},
    };

    if (argc < 2)
        return 2;
    if (!strcmp(argv[1], "nothing"))
        _exit(0);
    sum(2, 20);
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (!strcmp(argv[1], acts[i].name)) {
            acts[i].act(argv + 2);
            return 0;
        }
    return 2;
}
