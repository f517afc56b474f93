/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts recording in an unmodified program: PORTOLAN_TRACE names the folder. The programs that
 * start it (shells, mpiexec) load this, too, but do nothing with it. There is no caller that could
 * print errors, so they are printed here.
 */
#include <portolan/record.h>

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Refuses another MPI, whose calls would reach the wrappers with handles of another size. */
static void refuse_other_mpi(void)
{
    if (!dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
        return;
    fprintf(stderr,
            "portolan: error: %s is a program of Open MPI, but libportolan-trace.so is for MPICH; "
            "build it with mpicc.mpich, or run it without LD_PRELOAD\n",
            program_invocation_name);
    _exit(126);
}

__attribute__((constructor)) static void begin_recording(void)
{
    struct portolan_error err = {0};
    bool is_wanted = false;

    refuse_other_mpi();
    if (!portolan_record_configure_by_environment(&is_wanted, &err) && is_wanted)
        portolan_mpi_observe(portolan_record_observer(), &err);
    if (err.status)
        fprintf(stderr, "portolan: error: nothing is recorded: %s\n", err.text);
    /* keeps the program from waiting otherwise than it would */
    setenv("PORTOLAN_MPI_YIELD", "never", 0);
}

#if MPI_VERSION >= 4
/* Records nothing in sessions, since they have no MPI_COMM_WORLD, whose ranks the trace uses. */
__attribute__((visibility("default"))) int
MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    const char *rank = getenv("PMI_RANK");
    int has_begun = 0;

    PMPI_Initialized(&has_begun);
    if (!has_begun && portolan_record_peek_folder() && (!rank || !strcmp(rank, "0")))
        fprintf(stderr,
                "portolan: warning: %s begins MPI by MPI_Session_init: programs with sessions are "
                "not recorded; use MPI_Init\n",
                program_invocation_name);
    return PMPI_Session_init(info, errhandler, session);
}
#endif
