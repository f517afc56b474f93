/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what was made: all of it or nothing, and only files whose content changes. */
#include <portolan/command.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_content(const struct portolan_made_file *f)
{
    FILE *old = fopen(f->path, "rb");
    char *bytes = old ? portolan_calloc(f->size + 1, 1) : NULL;
    bool same = bytes && fread(bytes, 1, f->size + 1, old) == f->size &&
                memcmp(bytes, f->bytes, f->size) == 0;

    free(bytes);
    if (old)
        fclose(old);
    return same;
}

/* A file to be written: it has another name until all of them are there. */
struct file {
    const struct portolan_made_file *made;
    const char *new_path;
};

static enum portolan_status fail(const struct file *f, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", f->made->path, strerror(errno));
}

static enum portolan_status write_new(const struct file *f, struct portolan_error *err)
{
    FILE *out = fopen(f->new_path, "wb");
    struct stat info;
    bool good;

    if (!out)
        return fail(f, err);
    good = fwrite(f->made->bytes, 1, f->made->size, out) == f->made->size;
    if (f->made->is_script && fstat(fileno(out), &info) == 0) /* who may read may run */
        good =
            fchmod(fileno(out), (info.st_mode & 0777) | ((info.st_mode & 0444) >> 2)) == 0 && good;
    good = fclose(out) == 0 && good;
    return good ? PORTOLAN_OK : fail(f, err);
}

static enum portolan_status rename_all(const struct file *files, size_t n,
                                       struct portolan_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (rename(files[i].new_path, files[i].made->path) != 0)
            return fail(&files[i], err);
    return PORTOLAN_OK;
}

static enum portolan_status write_all(const struct file *files, size_t n,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n && status == PORTOLAN_OK; i++)
        status = write_new(&files[i], err);
    if (status == PORTOLAN_OK)
        status = rename_all(files, n, err);
    for (size_t i = 0; i < n && status != PORTOLAN_OK; i++)
        unlink(files[i].new_path);
    return status;
}

enum portolan_status portolan_files_write(struct portolan_arena *arena, const char *folder,
                                          const struct portolan_made_file *made, size_t n_made,
                                          struct portolan_error *err)
{
    enum portolan_status status;
    struct file *files = NULL;
    size_t n = 0;
    bool is_new;

    for (size_t i = 0; i < n_made; i++) {
        if (is_content(&made[i]))
            continue;
        files = portolan_arena_grow(arena, files, n, sizeof *files);
        if (files)
            files[n++] = (struct file){
                &made[i], portolan_arena_printf(arena, "%s.portolan-new", made[i].path)};
    }
    if (arena->failed)
        return portolan_no_memory(err);
    is_new = mkdir(folder, 0777) == 0;
    if (!is_new && errno != EEXIST)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s%s", folder, strerror(errno),
                                  errno == ENOENT ? "; make the folder that it is to be in" : "");
    status = write_all(files, n, err);
    if (status != PORTOLAN_OK && is_new)
        rmdir(folder);
    return status;
}
