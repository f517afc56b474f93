/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every cause of the singletons, planted in a scenario at 0, 3, 10 and 30 % of the run: its
 * severity is the closed form's, it is the first among causes where it is large, and named where it
 * is small.
 */
#include "leaves.h"
#include "planted_divide_and_conquer.h"
#include "planted_geometric.h"
#include "planted_master_worker.h"
#include "planted_pipeline.h"

static const double least_named = 0.02; /* threshold "cause" */

/* Writes a scenario for P ranks in which the cause takes about SHARE of P * T, and returns how much
   it does exactly: the closed form. NaN: it cannot be planted so. */
typedef double plant_fn(struct portolan_text *t, int p, double share);

static const struct leaf {
    const char *paradigm, *node;
    plant_fn *plant;
} leaves[] = {
    {"master-worker", "setup-costly", setup_costly},
    {"master-worker", "master-saturated", master_saturated},
    {"master-worker", "master-computes", master_computes},
    {"master-worker", "master-polls", master_polls},
    {"master-worker", "unused-workers", unused_workers},
    {"master-worker", "serial-start", serial_start},
    {"master-worker", "serial-finish", serial_finish},
    {"master-worker", "fine-grain", fine_grain},
    {"master-worker", "large-tasks", large_tasks},
    {"master-worker", "uneven-end", uneven_end},
    {"master-worker", "too-few-tasks", too_few_tasks},
    {"pipeline", "blocks-too-large", blocks_too_large},
    {"pipeline", "blocks-too-small", blocks_too_small},
    {"pipeline", "sweeps-too-short", sweeps_too_short},
    {"pipeline", "messages-slow", messages_slow},
    {"pipeline", "slow-stage", slow_stage},
    {"pipeline", "unequal-blocks", unequal_blocks},
    {"pipeline", "direction-changes", direction_changes},
    {"pipeline", "delay-from-outside", delay_from_outside},
    {"divide-and-conquer", "costly-split", costly_split},
    {"divide-and-conquer", "costly-merge", costly_merge},
    {"divide-and-conquer", "serial-near-root", serial_near_root},
    {"divide-and-conquer", "uneven-division", uneven_division},
    {"divide-and-conquer", "too-deep", too_deep},
    {"divide-and-conquer", "moved-too-often", moved_too_often},
    {"geometric", "static-imbalance", static_imbalance},
    {"geometric", "varying-imbalance", varying_imbalance},
    {"geometric", "large-surface", large_surface},
    {"geometric", "not-overlapped", not_overlapped},
    {"geometric", "many-messages", many_messages},
    {"geometric", "ordered-exchange", ordered_exchange},
    {"geometric", "global-operations", global_operations},
};
static const double shares[] = {0, 0.03, 0.1, 0.3};

/* By gain it is as by severity: the first, or named, or nothing is. */
static void check_findings(const struct leaf *leaf, int p, double share, const struct run *run)
{
    struct portolan_diagnosis *d = NULL;
    struct portolan_error err = {0};
    bool is_named = false;

    if (portolan_diagnosis_create(knowledge, leaf->paradigm, run->waits, NULL, &no_problem, &d,
                                  &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < d->n_findings; i++)
        is_named |= !strcmp(d->findings[i].cause, leaf->node);
    if (share == 0 ? d->n_findings > 0 : !is_named)
        fail_msg("%s at %.0f %% on %d ranks: %zu findings", leaf->node, 100 * share, p,
                 d->n_findings);
    if (share >= 0.1 && strcmp(d->findings[0].cause, leaf->node))
        fail_msg("%s at %.0f %% on %d ranks: %s gains more: %.2f %%", leaf->node, 100 * share, p,
                 d->findings[0].cause, 100 * d->findings[0].gain);
    portolan_diagnosis_destroy(d);
}

static void check_planted(const struct leaf *leaf, int p, double share, double expected,
                          const char *scenario)
{
    struct run run;
    const struct node *worst = NULL;
    double severity = -1, most = 0;

    run_trace(&run, scenario);
    run_as(&run, knowledge, leaf->paradigm, NULL, 0);
    for (size_t i = 0; i < run.paradigm->n_nodes; i++) {
        const struct node *node = &run.paradigm->nodes[i];
        double s = node->kind == NODE_CAUSE ? run_severity(&run, node) : 0;

        if (s > most) {
            most = s;
            worst = node;
        }
        if (!strcmp(node->item.name, leaf->node))
            severity = s;
    }
    if (share > 0 && fabs(severity - expected) > 0.001)
        fail_msg("%s at %.0f %% on %d ranks: severity %.2f %%, closed form %.2f %%; most is %s "
                 "%.2f %%\n",
                 leaf->node, 100 * share, p, 100 * severity, 100 * expected,
                 worst ? worst->item.name : "nothing", 100 * most);
    if (share >= 0.1 && strcmp(worst->item.name, leaf->node))
        fail_msg("%s at %.0f %% on %d ranks: %s comes first with %.2f %%", leaf->node, 100 * share,
                 p, worst->item.name, 100 * most);
    if (share > 0 && severity < least_named)
        fail_msg("%s at %.0f %% on %d ranks is not named", leaf->node, 100 * share, p);
    if (share == 0 && most >= least_named)
        fail_msg("healthy, but for %s on %d ranks: %s has %.2f %%", leaf->node, p, worst->item.name,
                 100 * most);
    if (p <= 16)
        check_findings(leaf, p, share, &run);
    run_end(&run);
}

static void causes_have_the_severity_of_closed_forms(void **state)
{
    static const int ranks[] = {2, 4, 16, 64};
    size_t n_planted[sizeof leaves / sizeof *leaves] = {0};
    const char *only = getenv("LEAF");                    /* one of them */
    bool is_long = getenv("PORTOLAN_LONG_TESTS") != NULL; /* all shares on 64 ranks */

    (void)state;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        for (size_t r = 0; r < 4; r++)
            for (size_t s = 0; s < 4; s++) {
                struct portolan_text t = {0};
                double expected;

                if ((only && strcmp(only, leaves[i].node)) || (ranks[r] > 16 && !is_long && s != 2))
                    continue;
                expected = leaves[i].plant(&t, ranks[r], shares[s]);
                if (!isnan(expected) && t.length) {
                    check_planted(&leaves[i], ranks[r], shares[s], expected, t.bytes);
                    n_planted[i] += shares[s] > 0;
                }
                portolan_text_clear(&t);
            }
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        assert_true(only || n_planted[i] >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_have_the_severity_of_closed_forms),
    };

    return run_tests_with_knowledge(tests, sizeof tests / sizeof *tests);
}
