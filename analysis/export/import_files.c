/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files a TAU profile consists of, and what is in them. */
#include "import.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Ranks are counted up to here; a larger number is a mistake. */
enum { MOST_RANKS = 1 << 24 };

/* profile.N.C.T; others (means, dumps, editors' copies) are none of the profile. */
static bool read_ids(const char *name, struct import_file *f)
{
    int end = 0;

    return !name[strspn(name, "profile.0123456789")] &&
           sscanf(name, "profile.%8d.%8d.%8d%n", &f->node, &f->context, &f->thread, &end) == 3 &&
           !name[end] && f->node < MOST_RANKS && f->context < MOST_RANKS && f->thread < MOST_RANKS;
}

static bool add_file(struct import_files *out, const char *path, struct import_file file)
{
    struct import_file *grown = portolan_arena_grow(&out->arena, out->files, out->n, sizeof *grown);

    if (!grown)
        return false;
    out->files = grown;
    file.path = portolan_arena_strdup(&out->arena, path);
    file.folder = out->folders;
    grown[out->n++] = file;
    return file.path != NULL;
}

static bool is_metric(const FTSENT *e)
{
    return e->fts_level == 1 && !strncmp(e->fts_name, "MULTI__", 7);
}

/* Folders of a metric each come first: where there are such, files beside them do not count. */
static enum portolan_status take_entry(struct import_files *out, FTS *walk, FTSENT *e,
                                       size_t folders_before, struct portolan_error *err)
{
    struct import_file file = {0};

    switch (e->fts_info) {
    case FTS_D:
        if (e->fts_level > 0 && !is_metric(e))
            fts_set(walk, e, FTS_SKIP);
        return PORTOLAN_OK;
    case FTS_DP:
        if (out->n > 0 && out->files[out->n - 1].folder == out->folders &&
            (e->fts_level == 0 || is_metric(e)))
            out->folders++;
        return PORTOLAN_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return portolan_error_set(err, PORTOLAN_EIO, "cannot read '%s': %s", e->fts_path,
                                  strerror(e->fts_errno));
    default:
        if (e->fts_level == 1 && out->folders > folders_before)
            return PORTOLAN_OK;
        if (read_ids(e->fts_name, &file))
            return add_file(out, e->fts_path, file) ? PORTOLAN_OK : portolan_no_memory(err);
        if (e->fts_level > 0)
            return PORTOLAN_OK;
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' is not named as a TAU profile; right is: "
                                  "profile.NODE.CONTEXT.THREAD, or a folder of such files",
                                  e->fts_path);
    }
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum portolan_status take_path(struct import_files *out, const char *path,
                                      struct portolan_error *err)
{
    char *const paths[] = {(char *)path, NULL};
    FTS *walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, compare_names);
    size_t before = out->n, folders = out->folders;
    enum portolan_status status = walk ? PORTOLAN_OK : portolan_no_memory(err);

    for (FTSENT *e; status == PORTOLAN_OK && (e = fts_read(walk));)
        status = take_entry(out, walk, e, folders, err);
    if (walk)
        fts_close(walk);
    if (status == PORTOLAN_OK && out->n == before)
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
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < o->n_paths && status == PORTOLAN_OK; i++)
        status = take_path(out, o->paths[i], err);
    if (status == PORTOLAN_OK && out->n)
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
