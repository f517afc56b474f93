/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The paper's own case: FLASH, Sedov explosion, 8 processors (Li and Malony, IPDPS 2007,
 * section 5.4). Its published percentages are given as times of components; what is expected are
 * the paper's own lines. Percentages that the paper rounded so that they add up to 99.99 are given
 * with two more digits, within that rounding.
 */
#include "knowledge_files.h"

enum { RANKS = 8 };
#define communication 0.8070
#define guard_cells   0.4944
#define restriction   0.530133
#define guard_data    0.387134
static const double run_ns = RANKS * 6.08e9;

#define GUARD (communication * guard_cells)
static const struct {
    const char *component, *quantity;
    double share; /* of the run */
} published[] = {
    {"", "mpi", communication},
    {"check_refinement", "mpi", communication * 0.0435},
    {"refinement", "mpi", communication * 0.0222},
    {"check_derefinement", "mpi", communication * 0.1383},
    {"derefinement", "mpi", communication * 0.0143},
    {"guard_cells", "mpi", GUARD},
    {"prolongation", "mpi", communication * 0.0344},
    {"balance", "mpi", communication * 0.0943},
    {"restriction", "mpi", GUARD *restriction},
    {"tree_connection", "mpi", GUARD * 0.082733},
    {"guard_data", "mpi", GUARD *guard_data},
    {"guard_cells", "collective", GUARD * 0.6578},
    {"restriction", "collective", GUARD *restriction * 0.9226},
    {"restriction.to_parent", "mpi", 0},
    {"restriction.to_sibling", "mpi", 0},
    {"restriction.to_child", "mpi", GUARD *restriction * 0.9477},
    {"restriction.build_tree", "mpi", GUARD *restriction * 0.0523},
    {"guard_data.to_parent", "mpi", GUARD *guard_data * 0.034234},
    {"guard_data.to_sibling", "mpi", GUARD *guard_data * 0.859340},
    {"guard_data.to_child", "mpi", GUARD *guard_data * 0.106426},
    {"guard_data.build_tree", "mpi", 0},
};
enum { PUBLISHED = sizeof published / sizeof *published };

static struct portolan_knowledge *knowledge;

/* Of the first N figures; the run's size stands before them. */
static struct portolan_diagnosis *diagnose_some(size_t n)
{
    struct portolan_quantity quantities[PUBLISHED + 2] = {{"", "P", RANKS, 0, 1},
                                                          {"", "T", run_ns / RANKS, 0, 1}};
    struct portolan_error err = {0};
    struct portolan_diagnosis *d;

    for (size_t i = 0; i < n; i++)
        quantities[i + 2] = (struct portolan_quantity){
            published[i].component, published[i].quantity, published[i].share * run_ns, 0, 1};
    if (portolan_diagnosis_of_quantities(knowledge, "amr{prt}", quantities, n + 2, NULL, 0, &d,
                                         &err))
        fail_msg("%s", err.text);
    return d;
}

static struct portolan_diagnosis *diagnose(void)
{
    return diagnose_some(PUBLISHED);
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%s", part, text);
}

static void prints_the_numbers_and_both_advices_of_the_paper(void **state)
{
    static const char *const lines[] = {
        "communication is 80.70 % of run time: a symptom (threshold 20 %)",
        "of communication (80.70 % of run time): check refinement 4.35 %, refinement 2.22 %, check "
        "derefinement "
        "13.83 %, derefinement 1.43 %, guard cells 49.44 %, prolongation 3.44 %, balance 9.43 %; "
        "in no operation "
        "15.86 %\n",
        "of guard cells (39.90 % of run time): restriction 53.01 %, tree connection 8.27 %, guard "
        "data 38.71 %\n",
        "the same time of guard cells by routine: collective 65.78 %; point to point 34.22 %",
        "of restriction (21.15 % of run time): data between blocks 94.77 %, tree connection 5.23 "
        "%\n",
        "the same time of restriction by routine: collective 92.26 %; point to point 7.74 %",
        "of data between blocks in restriction (20.05 % of run time): parent 0.00 %, sibling 0.00 "
        "%, child 100.00 %\n",
        "of data between blocks in guard data (15.45 % of run time): parent 3.42 %, sibling 85.93 "
        "%, child 10.64 %\n",
        "improve block contiguity at the inter-level of the tree",
        "improve block contiguity at the intra-level of the tree",
    };
    struct portolan_diagnosis *d = diagnose();
    struct portolan_error err = {0};
    char *text;

    assert_int_equal(portolan_diagnosis_text(d, NULL, 2, &text, &err), PORTOLAN_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_contains(text, lines[i]);
    assert_int_equal(d->verdict, PORTOLAN_PROBLEM);
    assert_int_equal(d->n_findings, 2);
    assert_string_equal(d->findings[0].cause, "restriction.inter_level");
    assert_string_equal(d->findings[1].cause, "guard_data.intra_level");
    free(text);
    portolan_diagnosis_destroy(d);
}

/* The branches of figure 2: AMR's operations, and under those that fetch data through the tree all
   of PRT. The text of the paper names them; its figure is a picture. */
static void merges_the_trees_as_in_figure_2(void **state)
{
    static const char *const lines[] = {
        "communication: symptom, communication of run, from amr\n",
        "\n  guard_cells: observation, guard_cells of communication, from amr\n"
        "    restriction: observation, restriction of guard_cells, from amr\n",
        "\n      restriction.data: observation, restriction.data of restriction, from prt\n"
        "        restriction.parent: observation, restriction.parent of restriction.data, from "
        "prt\n"
        "          restriction.inter_level: cause, restriction.between_levels of restriction, from "
        "prt\n"
        "        restriction.sibling: observation, restriction.sibling of restriction.data, from "
        "prt\n"
        "          restriction.intra_level: cause, restriction.within_levels of restriction, from "
        "prt\n"
        "        restriction.child: observation, restriction.child of restriction.data, from prt\n",
        "\n      restriction.building: observation, restriction.building of restriction, from "
        "prt\n",
        "\n    tree_connection: observation, tree_connection of guard_cells, from amr\n"
        "    guard_data: observation, guard_data of guard_cells, from amr\n",
        "\n      guard_data.data: observation, guard_data.data of guard_data, from prt\n",
        "\n    prolongation.data: observation, prolongation.data of prolongation, from prt\n",
        "\n  balance: observation, balance of communication, from amr\n",
    };
    struct portolan_error err = {0};
    char *text;

    assert_int_equal(
        portolan_knowledge_tree(knowledge, "amr{prt}", PORTOLAN_TREE_TEXT, &text, &err),
        PORTOLAN_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_contains(text, lines[i]);
    free(text);
}

static void says_why(void **state)
{
    static const char *const lines[] = {
        "1 inter-level contiguity in restriction\n  communication: 39.3 s, 80.70 % of run time\n"
        "    communication = mpi\n    1 sample, amr.clp, experiment 1 (profile of computation and "
        "communication)\n"
        "    rule threshold: 80.70 % of run time, threshold communication 20 %\n  guard cells: "
        "19.4 s, 49.44 % of communication\n",
        "  data between blocks in restriction: 9.75 s, 94.77 % of restriction\n"
        "    restriction.data = to_parent.mpi.sum + to_sibling.mpi.sum + to_child.mpi.sum\n",
        "  factor restriction.inter_level: remedy: keep children with their parents",
    };
    struct portolan_diagnosis *d = diagnose();
    struct portolan_error err = {0};
    char *text;

    assert_int_equal(portolan_diagnosis_why(d, 1, 2, &text, &err), PORTOLAN_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_contains(text, lines[i]);
    free(text);
    assert_int_equal(portolan_diagnosis_why(d, 3, 2, &text, &err), PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "there is no finding 3; there are 2");
    portolan_diagnosis_destroy(d);
}

static void assert_wanted(const struct portolan_diagnosis *d, const char *experiment)
{
    for (size_t i = 0; i < d->n_wanted; i++)
        if (strcmp(d->wanted[i].text, experiment) == 0)
            return;
    fail_msg("%s is not asked for", experiment);
}

/* As Hercule did: communication, then operations, then a trace of the costliest; here of all that
 * are costly. */
static void asks_for_one_experiment_after_the_other(void **state)
{
    static const struct {
        size_t n; /* figures that are known */
        const char *wanted;
    } steps[] = {
        {0, "profile"}, {1, "profile of operations of communication"}, {8, "trace of guard cells"}};

    for (size_t i = 0; i < 3; i++) {
        struct portolan_diagnosis *d = diagnose_some(steps[i].n);

        assert_int_equal(d->verdict, PORTOLAN_CANNOT_TELL);
        assert_wanted(d, steps[i].wanted);
        portolan_diagnosis_destroy(d);
    }
}

/* With 1 % of communication no rank can wait for long, so nothing more is asked for. */
static void a_profile_without_a_symptom_is_the_end(void **state)
{
    const struct portolan_quantity quantities[] = {
        {"", "P", RANKS, 0, 1}, {"", "T", 1e9, 0, 1}, {"", "mpi", RANKS * 1e7, 0, 1}};
    struct portolan_error err = {0};
    struct portolan_diagnosis *d;
    char *text;

    assert_int_equal(
        portolan_diagnosis_of_quantities(knowledge, "amr{prt}", quantities, 3, NULL, 0, &d, &err),
        PORTOLAN_OK);
    assert_int_equal(d->verdict, PORTOLAN_NO_PROBLEM);
    assert_int_equal(d->n_wanted, 0);
    assert_int_equal(portolan_diagnosis_text(d, NULL, 1, &text, &err), PORTOLAN_OK);
    assert_contains(text, "no problem: communication 1.0 %, imbalance at most 1.0 %\n");
    free(text);
    portolan_diagnosis_destroy(d);
}

static void tells_which_quantity_is_wrong(void **state)
{
    const struct portolan_quantity wrong = {"guard_cells", "mpy", 1, 0, 1};
    struct portolan_error err = {0};
    struct portolan_diagnosis *d;

    assert_int_equal(
        portolan_diagnosis_of_quantities(knowledge, "amr", &wrong, 1, NULL, 0, &d, &err),
        PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "there is no quantity 'mpy'");
}

int main(void)
{
    struct portolan_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_the_numbers_and_both_advices_of_the_paper),
        cmocka_unit_test(merges_the_trees_as_in_figure_2),
        cmocka_unit_test(says_why),
        cmocka_unit_test(asks_for_one_experiment_after_the_other),
        cmocka_unit_test(a_profile_without_a_symptom_is_the_end),
        cmocka_unit_test(tells_which_quantity_is_wrong),
    };
    int failed;

    if (portolan_knowledge_read(NULL, 0, NULL, &knowledge, &err))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    portolan_knowledge_destroy(knowledge);
    return failed;
}
