/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of report/. */
#ifndef CLUE_REPORT_INTERNAL_H
#define CLUE_REPORT_INTERNAL_H

#include <portolan/clue_report.h>

#include <portolan/index.h>
#include <portolan/trace.h>

/* Calls of a rank by routine and partner. */
struct recorder_row {
    struct recorder_key {
        int32_t rank;
        uint32_t routine;
        int32_t partner; /* -1: no partner, or all */
        uint32_t is_received;
    } key;
    int64_t calls;
    double time_ns, bytes;
};

/* The call that a rank is in. */
struct recorder_call {
    int64_t began_ns;
    int64_t last_ns;            /* time of the last event */
    int sent_to, received_from; /* the first partner; -1: none yet */
    size_t n_received;
};

struct clue_recorder {
    struct portolan_mpi_observer observer;
    const struct clue_machine *machine;
    int n;
    struct recorder_call *calls;
    int64_t inited_ns, finalized_ns; /* latest end of MPI_Init, and begin of MPI_Finalize */
    const char **routines;           /* names by number */
    size_t n_routines, room_routines;
    struct portolan_index index;
    struct recorder_row *rows;
    size_t n_rows, room_rows;
    struct portolan_trace *trace; /* all events; or NULL */
    bool is_finished, has_failed;
};

/* The parts of the ranks' time; they add up to that of all ranks over the whole run. */
enum report_part {
    PART_COMPUTING,
    PART_SENDING,
    PART_WAITING,
    PART_RECEIVING,
    PART_OTHER,
    REPORT_PARTS
};
extern const char *const report_part_names[REPORT_PARTS];

struct report_facts {
    struct clue_run_sums run;
    int n;
    double parts[REPORT_PARTS]; /* shares of the time */
    double imbalance;           /* of computing: longest / mean - 1 */
    struct clue_times path;
    size_t busiest_link; /* SIZE_MAX: none was used */
    int busiest_host;    /* the host whose cards were used most; -1: none */
    double link_use, host_use;
    int n_hosts_used;
    uint64_t n_mistakes, n_assumed;
};
void report_gather(const struct clue_report *report, struct report_facts *facts);
/* Computes the parts of a rank's time; the rest of the run's time is waiting. */
void report_parts_of(const struct clue_report *report, int rank, int64_t end_ns,
                     double ns[REPORT_PARTS]);

/* Sums over a host's ranks. */
struct report_host {
    double ranks, parts[REPORT_PARTS], n_sent, bytes_sent;
};
/* Returns the sums of each host of the machine, for free(); NULL: no memory. */
struct report_host *report_sum_hosts(const struct clue_report *report, int64_t end_ns);

/* Returns the machine's name, or its file's. */
const char *report_machine(const struct clue_report *report);

#endif
