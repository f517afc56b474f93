/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests how findings follow from numbers: branches, thresholds, gains, doubts, an author's
 * rules. */
#include "knowledge_files.h"

#include <math.h>

#include "../clips.h"
#include "../diagnosis.h"
#include "../knowledge.h"

/* Two causes below one symptom; times are shares of a run of 100 ns on one rank. */
#define FARM(more)                                                                                 \
    "(deffacts farm (paradigm (name farm))\n"                                                      \
    " (component (name wait_work)) (component (name wait_end)) (component (name set_up))\n"        \
    " (metric (name lost) (formula \"wait_work.time.sum + wait_end.time.sum\") (experiment "       \
    "profile))\n"                                                                                  \
    " (metric (name at_work) (base lost) (formula \"wait_work.time.sum\"))\n"                      \
    " (metric (name at_end) (base lost) (formula \"wait_end.time.sum\"))\n"                        \
    " (composed (metric lost) (of at_work at_end))\n"                                              \
    " (node (name lost) (metric lost))\n"                                                          \
    " (node (name starved) (kind cause) (under lost) (metric at_work) (factor grain))\n"           \
    " (node (name tail) (kind cause) (under lost) (metric at_end) (factor tasks))\n"               \
    " (factor (name grain) (of set_up) (removal time) (remedy \"tasks of {at_work} ns\"))\n"       \
    " (factor (name tasks) (of wait_end) (removal imbalance) (remedy \"more tasks\"))\n" more

/* The measurements, by component; NaN: none. */
struct table {
    double wait_work, wait_end, set_up, spread;
    const char *why; /* it is not trusted */
    double gains[2]; /* of starved, of tail; NaN: none is known */
    const char *no_gain;
};

static bool look_up(void *arg, const struct paradigm *p, const struct reference *r,
                    struct measured *value)
{
    const struct table *t = arg;
    const double of_component[] = {t->wait_work, t->wait_end, t->set_up};

    (void)p;
    *value = (struct measured){100, 0, 1, true, NULL};
    if (r->kind == REFERENCE_GLOBAL)
        value->value = r->index == GLOBAL_P ? 1 : 100;
    else
        *value = (struct measured){of_component[r->index], t->spread, 7, !t->why, t->why};
    return !isnan(value->value);
}

static bool get_gain(void *arg, const struct paradigm *p, const size_t *nodes, size_t n,
                     struct gain *gain)
{
    const struct table *t = arg;

    *gain = (struct gain){.is_known = !t->no_gain, .why = t->no_gain};
    for (size_t i = 0; i < n; i++)
        gain->share += t->gains[strcmp(p->nodes[nodes[i]].item.name, "tail") == 0];
    gain->without_ns = 100 * (1 - gain->share);
    return gain->is_known && !isnan(gain->share);
}

/* The diagnosis of T under FACTS as JSON or an error's text, to be freed; *VERDICT, and *TEXT for
 * people, may be NULL. */
static char *diagnose(const char *file, const struct table *t,
                      const struct portolan_threshold *settings, size_t n,
                      enum portolan_verdict *verdict, char **text)
{
    const char *const files[] = {"farm.clp", file};
    struct portolan_text problems = {0};
    struct portolan_knowledge *k = knowledge_of(files, 1, &problems);
    const struct portolan_diagnosis_options o = {.settings = settings, .n_settings = n};
    const struct diagnosis_sources sources = {look_up, get_gain, NULL, (void *)t, &o};
    struct portolan_error err = {0};
    struct portolan_diagnosis *d;
    char *json = NULL;

    if (!k)
        fail_msg("%s", problems.bytes);
    if (diagnosis_make(knowledge_need(k, "farm", &err), &sources, &d, &err)) {
        json = portolan_strdup(err.text);
    } else {
        portolan_diagnosis_json(d, NULL, &json, &err);
        if (text)
            portolan_diagnosis_text(d, NULL, 1, text, &err);
        if (verdict)
            *verdict = d->verdict;
        portolan_diagnosis_destroy(d);
    }
    portolan_knowledge_destroy(k);
    return json;
}

/* The causes in the order found, with blanks around, in FOUND. */
static const char *causes_in(const char *json, char found[64])
{
    const char *at = json;

    strcpy(found, " ");
    while ((at = strstr(at, "\"cause\": \""))) {
        at += strlen("\"cause\": \"");
        strncat(found, at, strcspn(at, "\""));
        strcat(found, " ");
    }
    return found;
}

static void follows_all_branches_in_the_order_of_gain(void **state)
{
    const struct {
        struct table table;
        const char *causes;
        enum portolan_verdict verdict;
    } cases[] = {
        {{30, 10, 0, 0, NULL, {0.25, 0.05}, NULL}, " starved tail ", PORTOLAN_PROBLEM},
        {{30, 10, 0, 0, NULL, {0.03, 0.09}, NULL}, " tail starved ", PORTOLAN_PROBLEM},
        {{3, 10, 0, 0, NULL, {NAN, NAN}, NULL}, " tail starved ", PORTOLAN_PROBLEM},
        {{30, 10, 0, 0, NULL, {0.25, 0.019}, NULL}, " starved ", PORTOLAN_PROBLEM},
        {{30, 1.9, 0, 0, NULL, {0.25, 0.25}, NULL}, " starved ", PORTOLAN_PROBLEM},
        {{0.9, 0.9, 0, 0, NULL, {0.25, 0.25}, NULL}, " ", PORTOLAN_NO_PROBLEM},
        {{0, 0, 0, 0, NULL, {0.25, 0.25}, NULL}, " ", PORTOLAN_NO_PROBLEM},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum portolan_verdict verdict;
        char *json = diagnose(FARM(")"), &cases[i].table, NULL, 0, &verdict, NULL), found[64];

        assert_string_equal(causes_in(json, found), cases[i].causes);
        assert_int_equal(verdict, cases[i].verdict);
        free(json);
    }
}

static void thresholds_can_be_set(void **state)
{
    const struct table t = {30, 1, 0, 0, NULL, {0.25, 0.03}, NULL};
    const struct portolan_threshold lower = {"cause", 0.01}, higher = {"gain", 0.3},
                                    wrong = {"gian", 0.1};
    char found[64], *json = diagnose(FARM(")"), &t, &lower, 1, NULL, NULL);

    assert_string_equal(causes_in(json, found), " starved tail ");
    free(json);
    json = diagnose(FARM(")"), &t, &higher, 1, NULL, NULL);
    assert_string_equal(causes_in(json, found), " ");
    free(json);
    json = diagnose(FARM(")"), &t, &wrong, 1, NULL, NULL);
    assert_string_equal(json, "there is no threshold 'gian'; did you mean 'gain'?");
    free(json);
}

static void says_what_cannot_be_told(void **state)
{
    const struct {
        struct table table;
        const char *more, *told;
    } cases[] = {
        {{30, 10, 0, 0, "messages are unmatched", {0, 0}, NULL},
         ")",
         "lost (messages are unmatched)"},
        {{30, 10, 0, 45, NULL, {0, 0}, NULL}, ")", "lost (runs differ by as much as it takes)"},
        {{30, 10, 0, 0, NULL, {NAN, NAN}, "the replay misses the run by 7 %"},
         ")",
         "starved (the replay misses the run by 7 %), tail (the replay misses the run by 7 %)"},
        {{30, 10, NAN, 0, NULL, {0, 0}, NULL},
         " (node (name slow) (kind cause) (under lost) (metric at_work) (factor grain) (condition "
         "\"set_up.time > 1\")))",
         "slow (what its condition compares was not measured)"},
        {{30, 10, 0, 0, NULL, {0, 0}, NULL},
         " (metric (name twice) (base lost) (formula \"2 * wait_work.time\"))\n"
         " (composed (metric lost) (view \"twice\") (of twice)))",
         "lost (its parts take more time than the whole)"},
        {{30, NAN, 0, 0, NULL, {0, 0}, NULL}, ")", "cannot tell: profile was not made\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *file = portolan_asprintf("%s%s", FARM(""), cases[i].more), *text = NULL;
        enum portolan_verdict verdict = PORTOLAN_PROBLEM;

        free(diagnose(file, &cases[i].table, NULL, 0, &verdict, &text));
        assert_int_equal(verdict, PORTOLAN_CANNOT_TELL);
        if (!text || !strstr(text, cases[i].told))
            fail_msg("'%s' is not in\n%s", cases[i].told, text);
        free(text);
        free(file);
    }
}

static void asks_for_the_experiment_that_tells_more(void **state)
{
    static const char file[] =
        FARM(" (metric (name setting_up) (formula \"set_up.time.sum\"))\n"
             " (node (name slow) (kind cause) (under lost) (metric setting_up) (factor grain)))");
    struct table t = {30, 10, NAN, 0, NULL, {0.2, 0.1}, NULL};
    char *json = diagnose(file, &t, NULL, 0, NULL, NULL);

    assert_non_null(strstr(json, "\"trace of lost\""));
    free(json);
    t.wait_work = t.wait_end = 0.1; /* nothing to look into: nothing is wanted */
    json = diagnose(file, &t, NULL, 0, NULL, NULL);
    assert_null(strstr(json, "\"trace of lost\""));
    free(json);
}

/* Returns FARM's diagnosis of T together with other runs; to be destroyed. */
static struct portolan_diagnosis *diagnose_together(struct portolan_knowledge *k,
                                                    const struct table *t,
                                                    const struct portolan_diagnosis_options *o)
{
    const struct portolan_diagnosis_options none = {0};
    const struct diagnosis_sources sources = {look_up, get_gain, NULL, (void *)t, o ? o : &none};
    struct portolan_error err = {0};
    struct portolan_diagnosis *d;

    if (diagnosis_make(knowledge_need(k, "farm", &err), &sources, &d, &err))
        fail_msg("%s", err.text);
    return d;
}

static struct portolan_knowledge *farm(void)
{
    static const char *const files[] = {"farm.clp", FARM(")")};
    struct portolan_text problems = {0};
    struct portolan_knowledge *k = knowledge_of(files, 1, &problems);

    assert_non_null(k);
    return k;
}

/* Student's t for 95 % and 2 degrees of freedom is 4.3027, sd(x - 2, x, x + 2) = 2. */
static void repetitions_are_averaged_and_tell_how_far_they_differ(void **state)
{
    const struct table runs[] = {{28, 10, 0, 0, NULL, {0.23, 0.00}, NULL},
                                 {32, 10, 0, 0, NULL, {0.27, 0.08}, NULL},
                                 {30, 10, 0, 0, NULL, {0.25, 0.04}, NULL}};
    const double half = 4.3027 * 0.02 / sqrt(3);
    struct portolan_knowledge *k = farm();
    struct portolan_diagnosis *d[3];
    const struct portolan_diagnosis_options others = {
        .repetitions = (const struct portolan_diagnosis *const *)d, .n_repetitions = 2};

    for (int i = 0; i < 3; i++)
        d[i] = diagnose_together(k, &runs[i], i == 2 ? &others : NULL);
    assert_int_equal(d[2]->n_findings, 1);
    assert_int_equal(d[2]->n_causes, 2);
    assert_float_equal(d[2]->findings[0].share, 0.30, 1e-9);
    assert_float_equal(d[2]->findings[0].spread, half, 1e-5);
    assert_float_equal(d[2]->findings[0].gain, 0.25, 1e-9);
    assert_float_equal(d[2]->findings[0].high, 0.25 + half, 1e-5);
    /* The gains of the other differ by 0.04 +- 0.099, so none is stated. */
    assert_string_equal(d[2]->findings[1].cause, "tail");
    assert_int_equal(d[2]->findings[1].verdict, PORTOLAN_CANNOT_TELL);
    for (int i = 0; i < 3; i++)
        portolan_diagnosis_destroy(d[i]);
    portolan_knowledge_destroy(k);
}

/* A cause that costs less than runs differ by is uncertain; a difference of 5 % does not matter. */
static void runs_that_disagree_are_noticed(void **state)
{
    const struct table here = {30, 10, 0, 0, NULL, {0.25, 0.05}, NULL};
    const struct {
        double there;
        int findings;
        const char *told;
    } cases[] = {
        {26, 2, ""},
        {18, 1, "runs disagree: lost is 28.0 % of run time in one run and 40.0 % in another"}};
    struct portolan_knowledge *k = farm();

    for (int i = 0; i < 2; i++) {
        struct table there = here;
        struct portolan_diagnosis *before, *d;
        struct portolan_diagnosis_options others = {
            .experiments = (const struct portolan_diagnosis *const *)&before, .n_experiments = 1};

        there.wait_work = cases[i].there;
        before = diagnose_together(k, &there, NULL);
        d = diagnose_together(k, &here, &others);
        assert_int_equal(d->n_findings, cases[i].findings);
        assert_string_equal(d->disagreement, cases[i].told);
        portolan_diagnosis_destroy(d);
        portolan_diagnosis_destroy(before);
    }
    portolan_knowledge_destroy(k);
}

/* A symptom of 3.8 % is all explained by causes that are too small to matter; one of 10.9 % is not,
   where the larger cause holds, but would gain little. */
static void small_causes_explain_a_symptom(void **state)
{
    static const struct portolan_threshold settings[] = {{"unexplained", 0.03}};
    static const struct table tables[] = {{1.9, 1.9, 0, 0, NULL, {0, 0}, NULL},
                                          {1.9, 9.0, 0, 0, NULL, {0, 0.01}, NULL}};
    static const enum portolan_verdict expected[] = {PORTOLAN_NO_PROBLEM, PORTOLAN_CANNOT_TELL};

    for (int i = 0; i < 2; i++) {
        enum portolan_verdict verdict;

        free(diagnose(FARM(")"), &tables[i], settings, 1, &verdict, NULL));
        assert_int_equal(verdict, expected[i]);
    }
}

static void an_overhead_as_large_as_a_cause_hides_it(void **state)
{
    const struct table t = {30, 10, 0, 0, NULL, {0.25, 0.05}, NULL};
    /* What was removed may be wrong by a fifth. */
    const struct portolan_diagnosis_options runs[] = {{.overhead = 0.15}, {.recording = 0.75}};
    static const char *const told[] = {"runs disagree: recording made the run 15.0 % longer",
                                       "the cost of recording is known within 15.0 % of the run"};
    struct portolan_knowledge *k = farm();

    for (int i = 0; i < 2; i++) {
        struct portolan_diagnosis *d = diagnose_together(k, &t, &runs[i]);

        assert_int_equal(d->n_findings, 1);
        assert_string_equal(d->disagreement, told[i]);
        assert_int_equal(d->findings[1].verdict, PORTOLAN_CANNOT_TELL);
        portolan_diagnosis_destroy(d);
    }
    portolan_knowledge_destroy(k);
}

/* An author's rule may conclude what thresholds do not; where it stands in the file changes
 * nothing. */
static void rules_of_ones_own_conclude(void **state)
{
    static const char rule_a[] = "(defrule waits-for-set-up (measure (name at_work) (share ?s)) "
                                 "(test (> ?s 0.01)) (own yes)\n"
                                 " => (assert (holds (node tail) (rule waits-for-set-up))))\n";
    static const char rule_b[] = "(defrule also (holds (node tail)) => (assert (seen tail)))\n";
    const struct table t = {30, 1, 0, 0, NULL, {0.25, 0.05}, NULL};
    char *texts[2];

    for (int i = 0; i < 2; i++) {
        char *file = portolan_asprintf("%s%s%s%s%s", i ? rule_b : "", i ? rule_a : "",
                                       FARM(" (own yes))\n"), i ? "" : rule_a, i ? "" : rule_b);

        texts[i] = diagnose(file, &t, NULL, 0, NULL, NULL);
        free(file);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_non_null(strstr(texts[0], "\"rule\": \"waits-for-set-up\""));
    free(texts[0]);
    free(texts[1]);
}

static void stops_and_names_endless_rules(void **state)
{
    const struct table t = {30, 10, 0, 0, NULL, {0, 0}, NULL};
    static const char forever[] = "(progn (while TRUE do (bind ?x 1)) TRUE)";
    static const char *const cases[][4] = {
        {"(defrule count (n ?x) => (assert (n (+ ?x 1))))", "", "",
         "1: rule 'farm.count' fires without end"},
        {"(defrule loop (tree) =>", forever, ") (defrule other (n ?) => (assert (m 1)))",
         "1: a rule never ends: Execution halted during the actions of defrule farm.loop"},
        /* A condition, before anything fires, and while another rule does. */
        {"(defrule other (tree) => (assert (m 1)))\n(defrule loop (n ?) (test", forever,
         ") => (assert (m 2)))", "2: a condition never ends: pattern #1 in rule farm.loop"},
        {"(defrule other (n ?) => (assert (m 1)))\n(defrule loop (m ?y&:", forever,
         ") => (assert (m 2)))", "2: a condition never ends: pattern #1 in rule farm.loop"},
        {"(defrule fail (measure (name lost) (value ?v)) => (assert (x (/ ?v 0))))", "", "",
         "1: a rule failed: "},
        /* there are more than 10^12 combinations before anything fires */
        {"(defrule count (n ?x) (test (< ?x 1000)) => (assert (n (+ ?x 1))))\n",
         "(defrule match (n ?a) (n ?b) (n ?c) (n ?d) (test (< ?a ?b ?c ?d 0)) => ",
         "(assert (holds (node ?a) (rule none))))",
         "2: the conditions of rule 'match' need more than 10 s or 256 MiB"},
    };
    int first = 1;

    for (const char *c = FARM(" (n 0))\n"); *c; c++)
        first += *c == '\n';
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *file =
            portolan_asprintf("%s%s%s%s", FARM(" (n 0))\n"), cases[i][0], cases[i][1], cases[i][2]);
        char *json = diagnose(file, &t, NULL, 0, NULL, NULL), *told, *place;

        told = portolan_asprintf("farm.clp:%d%s", first + atoi(cases[i][3]) - 1,
                                 strchr(cases[i][3], ':'));
        place = strstr(json, "farm.clp");
        if (!place || strncmp(place, told, strlen(told)) != 0)
            fail_msg("%s\n%s", json, told);
        free(told);
        free(json);
        free(file);
    }
}

/* Otherwise the rule would conclude nothing, without any message. */
static void rules_name_nodes_and_experiments_that_there_are(void **state)
{
    static const char *const cases[][2] = {
        {"(defrule r (holds (node lost)) =>\n(assert (holds (node tial))))",
         "farm.clp:2:0: there is no node 'tial'; did you mean 'tail'?\n"},
        {"(defrule r (holds (node lots)) =>\n(assert (seen 1)))",
         "farm.clp:1:0: there is no node 'lots'; did you mean 'lost'?\n"},
        {"(defrule r (tree (id ?n)) =>\n(assert (request (experiment trase) (node ?n))))",
         "farm.clp:2:0: CLIPS: A literal slot value found in the assert command does not match the "
         "allowed values for slot experiment\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *file = portolan_asprintf("%s %s", cases[i][0], FARM(")"));
        const char *const files[] = {"farm.clp", file};
        struct portolan_text problems = {0};

        assert_null(knowledge_of(files, 1, &problems));
        assert_string_equal(problems.bytes, cases[i][1]);
        portolan_text_clear(&problems);
        free(file);
    }
}

/* Only the run shows that such a name is wrong. */
static void a_conclusion_about_nothing_is_reported(void **state)
{
    const struct table t = {30, 10, 0, 0, NULL, {0, 0}, NULL};
    char *json = diagnose(FARM(")\n") "(defrule r (measure (name lost) (id ?n)) => "
                                      "(assert (cannot-tell (node (sym-cat ?n x)) (why \"w\"))))",
                          &t, NULL, 0, NULL, NULL);

    assert_string_equal(json,
                        "a rule concludes 'cannot-tell' of a node that there is not: 'lostx'");
    free(json);
}

/* All that touches files, processes, the engine or chance, of the 400 functions there are. */
static void rules_may_only_compute_and_assert(void **state)
{
    static const char refused[] = "system open close remove rename exit batch batch* load load* "
                                  "bload bsave save dribble-on dribble-off "
                                  "load-facts save-facts load-instances save-instances "
                                  "restore-instances bload-instances bsave-instances "
                                  "read readline read-number get-char put-char printout format "
                                  "clear reset build eval set-locale random seed time "
                                  "funcall timer run halt focus set-strategy undefrule undeffacts "
                                  "undeftemplate retract modify duplicate "
                                  "assert-string str-assert load-facts make-instance gensym* "
                                  "setgen operating-system release-mem";
    char *words = portolan_strdup(refused), *rest = NULL;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *file =
            portolan_asprintf("%s(defrule r (holds (node ?n)) => (%s))", FARM(")\n"), word);
        const char *const files[] = {"farm.clp", file};
        struct portolan_text problems = {0};

        if (clips_allows(word) || knowledge_of(files, 1, &problems))
            fail_msg("a rule may call %s", word);
        portolan_text_clear(&problems);
        free(file);
    }
    free(words);
}

UNIT_TESTS(cmocka_unit_test(follows_all_branches_in_the_order_of_gain),
           cmocka_unit_test(thresholds_can_be_set), cmocka_unit_test(says_what_cannot_be_told),
           cmocka_unit_test(asks_for_the_experiment_that_tells_more),
           cmocka_unit_test(repetitions_are_averaged_and_tell_how_far_they_differ),
           cmocka_unit_test(runs_that_disagree_are_noticed),
           cmocka_unit_test(small_causes_explain_a_symptom),
           cmocka_unit_test(an_overhead_as_large_as_a_cause_hides_it),
           cmocka_unit_test(rules_of_ones_own_conclude),
           cmocka_unit_test(stops_and_names_endless_rules),
           cmocka_unit_test(rules_name_nodes_and_experiments_that_there_are),
           cmocka_unit_test(a_conclusion_about_nothing_is_reported),
           cmocka_unit_test(rules_may_only_compute_and_assert))
