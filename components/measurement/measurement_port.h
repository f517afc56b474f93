/* SPDX-License-Identifier: BSD-3-Clause */
/* The ports of a measurement component, over the probe; their methods use no instance data. */
#ifndef PORTOLAN_MEASUREMENT_PORT_H
#define PORTOLAN_MEASUREMENT_PORT_H

#include "Performance.h"
#include "portolan.h"

extern const struct portolan_ports_Measurement__epv measurement_port_epv;
extern const struct portolan_ports_Control__epv control_port_epv;
extern const struct Performance_Measurement__epv performance_measurement_epv;
/* Writes the TAU profiles before the component goes. */
extern const struct gov_cca_ComponentRelease__epv measurement_release_epv;

/* In a class's list of what it implements. */
#define MEASUREMENT_IMPLEMENTS                                                                     \
    {&portolan_ports_Measurement__type, &measurement_port_epv},                                    \
        {&portolan_ports_Control__type, &control_port_epv},                                        \
        {&Performance_Measurement__type, &performance_measurement_epv},                            \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &measurement_release_epv                                  \
    }

/*
 * Adds the provides ports "measurement", "control" and "MeasurementPort" of SELF, and asks to be
 * told of the end.
 */
void measurement_add_ports(void *self, gov_cca_Services services, sidl_BaseInterface *_ex);

/* memory.c: nothing is tracked any more. */
void measurement_end_trackers(void);

#endif
