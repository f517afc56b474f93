/* SPDX-License-Identifier: BSD-3-Clause */
/* How a process finds the file that it shares with who measures it. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
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

static void *map(int fd, size_t bytes, off_t offset)
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
        a = map(fd, sizeof *a,
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

bool inside_attach(void)
{
    const char *where = getenv(WRAP_VARIABLE);
    int fd = where ? open_shared(where) : -1;
    struct wrap_orders *o = fd >= 0 ? map(fd, sizeof *o, 0) : NULL;
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
