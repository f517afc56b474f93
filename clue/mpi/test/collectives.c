/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random collectives: collectives SEED N. All ranks draw the same calls. Prints a line for each
 * with a hash of all ranks' results, to be compared with MPICH's; whole numbers are also compared
 * with what each rank computes by itself, since it knows everybody's data.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };
static uint64_t state;
static int rank, n, n_wrong;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

static uint64_t hash(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t h = 14695981039346656037U;

    while (bytes-- > 0)
        h = (h ^ *at++) * 1099511628211U;
    return h;
}

/* Returns element I of rank R in call C. */
static int whole(int c, int r, int i)
{
    return (int)((unsigned)(c * 7919 + r * 104729 + i * 31) % 1000) - 500;
}
static double real(int c, int r, int i)
{
    return (whole(c, r, i) + 0.3) / 7.0 * (1 + r % 3 * 1e5);
}

/* Composes affine maps x -> a x + b, which is not commutative. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const unsigned *f = in;
    unsigned *g = inout;

    (void)type;
    for (int i = 0; i < *length; i++, f += 2, g += 2) {
        g[1] = f[0] * g[1] + f[1];
        g[0] = f[0] * g[0];
    }
}

static void add_reals(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

struct data {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    int size, ints; /* bytes and int32 of an element; 0: reals */
};

static void fill(const struct data *d, void *buf, int call, int r, int from, int count)
{
    for (int i = 0; i < count; i++)
        if (d->ints)
            for (int k = 0; k < d->ints; k++)
                ((int *)buf)[i * d->ints + k] = whole(call, r, (from + i) * d->ints + k);
        else
            for (int k = 0; k < d->size / 8; k++)
                ((double *)buf)[i * (d->size / 8) + k] = real(call, r, (from + i) * 3 + k);
}

static char *in, *out, *expected;
static int counts[256], displs[256];

static int small_or_large(void)
{
    static const int most[] = {1, 3, 20, 300, 5000};

    return (int)draw((uint32_t)most[draw(5)] + 1);
}

static void check(const char *what, int call, size_t bytes)
{
    if (memcmp(out, expected, bytes) == 0)
        return;
    n_wrong++;
    printf("rank %d of %d: call %d %s: wrong\n", rank, n, call, what);
}

static void print(const char *what, const char *name, int call, int count, int root, size_t bytes)
{
    uint64_t own = hash(out, bytes), all[256];

    MPI_Gather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %s %s %d root %d: %016llx\n", call, what, name, count, root,
               (unsigned long long)hash(all, (size_t)n * sizeof *all));
}

/* Computes what a reduction of LENGTH whole numbers from FROM on gives for ranks 0 to LAST. */
static void reduce_expected(const struct data *d, int call, int from, int length, int last)
{
    char *own = malloc((size_t)length * (size_t)d->size + 1);

    fill(d, expected, call, last, from, length);
    for (int r = last - 1; r >= 0; r--) {
        fill(d, own, call, r, from, length);
        if (d->ints == 2)
            compose(own, expected, &length, NULL);
        else
            for (int i = 0; i < length; i++)
                ((int *)expected)[i] = d->op == MPI_SUM ? ((int *)expected)[i] + ((int *)own)[i]
                                       : ((int *)expected)[i] > ((int *)own)[i]
                                           ? ((int *)expected)[i]
                                           : ((int *)own)[i];
    }
    free(own);
}

static void reductions(const struct data *d, int call)
{
    static const char *const names[] = {"reduce", "allreduce",      "scan",
                                        "exscan", "reduce_scatter", "reduce_scatter_block"};
    int which = (int)draw(6), count = small_or_large(), root = (int)draw((uint32_t)n);
    int is_request = draw(2) == 0, is_in_place = draw(4) == 0, length = count, from = 0, total = 0;
    size_t size = (size_t)d->size;
    MPI_Request request = MPI_REQUEST_NULL;
    void *send = in;

    for (int i = 0; i < n; i++) {
        counts[i] = (int)draw((uint32_t)count / (unsigned)n + 3);
        displs[i] = total;
        total += counts[i];
    }
    if (which == 5)
        count = length = count / n + 1;
    memset(out, 0, MOST * 16);
    fill(d, in, call, rank, 0, which < 4 ? count : which == 4 ? total : count * n);
    if (is_in_place && (which || rank == root)) {
        send = MPI_IN_PLACE;
        memcpy(out, in, size * (size_t)(which < 4 ? count : which == 4 ? total : count * n));
    }
    switch (which) {
    case 0:
        if (is_request)
            MPI_Ireduce(send, out, count, d->type, d->op, root, MPI_COMM_WORLD, &request);
        else
            MPI_Reduce(send, out, count, d->type, d->op, root, MPI_COMM_WORLD);
        break;
    case 1:
        if (is_request)
            MPI_Iallreduce(send, out, count, d->type, d->op, MPI_COMM_WORLD, &request);
        else
            MPI_Allreduce(send, out, count, d->type, d->op, MPI_COMM_WORLD);
        break;
    case 2:
        if (is_request)
            MPI_Iscan(send, out, count, d->type, d->op, MPI_COMM_WORLD, &request);
        else
            MPI_Scan(send, out, count, d->type, d->op, MPI_COMM_WORLD);
        break;
    case 3:
        if (is_request)
            MPI_Iexscan(send, out, count, d->type, d->op, MPI_COMM_WORLD, &request);
        else
            MPI_Exscan(send, out, count, d->type, d->op, MPI_COMM_WORLD);
        break;
    case 4:
        length = counts[rank];
        from = displs[rank];
        if (is_request)
            MPI_Ireduce_scatter(send, out, counts, d->type, d->op, MPI_COMM_WORLD, &request);
        else
            MPI_Reduce_scatter(send, out, counts, d->type, d->op, MPI_COMM_WORLD);
        break;
    default:
        from = rank * count;
        if (is_request)
            MPI_Ireduce_scatter_block(send, out, count, d->type, d->op, MPI_COMM_WORLD, &request);
        else
            MPI_Reduce_scatter_block(send, out, count, d->type, d->op, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if ((which == 0 && rank != root) || (which == 3 && rank == 0))
        length = 0;
    if (d->ints && length) {
        reduce_expected(d, call, from, length, which == 2 ? rank : which == 3 ? rank - 1 : n - 1);
        check(names[which], call, size * (size_t)length);
    }
    print(names[which], d->name, call, count, root, size * (size_t)length);
}

static void moves(int call)
{
    static const char *const names[] = {"bcast",     "gather",  "scatter",  "allgather",
                                        "alltoall",  "gatherv", "scatterv", "allgatherv",
                                        "alltoallv", "barrier"};
    static const struct data d = {"int", MPI_INT, MPI_SUM, 4, 1};
    int which = (int)draw(10), count = small_or_large() / 4, root = (int)draw((uint32_t)n);
    int is_request = draw(2) == 0, is_strided = draw(3) == 0, total = 0, length;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = MPI_INT;

    while (count * n > MOST / 2)
        count /= 2;
    for (int i = 0; i < n; i++) {
        counts[i] = (int)draw((uint32_t)count + 2);
        displs[i] = total + 1;
        total += counts[i] + 1;
    }
    memset(out, 0, MOST * 16);
    memset(expected, 0, MOST * 16);
    if (is_strided) { /* two ints of three */
        MPI_Datatype pair;

        MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
        MPI_Type_create_resized(pair, 0, 16, &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&pair);
    }
    int w = is_strided ? 4 : 1; /* ints of an element */
    fill(&d, in, call, rank, 0, MOST / 2);
    length = count * w;
    switch (which) {
    case 0:
        if (rank == root)
            memcpy(out, in, (size_t)length * 4);
        if (is_request)
            MPI_Ibcast(out, count, type, root, MPI_COMM_WORLD, &request);
        else
            MPI_Bcast(out, count, type, root, MPI_COMM_WORLD);
        break;
    case 1:
        length *= rank == root ? n : 0;
        if (is_request)
            MPI_Igather(in, count, type, out, count, type, root, MPI_COMM_WORLD, &request);
        else
            MPI_Gather(in, count, type, out, count, type, root, MPI_COMM_WORLD);
        break;
    case 2:
        if (is_request)
            MPI_Iscatter(in, count, type, out, count, type, root, MPI_COMM_WORLD, &request);
        else
            MPI_Scatter(in, count, type, out, count, type, root, MPI_COMM_WORLD);
        break;
    case 3:
        length *= n;
        if (is_request)
            MPI_Iallgather(in, count, type, out, count, type, MPI_COMM_WORLD, &request);
        else
            MPI_Allgather(in, count, type, out, count, type, MPI_COMM_WORLD);
        break;
    case 4:
        length *= n;
        if (is_request)
            MPI_Ialltoall(in, count, type, out, count, type, MPI_COMM_WORLD, &request);
        else
            MPI_Alltoall(in, count, type, out, count, type, MPI_COMM_WORLD);
        break;
    case 5:
        length = rank == root ? total * w : 0;
        if (is_request)
            MPI_Igatherv(in, counts[rank], type, out, counts, displs, type, root, MPI_COMM_WORLD,
                         &request);
        else
            MPI_Gatherv(in, counts[rank], type, out, counts, displs, type, root, MPI_COMM_WORLD);
        break;
    case 6:
        length = counts[rank] * w;
        if (is_request)
            MPI_Iscatterv(in, counts, displs, type, out, counts[rank], type, root, MPI_COMM_WORLD,
                          &request);
        else
            MPI_Scatterv(in, counts, displs, type, out, counts[rank], type, root, MPI_COMM_WORLD);
        break;
    case 7:
        length = total * w;
        if (is_request)
            MPI_Iallgatherv(in, counts[rank], type, out, counts, displs, type, MPI_COMM_WORLD,
                            &request);
        else
            MPI_Allgatherv(in, counts[rank], type, out, counts, displs, type, MPI_COMM_WORLD);
        break;
    case 8: {
        int to[256], at[256];

        for (int i = 0; i < n; i++) {
            to[i] = counts[(i + rank) % n];
            at[i] = displs[(i + rank) % n];
        }
        length = total * w;
        if (is_request)
            MPI_Ialltoallv(in, to, at, type, out, to, at, type, MPI_COMM_WORLD, &request);
        else
            MPI_Alltoallv(in, to, at, type, out, to, at, type, MPI_COMM_WORLD);
        break;
    }
    default:
        length = 0;
        if (is_request)
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
        else
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!is_strided && (which < 5 && which != 0)) {
        for (int r = 0; r < n; r++)
            if (which == 1 || which == 3)
                fill(&d, (int *)expected + r * count, call, r, 0, count);
            else if (which == 4)
                fill(&d, (int *)expected + r * count, call, r, rank * count, count);
        if (which == 2)
            fill(&d, expected, call, root, rank * count, count);
        check(names[which], call, (size_t)length * 4);
    }
    if (is_strided)
        MPI_Type_free(&type);
    print(names[which], is_strided ? "strided" : "int", call, count, root, (size_t)length * 4);
}

int main(int argc, char **argv)
{
    int calls = argc > 2 ? atoi(argv[2]) : 100;
    struct data kinds[] = {{"int", MPI_INT, MPI_SUM, 4, 1},
                           {"int max", MPI_INT, MPI_MAX, 4, 1},
                           {"maps", MPI_DATATYPE_NULL, MPI_OP_NULL, 8, 2},
                           {"double", MPI_DOUBLE, MPI_SUM, 8, 0},
                           {"product", MPI_DOUBLE, MPI_PROD, 8, 0},
                           {"complex", MPI_C_DOUBLE_COMPLEX, MPI_SUM, 16, 0},
                           {"own sum", MPI_DOUBLE, MPI_OP_NULL, 8, 0},
                           {"maxloc", MPI_2INT, MPI_MAXLOC, 8, 0}};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    state = 88172645463325252U + (argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 : 0);
    in = malloc(MOST * 16);
    out = malloc(MOST * 16);
    expected = malloc(MOST * 16);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &kinds[2].type);
    MPI_Type_commit(&kinds[2].type);
    MPI_Op_create(compose, 0, &kinds[2].op);
    MPI_Op_create(add_reals, 1, &kinds[6].op);
    for (int call = 0; call < calls; call++)
        if (draw(2))
            reductions(&kinds[draw(8)], call);
        else
            moves(call);
    MPI_Op_free(&kinds[2].op);
    MPI_Op_free(&kinds[6].op);
    MPI_Type_free(&kinds[2].type);
    free(in);
    free(out);
    free(expected);
    MPI_Finalize();
    return n_wrong != 0;
}
