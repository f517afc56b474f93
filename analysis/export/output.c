/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders that appear as a whole or not at all. */
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of bytes that are written to a file at once. */
enum { PORTION = 1 << 16 };

static enum portolan_status exists_error(const char *path, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EEXISTS, "'%s' exists already; replace it with --force",
                              path);
}

/* An unused name in the folder of PATH. */
static char *temporary_name(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return portolan_asprintf("%.*s.%ld.new", (int)length, path, (long)getpid());
}

/* ------------------------------------------------- a file */

enum portolan_status sink_open(struct sink *s, const char *path, bool force,
                               struct portolan_error *err)
{
    struct stat there;
    int fd;

    *s = (struct sink){.force = force};
    if (stat(path, &there) == 0) {
        if (!S_ISREG(there.st_mode))
            return portolan_error_set(err, PORTOLAN_EEXISTS, "'%s' exists and is not a file", path);
        if (!force)
            return exists_error(path, err);
    }
    s->path = portolan_strdup(path);
    s->temporary = temporary_name(path);
    if (!s->path || !s->temporary) {
        sink_close(s, PORTOLAN_ENOMEM, NULL);
        return portolan_no_memory(err);
    }
    fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 && (s->f = fdopen(fd, "w")))
        return PORTOLAN_OK;
    portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(s->temporary);
    }
    free(s->temporary);
    free(s->path);
    *s = (struct sink){0};
    return PORTOLAN_EIO;
}

static void hand_on(struct sink *s)
{
    if (!s->error && s->text.length &&
        fwrite(s->text.bytes, 1, s->text.length, s->f) != s->text.length)
        s->error = errno ? errno : EIO;
    s->text.length = 0;
}

void sink_flush(struct sink *s)
{
    if (s->text.length >= PORTION)
        hand_on(s);
}

/* Renames; without FORCE, a file that appeared meanwhile stays. */
static bool put_in_place(const char *from, const char *to, bool force)
{
    if (force)
        return rename(from, to) == 0;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    /* Some file systems cannot do this in one step; sink_open() has checked that TO was not there.
     */
    return (errno == EINVAL || errno == ENOSYS) && rename(from, to) == 0;
}

enum portolan_status sink_close(struct sink *s, enum portolan_status status,
                                struct portolan_error *err)
{
    const char *name = s->path ? s->path : "standard output";

    if (s->f)
        hand_on(s);
    if (s->text.failed)
        s->error = ENOMEM;
    portolan_text_clear(&s->text);
    if (s->f && (s->path ? fclose(s->f) : fflush(s->f)) == EOF && !s->error)
        s->error = errno ? errno : EIO;
    if (status == PORTOLAN_OK && s->path && !s->error &&
        !put_in_place(s->temporary, s->path, s->force)) {
        if (errno == EEXIST)
            status = exists_error(name, err);
        else
            s->error = errno;
    }
    if (status == PORTOLAN_OK && s->error)
        status = portolan_error_set(err, s->error == ENOMEM ? PORTOLAN_ENOMEM : PORTOLAN_EIO,
                                    "cannot write '%s': %s", name, strerror(s->error));
    if (status != PORTOLAN_OK && s->temporary)
        unlink(s->temporary);
    free(s->temporary);
    free(s->path);
    *s = (struct sink){0};
    return status;
}

/* ------------------------------------------------- a folder */

/* Returns whether all files in PATH may be removed, according to their names. */
static bool holds_only(const char *path, bool (*is_ours)(const char *name), bool *empty)
{
    DIR *d = opendir(path);
    struct dirent *e;
    bool only = d != NULL;

    *empty = true;
    while (d && only && (e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            *empty = false;
            only = is_ours(e->d_name);
        }
    if (d)
        closedir(d);
    return only;
}

static enum portolan_status judge_folder(const char *path, bool force,
                                         bool (*is_ours)(const char *name),
                                         struct portolan_error *err)
{
    struct stat there;
    bool empty, only;

    if (lstat(path, &there) != 0)
        return PORTOLAN_OK;
    if (!S_ISDIR(there.st_mode))
        return portolan_error_set(err, PORTOLAN_EEXISTS, "'%s' exists and is not a folder", path);
    only = holds_only(path, is_ours, &empty);
    if (empty && only)
        return PORTOLAN_OK;
    if (!only)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "folder '%s' contains other files; name a new folder", path);
    return force ? PORTOLAN_OK : exists_error(path, err);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

enum portolan_status folder_open(struct folder *f, const char *path, bool force,
                                 bool (*is_ours)(const char *name), struct portolan_error *err)
{
    enum portolan_status status = judge_folder(path, force, is_ours, err);

    *f = (struct folder){.force = force, .is_ours = is_ours};
    if (status != PORTOLAN_OK)
        return status;
    f->path = portolan_strdup(path);
    f->temporary = temporary_name(path);
    if (!f->path || !f->temporary) {
        status = portolan_no_memory(err);
    } else if (mkdir(f->temporary, 0777) != 0) {
        status = portolan_error_set(err, PORTOLAN_EIO, "cannot make folder '%s': %s", f->temporary,
                                    strerror(errno));
        free(f->temporary); /* so that folder_close() removes nothing: the name may be in use */
        f->temporary = NULL;
    }
    return status == PORTOLAN_OK ? status : folder_close(f, status, err);
}

/* Moves an old export aside first, and restores it if the new one cannot replace it. */
static bool exchange(const struct folder *f)
{
    char *aside = portolan_asprintf("%s.old", f->temporary);
    bool moved = false, good;
    int error;

    if (rename(f->temporary, f->path) == 0) { /* there was nothing, or an empty folder */
        free(aside);
        return true;
    }
    error = errno;
    moved = f->force && aside && rename(f->path, aside) == 0;
    good = moved && rename(f->temporary, f->path) == 0;
    if (moved && !good) {
        error = errno;
        rename(aside, f->path);
    } else if (good) {
        remove_folder(aside);
    }
    free(aside);
    errno = error;
    return good;
}

enum portolan_status folder_close(struct folder *f, enum portolan_status status,
                                  struct portolan_error *err)
{
    if (status == PORTOLAN_OK)
        status = judge_folder(f->path, f->force, f->is_ours, err);
    if (status == PORTOLAN_OK && !exchange(f))
        status = portolan_error_set(err, PORTOLAN_EIO, "cannot make folder '%s': %s", f->path,
                                    strerror(errno));
    if (status != PORTOLAN_OK && f->temporary)
        remove_folder(f->temporary);
    free(f->temporary);
    free(f->path);
    *f = (struct folder){0};
    return status;
}
