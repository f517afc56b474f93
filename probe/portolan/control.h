/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * control: switches what is measured, and where it goes, while the program runs. The owner of a
 * measured port (a proxy, a wrapped object, the front of a wrapped program) adds it here; commands
 * then come from inside (the Control port), from a control file or by a signal.
 *
 * A switch changes the flags of the port and nothing else: it adds no cost to calls, and calls that
 * are running end as they began. The time of calls that a variant does not measure counts as the
 * caller's own time. Any thread may call these functions; times are nanoseconds of the probe's
 * clock.
 */
#ifndef PORTOLAN_CONTROL_H
#define PORTOLAN_CONTROL_H

#include <portolan/probe.h>

#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The work that a port's proxy does with a call in addition to forwarding it. */
enum portolan_variant {
    PORTOLAN_VARIANT_FORWARD,   /**< nothing */
    PORTOLAN_VARIANT_PROFILE,   /**< measures it for the TAU profiles that are written at exit */
    PORTOLAN_VARIANT_MASTERMIND /**< measures it for the Mastermind, which stores it */
};

/** "forward", "profile" or "mastermind"; NULL for any other number. */
PORTOLAN_API const char *portolan_variant_name(enum portolan_variant variant);

/** False when TEXT (may be NULL) names no variant. */
PORTOLAN_API bool portolan_variant_read(const char *text, enum portolan_variant *variant);

/** Time that a port was not measured in a variant in which it had been measured before. */
struct portolan_control_gap {
    bool was_in;          /**< measured in this variant now or earlier */
    bool is_away;         /**< and not at present */
    unsigned count;       /**< how often it went away */
    double away_ns;       /**< how long in all, before away_since_ns */
    double away_since_ns; /**< clock, while is_away */
};

/**
 * A port under control. The owner fills it, adds it, and keeps it and its texts until it has
 * removed it; in between only this room writes to it.
 */
struct portolan_control_port {
    const char *name;                 /**< "user.uses", an object's name, or a front's port type */
    const char *type;                 /**< the port's type, which is its TAU group */
    struct portolan_probe_port *port; /**< its flags are this room's as long as it is added */
    enum portolan_variant variant;    /**< at first what the owner wants, then what is in force */
    bool has_mastermind;              /**< a Mastermind takes its records; else the variant
                                           MASTERMIND only forwards */
    bool is_off;                      /**< not measured, whatever the variant */
    bool has_rows;                    /**< in MASTERMIND a row is noted for each timed call */
    uint32_t one_in; /**< in MASTERMIND one call in ONE_IN is timed; 0 or 1: each */
    /**
     * OPTIONAL: moves the port to another implementation. Called without locks by one thread at a
     * time, may block; the port is not removed meanwhile.
     */
    enum portolan_status (*select)(void *self, const char *implementation,
                                   struct portolan_error *err);
    /**
     * OPTIONAL: sets the same flags, and the sampling that `port` has now, in other places that
     * need them. Called under the lock whenever they are set; must not call this room.
     */
    void (*follow)(void *self, uint32_t flags);
    void *self;
    const char *const *implementations; /**< names that select accepts; none: it tries any */
    size_t n_implementations;
    const char *selected; /**< OPTIONAL: which one is in force; kept up to date by the owner */

    struct portolan_control_gap gaps[3]; /**< by variant; start with zeros, as all below */
    enum portolan_variant wanted;        /* by the owner */
    uint32_t counters; /* PORTOLAN_PROBE_COUNTERS, if the Mastermind asked for them */
    unsigned pins;
    struct portolan_control_port *next, *prev;
};

/**
 * From now on PORT obeys commands, also those given earlier whose pattern matches it. Any thread.
 */
PORTOLAN_API void portolan_control_add(struct portolan_control_port *port);

/** Stops measuring PORT, which may then be freed. Waits for a `select` that is running. */
PORTOLAN_API void portolan_control_remove(struct portolan_control_port *port);

/** A Mastermind has come or gone. Any thread. */
PORTOLAN_API void portolan_control_set_mastermind(struct portolan_control_port *port,
                                                  bool has_mastermind);

/** Other counters were chosen: ports in the variant PROFILE read them from now on. Any thread. */
PORTOLAN_API void portolan_control_refresh(void);

/**
 * Obeys the commands in TEXT, one a line, `#` begins a comment:
 *
 *     forward GLOB, profile GLOB, mastermind GLOB     what is done with calls
 *     off GLOB, on GLOB                               not measured, and measured as before
 *     rows GLOB, norows GLOB                          one row for each timed call, or totals alone,
 *                                                     for the Mastermind
 *     sample N GLOB                                   of what the Mastermind gets, 1 call in N is
 *                                                     timed, all are counted; 1: each is timed
 *     toggle                                          all off, or all on when all are off
 *     use GLOB IMPLEMENTATION                         another implementation
 *     counters [SET]                                  other counters are read, or which there are
 *     dump [FOLDER]                                   writes the TAU profiles now
 *     flush                                           passes the measurements to the store
 *     list                                            names the ports in the reply
 *     pin INSTANCE=CLASS, forbid INSTANCE=CLASS       only this implementation may run, or never
 *     release [INSTANCE[=CLASS]]                      ends pins and forbids
 *     undo                                            the last swap is taken back
 *     explore on|off|SHARE                            whether the Optimizer tries implementations,
 *                                                     and with what share of the time
 *
 * GLOB (fnmatch(3)) is matched with names of ports, `type:GLOB` with their types. All lines are
 * checked before any is obeyed; if a port cannot be moved to an implementation, those moved before
 * are moved back. Errors: PORTOLAN_ESYNTAX, "ORIGIN:line: error: what is wrong", with one line of
 * text per mistake (ORIGIN is "command" when the first line of TEXT is "# request"); what `select`
 * or the file system answered. Any thread.
 */
PORTOLAN_API enum portolan_status portolan_control_apply(const char *text, const char *origin,
                                                         struct portolan_error *err);

/** The same; adds the answer (lists, files written) to REPLY, line by line. */
PORTOLAN_API enum portolan_status portolan_control_execute(const char *text, const char *origin,
                                                           struct portolan_text *reply,
                                                           struct portolan_error *err);

/**
 * Shows every port to VISIT, in the order they came, until it returns false. Under the lock: VISIT
 * must not call this room.
 */
PORTOLAN_API void portolan_control_visit(bool (*visit)(void *arg,
                                                       const struct portolan_control_port *port),
                                         void *arg);

/**
 * A function that `flush` calls in addition to writing profiles, e.g. to hand a snapshot to another
 * process; NULL ends that. One for a process; it may block and fail.
 */
typedef enum portolan_status (*portolan_control_flush_fn)(void *arg, struct portolan_error *err);
PORTOLAN_API void portolan_control_set_flush(portolan_control_flush_fn flush, void *arg);

/* --------------------------------------------------------------- the Optimizer */

/**
 * Checks whether WISH, a line from "pin" to "explore" as above, can be understood, with the reason
 * in ERR if not. Called under the lock by any thread: it calls nothing of this room and does not
 * wait.
 */
typedef enum portolan_status (*portolan_control_check_fn)(void *arg, const char *wish,
                                                          struct portolan_error *err);

/** An Optimizer checks wishes from now on; NULL: it no longer does. One for a process. */
PORTOLAN_API void portolan_control_set_check(portolan_control_check_fn check, void *arg);

/**
 * Takes the oldest wish, also from before there was an Optimizer; the caller frees it. NULL: there
 * is none. Any thread.
 */
PORTOLAN_API char *portolan_control_take_wish(void);

/* --------------------------------------------------------------- groups */

/** A group of timers, or the type of a port. Never freed. */
struct portolan_control_group {
    const char *name;
    int64_t number; /**< from 1, in the order they were asked for */
    /** The port of a group of timers: its flags have PORTOLAN_PROBE_MONITORED while they are
     * measured. */
    struct portolan_probe_port port;
};

/**
 * The group NAME, made if need be; NULL without memory. OF_TIMERS: from now on it is steered as a
 * port "timers.NAME" of type NAME in the variant PROFILE, and profiles are written at the end. Any
 * thread.
 */
PORTOLAN_API const struct portolan_control_group *portolan_control_group_get(const char *name,
                                                                             bool of_timers);
/** The group with that number; NULL: none. Any thread. */
PORTOLAN_API const struct portolan_control_group *portolan_control_group_peek(int64_t number);

/* --------------------------------------------------------------- what was missed */

/** Returns whether commands with GLOB are in force that no port has matched since they were given.
 */
PORTOLAN_API bool portolan_control_is_idle(const char *glob);

/**
 * Returns whether some port that was measured in VARIANT was not so all the time since the call
 * that left *MARK (0 at first) and now. Each caller has its own MARK.
 */
PORTOLAN_API bool portolan_control_was_partial(enum portolan_variant variant, uint64_t *mark);

/**
 * Shows the gaps of all ports, also of those that were removed: NAME's in VARIANT came COUNT times
 * and lasted AWAY_NS up to now. Under the lock.
 */
PORTOLAN_API void portolan_control_visit_gaps(enum portolan_variant variant,
                                              void (*visit)(void *arg, const char *name,
                                                            unsigned count, double away_ns),
                                              void *arg);

/** Adds these gaps, of the variant PROFILE, to the metadata of a TAU profile
 * (portolan_probe_dump.add_facts). */
PORTOLAN_API void portolan_control_add_gaps(struct portolan_text *text);

/* --------------------------------------------------------------- from outside */

/** Most signals that stand for commands at one time. */
#define PORTOLAN_CONTROL_SIGNALS 8

struct portolan_control_signal {
    int number;
    const char *command; /**< "toggle", "dump" or "flush"; static */
};

/**
 * Reads TEXT (may be NULL), "USR1,USR2:dump", into LIST, *N of them. EINVAL: no such signal or
 * command, one twice, more than there is room for; ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_control_read_signals(const char *text,
                              struct portolan_control_signal list[PORTOLAN_CONTROL_SIGNALS],
                              size_t *n, struct portolan_error *err);

/**
 * Starts this process' listener: a thread that sleeps until FILE (may be NULL) is written, replaced
 * or created, or a signal of SIGNALS (may be NULL: "USR1", "USR1:dump,USR2") arrives; a signal
 * without a command means toggle. FILE is obeyed at once when it is there, unless `portolan
 * control` wrote it ("# request" in the first line), for that was meant for others. The result is
 * written to FILE.reply, which is replaced as a whole; if NODE is not 0, to FILE.reply.NODE. The
 * thread takes no signals and ends when the process does; a forked child has none. A handler that
 * such a signal had before is called after this one. PORTOLAN_EEXISTS: there is a listener.
 * PORTOLAN_EINVAL: no such signal. PORTOLAN_EIO: FILE's folder. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_control_listen(const char *file, const char *signals,
                                                          struct portolan_error *err);

/**
 * The same with PORTOLAN_CONTROL (a file) and PORTOLAN_SIGNAL from the environment, once for a
 * process: nothing happens when neither is set or somebody listens already. For code in programs
 * that do not do it themselves. Errors as above.
 */
PORTOLAN_API enum portolan_status portolan_control_listen_environment(struct portolan_error *err);

/* For programs that obey in place of another one, as `portolan wrap` does. */

/**
 * The text of control file PATH, which the caller frees, if the file has changed since *SEEN (zeros
 * at first); *SEEN then is its present state. NULL without an error: it has not changed, or there
 * is none. Errors: EIO, ENOMEM, EINVAL (too long), ESYNTAX (no text).
 */
PORTOLAN_API char *portolan_control_file_take(const char *path, struct stat *seen,
                                              struct portolan_error *err);

/** Returns whether `portolan control` wrote TEXT: then it is only for programs that ran at that
 * time, and an answer is expected. */
PORTOLAN_API bool portolan_control_is_request(const char *text);

/** Adds the lines by which `portolan control` knows the answer to TEXT, and how it went. */
PORTOLAN_API void portolan_control_add_head(struct portolan_text *reply, const char *text,
                                            int nodes, bool failed);

/** Ends the listener, if there is one; a command that is being obeyed is finished first. */
PORTOLAN_API void portolan_control_stop(void);

/* --------------------------------------------------------------- which process this is */

/**
 * This process' node, of COUNT, in profiles and answers: its rank. At first the value of PMI_RANK,
 * PMIX_RANK or a similar variable, else 0.
 */
PORTOLAN_API void portolan_control_set_node(int node, int count);
PORTOLAN_API int portolan_control_node(void);

/** How many nodes obey the same control file; at first from PMI_SIZE or the like, else 1. */
PORTOLAN_API int portolan_control_node_count(void);

#ifdef __cplusplus
}
#endif
#endif
