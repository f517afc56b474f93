/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the launcher that started this process, by the environment that each one sets. */
#include <portolan/mpi.h>

#include <stdlib.h>
#include <string.h>

static const struct launcher {
    const char *mpi;      /* the supported MPI that it starts; NULL: none */
    const char *variable; /* set by this launcher in every process */
    const char *size;     /* variable with the number of ranks */
    const char *name;
} launchers[] = {
    {"mpich", "PMI_FD", "PMI_SIZE", "MPICH's mpiexec"},
    {"mpich", "PMI_PORT", "PMI_SIZE", "MPICH's mpiexec"},
    {"mpich", "PMI_RANK", "PMI_SIZE", "MPICH's mpiexec"},
    {"mpich", "PMI_ID", "PMI_SIZE", "MPICH's mpiexec"},
    {"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec"},
    {"openmpi", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec"},
    {"openmpi", "PMIX_RANK", "SLURM_STEP_NUM_TASKS",
     "a launcher that speaks PMIx (srun --mpi=pmix, prterun)"},
    {NULL, "MPIRUN_RANK", "MPIRUN_NPROCS", "MVAPICH's mpirun_rsh"},
    {NULL, "MPT_RANK", "MPT_SIZE", "HPE MPT's mpirun"},
};

static bool is_ours(const struct launcher *l)
{
    return l->mpi && strcmp(l->mpi, PORTOLAN_MPI) == 0;
}

enum portolan_status portolan_mpi_check_launcher(struct portolan_error *err)
{
    const size_t n = sizeof launchers / sizeof launchers[0];

    for (size_t i = 0; i < n; i++)
        if (is_ours(&launchers[i]) && getenv(launchers[i].variable))
            return PORTOLAN_OK; /* whichever others are set */
    for (size_t i = 0; i < n; i++) {
        const char *size = getenv(launchers[i].size);
        int64_t ranks;

        if (!getenv(launchers[i].variable))
            continue;
        if (!portolan_read_int64(size, &ranks) || ranks < 1)
            size = "N";
        return portolan_error_set(
            err, PORTOLAN_EFOREIGN,
            "started by %s (%s is set), but this Portolan is built with %s: every process would be "
            "rank 0 of 1; start it with: mpiexec." PORTOLAN_MPI " -n %s ...",
            launchers[i].name, launchers[i].variable,
            strcmp(PORTOLAN_MPI, "mpich") == 0 ? "MPICH" : "Open MPI", size);
    }
    return PORTOLAN_OK;
}
