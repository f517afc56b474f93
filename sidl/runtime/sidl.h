/* SPDX-License-Identifier: BSD-3-Clause */
/** SIDL run time: what generated headers and hand-written components include. Contracts are stated
 * in each header; names are those of Babel 2.0's C binding. */
#ifndef SIDL_H
#define SIDL_H

#include "sidl_array.h"
#include "sidl_object.h"

#include "sidl_String.h"

#include "sidl_Exception.h"

#endif
