/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of a routine that is monitored by name: a row per invocation, and its file. Not for
 * several threads at once.
 */
#ifndef PORTOLAN_MASTERMIND_ROUTINE_H
#define PORTOLAN_MASTERMIND_ROUTINE_H

#include <portolan/probe.h>

/* Elapsed, MPI and computing time. */
#define ROUTINE_TIMES   3
#define ROUTINE_COLUMNS (PORTOLAN_PROBE_CONTEXTS + ROUTINE_TIMES + PORTOLAN_PROBE_COUNTERS_ALL)

struct routine {
    struct routine *next;
    char *name, *file; /* FILE: NULL unless it was given */
    /*
     * Timers' handles. The names of the parameters are known at the first stop only: until then
     * NAMED is 0; it begins a record that keeps their means.
     */
    uint32_t plain, named;

    /* Known from the first row on: names of the columns, parameters first. */
    bool has_columns;
    unsigned n_parameters, n_counters;
    char *columns[ROUTINE_COLUMNS];

    double *rows; /* n_columns each, in order of their ends */
    size_t n, capacity;
    uint64_t left_out; /* rows for which there was no room */
    uint64_t ended,
        written_to; /* invocations since the record began; how many of these its file has */
};

enum portolan_status routine_create(const char *name, struct routine **routine,
                                    struct portolan_error *err);
void routine_destroy(struct routine *r);

/* Known from the first row on. */
unsigned routine_columns(const struct routine *r);

/*
 * Checks whether an invocation with these parameters can be a row. The first one names the columns
 * and the timer's parameters.
 */
enum portolan_status routine_check(struct routine *r, const char *const *names, unsigned n,
                                   struct portolan_error *err);

/* Forgets the columns again, while there is no row. */
void routine_unname(struct routine *r);

/*
 * Adds a row, or only counts it when all rows together (*BYTES, which is kept up to date) would be
 * more than LIMIT. False for the first that is left out.
 */
bool routine_add(struct routine *r, const double *values,
                 const struct portolan_probe_activation *took, size_t *bytes, size_t limit);

/* Forgets the rows. */
void routine_empty(struct routine *r, size_t *bytes);

/* Writes the record of RANK of RANKS to PATH as a whole. */
enum portolan_status routine_write(struct routine *r, const char *path, int rank, int ranks,
                                   struct portolan_error *err);

/* The path of its file: FILE, else the record's own, else one made of its name; then the rank. */
char *routine_path(const struct routine *r, const char *file, int rank);

#endif
