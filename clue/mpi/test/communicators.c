/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups, communicators of both kinds, topologies, attributes, info objects, error handlers. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n;

/* Rank 0 prints what the N ranks have, in order. */
static void show(const char *what, int value)
{
    if (rank) {
        MPI_Send(&value, 1, MPI_INT, 0, 1000, MPI_COMM_WORLD);
        return;
    }
    printf("%s: %d", what, value);
    for (int i = 1; i < n; i++) {
        MPI_Recv(&value, 1, MPI_INT, i, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(" %d", value);
    }
    printf("\n");
}

/* Prints rank, size, and the ring's neighbour. */
static void show_comm(const char *what, MPI_Comm comm)
{
    int own = -1, size = -1, world = -1;

    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &own);
        MPI_Comm_size(comm, &size);
        MPI_Sendrecv(&rank, 1, MPI_INT, (own + 1) % size, 1, &world, 1, MPI_INT,
                     (own + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
    }
    show(what, 10000 * own + 100 * size + world);
}

static void groups(void)
{
    MPI_Group world, a, b, c;
    int ranks[] = {n - 1, 0}, range[1][3] = {{n - 1, 0, -1}}, size, result, out[2], own;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &a);
    MPI_Group_excl(world, 1, ranks, &b);
    MPI_Group_range_incl(world, 1, range, &c);
    MPI_Group_compare(world, c, &result);
    show("compare", result == MPI_SIMILAR);
    MPI_Group_translate_ranks(a, 2, (int[]){0, 1}, c, out);
    show("translated", 10 * out[0] + out[1]);
    MPI_Group_free(&c);
    MPI_Group_union(b, a, &c);
    MPI_Group_rank(c, &own);
    show("union", own);
    MPI_Group_free(&c);
    MPI_Group_intersection(a, b, &c);
    MPI_Group_size(c, &size);
    show("intersection", size);
    MPI_Group_free(&c);
    MPI_Group_difference(world, world, &c);
    show("difference", c == MPI_GROUP_EMPTY);
    MPI_Group_free(&c);
    MPI_Group_range_excl(world, 1, (int[1][3]){{0, n - 1, 2}}, &c);
    MPI_Group_rank(c, &own);
    show("range", own == MPI_UNDEFINED ? -1 : own);
    MPI_Group_free(&c);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&world);
}

static void intra(void)
{
    MPI_Comm a, b, c;
    MPI_Group group, part;
    MPI_Request request;
    char name[MPI_MAX_OBJECT_NAME];
    int result, length;

    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    show_comm("dup", a);
    MPI_Comm_compare(a, MPI_COMM_WORLD, &result);
    show("compare", result == MPI_CONGRUENT);
    MPI_Comm_idup(a, &b, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show_comm("idup", b);
    MPI_Comm_free(&b);
    MPI_Comm_split(a, -(rank % 2), -rank, &b); /* MPICH takes any color */
    show_comm("split", b);
    MPI_Comm_free(&b);
    MPI_Comm_split(a, rank ? 3 : MPI_UNDEFINED, 0, &b);
    show_comm("split undefined", b);
    if (b != MPI_COMM_NULL)
        MPI_Comm_free(&b);
    MPI_Comm_group(a, &group);
    MPI_Group_incl(group, 1 + n / 2, (int[]){n - 1, 0, 1}, &part);
    MPI_Comm_create(a, part, &b);
    show_comm("create", b);
    MPI_Group_rank(part, &result);
    c = MPI_COMM_NULL;
    if (result != MPI_UNDEFINED)
        MPI_Comm_create_group(a, part, 5, &c);
    show_comm("create group", c);
    if (c != MPI_COMM_NULL) {
        MPI_Comm_set_name(c, "part");
        MPI_Comm_get_name(c, name, &length);
        MPI_Comm_free(&c);
        MPI_Comm_free(&b);
    }
    MPI_Group_free(&part);
    MPI_Group_free(&group);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    show(name, length);
    show_comm("self", MPI_COMM_SELF);
    MPI_Comm_free(&a);
}

static void inter(void)
{
    MPI_Comm half, both, copy, part, merged;
    int is_inter, size, value = rank, got = -1, own, low = rank < n / 2;

    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? n / 2 : 0, 3, &both);
    MPI_Comm_test_inter(both, &is_inter);
    MPI_Comm_remote_size(both, &size);
    MPI_Comm_rank(both, &own);
    show("inter", 100 * is_inter + 10 * size + own);
    MPI_Sendrecv(&value, 1, MPI_INT, own, 1, &got, 1, MPI_INT, own, 1, both, MPI_STATUS_IGNORE);
    show("other", got);
    MPI_Comm_dup(both, &copy);
    MPI_Comm_compare(both, copy, &size);
    show("compare", size == MPI_CONGRUENT);
    MPI_Comm_split(copy, 1, -own, &part);
    MPI_Comm_rank(part, &own);
    show("split", own);
    MPI_Sendrecv(&value, 1, MPI_INT, own, 1, &got, 1, MPI_INT, own, 1, part, MPI_STATUS_IGNORE);
    show("other", got);
    for (int high = 0; high < 3; high++) {
        MPI_Intercomm_merge(both, high == 2 ? low : high == 1 ? !low : 0, &merged);
        show_comm("merged", merged);
        MPI_Comm_free(&merged);
    }
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void grids(void)
{
    MPI_Comm grid, row;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], source, dest, own, status;

    for (int i = 1; i <= 130; i++) {
        int d[4] = {0, 0, 0, 0}, e[3] = {0, 0, 0}, f[2] = {0, 0};

        MPI_Dims_create(i, 4, d);
        MPI_Dims_create(i, 3, e);
        MPI_Dims_create(i, 2, f);
        if (rank == 0)
            printf("dims %d: %d %d %d %d; %d %d %d; %d %d\n", i, d[0], d[1], d[2], d[3], e[0], e[1],
                   e[2], f[0], f[1]);
    }
    MPI_Dims_create(n, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Topo_test(grid, &status);
    MPI_Cart_get(grid, 2, dims, periods, coords);
    show("coords", 100 * (status == MPI_CART) + 10 * coords[0] + coords[1]);
    for (int d = 0; d < 2; d++) {
        MPI_Cart_shift(grid, d, 1, &source, &dest);
        show("shift", 10 * source + dest);
    }
    coords[0] -= 1;
    MPI_Cart_rank(grid, coords, &own);
    show("rank", own);
    MPI_Cart_sub(grid, (int[]){1, 0}, &row);
    show_comm("row", row);
    MPI_Cartdim_get(row, &own);
    show("dimensions", own);
    MPI_Comm_free(&row);
    MPI_Comm_dup(grid, &row);
    MPI_Cart_coords(row, n - 1, 2, coords);
    show("copy", 10 * coords[0] + coords[1]);
    MPI_Comm_free(&row);
    MPI_Cart_sub(grid, (int[]){0, 0}, &row);
    show_comm("point", row);
    if (row != MPI_COMM_NULL)
        MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){n - 1}, periods, 0, &grid);
    show_comm("smaller", grid);
    if (grid != MPI_COMM_NULL)
        MPI_Comm_free(&grid);
}

static void graphs(void)
{
    MPI_Comm graph;
    int index[16], edges[32], count, neighbours[32], n_in, n_out, weighted, weights[8];

    for (int i = 0; i < n; i++) {
        edges[2 * i] = (i + 1) % n;
        edges[2 * i + 1] = (i + n - 1) % n;
        index[i] = 2 * (i + 1);
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, rank, &count);
    MPI_Graph_neighbors(graph, rank, 2, neighbours);
    show("graph", 100 * count + 10 * neighbours[0] + neighbours[1]);
    MPI_Graphdims_get(graph, &count, &n_in);
    show("graph of", 100 * count + n_in);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (int[]){(rank + 1) % n}, (int[]){7}, 1,
                                   (int[]){(rank + n - 1) % n}, (int[]){8}, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &weighted);
    MPI_Dist_graph_neighbors(graph, n_in, neighbours, weights, n_out, neighbours + 1, weights + 1);
    show("adjacent", 1000 * n_in + 100 * n_out + 10 * neighbours[0] + neighbours[1]);
    show("weights", 100 * weighted + 10 * weights[0] + weights[1]);
    MPI_Comm_free(&graph);
    /* The first rank passes the edges of all. */
    for (int i = 0; i < n; i++) {
        index[i] = 1;
        edges[i] = (i + 1) % n;
        neighbours[i] = i;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank ? 0 : n, neighbours, index, edges, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &weighted);
    MPI_Dist_graph_neighbors(graph, n_in, neighbours, MPI_UNWEIGHTED, n_out, neighbours + 1,
                             MPI_UNWEIGHTED);
    show("spread", 1000 * n_in + 100 * n_out + 10 * neighbours[0] + neighbours[1]);
    MPI_Comm_free(&graph);
}

static int copies, deletes;

static int copy_one(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    copies += *(int *)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_one(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    deletes += *(int *)extra;
    return MPI_SUCCESS;
}

static int fail_to_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    return MPI_ERR_OTHER;
}

static int show_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    show("deleted", *(int *)value);
    return MPI_SUCCESS;
}

/* Checks that a value which replaces another keeps its place, and that a freed key still works. */
static void order_of_attributes(void)
{
    static int values[] = {1, 2, 3};
    int keys[2], first;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int i = 0; i < 3; i++) {
        if (i < 2)
            MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, show_deleted, &keys[i], NULL);
        MPI_Comm_set_attr(comm, keys[i % 2], &values[i]);
    }
    first = keys[0];
    MPI_Comm_free_keyval(&keys[0]);
    MPI_Comm_delete_attr(comm, first);
    MPI_Comm_set_attr(comm, keys[1], &values[0]);
    MPI_Comm_free(&comm);
}

static void attributes(void)
{
    static int extra = 1, value = 17; /* MPI_Finalize reads them */
    int keys[3], flag, *got, *tag;
    MPI_Comm copy;
    MPI_Info info;
    char text[64];
    const char *hints[] = {"mpi_assert_exact_length", "mpi_assert_no_any_tag", "one"};

    MPI_Comm_create_keyval(copy_one, delete_one, &keys[0], &extra);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[1], NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[2], NULL);
    for (int i = 0; i < 3; i++)
        MPI_Comm_set_attr(MPI_COMM_WORLD, keys[i], &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_get_attr(copy, keys[i], &got, &flag);
        show("attribute", flag ? *got : -1);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keys[0]);
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], &value);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keys[0], &value);
    MPI_Comm_free_keyval(&keys[0]);
    show("copies", 10 * copies + deletes);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &flag);
    show("tag", *tag);
    MPI_Info_create(&info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "2");
    MPI_Info_set(info, "one", "eleven");
    MPI_Info_delete(info, "two");
    MPI_Info_get_nkeys(info, &flag);
    show("keys", flag);
    MPI_Info_get(info, "one", 63, text, &flag);
    show(text, flag);
    MPI_Info_get(info, "two", 63, text, &flag);
    show("gone", flag);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Info_get(info, "one", 3, text, &flag), &keys[0]);
    show(text, keys[0]);
    MPI_Error_class(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL), &keys[0]);
    show("no hints", keys[0]);
    MPI_Error_class(MPI_Type_set_attr(MPI_INT, keys[1], &value), &keys[0]);
    show("key of another kind", keys[0]);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fail_to_delete, &keys[0], NULL);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &copy);
    MPI_Comm_set_attr(copy, keys[0], &value);
    show("not freed", MPI_Comm_free(&copy) != MPI_SUCCESS);
    show("but without attributes", MPI_Comm_free(&copy));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Info_set(info, "mpi_assert_no_any_tag", "perhaps");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Info_free(&info);
    MPI_Comm_get_info(copy, &info);
    for (int i = 0; i < 3; i++) {
        MPI_Info_get(info, hints[i], 63, text, &flag);
        show(text, flag);
    }
    MPI_Info_free(&info);
    MPI_Comm_free(&copy);
}

static int copy_none(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

/* Values copied before a copy fails belong to no object; errors of collectives are returned. */
static void returned_errors(void)
{
    static int value = 3;
    int out[4] = {rank}, in[4 * 64], room[64], places[64], keys[2], class;
    MPI_Comm world, copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[0], NULL);
    MPI_Comm_create_keyval(copy_none, MPI_COMM_NULL_DELETE_FN, &keys[1], NULL);
    MPI_Comm_set_attr(world, keys[1], &value);
    MPI_Comm_set_attr(world, keys[0], &value);
    copy = world;
    show("copy", MPI_Comm_dup(world, &copy) == MPI_SUCCESS);
    show("no copy", copy == MPI_COMM_NULL);
    MPI_Comm_delete_attr(world, keys[1]);
    show("deleted again", MPI_Comm_delete_attr(world, keys[1]));
    show("copied", MPI_Comm_dup(world, &copy) == MPI_SUCCESS);
    MPI_Comm_free(&copy);
    for (int i = 0; i < 64; i++) {
        room[i] = i ? 2 : 4;
        places[i] = 4 * i;
    }
    MPI_Error_class(MPI_Gatherv(out, 4, MPI_INT, in, room, places, MPI_INT, 0, world), &class);
    show("truncated", class);
    MPI_Comm_free(&world);
    MPI_Comm_free_keyval(&keys[0]);
    MPI_Comm_free_keyval(&keys[1]);
}

static void class_of(const char *name, int code)
{
    int class;

    MPI_Error_class(code, &class);
    show(name, class);
}

/* Uses one buffer twice, or MPI_IN_PLACE where it is not allowed. */
static void same_buffers(void)
{
    int b[4] = {rank}, c[4], two[] = {2}, none[] = {0};
    MPI_Comm self;

    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    class_of("gather", MPI_Gather(b, 2, MPI_INT, b, 2, MPI_INT, 0, self));
    class_of("scatter", MPI_Scatterv(b, two, none, MPI_INT, b, 2, MPI_INT, 0, self));
    class_of("allgather", MPI_Allgatherv(b, 2, MPI_INT, b, two, none, MPI_INT, self));
    class_of("alltoall", MPI_Alltoall(b, 1, MPI_INT, b, 1, MPI_INT, self));
    class_of("alltoallv", MPI_Alltoallv(b, two, none, MPI_INT, b, two, none, MPI_INT, self));
    class_of("reduce", MPI_Reduce(b, b, 1, MPI_INT, MPI_SUM, 0, self));
    class_of("reduce nothing", MPI_Reduce(b, b, 0, MPI_INT, MPI_SUM, 0, self));
    class_of("scan", MPI_Scan(b, b, 1, MPI_INT, MPI_SUM, self));
    class_of("reduce_scatter", MPI_Reduce_scatter(b, b, two, MPI_INT, MPI_SUM, self));
    class_of("in place", MPI_Allgather(b, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, self));
    class_of("reduce in place", MPI_Reduce(b, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, 0, self));
    class_of("others", MPI_Allreduce(b, c, 1, MPI_INT, MPI_SUM, self));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    class_of("local", MPI_Reduce_local(b, b, 1, MPI_INT, MPI_SUM));
    class_of("local in place", MPI_Reduce_local(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM));
    MPI_Comm_free(&self);
}

/* MPI_FILE_NULL has the handler of files that will be opened. */
static void file_handler(void)
{
    MPI_Errhandler handler;

    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    show("files return errors", handler == MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    show("now they are fatal", handler == MPI_ERRORS_ARE_FATAL);
}

static void note(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    printf("handler: class %d\n", class);
}

static void errors(void)
{
    MPI_Errhandler handler, again;
    int class, code, length, value;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Datatype type;
    MPI_Comm copy;

    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &again);
    show("the same handler", again == handler);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&again);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, n + 3, 0, MPI_COMM_WORLD);
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
        MPI_Type_vector(2, -1, 1, MPI_INT, &type);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 0, -3, copy);
    MPI_Comm_free(&copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "of our own");
    MPI_Error_string(code, text, &length);
    MPI_Error_class(code, &value);
    show(text, length + (value == class));
    MPI_Error_string(MPI_ERR_TOPOLOGY, text, &length);
    show(text, length);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    show("provided", provided);
    groups();
    intra();
    inter();
    grids();
    graphs();
    attributes();
    order_of_attributes();
    returned_errors();
    same_buffers();
    file_handler();
    errors();
    MPI_Finalize();
    if (rank == 0)
        printf("deleted %d\n", deletes);
    return 0;
}
