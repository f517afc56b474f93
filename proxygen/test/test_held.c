/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that get another object and find their own in it, and cast it to what it is there. */
#include "records.h"

#include <string.h>

#include "test_Force_proxy.h"
#include "test_Sink_proxy.h"

struct text_sink {
    struct sink sink;
    char buffer[4];
    char text[40]; /* all that was written */
};

static int flush(struct writer *writer, int last)
{
    struct text_sink *s = (struct text_sink *)writer->sink;

    portolan_probe_clock_advance(3);
    memcpy(s->text + strlen(s->text), s->buffer, sizeof s->buffer - s->sink.room);
    s->sink.next = s->buffer;
    s->sink.room = sizeof s->buffer;
    return last;
}

/* Takes itself out. */
static void end(struct writer *writer)
{
    writer->sink = NULL;
}

static void put(struct writer *w, const char *text)
{
    for (; *text; text++) {
        if (w->sink->room == 0)
            w->sink->flush(w, 0);
        *w->sink->next++ = *text;
        w->sink->room--;
        w->bytes++;
    }
}

static int set_up(void **state)
{
    static struct text_sink s;

    s = (struct text_sink){.sink = {s.buffer, sizeof s.buffer, flush, end}};
    *state = &s;
    records_begin();
    return 0;
}

static void the_object_is_found_behind_the_face(void **state)
{
    struct text_sink *s = *state;
    struct sink *face = test_SinkProxy_wrap(&s->sink, "sink");
    struct writer w = {0, face};

    put(&w, "more than four");
    assert_int_equal(w.sink->flush(&w, 7), 7);
    assert_ptr_equal(w.sink, face);
    assert_string_equal(s->text, "more than four");
    assert_int_equal(face->room, sizeof s->buffer);
    assert_int_equal(records_of("flush", NULL).calls, 4);
    assert_int_equal(records_of("flush", NULL).inclusive_ns, 12);
    assert_ptr_equal(test_SinkProxy_unwrap(face), &s->sink);
}

static void what_the_call_leaves_in_its_place_stays(void **state)
{
    struct text_sink *s = *state;
    struct sink *face = test_SinkProxy_wrap(&s->sink, "sink");
    struct writer w = {0, face};

    w.sink->end(&w);
    assert_null(w.sink);
    test_SinkProxy_unwrap(face);
}

static void another_object_in_its_place_is_left_there(void **state)
{
    struct text_sink *s = *state, other = *s;
    struct sink *face = test_SinkProxy_wrap(&s->sink, "sink");
    struct writer w = {0, &other.sink};

    other.sink.next = other.buffer;
    put(&w, "abc");
    face->flush(&w, 1);
    assert_ptr_equal(w.sink, &other.sink);
    assert_string_equal(other.text, "abc");
    test_SinkProxy_unwrap(face);
}

struct spring {
    struct force force;
    int stiffness; /* behind what the header shows */
};

static int compute(struct particles *particles)
{
    return particles->n * ((struct spring *)particles->force)->stiffness;
}

static double range(struct force *force)
{
    return force->cutoff * 2;
}

static void one_function_gets_its_object_and_another_finds_it(void **state)
{
    struct spring s = {{2.5, compute, range}, 7};
    struct force *face = test_ForceProxy_wrap(&s.force, "force");
    struct particles p = {3, face};

    assert_int_equal(p.force->compute(&p), 21);
    assert_ptr_equal(p.force, face);
    assert_true(face->range(face) == 5);
    assert_int_equal(records_of("compute", NULL).calls, 1);
    assert_int_equal(records_of("range", NULL).calls, 1);
    assert_ptr_equal(test_ForceProxy_unwrap(face), &s.force);
}

UNIT_TESTS(cmocka_unit_test_setup(the_object_is_found_behind_the_face, set_up),
           cmocka_unit_test_setup(what_the_call_leaves_in_its_place_stays, set_up),
           cmocka_unit_test_setup(another_object_in_its_place_is_left_there, set_up),
           cmocka_unit_test_setup(one_function_gets_its_object_and_another_finds_it, set_up))
