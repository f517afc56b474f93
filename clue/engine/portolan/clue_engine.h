/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_engine: tasks on a virtual cluster, by discrete events.
 *
 * The engine knows clocks, messages, processors and networks; the caller computes and switches
 * tasks: it runs the task that clue_engine_next() names until one of its operations returns
 * CLUE_WAITS, and calls it again. The task with the least time goes first, ties by number, so every
 * run gives the same result. Times are nanoseconds, sizes bytes, hosts and tasks are numbers from
 * 0. One thread at a time; nothing prints or exits.
 *
 * Parameters follow section 3 of *Cluster Configuration by Simulation* (2000).
 */
#ifndef PORTOLAN_CLUE_ENGINE_H
#define PORTOLAN_CLUE_ENGINE_H

#include <portolan/base.h>
#include <portolan/clue_task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- the machine */

/** Time as a function of size: CONSTANT + BYTES * PER_BYTE. With points: straight lines between
 * them, of which the first and the last extend outside. */
struct clue_law {
    double constant_ns, ns_per_byte;
    const struct clue_law_point {
        uint64_t bytes;
        double ns;
    } * points; /**< in increasing order; NULL: none */
    size_t n_points;
};

/** Returns the nanoseconds of BYTES by LAW; as a delay they are whole, and not below 0. */
double clue_law_value(const struct clue_law *law, uint64_t bytes);
int64_t clue_law_ns(const struct clue_law *law, uint64_t bytes);

enum clue_distribution_kind {
    CLUE_CONSTANT,    /**< a */
    CLUE_UNIFORM,     /**< from a to b */
    CLUE_EXPONENTIAL, /**< mean a */
    CLUE_NORMAL,      /**< mean a, standard deviation b; below 0: 0 */
    CLUE_LOGNORMAL,   /**< median a, standard deviation b of the logarithm */
    CLUE_GAMMA,       /**< mean a, shape b */
    CLUE_WEIBULL,     /**< scale a, shape b */
    CLUE_PARETO,      /**< least a, shape b */
    CLUE_SAMPLES      /**< one of n_samples, drawn evenly */
};
struct clue_distribution {
    enum clue_distribution_kind kind;
    double a, b;
    const double *samples;
    size_t n_samples;
};

struct clue_busy {
    unsigned cpus; /**< applies from so many busy processors of the host on */
    double factor; /**< multiplies the time of computing */
};

/** A host. A bare number of the machine file is in the paper's units; here all are ns and bytes. */
struct clue_host {
    const char *name; /**< "node[3]" */
    const char *type; /**< "node" */
    const char *real; /**< real machine to start on (factor 0); NULL: the host is virtual */
    unsigned cpus;
    double factor; /**< multiplies the time of computing; 1 for factor 0 */
    double spread; /**< standard deviation of the factor's logarithm among hosts, drawn once */
    uint64_t memory;
    int64_t init_ns, spawn_ns; /**< delays of pvm_spawn: once per call, once per task */
    struct clue_law receive;   /**< delay of receive, probe and test, successful or not */
    struct clue_law packing;   /**< copying in memory */
    /** Messages within the host that are beyond the eager limit go on only while their receiver
     * waits or polls: it copies one after the other, and does nothing else meanwhile. */
    bool receiver_copies;
    double card_gap_ns, card_ns_per_byte; /**< card occupied for gap + bytes * ns_per_byte */
    double price;
    const struct clue_busy *busy; /**< in increasing order */
    size_t n_busy;
};

/** The delays between hosts, indexed by clue_machine.pair_of. The reader of the machine file has
 * chosen the most specific pair. */
struct clue_pair {
    struct clue_law send;         /**< time that the sender is blocked */
    struct clue_law transmission; /**< time from then until the message has arrived */
};

enum clue_network_model {
    CLUE_NETWORK_NONE,   /**< delays alone */
    CLUE_NETWORK_FACTOR, /**< the paper's: send and transmission times a factor that depends on the
                            number in flight */
    CLUE_NETWORK_QUEUE,  /**< cards and links serve one message after the other */
    CLUE_NETWORK_FAIR    /**< max-min shares of the links */
};

struct clue_link {
    const char *name; /**< "leaf3-spine1" */
    double bytes_per_ns;
    int64_t latency_ns;
};
/** Returns the links on the route between hosts, by a function so that 4,096 hosts need no table.
 * Returns their number, at most CLUE_MOST_HOPS; 0: there is no route (or FROM is TO). */
enum { CLUE_MOST_HOPS = 64 };
struct clue_size_factor {
    uint64_t from_bytes;
    double bandwidth, latency; /**< times the link's own (SMPI's lf and bf) */
};
struct clue_network {
    enum clue_network_model model;
    const struct clue_link *links;
    size_t n_links;
    size_t (*route)(const struct clue_network *network, int from, int to, uint32_t *links);
    const void *topology;   /**< argument of route() */
    bool store_and_forward; /**< queue: a message is on one link at a time; else cut-through */
    const double *factors;  /**< for CLUE_NETWORK_FACTOR: by messages in flight, from 1 */
    size_t n_factors;
    const struct clue_size_factor *by_size;
    size_t n_by_size;
};

enum clue_topology_kind {
    CLUE_CROSSBAR,  /**< a link from each host, and one to it */
    CLUE_BUS,       /**< one link for all */
    CLUE_FAT_TREE,  /**< parallel ports generalized fat tree: a node of level i - 1 has up[i - 1]
                     * parents, a switch of level i down[i - 1] children; the way up is chosen by
                     * destination mod k */
    CLUE_TORUS,     /**< of `down` hosts in each dimension, the first varies fastest */
    CLUE_DRAGONFLY, /**< down: hosts of a router, routers of a group, groups; minimal routes */
    CLUE_EXPLICIT   /**< given by a table */
};
enum { CLUE_MOST_LEVELS = 8 };
/** Data for clue_network.topology, with clue_topology_route() as its route. */
struct clue_topology {
    enum clue_topology_kind kind;
    size_t n_hosts;
    unsigned n_levels; /**< levels or dimensions; 3 for a dragonfly */
    unsigned down[CLUE_MOST_LEVELS], up[CLUE_MOST_LEVELS];
    /** EXPLICIT: in increasing order of from, to. */
    const struct clue_route {
        int from, to;
        size_t n_links;
        const uint32_t *links;
        int level; /**< how specific it is: of several from and to the same hosts the first holds */
    } * routes;
    size_t n_routes;
};
/** Return how many hosts it has room for (SIZE_MAX: any number), and how many links it needs. */
size_t clue_topology_hosts(const struct clue_topology *topology);
size_t clue_topology_links(const struct clue_topology *topology);
/** Writes the link's name, as in "leaf3-spine1", into TEXT of SIZE bytes; not for EXPLICIT. */
void clue_topology_link_name(const struct clue_topology *topology, size_t link, char *text,
                             size_t size);
size_t clue_topology_route(const struct clue_network *network, int from, int to, uint32_t *links);

/** Other users' jobs on a host, or their messages. */
struct clue_background {
    bool is_traffic;
    int host, to;
    /** Load: busy for ON, then idle for OFF, again and again, JOBS at a time; an OFF of constant 0:
       always. Traffic: a message of BYTES every EVERY. */
    struct clue_distribution on, off;
    struct clue_distribution every, bytes;
    unsigned jobs;
    uint64_t seed;
};

enum clue_parameter {
    CLUE_FACTOR,
    CLUE_SEND,
    CLUE_TRANSMISSION,
    CLUE_RECEIVE,
    CLUE_PACKING,
    CLUE_BANDWIDTH,
    CLUE_LATENCY,
    CLUE_COLLECTIVES,   /**< operations in shared memory; for errors only, no change names it */
    CLUE_COMMUNICATION, /**< communication of programs without a law; for errors only */
    CLUE_PARAMETERS
};
/** A parameter changes at a virtual time, also for delays that have begun. */
struct clue_change {
    int64_t at_ns;
    enum clue_parameter parameter;
    int host;     /**< a host, or a link; -1: all */
    int to;       /**< the other host of a pair; -1: all */
    double times; /**< multiplies the parameter of the file; FACTOR: by times / factor */
    const struct clue_law *law; /**< NULL, or used instead of `times` */
};

struct clue_machine {
    const char *name;
    struct clue_host *hosts;
    size_t n_hosts;
    int master; /**< host of the program that spawns others; -1: the first */
    struct clue_pair *pairs;
    size_t n_pairs;
    /** Returns the index into pairs for messages from a host to a host; SIZE_MAX: there is none. */
    size_t (*pair_of)(const struct clue_machine *machine, int from, int to);
    const void *pair_table;
    struct clue_network network;
    uint64_t eager_bytes; /**< for larger messages the sender waits until they are received */
    const struct clue_background *background;
    size_t n_background;
    const struct clue_change *changes; /**< ordered by time */
    size_t n_changes;
    const char *collectives_json; /**< path of a file with MPICH's rules; NULL: those built in */
    /** Laws of collectives in a node's shared memory; points NULL and 0: messages are used. */
    struct clue_law shared_bcast, shared_reduce, shared_allreduce, shared_barrier;
    struct clue_law collective_call; /**< what any collective takes in addition to its messages */
    double shared_more; /**< relative increase of these, drawn by clue_machine_vary() */
};

/* ------------------------------------------------- a run */

struct clue_engine;

struct clue_engine_settings {
    uint64_t seed;      /**< added to each source's own */
    bool takes_arrived; /**< --receive arrival: a receive takes the message that arrived first */
    bool may_change;    /**< clue_engine_change() will be called: no task runs ahead */
    /** Each send has a request of its own, also if it is complete at once, because it may not be so
     * on the machine on which a record of this run is replayed. */
    bool has_own_requests;
    /** Calls a receive's deliver() for a message to TASK. NULL, or CLUE_FREE: the engine calls
     * it. */
    void (*deliver)(int task, const struct clue_receive *receive,
                    const struct clue_message *message);
};

/** Creates an engine. MACHINE is borrowed for its life. NULL: no memory. */
struct clue_engine *clue_engine_new(const struct clue_machine *machine,
                                    const struct clue_engine_settings *settings);
/** Frees it; NULL is legal. */
void clue_engine_free(struct clue_engine *engine);

/** Adds a task on HOST that begins at NS; returns its number, -1: no memory. */
int clue_engine_add(struct clue_engine *engine, int host, int64_t ns);
/** TASK will not run again; messages to it are lost. */
void clue_engine_exit(struct clue_engine *engine, int task);
/** Ends VICTIM, which waits, at TASK's time, or at its own time if that is later. */
void clue_engine_kill(struct clue_engine *engine, int task, int victim);

enum { CLUE_FINISHED = -1, CLUE_DEADLOCK = -2, CLUE_FAILED = -3 };
/** Lets time pass until a task can run, and returns its number; FINISHED: all have exited;
 * DEADLOCK: the others wait for each other; FAILED: see clue_engine_error(). */
int clue_engine_next(struct clue_engine *engine);
/** Returns a task that is likely to be named soon, so that the caller may prefetch its data; -1:
 * none. Each is returned once. */
int clue_engine_soon(struct clue_engine *engine);
/** Returns why it FAILED: no memory, or a message between hosts without delays. */
const struct portolan_error *clue_engine_error(const struct clue_engine *engine);

/** The result of an operation. DONE: the task goes on; its clock is the end. WAITS: when
 * clue_engine_next() names the task, call the same operation again with the same arguments, until
 * it is DONE (then results are set). */
enum clue_progress { CLUE_DONE, CLUE_WAITS };

/* Operations of TASK, which clue_engine_next() has named. clue_task.h says what they mean. */

int64_t clue_engine_now(const struct clue_engine *engine, int task);
int clue_engine_host(const struct clue_engine *engine, int task);

/** Computes for NS of this machine's processor time, times the host's factor, among other jobs. */
enum clue_progress clue_engine_compute(struct clue_engine *engine, int task, int64_t ns);
/** Lets NS of virtual time pass, in which the task computes nothing. */
enum clue_progress clue_engine_spend(struct clue_engine *engine, int task, int64_t ns);

/** Sends; *REQUEST is 0 until DONE. */
enum clue_progress clue_engine_send(struct clue_engine *engine, int task,
                                    const struct clue_send *send, clue_request *request);
/** Posts a receive; returns 0 without memory. */
clue_request clue_engine_receive(struct clue_engine *engine, int task,
                                 const struct clue_receive *receive);
/** Waits; *INDEX is as clue_wait() returns it. */
enum clue_progress clue_engine_wait(struct clue_engine *engine, int task,
                                    const clue_request *requests, size_t n, bool is_all,
                                    size_t *index);
/** Tests; *INDEX is as clue_test_any() returns it; clue_test() is the same with N = 1. */
enum clue_progress clue_engine_test(struct clue_engine *engine, int task,
                                    const clue_request *requests, size_t n, size_t *index);
/** Sets *IS_COMPLETE at the task's time. Takes no time, but may wait for tasks to reach it. */
enum clue_progress clue_engine_is_complete(struct clue_engine *engine, int task,
                                           clue_request request, bool *is_complete);
/** Releases a request as clue_free() does. */
void clue_engine_release(struct clue_engine *engine, clue_request request);
/** Cancels at the task's time; a receive that has its message is not cancelled. */
enum clue_progress clue_engine_cancel(struct clue_engine *engine, int task, clue_request request,
                                      bool *is_cancelled);

/** Returns what clue_pack() takes. */
int64_t clue_engine_pack_ns(struct clue_engine *engine, int task, uint64_t bytes, bool is_message);

/** Returns a request that is complete NS from now; 0: no memory. */
clue_request clue_engine_timer(struct clue_engine *engine, int task, int64_t ns);
/** Is DONE when no task can act at an earlier time. */
enum clue_progress clue_engine_order(struct clue_engine *engine, int task);

/** Probes; *IS_FOUND, *MESSAGE and *TAKEN (TAKEN may be NULL) are set when it is DONE. */
enum clue_progress clue_engine_probe(struct clue_engine *engine, int task,
                                     const struct clue_receive *what, bool is_waiting,
                                     bool *is_found, struct clue_message *message,
                                     clue_request *taken);
void clue_engine_receive_taken(struct clue_engine *engine, int task, clue_request taken,
                               const struct clue_receive *receive);

enum clue_progress clue_engine_meet(struct clue_engine *engine, int task,
                                    const struct clue_meeting *meeting);

/** Applies CHANGE from the task's time on, not at its `at_ns`. Needs `may_change`. False: no
 * memory. */
bool clue_engine_change(struct clue_engine *engine, int task, const struct clue_change *change);

/* ------------------------------------------------- what happened */

enum clue_operation {
    CLUE_RUNS, /**< between operations */
    CLUE_COMPUTES,
    CLUE_SPENDS,
    CLUE_SENDS,
    CLUE_WAITS_FOR, /**< clue_wait() */
    CLUE_TESTS,
    CLUE_PROBES,
    CLUE_MEETS,
    CLUE_EXITED
};

/** The operation that a task is in. */
struct clue_state {
    enum clue_operation operation;
    /** The first request that a wait waits for, or the probe: whether it is a send. */
    bool is_send;
    int partner; /**< a task, or CLUE_ANY; unknown for a meeting */
    uint64_t context;
    int tag;
    uint64_t bytes; /**< size of a send */
    size_t n; /**< requests that are missing; 1: a probe, or a meeting; 0: it waits for none */
};
void clue_engine_state(const struct clue_engine *engine, int task, struct clue_state *state);
/** Returns the number of events to come that concern neither tasks nor background load alone:
 * messages, and the like. */
size_t clue_engine_under_way(const struct clue_engine *engine);
/** Finds the first message to TASK that was not received: its sender (partner), tag, context,
 * bytes. Returns false if there is none. */
bool clue_engine_left(const struct clue_engine *engine, int task, struct clue_state *message);

/** Parts of the time of a task, or of the critical path. */
struct clue_times {
    int64_t computing_ns; /**< including the time that other jobs had the processor */
    int64_t sending_ns;   /**< send and packing delay */
    int64_t waiting_ns;   /**< of a path: always 0 */
    int64_t receiving_ns;
    int64_t spending_ns; /**< sleeping, spawning, meetings' own time */
    int64_t network_ns;  /**< of a path: time in transit, including queueing */
    int64_t
        queueing_ns; /**< of a path: the part of it that was spent waiting for cards and links */
};
struct clue_task_sums {
    struct clue_times times, path; /**< PATH: the critical path to where the task is now */
    uint64_t n_sent, n_received, bytes_sent, bytes_received;
};
void clue_engine_sums(const struct clue_engine *engine, int task, struct clue_task_sums *sums);

/** Use of a link, or of the cards of a host, one each way. */
struct clue_use {
    int64_t busy_ns, queueing_ns;
    uint64_t n, bytes;
};
void clue_engine_link_use(const struct clue_engine *engine, size_t link, struct clue_use *use);
/** Returns the use of HOST's card for messages to it (IS_IN) or from it, where there are cards. */
void clue_engine_card_use(const struct clue_engine *engine, int host, bool is_in,
                          struct clue_use *use);

/** Messages by size: class I has those of less than 2^I bytes and at least 2^(I-1). */
enum { CLUE_SIZE_CLASSES = 65 };
struct clue_size_sums {
    uint64_t n, bytes;
    int64_t network_ns, queueing_ns;
};

struct clue_run_sums {
    int64_t end_ns; /**< time of the latest exit */
    int last;       /**< task that has exited last: its path is the run's critical path */
    uint64_t n_messages, n_events;
    uint64_t n_wildcards; /**< receives and probes with CLUE_ANY as source */
    uint64_t n_polls;     /**< tests and probes that did not wait */
    uint64_t n_choices;   /**< wildcards with more than one message to take */
    uint64_t n_unready;   /**< ready sends whose receive was not posted */
    uint64_t n_left;      /**< messages that were not received */
    struct clue_size_sums sizes[CLUE_SIZE_CLASSES];
};
void clue_engine_run_sums(const struct clue_engine *engine, struct clue_run_sums *sums);

#ifdef __cplusplus
}
#endif
#endif
