/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the run time's own files. */
#ifndef SIDL_RUNTIME_INTERNAL_H
#define SIDL_RUNTIME_INTERNAL_H

#include "sidl.h"

#define SIDL_RUNTIME_VERSION "0.9.17" /* of the package sidl, as in sidl/spec/sidl.sidl */

/* Throws a sidl.NotImplementedException that names class, type and method. */
void sidl_exception_throw_not_implemented(const char *class_name, const char *type_name,
                                          const char *method, sidl_BaseInterface *_ex);

#endif
