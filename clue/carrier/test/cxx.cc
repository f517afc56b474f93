// SPDX-License-Identifier: BSD-3-Clause
// Constructors, exceptions, streams and thread-locals of C++ in ranks.
#include <iostream>
#include <map>
#include <mpi.h>
#include <stdexcept>
#include <string>

struct counted {
    int value = 41;
    ~counted()
    {
        std::cout << "gone " << value << "\n";
    }
};
static counted once;
static std::map<std::string, int> words;
thread_local std::string name = "local";

static void refuse(int rank)
{
    throw std::runtime_error("thrown by " + std::to_string(rank));
}

int main(int argc, char **argv)
{
    int rank = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    once.value += rank;
    words["a"] += rank;
    name += 'x';
    try {
        MPI_Barrier(MPI_COMM_WORLD);
        refuse(rank);
    } catch (std::exception &e) {
        std::cout << e.what() << ' ' << words["a"] << ' ' << name << std::endl;
    }
    MPI_Finalize();
    return 0;
}
