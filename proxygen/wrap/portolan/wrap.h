/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * wrap: measures a program without changing or recompiling it. A generated, preloaded shared object
 * replaces functions of a header that the program calls; it measures each call and forwards it to
 * one of several libraries. This process stores the measurements step by step in an experiment
 * store, so that neither SQLite nor MPI nor any other library is loaded into the program for it.
 *
 * Logs as information which functions of the header are wrapped, which are not, and why; logs a
 * notice when something is compiled, which may take seconds.
 *
 * Functions here may be called from one thread at a time, in a process without other children.
 */
#ifndef PORTOLAN_WRAP_H
#define PORTOLAN_WRAP_H

#include <portolan/base.h>
#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The program to measure, and how. Strings are borrowed for the call. */
struct portolan_wrap_options {
    /** REQUIRED. "file.h", or "<file.h>" or "file.h" where the compiler's search path has it. */
    const char *header;
    /** REQUIRED. Patterns of names (fnmatch(3)); "!PATTERN" leaves out. */
    const char *const *functions;
    size_t n_functions;
    /**
     * OPTIONAL. Libraries that implement the functions; the first is used at the start. "own" means
     * the functions that the program itself would call, which is also the default.
     */
    const char *const *libraries;
    size_t n_libraries;
    /** OPTIONAL. Compiler flags that the header needs. */
    const char *const *flags;
    size_t n_flags;
    const char *port;             /**< OPTIONAL: port type, default: the header's name */
    const char *context;          /**< OPTIONAL: side file, as of <portolan/proxygen.h> */
    const char *from;             /**< OPTIONAL: as of <portolan/proxygen.h> */
    const char *compile_commands; /**< OPTIONAL: likewise */
    const char *store;            /**< OPTIONAL: default "portolan.db" */
    const char *trial;            /**< OPTIONAL: name of the trials; default: the program's */
    const char *keep;             /**< OPTIONAL: folder for what is generated, default: a cache */
    const char *compiler;         /**< OPTIONAL: command; default: the one of Portolan's build */
    const char *control;          /**< OPTIONAL: file with commands, executed when it changes */
    const char *signals;  /**< OPTIONAL: signals that are commands, as <portolan/control.h> */
    const char *settings; /**< REQUIRED: file that says where this Portolan's archives lie */
    const char *counters; /**< OPTIONAL: sets of events, as portolan_probe_counter_sets_define() */
    double interval_s;    /**< between steps; < 0: a second at first, then longer; 0: at the end */
    double rotate_s;      /**< > 0: libraries take turns of this length */
    uint32_t one_in;      /**< one call in ONE_IN is timed, all are counted; 0 or 1: each */
    bool profile;         /**< nothing is stored: the program writes TAU profiles */
    bool children;        /**< processes that the program starts are measured, too */
    char *const *program; /**< REQUIRED. The program and its arguments, ended by NULL */
};

struct portolan_wrap_result {
    /**
     * The exit status for this process: the program's status, 128 + the signal that ended it, or,
     * after a failure here, 127 (no such program), 126 (it cannot be run this way) or 125 (others).
     */
    int status;
    char *report; /**< for people; NULL when the program was not run */
};

/**
 * Runs the program. Its standard streams, signals and environment are those of an unmeasured run;
 * signals sent to this process reach it. Problems in the input are reported to DIAGNOSTICS
 * and nothing is run then. Errors after the program was started (the store is full) do not end it:
 * they are returned when it has ended. RESULT must be cleared in any case.
 *
 * PORTOLAN_ENOTFOUND: no such program, header, function or library. PORTOLAN_EUNSUPPORTED: the
 * program or a library cannot be measured (static, setuid, calls MPI); the text says why.
 * PORTOLAN_ESYNTAX: the header or side file. PORTOLAN_EINVAL, PORTOLAN_EEXISTS: options.
 * PORTOLAN_EIO, PORTOLAN_ENOMEM, and the errors of the store.
 */
enum portolan_status portolan_wrap_run(const struct portolan_wrap_options *options,
                                       struct portolan_wrap_result *result,
                                       struct portolan_diagnostics *diagnostics,
                                       struct portolan_error *err);

/**
 * Checks that something can be preloaded into the program that WORDS start, which is found as a
 * shell does, and that it is linked with the MPI of this Portolan, or with none as far as its file
 * shows. PORTOLAN_ENOTFOUND, PORTOLAN_EUNSUPPORTED; the text says why. PORTOLAN_EIO,
 * PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_wrap_check_program(char *const *words, struct portolan_error *err);

/** Frees what RESULT holds. */
void portolan_wrap_result_clear(struct portolan_wrap_result *result);

/** Compares the libraries in SET (samples of wrapped programs) in a table: time per call of each
 * function. The caller frees *TEXT. PORTOLAN_ENOMEM. */
enum portolan_status portolan_wrap_compare(const struct portolan_sample_set *set, char **text,
                                           struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
