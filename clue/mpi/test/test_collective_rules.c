/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests which algorithm MPICH 4.0.2's rules choose, as its library states them, and what
 * collectives in shared memory write for the first time. */
#include "collective.h"

#include <unit_test.h>

/* cmocka needs the above */

/* Replaces the carrier's: no run is under way. */
const char *clue_collectives_file(void)
{
    return NULL;
}

static const void *touched_at;
static uint64_t touched, buffered; /* bytes of results, and of buffers; 0: not touched */

void clue_touch(void *at, uint64_t bytes)
{
    touched_at = at ? at : touched_at;
    *(at ? &touched : &buffered) = bytes;
}

struct choice {
    enum collective_kind kind;
    int ranks;
    int64_t bytes; /* size of a message; allgather, reduce_scatter: of each rank's block */
    const char *expected;
    bool is_request, is_own_operation, is_not_commutative, is_in_place;
};

static void check(const struct choice *x)
{
    struct mpi_op op = {.is_builtin = !x->is_own_operation && !x->is_not_commutative,
                        .is_commutative = !x->is_not_commutative};
    struct mpi_schedule s = {.op = &op, .is_stored = x->is_request};
    struct ranks p = {.n = x->ranks};
    struct mpi_type byte = {.size = 1, .extent = 1}, *bytes = &byte;
    struct collective c = {.s = &s,
                           .p = &p,
                           .kind = x->kind,
                           .count = x->bytes,
                           .type = bytes,
                           .send = {.base = x->is_in_place ? MPI_IN_PLACE : NULL},
                           .receive = {.count = x->bytes, .type = bytes}};
    const struct algorithm *found = rules_choose(RULES_FLAT, &c);

    if (!strstr(found->name, x->expected))
        fail_msg("kind %d of %d ranks, %lld bytes: %s, expected %s", (int)x->kind, x->ranks,
                 (long long)x->bytes, found->name, x->expected);
}

static void test_choices(void **state)
{
    static const struct choice choices[] = {
        {BCAST, 7, 1 << 20, "binomial", 0, 0, 0, 0},
        {BCAST, 8, 12288, "binomial", 0, 0, 0, 0},
        {BCAST, 8, 12289, "scatter_recursive_doubling_allgather", 0, 0, 0, 0},
        {BCAST, 8, 524289, "scatter_ring_allgather", 0, 0, 0, 0},
        {BCAST, 12, 12289, "scatter_ring_allgather", 0, 0, 0, 0},
        {BCAST, 8, 12288, "scatter_recursive_doubling_allgather", 1, 0, 0, 0},
        {REDUCE, 8, 2048, "binomial", 0, 0, 0, 0},
        {REDUCE, 8, 2049, "reduce_scatter_gather", 0, 0, 0, 0},
        {REDUCE, 8, 4096, "binomial", 0, 1, 0, 0},
        {ALLREDUCE, 8, 8, "recursive_doubling", 0, 0, 0, 0},
        {ALLREDUCE, 8, 9, "reduce_scatter_allgather", 0, 0, 0, 0},
        {ALLREDUCE, 16, 15, "recursive_doubling", 0, 0, 0, 0},
        {ALLREDUCE, 8, 4096, "recursive_doubling", 0, 1, 0, 0},
        {ALLREDUCE, 8, 2048, "recursive_doubling", 1, 0, 0, 0},
        {ALLREDUCE, 8, 2049, "reduce_scatter_allgather", 1, 0, 0, 0},
        {ALLGATHER, 8, 65535, "recursive_doubling", 0, 0, 0, 0},
        {ALLGATHER, 8, 65536, "ring", 0, 0, 0, 0},
        {ALLGATHER, 10, 8191, "brucks", 0, 0, 0, 0},
        {ALLGATHER, 10, 8192, "ring", 0, 0, 0, 0},
        {ALLTOALL, 7, 32768, "scattered", 0, 0, 0, 0},
        {ALLTOALL, 7, 32769, "pairwise", 0, 0, 0, 0},
        {ALLTOALL, 8, 256, "brucks", 0, 0, 0, 0},
        {ALLTOALL, 8, 257, "scattered", 0, 0, 0, 0},
        {ALLTOALL, 8, 2048, "brucks", 1, 0, 0, 0},
        {ALLTOALL, 8, 8, "pairwise_sendrecv_replace", 0, 0, 0, 1},
        {REDUCE_SCATTER_BLOCK, 8, 65535, "recursive_halving", 0, 0, 0, 0},
        {REDUCE_SCATTER_BLOCK, 8, 65536, "pairwise", 0, 0, 0, 0},
        {REDUCE_SCATTER_BLOCK, 8, 8, "noncommutative", 0, 0, 1, 0},
        {REDUCE_SCATTER_BLOCK, 6, 8, "recursive_doubling", 0, 0, 1, 0},
        {BARRIER, 8, 0, "dissemination", 0, 0, 0, 0},
        {SCAN, 8, 8, "recursive_doubling", 0, 0, 0, 0},
        {GATHER, 8, 8, "binomial", 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        check(&choices[i]);
}

/* Checks what RANK of two writes first, where rank 1 is the root: its RESULT, and BUFFERS. */
static void touches(struct mpi_task *t, enum collective_kind kind, int rank, uint64_t bytes,
                    uint64_t result, uint64_t buffers)
{
    static char at[1];
    struct mpi_schedule s = {.task = t};
    struct ranks p = {.n = 2, .rank = rank};
    struct mpi_type byte = {.size = 1, .extent = 1, .is_contiguous = true};
    struct collective c = {.s = &s,
                           .p = &p,
                           .kind = kind,
                           .root = 1,
                           .count = (MPI_Count)bytes,
                           .type = &byte,
                           .receive = {.base = at}};

    touched = buffered = 0;
    touched_at = NULL;
    collective_touch(&c);
    assert_int_equal(touched, result);
    assert_int_equal(buffered, buffers);
    if (result)
        assert_ptr_equal(touched_at, at);
    s.task = &(struct mpi_task){0};
    byte.is_contiguous = false; /* such a type's pages are not counted */
    touched = 0;
    collective_touch(&c);
    assert_int_equal(touched, 0);
}

/* The expected values are page faults counted with MPICH 4.0.2 and glibc 2.36: 26, 96 and 385 in a
 * reduction of 120,000 B, 256 KB and 1 MB by the rank that is not the root, each time, and none in
 * smaller ones after that. */
static void test_first_touch(void **state)
{
    enum { KB = 1024, PADDING = 128 * KB };
    struct mpi_task task = {0};

    touches(&task, BCAST, 0, 4 * KB, 0, 0);
    touches(&task, BARRIER, 0, 0, 0, 0);
    touches(&task, ALLREDUCE, 0, 4 * KB, 4 * KB, 4 * KB);
    touches(&task, ALLREDUCE, 1, 4 * KB, 4 * KB, 0);
    touches(&task, REDUCE, 1, 4 * KB, 4 * KB, 0);
    touches(&task, REDUCE, 0, 120000, 0, 180000);
    touches(&task, REDUCE, 0, 120000, 0, 240000 - PADDING);
    touches(&task, REDUCE, 0, 120000, 0, 240000 - PADDING);
    touches(&task, REDUCE, 0, 256 * KB, 0, 384 * KB);
    touches(&task, REDUCE, 0, 256 * KB, 0, 384 * KB);
    touches(&task, REDUCE, 0, 1024 * KB, 0, 1536 * KB);
    touches(&task, REDUCE, 0, 1024 * KB, 0, 1536 * KB);
    touches(&task, REDUCE, 0, 256 * KB, 0, 384 * KB);
    touches(&task, REDUCE, 0, 256 * KB, 0, 0);
    touches(&task, REDUCE, 0, 120000, 0, 0);
    touches(&task, ALLREDUCE, 0, 1024 * KB, 1024 * KB, 512 * KB);
    touches(&task, ALLREDUCE, 0, 1024 * KB, 1024 * KB, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices),
                                              cmocka_unit_test(test_first_touch)};

    unsetenv("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
