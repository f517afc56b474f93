/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests delays, and which message a receive takes. Times are sums of the machine's delays. */
#include "script.h"

static const struct clue_engine_settings plain;

static void test_delays(void **state)
{
    static const struct step a[] = {{COMPUTE, .a = 500}, {SEND, 1, 3, 50}, {RECV, 1, 4}, {END}};
    static const struct step b[] = {{RECV, 0, 3}, {SEND, 0, 4, 10}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    m.hosts[0].factor = 2;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[0], 1000);
    assert_int_equal(s.actors[0].clocks[1], 1150);
    assert_int_equal(s.actors[1].clocks[0], 1150 + 1100 + 10);
    assert_int_equal(s.actors[1].clocks[1], 2260 + 110);
    assert_int_equal(s.actors[0].clocks[2], 2370 + 1020 + 10);
    assert_int_equal(s.sums.end_ns, 3400);
    assert_int_equal(script_path_ns(&s, 0), 3400);
    assert_int_equal(s.actors[1].got[0], 'A');
    script_clear(&s);
}

static void test_wildcards_take_the_earliest(void **state)
{
    /* Task 2's message is sent later than task 1's, but arrives first. */
    static const struct step a[] = {{RECV, CLUE_ANY, 3}, {RECV, CLUE_ANY, 3}, {END}};
    static const struct step b[] = {{SEND, 0, 3, 4000}, {END}};
    static const struct step c[] = {{COMPUTE, .a = 2000}, {SEND, 0, 3, 0}, {END}};
    struct script s = {.n = 3,
                       .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = c, .host = 2}}};
    struct clue_engine_settings arrived = {.takes_arrived = true};
    struct small_machine m;

    small_machine(&m, 3);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].values[0], 2);
    assert_int_equal(s.actors[0].clocks[0], 3110);
    assert_int_equal(s.actors[0].values[1], 1);
    assert_int_equal(s.actors[0].clocks[1], 4100 + 9000 + 10);
    assert_int_equal(s.sums.n_wildcards, 2);
    script_clear(&s);
    s = (struct script){.n = 3,
                        .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = c, .host = 2}}};
    assert_int_equal(script_run(&s, &m.machine, &arrived), CLUE_FINISHED);
    assert_int_equal(s.actors[0].values[0], 1);
    script_clear(&s);
}

static void test_no_overtaking(void **state)
{
    static const struct step a[] = {{SEND, 1, 3, 4000}, {SEND, 1, 3, 0}, {END}};
    static const struct step b[] = {{RECV, CLUE_ANY, CLUE_ANY}, {RECV, 0, 3}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 13110);
    assert_int_equal(s.actors[1].clocks[1], 13120);
    script_clear(&s);
}

static void test_probe_and_test(void **state)
{
    static const struct step a[] = {{SEND, 1, 3, 0}, {END}}; /* it arrives at 1100 */
    static const struct step b[] = {
        {PROBE, CLUE_ANY, 3, 0}, {SLEEP, .a = 1000},     {PROBE, 0, 3, 0}, {SLEEP, .a = 80},
        {PROBE, 0, 4, 0},        {TAKE, CLUE_ANY, 3, 0}, {WAIT},           {END}};
    static const struct step c[] = {{IRECV, 0, 3}, {TEST}, {SLEEP, .a = 1079}, {TEST}, {TEST},
                                    {TEST},        {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].values[0], -9);
    assert_int_equal(s.actors[1].values[2], -9); /* at 1010 */
    assert_int_equal(s.actors[1].clocks[2], 1020);
    assert_int_equal(s.actors[1].values[4], -9);
    assert_int_equal(s.actors[1].values[5], 0); /* at 1110 */
    assert_int_equal(s.actors[1].clocks[5], 1120);
    assert_int_equal(s.actors[1].clocks[6], 1130);
    assert_int_equal(s.actors[1].got[0], '-');
    script_clear(&s);
    s = (struct script){.n = 2, .actors = {{.steps = a}, {.steps = c, .host = 1}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].values[1], 1); /* not at 0 */
    assert_int_equal(s.actors[1].values[3], 1); /* nor at 1089 */
    assert_int_equal(s.actors[1].clocks[3], 1099);
    assert_int_equal(s.actors[1].values[4], 1); /* nor at 1099 */
    assert_int_equal(s.actors[1].values[5], 0);
    assert_int_equal(s.actors[1].clocks[5], 1119);
    script_clear(&s);
}

static void test_waiting_probe(void **state)
{
    static const struct step a[] = {{SEND, 1, 3, 0}, {SEND, 1, 5, 0}, {END}};
    static const struct step b[] = {
        {PROBE, CLUE_ANY, 5, 1}, {TAKE, 0, 5, 1}, {RECV, 0, 3}, {WAIT}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 1210);
    assert_int_equal(s.actors[1].clocks[1], 1220);
    assert_int_equal(s.actors[1].clocks[2], 1230);
    assert_int_equal(s.actors[1].clocks[3], 1240);
    script_clear(&s);
}

static void test_polls_without_cost_end(void **state)
{
    static const struct step a[] = {{COMPUTE, .a = 700}, {SEND, 1, 3, 0}, {END}};
    static const struct step b[] = {{IRECV, 0, 3}, {TEST}, {TEST}, {TEST}, {TEST}, {TEST}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;
    int i = 1;

    small_machine(&m, 2);
    m.hosts[1].receive.constant_ns = 0;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    while (i < 5 && s.actors[1].values[i] == 1)
        i++;
    assert_int_equal(s.actors[1].values[i], 0);
    assert_int_equal(s.actors[1].clocks[i], 1800);
    script_clear(&s);
}

/* No task can do anything before the one that polls sends; one that only polls waits for ever. */
static void test_polls_in_vain(void **state)
{
    static const struct step a[] = {{PROBE, 1, 3}, {PROBE, 1, 3}, {IRECV, 1, 3}, {TEST},
                                    {TEST},        {SEND, 1, 3},  {WAIT},        {END}};
    static const struct step b[] = {{RECV, 0, 3}, {SEND, 0, 3}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct clue_engine *e;
    struct small_machine m;
    enum clue_progress progress;
    bool is_found;
    int n = 0;

    small_machine(&m, 2);
    m.hosts[0].receive.constant_ns = 0;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].values[1], -9);
    assert_int_equal(s.actors[0].values[4], 1);
    assert_int_equal(s.actors[0].clocks[4], 0);
    script_clear(&s);
    e = clue_engine_new(&m.machine, &plain);
    assert_int_equal(clue_engine_add(e, 0, 0), 0);
    assert_int_equal(clue_engine_next(e), 0);
    do {
        progress = clue_engine_probe(e, 0, &(struct clue_receive){.from = CLUE_ANY}, false,
                                     &is_found, &(struct clue_message){0}, NULL);
        n++;
    } while (progress == CLUE_DONE && n < 1000000);
    assert_int_equal(progress, CLUE_WAITS);
    assert_int_equal(clue_engine_next(e), CLUE_DEADLOCK);
    clue_engine_free(e);
}

static void test_rendezvous(void **state)
{
    /* Above the eager limit the transmission begins when both sides are there. */
    static const struct step a[] = {{SEND, 1, 3, 100}, {WAIT}, {END}};
    static const struct step b[] = {{COMPUTE, .a = 5000}, {RECV, 0, 3}, {END}};
    static const struct step c[] = {{RECV, CLUE_ANY, 3}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    m.machine.eager_bytes = 99;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[0], 200);
    assert_int_equal(s.actors[0].clocks[1], 6200);
    assert_int_equal(s.actors[1].clocks[1], 6210);
    assert_int_equal(script_path_ns(&s, 0), 6200);
    assert_int_equal(script_path_ns(&s, 1), 6210);
    script_clear(&s);
    s = (struct script){.n = 2, .actors = {{.steps = a}, {.steps = c, .host = 1}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[0], 200 + 1200 + 10);
    script_clear(&s);
}

static void test_copies_of_the_receiver(void **state)
{
    /* An envelope takes 1000, the copy of 100 bytes 200 and of 10000 bytes 20000. */
    static const struct step two[] = {{SEND, 1, 3, 100}, {SEND, 1, 3, 100}, {WAIT}, {END}};
    static const struct step late[] = {
        {IRECV, 0, 3}, {IRECV, 0, 3}, {SLEEP, .a = 5000}, {WAIT}, {END}};
    static const struct step one[] = {{SEND, 1, 3, 100}, {WAIT}, {END}};
    static const struct step polls[] = {{IRECV, 0, 3}, {SLEEP, .a = 5000}, {TEST}, {END}};
    static const struct step ends[] = {{IRECV, 0, 3}, {END}};
    static const struct step then_small[] = {{SEND, 1, 3, 10000}, {SEND, 1, 4, 0}, {WAIT}, {END}};
    static const struct step other_first[] = {{IRECV, 0, 3}, {RECV, 0, 4}, {WAIT}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = two}, {.steps = late}}};
    struct small_machine m;

    small_machine(&m, 1);
    m.machine.eager_bytes = 99;
    m.hosts[0].receiver_copies = true;
    /* They are copied one after the other, and not before the receiver waits. */
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[2], 5400);
    assert_int_equal(s.actors[1].clocks[3], 5410);
    script_clear(&s);
    s = (struct script){.n = 2, .actors = {{.steps = one}, {.steps = polls}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].values[2], 0);
    assert_int_equal(s.actors[1].clocks[2], 5210);
    script_clear(&s);
    s = (struct script){.n = 2, .actors = {{.steps = one}, {.steps = ends}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[1], 1400);
    script_clear(&s);
    /* Any call that waits copies, and does not return before it has. */
    s = (struct script){.n = 2, .actors = {{.steps = then_small}, {.steps = other_first}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[1], 10100 + 1000 + 20000);
    assert_int_equal(s.actors[1].clocks[2], 31110);
    assert_int_equal(s.actors[0].clocks[2], 31100);
    script_clear(&s);
    /* Between hosts the network moves them. */
    small_machine(&m, 2);
    m.machine.eager_bytes = 99;
    m.hosts[0].receiver_copies = m.hosts[1].receiver_copies = true;
    s = (struct script){.n = 2, .actors = {{.steps = two}, {.steps = late, .host = 1}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[2], 1600);
    script_clear(&s);
}

static void test_deadlock_and_cancel(void **state)
{
    static const struct step a[] = {{RECV, 1, 3}, {END}};
    static const struct step b[] = {{RECV, 0, 9}, {END}};
    static const struct step c[] = {{IRECV, CLUE_ANY, 9}, {CANCEL}, {WAIT}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct clue_state waits;
    struct small_machine m;

    small_machine(&m, 2);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_DEADLOCK);
    clue_engine_state(s.engine, 1, &waits);
    assert_int_equal(waits.operation, CLUE_WAITS_FOR);
    assert_int_equal(waits.partner, 0);
    assert_int_equal(waits.tag, 9);
    script_clear(&s);
    s = (struct script){.n = 1, .actors = {{.steps = c}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].values[1], 1);
    assert_int_equal(s.actors[0].clocks[2], 0);
    script_clear(&s);
}

/* Sanitizers show whether its data, of which malloc() has the block, are leaked. */
static void test_taken_and_not_received(void **state)
{
    static const struct step a[] = {{SEND, 1, 3, 100000}, {END}};
    static const struct step b[] = {{KEEP, 0, 3, 1}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = a}, {.steps = b, .host = 1}}};
    struct small_machine m;

    small_machine(&m, 2);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].values[0], 0);
    assert_int_equal(s.actors[1].n_got, 0);
    script_clear(&s);
}

static void test_meetings(void **state)
{
    static const struct step a[] = {{COMPUTE, .a = 500},
                                    {MEET, CLUE_MEET_AT_ROOT, 1, 5},
                                    {MEET, CLUE_MEET_OF_ROOT, 2, 5},
                                    {MEET, CLUE_MEET_ALL, 3, 5},
                                    {END}};
    static const struct step b[] = {{COMPUTE, .a = 800},
                                    {MEET, CLUE_MEET_AT_ROOT, 1, 5},
                                    {MEET, CLUE_MEET_OF_ROOT, 2, 5},
                                    {MEET, CLUE_MEET_ALL, 3, 5},
                                    {END}};
    static const struct step c[] = {{MEET, CLUE_MEET_AT_ROOT, 1, 5},
                                    {MEET, CLUE_MEET_OF_ROOT, 2, 5},
                                    {MEET, CLUE_MEET_ALL, 3, 5},
                                    {END}};
    struct script s = {.n = 3, .actors = {{.steps = a}, {.steps = b}, {.steps = c}}};
    struct small_machine m;

    small_machine(&m, 1);
    m.hosts[0].cpus = 3;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].clocks[1], 805);
    assert_int_equal(s.actors[0].clocks[2], 810);
    assert_int_equal(s.actors[2].clocks[0], 5);
    assert_int_equal(s.actors[2].clocks[1], 810);
    assert_int_equal(s.actors[1].clocks[2], 810);
    assert_int_equal(s.actors[2].clocks[2], 815);
    script_clear(&s);
}

static void test_waits_for_any(void **state)
{
    static const struct step a[] = {{IRECV, 1, 3}, {IRECV, 2, 3}, {WAIT_ANY}, {WAIT}, {END}};
    static const struct step b[] = {{SEND, 0, 3, 4000}, {END}};
    static const struct step c[] = {{COMPUTE, .a = 2000}, {SEND, 0, 3, 0}, {END}};
    struct script s = {.n = 3,
                       .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = c, .host = 2}}};
    struct small_machine m;

    small_machine(&m, 3);
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].values[2], 1);
    assert_int_equal(s.actors[0].clocks[2], 3110);
    assert_int_equal(s.actors[0].clocks[3], 13110);
    script_clear(&s);
}

static void test_standing_receive(void **state)
{
    /* Task 0 computes while messages reach it, in the order of their arrival. */
    static const struct step a[] = {
        {IRECV, CLUE_ANY, 3, 0, CLUE_STANDING}, {COMPUTE, .a = 90000}, {CANCEL}, {END}};
    static const struct step b[] = {{SEND, 0, 3, 4000}, {WAIT}, {END}};
    static const struct step c[] = {
        {COMPUTE, .a = 2000}, {SEND, 0, 3, 1}, {SEND, 0, 3, 2, CLUE_SYNCHRONOUS}, {WAIT}, {END}};
    struct script s = {.n = 3,
                       .actors = {{.steps = a}, {.steps = b, .host = 1}, {.steps = c, .host = 2}}};
    struct small_machine m;

    small_machine(&m, 3);
    m.machine.eager_bytes = 1000;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].n_got, 3);
    assert_memory_equal(s.actors[0].got, "CCB", 3);
    assert_int_equal(s.actors[1].clocks[1], 4100 + 9000);
    assert_int_equal(s.actors[2].clocks[3], 2000 + 101 + 102 + 1004);
    assert_int_equal(s.sums.n_wildcards, 0);
    script_clear(&s);
}

/* Within a host whose receivers copy they wait for a call of task 0 that lasts, or its end; answers
 * do not. */
static void test_accesses_wait_for_a_call(void **state)
{
    static const struct step waits[] = {
        {IRECV, CLUE_ANY, 3, 0, CLUE_STANDING}, {SLEEP, .a = 5000}, {RECV, 1, 4}, {CANCEL}, {END}};
    static const struct step ends[] = {
        {IRECV, CLUE_ANY, 3, 0, CLUE_STANDING}, {SLEEP, .a = 6000}, {END}};
    static const struct step two[] = {{SEND, 0, 3, 1, CLUE_SYNCHRONOUS},
                                      {SEND, 0, 3, 2, CLUE_SYNCHRONOUS},
                                      {WAIT},
                                      {SEND, 0, 4, 1},
                                      {END}};
    static const struct step answers[] = {
        {SEND, 0, 3, 1, CLUE_SYNCHRONOUS | CLUE_ANSWER}, {WAIT}, {END}};
    struct script s = {.n = 2, .actors = {{.steps = waits}, {.steps = two}}};
    struct small_machine m;

    small_machine(&m, 1);
    m.hosts[0].receiver_copies = true;
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[0].n_got, 3);
    assert_int_equal(s.actors[1].clocks[2], 5000);
    script_clear(&s);
    s = (struct script){.n = 2, .actors = {{.steps = ends}, {.steps = two}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_int_equal(s.actors[1].clocks[2], 6000);
    script_clear(&s);
    s = (struct script){.n = 2, .actors = {{.steps = ends}, {.steps = answers}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_true(s.actors[1].clocks[1] < 3000);
    script_clear(&s);
    m.hosts[0].receiver_copies = false;
    s = (struct script){.n = 2, .actors = {{.steps = ends}, {.steps = two}}};
    assert_int_equal(script_run(&s, &m.machine, &plain), CLUE_FINISHED);
    assert_true(s.actors[1].clocks[2] < 3000);
    script_clear(&s);
}

UNIT_TESTS(cmocka_unit_test(test_delays), cmocka_unit_test(test_wildcards_take_the_earliest),
           cmocka_unit_test(test_no_overtaking), cmocka_unit_test(test_probe_and_test),
           cmocka_unit_test(test_waiting_probe), cmocka_unit_test(test_polls_without_cost_end),
           cmocka_unit_test(test_polls_in_vain), cmocka_unit_test(test_rendezvous),
           cmocka_unit_test(test_copies_of_the_receiver),
           cmocka_unit_test(test_deadlock_and_cancel), cmocka_unit_test(test_meetings),
           cmocka_unit_test(test_waits_for_any), cmocka_unit_test(test_standing_receive),
           cmocka_unit_test(test_accesses_wait_for_a_call),
           cmocka_unit_test(test_taken_and_not_received))
