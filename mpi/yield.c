/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH polls while it waits. If ranks share cores, with each other or with other processes, the
 * rank that is waited for then gets no core until the kernel's next tick. So blocking calls are
 * replaced by their nonblocking form, tests and sched_yield. Messages and waits match in both
 * forms: each rank decides for itself, by how long it waits for a core. Blocking and nonblocking
 * collectives do not match each other: all ranks change together, and only where all of them meet.
 *
 * Open MPI yields by itself if it knows that ranks share cores; nothing is changed there.
 */
#include "note.h"

#include <portolan/machine.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tests before the processor is yielded: enough for an answer that is under way. */
#define TESTS 300

#define VARIABLE "PORTOLAN_MPI_YIELD"

/*
 * Limits for the share of the time since its last look that a rank waited for a core: above the
 * first it yields, below the second it polls again. The third is for the start of MPI, when waiting
 * is usual since processes are started.
 */
static const double contended = 0.1, calm = 0.02, contended_at_start = 0.35;
/* A rank looks after a wait of this length: reading the kernel's counts costs some microseconds. */
static const double long_wait_ns = 1e6;

bool mpi_yields, mpi_yields_here, mpi_shares_cores;
uint64_t mpi_long_wait = UINT64_MAX;
static char description[160] = "blocking calls poll";

enum wish { WISH_AUTO, WISH_ALWAYS, WISH_NEVER, WISH_WRONG };
static const char *const words[] = {"auto", "always", "never"};

static double delay_share(double ran_ns, double delayed_ns)
{
    return ran_ns + delayed_ns > 0 ? delayed_ns / (ran_ns + delayed_ns) : 0;
}

bool mpi_is_contended(double ran_ns, double delayed_ns)
{
    bool yields = __atomic_load_n(&mpi_yields_here, __ATOMIC_RELAXED);

    return delay_share(ran_ns, delayed_ns) > (yields ? calm : contended);
}

void mpi_look_for_contention(void)
{
    static _Thread_local double ran_before, delayed_before;
    double ran, delayed;

    portolan_machine_read_thread(&ran, &delayed);
    __atomic_store_n(&mpi_yields_here, mpi_is_contended(ran - ran_before, delayed - delayed_before),
                     __ATOMIC_RELAXED);
    ran_before = ran;
    delayed_before = delayed;
}

double mpi_yield_opinion(void)
{
    return mpi_yields_here && !mpi_is_concurrent;
}

void mpi_yield_agree(double opinion)
{
    if (mpi_yields || !(opinion > 0))
        return;
    mpi_yields = true;
    snprintf(description, sizeof description,
             "other processes use the cores: blocking calls yield the processor (" VARIABLE
             "=never: they poll)");
}

/* To be called after each test that found nothing; MISSES counts them and begins with 0. */
static void mpi_relax(unsigned *misses)
{
    if (++*misses > TESTS)
        sched_yield();
}

/*
 * MPICH reports errors of a completion to the error handler of MPI_COMM_WORLD, but errors of
 * blocking calls to that of the communicator. So the former is put aside while a blocking call is
 * imitated; with several threads only during each test, since their errors would not be reported
 * meanwhile.
 */
static pthread_mutex_t aside_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_aside;
static MPI_Errhandler aside;

static void put_handler_aside(void)
{
    if (mpi_is_concurrent)
        pthread_mutex_lock(&aside_lock);
    if (n_aside++ == 0) {
        PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &aside);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (mpi_is_concurrent)
        pthread_mutex_unlock(&aside_lock);
}

static void put_handler_back(void)
{
    if (mpi_is_concurrent)
        pthread_mutex_lock(&aside_lock);
    if (--n_aside == 0) {
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, aside);
        PMPI_Errhandler_free(&aside);
    }
    if (mpi_is_concurrent)
        pthread_mutex_unlock(&aside_lock);
}

/* One test, with errors reported to the caller only. */
static int test_quietly(MPI_Request *request, int *is_done, MPI_Status *status)
{
    int result;

    if (!mpi_is_concurrent) /* put aside already */
        return PMPI_Test(request, is_done, status);
    put_handler_aside();
    result = PMPI_Test(request, is_done, status);
    put_handler_back();
    return result;
}

/* Waits for one request, yielding, with errors reported to the caller only. */
static int await_quietly(MPI_Request *request, MPI_Status *status)
{
    unsigned misses = 0;
    int result, is_done = 0;

    if (!mpi_is_concurrent)
        put_handler_aside();
    while ((result = test_quietly(request, &is_done, status)) == MPI_SUCCESS && !is_done)
        mpi_relax(&misses);
    if (!mpi_is_concurrent)
        put_handler_back();
    return result;
}

/* The same; errors go to the error handler of COMM, as those of a blocking call do. */
static int mpi_await(MPI_Comm comm, MPI_Request *request, MPI_Status *status)
{
    int result = await_quietly(request, status);

    if (result != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, result);
    return result;
}

void mpi_gather_ranks(MPI_Comm comm)
{
    MPI_Request request;

    if (mpi_yields && PMPI_Ibarrier(comm, &request) == MPI_SUCCESS)
        mpi_await(comm, &request, MPI_STATUS_IGNORE);
}

static enum wish wish(void)
{
    const char *word = getenv(VARIABLE);
    int w = WISH_AUTO;

    if (!word || !*word)
        return WISH_AUTO;
    while (w < WISH_WRONG && strcmp(word, words[w]) != 0)
        w++;
    return (enum wish)w;
}

static enum portolan_status agree_on_wish(enum wish mine, struct portolan_error *err)
{
    int range[3] = {(int)mine, -(int)mine, mpi_observer == NULL};

    PMPI_Allreduce(MPI_IN_PLACE, range, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    mpi_is_observable = !range[2];
    if (mine == WISH_WRONG)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  VARIABLE " is '%s'; it must be auto, always or never",
                                  getenv(VARIABLE));
    if (range[0] == WISH_WRONG)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  VARIABLE " is wrong on another rank; it must be auto, always or "
                                           "never, and the same on all ranks");
    if (range[0] != -range[1])
        return portolan_error_set(err, PORTOLAN_EMISMATCH,
                                  VARIABLE " is '%s' here and something else on another rank; it "
                                           "must be the same on all",
                                  words[mine]);
    return PORTOLAN_OK;
}

/* Cores that any rank of COMM, all on one host, may run on. */
static int cores_of(MPI_Comm comm)
{
    unsigned long mask[128] = {0}; /* 8192 cores */
    int n = 0;

    if (sched_getaffinity(0, sizeof mask, (cpu_set_t *)mask) != 0)
        memset(mask, 0xff, sizeof mask);
    PMPI_Allreduce(MPI_IN_PLACE, mask, 128, MPI_UNSIGNED_LONG, MPI_BOR, comm);
    for (int i = 0; i < 128; i++)
        n += __builtin_popcountl(mask[i]);
    return n;
}

/* Ranks and cores of the host where most ranks share a core, which all ranks learn. */
static void find_fullest(int *ranks, int *cores)
{
    struct {
        double load;
        int rank;
    } most;
    int here[2] = {1, 1};
    MPI_Comm host;

    PMPI_Comm_rank(MPI_COMM_WORLD, &most.rank);
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    PMPI_Comm_size(host, &here[0]);
    here[1] = cores_of(host);
    PMPI_Comm_free(&host);
    most.load = (double)here[0] / here[1];
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    PMPI_Bcast(here, 2, MPI_INT, most.rank, MPI_COMM_WORLD);
    *ranks = here[0];
    *cores = here[1];
}

static uint64_t ticks_of(double ns)
{
    double tick_ns = portolan_probe_ticks_to_ns(1 << 20) / (1 << 20);

    return tick_ns > 0 ? (uint64_t)(ns / tick_ns) : UINT64_MAX;
}

/* Notes whether any rank had to wait for a core while it was started. */
static void look_at_start(void)
{
    double ran, delayed, opinion;

    mpi_look_for_contention();
    portolan_machine_read_thread(&ran, &delayed);
    mpi_yields_here = delay_share(ran, delayed) > contended_at_start;
    opinion = mpi_yields_here;
    PMPI_Allreduce(MPI_IN_PLACE, &opinion, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    mpi_yield_agree(opinion);
}

/* For MPICH, which only polls. */
static void decide(enum wish mine)
{
    int ranks = 1, cores = 1, size;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if ((mine == WISH_AUTO || mpi_is_observable) && size > 1)
        find_fullest(&ranks, &cores);
    mpi_shares_cores = ranks > cores;
    mpi_yields = mine == WISH_ALWAYS || (mine == WISH_AUTO && ranks > cores);
    if (mine == WISH_AUTO && size > 1 && !mpi_yields) {
        mpi_long_wait = ticks_of(long_wait_ns);
        look_at_start();
    }
    if (mine != WISH_AUTO)
        snprintf(description, sizeof description, "blocking calls %s (" VARIABLE "=%s)",
                 mpi_yields ? "yield the processor" : "poll", words[mine]);
    else if (mpi_yields && ranks > cores)
        snprintf(description, sizeof description,
                 "%d ranks share %d core%s: blocking calls yield the processor (" VARIABLE
                 "=never: they poll)",
                 ranks, cores, cores == 1 ? "" : "s");
}

enum portolan_status mpi_yield_decide(struct portolan_error *err)
{
    enum wish mine = wish();
    enum portolan_status status = agree_on_wish(mine, err);

    mpi_yields = mpi_yields_here = false;
    mpi_long_wait = UINT64_MAX;
    if (status != PORTOLAN_OK)
        return status;
    if (strcmp(PORTOLAN_MPI, "mpich") == 0)
        decide(mine);
    else
        snprintf(description, sizeof description,
                 "blocking calls wait as Open MPI does (mpi_yield_when_idle)");
    portolan_probe_waits_set(description);
    return PORTOLAN_OK;
}

bool portolan_mpi_yields(void)
{
    return mpi_yields;
}

const char *portolan_mpi_describe_waits(void)
{
    return description;
}

/* -- blocking routines in a form that yields: those of routines.list, and the others by hand -- */

#include "mpi_yielding.h"

/*
 * One after the other: MPICH 4.0's MPI_Testall fails when some requests of partitioned messages
 * have completed and others have not.
 */
static int await_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    MPI_Status ignored;
    int result = MPI_SUCCESS;

    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? &ignored : &statuses[i];
        MPI_Request before = requests[i];
        int is_done = 1, class = MPI_SUCCESS, one;

        if (result == MPI_SUCCESS)
            one = await_quietly(&requests[i], status);
        else /* as MPICH does: after a failure nothing is waited for any more */
            one = test_quietly(&requests[i], &is_done, status);
        status->MPI_ERROR = is_done ? one : MPI_ERR_PENDING;
        if (one == MPI_SUCCESS)
            continue;
        PMPI_Error_class(one, &class);
        if (class == MPI_ERR_REQUEST && requests[i] == before)
            return one;
        result = MPI_ERR_IN_STATUS;
    }
    return result;
}

int mpi_yielding_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
    int result;

    if (!mpi_is_concurrent)
        put_handler_aside();
    result = await_all(count, array_of_requests, array_of_statuses);
    if (!mpi_is_concurrent)
        put_handler_back();
    if (result != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(MPI_COMM_WORLD, result);
    return result;
}

int mpi_yielding_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                          int array_of_indices[], MPI_Status array_of_statuses[])
{
    unsigned misses = 0;
    int result;

    while ((result = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices,
                                   array_of_statuses)) == MPI_SUCCESS &&
           *outcount == 0)
        mpi_relax(&misses);
    return result;
}

/* From MPI_PROC_NULL only the blocking receive sets the right status, and it does not block. */
int mpi_yielding_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    int result;

    if (source == MPI_PROC_NULL)
        return PMPI_Recv_c(buf, count, datatype, source, tag, comm, status);
    result = PMPI_Irecv_c(buf, count, datatype, source, tag, comm, &request);
    return result == MPI_SUCCESS ? mpi_await(comm, &request, status) : result;
}

/*
 * Checks whether MPI_Isend would take these arguments. If it refused them after the receive was
 * posted, that receive might have taken a message that the blocking routine would have left.
 */
static int check_send(const void *buf, MPI_Count count, MPI_Datatype type, int tag, MPI_Comm comm)
{
    MPI_Request nothing;
    int result = PMPI_Isend_c(buf, count, type, MPI_PROC_NULL, tag, comm, &nothing);

    return result == MPI_SUCCESS ? PMPI_Wait(&nothing, MPI_STATUS_IGNORE) : result;
}

/* This does not use MPI_Isendrecv: in MPICH 4.0 its request does not contain the source. */
int mpi_yielding_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                            MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                            MPI_Status *status)
{
    MPI_Request receive, send;
    int sent, result;

    if (dest >= mpi_partners(comm) || (dest < 0 && dest != MPI_PROC_NULL)) /* fails */
        return PMPI_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                               recvtype, source, recvtag, comm, status);
    if (source == MPI_PROC_NULL) {
        result = mpi_yielding_Send_c(sendbuf, sendcount, sendtype, dest, sendtag, comm);
        return result != MPI_SUCCESS
                   ? result
                   : PMPI_Recv_c(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
    }
    result = check_send(sendbuf, sendcount, sendtype, sendtag, comm);
    if (result == MPI_SUCCESS)
        result = PMPI_Irecv_c(recvbuf, recvcount, recvtype, source, recvtag, comm, &receive);
    if (result != MPI_SUCCESS)
        return result;
    sent = PMPI_Isend_c(sendbuf, sendcount, sendtype, dest, sendtag, comm, &send);
    if (sent != MPI_SUCCESS) {
        PMPI_Cancel(&receive);
        mpi_await(comm, &receive, MPI_STATUS_IGNORE);
        return sent;
    }
    result = mpi_await(comm, &receive, status);
    sent = mpi_await(comm, &send, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : sent;
}

/* As MPICH does: packs what is sent first. */
int mpi_yielding_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                    int sendtag, int source, int recvtag, MPI_Comm comm,
                                    MPI_Status *status)
{
    MPI_Count room = 0, used = 0;
    int result = PMPI_Pack_size_c(count, datatype, comm, &room);
    void *packed;

    if (result != MPI_SUCCESS)
        return result;
    if (!(packed = malloc(room ? (size_t)room : 1))) /* blocking messages match as well */
        return PMPI_Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm,
                                       status);
    result = PMPI_Pack_c(buf, count, datatype, packed, room, &used, comm);
    if (result == MPI_SUCCESS) {
        result = mpi_yielding_Sendrecv_c(packed, used, MPI_PACKED, dest, sendtag, buf, count,
                                         datatype, source, recvtag, comm, status);
        if (status != MPI_STATUS_IGNORE)
            PMPI_Error_class(result, &status->MPI_ERROR);
    }
    free(packed);
    return result;
}
