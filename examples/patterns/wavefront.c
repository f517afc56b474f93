/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wavefront: ranks in a row each have a strip of columns; sweeps go over them block of rows by
 * block, each rank waiting for the block of the rank before; after each sweep, or after all if they
 * turn, ranks look together whether another is needed. A recurrence of integers makes the checksum
 * show a message that is lost or mixed up. Each setting but the first three plants one fault; times
 * are microseconds of processor time.
 */
#include "work.h"

enum { BLOCK = 7 };

struct wavefront {
    int sweeps, blocks; /* blocks per sweep */
    int together;       /* blocks per message */
    double sweep;       /* work of a rank in a sweep, over all its blocks */
    int turn;           /* every so many sweeps the direction changes; 0: never */
    double slow;        /* the middle rank has so many times the work of another, … */
    double uneven;      /* … or the middle block; all together have as much as ever */
    double outside;     /* work of rank 0 before each sweep that belongs to no block */
    int bytes;          /* of a message */
    int rank, size;
};

static double block_work(const struct wavefront *w, int block)
{
    double share = w->sweep / (w->blocks - 1 + w->uneven) * w->size / (w->size - 1 + w->slow);

    if (w->rank == w->size / 2)
        share *= w->slow;
    return block == w->blocks / 2 ? share * w->uneven : share;
}

static unsigned long sweep(const struct wavefront *w, bool is_back, unsigned long value,
                           char *buffer)
{
    int before = is_back ? w->rank + 1 : w->rank - 1, after = is_back ? w->rank - 1 : w->rank + 1;
    unsigned long carry = 1;

    for (int block = 0; block < w->blocks; block++) {
        if (before >= 0 && before < w->size && block % w->together == 0) {
            MPI_Recv(buffer, w->bytes, MPI_CHAR, before, BLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            memcpy(&carry, buffer, sizeof carry);
        }
        work(block_work(w, block));
        value = value * 31 + carry;
        carry = carry * 17 + (unsigned long)w->rank;
        if (after >= 0 && after < w->size &&
            (block % w->together == w->together - 1 || block == w->blocks - 1)) {
            memcpy(buffer, &carry, sizeof carry);
            MPI_Send(buffer, w->bytes, MPI_CHAR, after, BLOCK, MPI_COMM_WORLD);
        }
    }
    return value;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"sweeps", "blocks", "together", "sweep", "turn",
                                        "slow",   "uneven", "outside",  "bytes", NULL};
    struct wavefront w;
    unsigned long value, sum = 0;
    char *buffer;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.size);
    check_settings(argc, argv, names);
    w.sweeps = (int)setting(argc, argv, "sweeps", 20);
    w.blocks = (int)setting(argc, argv, "blocks", 100);
    w.together = (int)setting(argc, argv, "together", 1);
    w.sweep = setting(argc, argv, "sweep", 50000);
    w.turn = (int)setting(argc, argv, "turn", 0);
    w.slow = setting(argc, argv, "slow", 1);
    w.uneven = setting(argc, argv, "uneven", 1);
    w.outside = setting(argc, argv, "outside", 0);
    w.bytes = (int)setting(argc, argv, "bytes", 1024);
    if (w.blocks < 1 || w.together < 1 || w.bytes < (int)sizeof value ||
        !(buffer = calloc((size_t)w.bytes, 1)))
        MPI_Abort(MPI_COMM_WORLD, 2);
    value = (unsigned long)w.rank;
    for (int i = 0; i < w.sweeps; i++) {
        if (w.rank == 0)
            work(w.outside);
        value = sweep(&w, w.turn > 0 && i / w.turn % 2 == 1, value, buffer);
        if (!w.turn || i + 1 == w.sweeps)
            MPI_Allreduce(&value, &sum, 1, MPI_UNSIGNED_LONG, MPI_BXOR, MPI_COMM_WORLD);
    }
    if (w.rank == 0)
        printf("%d sweeps, checksum %lx\n", w.sweeps, sum);
    free(buffer);
    MPI_Finalize();
}
