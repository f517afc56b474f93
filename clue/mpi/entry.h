/* SPDX-License-Identifier: BSD-3-Clause */
/* clue/mpi: the parts of which generate.py makes the entry points. */
#ifndef CLUE_MPI_ENTRY_H
#define CLUE_MPI_ENTRY_H

#include "collective.h"
#include "window.h"

#include <limits.h>
#include <stdio.h>

/* The value of MPI_TAG_UB. */
enum { TAG_MOST = 268435455 };

/* ---------------------------------------------------------------- begin and end */

/* The address at which the program calls an entry point. */
#define SITE                                                                                       \
    (__builtin_expect(clue_has_bindings, 0)                                                        \
         ? clue_caller(__builtin_return_address(0), __builtin_frame_address(0))                    \
         : __builtin_return_address(0))

static inline struct mpi_task *begin(const struct clue_routine *routine, const void *site)
{
    struct mpi_task *t;

    clue_call_begin(routine, site);
    t = mpi_task();
    t->routine = routine;
    t->site = site;
    return t;
}

/* Calls the error handler at the call's end. SITE: of a call without time that has not begun. */
static __attribute__((cold, noinline)) int fail(struct mpi_task *t,
                                                const struct clue_routine *routine,
                                                const void *site, MPI_Comm comm, MPI_Win win,
                                                int code)
{
    if (site)
        begin(routine, site);
    return mpi_raise(t, comm, win, code, true);
}

static __attribute__((cold, noinline, noreturn)) void
out_of_time(struct mpi_task *t, const struct clue_routine *routine, const void *site)
{
    clue_call_begin(routine, site);
    clue_fail("called %s", t->has_ended ? "after MPI_Finalize" : "before MPI_Init");
}

static __attribute__((cold, noinline, noreturn)) void not_served(const struct clue_routine *routine,
                                                                 const void *site, const char *what)
{
    clue_call_begin(routine, site);
    clue_fail("not served in virtual time: %s", what);
}

/* ---------------------------------------------------------------- both forms */

static inline MPI_Count *widen(int n, const int *ints)
{
    MPI_Count *wide = ints && n > 0 ? mpi_alloc((size_t)n, sizeof *wide) : NULL;

    for (int i = 0; wide && i < n; i++)
        wide[i] = ints[i];
    return wide;
}

/* ---------------------------------------------------------------- events for the observer */

static inline int entry_rank(struct mpi_task *t, MPI_Comm comm)
{
    return mpi_comm(t, comm)->rank;
}

static inline int entry_size(struct mpi_task *t, MPI_Comm comm)
{
    struct mpi_comm *c = mpi_comm(t, comm);

    return c ? c->n : 0;
}

static inline int entry_partners(struct mpi_task *t, MPI_Comm comm)
{
    struct mpi_comm *c = mpi_comm(t, comm);

    return c ? mpi_partners(c)->n : 0;
}

static inline int entry_neighbours(struct mpi_task *t, MPI_Comm comm, bool out)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_neighbours p;

    if (!c || !mpi_neighbours(c, &p))
        return 0;
    free(p.from);
    free(p.to);
    return out ? p.n_to : p.n_from;
}

static inline bool entry_is_root(struct mpi_task *t, MPI_Comm comm, int root)
{
    struct mpi_comm *c = mpi_comm(t, comm);

    return c && (c->remote ? root == MPI_ROOT : root == c->rank);
}

static inline int entry_at_root(struct mpi_task *t, MPI_Comm comm, int root)
{
    return entry_is_root(t, comm, root) ? entry_partners(t, comm) : 0;
}

static inline uint64_t entry_bytes(struct mpi_task *t, MPI_Count count, MPI_Datatype type)
{
    return (uint64_t)(count * mpi_type(t, type)->size);
}

static inline MPI_Count entry_sum(const MPI_Count *counts, int n)
{
    MPI_Count sum = 0;

    for (int i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

static inline uint64_t entry_each(struct mpi_task *t, const MPI_Count *counts,
                                  const MPI_Datatype *types, int n)
{
    uint64_t sum = 0;

    for (int i = 0; i < n; i++)
        sum += entry_bytes(t, counts[i], types[i]);
    return sum;
}

/* Keeps for MPI_Start what a persistent collective reports. */
static inline void entry_keep(struct mpi_task *t, const MPI_Request *request, uint64_t bytes,
                              int root)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, *request);

    r->bytes = (MPI_Count)bytes;
    r->rank = root;
}

/* The macros are as in mpi/note.h. */
#define ROOTED(t, root, count, type)  ((root) == MPI_PROC_NULL ? 0 : entry_bytes(t, count, type))
#define REDUCED(t, root, count, type) ((root) < 0 ? 0 : entry_bytes(t, count, type))
#define OWN(t, sent, count, type, in_count, in_type)                                               \
    ((sent) == MPI_IN_PLACE ? entry_bytes(t, in_count, in_type) : entry_bytes(t, count, type))
#define OWN_EACH(t, sent, counts, types, in_counts, in_types, n)                                   \
    ((sent) == MPI_IN_PLACE ? entry_each(t, in_counts, in_types, n)                                \
                            : entry_each(t, counts, types, n))
#define GATHER(t, sent, count, type, in_count, in_type, root)                                      \
    ((root) < 0 ? 0 : OWN(t, sent, count, type, in_count, in_type))
#define SCATTER(t, got, count, type, out_count, out_type, root)                                    \
    GATHER(t, got, count, type, out_count, out_type, root)

/* ---------------------------------------------------------------- checks, as MPICH makes them */

static inline int check_comm(struct mpi_task *t, MPI_Comm comm)
{
    if (mpi_comm(t, comm))
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_COMM, comm == MPI_COMM_NULL ? "null communicator" : "0x%x", comm);
}

static inline int check_topology(struct mpi_task *t, MPI_Comm comm, int kind)
{
    const struct mpi_topology *p = mpi_comm(t, comm)->topology;

    return p && p->kind == kind
               ? MPI_SUCCESS
               : mpi_error(t, MPI_ERR_TOPOLOGY, "the communicator has no such topology");
}

static inline int check_inter(struct mpi_task *t, MPI_Comm comm)
{
    return mpi_comm(t, comm)->remote ? MPI_SUCCESS
                                     : mpi_error(t, MPI_ERR_COMM, "not an intercommunicator");
}

static inline int check_member(struct mpi_task *t, MPI_Comm comm, int rank)
{
    return rank >= 0 && rank < mpi_comm(t, comm)->n
               ? MPI_SUCCESS
               : mpi_error(t, MPI_ERR_RANK, "rank is %d", rank);
}

static inline int check_win(struct mpi_task *t, MPI_Win win)
{
    return mpi_win(t, win) ? MPI_SUCCESS : mpi_error(t, MPI_ERR_WIN, "0x%x", win);
}

static inline int check_group(struct mpi_task *t, MPI_Group group)
{
    return mpi_group(t, group) ? MPI_SUCCESS : mpi_error(t, MPI_ERR_GROUP, "0x%x", group);
}

static inline int check_op(struct mpi_task *t, MPI_Op op)
{
    return mpi_op(t, op) ? MPI_SUCCESS : mpi_error(t, MPI_ERR_OP, "0x%x", op);
}

static inline int check_info(struct mpi_task *t, MPI_Info info, bool may_be_null)
{
    if ((may_be_null && info == MPI_INFO_NULL) || info == MPI_INFO_ENV ||
        mpi_item(t, MPI_KIND_INFO, info))
        return MPI_SUCCESS;
    return mpi_error(t, info == MPI_INFO_NULL ? MPI_ERR_ARG : MPI_ERR_INFO, "0x%x", info);
}

static inline int check_count(struct mpi_task *t, const char *name, MPI_Count count)
{
    return count >= 0 ? MPI_SUCCESS : mpi_error(t, MPI_ERR_COUNT, "%s is %ld", name, count);
}

static inline int check_type(struct mpi_task *t, MPI_Datatype handle, bool is_used)
{
    struct mpi_type *type = mpi_type(t, handle);

    if (!type)
        return mpi_error(t, MPI_ERR_TYPE,
                         handle == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "0x%x", handle);
    if (is_used && !type->is_committed)
        return mpi_error(t, MPI_ERR_TYPE, "the type has not been committed");
    return MPI_SUCCESS;
}

static inline int check_partner(struct mpi_task *t, int n, int rank)
{
    if ((rank >= 0 && rank < n) || rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_RANK, "rank is %d, but must be from 0 to %d", rank, n - 1);
}

static inline int check_rank(struct mpi_task *t, MPI_Comm comm, int rank, bool may_be_any)
{
    return may_be_any && rank == MPI_ANY_SOURCE
               ? MPI_SUCCESS
               : check_partner(t, mpi_partners(mpi_comm(t, comm))->n, rank);
}

static inline int check_target(struct mpi_task *t, MPI_Win win, int rank)
{
    return check_partner(t, mpi_win(t, win)->comm->n, rank);
}

static inline int check_root(struct mpi_task *t, MPI_Comm comm, int root)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    int n = mpi_partners(c)->n;

    if ((root >= 0 && root < n) || (c->remote && (root == MPI_ROOT || root == MPI_PROC_NULL)))
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_ROOT, "root is %d, but must be from 0 to %d", root, n - 1);
}

static inline int check_tag(struct mpi_task *t, int tag, bool may_be_any)
{
    if ((tag >= 0 && tag <= TAG_MOST) || (may_be_any && tag == MPI_ANY_TAG))
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_TAG, "tag is %d, but must be from 0 to %d", tag, TAG_MOST);
}

static inline int check_out(struct mpi_task *t, const char *name, const void *out)
{
    return out ? MPI_SUCCESS : mpi_error(t, MPI_ERR_ARG, "%s is a null pointer", name);
}

static inline int check_buffer(struct mpi_task *t, const void *buf, MPI_Count count,
                               MPI_Datatype handle)
{
    if (buf || !count || !mpi_type(t, handle)->is_builtin)
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_BUFFER, "the buffer is a null pointer");
}

#endif
