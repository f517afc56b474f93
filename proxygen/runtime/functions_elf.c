/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether MPI is among what a shared object needs. */
#include "functions_internal.h"

#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Functions of MPI, by their names in C and, in lower case with a line behind, in Fortran. */
static bool is_mpi_function(const char *name)
{
    size_t length = strlen(name);

    if (begins(name, "PMPI_") || begins(name, "pmpi_"))
        name++;
    if (begins(name, "MPI_"))
        return name[4] >= 'A' && name[4] <= 'Z';
    return begins(name, "mpi_") && name[4] && length > 5 && name[strlen(name) - 1] == '_';
}

/* Names under which MPI's own libraries are known: libmpi.so.40, libmpich.so.12, libmpifort… */
static bool is_mpi_library(const char *name)
{
    static const char *const words[] = {"mpi",
                                        "mpich",
                                        "mpicxx",
                                        "mpi_cxx",
                                        "mpifort",
                                        "mpichfort",
                                        "mpichcxx",
                                        "mpi_mpifh",
                                        "pmpi",
                                        "mpi_usempif08",
                                        "mpi_usempi_ignore_tkr"};
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    if (!begins(base, "lib"))
        return false;
    base += 3;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(base, words[i]) && (base[strlen(words[i])] == '.' || !base[strlen(words[i])]))
            return true;
    return false;
}

static enum portolan_status refuse(const struct shared_closure *closure,
                                   const struct shared_object *by, const char *what,
                                   const char *name, struct portolan_error *err)
{
    const char *file = closure->objects[0].file;
    bool itself = by == &closure->objects[0];

    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s calls MPI itself (%s%s%s %s): opened as an implementation it "
                              "would bypass the MPI that the program uses, or bring a second one "
                              "that nobody initialises; link the program with it instead",
                              file, itself ? "it" : "", itself ? "" : by->file, what, name);
}

enum portolan_status functions_closure_check(const struct shared_closure *closure,
                                             struct portolan_error *err)
{
    for (size_t i = 0; i < closure->n; i++) {
        const struct shared_object *o = &closure->objects[i];

        for (size_t k = 0; o->needed[k]; k++)
            if (is_mpi_library(o->needed[k]))
                return refuse(closure, o, " needs", o->needed[k], err);
        for (size_t k = 0; o->undefined[k]; k++)
            if (is_mpi_function(o->undefined[k]))
                return refuse(closure, o, " calls", o->undefined[k], err);
        for (size_t k = 0; o->defined[k]; k++)
            if (strcmp(o->defined[k], "MPI_Init") == 0 || strcmp(o->defined[k], "PMPI_Init") == 0)
                return refuse(closure, o, " brings", o->defined[k], err);
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_functions_library_check(const char *file, struct portolan_error *err)
{
    struct shared_closure closure = {0};
    struct shared_search s;
    enum portolan_status status;

    shared_search_begin(&s);
    status = shared_closure_read(&s, file, &closure, err);
    if (status == PORTOLAN_OK)
        status = functions_closure_check(&closure, err);
    shared_search_end(&s);
    return status;
}
