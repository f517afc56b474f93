/* SPDX-License-Identifier: BSD-3-Clause */
/* References, casts and exceptions of the run time, through the generated gov.cca and portolan. */
#include <portolan/base.h>
#include <pthread.h>
#include <unit_test.h>

#include "gov_cca.h"
#include "portolan.h"
#include "sidl_BaseException.h"
#include "sidl_ClassInfo.h"
#include "sidl_NotImplementedException.h"
#include "sidl_SIDLException.h"

/* Two interfaces with a common parent, one of them with methods: parents differ in their tables. */
struct thing {
    struct sidl_object object;
    int calls;
    int *destroyed;
};

static int32_t thing_go(void *self, sidl_BaseInterface *_ex)
{
    struct thing *thing = self;

    if (++thing->calls == 3)
        SIDL_THROW(*_ex, sidl_SIDLException, "third time unlucky");
EXIT:
    return *_ex ? -1 : thing->calls;
}

static void *thing_getPointer(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return self;
}

static char *thing_getTypeName(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    return sidl_String_strdup("thing");
}

static void thing_destroy(void *self)
{
    (*((struct thing *)self)->destroyed)++;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = thing_go};
static const struct portolan_ForeignPort__epv foreign_epv = {.f_getPointer = thing_getPointer,
                                                             .f_getTypeName = thing_getTypeName};
static const struct sidl_implements thing_implements[] = {
    {&gov_cca_ports_GoPort__type, &go_epv}, {&portolan_ForeignPort__type, &foreign_epv}};
static const struct sidl_class thing_class = {.name = "test.Thing",
                                              .version = "1.0",
                                              .size = sizeof(struct thing),
                                              .implements = thing_implements,
                                              .n_implements = 2,
                                              .destroy = thing_destroy};

static struct thing *create(int *destroyed)
{
    sidl_BaseInterface ex;
    struct thing *thing = sidl_object_create(&thing_class, &ex);

    assert_non_null(thing);
    assert_null(ex);
    thing->destroyed = destroyed;
    return thing;
}

static void casts_reach_every_interface_and_keep_identity(void **state)
{
    int destroyed = 0;
    struct thing *thing = create(&destroyed);
    gov_cca_ports_GoPort go = sidl_object_facet(thing, "gov.cca.ports.GoPort");
    sidl_BaseInterface ex;
    gov_cca_Port port = gov_cca_Port__cast(go, &ex);
    portolan_ForeignPort foreign = portolan_ForeignPort__cast(port, &ex);

    assert_non_null(foreign);
    assert_null(gov_cca_Services__cast(foreign, &ex));
    assert_null(ex);
    assert_ptr_equal(portolan_ForeignPort_getPointer(foreign, &ex), thing);
    assert_int_equal(gov_cca_ports_GoPort_go(go, &ex), 1);
    assert_true(gov_cca_Port_isSame(port, (sidl_BaseInterface)foreign, &ex));
    assert_true(gov_cca_Port_isType(port, "sidl.BaseInterface", &ex));
    assert_false(gov_cca_Port_isType(port, "gov.cca.Services", &ex));
    portolan_ForeignPort_deleteRef(foreign, &ex);
    gov_cca_Port_deleteRef(port, &ex);
    assert_int_equal(destroyed, 0);
    gov_cca_ports_GoPort_deleteRef(go, &ex);
    assert_int_equal(destroyed, 1);
}

static void a_thrown_exception_carries_note_and_trace(void **state)
{
    int destroyed = 0;
    struct thing *thing = create(&destroyed);
    gov_cca_ports_GoPort go = sidl_object_facet(thing, "gov.cca.ports.GoPort");
    sidl_BaseException caught;
    sidl_BaseInterface ex, ignored;
    char *note, *trace;

    thing->calls = 2;
    assert_int_equal(gov_cca_ports_GoPort_go(go, &ex), -1);
    assert_true(SIDL_CATCH(ex, "sidl.SIDLException"));
    assert_false(SIDL_CATCH(ex, "sidl.MemAllocException"));
    caught = sidl_BaseException__cast(ex, &ignored);
    note = sidl_BaseException_getNote(caught, &ignored);
    trace = sidl_BaseException_getTrace(caught, &ignored);
    assert_string_equal(note, "third time unlucky");
    assert_non_null(strstr(trace, "thing_go"));
    sidl_String_free(note);
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(caught, &ignored);
    SIDL_CLEAR(ex);
    assert_null(ex);
    sidl_object_release(thing);
    assert_int_equal(destroyed, 1);
}

static void a_class_with_an_empty_slot_is_refused_by_name(void **state)
{
    static const struct portolan_ForeignPort__epv half = {.f_getPointer = thing_getPointer};
    static const struct sidl_implements implements[] = {{&portolan_ForeignPort__type, &half}};
    static const struct sidl_class cls = {.name = "test.Half",
                                          .size = sizeof(struct thing),
                                          .implements = implements,
                                          .n_implements = 1};
    sidl_BaseInterface ex, ignored;
    sidl_BaseException caught;
    char *note;

    assert_null(sidl_object_create(&cls, &ex));
    assert_true(SIDL_CATCH(ex, "sidl.NotImplementedException"));
    caught = sidl_BaseException__cast(ex, &ignored);
    note = sidl_BaseException_getNote(caught, &ignored);
    assert_string_equal(note,
                        "class test.Half has no function for getTypeName of portolan.ForeignPort");
    sidl_String_free(note);
    sidl_BaseException_deleteRef(caught, &ignored);
    SIDL_CLEAR(ex);
}

static void out_of_memory_throws_without_memory(void **state)
{
    sidl_BaseInterface ex;

    portolan_alloc_fail_at(1);
    assert_null(sidl_object_create(&thing_class, &ex));
    assert_true(SIDL_CATCH(ex, "sidl.MemAllocException"));
    assert_true(SIDL_CATCH(ex, "sidl.RuntimeException"));
    SIDL_CLEAR(ex);
    portolan_alloc_fail_at(1);
    assert_null(sidl_SIDLException__create(&ex));
    assert_true(SIDL_CATCH(ex, "sidl.MemAllocException"));
    SIDL_CLEAR(ex);
}

/* Whichever allocation fails, nothing leaks (the sanitizers look) and something is thrown. */
static void throwing_survives_any_failing_allocation(void **state)
{
    int destroyed = 0;
    struct thing *thing = create(&destroyed);
    gov_cca_ports_GoPort go = sidl_object_facet(thing, "gov.cca.ports.GoPort");

    for (unsigned long n = 1; n <= 6; n++) {
        sidl_BaseInterface ex;

        thing->calls = 2;
        portolan_alloc_fail_at(n);
        assert_int_equal(gov_cca_ports_GoPort_go(go, &ex), -1);
        portolan_alloc_fail_at(0);
        assert_true(SIDL_CATCH(ex, "sidl.BaseException"));
        SIDL_CLEAR(ex);
    }
    sidl_object_release(thing);
}

static void class_info_outlives_its_object(void **state)
{
    int destroyed = 0;
    struct thing *thing = create(&destroyed);
    sidl_BaseInterface ex;
    sidl_ClassInfo info =
        gov_cca_ports_GoPort_getClassInfo(sidl_object_facet(thing, "gov.cca.ports.GoPort"), &ex);
    char *name;

    sidl_object_release(thing);
    name = sidl_ClassInfo_getName(info, &ex);
    assert_string_equal(name, "test.Thing");
    sidl_String_free(name);
    sidl_ClassInfo_deleteRef(info, &ex);
}

enum { N_THREADS = 4, N_TIMES = 50000 };

static void *add_and_delete(void *arg)
{
    sidl_BaseInterface ex;

    for (int i = 0; i < N_TIMES; i++) {
        gov_cca_Port port = gov_cca_Port__cast(arg, &ex);

        gov_cca_Port_addRef(port, &ex);
        gov_cca_Port_deleteRef(port, &ex);
        gov_cca_Port_deleteRef(port, &ex);
    }
    return NULL;
}

static void references_are_counted_right_by_many_threads(void **state)
{
    int destroyed = 0;
    struct thing *thing = create(&destroyed);
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_delete,
                                        sidl_object_facet(thing, "gov.cca.ports.GoPort")),
                         0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(thing->object.references, 1);
    assert_int_equal(destroyed, 0);
    sidl_object_release(thing);
    assert_int_equal(destroyed, 1);
}

static void *ask_behind(void *self, const char *type)
{
    (void)self;
    return strcmp(type, "gov.cca.Services") == 0
               ? sidl_exception_create(&sidl_SIDLException__type, &(sidl_BaseInterface){0})
               : NULL;
}

static void a_class_answers_casts_that_its_facets_do_not(void **state)
{
    static const struct sidl_class cls = {
        .name = "test.Proxy", .size = sizeof(struct sidl_object), .cast = ask_behind};
    sidl_BaseInterface ex;
    struct sidl_object *object = sidl_object_create(&cls, &ex);
    void *self = sidl_object_facet(object, "sidl.BaseInterface");
    void *behind = sidl_reference_cast(self, "gov.cca.Services", &ex);

    assert_non_null(behind);
    assert_null(sidl_reference_cast(self, "gov.cca.Component", &ex));
    sidl_reference_delete(behind, &ex);
    assert_true(sidl_reference_is_type(self, "gov.cca.Services", &ex));
    sidl_object_release(object);
}

UNIT_TESTS(cmocka_unit_test(casts_reach_every_interface_and_keep_identity),
           cmocka_unit_test(a_thrown_exception_carries_note_and_trace),
           cmocka_unit_test(a_class_with_an_empty_slot_is_refused_by_name),
           cmocka_unit_test(out_of_memory_throws_without_memory),
           cmocka_unit_test(throwing_survives_any_failing_allocation),
           cmocka_unit_test(class_info_outlives_its_object),
           cmocka_unit_test(references_are_counted_right_by_many_threads),
           cmocka_unit_test(a_class_answers_casts_that_its_facets_do_not))
