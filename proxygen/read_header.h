/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROXYGEN_READ_HEADER_H
#define PROXYGEN_READ_HEADER_H

#include "declare.h"

/* True for a pointer, const or not, to the port's struct OBJECT. */
bool proxygen_is_object(struct header *h, CXType type, CXType object);

/* Makes the model's methods of the members of the table of operations. */
enum portolan_status proxygen_read_methods(struct header *h, const CXCursor *fields,
                                           size_t n_fields, CXType object);

#endif
