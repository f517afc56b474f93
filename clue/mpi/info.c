/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects: keys and values in the order in which they were set; hints, which have no effect.
 */
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
    if (!value || strlen(value) > MPI_MAX_INFO_VAL)
        return mpi_error(t, value ? MPI_ERR_INFO_VALUE : MPI_ERR_ARG, "of %s", key);
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
        return mpi_error(t, MPI_ERR_ARG, "0x%x", *handle);
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

    if (room < 0 || (room && !value))
        return mpi_error(t, MPI_ERR_ARG, "%d characters at %p", room, (void *)value);
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

static const struct hint {
    const char *key, *value, *other; /* the value may become OTHER, or any if that is NULL */
} comm_hints[] = {
    {"mpi_assert_no_any_tag", "false", "true"},
    {"mpi_assert_no_any_source", "false", "true"},
    {"mpi_assert_exact_length", "false", "true"},
    {"mpi_assert_allow_overtaking", "false", "true"},
    {"enable_multi_nic_striping", "true", "false"},
    {"enable_multi_nic_hashing", "true", "false"},
    {"multi_nic_pref_nic", "-1", NULL},
    {"sender_vci", "-1", NULL},
    {"receiver_vci", "-1", NULL},
    {"vci", "-1", NULL},
    {0},
};
#define ALL_OPERATIONS                                                                             \
    "cswap,max,min,sum,prod,land,band,lor,bor,lxor,bxor,minloc,maxloc,replace,no_op"
static const struct hint window_hints[] = {
    {"no_locks", "false", "true"},
    {"accumulate_ordering", "rar,raw,war,waw", NULL},
    {"accumulate_ops", "same_op_no_op", "same_op"},
    {"alloc_shared_noncontig", "false", "true"},
    {"same_size", "false", "true"},
    {"same_disp_unit", "false", "true"},
    {"alloc_shm", "false", "true"},
    {"which_accumulate_ops", ALL_OPERATIONS, NULL},
    {"accumulate_noncontig_dtype", "true", "false"},
    {"accumulate_max_bytes", "unlimited", NULL},
    {"disable_shm_accumulate", "false", "true"},
    {"coll_attach", "false", "true"},
    {"perf_preference", ALL_OPERATIONS, NULL},
    {0},
};

static const struct hint *known_hints(bool is_window)
{
    return is_window ? window_hints : comm_hints;
}

int mpi_hints_set(struct mpi_task *t, struct mpi_object *object, bool is_window, MPI_Info handle)
{
    const struct pair *pair;

    if (!object->hints) {
        do_Info_create(t, &object->hints);
        for (const struct hint *h = known_hints(is_window); h->key; h++)
            do_Info_set(t, object->hints, h->key, h->value);
    }
    for (const struct hint *h = known_hints(is_window); h->key && handle != MPI_INFO_NULL; h++)
        if ((pair = find(info_of(t, handle), h->key)) &&
            (!h->other || !strcmp(pair->value, h->other) || !strcmp(pair->value, h->value)))
            do_Info_set(t, object->hints, h->key, pair->value);
    return MPI_SUCCESS;
}

int mpi_hints_get(struct mpi_task *t, struct mpi_object *object, bool is_window, MPI_Info *info)
{
    mpi_hints_set(t, object, is_window, MPI_INFO_NULL);
    return do_Info_dup(t, object->hints, info);
}

void mpi_hints_free(struct mpi_object *object)
{
    if (object->hints)
        do_Info_free(mpi_task(), &object->hints);
    object->hints = 0;
}
