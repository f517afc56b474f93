/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups. Each content is stored once, however many ranks and communicators have it. */
#include "internal.h"

/* Groups by hash, shared by all ranks. */
static struct mpi_group *buckets[1024];

static bool is_same(const struct mpi_group *group, uint64_t hash, int n, const int *members)
{
    return group->hash == hash && group->n == n &&
           (!n || !memcmp(group->members, members, (size_t)n * sizeof *members));
}

struct mpi_group *mpi_group_new(int n, int *members)
{
    uint64_t hash = portolan_hash(members, (size_t)n * sizeof *members, (uint64_t)n);
    struct mpi_group **bucket = &buckets[hash % 1024], *group;

    for (group = *bucket; group && !is_same(group, hash, n, members); group = group->next)
        ;
    if (group) {
        free(members);
        return mpi_group_retain(group);
    }
    group = mpi_alloc(1, sizeof *group);
    *group =
        (struct mpi_group){.refs = 1, .n = n, .hash = hash, .members = members, .next = *bucket};
    return *bucket = group;
}

struct mpi_group *mpi_group_retain(struct mpi_group *group)
{
    group->refs++;
    return group;
}

void mpi_group_release(struct mpi_group *group)
{
    struct mpi_group **at;

    if (!group || --group->refs)
        return;
    for (at = &buckets[group->hash % 1024]; *at != group; at = &(*at)->next)
        ;
    *at = group->next;
    free(group->members);
    free(group->inverse);
    free(group->nodes);
    free(group);
}

static int by_world(const void *a, const void *b)
{
    const struct mpi_inverse *x = a, *y = b;

    return PORTOLAN_ORDER(x->world, y->world);
}

static void make_inverse(struct mpi_group *group)
{
    group->inverse = mpi_alloc((size_t)group->n, sizeof *group->inverse);
    for (int i = 0; i < group->n; i++)
        group->inverse[i] = (struct mpi_inverse){group->members[i], i};
    qsort(group->inverse, (size_t)group->n, sizeof *group->inverse, by_world);
}

int mpi_group_rank(struct mpi_group *group, int world)
{
    struct mpi_inverse wanted = {.world = world}, *found;

    if (world >= 0 && world < group->n && group->members[world] == world)
        return world;
    if (group->n <= 16) {
        for (int i = 0; i < group->n; i++)
            if (group->members[i] == world)
                return i;
        return MPI_UNDEFINED;
    }
    if (!group->inverse)
        make_inverse(group);
    found = bsearch(&wanted, group->inverse, (size_t)group->n, sizeof wanted, by_world);
    return found ? found->rank : MPI_UNDEFINED;
}

/* ---------------------------------------------------------------- handles */

static struct mpi_group *empty_group(void)
{
    static struct mpi_group empty = {.refs = 1};

    return &empty;
}

struct mpi_group *mpi_group(const struct mpi_task *t, MPI_Group handle)
{
    return handle == MPI_GROUP_EMPTY ? empty_group() : mpi_item(t, MPI_KIND_GROUP, handle);
}

/* Gives the group a handle; takes over a reference. */
MPI_Group mpi_group_publish(struct mpi_task *t, struct mpi_group *group)
{
    if (group->n)
        return mpi_handle(t, MPI_KIND_GROUP, group);
    mpi_group_release(group);
    return MPI_GROUP_EMPTY;
}

int do_Group_free(struct mpi_task *t, MPI_Group *handle)
{
    struct mpi_group *group = mpi_group(t, *handle);

    if (!group)
        return mpi_error(t, MPI_ERR_GROUP, "0x%x", *handle);
    if (*handle != MPI_GROUP_EMPTY) {
        mpi_handle_free(t, *handle);
        mpi_group_release(group);
    }
    *handle = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int do_Group_translate_ranks(struct mpi_task *t, MPI_Group handle1, int n, const int ranks1[],
                             MPI_Group handle2, int ranks2[])
{
    struct mpi_group *group1 = mpi_group(t, handle1), *group2 = mpi_group(t, handle2);

    for (int i = 0; i < n; i++) {
        if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= group1->n))
            return mpi_error(t, MPI_ERR_RANK, "rank is %d, but must be from 0 to %d", ranks1[i],
                             group1->n - 1);
        ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL
                                               : mpi_group_rank(group2, group1->members[ranks1[i]]);
    }
    return MPI_SUCCESS;
}

int mpi_group_compare(struct mpi_group *a, struct mpi_group *b)
{
    if (a == b)
        return MPI_IDENT;
    if (a->n != b->n)
        return MPI_UNEQUAL;
    for (int i = 0; i < a->n; i++)
        if (mpi_group_rank(b, a->members[i]) == MPI_UNDEFINED)
            return MPI_UNEQUAL;
    return MPI_SIMILAR;
}

/* ---------------------------------------------------------------- sets */

MPI_Group mpi_group_select(struct mpi_task *t, struct mpi_group *a, struct mpi_group *b, bool is_in,
                           struct mpi_group *first)
{
    int n = first ? first->n : 0;
    int *members = mpi_alloc((size_t)(n + a->n), sizeof *members);

    if (n)
        memcpy(members, first->members, (size_t)n * sizeof *members);
    for (int i = 0; i < a->n; i++)
        if ((mpi_group_rank(b, a->members[i]) != MPI_UNDEFINED) == is_in)
            members[n++] = a->members[i];
    return mpi_group_publish(t, mpi_group_new(n, members));
}

int mpi_group_include(struct mpi_task *t, struct mpi_group *group, int n, const int *ranks,
                      MPI_Group *new)
{
    int *members = mpi_alloc((size_t)n, sizeof *members);

    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= group->n) {
            free(members);
            return mpi_error(t, MPI_ERR_RANK, "rank is %d, but must be from 0 to %d", ranks[i],
                             group->n - 1);
        }
        members[i] = group->members[ranks[i]];
    }
    *new = mpi_group_publish(t, mpi_group_new(n, members));
    return MPI_SUCCESS;
}

int mpi_group_exclude(struct mpi_task *t, struct mpi_group *group, int n, const int *ranks,
                      MPI_Group *new)
{
    MPI_Group out;
    int code = mpi_group_include(t, group, n, ranks, &out);

    if (code != MPI_SUCCESS)
        return code;
    *new = mpi_group_select(t, group, mpi_group(t, out), false, NULL);
    return do_Group_free(t, &out);
}

/* Returns the *N ranks of triplets of first, last and stride. NULL: a stride is 0. */
static int *ranks_of(int n_ranges, int ranges[][3], int *n)
{
    int *ranks;

    *n = 0;
    for (int i = 0; i < n_ranges; i++) {
        int steps = ranges[i][2] ? (ranges[i][1] - ranges[i][0]) / ranges[i][2] : -1;

        if (steps < 0)
            return NULL;
        *n += steps + 1;
    }
    ranks = mpi_alloc((size_t)*n, sizeof *ranks);
    *n = 0;
    for (int i = 0; i < n_ranges; i++)
        for (int k = 0; k <= (ranges[i][1] - ranges[i][0]) / ranges[i][2]; k++)
            ranks[(*n)++] = ranges[i][0] + k * ranges[i][2];
    return ranks;
}

int mpi_group_by_ranges(struct mpi_task *t, MPI_Group handle, int n_ranges, int ranges[][3],
                        MPI_Group *new, mpi_group_fn *make)
{
    int n, *ranks = ranks_of(n_ranges, ranges, &n), code;

    if (!ranks)
        return mpi_error(t, MPI_ERR_ARG, "a range does not go from its first to its last rank");
    code = make(t, mpi_group(t, handle), n, ranks, new);
    free(ranks);
    return code;
}
