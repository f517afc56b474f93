/* SPDX-License-Identifier: BSD-3-Clause */
/* Random data types: sizes, extents, contents, packed bytes, and messages. MPICH is the oracle. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 16, MIDDLE = BYTES / 2 };
static unsigned long state = 42;
static int has_struct; /* MPI_Get_elements of MPICH divides by zero on some */

static int draw(int n)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (int)(state >> 33) % n;
}

static unsigned long hash(const void *bytes, size_t n)
{
    unsigned long h = 5381;

    for (size_t i = 0; i < n; i++)
        h = h * 33 + ((const unsigned char *)bytes)[i];
    return h;
}

static MPI_Datatype base(void)
{
    static const MPI_Datatype all[] = {
        MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_INT8_T, MPI_C_DOUBLE_COMPLEX};

    return all[draw(sizeof all / sizeof *all)];
}

static MPI_Datatype make(int depth)
{
    MPI_Datatype old = depth ? make(depth - 1) : base(), types[4] = {old, base(), old, base()}, new;
    int n = 1 + draw(4), lengths[4], displs[4], sizes[3], subs[3], starts[3], dist[2], args[2];
    MPI_Aint lb, extent, addresses[4], at = 0;

    MPI_Type_get_extent(old, &lb, &extent);
    for (int i = 0; i < 4; i++) {
        lengths[i] = draw(3);
        displs[i] = i * 3 + draw(2);
        addresses[i] = at;
        at += 3 * (extent > 32 ? extent : 32) + 4 * draw(3);
    }
    lengths[draw(n)] = 1;
    for (int i = 0; i < 3; i++) {
        sizes[i] = 2 + draw(3);
        starts[i] = draw(sizes[i]);
        subs[i] = 1 + draw(sizes[i] - starts[i]);
    }
    dist[0] = draw(2) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
    dist[1] = draw(2) ? MPI_DISTRIBUTE_NONE : MPI_DISTRIBUTE_CYCLIC;
    args[0] = MPI_DISTRIBUTE_DFLT_DARG;
    args[1] = dist[1] == MPI_DISTRIBUTE_NONE ? MPI_DISTRIBUTE_DFLT_DARG : 1 + draw(2);
    switch (draw(12)) {
    case 0:
        MPI_Type_contiguous(n, old, &new);
        break;
    case 1:
        MPI_Type_vector(n, 1 + draw(2), 2 + draw(2), old, &new);
        break;
    case 2:
        MPI_Type_create_hvector(n, 1 + draw(2), 3 * (extent + 4), old, &new);
        break;
    case 3:
        MPI_Type_indexed(n, lengths, displs, old, &new);
        break;
    case 4:
        MPI_Type_create_hindexed(n, lengths, addresses, old, &new);
        break;
    case 5:
        MPI_Type_create_indexed_block(n, 1 + draw(2), displs, old, &new);
        break;
    case 6:
        MPI_Type_create_hindexed_block(n, 1, addresses, old, &new);
        break;
    case 7:
        has_struct = 1;
        MPI_Type_create_struct(n, lengths, addresses, types, &new);
        break;
    case 8:
        MPI_Type_create_subarray(3, sizes, subs, starts, draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                 old, &new);
        break;
    case 9:
        MPI_Type_create_darray(4, draw(4), 2, (int[]){8, 4}, dist, args,
                               dist[1] == MPI_DISTRIBUTE_NONE ? (int[]){4, 1} : (int[]){2, 2},
                               MPI_ORDER_C, old, &new);
        break;
    case 10:
        MPI_Type_create_resized(old, lb, extent + 8, &new);
        break;
    default:
        MPI_Type_dup(old, &new);
    }
    if (depth)
        MPI_Type_free(&old);
    return new;
}

static void show_contents(MPI_Datatype type)
{
    int n_ints, n_addresses, n_types, combiner, ints[64];
    MPI_Aint addresses[64];
    MPI_Datatype types[16];

    MPI_Type_get_envelope(type, &n_ints, &n_addresses, &n_types, &combiner);
    printf(" combiner %d: %d %d %d:", combiner, n_ints, n_addresses, n_types);
    if (combiner == MPI_COMBINER_NAMED)
        return;
    MPI_Type_get_contents(type, 64, 64, 16, ints, addresses, types);
    for (int i = 0; i < n_ints; i++)
        printf(" %d", ints[i]);
    for (int i = 0; i < n_addresses; i++)
        printf(" %ld", (long)addresses[i]);
    for (int i = 0; i < n_types; i++) {
        int a, b, c, old;

        MPI_Type_get_envelope(types[i], &a, &b, &c, &old);
        if (old != MPI_COMBINER_NAMED)
            show_contents(types[i]);
        else
            printf(" %x", types[i]);
        if (old != MPI_COMBINER_NAMED)
            MPI_Type_free(&types[i]);
    }
}

static void show(int rank, int number, MPI_Datatype type)
{
    static char data[BYTES], row[BYTES], got[BYTES];
    int size, position = 0, count, partner = 1 - rank;
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Count elements = 0;
    MPI_Datatype twice;
    MPI_Status status;

    for (int i = 0; i < BYTES; i++)
        data[i] = (char)(i * 7 + i / 256 + rank);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    if (!size) /* MPICH forgets the extents of some */
        return;
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    if (rank == 0) {
        printf("%d: size %d, from %ld extent %ld, true from %ld extent %ld,", number, size,
               (long)lb, (long)extent, (long)true_lb, (long)true_extent);
        show_contents(type);
    }
    if (3 * (extent > 0 ? extent : -extent) + true_extent + labs(true_lb) > MIDDLE / 2 ||
        3 * size > BYTES)
        return;
    memset(row, 0, sizeof row);
    memset(got, 0, sizeof got);
    MPI_Pack(data + MIDDLE, 3, type, row, BYTES, &position, MPI_COMM_WORLD);
    if (rank == 0)
        printf(" packed %d %lx", position, hash(row, (size_t)position));
    position = 0;
    MPI_Unpack(row, 3 * size, &position, got + MIDDLE, 2, type, MPI_COMM_WORLD);
    if (rank == 0)
        printf(" unpacked %d %lx", position, hash(got, sizeof got));
    /* Sends two of three items; then half of a type of two. */
    MPI_Sendrecv(data + MIDDLE, 2, type, partner, 1, got + MIDDLE, 3, type, partner, 1,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    if (rank == 0)
        printf(" received %d %lx", count, hash(got, sizeof got));
    MPI_Type_contiguous(2, type, &twice);
    MPI_Type_commit(&twice);
    MPI_Sendrecv(data + MIDDLE, 1, type, partner, 2, got + MIDDLE, 1, twice, partner, 2,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, twice, &count);
    if (!has_struct)
        MPI_Get_elements_x(&status, twice, &elements);
    MPI_Type_free(&twice);
    if (rank == 0)
        printf(" part %d %ld", count, (long)elements);
}

static void show_external(void)
{
    static const MPI_Datatype types[] = {MPI_INT,   MPI_DOUBLE, MPI_SHORT,       MPI_CHAR,
                                         MPI_FLOAT, MPI_LONG,   MPI_LONG_DOUBLE, MPI_UNSIGNED_LONG};
    int ints[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    long double reals[2] = {1.5L, -1e300L};
    char row[64], back[64];

    for (int i = 0; i < 8; i++) {
        const void *data = types[i] == MPI_LONG_DOUBLE ? (const void *)reals : ints;
        MPI_Aint position = 0, size;

        MPI_Pack_external_size("external32", 2, types[i], &size);
        MPI_Pack_external("external32", data, 2, types[i], row, 64, &position);
        printf("external %ld %ld %lx", (long)size, (long)position, hash(row, (size_t)position));
        memset(back, 0, sizeof back);
        position = 0;
        MPI_Unpack_external("external32", row, 64, &position, back, 2, types[i]);
        printf(" %ld %lx\n", (long)position, hash(back, sizeof back));
    }
}

/* Shows large counts, and names and types of MPI-1. */
static void show_forms(int rank)
{
    const MPI_Datatype marked[] = {MPI_LB, MPI_INT, MPI_UB};
    int data[24], got[24] = {0}, count, partner = 1 - rank;
    MPI_Count lengths[2] = {2, 1}, displs[2] = {0, 4}, size, position = 0, extent, lb;
    MPI_Aint old;
    MPI_Datatype a, b;
    MPI_Status status;
    char row[128];

    for (int i = 0; i < 24; i++)
        data[i] = 100 * rank + i;
    MPI_Type_indexed_c(2, lengths, displs, MPI_INT, &a);
    MPI_Type_hvector(2, 1, 40, a, &b);
    MPI_Type_commit(&b);
    MPI_Type_get_extent_c(b, &lb, &extent);
    MPI_Type_size_c(b, &size);
    MPI_Type_extent(b, &old);
    MPI_Pack_c(data, 1, b, row, 128, &position, MPI_COMM_WORLD);
    MPI_Sendrecv_c(data, 1, b, partner, 1, got, 1, b, partner, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    if (rank == 0)
        printf("forms: %ld %ld %ld %ld %lx %d %lx\n", (long)size, (long)extent, (long)old,
               (long)position, hash(row, (size_t)position), count, hash(got, sizeof got));
    MPI_Type_free(&a);
    MPI_Type_free(&b);
    MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){-8, 0, 24}, marked, &a);
    show(rank, 400, a);
    MPI_Status_set_elements(&status, a, 3);
    MPI_Get_elements(&status, a, &count);
    MPI_Type_free(&a);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &a);
    MPI_Type_get_name(a, row, &partner);
    if (rank == 0)
        printf(" elements %d %s\n", count, row);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 400; i++) {
        MPI_Datatype type;

        has_struct = 0;
        type = make(draw(4));

        show(rank, i, type);
        MPI_Type_free(&type);
        if (rank == 0)
            printf("\n");
    }
    show_forms(rank);
    if (rank == 0)
        show_external();
    MPI_Finalize();
    return 0;
}
