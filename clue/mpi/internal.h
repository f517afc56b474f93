/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue/mpi: what its own files share. MPI 3.1 with MPICH's ABI, on <portolan/clue_task.h> alone.
 *
 * generate.py writes the entry points: for each MPI_Name of <mpi.h> it makes PMPI_Name, the weak
 * MPI_Name and both `_c` forms. They check arguments and call do_Name(task, ...), which is any
 * function of that name in this folder, with the prototype of the `_c` form where there is one, or
 * is made of a line of routines.list, or of collective_call(). A name without do_Name ends the run
 * and says so. do_Name returns MPI_SUCCESS or mpi_error(); the entry point hands that to the error
 * handler. Handles given to do_Name have been checked.
 *
 * All ranks may live in one process: what a rank has is in its struct mpi_task, nothing is static
 * but constants and what all ranks may share (groups, built-in types).
 */
#ifndef CLUE_MPI_INTERNAL_H
#define CLUE_MPI_INTERNAL_H

#include <mpi.h>
#include <portolan/clue_task.h>
#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

struct mpi_task;
struct mpi_type;
struct mpi_request;
struct mpi_schedule; /* steps of a nonblocking collective */
struct nodes;

#pragma GCC visibility push(hidden)

/* ---------------------------------------------------------------- handles */

/* The kind of an object, in bits 26 to 29 of a handle; bits 30, 31: 0 null, 1 built in, 2, 3
 * made. */
enum mpi_kind {
    MPI_KIND_COMM = 1,
    MPI_KIND_GROUP = 2,
    MPI_KIND_TYPE = 3,
    MPI_KIND_ERRHANDLER = 5,
    MPI_KIND_OP = 6,
    MPI_KIND_INFO = 7,
    MPI_KIND_WIN = 8,
    MPI_KIND_KEYVAL = 9,
    MPI_KIND_REQUEST = 11,
    MPI_KINDS
};

struct mpi_table {
    void **items;
    size_t room;
    uint32_t n, free; /* FREE: 1 + the first unused index; 0: none */
};

/* Returns a new handle of ITEM. Ends the run when memory runs out: clue_fail(). */
int mpi_handle(struct mpi_task *t, enum mpi_kind kind, void *item);
void mpi_handle_free(struct mpi_task *t, int handle);
static inline enum mpi_kind mpi_kind_of(int handle)
{
    return (enum mpi_kind)((uint32_t)handle >> 26 & 15);
}
/* Like malloc(), but zeroed and the task's own; ends the run when memory runs out. */
void *mpi_alloc(size_t n, size_t size);
void *mpi_copy_of(const void *bytes, size_t n, size_t size);

/* Common to communicators, types and windows: attributes, name, error handler. */
struct mpi_object {
    struct mpi_attribute *attributes;
    struct mpi_errhandler *errhandler;
    MPI_Info hints; /* 0: none were set or asked for */
    char name[MPI_MAX_OBJECT_NAME];
};
/* Copies as much of KEY's value as there is ROOM for, and returns its length. */
int mpi_info_get(struct mpi_task *t, MPI_Info info, const char *key, int room, char *value,
                 int *length, int *flag);
int do_Info_set(struct mpi_task *t, MPI_Info info, const char *key, const char *value);
/* Sets or returns hints of a communicator or window that MPICH knows, with its values if unset. */
int mpi_hints_set(struct mpi_task *t, struct mpi_object *object, bool is_window, MPI_Info info);
int mpi_hints_get(struct mpi_task *t, struct mpi_object *object, bool is_window, MPI_Info *info);
void mpi_hints_free(struct mpi_object *object);
int mpi_get_name(const struct mpi_object *object, char *name, int *length);
int mpi_set_name(struct mpi_object *object, const char *name);
/* Copy attributes as dup does, by callbacks (NEW has none if one fails), and delete all. They
 * return a callback's error. */
int mpi_attributes_copy(int from, const struct mpi_object *old, struct mpi_object *new);
int mpi_attributes_delete(int handle, struct mpi_object *object);
typedef int mpi_copy_fn(int, int, void *, void *, void *, int *);
typedef int mpi_delete_fn(int, int, void *, void *);
int mpi_key_create(struct mpi_task *t, enum mpi_kind of, mpi_copy_fn *copy, mpi_delete_fn *delete,
                   void *extra, int *handle);
int mpi_key_free(struct mpi_task *t, enum mpi_kind of, int *handle);
int mpi_attribute_delete(struct mpi_task *t, int handle, struct mpi_object *object, int keyval);

/* ---------------------------------------------------------------- errors */

/* Notes the reason, for the handler's message, and returns CLASS. */
int mpi_error(struct mpi_task *t, int class, const char *format, ...) PORTOLAN_PRINTF(3, 4);
/* Gives an error to the handler of COMM or WIN, or if both are null to that of MPI_COMM_WORLD.
 * ENDS_CALL: ends the call first, since the handler need not return. */
int mpi_raise(struct mpi_task *t, MPI_Comm comm, MPI_Win win, int code, bool ends_call);
/* Gives OBJECT a handler that it shares; NULL: errors are fatal. */
void mpi_errhandler_share(struct mpi_object *object, struct mpi_errhandler *handler);
int mpi_errhandler_create(struct mpi_task *t, void (*call)(int *, int *, ...),
                          MPI_Errhandler *handle);
int mpi_errhandler_set(struct mpi_task *t, struct mpi_object *object, MPI_Errhandler handle);
/* Returns a handle for the program, which frees it: a new one if its own was freed. */
int mpi_errhandler_get(const struct mpi_object *object, MPI_Errhandler *handle);
/* Returns a new code of the program, of CLASS; CLASS 0: a new class. */
int mpi_error_code_add(struct mpi_task *t, int class);

/* ---------------------------------------------------------------- groups and communicators */

/* A group, of which each content is stored once for all tasks. */
struct mpi_group {
    uint32_t refs;
    int n;
    uint64_t hash;
    int *members;           /* world ranks */
    struct nodes *nodes;    /* nodes of its members, for collectives; NULL: not asked for yet */
    struct mpi_group *next; /* the next in the same bucket */
    struct mpi_inverse {
        int world, rank;
    } * inverse; /* sorted, made when it is needed; NULL: search, or world == rank */
};
/* Creates a group. Takes over MEMBERS, which are malloc'ed. */
struct mpi_group *mpi_group_new(int n, int *members);
struct mpi_group *mpi_group_retain(struct mpi_group *group);
void mpi_group_release(struct mpi_group *group);
MPI_Group mpi_group_publish(struct mpi_task *t, struct mpi_group *group);
/* Returns MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL. */
int mpi_group_compare(struct mpi_group *a, struct mpi_group *b);
/* Returns the rank of a world rank in the group; MPI_UNDEFINED: it is not in it. */
int mpi_group_rank(struct mpi_group *group, int world);
/* Selects the members of A that are (IS_IN) or are not in B; they follow those of FIRST (or
 * NULL). */
MPI_Group mpi_group_select(struct mpi_task *t, struct mpi_group *a, struct mpi_group *b, bool is_in,
                           struct mpi_group *first);
/* Make a group of the ranks in RANKS, or of all others; or of ranges of ranks. */
typedef int mpi_group_fn(struct mpi_task *t, struct mpi_group *group, int n, const int *ranks,
                         MPI_Group *new);
mpi_group_fn mpi_group_include, mpi_group_exclude;
int mpi_group_by_ranges(struct mpi_task *t, MPI_Group handle, int n_ranges, int ranges[][3],
                        MPI_Group *new, mpi_group_fn *make);

/* Channels. Each communicator and window has its own contexts: context + channel. The carrier
 * reports tags in the first one only, since the others are not the program's. */
enum mpi_channel {
    MPI_POINT_TO_POINT,
    MPI_COLLECTIVE,
    MPI_MAKING,
    MPI_ONE_SIDED,
    MPI_CHANNELS = 8
};

struct mpi_topology {
    unsigned others; /* other communicators that use it, too */
    int kind;        /* MPI_CART, MPI_GRAPH, or MPI_DIST_GRAPH */
    int n;           /* dimensions; nodes */
    int *dims, *periods, *coords;
    int *index, *edges;         /* of MPI_GRAPH; there are index[n - 1] edges */
    int n_in, n_out, *in, *out; /* of MPI_DIST_GRAPH */
    int *in_weights, *out_weights;
    bool is_weighted;
};

struct mpi_comm {
    struct mpi_object object;
    MPI_Comm handle;
    uint32_t refs;     /* requests and windows hold references */
    uint64_t context;  /* a multiple of MPI_CHANNELS */
    uint64_t n_made;   /* number of communicators and windows made of it, for their contexts */
    uint64_t sequence; /* next tag of MPI_COLLECTIVE */
    int rank, n;
    struct mpi_group *group;
    struct mpi_group *remote; /* NULL: an intracommunicator */
    struct mpi_comm *local;   /* in an intercommunicator: the local group, with its own context */
    bool is_low;              /* in an intercommunicator: this group comes first in a merge */
    struct mpi_topology *topology;
    struct portolan_mpi_comm seen; /* as the observer sees it */
    void *collective;              /* data of collectives (nodes ...), for free() */
    int n_neighbours, *neighbours; /* those of `seen` */
};

static inline struct mpi_group *mpi_partners(const struct mpi_comm *c)
{
    return c->remote ? c->remote : c->group;
}

/*
 * Creates a communicator without handle: GROUP (and REMOTE, which may be NULL) are retained;
 * CONTEXT is from mpi_context_next(). mpi_comm_publish() gives it a handle.
 */
struct mpi_comm *mpi_comm_new(struct mpi_task *t, uint64_t context, struct mpi_group *group,
                              struct mpi_group *remote);
MPI_Comm mpi_comm_publish(struct mpi_task *t, struct mpi_comm *c, const struct mpi_comm *parent);
void mpi_comm_retain(struct mpi_comm *c);
void mpi_comm_release(struct mpi_comm *c);
int mpi_comm_duplicate(struct mpi_task *t, struct mpi_comm *c, MPI_Comm *new);
int mpi_comm_split(struct mpi_task *t, struct mpi_comm *c, int color, int key, MPI_Comm *new);
/* Returns one number on all ranks of C that call it in the same order; SPLIT distinguishes
 * parts. */
uint64_t mpi_context_next(struct mpi_comm *c, uint64_t split);
/* Returns a context for a pair of numbers that no other pair has. */
uint64_t mpi_context_of(uint64_t a, uint64_t b);
/* Waits for all ranks of C, as operations do that make an object of them. */
void mpi_meet(struct mpi_task *t, struct mpi_comm *c);
/* Checks that all ranks of COMM make something of it, or end, in the order of collectives. */
void collective_check_making(struct mpi_task *t, struct mpi_comm *comm);
/* Sends N bytes to rank TO of C's partners, and receives at most ROOM from FROM, on MPI_MAKING;
 * blocking. A rank of -1: does not. */
void mpi_exchange(struct mpi_task *t, struct mpi_comm *c, int tag, int to, const void *data,
                  size_t n, int from, void *got, size_t room);
/* Gathers among all of an intracommunicator: ALL gets BYTES of each rank's MINE. */
void mpi_gather_all(struct mpi_task *t, struct mpi_comm *c, const void *mine, void *all,
                    size_t bytes);
/* Broadcasts BYTES of DATA from ROOT to all. */
void mpi_broadcast(struct mpi_task *t, struct mpi_comm *c, int root, void *data, size_t bytes);
void mpi_topology_free(struct mpi_topology *topology);
struct mpi_topology *mpi_topology_retain(struct mpi_topology *topology);
int mpi_topology_edges(const struct mpi_topology *topology);
/* In a grid: return a rank's coordinates, the rank at coordinates, and the ranks DISP away from the
 * own one; MPI_PROC_NULL: none. */
void mpi_cart_coords(const struct mpi_topology *p, int rank, int *coords);
int mpi_cart_rank(const struct mpi_topology *p, const int *coords);
int mpi_cart_shifted(const struct mpi_topology *p, int direction, int disp);
/* In MPI_GRAPH: returns the first edge of RANK, and how many it has. */
int mpi_graph_edges(const struct mpi_topology *p, int rank, const int **first);
static inline void mpi_put_ints(int *to, const int *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}
/* Ranks that neighbourhood collectives receive from and send to, including MPI_PROC_NULL; the
 * caller frees both. Returns false if there is no topology. */
struct mpi_neighbours {
    int n_from, n_to, *from, *to;
};
bool mpi_neighbours(const struct mpi_comm *c, struct mpi_neighbours *p);

/* ---------------------------------------------------------------- data types */

/* A part of a type: COUNT blocks of BYTES each, STRIDE apart, in the order of packing. */
struct mpi_run {
    MPI_Aint offset;
    MPI_Count bytes;
    MPI_Count count;
    MPI_Aint stride;
    uint32_t basic; /* MPI_Datatype of its elements, which is built in */
};

struct mpi_type {
    struct mpi_object object;
    MPI_Datatype handle;
    uint32_t refs;
    bool is_builtin, is_committed;
    bool is_dense;      /* the data are SIZE bytes from TRUE_LB, without holes and in order */
    bool is_contiguous; /* dense, and also from item to item: size == extent */
    MPI_Count size, lb, extent, true_lb, true_extent;
    MPI_Count n_elements; /* number of built-in elements in it */
    MPI_Datatype basic;   /* built-in type of all its elements; MPI_DATATYPE_NULL: they differ */
    size_t n_runs;
    struct mpi_run *runs;
    int align; /* alignment in a struct that contains it */
    int combiner;
    size_t n_counts, n_addresses, n_types;
    MPI_Count *counts; /* the integers of MPI_Type_get_contents */
    MPI_Count *addresses;
    struct mpi_type **types;
};

/* The first handles of types are those of the pairs that MPICH does not count as built in. */
enum { MPI_FIRST_TYPE = 5 };
void mpi_types_begin(struct mpi_task *t);
struct mpi_type *mpi_builtin_type(MPI_Datatype handle); /* a built-in type or such a pair; or
                                                         * NULL */
/* Returns the basic type or pair that TYPE consists of; NULL: it consists of several. */
struct mpi_type *mpi_basic_type(const struct mpi_type *type);
/* Returns the number of built-in elements in the first BYTES of items of TYPE. */
MPI_Count mpi_elements_in(const struct mpi_type *type, MPI_Count bytes);
void mpi_type_retain(struct mpi_type *type);
void mpi_type_release(struct mpi_type *type);
/* Makes a type of LENGTHS[i * step] items at DISPLACEMENTS[i], in bytes or items. */
int mpi_type_indexed(struct mpi_task *t, int combiner, MPI_Count count, const MPI_Count *lengths,
                     size_t step, const MPI_Count *displacements, bool is_bytes, MPI_Datatype old,
                     MPI_Datatype *handle);
/* Makes a vector; the combiner says whether STRIDE is in items or bytes. */
int mpi_type_vector(struct mpi_task *t, int combiner, MPI_Count count, MPI_Count length,
                    MPI_Count stride, MPI_Datatype old, MPI_Datatype *handle);
/* Makes a type of precision P and range R, each of which may be MPI_UNDEFINED. */
int mpi_type_f90(struct mpi_task *t, int combiner, int p, int r, MPI_Datatype *handle);
int mpi_type_contents(struct mpi_task *t, const struct mpi_type *type, MPI_Count room_counts,
                      MPI_Count room_addresses, MPI_Count room_types, int *counts,
                      MPI_Aint *addresses, MPI_Datatype *types);
static inline bool mpi_is_dense(const struct mpi_type *type, MPI_Count count)
{
    return type->is_contiguous || (count <= 1 && type->is_dense);
}
/* Packs COUNT items at BUF into TO, which has room for count * size; at least the first BYTES. */
void mpi_pack(const struct mpi_type *type, const void *buf, MPI_Count count, void *to);
/* Unpacks BYTES of FROM, at most count * size, into the items at BUF. */
void mpi_unpack(const struct mpi_type *type, void *buf, MPI_Count count, const void *from,
                MPI_Count bytes);
/* Copies items of one type to items of another of equal signature, as a message to oneself does. */
int mpi_copy_items(struct mpi_task *t, const void *from, MPI_Count from_count,
                   const struct mpi_type *from_type, void *to, MPI_Count to_count,
                   const struct mpi_type *to_type);

/* ---------------------------------------------------------------- requests */

enum mpi_request_kind {
    MPI_REQUEST_SEND,
    MPI_REQUEST_RECEIVE,
    MPI_REQUEST_MESSAGE,  /* made by MPI_Mprobe, not yet received */
    MPI_REQUEST_SCHEDULE, /* nonblocking collective, or what else a schedule does */
    MPI_REQUEST_GENERALIZED,
    MPI_REQUEST_DONE /* there is nothing to do */
};

/* The request of MPI_Grequest_start. */
struct mpi_generalized {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra;
    bool is_fortran; /* its functions take addresses, and return errors in a last argument */
};

/*
 * A send or receive that is under way. Internal ones are in their callers' memory, and have no
 * handle. It is two lines of the cache, since each of thousands of ranks touches its own.
 */
struct mpi_request {
    struct mpi_comm *comm; /* retained, unless internal */
    struct mpi_type *type; /* retained, unless internal */
    void *buf;
    MPI_Count count;
    clue_request engine; /* 0: nothing is on its way */
    uint32_t number;     /* number for the observer; 0: it is not reported */
    MPI_Request handle;  /* 0: internal */
    int rank, tag;       /* as the program gave them: those of the partner */
    uint8_t kind;        /* enum mpi_request_kind */
    uint8_t flags;       /* flags of clue_send */
    bool is_persistent, is_active, is_cancelled;
    bool is_free; /* set by MPI_Request_free */
    bool is_done; /* a schedule or generalized request is complete */
    /* What was received: the source as a world rank, and the tag. */
    int source, got_tag; /* source: a world rank */
    int error;
    MPI_Count bytes;
    MPI_Count sent; /* the message's size if it was more than fits */
    void *packed;   /* copy of a send's data */
    union {
        struct mpi_schedule *schedule;
        struct mpi_generalized *generalized;
        struct mpi_request *second; /* of a receive: the send of MPI_Isendrecv */
    };
    struct mpi_request *next; /* list of free requests; or of active schedules */
};

static inline struct mpi_request *mpi_second_request(const struct mpi_request *r)
{
    return r->kind == MPI_REQUEST_RECEIVE ? r->second : NULL;
}

/* Begins to receive as R says; R stays at its address until mpi_finish(). */
void mpi_post_receive(struct mpi_request *r);
/* Frees what is left of a message that is complete (by clue_wait() or clue_is_complete()); returns
 * its error: MPI_SUCCESS or MPI_ERR_TRUNCATE. */
int mpi_finish(struct mpi_request *r);

/* The program's sends, receives and probes, with its arguments. Not IS_BEGUN: persistent. */
int mpi_send(struct mpi_task *t, const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
             int tag, MPI_Comm comm, unsigned flags);
int mpi_isend(struct mpi_task *t, const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
              int tag, MPI_Comm comm, unsigned flags, bool is_begun, MPI_Request *request);
int mpi_irecv(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype, int source,
              int tag, MPI_Comm comm, bool is_begun, MPI_Request *request);
int mpi_probe(struct mpi_task *t, int source, int tag, MPI_Comm comm, bool is_waiting, int *flag,
              MPI_Status *status);
int mpi_match(struct mpi_task *t, int source, int tag, MPI_Comm comm, bool is_waiting, int *flag,
              MPI_Message *handle, MPI_Status *status);

/* Returns the bytes of buffered sends that are not complete; waits for all if it IS_WAITING. */
MPI_Count mpi_buffered_bytes(struct mpi_task *t, bool is_waiting);

/* Receives the message that R, of kind MESSAGE, has taken out of the queue. */
void mpi_receive_taken(struct mpi_request *r);

/* Creates a request of the program's, with handle; freed when complete, or by the program. */
struct mpi_request *mpi_request_new(struct mpi_task *t, enum mpi_request_kind kind,
                                    struct mpi_comm *comm);
void mpi_request_release(struct mpi_task *t, struct mpi_request *r);
/* Makes a request that is complete at once, at *REQUEST. */
void mpi_request_done(struct mpi_task *t, MPI_Request *request);
/* Begins the operation of R, whose arguments are set, and notifies the observer. */
void mpi_request_begin(struct mpi_task *t, struct mpi_request *r);
/* Fills in the status of a request that is complete; notifies the observer; frees it unless it is
 * persistent. Returns its error. */
int mpi_request_end(struct mpi_task *t, struct mpi_request *r, MPI_Status *status);
/* Fills in the status of a generalized request. */
int mpi_query(struct mpi_request *r, MPI_Status *status);
void mpi_status_set(MPI_Status *status, int source, int tag, MPI_Count bytes, bool is_cancelled);
void mpi_status_of(const struct mpi_request *r, MPI_Status *status);
static inline MPI_Count mpi_status_bytes(const MPI_Status *status)
{
    return (MPI_Count)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 |
           (uint32_t)status->count_lo;
}
/* Waits until one is complete or (IS_ALL) all are; NULL ones do not count. Returns it, or N. */
size_t mpi_await(struct mpi_task *t, struct mpi_request **requests, size_t n, bool is_all);
/* Ends requests for MPI_Waitsome or MPI_Testsome. */
int mpi_end_some(struct mpi_task *t, int n, MPI_Request handles[], int *n_done, int indices[],
                 MPI_Status statuses[], bool is_waiting);
/* Takes some time after a poll without success that began at BEGAN. */
void mpi_polled(int64_t began);
/* Lets active schedules take their steps. */
void mpi_progress(struct mpi_task *t);
/* Notifies the observer of a message. */
void mpi_notify_message(struct mpi_task *t, enum portolan_mpi_event_kind kind,
                        const struct mpi_request *r);

/* Makes a request of the program's, kind SCHEDULE, at *REQUEST; persistent, or active. */
struct mpi_request *mpi_request_of_schedule(struct mpi_task *t, struct mpi_comm *comm,
                                            struct mpi_schedule *schedule, bool is_persistent,
                                            MPI_Request *request);
void mpi_request_activate(struct mpi_task *t, struct mpi_request *r);
/* Begins a persistent collective. */
void mpi_start_collective(struct mpi_task *t, struct mpi_request *r);
/*
 * Functions of the collectives. ADVANCE takes all steps that are possible at the task's time;
 * returns true if all are done. PENDING puts requests that the schedule waits for into TO and
 * returns their number (at most ROOM; one is enough to go on).
 */
bool mpi_schedule_advance(struct mpi_schedule *s);
/* Begins with the first of its steps, again if it has been over. */
void mpi_schedule_begin(struct mpi_schedule *s);
size_t mpi_schedule_pending(const struct mpi_schedule *s, clue_request *to, size_t room);
/* Returns the number for records; 0: it has none. */
uint32_t mpi_schedule_number(const struct mpi_schedule *s);
/* Frees it, and returns its error. */
int mpi_schedule_free(struct mpi_schedule *s);

/* ---------------------------------------------------------------- tasks */

struct mpi_task {
    const struct clue_routine *routine; /* the routine that it calls */
    const void *site;                   /* the place of the call */
    bool has_begun, has_ended;
    int rank, n, thread_level;
    struct mpi_comm *world, *self;
    struct mpi_object file; /* MPI_FILE_NULL: has the error handler of files that will be opened */
    struct mpi_table tables[MPI_KINDS];
    struct mpi_request *free_requests;
    struct mpi_request *schedules;          /* active ones */
    unsigned n_recorded;                    /* schedules not waited for, if the run is recorded */
    struct mpi_request *freed, *last_freed; /* freed by MPI_Request_free while they are under way */
    void *buffer;                           /* the buffer of MPI_Buffer_attach */
    MPI_Count buffer_bytes;
    struct mpi_heap_end {
        uint64_t mapped, kept;     /* bytes: the largest block mapped; free at the end of the
                                    * heap */
    } heap_end;                    /* the heap of a process of its own after large reductions */
    struct mpi_buffered *buffered; /* sends from there that are not complete */
    char error_text[256];
    MPI_Comm error_comm; /* communicator whose handler is called if the call itself names none */
    struct mpi_error_code *error_codes; /* codes that the program added */
    size_t n_error_codes;
    int last_used_code;
    uint64_t n_drawn; /* how many numbers of communicators that only its ranks know it has drawn */
    uint32_t n_comms; /* `number` of the next communicator */
    void *one_sided;  /* data of the windows */
};

/* Returns the calling task's; it is made when it is first asked for. */
struct mpi_task *mpi_task(void);

/* Returns the object of a handle, also a built-in one; NULL: there is none. */
static inline void *mpi_item(const struct mpi_task *t, enum mpi_kind kind, int handle)
{
    const struct mpi_table *table = &t->tables[kind];
    uint32_t i = (uint32_t)handle & 0x03ffffff;
    void *item = i < table->n ? table->items[i] : NULL;

    return (uint32_t)handle >> 26 == (2U << 4 | (unsigned)kind) && !((uintptr_t)item & 1) ? item
                                                                                          : NULL;
}
static inline struct mpi_comm *mpi_comm(const struct mpi_task *t, MPI_Comm handle)
{
    return handle == MPI_COMM_WORLD  ? t->world
           : handle == MPI_COMM_SELF ? t->self
                                     : mpi_item(t, MPI_KIND_COMM, handle);
}
static inline struct mpi_type *mpi_type(const struct mpi_task *t, MPI_Datatype handle)
{
    struct mpi_type *type = mpi_item(t, MPI_KIND_TYPE, handle);

    return type ? type : mpi_builtin_type(handle);
}
struct mpi_group *mpi_group(const struct mpi_task *t, MPI_Group handle);
struct mpi_op *mpi_op(const struct mpi_task *t, MPI_Op handle);
static inline struct mpi_win *mpi_win(const struct mpi_task *t, MPI_Win handle)
{
    return mpi_item(t, MPI_KIND_WIN, handle);
}
/* Returns a window's built-in attribute; false: none. `struct mpi_win` begins with its object. */
bool mpi_win_attribute(struct mpi_win *win, int keyval, void **value);

/* Data that all tasks share: clue_share(). */
struct mpi_shared {
    struct windows *windows;
    struct access **accesses; /* by tag; [0] is not used */
    size_t n_accesses, room_accesses;
    struct access *free_accesses; /* accesses whose tags are reused */
    struct first_call **agreements, *free_agreements;
};
struct mpi_shared *mpi_shared(void);

/* ---------------------------------------------------------------- the observer */

/* Fills in routine and time, and notifies the observer; only while clue_observer() is on. */
void mpi_notify(struct mpi_task *t, struct portolan_mpi_event *event);

static inline bool mpi_is_observed(void)
{
    const struct portolan_mpi_observer *observer = clue_observer();

    return observer && observer->is_on;
}
/* Reports a collective. ROOT: as given, PORTOLAN_MPI_NONE: none; REQUEST may be NULL. The entry
 * points call it with the bytes that mpi/routines.list says. */
void mpi_notify_collective(struct mpi_task *t, const struct mpi_comm *c, uint64_t bytes, int root,
                           const MPI_Request *request);

#pragma GCC visibility pop

/* Functions of MPICH's own that its libraries for Fortran and C++ call; FORM 0: for C. */
int MPII_Comm_set_attr(MPI_Comm comm, int keyval, void *value, int form);
int MPII_Type_set_attr(MPI_Datatype type, int keyval, void *value, int form);
int MPII_Win_set_attr(MPI_Win win, int keyval, void *value, int form);
int MPII_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag, int form);
int MPII_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag, int form);
int MPII_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag, int form);

#endif
