/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: who else uses the cores that this job runs on. Two readings of a process tell what happened
 * between them; those of all ranks together show whether a measurement was disturbed. From Linux's
 * /proc (stat, schedstat, cpuinfo): values that the kernel does not report count as 0. No function
 * fails. Any thread.
 */
#ifndef PORTOLAN_MACHINE_H
#define PORTOLAN_MACHINE_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sums since boot, or since the process began; only their differences have a meaning. */
struct portolan_machine_reading {
    double at_ns;      /**< CLOCK_MONOTONIC */
    double busy_ns;    /**< of the cores that this process may use: spent by anybody, to 10 ms */
    double stolen_ns;  /**< of these cores: taken by the hypervisor */
    double own_ns;     /**< processor time of this process */
    double delayed_ns; /**< its threads were ready but waited for a core */
    uint64_t cores_id; /**< the same for the same set of cores */
    int cores;
    char host[64];
};

PORTOLAN_API void portolan_machine_read(struct portolan_machine_reading *reading);

/** Seconds of a clock that nobody sets (CLOCK_MONOTONIC), since some time in the past. */
PORTOLAN_API double portolan_now_s(void);

/** How long the calling thread ran, and how long it waited for a core. Takes a few microseconds. */
PORTOLAN_API void portolan_machine_read_thread(double *ran_ns, double *delayed_ns);

/** Mean frequency in MHz of the cores that this process may use; 0 when it is not known. */
PORTOLAN_API double portolan_machine_frequency_mhz(void);

/** The processor's name into NAME, cut to SIZE_BYTES with its NUL; "" when it is not known. */
PORTOLAN_API void portolan_machine_processor(char *name, size_t size_bytes);

/** Whether PATH is in a file system that other machines also write to: then processes that use it
 * share no memory, and the kernel does not report their writes. */
PORTOLAN_API bool portolan_machine_shares(const char *path);

/** Returns on how many hosts the processes of N READINGS are; *HERE, unless NULL: how many on that
 * of the first. */
PORTOLAN_API int portolan_machine_count_hosts(const struct portolan_machine_reading *readings,
                                              size_t n, int *here);
/** Turns the sums in FROM into differences: what happened between FROM and TO. */
PORTOLAN_API void portolan_machine_subtract(struct portolan_machine_reading *from,
                                            const struct portolan_machine_reading *to);

/** How the most disturbed host of a job was disturbed. */
struct portolan_machine_verdict {
    int cores;             /**< that its ranks may use */
    double others;         /**< how many of them other processes kept busy, on the average */
    double others_percent; /**< the same as a share of the cores */
    double steal_percent;  /**< of the cores' time */
    double delay_percent;  /**< longest wait of a rank for a core, of the elapsed time */
    bool is_disturbed;
    char reason[160]; /**< "others kept 1.0 of 2 cores busy"; "" when it is not disturbed */
};

/**
 * Judges the differences (portolan_machine_subtract()) of all N ranks of a job. It was disturbed
 * when the hypervisor and other processes, beyond the cores that the ranks left free, took more
 * than 10 % of what the ranks need, or when a rank waited for a core more than 5 % of the time
 * though there are enough cores for all of the job.
 */
PORTOLAN_API void portolan_machine_judge(const struct portolan_machine_reading *ranks, size_t n,
                                         struct portolan_machine_verdict *verdict);

/** NAME in Portolan's folder of the user's state ($XDG_STATE_HOME/portolan,
 * ~/.local/state/portolan), which is made if need be; the caller frees it. NULL: there is none, or
 * no memory. */
PORTOLAN_API char *portolan_state_file(const char *name);

#ifdef __cplusplus
}
#endif
#endif
