/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * bsp: bulk synchronous parallel programs over MPICH, with the interface of the Paderborn
 * University BSP library (PUB), as known from its clients and the papers on it: Bonorden, Juurlink,
 * von Otte, Rieping, "The Paderborn University BSP (PUB) library", Parallel Computing 29 (2003);
 * González et al., "Analysis and Tools for Performance Prediction" (2001). portolan-obsp(1) says
 * which parts are PUB's, and which are Portolan's own because nothing is published.
 *
 * A program is a sequence of supersteps on a BSP object, a `t_bsp`: some of the processors,
 * numbered from 0. Data sent in a superstep can be read in the next one. A superstep ends by
 * bsp_sync(), a barrier of the object's processors, or by bsp_oblsync(), which waits only for a
 * given number of messages. So processors may be in different supersteps; messages that come early
 * are kept for theirs.
 *
 * All processors of an object make the same calls in the same order, except for messages. One
 * thread of a process at a time calls. Messages travel on a communicator of their own. Sizes and
 * offsets are bytes. Wrong use (a bound that does not increase, bsp_done() out of order, a
 * destination outside the object, a message that is not there) ends the job with a message on
 * standard error, because none of these functions returns a status.
 */
#ifndef PORTOLAN_PUB_H
#define PORTOLAN_PUB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PUB_API __attribute__((visibility("default")))

/** A BSP object. Filled by bsplib_init(), bsp_partition() or bsp_dup(); copies are the same object.
 */
typedef struct t_bsp {
    struct bsp_machine *machine;
} t_bsp;

/** A message. */
typedef struct t_bspmsg t_bspmsg;

/** Parameters of the library; only the standard ones exist. */
typedef struct t_bsplib_params t_bsplib_params;
#define BSPLIB_STDPARAMS ((t_bsplib_params *)0)

/** Hands the arguments of main to MPI_Init; to be called before bsplib_init(). */
PUB_API void bsplib_saveargs(int *argc, char ***argv);

/**
 * Collective: *BSP becomes the object of all processes. Initialises MPI unless that was done. With
 * BSP_TRACE=FILE in the environment the run is recorded for portolan-obsp(1).
 */
PUB_API void bsplib_init(const t_bsplib_params *parameters, t_bsp *bsp);

/**
 * Collective: ends the library, and MPI if bsplib_init() began it; all other objects must be done.
 * Messages of a superstep that never ended are dropped.
 */
PUB_API void bsplib_done(void);

/** The number of processors of BSP; the number of this one, from 0. */
PUB_API int bsp_nprocs(const t_bsp *bsp);
PUB_API int bsp_pid(const t_bsp *bsp);

/**
 * Divides BSP in N objects: processors 0 … BOUNDS[0]-1, then BOUNDS[0] … BOUNDS[1]-1, and so on.
 * Bounds increase, and the last is bsp_nprocs(BSP). *SUB is the one this processor belongs to, with
 * supersteps and messages of its own. Costs no communication. Until bsp_done(SUB), BSP can be asked
 * (bsp_pid, bsp_getmsg, …) but not communicate.
 */
PUB_API void bsp_partition(t_bsp *bsp, t_bsp *sub, int n, const int *bounds);

/** *DUP is another object of the same processors; both may be used, each in its own supersteps. */
PUB_API void bsp_dup(t_bsp *bsp, t_bsp *dup);

/**
 * Ends an object that bsp_partition() or bsp_dup() made; objects made from it must have ended. Its
 * messages are dropped. Costs no communication.
 */
PUB_API void bsp_done(t_bsp *bsp);

/**
 * Ends the superstep when all processors of BSP have called it and everything sent to this one in
 * this superstep has arrived.
 */
PUB_API void bsp_sync(t_bsp *bsp);

/**
 * Ends the superstep as soon as N messages of it (and writes by bsp_put) have arrived; waits for
 * nothing else. N must be the number of messages that are sent to this processor in this superstep;
 * if more arrive, the job ends.
 */
PUB_API void bsp_oblsync(t_bsp *bsp, int n);

/**
 * Sends SIZE bytes of BUFFER to processor DEST of BSP, which may be the sender; SIZE may be 0.
 * Never waits. BUFFER may be changed at once; but bsp_hpsend() does not copy large messages, so its
 * buffer must not change until this superstep has ended here.
 */
PUB_API void bsp_send(t_bsp *bsp, int dest, const void *buffer, size_t size);
PUB_API void bsp_hpsend(t_bsp *bsp, int dest, const void *buffer, size_t size);

/** Makes a message, to be filled in at bspmsg_data() and sent once; sending gives it away. */
PUB_API t_bspmsg *bsp_createmsg(t_bsp *bsp, size_t size);
PUB_API void bsp_sendmsg(t_bsp *bsp, int dest, t_bspmsg *message);

/**
 * The messages of the last superstep, by sender and then in the order sent: their number; number
 * INDEX; number INDEX of those from processor SOURCE, or NULL. They belong to BSP and are gone when
 * its present superstep ends.
 */
PUB_API int bsp_nmsgs(const t_bsp *bsp);
PUB_API t_bspmsg *bsp_getmsg(const t_bsp *bsp, int index);
PUB_API t_bspmsg *bsp_findmsg(const t_bsp *bsp, int source, int index);

/** A message's bytes (aligned for anything, and the receiver's to change), its size, its sender. */
PUB_API void *bspmsg_data(const t_bspmsg *message);
PUB_API size_t bspmsg_size(const t_bspmsg *message);
PUB_API int bspmsg_src(const t_bspmsg *message);

/**
 * Access to memory of other processors. All processors of BSP register together, each its own SIZE
 * bytes at IDENT. The registration is valid from the next superstep to the one in which it is
 * popped. If IDENT is registered twice, the newest registration is used.
 */
PUB_API void bsp_push_reg(t_bsp *bsp, void *ident, size_t size);
PUB_API void bsp_pop_reg(t_bsp *bsp, void *ident);

/**
 * At the end of the superstep, writes SIZE bytes at OFFSET of the memory that processor DEST
 * registered together with this processor's IDENT. bsp_put() writes a copy of what SOURCE holds
 * now; bsp_hpput() may read SOURCE until the superstep has ended.
 */
PUB_API void bsp_put(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset,
                     size_t size);
PUB_API void bsp_hpput(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset,
                       size_t size);

/**
 * Reads such memory into TARGET at the end of the superstep, which must end by bsp_sync(), before
 * any bsp_put() of the superstep writes. bsp_hpget() is the same.
 */
PUB_API void bsp_get(t_bsp *bsp, int source, const void *ident, size_t offset, void *target,
                     size_t size);
PUB_API void bsp_hpget(t_bsp *bsp, int source, const void *ident, size_t offset, void *target,
                       size_t size);

/** Sets INOUT[i] to INOUT[i] op IN[i] for COUNT items; associative. IN is of higher numbers. */
typedef void t_bsp_operator(const void *in, void *inout, size_t count);

/**
 * Collective; complete on return, without ending the superstep. bsp_bcast() sends SIZE bytes of
 * DATA from processor ROOT to all. The others combine COUNT items of SIZE bytes in order of the
 * processors: of all processors, into RESULT on ROOT; of processors 0 … this one, into RESULT
 * everywhere.
 */
PUB_API void bsp_bcast(t_bsp *bsp, int root, void *data, size_t size);
PUB_API void bsp_reduce(t_bsp *bsp, int root, t_bsp_operator *combine, const void *data,
                        void *result, size_t size, size_t count);
PUB_API void bsp_scan(t_bsp *bsp, t_bsp_operator *combine, const void *data, void *result,
                      size_t size, size_t count);

#undef PUB_API

#ifdef __cplusplus
}
#endif
#endif
