/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * observer: the wrappers of mpi/ pass each MPI call (MPI 4.0) to one observer. This header needs no
 * MPI, so that an observer can also be built without it. Sizes are bytes; data that events point to
 * belong to the wrappers and are valid during the call. Nothing prints or exits.
 */
#ifndef PORTOLAN_OBSERVER_H
#define PORTOLAN_OBSERVER_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A communicator or a window. Valid during the call; NUMBER is never used again. */
struct portolan_mpi_comm {
    /** The same on all its ranks; no other communicator (or window) of the job has it. */
    uint64_t id;
    uint32_t number; /**< in this process, from 0 */
    bool is_window;
    int n_members, n_remote;     /**< N_REMOTE: of an intercommunicator, else 0 */
    const int *members, *remote; /**< ranks in MPI_COMM_WORLD; -1: a process outside */
    /** Ranks that this rank receives from in neighbourhood collectives. */
    int n_neighbours;
    const int *neighbours;
};

/**
 * `id` of communicators that have no common number and no members, since processes outside
 * MPI_COMM_WORLD take part: of MPI_Comm_spawn, _accept, _connect, _join and MPI_Comm_get_parent.
 */
#define PORTOLAN_MPI_NO_ID UINT64_MAX

/**
 * The events. A call is BEGIN, what it posted, what it completed, END; a call of MPI from within
 * MPI (an attribute's callback) has no BEGIN and END. STARTED, ENDED and MARK also arrive while the
 * observer is off.
 */
enum portolan_mpi_event_kind {
    /** MPI has begun. `comm`: MPI_COMM_WORLD; `peer`: own rank; `tag`: sum of
       PORTOLAN_MPI_SHARES_CORES and PORTOLAN_MPI_HAS_THREADS, as they hold. */
    PORTOLAN_MPI_STARTED,
    PORTOLAN_MPI_ENDED, /**< MPI has ended */
    PORTOLAN_MPI_BEGIN, /**< `routine`; `tag`: 1 if it only looks (MPI_Test, MPI_Iprobe), else 0 */
    PORTOLAN_MPI_END,   /**< `routine`; `tag`: 1 if it looked and found nothing, else 0 */
    PORTOLAN_MPI_SEND,  /**< `comm`, `peer`, `tag`, `bytes`, `request` (0: the call does it) */
    PORTOLAN_MPI_SEND_DONE, /**< `request` */
    PORTOLAN_MPI_RECV_POST, /**< `comm`, `peer`, `tag` (both may be PORTOLAN_MPI_ANY), `request` */
    PORTOLAN_MPI_RECV, /**< `comm`, `peer`, `tag`, `bytes`, `request` (0: posted by this call) */
    PORTOLAN_MPI_CANCELLED,       /**< `request` */
    PORTOLAN_MPI_COLLECTIVE,      /**< `comm`, `peer`: root or NONE; `bytes`: own; `request` */
    PORTOLAN_MPI_COLLECTIVE_DONE, /**< `request` */
    PORTOLAN_MPI_TRANSFER,        /**< one-sided: `comm`: window; `peer`: target; `bytes` */
    PORTOLAN_MPI_ACCESS, /**< a rank of the group of Win_post or Win_start: `comm`, `peer` */
    PORTOLAN_MPI_EPOCH,  /**< the call begins or ends an epoch, or makes or frees its window: `comm`
                          */
    PORTOLAN_MPI_MARK,   /**< MPI_Pcontrol. `tag`: level */
    /** Sometimes, after the END of a call: the time that observing it took, in ticks of the clock.
       `bytes`: from BEGIN to the call itself; `request`: from END on. */
    PORTOLAN_MPI_COST,
    PORTOLAN_MPI_EVENT_KINDS
};

enum {
    PORTOLAN_MPI_NONE = -1, /**< no root, MPI_PROC_NULL, a process outside MPI_COMM_WORLD */
    PORTOLAN_MPI_ANY = -2,  /**< any source, any tag */
    /** Bits of STARTED: */
    PORTOLAN_MPI_SHARES_CORES = 1, /**< a host has more ranks than cores, or others use its cores */
    PORTOLAN_MPI_HAS_THREADS = 2   /**< MPI_THREAD_MULTIPLE */
};

/** Fields that are not named above are 0. */
struct portolan_mpi_event {
    enum portolan_mpi_event_kind kind;
    uint32_t routine; /**< number of NAME in this process */
    const char *name; /**< of the routine: "MPI_Send"; constant */
    /** Clock of the probe (portolan_probe_now()); if it is less than that of the event before, the
       event has the time of the event before. */
    uint64_t ticks;
    const struct portolan_mpi_comm *comm;
    uint64_t bytes;
    int peer; /**< rank in MPI_COMM_WORLD */
    int tag;
    uint32_t request; /**< number of the request in this process, from 1; used again when done */
};

struct portolan_mpi_observer {
    /** Called by each thread that calls MPI; must neither call MPI nor wait. */
    void (*tell)(const struct portolan_mpi_event *event);
    bool is_on; /**< whether it receives calls; may change at any time, by any thread */
};

/**
 * Makes OBSERVER, the caller's, the only one until another is given; NULL, as at first: none. To be
 * called by one thread, on all ranks, before MPI begins, because communicators get numbers from
 * then on. PORTOLAN_EINVAL: MPI began without an observer, or NULL was given since. Give NULL only
 * while no request is pending.
 */
PORTOLAN_API enum portolan_status portolan_mpi_observe(const struct portolan_mpi_observer *observer,
                                                       struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
