/* SPDX-License-Identifier: BSD-3-Clause */
#include "note.h"

uint64_t mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size;

    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_c(type, &size) != MPI_SUCCESS)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

uint64_t mpi_bytes_each(const int *counts, const MPI_Datatype *types, int n)
{
    uint64_t bytes = 0;

    for (int i = 0; i < n; i++)
        bytes += mpi_bytes(counts[i], types[i]);
    return bytes;
}

uint64_t mpi_bytes_each_c(const MPI_Count *counts, const MPI_Datatype *types, int n)
{
    uint64_t bytes = 0;

    for (int i = 0; i < n; i++)
        bytes += mpi_bytes(counts[i], types[i]);
    return bytes;
}

MPI_Count mpi_sum(const int *counts, int n)
{
    MPI_Count sum = 0;

    for (int i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

MPI_Count mpi_sum_c(const MPI_Count *counts, int n)
{
    MPI_Count sum = 0;

    for (int i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

int mpi_rank(MPI_Comm comm)
{
    int rank = 0;

    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int mpi_size(MPI_Comm comm)
{
    int size = 0;

    PMPI_Comm_size(comm, &size);
    return size;
}

int mpi_partners(MPI_Comm comm)
{
    int is_inter = 0, size = 0;

    PMPI_Comm_test_inter(comm, &is_inter);
    if (!is_inter)
        return mpi_size(comm);
    PMPI_Comm_remote_size(comm, &size);
    return size;
}

int mpi_neighbours(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, n = 0, in, weighted;

    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &n);
        return 2 * n;
    }
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, mpi_rank(comm), &n);
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &n, &weighted);
    return n;
}
