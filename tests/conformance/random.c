/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random sequences of operations on one framework each, against a model that says of every
 * operation whether it succeeds or which CCAExceptionType refuses it (ANY where the specification
 * names none). CONFORMANCE_SEED (printed) and CONFORMANCE_SEQUENCES may be set; a failure prints
 * the number of its sequence, which CONFORMANCE_FIRST begins with.
 */
#include <inttypes.h>
#include <malloc.h>
#include <time.h>

#include "random_model.h"

enum { OPERATIONS = 80, WARM_UP = 50 };

static struct operation {
    const char *name;
    int weight;
    void (*run)(struct model *m);
    bool refusable;
    unsigned long done, refused; /* in all sequences */
} operations[] = {
    {"createInstance", 6, do_create, true, 0, 0},
    {"destroyInstance", 2, do_destroy, true, 0, 0},
    {"getServices", 2, do_image, true, 0, 0},
    {"replace", 4, do_replace, true, 0, 0},
    {"registerUsesPort", 10, do_register, true, 0, 0},
    {"addProvidesPort", 10, do_add, true, 0, 0},
    {"unregisterUsesPort", 4, do_unregister, true, 0, 0},
    {"removeProvidesPort", 4, do_remove, true, 0, 0},
    {"getPort", 10, do_get, true, 0, 0},
    {"getPortNonblocking", 3, do_poll, true, 0, 0},
    {"releasePort", 8, do_release, true, 0, 0},
    {"connect", 20, do_connect, true, 0, 0},
    {"disconnect", 8, do_disconnect, true, 0, 0},
    {"disconnectAll", 3, do_disconnect_all, true, 0, 0},
    {"events", 6, do_listen, false, 0, 0},
    {"questions", 2, do_compare, false, 0, 0},
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

static void operate(struct model *m)
{
    struct operation *o = operations;
    int total = 0, at;

    for (int i = 0; i < N_OPERATIONS; i++)
        total += operations[i].weight;
    at = (int)random_number(m, (uint32_t)total);
    while (at >= o->weight)
        at -= (o++)->weight;
    journal[0] = '\0';
    m->done = m->refused = 0;
    o->run(m);
    o->done += m->done;
    o->refused += m->refused;
    if (strstr(journal, "release-failed"))
        model_fail(m, "a component could not release its ports when it was destroyed");
}

/* Each operation has been done and, where it can be, refused: the sequences are worth their name.
 */
static void report(uint64_t n)
{
    for (int i = 0; i < N_OPERATIONS; i++) {
        const struct operation *o = &operations[i];

        print_message("%-20s %8lu done %8lu refused\n", o->name, o->done, o->refused);
        if (n < 1000 || (o->run == do_replace && !conformance_extras.replace))
            continue;
        assert_true(o->done > 0);
        assert_true(!o->refusable || o->refused > 0);
    }
}

/* -- sequences -- */

static void forget_all(struct model *m)
{
    for (int i = 0; i < COMPONENTS; i++) {
        drop(m->components[i].id);
        drop(m->components[i].listener);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        drop(m->connections[i].id);
}

static void sequence(gov_cca_AbstractFramework maker, uint64_t seed, unsigned long number)
{
    static struct model m;
    struct world w = {0};

    parts_reset();
    memset(&m, 0, sizeof m);
    m.w = &w;
    m.state = seed + number * 0x632be59bd9b4e019U;
    m.replacing = -1;
    model_log(&m, "seed %" PRIu64 ", sequence %lu\n", seed, number);
    behaviour = (struct behaviour){.begin = model_begin_part, .end = model_end_part, .arg = &m};
    model_running = &m;
    on_event = model_hear;
    w.fw = gov_cca_AbstractFramework_createEmptyFramework(maker, &w.ex);
    good(&w);
    world_enter(&w);
    for (int i = 0; i < OPERATIONS; i++)
        operate(&m);
    model_log(&m, "end\n");
    model_compare(&m);
    for (int i = 0; i < COMPONENTS; i++)
        if (m.components[i].services)
            end_image(&m, i);
    forget_all(&m);
    if (!world_leave(&w))
        model_fail(&m, "something is left behind");
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* What the heap holds at present; 0 where nobody can tell. */
static size_t heap_bytes(void)
{
    return mallinfo2().uordblks;
}

static void sequences_end_as_predicted_and_leave_nothing_behind(void **state)
{
    uint64_t seed = setting("CONFORMANCE_SEED", (uint64_t)time(NULL));
    uint64_t n = setting("CONFORMANCE_SEQUENCES", 10000), first = setting("CONFORMANCE_FIRST", 0);
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework maker = conformance_framework(&ex);
    size_t before = 0, after;

    (void)state;
    assert_null(ex);
    print_message("CONFORMANCE_SEED=%" PRIu64 "\n", seed);
    for (uint64_t i = 0; i < n; i++) {
        if (i == WARM_UP)
            before = heap_bytes();
        sequence(maker, seed, (unsigned long)(first + i));
    }
    after = heap_bytes();
    if (n > WARM_UP && getenv("CONFORMANCE_EXACT_HEAP"))
        assert_int_equal(after, before);
    report(n);
    gov_cca_AbstractFramework_shutdownFramework(maker, &ex);
    assert_null(ex);
    drop(maker);
    conformance_framework_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_end_as_predicted_and_leave_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
