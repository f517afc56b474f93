/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends measuring in a process, and finds the file that it shares with the measuring
 * process. */
#include "inside.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const struct wrap_orders *inside_orders;

/*
 * Opens the shared file. The inherited descriptor may have been closed on the way or may be another
 * file by now; then the measuring process's own descriptor is opened.
 */
static int open_shared(const char *where)
{
    unsigned long long device, inode;
    char path[64];
    struct stat info;
    int fd, measurer;

    if (sscanf(where, "%d %d %llu %llu", &fd, &measurer, &device, &inode) != 4)
        return -1;
    if (fstat(fd, &info) == 0 && info.st_dev == device && info.st_ino == inode)
        return fd;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", measurer, fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_dev == device && info.st_ino == inode)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void *map_shared(int fd, size_t bytes, off_t offset)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

    return mapped == MAP_FAILED ? NULL : mapped;
}

static struct wrap_area *claim_area(int fd, struct wrap_orders *o)
{
    int32_t self = getpid();

    for (uint32_t i = 0; i < o->n_areas; i++) {
        struct wrap_area *a;
        int32_t nobody = 0;

        if (!__atomic_compare_exchange_n(&o->processes[i], &nobody, self, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_RELAXED))
            continue;
        a = map_shared(fd, sizeof *a,
                       (off_t)(offsetof(struct wrap_file, areas) + i * sizeof(struct wrap_area)));
        if (a)
            a->process = self;
        else
            __atomic_fetch_add(&o->n_without_room, 1, __ATOMIC_SEQ_CST);
        return a;
    }
    __atomic_fetch_add(&o->n_without_area, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Removes our variables, so that the program and its children see their usual environment; they
 * stay if children are measured. */
static void clean_environment(const struct wrap_orders *o)
{
    if (o->with_children)
        return;
    unsetenv(WRAP_VARIABLE);
    if (o->had_preload)
        setenv("LD_PRELOAD", o->text, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* ------------------------------------------------- jobs */

/*
 * Environment variables by which launchers give a process its rank and job. MPI itself is not
 * asked, since the program may use any implementation of it.
 */
static const struct launcher {
    const char *rank, *size;
    const char *jobs[2]; /* unique for a job, equal in its ranks; NULL: the launcher sets none */
} launchers[] = {
    {"PMI_RANK", "PMI_SIZE", {NULL, NULL}},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE"}},
};
enum { N_LAUNCHERS = sizeof launchers / sizeof *launchers };

/* Reads a file of process PID under /proc, ended by NUL; returns the bytes that had room. */
static size_t read_of(int pid, const char *name, char *bytes, size_t room)
{
    char path[64];
    size_t n = 0;
    ssize_t more = 0;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n < room - 1 && (more = read(fd, bytes + n, room - 1 - n)) > 0)
        n += (size_t)more;
    if (fd >= 0)
        close(fd);
    bytes[n] = '\0';
    return n;
}

static bool is_rank(int pid, const char *variable)
{
    static char bytes[1 << 17];
    size_t n = read_of(pid, "environ", bytes, sizeof bytes), length = strlen(variable);

    for (size_t i = 0; i < n; i += strlen(bytes + i) + 1)
        if (strncmp(bytes + i, variable, length) == 0 && bytes[i + length] == '=')
            return true;
    return false;
}

/* The parent of PID, and when PID was started, in ticks; 0: there is none. */
static int parent_of(int pid, unsigned long long *started)
{
    char bytes[1024];
    const char *behind;
    int parent = 0;

    read_of(pid, "stat", bytes, sizeof bytes);
    behind = strrchr(bytes, ')'); /* the program's name may hold anything */
    *started = 0;
    if (behind)
        sscanf(behind + 1,
               " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &parent, started);
    return parent;
}

/* Names the job, if need be after the process that started the ranks: the nearest ancestor that is
 * no rank. */
static void name_job(struct wrap_job *job, const struct launcher *l)
{
    const char *name = NULL;
    unsigned long long started;
    char host[64] = "";
    int pid = getpid();

    for (int i = 0; i < 2 && !name && l->jobs[i]; i++)
        name = getenv(l->jobs[i]);
    if (name) {
        snprintf(job->name, sizeof job->name, "%s", name);
        return;
    }
    do
        pid = parent_of(pid, &started);
    while (pid > 1 && is_rank(pid, l->rank));
    parent_of(pid, &started);
    gethostname(host, sizeof host - 1);
    snprintf(job->name, sizeof job->name, "%s %d %llu", host, pid, started);
}

static int number_of(const char *variable)
{
    int64_t number;

    return portolan_read_int64(getenv(variable), &number) && number >= 0 && number < INT_MAX
               ? (int)number
               : -1;
}

/* Fills JOB for this process; false when it is not one of several ranks. */
static bool read_job(struct wrap_job *job)
{
    for (size_t i = 0; i < N_LAUNCHERS; i++) {
        job->rank = number_of(launchers[i].rank);
        job->size = number_of(launchers[i].size);
        if (job->rank < 0 || job->size <= job->rank)
            continue;
        if (job->size > 1)
            name_job(job, &launchers[i]);
        return job->size > 1;
    }
    return false;
}

/* ------------------------------------------------- beginning and ending */

static bool attach(void)
{
    const char *where = getenv(WRAP_VARIABLE);
    int fd = where ? open_shared(where) : -1;
    struct wrap_orders *o = fd >= 0 ? map_shared(fd, sizeof *o, 0) : NULL;
    struct wrap_area *a = o && o->magic == WRAP_MAGIC ? claim_area(fd, o) : NULL;
    ssize_t length;

    if (fd >= 0)
        close(fd);
    if (o && o->magic == WRAP_MAGIC)
        clean_environment(o);
    if (!a)
        return false;
    a->parent = getppid();
    if (!read_job(&a->job))
        a->job = (struct wrap_job){0};
    length = readlink("/proc/self/exe", a->program, sizeof a->program - 1);
    a->program[length < 0 ? 0 : length] = '\0';
    inside_orders = o;
    inside_area = a;
    return true;
}

const char *inside_order(unsigned number)
{
    const char *text = inside_orders->text;

    while (number--)
        text += strlen(text) + 1;
    return text;
}

static void at_end(void *unused)
{
    (void)unused;
    inside_log_objects();
    inside_note_gaps();
    inside_leave(WRAP_LEFT);
}

static void at_quick_end(void)
{
    inside_leave(WRAP_LEFT);
}

extern int __cxa_atexit(void (*)(void *), void *, void *);

/*
 * Exit handlers run in reverse order, and those of no object run after all objects' destructors. So
 * calls from destructors are measured, too.
 */
static void leave_last(void)
{
    __cxa_atexit(at_end, NULL, NULL);
    at_quick_exit(at_quick_end);
}

static void begin(void)
{
    inside_log_objects();
    inside_began = portolan_probe_now();
    __atomic_store_n(&inside_area->state, WRAP_STARTED, __ATOMIC_RELEASE);
    inside_begin_turns();
}

/*
 * A forked child has the records of its parent. If children are measured, it begins anew in an area
 * of its own; else it stops measuring, since nothing reports its calls.
 */
static void in_child(void)
{
    inside_area = NULL;
    inside_forget_writing();
    inside_forget_turns();
    if (inside_orders->with_children && portolan_probe_reset(NULL) == PORTOLAN_OK && attach())
        begin();
    else
        portolan_probe_port_set_flags(inside_port(), 0);
}

/* Numbers the program's first thread 0, before any other calls. */
static void attach_first_thread(void)
{
    portolan_probe_pause();
    portolan_probe_resume();
}

/* After all other constructors of this object (meson.build puts it last). */
__attribute__((constructor)) static void start(void)
{
    inside_find_exits();
    if (!attach())
        return;
    attach_first_thread();
    if (!inside_add_port()) {
        inside_leave(WRAP_REFUSED);
        _exit(125);
    }
    inside_obey();
    leave_last();
    pthread_atfork(NULL, NULL, in_child);
    begin();
}
