/* SPDX-License-Identifier: BSD-3-Clause */
/* The cohort over MPI, on a communicator of its own; its MPI calls are not counted. */
#include <portolan/communicator.h>

#include "internal.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define TAG_BYTES 1
#define TAG_BLOCK 2

struct mpi_cohort {
    struct portolan_cohort base; /* first */
    MPI_Comm comm;
    MPI_Comm verdicts; /* its own, since a rank may give up waiting on it */
    double failing;    /* buffer of a verdict, which may outlive the call that gave up */
};

static struct mpi_cohort *of(struct portolan_cohort *c)
{
    return (struct mpi_cohort *)c;
}

static enum portolan_status mpi_bcast(struct portolan_cohort *c, void *buffer, size_t size_bytes,
                                      int root)
{
    if (root < 0 || root >= c->size || size_bytes > LLONG_MAX)
        return PORTOLAN_EINVAL;
    return mpi_do_Bcast_c(buffer, (MPI_Count)size_bytes, MPI_BYTE, root, of(c)->comm) == MPI_SUCCESS
               ? PORTOLAN_OK
               : PORTOLAN_EIO;
}

static enum portolan_status reduce(struct portolan_cohort *c, double *values, size_t count,
                                   MPI_Op op)
{
    return mpi_do_Allreduce_c(MPI_IN_PLACE, values, (MPI_Count)count, MPI_DOUBLE, op,
                              of(c)->comm) == MPI_SUCCESS
               ? PORTOLAN_OK
               : PORTOLAN_EIO;
}

/* All ranks meet here outside any collective, so they can also agree on how to wait. */
static enum portolan_status mpi_max(struct portolan_cohort *c, double *values, size_t count)
{
    double more[16];
    enum portolan_status status;

    if (mpi_yields || count >= sizeof more / sizeof *more)
        return reduce(c, values, count, MPI_MAX);
    memcpy(more, values, count * sizeof *values);
    more[count] = mpi_yield_opinion();
    status = reduce(c, more, count + 1, MPI_MAX);
    if (status != PORTOLAN_OK)
        return status;
    memcpy(values, more, count * sizeof *values);
    mpi_yield_agree(more[count]);
    if (mpi_yields && c->rank == 0)
        portolan_log(PORTOLAN_LOG_NOTICE, "mpi", "%s", portolan_mpi_describe_waits());
    return PORTOLAN_OK;
}

static enum portolan_status mpi_sum(struct portolan_cohort *c, double *values, size_t count)
{
    return reduce(c, values, count, MPI_SUM);
}

/*
 * Bytes travel in pieces, so that a rank without memory for them can receive and drop them while
 * the sender goes on: truncating a message is an error, and Open MPI may end the program for it.
 */
enum { PIECE = 1 << 20 };

static int length_of_piece(size_t left)
{
    return left < PIECE ? (int)left : PIECE;
}

static bool send_bytes(struct mpi_cohort *m, int to, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += PIECE)
        if (mpi_do_Send((const char *)bytes + i, length_of_piece(size - i), MPI_BYTE, to, TAG_BYTES,
                        m->comm) != MPI_SUCCESS)
            return false;
    return true;
}

/* BYTES NULL: drops them. */
static bool receive_bytes(struct mpi_cohort *m, int from, void *bytes, size_t size)
{
    static char sink[PIECE];

    for (size_t i = 0; i < size; i += PIECE)
        if (mpi_do_Recv(bytes ? (char *)bytes + i : sink, length_of_piece(size - i), MPI_BYTE, from,
                        TAG_BYTES, m->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return true;
}

/* Sent before a block on its way up; the bytes follow if `status` is 0. */
struct block_head {
    int64_t status;
    uint64_t size_bytes;
};

static enum portolan_status take_block(struct mpi_cohort *m, int from, void **bytes, size_t *size)
{
    struct block_head head;

    *bytes = NULL;
    if (mpi_do_Recv(&head, sizeof head, MPI_BYTE, from, TAG_BLOCK, m->comm, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
        return PORTOLAN_EIO;
    if (head.status)
        return (enum portolan_status)head.status;
    *size = (size_t)head.size_bytes;
    if (!(*bytes = portolan_calloc(*size + 1, 1))) {
        receive_bytes(m, from, NULL, *size);
        return PORTOLAN_ENOMEM;
    }
    if (!receive_bytes(m, from, *bytes, *size))
        return PORTOLAN_EIO;
    return PORTOLAN_OK;
}

static enum portolan_status give_block(struct mpi_cohort *m, int to, const void *bytes, size_t size,
                                       enum portolan_status status)
{
    struct block_head head = {status, size};

    if (mpi_do_Send(&head, sizeof head, MPI_BYTE, to, TAG_BLOCK, m->comm) != MPI_SUCCESS)
        return PORTOLAN_EIO;
    if (!status && !send_bytes(m, to, bytes, size))
        return PORTOLAN_EIO;
    return status;
}

/* Receives the block of rank FROM even after a failure, so that FROM does not wait for ever. */
static enum portolan_status merge_block(struct mpi_cohort *m, int from, void **bytes, size_t *size,
                                        portolan_cohort_merge_fn merge, void *arg,
                                        enum portolan_status status)
{
    void *theirs, *out = NULL;
    size_t theirs_size = 0, out_size = 0;
    enum portolan_status taken = take_block(m, from, &theirs, &theirs_size);

    if (!status)
        status = taken;
    if (!status)
        status = merge(arg, *bytes, *size, theirs, theirs_size, &out, &out_size);
    free(theirs);
    if (!status) {
        free(*bytes);
        *bytes = out;
        *size = out_size;
    }
    return status;
}

static enum portolan_status mpi_reduce(struct portolan_cohort *c, void **bytes, size_t *size_bytes,
                                       portolan_cohort_merge_fn merge, void *arg)
{
    struct mpi_cohort *m = of(c);
    enum portolan_status status = PORTOLAN_OK;
    int mask = 1;

    for (; mask < c->size && !(c->rank & mask); mask *= 2)
        if (c->rank + mask < c->size)
            status = merge_block(m, c->rank + mask, bytes, size_bytes, merge, arg, status);
    if (c->rank != 0)
        status = give_block(m, c->rank - mask, *bytes, *size_bytes, status);
    if (c->rank != 0 || status) {
        free(*bytes);
        *bytes = NULL;
        *size_bytes = 0;
    }
    return status;
}

/* -- gathering: by a reduction to the blocks of all ranks, one after the other -- */

/* The head before the blocks holds how many there are, then the size of each. */
static size_t head_bytes(uint64_t ranks)
{
    return (1 + (size_t)ranks) * sizeof(uint64_t);
}

/* The blocks of A, then those of B. */
static enum portolan_status append_blocks(void *unused, const void *a, size_t a_size, const void *b,
                                          size_t b_size, void **out, size_t *out_size)
{
    uint64_t n_a = *(const uint64_t *)a, n_b = *(const uint64_t *)b, n = n_a + n_b;
    size_t head_a = head_bytes(n_a), head_b = head_bytes(n_b);
    char *to;

    (void)unused;
    *out_size = a_size + b_size - sizeof n;
    if (!(*out = to = portolan_calloc(*out_size, 1)))
        return PORTOLAN_ENOMEM;
    memcpy(to, &n, sizeof n);
    memcpy(to + sizeof n, (const char *)a + sizeof n, head_a - sizeof n);
    memcpy(to + head_a, (const char *)b + sizeof n, head_b - sizeof n);
    to += head_bytes(n);
    memcpy(to, (const char *)a + head_a, a_size - head_a);
    memcpy(to + a_size - head_a, (const char *)b + head_b, b_size - head_b);
    return PORTOLAN_OK;
}

static enum portolan_status mpi_gather(struct portolan_cohort *c, const void *bytes,
                                       size_t size_bytes, void **all, size_t *sizes_bytes)
{
    const uint64_t head[] = {1, size_bytes};
    size_t size = sizeof head + size_bytes;
    void *blocks = portolan_calloc(size, 1);
    double lacking = blocks ? 0.0 : 1.0;
    enum portolan_status status;

    /* all begin or none, so that none waits for a rank that could not */
    *all = NULL;
    status = mpi_max(c, &lacking, 1);
    if (status == PORTOLAN_OK && lacking > 0.0)
        status = PORTOLAN_ENOMEM;
    if (status != PORTOLAN_OK) {
        free(blocks);
        return status;
    }
    memcpy(blocks, head, sizeof head);
    if (size_bytes)
        memcpy((char *)blocks + sizeof head, bytes, size_bytes);
    status = mpi_reduce(c, &blocks, &size, append_blocks, NULL);
    if (!blocks)
        return status;
    for (int i = 0; sizes_bytes && i < c->size; i++)
        sizes_bytes[i] = (size_t)((const uint64_t *)blocks)[1 + i];
    size -= head_bytes((uint64_t)c->size);
    memmove(blocks, (char *)blocks + head_bytes((uint64_t)c->size), size);
    *all = blocks;
    return PORTOLAN_OK;
}

/* Two communicators for the cohort: copies of COMM. */
static enum portolan_status make_communicators(struct mpi_cohort *m, MPI_Comm comm,
                                               struct portolan_error *err)
{
    char text[MPI_MAX_ERROR_STRING];
    int result = PMPI_Comm_dup(comm, &m->comm);

    if (result != MPI_SUCCESS)
        return portolan_error_set(err, PORTOLAN_EIO, "no communicator for the cohort: %s",
                                  mpi_error_text(result, text));
    result = PMPI_Comm_dup(m->comm, &m->verdicts);
    if (result != MPI_SUCCESS) {
        PMPI_Comm_free(&m->comm);
        return portolan_error_set(err, PORTOLAN_EIO, "no communicator for verdicts: %s",
                                  mpi_error_text(result, text));
    }
    PMPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(m->verdicts, MPI_ERRORS_RETURN);
    return PORTOLAN_OK;
}

static enum portolan_status create(MPI_Comm comm, struct portolan_cohort **cohort,
                                   struct portolan_error *err)
{
    struct mpi_cohort *m;
    enum portolan_status status;

    *cohort = NULL;
    if (!portolan_mpi_is_running())
        return portolan_error_set(err, PORTOLAN_EINVAL, "MPI is not running");
    m = portolan_calloc(1, sizeof *m);
    if (!m)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the cohort");
    status = make_communicators(m, comm, err);
    if (status) {
        free(m);
        return status;
    }
    PMPI_Comm_rank(m->comm, &m->base.rank);
    PMPI_Comm_size(m->comm, &m->base.size);
    m->base.medium = portolan_mpi_describe();
    m->base.waits = portolan_mpi_describe_waits();
    m->base.bcast = mpi_bcast;
    m->base.max = mpi_max;
    m->base.sum = mpi_sum;
    m->base.gather = mpi_gather;
    m->base.reduce = mpi_reduce;
    *cohort = &m->base;
    return PORTOLAN_OK;
}

enum portolan_status portolan_mpi_cohort_create(struct portolan_cohort **cohort,
                                                struct portolan_error *err)
{
    return create(MPI_COMM_WORLD, cohort, err);
}

void portolan_mpi_cohort_destroy(struct portolan_cohort *cohort)
{
    if (!cohort)
        return;
    if (portolan_mpi_is_running()) {
        PMPI_Comm_free(&of(cohort)->verdicts);
        PMPI_Comm_free(&of(cohort)->comm);
    }
    free(cohort);
}

/* ------------------------------------------------------------------ of a communicator */

/* MPI calls this when the communicator that has the cohort ends. */
static int drop_cohort(MPI_Comm comm, int keyval, void *cohort, void *unused)
{
    (void)comm, (void)keyval, (void)unused;
    portolan_mpi_cohort_destroy(cohort);
    return MPI_SUCCESS;
}

struct portolan_cohort *portolan_mpi_cohort_of(MPI_Comm comm, struct portolan_error *err)
{
    static int key = MPI_KEYVAL_INVALID;
    struct portolan_cohort *cohort = NULL;
    int has_one = 0;

    if (!portolan_mpi_is_running() || comm == MPI_COMM_NULL) {
        portolan_error_set(err, PORTOLAN_EINVAL, "no group of ranks without %s",
                           comm == MPI_COMM_NULL ? "a communicator: MPI_COMM_NULL was given"
                                                 : "MPI: call it after MPI_Init");
        return NULL;
    }
    if (key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_cohort, &key, NULL);
    PMPI_Comm_get_attr(comm, key, &cohort, &has_one);
    if (!has_one && create(comm, &cohort, err) == PORTOLAN_OK)
        PMPI_Comm_set_attr(comm, key, cohort);
    return cohort;
}

/* Waits for REQUEST, at most PATIENCE_S seconds (0: for ever); true when it is done. */
static bool wait_for(MPI_Request *request, double patience_s)
{
    double until = PMPI_Wtime() + patience_s;
    int done = 0;

    while (PMPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        if (patience_s > 0 && PMPI_Wtime() > until)
            return false;
        sched_yield();
    }
    return done;
}

bool portolan_mpi_verdict(struct portolan_cohort *c, enum portolan_status *status,
                          double patience_s, struct portolan_error *err)
{
    struct mpi_cohort *m = of(c);
    double lowest = *status == PORTOLAN_OK ? -(double)c->size : -(double)c->rank;
    double *failing = &m->failing, patience = 0;
    MPI_Request request;

    *failing = lowest;
    if (*status != PORTOLAN_OK) /* staggered, so that one of several stranded ranks speaks first */
        patience = patience_s * (1 + 0.25 * c->rank);
    if (PMPI_Iallreduce(MPI_IN_PLACE, failing, 1, MPI_DOUBLE, MPI_MAX, m->verdicts, &request) !=
            MPI_SUCCESS ||
        !wait_for(&request, patience))
        return false;
    *status = portolan_cohort_agree(c, *status, err);
    return true;
}
