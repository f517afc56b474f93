/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs have MPI_* functions of their own (profiling, checks, compression), which call PMPI_*.
 * They are to be called as without the wrappers: those of libraries come after the wrappers, by
 * way of mpi_next[]; those of the program itself come first, and their PMPI_* are made MPI_*.
 */
#include "internal.h"
#include "redirect.h"

#include <dlfcn.h>
#include <string.h>

mpi_function *mpi_next[MPI_ROUTINES];
bool mpi_has_next;

static const void *object_of(const void *function)
{
    Dl_info info;

    return dladdr(function, &info) ? info.dli_fbase : NULL;
}

void mpi_find_next(void)
{
    for (int i = 0; i < MPI_ROUTINES; i++) {
        char name[64] = "P";
        void *function, *own;

        strncat(name, mpi_routine_names[i], sizeof name - 2);
        function = dlsym(RTLD_NEXT, name + 1);
        own = dlsym(RTLD_NEXT, name);
        if (!function || !own || object_of(function) == object_of(own))
            function = NULL;
        memcpy(&mpi_next[i], &function, sizeof function);
        mpi_has_next = mpi_has_next || mpi_next[i];
    }
}

/* -- the program itself -- */

static void *wrappers; /* the shared object that holds this */

static void *wrapper_of(const char *name)
{
    return strncmp(name, "PMPI_", 5) == 0 ? dlsym(wrappers, name + 1) : NULL;
}

static bool defines_any(const void *object)
{
    for (int i = 0; i < MPI_ROUTINES; i++) {
        void *first = dlsym(RTLD_DEFAULT, mpi_routine_names[i]);

        if (first && first != dlsym(wrappers, mpi_routine_names[i]) && object_of(first) == object)
            return true;
    }
    return false;
}

/* Not in a program that the wrappers are linked into: there they would call themselves, and nothing
 * may ask for dlopen(), so that it is looked up. */
__attribute__((constructor)) static void bind_program(void)
{
    const struct link_map *program = _r_debug.r_map;
    void *(*open)(const char *file, int mode), *found = dlsym(RTLD_DEFAULT, "dlopen");
    Dl_info here, there;

    memcpy(&open, &found, sizeof open);
    if (!open || !dladdr(&mpi_has_next, &here) || !dladdr(program->l_ld, &there) ||
        here.dli_fbase == there.dli_fbase ||
        !(wrappers = open(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD)))
        return;
    if (defines_any(there.dli_fbase))
        mpi_redirect_calls(program, wrapper_of);
    dlclose(wrappers);
}
