/* SPDX-License-Identifier: BSD-3-Clause */
/* The component's own view of itself. */
#ifndef PORTOLAN_MASTERMIND_INTERNAL_H
#define PORTOLAN_MASTERMIND_INTERNAL_H

#include <portolan/framework.h>
#include <portolan/mastermind.h>
#include <portolan/recorder.h>
#include <pthread.h>

struct routine;
struct mastermind;

/** The records port's object; it finds its Mastermind. */
struct mastermind_records {
    struct portolan_records port; /* first */
    struct mastermind *mastermind;
};

struct mastermind {
    struct sidl_object object; /* first */
    gov_cca_Services services;
    struct portolan_recorder recorder;
    struct mastermind_records records;
    bool has_cohort, has_assembly; /* uses ports that are held */
    bool ever_attached;            /* alike on all ranks */
    bool has_warned;               /* of the step before this one, that it was lost */
    portolan_ports_Measurement measurement;

    pthread_mutex_t lock; /* of what follows */
    struct routine *routines;
    char *counters; /* parameter; NULL or empty: none */
    bool counters_chosen;
};

/** portolan.ports.Monitor, over the probe. */
extern const struct portolan_ports_Monitor__epv mastermind_monitor_epv;

/** Frees what the Monitor port keeps. */
void mastermind_monitor_clear(struct mastermind *m);

/**
 * What is connected to "measurement", borrowed, or NULL. The reference taken at the first look is
 * kept until the end: a clock that is released earlier must not empty the probe before.
 */
portolan_ports_Measurement mastermind_peek_measurement(struct mastermind *m);

/** The operations of the records port. */
extern const struct portolan_records_ops mastermind_records_ops;

#endif
