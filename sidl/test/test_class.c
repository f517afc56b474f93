/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of SIDL: inheritance, constructors, private data, loading, exceptions of one's own. */
#include <pthread.h>
#include <unit_test.h>

#include "sidl_SIDLException.h"
#include "zoo.h"

static int open_zoo(void **state)
{
    portolan_alloc_fail_at(0);
    zoo_open();
    return 0;
}

static void *create(const struct sidl_type *type, const struct sidl_class *(*externals)(void))
{
    sidl_BaseInterface ex;
    void *object = sidl_class_create(type, externals, NULL, &ex);

    assert_null(ex);
    assert_non_null(object);
    return object;
}

/* EX holds an exception of that type whose note is TEXT; it is dropped. */
static void assert_thrown(sidl_BaseInterface ex, const char *type, const char *text)
{
    sidl_BaseException caught = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface ignored;
    char *note;

    assert_true(SIDL_CATCH(ex, type));
    note = sidl_BaseException_getNote(caught, &ignored);
    assert_string_equal(note, text);
    sidl_String_free(note);
    sidl_BaseException_deleteRef(caught, NULL);
    SIDL_CLEAR(ex);
}

static void assert_name(void *reference, const char *expected)
{
    char *name = zoo_name(reference);

    assert_string_equal(name, expected);
    sidl_String_free(name);
}

static void an_object_is_a_reference_of_its_class_and_its_parents(void **state)
{
    struct sidl_object *puppy = create(&zoo_Puppy__type, zoo_Puppy__externals);

    assert_ptr_equal(sidl_object_facet(puppy, "zoo.Puppy"), puppy);
    assert_ptr_equal(sidl_object_facet(puppy, "zoo.Dog"), puppy);
    assert_ptr_equal(sidl_object_facet(puppy, "zoo.Animal"), puppy);
    assert_ptr_equal(sidl_object_facet(puppy, "zoo.Named"), puppy);
    assert_ptr_equal(sidl_object_facet(puppy, "sidl.BaseClass"), puppy);
    assert_ptr_equal(sidl_object_facet(puppy, "sidl.BaseInterface"), puppy);
    assert_ptr_equal(sidl_reference_peek(puppy), puppy);
    assert_ptr_not_equal(sidl_object_facet(puppy, "zoo.Counted"), puppy);
    assert_null(sidl_object_facet(puppy, "zoo.Theft"));
    assert_false(sidl_BaseClass__isRemote((sidl_BaseClass)puppy, NULL));
    sidl_object_release(puppy);
}

static void inherited_methods_are_found_and_overridden_ones_replaced_everywhere(void **state)
{
    void *dog = create(&zoo_Dog__type, zoo_Dog__externals);
    void *puppy = create(&zoo_Puppy__type, zoo_Puppy__externals);
    struct sidl_BaseInterface__object *counted = sidl_object_facet(puppy, "zoo.Counted");
    struct sidl_BaseInterface__object *owned = sidl_object_facet(puppy, "zoo.Owned");
    const struct zoo_Counted__epv *counted_epv = (const void *)counted->d_epv;
    const struct zoo_Owned__epv *owned_epv = (const void *)owned->d_epv;
    sidl_BaseInterface ex = NULL;

    assert_name(dog, "dog");
    assert_name(puppy, "dog");
    assert_int_equal(zoo_twice(dog), 2);
    assert_int_equal(zoo_twice(puppy), 102); /* through super */
    assert_int_equal(counted_epv->f_count(counted->d_object, &ex), 1);
    assert_int_equal(counted_epv->f_twice(counted->d_object, &ex), 102);
    assert_int_equal(owned_epv->f_owner(owned->d_object, &ex), 7); /* under another name */
    sidl_reference_delete(dog, NULL);
    sidl_reference_delete(puppy, NULL);
}

static void constructors_run_from_the_root_and_destructors_back(void **state)
{
    void *puppy = create(&zoo_Puppy__type, zoo_Puppy__externals);

    assert_string_equal(zoo_log, "load Animal; load Dog; load Puppy; ctor Animal; as animal; "
                                 "ctor Dog; as dog; ctor Puppy; as dog");
    zoo_log[0] = '\0';
    sidl_reference_delete(puppy, NULL);
    assert_string_equal(zoo_log, "dtor Puppy; dtor Dog; dtor Animal");
    zoo_log[0] = '\0';
    sidl_reference_delete(create(&zoo_Dog__type, zoo_Dog__externals), NULL);
    assert_null(strstr(zoo_log, "load"));
}

static void every_class_of_the_chain_has_its_own_data(void **state)
{
    sidl_BaseInterface ex = NULL;
    int32_t tag = 11, count = 21, own = 31;
    struct sidl_BaseInterface__object *puppy =
        sidl_class_create(&zoo_Puppy__type, zoo_Puppy__externals, &own, &ex);
    const struct zoo_Dog__epv *epv = (const void *)puppy->d_epv;

    assert_null(ex);
    assert_non_null(strstr(zoo_log, "ctor Dog; as dog; ctor2 Puppy"));
    assert_null(strstr(zoo_log, "ctor Puppy"));
    assert_ptr_equal(sidl_object_data(puppy, 2), &own);
    assert_null(sidl_object_data(puppy, 0));
    sidl_object_set_data(puppy, 0, &tag);
    sidl_object_set_data(sidl_object_facet(puppy, "zoo.Counted"), 1, &count);
    assert_int_equal(epv->f_tag(puppy, &ex), 11);
    assert_int_equal(epv->f_count(puppy, &ex), 21);
    assert_null(sidl_object_data(puppy, 3));
    assert_null(sidl_object_data(NULL, 0));
    sidl_reference_delete(puppy, NULL);
}

static void an_abstract_class_is_refused_by_name(void **state)
{
    sidl_BaseInterface ex;

    assert_null(sidl_class_create(&zoo_Animal__type, zoo_Animal__externals, NULL, &ex));
    assert_thrown(ex, "sidl.NotImplementedException",
                  "class zoo.Animal is abstract (it has no legs); create an object of a class that "
                  "extends it");
    assert_null(strstr(zoo_log, "ctor"));
}

static void a_constructor_that_throws_undoes_what_was_constructed(void **state)
{
    int32_t own = 1;
    sidl_BaseInterface ex;

    zoo_throws_at = "ctor Puppy";
    assert_null(sidl_class_create(&zoo_Puppy__type, zoo_Puppy__externals, NULL, &ex));
    assert_thrown(ex, "sidl.SIDLException", "ctor Puppy");
    assert_non_null(strstr(zoo_log, "ctor Puppy; as dog; dtor Dog; dtor Animal"));
    zoo_throws_at = "ctor Animal";
    zoo_log[0] = '\0';
    assert_null(sidl_class_create(&zoo_Puppy__type, zoo_Puppy__externals, NULL, &ex));
    assert_thrown(ex, "sidl.SIDLException", "ctor Animal");
    assert_null(strstr(zoo_log, "dtor"));
    zoo_throws_at = "ctor2 Puppy";
    assert_null(sidl_class_create(&zoo_Puppy__type, zoo_Puppy__externals, &own, &ex));
    assert_thrown(ex, "sidl.SIDLException", "ctor2 Puppy");
}

static void what_a_destructor_throws_reaches_who_drops_the_last_reference(void **state)
{
    void *dog = create(&zoo_Dog__type, zoo_Dog__externals);
    sidl_BaseInterface ex;

    zoo_throws_at = "dtor Dog";
    sidl_reference_delete(dog, &ex);
    assert_thrown(ex, "sidl.SIDLException", "dtor Dog");
    assert_non_null(strstr(zoo_log, "dtor Dog; dtor Animal"));
    sidl_reference_delete(create(&zoo_Dog__type, zoo_Dog__externals), NULL);
}

static void what_load_throws_is_discarded(void **state)
{
    zoo_throws_at = "load Dog";
    sidl_reference_delete(create(&zoo_Puppy__type, zoo_Puppy__externals), NULL);
    assert_non_null(strstr(zoo_log, "load Animal; load Dog; load Puppy; ctor Animal"));
    zoo_log[0] = '\0';
    sidl_reference_delete(create(&zoo_Dog__type, zoo_Dog__externals), NULL);
    assert_null(strstr(zoo_log, "load"));
}

static void a_static_call_loads_the_class(void **state)
{
    sidl_BaseInterface ex;
    const struct zoo_Animal__sepv *statics =
        sidl_class_statics(&zoo_Animal__type, zoo_Animal__externals, &ex);

    assert_null(ex);
    assert_string_equal(zoo_log, "load Animal");
    assert_int_equal(statics->f_made(&ex), 1);
    assert_null(sidl_class_statics(&zoo_Dog__type, zoo_Dog__externals, &ex));
    assert_thrown(ex, "sidl.SIDLException", "class zoo.Dog has no static methods");
}

static void an_exception_class_adds_methods_and_data_to_note_and_trace(void **state)
{
    struct sidl_BaseInterface__object *theft = create(&zoo_Theft__type, zoo_Theft__externals);
    sidl_BaseInterface ex = sidl_exception_fill(theft, "a lion is gone", "zoo.c", 12, "count");
    sidl_BaseException base = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface ignored;
    char *trace = sidl_BaseException_getTrace(base, &ignored);

    assert_string_equal(trace, "in count at zoo.c:12\n");
    assert_true(SIDL_CATCH(ex, "zoo.Theft"));
    assert_true(SIDL_CATCH(ex, "zoo.Escape"));
    assert_true(SIDL_CATCH(ex, "sidl.SIDLException"));
    assert_false(SIDL_CATCH(ex, "sidl.MemAllocException"));
    assert_int_equal(((const struct zoo_Theft__epv *)theft->d_epv)->f_cage(theft, &ignored), 3);
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(base, NULL);
    assert_thrown(ex, "zoo.Theft", "a lion is gone");
}

/* As a method may that names an interface behind throws which is no exception. */
static void what_is_no_exception_can_be_thrown_and_caught(void **state)
{
    sidl_BaseInterface ex = create(&zoo_Dog__type, zoo_Dog__externals);

    sidl_update_exception(ex, "zoo.c", 12, "count");
    sidl_report_exception(ex);
    assert_false(SIDL_CATCH(ex, "sidl.BaseException"));
    assert_true(SIDL_CATCH(ex, "zoo.Counted"));
    SIDL_CLEAR(ex);
    assert_non_null(strstr(zoo_log, "dtor Dog; dtor Animal"));
}

static void an_exception_class_without_code_needs_none(void **state)
{
    sidl_BaseInterface ex;
    void *escape = sidl_class_create(&zoo_Escape__type, NULL, NULL, &ex);

    assert_null(ex);
    assert_true(SIDL_CATCH(escape, "zoo.Escape"));
    sidl_reference_delete(escape, NULL);
}

/* Whichever allocation fails: the exception says so, nothing leaks, and the next try succeeds. */
static void creation_survives_any_failing_allocation(void **state)
{
    unsigned long n_failures = 0;
    sidl_BaseInterface ex;

    for (unsigned long n = 1; n < 50; n++) {
        void *puppy;

        zoo_open();
        portolan_alloc_fail_at(n);
        puppy = sidl_class_create(&zoo_Puppy__type, zoo_Puppy__externals, NULL, &ex);
        portolan_alloc_fail_at(0);
        if (!puppy) {
            assert_true(SIDL_CATCH(ex, "sidl.MemAllocException"));
            SIDL_CLEAR(ex);
            n_failures++;
            puppy = create(&zoo_Puppy__type, zoo_Puppy__externals);
        }
        sidl_reference_delete(puppy, NULL);
    }
    assert_true(n_failures > 10);
}

/* A class whose `load` uses the class itself. */
static const struct sidl_class eager_class;
static int n_loads, n_made_in_load;

static const struct sidl_class *eager(void)
{
    return &eager_class;
}

static const struct sidl_type *const eager_parents[] = {&sidl_BaseClass__type};
static const struct sidl_type eager_type = {
    .name = "test.Eager", .kind = SIDL_CLASS, .parents = eager_parents, .n_parents = 1};

static void eager_load(sidl_BaseInterface *_ex)
{
    void *made = sidl_class_create(&eager_type, eager, NULL, _ex);

    n_loads++;
    n_made_in_load += made != NULL;
    sidl_reference_delete(made, NULL);
}

static const struct sidl_BaseClass__epv no_slots;
static const struct sidl_implements eager_implements[] = {{&eager_type, &no_slots}};
static struct sidl_class_state eager_state;
static const struct sidl_class eager_class = {.name = "test.Eager",
                                              .implements = eager_implements,
                                              .n_implements = 1,
                                              .load = eager_load,
                                              .state = &eager_state};

static void a_class_may_be_used_while_it_loads(void **state)
{
    sidl_reference_delete(create(&eager_type, eager), NULL);
    sidl_reference_delete(create(&eager_type, eager), NULL);
    assert_int_equal(n_loads, 1);
    assert_int_equal(n_made_in_load, 1);
}

static const struct sidl_class *stiff(void)
{
    static const struct sidl_class cls = {.name = "test.Stiff", .size = sizeof(struct sidl_object)};

    return &cls;
}

/* Children of a class that is nowhere, and of one that was not made to be extended. */
static void a_parent_that_cannot_be_extended_is_told(void **state)
{
    static const struct sidl_type ghost_type = {
        .name = "zoo.Ghost", .kind = SIDL_CLASS, .parents = eager_parents, .n_parents = 1};
    static const struct sidl_type *const parents[] = {&ghost_type};
    static const struct sidl_type type = {
        .name = "test.Child", .kind = SIDL_CLASS, .parents = parents, .n_parents = 1};
    static const struct sidl_implements implements[] = {{&type, &no_slots}};
    static struct sidl_class_state child_state;
    struct sidl_class cls = {.name = "test.Child",
                             .implements = implements,
                             .n_implements = 1,
                             .extends_name = "zoo.Ghost",
                             .state = &child_state};
    sidl_BaseInterface ex;

    unsetenv("SIDL_DLL_PATH");
    assert_null(sidl_object_create(&cls, &ex));
    assert_thrown(ex, "sidl.SIDLException",
                  "class zoo.Ghost is not linked into the program, and no .scl file of "
                  "SIDL_DLL_PATH names it; looked in no folder (the path is empty)");
    cls.extends = stiff;
    assert_null(sidl_object_create(&cls, &ex));
    assert_thrown(ex, "sidl.SIDLException",
                  "class test.Stiff cannot be extended by test.Child: it has no class state");
    cls.extends = zoo_Puppy__externals;
    assert_null(sidl_object_create(&cls, &ex));
    assert_thrown(ex, "sidl.SIDLException",
                  "class test.Child was made for another version of zoo.Puppy, which now extends "
                  "more classes; regenerate and rebuild it");
    cls.extends = eager;
    sidl_object_release(sidl_object_create(&cls, &ex));
    assert_null(ex);
}

enum { N_THREADS = 8, N_TIMES = 200 };

static void *breed(void *arg)
{
    pthread_barrier_wait(arg);
    for (int i = 0; i < N_TIMES; i++) {
        sidl_BaseInterface ex;
        void *puppy = sidl_class_create(&zoo_Puppy__type, zoo_Puppy__externals, NULL, &ex);

        if (!puppy || zoo_twice(puppy) != 102)
            return arg;
        sidl_reference_delete(puppy, NULL);
    }
    return NULL;
}

static void threads_that_make_the_first_object_at_once_load_the_class_once(void **state)
{
    pthread_t threads[N_THREADS];
    pthread_barrier_t start;
    char *found;

    pthread_barrier_init(&start, NULL, N_THREADS);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, breed, &start), 0);
    for (int i = 0; i < N_THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    pthread_barrier_destroy(&start);
    found = strstr(zoo_log, "load Puppy");
    assert_non_null(found);
    assert_null(strstr(found + 1, "load"));
}

#define TEST(NAME) cmocka_unit_test_setup(NAME, open_zoo)
UNIT_TESTS(TEST(an_object_is_a_reference_of_its_class_and_its_parents),
           TEST(inherited_methods_are_found_and_overridden_ones_replaced_everywhere),
           TEST(constructors_run_from_the_root_and_destructors_back),
           TEST(every_class_of_the_chain_has_its_own_data),
           TEST(an_abstract_class_is_refused_by_name),
           TEST(a_constructor_that_throws_undoes_what_was_constructed),
           TEST(what_a_destructor_throws_reaches_who_drops_the_last_reference),
           TEST(what_load_throws_is_discarded), TEST(a_static_call_loads_the_class),
           TEST(an_exception_class_adds_methods_and_data_to_note_and_trace),
           TEST(what_is_no_exception_can_be_thrown_and_caught),
           TEST(an_exception_class_without_code_needs_none),
           TEST(a_class_may_be_used_while_it_loads), TEST(a_parent_that_cannot_be_extended_is_told),
           TEST(creation_survives_any_failing_allocation),
           TEST(threads_that_make_the_first_object_at_once_load_the_class_once))
