/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile makes of samples, against numbers reckoned by hand. */
#include "fixture.h"

#include <math.h>
#include <regex.h>
#include <string.h>

#define GO    "main.go [test.Class]"
#define SOLVE "solver.solve [test.Class]"
#define DOT   "vector.dot [test.Class]"

static bool regex_finds(const char *text, const char *pattern)
{
    regex_t regex;
    int found;

    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB), 0);
    found = regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);
    return found == 0;
}

static void near(double seen, double expected)
{
    if (!(fabs(seen - expected) <= 1e-9 * fabs(expected) + 1e-12))
        fail_msg("%.17g is not %.17g", seen, expected);
}

/* Two steps on two ranks; the second thread of rank 1 has no dot at all. */
static const struct row first_step[] = {
    {-1, "main.go", 0, 0, 1, 1000, 400, 0, 50, 1000, 1000, 1e6, 0, NULL},
    {0, "solver.solve", 0, 0, 2, 300, 200, 64, 0, 100, 200, 5e4, 0, NULL},
    {0, "solver.solve", 0, 0, 1, 300, 300, 128, 0, 300, 300, 9e4, 0, NULL},
    {1, "vector.dot", 0, 0, 10, 100, 100, 0, 0, 5, 15, 1100, 0, NULL},
    {-1, "main.go", 1, 0, 1, 3000, 2000, 0, 150, 3000, 3000, 9e6, 0, NULL},
    {4, "solver.solve", 1, 0, 3, 1000, 1000, 64, 0, 300, 400, 3.4e5, 0, NULL},
    {-1, "solver.solve", 1, 1, 1, 500, 500, 64, 0, 500, 500, 2.5e5, 0, NULL},
};
static const struct row second_step[] = {
    {-1, "main.go", 0, 0, 1, 1000, 900, 0, 50, 1000, 1000, 1e6, 0, NULL},
    {0, "vector.dot", 0, 0, 1, 100, 100, 0, 0, 100, 100, 1e4, 0, NULL},
};

static int64_t put_trial(struct portolan_store *store)
{
    static const struct portolan_name_value facts[] = {
        {"cost.call_ns", "5"}, {"cost.inside_ns", "2"}, {"cost.spread_ns", "0.5"}};
    int64_t id = begin_trial(store, 2, facts, N_OF(facts));

    put_rows(store, id, -1, first_step, N_OF(first_step));
    put_rows(store, id, 0, second_step, N_OF(second_step));
    end_trial(store, id, "finished");
    return id;
}

static enum portolan_status read_rank(struct portolan_store *store, int64_t trial, int rank,
                                      struct portolan_profile **p, struct portolan_error *err)
{
    const struct portolan_profile_query q = {.trial = trial, .rank = &rank, .cells = true};

    return portolan_profile_read(store, &q, p, err);
}

static void statistics_are_over_all_ranks(void **state)
{
    struct portolan_profile *p;
    const struct portolan_profile_node *n;

    put_trial(*state);
    p = read_profile(*state, &(struct portolan_profile_query){.cells = true});
    assert_int_equal(p->n_nodes, 5);
    assert_int_equal(p->ranks, 2);
    assert_false(p->is_cut);
    n = find_node(p, GO);
    assert_int_equal(n->parent, -1);
    assert_int_equal(n->n_ranks, 2);
    near(n->inclusive_ns.sum, 5000);
    near(n->inclusive_ns.mean, 2500);
    near(n->inclusive_ns.min, 2000);
    near(n->inclusive_ns.max, 3000);
    near(n->inclusive_ns.stddev, 500);
    near(portolan_imbalance(&n->inclusive_ns), 0.2);
    assert_int_equal(n->inclusive_ns.max_rank, 1);
    near(n->calls.sum, 3);
    near(n->mpi_ns.sum, 250);
    near(n->one_min_ns, 1000);
    near(n->one_max_ns, 3000);
    near(n->sum_squares_ns2, 11e6);
    n = find_node(p, DOT);
    assert_int_equal(n->n_ranks, 1);
    near(n->inclusive_ns.min, 0);
    near(n->inclusive_ns.max, 100);
    near(n->inclusive_ns.mean, 50);
    near(n->inclusive_ns.stddev, 50);
    near(portolan_imbalance(&n->inclusive_ns), 1);
    portolan_profile_destroy(p);
}

static void call_paths_are_told_apart_and_contexts_are_parts_of_them(void **state)
{
    struct portolan_profile *p;
    const struct portolan_profile_node *n;

    put_trial(*state);
    p = read_profile(*state, &(struct portolan_profile_query){.contexts = true});
    n = find_node(p, SOLVE);
    assert_int_equal(n->parent, 0);
    near(n->calls.sum, 6);
    near(n->inclusive_ns.sum, 1600);
    n = find_node(p, SOLVE " [ <n> = <64> ]");
    assert_true(n->is_context);
    near(n->calls.sum, 5);
    near(n->inclusive_ns.sum, 1300);
    near(n->inclusive_ns.max, 1000);
    n = find_node(p, SOLVE " [ <n> = <128> ]");
    near(n->calls.sum, 1);
    near(n->inclusive_ns.sum, 300);
    portolan_profile_destroy(p);
}

static void a_rank_can_be_looked_at_alone(void **state)
{
    struct portolan_profile *p = NULL;
    struct portolan_error err = {0};
    int64_t id = put_trial(*state);

    assert_int_equal(read_rank(*state, id, 1, &p, &err), PORTOLAN_OK);
    assert_int_equal(p->ranks, 1);
    near(find_node(p, GO)->inclusive_ns.mean, 3000);
    assert_int_equal(p->n_cells, 3);
    assert_int_equal(p->cells[2].thread, 1);
    near(p->cells[2].inclusive_ns, 500);
    portolan_profile_destroy(p);
    assert_int_equal(read_rank(*state, id, 2, &p, &err), PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "trial 1 has no rank 2, its ranks are 0 to 1");
    err = (struct portolan_error){0};
    assert_int_equal(read_rank(*state, 9, 0, &p, &err), PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "there is no trial 9");
}

/*
 * go: 3 calls, below them 6 solve, 10 dot in solve, 1 dot in go. Inclusive 5000 - 3 x 2 - 17 x 5;
 * exclusive (400 + 2000 + 900) - 3 x 2 - (6 + 1) x 3; interval 2 x 0.5 x (3 + 17), 2 x 0.5 x (3 +
 * 7).
 */
static void the_cost_of_calls_is_taken_off_with_its_interval(void **state)
{
    struct portolan_profile *p;
    const struct portolan_profile_node *n;

    put_trial(*state);
    p = read_profile(*state, &(struct portolan_profile_query){0});
    n = find_node(p, GO);
    near(n->descendants, 17);
    near(n->inclusive.value, 5000);
    near(n->inclusive.low, 5000);
    near(n->inclusive_compensated.value, 4909);
    near(n->inclusive_compensated.low, 4889);
    near(n->inclusive_compensated.high, 4929);
    near(n->exclusive_compensated.value, 3273);
    near(n->exclusive_compensated.low, 3263);
    assert_false(n->is_marked);
    n = find_node(p, DOT); /* the one in solve: 10 calls of 10 ns */
    near(n->inclusive_compensated.value, 80);
    assert_true(n->is_marked);
    portolan_profile_destroy(p);
}

static void nothing_is_clipped_at_0(void **state)
{
    static const struct portolan_name_value facts[] = {{"cost.call_ns", "40"},
                                                       {"cost.inside_ns", "12"}};
    static const struct row rows[] = {{-1, "a.f", 0, 0, 10, 100, 100, 0, 0, 10, 10, 1000, 0, NULL}};
    struct portolan_profile *p;
    int64_t id = begin_trial(*state, 1, facts, N_OF(facts));

    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    near(p->nodes[0].inclusive_compensated.value, -20);
    assert_true(p->is_cut);
    portolan_profile_destroy(p);
}

static void without_a_stored_cost_nothing_is_compensated_nor_marked(void **state)
{
    static const struct row rows[] = {{-1, "a.f", 0, 0, 10, 10, 10, 0, 0, 1, 1, 10, 0, NULL}};
    struct portolan_profile *p;
    int64_t id = begin_trial(*state, 1, NULL, 0);

    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    assert_true(isnan(p->nodes[0].inclusive_compensated.value));
    assert_false(p->nodes[0].is_marked);
    portolan_profile_destroy(p);
}

/*
 * 10 of 100 calls of g were timed: mean 50, variance (25900 - 10 x 50 x 50) / 9 = 100. The total's
 * standard error is 100 x sqrt(100 / 10 x (1 - 10 / 100)) = 300. What g took untimed, 4500, is in
 * f.
 */
static void sampled_calls_are_estimated_with_their_error(void **state)
{
    static const struct row rows[] = {
        {-1, "a.f", 0, 0, 1, 10000, 9500, 0, 0, 10000, 10000, 1e8, 0, NULL},
        {0, "b.g", 0, 0, 100, 500, 500, 0, 100, 30, 70, 25900, 10, NULL},
    };
    struct portolan_profile *p;
    int64_t id = begin_trial(*state, 1, NULL, 0);

    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    assert_false(p->nodes[0].is_sampled);
    assert_true(p->nodes[1].is_sampled);
    near(p->nodes[1].calls.sum, 100);
    near(p->nodes[1].inclusive_ns.sum, 500);
    near(p->nodes[1].inclusive.value, 5000);
    near(p->nodes[1].inclusive.low, 4400);
    near(p->nodes[1].inclusive.high, 5600);
    near(p->nodes[1].one_mean_ns, 50);
    near(p->nodes[1].mpi.value, 1000);
    near(p->nodes[0].inclusive.value, 10000);
    near(p->nodes[0].exclusive_ns.sum, 9500);
    near(p->nodes[0].exclusive.value, 5000);
    near(p->nodes[0].exclusive.high, 5600);
    assert_int_equal(p->n_violations, 0);
    portolan_profile_destroy(p);
}

/*
 * 2 of 10 calls of g were timed, 100 ns each, 60 of them in h, whose 10 calls were all timed; so g
 * took 1000 and 10 x 40 itself. f took 50 itself, and the 800 of the calls of g that were not
 * timed.
 */
static void callers_that_are_sampled_keep_their_own_time_only(void **state)
{
    static const struct row rows[] = {
        {-1, "a.f", 0, 0, 1, 1050, 850, 0, 0, 1050, 1050, 1102500, 0, NULL},
        {0, "b.g", 0, 0, 10, 200, 80, 0, 0, 100, 100, 20000, 2, NULL},
        {1, "c.h", 0, 0, 10, 600, 600, 0, 0, 60, 60, 36000, 10, NULL},
    };
    static const double exclusive[] = {50, 400, 600};
    struct portolan_profile *p;
    int64_t id = begin_trial(*state, 1, NULL, 0);

    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id, .cells = true});
    near(p->nodes[1].inclusive.value, 1000);
    for (size_t i = 0; i < N_OF(rows); i++) {
        near(p->nodes[i].exclusive.value, exclusive[i]);
        near(p->cells[i].all_exclusive_ns, exclusive[i]);
    }
    portolan_profile_destroy(p);
}

/* Two ranks do the same: rank 0's calls of g are timed 1 in 10, rank 1's all. */
static void ranks_are_compared_by_estimates(void **state)
{
    static const struct row sampled[] = {
        {-1, "a.f", 0, 0, 1, 10000, 9500, 0, 0, 10000, 10000, 1e8, 0, NULL},
        {0, "b.g", 0, 0, 100, 500, 500, 0, 100, 50, 50, 25000, 10, NULL},
    };
    static const struct row timed[] = {
        {-1, "a.f", 1, 0, 1, 10000, 5000, 0, 0, 10000, 10000, 1e8, 0, NULL},
        {0, "b.g", 1, 0, 100, 5000, 5000, 0, 1000, 50, 50, 250000, 100, NULL},
    };
    struct portolan_profile *p;
    struct portolan_text text = {0};
    int64_t id = begin_trial(*state, 2, NULL, 0);
    const struct portolan_profile_report report = {.trial = id, .view = PORTOLAN_PROFILE_RANKS};

    put_rows(*state, id, 0, sampled, N_OF(sampled));
    put_rows(*state, id, 1, timed, N_OF(timed));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id, .cells = true});
    assert_int_equal(p->n_cells, 4);
    for (size_t i = 0; i < p->n_cells; i++) {
        near(p->cells[i].all_inclusive_ns, p->cells[i].node == 0 ? 10000 : 5000);
        near(p->cells[i].all_exclusive_ns, 5000);
        near(p->cells[i].all_mpi_ns, p->cells[i].node == 0 ? 0 : 1000);
    }
    assert_int_equal(portolan_profile_write(*state, &report, &text, NULL), PORTOLAN_OK);
    assert_non_null(strstr(text.bytes, " 0.0\n")); /* nobody is beside the mean */
    assert_null(strstr(text.bytes, "b.g"));
    portolan_text_clear(&text);
    portolan_profile_destroy(p);
}

/* One call of many, and chance did not take it: its time is not nothing, it is unknown. */
static void a_time_that_was_never_taken_is_unknown(void **state)
{
    static const struct row rows[] = {
        {-1, "a.f", 0, 0, 1, 1000, 1000, 0, 0, 1000, 1000, 1e6, 0, NULL},
        {0, "b.g", 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, PORTOLAN_STORE_NONE_TIMED, NULL},
    };
    struct portolan_profile *p;
    int64_t id = begin_trial(*state, 1, NULL, 0);

    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    near(p->nodes[1].calls.sum, 1);
    near(p->nodes[1].timed_calls, 0);
    assert_true(isnan(p->nodes[1].inclusive.value));
    assert_false(p->nodes[1].is_marked);
    near(p->nodes[0].inclusive.value, 1000);
    near(p->nodes[0].exclusive.value, 1000); /* with what g took, so much is not known */
    assert_true(isinf(p->nodes[0].exclusive.high));
    portolan_profile_destroy(p);
}

static void same_statistics(const struct portolan_statistics *a,
                            const struct portolan_statistics *b)
{
    near(a->sum, b->sum);
    near(a->mean, b->mean);
    near(a->min, b->min);
    near(a->max, b->max);
    near(a->stddev, b->stddev);
    near(portolan_imbalance(a), portolan_imbalance(b));
    assert_int_equal(a->max_rank, b->max_rank);
}

/* The store summarises, this room counts itself: two ways that know nothing of each other. */
static void summary_and_samples_give_the_same(void **state)
{
    struct portolan_profile *summary, *samples;
    struct portolan_error err = {0};
    int64_t id = put_trial(*state);

    assert_int_equal(portolan_store_summarise(*state, id, &err), PORTOLAN_OK);
    summary = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    samples = read_profile(*state, &(struct portolan_profile_query){.trial = id, .cells = true});
    assert_int_equal(summary->n_cells, 0);
    assert_true(samples->n_cells > 0);
    assert_int_equal(summary->n_nodes, samples->n_nodes);
    for (size_t i = 0; i < summary->n_nodes; i++) {
        const struct portolan_profile_node *a = &summary->nodes[i];
        const struct portolan_profile_node *b = NULL;

        for (size_t k = 0; k < samples->n_nodes; k++)
            if (!strcmp(samples->nodes[k].method, a->method) &&
                samples->nodes[k].depth == a->depth &&
                samples->nodes[k].inclusive_ns.sum == a->inclusive_ns.sum)
                b = &samples->nodes[k];
        assert_non_null(b);
        same_statistics(&a->calls, &b->calls);
        same_statistics(&a->inclusive_ns, &b->inclusive_ns);
        same_statistics(&a->exclusive_ns, &b->exclusive_ns);
        same_statistics(&a->mpi_ns, &b->mpi_ns);
        same_statistics(&a->compute_ns, &b->compute_ns);
        assert_int_equal(a->n_ranks, b->n_ranks);
        assert_int_equal(a->n_threads, b->n_threads);
        near(a->one_min_ns, b->one_min_ns);
        near(a->one_max_ns, b->one_max_ns);
        near(a->sum_squares_ns2, b->sum_squares_ns2);
        near(a->descendants, b->descendants);
        near(a->exclusive_compensated.low, b->exclusive_compensated.low);
    }
    portolan_profile_destroy(summary);
    portolan_profile_destroy(samples);
}

/* Work and the barrier behind it in one method: all ranks take the same time, one of them works. */
static void imbalance_is_of_work_and_not_of_waits(void **state)
{
    static const struct row rows[] = {
        {-1, "a.step", 0, 0, 1, 1000, 1000, 0, 100, 1000, 1000, 1e6, 0, NULL},
        {-1, "a.copy", 0, 0, 1, 10, 10, 0, 0, 10, 10, 100, 0, NULL},
        {-1, "a.step", 1, 0, 1, 1000, 1000, 0, 800, 1000, 1000, 1e6, 0, NULL},
        {-1, "a.copy", 1, 0, 1, 16, 16, 0, 0, 16, 16, 256, 0, NULL},
    };
    struct portolan_profile *p;
    struct portolan_text text = {0};
    struct portolan_error err = {0};
    const struct portolan_profile_node *n;
    int64_t id = begin_trial(*state, 2, NULL, 0);
    const struct portolan_profile_report report = {
        .trial = id, .view = PORTOLAN_PROFILE_RANKS, .wide = true};

    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id, .cells = true});
    n = find_node(p, "a.step [test.Class]");
    near(portolan_imbalance(&n->exclusive_ns), 0);
    near(portolan_imbalance(&n->mpi_ns), 800 / 450. - 1);
    near(portolan_imbalance(&n->compute_ns), 900 / 550. - 1);
    assert_int_equal(n->compute_ns.max_rank, 0);
    assert_int_equal(portolan_profile_write(*state, &report, &text, &err), PORTOLAN_OK);
    if (regex_finds(text.bytes, "^ +0 .* a\\.step \\[test\\.Class\\] *$") &&
        regex_finds(text.bytes, "^ +1 .* a\\.copy \\[test\\.Class\\] .* a\\.step"))
        portolan_text_clear(&text);
    else
        fail_msg("%s", text.bytes);
    portolan_profile_destroy(p);
}

/* f calls g, g calls f: the inner f is not in f's time a second time. */
static const struct row recursion[] = {
    {-1, "a.f", 0, 0, 1, 100, 40, 0, 0, 100, 100, 1e4, 0, NULL},
    {0, "b.g", 0, 0, 2, 60, 30, 0, 0, 20, 40, 2000, 0, NULL},
    {1, "a.f", 0, 0, 3, 30, 30, 0, 0, 5, 15, 350, 0, NULL},
    {-1, "b.g", 1, 0, 1, 7, 7, 0, 0, 7, 7, 49, 0, NULL},
};

static void a_flat_profile_counts_outermost_activations(void **state)
{
    struct portolan_profile *p, *flat = NULL;
    const struct portolan_profile_node *n;
    struct portolan_error err = {0};
    int64_t id = begin_trial(*state, 2, NULL, 0);

    put_rows(*state, id, 0, recursion, N_OF(recursion));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id, .cells = true});
    assert_int_equal(portolan_profile_flatten(p, &flat, &err), PORTOLAN_OK);
    assert_int_equal(flat->n_nodes, 2);
    n = find_node(flat, "a.f [test.Class]");
    near(n->calls.sum, 4);
    near(n->inclusive_ns.sum, 100);
    near(n->exclusive_ns.sum, 70);
    near(n->timed_calls, 4);
    near(n->one_min_ns, 5);
    near(n->one_max_ns, 100);
    near(n->inclusive.value, 100);
    near(n->exclusive.value, 70);
    n = find_node(flat, "b.g [test.Class]");
    assert_int_equal(n->n_ranks, 2);
    near(n->inclusive_ns.sum, 67);
    near(n->inclusive_ns.max, 60);
    near(n->inclusive_ns.min, 7);
    portolan_profile_destroy(flat);
    portolan_profile_destroy(p);
}

static void data_that_contradict_themselves_are_told(void **state)
{
    static const struct row rows[] = {
        {-1, "a.f", 0, 0, 1, 100, 10, 0, 0, 100, 100, 1e4, 0, NULL},
        {0, "b.g", 0, 0, 1, 90, 90, 0, 0, 90, 90, 8100, 0, NULL},
        {0, "c.h", 0, 0, 1, 20, 20, 0, 0, 20, 20, 400, 0, NULL},
    };
    struct portolan_profile *p;
    int64_t id = put_trial(*state);

    p = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    assert_int_equal(p->n_violations, 0);
    portolan_profile_destroy(p);
    id = begin_trial(*state, 1, NULL, 0);
    put_rows(*state, id, 0, rows, N_OF(rows));
    p = read_profile(*state, &(struct portolan_profile_query){.trial = id});
    assert_int_equal(p->n_violations, 1);
    assert_int_equal(p->violations[0].node, 0);
    near(p->violations[0].inclusive_ns, 100);
    near(p->violations[0].children_ns, 110);
    portolan_profile_destroy(p);
}

/* As many cells as a list doubles at, each of them met again in every step. */
static void memory_does_not_grow_with_steps(void **state)
{
    struct row rows[7] = {{-1, "a.f", .calls = 1, .timed_calls = 1, .inclusive_ns = 8}};
    struct portolan_profile *p = NULL;
    struct portolan_error err = {0};
    int64_t id = begin_trial(*state, 1, NULL, 0);
    const struct portolan_profile_query query = {.trial = id, .contexts = true};

    for (size_t i = 1; i < N_OF(rows); i++)
        rows[i] =
            (struct row){0, "b.g", .calls = 1, .timed_calls = 1, .inclusive_ns = 1, .n = (double)i};
    for (int step = 0; step < 1000; step++)
        put_rows(*state, id, step, rows, N_OF(rows));
    end_trial(*state, id, "finished");
    portolan_alloc_fail_at(150);
    assert_int_equal(portolan_profile_read(*state, &query, &p, &err), PORTOLAN_OK);
    portolan_alloc_fail_at(0);
    assert_int_equal(p->n_cells, 8); /* one more of the path with all contexts */
    portolan_profile_destroy(p);
}

static void without_memory_nothing_is_made(void **state)
{
    struct portolan_profile *p = NULL, *flat = NULL;
    int64_t id = put_trial(*state);

    for (unsigned long at = 1;; at++) {
        struct portolan_error err = {0};
        const struct portolan_profile_query query = {.trial = id, .contexts = true};
        enum portolan_status status;

        portolan_alloc_fail_at(at);
        status = portolan_profile_read(*state, &query, &p, &err);
        if (status == PORTOLAN_OK)
            status = portolan_profile_flatten(p, &flat, &err);
        portolan_alloc_fail_at(0);
        if (status == PORTOLAN_OK)
            break;
        assert_int_equal(status, PORTOLAN_ENOMEM);
        assert_null(flat);
        portolan_profile_destroy(p);
        p = NULL;
    }
    assert_int_equal(p->n_nodes, 8); /* 5 paths, 3 contexts */
    portolan_profile_destroy(flat);
    portolan_profile_destroy(p);
}

#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, setup_store, teardown_store)

UNIT_TESTS(STORE_TEST(statistics_are_over_all_ranks),
           STORE_TEST(call_paths_are_told_apart_and_contexts_are_parts_of_them),
           STORE_TEST(a_rank_can_be_looked_at_alone),
           STORE_TEST(the_cost_of_calls_is_taken_off_with_its_interval),
           STORE_TEST(nothing_is_clipped_at_0),
           STORE_TEST(without_a_stored_cost_nothing_is_compensated_nor_marked),
           STORE_TEST(sampled_calls_are_estimated_with_their_error),
           STORE_TEST(callers_that_are_sampled_keep_their_own_time_only),
           STORE_TEST(ranks_are_compared_by_estimates),
           STORE_TEST(a_time_that_was_never_taken_is_unknown),
           STORE_TEST(summary_and_samples_give_the_same),
           STORE_TEST(imbalance_is_of_work_and_not_of_waits),
           STORE_TEST(a_flat_profile_counts_outermost_activations),
           STORE_TEST(data_that_contradict_themselves_are_told),
           STORE_TEST(memory_does_not_grow_with_steps), STORE_TEST(without_memory_nothing_is_made))
