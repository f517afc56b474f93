/* SPDX-License-Identifier: BSD-3-Clause */
/* The ports of a measurement component, over the probe; their methods use no instance data. */
#ifndef PORTOLAN_MEASUREMENT_PORT_H
#define PORTOLAN_MEASUREMENT_PORT_H

#include "portolan.h"

extern const struct portolan_ports_Measurement__epv measurement_port_epv;
extern const struct portolan_ports_Control__epv control_port_epv;
/* Writes the TAU profiles before the component goes. */
extern const struct gov_cca_ComponentRelease__epv measurement_release_epv;

/* In a class's list of what it implements. */
#define MEASUREMENT_IMPLEMENTS                                                                     \
    {&portolan_ports_Measurement__type, &measurement_port_epv},                                    \
        {&portolan_ports_Control__type, &control_port_epv},                                        \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &measurement_release_epv                                  \
    }

/* Adds the provides ports "measurement" and "control" of SELF, and asks to be told of the end. */
void measurement_add_ports(void *self, gov_cca_Services services, sidl_BaseInterface *_ex);

#endif
