/* SPDX-License-Identifier: BSD-3-Clause */
/* Composition: merged trees equal those merged by hand, as sections 2.2 and 3.3 of the paper say.
 */
#include "knowledge_files.h"

#include "../knowledge.h"
#include "../recognise/event_expression.h"

/* A host of six nodes, and a guest of five; both have waiting and a "whole" of the same meaning. */
static const char host[] =
    "(deffacts h (paradigm (name pipe))\n"
    " (component (name get)) (component (name compute) (kind computation)) (component (name put))\n"
    " (event (name block) (expression \"get, compute, put\"))\n"
    " (metric (name whole) (formula \"wait\"))\n"
    " (metric (name waiting) (base whole) (formula \"get.wait.sum + put.wait.sum\"))\n"
    " (metric (name fill) (base waiting) (formula \"get.wait.first\"))\n"
    " (metric (name stall) (base waiting) (formula \"put.wait.sum\"))\n"
    " (composed (metric waiting) (of fill stall))\n"
    " (node (name whole) (metric whole))\n"
    " (node (name waiting) (kind observation) (under whole) (metric waiting))\n"
    " (node (name fill) (kind observation) (under waiting) (metric fill))\n"
    " (node (name stall) (kind observation) (under waiting) (metric stall))\n"
    " (node (name big) (kind cause) (under fill) (metric fill) (factor f))\n"
    " (node (name slow) (kind cause) (under stall) (metric stall) (factor f))\n"
    " (factor (name f) (of get) (removal dependence) (remedy \"r\")))\n";
static const char guest[] =
    "(deffacts g (paradigm (name grid))\n"
    " (component (name swap)) (component (name compute) (kind computation))\n"
    " (event (name round) (expression \"(swap, compute)+\"))\n"
    " (metric (name whole) (formula \"wait\"))\n"
    " (metric (name waiting) (base whole) (formula \"swap.wait.sum\"))\n"
    " (metric (name late) (base waiting) (formula \"swap.wait.first\"))\n"
    " (metric (name uneven) (formula \"compute.time.excess\"))\n"
    " (composed (metric waiting) (of late))\n"
    " (node (name all) (metric whole))\n"
    " (node (name lost) (kind observation) (under all) (metric waiting))\n"
    " (node (name late) (kind cause) (under lost) (metric late) (factor f))\n"
    " (node (name uneven) (kind symptom) (metric uneven))\n"
    " (node (name parts) (kind cause) (under uneven) (metric uneven) (factor f))\n"
    " (factor (name f) (of swap) (remedy \"r\")))\n";
static const char woven[] =
    "(deffacts w (paradigm (name both) (is-a pipe))\n"
    " (weave (paradigm grid) (expression \"get, grid.swap, (compute | grid.compute)+, put\")))\n";

static char *tree_of(const char *const *files, size_t n, const char *paradigm)
{
    struct portolan_text problems = {0};
    struct portolan_error err = {0};
    struct portolan_knowledge *k = knowledge_of(files, n, &problems);
    char *text;

    if (!k)
        fail_msg("%s", problems.bytes);
    if (portolan_knowledge_tree(k, paradigm, PORTOLAN_TREE_TEXT, &text, &err))
        fail_msg("%s", err.text);
    portolan_knowledge_destroy(k);
    return text;
}

/*
 * By hand: the host's tree is kept, for it has more nodes. The guest's root has the type of the
 * host's, "whole", and is dropped; so is "lost", of type waiting: "late" hangs under the host's
 * waiting, whose metric becomes that of both. "uneven" has no counterpart: it moves with its
 * subtree, and stays a root.
 */
static void merges_trees_as_by_hand(void **state)
{
    static const char *const files[] = {"a.clp", host, "b.clp", guest, "c.clp", woven};
    char *text = tree_of(files, 3, "both");

    assert_string_equal(
        text, "whole: symptom, whole of run, from pipe\n"
              "  waiting: observation, waiting of whole, from pipe\n"
              "    fill: observation, fill of waiting, from pipe\n"
              "      big: cause, fill of waiting, from pipe\n"
              "    stall: observation, stall of waiting, from pipe\n"
              "      slow: cause, stall of waiting, from pipe\n"
              "    grid.late: cause, grid.late of waiting, from grid; part of composite waiting\n"
              "grid.uneven: symptom, grid.uneven of run, from grid\n"
              "  grid.parts: cause, grid.uneven of run, from grid\n"
              "delegated: observation, delegated of run, from both; caused in grid.uneven\n"
              "grid.delegated: observation, grid.delegated of run, from both; caused in whole\n");
    free(text);
}

static const struct metric *metric_of(const struct paradigm *p, const char *name)
{
    for (size_t i = 0; i < p->n_metrics; i++)
        if (strcmp(p->metrics[i].item.name, name) == 0)
            return &p->metrics[i];
    fail_msg("there is no metric %s", name);
    return NULL;
}

/* Waiting is of both; "whole" says the same in both and is one. Names keep their meaning. */
static void composes_metrics(void **state)
{
    static const char *const files[] = {"a.clp", host, "b.clp", guest, "c.clp", woven};
    struct portolan_text problems = {0};
    struct portolan_error err = {0};
    struct portolan_knowledge *k = knowledge_of(files, 3, &problems);
    const struct paradigm *p = k ? knowledge_need(k, "both", &err) : NULL;
    const struct metric *metric;

    assert_non_null(p);
    assert_string_equal(metric_of(p, "waiting")->formula.text,
                        "min(run, own_waiting + grid.own_waiting)");
    assert_string_equal(metric_of(p, "waiting")->item.text, "waiting of pipe and grid");
    assert_string_equal(metric_of(p, "own_waiting")->formula.text, "get.wait.sum + put.wait.sum");
    metric = metric_of(p, "grid.own_waiting");
    assert_ptr_equal(&p->metrics[metric->base], metric_of(p, "waiting"));
    assert_string_equal(p->components[metric->formula.references[0].index].item.name, "grid.swap");
    assert_string_equal(metric_of(p, "whole")->formula.text, "wait");
    assert_string_equal(metric_of(p, "grid.delegated")->formula.text, "swap.delegated.sum");
    assert_int_equal(p->n_composed, 1);
    assert_int_equal(p->composed[0].n_of, 3);
    assert_ptr_equal(&p->metrics[p->composed[0].parts[2]], metric_of(p, "grid.late"));
    for (size_t i = 0; i < p->n_events; i++)
        if (strcmp(p->events[i].item.name, "grid.round") == 0)
            assert_string_equal(p->components[p->events[i].parsed->parts->component].item.name,
                                "grid.swap");
    portolan_knowledge_destroy(k);
}

/* The tree with more nodes is the host, also if its paradigm is declared as guest. */
static void keeps_the_more_complex_tree(void **state)
{
    static const char other[] =
        "(deffacts w (paradigm (name both) (is-a grid))\n"
        " (weave (paradigm pipe) (expression \"pipe.get, swap, compute+, pipe.put\")))\n";
    static const char *const files[] = {"a.clp", host, "b.clp", guest, "c.clp", other};
    char *text = tree_of(files, 3, "both");

    assert_non_null(strstr(text, "pipe.whole: symptom, whole of run, from pipe\n"
                                 "  pipe.waiting: observation, waiting of whole, from pipe\n"));
    assert_non_null(strstr(
        text, "\n    late: cause, late of waiting, from grid; part of composite pipe.waiting\n"));
    assert_null(strstr(text, "lost"));
    free(text);
}

/* One nested in the woven one's component, and the whole nested again. */
static void composes_three_and_more(void **state)
{
    static const char three[] = "(deffacts t (paradigm (name three) (is-a both))\n"
                                " (nest (component grid.swap) (paradigm prt)))\n";
    static const char four[] =
        "(deffacts f (paradigm (name four))\n"
        " (component (name phase)) (component (name rest))\n"
        " (metric (name phase) (formula \"phase.time.sum\")) (node (name phase) (metric phase))\n"
        " (nest (component phase) (paradigm three)))\n";
    static const char *const files[] = {"a.clp", host,    "b.clp", guest,   "c.clp",
                                        woven,   "d.clp", three,   "e.clp", four};
    char *text = tree_of(files, 5, "four");

    assert_non_null(
        strstr(text, "phase: symptom, phase of run, from four\n"
                     "  phase.whole: observation, phase.whole of phase, from pipe\n"
                     "    phase.waiting: observation, phase.waiting of phase.whole, from pipe\n"));
    assert_non_null(strstr(text, "phase.grid.swap.inter_level: cause, "));
    free(text);
}

/* A paradigm that works in two places has its constraints there. */
static void constraints_stay_in_their_context(void **state)
{
    static const char *const files[] = {
        "a.clp", "(deffacts a (paradigm (name twice)) (component (name a)) (component (name b))\n"
                 " (metric (name in_a) (formula \"a.time.sum\")) (node (name a) (metric in_a))\n"
                 " (metric (name in_b) (formula \"b.time.sum\")) (node (name b) (metric in_b))\n"
                 " (nest (component a) (paradigm pipeline))\n"
                 " (nest (component b) (paradigm pipeline)))\n"};
    struct portolan_text problems = {0};
    struct portolan_knowledge *k = knowledge_of(files, 1, &problems);
    const struct paradigm *p = k ? knowledge_find(&k->inner, "twice") : NULL;
    size_t n = 0;

    assert_non_null(p);
    for (size_t i = 0; i < p->n_events; i++)
        for (size_t c = 0; c < p->events[i].n_keeps; c++, n++)
            assert_string_equal(p->attributes[p->events[i].keeps[c].attribute].item.context,
                                p->events[i].item.context);
    assert_int_equal(n, 2 * 3);
    portolan_knowledge_destroy(k);
}

UNIT_TESTS(cmocka_unit_test(merges_trees_as_by_hand), cmocka_unit_test(composes_metrics),
           cmocka_unit_test(keeps_the_more_complex_tree), cmocka_unit_test(composes_three_and_more),
           cmocka_unit_test(constraints_stay_in_their_context))
