/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trace_event: the words of a trace, for the recorder inside programs and for what reads its files:
 * kinds of events, tables of definitions, regions. They are modelled on the records of OTF2 3.0
 * (https://perftools.pages.jsc.fz-juelich.de/cicd/otf2/).
 */
#ifndef PORTOLAN_TRACE_EVENT_H
#define PORTOLAN_TRACE_EVENT_H

#include <portolan/base.h>

/** The kind of an event, and its fields; fields that are not named are 0. */
enum portolan_trace_kind {
    /** A region of the program begins or ends. `what`: region. */
    PORTOLAN_TRACE_ENTER,
    PORTOLAN_TRACE_LEAVE,
    /** A call of MPI begins or ends. `what`: routine. Calls do not nest. */
    PORTOLAN_TRACE_BEGIN,
    PORTOLAN_TRACE_END,
    /** A message was sent, or a send posted. `what`: communicator; `peer`: destination; `tag`;
       `bytes`; `request`: 0 when the call itself completes it. */
    PORTOLAN_TRACE_SEND,
    PORTOLAN_TRACE_SEND_DONE, /**< `request` */
    /** A receive was posted. As SEND; `peer` and `tag` may be PORTOLAN_TRACE_ANY; `bytes` is 0. */
    PORTOLAN_TRACE_RECV_POST,
    /** A message was received. `what`, `peer`, `tag`, `bytes`: those of the message; `request`: 0
       when the same call posted it. */
    PORTOLAN_TRACE_RECV,
    PORTOLAN_TRACE_CANCELLED, /**< a send or receive was cancelled. `request` */
    /** A collective operation. `what`: communicator; `peer`: root or PORTOLAN_TRACE_NONE; `bytes`:
       the rank's own part; `request`: 0 when blocking. Neighbourhood collectives name their
       neighbours by the communicator. */
    PORTOLAN_TRACE_COLLECTIVE,
    PORTOLAN_TRACE_COLLECTIVE_DONE, /**< `request` */
    PORTOLAN_TRACE_TRANSFER,        /**< one-sided. `what`: window; `peer`: target; `bytes` */
    /** A rank of the group of MPI_Win_post (its origins) or MPI_Win_start (its targets), one event
       each, within that call. `what`: window; `peer` */
    PORTOLAN_TRACE_ACCESS,
    /** The call is a fence, post, start, complete or wait, or makes or frees a window. `what`:
       window */
    PORTOLAN_TRACE_EPOCH,
    PORTOLAN_TRACE_MARK,  /**< MPI_Pcontrol. `tag`: level */
    PORTOLAN_TRACE_VALUE, /**< of the region entered last. `what`: name; `bytes`: a double, see
                             portolan_trace_value() */
    PORTOLAN_TRACE_CPU,   /**< `bytes`: nanoseconds of processor time that the thread has used */
    /** A gap since the event before. `bytes`: number of events that were lost; 0: recording was
       off. */
    PORTOLAN_TRACE_GAP,
    PORTOLAN_TRACE_KINDS
};

/** Tables of a trace, in the order of their definitions in streams. */
enum portolan_trace_table {
    PORTOLAN_TRACE_REGIONS,
    PORTOLAN_TRACE_ROUTINES,
    PORTOLAN_TRACE_COMMS,
    PORTOLAN_TRACE_WINDOWS,
    PORTOLAN_TRACE_NAMES,
    PORTOLAN_TRACE_TABLES
};

/** The table that `what` is an index into, by enum portolan_trace_kind; PORTOLAN_TRACE_TABLES:
 * none.
 */
static const uint8_t portolan_trace_tables[] = {
    PORTOLAN_TRACE_REGIONS,  PORTOLAN_TRACE_REGIONS,  /* ENTER, LEAVE */
    PORTOLAN_TRACE_ROUTINES, PORTOLAN_TRACE_ROUTINES, /* BEGIN, END */
    PORTOLAN_TRACE_COMMS,    PORTOLAN_TRACE_TABLES,   /* SEND, SEND_DONE */
    PORTOLAN_TRACE_COMMS,    PORTOLAN_TRACE_COMMS,
    PORTOLAN_TRACE_TABLES,                          /* RECV_POST, RECV, CANCELLED */
    PORTOLAN_TRACE_COMMS,    PORTOLAN_TRACE_TABLES, /* COLLECTIVE, COLLECTIVE_DONE */
    PORTOLAN_TRACE_WINDOWS,  PORTOLAN_TRACE_WINDOWS,
    PORTOLAN_TRACE_WINDOWS,                         /* TRANSFER, ACCESS, EPOCH */
    PORTOLAN_TRACE_TABLES,   PORTOLAN_TRACE_NAMES,  /* MARK, VALUE */
    PORTOLAN_TRACE_TABLES,   PORTOLAN_TRACE_TABLES, /* CPU, GAP */
};

/**
 * Names of values that the recorder adds: after the END of a call, now and then, nanoseconds that
 * recording the call took between its BEGIN and what MPI did, and from its END on; before the event
 * for which there was no room, nanoseconds that it took to store what was recorded. POLLS: so many
 * calls that looked in vain, one after the other, are the one call before it.
 */
#define PORTOLAN_TRACE_COST_BEFORE "recording: before the call"
#define PORTOLAN_TRACE_COST_AFTER  "recording: after the call"
#define PORTOLAN_TRACE_COST_BLOCK  "recording: storing"
#define PORTOLAN_TRACE_POLLS       "recording: calls in vain"

enum {
    PORTOLAN_TRACE_NONE = -1, /**< MPI_PROC_NULL, no root, a process outside MPI_COMM_WORLD */
    PORTOLAN_TRACE_ANY = -2   /**< any source, any tag */
};

enum portolan_trace_region_kind {
    PORTOLAN_TRACE_PORT,       /**< a method of a port */
    PORTOLAN_TRACE_TIMER,      /**< a timer of the Measurement port */
    PORTOLAN_TRACE_PHASE,      /**< a phase; also a step of the SwapPoint, whose name is "step" */
    PORTOLAN_TRACE_EXPERIMENT, /**< of an annotated program */
    PORTOLAN_TRACE_FUNCTION    /**< a function; all regions of other tools' traces */
};

/** Strings are the trace's; "" if they do not apply. */
struct portolan_trace_region {
    enum portolan_trace_region_kind kind;
    const char *name;     /**< method, timer, phase, experiment, function */
    const char *user;     /**< instance that calls the method … */
    const char *port;     /**< … by its uses port … */
    const char *provider; /**< … of this instance */
};

#endif
