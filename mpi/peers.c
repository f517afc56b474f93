/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world ranks of a communicator are found when first asked for and kept in an attribute of the
 * communicator, which MPI deletes with it. Each thread remembers the last ones that it used.
 */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>

struct mpi_peers {
    unsigned uses; /* atomic: by the attribute and by pending receives */
    int size;
    bool is_world; /* the ranks are those of the world: there is no table */
    int world[];
};

/* Deleted when the ranks of the world end; until then constant. */
static MPI_Group world_group = MPI_GROUP_NULL;
static int comm_key = MPI_KEYVAL_INVALID, win_key = MPI_KEYVAL_INVALID;

/* Held while an attribute is made; never waited for, since MPI's own lock may be held around us. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* Counts communicators and windows that are gone, whose handles MPI may give to new ones. */
static uint64_t epoch;

#define REMEMBERED 8

static __thread struct {
    uint64_t epoch;
    struct mpi_peers *peers; /* alive as long as its communicator is */
    intptr_t handle;
} last[REMEMBERED] __attribute__((tls_model("initial-exec")));

void mpi_peers_release(struct mpi_peers *peers)
{
    if (peers && __atomic_sub_fetch(&peers->uses, 1, __ATOMIC_ACQ_REL) == 0)
        free(peers);
}

static int forget(void *peers)
{
    __atomic_add_fetch(&epoch, 1, __ATOMIC_RELEASE);
    mpi_peers_release(peers);
    return MPI_SUCCESS;
}

static int forget_comm(MPI_Comm comm, int key, void *peers, void *extra)
{
    (void)comm, (void)key, (void)extra;
    return forget(peers);
}

static int forget_win(MPI_Win win, int key, void *peers, void *extra)
{
    (void)win, (void)key, (void)extra;
    return forget(peers);
}

void mpi_peers_begin(void)
{
    if (comm_key != MPI_KEYVAL_INVALID ||
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_comm, &comm_key, NULL) !=
            MPI_SUCCESS ||
        PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_win, &win_key, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
}

/* Fills in the ranks; GROUP has peers->size. */
static bool translate(struct mpi_peers *peers, MPI_Group group)
{
    int *ranks = portolan_calloc((size_t)peers->size, sizeof *ranks);
    bool good;

    for (int i = 0; ranks && i < peers->size; i++)
        ranks[i] = i;
    good = ranks && PMPI_Group_translate_ranks(group, peers->size, ranks, world_group,
                                               peers->world) == MPI_SUCCESS;
    free(ranks);
    for (int i = 0; good && i < peers->size; i++)
        if (peers->world[i] == MPI_UNDEFINED)
            peers->world[i] = -1;
    return good;
}

/* A new translation with one use, the caller's. */
static struct mpi_peers *peers_of(MPI_Group group)
{
    struct mpi_peers *peers = NULL;
    int size = 0, same = MPI_UNEQUAL;

    PMPI_Group_size(group, &size);
    PMPI_Group_compare(group, world_group, &same);
    peers = portolan_calloc(1, sizeof *peers +
                                   (same == MPI_IDENT ? 0 : (size_t)size * sizeof peers->world[0]));
    if (!peers)
        return NULL;
    peers->uses = 1;
    peers->size = size;
    peers->is_world = same == MPI_IDENT;
    if (!peers->is_world && size && !translate(peers, group)) {
        free(peers);
        return NULL;
    }
    return peers;
}

static MPI_Group group_of_comm(MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL;
    int is_inter = 0;

    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    return group;
}

static MPI_Group group_of_win(MPI_Win win)
{
    MPI_Group group = MPI_GROUP_NULL;

    PMPI_Win_get_group(win, &group);
    return group;
}

static struct mpi_peers *peers_of_group(MPI_Group group)
{
    struct mpi_peers *peers;

    if (group == MPI_GROUP_NULL || world_group == MPI_GROUP_NULL)
        return NULL;
    peers = peers_of(group);
    PMPI_Group_free(&group);
    return peers;
}

int mpi_peers_rank(const struct mpi_peers *peers, int rank)
{
    if (!peers || rank < 0 || rank >= peers->size)
        return -1;
    return peers->is_world ? rank : peers->world[rank];
}

static void remember(intptr_t handle, struct mpi_peers *peers, uint64_t now)
{
    unsigned i = (unsigned)(handle ^ handle >> 6) % REMEMBERED;

    last[i].epoch = now;
    last[i].handle = handle;
    last[i].peers = peers;
}

static struct mpi_peers *remembered(intptr_t handle, uint64_t now)
{
    unsigned i = (unsigned)(handle ^ handle >> 6) % REMEMBERED;

    return last[i].peers && last[i].handle == handle && last[i].epoch == now ? last[i].peers : NULL;
}

/* Communicators or windows, whose handles are integers in MPICH and pointers in Open MPI. */
struct kind {
    const int *key;
    int (*get)(intptr_t handle, int key, void *value, int *found);
    int (*set)(intptr_t handle, int key, void *value);
    MPI_Group (*group)(intptr_t handle);
};

#define DEFINE_KIND(NAME, MPI_TYPE, ROUTINES, GROUP)                                               \
    static int NAME##_get(intptr_t handle, int key, void *value, int *found)                       \
    {                                                                                              \
        return ROUTINES##_get_attr((MPI_TYPE)handle, key, value, found);                           \
    }                                                                                              \
    static int NAME##_set(intptr_t handle, int key, void *value)                                   \
    {                                                                                              \
        return ROUTINES##_set_attr((MPI_TYPE)handle, key, value);                                  \
    }                                                                                              \
    static MPI_Group NAME##_group(intptr_t handle)                                                 \
    {                                                                                              \
        return GROUP((MPI_TYPE)handle);                                                            \
    }                                                                                              \
    static const struct kind NAME##s = {&NAME##_key, NAME##_get, NAME##_set, NAME##_group}

DEFINE_KIND(comm, MPI_Comm, PMPI_Comm, group_of_comm);
DEFINE_KIND(win, MPI_Win, PMPI_Win, group_of_win);

/* The ranks in the attribute, which is made if missing; NULL when that is not possible now. */
static struct mpi_peers *kept(const struct kind *k, intptr_t handle)
{
    struct mpi_peers *peers = NULL;
    int found = 0;

    if (*k->key == MPI_KEYVAL_INVALID || k->get(handle, *k->key, &peers, &found) != MPI_SUCCESS)
        return NULL;
    if (found)
        return peers;
    if (pthread_mutex_trylock(&making) != 0)
        return NULL;
    k->get(handle, *k->key, &peers, &found);
    if (!found && (peers = peers_of_group(k->group(handle))) &&
        k->set(handle, *k->key, peers) != MPI_SUCCESS) {
        mpi_peers_release(peers);
        peers = NULL;
    }
    pthread_mutex_unlock(&making);
    return peers;
}

static struct mpi_peers *known(const struct kind *k, intptr_t handle)
{
    uint64_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
    struct mpi_peers *peers = remembered(handle, now);

    if (!peers && (peers = kept(k, handle)))
        remember(handle, peers, now);
    return peers;
}

static int world_rank(const struct kind *k, intptr_t handle, int rank)
{
    struct mpi_peers *peers = known(k, handle);
    int world;

    if (peers)
        return mpi_peers_rank(peers, rank);
    peers = peers_of_group(k->group(handle));
    world = mpi_peers_rank(peers, rank);
    mpi_peers_release(peers);
    return world;
}

int mpi_world_rank(MPI_Comm comm, int rank)
{
    if (rank < 0)
        return -1;
    return comm == MPI_COMM_WORLD ? rank : world_rank(&comms, (intptr_t)comm, rank);
}

int mpi_world_rank_in(MPI_Win win, int rank)
{
    return rank < 0 ? -1 : world_rank(&wins, (intptr_t)win, rank);
}

struct mpi_peers *mpi_peers_hold(MPI_Comm comm)
{
    struct mpi_peers *peers = known(&comms, (intptr_t)comm);

    if (!peers)
        return peers_of_group(group_of_comm(comm)); /* the caller's only */
    __atomic_add_fetch(&peers->uses, 1, __ATOMIC_RELAXED);
    return peers;
}
