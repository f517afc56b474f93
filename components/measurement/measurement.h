/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports of a measurement component, over the probe; their methods use no instance data. The
 * ports of package Performance are as published (version 1.7.2).
 */
#ifndef PORTOLAN_MEASUREMENT_H
#define PORTOLAN_MEASUREMENT_H

#include <portolan/control.h>
#include <portolan/framework.h>
#include <portolan/probe.h>
#include <portolan/tau.h>

#include "Performance.h"
#include "portolan.h"

extern const struct portolan_ports_Measurement__epv measurement_port_epv;
extern const struct portolan_ports_Control__epv control_port_epv;
extern const struct Performance_Measurement__epv performance_measurement_epv;
/* Writes the TAU profiles before the component goes. */
extern const struct gov_cca_ComponentRelease__epv measurement_release_epv;

/* For a class's list of the interfaces that it implements. */
#define MEASUREMENT_IMPLEMENTS                                                                     \
    {&portolan_ports_Measurement__type, &measurement_port_epv},                                    \
        {&portolan_ports_Control__type, &control_port_epv},                                        \
        {&Performance_Measurement__type, &performance_measurement_epv},                            \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &measurement_release_epv                                  \
    }

/*
 * Adds the provides ports "measurement", "control" and "MeasurementPort" of SELF, and asks to be
 * told when SELF is released.
 */
void measurement_add_ports(void *self, gov_cca_Services services, sidl_BaseInterface *_ex);

/* memory.c: stops the trackers. */
void measurement_end_trackers(void);

/* A class of one interface, whose objects are a struct STATE; DESTROY may be NULL. */
#define MEASUREMENT_CLASS(NAME, STATE, TYPE, EPV, DESTROY)                                         \
    SIDL_CLASS(NAME, "0.1", STATE, TYPE, EPV, DESTROY)

/* ------------------------------------------------- measurement_port.c: known names */

/* Start it as {0}; all is in the arena. */
struct names {
    struct portolan_arena arena;
    const char **list;
    size_t n;
};

/* Adds a copy; with IS_SET only a new name. A failure shows in the arena. */
void names_add(struct names *names, const char *name, bool is_set);

/* All names as an array, and clears NAMES; NULL with an exception when memory runs out. */
struct sidl_string__array *names_take(struct names *names, sidl_BaseInterface *_ex);

/* Throws, with the nearest name, unless WORD (a pattern if IS_PATTERN) matches one of the names. */
void names_check(const struct names *names, const char *what, const char *word, bool is_pattern,
                 sidl_BaseInterface *_ex);

/* ------------------------------------------------- package Performance */

/* All create functions return a new reference, or NULL with an exception in *_ex. */

/* timer.c; NULL strings are "". */
Performance_Timer performance_timer(const char *name, const char *type, const char *group,
                                    sidl_BaseInterface *_ex);
Performance_Phase performance_phase(const char *name, const char *type, const char *group,
                                    sidl_BaseInterface *_ex);

/* query.c */
Performance_Query performance_query(sidl_BaseInterface *_ex);

/* memory.c */
Performance_MemoryTracker performance_memory_tracker(sidl_BaseInterface *_ex);
Performance_MemoryHeadroomTracker performance_headroom_tracker(sidl_BaseInterface *_ex);

/* control_port.c: as portolan.ports.Control does it. */
extern const struct Performance_Control__epv performance_control_epv;

#endif
