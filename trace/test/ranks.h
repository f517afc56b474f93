/* SPDX-License-Identifier: BSD-3-Clause */
/* For the test of the recorder: what ranks do, between marks. */
#ifndef TEST_RANKS_H
#define TEST_RANKS_H

#include <portolan/mpi.h>
#include <portolan/record.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>
#include <pthread.h>

#define WORLD MPI_COMM_WORLD

static int rank, other;
static int one = 1, in;

static void do_blocking(void)
{
    char in_bytes[12];

    if (rank == 0) {
        MPI_Send(&one, 1, MPI_INT, 1, 7, WORLD);
        MPI_Ssend("abcdefgh", 8, MPI_CHAR, 1, 8, WORLD);
    } else {
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in_bytes, 12, MPI_CHAR, 0, 8, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(&one, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&one, 1, MPI_INT, MPI_PROC_NULL, 7, WORLD);
}

static void do_nonblocking(void)
{
    MPI_Request r[2];
    int flag;

    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, &r[0]);
    MPI_Isend(&one, 1, MPI_INT, other, 3, WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, other, 99, WORLD, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
}

static void do_probed(void)
{
    MPI_Message message;
    MPI_Request r;
    MPI_Status status;

    if (rank == 0) {
        for (int tag = 1; tag <= 3; tag++)
            MPI_Send(&one, 1, MPI_INT, 1, tag, WORLD);
        return;
    }
    MPI_Probe(0, 1, WORLD, &status);
    MPI_Recv(&in, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 2, WORLD, &message, &status);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 3, WORLD, &message, &status);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void do_persistent(void)
{
    MPI_Request r[2];

    MPI_Send_init(&one, 1, MPI_INT, other, 5, WORLD, &r[0]);
    MPI_Recv_init(&in, 1, MPI_INT, other, 5, WORLD, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Start(&r[0]);
    MPI_Start(&r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void do_collective(void)
{
    MPI_Request r;
    double x = 1, y, two[2];

    MPI_Barrier(WORLD);
    MPI_Bcast(&x, 1, MPI_DOUBLE, 1, WORLD);
    MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, 0, WORLD);
    MPI_Allgather(&x, 1, MPI_DOUBLE, two, 1, MPI_DOUBLE, WORLD);
    MPI_Ibarrier(WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Each communicator is used once, so that it is defined in both files. */
static void use(MPI_Comm comm)
{
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

static void do_communicators(void)
{
    const int two = 2, no = 0, dims[1] = {2}, index[2] = {1, 2}, edges[2] = {1, 0};
    MPI_Comm c, d, inter, single;
    MPI_Group world;
    MPI_Request r;
    char out = 'a', got[2];

    MPI_Comm_dup(WORLD, &c);
    MPI_Comm_split(c, 0, -rank, &d); /* the ranks in reverse order */
    use(d);
    MPI_Comm_idup(c, &d, &r);
    use(c);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    use(d);
    MPI_Comm_group(WORLD, &world);
    MPI_Comm_create_group(WORLD, world, 4, &c);
    use(c);
    MPI_Comm_create(WORLD, world, &c);
    use(c);
    MPI_Group_free(&world);
    MPI_Comm_split(WORLD, rank, 0, &single);
    MPI_Intercomm_create(single, 0, WORLD, other, 2, &inter);
    MPI_Sendrecv(&out, 1, MPI_CHAR, 0, 6, got, 1, MPI_CHAR, 0, 6, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, rank, &c);
    use(c);
    use(inter);
    use(single);
    MPI_Cart_create(WORLD, 1, dims, &no, 0, &c);
    MPI_Neighbor_allgather(&out, 1, MPI_CHAR, got, 1, MPI_CHAR, c);
    use(c);
    MPI_Graph_create(WORLD, two, index, edges, 0, &c);
    MPI_Neighbor_allgather(&out, 1, MPI_CHAR, got, 1, MPI_CHAR, c);
    use(c);
    MPI_Dist_graph_create_adjacent(WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &c);
    MPI_Neighbor_allgather(&out, 1, MPI_CHAR, got, 1, MPI_CHAR, c);
    use(c);
}

static void do_windows(void)
{
    int memory = 0;
    MPI_Win win;
    MPI_Group world, group;

    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, win);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
}

static uint32_t region(const char *name)
{
    return portolan_record_region(
        &(struct portolan_trace_region){.kind = PORTOLAN_TRACE_TIMER, .name = name});
}

/* Two of four steps are in the window; the outer region is there when it begins. */
static void do_steps(void)
{
    const uint32_t outer = region("outer"), inner = region("inner"),
                   size = portolan_record_name("size");

    portolan_record_enter(outer);
    for (int step = 0; step < 4; step++) {
        portolan_record_step(step);
        portolan_record_enter(inner);
        portolan_record_value(size, 0.5 * step);
        portolan_record_leave(inner);
    }
    portolan_record_step(-1);
    portolan_record_leave(outer);
}

/* Records more than a block. */
static void do_many(void)
{
    for (int i = 0; i < 10000; i++)
        MPI_Sendrecv(&one, 1, MPI_INT, other, i % 7, &in, 1, MPI_INT, other, i % 7, WORLD,
                     MPI_STATUS_IGNORE);
}

/* Sends that are complete at once have one handle in all threads. */
static void *exchange(void *comm)
{
    MPI_Request r[2];
    int from;

    for (int i = 0; i < 200; i++) {
        MPI_Irecv(&from, 1, MPI_INT, other, 0, *(MPI_Comm *)comm, &r[0]);
        MPI_Isend(&one, 1, MPI_INT, other, 0, *(MPI_Comm *)comm, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static const char *anew_folder;

static void do_threads(void)
{
    pthread_t threads[4];
    MPI_Comm comms[4];

    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(WORLD, &comms[i]);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, exchange, &comms[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void do_kill(void)
{
    do_many();
    MPI_Barrier(WORLD);
    if (rank == 1) {
        PMPI_Recv(&in, 1, MPI_INT, 0, 1, WORLD,
                  MPI_STATUS_IGNORE); /* the other has left the barrier, too */
        raise(SIGKILL);
    }
    PMPI_Send(&rank, 1, MPI_INT, 1, 1, WORLD);
    MPI_Recv(&in, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* for ever, but for mpiexec */
}

/* A child that ends its thread, which has the file of its parent. */
static void *be_parent(void *unused)
{
    pid_t child;

    (void)unused;
    MPI_Barrier(WORLD);
    if ((child = fork()) == 0) {
        portolan_record_on();
        MPI_Pcontrol(3);
        return NULL;
    }
    waitpid(child, NULL, 0);
    do_many();
    return NULL;
}

static void do_fork(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, be_parent, NULL);
    pthread_join(thread, NULL);
}

/* Two windows of a run that was not to be recorded when it began, each in a folder of its own. */
enum { DEEP_REGIONS = 100 };

static void do_deep(void)
{
    uint32_t region = portolan_record_region(
        &(struct portolan_trace_region){.kind = PORTOLAN_TRACE_TIMER, .name = "deep"});

    for (int i = 0; i < DEEP_REGIONS; i++)
        portolan_record_enter(region);
    MPI_Barrier(WORLD);
    portolan_record_off();
    MPI_Barrier(WORLD);
    portolan_record_on();
    MPI_Barrier(WORLD);
    for (int i = 0; i < DEEP_REGIONS; i++)
        portolan_record_leave(region);
}

static void do_anew(void)
{
    static const char *const names[] = {"first", "second"};
    int mine[2] = {0}, most[2];

    for (int i = 0; i < 2; i++) {
        char path[128];
        const struct portolan_record_settings settings = {.folder = path, .window = "cpu=never"};

        snprintf(path, sizeof path, "%s/%s", anew_folder, names[i]);
        MPI_Barrier(WORLD);
        if (portolan_record_configure(&settings, NULL))
            abort();
        portolan_record_on();
        MPI_Allreduce(mine, most, 1 + i, MPI_INT, MPI_MAX, WORLD);
        portolan_record_off();
        portolan_record_close();
    }
    portolan_record_end(); /* for good */
    if (portolan_record_configure(&(struct portolan_record_settings){.folder = anew_folder}, NULL))
        abort();
    portolan_record_on();
    if (portolan_record_is_on())
        abort();
}

static const struct scenario {
    const char *name, *window;
    void (*run)(void);
} scenarios[] = {
    {"blocking", "cpu=never", do_blocking},
    {"nonblocking", "cpu=never", do_nonblocking},
    {"probed", "cpu=never", do_probed},
    {"persistent", "cpu=never", do_persistent},
    {"collective", "cpu=never", do_collective},
    {"communicators", "cpu=never", do_communicators},
    {"windows", "cpu=never", do_windows},
    {"steps", "cpu=never steps=1,3 ranks=1", do_steps},
    {"processors", "cpu=always", do_blocking},
    {"many", "", do_many},
    {"full", "", do_many},
    {"threads", "", do_threads},
    {"kill", "", do_kill},
    {"fork", "", do_fork},
    {"deep", "cpu=never", do_deep},
    {"anew", "", do_anew},
    {NULL, NULL, NULL},
};

static int be_a_rank(const char *name, const char *folder)
{
    const struct scenario *s = scenarios;
    struct portolan_record_settings settings = {.folder = folder};
    struct portolan_error err = {0};
    int provided;

    while (s->name && strcmp(s->name, name) != 0)
        s++;
    settings.window = s->window;
    anew_folder = folder;
    if (s->run == do_anew)
        mkdir(folder, 0777);
    if (!s->name || (s->run != do_anew && portolan_record_configure(&settings, &err)) ||
        portolan_mpi_observe(portolan_record_observer(), &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        return 1;
    }
    MPI_Init_thread(NULL, NULL,
                    strcmp(name, "threads") && strcmp(name, "fork") ? MPI_THREAD_SINGLE
                                                                    : MPI_THREAD_MULTIPLE,
                    &provided);
    MPI_Comm_rank(WORLD, &rank);
    if (!strcmp(name, "full")) { /* as a disk with room for one block of each file */
        const struct rlimit limit = {2 * 65536 - 1, 2 * 65536 - 1};

        setrlimit(RLIMIT_FSIZE, &limit);
    }
    other = 1 - rank;
    MPI_Pcontrol(2);
    s->run();
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}

#endif
