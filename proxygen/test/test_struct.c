/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs that hold their functions themselves: the Basic Model Interface, with and without a
 * framework. */
#include "models.h"
#include "records.h"

#include <stdlib.h>
#include <string.h>

#include <portolan/proxy.h>

#include "test_Bmi_proxy.h"

extern const struct portolan_component portolan_component_test_BmiProxy;

struct fixture {
    Bmi *heat, *counter;
};

static int set_up(void **state)
{
    static struct fixture f;

    records_begin();
    f = (struct fixture){model_heat_create(), model_counter_create()};
    *state = &f;
    return !f.heat || !f.counter;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    free(f->heat);
    free(f->counter);
    return 0;
}

static Bmi *wrap(Bmi *model, const char *name)
{
    Bmi *face = test_BmiProxy_wrap(model, name);

    if (!face)
        fail_msg("%s", portolan_proxy_wrap_error());
    return face;
}

static uint64_t calls_of(const char *method, const char *name)
{
    struct portolan_probe_snapshot s = {0};
    uint64_t calls = 0;

    assert_int_equal(portolan_probe_snapshot_take(&s, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < s.count; i++) {
        const struct portolan_probe_method_info *info =
            portolan_probe_method_peek(s.records[i].handle);

        if (strcmp(info->method.name, method) == 0 && strcmp(info->connection.uses, name) == 0)
            calls += s.records[i].calls;
    }
    portolan_probe_snapshot_clear(&s);
    return calls;
}

/* ------------------------------------------------------------------ faces */

static void a_model_runs_behind_its_face(void **state)
{
    struct fixture *f = *state;
    Bmi *face = wrap(f->heat, "rod");
    double time, some[2], all[8];
    int at[2] = {0, 1};
    char name[BMI_MAX_COMPONENT_NAME];
    void *values;

    assert_ptr_not_equal(face, f->heat);
    assert_int_equal(face->initialize(face, "fine"), BMI_SUCCESS);
    assert_int_equal(face->update_until(face, 2), BMI_SUCCESS);
    face->get_current_time(face, &time);
    assert_true(time == 2);
    face->get_value(face, "temperature", all);
    face->get_value_at_indices(face, "temperature", some, at, 2);
    assert_true(some[0] == 100 && some[1] == all[1] && all[1] > 0);
    face->get_value_ptr(face, "temperature", &values);
    assert_memory_equal(values, all, sizeof all);
    face->get_component_name(face, name);
    assert_string_equal(name, "heat");
    assert_int_equal(face->finalize(face), BMI_SUCCESS); /* the face ends here */
    assert_null(f->heat->data);
    assert_int_equal(records_of("update_until", "test.Bmi").inclusive_ns, 40);
    assert_int_equal(calls_of("update", "rod"), 0); /* an implementation's own calls */
    assert_int_equal(calls_of("get_value_at_indices", "rod"), 1);
}

static void entries_that_are_null_stay_null(void **state)
{
    struct fixture *f = *state;
    Bmi *face = wrap(f->counter, "clicks");

    assert_null(face->finalize);
    assert_null(face->get_grid_rank);
    assert_non_null(face->update);
    assert_ptr_equal(test_BmiProxy_unwrap(face), f->counter);
}

static void an_implementation_sees_its_own_larger_struct(void **state)
{
    struct fixture *f = *state;
    Bmi *face = wrap(f->counter, "clicks");
    int count;

    face->initialize(face, "41");
    face->update(face);
    face->get_value(face, "count", &count);
    assert_int_equal(count, 42);
    assert_int_equal(records_of("update", NULL).inclusive_ns, 3);
    test_BmiProxy_unwrap(face);
}

static void data_follows_both_sides(void **state)
{
    struct fixture *f = *state;
    Bmi *face = wrap(f->heat, "rod");
    double mine[10] = {0}; /* time, step, temperatures */
    void *theirs;

    assert_null(face->data);
    face->initialize(face, "coarse");
    theirs = face->data;
    assert_ptr_equal(theirs, f->heat->data);
    mine[1] = 1;
    mine[2] = 50;
    face->data = mine; /* the user replaces it, and the implementation works on that */
    face->update(face);
    assert_ptr_equal(f->heat->data, mine);
    assert_true(mine[0] == 1 && mine[3] == 12.5);
    face->data = theirs;
    face->finalize(face);
}

static void copies_of_a_face_are_served_and_measured(void **state)
{
    struct fixture *f = *state;
    Bmi *rod = wrap(f->heat, "rod"), *clicks = wrap(f->counter, "clicks"), copy, other;
    double values[8];

    rod->initialize(rod, "coarse");
    copy = *rod;
    copy.update(&copy);
    copy.get_value(&copy, "temperature", values);
    assert_true(values[1] == 25);
    assert_int_equal(calls_of("update", "rod"), 1);
    other = *rod;
    other.initialize(&other, "fine"); /* has data of its own now, as without a proxy */
    assert_ptr_not_equal(other.data, rod->data);
    other.update(&other);
    assert_int_equal(calls_of("update", "rod"), 2);
    assert_int_equal(calls_of("update", "clicks"), 0);
    other.finalize(&other); /* ends its data, not the face that it is a copy of */
    rod->update(rod);
    assert_int_equal(calls_of("update", "rod"), 3);
    rod->finalize(rod);
    test_BmiProxy_unwrap(clicks);
}

static void names_tell_faces_apart(void **state)
{
    struct fixture *f = *state;
    Bmi *a = wrap(f->counter, "a"), *b = wrap(f->counter, "b");

    a->update(a);
    b->update(b);
    b->update(b);
    assert_int_equal(calls_of("update", "a"), 1);
    assert_int_equal(calls_of("update", "b"), 2);
    test_BmiProxy_unwrap(a);
    b->update(b);
    assert_int_equal(calls_of("update", "b"), 3);
    test_BmiProxy_unwrap(b);
}

static void one_face_too_many_is_refused_with_a_reason(void **state)
{
    struct fixture *f = *state;
    Bmi *faces[PORTOLAN_PROXY_SLOTS];

    for (int i = 0; i < PORTOLAN_PROXY_SLOTS; i++)
        faces[i] = wrap(f->counter, "clicks");
    assert_null(test_BmiProxy_wrap(f->counter, "clicks"));
    assert_non_null(strstr(portolan_proxy_wrap_error(), "16 objects of type test.Bmi"));
    test_BmiProxy_unwrap(faces[5]);
    faces[5] = wrap(f->counter, "clicks");
    assert_string_equal(portolan_proxy_wrap_error(), "");
    for (int i = 0; i < PORTOLAN_PROXY_SLOTS; i++)
        assert_ptr_equal(test_BmiProxy_unwrap(faces[i]), f->counter);
}

static void what_is_no_face_is_told(void **state)
{
    struct fixture *f = *state;

    assert_null(test_BmiProxy_unwrap(f->heat));
    assert_non_null(strstr(portolan_proxy_wrap_error(), "is no face"));
    assert_null(test_BmiProxy_wrap(NULL, "nothing"));
    assert_null(test_BmiProxy_wrap(f->heat, ""));
    assert_non_null(strstr(portolan_proxy_wrap_error(), "needs an object and a name"));
}

/* ------------------------------------------------------------------ in a framework */

static void bind_model(gov_cca_Component component, Bmi *model, const char *class_name,
                       sidl_BaseInterface *_ex)
{
    gov_cca_Port port = portolan_foreign_create(model, "test.Bmi", _ex);
    sidl_BaseInterface ignored = NULL;

    bind_use(component, port, "model", class_name, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
}

static Bmi *face_of(gov_cca_Component component)
{
    sidl_BaseInterface _ex = NULL;
    portolan_ForeignPort port = portolan_ForeignPort__cast(component, &_ex);
    Bmi *face = portolan_ForeignPort_getPointer(port, &_ex);

    assert_no_exception(&_ex);
    portolan_ForeignPort_deleteRef(port, &_ex);
    return face;
}

static void a_component_measures_and_swaps_models(void **state)
{
    struct fixture *f = *state;
    struct test_monitor *monitor = test_monitor_create();
    sidl_BaseInterface _ex = NULL;
    gov_cca_Component component = portolan_component_test_BmiProxy.create(&_ex);
    Bmi *second = model_counter_create(), *face;
    int count;

    bind_monitor(component, monitor, &_ex);
    bind_model(component, f->counter, "test.One", &_ex);
    assert_no_exception(&_ex);
    face = face_of(component);
    face->initialize(face, "1");
    face->update(face);
    bind_model(component, second, "test.Two", &_ex);
    assert_no_exception(&_ex);
    assert_ptr_equal(face_of(component), face);
    face->initialize(face, "7");
    face->update(face);
    face->get_value(face, "count", &count);
    assert_int_equal(count, 8);
    assert_int_equal(records_of("update", "test.One").calls, 1);
    assert_int_equal(records_of("update", "test.Two").calls, 1);
    bind_model(component, f->heat, "test.Three", &_ex);
    assert_exception(&_ex, PORTOLAN_EUNSUPPORTED, "operation 'update_until'");
    gov_cca_Component_deleteRef(component, &_ex);
    sidl_object_release(monitor);
    free(second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
UNIT_TESTS(TEST(a_model_runs_behind_its_face), TEST(entries_that_are_null_stay_null),
           TEST(an_implementation_sees_its_own_larger_struct), TEST(data_follows_both_sides),
           TEST(copies_of_a_face_are_served_and_measured), TEST(names_tell_faces_apart),
           TEST(one_face_too_many_is_refused_with_a_reason), TEST(what_is_no_face_is_told),
           TEST(a_component_measures_and_swaps_models))
