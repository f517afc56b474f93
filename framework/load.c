/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components in shared objects. Those are never closed again: objects, exceptions or threads of
 * theirs may live on, and leak reports keep their names. A file by itself: see library.c.
 */
#include "internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum portolan_status open_library(const struct portolan_class_description *class,
                                         void **handle, struct portolan_error *err)
{
    const char *cause;

    if (access(class->library, F_OK) != 0)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "class '%s': there is no shared object %s; build or install it, "
                                  "or correct the attribute 'library' in %s:%d",
                                  class->class_name, class->library, class->file, class->line);
    *handle = dlopen(class->library, RTLD_NOW | RTLD_LOCAL);
    if (*handle)
        return PORTOLAN_OK;
    cause = dlerror();
    return portolan_error_set(err, PORTOLAN_EFOREIGN,
                              "class '%s': cannot load %s: %s; rebuild it, or install what it "
                              "needs (see: ldd %s)",
                              class->class_name, class->library, cause ? cause : "unknown cause",
                              class->library);
}

/* The file that SYMBOL comes from, as seen from HANDLE; NULL: from none. */
static const char *file_of(void *handle, const char *symbol)
{
    void *address = dlsym(handle, symbol);
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

/* Handles of one MPI mean nothing to another, and nobody has initialised the second one. */
static enum portolan_status check_mpi(const struct portolan_class_description *class, void *handle,
                                      struct portolan_error *err)
{
    const char *ours = file_of(RTLD_DEFAULT, "PMPI_Init"), *theirs = file_of(handle, "PMPI_Init");

    if (!ours || !theirs || strcmp(ours, theirs) == 0)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EFOREIGN,
                              "class '%s': %s is linked with another MPI, %s, than this program, "
                              "%s; link it with that one, or build Portolan with its MPI "
                              "(./configure --with-mpi=mpich|openmpi)",
                              class->class_name, class->library, theirs, ours);
}

enum portolan_status library_load(const struct portolan_class_description *class,
                                  const struct portolan_component **component,
                                  struct portolan_error *err)
{
    char symbol[400];
    void *handle;
    enum portolan_status status;

    if ((size_t)snprintf(symbol, sizeof symbol, "portolan_component_%s", class->class_name) >=
        sizeof symbol)
        return portolan_error_set(err, PORTOLAN_EINVAL, "class name '%.60s…' is too long",
                                  class->class_name);
    for (char *dot = symbol; (dot = strchr(dot, '.'));)
        *dot = '_';
    if ((status = open_library(class, &handle, err)) != PORTOLAN_OK ||
        (status = check_mpi(class, handle, err)) != PORTOLAN_OK)
        return status;
    *component = dlsym(handle, symbol);
    if (!*component)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "class '%s': %s is no Portolan component of this class: it "
                                  "exports no '%s'; export that descriptor, or correct %s:%d",
                                  class->class_name, class->library, symbol, class->file,
                                  class->line);
    return PORTOLAN_OK;
}
