/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of knowledge: mistakes are reported, paradigms inherited, and their order does not
 * matter. */
#include "knowledge_files.h"

#include "../knowledge.h"

/* A paradigm that is right, around FACTS. */
#define PARADIGM(facts)                                                                            \
    "(deffacts mine\n"                                                                             \
    "  (paradigm (name mine))\n"                                                                   \
    "  (component (name work) (kind computation))\n"                                               \
    "  (component (name talk))\n"                                                                  \
    "  (metric (name talking) (formula \"talk.mpi.sum\"))\n"                                       \
    "  (node (name talking) (metric talking))\n"                                                   \
    "  (node (name leaf) (kind cause) (under talking) (metric talking) (factor f))\n"              \
    "  (factor (name f) (remedy \"talk less\"))\n" facts

/* Each FACTS is one line or more from line 9 on; all mistakes are reported, at their places. */
static void reports_each_mistake_with_place_and_nearest_name(void **state)
{
    static const char *const mistakes[][2] = {
        {")", ""},
        {"(metrc (name x)))", "x.clp:9:2: there is no fact 'metrc'; did you mean 'metric'?\n"},
        {"(metric (name x) (formla \"1\")))",
         "x.clp:9:19: a metric has no slot 'formla'; did you mean 'formula'?\n"
         "x.clp:9:1: this metric has no 'formula'\n"},
        {"(metric (name x) (formula \"1\") (unit tme)))",
         "x.clp:9:38: 'tme' is not one of time, ratio, count or bytes; did you mean 'time'?\n"},
        {"(threshold (name x) (value high)))", "x.clp:9:28: value needs a number, not 'high'\n"},
        {"(metric (name x) (name y) (formula \"1\")))", "x.clp:9:19: slot 'name' is given twice\n"},
        {"(metric (name talking) (formula \"1\")))",
         "x.clp:9:1: metric 'talking' is defined twice; the first is in line 5\n"},
        {"(metric (name a-b) (formula \"1\")))", "x.clp:9:1: 'a-b' cannot be used in formulas: the "
                                                 "name of a metric has letters, digits and "
                                                 "'_', and does not begin with a digit\n"},
        {"(metric (name x) (formula \"1 + taking\")))",
         "x.clp:9:32: there is no metric 'taking'; did you mean 'talking'?\n"},
        {"(metric (name x) (formula \"talking + talkin\")))",
         "x.clp:9:38: there is no metric 'talkin'; did you mean 'talking'?\n"},
        {"(component (name c) (tag 1e300)))",
         "x.clp:9:26: tag needs a whole number, not '1e300'\n"},
        {"(metric (name x) (formula \"1 +\n  2 * wrk.time.sum\")))",
         "x.clp:10:7: there is no component or event 'wrk'; did you mean 'work'?\n"},
        {"(metric (name x) (formula \"work.tme.sum\")))",
         "x.clp:9:28: 'work.tme.sum': there is no quantity, attribute or aggregate 'tme'; did you "
         "mean 'time'?\n"},
        {"(metric (name x) (formula \"1\") (base talkin)))",
         "x.clp:9:1: there is no metric 'talkin'; did you mean 'talking'?\n"},
        {"(metric (name z) (formula \"0\"))\n(metric (name x) (formula \"1\") (base z)))",
         "x.clp:10:1: the base 'z' is always 0, and nothing is a share of it\n"},
        {"(metric (name x) (formula \"y\"))\n(metric (name y) (formula \"x\")))",
         "x.clp:10:1: metric 'y' depends on itself, through 'x'\n"},
        {"(component (name in) (within talkk)))",
         "x.clp:9:1: there is no component 'talkk'; did you mean 'talk'?\n"},
        {"(node (name a) (under b) (metric talking))\n(node (name b) (under a) (metric talking)))",
         "x.clp:10:1: node 'b' depends on itself, through 'a'\n"},
        {"(node (name a) (kind cause) (metric talking)))",
         "x.clp:9:1: cause 'a' has no factor; name the design decision that it comes from\n"},
        {"(factor (name g) (removal tiem) (remedy \"x\")))",
         "x.clp:9:27: 'tiem' is not one of none, time, imbalance, static, excess, variation, "
         "messages, "
         "cost, "
         "dependence, distance or network; did you mean "
         "'time'?\n"},
        {"(factor (name g) (remedy \"talk {talkin} times\")))",
         "x.clp:9:33: there is no metric 'talkin'; did you mean 'talking'?\n"},
        {"(event (name e) (expression \"work, tlk\")))",
         "x.clp:9:36: there is no component 'tlk'; did you mean 'talk'?\n"},
        {"(event (name e) (expression \"work, | talk\")))", "x.clp:9:36:"},
        {"(event (name e) (expression \"[work]\")))",
         "x.clp:9:31: event 'e' would match nothing; it needs at least one component\n"},
        {"(event (name e) (expression \"work\") (constraints \"same(e)\")))",
         "x.clp:9:51: 'same(e)' is not a constraint; write the name of an attribute of event 'e', "
         "or same(NAME) of one of an event within\n"},
        {"(component (name a b)))", "x.clp:9:18: slot 'name' takes one value\n"},
        {"(nest (component tlk) (paradigm prt)))",
         "x.clp:9:1: there is no component 'tlk'; did you mean 'talk'?\n"},
        {"(nest (component work) (paradigm prt)))",
         "x.clp:9:1: no node of the tree is about 'work', so the tree of 'prt' has no place "
         "there\n"},
        {"(nest (component talk) (paradigm prtt)))",
         "x.clp:9:1: there is no paradigm 'prtt'; did you mean 'prt'?\n"},
        {"(nest (component talk) (paradigm mine)))",
         "x.clp:9:1: paradigm 'mine' depends on itself, through 'talk'\n"},
        {")\n(defrule r\n  (holds (node ?n))\n  =>\n  (system \"ls\"))",
         "x.clp:13:0: a rule may not call 'system': rules only compute and assert facts\n"},
        {")\n(defrule r (holds (node ?n)) => (assrt (x)))",
         "x.clp:10:0: there is no function 'assrt'; did you mean 'assert'?\n"},
        {")\n(defrule r =>)\n(defrule r =>)",
         "x.clp:11:1: rule 'r' is defined twice; the first is in line 10\n"},
        {")\n(defrul r =>)", "x.clp:10:1: a file of knowledge holds (deffacts …) and (defrule …), "
                             "not 'defrul'; did you "
                             "mean 'defrule'?\n"},
        {"", "x.clp:1:1: this '(' is never closed\n"},
    };

    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct portolan_text problems = {0};
        char *text = portolan_asprintf("%s%s", PARADIGM(""), mistakes[i][0]);
        const char *const files[] = {"x.clp", text};
        struct portolan_knowledge *knowledge = knowledge_of(files, 1, &problems);
        const char *got = problems.bytes ? problems.bytes : "";

        if (strncmp(got, mistakes[i][1], strlen(mistakes[i][1])) != 0 || !*got != !*mistakes[i][1])
            fail_msg("%s\n said: %s\n want: %s", mistakes[i][0], got, mistakes[i][1]);
        portolan_knowledge_destroy(knowledge);
        portolan_text_clear(&problems);
        free(text);
    }
}

static void reports_all_mistakes_of_a_file_at_once(void **state)
{
    static const char *const files[] = {
        "x.clp",
        "(deffacts x\n (paradigm (name x) (is-a amrr))\n (metric (name a) (formula \"1 +\"))\n"
        " (metric (name b) (frmula \"1\") (formula \"1\"))\n (node (name n) (metric c)))\n"
        "(defrule r => (close))"};
    static const char *const reported[] = {
        "x.clp:4:20: a metric has no slot 'frmula'",
        "x.clp:3:32: ",
        "x.clp:6:0: a rule may not call 'close'",
        "x.clp:2:2: there is no paradigm 'amrr'; did you mean 'amr'",
    };
    struct portolan_text problems = {0};

    assert_null(knowledge_of(files, 1, &problems));
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
        if (!strstr(problems.bytes, reported[i]))
            fail_msg("'%s' is not in\n%s", reported[i], problems.bytes);
    assert_null(strstr(problems.bytes, "metric 'c'")); /* the missing paradigm may have it */
    portolan_text_clear(&problems);
}

/* The tree has no cause; two of one name; is-a in a circle. */
static void reports_what_is_wrong_with_a_whole(void **state)
{
    static const char *const files[] = {
        "a.clp",
        "(deffacts a (paradigm (name a) (is-a b)) (metric (name m) (formula \"1\"))\n"
        " (node (name n) (metric m)))",
        "b.clp",
        "(deffacts b (paradigm (name b) (is-a a)))",
        "c.clp",
        "(deffacts c (paradigm (name a)))",
        "d.clp",
        "(deffacts d (threshold (name gian) (value 1)))",
        "e.clp",
        "(deffacts e (paradigm (name e)) (metric (name m) (formula \"1\")) (node (name n) (metric "
        "m)))"};
    struct portolan_text problems = {0};

    assert_null(knowledge_of(files, 5, &problems));
    assert_non_null(strstr(problems.bytes, "c.clp:1:13: paradigm 'a' is in "));
    assert_non_null(
        strstr(problems.bytes, "d.clp:1:13: there is no threshold 'gian'; did you mean 'gain'?"));
    assert_non_null(strstr(problems.bytes, "e.clp:1:13: the tree of 'e' has no leaf"));
    portolan_text_clear(&problems);
    assert_null(knowledge_of(files, 2, &problems));
    assert_non_null(strstr(problems.bytes, "depends on itself"));
    portolan_text_clear(&problems);
}

/* A fact of the same name replaces the parent's, others are added; the parent stays as it was. */
static void inherits_a_paradigm(void **state)
{
    static const char *const files[] = {
        "x.clp", "(deffacts x (paradigm (name my-amr) (is-a amr))\n"
                 " (component (name solve) (text \"my solver\") (kind computation))\n"
                 " (component (name filter) (kind computation))\n"
                 " (metric (name filtering) (formula \"filter.time.sum\"))\n"
                 " (metric (name uneven) (formula \"solve.time.static\")))"};
    struct portolan_text problems = {0};
    struct portolan_knowledge *k = knowledge_of(files, 1, &problems);
    struct portolan_error err = {0};
    const struct paradigm *mine, *amr;
    size_t i;

    assert_non_null(k);
    mine = knowledge_need(k, "my-amr", &err);
    amr = knowledge_need(k, "amr", &err);
    assert_int_equal(mine->n_components, amr->n_components + 1);
    assert_int_equal(mine->n_metrics, amr->n_metrics + 1);
    assert_int_equal(mine->n_nodes, amr->n_nodes);
    for (i = 0; strcmp(mine->components[i].item.name, "solve") != 0; i++)
        ;
    assert_string_equal(mine->components[i].item.text, "my solver");
    assert_string_equal(mine->components[i].item.origin, "my-amr");
    assert_string_equal(amr->components[i].item.text, "solve");
    for (i = 0; strcmp(mine->metrics[i].item.name, "uneven") != 0; i++)
        ;
    assert_int_equal(mine->metrics[i].formula.references[0].aggregate, AGGREGATE_STATIC);
    assert_int_equal(amr->metrics[i].formula.references[0].aggregate, AGGREGATE_EXCESS);
    assert_null(knowledge_need(k, "my-am", &err));
    assert_string_equal(err.text, "there is no paradigm 'my-am'; did you mean 'my-amr'?");
    portolan_knowledge_destroy(k);
    portolan_text_clear(&problems);
}

/* Facts of an author's own have no names that an heir could replace. */
static void keeps_own_facts_of_parents(void **state)
{
    static const char *const files[] = {
        "a.clp", "(deffacts a (paradigm (name old)) (seen 1))", "b.clp",
        "(deffacts b (paradigm (name \"quite new\") (is-a old)) (seen 2))"};
    struct portolan_text problems = {0};
    struct portolan_knowledge *k = knowledge_of(files, 2, &problems);

    assert_non_null(k);
    assert_int_equal(knowledge_find(&k->inner, "quite new")->n_rules, 2);
    portolan_knowledge_destroy(k);
}

/* A file's name decides where it is read, not what comes out. */
static void order_of_files_changes_nothing(void **state)
{
    static const char parent[] = PARADIGM(")"),
                      child[] = "(deffacts c (paradigm (name child) (is-a mine))\n"
                                " (nest (component talk) (paradigm prt)))";
    static const char *const orders[][4] = {{"a.clp", parent, "b.clp", child},
                                            {"b.clp", parent, "a.clp", child}};
    char *trees[2];

    for (int i = 0; i < 2; i++) {
        struct portolan_text problems = {0};
        struct portolan_error err = {0};
        struct portolan_knowledge *k = knowledge_of(orders[i], 2, &problems);

        assert_non_null(k);
        assert_int_equal(portolan_knowledge_tree(k, "child", PORTOLAN_TREE_DOT, &trees[i], &err),
                         PORTOLAN_OK);
        portolan_knowledge_destroy(k);
    }
    assert_string_equal(trees[0], trees[1]);
    assert_non_null(strstr(trees[0], "\"talk.child\""));
    assert_non_null(strstr(trees[0], "label=\"child\ntalk.child of talk.data\nfrom prt\"]"));
    free(trees[0]);
    free(trees[1]);
}

/* All that comes with Portolan is right, and can be listed. */
static void reads_what_comes_with_portolan(void **state)
{
    struct portolan_text problems = {0};
    struct portolan_diagnostics d = {collect_problem, &problems, 0};
    struct portolan_knowledge *k;
    struct portolan_error err = {0};

    if (portolan_knowledge_read(NULL, 0, &d, &k, &err))
        fail_msg("%s", problems.bytes);
    for (size_t i = 0; i < k->inner.n_paradigms; i++)
        assert_string_not_equal(k->inner.paradigms[i]->item.text, "");
    assert_true(k->inner.n_paradigms >= 3);
    portolan_knowledge_destroy(k);
    assert_int_equal(portolan_knowledge_read((const char *const[]){"/nowhere"}, 1, &d, &k, &err),
                     PORTOLAN_EIO);
}

/* A file of thresholds is for all paradigms; a paradigm's own come first. */
static void sets_thresholds(void **state)
{
    static const char *const files[] = {
        "a.clp",
        "(deffacts a (paradigm (name mine) (is-a amr)) (threshold (name gain) (value 0.5)))",
        "b.clp",
        "(deffacts b (threshold (name gain) (value 0.25)))",
        "c.clp",
        ""};
    struct portolan_text problems = {0};
    struct portolan_error err = {0};
    struct portolan_knowledge *k = knowledge_of(files, 2, &problems);
    const char *const names[] = {"mine", "amr", "prt"};
    const double gains[] = {0.5, 0.25, 0.25};

    assert_non_null(k);
    for (size_t i = 0; i < 3; i++) {
        const struct paradigm *p = knowledge_need(k, names[i], &err);
        size_t at = 0;

        while (strcmp(p->thresholds[at].item.name, "gain") != 0)
            at++;
        assert_true(p->thresholds[at].value == gains[i]);
    }
    portolan_knowledge_destroy(k);
    assert_null(knowledge_of(files + 4, 1, &problems));
    assert_string_equal(
        problems.bytes,
        "c.clp:1:0: this file describes no paradigm: (paradigm (name NAME)) is missing\n");
    portolan_text_clear(&problems);
}

static void reports_that_memory_is_out(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long at = 1;

    for (; status; at += 101) {
        struct portolan_knowledge *k;
        struct portolan_error err = {0};

        portolan_alloc_fail_at(at);
        status = portolan_knowledge_read(NULL, 0, NULL, &k, &err);
        portolan_alloc_fail_at(0);
        if (status && status != PORTOLAN_ENOMEM)
            fail_msg("allocation %lu: %s", at, err.text);
        if (!status)
            portolan_knowledge_destroy(k);
    }
    assert_true(at > 1000);
}

/* The example of portolan-paradigm(5) is read as it stands there, without a mistake. */
static void reads_the_example_of_the_manual(void **state)
{
#define WORD(name, word) #word,
    static const char *const words[] = {HERCULE_QUANTITIES(WORD) HERCULE_AGGREGATES(WORD)
                                            HERCULE_GLOBALS(WORD)};
#undef WORD
    struct portolan_text page = {0}, problems = {0};
    struct portolan_error err = {0};
    struct portolan_knowledge *k;
    char *begin, *end;

    assert_true(portolan_text_add_file(&page, MANUAL, 1 << 20));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(page.bytes, words[i]))
            fail_msg("the manual lacks '%s'", words[i]);
    begin = strstr(page.bytes, ".Sh EXAMPLES");
    begin = begin ? strstr(begin, "(deffacts") : NULL;
    end = begin ? strstr(begin, "\n.Ed") : NULL;
    assert_non_null(end);
    *end = 0;
    k = knowledge_of((const char *const[]){"ring.clp", begin}, 1, &problems);
    if (!k)
        fail_msg("%s", problems.bytes);
    assert_non_null(knowledge_need(k, "ring", &err));
    portolan_knowledge_destroy(k);
    portolan_text_clear(&page);
}

UNIT_TESTS(cmocka_unit_test(reports_each_mistake_with_place_and_nearest_name),
           cmocka_unit_test(reports_all_mistakes_of_a_file_at_once),
           cmocka_unit_test(reports_what_is_wrong_with_a_whole),
           cmocka_unit_test(inherits_a_paradigm), cmocka_unit_test(keeps_own_facts_of_parents),
           cmocka_unit_test(order_of_files_changes_nothing),
           cmocka_unit_test(reads_what_comes_with_portolan),
           cmocka_unit_test(reads_the_example_of_the_manual), cmocka_unit_test(sets_thresholds),
           cmocka_unit_test(reports_that_memory_is_out))
