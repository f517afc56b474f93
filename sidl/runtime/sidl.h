/* SPDX-License-Identifier: BSD-3-Clause */
/** SIDL run time: what generated headers and hand-written components include. */
#ifndef SIDL_H
#define SIDL_H

#include "sidl_array.h"
#include "sidl_object.h"

#include "sidl_String.h"

#include "sidl_Exception.h"

#endif
