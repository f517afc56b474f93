/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file in memory that a wrapped process and `portolan wrap` share. `portolan wrap` makes it;
 * the wrapped process maps it and keeps no descriptor of it. One area per process.
 *
 * Snapshots hold totals, so that only the newest counts: the process writes into one of three slots
 * and publishes it, and never waits. Data that must not get lost (names of methods, notes,
 * switches) go to a log that only grows. Published data stay, in whatever way the process ends.
 */
#ifndef WRAP_SHARED_H
#define WRAP_SHARED_H

#include <portolan/probe.h>

#include <stdbool.h>

enum {
    WRAP_SLOTS = 3,
    WRAP_RECORDS = 32768, /* call-path records of a process; later ones are not kept */
    WRAP_LOG_BYTES = 4 << 20,
    WRAP_TEXT_BYTES = 32 << 10,
    WRAP_COMMAND_BYTES = 64 << 10,
    WRAP_ANSWER_BYTES = 16 << 10,
    WRAP_AREAS = 256 /* processes, if children are measured, too */
};

#define WRAP_MAGIC  UINT64_C(0x70617277746f7270)
#define WRAP_NOBODY UINT64_MAX

/* "DESCRIPTOR PROCESS DEVICE INODE": the file as the measuring process holds it. */
#define WRAP_VARIABLE "PORTOLAN_WRAP"

enum wrap_state {
    WRAP_STARTED = 1, /* is being measured */
    WRAP_REFUSED,     /* cannot be measured: a note says why, and the process has ended */
    WRAP_REPLACED,    /* about to be another program, by exec */
    WRAP_LEFT         /* about to end by itself */
};

/* The texts of the orders. */
enum wrap_order {
    WRAP_ORDER_PRELOAD,  /* LD_PRELOAD that the program is to see, if had_preload */
    WRAP_ORDER_USER,     /* the calling instance, in records */
    WRAP_ORDER_CONTROL,  /* where commands come from, for messages */
    WRAP_ORDER_COUNTERS, /* sets of events to count; "": none */
    WRAP_ORDER_PAPI,     /* shared object that reads the counters */
    WRAP_ORDER_LIBRARIES /* each: name in the records, file; "" for the program's own */
};

/* Entries of the log; their bytes are texts, each ended by NUL, unless said otherwise. */
enum wrap_entry_kind {
    WRAP_METHOD = 1, /* struct wrap_method, then user, uses, provider, provides, class, type, name,
                        names of contexts */
    WRAP_NOTE,       /* a message for the user */
    WRAP_SWITCH,     /* port, from, to, outcome */
    WRAP_OBJECT      /* a shared object that is loaded */
};

struct wrap_entry {
    uint32_t kind, size_bytes; /* the size includes this struct and is a multiple of 8 */
};

struct wrap_method {
    uint32_t handle, n_context, real_contexts, reserved;
};

struct wrap_slot {
    uint64_t count;
    double now_ns;
    uint32_t threads;
    uint32_t is_cut; /* there were more records than a slot holds */
    struct portolan_probe_record records[WRAP_RECORDS];
};

/* Orders for all processes, written before the first is started; only members marked as atomic and
 * the command change later. */
struct wrap_orders {
    uint64_t magic;
    double interval_s; /* between two snapshots; 0: only at the end */
    double rotate_s;   /* length of a turn of a library; 0: they take no turns */
    uint32_t with_children, profile;
    uint32_t n_libraries;
    uint32_t n_areas;
    uint32_t had_preload, takes_commands;
    uint32_t one_in, unused;       /* one call in ONE_IN is timed */
    int32_t processes[WRAP_AREAS]; /* the process of each area, 0: free. Atomic. */
    uint32_t command_number;       /* of the newest, 0: none yet. Atomic. */
    uint32_t n_without_room;       /* processes that could not map their area. Atomic. */
    uint32_t n_without_area;       /* processes that found no free area. Atomic. */
    char command[WRAP_COMMAND_BYTES];
    char text[WRAP_TEXT_BYTES]; /* enum wrap_order, each ended by NUL */
};

/* The rank of a process in a job; size 0: it is no rank. */
struct wrap_job {
    int32_t rank, size;
    char name[120]; /* unique for the job, equal in all its ranks */
};

struct wrap_area {
    _Alignas(4096) uint64_t published; /* number of the snapshot × 4 + slot; 0: none yet. Atomic. */
    uint64_t reading;                  /* the slot that is being read, or WRAP_NOBODY. Atomic. */
    uint64_t log_bytes;                /* Atomic: all up to here is complete */
    uint32_t request;                  /* futex: a snapshot is wanted now, or a command is given */
    uint32_t state;                    /* enum wrap_state, 0: free. Atomic. */
    int32_t process, parent;
    struct wrap_job job;
    uint32_t log_is_full;
    uint32_t has_profiles;  /* TAU profiles were written */
    double began_ns;        /* clock of the records */
    uint32_t answer_number; /* of the command that was obeyed last. Atomic. */
    int32_t answer_status;
    char answer[WRAP_ANSWER_BYTES];
    char program[4096];
    uint64_t log[WRAP_LOG_BYTES / 8];
    struct wrap_slot slots[WRAP_SLOTS];
};

struct wrap_file {
    _Alignas(4096) struct wrap_orders orders;
    struct wrap_area areas[];
};

#endif
