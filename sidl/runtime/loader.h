/* SPDX-License-Identifier: BSD-3-Clause */
/** Loading classes by name: shared by dll.c, dll_open.c and loader.c. */
#ifndef SIDL_LOADER_H
#define SIDL_LOADER_H

#include <portolan/base.h>

#include "runtime_internal.h"

#include "sidl_DLL.h"

/* The class that the library implements, NULL when it does not; the library then stays in memory.
 */
const struct sidl_class *dll_find_class(sidl_DLL dll, const char *class_name);
/* Why loadLibrary failed last; belongs to DLL. */
const char *dll_peek_error(sidl_DLL dll);

/* The class in the program and what it links, NULL when it is not there. */
const struct sidl_class *dll_find_linked_class(const char *class_name);

/* dlopen; NULL with the cause in *PROBLEM. Not there in a program with everything linked in. */
void *dll_open(const char *file, int flags, const char **problem);

#endif
