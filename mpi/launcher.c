/* SPDX-License-Identifier: BSD-3-Clause */
/* Who started this process, told from the environment that each launcher leaves. */
#include <portolan/mpi.h>

#include <stdlib.h>

/* Variables that MPICH's own start-up protocol needs; with one of them all is well. */
static const char *const own[] = {"PMI_FD", "PMI_PORT", "PMI_RANK", "PMI_ID"};

static const struct launcher {
    const char *variable; /* set by this launcher in every process */
    const char *size;     /* where it says how many there are */
    const char *name;
} foreign[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec"},
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "a launcher that speaks PMIx (srun --mpi=pmix, prterun)"},
    {"MPIRUN_RANK", "MPIRUN_NPROCS", "MVAPICH's mpirun_rsh"},
    {"MPT_RANK", "MPT_SIZE", "HPE MPT's mpirun"},
};

enum portolan_status portolan_mpi_check_launcher(struct portolan_error *err)
{
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (getenv(own[i]))
            return PORTOLAN_OK;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const char *size = getenv(foreign[i].size);
        int64_t ranks;

        if (!getenv(foreign[i].variable))
            continue;
        if (!portolan_read_int64(size, &ranks) || ranks < 1)
            size = "N";
        return portolan_error_set(
            err, PORTOLAN_EFOREIGN,
            "started by %s (%s is set), but this Portolan is built with MPICH: every process would "
            "believe that it is rank 0 of 1; start it with: mpiexec.mpich -n %s ...",
            foreign[i].name, foreign[i].variable, size);
    }
    return PORTOLAN_OK;
}
