/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes frames on a socket. */
#include "apart_link.h"

#include <portolan/list.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_PARTS = 8 };

bool link_write(int fd, struct link_frame *f, const struct iovec *more, int n_more)
{
    struct iovec parts[MOST_PARTS] = {{f, sizeof *f}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = 1 + (size_t)n_more};

    f->bytes = 0;
    for (int i = 0; i < n_more; i++) {
        parts[1 + i] = more[i];
        f->bytes += more[i].iov_len;
    }
    while (m.msg_iovlen) {
        ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL | (f->operation == LINK_LINES ? MSG_MORE : 0));

        if (n < 0 && errno != EINTR)
            return false;
        for (; m.msg_iovlen && n >= (ssize_t)m.msg_iov->iov_len; m.msg_iov++, m.msg_iovlen--)
            n -= (ssize_t)m.msg_iov->iov_len;
        if (m.msg_iovlen && n > 0) {
            m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + n;
            m.msg_iov->iov_len -= (size_t)n;
        }
    }
    return true;
}

bool link_write_lines(int fd, const char *copy, size_t first, size_t end)
{
    struct link_frame f = {.operation = LINK_LINES, .words = {(int64_t)(first * LINK_LINE)}};
    const struct iovec part = link_part(copy + first * LINK_LINE, (end - first) * LINK_LINE);

    return link_write(fd, &f, &part, 1);
}

static bool read_all(int fd, char *to, size_t n)
{
    while (n) {
        ssize_t got = recv(fd, to, n, 0);

        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        to += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool read_rest(int fd, const struct link_frame *f, struct link_room *room)
{
    if (!portolan_reserve(&room->bytes, &room->room, f->bytes + 1, 1))
        return false;
    room->bytes[f->bytes] = '\0';
    return read_all(fd, room->bytes, f->bytes);
}

bool link_read(int fd, struct link_frame *f, struct link_room *room)
{
    return read_all(fd, (char *)f, sizeof *f) && read_rest(fd, f, room);
}

bool link_read_greeting(int fd, struct link_frame *f, struct link_room *room)
{
    enum { MOST_BYTES = 256 };

    return read_all(fd, (char *)f, sizeof *f) && f->operation == LINK_HELLO &&
           f->bytes <= MOST_BYTES && read_rest(fd, f, room);
}

uint64_t link_library_key(const char *file, uint64_t address)
{
    uint64_t key = 1;

    for (const char *c = portolan_file_name(file); *c; c++)
        key = key * 33 + (uint8_t)*c;
    return (key << 32) + address;
}

const char *link_keep(const char *text)
{
    static char **kept;
    static size_t n;
    char *copy;

    for (size_t i = 0; i < n; i++)
        if (strcmp(kept[i], text) == 0)
            return kept[i];
    copy = portolan_strdup(text);
    if (copy && portolan_append(&kept, &n, &copy, sizeof copy))
        return copy;
    free(copy);
    return NULL;
}
