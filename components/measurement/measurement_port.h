/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ports.Measurement over the probe; the methods use no instance data. */
#ifndef PORTOLAN_MEASUREMENT_PORT_H
#define PORTOLAN_MEASUREMENT_PORT_H

#include "portolan.h"

extern const struct portolan_ports_Measurement__epv measurement_port_epv;

#endif
