/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: tasks that run ahead of the engine's time come out as tasks that never do. */
#include "script.h"

#include <portolan/stats.h>

enum { TASKS = 5, STEPS = 16 };

struct random_program {
    struct step steps[TASKS][STEPS + 2];
    uint64_t seed, drawn;
};

static int draw(struct random_program *p, int n)
{
    return (int)(portolan_draw_uniform(p->drawn++, p->seed) * n) % n;
}

static struct step random_step(struct random_program *p, int task)
{
    int other = (task + 1 + draw(p, TASKS - 1)) % TASKS;
    int from = draw(p, 3) ? other : CLUE_ANY, tag = draw(p, 4) ? draw(p, 2) : CLUE_ANY;
    static const uint64_t sizes[] = {1, 10, 1000, 3000};

    switch (draw(p, 13)) {
    case 0:
        return (struct step){COMPUTE, .a = draw(p, 4000)};
    case 1:
        return (struct step){SLEEP, .a = draw(p, 2000)};
    case 2:
        return (struct step){TEST};
    case 3:
        return (struct step){PROBE, from, tag, 0};
    case 4:
        return (struct step){draw(p, 2) ? WAIT_ANY : COMPUTE, .a = 100};
    case 5:
        return (struct step){RECV, from, tag};
    case 6:
    case 7:
        return (struct step){IRECV, from, tag};
    default:
        return (struct step){SEND, other, draw(p, 2), sizes[draw(p, 4)],
                             draw(p, 8) ? 0 : CLUE_SYNCHRONOUS};
    }
}

static void random_program(struct random_program *p, uint64_t seed)
{
    *p = (struct random_program){.seed = seed};
    for (int i = 0; i < TASKS; i++)
        for (int j = 0; j < STEPS; j++)
            p->steps[i][j] = random_step(p, i);
}

static void run(struct script *s, const struct random_program *p, struct small_machine *m,
                bool may_change, int *end, int64_t *paths)
{
    struct clue_engine_settings settings = {.may_change = may_change};

    *s = (struct script){.n = TASKS};
    for (int i = 0; i < TASKS; i++)
        s->actors[i] = (struct actor){.steps = p->steps[i], .host = i};
    *end = script_run(s, &m->machine, &settings);
    for (int i = 0; i < TASKS; i++)
        paths[i] = script_path_ns(s, i);
    script_clear(s);
}

/* Returns the number of programs that ended. */
static int compare(struct small_machine *m)
{
    static struct script a, b;
    static struct random_program p;
    int n_finished = 0, end_a, end_b;
    int64_t paths_a[TASKS], paths_b[TASKS];

    for (uint64_t seed = 1; seed <= 2000; seed++) {
        random_program(&p, seed);
        run(&a, &p, m, false, &end_a, paths_a);
        run(&b, &p, m, true, &end_b, paths_b);
        n_finished += end_a == CLUE_FINISHED;
        for (int i = 0; i < TASKS; i++)
            if (end_a != end_b || a.actors[i].at != b.actors[i].at ||
                memcmp(a.actors[i].clocks, b.actors[i].clocks, sizeof a.actors[i].clocks) != 0 ||
                memcmp(a.actors[i].values, b.actors[i].values, sizeof a.actors[i].values) != 0 ||
                a.actors[i].n_got != b.actors[i].n_got ||
                (end_a == CLUE_FINISHED && paths_a[i] != a.actors[i].clocks[STEPS - 1]) ||
                (end_b == CLUE_FINISHED && paths_b[i] != b.actors[i].clocks[STEPS - 1]))
                fail_msg("seed %d, task %d: step %d or before", (int)seed, i, a.actors[i].at);
    }
    return n_finished;
}

static void test_delays(void **state)
{
    struct small_machine m;

    small_machine(&m, TASKS);
    m.machine.eager_bytes = 2000;
    assert_true(compare(&m) > 100);
}

static void test_queues(void **state)
{
    struct clue_topology crossbar = {.kind = CLUE_CROSSBAR, .n_hosts = TASKS};
    struct clue_link links[2 * TASKS];
    struct small_machine m;

    small_machine(&m, TASKS);
    for (int i = 0; i < 2 * TASKS; i++)
        links[i] = (struct clue_link){"link", 1, 40};
    for (int i = 0; i < TASKS; i++)
        m.hosts[i].card_gap_ns = 90;
    m.machine.eager_bytes = 2000;
    m.machine.network = (struct clue_network){.model = CLUE_NETWORK_QUEUE,
                                              .links = links,
                                              .n_links = 2 * TASKS,
                                              .route = clue_topology_route,
                                              .topology = &crossbar};
    assert_true(compare(&m) > 100);
    m.machine.network.model = CLUE_NETWORK_FAIR;
    assert_true(compare(&m) > 100);
}

/* For each allocation that fails: the run fails, reports it, and frees all. */
static void test_no_memory(void **state)
{
    static const struct clue_background load = {
        .on = {CLUE_CONSTANT, 50}, .off = {CLUE_CONSTANT, 50}, .jobs = 1};
    struct clue_engine_settings settings = {.may_change = true};
    struct random_program p;
    struct small_machine m;
    unsigned long n = 1;
    int end;

    small_machine(&m, TASKS);
    m.machine.eager_bytes = 2000;
    m.machine.background = &load;
    m.machine.n_background = 1;
    random_program(&p, 12);
    do {
        static struct script s;

        s = (struct script){.n = TASKS};
        for (int i = 0; i < TASKS; i++)
            s.actors[i] = (struct actor){.steps = p.steps[i], .host = i};
        portolan_alloc_fail_at(n);
        end = script_run(&s, &m.machine, &settings);
        if (s.engine && end == CLUE_FAILED)
            assert_int_equal(clue_engine_error(s.engine)->status, PORTOLAN_ENOMEM);
        script_clear(&s);
        portolan_alloc_fail_at(0);
    } while (++n < 5000 && end == CLUE_FAILED);
    assert_true(n > 10 && end != CLUE_FAILED);
}

UNIT_TESTS(cmocka_unit_test(test_delays), cmocka_unit_test(test_queues),
           cmocka_unit_test(test_no_memory))
