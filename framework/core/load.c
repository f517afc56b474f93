/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components in shared objects. These are never closed, because their objects, exceptions or
 * threads may live on, and leak reports need their symbol names. instances.c says why this is a
 * separate file.
 */
#include "internal.h"

#include <portolan/shared_object.h>

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
                                  "class '%s': there is no %s %s; build or install it, "
                                  "or correct the attribute '%s' in %s:%d",
                                  class->class_name,
                                  palette_is_python(class) ? "module" : "shared object",
                                  class->library, palette_is_python(class) ? "module" : "library",
                                  class->file, class->line);
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

/* The file that defines SYMBOL in this program; NULL: none. */
static const char *file_of(const char *symbol)
{
    void *address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

static bool defines(const struct shared_object *o, const char *symbol)
{
    for (size_t i = 0; o->defined[i]; i++)
        if (strcmp(o->defined[i], symbol) == 0)
            return true;
    return false;
}

/* The object that FILE needs and that brings an MPI other than OURS, in the arena; NULL: none. */
static const char *find_other_mpi(struct shared_search *s, const char *file, const char *ours)
{
    struct shared_closure closure = {.without_loaded = true};

    if (shared_closure_read(s, file, &closure, NULL) != PORTOLAN_OK)
        return NULL; /* the dynamic linker will report why */
    for (size_t i = 0; i < closure.n; i++)
        if (defines(&closure.objects[i], "PMPI_Init") &&
            !shared_object_is_same(closure.objects[i].file, ours))
            return closure.objects[i].file;
    return NULL;
}

static enum portolan_status refuse_mpi(const struct portolan_class_description *class,
                                       const char *theirs, const char *ours,
                                       struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EFOREIGN,
                              "class '%s': %s is linked with another MPI, %s, than this program, "
                              "%s; link it with that one, or build Portolan with its MPI "
                              "(./configure --with-mpi=mpich|openmpi)",
                              class->class_name, class->library, theirs, ours);
}

/*
 * Handles of one MPI mean nothing to another, and the second one would not be initialised. This is
 * checked before loading, because C++ constructors may call MPI, which ends the process.
 */
static enum portolan_status check_mpi(const struct portolan_class_description *class,
                                      struct portolan_error *err)
{
    const char *ours = file_of("PMPI_Init"), *theirs;
    enum portolan_status status = PORTOLAN_OK;
    struct shared_search s;

    if (!ours || shared_object_is_loaded(class->library))
        return PORTOLAN_OK;
    shared_search_begin(&s);
    theirs = find_other_mpi(&s, class->library, ours);
    if (theirs)
        status = refuse_mpi(class, theirs, ours, err);
    shared_search_end(&s);
    return status;
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
    if (access(class->library, F_OK) == 0 && palette_is_python(class))
        return python_load(class, component, err);
    if ((status = check_mpi(class, err)) != PORTOLAN_OK ||
        (status = open_library(class, &handle, err)) != PORTOLAN_OK)
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
