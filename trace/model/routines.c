/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifies MPI's routines (MPI 4.0). */
#include <portolan/trace.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct routine_class {
    enum portolan_trace_routine_class class;
    const char *names; /* without MPI_, and with a blank around each */
};

/* Routines that have forms which do not block; these are recognised by their first letters. */
static const struct routine_class collectives[] = {
    {PORTOLAN_ROUTINE_BARRIER, " Barrier "},
    {PORTOLAN_ROUTINE_N_TO_N, " Allreduce Allgather Allgatherv Alltoall Alltoallv Alltoallw "
                              "Reduce_scatter Reduce_scatter_block "},
    {PORTOLAN_ROUTINE_CREATE, " Comm_dup Comm_dup_with_info "},
    {PORTOLAN_ROUTINE_ONE_TO_N, " Bcast Scatter Scatterv "},
    {PORTOLAN_ROUTINE_N_TO_ONE, " Reduce Gather Gatherv "},
    {PORTOLAN_ROUTINE_SCAN, " Scan Exscan "},
    {PORTOLAN_ROUTINE_NEIGHBOUR, " Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall "
                                 "Neighbor_alltoallv Neighbor_alltoallw "},
};

static const struct routine_class others[] = {
    {PORTOLAN_ROUTINE_SEND, " Send Rsend "},
    {PORTOLAN_ROUTINE_SYNCHRONOUS_SEND, " Ssend "},
    {PORTOLAN_ROUTINE_BUFFERED_SEND, " Bsend "},
    {PORTOLAN_ROUTINE_RECV, " Recv Mrecv "},
    {PORTOLAN_ROUTINE_SENDRECV, " Sendrecv Sendrecv_replace "},
    {PORTOLAN_ROUTINE_POST, " Isend Ibsend Issend Irsend Irecv Imrecv Isendrecv "
                            "Isendrecv_replace Start Startall Pready Pready_range Pready_list "},
    {PORTOLAN_ROUTINE_WAIT, " Wait Waitall Waitany Waitsome "},
    {PORTOLAN_ROUTINE_TEST, " Test Testall Testany Testsome Request_get_status Parrived "},
    {PORTOLAN_ROUTINE_PROBE, " Probe Mprobe "},
    {PORTOLAN_ROUTINE_POLL, " Iprobe Improbe "},
    {PORTOLAN_ROUTINE_CREATE,
     " Comm_split Comm_split_type Comm_create Comm_create_group Comm_free Comm_disconnect "
     "Intercomm_create Intercomm_merge Cart_create Cart_sub Graph_create Dist_graph_create "
     "Dist_graph_create_adjacent Win_create Win_create_dynamic Win_allocate Win_allocate_shared "
     "Win_free "},
    {PORTOLAN_ROUTINE_INIT, " Init Init_thread "},
    {PORTOLAN_ROUTINE_FINALIZE, " Finalize "},
    {PORTOLAN_ROUTINE_TRANSFER, " Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap "
                                "Rput Rget Raccumulate Rget_accumulate "},
    {PORTOLAN_ROUTINE_FENCE, " Win_fence "},
    {PORTOLAN_ROUTINE_WIN_POST, " Win_post "},
    {PORTOLAN_ROUTINE_WIN_START, " Win_start "},
    {PORTOLAN_ROUTINE_WIN_COMPLETE, " Win_complete "},
    {PORTOLAN_ROUTINE_WIN_WAIT, " Win_wait "},
};

static enum portolan_trace_routine_class class_in(const struct routine_class *classes, size_t n,
                                                  const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (portolan_has_word(classes[i].names, name))
            return classes[i].class;
    return PORTOLAN_ROUTINE_OTHER;
}

static bool cut_end(char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);

    if (length <= n || strcmp(name + length - n, end) != 0)
        return false;
    name[length - n] = '\0';
    return true;
}

/* Turns "Ibarrier" into "Barrier", "Comm_idup" into "Comm_dup", "Barrier_init" into "Barrier". */
static bool make_blocking(char *name)
{
    char *at = strncmp(name, "Comm_i", 6) == 0 ? name + 5 : name;

    if (cut_end(name, "_init"))
        return true;
    if (tolower(*at) != 'i')
        return false;
    memmove(at, at + 1, strlen(at));
    if (at == name)
        *at = (char)toupper(*at);
    return true;
}

enum portolan_trace_routine_class portolan_trace_classify(const char *routine, bool *is_nonblocking)
{
    enum { COLLECTIVES = sizeof collectives / sizeof *collectives };
    enum { OTHERS = sizeof others / sizeof *others };
    enum portolan_trace_routine_class class;
    char name[64];

    if (is_nonblocking)
        *is_nonblocking = false;
    routine += *routine == 'P';
    if (strncmp(routine, "MPI_", 4) != 0)
        return PORTOLAN_ROUTINE_OTHER;
    snprintf(name, sizeof name, "%s", routine + 4);
    cut_end(name, "_c");
    if ((class = class_in(collectives, COLLECTIVES, name)) ||
        (class = class_in(others, OTHERS, name)) || !make_blocking(name))
        return class;
    class = class_in(collectives, COLLECTIVES, name);
    if (is_nonblocking)
        *is_nonblocking = class != PORTOLAN_ROUTINE_OTHER;
    return class;
}
