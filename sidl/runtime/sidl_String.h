/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources written for Babel's C binding include this name. */
#ifndef SIDL_STRING_H
#define SIDL_STRING_H

#include "sidl.h"

#endif
