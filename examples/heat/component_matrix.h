/* SPDX-License-Identifier: BSD-3-Clause */
/* The object behind heat.Matrix, as assemblers make it. */
#ifndef HEAT_COMPONENT_MATRIX_H
#define HEAT_COMPONENT_MATRIX_H

#include "heat.h"
#include "heat_matrix_data.h"

struct heat_matrix_object {
    struct sidl_object object;
    struct heat_matrix data;
};

/** A new, empty one, the caller's reference; NULL with an exception when memory runs out. */
struct heat_matrix_object *heat_matrix_object_create(sidl_BaseInterface *_ex);

#endif
