/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which rank of which job a process is, by what launchers leave in the environment: the program's
 * MPI may be any, so none is asked. Also linked into the program.
 */
#include "shared.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct launcher {
    const char *rank, *size;
    const char *jobs[2]; /* the same for all ranks and nothing else; NULL: there is none */
} launchers[] = {
    {"PMI_RANK", "PMI_SIZE", {NULL, NULL}},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE"}},
};
enum { N_LAUNCHERS = sizeof launchers / sizeof *launchers };

/* The file of process PID under /proc, ended by NUL; how much of it there was room for. */
static size_t read_of(int pid, const char *name, char *bytes, size_t room)
{
    char path[64];
    size_t n = 0;
    ssize_t more = 0;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n < room - 1 && (more = read(fd, bytes + n, room - 1 - n)) > 0)
        n += (size_t)more;
    if (fd >= 0)
        close(fd);
    bytes[n] = '\0';
    return n;
}

static bool is_rank(int pid, const char *variable)
{
    static char bytes[1 << 17];
    size_t n = read_of(pid, "environ", bytes, sizeof bytes), length = strlen(variable);

    for (size_t i = 0; i < n; i += strlen(bytes + i) + 1)
        if (strncmp(bytes + i, variable, length) == 0 && bytes[i + length] == '=')
            return true;
    return false;
}

/* The parent of PID, and when PID was started, in ticks; 0: there is none. */
static int parent_of(int pid, unsigned long long *started)
{
    char bytes[1024];
    const char *behind;
    int parent = 0;

    read_of(pid, "stat", bytes, sizeof bytes);
    behind = strrchr(bytes, ')'); /* the program's name may hold anything */
    *started = 0;
    if (behind)
        sscanf(behind + 1,
               " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &parent, started);
    return parent;
}

/* By who started the ranks: the nearest process above that is none. */
static void name_job(struct wrap_job *job, const struct launcher *l)
{
    const char *name = NULL;
    unsigned long long started;
    char host[64] = "";
    int pid = getpid();

    for (int i = 0; i < 2 && !name && l->jobs[i]; i++)
        name = getenv(l->jobs[i]);
    if (name) {
        snprintf(job->name, sizeof job->name, "%s", name);
        return;
    }
    do
        pid = parent_of(pid, &started);
    while (pid > 1 && is_rank(pid, l->rank));
    parent_of(pid, &started);
    gethostname(host, sizeof host - 1);
    snprintf(job->name, sizeof job->name, "%s %d %llu", host, pid, started);
}

static int number_of(const char *variable)
{
    int64_t number;

    return portolan_read_int64(getenv(variable), &number) && number >= 0 && number < INT_MAX
               ? (int)number
               : -1;
}

bool wrap_job_read(struct wrap_job *job)
{
    for (size_t i = 0; i < N_LAUNCHERS; i++) {
        job->rank = number_of(launchers[i].rank);
        job->size = number_of(launchers[i].size);
        if (job->rank < 0 || job->size <= job->rank)
            continue;
        if (job->size > 1)
            name_job(job, &launchers[i]);
        return job->size > 1;
    }
    return false;
}
