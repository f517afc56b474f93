/* SPDX-License-Identifier: BSD-3-Clause */
/* Contracts of classes, of what they inherit, and of a class written by hand; what is switched. */
#include "calls.h"

#include <portolan/base.h>

#include <pthread.h>

#include "box.h"

#define ALL sidl_ContractClass_ALLCLASSES

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

    mischief.throw_in_clause = TRUE;
    THROWS("sidl.SIDLException", "cannot look into the box", ct_Box_put(box, 1, &ex));
    assert_int_equal(calls.put, 0);
    ct_Box_deleteRef(box, NULL);
}

static void clauses_take_and_give_back_objects_strings_and_arrays(void **state)
{
    ct_Box one = new_box(), two = new_box();

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

    PASSES(n = ct_Box_depth(box, 10, &ex));
    assert_int_equal(n, 10);
    assert_int_equal(calls.depth, 11);
    VIOLATES(ct_Box_depth(box, -1, &ex));
    ct_Box_deleteRef(box, NULL);
}

static void an_object_switches_its_class(void **state)
{
    ct_Box one = new_box(), two = new_box();

    PASSES(ct_Box__set_contracts(one, FALSE, NULL, FALSE, &ex));
    PASSES(ct_Box_put(one, 0, &ex));
    PASSES(ct_Box_put(two, 0, &ex));
    PASSES(ct_Box__set_contracts(one, TRUE, NULL, FALSE, &ex));
    VIOLATES(ct_Box_put(one, 0, &ex));
    VIOLATES(ct_Box_put(two, 0, &ex));
    PASSES(ct_Box__set_contracts(NULL, TRUE, NULL, FALSE, &ex));
    enforce_nothing();
    PASSES(ct_Box_put(one, 0, &ex));
    enforce(ALL);
    VIOLATES(ct_Box_put(one, 0, &ex));
    ct_Box_deleteRef(one, NULL);
    ct_Box_deleteRef(two, NULL);
}

static void classes_written_by_hand_keep_contracts_too(void **state)
{
    ct_Counted one, two;
    ct_Store store;

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
    PASSES(ct_Counted_put(one, 0, &ex));
    PASSES(ct_Counted__set_contracts(two, TRUE, NULL, FALSE, &ex));
    ct_Store_deleteRef(store, NULL);
    ct_Counted_deleteRef(one, NULL);
    ct_Counted_deleteRef(two, NULL);
}

/* What each class of clauses lets pass: put(0) breaks a precondition, … */
static const struct {
    enum sidl_ContractClass__enum cls;
    sidl_bool pre, post, invariant;
} classes[] = {
    {sidl_ContractClass_ALLCLASSES, 1, 1, 1}, {sidl_ContractClass_PRECONDS, 1, 0, 0},
    {sidl_ContractClass_POSTCONDS, 0, 1, 0},  {sidl_ContractClass_INVARIANTS, 0, 0, 1},
    {sidl_ContractClass_PREPOST, 1, 1, 0},    {sidl_ContractClass_INVPRE, 1, 0, 1},
    {sidl_ContractClass_INVPOST, 0, 1, 1},
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
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        ct_Box box = new_box();

        PASSES(ct_Box_put(box, 1, &ex));
        enforce(classes[i].cls);
        EXPECT(classes[i].pre, "sidl.PreViolation", ct_Box_put(box, 0, &ex));
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

static void what_was_set_can_be_asked(void **state)
{
    enforce(sidl_ContractClass_INVPRE);
    PASSES(assert_true(sidl_EnfPolicy_areEnforcing(&ex)));
    PASSES(assert_int_equal(sidl_EnfPolicy_getContractClass(&ex), sidl_ContractClass_INVPRE));
    THROWS("sidl.SIDLException", "99 is not a sidl.ContractClass",
           sidl_EnfPolicy_setEnforceAll((enum sidl_ContractClass__enum)99, TRUE, &ex));
    THROWS("sidl.SIDLException", "1 is not a sidl.ContractClass", /* Babel's CONSTANT */
           sidl_EnfPolicy_setEnforceAll((enum sidl_ContractClass__enum)1, TRUE, &ex));
    PASSES(assert_int_equal(sidl_EnfPolicy_getContractClass(&ex), sidl_ContractClass_INVPRE));
    enforce_nothing();
    PASSES(assert_false(sidl_EnfPolicy_areEnforcing(&ex)));
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

/* Whatever allocation fails, there is an exception, and nothing leaks. */
static void violations_survive_failing_allocations(void **state)
{
    ct_Box box = new_box();
    unsigned long n = 0;
    sidl_BaseInterface ex;

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
    ct_Box_deleteRef(box, NULL);
}

#define TEST(NAME) cmocka_unit_test_setup(NAME, begin)
UNIT_TESTS(cmocka_unit_test(nothing_is_enforced_until_something_is_set),
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
           TEST(methods_may_call_themselves), TEST(an_object_switches_its_class),
           TEST(classes_written_by_hand_keep_contracts_too), TEST(the_policy_chooses_among_clauses),
           TEST(what_was_set_can_be_asked), TEST(switching_does_not_disturb_other_threads),
           TEST(violations_survive_failing_allocations))
