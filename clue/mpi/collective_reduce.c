/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions within a group: see collective.h. The order of operands is MPICH's, so that results
 * are rounded in the same way: schedule_reduce(s, a, b) makes b = a op b.
 */
#include "collective.h"

static bool is_commutative(const struct collective *c)
{
    return c->s->op->is_commutative;
}

/* Computes B = OTHER op B if OTHER's ranks come first or order is free, else B = B op OTHER; OTHER
 * is lost. */
static void combine(const struct collective *c, struct span other, struct span b, bool is_first)
{
    if (is_first || is_commutative(c))
        schedule_reduce(c->s, other.at, b);
    else {
        schedule_reduce(c->s, b.at, other);
        schedule_copy(c->s, other, b);
    }
}

/* ---------------------------------------------------------------- counts by rank */

/* Returns where each rank's elements of a vector begin, and at [n] the number of all. */
static MPI_Count *begins(const struct collective *c, int n)
{
    return schedule_memory(c->s, ((size_t)n + 1) * sizeof(MPI_Count));
}

static MPI_Count *even_begins(const struct collective *c, int n)
{
    MPI_Count *at = begins(c, n);

    for (int i = 0; i < n; i++)
        at[i + 1] = at[i] + c->count / n + (i < c->count % n);
    return at;
}

static MPI_Count received_count(const struct collective *c, int rank)
{
    return c->receive.counts ? c->receive.counts[rank] : c->receive.count;
}

static MPI_Count *block_begins(const struct collective *c)
{
    MPI_Count *at = begins(c, c->p->n);

    for (int i = 0; i < c->p->n; i++)
        at[i + 1] = at[i] + received_count(c, i);
    return at;
}

static struct span between(struct span s, const MPI_Count *at, int from, int to)
{
    return part(s, at[from], at[to] - at[from]);
}

/* ---------------------------------------------------------------- reduce */

static void reduce_binomial(const struct collective *c)
{
    const struct ranks *p = c->p;
    int top = is_commutative(c) ? c->root : 0;
    int relative = on_ring(p, p->rank - top);
    struct span other = schedule_buffer(c->s, c->count, c->type), own;

    if (!c->count)
        return;
    own = p->rank == c->root ? result_of(c) : schedule_buffer(c->s, c->count, c->type);
    if (p->rank != c->root || !is_in_place(c))
        schedule_copy(c->s, operands(c), own);
    for (int mask = 1; mask < p->n; mask <<= 1) {
        if (relative & mask) {
            schedule_send_now(c->s, p, own, on_ring(p, (relative & ~mask) + top));
            break;
        }
        if ((relative | mask) < p->n) {
            schedule_receive_now(c->s, p, other, on_ring(p, (relative | mask) + top));
            combine(c, other, own, false);
        }
    }
    if (top != c->root && p->rank == 0)
        schedule_send_now(c->s, p, own, c->root);
    if (top != c->root && p->rank == c->root)
        schedule_receive_now(c->s, p, own, 0);
}

/* ---------------------------------------------------------------- halves and doubles */

/*
 * Common to Rabenseifner's algorithms: ranks beyond the largest power of two pass their operands to
 * a neighbour, and the others, renumbered, halve the vector among them.
 */
struct halves {
    const struct collective *c;
    struct span own, other;
    MPI_Count *at; /* by new rank */
    int n, n_extra;
    int kept;     /* of each extra pair the odd rank stays (1), or the even rank (0) */
    int rank;     /* the new rank; -1: this rank is out */
    int from, to; /* range of new ranks whose elements this rank has */
};

static int old_rank(const struct halves *h, int rank)
{
    return rank < h->n_extra ? 2 * rank + h->kept : rank + h->n_extra;
}

static void fold_extra(struct halves *h)
{
    const struct collective *c = h->c;
    const struct ranks *p = c->p;

    h->n = power_of_two_below(p->n);
    h->n_extra = p->n - h->n;
    h->rank = p->rank - h->n_extra;
    if (p->rank >= 2 * h->n_extra)
        return;
    h->rank = p->rank / 2;
    if (p->rank % 2 == h->kept) {
        schedule_receive_now(c->s, p, h->other, p->rank ^ 1);
        schedule_reduce(c->s, h->other.at, h->own);
    } else {
        schedule_send_now(c->s, p, h->own, p->rank ^ 1);
        h->rank = -1;
    }
}

/* Exchanges halves with the new rank MASK away, and reduces the half that stays. */
static void halve(struct halves *h, int mask, int middle)
{
    const struct collective *c = h->c;
    int partner = h->rank ^ mask, from = h->from, to = h->to;
    struct span out, in;

    if (h->rank < partner)
        h->to = middle;
    else
        h->from = middle;
    out = h->rank < partner ? between(h->own, h->at, middle, to)
                            : between(h->own, h->at, from, middle);
    in = between(h->other, h->at, h->from, h->to);
    if (in.count)
        schedule_receive(c->s, c->p, in, old_rank(h, partner));
    if (out.count)
        schedule_send(c->s, c->p, out, old_rank(h, partner));
    schedule_wait(c->s);
    schedule_reduce(c->s, in.at, between(h->own, h->at, h->from, h->to));
}

static void halve_all(struct halves *h)
{
    h->from = 0;
    h->to = h->n;
    for (int mask = 1; mask < h->n; mask <<= 1)
        halve(h, mask, h->from + (h->to - h->from) / 2);
}

static void reduce_scatter_gather_to_root(struct halves *h)
{
    const struct collective *c = h->c;
    const struct ranks *p = c->p;
    bool is_out = c->root < 2 * h->n_extra && c->root % 2; /* the root takes new rank 0's place */
    int root = c->root < 2 * h->n_extra ? c->root / 2 : c->root - h->n_extra;

    if (is_out) {
        if (p->rank == c->root) {
            h->rank = h->from = 0;
            h->to = 1;
            schedule_receive_now(c->s, p, between(h->own, h->at, 0, 1), 0);
        } else if (h->rank == 0) {
            schedule_send_now(c->s, p, between(h->own, h->at, 0, 1), c->root);
            h->rank = -1;
        }
        root = 0;
    }
    for (int mask = h->n / 2; mask > 0 && h->rank >= 0; mask >>= 1) {
        int partner = h->rank ^ mask, size = h->to - h->from;
        int task = is_out && partner == 0 ? c->root : old_rank(h, partner);
        int other = h->rank < partner ? h->to : h->from - size;

        if ((partner & -mask) == (root & -mask)) {
            schedule_send_now(c->s, p, between(h->own, h->at, h->from, h->to), task);
            return;
        }
        schedule_receive_now(c->s, p, between(h->own, h->at, other, other + size), task);
        h->from = h->from < other ? h->from : other;
        h->to = h->from + 2 * size;
    }
}

static void reduce_scatter_gather(const struct collective *c)
{
    struct halves h = {.c = c, .kept = 0, .other = schedule_buffer(c->s, c->count, c->type)};

    if (!c->count)
        return;
    h.own = c->p->rank == c->root ? result_of(c) : schedule_buffer(c->s, c->count, c->type);
    if (c->p->rank != c->root || !is_in_place(c))
        schedule_copy(c->s, operands(c), h.own);
    fold_extra(&h);
    h.at = even_begins(c, h.n);
    if (h.rank >= 0)
        halve_all(&h);
    reduce_scatter_gather_to_root(&h);
}

/* ---------------------------------------------------------------- allreduce */

/* Sends the result to the ranks that were out. */
static void unfold_extra(const struct halves *h)
{
    const struct ranks *p = h->c->p;

    if (p->rank >= 2 * h->n_extra)
        return;
    if (h->rank >= 0)
        schedule_send_now(h->c->s, p, h->own, p->rank ^ 1);
    else
        schedule_receive_now(h->c->s, p, h->own, p->rank ^ 1);
}

static struct halves allreduce_begin(const struct collective *c)
{
    struct halves h = {.c = c, .kept = 1, .own = result_of(c)};

    h.other = schedule_buffer(c->s, c->count, c->type);
    if (!is_in_place(c))
        schedule_copy(c->s, operands(c), h.own);
    fold_extra(&h);
    return h;
}

static void allreduce_doubling(const struct collective *c)
{
    struct halves h;

    if (!c->count)
        return;
    h = allreduce_begin(c);
    for (int mask = 1; mask < h.n && h.rank >= 0; mask <<= 1) {
        int partner = old_rank(&h, h.rank ^ mask);

        schedule_exchange(c->s, c->p, h.own, partner, h.other, partner);
        combine(c, h.other, h.own, partner < c->p->rank);
    }
    unfold_extra(&h);
}

static void allreduce_halves(const struct collective *c)
{
    struct halves h;

    if (!c->count)
        return;
    h = allreduce_begin(c);
    h.at = even_begins(c, h.n);
    if (h.rank >= 0)
        halve_all(&h);
    for (int mask = h.n / 2; mask > 0 && h.rank >= 0; mask >>= 1) {
        int partner = h.rank ^ mask, size = h.to - h.from;
        int other = h.rank < partner ? h.to : h.from - size;

        schedule_exchange(c->s, c->p, between(h.own, h.at, h.from, h.to), old_rank(&h, partner),
                          between(h.own, h.at, other, other + size), old_rank(&h, partner));
        h.from = h.from < other ? h.from : other;
        h.to = h.from + 2 * size;
    }
    unfold_extra(&h);
}

/* ---------------------------------------------------------------- reduce_scatter */

static void reduce_scatter_halving(const struct collective *c)
{
    const struct ranks *p = c->p;
    MPI_Count *at = block_begins(c);
    struct halves h = {.c = c, .kept = 1, .other = schedule_buffer(c->s, at[p->n], c->type)};
    struct span own, result = span(c->receive.base, received_count(c, p->rank), c->type);

    if (!at[p->n])
        return;
    h.own = schedule_buffer(c->s, at[p->n], c->type);
    schedule_copy(c->s, part(operands(c), 0, at[p->n]), h.own);
    h.own.count = h.other.count = at[p->n];
    fold_extra(&h);
    own = between(h.own, at, p->rank, p->rank + 1);
    if (h.rank >= 0) {
        h.at = begins(c, h.n);
        for (int i = 0; i < h.n; i++)
            h.at[i + 1] = at[old_rank(&h, i) + 1];
        h.to = h.n;
        for (int mask = h.n / 2; mask > 0; mask >>= 1)
            halve(&h, mask, h.from + mask);
        schedule_copy(c->s, own, result);
    }
    if (p->rank >= 2 * h.n_extra)
        return;
    if (h.rank >= 0 && received_count(c, p->rank - 1))
        schedule_send_now(c->s, p, between(h.own, at, p->rank - 1, p->rank), p->rank - 1);
    else if (h.rank < 0 && result.count)
        schedule_receive_now(c->s, p, result, p->rank + 1);
}

static void reduce_scatter_pairwise(const struct collective *c)
{
    const struct ranks *p = c->p;
    MPI_Count *at = block_begins(c);
    struct span all = part(operands(c), 0, at[p->n]);
    struct span own = between(all, at, p->rank, p->rank + 1);
    struct span other = schedule_buffer(c->s, own.count, c->type);
    struct span result = span(c->receive.base, own.count, c->type);

    if (!at[p->n])
        return;
    if (!is_in_place(c)) {
        schedule_copy(c->s, own, result);
        own = result;
    }
    for (int i = 1; i < p->n; i++) {
        int to = on_ring(p, p->rank + i), from = on_ring(p, p->rank - i);

        schedule_exchange(c->s, p, between(all, at, to, to + 1), to, other, from);
        schedule_reduce(c->s, other.at, own);
    }
    schedule_copy(c->s, own, result);
}

static int mirrored(int i, int bits)
{
    int mirror = 0;

    for (; bits-- > 0; i >>= 1)
        mirror = mirror << 1 | (i & 1);
    return mirror;
}

/* Scatters by Traff's butterfly, for powers of two and equal blocks. */
static void reduce_scatter_butterfly(const struct collective *c)
{
    const struct ranks *p = c->p;
    MPI_Count n = received_count(c, 0), size = n * p->n, from = 0;
    struct span have = schedule_buffer(c->s, size, c->type);
    struct span come = schedule_buffer(c->s, size, c->type), spare;
    int bits = __builtin_ctz((unsigned)p->n);

    for (int i = 0; i < p->n; i++)
        schedule_copy(c->s, part(operands(c), i * n, n), part(have, mirrored(i, bits) * n, n));
    for (int k = 0; k < bits; k++) {
        int partner = p->rank ^ 1 << k;
        MPI_Count given = from;

        size /= 2;
        if (p->rank > partner)
            from += size;
        else
            given += size;
        schedule_exchange(c->s, p, part(have, given, size), partner, part(come, from, size),
                          partner);
        if (p->rank > partner)
            schedule_reduce(c->s, part(come, from, size).at, part(have, from, size));
        else {
            schedule_reduce(c->s, part(have, from, size).at, part(come, from, size));
            spare = have;
            have = come;
            come = spare;
        }
    }
    schedule_copy(c->s, part(have, from, size), span(c->receive.base, size, c->type));
}

/* A vector without the elements of ranks FROM to TO: two parts, packed for a message. */
struct rest {
    struct span before, after;
};

static struct rest rest_of(const struct collective *c, struct span all, const MPI_Count *at,
                           int from, int mask)
{
    int n = c->p->n, to = from + mask < n ? from + mask : n;

    if (from > n)
        from = n;
    return (struct rest){between(all, at, 0, from), between(all, at, to, n)};
}

static void send_rest(const struct collective *c, struct rest r, int to)
{
    struct span flat = schedule_buffer(c->s, r.before.count + r.after.count, c->type);

    schedule_copy(c->s, r.before, part(flat, 0, r.before.count));
    schedule_copy(c->s, r.after, part(flat, r.before.count, r.after.count));
    schedule_send(c->s, c->p, flat, to);
    schedule_wait(c->s);
}

static struct span receive_rest(const struct collective *c, struct rest r, int from)
{
    struct span flat = schedule_buffer(c->s, r.before.count + r.after.count, c->type);

    schedule_receive(c->s, c->p, flat, from);
    return flat;
}

static void place_rest(const struct collective *c, struct span flat, struct rest r)
{
    schedule_copy(c->s, part(flat, 0, r.before.count), r.before);
    schedule_copy(c->s, part(flat, r.before.count, r.after.count), r.after);
}

/* Sends a rank whose partner is beyond the last what that would have sent, from its subtree. */
static bool pass_on(const struct collective *c, struct rest in, int mask, int n_completed)
{
    const struct ranks *p = c->p;
    bool has_received = false;

    for (int half = mask >> 1; half > 0; half >>= 1) {
        int other = p->rank ^ half, tree = p->rank & -(2 * half);

        if (other > p->rank && p->rank < tree + n_completed && other >= tree + n_completed &&
            other < p->n)
            send_rest(c, in, other);
        else if (other < p->rank && other < tree + n_completed && p->rank >= tree + n_completed) {
            struct span flat = receive_rest(c, in, other);

            schedule_wait(c->s);
            place_rest(c, flat, in);
            has_received = true;
        }
    }
    return has_received;
}

static void reduce_scatter_doubling(const struct collective *c)
{
    const struct ranks *p = c->p;
    MPI_Count *at = block_begins(c);
    struct span own = schedule_buffer(c->s, at[p->n], c->type);
    struct span other = schedule_buffer(c->s, at[p->n], c->type);

    if (!at[p->n])
        return;
    schedule_copy(c->s, part(operands(c), 0, at[p->n]), own);
    for (int mask = 1; mask < p->n; mask <<= 1) {
        int partner = p->rank ^ mask, tree = p->rank & -mask, other_tree = partner & -mask;
        struct rest in = rest_of(c, other, at, other_tree, mask);
        struct rest mine = rest_of(c, own, at, other_tree, mask);
        bool has_received = partner < p->n;

        if (has_received) {
            struct span flat = receive_rest(c, in, partner);

            send_rest(c, rest_of(c, own, at, tree, mask), partner);
            place_rest(c, flat, in);
        }
        if (other_tree + mask > p->n)
            has_received |= pass_on(c, in, mask, p->n - tree - mask);
        if (has_received) {
            combine(c, in.before, mine.before, other_tree < tree);
            combine(c, in.after, mine.after, other_tree < tree);
        }
    }
    schedule_copy(c->s, between(own, at, p->rank, p->rank + 1),
                  span(c->receive.base, received_count(c, p->rank), c->type));
}

/* ---------------------------------------------------------------- scan, exscan */

static void scan_doubling(const struct collective *c)
{
    const struct ranks *p = c->p;
    struct span result = result_of(c);
    struct span partial = schedule_buffer(c->s, c->count, c->type);
    struct span other = schedule_buffer(c->s, c->count, c->type);
    bool is_set = c->kind == SCAN;

    if (!c->count)
        return;
    schedule_copy(c->s, operands(c), partial);
    if (c->kind == SCAN && !is_in_place(c))
        schedule_copy(c->s, operands(c), result);
    for (int mask = 1; mask < p->n; mask <<= 1) {
        int partner = p->rank ^ mask;

        if (partner >= p->n)
            continue;
        schedule_exchange(c->s, p, partial, partner, other, partner);
        if (partner < p->rank) {
            schedule_reduce(c->s, other.at, partial);
            if (is_set)
                schedule_reduce(c->s, other.at, result);
            else
                schedule_copy(c->s, other, result);
            is_set = true;
        } else
            combine(c, other, partial, false);
    }
}

const struct algorithm reduce_algorithms[] = {
    {REDUCE, WITHIN, "binomial", reduce_binomial},
    {REDUCE, WITHIN, "reduce_scatter_gather", reduce_scatter_gather},
    {ALLREDUCE, WITHIN, "recursive_doubling", allreduce_doubling},
    {ALLREDUCE, WITHIN, "reduce_scatter_allgather", allreduce_halves},
    {REDUCE_SCATTER, WITHIN, "recursive_doubling", reduce_scatter_doubling},
    {REDUCE_SCATTER, WITHIN, "recursive_halving", reduce_scatter_halving},
    {REDUCE_SCATTER, WITHIN, "pairwise", reduce_scatter_pairwise},
    {REDUCE_SCATTER, WITHIN, "noncommutative", reduce_scatter_butterfly},
    {REDUCE_SCATTER_BLOCK, WITHIN, "recursive_doubling", reduce_scatter_doubling},
    {REDUCE_SCATTER_BLOCK, WITHIN, "recursive_halving", reduce_scatter_halving},
    {REDUCE_SCATTER_BLOCK, WITHIN, "pairwise", reduce_scatter_pairwise},
    {REDUCE_SCATTER_BLOCK, WITHIN, "noncommutative", reduce_scatter_butterfly},
    {SCAN, WITHIN, "recursive_doubling", scan_doubling},
    {EXSCAN, WITHIN, "recursive_doubling", scan_doubling},
    {.run = NULL},
};
