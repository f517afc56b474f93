/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects: keys and values in the order in which they were set. Hints have no effect. */
#include "internal.h"

#include <stdio.h>

struct pair {
    char *key, *value;
};
struct mpi_info {
    struct pair *pairs;
    size_t n;
};

static struct mpi_info *info_of(struct mpi_task *t, MPI_Info handle)
{
    static struct mpi_info environment;

    return handle == MPI_INFO_ENV ? &environment : mpi_item(t, MPI_KIND_INFO, handle);
}

static char *copy_text(const char *text)
{
    return mpi_copy_of(text, strlen(text) + 1, 1);
}

static struct pair *find(struct mpi_info *info, const char *key)
{
    for (size_t i = 0; i < info->n; i++)
        if (!strcmp(info->pairs[i].key, key))
            return &info->pairs[i];
    return NULL;
}

static int check_key(struct mpi_task *t, const char *key)
{
    size_t length = key ? strlen(key) : 0;

    return length && length <= MPI_MAX_INFO_KEY
               ? MPI_SUCCESS
               : mpi_error(t, MPI_ERR_INFO_KEY, "%s", length ? "too long" : "none");
}

int do_Info_create(struct mpi_task *t, MPI_Info *handle)
{
    *handle = mpi_handle(t, MPI_KIND_INFO, mpi_alloc(1, sizeof(struct mpi_info)));
    return MPI_SUCCESS;
}

int do_Info_set(struct mpi_task *t, MPI_Info handle, const char *key, const char *value)
{
    struct mpi_info *info = info_of(t, handle);
    struct pair *found, new;
    int code = check_key(t, key);

    if (code != MPI_SUCCESS)
        return code;
    if (!value || !*value || strlen(value) > MPI_MAX_INFO_VAL)
        return mpi_error(t, MPI_ERR_INFO_VALUE, "of %s", key);
    found = find(info, key);
    if (found) {
        free(found->value);
        found->value = copy_text(value);
        return MPI_SUCCESS;
    }
    new = (struct pair){copy_text(key), copy_text(value)};
    if (!portolan_append(&info->pairs, &info->n, &new, sizeof new))
        clue_fail("out of memory");
    return MPI_SUCCESS;
}

int do_Info_dup(struct mpi_task *t, MPI_Info handle, MPI_Info *new)
{
    struct mpi_info *info = info_of(t, handle);

    do_Info_create(t, new);
    for (size_t i = 0; i < info->n; i++)
        do_Info_set(t, *new, info->pairs[i].key, info->pairs[i].value);
    return MPI_SUCCESS;
}

int do_Info_free(struct mpi_task *t, MPI_Info *handle)
{
    struct mpi_info *info = mpi_item(t, MPI_KIND_INFO, *handle);

    if (!info)
        return mpi_error(t, MPI_ERR_INFO, "0x%x", *handle);
    for (size_t i = 0; i < info->n; i++) {
        free(info->pairs[i].key);
        free(info->pairs[i].value);
    }
    free(info->pairs);
    free(info);
    mpi_handle_free(t, *handle);
    *handle = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int do_Info_delete(struct mpi_task *t, MPI_Info handle, const char *key)
{
    struct mpi_info *info = info_of(t, handle);
    struct pair *found = key ? find(info, key) : NULL;

    if (!found)
        return mpi_error(t, MPI_ERR_INFO_NOKEY, "%s", key ? key : "none");
    free(found->key);
    free(found->value);
    memmove(found, found + 1, (size_t)(info->pairs + --info->n - found) * sizeof *found);
    return MPI_SUCCESS;
}

int mpi_info_get(struct mpi_task *t, MPI_Info handle, const char *key, int room, char *value,
                 int *length, int *flag)
{
    struct pair *found = key ? find(info_of(t, handle), key) : NULL;

    *flag = found != NULL;
    if (found && room > 0)
        snprintf(value, (size_t)room, "%s", found->value);
    if (found)
        *length = (int)strlen(found->value);
    return check_key(t, key);
}

int do_Info_get_nkeys(struct mpi_task *t, MPI_Info handle, int *n)
{
    *n = (int)info_of(t, handle)->n;
    return MPI_SUCCESS;
}

int do_Info_get_nthkey(struct mpi_task *t, MPI_Info handle, int n, char *key)
{
    struct mpi_info *info = info_of(t, handle);

    if (n < 0 || (size_t)n >= info->n)
        return mpi_error(t, MPI_ERR_ARG, "key %d of %zu", n, info->n);
    snprintf(key, MPI_MAX_INFO_KEY, "%s", info->pairs[n].key);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- hints */
