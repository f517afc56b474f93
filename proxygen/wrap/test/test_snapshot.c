/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of what a process has written, also of what it has spoilt. */
#include <unit_test.h>

#include "../internal.h"

enum { HANDLE = PORTOLAN_PROBE_HANDLE_OWN + 1 };

static struct wrap_process process;
static struct portolan_probe_snapshot snapshot;

static void write_entry(unsigned kind, const void *head, size_t head_bytes,
                        const char *const *texts, size_t n)
{
    struct wrap_area *a = process.area;
    char *entry = (char *)a->log + a->log_bytes, *to = entry + sizeof(struct wrap_entry);

    if (head_bytes)
        memcpy(to, head, head_bytes);
    to += head_bytes;
    for (size_t i = 0; i < n; i++)
        to = stpcpy(to, texts[i]) + 1;
    memcpy(entry, &(struct wrap_entry){kind, (uint32_t)((size_t)(to - entry) + 7) & ~7U},
           sizeof(struct wrap_entry));
    a->log_bytes += ((size_t)(to - entry) + 7) & ~(size_t)7;
}

static void write_method(uint32_t handle, const char *name, unsigned n_context)
{
    const struct wrap_method m = {.handle = handle, .n_context = n_context};
    const char *const texts[] = {"program", "calc", "calc", "calc", "libone", "calc", name, "n"};

    write_entry(WRAP_METHOD, &m, sizeof m, texts, 8);
}

static int begin(void **state)
{
    process = (struct wrap_process){.area = calloc(1, sizeof(struct wrap_area))};
    snapshot = (struct portolan_probe_snapshot){0};
    if (!process.area)
        return 1;
    process.area->reading = WRAP_NOBODY;
    process.area->began_ns = 1000;
    write_method(HANDLE, "sum", 1);
    wrap_log_read(&process);
    return 0;
}

static int end(void **state)
{
    free(process.area);
    portolan_facts_clear(&process.objects);
    portolan_probe_snapshot_clear(&snapshot);
    portolan_arena_clear(&process.arena);
    return 0;
}

static void publish(const struct portolan_probe_record *records, size_t n, double now_ns)
{
    struct wrap_slot *slot = &process.area->slots[1];

    memcpy(slot->records, records, n * sizeof *records);
    slot->count = n;
    slot->now_ns = now_ns;
    process.area->published = ((process.area->published >> 2) + 1) << 2 | 1;
}

static struct portolan_probe_record root(uint32_t thread, bool is_idle)
{
    return (struct portolan_probe_record){
        .id = (uint64_t)thread << 32, .thread = thread, .parent = -1, .is_idle = is_idle};
}

static struct portolan_probe_record call(uint32_t thread, int64_t parent, double inclusive_ns)
{
    return (struct portolan_probe_record){.id = (uint64_t)thread << 32 | 1,
                                          .thread = thread,
                                          .handle = HANDLE,
                                          .parent = parent,
                                          .n_context = 1,
                                          .calls = 2,
                                          .inclusive_ns = inclusive_ns,
                                          .exclusive_ns = inclusive_ns};
}

static enum portolan_status take(void)
{
    return wrap_snapshot_take(&process, &snapshot, NULL);
}

static void calls_are_the_programs(void **state)
{
    const struct portolan_probe_record records[] = {root(0, true), call(0, 0, 300)};

    publish(records, 2, 2000);
    assert_int_equal(take(), PORTOLAN_OK);
    assert_int_equal(snapshot.count, 3);
    assert_int_equal(snapshot.records[1].handle, WRAP_HANDLE_MAIN);
    assert_int_equal(snapshot.records[1].parent, 0);
    assert_int_equal(snapshot.records[2].parent, 1);
    assert_float_equal(snapshot.records[1].inclusive_ns, 1000, 0);
    assert_float_equal(snapshot.records[1].exclusive_ns, 700, 0);
}

static void a_running_call_puts_the_programs_own_time_off(void **state)
{
    struct portolan_probe_record records[] = {root(0, true), call(0, 0, 300)};

    publish(records, 2, 2000);
    assert_int_equal(take(), PORTOLAN_OK);
    records[0].is_idle = false; /* in a call that began any time ago */
    publish(records, 2, 5000);
    assert_int_equal(take(), PORTOLAN_OK);
    assert_float_equal(snapshot.records[1].exclusive_ns, 700, 0);
    records[0].is_idle = true;
    records[1].inclusive_ns = 3300;
    publish(records, 2, 6000);
    assert_int_equal(take(), PORTOLAN_OK);
    assert_float_equal(snapshot.records[1].exclusive_ns, 1700, 0);
    assert_float_equal(snapshot.records[1].inclusive_ns, 5000, 0);
}

static void other_threads_have_the_time_of_their_calls(void **state)
{
    const struct portolan_probe_record records[] = {root(0, true), root(1, true), call(1, 1, 50)};

    publish(records, 3, 2000);
    assert_int_equal(take(), PORTOLAN_OK);
    assert_int_equal(snapshot.count, 5);
    assert_int_equal(snapshot.records[3].handle, WRAP_HANDLE_THREAD);
    assert_int_equal(snapshot.records[3].parent, 2);
    assert_int_equal(snapshot.records[4].parent, 3);
    assert_float_equal(snapshot.records[3].inclusive_ns, 50, 0);
    assert_float_equal(snapshot.records[3].exclusive_ns, 0, 0);
}

static void own_work_stays_outside_the_program(void **state)
{
    struct portolan_probe_record records[] = {root(0, true), call(0, 0, 40)};

    records[1].handle = PORTOLAN_PROBE_HANDLE_OWN;
    records[1].n_context = 0;
    publish(records, 2, 2000);
    assert_int_equal(take(), PORTOLAN_OK);
    assert_int_equal(snapshot.records[2].parent, 0);
    assert_float_equal(snapshot.records[1].exclusive_ns, 1000, 0);
}

static void a_slot_is_let_go_after_reading(void **state)
{
    const struct portolan_probe_record records[] = {root(0, true)};

    publish(records, 1, 2000);
    assert_int_equal(take(), PORTOLAN_OK);
    assert_true(process.area->reading == WRAP_NOBODY);
    assert_int_equal(process.number, 1);
}

static void spoilt_records_are_refused(void **state)
{
    struct portolan_probe_record records[] = {root(0, true), call(0, 7, 300)};

    publish(records, 2, 2000);
    assert_int_equal(take(), PORTOLAN_EINTERNAL);
    records[1] = call(0, 0, 300);
    records[1].n_context = 3; /* the method has one */
    publish(records, 2, 2000);
    assert_int_equal(take(), PORTOLAN_EINTERNAL);
    process.area->slots[1].count = UINT64_MAX;
    assert_int_equal(take(), PORTOLAN_EINTERNAL);
    process.area->published |= 3;
    assert_int_equal(take(), PORTOLAN_EINTERNAL);
    assert_int_equal(snapshot.count, 0);
}

static void the_log_names_methods_in_order(void **state)
{
    const struct portolan_probe_method_info *m;

    write_method(HANDLE + 1, "apply", 0);
    write_method(HANDLE + 7, "out of order", 0);
    wrap_log_read(&process);
    assert_int_equal(process.n_methods, 2);
    m = wrap_method_peek(&process, HANDLE);
    assert_string_equal(m->method.name, "sum");
    assert_string_equal(m->method.context[0], "n");
    assert_string_equal(m->connection.provider_class, "libone");
    assert_string_equal(wrap_method_peek(&process, HANDLE + 1)->method.name, "apply");
    assert_string_equal(wrap_method_peek(&process, HANDLE + 2)->method.name, "?");
}

static void a_spoilt_log_ends_where_it_is_spoilt(void **state)
{
    const char *const note[] = {"a note"};
    struct wrap_entry broken = {WRAP_NOTE, 1U << 30};

    write_entry(WRAP_NOTE, NULL, 0, note, 1);
    memcpy((char *)process.area->log + process.area->log_bytes, &broken, sizeof broken);
    process.area->log_bytes += 64;
    wrap_log_read(&process);
    assert_int_equal(process.n_notes, 1);
    assert_string_equal(process.notes[0], "a note");
    process.area->log_bytes = UINT64_MAX;
    wrap_log_read(&process);
    assert_int_equal(process.n_notes, 1);
}

static void switches_are_kept_with_their_step(void **state)
{
    const char *const texts[] = {"calc", "libone", "libtwo", "done"};

    process.recorder.step = 4;
    write_entry(WRAP_SWITCH, NULL, 0, texts, 4);
    wrap_log_read(&process);
    assert_int_equal(process.n_swaps, 1);
    assert_int_equal(process.swaps[0].step, 4);
    assert_string_equal(process.swaps[0].from, "libone");
    assert_string_equal(process.swaps[0].to, "libtwo");
}

UNIT_TESTS(cmocka_unit_test_setup_teardown(calls_are_the_programs, begin, end),
           cmocka_unit_test_setup_teardown(a_running_call_puts_the_programs_own_time_off, begin,
                                           end),
           cmocka_unit_test_setup_teardown(other_threads_have_the_time_of_their_calls, begin, end),
           cmocka_unit_test_setup_teardown(own_work_stays_outside_the_program, begin, end),
           cmocka_unit_test_setup_teardown(a_slot_is_let_go_after_reading, begin, end),
           cmocka_unit_test_setup_teardown(spoilt_records_are_refused, begin, end),
           cmocka_unit_test_setup_teardown(the_log_names_methods_in_order, begin, end),
           cmocka_unit_test_setup_teardown(a_spoilt_log_ends_where_it_is_spoilt, begin, end),
           cmocka_unit_test_setup_teardown(switches_are_kept_with_their_step, begin, end))
