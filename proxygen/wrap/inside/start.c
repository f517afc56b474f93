/* SPDX-License-Identifier: BSD-3-Clause */
/* The begin and the end of measuring in a process, which finds the file that it shares with who
 * measures it. */
#include "inside.h"

#include <fcntl.h>
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
 * The descriptor may not have been inherited (a child of a child that closed all), or be another
 * file by now: then the measuring process's own.
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

/* The program is to find its environment as it would be without; its children too, unless asked. */
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
    if (!wrap_job_read(&a->job))
        a->job = (struct wrap_job){0};
    length = readlink("/proc/self/exe", a->program, sizeof a->program - 1);
    a->program[length < 0 ? 0 : length] = '\0';
    inside_orders = o;
    inside_area = a;
    return true;
}

/* ------------------------------------------------- beginning and ending */

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
 * Handlers run in reverse order, and those that belong to no object after all objects' destructors:
 * calls made from there are measured too.
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
 * A forked child has the records of its parent. Where children count, it begins anew in an area of
 * its own; else it need not spend time on what nobody reports.
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
