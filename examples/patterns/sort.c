/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divide and conquer: a merge sort on a tree of ranks. At each level a rank hands a part of its
 * numbers to another rank, and merges what that returns. Each setting but the first three plants
 * one fault, but together=, which has the parts of so many problems in each message; times are
 * nanoseconds of processor time per number.
 */
#include "work.h"

enum { PART = 3, SORTED };

struct sort {
    int numbers, rounds; /* so many numbers are sorted so often */
    double solve;        /* work of sorting; more if qsort() takes longer */
    double split, merge; /* work of either, at each level */
    double share;        /* of the numbers that go to the other rank */
    int copies;          /* messages of the whole part instead of one */
    int together;        /* problems whose parts go in a message */
    int rank, size;
};

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static void merge(int *a, int na, const int *b, int nb)
{
    int *all = malloc(((size_t)na + (size_t)nb + 1) * sizeof *all), i = 0, j = 0;

    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < na + nb; k++)
        all[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
    memcpy(a, all, ((size_t)na + (size_t)nb) * sizeof *all);
    free(all);
}

/* Makes *TYPE that of GIVEN of every STRIDE numbers, for all problems; returns how many of it. */
static int part_of(const struct sort *s, int stride, int given, MPI_Datatype *type)
{
    *type = MPI_INT;
    if (s->together == 1)
        return given;
    MPI_Type_vector(s->together, given, stride, MPI_INT, type);
    MPI_Type_commit(type);
    return 1;
}

/* Sorts N of every STRIDE numbers, a problem each, on the ranks [rank, rank + width). */
static void conquer(const struct sort *s, int *numbers, int stride, int n, int width)
{
    int to = s->rank + width / 2, given = width > 1 ? (int)(n * s->share) : 0, kept = n - given,
        count;
    MPI_Datatype type;

    if (width <= 1) {
        double begin = work_begin();

        for (int j = 0; j < s->together; j++)
            qsort(numbers + j * stride, (size_t)n, sizeof *numbers, compare);
        work_until(begin, 1e-3 * s->solve * n * s->together);
        return;
    }
    work(1e-3 * s->split * n * s->together);
    count = part_of(s, stride, given, &type);
    for (int i = 0; i < s->copies; i++)
        MPI_Send(numbers + kept, count, type, to, PART, MPI_COMM_WORLD);
    conquer(s, numbers, stride, kept, width / 2);
    MPI_Recv(numbers + kept, count, type, to, SORTED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (type != MPI_INT)
        MPI_Type_free(&type);
    work(1e-3 * s->merge * n * s->together);
    for (int j = 0; j < s->together; j++)
        merge(numbers + j * stride, kept, numbers + j * stride + kept, given);
}

/* The part of the tree in which this rank takes part first: whose numbers it sorts, and on how many
 * ranks. */
static void take_part(const struct sort *s, int *numbers)
{
    int width = 1, n;
    MPI_Status status;

    while (s->rank % (2 * width) == 0 && 2 * width < s->size)
        width *= 2;
    for (int i = 0; i < s->copies; i++)
        MPI_Recv(numbers, s->numbers * s->together, MPI_INT, s->rank - width, PART, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_INT, &n);
    conquer(s, numbers, n / s->together, n / s->together, width);
    MPI_Send(numbers, n, MPI_INT, s->rank - width, SORTED, MPI_COMM_WORLD);
}

static void sort_once(const struct sort *s, int *numbers)
{
    int n = s->numbers * s->together;

    if (s->rank > 0) {
        take_part(s, numbers);
        return;
    }
    for (int i = 0; i < n; i++)
        numbers[i] = (int)(((unsigned)i * 2654435761u) >> 8);
    conquer(s, numbers, s->numbers, s->numbers, s->size);
    for (int i = 1; i < n; i++)
        if (i % s->numbers && numbers[i - 1] > numbers[i])
            MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"numbers", "rounds", "solve",    "split", "merge",
                                        "share",   "copies", "together", NULL};
    struct sort s;
    int *numbers;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    check_settings(argc, argv, names);
    s.numbers = (int)setting(argc, argv, "numbers", 100000);
    s.rounds = (int)setting(argc, argv, "rounds", 10);
    s.solve = setting(argc, argv, "solve", 1000);
    s.split = setting(argc, argv, "split", 0);
    s.merge = setting(argc, argv, "merge", 0);
    s.share = setting(argc, argv, "share", 0.5);
    s.copies = (int)setting(argc, argv, "copies", 1);
    s.together = (int)setting(argc, argv, "together", 1);
    if (s.size & (s.size - 1) || s.numbers < 1 || s.copies < 1 || s.together < 1 ||
        !(s.share > 0 && s.share < 1)) {
        if (s.rank == 0)
            fprintf(stderr, "sort: needs a power of two ranks, and a share between 0 and 1\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (!(numbers = malloc((size_t)s.numbers * (size_t)s.together * sizeof *numbers)))
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < s.rounds; i += s.together) {
        MPI_Barrier(MPI_COMM_WORLD); /* else nobody could tell this split from the merge before */
        sort_once(&s, numbers);
    }
    if (s.rank == 0)
        printf("%d numbers sorted %d times\n", s.numbers, s.rounds);
    free(numbers);
    MPI_Finalize();
}
