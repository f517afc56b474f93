/* SPDX-License-Identifier: BSD-3-Clause */
/* Contracts of classes, of what they inherit, and of a class written by hand; what is switched. */
#include "calls.h"

#include <portolan/base.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "box.h"

#define ALL sidl_ContractClass_ALLCLASSES

static void set_policy(enum sidl_ContractClass__enum cls, enum sidl_EnforceFreq__enum freq,
                       int32_t interval, double overhead)
{
    PASSES(sidl_EnfPolicy_setPolicy(cls, freq, interval, overhead, 0, 0, TRUE, &ex));
}

static void enforce(enum sidl_ContractClass__enum cls)
{
    PASSES(sidl_EnfPolicy_setEnforceAll(cls, TRUE, &ex));
}

static void enforce_nothing(void)
{
    PASSES(sidl_EnfPolicy_setEnforceNone(TRUE, &ex));
}

static int begin(void **state)
{
    (void)state;
    memset(&calls, 0, sizeof calls);
    memset(&mischief, 0, sizeof mischief);
    enforce(ALL);
    return 0;
}

static ct_Box new_box(void)
{
    ct_Box box;

    PASSES(box = ct_Box__create(&ex));
    return box;
}

static ct_BigBox new_big_box(void)
{
    ct_BigBox box;

    PASSES(box = ct_BigBox__create(&ex));
    return box;
}

/* Runs first: no policy was set, no class is loaded. */
static void nothing_is_enforced_until_something_is_set(void **state)
{
    ct_Box box = new_box();
    sidl_bool enforcing;

    (void)state;
    PASSES(enforcing = sidl_EnfPolicy_areEnforcing(&ex));
    assert_false(enforcing);
    PASSES(ct_Box_put(box, 0, &ex));
    PASSES(assert_int_equal(ct_Box_twice(-3, &ex), -6));
    assert_int_equal(calls.put, 1);
    assert_int_equal(calls.all_positive, 0);
    ct_Box_deleteRef(box, NULL);
}

static void what_is_set_for_a_class_before_its_first_use_holds_later(void **state)
{
    ct_BigBox box;

    (void)state;
    PASSES(ct_BigBox__set_contracts_static(TRUE, NULL, FALSE, &ex));
    box = new_big_box();
    VIOLATES(ct_BigBox_put(box, 3, &ex));
    PASSES(ct_BigBox__set_contracts_static(FALSE, NULL, FALSE, &ex));
    PASSES(ct_BigBox_put(box, 3, &ex));
    PASSES(ct_BigBox__set_contracts_static(TRUE, NULL, FALSE, &ex));
    ct_BigBox_deleteRef(box, NULL);
}

static void a_violated_precondition_is_told_and_the_implementation_not_called(void **state)
{
    ct_Box box = new_box();

    (void)state;
    THROWS("sidl.PreViolation",
           "ct.Store.put: precondition not_zero violated: a != 0 (store.sidl:11)",
           ct_Box_put(box, 0, &ex));
    THROWS("sidl.RuntimeException", "in ct.Store.put at store.sidl:11", ct_Box_put(box, 0, &ex));
    THROWS("sidl.PreViolation", "ct.Counted.put: precondition small violated: a < 100",
           ct_Box_put(box, 100, &ex));
    assert_int_equal(calls.put, 0);
    PASSES(ct_Box_put(box, 99, &ex));
    assert_int_equal(calls.put, 1);
    ct_Box_deleteRef(box, NULL);
}

static void a_violated_postcondition_gives_results_back(void **state)
{
    ct_Box box = new_box();
    struct sidl_int__array *again;
    int32_t x[] = {1, 1, 1};
    char *text;

    (void)state;
    PASSES(ct_Box_scale(box, x, 3, &text, &again, &ex));
    assert_string_equal(text, "scaled");
    sidl_String_free(text);
    sidl_int__array_deleteRef(again);
    mischief.add = 1;
    THROWS("sidl.PostViolation", "ct.Box.scale: postcondition violated: sum(x) == 2 * size(again)",
           ct_Box_scale(box, x, 3, &text, &again, &ex));
    assert_null(text);
    assert_null(again);
    THROWS("sidl.PostViolation", "postcondition begins violated: result > prefix",
           text = ct_Box_name(box, "a", &ex));
    assert_null(text);
    x[1] = 0;
    VIOLATES(ct_Box_scale(box, x, 3, &text, &again, &ex));
    assert_int_equal(calls.scale, 2);
    ct_Box_deleteRef(box, NULL);
}

static void invariants_hold_before_and_after_every_method(void **state)
{
    ct_Box box = new_box();

    (void)state;
    PASSES(ct_Box_put(box, 3, &ex));
    assert_int_equal(calls.all_positive, 2);
    mischief.keep_negatives = TRUE;
    THROWS("sidl.InvViolation",
           "ct.Store.put: invariant positive violated: allPositive() (store.sidl:7)",
           ct_Box_put(box, -4, &ex));
    assert_int_equal(calls.put, 2);
    THROWS("sidl.InvViolation", "ct.Store.put", ct_Box_put(box, 3, &ex));
    assert_int_equal(calls.put, 2);
    ct_Box_deleteRef(box, NULL);
}

static void methods_of_a_class_keep_inherited_invariants(void **state)
{
    ct_BigBox box = new_big_box();
    int32_t n;

    (void)state;
    PASSES(ct_BigBox_put(box, 2, &ex));
    PASSES(n = ct_BigBox_more(box, 1, &ex));
    assert_int_equal(n, 1);
    mischief.keep_negatives = TRUE;
    THROWS("sidl.InvViolation", "ct.BigBox.more: invariant positive violated",
           ct_BigBox_more(box, 1, &ex));
    assert_int_equal(calls.more, 2);
    ct_BigBox_deleteRef(box, NULL);
}

static void all_inherited_contracts_hold_by_every_way_to_the_method(void **state)
{
    ct_BigBox big = new_big_box();
    ct_Store store;
    ct_Counted counted;

    (void)state;
    PASSES(store = ct_Store__cast(big, &ex));
    PASSES(counted = ct_Counted__cast(big, &ex));
    THROWS("sidl.PreViolation", "ct.Store.put", ct_BigBox_put(big, 0, &ex));
    THROWS("sidl.PreViolation", "ct.Counted.put", ct_BigBox_put(big, 102, &ex));
    THROWS("sidl.PreViolation", "ct.BigBox.put", ct_BigBox_put(big, 3, &ex));
    THROWS("sidl.PreViolation", "ct.Store.put", ct_Box_put((ct_Box)big, 0, &ex));
    THROWS("sidl.PreViolation", "ct.BigBox.put", ct_Store_put(store, 3, &ex));
    THROWS("sidl.PreViolation", "ct.Counted.put", ct_Store_put(store, 102, &ex));
    THROWS("sidl.PreViolation", "ct.BigBox.put", ct_Counted_put(counted, 3, &ex));
    assert_int_equal(calls.put, 0);
    PASSES(ct_Store_put(store, 4, &ex));
    assert_int_equal(calls.put, 1);
    ct_Store_deleteRef(store, NULL);
    ct_Counted_deleteRef(counted, NULL);
    ct_BigBox_deleteRef(big, NULL);
}

static void a_method_under_another_name_keeps_the_interface_s_contract(void **state)
{
    ct_Box box = new_box();
    ct_Other other;
    int32_t n;

    (void)state;
    PASSES(other = ct_Other__cast(box, &ex));
    PASSES(n = ct_Other_twofold(other, 4, &ex));
    assert_int_equal(n, 8);
    THROWS("sidl.PreViolation", "ct.Other.twofold", ct_Other_twofold(other, 1, &ex));
    THROWS("sidl.PreViolation", "ct.Box.doubled", ct_Other_twofold(other, 10, &ex));
    THROWS("sidl.PreViolation", "ct.Other.twofold", ct_Box_doubled(box, 1, &ex));
    THROWS("sidl.PreViolation", "ct.Box.doubled", ct_Box_doubled(box, 10, &ex));
    ct_Other_deleteRef(other, NULL);
    ct_Box_deleteRef(box, NULL);
}

/* While the parent's constructor runs, the object has the parent's methods and contracts. */
static void constructors_see_the_contracts_of_their_class(void **state)
{
    ct_BigBox box;

    (void)state;
    mischief.put_in_constructor = TRUE;
    PASSES(box = ct_BigBox__create(&ex));
    assert_int_equal(calls.put, 1);
    THROWS("sidl.PreViolation", "ct.BigBox.put", ct_BigBox_put(box, 3, &ex));
    ct_BigBox_deleteRef(box, NULL);
}

static void exceptions_of_the_implementation_skip_postconditions(void **state)
{
    ct_Box box = new_box();
    int seen;

    (void)state;
    for (int i = 0; i < 5; i++)
        PASSES(ct_Box_put(box, 1, &ex));
    seen = calls.all_positive;
    THROWS("ct.Full", "five are enough", ct_Box_put(box, 1, &ex));
    assert_int_equal(calls.all_positive, seen + 1); /* the invariant before the call only */
    ct_Box_deleteRef(box, NULL);
}

static void an_exception_in_a_clause_is_handed_on(void **state)
{
    ct_Box box = new_box();

    (void)state;
    mischief.throw_in_clause = TRUE;
    THROWS("sidl.SIDLException", "cannot look into the box", ct_Box_put(box, 1, &ex));
    assert_int_equal(calls.put, 0);
    ct_Box_deleteRef(box, NULL);
}

static void clauses_take_and_give_back_objects_strings_and_arrays(void **state)
{
    ct_Box one = new_box(), two = new_box();

    (void)state;
    PASSES(ct_Box_meet(one, two, 0.5F, &ex));
    THROWS("sidl.PreViolation", "knows(other) and title() == \"box\"",
           ct_Box_meet(one, one, 0.5F, &ex));
    VIOLATES(ct_Box_meet(one, NULL, 0.5F, &ex));
    ct_Box_deleteRef(one, NULL);
    ct_Box_deleteRef(two, NULL);
}

static void static_methods_have_contracts_and_call_each_other_in_them(void **state)
{
    int32_t n;

    (void)state;
    PASSES(n = ct_Box_twice(3, &ex));
    assert_int_equal(n, 6);
    assert_int_equal(calls.even, 1);
    VIOLATES(ct_Box_twice(0, &ex));
    assert_int_equal(calls.twice, 1);
    mischief.add = 1;
    THROWS("sidl.PostViolation", "ct.Box.twice: postcondition violated: result == 2 * n and even(",
           ct_Box_twice(3, &ex));
    enforce_nothing();
    PASSES(n = ct_Box_twice(-3, &ex));
    assert_int_equal(n, -5);
}

static void methods_may_call_themselves(void **state)
{
    ct_Box box = new_box();
    int32_t n;

    (void)state;
    PASSES(n = ct_Box_depth(box, 10, &ex));
    assert_int_equal(n, 10);
    assert_int_equal(calls.depth, 11);
    VIOLATES(ct_Box_depth(box, -1, &ex));
    ct_Box_deleteRef(box, NULL);
}

static void objects_are_switched_one_by_one(void **state)
{
    ct_Box one = new_box(), two = new_box();

    (void)state;
    PASSES(ct_Box__set_contracts(one, FALSE, NULL, FALSE, &ex));
    PASSES(ct_Box_put(one, 0, &ex));
    VIOLATES(ct_Box_put(two, 0, &ex));
    PASSES(ct_Box__set_contracts_static(FALSE, NULL, FALSE, &ex));
    PASSES(ct_Box__set_contracts(one, TRUE, NULL, FALSE, &ex));
    VIOLATES(ct_Box_put(one, 0, &ex));
    PASSES(ct_Box_put(two, 0, &ex));
    enforce_nothing();
    PASSES(ct_Box_put(one, 0, &ex));
    enforce(ALL);
    VIOLATES(ct_Box_put(one, 0, &ex));
    PASSES(ct_Box_put(two, 0, &ex));
    PASSES(ct_Box__set_contracts_static(TRUE, NULL, FALSE, &ex));
    VIOLATES(ct_Box_put(two, 0, &ex));
    ct_Box_deleteRef(one, NULL);
    ct_Box_deleteRef(two, NULL);
}

static void classes_written_by_hand_keep_contracts_too(void **state)
{
    ct_Counted one, two;
    ct_Store store;

    (void)state;
    PASSES(one = handmade_create(&ex));
    PASSES(two = handmade_create(&ex));
    PASSES(store = ct_Store__cast(one, &ex));
    THROWS("sidl.PreViolation", "ct.Store.put", ct_Counted_put(one, 0, &ex));
    THROWS("sidl.PreViolation", "ct.Counted.put", ct_Store_put(store, 100, &ex));
    mischief.keep_negatives = TRUE;
    THROWS("sidl.InvViolation", "ct.Store.put", ct_Counted_put(one, -1, &ex));
    mischief.keep_negatives = FALSE;
    PASSES(ct_Counted_put(two, -1, &ex));
    enforce_nothing();
    PASSES(ct_Counted_put(one, 0, &ex));
    PASSES(ct_Counted__set_contracts(two, TRUE, NULL, FALSE, &ex));
    PASSES(ct_Counted_put(two, 0, &ex)); /* the policy is never */
    enforce(ALL);
    VIOLATES(ct_Counted_put(two, 0, &ex));
    PASSES(ct_Counted__set_contracts(two, FALSE, NULL, FALSE, &ex));
    PASSES(ct_Counted_put(two, 0, &ex));
    ct_Store_deleteRef(store, NULL);
    ct_Counted_deleteRef(one, NULL);
    ct_Counted_deleteRef(two, NULL);
}

/* What each class of clauses lets pass: put(0) breaks a precondition, … */
static const struct {
    enum sidl_ContractClass__enum cls;
    sidl_bool pre, post, invariant, linear;
} classes[] = {
    {sidl_ContractClass_ALLCLASSES, 1, 1, 1, 1},  {sidl_ContractClass_PRECONDS, 1, 0, 0, 1},
    {sidl_ContractClass_POSTCONDS, 0, 1, 0, 0},   {sidl_ContractClass_INVARIANTS, 0, 0, 1, 0},
    {sidl_ContractClass_PREPOST, 1, 1, 0, 1},     {sidl_ContractClass_INVPRE, 1, 0, 1, 1},
    {sidl_ContractClass_INVPOST, 0, 1, 1, 0},     {sidl_ContractClass_RESULTS, 0, 1, 0, 0},
    {sidl_ContractClass_METHODCALLS, 0, 1, 1, 1}, {sidl_ContractClass_SIMPLEEXPRS, 1, 0, 0, 0},
    {sidl_ContractClass_CONSTANT, 1, 1, 1, 0},    {sidl_ContractClass_LINEAR, 0, 0, 0, 1},
    {sidl_ContractClass_QUADRATIC, 0, 0, 0, 0},   {sidl_ContractClass_CUBIC, 0, 0, 0, 0},
};

#define EXPECT(IS_CHECKED, TYPE, CALL)                                                             \
    do {                                                                                           \
        if (IS_CHECKED)                                                                            \
            THROWS(TYPE, "", CALL);                                                                \
        else                                                                                       \
            PASSES(CALL);                                                                          \
    } while (0)

static void the_policy_chooses_among_clauses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        ct_Box box = new_box();
        struct sidl_int__array *again = NULL;
        int32_t x[] = {0};
        char *text = NULL;

        PASSES(ct_Box_put(box, 1, &ex));
        enforce(classes[i].cls);
        EXPECT(classes[i].pre, "sidl.PreViolation", ct_Box_put(box, 0, &ex));
        EXPECT(classes[i].linear, "sidl.PreViolation", ct_Box_scale(box, x, 1, &text, &again, &ex));
        sidl_String_free(text);
        sidl_int__array_deleteRef(again);
        mischief.add = 1;
        EXPECT(classes[i].post, "sidl.PostViolation", ct_Box_twice(3, &ex));
        mischief.add = 0;
        mischief.keep_negatives = TRUE;
        EXPECT(classes[i].invariant, "sidl.InvViolation", ct_Box_put(box, -2, &ex));
        mischief.keep_negatives = FALSE;
        enforce(ALL);
        ct_Box_deleteRef(box, NULL);
    }
}

/* Of N calls that break a precondition, how many are found out. */
static int violations_of(int n)
{
    int found = 0;

    for (int i = 0; i < n; i++) {
        sidl_BaseInterface ex = NULL;

        ct_Box_twice(0, &ex);
        found += ex != NULL;
        SIDL_CLEAR(ex);
    }
    return found;
}

static void periodic_checks_come_every_interval(void **state)
{
    (void)state;
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_PERIODIC, 4, 0);
    assert_int_equal(violations_of(3), 0);
    assert_int_equal(violations_of(1), 1);
    assert_int_equal(violations_of(400), 100);
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_PERIODIC, 0, 0);
    assert_int_equal(violations_of(3), 3);
}

static void random_checks_come_once_in_every_interval(void **state)
{
    int distances[8] = {0}, since = 0, last = -1;

    (void)state;
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_RANDOM, 4, 0);
    for (int i = 0; i < 400; i++) {
        if (!violations_of(1))
            continue;
        assert_int_equal(i / 4, ++since - 1); /* the i-th interval has its one check */
        if (last >= 0)
            distances[i - last]++;
        last = i;
    }
    assert_int_equal(since, 100);
    assert_true(distances[4] < 90); /* not periodic */
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_RANDOM, 0, 0);
    assert_int_equal(violations_of(3), 3);
}

/* With estimated times, adaptive decisions are exact. */
static void write_estimates(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void adaptive_checks_stay_within_the_limit(void **state)
{
    char name[] = "/tmp/estimatesXXXXXX";
    int fd = mkstemp(name);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    /* a check of 10 us beside a method of 100 us: one in ten fits into 1 % */
    write_estimates(name, "# method, its time, pre, post, invariants\n\ntwice 100 10 0 0\n");
    PASSES(ct_Box__set_contracts_static(TRUE, name, TRUE, &ex));
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_ADAPTFIT, 0, 0.01);
    assert_int_equal(violations_of(9), 0);
    assert_int_equal(violations_of(1), 1);
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_ADAPTFIT, 0, 0.1);
    assert_int_equal(violations_of(5), 5);
    /* 10 us are more than 9 % of 100 us and not more than 10 % */
    PASSES(ct_Box__set_contracts_static(TRUE, name, TRUE, &ex));
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_ADAPTTIMING, 0, 0.09);
    assert_int_equal(violations_of(20), 0);
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_ADAPTTIMING, 0, 0.1);
    assert_int_equal(violations_of(5), 5);
    PASSES(ct_Box__set_contracts_static(TRUE, name, TRUE, &ex));
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_SIMANNEAL, 0, 0.1);
    assert_int_equal(violations_of(5), 5);
    set_policy(sidl_ContractClass_PRECONDS, sidl_EnforceFreq_SIMANNEAL, 0, 0);
    assert_int_equal(violations_of(5), 0); /* exp(x) / sqrt(100) never reaches 2.72 here */
    write_estimates(name, "twice 100 ten\n");
    THROWS("sidl.SIDLException", ":1: expected a method's name",
           ct_Box__set_contracts_static(TRUE, name, TRUE, &ex));
    unlink(name);
    THROWS("sidl.SIDLException", "cannot open",
           ct_Box__set_contracts_static(TRUE, name, TRUE, &ex));
}

/* Nothing is known at first; what was measured then is part of the mean. */
static void without_estimates_times_are_measured(void **state)
{
    (void)state;
    PASSES(ct_Box__set_contracts_static(TRUE, NULL, TRUE, &ex));
    set_policy(ALL, sidl_EnforceFreq_ADAPTFIT, 0, 1);
    for (int i = 0; i < 100; i++)
        PASSES(ct_Box_twice(1, &ex));
    assert_int_equal(calls.twice, 100);
}

static void what_was_set_can_be_asked(void **state)
{
    char *name;

    (void)state;
    PASSES(sidl_EnfPolicy_setPolicy(sidl_ContractClass_INVPRE, sidl_EnforceFreq_PERIODIC, 7, 0.25,
                                    1.5, 2, FALSE, &ex));
    PASSES(assert_true(sidl_EnfPolicy_areEnforcing(&ex)));
    PASSES(assert_int_equal(sidl_EnfPolicy_getContractClass(&ex), sidl_ContractClass_INVPRE));
    PASSES(assert_int_equal(sidl_EnfPolicy_getEnforceFreq(&ex), sidl_EnforceFreq_PERIODIC));
    PASSES(assert_int_equal(sidl_EnfPolicy_getSamplingInterval(&ex), 7));
    PASSES(assert_true(sidl_EnfPolicy_getOverheadLimit(&ex) == 0.25));
    PASSES(assert_true(sidl_EnfPolicy_getAppAvgPerCall(&ex) == 1.5));
    PASSES(assert_true(sidl_EnfPolicy_getAnnealLimit(&ex) == 2));
    PASSES(name = sidl_EnfPolicy_getPolicyName(FALSE, &ex));
    assert_string_equal(name, "Periodic-Invariants+Preconditions");
    sidl_String_free(name);
    PASSES(name = sidl_EnfPolicy_getPolicyName(TRUE, &ex));
    assert_string_equal(name, "PeriodicInvPre");
    sidl_String_free(name);
    PASSES(sidl_EnfPolicy_setPolicy(ALL, sidl_EnforceFreq_ALWAYS, -1, -1, -1, -1, FALSE, &ex));
    PASSES(assert_int_equal(sidl_EnfPolicy_getSamplingInterval(&ex), 0));
    PASSES(assert_true(sidl_EnfPolicy_getAnnealLimit(&ex) == 2.72));
    PASSES(name = sidl_EnfPolicy_getPolicyName(FALSE, &ex));
    assert_string_equal(name, "Always");
    sidl_String_free(name);
    THROWS("sidl.SIDLException", "99 is no sidl.ContractClass",
           sidl_EnfPolicy_setEnforceAll((enum sidl_ContractClass__enum)99, TRUE, &ex));
    enforce_nothing();
    PASSES(assert_false(sidl_EnfPolicy_areEnforcing(&ex)));
}

static void expect_in_file(const char *name, const char *text)
{
    char content[20000];
    FILE *f = fopen(name, "r");
    size_t n;

    assert_non_null(f);
    n = fread(content, 1, sizeof content - 1, f);
    content[n] = '\0';
    fclose(f);
    if (!strstr(content, text))
        fail_msg("'%s' is not in: %s", text, content);
}

static void statistics_are_dumped_and_cleared(void **state)
{
    char name[] = "/tmp/statsXXXXXX";
    int fd = mkstemp(name);
    ct_Box box = new_box();

    (void)state;
    close(fd);
    PASSES(ct_Box__set_contracts_static(TRUE, NULL, TRUE, &ex));
    enforce(sidl_ContractClass_PRECONDS);
    PASSES(ct_Box_put(box, 1, &ex));
    PASSES(ct_Box_put(box, 2, &ex));
    VIOLATES(ct_Box_put(box, 0, &ex));
    PASSES(ct_Box__dump_stats(box, name, "first", &ex));
    expect_in_file(name,
                   "first; ct.Box; ct.Store.put; checked 3; kept 2; violated 1; exceptions 0\n");
    expect_in_file(name, "first; ct.Box; ct.Counted.put; checked 2; kept 2; violated 0; "
                         "exceptions 0\n");
    PASSES(ct_Box__set_contracts(box, TRUE, NULL, TRUE, &ex));
    PASSES(ct_Box__dump_stats_static(name, "second", &ex));
    expect_in_file(name, "second; ct.Box; ct.Store.put; checked 0;");
    PASSES(sidl_EnfPolicy_dumpStats(name, TRUE, "third", TRUE, &ex));
    expect_in_file(name, "TotalRequested; TotalAllowed\nthird; Pre; 0; ");
    PASSES(sidl_EnfPolicy_dumpStats(name, FALSE, "fourth", FALSE, &ex));
    expect_in_file(name,
                   "contract enforcement (fourth)\npolicy                     Preconditions\n");
    unlink(name);
    THROWS("sidl.SIDLException", "cannot open /no/such/folder/x",
           ct_Box__dump_stats(box, "/no/such/folder/x", "", &ex));
    ct_Box_deleteRef(box, NULL);
}

static void a_trace_has_a_line_per_checked_call(void **state)
{
    char name[] = "/tmp/traceXXXXXX";
    int fd = mkstemp(name);
    char *told;

    (void)state;
    close(fd);
    PASSES(told = sidl_EnfPolicy_getTraceFilename(&ex));
    assert_string_equal(told, "ContractTrace.out");
    sidl_String_free(told);
    PASSES(sidl_EnfPolicy_startTrace(name, sidl_EnfTraceLevel_OVERHEAD, &ex));
    PASSES(assert_true(sidl_EnfPolicy_areTracing(&ex)));
    PASSES(assert_int_equal(sidl_EnfPolicy_getTraceLevel(&ex), sidl_EnfTraceLevel_OVERHEAD));
    PASSES(ct_Box_twice(1, &ex));
    PASSES(sidl_EnfPolicy_endTrace(&ex));
    PASSES(assert_false(sidl_EnfPolicy_areTracing(&ex)));
    PASSES(told = sidl_EnfPolicy_getTraceFilename(&ex));
    assert_string_equal(told, name);
    sidl_String_free(told);
    expect_in_file(name, "begin\nct.Box; ct.Box.twice; method ");
    expect_in_file(name, "\nend; ");
    unlink(name);
}

struct caller {
    ct_Box box;
    int32_t stop;
    int bad;
};

static void *call_on(void *arg)
{
    struct caller *c = arg;

    while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
        sidl_BaseInterface ex = NULL;
        const int32_t n = ct_Box_depth(c->box, 3, &ex);

        c->bad += ex != NULL || n != 3;
        SIDL_CLEAR(ex);
    }
    return NULL;
}

static void switching_does_not_disturb_other_threads(void **state)
{
    struct caller c = {.box = new_box()};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, call_on, &c), 0);
    for (int i = 0; i < 300; i++) {
        PASSES(ct_Box__set_contracts(c.box, i % 2, NULL, FALSE, &ex));
        PASSES(ct_Box__set_contracts_static(i % 3 == 0, NULL, FALSE, &ex));
        if (i % 5 == 0)
            enforce_nothing();
        else
            enforce(ALL);
    }
    __atomic_store_n(&c.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(c.bad, 0);
    PASSES(ct_Box__set_contracts_static(TRUE, NULL, FALSE, &ex));
    ct_Box_deleteRef(c.box, NULL);
}

/* Whatever allocation fails, there is an exception, and nothing has changed or leaks. */
static void violations_and_switches_survive_failing_allocations(void **state)
{
    ct_Box box = new_box();
    unsigned long n = 0;
    sidl_BaseInterface ex;

    (void)state;
    do {
        ex = NULL;
        portolan_alloc_fail_at(++n);
        ct_Box_put(box, 0, &ex);
        portolan_alloc_fail_at(0);
        assert_non_null(ex);
        assert_true(sidl_reference_is_type(ex, "sidl.PreViolation", NULL) ||
                    sidl_reference_is_type(ex, "sidl.MemAllocException", NULL));
        assert_int_equal(calls.put, 0);
        if (n < 20)
            SIDL_CLEAR(ex);
    } while (!ex);
    SIDL_CLEAR(ex);
    n = 0;
    do {
        SIDL_CLEAR(ex);
        portolan_alloc_fail_at(++n);
        ct_Box__set_contracts(box, FALSE, NULL, FALSE, &ex);
        portolan_alloc_fail_at(0);
        if (ex)
            VIOLATES(ct_Box_put(box, 0, &ex));
    } while (ex);
    PASSES(ct_Box_put(box, 0, &ex));
    ct_Box_deleteRef(box, NULL);
}

int main(void)
{
#define TEST(NAME) cmocka_unit_test_setup(NAME, begin)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_enforced_until_something_is_set),
        cmocka_unit_test(what_is_set_for_a_class_before_its_first_use_holds_later),
        TEST(a_violated_precondition_is_told_and_the_implementation_not_called),
        TEST(a_violated_postcondition_gives_results_back),
        TEST(invariants_hold_before_and_after_every_method),
        TEST(methods_of_a_class_keep_inherited_invariants),
        TEST(all_inherited_contracts_hold_by_every_way_to_the_method),
        TEST(a_method_under_another_name_keeps_the_interface_s_contract),
        TEST(constructors_see_the_contracts_of_their_class),
        TEST(exceptions_of_the_implementation_skip_postconditions),
        TEST(an_exception_in_a_clause_is_handed_on),
        TEST(clauses_take_and_give_back_objects_strings_and_arrays),
        TEST(static_methods_have_contracts_and_call_each_other_in_them),
        TEST(methods_may_call_themselves),
        TEST(objects_are_switched_one_by_one),
        TEST(classes_written_by_hand_keep_contracts_too),
        TEST(the_policy_chooses_among_clauses),
        TEST(periodic_checks_come_every_interval),
        TEST(random_checks_come_once_in_every_interval),
        TEST(adaptive_checks_stay_within_the_limit),
        TEST(without_estimates_times_are_measured),
        TEST(what_was_set_can_be_asked),
        TEST(statistics_are_dumped_and_cleared),
        TEST(a_trace_has_a_line_per_checked_call),
        TEST(switching_does_not_disturb_other_threads),
        TEST(violations_and_switches_survive_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
