/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files a TAU profile consists of, and what is in them. */
#include "import.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Ranks are counted up to here; a larger number is a mistake. */
enum { MOST_RANKS = 1 << 24 };

struct finder {
    struct import_files *out;
    size_t folders;
};

static bool take_id(const char **at, int *id)
{
    char *end;
    long value;

    if (**at != '.' || (*at)[1] < '0' || (*at)[1] > '9')
        return false;
    value = strtol(*at + 1, &end, 10);
    *at = end;
    *id = (int)value;
    return value < MOST_RANKS;
}

/* profile.N.C.T; others (means, dumps, editors' copies) are none of the profile. */
static bool read_ids(const char *name, struct import_file *f)
{
    const char *at = name + 7;

    return !strncmp(name, "profile", 7) && take_id(&at, &f->node) && take_id(&at, &f->context) &&
           take_id(&at, &f->thread) && !*at;
}

static bool add_file(struct finder *f, const char *path, struct import_file file)
{
    struct import_files *out = f->out;
    struct import_file *grown = portolan_arena_grow(&out->arena, out->files, out->n, sizeof *grown);

    if (!grown)
        return false;
    out->files = grown;
    file.path = portolan_arena_strdup(&out->arena, path);
    file.folder = f->folders;
    grown[out->n++] = file;
    return file.path != NULL;
}

static int no_dots(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* The profiles of one metric. *N: how many. */
static enum portolan_status read_folder(struct finder *f, const char *folder, size_t *n,
                                        struct portolan_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, no_dots, alphasort);
    bool good = true;

    *n = 0;
    if (count < 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read folder '%s': %s", folder,
                                  strerror(errno));
    for (int i = 0; i < count; i++) {
        struct import_file file = {0};

        if (good && read_ids(entries[i]->d_name, &file)) {
            char *path = portolan_arena_printf(&f->out->arena, "%s/%s", folder, entries[i]->d_name);

            good = path && add_file(f, path, file);
            (*n)++;
        }
        free(entries[i]);
    }
    free(entries);
    f->folders += *n > 0;
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

/* A folder per metric, by name. *N: how many files. */
static enum portolan_status read_metrics(struct finder *f, const char *folder, size_t *n,
                                         struct portolan_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, no_dots, alphasort);
    enum portolan_status status = PORTOLAN_OK;

    *n = 0;
    for (int i = 0; i < count; i++) {
        size_t there = 0;
        char *path = NULL;

        if (status == PORTOLAN_OK && !strncmp(entries[i]->d_name, "MULTI__", 7)) {
            path = portolan_arena_printf(&f->out->arena, "%s/%s", folder, entries[i]->d_name);
            status = path ? read_folder(f, path, &there, err) : portolan_no_memory(err);
            *n += there;
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum portolan_status read_path(struct finder *f, const char *path,
                                      struct portolan_error *err)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct import_file file = {0};
    struct stat there;
    size_t n = 0;
    enum portolan_status status;

    if (stat(path, &there) != 0)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISDIR(there.st_mode)) {
        if (!read_ids(name, &file))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "'%s' is not named as a TAU profile; right is: "
                                      "profile.NODE.CONTEXT.THREAD, or a folder of such files",
                                      path);
        return add_file(f, path, file) ? PORTOLAN_OK : portolan_no_memory(err);
    }
    status = read_metrics(f, path, &n, err);
    if (status == PORTOLAN_OK && n == 0)
        status = read_folder(f, path, &n, err);
    if (status == PORTOLAN_OK && n == 0)
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND,
                               "'%s' has no files profile.N.C.T and no folders MULTI__…", path);
    return status;
}

static int compare_files(const void *a, const void *b)
{
    const struct import_file *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->folder > y->folder) - (x->folder < y->folder);
}

enum portolan_status import_find_files(struct import_files *out,
                                       const struct portolan_import_options *o,
                                       struct portolan_error *err)
{
    struct finder f = {.out = out};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < o->n_paths && status == PORTOLAN_OK; i++)
        status = read_path(&f, o->paths[i], err);
    if (status == PORTOLAN_OK)
        qsort(out->files, out->n, sizeof *out->files, compare_files);
    return status;
}

enum portolan_status import_read_file(struct portolan_arena *a, const char *path, char **text,
                                      struct portolan_error *err)
{
    struct portolan_text t = {.arena = a};
    struct stat there;
    const char *cause = NULL;

    *text = NULL;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        cause = "it is no file";
    else if (!portolan_text_add_file(&t, path, SIZE_MAX))
        cause = strerror(errno);
    else if (t.length && memchr(t.bytes, '\0', t.length))
        cause = "it is no text";
    if (t.failed)
        return portolan_no_memory(err);
    if (cause)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", path, cause);
    return portolan_text_take(&t, text, err);
}
