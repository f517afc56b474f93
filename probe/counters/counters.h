/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: what the texts of event sets, the threads that count (../counting.c) and the driver
 * share. */
#ifndef PORTOLAN_PROBE_COUNTERS_H
#define PORTOLAN_PROBE_COUNTERS_H

#include <portolan/probe.h>

#include <pthread.h>

#define COUNTER_SETS      16
#define COUNTER_NAME_SIZE 128
#define COUNTER_SET_SIZE  32

struct counter_event {
    int code, component;
};

/*
 * A source of events: PAPI, or one for tests. Results other than 0 are its errors. All but read are
 * called under the lock. A set belongs to the thread that opened it, and a thread runs one set of a
 * component at a time.
 */
struct counter_driver {
    int (*start)(void); /* before all else, and again in a forked child */
    int (*find)(const char *name, struct counter_event *event);
    /* Opens a set of events of one component, which does not run yet. */
    int (*open)(const struct counter_event *events, size_t n, bool multiplexed, int *set);
    int (*run)(int set); /* counts from 0 */
    void (*halt)(int set);
    void (*close)(int set);
    int (*read)(int set, uint64_t *values);
    void (*end_thread)(void);
    const char *(*text)(int error);
    /* Why NAME would always read 0 here; NULL: it would not. */
    const char *(*blind)(const char *name);
    bool (*counts_kernel)(void);
    /* One line on what there is, and all names; valid until the process ends. */
    const char *(*describe)(int start_failure);
    const char *const *(*names)(size_t *n);
};

/* papi.c; NULL in a build without PAPI. */
extern const struct counter_driver *probe_counter_driver;

/* The events of a set that one component reads. */
struct counter_part {
    size_t n;
    uint8_t at[PORTOLAN_PROBE_COUNTERS_MAX]; /* places in the set */
};

struct counter_set {
    char name[COUNTER_SET_SIZE];
    bool may_multiplex, multiplexed;
    size_t n, n_parts;
    struct counter_event events[PORTOLAN_PROBE_COUNTERS_MAX];
    unsigned slots[PORTOLAN_PROBE_COUNTERS_MAX];
    struct counter_part parts[PORTOLAN_PROBE_COUNTERS_MAX];
};

/* A definition: sets, and a slot for each name that results have. */
struct counter_table {
    struct counter_set sets[COUNTER_SETS];
    size_t n_sets, n_slots;
    char names[PORTOLAN_PROBE_COUNTERS_ALL][COUNTER_NAME_SIZE];
};

/* sets.c: reads TEXT, tries its sets on the calling thread, which must run none; under the lock. */
enum portolan_status counter_table_read(struct counter_table *table, const char *text,
                                        struct portolan_error *err);
/* Looks the events up again by their names, after the driver was restarted. */
void counter_table_find_again(struct counter_table *table);
/* OK when the driver runs, started if need be; else ERR says why not. Under the lock. */
enum portolan_status counter_driver_start(struct portolan_error *err);

/* sets.c: the definition, and the place of the set in force; a switch writes it atomically. */
#define COUNTERS_NONE (-1)
extern pthread_mutex_t probe_counters_lock;
extern struct counter_table probe_counter_table;
extern int probe_counters_in_force;
/* Forgets that the driver was started. */
void counter_driver_forget(void);

#endif
