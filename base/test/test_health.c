/* SPDX-License-Identifier: BSD-3-Clause */
/* Judgements on machines that are described here, not on the one that this runs on. */
#include <unit_test.h>

#include <portolan/health.h>

/* The last finding is in STATE, and its texts have the words in them. */
static void finds(const struct portolan_health *h, enum portolan_health_state state,
                  const char *found, const char *remedy)
{
    const struct portolan_finding *f = &h->findings[h->n - 1];

    assert_true(h->n > 0);
    assert_int_equal(f->state, state);
    if (!strstr(f->found, found))
        fail_msg("%s: '%s', not '%s'", f->name, f->found, found);
    if (remedy && !strstr(f->remedy, remedy))
        fail_msg("%s: '%s', not '%s'", f->name, f->remedy, remedy);
    if (!remedy)
        assert_null(f->remedy);
}

static void each_rank_needs_a_core(void **state)
{
    struct portolan_health h = {.n_cores = 4, .n_ranks = 4};

    portolan_health_examine_cores(&h);
    finds(&h, PORTOLAN_HEALTH_FINE, "4 for 4 ranks", NULL);
    h.n_ranks = 0;
    portolan_health_examine_cores(&h);
    finds(&h, PORTOLAN_HEALTH_FINE, "4", NULL);
    h.n_ranks = 5;
    portolan_health_examine_cores(&h);
    finds(&h, PORTOLAN_HEALTH_NOTE, "4 for 5 ranks", "at most 4 ranks");
    assert_int_equal(h.n_lacks, 0);
    portolan_arena_clear(&h.arena);
}

static void threads_of_all_ranks_need_cores(void **state)
{
    struct portolan_health h = {.n_cores = 8, .n_ranks = 2};

    portolan_health_examine_threads(&h, "4", NULL, 0);
    finds(&h, PORTOLAN_HEALTH_FINE, "OMP_NUM_THREADS is 4", NULL);
    portolan_health_examine_threads(&h, NULL, NULL, 0); /* OpenMP takes all cores */
    finds(&h, PORTOLAN_HEALTH_NOTE, "OMP_NUM_THREADS is not set", "OMP_NUM_THREADS=4");
    assert_non_null(strstr(h.findings[h.n - 1].costs, "8 threads in each rank"));
    portolan_health_examine_threads(&h, "1", "OpenBLAS", 5);
    finds(&h, PORTOLAN_HEALTH_NOTE, "OMP_NUM_THREADS is 1; OpenBLAS has 5 of its own", "=4");
    h.n_ranks = 20;
    portolan_health_examine_threads(&h, "1", NULL, 0); /* a matter of "cores" */
    finds(&h, PORTOLAN_HEALTH_FINE, "OMP_NUM_THREADS is 1", NULL);
    portolan_health_examine_threads(&h, "2", NULL, 0);
    finds(&h, PORTOLAN_HEALTH_NOTE, "OMP_NUM_THREADS is 2", "OMP_NUM_THREADS=1");
    portolan_arena_clear(&h.arena);
}

static void counters_may_be_absent_or_restricted(void **state)
{
    struct portolan_health h = {0};

    portolan_health_examine_counters(&h, "hardware counters: available");
    finds(&h, PORTOLAN_HEALTH_FINE, "available", NULL);
    portolan_health_examine_counters(&h, "hardware counters: available (user mode only)");
    finds(&h, PORTOLAN_HEALTH_NOTE, "user mode only", "perf_event_paranoid=1");
    portolan_health_examine_counters(&h, "hardware counters: none (user mode only)");
    finds(&h, PORTOLAN_HEALTH_NOTE, "none", "build with PAPI");
    portolan_arena_clear(&h.arena);
}

static void a_folder_must_be_there(void **state)
{
    struct portolan_health h = {0};

    portolan_health_examine_folder(&h, "/nonexistent/folder");
    finds(&h, PORTOLAN_HEALTH_LACK, "'/nonexistent/folder' cannot be written: No such file",
          "--store");
    assert_int_equal(h.n_lacks, 1);
    portolan_health_examine_folder(&h, "/tmp");
    assert_true(h.findings[1].state != PORTOLAN_HEALTH_LACK);
    assert_non_null(strstr(h.findings[1].found, "'/tmp' has room, "));
    portolan_arena_clear(&h.arena);
}

static void a_command_that_fails_says_why(void **state)
{
    struct portolan_health h = {0};

    portolan_health_add_command(&h, "x", (const char *const[]){"true", NULL}, "it works",
                                PORTOLAN_HEALTH_NOTE, "costs", "remedy");
    finds(&h, PORTOLAN_HEALTH_FINE, "it works", NULL);
    portolan_health_add_command(
        &h, "x", (const char *const[]){"sh", "-c", "echo first; echo second; exit 1", NULL},
        "it works", PORTOLAN_HEALTH_LACK, "costs", "remedy");
    finds(&h, PORTOLAN_HEALTH_LACK, "sh: first", "remedy");
    assert_null(strstr(h.findings[1].found, "second"));
    portolan_health_add_command(&h, "x", (const char *const[]){"/nonexistent/program", NULL},
                                "it works", PORTOLAN_HEALTH_NOTE, "costs", "remedy");
    finds(&h, PORTOLAN_HEALTH_NOTE, "/nonexistent/program", "remedy");
    portolan_arena_clear(&h.arena);
}

static void findings_are_lines_or_json(void **state)
{
    struct portolan_health h = {.n_cores = 1, .n_ranks = 2};
    struct portolan_text text = {0}, json = {0};
    const struct portolan_error err = {.status = PORTOLAN_EIO, .text = "no \"x\""};

    portolan_health_add_result(&h, "a", &(struct portolan_error){0}, "well", PORTOLAN_HEALTH_LACK,
                               "costs", "remedy");
    portolan_health_add_result(&h, "b", &err, "well", PORTOLAN_HEALTH_LACK, "all", "buy one");
    portolan_health_write(&h, &text);
    assert_string_equal(text.bytes, "a             fine  well\n"
                                    "b             lack  no \"x\"\n"
                                    "                    costs:  all\n"
                                    "                    remedy: buy one\n");
    portolan_health_write_json(&h, &json);
    assert_non_null(strstr(json.bytes, "\"lacks\": 1"));
    assert_non_null(strstr(json.bytes, "\"no \\\"x\\\"\""));
    assert_non_null(strstr(json.bytes, "\"lack\""));
    portolan_text_clear(&text);
    portolan_text_clear(&json);
    portolan_arena_clear(&h.arena);
}

static void more_than_fit_are_left_out(void **state)
{
    struct portolan_health h = {0};

    for (int i = 0; i <= PORTOLAN_HEALTH_MOST; i++)
        portolan_health_add(&h, "x", PORTOLAN_HEALTH_LACK, "y", "z", "w");
    assert_int_equal(h.n, PORTOLAN_HEALTH_MOST);
    assert_int_equal(h.n_lacks, PORTOLAN_HEALTH_MOST);
    portolan_arena_clear(&h.arena);
}

UNIT_TESTS(cmocka_unit_test(each_rank_needs_a_core),
           cmocka_unit_test(threads_of_all_ranks_need_cores),
           cmocka_unit_test(counters_may_be_absent_or_restricted),
           cmocka_unit_test(a_folder_must_be_there),
           cmocka_unit_test(a_command_that_fails_says_why),
           cmocka_unit_test(findings_are_lines_or_json),
           cmocka_unit_test(more_than_fit_are_left_out))
