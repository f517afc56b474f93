/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces functions that leave a process without running exit handlers, so that the measurements
 * are published first. Only these names and the wrapped functions are exported.
 */
#include "inside.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int execve_fn(const char *, char *const *, char *const *);
typedef int execv_fn(const char *, char *const *);
typedef int fexecve_fn(int, char *const *, char *const *);
typedef int execveat_fn(int, const char *, char *const *, char *const *, int);

static execve_fn *next_execve, *next_execvpe;
static execv_fn *next_execv, *next_execvp;
static fexecve_fn *next_fexecve;
static execveat_fn *next_execveat;

static void find_next(void *to, const char *name)
{
    *(void **)to = dlsym(RTLD_NEXT, name);
}

void inside_find_exits(void)
{
    find_next(&next_execve, "execve");
    find_next(&next_execvpe, "execvpe");
    find_next(&next_execv, "execv");
    find_next(&next_execvp, "execvp");
    find_next(&next_fexecve, "fexecve");
    find_next(&next_execveat, "execveat");
}

/* Constructors that run before ours may already call exec. */
static void begin_exec(void)
{
    if (!next_execve)
        inside_find_exits();
    inside_leave(WRAP_REPLACED);
}

PORTOLAN_API void _exit(int status)
{
    inside_leave(WRAP_LEFT);
    for (;;)
        syscall(SYS_exit_group, status);
}

PORTOLAN_API void _Exit(int status)
{
    _exit(status);
}

/* An exec that fails leaves the process as it was. */
static int still_here(int result)
{
    int error = errno;

    if (inside_is_measured())
        __atomic_store_n(&inside_area->state, WRAP_STARTED, __ATOMIC_RELEASE);
    errno = error;
    return result;
}

PORTOLAN_API int execve(const char *path, char *const argv[], char *const envp[])
{
    begin_exec();
    return still_here(next_execve(path, argv, envp));
}

PORTOLAN_API int execvpe(const char *file, char *const argv[], char *const envp[])
{
    begin_exec();
    return still_here(next_execvpe(file, argv, envp));
}

PORTOLAN_API int execv(const char *path, char *const argv[])
{
    begin_exec();
    return still_here(next_execv(path, argv));
}

PORTOLAN_API int execvp(const char *file, char *const argv[])
{
    begin_exec();
    return still_here(next_execvp(file, argv));
}

PORTOLAN_API int fexecve(int fd, char *const argv[], char *const envp[])
{
    begin_exec();
    return still_here(next_fexecve(fd, argv, envp));
}

PORTOLAN_API int execveat(int fd, const char *path, char *const argv[], char *const envp[],
                          int flags)
{
    begin_exec();
    if (!next_execveat) {
        errno = ENOSYS;
        return still_here(-1);
    }
    return still_here(next_execveat(fd, path, argv, envp, flags));
}

static size_t count_arguments(va_list *args)
{
    size_t n = 1;

    while (va_arg(*args, char *))
        n++;
    return n;
}

static void take_arguments(char **argv, const char *first, size_t n, va_list *args)
{
    argv[0] = (char *)first;
    for (size_t i = 1; i <= n; i++) /* the NULL too */
        argv[i] = va_arg(*args, char *);
}

/* Puts FIRST and the words after it into an array on the stack, since a child of vfork() may call
 * this. */
#define TAKE_ARGUMENTS(argv, args, first)                                                          \
    do {                                                                                           \
        size_t n_;                                                                                 \
                                                                                                   \
        va_start(args, first);                                                                     \
        n_ = count_arguments(&args);                                                               \
        va_end(args);                                                                              \
        (argv) = alloca((n_ + 1) * sizeof *(argv));                                                \
        va_start(args, first);                                                                     \
        take_arguments(argv, first, n_, &args);                                                    \
    } while (0)

PORTOLAN_API int execl(const char *path, const char *arg, ...)
{
    char **argv;
    va_list args;

    TAKE_ARGUMENTS(argv, args, arg);
    va_end(args);
    return execv(path, argv);
}

PORTOLAN_API int execlp(const char *file, const char *arg, ...)
{
    char **argv;
    va_list args;

    TAKE_ARGUMENTS(argv, args, arg);
    va_end(args);
    return execvp(file, argv);
}

PORTOLAN_API int execle(const char *path, const char *arg, ...)
{
    char **argv, *const *envp;
    va_list args;

    TAKE_ARGUMENTS(argv, args, arg);
    envp = va_arg(args, char *const *); /* after the NULL */
    va_end(args);
    return execve(path, argv, envp);
}
