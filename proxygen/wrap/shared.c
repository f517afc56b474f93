/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that is shared with the program: made, filled with orders, taken down. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
    struct wrap_orders *orders;
    size_t used;
    bool is_full;
};

static void put(struct writer *w, const char *text)
{
    size_t bytes = strlen(text ? text : "") + 1;

    if (bytes > sizeof w->orders->text - w->used) {
        w->is_full = true;
        return;
    }
    memcpy(w->orders->text + w->used, text ? text : "", bytes);
    w->used += bytes;
}

/* In the order of enum wrap_order. */
static enum portolan_status write_orders(struct wrap_run *run, struct portolan_error *err)
{
    const struct portolan_wrap_options *o = run->options;
    const char *preload = getenv("LD_PRELOAD");
    struct wrap_orders *orders = &run->shared->orders;
    struct writer w = {.orders = orders};

    orders->interval_s = o->interval_s;
    orders->rotate_s = o->rotate_s;
    orders->with_children = o->children;
    orders->profile = o->profile;
    orders->one_in = o->one_in;
    orders->n_libraries = (uint32_t)run->n_libraries;
    orders->n_areas = o->children ? WRAP_AREAS : 1;
    orders->takes_commands = o->control || o->signals;
    orders->had_preload = preload != NULL;
    put(&w, preload);
    put(&w, run->user);
    put(&w, o->control ? o->control : "signal");
    put(&w, o->counters);
    put(&w, run->front.papi);
    for (size_t i = 0; i < run->n_libraries; i++) {
        put(&w, run->libraries[i].name);
        put(&w, run->libraries[i].file);
    }
    orders->magic = WRAP_MAGIC;
    return w.is_full ? portolan_error_set(err, PORTOLAN_EINVAL,
                                          "libraries and LD_PRELOAD have too long names")
                     : PORTOLAN_OK;
}

/* Out of the way of the program's own descriptors: it is closed before the program's main. */
static int move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 200);

    if (up < 0)
        return fd;
    close(fd);
    return up;
}

enum portolan_status wrap_shared_make(struct wrap_run *run, struct portolan_error *err)
{
    size_t areas = run->options->children ? WRAP_AREAS : 1;
    void *mapped = MAP_FAILED;

    run->shared_bytes = sizeof(struct wrap_file) + areas * sizeof(struct wrap_area);
    run->file = memfd_create("portolan-wrap", MFD_CLOEXEC);
    if (run->file >= 0) {
        run->file = move_up(run->file);
        if (ftruncate(run->file, (off_t)run->shared_bytes) == 0)
            mapped = mmap(NULL, run->shared_bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE, run->file, 0);
    }
    if (mapped == MAP_FAILED)
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "no memory to share with the program (%zu bytes): %s",
                                  run->shared_bytes, strerror(errno));
    run->shared = mapped;
    for (size_t i = 0; i < areas; i++)
        run->shared->areas[i].reading = WRAP_NOBODY;
    return write_orders(run, err);
}

void wrap_shared_remove(struct wrap_run *run)
{
    if (run->shared)
        munmap(run->shared, run->shared_bytes);
    if (run->file >= 0)
        close(run->file);
    run->shared = NULL;
    run->file = -1;
}
