/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only place that opens libraries. Programs made by `portolan link` do not contain this file:
 * dll.c refers to it weakly.
 */
#include <dlfcn.h>

#include "loader.h"

void *dll_open(const char *file, int flags, const char **problem)
{
    void *handle = dlopen(file, flags);
    const char *text = handle ? NULL : dlerror();

    *problem = text || handle ? text : "cannot be loaded";
    return handle;
}
