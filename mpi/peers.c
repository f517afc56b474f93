/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world ranks of a communicator are found when first asked for and kept in an attribute of the
 * communicator, which MPI deletes with it. Each thread remembers the last ones that it used.
 */
#include "internal.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct mpi_peers {
    unsigned uses; /* atomic: by the attribute and by pending receives */
    int size;
    bool is_world;   /* the ranks are those of the world: there is no table */
    uint64_t n_made; /* of this one by all its ranks: mpi_number_next */
    int *own;        /* the communicator's: neighbours, members of an intercommunicator */
    struct portolan_mpi_comm comm; /* with a number where mpi_is_observable */
    int world[];
};

/* For MPI_COMM_WORLD, so that nothing is looked up. And for what has no number. */
static struct mpi_peers world_peers = {.uses = 1, .is_world = true};
static const struct portolan_mpi_comm unnumbered = {.id = PORTOLAN_MPI_NO_ID, .number = 1};
static int *world_ranks;       /* 0, 1, 2 … */
static uint32_t n_numbers = 2; /* atomic; MPI_COMM_WORLD has 0 */

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
    if (peers && __atomic_sub_fetch(&peers->uses, 1, __ATOMIC_ACQ_REL) == 0) {
        free(peers->own);
        free(peers);
    }
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
    peers->comm = unnumbered;
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

static struct mpi_peers *comm_peers(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? &world_peers : known(&comms, (intptr_t)comm);
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
    struct mpi_peers *peers = comm_peers(comm);

    if (!peers)
        return peers_of_group(group_of_comm(comm)); /* the caller's only */
    __atomic_add_fetch(&peers->uses, 1, __ATOMIC_RELAXED);
    return peers;
}

struct mpi_peers *mpi_peers_hold_window(MPI_Win win)
{
    struct mpi_peers *peers = known(&wins, (intptr_t)win);

    if (peers)
        __atomic_add_fetch(&peers->uses, 1, __ATOMIC_RELAXED);
    return peers;
}

int *mpi_ranks_of(MPI_Group group, int *n)
{
    struct mpi_peers *peers = peers_of(group);
    int *ranks;

    *n = 0;
    if (!peers || !(ranks = portolan_calloc((size_t)peers->size + 1, sizeof *ranks))) {
        mpi_peers_release(peers);
        return NULL;
    }
    *n = peers->size;
    for (int i = 0; i < *n; i++)
        ranks[i] = mpi_peers_rank(peers, i);
    mpi_peers_release(peers);
    return ranks;
}

/* -- numbers, which only an observer needs -- */

const struct portolan_mpi_comm *mpi_comm_of_peers(const struct mpi_peers *peers)
{
    return peers ? &peers->comm : &unnumbered;
}

const struct portolan_mpi_comm *mpi_comm_of(MPI_Comm comm)
{
    return mpi_comm_of_peers(comm_peers(comm));
}

const struct portolan_mpi_comm *mpi_window_of(MPI_Win win)
{
    return mpi_comm_of_peers(known(&wins, (intptr_t)win));
}

/* Ranks in COMM of those that this rank receives from, the caller's; NULL if there are none. */
static int *neighbours_of(MPI_Comm comm, int *n)
{
    int kind = MPI_UNDEFINED, out = 0, is_weighted, rank, *ranks, *more = NULL;

    *n = 0;
    PMPI_Topo_test(comm, &kind);
    PMPI_Comm_rank(comm, &rank);
    if (kind == MPI_CART)
        PMPI_Cartdim_get(comm, &out);
    else if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, rank, n);
    else if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, n, &out, &is_weighted);
    *n += kind == MPI_CART ? 2 * out : 0;
    if (*n == 0 || !(ranks = portolan_calloc((size_t)*n, sizeof *ranks)))
        return *n = 0, NULL;
    for (int d = 0; kind == MPI_CART && d < out; d++)
        PMPI_Cart_shift(comm, d, 1, &ranks[2 * d], &ranks[2 * d + 1]);
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors(comm, rank, *n, ranks);
    if (kind == MPI_DIST_GRAPH && (more = portolan_calloc((size_t)out + 1, sizeof *more)))
        PMPI_Dist_graph_neighbors(comm, *n, ranks, MPI_UNWEIGHTED, out, more, MPI_UNWEIGHTED);
    free(more);
    return ranks;
}

/* The local group of an intercommunicator, or neighbours, as world ranks. */
static void describe_comm(struct mpi_peers *peers, MPI_Comm comm)
{
    struct portolan_mpi_comm *c = &peers->comm;
    MPI_Group local;
    int is_inter = 0, n;

    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter && PMPI_Comm_group(comm, &local) == MPI_SUCCESS) {
        c->remote = c->members;
        c->n_remote = c->n_members;
        c->members = peers->own = mpi_ranks_of(local, &c->n_members);
        PMPI_Group_free(&local);
        return;
    }
    c->neighbours = peers->own = neighbours_of(comm, &n);
    for (int i = 0; i < n; i++)
        if (peers->own[i] >= 0) /* a cartesian grid may end here */
            peers->own[c->n_neighbours++] = mpi_peers_rank(peers, peers->own[i]);
}

static void number_peers(struct mpi_peers *peers, uint64_t id)
{
    peers->comm = (struct portolan_mpi_comm){
        .id = id,
        .number = __atomic_fetch_add(&n_numbers, 1, __ATOMIC_RELAXED),
        .n_members = peers->size,
        .members = peers->is_world ? world_ranks : peers->world,
    };
}

void mpi_peers_number(void)
{
    int size = 0, rank = 0;
    struct mpi_peers *self;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!(world_ranks = portolan_calloc((size_t)size, sizeof *world_ranks)))
        return;
    for (int i = 0; i < size; i++)
        world_ranks[i] = i;
    world_peers.comm =
        (struct portolan_mpi_comm){.n_members = world_peers.size = size, .members = world_ranks};
    if ((self = known(&comms, (intptr_t)MPI_COMM_SELF)))
        number_peers(self, (uint64_t)rank + 1);
}

/* Ids of what is made in order have the first bit, so that they are none of mpi_number_alone(). */
#define MADE_IN_ORDER (UINT64_C(1) << 63)

uint64_t mpi_number_next(MPI_Comm parent)
{
    struct mpi_peers *p = comm_peers(parent);

    if (!p || p->comm.id == PORTOLAN_MPI_NO_ID)
        return PORTOLAN_MPI_NO_ID;
    p->n_made++;
    return portolan_hash(&p->n_made, sizeof p->n_made, p->comm.id + 1);
}

static int least_of(const int *ranks, int n, int least)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] < least)
            least = ranks[i];
    return least;
}

void mpi_number_comm_as(uint64_t seed, MPI_Comm comm)
{
    struct mpi_peers *p = comm == MPI_COMM_NULL ? NULL : comm_peers(comm);
    int least;

    if (!p || seed == PORTOLAN_MPI_NO_ID)
        return;
    number_peers(p, 0);
    describe_comm(p, comm);
    least = least_of(p->comm.members, p->comm.n_members, INT_MAX);
    least = least_of(p->comm.remote, p->comm.n_remote, least);
    p->comm.id = portolan_hash(&least, sizeof least, seed) | MADE_IN_ORDER;
}

void mpi_number_comm(MPI_Comm parent, MPI_Comm comm)
{
    mpi_number_comm_as(mpi_number_next(parent), comm);
}

/* The largest of what the ranks offer; in an intercommunicator each group first gets the other's.
 */
void mpi_number_alone(MPI_Comm comm)
{
    static uint32_t n_offered;
    struct mpi_peers *p = comm_peers(comm);
    uint64_t offer[2] = {(uint64_t)(mpi_world_rank(MPI_COMM_SELF, 0) + 1) << 32 |
                         __atomic_add_fetch(&n_offered, 1, __ATOMIC_RELAXED)};
    int is_inter = 0;

    PMPI_Comm_test_inter(comm, &is_inter);
    mpi_do_Allreduce(&offer[0], &offer[1], 1, MPI_UINT64_T, MPI_MAX, comm);
    if (is_inter) {
        offer[0] = offer[0] > offer[1] ? offer[0] : offer[1];
        mpi_do_Allreduce(&offer[0], &offer[1], 1, MPI_UINT64_T, MPI_MAX, comm);
    }
    if (p) {
        number_peers(p, offer[1]);
        describe_comm(p, comm);
    }
}

void mpi_number_window(MPI_Comm parent, MPI_Win win)
{
    uint64_t id = mpi_number_next(parent);
    struct mpi_peers *p = known(&wins, (intptr_t)win);

    if (!p || id == PORTOLAN_MPI_NO_ID)
        return;
    number_peers(p, id | MADE_IN_ORDER);
    p->comm.is_window = true;
}
