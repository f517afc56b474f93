/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are replaced as a whole. */
#include <portolan/base.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

enum portolan_status portolan_replace_file(const char *path, const char *bytes, size_t length,
                                           struct portolan_error *err)
{
    static unsigned serial;
    char *temporary = portolan_asprintf("%s.%ld.%u.new", path, (long)getpid(),
                                        __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
    bool good;
    int fd;

    if (!temporary)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    good = fd >= 0 && write_all(fd, bytes, length);
    if (fd >= 0 && close(fd) != 0)
        good = false;
    good = good && rename(temporary, path) == 0;
    if (!good) {
        portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path, strerror(errno));
        if (fd >= 0)
            unlink(temporary);
    }
    free(temporary);
    return good ? PORTOLAN_OK : PORTOLAN_EIO;
}
