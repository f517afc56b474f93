/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: computes the metrics of a paradigm for a scenario's text. */
#ifndef TEST_LEAVES_H
#define TEST_LEAVES_H

#include <unit_test.h>

#include <portolan/replay.h>

#include "diagnosis.h"
#include "knowledge.h"
#include "recognise/recognise.h"

#include <math.h>

static const struct portolan_knowledge *knowledge;

struct run {
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    struct recognition *recognition;
    const struct paradigm *paradigm;
    struct measured *metrics;
};

static void fail_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    fail_msg("%s:%d:%d: %s", file, line, column, text);
}

static struct portolan_diagnostics no_problem = {fail_problem, NULL, 0};

static void run_trace(struct run *run, const char *scenario)
{
    struct portolan_error err = {0};

    *run = (struct run){0};
    if (portolan_scenario_read("scenario", scenario, &no_problem, &run->trace, NULL, &err) ||
        portolan_matching_create(run->trace, &run->matching, &err) ||
        portolan_waits_create(run->matching, &run->waits, &err))
        fail_msg("%s", err.text);
}

__attribute__((unused)) static void run_as(struct run *run,
                                           const struct portolan_knowledge *knowledge,
                                           const char *paradigm, const struct binding *bindings,
                                           size_t n_bindings)
{
    struct portolan_error err = {0};

    recognition_destroy(run->recognition);
    free(run->metrics);
    run->paradigm = knowledge_find(&knowledge->inner, paradigm);
    assert_non_null(run->paradigm);
    if (recognise(run->paradigm, run->waits, bindings, n_bindings, &run->recognition, &err))
        fail_msg("%s", err.text);
    run->metrics = calloc(run->paradigm->n_metrics, sizeof *run->metrics);
    assert_true(
        metrics_evaluate(run->paradigm, recognition_lookup, run->recognition, run->metrics));
}

static void run_end(struct run *run)
{
    free(run->metrics);
    recognition_destroy(run->recognition);
    portolan_waits_destroy(run->waits);
    portolan_matching_destroy(run->matching);
    portolan_trace_destroy(run->trace);
}

/* Share of the run that NODE's metric is; 0 where its condition does not hold. */
__attribute__((unused)) static double run_severity(const struct run *run, const struct node *node)
{
    struct measured yes = {.value = 1};
    double whole = (double)run->waits->run_ns * run->trace->n_ranks;

    if (node->condition.formula)
        assert_true(expression_evaluate(run->paradigm, &node->condition, recognition_lookup,
                                        run->recognition, run->metrics, &yes));
    return yes.value != 0 ? run->metrics[node->metric].value / whole : 0;
}

/* ------------------------------------------------- random numbers: xorshift64* (Vigna, 2016) */

static uint64_t random_state = 20261126;

__attribute__((unused)) static double draw(double low, double high)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return low + (high - low) * (double)(random_state * 2685821657736338717u >> 11) / 0x1p53;
}

/* Runs N TESTS with the knowledge that comes with Portolan; returns main()'s exit status. */
static inline int run_tests_with_knowledge(const struct CMUnitTest *tests, size_t n)
{
    struct portolan_knowledge *read = NULL;
    struct portolan_error err = {0};
    int failed;

    if (portolan_knowledge_read(NULL, 0, NULL, &read, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 99;
    }
    knowledge = read;
    failed = _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
    portolan_knowledge_destroy(read);
    return failed;
}

#endif
