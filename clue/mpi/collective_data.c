/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that move data, within a group: see collective.h. */
#include "collective.h"

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

static MPI_Count least(MPI_Count a, MPI_Count b)
{
    return a < b ? a : b;
}

/* ---------------------------------------------------------------- barrier, bcast */

static void barrier_dissemination(const struct collective *c)
{
    const struct ranks *p = c->p;

    for (int mask = 1; mask < p->n; mask <<= 1)
        schedule_exchange(c->s, p, nothing(), on_ring(p, p->rank + mask), nothing(),
                          on_ring(p, p->rank - mask));
}

/* Returns the data as bytes: in place if they are dense; else packed, for the caller to unpack. */
static struct span as_bytes(const struct collective *c, struct span data, bool is_sender)
{
    MPI_Count bytes = span_bytes(data);
    struct span flat;

    if (data.type->is_contiguous)
        return bytes_at((char *)data.at + (bytes ? data.type->true_lb : 0), bytes);
    flat = byte_buffer(c, bytes);
    if (is_sender)
        schedule_copy(c->s, data, flat);
    return flat;
}

static void bcast_binomial(const struct collective *c)
{
    const struct ranks *p = c->p;
    struct span data = span(c->receive.base, c->count, c->type);
    struct span flat = as_bytes(c, data, p->rank == c->root);
    int relative = on_ring(p, p->rank - c->root), mask = 1;

    if (!flat.count)
        return;
    for (; mask < p->n && !(relative & mask); mask <<= 1)
        ;
    if (mask < p->n)
        schedule_receive_now(c->s, p, flat, on_ring(p, p->rank - mask));
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (relative + mask < p->n)
            schedule_send_now(c->s, p, flat, on_ring(p, p->rank + mask));
    if (flat.at != data.at && p->rank != c->root && !data.type->is_contiguous)
        schedule_copy(c->s, flat, data);
}

/* A part of a broadcast: SHARE bytes for each rank, fewer for the last ones. */
struct shares {
    const struct collective *c;
    struct span flat;
    MPI_Count share;
    int relative;
};

/* Returns the shares of N ranks from the relative rank FIRST on. */
static struct span shares_of(const struct shares *s, int first, int n)
{
    MPI_Count from = least(first * s->share, s->flat.count);

    return part(s->flat, from, least(n * s->share, s->flat.count - from));
}

/* Scatters the shares down a binomial tree, by halves. */
static void scatter_shares(const struct shares *s)
{
    const struct ranks *p = s->c->p;
    int mask = 1;
    struct span own;

    for (; mask < p->n && !(s->relative & mask); mask <<= 1)
        ;
    own = shares_of(s, s->relative, minimum(mask, p->n));
    if (mask < p->n && own.count)
        schedule_receive_now(s->c->s, p, own, on_ring(p, p->rank - mask));
    for (mask >>= 1; mask > 0; mask >>= 1) {
        struct span half = shares_of(s, s->relative + mask, mask);

        if (s->relative + mask < p->n && half.count)
            schedule_send_now(s->c->s, p, half, on_ring(p, p->rank + mask));
    }
}

static struct shares shares_begin(const struct collective *c)
{
    const struct ranks *p = c->p;
    struct shares s = {.c = c, .relative = on_ring(p, p->rank - c->root)};

    s.flat = as_bytes(c, span(c->receive.base, c->count, c->type), p->rank == c->root);
    s.share = (s.flat.count + p->n - 1) / p->n;
    return s;
}

static void shares_end(const struct shares *s)
{
    const struct collective *c = s->c;

    if (!c->type->is_contiguous && c->p->rank != c->root)
        schedule_copy(c->s, s->flat, span(c->receive.base, c->count, c->type));
}

static void bcast_scatter_ring(const struct collective *c)
{
    const struct ranks *p = c->p;
    struct shares s = shares_begin(c);
    int right = on_ring(p, p->rank + 1), left = on_ring(p, p->rank - 1);

    if (!s.flat.count)
        return;
    scatter_shares(&s);
    for (int i = 0; i < p->n - 1; i++) {
        int out = on_ring(p, s.relative - i);

        schedule_exchange(c->s, p, shares_of(&s, out, 1), right,
                          shares_of(&s, on_ring(p, out - 1), 1), left);
    }
    shares_end(&s);
}

static void bcast_scatter_doubling(const struct collective *c)
{
    const struct ranks *p = c->p;
    struct shares s;

    if (power_of_two_below(p->n) != p->n) {
        bcast_scatter_ring(c);
        return;
    }
    s = shares_begin(c);
    if (!s.flat.count)
        return;
    scatter_shares(&s);
    for (int mask = 1; mask < p->n; mask <<= 1) {
        int other = s.relative ^ mask;
        int partner = on_ring(p, other + c->root);

        schedule_exchange(c->s, p, shares_of(&s, s.relative & ~(mask - 1), mask), partner,
                          shares_of(&s, other & ~(mask - 1), mask), partner);
    }
    shares_end(&s);
}

/* ---------------------------------------------------------------- gather, scatter */

/* Returns how many ranks are below a relative rank in the binomial tree, including itself. */
static int subtree(int relative, int n)
{
    return relative ? minimum(relative & -relative, n - relative) : n;
}

/* Copies the blocks of relative ranks FIRST to FIRST + N in the root's buffer, around its end. */
static void copy_turned(const struct collective *c, const struct blocks *b, struct span flat,
                        int first, int n, bool into_blocks)
{
    MPI_Count bytes = b->count * b->type->size;

    for (int i = 0; i < n;) {
        int rank = on_ring(c->p, first + i + c->root);
        int run = minimum(n - i, c->p->n - rank);
        struct span whole = block_range(b, rank, run), at = part(flat, i * bytes, run * bytes);

        schedule_copy(c->s, into_blocks ? at : whole, into_blocks ? whole : at);
        i += run;
    }
}

static void gather_at_root(const struct collective *c)
{
    const struct ranks *p = c->p;
    const struct blocks *b = &c->receive;

    if (!is_in_place(c))
        schedule_copy(c->s, block(&c->send, 0), block(b, p->rank));
    for (int mask = 1; mask < p->n; mask <<= 1) {
        int n = subtree(mask, p->n), rank = on_ring(p, mask + c->root);

        if (rank + n <= p->n)
            schedule_receive_now(c->s, p, block_range(b, rank, n), rank);
        else {
            MPI_Count bytes = n * b->count * b->type->size;
            struct span flat = byte_buffer(c, bytes);

            schedule_receive_now(c->s, p, flat, rank);
            copy_turned(c, b, flat, mask, n, true);
        }
    }
}

static void gather_binomial(const struct collective *c)
{
    const struct ranks *p = c->p;
    int relative = on_ring(p, p->rank - c->root), n = subtree(relative, p->n);
    struct span own = block(&c->send, 0), flat = own;
    MPI_Count bytes;

    if (p->rank == c->root) {
        if (c->receive.count)
            gather_at_root(c);
        return;
    }
    bytes = span_bytes(own);
    if (!bytes)
        return;
    if (n > 1) {
        flat = byte_buffer(c, n * bytes);
        schedule_copy(c->s, own, part(flat, 0, bytes));
    }
    for (int mask = 1; mask < n; mask <<= 1)
        schedule_receive_now(c->s, p, part(flat, mask * bytes, minimum(mask, n - mask) * bytes),
                             on_ring(p, p->rank + mask));
    schedule_send_now(c->s, p, flat, on_ring(p, (relative & (relative - 1)) + c->root));
}

/* Scatters FLAT, the N blocks of the subtree in relative order. */
static void scatter_down(const struct collective *c, struct span flat, MPI_Count block_count,
                         int relative, int n)
{
    const struct ranks *p = c->p;
    int mask = 1;

    while (mask < n)
        mask <<= 1;
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (mask < n) {
            schedule_send_now(c->s, p, part(flat, mask * block_count, (n - mask) * block_count),
                              on_ring(p, relative + mask + c->root));
            n = mask;
        }
}

static void scatter_binomial(const struct collective *c)
{
    const struct ranks *p = c->p;
    int relative = on_ring(p, p->rank - c->root), n = subtree(relative, p->n);
    const struct blocks *b = &c->send;
    MPI_Count bytes;
    struct span flat;

    if (p->rank == c->root) {
        bytes = b->count * b->type->size;
        if (!bytes)
            return;
        if (c->root == 0)
            scatter_down(c, block_range(b, 0, n), b->count, 0, n);
        else {
            flat = byte_buffer(c, n * bytes);
            copy_turned(c, b, flat, 0, n, false);
            scatter_down(c, flat, bytes, 0, n);
        }
        if (c->receive.base != MPI_IN_PLACE)
            schedule_copy(c->s, block(b, p->rank), block(&c->receive, 0));
        return;
    }
    bytes = span_bytes(block(&c->receive, 0));
    if (!bytes)
        return;
    flat = n == 1 ? block(&c->receive, 0) : byte_buffer(c, n * bytes);
    schedule_receive_now(c->s, p, flat, on_ring(p, (relative & (relative - 1)) + c->root));
    if (n > 1) {
        scatter_down(c, flat, bytes, relative, n);
        schedule_copy(c->s, part(flat, 0, bytes), block(&c->receive, 0));
    }
}

static void gatherv_linear(const struct collective *c)
{
    const struct ranks *p = c->p;
    unsigned flags = c->s->flags;

    if (p->rank == c->root) {
        for (int i = 0; i < p->n; i++)
            if (i != p->rank && c->receive.counts[i])
                schedule_receive(c->s, p, block(&c->receive, i), i);
        if (!is_in_place(c))
            schedule_copy(c->s, block(&c->send, 0), block(&c->receive, p->rank));
        schedule_wait(c->s);
    } else if (c->send.count) {
        if (p->n >= 32) /* MPIR_CVAR_GATHERV_INTER_SSEND_MIN_PROCS */
            c->s->flags |= CLUE_SYNCHRONOUS;
        schedule_send_now(c->s, p, block(&c->send, 0), c->root);
        c->s->flags = flags;
    }
}

static void scatterv_linear(const struct collective *c)
{
    const struct ranks *p = c->p;

    if (p->rank == c->root) {
        for (int i = 0; i < p->n; i++)
            if (i != p->rank && c->send.counts[i])
                schedule_send(c->s, p, block(&c->send, i), i);
        if (c->receive.base != MPI_IN_PLACE)
            schedule_copy(c->s, block(&c->send, p->rank), block(&c->receive, 0));
        schedule_wait(c->s);
    } else if (c->receive.count)
        schedule_receive_now(c->s, p, block(&c->receive, 0), c->root);
}

/* ---------------------------------------------------------------- allgather */

/* Returns the elements of N blocks from that of RANK on, around the end. */
static MPI_Count elements(const struct collective *c, int rank, int n)
{
    MPI_Count sum = 0;

    if (!c->receive.counts)
        return n * c->receive.count;
    for (int i = 0; i < n; i++)
        sum += c->receive.counts[on_ring(c->p, rank + i)];
    return sum;
}

static void copy_own(const struct collective *c, struct span to)
{
    schedule_copy(c->s, is_in_place(c) ? block(&c->receive, c->p->rank) : block(&c->send, 0), to);
}

static void allgather_ring(const struct collective *c)
{
    enum { PIPELINE_BYTES = 32768 }; /* MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE */
    const struct ranks *p = c->p;
    int right = on_ring(p, p->rank + 1), left = on_ring(p, p->rank - 1);
    int out = p->rank, in = left;
    MPI_Count to_send = elements(c, 0, p->n) - elements(c, right, 1);
    MPI_Count to_receive = elements(c, 0, p->n) - elements(c, p->rank, 1);
    MPI_Count piece = elements(c, 0, 1), sent = 0, received = 0;

    if (!is_in_place(c))
        copy_own(c, block(&c->receive, p->rank));
    for (int i = 1; i < p->n; i++)
        piece = least(piece, elements(c, i, 1));
    if (piece * c->receive.type->extent < PIPELINE_BYTES)
        piece = PIPELINE_BYTES / (c->receive.type->extent ? c->receive.type->extent : 1);
    if (piece < 1)
        piece = 1;
    while (to_send || to_receive) {
        struct span a = block(&c->receive, out), b = block(&c->receive, in);
        MPI_Count now = to_send ? least(a.count - sent, piece) : 0;
        MPI_Count then = to_receive ? least(b.count - received, piece) : 0;

        if (then)
            schedule_receive(c->s, p, part(b, received, then), left);
        if (now)
            schedule_send(c->s, p, part(a, sent, now), right);
        if (now || then)
            schedule_wait(c->s);
        to_send -= now;
        to_receive -= then;
        if ((sent += now) == a.count) {
            sent = 0;
            out = on_ring(p, out - 1);
        }
        if ((received += then) == b.count) {
            received = 0;
            in = on_ring(p, in - 1);
        }
    }
}

static void allgather_brucks(const struct collective *c)
{
    const struct ranks *p = c->p;
    struct span all = schedule_buffer(c->s, elements(c, 0, p->n), c->receive.type);
    MPI_Count at = 0;

    if (!elements(c, 0, p->n))
        return;
    copy_own(c, part(all, 0, elements(c, p->rank, 1)));
    for (int n = 1; n < p->n; n *= 2) {
        int more = minimum(n, p->n - n);

        schedule_exchange(c->s, p, part(all, 0, elements(c, p->rank, more)),
                          on_ring(p, p->rank - n),
                          part(all, elements(c, p->rank, n), elements(c, p->rank + n, more)),
                          on_ring(p, p->rank + n));
    }
    for (int i = 0; i < p->n; i++) {
        struct span to = block(&c->receive, on_ring(p, p->rank + i));

        if (i || !is_in_place(c))
            schedule_copy(c->s, part(all, at, to.count), to);
        at += to.count;
    }
}

static void allgather_doubling(const struct collective *c)
{
    const struct ranks *p = c->p;
    MPI_Count at = 0;
    struct span all;

    if (power_of_two_below(p->n) != p->n) {
        allgather_brucks(c);
        return;
    }
    if (!elements(c, 0, p->n))
        return;
    if (c->receive.counts)
        all = schedule_buffer(c->s, elements(c, 0, p->n), c->receive.type);
    else
        all = block_range(&c->receive, 0, p->n);
    copy_own(c, part(all, elements(c, 0, p->rank), elements(c, p->rank, 1)));
    for (int mask = 1; mask < p->n; mask <<= 1) {
        int partner = p->rank ^ mask;
        int own = p->rank & ~(mask - 1), other = partner & ~(mask - 1);

        schedule_exchange(c->s, p, part(all, elements(c, 0, own), elements(c, own, mask)), partner,
                          part(all, elements(c, 0, other), elements(c, other, mask)), partner);
    }
    for (int i = 0; c->receive.counts && i < p->n; i++) {
        struct span to = block(&c->receive, i);

        if (i != p->rank || !is_in_place(c))
            schedule_copy(c->s, part(all, at, to.count), to);
        at += to.count;
    }
}

/* ---------------------------------------------------------------- alltoall, v, w */

/* Copies blocks whose number has BIT from or to PACKED, in runs; returns their bytes. */
static MPI_Count copy_bit(const struct collective *c, struct span all, struct span packed, int bit,
                          bool is_packing)
{
    MPI_Count bytes = c->receive.count * c->receive.type->size, at = 0;

    for (int i = bit; i < c->p->n; i += 2 * bit) {
        MPI_Count run = minimum(bit, c->p->n - i) * bytes;
        struct span one = part(all, i * bytes, run), other = part(packed, at, run);

        schedule_copy(c->s, is_packing ? one : other, is_packing ? other : one);
        at += run;
    }
    return at;
}

static void alltoall_brucks(const struct collective *c)
{
    const struct ranks *p = c->p;
    MPI_Count bytes = c->receive.count * c->receive.type->size, total = p->n * bytes, n;
    char *work = schedule_memory(c->s, (size_t)(3 * total));
    struct span all = bytes_at(work, total), out = bytes_at(work + total, total);
    struct span in = bytes_at(work + 2 * total, total);

    if (!bytes)
        return;
    schedule_copy(c->s, block_range(&c->send, p->rank, p->n - p->rank),
                  part(all, 0, (p->n - p->rank) * bytes));
    schedule_copy(c->s, block_range(&c->send, 0, p->rank),
                  part(all, (p->n - p->rank) * bytes, p->rank * bytes));
    for (int bit = 1; bit < p->n; bit <<= 1) {
        n = copy_bit(c, all, out, bit, true);
        schedule_exchange(c->s, p, part(out, 0, n), on_ring(p, p->rank + bit), part(in, 0, n),
                          on_ring(p, p->rank - bit));
        copy_bit(c, all, in, bit, false);
    }
    for (int i = 0; i < p->n; i++)
        schedule_copy(c->s, part(all, i * bytes, bytes),
                      block(&c->receive, on_ring(p, p->rank - i)));
}

static void exchange_own(const struct collective *c)
{
    schedule_copy(c->s, block(&c->send, c->p->rank), block(&c->receive, c->p->rank));
}

static void alltoall_scattered(const struct collective *c)
{
    enum { THROTTLE = 32 }; /* MPIR_CVAR_ALLTOALL_THROTTLE */
    const struct ranks *p = c->p;

    schedule_send_self(c->s, block(&c->send, p->rank), block(&c->receive, p->rank));
    for (int first = 0; first < p->n; first += THROTTLE) {
        int end = minimum(first + THROTTLE, p->n);

        for (int i = first; i < end; i++) {
            int from = on_ring(p, p->rank + i);

            if (i && span_bytes(block(&c->receive, from)))
                schedule_receive(c->s, p, block(&c->receive, from), from);
        }
        for (int i = first; i < end; i++) {
            int to = on_ring(p, p->rank - i);

            if (i && span_bytes(block(&c->send, to)))
                schedule_send(c->s, p, block(&c->send, to), to);
        }
        schedule_wait(c->s);
    }
}

static void alltoall_pairwise(const struct collective *c)
{
    const struct ranks *p = c->p;
    bool is_pow2 = power_of_two_below(p->n) == p->n;

    exchange_own(c);
    for (int i = 1; i < p->n; i++) {
        int to = is_pow2 ? p->rank ^ i : on_ring(p, p->rank + i);
        int from = is_pow2 ? to : on_ring(p, p->rank - i);

        schedule_exchange(c->s, p, block(&c->send, to), to, block(&c->receive, from), from);
    }
}

static void alltoall_replace(const struct collective *c)
{
    const struct ranks *p = c->p;

    for (int i = 0; i < p->n; i++) {
        struct span data = block(&c->receive, i);
        struct span out;

        if (i == p->rank)
            continue;
        out = byte_buffer(c, span_bytes(data));
        schedule_copy(c->s, data, out);
        schedule_exchange(c->s, p, out, i, data, i);
    }
}

const struct algorithm data_algorithms[] = {
    {BARRIER, WITHIN, "dissemination recursive_doubling", barrier_dissemination},
    {BCAST, WITHIN, "binomial", bcast_binomial},
    {BCAST, WITHIN, "scatter_recursive_doubling_allgather", bcast_scatter_doubling},
    {BCAST, WITHIN, "scatter_ring_allgather", bcast_scatter_ring},
    {GATHER, WITHIN, "binomial", gather_binomial},
    {SCATTER, WITHIN, "binomial", scatter_binomial},
    {GATHERV, WITHIN, "linear", gatherv_linear},
    {SCATTERV, WITHIN, "linear", scatterv_linear},
    {ALLGATHER, WITHIN, "ring", allgather_ring},
    {ALLGATHER, WITHIN, "brucks", allgather_brucks},
    {ALLGATHER, WITHIN, "recursive_doubling", allgather_doubling},
    {ALLGATHERV, WITHIN, "ring", allgather_ring},
    {ALLGATHERV, WITHIN, "brucks", allgather_brucks},
    {ALLGATHERV, WITHIN, "recursive_doubling", allgather_doubling},
    {ALLTOALL, WITHIN, "pairwise", alltoall_pairwise},
    {ALLTOALL, WITHIN, "brucks", alltoall_brucks},
    {ALLTOALL, WITHIN, "scattered permuted_sendrecv", alltoall_scattered},
    {ALLTOALL, WITHIN, "pairwise_sendrecv_replace inplace", alltoall_replace},
    {ALLTOALLV, WITHIN, "scattered blocked", alltoall_scattered},
    {ALLTOALLV, WITHIN, "pairwise_sendrecv_replace inplace", alltoall_replace},
    {ALLTOALLW, WITHIN, "scattered blocked", alltoall_scattered},
    {ALLTOALLW, WITHIN, "pairwise_sendrecv_replace inplace", alltoall_replace},
    {.run = NULL},
};
