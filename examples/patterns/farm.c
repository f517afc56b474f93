/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A farm: rank 0 hands tasks to workers that ask for them. Workers return sums of integers, so the
 * result is the same in any order. Each setting but the first three plants one fault; times are
 * microseconds of processor time.
 */
#include "work.h"

enum { REQUEST = 1, TASK, RESULT, STOP };

struct farm {
    int tasks;    /* tasks in all */
    double grain; /* work of a task */
    int chunk;    /* tasks per message */
    double setup; /* the master's work for a message of tasks */
    int bytes;    /* of the description of a task */
    double last;  /* the last task has so many times the work */
    double begin; /* the master's work before the first task … */
    double end;   /* … and after the last result */
    double own;   /* the master's other work after each message of tasks */
    char *buffer; /* a number, then the descriptions */
    size_t size;
};

static void serve(struct farm *f, int workers)
{
    int next = 0;
    long sum = 0, part;
    MPI_Status from;

    work(f->begin);
    for (int running = workers; running > 0;) {
        MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &from);
        if (from.MPI_TAG == RESULT) {
            sum += part;
            continue;
        }
        if (next < f->tasks) {
            work(f->setup);
            memcpy(f->buffer, &next, sizeof next);
            MPI_Send(f->buffer, (int)f->size, MPI_CHAR, from.MPI_SOURCE, TASK, MPI_COMM_WORLD);
            next += f->chunk;
            work(f->own);
        } else {
            MPI_Send(f->buffer, 0, MPI_CHAR, from.MPI_SOURCE, STOP, MPI_COMM_WORLD);
            running--;
        }
    }
    work(f->end);
    printf("%d tasks, sum %ld\n", f->tasks, sum);
}

static long process(const struct farm *f, int first)
{
    long sum = 0;

    for (int i = first; i < first + f->chunk && i < f->tasks; i++) {
        work(i == f->tasks - 1 ? f->grain * f->last : f->grain);
        sum += i;
    }
    return sum;
}

static void ask(struct farm *f)
{
    long result = 0;
    int first;
    MPI_Status status;

    for (;;) {
        MPI_Send(&result, 1, MPI_LONG, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(f->buffer, (int)f->size, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        memcpy(&first, f->buffer, sizeof first);
        result = process(f, first);
        MPI_Send(&result, 1, MPI_LONG, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"tasks", "grain", "chunk", "setup", "bytes",
                                        "last",  "begin", "end",   "own",   NULL};
    struct farm f;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_settings(argc, argv, names);
    f.tasks = (int)setting(argc, argv, "tasks", 2000);
    f.grain = setting(argc, argv, "grain", 1000);
    f.chunk = (int)setting(argc, argv, "chunk", 1);
    f.setup = setting(argc, argv, "setup", 0);
    f.bytes = (int)setting(argc, argv, "bytes", 8);
    f.last = setting(argc, argv, "last", 1);
    f.begin = setting(argc, argv, "begin", 0);
    f.end = setting(argc, argv, "end", 0);
    f.own = setting(argc, argv, "own", 0);
    if (f.tasks < 1 || f.chunk < 1 || f.bytes < 0 || size < 2) {
        if (rank == 0)
            fprintf(stderr, "farm: needs two ranks or more, and a task or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    f.size = sizeof(int) + (size_t)f.bytes * (size_t)f.chunk;
    f.buffer = calloc(f.size, 1);
    if (!f.buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        serve(&f, size - 1);
    else
        ask(&f);
    free(f.buffer);
    MPI_Finalize();
}
