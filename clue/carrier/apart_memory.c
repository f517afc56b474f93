/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that ranks which are processes share: a file that all map or, on a machine with real
 * hosts, a copy for each. One rank runs at a time, so the lines that it writes are sent from its
 * copy to the one here with its next request, and from here to another rank before that goes on.
 */
#include "apart.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int memory_fd; /* 0: there are copies */

/* portolan-clue keeps this copy. */
static struct {
    char *bytes;
    uint64_t *changes; /* by line: number of its last change; 0: never changed */
    size_t n;          /* number of lines up to the last that was changed */
    uint64_t n_changes;
} copy;
enum { NUMBER = sizeof *copy.changes };
static const size_t numbers_bytes = LINK_MEMORY_BYTES / LINK_LINE * NUMBER;

static void *map(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
}

enum portolan_status apart_make_memory(const struct carrier *c, struct portolan_error *err)
{
    bool is_copied = false, is_good;

    for (size_t i = 0; i < c->run->machine->n_hosts; i++)
        is_copied |= c->run->machine->hosts[i].real != NULL;
    if (is_copied) {
        copy.bytes = map(LINK_MEMORY_BYTES);
        copy.changes = map(numbers_bytes);
        is_good = copy.bytes != MAP_FAILED && copy.changes != MAP_FAILED;
    } else {
        memory_fd = memfd_create("portolan-clue", MFD_CLOEXEC);
        is_good = memory_fd > 0 && ftruncate(memory_fd, (off_t)LINK_MEMORY_BYTES) == 0;
    }
    return is_good ? PORTOLAN_OK
                   : portolan_error_set(err, PORTOLAN_EIO, "ranks cannot share memory: %s",
                                        strerror(errno));
}

int apart_memory(void)
{
    return memory_fd;
}

void apart_end_memory(void)
{
    if (memory_fd > 0)
        close(memory_fd);
    memory_fd = 0;
    if (!copy.bytes)
        return;
    munmap(copy.bytes, LINK_MEMORY_BYTES);
    munmap(copy.changes, numbers_bytes);
    memset(&copy, 0, sizeof copy);
}

/* ------------------------------------------------- frames, with what has changed before them */

bool apart_write(struct rank *rank, struct link_frame *f, const struct iovec *parts, int n)
{
    struct apart *a = rank->apart;
    size_t first = 0;

    for (size_t i = 0; i <= copy.n && a->n_changes < copy.n_changes; i++) {
        if (i < copy.n && copy.changes[i] > a->n_changes)
            continue;
        if (i > first && !link_write_lines(a->fd, copy.bytes, first, i))
            return false;
        first = i + 1;
    }
    a->n_changes = copy.n_changes;
    return link_write(a->fd, f, parts, n);
}

static bool take_lines(struct apart *a, const struct link_frame *f, const struct link_room *room)
{
    uint64_t at = (uint64_t)f->words[0], end = at + f->bytes;

    if (!copy.bytes || at % LINK_LINE || end % LINK_LINE || end < at || end > LINK_MEMORY_BYTES)
        return false;
    memcpy(copy.bytes + at, room->bytes, f->bytes);
    a->n_changes = ++copy.n_changes;
    for (size_t i = at / LINK_LINE; i < end / LINK_LINE; i++)
        copy.changes[i] = copy.n_changes;
    if (copy.n < end / LINK_LINE)
        copy.n = end / LINK_LINE;
    return true;
}

bool apart_read(struct rank *rank, struct link_frame *f, struct link_room *room)
{
    bool is_good;

    do
        is_good = link_read(rank->apart->fd, f, room);
    while (is_good && f->operation == LINK_LINES && (is_good = take_lines(rank->apart, f, room)));
    return is_good;
}
