/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures what messages, collectives and busy processors cost on a real machine. Rank 0 of two
 * ranks prints a line for each sample, "KIND BYTES NANOSECONDS". Each round measures everything
 * once (every fourth round what takes long), so that a disturbance spoils a few samples of many
 * things, not many of one. `portolan clue calibrate` starts it, and reads what it prints
 * (clue/calibrate/samples.c).
 *
 * portolan-calibrate [SECONDS]
 */
#include "kernels.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BYTES = 4 << 20, COPIED_BYTES = 256 << 10, MOST_SIZES = 64, ROOM_BYTES = 32 << 10 };
#define BATCH_NS 2e6  /* duration of a sample */
#define LONG_NS  10e6 /* on slow networks, what takes longer is measured in fewer rounds */

static const MPI_Comm world = MPI_COMM_WORLD;
static int rank;
static bool same_host;
static double expected_ns; /* duration of the next sample's operation before; 0: not known */
static char *out, *in;

static double now_ns(void)
{
    return MPI_Wtime() * 1e9;
}

static void stay_busy(double ns)
{
    for (double until = now_ns() + ns; now_ns() < until;)
        ;
}

static void send(int bytes, int tag)
{
    MPI_Send(out, bytes, MPI_BYTE, !rank, tag, world);
}

static void receive(int bytes, int tag)
{
    MPI_Recv(in, bytes, MPI_BYTE, !rank, tag, world, MPI_STATUS_IGNORE);
}

/* Returns how often an operation is repeated for one sample. */
static int repetitions(int most)
{
    int n = expected_ns > 0 ? (int)(BATCH_NS / expected_ns) : 2;

    return n < 1 ? 1 : n > most ? most : n;
}

/* -- samples: all ranks call these; rank 0 gets the result, unless stated -- */

/* Measures half a round trip. */
static double sample_half(int bytes)
{
    int n = repetitions(100);
    double start = now_ns();

    for (int i = 0; i < 2 * n; i++)
        rank == i % 2 ? send(bytes, 0) : receive(bytes, 0);
    return (now_ns() - start) / n / 2;
}

/* Returns for how many messages the library surely has room. */
static int waiting_messages(int bytes)
{
    int n = ROOM_BYTES / (bytes + 1024);

    return n < 1 ? 1 : n > 16 ? 16 : n;
}

/* Measures sends that are not received yet. */
static double sample_send(int bytes)
{
    int n = waiting_messages(bytes);
    double start = now_ns(), ns;

    for (int i = 0; i < n && rank == 0; i++)
        send(bytes, 0);
    ns = (now_ns() - start) / n;
    MPI_Barrier(world);
    for (int i = 0; i < n && rank == 1; i++)
        receive(bytes, 0);
    return ns;
}

/* Measures receives of messages that came while their receiver computed: no call has seen them. */
static double sample_receive(int bytes)
{
    int n = waiting_messages(bytes);
    double start, result = 0, late_ns;

    expected_ns = 0;
    late_ns = 2000 + 2.0 * n * sample_half(bytes);
    MPI_Barrier(world);
    for (int i = 0; i < n && rank == 0; i++)
        send(bytes, 0);
    if (rank == 1) {
        stay_busy(late_ns);
        start = now_ns();
        for (int i = 0; i < n; i++)
            receive(bytes, 0);
        result = (now_ns() - start) / n;
        MPI_Send(&result, 1, MPI_DOUBLE, 0, 1, world);
    } else {
        MPI_Recv(&result, 1, MPI_DOUBLE, 1, 1, world, MPI_STATUS_IGNORE);
    }
    return result;
}

/* Measures the time per message of a row that is received as it arrives: the gap of the network. */
static double sample_stream(int bytes)
{
    int n = repetitions(64);
    double start = now_ns();

    for (int i = 0; i < n; i++)
        rank == 0 ? send(bytes, 0) : receive(bytes, 0);
    rank == 0 ? receive(0, 1) : send(0, 1);
    return (now_ns() - start) / n;
}

/* Measures a kernel on BYTES of data, while the other rank sleeps. */
static double sample_alone(int bytes)
{
    double ns = rank == 0 ? kernel_time(bytes) : 0;

    if (rank == 1) /* in MPI, a rank that waits would keep its processor busy, too */
        nanosleep(&(struct timespec){.tv_nsec = 2 * KERNEL_NS}, NULL);
    return ns;
}

static double sample_together(int bytes)
{
    return kernel_time(bytes);
}

/* Measures how long a send blocks if it is not received for LATE_NS. */
static double sample_late(int bytes, double late_ns)
{
    double start = now_ns(), ns = 0;

    if (rank == 0) {
        send(bytes, 0);
        ns = now_ns() - start;
    } else {
        stay_busy(late_ns);
        receive(bytes, 0);
    }
    return ns;
}

/* Measures how long a send takes after a late receiver has come: the part of the way that begins
 * only when both are ready. */
static double sample_rest(int bytes)
{
    double late_ns = 20e3 + 3 * sample_half(bytes);

    MPI_Bcast(&late_ns, 1, MPI_DOUBLE, 0, world);
    MPI_Barrier(world);
    return sample_late(bytes, late_ns) - late_ns;
}

/* -- operations that are performed once; a sample is their mean -- */

/* Exchanges both ways at once, without blocking. */
static void exchange(int bytes)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Irecv(in, bytes, MPI_BYTE, !rank, 0, world, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, !rank, 0, world, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

static void barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(world);
}

static void bcast(int bytes)
{
    MPI_Bcast(out, bytes, MPI_BYTE, 0, world);
}

static void reduce(int bytes)
{
    MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, world);
}

static void allreduce(int bytes)
{
    MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, world);
}

/* Copies in memory, as collectives copy a rank's own part. */
static void pack(int bytes)
{
    memcpy(in, out, (size_t)bytes);
    __asm__ volatile("" ::: "memory");
}

/* -- the table of kinds -- */

struct kind {
    const char *name;
    double (*sample)(int bytes); /**< NULL: the mean of at most MOST times ONCE */
    int least, most, per_octave; /**< range of sizes; PER_OCTAVE 0: LEAST alone */
    bool of_one_host;
    bool of_shared_memory; /**< measured only if collectives on one host use no messages */
    bool of_eager,
        of_others; /**< OF_EAGER: only up to the eager limit; OF_OTHERS: only beyond it */
    void (*once)(int bytes);
    int most_often;
    bool ends_together; /**< ranks that leave early wait for the last */
};
static const struct kind kinds[] = {
    {"half", sample_half, 0, MOST_BYTES, 2, .of_one_host = false},
    {"send", sample_send, 0, MOST_BYTES, 2, .of_eager = true},
    {"receive", sample_receive, 0, MOST_BYTES, 2, .of_eager = true},
    {"rest", sample_rest, 0, MOST_BYTES, 1, .of_others = true},
    {"stream", sample_stream, 0, MOST_BYTES, 1, .of_one_host = false},
    {"exchange", NULL, 0, MOST_BYTES, 1, .once = exchange, .most_often = 100},
    {"barrier", NULL, 0, 0, 0, .of_shared_memory = true, .once = barrier, .most_often = 100},
    {"bcast", NULL, 8, MOST_BYTES, 2, .of_shared_memory = true, .once = bcast, .most_often = 50,
     .ends_together = true},
    {"reduce", NULL, 8, MOST_BYTES, 2, .of_shared_memory = true, .once = reduce, .most_often = 50,
     .ends_together = true},
    {"allreduce", NULL, 8, MOST_BYTES, 2, .of_shared_memory = true, .once = allreduce,
     .most_often = 50},
    {"call", NULL, 8, 8, 0, .of_one_host = true, .once = allreduce, .most_often = 100},
    {"pack", NULL, 0, MOST_BYTES, 1, .once = pack, .most_often = 1000},
    {"alone", sample_alone, KERNEL_LEAST, KERNEL_MOST, -5, .of_one_host = true},
    {"together", sample_together, KERNEL_LEAST, KERNEL_MOST, -5, .of_one_host = true},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Lists the sizes of a kind: LEAST, and from 8 bytes on so many per octave (below 0: octaves per
 * size); up to the eager limit, and the sizes around it. */
static int list_sizes(const struct kind *k, int eager, int *sizes)
{
    int n = 0, step = k->per_octave < 0 ? -k->per_octave : 1;
    int most = k->of_eager && eager < k->most ? eager : k->most;

    if (k->of_others && eager >= most)
        return 0;
    sizes[n++] = k->of_others ? eager + 1 : k->least;
    for (int bytes = k->least ? k->least << step : 8; bytes <= most && k->per_octave;
         bytes <<= step) {
        if (k->of_others && bytes <= eager)
            continue;
        sizes[n++] = bytes;
        if (eager > bytes && eager < 2 * bytes && k->per_octave == 2) {
            sizes[n++] = eager;
            if (!k->of_eager)
                sizes[n++] = eager + 1;
        } else if (k->per_octave == 2 && bytes + bytes / 2 <= most) {
            sizes[n++] = bytes + bytes / 2;
        }
    }
    return n;
}

static double mean_of(const struct kind *k, int bytes)
{
    int n = repetitions(k->most_often);
    double start = now_ns();

    for (int i = 0; i < n; i++)
        k->once(bytes);
    if (k->ends_together)
        MPI_Barrier(world);
    return (now_ns() - start) / n;
}

static void measure_kind(const struct kind *k, double *expected, int eager, int round)
{
    enum { ROUNDS_OF_LONG = 4 };
    int sizes[MOST_SIZES], n = list_sizes(k, eager, sizes);

    for (int i = n ? -1 : 0; i < n;
         i++) { /* the first one after another kind is slow, and does not count */
        int at = i < 0 ? 0 : i;
        double ns;

        expected_ns = expected[at];
        MPI_Bcast(&expected_ns, 1, MPI_DOUBLE, 0, world);
        if (expected_ns > LONG_NS && round % ROUNDS_OF_LONG)
            continue;
        MPI_Barrier(world);
        ns = k->sample ? k->sample(sizes[at]) : mean_of(k, sizes[at]);
        expected[at] = ns;
        if (rank == 0 && i >= 0)
            printf("%s %d %.6g\n", k->name, sizes[at], ns);
    }
}

/* Returns whether a send of this size returns long before it is received, by most of five tries. */
static bool is_eager(int bytes)
{
    double late_ns;
    int n = 0;

    expected_ns = 0;
    late_ns = 200e3 + 6 * sample_half(bytes);
    MPI_Bcast(&late_ns, 1, MPI_DOUBLE, 0, world);
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(world);
        n += sample_late(bytes, late_ns) < 0.5 * late_ns;
    }
    n = n >= 3;
    MPI_Bcast(&n, 1, MPI_INT, 0, world);
    return n;
}

/* Finds the largest message that is sent eagerly. */
static int find_eager_limit(void)
{
    int low = 0, high = MOST_BYTES + 1;

    for (int bytes = 1024; bytes <= MOST_BYTES && is_eager(bytes); bytes *= 2)
        low = bytes;
    if (low < MOST_BYTES)
        high = low ? 2 * low : 1024;
    while (low + 1 < high) {
        int middle = low + (high - low) / 2;

        if (is_eager(middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns whether MPI performs collectives in shared memory, not by messages. If so, a root can
 * broadcast more small messages before they are received than there are cells for messages in
 * shared memory (4 in MPICH). */
static bool has_shared_memory(void)
{
    enum { AHEAD = 16 };
    double late_ns, start, usual_ns;
    int n = 0;

    for (int i = 0; i < 5; i++) {
        start = now_ns();
        for (int k = 0; k < AHEAD; k++) /* the first ones are messages in any case */
            bcast(8);
        usual_ns = now_ns() - start;
        late_ns = 200e3 + 4 * usual_ns;
        MPI_Bcast(&late_ns, 1, MPI_DOUBLE, 0, world);
        MPI_Barrier(world);
        if (rank == 1)
            stay_busy(late_ns);
        start = now_ns();
        for (int k = 0; k < AHEAD; k++)
            bcast(8);
        n += now_ns() - start > usual_ns + 0.5 * late_ns;
    }
    n = n >= 3;
    MPI_Bcast(&n, 1, MPI_INT, 0, world);
    return n;
}

/* Returns whether a large message needs its receiver to copy it: then a receiver that has computed
 * meanwhile still takes most of the time after it has come back. */
static bool receiver_copies(void)
{
    double late_ns, start;
    int n = 0;

    expected_ns = 0;
    sample_half(COPIED_BYTES); /* the first one is slow */
    late_ns = 10 * sample_half(COPIED_BYTES);
    MPI_Bcast(&late_ns, 1, MPI_DOUBLE, 0, world);
    for (int i = 0; i < 5; i++) {
        MPI_Request request;

        MPI_Barrier(world);
        if (rank == 0) {
            MPI_Irecv(in, COPIED_BYTES, MPI_BYTE, 1, 0, world, &request);
            stay_busy(late_ns);
        } else {
            MPI_Isend(out, COPIED_BYTES, MPI_BYTE, 0, 0, world, &request);
        }
        start = now_ns();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        n += now_ns() - start > 0.03 * late_ns;
    }
    return n >= 3;
}

/* Prints the names of the machines; returns whether both ranks are on one. */
static void print_machines(void)
{
    char names[2][MPI_MAX_PROCESSOR_NAME] = {{0}}, version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_processor_name(names[rank], &length);
    MPI_Bcast(names[0], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, world);
    MPI_Bcast(names[1], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1, world);
    same_host = !strcmp(names[0], names[1]);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = 0;
    for (char *tab = version; (tab = strchr(tab, '\t')); *tab = ' ')
        ;
    if (rank == 0)
        printf("# hosts %s %s\n# library %s\n", names[0], names[1], version);
}

int main(int argc, char **argv)
{
    static double expected[N_KINDS][MOST_SIZES];
    double seconds = argc > 1 ? atof(argv[1]) : 20, start;
    int n_ranks, eager, goes_on = 1;
    bool shares;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(world, &n_ranks);
    MPI_Comm_rank(world, &rank);
    out = calloc(1, MOST_BYTES + 8);
    in = calloc(1, MOST_BYTES + 8);
    if (n_ranks != 2 || !out || !in || !kernel_begin()) {
        fprintf(stderr, "portolan-calibrate: needs two ranks, and memory\n");
        MPI_Abort(world, 1);
    }
    memset(out, 1, MOST_BYTES + 8); /* otherwise all of it would be one page of zeros */
    memset(in, 1, MOST_BYTES + 8);
    print_machines();
    eager = find_eager_limit();
    if (rank == 0)
        printf("eager %d 0\n", eager);
    if (same_host && eager < COPIED_BYTES && receiver_copies() && rank == 0)
        printf("copied %d 0\n", COPIED_BYTES);
    shares = same_host && has_shared_memory();
    start = now_ns();
    for (int round = 0; goes_on; round++) {
        for (int k = 0; k < N_KINDS; k++) {
            const struct kind *kind = &kinds[(k + round) % N_KINDS];

            if ((!kind->of_one_host || same_host) && (!kind->of_shared_memory || shares))
                measure_kind(kind, expected[(k + round) % N_KINDS], eager, round);
        }
        goes_on = now_ns() - start < seconds * 1e9 || round + 1 < seconds / 4;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, world);
    }
    MPI_Finalize();
    return 0;
}
