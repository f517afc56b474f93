/* SPDX-License-Identifier: BSD-3-Clause */
/** SIDL run time: generated headers and hand-written components include this file. Each header
 * documents its functions; names are those of Babel 2.0's C binding. */
#ifndef SIDL_H
#define SIDL_H

#include "sidl_array.h"
#include "sidl_object.h"

#include "sidl_String.h"

#include "sidl_Exception.h"

#endif
