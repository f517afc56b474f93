/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_task: the operations of a task, a rank of a program that runs in virtual time, on the
 * virtual cluster. The message-passing libraries of clue/mpi and clue/pvm use only this header.
 *
 * The task itself calls all functions, between clue_call_begin() and clue_call_end(); they take
 * effect at its present virtual time. A function that must wait lets other tasks run: data of the
 * process may have changed when it returns, so the caller keeps its state by task (clue_own()).
 * Times are nanoseconds, sizes are bytes, tasks are numbers from 0. A failure ends the run
 * (clue_fail()), so no function returns an error unless it says so.
 */
#ifndef PORTOLAN_CLUE_TASK_H
#define PORTOLAN_CLUE_TASK_H

#include <portolan/base.h>
#include <portolan/observer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- who and when */

PORTOLAN_API int clue_self(void);
/** Returns the number of tasks with which the run began: the ranks of MPI_COMM_WORLD. */
PORTOLAN_API int clue_n_tasks(void);
/** Returns the number of the host on which TASK runs; tasks on the same host share memory. */
PORTOLAN_API int clue_host_of(int task);
PORTOLAN_API int clue_n_hosts(void);
/** Return the name of a host ("node[3]") and of its type ("node"); the texts are constant. */
PORTOLAN_API const char *clue_host_name(int host);
PORTOLAN_API const char *clue_host_type(int host);
PORTOLAN_API int64_t clue_now(void);

/** Owners of data. clue_own() returns where a library keeps its data of a task; at first NULL. */
enum clue_owner { CLUE_MPI, CLUE_PVM, CLUE_OWNERS };
PORTOLAN_API void **clue_own(enum clue_owner owner);

/* ------------------------------------------------- calls */

/** A function of a library; there is one constant for each. `number` is unique in its library. */
struct clue_routine {
    const char *name;
    uint32_t number;
};

/**
 * Begins and ends a call of the library. What the task computed since its last call, times its
 * host's performance factor, is added to its time at the begin. SITE is the caller's return
 * address, the place of the call. Calls from within calls (callbacks, profiling) only count.
 */
PORTOLAN_API void clue_call_begin(const struct clue_routine *routine, const void *site);
PORTOLAN_API void clue_call_end(void);

/** The program has bindings for Fortran, which call the library. Then clue_caller() returns the
 * place of the program's call, from the return address SITE and the frame of a function of the
 * library. */
PORTOLAN_API extern bool clue_has_bindings;
PORTOLAN_API const void *clue_caller(const void *site, const void *frame);

/** Returns the observer of calls and messages, as in mpi/, or NULL. `ticks` are clue_now(). The
 * carrier reports BEGIN and END; the library reports the events between them. */
PORTOLAN_API const struct portolan_mpi_observer *clue_observer(void);

/* ------------------------------------------------- messages */

/** A message or receive under way; 0: none. Numbers of complete and freed ones are used again. */
typedef uint32_t clue_request;

enum { CLUE_ANY = -1 };

enum clue_send_flag {
    CLUE_SYNCHRONOUS = 1, /**< complete only when it is matched, whatever its size */
    CLUE_BUFFERED = 2,    /**< complete at once, whatever its size */
    CLUE_READY = 4, /**< an error of the program if no receive is posted (reported, and counted) */
    CLUE_FREE = 8,  /**< takes no time: bookkeeping, which real libraries do not send */
    /** On receives from CLUE_ANY: takes every message that matches, one after the other as they
     * arrive in virtual time, until it is cancelled; it never becomes complete. This reaches a
     * task while it computes: one-sided communication. */
    CLUE_STANDING = 16,
    CLUE_ANSWER = 16, /**< on sends to such a receive: does not wait for a call of the receiver */
    CLUE_COPIED = 32  /**< the data may be changed at once, whatever the size */
};

struct clue_send {
    int to;
    uint64_t context; /**< identifies the communicator; a receive must name the same */
    int tag;          /**< >= 0 */
    const void *data; /**< borrowed until the request is complete */
    uint64_t bytes;
    uint64_t packed; /**< bytes that were packed for it, which take a packing delay */
    unsigned flags;
    uint8_t label; /**< is delivered with the message */
};

/** A message that was received, or found by a probe. */
struct clue_message {
    int from;
    int tag;
    uint64_t bytes;
    const void *data; /**< valid during deliver(); NULL after a probe */
    uint8_t label;    /**< that of the send */
};

struct clue_receive {
    int from; /**< a task, or CLUE_ANY */
    uint64_t context;
    int tag;        /**< a tag, or CLUE_ANY */
    unsigned flags; /**< CLUE_FREE, CLUE_STANDING */
    /**
     * Takes the data out of a matched message; called once, before the request is complete,
     * possibly while another task runs; of this header it may call only the functions on memory of
     * all tasks, and those only of a standing receive. NULL: nothing is taken.
     */
    void (*deliver)(void *arg, const struct clue_message *message);
    void *arg;
};

/** Sends a message, which takes the send delay. The request is complete when the data may be
 * changed again: at once up to the eager limit, else when the message was received. */
PORTOLAN_API clue_request clue_send(const struct clue_send *send);
PORTOLAN_API clue_request clue_receive(const struct clue_receive *receive);

/**
 * Waits for all (IS_ALL), or else for one of the N requests; those that are 0 do not count. Returns
 * the index of the one that was complete first (ties: the least index), N if all are 0. Complete
 * requests stay so until clue_free(). Each receive that it waited for takes the receive delay.
 */
PORTOLAN_API size_t clue_wait(const clue_request *requests, size_t n, bool is_all);
/** Returns whether the request is complete at the task's time; takes the receive delay (as in the
 * paper, also if it is not complete). */
PORTOLAN_API bool clue_test(clue_request request);
/** Tests several as one poll: returns the index of the first that is complete, N: none is. */
PORTOLAN_API size_t clue_test_any(const clue_request *requests, size_t n);
/** Returns whether it is complete at the task's time; takes no time. Records do not contain it:
 * what the task asks next must be the same in both cases, or clue_record_await() says that it is
 * not. */
PORTOLAN_API bool clue_is_complete(clue_request request);
/** Releases the number; a request that is not complete continues. */
PORTOLAN_API void clue_free(clue_request request);
/** Cancels a receive or send that is not matched. True: it is complete, without a message. */
PORTOLAN_API bool clue_cancel(clue_request request);

/**
 * Looks for a message that has arrived (IS_WAITING: waits for one), without receiving it; takes the
 * receive delay. If TAKEN is not NULL, the message is taken out of the queue, and can only be
 * received by clue_receive_taken() with this number. Returns false if there is no message.
 */
PORTOLAN_API bool clue_probe(int from, uint64_t context, int tag, bool is_waiting,
                             struct clue_message *message, clue_request *taken);
/** Receives a message that was taken: the same request goes on, with DELIVER of RECEIVE. */
PORTOLAN_API void clue_receive_taken(clue_request taken, const struct clue_receive *receive);

/* ------------------------------------------------- schedules, for records alone */

/** Begins a schedule: the operations that a nonblocking operation asks for, as far as messages have
 * come whenever the task is in a call. How far that is depends on the machine, so a record keeps a
 * schedule apart from the rest, and its replay continues it in the same way: it asks for a wait
 * only when the requests are complete. A schedule takes its first steps at once. Returns its
 * number, 0 if the run is not recorded. */
PORTOLAN_API uint32_t clue_schedule_begin(void);
/** Ends a schedule, which takes no more steps. */
PORTOLAN_API void clue_schedule_end(uint32_t schedule);
/** Assigns what the task asks from here on to this schedule; 0: to none; CLUE_UNRECORDED: it is
 * part of an await. Returns the value before. */
enum { CLUE_UNRECORDED = UINT32_MAX };
PORTOLAN_API uint32_t clue_record_as(uint32_t schedule);
/** An item of an await: a request of the task's own, or a schedule. */
struct clue_awaited {
    clue_request request;
    uint32_t schedule;
};
/** Records that all schedules take steps, in the order in which they began, and that with them the
 * task waits until all N items are complete. Not IS_ALL: what follows depends on time. */
PORTOLAN_API void clue_record_await(const struct clue_awaited *awaited, size_t n, bool is_all);

/* ------------------------------------------------- meetings */

enum clue_meeting_kind {
    CLUE_MEET_ALL,     /**< all continue when the last has arrived */
    CLUE_MEET_AT_ROOT, /**< only the root waits, for all */
    CLUE_MEET_OF_ROOT  /**< all wait for the root only */
};
/** An operation that real libraries perform in shared memory, without messages. */
struct clue_meeting {
    enum clue_meeting_kind kind;
    uint64_t context;
    uint64_t sequence;  /**< number of the meeting in this context */
    int n, index, root; /**< N: number of members; INDEX and ROOT are among them */
    int64_t ns;         /**< time that each member takes, beyond waiting */
};
PORTOLAN_API void clue_meet(const struct clue_meeting *meeting);

enum clue_shared {
    CLUE_SHARED_BCAST,
    CLUE_SHARED_REDUCE,
    CLUE_SHARED_ALLREDUCE,
    CLUE_SHARED_BARRIER,
    CLUE_COLLECTIVE_CALL /**< what any collective takes in addition to its messages */
};
/** Returns the time of such an operation of BYTES on a node, by the machine file; -1: the file has
 * none, and messages are used. */
PORTOLAN_API int64_t clue_shared_ns(enum clue_shared operation, uint64_t bytes);
/** Returns the file with rules of collectives that the machine file names; NULL: none. */
PORTOLAN_API const char *clue_collectives_file(void);

/* ------------------------------------------------- memory of all tasks */

/** Returns BYTES of zeros, aligned to 64 bytes, at the same address in all tasks, each of which may
 * free them. One task runs at a time, so no lock is needed; other pointers of a task, also to
 * functions, are invalid in other tasks. */
PORTOLAN_API void *clue_share(size_t bytes);
PORTOLAN_API void clue_unshare(void *memory);
/** Returns where OWNER's libraries of all tasks keep their common data; at first NULL. */
PORTOLAN_API void **clue_shared(enum clue_owner owner);
/** Calls RUN(ARG) in TASK before any task goes on. Call it only from deliver() of a standing
 * receive, at most once. RUN and ARG are addresses of that task. */
PORTOLAN_API void clue_call_in(int task, void (*run)(void *arg), void *arg);

/* ------------------------------------------------- time, tasks, ends */

/** Lets NS pass, during which the task does nothing. */
PORTOLAN_API void clue_sleep(int64_t ns);
/** A wait watches so many requests of active schedules at most; replays of records do the same. */
enum { CLUE_MOST_OF_SCHEDULES = 64 };
/** Takes the host's packing delay for moving BYTES in memory, as the parts of a collective do; or,
 * with IS_MESSAGE, all that the machine file says a message to itself takes. */
PORTOLAN_API void clue_pack(uint64_t bytes, bool is_message);
/** Reports that the task writes BYTES at AT within its call: its next burst takes the kernel's time
 * for those pages that are touched for the first time (AT NULL: for all, and they are given back).
 * If others run meanwhile, it is called before. */
PORTOLAN_API void clue_touch(void *at, uint64_t bytes);
/** Takes NS in the library, without the performance factor. */
PORTOLAN_API void clue_spend(int64_t ns);

/** Returns a request that is complete after NS, to be waited for with others. */
PORTOLAN_API clue_request clue_timer(int64_t ns);
/** Returns when no task can act at an earlier time: what follows happens in virtual order. */
PORTOLAN_API void clue_in_order(void);

/**
 * Starts N tasks of the executable PROGRAM with ARGV, on HOSTS. Takes the host's initialization
 * delay, and for each task the spawn delay, after which it begins. Returns how many were started;
 * their numbers go to TASKS. It is less than N if PROGRAM cannot be loaded.
 */
PORTOLAN_API int clue_spawn(const char *program, char *const argv[], const int *hosts, int n,
                            int *tasks);
/** Return whether TASK is a task's number, also after its exit; and whether it has not exited. */
PORTOLAN_API bool clue_is_known(int task);
PORTOLAN_API bool clue_is_alive(int task);
/** Ends another task at the caller's time; it does not run again. */
PORTOLAN_API void clue_kill(int task);
/** Has RUN called in the calling task when that exits, within a call. */
PORTOLAN_API void clue_at_exit(enum clue_owner owner, void (*run)(void));

/** Returns clue_now() as the program reads it. Ends the run if it waits for a clock that stands
 * still. */
PORTOLAN_API int64_t clue_read_clock(void);

/** Returns the copy of a library's variable that the task's program has; NULL: it has none of its
 * own. */
PORTOLAN_API void *clue_variable(const char *name);

/** Ends the run: routine, task, time and call site are added to the message. Does not return. */
PORTOLAN_API void clue_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
/** Ends the run as MPI_Abort does. */
PORTOLAN_API void clue_abort(int status) __attribute__((noreturn));
/** Notes an assumption of the run ("assumed"), once for each TEXT and call site. */
PORTOLAN_API void clue_assume(const char *text);
/** Returns the place of a call of TASK: "file.c:12", or what is known, until the next call. */
PORTOLAN_API const char *clue_site_text(int task, const void *site);
/** Reports a mistake of the program that does not end it, with task, time and site. */
PORTOLAN_API void clue_mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
