/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * observer: what the wrappers of mpi/ tell of single MPI calls to one observer. This header needs
 * no MPI, so that an observer can live where there is none.
 */
#ifndef PORTOLAN_OBSERVER_H
#define PORTOLAN_OBSERVER_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A communicator or a window. Valid while it is told of; NUMBER is never used again. */
struct portolan_mpi_comm {
    /** The same on all its ranks, and of no other communicator (no other window) of the job. */
    uint64_t id;
    uint32_t number; /**< in this process, from 0 */
    bool is_window;
    int n_members, n_remote;     /**< N_REMOTE: of an intercommunicator, else 0 */
    const int *members, *remote; /**< ranks in MPI_COMM_WORLD, -1 outside */
    /** Those that this rank receives from in neighbourhood collectives. */
    int n_neighbours;
    const int *neighbours;
};

/**
 * `id` of communicators whose ranks have no common number, since processes outside MPI_COMM_WORLD
 * take part: of MPI_Comm_spawn, _accept, _connect, _join and MPI_Comm_get_parent. Without members.
 */
#define PORTOLAN_MPI_NO_ID UINT64_MAX

/**
 * What is told. A call is BEGIN, what it posted, what it completed, END; a call of MPI from within
 * MPI (an attribute's callback) has no BEGIN and END of its own. STARTED, ENDED and MARK are told
 * also while the observer is off.
 */
enum portolan_mpi_event_kind {
    /** MPI has begun. `comm`: MPI_COMM_WORLD; `peer`: own rank; `tag`: PORTOLAN_MPI_SHARES_CORES
       and the like. */
    PORTOLAN_MPI_STARTED,
    PORTOLAN_MPI_ENDED,     /**< MPI has ended */
    PORTOLAN_MPI_BEGIN,     /**< `routine` */
    PORTOLAN_MPI_END,       /**< `routine` */
    PORTOLAN_MPI_SEND,      /**< `comm`, `peer`, `tag`, `bytes`, `request` (0: the call does it) */
    PORTOLAN_MPI_SEND_DONE, /**< `request` */
    PORTOLAN_MPI_RECV_POST, /**< `comm`, `peer`, `tag` (both may be PORTOLAN_MPI_ANY), `request` */
    PORTOLAN_MPI_RECV, /**< `comm`, `peer`, `tag`, `bytes`, `request` (0: posted by this call) */
    PORTOLAN_MPI_CANCELLED,       /**< `request` */
    PORTOLAN_MPI_COLLECTIVE,      /**< `comm`, `peer`: root or NONE; `bytes`: own; `request` */
    PORTOLAN_MPI_COLLECTIVE_DONE, /**< `request` */
    PORTOLAN_MPI_TRANSFER,        /**< one-sided: `comm`: window; `peer`: target; `bytes` */
    PORTOLAN_MPI_ACCESS, /**< a rank of the group of Win_post or Win_start: `comm`, `peer` */
    PORTOLAN_MPI_EPOCH,  /**< of one-sided calls, also the making and freeing of its window: `comm`
                          */
    PORTOLAN_MPI_MARK,   /**< MPI_Pcontrol. `tag`: level */
    PORTOLAN_MPI_EVENT_KINDS
};

enum {
    PORTOLAN_MPI_NONE = -1, /**< no root, MPI_PROC_NULL, a process outside MPI_COMM_WORLD */
    PORTOLAN_MPI_ANY = -2,  /**< any source, any tag */
    /** Of STARTED: */
    PORTOLAN_MPI_SHARES_CORES = 1, /**< some host has more ranks than cores, or others use these */
    PORTOLAN_MPI_HAS_THREADS = 2   /**< MPI_THREAD_MULTIPLE */
};

/** Fields that are not named above are 0; pointers are valid during the call. */
struct portolan_mpi_event {
    enum portolan_mpi_event_kind kind;
    uint32_t routine; /**< number, the same in this process for all calls of NAME */
    const char *name; /**< of the routine: "MPI_Send"; constant */
    /** Clock of the probe (portolan_probe_now()); where it is less than that of the event before,
       that one's holds. */
    uint64_t ticks;
    const struct portolan_mpi_comm *comm;
    uint64_t bytes;
    int peer; /**< rank in MPI_COMM_WORLD */
    int tag;
    uint32_t
        request; /**< number of the request in this process, from 1; free again when it is done */
};

struct portolan_mpi_observer {
    /** Called by the thread that calls MPI; must neither call MPI nor wait. */
    void (*tell)(const struct portolan_mpi_event *event);
    bool is_on; /**< may change at any time */
};

/**
 * Makes OBSERVER, which must stay valid, the only one; NULL, as it is at first: none. To be called
 * on all ranks before MPI begins, since from then on communicators get numbers: PORTOLAN_EINVAL
 * when MPI began without any, or NULL was given since. NULL is given while no request is pending.
 */
PORTOLAN_API enum portolan_status portolan_mpi_observe(const struct portolan_mpi_observer *observer,
                                                       struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
