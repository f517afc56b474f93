/* SPDX-License-Identifier: BSD-3-Clause */
/* The component's own view of itself. */
#ifndef PORTOLAN_MASTERMIND_INTERNAL_H
#define PORTOLAN_MASTERMIND_INTERNAL_H

#include <portolan/framework.h>
#include <portolan/mastermind.h>
#include <portolan/recorder.h>
#include <pthread.h>

#include "Performance.h"

struct routine;
struct mastermind;

/** The records port's object, which leads to its Mastermind. */
struct mastermind_records {
    struct portolan_records port; /* first */
    struct mastermind *mastermind;
};

/** The values of the parameters. */
struct mastermind_settings {
    bool has_rows, rotates, has_begun;
    double group_s;       /* -1: not given */
    size_t memory_bytes;  /* for rows */
    uint64_t spill_bytes; /* likewise */
    char *begin, *end;    /* commands to ports: when the Mastermind begins, and when it ends */
};

struct mastermind {
    struct sidl_object object; /* first */
    gov_cca_Services services;
    struct portolan_recorder recorder;
    struct mastermind_settings settings;
    struct mastermind_records records;
    const struct portolan_error *failure; /* of the program */
    bool ever_attached;                   /* alike on all ranks */
    bool has_warned;                      /* that the step before this one was lost */
    portolan_ports_Measurement measurement;

    pthread_mutex_t lock; /* of what follows */
    struct routine *routines;
    size_t rows_bytes; /* of all of them */
    char *counters;    /* parameter; NULL or empty: none */
    bool counters_chosen;
};

/** portolan.ports.Monitor, over the probe. */
extern const struct portolan_ports_Monitor__epv mastermind_monitor_epv;

/**
 * To be called when somebody measures for the Mastermind, which then has a trial. Chooses the
 * counters if any are asked for, which may be refused; true if they were chosen.
 */
bool mastermind_begin(struct mastermind *m, sidl_BaseInterface *_ex);

/** Performance.Monitor and Performance.PerfParam: records by name. */
extern const struct Performance_Monitor__epv mastermind_performance_epv;
extern const struct Performance_PerfParam__epv mastermind_perfparam_epv;

/** Writes the records that have a file and rows that are not in it; an exception on failure. */
void mastermind_write_routines(struct mastermind *m, sidl_BaseInterface *_ex);
/** Frees the records. */
void mastermind_clear_routines(struct mastermind *m);

/**
 * The port connected to "measurement", borrowed, or NULL. The reference taken at the first call is
 * kept until the end: a clock that is released earlier must not empty the probe before.
 */
portolan_ports_Measurement mastermind_peek_measurement(struct mastermind *m);

/** Reads the parameters, all but `store` and `counters`; the recorder is open. */
void mastermind_settings_read(struct mastermind *m, gov_cca_TypeMap properties,
                              sidl_BaseInterface *_ex);

/** Makes room for rows, and asks ports, present and future, for rows and sampling. */
void mastermind_settings_begin(struct mastermind *m, sidl_BaseInterface *_ex);

/** Before the first step, when the clock is there: how long groups of steps last. */
void mastermind_settings_group(struct mastermind *m);

/** Takes that back and frees the settings. */
void mastermind_settings_end(struct mastermind *m);

/* Rank 0, before the trial ends: warns of patterns of rows and sampling that no port matched. */
void mastermind_settings_check(struct mastermind *m);

/** The operations of the records port. */
extern const struct portolan_records_ops mastermind_records_ops;

#endif
