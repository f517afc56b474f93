/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking calls, each into a line of what came of it. Included twice by test_waits.c: NAME(x) is x
 * or x_c, COUNT and AT are the types of counts and displacements.
 */

static void NAME(messages)(MPI_Comm c)
{
    static double out[BIG], in[BIG + 5];
    const COUNT counts[] = {0, 5, BIG};
    MPI_Request r;
    MPI_Status status;

    fill(out, BIG, 1);
    memset(in, 0, sizeof in);
    for (int i = 0; i < 3; i++) {
        COUNT n = counts[i];

        PMPI_Irecv(in, BIG + 5, MPI_DOUBLE, before, 1, c, &r);
        done("Send", CALL(NAME(Send), out, n, MPI_DOUBLE, next, 1, c));
        finish(&r, in, sizeof in);
        PMPI_Irecv(in, BIG + 5, MPI_DOUBLE, before, 2, c, &r);
        done("Ssend", CALL(NAME(Ssend), out, n, MPI_DOUBLE, next, 2, c));
        finish(&r, in, sizeof in);
        PMPI_Irecv(in, BIG + 5, MPI_DOUBLE, before, 3, c, &r);
        PMPI_Barrier(c); /* the receive must be there */
        done("Rsend", CALL(NAME(Rsend), out, n, MPI_DOUBLE, next, 3, c));
        finish(&r, in, sizeof in);
        PMPI_Isend(out, (int)n, MPI_DOUBLE, next, 4, c, &r);
        received(
            "Recv",
            CALL(NAME(Recv), in, BIG, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, c, blank(&status)),
            &status, in, sizeof in);
        finish(&r, NULL, 0);
        PMPI_Isend(out, (int)n, MPI_DOUBLE, next, 5, c, &r);
        done("Recv", CALL(NAME(Recv), in, n, MPI_DOUBLE, before, 5, c, MPI_STATUS_IGNORE));
        finish(&r, in, sizeof in);
    }
    done("Send", CALL(NAME(Send), out, 3, MPI_DOUBLE, MPI_PROC_NULL, 1, c));
    received("Recv", CALL(NAME(Recv), in, 3, MPI_DOUBLE, MPI_PROC_NULL, 1, c, blank(&status)),
             &status, in, sizeof in);
}

static void NAME(exchanges)(MPI_Comm c)
{
    static double out[BIG], in[BIG];
    const int ends[][2] = {{next, before}, {MPI_PROC_NULL, MPI_PROC_NULL}};
    MPI_Status status;

    memset(in, 0, sizeof in);
    for (int i = 0; i < 2; i++)
        for (COUNT n = 0; n <= BIG; n += BIG / 2) {
            fill(out, BIG, 2);
            received("Sendrecv",
                     CALL(NAME(Sendrecv), out, n, MPI_DOUBLE, ends[i][0], 6, in, BIG, MPI_DOUBLE,
                          ends[i][1], 6, c, blank(&status)),
                     &status, in, sizeof in);
            received("Sendrecv_replace",
                     CALL(NAME(Sendrecv_replace), out, n, MPI_DOUBLE, ends[i][0], 7, ends[i][1], 7,
                          c, blank(&status)),
                     &status, out, sizeof out);
        }
    /* a chain: its ends have a neighbour on one side */
    received("Sendrecv",
             CALL(NAME(Sendrecv), out, 3, MPI_DOUBLE, next ? next : MPI_PROC_NULL, 6, in, 3,
                  MPI_DOUBLE, next == 1 ? MPI_PROC_NULL : before, 6, c, blank(&status)),
             &status, in, sizeof in);
    done("Sendrecv", CALL(NAME(Sendrecv), out, 3, MPI_DOUBLE, next, 6, in, 3, MPI_DOUBLE,
                          MPI_ANY_SOURCE, MPI_ANY_TAG, c, MPI_STATUS_IGNORE));
}

static void NAME(matched)(MPI_Comm c)
{
    char in[20] = {0};
    MPI_Message m;
    MPI_Request r;
    MPI_Status status;

    PMPI_Isend("matched", 8, MPI_CHAR, next, 8, c, &r);
    received("Mprobe", CALL(Mprobe, MPI_ANY_SOURCE, 8, c, &m, blank(&status)), &status, NULL, 0);
    received("Mrecv", CALL(NAME(Mrecv), in, 20, MPI_CHAR, &m, blank(&status)), &status, in, 8);
    tell("message null: %d", m == MPI_MESSAGE_NULL);
    finish(&r, NULL, 0);
    received("Mprobe", CALL(Mprobe, MPI_PROC_NULL, 8, c, &m, blank(&status)), &status, NULL, 0);
    received("Mrecv", CALL(NAME(Mrecv), in, 20, MPI_CHAR, &m, blank(&status)), &status, NULL, 0);
}

static void NAME(errors)(MPI_Comm c)
{
    int in[9] = {0}, out[9] = {0};
    MPI_Request r;
    MPI_Status status;

    done("Send nowhere", CALL(NAME(Send), out, 1, MPI_INT, 99, 1, c));
    done("Send no type", CALL(NAME(Send), out, 1, MPI_DATATYPE_NULL, next, 1, c));
    done("Bcast nobody's", CALL(NAME(Bcast), out, 1, MPI_INT, 99, c));
    PMPI_Isend(out, 9, MPI_INT, next, 9, c, &r);
    received("Recv", CALL(NAME(Recv), in, 1, MPI_INT, before, 9, c, blank(&status)), &status, NULL,
             0);
    finish(&r, NULL, 0);
    PMPI_Isend(out, 9, MPI_INT, next, 9, c, &r);
    received("Sendrecv",
             CALL(NAME(Sendrecv), out, 0, MPI_INT, next, 10, in, 2, MPI_INT, before, 9, c,
                  blank(&status)),
             &status, NULL, 0);
    finish(&r, NULL, 0);
    PMPI_Recv(in, 9, MPI_INT, before, 10, c, MPI_STATUS_IGNORE);
    PMPI_Isend(out, 9, MPI_INT, next, 9, c, &r);
    {
        MPI_Message m;

        PMPI_Mprobe(before, 9, c, &m, MPI_STATUS_IGNORE);
        received("Mrecv", CALL(NAME(Mrecv), in, 1, MPI_INT, &m, blank(&status)), &status, NULL, 0);
    }
    finish(&r, NULL, 0);
    done("Sendrecv nowhere", CALL(NAME(Sendrecv), out, 1, MPI_INT, 99, 10, in, 9, MPI_INT, before,
                                  9, c, MPI_STATUS_IGNORE));
}

/* C may be an intercommunicator, of PARTNERS on the other side; ROOT its root as seen from here. */
static void NAME(collectives)(MPI_Comm c, int partners, int root, bool in_place)
{
    COUNT own = rank_in(c) + 1, n = 3, out_n[MOST], in_n[MOST];
    AT at[MOST], at_bytes[MOST];
    MPI_Datatype types[MOST];
    int *out = ints(0), *in = ints(1), r = root < 0 ? 0 : root;
    bool at_root = in_place && root == rank_in(c);

    for (int i = 0; i < partners; i++) {
        out_n[i] = in_n[i] = i + 1;
        at[i] = i * 4;
        at_bytes[i] = i * 16;
        types[i] = MPI_INT;
    }
    done("Bcast", CALL(NAME(Bcast), out, rank_in(c) == r || root < 0 ? n : n, MPI_INT, root, c));
    keep(out);
    done("Gather",
         CALL(NAME(Gather), at_root ? MPI_IN_PLACE : out, n, MPI_INT, in, n, MPI_INT, root, c));
    keep(in);
    done("Gatherv", CALL(NAME(Gatherv), at_root ? MPI_IN_PLACE : out, own, MPI_INT, in, in_n, at,
                         MPI_INT, root, c));
    keep(in);
    done("Scatter",
         CALL(NAME(Scatter), out, n, MPI_INT, at_root ? MPI_IN_PLACE : in, n, MPI_INT, root, c));
    keep(in);
    done("Scatterv", CALL(NAME(Scatterv), out, out_n, at, MPI_INT, at_root ? MPI_IN_PLACE : in, own,
                          MPI_INT, root, c));
    keep(in);
    done("Allgather",
         CALL(NAME(Allgather), in_place ? MPI_IN_PLACE : out, n, MPI_INT, in, n, MPI_INT, c));
    keep(in);
    done("Allgatherv", CALL(NAME(Allgatherv), in_place ? MPI_IN_PLACE : out, own, MPI_INT, in, in_n,
                            at, MPI_INT, c));
    keep(in);
    done("Alltoall",
         CALL(NAME(Alltoall), in_place ? MPI_IN_PLACE : out, n, MPI_INT, in, n, MPI_INT, c));
    keep(in);
    for (int i = 0; i < partners; i++)
        out_n[i] = in_n[i] = 2;
    done("Alltoallv", CALL(NAME(Alltoallv), in_place ? MPI_IN_PLACE : out, out_n, at, MPI_INT, in,
                           in_n, at, MPI_INT, c));
    keep(in);
    done("Alltoallw", CALL(NAME(Alltoallw), in_place ? MPI_IN_PLACE : out, out_n, at_bytes, types,
                           in, in_n, at_bytes, types, c));
    keep(in);
}

static void NAME(reductions)(MPI_Comm c, int root, bool is_inter, MPI_Op op, MPI_Datatype type,
                             COUNT n)
{
    int *out = ints(2), *in = ints(3), size = size_of(c);
    COUNT each[MOST];

    done("Reduce", CALL(NAME(Reduce), out, in, n, type, op, root, c));
    keep(in);
    done("Allreduce", CALL(NAME(Allreduce), out, in, n, type, op, c));
    keep(in);
    if (is_inter)
        return;
    for (int i = 0; i < size; i++)
        each[i] = n;
    done("Reduce",
         CALL(NAME(Reduce), rank_in(c) == root ? MPI_IN_PLACE : out, in, n, type, op, root, c));
    keep(in);
    done("Allreduce", CALL(NAME(Allreduce), MPI_IN_PLACE, in, n, type, op, c));
    keep(in);
    done("Reduce_scatter", CALL(NAME(Reduce_scatter), out, in, each, type, op, c));
    keep(in);
    done("Reduce_scatter_block", CALL(NAME(Reduce_scatter_block), out, in, n, type, op, c));
    keep(in);
    done("Scan", CALL(NAME(Scan), out, in, n, type, op, c));
    keep(in);
    done("Scan", CALL(NAME(Scan), MPI_IN_PLACE, in, n, type, op, c));
    keep(in);
    done("Exscan", CALL(NAME(Exscan), out, in, n, type, op, c));
    keep(in);
}

static void NAME(neighbours)(MPI_Comm ring)
{
    int *out = ints(4), *in = ints(5);
    COUNT twos[2] = {2, 2}; /* both neighbours may be one */
    const AT at[2] = {0, 4};
    const MPI_Aint at_bytes[2] = {0, 16};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};

    done("Neighbor_allgather",
         CALL(NAME(Neighbor_allgather), out, 2, MPI_INT, in, 2, MPI_INT, ring));
    keep(in);
    done("Neighbor_allgatherv",
         CALL(NAME(Neighbor_allgatherv), out, 1, MPI_INT, in, (COUNT[]){1, 1}, at, MPI_INT, ring));
    keep(in);
    done("Neighbor_alltoall", CALL(NAME(Neighbor_alltoall), out, 2, MPI_INT, in, 2, MPI_INT, ring));
    keep(in);
    done("Neighbor_alltoallv",
         CALL(NAME(Neighbor_alltoallv), out, twos, at, MPI_INT, in, twos, at, MPI_INT, ring));
    keep(in);
    done("Neighbor_alltoallw", CALL(NAME(Neighbor_alltoallw), out, twos, at_bytes, types, in, twos,
                                    at_bytes, types, ring));
    keep(in);
}
