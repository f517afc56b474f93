/* SPDX-License-Identifier: BSD-3-Clause */
/** Loading classes by name: shared by dll.c, dll_open.c and loader.c. */
#ifndef SIDL_LOADER_H
#define SIDL_LOADER_H

#include <portolan/base.h>

#include "runtime_internal.h"

#include "sidl_DLL.h"

/* The class of that name in the library, or NULL. If it is found, the library stays in memory. */
const struct sidl_class *dll_find_class(sidl_DLL dll, const char *class_name);
/* Why loadLibrary failed last; belongs to DLL. */
const char *dll_peek_error(sidl_DLL dll);

/* The class of that name in the program and its libraries, or NULL. */
const struct sidl_class *dll_find_linked_class(const char *class_name);

/* dlopen(); on NULL the cause is in *PROBLEM. Programs made by `portolan link` do not have it. */
void *dll_open(const char *file, int flags, const char **problem);

#endif
