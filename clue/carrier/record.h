/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A record of a run: what each rank computed and asked for, one after the other. It gives the times
 * of computing to other runs (--compute table), and it can be replayed without the program on other
 * machines.
 *
 * A file is RECORD_MAGIC and numbers as LEB128 (DWARF 5, 7.6): ranks, the number of operations that
 * depended on the order in time, words of the program (each its length and bytes), routines (1 if
 * observers are not notified of it, else 0, then likewise), contexts, communicators and windows
 * (each its id, members and remote members), and for each rank the bytes of its operations, and how
 * many schedules it had, and the bytes of each. An operation is its kind and the numbers that
 * operation_forms lists.
 */
#ifndef PORTOLAN_CLUE_RECORD_H
#define PORTOLAN_CLUE_RECORD_H

#include "internal.h"
#include "operation.h"

#include <portolan/command.h>

#define RECORD_MAGIC "CLUEREC8"

/* Begins recording; returns false without memory. */
bool record_begin(struct carrier *c);
/* Records an operation of the current rank, as operation_forms says; call it only while the run is
 * recorded. Requests are numbered by rank (or schedule); freed numbers are reused. */
void record_operation(const struct carrier *c, const struct operation *o);
/* Returns the observer to use while the run is recorded: it records events, and passes them on to
 * the run's own observer. */
const struct portolan_mpi_observer *record_observer(void);
/* Writes the record to the run's file. EIO, ENOMEM. */
enum portolan_status record_write(const struct carrier *c, struct portolan_error *err);
void record_end(struct carrier *c);

/* Reads the bytes of a rank. */
struct record_reader {
    const uint8_t *at, *end;
};
uint64_t record_long_number(struct record_reader *reader);
/* Returns the next number, most of which are one byte; 0 at the end, which is no operation. */
static inline uint64_t record_number(struct record_reader *reader)
{
    return reader->at < reader->end && *reader->at < 0x80 ? *reader->at++
                                                          : record_long_number(reader);
}
/* Skips an operation of KIND; returns the bytes of a send, else 0. */
uint64_t record_skip(struct record_reader *reader, uint64_t kind);
/* Returns the communicator COMM of an event as the rank sees it: its neighbours follow up to END.
 * The caller frees it. NULL: the record is damaged, or there is no memory. */
struct portolan_mpi_comm *record_comm_with_neighbours(struct record_reader *r,
                                                      const struct portolan_mpi_comm *comm,
                                                      const uint8_t *end);
/* Returns the place of what is read next; it grows. */
static inline uint64_t record_place(const struct record_reader *reader)
{
    return UINT64_MAX - (uint64_t)(reader->end - reader->at);
}

/* Operations of a rank, and of its schedules. */
struct record_rank {
    struct record_reader own, *schedules;
    size_t n_schedules;
};

/* A record that was read. */
struct record {
    struct portolan_arena arena; /* owns all but the bytes */
    const uint8_t *bytes;        /* contents of the file */
    size_t n_bytes;
    int n;              /* number of ranks */
    uint64_t n_depends; /* operations that depended on the order in time */
    char **words;       /* words of the program; the last is NULL */
    struct clue_routine *routines;
    size_t n_routines;
    uint64_t *contexts;
    size_t n_contexts;
    struct portolan_mpi_comm *comms[2]; /* communicators, and windows */
    size_t n_comms[2];
    struct record_rank *ranks;
};
/* Returns whether the file begins as a record does. */
bool record_is_at(const char *path);
/* Reads a record. EIO, ESYNTAX, ENOMEM. */
enum portolan_status record_read(const char *path, struct record *record,
                                 struct portolan_error *err);
void record_clear(struct record *record);

/* table.c: bursts of a record by rank, call site and occurrence. */
enum portolan_status clue_table_begin(struct carrier *c, struct portolan_error *err);
int64_t clue_table_ns(struct clue_table *table, int rank, uint64_t site);
/* Frees the table; returns how many bursts it did not have. */
uint64_t clue_table_end(struct carrier *c);

/* Bursts of ranks, and the sites where they ended. */
struct record_bursts {
    struct record_burst {
        uint64_t site;
        uint64_t place; /* its place in the rank's record */
        uint64_t like;  /* a hash: equal for bursts with equal calls around them, and data sent */
        int64_t ns;
    } * bursts;
    size_t n, room;
};
/* Returns the bursts of each rank of RECORD, by site, then by place; NULL: no memory. */
struct record_bursts *record_bursts_of(const struct record *record);
/* Returns the same, but bursts that repeat take the median of those near them, of one rank. */
struct record_bursts *record_medians_of(const struct record *record);
void record_bursts_free(struct record_bursts *ranks, int n);
/* Returns the time of the burst of SITE at PLACE. */
int64_t record_burst_at(const struct record_bursts *b, uint64_t site, uint64_t place);
/* Returns the index of the first burst of a site, or of a site after it. */
size_t record_first_burst(const struct record_bursts *b, uint64_t site);

/* replay.c: runs the record on the engine, without the program. MEDIANS (or NULL) replace the
 * bursts, by rank. Returns false if the record is damaged. */
bool clue_replay(struct clue_engine *engine, const struct record *record,
                 const struct record_bursts *medians, int *verdict);

/* Returns the share of waiting in RECORD that is gone if bursts that repeat take their medians, on
 * the run's machine. NAN: nothing waits, no memory, or the record depends on time. */
double clue_repeated_share(const struct clue_run *run, const struct record *record);
/* Computes the times of N repetitions of RECORD, in order, on the machine of a file (NULL: on the
 * run's), without an observer. EINVAL, ENOMEM. */
enum portolan_status clue_repeat(const struct clue_run *run, const char *machine,
                                 const struct record *record, size_t n, double *ends,
                                 struct portolan_error *err);
/* Computes the same by N runs of the program. WORDS begin the command that makes each run; its
 * number follows as --repetition, and MORE end it. Without a table the runs are measured. Files are
 * put into FOLDER. EINVAL, and those of the commands. */
enum portolan_status clue_repeat_program(const struct portolan_words *words,
                                         const struct portolan_words *more, const char *folder,
                                         size_t n, double *ends, struct portolan_error *err);

#endif
