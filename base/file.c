/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are read and replaced as a whole. */
#include <portolan/base.h>
#include <portolan/machine.h>
#include <portolan/owner.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct portolan_hint portolan_did_you_mean_file(const char *path)
{
    const char *name = portolan_file_name(path), *nearest;
    char folder[PATH_MAX], best[256] = "";
    struct dirent *entry;
    int cause = errno;
    DIR *d = NULL;

    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    if (*name && access(path, F_OK) != 0)
        d = opendir(*folder ? folder : ".");
    while (d && (entry = readdir(d))) {
        nearest = portolan_nearest_word(name, (const char *const[]){best, entry->d_name}, 2);
        if (nearest == entry->d_name && *nearest != '.')
            snprintf(best, sizeof best, "%s", nearest);
    }
    if (d)
        closedir(d);
    errno = cause;
    return portolan_did_you_mean(*best ? best : NULL);
}

bool portolan_text_add_file(struct portolan_text *t, const char *path, size_t most_bytes)
{
    size_t before = t->length, n;
    char bytes[8192];
    FILE *f = fopen(path, "re");
    int cause = 0;

    if (!f)
        return false;
    while (!t->failed && t->length - before <= most_bytes && (n = fread(bytes, 1, sizeof bytes, f)))
        portolan_text_add_bytes(t, bytes, n);
    if (ferror(f))
        cause = errno;
    else if (t->length - before > most_bytes)
        cause = EFBIG;
    else if (t->failed)
        cause = ENOMEM;
    fclose(f);
    errno = cause;
    return cause == 0;
}

const void *portolan_file_map(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), cause;
    struct stat info;
    const void *bytes = MAP_FAILED;

    *size = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &info) == 0) {
        *size = (size_t)info.st_size;
        bytes =
            S_ISREG(info.st_mode) && !*size ? "" : mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    cause = errno;
    close(fd);
    errno = cause;
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* At the limit of a file's size this is an ordinary error, not a signal that ends the program. */
static ssize_t write_some(int fd, const char *bytes, size_t length)
{
    const struct timespec at_once = {0, 0};
    sigset_t limit, before;
    ssize_t n;
    int cause;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    n = write(fd, bytes, length);
    cause = errno;
    if (n < 0 && cause == EFBIG && !sigismember(&before, SIGXFSZ))
        sigtimedwait(&limit, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = cause;
    return n;
}

bool portolan_write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write_some(fd, bytes, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

static enum portolan_status cannot_write(const char *path, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path, strerror(errno));
}

bool portolan_is_trusted(const struct stat *info)
{
    return info->st_uid == geteuid() || info->st_uid == 0;
}

/* A device or a pipe. */
static bool is_stream(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static enum portolan_status write_stream(const char *path, const char *bytes, size_t length,
                                         struct portolan_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    bool good = fd >= 0 && portolan_write_all(fd, bytes, length);

    if (!good)
        cannot_write(path, err);
    if (fd >= 0 && close(fd) != 0 && good)
        return cannot_write(path, err);
    return good ? PORTOLAN_OK : PORTOLAN_EIO;
}

static enum portolan_status replace_regular_file(const char *path, const char *bytes, size_t length,
                                                 struct portolan_error *err)
{
    static unsigned serial;
    char *temporary = portolan_asprintf("%s.%ld.%u.new", path, (long)getpid(),
                                        __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
    struct stat old;
    bool good;
    int fd;

    if (!temporary)
        return portolan_no_memory(err);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    good = fd >= 0 && portolan_write_all(fd, bytes, length);
    if (good && stat(path, &old) == 0)
        good = fchmod(fd, old.st_mode & 0777) == 0;
    if (fd >= 0 && close(fd) != 0)
        good = false;
    good = good && rename(temporary, path) == 0;
    if (!good) {
        cannot_write(path, err);
        if (fd >= 0)
            unlink(temporary);
    }
    free(temporary);
    return good ? PORTOLAN_OK : PORTOLAN_EIO;
}

enum portolan_status portolan_replace_file(const char *path, const char *bytes, size_t length,
                                           struct portolan_error *err)
{
    char *target;
    enum portolan_status status;
    struct stat info;

    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && !portolan_is_trusted(&info))
        return portolan_error_set(
            err, PORTOLAN_EIO,
            "'%s' is a link that user %ld made, so it is not followed; remove "
            "it, or write elsewhere",
            path, (long)info.st_uid);
    if (is_stream(path))
        return write_stream(path, bytes, length, err);
    target = realpath(path, NULL); /* what a link leads to, not the link */
    status = replace_regular_file(target ? target : path, bytes, length, err);
    free(target);
    return status;
}

char *portolan_state_file(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *file = NULL;

    if (state && *state == '/')
        file = portolan_asprintf("%s/portolan/%s", state, name);
    else if (home && *home == '/')
        file = portolan_asprintf("%s/.local/state/portolan/%s", home, name);
    for (char *at = file ? strchr(file + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(file, 0700);
        *at = '/';
    }
    return file;
}
