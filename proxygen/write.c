/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what was made: all of it or nothing, and only files whose content changes. */
#include "proxygen_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_content(const char *file, const struct portolan_text *text)
{
    FILE *old = fopen(file, "rb");
    char *bytes = old ? portolan_calloc(text->length + 1, 1) : NULL;
    bool same = bytes && fread(bytes, 1, text->length + 1, old) == text->length &&
                memcmp(bytes, text->bytes, text->length) == 0;

    free(bytes);
    if (old)
        fclose(old);
    return same;
}

/* A file to be written: it has another name until all of them are there. */
struct file {
    const char *name, *new_name;
    const struct portolan_text *text;
};

static enum portolan_status write_new(const struct file *f, struct portolan_error *err)
{
    FILE *out = fopen(f->new_name, "wb");
    bool good;

    if (!out)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", f->name, strerror(errno));
    good = fwrite(f->text->bytes, 1, f->text->length, out) == f->text->length;
    good = fclose(out) == 0 && good;
    return good ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_EIO, "%s: %s", f->name, strerror(errno));
}

static enum portolan_status rename_all(const struct file *files, size_t count,
                                       struct portolan_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (rename(files[i].new_name, files[i].name) != 0)
            return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", files[i].name, strerror(errno));
    return PORTOLAN_OK;
}

static enum portolan_status write_all(const struct file *files, size_t count,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < count && status == PORTOLAN_OK; i++)
        status = write_new(&files[i], err);
    if (status == PORTOLAN_OK)
        status = rename_all(files, count, err);
    for (size_t i = 0; i < count && status != PORTOLAN_OK; i++)
        unlink(files[i].new_name);
    return status;
}

enum portolan_status proxygen_write_outputs(struct run *run, char *const *names)
{
    const char *folder = run->options->folder;
    enum portolan_status status;
    struct file *files = NULL;
    size_t n = 0, i = 0;
    bool made;

    for (const struct output *o = run->outputs; o; o = o->next, i++) {
        if (is_content(names[i], &o->text))
            continue;
        files = portolan_arena_grow(&run->arena, files, n, sizeof *files);
        if (files)
            files[n++] = (struct file){
                names[i], proxygen_print(&run->arena, "%s.portolan-new", names[i]), &o->text};
    }
    if (run->arena.failed)
        return portolan_error_set(run->err, PORTOLAN_ENOMEM, "out of memory");
    made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST)
        return portolan_error_set(run->err, PORTOLAN_EIO, "%s: %s", folder, strerror(errno));
    status = write_all(files, n, run->err);
    if (status != PORTOLAN_OK && made)
        rmdir(folder);
    return status;
}
