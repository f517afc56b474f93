/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything a struct of functions may have beside them, older ones that end early, and the objects
 * that calls hand out: by a result, through a pointer, and in the caller's storage.
 */
#include "records.h"
#include "streams.h"

#include <pthread.h>

#include <portolan/control.h>
#include <portolan/proxy.h>

#include "test_Stream_proxy.h"

extern const struct portolan_component portolan_component_test_StreamProxy;

/* ------------------------------------------------------------------ set-up */

struct fixture {
    struct source source;
    struct stream *face;
};

static int set_up(void **state)
{
    static struct fixture f;
    const struct source fresh = source_make(5);

    records_begin();
    memcpy(&f.source, &fresh, sizeof fresh);
    f.face = test_StreamProxy_wrap(&f.source.base, "in");
    *state = &f;
    return !f.face;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    assert_ptr_equal(test_StreamProxy_unwrap(f->face), &f->source.base);
    return 0;
}

/* ------------------------------------------------------------------ members */

static int events;

static int count_event(void *data, int event)
{
    (void)data;
    return events += event;
}

static void data_between_functions_follows_both_sides(void **state)
{
    struct fixture *f = *state;
    struct stream *s = f->face;

    s->advance(s, 200);
    assert_int_equal(s->position, 205);
    assert_int_equal(s->fast, 1);
    s->limit = 7;
    s->safe = 2;
    s->advance(s, 1);
    assert_int_equal(f->source.base.limit, 7);
    assert_int_equal(f->source.base.safe, 2);
    assert_int_equal(s->fast, 0);
    s->rewind(s);
    assert_int_equal(s->last, 206);
    assert_int_equal(s->position, 0);
}

static void a_function_that_is_no_method_is_data(void **state)
{
    struct fixture *f = *state;
    struct stream *s = f->face;

    assert_null(s->on_event);
    events = 0;
    s->on_event = count_event;
    s->advance(s, 4);
    assert_int_equal(events, 4);
    assert_ptr_equal(f->source.base.on_event, count_event);
}

static void functions_of_a_struct_inside_are_methods(void **state)
{
    struct fixture *f = *state;
    struct stream *s = f->face;

    assert_int_equal(s->clock.get(s), 60);
    assert_int_equal(s->clock.set(s, 24), 0);
    assert_int_equal(s->clock.unit, 24);
    s->clock.unit = 12;
    assert_int_equal(s->clock.get(s), 12);
    assert_int_equal(records_of("clock_get", NULL).calls, 2);
    assert_int_equal(records_node("clock_set", 0).context[0].value, 24);
}

static void variadic_methods_are_forwarded_where_they_have_a_twin(void **state)
{
    struct fixture *f = *state;
    struct source without = source_make(1);
    struct stream *s = f->face, *plain;

    assert_int_equal(s->log(s, "d", 17), 17);
    assert_int_equal(records_of("log", NULL).calls, 1);
    assert_int_equal(records_of("log", NULL).inclusive_ns, 13);
    assert_int_equal(s->trace(s, "d", 18), 18); /* has none */
    assert_int_equal(records_of("trace", NULL).calls, 0);
    without.base.vlog = NULL; /* so the implementation's own stays */
    plain = test_StreamProxy_wrap(&without.base, "plain");
    assert_int_equal(plain->log(plain, "d", 19), 19);
    assert_int_equal(records_of("log", NULL).calls, 1);
    assert_ptr_equal(test_StreamProxy_unwrap(plain), &without.base);
}

static void links_and_names_are_the_face_s_own(void **state)
{
    struct fixture *f = *state;
    struct stream *s = f->face, other;

    assert_string_equal(s->zName, "source");
    assert_null(s->next);
    s->zName = "mine";
    s->next = &other;
    s->advance(s, 1);
    assert_string_equal(s->zName, "mine");
    assert_ptr_equal(s->next, &other);
    assert_string_equal(f->source.base.zName, "source");
    assert_null(f->source.base.next);
}

static void other_objects_of_the_type_are_unwrapped(void **state)
{
    struct fixture *f = *state;
    struct source plain = source_make(12), behind = source_make(30);
    struct stream *s = f->face, *other = test_StreamProxy_wrap(&behind.base, "other");

    assert_int_equal(s->distance(s, &plain.base), 7);
    assert_ptr_equal(f->source.compared, &plain);
    assert_int_equal(s->distance(s, other), 25);
    assert_ptr_equal(f->source.compared, &behind);
    assert_int_equal(s->distance(s, s), 0);
    assert_ptr_equal(f->source.compared, &f->source);
    test_StreamProxy_unwrap(other);
}

static void an_older_struct_is_not_read_beyond_its_end(void **state)
{
    struct source whole = source_make(1);
    struct stream *old, *face;

    whole.base.struct_size = offsetof(struct stream, rewind);
    old = before_a_hole(&whole.base, whole.base.struct_size);
    face = test_StreamProxy_wrap(old, "old");
    assert_non_null(face);
    assert_null(face->rewind);
    face->last = 77; /* which the old one does not have */
    face->limit = 8;
    face->advance(face, 2);
    assert_int_equal(face->position, 3);
    assert_int_equal(old->limit, 8);
    assert_int_equal(face->last, 77);
    assert_ptr_equal(test_StreamProxy_unwrap(face), old);
}

/* ------------------------------------------------------------------ handed out */

static void a_clone_gets_a_face_that_ends_with_it(void **state)
{
    struct fixture *f = *state;
    struct stream *s = f->face, *clone = s->clone(s), *third;

    assert_non_null(clone);
    clone->advance(clone, 1);
    assert_int_equal(clone->position, 6);
    assert_int_equal(s->position, 5);
    assert_int_equal(records_of("advance", NULL).calls, 1);
    third = clone->clone(clone);
    third->advance(third, 1);
    assert_int_equal(records_of("advance", NULL).calls, 2);
    assert_int_equal(s->distance(s, third), 2);
    third->close(third);
    clone->close(clone);
}

static void what_is_done_with_calls_holds_for_what_they_hand_out(void **state)
{
    struct fixture *f = *state;
    struct stream *clone = f->face->clone(f->face), *later;
    struct file file = {0};
    char byte;

    f->face->open(f->face, 2, &file.base, NULL);
    assert_int_equal(portolan_control_apply("forward in", "test", NULL), PORTOLAN_OK);
    later = f->face->clone(f->face);
    clone->advance(clone, 1);
    later->advance(later, 1);
    file.base.methods->read(&file.base, &byte, 1);
    assert_int_equal(records_of("advance", NULL).calls, 0);
    assert_int_equal(records_of("read", NULL).calls, 0);
    assert_int_equal(portolan_control_apply("profile in", "test", NULL), PORTOLAN_OK);
    clone->advance(clone, 1);
    later->advance(later, 1);
    file.base.methods->read(&file.base, &byte, 1);
    assert_int_equal(records_of("advance", NULL).calls, 2);
    assert_int_equal(records_of("read", NULL).calls, 1);
    clone->close(clone);
    later->close(later);
}

static void an_object_that_returns_itself_returns_its_face(void **state)
{
    struct fixture *f = *state;

    assert_ptr_equal(f->face->itself(f->face), f->face);
}

static void objects_in_the_caller_s_storage_are_measured_there(void **state)
{
    struct fixture *f = *state;
    struct file one = {0}, two = {0};
    char bytes[4];
    int flags = 0;

    assert_int_equal(f->face->open(f->face, 2, &one.base, &flags), 0);
    assert_int_equal(flags, 2);
    f->face->open(f->face, 2, &two.base, NULL);
    assert_ptr_not_equal(one.base.methods, &newer);
    assert_ptr_equal(one.base.methods, two.base.methods); /* one for each original table */
    assert_int_equal(one.base.methods->read(&one.base, bytes, 4), 1);
    assert_int_equal(one.base.methods->read(&one.base, bytes, 4), 2);
    assert_int_equal(two.base.methods->read(&two.base, bytes, 2), 1);
    assert_int_equal(one.base.methods->map(&one.base), 2);
    assert_null(one.base.methods->unmap);
    assert_int_equal(records_of("read", NULL).calls, 3);
    assert_int_equal(records_of("read", NULL).inclusive_ns, 21);
    assert_int_equal(one.base.methods->close(&one.base), 0);
    assert_null(one.base.methods);
    assert_int_equal(f->face->open(f->face, 0, &one.base, NULL), 1); /* fails: there is no table */
    assert_null(one.base.methods);
    two.base.methods->close(&two.base);
}

static void an_older_table_is_not_read_beyond_its_end(void **state)
{
    struct fixture *f = *state;
    struct file file = {0};
    char byte;

    f->face->open(f->face, 1, &file.base, NULL);
    assert_ptr_not_equal(file.base.methods, older);
    assert_int_equal(file.base.methods->iVersion, 1);
    assert_null(file.base.methods->map);
    assert_int_equal(file.base.methods->read(&file.base, &byte, 1), 1);
    assert_int_equal(records_of("read", NULL).calls, 1);
}

static void filters_in_the_caller_s_storage_keep_their_functions_apart(void **state)
{
    struct fixture *f = *state;
    struct stream_filter three = {0}, minus = {0}, seven = {0};

    f->face->filter(f->face, 3, &three);
    f->face->filter(f->face, -1, &minus);
    f->face->filter(f->face, 7, &seven);
    assert_ptr_not_equal(three.apply, multiply);
    assert_ptr_equal(three.apply, seven.apply);
    assert_ptr_not_equal(three.apply, minus.apply);
    assert_int_equal(three.apply(&three, 5), 15);
    assert_int_equal(seven.apply(&seven, 5), 35);
    assert_int_equal(minus.apply(&minus, 5), -5);
    assert_int_equal(records_of("apply", NULL).calls, 3);
    assert_int_equal(records_of("apply", NULL).inclusive_ns, 22);
}

static void objects_handed_out_through_a_pointer_get_faces(void **state)
{
    struct fixture *f = *state;
    struct stream_file *file = NULL, *untouched = (struct stream_file *)state;
    char bytes[8];

    assert_int_equal(f->face->find(f->face, "a", &file), 0);
    assert_int_equal(file->methods->read(file, bytes, 8), 1);
    assert_int_equal(records_of("read", NULL).calls, 1);
    assert_int_equal(records_node("read", 0).context[0].value, 8);
    assert_int_equal(file->methods->close(file), 0); /* frees object and face */
    assert_int_equal(f->face->find(f->face, "nothing", &untouched), 1);
    assert_ptr_equal(untouched, state);
}

static void an_object_handed_out_twice_has_one_face(void **state)
{
    struct fixture *f = *state;
    struct file file = {.base = {&newer}};
    struct stream_file *first, *second;
    char byte;

    kept = &file.base;
    f->face->find(f->face, "kept", &first);
    f->face->find(f->face, "kept", &second);
    assert_ptr_equal(first, second);
    assert_int_equal(first->methods->read(first, &byte, 1), 1);
    kept = first; /* an implementation that got the face from somewhere */
    f->face->find(f->face, "kept", &second);
    assert_ptr_equal(first, second);
    file.base.methods = &on_heap; /* another object at that place */
    kept = &file.base;
    f->face->find(f->face, "kept", &second);
    assert_ptr_not_equal(first, second);
    kept = NULL;
    f->face->find(f->face, "kept", &second);
    assert_null(second);
}

static void in_a_framework_the_monitor_sees_what_calls_hand_out(void **state)
{
    struct source source = source_make(5);
    struct test_monitor *monitor = test_monitor_create();
    sidl_BaseInterface _ex = NULL;
    gov_cca_Component component = portolan_component_test_StreamProxy.create(&_ex);
    gov_cca_Port port = portolan_foreign_create(&source, "test.Stream", &_ex);
    portolan_ForeignPort foreign = portolan_ForeignPort__cast(component, &_ex);
    struct stream *face, *clone;

    bind_monitor(component, monitor, &_ex);
    bind_use(component, port, "stream", "test.Source", &_ex);
    assert_no_exception(&_ex);
    face = portolan_ForeignPort_getPointer(foreign, &_ex);
    clone = face->clone(face);
    clone->advance(clone, 1);
    assert_int_equal(records_of("advance", "test.Source").calls, 1);
    bind_monitor(component, NULL, &_ex);
    clone->advance(clone, 1);
    assert_int_equal(records_of("advance", "test.Source").calls, 1);
    portolan_ForeignPort_deleteRef(foreign, &_ex);
    gov_cca_Component_deleteRef(component, &_ex); /* the clone outlives it */
    clone->advance(clone, 1);
    assert_int_equal(clone->position, 8);
    clone->close(clone);
    gov_cca_Port_deleteRef(port, &_ex);
    sidl_object_release(monitor);
}

static void what_finds_no_place_is_handed_on_and_told(void **state)
{
    struct fixture *f = *state;
    struct stream *clones[PORTOLAN_PROXY_SLOTS];
    struct heard logged = {.area = "proxy"};

    portolan_log_set_handler(hear_log, &logged);
    for (int i = 0; i < PORTOLAN_PROXY_SLOTS - 1; i++)
        clones[i] = f->face->clone(f->face);
    assert_string_equal(logged.text, "");
    clones[PORTOLAN_PROXY_SLOTS - 1] = f->face->clone(f->face); /* the 17th object */
    assert_non_null(strstr(logged.text, "a test.Stream that a call handed out is not measured: "
                                        "16 objects"));
    portolan_log_set_handler(NULL, NULL);
    for (int i = 0; i < PORTOLAN_PROXY_SLOTS; i++) {
        clones[i]->advance(clones[i], 1);
        assert_int_equal(clones[i]->position, 6);
        clones[i]->close(clones[i]);
    }
    assert_int_equal(records_of("advance", NULL).calls, PORTOLAN_PROXY_SLOTS - 1);
}

enum { THREADS = 4, ROUNDS = 100 };

static void *work(void *face)
{
    struct stream *s = face;

    for (int i = 0; i < ROUNDS; i++) {
        struct stream *clone = s->clone(s);
        struct stream_file *file = NULL, *place = (struct stream_file *)&(struct file){0};
        char byte;

        clone->advance(clone, 1);
        s->find(s, "a", &file);
        file->methods->close(file);
        s->open(s, 2, place, NULL);
        place->methods->read(place, &byte, 1);
        clone->close(clone);
    }
    return NULL;
}

static void threads_may_take_and_end_objects_at_once(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, f->face), 0);
    for (int i = 0; i < 20; i++)
        portolan_control_apply(i % 2 ? "on in" : "off in", "test", NULL);
    portolan_control_apply("on in", "test", NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    work(f->face);
    assert_in_range(records_of("clone", NULL).calls, ROUNDS, (THREADS + 1) * ROUNDS);
    assert_int_equal(f->source.base.position, 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
UNIT_TESTS(TEST(data_between_functions_follows_both_sides),
           TEST(a_function_that_is_no_method_is_data),
           TEST(functions_of_a_struct_inside_are_methods),
           TEST(variadic_methods_are_forwarded_where_they_have_a_twin),
           TEST(links_and_names_are_the_face_s_own), TEST(other_objects_of_the_type_are_unwrapped),
           TEST(an_older_struct_is_not_read_beyond_its_end),
           TEST(a_clone_gets_a_face_that_ends_with_it),
           TEST(what_is_done_with_calls_holds_for_what_they_hand_out),
           TEST(an_object_that_returns_itself_returns_its_face),
           TEST(objects_in_the_caller_s_storage_are_measured_there),
           TEST(an_older_table_is_not_read_beyond_its_end),
           TEST(filters_in_the_caller_s_storage_keep_their_functions_apart),
           TEST(objects_handed_out_through_a_pointer_get_faces),
           TEST(an_object_handed_out_twice_has_one_face),
           TEST(in_a_framework_the_monitor_sees_what_calls_hand_out),
           TEST(what_finds_no_place_is_handed_on_and_told),
           TEST(threads_may_take_and_end_objects_at_once))
