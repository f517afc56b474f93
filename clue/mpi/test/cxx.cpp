/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's former C++ binding: an operation and errors of its own. */
#include <cstdio>
#include <mpi.h>

static void add(const void *in, void *inout, int n, const MPI::Datatype &)
{
    for (int i = 0; i < n; i++)
        static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

int main(int argc, char **argv)
{
    int rank, n, sum;
    MPI::Op op;

    MPI::Init(argc, argv);
    rank = MPI::COMM_WORLD.Get_rank() + 1;
    n = MPI::COMM_WORLD.Get_size();
    op.Init(add, true);
    MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, op);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, n + 7, 0);
    } catch (MPI::Exception &e) {
        if (rank == 1)
            std::printf("sum %d, class %d\n", sum, e.Get_error_class());
    }
    op.Free();
    MPI::Finalize();
}
