/* SPDX-License-Identifier: BSD-3-Clause */
/* SIDL run time: sources written for Babel's C binding include this header for the types below. */
#ifndef SIDL_BASECLASS_H
#define SIDL_BASECLASS_H

#include "sidl.h"
#include "sidl_ClassInfo.h"
#include "sidl_RuntimeException.h"
#include "sidl_rmi_ProtocolFactory.h" /* which some call without including it */

#endif
