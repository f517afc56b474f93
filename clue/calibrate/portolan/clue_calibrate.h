/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_calibrate: makes a machine file from micro-benchmarks between two ranks
 * (portolan-calibrate): quartiles of interleaved rounds, their standard errors, and laws with as
 * few points as fit them. Nothing here prints or exits; programs measure.
 */
#ifndef PORTOLAN_CLUE_CALIBRATE_H
#define PORTOLAN_CLUE_CALIBRATE_H

#include <portolan/base.h>
#include <portolan/clue_machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The measurements of one kind ("half": half a round trip) and size. */
struct clue_sample {
    const char *kind;
    uint64_t bytes;
    size_t n;
    double *ns;              /**< times in the order of rounds */
    double value, std_error; /**< VALUE: lower quartile, as disturbances only add time */
};

struct clue_samples {
    size_t n;
    struct clue_sample *sample; /**< ordered by kind, then by bytes */
    const char *hosts[2];       /**< where the ranks were */
    const char *library;
    struct portolan_arena arena;
};

/** Reads the benchmark's lines. Free *SAMPLES with clue_samples_destroy(). EIO, ESYNTAX, ENOMEM. */
enum portolan_status clue_samples_read(const char *path, struct clue_samples **samples,
                                       struct portolan_error *err);
/** Frees samples; NULL is legal. */
void clue_samples_destroy(struct clue_samples *samples);
enum { CLUE_MOST_COMBINED = 8 };
/** Replaces the values of ALL[0] by medians over N runs: a program that is started again finds its
 * buffers elsewhere in memory, and then small messages take up to a tenth more or less. */
void clue_samples_combine(struct clue_samples *const *all, size_t n);
/** Returns the samples of KIND, *N of them by bytes; NULL: there are none. */
const struct clue_sample *clue_samples_of(const struct clue_samples *samples, const char *kind,
                                          size_t *n);
/** Returns the sample of so many BYTES; NULL: it was not measured. */
const struct clue_sample *clue_sample_at(const struct clue_samples *samples, const char *kind,
                                         uint64_t bytes);

/**
 * Makes the law of KIND: a line between the quartiles of the smallest and the largest size. While
 * it misses quartiles by more than 2 % and two standard errors, the one that it misses most becomes
 * a point. Points are in ARENA. ENOTFOUND: there is no such kind; ENOMEM.
 */
enum portolan_status clue_law_of(const struct clue_samples *samples, const char *kind,
                                 struct portolan_arena *arena, struct clue_law *law,
                                 struct portolan_error *err);

/** A pattern that no parameter was fitted to: times of real runs, of a virtual one, and of one in
 * which computing takes no time. */
struct clue_check {
    const struct clue_samples *const *real;
    size_t n_real;
    const struct clue_samples *virtual, *idle;
};
/** Relative errors out of sample, of N comparisons: deviations of normal distributions that have
 * 90 % of the logarithms within the same bounds. 0: not known. */
struct clue_errors {
    double computing, communication;
    size_t n;
};
/** Estimates *ERRORS, which include differences of real runs and a bias of the file. False: no
 * memory. */
bool clue_check_errors(const struct clue_check *check, struct clue_errors *errors);
/** Adds a table of the patterns to OUT, virtual times next to real ones (medians of all runs), and
 * the errors FOUND. */
void clue_check_add(const struct clue_check *check, const struct clue_errors *found,
                    struct portolan_text *out);

struct clue_calibration {
    const struct clue_samples *between; /**< ranks on two hosts; NULL: there is only one host */
    const struct clue_samples *within;  /**< two ranks of a host; NULL: each has its own host */
    const char *name;                   /**< name of the machine */
    const char *created;                /**< a date, or NULL */
    const char *processor;              /**< or NULL */
    int n_hosts;
    unsigned cpus; /**< processors of each host */
    double factor; /**< factor of computing, relative to this machine; 1 for this machine */
    double factor_error;
    struct clue_errors errors; /**< result of the check; 0: there was none */
};

/**
 * Writes the machine file to *TEXT, for free(). Send and receive delays are the times of the calls;
 * the transmission is the rest of half a round trip, so that a virtual ping-pong takes what the
 * real one took. EINVAL: something was not measured; ENOMEM.
 */
enum portolan_status clue_calibration_write(const struct clue_calibration *calibration, char **text,
                                            struct portolan_error *err);

/** How a machine is measured. Strings are borrowed for the call. */
struct clue_calibrate_options {
    const char *output;   /**< REQUIRED. The machine file to write */
    const char *name;     /**< REQUIRED. Of the machine */
    const char *hostfile; /**< names two hosts, one per line; NULL: this one */
    const char *factor;   /**< "there:here", as clue_factor_read(); or NULL */
    const char *samples;  /**< of an earlier measurement, which is not made then; or NULL */
    const char *mpiexec;  /**< REQUIRED, and the programs that measure and … */
    const char *measure;  /**< … (portolan-calibrate) … */
    const char *patterns; /**< … check (portolan-patterns) … */
    const char *command;  /**< … and run in virtual time (portolan); NULL, if they do not run */
    int seconds, cpus;    /**< REQUIRED. For how long; of a host */
    bool has_no_check;
};
/**
 * Measures, writes the file and checks it. *REPORT, which the caller frees: the table of the check;
 * NULL: there is none. PORTOLAN_EINVAL: hosts, factor, or something was not measured;
 * PORTOLAN_EFOREIGN: a program failed; PORTOLAN_EIO, PORTOLAN_ESYNTAX, PORTOLAN_ENOMEM.
 */
enum portolan_status clue_calibrate(const struct clue_calibrate_options *options, char **report,
                                    struct portolan_error *err);
/** The performance factor of TIMES, those of one program there and here ("13.1,13.4:10.2,10.3"),
 * and its standard error: of medians. PORTOLAN_EINVAL, PORTOLAN_ENOMEM. */
enum portolan_status clue_factor_read(const char *times, double *factor, double *error,
                                      struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
