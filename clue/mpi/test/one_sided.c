/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: prints what does not depend on time, to be compared with MPICH. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 64 };
static int rank, n;

static void show(const char *what, const int *values, int count)
{
    unsigned long own = 5381, all[64];

    for (int i = 0; i < count; i++)
        own = own * 33 + (unsigned)values[i];
    MPI_Gather(&own, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < n; i++)
        printf("%s, rank %d: %lx\n", what, i, all[i]);
}

static void fences(void)
{
    int *memory, got[N], right = (rank + 1) % n, left = (rank + n - 1) % n;
    MPI_Datatype every_second;
    MPI_Win win;

    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Type_vector(N / 4, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int i = 0; i < N; i++) {
        memory[i] = rank * 1000 + i;
        got[i] = -rank * 1000 - i;
    }
    MPI_Win_fence(0, win);
    MPI_Put(got, N / 4, MPI_INT, right, 1, 1, every_second, win);
    MPI_Win_fence(0, win);
    show("put", memory, N);
    MPI_Get(got, 1, every_second, left, 3, N / 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    show("get", got, N);
    for (int i = 0; i < n; i++)
        MPI_Accumulate(got, N / 4, MPI_INT, i, 2, 1, every_second, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    show("accumulate", memory, N);
    MPI_Type_free(&every_second);
    MPI_Win_free(&win);
}

/* Checks errors of a window of one rank; MPICH's put there does nothing. */
static void alone(void)
{
    int memory = 0, own = rank + 1, classes[14];
    MPI_Group group;
    MPI_Win win;

    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_get_group(win, &group);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Error_class(MPI_Win_sync(win), &classes[3]);
    MPI_Error_class(MPI_Win_fence(0, win), &classes[4]);
    MPI_Error_class(MPI_Win_start(group, MPI_MODE_NOCHECK, win), &classes[5]);
    MPI_Error_class(MPI_Win_lock_all(0, win), &classes[6]);
    MPI_Error_class(MPI_Win_free(&win), &classes[11]);
    MPI_Win_unlock(0, win);
    MPI_Error_class(MPI_Win_sync(win), &classes[7]);
    MPI_Error_class(MPI_Win_flush_all(win), &classes[8]);
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    MPI_Error_class(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), &classes[9]);
    MPI_Error_class(MPI_Win_fence(0, win), &classes[10]);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&group);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, win);
    MPI_Error_class(MPI_Put(&own, 1, MPI_INT, 0, 0, 1, MPI_INT, win), &classes[2]);
    MPI_Error_class(MPI_Put(&own, 1, MPI_INT, 1, 0, 1, MPI_INT, win), &classes[0]);
    MPI_Error_class(MPI_Win_lock(MPI_LOCK_SHARED, -5, 0, win), &classes[1]);
    MPI_Error_class(MPI_Compare_and_swap(&memory, &memory, &memory, MPI_FLOAT, 0, 0, win),
                    &classes[12]);
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Win_unlock(0, win);
    MPI_Error_class(MPI_Put(&own, 1, MPI_INT, 0, 0, 1, MPI_INT, win), &classes[13]);
    MPI_Win_fence(0, win);
    show("alone", classes, 14);
    MPI_Win_free(&win);
}

static void pairs(void)
{
    struct {
        double value;
        int index;
    } * memory, own = {3.5 * ((rank * 7) % 5), rank}, both[3] = {own, {0, 0}, own};
    MPI_Datatype outer, none;
    MPI_Win win;
    int index;

    MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    for (int i = 0; i < 4; i++) {
        memory[i].value = i < 3 ? -1 : 100;
        memory[i].index = 99;
    }
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &outer);
    MPI_Type_commit(&outer);
    MPI_Type_contiguous(0, MPI_DOUBLE_INT, &none);
    MPI_Type_commit(&none);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Accumulate(both, 1, outer, 0, 1, 1, outer, MPI_MAXLOC, win);
    MPI_Accumulate(both, 1, none, 0, 1, 1, none, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; i++) {
        index = memory[i].index;
        show("maxloc", &index, 1);
    }
    MPI_Type_free(&outer);
    MPI_Type_free(&none);
    MPI_Win_free(&win);
}

static void post_and_start(void)
{
    int memory[N], given[N], right = (rank + 1) % n, left = (rank + n - 1) % n;
    MPI_Group world, to, from;
    MPI_Win win;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &right, &to);
    MPI_Group_incl(world, 1, &left, &from);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int round = 0; round < 3; round++) {
        int assert = round == 1 ? MPI_MODE_NOCHECK : 0;

        for (int i = 0; i < N; i++)
            given[i] = round * 100000 + rank * 100 + i;
        MPI_Win_post(from, assert, win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_start(to, assert, win);
        MPI_Put(given, N, MPI_INT, right, 0, N, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        show("post and start", memory, N);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

/* Returns this process's memory in MB. */
static long resident_mb(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        exit(1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

/* The origin's data may not change before the epoch ends, so nobody need keep copies of them; but
 * to MEASURE that is of no use where other processes keep what other hosts sent. */
static void large(int measure)
{
    enum { COUNT = 2 << 20, PUTS = 24 };
    int *memory, *given = calloc(COUNT, sizeof *given), has_copies;
    long before;
    MPI_Win win;

    MPI_Win_allocate(COUNT * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < COUNT; i++)
        memory[i] = given[i] = rank + i;
    MPI_Win_fence(0, win);
    before = resident_mb();
    for (int i = 0; i < PUTS; i++)
        MPI_Put(given, COUNT, MPI_INT, (rank + 1) % n, 0, COUNT, MPI_INT, win);
    has_copies = resident_mb() - before > (long)(PUTS / 2 * COUNT * sizeof(int)) >> 20;
    MPI_Win_fence(0, win);
    if (measure)
        show("copies of large data", &has_copies, 1);
    show("large data", memory, COUNT);
    MPI_Win_free(&win);
    free(given);
}

static void locks(void)
{
    int *memory, value, sum = 0, one = 1, seen[2] = {0, 0};
    MPI_Win win;

    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < 4; i++)
        memory[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++) { /* not atomic without the lock */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        value += rank + 1;
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) { /* no other rank needs these locks */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
        MPI_Win_unlock(MPI_PROC_NULL, win);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    show("exclusive locks", &value, 1);

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 10; i++) { /* tickets are all different */
        MPI_Fetch_and_op(&one, &value, MPI_INT, n - 1, 1, MPI_SUM, win);
        MPI_Win_flush(n - 1, win);
        sum += value;
    }
    MPI_Win_unlock_all(win);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    show("tickets", &sum, 1);

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 5; i++) /* spins until it is this rank's turn */
        do {
            int turn = i * n + rank, next = turn + 1;

            MPI_Compare_and_swap(&next, &turn, &value, MPI_INT, 0, 2, win);
            MPI_Win_flush(0, win);
            seen[0] = value;
        } while (seen[0] != i * n + rank);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    show("compare and swap", &value, 1);
    MPI_Win_free(&win);
}

static void with_requests(void)
{
    int memory[N], given[N], got[N], old[N], right = (rank + 1) % n;
    MPI_Request requests[3];
    MPI_Win win;

    for (int i = 0; i < N; i++) {
        memory[i] = rank;
        given[i] = rank * 10 + i;
    }
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(given, N / 2, MPI_INT, right, 0, N / 2, MPI_INT, win, &requests[0]);
    MPI_Raccumulate(given, 4, MPI_INT, right, N - 4, 4, MPI_INT, MPI_PROD, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget(got, N, MPI_INT, right, 0, N, MPI_INT, win, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    show("with requests", got, N);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget_accumulate(given, N, MPI_INT, old, N, MPI_INT, right, 0, N, MPI_INT, MPI_REPLACE, win,
                        &requests[2]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    show("old", old, N);
    show("replaced", memory, N);
    MPI_Win_free(&win);
}

/* Waits for what another rank writes: asks for it, or looks into memory that both have. */
static void watch(void)
{
    int *memory, *first, unit, seen = 0, one = 1, own;
    MPI_Comm node;
    MPI_Aint size;
    MPI_Win win;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 1)
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    while (rank == 0 && !seen) {
        MPI_Fetch_and_op(&one, &seen, MPI_INT, 0, 0, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &own);
    MPI_Win_allocate_shared(own ? 0 : sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &first);
    MPI_Win_lock_all(0, win);
    MPI_Comm_size(node, &unit);
    if (own == unit - 1)
        *(volatile int *)first = 1;
    while (!*(volatile int *)first)
        MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    show("watch", first, 1);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

static void dynamic(void)
{
    int memory[4] = {rank, rank + 1, rank + 2, rank + 3}, got[4];
    MPI_Aint own, all[64];
    MPI_Win win;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory, &own);
    MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Get(got, 4, MPI_INT, (rank + 1) % n, all[(rank + 1) % n], 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    show("dynamic", got, 4);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
}

static void attributes(void)
{
    int memory[8], *unit, *flavor, is_set, values[6];
    MPI_Aint *size;
    MPI_Info info;
    char text[32];
    void *base;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "same_size", "maybe");
    MPI_Win_create(memory, sizeof memory, 4, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", 31, text, &is_set);
    values[4] = text[0] * 2 + is_set;
    MPI_Info_get(info, "same_size", 31, text, &is_set);
    values[5] = text[0] * 2 + is_set;
    MPI_Info_free(&info);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &is_set);
    values[0] = is_set && base == memory;
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &is_set);
    values[1] = (int)*size;
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &is_set);
    values[2] = *unit;
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &is_set);
    values[3] = *flavor == MPI_WIN_FLAVOR_CREATE;
    show("attributes", values, 6);
    MPI_Win_free(&win);
}

/* Loads and stores in memory that the ranks of a node share. */
static void shared(void)
{
    int *own, *theirs, n_here, here, left, is_left = 0, unit;
    MPI_Aint size;
    MPI_Comm node;
    MPI_Win win;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n_here);
    MPI_Comm_rank(node, &here);
    left = (here + n_here - 1) % n_here;
    MPI_Win_allocate_shared((2000 + rank) * sizeof *own, sizeof *own, MPI_INFO_NULL, node, &own,
                            &win);
    MPI_Win_shared_query(win, left, &size, &unit, &theirs);
    for (int i = 0; i < 2000 + rank; i++)
        own[i] = here;
    for (int round = 0; round < 3; round++) {
        MPI_Win_fence(0, win);
        for (int i = 0; i < (int)(size / unit); i++)
            is_left += theirs[i] == left + round;
        MPI_Win_fence(0, win);
        for (int i = 0; i < 2000 + rank; i++)
            own[i]++;
    }
    is_left = is_left == 3 * (int)(size / unit);
    show("shared", &is_left, 1);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    fences();
    alone();
    pairs();
    post_and_start();
    large(argc > 1);
    locks();
    with_requests();
    watch();
    dynamic();
    shared();
    attributes();
    MPI_Finalize();
    return 0;
}
