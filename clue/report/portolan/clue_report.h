/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_report: the results of a run in virtual time: a text, JSON, a trial in a store, a trace, a
 * line for each call. Nothing here prints or exits. Real time appears only where stated,
 * so two runs with the same bursts have the same results, byte by byte.
 */
#ifndef PORTOLAN_CLUE_REPORT_H
#define PORTOLAN_CLUE_REPORT_H

#include <portolan/clue_machine.h>
#include <portolan/clue_run.h>
#include <portolan/observer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- while it runs */

/** Sums calls and, on request, keeps all of them. There may be one at a time in a process. */
struct clue_recorder;

/** Creates a recorder for a run on MACHINE of N ranks on HOSTS. KEEPS_EVENTS: for traces and lists
 * of calls; they take about six times 40 bytes for each message. NULL: no memory. */
struct clue_recorder *clue_recorder_new(const struct clue_machine *machine, int n, const int *hosts,
                                        bool keeps_events);
/** Returns the observer for clue_run.observer. */
const struct portolan_mpi_observer *clue_recorder_observer(const struct clue_recorder *recorder);
/** Returns the time from the last end of MPI_Init to the last begin of MPI_Finalize, as real runs
 * can. */
double clue_recorder_span_ns(const struct clue_recorder *recorder);
/** Frees a recorder; NULL is legal. */
void clue_recorder_free(struct clue_recorder *recorder);

/** Returns the kept events as a trace, the recorder's; NULL, with ERR: none were kept, or no
 * memory. */
const struct portolan_trace *clue_recorder_trace(struct clue_recorder *recorder,
                                                 struct portolan_error *err);
/** Returns the index of COMM among TRACE's communicators or windows; SIZE_MAX: no memory. */
size_t clue_trace_comm(struct portolan_trace *trace, const struct portolan_mpi_comm *comm);

/* ------------------------------------------------- after it */

enum { CLUE_MEASURED_RUNS = 5 };

/** The contents of a report, all borrowed. The outcome must have an engine. */
struct clue_report {
    const struct clue_machine_file *file;
    const struct clue_run *run;
    const struct clue_outcome *outcome;
    struct clue_recorder *recorder; /**< NULL: single calls are not known */
    const char *machine_path;
    const char *trace; /**< absolute path of the trace's folder, for the trial; or NULL */
    size_t n_settings; /**< options of the run, for the trial */
    const struct portolan_name_value *settings;
    /** From --repeat: median and bounds of the run's time; 0: it ran once. */
    double median_ns, low_ns, high_ns;
    int n_repeats;
    /** Times of measured runs, in order: of this one, and of those that --repeat added. */
    double measured_ns[CLUE_MEASURED_RUNS];
    int n_measured;
    /** Share of waiting that comes from differences between repeated bursts; 0: not known. */
    double repeated_share;
    bool is_rerun; /**< the program itself ran again, because its course depended on time */
};

/** Writes lines of text, as in portolan-clue(1), without the line of clue_report_took(). */
void clue_report_text(const struct clue_report *report, struct portolan_text *text);
enum clue_report_part { CLUE_BY_HOST, CLUE_BY_LINK, CLUE_BY_SIZE };
/** Writes a table as text: a line for each host with ranks, for each link that was used, or for
 * each power of two of bytes. */
void clue_report_by(const struct clue_report *report, enum clue_report_part by,
                    struct portolan_text *text);
/** Writes the line on this computer's part: wall time, messages per second, memory, and whether it
 * swapped. TRIAL: its number in STORE, 0: there is none. */
void clue_report_took(const struct clue_report *report, int64_t trial, const char *store,
                      struct portolan_text *text);
/** Writes the report as JSON, with all numbers of each rank, host, link and size. */
void clue_report_json(const struct clue_report *report, struct portolan_text *text);

/**
 * Stores a trial in the store at PATH: times of calls by routine and partner, computing and waiting
 * of ranks, the machine, and each setting. Its metadata "virtual machine" excludes it from choices
 * for other machines. *TRIAL: its number. Errors are those of portolan_store_open().
 */
enum portolan_status clue_report_store(const struct clue_report *report, const char *path,
                                       int64_t *trial, struct portolan_error *err);

/** Writes the trace as streams in a folder, or as an archive of OTF2 if PATH ends so. */
enum portolan_status clue_report_trace(const struct clue_report *report, const char *path,
                                       struct portolan_error *err);
/** Writes a line for each call: begin, end, rank, host, routine, and what it sent and received. */
enum portolan_status clue_report_calls(const struct clue_report *report, struct portolan_text *text,
                                       struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
