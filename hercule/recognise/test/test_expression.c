/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests expressions over components: what is parsed, what matches, which position each token takes,
 * and which mistakes are reported where. */
#include "event_expression.h"

#include <unit_test.h>

/* Components a, b, c … and events in the order given, the first being asked for. */
static const char *const components[] = {"a", "b", "c", "d"};

struct made {
    struct portolan_arena arena;
    struct automaton automaton;
    char reported[300]; /* the last mistake, after its line and column */
    int n_reported;
};

static void keep_column(void *arg, const char *file, int line, int column, const char *text)
{
    (void)file;
    snprintf(arg, 300, "%d:%d: %s", line, column, text);
}

static void find_meaning(struct event_expression *e, size_t n, const char *const *events)
{
    for (size_t i = 0; i < 4 && e->kind == EXPRESSION_NAME; i++)
        if (!strcmp(e->name, components[i]))
            e->component = i;
    for (size_t i = 0; i < n && e->kind == EXPRESSION_NAME; i++)
        if (!strcmp(e->name, events[i]))
            e->event = i;
    for (struct event_expression *part = e->parts; part; part = part->next)
        find_meaning(part, n, events);
}

static void make(struct made *m, size_t n, const char *const *names, const char *const *texts)
{
    struct portolan_diagnostics d = {keep_column, m->reported, 0};
    struct event events[4] = {0};

    memset(m, 0, sizeof *m);
    for (size_t i = 0; i < n && !d.count; i++) {
        events[i].item.name = names[i];
        events[i].parsed =
            event_expression_parse(texts[i], (struct place){"k.clp", 1, 1}, &m->arena, &d);
        if (events[i].parsed)
            find_meaning(events[i].parsed, n, names);
    }
    if (!d.count)
        automaton_make(events, 0, &d, &m->automaton);
    m->n_reported = d.count;
}

/* The longest beginning of TEXT (letters are components) that matches; the path goes to PATH. */
static size_t match(const struct automaton *a, const char *text, uint8_t *path)
{
    uint64_t states[64], s = 0;
    size_t longest = 0;

    for (size_t i = 0; text[i]; i++) {
        uint64_t token = (uint64_t)1 << (text[i] - 'a');

        s = states[i] = i ? automaton_step(a, s, token) : automaton_start(a, token);
        if (s & a->last)
            longest = i + 1;
    }
    if (longest)
        automaton_trace_path(a, states, longest, path);
    return longest;
}

static void operators_match_what_they_say(void **state)
{
    static const struct {
        const char *expression, *text;
        size_t longest;
    } cases[] = {
        {"a, b, c", "abcabc", 3}, {"[a], b, [c]", "bab", 1},
        {"a | b, c", "bc", 2},    {"(a | b), c", "ac", 2},
        {"(a, b)+", "ababa", 4},  {"a*, b", "aaab", 4},
        {"a*, b", "b", 1},        {"[a]+, b", "aab", 3},
        {"a+ | b+", "aabb", 2},   {"a, (b, c)*", "abcb", 3},
        {"a, b", "ba", 0},        {"((a))", "a", 1},
        {"a\n,\n b", "ab", 2},    {"(a | [b], c)+", "abcca", 5},
    };
    static const char *const name = "e";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        uint8_t path[64];
        size_t longest;

        make(&m, 1, &name, &cases[i].expression);
        if (m.n_reported)
            fail_msg("%s: %s", cases[i].expression, m.reported);
        longest = match(&m.automaton, cases[i].text, path);
        if (longest != cases[i].longest)
            fail_msg("%s on %s: %zu", cases[i].expression, cases[i].text, longest);
        portolan_arena_clear(&m.arena);
    }
}

/* One stretch of computing may be several components: its place decides. */
static void places_distinguish_components(void **state)
{
    static const char *const name = "node", *const text = "(a, b)*, c, (d, a)*";
    struct made m;
    const uint64_t computing = 1 | 4,
                   tokens[7] = {computing, 2, computing, 2, computing, 8, computing};
    uint64_t states[7];
    uint8_t path[7];
    char found[8] = "";

    make(&m, 1, &name, &text);
    assert_int_equal(m.n_reported, 0);
    for (int i = 0; i < 7; i++) {
        states[i] = i ? automaton_step(&m.automaton, states[i - 1], tokens[i])
                      : automaton_start(&m.automaton, tokens[i]);
    }
    automaton_trace_path(&m.automaton, states, 7, path);
    for (int i = 0; i < 7; i++)
        found[i] = components[m.automaton.at[path[i]].component][0];
    assert_string_equal(found, "ababcda");
    portolan_arena_clear(&m.arena);
}

static void events_within_events_begin_anew(void **state)
{
    static const char *const names[] = {"sweep", "block"}, *const texts[] = {"block+, [d]",
                                                                             "a*, b, c*"};
    struct made m;
    uint8_t path[64];

    make(&m, 2, names, texts);
    assert_int_equal(m.n_reported, 0);
    assert_int_equal(match(&m.automaton, "abcbcaabd", path), 9);
    assert_int_equal(automaton_break(&m.automaton, path[0], path[1]), 2); /* ab */
    assert_int_equal(automaton_break(&m.automaton, path[2], path[3]), 1); /* c, then a block b */
    assert_int_equal(automaton_break(&m.automaton, path[4], path[5]), 1);
    assert_int_equal(automaton_break(&m.automaton, path[5], path[6]), 2);
    assert_int_equal(automaton_break(&m.automaton, path[7], path[8]), 1); /* d is the sweep's own */
    portolan_arena_clear(&m.arena);
}

static void mistakes_have_a_column(void **state)
{
    static const struct {
        const char *expression, *text;
    } cases[] = {
        {"a, ", "1:4: the name of a component or event is missing at the end"},
        {"a b", "1:3: unexpected 'b'; write , or | between two names"},
        {"a, )", "1:4: unexpected ')'; expected the name of a component or event"},
        {"(a, b", "1:1: this bracket is never closed; ')' is missing"},
        {"[a)", "1:3: unexpected ')'; write , or | between two names; ']' closes the bracket in "
                "column 1"},
        {"a,\n x9 ? b", "2:5: unexpected '?'; write , or | between two names"},
        {"a, block", "1:4: event 'block' is within itself"},
        {"[a], b*", "1:1: event 'block' would match nothing; it needs at least one component"},
        {"a%b", "1:2: unexpected '%'; write , or | between two names"},
    };
    static const char *const name = "block";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;

        make(&m, 1, &name, &cases[i].expression);
        assert_int_equal(m.n_reported, 1);
        assert_string_equal(m.reported, cases[i].text);
        portolan_arena_clear(&m.arena);
    }
}

static void what_is_too_large_is_refused(void **state)
{
    char large[400] = "a", deep[400] = "";
    const char *const texts[] = {large, deep}, *const name = "e";

    for (int i = 0; i < 64; i++)
        strcat(large, ", b");
    memset(deep, '(', 150);
    for (int i = 0; i < 2; i++) {
        struct made m;

        make(&m, 1, &name, &texts[i]);
        assert_int_equal(m.n_reported, 1);
        assert_non_null(strstr(m.reported, i ? "more than 100 deep" : "more than 64 places"));
        portolan_arena_clear(&m.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_match_what_they_say),
        cmocka_unit_test(places_distinguish_components),
        cmocka_unit_test(events_within_events_begin_anew),
        cmocka_unit_test(mistakes_have_a_column),
        cmocka_unit_test(what_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
