/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and matched messages of which more is to be noted when they complete: requests.c. */
#ifndef PORTOLAN_MPI_PENDING_H
#define PORTOLAN_MPI_PENDING_H

#include "note.h"

struct mpi_pending {
    struct mpi_pending *next;
    intptr_t handle;
    uint32_t number; /* of this entry, for the observer */
    int tag;
    bool is_message;
    bool is_persistent;
    bool receives;
    bool is_active;   /* under way, and not noted yet */
    bool is_wild;     /* the source is known at the end */
    bool in_world;    /* the communicator was MPI_COMM_WORLD */
    bool is_call;     /* its call and time were noted without partner, and move to the source */
    bool is_reported; /* the observer knows that it was posted */
    bool is_both;    /* of MPI_Isendrecv: the status is unknown, the send has an entry of its own */
    bool makes_comm; /* with the handle `ticks`, to be numbered from `bytes` */
    uint8_t done; /* enum portolan_mpi_event_kind: the event that is reported when it completes */
    enum mpi_routine routine;
    int partner; /* of a collective: its root */
    struct mpi_peers *peers;
    uint64_t ticks;
    uint64_t bytes; /* that each start sends */
};

extern size_t mpi_n_pending __attribute__((visibility("hidden"))); /* atomic */

static inline bool mpi_any_is_pending(void)
{
    return __atomic_load_n(&mpi_n_pending, __ATOMIC_RELAXED) > 0;
}

/* NULL: none is pending, or with several threads only such as mpi_take_shared() takes. */
struct mpi_pending *mpi_find_request(MPI_Request request);
/* Takes out the newest entry of a handle that others may have as well; NULL: there is none. */
struct mpi_pending *mpi_take_shared(intptr_t handle);
/* Frees what mpi_take_shared() took. */
void mpi_recycle_pending(struct mpi_pending *p);
void mpi_drop_pending(struct mpi_pending *p);
/* One more receive of which nothing more will be known. */
void mpi_lose_receive(void);

/* Reports to the observer that P was posted. */
MPI_OUT_OF_LINE void mpi_report_posted(const struct mpi_call *call, struct mpi_pending *p);
/* The same of its completion. False: it was cancelled; *BYTES: what a receive received. */
MPI_OUT_OF_LINE bool mpi_report_completed(const struct mpi_call *call, struct mpi_pending *p,
                                          const MPI_Status *status, int result, uint64_t *bytes);

#endif
