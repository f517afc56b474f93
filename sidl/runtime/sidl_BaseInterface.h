/* SPDX-License-Identifier: BSD-3-Clause */
/* SIDL run time: sources written for Babel's C binding include this header for the types below. */
#ifndef SIDL_BASEINTERFACE_H
#define SIDL_BASEINTERFACE_H

#include "sidl.h"
#include "sidl_ClassInfo.h"
#include "sidl_RuntimeException.h"

#endif
