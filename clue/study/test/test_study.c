/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests studies: the paper's tables, and small ones whose outcome is known. */
#include <unit_test.h>

#include <math.h>
#include <unistd.h>

#include <portolan/clue_machine.h>
#include <portolan/clue_study.h>

/* ------------------------------------------------- studies as texts */

static char path[] = "/tmp/portolan-study-XXXXXX";

static int make_file(void **state)
{
    int fd = mkstemp(path);

    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    return unlink(path);
}

static void put(const char *file, const char *text)
{
    assert_int_equal(portolan_replace_file(file, text, strlen(text), NULL), PORTOLAN_OK);
}

static struct clue_study *evaluated(const char *text, clue_study_run_fn *run, void *arg)
{
    struct portolan_error err = {0};
    struct clue_study *s;

    put(path, text);
    if (clue_study_read(path, NULL, &s, &err) || clue_study_evaluate(s, run, arg, &err))
        fail_msg("%s", err.text);
    return s;
}

static void check_order(const struct clue_study *s, const char *expected)
{
    char names[200] = "";
    const char *name;
    double points;
    int nodes;

    for (size_t i = 0; clue_study_peek(s, i, &name, &nodes, &points); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", name);
    assert_string_equal(names, expected);
}

/* Replaces several blanks by one, since columns are as wide as they need to be. */
static void squeeze(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++)
        if (*at != ' ' || to == text || to[-1] != ' ')
            *to++ = *at;
    *to = '\0';
}

static void check_report(const struct clue_study *s, const char *const *expected)
{
    char *text;

    assert_int_equal(clue_study_report(s, false, &text, NULL), PORTOLAN_OK);
    squeeze(text);
    for (; *expected; expected++)
        if (!strstr(text, *expected))
            fail_msg("no '%s' in\n%s", *expected, text);
    free(text);
}

/* ------------------------------------------------- tests */

/* The nodes of Table 1, and the sums of Table 3 before they are rounded (194.9, 162.4, …). */
static void the_papers_study_has_its_outcome(void **state)
{
    static const struct {
        const char *name;
        int nodes;
        double points;
    } expected[] = {{"Cheap", 10, 194.9}, {"Cheapest", 15, 162.4}, {"Network", 6, 151.2},
                    {"Memory", 6, 139.2}, {"Coarse", 7, 88.3},     {"Fine", 7, 82.2}};
    struct portolan_error err = {0};
    struct clue_study *s;

    assert_int_equal(clue_study_read(EXAMPLE, NULL, &s, &err), PORTOLAN_OK);
    assert_int_equal(clue_study_evaluate(s, NULL, NULL, &err), PORTOLAN_OK);
    for (size_t i = 0; i < 6; i++) {
        const char *name;
        double points;
        int nodes;

        assert_true(clue_study_peek(s, i, &name, &nodes, &points));
        assert_string_equal(name, expected[i].name);
        assert_int_equal(nodes, expected[i].nodes);
        if (fabs(points - expected[i].points) > 0.051)
            fail_msg("%s: %g", name, points);
    }
    clue_study_destroy(s);
}

#define TWO                                                                                        \
    "<study name='s' budget='1000'><node price='100' memory='1GB'/><network name='slow'/>"         \
    "<network name='fast' price='100'/><configuration name='many' memory='1GB' network='slow'/>"   \
    "<configuration name='few' memory='1GB' network='fast'/>"

/* Half of the time of the many is messages: with processors P times as fast its rate becomes
 * 10 / (0.5 / P + 0.5), that of the few 5 P (no messages), more than that from P = 3 on. Prices:
 * the network at 1 - x gives floor(1000 / (100 + 100 (1 - x))) nodes, which never reach 10. */
static void what_would_win_is_found(void **state)
{
    static const char *const expected[] = {"processors 3.00 times as fast: few",
                                           "the network slow 0.33 times as fast: few", "many 1000",
                                           NULL};
    struct clue_study *s = evaluated(
        TWO "<workload name='w'><result configuration='many' value='10' communication='0.5'/>"
            "<result configuration='few' value='5'/></workload></study>",
        NULL, NULL);

    check_order(s, "many few");
    check_report(s, expected);
    clue_study_destroy(s);
}

static void intervals_show_which_places_are_certain(void **state)
{
    static const char *const expected[] = {"100 +- 10 1 to 2", "90 +- 1 1 to 2", NULL};
    static const char *const certain[] = {"100 +- 5 1", "90 +- 1 2", NULL};
    struct clue_study *s =
        evaluated(TWO "<workload name='w'><result configuration='many' value='10' error='1'/>"
                      "<result configuration='few' value='9' error='0.1'/></workload></study>",
                  NULL, NULL);

    check_report(s, expected);
    clue_study_destroy(s);
    s = evaluated(TWO "<workload name='w'><result configuration='many' value='10' error='0.5'/>"
                      "<result configuration='few' value='9' error='0.1'/></workload></study>",
                  NULL, NULL);
    check_report(s, certain);
    clue_study_destroy(s);
}

/* Runs take 12 / ranks, times the instances; the machine has the configuration's nodes. */
struct runs {
    int n, hosts;
};
static enum portolan_status run(void *arg, const struct clue_study_run *r,
                                struct clue_study_value *value, struct portolan_error *err)
{
    struct runs *runs = arg;
    struct clue_machine_file *m;

    if (clue_machine_read(r->machine, NULL, &m, err) != PORTOLAN_OK)
        fail_msg("%s", err->text);
    assert_string_equal(r->words[1], "100");
    assert_int_equal(m->machine.hosts[0].memory, (uint64_t)1 << 30);
    assert_int_equal(m->machine.hosts[0].n_busy, 0); /* it is of two processors */
    runs->hosts += (int)m->machine.n_hosts;
    runs->n++;
    value->value = value->low = value->high = 12.0 / r->ranks;
    clue_machine_destroy(m);
    return PORTOLAN_OK;
}

static void programs_run_on_the_machine_of_each_configuration(void **state)
{
    static const char *const expected[] = {"many 1 10 10 0 1.2", "many 2 5 10 0 1.2",
                                           "many 2 4 8 2 1.5", "few 2 2 4 1 *", NULL};
    char machine[sizeof path + 4], text[2000];
    struct runs runs = {0};
    struct clue_study *s;

    snprintf(machine, sizeof machine, "%s.xml", path);
    put(machine, "<machine name='m'><host name='n' count='3' cpus='2' receive='1us'>"
                 "<busy cpus='2' factor='1.3'/></host><send from='*' to='*' d='1'/>"
                 "<transmission from='*' to='*' d='1'/></machine>");
    snprintf(text, sizeof text,
             "<study name='s' budget='1000'><node price='100' memory='1GB'/>"
             "<network name='slow' machine='%s'/><network name='fast' price='100' machine='%s'/>"
             "<configuration name='many' memory='1GB' network='slow'/>"
             "<configuration name='few' memory='1GB' network='fast'/>"
             "<workload name='w' program='./prog 100' high='2' memory='4 * 2^30 / (low + 1)'/>"
             "</study>",
             machine, machine);
    s = evaluated(text, run, &runs);
    check_order(s, "many few");
    check_report(s, expected);
    /* Ten nodes: 10 (also the grid 5 x 2), 2 x 5, 2 x 4; five nodes: 5, 4; 2 x 2 has no room. */
    assert_int_equal(runs.n, 5);
    assert_int_equal(runs.hosts, 3 * 10 + 2 * 5);
    clue_study_destroy(s);
    unlink(machine);
}

static void mistakes_are_reported_with_their_remedy(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"<study name='s'><workload name='w' formula='1'/></study>", "has no <configuration>"},
        {TWO "</study>", "the study has no <workload>"},
        {TWO "<workload name='w'/></study>", "needs one of 'formula', 'program'"},
        {TWO "<workload name='w' formula='nods'/></study>", "a configuration has nodes, cpus"},
        {TWO "<workload name='w' formula='1 +'/></study>", ":1:"},
        {TWO "<workload name='w'><result configuration='man' value='1'/></workload></study>",
         "there is no configuration 'man'; did you mean 'many'?"},
        {TWO "<workload name='w'><result configuration='few' high='3' low='4' value='1'/>"
             "</workload></study>",
         "3 x 4 processors, but 'few' has 5 nodes with 1"},
        {TWO "<workload name='w' program='./p'/></study>", "name its file in 'machine'"},
        {TWO "<configuration name='dear' memory='2GB' network='slow'/>"
             "<workload name='w' formula='1'/></study>",
         "'dear' has more memory than <node>; give the price of more in <memory>"},
        {"<study name='s' budget='10'><node price='11' memory='1GB'/><network name='n'/>"
         "<configuration name='c' memory='1GB' network='n'/><workload name='w' formula='1'/>"
         "</study>",
         "'c' is not affordable: a node costs 11 of 10"},
        {"<study name='s'><network name='n'/><configuration name='c' memory='1GB' network='n'/>"
         "<workload name='w' formula='1'/></study>",
         "the number of nodes of 'c' is not known"},
        {"<study nam='s'/>", "unknown attribute 'nam' in <study>; did you mean 'name'?"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_error err = {0};
        struct clue_study *s;

        put(path, cases[i].text);
        assert_int_equal(clue_study_read(path, NULL, &s, &err), PORTOLAN_ESYNTAX);
        assert_null(s);
        if (!strstr(err.text, cases[i].expected))
            fail_msg("%s\nexpected: %s\nheard: %s", cases[i].text, cases[i].expected, err.text);
    }
}

static void parts_are_combined(void **state)
{
    struct clue_study *s =
        evaluated("<study name='s' budget='1000'><node price='100' memory='1GB'/>"
                  "<memory size='1GB' price='50'/><processor price='25'/><network name='a'/>"
                  "<network name='b' price='10'/><combine memory='1GB 3GB' cpus='1 2'/>"
                  "<workload name='w' formula='processors + memory / 2^34'/></study>",
                  NULL, NULL);
    const char *name;
    double points;
    int nodes;

    /* 1000 / 125 = 8 nodes with two processors; with 3 GB they cost 225, so there are 4 nodes. */
    assert_true(clue_study_peek(s, 0, &name, &nodes, &points));
    assert_string_equal(name, "2 x 1GB, a");
    assert_int_equal(nodes, 8);
    assert_true(clue_study_peek(s, 7, &name, &nodes, &points));
    assert_string_equal(name, "1 x 3GB, b");
    assert_int_equal(nodes, 4);
    clue_study_destroy(s);
}

/* For each allocation that fails, the error says so, and no memory is leaked. */
static void memory_may_run_out(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    while (status == PORTOLAN_ENOMEM) {
        struct clue_study *s;
        char *picture = NULL;

        portolan_alloc_fail_at(++n);
        status = clue_study_read(EXAMPLE, NULL, &s, NULL);
        if (status == PORTOLAN_OK)
            status = clue_study_evaluate(s, NULL, NULL, NULL);
        if (status == PORTOLAN_OK)
            status = clue_study_draw(s, "a.svg", &picture, NULL);
        portolan_alloc_fail_at(0);
        clue_study_destroy(s);
        free(picture);
    }
    assert_int_equal(status, PORTOLAN_OK);
    assert_true(n > 10);
}

UNIT_TESTS_BETWEEN(make_file, remove_file, cmocka_unit_test(the_papers_study_has_its_outcome),
                   cmocka_unit_test(what_would_win_is_found),
                   cmocka_unit_test(intervals_show_which_places_are_certain),
                   cmocka_unit_test(programs_run_on_the_machine_of_each_configuration),
                   cmocka_unit_test(mistakes_are_reported_with_their_remedy),
                   cmocka_unit_test(parts_are_combined), cmocka_unit_test(memory_may_run_out))
